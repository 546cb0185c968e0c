#!/usr/bin/env python3
"""scripts/structure.py: what each measure counts, on sources of a few lines, and which figures it refuses."""
import os
import sys
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import structure  # noqa: E402

SOURCES = {
    "src/util/a.h": "struct a { int one, two; struct { int three; } four; int (*five)(int, int); };\n",
    "src/machine/state/machine.h": '#include "util/a.h"\n',
    "src/machine/core/core.h": '#include "machine/gpu/gpu.h"\n',
    "src/machine/core/core.c": '#include "machine/core/core.h"\n/* x->functional */\nint f(void)\n{\n\tassert(1);\n\treturn 1;\n}\n',
    "src/machine/gpu/gpu.h": '#include "machine/core/cycle.h"\n',
    "src/machine/gpu/gpu.c": 'static bool g(struct a *a)\n{\n\treturn a->functional && a->firmware; // "\n}\n',
    "src/machine/gpu/firmware.c": "int h(struct a *a)\n{\n\treturn a->firmware;\n}\n",
    "src/machine/core/cycle.h": '#include "machine/core/fence.h"\n',
    "src/machine/core/fence.h": "",
    "src/machine/core/fence.c": '#include "machine/core/core.h"\n#include "machine/core/fence.h"\n',
    "src/host/cuda/runtime.h": "struct cudaDeviceProp { int a, b, c, d, e, f, g, h; };\n",
}


def value(figure, sources=SOURCES):
    return structure.measures(sources)[figure][0]


class Measures(unittest.TestCase):
    def test_cycle(self):
        """A header and its source are one module: fence.c closes the cycle of core.h, gpu.h, cycle.h and fence.h."""
        self.assertEqual(value("modules in the largest cycle of includes"), 4)
        self.assertEqual(value("cycles of more than 3 modules"), 1)
        without = {**SOURCES, "src/machine/core/fence.c": '#include "machine/core/fence.h"\n'}
        self.assertEqual(value("modules in the largest cycle of includes", without), 1)
        self.assertEqual(value("cycles of more than 3 modules", without), 0)

    def test_two_cycles(self):
        pair = {"src/util/x.h": '#include "util/y.h"\n', "src/util/y.h": '#include "util/x.h"\n'}
        self.assertEqual([len(c) for c in structure.cycles_of(structure.includes_of({**SOURCES, **pair}))], [4, 2])

    def test_up(self):
        found = structure.measures(SOURCES)["includes of machine/ that point up"]
        self.assertEqual(found, (1, ["src/machine/core/core.h:1 includes src/machine/gpu/gpu.h"]))

    def test_neighbours_of_host(self):
        """What lies beside a folder is below it: the common part of the host must not include CUDA's."""
        found = {**SOURCES, "src/host/device.h": '#include "host/cuda/runtime.h"\n'}
        self.assertEqual(value("includes of host/ that point up", found), 1)

    def test_struct(self):
        """Its own members only, and none of a struct that a vendor prescribes."""
        self.assertEqual(structure.measures(SOURCES)["members of the largest struct"], (4, ["struct a, src/util/a.h"]))

    def test_tests(self):
        self.assertEqual(structure.measures(SOURCES)["files that test ->functional"], (1, ["src/machine/gpu/gpu.c"]))
        self.assertEqual(structure.measures(SOURCES)["files that test ->firmware, outside its own"], (1, ["src/machine/gpu/gpu.c"]))

    def test_lines(self):
        lines = sum(text.count("\n") for text in SOURCES.values())
        self.assertEqual(value("lines of src/, asserts not counted"), lines - 1)
        self.assertEqual(value("asserts for 1,000 functions of machine/, memory/, race/"), 333)

    def test_lines_of_asserts(self):
        """An assert of several lines, and the include that it needs with the blank line before it; what follows counts."""
        whole = {**SOURCES, "src/memory/dram.c": '#include "a.h"\n\n#include <assert.h>\n\nint x;\n\tassert(a &&\n\t\tb(";"));\n\ty();\n'}
        self.assertEqual(value("lines of src/, asserts not counted", whole) - value("lines of src/, asserts not counted"), 4)

    def test_folders(self):
        new = {**SOURCES, "src/machine/other/file.c": ""}
        self.assertEqual(list(structure.unknown_sublayers(SOURCES)), [])
        self.assertEqual(list(structure.unknown_sublayers(new)), ["src/machine/other is not in SUBLAYERS of scripts/structure.py"])


class Ceilings(unittest.TestCase):
    def breaches(self, found):
        limits = {"a": (5, "exact"), "b": (5, "most"), "c": (5, "least")}
        with mock.patch.object(structure, "CEILINGS", limits):
            return [line.split(",")[0] for line in structure.breaches({figure: (number, []) for figure, number in found.items()})]

    def test_breaches(self):
        self.assertEqual(self.breaches({"a": 5, "b": 5, "c": 5}), [])
        self.assertEqual(self.breaches({"a": 5, "b": 4, "c": 6}), [])
        self.assertEqual(self.breaches({"a": 6, "b": 6, "c": 4}), ["a: 6", "b: 6", "c: 4"])
        self.assertEqual(self.breaches({"a": 4, "b": 5, "c": 5}), ["a: 4"])

    def test_raised(self):
        """A ceiling that the commit before had lower; that of lines may rise."""
        before = mock.Mock(returncode=0, stdout='CEILINGS = {"a": (4, "exact"), "b": (4, "most"), "c": (6, "least"), "gone": (1, "exact")}\n')
        with mock.patch.object(structure, "CEILINGS", {"a": (5, "exact"), "b": (5, "most"), "c": (5, "least"), "new": (9, "exact")}), \
                mock.patch.object(structure.subprocess, "run", return_value=before):
            self.assertEqual([line.split(": ")[1] for line in structure.raised()], ["a", "c", "a", "c"])


if __name__ == "__main__":
    unittest.main()
