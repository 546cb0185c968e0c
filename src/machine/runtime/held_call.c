/* Calls that are served between quanta: see held_call.h. */
#include "machine/runtime/held_call.h"

#include "machine/core/schedule.h"
#include "machine/runtime/turn.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <stdlib.h>

void held_call_begin(struct core *core, enum deferred_id id, const struct held_call *call,
	bool (*serve)(struct core *core, const struct held_call *call))
{
	struct held_calls *calls;

	assert(!call->slot->held);
	assert(call->cycle == core->now && call->slot->used && !call->slot->finished);
	if (core->machine->functional) {
		call->slot->held = !serve(core, call);
		return;
	}
	calls = defer(&core->deferred, id);
	*vector_push(&core->machine->cores.arenas[core->index], &calls->list) = *call;
	call->slot->held = true;
}

struct ordered_call {
	struct turn turn;
	const struct held_call *call;
};

void held_call_over(struct core *core, const struct held_call *call, uint64_t at)
{
	assert(call->slot->held);
	assert(call->slot->used && !call->slot->finished);
	core_set_results_ready(call->slot, call->insn, core->now);
	call->slot->held = false;
	call->slot->hold_until = at;
	core_schedule(core, call->slot);
}

void held_calls_serve(struct machine *machine, enum deferred_id id,
	bool (*serve)(struct core *core, const struct held_call *call),
	uint64_t (*latency)(const struct gpu_model *model, const struct held_call *call))
{
	struct arena arena = {0};
	VECTOR(struct ordered_call) order = {0};

	assert(!machine->functional);
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct held_calls *calls = machine->cores.at[c].deferred.state[id];

		for (uint32_t k = 0; calls && k < calls->list.count; k++)
			*vector_push(&arena, &order) =
				(struct ordered_call){{calls->list.at[k].cycle, c, k}, &calls->list.at[k]};
		if (calls)
			calls->list.count = 0; /* what `order` points to remains until a core runs */
	}
	qsort(order.at, order.count, sizeof *order.at, turn_order);
	for (uint32_t k = 0; k < order.count; k++) {
		struct core *core = &machine->cores.at[order.at[k].turn.core];
		const struct held_call *call = order.at[k].call;

		assert(call->slot->used && call->slot->held &&
			call->cycle <= machine->time.cycle + machine->time.quantum);
		if (serve(core, call))
			held_call_over(core, call, call->cycle + latency(machine->model, call));
	}
	arena_free(&arena);
}
