#!/usr/bin/env python3
"""tests/digests.py: what changes a digest and what does not, what the lines of a file say, and which of them --accept leaves."""
import contextlib
import copy
import io
import os
import tempfile
import unittest
from unittest import mock

import digests
import run_kernels

REPORT = {
    "schema": "lockstep-report/1", "gpu": "gtx480", "configuration": {"run.mode": "timing"},
    "launches": [{"kernel": "k", "outcome": "completed", "cycles": 12, "warp_instructions": 3, "wall_seconds": 0.5, "counters": {"a.sum": 1, "b.sum": 0}}],
    "findings": [{"cause": "address", "message": "/here/tests/k.ptx:4: out of bounds", "confirmed": True}],
    "buffers": {"data": [1, 2]},
}
ROW = digests.row(REPORT, "", "/here/tests")
USUAL = {"scheduler": "lrr", "seed": "1", "threads": "1", "spin": "none"}


def changed(change, printed="", folder="/here/tests"):
    """The row when `change` has been made to the report."""
    report = copy.deepcopy(REPORT)
    change(report)
    return digests.row(report, printed, folder)


def parts(row):
    return row.digest[:4] != ROW.digest[:4], row.digest[4:7] != ROW.digest[4:7], row.digest[7:] != ROW.digest[7:]


class Digest(unittest.TestCase):
    def test_what_has_no_part(self):
        def others(report):
            report["launches"][0].update(wall_seconds=7, new_field=1)
            report["launches"][0]["counters"]["c.sum"] = 0
            report["configuration"]["new"] = 1
            report["version"] = 2
        self.assertEqual(changed(others), ROW)
        self.assertEqual(changed(lambda report: report["findings"][0].update(message="/elsewhere/k.ptx:4: out of bounds"), folder="/elsewhere"), ROW)

    def test_each_part(self):
        self.assertEqual(parts(changed(lambda report: report["launches"][0]["counters"].update({"a.sum": 2}))), (True, False, False))
        self.assertEqual(parts(changed(lambda report: report["launches"][0].update(outcome="hang"))), (True, False, False))
        self.assertEqual(parts(changed(lambda report: report["buffers"].update(data=[1, 3]))), (False, True, False))
        self.assertEqual(parts(changed(lambda report: report["findings"][0].update(confirmed=False))), (False, False, True))
        self.assertEqual(parts(changed(lambda report: None, printed="hello")), (False, False, True))
        self.assertEqual(changed(lambda report: report.update(findings=[])).digest[7:], "---")

    def test_cycles_of_all_launches(self):
        def another(report):
            report["launches"].append(report["launches"][0] | {"cycles": 30})
        self.assertEqual((changed(another).cycles, changed(another).instructions), (42, 6))

    def test_configurations(self):
        options = ["--gpu", "v100", "--scheduler", "lrr", "--mode", "timing", "--threads", "3", "--seed", "1", "--spin", "none"]
        self.assertEqual(digests.key(options, USUAL), "v100")
        options = ["--gpu", "v100", "--scheduler", "random", "--mode", "functional", "--threads", "3", "--seed", "2", "--spin", "ddos"]
        self.assertEqual(digests.key(options, USUAL), "v100 random functional seed=2 spin=ddos")

    def test_why(self):
        self.assertIsNone(digests.differs(ROW, ROW))
        self.assertIn("accepted", digests.differs(None, ROW))
        text = digests.differs(ROW, ROW._replace(cycles=13, digest="0000" + ROW.digest[4:]))
        self.assertIn("in outcome and counters: cycles 12 -> 13, warp instructions 3 as before", text)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, digests, "FOLDER", digests.FOLDER)
        digests.FOLDER = folder.name

    def accept(self, seen, names):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            digests.accept(seen, names)
        return printed.getvalue()

    def test_what_is_written_is_read(self):
        runs = {"one": {"v100 gto seed=2": ROW, "v100": ROW._replace(digest="0123abc---")}, "one big": {"": ROW}}
        digests.write("folder", runs)
        self.assertEqual(digests.read("folder"), runs)
        self.assertEqual(digests.read("nothing"), {})

    def test_accepting(self):
        names = {"folder/one", "folder/two", "other/three"}
        self.accept({"folder/one": {"one": {"v100": ROW}, "one big": {"v100": ROW}}, "folder/two": {"two": {"v100": ROW}}, "other/three": {"three": {"v100": ROW}}}, names)
        # One test alone: its other launch goes away, the other test stays.
        later = ROW._replace(cycles=13)
        printed = self.accept({"folder/one": {"one": {"v100": later, "gtx480": later}}}, names)
        self.assertEqual(digests.read("folder"), {"one": {"v100": later, "gtx480": later}, "two": {"v100": ROW}})
        self.assertIn("folder.txt: 1 runs more, 1 fewer, 1 of 2 differ; cycles 24 -> 25", printed)
        # Tests that there are no longer; nothing is printed or written where all is as it was.
        printed = self.accept({"folder/one": {"one": {"v100": later, "gtx480": later}}}, {"folder/one", "other/three"})
        self.assertEqual(digests.read("folder").keys(), {"one"})
        self.assertEqual(printed.count("\n"), 1)
        self.accept({}, {"folder/one"})
        self.assertEqual(os.listdir(digests.FOLDER), ["folder.txt"])
        self.assertEqual(self.accept({}, {"folder/one"}), "")

    def test_folders_without_a_file(self):
        digests.write("folder", {"one": {"v100": ROW}})
        self.addCleanup(run_kernels.accepted_reports.cache_clear)
        run_kernels.accepted_reports.cache_clear()
        with mock.patch.object(run_kernels, "KERNELS", "/k"):
            for name, compares, patterns, expected in [
                    ("folder/one.ptx", "compare", [], "compare"), ("folder/new.ptx", "accept", ["=folder/new"], "accept"),
                    ("folder/one.cl", "accept", [], None), ("folder/one.ptx", None, [], None),
                    ("other/one.ptx", "compare", ["other/*"], None), ("other/one.ptx", "accept", [], None),
                    ("other/one.ptx", "accept", ["other/one"], None), ("other/one.ptx", "accept", ["other/*"], "accept")]:
                self.assertEqual(run_kernels.compared("/k/" + name, compares, patterns), expected, (name, compares, patterns))


class Expectations(unittest.TestCase):
    def test_a_line_that_is_not_for_the_first_launch_stays(self):
        """`words` is of the launch `first` below, where the first line does not hold; `data` is of both."""
        text = "words = 0\ndata = 1\nunder --launch first:\n    words = -1\n"
        with tempfile.TemporaryDirectory() as folder:
            stem = os.path.join(folder, "one")
            for ending, contents in (".ptx", "// launch first: --dump words --dump data\n// launch second: --dump words\n"), (".expect", text):
                with open(stem + ending, "w") as file:
                    file.write(contents)
            for data, expected in (1, text), (2, text.replace("data = 1", "data = 2")):
                run = mock.Mock(outcome="completed", dumps=lambda data=data: {"words": [-1], "data": [data]})
                with mock.patch.object(run_kernels, "Run", lambda command, run=run: run):
                    run_kernels.accept(stem + ".ptx")
                with open(stem + ".expect") as file:
                    self.assertEqual(file.read(), expected)


if __name__ == "__main__":
    unittest.main()
