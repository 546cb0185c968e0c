/* Calls that are served between quanta: see held_call.h. */
#include "machine/runtime/held_call.h"

#include "machine/core/schedule.h"
#include "machine/runtime/turn.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <stdlib.h>

void held_call_begin(struct core *core, enum deferred_id id, const struct held_call *call, held_call_server *serve)
{
	struct held_calls *calls;

	assert(!call->slot->held);
	assert(call->cycle == core->now);
	assert(call->slot->used);
	assert(!call->slot->finished);
	if (core->machine->functional) {
		call->slot->held = serve(core, call) == NEVER;
		return;
	}
	calls = defer(&core->deferred, id);
	*vector_push(&core->machine->cores.arenas[core->index], &calls->list) = *call;
	call->slot->held = true;
}

void held_call_over(struct core *core, const struct held_call *call, uint64_t at)
{
	assert(call->slot->held);
	assert(call->slot->used);
	assert(!call->slot->finished);
	core_set_results_ready(call->slot, call->insn, core->now);
	call->slot->held = false;
	call->slot->hold_until = at;
	core_schedule(core, call->slot);
}

static struct held_calls *calls_of(const struct core *core, enum deferred_id id)
{
	assert(core->deferred.state[id] || !core->machine);
	return core->deferred.state[id];
}

void held_calls_serve(struct machine *machine, enum deferred_id id, held_call_server *serve)
{
	struct arena arena = {0};
	VECTOR(struct turn) order = {0};

	assert(!machine->functional);
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct held_calls *calls = calls_of(&machine->cores.at[c], id);

		for (uint32_t k = 0; calls && k < calls->list.count; k++)
			*vector_push(&arena, &order) = (struct turn){calls->list.at[k].cycle, c, k};
		if (calls)
			calls->list.count = 0; /* what `order` points to remains until a core runs */
	}
	qsort(order.at, order.count, sizeof *order.at, turn_order);
	for (uint32_t k = 0; k < order.count; k++) {
		struct core *core = &machine->cores.at[order.at[k].core];
		const struct held_call *call = &calls_of(core, id)->list.at[order.at[k].index];
		uint64_t latency;

		assert(call->slot->used);
		assert(call->slot->held);
		assert(call->cycle <= machine->time.cycle + machine->time.quantum);
		latency = serve(core, call);
		if (latency != NEVER)
			held_call_over(core, call, call->cycle + latency);
	}
	arena_free(&arena);
}
