#!/usr/bin/env python3
"""`lockstep sweep`: its table, CSV and picture hold what the runs' own reports have, and what the kernels do by hand.

    LOCKSTEP=build/release/lockstep tests/sweep.py [TEST...]"""
import csv
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import terminal

HERE = os.path.dirname(os.path.abspath(__file__))
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../build/release/lockstep")))

# Each thread goes `rounds` times through a loop of 3 instructions; 3 before it, 1 behind it.
LOOP = """
.version 6.0
.target sm_35
.address_size 64
.visible .entry loop(.param .u32 rounds)
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	ld.param.u32 %r0, [rounds];
	mov.u32 %r1, 0;
	mov.u32 %r2, 0;
again:
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p, %r1, %r0;
	@%p bra again;
	ret;
}
"""
# Lane 0 waits for the word that lane 1 of its warp would set behind the loop: it hangs on a reconvergence stack alone.
HANG = """
.version 6.0
.target sm_70
.address_size 64
.visible .entry hang(.param .u64 word)
{
	.reg .pred %p, %q;
	.reg .b32 %r<3>;
	.reg .b64 %d;
	ld.param.u64 %d, [word];
	mov.u32 %r0, %tid.x;
	setp.ne.u32 %p, %r0, 0;
	@%p bra other;
again:
	ld.volatile.global.u32 %r1, [%d];
	setp.eq.u32 %q, %r1, 0;
	@%q bra again;
	bra.uni end;
other:
	st.volatile.global.u32 [%d], 1;
end:
	ret;
}
"""


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep-sweep-")
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in ("loop.ptx", LOOP), ("hang.ptx", HANG):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def sweep(self, *words, status=0, **options):
        run = subprocess.run([LOCKSTEP, "sweep", *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def text(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def rows(self, *names):
        return list(csv.DictReader(self.text(*names).splitlines()))

    def test_points(self):
        """All combinations, the last axis fastest; counts by hand, and as each run's report has them."""
        self.sweep("--vary", "grid=1,3", "--vary", "rounds=10,20,40", "-o", "out", "--", "kernel", "loop.ptx", "--block", "32", "--arg", "u32:{rounds}")
        rows = self.rows("out", "sweep.csv")
        self.assertEqual([(row["grid"], row["rounds"]) for row in rows], [(g, r) for g in ("1", "3") for r in ("10", "20", "40")])
        for row in rows:
            launch = json.loads(self.text("out", row["report"]))["launches"][0]
            self.assertEqual(int(row["warp_instructions"]), int(row["grid"]) * (3 + 3 * int(row["rounds"]) + 1))
            self.assertEqual([int(row["cycles"]), int(row["smsp__inst_executed.sum"])], [launch["cycles"], launch["counters"]["smsp__inst_executed.sum"]])

    def test_table(self):
        """Values, means of seeds and what is compared with the first."""
        out = self.sweep("--vary", "rounds=10,20", "--seeds", "2", "--value", "warp_instructions", "--value", "thread_instructions", "-o", "out",
                         "--", "kernel", "loop.ptx", "--block", "32", "--grid", "{seed}1", "--arg", "u32:{rounds}").stdout
        # Seeds 0 and 1 run grids of 01 and 11 groups: 34 and 64 instructions a warp, times 1 and 11, six times as many on average.  Of lanes
        # one less: the guard of the last branch is false.
        self.assertEqual([line.split() for line in out.splitlines()[:3]], [
            "rounds outcome warp_instructions least greatest of first thread_instructions least greatest of first".split(),
            "10 completed 204 34 374 1.000 6,336 1,056 11,616 1.000".split(),
            "20 completed 384 64 704 1.882 12,096 2,016 22,176 1.909".split()])
        self.assertEqual([row["seed"] for row in self.rows("out", "sweep.csv")], ["0", "1", "0", "1"])
        self.assertEqual([json.loads(self.text("out", f"000{k}.json"))["configuration"]["run.seed"] for k in (1, 2)], [0, 1])

    def test_field_and_option(self):
        """A key with a dot is a field of the model, any other an option."""
        self.sweep("--vary", "core.count=1,2", "--vary", "scheduler=lrr,gto", "-o", "out", "--", "kernel", "loop.ptx", "--arg", "u32:1")
        seen = [json.loads(self.text("out", f"000{k}.json"))["configuration"] for k in (1, 2, 3, 4)]
        self.assertEqual([(c["core.count"], c["policy.scheduler"]) for c in seen], [(1, "lrr"), (1, "gto"), (2, "lrr"), (2, "gto")])

    def test_jobs(self):
        """How many run at a time changes nothing."""
        command = ["--vary", "rounds=1,2,3,4,5,6", "--", "kernel", "loop.ptx", "--arg", "u32:{rounds}"]
        first, second = [(self.sweep("-j", jobs, *command).stdout, self.text("lockstep-results", "sweep", "sweep.csv")) for jobs in ("1", "4")]
        self.assertEqual(first, second)

    def test_old_reports(self):
        """Those of an earlier sweep go; other files stay."""
        os.makedirs(self.path("out"))
        for name in "0001.json", "0009.json", "10000.json", "12.json", "mine.json":
            open(self.path("out", name), "w", encoding="utf-8").close()
        self.sweep("--vary", "grid=1", "-o", "out", "--", "kernel", "loop.ptx", "--arg", "u32:1")
        self.assertEqual(sorted(os.path.basename(name) for name in glob.glob(self.path("out", "*.json"))), ["0001.json", "12.json", "mine.json"])

    def test_hang(self):
        """A point that hangs is a result without values, and has its word in the picture."""
        run = self.sweep("--vary", "divergence=independent,stack", "-o", "out", "--", "kernel", "hang.ptx", "--block", "2", "--gpu", "v100",
                         "--arg", "buf:word:u32:1:zero", "--explain-limit", "0")
        self.assertRegex(run.stdout, r"(?m)^independent +completed +[\d,]+ +1\.000$")
        self.assertRegex(run.stdout, r"(?m)^stack +hang +- +-$")
        self.assertEqual([row["status"] for row in self.rows("out", "sweep.csv")], ["0", "3"])
        self.assertIn("set label 'hang' at first 1,", self.text("out", "sweep.gp"))
        self.sweep("--vary", "divergence=stack,independent", "-o", "last", "--", "kernel", "hang.ptx", "--block", "2", "--gpu", "v100",
                   "--arg", "buf:word:u32:1:zero", "--explain-limit", "0")
        self.assertIn("set label 'hang' at first 0,", self.text("last", "sweep.gp"))

    def test_program(self):
        """A program that fails, or that a signal ends, has no result; what it said is told, and the others count."""
        with open(self.path("app"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n[ "$1" = 2 ] && { echo no two >&2; echo more; exit 7; }\n[ "$1" = 3 ] && kill -KILL $$\nexit 0\n')
        os.chmod(self.path("app"), 0o755)
        run = self.sweep("--vary", "n=1,2,3", "-o", "out", "--", "run", "./app", "{n}", status=1)
        self.assertEqual([(row["n"], row["outcome"], row["status"]) for row in self.rows("out", "sweep.csv")],
                         [("1", "completed", "0"), ("2", "failed", "7"), ("3", "failed", "137")])
        self.assertEqual(run.stderr, "lockstep sweep: run 2 failed: no two\n")

    def test_messages(self):
        """The same message is told once, of the first run that has it; a run that says nothing is only counted."""
        with open(self.path("app"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\ncase $1 in 2|3|6) echo no >&2; exit 1;; 4) exit 1;; 5) echo other >&2; exit 1;; esac\n')
        os.chmod(self.path("app"), 0o755)
        run = self.sweep("--vary", "n=1,2,3,4,5,6", "-o", "out", "--", "run", "./app", "{n}", status=1)
        self.assertEqual([row["outcome"] for row in self.rows("out", "sweep.csv")], ["completed"] + 5 * ["failed"])
        self.assertEqual(run.stderr, "".join(f"lockstep sweep: run {n} failed: {text}\n" for n, text in ((2, "no"), (5, "other"), (6, "no"))))

    def test_progress(self):
        """On a terminal: the runs that are done, of all."""
        status, shown = terminal.shown([LOCKSTEP, "sweep", "--vary", "grid=1,2,3", "-j", "1", "--", "kernel", "loop.ptx", "--arg", "u32:1"], self.folder)
        self.assertEqual(status, 0)
        self.assertEqual([text for k, text in enumerate(shown) if text != shown[k - 1]], [f"{n} of 3 runs" for n in range(3)] + [""])

    def test_gnuplot(self):
        """What gnuplot says stays where it refuses; where there is none, the rest is there."""
        os.mkdir(self.path("bin"))
        for status, lines, left in ((0, ["out/sweep.csv", "out/sweep.svg"], ["sweep.gp"]), (127, ["out/sweep.csv"], ["sweep.gp"]),
                                    (1, None, ["gnuplot.log", "sweep.gp"])):
            with open(self.path("bin", "gnuplot"), "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho said\nexit {status}\n")
            os.chmod(self.path("bin", "gnuplot"), 0o755)
            run = self.sweep("--vary", "grid=1,2", "-o", "out", "--", "kernel", "loop.ptx", "--arg", "u32:1", status=0 if lines else 2,
                             env={**os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}"})
            self.assertEqual(sorted(name for name in os.listdir(self.path("out")) if not re.match(r"\d|sweep.csv", name)), left)
            if lines:
                self.assertEqual(run.stdout.split("\n\n")[1:], ["".join(line + "\n" for line in lines)])
                self.assertEqual(run.stderr, "")
            else:
                self.assertEqual(run.stderr, "gnuplot refuses out/sweep.gp: see out/gnuplot.log\n")
                self.assertEqual(self.text("out", "gnuplot.log"), "said\n")

    def test_stopped(self):
        """SIGTERM ends what runs, too."""
        with open(self.path("app"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho $$ > pid\nexec sleep 60\n")
        os.chmod(self.path("app"), 0o755)
        process = subprocess.Popen([LOCKSTEP, "sweep", "--vary", "n=1,2", "-j", "1", "--", "run", "./app", "{n}"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        while not os.path.exists(self.path("pid")) or not self.text("pid").strip():
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        self.assertEqual((process.communicate(timeout=20)[0], process.returncode), (b"", -signal.SIGTERM))
        self.assertFalse(os.path.exists(f"/proc/{self.text('pid').strip()}"))
        self.assertEqual(glob.glob(self.path("lockstep-results", "sweep", "*.log")), [])

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_picture(self):
        """A logarithmic axis for numbers far apart, with a mark at each value; bars for words."""
        self.sweep("--vary", "rounds=1,4,64", "--vary", "scheduler=lrr,gto", "-o", "out", "--", "kernel", "loop.ptx", "--arg", "u32:{rounds}")
        script, picture = self.text("out", "sweep.gp"), self.text("out", "sweep.svg")
        self.assertIn("set logscale x", script)
        self.assertIn("('1' 1, '4' 4, '64' 64)", script)
        for word in "rounds", "cycles", "lrr", "gto", "64":
            self.assertTrue(re.search(rf">\s*(<tspan[^>]*>)?{word}<", picture), word)
        self.sweep("--vary", "scheduler=lrr,gto", "--vary", "gpu=gtx480,v100", "-o", "out", "--", "kernel", "loop.ptx", "--arg", "u32:1")
        self.assertIn("('gtx480' 0, 'v100' 1)", self.text("out", "sweep.gp"))
        self.assertIn("with boxes", self.text("out", "sweep.gp"))
        self.assertIn("set yrange [0:*]", self.text("out", "sweep.gp"))
        self.assertIn("title 'lockstep kernel loop.ptx --arg u32:1'", self.text("out", "sweep.gp"))
        # Of values close to each other bars from 0 on would show nothing.
        self.sweep("--vary", "core.count=1,2", "--vary", "scheduler=lrr,gto", "--value", "smsp__inst_executed.sum", "--value", "cycles", "-o", "out", "--", "kernel", "loop.ptx", "--block", "320", "--arg", "u32:20")
        script = self.text("out", "sweep.gp")
        self.assertIn("set yrange [0:*]\nset ylabel 'smsp__inst_executed.sum'\n", script)   # of equal values nothing is to be seen
        self.assertIn("set yrange [*:*]\nset ylabel 'cycles (axis not from 0)'\n", script)
        with open(self.path("out", "sweep.csv"), encoding="utf-8") as file:
            for row in csv.DictReader(file):
                self.assertRegex(self.text("out", "sweep.svg"), rf">\s*(<tspan[^>]*>)?{row['cycles']}<")
        self.sweep("--vary", "rounds=2,3", "-o", "out", "--", "kernel", "loop.ptx", "--arg", "u32:{rounds}")
        self.assertNotIn("logscale", self.text("out", "sweep.gp"))
        self.assertEqual(glob.glob(self.path("out", "*.log")), [])
        self.sweep("--seeds", "2", "-o", "out", "--", "kernel", "loop.ptx", "--arg", "u32:1")   # of no axis there is no picture, and the old one goes
        self.assertEqual(glob.glob(self.path("out", "sweep.[gs]*")), [])


if __name__ == "__main__":
    unittest.main()
