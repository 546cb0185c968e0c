#!/usr/bin/env python3
"""What the command says: arguments, exit status and every line, as tests/cli/errors/*.txt have them.

    LOCKSTEP=build/release/lockstep tests/cli/errors.py [--accept] [NAME...]      NAME: kernel, run, ...

A file is a list of cases, a blank line between them:

    $ lockstep kernel --gird 1 a.ptx           the command; NAME=VALUE in front and > FILE behind as in a shell
    exit 2                                     left out: 0
    lockstep kernel: unknown option ...        a line of standard error
    > simple                                   a line of standard output
    ~*: cannot open: *                         a line as a pattern, either of them (> ~PATTERN)
    > ...                                      any lines from here

    file a.ptx:                                a file that the cases find in their folder: the indented lines that follow
        .version 8.0

Lines that begin with # are comments.  --accept writes what came out in place of lines that differ; patterns that match stay.
Each case runs in a folder of its own, so what one writes no other finds.
"""

import fnmatch
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../../build/release/lockstep")))
FOLDER = os.path.join(HERE, "errors")


class Case:
    def __init__(self, command):
        self.command, self.status, self.lines = command, 0, []

    def text(self):
        return "\n".join([f"$ {self.command}"] + ([f"exit {self.status}"] if self.status else []) + self.lines)


def read(path):
    """The parts of a file in order: comments and files as they are (text), and cases."""
    parts, files = [], {}
    for block in open(path, encoding="utf-8").read().strip("\n").split("\n\n"):
        lines = block.split("\n")
        if lines[0].startswith("file "):
            name = lines[0][5:].rstrip(":")
            assert all(line.startswith("    ") or not line for line in lines[1:]), f"{path}: file {name}: a line is not indented"
            files[name] = "".join(line[4:] + "\n" for line in lines[1:])
            parts.append(block)
            continue
        for line in lines:
            if line.startswith("#"):
                parts.append(line)
            elif line.startswith("$ "):
                parts.append(Case(line[2:]))
            elif line.startswith("exit ") and isinstance(parts[-1], Case) and not parts[-1].lines:
                parts[-1].status = int(line[5:])
            else:
                assert parts and isinstance(parts[-1], Case), f"{path}: '{line}' belongs to no command"
                parts[-1].lines.append(line)
    return parts, files


def run(command, files):
    """Exit status, standard output and standard error of a command line, in a folder that holds the files."""
    words, environment, output = shlex.split(command), dict(os.environ), subprocess.PIPE
    environment.pop("LOCKSTEP_CLANG", None)
    folder = tempfile.mkdtemp(prefix="lockstep-errors-")
    try:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text.replace("\\0", "\0"))
        while "=" in words[0]:
            name, value = words.pop(0).split("=", 1)
            environment[name] = value
        if words[-2:-1] == [">"]:
            output = open(os.path.join(folder, words[-1]), "wb")
            words = words[:-2]
        assert words[0] == "lockstep", f"'{command}' is not a lockstep command"
        result = subprocess.run([LOCKSTEP, *words[1:]], stdout=output, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                cwd=folder, env=environment, timeout=60)
        return result.returncode, (result.stdout or b"").decode("utf-8", "backslashreplace"), result.stderr.decode("utf-8", "backslashreplace")
    finally:
        if output is not subprocess.PIPE:
            output.close()
        shutil.rmtree(folder)


def matches(expected, line):
    for prefix in ("> ~", "~"):
        if expected.startswith(prefix):
            kind = prefix[:-1]
            is_output = line.startswith(">")
            return is_output == bool(kind) and fnmatch.fnmatchcase(line[len(kind):], expected[len(prefix):])
    return expected == line


def compare(expected, lines):
    """The lines to keep: expectations that match, what came out elsewhere; and whether all matched."""
    kept = []
    for k, line in enumerate(lines):
        if k < len(expected) and expected[k] == "> ...":
            return kept + ["> ..."], kept == expected[:k] and all(line.startswith(">") for line in lines[k:])
        kept.append(expected[k] if k < len(expected) and matches(expected[k], line) else line)
    if len(expected) == len(lines) + 1 and expected[-1] == "> ...":
        kept.append("> ...")
    return kept, len(kept) == len(expected) and all(matches(e, l) for e, l in zip(expected, lines))


def check(case, files, accept):
    """Whether the case is as it should be, or was made so."""
    status, output, error = run(case.command, files)
    if status < 0:
        print(f"$ {case.command}\n    ended by signal {-status}")
        return False
    lines = error.splitlines() + ["> " + line if line else ">" for line in output.splitlines()]
    kept, good = compare(case.lines, lines)
    if good and status == case.status:
        return True
    if not accept:
        print(case.text(), *(["but came"] + ([f"    exit {status}"] if status else []) + ["    " + line for line in lines]), sep="\n", end="\n\n")
        return False
    case.status, case.lines = status, kept
    return True


def main(words):
    accept = "--accept" in words
    names = [word for word in words if not word.startswith("-")] or sorted(name[:-4] for name in os.listdir(FOLDER) if name.endswith(".txt"))
    passed = failed = 0
    for name in names:
        path = os.path.join(FOLDER, name + ".txt")
        parts, files = read(path)
        for case in (part for part in parts if isinstance(part, Case)):
            good = check(case, files, accept)
            passed += good
            failed += not good
        if accept:
            texts, before = [], None
            for part in parts:
                if isinstance(part, Case):
                    texts.append(("" if before is str and texts[-1].startswith("#") else "\n" if texts else "") + part.text())
                else:
                    texts.append(("\n" if texts and not (part.startswith("#") and texts[-1].lstrip().startswith("#")) else "") + part)
                before = type(part)
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(texts) + "\n")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
