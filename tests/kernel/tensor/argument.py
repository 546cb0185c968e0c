"""The words of a tensor map: src/util/tensor_map.h."""
import struct

FIRST = 0x10000000  # where the first buffer lies
TYPES = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"]


def words(kind, sizes, strides, box, lower=(), upper=(), steps=(), mode=0, interleave=0, swizzle=0, fill=0, wide=0):
    def padded(numbers, count):
        return tuple(numbers) + (0,) * (count - len(numbers))
    data = struct.pack("<Q4Q5QI5H3h3h5B8B9x", FIRST, *padded(strides, 4), *padded(sizes, 5), 0x50414D54, *padded(box, 5), *padded(lower, 3),
                       *padded(upper, 3), *padded(steps or (1,) * len(sizes), 5), mode, TYPES.index(kind), len(sizes), interleave, swizzle, 0, fill, wide)
    return list(struct.unpack("<16Q", data))
