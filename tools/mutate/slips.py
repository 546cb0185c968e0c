"""Operators that are slips: mistakes that are easily made while copying a line, and that no compiler warns of."""
import re

# ---- Words by which slips find their places ----

# Functions of which only equality is looked at, or whose arguments may change places; and memcpy, whose swap any test sees.
COMMUTES = re.compile(r"^(mem|str|strn)cmp$|^mem(cpy|move)$|calloc|min|max|equal|same|one_of|earlier|later|latest|disjoint|overlap|distance")
# Calls that only give something back: to leave one out changes no result.
GIVES_BACK = re.compile(r"(^|_)(free|destroy)$|^f?close$|^json_object_put$|^__builtin_")
# What becomes part of a key, or of a hash.
INTO_KEY = re.compile(r"(^|_)(key|hash|digest|fingerprint|checksum)(_|$)|^XXH")
# Functions of which every condition is a part of the answer.
COMPARES = re.compile(r"(^|_)(same|equal|equals|matches|alike|compare|order|key)(_|$)")
RESETS = re.compile(r"(^|_)(reset|clear|init|zero|empty|restart)(_|$)")
FORGETS = re.compile(r"(^|_)(invalidate|evict|flush|drop|forget|remove|discard|retire|release|close|unlink|cancel|expire|unlock|leave)(_|$)")
EMPTY = re.compile(r"(\([\w\s*]+\) ?)?(0[uUlL]*|0\.0f?|NULL|false|\{ ?0? ?\})")
TIME = {"now", "when", "until", "cycle", "latency", "ready", "due", "arrival", "arrive", "deadline", "delay", "wake"}
# A field that nothing reads has no neighbour.
UNREAD = re.compile(r"^(pad|padding|reserved|unused|spare)")
SIZED = {"memcpy", "memmove", "memset", "memcmp"}


def words_of(identifier):
    return {word.rstrip("s") if word.endswith("s") and len(word) > 3 else word for word in identifier.lower().split("_")}


def is_time(text):
    """Whether an expression is a time or a latency, by its last name: `gpu->now`, `latency_of(x)`."""
    names = re.findall(r"[A-Za-z_]\w*", re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", text))
    return bool(names) and not names[-1].isupper() and bool(words_of(names[-1]) & TIME)


# ---- A statement left out: its sort is the name of the operator ----

def sort_of_statement(place):
    """key, reset, forget, or drop for any other."""
    callee = place.callee
    if not callee:
        return "reset" if getattr(place, "operator", "") == "=" and EMPTY.fullmatch(place.right) else "drop"
    if INTO_KEY.search(callee):
        return "key"
    if RESETS.search(callee) or callee == "memset" and re.search(r", 0, ", place.text):
        return "reset"
    return "forget" if FORGETS.search(callee) else "drop"


def left_out(sort):
    def rewrite(place):
        if not GIVES_BACK.search(place.callee) and sort_of_statement(place) == sort:
            yield "(void)0"
    return rewrite


# ---- A key without a part ----

def compares_a_part(text):
    """Whether it compares one member of two things, or their bytes: `a->x == b->x`, `!memcmp(...)`."""
    if re.search(r"&&|\|\||\?", text):
        return False
    sides = re.split(r" [=!]= ", text)
    last = [re.search(r"[.>](\w+)(\[[^\]]*\])*$", side) for side in sides]
    return len(sides) == 2 and all(last) and last[0][1] == last[1][1] or bool(re.match(r"!?(mem|str|strn)cmp\(|!?\w*_(equal|same)\(", text))


def is_part(place, dropped):
    return compares_a_part(dropped) or bool(COMPARES.search(place.within)) and not re.search(r"&&|\|\|", dropped)


def without_part(place):
    if place.operator in ("&&", "||"):
        for dropped, kept in ((place.left, place.right), (place.right, place.left)):
            if is_part(place, dropped):
                yield f"!!({kept})"


def without_member(place):
    """`.member = value` of an initialiser left out."""
    if not EMPTY.fullmatch(place.text):
        yield "0"


# ---- The neighbour ----

def swapped_arguments(place):
    """Any two arguments that may change places without a warning."""
    if COMMUTES.search(place.function or ""):
        return
    arguments = place.arguments
    for k, first in enumerate(arguments):
        for m in range(k + 1, len(arguments)):
            second = arguments[m]
            if first.type == second.type and first.text != second.text:
                yield place.with_arguments(k, m)


def another_member(place):
    yield place.before + place.sibling + place.behind


def another_enumerator(place):
    yield place.sibling


# ---- One less ----

def last_one_left_out(place):
    """Of a loop's condition, the bound."""
    if place.bounds_loop and place.operator in ("<", ">") and set(place.types) <= {"integer", "pointer"}:
        low, high = (place.left, place.right) if place.operator == "<" else (place.right, place.left)
        yield f"({low}) + 1 < ({high})"


def last_byte_left_out(place):
    """Of a number of bytes: one element less where elements are counted."""
    size = place.arguments[-1].text if place.arguments else ""
    if place.function not in SIZED or re.fullmatch(r"\w*[0-9]+\w*|sizeof\b(?:\w|\s|[*.()\[\]]|->)+", size):
        return
    element = re.search(r"\* (sizeof(?:\([^()]*\)| [*]?[\w.>\[\]-]+))$|^(sizeof(?:\([^()]*\)| [*]?[\w.>\[\]-]+)) \*", size)
    less = (element[1] or element[2]) if element else "1"
    yield f"{place.function}({', '.join(a.text for a in place.arguments[:-1])}, ({size}) - {less})"


def one_cycle_early(place):
    yield f"({place.text}) - 1"


# As in operators.py.
SLIPS = [
    ("reset", "statement", left_out("reset")),
    ("forget", "statement", left_out("forget")),
    ("key", "statement", left_out("key")),
    ("key", "binary", without_part),
    ("omitted", "designated", without_member),
    ("arguments", "call", swapped_arguments),
    ("member", "member", another_member),
    ("enumerator", "enumerator", another_enumerator),
    ("last", "binary", last_one_left_out),
    ("last", "call", last_byte_left_out),
    ("early", "time", one_cycle_early),
]
NAMES = {name for name, _, _ in SLIPS}
