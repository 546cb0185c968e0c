"""The command: chooses mutants, builds them, judges them, prints what survives."""
import argparse
import fcntl
import hashlib
import os
import random
import re
import signal
import subprocess
import sys

import hand
import judge
import making
import schemata
import slips
import table
import units

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "build", "mutate")
RESULTS, PAGE = os.path.join(ROOT, "tests", "mutants.txt"), os.path.join(ROOT, "docs", "tests-mutants.md")
EQUIVALENT = os.path.join(ROOT, "tests", "equivalent-mutants.txt")
SURVIVES = ("survived", "not reached", "not decided")


# ---- Choosing ----

def files_in(paths):
    names = []
    for path in paths:
        if not os.path.exists(path):
            sys.exit(f"mutate: {path}: not there")
        if os.path.isdir(path):
            found = [os.path.join(f, n) for f, _, files in os.walk(path) for n in files if n.endswith(".c")]
        else:
            found = [path]
        names += sorted(os.path.relpath(os.path.realpath(f), os.path.realpath(ROOT)) for f in found)
    return list(dict.fromkeys(names))


def changed_lines(commits):
    """{file: lines} that a commit, or a range A..B, added or changed under src/ and that are still as it left them."""
    first, dots, last = commits.partition("..")
    base, tip = (first, last.lstrip(".") or "HEAD") if dots else (first + "^", first)
    if commits.count("...") == 1:
        base = subprocess.run(["git", "merge-base", base, tip], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    shown = subprocess.run(["git", "diff", "-U0", "--no-color", base, tip, "--", "src"], cwd=ROOT, capture_output=True, text=True)
    if shown.returncode:
        sys.exit(f"mutate: {shown.stderr.strip()}")
    lines, name = {}, None
    for line in shown.stdout.splitlines():
        if line.startswith("+++ "):
            name = line[6:] if line[4:6] == "b/" else None
        match = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if match and name and name.endswith(".c"):
            start, count = int(match[1]), int(match[2] or 1)
            lines.setdefault(name, set()).update(range(start, start + count))
    for name in lines:
        if subprocess.run(["git", "diff", "--quiet", tip, "--", name], cwd=ROOT).returncode:
            sys.exit(f"mutate: {name} has changed since {tip}: its lines are others")
    return lines


def sample(mutants, count, seed):
    """So many lines, from each folder of src/ as many as from any other, and one mutant of each: within a folder every operator is as likely as any
    other that has mutants left there."""
    folders, draw, chosen = {}, random.Random(seed), set()
    for mutant in mutants:
        folders.setdefault(table.folder_of(mutant.file), []).append(mutant)
    left = count
    sizes = {name: len({(m.file, m.line) for m in found}) for name, found in folders.items()}
    for done, name in enumerate(sorted(folders, key=lambda n: (sizes[n], n))):      # what small folders do not have goes to the larger ones
        share = min(sizes[name], -(-left // (len(folders) - done)))
        left -= share
        chosen.update(sample_of_folder(folders[name], share, draw))
    return [m for m in mutants if m.id in chosen]


def sample_of_folder(mutants, count, draw):
    by_operator = {}
    for mutant in mutants:
        by_operator.setdefault(mutant.operator, []).append(mutant)
    for found in by_operator.values():
        draw.shuffle(found)
    chosen, lines = set(), set()
    while len(chosen) < count:
        for name in draw.sample(sorted(by_operator), len(by_operator)):
            found = by_operator[name]
            while found and (found[-1].file, found[-1].line) in lines:
                found.pop()
            if found and len(chosen) < count:
                mutant = found.pop()
                lines.add((mutant.file, mutant.line))
                chosen.add(mutant.id)
    return chosen


# ---- Mutants that change nothing ----

def read_equivalent(path, mutants):
    """{id: reason}.  A line of the file: FILE :: the line's text :: operator :: what it becomes :: reason.  Says which are of no mutant any more."""
    if not os.path.exists(path):
        return {}
    by_key, found, sources = {}, {}, {}
    for mutant in mutants:
        if mutant.file not in sources:
            with open(os.path.join(ROOT, mutant.file), encoding="latin-1") as file:
                sources[mutant.file] = file.read().splitlines()
        text = " ".join(sources[mutant.file][mutant.line - 1].split())
        by_key.setdefault((mutant.file, text, mutant.operator, making.short(mutant.after) or "nothing"), []).append(mutant.id)
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = [" ".join(f.split()) for f in re.split(r"\s::\s", line.strip())]
            if len(fields) != 5 or not fields[4]:
                sys.exit(f"mutate: {path}:{number}: expected FILE :: line :: operator :: what it becomes :: reason")
            identifiers = by_key.get((*fields[:3], making.short(fields[3])), [])
            if not identifiers and fields[0] in sources:
                print(f"mutate: {os.path.relpath(path, ROOT)}:{number}: there is no such mutant of {fields[0]} (any more)", file=sys.stderr)
            found.update((identifier, fields[4]) for identifier in identifiers)
    return found


# ---- Showing ----

def show_row(mutant, row):
    if row["outcome"] in SURVIVES:
        what = {"survived": f"reached by {row['reached_by']} tests", "not reached": "not reached",
                "not decided": f"not decided, reached by {row['reached_by']} tests"}[row["outcome"]]
        print(f"{mutant.shown()}   {what}", flush=True)


def show_table(rows):
    print(f"\n{'folder':<20} {'mutants':>8} {'noticed':>8} {'not reached':>12} {'survived':>9} {'not decided':>12} {'%':>6}")
    for name, line in sorted(rows.items(), key=lambda item: (item[0] == "all", item[0])):
        print(f"{name:<20} {line['mutants']:>8} {line['noticed']:>8} {line['not reached']:>12} {line['survived']:>9} "
              f"{line['not decided']:>12} {100 * line['noticed'] / line['mutants']:>6.1f}")


# ---- The whole ----

def options():
    parser = argparse.ArgumentParser(prog="scripts/mutate", description="Makes single-line mutants of C, builds them behind a switch in one build, "
                                     "runs the tests that reach each, and prints those that no test notices.")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files or folders (default: src)")
    parser.add_argument("--commit", metavar="RANGE", help="only the lines that a commit, or A..B, changed")
    parser.add_argument("--sample", type=int, metavar="N", help="N mutants, each of another line: as many of each folder of src/, and there of each operator")
    parser.add_argument("--operators", default="", metavar="NAMES", help="only mutants of these operators, with commas between; slips: of those that people get wrong")
    parser.add_argument("--record", action="store_true", help="write the sample's results to tests/mutants.txt and the table in docs/tests-mutants.md")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--only", metavar="IDS", help="only these mutants, FILE:LINE:COLUMN:OPERATOR, with commas between; a beginning will do")
    parser.add_argument("--hand", metavar="FILE", help="the mutants of this list, FILE:LINE :: old :: new :: what goes wrong, such as tests/hand-mutants.txt")
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    parser.add_argument("--build-only", action="store_true", help="stop when they are built")
    parser.add_argument("--tests", metavar="REGEX", default="", help="only units of tests whose name has a match, such as ^release/kernels:memory/")
    parser.add_argument("--sanitizers", action="store_true", help="also what make check runs in the builds hostile and tsan")
    parser.add_argument("--budget", type=float, default=300, metavar="SECONDS", help="for one mutant (default 300)")
    parser.add_argument("-j", "--jobs", type=int, default=2, metavar="N", help="mutants, or compilers, at once (default 2)")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs decided")
    parser.add_argument("--equivalent", default=EQUIVALENT, metavar="FILE", help="mutants that change nothing, with reasons")
    arguments = parser.parse_args()
    if arguments.record and not arguments.sample:
        parser.error("--record: expected --sample, as other choices say nothing of a folder")
    if arguments.hand and (arguments.paths or arguments.commit or arguments.sample or arguments.operators):
        parser.error("--hand: expected no other choice than --only")
    return arguments


def named(mutants, only):
    """Those that --only names; all without it."""
    wanted = [w.strip() for w in only.split(",")] if only else []
    return [m for m in mutants if not only or any(m.id == w or m.id.startswith(w + ":") for w in wanted)]


def choose(arguments, mutants, lines):
    equivalent = read_equivalent(arguments.equivalent, mutants)
    if lines is not None:
        mutants = [m for m in mutants if m.line in lines.get(m.file, ())]
    mutants = named(mutants, arguments.only)
    if arguments.operators:
        wanted = slips.NAMES if arguments.operators == "slips" else set(arguments.operators.split(","))
        mutants = [m for m in mutants if m.operator in wanted]
    if arguments.sample:        # before any is left out: the others stay the same when one more is known to change nothing
        mutants = sample(mutants, arguments.sample, arguments.seed)
    equivalent = {m.id: equivalent[m.id] for m in mutants if m.id in equivalent}
    return [m for m in mutants if m.id not in equivalent], equivalent


def tree_key(names):
    """Of everything that is built into the command and its libraries."""
    digest = hashlib.sha256()
    for name in names:
        if name.startswith(("src/", "include/", "device/", "gpus/", "CMake", "tests/host/", "bench/", "workloads/")):
            with open(os.path.join(ROOT, name), "rb") as file:
                digest.update(name.encode() + hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def made(arguments):
    """The mutants to judge, and those that are known to change nothing."""
    if arguments.hand:
        return named(hand.read(ROOT, arguments.hand), arguments.only), {}
    cindex = making.load_clang()
    if not cindex:
        print(f"mutate: needs {making.PACKAGE}", file=sys.stderr)
        raise SystemExit(77)
    if not os.path.exists(os.path.join(ROOT, "build", "release", "compile_commands.json")):     # what files are compiled with
        subprocess.run(["cmake", "--preset", "release", "--log-level=WARNING"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    lines = changed_lines(arguments.commit) if arguments.commit else None
    names = files_in(arguments.paths or [os.path.join(ROOT, "src")])
    if lines is not None:
        names = [n for n in names if n in lines]
    return choose(arguments, making.make(cindex, ROOT, names, os.path.join(FOLDER, "made")), lines)


def main():
    arguments = options()
    mutants, equivalent = made(arguments)
    if arguments.list:
        for mutant in mutants:
            print(mutant.shown())
        return 0
    if not mutants:
        print("mutate: no mutants")
        return 0
    lock = keep_out_others()
    signal.signal(signal.SIGTERM, end)
    try:
        return judge_all(arguments, mutants, equivalent)
    except KeyboardInterrupt:
        print("mutate: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    finally:
        lock.close()


def keep_out_others():
    """One at a time in a work tree, as all build in the same folder."""
    os.makedirs(FOLDER, exist_ok=True)
    lock = open(os.path.join(FOLDER, "lock"), "w", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("mutate: another one is running in this work tree")
    return lock


def end(*_):
    raise KeyboardInterrupt


def judge_all(arguments, mutants, equivalent):
    numbered = list(enumerate(mutants))
    presets = ["release", *(units.SANITIZED if arguments.sanitizers else [])]
    for preset in presets:
        numbered = schemata.build(ROOT, FOLDER, preset, units.SANITIZED.get(preset, ([], []))[1], numbered, arguments.jobs)
    print(f"{len(numbered)} mutants built, {len(mutants) - len(numbered)} do not compile, {len(equivalent)} are known to change nothing", flush=True)
    if arguments.build_only:
        for number, mutant in numbered:
            print(f"LOCKSTEP_MUTANT={number}  {mutant.shown()}")
        return 0
    names = schemata.tracked_files(ROOT)
    key = judge.key_of(tree_key(names), *(m.id + repr(m.edits) for _, m in numbered))
    found = [u for preset in presets for u in units.find_units(FOLDER, preset) if re.search(arguments.tests, u.name)]
    if not found:
        sys.exit("mutate: no tests")
    judged = judge.Judge(FOLDER, arguments.jobs, names, ROOT)
    known = judged.map_reach(found, numbered, key)
    path = os.path.join(FOLDER, "results", key[:16] + ".json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    results = {} if arguments.fresh else judge.load(path)
    judged.decide_all(numbered, known, arguments.budget, results, lambda: judge.save(path, results), show_row)
    judge.save(os.path.join(FOLDER, "results.json"), results)
    rows = table.sums([m for _, m in numbered], results)
    show_table(rows)
    if arguments.record:
        table.record(ROOT, RESULTS, PAGE, rows, arguments.operators or "all", arguments.seed)
    return 0
