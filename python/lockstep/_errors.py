"""What callers do wrong, as exceptions."""


class Error(Exception):
    """What was asked for cannot be done; the text is the library's line, of a compilation behind the compiler's words."""


class ArgumentTypeError(Error, TypeError):
    """An argument is of a type that the kernel, or the function, does not take; or there are too few or too many."""


class ArgumentValueError(Error, ValueError):
    """An argument is of the right type, and its value is not one that fits."""
