#!/usr/bin/env python3
"""`lockstep experiment` from outside, on the tiny experiment of tests/experiment/: what it leaves, stopping and going on, batch systems, mistakes.

    LOCKSTEP=build/release/lockstep tests/experiment.py [TEST...]
"""

import glob
import html.parser
import json
import os
import re
import resource
import shlex
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

import terminal

HERE = os.path.dirname(os.path.abspath(__file__))
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../build/release/lockstep")))
TINY = os.path.join(HERE, "experiment")
# What two ways to the same results may differ in.
SAME = "SELECT key, name, program, gpu, options, arguments, seed, size, command, simulator, build, outcome, exit_status, configuration FROM points ORDER BY point"


def run(*words, status=0, **more):
    done = subprocess.run([LOCKSTEP, "experiment", *words], capture_output=True, text=True, timeout=120, **more)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


class Balanced(html.parser.HTMLParser):
    """Notes tags that are not closed in order, and anything that the page would fetch."""

    VOID = {"meta", "br", "path", "use", "rect", "circle", "polygon", "stop", "feFlood", "feComposite", "feflood", "fecomposite"}

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.ids, self.text = [], [], [], ""

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href") and not value.startswith("#"):
                self.wrong.append(f"{tag} {name}={value}")
        if tag == "script":
            self.wrong.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append("/" + tag)

    def handle_data(self, data):
        self.text += data


class Experiment(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep-experiment-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = os.path.join(self.folder, "out")

    def results(self, ending="json", out=None):
        return sorted(glob.glob(f"{out or self.out}/results/*.{ending}"))

    def rows(self, sql, out=None):
        with sqlite3.connect(f"{out or self.out}/results.sqlite") as db:
            return db.execute(sql).fetchall()

    def changed(self, before, after, file="experiment.cfg"):
        """The folder of an experiment that differs from the tiny one in this."""
        copy = os.path.join(self.folder, "changed")
        shutil.copytree(TINY, copy, dirs_exist_ok=True)
        with open(f"{copy}/experiment.cfg", encoding="utf-8") as f:
            text = f.read().replace("../../", os.path.join(HERE, "..") + "/")
        with open(f"{copy}/experiment.cfg", "w", encoding="utf-8") as f:
            f.write(text)
        with open(f"{copy}/{file}", encoding="utf-8") as f:
            text = f.read()
        self.assertIn(before, text)
        with open(f"{copy}/{file}", "w", encoding="utf-8") as f:
            f.write(text.replace(before, after))
        return copy

    def refused(self, message, *words):
        done = run(*words, status=2)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertFalse(self.results(), "nothing runs before a mistake is said")

    # ---- What it leaves ----

    def test_all(self):
        done = run(TINY, "--only", "quick", "--output", self.out)
        self.assertEqual(done.stderr.splitlines(), [
            "lockstep experiment: experiment, size small: 2 points, 2 at a time" if os.cpu_count() == 2 else done.stderr.splitlines()[0],
            "lockstep experiment: 2 points run, 0 had run before"])
        words = {line.split()[0]: line for line in done.stdout.splitlines()}
        self.assertRegex(words["T-01"], r"confirmed +256 +256 +- +1.00  met, also without GTO$")
        self.assertTrue(words["T-02"].endswith(" met, also without GTO"))        # of equal times
        self.assertTrue(words["T-03"].endswith(" not met"))
        self.assertTrue(words["T-04"].endswith(" not met: why"))
        self.assertTrue(words["T-05"].endswith("not measured: no result has the counter sync__there_is_not.sum"))
        self.assertIn("confirmed       5 claims: 2 met (2 of them without the mechanism, too), 1 not met, 1 not met: why, 1 not measured\n"
                      "met, not fitted: 2 of 5: T-01 T-02\n1 seed\n", done.stdout)
        # one point for two policies of the same options, and a row of `runs` for each
        self.assertEqual(len(self.results()), 2)
        self.assertEqual(self.rows("SELECT count(*) FROM points WHERE outcome = 'passed'"), [(2,)])
        self.assertEqual(self.rows("SELECT policy FROM runs ORDER BY policy"), [("also gto",), ("gto",), ("lrr",)])
        self.assertEqual(self.rows("SELECT sum(r.cycles) = sum(l.cycles) FROM runs r JOIN launches l USING (point)"), [(1,)])
        self.assertEqual(self.rows("SELECT min(r.[sync__atomic_lanes.sum] = c.value) FROM runs r JOIN counters c USING (point) "
                                   "WHERE c.name = 'sync__atomic_lanes.sum'"), [(1,)])
        self.check_page()
        # again: nothing runs, and the same bytes
        before = self.read_all()
        again = run(TINY, "--only", "quick", "--output", self.out, "--strict", status=1)
        self.assertIn("0 points run, 2 had run before", again.stderr)
        self.assertEqual(again.stdout, done.stdout)
        self.assertEqual(self.read_all(), before)

    def test_seeds(self):
        """A value for each seed, with its interval and, in figures, the least and the greatest; --seeds takes the first."""
        copy = self.changed('seeds = [1]; },\n\t{ name = "long"', 'seeds = [7, 8, 9]; },\n\t{ name = "long"')
        done = run(copy, "--only", "quick", "--output", self.out)
        self.assertIn("3 seeds\n", done.stdout)
        time = {line.split()[0]: line for line in done.stdout.splitlines()}["T-02"]
        ratios = [row[0] for row in self.rows("SELECT time FROM pairs ORDER BY 1")]
        self.assertEqual(len(ratios), 3)
        mean, low, high = map(float, re.search(r" 1 +([0-9.]+) +([0-9.]+) to ([0-9.]+) ", time).groups())
        self.assertAlmostEqual(mean, sum(ratios) / 3, delta=0.002)
        half = 4.303 * (sum((x - sum(ratios) / 3) ** 2 for x in ratios) / 2 / 3) ** 0.5
        self.assertAlmostEqual(low, mean - half, delta=0.01)
        self.assertAlmostEqual(high, mean + half, delta=0.01)
        with open(f"{self.out}/figures/time.tsv", encoding="utf-8") as f:
            names, values = [line.rstrip("\n").split("\t") for line in f]
        self.assertEqual(names[2:6], ["lrr", "gto", "also gto", "lrr, least"])
        cycles = [row[0] for row in self.rows("SELECT cycles FROM runs WHERE policy = 'lrr'")]
        self.assertEqual([round(float(values[2]), 6), int(values[5]), int(values[8])], [round(sum(cycles) / 3, 6), min(cycles), max(cycles)])
        with open(f"{self.out}/claims.md", encoding="utf-8") as f:
            self.assertIn("| T-02 | time of GTO over LRR | confirmed | 1 | ", f.read())
        first = run(copy, "--only", "quick", "--output", self.out, "--seeds", "1")
        self.assertIn("0 points run, 2 had run before", first.stderr)
        self.assertIn("1 seed\n", first.stdout)
        self.assertEqual(run("bows", "--seeds", "0", status=2).stderr, "--seeds 0: expected a whole number from 1 to 1000000\n")

    def test_seeds_draw_when_groups_start(self):
        """Of a program with one input, too; unless the experiment or the policy says otherwise, or there is no seed."""
        def cycles(more, seeds="seeds = [1, 2, 3];", policies=""):
            copy = self.changed("--seed {seed}", "--seed 1")
            with open(f"{copy}/experiment.cfg", encoding="utf-8") as f:
                text = f.read().replace("time_limit = 60;", "time_limit = 60; " + more).replace("seeds = [1];", seeds)
            with open(f"{copy}/experiment.cfg", "w", encoding="utf-8") as f:
                f.write(text.replace('options = "--scheduler lrr', f'options = "{policies}--scheduler lrr'))
            out = os.path.join(self.folder, "starts")
            shutil.rmtree(out, ignore_errors=True)
            run(copy, "--only", "quick", "--output", out)
            shutil.rmtree(copy)
            with sqlite3.connect(f"{out}/results.sqlite") as db:
                return [row[0] for row in db.execute("SELECT cycles FROM runs WHERE policy = 'lrr' ORDER BY seed")]
        drawn = cycles("")
        self.assertGreater(len(set(drawn)), 1)
        self.assertEqual(cycles(""), drawn)
        fixed = cycles("fixed_starts = true;")
        self.assertEqual(len(fixed), 3)
        self.assertEqual(len(set(fixed)), 1)
        self.assertEqual(cycles("", policies="--set dispatch.jitter=0 --set dispatch.warp_jitter=0 "), fixed)
        self.assertEqual(cycles("", seeds=""), fixed[:1])
        self.assertNotIn(fixed[0], drawn)

    def test_views_need_nothing_of_ours(self):
        """Plain SQLite, without our program, reads every view of every experiment."""
        for name in os.listdir(os.path.join(HERE, "../experiments")):
            views = os.path.join(HERE, "../experiments", name, "views.sql")
            if not os.path.exists(views):
                continue
            run(TINY, "--only", "quick", "--output", self.out)
            with sqlite3.connect(f"{self.out}/results.sqlite") as db, open(views, encoding="utf-8") as f:
                db.execute("DROP VIEW IF EXISTS pairs")
                for table in glob.glob(os.path.join(os.path.dirname(views), "*.csv")):    # which such an experiment's database has
                    with open(table, encoding="utf-8") as csv:
                        columns = next(line for line in csv if not line.startswith("#"))
                    db.execute(f"CREATE TABLE {os.path.basename(table)[:-4]}({columns})")
                db.executescript(f.read())
                for view, in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
                    try:
                        db.execute(f"SELECT * FROM [{view}]").fetchall()
                    except sqlite3.OperationalError as error:
                        self.assertRegex(str(error), r"no such column: .*__", view)    # counters of other programs

    def read_all(self):
        files = {}
        for name in [f"{self.out}/index.html", *glob.glob(f"{self.out}/figures/*")]:
            with open(name, "rb") as f:
                files[name] = f.read()
        return files

    def check_page(self):
        with open(f"{self.out}/index.html", encoding="utf-8") as f:
            page = f.read()
        parser = Balanced()
        parser.feed(page)
        self.assertEqual((parser.wrong, parser.open), ([], []))
        self.assertEqual(len(parser.ids), len(set(parser.ids)))
        self.assertIn("A <tiny> experiment & its page", parser.text)
        self.assertIn("It does < more.", parser.text)
        self.assertIn("Not measured: no result has the counter sync__there_is_not.sum.", parser.text)
        if shutil.which("gnuplot"):
            self.assertEqual(page.count("<svg"), 2)
            for figure in ("time", "attempts-made"):
                xml.etree.ElementTree.parse(f"{self.out}/figures/{figure}.svg")
                with open(f"{self.out}/figures/{figure}.png", "rb") as f:
                    self.assertEqual(f.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertNotIn(self.folder, page)

    def test_page_of_one_set(self):
        """What rests on points that were not asked for has no rows and no captions, only a word on how many there are."""
        other = self.changed("sets = (", 'sets = ( { name = "other"; programs = "ht"; gpus = "gtx480"; policies = ["lrr"]; seeds = [2]; },')
        done = run(other, "--only", "other", "--output", self.out)
        with open(f"{self.out}/index.html", encoding="utf-8") as f:
            page = f.read()
        self.assertNotIn("not measured", done.stdout)
        self.assertIn("5 more claims rest on points that were not asked for", done.stdout)
        self.assertEqual(page.lower().count("not measured"), 0)
        self.assertNotIn("<figure", page)
        self.assertIn("5 more claims rest on points that were not asked for", page)
        self.assertIn("3 more figures rest on points that were not asked for", page)

    def test_without_gnuplot(self):
        folder = os.path.join(self.folder, "bin")
        os.mkdir(folder)
        with open(f"{folder}/gnuplot", "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexit 127\n")
        os.chmod(f"{folder}/gnuplot", 0o755)
        run(TINY, "--only", "quick", "--output", self.out)
        done = run(TINY, "--only", "quick", "--output", self.out, "--collect", env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertIn("there is no gnuplot, so the figures are not drawn; all else is written", done.stderr)
        self.assertEqual(sorted(os.listdir(f"{self.out}/figures")), ["attempts-made.tsv", "time.tsv"])  # and no old pictures
        with open(f"{self.out}/index.html", encoding="utf-8") as f:
            self.assertEqual(f.read().count("Not drawn: there is no gnuplot."), 2)
        self.assertEqual(self.rows("SELECT count(*) FROM points"), [(2,)])

    # ---- Stopping and going on ----

    def stop(self, number):
        """Sends a signal once two points have ended and the third runs; what had ended."""
        process = subprocess.Popen([LOCKSTEP, "experiment", TINY, "-j1", "--output", self.out], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        limit = time.monotonic() + 60
        while len(self.results("end")) < 2 or not self.results("log"):
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)
        process.send_signal(number)
        stderr = process.communicate(timeout=30)[1]
        return process.returncode, stderr, {name: os.stat(name).st_mtime_ns for name in self.results()}

    def test_going_on(self):
        status, stderr, before = self.stop(signal.SIGINT)
        self.assertEqual(status, 130)
        self.assertIn("stopped, 2 of 3 points are done; the same command goes on from there\n", stderr)
        self.assertEqual(len(before), 2)
        self.assertEqual(self.results("log"), [])
        status, stderr, _ = self.stop(signal.SIGTERM)  # those that had run before are done, too
        self.assertIn("stopped, 2 of 3 points are done; the same command goes on from there\n", stderr)
        self.assertEqual(self.stop(signal.SIGKILL)[0], -signal.SIGKILL)  # leaves what it was at
        done = run(TINY, "--output", self.out)
        self.assertIn("1 points run, 2 had run before", done.stderr)
        self.assertEqual(len(self.results()), 3)
        for name, when in before.items():
            self.assertEqual(os.stat(name).st_mtime_ns, when)
        self.assertEqual(self.rows("SELECT count(*), min(outcome) FROM points"), [(3, "passed")])

    def test_two_at_once(self):
        first = subprocess.Popen([LOCKSTEP, "experiment", TINY, "--output", self.out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self.results("log"):
            time.sleep(0.01)
        first.send_signal(signal.SIGSTOP)  # so that it is not done before the second begins
        try:
            second = run(TINY, "--output", self.out, status=2)
        finally:
            first.send_signal(signal.SIGCONT)
        self.assertEqual(second.stderr, f"{self.out}: another `lockstep experiment` is at work there\n")  # nothing is run
        self.assertEqual(first.wait(60), 0)

    # ---- Pinned kernels ----

    def pinned(self, program):
        """The tiny experiment with the PTX of this program as that of ht, which is copied."""
        shutil.copytree(f"{HERE}/../workloads/ptx/{program}", f"{self.folder}/ptx/ht")
        return self.changed("views = ", f'pinned = "{self.folder}/ptx"; views = ')

    def without_clang(self):
        """An environment with the programs of PATH but clang, and without a cache."""
        os.mkdir(f"{self.folder}/bin")
        os.symlink(shutil.which("true"), f"{self.folder}/bin/true")
        environment = {**os.environ, "PATH": f"{self.folder}/bin", "XDG_CACHE_HOME": f"{self.folder}/cache"}
        return {name: value for name, value in environment.items() if name not in ("LOCKSTEP_CLANG", "LOCKSTEP_LIBCLC")}

    def expect_said(self, done, words):
        """The printed table, the page and claims.md say it before any number, and the results and the database have it."""
        said = f"The kernels of ht are not the pinned ones of the stated results. They were compiled by {words}"
        self.assertRegex(done.stdout, "^" + said)
        with open(f"{self.out}/claims.md", encoding="utf-8") as f:
            self.assertRegex(f.read(), "^# A <tiny> experiment & its page, size small\n\n" + said)
        with open(f"{self.out}/index.html", encoding="utf-8") as f:
            page = f.read()
        self.assertRegex(page[:page.index("<h2>")], said)
        self.assertEqual(self.rows("SELECT count(*) FROM points WHERE unpinned IS NOT NULL"), [(2,)])
        for name in self.results():
            with open(name, encoding="utf-8") as f:
                report = f.read()
            one = json.loads(report)["unpinned"]
            self.assertEqual([source["source"] for source in one], ["program.cl"])
            self.assertRegex(f"{one[0]['compiler']}: {one[0]['why']}", words)
            self.assertLess(report.index('"unpinned"'), report.index('"launches"'))

    def expect_kernels(self, words, compilation):
        """The page and claims.md say what made the PTX before any number, and the database has its digest, as the reports do."""
        with open(f"{self.out}/claims.md", encoding="utf-8") as f:
            self.assertIn(f"\n\nKernels of ht: {words}.\n\n2 points", f.read())
        with open(f"{self.out}/index.html", encoding="utf-8") as f:
            page = f.read()
        self.assertIn(f">Kernels of ht: {words}.<", page[:page.index("<h2>")])
        said = []
        for name in self.results():
            with open(name, encoding="utf-8") as f:
                said.append(json.load(f)["provenance"])
        self.assertEqual(sorted(self.rows("SELECT compilation, compiler, ptx FROM points")), sorted((compilation, one["compiler"], one["ptx"]) for one in said))
        self.assertIn(said[0]["ptx"], page)

    def test_pinned_kernels_need_no_clang(self):
        done = run(self.pinned("ht"), "--only", "quick", "--output", self.out, env=self.without_clang())
        self.assertIn("2 points run", done.stderr)
        self.assertEqual(self.rows("SELECT outcome, unpinned FROM points"), [("passed", None)] * 2)
        self.assertTrue(done.stdout.startswith("claim "))
        self.expect_kernels("pinned PTX, by Debian clang version 14.0.6", "pinned")
        # and the results are those of the compiler by which they were pinned
        pinned, out = [self.rows(f"SELECT * FROM {table}") for table in ("runs", "launches", "counters")], os.path.join(self.folder, "compiled")
        run(TINY, "--only", "quick", "--output", out)
        if "Debian clang version 14.0.6" in self.version("clang-14"):
            self.assertEqual(pinned, [self.rows(f"SELECT * FROM {table}", out) for table in ("runs", "launches", "counters")])

    def version(self, clang):
        return subprocess.run([clang, "--version"], capture_output=True, text=True, check=False).stdout if shutil.which(clang) else ""

    def test_another_compiler_is_said(self):
        clang = shutil.which("clang-14") or shutil.which("clang")
        experiment = self.pinned("ht")
        run(experiment, "--only", "quick", "--output", self.out)
        pinned = self.results()
        done = run(experiment, "--only", "quick", "--output", self.out, "--clang", clang)
        self.assertIn("2 points run, 0 had run before", done.stderr)  # they are others
        for name in pinned:
            os.unlink(name)
        self.expect_said(done, f".*clang version .*: {clang} was chosen")
        self.expect_kernels(f"compiled anew, by {self.version(clang).splitlines()[0]}", "anew")

    def test_no_compiler_is_an_error(self):
        """It is said once, and the points run when there is one."""
        done = run(TINY, "--only", "quick", "--output", self.out, env=self.without_clang(), status=2)
        self.assertRegex(done.stderr, r"2 points, .*\nOpenCL C cannot be compiled: there is no clang 14 or later on PATH \(Debian: apt-get install clang-14\)\n$")
        self.assertEqual(done.stdout, "")
        done = run(TINY, "--only", "quick", "--output", self.out)
        self.assertIn("2 points run, 0 had run before", done.stderr)

    def test_another_source_is_said(self):
        """The PTX of atm is of the same options."""
        done = run(self.pinned("atm"), "--only", "quick", "--output", self.out)
        self.expect_said(done, r".*clang version .*: program.cl is not the source of its pinned PTX, .*/ptx/ht/program-[0-9a-f]+.ptx: scripts/pin-ptx makes it anew")

    def test_other_options_are_said(self):
        done = run(self.pinned("needle"), "--only", "quick", "--output", self.out)
        self.expect_said(done, r".*clang version .*: .*/ptx/ht has no PTX of program.cl with -cl-std=CL1.2 -I.*0.* -I.*1.*")

    def test_damaged_pins_are_refused(self):
        experiment = self.pinned("ht")
        name = glob.glob(f"{self.folder}/ptx/ht/*.ptx")[0]
        os.truncate(name, 1000)
        self.refused(f"{name}: is damaged, expected pinned PTX as it was written: scripts/pin-ptx makes it anew", experiment, "--only", "quick", "--output", self.out)
        shutil.rmtree(f"{self.folder}/ptx")
        self.refused(f"{self.folder}/ptx/ht: cannot be read: No such file or directory; expected a folder of pinned PTX", experiment, "--only", "quick", "--output", self.out)

    # ---- Elsewhere ----

    def test_batch(self):
        run(TINY, "--only", "quick", "--output", self.out)
        other = os.path.join(self.folder, "with ' quote")
        lines = run(TINY, "--only", "quick", "--output", other, "--points").stdout.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertEqual(shlex.split(lines[0])[1], "run")
        missing = run(TINY, "--only", "quick", "--output", other, "--collect", status=1)
        self.assertIn("missing: ht-gtx480-lrr-", missing.stdout)
        self.assertIn("not measured: 2 of its 2 points have no result", missing.stdout)
        for line in lines:
            subprocess.run(["sh", "-c", line], check=True, capture_output=True, timeout=60)
        self.assertEqual(len(self.results("end", other)), 0)
        run(TINY, "--only", "quick", "--output", other, "--collect")
        for sql in (SAME, "SELECT point, output FROM points ORDER BY point", "SELECT * FROM runs", "SELECT * FROM launches", "SELECT * FROM counters", "SELECT * FROM entries"):
            self.assertEqual(self.rows(sql), self.rows(sql, other))
        self.assertIn("0 points run, 2 had run before", run(TINY, "--only", "quick", "--output", other).stderr)

    def test_on_slurm(self):
        """Programs in the place of Slurm's: sbatch notes its words and runs the tasks, which are this command again."""
        folder, out, clang = os.path.join(self.folder, "bin"), os.path.join(self.folder, "with blank"), shutil.which("clang-14") or shutil.which("clang")
        os.mkdir(folder)
        for name, text in (("squeue", ""), ("scontrol", "exit 1"), ("sbatch", f"""
printf '%s\\n' "$@" > '{self.folder}/words'
for word; do case $word in --array=*) last=${{word##*-}}; last=${{last%%%*}};; --chdir=*) cd "${{word#*=}}";; --*) ;; *) break;; esac; shift; done
for task in $(seq 0 "$last"); do SLURM_ARRAY_TASK_ID=$task sh "$@" > "7-$task.log" 2>&1 || echo "$task: $?" >> '{self.folder}/failed'; done
echo 7""")):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as f:
                f.write(f"#!/bin/sh\n{text}\n")
            os.chmod(f"{folder}/{name}", 0o755)
        words = [TINY, "--only", "quick", "--seeds", "1", "--output", out, "--clang", clang]
        done = run(*words, "--on=slurm", "--partition=p", "--account=a", "--memory", "7", "-j3", "--task-seconds", "0.1", "--sbatch=--x", "--sbatch=--y",
                   env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, cwd=self.folder)
        self.assertEqual(done.stderr.splitlines(), ["lockstep experiment: experiment, size small: 2 points, on Slurm",
                                                    "lockstep experiment: 2 points run, 0 had run before"])
        self.assertFalse(os.path.exists(f"{self.folder}/failed"))
        with open(f"{self.folder}/words", encoding="utf-8") as f:
            noted = f.read().splitlines()
        # a task for each point, of 0.3 s by the plan: three times that and five minutes are 6 minutes
        self.assertEqual(noted, [
            "--parsable", "--requeue", "--open-mode=append", "--ntasks=1", "--cpus-per-task=1", "--output=%A-%a.log", "--job-name=lockstep-experiment",
            f"--chdir={out}/slurm", "--array=0-1%3", "--time=6", "--mem=7M", "--partition=p", "--account=a", "--x", "--y", f"{out}/slurm/task.sh",
            os.path.realpath(self.folder), os.path.join(os.path.dirname(os.path.realpath(LOCKSTEP)), "lockstep-experiment"), os.path.realpath(TINY),
            "--size=small", f"--output={out}", "--only=quick", f"--clang={clang}", "--seeds=1", "--task", f"{out}/slurm/tasks-0"])
        self.assertEqual(sorted(os.listdir(f"{out}/slurm")), ["task.sh"])
        self.assertEqual(len(self.results("end", out)), 2)
        # here, they have run
        again = run(*words)
        self.assertIn("0 points run, 2 had run before", again.stderr)
        self.assertEqual(again.stdout, done.stdout)

    def test_task(self):
        """The points of a line of the list, one behind the other, however many processors there are; nothing is judged."""
        copy = self.changed('file = "ht"', 'file = "./p"')
        with open(f"{copy}/p", "w", encoding="utf-8") as f:     # fails beside another
            f.write(f"#!/bin/sh\nmkdir '{self.folder}/lock' || exit 9\nsleep 0.1\nrmdir '{self.folder}/lock'\n")
        os.chmod(f"{copy}/p", 0o755)
        words = [copy, "--output", self.out, "-j4", "--task", f"{self.folder}/tasks"]
        names = [os.path.basename(shlex.split(line)[5]) for line in run(copy, "--output", self.out, "--points").stdout.splitlines()]
        quick, (long, ) = [name[:-len(".json")] for name in names[:2]], [name[:-len(".json")] for name in names[2:]]
        with open(f"{self.folder}/tasks", "w", encoding="utf-8") as f:
            f.write(f"{long}\n" + "\t".join(quick) + "\n")
        done = run(*words, env={**os.environ, "SLURM_ARRAY_TASK_ID": "1"})
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        self.assertEqual(sorted(os.listdir(self.out + "/results")), sorted(f"{name}.{ending}" for name in quick for ending in ("end", "json")))
        for name in self.results("end"):
            with open(name, encoding="utf-8") as f:
                end = json.load(f)
            self.assertEqual((end["reason"], end["status"]), ("exit", 0))
        self.assertEqual(sorted(os.listdir(self.out)), ["figures", "results"])
        done = run(*words, env={**os.environ, "SLURM_ARRAY_TASK_ID": "2"}, status=2)
        self.assertEqual(done.stderr, f"{self.folder}/tasks:3: there is no task 2\n")

    def test_list(self):
        """Those of ./experiments first: each with its title, and of each size the points and the time by the plan's seconds, shared by the processors."""
        plan = """title = "%s"; programs = ( { name = "p"; file = "./p"; seconds = { small = %s; paper = %s; }; } ); benchmarks = ();
policies = ( { name = "a"; options = ""; } );
sets = ( { name = "s"; programs = "p"; gpus = "gtx480"; policies = "a"; seeds = [%s]; },
 { name = "t"; programs = "p"; gpus = "v100"; policies = "a"; size = "paper"; } );"""
        for name, values in (("longer", ("The longer", "2399.5", "1800", "1, 2, 3")), ("b", ("B", "119.4", "60", "1")), (".b", ("hidden", "1", "1", "1")),
                             ("bows", ("Another", "3", "7200", "1"))):
            os.makedirs(f"{self.folder}/experiments/{name}")
            with open(f"{self.folder}/experiments/{name}/experiment.cfg", "w", encoding="utf-8") as f:
                f.write(plan % values)
        os.mkdir(f"{self.folder}/experiments/none")
        self.assertEqual(run("list", "-j1", cwd=self.folder).stdout.splitlines(), [
            "b       B", "        small: 1 points, about 119 s on 1 processor", "        paper: 2 points, about 2 min on 1 processor",
            "bows    Another", "        small: 1 points, about 3 s on 1 processor", "        paper: 2 points, about 4 h on 1 processor",
            "longer  The longer", "        small: 3 points, about 120 min on 1 processor", "        paper: 4 points, about 2 h on 1 processor"])
        shared = run("list", "-j", "60", cwd=self.folder).stdout.splitlines()
        self.assertEqual(shared[7:], ["        small: 3 points, about 120 s on 60 processors", "        paper: 4 points, about 2 min on 60 processors"])
        shutil.copy(shutil.which("true"), f"{self.folder}/experiments/bows/p")
        lines = run("bows", "--size=paper", "--points", cwd=self.folder).stdout.splitlines()
        self.assertEqual([(re.search("--gpu (\\S+)", line)[1], shlex.split(line)[-4]) for line in lines],
                         [(gpu, f"{os.path.realpath(self.folder)}/experiments/bows/p") for gpu in ("gtx480", "v100")])
        self.refused("unknown experiment 'bwos', did you mean 'bows'?", "bwos")

    # ---- What goes wrong ----

    def test_a_point_fails(self):
        bad = self.changed('options = "--scheduler lrr"', 'options = "--scheduler lrr --set core.group_threads=32"')
        done = run(bad, "--only", "quick", "--output", self.out, status=1)
        self.assertIn("failed: ht-gtx480-lrr-", done.stdout)
        self.assertRegex(done.stdout, "failed: ht-gtx480-lrr-[0-9a-f]+: FAILED: .*gives -55") # its last line
        self.assertIn("T-01", done.stdout)
        self.assertIn("not measured: 1 of its 2 points have no result", done.stdout)
        self.assertEqual(self.rows("SELECT policy FROM runs ORDER BY 1"), [("also gto",), ("gto",)])

    def test_a_point_takes_too_long(self):
        bad = self.changed("time_limit = 60", "time_limit = 0.05")
        with open(f"{bad}/sleeps", "w", encoding="utf-8") as f:  # which no machine ends before its limit
            f.write("#!/bin/sh\nexec sleep 1000\n")
        os.chmod(f"{bad}/sleeps", 0o755)
        with open(f"{bad}/experiment.cfg", encoding="utf-8") as f:
            text = f.read()
        with open(f"{bad}/experiment.cfg", "w", encoding="utf-8") as f:
            f.write(text.replace('file = "ht"', 'file = "./sleeps"'))
        for _ in range(2):  # it is tried again
            done = run(bad, "--only", "long", "--output", self.out, status=1)
            self.assertIn("1 points run, 0 had run before", done.stderr)
            self.assertIn("time limit: ht-gtx480-lrr-long-", done.stdout)
            self.assertEqual(self.rows("SELECT outcome FROM points"), [("time limit",)])

    def test_what_is_left_on_a_terminal(self):
        """By the plan's figures first: two points of 3 hours and 30 seconds each, one behind the other or together."""
        bad = self.changed("seconds = 0.3", "seconds = 10830")
        for jobs, left in (("1", "6 h 01 min"), ("2", "3 h 00 min")):
            out = os.path.join(self.folder, jobs)
            status, shown = terminal.shown([LOCKSTEP, "experiment", bad, "--only", "quick", "-j" + jobs, "--output", out])
            self.assertEqual(status, 0)
            names = "ht-gtx480-lrr" + (", ht-gtx480-gto" if jobs == "2" else "")
            self.assertEqual(shown[1], f"0 of 2 points, about {left} left; {names}")
            if jobs == "1":  # by the one that has ended
                self.assertRegex(" ".join(shown[2:]), r"1 of 2 points, about [0-9]+ s left; ht-gtx480-gto")
            self.assertIn("2 points run, 0 had run before", shown[-1])

    def test_a_hang_may_be_a_result(self):
        for may, status in (("", 1), (" may_fail = true;", 0)):
            bad = self.changed('{ name = "quick";', '{ name = "quick";' + may)
            with open(f"{bad}/experiment.cfg", encoding="utf-8") as f:
                text = f.read().replace('options = "--scheduler lrr"', 'options = "--scheduler lrr --max-cycles 100"')
            with open(f"{bad}/experiment.cfg", "w", encoding="utf-8") as f:
                f.write(text)
            run(bad, "--only", "quick", "--output", self.out, status=status)
            self.assertEqual(self.rows("SELECT outcome FROM points WHERE point = 1"), [("limit",)])

    def test_a_set_may_be_of_one_size(self):
        for size, points in (("", 2), (' size = "small";', 2), (' size = "paper";', 0)):
            bad = self.changed('{ name = "quick";', '{ name = "quick";' + size)
            seen = run(bad, "--only", "quick", "--points").stdout
            self.assertEqual(seen.count("\n"), points)
        bad = self.changed('{ name = "quick";', '{ name = "quick"; size = "large";')
        self.assertIn("'size' is \"large\", expected small or paper", run(bad, "--points", status=2).stderr)

    def test_a_figure_that_gnuplot_refuses(self):
        """It is said and shows in the status; the other figures, the page and the claims are there."""
        os.mkdir(f"{self.folder}/bin")
        with open(f"{self.folder}/bin/gnuplot", "w", encoding="utf-8") as f:
            f.write("""#!/bin/sh
case $1 in time.*) echo '"time.svg.gp" line 3: no such style'; exit 1;; attempts-made.*) echo '<svg>drawn</svg>' > "${1%.gp}";; esac
""")
        os.chmod(f"{self.folder}/bin/gnuplot", 0o755)
        done = run(TINY, "--only", "quick", "--output", self.out, status=2, env={**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        self.assertEqual(done.stderr.splitlines()[2:], [
            f"{TINY}/experiment.cfg:35:2: gnuplot refuses {os.path.realpath(self.out)}/figures/time.svg.gp: line 3: no such style"])
        self.assertIn("T-01 ", done.stdout)
        self.assertTrue(done.stdout.endswith(f"{self.out}/index.html\n"))
        self.assertEqual(sorted(os.listdir(f"{self.out}/figures")), [
            "attempts-made.png", "attempts-made.png.gp", "attempts-made.svg", "attempts-made.svg.gp", "attempts-made.tsv", "time.svg.gp", "time.tsv"])
        with open(f"{self.out}/index.html", encoding="utf-8") as f:
            self.assertEqual(re.findall("<svg[^>]*>([^<]*)</svg>", f.read()), ["drawn"])

    def test_full_disk(self):
        run(TINY, "--only", "quick", "--output", self.out)
        with open(f"{self.out}/results.sqlite", "rb") as f:
            before = f.read()

        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        done = run(TINY, "--only", "quick", "--output", self.out, "--collect", status=2, preexec_fn=small_files)
        self.assertIn("results.sqlite: ", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        with open(f"{self.out}/results.sqlite", "rb") as f:
            self.assertEqual(f.read(), before)
        self.assertEqual(glob.glob(f"{self.out}/*.new"), [])
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([LOCKSTEP, "experiment", TINY, "--only", "quick", "--output", self.out], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write to standard output: No space left on device", done.stderr)

    def test_mistakes_in_the_experiment(self):
        out = ("--output", self.out)
        self.refused("experiment.cfg:6:1: unknown key 'time_limitt', did you mean 'time_limit'?", self.changed("time_limit", "time_limitt"), *out)
        for before, after, message in (
                ("time_limit = 60", "time_limit = -60", "6:1: bad value of 'time_limit', expected from 0.001 to 31622400"),
                ("time_limit = 60", "time_limit = { small = 60; paper = 1e12; }", "6:1: bad value of 'time_limit', expected from 0.001 to 31622400"),
                ('gpus = "gtx480"; policies = ["lrr"', 'gpus = "gtx481"; policies = ["lrr"', "19:2: lockstep run does not take this: unknown GPU 'gtx481', did you mean 'gtx480'?"),
                ('"--scheduler gto"; },', '"--scheduler got"; },', "13:2: lockstep run does not take this: unknown scheduler 'got', did you mean 'gto'?"),
                ("{seed}", "{sede}", "8:14: unknown placeholder '{sede}', expected {seed}"),
                ('id = "T-02"', 'id = "T-01"', "26:2: there are two of claim 'T-01' with the part '', expected one"),
                ("seeds = [1]", "seeds = [1e300]", "19:93: bad value of 'seeds'"),
                ("SELECT time FROM pairs", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c",
                 "26:2: the database says: this does not end: stopped after 10^8 steps"),
                ("SELECT time FROM pairs", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
                 "26:2: this gives more than 100000 rows, expected fewer")):
            with self.subTest(after):
                self.refused("experiment.cfg:" + message, self.changed(before, after), "--points", *out)
        self.refused("experiment.cfg:8:14: there is no program 'htt', expected one of workloads/, built, beside the command",
                     self.changed('file = "ht"', 'file = "htt"'), *out)
        self.refused("experiment.cfg:28:2: the database says: no such column: cycels", self.changed("max(cycles)", "max(cycels)"), *out)
        self.refused("experiment.cfg:40:2: the database says: no such table: nowhere",
                     self.changed('rows = "SELECT x, policy', 'marks = "SELECT 1 FROM nowhere"; rows = "SELECT x, policy'), *out)
        self.refused("views.sql:2: the database says: near \"WHEREVER\": syntax error", self.changed("WHERE g.", "WHEREVER g.", "views.sql"), *out)
        self.refused("experiment.cfg:35:2: cannot read the template", self.changed("/bars.gp", "/pies.gp"), *out)

    def test_tables_of_its_own(self):
        own = self.changed("views = ", 'tables = ["t.csv"]; views = ')

        def table(text):
            with open(os.path.join(own, "t.csv"), "w", encoding="utf-8") as f:
                f.write(text)

        for text, message in (("a,b\n1,2\n3\n", "t.csv:3: the line has 1 fields, expected 2"),
                              ("a,b\n1,2,3\n", "t.csv:2: the line has 3 fields, expected 2"),
                              ("a,b c\n", "t.csv:1: 'b c' is no name of a column"),
                              ("a,a\n", "t.csv:1: the database says: duplicate column name: a"),
                              ("# nothing\n", "t.csv: there is no line that names columns")):
            with self.subTest(text):
                table(text)
                self.refused(message, own, "--points")
        os.unlink(os.path.join(own, "t.csv"))
        self.refused("t.csv: cannot ", own, "--points")
        self.refused("'t-1.csv' is no table, expected a file NAME.csv", self.changed("views = ", 'tables = ["t-1.csv"]; views = '), "--points")
        own = self.changed("views = ", 'tables = ["t.csv"]; views = ')
        table("# measured\nname,stride,cycles\nadd,1,2.5\nswap,,3\n")
        run(own, "--only", "quick", "--output", self.out)
        with sqlite3.connect(f"{self.out}/results.sqlite") as db:
            self.assertEqual(db.execute("SELECT name, stride, cycles, typeof(name), typeof(cycles) FROM t ORDER BY name").fetchall(),
                             [("add", 1.0, 2.5, "text", "real"), ("swap", None, 3.0, "text", "real")])

    def test_mistakes_on_the_command_line(self):
        self.refused("no experiment, expected list, a name that `lockstep experiment list` gives, or a folder")
        self.refused("unknown experiment 'bosw', did you mean 'bows'?", "bosw")
        self.refused("unknown option '--sizes', did you mean '--size'?", TINY, "--sizes", "small")
        self.refused("--size big: expected small or paper", TINY, "--size", "big")
        self.refused("--jobs 0: expected a whole number from 1 to 1024", TINY, "-j0")
        self.refused("--strict takes no value", TINY, "--strict=yes")
        self.refused("unknown set 'quik', did you mean 'quick'?", TINY, "--only", "quik")
        self.refused("--points and --collect exclude each other", TINY, "--points", "--collect")
        self.refused("/dev/null/x/results: cannot make the folder: Not a directory", TINY, "--output", "/dev/null/x")
        self.assertIn("--strict", run("--help").stdout)
        shipped = run("list").stdout
        for name in ("bows", "lock-instructions"):
            self.assertIn(name, shipped)


if __name__ == "__main__":
    unittest.main()
