#!/usr/bin/env python3
"""scripts/mutate on tests/mutate/places.c and slips.c: which mutants it makes, and what they do when they are switched on; mutants by hand; samples; the
page's table.

    tests/mutate/test_mutate.py [TEST...]
"""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools", "mutate"))
sys.dont_write_bytecode = True

import hand
import judge
import main
import making
import schemata
import slips
import table

CLANG = making.load_clang()
# By hand, from the table in tools/mutate/operators.py: line, operator and what it becomes.
EXPECTED = """
12 constant 1
14 constant 1
14 last (i) + 1 < (n)
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
35 enumerator NONE
35 never 0
35 relational SIZE != SOME
36 enumerator NONE
37 enumerator SOME
"""
# By hand, from the table in tools/mutate/slips.py: the slips of slips.c.
SLIPS = """
29 member p->last
30 member p->is_late = 1
32 member p->count
33 member p->first
41 enumerator SCOPE_GPU
43 enumerator SCOPE_GPU
43 enumerator SCOPE_SYSTEM
49 reset
50 reset
51 reset
52 arguments key_add(2, 1)
52 key
53 forget
60 arguments between(from, step, count, to)
60 arguments between(step, to, count, from)
60 arguments between(to, from, count, step)
67 key !!(a->first == b->first)
67 key !!(a->scope == b->scope)
67 member a->last
67 member b->last
72 last (k) + 1 < (n)
77 last memcpy(to, from, (n) - 1)
78 last memcpy(words, from, (n * sizeof *words) - sizeof *words)
85 early (now) - 1
86 early (size + latency + 2) - 1
87 early (when) - 1
89 early (now + latency) - 1
96 key !!(a)
96 key !!(is_one_of(a, b, b + 1))
101 omitted 0
101 omitted 0
"""
# What sum({1, 2, 4, 8}, 3) is under some of them; 7 under none.
RESULTS = {"12:14:constant": "8", "14:15:constant": "6", "14:18:relational": "15", "15:3:drop": "6", "15:3:assignment": "-7",
           "15:3:assignment:2": "4", "17:6:sign": "6", "29:9:return": "8", "29:9:return:2": "0", "21:3:drop": "7"}
MAIN = '#include <stdio.h>\nint sum(const int *, int);\nint main(void) { printf("%d", sum((int[]){1, 2, 4, 8}, 3)); }\n'


# By hand, of places.c: a declaration, a label, a statement that goes, all of an expression, two in one function; and what is printed under each.
BY_HAND = """\
# a comment
HERE/places.c:11 :: calls = 3 :: calls = 4 :: where the sum is 0, it becomes 8
HERE/places.c:12 :: = 0, room :: = 5, room :: the sum begins at 5
HERE/places.c :: total += p[i]; ::  :: nothing is added
HERE/places.c :: case 7 :: case 3 :: three elements are another case
"""
BY_HAND_DO = ["7", "12", "6", "2"]
NOT_BY_HAND = {
    "HERE/places.c:12 :: total :: sum": "expected FILE or FILE:LINE :: old :: new :: what goes wrong",
    "HERE/places.c:12 :: total :: sum :: ": "expected FILE or FILE:LINE :: old :: new :: what goes wrong",
    "HERE/places.c:12 :: totals :: sum :: a": "'totals' is 0 times in HERE/places.c:12, expected once",
    "HERE/places.c:12 :: o :: 0 :: a": "'o' is 3 times in HERE/places.c:12, expected once",
    "HERE/places.c:99 :: total :: sum :: a": "'total' is 0 times in HERE/places.c:99, expected once",
    "HERE/places.c :: break :: continue :: a": "'break' is 2 times in HERE/places.c, expected once",
    "HERE/places.c:7 :: 1 :: 3 :: a": "expected a place in a function",
    "HERE/nowhere.c:7 :: 1 :: 3 :: a": "HERE/nowhere.c: No such file or directory",
}


SLIPS_MAIN = """
uint64_t later_of(uint64_t a, uint64_t b) { return a > b ? a : b; }
void key_add(uint64_t key, uint64_t part) { printf("%d", (int)(key * 10 + part)); }
void line_evict(struct part *p) { p->count += 1; }
void line_free(struct part *p) { p->count += 0; }
void line_touch(struct part *p) { p->count += 2; }
void between(uint64_t from, uint64_t to, uint32_t count, uint64_t step) { (void)from, (void)to, (void)count, (void)step; }
bool is_one_of(uint64_t value, uint64_t a, uint64_t b) { return value == a || value == b; }
void start(uint64_t when) { printf(" %d", (int)when); }
int main(void)
{
	struct part a = {.first = 9, .last = 4, .reserved = 2};
	members(&a);
	printf("%d %d %d%d %d, ", (int)a.first, (int)a.last, a.is_open, a.is_late, (int)a.count);
	statements(&a);
	printf(" %d,", (int)a.count);
	struct part x = {.first = 1}, y = {.first = 1, .last = 1};
	printf(" %d,", same(&x, &y));
	return times(6, 2, 3) == 0;
}
"""
# What slips.c and SLIPS_MAIN print without a mutant, and under one.
PRINTED = "3 4 10 2, 12 3, 1, 8 0"
SLIPS_DO = {"29:2:member": "9 3 10 2, 12 3, 1, 8 0", "30:2:member": "3 4 01 2, 12 3, 1, 8 0", "32:14:member": "3 4 10 0, 12 3, 1, 8 0",
            "52:2:key": "3 4 10 2,  3, 1, 8 0", "53:2:forget": "3 4 10 2, 12 2, 1, 8 0", "52:2:arguments": "3 4 10 2, 21 3, 1, 8 0",
            "67:9:member": "3 4 10 2, 12 3, 0, 8 0", "86:9:early": "3 4 10 2, 12 3, 1, 7 0"}


class Table(unittest.TestCase):
    def test_the_table_of_the_page_is_that_of_the_file(self):
        with open(main.PAGE, encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(page, table.put_into(page, table.read(main.RESULTS)), "scripts/mutate --record writes both")

    def test_what_is_recorded(self):
        """A sample replaces the rows of its folders and no other; what is below the limit says so."""
        with tempfile.TemporaryDirectory() as folder:
            path, page = os.path.join(folder, "mutants.txt"), os.path.join(folder, "page.md")
            table.write(path, {"src/a": ([4, 1, 0, 3, 0], 7, "slips", 1), "src/b": ([20, 17, 1, 1, 1], 7, "all", 2)})
            with open(page, "w", encoding="utf-8") as file:
                file.write(f"before\n{table.BEGIN}\nlast year\n{table.END}\nbehind\n")
            mutants = [types.SimpleNamespace(id=k, file="src/a/deep/file.c") for k in range(8)]
            outcomes = ["noticed"] * 6 + ["survived", "not decided"]
            sums = table.sums(mutants, {k: {"outcome": o} for k, o in enumerate(outcomes[:7])})
            table.record(ROOT, path, page, sums, "slips", 3)
            rows = table.read(path)
            self.assertEqual(rows["src/a"][0], [7, 6, 0, 1, 0])
            self.assertEqual(rows["src/b"], ([20, 17, 1, 1, 1], 7, "all", 2))
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertTrue(text.startswith("before\n") and text.endswith("\nbehind\n") and "last year" not in text)
        self.assertIn("| `src/a` | 7 | 6 | 0 | 1 | 0 | 86 |  |", text)
        self.assertIn("| `src/b` | 20 | 17 | 1 | 1 | 1 | 85 |  |", text)
        self.assertIn("| 84 | below 85 % |", "\n".join(table.of_page({"src/c": ([25, 21, 0, 4, 0], 1, "all", 1)})))

    def test_samples_are_as_large_for_each_folder(self):
        """A folder with few lines gives them all, and the others what it lacks; one operator with many mutants is not drawn more often."""
        def mutant(file, line, operator):
            return types.SimpleNamespace(file=file, line=line, operator=operator, id=f"{file}:{line}:1:{operator}")
        mutants = [mutant("src/small/a.c", k, "drop") for k in range(2)]
        mutants += [mutant(f"src/{name}/a.c", k, "constant") for name in ("large", "larger") for k in range(100)]
        mutants += [mutant("src/large/a.c", 100 + k, "key") for k in range(3)] + [mutant("src/larger/a.c", 7, "key")]
        chosen = main.sample(mutants, 14, 5)
        self.assertEqual([sum(m.file.startswith(f"src/{name}/") for m in chosen) for name in ("small", "large", "larger")], [2, 6, 6])
        self.assertEqual([m.operator for m in chosen if m.file == "src/large/a.c"].count("key"), 3)
        self.assertEqual(len({(m.file, m.line) for m in chosen}), 14)
        self.assertEqual(chosen, main.sample(mutants, 14, 5))
        self.assertNotEqual(chosen, main.sample(mutants, 14, 6))
        self.assertEqual(len(main.sample(mutants, 500, 5)), 205)


class Runs(unittest.TestCase):
    def run_under(self, name, mutants, program, ending=""):
        """Builds a file with its mutants and gives a function that runs it under one: (what it prints, what it reaches)."""
        numbered = list(enumerate(mutants))
        with open(os.path.join(HERE, name), encoding="latin-1") as file:
            source = file.read()
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)

        def write(name, text):
            with open(os.path.join(folder, name), "w", encoding="latin-1") as file:
                file.write(text)
        write("mutant.h", schemata.HEADER)
        write("mutant.c", schemata.SWITCH % {"size": schemata.MUTANTS_MAX})
        write("main.c", program)
        text = schemata.switched(source, numbered, "mutant.h", name)
        self.assertEqual(text.count("\n"), source.count("\n") + 2)
        write(name, text + ending)
        subprocess.run(["cc", "-w", "-DNDEBUG", "-o", "program", "main.c", name, "mutant.c"], cwd=folder, check=True)

        def run(number):
            with open(os.path.join(folder, "reached"), "wb") as file:
                file.truncate(schemata.MUTANTS_MAX)
            done = subprocess.run([os.path.join(folder, "program")], capture_output=True, text=True, timeout=10, check=True,
                                  env={"LOCKSTEP_MUTANT": str(number), "LOCKSTEP_MUTANTS_REACHED": os.path.join(folder, "reached")})
            with open(os.path.join(folder, "reached"), "rb") as file:
                return done.stdout, file.read()
        return run


class ByHand(Runs):
    def read(self, lines):
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(lines.replace("HERE", os.path.relpath(HERE, ROOT)))
            file.flush()
            return hand.read(ROOT, file.name)

    def test_what_they_do(self):
        mutants = self.read(BY_HAND)
        self.assertEqual([m.shown().partition("places.c:")[2] for m in mutants][1:3],
                         ["12:12  hand  = 0, room -> = 5, room", "15:3  hand  total += p[i]; -> nothing"])
        run = self.run_under("places.c", mutants, MAIN)
        self.assertEqual(run(-1), ("7", bytes([1, 1, 1, 1]).ljust(schemata.MUTANTS_MAX, b"\0")))
        self.assertEqual([run(n)[0] for n in range(4)], BY_HAND_DO)
        run = self.run_under("slips.c", self.read("HERE/slips.c :: line_evict(p); ::  :: in a function that returns nothing\n"), "",
                             "#include <stdio.h>" + SLIPS_MAIN)
        self.assertEqual([run(n)[0] for n in (-1, 0)], [PRINTED, SLIPS_DO["53:2:forget"]])

    def test_what_does_not_apply_is_told_with_its_line(self):
        for line, why in NOT_BY_HAND.items():
            with self.assertRaises(SystemExit) as refused:
                self.read("# a comment\n" + line + "\n")
            self.assertEqual(str(refused.exception).partition(":2: ")[2], why.replace("HERE", os.path.relpath(HERE, ROOT)))


@unittest.skipUnless(CLANG, f"{making.PACKAGE} is not installed")
class Mutate(Runs):
    @classmethod
    def setUpClass(cls):
        cls.mutants = making.make(CLANG, HERE, ["places.c"], None)

    def test_what_is_made(self):
        made = sorted(f"{m.line} {m.operator} {m.after}".strip() for m in self.mutants)
        self.assertEqual(made, sorted(EXPECTED.strip().splitlines()))

    def test_which_slips_are_made(self):
        made = sorted(f"{m.line} {m.operator} {m.after}".strip() for m in making.make(CLANG, HERE, ["slips.c"], None) if m.operator in slips.NAMES)
        self.assertEqual(made, sorted(SLIPS.strip().splitlines()))

    def compare_runs(self, run, mutants, results):
        where = {m.id.partition(":")[2]: n for n, m in enumerate(mutants)}
        self.assertEqual({w: run(where[w])[0] for w in results}, results)

    def test_what_they_do(self):
        run = self.run_under("places.c", self.mutants, MAIN)
        result, reached = run(-1)
        self.assertEqual(result, "7")
        self.assertEqual({m.line for n, m in enumerate(self.mutants) if reached[n]}, {12, 14, 15, 16, 17, 26, 29})
        self.assertFalse(any(reached[len(self.mutants):]))
        self.compare_runs(run, self.mutants, RESULTS)

    def test_what_slips_do(self):
        """Members are written and have their addresses taken under the switch, also where another mutant has the same place."""
        mutants = making.make(CLANG, HERE, ["slips.c"], None)
        run = self.run_under("slips.c", mutants, "", "#include <stdio.h>" + SLIPS_MAIN)
        self.assertEqual(run(-1)[0], PRINTED)
        self.compare_runs(run, mutants, SLIPS_DO)

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

    def test_who_fails_by_chance_gets_a_second_try(self):
        """Runs of the unit, one after another: whether it passed, and why it was ended."""
        unit = types.SimpleNamespace(name="release/map_test", key="k", seconds=1, reached={7})
        mutant = types.SimpleNamespace(file="src/util/map.c")
        for runs, outcome, how in (([(True, "")], "survived", ""), ([(False, ""), (True, "")], "survived", ""), ([(False, ""), (False, "")], "noticed", ""),
                                   ([(False, "time-out")], "noticed", "time-out"), ([(False, ""), (False, "memory")], "noticed", "memory")):
            with tempfile.TemporaryDirectory() as folder, self.subTest(runs=runs):
                left = list(runs)
                judged = judge.Judge(folder, 1, [], ROOT)
                judged.run = lambda *_, left=left, **__: (left[0][0], 1, left.pop(0)[1], "")
                row = judged.decide(7, mutant, [unit], None, 100)
                self.assertEqual((row["outcome"], row["how"], left), (outcome, how, []))


if __name__ == "__main__":
    unittest.main()
