/* The functional mode: warps take turns of some instructions, chosen by the seed; memory is one and at once.  A core's
 * clock counts the instructions that it runs, and what its warps sleep.
 *
 * As many work-groups are resident as in timing mode, so programs whose groups wait for each other do the same in both.
 * The loop over plain instructions is all there is to it; everything else is shared with timing mode. */
#include "machine/gpu/functional.h"

#include "machine/core/control.h"
#include "machine/core/deferred.h"
#include "machine/core/executors.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/gpu/audit.h"
#include "machine/gpu/children.h"
#include "machine/gpu/drawn.h"
#include "machine/gpu/early.h"
#include "machine/gpu/launch.h"
#include "machine/gpu/machine.h"
#include "machine/gpu/placement.h"
#include "machine/lsu/access.h"
#include "machine/lsu/in_core.h"
#include "machine/lsu/load_store.h"
#include "machine/observe/watch.h"

#include "util/text.h"

#include <assert.h>

static uint32_t count_lanes(lane_mask lanes)
{
	return (uint32_t)__builtin_popcountll(lanes);
}

static lane_mask guarded(const struct warp *w, const struct insn *i, lane_mask active)
{
	return active & (w->predicates[i->guard] ^ -(lane_mask)i->guard_invert);
}

/* What a turn reads again and again. */
struct turn {
	const struct insn *code;
	const struct issue_row *rows;
	uint64_t *runs;   /* of the launch */
	uint64_t threads; /* lanes of the instructions so far */
};

/* Counts that the instructions from `first` to before `end` were issued. */
static inline void count_run(const struct turn *t, uint32_t first, uint32_t end)
{
	assert(first <= end);
	t->runs[first]++;
	t->runs[end]--;
}

/* Carries out what insn_is_short says of, as load_store_issue would do it, without what only time needs: a tenth
 * of a vector addition. */
static inline void access_short(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint8_t space = i->access.space;

	assert(lanes);
	assert(!(lanes & ~r->warp.path->active));
	if (space == space_GLOBAL || space == space_SHARED)
		access_direct(core, r, i, lanes, space);
	else
		in_core_access(core, r, i, lanes, space);
}

/* How a warp runs: each way is compiled by itself. */
struct way {
	bool is_step;   /* none but plain instructions without a look whether others notice them */
	bool has_hooks; /* the code has, so rows do not hold */
	bool is_drawn;  /* the turn may end before an instruction that others may notice */
};

/* Runs instructions that are plain, which change nothing but registers, or short, until another kind comes, *next, or
 * the path ends or joins another, or the warp is held, or to a fault; at most `most`, after `past` ones of this turn.
 * Returns how many. */
static inline __attribute__((always_inline)) uint32_t run_on(struct core *core, struct warp_slot *r, struct turn *t,
	uint32_t past, uint32_t most, const struct insn **next, const struct way way)
{
	struct warp *w = &r->warp;
	struct path *path = w->path;
	/* -1: the stop itself may be where a path begins */
	uint32_t first = path->pc, pc = first, to_stop = path->reconvergence_pc - first - 1;
	uint32_t end = first + (to_stop < most ? to_stop + 1 : most);
	lane_mask active = path->active;

	assert(most);
	assert(active);
	assert(!r->held);
	while (pc != end) {
		const struct issue_row *row = &t->rows[pc];
		const struct insn *i = &t->code[pc];

		assert(pc < w->kernel->code_count);
		*next = i;
		if (!way.has_hooks && row->plain) {
			uint32_t count = row->plain < end - pc ? row->plain : end - pc;
			const struct insn *stop = i + count;

			t->threads += (uint64_t)count * count_lanes(active);
			pc += count;
			do
				i->exec(w, i, active);
			while (++i != stop);
		} else if (!way.has_hooks && !way.is_step && !way.is_drawn && row->is_short) {
			t->threads += count_lanes(active);
			path->pc = pc;
			w->now = core->now + past + (pc - first) + 1;
			access_short(core, r, i, active);
			pc++;
			if (core->stopped || r->held)
				break;
		} else if (i->kind == INSN_PLAIN) {
			lane_mask lanes = guarded(w, i, active);

			t->threads += count_lanes(lanes);
			pc++;
			if (lanes)
				i->exec(w, i, lanes);
		} else {
			break;
		}
	}
	path->pc = pc;
	return pc - first;
}

/* Whether another work-group may notice the instruction, or it another group: all but what stays within the warp. */
static bool is_visible(const struct insn *i)
{
	uint32_t flags = insn_kinds[i->kind].flags;
	uint8_t space = i->access.space;

	return !(flags & KIND_PRIVATE) &&
	       !(flags & KIND_BY_SPACE && (space == space_PARAM || space == space_CONST || space == space_LOCAL));
}

/* Whether the turn, which has run `ran` instructions, ends before the next one, as the seed draws it.  A fence counts:
 * it is where other threads may come between two accesses. */
static inline bool ends_before(struct machine *machine, const struct insn *next, uint32_t ran)
{
	assert(machine->drawn.on);
	return ran && (next->kind == INSN_FENCE || is_visible(next)) && drawn_end_before(&machine->drawn, next);
}

/* A branch that all lanes take, or none, and after which nothing else may run.  False: it is not one, and nothing was
 * done. */
static inline bool branch_together(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask taken)
{
	struct path *path = r->warp.path;

	assert(!(taken & ~path->active));
	if ((taken && taken != path->active) || i->flags & INSN_WAIT_BRANCH ||
		(i->flags & INSN_BACKWARD && core->machine->divergence->yield))
		return false;
	core->counters.branches++;
	path->pc = taken ? i->target : path->pc + 1;
	if (path->pc == path->reconvergence_pc)
		control_reconverge(core, r);
	return true;
}

/* Carries out an instruction that is neither plain nor a branch.  True: the warp's turn ends with it. */
static inline bool run_other(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	bool sleeps;

	assert(!(lanes & ~r->warp.path->active));
	if (insn_is_short(i)) {
		if (lanes)
			access_short(core, r, i, lanes);
		control_advance(core, r);
		return false;
	}
	sleeps = r->warp.kernel->code[r->warp.path->pc].kind == INSN_NANOSLEEP; /* also where it is observed */
	assert(!core->issuing);
	core->issuing = r;
	core_execute(core, r, i, lanes);
	core->issuing = NULL;
	return sleeps;
}

uint32_t functional_other_paths(const struct core *core, const struct warp *w)
{
	const struct divergence_model *model = core->machine->divergence;

	assert(!model->others == !model->choose);
	return model->others ? model->others(w->divergence) : 0;
}

/* Whether another path runs than that of `lanes`, or there are other ones to choose from than before. */
static bool has_other_choice(const struct core *core, const struct warp *w, lane_mask lanes, uint32_t others)
{
	assert(lanes);
	assert(w->path);
	return !(w->path->active & lanes) || functional_other_paths(core, w) != others;
}

/* Runs a warp until its turn is over or it cannot go on; a step: until it comes to a second instruction that others may
 * notice, or to where its divergence model has another choice of paths; *seen has what it has done so far.  Returns how
 * many instructions it has run. */
static inline __attribute__((always_inline)) uint32_t run(
	struct core *core, struct warp_slot *r, uint32_t budget, const struct way way, struct functional_seen *seen)
{
	struct warp *w = &r->warp;
	struct path *path = w->path;
	struct turn t = {.code = r->code, .rows = r->rows, .runs = r->core_launch->launch->runs};
	uint32_t left = budget;
	bool ends = false;
	uint32_t others = way.is_step ? functional_other_paths(core, w) : 0;

	assert(budget);
	assert(!r->finished);
	assert(!r->held);
	assert(t.runs);
	while (left && !ends && path->active && !r->finished && !core->stopped && !r->held) {
		uint32_t first = path->pc;
		const struct insn *i;
		lane_mask active = path->active;
		uint32_t ran = run_on(core, r, &t, budget - left, left, &i, way), pc = first + ran;
		lane_mask lanes;

		if (way.is_step && ran)
			seen->lanes |= active;
		left -= ran;
		if (ran && pc == path->reconvergence_pc) {
			count_run(&t, first, pc);
			control_reconverge(core, r);
			ends = way.is_step && has_other_choice(core, w, active, others);
			continue;
		}
		if (!left || core->stopped || r->held ||
			(way.is_drawn &&
				ends_before(r->core_launch->launch->machine, &w->kernel->code[pc], budget - left)) ||
			(way.is_step && seen->noticed != FUNCTIONAL_NOTHING && is_visible(&w->kernel->code[pc]))) {
			count_run(&t, first, pc);
			break;
		}
		if (way.is_step && is_visible(&w->kernel->code[pc]))
			seen->noticed = pc;
		if (way.is_step)
			seen->lanes |= active;
		left--;
		lanes = guarded(w, i, path->active);
		count_run(&t, first, pc + 1);
		t.threads += count_lanes(lanes);
		if (i->kind == INSN_BRANCH && branch_together(core, r, i, lanes)) {
			ends = way.is_step && has_other_choice(core, w, active, others);
			continue;
		}
		w->now = core->now + (budget - left);
		if (i->kind == INSN_BRANCH)
			control_branch(core, r, i, lanes);
		else
			ends = run_other(core, r, i, lanes) && !way.is_step;
		ends |= way.is_step && !r->finished && has_other_choice(core, w, active, others);
	}
	core->now += budget - left;
	r->core_launch->counters.warp_instructions += budget - left;
	r->core_launch->counters.thread_instructions += t.threads;
	if (!r->finished)
		core_schedule(core, r);
	return budget - left;
}

static void turn(struct core *core, struct warp_slot *r, uint32_t budget)
{
	assert(!((core->ready | core->fresh) & r->bit));
	if (r->code == r->warp.kernel->code)
		run(core, r, budget, (struct way){0}, NULL);
	else
		run(core, r, budget, (struct way){.has_hooks = true}, NULL);
}

/* Another path of the warp runs now, which may be deeper in calls. */
static void choose_path(struct core *core, struct warp_slot *r, uint32_t path)
{
	assert(path);
	assert(path <= functional_other_paths(core, &r->warp));
	core->machine->divergence->choose(r->warp.divergence, path);
	control_refresh(r);
}

/* A turn whose length, end and path the seed draws. */
static void drawn_turn(struct core *core, struct warp_slot *r, struct drawn *drawn)
{
	const struct way way = {.has_hooks = r->code != r->warp.kernel->code, .is_drawn = true};
	/* A proof that the kernel hangs rests on each path's turn coming by itself: see observe/watch.h. */
	uint32_t path = watch_of(core) ? 0 : drawn_path(drawn, functional_other_paths(core, &r->warp));

	assert(drawn->on);
	assert(!((core->ready | core->fresh) & r->bit));
	if (path)
		choose_path(core, r, path);
	run(core, r, drawn_length(drawn), way, NULL);
}

uint32_t functional_step(
	struct core *core, struct warp_slot *r, uint32_t path, uint32_t most, struct functional_seen *seen)
{
	assert(core->ready & r->bit);
	if (path)
		choose_path(core, r, path);
	core->ready &= ~r->bit;
	core->fresh &= ~r->bit;
	*seen = (struct functional_seen){.noticed = FUNCTIONAL_NOTHING};
	return run(core, r, most, (struct way){.is_step = true, .has_hooks = r->code != r->warp.kernel->code}, seen);
}

/* Which bit of the mask is its nth set one, from 0 on: by halves, since a loop over them is mispredicted each time. */
static uint32_t nth_bit(uint64_t mask, uint32_t nth)
{
	uint32_t at = 0;

	assert(nth < count_lanes(mask));
	for (uint32_t width = 32; width; width /= 2) {
		uint32_t below = count_lanes(mask & ((1ull << width) - 1));
		bool above = nth >= below;

		nth -= above ? below : 0;
		mask >>= above ? width : 0;
		at += above ? width : 0;
	}
	return at;
}

static uint32_t pick(uint64_t ready, uint64_t *seed)
{
	uint32_t count = count_lanes(ready);

	assert(ready);
	return count > 1 ? nth_bit(ready, (uint32_t)(splitmix64(seed) % count)) : (uint32_t)__builtin_ctzll(ready);
}

/* The time until the first of the core's sleeping warps wakes; NEVER: none sleeps. */
static uint64_t until_wake(const struct core *core)
{
	uint64_t first = NEVER;

	assert(!(core->asleep & core->ready));
	for (uint64_t m = core->asleep; m; m &= m - 1) {
		uint64_t at = core->slots[__builtin_ctzll(m)].hold_until, left = at > core->now ? at - core->now : 0;

		first = left < first ? left : first;
	}
	return first;
}

/* So much time passes on the core, and warps that have slept long enough wake. */
static void sleep_on(struct core *core, uint64_t cycles)
{
	core->now += cycles;
	for (uint64_t m = core->asleep; m; m &= m - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

		assert(core->waiting[WAIT_SLEEP] & r->bit);
		if (r->hold_until > core->now)
			continue;
		core->asleep &= ~r->bit;
		core_schedule(core, r);
	}
}

/* Draws a warp of `from`, a part of the ready ones, which it then no longer is. */
static struct warp_slot *next_warp(struct core *core, uint64_t from, uint64_t *random)
{
	uint32_t w = pick(from, random);

	assert(!(from & ~core->ready));
	assert(core->slots[w].used);
	assert(!core->slots[w].finished);
	core->ready &= ~(1ull << w);
	core->fresh &= ~(1ull << w);
	return &core->slots[w];
}

/* A turn for one warp of the core, if one is ready, which may last `budget` cycles.  False: none is. */
static bool take_turn(struct machine *machine, struct core *core, uint32_t budget)
{
	struct drawn *drawn = &machine->drawn;

	if (core->asleep) /* a turn's time, where none is taken */
		sleep_on(core, core->ready ? 0 : budget);
	if (!core->ready || core->stopped)
		return false;
	load_store_run_timers(core);
	if (drawn->on)
		drawn_turn(core, next_warp(core, drawn_choose_from(drawn, core->index, core->ready), &drawn->random),
			drawn);
	else
		turn(core, next_warp(core, core->ready, &drawn->random), budget);
	return true;
}

/* A turn for one warp of every core.  False when no warp of any core is ready. */
static bool round_of_turns(struct machine *machine)
{
	bool any = false;

	assert(!machine->drawn.on);
	EACH_USED_CORE(machine, c)
		any |= take_turn(machine, &machine->cores.at[c], machine->model->functional_turn);
	return any;
}

/* A turn for the first core that can take one, as the seed draws their order.  False: none can. */
static bool turn_of_one(struct machine *machine)
{
	struct core *first = NULL;
	uint64_t least = UINT64_MAX;

	assert(machine->drawn.one_by_one);
	EACH_USED_CORE(machine, c) {
		struct core *core = &machine->cores.at[c];
		uint64_t rank = drawn_rank(&machine->drawn, c);

		if (!core->ready || core->stopped || rank > least)
			continue;
		first = core;
		least = rank;
	}
	return first && take_turn(machine, first, machine->drawn.longest);
}

/* The same in the order that the seed draws: some cores come first, and those that pause take turns only if no other
 * can. */
static bool drawn_round(struct machine *machine)
{
	struct drawn *drawn = &machine->drawn;
	bool any = false;

	drawn_begin_round(drawn);
	if (drawn->one_by_one)
		return turn_of_one(machine);
	for (int pass = 0; pass < 3 && !(pass == 2 && any); pass++)
		EACH_USED_CORE(machine, c) {
			int its = drawn_pause(drawn, c) ? 2 : !drawn_early(drawn, c);

			any |= its == pass && take_turn(machine, &machine->cores.at[c], drawn->longest);
		}
	return any;
}

/* The time until something happens on a core that runs nothing: a timer, or a warp wakes; NEVER: nothing does. */
static uint64_t until_event(const struct core *core)
{
	uint64_t timer, wake;

	if (core->stopped)
		return NEVER;
	timer = load_store_next_timer(core);
	wake = until_wake(core);
	if (timer == NEVER)
		return wake;
	timer = timer > core->now ? timer - core->now : 0;
	return timer < wake ? timer : wake;
}

/* The time until the first event passes on every core that waits for one. */
bool functional_pass_time(struct machine *machine)
{
	uint64_t first = NEVER;

	EACH_USED_CORE(machine, c) {
		uint64_t left = until_event(&machine->cores.at[c]);

		first = left < first ? left : first;
	}
	if (first == NEVER)
		return false;
	EACH_USED_CORE(machine, c) {
		if (until_event(&machine->cores.at[c]) == NEVER)
			continue;
		assert(!machine->cores.at[c].ready);
		sleep_on(&machine->cores.at[c], first);
		load_store_run_timers(&machine->cores.at[c]);
	}
	return true;
}

static const struct finding *first_finding(const struct machine *machine)
{
	EACH_USED_CORE(machine, c)
		if (machine->cores.at[c].finding.found)
			return &machine->cores.at[c].finding;
	return NULL;
}

/* Ends the launches that are over; the first of them, or null.  A launch at its limit ends all, as its warps cannot be
 * taken away, and so does an interrupt. */
static struct launch *end_some(struct machine *machine)
{
	const struct finding *fault = first_finding(machine);
	uint64_t limit = machine->gpu->options.max_cycles;
	bool interrupted = gpu_is_interrupted(machine->gpu);
	struct launch *first;

	if (fault)
		return machine_fault(machine, fault);
	machine_drop_ended(machine);
	first = machine_finish_done(machine);
	if (!machine->launches.first ||
		(!interrupted && (!limit || launch_instructions(machine->launches.first) < limit)))
		return first;
	first = first ? first : machine->launches.first;
	while (machine->launches.first)
		machine_finish(machine, machine->launches.first, interrupted ? GPU_INTERRUPTED : GPU_LIMIT);
	return first;
}

static void dispatch(struct machine *machine)
{
	assert(machine->mode->takes_turns);
	if (machine->gpu->placement) {
		placement_dispatch(machine);
		return;
	}
	for (struct launch *l = machine->launches.active; l; l = l->course.next_active)
		if (!l->early.is_held)
			launch_dispatch(l, 0);
}

#define PROGRESS_ROUNDS 1024

static struct launch *run_turns(struct machine *machine)
{
	const struct gpu *gpu = machine->gpu;

	machine_drop_ended(machine); /* by a change that was made at a pause */
	for (;;) {
		struct launch *over;
		bool any;

		assert(machine->launches.first);
		children_begin(machine);
		dispatch(machine);
		any = machine->drawn.on ? drawn_round(machine) : round_of_turns(machine);
		audit_round(machine);
		if (gpu->experiment.between)
			gpu->experiment.between(gpu->experiment.between_context);
		deferred_carry_out(machine);
		observers_flush(machine, false);
		early_begin(machine);
		machine->rounds++;
		if (machine->rounds % PROGRESS_ROUNDS == 0)
			machine_show_progress(machine, 0);
		over = end_some(machine);
		if (!over && !any && !functional_pass_time(machine))
			return machine_dead(machine);
		if (over || machine_watch(machine, &over))
			return over;
		if (machine_pauses(machine))
			return NULL;
	}
}

uint64_t functional_clock(const struct machine *machine)
{
	return machine->rounds;
}

uint64_t functional_elapsed(const struct machine *machine, const struct launch *launch)
{
	assert(machine->mode->takes_turns);
	assert(!launch || launch->machine == machine);
	return launch ? launch_instructions(launch) : machine_instructions(machine);
}

/* The classes of what functional mode has run. */
static void count_runs(struct counters *counters, const struct launch *launch)
{
	uint64_t times = 0;

	assert(launch->runs);
	for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++) {
		times += launch->runs[pc];
		((uint64_t *)counters)[launch->rows[pc].counter] += times;
	}
	assert(times + launch->runs[launch->kernel->code_count] == 0);
}

void functional_count(struct launch *launch)
{
	assert(launch->machine->mode->takes_turns);
	machine_count(launch);
	count_runs(&launch->result.counters, launch);
}

static bool is_for(const struct launch *first)
{
	return first->functional;
}

const struct machine_mode mode_functional = {FUNCTIONAL_MODE, .is_for = is_for, .run = run_turns};
