#!/usr/bin/env python3
"""Plug-ins that break their contracts (tests/plugin/broken.c): each is refused with one line that names it and what it did, and status 2.

    tests/broken_plugins.py"""
import os
import re
import subprocess
import sys
import tempfile

import run_kernels

SOURCE = os.path.join(run_kernels.ROOT, "tests", "plugin", "broken.c")
SPIN = "tests/kernel/lock/spin_safe.ptx --grid 90 --block 512 --arg buf:lock:s32:4:fill=-1 --arg buf:count:u32:4:zero --arg u32:0"
HANG = "tests/kernel/hang/lost_release.ptx --grid 2 --block 1 --arg buf:lock:u32:1:zero"
LOCK = "tests/kernel/lock/instruction.cl --grid 3 --block {} --arg buf:lock:s32:1:fill=-1 --arg buf:sum:s32:1:zero --arg s32:2"
FIRMWARE = "tests/kernel/firmware/chain.cl --gpu apu-2014 --firmware chain --arg buf:data:u32:128 --arg buf:seen:u32:16"
# Kernel, options, the policy that is named, and what it did.
RUNS = (
    (SPIN, "--scheduler pick-99", "scheduler policy 'pick-99'", "pick returned 99, expected -1 or one of the ready warps, 0x*"),
    (SPIN, "--scheduler pick-minus-2", "scheduler policy 'pick-minus-2'", "pick returned -2, expected -1 or one of the ready warps, 0x*"),
    (SPIN, "--scheduler pick-unready", "scheduler policy 'pick-unready'", "pick returned *, expected -1 or one of the ready warps, 0x*"),
    (SPIN, "--scheduler pick-99 --spin all-spin --backoff bows", "scheduler policy 'pick-99'", "pick returned 99, expected -1 or one of the ready warps, 0x*"),
    (SPIN, "--divergence no-size", "divergence policy 'no-size'", "state_size returned 0 bytes, expected * (a struct path) to 16777216"),
    (SPIN, "--divergence start-behind", "divergence policy 'start-behind'", "the path's pc is 1000000, expected one of * instructions"),
    (SPIN, "--divergence start-behind --mode functional", "divergence policy 'start-behind'", "the path's pc is 1000000, expected one of * instructions"),
    (SPIN, "--divergence start-dead", "divergence policy 'start-dead'", "the path's lanes are 0xffffffffffffffff, expected some of the live lanes 0xffffffff"),
    (SPIN, "--divergence start-frame", "divergence policy 'start-frame'", "the path's frame is of depth 0, registers from 1073741824, *"),
    (SPIN, "--divergence branch-far", "divergence policy 'branch-far'", "the path's pc is 2147483648, expected one of * instructions"),
    (HANG, "--divergence visit-far", "divergence policy 'visit-far'", "each_path visits pc 1073741824, expected one of * instructions"),
    (HANG, "--divergence use-all", "divergence policy 'use-all'", "state_used returned * bytes, expected at most 40"),
    (SPIN, "--coherence load-7", "coherence policy 'load-7'", "load returned 7, which is no enum l1_load"),
    (SPIN, "--coherence store-7", "coherence policy 'store-7'", "store returned 7, which is no enum l1_store"),
    (SPIN, "--coherence acquire-7", "coherence policy 'acquire-7'", "acquire returned 7, which is no enum l1_sync"),
    (SPIN, "--dispatch next-far", "dispatch policy 'next-far'", "next returned core 1000, expected -1 or one of the 15 cores that has room"),
    (SPIN, "--dispatch next-full", "dispatch policy 'next-full'", "next returned core 0, expected -1 or one of the 15 cores that has room"),
    (SPIN, "--spin all-spin --backoff delay-all", "backoff policy 'delay-all'", "spin delays a warp by * cycles, expected at most 2^40"),
    (SPIN, "--spin all-spin --backoff choose-none", "backoff policy 'choose-none'", "choose returned warps 0x0, expected some of 0x*"),
    (SPIN, "--spin all-spin --backoff choose-others", "backoff policy 'choose-others'", "choose returned warps 0x*, expected some of 0x*"),
    (LOCK.format(1), "--lock next-record", "lock policy 'next-record'", "next returned record 1073741824, expected one of the lock's queue"),
    (LOCK.format(64), "--retry for-ever", "retry policy 'for-ever'", "delay returned 18446744073709551615 cycles, expected at most 2^40"),
    (FIRMWARE, "--control size-none", "control policy 'size-none'", "size gave a width of 0, *expected 1 to 65536 of each"),
    (FIRMWARE, "--control size-huge", "control policy 'size-huge'", "size gave a width of 1, 2 registers, a queue of 3, a window of 65537, 4 loads and 5 stores, expected 1 to 65536 of each"),
)
# At the limit of what is allowed.
ALLOWED = ((FIRMWARE, "--control size-most"),)

# By the number of REFUSED in broken.c.
REFUSED = (
    "plug-in refused: there already is a scheduler policy 'lrr'",
    "plug-in refused: there already is a scheduler policy 'twice'",
    "plug-in refused: scheduler policy 'none' lacks the hook 'pick'",
    "plug-in refused: scheduler policy 'huge' has a state_size of 18446744073709551615 bytes, expected at most 16777216",
    "plug-in refused: the name of scheduler policy 'a\\x0ab' has other characters than letters, digits and _+.-",
    "plug-in refused: field 'fields.f' is 5, expected 0 to 4",
    "plug-in refused: field 'fields.f' lacks a unit or a meaning",
    "plug-in refused: a scheduler policy lacks a name or a summary",
    "plug-in refused: divergence policy 'half' lacks the hook 'reconverge'",
    "plug-in refused: lock policy 'headless' lacks the hook 'next'",
    "not a plug-in: it does not define lockstep_plugin (see lockstep/plugin.h)",
)
failures = []


def build(folder, refused):
    made = os.path.join(folder, f"broken_{refused}.so")
    words = ["cc", "-shared", "-fPIC", "-Iinclude", "-Isrc", f"-DREFUSED={refused}", "-w", "-o", made, SOURCE]
    # The sanitizers of a build that is under test are not for the compiler.
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    subprocess.run(words, check=True, cwd=run_kernels.ROOT, env=environment)
    return made


def expect(words, line, status=2):
    done = subprocess.run([run_kernels.LOCKSTEP, *words], capture_output=True, text=True, cwd=run_kernels.ROOT, timeout=60)
    pattern = ".*".join(map(re.escape, line.split("*"))) + "\n" * bool(line)
    if done.returncode != status or not re.fullmatch(pattern, done.stderr):
        failures.append(f"{' '.join(words)}: status {done.returncode}, {done.stderr!r}, expected {line!r}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        plugin = build(folder, 0)
        for kernel, options, policy, what in RUNS:
            expect(["kernel", *kernel.split(), "--plugin", plugin, *options.split()], f"{plugin}: {policy} breaks its contract: {what}")
        for kernel, options in ALLOWED:
            expect(["kernel", *kernel.split(), "--quiet", "--plugin", plugin, *options.split()], "", 0)
        for number, line in enumerate(REFUSED, 1):
            refused = build(folder, number)
            expect(["policies", "--plugin", refused], f"{refused}: {line}")
        cut = os.path.join(folder, "cut.so")
        with open(plugin, "rb") as whole, open(cut, "wb") as file:
            file.write(whole.read(3000))
        expect(["policies", "--plugin", cut], f"{cut}: cannot load the plug-in: the file is cut off")
    for failure in failures:
        print(failure)
    print(f"{len(RUNS) + len(REFUSED) + 1 - len(failures)} broken plug-ins refused")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
