/* Sets of ends of a test: the values of its variables, and how often each was seen. */
#ifndef LOCKSTEP_LITMUS_OUTCOME_H
#define LOCKSTEP_LITMUS_OUTCOME_H

#include "litmus/test.h"

struct litmus_outcome {
	int32_t values[LITMUS_VARIABLES];
	uint64_t count; /* seen */
	bool allowed;   /* by the model */
};

/* In the order of their values, which no order of adding changes. */
struct litmus_outcomes {
	uint32_t variables; /* of the test */
	uint64_t endless;   /* instances in which a thread gave up a loop, which have no end */
	VECTOR(struct litmus_outcome) list;
};

/* The one with these values, which is added if it is new; good until the next is. */
struct litmus_outcome *litmus_outcome(struct arena *arena, struct litmus_outcomes *outcomes, const int32_t *values);
/* Adds counts, and what is allowed. */
void litmus_outcomes_add(struct arena *arena, struct litmus_outcomes *to, const struct litmus_outcomes *from);

#endif
