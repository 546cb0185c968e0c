#!/usr/bin/env python3
"""What `lockstep gpus NAME --peaks` says is what kernels reach: chains of loads have its latencies, full cores its rates.  And it is what the chip's
maker has published, as tests/gpu-published.csv has it: within 3 %.

    LOCKSTEP=build/release/lockstep tests/gpu_peaks.py [--published] [MODEL ...]      --published: no kernels

The figures are sums and products of fields; the kernels run on the simulator, which knows nothing of them.  A rate may be missed by 12 %, which a
loop's own instructions take; a latency by 8 % or 6 cycles, which ports take.  Rates are never above the peak.  Loads of all cores
from DRAM, and of a core from its shared memory, have at least 88 % of the peak too; as they are the difference of two runs, up to 1 % more than it.

Models that are compared with cards have the rates of each class of instructions that NVIDIA publishes, too."""
import csv
import functools
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
MODELS = ["gtx480", "gtx980", "v100", "rtx2070s", "a100", "rtx4090", "h200", "rtx3060", "rtx5090"]
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
# A row of --peaks: the instruction that it counts, with the numbers of some of 16 registers.
RATES = {"fp32 multiply-add": "fma.rn.f32 %f{0}, %f{0}, %f{0}, %f{0};", "fp32 add": "add.f32 %f{0}, %f{0}, %f{0};",
         "fp64 multiply-add": "fma.rn.f64 %d{0}, %d{0}, %d{0}, %d{0};", "integer add": "add.u32 %n{0}, %n{0}, %n{0};",
         "special function": "ex2.approx.f32 %f{0}, %f{0};", "fp16 multiply-add": "fma.rn.f16x2 %n{0}, %n{0}, %n{0}, %n{0};",
         "matrix, 16 bits": "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {{%n{0}, %n{1}}}, {{%n18, %n18, %n18, %n18}}, {{%n19, %n19}}, {{%n{0}, %n{1}}};",
         "matrix, f32 sums": "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f{0}, %f{1}, %f{2}, %f{3}}}, {{%n18, %n18, %n18, %n18}}, {{%n19, %n19}}, "
                             "{{%f{0}, %f{1}, %f{2}, %f{3}}};"}
# Lanes a cycle and core: CUDA C++ programming guide, "Throughput of Native Arithmetic Instructions", capability 7.5, 8.0, 8.9, 9.0.  An instruction of two
# halves counts as one lane.  Bits and conversions to integers of 9.0: experiments/silicon/h200.csv has 16 for popc_rate.
CARDS = ["rtx2070s", "a100", "rtx4090", "h200"]
GUIDE = [("fma.rn.f32 %f{0}, %f{0}, %f{0}, %f{0};", (64, 64, 128, 128)), ("fma.rn.f64 %d{0}, %d{0}, %d{0}, %d{0};", (2, 32, 2, 64)),
         ("fma.rn.f16x2 %n{0}, %n{0}, %n{0}, %n{0};", (64, 128, 64, 128)), ("add.f16x2 %n{0}, %n{0}, %n{0};", (64, 128, 64, 128)),
         ("add.u32 %n{0}, %n{0}, %n{0};", (64, 64, 64, 64)), ("lop3.b32 %n{0}, %n{0}, %n{0}, %n{0}, 0x1e;", (64, 64, 64, 64)),
         ("shf.l.wrap.b32 %n{0}, %n{0}, %n{0}, %n{0};", (64, 64, 64, 64)), ("prmt.b32 %n{0}, %n{0}, %n{0}, 0x2143;", (64, 64, 64, 64)),
         ("max.u32 %n{0}, %n{0}, %n1;", (64, 64, 64, 64)), ("mul.lo.u32 %n{0}, %n{0}, %n{0};", (64, 64, 64, 64)),
         ("mad.lo.u32 %n{0}, %n{0}, %n{0}, %n{0};", (64, 64, 64, 64)), ("popc.b32 %n{0}, %n{0};", (16, 16, 16, 16)), ("clz.b32 %n{0}, %n{0};", (16, 16, 16, 16)),
         ("brev.b32 %n{0}, %n{0};", (16, 16, 16, 16)), ("ex2.approx.f32 %f{0}, %f{0};", (16, 16, 16, 16)), ("cvt.rni.s32.f32 %n{0}, %f{0};", (16, 16, 64, 64)),
         ("cvt.rn.f32.s32 %f{0}, %n{0};", (16, 16, 64, 64))]


# Each thread loads 16 bytes, and again the grid's threads farther on, four times in a round.
STREAM = """mov.u32 %n1, %tid.x;
mov.u32 %n2, %ctaid.x;
mov.u32 %n3, %ntid.x;
mad.lo.u32 %n4, %n2, %n3, %n1;
mul.wide.u32 %a1, %n4, 16;
add.u64 %a0, %a0, %a1;
mov.u32 %n5, %nctaid.x;
mul.lo.u32 %n5, %n5, %n3;
mul.wide.u32 %a2, %n5, 16;
"""
STREAM_STEP = "".join(f"ld.global.cg.v4.u32 {{%n{4 * k + 4}, %n{4 * k + 5}, %n{4 * k + 6}, %n{4 * k + 7}}}, [%a0];\nadd.u64 %a0, %a0, %a2;\n" for k in range(4))


def cycles(folder, model, body, rounds, block, *options, groups=1, words=32768):
    path = os.path.join(folder, "k.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + body + TAIL)
    command = [LOCKSTEP, "kernel", path, "--gpu", model, "--grid", str(groups), "--block", str(block), "--arg", f"buf:b:u64:{words}:zero",
               "--arg", f"u32:{rounds}", "--report", "json", *options]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["launches"][0]["cycles"]


def each(folder, model, before, step, block, *options, rounds=4):
    """Cycles of one round of a loop around `step`, without those of the loop's start and end."""
    body = before + LOOP + step + END
    return (cycles(folder, model, body, 3 * rounds, block, *options) - cycles(folder, model, body, rounds, block, *options)) / (2 * rounds)


@functools.cache
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


def cores_of(model):
    text = subprocess.run([LOCKSTEP, "gpus", model], stdout=subprocess.PIPE, text=True, check=True, env=dict(os.environ, COLUMNS="300")).stdout
    return int(re.search(r"^core.count +(\d+)", text, re.M).group(1))


def stream(folder, model):
    """Bytes a cycle that all cores load of memory that is not in the L2, without the beginning and the end."""
    groups, threads = 2 * cores_of(model), 512
    in_round = groups * threads * 4 * 16
    rounds = (4 << 20) // in_round + 1
    taken = [cycles(folder, model, STREAM + LOOP + STREAM_STEP + END, count, threads, "--set", "l2.prefill=0", groups=groups, words=3 * rounds * in_round // 8)
             for count in (rounds, 3 * rounds)]
    return 2 * rounds * in_round / (taken[1] - taken[0])


def shared(folder, model):
    """Bytes a cycle that a core loads from its shared memory."""
    before = ".shared .align 16 .b8 row[16384];\nmov.u32 %n1, %tid.x;\nshl.b32 %n1, %n1, 4;\nmov.u32 %n2, row;\nadd.u32 %n1, %n1, %n2;\n"
    step = "".join(f"ld.shared.v4.u32 {{%n{4 * k + 4}, %n{4 * k + 5}, %n{4 * k + 6}, %n{4 * k + 7}}}, [%n1];\n" for k in range(4)) * 4
    return 1024 * 16 * 16 / each(folder, model, before, step, 1024, rounds=2)


@functools.cache
def rate_of(folder, model, instruction):
    wide = 4 if "{3}" in instruction else 2 if "{1}" in instruction else 1
    chains = min(8, 16 // wide)
    step = "".join(instruction.format(*range(2 + wide * (k % chains), 2 + wide * (k % chains + 1))) + "\n" for k in range(UNROLLED))
    return UNROLLED * 1024 / each(folder, model, "", step, 1024, rounds=2)


def check(folder, model):
    """A line for each thing that is wrong."""
    peaks = printed(model)
    for row, least, most, measured in latencies(folder, model, peaks):
        if not least - max(6, 0.08 * least) <= measured <= most + max(6, 0.08 * most):
            yield f"{model}: {row}: {least:g} to {most:g} printed, {measured:g} measured"
    for row, instruction in RATES.items():
        if row not in peaks:
            continue
        rate = rate_of(folder, model, instruction)
        if not 0.88 * peaks[row] <= rate <= peaks[row] * 1.001:
            yield f"{model}: {row}: {peaks[row]:g} lanes a cycle printed, {rate:g} measured"
    for row, peak, rate in [("DRAM", peaks["DRAM"], stream(folder, model)), ("shared memory", peaks["shared memory"] / cores_of(model), shared(folder, model))]:
        if not 0.88 * peak <= rate <= 1.01 * peak:
            yield f"{model}: {row}: {peak:g} bytes a cycle printed, {rate:g} measured"
    for instruction, published in GUIDE if model in CARDS else []:
        should, rate = published[CARDS.index(model)], rate_of(folder, model, instruction)
        if not 0.88 * should <= rate <= should * 1.001:
            yield f"{model}: {instruction}: {should:g} lanes a cycle published, {rate:g} measured"


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
