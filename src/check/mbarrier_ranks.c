/* Rules of mbarrier_rules.h: arrivals that go to the mbarrier of another rank of the cluster. */
#include "check/mbarrier_habits.h"

#include "machine/core/cluster.h"
#include "machine/state/launch_state.h"

/* The arrivals of a line at the case's offset, in other work-groups of the cluster than that which misses them. */
struct astray {
	uint32_t pc;
	const struct actor *first;
	uint32_t warps, ranks, sources, arrivals;
};

/* How often a warp arrives in a rank by instructions of a line. */
static uint32_t arrivals_in(const struct rule_case *c, const struct actor *a, uint32_t pc, uint32_t rank)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < mbarrier_events(a->trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(a->trace, k);

		count += e->step == STEP_ARRIVED && e->rank == rank && rule_same_line(c->e->kernel, e->pc, pc);
	}
	return count;
}

/* Some warp arrives in both ranks by this line between two waits: one does not stand for the other. */
static bool goes_to_both(const struct pipeline *p, uint32_t pc, uint32_t rank)
{
	for (uint32_t a = 0; a < p->actor_count; a++) {
		const struct mbarrier_trace *trace = p->actors[a].trace;
		uint32_t ranks = 0, both = 1u << rank | 1u << p->rank;

		for (uint32_t k = 0; k < mbarrier_events(trace); k++) {
			const struct mbarrier_event *e = mbarrier_event(trace, k);

			if (e->step == STEP_PASSED)
				ranks = 0;
			if (e->step == STEP_ARRIVED && rule_same_line(p->c->e->kernel, e->pc, pc))
				ranks |= 1u << e->rank;
			if ((ranks & both) == both)
				return true;
		}
	}
	return false;
}

/* No thread of the rank has ever waited at an mbarrier at the case's offset. */
static bool is_useless(const struct pipeline *p, uint32_t rank)
{
	struct core *core;
	const struct group *group = cluster_group(p->c->e->machine, p->c->t->r->group, rank, &core);
	const struct mbarrier_object *o = group ? mbarrier_object_of(core, group, p->c->object->offset) : NULL;

	return o && !o->looked;
}

static bool has_arrived(const struct pipeline *p, const struct actor *a)
{
	EACH_RECORD(r, p->c->object, p->c->object->phase, MBARRIER_ARRIVED)
		if (r->group == a->group->number && r->thread / p->c->t->r->warp.lanes == a->warp)
			return true;
	return false;
}

/* Warps of a rank arrive in another one by this line. */
static bool goes_from_to(const struct pipeline *p, uint32_t pc, uint32_t from, uint32_t to)
{
	for (uint32_t k = 0; k < p->actor_count; k++)
		if (p->actors[k].rank == from && arrivals_in(p->c, &p->actors[k], pc, to))
			return true;
	return false;
}

/* Warps of the case's rank arrive in the actor's rank by this line, and of two other ranks so do both. */
static bool is_answered(const struct pipeline *p, const struct actor *a, uint32_t pc)
{
	uint32_t size = launch_cluster_size(&p->c->e->launch->values);
	bool is_mutual = false;

	for (uint32_t from = 0; from < size; from++)
		for (uint32_t to = 0; to < from; to++)
			is_mutual |= goes_from_to(p, pc, from, to) && goes_from_to(p, pc, to, from);
	return is_mutual && a->rank != p->rank && goes_from_to(p, pc, p->rank, a->rank);
}

/* Of a warp that has not arrived at the case's mbarrier in this phase. */
static bool is_astray(const struct pipeline *p, const struct actor *a, const struct mbarrier_event *e)
{
	if (e->step != STEP_ARRIVED || !e->count || e->offset != p->c->object->offset || e->rank == p->rank)
		return false;
	return (is_useless(p, e->rank) || arrivals_in(p->c, a, e->pc, p->rank) > arrivals_in(p->c, a, e->pc, e->rank) ||
		       (!arrivals_in(p->c, a, e->pc, p->rank) && is_answered(p, a, e->pc))) &&
	       !goes_to_both(p, e->pc, e->rank);
}

static struct astray astray_by(const struct pipeline *p, uint32_t pc)
{
	struct astray astray = {.pc = pc};

	for (uint32_t k = 0; k < p->actor_count; k++) {
		const struct actor *a = &p->actors[k];
		uint32_t arrivals = astray.arrivals;

		for (uint32_t j = 0; j < mbarrier_events(a->trace) && !has_arrived(p, a); j++) {
			const struct mbarrier_event *e = mbarrier_event(a->trace, j);

			if (!rule_same_line(p->c->e->kernel, e->pc, pc) || !is_astray(p, a, e))
				continue;
			astray.arrivals += e->count;
			astray.ranks |= 1u << e->rank;
			astray.sources |= 1u << a->rank;
		}
		if (astray.arrivals == arrivals)
			continue;
		astray.first = astray.warps++ ? astray.first : a;
	}
	return astray;
}

static void add_astray(const struct pipeline *p, const struct astray *astray)
{
	struct stage_ring ring = stage_ring_of(p->c, p->c->object->offset);
	struct mend_stages *stages = arena_new(p->c->e->arena, struct mend_stages);

	*stages = (struct mend_stages){.count = ring.count, .has_to = true, .rank = p->rank};
	for (uint32_t k = 0; k < ring.count; k++)
		stages->from[k] = stages->to[k] = ring.at[k];
	rule_add(p->c, CAUSE_WRONG_MBARRIER,
		rule_at_line(p->c, astray->pc,
			(struct change){.kind = CHANGE_MBARRIER,
				.mend = MEND_RANK,
				.group = astray->first->group->number,
				.thread = astray->first->warp * p->c->t->r->warp.lanes + astray->first->lane,
				.stages = stages,
				.address = p->c->wait->offset,
				.values = {astray->ranks, astray->sources, astray->warps - 1}}));
}

/* ---- Arrivals that leave out a rank ---- */

/* The warp's last visit that would arrive at the case's mbarrier is over, and has arrived in two other ranks or more by
 * the habit's line, not in this one; nor has it ever. */
static bool leaves_out_rank(const struct pipeline *p, const struct habit *h, const struct actor *a)
{
	bool is_due = false;

	EACH_VISIT(v, a) {
		uint32_t ranks = habit_ranks(p, h, &v);

		if (!rule_same_line(p->c->e->kernel, h->pass_pc, v.pass->pc))
			continue;
		if (ranks >> p->rank & 1)
			return false;
		if (habit_usual_target(h, &v) == (int64_t)p->c->object->offset)
			is_due = v.is_over && __builtin_popcount(ranks) > 1;
	}
	return is_due;
}

/* Likewise, of a warp that never arrives anywhere by the line, where the case's rank arrives in the warp's rank. */
static bool does_not_answer(const struct pipeline *p, const struct habit *h, const struct actor *a)
{
	bool is_due = false;

	EACH_VISIT(v, a) {
		if (!rule_same_line(p->c->e->kernel, h->pass_pc, v.pass->pc))
			continue;
		if (habit_ranks(p, h, &v))
			return false;
		if (habit_usual_target(h, &v) == (int64_t)p->c->object->offset)
			is_due = v.is_over;
	}
	return is_due && is_answered(p, a, h->pc);
}

/* `answers`: warps that do not answer; else those that leave out a rank. */
static void add_rank_left_out(const struct pipeline *p, const struct habit *h, bool answers)
{
	const struct actor *first = NULL;
	uint32_t warps = 0, ranks = 0;

	for (uint32_t k = 0; k < p->actor_count; k++) {
		const struct actor *a = &p->actors[k];

		if (has_arrived(p, a) || !(answers ? does_not_answer(p, h, a) : leaves_out_rank(p, h, a)))
			continue;
		first = warps++ ? first : a;
		ranks |= 1u << a->rank;
	}
	if (!warps || warps * h->arrivals != p->c->wait->now.pending)
		return;
	*p->c->count_is_right |= answers;
	rule_add_due(p, CAUSE_MISSING_ARRIVAL,
		rule_at_line(p->c, h->pc,
			(struct change){.kind = CHANGE_MBARRIER,
				.mend = MEND_DUE,
				.group = first->group->number,
				.thread = first->warp * p->c->t->r->warp.lanes + first->lane,
				.address = p->c->wait->offset,
				.stages = stages_of_habit(p, h, &h->to, (uint32_t)habit_usual_shift(h)),
				.values = {h->arrivals, answers ? 1 : MEND_AS_OTHER_RANKS, warps - 1},
				.ranks = answers ? ranks : 0,
				.value_count = 1}));
}

/* Warps arrive in several ranks, and not in this one. */
void rule_rank_left_out(const struct rule_case *c)
{
	struct pipeline p;

	if (!c->is_first || !c->wait->now.pending || launch_cluster_size(&c->e->launch->values) < 3 ||
		mbarrier_wait_is_lapped(c->wait) || rule_is_complete_without(c))
		return;
	p = pipeline_of(c);
	for (uint32_t k = 0; k < p.habit_count; k++) {
		struct habit h = p.habits[k];
		bool is_first = !h.is_copy;

		for (uint32_t j = 0; j < k && is_first; j++)
			is_first = !rule_same_line(c->e->kernel, p.habits[j].pc, h.pc) ||
				   !rule_same_line(c->e->kernel, p.habits[j].pass_pc, h.pass_pc);
		h.rank = p.rank;
		if (is_first && h.is_for_more)
			add_rank_left_out(&p, &h, false);
		else if (is_first)
			add_rank_left_out(&p, &h, true);
	}
}

/* ---- Arrivals in the own rank alone ---- */

/* The mbarriers of the habit in all ranks of the cluster, the case's first. */
static struct mend_stages *stages_of_all_ranks(const struct pipeline *p, const struct habit *h)
{
	struct mend_stages *first = stages_of_habit(p, h, &h->to, (uint32_t)habit_usual_shift(h));

	for (uint32_t rank = launch_cluster_size(&p->c->e->launch->values); rank-- > 0;) {
		struct mend_stages *more;

		if (rank == p->rank)
			continue;
		more = arena_new(p->c->e->arena, struct mend_stages);
		*more = *first;
		more->rank = rank;
		first->next = more;
	}
	return first;
}

/* The first warp of another rank that arrives in that by the line, and how many do. */
static const struct actor *others_with(const struct pipeline *p, uint32_t pc, uint32_t *warps)
{
	const struct actor *first = NULL;

	*warps = 0;
	for (uint32_t k = 0; k < p->actor_count; k++)
		if (p->actors[k].rank != p->rank && arrivals_in(p->c, &p->actors[k], pc, p->actors[k].rank))
			first = (*warps)++ ? first : &p->actors[k];
	return first;
}

/* They should also be made in the other ranks; or the count should be that of the own one. */
static void add_for_all_ranks(const struct pipeline *p, const struct habit *h, uint32_t come)
{
	uint32_t warps;
	const struct actor *first = others_with(p, h->pc, &warps);

	if (!first || warps * h->arrivals != p->c->wait->now.pending)
		return;
	*p->c->count_is_right = true;
	rule_add(p->c, CAUSE_MISSING_ARRIVAL,
		rule_at_line(p->c, h->pc,
			(struct change){.kind = CHANGE_MBARRIER,
				.mend = MEND_DUE,
				.group = first->group->number,
				.thread = first->warp * p->c->t->r->warp.lanes + first->lane,
				.address = p->c->wait->offset,
				.stages = stages_of_all_ranks(p, h),
				.values = {h->arrivals, MEND_AS_OTHER_RANKS, warps - 1},
				.value_count = 1}));
	rule_add(p->c, CAUSE_WRONG_COUNT,
		rule_at_kind(p->c, p->c->object, (struct change){.mend = MEND_COUNT, .values = {come}}));
}

/* The count is that of all ranks, and each has arrived at its own mbarrier alone. */
void rule_own_rank_alone(const struct rule_case *c)
{
	struct pipeline p;
	uint32_t come = c->wait->now.expected - c->wait->now.pending;

	if (!c->is_first || c->object->phase || !rule_counts_cluster(c) || mbarrier_wait_is_lapped(c->wait))
		return;
	p = pipeline_of(c);
	for (uint32_t k = 0; k < p.habit_count; k++)
		if (p.habits[k].rank == p.rank && !p.habits[k].is_copy && !p.habits[k].is_remote &&
			stage_place(&p.habits[k].to, c->object->offset) >= 0)
			add_for_all_ranks(&p, &p.habits[k], come);
}

/* ---- Arrivals in the wrong rank ---- */

/* The arrivals that the phase lacks have been made in other ranks, where nobody waits for them. */
void rule_other_rank(const struct rule_case *c)
{
	struct pipeline p;

	if (!c->is_first || !c->wait->now.pending || launch_cluster_size(&c->e->launch->values) == 1 ||
		mbarrier_wait_is_lapped(c->wait))
		return;
	p = pipeline_of(c);
	for (uint32_t k = 0; k < p.actor_count; k++)
		for (uint32_t j = 0; j < mbarrier_events(p.actors[k].trace); j++) {
			const struct mbarrier_event *e = mbarrier_event(p.actors[k].trace, j);
			struct astray astray =
				is_astray(&p, &p.actors[k], e) ? astray_by(&p, e->pc) : (struct astray){0};

			if (!astray.warps || astray.arrivals != c->wait->now.pending)
				continue;
			*c->count_is_right = true;
			add_astray(&p, &astray);
			return;
		}
}
