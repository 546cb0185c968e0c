#!/usr/bin/env python3
"""Lockstep where the system refuses: each command below is run once for each of its calls that may fail, and that call fails.

    LOCKSTEP=build/release/lockstep tests/faults.py [--all] [--list] [--fault KIND:N] [CASE...]

tests/faults/fault.c says which calls these are.  The quick form takes the first call from each place in the code, and at most MOST of each kind,
evenly spread; --all takes every call, of each place at most MOST_OF_PLACE, and the cases that are not quick.  --list says how many calls there
are, of how many places; --fault takes this one alone.  Afterwards

    the status is that of a run without the fault, and then so are all outputs, to the byte but for times; or one of the case's own,
    and standard error has one more line, with the system's reason;
    each file is as it was, or as a run without the fault leaves it; no other file is there;
    no process is left, nor has the command run for longer than LONGEST seconds.
"""

import collections
import ctypes
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.path.dirname(os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(ROOT, "build/release/lockstep"))))
LONGEST = 60
MOST = 12
MOST_OF_PLACE = 40
OLD = b"of an earlier run\n"
SIGNALS = {-number for number in range(1, 65)}

REASON = re.compile("Cannot allocate memory|out of memory|Too many open files|Input/output error|No space left on device"
                    "|Resource temporarily unavailable|made-to-fail")
TIMES = [(re.compile(pattern), replacement) for pattern, replacement in (
    (rb'("(?:wall_seconds|seconds|cpu_seconds|started|ended|time|date)": ?)[0-9.e+-]+', rb"\1T"),
    (rb"[0-9.]+ (?:million|thousand|M)[^\n]*\n", b"RATE\n"),
    (rb"\b[0-9.]+ ?(?:ms|s|us)\b", b"T"))]


class Case:
    def __init__(self, name, words, inputs=(), outputs=(), statuses=(2,), environment=None, lines=(1, 1), may_leave="$.", may_lack="$.", reason="$.", partial=False,
                 unlike="$.", only=None, most=MOST, quick=True, kinds=""):
        self.name, self.words, self.inputs, self.outputs = name, words, inputs, outputs
        self.statuses, self.environment, self.lines = set(statuses), environment or {}, lines
        self.may_leave, self.may_lack, self.reason, self.unlike = re.compile(may_leave), re.compile(may_lack), re.compile(reason), re.compile(unlike)
        self.partial = partial
        self.most, self.quick, self.kinds = most, quick, kinds
        if only:
            self.environment["LOCKSTEP_FAULT_IN"] = only


def timeless(data):
    for pattern, replacement in TIMES:
        data = pattern.sub(replacement, data)
    return data


class Result:
    def __init__(self, status, output, errors, files, left, late):
        self.status, self.output, self.errors, self.files, self.left, self.late = status, output, errors, files, left, late


def processes_left():
    """Waits for what the command has left behind, which is now ours; what does not end by itself is named, and ended."""
    end = time.monotonic() + 10
    while True:
        try:
            process, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return []
        if process:
            continue
        if time.monotonic() > end:
            break
        time.sleep(0.005)
    left = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            words = open(path).read().rsplit(")", 1)
        except OSError:
            continue
        if int(words[1].split()[1]) == os.getpid():
            left.append(words[0])
            os.kill(int(words[0].split()[0]), signal.SIGKILL)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return left


def read_files(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            name = os.path.relpath(path, folder)
            with open(path, "rb") as file:
                found[name] = file.read() if name.startswith("cache/") else timeless(file.read())
    return found


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.library = os.path.join(build, "libfaults.so")
        if not os.path.exists(self.library):
            sys.exit(f"{self.library}: is not there: build the target 'faults', of a build without sanitizers")
        self.counts, self.calls = os.path.join(folder, "counts"), os.path.join(folder, "calls")
        self.place = os.path.join(folder, "here")

    def run(self, case, fault=None):
        shutil.rmtree(self.place, ignore_errors=True)
        os.mkdir(self.place)
        for path in case.inputs:
            (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, os.path.join(self.place, os.path.basename(path)))
        for name in case.outputs:
            with open(os.path.join(self.place, name), "wb") as file:
                file.write(OLD)
        with open(self.counts, "wb") as file:
            file.write(bytes(4096))
        if os.path.exists(self.calls):
            os.remove(self.calls)
        environment = {**os.environ, "LD_PRELOAD": self.library, "LOCKSTEP_FAULT_COUNTS": self.counts, "LOCKSTEP_FAULT_CALLS": self.calls,
                       "XDG_CACHE_HOME": os.path.join(self.build, "faults-cache"), **{name: value.format(here=self.place) for name, value in case.environment.items()}}
        if fault:
            environment["LOCKSTEP_FAULT"] = fault
        process = subprocess.Popen(case.words, cwd=self.place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        late = False
        try:
            output, errors = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
        left = processes_left()
        return Result(process.returncode, timeless(output), timeless(errors).decode(errors="replace"), read_files(self.place), left, late)

    def call_lines(self):
        with open(self.calls, encoding="utf-8") as file:
            return [line.split() for line in file]

    def where(self):
        """The call that failed: its function, and the lines that led there."""
        if not os.path.exists(self.calls):
            return "no call failed"
        words = self.call_lines()[-1]
        lines = []
        for frame in words[4:12]:
            name, offset = frame.split("+")
            found = [path for path in (os.path.join(self.build, name), *glob.glob(os.path.join(self.build, "*", name)))
                     if os.path.exists(path)]
            if found:
                said = subprocess.run(["addr2line", "-e", found[0], offset], capture_output=True, text=True, check=False).stdout.strip()
                lines.append(re.sub(r".*/(src/)|^.*/", r"\1", said.split(" ")[0]))
        return f"{words[1]} in {words[3]}: {' '.join(lines)}"


def spread(numbers, most):
    """At most so many of them, evenly."""
    return [numbers[k * len(numbers) // most] for k in range(most)] if len(numbers) > most else numbers


def faults_of(case, lines, every):
    """Which calls are to fail: (kind, number)."""
    numbers, places = collections.Counter(), collections.defaultdict(list)
    for kind, _, place, *_ in lines:
        numbers[kind] += 1
        places[kind, place].append(numbers[kind])
    chosen = collections.defaultdict(list)
    for (kind, _), found in places.items():
        if case.kinds in ("", kind):
            chosen[kind] += spread(found, MOST_OF_PLACE) if every else found[:1]
    for kind, found in chosen.items():
        for number in found if every else spread(found, case.most):
            yield kind, number


def is_whole(name, data):
    """Whether an output that is another than it would be, as the command has failed, is at least one."""
    if name.endswith((".json", ".sarif")):
        try:
            json.loads(data.replace(b": T", b": 0"))
        except ValueError:
            return False
    return bool(data)


def differences(case, plain, result):
    if result.output != plain.output:
        yield "standard output differs"
    for name, data in plain.files.items():
        if name not in result.files and not case.may_lack.search(name):
            yield f"{name} is missing"
        elif name in result.files and result.files[name] != data and not case.unlike.search(name):
            yield f"{name} differs"


def mistakes(case, plain, result):
    """What is not as it should be, a line each."""
    if result.late:
        yield "does not end"
    if result.left:
        yield f"left processes: {', '.join(result.left)}"
    before, more = plain.errors.splitlines(), result.errors.splitlines()
    while before and more and before[0] == more[0]:
        del before[0], more[0]
    said = "\n".join([*more, result.output.decode(errors="replace")]) if result.status else "\n".join(more)
    says_why = REASON.search(said) or case.reason.search(said)
    noted = [name for name, data in {**result.files, "standard output": result.output}.items() if REASON.search(data.decode(errors="replace"))]
    if result.status == plain.status:
        if not says_why and not noted:  # what lacks something says so
            yield from differences(case, plain, result)
    elif result.status not in case.statuses:
        yield f"status {result.status}"
    else:
        shown = {line for data in plain.files.values() for line in data.decode(errors="replace").splitlines()}
        more = [line for line in more if line not in shown]  # a report that cannot be written is printed
        if not case.lines[0] <= len(more) <= case.lines[1]:
            yield f"{len(more)} lines on standard error"
        if not says_why:
            yield "no line has the system's reason"
    for name, data in result.files.items():
        if name not in plain.files:
            if not case.may_leave.search(name):
                yield f"{name} is left"
        elif data not in (plain.files[name], OLD) and not case.unlike.search(name) and not (is_whole(name, data) and (case.partial or says_why and result.status == plain.status or noted)):
            yield f"{name} is neither old nor new"
    for name in case.outputs:
        if name not in result.files:
            yield f"{name} is gone"


PYTHON = """
import array, sys
sys.path.insert(0, %r)
import lockstep
data = array.array("I", range(32))
launch = lockstep.GPU("gtx480", check="races").load("twice.ptx", open("twice.ptx").read()).kernel("twice")(data, grid=1, block=32)
print(launch["outcome"], launch["cycles"], data.tolist(), launch["findings"])
"""


def kept_libraries(build, source):
    """A cache that has what all programs like this one need, but not this one."""
    folder = os.path.join(build, "faults-cache", "libraries")
    other = os.path.join(folder, "other.cl")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(source, other)
    subprocess.run([os.path.join(build, "lockstep"), "kernel", other, "--kernel-list"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache")})
    return os.path.join(folder, "cache")


def cases(build):
    def command(*words):
        return [os.path.join(build, "lockstep"), *words]

    def program(front_end, name):
        return os.path.join(build, "host", front_end, name)

    kernel, spin, litmus = (os.path.join(HERE, name) for name in ("faults/twice.ptx", "lint/forms.ptx", "litmus/mp-weak.litmus"))
    source, opencl, tiny = os.path.join(HERE, "lint/forms.cu"), os.path.join(ROOT, "workloads/ht.cl"), os.path.join(HERE, "faults/twice.cl")
    launch = ["kernel", "twice.ptx", "--block", "32", "--arg", "buf:data:u32:32:iota"]
    reports = [os.path.join(build, "faults-cache", name) for name in ("first.json", "second.json")]
    os.makedirs(os.path.dirname(reports[0]), exist_ok=True)
    for path, more in zip(reports, ([], ["--set", "core.schedulers=1"])):
        subprocess.run(command("kernel", kernel, *launch[2:], *more, "--report", "json", "--output", path), check=True)

    # A program gets the error that a GPU's driver would give (2, 301, 304, 901 in CUDA, -6 in OpenCL), prints it and ends with its own
    # status; the report says how far it came.
    of_program = {"statuses": (1, 2), "lines": (1, 4), "reason": r": (2|301|304|901|-6), not |are not offered|the program did not ask why", "partial": True}
    yield Case("kernel", command(*launch, "--dump", "data", "--output", "report.txt", "--trace", "trace.json", "--profile", "--findings", "found.sarif"),
               [kernel], ["report.txt", "trace.json", "found.sarif"])
    yield Case("kernel-json", command(*launch, "--report", "json", "--check", "all", "--counters"), [kernel])
    yield Case("kernel-page", command(*launch, "--report", "html", "--output", "page.html", "--profile", "lines.callgrind", "--samples", "100",
                                      "--gen-suppressions", "left.txt"), [kernel], ["page.html", "lines.callgrind", "left.txt"])
    yield Case("kernel-threads", command(*launch, "--threads", "3", "--grid", "3", "--profile", "lines.speedscope.json", "--report", "json"),
               [kernel], ["lines.speedscope.json"])
    yield Case("kernel-functional", command(*launch, "--mode", "functional", "--threads", "2", "--grid", "4"), [kernel])
    yield Case("kernel-cuda", command("kernel", "forms.cu", "--kernel-list"), [source])
    yield Case("kernel-opencl", command("kernel", "ht.cl", "--kernel-list"), [opencl])
    hang = ["kernel", "spin_lock.ptx", "--block", "32", "--arg", "buf:lock:u32:1:zero", "--arg", "buf:count:u32:1:zero"]
    yield Case("hang", command(*hang, "--findings", "found.sarif"), [os.path.join(HERE, "kernel/hang/spin_lock.ptx")], ["found.sarif"], quick=False)
    yield Case("model", command(*launch, "--gpu", "./gtx480.cfg", "--report", "json"), [kernel, os.path.join(ROOT, "gpus/gtx480.cfg")], quick=False)
    yield Case("schedules", command(*launch, "--grid", "3", "--mode", "functional", "--dispatch", "obe", "--schedules", "20", "--threads", "2"), [kernel], quick=False)
    # What is not kept is compiled again, and nobody needs to know; what is kept is right.
    of_compiler = {"environment": {"XDG_CACHE_HOME": "{here}/cache"}, "may_lack": "^cache/", "unlike": r"^cache/lockstep/\.grown$"}
    yield Case("compile-cuda", command("kernel", "forms.cu", "--kernel-list"), [source], most=6, **of_compiler)
    yield Case("compile-opencl", command("kernel", "twice.cl", "--kernel-list"), [tiny, kept_libraries(build, tiny)], most=1, **of_compiler)
    # Where a part of the libraries cannot be read, the whole makes the same PTX, and its options say so.
    yield Case("compile-libraries", command("kernel", "twice.cl", "--kernel-list"), [tiny], most=6, kinds="read",
               **{**of_compiler, "unlike": r"^cache/lockstep/(\.grown|[0-9a-f]{32})$"})
    yield Case("run-cuda", command("run", "--output", "report.txt", "--trace", "trace.json", "--findings", "found.sarif", "--profile",
                                   program("cuda", "vector_add")), [], ["report.txt", "trace.json", "found.sarif"], **of_program)
    yield Case("run-graphs", command("run", "--report", "json", "--output", "report.json", "--check", "all", "--quiet", program("cuda", "graphs")),
               [], ["report.json"], **of_program)
    yield Case("run-opencl", command("run", "--output", "report.txt", "--trace", "trace.json", "--findings", "found.sarif", "--profile",
                                     program("opencl", "vector_add")), [], ["report.txt", "trace.json", "found.sarif"], **of_program)
    yield Case("run-nothing", command("run", "--output", "report.txt", "/bin/true"), [], ["report.txt"], **of_program)
    # Memory ends for one thread while another simulates.
    yield Case("run-two-threads", command("run", "--report", "json", "--output", "report.json", "--check", "all", program("cuda", "async")),
               [], ["report.json"], **of_program, kinds="map")
    # These check much that follows from an error that they do not look at: a line of theirs is enough.
    of_checks = {**of_program, "reason": r"\.[ch]:\d+: |are not offered", "quick": False}
    for front_end, names in (("cuda", ("async", "capture", "driver_modules", "graph_nodes", "launching", "levels", "pools", "relocatable", "textures")),
                             ("opencl", ("commands", "images", "mapping", "printing", "svm"))):
        for name in names:
            yield Case(f"{front_end}-{name}", command("run", "--report", "json", "--output", "report.json", "--check", "all", program(front_end, name)),
                       [], ["report.json"], **of_checks)
    yield Case("report", command("report", "first.json", "-o", "page.html"), reports, ["page.html"])
    yield Case("report-two", command("report", "first.json", "second.json"), reports)
    yield Case("compare", command("compare", "first.json", "second.json"), reports)
    yield Case("compare-json", command("compare", "first.json", "second.json", "--report", "json", "--output", "compared.json"), reports, ["compared.json"])
    yield Case("lint", command("lint", "forms.ptx", "--findings", "found.sarif", "--output", "report.txt"), [spin], ["found.sarif", "report.txt"])
    yield Case("sweep", command("sweep", "--vary", "core.schedulers=1,2", "-j", "1", "--output", "out", "--", *launch), [kernel], statuses=(1, 2), partial=True,
               may_leave="gnuplot.log$", reason="see out/gnuplot.log")
    yield Case("experiment", command("experiment", "./experiment", "--output", "out", "-j", "1"),
               [os.path.join(HERE, "faults/experiment"), os.path.join(ROOT, "experiments/bars.gp")], statuses=(1, 2), partial=True, only="lockstep-experiment",
               lines=(0, 3), unlike=r"results.sqlite$|index.html$|results/", most=4)
    yield Case("litmus", command("litmus", "mp-weak.litmus", "--runs", "64", "--output", "report.txt"), [litmus], ["report.txt"])
    yield Case("litmus-threads", command("litmus", "mp-weak.litmus", "--runs", "64", "-j", "2", "--report", "json"), [litmus])
    yield Case("gpus", command("gpus", "gtx480"))
    yield Case("policies", command("policies", "scheduler"))
    yield Case("python", [sys.executable, "-c", PYTHON % os.path.join(ROOT, "python")], [kernel], (), (1, 2),
               {"LOCKSTEP_LIBRARY": os.path.join(build, "liblockstep.so")}, (1, 20))


def say_calls(case, plain, lines):
    places = collections.Counter(kind for kind, _ in {(line[0], line[2]) for line in lines})
    calls = collections.Counter(line[0] for line in lines)
    print(f"{case.name}: status {plain.status};", ", ".join(f"{kind} {n} of {places[kind]} places" for kind, n in calls.items()))


def fail_in_turn(bench, case, plain, chosen, shows):
    """How many faults there were, how many of them were not met well, and how many did not come about."""
    bad = missed = 0
    for kind, number in chosen:
        result = bench.run(case, f"{kind}:{number}")
        wrong = list(mistakes(case, plain, result))
        if not os.path.exists(bench.calls):
            missed += 1  # where threads race, a run may have fewer calls
        if wrong or shows:
            print(f"{case.name} {kind}:{number}: status {result.status}; {'; '.join(wrong) or 'as it should be'}\n    {bench.where()}")
            print("".join(f"    | {line}\n" for line in result.errors.splitlines()[-4:]), end="")
        bad += bool(wrong)
    return len(chosen), bad, missed


def try_case(bench, case, every, only_list, only_fault):
    if "XDG_CACHE_HOME" not in case.environment:
        bench.run(case)  # fills the cache of compilers
    plain = bench.run(case)
    lines = bench.call_lines()
    if only_list:
        say_calls(case, plain, lines)
        return 0, 0, 0
    for line in mistakes(case, plain, bench.run(case)):
        print(f"{case.name} without a fault: {line}")
        return 0, 1, 0
    return fail_in_turn(bench, case, plain, only_fault or list(faults_of(case, lines, every)), only_fault)


def processor_seconds():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main():
    words = sys.argv[1:]
    every, only_list = "--all" in words, "--list" in words
    only_fault = [tuple(words.pop(words.index("--fault") + 1).split(":"))] if "--fault" in words else None
    names = [word for word in words if not word.startswith("--")]
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: what a command leaves becomes ours
    totals = [0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(BUILD, folder)
        for case in cases(BUILD):
            if names and case.name not in names or not (names or (every or case.quick)):
                continue
            begun = processor_seconds()
            counts = try_case(bench, case, every, only_list, only_fault)
            totals = [total + count for total, count in zip(totals, counts)]
            if not only_list:
                print(f"{case.name}: {counts[0]} faults, {processor_seconds() - begun:.1f} s", flush=True)
    count, bad, missed = totals
    print(f"{count} faults, {bad} not met as they should be" + (f", {missed} did not come about" if missed else ""))
    return 1 if bad or missed * 10 > count or not (count or only_list) else 0


if __name__ == "__main__":
    sys.exit(main())
