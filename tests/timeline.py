#!/usr/bin/env python3
"""Timelines (docs/timeline.md): the form of each event, what slices sum up to, and what a window and a choice of cores leave.

    tests/timeline.py BUILD

Expectations: the Trace Event Format as the page describes it; the report's own numbers; a window's slices are those of the whole timeline,
cut by hand here."""
import json
import os
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
WAITS = {"barrier wait", "lock held", "lock wait"}


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
            assert event["cat"] in WAITS and event["name"] == f"{event['cat']}, warp {event['tid']}" and event["id"] not in open_spans, event
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
