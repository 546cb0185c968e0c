/* Which bytes of global memory a launch has accessed, by instruction: for those who order launches and copies, and must
 * know what they may have in common.
 *
 * It includes nothing of the machine: an observer (machine/observe/footprint.c) says what happens, on one thread. */
#ifndef LOCKSTEP_RACE_FOOTPRINT_H
#define LOCKSTEP_RACE_FOOTPRINT_H

#include "kernel/kernel.h"
#include "util/vector.h"

struct span {
	uint64_t first, end; /* end: behind the last byte */
};

#define SPANS_RECENT 64
/* Spans of bytes, in any order until they are asked for. */
struct spans {
	VECTOR(struct span) list;
	uint32_t limit;                   /* when they are put in order next */
	struct span recent[SPANS_RECENT]; /* some of those added last, so that who spins adds nothing; by address */
};
void spans_add(struct spans *spans, struct arena *arena, uint64_t first, uint64_t end);
/* By address, and none touches another. */
void spans_order(struct spans *spans);

/* What an instruction has accessed. */
struct footprint_site {
	uint32_t pc;
	bool writes;  /* else it only reads */
	bool strong;  /* in a scope that has other launches */
	bool awaited; /* by threads that may know that the grids are over on which theirs depends */
	struct spans spans;
};

struct footprint {
	struct footprint *next;
	uint64_t ordinal; /* of the launch */
	const struct kernel *kernel;
	struct arena arena;
	VECTOR(struct footprint_site) sites; /* in the order in which they were first seen */
	uint32_t *site; /* by pc, of either kind of `awaited`: its place in sites, plus one; 0: none */
	/* When its first group began and its last one ended, on one clock of all launches; 0: not yet. */
	uint64_t began, ended;
	uint32_t groups; /* that have not ended */
	/* Some thread has executed a fence of more than the work-group, or an acquire or release of it: without, what
	 * it writes and reads by atomics orders nothing else. */
	bool fences;
};

/* Of a GPU. */
struct footprints {
	struct footprint *launches; /* that have begun, and are not taken */
	uint64_t clock;
};

/* A group of the launch begins, which has so many; one ends. */
struct footprint *footprint_group_begins(
	struct footprints *all, uint64_t ordinal, const struct kernel *kernel, uint32_t groups);
void footprint_group_ends(struct footprints *all, uint64_t ordinal);
/* The instruction at `pc` accesses bytes; `awaited` as of a site. */
void footprint_add(
	struct footprints *all, uint64_t ordinal, uint32_t pc, bool writes, bool awaited, const struct span *span);
/* A thread executes a fence of more than the work-group. */
void footprint_fence(struct footprints *all, uint64_t ordinal);
/* What the launch has accessed, in order, and not the GPU's any more; null: nothing of it has begun. */
struct footprint *footprint_take(struct footprints *all, uint64_t ordinal);
void footprint_free(struct footprint *footprint); /* null is allowed */

#endif
