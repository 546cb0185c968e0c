/* The reconvergence stack: what the stack models share.  Private to this folder.
 *
 * The top of the stack is `now`; below[count - 1] is the entry under it.  An entry is one of
 *     a side     lanes of a branch that have not run yet; no entry above it holds any of its lanes
 *     a reconverge   holds, beside its own, all lanes of the entries above it, which will come to its pc
 *     a caller   a reconverge whose pc is the return address; the entry above it is one call deeper
 * A branch makes `now` a reconverge and pushes its sides.  Where `now` would have nothing to do but to reconverge at
 * once (the branch reconverges where `now` itself stops) it is not kept: so a loop that sheds lanes at every turn does
 * not grow the stack.
 *
 * Bound.  Every reconverge that is kept holds a lane that the entries above it lacked when it was made, a different one
 * for each, and sides are disjoint; so without calls there are at most 2 * lanes entries, and each call in which all
 * lanes take part adds one. */
#ifndef LOCKSTEP_POLICY_DIVERGE_STACK_H
#define LOCKSTEP_POLICY_DIVERGE_STACK_H

#include "policy/diverge/diverge.h"

struct stack {
	struct path now;
	lane_mask blocked; /* the lanes of now.active while they wait at a work-group barrier */
	uint32_t lanes, call_depth;
	uint32_t count, capacity;
	struct lock_lanes {        /* stack_locks.c */
		lane_mask asked;   /* for a lock, and were not answered */
		lane_mask granted; /* have it, and have not run since */
		lane_mask hidden;  /* of a retry entry at the top, those that are not to try again now */
	} locks;
	struct path below[];
};

/* What an entry is, for stack_locks.c; the sides of a branch are none of them. */
enum {
	/* lock retry: its lanes have not released the lock, or not got it, whose instruction is at its pc */
	PATH_RETRY = 1 << 0,
	PATH_LOCK = 1 << 1,  /* lock: lanes that got theirs */
	PATH_MOVED = 1 << 2, /* critical sections have moved its pc, maybe past its stop */
	PATH_FIRST = 1 << 3, /* of a retry entry: no critical section has come to its end yet */
	/* lanes of the entry below, which has all that asked for a lock; their critical sections ended elsewhere */
	PATH_BESIDE = 1 << 4,
};

size_t stack_size(uint32_t lanes, uint32_t call_depth);
/* An empty stack for `capacity` entries under the top. */
void stack_begin(struct stack *s, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t call_depth,
	uint32_t capacity);
size_t stack_used(const void *state);
void stack_start(void *state, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t call_depth);
void stack_reconverge(void *state);
void stack_branch(void *state, lane_mask taken, uint32_t target, uint32_t next, uint32_t reconvergence_pc);
bool stack_call(void *state, lane_mask calling, uint32_t target, uint32_t next, const struct call_frame *frame);
void stack_ret(void *state, lane_mask returning);
void stack_exit(void *state, lane_mask done);
void stack_block(void *state);
void stack_unblock(void *state, lane_mask lanes);
bool stack_sync(void *state, lane_mask members);
void stack_each_path(const void *state, void (*visit)(void *context, uint32_t pc, lane_mask lanes, const char *waiting),
	void *context);
/* with_calls: a deeper entry than the one below it is the call's own. */
void stack_visit_entries(const struct stack *s, bool with_calls,
	void (*visit)(void *context, const struct divergence_entry *entry), void *context);
void stack_each_entry(
	const void *state, void (*visit)(void *context, const struct divergence_entry *entry), void *context);

/* Saves `now` under a copy of itself. */
void stack_push(struct stack *s);
/* Goes on at pc; drops entries that are empty or have come to their stop. */
void stack_continue(struct stack *s, uint32_t pc);

#endif
