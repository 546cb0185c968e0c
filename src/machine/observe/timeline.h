/* What a timeline shows, recorded by each core while it runs and handed on between quanta by one thread. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_TIMELINE_H
#define LOCKSTEP_MACHINE_OBSERVE_TIMELINE_H

#include <stdint.h>

struct core;
struct machine;
struct resident;
struct arena;

enum timeline_kind { TIMELINE_ISSUE, TIMELINE_BARRIER, TIMELINE_LOCK_HELD, TIMELINE_LOCK_WAITING };

struct timeline_event {
	enum timeline_kind kind;
	uint32_t core, lane;    /* lane: scheduler of TIMELINE_ISSUE, else warp slot */
	uint32_t warp;          /* slot */
	uint32_t group;         /* flat work-group */
	uint64_t start, end;    /* cycles, [start, end) */
	uint64_t detail;        /* TIMELINE_ISSUE: instructions; locks: address; barrier: 0 */
};

/* Who receives them, in order of core and time of recording. */
struct timeline_sink {
	void *context;
	void (*event)(void *context, const struct timeline_event *event);
};

struct timeline; /* of one core */
struct timeline *timeline_create(struct arena *arena, uint32_t schedulers);
/* One instruction of the warp was issued now. */
void timeline_issue(struct core *core, const struct resident *r);
void timeline_span(struct core *core, const struct resident *r, enum timeline_kind kind, uint64_t start, uint64_t detail);
/* Hands everything recorded so far to the sink; when nothing runs any more also the phases still open. */
void timeline_flush(struct machine *machine, int at_end);

#endif
