"""Values of wgmma: the cases of values.ptx, which `python3 values.py` prints, and what each must give.

Written from the tables of the PTX ISA ("Register Fragments", "Canonical Layouts"), in elements and not in chunks as Lockstep has them."""
import array
import struct

# of an element: bits, and its value from these
TYPES = {
    "f16": (16, lambda v: struct.unpack("<e", struct.pack("<H", v))[0]),
    "bf16": (16, lambda v: struct.unpack("<f", struct.pack("<I", v << 16))[0]),
    "tf32": (32, lambda v: struct.unpack("<f", struct.pack("<I", v & 0xffffe000))[0]),
    "e4m3": (8, lambda v: small_float(v, 4, 7)),
    "e5m2": (8, lambda v: small_float(v, 5, 15)),
    "s8": (8, lambda v: v - 256 if v > 127 else v),
    "u8": (8, lambda v: v),
    "b1": (1, lambda v: v),
}
# what the kernels do to words of their inputs, so that values and sums are neither infinite nor, in f32, subnormal
MASKS = {
    "f16": (0xbfffbfff, 0),
    "bf16": (0x80ff80ff, 0x3f003f00),
    "tf32": (0x80ffffff, 0x3f000000),
    "e4m3": (0xbfbfbfbf, 0),
    "e5m2": (0xbfbfbfbf, 0),
}


def small_float(v, exponent_bits, bias):
    mantissa_bits = 7 - exponent_bits
    exponent, mantissa = v >> mantissa_bits & ((1 << exponent_bits) - 1), v & ((1 << mantissa_bits) - 1)
    if exponent_bits == 5 and exponent == 31:
        value = float("nan") if mantissa else float("inf")
    elif v & 0x7f == 0x7f:
        value = float("nan")
    else:
        value = (mantissa / 2 ** mantissa_bits + (exponent > 0)) * 2.0 ** (max(exponent, 1) - bias)
    return -value if v & 0x80 else value


class Layout:
    """A matrix in shared memory, of `lines` rows of A or columns of B."""

    def __init__(self, start=0, swizzle=0, leading=0, stride=0, major="k", lines=64):
        self.start, self.swizzle, self.leading, self.stride, self.major, self.lines = start, swizzle, leading, stride, major, lines

    def address(self, line, k, bits):
        """Of an element (for bits of the byte): canonical layouts, without swizzle ((8,m),(T,2k)):((1T,SBO),(1,LBO)) and so on."""
        t = 128 // bits                           # elements of 16 bytes
        width = max(self.swizzle // 16, 1)        # of a row of the pattern, in 16 bytes
        size = bits / 8
        if self.major == "k":
            to_chunk = self.leading if not self.swizzle else 16
            offset = line % 8 * width * 16 + line // 8 * self.stride + k % t * size + k // t * to_chunk
        elif not self.swizzle:
            offset = line % t * size + line // t * self.stride + k % 8 * 16 + k // 8 * self.leading
        else:
            offset = (line % t * size + line // t % width * 16 + line // (t * width) * self.leading
                      + k % 8 * width * 16 + k // 8 * self.stride)
        at = int(self.start + offset)
        return at ^ {0: 0, 32: at >> 7 & 1, 64: at >> 7 & 3, 128: at >> 7 & 7}[self.swizzle] << 4

    def descriptor(self, base):
        mode = {0: 0, 128: 1, 64: 2, 32: 3}[self.swizzle]
        return (base >> 4) | (self.leading >> 4) << 16 | (self.stride >> 4) << 32 | mode << 62


B = 8192 # where B is in shared memory; A is at 0


def k_major(swizzle, start=0, **more):
    pitch = max(swizzle, 16)
    return Layout(start=start, swizzle=swizzle, stride=pitch * 8, leading=0 if swizzle else 4096, **more)


class Case:
    def __init__(self, n, types, a, b, satfinite=False, adds=True, scales=(1, 1), masked=True):
        self.n, self.types, self.a, self.b, self.satfinite, self.adds, self.scales = n, types, a, b, satfinite, adds, scales
        self.masks = MASKS if masked else {}
        self.k = 256 // TYPES[types[1]][0]
        self.registers = n // 4 if types[0] == "f16" else n // 2


def mn(swizzle, start=0, lines=64):
    """Columns side by side: patterns of 8 k follow each other, then those of the next columns."""
    width = max(swizzle, 16)
    pattern = width * 8
    if not swizzle:
        return Layout(start=start, swizzle=0, stride=256, leading=128, major="mn", lines=lines)
    return Layout(start=start, swizzle=swizzle, stride=pattern, leading=2 * pattern, major="mn", lines=lines)


CASES = {
    "f16_128b": Case(64, ("f32", "f16", "f16"), k_major(128), k_major(128, B)),
    "f16_next_k": Case(64, ("f32", "f16", "f16"), k_major(128, 64), k_major(128, B + 96)), # 2 and 3 instructions further along a tile
    "f16_registers": Case(256, ("f32", "f16", "f16"), None, k_major(64, B)),
    "f16_none": Case(8, ("f16", "f16", "f16"), k_major(0), k_major(0, B), scales=(-1, 1)),
    "f16_alone": Case(16, ("f32", "f16", "f16"), k_major(32), k_major(32, B), adds=False, scales=(-1, -1)),
    "f16_columns_128b": Case(128, ("f32", "f16", "f16"), mn(128), mn(128, B)),
    "f16_columns_64b": Case(64, ("f16", "f16", "f16"), mn(64), mn(64, B), scales=(1, -1)),
    "f16_columns_32b": Case(32, ("f32", "f16", "f16"), None, mn(32, B)),
    "f16_columns_none": Case(24, ("f32", "f16", "f16"), mn(0), mn(0, B)),
    "bf16_mixed": Case(128, ("f32", "bf16", "bf16"), mn(128), k_major(128, B)),
    "tf32": Case(40, ("f32", "tf32", "tf32"), k_major(128), k_major(64, B)),
    "tf32_registers": Case(8, ("f32", "tf32", "tf32"), None, k_major(32, B)),
    "e4m3": Case(64, ("f32", "e4m3", "e4m3"), k_major(128), k_major(128, B)),
    "e4m3_e5m2": Case(8, ("f16", "e4m3", "e5m2"), k_major(32), k_major(64, B)),
    "e5m2_e4m3": Case(16, ("f32", "e5m2", "e4m3"), None, k_major(128, B), scales=(-1, 1)),
    "e5m2": Case(256, ("f16", "e5m2", "e5m2"), k_major(128), k_major(32, B)),
    "s8": Case(64, ("s32", "s8", "s8"), k_major(128), k_major(128, B)),
    "u8_s8": Case(8, ("s32", "u8", "s8"), None, k_major(0, B)),
    "s8_u8": Case(24, ("s32", "s8", "u8"), k_major(64), k_major(64, B), satfinite=True),
    "u8": Case(256, ("s32", "u8", "u8"), k_major(128), k_major(128, B), satfinite=True),
    # a few elements are infinite or no numbers, and so are many sums
    "f16_special": Case(8, ("f32", "f16", "f16"), k_major(128), k_major(128, B), masked=False),
    "e4m3_special": Case(8, ("f32", "e4m3", "e4m3"), k_major(128), k_major(128, B), masked=False),
    "e5m2_special": Case(8, ("f16", "e5m2", "e5m2"), k_major(128), k_major(128, B), masked=False),
    "b1": Case(32, ("s32", "b1", "b1"), k_major(128), k_major(128, B)),
    "b1_registers": Case(8, ("s32", "b1", "b1"), None, k_major(32, B), adds=False),
}


# ---- What it must give ----

def to_f32(values):
    return array.array("f", values).tolist()


def to_f16(value):
    try:
        return struct.unpack("<e", struct.pack("<e", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def element(words, address, k, bits):
    word = words[address // 4]
    if bits == 1:
        return words[address // 4] >> (address % 4 * 8 + k % 8) & 1
    return word >> address % 4 * 8 & ((1 << bits) - 1)


def from_registers(words, line, k, bits):
    """Of A, four registers a thread: thread 4 * (line % 8) + t of warp line // 16 has, as mma.m16n8, 4 bytes of a line and 16 further."""
    byte = k * bits // 8
    thread = line // 16 * 32 + line % 8 * 4 + byte % 16 // 4
    return element(words, (thread * 4 + line % 16 // 8 + byte // 16 * 2) * 4 + byte % 4, k, bits)


def factor(layout, words, base, type, lines, depth, masks):
    bits, value = TYPES[type]
    words = [w & masks[type][0] | masks[type][1] for w in words] if type in masks else words
    if layout is None:
        return [[value(from_registers(words, line, k, bits)) for k in range(depth)] for line in range(lines)]
    return [[value(element(words, layout.address(line, k, bits) - base, k, bits)) for k in range(depth)] for line in range(lines)]


def sums(case, a, b):
    """64 rows of n: f32, in the order of k."""
    left, right = factor(case.a, a, 0, case.types[1], 64, case.k, case.masks), factor(case.b, b, B, case.types[2], case.n, case.k, case.masks)
    sign = case.scales[0] * case.scales[1]
    rows = []
    for line in left:
        row = [0.0] * case.n
        for k, x in enumerate(line):
            row = [s + sign * x * y[k] for s, y in zip(row, right)]
            row = to_f32(row) if case.types[0] != "s32" else row
        rows.append(row)
    return rows


def place(case, thread, i):
    """Row and column of element i of thread's part of D."""
    lane, pair = thread % 32, i // 2
    return thread // 32 * 16 + lane // 4 + pair % 2 * 8, pair // 2 * 8 + lane % 4 * 2 + i % 2


def product(name, a, b, c):
    case = CASES[name]
    rows, each, result = sums(case, a, b), case.n // 2, []
    for thread in range(128):
        for i in range(each):
            row, column = place(case, thread, i)
            value, before = rows[row][column], c[thread * each + i] if case.adds else 0
            if case.types[0] == "s32":
                value = int(value) + before
                value = min(max(value, -2 ** 31), 2 ** 31 - 1) if case.satfinite else (value + 2 ** 31) % 2 ** 32 - 2 ** 31
            else:
                value = to_f32([value + before])[0]
                value = to_f16(value) if case.types[0] == "f16" else value
            result.append(value)
    return result


# ---- The kernels ----

def inputs(case):
    """Buffers a, b, c and d: bit patterns whose values are small."""
    kind = {"f16": "f16", "f32": "f32", "s32": "s32"}[case.types[0]]
    low, high = ("2147483000", "2147483647") if case.satfinite else ("-9", "9")
    return (f"--arg buf:a:u32:2048:random=1 --arg buf:b:u32:8192:random=2 --arg buf:c:{kind}:{case.n * 64}:random=3,{low},{high} "
            f"--arg buf:d:{kind}:{case.n * 64}:zero --dump d")


def fours(registers):
    """Registers in vectors of at most four."""
    return [registers[k:k + 4] for k in range(0, len(registers), 4)]


def mask(register, type, masks):
    if type not in masks:
        return []
    keeps, sets = masks[type]
    return [f"\tand.b32 {register}, {register}, {keeps:#x};"] + [f"\tor.b32 {register}, {register}, {sets:#x};"] * (sets != 0)


def kernel(name, case):
    d = [f"%d{k}" for k in range(case.registers)]
    a = "{%a0, %a1, %a2, %a3}" if case.a is None else "%da"
    satfinite = ".satfinite" if case.satfinite else ""
    bits = ".and.popc" if case.types[1] == "b1" else ""
    opcode = f"wgmma.mma_async.sync.aligned.m64n{case.n}k{case.k}{satfinite}." + ".".join(case.types) + bits
    scales = [] if case.types[0] == "s32" else [str(s) for s in case.scales]
    majors = [l for l in (case.a, case.b) if l is not None] if case.types[1] in ("f16", "bf16") else []
    operands = ", ".join([a, "%db", "%p" if case.adds else "0"] + scales + [str(int(l.major == "mn")) for l in majors])
    lines = [f".visible .entry {name}(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)", "{",
             "\t.reg .pred %p, %q;", "\t.reg .b32 %r<8>;", "\t.reg .b64 %x<8>, %da, %db;", f"\t.reg .b32 %a<4>, %d<{case.registers}>;",
             f"\t.shared .align 1024 .b8 tile[{B + 32768}];",
             "\tld.param.u64 %x1, [a];", "\tld.param.u64 %x2, [b];", "\tld.param.u64 %x3, [c];", "\tld.param.u64 %x4, [d];",
             "\tmov.u32 %r1, %tid.x;", "\tmov.u32 %r2, tile;"]
    for buffer, first, words, label, type in (("%x1", 0, 2048, "A", case.types[1]), ("%x2", B, 8192, "B", case.types[2])):
        lines += ["\tmov.u32 %r3, %r1;", f"{label}:", f"\tmad.wide.u32 %x5, %r3, 4, {buffer};", "\tld.global.b32 %r4, [%x5];"]
        lines += mask("%r4", type, case.masks)
        lines += ["\tmad.lo.u32 %r5, %r3, 4, %r2;", f"\tst.shared.b32 [%r5+{first}], %r4;", "\tadd.u32 %r3, %r3, 128;",
                  f"\tsetp.lt.u32 %q, %r3, {words};", f"\t@%q bra {label};"]
    lines += ["\tfence.proxy.async;", "\tbar.sync 0;"]
    if case.a is None:
        lines += ["\tmad.wide.u32 %x5, %r1, 16, %x1;", "\tld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%x5];"]
        lines += [line for k in range(4) for line in mask(f"%a{k}", case.types[1], case.masks)]
    for register, layout in (("%da", case.a), ("%db", case.b)):
        if layout is not None:
            lines += [f"\tadd.u32 %r3, %r2, {layout.start};", "\tshr.u32 %r3, %r3, 4;", f"\tcvt.u64.u32 {register}, %r3;",
                      f"\tor.b64 {register}, {register}, {layout.descriptor(0):#x};"]
    lines += [f"\tmad.wide.u32 %x3, %r1, {case.registers * 4}, %x3;", f"\tmad.wide.u32 %x4, %r1, {case.registers * 4}, %x4;",
              "\tsetp.eq.u32 %p, %r2, %r2;"]
    vector = {1: "", 2: ".v2", 4: ".v4"}
    for k, part in enumerate(fours(d)):
        lines.append(f"\tld.global{vector[len(part)]}.b32 {'{' + ', '.join(part) + '}' if len(part) > 1 else part[0]}, [%x3+{k * 16}];")
    lines += ["\twgmma.fence.sync.aligned;", f"\t{opcode}", f"\t\t{{{', '.join(d)}}},", f"\t\t{operands};",
              "\twgmma.commit_group.sync.aligned;", "\twgmma.wait_group.sync.aligned 0;"]
    for k, part in enumerate(fours(d)):
        lines.append(f"\tst.global{vector[len(part)]}.b32 [%x4+{k * 16}], {'{' + ', '.join(part) + '}' if len(part) > 1 else part[0]};")
    return lines + ["\tret;", "}"]


if __name__ == "__main__":
    print("// wgmma.mma_async of every type and layout.  values.py prints this file, and says what the kernels must give.")
    for name, case in CASES.items():
        print(f"// launch {name}: --kernel {name} --gpu h200 --block 128 {inputs(case)}")
    print(".version 8.4\n.target sm_90a\n.address_size 64")
    for name, case in CASES.items():
        print("\n".join(kernel(name, case)))
