/* Calls of functions that the machine provides and that are served between quanta: the warp is held until then. */
#ifndef LOCKSTEP_MACHINE_RUNTIME_HELD_CALL_H
#define LOCKSTEP_MACHINE_RUNTIME_HELD_CALL_H

#include "machine/core/deferred.h"
#include "machine/state/core.h"
#include "util/vector.h"

/* Those of a core in this quantum: the state of a row of deferred.def. */
struct held_calls {
	VECTOR(struct held_call) list;
};

/* Serves a call.  Returns how many cycles after it was made the warp goes on, at the earliest when the quantum is over;
 * NEVER: it goes on by held_call_over. */
typedef uint64_t held_call_server(struct core *core, const struct held_call *call);

/* Writes the call down in the core's state of `id`, a struct held_calls, and holds its warp; functional mode: serves it
 * at once. */
void held_call_begin(struct core *core, enum deferred_id id, const struct held_call *call, held_call_server *serve);
/* For carry_out: serves the calls of all cores in order of cycle, core and their own. */
void held_calls_serve(struct machine *machine, enum deferred_id id, held_call_server *serve);
/* The call has been served, and its warp goes on, from a cycle on: between quanta, or between turns. */
void held_call_over(struct core *core, const struct held_call *call, uint64_t at);

#endif
