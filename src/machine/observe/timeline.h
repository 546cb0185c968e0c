/* The timeline, for --trace: recorded by each core while it runs, handed on between quanta by one thread.  An observer;
 * gpu->observe has its struct timeline_sink. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_TIMELINE_H
#define LOCKSTEP_MACHINE_OBSERVE_TIMELINE_H

#include <stdint.h>

enum timeline_kind { TIMELINE_ISSUE, TIMELINE_BARRIER, TIMELINE_LOCK_HELD, TIMELINE_LOCK_WAITING };

struct timeline_event {
	enum timeline_kind kind;
	uint32_t core, lane; /* lane: scheduler of TIMELINE_ISSUE, else warp slot */
	uint32_t warp;       /* slot */
	uint32_t group;      /* flat work-group */
	uint64_t start, end; /* cycles, [start, end) */
	uint64_t detail;     /* TIMELINE_ISSUE: instructions; locks: address; barrier: 0 */
	uint64_t launch;     /* its ordinal, from 0 */
	uint32_t pc;         /* TIMELINE_ISSUE: of the first instruction; else 0 */
};

/* What receives them, in order of core and time of recording. */
struct timeline_sink {
	void *context;
	void (*event)(void *context, const struct timeline_event *event);
};

#endif
