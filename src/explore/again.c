/* Running a launch again (again.h): a second GPU over the same memory. */
#include "explore/again.h"

#include "machine/control.h"
#include "machine/mbarrier.h"
#include "machine/watch.h"
#include "memory/snapshot.h"
#include "util/text.h"

#include <string.h>
#include <time.h>

#define LAUNCHES 16 /* that ran beside each other, at most */

struct again {
	struct arena arena;
	struct machine *machine; /* that hangs */
	struct gpu gpu;
	struct gpu_model model;
	double until;
	bool time_is_over;
	uint64_t random;  /* of shuffling */
	lane_mask *held;  /* per core and warp slot: of a path that is put aside */
	/* What waiting is: see again_note_waits */
	bool *waits;      /* per pc */
	uint64_t *issued; /* per pc, when last looked: lanes */
	uint64_t successes;
	bool waits_succeed; /* some locks are had and some loops left while it hangs */
	uint64_t ended; /* threads of launches that are over */
};

double again_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- What cannot be run again ---- */

static uint32_t launches_of(const struct machine *machine)
{
	uint32_t count = 0;

	for (const struct launch *l = machine->launches; l; l = l->next)
		count++;
	return count;
}

const char *again_refuses(const struct machine *machine)
{
	if (!machine->snapshot)
		return "what memory held at the launch's start was not kept";
	if (machine->snapshot->lost)
		return "the launch has written more than is kept of what memory held at its start";
	if (machine->space->host_writes && !machine->gpu->host_waits)
		return "the program may look at some of the memory at any time";
	if (machine->was_interrupted)
		return "the program has written to memory since the launch began";
	if (machine->ended || launches_of(machine) > LAUNCHES)
		return "other kernels have ended since it began";
	if (machine->gpu->schedule)
		return "its schedule is one of many that are tried";
	return NULL;
}

/* ---- Another GPU ---- */

static void no_text(void *context, const char *text, size_t length)
{
	(void)context;
	(void)text;
	(void)length;
}

/* ---- Turns by chance ---- */

#define SHUFFLED 7 /* quanta, or rounds of turns, from one time to the next */
#define LONGEST_TURN 256u

/* All its lanes run together: some go their own way from here on. */
static void split_path(struct again *again, struct core *core, struct resident *r)
{
	struct path *path = r->warp.path;
	lane_mask some = splitmix64(&again->random) & path->active;

	if (!some || some == path->active)
		return;
	core_unschedule(core, r);
	core->machine->divergence->branch(r->warp.divergence, some, path->pc, path->pc, NO_REJOIN);
	control_refresh(r);
	r->buffered = 0;
	core_schedule(core, r);
}

/* Puts the path that runs aside, as a barrier would, if others of the warp can run; or lets go one that was put aside. */
static void hold_path(struct again *again, struct core *core, struct resident *r, lane_mask *held)
{
	const struct divergence_model *model = core->machine->divergence;
	struct path *path = r->warp.path;
	uint64_t chance = splitmix64(&again->random) % 16; /* held for longer than a turn of a loop takes */

	if (!*held && path->active == r->warp.live && path->active & (path->active - 1) && !r->held && !r->locking && !r->in_fence) {
		split_path(again, core, r);
		return;
	}
	if (*held && !chance) {
		core_unschedule(core, r);
		model->unblock(r->warp.divergence, *held & r->warp.live);
		*held = 0;
	} else if (!*held && chance < 4 && path->active && path->active != r->warp.live && path->pc && !r->held && !r->locking && !r->in_fence) {
		core_unschedule(core, r);
		*held = path->active;
		path->pc--; /* it will go on behind this */
		model->block(r->warp.divergence);
	} else {
		return;
	}
	control_refresh(r);
	r->buffered = 0;
	core_schedule(core, r);
}

static void shuffle_core(struct again *again, struct core *core)
{
	for (uint32_t slot = 0; core->machine && slot < core->warp_slots; slot++) {
		struct resident *r = &core->residents[slot];
		uint64_t cycles = splitmix64(&again->random) % AGAIN_DELAY;

		if (core->free_warps >> slot & 1 || !r->used || r->finished) {
			again->held[core->index * CORE_WARPS + slot] = 0;
			continue;
		}
		hold_path(again, core, r, &again->held[core->index * CORE_WARPS + slot]);
		if (!core->machine->functional)
			core_delay(core, r, cycles);
	}
}

static void shuffle(void *context)
{
	struct again *again = context;
	const struct machine *machine = again->gpu.machine;

	for (uint32_t c = 0; c < machine->core_count; c++)
		watch_break(&machine->cores[c], PREMISE_COURSE); /* chance decides: nothing is proved */
	if (machine->rounds % SHUFFLED)
		return;
	again->model.yield_interval = 1 + (uint32_t)(splitmix64(&again->random) % LONGEST_TURN);
	again->model.functional_turn = 1 + (uint32_t)(splitmix64(&again->random) % LONGEST_TURN);
	for (uint32_t c = 0; c < machine->core_count; c++)
		shuffle_core(again, &machine->cores[c]);
}

void again_shuffle(struct again *again, uint64_t seed)
{
	again->random = seed;
	again->held = arena_new_array(&again->arena, lane_mask, (size_t)again->model.core_count * CORE_WARPS);
	again->gpu.between = shuffle;
	again->gpu.between_context = again;
}

/* ---- Another GPU ---- */

/* Called now and then, between quanta: ends the run when its time is over. */
static void look_at_clock(void *context, uint64_t cycles, uint64_t warp_instructions, uint64_t groups_done, uint64_t groups)
{
	struct again *again = context;

	(void)cycles;
	(void)warp_instructions;
	(void)groups_done;
	(void)groups;
	if (again_clock() < again->until)
		return;
	again->time_is_over = true;
	again->gpu.pause_at = 1;
}

static void no_explanation(struct machine *machine, struct launch *launch, bool proved)
{
	(void)machine;
	(void)launch;
	(void)proved;
}

static void make_gpu(struct again *again, const struct machine *machine)
{
	struct gpu *gpu = &again->gpu;

	*gpu = *machine->gpu;
	again->model = *machine->gpu->model;
	gpu->arena = &again->arena;
	gpu->model = &again->model;
	gpu->machine = NULL;
	gpu->waiting = gpu->finished = NULL;
	gpu->cycle = machine->start;
	gpu->launches = machine->launches->ordinal;
	gpu->functional = machine->functional;
	gpu->pause_when_stuck = gpu->pause_when_dead = true;
	gpu->stuck = false;
	gpu->explain = no_explanation;
	gpu->timeline = NULL;
	gpu->show = NULL;
	gpu->progress = look_at_clock;
	gpu->progress_context = again;
	gpu->print = no_text;
	gpu->counts_issues = true;
	gpu->max_cycles = 0;
	gpu->keeps_start = gpu->puts_back = true;
}

static void start_launches(struct again *again)
{
	for (const struct launch *l = again->machine->launches; l; l = l->next) {
		struct gpu_launch what = { .kernel = l->kernel, .constants = l->constants, .values = l->values, .group_threads = l->group_threads,
					   .shared_bytes = l->shared_bytes, .groups_per_core = l->groups_per_core,
					   .groups_per_lesser_core = l->groups_per_lesser_core, .group_registers = l->group_registers,
					   .group_shared = l->group_shared, .owner = (void *)(uintptr_t)l };

		gpu_start(&again->gpu, &what);
	}
}

struct again *again_begin(struct machine *machine, void (*change)(struct gpu *gpu, struct gpu_model *model, void *context), void *context)
{
	struct arena arena = { 0 };
	struct again *again = arena_new(&arena, struct again);

	again->arena = arena;
	again->machine = machine;
	machine_swap(machine);
	make_gpu(again, machine);
	if (change)
		change(&again->gpu, &again->model, context);
	gpu_create(&again->gpu);
	if (machine->is_first)
		gpu_prefill(&again->gpu);
	start_launches(again);
	return again;
}

void again_end(struct again *again)
{
	struct arena arena = again->arena; /* it lies in it */
	struct machine *machine = again->machine;

	gpu_destroy(&again->gpu);
	machine_swap(machine);
	arena_free(&arena);
}

/* ---- Running ---- */

static uint64_t threads_ended(const struct launch *launch, const struct machine *machine)
{
	uint64_t ended = launch_groups_done(launch) * launch->group_threads;

	for (uint32_t c = 0; c < machine->core_count; c++)
		for (uint64_t m = machine->cores[c].machine ? machine->cores[c].used_groups : 0; m; m &= m - 1) {
			const struct group *group = &machine->cores[c].groups[__builtin_ctzll(m)];

			if (group->residency->launch == launch)
				ended += group->threads - group->live_threads;
		}
	return ended;
}

uint64_t again_ended_on(const struct machine *machine)
{
	uint64_t ended = 0;

	for (const struct launch *l = machine->launches; l; l = l->next)
		ended += threads_ended(l, machine);
	return ended;
}

uint64_t again_ended(const struct again *again)
{
	return again->ended + (again->gpu.machine ? again_ended_on(again->gpu.machine) : 0);
}

/* Marks the code in which the warps of a machine that hangs wait: what each goes through again and again. */
static void mark_waits(const struct machine *machine, const struct launch *launch, bool *waits)
{
	for (uint32_t c = 0; c < machine->core_count; c++) {
		const struct core *core = &machine->cores[c];

		for (uint32_t slot = 0; core->watch && slot < core->warp_slots; slot++) {
			const struct watched_warp *w = &core->watch->warps[slot];

			if (w->state != WATCH_BACK || core->residents[slot].residency->launch != launch)
				continue;
			for (uint32_t pc = w->first_pc; pc <= w->last_pc && pc < launch->kernel->code_count; pc++)
				waits[pc] = true;
		}
	}
}

/* Of a few turns more or less, in another order, nothing follows. */
static bool is_clearly_more(uint64_t now, uint64_t before)
{
	return now > before + before / 4 + 1024;
}

bool again_is_further(const struct again *again, const struct machine *machine)
{
	const struct launch *now = again->gpu.machine ? again->gpu.machine->launches : NULL, *before = machine->launches;
	uint64_t work = 0, work_before = 0;
	struct arena scratch = { 0 };
	bool *waits, is_new = false;

	if (machine->functional || !now || now->functional || now->kernel != before->kernel)
		return false;
	waits = arena_new_array(&scratch, bool, before->kernel->code_count);
	mark_waits(machine, before, waits);
	for (uint32_t pc = 0; pc < now->kernel->code_count; pc++) {
		uint64_t lanes = launch_issued(now, pc).lanes, lanes_before = launch_issued(before, pc).lanes;

		is_new |= lanes && !lanes_before;
		work += waits[pc] ? 0 : lanes;
		work_before += waits[pc] ? 0 : lanes_before;
	}
	arena_free(&scratch);
	return is_new || is_clearly_more(work, work_before);
}

/* Its threads have all ended. */
static void count_ended(struct again *again, const struct launch *launch)
{
	again->ended += (uint64_t)launch->total_groups * launch->group_threads;
}

enum again_outcome again_run(struct again *again, struct again_limits limits)
{
	struct gpu *gpu = &again->gpu;
	struct gpu_result result;

	gpu->pause_at = limits.cycles;
	again->until = limits.until;
	while (gpu_finish(gpu, &result)) {
		if (result.outcome != GPU_COMPLETED)
			return result.outcome == GPU_FAULT ? AGAIN_FAULT : AGAIN_LIMIT;
		count_ended(again, result.owner);
	}
	if (!gpu->stuck)
		return AGAIN_COMPLETED;
	if (again->time_is_over)
		return AGAIN_TIME_OVER;
	return gpu->at_pause ? AGAIN_LIMIT : AGAIN_HANGS;
}

uint64_t again_elapsed(const struct again *again)
{
	const struct machine *machine = again->gpu.machine;

	if (!machine || !machine->launches)
		return 0;
	return machine->functional ? launch_instructions(machine->launches) : machine->cycle - machine->launches->start;
}

/* ---- What waiting is ---- */

static uint64_t successes_of(const struct machine *machine)
{
	uint64_t sum = 0;

	for (uint32_t c = 0; c < machine->core_count; c++)
		sum += machine->cores[c].counters.lock_success + machine->cores[c].counters.wait_success;
	return sum;
}

/* Looks anew; whether something was issued that is not among `but`, or anything if that is null. */
static bool look_at_issues(struct again *again, bool *issued_meanwhile, const bool *but)
{
	const struct launch *launch = again->gpu.machine->launches;
	bool any = false;

	for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++) {
		uint64_t lanes = launch_issued(launch, pc).lanes;
		bool more = lanes > again->issued[pc];

		any |= more && !(but && but[pc]);
		if (issued_meanwhile)
			issued_meanwhile[pc] |= more;
		again->issued[pc] = lanes;
	}
	return any;
}

bool again_note_waits(struct again *again, struct again_limits limits)
{
	uint32_t count = again->gpu.machine->launches->kernel->code_count;
	uint64_t before = successes_of(again->gpu.machine);
	enum again_outcome outcome;

	again->waits = arena_new_array(&again->arena, bool, count);
	again->issued = arena_new_array(&again->arena, uint64_t, count);
	look_at_issues(again, NULL, NULL);
	outcome = again_run(again, limits);
	if (outcome != AGAIN_HANGS && outcome != AGAIN_LIMIT)
		return false;
	look_at_issues(again, again->waits, NULL);
	again->successes = successes_of(again->gpu.machine);
	again->waits_succeed = again->successes != before;
	return true;
}

bool again_left_waits(struct again *again)
{
	uint64_t before = again->successes;
	bool beyond;

	if (!again->gpu.machine || !again->gpu.machine->launches)
		return true;
	again->successes = successes_of(again->gpu.machine);
	beyond = look_at_issues(again, NULL, again->waits);
	return beyond || (!again->waits_succeed && again->successes != before);
}

/* ---- Changing what is paused ---- */

/* A work-group of the launch that hangs. */
static struct group *find_group(const struct again *again, uint32_t number, struct core **core)
{
	const struct machine *machine = again->gpu.machine;

	for (uint32_t c = 0; machine && c < machine->core_count; c++)
		for (uint64_t m = machine->cores[c].machine ? machine->cores[c].used_groups : 0; m; m &= m - 1) {
			struct group *group = &machine->cores[c].groups[__builtin_ctzll(m)];

			*core = &machine->cores[c];
			if (group->number == number && group->residency->launch == machine->launches)
				return group;
		}
	return NULL;
}

/* So that no load finds what was there. */
static void drop_line(const struct machine *machine, uint64_t address)
{
	for (uint32_t c = 0; c < machine->core_count; c++)
		if (machine->cores[c].machine && !machine->functional)
			l1_write(&machine->cores[c].l1, address & ~(uint64_t)(LINE_BYTES - 1), NULL, false);
}

bool again_word(struct again *again, const struct change *change, uint64_t value)
{
	struct machine *machine = again->gpu.machine;
	struct core *core;
	struct group *group;

	if (change->space == space_SHARED) {
		group = find_group(again, change->group, &core);
		if (!group || change->address + change->bytes > group->residency->launch->shared_bytes)
			return false;
		memcpy(group->shared + change->address, &value, change->bytes);
		return true;
	}
	if (!machine || !space_find(&again->gpu.space, change->address, change->bytes))
		return false;
	snapshot_save_range(&machine->snapshot->logs[0], change->address, change->bytes);
	memcpy(space_host(&again->gpu.space, change->address), &value, change->bytes);
	drop_line(machine, change->address);
	return true;
}

bool again_end_phase(struct again *again, const struct change *change)
{
	struct core *core;
	const struct group *group = find_group(again, change->group, &core);

	return group && mbarrier_end_phase(core, group, change->address);
}

bool again_open_barrier(struct again *again, const struct change *change)
{
	struct core *core;
	struct group *group = find_group(again, change->group, &core);

	if (!group || change->barrier >= GROUP_BARRIERS || !group->barriers[change->barrier].waiting)
		return false;
	barrier_open(core, group, change->barrier);
	return true;
}

/* The warp of a thread that has not ended, and its lane. */
static struct resident *find_thread(const struct again *again, const struct change *change, struct core **core, uint32_t *lane)
{
	const struct group *group = find_group(again, change->group, core);

	for (uint64_t m = group ? group->slots : 0; m; m &= m - 1) {
		struct resident *r = &(*core)->residents[__builtin_ctzll(m)];

		*lane = change->thread - r->warp.first_thread;
		if (change->thread >= r->warp.first_thread && *lane < r->warp.lanes && !r->finished && r->warp.live >> *lane & 1)
			return r;
	}
	return NULL;
}

static bool holds_lock(const struct resident *r, uint32_t lane)
{
	for (uint32_t k = 0; k < r->held_lock_count; k++)
		if (r->held_by[k].lane == lane)
			return true;
	return false;
}

#define MOMENTS 256 /* quanta */

bool again_take_away(struct again *again, const struct change *change)
{
	struct core *core;
	uint32_t lane;
	struct resident *r = find_thread(again, change, &core, &lane);

	for (uint32_t k = 0; r && holds_lock(r, lane) && k < MOMENTS; k++) {
		again_run(again, (struct again_limits){ .cycles = 1, .until = again->until });
		r = find_thread(again, change, &core, &lane);
	}
	if (!r || holds_lock(r, lane))
		return false;
	control_end_lanes(core, r, (lane_mask)1 << lane);
	return true;
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
	return (pc >= loop->first && pc <= loop->last) || loop->kernel->code[pc].function != loop->kernel->code[loop->first].function;
}

static void gather_lanes(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct loop_lanes *loop = context;
	bool runs = !waiting || !strcmp(waiting, WAITS_FOR_TURN);

	if (runs && is_in(loop, pc))
		loop->lanes |= lanes;
}

/* The lanes of a warp that go through the loop. */
static lane_mask lanes_in(const struct machine *machine, const struct resident *r, struct loop_lanes loop)
{
	const struct path *path = r->warp.path;

	if (machine->divergence->each_path)
		machine->divergence->each_path(r->warp.divergence, gather_lanes, &loop);
	else if (is_in(&loop, path->pc))
		loop.lanes = path->active;
	return loop.lanes & r->warp.live;
}

static void give_back_locks(struct again *again, const struct group *group, const struct resident *r, lane_mask lanes)
{
	for (uint32_t k = 0; k < r->held_lock_count; k++) {
		struct change lock = { .space = r->held_locks[k] < GLOBAL_BASE ? space_SHARED : space_GLOBAL, .bytes = 4, .address = r->held_locks[k],
				       .group = group->number };

		if (lanes >> r->held_by[k].lane & 1)
			again_word(again, &lock, 0);
	}
}

static uint32_t end_in_group(struct again *again, struct core *core, const struct group *group, struct loop_lanes loop)
{
	uint32_t ended = 0;

	for (uint64_t m = group->used ? group->slots : 0; m && group->used; m &= m - 1) {
		struct resident *r = &core->residents[__builtin_ctzll(m)];
		lane_mask lanes = r->finished ? 0 : lanes_in(again->gpu.machine, r, loop);

		if (!lanes)
			continue;
		give_back_locks(again, group, r, lanes);
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
	struct resident *r = find_thread(again, change, &core, &lane);
	const struct watched_warp *w = r && core->watch ? &core->watch->warps[core_slot(core, r)] : NULL;
	struct loop_lanes loop = { .first = UINT32_MAX };

	if (!w || w->first_pc > w->last_pc)
		return 0;
	loop.kernel = r->warp.kernel;
	loop.first = w->first_pc;
	loop.last = w->last_pc;
	for (uint32_t c = 0; c < machine->core_count; c++)
		for (uint64_t m = machine->cores[c].machine ? machine->cores[c].used_groups : 0; m; m &= m - 1)
			ended += end_in_group(again, &machine->cores[c], &machine->cores[c].groups[__builtin_ctzll(m)], loop);
	return ended;
}
