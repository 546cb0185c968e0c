/* ldslk and stsul: a load and a store of a word of shared memory, during which the lock unit takes and frees the word's
 * bit (paper 3, section 3.2).  It works beside the data: neither takes longer than a load or a store. */
#include "machine/core/group.h"
#include "machine/lsu/access.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/element.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/lock_bits.h"
#include "machine/state/machine.h"

#include <assert.h>

static void *create(struct core *core, struct arena *arena)
{
	return lock_bits_create(core->machine->model, arena);
}

/* The word, and whether the lane got the bit: {d, d}, d|p or d alone. */
static void load_lock(struct core *core, const struct operation *op)
{
	const struct kernel *kernel = op->group->core_launch->launch->kernel;
	const struct insn *i = op->insn;
	const struct insn_extra *extra = &kernel->extras[i->extra];
	bool has_two = i->extra && extra->vector_count == 2;
	lane_mask got = lock_bits_take(core, op);

	assert(op->lanes);
	assert(!(got & ~op->lanes));
	if (i->pd != NO_PREDICATE)
		op->predicates[i->pd] = (op->predicates[i->pd] & ~op->lanes) | got;
	EACH_LANE(l, op->lanes) {
		uint32_t got_it[4] = {got >> l & 1}; /* as many bytes as any element has */

		element_put(op->bank, has_two ? extra->vector[0] : i->d, (uint32_t)l, op->slot->warp.lanes, i,
			op->group->shared + op->address[l]);
		if (has_two)
			element_put(op->bank, extra->vector[1], (uint32_t)l, op->slot->warp.lanes, i, got_it);
	}
}

static uint64_t serve_load_lock(struct core *core, struct operation *op, uint64_t at)
{
	assert(op->space == space_SHARED);
	assert(op->insn->kind == INSN_LOAD_LOCK);
	load_lock(core, op);
	return at;
}

static void load_lock_at_once(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space, uint64_t *address)
{
	struct operation op;

	assert(space == space_SHARED);
	(void)space;
	access_begin(&op, r, i, lanes, address);
	op.predicates = r->warp.predicates;
	load_lock(core, &op);
}

static void unlock(struct core *core, const struct operation *op)
{
	assert(op->insn->kind == INSN_STORE_UNLOCK);
	lock_bits_free(core, op);
	atomic_go_on(core);
}

static uint64_t serve_store_unlock(struct core *core, struct operation *op, uint64_t at)
{
	assert(op->space == space_SHARED);
	memory_kinds[INSN_STORE]->serve_shared(core, op, at);
	unlock(core, op);
	return at;
}

static void store_unlock_at_once(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space, uint64_t *address)
{
	struct operation op;

	assert(space == space_SHARED);
	memory_kinds[INSN_STORE]->at_once(core, r, i, lanes, space, address);
	access_begin(&op, r, i, lanes, address);
	unlock(core, &op);
}

static void leave(struct core *core, struct group *group)
{
	assert(!group->live_warps);
	if (!group->core_launch->launch->kernel->uses.lock_bits)
		return;
	lock_bits_end_group(core, group);
	atomic_go_on(core);
}

const struct group_hooks group_hooks_lock_bits = {.leave = leave};

const struct memory_kind memory_load_lock = {
	.noun = "ldslk",
	.create = create,
	.issue = load_store_issue_space,
	.serve_shared = serve_load_lock,
	.at_once = load_lock_at_once,
};

const struct memory_kind memory_store_unlock = {
	.noun = "stsul",
	.issue = load_store_issue_space,
	.capture = store_capture,
	.serve_shared = serve_store_unlock,
	.at_once = store_unlock_at_once,
};
