"""The table of operators: what a mutant does to a line of C."""
import re

# ---- What is replaced by what: rows of the table below use these ----

RELATIONAL = {"<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="]}
ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"]}
BITS = {"<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"]}
LOGICAL = {"&&": ["||"], "||": ["&&"]}
ASSIGNMENTS = {"+=": ["-=", "="], "-=": ["+=", "="], "*=": ["+="], "/=": ["*="], "%=": ["/="],
               "|=": ["&=", "="], "&=": ["|=", "="], "^=": ["|="], "<<=": [">>="], ">>=": ["<<="]}
STEPS = {"++": ["--"], "--": ["++"]}

# Calls that only give something back: to leave one out changes no result.
GIVES_BACK = re.compile(r"(^|_)(free|destroy)$|^f?close$|^json_object_put$|^__builtin_")


# Functions of which only equality is looked at, or whose arguments may change places; and memcpy, whose swap any test sees.
COMMUTES = re.compile(r"^(mem|str|strn)cmp$|^mem(cpy|move)$|calloc|min|max|equal|same|earlier|later|latest")


# Which of two allocations comes first changes nothing.
ALLOCATES = re.compile(r"arena_|alloc\(|strdup\(|vector_push")


# ---- How each rewrites a place; a place is what making.py says of a piece of the syntax tree ----

def another_operator(replacements):
    """`left OP right` with each replacement of OP that its types allow."""
    def rewrite(place):
        for operator in replacements.get(place.operator, []):
            if place.allows(operator):
                yield f"{place.left} {operator} {place.right}"
    return rewrite


def one_operand(side):
    def rewrite(place):
        if place.operator in LOGICAL:
            yield f"!!({getattr(place, side)})"
    return rewrite


def another_step(place):
    for operator in STEPS.get(place.operator, []):
        yield place.text.replace(place.operator, operator, 1) if place.prefix else operator.join(place.text.rsplit(place.operator, 1))


def without_sign(place):
    if place.operator == "!":
        yield f"!!({place.operand})"
    elif place.operator in ("-", "~"):
        yield f"({place.operand})"


def negated(place):
    if not place.is_negated_elsewhere:
        yield f"!({place.text})"


def never(place):
    if place.guards:
        yield "0"


def another_constant(place):
    if place.value == 0:
        yield "1"
    else:
        yield f"({place.text} + 1)"
        yield "0" if place.value == 1 else f"({place.text} - 1)"


def nothing(place):
    if not GIVES_BACK.search(place.callee):
        yield "(void)0"


def another_result(place):
    if place.type == "bool":
        yield f"!({place.text})"
    elif place.type == "integer":
        yield f"(({place.text}) + 1)"
        if place.value != 0:
            yield "0"
    elif place.type == "pointer" and place.text != "NULL":
        yield "0"


def another_jump(place):
    """`break` and `continue` become each other where that is legal, and both, `goto` and a bare `return` become nothing."""
    if place.text == "break" and place.in_loop:
        yield "continue"
    if place.text == "continue" and not place.in_switch:
        yield "break"
    if not place.is_last:
        yield ""


def swapped_arguments(place):
    if COMMUTES.search(place.function or ""):
        return
    for k, (first, second) in enumerate(zip(place.arguments, place.arguments[1:])):
        if first.type == second.type and first.text != second.text:
            yield place.with_arguments(k, second.text, first.text)


# name, what it applies to, how it rewrites.  What it applies to is a kind of place that making.py finds.
OPERATORS = [
    ("relational", "binary", another_operator(RELATIONAL)),
    ("arithmetic", "binary", another_operator(ARITHMETIC)),
    ("bits", "binary", another_operator(BITS)),
    ("logical", "binary", another_operator(LOGICAL)),
    ("drop-left", "binary", one_operand("right")),
    ("drop-right", "binary", one_operand("left")),
    ("assignment", "assignment", another_operator(ASSIGNMENTS)),
    ("step", "unary", another_step),
    ("sign", "unary", without_sign),
    ("negate", "condition", negated),
    ("never", "condition", never),
    ("constant", "literal", another_constant),
    ("drop", "statement", nothing),
    ("return", "result", another_result),
    ("jump", "jump", another_jump),
    ("arguments", "call", swapped_arguments),
    ("order", "neighbours", None),      # two places at once: making.py
]
