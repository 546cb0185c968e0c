#!/usr/bin/env python3
"""A histogram in CUDA C, on two simulated GPUs from Python: one counter for all threads, or one copy of it for each work-group.

    python3 histogram.py

numpy's arrays do as well as Python's own; docs/python.md is the manual."""
import array

import lockstep

SOURCE = """
#define BINS 64

extern "C" __global__ void direct(unsigned *bins, const unsigned *keys, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(&bins[keys[i] % BINS], 1);
}

extern "C" __global__ void shared(unsigned *bins, const unsigned *keys, int n)
{
	__shared__ unsigned own[BINS];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (threadIdx.x < BINS)
		own[threadIdx.x] = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&own[keys[i] % BINS], 1);
	__syncthreads();
	if (threadIdx.x < BINS)
		atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
"""
COUNT = 16384

keys = array.array("I", [k * k % 251 for k in range(COUNT)])
expected = [sum(key % 64 == bin for key in keys) for bin in range(64)]
print("GPU     kernel  outcome      cycles  operations that waited for another on their word")
for name in ("gtx480", "v100"):
    gpu = lockstep.GPU(name, check="races")
    module = gpu.load("histogram.cu", SOURCE)
    for kernel in ("direct", "shared"):
        bins = array.array("I", [0] * 64)
        launch = module.kernel(kernel)(bins, keys, COUNT, grid=COUNT // 256, block=256)
        assert bins.tolist() == expected and not launch["findings"]
        waited = launch["counters"]["sync__atomic_same_address_conflicts.sum"]
        print(f"{name:7} {kernel:7} {launch['outcome']:9} {launch['cycles']:9,} {waited:,}")
