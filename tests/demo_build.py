#!/usr/bin/env python3
"""What `make demo` compiles, as the preset `demo` configures it: no more files, and no more lane code, than the figures here. Time is not measured."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LANES = "lanes_x32_v2"
MOST_FILES = 590  # lane files included, which are a fourth of the processor time


class Demo(unittest.TestCase):
    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cmake", "--preset", "demo", "-B", folder], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
            commands = subprocess.run(["ninja", "-C", folder, "-t", "commands", "lockstep"], stdout=subprocess.PIPE, text=True, check=True).stdout
        objects = re.findall(r" -o (\S+[.]o) -c ", commands)
        self.assertLessEqual(len(objects), MOST_FILES)
        self.assertEqual({part for part in re.findall(r"/(lanes_\w+)[.]dir/", "\n".join(objects))}, {LANES})
        self.assertEqual([o for o in objects if re.search(r"/(tests|workloads|bench|src/host|src/experiment)/", o)], [])
        self.assertEqual(sum(LANES in o for o in objects), len([f for f in os.listdir(os.path.join(ROOT, "src/warp/lanes")) if f.endswith(".c")]))

    def test_makefile(self):
        made = subprocess.run(["make", "-n", "demo"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertRegex(made, r"cmake --preset demo [^\n]*\n[^\n]*cmake --build --preset demo\n")
        # What is built is what runs, and not what `make` built, or will build.
        self.assertIn("LOCKSTEP=build/demo/lockstep scripts/demo", made)


if __name__ == "__main__":
    sys.exit(unittest.main())
