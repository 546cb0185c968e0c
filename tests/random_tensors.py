#!/usr/bin/env python3
"""Checks copies of the boxes of tensors against the rules of the PTX ISA, "Tensors", for maps, coordinates and modes that are drawn.

    tests/random_tensors.py [-j JOBS] [--copies N] [--first SEED]

Each is a kernel that copies a box into shared memory, of its own work-group or of two of a cluster, and writes down what it finds there; then it copies the
box back into another tensor, or adds it to that one."""
import argparse
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

LOCKSTEP = os.environ.get("LOCKSTEP", "build/release/lockstep")
TYPES = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f16": 2, "f32": 4, "f64": 8, "bf16": 2, "tf32": 4}
FLOATS = ("f16", "f32", "f64", "bf16", "tf32")
ADDED = ("u32", "s32", "u64")  # of those that need no rounding, what .add takes
SWIZZLES = {"none": (256, 0), "32": (32, 0x10), "64": (64, 0x30), "128": (128, 0x70)}  # span; the bits that those three further left change
MOST_BYTES = 32768

KERNEL = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry box(.param .u64 a, .param .u64 b, .param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u64 found)
{{
	.reg .pred %p, %done;
	.reg .b16 %o<3>, %mask;
	.reg .b32 %t, %r, %k, %v, %b;
	.reg .b64 %from, %to, %found, %at;
	.shared .align 1024 .b8 data[{room}];
	.shared .align 8 .b64 object;
	mov.b64 %at, from;
	cvta.param.u64 %from, %at;
	mov.b64 %at, to;
	cvta.param.u64 %to, %at;
	ld.param.u64 %found, [found];
	mov.u32 %t, %tid.x;
	mov.u32 %r, %cluster_ctarank;
	prefetch.tensormap [%from];
	setp.ne.u32 %p, %t, 0;
	@%p bra begun;
	mbarrier.init.shared.b64 [object], 1;
	fence.mbarrier_init.release.cluster;
	mbarrier.arrive.expect_tx.shared.b64 _, [object], {bytes};
begun:
	barrier.cluster.arrive;
	barrier.cluster.wait;
	or.b32 %v, %t, %r;
	setp.ne.u32 %p, %v, 0;
	@%p bra wait;
	mov.b16 %mask, 3;
	mov.u32 %v, data;
	mov.u32 %b, object;
{offsets}	{load}
wait:
	mbarrier.try_wait.parity.shared.b64 %done, [object], 0;
	@!%done bra wait;
	mov.u32 %k, %t;
write:
	setp.ge.u32 %p, %k, {bytes};
	@%p bra written;
	mov.u32 %v, data;
	add.u32 %v, %v, %k;
	ld.shared.u8 %v, [%v];
	mad.lo.u32 %b, %r, {bytes}, %k;
	cvt.u64.u32 %at, %b;
	add.u64 %at, %found, %at;
	st.global.u8 [%at], %v;
	add.u32 %k, %k, 64;
	bra write;
written:
	or.b32 %v, %t, %r;
	setp.ne.u32 %p, %v, 0;
	@%p bra end;
	{store}
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
end:
	barrier.cluster.arrive;
	barrier.cluster.wait;
	ret;
}}
"""


class Copy:
    """A tensor, a box of it, and where the box is."""

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.is_im2col = rng.random() < 0.4
        rank = self.rank = rng.randrange(3, 6) if self.is_im2col else rng.randrange(1, 6)
        self.type = rng.choice(list(TYPES))
        self.width = TYPES[self.type]
        self.swizzle = rng.choice(list(SWIZZLES))
        inner = 16 * rng.randrange(1, min(SWIZZLES[self.swizzle][0], 256) // 16 + 1) // self.width
        few = rank > 3 or self.is_im2col
        self.sizes = [rng.randrange(1, 80)] + [rng.randrange(2 if self.is_im2col else 1, 8 if few else 20) for _ in range(rank - 1)]
        self.strides = [(self.sizes[0] * self.width + 15) // 16 * 16 + 16 * rng.randrange(3)]
        for k in range(1, rank - 1):
            self.strides.append(self.strides[-1] * (self.sizes[k] + rng.randrange(2)))
        self.strides = self.strides[:rank - 1]
        self.steps = [1] + [rng.choice((1, 1, 1, 2, 3)) for _ in range(rank - 1)]
        self.box = [inner] + [rng.randrange(1, 5 if few else 10) for _ in range(rank - 1)]
        self.at = [rng.randrange(-3, size + 3) for size in self.sizes]
        self.lower = self.upper = self.moved = []
        if self.is_im2col:
            self.draw_pixels(rng)
        self.fill = rng.choice(("zero", "nan")) if self.type in FLOATS else "zero"
        self.groups = rng.choice((1, 1, 2))
        self.adds = self.type in ADDED and rng.random() < 0.6
        self.places = self.find_places()

    def draw_pixels(self, rng):
        self.box = [self.box[0], rng.randrange(1, 60)]
        self.lower = [-rng.randrange(3) for _ in self.sizes[1:-1]]
        self.upper = [rng.randrange(-2, 2) for _ in self.sizes[1:-1]]
        self.moved = [rng.randrange(4) for _ in self.lower]
        for k, size in enumerate(self.sizes[1:-1]):
            if size - 1 + self.upper[k] < self.lower[k]:
                self.upper[k] = 0
            self.at[k + 1] = rng.randrange(self.lower[k], size + self.upper[k], self.steps[k + 1])
        self.at[-1] = rng.randrange(self.sizes[-1])

    def place(self, at):
        """The offset of an element in the tensor, or None."""
        if any(not 0 <= c < size for c, size in zip(at, self.sizes)):
            return None
        return at[0] * self.width + sum(c * stride for c, stride in zip(at[1:], self.strides))

    def find_places(self):
        return self.pixels() if self.is_im2col else self.tile()

    def tile(self):
        counts = [-(-box // step) for box, step in zip(self.box, self.steps)]
        places = [[]]
        for k in reversed(range(self.rank)):  # the outermost first, so that the innermost goes fastest
            places = [[self.at[k] + n * self.steps[k], *rest] for rest in places for n in range(counts[k])]
        return [self.place(at) for at in places]

    def pixels(self):
        at, places = list(self.at[1:]), []
        for _ in range(self.box[1]):
            moved = [c + m for c, m in zip(at, [*self.moved, 0])]
            places += [self.place([self.at[0] + c, *moved]) for c in range(self.box[0])]
            for k in range(len(self.lower) + 1):
                at[k] += self.steps[k + 1] if k < len(self.lower) else 1
                if k == len(self.lower) or at[k] <= self.sizes[k + 1] - 1 + self.upper[k]:
                    break
                at[k] = self.lower[k]
        return places

    def bytes(self):
        return len(self.places) * self.width

    def tensor_bytes(self):
        return self.sizes[0] * self.width + sum((size - 1) * stride for size, stride in zip(self.sizes[1:], self.strides))

    def argument(self, buffer):
        x = "x".join
        text = f"tensor:{buffer}:{self.type}:{x(map(str, self.sizes))}:{x(map(str, self.strides)) or 'dense'}:{x(map(str, self.box))}:{self.swizzle}:{self.fill}:steps={x(map(str, self.steps))}"
        return text + (f":im2col={x(map(str, self.lower))},{x(map(str, self.upper))}" if self.is_im2col else "")

    def ptx(self):
        at = "{" + ", ".join(map(str, self.at)) + "}"
        offsets = "".join(f"\tmov.b16 %o{k}, {m};\n" for k, m in enumerate(self.moved))
        moved = ", {" + ", ".join(f"%o{k}" for k in range(len(self.moved))) + "}" if self.moved else ""
        mode = "im2col" if self.is_im2col else "tile"
        load = f"cp.async.bulk.tensor.{self.rank}d.shared::cluster.global.{mode}.mbarrier::complete_tx::bytes"
        load += f".multicast::cluster [%v], [%from, {at}], [%b]{moved}, %mask;" if self.groups > 1 else f" [%v], [%from, {at}], [%b]{moved};"
        store = ""
        if not self.is_im2col:
            start, add = ("cp.reduce.async.bulk", ".add") if self.adds else ("cp.async.bulk", "")
            store = f"mov.u32 %v, data;\n\t{start}.tensor.{self.rank}d.global.shared::cta{add}.tile.bulk_group [%to, {at}], [%v];"
        return KERNEL.format(room=(self.bytes() + 1151) // 128 * 128, bytes=self.bytes(), offsets=offsets, load=load, store=store)

    def expected(self, source, target):
        """What is in the box, in order, and the other tensor afterwards."""
        outside = bytes([0xff] * (self.width - 1) + [0x7f]) if self.fill == "nan" else bytes(self.width)
        box = b"".join(outside if p is None else source[p:p + self.width] for p in self.places)
        after = bytearray(target)
        for k, p in enumerate(self.places):
            if p is None or self.is_im2col:
                continue
            value = int.from_bytes(box[k * self.width:(k + 1) * self.width], "little")
            value += int.from_bytes(after[p:p + self.width], "little") if self.adds else 0
            after[p:p + self.width] = (value % 256 ** self.width).to_bytes(self.width, "little")
        return box, bytes(after)


def values(text, name):
    """A buffer of .u8 that --dump has printed."""
    lines = text.partition(f"buffer {name} (u8)\n")[2].partition("\n\n")[0].splitlines()
    return bytes(int(v) for line in lines for v in line.split(":")[1].split())


def check(seed):
    copy = Copy(seed)
    if copy.bytes() > MOST_BYTES:
        return None
    size = copy.tensor_bytes()
    source, target = copy.rng.randbytes(size), copy.rng.randbytes(size)
    box, after = copy.expected(source, target)
    mask = SWIZZLES[copy.swizzle][1]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "box.ptx")
        for name, text in ("box.ptx", copy.ptx().encode()), ("from", source), ("to", target):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text)
        for mode in "timing", "functional":
            r = subprocess.run([LOCKSTEP, "kernel", path, "--gpu", "h200", "--mode", mode, "--block", "64", "--grid", str(copy.groups), "--cluster", str(copy.groups),
                                "--arg", f"buf:a:u8:{size}:file={folder}/from", "--arg", f"buf:b:u8:{size}:file={folder}/to",
                                "--arg", copy.argument("a"), "--arg", copy.argument("b"), "--arg", f"buf:found:u8:{copy.bytes() * copy.groups}:zero",
                                "--dump", "b", "--dump", "found"], capture_output=True, text=True, check=False)
            if r.returncode:
                wrong.append(f"{mode}: {(r.stderr or r.stdout).strip()}")
                continue
            found, to = values(r.stdout, "found"), values(r.stdout, "b")
            for group in range(copy.groups):
                part = found[group * copy.bytes():(group + 1) * copy.bytes()]
                if any(k ^ (k >> 3 & mask) < len(part) and part[k ^ (k >> 3 & mask)] != v for k, v in enumerate(box)):
                    wrong.append(f"{mode}: another box in work-group {group}")
            if to != after:
                wrong.append(f"{mode}: another tensor afterwards")
    return [f"copy {seed}, {copy.rank}d{' im2col' * copy.is_im2col}, {copy.type}, swizzle {copy.swizzle}: {line}" for line in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--copies", type=int, default=60, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    arguments = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = [r for r in pool.map(check, range(arguments.first, arguments.first + arguments.copies)) if r is not None]
    wrong = [line for result in results for line in result]
    for line in wrong:
        print(line)
    print(f"{len(results)} copies, {len(wrong)} wrong")
    return bool(wrong) or not results


if __name__ == "__main__":
    sys.exit(main())
