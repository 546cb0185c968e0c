/* A candidate execution of a test: the events of one path through each thread, what each read reads from, and the
 * relations of the memory model between them.  The PTX ISA, chapter 8 (section numbers of edition 9), has the
 * definitions; the sections named here and in the files are its. */
#ifndef LOCKSTEP_LITMUS_EXECUTION_H
#define LOCKSTEP_LITMUS_EXECUTION_H

#include "litmus/relation.h"
#include "litmus/test.h"

enum litmus_event_kind { LITMUS_READ, LITMUS_WRITE, LITMUS_FENCED, LITMUS_PROXY_FENCED, LITMUS_MET };

#define LITMUS_NOBODY UINT32_MAX

/* An atomic is a read and, next to it, a write. */
struct litmus_event {
	enum litmus_event_kind kind;
	uint32_t thread;            /* LITMUS_NOBODY: the write of an initial value */
	uint32_t instruction;       /* of the thread */
	uint32_t location, address; /* of reads and writes */
	enum litmus_proxy proxy;    /* of these, and of a proxy fence */
	enum litmus_scope scope;
	bool strong, acquires, releases, sc;
	bool atomic;     /* a read: its write is the next event; a write: its read the one before */
	uint32_t quorum; /* of LITMUS_MET, as in the instruction; its value is the barrier's number */
	bool arrives;    /* of LITMUS_MET: does not wait */
};

struct litmus_step {
	uint8_t instruction;
	bool taken; /* of a branch */
};

/* A way through a thread from its start to its end. */
struct litmus_path {
	const struct litmus_step *steps;
	uint32_t count;
};

#define LITMUS_STEPS 128 /* of a way */

struct litmus_ways {
	VECTOR(struct litmus_path) list;
	bool cut; /* there are others, which go back more often, or on for longer */
};

/* The ways through the thread on which no branch whose operands are not known goes back more than `rounds` times.
 * False and an error when there are too many. */
bool litmus_find_ways(struct arena *arena, const struct litmus_thread *thread, uint32_t rounds,
	struct litmus_ways *ways, struct diagnostic *diagnostic);

struct litmus_execution {
	const struct litmus_test *test;
	const struct litmus_path *paths[LITMUS_THREADS];
	struct litmus_event events[RELATION_EVENTS];
	uint32_t count;
	uint64_t reads, writes, sc_fences, proxy_fences, arrivals; /* bits of events */

	/* What follows from the paths alone. */
	struct relation program;    /* program order (8.9.1) */
	struct relation same;       /* reads and writes of one location, either way */
	struct relation strong;     /* morally strong (8.7), either way */
	struct relation dependency; /* a read and what is made of its value, or is done because of it */

	/* What is chosen. */
	uint32_t source[RELATION_EVENTS]; /* of a read: the write it reads from */
	struct relation barrier;          /* barriers that meet (8.9.4) */
	struct relation fence_order;      /* Fence-SC order (8.9.3) */

	/* What follows from that. */
	int32_t values[RELATION_EVENTS];
	int32_t registers[LITMUS_THREADS][LITMUS_REGISTERS]; /* in the end */
	struct relation observed;                            /* observation order (8.9.2) */
	struct relation base;                                /* base causality order (8.9.5) */
	struct relation preserved; /* proxy-preserved base causality order (8.9.5), of the same location */
	struct relation cause;     /* causality order, of the same location */

	uint64_t orders, orders_limit; /* coherence orders that were tried, and may be */
};

/* The events of `paths` and what follows from those; false and an error when there are too many. */
bool litmus_make_events(struct litmus_execution *e, struct diagnostic *diagnostic);

/* The values of all events when reads read from their sources.  False when a value would come out of thin air
 * (No-Thin-Air, 8.10), or a path is not the one that the values lead along. */
bool litmus_settle_values(struct litmus_execution *e);
/* Whether the sources of these reads may be part of such an execution: false when a branch goes where its values, as
 * far as they follow from these alone, do not lead. */
bool litmus_may_settle(const struct litmus_execution *e, uint64_t chosen);
int32_t litmus_operate(enum litmus_operation operation, int32_t a, int32_t b);

/* Calls `found` for each way in which the barriers may meet, in rounds; `e->barrier` has it meanwhile.  There is none
 * when some thread waits for ever.  Counts rounds that are tried in *tries, and gives up at the limit. */
void litmus_meet(
	struct litmus_execution *e, void (*found)(void *context), void *context, uint64_t *tries, uint64_t limit);

/* Observation, base causality and causality order; false when Fence-SC or Causality (8.10) is broken, as far as that
 * does not depend on the coherence order. */
bool litmus_order_causes(struct litmus_execution *e);

/* The last values that the location may have, in `last`, at most one per write, over all coherence orders that the
 * axioms allow; how many: 0 when there is no such order. */
uint32_t litmus_last_values(struct litmus_execution *e, uint32_t location, int32_t last[RELATION_EVENTS]);

#endif
