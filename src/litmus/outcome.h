/* Sets of ends of a test: the values of its variables, and how often each was seen. */
#ifndef LOCKSTEP_LITMUS_OUTCOME_H
#define LOCKSTEP_LITMUS_OUTCOME_H

#include "litmus/test.h"

/* Whether the model of the GPU can show an end at all (reach.h). */
enum litmus_shows { LITMUS_UNKNOWN, LITMUS_CAN, LITMUS_CANNOT };

struct litmus_outcome {
	int32_t values[LITMUS_VARIABLES];
	uint64_t count; /* seen */
	bool allowed;   /* by the model */
	enum litmus_shows shows;
	uint32_t needs; /* of one that it cannot show: what it would need beside (enum litmus_freedom), a bit each */
};

/* Two instructions of two threads, the lower one first, that race with each other. */
struct litmus_race {
	uint32_t thread[2], instruction[2];
	uint64_t found; /* by the check, how often */
	bool allowed;   /* by the model */
};

/* In the order of their values, which no order of adding changes; races in that of their places. */
struct litmus_outcomes {
	uint32_t variables; /* of the test */
	uint64_t endless;   /* instances in which a thread gave up a loop, which have no end */
	VECTOR(struct litmus_outcome) list;
	VECTOR(struct litmus_race) races;
};

/* The one with these values, which is added if it is new; good until the next is. */
struct litmus_outcome *litmus_outcome(struct arena *arena, struct litmus_outcomes *outcomes, const int32_t *values);
/* Adds the race to those of the same places. */
void litmus_race(struct arena *arena, struct litmus_outcomes *outcomes, const struct litmus_race *race);
/* Adds counts, and what is allowed. */
void litmus_outcomes_add(struct arena *arena, struct litmus_outcomes *to, const struct litmus_outcomes *from);

#endif
