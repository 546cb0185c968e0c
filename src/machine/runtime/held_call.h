/* Calls of functions that the machine provides and that are served between quanta: the warp is held until then. */
#ifndef LOCKSTEP_MACHINE_RUNTIME_HELD_CALL_H
#define LOCKSTEP_MACHINE_RUNTIME_HELD_CALL_H

#include "machine/core/deferred.h"
#include "machine/state/core.h"
#include "machine/state/held_call.h"
#include "util/vector.h"

/* Those of a core in this quantum: the state of a row of deferred.def. */
struct held_calls {
	VECTOR(struct held_call) list;
};

/* Writes the call down in the core's state of `id`, a struct held_calls, and holds its warp; functional mode: serves
 * it, and holds the warp where `serve` gives false. */
void held_call_begin(struct core *core, enum deferred_id id, const struct held_call *call,
	bool (*serve)(struct core *core, const struct held_call *call));

/* For carry_out: serves the calls of all cores in order of cycle, core and their own.  The warp of a call goes on
 * `latency` cycles after it was made, at the earliest when the quantum is over.  Where `serve` gives false, it goes on
 * by held_call_over. */
void held_calls_serve(struct machine *machine, enum deferred_id id,
	bool (*serve)(struct core *core, const struct held_call *call),
	uint64_t (*latency)(const struct gpu_model *model, const struct held_call *call));
/* The call has been served, and its warp goes on, from a cycle on: between quanta, or between turns. */
void held_call_over(struct core *core, const struct held_call *call, uint64_t at);

#endif
