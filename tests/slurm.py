#!/usr/bin/env python3
"""`lockstep experiment --on slurm` against a Slurm of its own (slurm_cluster.py): nodes that fail, a controller that restarts, refusals.

    LOCKSTEP=build/release/lockstep tests/slurm.py [--points N] [TEST...]

Exits with 77 and a word when Slurm is not installed (scripts/packages-check), or cannot start on this machine."""

import argparse
import glob
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import slurm_cluster

HERE = os.path.dirname(os.path.abspath(__file__))
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../build/release/lockstep")))
SKIPPED = 77
POINTS = 60
# What two ways to the same results may differ in: not this.
SAME = "SELECT key, name, seed, command, simulator, build, outcome, exit_status, configuration FROM points ORDER BY name"
COUNTED = "SELECT points.name, launch, counters.name, value FROM counters JOIN points USING (point) ORDER BY 1, 2, 3"

EXPERIMENT = """title = "Tiny points"; time_limit = 60;
programs = ( { name = "ht"; file = "ht"; sources = ["ROOT/workloads/ht.cl"];
	       arguments = "--items 256 --threads 256 --buckets 16 --seed {seed}"; seconds = 0.1; } );
benchmarks = ( { name = "HT"; program = "ht"; kernels = ["insert"]; } );
policies = ( { name = "gto"; options = "--scheduler gto"; } );
sets = ( { name = "tiny"; programs = "ht"; gpus = "gtx480"; policies = "gto"; seeds = [SEEDS]; } );
"""
# Two that take long enough to be interrupted: some seconds, or for ever when a test ends it.
LONG = """variations = ( { name = "long"; arguments = "--items 65536 --threads 8192 --buckets 32"; value = 1; } );
sets = ( { name = "long"; programs = "ht"; gpus = "gtx480"; policies = "gto"; variations = "long"; seeds = [1, 2]; } );
"""

SLEEPER = """#!/bin/sh
folder=$(dirname "$0")
[ -e "$folder/ends" ] && exec HT "$@"
trap 'exit 1' TERM
echo > "$folder/waits"
sleep 1000 & wait
"""


class Slurm(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep slurm ")  # a blank: nothing may split it
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = os.path.join(self.folder, "out")

    def cluster(self, **words):
        cluster = slurm_cluster.Cluster(**words)
        cluster.__enter__()
        self.addCleanup(cluster.__exit__)
        return cluster

    def plan(self, points, long=False):
        folder = os.path.join(self.folder, "plan")
        os.makedirs(folder, exist_ok=True)
        text = EXPERIMENT
        if long:
            text = text[: text.index("sets = ")] + LONG
        with open(os.path.join(folder, "experiment.cfg"), "w", encoding="utf-8") as file:
            file.write(text.replace("ROOT", os.path.dirname(HERE)).replace("SEEDS", ", ".join(map(str, range(1, points + 1)))))
        return folder

    def plan_of_sleepers(self, points):
        """Programs that do nothing until sleepers_end, and fail when they are asked to end before."""
        folder = self.plan(points)
        program = os.path.join(folder, "sleeper")
        with open(program, "w", encoding="utf-8") as file:
            file.write(SLEEPER.replace("HT", os.path.join(os.path.dirname(LOCKSTEP), "workloads/ht")))
        os.chmod(program, 0o755)
        name = os.path.join(folder, "experiment.cfg")
        with open(name, encoding="utf-8") as file:
            text = file.read()
        with open(name, "w", encoding="utf-8") as file:
            file.write(text.replace('file = "ht"', 'file = "./sleeper"'))
        return folder

    def sleepers_end(self, folder):
        """From the next start on."""
        os.rename(os.path.join(folder, "waits"), os.path.join(folder, "ends"))

    def start(self, cluster, *words):
        return subprocess.Popen([LOCKSTEP, "experiment", *words, "--on", "slurm", "--output", self.out], env=cluster.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, process, status=0, seconds=300):
        output, error = process.communicate(timeout=seconds)
        self.assertEqual(process.returncode, status, output + error)
        return output, error

    def ends(self):
        return glob.glob(f"{glob.escape(self.out)}/results/*.end")

    def wait_for(self, what, seconds=120):
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end, "waited too long")
            time.sleep(0.05)

    def runs(self):
        """The pattern of the `lockstep run` of points."""
        return f"^{re.escape(LOCKSTEP)} run .*{re.escape(self.out)}/"

    def signal_program(self, name):
        """To the program of a point, not to the `lockstep run` that started it; false when there is none."""
        found = subprocess.run(["pgrep", "--full", self.runs()], capture_output=True, text=True)
        parents = ",".join(found.stdout.split())
        return bool(parents) and not subprocess.run(["pkill", f"-{name}", "--parent", parents]).returncode

    def kill_run(self):
        """The `lockstep run` of a point while its program is held, and then that; false when there is none."""
        if not self.signal_program("STOP"):
            return False
        run, = subprocess.run(["pgrep", "--oldest", "--full", self.runs()], capture_output=True, text=True).stdout.split()
        program = subprocess.run(["pgrep", "--parent", run], capture_output=True, text=True).stdout.split()
        for pid in (run, *program):
            os.kill(int(pid), signal.SIGKILL)
        return True

    def hold_program(self):
        """Stops the program that runs, so that its point is not over before something else has happened."""
        self.wait_for(lambda: self.signal_program("STOP"))

    def end_following(self, process):
        """Lets the program that is held go on when the process follows the job; its errors."""
        said = ""
        while "follows 1 job array of an earlier call" not in said:
            line = process.stderr.readline()
            self.assertTrue(line, said)
            said += line
        # a node that was slow to answer a controller that starts has it begun anew, and then it may be over
        self.wait_for(lambda: self.signal_program("CONT") or process.poll() is not None)
        return said + self.end(process)[1]

    def rows(self, sql, out=None):
        with sqlite3.connect(f"{out or self.out}/results.sqlite") as db:
            return db.execute(sql).fetchall()

    def is_as_here(self, plan):
        """What came out is what the same command makes without a cluster."""
        here = os.path.join(self.folder, "here")
        subprocess.run([LOCKSTEP, "experiment", plan, "--output", here], check=True, capture_output=True, timeout=600)
        self.assertEqual(self.rows(SAME), self.rows(SAME, here))
        self.assertEqual(self.rows(COUNTED), self.rows(COUNTED, here))
        self.assertFalse(glob.glob(f"{glob.escape(self.out)}/slurm/[jt]*[0-9s]"), "no list of jobs or tasks is left")

    # ---- Failures ----

    def test_node_and_controller_fail(self):
        cluster, plan = self.cluster(nodes=2), self.plan(POINTS)
        process = self.start(cluster, plan, "--task-seconds", "0.3")
        self.wait_for(lambda: len(self.ends()) >= POINTS // 10)
        cluster.kill("node0")
        self.wait_for(lambda: len(self.ends()) >= POINTS // 5)
        cluster.kill("slurmctld")
        time.sleep(2)
        cluster.start_controller()
        cluster.start_node("node0")
        _, error = self.end(process, seconds=60 + 5 * POINTS)
        self.assertIn(f"{POINTS} points run, 0 had run before", error)
        self.assertEqual(self.rows("SELECT count(*), count(DISTINCT name), sum(outcome = 'passed') FROM points"), [(POINTS,) * 3])
        self.is_as_here(plan)

    def test_lost_task_is_submitted_again(self):
        cluster, plan = self.cluster(nodes=1), self.plan(2, long=True)
        process = self.start(cluster, plan, "--task-seconds", "1000")
        self.hold_program()
        subprocess.run(["scancel", "--full", "--signal=KILL", "1_0"], env=cluster.environment, check=True)
        output, error = self.end(process)
        self.assertIn("1 task ended without all its points", error)
        self.assertIn("2 points run", error)
        self.assertEqual(self.rows("SELECT count(*) FROM points WHERE outcome = 'passed'"), [(2,)])

    def is_run_again(self, kill):
        """What kills a task may kill a part of it first, of which the rest then writes an end: the point is run again."""
        cluster, plan = self.cluster(nodes=1), self.plan(2, long=True)
        process = self.start(cluster, plan, "--task-seconds", "1000")
        self.wait_for(kill)
        _, error = self.end(process)
        self.assertIn("1 task ended without all its points", error)
        self.assertEqual(self.rows("SELECT count(*) FROM points WHERE outcome = 'passed'"), [(2,)])

    def test_program_is_killed(self):
        self.is_run_again(lambda: self.signal_program("KILL"))

    def test_run_is_killed(self):
        self.is_run_again(self.kill_run)

    def test_result_without_end(self):
        """A node that fails between a point's two files leaves the result alone: it counts."""
        cluster, plan = self.cluster(nodes=1), self.plan(2, long=True)
        process = self.start(cluster, plan)
        self.wait_for(self.ends)
        os.unlink(self.ends()[0])
        _, error = self.end(process)
        self.assertNotIn("ended without", error)
        self.assertIn("2 points run", error)

    def test_program_ends_itself(self):
        """One that is asked to end, and fails for that: its point is run again, as it is when it is killed."""
        cluster, plan = self.cluster(nodes=1), self.plan_of_sleepers(2)
        process = self.start(cluster, plan, "--task-seconds", "1000")
        self.wait_for(lambda: os.path.exists(os.path.join(plan, "waits")))
        run, = subprocess.run(["pgrep", "--oldest", "--full", self.runs()], capture_output=True, text=True).stdout.split()
        task = int(subprocess.run(["ps", "-o", "ppid=", "-p", run], capture_output=True, text=True, check=True).stdout)
        os.kill(task, signal.SIGSTOP)  # it hears of the end of the point and that it is to end at the same time
        self.sleepers_end(plan)
        self.signal_program("TERM")
        self.wait_for(lambda: "Z" in subprocess.run(["ps", "-o", "state=", "-p", run], capture_output=True, text=True).stdout)
        os.kill(task, signal.SIGTERM)
        os.kill(task, signal.SIGCONT)
        _, error = self.end(process)
        self.assertIn("1 task ended without all its points", error)
        self.assertIn("2 points run", error)
        self.assertEqual(self.rows("SELECT count(*) FROM points WHERE outcome = 'passed'"), [(2,)])

    def test_given_up(self):
        cluster, plan = self.cluster(nodes=1), self.plan_of_sleepers(2)
        process = self.start(cluster, plan, "--task-seconds", "1000")
        while process.poll() is None:
            subprocess.run(["scancel", "--name=lockstep-plan"], env=cluster.environment, capture_output=True)
            time.sleep(0.5)
        output, error = self.end(process, status=1)
        self.assertIn("2 points were lost 3 times each, and given up", error)
        self.assertIn("missing: ", output)

    # ---- Stopping, and going on ----

    def test_stopped(self):
        cluster, plan = self.cluster(nodes=1), self.plan(2, long=True)
        process = self.start(cluster, plan)
        self.hold_program()
        process.send_signal(signal.SIGINT)
        _, error = self.end(process, status=130)
        self.assertIn("stopped, 0 of 2 points are done", error)
        self.wait_for(lambda: not subprocess.run(["squeue", "-h"], env=cluster.environment, capture_output=True, text=True).stdout)

    def test_stopped_without_controller(self):
        cluster, plan = self.cluster(nodes=1, configuration="MessageTimeout=2"), self.plan(2, long=True)
        process = self.start(cluster, plan)
        self.hold_program()
        cluster.kill("slurmctld")
        process.send_signal(signal.SIGINT)
        _, error = self.end(process, status=130)
        self.assertIn("so the jobs are not cancelled; the same command finds them again", error)
        cluster.start_controller()
        error = self.end_following(self.start(cluster, plan))
        self.assertIn("2 points run, 0 had run before", error)

    def test_followed_again(self):
        cluster, plan = self.cluster(nodes=1), self.plan(2, long=True)
        process = self.start(cluster, plan)
        self.hold_program()
        process.kill()
        process.communicate()
        error = self.end_following(self.start(cluster, plan))
        self.assertIn("2 points run, 0 had run before", error)
        jobs = subprocess.run(["scontrol", "show", "job", "--oneliner"], env=cluster.environment, capture_output=True, text=True).stdout
        self.assertNotIn("ArrayJobId=3", jobs, "nothing was submitted again")

    # ---- Refusals ----

    def test_refused(self):
        cluster, plan = self.cluster(nodes=1), self.plan(2)
        _, error = self.end(self.start(cluster, plan, "--partition", "nowhere"), status=2)
        self.assertRegex(error.splitlines()[-1], r"^sbatch: .*[Ii]nvalid partition")
        _, error = self.end(self.start(cluster, plan, "--sbatch=--no-such-option"), status=2)
        self.assertRegex(error.splitlines()[-1], r"^sbatch: .*no-such-option")
        os.symlink(shutil.which("true"), os.path.join(self.folder, "true"))
        done = subprocess.run([LOCKSTEP, "experiment", plan, "--on", "slurm", "--output", self.out], env={"PATH": self.folder},
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                         (2, "--on slurm: there is no sbatch in PATH, expected Slurm's commands"))

    def test_account_and_options(self):
        cluster, plan = self.cluster(nodes=1), self.plan(2)
        process = self.start(cluster, plan, "--account", "physics", "--memory", "100", "--sbatch=--comment=two words", "-j", "1")
        self.end(process)
        job = subprocess.run(["scontrol", "show", "job", "1"], env=cluster.environment, capture_output=True, text=True).stdout
        for words in ("Account=physics", "Comment=two words", "mem=100M", "ArrayTaskThrottle=1", "TimeLimit=00:06:00"):
            self.assertIn(words, job)


def why_not():
    """Why no cluster can be had here, in a line; None: it can."""
    if slurm_cluster.missing():
        return f"there is no {slurm_cluster.missing()}, expected Slurm (Debian: slurmctld, slurmd, slurm-client, munge)"
    try:
        with slurm_cluster.Cluster(nodes=1):
            return None
    except (OSError, RuntimeError) as error:
        print(error)
        return "Slurm does not start here: above is what its daemons said"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--points", type=int, default=POINTS)
    parser.add_argument("tests", nargs="*")
    arguments = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    globals()["POINTS"] = arguments.points
    return not unittest.main(argv=[sys.argv[0], *arguments.tests], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
