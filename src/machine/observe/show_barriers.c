/* Lines of what happens at the barriers of a work-group, named ones and that of its cluster, for --show barrier: which
 * threads come, and how many have then; which threads wait; which phase is complete, and which threads go on. */
#include "machine/observe/show.h"

#include "machine/core/cluster.h"
#include "machine/observe/barrier_phases.h"
#include "machine/state/launch_state.h"

#include <assert.h>
#include <inttypes.h>

struct show_barriers {
	struct text out; /* which begins with a pointer to the core's arena: observer.has_arena */
	bool begun;
	struct barrier_phases phases;
	/* Of each slot, what it waits for: when and at which instruction it began. */
	struct waiting {
		uint64_t since;
		uint32_t pc;
	} waiting[CORE_WARPS][GROUP_BARRIERS];
};

/* ---- Lines ---- */

static bool is_target(const struct core *core, const struct group *group)
{
	const uint32_t *target = core->machine->gpu->observe[OBSERVER_show_barriers];

	assert(group->used);
	return group->number == *target;
}

/* How each line begins, up to the barrier.  `r`: null: no warp of the group does it; then there is no `pc`. */
static void begin_line(struct core *core, struct show_barriers *s, const struct group *group, const struct warp_slot *r,
	uint32_t pc, uint32_t number)
{
	assert(number <= CLUSTER_BARRIER);
	if (!s->begun)
		text_print(&s->out, "barriers of work-group %" PRIu32 ": %s, warp, instruction, barrier\n\n",
			group->number, observer_at_once(core) ? "round" : "cycle");
	s->begun = true;
	show_line_begins(&s->out, core, r, r ? NULL : "-");
	show_place(&s->out, group->core_launch->launch, r ? pc : NO_PC);
	if (number == CLUSTER_BARRIER)
		text_print(&s->out, "barrier of the cluster  ");
	else
		text_print(&s->out, "barrier %" PRIu32 "  ", number);
}

/* "96 of 128 have come".  At a cluster's barrier: of the group, whose threads that have ended do not count; of the
 * others nothing is known here. */
static void say_count(struct text *out, const struct group *group, uint32_t number)
{
	const struct barrier *b = &group->barriers[number];
	uint32_t come = b->arrived, all = b->expected ? b->expected : group->live_threads;

	assert(group->live_threads);
	if (number == CLUSTER_BARRIER) {
		come = 0;
		all = group->live_threads;
		for (uint64_t m = group->slots; m; m &= m - 1)
			come += (uint32_t)__builtin_popcountll(group->cluster->came[__builtin_ctzll(m)]);
	}
	text_print(out,
		number == CLUSTER_BARRIER ? ": %" PRIu32 " of the work-group's %" PRIu32 " threads"
					  : ": %" PRIu32 " of %" PRIu32,
		come, all);
	text_print(out, come == 1 ? " has come\n" : " have come\n");
}

/* ---- Hooks ---- */

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	struct show_barriers *s = state;
	const struct barrier_phase *p;
	uint32_t threads = (uint32_t)__builtin_popcountll(lanes);

	assert(threads);
	if (!is_target(core, r->group))
		return;
	p = barrier_phases_come(core, s->out.arena, &s->phases, r, number, lanes);
	begin_line(core, s, r->group, r, r->warp.path->pc, number);
	text_print(&s->out, "%" PRIu32 " thread%s arrive%s%s in phase %" PRId64, threads, text_plural(threads),
		threads == 1 ? "s" : "", waits ? threads == 1 ? " and waits" : " and wait" : "", p->open.number);
	say_count(&s->out, r->group, number);
}

static void barrier_waits(struct core *core, void *state, const struct warp_slot *r, uint32_t number)
{
	struct show_barriers *s = state;
	const struct barrier_phase *p;

	if (number > CLUSTER_BARRIER || !is_target(core, r->group))
		return;
	s->waiting[core_slot(core, r)][number] =
		(struct waiting){.since = observer_clock(core), .pc = r->warp.path->pc};
	if (number != CLUSTER_BARRIER) /* told where it has come */
		return;
	p = barrier_phases_at(core, &s->phases, r->group, number);
	assert(p);
	begin_line(core, s, r->group, r, r->warp.path->pc, number);
	text_print(&s->out, "waits for phase %" PRId64 "\n", p->open.number);
}

static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	struct show_barriers *s = state;
	struct barrier_phase *p = is_target(core, group) ? barrier_phases_at(core, &s->phases, group, number) : NULL;
	bool is_own = p && number < NAMED_BARRIERS && !barrier_phase_ends_by_exit(p, group, number);
	const struct warp_slot *last = NULL;

	if (!p)
		return;
	for (uint64_t m = is_own ? group->slots : 0; m; m &= m - 1)
		if (core->slots[__builtin_ctzll(m)].warp.first_thread / core->slots[__builtin_ctzll(m)].warp.lanes ==
			p->last_warp)
			last = &core->slots[__builtin_ctzll(m)];
	assert(!is_own || last);
	begin_line(core, s, group, last, p->open.last, number);
	text_print(&s->out, "phase %" PRId64 " complete%s\n", p->open.number,
		number < NAMED_BARRIERS && !is_own ? ": the threads that had not come have ended" : "");
	barrier_phases_next(core, p);
}

static void released(struct core *core, void *state, const struct warp_slot *r, uint32_t number, uint64_t since)
{
	struct show_barriers *s = state;
	const struct waiting *w = &s->waiting[core_slot(core, r)][number];
	uint64_t waited = observer_clock(core) - w->since;

	(void)since;
	assert(r->used);
	if (number > CLUSTER_BARRIER || !is_target(core, r->group))
		return;
	begin_line(core, s, r->group, r, w->pc, number);
	text_print(&s->out, "goes on after %" PRIu64 " %s%s\n", waited, observer_at_once(core) ? "round" : "cycle",
		text_plural(waited));
}

/* The lanes come to barrier.cluster.wait when the phase is over; those that wait are told as released. */
static void cluster_over(struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, uint32_t phase)
{
	struct show_barriers *s = state;

	(void)lanes;
	assert(r->group->cluster);
	if (r->waiting_lanes[CLUSTER_BARRIER] || !is_target(core, r->group))
		return;
	begin_line(core, s, r->group, r, r->warp.path->pc, CLUSTER_BARRIER);
	text_print(&s->out, "finds phase %" PRIu32 " complete\n", phase);
}

static void flush(struct machine *machine, bool at_end)
{
	assert(!at_end || !machine->launches.first);
	(void)at_end;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct show_barriers *s = observer_state(&machine->cores.at[c], OBSERVER_show_barriers);

		if (s)
			machine_print(machine, &s->out);
	}
}

const struct observer observer_show_barriers = {
	.state_size = sizeof(struct show_barriers),
	.has_arena = true,
	.on.arrives = arrives,
	.on.barrier_waits = barrier_waits,
	.on.opens = opens,
	.on.released = released,
	.on.cluster_over = cluster_over,
	.flush = flush,
};
