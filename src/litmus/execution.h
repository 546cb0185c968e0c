/* A candidate execution of a test: the events of one path through each thread, what each read reads from, and the
 * relations of the memory model between them.  The PTX ISA, chapter 8 (section numbers of edition 9), has the
 * definitions; the sections named here and in the files are its. */
#ifndef LOCKSTEP_LITMUS_EXECUTION_H
#define LOCKSTEP_LITMUS_EXECUTION_H

#include "litmus/relation.h"
#include "litmus/test.h"

enum litmus_event_kind { LITMUS_READ, LITMUS_WRITE, LITMUS_FENCED, LITMUS_MET };

#define LITMUS_NOBODY UINT32_MAX

/* An atomic is a read and, next to it, a write. */
struct litmus_event {
	enum litmus_event_kind kind;
	uint32_t thread; /* LITMUS_NOBODY: the write of an initial value */
	uint32_t instruction;
	uint32_t location; /* of reads and writes */
	enum litmus_scope scope;
	bool strong, acquires, releases, sc;
	bool atomic;  /* a read: its write is the next event; a write: its read the one before */
	uint32_t nth; /* of LITMUS_MET: which barrier of the thread */
};

/* A way through a thread: bits of its instructions. */
struct litmus_path {
	uint32_t done, taken; /* carried out; of those, branches that were taken */
};

/* The ways through the thread; null and an error when there are too many. */
const struct litmus_path *litmus_paths(
	struct arena *arena, const struct litmus_thread *thread, uint32_t *count, struct diagnostic *diagnostic);

struct litmus_execution {
	const struct litmus_test *test;
	struct litmus_path paths[LITMUS_THREADS];
	struct litmus_event events[RELATION_EVENTS];
	uint32_t count;
	uint64_t reads, writes, sc_fences; /* bits of events */

	/* What follows from the paths alone. */
	struct relation program;    /* program order (8.9.1) */
	struct relation same;       /* reads and writes of one location, either way */
	struct relation strong;     /* morally strong (8.7), either way */
	struct relation dependency; /* a read and what is made of its value, or is done because of it */
	struct relation barrier;    /* barriers that meet (8.9.4) */

	/* What is chosen. */
	uint32_t source[RELATION_EVENTS]; /* of a read: the write it reads from */
	struct relation fence_order;      /* Fence-SC order (8.9.3) */

	/* What follows from that. */
	int32_t values[RELATION_EVENTS];
	int32_t registers[LITMUS_THREADS][LITMUS_REGISTERS]; /* in the end */
	struct relation observed;                            /* observation order (8.9.2) */
	struct relation base;                                /* base causality order (8.9.5) */
	struct relation cause;                               /* causality order, of the same location */
};

/* The events of `paths` and what follows from those; false and an error when there are too many. */
bool litmus_make_events(struct litmus_execution *e, struct diagnostic *diagnostic);

/* The values of all events when reads read from their sources.  False when a value would come out of thin air
 * (No-Thin-Air, 8.10), or a path is not the one that the values lead along. */
bool litmus_settle_values(struct litmus_execution *e);
int32_t litmus_operate(enum litmus_operation operation, int32_t a, int32_t b);

/* Observation, base causality and causality order; false when Fence-SC or Causality (8.10) is broken, as far as that
 * does not depend on the coherence order. */
bool litmus_order_causes(struct litmus_execution *e);

/* The last values that the location may have, in `last`, at most one per write, over all coherence orders that the
 * axioms allow; how many: 0 when there is no such order. */
uint32_t litmus_last_values(const struct litmus_execution *e, uint32_t location, int32_t last[RELATION_EVENTS]);

#endif
