#!/usr/bin/env python3
"""Random scripts of OpenCL calls, of which `lockstep run --check races` must find just those pairs of accesses that nothing orders.

    LOCKSTEP=... PROGRAMS=... tests/host/orders_opencl.py [--scripts N] [--first SEED] [--keep FILE]

As orders.py, whose reference of commands this has; the program is tests/host/opencl/orders.c.  The rules are those of OpenCL 3.0, 3.2.1 and 5.11 to
5.13: queues in order and out of order, wait lists, barriers, markers, user events, blocking calls."""
import os

from orders import Commands, Drawing, box, main

QUEUES, IN_ORDER, SLOTS = range(4), (0, 1), range(6)
BUFFER, PART, SHARED, HOST = range(4)
FIRST = {BUFFER: 0, PART: 128, SHARED: 1 << 14, HOST: 1 << 15}  # the bit of each memory's first byte
CALLS = {"read": "clEnqueueReadBuffer", "write": "clEnqueueWriteBuffer", "readrect": "clEnqueueReadBufferRect", "writerect": "clEnqueueWriteBufferRect",
         "copy": "clEnqueueCopyBuffer", "copyrect": "clEnqueueCopyBufferRect", "fill": "clEnqueueFillBuffer", "svmcopy": "clEnqueueSVMMemcpy",
         "svmfill": "clEnqueueSVMMemFill"}


class Reference(Commands):
    """What is before a user event is known once it is set: until then it is a name, "u0", in the sets of those that wait for it."""

    def __init__(self, trusts=True):
        super().__init__(trusts)
        self.order, self.all = {q: frozenset() for q in QUEUES}, {q: frozenset() for q in QUEUES}
        self.events, self.user = {}, {}

    def enqueue(self, q, slot, waits, accesses=(), kind="", blocking=False):
        after_all = kind and not waits
        before = self.all[q] if after_all or q in IN_ORDER else self.order[q]
        known = self.command(before.union(*(self.events[w] for w in waits)), accesses)
        self.all[q] |= known
        if q in IN_ORDER or kind == "barrier":
            self.order[q] |= known
        if slot >= 0:
            self.events[slot] = known
        if blocking:
            self.host |= known

    def finish(self, q):
        self.host |= self.all[q]

    def know(self, slot):
        self.host |= self.events[slot]

    def call_back(self, slot):
        if self.trusts:
            self.know(slot)

    def make_user_event(self, slot):
        name = f"u{len(self.user)}"
        self.user[name], self.events[slot] = None, frozenset({name})

    def set_user_event(self, name):
        self.user[name] = self.host

    def whole(self, before):
        """With all that is before the user events in it."""
        while True:
            more = before.union(*(self.user[name] for name in before if name in self.user))
            if more == before:
                return before
            before = more

    def find(self):
        self.commands = [(self.whole(before), accesses) for before, accesses in self.commands]
        return super().find()


class Script(Drawing):
    def __init__(self, seed, first_kernel):
        super().__init__(seed, first_kernel, Reference)
        self.left = self.rng.sample(list(CALLS), len(CALLS))
        self.few = self.rng.sample(QUEUES, self.rng.choice([1, 2, 2, 3]))
        self.pending = None  # the slot and name of a user event that is not set
        for _ in range(self.rng.randrange(8, 22)):
            self.step()
        if self.pending:
            self.set()
        self.say(".")

    def step(self):
        rng, q = self.rng, self.rng.choice(self.few)
        what = rng.choices(["kernel", "move", "marker", "barrier", "finish", "wait", "ask", "call", "user", "z", "flush"], [9, 6, 1.5, 2, 1, 1.5, 1, 0.5, 2, 1, 0.3])[0]
        events = [slot for slot in SLOTS if slot in self.reference.events]
        if self.pending and rng.random() < 0.25:
            self.set()
        elif what == "kernel":
            self.launch(q)
        elif what == "move" and self.left:
            self.move(self.left.pop(), q)
        elif what in ("marker", "barrier"):
            self.command(what, q, (), (), kind=what)
        elif what == "flush":
            self.say("flush", q)
        elif what == "finish" and not self.waits_for_pending(self.reference.all[q]):
            self.say("finish", q)
            self.do(Reference.finish, q)
        elif what in ("wait", "ask", "call") and events:
            slot = rng.choice(events)
            if self.waits_for_pending(self.reference.events[slot]):
                return
            self.say(what, slot)
            self.do(Reference.call_back if what == "call" else Reference.know, slot)
        elif what == "user" and not self.pending:
            self.pending = rng.choice(SLOTS), f"u{len(self.reference.user)}"
            self.say("user", self.pending[0])
            self.do(Reference.make_user_event, self.pending[0])
        elif what == "z" and self.kernels:
            self.say("z")

    def waits_for_pending(self, before):
        """The host would wait for ever."""
        return self.pending and self.pending[1] in before

    def set(self):
        """The slot may have another event by now: so none is put there while one is pending."""
        self.say("set", self.pending[0])
        self.do(Reference.set_user_event, self.pending[1])
        self.pending = None

    def command(self, call, q, words, accesses, kind="", blocking=False):
        rng = self.rng
        events = [slot for slot in SLOTS if slot in self.reference.events]
        waits = rng.sample(events, min(len(events), rng.choice([0, 0, 0, 1, 1, 2])))
        if self.pending and rng.random() < 0.3 and self.pending[0] not in waits:
            waits.append(self.pending[0])
        free = [slot for slot in SLOTS if not self.pending or slot != self.pending[0]]
        slot = rng.choice([-1, *free])
        self.say(call, q, slot, len(waits), *waits, *words)
        self.do(Reference.enqueue, q, slot, waits, accesses, kind=kind, blocking=blocking)

    def launch(self, q):
        sides = [(self.rng.choice([BUFFER, BUFFER, PART, SHARED]), *self.words()) for _ in range(2)]
        accesses = [(f"k{self.kernels}: a {word}", word == "store", box(at, step, 0, 4, count, 1) << FIRST[memory])
                    for word, (memory, at, count, step) in zip(("load", "store"), sides)]
        self.kernels += 1
        self.command("kernel", q, (self.kernels - 1, *sides[0], *sides[1]), accesses)

    def move(self, call, q):
        """Reads and writes, copies and fills."""
        rng, blocking = self.rng, int(not self.pending and self.rng.random() < 0.3)
        width, height, depth = size = self.size(3 if "rect" in call else 1)
        device = SHARED if "svm" in call else rng.choice([BUFFER, PART])
        other = SHARED if "svm" in call else HOST if "read" in call or "write" in call else rng.choice([BUFFER, PART])
        at, row, slice_ = self.place(3, *size)
        other_at, other_row, other_slice = (self.offset(), row, slice_) if "copy" in call else self.place(3, *size)
        ours, theirs = box(at, row, slice_, *size) << FIRST[device], box(other_at, other_row, other_slice, *size) << FIRST[other]
        if "copy" in call and ours & theirs:  # which OpenCL forbids
            other_at += 1024
            theirs = box(other_at, other_row, other_slice, *size) << FIRST[other]
        name = CALLS[call]
        reads, writes = (f"{name}, which reads", False), (f"{name}, which writes", True)
        if "fill" in call:
            words = (at, width) if "svm" in call else (device, at, width)
            return self.command(call, q, words, [(*writes, ours)])
        if "read" in call or "write" in call:
            words = (blocking, device, at, row, slice_, other_at, other_row, other_slice, *size) if "rect" in call else (blocking, device, at, other_at, width)
        elif "svm" in call:
            words = blocking, at, other_at, width
        else:
            blocking = 0
            words = (device, at, row, slice_, other, other_at, other_row, other_slice, *size) if "rect" in call else (device, at, other, other_at, width)
        accesses = [(*reads, theirs), (*writes, ours)] if "write" in call else [(*reads, ours), (*writes, theirs)]
        return self.command(call, q, words, accesses, blocking=bool(blocking))


if __name__ == "__main__":
    main(os.path.join(os.environ["PROGRAMS"], "orders"), Script)
