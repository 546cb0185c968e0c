/* What must be true of cores, groups, warps, operations and the L1 at the end of a quantum, and of the whole machine at
 * the end.
 *
 * A core that a finding has stopped is in the middle of a cycle, and is left out. */
#include "machine/gpu/audit.h"

#include "machine/core/fence.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/owned.h"
#include "machine/lsu/yield.h"
#include "machine/state/launch_state.h"

#ifndef NDEBUG

#include <assert.h>

static uint32_t count(uint64_t mask)
{
	return (uint32_t)__builtin_popcountll(mask);
}

static uint64_t any_of(const uint64_t *masks, uint32_t length)
{
	uint64_t all = 0;

	for (uint32_t k = 0; k < length; k++)
		all |= masks[k];
	return all;
}

/* The warps that are ready, wait for whatever it is, or want a unit. */
static uint64_t scheduled(const struct core *core)
{
	return core->ready | any_of(core->waiting, WAIT_REASONS) | any_of(core->wheel.slot, WHEEL_SLOTS) |
	       any_of(core->wants, UNIT_COUNT);
}

/* Operations that are not over. */
static uint32_t operations_left(const struct core *core)
{
	uint32_t free = 0;

	for (uint32_t k = core->lsu.operation_free; k != L1_NONE; k = core->lsu.operations[k].next_free) {
		assert(k < core->lsu.operation_fresh);
		free++;
	}
	assert(free <= core->lsu.operation_fresh && core->lsu.operation_fresh <= core->lsu.operation_count);
	assert(core->lsu.operations_used == core->lsu.operation_fresh - free);
	return core->lsu.operations_used;
}

/* ---- At the end ---- */

static void audit_idle_core(const struct core *core)
{
	assert(!core->groups.used && !core_warps(core) && !core->warps.resident);
	assert(!core->groups.registers && !core->groups.shared);
	assert(!scheduled(core));
	assert(load_store_is_idle(core) && !operations_left(core));
	/* the last news of a cluster may be on its way: nobody waits for that */
	assert(!core->in_flight && (!inbox_count(core->inbox) || core->groups.clusters));
	assert(!core->l1.miss_count && !core->l1.open_count && core->l1.miss_used == L1_NONE);
	for (uint32_t k = 0; k < L1_OWN_STORES; k++)
		assert(!core->l1.own_stores[k]);
	assert(!core->owned || owned_is_idle(core));
}

void audit_launch(const struct launch *launch)
{
	uint32_t done = 0;

	for (uint32_t k = 0; k < launch->part_count; k++) {
		audit_launch(launch->parts[k]);
		done += launch->parts[k]->total_groups;
	}
	assert(launch->dispatch.next_group == launch->total_groups);
	for (uint32_t c = 0; c < launch->core_count; c++) {
		const struct core_launch *on = launch->on[c];
		const struct core *core = &launch->machine->cores.at[c];

		if (!on)
			continue;
		done += (uint32_t)on->groups_done;
		assert(count(on->free_groups) == launch_groups_on(launch, c));
		assert(count(on->free_warps) == launch_groups_on(launch, c) * launch->group.warps);
		for (uint64_t m = core->groups.used; m; m &= m - 1)
			assert(core->groups.at[__builtin_ctzll(m)].core_launch != on);
	}
	assert(done == launch->total_groups);
}

static void audit_idle_node(const struct machine *machine, const struct node *node)
{
	/* The last of what coherent L1s have evicted may be on its way: nothing waits for that. */
	if (!node->outbox || machine->coherence->directory || machine->cores.peers)
		return;
	assert(!outbox_count(node->outbox, machine->time.parity));
	for (uint32_t k = 0; k < node->inbox_count; k++)
		assert(!inbox_count(node->inboxes[k]));
}

void audit_end(const struct machine *machine)
{
	assert(!machine->launches.first);
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];

		if (!core->machine)
			continue;
		audit_idle_core(core);
	}
	for (uint32_t p = 0; p < machine->partition_count && !machine->functional; p++) {
		assert(partition_is_idle(machine->partitions[p]));
		assert(!partition_locks_waiting(machine->partitions[p]));
	}
	for (uint32_t n = 0; n < machine->nodes.count && !machine->functional; n++)
		audit_idle_node(machine, &machine->nodes.at[n]);
}

/* ---- Between quanta ---- */

#ifdef LOCKSTEP_HOSTILE

/* How many slots of the wheel have the warp; the last of them. */
static uint32_t places_in_wheel(const struct core *core, uint64_t bit, uint32_t *slot)
{
	uint32_t places = 0;

	for (uint32_t k = 0; k < WHEEL_SLOTS; k++)
		if (core->wheel.slot[k] & bit) {
			assert(core->wheel.used[k]);
			*slot = k;
			places++;
		}
	return places;
}

/* It is ready, or in the wheel, or parked; and its next instruction wants one unit.  Functional mode has no wheel. */
static void audit_waiting(const struct core *core, const struct warp_slot *r)
{
	const uint64_t timed = core->machine->functional ? 0
							 : core->waiting[WAIT_OPERAND] | core->waiting[WAIT_FETCH] |
								   core->waiting[WAIT_SLEEP];
	uint32_t sets = 0, units = 0, slot = 0, places = places_in_wheel(core, r->bit, &slot);

	for (uint32_t k = 0; k < WAIT_REASONS; k++)
		sets += (core->waiting[k] & r->bit) != 0;
	assert(sets == !(core->ready & r->bit));
	assert(!sets || core->waiting[r->reason] & r->bit);
	assert(places == ((timed & r->bit) != 0));
	assert(!core->machine->functional || !((core->waiting[WAIT_SLEEP] ^ core->asleep) & r->bit));
	if (places) {
		assert(core->ready_at[core_slot(core, r)] >= core->now);
		assert((slot + WHEEL_SLOTS - core->now % WHEEL_SLOTS) % WHEEL_SLOTS <=
			core->ready_at[core_slot(core, r)] - core->now);
	}
	assert(!r->held || core->machine->functional || core->waiting[WAIT_FENCE] & r->bit || !r->warp.path->active);
	for (uint32_t k = 0; k < UNIT_COUNT; k++)
		units += (core->wants[k] & r->bit) != 0;
	assert(core->machine->functional || (units == 1 && core->wants[r->unit] & r->bit));
}

static void audit_warp(const struct core *core, const struct group *group, const struct warp_slot *r)
{
	assert(r->used && r->group == group && r->bit == 1ull << core_slot(core, r));
	assert(!(r->core_launch->free_warps >> r->place & 1));
	assert(r->in_fence == ((group->fencing & r->bit) != 0));
	if (r->finished) {
		assert(!r->warp.live && !r->in_fence);
		assert(!(scheduled(core) & r->bit));
		return;
	}
	assert(r->warp.live && !(r->warp.path->active & ~r->warp.live));
	assert(!r->in_fence || !fence_is_over(r));
	for (uint32_t k = 0; k < GROUP_BARRIERS; k++)
		assert((group->barriers[k].waiting & r->bit) == (r->waiting_lanes[k] ? r->bit : 0));
	audit_waiting(core, r);
}

/* Registers are neither lost nor made, unless a test of a cause makes them. */
static void audit_pool(const struct group *group)
{
	uint32_t sum = group->pool ? group->pool->free : 0;

	if (!group->pool || group->pool->free > group->pool->size)
		return;
	for (uint64_t m = group->slots; m; m &= m - 1)
		sum += group->pool->has[__builtin_ctzll(m)];
	assert(sum == group->pool->size);
	assert(!group->barriers[REGISTER_WAIT].waiting || group->pool->free < group->pool->size);
}

static void audit_group(const struct core *core, const struct group *group)
{
	uint32_t live = 0, threads = 0, outstanding = 0;

	assert(count(group->slots) == group->warps && !(group->fencing & ~group->slots));
	assert(!(group->core_launch->free_groups >> group->place & 1));
	for (uint64_t m = group->slots; m; m &= m - 1) {
		const struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

		audit_warp(core, group, r);
		live += !r->finished;
		threads += count(r->warp.live);
	}
	audit_pool(group);
	assert(live == group->live_warps && threads == group->live_threads);
	for (uint32_t k = 0; k < FENCE_EPOCHS; k++) {
		assert(group->suspended[k] <= group->outstanding[k]);
		outstanding |= group->outstanding[k];
	}
	assert(live || outstanding); /* else its place were free */
	for (uint32_t k = 0; k < GROUP_BARRIERS; k++) {
		const struct barrier *b = &group->barriers[k];

		assert(!(b->waiting & ~group->slots) && (!b->waiting || (b->arrived && group->barriers_used >> k & 1)));
		assert(!b->arrived || b->arrived < (b->expected ? b->expected : group->live_threads));
	}
}

static bool is_free(const struct core *core, uint32_t operation)
{
	for (uint32_t k = core->lsu.operation_free; k != L1_NONE; k = core->lsu.operations[k].next_free)
		if (k == operation)
			return true;
	return false;
}

/* Each operation that is not over belongs to a group that is there, which counts all that it waits for.  A lock request
 * that waits in a queue is nothing that the group waits for. */
static void audit_operations(const struct core *core)
{
	uint32_t pending[CORE_WARPS][FENCE_EPOCHS] = {0}, used = operations_left(core), seen = 0;
	uint64_t with = 0;

	for (uint32_t k = 0; k < core->lsu.operation_fresh; k++) {
		const struct operation *op = &core->lsu.operations[k];

		if (is_free(core, k))
			continue;
		seen++;
		assert(op->group->used && op->pending);
		with |= op->slot->bit;
		if (op->insn->kind != INSN_ACQUIRE)
			pending[op->group - core->groups.at][op->epoch % FENCE_EPOCHS] += op->pending;
	}
	assert(seen == used);
	for (uint64_t m = core->groups.used; m; m &= m - 1)
		for (uint32_t e = 0; e < FENCE_EPOCHS; e++)
			assert(core->groups.at[__builtin_ctzll(m)].outstanding[e] >= pending[__builtin_ctzll(m)][e]);
	assert(!(core->waiting[WAIT_MEMORY] & ~with)); /* a warp that waits for memory has asked for something */
}

static void audit_queue(const struct core *core)
{
	uint32_t operations = 0, last = L1_NONE;

	assert(core->lsu.queue_count <= core->lsu.queue_size);
	/* a generic access may be two: shared and global */
	assert(core->lsu.queue_operations <= core->lsu.queue_limit + 1);
	for (uint32_t k = 0; k < core->lsu.queue_count; k++) {
		uint32_t operation = core->lsu.queue[(core->lsu.queue_head + k) % core->lsu.queue_size].operation;

		assert(!is_free(core, operation));
		operations += operation != last;
		last = operation;
	}
	assert(operations == core->lsu.queue_operations);
}

/* Each way that was filled is once in its set's list, and a line's address leads to it. */
static void audit_l1_lines(const struct l1 *l1)
{
	for (uint32_t s = 0; s < l1->sets; s++) {
		uint32_t count = 0, older = 0;

		for (uint32_t k = l1->use[s].oldest; k; k = l1->lines[k - 1].newer, count++) {
			assert((k - 1) / l1->ways == s && l1->lines[k - 1].older == older);
			if (l1->tags[k - 1])
				assert(l1_set_of(l1, l1->tags[k - 1]) == s &&
					l1_peek(l1, l1->tags[k - 1]) == l1_data(l1, &l1->lines[k - 1]));
			older = k;
		}
		assert(count == l1->use[s].used && older == l1->use[s].newest && count <= l1->ways);
	}
}

static void audit_l1(const struct core *core)
{
	const struct l1 *l1 = &core->l1;
	uint32_t used = 0, open = 0, previous = L1_NONE;

	for (uint32_t k = l1->miss_used; k != L1_NONE; k = l1->misses[k].next) {
		const struct l1_miss *miss = &l1->misses[k];
		uint32_t waiters = 1;

		assert(miss->used && miss->previous == previous && miss->waiting && miss->waiting <= l1->merges);
		for (uint32_t w = miss->first; w != miss->last; w = l1->waiters[w].next, waiters++)
			assert(!is_free(core, l1->waiters[w].user));
		assert(waiters == miss->waiting && !is_free(core, l1->waiters[miss->last].user));
		used++;
		open += miss->open;
		previous = k;
	}
	assert(used == l1->miss_count && open == l1->open_count);
	audit_l1_lines(l1);
}

static void audit_core(const struct core *core)
{
	const struct counters *c = &core->counters;
	uint64_t taken = 0;
	uint32_t registers = 0, shared = 0;

	for (uint64_t m = core->groups.used; m; m &= m - 1) {
		const struct group *group = &core->groups.at[__builtin_ctzll(m)];

		assert(group->used && !(taken & group->slots));
		taken |= group->slots;
		registers += group->core_launch->launch->group.registers;
		shared += group->core_launch->launch->group.shared;
		audit_group(core, group);
	}
	assert(core_warps(core) == taken && core->warps.resident == count(taken));
	assert(core->groups.registers == registers && core->groups.shared == shared + yield_shared(core));
	assert(!(scheduled(core) & ~taken));
	audit_operations(core);
	audit_queue(core);
	audit_l1(core);
	assert(core->in_flight == c->load_packets + c->store_packets + c->atomic_packets + c->share_packets +
					  c->own_packets - c->load_replies - c->store_replies - c->atomic_replies -
					  c->grants);
	assert(c->probed_packets == c->probes);
}

/* Another core has the line in a state that goes with `state` here: see the table in directory.h. */
static void audit_other(const struct machine *machine, const struct core *core, uint64_t line, enum line_state state)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *other = &machine->cores.at[c];
		enum line_state there = other->owned && other != core ? owned_state(other, line) : LINE_INVALID;

		assert(!line_may_be_written(state) || there == LINE_INVALID);
		assert(!line_is_owned(state) || !line_is_owned(there));
	}
}

/* Of each line that a coherent L1 has, the directory knows, and at most one L1 may write it, while no other has it. */
static void audit_lines(const struct machine *machine, const struct core *core)
{
	for (uint32_t k = 0; core->owned && k < owned_places(core); k++) {
		uint64_t line;
		enum line_state state = owned_at(core, k, &line);
		uint32_t partition;

		if (state == LINE_INVALID)
			continue;
		partition = address_slice(&machine->map, line) / machine->map.per_channel;
		assert(directory_allows(
			partition_directory(machine->partitions[partition], line), line, core->index, state));
		audit_other(machine, core, line, state);
	}
}

void audit_round(const struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (machine->cores.at[c].machine && !machine->cores.at[c].stopped) {
			audit_core(&machine->cores.at[c]);
			audit_lines(machine, &machine->cores.at[c]);
		}
}

#endif
#endif
