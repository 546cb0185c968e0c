#!/usr/bin/env python3
"""scripts/mutate on tests/mutate/places.c: which mutants it makes, and what they do when they are switched on.

    tests/mutate/test_mutate.py [TEST...]
"""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools", "mutate"))
sys.dont_write_bytecode = True

import judge
import main
import making
import schemata

# By hand, from the table in tools/mutate/operators.py: line, operator and what it becomes.
EXPECTED = """
12 constant 1
14 constant 1
14 negate !(i < n)
14 relational i <= n
15 assignment total -= p[i]
15 assignment total = p[i]
15 drop
16 constant 1
16 negate !(room[0])
17 never 0
17 sign !!(total)
18 return ((TWICE(calls)) + 1)
18 return 0
21 drop
21 drop
21 order total--; total = n
21 step total++
22 jump
26 drop-left !!(total == sizeof(int))
26 drop-right !!(n)
26 logical n || total == sizeof(int)
26 negate !(n && total == sizeof(int))
26 relational total != sizeof(int)
27 negate !(--n)
27 never 0
27 step ++n
28 jump
28 jump break
29 return ((total) + 1)
29 return 0
35 never 0
35 relational SIZE != SOME
36 return ((SOME) + 1)
36 return 0
37 return ((NONE) + 1)
"""
# What sum({1, 2, 4, 8}, 3) is under some of them; 7 under none.
RESULTS = {"12:14:constant": "8", "14:15:constant": "6", "14:18:relational": "15", "15:3:drop": "6", "15:3:assignment": "-7",
           "15:3:assignment:2": "4", "17:6:sign": "6", "29:9:return": "8", "29:9:return:2": "0", "21:3:drop": "7"}
MAIN = '#include <stdio.h>\nint sum(const int *, int);\nint main(void) { printf("%d", sum((int[]){1, 2, 4, 8}, 3)); }\n'


class Mutate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mutants = making.make(CLANG, HERE, ["places.c"], None)

    def test_what_is_made(self):
        made = sorted(f"{m.line} {m.operator} {m.after}".strip() for m in self.mutants)
        self.assertEqual(made, sorted(EXPECTED.strip().splitlines()))

    def test_what_they_do(self):
        numbered = list(enumerate(self.mutants))
        with open(os.path.join(HERE, "places.c"), encoding="latin-1") as file:
            source = file.read()
        with tempfile.TemporaryDirectory() as folder:
            def write(name, text):
                with open(os.path.join(folder, name), "w", encoding="latin-1") as file:
                    file.write(text)
            write("mutant.h", schemata.HEADER)
            write("mutant.c", schemata.SWITCH % {"size": schemata.MUTANTS_MAX})
            write("main.c", MAIN)
            text = schemata.switched(source, numbered, "mutant.h", "places.c")
            self.assertEqual(text.count("\n"), source.count("\n") + 2)
            write("places.c", text)
            subprocess.run(["cc", "-w", "-DNDEBUG", "-o", "program", "main.c", "places.c", "mutant.c"], cwd=folder, check=True)

            def run(number):
                with open(os.path.join(folder, "reached"), "wb") as file:
                    file.truncate(schemata.MUTANTS_MAX)
                done = subprocess.run([os.path.join(folder, "program")], capture_output=True, text=True, timeout=10, check=True,
                                      env={"LOCKSTEP_MUTANT": str(number), "LOCKSTEP_MUTANTS_REACHED": os.path.join(folder, "reached")})
                with open(os.path.join(folder, "reached"), "rb") as file:
                    return done.stdout, file.read()
            result, reached = run(-1)
            self.assertEqual(result, "7")
            self.assertEqual({m.line for n, m in numbered if reached[n]}, {12, 14, 15, 16, 17, 26, 29})
            self.assertFalse(any(reached[len(numbered):]))
            for number, mutant in numbered:
                where = mutant.id.partition(":")[2]
                if where in RESULTS:
                    self.assertEqual(run(number)[0], RESULTS[where], mutant.id)

    def test_those_that_change_nothing(self):
        """A line of the file names a mutant by the text of its line; one that names none is told."""
        here = os.path.relpath(os.path.join(HERE, "places.c"), ROOT)
        mutants = [m for m in making.make(CLANG, ROOT, [here], None) if m.line == 14]
        with open(os.path.join(HERE, "places.c"), encoding="latin-1") as file:
            text = file.read().splitlines()[13].strip()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
            path = os.path.join(folder, "equivalent")
            with open(path, "w", encoding="ascii") as file:
                file.write(f"# two lines\n{here} :: {text} :: relational :: i <= n :: a reason\n{here} :: {text} :: relational :: i == n :: another\n")
            found = main.read_equivalent(path, mutants)
        self.assertEqual([(next(m for m in mutants if m.id == i).after, reason) for i, reason in found.items()], [("i <= n", "a reason")])
        self.assertIn(f"equivalent:3: there is no such mutant of {here}", said.getvalue())

    def test_the_likeliest_tests_come_first(self):
        quick_first = {"release/kernels:atomic/a": 1, "release/kernels:atomic/b": 2, "release/kernels:memory/l1_sets": 3, "release/run:test_it": 4,
                       "release/l1_test": 5, "release/map_test": 6, "release/kernels:memory/copy": 7}
        tests = [types.SimpleNamespace(name=n, seconds=s) for n, s in reversed(quick_first.items())]

        def order(failures):
            return [u.name.partition("/")[2] for u in judge.likeliest_first(tests, "src/memory/l1.c", failures)]
        # Named for the file and its folder, for one of them; then of each group the quickest.
        self.assertEqual(order({}), ["kernels:memory/l1_sets", "l1_test", "kernels:memory/copy", "kernels:atomic/a", "run:test_it", "map_test",
                                     "kernels:atomic/b"])
        self.assertEqual(order({("src/memory", "release/map_test"): 2})[3:5], ["map_test", "kernels:atomic/a"])
        self.assertEqual(order({("src/memory/l1.c", "release/kernels:atomic/b"): 1})[0], "kernels:atomic/b")


CLANG = making.load_clang()
if __name__ == "__main__":
    if not CLANG:
        print(f"skipped: {making.PACKAGE} is not installed")
        sys.exit(77)
    unittest.main()
