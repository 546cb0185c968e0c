/* Calls of device malloc and free: made by warps, served between quanta. */
#include "machine/runtime/heap_call.h"

#include "machine/core/fault.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/observe/observer.h"
#include "machine/runtime/heap.h"
#include "machine/runtime/library_call.h"
#include "machine/runtime/turn.h"
#include "machine/state.h"

#include <stdlib.h>
#include <string.h>

struct heap_call {
	uint64_t cycle;
	struct warp_slot *slot;
	const struct insn *insn;
	lane_mask lanes;
};

/* Of a core, in this quantum. */
struct heap_calls {
	VECTOR(struct heap_call) list;
};

static void serve_lane(struct core *core, struct heap *heap, const struct heap_call *call, uint32_t lane)
{
	const struct warp *w = &call->slot->warp;
	const struct insn_extra *extra = &w->kernel->extras[call->insn->extra];
	uint64_t value = library_argument(w, &extra->arguments[0], lane);

	if (call->insn->kind == INSN_MALLOC) {
		uint64_t address = heap_allocate(heap, value);

		if (address)
			observe_gives(core, call->slot, address, value);
		library_result(w, extra, lane, address);
	} else if (value && !heap_free(heap, value))
		core_fault(core, call->slot, call->insn, lane, FAULT_heap,
			"free of 0x%llx, which is no block that malloc gave", (unsigned long long)value);
}

static void serve(struct core *core, struct heap *heap, const struct heap_call *call)
{
	for (lane_mask m = call->lanes; m && !core->stopped; m &= m - 1)
		serve_lane(core, heap, call, (uint32_t)__builtin_ctzll(m));
	control_advance(core, call->slot);
}

void heap_call(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct heap_call call = {.cycle = core->now, .slot = r, .insn = i, .lanes = lanes};
	struct heap_calls *calls;

	observe_effect(core, r, EFFECT_HEAP);
	if (core->machine->functional) {
		serve(core, &core->machine->gpu->heap, &call);
		return;
	}
	calls = defer(&core->deferred, DEFERRED_heap);
	*vector_push(&core->machine->core_arenas[core->index], &calls->list) = call;
	r->held = true;
}

struct ordered_call {
	struct turn turn;
	const struct heap_call *call;
};

static void answer(struct machine *machine, const struct ordered_call *ordered)
{
	struct core *core = &machine->cores[ordered->turn.core];
	struct warp_slot *r = ordered->call->slot;

	serve(core, &machine->gpu->heap, ordered->call);
	core_set_results_ready(r, ordered->call->insn, core->now);
	r->held = false;
	r->hold_until = ordered->call->cycle + machine->model->heap_latency;
	core_schedule(core, r);
}

/* Serves the calls of all cores in order of cycle, core and lane. */
static void serve_all(struct machine *machine)
{
	struct arena arena = {0};
	VECTOR(struct ordered_call) order = {0};

	for (uint32_t c = 0; c < machine->core_count; c++) {
		struct heap_calls *calls = machine->cores[c].deferred.state[DEFERRED_heap];

		for (uint32_t k = 0; calls && k < calls->list.count; k++)
			*vector_push(&arena, &order) =
				(struct ordered_call){{calls->list.at[k].cycle, c, k}, &calls->list.at[k]};
		if (calls)
			calls->list.count = 0; /* what `order` points to remains until a core runs */
	}
	qsort(order.at, order.count, sizeof *order.at, turn_order);
	for (uint32_t k = 0; k < order.count; k++)
		answer(machine, &order.at[k]);
	arena_free(&arena);
}

const struct deferred deferred_heap = {.state_size = sizeof(struct heap_calls), .carry_out = serve_all};
