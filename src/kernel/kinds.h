/* The table of kinds of instructions: what kinds.def says, as data, without what other layers do with a kind. */
#ifndef LOCKSTEP_KERNEL_KINDS_H
#define LOCKSTEP_KERNEL_KINDS_H

#include "ptx/ops.h"

#include <stdint.h>

/* What the machine does with an instruction. */
enum insn_kind {
#define KIND(id, class, unit, decode, execute, foresee, memory, flags) INSN_##id,
#include "kernel/kinds.def"
#undef KIND
	INSN_KINDS
};

/* As what the counters class_... of machine/state/counters.def count an instruction. */
enum insn_class {
	CLASS_COMPUTED, /* as its latency class and its unit say */
	CLASS_MOVED,    /* a store where the row's effects say that it writes, else a load */
	CLASS_CONTROL,
	CLASS_LOAD,
	CLASS_STORE,
	CLASS_ATOMIC,
	CLASS_FENCE,
	CLASS_BARRIER,
	CLASS_MATRIX,
};

/* Which execution unit an instruction needs. */
enum kind_unit {
	KIND_UNIT_COMPUTED, /* as its latency class says */
	KIND_UNIT_CONTROL,
	KIND_UNIT_MEMORY,
};

/* Flags of a kind. */
enum {
	KIND_PRIVATE = 1 << 0,   /* no thread of another warp can notice it */
	KIND_BY_SPACE = 1 << 1,  /* likewise in the spaces of one thread and of constants */
	KIND_UNWATCHED = 1 << 2, /* hang detection learns nothing from it; of PLAIN, see machine/observe/watch.c */
	KIND_ORDERED = 1 << 3,   /* stays in order with accesses of memory: where a compiler may not move it */
	KIND_WORKS = 1 << 4,     /* a loop with it does more than polling */
	KIND_LOCAL = 1 << 5,     /* may write local memory, unless its space is another */
	KIND_VECTOR = 1 << 6,    /* the extra's vector has its results, not its sources */
	KIND_RESULT = 1 << 7,    /* its result is outstanding until memory has answered; unless INSN_NO_RESULT */
	KIND_LANES = 1 << 8,     /* nothing happens where the guard is true for no lane */
	KIND_ASYNC = 1 << 9,     /* performed as if by another thread, which something tells of the end */
};

struct kind_info {
	uint8_t class;  /* enum insn_class */
	uint8_t unit;   /* enum kind_unit */
	uint16_t flags; /* KIND_... */
};

extern const struct kind_info insn_kinds[INSN_KINDS];

/* Of a row of ops.def. */
extern const uint8_t insn_kind_of_op[OP_COUNT];

#endif
