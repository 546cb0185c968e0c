"""The kernels that `run` and `compare` measure: the words behind `lockstep kernel`, the first a file beside this one."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def hash_table(groups, keys, buckets):
    return (f"hashtab.ptx --kernel hash_insert --grid {groups} --block 256 --arg buf:keys:u32:{keys}:file=INPUTS/keys-{keys}.u32 --arg s32:{keys} "
            f"--arg buf:locks:u32:{buckets}:zero --arg buf:heads:s32:{buckets}:fill=-1 --arg buf:pool:u32:{2 * keys}:zero --arg u32:{buckets - 1} "
            f"--arg s32:{groups * 256}")


KERNELS = {
    "fma": "fma.ptx --kernel fmaloop --grid 256 --block 256 --arg buf:out:f32:65536:zero --arg f32:0.5 --arg f32:1.0 --arg s32:64",
    "vecadd": "vecadd.ptx --kernel vecadd --grid 4096 --block 256 --arg buf:a:f32:1048576:random=1,0,4 --arg buf:b:f32:1048576:random=2,0,4 "
              "--arg buf:c:f32:1048576:zero --arg s32:1048576",
    "hash1024": hash_table(160, 81920, 1024),
    "hash128m": hash_table(24, 12288, 128),
    "hash128xs": hash_table(16, 8192, 128),
    # GPGPU-Sim has not run these
    "matmul": "../tests/kernel/program/matmul.ptx --grid 16,16 --block 16,16 --arg buf:a:f32:65536:random=1,-1,1 --arg buf:b:f32:65536:random=2,-1,1 "
              "--arg buf:c:f32:65536:zero --arg s32:256 --arg s32:256 --arg s32:256",
    "stencil": "stencil.ptx --grid 64 --block 256 --arg buf:from:f32:16384:random=1,-1,1 --arg buf:to:f32:16384:zero --arg s32:16384 --arg s32:16",
    "scan": "../tests/kernel/program/look_back.ptx --grid 4096 --block 64 --arg buf:input:u32:524288:random=4,0,100000 --arg buf:out:u32:524288:zero "
            "--arg buf:state:u64:4096:zero --arg buf:ticket:u32:1:zero",
    "reduce": "reduce.ptx --grid 60 --block 256 --arg buf:words:u32:4194304:random=5,0,100 --arg buf:sum:u32:1:zero --arg u32:4194304",
    "tree": "../workloads/barneshut.cl --kernel build --grid 64 --block 64 --arg buf:bodies:f32:65536:random=3,0,1 --arg buf:children:s32:262144:fill=-1 "
            "--arg buf:cells:s32:1:fill=1 --arg s32:16384 --arg s32:32768",
}


def make_inputs(folder):
    """Writes the keys of the hash tables."""
    subprocess.run([sys.executable, os.path.join(HERE, "make_inputs.py")], cwd=folder, check=True)


def words_of(kernel, inputs):
    """Behind `lockstep kernel`, with the inputs of that folder."""
    words = KERNELS[kernel].replace("INPUTS", inputs).split()
    return [os.path.join(HERE, words[0]), *words[1:]]
