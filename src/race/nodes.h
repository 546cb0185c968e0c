/* What clock.c and pending.c share: what a vector_clock points to. */
#ifndef LOCKSTEP_RACE_NODES_H
#define LOCKSTEP_RACE_NODES_H

#include "race/clock.h"

#include <assert.h>

/* A node of a tree. */
struct clock_node {
	uint32_t references;
	uint32_t shift; /* a branch has 1 << shift threads; 0: it is a leaf, and has epochs of threads alone */
	union {
		vector_clock branch[CLOCK_FAN];
		uint32_t epoch[CLOCK_FAN];
	};
};

#define PENDING UINT32_MAX         /* in place of a shift */
#define CLOCK_NO_THREAD UINT32_MAX /* behind all threads, in the order of parts */

/* Of each thread the latest epoch that any part has, and its own: a join that is done when somebody asks for it.
 * It begins as a node does. */
struct pending_clock {
	uint32_t references;
	uint32_t shift;         /* PENDING */
	uint32_t thread, epoch; /* its own; CLOCK_NO_THREAD: none */
	union {
		struct clock_pool *pool;
		struct pending_clock *next; /* that is free, or to be dropped, too */
	};
	struct known *part;
	uint16_t count, trees; /* parts; of them trees */
	uint8_t size;          /* there is room for 2 << size */
	vector_clock joined;   /* the tree, and there are no parts any more; 0: nobody has asked */
	uint64_t threads;      /* of the parts, a bit for each: see bit_of() */
};

static inline bool is_all(vector_clock clock)
{
	return !(clock & 1);
}

static inline struct clock_node *node_of(vector_clock clock)
{
	assert(!is_all(clock));
	return (struct clock_node *)(clock - 1);
}

static inline vector_clock clock_of(const void *node)
{
	assert(((uintptr_t)node & 1) == 0);
	return (vector_clock)node + 1;
}

static inline struct pending_clock *pending_of(vector_clock clock)
{
	assert(!is_all(clock));
	assert(node_of(clock)->shift == PENDING);
	return (struct pending_clock *)(clock - 1);
}

static inline bool is_pending(vector_clock clock)
{
	return !is_all(clock) && node_of(clock)->shift == PENDING;
}

/* ---- pending.c ---- */

/* The tree that it is; the reference stays the clock's. */
vector_clock pending_settle(struct pending_clock *p);
/* A clock with what both know; and with an event, too.  They take over the reference to `into`. */
vector_clock pending_join(struct clock_pool *pool, const struct known *into, const struct known *other);
vector_clock pending_event(struct clock_pool *pool, const struct known *into, uint32_t thread, uint32_t epoch);
/* A clock with what it knows, and `count` more; these are changed. */
vector_clock pending_join_all(struct clock_pool *pool, const struct known *into, struct known *part, uint32_t count);
/* Nothing refers to it any more. */
void pending_drop(struct clock_pool *pool, struct pending_clock *p);

#endif
