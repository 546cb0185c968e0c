/* The present phase of an mbarrier (mbarrier_phases.h), or of a work-group's barrier (barrier_phases.h), for observers
 * that tell how long phases took: the timeline, profiles, --show barrier. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_OPEN_PHASE_H
#define LOCKSTEP_MACHINE_OBSERVE_OPEN_PHASE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct open_phase {
	uint64_t launch; /* its ordinal */
	uint32_t group;  /* flat */
	uint32_t last;   /* pc of what came last */
	int64_t number;
	uint64_t start; /* cycle in which the phase before ended, or in which the object or the group began */
	uint64_t first; /* likewise of the first that came, if `is_begun` */
	uint64_t arrivals;
	bool is_begun;
};

/* Something comes in this cycle, by the instruction at `pc`. */
static inline void open_phase_come(struct open_phase *p, uint64_t now, uint32_t pc)
{
	assert(p->start <= now);
	if (!p->is_begun)
		p->first = now;
	p->is_begun = true;
	p->last = pc;
	assert(p->first >= p->start);
}

/* The phase is over, and the next one begins. */
static inline void open_phase_next(struct open_phase *p, uint64_t now)
{
	assert(p->start <= now && p->first <= now);
	p->number++;
	p->start = now;
	p->first = p->arrivals = 0;
	p->is_begun = false;
}

#endif
