"""The table of operators: what a mutant does to a line of C.  Those of slips.py are what people get wrong; those here change any form."""
import re

import slips

# ---- What is replaced by what: rows of the table below use these ----

RELATIONAL = {"<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="]}
ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"]}
BITS = {"<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"]}
LOGICAL = {"&&": ["||"], "||": ["&&"]}
ASSIGNMENTS = {"+=": ["-=", "="], "-=": ["+=", "="], "*=": ["+="], "/=": ["*="], "%=": ["/="],
               "|=": ["&=", "="], "&=": ["|=", "="], "^=": ["|="], "<<=": [">>="], ">>=": ["<<="]}
STEPS = {"++": ["--"], "--": ["++"]}

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
        dropped = place.left if side == "right" else place.right
        if place.operator in LOGICAL and not slips.is_part(place, dropped):    # that is a slip
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


def another_result(place):
    if place.type == "bool":
        yield f"!({place.text})"
    elif place.type == "integer" and not place.is_enumerator:     # whose neighbour is a slip
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
    ("drop", "statement", slips.left_out("drop")),
    ("return", "result", another_result),
    ("jump", "jump", another_jump),
    ("order", "neighbours", None),      # two places at once: making.py
] + slips.SLIPS
