/* Changes to a launch that is run again and paused as it hangs: words, barriers, phases, threads. */
#include "explore/again_parts.h"

#include "machine/core/barrier.h"
#include "machine/core/cluster.h"
#include "machine/core/control.h"
#include "machine/core/path.h"
#include "machine/core/registers.h"
#include "machine/gpu/launches.h"
#include "machine/gpu/machine.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/lock_bits.h"
#include "machine/lsu/mbarrier.h"
#include "machine/observe/locks.h"
#include "machine/observe/watch.h"
#include "memory/snapshot.h"

#include <string.h>

/* The work-group that is changed, and its core; null: it is on none. */
static struct group *find_group(const struct again *again, const struct change *change, struct core **core)
{
	const struct machine *machine = again->gpu.machine;

	return machine ? machine_group(machine, change->launch, change->group, core) : NULL;
}

static void drop_from(struct l1 *l1, uint64_t address)
{
	assert(address >= GLOBAL_BASE);
	l1_write(l1, l1_line_of(l1, address), NULL, false);
}

/* Evicts the line from all L1s, so that no load gets the old value. */
static void drop_line(const struct machine *machine, uint64_t address)
{
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (machine->cores.at[c].machine)
			drop_from(&machine->cores.at[c].l1, address);
}

/* Where the word is; null: its work-group or memory is not there. */
static void *memory_of(const struct again *again, const struct change *change)
{
	struct core *core;
	const struct group *group;

	if (change->space != space_SHARED)
		return space_find(&again->gpu.space, change->address, change->bytes)
			       ? space_host(&again->gpu.space, change->address)
			       : NULL;
	group = find_group(again, change, &core);
	return group && change->address + change->bytes <= group->core_launch->launch->group.shared_bytes
		       ? group->shared + change->address
		       : NULL;
}

bool again_word(struct again *again, const struct change *change, uint64_t value)
{
	struct machine *machine = again->gpu.machine;
	void *at = machine ? memory_of(again, change) : NULL;

	if (!at)
		return false;
	if (change->space != space_SHARED)
		snapshot_save_range(&machine->at_start.snapshot->logs[0], change->address, change->bytes);
	memcpy(at, &value, change->bytes);
	if (change->space != space_SHARED)
		drop_line(machine, change->address);
	return true;
}

bool again_read_word(const struct again *again, const struct change *change, uint64_t *value)
{
	const void *at = memory_of(again, change);

	*value = 0;
	if (at)
		memcpy(value, at, change->bytes);
	return at;
}

/* A kernel begins as if it had been in a stream of its own.  Its owner is null. */
static bool start_beside(struct again *again, const struct gpu_launch *launch)
{
	struct gpu *gpu = &again->gpu;

	if (!launch || launch->kernel->uses.heap || launch->kernel->uses.device || gpu->dispatch->guarantees)
		return false;
	gpu_start(gpu, launch);
	return true;
}

bool again_let_past(struct again *again, const struct queued_work *work)
{
	struct machine *machine = again->gpu.machine;

	if (work->is_kernel)
		return start_beside(again, work->launch);
	if (!machine || !work->contents || !space_find(&again->gpu.space, work->address, work->bytes))
		return false;
	snapshot_save_range(&machine->at_start.snapshot->logs[0], work->address, work->bytes);
	memcpy(space_host(&again->gpu.space, work->address), work->contents, work->bytes);
	for (uint64_t at = work->address; at < work->address + work->bytes; at += LEAST_LINE)
		drop_line(machine, at);
	drop_line(machine, work->address + work->bytes - 1);
	return true;
}

bool again_free_bit(struct again *again, const struct change *change)
{
	struct core *core;
	const struct group *group = find_group(again, change, &core);

	if (!group || !lock_bits_taker(core, group, change->address))
		return false;
	lock_bits_release(core, group, change->address);
	atomic_go_on(core);
	return true;
}

bool again_end_phase(struct again *again, const struct change *change)
{
	struct core *core;
	const struct group *group = find_group(again, change, &core);

	return group && mbarrier_end_phase(core, group, change->address);
}

bool again_open_barrier(struct again *again, const struct change *change)
{
	struct core *core;
	struct group *group = find_group(again, change, &core);

	if (!group || change->barrier >= GROUP_BARRIERS || !group->barriers[change->barrier].waiting)
		return false;
	if (change->barrier == CLUSTER_BARRIER)
		cluster_open(core->machine, group);
	else
		barrier_open(core, group, change->barrier);
	return true;
}

bool again_give_registers(struct again *again, const struct change *change)
{
	const struct machine *machine = again->gpu.machine;
	bool any = false;

	again->gpu.experiment.boundless_pools = true;
	EACH_USED_CORE(machine, c) {
		struct core *core = &machine->cores.at[c];

		for (uint64_t m = core->groups.used; m; m &= m - 1)
			if (core->groups.at[__builtin_ctzll(m)].launch == change->launch)
				any |= registers_give_all(core, &core->groups.at[__builtin_ctzll(m)]);
	}
	return any;
}

struct warp_slot *again_find_thread(
	const struct again *again, const struct change *change, struct core **core, uint32_t *lane)
{
	const struct group *group = find_group(again, change, core);
	const struct warp_slot *r = group ? core_slot_of(*core, group, change->thread) : NULL;

	if (!r || slot_thread_ended(r, change->thread))
		return NULL;
	*lane = change->thread - r->warp.first_thread;
	return &(*core)->slots[core_slot(*core, r)];
}

static bool holds_lock(const struct core *core, const struct warp_slot *r, uint32_t lane)
{
	const struct warp_locks *locks = locks_of(core, r);

	for (uint32_t k = 0; k < locks->held; k++)
		if (locks->at[k].lane == lane)
			return true;
	return false;
}

/* An attempt to take a lock is outstanding: if it succeeds after the thread has ended, the lock is never released. */
static bool tries_for_lock(const struct core *core, const struct warp_slot *r, uint32_t lane)
{
	for (uint32_t k = 0; k < core->lsu.operation_fresh; k++) {
		const struct operation *op = &core->lsu.operations[k];

		if (op->pending && op->slot == r && op->lanes >> lane & 1 &&
			(op->insn->kind == INSN_ACQUIRE || op->insn->kind == INSN_LOAD_LOCK ||
				(op->insn->kind == INSN_ATOMIC && !(op->insn->flags & INSN_NO_RESULT))))
			return true;
	}
	return false;
}

static void release_locks(struct again *again, const struct core *core, const struct warp_slot *r, lane_mask lanes)
{
	const struct warp_locks *locks = locks_of(core, r);

	for (uint32_t k = 0; k < locks->held; k++) {
		struct change lock = {.space = locks->at[k].address < GLOBAL_BASE ? space_SHARED : space_GLOBAL,
			.bytes = 4,
			.address = locks->at[k].address,
			.launch = r->group->launch,
			.group = r->group->number};

		if (lanes >> locks->at[k].lane & 1)
			again_word(again, &lock, 0);
	}
}

#define MOMENTS 256 /* quanta */

bool again_remove_thread(struct again *again, const struct change *change, bool *held_locks)
{
	struct core *core;
	uint32_t lane;
	struct warp_slot *r = again_find_thread(again, change, &core, &lane);
	bool held_none = false; /* at some moment it held no lock */

	for (uint32_t k = 0; r && k < 2 * MOMENTS && (k < MOMENTS || held_none); k++) {
		*held_locks = holds_lock(core, r, lane);
		held_none |= !*held_locks;
		if (!tries_for_lock(core, r, lane) && (!*held_locks || k >= MOMENTS)) {
			release_locks(again, core, r, (lane_mask)1 << lane);
			control_end_lanes(core, r, (lane_mask)1 << lane);
			return true;
		}
		again_run(again, (struct again_limits){.cycles = 1, .until = again->until});
		r = again_find_thread(again, change, &core, &lane);
	}
	return false;
}

/* ---- Endless loops ---- */

struct loop_lanes {
	const struct kernel *kernel;
	uint32_t first, last;
	lane_mask lanes;
};

/* In the loop, or in a function that it calls. */
static bool is_in(const struct loop_lanes *loop, uint32_t pc)
{
	return (pc >= loop->first && pc <= loop->last) ||
	       loop->kernel->code[pc].function != loop->kernel->code[loop->first].function;
}

static void gather_lanes(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct loop_lanes *loop = context;
	bool runs = !waiting || !strcmp(waiting, WAITS_FOR_TURN);

	if (runs && is_in(loop, pc))
		loop->lanes |= lanes;
}

/* The lanes of a warp that go through the loop. */
static lane_mask lanes_in(const struct machine *machine, const struct warp_slot *r, struct loop_lanes loop)
{
	const struct path *path = r->warp.path;

	if (machine->divergence->each_path)
		path_each(r, gather_lanes, &loop);
	else if (is_in(&loop, path->pc))
		loop.lanes = path->active;
	return loop.lanes & r->warp.live;
}

static uint32_t end_in_group(struct again *again, struct core *core, const struct group *group, struct loop_lanes loop)
{
	uint32_t ended = 0;

	for (uint64_t m = group->used ? group->slots : 0; m && group->used; m &= m - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(m)];
		lane_mask lanes = r->finished ? 0 : lanes_in(again->gpu.machine, r, loop);

		if (!lanes)
			continue;
		release_locks(again, core, r, lanes);
		control_end_lanes(core, r, lanes);
		ended += (uint32_t)__builtin_popcountll(lanes);
	}
	return ended;
}

uint32_t again_end_loop(struct again *again, const struct change *change)
{
	const struct machine *machine = again->gpu.machine;
	struct core *core;
	uint32_t lane, ended = 0;
	struct warp_slot *r = again_find_thread(again, change, &core, &lane);
	const struct watched_warp *w = r && watch_of(core) ? &watch_of(core)->warps[core_slot(core, r)] : NULL;
	struct loop_lanes loop = {.first = UINT32_MAX};

	if (!w || w->first_pc > w->last_pc)
		return 0;
	loop.kernel = r->warp.kernel;
	loop.first = w->first_pc;
	loop.last = w->last_pc;
	EACH_USED_CORE(machine, c) {
		core = &machine->cores.at[c];
		for (uint64_t m = core->groups.used; m; m &= m - 1) {
			const struct group *group = &core->groups.at[__builtin_ctzll(m)];

			if (group->launch == change->launch)
				ended += end_in_group(again, core, group, loop);
		}
	}
	return ended;
}
