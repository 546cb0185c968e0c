/* Making a core, and starting work-groups on it: places for groups, warps and registers. */
#include "machine/nodes/start.h"

#include "machine/core/deferred.h"
#include "machine/core/dynamic_stack.h"
#include "machine/core/fence.h"
#include "machine/core/group.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/registers.h"
#include "machine/core/schedule.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/lock_bits.h"
#include "machine/lsu/texture.h"
#include "machine/lsu/yield.h"
#include "machine/nodes/nodes.h"
#include "machine/nodes/turns.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"
#include "policy/contract.h"

#include "util/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Carves pieces out of one reservation, so that a core costs one mapping and not several per warp. */
struct pool {
	char *at;
	size_t used;
};

static void *carve(struct pool *pool, size_t bytes)
{
	void *piece = (void *)((uintptr_t)pool->at + pool->used); /* an integer: while measuring, at is null */

	assert(pool->used % 64 == 0);
	pool->used += (bytes + 63) & ~(size_t)63;
	return piece;
}

size_t core_predicates_ready(const struct launch *launch, uint32_t lanes)
{
	struct pool measure = {0};

	assert(lanes);
	assert(launch->warp.register_words % lanes == 0);
	carve(&measure, (size_t)(launch->warp.register_words / lanes) * sizeof(uint64_t));
	return measure.used / sizeof(uint64_t);
}

static uint32_t classes_of(const struct launch *launch)
{
	assert(launch->rows);
	return launch->times ? READY_TIMES : 1;
}

size_t core_reader_stride(const struct launch *launch, uint32_t lanes)
{
	struct pool measure = {.used = core_predicates_ready(launch, lanes) * sizeof(uint64_t)};

	assert(launch->warp.predicate_count);
	carve(&measure, (size_t)launch->warp.predicate_count * sizeof(uint64_t));
	return measure.used / sizeof(uint64_t);
}

/* Ready times, for each class of readers; after them, in the same order, those that shared memory gave, and the
 * instruction that writes each value. */
static void carve_scoreboard(struct pool *pool, const struct launch *launch, struct warp_slot *r)
{
	uint32_t lanes = launch->machine->model->warp_size, classes = classes_of(launch);
	size_t before = pool->used, bytes, stride = core_reader_stride(launch, lanes);

	assert(launch->warp.register_words % lanes == 0);
	r->register_ready_file = carve(pool, (size_t)(launch->warp.register_words / lanes) * sizeof(uint64_t));
	r->predicate_ready_file = carve(pool, (size_t)launch->warp.predicate_count * sizeof(uint64_t));
	carve(pool, (classes - 1) * stride * sizeof(uint64_t));
	bytes = pool->used - before;
	carve(pool, launch->machine->notes_issues ? 2 * bytes : bytes);
	if (!r->core_launch) /* only the sizes are asked for */
		return;
	r->core_launch->reader_stride = classes > 1 ? (uint32_t)stride : 0;
	r->core_launch->times = launch->times;
	r->core_launch->shared_offset = (uint32_t)(bytes / sizeof(uint64_t));
	r->core_launch->writer_offset = 2 * r->core_launch->shared_offset;
}

/* So many values of the lowest frame may be read at once, by all classes of readers. */
static void clear_scoreboard(struct warp_slot *r, size_t slots, size_t predicates)
{
	const size_t stride = r->core_launch->reader_stride;

	assert(predicates);
	for (uint32_t k = 0; k < (stride ? READY_TIMES : 1); k++) {
		memset(r->register_ready_file + k * stride, 0, slots * sizeof(uint64_t));
		memset(r->predicate_ready_file + k * stride, 0, predicates * sizeof(uint64_t));
	}
}

/* Gives a warp the memory at `pool`. */
static void carve_warp(struct pool *pool, const struct launch *launch, struct warp_slot *r)
{
	struct warp *w = &r->warp;

	assert(launch->warp.predicate_count && launch->warp.register_words);
	w->registers = carve(pool, (size_t)launch->warp.register_words * sizeof(uint32_t));
	w->wide_registers = carve(pool, (size_t)launch->warp.register_words * sizeof(uint32_t));
	w->predicate_file = carve(pool, (size_t)launch->warp.predicate_count * sizeof(lane_mask));
	carve_scoreboard(pool, launch, r);
	w->divergence = carve(pool, launch->warp.divergence_bytes);
	w->path = w->divergence;
	w->stack_tops = launch->kernel->uses.stack_top
				? carve(pool, ((size_t)launch->warp.call_depth + 1) *
						      launch->machine->model->warp_size * sizeof(uint32_t))
				: NULL;
}

size_t core_warp_bytes(const struct launch *launch)
{
	struct pool measure = {0};
	struct warp_slot trial = {0};

	carve_warp(&measure, launch, &trial); /* only to add up the sizes */
	return measure.used;
}

/* How many more items of size `each` fit into `whole`, if `used` is taken. */
static uint32_t fit(uint32_t whole, uint32_t used, uint32_t each)
{
	return !each ? UINT32_MAX : used >= whole ? 0 : (whole - used) / each;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* In front of a plug-in's scheduler, which may return anything. */
struct checked_pick {
	const struct warp_scheduler *scheduler;
	void *state;
};

static int pick_checked(void *state, const struct issue_view *view)
{
	const struct checked_pick *c = state;
	int warp = c->scheduler->pick(c->state, view);

	contract_check_pick(c->scheduler, warp, view->ready);
	return warp;
}

static void check_picks(struct core *core, struct scheduler *s, struct arena *arena)
{
	struct checked_pick *checked;

	assert(s->state && s->index < core->issue.schedulers);
	if (!policy_is_added(POLICY_scheduler, core->machine->scheduler))
		return;
	checked = arena_new(arena, struct checked_pick);
	*checked = (struct checked_pick){core->machine->scheduler, s->state};
	core->issue.pick = pick_checked;
	s->pick_state = checked;
}

static void create_schedulers(struct core *core, struct arena *arena)
{
	const struct machine *machine = core->machine;
	uint64_t seed = machine->seed;

	assert(machine->model->schedulers);
	assert(machine->model->schedulers <= CORE_SCHEDULERS);
	/* Mixed first: else seeds that differ by little give the cores each other's numbers. */
	seed = splitmix64(&seed) + core->index;
	core->issue.schedulers = machine->model->schedulers;
	core->issue.is_dual = machine->model->issue_per_scheduler > 1;
	core->issue.pick = machine->scheduler->pick;
	core->lsu.next_arrival = NEVER;
	core->issue.first = core->issue.scheduler;
	for (uint32_t w = 0; w < core->warps.count; w++)
		core->issue.scheduler[w % core->issue.schedulers].mine |= 1ull << w;
	core->changed = core->warps.unused;
	for (uint32_t k = 0; k < core->issue.schedulers; k++) {
		struct scheduler *s = &core->issue.scheduler[k];
		uint64_t own = splitmix64(&seed);

		core->stalled.reason[k] = NO_STALL;
		s->index = (uint8_t)k;
		s->behind = &core->issue.scheduler[(k + 1) % core->issue.schedulers];
		s->still = true;
		s->still_for = WAIT_REASONS;
		s->still_since = core->now;
		s->units = &core->issue.units[machine->model->subcores ? k : 0];
		s->view = (struct issue_view){.arrived = core->warps.arrived,
			.rotation = machine->model->gto_rotation,
			.rotates_plainly = machine->model->gto_plain,
			.slots = core->warps.count,
			.waiting = &core->waiting[WAIT_MEMORY]};
		s->state = s->pick_state = arena_alloc(arena, machine->scheduler->state_size + 1);
		if (machine->scheduler->start)
			machine->scheduler->start(s->state, own, machine->gpu->scheduler_fields);
		check_picks(core, s, arena);
	}
}

/* Each sub-core has one instance of each unit. */
static void create_units(struct core *core)
{
	const struct gpu_model *m = core->machine->model;
	const uint32_t instances[UNIT_COUNT] = {[UNIT_ALU] = m->unit_alu,
		[UNIT_INT] = m->unit_int,
		[UNIT_SFU] = m->unit_sfu,
		[UNIT_DP] = m->unit_dp,
		[UNIT_MEMORY] = m->unit_memory,
		[UNIT_CONTROL] = m->schedulers};

	assert(m->schedulers && m->schedulers <= CORE_SCHEDULERS);
	for (uint32_t u = 0; u < UNIT_COUNT && !m->subcores; u++)
		core->issue.units[0].unit[u].others = instances[u] ? instances[u] - 1 : 0;
}

static uint32_t slots_of(const struct gpu_model *model, uint32_t index)
{
	return least(model_core_warps(model, index), CORE_WARPS);
}

static void create(struct core *core, struct arena *arena, const struct machine *machine, uint32_t index)
{
	const struct gpu_model *model = machine->model;

	assert(index < machine->cores.count);
	assert(model->core_groups);
	core->machine = machine;
	core->index = index;
	core->now = machine->time.cycle;
	core->groups.count = model->core_groups;
	core->warps.count = slots_of(model, index);
	assert(core->groups.count <= CORE_WARPS);
	core->warps.unused = core->warps.count == 64 ? ~0ull : (1ull << core->warps.count) - 1;
	core->groups.at = arena_new_array(arena, struct group, core->groups.count);
	core->coherence_state = arena_alloc(arena, machine->coherence->state_size + 1);
	core->slots = arena_reserve(arena, core->warps.count * sizeof(struct warp_slot));
	create_schedulers(core, arena);
	create_units(core);
	load_store_create(core, arena);
	core->inbox = inbox_create(arena);
	core->outbox = node_outbox(arena, model, NODE_core);
	deferred_create(&core->deferred, arena);
	observers_create(core, arena);
}

/* So many more warps will start soon: their slots get memory together. */
static void expect_warps(struct core *core, uint32_t count)
{
	uint32_t end = least(core->warps.resident + count, core->warps.count);

	assert(core->warps.given <= core->warps.count);
	if (end <= core->warps.given)
		return;
	arena_give(core->slots + core->warps.given, (end - core->warps.given) * sizeof *core->slots);
	core->warps.given = end;
}

/* The next core has the memory: it is little, as a small launch takes few slots. */
void core_clear(struct core *core, struct arena *arena)
{
	arena_keep(arena, core->slots, core_slots_taken(core) * sizeof *core->slots);
	observers_clear(core, arena);
	load_store_clear(core, arena);
}

/* What work-groups have of a core, those promised to it included; `here`: groups of one launch. */
struct taken {
	uint32_t groups, here, warps, registers, shared;
};

static struct taken taken_on(const struct launch *launch, uint32_t index)
{
	const struct machine *machine = launch->machine;
	const struct core *core = &machine->cores.at[index];
	const struct core_launch *on = launch->on[index];
	struct taken taken = {.groups = (uint32_t)__builtin_popcountll(core->groups.used),
		.warps = core->warps.resident,
		.registers = core->groups.registers,
		.shared = core->groups.shared};

	if (on)
		taken.here = launch_groups_on(launch, index) - (uint32_t)__builtin_popcountll(on->free_groups);
	for (uint32_t k = machine->cores.starts_on[index].first; k; k = machine->cores.starts.at[k - 1].next) {
		const struct core_launch *promised = machine->cores.starts.at[k - 1].on;

		assert(k <= machine->cores.starts.count);
		taken.groups++;
		taken.here += promised == on;
		taken.warps += promised->launch->group.warps;
		taken.registers += promised->launch->group.registers;
		taken.shared += promised->launch->group.shared;
	}
	return taken;
}

/* For a launch alone launch_groups_on says it all; among several each resource counts. */
uint32_t core_free_groups(const struct launch *launch, uint32_t index)
{
	const struct gpu_model *model = launch->machine->model;
	const struct core *core = &launch->machine->cores.at[index];
	uint32_t most = launch_groups_on(launch, index), room;
	struct taken taken;

	if (!machine_uses_core(launch->machine, index))
		return most;
	taken = taken_on(launch, index);
	room = most - taken.here;
	assert(taken.here <= most);
	if (!room || core->stopped)
		return 0;
	if (taken.groups == taken.here && !(core->machine && yield_shared(core)))
		return room;
	room = least(room, model->core_groups - taken.groups);
	if (!room || slots_of(model, index) - taken.warps < launch->group.warps) /* mostly so, where any is full */
		return 0;
	room = least(room, fit(slots_of(model, index), taken.warps, launch->group.warps));
	room = least(room, fit(model->core_registers, taken.registers, launch->group.registers));
	return least(room, fit(model_core_shared(model, index), taken.shared, launch->group.shared));
}

/* Gives the warp slot to a warp of the launch. */
static void take_slot(struct core *core, uint32_t slot, struct core_launch *on)
{
	struct warp_slot *r = &core->slots[slot];
	struct pool pool = {0};

	assert(slot < core->warps.count);
	assert(on->free_warps);
	r->warp.lanes = core->machine->model->warp_size;
	r->warp.memory = core->machine->lane_memory;
	r->warp.core = core->index;
	r->warp.slot = slot;
	r->warp.carry = &r->warp.carry_bits;
	r->bit = 1ull << slot;
	r->core_launch = on;
	r->place = (uint8_t)__builtin_ctzll(on->free_warps);
	on->free_warps &= ~(1ull << r->place);
	assert(r->place < on->expected || on->more_warps);
	pool.at = core_launch_warp(on, r->place);
	carve_warp(&pool, on->launch, r);
	r->warp.local = on->locals + r->place * launch_local_bytes(on->launch);
	core->warps.taken |= r->bit;
	r->code = on->launch->code;
	r->rows = on->launch->rows;
	r->warp.kernel = on->launch->kernel;
	r->warp.launch = &on->launch->values;
	r->warp.local_bytes = on->launch->warp.stack_bytes;
	r->warp.bank[2] = (uint32_t *)(uintptr_t)on->launch->constants; /* never a destination */
}

/* Under a progress model states are compared, with all that may be read of them one day: nothing is left of what was
 * in the files before. */
static void clear_files(const struct launch *launch, const struct warp *w)
{
	bool grows = launch->kernel->recursive || launch->kernel->uses.stack_top;
	size_t words = launch->warp.register_words,
	       local = grows ? launch->warp.stack_bytes : launch->kernel->stack_bytes;

	assert(w->lanes);
	memset(w->registers, 0, words * sizeof(uint32_t));
	memset(w->wide_registers, 0, words * sizeof(uint32_t));
	memset(w->predicate_file, 0, launch->warp.predicate_count * sizeof(lane_mask));
	if (local)
		memset(w->local, 0, local * w->lanes);
}

static void start_warp(struct core *core, struct group *group, uint32_t slot, uint32_t first_thread, uint64_t at)
{
	const struct launch *launch = group->core_launch->launch;
	struct warp_slot *r = &core->slots[slot];
	struct warp *w = &r->warp;
	uint32_t threads = group->threads - first_thread, lanes = core->machine->model->warp_size;
	const struct kernel_function *entry = &launch->kernel->functions[0];

	assert(first_thread < group->threads);
	assert(slot < core->warps.count);
	assert(!(core->warps.unused >> slot & 1));
	assert(group->slots >> slot & 1);
	assert(!(core->ready & 1ull << slot));
	take_slot(core, slot, group->core_launch);
	r->used = true;
	r->finished = r->held = r->in_fence = r->released = false;
	r->group = group;
	r->hold_until = at;
	r->fetched_at = 0;
	r->buffered = 0;
	r->flush = false;
	r->parts = 0;
	r->suspended = 0;
	r->parked_for = WAIT_BARRIER;
	r->unit = launch->rows[entry->first_pc].unit;
	core->wants[r->unit] |= r->bit;
	memset(r->waiting_lanes, 0, sizeof r->waiting_lanes);
	r->barrier.insn = NULL;
	core->issued_pc[slot] = NOT_ISSUED;
	load_store_start_warp(core, r);
	core->warps.arrived[slot] = ++core->warps.started;
	if (core->machine->mode->never_waits) {
		clear_files(launch, w);
	} else if (launch->kernel->reads_unwritten) {
		memset(w->registers, 0, (size_t)entry->slot_count * lanes * sizeof(uint32_t));
		memset(w->wide_registers, 0, (size_t)entry->slot_count * lanes * sizeof(uint32_t));
	}
	memset(w->predicate_file, 0, entry->predicate_count * sizeof(lane_mask));
	clear_scoreboard(r, entry->slot_count, entry->predicate_count);
	w->carry_bits = 0;
	w->live = w->full = threads >= lanes ? (lanes == 64 ? ~0ull : (1ull << lanes) - 1) : (1ull << threads) - 1;
	w->shared = group->shared;
	w->shared_bytes = launch->group.shared_bytes;
	w->first_thread = first_thread;
	launch_place_group(&launch->values, group->number, w->group);
	core->machine->divergence->start(w->divergence, w->live,
		&(struct path){.pc = entry->first_pc, .reconvergence_pc = NO_RECONVERGENCE, .active = w->live}, lanes,
		launch->warp.call_depth);
	r->path_checked = policy_is_added(POLICY_divergence, core->machine->divergence);
	control_refresh(r);
	w->predicates[0] = ~0ull;
	warp_fill_start(w);
	dynamic_stack_start(w);
	if (core->machine->scheduler->begin)
		core->machine->scheduler->begin(core_scheduler(core, slot)->state, (int)slot, entry->count, core->now);
	observe_warp_begins(core, r);
	core_schedule(core, r);
}

/* A core that is empty divides its memory anew between shared memory and L1, as the launch's work-groups want it; one
 * that has others gives shared memory more if it must. */
static void divide_memory(struct core *core, const struct launch *launch)
{
	const struct machine *machine = launch->machine;
	uint64_t taken = core->groups.shared + (uint64_t)launch->group.shared;
	uint64_t wanted = (uint64_t)launch->group.shared * launch_groups_on(launch, core->index);
	uint32_t ways = divisions_ways(
		&machine->divisions, core->groups.used || taken > wanted ? taken : wanted, core->l1.most_ways);

	assert(ways);
	assert(ways <= core->l1.most_ways);
	if (!core->groups.used || ways < core->l1.ways)
		l1_resize(&core->l1, ways);
}

/* A number up to `most` that the seed draws for the group (`which` 0) or one of its warps.  It depends on nothing that
 * has happened: runs of a seed under two policies have the same starts. */
static uint32_t draw_delay(const struct core *core, const struct group *group, uint32_t which, uint32_t most)
{
	uint64_t number = core->machine->seed;

	assert(group->core_launch);
	assert(which <= group->warps);
	if (!most)
		return 0;
	number = splitmix64(&number) + group->launch;
	number = splitmix64(&number) + group->number;
	number = splitmix64(&number) + which;
	return (uint32_t)(splitmix64(&number) % ((uint64_t)most + 1));
}

/* Later than it would, even where it waits for its first instruction. */
static void start_later(struct core *core, struct warp_slot *r, uint32_t delay)
{
	uint64_t first = r->fetched_at > r->hold_until ? r->fetched_at : r->hold_until;

	assert(r->used && !r->finished);
	assert(!delay || first >= core->now);
	if (delay)
		core_delay(core, r, first + delay - core->now);
}

/* All warps of the group, in the slots that are free. */
static void start_warps(struct core *core, struct group *group, uint64_t at)
{
	const struct machine_delays *delays = &core->machine->time.delays;
	uint32_t delay;

	assert(!group->slots);
	delay = draw_delay(core, group, 0, delays->dispatch_jitter);
	for (uint32_t k = 0; k < group->warps; k++) {
		uint32_t slot = (uint32_t)__builtin_ctzll(core->warps.unused);

		assert(core->warps.unused >> slot & 1);
		core->warps.unused &= ~(1ull << slot);
		core->warps.resident++;
		group->slots |= 1ull << slot;
		core->fresh |= 1ull << slot;
		start_warp(core, group, slot, k * core->machine->model->warp_size, at);
		start_later(
			core, &core->slots[slot], delay + draw_delay(core, group, k + 1, delays->dispatch_warp_jitter));
	}
}

struct group *core_start_group(struct core *core, struct core_launch *on, uint32_t number, uint64_t at)
{
	const struct launch *launch = on->launch;
	uint32_t which = (uint32_t)__builtin_ctzll(~core->groups.used);
	struct group *group = &core->groups.at[which];

	assert(~core->groups.used && on->free_groups);
	assert(which < core->groups.count);
	divide_memory(core, launch);
	core->groups.used |= 1ull << which;
	core->groups.registers += launch->group.registers;
	core->groups.shared += launch->group.shared;
	assert(core->warps.resident + launch->group.warps <= core->warps.count);
	group->used = true;
	group->core_launch = on;
	group->place = (uint32_t)__builtin_ctzll(on->free_groups);
	on->free_groups &= ~(1ull << group->place);
	group->shared = on->shared + group->place * on->shared_stride;
	group->shared_at = launch->machine->model->shared_lock_bits ? lock_bits_place(core, group) : 0;
	group->number = number;
	group->launch = launch->ordinal;
	group->since = launch->machine->time.cycle;
	group->signature = which << 16;
	group->code_count = launch->kernel->code_count;
	group->threads = group->live_threads = launch->group.threads;
	group->warps = group->live_warps = launch->group.warps;
	group->slots = group->fencing = 0;
	group->triggered = false;
	group->cluster = NULL;
	group->pool = NULL;
	group->matrices = NULL;
	core->counters.groups_started++;
	core->counters.warps_started += group->warps;
	memset(group->barriers, 0, sizeof group->barriers);
	memset(group->barrier_notes, 0, sizeof group->barrier_notes);
	group->barriers_used = 0;
	memset(group->shared, 0, launch->group.shared_bytes);
	start_warps(core, group, at);
	core_show_residents(core);
	if (launch->group.pool_registers)
		registers_begin(core, group, launch->group.pool_registers);
	observe_group_begins(core, group);
	return group;
}

/* ---- Promised groups ---- */

void core_give_place(struct core_launch *on, uint32_t index)
{
	const struct launch *launch = on->launch;
	uint32_t each = launch->group.warps, most = launch_groups_on(launch, index) * each;

	assert(launch->on[index] == on);
	assert(each && on->expected);
	if (on->more_warps || most <= on->expected || (taken_on(launch, index).here + 1) * each <= on->expected)
		return;
	on->more_warps = arena_reserve(&on->launch->arena, on->warp_bytes * (most - on->expected));
}

void core_promise_group(struct core_launch *on, uint32_t index, uint32_t number, uint64_t at)
{
	struct machine *machine = on->launch->machine;
	struct core_starts *starts = &machine->cores.starts_on[index];

	assert(index < machine->cores.count);
	core_give_place(on, index);
	*vector_push(&machine->arena, &machine->cores.starts) =
		(struct core_start){.on = on, .at = at, .number = number};
	*(starts->first ? &machine->cores.starts.at[starts->last - 1].next : &starts->first) =
		machine->cores.starts.count;
	starts->last = machine->cores.starts.count;
	machine->cores.rooms++;
	machine->nodes.at[index].is_due = true; /* cores are the first nodes */
	if (machine_uses_core(machine, index))
		return;
	machine->cores.used[index / 64] |= 1ull << index % 64;
	machine->observers |= machine->cores.observers;
	turns_change(machine);
}

/* The first group of the launch is about to start on the core. */
static void begin_launch(struct core *core, struct core_launch *on)
{
	const struct launch *launch = on->launch;

	assert(launch->on[core->index] == on);
	assert(!on->begun && on->expected);
	/* It sees what was written before it was launched; the machine began with empty caches. */
	if (launch->start > launch->machine->time.start && !launch->parent)
		fence_acquire(core, &(struct l1_fence){.scope = L1_SCOPE_WIDE});
	arena_give(on->warps, on->warp_bytes * on->expected);
	expect_warps(core, on->expected);
	on->begun = true;
	observe_launch_begins(core, on);
}

struct group *core_start_promised(struct machine *machine, uint32_t index)
{
	struct core *core = &machine->cores.at[index];
	struct core_starts *starts = &machine->cores.starts_on[index];
	struct group *group = NULL;

	assert(machine_uses_core(machine, index));
	assert(starts->first);
	if (!core->machine) {
		create(core, &machine->cores.arenas[index], machine, index);
		machine->nodes.at[index].outbox = core->outbox;
		core->counters.stall_empty = machine_empty_cycles(machine);
	}
	for (uint32_t k = starts->first, next; k; k = next) {
		const struct core_start *start = &machine->cores.starts.at[k - 1];

		assert(start->on->launch->machine == machine);
		if (!start->on->begun)
			begin_launch(core, start->on);
		if (start->on->launch->kernel->uses.textures)
			texture_prepare(core, &machine->cores.arenas[index]);
		next = start->next;
		group = core_start_group(core, start->on, start->number, start->at);
	}
	*starts = (struct core_starts){0};
	return group;
}

/* ---- Restarted groups ---- */

bool core_has_room_again(const struct core *core, const struct yielded *yielded)
{
	const struct launch *launch = yielded->on->launch;

	assert(core->warps.resident <= core->warps.count);
	return yielded->on->free_groups && (uint32_t)__builtin_popcountll(core->groups.used) < core->groups.count &&
	       core->warps.resident < core->warps.count &&
	       fit(core->machine->model->core_registers, core->groups.registers, launch->group.registers);
}

/* Its place is new; what it was comes back: registers, and the path, which is still at the instruction that yielded. */
struct group *core_restart_group(struct core *core, const struct yielded *yielded, uint64_t at)
{
	const struct launch *launch = yielded->on->launch;
	size_t slots = launch->warp.register_words / core->machine->model->warp_size;
	struct group *group;
	struct warp_slot *r;

	core_give_place(yielded->on, core->index);
	group = core_start_group(core, yielded->on, yielded->number, at);
	r = &core->slots[__builtin_ctzll(group->slots)];
	assert(group->warps == 1);
	core->counters.groups_started--;
	core->counters.warps_started--;
	core->groups.shared -= launch->group.shared; /* which it has kept */
	core_unschedule(core, r);
	memcpy(core_launch_warp(yielded->on, r->place), yielded->registers, yielded->on->warp_bytes);
	clear_scoreboard(r, slots, launch->warp.predicate_count);
	memcpy(r->warp.local, yielded->local, launch_local_bytes(launch));
	memcpy(group->shared, yielded->shared, launch->group.shared_bytes);
	r->warp.live = yielded->live;
	r->warp.carry_bits = yielded->carry;
	control_refresh(r);
	core_schedule(core, r);
	return group;
}
