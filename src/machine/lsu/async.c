/* st.async and red.async: a store or a reduction in shared memory of the cluster, whose end an mbarrier of the same
 * work-group is told of (PTX ISA, "st.async", "red.async").
 *
 * They go the way of a store, to other groups that of remote.c, and the warp waits for nothing.  When the data is
 * there, its bytes are subtracted from those that the current phase of the mbarrier waits for. */
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/lsu/access.h"
#include "machine/lsu/element.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/mbarrier.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/lsu/remote.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

/* Of each lane: what it stores, and the offset of the mbarrier. */
static uint32_t sent_bytes(const struct insn *i)
{
	assert(access_bytes(i) + sizeof(uint32_t) <= ACCESS_DATA_BYTES);
	return access_bytes(i) + (uint32_t)sizeof(uint32_t);
}

/* --- Operands --- */

/* Where the lane's mbarrier is, as an address that access_addresses makes has it. */
static uint64_t object_address(const struct warp *w, const struct insn *i, uint32_t lane)
{
	uint64_t address =
		slot_value(w, i->s[2], i->s_bytes[2], lane) + (uint64_t)w->kernel->extras[i->extra].offsets[0];

	assert(i->kind == INSN_ASYNC && i->extra);
	address -= address - SHARED_BASE < WINDOW_BYTES ? SHARED_BASE : 0;
	return access_own_part(w, address);
}

static void capture(struct operation *op)
{
	const struct insn *i = op->insn;
	const struct warp *w = &op->slot->warp;
	uint32_t bytes = i->access.bytes, stride = sent_bytes(i);

	assert(op->lanes);
	assert(i->kind == INSN_ASYNC);
	EACH_LANE(l, op->lanes) {
		uint32_t object = (uint32_t)(object_address(w, i, (uint32_t)l) % SHARED_PART_BYTES);
		uint8_t *data = op->data + l * stride;

		for (uint32_t e = 0; e < i->access.elements; e++)
			element_get(w, element_slot(i, w->kernel, e, i->s[1]), (uint32_t)l, i->access.register_bytes,
				bytes, data + e * bytes);
		memcpy(data + access_bytes(i), &object, sizeof object);
	}
}

/* --- Checks --- */

static bool fault(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, enum fault_cause cause,
	uint64_t address, const char *what)
{
	assert(lane < r->warp.lanes);
	core->finding.has_address = true;
	core->finding.address = address;
	core_fault(
		core, r, i, lane, cause, "%s: 0x%llx %s", ptx_ops[i->op].spelling, (unsigned long long)address, what);
	return false;
}

/* The mbarrier of a lane that goes to `address`. */
static bool check_object(
	struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane, uint64_t address, uint8_t space)
{
	uint64_t object = object_address(&r->warp, i, lane), offset = object % SHARED_PART_BYTES;
	bool is_own = object < SHARED_PART_BYTES;

	assert(space == space_SHARED || space == space_CLUSTER);
	if (!is_own && remote_rank(object) >= launch_cluster_size(r->warp.launch))
		return fault(core, r, i, lane, FAULT_address, object,
			"is an mbarrier's address outside the shared memory of the cluster");
	if (is_own != (space == space_SHARED) || (!is_own && remote_rank(object) != remote_rank(address)))
		return fault(core, r, i, lane, FAULT_space, offset,
			"is an mbarrier's offset in another work-group than the data's");
	if (offset % 8)
		return fault(core, r, i, lane, FAULT_misaligned, offset, "is a misaligned offset in shared memory");
	if (offset + 8 > r->warp.shared_bytes)
		return fault(core, r, i, lane, FAULT_address, offset,
			"is an offset with which the mbarrier leaves shared memory");
	return true;
}

/* Whether such accesses go there at all. */
static bool check_space(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
	const char *name = ptx_ops[i->op].spelling;

	assert(lanes && !core->stopped);
	if (space != space_SHARED && space != space_CLUSTER)
		core_fault(core, r, i, lane, FAULT_space, "%s outside shared memory", name);
	else if (launch_cluster_size(r->warp.launch) == 1)
		core_fault(core, r, i, lane, FAULT_space, "%s needs a cluster of more than one work-group", name);
	else if (space == space_SHARED && i->access.atomic)
		core_fault(core, r, i, lane, FAULT_space,
			"%s goes to other work-groups of the cluster, not to the thread's own", name);
	return !core->stopped;
}

static bool check(struct core *core, const struct operation *op)
{
	assert(op->lanes);
	assert(!op->pending);
	EACH_LANE(l, op->lanes)
		if (!check_object(core, op->slot, op->insn, (uint32_t)l, op->address[l], op->space))
			return false;
	return true;
}

/* --- Where the memory is --- */

/* What a lane sends: as the group that has the memory has the addresses. */
static void execute_lane(struct core *core, struct operation *op, uint32_t lane)
{
	const struct insn *i = op->insn;
	const uint8_t *data = op->data + lane * sent_bytes(i);
	uint8_t *where = op->group->shared + op->address[lane];
	uint32_t bytes = access_bytes(i), object;

	assert(op->address[lane] + bytes <= op->group->core_launch->launch->group.shared_bytes);
	if (i->access.atomic)
		atomic_apply((enum atomic_op)i->access.atomic, (enum ptx_type)i->access.type, where,
			element_low_bits(data, bytes), 0);
	else
		memcpy(where, data, bytes);
	memcpy(&object, data + bytes, sizeof object);
	observe_copied(core, op, lane, object);
	mbarrier_complete(core, op, lane, object, bytes);
}

static void execute(struct core *core, struct operation *op)
{
	assert(op->lanes);
	assert(op->space == space_SHARED);
	observe_effect(core, op->slot, EFFECT_COPY);
	EACH_LANE(l, op->lanes)
		if (!core->stopped)
			execute_lane(core, op, (uint32_t)l);
}

static uint64_t serve_shared(struct core *core, struct operation *op, uint64_t at)
{
	assert(op->pending == 1);
	assert(!core->lsu.serving);
	execute(core, op);
	return at;
}

/* --- Issue --- */

static void tell(struct core *core, const struct operation *op)
{
	assert(op->lanes);
	assert(op->insn->kind == INSN_ASYNC);
	if (!observer_hears(core, OBSERVE_copies, op->slot->bit))
		return;
	EACH_LANE(l, op->lanes) {
		struct observed_copy told = {.to = op->address[l],
			.written = access_bytes(op->insn),
			.object = object_address(&op->slot->warp, op->insn, (uint32_t)l),
			.token = load_store_index(core, op),
			.from_space = op->space,
			.to_space = op->space,
			.element = op->insn->access.atomic ? op->insn->access.bytes : 0,
			.has_object = true};

		observe_copies(core, op->slot, op->insn, (uint32_t)l, &told);
	}
}

/* What the warp does at the mbarriers of its lanes. */
static void note_step(struct core *core, const struct operation *op)
{
	uint64_t object[CORE_WARPS];

	assert(op->lanes);
	EACH_LANE(l, op->lanes)
		object[l] = object_address(&op->slot->warp, op->insn, (uint32_t)l);
	mbarrier_ledger_step(core, op->slot, op->insn, STEP_COPIED, op->lanes, object, access_bytes(op->insn));
}

static void issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	struct operation *op;

	assert(lanes && !(lanes & ~r->warp.live));
	if (core->stopped || !check_space(core, r, i, lanes, space))
		return;
	op = load_store_take(core, r, i, lanes, space);
	access_addresses(op->address, &r->warp, i, lanes, space);
	op->lanes = access_allowed(core, r, i, lanes, space, op->address);
	if (!op->lanes || !check(core, op)) {
		load_store_free(core, op);
		return;
	}
	observe_effect(core, r, EFFECT_COPY);
	capture(op);
	note_step(core, op);
	tell(core, op);
	load_store_start(core, op);
}

static void execute_at_once(struct core *core, struct operation *op)
{
	assert(core->machine->mode->at_once && op->lanes);
	observe_access(core, op->slot, op->insn, op->lanes, op->space, op->address);
	load_store_begin(op);
	if (op->space == space_SHARED)
		execute(core, op);
	else
		core->lsu.remote->at_once(core, op->slot, op->insn, op->lanes, op->address, load_store_index(core, op));
	load_store_drop(core, op);
}

const struct memory_kind memory_async = {
	.noun = "asynchronous store",
	.issue = issue,
	.capture = capture,
	.serve_shared = serve_shared,
	.queue = load_store_enter,
	.execute = execute_at_once,
	.remote.sent = sent_bytes,
	.remote.timed = access_bytes,
	.remote.execute = execute,
};
