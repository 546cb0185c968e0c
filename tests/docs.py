#!/usr/bin/env python3
"""Runs every command of README.md and docs/*.md and compares what it prints with what the page says.

    tests/docs.py                 README.md and the pages that take little processor time, by tests/docs-times.txt: what `make check` runs
    tests/docs.py --all           all pages: what `make check-long` runs
    tests/docs.py PAGE...         these, as README.md or docs/hangs.md
    tests/docs.py --accept        all, and writes their times to tests/docs-times.txt

They are run on an installed copy of the build that LOCKSTEP is of, as if that were below /usr, in an empty folder that has what
share/lockstep has, as README tells those without the repository; DEVELOPERS in one that has the repository's files by the same names.

A command is an indented line that begins with `$ `, and goes on as long as the shell reads on: behind a `\\`, or within quotes. What is
indented below it, up to the next command or the end of the block, is what it prints, standard error behind standard output. All commands of
a page run in one shell, one after another, as if pasted, so that `$ echo $?` tells the status of the command before it. Without it and
without output a command may end with any status but 2.

Words are compared, not blanks and line ends, which pages have where they fit. `...` is for any words that the page leaves out; in a
command it is not allowed. Numbers of host time are compared by HOST_TIME below.

A comment in front of a block, `<!-- not run: REASON -->`, leaves it out, `<!-- needs PROGRAM -->` where that is not in PATH; `<!-- file NAME -->`
makes a file of it. docs/divergence*.md have a test of their own (OTHERS)."""
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(ROOT, "build/release/lockstep")))
TIMES = os.path.join(ROOT, "tests", "docs-times.txt")
MOST = 10.0  # seconds of processor time that a page of `make check` may take, but README.md
OTHERS = {"docs/divergence.md", "docs/divergence-locks.md"}  # tests/divergence_docs.py
DEVELOPERS = {f"docs/tests{part}.md" for part in ("", "-gpu", "-kernels", "-kinds", "-mutants", "-random")}
INDENT = "    "
MARK = "=====lockstep-docs====="
# The build is there.
PRELUDE = f"""make() {{ [ "$1" != demo ] || '{ROOT}/scripts/demo'; }}
status=0
"""
# What the host's speed makes of a number, and what it becomes.
HOST_TIME = [(r"simulated at +[\d.]+ million warp instructions a second, [\d.]+ s", "simulated at TIME"), (r"simulated in [\d.]+ m?s\b", "simulated in TIME"),
             (r"(24\.\d %) +[\d.]+ M +[\d.]+", r"\1 TIME"), (r"about [\d.]+ (s|min|h) on \d+ processors", "about TIME on N processors")]


class Command:
    def __init__(self, line, text):
        self.line, self.text, self.output = line, text, []


def is_open(text):
    """Whether the shell would read on."""
    try:
        shlex.split(text)
        return text.endswith("\\")
    except ValueError:
        return True


def blocks(lines):
    """Indented blocks outside of fences: the comment in front of each, its first line's number, its lines."""
    at, comment = 0, ""
    while at < len(lines):
        line = lines[at]
        if line.startswith("<!--"):
            comment = line
        elif line.startswith(INDENT) and (not at or not lines[at - 1].strip() or lines[at - 1].startswith("<!--")):
            start = at
            while at < len(lines) and (lines[at].startswith(INDENT) or not lines[at].strip()):
                at += 1
            yield comment, start + 1, lines[start:at]
            comment = ""
            continue
        elif line.strip():
            comment = ""
        at += 1


def read_page(page):
    """The commands of a page, the files that it has, and how many blocks are not run."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        lines = file.read().split("\n")
    commands, files, left_out = [], {}, 0
    for comment, number, block in blocks(lines):
        named = re.match(r"<!-- file (\S+) -->$", comment)
        if named:
            files[named.group(1)] = "".join(line[4:] + "\n" for line in block).rstrip("\n") + "\n"
            continue
        has_commands = any(line.startswith(INDENT + "$ ") for line in block)
        needed = re.match(r"<!-- needs (\S+) -->$", comment)
        if re.match(r"<!-- not run: .+ -->$", comment) or needed and not shutil.which(needed.group(1)):
            assert has_commands, f"{page}:{number}: nothing to be left out"
            left_out += 1
            continue
        reading = False
        for k, line in enumerate(block):
            if reading:
                commands[-1].text += "\n" + line[4:]
            elif line.startswith(INDENT + "$ "):
                commands.append(Command(number + k, line[6:]))
            else:
                if commands and commands[-1].line >= number:
                    commands[-1].output.append(line[4:])
                continue
            reading = is_open(commands[-1].text)
    return commands, files, left_out


def furnish(folder, page, installed):
    """What a page finds in its folder; programs of a build are those of the installed copy.  The command that it runs."""
    build = os.path.dirname(LOCKSTEP) if page in DEVELOPERS else os.path.join(installed, "lib", "lockstep")
    files = ROOT if page in DEVELOPERS else os.path.join(installed, "share", "lockstep")
    for name in os.listdir(files):
        if name not in ("build", ".git"):
            os.symlink(os.path.join(files, name), os.path.join(folder, name))
    os.makedirs(os.path.join(folder, "build"))
    os.symlink(build, os.path.join(folder, "build", "release"))
    return LOCKSTEP if page in DEVELOPERS else os.path.join(installed, "bin", "lockstep")


def run_page(page, commands, files, installed):
    """What each command printed, and its status; and the processor time of all."""
    with tempfile.TemporaryDirectory() as folder:
        lockstep = furnish(folder, page, installed)
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        script = ""
        for command in commands:
            script += f"(exit $status)\n{command.text}\nstatus=$?; echo; echo {MARK}$status\n"
        environment = {**os.environ, "PATH": f"{os.path.dirname(lockstep)}:{os.environ['PATH']}", "LOCKSTEP": lockstep, "COLUMNS": "160",
                       "PKG_CONFIG_PATH": os.path.join(installed, "lib", "pkgconfig"), "LD_LIBRARY_PATH": os.path.join(installed, "lib"),
                       "PYTHONPATH": os.path.join(installed, "lib", "python3", "dist-packages"), "PYTHONDONTWRITEBYTECODE": "1",
                       "XDG_CACHE_HOME": os.path.join(os.path.dirname(LOCKSTEP), "workloads", "cache")}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryFile("w+", encoding="utf-8") as file:  # no pipe: a compiler that stays for the next kernel would hold it open
            subprocess.run(["bash", "-c", PRELUDE + script], stdout=file, stderr=file, stdin=subprocess.DEVNULL, cwd=folder, env=environment, timeout=3000,
                           check=False)
            file.seek(0)
            printed = file.read().replace(folder + "/", "")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    parts = re.split(rf"\n{MARK}(\d+)\n", printed)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return list(zip(parts[::2], map(int, parts[1::2]))), seconds


def words_of(text):
    """Its words with a blank between them, and without host times."""
    for pattern, instead in HOST_TIME:
        text = re.sub(pattern, instead, text)
    return " ".join(text.split())


def first_difference(wanted, printed):
    """Where a page that leaves nothing out, or its first part, goes wrong, for people."""
    at = len(os.path.commonprefix([wanted, printed]))
    return f"the page   ...{wanted[max(at - 60, 0):at + 100]}\nthe command ...{printed[max(at - 60, 0):at + 100]}"


def mistake(command, printed, status):
    """Where the page and the command differ; null: nowhere."""
    if " ..." in command.text.replace("\n", " "):
        return "the command has `...` in it, expected one that can be pasted"
    if not "".join(command.output).strip():
        return None if status != 2 else "ends with status 2:\n" + printed.strip()
    text, parts = words_of(printed), [part.strip() for part in words_of("\n".join(command.output)).split("...")]
    if len(parts) == 1:
        return None if text == parts[0] else first_difference(parts[0], text)
    if not text.startswith(parts[0]):
        return first_difference(parts[0], text)
    at = len(parts[0])
    for part in parts[1:-1]:
        found = text.find(part, at)
        if found < 0:
            return f"is not printed, or not there:\n{part}\nof\n{printed.strip()[:1500]}"
        at = found + len(part)
    if not text.endswith(parts[-1]) or len(text) - len(parts[-1]) < at:
        return f"is not the end:\n{parts[-1]}\nof\n{printed.strip()[-1500:]}"
    return None


def check_page(page, installed):
    """Its mistakes, how many commands, how many blocks are not run, and the time it took."""
    commands, files, left_out = read_page(page)
    if not commands:
        return [], 0, left_out, 0.0
    results, seconds = run_page(page, commands, files, installed)
    wrong = [f"{page}: {len(results)} of {len(commands)} commands ran"] if len(results) != len(commands) else []
    for command, (printed, status) in zip(commands, results):
        why = mistake(command, printed, status)
        if why:
            wrong.append(f"{page}:{command.line}: $ {command.text}\n{why}")
    return wrong, len(commands), left_out, seconds


def times():
    with open(TIMES, encoding="utf-8") as file:
        return {page: float(seconds) for page, seconds in (line.split() for line in file if line[0] != "#")}


def main():
    words = sys.argv[1:]
    pages = ["README.md"] + sorted("docs/" + name for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md"))
    pages = [page for page in pages if page not in OTHERS]
    known = times() if os.path.exists(TIMES) else {}
    chosen = [word for word in words if word[0] != "-"] or [page for page in pages if words or page == "README.md" or known.get(page, 0) <= MOST]
    wrong, count, left_out, spent = [], 0, 0, {}
    with tempfile.TemporaryDirectory() as installed:
        subprocess.run(["cmake", "--install", os.path.dirname(LOCKSTEP), "--prefix", installed], check=True, stdout=subprocess.DEVNULL)
        for page in chosen:
            mistakes, commands, skipped, seconds = check_page(page, installed)
            wrong += mistakes
            count, left_out = count + commands, left_out + skipped
            spent.update({page: seconds} if commands else {})
    for text in wrong:
        print(text, end="\n\n")
    if "--accept" in words:
        with open(TIMES, "w", encoding="utf-8") as file:
            file.write(f"# Seconds of processor time that the commands of a page take (tests/docs.py --accept); pages above {MOST}, but README.md, are for `make check-long`.\n")
            file.writelines(f"{page} {seconds:.1f}\n" for page, seconds in spent.items())
    print(f"{count} commands of {len(spent)} pages, {len(wrong)} wrong; {left_out} blocks are not run; {sum(spent.values()):.1f} s")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
