#!/usr/bin/env python3
"""Timelines (docs/timeline.md): the form of each event, what slices sum up to, and what a window and a choice of cores leave.

    tests/timeline.py BUILD

Expectations: the Trace Event Format as the page describes it; the report's own numbers; a window's slices are those of the whole timeline,
cut by hand here."""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build/release")
LOCKSTEP = os.environ.get("LOCKSTEP", os.path.join(BUILD, "lockstep"))
LOCKS = ["kernel", "tests/kernel/lock/spin_safe.ptx", "--grid", "40", "--block", "64", "--arg", "buf:lock:s32:32:fill=-1", "--arg", "buf:count:u32:32:zero",
         "--arg", "u32:31"]
PLAIN = {"ph": str, "pid": int, "name": str}
ARGS, SPAN = {"args": dict}, {"cat": str, "id": int, "tid": int, "ts": int}
MORE = {"M": ARGS, "X": ARGS | {"tid": int, "ts": int, "dur": int}, "b": ARGS | SPAN, "e": SPAN}
WAITS = {"barrier wait", "lock held", "lock wait", "mbarrier wait"}
RING = ["kernel", "tests/kernel/mbarrier/show.ptx", "--kernel", "ring", "--gpu", "h200", "--block", "64", "--arg", "buf:in:u32:64:iota", "--arg",
        "buf:out:u32:32:zero"]
COUNTS = [*RING[:2], "--kernel", "counts", "--gpu", "h200", "--block", "32", *RING[-4:]]
HANGS = ["kernel", "tests/kernel/verdict/mbarrier_short.ptx", "--gpu", "v100", "--block", "64", "--arg", "buf:out:u32:1:zero"]
PAIRS = ["kernel", "tests/kernel/barrier/show.ptx", "--kernel", "pairs", "--gpu", "h200", "--grid", "2", "--cluster", "2", "--block", "96"]
FIRMWARE = ["kernel", "tests/kernel/firmware/looks.ptx", "--gpu", "apu-2014", "--dispatches", "answer", "--firmware", "look", "--arg", "buf:word:u32:32:zero"]
HALF = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry half()\n{\n\tbar.arrive 1, 64;\n\tnanosleep.u32 100;\n\tret;\n}\n"
PIPELINE = ["kernel", "tests/kernel/mbarrier/pipeline.ptx", "--kernel", "waiting", "--gpu", "v100", "--block", "128", "--arg", "buf:out:u32:128:zero"]


def run(folder, *words, merged=False):
    """The timeline's events and the report, as JSON; `merged`: and what it says of slices that were merged, and of spans that were left out."""
    trace, report = os.path.join(folder, "trace.json"), os.path.join(folder, "report.json")
    command, *rest = words
    subprocess.run([LOCKSTEP, command, "--trace", trace, "--report", "json", "--output", report, *rest], check=True, timeout=60, cwd=ROOT,
                   stdout=subprocess.DEVNULL)
    with open(trace, encoding="utf-8") as file:
        timeline = json.load(file)
    assert set(timeline) == {"displayTimeUnit", "traceEvents", "otherData"}, set(timeline)
    other = timeline["otherData"]
    told = [other.pop(name, None) for name in ("merged from cycle", "left out")]
    assert other == {"producer": "lockstep", "unit": "1 us is 1 core cycle"}, other
    assert merged or told == [None, 0], told
    with open(report, encoding="utf-8") as file:
        return timeline["traceEvents"], json.load(file), *([told] if merged else [])


def check_form(events):
    """Each event has the members of its kind, of their types, and no other; rows are named before they are used; spans end once."""
    named, open_spans = {}, {}
    for event in events:
        wanted = PLAIN | MORE[event["ph"]]
        if event["ph"] == "M" and event["name"] != "process_sort_index":
            wanted = wanted | {"tid": int}
            named[event["name"], event["pid"], event["tid"]] = event["args"]["name"]
        assert {key: type(value) for key, value in event.items()} == wanted, event
        if event["ph"] == "M":
            continue
        assert event["ts"] >= 0 and ("process_name", event["pid"], 0) in named, event
        if event["ph"] == "X":
            assert ("thread_name", event["pid"], event["tid"]) in named, event
        elif event["ph"] == "b":
            assert event["id"] not in open_spans, event
            if event["cat"] in ("mbarrier phase", "barrier phase"):
                assert event["name"] == re.match(event["cat"].split()[0] + r" [^,]+, work-group ", event["name"])[0] + str(event["args"]["work-group"]), event
            else:
                assert event["cat"] in WAITS and event["name"] == f"{event['cat']}, warp {event['tid']}", event
            open_spans[event["id"]] = event
        else:
            begin = open_spans.pop(event["id"])
            assert all(event[key] == begin[key] for key in ("pid", "tid", "cat", "name")) and event["ts"] > begin["ts"], (begin, event)
    assert not open_spans, open_spans
    return named


def check_names(events):
    """Each row gets its own name in Perfetto, whose importer of JSON (src/trace_processor/importers/json, process_tracker.cc) keeps rows by pid and tid, makes
    the row tid = pid with a process, and gives a name of a row to the newest one of that tid; an event without a tid is of the row tid = pid."""
    newest, processes, rows, names = {}, set(), set(), {}
    for event in events:
        pid, tid = event["pid"], event.get("tid", event["pid"])
        for row in ((pid, tid), (pid, pid)) if pid not in processes else ((pid, tid),):
            if row not in rows:
                rows.add(row)
                newest[row[1]] = row
        processes.add(pid)
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[newest[tid]] = event["args"]["name"]
    for event in events:
        if event["ph"] == "X":
            name = names[event["pid"], event["tid"]]
            assert name.startswith("stream ") if event["pid"] == 1000000 else name == f"scheduler {event['tid'] - 1}", (event, name)


def slices(events, cores=True):
    return [event for event in events if event["ph"] == "X" and (event["pid"] < 1000000) == cores]


def check_rows(events):
    """Slices of one row follow each other."""
    rows = {}
    for event in slices(events) + slices(events, cores=False):
        rows.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    for row, times in rows.items():
        times.sort()
        assert all(a[1] <= b[0] for a, b in zip(times, times[1:])), row


def check_launches(events, launches):
    """Each is there once, as the report has it; what was issued for it, and waited, lies in its time, and what was issued sums up to its instructions."""
    drawn = {event["args"]["launch"]: event for event in slices(events, cores=False)}
    assert sorted(drawn) == list(range(len(drawn))), sorted(drawn)  # as the report counts them
    assert len(drawn) == len(launches) == len(slices(events, cores=False)), (len(drawn), len(launches))
    issued = dict.fromkeys(drawn, 0)
    for event in slices(events):
        launch = drawn[event["args"]["launch"]]
        assert launch["ts"] <= event["ts"] and event["ts"] + event["dur"] <= launch["ts"] + launch["dur"], (launch, event)
        issued[event["args"]["launch"]] += event["args"]["instructions"]
    for event in events:
        if event["ph"] == "b":
            launch = drawn[event["args"]["launch"]]
            assert launch["ts"] <= event["ts"] < launch["ts"] + launch["dur"], (launch, event)
    told = sorted((e["name"], e["dur"], e["args"]["grid"], e["args"]["block"], e["args"]["outcome"], e["args"]["instructions"]) for e in drawn.values())
    assert told == sorted((l["kernel"], l["cycles"], ",".join(map(str, l["grid"])), ",".join(map(str, l["block"])), l["outcome"], l["warp_instructions"])
                          for l in launches), told
    assert all(issued[number] == event["args"]["instructions"] for number, event in drawn.items()), issued


def spans(events):
    begun = {event["id"]: event for event in events if event["ph"] == "b"}
    return [(begun[e["id"]]["cat"], e["pid"], e["tid"], begun[e["id"]]["ts"], e["ts"]) for e in events if e["ph"] == "e"]


def part(events, first, end, cores):
    """What a window and a choice of cores are to leave of a timeline's slices and spans."""
    all_ = [("issue", e["pid"], e["tid"], e["ts"], e["ts"] + e["dur"]) for e in slices(events)] + spans(events)
    cut = [(kind, core, row, max(start, first), min(stop, end)) for kind, core, row, start, stop in all_ if core in cores]
    return sorted(event for event in cut if event[3] < event[4])


def check_parts(folder, whole):
    everything = range(1000)
    for words, first, end, cores in ((["--trace-window", "2000:2500"], 2000, 2500, everything), (["--trace-window", "3000:"], 3000, 10**9, everything),
                                     (["--trace-window", ":900", "--trace-cores", "0,3-4"], 0, 900, {0, 3, 4})):
        events, report = run(folder, *LOCKS, *words)
        check_form(events)
        wanted = part(whole, first, end, cores)
        assert part(events, 0, 10**9, everything) == wanted and len(wanted) > 20, (words, len(wanted))
        assert len(slices(events, cores=False)) == len(report["launches"])


def check_merged(folder):
    """A long run: the file stays small, has the whole of it, and is exact up to a cycle; what is merged still sums up, and is no longer than is shown."""
    events, report, (since, left_out) = run(folder, *LOCKS, "--grid", "400", merged=True)
    assert os.path.getsize(os.path.join(folder, "trace.json")) < 15e6
    check_form(events)
    check_rows(events)
    check_launches(events, report["launches"])
    merged = [event for event in slices(events) if "slices" in event["args"]]
    assert since > 1000 and left_out > 0 and len(merged) > 100, (since, left_out, len(merged))
    assert all(event["ts"] >= since and event["args"]["slices"] > 1 for event in merged)
    assert any(event["name"].endswith(" warps") for event in merged)
    assert max(event["ts"] for event in slices(events)) > 0.9 * report["launches"][0]["cycles"]
    assert all(set(event["args"]) <= {"launch", "slices", "instructions", "work-group"} for event in merged)
    return len(events)


def phases(events, category="mbarrier phase"):
    """By row: the slices of each mbarrier, or barrier, as begin, end and details, in the order of time."""
    rows, begun = {}, {}
    for event in events:
        if event.get("cat") == category and event["ph"] == "b":
            begun[event["id"]] = event
        elif event.get("cat") == category:
            rows.setdefault((event["pid"], event["name"]), []).append((begun[event["id"]]["ts"], event["ts"], begun[event["id"]]["args"]))
    return {row: sorted(slices_, key=lambda s: s[0]) for row, slices_ in rows.items()}


def shown_phases(words):
    """What --show says of them: by object, initialisation and ends, and the first arrival or byte of each phase."""
    text = subprocess.run([LOCKSTEP, *words, "--show", "mbarrier", "--quiet"], check=True, timeout=60, cwd=ROOT, capture_output=True, text=True).stdout
    ends, firsts, ended = {}, {}, {}
    for cycle, line, name, told in re.findall(r"(?m)^ *(\d+)  warp \d+ +([^ ]+:\d+)  (.*?)  (.*)$", text):
        if told.startswith("initialised") or re.match(r"phase \d+ complete", told):
            ends.setdefault(name, []).append(int(cycle))
            ended.setdefault(name, []).append(line)
        elif re.match(r"\d+ arrivals? |\d+ bytes ", told) and len(firsts.setdefault(name, [])) < len(ends[name]):
            firsts[name].append(int(cycle))
    return ends, firsts, ended


def check_mbarriers(folder):
    """Each object has a row, and in it a slice from each end of a phase to the next, as --show has them; a wait within try_wait is a span."""
    for words in (RING, PIPELINE):
        events, report = run(folder, *words)
        check_form(events)
        ends, firsts, ended = shown_phases(words)
        rows = {name.removeprefix("mbarrier ").removesuffix(", work-group 0"): slices_ for (_, name), slices_ in phases(events).items()}
        assert rows.keys() == ends.keys() and len(rows) == 4, (rows.keys(), ends)
        for name, slices_ in rows.items():
            assert [(start, end) for start, end, _ in slices_] == list(zip(ends[name], ends[name][1:])), (name, slices_, ends[name])
            for number, (start, _, args) in enumerate(slices_):
                assert args["phase"] == number and args["idle"] == firsts[name][number] - start, (name, args)
                assert args["last"].startswith(ended[name][number + 1] + ": "), (name, args)
                copied = words is RING and name.startswith("full")
                assert (args["ended by"], args["bytes"]) == (("bytes", 128) if copied else ("an arrival", 0)), (name, args)
                assert args["arrivals"] == (1 if copied else 32 if name.startswith("full") or words is RING else 96), (name, args)
        assert all(run(folder, *words, "--grid", "4", "--threads", str(n))[0] == run(folder, *words, "--grid", "4")[0] for n in (2, 3)), words
        waited = sum(end - start for kind, _, _, start, end in spans(events) if kind == "mbarrier wait")
        assert waited == report["launches"][0]["counters"]["sync__mbarrier_wait_cycles.sum"] > 0, waited


def shown_barriers(words, group):
    """What --show says of a group's barriers: by name, the lines of arrivals and the ends of phases."""
    text = subprocess.run([LOCKSTEP, *words, "--show", f"barrier:{group}", "--quiet"], check=True, timeout=60, cwd=ROOT, capture_output=True, text=True).stdout
    firsts, ends, comes = {}, {}, {}
    for cycle, who, line, name, told in re.findall(r"(?m)^ *(\d+)  (warp \d+|-) +([^ ]+:\d+|-)  (barrier \w+(?: the cluster)?)  (.*)$", text):
        if "phase" in told and "complete" in told:
            ends.setdefault(name, []).append((int(cycle), line))
        elif " arrive" in told:
            comes.setdefault(name, []).append((line, int(told.split()[0])))
            if len(firsts.setdefault(name, [])) <= len(ends.get(name, [])):
                firsts[name].append(int(cycle))
    return firsts, ends, comes


def check_barriers(folder):
    """Each barrier of each group has a row, and in it a slice from each end of a phase to the next, as --show has them, with as many threads as came."""
    events, _ = run(folder, *PAIRS)
    check_form(events)
    rows = phases(events, "barrier phase")
    names = ["barrier 0", "barrier 1", "barrier 15", "barrier of the cluster"]
    assert sorted(name for _, name in rows) == sorted(f"{name}, work-group {group}" for name in names for group in (0, 1)), rows.keys()
    for group in (0, 1):
        firsts, ends, comes = shown_barriers(PAIRS, group)
        for name in names:
            slices_ = next(s for (_, row), s in rows.items() if row == f"{name}, work-group {group}")
            assert [end for _, end, _ in slices_] == [cycle for cycle, _ in ends[name]] and len(slices_) == (2 if name[8:9] == "1" else 1), (name, slices_, ends)
            assert all(a[1] == b[0] for a, b in zip(slices_, slices_[1:])), slices_
            for number, (start, _, args) in enumerate(slices_):
                assert args["phase"] == number and args["idle"] == firsts[name][number] - start and "bytes" not in args, (name, args)
            assert sum(args["threads"] for _, _, args in slices_) == sum(threads for _, threads in comes[name]), (name, slices_)
            assert slices_[-1][2]["last"].startswith(comes[name][-1][0] + ": "), (name, slices_, comes)
            by = {"barrier 0": "the exit of threads", "barrier of the cluster": "arrivals or exits in all work-groups of the cluster"}
            assert all(args["ended by"] == by.get(name, "an arrival") for _, _, args in slices_), (name, slices_)
    events, _, (since, _) = run(folder, *PAIRS, "--grid", "2000", merged=True)
    all_ = [args for row in phases(events, "barrier phase").values() for _, _, args in row]
    assert since and sum(args.get("phases", 1) for args in all_) == 2000 * 6 and any("phases" in args for args in all_), len(all_)
    assert sum(args["threads"] for args in all_) == 2000 * (2 * 96 + 2 * 96 + 96 + 32), len(all_)


def check_long_pipeline(folder):
    """Where it becomes coarse no phase is lost: slices of several say how many they are."""
    events, report, (since, _) = run(folder, *PIPELINE, "--grid", "500", merged=True)
    check_form(events)
    all_ = [s for row in phases(events).values() for s in row]
    merged = [args for _, _, args in all_ if "phases" in args]
    counters = report["launches"][0]["counters"]
    assert sum(args.get("phases", 1) for _, _, args in all_) == counters["sync__mbarrier_phases.sum"] > len(all_), (len(all_), len(merged))
    assert sum(args["arrivals"] for _, _, args in all_) == counters["sync__mbarrier_arrivals.sum"]
    assert since > 0 and len(merged) > 100 and all(args["phases"] > 1 for args in merged)
    for row in phases(events).values():
        assert all(a[1] == b[0] for a, b in zip(row, row[1:])), row
        count = 0
        for _, _, args in row:
            assert args.get("first phase", args.get("phase")) == count, args
            count += args.get("phases", 1)


def check_both(folder):
    """Where it is coarse, too, barrier 0 and the mbarrier at offset 0 are two."""
    events, report, _ = run(folder, *RING, "--grid", "3000", merged=True)
    both = [sum(args.get("phases", 1) for row in phases(events, kind).values() for _, _, args in row) for kind in ("mbarrier phase", "barrier phase")]
    assert both == [report["launches"][0]["counters"]["sync__mbarrier_phases.sum"], 3000], both


def check_counts(folder):
    """An arrival counts as often as it says, and an object that is initialised again begins with phase 0."""
    events, _ = run(folder, *COUNTS)
    rows = phases(events)
    told = [(args["phase"], args["arrivals"], args["bytes"]) for _, _, args in next(iter(rows.values()))]
    assert len(rows) == 1 and told == [(0, 3, 16), (0, 64, 0)], told


def check_open_phase(folder):
    """A phase that nobody completes (the kernel says: the one of round 20, with 32 of 64) ends with all that runs, and says so."""
    trace = os.path.join(folder, "trace.json")
    subprocess.run([LOCKSTEP, *HANGS, "--trace", trace], check=False, timeout=60, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    check_form(events)
    rows = phases(events)
    told = [(args["phase"], args["arrivals"], args["ended by"]) for _, _, args in next(iter(rows.values()))]
    assert len(rows) == 1 and told == [(k, 64, "an arrival") for k in range(20)] + [(20, 32, "nothing: it is open")], told
    # Of the 64 threads that barrier 1 waits for, 32 come and no others: its phase is open; of the group that ends nothing is left to come.
    path = os.path.join(folder, "half.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HALF)
    events, _ = run(folder, "kernel", path, "--gpu", "h200", "--block", "32")
    told = [(name, args["phase"], args["threads"], args["ended by"]) for (_, name), row in phases(events, "barrier phase").items() for _, _, args in row]
    assert told == [("barrier 1, work-group 0", 0, 32, "nothing: it is open")], told


def check_firmware(folder):
    """An instruction is one of the kernel that the work-group runs, not the one at its place in the firmware that dispatched it."""
    with open(os.path.join(ROOT, FIRMWARE[1]), encoding="utf-8") as file:
        lines = [line.rstrip() for line in file]
    events, _ = run(folder, *FIRMWARE)
    for event in slices(events):
        line, text = re.fullmatch(r"looks.ptx:(\d+): (.*)", event["args"]["from"]).groups()
        assert int(line) <= lines.index(".visible .entry look(.param .u64 word)") and text.split()[0] in lines[int(line) - 1], event


def main():
    with tempfile.TemporaryDirectory() as folder:
        whole, report = run(folder, *LOCKS)
        named = check_form(whole)
        assert named["thread_name", 1000000, 1] == "stream 0" and named["process_name", 1000000, 0] == "launches"
        check_rows(whole)
        check_names(whole)
        check_launches(whole, report["launches"])
        assert {kind for kind, *_ in spans(whole)} == {"lock held", "lock wait"}
        assert all(event["args"]["from"].startswith("spin_safe.ptx:") for event in slices(whole))
        check_parts(folder, whole)
        long = check_merged(folder)
        check_mbarriers(folder)
        check_barriers(folder)
        check_long_pipeline(folder)
        check_both(folder)
        check_counts(folder)
        check_open_phase(folder)
        check_firmware(folder)
        events, report = run(folder, "run", "--gpu", "gtx480", os.path.join(BUILD, "host/cuda/streams"))
        named = check_form(events)
        check_rows(events)
        check_names(events)
        check_launches(events, report["launches"])
        streams = {name.removesuffix(", beside") for (what, process, _), name in named.items() if (what, process) == ("thread_name", 1000000)}
        assert streams == {f"stream {stream['stream']}" for stream in report["streams"]} and len(streams) > 2, streams
    print(f"{len(whole)} and {long} events of a lock, {len(events)} of {len(streams)} streams")
    return 0


if __name__ == "__main__":
    sys.exit(main())
