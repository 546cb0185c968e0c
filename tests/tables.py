#!/usr/bin/env python3
"""Tables of observers (docs/report.md#tables): --observe in every report.

    tests/tables.py

Expectations: bank conflicts are counted here from the addresses by the rule of NVIDIA's CUDA C++ Programming Guide ("Shared Memory": 32 banks, successive
32-bit words in successive banks, threads that read the same word share)."""
import json
import os
import subprocess
import sys
import tempfile

LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(os.path.dirname(__file__), "..", "build", "release", "lockstep")))
PROGRAM = os.path.join(os.path.dirname(LOCKSTEP), "workloads", "plain")
BANKS = 32
failures = []

# Thread t stores to word t * stride, then loads word (31 - t) * stride; only threads below `lanes` do.
KERNEL = """.version 7.0
.target sm_70
.address_size 64
.visible .entry NAME(.param .u64 out, .param .u32 stride, .param .u32 lanes)
{
	.reg .u32 %r<9>;
	.reg .u64 %rd<4>;
	.reg .pred %p<2>;
	.shared .align 4 .b8 tile[8192];
	ld.param.u64 %rd1, [out];
	ld.param.u32 %r1, [stride];
	ld.param.u32 %r2, [lanes];
	mov.u32 %r3, %tid.x;
	setp.ge.u32 %p1, %r3, %r2;
	@%p1 bra END;
	mov.u32 %r4, tile;
	mul.lo.u32 %r5, %r3, %r1;
	shl.b32 %r5, %r5, 2;
	add.u32 %r5, %r4, %r5;
	st.shared.u32 [%r5], %r3;
	sub.u32 %r6, 31, %r3;
	mul.lo.u32 %r6, %r6, %r1;
	shl.b32 %r6, %r6, 2;
	add.u32 %r6, %r4, %r6;
	ld.shared.u32 %r7, [%r6];
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd2, %rd1, %rd2;
	st.global.u32 [%rd2], %r7;
END:
	ret;
}
"""


def expect(what, truth):
    if not truth:
        failures.append(what)


def lockstep(*words, status=0):
    done = subprocess.run([LOCKSTEP, *words], capture_output=True, text=True, timeout=120, check=False)
    expect(f"{' '.join(words)}: {done.returncode} {done.stderr}", done.returncode == status)
    return done


def cycles_of(words):
    """The most different words of one bank."""
    by_bank = {}
    for word in words:
        by_bank.setdefault(word % BANKS, set()).add(word)
    return max(len(bank) for bank in by_bank.values())


def counts_of(words, times):
    cycles = cycles_of(words)
    return {"excess_cycles": times * (cycles - 1), "conflicts": times * (cycles > 1), "accesses": times, "cycles": times * cycles, "lanes": times * len(words)}


def words_of(stride, lanes, groups, *more):
    return ("kernel", "banks.ptx", "--gpu", "v100", "--grid", str(groups), "--block", "32", "--arg", "buf:out:u32:32", "--arg", f"u32:{stride}", "--arg", f"u32:{lanes}",
            "--observe", "bank-conflicts", *more)


def check_counts(stride, lanes, groups, *more):
    name = f"stride {stride}, {lanes} lanes, {groups} groups {' '.join(more)}"
    launch = json.loads(lockstep(*words_of(stride, lanes, groups, "--report", "json", *more)).stdout)["launches"][0]
    stored = [t * stride for t in range(lanes)]
    loaded = [(31 - t) * stride for t in range(lanes)]
    table = launch["tables"][0]
    expect(f"{name}: {table['name']}", len(launch["tables"]) == 1 and table["name"] == "bank-conflicts")
    rows = [(row["file"].endswith("banks.ptx"), row["line"], row["text"].split()[0], row["counts"]) for row in table["rows"]]
    wanted = [(True, 20, "st.shared.u32", counts_of(stored, groups)), (True, 25, "ld.shared.u32", counts_of(loaded, groups))] if lanes else []
    expect(f"{name}: {rows}", rows == wanted)
    if not more:
        expect(f"{name}: the counter differs", launch["counters"]["l1tex__shared_bank_conflict_cycles.sum"] == sum(row[3]["excess_cycles"] for row in rows))


def check_kernel():
    for stride in (0, 1, 2, 3, 4, 6, 8, 16, 31, 32, 33, 48, 64):
        check_counts(stride, 32, 1)
    for lanes in (0, 1, 7, 16, 31):
        check_counts(32, lanes, 2)
    check_counts(32, 32, 200, "--threads", "2")
    check_counts(32, 32, 3, "--mode", "functional")
    plain = json.loads(lockstep(*words_of(32, 32, 8)[:-2], "--report", "json").stdout)["launches"][0]
    observed = json.loads(lockstep(*words_of(32, 32, 8), "--report", "json").stdout)["launches"][0]
    expect("tables of a run that asked for none", "tables" not in plain)
    for launch in (plain, observed):
        launch.pop("tables", None)
        del launch["wall_seconds"]
    expect("to observe changes the run", plain == observed)


def check_text():
    """The most excess cycles first; with the costs of --profile beside it."""
    def rows(text):
        lines = text[text.index("bank conflicts of shared memory, kernel NAME"):].splitlines()
        return [line.split() for line in lines[1:4]]
    for more in ((), ("--profile",)):
        found = rows(lockstep(*words_of(32, 32, 2, *more)).stdout)
        expect(f"text {more}: {found}", found[0] == ["excess", "cycles", "conflicts", "accesses", "cycles", "lanes", "instruction"] and
               found[1][:6] == ["62", "2", "2", "64", "64", "banks.ptx:20"] and found[2][:6] == ["62", "2", "2", "64", "64", "banks.ptx:25"])
    none = lockstep(*words_of(1, 0, 1)).stdout
    expect(f"a table without rows: {none}", "bank conflicts of shared memory, kernel NAME: none counted\n" in none)


def check_page():
    lockstep(*words_of(32, 32, 2), "--report", "json", "--output", "observed.json")
    lockstep("report", "observed.json", "-o", "observed.html")
    with open("observed.html", encoding="utf-8") as file:
        page = file.read()
    data = json.loads(page[page.index('id="data">') + len('id="data">'):page.index("</script>", page.index('id="data">'))])
    table = data["results"][0]["kernels"][0]["tables"][0]
    expect(f"the page's table {table}", table["title"] == "bank conflicts of shared memory" and table["row_count"] == 2 and
           [row["counts"]["excess_cycles"] for row in table["rows"]] == [62, 62])
    expect("the page has costs that nobody measured", "lines" not in data["results"][0]["kernels"][0])
    if any(os.access(os.path.join(folder, "chromium"), os.X_OK) for folder in os.environ["PATH"].split(os.pathsep)):
        shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "file://" + os.path.abspath("observed.html")],
                               capture_output=True, text=True, timeout=120, check=False).stdout
        place = shown.find(">Bank conflicts of shared memory<")
        expect("the page shows no table", place > 0 and shown[place:].count(">62<") == 2)


def check_run():
    """Each launch has its own table in JSON; in text a kernel's launches are added up."""
    words = ("run", "--gpu", "v100", "--mode", "functional", "--observe", "bank-conflicts")
    lockstep(*words, "--report", "json", "--output", "run.json", PROGRAM)
    with open("run.json", encoding="utf-8") as file:
        launches = json.load(file)["launches"]
    text = lockstep(*words, PROGRAM).stderr
    names = {launch["kernel"] for launch in launches}
    expect(f"one launch of each kernel: {len(launches)} of {len(names)}", len(launches) > len(names) > 2)
    for name in names:
        rows = [row for launch in launches if launch["kernel"] == name for row in launch["tables"][0]["rows"]]
        excess, accesses = (sum(row["counts"][column] for row in rows) for column in ("excess_cycles", "accesses"))
        place = text.find(f"bank conflicts of shared memory, kernel {name}\n")
        if not rows:
            expect(f"{name}: a table without rows", place < 0)
            continue
        expect(f"{name}: there is no table", place > 0)
        lines = [line.split() for line in text[place:].split("\n\n")[0].splitlines()[2:]]
        if len(lines) < 9:
            shown = [sum(int(line[c].replace(",", "")) for line in lines) for c in (0, 2)]
            expect(f"{name}: {shown}, not {excess}, {accesses}", shown == [excess, accesses])


def check_refused():
    done = lockstep(*words_of(1, 32, 1, "--observe", "banks"), status=2)
    expect(f"an unknown table: {done.stderr}", done.stderr.count("\n") == 1 and "no table 'banks', expected one of: bank-conflicts" in done.stderr)
    done = lockstep("run", "--observe", "banks", "true", status=2)
    expect(f"an unknown table in run: {done.stderr}", done.stderr.count("\n") == 1 and "expected one of: bank-conflicts" in done.stderr)
    done = lockstep("run", "--report", "json", "--sum-launches", "--observe", "bank-conflicts", "true", status=2)
    expect(f"sums of launches: {done.stderr}", "--sum-launches and --observe" in done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("banks.ptx", "w", encoding="utf-8") as file:
            file.write(KERNEL)
        check_kernel()
        check_text()
        check_page()
        if os.path.exists(PROGRAM):  # the build may be one without workloads
            check_run()
        check_refused()
        os.chdir("/")
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
