/* setmaxnreg: the registers that warps of a work-group give back and ask for.
 *
 * PTX ISA, "Miscellaneous Instructions: setmaxnreg": a pool of registers is maintained per CTA; .dec gives registers to
 * it, .inc takes some from it and blocks until there are enough.  Registers keep their values here: what the ISA calls
 * undefined in those that are given or taken is not modelled.  The ISA does not say which of several warps that wait is
 * first: here the one that has waited longest among those for which there are enough.  Nor does it say that a warp
 * which ends gives its registers to the pool, so none does.
 *
 * .inc to fewer registers than the warp has, or .dec to more, is undefined.  Here it does nothing: compilers write it
 * (TileLang 24 and 240 for two warpgroups that start with 256), and an H100 goes on.
 *
 * A warp that waits is at the barrier of number REGISTER_WAIT, which never opens by itself. */
#include "machine/core/registers.h"

#include "machine/core/barrier.h"
#include "machine/core/control.h"
#include "machine/core/executors.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/state/machine.h"

#include <assert.h>

void registers_begin(struct core *core, struct group *group, uint32_t each)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];

	assert(each);
	assert(each <= UINT16_MAX);
	assert(group->slots);
	if (!core->groups.pools)
		core->groups.pools = arena_new_array(arena, struct register_pool, core->groups.count);
	group->pool = &core->groups.pools[group - core->groups.at];
	*group->pool = (struct register_pool){.size = each * group->warps};
	for (uint64_t m = group->slots; m; m &= m - 1)
		group->pool->has[__builtin_ctzll(m)] = (uint16_t)each;
	if (core->machine->gpu->experiment.boundless_pools)
		group->pool->free = UINT32_MAX / 2;
}

static void take(struct register_pool *pool, uint32_t slot, uint32_t count)
{
	assert(count >= pool->has[slot]);
	assert(count - pool->has[slot] <= pool->free);
	pool->free -= count - pool->has[slot];
	pool->has[slot] = (uint16_t)count;
}

/* The warp that has waited longest of those for which there are enough registers; null: none. */
static struct warp_slot *next_served(struct core *core, const struct group *group)
{
	const struct register_pool *pool = group->pool;
	struct warp_slot *first = NULL;

	for (uint64_t m = group->barriers[REGISTER_WAIT].waiting; m; m &= m - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(m);
		struct warp_slot *r = &core->slots[slot];

		assert(r->group == group);
		assert(pool->wants[slot] > pool->has[slot]);
		if (pool->wants[slot] - pool->has[slot] <= (int64_t)pool->free &&
			(!first || r->waits_since < first->waits_since))
			first = r;
	}
	return first;
}

static void serve(struct core *core, struct group *group)
{
	struct barrier *b = &group->barriers[REGISTER_WAIT];
	struct warp_slot *r;

	while ((r = next_served(core, group))) {
		uint32_t slot = core_slot(core, r);

		assert(b->arrived);
		assert(b->waiting & r->bit);
		take(group->pool, slot, group->pool->wants[slot]);
		group->pool->wants[slot] = 0;
		b->waiting &= ~r->bit;
		b->arrived--;
		core->counters.register_wait_cycles += core->now - r->waits_since;
		barrier_let_go(core, r, REGISTER_WAIT, core->now);
	}
}

bool registers_give_all(struct core *core, struct group *group)
{
	bool waits = group->pool && group->barriers[REGISTER_WAIT].waiting;

	if (group->pool)
		group->pool->free = UINT32_MAX / 2;
	if (waits)
		serve(core, group);
	assert(!group->barriers[REGISTER_WAIT].waiting);
	return waits;
}

/* The path waits at the instruction until there are enough. */
static void await(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t count)
{
	struct barrier *b = &r->group->barriers[REGISTER_WAIT];

	assert(count > r->group->pool->has[core_slot(core, r)]);
	r->group->barriers_used |= 1u << REGISTER_WAIT;
	r->group->pool->wants[core_slot(core, r)] = (uint16_t)count;
	b->arrived += !registers_awaited(r);
	b->expected = UINT32_MAX;
	core->counters.register_waits++;
	barrier_wait(core, r, i, REGISTER_WAIT);
}

void registers_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct register_pool *pool = r->group->pool;
	uint32_t slot = core_slot(core, r), count;

	assert(lanes);
	assert(!(lanes & ~r->warp.path->active));
	if (!control_gather_warp(core, r, i, &lanes))
		return;
	count = *(const uint32_t *)slot_at(&r->warp, i->s[0]);
	observe_registers(core, r, i, lanes);
	if (!pool || !registers_are_given(i, pool->has[slot], count)) {
		control_advance(core, r);
	} else if (i->op == OP_setmaxnreg_dec) {
		pool->free += pool->has[slot] - count;
		pool->has[slot] = (uint16_t)count;
		control_advance(core, r);
		serve(core, r->group);
	} else if (count - pool->has[slot] <= pool->free) {
		take(pool, slot, count);
		control_advance(core, r);
	} else {
		await(core, r, i, count);
	}
}
