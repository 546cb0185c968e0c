/* Windows of the proof: opened and closed, which warps they watch, and what all cores and partitions have seen. */
#include "machine/observe/watch_parts.h"

#include "machine/observe/grids.h"

#include "machine/core/fence.h"
#include "machine/core/matrix_groups.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/lock.h"
#include "machine/lsu/mbarrier.h"
#include "machine/lsu/owned.h"
#include "machine/state/child.h"

#include <assert.h>
#include <string.h>

bool window_is_blocked(const struct core *core, const struct warp_slot *r)
{
	const struct path *path = r->warp.path;
	const uint64_t *address;
	uint32_t pc;
	bool is_queued = r->parked && r->warp.kernel->code[path->pc].access.patience == PATIENCE_FOREVER;

	assert(path->pc < r->warp.kernel->code_count);
	if (r->held && (device_call_waits(r) || grids_waits(r) || matrix_groups_awaited(core, r) ||
			       atomic_lanes_stopped(core, r, &pc, &address)))
		return true;
	return core->machine->lock->queues ? !path->active || is_queued : !path->active && !lock_lanes_asking(core, r);
}

void window_watch(struct core *core, struct warp_slot *r)
{
	struct watch *watch = watch_of(core);
	struct watched_warp *w = &watch->warps[core_slot(core, r)];

	assert(r->used);
	assert(!r->finished);
	assert(w->state == WATCH_NOT);
	if (w->unsteady_since != watch->ended)
		w->unsteady.count = 0;
	*w = (struct watched_warp){.state = window_is_blocked(core, r) ? WATCH_BLOCKED : WATCH_MOVING,
		.next_copy = 1,
		.looks = true,
		.first_pc = watch->timed ? UINT32_MAX : 0,
		.copy = w->copy,
		.room = w->room,
		.round.at = w->round.at,
		.unsteady = w->unsteady,
		.unsteady_since = watch->ended};
	watch->moving += w->state == WATCH_MOVING;
	assert(watch->moving <= core->warps.count);
	observer_follow(core, r, OBSERVER_watch);
}

void window_each_warp(struct machine *machine, void (*visit)(struct core *core, struct warp_slot *r))
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];

		for (uint64_t m = core_warps(core); m; m &= m - 1) {
			struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

			assert(r->used);
			assert(r->bit == (m & -m));
			if (!r->finished)
				visit(core, r);
		}
	}
}

static void unwatch(struct core *core, struct warp_slot *r)
{
	observer_leave(core, r, OBSERVER_watch);
}

void window_close(struct machine *machine)
{
	assert(machine->watcher);
	window_each_warp(machine, unwatch);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		observer_detach(&machine->cores.at[c], OBSERVER_watch);
	for (uint32_t p = 0; p < machine->partition_count; p++)
		partition_watch(machine->partitions[p], NULL);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (machine->cores.at[c].owned)
			owned_watch(&machine->cores.at[c], NULL);
}

void window_open(struct machine *machine, struct watcher *w)
{
	if (!w->memory) {
		w->memory = arena_new_array(&machine->arena, struct journal, journals_of(machine));
		w->misses = arena_new_array(&machine->arena, uint64_t, machine->cores.count);
	}
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];
		struct watch *watch;

		if (!core->machine)
			continue;
		assert(!watch_of(core));
		watch = observer_attach(machine, core, OBSERVER_watch);
		assert(watch == watch_of(core));
		watch->broken = 0;
		memset(watch->arrivals, 0, sizeof watch->arrivals);
		watch->endless = false;
		watch->alone = watch->unsteady = watch->timed = watch->undecided = false;
		watch->memory = w->memory;
		watch->journals = journals_of(machine);
		watch->ended = w->ended;
		journal_open(&watch->journal, false);
		watch->moving = 0;
		watch->limit = w->limit;
		watch->arena = &machine->cores.arenas[c];
		for (uint32_t k = 0; k < core->warps.count; k++)
			watch->warps[k].state = WATCH_NOT;
	}
	for (uint32_t p = 0; p < journals_of(machine); p++)
		journal_open(&w->memory[p], false);
	for (uint32_t p = 0; p < machine->partition_count; p++)
		partition_watch(machine->partitions[p], &w->memory[p]);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (machine->cores.at[c].owned)
			owned_watch(&machine->cores.at[c], &w->memory[machine->partition_count + c]);
	assert(w->memory);
	w->opened = watcher_now(machine);
	w->longest_limit = 0;
}

bool window_choose(struct machine *machine, struct watcher *w)
{
	for (uint32_t k = 0; k < machine->cores.count; k++) {
		struct core *core = &machine->cores.at[(w->attempts + k) % machine->cores.count];

		for (uint32_t j = 0; j < core->warps.count; j++) {
			uint32_t slot = (w->attempts + j) % core->warps.count;
			struct warp_slot *r = &core->slots[slot];

			if (!(core_warps(core) >> slot & 1) || r->finished || window_is_blocked(core, r))
				continue;
			window_watch(core, r);
			assert(watch_of(core)->moving == 1);
			return true;
		}
	}
	return false;
}

void window_close_epochs(struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];
		struct watch *watch = watch_of(core);

		assert(!watch || watch->ended == machine->watcher->ended);
		for (uint64_t m = watch ? core->groups.used : 0; m; m &= m - 1)
			watch->epochs[__builtin_ctzll(m)] = fence_close_epoch(&core->groups.at[__builtin_ctzll(m)]);
	}
}

bool window_is_drained(const struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];
		const struct watch *watch = watch_of(core);

		assert(!watch || watch->ended == machine->watcher->ended);
		for (uint64_t m = core_warps(core); m; m &= m - 1)
			if (copy_is_outstanding(core, &core->slots[__builtin_ctzll(m)]))
				return false;
		for (uint64_t m = watch ? core->groups.used : 0; m; m &= m - 1)
			if (!fence_drained(&core->groups.at[__builtin_ctzll(m)], watch->epochs[__builtin_ctzll(m)]))
				return false;
	}
	return true;
}

struct window_seen watch_seen(const struct machine *machine)
{
	const struct watcher *w = machine->watcher;
	struct window_seen seen = {0};

	for (uint32_t p = 0; w->memory && p < journals_of(machine); p++) /* null: no window has been opened yet */
		seen.changed |= w->memory[p].changed;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct watch *watch = watch_of(&machine->cores.at[c]);
		uint64_t limit = watch ? mbarrier_longest_limit(&machine->cores.at[c]) : 0;

		if (!watch)
			continue;
		assert(watch->moving <= machine->cores.at[c].warps.count);
		seen.longest_limit = limit > seen.longest_limit ? limit : seen.longest_limit;
		seen.changed |= (watch->broken & PREMISES_OF_CHANGE) || watch->journal.changed;
		seen.timed |= (watch->broken & PREMISES_OF_TIME & ~(watch->timed ? PREMISE_TIME : 0u)) != 0;
		seen.endless |= watch->endless;
		seen.host |= (watch->broken & PREMISE_HOST) != 0;
		seen.clock |= (watch->broken & PREMISE_CLOCK) || watch->undecided;
		seen.times |= (watch->broken & PREMISE_TIME) != 0;
		seen.moving += watch->moving;
	}
	return seen;
}

bool watch_reads_stale(const struct core *core, const struct warp_slot *r)
{
	const struct watched_warp *w = watch_of(core) ? &watch_of(core)->warps[core_slot(core, r)] : NULL;

	assert(!w || w->state != WATCH_BACK || w->bytes);
	return w && w->state == WATCH_BACK && w->stale;
}

bool window_lines_may_change(struct machine *machine, const struct watcher *w)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];

		assert(!watch_of(core) || misses_of(core) >= w->misses[c]);
		if (!watch_of(core) || misses_of(core) == w->misses[c])
			continue;
		for (uint32_t slot = 0; slot < core->warps.count; slot++)
			if (watch_reads_stale(core, &core->slots[slot]))
				return true;
	}
	return false;
}

bool window_barriers_may_fill(const struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];
		const struct watch *watch = watch_of(core);

		for (uint64_t m = watch ? core->groups.used : 0; m; m &= m - 1) {
			uint32_t g = (uint32_t)__builtin_ctzll(m);

			assert(g < core->groups.count);
			assert(!(watch->arrivals[g] >> GROUP_BARRIERS));
			for (uint32_t came = watch->arrivals[g]; came; came &= came - 1)
				if (core->groups.at[g].barriers[__builtin_ctz(came)].waiting)
					return true;
		}
	}
	return false;
}
