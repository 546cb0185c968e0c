/* Loads: bytes of memory into registers. */
#include "machine/lsu/access.h"
#include "machine/lsu/element.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/machine.h"
#include "warp/memory.h"

#include <assert.h>

/* `data`: the bytes from address `line` on. */
static void scatter(
	const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line, const struct kernel *kernel)
{
	const struct insn *i = op->insn;
	uint32_t width = op->slot->warp.lanes, bytes = i->access.bytes;

	assert(lanes && !(lanes & ~op->lanes));
	if (element_is_word(i) && i->d != SLOT_NONE) {
		op->slot->warp.memory->load_words(op->bank[0] + i->d, (memory_base)data - line, op->address, lanes);
		return;
	}
	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, lanes)
			element_put(op->bank, element_slot(i, kernel, e, i->d), (uint32_t)l, width, i,
				data + (op->address[l] - line) + e * bytes);
}

/* The kernel is the group's: the warp slot may have another warp by now. */
static void deliver(struct core *core, const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line)
{
	(void)core;
	scatter(op, lanes, data, line, op->group->core_launch->launch->kernel);
}

static void readers(const struct operation *op, lane_mask lanes, uint64_t line, uint8_t reader[LINE_BYTES])
{
	uint32_t bytes = access_bytes(op->insn);

	assert(!(lanes & ~op->lanes) && line % LEAST_LINE == 0);
	while (lanes) { /* the lowest lane comes last, and stays */
		uint32_t lane = 63 - (uint32_t)__builtin_clzll(lanes);

		assert(op->address[lane] - line + bytes <= LINE_BYTES);
		memset(reader + (op->address[lane] - line), (int)lane, bytes);
		lanes &= ~(1ull << lane);
	}
}

static uint64_t serve_shared(struct core *core, struct operation *op, uint64_t at)
{
	const struct insn *i = op->insn;

	assert(op->space == space_SHARED && op->pending == 1);
	if (op->in_rows && access_is_watched(core, op->slot)) /* since then */
		access_leave_rows(op);
	if (op->in_rows)
		op->slot->warp.memory->load_rows(op->bank[0] + i->d, (memory_base)op->group->shared, &op->rows);
	else if (element_is_word(i) && i->d != SLOT_NONE) /* nearly always */
		op->slot->warp.memory->load_words(
			op->bank[0] + i->d, (memory_base)op->group->shared, op->address, op->lanes);
	else
		deliver(core, op, op->lanes, op->group->shared, 0);
	return at;
}

static void remote_apply(const struct insn *i, uint8_t *where, const uint8_t *sent, uint8_t *answer)
{
	(void)sent;
	memcpy(answer, where, access_bytes(i));
}

static void remote_take(const struct operation *op, uint32_t lane, const uint8_t *answer)
{
	const struct insn *i = op->insn;
	const struct kernel *kernel = op->group->core_launch->launch->kernel;

	assert(op->lanes >> lane & 1);
	for (uint32_t e = 0; e < i->access.elements; e++)
		element_put(op->bank, element_slot(i, kernel, e, i->d), lane, op->slot->warp.lanes, i,
			answer + e * i->access.bytes);
}

static void at_once(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space, uint64_t *address)
{
	memory_base memory = access_memory(core, r, space);
	uint64_t first = space == space_GLOBAL || space == space_CONST ? GLOBAL_BASE : 0;
	struct operation op;

	assert(lanes && !(lanes & ~r->warp.live));
	assert(core->machine->mode->at_once || space == space_PARAM || space == space_CONST);
	if (element_is_word(i) && i->d != SLOT_NONE) {
		r->warp.memory->load_words(slot_at(&r->warp, i->d), memory, address, lanes);
		return;
	}
	access_begin(&op, r, i, lanes, address);
	scatter(&op, lanes, memory_byte(memory, first), first, r->warp.kernel);
}

static void local(struct warp_slot *r, const struct insn *i, lane_mask lanes, const uint64_t *address)
{
	uint8_t value[16];

	assert(lanes && !(lanes & ~r->warp.live));
	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, lanes) {
			access_local_read(&r->warp, (uint32_t)l, (uint32_t)address[l] + e * i->access.bytes, value,
				i->access.bytes);
			element_put(r->warp.bank, element_slot(i, r->warp.kernel, e, i->d), (uint32_t)l, r->warp.lanes,
				i, value);
		}
}

static void count(struct counters *c, const struct operation *op)
{
	assert(op->pending && op->space == space_GLOBAL);
	c->global_load_instructions++;
	c->global_load_transactions += op->pending;
}

const struct memory_kind memory_load = {
	.noun = "load",
	.only_loads = true,
	.acquires = true,
	.has_elements = true,
	.moves_lanes = true,
	.issue = load_store_issue_space,
	.count = count,
	.send = through_l1_load,
	.serve_shared = serve_shared,
	.sectors = access_sectors,
	.deliver = deliver,
	.readers = readers,
	.remote.answered = access_bytes,
	.remote.apply = remote_apply,
	.remote.take = remote_take,
	.at_once = at_once,
	.local = local,
};
