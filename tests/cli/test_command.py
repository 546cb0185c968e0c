#!/usr/bin/env python3
"""The `lockstep` command from outside: exit status, one-line messages, reports, compilation of .cl and .cu, full disks.

    LOCKSTEP=build/release/lockstep tests/cli/test_command.py [TEST...]
"""

import fcntl
import glob
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import terminal  # noqa: E402
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../../build/release/lockstep")))
HAS_CLANG = any(shutil.which(name) for name in ["clang", *(f"clang-{n}" for n in range(14, 23))])
HAS_LIBCLC = os.path.exists("/usr/lib/clc/nvptx64--nvidiacl.bc")

DOUBLE = """
.version 6.0
.target sm_35
.address_size 64
.visible .entry twice(.param .u64 data, .param .u32 count)
{
	.reg .pred %p;
	.reg .b32 %r<8>;
	.reg .b64 %d<4>;
	ld.param.u64 %d0, [data];
	ld.param.u32 %r0, [count];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r1, %r2, %r3;
	setp.ge.u32 %p, %r4, %r0;
	@%p bra done;
	cvta.to.global.u64 %d1, %d0;
	mul.wide.u32 %d2, %r4, 4;
	add.u64 %d3, %d1, %d2;
	ld.global.u32 %r5, [%d3];
	add.u32 %r6, %r5, %r5;
	st.global.u32 [%d3], %r6;
done:
	ret;
}
"""

# Group 1 reads the data only if group 0 has set the flag before: under few schedules.  FENCE is nothing, or a fence.
PASS = """
.version 6.4
.target sm_70
.address_size 64
.visible .entry pass(.param .u64 memory)
{
	.reg .pred %p;
	.reg .b32 %r<4>;
	.reg .b64 %d<2>;
	ld.param.u64 %d0, [memory];
	mov.u32 %r0, %ctaid.x;
	setp.eq.u32 %p, %r0, 0;
	@%p bra first;
	ld.relaxed.gpu.global.u32 %r1, [%d0+4];
	setp.eq.u32 %p, %r1, 0;
	@%p bra done;
	FENCE
	ld.global.u32 %r2, [%d0];
	bra done;
first:
	st.global.u32 [%d0], 1;
	FENCE
	st.relaxed.gpu.global.u32 [%d0+4], 1;
done:
	ret;
}
"""

SPIN = """
.version 6.0
.target sm_35
.address_size 64
.visible .entry spin()
{
	.reg .b32 %r<2>;
	mov.u32 %r0, 0;
again:
	add.u32 %r0, %r0, 1;
	bra again;
}
"""

SAY = """
.version 6.0
.target sm_35
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[32] = {97, 110, 100, 32, 111, 110, 32, 97, 110, 100, 32, 111, 110, 32, 97, 110, 100, 32, 111, 110, 10, 0};
.visible .entry say()
{
	.reg .b64 %d<3>;
	mov.u64 %d0, text;
	cvta.global.u64 %d0, %d0;
	mov.u64 %d1, 0;
again:
	{
		.param .b64 format;
		.param .b64 arguments;
		.param .b32 result;
		st.param.b64 [format], %d0;
		st.param.b64 [arguments], %d1;
		call.uni (result), vprintf, (format, arguments);
	}
	bra again;
}
"""

# Stores which kernel it is, one more in each of the work-groups that there are.
WORK = """
.visible .entry NAME(.param .u64 data)
{
	.reg .b64 %d;
	.reg .b32 %t;
	.reg .pred %p;
	ld.param.u64 %d, [data];
	mov.u32 %t, %ntid.x;
	st.global.u32 [%d+4], %t;
	mov.u32 %t, %tid.x;
	setp.ne.u32 %p, %t, 0;
	@%p ret;
	red.global.add.u32 [%d], NUMBER;
	ret;
}
"""

# Dispatches a work-group of the kernel of each number, one after another.
FIRMWARE = """
.extern .func __lockstep_dispatch(.param .b32 kernel, .param .b32 count, .param .b64 argument);
.extern .func (.param .b32 r) __lockstep_outstanding(.param .b32 kernel);
.visible .entry first(.param .u64 data, .param .u32 kernels)
{
	.reg .b64 %d;
	.reg .b32 %k, %n, %left;
	.reg .pred %p;
	ld.param.u64 %d, [data];
	ld.param.u32 %n, [kernels];
	mov.u32 %k, 0;
again:
	call __lockstep_dispatch, (%k, 1, %d);
left:
	call (%left), __lockstep_outstanding, (%k);
	setp.ne.u32 %p, %left, 0;
	@%p bra left;
	add.u32 %k, %k, 1;
	setp.lt.u32 %p, %k, %n;
	@%p bra again;
	ret;
}
"""

CUDA = """
#include <stdio.h>
#include <cuda_runtime.h>
__global__ void scale(float *data, float by)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	data[i] = data[i] * by + sqrtf(4.0f) + __shfl_xor_sync(0xffffffff, 0.0f, 1);
}
"""

OPENCL = "kernel void add(global int *data, int by) { data[get_global_id(0)] += by; }\n"

BUFFER = ["--grid", "2", "--block", "32", "--arg", "buf:data:u32:64:iota", "--arg", "u32:64"]


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep-cli-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.double = self.write("double.ptx", DOUBLE)
        self.spin = self.write("spin.ptx", SPIN)
        self.write("shared.ptx", DOUBLE.replace("{\n", "{\n\t.shared .b32 room[4];\n\t.reg .b32 %room;\n\tmov.u32 %room, room;\n", 1))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_it(self, *words, **options):
        return subprocess.run([LOCKSTEP, *words], capture_output=True, text=True, timeout=120, cwd=self.folder, **options)

    def refused(self, words, message):
        """Exit status 2, nothing on stdout, one line that contains the message."""
        result = self.run_it(*words)
        self.assertEqual(result.returncode, 2, words)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(message, result.stderr)

    def report(self, *words):
        result = self.run_it("kernel", *words, "--report", "json")
        self.assertEqual(result.stderr, "")
        return result.returncode, json.loads(result.stdout)

    # ---- Messages ----

    # What the command says to wrong words is in tests/cli/errors.

    def test_shared_memory_beyond_four_gigabytes(self):
        self.refused(["kernel", "shared.ptx", *BUFFER, "--shared", "4294967295"], "expected at most 49152 bytes of shared memory")

    def test_bad_ptx_names_its_place(self):
        self.write("bad.ptx", DOUBLE.replace("ld.global.u32", "ld.globl.u32"))
        result = self.run_it("kernel", "bad.ptx", *BUFFER)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"^bad\.ptx:21:\d+: .*\n$")

    def test_not_text(self):
        path = self.write("nul.ptx", ".version 6.0\0")
        self.refused(["kernel", path], "nul.ptx: is not a text file, expected PTX")

    def test_declared_kernel(self):
        """PTX may declare a kernel that another module defines."""
        path = self.write("declared.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p);\n")
        self.refused(["kernel", path], "declared.ptx: has no kernel, expected one .entry")

    def test_device_runtime(self):
        """What of CUDA's device runtime is not there is refused by name, and what is declared otherwise than CUDA has it."""
        for name, declared, why in (
                ("__cudaCDP2FuncGetAttributes", "", "'__cudaCDP2FuncGetAttributes' is a function of CUDA's device runtime that Lockstep does not have"),
                ("cudaFuncGetAttributes", "", "'cudaFuncGetAttributes' is a function of CUDA's device runtime that Lockstep does not have"),
                ("cudaGraphLaunch", "", "'cudaGraphLaunch' is a function of CUDA's device runtime that Lockstep does not have"),
                ("__cudaCDP2GetLastError", ".param .b64 a", "'__cudaCDP2GetLastError' is declared otherwise than CUDA has it")):
            argument, given = (".param .b64 a;\n\t", ", (a)") if declared else ("", "")
            text = SPIN.replace(".visible", f".extern .func (.param .b32 r) {name}({declared});\n.visible", 1)
            text = text.replace("again:\n", f"again:\n\t{argument}.param .b32 result;\n\tcall.uni (result), {name}{given};\n", 1)
            self.write("runtime.ptx", text)
            self.refused(["kernel", "runtime.ptx"], why)

    def test_launches_on_the_gpu(self):
        """What does not go with kernels that launch kernels is said."""
        path = os.path.join(HERE, "..", "kernel", "device", "first.ptx")
        rest = ["--kernel", "parent", "--block", "64", "--arg", "buf:data:s32:64"]
        for options, why in ((["--coherence", "moesi"], "a directory (--coherence moesi)"), (["--dispatch", "obe", "--mode", "functional"], "a progress model")):
            self.refused(["kernel", path, *rest, *options], f"kernel parent calls __cudaCDP2GetParameterBufferV2, which does not run under {why}")

    def test_other_clock(self):
        """Times of DRAM that are counts of a base's clock say so; those that the file gives, and what the bus takes, do not."""
        self.write("slower.cfg", 'base = "gtx480"; clock: { dram = 462000; }; dram: { tRCD = (6, "half the clock"); };')
        self.write("same.cfg", 'base = "./slower.cfg"; clock: { dram = 462000; };')
        text = self.run_it("gpus", "./slower.cfg").stdout
        for path, source in [("tRRD", "as gtx480: config -gpgpu_dram_timing_opt RRD; as many cycles of 924000 kHz, here of 462000"), ("tRCD", "half the clock"),
                             ("tCCDL", "as gtx480: config -gpgpu_dram_timing_opt CCDL")]:
            self.assertRegex(text, rf"(?m)^dram\.{path} .*\n +from: {re.escape(source)}$")
        again = self.run_it("gpus", "./same.cfg").stdout
        self.assertEqual((text.count("as many cycles of 924000 kHz"), again.count("as many cycles of ")), (10, 10))

    def test_lists(self):
        gpus = self.run_it("gpus").stdout
        for name in ["gtx480", "quadro-2011", "v100"]:
            self.assertIn(name, gpus)
        fields = self.run_it("gpus", "gtx480").stdout
        self.assertIn("core.count", fields)
        self.assertIn("paper 2, Table II", fields)
        self.assertIn("gto", self.run_it("policies").stdout)
        self.assertNotIn("in-order", self.run_it("policies", "scheduler").stdout)
        for words in [["help"], ["--help"], ["kernel", "--help"], ["compare", "--help"], ["lint", "--help"], ["sweep", "--help"], ["help", "gpus"], ["version"], ["--version"]]:
            result = self.run_it(*words)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("ockstep", result.stdout)

    # ---- Reports ----

    def test_json(self):
        status, report = self.report("double.ptx", *BUFFER, "--dump", "data:2:3", "--set", "core.count=3")
        self.assertEqual(status, 0)
        self.assertEqual(list(report), ["schema", "gpu", "configuration", "provenance", "launches", "findings", "buffers"])
        self.assertEqual(report["schema"], "lockstep-report/1")
        self.assertEqual(report["gpu"], "gtx480")
        self.assertEqual(report["configuration"]["core.count"], 3)
        self.assertEqual(report["configuration"]["policy.scheduler"], "gto")
        self.assertEqual({key: value for key, value in report["configuration"].items() if key.startswith("run.")},
                         {"run.mode": "timing", "run.seed": 0, "run.max_cycles": 0, "run.hang_after": 50000000, "run.explain_limit": 60, "run.on_fault": "stop", "run.plugins": []})
        self.assertEqual(report["buffers"], {"data": [4, 6, 8]})
        self.assertEqual(report["findings"], [])
        launch = report["launches"][0]
        self.assertEqual((launch["kernel"], launch["grid"], launch["block"]), ("twice", [2, 1, 1], [32, 1, 1]))
        self.assertEqual(launch["outcome"], "completed")
        self.assertGreater(launch["cycles"], 0)
        self.assertEqual(set(launch["occupancy"]), {"groups_per_core", "groups", "limiter"})
        self.assertTrue(all(isinstance(value, int) for value in launch["counters"].values()))

    def test_json_fields(self):
        """All fields of the contract, and their types."""
        fields = {
            "kernel": str, "grid": list, "block": list, "ptx": str, "outcome": str, "cycles": int, "warp_instructions": int,
            "thread_instructions": int, "wall_seconds": float, "registers_per_thread": int, "shared_bytes": int, "occupancy": dict,
            "counters": dict,
        }
        finding = {"kind": str, "kernel": str, "certainty": str, "cause": str, "confirmed": bool, "count": int, "message": str, "lines": list, "threads": list, "addresses": list}
        _, report = self.report("double.ptx", "--block", "32", "--arg", "buf:data:u32:8", "--arg", "u32:32")
        self.assertEqual({key: type(value) for key, value in report["launches"][0].items()}, fields)
        self.assertEqual({key: type(value) for key, value in report["findings"][0].items()}, finding)
        self.assertEqual({key: type(value) for key, value in report["findings"][0]["lines"][0].items()}, {"file": str, "line": int})
        self.assertEqual(set(report["findings"][0]["threads"][0]), {"group", "thread", "state"})

    def test_json_says_how_it_ran(self):
        _, report = self.report("double.ptx", *BUFFER, "--mode", "functional", "--seed", str(2**64 - 1), "--max-cycles", "100000", "--threads", "2")
        self.assertEqual({key: value for key, value in report["configuration"].items() if key.startswith("run.")},
                         {"run.mode": "functional", "run.seed": 2**64 - 1, "run.max_cycles": 100000, "run.hang_after": 50000000, "run.explain_limit": 60, "run.on_fault": "stop", "run.plugins": []})
        self.assertEqual(report["launches"][0]["cycles"], 0)

    def test_compare(self):
        """The 20 counters that changed most, as many as asked for, or all; JSON has all of them; a file instead of standard output."""
        changes = {f"c{k:02}": (1, 1 + k) for k in range(1, 31)}    # of which the last changed most
        for side in (0, 1):
            with open(f"{self.folder}/{side}.json", "w", encoding="utf-8") as f:
                json.dump({"schema": "lockstep-report/1", "gpu": "g", "configuration": {}, "findings": [], "launches": [
                    {"kernel": "k", "outcome": "completed", "cycles": 10, "counters": {name: values[side] for name, values in changes.items()}}]}, f)

        def shown(*words):
            done = subprocess.run([LOCKSTEP, "compare", "0.json", "1.json", *words], cwd=self.folder, capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            return re.findall(r"  (c\d\d)$|  and (\d+) more", done.stdout, re.M)

        for words, count in (((), 20), (("--counters", "3"), 3), (("--counters", "29"), 29), (("--counters", "30"), 30), (("--counters=0", ), 30)):
            expected = [(f"c{30 - k:02}", "") for k in range(count)] + ([("", str(30 - count))] if count < 30 else [])
            self.assertEqual(shown(*words), expected, words)
        self.assertEqual(shown("--report", "json", "--counters", "3", "--output", "out.json"), [])
        with open(f"{self.folder}/out.json", encoding="utf-8") as f:
            compared = json.load(f)
        self.assertEqual((compared["files"], compared["kernels"][0]["counters"]), (["0.json", "1.json"], {name: list(values) for name, values in changes.items()}))

    @unittest.skipUnless(HAS_CLANG, "no clang")
    def test_provenance(self):
        """What results depend on, and that `compare` says first in what of it they differ; compilers that say another version."""
        path, data = self.write("add.cu", 'extern "C" __global__ void add(int *a) { a[threadIdx.x] += N; }\n'), self.write("data.bin", "\1\0\0\0" * 32)
        environment = {**{k: v for k, v in os.environ.items() if k != "LOCKSTEP_CLANG"}, "XDG_CACHE_HOME": os.path.join(self.folder, "cache")}
        clang = next(name for name in (*(f"clang-{n}" for n in (14, *range(22, 14, -1))), "clang") if shutil.which(name))

        def report(version, *words, number=1):
            compiler = self.write(f"clang-{version}", f'#!/bin/sh\n[ "$1" = --version ] && echo "Other clang {version}" && exit\nexec {clang} "$@"\n')
            os.chmod(compiler, 0o755)
            result = self.run_it("kernel", path, "-D", f"N={number}", "--clang", compiler, "--block", "32", *words, "--report", "json", env=environment)
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)

        def compared(*reports):
            for k, one in enumerate(reports):
                self.write(f"{k}.json", json.dumps(one))
            return self.run_it("compare", os.path.join(self.folder, "0.json"), os.path.join(self.folder, "1.json"), "--counters", "1").stdout.splitlines()

        words = ["--arg", f"buf:a:s32:32:file={data}"]
        first = report(77, *words)
        made = first["provenance"]
        self.assertEqual((made["compiler"], made["settings"], made["lockstep"]), ("Other clang 77", {}, self.run_it("version").stdout.split()[1]))
        self.assertRegex(made["compiler_options"], r"^-x cuda .* -o - -MD .* add\.cu -DN=1 \| -x ir .* -emit-llvm \| -x ir .* -disable-llvm-passes")
        self.assertNotRegex(made["compiler_options"], f"{self.folder}|/usr|/proc")
        self.assertEqual([(m["kernels"], m["ptx"], m["target"]) for m in made["modules"]], [(["add"], first["launches"][0]["ptx"], "sm_70")])
        self.assertEqual(made["arguments"][0], "add: grid 1,1,1, block 32,1,1, cluster 0,0,0, shared 0")
        self.assertRegex(made["arguments"][1], r"^buf:a:s32:32:file=data.bin \([0-9a-f]{32}\)$")
        self.assertEqual(report(77, *words)["provenance"], made)
        self.assertEqual(compared(first, first)[0], "Nothing that a result depends on differs.")
        second = report(78, *words)
        self.assertEqual(compared(first, second)[:2], ["The two results differ only in: compiler.", f"  {'compiler':32} Other clang 77 -> Other clang 78"])
        self.assertEqual(second["provenance"]["ptx"], made["ptx"])
        third = report(77, *words, "--set", "core.count=2", "--seed", "3", number=4)
        self.assertEqual(third["provenance"]["settings"], {"core.count": 2})
        self.assertEqual(compared(first, third)[0], "The two results differ only in: setting core.count; option run.seed; compiler options; PTX of kernel add.")
        self.assertIn(f"  {'compiler options':32} -DN=1 -> -DN=4", compared(first, third))
        self.write("data.bin", "\2\0\0\0" * 32)
        fourth = report(77, *words, "--dump", "a")
        self.assertEqual(fourth["buffers"]["a"], [3] * 32)
        self.assertEqual(compared(first, fourth)[0], "The two results differ only in: input 2.")
        self.assertNotEqual(fourth["provenance"]["inputs"], made["inputs"])
        del first["provenance"]
        self.assertEqual(compared(first, fourth)[0], "The configurations of the two results do not differ. 0.json does not name its compiler, PTX and inputs.")

    def test_explain_limit(self):
        """A cause is confirmed by a run with one thing changed, or says that it is not."""
        kernel = os.path.join(os.path.dirname(HERE), "kernel", "hang", "spin_lock.ptx")
        launch = ["--block", "32", "--arg", "buf:lock:u32:1", "--arg", "buf:count:u32:1", "--dump", "lock", "--dump", "count", "--divergence", "stack"]
        for limit, confirmed in (([], True), (["--explain-limit", "5"], True), (["--explain-limit", "0"], False)):
            status, report = self.report(kernel, *launch, *limit)
            finding = report["findings"][0]
            self.assertEqual((status, finding["cause"], finding["certainty"], finding["confirmed"]), (3, "simt", "proved", confirmed))
            self.assertEqual("Not confirmed: it was not tried (--explain-limit 0)" in finding["message"], not confirmed, finding["message"])
            self.assertEqual(report["buffers"], {"lock": [1], "count": [0]})
        for value in ("-1", "x", "1000001", ""):
            result = self.run_it("kernel", kernel, *launch, "--explain-limit", value)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_on_fault(self):
        """What a bad access leads to, and the status that findings may be given."""
        kernel = os.path.join(os.path.dirname(HERE), "kernel", "fault", "continue_pairs.ptx")
        launch = ["--block", "32", "--arg", "buf:data:u32:24:iota", "--arg", "buf:got:u32:64"]
        for options, wanted in (([], 4), (["--on-fault", "stop"], 4), (["--on-fault", "continue"], 0), (["--error-exit", "9"], 9),
                                (["--on-fault", "continue", "--error-exit", "9"], 9)):
            status, report = self.report(kernel, *launch, *options)
            goes_on = "continue" in options
            self.assertEqual((status, report["launches"][0]["outcome"]), (wanted, "completed" if goes_on else "fault"))
            self.assertEqual([(f["cause"], f["count"]) for f in report["findings"]], [("address", 4), ("misaligned", 16)] if goes_on else [("misaligned", 1)])
            self.assertEqual(report["configuration"]["run.on_fault"], "continue" if goes_on else "stop")
        for option, value in (("--on-fault", "ignore"), ("--on-fault", ""), ("--error-exit", "0"), ("--error-exit", "256"), ("--error-exit", "x")):
            result = self.run_it("kernel", kernel, *launch, option, value)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        status, _ = self.report("double.ptx", *BUFFER, "--error-exit", "9")
        self.assertEqual(status, 0)

    def test_suppressions(self):
        """What is suppressed is neither reported nor counts for --error-exit, and every form of report says by which entry."""
        kernel = os.path.join(os.path.dirname(HERE), "kernel", "fault", "continue_pairs.ptx")
        launch = [kernel, "--block", "32", "--arg", "buf:data:u32:24:iota", "--arg", "buf:got:u32:64", "--on-fault", "continue", "--error-exit", "9"]
        made, known, sarif = (os.path.join(self.folder, name) for name in ("made.txt", "known.txt", "found.sarif"))
        status, report = self.report(*launch, "--gen-suppressions", made)
        self.assertEqual((status, len(report["findings"]), "suppressed" in report), (9, 2, False))
        with open(made, encoding="utf-8") as file:
            entries = file.read()
        self.assertEqual((entries.count("{\n"), entries.count("kind: fault"), entries.count("line: " + kernel)), (2, 2, 2), entries)
        status, report = self.report(*launch, "--suppressions", made)
        self.assertEqual((status, report["findings"], [(e["findings"], e["count"]) for e in report["suppressed"]]), (0, [], [(1, 4), (1, 16)]))
        with open(known, "w", encoding="utf-8") as file:
            file.write("{\n  name: odd\n  cause: misaligned\n  kernel: *\n}\n{\n  kind: race\n}\n")
        status, report = self.report(*launch, "--suppressions", known, "--findings", sarif)
        self.assertEqual((status, [f["cause"] for f in report["findings"]]), (9, ["address"]))
        self.assertEqual([(e["name"], e["line"], e["findings"], e["count"]) for e in report["suppressed"]], [("odd", 1, 1, 16), ("", 6, 0, 0)])
        with open(sarif, encoding="utf-8") as file:
            results = json.load(file)["runs"][0]["results"]
        self.assertEqual([(r["ruleId"], r.get("suppressions")) for r in results],
                         [("fault/address", None), ("fault/misaligned", [{"kind": "external", "justification": f"'odd' ({known}:1)"}])])
        text = self.run_it("kernel", *launch, "--suppressions", known).stdout
        self.assertIn("\nsuppressed by 'odd' (known.txt:1): 1 finding (count 16)\nsuppressed by known.txt:6: nothing\n", text)
        self.assertEqual((text.count("\nfault (address"), text.count("\nfault (misaligned")), (1, 0))

    def test_races_of_all_schedules(self):
        """--schedules finds the race that one schedule may not show, with a schedule that does; and none where fences order."""
        for name, fence in (("racy.ptx", ""), ("fenced.ptx", "fence.acq_rel.gpu;")):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(PASS.replace("FENCE", fence))
        options = ["--grid", "2", "--arg", "buf:memory:u32:2:zero", "--mode", "functional", "--dispatch", "obe", "--check", "races"]
        search = ["--schedules", "1000"]
        _, report = self.report("racy.ptx", *options, *search)
        self.assertEqual(report["launches"][0]["progress"]["verdict"], "always finishes")
        self.assertEqual([(f["kind"], f["cause"]) for f in report["findings"]], [("race", "missing-fence")])
        message = report["findings"][0]["message"]
        self.assertTrue(message.endswith("; the schedule is 0*2,1*2"), message)
        _, again = self.report("racy.ptx", *options, *search)
        self.assertEqual(report["findings"], again["findings"])
        counts = [len(self.report("racy.ptx", *options, "--schedule", schedule)[1]["findings"]) for schedule in ("0*2,1*2", "1,0*5")]
        self.assertEqual(counts, [1, 0])
        text = self.run_it("kernel", "double.ptx", "--block", "32", "--arg", "buf:data:u32:32", "--arg", "u32:32", *options[options.index("--mode"):], "--schedules", "9").stdout
        self.assertRegex(text, r"progress: always finishes \(1 schedule, \d+ states?\)\n")
        _, report = self.report("fenced.ptx", *options, *search)
        self.assertEqual((report["launches"][0]["progress"]["verdict"], report["findings"]), ("always finishes", []))

    def test_what_was_checked(self):
        """64 threads, each of which loads once and stores once; and two barriers of two warps in each of two groups."""
        _, report = self.report("double.ptx", *BUFFER, "--check", "all")
        self.assertEqual(report["checked"], {"races": {"looked_at": 128, "findings": 0}, "init": {"looked_at": 128, "findings": 0},
                                             "barriers": {"looked_at": 0, "findings": 0}})
        for mode in "timing", "functional":
            text = self.run_it("kernel", "double.ptx", *BUFFER, "--check", "init,races", "--mode", mode).stdout
            self.assertIn("\nchecked: races, 128 accesses, nothing found\nchecked: init, 128 accesses, nothing found\n", text)
        self.write("bars.ptx", SPIN.replace("again:\n\tadd.u32 %r0, %r0, 1;\n\tbra again;", "bar.sync 0;\n\tbar.sync 0;\n\tret;"))
        text = self.run_it("kernel", "bars.ptx", "--grid", "2", "--block", "64", "--check", "barriers").stdout
        self.assertIn("\nchecked: barriers, 8 uses, nothing found\n", text)
        racy = self.write("racy.ptx", PASS.replace("FENCE", ""))
        text = self.run_it("kernel", racy, "--grid", "2", "--arg", "buf:memory:u32:2:zero", "--set", "policy.dispatch=obe", "--mode", "functional",
                           "--check", "races", "--schedule", "0*2,1*2").stdout
        self.assertRegex(text, r"\nchecked: races, \d accesses, 1 finding\n")
        self.assertNotIn("checked", self.run_it("kernel", "double.ptx", *BUFFER, "--check", "races", "--quiet").stdout)

    def test_what_a_check_of_all_leaves_out(self):
        """Lanes read what their neighbours wrote, volatile, with nothing between; and all write one value to one word."""
        self.write("old.ptx", """.version 6.4
.target sm_70
.address_size 64
.visible .entry old()
{
	.shared .b32 box[33];
	.reg .b32 %r<4>;
	mov.u32 %r0, %tid.x;
	shl.b32 %r1, %r0, 2;
	mov.u32 %r2, box;
	add.u32 %r1, %r1, %r2;
	st.volatile.shared.u32 [%r1], %r0;
	st.shared.u32 [box+128], 1;
	xor.b32 %r1, %r1, 4;
	ld.volatile.shared.u32 %r3, [%r1];
	ret;
}
""")
        left_out = "left out: 1 pair of lines whose volatile accesses nothing orders; see --check races=volatile\n" \
                   "left out: 1 pair of lines that write the same value; see --check races=all\n"
        for mode in "timing", "functional":
            options = ["--gpu", "v100", "--block", "32", "--mode", mode, "--check"]
            text = self.run_it("kernel", "old.ptx", *options, "all").stdout
            self.assertIn("checked: races, 96 accesses, nothing found\n", text)
            self.assertIn(left_out, text)
            _, report = self.report("old.ptx", *options, "all")
            self.assertEqual(report["findings"], [])
            self.assertEqual(report["checked"]["races"]["left_out"], {"volatile": 1, "same_value": 1})
            self.assertNotIn("left out", self.run_it("kernel", "old.ptx", *options, "races").stdout)
            _, report = self.report("old.ptx", *options, "races=volatile,races=all")
            self.assertEqual(sorted(f["cause"] for f in report["findings"]), ["missing-syncwarp", "same-value"])

    def test_what_a_check_of_barriers_leaves_out(self):
        """A warp ends, and the other opens the barrier."""
        self.write("early.ptx", """.version 6.4
.target sm_70
.address_size 64
.visible .entry early()
{
	.reg .pred %p;
	.reg .b32 %r;
	mov.u32 %r, %tid.x;
	setp.ge.u32 %p, %r, 32;
	@%p exit;
	bar.sync 0;
	ret;
}
""")
        left_out = "left out: 1 barrier that not all threads of a work-group reach, as GPUs allow; see --check barriers=all\n"
        for mode in "timing", "functional":
            options = ["--block", "64", "--mode", mode, "--check"]
            self.assertIn(f"checked: barriers, 1 use, nothing found\n{left_out}", self.run_it("kernel", "early.ptx", *options, "all").stdout)
            self.assertNotIn("left out", self.run_it("kernel", "early.ptx", *options, "barriers").stdout)
            _, report = self.report("early.ptx", *options, "all")
            self.assertEqual(report["checked"]["barriers"]["left_out"], {"not_all_threads": 1})
            _, report = self.report("early.ptx", *options, "barriers=all")
            self.assertEqual([(f["cause"], f["certainty"]) for f in report["findings"]], [("ended-threads", "noted")])
            self.assertNotIn("left_out", report["checked"]["barriers"])

    def test_names_of_cplusplus_in_errors(self):
        self.write("mangled.ptx", DOUBLE.replace("twice(", "_ZN4some5twiceEPji(").replace("count)", "count)\n.reqntid 32", 1))
        self.refused(["kernel", "mangled.ptx", *BUFFER, "--block", "64"], "kernel some::twice requires work-groups of 32x1x1 threads")

    def test_text_says_how_it_ran(self):
        result = self.run_it("kernel", "double.ptx", *BUFFER, "--set", "l1.ways=2", "--scheduler", "lrr", "--mode", "functional", "--seed", "7")
        self.assertTrue(result.stdout.startswith("GPU gtx480 with l1.ways=2, policy.scheduler=lrr\nmode functional\nseed 7\n\n"), result.stdout)

    def test_text(self):
        result = self.run_it("kernel", "double.ptx", *BUFFER, "--dump", "data:0:9")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("kernel twice: completed", result.stdout)
        self.assertIn("0: 0 2 4 6 8 10 12 14\n", result.stdout)

    @staticmethod
    def without_host_time(text):
        return re.sub(r"simulated at.*", "", text).rstrip("\n")

    def check_where_the_time_went(self, text, counters):
        """Percent of the scheduler cycles in which a warp was resident, the largest first."""
        first, *rows, last = text.rstrip("\n").split("\n")
        parts = {name: value for name, value in counters.items() if name == "smsp__issue_active.sum" or "issue_stalled" in name}
        del parts["smsp__issue_stalled_no_warp.sum"]
        whole = sum(parts.values())
        self.assertEqual(first, f"where the time went, of {whole:,} scheduler cycles with a warp resident")
        shares = sorted((100 * value / whole for value in parts.values() if value), reverse=True)
        wanted = [f"{share:.1f}" for share in shares if share >= 0.5]
        rest = sum(share for share in shares if share < 0.5)
        self.assertEqual([row.split()[0] for row in rows], wanted + [f"{rest:.1f}"] * (rest >= 0.05))
        self.assertEqual(last, "  for the costliest lines use --profile, for all counters --counters")

    def test_a_profile_names_the_costliest_lines(self):
        """Of all lines the three with the most cycles, in percent of all that are attributed."""
        _, report = self.report("double.ptx", *BUFFER, "--grid", "8", "--block", "64", "--profile")
        lines = report["launches"][0]["lines"]
        cycles = sorted(((line["issued"] + sum(line["stalls"].values()), line["line"]) for line in lines), key=lambda one: (-one[0], one[1]))
        whole = sum(one for one, _ in cycles)
        shown = self.run_it("kernel", "double.ptx", *BUFFER, "--grid", "8", "--block", "64", "--profile").stdout
        found = re.search(r"^the costliest lines.*\n((?:  .*\n)+)", shown, re.M)[1]
        self.assertEqual(re.findall(r"^ +([\d.]+) %  double.ptx:(\d+)", found, re.M), [(f"{100 * one / whole:.1f}", str(line)) for one, line in cycles[:3]])
        shares = {line["line"]: 100 * max(line["stalls"].values(), default=0) / (line["issued"] + sum(line["stalls"].values())) for line in lines}
        self.assertEqual(re.findall(r"\((\d+) % of that ", found), [f"{shares[line]:.0f}" for _, line in cycles[:3] if shares[line] >= 5])

    def test_quiet(self):
        """Nothing where all is well; else the verdict and what was found; and what is asked for."""
        result = self.run_it("kernel", "double.ptx", *BUFFER, "--quiet")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        dumped = self.run_it("kernel", "double.ptx", *BUFFER, "--quiet", "--dump", "data:0:2").stdout
        self.assertEqual(dumped, "buffer data (u32)\n           0: 0 2\n")
        self.assertRegex(self.run_it("kernel", "double.ptx", *BUFFER, "--quiet", "--counters").stdout, r"\A  smsp__")
        result = self.run_it("kernel", "spin.ptx", "--max-cycles", "3000", "--quiet")
        self.assertEqual((result.returncode, result.stdout), (5, "kernel spin: limit\n"))
        result = self.run_it("kernel", os.path.join(HERE, "../kernel/fault/store_past_end.ptx"), "--block", "64", "--arg", "buf:data:u32:64:iota",
                             "--arg", "buf:other:u32:64:zero", "--quiet")
        self.assertEqual(result.returncode, 4)
        self.assertRegex(result.stdout, r"\Akernel kernel: fault\n\nfault \(address, proved\): (.*\n)+  address 0x10000100\n\Z")

    def test_colours_and_width_of_a_terminal(self):
        """What goes to a terminal is coloured unless NO_COLOR says no, and broken at its width; a file is neither."""
        words = ["kernel", os.path.join(HERE, "../kernel/fault/store_past_end.ptx"), "--block", "64", "--arg", "buf:data:u32:64:iota", "--arg",
                 "buf:other:u32:64:zero", "--quiet"]
        for variables, coloured in ({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False):
            try:
                master, slave = pty.openpty()
            except OSError as why:
                self.skipTest(f"no terminal to be had: {why}")
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
            environment = {**{name: value for name, value in os.environ.items() if name != "NO_COLOR"}, "TERM": "xterm", **variables}
            subprocess.run([LOCKSTEP, *words], cwd=self.folder, stdout=slave, stderr=subprocess.DEVNULL, timeout=60, check=False, env=environment)
            os.close(slave)
            shown = b""
            try:
                while piece := self.read_within(master, 10):
                    shown += piece
            except OSError:
                pass
            os.close(master)
            text = shown.decode().replace("\r\n", "\n")
            self.assertEqual("\x1b[1;31mfault\x1b[0m" in text, coloured, variables)
            plain = re.sub(r"\x1b\[[\d;]*m", "", text)
            paragraph = plain[plain.index("\nfault ("):plain.index("\n  at ")]
            self.assertGreater(paragraph.count("\n"), 2)
            self.assertLessEqual(max(len(line) for line in paragraph.split("\n") if " " in line.strip()), 60)
            self.assertEqual(paragraph.split(), self.run_it(*words).stdout.split("\n  at ")[0].split()[3:])

    def test_text_is_the_jsons(self):
        """Every number of the text report, from those of the JSON report: formulas, rounding, units, where the time went; the counters, in
        their groups and columns, where they are asked for."""
        words = ["double.ptx", "--grid", "40", "--block", "48", "--arg", "buf:data:u32:2000:iota", "--arg", "u32:1900"]
        for settings in ([], ["--mode", "functional"]):
            _, report = self.report(*words, *settings)
            launch, configuration = report["launches"][0], report["configuration"]
            counters, warps, threads = launch["counters"], launch["warp_instructions"], launch["thread_instructions"]
            head, *others = self.run_it("kernel", *words, *settings).stdout.split("\n\n")[1:]
            self.assertEqual(len(others), bool(launch["cycles"]))
            if others:
                self.check_where_the_time_went(others[0], counters)
            same, *groups = self.run_it("kernel", *words, *settings, "--counters").stdout.split("\n\n")[1:]
            self.assertEqual(self.without_host_time(same), self.without_host_time(head))
            groups = groups[bool(launch["cycles"]):]
            wanted = {
                "grid x block": "40,1,1 x 48,1,1 = 1,920 threads",
                "cycles": f"{launch['cycles']:,}",
                "warp instructions": f"{warps:,}",
                "thread instructions": f"{threads:,}",
                "registers per thread": str(launch["registers_per_thread"]),
                "shared bytes": "0",
                "SIMD efficiency": f"{100 * threads / (warps * 32):.1f} % of the lanes",
                # 8 groups of 48 threads of 1536 (paper 2, Table II)
                "occupancy": "8 work-groups a core, limited by groups (25 % of the threads)",
            }
            if launch["cycles"]:
                joules, seconds = counters["energy__total.sum"] * 1e-9, launch["cycles"] / (configuration["clock.core"] * 1e3)
                shares = [f"{name[8:-4]} {100 * value * 1e-9 / joules:.0f} %" for name, value in counters.items()
                          if name.startswith("energy__") and name != "energy__total.sum" and value * 1e-9 / joules >= 0.05]
                wanted["simulated time"] = f"{seconds * 1e6:.3f} us"
                wanted["IPC"] = f"{warps / launch['cycles']:.3f} warp instructions a cycle, whole GPU"
                wanted["energy"] = f"{joules * 1e3:.4g} mJ, {joules / seconds:.1f} W on average: {', '.join(shares)}"
            lines = head.rstrip("\n").split("\n")
            self.assertEqual(lines[0], "kernel twice: completed")
            shown = {line[2:24].rstrip(): line[25:] for line in lines[1:]}
            self.assertRegex(shown.pop("simulated at"), r"^\d+\.\d\d million warp instructions a second, \d+\.\d{3} s$")
            self.assertEqual(shown, wanted)
            self.assertEqual(groups[-1], f"  ({sum(not value for value in counters.values())} counters are 0)\n")
            rows = [[line.split()[:2] for line in group.split("\n")] for group in groups[:-1]]
            self.assertEqual([row for group in rows for row in group], [[name, f"{value:,}"] for name, value in counters.items() if value])
            places = {tuple(at.start() for at in re.finditer(r"(?<= )[^ ]", line))[2:3] for group in groups[:-1] for line in group.split("\n")}
            self.assertEqual(places, {(76,)})   # each unit begins in the same column: behind 2, 52 and 20 characters and blanks
            prefixes = [{row[0].split("__")[0] for row in group} for group in rows]
            self.assertTrue(all(len(names) == 1 for names in prefixes), prefixes)
            self.assertTrue(all(one != other for one, other in zip(prefixes, prefixes[1:])), prefixes)

    def test_options_become_the_programs_environment(self):
        """What `run` sets for the drivers, and nothing that was there before."""
        def environment(*options, **before):
            result = self.run_it("run", *options, "--", "env", "-0", env={**os.environ, **before})
            self.assertEqual(result.returncode, 0, result.stderr)
            of_it = dict(line.split("=", 1) for line in result.stdout.split("\0") if "=" in line)
            return {name.removeprefix("LOCKSTEP_"): value for name, value in of_it.items() if name.startswith("LOCKSTEP_") and name not in left}, of_it

        left = {name for name in os.environ if name.startswith("LOCKSTEP")} | {"LOCKSTEP_CHANNEL"}
        folder = os.path.realpath(self.folder)
        plain = {"MODE": "timing"}
        seen, whole = environment()
        self.assertEqual(seen, plain)
        self.assertRegex(whole["LOCKSTEP_CHANNEL"], r"^/proc/\d+/fd/\d+$")
        self.assertEqual(whole["OCL_ICD_VENDORS"], whole["OCL_ICD_FILENAMES"])
        self.assertEqual(os.path.basename(whole["OCL_ICD_VENDORS"]), "liblockstep-opencl.so")
        seen, _ = environment(**{f"LOCKSTEP_{name}": "7" for name in (
            "ON_FAULT", "SET", "PLUGIN", "ONLY", "TRACE", "OPENCL_VERSION", "VENDOR", "DEVICE_NAME", "THREADS", "SEED", "MAX_CYCLES", "HANG_AFTER", "EXPLAIN_LIMIT")})
        self.assertEqual(seen, plain)
        # Of all options the environment chooses the model alone, where --gpu does not.
        self.assertEqual(environment(LOCKSTEP_GPU="v100")[0]["GPU"], "v100")
        self.assertEqual(environment("--gpu", "gtx480", LOCKSTEP_GPU="v100")[0]["GPU"], "gtx480")
        self.assertEqual(self.run_it("run", "true", env={**os.environ, "LOCKSTEP_GPU": "v1000"}).returncode, 2)
        seen, _ = environment(
            "--gpu", "v100", "--mode", "functional", "--on-fault", "continue", "--set", "core.count=2", "--scheduler=lrr", "--only", "a:2", "--only", "b",
            "--trace", "here.json", "--opencl-version", "1.2", "--vendor", "AMD", "--device-name", "a b", "--threads", "2", "--seed", "3",
            "--max-cycles", "4", "--hang-after", "5", "--explain-limit", "6", "--trace-window", "7:8", "--trace-cores", "0-1")
        self.assertEqual(seen, {
            "GPU": "v100", "MODE": "functional", "ON_FAULT": "continue", "SET": "core.count=2\npolicy.scheduler=lrr\n", "ONLY": "a:2\nb\n",
            "TRACE": f"{folder}/here.json", "OPENCL_VERSION": "1.2", "VENDOR": "AMD", "DEVICE_NAME": "a b", "THREADS": "2", "SEED": "3",
            "MAX_CYCLES": "4", "HANG_AFTER": "5", "EXPLAIN_LIMIT": "6", "TRACE_WINDOW": "7:8", "TRACE_CORES": "0-1"})
        seen, _ = environment("--explain-limit", "0", "--trace", "/x.json", "--on-fault", "stop", "--seed", "0")
        self.assertEqual(seen, {**plain, "EXPLAIN_LIMIT": "0", "TRACE": "/x.json"})
        shutil.copy(os.path.join(os.path.dirname(HERE), "..", "gpus", "v100.cfg"), self.folder)
        for name in ("v100.cfg", "./v100.cfg"):
            self.assertEqual(environment("--gpu", name)[0]["GPU"], f"{folder}/{name}")
        cuda = whole.get("LD_LIBRARY_PATH")
        if cuda:
            self.assertEqual(environment(LD_LIBRARY_PATH="/a:/b")[1]["LD_LIBRARY_PATH"], f"{cuda.split(':')[0]}:/a:/b")

    def test_signals_reach_the_program(self):
        """One that is sent to the command alone is passed on, and what the program makes of it is the command's end."""
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGXCPU):
            name = number.name.removeprefix("SIG")
            script = f"trap 'echo {name}; exit 7' {name}; echo ready; while :; do sleep 0.02; done"
            with subprocess.Popen([LOCKSTEP, "run", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                  start_new_session=True) as process:
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.send_signal(number)
                self.assertEqual(process.communicate(timeout=60)[0], f"{name}\n")
                self.assertEqual(process.returncode, 7)

    def test_nothing_survives_the_command(self):
        """SIGKILL of it ends the program, and what a script has started: else the pipe stays open."""
        for script in "sleep 600", "sleep 600 & echo; sleep 600":
            with subprocess.Popen([LOCKSTEP, "run", "sh", "-c", f"echo ready; {script}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.kill()
                process.communicate(timeout=60)

    def test_what_a_program_leaves_behind_stays(self):
        """What it has started runs on when it has ended by itself, and the command with it."""
        script = "(read line; echo $line) <&3 3<&- & exit 3"
        reader, writer = os.pipe()
        with subprocess.Popen([LOCKSTEP, "run", "sh", "-c", script.replace("3", str(reader)).replace("exit " + str(reader), "exit 3")], pass_fds=[reader],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            os.close(reader)
            self.assertEqual(process.wait(timeout=60), 3)
            os.write(writer, b"still here\n")
            os.close(writer)
            self.assertEqual(process.stdout.read(), "still here\n")

    def test_every_type(self):
        for name, code, values in [
            ("u8", "B", [0, 255]), ("s8", "b", [-128, 127]), ("u16", "H", [65535]), ("s16", "h", [-32768]),
            ("u32", "I", [4294967295]), ("s32", "i", [-2147483648]), ("u64", "Q", [2**64 - 1]), ("s64", "q", [-(2**63)]),
            ("f16", "e", [0.333251953125, -0.0]), ("f32", "f", [0.10000000149011612, 3e38]), ("f64", "d", [0.1, 5e-324]),
        ]:
            with self.subTest(type=name):
                path = os.path.join(self.folder, name)
                with open(path, "wb") as file:
                    file.write(struct.pack(f"<{len(values)}{code}", *values))
                fill = f"buf:x:{name}:{len(values)}:file={path}"
                _, report = self.report("double.ptx", "--block", "1", "--arg", fill, "--arg", "u32:0", "--dump", "x")
                packed = struct.pack(f"<{len(values)}{code}", *report["buffers"]["x"])
                self.assertEqual(packed, struct.pack(f"<{len(values)}{code}", *values))

    def test_not_finite(self):
        for fill, text in [("nan", "nan"), ("inf", "inf"), ("-inf", "-inf")]:
            _, report = self.report("double.ptx", "--block", "1", "--arg", f"buf:x:f32:1:fill={fill}", "--arg", "u32:0", "--dump", "x")
            self.assertEqual(report["buffers"]["x"], [text])

    def test_random(self):
        def draws(state):
            while True:
                state = (state + 0x9E3779B97F4A7C15) % 2**64
                z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
                z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
                yield z ^ (z >> 31)

        draw = draws(7)
        _, report = self.report("double.ptx", "--block", "1", "--arg", "buf:x:s32:9:random=7,-5,6", "--arg", "u32:0", "--dump", "x")
        self.assertEqual(report["buffers"]["x"], [-5 + next(draw) % 11 for _ in range(9)])
        draw = draws(7)
        _, report = self.report("double.ptx", "--block", "1", "--arg", "buf:x:f64:9:random=7,-1,3", "--arg", "u32:0", "--dump", "x")
        self.assertEqual(report["buffers"]["x"], [-1 + 4 * (next(draw) >> 11) / 2**53 for _ in range(9)])

    def test_limit(self):
        status, report = self.report("spin.ptx", "--max-cycles", "2000")
        self.assertEqual((status, report["launches"][0]["outcome"]), (5, "limit"))

    def test_fault(self):
        status, report = self.report("double.ptx", "--block", "32", "--arg", "buf:data:u32:8", "--arg", "u32:32")
        self.assertEqual((status, report["launches"][0]["outcome"]), (4, "fault"))
        self.assertEqual(report["findings"][0]["kind"], "fault")
        self.assertTrue(report["findings"][0]["addresses"])

    # ---- Files ----

    def test_devices_that_never_end(self):
        for words, message in [
            (["kernel", "/dev/zero"], "/dev/zero: "),
            (["kernel", "link.ptx"], "link.ptx: is a device: expected a file or a pipe"),
            (["kernel", "double.ptx", "--gpu", "/dev/zero"], "/dev/zero: is a device: expected a file or a pipe"),
            (["kernel", "double.ptx", "--args", "/dev/urandom"], ""),
            (["lint", "link.ptx"], "link.ptx: is a device: expected a file or a pipe"),
        ]:
            if not os.path.lexists(os.path.join(self.folder, "link.ptx")):
                os.symlink("/dev/zero", os.path.join(self.folder, "link.ptx"))
            self.refused(words, message)

    def test_names_are_escaped(self):
        self.refused(["kernel", "\x1b[31m.ptx"], "\\x1b[31m.ptx: cannot open: ")
        self.refused(["kernel", "a/" * 2000 + "x"], ": cannot open: ")
        self.refused(["kernel", "double.ptx", "--a\nb"], "unknown option '--a\\x0ab'")
        self.refused(["kernel", "double.ptx", "--kernel", "a\x07", *BUFFER], "a\\x07")

    def test_pipe_as_input(self):
        os.symlink("/dev/stdin", os.path.join(self.folder, "in.ptx"))
        result = self.run_it("kernel", "in.ptx", *BUFFER, input=DOUBLE)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_sources_that_are_no_files(self):
        """What PTX names as its source is neither waited for nor read to the end."""
        os.mkfifo(os.path.join(self.folder, "fifo"))
        for source in ("/dev/zero", "fifo"):
            self.write("far.ptx", DOUBLE.replace("{\n", "{\n\t.loc 1 7 1\n", 1) + f'\n.file 1 "{source}"\n')
            result = self.run_it("kernel", "far.ptx", "--block", "32", "--arg", "buf:data:u32:8", "--arg", "u32:32")
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertIn(f"{source}:7", result.stdout)

    def test_output(self):
        path = os.path.join(self.folder, "report.json")
        result = self.run_it("kernel", "double.ptx", *BUFFER, "--report", "json", "--output", path)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["gpu"], "gtx480")

    def test_output_that_cannot_be_written(self):
        before = sorted(os.listdir(self.folder))
        for option in "--output", "--findings", "--trace":  # what came of the run is not lost
            result = self.run_it("kernel", "double.ptx", *BUFFER, option, "/dev/full")
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, r"\A/dev/full: cannot write.*: No space left on device\n\Z")
            self.assertIn("kernel twice: completed", result.stdout)
        self.refused(["kernel", "double.ptx", *BUFFER, "--output", "/dev/full", "--report", "html"], "/dev/full: cannot write: No space left")
        self.refused(["kernel", "double.ptx", *BUFFER, "--output", "none/x"], "none/x: cannot write: No such file")
        self.refused(["kernel", "double.ptx", *BUFFER, "--trace", "none/x"], "none/x")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        for words in [["kernel", "double.ptx", *BUFFER], ["gpus"], ["gpus", "gtx480"], ["policies"], ["help"]]:
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([LOCKSTEP, *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=self.folder, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn("cannot write to standard output: No space left on device", result.stderr)

    def test_trace(self):
        path = os.path.join(self.folder, "trace.json")
        _, report = self.report("double.ptx", *BUFFER, "--trace", path)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.assertTrue(any(event["ph"] == "X" for event in events))
        # Each core and scheduler is named once: two work-groups are on two cores, which have two schedulers (paper 2, Table II); and the launches.
        names = sorted((event["name"], event["pid"], event.get("tid")) for event in events if event["ph"] == "M")
        self.assertEqual(len(names), len(set(names)), names)
        self.assertEqual(len([name for name in names if name[0] == "process_name"]), 3)
        launches = [(event["ts"], event["dur"]) for event in events if event["ph"] == "X" and event["name"] == "twice"]
        self.assertEqual(launches, [(0, report["launches"][0]["cycles"])])

    # ---- Signals ----

    ENDLESS = ("--hang-after", "1000000000000")

    def start(self, *words, **options):
        """A command whose kernel never ends, when it has opened its timeline: so when it catches signals."""
        process = subprocess.Popen([LOCKSTEP, "kernel", *words, *self.ENDLESS, "--trace", "trace.json"], cwd=self.folder, **options)
        self.addCleanup(process.wait, 60)
        self.addCleanup(process.kill)
        while not glob.glob(os.path.join(self.folder, "trace.json.*")) and process.poll() is None:
            time.sleep(0.01)
        return process

    def check_trace(self):
        with open(os.path.join(self.folder, "trace.json"), encoding="utf-8") as file:
            self.assertIn("traceEvents", json.load(file))
        os.unlink(file.name)

    def test_interrupted(self):
        modes = ("timing",), ("functional",), ("functional", "--dispatch", "obe"), ("functional", "--dispatch", "obe", "--schedules", "1000")
        others = (signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU, signal.SIGIO, signal.SIGPWR,
                  signal.SIGSTKFLT, signal.SIGRTMIN, signal.SIGRTMAX)
        for number, tried in ((signal.SIGINT, modes), (signal.SIGTERM, modes), *((number, modes[:1]) for number in others)):
            for mode in tried:
                with self.subTest(number=number, mode=mode):
                    process = self.start("spin.ptx", "--report", "json", "--mode", *mode, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    process.send_signal(number)
                    stdout, stderr = process.communicate(timeout=60)
                    self.assertEqual((process.returncode, stderr), (-number, b""))
                    self.assertEqual(json.loads(stdout)["launches"][0]["outcome"], "interrupted")
                    self.check_trace()

    def test_interrupted_twice(self):
        """The report is larger than the pipe, which is not read on: only the second signal ends the command."""
        self.write("spin.ptx", SPIN.replace("spin()", "spin(.param .u64 a)"))
        process = self.start("spin.ptx", "--report", "json", "--arg", "buf:a:u32:100000:iota", "--dump", "a", stdout=subprocess.PIPE)
        process.send_signal(signal.SIGINT)
        self.assertEqual(os.read(process.stdout.fileno(), 1), b"{")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), -signal.SIGINT)
        self.assertLess(len(process.communicate()[0]), 200000)

    def test_reader_gone(self):
        """SIGPIPE, as `| head` brings it, while the kernel prints."""
        self.write("say.ptx", SAY)
        reader, writer = os.pipe()
        os.close(reader)
        process = self.start("say.ptx", "--output", "report.json", "--report", "json", stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual((process.returncode, stderr), (-signal.SIGPIPE, b""))
        with open(os.path.join(self.folder, "report.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["launches"][0]["outcome"], "interrupted")
        self.check_trace()

    def test_ignored_signals_stay_ignored(self):
        """As under nohup."""
        process = self.start("spin.ptx", stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGTERM)

    def test_limit_of_file_sizes(self):
        """ulimit -f: one line, and nothing is left of the file; the report is printed."""
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        words = ["kernel", "double.ptx", "--grid", "64", "--block", "64", "--arg", "buf:data:u32:4096:iota", "--arg", "u32:4096"]
        for more in ["--output", "out.json", "--report", "json"], ["--trace", "trace.json"], ["--findings", "found.sarif"]:
            result = self.run_it(*words, *more, preexec_fn=small_files)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
            self.assertIn('"outcome": "completed"' if "json" in more else "kernel twice: completed", result.stdout)
            self.assertIn("File too large", result.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, more[1])))
        with open(os.path.join(self.folder, "stdout"), "w", encoding="utf-8") as file:
            result = subprocess.run([LOCKSTEP, *words], cwd=self.folder, stdout=file, stderr=subprocess.PIPE, text=True, timeout=60,
                                    preexec_fn=small_files, check=False)
        self.assertEqual((result.returncode, result.stderr), (2, "cannot write to standard output: File too large\n"))

    def test_show(self):
        """The drawings stand before the report, or on standard error; they and what is reported do not depend on how the run is made."""
        recursion = os.path.join(os.path.dirname(__file__), "..", "kernel", "paper1", "example_02_recursion.ptx")
        launch = ["kernel", recursion, "--block", "8", "--arg", "buf:x:u32:40:zero"]
        self.assertIn("-1   1      11111111     call", self.run_it(*launch, "--block", "40", "--show", "stack:0:1").stdout)
        for model, deepest in [("stack", "TOS ->  A:12    -1    2      00000111     call"),
                               ("stack-without-calls", "TOS ->  A:12  D:23  2      00000111     -"),
                               ("independent", "runs ->  A:12  -1       2      00000111  -")]:
            shown = [*launch, "--divergence", model, "--show", "stack"]
            text = self.run_it(*shown)
            drawings = text.stdout[:text.stdout.index("GPU gtx480")]
            self.assertTrue(drawings.startswith(f"warp 0 of work-group 0, divergence model {model};"))
            self.assertIn(deepest, drawings)
            self.assertTrue(drawings.endswith("no lane is left\n\n"))
            for options in [["--threads", "2"], ["--mode", "functional"], ["--trace", os.path.join(self.folder, "trace.json")]]:
                result = self.run_it(*shown, *options, "--report", "json")
                self.assertEqual(result.stderr, drawings)
                json.loads(result.stdout)
            plain, watched = [json.loads(self.run_it(*words, "--report", "json").stdout) for words in (shown[:-2], shown)]
            self.assertEqual(plain["launches"][0]["counters"], watched["launches"][0]["counters"])

    def test_findings_as_sarif(self):
        hang = os.path.join(os.path.dirname(__file__), "..", "kernel", "hang", "spin_lock.ptx")
        words = [hang, "--block", "32", "--arg", "buf:lock:u32:1:zero", "--arg", "buf:count:u32:1:zero"]
        path = os.path.join(self.folder, "findings.sarif")
        result = self.run_it("kernel", *words, "--findings", path)
        self.assertEqual(result.returncode, 3)
        with open(hang, encoding="utf-8") as file:
            line = next(number for number, text in enumerate(file, 1) if text.startswith("\tatom.global.cas"))
        self.assertIn(f">     {line} | \tatom.global.cas.b32", result.stdout)
        with open(path, encoding="utf-8") as file:
            log = json.load(file)
        self.assertEqual(log["version"], "2.1.0")
        run = log["runs"][0]
        self.assertEqual([rule["id"] for rule in run["tool"]["driver"]["rules"]], ["hang/simt"])
        found = run["results"][0]
        self.assertEqual((found["ruleId"], found["level"]), ("hang/simt", "error"))
        place = found["locations"][0]["physicalLocation"]
        self.assertEqual(place["region"]["startLine"], line)
        self.assertTrue(place["artifactLocation"]["uri"].endswith("hang/spin_lock.ptx"))
        self.assertEqual(self.run_it("kernel", "double.ptx", *BUFFER, "--findings", path).returncode, 0)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["runs"][0]["results"], [])
        self.refused(["kernel", "double.ptx", *BUFFER, "--findings", "none/x"], "none/x: cannot write: No such file")

    def on_a_terminal(self, words, until):
        """What `lockstep kernel` shows on a terminal, with SIGINT as soon as that has `until`; and its status."""
        try:
            master, slave = pty.openpty()
        except OSError as why:  # a bare chroot has no /dev/pts
            self.skipTest(f"no terminal to be had: {why}")
        shown = b""
        with subprocess.Popen([LOCKSTEP, "kernel", *words], stdout=subprocess.DEVNULL, stderr=slave) as process:
            os.close(slave)
            try:
                while piece := self.read_within(master, 60):
                    if until in piece and until not in shown:
                        process.send_signal(signal.SIGINT)
                    shown += piece
            except OSError:
                pass
            process.kill()  # where nothing was shown it would go on
        os.close(master)
        return shown, process.returncode

    def test_progress_only_on_a_terminal(self):
        self.assertEqual(self.run_it("kernel", "spin.ptx", "--max-cycles", "3000000").stderr, "")
        shown, status = self.on_a_terminal([self.spin], b"work-groups")
        self.assertRegex(shown, rb"^\r\x1b\[Jspin: running, [\d,]+ cycles, 0 of 1 work-groups")
        self.assertTrue(shown.endswith(b"\r\r\x1b[J"), shown)  # the line is taken away
        self.assertEqual(status, -signal.SIGINT)

    def test_progress_has_the_time_left(self):
        """As long for each work-group that is left as for those that have ended."""
        words = [os.path.join(HERE, "../../bench/fma.ptx"), "--grid", "60000", "--block", "256", "--arg", "buf:out:f32:15360000:zero", "--arg", "f32:0.5",
                 "--arg", "f32:1.0", "--arg", "s32:64"]
        shown, _ = self.on_a_terminal(words, b" left")
        self.assertRegex(shown, rb"fmaloop: running, [\d,]+ cycles, about \d+ (s|min) left, [1-9]\d* of 60000 work-groups\r")
        self.assertNotRegex(shown, rb"left, \d{1,3} of 60000 work-groups")

    def on_width(self, words, columns, **variables):
        try:
            return terminal.on_terminal([LOCKSTEP, *words], columns, self.folder, **variables)
        except OSError as why:
            self.skipTest(f"no terminal to be had: {why}")

    def test_every_text_has_the_width_of_the_terminal(self):
        """What each command prints: findings, tables, help, errors.  Into a pipe the same words come in lines as they are."""
        for name in ("a", "b"):
            self.run_it("kernel", "double.ptx", *BUFFER, "--scheduler", "lrr" if name == "a" else "gto", "--report", "json", "--output", f"{name}.json")
        hang = [os.path.join(HERE, "../kernel/hang/lost_release.ptx"), *"--grid 2 --block 1 --arg buf:lock:u32:1:zero".split()]
        calls = [["help"], ["gpus"], ["gpus", "h200"], ["policies"], ["cache"], ["cache", "--help"], ["experiment", "list"],
                 *([command, "--help"] for command in "run kernel lint litmus compare report sweep gpus policies experiment".split()),
                 ["kernel", "double.ptx", *BUFFER, "--counters", "--profile"], ["kernel", *hang], ["lint", hang[0]], ["compare", "a.json", "b.json"],
                 ["sweep", "--vary", "grid=1,2", "--value", "cycles", "--", "kernel", "double.ptx", *BUFFER], ["kernel", "double.ptx", "--grid", "x" * 20],
                 ["litmus", "double.ptx"], ["run", "true"]]
        for words in calls:
            piped = self.run_it(*words)
            is_help = words[0] in ("help", "experiment") or "--help" in words
            for columns in (40, 80, 120):
                status, text = self.on_width(words, columns, TERM="dumb")
                self.assertEqual(status, piped.returncode, words)
                self.assertEqual(terminal.too_long(text, columns), [], words)
                if not is_help and words[0] != "sweep":
                    without_time = [re.sub(r"simulated (at .*? second, |in )[\d.]+ s", "", " ".join(t.split())) for t in (text, piped.stderr + piped.stdout, piped.stdout + piped.stderr)]
                    self.assertIn(without_time[0], without_time[1:], words)

    def test_width_without_a_terminals_word(self):
        """COLUMNS where the terminal does not tell; 80 where neither does."""
        for columns, variables in ((50, {"COLUMNS": "50"}), (80, {}), (80, {"COLUMNS": "many"}), (60, {"COLUMNS": "60"})):
            _, text = self.on_width(["gpus", "h200"], 0, **variables)
            self.assertEqual(terminal.too_long(text, columns), [])
            self.assertTrue(any(columns - 8 <= len(line) for line in text.split("\n")), columns)

    def test_the_progress_line_never_scrolls(self):
        """It is shorter than the terminal is wide, erases itself, and says that a cause is confirmed: each test, of how many."""
        hang = ["kernel", os.path.join(HERE, "../kernel/hang/lost_release.ptx"), *"--grid 2 --block 1 --arg buf:lock:u32:1:zero".split(), "--output", "out.txt"]
        for columns in (200, 80, 40, 12):
            status, text = self.on_width(hang, columns)
            self.assertEqual(status, 3)
            lines = [part.rstrip("\r") for part in text.split(terminal.ERASE)]
            self.assertEqual((lines[0], lines[-1]), ("", ""))
            self.assertNotIn("\n", text)
            self.assertLess(max(len(line) for line in lines), columns)
            if columns >= 80:
                tests = [re.fullmatch(r"(\w+): a hang, confirming the cause: (\d+) of (\d+)(, [\d,]+ cycles)?", line) for line in lines[1:-1] if "hang" in line]
                self.assertEqual(sorted({int(test[2]) for test in tests}), list(range(1, int(tests[-1][2]) + 1)))
                self.assertTrue(all(int(test[2]) <= int(test[3]) for test in tests))
        self.assertEqual(self.on_width(hang, 80, TERM="dumb"), (3, ""))

    def test_no_page_on_a_terminal(self):
        """Nobody reads a page there: it is refused before anything runs.  Into a file or a pipe it goes as before."""
        self.assertEqual(self.run_it("kernel", "double.ptx", *BUFFER, "--report", "json", "--output", "some.json").returncode, 0)
        for words in (["report", "some.json"], ["kernel", "double.ptx", *BUFFER, "--report", "html"]):
            try:
                master, slave = pty.openpty()
            except OSError as why:
                self.skipTest(f"no terminal to be had: {why}")
            done = subprocess.run([LOCKSTEP, *words], cwd=self.folder, stdout=slave, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
            os.close(slave)
            os.close(master)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"^lockstep {words[0]}: a page for a browser and no file to write it to, expected --output FILE.html\n$")
            self.assertIn("<html", self.run_it(*words).stdout)

    @staticmethod
    def read_within(descriptor, seconds):
        """What comes, or nothing after so long."""
        ready, _, _ = select.select([descriptor], [], [], seconds)
        return os.read(descriptor, 4096) if ready else b""

    # ---- Compilation ----

    @unittest.skipUnless(HAS_CLANG, "no clang")
    def test_files_of_the_working_folder(self):
        """clang makes their names absolute; people read them as they gave them, programs in whole."""
        self.write("never.cu", "__global__ void never(volatile int *flag)\n{\n\twhile (!*flag)\n\t\t;\n}\n")
        words = ["kernel", "never.cu", "--arg", "buf:flag:s32:1:zero"]
        for more in [], ["--output", "out.txt"]:
            result = self.run_it(*words, *more)
            text = result.stdout
            if more:
                with open(os.path.join(self.folder, "out.txt"), encoding="utf-8") as file:
                    text = file.read()
            self.assertIn("\n  at never.cu:3", text)
            self.assertNotIn(self.folder, text)
        _, report = self.report(*words[1:])
        self.assertEqual(report["findings"][0]["lines"][0]["file"], os.path.join(self.folder, "never.cu"))

    @unittest.skipUnless(HAS_CLANG, "no clang")
    def test_header_that_is_missing(self):
        self.write("grid.cu", "#include <cooperative_groups.h>\n")
        result = self.run_it("kernel", "grid.cu")
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr.endswith(
            "\ngrid.cu: clang could not compile it, its messages are above; for 'cooperative_groups.h' give -I FOLDER, or, where it belongs to NVIDIA's "
            "toolkit, compile with `nvcc -ptx` and give the PTX\n"), result.stderr)

    @unittest.skipUnless(HAS_CLANG, "no clang")
    def test_firmware_and_what_it_dispatches(self):
        """docs/control.md: firmware of the file or of another, all other kernels of the file or those that are named, a wavefront or --block."""
        head = ".version 8.0\n.target sm_80\n.address_size 64\n"
        work = "".join(WORK.replace("NAME", name).replace("NUMBER", str(number)) for name, number in (("first", 1), ("second", 10), ("third", 100)))
        self.write("work.ptx", head + work)
        self.write("firmware.ptx", head + FIRMWARE)
        self.write("control.v2.ptx", head + FIRMWARE + FIRMWARE[FIRMWARE.index(".visible"):].replace(" first(", " last("))
        self.write("together.ptx", head + FIRMWARE + work.replace("first", "zeroth"))
        for words, total, threads in (
                (["work.ptx", "--firmware", "firmware.ptx"], 111, 64),
                (["work.ptx", "--firmware", "firmware.ptx:first", "--block", "96"], 111, 96),
                (["work.ptx", "--firmware", "control.v2.ptx:last", "--set", "core.warp_size=32"], 111, 32),
                (["work.ptx", "--firmware", "firmware.ptx", "--dispatches", "third", "--dispatches", "first", "--dispatches", "third"], 201, 64),
                (["together.ptx", "--firmware", "first"], 111, 64)):
            status, report = self.report(*words, "--gpu", "apu-2014", "--arg", "buf:data:u32:2:zero", "--arg", "u32:3", "--dump", "data")
            self.assertEqual((status, report["buffers"]["data"]), (0, [total, threads]), words)
        rest = ["--gpu", "apu-2014", "--arg", "buf:data:u32:2:zero", "--arg", "u32:3"]
        self.refused(["kernel", "work.ptx", "--firmware", "control.v2.ptx", *rest], "control.v2.ptx: has 2 kernels, expected --firmware FILE:KERNEL with one of: first, last")
        self.refused(["kernel", "work.ptx", "--firmware", "firmware.ptx:second", *rest], "firmware.ptx: has no kernel 'second', expected one of: first")
        self.refused(["kernel", "work.ptx", "--firmware", "fourth", *rest], "work.ptx: has no kernel 'fourth', expected one of: first, second, third")
        self.refused(["kernel", "work.ptx", "--firmware", "firmware.ptx", "--dispatches", "fourth", *rest], "work.ptx: has no kernel 'fourth', expected one of: first, second, third")

    def test_cuda(self):
        self.write("scale.cu", CUDA)
        status, report = self.report("scale.cu", "--kernel", "scale", "--block", "32", "--arg", "buf:x:f32:32:fill=1.5", "--arg",
                                     "f32:2", "--dump", "x:0:2")
        self.assertEqual((status, report["buffers"]["x"]), (0, [5.0, 5.0]))

    @unittest.skipUnless(HAS_CLANG, "no clang")
    def test_macros_and_folders(self):
        os.makedirs(os.path.join(self.folder, "more"), exist_ok=True)
        with open(os.path.join(self.folder, "more", "number.h"), "w", encoding="utf-8") as file:
            file.write("#define TEXT_IS(text) (sizeof text - 1)\n")
        with open(os.path.join(self.folder, "macros.cu"), "w", encoding="utf-8") as file:
            file.write('#include "number.h"\n__global__ void k(int *a) { *a = N + TEXT_IS(T); }\n')
        words = ["macros.cu", "-DN=40", "-D", 'T="a\\"b\\\\"', "-Imore"]
        result = self.run_it("kernel", *words, "--arg", "buf:a:s32:1", "--dump", "a")
        self.assertIn("0: 44\n", result.stdout, result.stderr)
        self.assertEqual(self.run_it("kernel", "--kernel-list", *words).stdout, "_Z1kPi(u64)  k(int*)\n")
        self.assertEqual(self.run_it("lint", *words).returncode, 0)

    @unittest.skipUnless(HAS_CLANG and HAS_LIBCLC, "no clang or no libclc")
    def test_opencl(self):
        self.write("add.cl", OPENCL)
        status, report = self.report("add.cl", "--block", "8", "--arg", "buf:x:s32:8:iota", "--arg", "s32:-3", "--dump", "x")
        self.assertEqual((status, report["buffers"]["x"]), (0, [-3, -2, -1, 0, 1, 2, 3, 4]))

    @unittest.skipUnless(HAS_CLANG, "no clang")
    def test_compiler_speaks(self):
        self.write("bad.cu", "__global__ void k() { nonsense(); }\n")
        temporary = os.path.join(self.folder, "tmp")
        os.mkdir(temporary)
        result = self.run_it("kernel", "bad.cu", env={**os.environ, "TMPDIR": temporary})
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("bad.cu:1:23: error:", result.stderr)
        self.assertTrue(result.stderr.endswith("could not compile it, its messages are above\n"))
        self.assertEqual(os.listdir(temporary), [])

    @unittest.skipUnless(HAS_CLANG and HAS_LIBCLC, "no clang or no libclc")
    def test_compiled_once_opencl(self):
        counts = self.compiled_once("value.cl", "kernel void k(global int *x)")
        self.assertLess(counts[2], counts[0])  # what the libraries have is known from the first time

    @unittest.skipUnless(HAS_CLANG and HAS_LIBCLC, "no clang or no libclc")
    def test_compiled_once_cuda(self):
        self.compiled_once("value.cu", "__global__ void k(int *x)")

    def compiled_once(self, source, head):
        """The cache of compiled kernels: found again, not when the source, a header, an option, the folder or the compiler has changed, nor
        when an entry is damaged.  How often the compiler ran each time."""
        clang = os.environ.get("LOCKSTEP_CLANG") or next(name for name in (*(f"clang-{n}" for n in (14, *range(22, 14, -1))), "clang") if shutil.which(name))
        calls, wrapper, folder = os.path.join(self.folder, "calls"), os.path.join(self.folder, "compiler"), os.path.join(self.folder, "a $$b#")
        cache = os.path.join(self.folder, "cache", "lockstep")
        environment = {**os.environ, "LOCKSTEP_CLANG": wrapper, "XDG_CACHE_HOME": os.path.join(self.folder, "cache")}

        def install(text):
            self.write("compiler", f"#!/bin/sh\necho call >> '{calls}'\n{text}\n")
            os.chmod(wrapper, 0o755)
            os.utime(wrapper, (1, 1))

        def value(*options, fails=False):
            """What the kernel stores, and whether the compiler ran for it."""
            if os.path.exists(calls):
                os.unlink(calls)
            result = self.run_it("kernel", source, *options, "--arg", "buf:x:s32:1", "--dump", "x", "--report", "json", env=environment)
            self.assertEqual(result.returncode, 2 if fails else 0, result.stderr)
            count = len(open(calls, encoding="ascii").readlines()) if os.path.exists(calls) else 0
            counts.append(count)
            return None if fails else json.loads(result.stdout)["buffers"]["x"], count > 0

        works, counts = f'exec {shutil.which(clang)} "$@"', []
        install(works)
        os.mkdir(folder)
        header = self.write("a $$b#/value.h", "#define VALUE 5\n")
        program = f'#include "a $$b#/value.h"\n{head} {{ *x = VALUE; }}\n'
        self.write(source, program)
        self.assertEqual(value(), ([5], True))
        self.assertEqual(value(), ([5], False))
        self.write(header, "#define VALUE 6\n")
        self.assertEqual(value(), ([6], True))
        self.write(header, "#define VALUE 5\n")
        value()
        self.assertEqual(value(), ([5], False))
        install("exit 1  # another compiler")
        self.assertEqual(value(fails=True), (None, True))
        install(works)
        self.assertEqual(value(), ([5], False))
        os.unlink(header)
        self.assertEqual(value(fails=True), (None, True))
        self.write(header, "#define VALUE 5\n")
        environment["CPATH"] = self.folder  # clang reads it
        self.assertEqual(value(), ([5], True))
        del environment["CPATH"]
        self.assertEqual(value(), ([5], False))
        self.assertEqual(value("-DVALUE=5"), ([5], True))
        self.write(source, program.replace("VALUE;", "VALUE + 1;"))
        self.assertEqual(value(), ([6], True))
        self.write(source, program)
        self.assertEqual(value(), ([5], source.endswith(".cu")))  # its text is in the key of OpenCL C, one of the files of CUDA C
        for name in os.listdir(cache):
            path = os.path.join(cache, name)
            if not name.startswith(".") and os.path.getsize(path) < 100000:  # not the libraries, which take seconds
                with open(path, "r+b") as file:
                    file.seek(-20, os.SEEK_END)
                    last = file.read(1)
                    file.seek(-1, os.SEEK_CUR)
                    file.write(bytes([last[0] ^ 1]))
        self.assertEqual(value(), ([5], True))
        self.assertEqual(value(), ([5], False))
        return counts

    def test_libclc(self):
        """Of libclc's libraries the first that the clang can read, the installed one before the system's."""
        path, log = self.write("k.cu", CUDA), os.path.join(self.folder, "words")
        for folder in ("bin", "lib/lockstep/clc", "llvm-14/bin", "llvm-14/lib/clc"):
            os.makedirs(os.path.join(self.folder, folder))
        command = shutil.copy(LOCKSTEP, os.path.join(self.folder, "bin", "lockstep"))
        clang = self.write("llvm-14/bin/clang", f"#!/bin/sh\necho \"$*\" >> '{log}'\nexit 1\n")
        os.chmod(clang, 0o755)

        def library(folder, version):
            """The head of one by LLVM 14 or 15."""
            with open(os.path.join(self.folder, folder, "nvptx64--nvidiacl.bc"), "wb") as f:
                f.write(bytes.fromhex(f"4243c0de35140000050000 00620c30244a59be66{version:02x}fbb4af0b51804c01000000"))

        def taken():
            if os.path.exists(log):
                os.unlink(log)
            subprocess.run([command, "kernel", path, "--clang", clang], capture_output=True, check=False,
                           env={**{k: v for k, v in os.environ.items() if k != "LOCKSTEP_CLANG"}, "XDG_CACHE_HOME": os.path.join(self.folder, "cache")})
            with open(log, encoding="ascii") as f:
                return os.path.realpath(re.search(r"-mlink-builtin-bitcode -Xclang (\S+)", f.read())[1])

        library("lib/lockstep/clc", 0x8d)
        library("llvm-14/lib/clc", 0x8d)
        self.assertEqual(taken(), os.path.join(os.path.realpath(self.folder), "lib/lockstep/clc/nvptx64--nvidiacl.bc"))
        library("lib/lockstep/clc", 0x9d)
        self.assertEqual(taken(), os.path.join(os.path.realpath(self.folder), "llvm-14/lib/clc/nvptx64--nvidiacl.bc"))

    def test_no_clang(self):
        path = self.write("scale.cu", CUDA)
        result = self.run_it("kernel", path, env={"PATH": "/nonexistent"})
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, f"{path}: CUDA C cannot be compiled: there is no clang 14 or later on PATH "
                         "(Debian: apt-get install clang-14); PTX needs none\n")

    def test_chosen_clang(self):
        """--clang, before the variable."""
        path = self.write("scale.cu", CUDA)
        wrapper = self.write("compiler", f"#!/bin/sh\ntouch '{self.folder}/ran'\nexit 1\n")
        os.chmod(wrapper, 0o755)
        environment = {**os.environ, "LOCKSTEP_CLANG": "missing", "XDG_CACHE_HOME": os.path.join(self.folder, "cache")}
        self.assertEqual(self.run_it("kernel", path, "--clang", wrapper, env=environment).returncode, 2)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "ran")))
        result = self.run_it("kernel", path, "--clang", "", env=environment)
        self.assertEqual(result.stderr, "--clang '': expected a program, by its name on PATH or its path\n")
        result = self.run_it("kernel", path, env=environment)
        self.assertEqual(result.stderr, f"{path}: CUDA C cannot be compiled: there is no program missing (--clang or LOCKSTEP_CLANG); PTX needs none\n")
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    # A shell's job in the background ignores the first two, nohup the third, and their children with them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    unittest.main(verbosity=2)  # which says why a test is skipped
