#!/usr/bin/env python3
"""Counts the words of sentences in README.md, CONTRIBUTING.md and docs/: short ones are read once.

    tests/prose.py              what `make check` runs: too many long sentences, or too long a mean, fail
    tests/prose.py --list       the long sentences, the longest first, with their places
    tests/prose.py PAGE...      of these pages, likewise

A sentence ends at a full stop, a question mark or an exclamation mark with a blank behind it, and at the end of a paragraph, of an item of a list and of a
cell of a table; the mean is of those outside tables. Code, in blocks and in text, is not read: in text it is one word. Of a link its text is read. Pages
that are made by programs (MADE) are not counted."""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LONG = 30  # words: a sentence of more is long
MOST_LONG = 0
MOST_MEAN = 12.0
MADE = {"docs/ptx-support.md"}


def pages():
    found = ["README.md", "CONTRIBUTING.md", *glob.glob("docs/**/*.md", recursive=True, root_dir=ROOT)]
    return sorted(page for page in found if page not in MADE and not page.startswith("docs/results/"))


def paragraphs(text):
    """(first line, text, whether it is a cell of a table) of each piece that ends a sentence at its end."""
    piece, start, fenced = [], 0, False
    for number, line in enumerate(text.split("\n") + [""], 1):
        fenced ^= line.startswith("```")
        is_code = fenced or line.startswith(("    ", "\t", "```"))
        is_table = line.startswith("|")
        begins = re.match(r"\s*([-*]|\d+\.)\s|#", line)
        if piece and (not line.strip() or is_code or is_table or begins):
            yield start, " ".join(piece), False
            piece = []
        if is_table and not is_code:
            for cell in line.strip().strip("|").split("|"):
                yield number, cell, True
        elif line.strip() and not is_code and not line.startswith("<!--"):
            start = start if piece else number
            piece.append(line.strip())


def words_of(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def sentences(text):
    """(line, words, whether it is in a table) of each sentence of a page."""
    text = re.sub(r"<!--.*?-->", lambda match: "\n" * match[0].count("\n"), text, flags=re.S)
    for line, piece, is_cell in paragraphs(text):
        piece = re.sub(r"`[^`]*`", "code", piece)
        piece = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", piece)
        for sentence in re.split(r"(?<=[.!?])[\"')*_]*\s+", piece):
            words = words_of(sentence)
            if words:
                yield line, words, is_cell


def main():
    chosen = [word for word in sys.argv[1:] if word[0] != "-"]
    found, count, total = [], 0, 0
    for page in chosen or pages():
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            for line, words, is_cell in sentences(file.read()):
                count, total = count + (not is_cell), total + len(words) * (not is_cell)
                if len(words) > LONG:
                    found.append((len(words), page, line, " ".join(words)))
    found.sort(key=lambda row: (-row[0], row[1:]))
    for length, page, line, text in found if "--list" in sys.argv or chosen else []:
        print(f"{page}:{line}: {length} words: {text}")
    mean = total / max(count, 1)
    print(f"{count} sentences, {mean:.1f} words on average; {len(found)} of over {LONG} words")
    if not chosen and (len(found) > MOST_LONG or mean > MOST_MEAN):
        print(f"expected at most {MOST_LONG} of over {LONG} words, and {MOST_MEAN} on average")
        sys.exit(1)


main()
