/* Parameter, constant and local memory. */
#include "machine/lsu/in_core.h"

#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/core/schedule.h"
#include "machine/lsu/access.h"
#include "machine/lsu/element.h"
#include "machine/lsu/memory_kind.h"
#include "machine/state/machine.h"

#include "warp/memory.h"

#include <assert.h>

/* Gives all `lanes` of a register of 4 or 8 bytes one value. */
static void broadcast(const struct warp *w, slot_ref slot, lane_mask lanes, uint32_t register_bytes, uint64_t value)
{
	assert(register_bytes == 4 || register_bytes == 8);
	if (slot == SLOT_NONE)
		return;
	if (register_bytes == 8)
		w->memory->broadcast_wide(slot_at(w, slot), lanes, value);
	else
		w->memory->broadcast(slot_at(w, slot), lanes, (uint32_t)value);
}

/* A load of a parameter by its name, as nearly all are: one address and one value for all lanes.  False: it is not one,
 * or at fault. */
static bool load_parameter(struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct launch_values *launch = r->warp.launch;
	uint32_t bytes = i->access.bytes, all = access_bytes(i);
	const void *base;
	uint64_t offset;

	assert(all && !(all & (all - 1)));
	assert(lanes);
	if (!memory_kinds[i->kind]->only_loads || !(i->s[0] & SLOT_CONSTANT) || bytes > 8 ||
		i->access.register_bytes > 8)
		return false;
	base = slot_at(&r->warp, i->s[0]);
	offset = i->s_bytes[0] == 8 ? *(const uint64_t *)base + (uint64_t)i->offset
				    : *(const uint32_t *)base + (uint32_t)i->offset;
	offset -= offset - PARAMETER_BASE < WINDOW_BYTES ? PARAMETER_BASE : 0;
	if (offset & (all - 1) || offset + all > launch->parameter_bytes || offset + all < offset)
		return false;
	for (uint32_t e = 0; e < i->access.elements; e++)
		broadcast(&r->warp, element_slot(i, r->warp.kernel, e, i->d), lanes,
			i->access.register_bytes < 8 ? 4 : 8,
			element_extend(element_low_bits(launch->parameters + offset + e * bytes, bytes), bytes,
				i->flags & INSN_SIGNED));
	return true;
}

bool in_core_access(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	const struct memory_kind *kind = memory_kinds[i->kind];
	uint64_t address[CORE_WARPS];

	assert(lanes);
	if (space == space_PARAM && load_parameter(r, i, lanes))
		return true;
	access_addresses(address, &r->warp, i, lanes, space);
	if (space != space_LOCAL && !kind->only_loads) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_space,
			"%s to %s memory, which is read-only", kind->noun, access_space_name(space));
		return false;
	}
	lanes = access_allowed(core, r, i, lanes, space, address);
	if (!lanes)
		return !core->stopped;
	if (space == space_CONST)
		observe_constants(core, r, i, lanes, address);
	else if (space == space_LOCAL)
		observe_access(core, r, i, lanes, space, address);
	if (space == space_LOCAL)
		kind->local(r, i, lanes, address);
	else
		kind->at_once(core, r, i, lanes, space, address);
	return true;
}

/* When the parameters' line is in the core's constant cache; loads through a register are taken to go to the first. */
static uint64_t parameter_ready(struct core *core, const struct warp_slot *r, const struct insn *i)
{
	uint64_t *ready = &r->core_launch->parameter_line_ready[0];

	if (i->offset >= 0 && i->offset < r->warp.launch->parameter_bytes)
		ready = &r->core_launch->parameter_line_ready[i->offset / PARAMETER_LINE];
	if (!*ready)
		*ready = core->now + core->machine->model->constant_miss;
	return *ready > core->now ? *ready : core->now;
}

void in_core_issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	const struct gpu_model *model = core->machine->model;
	uint32_t latency = space == space_LOCAL ? model->local_latency : model->constant_latency;
	uint64_t start = core->now;

	assert(space == space_LOCAL || space == space_PARAM || space == space_CONST);
	if (space == space_LOCAL)
		core->counters.local_accesses++;
	if (!in_core_access(core, r, i, lanes, space))
		return;
	if (space == space_PARAM)
		start = parameter_ready(core, r, i);
	core_set_results_ready(r, i, start + latency);
}
