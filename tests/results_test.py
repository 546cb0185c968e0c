#!/usr/bin/env python3
"""tests/results.py itself: what has moved, how claims are summed up, and when a picture of them is stale."""
import os
import tempfile
import unittest

import paper_pictures
import results

HEAD = "# plan 1, build 2, PTX 3\nclaim,part,role,kind,paper,ours,low,high,result,without,values\n"


def claims(*rows):
    with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as file:
        file.write(HEAD + "".join(row + "\n" for row in rows))
        file.flush()
        return results.read(file.name)


def moved(was, now):
    (before,), (after,) = claims(was).values(), claims(now).values()
    return results.has_moved(before, after)


class Moved(unittest.TestCase):
    def test_within_and_outside_the_interval(self):
        was = "A,,confirmed,ratio,2,2,1.9,2.1,met,,1=1.95; 2=2; 3=2.05"
        self.assertIsNone(moved(was, was))
        self.assertIsNone(moved(was, "A,,confirmed,ratio,2,2.09,2,2.2,met,,1=2.09; 2=2.09; 3=2.09"))
        self.assertEqual(moved(was, "A,,confirmed,ratio,2,2.11,2,2.2,met,,1=2.11; 2=2.11; 3=2.11"), "is outside the interval")
        self.assertEqual(moved(was, "A,,confirmed,ratio,2,1.89,1.8,2,met,,1=1.89; 2=1.89; 3=1.89"), "is outside the interval")
        self.assertEqual(moved(was, "A,,confirmed,ratio,2,2,1,3,unsure,,1=1; 2=2; 3=3"), "has another result")

    def test_of_a_factor_the_mean_is_geometric(self):
        was = "A,,confirmed,factor,4,4,2,8,met,,1=2; 2=4; 3=8"
        self.assertIsNone(moved(was, "A,,confirmed,factor,4,7.9,7,8,met,,1=7.9; 2=7.9; 3=7.9"))
        self.assertEqual(moved(was, "A,,confirmed,factor,4,8.1,7,9,met,,1=8.1; 2=8.1; 3=8.1"), "is outside the interval")

    def test_without_an_interval_at_all(self):
        was = "A,,confirmed,ratio,2,2,,,met,,1=2; 2=2"
        self.assertIsNone(moved(was, "A,,confirmed,ratio,2,2.0000000001,,,met,,1=2.0000000001; 2=2.0000000001"))
        self.assertEqual(moved(was, "A,,confirmed,ratio,2,2.0001,,,met,,1=2.0001; 2=2.0001"), "is another")

    def test_some_seeds_against_the_same(self):
        was = "A,,confirmed,ratio,2,2,1.8,2.2,met,,1=1.7; 2=2; 3=2.3"
        self.assertIsNone(moved(was, "A,,confirmed,ratio,2,1.7,,,not met,,1=1.7"))      # which one seed need not show
        self.assertIsNone(moved(was, "A,,confirmed,ratio,2,1.89,,,met,,1=1.89"))
        self.assertEqual(moved(was, "A,,confirmed,ratio,2,1.91,,,met,,1=1.91"), "differs by more than half the interval")
        self.assertEqual(moved(was, "A,,confirmed,ratio,2,1.7,,,met,,4=1.7"), "has other seeds")

    def test_texts(self):
        was = 'A,,confirmed,verdict,"x, y","x, y",,,met,,"1=x, y; 2=x, y"'
        self.assertIsNone(moved(was, was))
        self.assertIsNone(moved(was, 'A,,confirmed,verdict,"x, y","x, y",,,met,,"1=x, y"'))
        self.assertEqual(moved(was, 'A,,confirmed,verdict,"x, y",z,,,not met,,1=z'), "is another")

    def test_without_values(self):
        none, some = "A,,confirmed,ratio,2,,,,not measured,,", "A,,confirmed,ratio,2,2,,,met,,1=2"
        self.assertIsNone(moved(none, none))
        self.assertEqual(moved(none, some), "has no value")
        self.assertEqual(moved(some, none), "has no value")

    def test_what_is_claimed(self):
        was, now = claims("A,,confirmed,ratio,2,2,,,met,,1=2"), claims("A,,fitted,ratio,2,2,,,met,,1=2", "B,,confirmed,ratio,2,2,,,met,,1=2")
        self.assertEqual(results.compare_plans("n", was, now), 2)
        self.assertEqual(results.compare_plans("n", now, was), 2)
        self.assertEqual(results.compare_plans("n", now, now), 0)
        self.assertEqual(results.compare("n", was, now), 0)


class Folder(unittest.TestCase):
    """Tests with results of their own."""
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, results, "RESULTS", results.RESULTS)
        results.RESULTS = folder.name

    def write(self, name, *rows):
        with open(os.path.join(results.RESULTS, name), "w", encoding="utf-8") as file:
            file.write(HEAD + "".join(row + "\n" for row in rows))


class Totals(Folder):
    def test_a_claim_is_its_worst_part_at_the_larger_size(self):
        self.write("bows-small.csv", "A,1,confirmed,ratio,2,2,,,met,none,1=2", "A,2,confirmed,ratio,2,,,,not measured,,",
                   "B,,confirmed,ratio,2,2,,,met,,1=2", "C,1,definition,exact,2,2,,,met,,1=2", "D,1,fitted,ratio,2,2,,,met,,1=2",
                   "D,2,confirmed,ratio,2,9,,,not met,,1=9", "E,,fitted,ratio,2,2,,,met,,1=2")
        self.assertEqual(results.count(results.by_claim("bows"))["not measured"], 1)
        self.write("bows-paper.csv", "A,2,confirmed,ratio,2,2,,,met,x,1=2", "B,,confirmed,factor,2,3,,,direction only,,1=3",
                   "C,1,definition,exact,2,,,,not measured,,")
        row = results.count(results.by_claim("bows"))
        self.assertEqual({key: value for key, value in row.items() if value},
                         {"met": 2, "direction only": 1, "definitions": 1, "without": 1, "fitted": 2, "fitted met": 1})
        table = results.totals().splitlines()
        self.assertEqual(table[0], "**2 of 5 claims are met and not fitted.**")
        self.assertIn("| 2, `bows` | 5 | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 1 | 2 | 1 |", table)
        self.assertIn("| all of these | 5 | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 1 | 2 | 1 |", table)
        self.assertEqual(sum("| not run |" in line for line in table), 4)


class Pictures(Folder):
    """Of docs/results of one claim; the picture is written here, without gnuplot."""
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, paper_pictures, "svg", paper_pictures.svg)
        paper_pictures.svg = lambda name: os.path.join(results.RESULTS, f"{name}.svg")
        self.write("lock-bits-small.csv", "P3-01,,confirmed,ratio,4,4.5,,,met,,1=4.5")

    def draw(self, body):
        with open(paper_pictures.svg("lock-bits"), "w", encoding="utf-8") as file:
            file.write(body.replace("<desc></desc>", f"<desc>{paper_pictures.hashes('lock-bits', body)}</desc>"))

    def test_it_is_stale_when_a_value_is_another(self):
        self.assertFalse(paper_pictures.is_current("lock-bits"))
        self.draw("<svg><desc></desc><path/></svg>")
        self.assertTrue(paper_pictures.is_current("lock-bits"))
        self.write("lock-bits-small.csv", "P3-01,,confirmed,ratio,4,4.4,,,met,,1=4.4")
        self.assertFalse(paper_pictures.is_current("lock-bits"))

    def test_it_is_not_current_when_it_was_changed_by_hand(self):
        self.draw("<svg><desc></desc><path/></svg>")
        with open(paper_pictures.svg("lock-bits"), "r+", encoding="utf-8") as file:
            file.write("<!--")
        self.assertFalse(paper_pictures.is_current("lock-bits"))

    def test_a_claim_that_no_panel_has_is_named(self):
        self.write("lock-bits-small.csv", "P3-01,,confirmed,ratio,4,4.5,,,met,,1=4.5", "P3-77,,confirmed,ratio,4,4.5,,,met,,1=4.5", "P3-78,,confirmed,trend,slower,1,,,met,,1=1")
        self.assertEqual(paper_pictures.not_drawn("lock-bits"), ["P3-77"])


if __name__ == "__main__":
    unittest.main()
