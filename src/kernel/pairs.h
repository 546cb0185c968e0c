/* 64-bit registers that are pairs of 32-bit registers, as in machine code.
 *
 * PTX takes such a register apart and puts it together by `mov.b64 {low, high}, pair` and `mov.b64 pair, {low, high}`.
 * A compiler gives the halves the registers of the pair, and the mov vanishes, where it may: where no register is
 * written, but by a mov that vanishes, while another one that would share its register is alive (the copy coalescing of
 * Chaitin et al., 1981).  A *web* is what so shares the two registers.  What each half of it waits for is then known
 * apart, which is all that webs are for: what registers hold, and where, is not changed by them. */
#ifndef LOCKSTEP_KERNEL_PAIRS_H
#define LOCKSTEP_KERNEL_PAIRS_H

#include "kernel/lives.h"

enum half { HALF_NONE, HALF_LOW, HALF_HIGH, HALF_BOTH };

struct web {
	VECTOR(uint32_t) members; /* indexes of registers */
	struct life life;         /* while any of them is alive */
};

struct pairs {
	VECTOR(struct web) webs; /* those without members have become part of others */
	uint8_t *half;           /* per register: enum half, HALF_NONE: in no web; null: there is no web */
	bool *vanishes;          /* per instruction; null likewise */
};

struct pairs *pairs_find(struct arena *arena, const struct flow *flow, const struct life *lives);

#endif
