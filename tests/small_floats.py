#!/usr/bin/env python3
"""Compares cvt to and from floats of 8, 6 and 4 bits with what CUDA's headers compute on the host: every half, every number of .bf16,
every code.  tests/unit/small_floats_test.c has another reference, and needs no CUDA.

    LOCKSTEP=build/release/lockstep tests/small_floats.py [CUDA'S FOLDER]      exits with 77 where CUDA or a C++ compiler is missing
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

LOCKSTEP = os.path.abspath(os.environ["LOCKSTEP"])
CUDA = (sys.argv[1:] or ["/usr/local/cuda"])[0]

# name, how the host converts the number or code `x`, the instruction for the register pairs of x and its complement, bits of x
FROM_HALF = [(f"{name}{'_relu' * relu}", f"{name}x2.f16x2", relu, host) for name, host in (
    ("e4m3", "__nv_cvt_halfraw_to_fp8(raw_half(x), __NV_SATFINITE, __NV_E4M3)"), ("e5m2", "__nv_cvt_halfraw_to_fp8(raw_half(x), __NV_SATFINITE, __NV_E5M2)"),
    ("e2m1", "__nv_cvt_halfraw_to_fp4(raw_half(x), __NV_E2M1, cudaRoundNearest)")) for relu in (0, 1)]
FROM_SINGLE = [(f"{name}_f32", f"{name}x2.f32", host) for name, host in (
    ("e4m3", "__nv_cvt_float_to_fp8(single(x), __NV_SATFINITE, __NV_E4M3)"), ("e5m2", "__nv_cvt_float_to_fp8(single(x), __NV_SATFINITE, __NV_E5M2)"),
    ("e2m3", "__nv_cvt_float_to_fp6(single(x), __NV_E2M3, cudaRoundNearest)"), ("e3m2", "__nv_cvt_float_to_fp6(single(x), __NV_E3M2, cudaRoundNearest)"),
    ("e2m1", "__nv_cvt_float_to_fp4(single(x), __NV_E2M1, cudaRoundNearest)"))]
TO_HALF = [("of_e4m3", "f16x2.e4m3x2", 256, "__nv_cvt_fp8_to_halfraw(x, __NV_E4M3).x"), ("of_e5m2", "f16x2.e5m2x2", 256, "__nv_cvt_fp8_to_halfraw(x, __NV_E5M2).x"),
           ("of_e2m3", "f16x2.e2m3x2", 64, "__nv_cvt_fp6_to_halfraw(x, __NV_E2M3).x"), ("of_e3m2", "f16x2.e3m2x2", 64, "__nv_cvt_fp6_to_halfraw(x, __NV_E3M2).x"),
           ("of_e2m1", "f16x2.e2m1x2", 16, "__nv_cvt_fp4_to_halfraw(x, __NV_E2M1).x"), ("of_e8m0", "bf16x2.ue8m0x2", 256, "__nv_cvt_e8m0_to_bf16raw(x).x")]
EXPONENTS = [(f"e8m0_{rounding}{'_sat' * finite}", f"{rounding}{'.satfinite' * finite}.ue8m0x2.bf16x2",
              f"__nv_cvt_bfloat16raw_to_e8m0(raw_brain(x), {'__NV_SATFINITE' if finite else '__NV_NOSAT'}, {mode})")
             for rounding, mode in (("rz", "cudaRoundZero"), ("rp", "cudaRoundPosInf")) for finite in (0, 1)]

HOST = """#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_fp6.h>
#include <cuda_fp4.h>
static __half_raw raw_half(unsigned x) { __half_raw r; r.x = (unsigned short)x; return r; }
static __nv_bfloat16_raw raw_brain(unsigned x) { __nv_bfloat16_raw r; r.x = (unsigned short)x; return r; }
static float single(unsigned x) { x = x << 16 | (x & 255) * 257; float f; memcpy(&f, &x, 4); return f; }
static void put(unsigned v) { putchar(v & 255); putchar(v >> 8 & 255); }
int main() {
"""

KERNEL = """.version 8.8
.target sm_100a
.address_size 64
.visible .entry convert(.param .u64 out)
{
.reg .b64 %d<3>;
.reg .b32 %r<9>, %x, %y;
.reg .f32 %f<2>;
.reg .b16 %h<4>;
.reg .b8 %b;
ld.param.u64 %d0, [out];
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
mad.lo.u32 %x, %r1, 256, %r0;
"""


def results():
    """(name, how many, the host's expression, the lines of PTX that leave the result of %x in %r2)"""
    for name, form, relu, host in FROM_HALF:
        d, widen = ("%b", "cvt.u32.u8 %r2, %b; and.b32 %r2, %r2, 15;") if name.startswith("e2m1") else ("%h0", "cvt.u32.u16 %r2, %h0; and.b32 %r2, %r2, 255;")
        yield (name, 65536, None if relu else host,
               f"not.b32 %r3, %x; shl.b32 %r3, %r3, 16; or.b32 %r3, %r3, %x; cvt.rn.satfinite{'.relu' * relu}.{form} {d}, %r3; {widen}")
    for name, form, host in FROM_SINGLE:
        d, widen = ("%b", "cvt.u32.u8 %r2, %b; and.b32 %r2, %r2, 15;") if name.startswith("e2m1") else ("%h0", "cvt.u32.u16 %r2, %h0; and.b32 %r2, %r2, 255;")
        yield (name, 65536, host, f"shl.b32 %r3, %x, 16; and.b32 %r4, %x, 255; mad.lo.u32 %r3, %r4, 257, %r3; mov.b32 %f0, %r3; "
               f"cvt.rn.satfinite.{form} {d}, 0f3F800000, %f0; {widen}")
    for name, form, host in EXPONENTS:
        yield name, 65536, host, f"cvt.{form} %h0, %x; cvt.u32.u16 %r2, %h0; and.b32 %r2, %r2, 255;"
    for name, form, count, host in TO_HALF:
        if "e2m1" in form:
            yield name, count, host, f"cvt.u16.u32 %h0, %x; cvt.u8.u16 %b, %h0; cvt.rn.{form} %r2, %b; and.b32 %r2, %r2, 65535;"
        else:
            yield name, count, host, f"cvt.u16.u32 %h0, %x; cvt.rn.{form} %r2, %h0; and.b32 %r2, %r2, 65535;"


def host_values(folder, rows):
    source, program = os.path.join(folder, "host.cpp"), os.path.join(folder, "host")
    with open(source, "w", encoding="utf-8") as file:
        file.write(HOST + "".join(f"for (unsigned x = 0; x < {count}; x++) put({host});\n" for _, count, host, _ in rows) + "}\n")
    subprocess.run([shutil.which("g++") or "c++", "-O1", "-w", f"-I{CUDA}/include", "-o", program, source], check=True)
    data = subprocess.run([program], capture_output=True, check=True).stdout
    values = iter(struct.unpack(f"<{len(data) // 2}H", data))
    return [[next(values) for _ in range(row[1])] for row in rows]


def device_values(folder, count, code):
    path, report = os.path.join(folder, "k.ptx"), os.path.join(folder, "report.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(KERNEL + code + "\nmul.wide.u32 %d1, %x, 4; add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r2;\nret;\n}\n")
    words = ["--grid", str(max(count // 256, 1)), "--block", str(min(count, 256)), "--mode", "functional", "--gpu", "h200"]
    subprocess.run([LOCKSTEP, "kernel", path, *words, "--arg", f"buf:out:u32:{count}", "--dump", "out", "--report", "json", "--output", report], check=True)
    with open(report, encoding="utf-8") as file:
        return json.load(file)["buffers"]["out"]


def main():
    if not os.path.exists(f"{CUDA}/include/cuda_fp4.h") or not (shutil.which("g++") or shutil.which("c++")):
        print(f"not compared: no CUDA from 12.8 on in {CUDA}, or no C++ compiler")
        sys.exit(77)
    rows = list(results())
    plain = [row for row in rows if row[2]]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        expected = dict(zip((row[0] for row in plain), host_values(folder, plain)))
        for name, count, host, code in rows:
            wanted = expected[name.removesuffix("_relu")]
            if not host:  # negative halves become 0, and NaN is as it was
                wanted = [0 if 0x8000 <= x <= 0xfc00 else value for x, value in enumerate(wanted)]
            got = device_values(folder, count, code)
            bad = [x for x in range(count) if got[x] != wanted[x]]
            wrong += len(bad)
            print(f"{name}: {count} values, {len(bad)} differ" + "".join(f"\n    {x:#06x}: {got[x]:#x}, the host {wanted[x]:#x}" for x in bad[:8]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
