"""Pairs for `lockstep lint`: two kernels that differ in what one rule looks at, the first of which can block a warp and the second cannot.

What decides is worked out by hand from docs/lint.md: a lane that takes the lock out of its loop, or that waits for what a lane
of its own warp writes elsewhere, is `simt`.  tests/lint.py runs them, all as one module."""

HEAD = ".version 7.8\n.target sm_90\n.address_size 64\n"
ENTRY = """.visible .entry {name}(.param .u64 lock_at, .param .u64 more_at, .param .u32 number)
{{
	.reg .pred %got, %lost, %q, %ok, %one, %zero, %what;
	.reg .b32 %old, %thread, %n, %r, %e, %w;
	.reg .b64 %lock, %more, %wide, %mine, %same, %before, %left;
	.shared .b32 word;
	ld.param.u64 %lock, [lock_at];
	ld.param.u64 %more, [more_at];
	ld.param.u32 %e, [number];
	mov.u32 %thread, %tid.x;
	setp.eq.u32 %one, 0, 0;
	setp.eq.u32 %zero, 0, 1;
	ld.volatile.global.u32 %n, [%more];
	setp.eq.u32 %what, %n, 7;
{body}
	ret;
}}
"""

# The lane that has got the lock gives it back within the turn unless it goes to `skip`; `%got` ends the loop.
TURN = """again:
	atom.global.cas.b32 %old, [%lock], 0, 1;
	setp.eq.u32 %got, %old, 0;
	{}
	st.volatile.global.u32 [%lock], 0;
skip:
	@!%got bra again;"""
# The same where what a free lock holds is in a register.
ATTEMPT = """again:
	atom.global.cas.b32 %old, [%lock], %e, 1;
	setp.eq.u32 %got, %e, %old;
	{}
	@!%q bra skip;
	st.volatile.global.u32 [%lock], 0;
skip:
	@!%got bra again;"""
# Some threads write a word and the others wait for it.
SIDES = """	{}
	@%q bra writer;
wait:
	ld.volatile.shared.u32 %r, [word];
	setp.eq.u32 %lost, %r, 0;
	@%lost bra wait;
	bra end;
writer:
	st.volatile.shared.u32 [word], 1;
end:"""
# One that takes a lock and keeps it behind the loop; only some come there.
SOME = """	{}
	@!%q bra end;
again:
	atom.global.cas.b32 %old, [%lock], 0, 1;
	setp.ne.u32 %lost, %old, 0;
	@%lost bra again;
	st.volatile.global.u32 [%lock], 0;
end:"""
# A scan: each thread waits for its left neighbour's word, and writes its own behind that.
SCAN = """	mul.wide.u32 %wide, %thread, 4;
	add.s64 %mine, %lock, %wide;
	add.s64 %same, %more, %wide;
	add.s32 %w, %thread, -1;
	mul.wide.s32 %before, %w, 4;
	add.s64 %left, %lock, %before;
	{}
wait:
	ld.volatile.global.u32 %r, [%left];
	setp.eq.u32 %lost, %r, 0;
	@%lost bra wait;
	st.volatile.global.u32 [%mine], 2;"""
# A wait on one place, and a write behind it.
LATE = """wait:
	ld.volatile.global.u32 %r, [%lock+8];
	setp.eq.u32 %lost, %r, 0;
	@%lost bra wait;
	{}"""

# A wait on the address %mine, and a write behind it to %same: whether these are one is told by how they are computed.
SAME = """	{}
wait:
	ld.volatile.global.u32 %r, [%mine];
	setp.eq.u32 %lost, %r, 0;
	@%lost bra wait;
	st.volatile.global.u32 [%same], 1;"""
# The thread's number behind so many additions.
def count(additions):
    steps = "".join(f"add.u32 %c{k + 1}, %c{k}, 1; " for k in range(additions))
    return f"{{ .reg .b32 %c<20>; mov.u32 %c0, %tid.x; {steps}setp.eq.u32 %q, %c{additions}, 40; }}"


# Whether it is one thread, behind so many `not`.
def turn(nots):
    steps = "".join(f"not.pred %p{k + 1}, %p{k}; " for k in range(nots))
    return f"{{ .reg .pred %p<20>; setp.eq.u32 %p0, %thread, 3; {steps}@{'' if nots % 2 else '!'}%p{nots} bra end; }}"


# Lanes wait for lock bits, and free them behind the loop.
BITS = """	mul.wide.u32 %wide, %thread, 4;
	mov.u64 %left, word;
	add.s64 %mine, %left, %wide;
	{}
again:
	ldslk.shared.v2.b32 {{{{%r, %w}}}}, [{}];
	setp.ne.u32 %got, %w, 0;
	{}
	@%lost bra again;
	stsul.shared.b32 [%left], %r;
end:"""
BITS_OF_WORD = BITS.format("", "%left", "{}")
BITS_OF_LANES = BITS.format("{}", "%mine", "not.pred %lost, %got;")
BITS_OF_SOME = BITS.format("setp.eq.u32 %q, %thread, 0; @{} bra end;", "%left", "not.pred %lost, %got;")

# (rule, form, what can block, what cannot)
PAIRS = [
    ("the branch to the release", TURN, "@%got bra skip;", "@!%got bra skip;"),
    ("not", TURN, "not.pred %lost, %got; @!%lost bra skip;", "not.pred %lost, %got; @%lost bra skip;"),
    ("and of what is known", TURN, "and.pred %q, %got, %what; @!%q bra skip;", "and.pred %q, %got, %one; @!%q bra skip;"),
    ("and with false", TURN, "and.pred %q, %what, %one; @%q bra skip;", "and.pred %q, %what, %zero; @%q bra skip;"),
    ("and with false, the other way", TURN, "and.pred %q, %one, %what; @%q bra skip;", "and.pred %q, %zero, %what; @%q bra skip;"),
    ("or with true", TURN, "or.pred %q, %zero, %what; @!%q bra skip;", "or.pred %q, %got, %what; @!%q bra skip;"),
    ("or with true, the other way", TURN, "or.pred %q, %what, %zero; @!%q bra skip;", "or.pred %q, %what, %got; @!%q bra skip;"),
    ("or of numbers is not of truths", TURN, "or.b32 %r, %n, 4; setp.eq.u32 %q, %r, 1; @!%q bra skip;", "or.b32 %r, 3, 4; setp.eq.u32 %q, %r, 7; @!%q bra skip;"),
    ("xor", TURN, "xor.pred %q, %got, %zero; @%q bra skip;", "xor.pred %q, %got, %one; @%q bra skip;"),
    ("selp", TURN, "selp.u32 %r, 0, 1, %got; setp.ne.u32 %q, %r, 0; @!%q bra skip;", "selp.u32 %r, 1, 0, %got; setp.ne.u32 %q, %r, 0; @!%q bra skip;"),
    ("selp of what is not known", TURN, "selp.u32 %r, %n, 0, %got; setp.ne.u32 %q, %r, 0; @!%q bra skip;", "selp.u32 %r, 3, %n, %got; setp.ne.u32 %q, %r, 0; @!%q bra skip;"),
    ("mov and cvt", TURN, "cvt.u64.u32 %wide, %n; setp.eq.u64 %q, %wide, 0; @!%q bra skip;", "cvt.u64.u32 %wide, %old; setp.eq.u64 %q, %wide, 0; @!%q bra skip;"),
    ("a guarded write", TURN, "mov.u32 %r, 0; @!%got mov.u32 %r, 1; setp.eq.u32 %q, %r, 1; @!%q bra skip;",
     "mov.u32 %r, 0; @%got mov.u32 %r, 1; setp.eq.u32 %q, %r, 1; @!%q bra skip;"),
    ("a guard that is not known", TURN, "mov.u32 %r, 1; @%what mov.u32 %r, 0; setp.eq.u32 %q, %r, 1; @!%q bra skip;",
     "mov.u32 %r, 0; @%what mov.u32 %n, 0; setp.eq.u32 %q, %r, 0; @!%q bra skip;"),
    ("both sides of a comparison", TURN, "setp.eq.u32 %q, %old, %n; @!%q bra skip;", "mov.u32 %r, 0; setp.eq.u32 %q, %old, %r; @!%q bra skip;"),
    ("not equal", TURN, "setp.ne.u32 %q, %old, 1; @%q bra skip;", "setp.ne.u32 %q, %old, 0; @%q bra skip;"),
    ("less is not followed", TURN, "setp.lt.u32 %q, %old, 1; @!%q bra skip;", "setp.eq.u32 %q, %old, 0; @!%q bra skip;"),
    ("what is expected may be a register", ATTEMPT, "setp.eq.u32 %q, %old, %n;",
     "setp.eq.u32 %q, %old, %e;"),
    ("the other way", ATTEMPT, "setp.eq.u32 %q, %n, %old;",
     "setp.eq.u32 %q, %e, %old;"),
    ("what its result's register held before is gone", ATTEMPT.replace("again:\n", "again:\n\tmov.u32 %old, 1;\n"), "setp.eq.u32 %q, %old, 1;", "setp.eq.u32 %q, %old, %e;"),
    ("of a swap", TURN.replace("cas.b32 %old, [%lock], 0, 1", "exch.b32 %old, [%lock], 1"), "@%got bra skip;", "@!%got bra skip;"),
    ("numbers are compared in their bits", TURN.replace("%old, [%lock], 0, 1", "%old, [%lock], -1, 1").replace("%old, 0", "%old, -1"),
     "setp.eq.u32 %q, %old, 0xffffffff; @%q bra skip;", "setp.eq.u32 %q, %old, 0xffffffff; @!%q bra skip;"),
    ("numbers are compared in all their bits", TURN.replace("%old, [%lock], 0, 1", "%old, [%lock], 0x10000, 1").replace("%old, 0", "%old, 0x10000"),
     "setp.eq.u32 %q, %old, 0x10000; @%q bra skip;", "setp.eq.u32 %q, %old, 0; @%q bra skip;"),
    ("another word is no release", TURN.replace("st.volatile.global.u32 [%lock], 0", "st.volatile.global.u32 [%lock{0}], 0").replace("\t{}\n", "\t@!%got bra skip;\n")
     .replace("{0}", "{}"), "+4", "+0"),
    ("one thread", SOME, "setp.ne.u32 %q, %thread, 3;", "setp.eq.u32 %q, %thread, 3;"),
    ("one thread, the other way", SOME, "setp.ne.u32 %q, 3, %thread;", "setp.eq.u32 %q, 3, %thread;"),
    ("one thread by and", SOME, "setp.eq.u32 %ok, %thread, 0; or.pred %q, %ok, %what;", "setp.eq.u32 %ok, %thread, 0; and.pred %q, %ok, %what;"),
    ("one thread by and, the other way", SOME, "setp.eq.u32 %ok, %thread, 0; or.pred %q, %what, %ok;", "setp.eq.u32 %ok, %thread, 0; and.pred %q, %what, %ok;"),
    ("one thread by not", SOME, "setp.eq.u32 %ok, %thread, 0; not.pred %q, %ok;", "setp.ne.u32 %ok, %thread, 0; not.pred %q, %ok;"),
    ("one thread by or", SOME, "setp.ne.u32 %ok, %thread, 0; and.pred %got, %ok, %what; not.pred %q, %got;",
     "setp.ne.u32 %ok, %thread, 0; or.pred %got, %ok, %what; not.pred %q, %got;"),
    ("compared with what differs", SOME, "ld.volatile.global.u32 %r, [%more]; setp.eq.u32 %q, %r, 0;", "ld.volatile.global.u32 %r, [%more]; setp.eq.u32 %q, %thread, %r;"),
    ("compared with what differs by lane", SOME, "mov.u32 %r, %laneid; setp.eq.u32 %q, %thread, %r;", "mov.u32 %r, %ctaid.x; setp.eq.u32 %q, %thread, %r;"),
    ("elect", SOME, "elect.sync %r|%ok, 0xffffffff; not.pred %q, %ok;", "elect.sync %r|%q, 0xffffffff;"),
    ("warps apart, less", SIDES, "setp.lt.u32 %q, %thread, 16;", "setp.lt.u32 %q, %thread, 32;"),
    ("warps apart, not less", SIDES, "setp.ge.u32 %q, %thread, 33;", "setp.ge.u32 %q, %thread, 64;"),
    ("warps apart, unsigned less", SIDES, "setp.lo.u32 %q, %thread, 31;", "setp.lo.u32 %q, %thread, 32;"),
    ("warps apart, not unsigned less", SIDES, "setp.hs.u32 %q, %thread, 1;", "setp.hs.u32 %q, %thread, 96;"),
    ("greater splits a warp", SIDES, "setp.gt.u32 %q, %thread, 32;", "setp.ge.u32 %q, %thread, 32;"),
    ("of another number", SIDES, "add.u32 %w, %thread, 1; setp.lt.u32 %q, %w, 32;", "add.u32 %w, %thread, 0; setp.lt.u32 %q, %w, 32;"),
    ("the warp's number", SIDES, "shr.u32 %w, %thread, 4; setp.eq.u32 %q, %w, 0;", "shr.u32 %w, %thread, 5; setp.eq.u32 %q, %w, 0;"),
    ("the number of two warps", SIDES, "shr.u32 %w, %thread, 3; setp.eq.u32 %q, %w, 0;", "shr.u32 %w, %thread, 6; setp.eq.u32 %q, %w, 0;"),
    ("the warp's number by division", SIDES, "div.u32 %w, %thread, 16; setp.eq.u32 %q, %w, 0;", "div.u32 %w, %thread, 32; setp.eq.u32 %q, %w, 0;"),
    ("the warp's first thread", SIDES, "and.b32 %w, %thread, 0x7f0; setp.eq.u32 %q, %w, 0;", "and.b32 %w, %thread, 0x7e0; setp.eq.u32 %q, %w, 0;"),
    ("of the lane", SIDES, "mov.u32 %w, %laneid; setp.eq.u32 %q, %w, 0;", "mov.u32 %w, %warpid; setp.eq.u32 %q, %w, 0;"),
    ("of the group", SIDES, "setp.eq.u32 %q, %thread, 0;", "mov.u32 %w, %ctaid.x; setp.eq.u32 %q, %w, 0;"),
    ("another lane's value", SIDES, "shfl.sync.up.b32 %w, %thread, 1, 0, -1; setp.eq.u32 %q, %w, 0;", "shfl.sync.idx.b32 %w, %thread, 0, 31, -1; setp.eq.u32 %q, %w, 0;"),
    ("what an atomic gives", SIDES, "atom.global.add.u32 %w, [%more], 1; setp.eq.u32 %q, %w, 0;", "ld.global.u32 %w, [%more]; setp.eq.u32 %q, %w, 0;"),
    ("what a barrier gives is for all", SIDES, "setp.eq.u32 %ok, %thread, 0; and.pred %q, %ok, %ok;", "setp.eq.u32 %ok, %thread, 0; bar.red.popc.u32 %w, 0, %ok; setp.eq.u32 %q, %w, 1;"),
    ("written on one side of a branch", SIDES, "mov.u32 %w, 0; setp.eq.u32 %ok, %thread, 0; @%ok bra over; mov.u32 %w, 1; over: setp.eq.u32 %q, %w, 0;",
     "mov.u32 %w, 0; setp.eq.u32 %ok, %n, 0; @%ok bra over; mov.u32 %w, 1; over: setp.eq.u32 %q, %w, 0;"),
    ("its own place written before the loop", SCAN, "", "st.volatile.global.u32 [%mine], 1;"),
    ("an array written elsewhere before the loop", SCAN, "st.volatile.global.u32 [%same], 1;", "st.volatile.global.u32 [%mine+0], 1;"),
    ("the next place written before the loop", SCAN, "st.volatile.global.u32 [%mine+4], 1;", "st.volatile.global.u32 [%mine], 1;"),
    ("another place is written behind the loop", LATE, "st.volatile.global.u32 [%lock+8], 1;", "st.volatile.global.u32 [%lock+4], 1;"),
    ("another buffer is written behind the loop", LATE, "st.volatile.global.u32 [%lock+8], 1;", "st.volatile.global.u32 [%more+8], 1;"),
    ("an array is written behind the loop", LATE, "mul.wide.u32 %wide, %thread, 4; add.s64 %mine, %lock, %wide; st.volatile.global.u32 [%mine], 1;",
     "mul.wide.u32 %wide, %e, 4; add.s64 %mine, %lock, %wide; st.volatile.global.u32 [%mine], 1;"),
    ("what only looks is no write", LATE, "atom.global.add.u32 %r, [%lock+8], 1;", "atom.global.add.u32 %r, [%lock+8], 0;"),
    ("arrived before", LATE.replace("wait:", "\t{}\nwait:").replace("bra wait;\n\t{}", "bra wait;\n\tst.volatile.global.u32 [%lock+8], 2;"),
     "st.volatile.global.u32 [%lock+12], 1;", "st.volatile.global.u32 [%lock+8], 1;"),
    ("a sum in either order", SAME, "add.s64 %mine, %lock, %more; add.s64 %same, %more, %lock;", "add.s64 %mine, %lock, %more; add.s64 %same, %more, %more;"),
    ("constants add up", SAME, "add.s64 %mine, %lock, 12; add.s64 %left, %lock, 4; add.s64 %same, 8, %left;",
     "add.s64 %mine, %lock, 12; add.s64 %left, %lock, 4; add.s64 %same, 4, %left;"),
    ("what a guard leaves out is not known", SAME, "add.s64 %mine, %lock, 8; add.s64 %same, %lock, 8;", "add.s64 %mine, %lock, 8; @%what add.s64 %same, %lock, 8;"),
    ("other operands", SAME, "mul.wide.u32 %mine, %e, 4; mul.wide.u32 %same, %e, 4;", "mul.wide.u32 %mine, %e, 4; mul.wide.u32 %same, %e, 8;"),
    ("another type", SAME, "mul.wide.u32 %mine, %e, 4; mul.wide.u32 %same, %e, 4;", "mul.wide.u32 %mine, %e, 4; mul.wide.s32 %same, %e, 4;"),
    ("another operation", SAME, "min.u64 %mine, %more, 16; min.u64 %same, %more, 16;", "min.u64 %mine, %more, 16; max.u64 %same, %more, 16;"),
    ("the last operand counts", SAME, "mad.wide.u32 %mine, %e, 4, %lock; mad.wide.u32 %same, %e, 4, %lock;", "mad.wide.u32 %mine, %e, 4, %lock; mad.wide.u32 %same, %e, 4, %more;"),
    ("parts of a vector", SAME, "mov.b64 %mine, {%e, %n}; mov.b64 %same, {%e, %n};", "mov.b64 %mine, {%e, %n}; mov.b64 %same, {%n, %e};"),
    ("no atomic gives the same", SAME, "atom.global.add.u32 %w, [%more], 1; mul.wide.u32 %mine, %w, 4; mul.wide.u32 %same, %w, 4;",
     "atom.global.add.u32 %w, [%more], 1; atom.global.add.u32 %old, [%more], 1; mul.wide.u32 %mine, %w, 4; mul.wide.u32 %same, %old, 4;"),
    ("no vote gives the same", SAME, "vote.sync.ballot.b32 %w, %what, -1; mul.wide.u32 %mine, %w, 4; mul.wide.u32 %same, %w, 4;",
     "vote.sync.ballot.b32 %w, %what, -1; vote.sync.ballot.b32 %old, %what, -1; mul.wide.u32 %mine, %w, 4; mul.wide.u32 %same, %old, 4;"),
    ("another dimension", SAME, "mov.u32 %w, %ctaid.x; mov.u32 %old, %ctaid.x; mul.wide.u32 %mine, %w, 4; mul.wide.u32 %same, %old, 4;",
     "mov.u32 %w, %ctaid.x; mov.u32 %old, %ctaid.y; mul.wide.u32 %mine, %w, 4; mul.wide.u32 %same, %old, 4;"),
    ("another special register", SAME, "mov.u32 %w, %ctaid.x; mov.u32 %old, %ctaid.x; mul.wide.u32 %mine, %w, 4; mul.wide.u32 %same, %old, 4;",
     "mov.u32 %w, %ctaid.x; mov.u32 %old, %nctaid.x; mul.wide.u32 %mine, %w, 4; mul.wide.u32 %same, %old, 4;"),
    ("a predicate and its opposite", SAME, "setp.eq.and.u32 %q, %e, 0, %what; setp.eq.and.u32 %ok, %e, 0, %what; selp.b64 %mine, %lock, %more, %q; selp.b64 %same, %lock, %more, %ok;",
     "setp.eq.and.u32 %q, %e, 0, %what; setp.eq.and.u32 %ok, %e, 0, !%what; selp.b64 %mine, %lock, %more, %q; selp.b64 %same, %lock, %more, %ok;"),
    ("the same address in generic form", SAME, "cvta.global.u64 %mine, %lock; mov.u64 %same, %lock;", "cvta.global.u64 %mine, %lock; mov.u64 %same, %more;"),
    ("written on both sides of a branch", SAME, "mov.u64 %mine, %lock; mov.u64 %same, %lock;", "mov.u64 %mine, %lock; mov.u64 %same, %lock; @%what mov.u64 %same, %more;"),
    ("another dimension splits a warp", SIDES, "mov.u32 %w, %tid.y; setp.lt.u32 %q, %w, 32;", "mov.u32 %w, %tid.x; setp.lt.u32 %q, %w, 32;"),
    ("written on one side, not first", SIDES, "mov.u32 %w, 0; setp.eq.u32 %ok, %thread, 0; @%ok bra over; mov.u32 %old, 1; mov.u32 %w, 1; over: setp.eq.u32 %q, %w, 0;",
     "mov.u32 %w, 0; setp.eq.u32 %ok, %n, 0; @%ok bra over; mov.u32 %old, 1; mov.u32 %w, 1; over: setp.eq.u32 %q, %w, 0;"),
    ("written once", SIDES, "mov.u32 %w, 0; setp.eq.u32 %ok, %thread, 0; @%ok mov.u32 %w, 1; setp.eq.u32 %q, %w, 0;",
     "mov.u32 %w, 0; setp.eq.u32 %ok, %n, 0; @%ok mov.u32 %w, 1; setp.eq.u32 %q, %w, 0;"),
    ("written in the block behind the branch", SIDES, "mov.u32 %w, 0; setp.eq.u32 %ok, %thread, 0; @!%ok bra over; mov.u32 %w, 1; over: setp.eq.u32 %q, %w, 0;",
     "mov.u32 %w, 0; setp.eq.u32 %ok, %thread, 0; @!%ok bra over; mov.u32 %old, 1; over: mov.u32 %w, 1; setp.eq.u32 %q, %w, 0;"),
    ("a value that each lane loads", SOME, "mul.wide.u32 %wide, %thread, 4; add.s64 %mine, %more, %wide; ld.volatile.global.u32 %r, [%mine]; setp.eq.u32 %q, %r, 0;",
     "mad.lo.u32 %r, %thread, 4, %e; setp.eq.u32 %q, %r, 0;"),
    ("a sum with what each lane loads", SOME,
     "mul.wide.u32 %wide, %thread, 4; add.s64 %mine, %more, %wide; ld.volatile.global.u32 %r, [%mine]; add.u32 %w, %thread, %r; setp.eq.u32 %q, %w, 0;",
     "mul.wide.u32 %wide, %thread, 4; add.s64 %mine, %more, %wide; ld.volatile.global.u32 %r, [%mine]; add.u32 %w, %thread, %n; setp.eq.u32 %q, %w, 0;"),
    ("a value of an atomic", SOME, "atom.global.add.u32 %r, [%more], 1; setp.eq.u32 %q, %r, 0;", "xor.b32 %r, %thread, 1; setp.eq.u32 %q, %r, 0;"),
    ("a value of another lane", SOME, "shfl.sync.up.b32 %r, %thread, 1, 0, -1; setp.eq.u32 %q, %r, 0;", "not.b32 %r, %thread; setp.eq.u32 %q, %r, 0;"),
    ("a number that a guard leaves out", SOME, "@%what add.u32 %r, %thread, 1; setp.eq.u32 %q, %r, 5;", "add.u32 %r, %thread, 1; setp.eq.u32 %q, %r, 5;"),
    ("seven additions are followed", SOME, count(8), count(7)),
    ("a guarded comparison", SOME, "@%what setp.eq.u32 %q, %thread, 3;", "setp.eq.u32 %q, %thread, 3;"),
    ("a comparison with another predicate", SOME, "setp.eq.or.u32 %q, %thread, 3, %what;", "setp.eq.u32 %q, %thread, 3;"),
    ("another way in", SOME, "@%what bra again; setp.eq.u32 %q, %thread, 3;", "@%what bra end; setp.eq.u32 %q, %thread, 3;"),
    ("lanes that return", SOME, "setp.ne.u32 %q, %thread, 3; @!%q ret; setp.eq.u32 %q, %n, %n;", "setp.eq.u32 %got, %thread, 3; @!%got ret; setp.eq.u32 %q, %n, %n;"),
    ("three `not` are followed", SOME.replace("@!%q bra end;", ""), turn(4), turn(3)),
    ("another word of shared memory", LATE.replace("volatile.global.u32 %r, [%lock+8]", "volatile.shared.u32 %r, [word]"), "st.volatile.shared.u32 [word], 1;", "st.volatile.shared.u32 [word+4], 1;"),
    ("an arrival is a write", LATE.replace("volatile.global.u32 %r, [%lock+8]", "volatile.shared.u32 %r, [word]"), "mbarrier.arrive.shared.b64 %wide, [word];",
     "mbarrier.test_wait.shared.b64 %q, [word], %more;"),
    ("one bit for a warp", BITS_OF_WORD, "not.pred %lost, %got;", "vote.sync.any.pred %q, %got, 0xffffffff; not.pred %lost, %q;"),
    ("freed in the loop", BITS_OF_WORD, "stsul.shared.b32 [%left+4], %r; not.pred %lost, %got;", "stsul.shared.b32 [%left], %r; not.pred %lost, %got;"),
    ("a bit of one lane", BITS_OF_SOME, "%q", "!%q"),
    ("words 1,024 apart", BITS_OF_LANES, "ldslk.shared.b32 %r, [%mine+4096];", "ldslk.shared.b32 %r, [%mine+4092];"),
    ("words 1,024 apart, both behind a place", BITS.format("{}", "%mine+4", "not.pred %lost, %got;"), "ldslk.shared.b32 %r, [%mine+4100];", "ldslk.shared.b32 %r, [%mine+4092];"),
    ("words 2,048 apart", BITS_OF_LANES, "ldslk.shared.b32 %r, [%mine+-8192];", "ldslk.shared.b32 %r, [%mine];"),
]

# A function that one lane of each warp calls, and that keeps its lock behind its loop: others might call it, too, where its address is taken or
# more lanes of another caller come to it.
FUNCTION = """.func {name}_f(.param .b64 a)
{{
	.reg .pred %p;
	.reg .b32 %r;
	.reg .b64 %a;
	ld.param.b64 %a, [a];
again:
	atom.global.cas.b32 %r, [%a], 0, 1;
	setp.ne.u32 %p, %r, 0;
	@%p bra again;
	st.volatile.global.u32 [%a], 0;
	ret;
}}
"""
CALL = "	{{ .param .b64 x; st.param.b64 [x], %lock; call {name}_f, (x); }}\n"
BY_ONE = "	setp.ne.u32 %q, %thread, 0;\n	@%q bra end;\n" + CALL + "end:"
FUNCTIONS = [
    ("its address is taken", BY_ONE + "\n	mov.u64 %wide, {name}_f;\n	st.global.u64 [%more], %wide;", BY_ONE),
    ("all lanes call it", CALL, BY_ONE),
    ("all lanes call it, too", BY_ONE + "\n" + CALL, BY_ONE + "\n	@%q bra more;\n" + CALL + "more:"),
]


def module():
    """The text of all, and (rule, first line, last line, whether it can block) of each kernel."""
    text, kernels = HEAD, []

    def add(rule, part, blocks):
        nonlocal text
        first = text.count("\n") + 1
        text += part
        kernels.append((rule, first, text.count("\n"), blocks))

    for k, (rule, form, yes, no) in enumerate(PAIRS):
        for blocks, line in ((True, yes), (False, no)):
            add(rule, ENTRY.format(name=f"kernel_{k}_{'yes' if blocks else 'no'}", body=form.format(line)), blocks)
    for k, (rule, yes, no) in enumerate(FUNCTIONS):
        for blocks, body in ((True, yes), (False, no)):
            name = f"called_{k}_{'yes' if blocks else 'no'}"
            add(rule, (FUNCTION + ENTRY.replace("{body}", body)).format(name=name), blocks)
    return text, kernels
