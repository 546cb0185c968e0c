#!/usr/bin/env python3
"""`lockstep debug` (docs/debug.md): lessons, whose output is in files; and what must hold wherever a launch is stopped.

    tests/debug.py BUILD [--accept] [LESSON ...]

A lesson is tests/debug/NAME.script; its first line says what runs: "# run: kernel FILE ...".  What it prints is in NAME.expect.
What must hold: a launch that was stopped, and went back, ends with the report that it has without a debugger; a position looks the
same however one comes to it; going back by steps visits the positions of going forwards; what is wrong is refused by a line."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build/release")
LOCKSTEP = os.environ.get("LOCKSTEP", os.path.join(BUILD, "lockstep"))
LESSONS = os.path.join(ROOT, "tests/debug")
BACK_OFF = ["kernel", "tests/kernel/lock/back_off.ptx", "--block", "32", "--grid", "2", "--arg", "buf:lock:u32:4:zero", "--arg",
            "buf:count:u32:4:zero", "--arg", "u32:3", "--dump", "count"]
# Locks, an mbarrier pipeline of a chip with independent threads, device malloc and printf, dynamic shared memory, a hang, a fault.
LAUNCHES = [
    BACK_OFF,
    ["kernel", "tests/kernel/lock/both.cu", "--grid", "2", "--block", "64", "--arg", "buf:lock:s32:1:fill=-1", "--arg", "buf:sum:s32:1:zero", "--dump",
     "sum", "--gpu", "v100"],
    ["kernel", "tests/kernel/mbarrier/pipeline.ptx", "--kernel", "waiting", "--gpu", "v100", "--block", "128", "--arg", "buf:out:u32:128:zero"],
    ["kernel", "tests/kernel/lock/both.cu", "--divergence", "stack", "--block", "64", "--grid", "2", "--arg", "buf:lock:s32:1:fill=-1", "--arg",
     "buf:sum:s32:1:zero"],
]


def debug(run, commands, options=(), folder=None):
    """What the debugger prints of these commands, and its exit status."""
    with tempfile.NamedTemporaryFile("w", suffix=".script", dir=folder, delete=False) as file:
        file.write("\n".join(commands) + "\n")
    try:
        done = subprocess.run([LOCKSTEP, "debug", "--script", file.name, *options, *run], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    finally:
        os.unlink(file.name)
    assert done.returncode >= 0, (done.returncode, done.stderr[-500:])
    return done.stdout, done.stderr, done.returncode


def answers(text):
    """The answer to each command: what follows its line."""
    parts = re.split(r"^\(lockstep\) .*\n", text, flags=re.M)
    return parts


def check_reports():
    """The report is the same, whatever was done on the way."""
    ways = [["continue"], ["goto 40", "rsi", "rs", "goto end", "rc", "goto 60", "si 3", "rsi", "goto 10", "s", "n", "goto end", "continue"]]
    for run in LAUNCHES:
        plain = subprocess.run([LOCKSTEP, *run, "--report", "json"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
        wanted = re.sub(r'"wall_seconds": [^,\n]*', "", plain.stdout)
        for mode in [], ["--threads", "2"]:
            for way in ways:
                out, _, status = debug([*run, *mode, "--report", "json"], way, ["--snapshots", "64"])
                found = re.sub(r'"wall_seconds": [^,\n]*', "", out[out.index("\n{\n") + 1:])
                assert found == wanted, (run, way, len(found), len(wanted))
                assert status == plain.returncode, (run, way, status)


def positions(text):
    return [int(p) for p in re.findall(r"^position (\d+),", text, flags=re.M)]


def check_places():
    """Each position looks the same, forwards, backwards and by a jump; steps back are steps forwards the other way round."""
    for run in LAUNCHES[:3]:
        forwards = answers(debug([*run, "--quiet"], ["si"] * 30 + ["quit"])[0])
        at = {positions(a)[0]: a for a in forwards[:31]}
        order = [positions(a)[0] for a in forwards[:31]]
        back = answers(debug([*run, "--quiet"], [f"goto {order[30]}"] + ["rsi"] * 30 + ["quit"])[0])
        assert [positions(a)[0] for a in back[1:32]] == order[::-1], (run, order)
        picks = random.Random(1).sample(order[1:], 12)
        jumps = answers(debug([*run, "--quiet"], [f"goto {p}" for p in picks] + ["quit"], ["--snapshots", "1"])[0])
        for p, answer in zip(picks, jumps[1:]):
            assert answer == at[p], (run, p, answer, at[p])


def check_watches():
    """The values that a watch sees backwards are those that it saw forwards, the other way round."""
    forwards, _, _ = debug([*BACK_OFF, "--quiet"], ["watch count"] + ["c"] * 33 + ["quit"])
    seen = [int(v) for v in re.findall(r"^watch 1, .*: \d+ -> (\d+) ", forwards, flags=re.M)]
    assert seen[:16] == list(range(1, 17)), seen
    back, _, _ = debug([*BACK_OFF, "--quiet"], ["goto end", "watch count"] + ["rc", "x count"] * 4 + ["quit"])
    values = [int(v) for v in re.findall(r"^0x10000200  (\d+) ", back, flags=re.M)]
    assert values == [16, 15, 14, 13], (values, back[-600:])
    written, _, _ = debug([*BACK_OFF, "--quiet", "--mode", "functional"], ["goto end", "last-write count", "quit"])
    assert re.search(r"changed from 15 to 16 .*\nit was changed by\n  position \d+: warp [01]\.0, .*back_off.ptx:32", written), written[-600:]


VARIABLES = ["kernel", "tests/debug/variables.ptx", "--gpu", "rtx2070s", "--block", "4", "--arg", "buf:out:s32:64:iota", "--arg", "f32:0.5", "--arg", "s32:3"]


def check_values():
    """A variable takes the values that the source gives it, forwards and backwards: 0, 0.5 * 1, 0.5 * 2 are added to sum."""
    commands = ["break sum_to", "c", "delete 1", "next", "next", "watch sum"]
    forwards, _, _ = debug([*VARIABLES, "--quiet"], [*commands, "c", "c", "p sum", "c", "quit"])
    assert re.findall(r"^watch 2, sum in lane 0 of warp 0.0: (.*) -> (.*)$", forwards, flags=re.M) == [("0", "0.5"), ("0.5", "1.5")], forwards
    assert "sum = 1.5  float" in forwards, forwards
    back, _, _ = debug([*VARIABLES, "--quiet", "--gpu", "v100"], [*commands, "goto end", "rc", "rc", "rc", "quit"], ["--snapshots", "1"])
    assert re.findall(r"^watch 2, sum in lane 0 of warp 0.0: (.*) -> (.*)$", back, flags=re.M)[:2] == [("0.5", "1.5"), ("0", "0.5")], back
    compiled, _, _ = debug(["kernel", "workloads/hashtable.cu", "--debug-info", "--block", "32", "--arg", "buf:keys:u32:64:iota", "--arg", "s32:64", "--arg",
                            "buf:locks:u32:16:zero", "--arg", "buf:heads:s32:16:fill=-1", "--arg", "buf:pool:u32:128:zero", "--arg", "u32:15", "--quiet"],
                           ["si 60", "variables", "quit"])
    assert re.search(r"^\w+ = 64  (const )?int$", compiled, flags=re.M), compiled
    register, _, _ = debug([*VARIABLES, "--quiet"], ["si 3", "watch %nothing", "quit"])
    assert "expected an address" in register, register


def check_changed_source():
    """A source that was written after its PTX is not what runs."""
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = os.path.join(folder, "variables.cu"), os.path.join(folder, "variables.ptx")
        with open(os.path.join(LESSONS, "variables.ptx"), encoding="utf-8") as file:
            text = file.read().replace('"variables.cu"', f'"{source}"')
        with open(ptx, "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(LESSONS, "variables.cu"), encoding="utf-8") as file:
            lines = file.read()
        for later, wanted in ((-10, 0), (10, 1)):
            with open(source, "w", encoding="utf-8") as file:
                file.write(lines)
            os.utime(source, (os.stat(ptx).st_mtime + later,) * 2)
            out, _, _ = debug(["kernel", ptx, *VARIABLES[2:], "--quiet"], ["s", "list", "quit"])
            assert out.count("was written after this kernel") == wanted, (later, out)
            assert "extern \"C\" __global__ void k" in out, out


def check_refusals():
    """One line each, and the session goes on."""
    commands = {"break nowhere.cu:3": "no code comes from", "break 100000": "has no code at line", "break f": "expected FILE:LINE", "watch 12": "no memory",
                "watch nobody": "expected an address", "x count u99": "expected a type", "x count u32 0": "expected a count", "goto": "expected a position",
                "goto 0": "expected a position", "si 0": "expected a number", "rsi 3": "one step back", "warp 9.9": "on no core", "warp x": "expected GROUP.WARP",
                "lane 99": "expected a lane", "p %nothing": "unknown variable", "break 0": "a line from 1 on", "delete 7": "expected a number", "frob": "no command 'frob'",
                "re": "may be several", "lsit": "did you mean 'list'"}
    parts = answers(debug([*BACK_OFF, "--quiet"], [*commands, "where", "quit"])[0])
    for (command, wanted), answer in zip(commands.items(), parts[1:]):
        assert wanted in answer and answer.count("\n") == 1, (command, answer)
    for words, wanted in ((["debug"], "no command"), (["debug", "lint", "x"], "unexpected 'lint'"), (["debug", "--script", "/nowhere", *BACK_OFF], "cannot be read"),
                          (["debug", "--snapshots", "0", *BACK_OFF], "--snapshots"), (["debug", *BACK_OFF, "--trace", "/tmp/x.json"], "timeline")):
        done = subprocess.run([LOCKSTEP, *words], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 2 and wanted in done.stderr and done.stderr.count("\n") == 1, (words, done)


def check_checkpoints():
    """A launch goes on from a file to the report that it has without; files that are not right are refused by a line."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "kept")
        for run in LAUNCHES:
            report = lambda *more, run=run: subprocess.run([LOCKSTEP, *run, "--report", "json", *more], cwd=ROOT, capture_output=True, text=True,
                                                           timeout=120, check=False)
            plain = lambda done: (re.sub(r'"wall_seconds": [^,\n]*', "", done.stdout), done.returncode)
            wanted = report()
            cycles = json.loads(wanted.stdout)["launches"][0]["cycles"]
            for threads in "1", "3":
                kept = report("--threads", threads, "--checkpoint", file, "--checkpoint-at", str(cycles // 3))
                assert plain(kept) == plain(wanted), (run, kept.stderr)
                for others in "1", "2":
                    restored = report("--threads", others, "--restore", file)
                    assert plain(restored) == plain(wanted), (run, threads, others, restored.stderr)
        bytes_kept = open(file, "rb").read()
        changed = bytearray(bytes_kept)
        changed[len(changed) // 2] ^= 1
        other_version = bytearray(bytes_kept)
        other_version[32] ^= 1
        for contents, wanted in ((bytes_kept[:-100], "cut off"), (bytes_kept[:50], "no checkpoint"), (b"", "no checkpoint"), (changed, "changed"),
                                 (other_version, "another version")):
            with open(file, "wb") as out:
                out.write(contents)
            done = report("--restore", file)
            assert done.returncode == 2 and wanted in done.stderr and done.stderr.count("\n") == 1, (wanted, done.stderr)
        with open(file, "wb") as out:
            out.write(bytes_kept)
        for more, wanted in ((["--seed", "5"], "another launch"), (["--check", "races"], "another launch")):
            done = report("--restore", file, *more)
            assert done.returncode == 2 and wanted in done.stderr, (more, done.stderr)
        done = report("--checkpoint", file, "--checkpoint-at", "99999999")
        assert done.returncode == 2 and "ended before" in done.stderr, done.stderr
        assert open(file, "rb").read() == bytes_kept
        done = report("--checkpoint", "/dev/full", "--checkpoint-at", "100")
        assert done.returncode == 2 and "cannot be written" in done.stderr, done.stderr


def check_lessons(accept, names):
    wrong = []
    for name in sorted(n[:-7] for n in os.listdir(LESSONS) if n.endswith(".script")):
        if names and name not in names:
            continue
        path = os.path.join(LESSONS, name)
        with open(path + ".script", encoding="utf-8") as file:
            first = file.readline()
        assert first.startswith("# run: "), (name, first)
        done = subprocess.run([LOCKSTEP, "debug", "--script", path + ".script", *first[7:].split()], cwd=ROOT, capture_output=True, text=True, timeout=120,
                              check=False)
        found = done.stdout.replace(ROOT + "/", "") + done.stderr
        if accept:
            with open(path + ".expect", "w", encoding="utf-8") as file:
                file.write(found)
        elif not os.path.exists(path + ".expect") or open(path + ".expect", encoding="utf-8").read() != found:
            print(f"tests/debug/{name}: not as its .expect\n{found[:1500]}")
            wrong.append(name)
    return wrong


def main():
    words = sys.argv[2:]
    accept, names = "--accept" in words, [w for w in words if w != "--accept"]
    wrong = check_lessons(accept, names)
    if not accept and not names:
        for check in check_reports, check_places, check_watches, check_values, check_changed_source, check_refusals, check_checkpoints:
            check()
    sys.exit(bool(wrong))


main()
