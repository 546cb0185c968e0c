#!/usr/bin/env python3
"""The module of docs/python.md: what kernels get and give back, what is refused, and that its structs are the header's.

    tests/python_module.py BUILD

The launches use no compiler but for one of each language; numpy's arrays are tried where numpy is.  Expectations are worked out by hand
from the kernels below."""
import array
import contextlib
import ctypes
import html.parser
import importlib.util
import io
import json
import os
import pickle
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build/release")
os.environ.setdefault("LOCKSTEP_LIBRARY", os.path.join(BUILD, "liblockstep.so"))
sys.path.insert(0, os.path.join(ROOT, "python"))
import lockstep  # noqa: E402

# y[i] = (a * x[i] + half) + small, in floats; b is a byte, wide 64 bits: they go to all[0], all[1].
KERNEL = """.version 6.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 y, .param .u64 x, .param .f32 a, .param .u8 b, .param .s64 wide, .param .u64 all)
{
	.reg .b32 %r<4>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<9>;
	.reg .b16 %h;
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [y];
	ld.param.u64 %rd2, [x];
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd1, %rd1, %rd3;
	add.u64 %rd2, %rd2, %rd3;
	ld.param.f32 %f1, [a];
	ld.global.f32 %f2, [%rd2];
	mul.f32 %f3, %f1, %f2;
	st.global.f32 [%rd1], %f3;
	ld.param.u64 %rd4, [all];
	ld.param.u8 %h, [b];
	cvt.u64.u16 %rd5, %h;
	st.global.u64 [%rd4], %rd5;
	ld.param.u64 %rd6, [wide];
	st.global.u64 [%rd4+8], %rd6;
	ret;
}
.visible .entry spin(.param .u64 flag)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	.reg .pred %p;
	ld.param.u64 %rd1, [flag];
AGAIN:	atom.global.add.u32 %r1, [%rd1], 1;
	setp.ne.u32 %p, %r1, -1;
	@%p bra AGAIN;
	ret;
}
"""
# The block of parameters as bytes, of which thread k copies the k-th; PTX lays each out at a multiple of its alignment.
TYPES = """.version 6.0
.target sm_35
.address_size 64
.visible .entry types(.param .u64 out, .param .u8 a, .param .s16 b, .param .b16 h, .param .u32 c, .param .s32 d, .param .b32 e, .param .b64 f, .param .f64 g,
	.param .align 2 .b8 pair[6], .param .f16 half, .param .f32 last)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %tid.x;
	cvt.u64.u32 %rd1, %r1;
	mov.u64 %rd2, out;
	add.u64 %rd2, %rd2, %rd1;
	ld.param.u8 %r2, [%rd2];
	ld.param.u64 %rd3, [out];
	add.u64 %rd3, %rd3, %rd1;
	st.global.u8 [%rd3], %r2;
	ret;
}
.visible .entry _Z5shapePj(.param .u64 _Z5shapePj_param_0)
{
	.reg .b32 %r<9>;
	.reg .b64 %rd1;
	ld.param.u64 %rd1, [_Z5shapePj_param_0];
	mov.u32 %r1, %nctaid.x;
	mov.u32 %r2, %nctaid.y;
	mov.u32 %r3, %nctaid.z;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %ntid.y;
	mov.u32 %r6, %ntid.z;
	mov.u32 %r7, %dynamic_smem_size;
	st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
	st.global.v2.u32 [%rd1+16], {%r5, %r6};
	st.global.u32 [%rd1+24], %r7;
	ret;
}
"""
PRINTS_IN_PTX = """.version 6.0
.target sm_35
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .b8 format[3] = {97, 10, 0};
.visible .entry prints()
{
	.reg .b64 %rd1;
	mov.u64 %rd1, format;
	cvta.global.u64 %rd1, %rd1;
	{
	.param .b64 f;
	.param .b64 a;
	.param .b32 r;
	st.param.b64 [f], %rd1;
	st.param.b64 [a], 0;
	call (r), vprintf, (f, a);
	}
	ret;
}
"""
PRINTS = """#include <stdio.h>
extern "C" __global__ void hello(int n) { printf("thread %d of %d\\n", threadIdx.x, n); }
"""


def refused(test, line, function, *arguments, kind=None, **named):
    """With the message `line`; a kernel is launched with one thread where that is not what is wrong."""
    if isinstance(function, lockstep.Kernel):
        named = {"grid": 1, "block": 1, **named}
    with test.assertRaises(lockstep.Error) as caught:
        function(*arguments, **named)
    test.assertEqual(str(caught.exception), line)
    if kind:
        test.assertIsInstance(caught.exception, kind)


class Launches(unittest.TestCase):
    def setUp(self):
        self.gpu = lockstep.GPU()
        self.module = self.gpu.load("k.ptx", KERNEL)
        self.kernel = self.module.kernel("k")
        self.y, self.x, self.all = array.array("f", [9.0] * 5), array.array("f", range(5)), array.array("Q", [0, 0])

    def tearDown(self):
        self.gpu.close()

    def test_arrays_and_numbers(self):
        launch = self.kernel(self.y, self.x, 0.5, 255, -2, self.all, grid=1, block=(4, 1))
        self.assertEqual((launch["kernel"], launch["outcome"], launch["block"], launch["findings"]), ("k", "completed", [4, 1, 1], []))
        self.assertEqual(self.y.tolist(), [0, 0.5, 1, 1.5, 9])
        self.assertEqual(self.all.tolist(), [255, 2**64 - 2])
        self.kernel(self.y, bytes(self.x), 3, 0, 2**64 - 1, self.all, grid=1, block=5)  # a whole number for a float
        self.assertEqual((self.y.tolist(), self.all[1]), ([0, 3, 6, 9, 12], 2**64 - 1))
        self.kernel(self.x, self.x, 2, 0, 0, self.all, grid=1, block=5)  # one array twice: one buffer
        self.assertEqual(self.x.tolist(), [0, 2, 4, 6, 8])
        report = self.gpu.report()
        self.assertEqual((report["schema"], report["gpu"], len(report["launches"])), ("lockstep-report/1", "gtx480", 3))
        self.assertEqual(report["launches"][0]["cycles"], launch["cycles"])

    def test_buffers(self):
        x, y = self.gpu.buffer(self.x, name="left"), self.gpu.buffer(8, name="right")
        self.kernel(y, x, 2.0, 0, 0, self.all, grid=1, block=2)
        self.assertEqual(y.read(array.array("f", [7, 7])).tolist(), [0, 2])
        self.assertEqual(y.read(offset=4), array.array("f", [2]).tobytes())
        y.write(array.array("f", [5]), offset=4)
        self.assertEqual(y.read(array.array("f", [7]), 4).tolist(), [5])
        launch = self.kernel(y, x, 2.0, 0, 0, self.all, grid=1, block=3)
        self.assertEqual((launch["outcome"], launch["findings"][0]["cause"]), ("fault", "address"))
        self.assertIn("of right (", launch["findings"][0]["message"])
        refused(self, "right: bytes 4 to 12 are not in its 8", y.write, bytes(8), 4)
        y.free()
        refused(self, "right: has been freed", y.read)
        refused(self, "right: has been freed", self.kernel, y, x, 2.0, 0, 0, self.all)

    def test_what_is_refused(self):
        y, x, all_ = self.y, self.x, self.all
        refused(self, "kernel 'k' has 6 parameters (u64 y, u64 x, f32 a, u8 b, s64 wide, u64 all), not 1", self.kernel, y)
        refused(self, "argument 4 of 'k' ('b'): 256 does not fit into u8 of 1 bytes", self.kernel, y, x, 1, 256, 0, all_)
        refused(self, "argument 4 of 'k' ('b'): -129 does not fit into u8 of 1 bytes", self.kernel, y, x, 1, -129, 0, all_)
        refused(self, "argument 5 of 'k' ('wide'): expected a whole number for s64, not 0.5", self.kernel, y, x, 1, 0, 0.5, all_)
        refused(self, "argument 3 of 'k' ('a'): is a f32 of 4 bytes, and no pointer: expected a number", self.kernel, y, x, x, 0, 0, all_)
        refused(self, "argument 1 of 'k' ('y'): expected a number, an array (numpy, array.array, bytearray, bytes) or a Buffer, not list",
                self.kernel, [1.0], x, 1, 0, 0, all_)
        refused(self, "argument 2 of 'k' ('x'): expected an array whose elements lie side by side, in C's order (numpy.ascontiguousarray)",
                self.kernel, y, memoryview(x)[::2], 1, 0, 0, all_)
        refused(self, "grid=(1, 1, 1, 1): expected a whole number, or up to three of them", self.kernel, y, x, 1, 0, 0, all_, grid=(1, 1, 1, 1))
        refused(self, "block=0: expected at least 1 in every dimension, and less than 2 to the 32nd", self.kernel, y, x, 1, 0, 0, all_, block=0)
        refused(self, "2 kernels, expected the name of one: k, spin", self.module.kernel)
        refused(self, "no kernel 'j', expected the name of one: k, spin", self.module.kernel, "j")
        refused(self, "a.ptx:1:1: expected '.version' at the beginning of the module, found 'x'", self.gpu.load, "a.ptx", "x")
        refused(self, "plugins='./p.so': expected a list, ['./p.so']", lockstep.GPU, plugins="./p.so")
        refused(self, "settings='core.count=2': expected a list, ['core.count=2']", lockstep.GPU, settings="core.count=2")
        refused(self, "print=5: expected a function that takes a text", lockstep.GPU, print=5)
        for call in (lockstep.GPU, self.gpu.load, lambda file: self.gpu.load("a.cu", "", options=file)):
            refused(self, "['a']: expected a text or a path, not list", call, ["a"])
        refused(self, "unknown GPU 'gtx48', did you mean 'gtx480'?", lockstep.GPU, "gtx48")
        refused(self, "unknown key 'dram.chanels', did you mean 'dram.channels'?", lockstep.GPU, settings={"dram.chanels": 1})
        refused(self, "mode='fast': expected 'timing' or 'functional'", lockstep.GPU, mode="fast")
        checks, window = "races, races=strict, races=volatile, races=all, init, barriers, barriers=all or all", "FROM:TO, cycles of the GPU's clock, one of which may be left out"
        for what, name, expected, values in (
                ("check", "check", checks, ("", "race", "init,", "init,races=x")),
                ("trace window", "trace_window", window, ("", "5", "5:5", "9:2", "5:b", ":18446744073709551616")),
                ("trace cores", "trace_cores", "cores such as 0,3 or 0-3", ("", "3-1", "1,", "1-", "a", "4294967296"))):
            for value in values:
                refused(self, f"{what} '{value}': expected {expected}", lockstep.GPU, **{name: value})
        refused(self, "core 15 is to be shown in the timeline: expected one below 15", lockstep.GPU, trace_cores="0,14-15")
        self.gpu.close()
        refused(self, "the GPU has been closed", self.gpu.report)

    def test_options(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "trace.json")
            with lockstep.GPU("v100", ["policy.scheduler=lrr"], mode="timing", check="races", seed=5, profile=True, max_cycles=500, trace=file) as gpu:
                launch = gpu.load("k.ptx", KERNEL).kernel("spin")(bytearray(4), grid=1, block=1)
                self.assertEqual(launch["outcome"], "limit")
                self.assertTrue(launch["lines"])
                configuration = gpu.report()["configuration"]
            with open(file, encoding="utf-8") as trace:
                self.assertTrue(json.load(trace)["traceEvents"])
        wanted = {"policy.scheduler": "lrr", "run.seed": 5, "run.max_cycles": 500}
        self.assertEqual({key: configuration[key] for key in wanted}, wanted)

    def test_words(self):
        for check in ("races", "races=strict,init", "all"):
            lockstep.GPU(check=check, trace_window="5:", trace_cores="0,13-14").close()
        self.assertEqual(lockstep._gpu._check("races=all,init"), 1 | 8 | 16)
        for text, window in ((":", (0, 2 ** 64 - 1)), (":9", (0, 9)), ("5:9", (5, 9))):
            self.assertEqual(tuple(getattr(lockstep._gpu._window(text), name) for name in ("from", "to")), window)
        self.assertEqual([(cores.first, cores.last) for cores in lockstep._gpu._cores("0,3-5")], [(0, 0), (3, 5)])

    def test_other_library(self):
        """A member that is larger than its type, as of another header, and one in another place."""
        class Library:
            members = []

            def lockstep_layout(self, k, member):
                if k < len(self.members):
                    for (name, _), value in zip(lockstep._library.Member._fields_, self.members[k]):
                        setattr(member._obj, name, value)
                return k < len(self.members)
        library = Library()
        library.members = [(b"s", b"size", b"size_t", 0, 8, 16), (b"s", b"seed", b"uint64_t", 8, 8, 16)]
        self.assertEqual(lockstep._library.structs_of(library)["s"].seed.offset, 8)
        for members in ([(b"s", b"size", b"uint32_t", 0, 4, 16), (b"s", b"seed", b"uint32_t", 8, 4, 16)], [(b"s", b"size", b"size_t", 0, 8, 16)]):
            library.members = members
            with self.assertRaisesRegex(ImportError, "of the library's struct s is not of the type that this module takes it for"):
                lockstep._library.structs_of(library)

    def test_interrupt(self):
        # Where it is ignored, as in the background of some shells, Python leaves it so.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            self.module.kernel("spin")(bytearray(4), grid=1, block=1)
        self.assertEqual(self.gpu.report()["launches"][-1]["outcome"], "interrupted")
        self.assertEqual(self.kernel(self.y, self.x, 1, 0, 0, self.all, grid=1, block=1)["outcome"], "completed")

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
    def test_numpy(self):
        import numpy
        y, x, counts = numpy.zeros((2, 2), "float32"), numpy.arange(4, dtype="float32"), numpy.zeros(2, "uint64")
        self.kernel(y, x, numpy.float32(0.5), numpy.uint8(3), numpy.int64(-1), counts, grid=1, block=4)
        self.assertEqual((y.tolist(), counts.tolist()), ([[0, 0.5], [1, 1.5]], [3, 2**64 - 1]))
        refused(self, "argument 2 of 'k' ('x'): expected an array whose elements lie side by side, in C's order (numpy.ascontiguousarray)", self.kernel, y, x[::2], 1, 0, 0, counts)


class Details(unittest.TestCase):
    """What each keyword and each kind of argument becomes."""

    def setUp(self):
        self.gpu = lockstep.GPU()
        self.module = self.gpu.load("t.ptx", TYPES)
        self.addCleanup(self.gpu.close)

    def block_of(self, *arguments):
        out = bytearray(60)
        self.assertEqual(self.module.kernel("types")(out, *arguments, grid=1, block=60)["outcome"], "completed")
        return bytes(out[8:])

    def test_each_type_of_a_number(self):
        pair = bytes(range(1, 7))
        for a, b, h, c, d, e, f, g, half, last in ((0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (255, -2 ** 15, -1, 2 ** 32 - 1, -2 ** 31, -5, 2 ** 64 - 1, -0.1, 1.5, 3),
                                                   (-128, 2 ** 15, 0.5, 7, 2 ** 31 - 1, 0.1, 0.3, 10 ** 20, -2, 0.1), (True, 1, 65535, 1, 1, 2 ** 32 - 1, -2 ** 63, 1, 1, 1)):
            expected = struct.pack("<Bx", a % 256) + struct.pack("<H", b % 2 ** 16) + (struct.pack("<H", h % 2 ** 16) if isinstance(h, int) else struct.pack("<e", h)) + \
                b"\0\0" + struct.pack("<II", c, d % 2 ** 32) + (struct.pack("<I", e % 2 ** 32) if isinstance(e, int) else struct.pack("<f", e)) + b"\0\0\0\0" + \
                (struct.pack("<Q", f % 2 ** 64) if isinstance(f, int) else struct.pack("<d", f)) + struct.pack("<d", g) + pair + struct.pack("<ef", half, last)
            self.assertEqual(self.block_of(a, b, h, c, d, e, f, g, pair, half, last), expected)

    def test_what_is_no_such_number(self):
        good = [0, 0, 0, 0, 0, 0, 0, 0.0, bytes(6), 0, 0]
        for k, value, line in ((0, 256, "256 does not fit into u8 of 1 bytes"), (0, -129, "-129 does not fit into u8 of 1 bytes"),
                               (1, 65536, "65536 does not fit into s16 of 2 bytes"), (3, 2 ** 32, "4294967296 does not fit into u32 of 4 bytes"),
                               (4, -2 ** 31 - 1, "-2147483649 does not fit into s32 of 4 bytes"), (6, 2 ** 64, "18446744073709551616 does not fit into b64 of 8 bytes"),
                               (3, 0.5, "expected a whole number for u32, not 0.5"), (9, 1e6, "1000000.0 is no f16 of 2 bytes"), (10, 1e39, "1e+39 is no f32 of 4 bytes"),
                               (8, bytes(5), "expected 6 bytes, not 5"), (8, bytes(7), "expected 6 bytes, not 7"), (10, bytes(4), "is a f32 of 4 bytes, and no pointer: expected a number"),
                               (1, bytes(2), "is a s16 of 2 bytes, and no pointer: expected a number"), (7, bytes(8), "is a f64 of 8 bytes, and no pointer: expected a number")):
            names = ("a", "b", "h", "c", "d", "e", "f", "g", "pair", "half", "last")
            refused(self, f"argument {k + 2} of 'types' ('{names[k]}'): {line}", self.block_of, *good[:k], value, *good[k + 1:])

    def test_shapes(self):
        kernel, out = self.module.kernel("shape"), array.array("I", [0] * 7)  # as C++ has it
        for grid, block, shared, expected in ((1, 1, 0, [1, 1, 1, 1, 1, 1, 0]), (2, 3, 5, [2, 1, 1, 3, 1, 1, 5]), ((2, 3), [4, 5], 16, [2, 3, 1, 4, 5, 1, 16]),
                                              ((2, 3, 4), (5, 6, 7), 100, [2, 3, 4, 5, 6, 7, 100]), ((3,), array.array("I", [2]), 0, [3, 1, 1, 2, 1, 1, 0])):
            kernel(out, grid=grid, block=block, shared=shared)
            self.assertEqual(out.tolist(), expected)
        numbers, least = "expected a whole number, or up to three of them", "expected at least 1 in every dimension, and less than 2 to the 32nd"
        for name, value, expected, kind in (("grid", (), numbers, ValueError), ("block", "x", numbers, TypeError), ("block", "12", numbers, TypeError),
                                            ("grid", 1.5, numbers, TypeError), ("grid", (1, 2.0), numbers, TypeError), ("block", (1, 2, 3, 4), numbers, ValueError),
                                            ("grid", -1, least, ValueError), ("grid", (4, -1), least, ValueError), ("grid", 2 ** 32, least, ValueError),
                                            ("block", 0, least, ValueError)):
            refused(self, f"{name}={value!r}: {expected}", kernel, out, kind=kind, **{name: value})
        refused(self, "kernel 'shape': grid= is missing; expected the number of work-groups: a number, or up to three of them", kernel, out, kind=TypeError, grid=None)
        refused(self, "kernel 'shape': block= is missing; expected the threads of a work-group: a number, or up to three of them", kernel, out, block=None)
        self.assertRaisesRegex(TypeError, "grid= is missing", self.module.kernel("shape").__call__, out)
        for value, end, kind in ((-1, ", from 0 on", ValueError), (2 ** 32, ", from 0 on", ValueError), (1.0, "", TypeError), (None, "", TypeError)):
            refused(self, f"shared={value!r}: expected a number of bytes{end}", kernel, out, kind=kind, shared=value)

    def test_names_of_kernels(self):
        self.assertEqual(self.module.names, ["types", "_Z5shapePj"])
        self.assertEqual(self.module.log, "")
        for name in ("shape", "_Z5shapePj"):
            self.assertEqual(self.module.kernel(name).name, "_Z5shapePj")
        for name in ("shap", "sharp", "shape2"):
            refused(self, f"no kernel '{name}', expected the name of one: types, shape", self.module.kernel, name)
        both = self.gpu.load("b.ptx", TYPES.split(".visible")[0] + ".visible .entry _Z1kv() { ret; }\n.visible .entry k() { ret; }\n.visible .entry _Z1kf() { ret; }\n")
        self.assertEqual(both.kernel("k").name, "k")  # as the PTX has it, before what C++ calls so
        self.assertEqual(both.kernel("_Z1kf").name, "_Z1kf")
        refused(self, "no kernel 'k', expected the name of one: there is none", self.gpu.load("n.ptx", TYPES.split(".visible")[0]).kernel, "k")

    def test_what_comes_back(self):
        """Into what can be written to, the same array once; what is given is read before."""
        kernel = self.gpu.load("k.ptx", KERNEL).kernel("k")
        x, fixed, all_ = array.array("f", [1, 2]), array.array("f", [9, 9]).tobytes(), array.array("Q", [0, 0])
        kernel(fixed, x, 2, 0, 0, all_, grid=1, block=2)
        self.assertEqual(fixed, array.array("f", [9, 9]).tobytes())
        kernel(x, x, 2, 7, 0, memoryview(all_).toreadonly(), grid=1, block=2)
        self.assertEqual((x.tolist(), all_.tolist()), ([2, 4], [0, 0]))
        launch = kernel(x, bytearray(4), 2, 0, 0, all_, grid=1, block=2)  # buffers have the parameters' names
        self.assertIn("past the end of x (", launch["findings"][0]["message"])

    def test_buffers_and_their_sizes(self):
        empty, twelve = self.gpu.buffer(0), self.gpu.buffer(array.array("I", [1, 2, 3]), "twelve")
        self.assertEqual((empty.size, empty.read(), empty.name, twelve.size, twelve.name), (0, b"", "buffer", 12, "twelve"))
        self.assertEqual(twelve.read(), array.array("I", [1, 2, 3]).tobytes())
        twelve.write(b"", 12)
        self.assertEqual(twelve.read(bytearray(4), 8), b"\3\0\0\0")
        refused(self, "twelve: bytes 9 to 13 are not in its 12", twelve.read, bytearray(4), 9)
        refused(self, "twelve: bytes -1 to 3 are not in its 12", twelve.write, bytes(4), -1)
        refused(self, "twelve: expected an array that can be written to", twelve.read, bytes(4))
        refused(self, "buffer: -1 is no number of bytes", self.gpu.buffer, -1)
        refused(self, f"big: {2 ** 62} bytes do not fit in what is left of memory.size", self.gpu.buffer, 2 ** 62, "big")
        refused(self, "a text with a NUL in it, expected one without", self.gpu.buffer, 4, "a\0b")
        twelve.free()
        twelve.free()
        self.gpu.close()
        self.gpu.close()
        empty.free()

    def test_each_keyword(self):
        """Each that a report has, as `lockstep kernel --report json` would."""
        given = {"mode": "functional", "threads": 2, "seed": 2 ** 64 - 1, "max_cycles": 9, "hang_after": 8, "on_fault": "continue", "explain_limit": 7, "samples": 6}
        with lockstep.GPU("v100", {"core.count": 2, "policy.dispatch": "obe"}, schedule="0", **given) as gpu:
            configuration = gpu.report()["configuration"]
        self.assertEqual((configuration["core.count"], configuration["policy.dispatch"]), (2, "obe"))
        for key in ("mode", "seed", "max_cycles", "hang_after", "on_fault", "explain_limit"):
            self.assertEqual(configuration[f"run.{key}"], given[key])
        with lockstep.GPU(explain_limit=0, seed=None) as gpu:  # 0: never; None: not given
            self.assertEqual((gpu.report()["configuration"]["run.explain_limit"], gpu.report()["configuration"]["run.seed"]), (0, 0))
        with lockstep.GPU("v100", weak=True) as weak, lockstep.GPU("v100", weak=False) as gpu:
            self.assertGreater(weak.report()["configuration"]["crossbar.jitter"], gpu.report()["configuration"]["crossbar.jitter"])
        for name, value in (("threads", -1), ("threads", 2 ** 32), ("seed", 2 ** 64), ("samples", 0.5), ("explain_limit", "1")):
            known = "hang_after" if name == "explain_limit" else name
            refused(self, f"{known}={value!r}: expected a whole number from 0 on", lockstep.GPU, **{name: value})
        refused(self, "GPU has no 'sed', expected one of: mode, on_fault, threads, seed, max_cycles, hang_after, samples, schedules, check, trace, trace_window, "
                "trace_cores, schedule, weak, profile, observe, explain_limit", lockstep.GPU, sed=1)
        refused(self, "on_fault='go': expected 'stop' or 'continue'", lockstep.GPU, on_fault="go")

    def test_what_is_asked_of_launches(self):
        with lockstep.GPU(profile=True, samples=100, observe="bank-conflicts", on_fault="continue") as gpu:
            launch = gpu.load("t.ptx", TYPES).kernel("shape")(bytearray(8), grid=1, block=1)
        self.assertEqual([table["name"] for table in launch["tables"]], ["bank-conflicts"])
        refused(self, "no table 'banks', expected one of: bank-conflicts", lockstep.GPU, observe=["banks"])
        self.assertEqual((launch["outcome"], launch["findings"][0]["kind"], launch["samples"]["interval"]), ("completed", "fault", 100))
        self.assertIn("lines", launch)
        launch = self.module.kernel("shape")(bytearray(28), grid=1, block=1)
        self.assertFalse({"samples", "lines"} & launch.keys())

    def test_lists(self):
        self.assertIn("gtx480", lockstep.gpus())
        self.assertEqual(len(set(lockstep.gpus())), len(lockstep.gpus()))
        with lockstep.GPU() as gpu:
            configuration = gpu.report()["configuration"]
        for kind, names in lockstep.policies().items():
            self.assertIn(configuration[f"policy.{kind}"], names)
            self.assertTrue(all(" " in summary for summary in names.values()))

    def test_no_compiler(self):
        """The line alone: nothing was said before it."""
        os.environ["LOCKSTEP_CLANG"] = "/none/clang"
        self.addCleanup(os.environ.pop, "LOCKSTEP_CLANG")
        refused(self, "a.cu: CUDA C cannot be compiled: there is no program /none/clang (--clang or LOCKSTEP_CLANG); PTX needs none", self.gpu.load, "a.cu", "x")

    def test_problems_of_printing(self):
        """One is raised when the launch has ended; the next launch has none."""
        def fail(text):
            printed.append(text)
            if len(printed) == 1:
                raise ValueError("full")
        printed = []
        with lockstep.GPU(print=fail) as gpu:
            prints = gpu.load("p.ptx", PRINTS_IN_PTX).kernel()
            self.assertRaisesRegex(ValueError, "full", prints, grid=1, block=2)
            self.assertEqual(prints(grid=1, block=2)["outcome"], "completed")
        self.assertEqual(printed, ["a\na\n"] * 2)
        with contextlib.redirect_stdout(io.StringIO()) as out, lockstep.GPU() as gpu:
            gpu.load("p.ptx", PRINTS_IN_PTX).kernel()(grid=1, block=1)
        self.assertEqual(out.getvalue(), "a\n")


CPP = """template <class T> __global__ void fill(T *to, const T *from, int n) { for (int k = 0; k < n; k++) to[k] = from[k]; }
template __global__ void fill<float>(float *, const float *, int);
namespace inner { __global__ void mixed(unsigned char *bytes, short *const shorts, float2 *pairs, double **table, void *any, struct S *s, unsigned long long n) {} }
extern "C" __global__ void __launch_bounds__(64) plain(float *__restrict__ out, const unsigned int *in /* not double */, size_t *sizes, OWN *own) {}
"""


@unittest.skipUnless(shutil.which("clang-14") or shutil.which("clang"), "clang is not installed")
class Declared(unittest.TestCase):
    """Arguments against the types that the source declares, where these are known."""

    @classmethod
    def setUpClass(cls):
        cls.gpu = lockstep.GPU()
        cls.module = cls.gpu.load("types.cu", CPP, "-DOWN=float")
        cls.floats, cls.doubles, cls.words, cls.fixed = array.array("f", [1, 2]), array.array("d", [1, 2]), array.array("I", [1, 2]), bytes(8)

    def test_names(self):
        self.assertEqual(repr(self.module), "<lockstep.Module types.cu: fill<float>, inner::mixed, plain>")
        for name, title in (("fill", "fill<float>"), ("fill<float>", "fill<float>"), ("mixed", "inner::mixed"), ("inner::mixed", "inner::mixed"), ("plain", "plain")):
            self.assertEqual(self.module.kernel(name).title, title)
        self.assertEqual(repr(self.module.kernel("fill")), "<lockstep.Kernel fill<float>(float* to, float const* from, int n)>")
        self.assertEqual(repr(self.module.kernel("plain")), "<lockstep.Kernel plain(float *__restrict__ out, const unsigned int * in, size_t * sizes, OWN * own)>")

    def test_elements(self):
        fill, mixed, plain = map(self.module.kernel, ("fill", "mixed", "plain"))
        self.assertEqual(fill(self.floats, bytes(self.floats), 2, grid=1, block=1)["outcome"], "completed")
        eight, any_, buffer = array.array("Q", [1]), self.doubles, self.gpu.buffer(self.floats)
        for address in (0, buffer.address + 4, buffer.address + 8):  # none, a part of it, and its end
            self.assertEqual(fill(address, self.floats, 0, grid=1, block=1)["outcome"], "completed")
        mixed(bytearray(2), array.array("H", [1]), self.floats, eight, any_, self.words, 1, grid=1, block=1)
        plain(self.floats, array.array("i", [1]), eight, any_, grid=1, block=1)  # what OWN is, the text does not say
        good = {fill: [self.floats, self.floats, 2], mixed: [bytearray(2), bytearray(2), self.floats, eight, any_, any_, 1], plain: [self.floats, self.words, eight, any_]}
        for kernel, k, value, line, kind in (
                (fill, 0, self.doubles, "('to'): is declared as float*, and the array's elements are float64; expected float32", TypeError),
                (fill, 1, self.words, "('from'): is declared as float const*, and the array's elements are int32; expected float32", TypeError),
                (fill, 0, 1000, "('to'): is declared as float*, and 1000 is no address in the GPU's memory; expected an array (numpy, array.array, bytearray, bytes) "
                 "or a Buffer", TypeError),
                (fill, 0, 2.5, "('to'): is declared as float*, and 2.5 is no address in the GPU's memory; expected an array (numpy, array.array, bytearray, bytes) "
                 "or a Buffer", TypeError),
                (fill, 2, self.words, "('n'): is declared as int, which is no pointer; expected a number", TypeError),
                (fill, 0, self.fixed, "('to'): is declared as float*, to which the kernel may write, and the array is read-only; expected one that can be written to, "
                 "or const in the kernel", ValueError),
                (mixed, 0, self.floats, "('bytes'): is declared as unsigned char*, and the array's elements are float32; expected int8 or uint8", TypeError),
                (mixed, 1, self.words, "('shorts'): is declared as short*, and the array's elements are int32; expected int16 or uint16", TypeError),
                (mixed, 2, self.doubles, "('pairs'): is declared as float2*, and the array's elements are float64; expected float32", TypeError),
                (mixed, 3, self.words, "('table'): is declared as double**, and the array's elements are int32; expected int64 or uint64", TypeError),
                (mixed, 6, self.words, "('n'): is declared as unsigned long long, which is no pointer; expected a number", TypeError),
                (plain, 0, self.words, "('out'): is declared as float *__restrict__, and the array's elements are int32; expected float32", TypeError),
                (plain, 1, self.floats, "('in'): is declared as const unsigned int *, and the array's elements are float32; expected int32 or uint32", TypeError)):
            arguments = good[kernel][:]
            arguments[k] = value
            refused(self, f"argument {k + 1} of '{kernel.title}' {line}", kernel, *arguments, kind=kind)
        refused(self, "kernel 'fill<float>' has 3 parameters (float* to, float const* from, int n), not 2", fill, self.floats, self.floats, kind=TypeError)

    def test_opencl(self):
        kernel = self.gpu.load("a.cl", "kernel void k(global float4 *out, constant uint *in, long n, global half *h) { out[0].x = in[0]; }").kernel()
        self.assertEqual(repr(kernel), "<lockstep.Kernel k(float4* out, const uint* in, long n, half* h)>")
        kernel(array.array("f", [0] * 4), bytes(self.words), 1, bytearray(2), grid=1, block=1)
        refused(self, "argument 1 of 'k' ('out'): is declared as float4*, and the array's elements are float64; expected float32", kernel, self.doubles, self.words, 1, 0)
        refused(self, "argument 4 of 'k' ('h'): is declared as half*, and the array's elements are int32; expected float16", kernel, self.floats, self.words, 1, self.words)
        # Local arguments are numbers of bytes; room for each is behind the last, and a byte more is none.
        rooms = self.gpu.load("a.cl", "kernel void k(local int *a, global int *out, local int *b, int n)"
                              "{ a[0] = 3; a[7] = 5; b[n] = 7; barrier(CLK_LOCAL_MEM_FENCE); out[0] = a[0] + a[7] + b[n]; }").kernel()
        out = array.array("i", [0])
        self.assertEqual((rooms(32, out, 16, 3, grid=1, block=1)["outcome"], out[0]), ("completed", 15))
        self.assertEqual(rooms(32, out, 12, 3, grid=1, block=1)["outcome"], "fault")
        expected = "argument 1 of 'k' ('a'): is declared as local int*; expected the bytes of local memory that it points to, "
        refused(self, expected + "a number", rooms, self.words, out, 16, 3, kind=TypeError)
        refused(self, expected + "not -1", rooms, -1, out, 16, 3, kind=ValueError)
        refused(self, "argument 3 of 'k' ('n'): is declared as long, which is no pointer; expected a number", kernel, self.floats, self.words, self.words, 0)

    def test_declarations(self):
        declared = lockstep._declared
        for text, element, is_pointer, is_const in (
                ("const float *", ("float", 4), True, True), ("float *const", ("float", 4), True, False), ("unsigned", ("int", 4), False, False),
                ("long unsigned int *", ("int", 8), True, False), ("short int", ("int", 2), False, False), ("signed char *", ("int", 1), True, False),
                ("const float **", ("int", 8), True, False), ("uint8_t *", ("int", 1), True, False), ("real *", None, True, False), ("signed *", ("int", 4), True, False)):
            parameter = declared.Declared(text)
            self.assertEqual((parameter.element, parameter.is_pointer, parameter.is_const), (element, is_pointer, is_const), text)
        self.assertEqual(declared.of_source("__global__ void k(int *a); __global__ void k(float *a) {}", "k"), None)  # which of them is not known
        self.assertEqual(declared.of_source("void k(int *a) {}\n__device__ void f() { k(0); }", "k"), None)
        self.assertEqual([(p.text, p.name) for p in declared.of_source("__global__ static void\nk(int a[], float (*f)(int), char = ',')", "k")][0], ("int *", "a"))
        for signature, name in (("k(int)", "k"), ("void k<int (*)(float)>(int*)", "k<int (*)(float)>"), ("void a::k<b::c, 3>(d<e, f>*, g)", "a::k<b::c, 3>"),
                                ("(anonymous namespace)::k(int, float)", "(anonymous namespace)::k")):
            self.assertEqual(declared.of_cpp(signature)[0], name)
        self.assertEqual([p.text for p in declared.of_cpp("void k<int>(d<e, f>*, void (*)(int, int), g)")[1]], ["d<e, f>*", "void (*)(int, int)", "g"])


class Arrays(unittest.TestCase):
    """What is no array for a GPU, whatever the kernel takes."""

    def setUp(self):
        self.gpu = lockstep.GPU()
        self.addCleanup(self.gpu.close)
        self.kernel = self.gpu.load("t.ptx", TYPES.replace("_Z5shapePj", "shape")).kernel("shape")  # whose parameter PTX alone declares

    def test_refused(self):
        where = "argument 1 of 'shape': "
        accepted = "expected a number, an array (numpy, array.array, bytearray, bytes) or a Buffer, not "
        for value, line, kind in (
                ("text", accepted + "str", TypeError), (None, accepted + "NoneType", TypeError), ([1, 2], accepted + "list", TypeError), (1j, accepted + "complex", TypeError),
                (array.array("u", "ab"), "the array's elements are text, expected numbers of 1 to 8 bytes", TypeError),
                (memoryview(bytes(8))[::2], "expected an array whose elements lie side by side, in C's order (numpy.ascontiguousarray)", ValueError)):
            refused(self, where + line, self.kernel, value, kind=kind)
        with lockstep.GPU() as other:
            refused(self, where + "'there' is a buffer of another GPU", self.kernel, other.buffer(28, "there"), kind=ValueError)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not installed")
    def test_numpy(self):
        import numpy
        side, numbers_ = "expected an array whose elements lie side by side, in C's order (numpy.ascontiguousarray)", ", expected numbers of 1 to 8 bytes"
        big = "the array's elements are big-endian, and a GPU's little-endian; expected the machine's own order"
        floats = numpy.zeros((4, 4), "float32")
        for value, line in ((numpy.zeros(7, ">u4"), big), (numpy.zeros(7, ">f8"), big), (floats[:, 1], side), (numpy.asfortranarray(floats), side),
                            (numpy.array([1, None]), "the array's elements are Python objects" + numbers_), (numpy.array(["a"]), "the array's elements are text" + numbers_),
                            (numpy.array([b"a"]), "the array's elements are text" + numbers_), (numpy.zeros(7, "longdouble"), "the array's elements are long doubles" + numbers_),
                            (numpy.zeros(7, "datetime64[s]"), "expected a number, an array (numpy, array.array, bytearray, bytes) or a Buffer, not ndarray")):
            refused(self, "argument 1 of 'shape': " + line, self.kernel, value)
        for form in ("<u4", "u4", "complex64", "bool", "float16", "i4,f4", "V28", "u1"):
            self.assertEqual(self.kernel(numpy.zeros(28, form), grid=1, block=1)["outcome"], "completed")
        self.assertEqual(lockstep._arguments.Memory(numpy.zeros(2, "complex64"), "").element, ("float", 4))

    def test_shared_memory_of_arrays(self):
        """Two views of the same array are one buffer; parts that overlap are refused, as only one of them could come back."""
        kernel = self.gpu.load("k.ptx", KERNEL).kernel("k")
        x, all_ = array.array("f", [1, 2, 3]), array.array("Q", [0, 0])
        kernel(memoryview(x), memoryview(x), 2, 0, 0, all_, grid=1, block=3)
        self.assertEqual(x.tolist(), [2, 4, 6])
        kernel(memoryview(x)[:1], memoryview(x)[1:], 2, 0, 0, all_, grid=1, block=1)
        self.assertEqual(x.tolist(), [8, 4, 6])
        refused(self, "argument 2 of 'k' ('x'): the array shares a part of its memory with another argument's; expected the whole of it, or a copy",
                kernel, memoryview(x)[:2], memoryview(x)[1:], 2, 0, 0, all_, kind=ValueError)


class Run(unittest.TestCase):
    def test_run(self):
        with tempfile.TemporaryDirectory() as folder:
            file, out = os.path.join(folder, "t.ptx"), array.array("I", [0] * 7)
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(TYPES)
            launch = lockstep.run(file, 2, (3, 4), [out], name="shape", shared=5, gpu="v100", settings={"core.count": 2})
        self.assertEqual((out.tolist(), launch.gpu, launch["outcome"]), ([2, 1, 1, 3, 4, 1, 5], "v100", "completed"))
        lockstep.run("t.ptx", 1, 1, [out], name="shape", text=TYPES)
        with lockstep.GPU() as gpu:
            lockstep.run("t.ptx", 3, 1, [out], name="shape", text=TYPES, gpu=gpu)
            lockstep.run(gpu.load("t.ptx", TYPES).kernel("shape"), grid=4, block=1, args=(out,))
            self.assertEqual((out[0], len(gpu.report()["launches"])), (4, 2))
            refused(self, "run: the GPU has been opened; expected no seed beside it", lockstep.run, "t.ptx", 1, 1, [out], gpu=gpu, seed=1, kind=TypeError)
            refused(self, "run: a Kernel has been loaded by its GPU; expected no name, text, compile_options, gpu or options beside it",
                    lockstep.run, gpu.load("t.ptx", TYPES).kernel("shape"), 1, 1, [out], gpu="v100", kind=TypeError)
        refused(self, "kernel 'shape': grid= is missing; expected the number of work-groups: a number, or up to three of them",
                lockstep.run, "t.ptx", args=[out], name="shape", text=TYPES, kind=TypeError)
        for args in ("abc", bytes(2), 5, out):
            refused(self, f"args={args!r}: expected a list of the kernel's arguments", lockstep.run, "t.ptx", 1, 1, args, text=TYPES, kind=TypeError)


class Reports(unittest.TestCase):
    """Launches and reports are dicts, tables, and what a notebook shows."""

    @classmethod
    def setUpClass(cls):
        cls.gpu = lockstep.GPU(profile=True, samples=100, observe="bank-conflicts", hang_after=20000)
        cls.module = cls.gpu.load("k.ptx", KERNEL)
        x = array.array("f", [1, 2])
        cls.done = cls.module.kernel("k")(x, x, 2, 0, 0, bytearray(16), grid=1, block=2)
        cls.fault = cls.module.kernel("k")(x, x, 2, 0, 0, bytearray(16), grid=1, block=40)
        cls.report = cls.gpu.report()

    def test_dicts(self):
        for thing, short in ((self.done, f"<lockstep.Launch k on gtx480: completed, {self.done['cycles']:,} cycles>"),
                             (self.fault, f"<lockstep.Launch k on gtx480: fault, {self.fault['cycles']:,} cycles, 1 finding>"),
                             (self.report, "<lockstep.Report of gtx480: 2 launches: 1 completed, 1 fault>")):
            self.assertIsInstance(thing, dict)
            self.assertEqual(repr(thing), short)
            self.assertEqual(json.loads(json.dumps(thing)), thing)
            again = pickle.loads(pickle.dumps(thing))
            self.assertEqual((again, repr(again)), (thing, short))
            self.assertEqual({**thing}, dict(thing.items()))

    def test_tables(self):
        first = {"launch": 0, "gpu": "gtx480", "kernel": "k"}
        self.assertEqual({key: self.done.launches[0][key] for key in (*first, "outcome", "grid", "occupancy.limiter")},
                         {**first, "outcome": "completed", "grid": "1,1,1", "occupancy.limiter": "groups"})
        self.assertEqual({**self.report.launches[0], "mode": "timing"}, self.done.launches[0])
        self.assertEqual([row["launch"] for row in self.report.launches], [0, 1])
        counters = {row["counter"]: row["value"] for row in self.done.counters}
        self.assertEqual(counters, self.done["counters"])
        self.assertEqual(self.done.lines[0]["issued"], self.done["lines"][0]["issued"])
        self.assertEqual(sum(row["cycles"] for row in self.done.samples), sum(self.done["samples"]["cycles"]))
        self.assertEqual([row["cycle"] for row in self.done.samples[:2]], [0, self.done["samples"]["cycles"][0]])
        self.assertEqual(([], []), (self.done.findings, self.done.locks))
        finding = self.report.findings[0]
        self.assertEqual((finding["launch"], finding["kernel"], finding["cause"], finding["line"]), (1, "k", "address", self.fault["findings"][0]["lines"][0]["line"]))
        self.assertEqual(self.done.table("bank-conflicts"), [])
        for table in map(self.report.table, (*lockstep._report.NAMES, "bank-conflicts")):
            for record in table:
                self.assertTrue(all(value is None or isinstance(value, (str, int, float)) for value in record.values()), record)
        both = self.done.launches + self.fault.launches
        self.assertEqual([list(row.values()) for row in both.select("kernel", "outcome")], [["k", "completed"], ["k", "fault"]])
        with self.assertRaisesRegex(KeyError, "no column 'x', expected some of: launch, gpu"):
            both.select("x")
        with self.assertRaisesRegex(KeyError, "no table 'x', expected one of: launches, .*, samples, bank-conflicts"):
            self.report.table("x")

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        import pandas
        frame = pandas.DataFrame(self.report.launches)
        self.assertEqual((frame.shape[0], frame["cycles"].sum()), (2, self.done["cycles"] + self.fault["cycles"]))

    def test_html(self):
        """Elements that GitHub's viewer of notebooks keeps, closed as they were opened, and no text of ours as an element."""
        class Reader(html.parser.HTMLParser):
            open_, seen = (), ()

            def handle_starttag(self, tag, attributes):
                assert {name for name, _ in attributes} <= {"align"}, attributes
                self.seen += (tag,)
                self.open_ += () if tag == "br" else (tag,)

            def handle_endtag(self, tag):
                assert self.open_[-1] == tag, (self.open_, tag)
                self.open_ = self.open_[:-1]
        for thing in (self.done, self.fault, self.report, self.report.launches, self.done.lines):
            reader, text = Reader(), thing._repr_html_()
            reader.feed(text)
            self.assertEqual(reader.open_, ())
            self.assertLessEqual(set(reader.seen), {"table", "thead", "tbody", "tr", "th", "td", "p", "b", "br", "code"})
        self.assertIn("<b>FAULT</b> (address, proved)", self.fault._repr_html_())
        self.assertIn("<code>st.global.f32 [%rd1], %f3;</code>" if self.fault.findings[0]["line"] == 18 else "<code>ld.global.f32 %f2, [%rd2];</code>", self.fault._repr_html_())
        self.assertIn("k.ptx:", self.done._repr_html_())
        self.assertEqual(lockstep.Table([{"a<b": "<&>", "n": 1234}])._repr_html_(), "<table><thead><tr><th>a&lt;b</th><th>n</th></tr></thead><tbody><tr>"
                         '<td align="left">&lt;&amp;&gt;</td><td align="right">1,234</td></tr></tbody></table>')

    def test_pictures(self):
        """The widths of a line's bar are its cycles by what they went into."""
        picture = xml.etree.ElementTree.fromstring(self.done.picture()._repr_svg_())
        bars = [float(e.get("width")) for e in picture.iter("{http://www.w3.org/2000/svg}rect") if e.get("height") == "16"]
        costs = sorted(map(lockstep._report.cycles_of, self.done["lines"]))[-10:]
        self.assertAlmostEqual(sum(bars) / (720 - 170 - 80), sum(costs) / max(costs), delta=0.001)
        over_time = lockstep.Launch({name: value for name, value in self.done.items() if name != "lines"}, "gtx480").picture()
        heights = [float(e.get("height")) for e in xml.etree.ElementTree.fromstring(over_time.svg).iter("{http://www.w3.org/2000/svg}rect") if "." in e.get("height")]
        with_warps = [row for row in self.done.samples if any(row.get(name) for name in row if name.startswith("smsp__issue") and name != "smsp__issue_stalled_no_warp.sum")]
        self.assertGreater(len(with_warps), 2)
        self.assertAlmostEqual(sum(heights), 140 * len(with_warps), delta=0.1 * len(heights))
        self.assertIsNone(lockstep.run("k.ptx", 1, 1, [0, 0, 2, 0, 0, 0], name="k", text=KERNEL).picture())


class Writes(unittest.TestCase):
    """What a hang says of writes to the word, when the launch is not the first: run again, it finds other lines in the caches."""

    SPIN = """.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 word, .param .u32 own, .param .u32 awaited)
{ .reg .u64 %rd<2>; .reg .u32 %r<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [word]; ld.param.u32 %r1, [own]; ld.param.u32 %r2, [awaited];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra LOOP;
  atom.global.exch.b32 %r3, [%rd1], %r1;
LOOP:
  atom.global.add.u32 %r3, [%rd1], 0;
  setp.ne.u32 %p1, %r3, %r2;
  @%p1 bra LOOP;
  ret; }"""

    def test_values_below_0_have_their_sign(self):
        """PTX of nvcc adds and compares them as u32."""
        with lockstep.GPU("v100") as gpu:
            told = gpu.load("spin.ptx", self.SPIN).kernel()(bytearray(4), 2 ** 32 - 3, 2 ** 32 - 5, grid=1, block=32).findings[0]["message"]
        self.assertIn("The word is -3; the thread waits for -5.", told)
        self.assertIn("from 0 to -3", told)

    def test_doubt_about_their_order_needs_writes(self):
        for own, said in (0, "No thread has written it since the launch began."), (3, "changed it last, from 0 to 3"):
            with lockstep.GPU("v100") as gpu:
                spin, word = gpu.load("spin.ptx", self.SPIN).kernel(), gpu.buffer(bytes(4))
                self.assertEqual(spin(word, 0, 0, grid=1, block=32)["outcome"], "completed")
                told = spin(word, own, 7, grid=2, block=32).findings[0]["message"]
            self.assertIn(said, told)
            self.assertEqual("These writes were recorded when the launch was run again" in told, own > 0)


class Sources(unittest.TestCase):
    @unittest.skipUnless(shutil.which("clang-14") or shutil.which("clang"), "clang is not installed")
    def test_languages(self):
        printed = []
        gpu = lockstep.GPU(print=printed.append)
        gpu.load("hello.cu", PRINTS).kernel()(3, grid=1, block=2)
        self.assertEqual("".join(printed), "thread 0 of 3\nthread 1 of 3\n")
        out = bytearray(4)
        gpu.load("a.cl", "kernel void k(global int *a) { *a = N; }", "-DN=258").kernel()(out, grid=1, block=1)
        self.assertEqual(out, b"\2\1\0\0")
        with self.assertRaises(lockstep.Error) as caught:
            gpu.load("b.cu", "int f(;")
        lines = str(caught.exception).splitlines()
        self.assertRegex(lines[0], r"^b\.cu:1:7: error: ")
        self.assertEqual(lines[-1], "b.cu: clang could not compile it, its messages are above")

    @unittest.skipUnless(shutil.which("clang-14") or shutil.which("clang"), "clang is not installed")
    def test_lines_of_a_text(self):
        """Its name is no path where there is no such file; where there is one, the path is that."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        gpu, here = lockstep.GPU(), os.path.join(os.getcwd(), "near.cu")
        for name, text, place in (("far.cu", "\n__global__ void k(int *a) { a[1] = 1; }", "far.cu"), ("far.cl", "\nkernel void k(global int *a) { a[1] = 1; }", "far.cl"),
                                  (os.path.basename(here), "\n__global__ void k(int *a) { a[1] = 2; }", here)):
            if place == here:
                with open(here, "w", encoding="utf-8") as file:
                    file.write(text)
            launch = gpu.load(name, text).kernel()(bytearray(4), grid=1, block=1)
            self.assertEqual([(line["file"], line["line"]) for line in launch["findings"][0]["lines"]], [(place, 2)])
        with self.assertRaises(lockstep.Error) as caught:
            gpu.load("far.cu", "__global__ void k(int *a, float b) {}").kernel()(1, grid=1, block=1)
        self.assertEqual(str(caught.exception), "kernel 'k' has 2 parameters (int* a, float b), not 1")


class Header(unittest.TestCase):
    """What the library and the module say of structs, against the C compiler."""

    @staticmethod
    def layout():
        """{struct: [(member, offset, bytes, bytes of the struct)]}, as the library says."""
        member, found, k = lockstep._library.Member(), {}, 0
        while lockstep._library.library.lockstep_layout(k, ctypes.byref(member)):
            found.setdefault(member.structure.decode(), []).append((member.name.decode(), member.offset, member.bytes, member.structure_bytes))
            k += 1
        return found

    def test_all_members_are_listed(self):
        # A positional initialiser of as many members as are listed: the compiler complains where the struct has more.
        program = ["#include <lockstep.h>"]
        for name, members in self.layout().items():
            self.assertEqual(len({name for name, *_ in members}), len(members))
            program.append(f"const struct {name} {name}_ = {{{', '.join(['{0}'] * len(members))}}};")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "s.c"), "w", encoding="utf-8") as file:
                file.write("\n".join([*program, ""]))
            compiled = subprocess.run(["cc", "-Wmissing-field-initializers", "-I", os.path.join(ROOT, "include"), "-fsyntax-only", file.name],
                                      env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True, check=True)
        self.assertNotIn("missing initializer", compiled.stderr)

    def test_structs(self):
        # The library's list, the module's structs by it, and those that are always as they are.
        lists = list(self.layout().items())
        library = lockstep._library
        structs = {struct.__name__: struct for struct in (library.OptionsStruct, library.LaunchStruct, library.ParameterStruct, library.PolicyStruct)}
        structs.update(lockstep_error=library.Failure, lockstep_member=library.Member, lockstep_window=library.Window, lockstep_cores=library.Cores)
        for name, struct in structs.items():
            fields = [(field, getattr(struct, field), ctypes.sizeof(struct)) for field, _ in struct._fields_ if field[0] != "_"]
            lists.append((name, [(field, where.offset, where.size, whole) for field, where, whole in fields]))
        program, expected = ['#include <lockstep.h>', '#include <stdio.h>', "int main(void) {"], []
        for name, members in lists:
            for field, offset, size, whole in members:
                program.append(f'printf("{name} {field} %zu %zu %zu\\n", offsetof(struct {name}, {field}), sizeof(((struct {name} *)0)->{field}), sizeof(struct {name}));')
                expected.append(f"{name} {field} {offset} {size} {whole}")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "s.c"), "w", encoding="utf-8") as file:
                file.write("\n".join([*program, "return 0; }", ""]))
            subprocess.run(["cc", "-I", os.path.join(ROOT, "include"), "-o", os.path.join(folder, "s"), file.name], check=True)
            printed = subprocess.run([os.path.join(folder, "s")], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(printed, expected)

    def test_example(self):
        # That of the header's first comment, which a formatter may break.
        with open(os.path.join(ROOT, "include/lockstep.h"), encoding="utf-8") as file:
            example = "".join(line[2:] for line in file.read().split("*/")[0].splitlines(True) if line.startswith(" *     "))
        program = f"#include <lockstep.h>\nint run(const char *text, char *host)\n{{\n{example}\treturn (int)result->outcome;\n}}\n"
        subprocess.run(["cc", "-Wall", "-Werror", "-I", os.path.join(ROOT, "include"), "-fsyntax-only", "-xc", "-"], input=program, text=True, check=True)

    def test_version(self):
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"^project\(lockstep VERSION (\d+\.\d+)", file.read(), re.M).group(1)
        self.assertEqual(lockstep.VERSION, version)


if __name__ == "__main__":
    unittest.main()
