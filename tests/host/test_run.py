#!/usr/bin/env python3
"""Tests `lockstep run`: exit status and signals of the program, the report, what it says when nothing ran."""

import concurrent.futures
import itertools
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import terminal  # noqa: E402

LOCKSTEP = os.environ["LOCKSTEP"]
PROGRAMS = os.environ["PROGRAMS"]
CUDA_PROGRAMS = os.environ["CUDA_PROGRAMS"]
LIBBACKTRACE = subprocess.run(["gcc", "-print-file-name=libbacktrace.a"], capture_output=True, text=True, check=False).stdout.strip()
# Programs that are not ours: where the drivers have a sanitizer, its library must be loaded before them.
SANITIZED = "SANITIZER" in os.environ
OF_OTHERS = {"env": {**os.environ, "LD_PRELOAD": os.environ["SANITIZER"]}} if SANITIZED else {}
MODES = ("timing", "functional")


def program(name):
    return os.path.join(PROGRAMS, name)


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_it(self, *words, **options):
        return subprocess.run([LOCKSTEP, "run", *words], capture_output=True, text=True, timeout=200, cwd=self.folder, check=False, **options)

    def report(self, *words, **options):
        """The program's end, and the report as an object."""
        path = os.path.join(self.folder, "report.json")
        result = self.run_it("--report", "json", "--output", path, *words, **options)
        with open(path, encoding="utf-8") as file:
            return result, json.load(file)

    def test_seeds(self):
        """One process for each seed: the first has the terminal and the status, the others what they find."""
        result = self.run_it("--seeds", "3", "--", "sh", "-c", "cat; echo seed $LOCKSTEP_SEED; echo err >&2; exit $((${LOCKSTEP_SEED:-0} * 4))", input="in\n")
        self.assertEqual((result.returncode, result.stdout), (4, "in\nseed\n"))
        self.assertEqual(result.stderr.count("err\n"), 1)
        self.assertIn("\nseeds: 3 runs, --seed 0 to 2: 1 completed, 2 failed (first with --seed 1", result.stderr)
        self.assertEqual(self.run_it("--seeds", "2", "--", "sh", "-c", "exit 7").returncode, 7)

    def test_seeds_merge_findings(self):
        words = ("--mode", "functional", "--check", "races", "--gpu", "gtx480")
        _, alone = self.report(*words, program("unordered"), "copy_twice")
        for jobs in "1", "3":
            _, report = self.report(*words, "--seeds", "4", "-j", jobs, program("unordered"), "copy_twice")
            self.assertEqual(len(report["findings"]), len(alone["findings"]))
            self.assertTrue(all(f["seeds"] == [0, 1, 2, 3] and f["first_with"] == "--seed 0" for f in report["findings"]))
            self.assertEqual([(r["seed"], r["status"], r["outcome"]) for r in report["seeds"]["runs"]], [(k, 0, "completed") for k in range(4)])
            self.assertEqual([f["message"] for f in report["findings"]], [f["message"] for f in alone["findings"]])
        result, report = self.report(*words, "--seeds", "3", program("hang"))
        self.assertEqual([r["outcome"] for r in report["seeds"]["runs"]], ["hang"] * 3)
        self.assertEqual([f["seeds"] for f in report["findings"] if f["kind"] == "hang"], [[0, 1, 2]])

    def test_status_and_output_are_the_programs(self):
        result = self.run_it("--", "sh", "-c", "echo out; echo err >&2; exit 7")
        self.assertEqual((result.returncode, result.stdout), (7, "out\n"))
        self.assertIn("err\n", result.stderr)
        self.assertEqual(self.run_it("no-such-program").returncode, 2)
        self.assertEqual(self.run_it().returncode, 2)
        self.assertEqual(self.run_it("--gpu", "no-such-gpu", "true").returncode, 2)
        self.assertEqual(self.run_it("--grid", "1", "true").returncode, 2)

    def test_calls_that_are_not_supported(self):
        """The report names the call; of a runtime within a library, the library that made it."""
        def calling(call, table):
            return ("import ctypes; driver = ctypes.CDLL('libcuda.so.1'); driver.cuInit(0); table = ctypes.c_void_p(1)\n"
                    f"call = lambda: driver.{call}(ctypes.byref(table), bytes.fromhex('{table}')); print(call(), call())")
        for call, said in (("cuMemCreate", "the program called cuMemCreate, which Lockstep does not support"),
                           ("cuGetExportTable", r"libffi\S* cannot use the simulated GPU: it contains a CUDA runtime of its own")):
            result, report = self.report(sys.executable, "-c", calling(call, "00" * 16), **OF_OTHERS)
            self.assertEqual(result.stdout, "801 801\n")
            self.assertEqual(len(re.findall(said, result.stderr)), 1)
            self.assertRegex(report["notes"][0], said)
            self.assertEqual(report["notes"][1:], [f"nothing ran on the simulated GPU: it called {call}, which Lockstep does not support"])
        # NVRTC asks for this table and can do without.
        result = self.run_it(sys.executable, "-c", calling("cuGetExportTable", "da9151d33ae6cc41a5c04f26d533e328"), **OF_OTHERS)
        self.assertEqual(result.stdout, "801 801\n")
        self.assertNotIn("cannot use", result.stderr)

    def test_calls_that_failed_unseen(self):
        """The report has the first of those whose errors the program never asked for."""
        start = ("import ctypes; cuda = ctypes.CDLL('libcudart.so.12'); p = ctypes.c_void_p(); cuda.cudaMalloc(ctypes.byref(p), 4)\n"
                 "cuda.cudaGetErrorString.restype = ctypes.c_char_p\n")
        free, twice = "cuda.cudaFree(p)\n", "cudaErrorInvalidValue (invalid argument)"
        for calls, said in ((free, []), (2 * free, [f"failed, and the program did not ask why: {twice}"]),
                            (3 * free + "cuda.cudaEventDestroy(None)\n", [f"failed, as 2 later calls, and the program did not ask why: {twice}"]),
                            (2 * free + "cuda.cudaGetLastError()", []), (2 * free + "cuda.cudaGetErrorString(1)", []),
                            (2 * free + "cuda.cudaGetLastError()\n" + free, [f"failed, and the program did not ask why: {twice}"])):
            result, report = self.report(sys.executable, "-c", start + calls, **OF_OTHERS)
            self.assertEqual((result.returncode, report["notes"][:-1]), (0, [f"cudaFree {words}" for words in said]))
            self.assertEqual(result.stderr.count("did not ask why"), len(said))

    def test_pointers_that_are_none(self):
        """A kernel's fault says of an address that it has been freed, or that it is the host's."""
        text = (".version 7.0 .target sm_70 .address_size 64 .visible .entry k(.param .u64 p) { .reg .u64 %p; ld.param.u64 %p, [p];"
                " st.global.u32 [%p], 1; ret; }")
        for free, said in ((True, r"0x10000000: freed memory: \S.* \(0x10000000, 4 bytes\), freed by cudaFree"),
                           (False, ": outside the GPU's memory, where pointers of the host are")):
            result = self.run_it(sys.executable, "-c", (
                "import ctypes; d = ctypes.CDLL('libcuda.so.1'); d.cuInit(0); c, m, f = (ctypes.c_void_p() for _ in range(3)); p = ctypes.c_uint64()\n"
                "r = ctypes.byref; d.cuCtxCreate_v2(r(c), 0, 0); d.cuMemAlloc_v2(r(p), ctypes.c_size_t(4))\n"
                f"d.cuModuleLoadData(r(m), {text.encode()!r}); d.cuModuleGetFunction(r(f), m, b'k')\n"
                + ("d.cuMemFree_v2(p)\n" if free else "p.value = ctypes.addressof(p)\n") +
                "d.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, None, (ctypes.c_void_p * 1)(ctypes.addressof(p)), None); d.cuCtxSynchronize()"), **OF_OTHERS)
            self.assertRegex(result.stderr, said)

    def test_interpreter_that_is_missing(self):
        """The system says of each that there is no such file, without its name."""
        for text, said in ((b"#! /no/such/shell -e\n", "its interpreter is missing: /no/such/shell\n"),
                           (b"#!/bin/sh\r\n", "a carriage return follows its interpreter, /bin/sh: expected lines that end in LF alone\n"),
                           (open(sys.executable, "rb").read().replace(b"/ld-linux", b"/no-linux"),
                            "the loader of the program or of its interpreter is missing\n")):
            path = os.path.join(self.folder, "script")
            with open(path, "wb") as file:
                file.write(text)
            os.chmod(path, 0o755)
            result = self.run_it("./script")
            self.assertEqual((result.returncode, result.stderr), (2, f"./script: cannot run: {said}"))

    def test_results_made_longer(self):
        result, report = self.report("sh", "-c", 'truncate -s 100G "$LOCKSTEP_CHANNEL"')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the program has extended Lockstep's file of results: some results may be missing", report["notes"])

    def test_memory_written_over(self):
        result, report = self.report("sh", "-c", 'yes | head -c 70000 | dd of="$LOCKSTEP_CHANNEL" conv=notrunc status=none')
        self.assertEqual(report["launches"], [])
        self.assertEqual(report["notes"][:1], ["the program has overwritten Lockstep's memory: unfinished work is not in this report"])

    def test_report(self):
        result = self.run_it(program("vector_add"))
        self.assertEqual((result.returncode, result.stdout), (0, "passed\n"))
        self.assertIn("kernels, the costliest first", result.stderr)
        self.assertLess(result.stderr.index("\nwhere the time went"), result.stderr.index("\nkernels, the costliest first"))
        self.assertNotIn("smsp__", result.stderr)
        counted = self.run_it("--counters", program("vector_add")).stderr
        self.assertEqual(re.findall(r"^kernel (\w+), all launches$", counted, re.M), re.findall(r"%  +[\d.]+  (\w+)$", counted, re.M))
        self.assertRegex(counted, r"\n  smsp__inst_executed.sum +[\d,]+ instructions ")
        result, report = self.report(program("vector_add"))
        self.assertEqual(report["schema"], "lockstep-report/1")
        self.assertEqual(report["program"], {"words": [program("vector_add")], "status": 0})
        self.assertEqual([launch["kernel"] for launch in report["launches"]], ["add"] + ["where"] * 5)
        self.assertEqual({launch["outcome"] for launch in report["launches"]}, {"completed"})
        self.assertEqual(sum(kernel["cycles"] for kernel in report["kernels"]), sum(launch["cycles"] for launch in report["launches"]))
        self.assertEqual(report["configuration"]["core.count"], 15)
        _, *parts = re.split(r"^kernel (\w+), all launches$", counted, flags=re.M)
        shown = {kernel: re.search(r"^  smsp__inst_executed.sum +([\d,]+) ", text, re.M)[1] for kernel, text in zip(parts[::2], parts[1::2])}
        self.assertEqual(shown, {kernel["kernel"]: f"{kernel['warp_instructions']:,}" for kernel in report["kernels"]})

    def test_quiet(self):
        """The program's own words alone where all is well; else how it ended and what was found, and no figures."""
        result = self.run_it("--quiet", program("vector_add"))
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "passed\n", ""))
        text = self.run_it("--quiet", program("fault")).stderr
        self.assertTrue(text.startswith("lockstep: "), text)
        self.assertIn("\nfault in launch ", text)
        self.assertNotIn("costliest", text)
        for more, first in (("--counters", "kernel "), ("--profile", "profile of ")):
            text = self.run_it("--quiet", more, program("vector_add")).stderr
            self.assertTrue(text.startswith(first), text)
        self.assertIn("\nnothing ran on the simulated GPU: ", self.run_it("--quiet", "true").stderr)

    def test_options_reach_the_program(self):
        _, report = self.report("--gpu", "v100", "--set", "core.count=3", "--scheduler", "lrr", "--mode", "functional", program("vector_add"))
        self.assertEqual(report["configuration"]["core.count"], 3)
        self.assertEqual(report["configuration"]["policy.scheduler"], "lrr")
        self.assertEqual({launch["mode"] for launch in report["launches"]}, {"functional"})

    @unittest.skipUnless(shutil.which("setarch") and not subprocess.run(["setarch", "-R", "true"], capture_output=True, check=False).returncode,
                         "addresses cannot be fixed here")
    def test_addresses_are_fixed(self):
        """ADDR_NO_RANDOMIZE of linux/personality.h, beside what was set before."""
        self.assertEqual(self.run_it("cat", "/proc/self/personality").stdout, "00040000\n")
        words = ["setarch", "--uname-2.6", LOCKSTEP, "run", "cat", "/proc/self/personality"]
        self.assertEqual(subprocess.run(words, capture_output=True, text=True, timeout=200, cwd=self.folder, check=False).stdout, "00060000\n")

    def test_model(self):
        """Of CUDA programs rtx2070s, of OpenCL's gtx480, where neither --gpu nor the environment names one; none where no GPU was opened."""
        cuda, environment = os.path.join(CUDA_PROGRAMS, "vector_add"), {"env": {**os.environ, "LOCKSTEP_GPU": "gtx980"}}
        for words, options, gpu, cores in (
            ((cuda,), {}, "rtx2070s", 40), ((program("vector_add"),), {}, "gtx480", 15), (("--gpu", "v100", cuda), {}, "v100", 80),
            ((cuda,), environment, "gtx980", 16), (("--gpu", "v100", program("vector_add")), environment, "v100", 80)):
            _, report = self.report("--mode", "functional", *words, **options)
            self.assertEqual((report["gpu"], report["configuration"]["core.count"]), (gpu, cores))
        _, report = self.report("--gpu", "v100", "--set", "core.count=3", "true")
        self.assertEqual(report["gpu"], "none")
        self.assertTrue(self.run_it("--set", "core.count=3", "true").stderr.startswith("lockstep: true exited"))

    def test_streams_and_simulated_time(self):
        """past_end launches twice in the default stream and twice in its own; launches of blocking streams never overlap."""
        result, report = self.report(os.path.join(CUDA_PROGRAMS, "past_end"))
        self.assertEqual(result.returncode, 0)
        own = int(result.stdout)
        self.assertEqual([launch["stream"] for launch in report["launches"]], [0, own, own, 0])
        cycles = [launch["cycles"] for launch in report["launches"]]
        self.assertEqual(report["streams"], [{"process": 0, "stream": 0, "launches": 2, "cycles": cycles[0] + cycles[3]},
                                             {"process": 0, "stream": own, "launches": 2, "cycles": cycles[1] + cycles[2]}])
        # The clock goes on to the end of a quantum, and a launch begins with one: 76 cycles by gpus/rtx2070s.cfg.
        simulated = report["simulated_cycles"]
        self.assertGreaterEqual(simulated, sum(cycles))
        self.assertLessEqual(simulated, sum(cycles) + 2 * 76 * len(cycles))
        text = self.run_it(os.path.join(CUDA_PROGRAMS, "past_end")).stderr
        self.assertRegex(text, rf"\nsimulated time {simulated:,} cycles, {simulated / 1770:.3f} us\n") # at rtx2070s's 1770 MHz
        for first, second, stream in ((cycles[0], cycles[3], 0), (cycles[1], cycles[2], own)):
            self.assertRegex(text, rf"\n +{first + second:,} +{100 * (first + second) / sum(cycles):.1f} % +2  {stream}\n")
        self.assertRegex(text, rf"\n +{sum(cycles):,} +100.0 % +4 ")
        self.assertNotIn("overlapped", text)
        self.assertIn("\n  launches overlapped: cycles in which several ran count for each of them\n", self.run_it(program("concurrent")).stderr)

    def test_times_of_launches(self):
        """As many nanoseconds as its cycles are at the core's clock, in whole ones, and one; in functional mode the latency of a launch and its
        instructions at the highest rate, rounded up: one for each scheduler of each core and cycle (host/device.h)."""
        for options in (), ("--set", "clock.core=1234567"), ("--set", "core.group_threads=128"), ("--mode", "functional"), (
                "--mode", "functional", "--set", "core.count=3", "--set", "dispatch.launch_latency=777", "--set", "clock.core=999"):
            result, report = self.report(*options, program("launch_times"))
            clock, *times, passed = result.stdout.split()
            self.assertEqual((passed, len(times)), ("passed", 4), result.stderr)
            gpu = report["configuration"]
            self.assertEqual(int(clock), round(gpu["clock.core"] / 1000))
            self.assertEqual(report["launches"][2]["block"], [min(256, gpu["core.group_threads"]), 1, 1])
            rate = gpu["core.count"] * gpu["core.schedulers"]
            took = []
            for launch in report["launches"]:
                cycles = gpu["dispatch.launch_latency"] - -launch["warp_instructions"] // rate if options[:1] == ("--mode",) else launch["cycles"]
                took.append(cycles * 10**6 // gpu["clock.core"] + 1)
            self.assertEqual([int(time) for time in times], [*took[:3], took[3] + took[4]], options)

    def test_kernel_that_has_not_begun(self):
        _, report = self.report("--set", "dispatch.concurrent_kernels=1", program("concurrent"))
        finding = report["findings"][0]
        self.assertEqual((finding["cause"], finding["certainty"]), ("occupancy", "proved"))
        self.assertIn("The kernel answer has not begun", finding["message"])

    def test_identity(self):
        for options, words in (
            ((), ("3.0", "Lockstep", "4c53", "NVIDIA GeForce GTX 480 (Lockstep)")),
            (("--opencl-version", "1.2", "--vendor", "NVIDIA"), ("1.2", "NVIDIA Corporation", "10de", "NVIDIA GeForce GTX 480 (Lockstep)")),
            (("--opencl-version=3.0", "--vendor", "amd", "--device-name", "gfx906"), ("3.0", "Advanced Micro Devices, Inc.", "1002", "gfx906")),
            (("--vendor", "Intel(R) Corporation"), ("3.0", "Intel(R) Corporation", "8086", "NVIDIA GeForce GTX 480 (Lockstep)")),
            (("--vendor", "ACME"), ("3.0", "ACME", "4c53", "NVIDIA GeForce GTX 480 (Lockstep)")),
            (("env", "LOCKSTEP_VENDOR=", "LOCKSTEP_OPENCL_VERSION="), ("3.0", "Lockstep", "4c53", "NVIDIA GeForce GTX 480 (Lockstep)")),
        ):
            result = self.run_it(*options, program("identity"), *words)
            self.assertEqual((result.returncode, result.stdout), (0, "passed\n"), result.stderr)

    def test_identity_refused(self):
        for option, value, line in (
            ("--opencl-version", "2.0", "--opencl-version 2.0: expected 1.2 or 3.0 (2.x demands pipes and queues on the device, which are not there)"),
            ("--vendor", "", "--vendor: expected a name, one line of less than 100 bytes"),
            ("--device-name", "a\nb", "--device-name: expected a name, one line of less than 100 bytes"),
            ("--device-name", "x" * 100, "--device-name: expected a name, one line of less than 100 bytes"),
        ):
            result = self.run_it(option, value, "true")
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
            self.assertIn(line, result.stderr)

    def test_what_cannot_be_run_is_said(self):
        """driver.c loads a module that is none, and a program without PTX."""
        errors = self.run_it("--gpu", "gtx480", os.path.join(CUDA_PROGRAMS, "driver")).stderr
        self.assertIn("lockstep: the GPU cannot run the program: program.ptx:3:1: expected a directive such as", errors)
        self.assertIn("lockstep: no PTX, only code for sm_75, sm_90a: compile it with nvcc", errors)

    def test_kernel_without_ptx(self):
        """Its line names the kernel, and the library that it is in."""
        source = os.path.join(self.folder, "own.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("""#include <stddef.h>
                __asm__(".section .nv_fatbin, \\"a\\"\\n.balign 8\\nnothing: .long 0xba55ed50, 0x100001\\n.quad 0\\n.previous");
                extern const char nothing[];
                void **__cudaRegisterFatBinary(void *);
                void __cudaRegisterFatBinaryEnd(void **);
                void __cudaRegisterFunction(void **, void *, char *, const char *, int, void *, void *, void *, void *, int *);
                int cudaFuncGetAttributes(void *, void *);
                int go(void);
                int go(void)
                {
                    static struct { int magic, version; const void *data; void *more; } wrapper = {0x466243b1, 1, nothing, NULL};
                    static char square, attributes[256];
                    void **module = __cudaRegisterFatBinary(&wrapper);
                    __cudaRegisterFunction(module, &square, "", "_Z6squarePi", -1, NULL, NULL, NULL, NULL, NULL);
                    __cudaRegisterFatBinaryEnd(module);
                    return cudaFuncGetAttributes(attributes, &square);
                }""")
        with open(os.path.join(self.folder, "main.c"), "w", encoding="utf-8") as file:
            file.write("int go(void);\nint main(void) { return go(); }\n")
        folder = os.path.join(os.path.dirname(LOCKSTEP), "cuda")
        build = lambda *words: subprocess.run(["gcc", *words, "-L.", "-L" + folder, "-l:libcudart.so.13"], cwd=self.folder, check=True)
        build("-shared", "-fPIC", "-o", "libown.so", "own.c")
        build("-o", "apart", "main.c", "-lown", "-Wl,-rpath,.")
        build("-o", "whole", "main.c", "own.c")
        for name, where in (("apart", " of libown.so"), ("whole", "")):
            result = self.run_it(f"./{name}", **OF_OTHERS)
            self.assertEqual(result.returncode, 209)  # cudaErrorNoKernelImageForDevice
            self.assertIn(f"lockstep: kernel square{where}: no PTX: the fat binary is empty\n", result.stderr)

    def test_only(self):
        _, report = self.report("--only", "where:1", program("vector_add"))
        modes = [(launch["kernel"], launch["mode"]) for launch in report["launches"]]
        self.assertEqual(modes, [("add", "functional"), ("where", "timing")] + [("where", "functional")] * 4)
        # Every line counts all launches of its kernels, whatever the others have chosen.
        for lines, wheres in (("12", ["timing"] * 5), ("21", ["timing"] * 5), ("22", ["functional"] + ["timing"] * 4)):
            _, report = self.report("--only", f"where:{lines[0]}", "--only", f"where:{lines[1]}", program("vector_add"))
            self.assertEqual([launch["mode"] for launch in report["launches"]], ["functional", *wheres]) # the second launch is in four parts
        for given, why in (("wher", "no kernel of this name was launched, did you mean 'where'?"), ("other", "no kernel of this name was launched, expected one of: add, where"),
                           ("where:6", "the kernel was launched fewer times"), ("where:2", None), ("where", None), ("add:1", None)):
            result, report = self.report("--only", given, program("vector_add"))
            self.assertEqual(result.returncode, 2 if why else 0)
            self.assertEqual(report["notes"], [f"--only {given}: {why}"] if why else [])
            self.assertEqual({launch["mode"] for launch in report["launches"]}, {"functional"} if why else {"functional", "timing"})

    def test_programs_for_others(self):
        """No shell takes them for a script; what the machine can run all the same may have its own loader."""
        for header, said in ((b"\x7fELF\1\1\1" + bytes(9) + b"\2\0\3\0\1", "it is a program for 32-bit x86: expected one for this machine"),
                             (b"\x7fELF\2\1\1" + bytes(9) + b"\2\0\xf3\0\1", "it is a program for RISC-V: expected one for this machine"),
                             (b"MZ\x90\0\3", None)):
            path = os.path.join(self.folder, "app")
            with open(path, "wb") as file:
                file.write(header + bytes(200))
            os.chmod(path, 0o755)
            result = self.run_it("./app")
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr, f"./app: cannot run: {said}\n" if said else
                             "./app: is a program for Windows, expected a program: Lockstep runs programs for Linux\n")

    def test_a_full_disk_loses_no_report(self):
        """It is printed where it would be without --output; a page is not."""
        for form in "text", "json":
            whole = self.run_it("--report", form, program("hang"))
            result = self.run_it("--report", form, "--output", "/dev/full", program("hang"))
            self.assertEqual((result.returncode, result.stdout), (2, whole.stdout))
            self.assertTrue(result.stderr.endswith("/dev/full: cannot write: No space left on device\n"))
            self.assertGreater(len(result.stderr), 0.9 * len(whole.stderr))
        result = self.run_it("--report", "html", "--output", "/dev/full", program("hang"))
        self.assertEqual((result.returncode, "<html" in result.stderr), (2, False))

    def test_words_of_the_environment(self):
        """The drivers alone take the words of the options, and no others."""
        for name, words in ("MODE", "timing or functional"), ("ON_FAULT", "stop or continue"), ("WEAK", "off or on"), ("PROFILE", "off or on"):
            for driver in {"LD_LIBRARY_PATH": os.path.join(os.path.dirname(LOCKSTEP), "cuda")}, {}:
                path = os.path.join(CUDA_PROGRAMS, "vector_add") if driver else program("vector_add")
                environment = {**os.environ, "OCL_ICD_VENDORS": os.path.join(os.path.dirname(LOCKSTEP), "liblockstep-opencl.so"), **driver}
                run = subprocess.run([path], env={**environment, f"LOCKSTEP_{name}": "foo"}, capture_output=True, text=True, timeout=60, check=False)
                self.assertIn(f"lockstep: LOCKSTEP_{name}=foo: expected {words}\n", run.stderr)
                self.assertNotEqual(run.returncode, 0)

    def test_same_again(self):
        reports = []
        for threads in "1", "2", "2":
            _, report = self.report("--threads", threads, program("lock_table"))
            for part in report["launches"] + report["kernels"]:
                del part["wall_seconds"]
            reports.append(report)
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[1], reports[2])

    def test_fault(self):
        result, report = self.report(program("fault"))
        self.assertEqual(result.returncode, 0) # the program took it well
        self.assertEqual([launch["outcome"] for launch in report["launches"]], ["fault", "completed"])
        self.assertEqual((report["findings"][0]["cause"], report["findings"][0]["launch"]), ("address", 0))
        self.assertEqual(result.stderr.count("lockstep: kernel past:"), 1)
        self.assertEqual(report["notes"], [])  # the finding says it

    def test_lines_that_are_not_those_of_the_source(self):
        """Findings of PTX in a program say once how to get lines of its source."""
        for path, count in ((os.path.join(CUDA_PROGRAMS, "past_end"), 1), (program("fault"), 0)):
            self.assertEqual(self.run_it("--quiet", path).stderr.count("compile with nvcc -lineinfo"), count)

    def test_a_text_that_is_in_no_file(self):
        """Its name is no path, and its lines are shown; not those of a file of that name."""
        with open(os.path.join(self.folder, "program.cl"), "w", encoding="utf-8") as file:
            file.write("another\n")
        result, report = self.report(program("fault"))
        self.assertEqual([(line["file"], line["line"]) for line in report["findings"][0]["lines"]], [("program.cl", 1)])
        self.assertRegex(report["sources"]["program.cl"]["lines"]["1"], r"^kernel void past\(.*1; }$")
        text = self.run_it("--quiet", program("fault")).stderr
        self.assertRegex(text, r"\n  at program.cl:1\n  >      1 \| kernel void past\(.*\n         2 \| kernel void good\(")

    @unittest.skipUnless(os.path.isabs(LIBBACKTRACE), "gcc has no libbacktrace here")
    def test_names_of_allocations(self):
        """By the line that allocates, where the program has debug information; by its function, where it has symbols; of cuda/past_end the second cudaMalloc."""
        places = {}
        for folder, file, call in (("cuda", "past_end.c", "cudaMalloc((void **)&block"), ("opencl", "check.h", "clCreateBuffer(")):
            with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), folder, file), encoding="utf-8") as source:
                places[folder] = next(f"{file}:{number}" for number, line in enumerate(source, 1) if call in line)
        for source, call, place, function in ((os.path.join(CUDA_PROGRAMS, "past_end"), "cudaMalloc", places["cuda"], "main"),
                                              (program("past_end"), "clCreateBuffer", places["opencl"], r"(main|test_buffer)")):
            for options, name in (None, rf"{call} at (\S*/)?{place}"), (["--strip-debug"], rf"{call} in {function}"), ([], "an allocation"):
                copy = os.path.join(self.folder, "copy")
                shutil.copy(source, copy)
                if options is not None:
                    subprocess.run(["strip", *options, copy], check=True)
                _, report = self.report(copy)
                self.assertRegex(report["findings"][0]["message"], rf"past the end of {name} \(0x")

    def test_on_fault(self):
        """A read behind a buffer ends the kernel, or is dropped and reported; what the program says of itself stays."""
        result, report = self.report(program("past_end"))
        self.assertEqual((result.returncode, [launch["outcome"] for launch in report["launches"]]), (3, ["fault"]))
        for options, status in ((), 0), (("--error-exit", "9"), 9):
            result, report = self.report("--on-fault", "continue", *options, program("past_end"))
            self.assertEqual((result.returncode, [launch["outcome"] for launch in report["launches"]]), (status, ["completed"]))
            self.assertEqual([(f["kind"], f["cause"], f["count"], f["threads"][0]["thread"]) for f in report["findings"]], [("fault", "address", 1, [63, 0, 0])])
            self.assertEqual(report["configuration"]["run.on_fault"], "continue")
            self.assertEqual(result.stderr.count("lockstep: kernel sums:"), 1)
        result, report = self.report("--error-exit", "9", program("vector_add"))
        self.assertEqual((result.returncode, report["findings"]), (0, []))

    def test_suppressions(self):
        """As in tests/cli/test_command.py; the kernel is that of the launch."""
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as known:
            known.write("{\n  name: reads behind its end\n  kind: fault\n  cause: address\n  kernel: sum?\n}\n{\n  kernel: other\n}\n")
            known.flush()
            options = ("--on-fault", "continue", "--error-exit", "9", "--suppressions", known.name)
            result, report = self.report(*options, program("past_end"))
            self.assertEqual((result.returncode, report["findings"]), (0, []))
            self.assertEqual([(e["name"], e["line"], e["findings"], e["count"]) for e in report["suppressed"]], [("reads behind its end", 1, 1, 1), ("", 7, 0, 0)])
            text = self.run_it(*options, program("past_end")).stderr
            self.assertIn(f"\nsuppressed by 'reads behind its end' ({known.name}:1): 1 finding (count 1)\nsuppressed by {known.name}:7: nothing\n", text)
            self.assertNotIn("fault in launch", text)
            self.assertNotIn("lockstep: kernel sums:", text)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as known: # of the host, too
            known.write("{\n  kind: race\n  cause: host-without-wait\n}\n")
            known.flush()
            words = ("--check", "races", program("unordered"), "copy_twice")
            self.assertIn("lockstep: race, see the report\n", self.run_it(*words).stderr)
            self.assertNotIn("lockstep: race, see the report\n", self.run_it("--suppressions", known.name, *words).stderr)

    def test_refused_launches(self):
        """Each shape that a call refuses, with the API's name of the error; the exit status stays the program's."""
        for path, launches, expected in (
                (os.path.join(CUDA_PROGRAMS, "errors"), True, [
                    ("fill", [0, 1, 1], [32, 1, 1], "cudaErrorInvalidConfiguration", "no work-group"),
                    ("fill", [1, 1, 1], [4096, 1, 1], "cudaErrorInvalidConfiguration", "4,096 threads in a work-group, at most 1,024"),
                    ("fill", [1, 65536, 1], [1, 1, 1], "cudaErrorInvalidConfiguration", "65536 work-groups in dimension y of the grid, at most 65,535"),
                    ("fill", [1, 1, 1], [1, 1, 1], "cudaErrorInvalidValue", "1,048,576 bytes of dynamic shared memory, at most 65,536")]),
                (os.path.join(CUDA_PROGRAMS, "grid_sync"), True, [
                    ("rounds", [641, 1, 1], [64, 1, 1], "cudaErrorCooperativeLaunchTooLarge", "641 work-groups, and 640 fit the GPU at once")]),
                (program("errors"), True, [
                    ("k", [24, 1, 1], [1, 1, 1], "CL_INVALID_KERNEL_ARGS", "argument 0 has not been set"),
                    ("eight", [6, 1, 1], [4, 1, 1], "CL_INVALID_WORK_GROUP_SIZE", "the kernel requires work-groups of 8,1,1")]),
                (os.path.join(CUDA_PROGRAMS, "limits"), False, [("say", [131072, 65535, 1], [1, 1, 1], "cudaErrorInvalidConfiguration", None)]),
                (program("shapes"), True, [
                    ("sizes", [1, 1, 1], [1025, 1, 1], "CL_INVALID_WORK_ITEM_SIZE", "1,025 threads in a work-group, at most 1,024"),
                    ("four", [3, 1, 1], [4, 1, 1], "CL_INVALID_WORK_GROUP_SIZE", "10 work-items in dimension 0, no multiple of the 4 of a work-group")])):
            result, report = self.report(path)
            self.assertEqual((result.returncode, bool(report["launches"])), (0, launches))
            found = [(r["kernel"], r["grid"], r["block"], r["error"], r.get("why")) for r in report["refused"]]
            self.assertEqual([row for row in found if row in expected], expected)
            text = self.run_it("--quiet", path).stderr
            count = sum(r["count"] for r in report["refused"])
            self.assertIn(f"\n{count} launch{'' if count == 1 else 'es'} refused\n", text)
            for kernel, grid, block, error, why in expected:
                shape = " x ".join(",".join(map(str, size)) for size in (grid, block))
                self.assertIn(f"\n  {kernel}, {shape}: {error}{f' ({why})' if why else ''}", text)
            if not launches:
                self.assertIn("nothing ran on the simulated GPU: all launches of the program were refused\n", text)

    def test_what_was_checked(self):
        """Also where nothing is found: 64 work-items that load twice and store once, and what the host did; launches that are summed, too."""
        for options in [], ["--sum-launches"]:
            _, report = self.report("--check", "races,barriers", *options, program("vector_add"))
            self.assertEqual(set(report["checked"]), {"races", "host", "barriers"})
            self.assertEqual(report["checked"]["barriers"], {"looked_at": 0, "findings": 0})
        text = self.run_it("--check", "races", program("vector_add")).stderr
        for name, unit in ("races", "accesses"), ("host", "commands"):
            count = report["checked"][name]["looked_at"]
            self.assertGreater(count, 1)
            self.assertIn(f"\nchecked: races{' with the host' if name == 'host' else ''}, {count:,} {unit}, nothing found\n", text)
        _, report = self.report("--check", "races", program("unordered"), "copy_twice")
        self.assertEqual([report["checked"][name]["findings"] for name in ("races", "host")], [0, 1])
        text = self.run_it("--check", "races", "true").stderr  # it launches nothing
        self.assertIn("\nchecked: races with the host, 0 commands, nothing found\nnothing ran on the simulated GPU: ", text)
        self.assertNotIn("checked", self.report(program("vector_add"))[1])
        self.assertNotIn("checked", self.run_it("--quiet", "--check", "races", program("vector_add")).stderr)

    def test_check_init(self):
        """Of all the buffers that kernels read, only that of the last launch but one has no contents."""
        for path, launches, count in (program("uninitialised"), 8, 128), (os.path.join(CUDA_PROGRAMS, "uninitialised"), 9, 32):
            for mode in "timing", "functional":
                result, report = self.report("--check", "init,barriers", "--mode", mode, path)
                self.assertEqual((result.returncode, len(report["launches"])), (0, launches))
                self.assertEqual([(f["kind"], f["cause"], f["certainty"], f["count"], f["launch"]) for f in report["findings"]],
                                 [("uninitialised", "global-memory", "proved", count, launches - 2)])

    def test_check_again(self):
        """Each mistake is one finding of all launches, with the sum of their counts."""
        for mode in "timing", "functional":
            _, report = self.report("--check", "all", "--mode", mode, program("again"))
            self.assertEqual(len(report["launches"]), 6)
            found = {(f["kind"], f["cause"]): (f["launch"], f["count"]) for f in report["findings"]}
            self.assertEqual(len(found), len(report["findings"]))
            self.assertEqual(found, {("race", "missing-barrier"): (0, 3 * 64), ("uninitialised", "shared-memory"): (0, 3 * 64),
                                     ("barrier-misuse", "divergent-barrier"): (3, 3 * 2)})

    def races_of(self, path, modes):
        """Of each case that the program names: which sides the findings have, and that all are of the one cause.  The cases have the modes by turns."""
        cases = self.run_it(path).stdout.split()
        self.assertEqual(cases.pop(), "passed")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return dict(zip(cases, pool.map(lambda case, mode: self.race_of(path, mode, case), cases, itertools.cycle(modes))))

    def race_of(self, path, mode, case, *options, cause="host-without-wait"):
        output = os.path.join(self.folder, case + ".json")
        words = ["--check", "races", *options, "--mode", mode, "--report", "json", "--output", output, path, case]
        result = subprocess.run([LOCKSTEP, "run", *words], capture_output=True, text=True, timeout=200, cwd=self.folder, check=False)
        with open(output, encoding="utf-8") as file:
            findings = json.load(file)["findings"]
        self.assertEqual(result.returncode, 0, (case, result.stderr))
        self.assertTrue(all((f["kind"], f["cause"], f["certainty"]) == ("race", cause, "proved") for f in findings), (case, findings))
        return [f["message"] for f in findings]

    def check_races(self, path, wrong):
        for modes in [MODES] if SANITIZED else zip(MODES):
            found = self.races_of(path, modes)
            self.assertEqual({case for case in found if found[case]}, set(wrong))
            for case, sides in wrong.items():
                self.assertEqual(len(found[case]), 1, (case, found[case]))
                for side in sides:
                    self.assertIn(side, found[case][0], case)

    def test_unordered_opencl(self):
        """OpenCL 3.0, 3.2.1 and 5.11: queues, events, barriers, markers; 5.9, user events; 5.4.3, mapping; 5.6.1, clSVMFree waits for nothing."""
        put, get, both = "kernel put: a store", "kernel get: a load", ("a store", "a load")
        self.check_races(program("unordered"), {
            "queues": both, "queues_wait_too_early": (*both, "+ 0x80"), "loose_none": both, "loose_marker_alone": both, "user_event_early": both,
            "counter_alone": ("kernel count_and_put: a store",), "flag_of_copy_early": ("kernel hear: a load", "clEnqueueWriteBuffer, which writes"), "copy_read": (put, "clEnqueueReadBuffer, which reads"), "copy_fill": (get, "clEnqueueFillBuffer, which writes"),
            "image_fill": ("clEnqueueFillImage, which writes", "clEnqueueWriteImage, which writes"),
            "copy_twice": ("clEnqueueWriteBuffer, which writes", "clEnqueueCopyBuffer, which writes"),
            "copy_to_host": ("the host's memory", "clEnqueueReadBuffer, which writes", "clEnqueueWriteBuffer, which reads"),
            "source_changed": ("clEnqueueWriteBuffer, which reads", "the host, which has changed it"), "map_read": (put, "clEnqueueMapBuffer, which reads"),
            "map_while_running": (put, "the host, until clEnqueueUnmapMemObject, which reads"), "free_while_running": (put, "clSVMFree at ", "frees it"), "free_in_other": (put, "clEnqueueSVMFree at ", " in queue ")})

    def test_unordered_cuda(self):
        """CUDA programming guide: streams, the legacy default stream and those that do not wait for it, events, graphs, stream-ordered memory;
        runtime API, "API synchronization behavior": what copies and fills wait for."""
        fill = "fill"
        host = "the host, without a call, which writes there"
        self.check_races(os.path.join(CUDA_PROGRAMS, "unordered"), {
            "host_writes": (fill, host, " + 0xc)"), "host_writes_managed": (fill, host, "cudaMallocManaged at "), "host_writes_registered": (fill, host, "cudaHostRegister at ", " + 0xfc)"),
            "streams": (fill,), "streams_event_early": (fill,), "streams_synchronize_other": (fill,), "legacy_free": (fill,), "free_legacy": (fill,),
            "legacy_between_free": (fill,), "per_thread": (fill,), "copy_of_free": (fill, "cudaMemcpy, which reads"),
            "copy_asynchronous": (fill, "cudaMemcpyAsync, which reads"), "fill_free": (fill, "cudaMemset, which writes"),
            "pinned_changed": ("cudaMemcpyAsync, which reads", "the host, which has changed it"), "free_in_other": (fill, "cudaFreeAsync at ", " in stream ", "frees it"),
            "word_beside": (fill, "cuStreamWriteValue32, which writes"), "word_after_wait": (fill, "cuStreamWaitValue32, which reads"),
            "graph_parallel": (fill,), "graph_beside": (fill,), "body_beside": (fill, "a fill of a graph, which writes"),
            "condition_beside": ("kernel set: a store", "a conditional node, which reads"),
            "constants_changed": ("(buf 'scale' + 0x4)", "kernel scales: a load", "cudaMemcpyToSymbolAsync, which writes"),
            "constants_before": ("(buf 'scale' + 0x4)", "cudaMemcpyToSymbolAsync, which writes"),
            "constants_free": ("(buf 'scale' + 0x4)", "cudaMemcpyToSymbol, which writes"),
            "variable_changed": ("(buf 'counter' + 0x0)", fill, "cudaMemcpyToSymbolAsync, which writes")})

    def test_programmatic_launch(self):
        """PTX ISA, griddepcontrol; CUDA programming guide, "Programmatic Dependent Launch": before sm_90 the attribute has no effect."""
        path = os.path.join(CUDA_PROGRAMS, "programmatic")
        cases = self.run_it("--gpu", "h200", path).stdout.split()[:-1]
        store = " (write): a store of 4 bytes at "
        wrong = {"none": store, "captured_none": store, "one_waits_alone": store, "waits_late": store, "overwrites": "kernel change: a store at ",
                 "other_stream_waits": "kernel copy: a load at ", "third_early": "kernel copy: a store at "}
        for k, mode in enumerate(MODES):
            for case in cases[k::2] if SANITIZED else cases:
                found = self.race_of(path, mode, case, "--gpu", "h200", cause="missing-grid-wait")
                self.assertEqual((case, len(found)), (case, case in wrong))
                for message in found:
                    self.assertIn(wrong[case], message)
                    self.assertIn("no griddepcontrol.wait comes before its access. Call cudaGridDependencySynchronize()", message)
        self.assertEqual(self.race_of(path, "timing", "none", "--gpu", "a100"), [])

    def test_programmatic_launch_that_hangs(self):
        """What waits for a kernel that hangs says so; and it waits, too, when that is run again to confirm why: a kernel that is queued behind is no cause."""
        for mode in "timing", "functional":
            result, report = self.report("--gpu", "h200", "--mode", mode, os.path.join(CUDA_PROGRAMS, "programmatic"), "hang")
            self.assertEqual((result.returncode, [launch["outcome"] for launch in report["launches"]]), (0, ["hang", "hang"]))
            self.assertEqual(report["findings"][0]["cause"], "missing-signal")
            self.assertIn("the kernel waits in griddepcontrol.wait for the end of kernel lead_for_ever of launch 0, which hangs", report["findings"][1]["message"])

    def test_freed_memory(self):
        """A fault says who has freed the memory, also where its place was taken again; a race is found where nothing orders the two."""
        here = r"\S*tests/host/cuda/freed\.c:\d+"
        by = rf", freed by cudaFreeAsync at {here} in stream 2$"
        was = rf"cudaMallocAsync at {here} \(0x[0-9a-f]+, 256 bytes\)"
        for mode in "timing", "functional":
            for case, said, races in (("in_order", rf": freed memory: {was}{by}", 0), ("in_other", rf": freed memory: {was}{by}", 1),
                                      ("by_host", rf": freed memory: {was}, freed by cudaFree at {here}$", 0),
                                      ("taken_again", rf": begins 33 bytes past the end of cudaMalloc at {here} \(0x[0-9a-f]+, 128 bytes\); before, there was {was}{by}", 0)):
                result, report = self.report("--check", "races", "--mode", mode, os.path.join(CUDA_PROGRAMS, "freed"), case)
                self.assertEqual((case, result.returncode), (case, 0))
                found = {f["kind"]: f for f in report["findings"]}
                self.assertEqual((case, sorted(found)), (case, ["fault", "race"] if races else ["fault"]))
                self.assertRegex(found["fault"]["message"], said)
                if races:
                    self.assertRegex(found["race"]["message"], rf": cudaFreeAsync at {here} in stream 2, which frees it; kernel fill: the access that faulted at ")

    def test_limit(self):
        result, report = self.report("--max-cycles", "100000", program("endless"))
        self.assertEqual((result.returncode, result.stdout), (0, "stopped\n"))
        self.assertEqual(report["launches"][0]["outcome"], "limit")

    def test_death_after_a_fault(self):
        for end, status in ("exit 9", 9), ("kill -ABRT $$", 4), ("kill -TERM $$", -signal.SIGTERM):
            result, report = self.report("sh", "-c", program("fault") + "; " + end)
            self.assertEqual(result.returncode, status)
            self.assertEqual(report["launches"][0]["outcome"], "fault")

    def test_hang(self):
        """The second launch hangs; its cause is confirmed beside the program, whose memory stays as it is (hang.c looks)."""
        for limit, confirmed in ((), True), (("--explain-limit", "0"), False):
            result, report = self.report("--divergence", "stack", *limit, program("hang"))
            self.assertEqual((result.returncode, report["launches"][1]["outcome"]), (0, "hang"))
            finding = report["findings"][0]
            self.assertEqual((finding["cause"], finding["certainty"], finding["confirmed"]), ("simt", "proved", confirmed))

    def searched(self, words, *program_words):
        """Of a run with --launch: status, output, notes, and what the search found."""
        result, report = self.report("--mode", "functional", *words, *program_words)
        found = [(k, launch["progress"]) for k, launch in enumerate(report["launches"]) if "progress" in launch]
        self.assertLessEqual(len(found), 1)
        return result, report, found[0] if found else None

    def test_search_of_a_launch(self):
        """Launch 1 of three is searched, from memory as launch 0 left it; the program goes on as if there had been one run, or gets the error of a hang."""
        path = os.path.join(CUDA_PROGRAMS, "schedules")
        search = ["--schedules", "1000", "--launch", "1"]
        for memory in ([], ["managed"]):
            for model, verdict, schedule, printed in (("lobe", "always finishes", None, "error 0, counted 4"), ("obe", "may hang", "1,(1)", "error 702, counted 0")):
                result, report, found = self.searched(["--dispatch", model, *search], path, "chain", "3", *memory)
                self.assertEqual((result.returncode, result.stdout, report["notes"]), (0, printed + "\n", []))
                self.assertEqual(found, (1, {"verdict": verdict, "schedules": 16, "states": 25, "schedule": schedule, "launch": 1}))
                hangs = [("hang", "progress", "proved", True, 1)] if schedule else []
                self.assertEqual([(f["kind"], f["cause"], f["certainty"], f["confirmed"], f["launch"]) for f in report["findings"]], hangs)
        text = self.run_it("--mode", "functional", "--dispatch", "obe", *search, path, "chain", "3").stderr
        self.assertIn("\n\nprogress of launch 1, kernel chain: may hang (16 schedules, 25 states)\n  under --schedule 1,(1)\n\nhang in launch 1 (progress, proved, confirmed)\n", text)
        self.assertIn("progress of launch 1", self.run_it("--quiet", "--mode", "functional", "--dispatch", "lobe", *search, path, "chain", "3").stderr)
        # The report has the schedule, and the launch whose it is.
        self.searched(["--dispatch", "obe", *search], path, "chain", "3")
        os.rename(os.path.join(self.folder, "report.json"), os.path.join(self.folder, "found.json"))
        for words, printed in ((["--replay", "found.json"], "error 702, counted 0"), (["--replay", "found.json", "--launch", "0"], "error 0, counted 4"),
                               (["--schedule", "0,1,2", "--launch", "1"], "error 0, counted 4"), (["--schedule", "1,(1)", "--launch", "1"], "error 702, counted 0")):
            result, report, found = self.searched(["--dispatch", "obe", *words], path, "chain", "3")
            self.assertEqual((result.stdout, found), (printed + "\n", None))
            self.assertEqual((result.returncode, report["notes"]), (0, []) if "0" not in words else (2, ["--launch 0: the schedule names work-group 1: expected one below 1"]))
        # Kernels of OpenCL, with several warps.
        result, report, found = self.searched(["--dispatch", "obe", *search], program("hang"))
        self.assertEqual((result.stdout, found[1]["verdict"], [f["cause"] for f in report["findings"]]), ("passed\n", "hangs", ["simt"]))

    def test_searches_that_cannot_be(self):
        """The launch runs as the others do, and a note says why it was not searched."""
        path = os.path.join(CUDA_PROGRAMS, "schedules")
        for launch, words, said in (("7", ["chain", "3"], "no launch has this number: the program made 3"),
                                    ("1", ["chain", "65"], "trying schedules is for at most 64 work-groups, not for 65"),
                                    ("1", ["chain", "3", "managed", "busy"], "schedules are not tried while the program may use memory that it shares with the GPU")):
            result, report, found = self.searched(["--dispatch", "obe", "--schedules", "9", "--launch", launch], path, *words)
            self.assertEqual((result.returncode, result.stdout), (2, f"error 0, counted {int(words[1]) + 1}\n"))
            self.assertEqual((report["notes"], found, report["findings"]), ([f"--launch {launch}: {said}"], None, []))
        result, report, _ = self.searched(["--dispatch", "obe", "--schedules", "9", "--launch", "0"], os.path.join(CUDA_PROGRAMS, "launching"))
        self.assertRegex(report["notes"][0], r"--launch 0: kernel \w+ calls \w+, which does not run under a progress model")
        result, report, _ = self.searched(["--dispatch", "obe", "--schedules", "9", "--launch", "1"], os.path.join(CUDA_PROGRAMS, "launching"))
        self.assertEqual((result.returncode, report["notes"]), (2, ["--launch 1: a kernel has launched it: expected one of the program's own"]))

    def test_placements(self):
        """A scheduler's grid beside those of workers that wait for it: it hangs where the workers have all four places of the GPU."""
        path = os.path.join(CUDA_PROGRAMS, "placement")
        small = ["--gpu", "gtx480", "--set", "core.count=2", "--set", "core.groups=2", "--dispatch", "obe"]
        for order in ("sw", "ws", "sww", "wsi", "isw", "sr"):
            for workers in (2, 4) if SANITIZED else (1, 2, 3, 4, 6):
                hangs = workers * order.count("w") >= 4
                result, report, (_, found) = self.searched([*small, "--schedules", "5000", "--launch", str(len(order) - 1)], path, str(workers), order)
                self.assertEqual(found["verdict"], "may hang" if hangs else "undecided", (order, workers))
                counting = 32 * sum(workers if letter in "wr" else letter == "i" for letter in order)
                self.assertEqual((result.stdout, report["notes"]), ("error 702, counted 0\n" if hangs else f"error 0, counted {counting}\n", []))
                placements = found["placements"]
                self.assertEqual((placements["launches"], found["states"], found["launch"]), (list(range(len(order))), 0, len(order) - 1))
                self.assertEqual([f["cause"] for f in report["findings"]][:1], ["occupancy"] if hangs else [])
                if not hangs:
                    self.assertTrue(placements["all"])
                    self.assertEqual((placements["finished"], found["schedule"]), (found["schedules"], None))
                    continue
                taken = re.findall(r"L(\d+)(?:\*(\d+))?", found["schedule"])
                waiting = sum(int(count or 1) for launch, count in taken if order[int(launch)] == "w")
                self.assertEqual(waiting, 4, found["schedule"])
                self.assertNotIn("s", [order[int(launch)] for launch, _ in taken])
                self.assertLessEqual(placements["finished"] + 1, found["schedules"])
        # The report has it, and words for people; and one placement is played.
        text = self.run_it("--mode", "functional", *small, "--schedules", "50", "--launch", "0", path, "4").stderr
        self.assertIn("\nprogress of launches 0 (schedule) and 1 (work): may hang (2 placements tried: the launches finish under 1)\n"
                      "  resident first: 4 work-groups of launch 1 (work)\n  under --schedule L1*4\n", text)
        text = self.run_it("--mode", "functional", *small, "--schedules", "5000", "--launch", "0", path, "2", "sww").stderr
        self.assertRegex(text, r"\n  resident first: 2 work-groups of launch 1 \(work\), then 2 work-groups of launch 2 \(work\)\n  under --schedule L1\*2,L2\*2\n")
        text = self.run_it("--mode", "functional", *small, "--schedules", "2", "--launch", "0", path, "3").stderr
        self.assertIn("undecided (2 placements tried: the launches finish under 2; orders of steps are not tried)\n", text)
        # Of s, v, w two get a core each before any of them runs, and then the third: sv|w, sw|v, vw|s; and vs|w, ws|v, as each is first once.
        for order, count in (("sw", 2), ("sww", 5)):
            _, _, (_, found) = self.searched([*small, "--schedules", "500", "--launch", "0"], path, "1", order)
            self.assertEqual((found["schedules"], found["placements"]), (count, {"launches": list(range(len(order))), "finished": count, "all": True}))
        # Where registers are scarce, it may depend on the order which groups fit, so that vw|s and wv|s are two.
        for registers, count in (("32768", 5), ("1024", 6)):
            two = ["--gpu", "gtx480", "--set", "core.count=2", "--set", f"core.registers={registers}", "--dispatch", "obe"]
            _, _, (_, found) = self.searched([*two, "--schedules", "500", "--launch", "1"], path, "1", "sww")
            self.assertEqual((found["verdict"], found["schedules"], found["placements"]["all"]), ("undecided", count, True))
        # A fault ends its launch first, so the report has the launches in another order than that in which they began.
        for order, verdict, schedule in (("sf", "faults", "L1"), ("fs", "faults", "L0"), ("sr", "undecided", None)):
            result, report, found = self.searched([*small, "--schedules", "50", "--launch", "1"], path, "4", order)
            self.assertEqual((found[1]["verdict"], found[1]["schedule"], len(report["findings"])), (verdict, schedule, 2 if schedule else 0), order)
            self.assertEqual(sorted((launch["begun"], launch["kernel"]) for launch in report["launches"]),
                             list(enumerate({"s": "schedule", "f": "fault", "r": "idle"}[letter] for letter in order)))
        text = self.run_it("--mode", "functional", *small, "--schedules", "50", "--launch", "1", path, "4", "sf").stderr
        self.assertRegex(text, r"progress of launches 0 \(schedule\) and 1 \(fault\): faults \(2 .*\n  resident first: 1 work-group of launch 1 \(fault\)\n")
        self.searched([*small, "--schedules", "50", "--launch", "1"], path, "4")
        os.rename(os.path.join(self.folder, "report.json"), os.path.join(self.folder, "found.json"))
        for words, order, error in ((["--replay", "found.json"], "sw", 702), (["--schedule", "L1*4", "--launch", "0"], "sw", 702), (["--schedule", "L1*3", "--launch", "0"], "sw", 0),
                                    (["--schedule", "L1*3,L0,L1", "--launch", "0"], "sw", 0), (["--schedule", "L1", "--launch", "0"], "ws", 0), (["--schedule", "L7*9", "--launch", "0"], "sw", 0)):
            result, report, found = self.searched([*small, *words], path, "4", order)
            self.assertEqual((result.stdout[:9], report["notes"], found), (f"error {error}, "[:9], [], None), words)

    def test_placements_that_cannot_be(self):
        """The launches run as without the options, and a note says why."""
        path = os.path.join(CUDA_PROGRAMS, "placement")
        beside = "it begins together with launch 1: "
        for words, said in ((["--dispatch", "fair", "--schedules", "9"], beside + "placements are tried under 'obe', not under 'fair'"),
                            (["--dispatch", "hsa-obe", "--schedules", "9"], beside + "placements are tried under 'obe', not under 'hsa-obe'"),
                            (["--dispatch", "lobe", "--schedules", "9"], beside + "placements are tried under 'obe', not under 'lobe'"),
                            (["--dispatch", "obe", "--schedule", "0"], beside + "expected --schedules, or a schedule of launches such as L1*2,L0")):
            result, report, found = self.searched([*words, "--launch", "0"], path, "3")
            self.assertEqual((result.returncode, result.stdout, report["notes"], found), (2, "error 0, counted 96\n", [f"--launch 0: {said}"], None))
        stalled = os.path.join(CUDA_PROGRAMS, "stalled")  # its second launch comes when the first one waits for it
        result, report, found = self.searched(["--dispatch", "obe", "--schedules", "9", "--launch", "1"], stalled, "thread", "launch", "device")
        self.assertEqual((result.stdout, report["notes"][-1:], found), ("OK\n", ["--launch 1: a launch that has begun before it has not ended"], None))
        result, report, found = self.searched(["--dispatch", "obe", "--schedules", "9", "--launch", "0"], stalled, "thread", "launch", "device")
        self.assertEqual((found[1]["verdict"], result.returncode), ("undecided", 2))
        self.assertEqual(report["notes"][-1:], ["--launch 0: it hangs alone, and another launch was to begin beside it, which a progress model does not have"])
        self.assertIn("kernel sets has not begun: under a progress model (obe) each kernel runs alone", report["findings"][0]["message"])
        result, report, found = self.searched(["--dispatch", "obe", "--schedule", "L1", "--launch", "1"], os.path.join(CUDA_PROGRAMS, "schedules"), "chain", "3")
        self.assertEqual((result.stdout, report["notes"]), ("error 0, counted 4\n",
            ["--launch 1: the schedule names launches, which run together: expected work-groups, as kernel chain runs alone"]))

    def test_endless_graph(self):
        """A WHILE node whose body changes nothing is a hang; one that only takes long is stopped by --max-cycles; a condition that nothing sets is told."""
        path = os.path.join(CUDA_PROGRAMS, "conditional")
        for mode in "timing", "functional":
            result, report = self.report("--mode", mode, path, "same")
            self.assertEqual((result.returncode, len(report["launches"])), (0, 1025))
            self.assertEqual([(f["kind"], f["cause"], f["certainty"]) for f in report["findings"]], [("hang", "endless-loop", "suspected")])
            self.assertRegex(report["findings"][0]["message"], r"has run 1025 times.*HandleCreate at .*conditional\.c:\d+.*as it was 1 round before")
        result, report = self.report("--max-cycles", "100000", path, "counts")
        self.assertEqual((result.returncode, report["findings"]), (0, []))
        self.assertIn("together for more than the 100000 cycles of --max-cycles", report["notes"][0])
        self.assertIn("reads a condition that is undefined", self.report(path, "undefined")[1]["notes"][0])
        # 11,425 rounds, none of which is over for the race check before the last one is: it keeps little of each.
        words = [LOCKSTEP, "run", "--check", "races", "--max-cycles", "60000000", "--output", os.devnull, path, "counts"]
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        self.assertLess(usage.ru_maxrss, 500 * 1024)  # 754 MB when each round was kept; AddressSanitizer takes some of it

    def test_a_finding_is_told_once_and_last(self):
        """Behind the figures, in the width of a terminal; when it is found, a short line says so."""
        for words, kind in (([program("hang")], "hang"), ([program("fault")], "fault"), (["--check", "races", program("unordered"), "copy_twice"], "race")):
            finding = self.report(*words)[1]["findings"][0]
            told = (finding.get("verdict") or {"what": finding["message"]})["what"]
            result = self.run_it(*words)
            self.assertEqual((result.stderr.count(told), finding["kind"]), (1, kind))
            self.assertRegex(result.stderr, rf"\Alockstep: (kernel \w+: )?{kind}, see the report\n")
            if kind != "race":  # without a launch
                self.assertGreater(result.stderr.index(told), result.stderr.index("\nlaunches, in order\n"))
            for columns in (40, 80):
                try:
                    _, text = terminal.on_terminal([LOCKSTEP, "run", *words], columns, self.folder)
                except OSError as why:
                    self.skipTest(f"no terminal to be had: {why}")
                plain = re.sub(r"\r\x1b\[J[^\r\n]*\r|\x1b\[[\d;]*[mJ]|\r", "", text)
                self.assertEqual(terminal.too_long(plain, columns), [])
                self.assertEqual("".join(plain.split()).count("".join(told.split())), 1)
                if kind != "race" and columns == 80:  # a row of launches fits, where its kernel's name is short
                    self.assertRegex(plain, r"\n +cycles warp instructions  outcome +grid x block +kernel\n +0 [^\n]* \w+\n")
        text = self.run_it("--check", "init", os.path.join(CUDA_PROGRAMS, "errors")).stderr
        order = [text.index(words) for words in ("\nchecked: init", " launches refused\n", "\nnote: ", "\nfault in launch 0")]
        self.assertEqual(order, sorted(order))

    def test_interrupt(self):
        for number, to_group in (signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGKILL, None):
            path, trace = os.path.join(self.folder, "interrupted.json"), os.path.join(self.folder, "trace.json")
            words = [LOCKSTEP, "run", "--hang-after", "1000000000000", "--report", "json", "--output", path, "--trace", trace, "--trace-cores", "0", program("endless"), "launched"]
            with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True) as child:
                self.assertEqual(child.stdout.readline(), "launched\n")
                time.sleep(1.5)
                if to_group:
                    os.killpg(child.pid, number)
                elif number == signal.SIGKILL: # of the program: the command must tell all the same
                    kids = subprocess.run(["pgrep", "-P", str(child.pid), "-x", "endless"], capture_output=True, text=True, check=True)
                    os.kill(int(kids.stdout), number)
                else:
                    child.send_signal(number)
                self.assertEqual(child.wait(timeout=60), -number)
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
            launch = report["launches"][0]
            self.assertEqual((launch["kernel"], launch["outcome"]), ("wait", "interrupted"))
            self.assertGreater(launch["warp_instructions"], 0)
            self.assertGreater(launch["wall_seconds"], 1)
            self.assertEqual(report["program"]["signal"], number)
            with open(trace, encoding="utf-8") as file:
                timeline = json.load(file)
            self.assertEqual(timeline["otherData"]["cut off"], 1)
            self.assertTrue(any(event["ph"] == "X" for event in timeline["traceEvents"]), len(timeline["traceEvents"]))

    def test_main_thread_gone(self):
        """SIGTERM ends a program whose only thread of its own is gone while a kernel runs."""
        words = [LOCKSTEP, "run", "--hang-after", "1000000000000", program("endless"), "launched", "gone"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            self.assertEqual(child.stdout.readline(), "launched\n")
            child.send_signal(signal.SIGTERM)
            _, report = child.communicate(timeout=60)
        self.assertEqual(child.returncode, -signal.SIGTERM)
        self.assertIn("interrupted", report)

    def test_endings_of_cuda(self):
        """What was launched and never waited for, by how the program ends."""
        killed = "signal {} ({}) killed the process".format
        without_exit = "the process ended without exit (_exit, quick_exit, exec or a signal)"
        ran, lost = ["fill", "say"], "2 launches were enqueued and never ran: fill, say: "
        one_lost = "1 launch was enqueued and never ran: say: "
        for way, status, kernels, note in (
                ("return", 0, ran + ["say"], None),
                ("exit", 3, ran, None),
                ("thread", 4, ran, None),
                ("pthread_exit", 0, ran, None),
                ("handler", 12, ran, None),
                ("_exit", 5, [], lost + without_exit),
                ("quick_exit", 6, [], lost + without_exit),
                ("exec", 8, [], lost + without_exit),
                ("kill", -signal.SIGKILL, [], lost + killed(9, "Killed")),
                ("abort", -signal.SIGABRT, [], lost + killed(6, "Aborted")),
                ("hang", 9, ran + ["meet"], None),
                ("stuck", 10, ran, one_lost + "they wait for a user event or a value in memory that never came"),
                ("callback", 11, ran, one_lost + "exit was called in a callback of the GPU, or in a signal handler "
                                                 "that interrupted a call of its")):
            with self.subTest(way=way):
                result, report = self.report("--hang-after", "100000", os.path.join(CUDA_PROGRAMS, "ending"), way)
                self.assertEqual(result.returncode, status)
                self.assertEqual([launch["kernel"] for launch in report["launches"]], kernels)
                self.assertEqual([launch["outcome"] for launch in report["launches"]],
                                 ["hang" if kernel == "meet" else "completed" for kernel in kernels])
                if note:
                    self.assertEqual(report["notes"][0], note)
                output = "the last of 32 is 287\n" if "say" in kernels else ""
                output += "looked\n" if way in ("return", "exit", "thread", "pthread_exit", "handler") else ""
                output += "the last of 32 is 36\n" if way == "return" else ""
                self.assertEqual(result.stdout, output)
        self.assertIn("nothing ran on the simulated GPU: the program's launches never began",
                      self.run_it(os.path.join(CUDA_PROGRAMS, "ending"), "_exit").stderr)

    def test_library_stays(self):
        """A program may close the library; its thread lives on in it."""
        program_text = ("import ctypes, _ctypes; cuda = ctypes.CDLL('libcuda.so.1'); cuda.cuInit(0); _ctypes.dlclose(cuda._handle);"
                        "print('libcudart.so.13' in open('/proc/self/maps').read())")
        self.assertEqual(self.run_it("--", sys.executable, "-c", program_text, **OF_OTHERS).stdout, "True\n")

    def test_dynamic_parallelism(self):
        """A kernel that a kernel launches is a launch of its own, which names the other's."""
        result, report = self.report(os.path.join(CUDA_PROGRAMS, "launching"))
        self.assertEqual(result.returncode, 0)
        self.assertEqual([(l["kernel"], l["number"], l.get("parent"), l.get("children"), l["outcome"]) for l in report["launches"]],
                         [("_Z5childPi", 2, 1, None, "completed"), ("parent", 1, None, 1, "completed")])

    def test_sums_of_launches(self):
        """A record for all launches of a kernel: the sums of those that the report has without the option, and all else as there."""
        report, summed = self.report(program("vector_add"))[1], self.report("--sum-launches", program("vector_add"))[1]
        launches = report["launches"]
        self.assertEqual([(r["kernel"], r["launches"]) for r in summed["launches"]], [("add", 1), ("where", 5)])
        self.assertEqual((summed["launches"][0]["start"], summed["launches"][0]["end"]), (0, launches[0]["cycles"]))
        self.assertGreaterEqual(summed["launches"][1]["start"], launches[0]["cycles"])
        self.assertEqual(summed["launches"][-1]["end"], report["simulated_cycles"])
        for record in summed["launches"]:
            own = [launch for launch in launches if launch["kernel"] == record["kernel"]]
            self.assertEqual(record["cycles"], sum(launch["cycles"] for launch in own))
            self.assertEqual(list(record["counters"]), list(own[0]["counters"]))
            for name, value in record["counters"].items():
                self.assertEqual(value, sum(launch["counters"][name] for launch in own), name)
        for kernel in report["kernels"] + summed["kernels"]:
            del kernel["wall_seconds"]
        self.assertEqual({k: v for k, v in summed.items() if k not in ("launches", "program")}, {k: v for k, v in report.items() if k not in ("launches", "program")})

    def test_findings_of_summed_launches(self):
        """A finding names the record that has its launch."""
        result, summed = self.report("--sum-launches", program("fault"))
        place = summed["findings"][0]["launch"]
        self.assertEqual(summed["launches"][place]["outcome"], "fault")
        self.assertEqual(summed["launches"][place]["kernel"], summed["findings"][0]["kernel"])

    def test_endings_of_opencl(self):
        result, report = self.report(program("ending"))
        self.assertEqual((result.returncode, result.stdout), (0, "looked\n"))
        self.assertEqual([launch["outcome"] for launch in report["launches"]], ["completed"] * 2)
        self.assertIn("copies to its own memory", report["notes"][0])
        result, report = self.report(program("ending"), "event")
        self.assertEqual((result.returncode, len(report["launches"])), (0, 2))
        self.assertIn("1 launch was enqueued and never ran: count: they wait for a user event or a value in memory that never came", report["notes"][1])

    def test_progress_only_on_a_terminal(self):
        self.assertNotIn("\r", self.run_it("--max-cycles", "3000000", program("endless")).stderr)
        try:
            master, slave = pty.openpty()
        except OSError as why:  # a bare chroot has no /dev/pts
            self.skipTest(f"no terminal to be had: {why}")
        shown = b""
        with subprocess.Popen([LOCKSTEP, "run", program("endless")], stdout=subprocess.DEVNULL, stderr=slave) as process:
            os.close(slave)
            try:
                sent = False
                while piece := os.read(master, 4096):
                    shown += piece
                    if not sent and b"wait: running, " in shown:
                        process.send_signal(signal.SIGINT)
                        sent = True
            except OSError:
                pass
            process.wait(timeout=120)
        os.close(master)
        report = shown.rpartition(b"\r\x1b[J")[2]  # the line is taken away before it
        self.assertTrue(report.startswith(b"lockstep: GPU"), report)
        self.assertIn(b"interrupted", report)

    def test_processes(self):
        words = ["sh", "-c", f"{program('vector_add')} && {program('svm')} & {program('vector_add')}; wait"]
        result, report = self.report("--", *words)
        self.assertEqual((result.returncode, result.stdout), (0, "passed\n" * 3))
        names = [launch["kernel"] for launch in report["launches"]]
        self.assertEqual((names.count("add"), names.count("sum")), (2, 2))
        self.assertEqual(len({launch["process"] for launch in report["launches"]}), 3)

    def test_nothing_ran(self):
        self.assertIn("linked neither with libOpenCL nor with CUDA's libraries", self.run_it("true").stderr)
        result = self.run_it("clinfo", "-l", **OF_OTHERS)
        self.assertIn("created no context on it", result.stderr)
        self.assertIn("Lockstep", result.stdout)
        source = os.path.join(self.folder, "static.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int main(void) { return 0; }\n")
        subprocess.run(["gcc", "-static", "-o", "static", "static.c"], cwd=self.folder, check=True)
        self.assertIn("statically linked", self.run_it("./static").stderr)
        # As the static CUDA runtime begins: the driver is opened, and answers.
        source = os.path.join(self.folder, "runtime.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(
                '#include <dlfcn.h>\n__asm__(".section .nv_fatbin, \\"a\\"\\n.quad 0\\n.previous");\n'
                'int main(void) { return ((int (*)(unsigned))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit"))(0); }\n'
            )
        subprocess.run(["gcc", "-s", "-o", "runtime", "runtime.c"], cwd=self.folder, check=True)
        self.assertIn("statically linked with the CUDA runtime", self.run_it("./runtime", **OF_OTHERS).stderr)

    def test_as_nvcc_links_it(self):
        """The runtime in the program itself, which is what nvcc does when nothing is said; and stripped."""
        nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
        if not nvcc:
            self.skipTest("no nvcc")
        with open(os.path.join(self.folder, "app.cu"), "w", encoding="utf-8") as file:
            file.write(
                "#include <cstdio>\n__global__ void square(int *a) { a[threadIdx.x] = threadIdx.x * threadIdx.x; }\n"
                "int main() { int *a, last; if (cudaMalloc(&a, 128)) return 1; square<<<1, 32>>>(a);\n"
                '    cudaMemcpy(&last, a + 31, 4, cudaMemcpyDeviceToHost); printf("%d\\n", last); }\n'
            )
        subprocess.run([nvcc, "-o", "app", "app.cu"], cwd=self.folder, check=True)
        self.assertEqual(self.run_it("./app", **OF_OTHERS).stdout, "961\n")
        self.assertEqual(self.run_it("sh", "-c", "./app", **OF_OTHERS).stdout, "961\n")
        subprocess.run(["strip", "app"], cwd=self.folder, check=True)
        result = self.run_it("./app", **OF_OTHERS)
        self.assertEqual(result.returncode, 1)
        self.assertIn("do not strip it, or link it with nvcc -cudart shared", result.stderr)

    def test_front_ends(self):
        """Each is needed by its own programs only; where it is not, a line says what builds it."""
        opencl, cuda = program("vector_add"), os.path.join(CUDA_PROGRAMS, "vector_add")
        build = os.path.dirname(LOCKSTEP)
        command = shutil.copy(LOCKSTEP, self.folder)  # the folder of the executable counts
        own = lambda path: subprocess.run([command, "run", path], capture_output=True, text=True, timeout=200, check=False)
        result = own(opencl)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
        self.assertIn("`make` builds them", result.stderr)
        os.symlink(os.path.join(build, "liblockstep-opencl.so"), os.path.join(self.folder, "liblockstep-opencl.so"))
        self.assertEqual(own(opencl).returncode, 0)
        result = own(cuda)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("needs Lockstep's CUDA libraries, which are not next to the command: `make`", result.stderr)
        os.unlink(os.path.join(self.folder, "liblockstep-opencl.so"))
        os.symlink(os.path.join(build, "cuda"), os.path.join(self.folder, "cuda"))
        self.assertEqual(own(cuda).returncode, 0)
        result = own(opencl)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("needs Lockstep's OpenCL driver, which is not next to the command: `make`", result.stderr)

    def test_limit_of_file_sizes(self):
        """ulimit -f: the program goes on as it would, and a note says what the report lacks; what it does about SIGXFSZ is its own."""
        def limited(size):
            return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        ending = os.path.join(CUDA_PROGRAMS, "ending")
        result = self.run_it(ending, preexec_fn=limited(100))
        self.assertEqual((result.returncode, result.stderr), (2, "lockstep run: cannot create a memory file: File too large\n"))
        result = self.run_it("--trace", "trace.json", ending, preexec_fn=limited(91000))  # slots, and less than the records
        self.assertEqual((result.returncode, result.stdout), (0, "the last of 32 is 287\nlooked\nthe last of 32 is 36\n"))
        self.assertIn("records of the process are not in this report", result.stderr)
        words = ["grep", "SigIgn", "/proc/self/status"]
        for ignore in False, True:
            prepare = lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN if ignore else signal.SIG_DFL)
            options = {"restore_signals": False, "preexec_fn": prepare}
            plain = subprocess.run(words, capture_output=True, text=True, check=True, **options).stdout
            self.assertEqual(self.run_it("--", *words, **options).stdout, plain)

    def test_leaves_nothing(self):
        temporary = os.path.join(self.folder, "temporary")
        os.mkdir(temporary)
        self.run_it(program("programs"), env={**os.environ, "TMPDIR": temporary})
        self.assertEqual(os.listdir(temporary), [])


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)    # which a shell's job in the background ignores, and its children with it
    unittest.main(verbosity=2)  # which says why a test is skipped
