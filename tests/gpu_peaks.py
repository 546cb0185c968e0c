#!/usr/bin/env python3
"""What `lockstep gpus NAME --peaks` says is what kernels reach: chains of loads have its latencies, full cores its rates.  And it is what the chip's
maker has published, as tests/gpu-published.csv has it: within 3 %.

    LOCKSTEP=build/release/lockstep tests/gpu_peaks.py [--published] [MODEL ...]      --published: no kernels

The figures are sums and products of fields; the kernels run on the simulator, which knows nothing of them.  A rate may be missed by 12 %, which a
loop's own instructions take; a latency by 8 % or 6 cycles, which ports take.  Rates are never above the peak."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../build/release/lockstep")))
PUBLISHED = os.path.join(HERE, "gpu-published.csv")
UNITS = {"": 1, "K": 2**10, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
MODELS = ["gtx480", "gtx980", "v100", "rtx2070s", "a100", "h200", "rtx3060", "rtx5090"]
HEAD = """.version 6.3
.target sm_60
.address_size 64
.visible .entry k(.param .u64 buffer, .param .u32 rounds)
{
.reg .u64 %a<4>; .reg .u32 %n<20>; .reg .f32 %f<20>; .reg .f64 %d<20>; .reg .pred %p;
ld.param.u64 %a0, [buffer];
ld.param.u32 %n0, [rounds];
"""
LOOP, END = "again:\n", "sub.u32 %n0, %n0, 1;\nsetp.ne.u32 %p, %n0, 0;\n@%p bra again;\n"
TAIL = "ret;\n}\n"
LINES, UNROLLED = 16 * 32, 64
# A row of --peaks: the instruction that it counts, with the number of one of 16 registers.
RATES = {"fp32 multiply-add": "fma.rn.f32 %f{0}, %f{0}, %f{0}, %f{0};", "fp32 add": "add.f32 %f{0}, %f{0}, %f{0};",
         "fp64 multiply-add": "fma.rn.f64 %d{0}, %d{0}, %d{0}, %d{0};", "integer add": "add.u32 %n{0}, %n{0}, %n{0};",
         "special function": "ex2.approx.f32 %f{0}, %f{0};"}


def cycles(folder, model, body, rounds, block, *options):
    path = os.path.join(folder, "k.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + body + TAIL)
    command = [LOCKSTEP, "kernel", path, "--gpu", model, "--grid", "1", "--block", str(block), "--arg", "buf:b:u64:32768:zero",
               "--arg", f"u32:{rounds}", "--report", "json", *options]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["launches"][0]["cycles"]


def each(folder, model, before, step, block, *options):
    """Cycles of one round of a loop around `step`, without those of the loop's start and end."""
    body = before + LOOP + step + END
    return (cycles(folder, model, body, 12, block, *options) - cycles(folder, model, body, 4, block, *options)) / 8


def peaks_of(model):
    return subprocess.run([LOCKSTEP, "gpus", model, "--peaks"], stdout=subprocess.PIPE, text=True, check=True, env=dict(os.environ, COLUMNS="300")).stdout


def printed(model):
    """The first number of each row, by its name."""
    text = peaks_of(model)
    rows = re.findall(r"^  (\S.{21}) +(\S+)  ", text, re.M)
    assert len(rows) > 15, text
    found = {}
    for name, number in rows:
        name = name.strip()
        found[name + " latency" if name in found else name] = float(number)
    return found


def link(folder, model, before, step, *options):
    """Cycles of a link of a chain of one thread: of 16 more of them in a round."""
    longer, shorter = (each(folder, model, before, step * count, 1, *options) for count in (32, 16))
    return (longer - shorter) / 16


def latencies(folder, model, peaks):
    """(row, least and most that it says, cycles) for each latency that a chain of one thread shows."""
    load, far = "ld.global.u64 %a0, [%a0];\n", peaks.get("L2 hit, other part", peaks["L2 hit"]) - peaks["L2 hit"]
    own = "st.global.u64 [%a0], %a0;\nmembar.gl;\n" + load
    chain = "".join(f"add.u64 %a1, %a0, {128 * (k + 1)};\nst.global.u64 [%a0+{128 * k}], %a1;\n" for k in range(LINES)) + "membar.gl;\n"
    fresh = "ld.global.u64 %a1, [%a0+512];\nadd.u64 %a0, %a0, 512;\nadd.u64 %a0, %a0, %a1;\n"
    for row, before, step in [("integer add latency", "", "add.u32 %n1, %n1, %n1;\n"), ("fp32 multiply-add latency", "", RATES["fp32 multiply-add"].format(1)),
                              ("L1 hit", own, load), ("L2 hit", chain, load)]:
        if row in peaks:
            yield row, peaks[row], peaks[row] + (far if row == "L2 hit" else 0), link(folder, model, before, step)
    row, add = "DRAM, open row", peaks["integer add latency"]
    yield row, peaks[row], peaks["DRAM, closed row"] + far, link(folder, model, "", fresh, "--set", "l2.prefill=0") - add


def check(folder, model):
    """A line for each thing that is wrong."""
    peaks = printed(model)
    for row, least, most, measured in latencies(folder, model, peaks):
        if not least - max(6, 0.08 * least) <= measured <= most + max(6, 0.08 * most):
            yield f"{model}: {row}: {least:g} to {most:g} printed, {measured:g} measured"
    for row, instruction in RATES.items():
        step = "".join(instruction.format(2 + k % 8) + "\n" for k in range(UNROLLED))
        rate = UNROLLED * 1024 / each(folder, model, "", step, 1024)
        if not 0.88 * peaks[row] <= rate <= peaks[row] * 1.001:
            yield f"{model}: {row}: {peaks[row]:g} lanes a cycle printed, {rate:g} measured"


def published(models):
    """A line for each figure of a chip's maker from which the model's is farther than 3 %."""
    with open(PUBLISHED, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(line for line in file if line[0] != "#") if not models or row["model"] in models]
    for row in rows:
        name = re.escape(row["row"])
        found = re.search(rf"^  {name} +(\S+)  +(\S+) ([TGMP]?)(\S+)  ", peaks_of(row["model"]), re.M)
        assert found, row
        first, second, prefix, unit = found.groups()
        value = float(first) if unit == "iB" else float(second) * UNITS[prefix]
        wanted = float(row["value"]) * (1 if unit == "iB" else UNITS[row["unit"][0]])
        if not 0.97 * wanted <= value <= 1.03 * wanted:
            yield f"{row['model']}: {row['row']}: {value:g} printed, {wanted:g} published ({row['source']})"


def main():
    models = [word for word in sys.argv[1:] if word != "--published"]
    wrong = list(published(models))
    with tempfile.TemporaryDirectory() as folder:
        for model in (models or MODELS) if "--published" not in sys.argv else []:
            wrong += check(folder, model)
    print("\n".join(wrong) or "the peaks are what kernels reach, and what is published")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
