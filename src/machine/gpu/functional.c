/* The functional mode: no clock; warps take turns of some instructions, chosen by the seed; memory is one and at once.
 *
 * As many work-groups are resident as in timing mode, so programs whose groups wait for each other do the same in both.
 * The loop over plain instructions is all there is to it; everything else is shared with timing mode. */
#include "machine/gpu/functional.h"

#include "machine/core/control.h"
#include "machine/core/executors.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/gpu/audit.h"
#include "machine/gpu/children.h"
#include "machine/gpu/dispatch.h"
#include "machine/gpu/launch_state.h"
#include "machine/gpu/machine.h"
#include "machine/lsu/access.h"
#include "machine/lsu/in_core.h"
#include "machine/lsu/load_store.h"
#include "machine/observe/observer.h"
#include "machine/state.h"

#include "util/text.h"

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
	bool has_hooks;   /* the code has, so rows->plain does not hold */
	uint64_t threads; /* lanes of the instructions so far */
};

static struct turn begin_turn(const struct warp_slot *r)
{
	return (struct turn){.code = r->code,
		.rows = r->rows,
		.runs = r->core_launch->launch->runs,
		.has_hooks = r->code != r->warp.kernel->code};
}

/* Counts the instructions from `first` to before `behind`. */
static inline void count_run(struct turn *t, uint32_t first, uint32_t behind, lane_mask lanes)
{
	t->runs[first]++;
	t->runs[behind]--;
	t->threads += (uint64_t)(behind - first) * count_lanes(lanes);
}

/* Runs plain instructions, which change nothing but registers, until another kind comes or the path ends or joins
 * another; at most `most`.  Returns how many. */
static inline __attribute__((always_inline)) uint32_t run_plain(struct warp *w, struct turn *t, uint32_t most)
{
	struct path *path = w->path;
	/* -1: the stop itself may be where a path begins */
	uint32_t first = path->pc, pc = first, to_stop = path->reconvergence_pc - first - 1;
	uint32_t end = first + (to_stop < most ? to_stop + 1 : most);
	lane_mask active = path->active;

	while (pc != end && t->code[pc].kind == INSN_PLAIN) {
		uint32_t plain = t->has_hooks ? 0 : t->rows[pc].plain;
		const struct insn *i = &t->code[pc];

		if (plain) {
			uint32_t behind = plain < end - pc ? pc + plain : end;
			const struct insn *stop = &t->code[behind];

			count_run(t, pc, behind, active);
			do
				i->exec(w, i, active);
			while (++i != stop);
			pc = behind;
		} else {
			lane_mask lanes = guarded(w, i, active);

			count_run(t, pc, pc + 1, lanes);
			if (lanes)
				i->exec(w, i, lanes);
			pc++;
		}
	}
	path->pc = pc;
	return pc - first;
}

/* Loads, stores and atomics of a space that is written down, as load_store_issue would do them, without what only time
 * needs: a tenth of a vector addition.  False: it is none of them, and nothing was done. */
static bool access_short(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint8_t space = i->access.space;

	if (i->kind != INSN_LOAD && i->kind != INSN_STORE && (i->kind != INSN_ATOMIC || i->access.elements > 1))
		return false;
	if (i->access.cluster)
		return false;
	if (space == space_GLOBAL || space == space_SHARED) {
		if (lanes)
			access_direct(core, r, i, lanes, space);
		return true;
	}
	if (space != space_PARAM && space != space_CONST)
		return false;
	if (lanes)
		in_core_access(core, r, i, lanes, space);
	return true;
}

/* Whether another work-group may notice the instruction, or it another group: all but what stays within the warp. */
static bool is_visible(const struct insn *i)
{
	uint32_t flags = insn_kinds[i->kind].flags;
	uint8_t space = i->access.space;

	return !(flags & KIND_PRIVATE) &&
	       !(flags & KIND_BY_SPACE && (space == space_PARAM || space == space_CONST || space == space_LOCAL));
}

/* Carries out an instruction that is neither plain nor a branch. */
static inline void run_other(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	core->issuing = r;
	if (access_short(core, r, i, lanes))
		control_advance(core, r);
	else
		control_execute(core, r, i, lanes);
	core->issuing = NULL;
}

/* Runs a warp until its turn is over or it cannot go on; a step: until it comes to a second instruction that others may
 * notice.  Returns how many instructions it has run. */
static inline __attribute__((always_inline)) uint32_t run(
	struct core *core, struct warp_slot *r, uint32_t budget, bool is_step)
{
	struct warp *w = &r->warp;
	struct path *path = w->path;
	struct turn t = begin_turn(r);
	uint32_t left = budget;
	bool noticed = false;

	while (left && path->active && !r->finished && !core->stopped && !r->held) {
		uint32_t ran = run_plain(w, &t, left);
		const struct insn *i;
		lane_mask lanes;
		bool sleeps;

		left -= ran;
		if (ran && path->pc == path->reconvergence_pc) {
			control_reconverge(core, r);
			continue;
		}
		if (!left)
			break;
		if (is_step && is_visible(&w->kernel->code[path->pc])) {
			if (noticed)
				break;
			noticed = true;
		}
		left--;
		i = &t.code[path->pc];
		lanes = guarded(w, i, path->active);
		count_run(&t, path->pc, path->pc + 1, lanes);
		w->now = core->now + (budget - left);
		if (i->kind == INSN_BRANCH) {
			control_branch(core, r, i, lanes);
			continue;
		}
		sleeps = w->kernel->code[path->pc].kind == INSN_NANOSLEEP; /* also where it is observed */
		run_other(core, r, i, lanes);
		if (!is_step && sleeps)
			break;
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
	run(core, r, budget, false);
}

uint32_t functional_step(struct core *core, struct warp_slot *r, uint32_t most)
{
	core->ready &= ~r->bit;
	core->fresh &= ~r->bit;
	return run(core, r, most, true);
}

/* Which bit of the mask is its nth set one, from 0 on: by halves, since a loop over them is mispredicted each time. */
static uint32_t nth_bit(uint64_t mask, uint32_t nth)
{
	uint32_t at = 0;

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

	return count > 1 ? nth_bit(ready, (uint32_t)(splitmix64(seed) % count)) : (uint32_t)__builtin_ctzll(ready);
}

/* A turn for one warp of every core.  False when no warp of any core is ready. */
static bool round_of_turns(struct machine *machine)
{
	bool any = false;

	for (uint32_t c = 0; c < machine->core_count; c++) {
		struct core *core = &machine->cores[c];
		uint32_t w;

		if (!core->ready || core->stopped)
			continue;
		any = true;
		load_store_run_timers(core);
		w = pick(core->ready, &machine->turn_seed);
		core->ready &= ~(1ull << w);
		core->fresh &= ~(1ull << w);
		turn(core, &core->slots[w], machine->model->functional_turn);
	}
	return any;
}

bool functional_pass_time(struct machine *machine)
{
	bool any = false;

	for (uint32_t c = 0; c < machine->core_count; c++) {
		struct core *core = &machine->cores[c];

		uint64_t next;

		if (!core->machine || core->stopped) /* it may not be made yet */
			continue;
		next = load_store_next_timer(core);
		if (next == NEVER)
			continue;
		any = true;
		core->now = next > core->now ? next : core->now;
		load_store_run_timers(core);
	}
	return any;
}

static const struct finding *first_finding(const struct machine *machine)
{
	for (uint32_t c = 0; c < machine->core_count; c++)
		if (machine->cores[c].finding.found)
			return &machine->cores[c].finding;
	return NULL;
}

/* Ends the launches that are over; the first of them, or null.  A launch at its limit ends all, as its warps cannot be
 * taken away, and so does an interrupt. */
static struct launch *end_some(struct machine *machine)
{
	const struct finding *fault = first_finding(machine);
	uint64_t limit = machine->gpu->options.max_cycles;
	bool interrupted = gpu_is_interrupted(machine->gpu);
	struct launch *first = NULL, *next;

	if (fault)
		return machine_fault(machine, fault);
	for (struct launch *launch = machine->launches; launch; launch = next) {
		next = launch->next;
		if (launch_groups_done(launch) == launch->total_groups && children_ended(launch)) {
			machine_finish(machine, launch, GPU_COMPLETED);
			first = first ? first : launch;
		}
	}
	if (!machine->launches || (!interrupted && (!limit || launch_instructions(machine->launches) < limit)))
		return first;
	first = first ? first : machine->launches;
	while (machine->launches)
		machine_finish(machine, machine->launches, interrupted ? GPU_INTERRUPTED : GPU_LIMIT);
	return first;
}

#define PROGRESS_ROUNDS 1024

struct launch *functional_run(struct machine *machine)
{
	const struct gpu *gpu = machine->gpu;

	for (;;) {
		const struct launch *launch = machine->launches;
		struct launch *over;
		bool any;

		children_begin(machine);
		for (struct launch *l = machine->launches; l; l = l->next)
			launch_dispatch(l, 0);
		any = round_of_turns(machine);
		audit_round(machine);
		if (gpu->between)
			gpu->between(gpu->between_context);
		deferred_carry_out(machine);
		observers_flush(machine, false);
		machine->rounds++;
		if (gpu->options.progress && machine->rounds % PROGRESS_ROUNDS == 0)
			gpu->options.progress(gpu->options.progress_context, 0, launch_instructions(launch),
				launch_groups_done(launch), launch->total_groups);
		over = end_some(machine);
		if (!over && !any && !functional_pass_time(machine))
			return machine_dead(machine);
		if (over || machine_watch(machine, &over))
			return over;
		if (gpu->pause_at && machine_pauses(machine, launch_instructions(machine->launches)))
			return NULL;
	}
}
