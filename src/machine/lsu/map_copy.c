/* tensormap.cp_fenceproxy (PTX ISA): a warp copies the 128 bytes of a tensor map from shared to global memory.
 *
 * It is one store, of the warp's lowest lane, whose bytes are read where the load-store unit sends them: after all that
 * the core has stored to shared memory before.  The fence is an instruction of its own behind it (decode_memory.c). */
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/lsu/access.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/machine.h"
#include "util/tensor_map.h"

#include <assert.h>
#include <string.h>

/* The offset in shared memory from which an operation copies, as its state. */
static uint64_t *source_of(const struct operation *op)
{
	assert(op->insn->kind == INSN_MAP_COPY);
	return op->state;
}

static uint32_t lane_of(const struct operation *op)
{
	assert(op->lanes);
	return (uint32_t)__builtin_ctzll(op->lanes);
}

/* ---- Issue ---- */

static uint64_t shared_offset(const struct warp *w, const struct insn *i, uint32_t lane)
{
	uint64_t address = slot_value(w, i->s[1], i->s_bytes[1], lane);

	assert(i->s[1] != SLOT_NONE && lane < w->lanes);
	address += (uint64_t)w->kernel->extras[i->extra].offsets[0];
	address -= address - SHARED_BASE < WINDOW_BYTES ? SHARED_BASE : 0;
	return access_own_part(w, address);
}

/* False, and a finding. */
static bool fault(struct core *core, const struct operation *op, uint32_t lane, enum fault_cause cause,
	uint64_t address, const char *what)
{
	assert(op->lanes >> lane & 1);
	core->finding.has_address = true;
	core->finding.address = address;
	core_fault(core, op->slot, op->insn, lane, cause, "tensormap.cp_fenceproxy: 0x%llx %s",
		(unsigned long long)address, what);
	return false;
}

/* The instruction is one of the warp, so its lanes mean the same. */
static bool check_lanes(struct core *core, const struct operation *op)
{
	const struct warp *w = &op->slot->warp;

	assert(op->lanes);
	EACH_LANE(l, op->lanes & (op->lanes - 1))
		if (op->address[l] != op->address[lane_of(op)] ||
			shared_offset(w, op->insn, (uint32_t)l) != *source_of(op))
			return fault(core, op, (uint32_t)l, FAULT_tensor, op->address[l],
				"is an operand that differs among the lanes of a warp, which is not supported");
	return true;
}

static bool check(struct core *core, const struct operation *op)
{
	uint64_t to = op->address[lane_of(op)], from = *source_of(op);
	const struct allocation *a = space_find(core->machine->space, to, TENSOR_MAP_BYTES);

	assert(op->space == space_GLOBAL);
	if (!check_lanes(core, op))
		return false;
	if (to % TENSOR_MAP_ALIGNMENT)
		return fault(core, op, lane_of(op), FAULT_misaligned, to, "is a misaligned address in global memory");
	if (from % TENSOR_MAP_ALIGNMENT)
		return fault(core, op, lane_of(op), FAULT_misaligned, from, "is a misaligned offset in shared memory");
	if (!a)
		return fault(
			core, op, lane_of(op), FAULT_address, to, "is not an address of 128 bytes of global memory");
	if (a->constant)
		return fault(core, op, lane_of(op), FAULT_constant, to, "is in constant memory");
	if (from > op->slot->warp.shared_bytes || op->slot->warp.shared_bytes - from < TENSOR_MAP_BYTES)
		return fault(core, op, lane_of(op), FAULT_address, from,
			"is an offset with which the copy leaves shared memory");
	return true;
}

static void issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	struct operation *op = load_store_take(core, r, i, lanes, space);
	uint32_t lane = lane_of(op);

	assert(lanes && !(lanes & ~r->warp.live));
	access_addresses(op->address, &r->warp, i, lanes, space);
	*source_of(op) = shared_offset(&r->warp, i, lane);
	if (!check(core, op)) {
		load_store_free(core, op);
		return;
	}
	op->lanes = (lane_mask)1 << lane;
	observe_moves(core, r, i, lane, space_SHARED, *source_of(op), TENSOR_MAP_BYTES, false);
	observe_moves(core, r, i, lane, space_GLOBAL, op->address[lane], TENSOR_MAP_BYTES, true);
	load_store_start(core, op);
}

/* ---- Lines ---- */

/* One line of 128 bytes, or two: maps are at multiples of 64. */
static void queue(struct core *core, struct operation *op)
{
	uint64_t first = op->address[lane_of(op)], last = l1_line_of(&core->l1, first + TENSOR_MAP_BYTES - 1);

	assert(op->space == space_GLOBAL);
	for (uint64_t line = l1_line_of(&core->l1, first); line <= last; line += l1_line_bytes(&core->l1)) {
		load_store_queue(core, op, line, op->lanes, 1);
		core->counters.global_store_transactions++;
	}
	core->counters.global_store_instructions++;
	load_store_await_result(core, op);
}

static uint32_t gather(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload)
{
	uint64_t to = op->address[lane_of(op)], from = to > line ? to : line;
	uint64_t end = to + TENSOR_MAP_BYTES, next = line + access_line_bytes(op);

	end = end < next ? end : next;
	assert(lanes == op->lanes && from < end);
	(void)lanes;
	payload->mask[0] = payload->mask[1] = 0;
	memcpy(payload->data + (from - line), op->group->shared + *source_of(op) + (from - to), end - from);
	for (uint64_t k = from - line; k < end - line; k++)
		payload->mask[k / 64] |= UINT64_C(1) << k % 64;
	return (uint32_t)(end - from);
}

static void execute(struct core *core, struct operation *op)
{
	uint64_t to = op->address[lane_of(op)];

	assert(core->machine->mode->at_once);
	access_will_write(core, to, TENSOR_MAP_BYTES);
	memcpy(space_host(core->machine->space, to), op->group->shared + *source_of(op), TENSOR_MAP_BYTES);
	observe_effect(core, op->slot, EFFECT_MATRIX);
	load_store_free(core, op);
}

const struct memory_kind memory_map_copy = {
	.noun = "copy of a tensor map",
	.state_bytes = sizeof(uint64_t),
	.issue = issue,
	.queue = queue,
	.execute = execute,
	.send = through_l1_store,
	.gather = gather,
};
