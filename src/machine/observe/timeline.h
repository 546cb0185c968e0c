/* The timeline, for --trace: recorded by each core while it runs, handed on between quanta by one thread.  An observer;
 * gpu->observe has its struct timeline_sink. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_TIMELINE_H
#define LOCKSTEP_MACHINE_OBSERVE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;

enum timeline_kind {
	TIMELINE_ISSUE,
	TIMELINE_BARRIER,
	TIMELINE_MBARRIER_WAIT,
	TIMELINE_LOCK_HELD,
	TIMELINE_LOCK_WAITING,
	TIMELINE_PHASE,        /* of an mbarrier */
	TIMELINE_BARRIER_PHASE /* of a barrier */
};

/* Of these two. */
struct timeline_phase {
	int64_t number;
	uint64_t first; /* cycle of the first arrival or byte, or that one is expected; of an event without: its end */
	uint64_t arrivals, bytes; /* that came; arrivals at a barrier: threads */
	bool by_bytes;            /* it was over when they came */
	bool by_exit;             /* of a barrier: it was over when threads had ended */
	bool is_over;             /* else the work-group, or all that runs, ended before */
};

struct timeline_event {
	enum timeline_kind kind;
	uint32_t core, lane; /* lane: scheduler of TIMELINE_ISSUE, else warp slot; phases: 0 */
	uint32_t warp;       /* slot */
	uint32_t group;      /* flat work-group */
	uint64_t start, end; /* cycles, [start, end) */
	uint64_t detail;     /* TIMELINE_ISSUE: instructions; locks: address; barriers: number; mbarriers: offset */
	uint64_t launch;     /* its ordinal, from 0 */
	uint32_t pc;         /* TIMELINE_ISSUE: of the first instruction; mbarriers: of the last at it; else 0 */
	const struct kernel *kernel; /* that the pc is of; null: the launch's own, which under firmware not all are */
	struct timeline_phase phase;
};

/* What receives them, in order of core and time of recording. */
struct timeline_sink {
	void *context;
	void (*event)(void *context, const struct timeline_event *event);
};

#endif
