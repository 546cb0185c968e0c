/* Work-group dispatchers: which group starts where. */
#ifndef LOCKSTEP_POLICY_DISPATCH_H
#define LOCKSTEP_POLICY_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a dispatcher may look at.  The machine asks at an exchange point, when no core is running, again and again until
 * the answer is -1 or no group is left; after each group that it places it refreshes room and next. */
struct dispatch_view {
	const uint32_t *room; /* per core: groups of this launch that would fit now */
	uint32_t core_count;
	uint64_t next, total; /* flat index of the next group to start; groups of the launch; next < total */
	uint64_t now;         /* core cycle */
	uint32_t port_cores;  /* so many consecutive cores share a port to the L2 (crossbar.cores) */
};

/* What a progress model may look at: how far the work-groups have come.  A group has started when it has run an
 * instruction. */
struct progress_view {
	uint32_t groups;
	const bool *started;    /* per group, by flat index; stays when it finishes */
	uint32_t lowest;        /* that has not finished */
	uint32_t started_below; /* one more than the highest that has started; 0: none has */
};

/* Places work-groups, or says what progress they can count on.
 *
 * A progress model is about the functional mode alone, which then runs groups one at a time, a memory access each, as
 * an adversary chooses that keeps to the model: see machine/progress/progress.h.  The models are those of Sorensen,
 * Evrard and Donaldson, "GPU Schedulers: How Fair Is Fair Enough?", CONCUR 2018: weak fairness for those groups for
 * which a predicate holds.  A group that can run, and is guaranteed progress from some step on for ever, runs again and
 * again; the others may never run again after any step.
 *
 * One state per launch, zeroed, in the launch arena. */
struct group_dispatcher {
	const char *name, *summary;
	size_t state_size;
	/* The core, one with room, for group view->next; -1: not now.  Null: a progress model; all groups are there
	 * from the start. */
	int (*next)(void *state, const struct dispatch_view *view);
	/* Whether the model guarantees progress to the group, one that has not finished.  Null: no progress model. */
	bool (*guarantees)(const struct progress_view *view, uint32_t group);
};

#endif
