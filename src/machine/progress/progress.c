/* Runs work-groups step by step as a schedule says, and sees when everything repeats itself.  See progress.h for what
 * that proves. */
#include "machine/progress/progress.h"

#include "machine/core/deferred.h"
#include "machine/core/matrix_groups.h"
#include "machine/core/observer.h"
#include "machine/core/warp_state.h"
#include "machine/gpu/launch.h"
#include "machine/gpu/machine.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/copy.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/lock_bits.h"
#include "machine/observe/watch.h"
#include "memory/snapshot.h"
#include "util/lookup.h"

#include <assert.h>
#include <string.h>

#define STEP_INSTRUCTIONS 4096 /* a step without an access ends there */
#define CONFIRMING_RETURNS 2   /* watched again, so that what each warp looks at is known */

/* ---- Groups ---- */

static void find_groups(struct progress *p)
{
	for (uint32_t c = 0; c < p->machine->cores.count; c++) {
		struct core *core = &p->machine->cores.at[c];

		for (uint64_t m = core->machine ? core->groups.used : 0; m; m &= m - 1) {
			struct group *group = &core->groups.at[__builtin_ctzll(m)];

			assert(group->number < p->view.groups);
			assert(!p->groups[group->number].group);
			p->groups[group->number] =
				(struct progress_group){.core = core, .group = group, .last_slot = CORE_WARPS - 1};
		}
	}
}

static uint64_t ready_warps(const struct progress_group *g)
{
	return g->finished ? 0 : g->core->ready & g->group->slots;
}

bool progress_can_run(const struct progress *p, uint32_t group)
{
	assert(group < p->view.groups);
	return ready_warps(&p->groups[group]) != 0;
}

/* The bit of the warp's slot; 0: the group has no such warp. */
static uint64_t warp_of_part(const struct progress_group *g, uint32_t part)
{
	uint64_t slots = g->group->slots;

	assert(part != PART_TURN);
	assert(!(part & PART_COPY));
	for (uint32_t k = PART_WARP(0); k < part && slots; k++)
		slots &= slots - 1;
	return slots & -slots;
}

/* The warp of a group; null: it cannot run. */
static const struct warp_slot *ready_warp(const struct progress *p, uint32_t group, uint32_t warp)
{
	const struct progress_group *g = &p->groups[group];
	uint64_t slot;

	assert(group < p->view.groups);
	slot = g->finished ? 0 : warp_of_part(g, PART_WARP(warp)) & ready_warps(g);
	return slot ? &g->core->slots[__builtin_ctzll(slot)] : NULL;
}

uint32_t progress_other_paths(const struct progress *p, uint32_t group, uint32_t warp)
{
	const struct warp_slot *r = ready_warp(p, group, warp);

	assert(group < p->view.groups);
	return r ? functional_other_paths(p->groups[group].core, &r->warp) : 0;
}

static void add_lanes(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	lane_mask *all = context;

	(void)pc;
	assert(lanes);
	if (!waiting || !strcmp(waiting, WAITS_FOR_TURN))
		*all |= lanes;
}

lane_mask progress_lanes(const struct progress *p, uint32_t group, uint32_t warp)
{
	const struct warp_slot *r = ready_warp(p, group, warp);
	lane_mask all = r ? r->warp.path->active : 0;

	if (progress_other_paths(p, group, warp) && p->machine->divergence->each_path)
		p->machine->divergence->each_path(r->warp.divergence, add_lanes, &all);
	assert(!r || !(all & ~r->warp.live));
	assert(!r || all);
	return all;
}

/* Outstanding ones that end by steps of their own. */
static uint32_t copies_of(const struct progress *p, uint32_t group)
{
	const struct progress_group *g = &p->groups[group];

	assert(group < p->view.groups);
	return p->machine->mode->copies_end_later && !g->finished ? copy_count(g->core, g->group) : 0;
}

bool progress_part_can_run(const struct progress *p, uint32_t group, uint32_t part)
{
	const struct progress_group *g = &p->groups[group];

	assert(group < p->view.groups);
	if (part == PART_TURN || g->finished)
		return progress_can_run(p, group);
	if (part & PART_COPY)
		return part - PART_COPY < copies_of(p, group);
	if (part_is_path(part))
		return progress_other_paths(p, group, part_path_warp(part)) >= part_path(part);
	return ready_warps(g) & warp_of_part(g, part);
}

uint32_t progress_pc(const struct progress *p, uint32_t group, uint32_t part)
{
	const struct progress_group *g = &p->groups[group];
	const struct path *path;

	assert(part != PART_TURN);
	if (part & PART_COPY || part_is_path(part) || !progress_part_can_run(p, group, part) || g->finished)
		return 0;
	assert(!(part & PART_COPY));
	path = g->core->slots[__builtin_ctzll(warp_of_part(g, part))].warp.path;
	return path->active ? path->pc : 0;
}

bool progress_guarantees(const struct progress *p, uint32_t group)
{
	assert(group < p->view.groups);
	return !p->groups[group].finished && p->launch->dispatch.policy->guarantees(&p->view, group);
}

static void note_start(struct progress *p, uint32_t group)
{
	assert(!p->view.started[group]);
	((bool *)(uintptr_t)p->view.started)[group] = true;
	if (p->view.started_below <= group)
		p->view.started_below = group + 1;
}

static void note_finish(struct progress *p, uint32_t group)
{
	assert(p->view.started[group]);
	assert(p->unfinished);
	assert(!p->groups[group].finished);
	p->groups[group].finished = true;
	p->unfinished--;
	p->machine->progress_quiet_since = p->instructions;
	while (p->view.lowest < p->view.groups && p->groups[p->view.lowest].finished)
		p->view.lowest++;
}

static void record(struct progress *p, uint32_t group, uint32_t part)
{
	struct schedule_run *last = p->steps.count ? &p->steps.at[p->steps.count - 1] : NULL;

	assert(p->steps.count <= SCHEDULE_RUNS + 1);
	assert(p->loop <= p->steps.count);
	if (p->recorded || p->steps.count > SCHEDULE_RUNS)
		return;
	if (last && last->group == group && last->part == part && p->loop < p->steps.count)
		last->count++;
	else
		*vector_push(&p->machine->arena, &p->steps) = (struct schedule_run){group, 1, part};
}

/* The slot of the warp that runs.  The warps of a group take turns: the next ready one after the one that ran last. */
static uint32_t choose_warp(struct progress_group *g, uint32_t part)
{
	uint64_t ready = ready_warps(g), later = ready & ~((2ull << g->last_slot) - 1);

	assert(ready);
	if (part_is_path(part))
		part = PART_WARP(part_path_warp(part));
	if (part != PART_TURN)
		return (uint32_t)__builtin_ctzll(warp_of_part(g, part));
	g->last_slot = (uint32_t)__builtin_ctzll(later ? later : ready);
	return g->last_slot;
}

static void step(struct progress *p, uint32_t group, uint32_t part)
{
	struct progress_group *g = &p->groups[group];

	assert(g->group->used);
	assert(g->group->number == group);
	assert(progress_part_can_run(p, group, part));
	load_store_run_timers(g->core);
	if (!p->view.started[group])
		note_start(p, group);
	record(p, group, part);
	if (part & PART_COPY) {
		p->seen = (struct functional_seen){.noticed = FUNCTIONAL_NOTHING};
		copy_end(g->core, g->group, part - PART_COPY);
	} else {
		g->runs = true;
		p->instructions += functional_step(g->core, &g->core->slots[choose_warp(g, part)],
			part_is_path(part) ? part_path(part) : 0, STEP_INSTRUCTIONS, &p->seen);
	}
	if (!g->group->used)
		note_finish(p, group);
}

/* ---- State ---- */

typedef bool visit_bytes(void *context, const void *at, size_t bytes);

static bool visit_warp(const struct core *core, struct warp_slot *r, visit_bytes *visit, void *context)
{
	struct piece piece[STATE_PIECES];
	uint32_t count = r->finished ? 0 : state_pieces(core, r, piece), pc;
	uint8_t flags = (uint8_t)(r->finished | r->held << 1 | r->in_fence << 2);
	const uint64_t *address;
	lane_mask stopped = r->held ? atomic_lanes_stopped(core, r, &pc, &address) : 0;

	assert(count <= STATE_PIECES);
	if (!visit(context, &flags, sizeof flags) || !visit(context, &stopped, sizeof stopped) ||
		!visit(context, r->waiting_lanes, sizeof r->waiting_lanes))
		return false;
	for (uint32_t k = 0; k < count; k++)
		if (!visit(context, piece[k].at, piece[k].bytes))
			return false;
	return true;
}

static bool visit_group(const struct progress_group *g, visit_bytes *visit, void *context)
{
	const struct group *group = g->group;

	assert(g->finished || g->group->used);
	if (!visit(context, &g->finished, sizeof g->finished))
		return false;
	if (g->finished)
		return true;
	if (!visit(context, &g->last_slot, sizeof g->last_slot) ||
		!visit(context, &group->live_warps, sizeof group->live_warps) ||
		!visit(context, group->barriers, sizeof group->barriers) ||
		!visit(context, group->shared, g->group->core_launch->launch->group.shared_bytes) ||
		(group->pool && !visit(context, group->pool, sizeof *group->pool)) ||
		(group->matrices && !matrix_groups_visit(g->core, group, visit, context)))
		return false;
	for (uint64_t m = group->slots; m; m &= m - 1)
		if (!visit_warp(g->core, &g->core->slots[__builtin_ctzll(m)], visit, context))
			return false;
	return !g->core->machine->mode->copies_end_later || copy_visit(g->core, group, visit, context);
}

/* What the groups of a core have together. */
static bool visit_lock_bits(const struct progress *p, visit_bytes *visit, void *context)
{
	for (uint32_t c = 0; c < p->machine->cores.count; c++) {
		const struct core *core = &p->machine->cores.at[c];
		const struct lock_bits *bits = core->machine ? lock_bits_of(core) : NULL;

		assert(!bits || bits->taken_count <= bits->count);
		if (bits && bits->taken_count && !visit(context, bits->taken, bits->count))
			return false;
	}
	return true;
}

static bool visit_memory(const struct progress *p, visit_bytes *visit, void *context)
{
	const struct address_space *space = p->machine->space;

	return visit_lock_bits(p, visit, context) && visit(context, space->bytes, space->used);
}

static bool visit_all(const struct progress *p, visit_bytes *visit, void *context)
{
	if (!visit_memory(p, visit, context))
		return false;
	for (uint32_t k = 0; k < p->view.groups; k++)
		if (!visit_group(&p->groups[k], visit, context))
			return false;
	return true;
}

static bool copy_bytes(void *context, const void *at, size_t bytes)
{
	struct progress *p = context;

	assert(p->copied <= p->room);
	if (!bytes) /* `at` and the copy may be null */
		return true;
	if (p->copied + bytes > p->room) {
		size_t room = 2 * (p->copied + bytes);

		p->copy = arena_grow(&p->machine->arena, p->copy, p->room, room);
		p->room = room;
	}
	memcpy(p->copy + p->copied, at, bytes);
	p->copied += bytes;
	return true;
}

struct comparison {
	const struct progress *p;
	size_t at;
};

static bool compare_bytes(void *context, const void *at, size_t bytes)
{
	struct comparison *c = context;
	bool same = c->at + bytes <= c->p->copied && !memcmp(c->p->copy + c->at, at, bytes);

	assert(c->at <= c->p->copied);
	c->at += bytes;
	return same;
}

static bool is_as_copied(const struct progress *p)
{
	struct comparison c = {.p = p};

	assert(p->copied <= p->room);
	return p->copied && visit_all(p, compare_bytes, &c) && c.at == p->copied;
}

static bool hash_bytes(void *context, const void *at, size_t bytes)
{
	uint64_t *h = context, word;
	const uint8_t *from = at;

	for (; bytes >= sizeof word; bytes -= sizeof word, from += sizeof word) {
		memcpy(&word, from, sizeof word);
		h[0] = lookup_mix(h[0], word);
		h[1] = lookup_mix(h[1], ~word);
	}
	assert(bytes < sizeof word);
	word = bytes;
	memcpy(&word, from, bytes);
	h[0] = lookup_mix(h[0], word);
	h[1] = lookup_mix(h[1], ~word);
	return true;
}

void progress_group_print(const struct progress *p, uint32_t group, uint64_t print[2])
{
	assert(group < p->view.groups);
	print[0] = 1;
	print[1] = 2;
	visit_group(&p->groups[group], hash_bytes, print);
}

void progress_memory_print(const struct progress *p, uint64_t print[2])
{
	print[0] = 3;
	print[1] = 4;
	visit_lock_bits(p, hash_bytes, print);
	snapshot_print(p->machine->at_start.snapshot, print);
}

/* ---- Repetition ---- */

/* An operation that waits with a time limit is part of no copy, and time goes on. */
bool progress_saw_time(const struct progress *p)
{
	for (uint32_t c = 0; c < p->machine->cores.count; c++)
		if (p->machine->cores.at[c].machine && load_store_next_timer(&p->machine->cores.at[c]) != NEVER)
			return true;
	return watch_seen(p->machine).timed;
}

static void copy_state(struct progress *p)
{
	p->copied = 0;
	visit_all(p, copy_bytes, p);
	assert(p->copied);
	p->next_copy = 2 * p->periods;
	watch_everyone(p->machine);
}

static void begin_period(struct progress *p)
{
	assert(p->period != p->schedule->period);
	p->period = p->schedule->period;
	p->periods = p->next_copy = 1;
	p->loop = p->steps.count;
	p->recorded = false;
	p->confirmed = 0;
	for (uint32_t k = 0; k < p->view.groups; k++)
		p->groups[k].runs = false;
	copy_state(p);
}

/* At the start of a period.  True: the kernel hangs under this schedule. */
static bool goes_round(struct progress *p)
{
	if (p->period != p->schedule->period) {
		begin_period(p);
		return false;
	}
	assert(p->confirmed || p->periods < p->next_copy);
	p->periods++;
	p->recorded = true;
	if (is_as_copied(p) && !progress_saw_time(p))
		return ++p->confirmed > CONFIRMING_RETURNS;
	if (!p->confirmed && p->periods >= p->next_copy)
		copy_state(p);
	return false;
}

/* ---- Words ---- */

const char *progress_schedule_text(const struct progress *p, struct arena *arena)
{
	struct schedule_list list = {.runs = p->steps.at, .count = p->steps.count, .loop = p->loop};

	assert(p->loop <= p->steps.count);
	return p->steps.count > SCHEDULE_RUNS ? NULL : schedule_list_text(arena, &list);
}

/* ---- Running ---- */

static struct launch *finish(struct progress *p, enum gpu_outcome outcome)
{
	assert(outcome != GPU_COMPLETED || !p->unfinished);
	machine_finish(p->machine, p->launch, outcome);
	return p->launch;
}

static struct launch *end_if_over(struct progress *p, uint32_t group)
{
	const struct core *core = p->groups[group].core;
	uint64_t limit = p->machine->gpu->options.max_cycles;

	assert(p->unfinished <= p->view.groups);
	if (core->finding.found)
		return machine_fault(p->machine, &core->finding);
	if (!p->unfinished) {
		if (p->schedule->finished)
			p->schedule->finished(p->schedule, p);
		return finish(p, GPU_COMPLETED);
	}
	if (limit && p->instructions >= limit)
		return finish(p, GPU_LIMIT);
	return gpu_is_interrupted(p->machine->gpu) ? finish(p, GPU_INTERRUPTED) : NULL;
}

/* Hangs, or is paused until the host writes something. */
static struct launch *hang(struct progress *p, bool proved)
{
	assert(p->unfinished);
	p->period = UINT64_MAX; /* if it goes on, memory has changed */
	return machine_stuck(p->machine, p->machine->gpu->options.pause_when_stuck, proved);
}

#define REPORT_STEPS 65536
#define PERIODS_TO_KNOW 256
#define PAUSE_STEPS 1024

/* Nothing but looking for long, without coming back to an earlier state: as with a clock, or a count of attempts. */
static bool is_suspected(struct progress *p)
{
	uint64_t now, most = p->machine->gpu->options.hang_after;

	if (p->machine->rounds % REPORT_STEPS || !p->periods || p->confirmed)
		return false;
	now = p->instructions;
	assert(p->machine->progress_quiet_since <= now);
	if (watch_saw_work(p->machine))
		p->machine->progress_quiet_since = now;
	watch_forget_changes(p->machine);
	/* What each warp looks at is noted anew after each copy: some periods later it is known. */
	return most && now - p->machine->progress_quiet_since >= most &&
	       p->periods >= p->next_copy / 2 + PERIODS_TO_KNOW;
}

static struct launch *run(struct machine *machine);

#define PROGRESS_MODE FUNCTIONAL_MODE, .run = run, .never_waits = true

/* Where a schedule says which part of a group takes a step. */
static const struct machine_mode by_parts = {PROGRESS_MODE, .copies_end_later = true};

static struct progress *create(struct machine *machine)
{
	struct launch *launch = machine->launches.first;
	struct progress *p = arena_new(&machine->arena, struct progress);
	const struct gpu *gpu = machine->gpu;
	struct schedule *schedule = gpu->schedule;

	if (!schedule)
		schedule = adversary_create(&machine->arena, launch->total_groups, machine->seed, gpu->schedule_list);
	if (schedule->by_parts)
		machine->mode = &by_parts;
	launch_dispatch(launch, 0);
	assert(!launch->next);
	assert(launch->dispatch.next_group == launch->total_groups);
	*p = (struct progress){.machine = machine,
		.launch = launch,
		.unfinished = launch->total_groups,
		.seen.noticed = FUNCTIONAL_NOTHING};
	p->groups = arena_new_array(&machine->arena, struct progress_group, launch->total_groups);
	p->view = (struct progress_view){.groups = launch->total_groups,
		.started = arena_new_array(&machine->arena, bool, launch->total_groups)};
	p->schedule = schedule;
	find_groups(p);
	return p;
}

static struct launch *run(struct machine *machine)
{
	struct progress *p = machine->progress;
	struct launch *over = NULL;

	if (!p)
		p = machine->progress = create(machine);
	while (!over) {
		uint32_t group = p->schedule->next(p->schedule, p);

		if (group == SCHEDULE_END)
			return finish(p, GPU_LIMIT);
		if (group == SCHEDULE_NOBODY) {
			if (functional_pass_time(machine))
				continue;
			return machine_dead(machine);
		}
		assert(group < p->view.groups);
		if (p->schedule->repeats && goes_round(p))
			return hang(p, true);
		step(p, group, p->schedule->part);
		if (machine->gpu->experiment.between)
			machine->gpu->experiment.between(machine->gpu->experiment.between_context);
		deferred_carry_out(machine);
		observers_flush(machine, false);
		machine->rounds++;
		if (machine->rounds % REPORT_STEPS == 0)
			machine_show_progress(machine, 0);
		over = end_if_over(p, group);
		if (!over && is_suspected(p))
			return hang(p, false);
		if (!over && machine->rounds % PAUSE_STEPS == 0 && machine_pauses(machine))
			return NULL;
	}
	return over;
}

static bool is_for(const struct launch *first)
{
	return first->functional && first->dispatch.policy->guarantees;
}

const struct machine_mode mode_progress = {PROGRESS_MODE, .is_for = is_for};
