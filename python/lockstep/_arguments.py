"""What becomes of the arguments of a launch: numbers and arrays as the bytes of parameters."""
import ctypes
import numbers
import operator
import struct

from ._errors import ArgumentTypeError, ArgumentValueError

ARRAYS = "an array (numpy, array.array, bytearray, bytes)"


def scalar(value):
    """A number as Python's own, also of numpy's; None: it is none."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    return value if isinstance(value, (numbers.Real, bool)) else None


def pack(value, parameter, where):
    """A number as the bytes of a parameter."""
    kind, bits = parameter.type.decode(), 8 * parameter.size
    whole = isinstance(value, numbers.Integral)
    if kind[0] == "f" or kind[0] == "b" and not whole:
        try:
            return struct.pack({2: "<e", 4: "<f", 8: "<d"}[parameter.size], value)
        except (KeyError, OverflowError):
            raise ArgumentValueError(f"{where}: {value} is no {kind} of {parameter.size} bytes") from None
    if not whole:
        raise ArgumentTypeError(f"{where}: expected a whole number for {kind}, not {value}")
    if not -1 << bits - 1 <= value < 1 << bits:
        raise ArgumentValueError(f"{where}: {value} does not fit into {kind} of {parameter.size} bytes")
    return (int(value) & (1 << bits) - 1).to_bytes(parameter.size, "little")


def shape(what, given):
    """A number of at least 1, or up to three."""
    try:
        sizes = tuple(operator.index(size) for size in (given if hasattr(given, "__iter__") and not isinstance(given, (str, bytes)) else (given,)))
    except TypeError:
        raise ArgumentTypeError(f"{what}={given!r}: expected a whole number, or up to three of them") from None
    if not 1 <= len(sizes) <= 3:
        raise ArgumentValueError(f"{what}={given!r}: expected a whole number, or up to three of them")
    if not all(1 <= size < 1 << 32 for size in sizes):
        raise ArgumentValueError(f"{what}={given!r}: expected at least 1 in every dimension, and less than 2 to the 32nd")
    return sizes + (1, 1)[:3 - len(sizes)]


def shared_bytes(given):
    if not isinstance(given, numbers.Integral):
        raise ArgumentTypeError(f"shared={given!r}: expected a number of bytes")
    if not 0 <= given < 1 << 32:
        raise ArgumentValueError(f"shared={given!r}: expected a number of bytes, from 0 on")
    return int(given)


def _element(view, where):
    """("float", 4) of the elements, or None where they may be anything: those of bytes, and structures."""
    form = view.format.lstrip("@=<")
    if form[:1] in (">", "!") and view.itemsize > 1:
        raise ArgumentTypeError(f"{where}: the array's elements are big-endian, and a GPU's little-endian; expected the machine's own order")
    form = form.lstrip(">!")
    if isinstance(view.obj, (bytes, bytearray)) or form[:1] == "T" or form[-1:] == "x":
        return None
    if form in ("f", "d", "e"):
        return "float", view.itemsize
    if form in ("Zf", "Zd"):
        return "float", view.itemsize // 2
    if form in ("c", "b", "B", "?", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N", "P"):
        return "int", view.itemsize
    what = {"O": "Python objects", "g": "long doubles", "Zg": "long doubles"}.get(form, "text")
    raise ArgumentTypeError(f"{where}: the array's elements are {what}, expected numbers of 1 to 8 bytes")


class Memory:
    """The bytes of an object that has them side by side: an array of any kind."""

    def __init__(self, thing, where):
        try:
            view = memoryview(thing)
        except (TypeError, ValueError, BufferError):
            hint = "; .to_numpy() makes an array" if hasattr(thing, "to_numpy") else ""
            raise ArgumentTypeError(f"{where}: expected a number, {ARRAYS} or a Buffer, not {type(thing).__name__}{hint}") from None
        with view:
            self.size, self.writable = view.nbytes, not view.readonly
            self.element = _element(view, where)
            if not view.c_contiguous:
                raise ArgumentValueError(f"{where}: expected an array whose elements lie side by side, in C's order (numpy.ascontiguousarray)")
        if self.writable and self.size:
            self.at = (ctypes.c_char * self.size).from_buffer(thing)
        else:
            self.at = ctypes.create_string_buffer(bytes(thing), self.size + 1)

    def place(self):
        """Where it lies; an empty one and a copy lie nowhere."""
        return (ctypes.addressof(self.at), self.size) if self.writable and self.size else None


def check_address(value, declared, is_address, where):
    """A number for what the source declares as a pointer to global memory."""
    if declared and declared.is_pointer and not declared.is_local and value and not (isinstance(value, numbers.Integral) and is_address(int(value))):
        raise ArgumentTypeError(f"{where}: is declared as {declared.text}, and {value} is no address in the GPU's memory; expected {ARRAYS} or a Buffer")


def check_array(memory, declared, where):
    """Against what the source declares, as far as that is known."""
    if not declared:
        return
    if declared.is_local:
        raise ArgumentTypeError(f"{where}: is declared as {declared.text}; expected the bytes of local memory that it points to, a number")
    if not declared.is_pointer and declared.element:
        raise ArgumentTypeError(f"{where}: is declared as {declared.text}, which is no pointer; expected a number")
    if declared.is_pointer and declared.element and memory.element and declared.element != memory.element:
        (kind, size), (own, own_size) = declared.element, memory.element
        names = " or ".join(f"{sign}{kind}{8 * size}" for sign in (("", "u") if kind == "int" else ("",)))
        raise ArgumentTypeError(f"{where}: is declared as {declared.text}, and the array's elements are {own}{8 * own_size}; expected {names}")
    if declared.is_pointer and declared.element and not declared.is_const and not memory.writable:
        raise ArgumentValueError(f"{where}: is declared as {declared.text}, to which the kernel may write, and the array is read-only; "
                                 "expected one that can be written to, or const in the kernel")
