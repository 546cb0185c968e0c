"""GPU kernels on a simulated GPU: Lockstep's library for Python, by ctypes; nothing is built.

    import lockstep, numpy

    launch = lockstep.run("saxpy.cu", grid=16, block=256, args=[y, x, 2.0, len(x)], gpu="v100")
    print(launch["outcome"], launch["cycles"], launch["findings"])

    gpu = lockstep.GPU("v100", {"policy.scheduler": "lrr"})             # a GPU that stays, with its memory
    saxpy = gpu.load("saxpy.cu").kernel()
    launch = saxpy(y, x, 2.0, len(x), grid=16, block=256)                # arrays: numpy's, array.array, bytearray

Mistakes of the caller are a lockstep.Error with one line, which is also a TypeError or a ValueError where an argument is wrong.  What a
kernel does wrong is not: it is in the report's "outcome" and "findings".  docs/python.md is the manual, include/lockstep.h what the library does."""
from ._errors import ArgumentTypeError, ArgumentValueError, Error
from ._gpu import GPU, Buffer, Kernel, Module, gpus, policies, run
from ._library import VERSION
from ._picture import Picture
from ._report import Launch, Report, Table

__all__ = ["ArgumentTypeError", "ArgumentValueError", "Buffer", "Error", "GPU", "Kernel", "Launch", "Module", "Picture", "Report", "Table", "gpus", "policies", "run"]
