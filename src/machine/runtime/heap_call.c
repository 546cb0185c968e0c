/* Calls of device malloc and free: made by warps, served between quanta. */
#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/lsu/library_call.h"
#include "machine/runtime/held_call.h"
#include "machine/state/machine.h"
#include "memory/heap.h"

#include <assert.h>

static void serve_lane(struct core *core, struct heap *heap, const struct held_call *call, uint32_t lane)
{
	const struct warp *w = &call->slot->warp;
	const struct insn_extra *extra = &w->kernel->extras[call->insn->extra];
	uint64_t value = library_argument(w, &extra->arguments[0], lane);

	assert(call->insn->kind == INSN_MALLOC || call->insn->kind == INSN_FREE);
	if (call->insn->kind == INSN_MALLOC) {
		uint64_t address = heap_allocate(heap, value);

		if (address)
			observe_gives(core, call->slot, address, value);
		library_result(w, extra, lane, address);
	} else if (value && !heap_free(heap, value))
		core_fault(core, call->slot, call->insn, lane, FAULT_heap,
			"free of 0x%llx, which is no block that malloc gave", (unsigned long long)value);
}

static uint64_t serve(struct core *core, const struct held_call *call)
{
	assert(call->slot->used);
	assert(!call->slot->finished);
	observe_effect(core, call->slot, EFFECT_HEAP);
	for (lane_mask m = call->lanes; m && !core->stopped; m &= m - 1)
		serve_lane(core, &core->machine->gpu->heap, call, (uint32_t)__builtin_ctzll(m));
	control_advance(core, call->slot);
	return core->machine->model->heap_latency;
}

/* malloc or free is called by `lanes`.  In timing mode the warp waits until the calls of all cores are served between
 * quanta. */
void heap_call(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct held_call call = {.cycle = core->now, .slot = r, .insn = i, .lanes = lanes};

	assert(i->kind == INSN_MALLOC || i->kind == INSN_FREE);
	held_call_begin(core, DEFERRED_heap, &call, serve);
}

static void serve_all(struct machine *machine)
{
	held_calls_serve(machine, DEFERRED_heap, serve);
}

const struct deferred deferred_heap = {.state_size = sizeof(struct held_calls), .carry_out = serve_all};
