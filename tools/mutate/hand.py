"""Mutants that people wrote: a list of places and of what is written there instead.

A line has a place, the text that goes, what comes for it, and what goes wrong then:

    FILE:LINE :: old :: new :: what goes wrong
    FILE :: the line's text, or a part :: old :: new :: what goes wrong

The second form survives changes elsewhere in the file.  What changes need not be an expression or a statement: the
whole body of the function is there twice, once with the change, and the switch chooses between the bodies.
"""
import os
import re

import making

EXPECTED = "expected FILE:LINE, or FILE :: part of the line, and :: old :: new :: what goes wrong"


class Refused(Exception):
    pass


def line_of(source, fields):
    """The number of the line that the fields name; what follows them."""
    at = re.fullmatch(r"(\S+):(\d+)", fields[0])
    lines = source.split("\n")
    if at:
        if int(at[2]) not in range(1, len(lines) + 1):
            raise Refused(f"{at[1]} has {len(lines)} lines")
        return int(at[2]), fields[1:]
    found = [k for k, text in enumerate(lines, 1) if fields[1] in " ".join(text.split())]
    if len(found) != 1:
        raise Refused(f"'{fields[1]}' is in {len(found)} lines of {fields[0]}, expected one")
    return found[0], fields[2:]


def body_around(source, start, end):
    """Where the body of the function is in which the text lies: its braces stand alone at the beginning of lines."""
    first, last = source.rfind("\n{\n", 0, start) + 1, source.find("\n}\n", end) + 1
    if not first or not last or source.rfind("\n}", first, start) >= 0:
        raise Refused("expected a place in a function")
    return first, last + 1


def mutant_of(root, fields):
    name = fields[0].rpartition(":")[0] or fields[0]
    if len(fields) != (4 if ":" in fields[0] else 5) or not fields[-1]:
        raise Refused(EXPECTED)
    try:
        with open(os.path.join(root, name), encoding="latin-1", newline="") as file:
            source = file.read()
    except OSError as error:
        raise Refused(f"{name}: {error.strerror}") from None
    line, (old, new, _) = line_of(source, fields)
    start = sum(len(text) + 1 for text in source.split("\n")[:line - 1])
    text = source[start:].partition("\n")[0]
    if not old or text.count(old) != 1:
        raise Refused(f"'{old}' is {text.count(old)} times in {name}:{line}, expected once")
    start += text.index(old)
    first, last = body_around(source, start, start + len(old))
    changed = source[first:start] + (new or ";" * old.endswith(";")) + source[start + len(old):last]
    body = making.one_line(changed)
    if body is None:
        raise Refused("expected a function without lines of the preprocessor")
    mutant = making.Mutant(name, line, text.index(old) + 1, "hand", [(first, last, body, "body")], old, new)
    mutant.id = f"{name}:{line}:{text.index(old) + 1}:hand:{new}"
    return mutant


def read(root, path):
    """All mutants of the list."""
    found = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            try:
                found.append(mutant_of(root, [" ".join(f.split()) for f in re.split(r"\s::(?=\s)", line.rstrip("\n"))]))
            except Refused as why:
                raise SystemExit(f"mutate: {path}:{number}: {why}") from None
    return found
