#!/usr/bin/env python3
"""What a launch reports does not depend on which kernel ran before it: no counter, table or finding of one stays for the next.

    tests/relaunch.py BUILD-FOLDER [--pairs N] [NAME-PATTERN...]

Each kernel of tests/kernel whose launch line says no more than what Python can (FORMS) is launched behind another one, drawn, and behind an empty one.  The
buffers of both lie at the same addresses both times, and all copies and modules come first, so that caches hold the same; then both launches must
be the same, counter by counter."""
import array
import fnmatch
import glob
import os
import random
import re
import sys

import run_kernels

sys.path.insert(0, os.path.join(run_kernels.ROOT, "python"))
EMPTY = os.path.join(run_kernels.HERE, "kernel", "control", "empty.ptx")
FORMS = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f32": "f", "f64": "d", "b32": "I", "b64": "Q"}
OWN = ("wall_seconds", "smsp__issue_stalled_no_warp.sum")     # idle cores count to the end of a quantum, and quanta begin at certain cycles
# Model, settings, options: observers, policies with a state of their own, both modes.  bows-adaptive has windows that begin at certain cycles.
CONFIGURATIONS = [
    ("gtx480", {}, {}),
    ("v100", {}, {"mode": "functional"}),
    ("v100", {"policy.scheduler": "cawa"}, {"profile": True}),
    ("gtx480", {"policy.divergence": "independent", "policy.spin": "ddos", "policy.backoff": "bows", "policy.scheduler": "lrr"}, {}),
    ("gtx480", {"policy.coherence": "moesi", "policy.scheduler": "two-level"}, {}),
    ("v100", {}, {"check": "races,init,barriers"}),
    ("gtx980", {"policy.divergence": "stack-locks", "policy.lock": "queue", "policy.retry": "exponential", "policy.scheduler": "gto"}, {}),
]


class Case:
    """A kernel and its first launch line; ValueError where it says what Python cannot, or depends on the time, which goes on."""

    def __init__(self, path):
        self.path, self.name = path, run_kernels.name_of(path)
        self.grid = self.block = (1,)
        self.kernel, self.shared, self.arguments = None, 0, []
        with open(path, encoding="utf-8") as file:
            # malloc goes to DRAM, whose clock is another; the turns of paths that are apart begin at certain cycles
            if re.search("nanosleep|globaltimer|malloc|unwritten|mask_apart", file.read()):
                raise ValueError("time, or what was there before")
        options = run_kernels.launches_of(path)[0].options
        for option, value in zip(options[::2], options[1::2]):
            self.take(option, value)

    def take(self, option, value):
        if option in ("--grid", "--block"):
            setattr(self, option[2:], tuple(int(n) for n in value.split(",")))
        elif option == "--shared":
            self.shared = int(value)
        elif option == "--kernel":
            self.kernel = value
        elif option == "--arg":
            self.arguments.append(self.argument(*value.split(":")))
        elif option != "--dump":
            raise ValueError(option)

    @staticmethod
    def argument(kind, *rest):
        if kind != "buf":
            return float(rest[0]) if kind.startswith("f") else int(rest[0], 0)
        form, count, filled = FORMS[rest[1]], int(rest[2], 0), (rest[3:] or ("zero",))[0]
        most = 2 ** (8 * array.array(form).itemsize - form.islower()) - 1
        if filled == "zero":
            return array.array(form, [0] * count)
        if filled == "iota":
            return array.array(form, [k if form in "fd" else k & most for k in range(count)])
        if filled.startswith("fill="):
            return array.array(form, [float(filled[5:]) if form in "fd" else int(filled[5:], 0)] * count)
        raise ValueError(filled)

    def buffers(self, gpu):
        return [gpu.buffer(a) if isinstance(a, array.array) else a for a in self.arguments]

    def load(self, gpu):
        module = gpu.load(self.path)
        return module.kernel(self.kernel or module.names[0])

    def launch(self, kernel, buffers):
        launch = kernel(*buffers, grid=self.grid, block=self.block, shared=self.shared)
        launch["counters"] = {name: value for name, value in launch["counters"].items() if name not in OWN}
        return {name: value for name, value in launch.items() if name not in OWN}


def cases():
    found = []
    for path in sorted(glob.glob(os.path.join(run_kernels.HERE, "kernel", "*", "*.ptx"))):
        try:
            found.append(Case(path))
        except (ValueError, KeyError, run_kernels.Mistake):
            pass
    return found


def run(lockstep, configuration, first, second, begins_empty):
    """What `second` reports behind `first`, or behind an empty kernel; None where the first does not complete."""
    model, settings, options = configuration
    with lockstep.GPU(model, settings, print=lambda text: None, max_cycles=100000, explain_limit=0, **options) as gpu:
        before, after = first.buffers(gpu), second.buffers(gpu)
        empty = gpu.load(EMPTY).kernel()
        kernel_before, kernel_after = first.load(gpu), second.load(gpu)
        if begins_empty:
            empty(grid=1, block=1)
        elif first.launch(kernel_before, before)["outcome"] != "completed":
            return None
        return second.launch(kernel_after, after)


def difference(a, b, name=""):
    """The first place where two reports differ, in words; None where they are the same."""
    if isinstance(a, dict) and isinstance(b, dict):
        return next(filter(None, (difference(a.get(k), b.get(k), f"{name}.{k}") for k in {**a, **b})), None)
    return None if a == b else f"{name[1:]}: {a} behind an empty kernel, {b}"


def check(lockstep, configuration, first, second):
    """None where the pair says nothing: refused, or one does not complete, since hangs are looked for at certain times; otherwise what differs,
    or an empty text."""
    try:
        behind_other = run(lockstep, configuration, first, second, False)
        if not behind_other or behind_other["outcome"] != "completed":
            return None
        return difference(run(lockstep, configuration, first, second, True), behind_other) or ""
    except lockstep.Error:
        return None


def main():
    build, *rest = sys.argv[1:]
    os.environ.setdefault("LOCKSTEP_LIBRARY", os.path.join(build, "liblockstep.so"))
    import lockstep # pylint: disable=import-outside-toplevel
    pairs = int(rest.pop(1)) if rest[:1] == ["--pairs"] else 40
    rest = rest[1:] if rest[:1] == ["--pairs"] else rest
    draw, known, checked, wrong = random.Random(2026), cases(), 0, 0
    firsts = [case for case in known if not case.name.startswith("device/")]    # their children have numbers, too, from which seeds are made
    for configuration in CONFIGURATIONS:
        for _ in range(pairs):
            first, second = draw.choice(firsts), draw.choice(known)
            if rest and not any(fnmatch.fnmatch(second.name, pattern) for pattern in rest):
                continue
            what = check(lockstep, configuration, first, second)
            checked += what is not None
            if what:
                wrong += 1
                print(f"{' '.join(map(str, configuration))}: {second.name} behind {first.name}: {what}", flush=True)
    print(f"{checked} pairs of launches, {wrong} wrong")
    return bool(wrong) or not checked


if __name__ == "__main__":
    sys.exit(main())
