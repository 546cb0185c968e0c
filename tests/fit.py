#!/usr/bin/env python3
"""`lockstep fit`: a model against the table of a card. The card is another model, so its values are known: what differs comes back, and nothing
else is proposed.

    tests/fit.py"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", "build/release/lockstep"))
SILICON = os.path.join(os.path.dirname(LOCKSTEP), "workloads", "silicon")

# What the card has, and a100 has not. A field that the points determine in another way than its neighbours: a sum of two (barrier), behind the
# way of stores (fence), a pair that moves together (crossbar), a clock, which makes operations shorter, one that is 0 at first.
CARD = {"latency.shuffle": 31, "latency.shift": 27, "latency.fp_mad": 6, "interval.fp_mad": 4, "barrier.latency": 35, "barrier.per_warp": 3, "match.value": 9,
        "match.any": 40, "crossbar.request_latency": 120, "crossbar.reply_latency": 121, "fence.latency": 400, "lsu.operand": 4, "atomic.clock": 900000}
# What the card has as a100 has it, and the points determine, too.
SAME = {"latency.fp_add", "shared.latency"}

PRIMITIVES = ["--primitive", "shfl_sync,shfl_down_sync,ffma_chain,ffma_rate,fadd_chain,syncthreads,match_any_chain,chase_l2,chase_shared,threadfence_array,"
              "atomicadd_scalar_v2,atomicadd_array_v2", "--type", "int,ull,float", "--threads", "1,2,4,8,16,32,256,1024",
              "--footprint", "65536", "--groups", "1"]


class Fit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep-fit-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def command(self, *words, status=0):
        run = subprocess.run([LOCKSTEP, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, status, run.stderr)
        return run.stdout

    def text(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def measure(self, name, card, *options):
        """The table of a100 with these fields."""
        settings = [word for field, value in card.items() for word in ("--set", f"{field}={value}")]
        text = self.command("run", "--gpu", "a100", *settings, "--output", os.devnull, "--", SILICON, *(options or PRIMITIVES), "--gpu", "My Card", "--drain", "--repeat", "1",
                            "--iterations", "1")
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return text

    def fitted(self, *names):
        """{field: value} of a file that the command has written."""
        group, found = None, {}
        for line in self.text(*names).splitlines():
            if line.endswith(": {"):
                group = line[:-3]
            elif line.startswith("\t"):
                name, value = re.match(r'\t(\w+) = \((-?\d+), "fitted by lockstep fit to My Card of .*, half fit: \d+ points? of .*, residual .* %, at most .* %"\);$', line).groups()
                found[f"{group}.{name}"] = int(value)
        return found

    def test_round_trip(self):
        """All that differs comes back, and no other field changes; the points that nobody has fitted agree, too."""
        self.measure("card.csv", CARD)
        said = self.command("fit", "a100", "card.csv", "--sample", "3", "-j", "2", "-o", "out")
        found = self.fitted("out", "fitted.cfg")
        clock = found.pop("atomic.clock")
        self.assertEqual(found, {field: value for field, value in CARD.items() if field != "atomic.clock"})
        self.assertLess(abs(clock / CARD["atomic.clock"] - 1), 0.005)  # its points have a hundredth of a cycle
        right, = re.findall(r"^The model's value is right for: (.*)$", said, re.M)
        self.assertLessEqual(SAME, set(right.split(", ")))
        rows = list(csv.DictReader(self.text("out", "points.csv").splitlines()))
        self.assertEqual({row["half"] for row in rows}, {"fit", "held out"})
        far = [row for row in rows if abs(float(row["proposed"]) / float(row["measured"]) - 1) > 0.02]
        self.assertLess(len(far), len(rows) / 20, far)
        self.assertGreater(sum(abs(float(row["simulated"]) / float(row["measured"]) - 1) > 0.1 for row in rows), len(rows) / 3)
        self.assertIn("from: fitted by lockstep fit to My Card of card.csv", self.command("gpus", "./out/fitted.cfg"))
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["fitted.cfg", "points.csv"])

    def test_nothing_to_propose(self):
        """The card is the model: no field, no file; how many simulations run at a time changes nothing."""
        self.measure("card.csv", {}, "--primitive", "shfl_sync,fadd_chain,syncthreads", "--type", "int,float", "--threads", "1,2,4,8,32", "--groups", "1")
        first, second = [self.command("fit", "a100", "card.csv", "-j", jobs, "-o", "out") for jobs in ("1", "3")]
        self.assertEqual(first, second)
        self.assertNotIn("Proposed", first)
        self.assertIn("The model's value is right for: latency.fp_add, latency.shuffle, barrier.latency\n", first)
        self.assertEqual(os.listdir(self.path("out")), ["points.csv"])

    def test_bad_law(self):
        """Points that no value describes are said to be such, with the best value, and none is proposed."""
        lines = self.measure("card.csv", {}, "--primitive", "fadd_chain", "--threads", "1,2,4,8,16,32", "--groups", "1").splitlines()
        with open(self.path("card.csv"), "w", encoding="utf-8") as file:
            file.write("\n".join([lines[0]] + [re.sub(r",4\.00,4\.00$", f",{3 + 4 * k},9", line) for k, line in enumerate(lines[1:])]))
        said = self.command("fit", "a100", "card.csv", "-o", "out")
        self.assertNotIn("Proposed", said)
        self.assertRegex(said, r"Not proposed: with the best value the law does not describe these points\n.*\n  latency\.fp_add +4 +\d+ ")

    def test_base_and_cards(self):
        """A model of one's own is the base by its whole path; of a table of several cards --card names one; rows that cannot be compared are counted."""
        text = self.measure("card.csv", {"latency.shuffle": 40}, "--primitive", "shfl_sync", "--type", "int", "--threads", "1,2,4,8,16,32", "--groups", "1")
        with open(self.path("card.csv"), "a", encoding="utf-8") as file:
            file.write(text.replace("My Card", "other").split("\n", 1)[1] + "My Card,vote_any_sync,,int,1,32,5,5\nMy Card,shfl_sync,,int,1,64,-1,5\n")
        with open(self.path("mine.cfg"), "w", encoding="utf-8") as file:
            file.write('base = "a100";\nlatency: { shuffle = 28; };\n')
        said = self.command("fit", "./mine.cfg", "card.csv", "--card", "My Card", "-o", "out")
        self.assertEqual(self.fitted("out", "fitted.cfg"), {"latency.shuffle": 40})
        self.assertIn(f'base = "{os.path.realpath(self.path("mine.cfg"))}";', self.text("out", "fitted.cfg"))
        self.assertIn("My Card of card.csv: 7 points\n1 row left out: cycles of 0 or less\n1 point left out: workloads/silicon does not have the primitive\n", said)
        self.assertIn("latency.shuffle               28        40", said)

    def test_range(self):
        """No value is tried with which the field, or the one that moves with it, leaves its range."""
        self.measure("card.csv", {"latency.int_mad": 4}, "--primitive", "imad_chain", "--threads", "1,2,4,8,16,32", "--groups", "1")
        with open(self.path("mine.cfg"), "w", encoding="utf-8") as file:
            file.write('base = "a100";\nlatency: { int_mad = 8; int_mul = 2; };\n')
        said = self.command("fit", "mine.cfg", "card.csv", "-o", "out")
        self.assertRegex(said, r"Not proposed: with the best value the law does not describe these points\n.*\n  latency\.int_mad +8 +7 ")

    def test_json(self):
        """--report json says the same in one object, and nothing else."""
        self.measure("card.csv", {"latency.shuffle": 40}, "--primitive", "shfl_sync,fadd_chain", "--type", "int,float", "--threads", "1,2,4,8,16,32", "--groups", "1")
        said = json.loads(self.command("fit", "a100", "card.csv", "--report", "json", "-o", "out"))
        self.assertEqual([said[key] for key in ("schema", "gpu", "card", "table", "points")], ["lockstep-fit/1", "a100", "My Card", "card.csv", 18])
        fields = {field["field"]: field for field in said["fields"]}
        self.assertEqual({name: field["state"] for name, field in fields.items() if field["state"] != "no points"}, {"latency.shuffle": "proposed", "latency.fp_add": "kept"})
        self.assertEqual([fields["latency.shuffle"][key] for key in ("model", "card", "median")], [25, 40, 0])
        self.assertEqual(said["primitives"]["shfl_sync"]["worst_measured"], 40)
        self.assertEqual([said["halves"][half]["proposed_ninth"] for half in ("fit", "held_out")], [0, 0])
        self.assertIn("dram.tRP", said["inherited"]["models"]["v100"])
        self.assertIn("latency.shuffle", said["inherited"]["own"]["sync"])

    def test_inherited(self):
        """Fields by the model that they are from; the values of one's own file are its own."""
        with open(self.path("mine.cfg"), "w", encoding="utf-8") as file:
            file.write('base = "h200";\nfence: { latency = (300, "sheet: page 3"); };\n')
        said = self.command("gpus", "./mine.cfg", "--inherited")
        own, = re.findall(r"^Of \d+ fields about the chip, \d+ have a source of their own: (.*)$", said, re.M)
        self.assertIn("sheet 1", own.split(", "))
        models = re.findall(r"^  from ([\w-]+), (\d+): (.*)$", said, re.M)
        self.assertLessEqual({"h200", "a100", "v100"}, {name for name, _, _ in models})
        for _, count, fields in models:
            self.assertEqual(len(re.split("[,;] ", fields)), int(count))
        self.assertNotIn("fence.latency", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
