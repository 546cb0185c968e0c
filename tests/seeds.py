#!/usr/bin/env python3
"""`lockstep kernel --seeds`: each run is the one that --seed says, and their findings are one list, for any number of jobs and threads.

    LOCKSTEP=build/release/lockstep tests/seeds.py [TEST...]"""
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../build/release/lockstep")))
RACES = os.path.join(HERE, "kernel", "race", "seeded.cu")
TICKET = [RACES, "--kernel", "ticket", "--grid", "4", "--gpu", "v100", "--mode", "functional", "--check", "races", "--arg", "buf:lock:u32:2:zero",
          "--arg", "buf:data:u32:1:zero"]
GIVE_UP = [RACES, "--kernel", "give_up", "--grid", "2", "--gpu", "v100", "--mode", "functional", "--check", "races", "--arg", "buf:flag:u32:1:zero",
           "--arg", "buf:data:u32:2:zero"]
HANG = [os.path.join(HERE, "kernel", "hang", "philosophers.cu"), "--kernel", "philosophers", "--grid", "5", "--block", "32", "--gpu", "gtx480", "--divergence",
        "independent", "--mode", "functional", "--explain-limit", "0", "--arg", "buf:forks:s32:5:zero", "--arg", "s32:5"]


def lockstep(*words):
    return subprocess.run([LOCKSTEP, "kernel", *words], capture_output=True, text=True, timeout=120, check=False)


def report(*words):
    done = lockstep(*words, "--report", "json")
    return done.returncode, json.loads(done.stdout)


def pairs(findings):
    return {tuple(sorted((line["file"], line["line"]) for line in f["lines"])) for f in findings}


class Seeds(unittest.TestCase):
    def test_each_run_is_that_of_its_seed(self):
        for words in TICKET, GIVE_UP:
            _, together = report(*words, "--seeds", "10")
            alone = [report(*words, "--seed", str(seed))[1] for seed in range(10)]
            self.assertEqual([(r["seed"], r["warp_instructions"], r["findings"]) for r in together["seeds"]["runs"]],
                             [(k, a["launches"][0]["warp_instructions"], len(a["findings"])) for k, a in enumerate(alone)])
            self.assertEqual(pairs(together["findings"]), set().union(*(pairs(a["findings"]) for a in alone)))
            for pair in pairs(together["findings"]):
                its = [f for f in together["findings"] if pairs([f]) == {pair}]
                self.assertEqual(sorted(set().union(*(f["seeds"] for f in its))), [k for k, a in enumerate(alone) if pair in pairs(a["findings"])])
                self.assertTrue(all(f["first_with"] == f"--seed {f['seeds'][0]}" for f in its))
                self.assertLessEqual(len(its), max(sum(pairs([f]) == {pair} for f in a["findings"]) for a in alone))
            self.assertFalse(alone[0]["findings"])      # one run does not show them
            self.assertTrue(together["findings"])

    def test_the_rest_is_of_the_first_run(self):
        _, together = report(*TICKET, "--dump", "data", "--seed", "3", "--seeds", "2")
        _, first = report(*TICKET, "--dump", "data", "--seed", "3")
        for name in "launches", "buffers", "configuration":
            a, b = (re.sub(r'"wall_seconds": [\d.e-]+', "", json.dumps(r[name])) for r in (together, first))
            self.assertEqual(a, b)
        self.assertEqual([r["seed"] for r in together["seeds"]["runs"]], [3, 4])
        self.assertNotIn("seeds", first)
        self.assertTrue(all("seeds" not in f for f in first["findings"]))

    def test_jobs_and_threads_change_nothing(self):
        outputs = set()
        for jobs, threads in (("1", "1"), ("2", "1"), ("7", "3")):
            done = lockstep(*TICKET, "--seeds", "7", "--jobs", jobs, "--threads", threads, "--report", "json")
            outputs.add(re.sub(r'"(wall_seconds|threads)": *[0-9.e+-]+', "", done.stdout))
        self.assertEqual(len(outputs), 1)

    def test_timing_mode(self):
        words = [RACES, "--kernel", "give_up", "--grid", "2", "--gpu", "v100", "--check", "races", "--arg", "buf:flag:u32:1:zero", "--arg", "buf:data:u32:2:zero"]
        _, together = report(*words, "--seeds", "6")
        runs = together["seeds"]["runs"]
        self.assertGreater(len({r["cycles"] for r in runs}), 2)
        for run in runs:
            _, alone = report(*words, *run["options"].split())
            self.assertEqual((alone["launches"][0]["cycles"], len(alone["findings"])), (run["cycles"], run["findings"]))

    def test_what_the_command_sets_is_not_drawn(self):
        words = [*TICKET[:TICKET.index("--mode")], *TICKET[TICKET.index("--check"):], "--seeds", "8"]
        drawn = " ".join(r["options"] for r in report(*words)[1]["seeds"]["runs"])
        for option, name in (["--set", "crossbar.jitter=7"], "jitter"), (["--set", "dispatch.interval=3"], "interval"), (["--scheduler", "gto"], "scheduler"):
            self.assertIn(name, drawn)
            self.assertNotIn(name, " ".join(r["options"] for r in report(*words, *option)[1]["seeds"]["runs"]))

    def test_what_is_of_the_first_run_is_not_passed_on(self):
        words = [*TICKET[:TICKET.index("--mode")], *TICKET[TICKET.index("--check"):]]
        with tempfile.TemporaryDirectory() as folder:
            alone, first = os.path.join(folder, "alone.json"), os.path.join(folder, "first.json")
            report(*words, "--trace", alone)
            report(*words, f"--trace={first}", "--seeds=4", "-j", "1")  # another run would write the file after the first
            with open(alone, "rb") as a, open(first, "rb") as b:
                self.assertEqual(a.read(), b.read())

    def test_a_hang_is_of_its_seed(self):
        status, together = report(*HANG, "--seeds", "8")
        outcomes = [r["outcome"] for r in together["seeds"]["runs"]]
        self.assertEqual(set(outcomes), {"hang", "completed"})
        self.assertEqual(status, 3)
        last = len(outcomes) - 1 - outcomes[::-1].index("completed")
        self.assertEqual(report(*HANG, "--seed", str(last))[0], 0)
        hangs = [k for k, o in enumerate(outcomes) if o == "hang"]
        self.assertEqual(sorted(k for f in together["findings"] for k in f["seeds"]), hangs)
        before = next(k for k in range(7) if outcomes[k:k + 2] == ["completed", "hang"])
        self.assertEqual(report(*HANG, "--seed", str(before), "--seeds", "2")[0], 3)

    def test_text(self):
        done = lockstep(*TICKET, "--seeds", "10")
        self.assertRegex(done.stdout, r"\n  with \d+ seeds, first with --seed 1\n")
        self.assertRegex(done.stdout, r"\nseeds: 10 runs, --seed 0 to 9: 10 completed; findings with \d\n")
        self.assertNotIn("seeds:", lockstep(*TICKET).stdout)
        self.assertEqual(lockstep(*TICKET, "--seeds", "10", "--error-exit", "9").returncode, 9)

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"TMPDIR": folder}
            subprocess.run([LOCKSTEP, "kernel", *TICKET, "--seeds", "4"], env=environment, stdout=subprocess.DEVNULL, check=True)
            self.assertEqual(os.listdir(folder), [])
            run = subprocess.Popen([LOCKSTEP, "kernel", *TICKET, "--seeds", "2000", "--jobs", "1"], env=environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            time.sleep(2)
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(60), -signal.SIGTERM)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
