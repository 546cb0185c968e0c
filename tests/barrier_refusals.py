#!/usr/bin/env python3
"""lockstep_barrier.h refuses, with the reason, what it cannot work on: it is compiled as for such a device, by clang's preprocessor.  And it takes
the nearest that it can work on.  What OpenCL C and CUDA promise is in the header's first comment."""
import os
import shutil
import subprocess
import sys

HEADER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "device", "lockstep_barrier.h")
FEATURES = ["__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"]
CASES = [  # macros; what is said, None: it is taken
    (["__OPENCL_C_VERSION__=120"], "OpenCL C before 2.0 has no acquire and release"),
    (["__OPENCL_C_VERSION__=200"], None),
    (["__OPENCL_C_VERSION__=300"], "this device has no acquire and release atomics at device scope"),
    (["__OPENCL_C_VERSION__=300", FEATURES[0]], "this device has no acquire and release atomics at device scope"),
    (["__OPENCL_C_VERSION__=300", *FEATURES], None),
    (["__CUDACC__", "__CUDA_ARCH__=200"], "compute capability 2.x: no fence empties an L1"),
    (["__CUDACC__", "__CUDA_ARCH__=210"], "compute capability 2.x: no fence empties an L1"),
    (["__CUDACC__", "__CUDA_ARCH__=300"], None),
    (["__CUDACC__", "__CUDA_ARCH__=700"], None),
    (["__CUDACC__"], None),  # the host's half of a CUDA program
    ([], None),  # a host program in C
]


def main():
    clang = shutil.which("clang-14") or shutil.which("clang")
    if not clang:
        print("no clang")
        return 1
    wrong = []
    for macros, said in CASES:
        run = subprocess.run([clang, "-E", "-x", "c", *("-D" + m for m in macros), HEADER], capture_output=True, text=True, check=False)
        if (said is None) != (run.returncode == 0) or (said or "") not in run.stderr:
            wrong.append(f"{' '.join(macros) or 'C'}: expected {said or 'nothing'}, got {run.stderr.strip() or 'nothing'}")
    print("\n".join(wrong) or f"{len(CASES)} cases as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
