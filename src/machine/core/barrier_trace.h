/* What each warp of a work-group has done at named barriers with a thread count, in the order in which it did it: the
 * waits that it has begun, and the arrivals that it has made.  For the analysis of hangs and its experiments. */
#ifndef LOCKSTEP_MACHINE_CORE_BARRIER_TRACE_H
#define LOCKSTEP_MACHINE_CORE_BARRIER_TRACE_H

#include "machine/state/core.h"

/* A warp has come to a barrier. */
struct barrier_event {
	bool waits; /* bar.sync, bar.red; else it only arrives */
	uint8_t number;
	uint32_t pc, count; /* `count`: of threads, that the instruction gives */
	uint32_t phase;     /* the barrier's, in which it counts */
};

#define BARRIER_EVENTS 64 /* of a warp; older ones are forgotten */

struct barrier_trace {
	uint64_t launch; /* whose warp it is: ordinal, group */
	uint32_t group;
	uint32_t waits[NAMED_BARRIERS], arrivals[NAMED_BARRIERS]; /* at each barrier */
	uint32_t first[NAMED_BARRIERS];                           /* of the arrivals, those before its first wait */
	bool has_waited;
	uint32_t count; /* all so far: the k-th of them is at k % BARRIER_EVENTS */
	struct barrier_event at[BARRIER_EVENTS];
};

void barrier_trace_add(struct core *core, struct group *group, uint32_t warp, struct barrier_event what);
/* An experiment has let it arrive, before the wait at which it is. */
void barrier_trace_credit(struct core *core, struct group *group, uint32_t warp, struct barrier_event what);
/* Of a warp of the group, also of one that has ended; null: it has come to no such barrier. */
const struct barrier_trace *barrier_trace_of(const struct group *group, uint32_t warp);
/* How many events are known; the k-th of these, from the first on. */
static inline uint32_t barrier_events(const struct barrier_trace *trace)
{
	return trace->count < BARRIER_EVENTS ? trace->count : BARRIER_EVENTS;
}
static inline const struct barrier_event *barrier_event(const struct barrier_trace *trace, uint32_t k)
{
	return &trace->at[(trace->count - barrier_events(trace) + k) % BARRIER_EVENTS];
}
/* Its warp has gone on from the wait. */
static inline bool barrier_was_passed(const struct group *group, const struct barrier_event *e)
{
	return e->waits && group->barrier_notes[e->number].phase > e->phase;
}

#endif
