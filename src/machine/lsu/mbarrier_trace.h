/* What each warp has done at mbarriers, in the order in which it did it: the waits that it has passed, and the
 * arrivals and copies that it has made, in its own work-group and in others of the cluster.  The ledger
 * (mbarrier_ledger.h) has the same by object.  For the analysis of hangs and its experiments. */
#ifndef LOCKSTEP_MACHINE_LSU_MBARRIER_TRACE_H
#define LOCKSTEP_MACHINE_LSU_MBARRIER_TRACE_H

#include "machine/state/core.h"

enum mbarrier_step {
	STEP_PASSED,  /* found the phase complete that it waited for */
	STEP_ARRIVED, /* or expected bytes */
	STEP_COPIED,  /* began a copy, or an asynchronous store, that tells the object */
};

/* Lanes of a warp at one object by one instruction. */
struct mbarrier_event {
	uint8_t step, rank; /* `rank`: of the object's work-group in its cluster, the lowest of `ranks` */
	uint16_t ranks;     /* a bit each: a multicast copy tells an object at this offset in several work-groups */
	uint32_t pc;
	uint64_t offset; /* of the object */
	int64_t phase;   /* PASSED: the one that was over; ARRIVED in the own work-group: the one that it was in */
	uint32_t count; /* ARRIVED: arrivals, a sum over the lanes; 0: only bytes were expected; COPIED: bytes, likewise
			 */
	lane_mask lanes;
};

#define MBARRIER_EVENTS 128 /* of a warp; older ones are forgotten */

struct mbarrier_trace {
	uint64_t launch; /* whose warp it is: ordinal, group */
	uint32_t group;
	uint32_t count; /* all so far: the k-th of them is at k % MBARRIER_EVENTS */
	struct mbarrier_event at[MBARRIER_EVENTS];
};

struct mbarrier_traces *mbarrier_traces_create(const struct core *core, struct arena *arena);

/* Of a core: mbarrier.c keeps it. */
struct mbarrier_traces *mbarrier_traces_of(const struct core *core);

/* A warp has done a step. */
void mbarrier_trace_add(struct core *core, const struct warp_slot *r, struct mbarrier_event what);
/* An experiment has let a warp of the group arrive, for which it did not at `pc`. */
void mbarrier_trace_credit(struct core *core, const struct group *group, uint32_t warp, struct mbarrier_event what);
/* An experiment has let the k-th known event, an arrival, count in another rank. */
void mbarrier_trace_move(struct core *core, const struct group *group, uint32_t warp, uint32_t k, uint32_t rank);
/* Of a warp of a group on the core, also of one that has ended; null: it has done nothing at mbarriers. */
const struct mbarrier_trace *mbarrier_trace_of(const struct core *core, const struct group *group, uint32_t warp);
/* How many events are known; the k-th of these, from the first on. */
static inline uint32_t mbarrier_events(const struct mbarrier_trace *trace)
{
	return trace->count < MBARRIER_EVENTS ? trace->count : MBARRIER_EVENTS;
}
static inline const struct mbarrier_event *mbarrier_event(const struct mbarrier_trace *trace, uint32_t k)
{
	return &trace->at[(trace->count - mbarrier_events(trace) + k) % MBARRIER_EVENTS];
}
/* The place in `from`, offsets of objects in the group, of the one that the lane has last passed; -1: none of them. */
int mbarrier_last_passed(const struct mbarrier_trace *trace, const struct warp_slot *r, uint32_t lane,
	const uint32_t *from, uint32_t count);

#endif
