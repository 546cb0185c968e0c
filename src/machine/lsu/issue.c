/* Issue of memory instructions: to which space they go, what is checked, what is queued. */
#include "machine/core/fault.h"
#include "machine/core/fence.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/lsu/access.h"
#include "machine/lsu/banks.h"
#include "machine/lsu/in_core.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/memory_kind.h"
#include "machine/lsu/remote.h"
#include "machine/lsu/texture.h"
#include "machine/state/machine.h"

#include <assert.h>

void load_store_await_result(struct core *core, const struct operation *op)
{
	assert(op->pending);
	assert(core->lsu.queue_operations <= core->lsu.queue_limit);
	core->lsu.queue_operations++;
	if (!memory_kind_has_result(op->insn))
		return;
	core_set_results_ready(op->slot, op->insn, NEVER);
	if (op->space == space_SHARED)
		schedule_note_shared(core, op->slot, op->insn, NEVER);
}

static uint32_t shared_cycles(const struct core *core, struct operation *op)
{
	const uint32_t turn = core->machine->model->shared_banks * 4;

	assert(op->space == space_SHARED);
	if (op->in_rows && op->slot->warp.memory->rows_are_within(&op->rows, turn))
		return 1; /* no bank is asked for two words */
	if (op->in_rows)
		access_leave_rows(op);
	if (op->kind->shared_cycles)
		return op->kind->shared_cycles(core, op);
	return banks_cycles(core->machine->model, op->slot->warp.memory, op->insn, op->address, op->lanes);
}

/* In a kernel with lock bits an atomic of shared memory may wait for one, which later instructions of the warp must
 * not free first. */
static bool holds_warp(const struct core *core, const struct operation *op)
{
	return op->space == space_GLOBAL ? core->machine->model->atomic_waits
					 : op->group->core_launch->launch->kernel->uses.lock_bits;
}

void load_store_enter(struct core *core, struct operation *op)
{
	struct warp_slot *r = op->slot;
	bool is_part;

	assert(op->lanes);
	assert(!r->held || core->lsu.splitting);
	if (op->space == space_SHARED) {
		load_store_queue(core, op, NO_LINE, op->lanes, shared_cycles(core, op));
		core->counters.shared_accesses++;
	} else if (op->space == space_CLUSTER) {
		remote_queue(core, op);
		core->counters.shared_accesses++;
	} else {
		load_store_queue_lines(core, op, op->lanes);
		op->kind->count(&core->counters, op);
	}
	observe_access(core, r, op->insn, op->lanes, op->space, op->address);
	load_store_await_result(core, op);
	is_part = core->lsu.splitting || (op->kind->is_atomic && holds_warp(core, op));
	op->part = is_part;
	r->parts += is_part;
	r->held |= is_part | op->ordered;
}

/* Checks an operation's addresses, captures what is stored, and puts it into the queue. */
static void check_and_enter(struct core *core, struct operation *op)
{
	assert(!op->pending && op->lanes);
	op->lanes = access_allowed(core, op->slot, op->insn, op->lanes, op->space, op->address);
	if (!op->lanes) {
		load_store_free(core, op);
		return;
	}
	if (op->kind->capture)
		op->kind->capture(op);
	load_store_enter(core, op);
}

void load_store_issue_at(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space, uint64_t *address)
{
	struct operation *op;

	assert(lanes);
	if (core->machine->functional) {
		access_direct_at(core, r, i, lanes, space, address);
		return;
	}
	op = load_store_take(core, r, i, lanes, space);
	memcpy(op->address, address, r->warp.lanes * sizeof *address);
	check_and_enter(core, op);
}

void load_store_start(struct core *core, struct operation *op)
{
	assert(op->lanes && !op->pending);
	(core->machine->functional ? op->kind->execute : op->kind->queue)(core, op);
}

/* An access of shared memory that need not be checked. */
static void issue_rows(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, const struct memory_rows *rows)
{
	struct operation *op = load_store_take(core, r, i, lanes, space_SHARED);

	assert(!core->machine->functional);
	assert(!op->pending);
	op->in_rows = true;
	op->rows = *rows;
	__builtin_prefetch(r->group->shared + rows->at[0]);
	__builtin_prefetch(r->group->shared + rows->at[1]);
	if (op->kind->capture)
		op->kind->capture(op);
	load_store_enter(core, op);
}

void load_store_issue_space(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	struct memory_rows rows;
	struct operation *op;

	assert(lanes && space != space_NONE && space != space_SURFACE);
	if (space == space_PARAM || space == space_CONST || space == space_LOCAL) {
		in_core_issue(core, r, i, lanes, space);
		return;
	}
	if (space == space_CLUSTER && !memory_kinds[i->kind]->remote.apply && !memory_kinds[i->kind]->remote.execute) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_space,
			"%s in the shared memory of another work-group of the cluster", memory_kinds[i->kind]->noun);
		return;
	}
	if (core->machine->functional) {
		access_direct(core, r, i, lanes, space);
		return;
	}
	if (space == space_SHARED && access_shared_rows(core, r, i, lanes, &rows)) {
		issue_rows(core, r, i, lanes, &rows);
		return;
	}
	op = load_store_take(core, r, i, lanes, space);
	access_addresses(op->address, &r->warp, i, lanes, space);
	check_and_enter(core, op);
}

bool load_store_must_wait_to_release(struct core *core, struct warp_slot *r, const struct insn *i)
{
	uint8_t order = i->access.order;

	assert(r->used && !r->finished);
	if (l1_scope_of(i->access.scope) == L1_SCOPE_GROUP ||
		(order != order_RELEASE && order != order_ACQ_REL && order != order_SC))
		return false;
	return !fence_release(core, r);
}

/* Generic addresses may lie in several spaces. */
static void issue_generic(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	lane_mask of[SPACES];

	assert(!core->lsu.splitting);
	access_resolve(of, &r->warp, i, lanes);
	for (uint8_t space = space_CONST; space < SPACES; space++)
		core->lsu.splitting |= of[space] && of[space] != lanes;
	for (uint8_t space = space_CONST; space < SPACES; space++)
		if (of[space] && !core->stopped)
			memory_kinds[i->kind]->issue(core, r, i, of[space], space);
	core->lsu.splitting = false;
}

void load_store_issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint8_t space = i->access.space;

	assert(!r->parked && !(lanes & ~r->warp.path->active));
	if (lanes && load_store_must_wait_to_release(core, r, i))
		return;
	if (lanes && space == space_SURFACE)
		surface_issue(core, r, i, lanes);
	else if (lanes && (space == space_NONE || (i->access.cluster && r->group->cluster)))
		issue_generic(core, r, i, lanes);
	else if (lanes)
		memory_kinds[i->kind]->issue(core, r, i, lanes, space);
	control_advance(core, r);
}
