#!/usr/bin/env python3
"""`lockstep debug run` (docs/debug-run.md): the kernels of an unmodified program under the debugger.

    tests/debug_run.py BUILD

What must hold: the program's output and the report are those that it has without a debugger, however its launches were stopped and went
back; a hang that the program gives up is a stop from which launches go back; where a thread of the program may write to memory that it
shares with the launch, going back is refused; the program ends when the debugger quits, and its input stays its own."""
import fcntl
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build/release")
LOCKSTEP = os.environ.get("LOCKSTEP", os.path.join(BUILD, "lockstep"))
HANG, ENDLESS, ADD, CUDA_ADD = (os.path.join(BUILD, "host", name) for name in ("opencl/hang", "opencl/endless", "opencl/vector_add", "cuda/vector_add"))


def call(words, **more):
    return subprocess.run([LOCKSTEP, *words], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False, **more)


def debug(commands, words, folder, options=()):
    """The program's output, the debugger's answers one by one, the report, the exit status."""
    script = os.path.join(folder, "commands")
    with open(script, "w", encoding="utf-8") as file:
        file.write("\n".join(commands) + "\n")
    report = os.path.join(folder, "report")
    if os.path.exists(report):
        os.unlink(report)
    done = call(["debug", "--script", script, *options, "run", "--report", "json", "--output", report, *words])
    answers = re.split(r"^\(lockstep\) .*\n", done.stderr, flags=re.M)
    return done.stdout, answers, read_report(report), done.returncode


def read_report(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return re.sub(r'"wall_seconds": [^,\n]*', "", file.read())


def check_reports(folder):
    """Output and report do not depend on the debugger."""
    back = ["si", "goto 40", "rsi", "rs", "goto end", "rsi", "rc", "goto 30", "si 3", "goto 10", "s", "continue"]
    for program in ADD, CUDA_ADD, HANG:
        for mode in "timing", "functional":
            report = os.path.join(folder, "plain")
            plain = call(["run", "--mode", mode, "--report", "json", "--output", report, program])
            for commands in ["continue"] * 9, ["si 20", "goto end", "continue"] * 9, back * 9:
                out, answers, found, status = debug(commands, ["--mode", mode, program], folder, ["--snapshots", "16"])
                assert (out, status) == (plain.stdout, plain.returncode), (program, mode, commands, out, status, answers[-1][-500:])
                assert found == read_report(report), (program, mode, commands)
                assert "launch 0: kernel " in answers[0] and "position 1," in answers[0], answers[0]


def check_hang(folder):
    """The hang is told where the program gives up; from there the launch goes back, and hangs again."""
    commands = ["continue", "continue", "locks", "rsi", "rsi", "goto 100", "goto end", "rc", "continue", "continue"]
    _, answers, _, _ = debug(commands, [HANG], folder)
    assert "launch 1: kernel spin" in answers[1], answers
    assert answers[2].startswith("hang (simt): ") and "is held by warp 0.0 lane 0" in answers[3], answers[2:4]
    end, first, second = (int(re.search(r"position (\d+)", a).group(1)) for a in (answers[2], answers[4], answers[5]))
    assert end > first > second > 100, (end, first, second)
    assert "position 100," in answers[6] and answers[7] == answers[2] and "beginning of the launch" in answers[8] and answers[9] == answers[2], answers[6:]


def check_writers(folder):
    """A thread that reads and may write the memory of the launch: no way back before it waits."""
    commands = ["si", "rsi", "rc", "goto 1", "goto cycle 300", "goto cycle 100000", "goto cycle 3000000", "rsi", "goto 1", "quit"]
    out, answers, report, status = debug(commands, [ENDLESS, "runs"], folder)
    for answer in answers[2:6]:
        assert answer.startswith("there is no going back here: the main thread ") and answer.count("\n") == 1, answers
    assert "position" in answers[8] and "going back" not in answers[8], answers
    assert answers[9].startswith("there is no going back to before position "), answers
    assert out == "runs\nstopped\n" and report is None and status == 0, (out, report, status)


def read_until(stream, words):
    text = ""
    while words not in text:
        piece = os.read(stream.fileno(), 4096).decode()
        assert piece, (words, text)
        text += piece
    return text


def check_interrupt():
    """SIGINT stops a launch and not the program; commands come from standard input, of which the program sees nothing."""
    command = [LOCKSTEP, "debug", "run", "sh", "-c", f"cat; exec {ENDLESS}"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        read_until(process.stderr, "position 1,")
        process.stdin.write(b"continue\n")
        process.stdin.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        read_until(process.stderr, "interrupted")
        process.stdin.write(b"rsi\n")
        process.stdin.flush()
        read_until(process.stderr, "position")
        out, _ = process.communicate(b"quit\n", timeout=60)
        assert process.returncode == 0 and out == b"stopped\n", (process.returncode, out)


def say(terminal, line, wanted):
    """A terminal drops what is typed while it changes its mode: the line is typed again."""
    text = ""
    for _ in range(20):
        terminal.write(line)
        while wanted not in text and select.select([terminal], [], [], 3)[0]:
            text += os.read(terminal.fileno(), 4096).decode()
        if wanted in text:
            return
    assert wanted in text, (line, text)


def check_terminal():
    """Ctrl-C at the prompt ends neither the debugger nor the program."""
    ours, theirs = os.openpty()
    with subprocess.Popen([LOCKSTEP, "debug", "run", ADD], cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                          preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) as process:
        os.close(theirs)
        with os.fdopen(ours, "r+b", buffering=0) as terminal:
            read_until(terminal, "(lockstep) ")
            terminal.write(b"\x03")
            say(terminal, b"si\n", "position ")
            say(terminal, b"quit\n", "did not complete")
            assert process.wait(timeout=60) == 0, process.returncode


def check_ends(folder):
    """No more commands: the program goes on.  One that does not end after `quit` is ended."""
    out, answers, report, status = debug(["si"], [ADD], folder)
    assert (out, status) == ("passed\n", 0) and report and len(answers) == 2, (out, status, answers)
    begun = time.monotonic()
    out, _, report, status = debug(["si", "quit"], ["sh", "-c", f"{ADD}; exec sleep 60"], folder)
    assert status == 0 and report is None and time.monotonic() - begun < 30, (status, report)
    out, answers, report, status = debug(["si"], ["true"], folder)
    assert status == 0 and len(answers) == 1, (status, answers)


def check_refusals():
    for words, wanted in ((["--trace", "/tmp/none"], "--trace"), (["--seeds", "3"], "--seeds")):
        done = call(["debug", "run", *words, ADD], stdin=subprocess.DEVNULL)
        assert done.returncode == 2 and wanted in done.stderr and done.stderr.count("\n") == 1, done
    done = call(["debug", "run"], stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_reports(folder)
        check_hang(folder)
        check_writers(folder)
        check_ends(folder)
    check_interrupt()
    check_terminal()
    check_refusals()


main()
