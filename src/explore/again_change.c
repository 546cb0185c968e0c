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
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/lsu/mbarrier_trace.h"
#include "machine/observe/locks.h"
#include "machine/observe/watch.h"
#include "memory/snapshot.h"

#include "warp/mbarrier.h"

#include <string.h>

/* The work-group that is changed, and its core; null: it is on none. */
static struct group *find_group(const struct again *again, const struct change *change, struct core **core)
{
	const struct machine *machine = again->gpu.machine;

	return machine ? machine_group(machine, change->launch, change->group, core) : NULL;
}

/* Evicts the line from all L1s, so that no load gets the old value. */
static void drop_line(const struct machine *machine, uint64_t address)
{
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (machine->cores.at[c].machine)
			l1_write(&machine->cores.at[c].l1, address & ~(uint64_t)(LINE_BYTES - 1), NULL, false);
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
	for (uint64_t at = work->address; at < work->address + work->bytes; at += LINE_BYTES)
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

/* ---- Missing arrivals at mbarriers ---- */

static bool has_ended(const struct core *core, const struct group *group, uint32_t thread)
{
	const struct warp_slot *r = core_slot_of(core, group, thread);

	return !r || slot_thread_ended(r, thread);
}

/* Of a record's lanes those that have ended and not arrived in the present phase. */
static lane_mask ended_lanes(const struct core *core, const struct group *group, const struct mbarrier_object *object,
	const struct mbarrier_record *r)
{
	lane_mask lanes = r->lanes, ended = 0;

	EACH_RECORD(other, object, object->phase, MBARRIER_ARRIVED)
		if (other->thread == r->thread && !other->is_remote)
			lanes &= ~other->lanes;
	for (lane_mask m = lanes; m; m &= m - 1)
		if (has_ended(core, group, r->thread + (uint32_t)__builtin_ctzll(m)))
			ended |= m & -m;
	return ended;
}

/* MEND_LEAVE, at one object; false: none is missing. */
static bool arrive_for_ended(
	struct core *core, const struct group *group, const struct mbarrier_object *object, const struct change *change)
{
	EACH_RECORD(r, object, object->phase - 1, MBARRIER_ARRIVED) {
		lane_mask ended =
			change_means(change, r->pc) && !r->is_remote ? ended_lanes(core, group, object, r) : 0;
		uint32_t each = r->count / (uint32_t)__builtin_popcountll(r->lanes);

		if (ended)
			return mbarrier_credit(core, group, object->offset, r->thread, ended, r->pc,
				(each ? each : 1) * (uint32_t)__builtin_popcountll(ended));
	}
	return false;
}

/* All of them, until the phase ends. */
static void arrive_for_all_ended(
	struct core *core, const struct group *group, const struct mbarrier_object *object, const struct change *change)
{
	int64_t phase = object->phase;

	while (object->phase == phase && arrive_for_ended(core, group, object, change))
		;
}

/* The thread waits here, too, and has not seen the phase before: an early arrival would lap it. */
static bool is_behind(
	const struct core *core, const struct group *group, const struct mbarrier_object *object, uint32_t thread)
{
	const struct warp_slot *r = core_slot_of(core, group, thread);

	return r && !slot_thread_ended(r, thread) && object->looked >> (thread / r->warp.lanes) & 1 &&
	       mbarrier_seen(object, r, thread - r->warp.first_thread) < object->phase - 1;
}

/* MEND_ARRIVAL: all that the object lacks are the arrivals of the change. */
static void arrive_if_all_else_has(
	struct core *core, const struct group *group, const struct mbarrier_object *object, const struct change *change)
{
	uint64_t bits;

	memcpy(&bits, group->shared + object->offset, sizeof bits);
	if (mbarrier_unpack(bits).pending == change->values[0] && !is_behind(core, group, object, change->thread))
		mbarrier_credit(
			core, group, object->offset, change->thread, 1, change->pc, (uint32_t)change->values[0]);
}

/* ---- Arrivals that are due: MEND_DUE ---- */

/* A warp of a group on its core. */
struct actor {
	struct core *core;
	const struct group *group;
	uint32_t warp;
};

static const struct warp_slot *slot_of(const struct actor *a, uint32_t lane)
{
	return core_slot_of(a->core, a->group, a->warp * a->core->slots->warp.lanes + lane);
}

/* Whether the lane has ended, or waits at an mbarrier. */
static bool has_stopped(const struct actor *a, uint32_t lane)
{
	const struct warp_slot *r = slot_of(a, lane);
	const struct mbarrier_look *look = r ? mbarrier_look_of(a->core, r) : NULL;

	return !r || !(r->warp.live >> lane & 1) || (look && (look->lanes & ~look->complete) >> lane & 1);
}

/* What a warp has done since it passed the mbarrier at `from` last. */
struct since {
	const struct mbarrier_event *pass;
	bool is_over, has_arrived; /* has passed another wait or stopped; has arrived at `to` */
	bool has_habit;            /* has arrived at the change's instructions, ever */
};

static struct since since_of(
	const struct actor *a, const struct change *change, uint32_t from, uint32_t to, uint32_t rank)
{
	const struct mbarrier_trace *trace = mbarrier_trace_of(a->core, a->group, a->warp);
	struct since since = {0};

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);

		since.has_habit |= e->step == STEP_ARRIVED && change_means(change, e->pc);
		if (e->step == STEP_PASSED && e->offset == from)
			since = (struct since){.pass = e, .has_habit = since.has_habit};
		else if (since.pass && e->step == STEP_PASSED && e->lanes & since.pass->lanes)
			since.is_over = true;
		else if (e->step == STEP_ARRIVED && e->offset == to && e->rank == rank)
			since.has_arrived = true;
	}
	since.is_over |= since.pass && has_stopped(a, (uint32_t)__builtin_ctzll(since.pass->lanes));
	return since;
}

/* The actor's arrival at the k-th stage, if it is due. */
static void arrive_if_due(const struct actor *a, const struct change *change, const struct mend_stages *s, uint32_t k,
	struct core *core, const struct group *group)
{
	struct since since = since_of(a, change, s->from[k], s->to[k], s->rank);
	uint32_t thread = a->warp * core->slots->warp.lanes;

	if (!since.is_over || since.has_arrived || !(since.has_habit || change->values[1]))
		return;
	if (mbarrier_credit(core, group, s->to[k], a->group == group ? thread : 0,
		    since.pass->lanes & -since.pass->lanes, change->pc, (uint32_t)change->values[0]))
		mbarrier_trace_credit(a->core, a->group, a->warp,
			(struct mbarrier_event){.step = STEP_ARRIVED,
				.rank = (uint8_t)s->rank,
				.pc = change->pc,
				.offset = s->to[k],
				.count = (uint32_t)change->values[0],
				.lanes = since.pass->lanes & -since.pass->lanes});
}

/* All warps that may arrive in the group: its own, and those of its cluster. */
static void arrive_when_due(const struct again *again, struct core *core, const struct group *group,
	const struct change *change, const struct mend_stages *s, uint32_t k)
{
	const struct machine *machine = again->gpu.machine;

	EACH_USED_CORE(machine, c) {
		struct core *of = &machine->cores.at[c];

		for (uint64_t m = of->groups.used; m; m &= m - 1) {
			const struct group *other = &of->groups.at[__builtin_ctzll(m)];

			for (uint32_t w = 0; (other == group || cluster_is_same(other, group)) && w < other->warps; w++)
				arrive_if_due(&(struct actor){of, other, w}, change, s, k, core, group);
		}
	}
}

static void arrive_at_stages(
	const struct again *again, struct core *core, const struct group *group, const struct change *change)
{
	uint32_t rank = group->cluster ? group->cluster->rank : 0;

	for (const struct mend_stages *s = change->stages; s; s = s->next)
		for (uint32_t k = 0; k < s->count && s->rank == rank; k++) {
			const struct mbarrier_object *object = mbarrier_object_of(core, group, s->to[k]);

			if (object && !object->is_over && mbarrier_is_waited(core, group, object))
				arrive_when_due(again, core, group, change, s, k);
		}
}

/* ---- Missing arrivals, all kinds ---- */

static bool is_meant(const struct core *core, const struct group *group, const struct mbarrier_object *object,
	const struct change *change)
{
	const struct mbarrier_object *named = mbarrier_object_of(core, group, change->address);

	if (change->values[1] != MEND_EACH_PHASE)
		return object == named && object->phase == (int64_t)change->values[1];
	return change_means(change, object->begun.pc);
}

static void arrive_in_group(
	const struct again *again, struct core *core, const struct group *group, const struct change *change)
{
	const struct mbarrier_object *const *objects;
	uint32_t count = mbarrier_objects_of(core, group, &objects);

	if (change->mend == MEND_DUE) {
		arrive_at_stages(again, core, group, change);
		return;
	}
	for (uint32_t k = 0; k < count; k++) {
		if (objects[k]->is_over || !mbarrier_is_waited(core, group, objects[k]))
			continue;
		if (change->mend == MEND_LEAVE)
			arrive_for_all_ended(core, group, objects[k], change);
		if (change->mend == MEND_ARRIVAL && is_meant(core, group, objects[k], change))
			arrive_if_all_else_has(core, group, objects[k], change);
	}
}

void again_arrive_now(const struct again *again, const struct change *change)
{
	const struct machine *machine = again->gpu.machine;

	EACH_USED_CORE(machine, c) {
		struct core *core = &machine->cores.at[c];

		for (uint64_t m = core->groups.used; m; m &= m - 1) {
			const struct group *group = &core->groups.at[__builtin_ctzll(m)];

			if (group->launch == change->launch)
				arrive_in_group(again, core, group, change);
		}
	}
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
