/* What a core puts off until the quantum, or the round of turns, is over, because it needs what other cores have too:
 * memory as it then is, the heap, the order in which lines are printed.
 *
 * While the core runs, it writes down what is to be done in a state of its own (defer); then one thread carries out
 * what all cores have written down, in the order of deferred.def. */
#ifndef LOCKSTEP_MACHINE_CORE_DEFERRED_H
#define LOCKSTEP_MACHINE_CORE_DEFERRED_H

#include "machine/state/deferred.h"
#include "util/arena.h"

#include <stddef.h>

struct machine;

struct deferred {
	size_t state_size; /* of its state on a core, which is zero at first */
	/* Does what is written down in the states of all cores (deferred_state), and forgets it.  No core runs. */
	void (*carry_out)(struct machine *machine);
};

void deferred_create(struct deferred_states *states, struct arena *arena);
/* Calls carry_out of all for which any core has something. */
void deferred_carry_out(struct machine *machine);

#endif
