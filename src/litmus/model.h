/* What the memory model of PTX allows a test to leave behind.
 *
 * THE MODEL is that of the PTX ISA, chapter 8 (Memory Consistency Model; section numbers of edition 9), as formalised
 * by Lustig, Sahasrabuddhe and Giroux, A Formal Analysis of the NVIDIA PTX Memory Consistency Model, ASPLOS 2019, with
 * causality as the ISA has it since 7.5.  All accesses are 32 bits wide, aligned, of global memory, and of the generic
 * proxy.
 *
 * HOW.  Every candidate execution is tried: each way through each thread, each write that each read may read from,
 * each order of the fence.sc, each way in which barriers meet, each coherence order.  Those that keep the six axioms
 * of 8.10 are allowed. */
#ifndef LOCKSTEP_LITMUS_MODEL_H
#define LOCKSTEP_LITMUS_MODEL_H

#include "litmus/outcome.h"

/* How far loops were followed. */
struct litmus_bound {
	uint32_t rounds; /* how often they go back, at most */
	bool cut;        /* there are executions in which they do so more often */
};

/* Adds all ends and races that are allowed, with `allowed` set.  False and an error when the test is too large for
 * that. */
bool litmus_model(struct arena *arena, const struct litmus_test *test, struct litmus_outcomes *outcomes,
	struct litmus_bound *bound, struct diagnostic *diagnostic);

/* Whether the ends that are allowed are as the test's condition says: some, none or all fulfil it. */
bool litmus_holds(const struct litmus_test *test, const struct litmus_outcomes *outcomes);

#endif
