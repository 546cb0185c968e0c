#!/usr/bin/env python3
"""Kernels under `lockstep run` that wait for what the program does: tests/host/cuda/stalled.c, a program for each case, with what it must come to.

    LOCKSTEP=... PROGRAMS=... CUDA_PROGRAMS=... tests/host/stalled.py [FORM...]

Where a card would begin what is enqueued, or the program may still act, it completes; a hang is proved where no thread can act, and suspected, with the
thread named, where those that can are blocked without a time limit."""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

LOCKSTEP = os.environ["LOCKSTEP"]
OPENCL = os.path.join(os.environ["PROGRAMS"], "queued")
PROGRAM = os.path.join(os.environ["CUDA_PROGRAMS"], "stalled")
SMALL = ("--set", "memory.size=1536") # below what a sanitizer has
TIMEOUT = "the launch timed out and was terminated"

# FORM ACT WAIT; options of `lockstep run`
COMPLETE = """
thread copy device
thread copy device --mode functional
thread launch device
thread launch device --mode functional
thread memset device
thread copy+query device
thread copy+sync device
thread blocking device
thread graph device
thread function+copy device
thread event device
thread two_steps device
thread write device
thread kernel device
thread copy stream
thread launch stream
thread copy event
thread launch query
two_helpers launch device
polling launch device
polling launch device --mode functional
polling copy device
polling memset stream
polling graph device
polling copy+query device
polling write device
polling function+copy device
spinning launch device
sleep copy device
sleep launch device
work copy stream
long_sleep copy device
long_work launch device
timed_condition copy device
timed_semaphore launch device
timed_poll copy device
timed_select copy device
long_timed_poll copy device
pool copy device
callback copy device
callback launch stream
idle copy device
cancels copy device
serves copy device
pings_back copy device
returns launch device
returns copy device
detached copy device
joins copy device
joins_joining launch device
timed_join copy device
told copy device
pinned flag device
pinned_alone flag stream
managed flag device
timer nothing device --hang-after 100000
signalling_timer nothing device --hang-after 100000
calling_timer nothing device --hang-after 100000
pinned flag device --hang-after 20000
managed flag stream --hang-after 20000 --mode functional
clock copy device --hang-after 100000
clock launch device --hang-after 100000 --mode functional
"""

# The same; then the cause, and words of the message.
PROVED = {
    "thread nothing device": ("missing-signal",),
    "thread nothing stream": ("missing-signal",),
    "thread nothing event": ("missing-signal",),
    "thread nothing device --mode functional": ("missing-signal",),
    "thread another device": ("missing-signal",),
    "two_threads nothing device": ("missing-signal",),
    "joins nothing device": ("missing-signal",),
    "joins_joining nothing stream": ("missing-signal",),
    "main_is_gone nothing device": ("missing-signal",),
    "hangs_twice nothing stream": ("missing-signal",),
    "returns nothing device": ("missing-signal",),
    "behind launch device": ("queued-behind", "Kernel sets, which would write it, is queued behind kernel waits in stream 1. Confirmed: with kernel sets run "
                             "concurrently with it, the kernel completes. Enqueue the writer before this kernel, or in a stream"),
    "behind launch device --mode functional": ("queued-behind", "Kernel sets, which would write it, is queued behind kernel waits in stream 1. Confirmed: "),
    "behind launch device --explain-limit 0": ("queued-behind", "Kernel sets, which may write it, is queued behind kernel waits in stream 1. Not confirmed: "),
    "behind copy stream": ("queued-behind", "cudaMemcpyAsync, which would write it, is queued behind kernel waits in stream 1. Confirmed: "),
    "behind memset device": ("queued-behind", "cudaMemsetAsync, which would write it, is queued behind kernel waits in stream 1. Confirmed: "),
    "behind memset_words device": ("queued-behind", "cuMemset..., which would write it, is queued behind kernel waits in stream 1. Confirmed: "),
    "event_of_legacy launch device": ("queued-behind", "Kernel sets, which would write it, is queued in stream 2, which comes after kernel waits in "
                                      "the legacy default stream by an event or a graph. Confirmed: "),
    "behind write device": ("queued-behind", "cuStreamWriteValue, which would write it, is queued behind kernel waits in stream 1. Confirmed: "),
    "behind graph device": ("queued-behind", "Kernel sets, which would write it, is queued behind kernel waits in stream 1. Confirmed: "),
    "graph launch device": ("queued-behind", "Kernel sets, which would write it, is queued behind kernel waits in stream 1. Confirmed: "),
    "event launch device": ("queued-behind", "is queued in stream 2, which comes after kernel waits in stream 1 by an event or a graph. Confirmed: "),
    "event copy device": ("queued-behind", "cudaMemcpyAsync, which would write it, is queued in stream 2, which comes after"),
    "legacy launch device": ("queued-behind", "Kernel sets, which would write it, is queued in the legacy default stream, which waits for kernel waits in stream 4: "),
    "legacy blocking device": ("queued-behind", "cudaMemcpy, which would write it, is queued in the legacy default stream, "),
    # What is behind it does not help.
    "behind launch_maybe device": ("missing-signal",),
    "behind another device": ("missing-signal",),
    "behind function device": ("missing-signal",),
}
SUSPECTED = {
    "pinned_behind function device --hang-after 100000": ("queued-behind", "A function of the host, which may write it, is queued behind kernel waits in stream 1. Not confirmed: "),
    "pinned_behind copy device --hang-after 100000": ("missing-signal",),
    "idle nothing device": ("missing-signal", "Only suspected, because thread ", "(stalled) is blocked in futex without a time limit and may still act. "),
    "reader nothing device": ("missing-signal", "is blocked in read without a time limit"),
    "poller nothing stream": ("missing-signal", "is blocked in "),
    "locked nothing device": ("missing-signal", "is blocked in futex without a time limit"),
    "joins_reader nothing device": ("missing-signal", "is blocked in read without a time limit"),
    "told nothing device": ("missing-signal", "the main thread ", "is blocked in futex without a time limit"),
    "pinned_and_idle nothing device --hang-after 100000": ("missing-signal", "is blocked in futex without a time limit"),
}
for certainty, table in ("proved", PROVED), ("suspected", SUSPECTED):
    for key, value in table.items():
        table[key] = (certainty, *value)


# Of tests/host/opencl/queued.c: where the setter is queued; none: it completes.
OF_OPENCL = {
    "copy": None,
    "launch": None,
    "unflushed": "Kernel sets, which would write it, is queued in command queue 1, which has not been flushed since. Confirmed: ",
    "behind": "Kernel sets, which would write it, is queued behind kernel waits in command queue 0. Confirmed: ",
    "copy_behind": "clEnqueueWriteBuffer, which would write it, is queued behind kernel waits in command queue 0. Confirmed: ",
    "fill_behind_event": "clEnqueueFillBuffer, which would write it, is queued in command queue 1, which comes after kernel waits in command queue 0 by an event. ",
}


def run(case, environment=None, program=PROGRAM):
    """What the program printed, and the report."""
    words = case.split()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        result = subprocess.run([LOCKSTEP, "run", *SMALL, "--report", "json", "--output", path, *words[3:], program, *words[:3]],
                                capture_output=True, text=True, timeout=60, check=False,
                                env={**os.environ, **(environment or {})})
        with open(path, encoding="utf-8") as file:
            return result, json.load(file)


NOTE = "kernel sets: its first launch comes while another kernel runs that waits, perhaps for it. With lazy loading, "


PAUSES = "lockstep: the kernels that run wait for the program, and the simulated GPU pauses until it acts: "


def pauses(case, *words):
    """After a while it is said which thread is waited for, and why the kernel needs it; the program completes all the same."""
    result, _ = run(case)
    lines = [line for line in result.stderr.split("\n") if line.startswith(PAUSES)]
    return None if len(lines) == 1 and result.stdout == "OK\n" and all(word in lines[0] for word in words) else f"{case}: {result.stderr}"


def of_opencl(form, where):
    result, report = run(form, program=OPENCL)
    got = result.stdout, [(f["certainty"], f["cause"], f["confirmed"]) for f in report["findings"]]
    good = got == (("-5\n", [("proved", "queued-behind", True)]) if where else ("0\n", [])) and (not where or where in report["findings"][0]["message"])
    return None if good else f"{form}: {got}, {result.stderr}"


def ends(case, status, outcome, count):
    """The program ends while its hang is being explained: by exit in a signal's handler, after which the verdict is there, or at once."""
    for _ in range(5): # on a busy machine the signal may come late
        result, report = run(case)
        got = result.returncode, report["program"].get("status"), [l["outcome"] for l in report["launches"]], len(report["findings"])
        if got[0]:
            break
    return None if got == (status, status, ["completed", outcome], count) else f"{case}: {got}, {result.stderr}"


def notes(case, environment, count):
    """Whether the report says that a first launch may wait for a kernel that runs: once, and not of one that was loaded."""
    result, report = run(case, environment)
    found = [note for note in report["notes"] if note.startswith(NOTE)]
    return None if (len(found), result.stdout) == (count, "OK\n") else f"{case} {environment}: {report['notes']}"


def repeats(case):
    """The clock does not depend on when the program does something."""
    cycles = [[(launch["kernel"], launch["cycles"]) for launch in run(case)[1]["launches"]] for _ in range(2)]
    return None if cycles[0] == cycles[1] else f"{case}: {cycles}"


def told(check, case, *expected):
    """What is wrong, in words; or nothing."""
    try:
        return check(case, *expected)
    except subprocess.TimeoutExpired:
        return f"{case}: it did not end"


def completes(case):
    result, report = run(case)
    if (result.stdout, result.returncode, report["findings"]) != ("OK\n", 0, []) or {l["outcome"] for l in report["launches"]} != {"completed"}:
        return f"{case}: status {result.returncode}, {result.stdout!r}, {[f['message'] for f in report['findings']]}, {result.stderr}"
    return None


def hangs(case, certainty, cause, *words):
    result, report = run(case)
    findings = [f for f in report["findings"] if f["kind"] == "hang"]
    said = [(f["certainty"], f["cause"]) for f in findings]
    # A second kernel that hangs beside it is a finding of its own.
    good = said and set(said) == {(certainty, cause)} and all(word in findings[0]["message"] for word in words)
    good = good and result.returncode in (0, 3) and result.stdout in (TIMEOUT + "\n", "OK\n" if case.startswith("returns") else "")
    return None if good else f"{case}: {said}, {result.stdout!r}, status {result.returncode}, {[f['message'] for f in findings]}, {result.stderr}"


def main():
    chosen = sys.argv[1:]
    with concurrent.futures.ThreadPoolExecutor(12) as pool: # they sleep, mostly
        jobs = [pool.submit(told, completes, case) for case in COMPLETE.split("\n") if case and (not chosen or case.split()[0] in chosen)]
        jobs += [pool.submit(told, hangs, case, *expected) for case, expected in (PROVED | SUSPECTED).items() if not chosen or case.split()[0] in chosen]
        jobs += [pool.submit(told, notes, *expected) for expected in
                 (("lazily launch device", {}, 1), ("lazily graph device", {}, 0), ("lazily launch device", {"CUDA_MODULE_LOADING": "EAGER"}, 0),
                  ("thread launch device", {}, 0)) if not chosen or "lazily" in chosen]
        jobs += [pool.submit(told, pauses, *expected) for expected in (
            ("long_timed_poll copy device", "acts: thread ", " (stalled) sleeps in ", "poll with a time limit. kernel waits: Group (0,0,0) thread (0,0,0) spins at "),
            ("long_work memset device", "the main thread ", " (stalled) runs. kernel waits: Group (0,0,0) thread (0,0,0) spins at ")) if not chosen or "pauses" in chosen]
        jobs += [pool.submit(told, of_opencl, *expected) for expected in OF_OPENCL.items() if not chosen or "opencl" in chosen]
        jobs += [pool.submit(told, repeats, case) for case in ("thread kernel device", "polling launch device") if not chosen or "repeats" in chosen]
        results = [job.result() for job in jobs]
    for expected in ("exits_meanwhile nothing device", 21, "hang", 1), ("ends_meanwhile nothing device", 22, "interrupted", 0):
        if not chosen or "ends" in chosen:
            results.append(told(ends, *expected))
    wrong = [text for text in results if text]
    print(*wrong, sep="\n")
    print(f"{len(results)} programs, {len(wrong)} wrong")
    return 1 if wrong else 0


sys.exit(main())
