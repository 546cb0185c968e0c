#!/usr/bin/env python3
"""Tests `lockstep run`: exit status and signals of the program, the report, what it says when nothing ran."""

import json
import os
import pty
import signal
import subprocess
import tempfile
import time
import unittest

LOCKSTEP = os.environ["LOCKSTEP"]
PROGRAMS = os.environ["PROGRAMS"]


def program(name):
    return os.path.join(PROGRAMS, name)


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_it(self, *words, **options):
        return subprocess.run([LOCKSTEP, "run", *words], capture_output=True, text=True, timeout=200, cwd=self.folder, check=False, **options)

    def report(self, *words, **options):
        """The program's end, and the report as an object."""
        path = os.path.join(self.folder, "report.json")
        result = self.run_it("--report", "json", "--output", path, *words, **options)
        with open(path, encoding="utf-8") as file:
            return result, json.load(file)

    def test_status_and_output_are_the_programs(self):
        result = self.run_it("--", "sh", "-c", "echo out; echo err >&2; exit 7")
        self.assertEqual((result.returncode, result.stdout), (7, "out\n"))
        self.assertIn("err\n", result.stderr)
        self.assertEqual(self.run_it("no-such-program").returncode, 2)
        self.assertEqual(self.run_it().returncode, 2)
        self.assertEqual(self.run_it("--gpu", "no-such-gpu", "true").returncode, 2)
        self.assertEqual(self.run_it("--grid", "1", "true").returncode, 2)

    def test_report(self):
        result = self.run_it(program("vector_add"))
        self.assertEqual((result.returncode, result.stdout), (0, "passed\n"))
        self.assertIn("kernels, the costliest first", result.stderr)
        result, report = self.report(program("vector_add"))
        self.assertEqual(report["schema"], "lockstep-report/1")
        self.assertEqual(report["program"], {"words": [program("vector_add")], "status": 0})
        self.assertEqual([launch["kernel"] for launch in report["launches"]], ["add"] + ["where"] * 5)
        self.assertEqual({launch["outcome"] for launch in report["launches"]}, {"completed"})
        self.assertEqual(sum(kernel["cycles"] for kernel in report["kernels"]), sum(launch["cycles"] for launch in report["launches"]))
        self.assertEqual(report["configuration"]["core.count"], 15)

    def test_options_reach_the_program(self):
        _, report = self.report("--gpu", "v100", "--set", "core.count=3", "--scheduler", "lrr", "--mode", "functional", program("vector_add"))
        self.assertEqual(report["configuration"]["core.count"], 3)
        self.assertEqual(report["configuration"]["policy.scheduler"], "lrr")
        self.assertEqual({launch["mode"] for launch in report["launches"]}, {"functional"})

    def test_kernel_that_has_not_begun(self):
        _, report = self.report("--set", "dispatch.concurrent_kernels=1", program("concurrent"))
        finding = report["findings"][0]
        self.assertEqual((finding["cause"], finding["certainty"]), ("occupancy", "proved"))
        self.assertIn("the kernel answer has not begun", finding["message"])

    def test_only(self):
        _, report = self.report("--only", "where:1", program("vector_add"))
        modes = [(launch["kernel"], launch["mode"]) for launch in report["launches"]]
        self.assertEqual(modes, [("add", "functional"), ("where", "timing")] + [("where", "functional")] * 4)

    def test_same_again(self):
        reports = []
        for threads in "1", "2", "2":
            _, report = self.report("--threads", threads, program("lock_table"))
            for part in report["launches"] + report["kernels"]:
                del part["wall_seconds"]
            reports.append(report)
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[1], reports[2])

    def test_fault(self):
        result, report = self.report(program("fault"))
        self.assertEqual(result.returncode, 0) # the program took it well
        self.assertEqual([launch["outcome"] for launch in report["launches"]], ["fault", "completed"])
        self.assertEqual((report["findings"][0]["cause"], report["findings"][0]["launch"]), ("address", 0))
        self.assertEqual(result.stderr.count("lockstep: kernel past:"), 1)

    def test_on_fault(self):
        """A read behind a buffer ends the kernel, or is dropped and reported; what the program says of itself stays."""
        result, report = self.report(program("past_end"))
        self.assertEqual((result.returncode, [launch["outcome"] for launch in report["launches"]]), (3, ["fault"]))
        for options, status in ((), 0), (("--error-exit", "9"), 9):
            result, report = self.report("--on-fault", "continue", *options, program("past_end"))
            self.assertEqual((result.returncode, [launch["outcome"] for launch in report["launches"]]), (status, ["completed"]))
            self.assertEqual([(f["kind"], f["cause"], f["count"], f["threads"][0]["thread"]) for f in report["findings"]], [("fault", "address", 1, [63, 0, 0])])
            self.assertEqual(report["configuration"]["run.on_fault"], "continue")
            self.assertEqual(result.stderr.count("lockstep: kernel sums:"), 1)
        result, report = self.report("--error-exit", "9", program("vector_add"))
        self.assertEqual((result.returncode, report["findings"]), (0, []))

    def test_limit(self):
        result, report = self.report("--max-cycles", "100000", program("endless"))
        self.assertEqual((result.returncode, result.stdout), (0, "stopped\n"))
        self.assertEqual(report["launches"][0]["outcome"], "limit")

    def test_death_after_a_fault(self):
        for end, status in ("exit 9", 9), ("kill -ABRT $$", 4), ("kill -TERM $$", -signal.SIGTERM):
            result, report = self.report("sh", "-c", program("fault") + "; " + end)
            self.assertEqual(result.returncode, status)
            self.assertEqual(report["launches"][0]["outcome"], "fault")

    def test_hang(self):
        """The second launch hangs; its cause is confirmed beside the program, whose memory stays as it is (hang.c looks)."""
        for limit, confirmed in ((), True), (("--explain-limit", "0"), False):
            result, report = self.report("--divergence", "stack", *limit, program("hang"))
            self.assertEqual((result.returncode, report["launches"][1]["outcome"]), (0, "hang"))
            finding = report["findings"][0]
            self.assertEqual((finding["cause"], finding["certainty"], finding["confirmed"]), ("simt", "proved", confirmed))

    def test_interrupt(self):
        for number, to_group in (signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGKILL, None):
            path = os.path.join(self.folder, "interrupted.json")
            words = [LOCKSTEP, "run", "--hang-after", "1000000000000", "--report", "json", "--output", path, program("endless"), "launched"]
            with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True) as child:
                self.assertEqual(child.stdout.readline(), "launched\n")
                time.sleep(1.5)
                if to_group:
                    os.killpg(child.pid, number)
                elif number == signal.SIGKILL: # of the program: the command must tell all the same
                    kids = subprocess.run(["pgrep", "-P", str(child.pid)], capture_output=True, text=True, check=True)
                    os.kill(int(kids.stdout), number)
                else:
                    child.send_signal(number)
                self.assertEqual(child.wait(timeout=60), -number)
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
            launch = report["launches"][0]
            self.assertEqual((launch["kernel"], launch["outcome"]), ("wait", "interrupted"))
            self.assertGreater(launch["warp_instructions"], 0)
            self.assertGreater(launch["wall_seconds"], 1)
            self.assertEqual(report["program"]["signal"], number)

    def test_progress_only_on_a_terminal(self):
        self.assertNotIn("\r", self.run_it("--max-cycles", "3000000", program("endless")).stderr)
        try:
            master, slave = pty.openpty()
        except OSError as why:  # a bare chroot has no /dev/pts
            self.skipTest(f"no terminal to be had: {why}")
        shown = b""
        with subprocess.Popen([LOCKSTEP, "run", program("endless")], stdout=subprocess.DEVNULL, stderr=slave) as process:
            os.close(slave)
            try:
                sent = False
                while piece := os.read(master, 4096):
                    shown += piece
                    if not sent and b" warp instructions, " in shown and b"wait: " in shown:
                        process.send_signal(signal.SIGINT)
                        sent = True
            except OSError:
                pass
            process.wait(timeout=120)
        os.close(master)
        report = shown.rpartition(b"\r\x1b[K")[2]  # the line is taken away before it
        self.assertTrue(report.startswith(b"lockstep: GPU"), report)
        self.assertIn(b"interrupted", report)

    def test_processes(self):
        words = ["sh", "-c", f"{program('vector_add')} && {program('svm')} & {program('vector_add')}; wait"]
        result, report = self.report("--", *words)
        self.assertEqual((result.returncode, result.stdout), (0, "passed\n" * 3))
        names = [launch["kernel"] for launch in report["launches"]]
        self.assertEqual((names.count("add"), names.count("sum")), (2, 2))
        self.assertEqual(len({launch["process"] for launch in report["launches"]}), 3)

    def test_nothing_ran(self):
        self.assertIn("not linked with libOpenCL", self.run_it("true").stderr)
        result = self.run_it("clinfo", "-l")
        self.assertIn("made no context on it", result.stderr)
        self.assertIn("Lockstep", result.stdout)
        source = os.path.join(self.folder, "static.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int main(void) { return 0; }\n")
        subprocess.run(["gcc", "-static", "-o", "static", "static.c"], cwd=self.folder, check=True)
        self.assertIn("statically linked", self.run_it("./static").stderr)
        # As the static CUDA runtime begins: the driver is opened, and answers.
        source = os.path.join(self.folder, "runtime.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(
                '#include <dlfcn.h>\n__asm__(".section .nv_fatbin, \\"a\\"\\n.quad 0\\n.previous");\n'
                'int main(void) { return ((int (*)(unsigned))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit"))(0); }\n'
            )
        subprocess.run(["gcc", "-o", "runtime", "runtime.c"], cwd=self.folder, check=True)
        self.assertIn("with the CUDA runtime statically", self.run_it("./runtime").stderr)

    def test_leaves_nothing(self):
        temporary = os.path.join(self.folder, "temporary")
        os.mkdir(temporary)
        self.run_it(program("programs"), env={**os.environ, "TMPDIR": temporary})
        self.assertEqual(os.listdir(temporary), [])


if __name__ == "__main__":
    unittest.main()
