/* Data races of a litmus test, as the model and as the machine's check has them.
 *
 * By the model two instructions race if in some execution that the axioms allow they conflict (8.7.1: accesses of two
 * threads to one location, one of which writes), are not morally strong (8.7), and are not in causality order (8.9.5),
 * either way. */
#ifndef LOCKSTEP_LITMUS_RACES_H
#define LOCKSTEP_LITMUS_RACES_H

#include "litmus/execution.h"
#include "litmus/outcome.h"

#include "lockstep.h"

/* Adds the races of an execution that is allowed. */
void litmus_find_races(struct arena *arena, const struct litmus_execution *e, struct litmus_outcomes *outcomes);
/* Adds those that the check has found between instructions of the test, in a launch of this PTX (kernel.h). */
void litmus_note_races(struct arena *arena, const struct litmus_test *test, const char *ptx,
	const struct lockstep_result *result, struct litmus_outcomes *outcomes);

#endif
