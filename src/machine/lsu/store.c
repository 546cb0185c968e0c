/* Stores: registers into bytes of memory. */
#include "machine/core/observer.h"
#include "machine/lsu/access.h"
#include "machine/lsu/element.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/machine.h"

#include "warp/memory.h"

#include <assert.h>

/* Elements side by side, lane after lane. */
static void capture_lanes(uint8_t *data, const struct warp *w, const struct insn *i, lane_mask lanes)
{
	uint32_t bytes = i->access.bytes, stride = access_bytes(i);

	assert(stride <= ACCESS_DATA_BYTES);
	if (element_is_word(i)) {
		memcpy(data, slot_at(w, i->s[1]), (size_t)w->lanes * 4);
		return;
	}
	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, lanes)
			element_get(w, element_slot(i, w->kernel, e, i->s[1]), (uint32_t)l, i->access.register_bytes,
				bytes, data + l * stride + e * bytes);
}

void store_capture(struct operation *op)
{
	assert(op->insn->kind == INSN_STORE || op->insn->kind == INSN_STORE_UNLOCK);
	capture_lanes(op->data, &op->slot->warp, op->insn, op->lanes);
}

/* Four times each bit of `words`. */
static uint64_t bytes_of_words(uint64_t words)
{
	assert(words <= 0xffff);
	words = (words | words << 24) & UINT64_C(0x000000ff000000ff);
	words = (words | words << 12) & UINT64_C(0x000f000f000f000f);
	words = (words | words << 6) & UINT64_C(0x0303030303030303);
	words = (words | words << 3) & UINT64_C(0x1111111111111111);
	return words * 15;
}

static void gather_words(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload)
{
	const struct lane_memory *memory = op->slot->warp.memory;
	uint32_t words = memory->words_in(op->address, lanes, line);

	assert(line % LEAST_LINE == 0);
	payload->mask[0] = bytes_of_words(words & 0xffff);
	payload->mask[1] = bytes_of_words(words >> 16);
	memory->store_words(
		(memory_base)payload->data - line, op->address, (const uint32_t *)(const void *)op->data, lanes);
}

#define FEW_LANES 4 /* words of fewer are sooner moved one by one */

static void gather_elements(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload)
{
	uint32_t stride = access_bytes(op->insn);

	payload->mask[0] = payload->mask[1] = 0;
	EACH_LANE(l, lanes) {
		uint32_t offset = (uint32_t)(op->address[l] - line);

		assert(offset + stride <= LINE_BYTES);
		if (stride == 4) /* a copy of a known length is one instruction */
			memcpy(payload->data + offset, op->data + l * 4, 4);
		else
			memcpy(payload->data + offset, op->data + l * stride, stride);
		payload->mask[offset / 64] |= ((1ull << stride) - 1) << offset % 64;
	}
}

static uint32_t gather(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload)
{
	uint32_t sectors = 0;

	assert(lanes && !(lanes & ~op->lanes));
	if (access_bytes(op->insn) == 4 && __builtin_popcountll(lanes) >= FEW_LANES)
		gather_words(op, lanes, line, payload);
	else
		gather_elements(op, lanes, line, payload);
	for (uint32_t k = 0; k < 2; k++)
		sectors += ((uint32_t)payload->mask[k] ? 1u : 0) + (payload->mask[k] >> 32 ? 1u : 0);
	return sectors * 32;
}

/* Memory that this core may touch at once: its shared memory, or any in functional mode. */
static void write_lanes(struct core *core, const struct operation *op, memory_base memory)
{
	uint32_t stride = access_bytes(op->insn);
	bool tells = observer_hears(core, OBSERVE_changed, op->slot->bit);

	assert(op->lanes && stride <= JOURNAL_BYTES);
	if (stride == 4 && !tells) {
		op->slot->warp.memory->store_words(
			memory, op->address, (const uint32_t *)(const void *)op->data, op->lanes);
		observe_written(core, op->slot, op->address, op->lanes, NULL);
		return;
	}
	EACH_LANE(l, op->lanes) {
		uint8_t *where = memory_byte(memory, op->address[l]), before[JOURNAL_BYTES];

		if (tells)
			memcpy(before, where, stride);
		memcpy(where, op->data + l * stride, stride);
		if (tells)
			observe_changed(core, op->slot, where, before, stride);
	}
	observe_written(core, op->slot, op->address, op->lanes, NULL);
}

static uint64_t serve_shared(struct core *core, struct operation *op, uint64_t at)
{
	assert(op->space == space_SHARED && op->pending == 1);
	if (op->in_rows && access_is_watched(core, op->slot)) /* since then */
		access_leave_rows(op);
	if (op->in_rows) {
		op->slot->warp.memory->store_rows(
			(memory_base)op->group->shared, &op->rows, (const uint32_t *)(const void *)op->data);
		return at;
	}
	write_lanes(core, op, (memory_base)op->group->shared);
	return at;
}

static void remote_apply(const struct insn *i, uint8_t *where, const uint8_t *sent, uint8_t *answer)
{
	(void)answer;
	memcpy(where, sent, access_bytes(i));
}

static void at_once(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space, uint64_t *address)
{
	uint8_t data[CORE_WARPS * ACCESS_DATA_BYTES];
	memory_base memory = access_memory(core, r, space);
	struct operation op;

	assert(core->machine->mode->at_once && lanes);
	access_save_lanes(core, r, i, lanes, space, address);
	access_begin(&op, r, i, lanes, address);
	if (element_is_word(i) && i->s[1] != SLOT_NONE && !observer_hears(core, OBSERVE_changed, r->bit)) {
		r->warp.memory->store_words(memory, address, slot_at(&r->warp, i->s[1]), lanes);
		observe_written(core, r, address, lanes, NULL);
		return;
	}
	op.data = data;
	store_capture(&op);
	write_lanes(core, &op, memory);
}

static void local(struct warp_slot *r, const struct insn *i, lane_mask lanes, const uint64_t *address)
{
	uint8_t value[16];

	assert(lanes && !(lanes & ~r->warp.live));
	for (uint32_t e = 0; e < i->access.elements; e++)
		EACH_LANE(l, lanes) {
			element_get(&r->warp, element_slot(i, r->warp.kernel, e, i->s[1]), (uint32_t)l,
				i->access.register_bytes, i->access.bytes, value);
			access_local_write(&r->warp, (uint32_t)l, (uint32_t)address[l] + e * i->access.bytes, value,
				i->access.bytes);
		}
}

void store_count(struct counters *c, const struct operation *op)
{
	assert(op->pending && op->space == space_GLOBAL);
	c->global_store_instructions++;
	c->global_store_transactions += op->pending;
}

const struct memory_kind memory_store = {
	.noun = "store",
	.moves_lanes = true,
	.issue = load_store_issue_space,
	.capture = store_capture,
	.count = store_count,
	.send = through_l1_store,
	.serve_shared = serve_shared,
	.gather = gather,
	.remote.sent = access_bytes,
	.remote.apply = remote_apply,
	.at_once = at_once,
	.local = local,
};
