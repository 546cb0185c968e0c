/* Coherence policies: what an L1 may keep.
 *
 * Stores, atomics and what bypasses the L1 are served by the L2, in the order in which one core sends them to one
 * slice.  So an L1 is the only place where an old value can be read, and these decisions alone say when.  A line in
 * flight (its load has been sent, its data has not come) counts as present: when it is evicted or invalidated, its data
 * is given to the loads that wait for it and not kept. */
#ifndef LOCKSTEP_POLICY_COHERENCE_H
#define LOCKSTEP_POLICY_COHERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With whom an access or a fence synchronises. */
enum l1_scope {
	L1_SCOPE_GROUP, /* .cta: threads behind the same L1 */
	L1_SCOPE_WIDE,  /* .cluster, .gpu, .sys: threads behind other L1s, too */
};

/* A load, store or atomic of global memory.  The core makes it from the instruction once, when it is decoded. */
struct l1_access {
	bool read_only; /* .nc: nobody writes the data while the kernel runs, so the program promises */
	bool skip;      /* .cg .cv: the program asks for what the L2 holds */
	bool strong;    /* .volatile, .relaxed or stronger, .mmio; every atomic */
	bool atomic;
	enum l1_scope scope; /* of a strong access; volatile and mmio: wide */
};

/* What orders earlier or later accesses. */
struct l1_fence {
	bool membar; /* the old form, membar.level and fences without the words of the PTX 6 memory model */
	enum l1_scope scope;
};

enum l1_load {
	L1_LOAD_CACHED,       /* from the line where it is present, else fetch the line and keep it */
	L1_LOAD_BYPASS,       /* from the L2; a present line stays as it is */
	L1_LOAD_BYPASS_EVICT, /* from the L2; a present line goes */
};
/* A store is always written through and never allocates. */
enum l1_store {
	L1_STORE_LEAVE,  /* a present line keeps its old bytes */
	L1_STORE_UPDATE, /* a present line takes the new bytes; one in flight, and any under an atomic, goes */
	L1_STORE_EVICT,  /* a present line goes */
};
enum l1_sync {
	L1_LEAVE,
	L1_INVALIDATE, /* every line, those of read_only loads excepted */
};

struct coherence_policy { /* one state per L1, zeroed, in the launch arena */
	const char *name, *summary;
	size_t state_size;
	/* A directory keeps the L1s coherent (memory/directory.h): stores and atomics take effect in the L1, no line is
	 * ever old, and `load` and `store` are not asked. */
	bool directory;
	/* Both are asked when the access is issued; store for atomics, too. */
	enum l1_load (*load)(void *state, const struct l1_access *access, bool present);
	enum l1_store (*store)(void *state, const struct l1_access *access, bool present);
	/* A fence has found all earlier accesses of the warp done, or the value of an acquiring load or atomic has
	 * come: before the warp goes on. */
	enum l1_sync (*acquire)(void *state, const struct l1_fence *fence);
};

#endif
