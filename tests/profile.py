#!/usr/bin/env python3
"""Profiles (docs/profile.md): what --profile attributes to instructions sums up to the launch's counters, whatever the kernel; a
profile changes nothing, and does not depend on the number of threads; and the forms that other programs read are what those ask for.

    tests/profile.py [--all] [KERNEL-PATTERN...]    kernels of tests/kernel; without any: those of KERNELS, then the forms

Without --all and patterns, of MANY every third kernel, and of the launches of a kernel after the first every second.

Expectations: the definitions of the counters (docs/report.md), valgrind's own callgrind_annotate, and speedscope's schema,
https://www.speedscope.app/file-format-schema.json, whose required members are written down below."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import run_kernels

LOCKSTEP = os.environ.get("LOCKSTEP", os.path.join(os.path.dirname(__file__), "..", "build", "release", "lockstep"))
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
KERNELS = ["atomic/*", "barrier/*", "call/*", "cluster/*", "control/*", "copy/*", "counter/*", "fence/*", "lock/hash_table", "lock/instruction", "lock/semaphore",
           "lock/try", "lock/nested", "lock_bits/*", "matrix/*", "mbarrier/*", "memory/*", "setmaxnreg/*", "texture/*", "warp/*", "verdict/*"]
MANY = "verdict/"
# Two schedulers and a stack; sub-cores and paths of their own; two instructions a cycle; 64 lanes.
GPUS = ["gtx480", "v100", "gtx980", "radeon-r9"]
STALL = "smsp__issue_stalled_"
failures = []


def expect(what, truth):
    if not truth:
        failures.append(what)


def run(command):
    """The report, or None when there is none."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return (json.loads(done.stdout) if done.stdout.startswith("{") else None), done


def sums(items):
    """Of lines or instructions: issued, lanes, and each counter they have."""
    total = {"issued": 0, "lanes": 0}
    for item in items:
        total["issued"] += item["issued"]
        total["lanes"] += item["lanes"]
        parts = list(item["counters"].items()) + [(f"{STALL}{reason}.sum", cycles) for reason, cycles in item["stalls"].items()]
        for name, value in parts:
            total[name] = total.get(name, 0) + value
    return total


def check_sums(name, launch, columns):
    """Every column that any profile has, also where this one has nothing of it."""
    lines = launch["lines"]
    total, counters = sums(lines), launch["counters"]
    expect(f"{name}: lines and their instructions differ", total == sums(i for line in lines for i in line["instructions"]))
    expect(f"{name}: issued {total['issued']}, counted {launch['warp_instructions']}", total["issued"] == launch["warp_instructions"])
    expect(f"{name}: lanes {total['lanes']}, counted {launch['thread_instructions']}", total["lanes"] == launch["thread_instructions"])
    for column in columns:
        if column.startswith("lts__") and launch["outcome"] != "completed":
            # What the L2 did is told by its replies, some of which were still under way.
            expect(f"{name}: {column} {total.get(column, 0)}, counted {counters[column]}", total.get(column, 0) <= counters[column])
            continue
        expect(f"{name}: {column} {total.get(column, 0)}, counted {counters[column]}", total.get(column, 0) == counters[column])
    expect(f"{name}: the stalls are not all", sum(v for k, v in counters.items() if k.startswith(STALL)) ==
           sum(v for k, v in total.items() if k.startswith(STALL)) + counters[f"{STALL}no_warp.sum"])


def failed_attempts(counters):
    return counters["sync__lock_fail_same_warp.sum"] + counters["sync__lock_fail_other_warp.sum"]


def check_locks(name, launch):
    """The counters have the same, and those of lock bits (docs/lock-bits.md), which are no rows."""
    locks, counters = launch["locks"], launch["counters"]
    expect(f"{name}: more taken than counted", sum(l["acquires"] for l in locks) <= counters["sync__lock_acquire_success.sum"])
    expect(f"{name}: more failed than counted", sum(l["failed"] for l in locks) <= failed_attempts(counters))
    for lock in locks:
        where = f"{name}: {lock['address']}"
        expect(f"{where}: its sites", all(lock[k] == sum(s[k] for s in lock["sites"]) for k in ("acquires", "failed")))
        handovers, first = lock["from_same_warp"] + lock["from_same_core"] + lock["from_other_core"], lock.get("groups", 1)
        expect(f"{where}: handovers", max(lock["acquires"] - first, 0) <= handovers <= max(lock["acquires"] - 1, 0))
        expect(f"{where}: a group's lock went to another core", "groups" not in lock or not lock["from_other_core"])
        expect(f"{where}: a queue without failing, or none", bool(lock["failed"]) == bool(lock["longest_queue"]) and lock["longest_queue"] <= lock["failed"])
        # No more wait at any time, in all of the launch, in each of the groups.
        expect(f"{where}: waited more than the queue could", not launch["cycles"] or lock["waited"] <= lock["longest_queue"] * launch["cycles"] * first)
        expect(f"{where}: the worst waiter", lock.get("worst", {"waited": 0})["waited"] <= lock["waited"])
        expect(f"{where}: waited without failing", lock["failed"] or not lock["waited"])
    expect(f"{name}: locks are not in order", [l["waited"] for l in locks] == sorted((l["waited"] for l in locks), reverse=True))


def check_waits(name, launch):
    """At barriers and in fences, to the last cycle that the counters have."""
    counters = launch["counters"]
    for key, counter in (("barriers", "sync__barrier_wait_cycles.sum"), ("fences", "sync__fence_wait_cycles.sum")):
        waited = sum(w["waited"] for w in launch[key] if "words" not in w)  # those are no barriers of work-groups
        expect(f"{name}: {key} waited {waited}, counted {counters[counter]}", waited == counters[counter])
        for wait in launch[key]:
            expect(f"{name}: {key}: the worst waiter", wait.get("worst", {"waited": 0})["waited"] <= wait["waited"])
    for barrier in launch["barriers"]:
        expect(f"{name}: waited without a wait", "words" in barrier or barrier.get("waits", 0) or not barrier["waited"])
        expect(f"{name}: last more often than it opened", barrier.get("last", {"times": 0})["times"] <= barrier["phases"])
    for fence in launch["fences"]:
        expect(f"{name}: awaited", sum(fence["awaited"].values()) == fence["waited"])
        expect(f"{name}: missed more than was awaited", fence["missed_l2"] <= fence["awaited"]["stores"] + fence["awaited"]["loads"] + fence["awaited"]["others"])
        expect(f"{name}: emptied more often than fenced", fence["emptied_l1"] <= fence["count"])
    expect(f"{name}: fences", sum(f["count"] for f in launch["fences"]) <= counters["sync__fences.sum"])


def check_mbarriers(name, launch):
    """The counters have the same phases, arrivals and cycles of try_wait: none is counted twice, none is missing.  Arrivals of open phases are not in."""
    sites, counters = launch.get("mbarriers", []), launch["counters"]
    waits = [wait for site in sites for wait in site["waits"]]
    expect(f"{name}: phases {sum(s['phases'] for s in sites)}, counted {counters['sync__mbarrier_phases.sum']}",
           sum(s["phases"] for s in sites) == counters["sync__mbarrier_phases.sum"])
    expect(f"{name}: arrivals", sum(s["arrivals"] for s in sites) <= counters["sync__mbarrier_arrivals.sum"])
    suspended = sum(w["suspended"] for w in waits)
    expect(f"{name}: suspended {suspended}, counted {counters['sync__mbarrier_wait_cycles.sum']}", suspended == counters["sync__mbarrier_wait_cycles.sum"])
    for site in sites:
        expect(f"{name}: more phases were seen, or were not, than ended", site["seen"] <= site["phases"] and site["unseen"] <= site["phases"])
        expect(f"{name}: phases of more than all the time", site["idle"] + site["filling"] <= site["objects"] * launch["cycles"] or not launch["cycles"])
    for wait in waits:
        expect(f"{name}: {wait}", wait["waits"] <= wait["passed"] and wait["suspended"] <= wait["waited"] and
               wait.get("worst", {"waited": 0})["waited"] <= wait["waited"])
        expect(f"{name}: waited without cause", wait["waited"] == 0 or wait["waits"] or wait["failed"])


BEGINS = 5000  # cycle in which the first groups are there: launch.latency of the H200
SHOWN = re.compile(r"(?m)^ *(\d+)  (another work-group|warp \d+) +[^ ]+:(\d+)  (.*?)  (.*)$")


def check_against_shown(kernel, options, variable):
    """What the profile has of the objects of a work-group is what the lines of --show say, added up here."""
    words = [LOCKSTEP, "kernel", os.path.join(ROOT, "tests/kernel/mbarrier", kernel), *options]
    shown = subprocess.run([*words, "--show", "mbarrier", "--quiet"], capture_output=True, text=True, check=True).stdout
    report, _ = run([*words, "--profile", "--report", "json"])
    lines = [(int(cycle), who, int(line), told) for cycle, who, line, name, told in SHOWN.findall(shown) if name == variable]
    idle = filling = ready = phases = seen = start = first = waited = 0
    for cycle, _, line, told in lines:
        if told.startswith("initialised"):
            start, site = cycle, line
        elif re.match(r"\d+ arrivals? |\d+ bytes ", told) and not first:
            first, idle = cycle, idle + cycle - start
        elif re.match(r"phase \d+ complete", told):
            filling, start, first, phases, was_seen = filling + cycle - first, cycle, 0, phases + 1, False
        elif phases and "complete" in told and "not complete" not in told and not was_seen:
            was_seen, seen, ready = True, seen + 1, ready + cycle - start
        waited += int(re.search(r"found complete after (\d+)", told).group(1)) if "found complete" in told else 0
    site = next(s for s in report["launches"][0]["mbarriers"] if s["line"] == site)
    told = {"idle": idle, "filling": filling, "ready": ready, "phases": phases, "seen": seen, "unseen": 0, "objects": 1}
    expect(f"{kernel}, {variable}: {told} shown, {site}", phases > 1 and {key: site[key] for key in told} == told)
    expect(f"{kernel}, {variable}: waited {waited}", sum(w["waited"] for w in site["waits"]) == waited > 0)


def check_shown_mbarriers():
    ring = ["--kernel", "ring", "--gpu", "h200", "--block", "64", "--arg", "buf:in:u32:64:iota", "--arg", "buf:out:u32:32:zero"]
    check_against_shown("show.ptx", ring, "full")
    check_against_shown("show.ptx", ring, "empty")
    for kernel in ("waiting", "polling"):
        check_against_shown("pipeline.ptx", ["--kernel", kernel, "--gpu", "v100", "--block", "128", "--arg", "buf:out:u32:128:zero"], "full")
    words = [LOCKSTEP, "kernel", os.path.join(ROOT, "tests/kernel/mbarrier/show.ptx"), *ring, "--profile"]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    expect(f"show.ptx: the text has no such rows: {text}", re.search(
        r"(?m)^ +1 +2 +2 +256 +\d+ +\d+ +\d+ +0  show.ptx:24  shared memory \+ 0x0 \('full' \+ 0x0\)\n"
        r" +2 of 2 waits found it open: \d+ warp cycles, \d+ each, \d+ looks in vain, at show.ptx:56  mbarrier.test_wait.*\n"
        r" +group 0,0,0 warp of thread 32,0,0 waited longest, \d+ cycles$", text))


def check_shown_barriers():
    """What the profile has of the phases of barriers is what the lines of --show say of both groups, added up here, by the line of the last arrival."""
    words = [LOCKSTEP, "kernel", os.path.join(ROOT, "tests/kernel/barrier/show.ptx"), "--kernel", "pairs", "--gpu", "h200", "--grid", "2", "--cluster", "2",
             "--block", "96"]
    told, start = {}, {}
    for group in (0, 1):
        shown = subprocess.run([*words, "--show", f"barrier:{group}", "--quiet"], capture_output=True, text=True, check=True).stdout
        first, last = {}, {}
        for cycle, line, name, text in re.findall(r"(?m)^ *(\d+)  (?:warp \d+|-) +(?:[^ ]+:(\d+)|-)  (barrier \w+(?: the cluster)?)  (.*)$", shown):
            if " arrive" in text:
                first.setdefault(name, int(cycle))
                last[name] = int(line)
            elif "phase" in text and "complete" in text:
                at = told.setdefault(last[name] + ("cluster" in name), {"phases": 0, "idle": 0, "filling": 0})
                at["phases"] += 1
                at["idle"] += first[name] - start.get((group, name), BEGINS)
                at["filling"] += int(cycle) - first.pop(name)
                start[group, name] = int(cycle)
    report, _ = run([*words, "--profile", "--report", "json"])
    barriers = {b["line"]: {key: b[key] for key in ("phases", "idle", "filling")} for b in report["launches"][0]["barriers"] if b["phases"]}
    expect(f"barriers: {told} shown, {barriers}", barriers == told and len(told) == 4)
    text = subprocess.run([*words, "--profile"], capture_output=True, text=True, check=True).stdout
    b = barriers[21]
    expect(f"show.ptx: the text has no such row: {text}", re.search(
        rf"(?m)^ +4 +0 +0 +{b['idle'] / 4:.0f} +{b['filling'] / 4:.0f}   warp 2 +4  show.ptx:21  bar.arrive 1, 96$", text))


# Two groups of two warps.  Warp 1 sleeps before each of 31 phases, 1,000 ns, which are 700 cycles at the GTX 480's 700 MHz, and so comes last;
# warp 0 waits so long.  Then warp 0 has one request under way at each of three fences.
WAITS = """.version 6.0
.target sm_70
.address_size 64
.visible .entry tail(.param .u64 data)
{
    .reg .pred %p<3>;
    .reg .u32 %r<4>;
    .reg .u64 %rd;
    ld.param.u64 %rd, [data];
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    mov.u32 %r2, 0;
NEXT:
    @%p1 bra EARLY;
    nanosleep.u32 1000;
EARLY:
    bar.sync 0;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 31;
    @%p2 bra NEXT;
    @!%p1 bra OUT;
    st.global.u32 [%rd], %r2;
    membar.gl;
    red.global.add.u32 [%rd], 1;
    membar.gl;
    ld.global.cv.u32 %r3, [%rd];
    membar.sys;
OUT:
    ret;
}
"""


# The guard of the second add has its predicate 13 cycles after the compare on a100, and its operand 4 after the first add.
GUARDED = """.version 7.0
.target sm_70
.address_size 64
.visible .entry guarded(.param .u64 data)
{
    .reg .pred %p;
    .reg .u32 %a, %b, %c;
    .reg .u64 %rd;
    ld.param.u64 %rd, [data];
    mov.u32 %a, %tid.x;
    mov.u32 %b, 3;
    setp.ne.u32 %p, %a, %b;
    add.u32 %c, %b, %b;
    @%p add.u32 %c, %c, %b;
    st.global.u32 [%rd], %c;
    ret;
}
"""


def check_guard(folder):
    """The wait for a guard is that for the compare, not for an operand that is there before, though the ALU could have it later."""
    path = os.path.join(folder, "guarded.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(GUARDED)
    report, _ = run([LOCKSTEP, "kernel", path, "--gpu", "a100", "--block", "1", "--arg", "buf:data:u32:1:zero", "--profile", "--report", "json"])
    waits = {line["instructions"][0]["text"].split(".")[0]: line["stalls"].get("wait", 0) for line in report["launches"][0]["lines"]}
    expect(f"guarded.ptx: {waits}", waits["setp"] > 5 > waits["add"])


# Two groups of one warp meet 15 times at a word: each adds one, then polls until both have. Group 1 sleeps 700 cycles, as above, before it adds, and
# so comes last; the other's poll sees it once the atomic is through.
MEETS = """.version 6.0
.target sm_70
.address_size 64
.visible .entry meet(.param .u64 data)
{
    .reg .pred %p<3>;
    .reg .u32 %r<6>;
    .reg .u64 %rd;
    ld.param.u64 %rd, [data];
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    mov.u32 %r2, 0;
NEXT:
    add.u32 %r2, %r2, 2;
    @%p1 bra EARLY;
    nanosleep.u32 1000;
EARLY:
    red.global.add.u32 [%rd], 1;
POLL:
    ld.volatile.global.u32 %r3, [%rd];
    setp.lt.u32 %p2, %r3, %r2;
    @%p2 bra POLL;
    setp.lt.u32 %p2, %r2, 30;
    @%p2 bra NEXT;
    ret;
}
"""


def check_meeting(folder):
    path = os.path.join(folder, "meet.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(MEETS)
    command = [LOCKSTEP, "kernel", path, "--grid", "2", "--block", "1", "--arg", "buf:data:u32:1:zero", "--profile"]
    launch = run(command + ["--report", "json"])[0]["launches"][0]
    expect(f"meet: {launch['barriers']}", len(launch["barriers"]) == 1)
    for barrier in launch["barriers"]:
        expect("meet: the line", MEETS.split("\n")[barrier["line"] - 1].strip() == "ld.volatile.global.u32 %r3, [%rd];")
        expect(f"meet: {barrier}", barrier["words"] == 1 and barrier["phases"] == 15 and barrier["last"] == {"group": [1, 0, 0], "warp": 0, "times": 15})
        # A wait begins with the end of the first poll in vain and ends with that of a later poll, so it may be a poll, less than 350 cycles, shorter
        # than the sleep, or longer. Group 1 polls in vain until its own atomic is through.
        expect(f"meet: waited {barrier['waited']}", 15 * 350 <= barrier["waited"] < 15 * 1400)
        expect(f"meet: worst {barrier['worst']}", barrier["worst"]["group"] == [0, 0, 0] and 350 <= barrier["worst"]["waited"] < 1400)
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    expect("meet: the text has no such row", re.search(r"^ +15 +[\d,]+ +\d+ +warp 0 +15  meet.ptx:\d+  ld.volatile.*, polled; last: of group 1,0,0$", text, re.M))


# 40 instructions in a row, one behind the other; a fetch does not cross a boundary of 16, and the first from each 16 takes fetch.miss more cycles
# (docs/timing.md).
ROW = (".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry row(.param .u64 data)\n{\n    .reg .u32 %r<41>;\n    .reg .u64 %rd;\n"
       "    ld.param.u64 %rd, [data];\n" + "".join(f"    mov.u32 %r{k}, {k};\n" for k in range(1, 39)) + "    ret;\n}\n")


def check_fetches(folder):
    """What is not there yet waits itself, and not the instruction before it."""
    path = os.path.join(folder, "row.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(ROW)
    launch = run([LOCKSTEP, "kernel", path, "--block", "32", "--arg", "buf:data:u32:1:zero", "--profile", "--report", "json", "--gpu", "gtx480"])[0]["launches"][0]
    with open(os.path.join(ROOT, "gpus", "gtx480.cfg"), encoding="utf-8") as file:
        miss = int(re.search(r"^fetch: \{.*?\n\tmiss = \((\d+),", file.read(), re.M | re.S)[1])
    first = ROW.split("\n").index("    ld.param.u64 %rd, [data];") + 1
    waited = {line["line"] - first: line["instructions"][0]["stalls"].get("no_inst", 0) for line in launch["lines"]}
    expect(f"row: {len(waited)} lines", sorted(waited) == list(range(40)))
    expect(f"row: fetches {waited}", all((waited[k] >= miss // 2) == (k % 16 == 0) for k in waited))


def check_known_waits(folder):
    path = os.path.join(folder, "tail.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(WAITS)
    command = [LOCKSTEP, "kernel", path, "--grid", "2", "--block", "64", "--arg", "buf:data:u32:1:zero", "--profile"]
    launch = run(command + ["--report", "json"])[0]["launches"][0]
    check_waits("tail", launch)
    barrier, fences = launch["barriers"][0], launch["fences"]
    expect(f"tail: {len(launch['barriers'])} barriers", len(launch["barriers"]) == 1 and barrier["text"].startswith("bar.sync"))
    expect(f"tail: the line, {barrier['line']}", WAITS.split("\n")[barrier["line"] - 1].strip() == "bar.sync 0;")
    expect(f"tail: phases {barrier['phases']}", barrier["phases"] == 2 * 31)
    expect(f"tail: last {barrier['last']}", barrier["last"] == {"warp": 1, "times": 2 * 31})
    expect(f"tail: waits {barrier['waits']}", barrier["waits"] == 2 * 31)  # warp 0 of each group; warp 1 comes last
    expect(f"tail: waited {barrier['waited']}", 2 * 31 * 700 <= barrier["waited"] < 2 * 31 * 710)
    expect(f"tail: worst {barrier['worst']}", barrier["worst"]["thread"] == [0, 0, 0] and 700 <= barrier["worst"]["waited"] < 710)
    expect(f"tail: fences {fences}", [f["count"] for f in fences] == [2, 2, 2])
    for fence, what in zip(fences, ("stores", "atomics", "loads")):
        expect(f"tail: {fence} awaited not {what}", fence["waited"] and fence["awaited"][what] == fence["waited"])
    # `.gl` is the GPU, `.sys` all (PTX ISA, membar). gtx480.cfg has fence.latency for both; a fence that orders more than the group empties the L1
    # (docs/coherence.md). The word is in the L2 once the store is through: the load, past the L1, finds it there.
    expect("tail: scopes", [f["scope"] for f in fences] == ["gpu", "gpu", "sys"])
    with open(os.path.join(ROOT, "gpus", "gtx480.cfg"), encoding="utf-8") as file:
        latency = int(re.search(r"^fence: \{\s*latency = \((\d+),", file.read(), re.M)[1])
    expect(f"tail: fixed {[f['fixed'] for f in fences]}", all(f["fixed"] == 2 * latency for f in fences))
    expect("tail: the load missed", fences[2]["missed_l2"] == 0)
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    expect("tail: the text has no such row", re.search(rf"^ +62 +{barrier['waited']:,} +70\d +\d+ +70\d +warp 1 +62  tail.ptx:{barrier['line']}  bar.sync 0", text, re.M))
    expect("tail: the text has no such fence", re.search(r"^ +2 +[\d,]+ +\d+ +\d+ +0% +100% +0% +0% +0% +\d  gpu      tail.ptx:\d+  membar.gl", text, re.M))


def check_buckets(mode):
    """Every key is put into its bucket under the bucket's lock, which one lane has at a time: how often each lock is taken is known."""
    report, _ = run([LOCKSTEP, "kernel", *HASH, "--profile", "--dump", "keys", "--report", "json", "--mode", mode])
    if not report:
        return
    launch, buckets = report["launches"][0], [0] * 64
    for key in report["buffers"]["keys"]:
        buckets[(key * 2654435769 & 0xFFFFFFFF) >> 12 & 63] += 1
    taken = {}
    for lock in launch["locks"]:
        taken[int(re.search(r"\(buf 'locks' \+ (0x[0-9a-f]+)\)$", lock["address"])[1], 16) // 4] = lock["acquires"]
        if mode == "timing":
            expect(f"{lock['address']}: held longer than the launch took", lock["held"] <= launch["cycles"])
    expect(f"{mode}: locks taken {taken}, keys {buckets}", taken == {b: n for b, n in enumerate(buckets) if n})
    expect(f"{mode}: failed attempts", sum(l["failed"] for l in launch["locks"]) == failed_attempts(launch["counters"]))


def check_shared_lock():
    """A lock in shared memory that each of 96 threads of 4 groups takes once: one has it, and the others, which have all tried before it gives it
    back, wait.  On v100 a failed compare-and-swap is the loop's own."""
    kernel = os.path.join(run_kernels.KERNELS, "lock", "shared_lock.ptx")
    for options in ["--gpu", "gtx480"], ["--gpu", "v100"], ["--gpu", "gtx480", "--mode", "functional"]:
        report, _ = run([LOCKSTEP, "kernel", kernel, "--grid", "4", "--block", "96", "--arg", "buf:count:u32:4:zero", "--profile", "--report", "json", *options])
        locks = report["launches"][0]["locks"]
        expect(f"shared lock: {locks}", len(locks) == 1 and locks[0]["address"] == "shared memory + 0x0 ('lock' + 0x0)")
        lock, counters = locks[0], report["launches"][0]["counters"]
        expect(f"shared lock: {lock}", (lock["groups"], lock["acquires"], lock["from_same_warp"] + lock["from_same_core"], lock["from_other_core"]) == (4, 384, 380, 0))
        expect(f"shared lock: failed {lock['failed']}", lock["failed"] == failed_attempts(counters))
        expect(f"shared lock: queue {lock['longest_queue']}", lock["longest_queue"] == 95 or "functional" in options and 31 <= lock["longest_queue"] <= 95)
    text = subprocess.run([LOCKSTEP, "kernel", kernel, "--grid", "4", "--block", "96", "--arg", "buf:count:u32:4:zero", "--profile"], capture_output=True, text=True, check=True).stdout
    expect("shared lock: the text has no such row", re.search(r"(?m)^ +384 +[\d,]+ +95 .*  shared memory \+ 0x0 \('lock' \+ 0x0\), of 4 groups$", text))


def profiled():
    """The counters that profile.def attributes, by the names of the counters' tables."""
    names = {}
    for part in ("machine/state", "memory"):
        with open(os.path.join(ROOT, "src", part, "counters.def"), encoding="utf-8") as file:
            names[part] = dict(re.findall(r'^COUNTER\((\w+), "([^"]+)"', file.read(), re.M))
    with open(os.path.join(ROOT, "src/machine/observe/profile.def"), encoding="utf-8") as file:
        rows = re.findall(r"^PROFILED\((\w+), (\w+)\)", file.read(), re.M)
    return [names["memory" if how == "L2" else "machine/state"][field] for how, field in rows]


def without_profile(report):
    for launch in report["launches"]:
        for key in ("lines", "locks", "barriers", "fences", "mbarriers"):
            launch.pop(key, None)
        launch["wall_seconds"] = 0
    report.pop("sources", None)  # of the files whose lines are named
    return report


def check_launch(name, test, launch, options, columns):
    plain, _ = run(test.command(launch, options))
    if not plain or not plain["launches"]:
        return
    report, done = run(test.command(launch, options + ["--profile", "--threads", "3"]))
    expect(f"{name}: no report: {done.stderr}", report)
    if not report:
        return
    for one in report["launches"]:
        check_sums(name, one, columns)
        check_locks(name, one)
        check_waits(name, one)
        check_mbarriers(name, one)
    if plain["launches"][0]["cycles"] and "v100" in options:
        other, _ = run(test.command(launch, options + ["--profile"]))
        tables = [[[launch.get(key) for key in ("lines", "locks", "barriers", "fences", "mbarriers")] for launch in r["launches"]] for r in (report, other)]
        expect(f"{name}: depends on the threads", tables[0] == tables[1])
    expect(f"{name}: a profile changes the result", without_profile(report) == without_profile(plain))


def check_kernel(path, number, columns, every):
    """In timing mode; some in functional mode, too, where there is less to attribute."""
    test = run_kernels.Test(path)
    for place, launch in enumerate(test.launches):
        if place and (place + number) % 2 and not every:
            continue
        gpu = [] if launch.fixes("--gpu") else ["--gpu", GPUS[number % len(GPUS)]]
        for mode in ["timing", "functional"] if number % 4 == 0 and not launch.fixes("--mode") else ["timing"]:
            options = gpu + ([] if launch.fixes("--mode") else ["--mode", mode])
            check_launch(f"{os.path.relpath(path, run_kernels.KERNELS)} {launch.name} {' '.join(options)}", test, launch, options, columns)


HASH = [os.path.join(ROOT, "workloads", "hashtable.cu"), "--grid", "20", "--block", "128", "--arg", "buf:keys:u32:5120:random=12345", "--arg",
        "s32:5120", "--arg", "buf:locks:u32:64:zero", "--arg", "buf:heads:s32:64:fill=-1", "--arg", "buf:pool:u32:10240:zero", "--arg", "u32:63"]


def check_hottest():
    """The demo's hash table: the line of the compare-and-swap that fails comes first, and in it that instruction."""
    report, done = run([LOCKSTEP, "kernel", *HASH, "--profile", "--report", "json"])
    if not report:
        print(f"skipped: the hash table does not compile here: {done.stderr.strip()}")
        return
    first = report["launches"][0]["lines"][0]
    with open(HASH[0], encoding="utf-8") as file:
        text = file.read().splitlines()[first["line"] - 1]
    expect(f"the hottest line is '{text}'", "atomicCAS" in text)
    hottest = max(first["instructions"], key=lambda i: i["issued"] + sum(i["stalls"].values()))
    expect(f"its hottest instruction is {hottest['text']}", hottest["text"].startswith("atom"))
    expect("all failed attempts are there", first["counters"]["sync__lock_fail_other_warp.sum"] ==
           report["launches"][0]["counters"]["sync__lock_fail_other_warp.sum"])
    text = subprocess.run([LOCKSTEP, "kernel", *HASH, "--profile"], capture_output=True, text=True, check=True).stdout
    table = text[text.index("profile of insert"):].splitlines()
    expect("the text begins with another line", "atomicCAS" in table[3] and "failed" in table[4])


def check_callgrind(folder, report):
    path = os.path.join(folder, "callgrind.out.hash")
    subprocess.run([LOCKSTEP, "kernel", *HASH, "--profile", path], capture_output=True, check=True)
    if not shutil.which("callgrind_annotate"):
        print("skipped: callgrind_annotate is not here")
        return
    shown = subprocess.run(["callgrind_annotate", "--auto=yes", "--show=Cycles,Issued", path], capture_output=True, text=True, check=False)
    expect(f"callgrind_annotate ended with {shown.returncode}: {shown.stderr}", shown.returncode == 0 and not shown.stderr)
    total = sums(report["launches"][0]["lines"])
    cycles = total["issued"] + sum(v for k, v in total.items() if k.startswith(STALL))
    wanted = rf"^ *{cycles:,} \(100.0%\) +{total['issued']:,} \(100.0%\)  PROGRAM TOTALS"
    expect(f"callgrind_annotate has no line '{wanted}': {shown.stdout[:2000]}", re.search(wanted, shown.stdout, re.M))
    expect("callgrind_annotate does not show the source", re.search(r"^ *[\d,]+ \([ \d.]+%\).*atomicCAS", shown.stdout, re.M))


def check_speedscope(folder, report):
    path = os.path.join(folder, "hash.speedscope.json")
    subprocess.run([LOCKSTEP, "kernel", *HASH, "--profile", path], capture_output=True, check=True)
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    expect("no $schema", whole["$schema"] == "https://www.speedscope.app/file-format-schema.json")
    frames = whole["shared"]["frames"]
    expect("a frame has no name", all(isinstance(f["name"], str) for f in frames))
    expect("a frame has members that the schema has not", all(set(f) <= {"name", "file", "line", "col"} for f in frames))
    for profile in whole["profiles"]:
        expect("members of a profile", set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"})
        expect("type and unit", profile["type"] == "sampled" and profile["unit"] in ("bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"))
        expect("samples and weights", len(profile["samples"]) == len(profile["weights"]))
        expect("a frame that is not there", all(0 <= f < len(frames) for sample in profile["samples"] for f in sample))
        expect("the end is not the sum", profile["endValue"] - profile["startValue"] == sum(profile["weights"]))
    total = sums(report["launches"][0]["lines"])
    expect("the sum is not that of the report", sum(whole["profiles"][0]["weights"]) ==
           total["issued"] + sum(v for k, v in total.items() if k.startswith(STALL)))


def check_refused(folder):
    kernel = os.path.join(run_kernels.KERNELS, "barrier", "counts.ptx")
    for words in (["--profile", "out.txt"], ["--profile=out.txt"], ["--profile=callgrind.out."], ["--profile="]):
        done = subprocess.run([LOCKSTEP, "kernel", kernel, *words], capture_output=True, text=True, cwd=folder, check=False)
        expect(f"{words}: {done.returncode} {done.stderr}", done.returncode == 2 and done.stderr.count("\n") == 1 and
               "NAME.callgrind, callgrind.out.NAME or NAME.speedscope.json" in done.stderr)
    done = subprocess.run([LOCKSTEP, "kernel", "--profile", kernel], capture_output=True, text=True, cwd=folder, check=False)
    expect(f"a kernel behind --profile: {done.returncode} {done.stderr}", "has 1 parameter (" in done.stderr)
    done = subprocess.run([LOCKSTEP, "kernel", kernel, "--profile=no/such/a.callgrind"], capture_output=True, text=True, cwd=folder, check=False)
    expect(f"a folder that is not there: {done.returncode} {done.stderr}", done.returncode == 2 and done.stderr.count("\n") == 1)


def main():
    columns = profiled()
    patterns = [word for word in sys.argv[1:] if word != "--all"]
    every = len(sys.argv) > 1
    paths = run_kernels.tests(patterns or KERNELS)
    for number, path in enumerate(paths):
        if every or not run_kernels.name_of(path).startswith(MANY) or number % 3 == 0:
            check_kernel(path, number, columns, every)
    if not patterns:
        check_hottest()
        check_buckets("timing")
        check_buckets("functional")
        check_shared_lock()
        check_shown_mbarriers()
        check_shown_barriers()
        report, _ = run([LOCKSTEP, "kernel", *HASH, "--profile", "--report", "json"])
        with tempfile.TemporaryDirectory() as folder:
            if report:
                check_callgrind(folder, report)
                check_speedscope(folder, report)
            check_known_waits(folder)
            check_fetches(folder)
            check_meeting(folder)
            check_guard(folder)
            check_refused(folder)
    for failure in failures:
        print(failure)
    print(f"{len(paths)} kernels, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
