#!/usr/bin/env python3
"""Runs the golden kernels of tests/kernel on a real GPU, and judges by the same expectations what they leave in their buffers.

    tests/on_gpu.py [--hangs SECONDS] [-j JOBS] [NAME-PATTERN...|=NAME...]

The outside witness of the goldens: docs/tests-gpu.md has what it saw, where and when.  Needs an NVIDIA GPU, its driver and Python's cuda-bindings;
no part of make check.  Each launch is a process of its own, since one that fails takes its context with it.

Without --hangs: launches that are to complete under `--divergence independent`.  Their buffers are compared; counters, findings and what is
printed are not.  With --hangs: launches that are to hang or to complete; a launch that has not ended after SECONDS is taken to hang, which
proves nothing, and its buffers are not compared.

Left out, each with its reason: what calls Lockstep's own instructions, textures and surfaces, and launches with an option that only
Lockstep has (a schedule, a GPU whose numbers are expected, ...)."""
import argparse
import collections
import concurrent.futures
import ctypes
import os
import re
import struct
import subprocess
import sys
import threading

import run_kernels

OURS = ["--schedules", "--schedule", "--show"]
# What launches for one model, or one way to diverge, alone may say: they are for any GPU of its capability.
NAMED = {"--gpu": (None, "h200"), "--divergence": (None, "independent")}
CHOICES = {**run_kernels.IDLE, "gpu": "v100", "divergence": "independent", "mode": "timing"}
LOADING = 30                    # seconds for a process besides its launch


class Refused(Exception):
    """The driver's error."""


class Result:
    """What run_kernels.Judge looks at."""

    def __init__(self, dumps):
        self.report = {"buffers": dumps}

    def dumps(self):
        return self.report["buffers"]


def ok(result):
    error, *rest = result
    if int(error):
        raise Refused(str(error))
    return rest[0] if len(rest) == 1 else rest


def dimensions(text):
    numbers = [int(n) for n in (text or "1").split(",")]
    return numbers + [1] * (3 - len(numbers))


class Gpu:
    def __init__(self, text):
        from cuda.bindings import driver
        self.driver = driver
        ok(driver.cuInit(0))
        ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
        log = bytearray(8192)
        options = driver.CUjit_option
        error, self.module = driver.cuModuleLoadDataEx(text.encode() + b"\0", 2,
            [options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES], [log, len(log)])
        if int(error):
            raise Refused(f"not loaded: {bytes(log).split(bytes(1))[0].decode(errors='replace').splitlines()[:1]}")

    def buffer(self, buffer, folder):
        raw = struct.pack(f"<{buffer.count}{run_kernels.STRUCT[buffer.type]}", *buffer.before(folder))
        memory = ok(self.driver.cuMemAlloc(max(len(raw), 256)))
        ok(self.driver.cuMemcpyHtoD(memory, raw, len(raw)))
        return memory

    def launch(self, name, launch, arguments):
        pointers = (ctypes.c_void_p * max(1, len(arguments)))(*map(ctypes.addressof, arguments))
        function = ok(self.driver.cuModuleGetFunction(self.module, name.encode()))
        if launch.value("--cluster"):
            self.launch_clusters(function, launch, pointers)
            return
        ok(self.driver.cuLaunchKernel(function, *dimensions(launch.value("--grid")), *dimensions(launch.value("--block")),
            int(launch.value("--shared") or 0), 0, ctypes.addressof(pointers), 0))
        ok(self.driver.cuCtxSynchronize())

    def launch_clusters(self, function, launch, pointers):
        driver = self.driver
        config, attribute = driver.CUlaunchConfig(), driver.CUlaunchAttribute()
        config.gridDimX, config.gridDimY, config.gridDimZ = dimensions(launch.value("--grid"))
        config.blockDimX, config.blockDimY, config.blockDimZ = dimensions(launch.value("--block"))
        config.sharedMemBytes = int(launch.value("--shared") or 0)
        size = attribute.value.clusterDim
        size.x, size.y, size.z = dimensions(launch.value("--cluster"))
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        attribute.value.clusterDim = size
        config.attrs, config.numAttrs = [attribute], 1
        ok(driver.cuFuncSetAttribute(function, driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1))
        ok(driver.cuLaunchKernelEx(config, function, ctypes.addressof(pointers), 0))
        ok(driver.cuCtxSynchronize())

    def values(self, memory, buffer):
        form = f"<{buffer.count}{run_kernels.STRUCT[buffer.type]}"
        raw = bytearray(struct.calcsize(form))
        ok(self.driver.cuMemcpyDtoH(raw, memory, len(raw)))
        return list(struct.unpack(form, raw))


def launch_of(path, name):
    test = run_kernels.Test(path)
    return test, next(l for l in test.launches if l.name == name)


def expected(test, launch):
    """The outcome, and whether an exit status is expected instead."""
    lines = test.expectation.lines(run_kernels.Configuration(**CHOICES), launch)
    return next((l.right for l in lines if l.kind == "outcome"), "completed"), any(l.kind == "exit" for l in lines)


def left_out(test, launch, text, hangs):
    """Why a launch is not for a GPU; nothing if it is."""
    outcome, refused = expected(test, launch)
    if test.expectation.skipped(run_kernels.Configuration(**CHOICES), launch):
        return "not run under these choices"
    if refused or outcome not in (("completed", "hang") if hangs else ("completed",)):
        return f"outcome {outcome}"
    if any(launch.fixes(o) for o in OURS) or any(launch.value(o) not in v for o, v in NAMED.items()) or any(o.startswith(("tex:", "surf:", "tensor:")) for o in launch.options):
        return "an option, texture, surface or tensor map that only Lockstep has"
    if "__lockstep_" in text:
        return "instructions that only Lockstep has"
    return None


def kernel_name(launch, text):
    entries = re.findall(r"\.entry\s+([\w$%]+)", text)
    if not launch.value("--kernel") and len(entries) != 1:
        raise Refused("more than one kernel and no --kernel")
    return launch.value("--kernel") or entries[0]


def differences(test, launch, dumps):
    judge, lines = run_kernels.Judge(test, launch), test.expectation.lines(run_kernels.Configuration(**CHOICES), launch)
    for line in lines:
        if line.kind == "let":
            judge.scope[line.left] = judge.once(("let", line.number), lambda line=line: judge.evaluate(line, line.right))
    for line in lines:
        if line.kind in ("data", "check", "table"):
            problem = getattr(judge, "judge_" + line.kind)(line, Result(dumps))
            yield from problem if isinstance(problem, list) else [problem] if problem else []


def give_up():
    """The launch runs on while this process exists."""
    print("did not end", flush=True)
    os._exit(1)


def run_here(path, name, hangs):
    """One launch, in this process: the line to print."""
    test, launch = launch_of(path, name)
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if why := left_out(test, launch, text, hangs):
        return f"left out: {why}"
    try:
        gpu, arguments, memory = Gpu(text), [], {}
        for argument in (v for o, v in zip(launch.options, launch.options[1:]) if o == "--arg"):
            kind, _, value = argument.partition(":")
            if kind == "buf":
                buffer = run_kernels.Buffer(argument)
                memory[buffer.name] = gpu.buffer(buffer, test.folder), buffer
                arguments.append(ctypes.c_uint64(int(memory[buffer.name][0])))
            else:
                raw = struct.pack("<" + run_kernels.STRUCT[kind], float(value) if kind[0] == "f" else int(value, 0))
                arguments.append(ctypes.create_string_buffer(raw, 8))
        if hangs:
            watch = threading.Timer(hangs, give_up)
            watch.daemon = True
            watch.start()
        gpu.launch(kernel_name(launch, text), launch, arguments)
        if hangs:
            print("ended", flush=True)
            os._exit(0)
        problems = list(differences(test, launch, {n: gpu.values(*memory[n]) for n in launch.dumps}))
        return "as expected" if not problems else "differs: " + " | ".join(problems[:6])[:1000]
    except Refused as error:
        return f"refused: {error}"


def run_apart(job):
    """A launch in a process: the name, what is expected, what came."""
    path, name, hangs = job
    command = [sys.executable, os.path.abspath(__file__), "--here", path, name] + (["--hangs", str(hangs)] if hangs else [])
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LOADING + (hangs or 30))
        last = (done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or ["nothing"])[-1]
    except subprocess.TimeoutExpired:
        last = "did not end in time"
    return path, name, last


AGREES = {"completed": ("ended", "as expected"), "hang": ("did not end",)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hangs", type=float, metavar="SECONDS", help="which launches end, not what they compute")
    parser.add_argument("--here", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("-j", "--jobs", type=int, default=8)
    parser.add_argument("patterns", nargs="*", metavar="NAME-PATTERN")
    arguments = parser.parse_args()
    if arguments.here:
        print(run_here(*arguments.here, arguments.hangs))
        return 0
    jobs = [(path, launch.name, arguments.hangs) for path in run_kernels.tests(arguments.patterns) if path.endswith(".ptx")
            for launch in run_kernels.launches_of(path)]
    count, odd = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, name, what in pool.map(run_apart, jobs):
            wanted, kind = expected(*launch_of(path, name))[0], what.partition(":")[0]
            count["left out" if kind == "left out" else f"to be {wanted}: {kind}"] += 1
            if kind != "left out" and kind not in AGREES.get(wanted, ()):
                odd += 1
                print(f"{run_kernels.name_of(path)} {name} ({wanted}): {what}", flush=True)
    print(", ".join(f"{n} {what}" for what, n in sorted(count.items())))
    return 1 if odd or not count else 0


if __name__ == "__main__":
    sys.exit(main())
