"""The results of samples, a row for each folder: tests/mutants.txt, and the table of it in docs/tests-mutants.md."""
import os
import re
import subprocess

WEAK = 85       # per cent noticed, below which a folder needs tests
COLUMNS = ("mutants", "noticed", "not reached", "survived", "not decided")
BEGIN, END = "<!-- mutants: written by scripts/mutate --record -->", "<!-- mutants: end -->"
HEAD = f"""\
# What samples of scripts/mutate found, written by `scripts/mutate --sample N --record`; docs/tests-mutants.md has the same rows.
# Commits is how many the branch had when the row was made; slips is whether only these operators were drawn.
#
# folder           {'  '.join(COLUMNS)}  commits  operators  seed
"""


def folder_of(name):
    return "/".join(os.path.dirname(name).split("/")[:2])


def sums(mutants, results):
    """{folder: {column: number}} of what was decided, and of "all"."""
    table = {}
    for mutant in mutants:
        row = results.get(mutant.id)
        for name in (folder_of(mutant.file), "all") if row else ():
            line = table.setdefault(name, dict.fromkeys(COLUMNS, 0))
            line["mutants"] += 1
            line[row["outcome"]] += 1
    return table


def read(path):
    """{folder: (numbers, commits, operators, seed)}"""
    rows = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    folder, *numbers = line.split()
                    rows[folder] = ([int(n) for n in numbers[:5]], int(numbers[5]), numbers[6], int(numbers[7]))
    return rows


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for folder, (numbers, commits, operators, seed) in sorted(rows.items()):
            file.write(f"{folder:<18}" + "".join(f"{n:>{len(c)}}  " for n, c in zip(numbers, COLUMNS)) + f"{commits:>7}  {operators:<9}  {seed}\n")


def of_page(rows):
    """The lines of the page's table."""
    lines = [f"| folder | {' | '.join(COLUMNS)} | noticed, % | |", "|---|---|---|---|---|---|---|---|"]
    for folder, (numbers, *_) in [*sorted(rows.items()), ("all", ([sum(r[0][k] for r in rows.values()) for k in range(5)],))]:
        percent = 100 * numbers[1] / numbers[0] if numbers[0] else 100
        weak = f"below {WEAK} %" if percent < WEAK else ""
        lines.append(f"| `{folder}` | {' | '.join(map(str, numbers))} | {percent:.0f} | {weak} |")
    return lines


def put_into(page, rows):
    """The page with its table as the rows are."""
    wanted = "\n".join([BEGIN, "", *of_page(rows), "", END])
    changed, count = re.subn(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: wanted, page, flags=re.S)
    if count != 1:
        raise SystemExit(f"mutate: docs/tests-mutants.md has no place for the table: {BEGIN}")
    return changed


def commits_of(root):
    return int(subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=root, capture_output=True, text=True, check=True).stdout)


def record(root, path, page_path, table, operators, seed):
    """Replaces the rows of these folders."""
    rows, commits = read(path), commits_of(root)
    for folder, line in table.items():
        if folder != "all":
            rows[folder] = ([line[c] for c in COLUMNS], commits, operators, seed)
    write(path, rows)
    with open(page_path, encoding="utf-8") as file:
        page = file.read()
    with open(page_path, "w", encoding="utf-8") as file:
        file.write(put_into(page, rows))
