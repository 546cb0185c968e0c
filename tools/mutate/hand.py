"""Mutants that people wrote: a list of places and of what is written there instead.

A line has a place, the text that goes, what comes for it, and what goes wrong then:

    FILE:LINE :: old :: new :: what goes wrong
    FILE :: old :: new :: what goes wrong

The second form, for text that is in one line of the file, survives changes elsewhere in it.  What changes need not be an
expression or a statement: the whole body of the function is there twice, once with the change, and the switch chooses
between the bodies.
"""
import os
import re

import making


class Refused(Exception):
    pass


def place_of(source, place, old):
    """The line, and where in the source the old text is."""
    line = place.partition(":")[2]
    lines = source.split("\n")
    found = [k for k, text in enumerate(lines, 1) if old and old in text and line in ("", str(k))]
    if len(found) != 1 or lines[found[0] - 1].count(old) != 1:
        times = sum(lines[k - 1].count(old) for k in found)
        raise Refused(f"'{old}' is {times} times in {place}, expected once")
    return found[0], sum(len(text) + 1 for text in lines[:found[0] - 1]) + lines[found[0] - 1].index(old)


def body_around(source, start, end):
    """Where the body of the function is in which the text lies: its braces stand alone at the beginning of lines."""
    first, last = source.rfind("\n{\n", 0, start) + 1, source.find("\n}\n", end) + 1
    if not first or not last or source.rfind("\n}", first, start) >= 0:
        raise Refused("expected a place in a function")
    return first, last + 1


def mutant_of(root, fields):
    if len(fields) != 4 or not all(fields[k] for k in (0, 1, 3)):
        raise Refused("expected FILE or FILE:LINE :: old :: new :: what goes wrong")
    place, old, new, _ = fields
    name = place.partition(":")[0]
    try:
        with open(os.path.join(root, name), encoding="latin-1", newline="") as file:
            source = file.read()
    except OSError as error:
        raise Refused(f"{name}: {error.strerror}") from None
    line, start = place_of(source, place, old)
    first, last = body_around(source, start, start + len(old))
    body = making.one_line(source[first:start] + (new or ";" * old.endswith(";")) + source[start + len(old):last])
    if body is None:
        raise Refused("expected a function without lines of the preprocessor")
    column = start - source.rfind("\n", 0, start)
    mutant = making.Mutant(name, line, column, "hand", [(first, last, body, "body")], old, new)
    mutant.id = f"{name}:{line}:{column}:hand:{new}"
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
