/* Rules by what warps have done at the stages of a pipeline (mbarrier_rules.h): visits without the arrival that is a
 * habit, visits with it elsewhere, and waits that do not go through the stages in order. */
#include "check/mbarrier_habits.h"

#include "machine/core/cluster.h"
#include "machine/state/launch_state.h"

/* ---- Left out ---- */

/* What the actor itself has done by the habit. */
struct own {
	bool has_habit;
	bool is_due;       /* the last visit whose arrival goes to the case's mbarrier is over and had none ... */
	bool is_elsewhere; /* ... but one in another rank */
};

static struct own own_of(const struct pipeline *p, const struct habit *h, const struct actor *a)
{
	struct own own = {0};

	EACH_VISIT(v, a) {
		const struct mbarrier_event *arrival = habit_arrival(p, h, &v);

		if (!rule_same_line(p->c->e->kernel, h->pass_pc, v.pass->pc))
			continue;
		own.has_habit |= arrival != NULL;
		if (habit_usual_target(h, &v) == (int64_t)p->c->object->offset)
			own.is_due = !arrival && v.is_over && !habit_went_elsewhere(p, h, &v),
			own.is_elsewhere = habit_ranks(p, h, &v) & ~(1u << p->rank);
	}
	own.is_due &= habit_in_each_turn(p, h, a) && !habit_came_too_often(p, h, a);
	return own;
}

static bool has_arrived(const struct pipeline *p, const struct actor *a)
{
	EACH_RECORD(r, p->c->object, p->c->object->phase, MBARRIER_ARRIVED)
		if (r->group == a->group->number && r->thread / p->c->t->r->warp.lanes == a->warp)
			return true;
	return false;
}

/* The warps that have left out an arrival of the habit at the case's mbarrier. */
struct left_out {
	const struct actor *first;
	uint32_t warps, arrivals;
	bool is_sure; /* each of them makes it at other times */
};

/* `is_sure`: only those; else also those that never make it. */
static struct left_out left_out_of(const struct pipeline *p, const struct habit *h, bool is_sure)
{
	struct left_out left = {.is_sure = is_sure};

	for (uint32_t k = 0; k < p->actor_count; k++) {
		struct own own = own_of(p, h, &p->actors[k]);
		bool is_habit = own.has_habit || (!is_sure && (h->is_for_more || !own.is_elsewhere) &&
							 (h->is_remote || p->actors[k].rank == h->rank));

		if (!own.is_due || !is_habit || has_arrived(p, &p->actors[k]))
			continue;
		left.first = left.warps++ ? left.first : &p->actors[k];
		left.arrivals += h->arrivals;
	}
	return left;
}

struct mend_stages *stages_of_habit(
	const struct pipeline *p, const struct habit *h, const struct stage_ring *to, uint32_t shift)
{
	struct mend_stages *stages = arena_new(p->c->e->arena, struct mend_stages);
	const struct kernel *kernel = p->c->e->kernel;

	*stages = (struct mend_stages){.count = h->from.count, .has_to = true, .rank = h->rank};
	for (uint32_t k = 0; k < h->from.count; k++) {
		stages->from[k] = h->from.at[k];
		stages->to[k] = to->at[(k + shift) % to->count];
	}
	for (uint32_t k = 0; k < kernel->code_count && stages->wait_count < 8; k++)
		if (rule_same_line(kernel, h->pass_pc, k))
			stages->waits[stages->wait_count++] = k;
	return stages;
}

static void add_other_ranks(const struct pipeline *p, enum hang_cause cause, struct change change)
{
	const struct finding_detail *d = p->c->e->detail;
	struct mend_stages *own = arena_new(p->c->e->arena, struct mend_stages);

	*own = *change.stages;
	for (uint32_t k = 0; k < d->mend_count; k++) {
		const struct change *other = &d->mends[k].change;
		struct mend_stages *more;

		if (other->mend != MEND_DUE || other->of_copies != change.of_copies || other->pc != change.pc ||
			other->stages->next || other->stages->rank == change.stages->rank)
			continue;
		more = arena_new(p->c->e->arena, struct mend_stages);
		*more = *other->stages;
		more->next = own->next;
		own->next = more;
	}
	change.stages = own;
	if (own->next)
		rule_add(p->c, cause, change);
}

void rule_add_due(const struct pipeline *p, enum hang_cause cause, struct change change)
{
	rule_add(p->c, cause, change);
	add_other_ranks(p, cause, change);
}

/* `bytes`: that one arrival expects. */
static void add_left_out(const struct pipeline *p, const struct habit *h, const struct left_out *left, uint64_t bytes)
{
	struct change change = {.kind = CHANGE_MBARRIER,
		.mend = MEND_DUE,
		.group = left->first->group->number,
		.thread = left->first->warp * p->c->t->r->warp.lanes + left->first->lane,
		.address = p->c->wait->offset,
		.stages = stages_of_habit(p, h, &h->to, (uint32_t)habit_usual_shift(h)),
		.values = {h->arrivals, !left->is_sure, left->warps - 1, bytes},
		.value_count = 1};

	if (!h->arrivals || (h->to.count > 1 && h->to.count != h->from.count))
		return;
	change = rule_at_line(p->c, h->pc, change);
	rule_add_due(p, CAUSE_MISSING_ARRIVAL, change);
}

void rule_left_out(const struct rule_case *c)
{
	struct pipeline p;

	if (!c->is_first || !c->wait->now.pending || mbarrier_wait_is_lapped(c->wait))
		return;
	p = pipeline_of(c);
	for (uint32_t k = 0; k < p.habit_count; k++) {
		const struct habit *h = &p.habits[k];
		bool is_here = h->rank == p.rank && !h->is_copy && habit_is_usual(&p, h);
		struct left_out left = is_here ? left_out_of(&p, h, true) : (struct left_out){0};

		if (is_here && left.arrivals != c->wait->now.pending)
			left = left_out_of(&p, h, false);
		if (!left.warps || left.arrivals != c->wait->now.pending)
			continue;
		*c->count_is_right |= left.is_sure;
		add_left_out(&p, h, &left, 0);
	}
}

/* A warp of the work-group has the habit in its own rank. */
static bool has_own_habit(const struct pipeline *p, const struct habit *like)
{
	for (uint32_t k = 0; k < p->habit_count; k++)
		if (p->habits[k].rank == p->rank && rule_same_line(p->c->e->kernel, p->habits[k].pc, like->pc))
			return true;
	return false;
}

/* The bytes that one arrival of the habit expects in its rank. */
static uint64_t bytes_expected(const struct rule_case *c, const struct habit *h)
{
	const struct mbarrier_object *o = rule_object_of_rank(c, h->rank);

	if (!o)
		return 0;
	EACH_KNOWN_RECORD(r, o)
		if (r->act == MBARRIER_ARRIVED && rule_same_line(c->e->kernel, r->pc, h->pc))
			return r->bytes / r->count;
	return 0;
}

void rule_rank_without(const struct rule_case *c)
{
	struct pipeline p;

	if (!c->is_first || !c->wait->now.pending || launch_cluster_size(&c->e->launch->values) == 1 ||
		mbarrier_wait_is_lapped(c->wait))
		return;
	p = pipeline_of(c);
	for (uint32_t k = 0; k < p.habit_count; k++) {
		struct habit here = p.habits[k];
		struct left_out left;

		here.rank = p.rank;
		if (p.habits[k].rank == p.rank || here.is_copy || here.is_remote || has_own_habit(&p, &here))
			continue;
		left = left_out_of(&p, &here, false);
		if (!left.warps || left.first->rank != p.rank || left.arrivals != c->wait->now.pending)
			continue;
		*c->count_is_right = true;
		add_left_out(&p, &here, &left, bytes_expected(c, &p.habits[k]));
	}
}

/* ---- Other stages ---- */

/* The first warp of the group that has the habit, and how many others do. */
static const struct actor *first_with(const struct pipeline *p, const struct habit *h, uint64_t *others)
{
	const struct actor *first = NULL;

	*others = 0;
	for (uint32_t k = 0; k < p->actor_count; k++)
		if (p->actors[k].rank == p->rank && own_of(p, h, &p->actors[k]).has_habit) {
			*others += first != NULL;
			first = first ? first : &p->actors[k];
		}
	return first;
}

static void add_to(const struct pipeline *p, const struct habit *h, const struct stage_ring *to, int shift)
{
	uint64_t others;
	const struct actor *a = first_with(p, h, &others);

	if (a)
		rule_add(p->c, CAUSE_WRONG_MBARRIER,
			rule_at_line(p->c, h->pc,
				(struct change){.mend = MEND_TO,
					.stages = stages_of_habit(p, h, to, (uint32_t)shift),
					.thread = a->warp * p->c->t->r->warp.lanes + a->lane,
					.values = {0, 0, others},
					.address = p->c->wait->offset}));
}

/* Some arrivals of the habit go elsewhere, and the case's mbarrier misses one. */
static bool deviates(const struct pipeline *p, const struct habit *h)
{
	for (uint32_t a = 0; a < p->actor_count; a++) {
		EACH_VISIT(v, &p->actors[a]) {
			const struct mbarrier_event *arrival = habit_arrival(p, h, &v);

			if (arrival && habit_usual_target(h, &v) == (int64_t)p->c->object->offset &&
				arrival->offset != p->c->object->offset)
				return true;
		}
	}
	return false;
}

/* The actor's first visit that begins at the habit's line; false: it is not known. */
static bool first_visit(const struct pipeline *p, const struct habit *h, const struct actor *a, struct visit *visit)
{
	uint32_t k = 0;

	while (a->trace->count <= MBARRIER_EVENTS && visit_next(a, &k, visit))
		if (rule_same_line(p->c->e->kernel, h->pass_pc, visit->pass->pc))
			return true;
	return false;
}

/* The first visit of a thread has an arrival at another stage: it does not free an earlier one late. */
static bool is_ahead(const struct pipeline *p, const struct habit *h)
{
	for (uint32_t a = 0; a < p->actor_count; a++) {
		struct visit v;

		if (!first_visit(p, h, &p->actors[a], &v) || !habit_arrival(p, h, &v))
			continue;
		if (stage_place(&h->from, v.pass->offset) == 0 && habit_shift(h, &v, habit_arrival(p, h, &v)) > 0)
			return true;
	}
	return false;
}

/* Nobody has ever arrived at a stage of the ring. */
static bool is_untouched(const struct rule_case *c, const struct stage_ring *ring)
{
	for (uint32_t k = 0; k < ring->count; k++) {
		const struct mbarrier_object *o = stage_object(c, ring->at[k]);

		if (!o || o->phase)
			return false;
		EACH_KNOWN_RECORD(r, o)
			if (r->act == MBARRIER_ARRIVED)
				return false;
	}
	return true;
}

/* Another habit goes to the same mbarriers. */
static bool has_rival(const struct pipeline *p, const struct habit *h)
{
	for (uint32_t k = 0; k < p->habit_count; k++)
		if (&p->habits[k] != h && p->habits[k].rank == h->rank && !p->habits[k].is_copy &&
			stage_place(&p->habits[k].to, h->to.at[0]) >= 0)
			return true;
	return false;
}

/* The threads that wait at the ring fill stages behind that, and these are the ones that the habit's threads wait for:
 * those free what they have used.  False: others do; true also if nothing is known of that. */
static bool is_answer(const struct pipeline *p, const struct habit *h, const struct stage_ring *ring)
{
	bool is_known = false;

	for (uint32_t k = 0; k < p->habit_count; k++) {
		const struct habit *fills = &p->habits[k];

		if (fills->is_copy || fills->rank != p->rank || stage_place(&fills->from, ring->at[0]) < 0)
			continue;
		is_known = true;
		if (stage_place(&fills->to, h->from.at[0]) >= 0)
			return true;
	}
	return !is_known;
}

void rule_other_stage(const struct rule_case *c)
{
	struct stage_ring own = stage_ring_of(c, c->object->offset);
	bool is_lapped = mbarrier_wait_is_lapped(c->wait); /* which arrivals at a stage that is not due may do */
	struct pipeline p;

	if (!c->is_first || !c->wait->now.pending)
		return;
	p = pipeline_of(c);
	for (uint32_t k = 0; k < p.habit_count; k++) {
		const struct habit *h = &p.habits[k];
		bool is_here = stage_place(&h->to, c->object->offset) >= 0, is_ring = h->from.count == h->to.count;

		if (h->rank != p.rank || h->is_copy)
			continue;
		if (!is_lapped && is_here && is_ring && h->to.count > 1 && deviates(&p, h))
			add_to(&p, h, &h->to, habit_usual_shift(h));
		else if (is_here && is_ring && habit_usual_shift(h) && stage_place(&h->from, h->to.at[0]) < 0 &&
			 is_ahead(&p, h))
			add_to(&p, h, &h->to, 0);
		else if (!is_lapped && !is_here && own.count == h->from.count && is_untouched(c, &own) &&
			 has_rival(&p, h) && is_answer(&p, h, &own))
			add_to(&p, h, &own, 0);
	}
}

/* ---- Order ---- */

/* What a thread has waited for at a ring, one after the other. */
struct course {
	struct stage_ring ring;
	int first_phase;
	int place;     /* of the last */
	int64_t phase; /* likewise */
	uint32_t steps;
	bool is_start_known;
	bool skips, is_out; /* another stage than the next, or another phase of it */
	bool is_jump;       /* not those of a later turn, as far as its parity tells */
};

/* From a stage in one phase to another in another one: as a thread goes that leaves out turns. */
static bool is_later_turn(const struct course *course, int place, int64_t phase)
{
	int count = (int)course->ring.count;
	int turns = place - course->place + count * (int)((phase & 1) - (course->phase & 1));

	return (turns + 2 * count) % (2 * count) < count;
}

static void go_to(struct course *course, int place, int64_t phase, bool is_start_known)
{
	int next = (course->place + 1) % (int)course->ring.count;

	if (course->steps && place == course->place && phase == course->phase)
		return; /* it has looked twice */
	if (!course->steps++) {
		course->first_phase = phase < 0 ? -1 : 0;
		course->skips |= is_start_known && place;
		course->is_out |= is_start_known && (place || phase > 0);
	} else {
		course->skips |= place != next;
		course->is_jump |= !is_later_turn(course, place, phase);
		course->is_out |= place != next || phase != course->phase + (next == 0);
	}
	course->place = place;
	course->phase = phase;
}

/* Of a lane, at a ring; `line`: at waits of this line alone; UINT32_MAX: at any. */
static struct course course_of(const struct rule_case *c, const struct stage_ring *ring,
	const struct mbarrier_trace *trace, uint32_t lane, uint32_t line)
{
	struct course course = {.ring = *ring};
	bool is_start_known = trace && trace->count <= MBARRIER_EVENTS;

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);
		int place = e->step == STEP_PASSED && e->lanes >> lane & 1 ? stage_place(ring, e->offset) : -1;
		bool is_meant = line == UINT32_MAX || rule_same_line(c->e->kernel, e->pc, line);

		is_start_known &= place < 0 || is_meant;
		if (place >= 0 && is_meant)
			go_to(&course, place, e->phase, is_start_known);
	}
	course.is_start_known = is_start_known;
	return course;
}

/* Of the waiting thread, with the wait that is not over.  It skips no stage for which it waits at another line. */
static struct course own_course(const struct rule_case *c, const struct mbarrier_trace *trace)
{
	struct stage_ring ring = stage_ring_of(c, c->object->offset);
	struct course course = course_of(c, &ring, trace, c->t->lane, c->wait->pc),
		      all = course_of(c, &ring, trace, c->t->lane, UINT32_MAX);
	int place = stage_place(&ring, c->wait->offset);

	go_to(&course, place, c->wait->means, course.is_start_known);
	go_to(&all, place, c->wait->means, all.is_start_known);
	course.skips &= all.skips;
	return course;
}

/* Whether a warp that arrives at the ring goes through its own stages in order. */
static bool partner_is_in_order(const struct pipeline *p, const struct stage_ring *ring)
{
	for (uint32_t k = 0; k < p->habit_count; k++) {
		const struct habit *h = &p->habits[k];

		for (uint32_t a = 0; a < p->actor_count && !h->is_copy && stage_place(&h->to, ring->at[0]) >= 0; a++) {
			struct course course =
				course_of(p->c, &h->from, p->actors[a].trace, p->actors[a].lane, UINT32_MAX);

			if (course.steps > 1 && !course.is_out)
				return true;
		}
	}
	return false;
}

/* Where threads that have passed a stage of the ring arrive. */
static void find_targets(const struct pipeline *p, struct mend_stages *stages, const struct stage_ring *ring)
{
	for (uint32_t k = 0; k < p->habit_count; k++) {
		const struct habit *h = &p->habits[k];

		if (stages->has_to || h->is_copy || h->rank != p->rank || stage_place(&h->from, ring->at[0]) < 0 ||
			h->to.count != ring->count || stage_place(&h->to, ring->at[0]) >= 0)
			continue;
		stages->has_to = true;
		for (uint32_t j = 0; j < ring->count; j++)
			stages->to[j] = h->to.at[j];
	}
}

static struct mend_stages *in_order(const struct pipeline *p, const struct course *course)
{
	struct mend_stages *stages = arena_new(p->c->e->arena, struct mend_stages);

	*stages = (struct mend_stages){.count = course->ring.count, .first_phase = course->first_phase};
	for (uint32_t k = 0; k < course->ring.count; k++)
		stages->from[k] = course->ring.at[k];
	find_targets(p, stages, &course->ring);
	return stages;
}

/* Adds the rings of other lines at which the thread is out of order, too. */
static void add_other_rings(const struct pipeline *p, const struct mbarrier_trace *trace, struct change *change)
{
	struct mend_stages *last = (struct mend_stages *)(uintptr_t)change->stages; /* made here */

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);
		struct stage_ring ring;
		struct course course;

		if (e->step != STEP_PASSED || !(e->lanes >> p->c->t->lane & 1) || change_means(change, e->pc))
			continue;
		ring = stage_ring_of(p->c, e->offset);
		course = course_of(p->c, &ring, trace, p->c->t->lane, e->pc);
		if (ring.count < 2 || !course.skips || stage_place(&ring, change->stages->from[0]) >= 0)
			continue;
		last->next = in_order(p, &course);
		last = (struct mend_stages *)(uintptr_t)last->next;
		*change = rule_at_line(p->c, e->pc, *change);
	}
}

/* It has gone through the stages in order so far: the parity alone may be wrong. */
static void add_parity_alone(const struct pipeline *p, const struct course *course, struct change change)
{
	struct mend_stages *stages = in_order(p, course);

	stages->parity_alone = true;
	stages->has_to = false;
	change.stages = stages;
	rule_add(p->c, CAUSE_WRONG_PARITY, rule_at_line(p->c, p->c->wait->pc, change));
}

/* Another warp of the work-group that goes through the ring by waits of the case's line, each stage in order. */
static const struct actor *peer_in_order(const struct pipeline *p, const struct stage_ring *ring)
{
	for (uint32_t a = 0; a < p->actor_count; a++) {
		const struct actor *actor = &p->actors[a];
		struct course course = course_of(p->c, ring, actor->trace, actor->lane, p->c->wait->pc);

		if (actor->rank == p->rank && actor->warp != p->c->t->r->warp.first_thread / p->c->t->r->warp.lanes &&
			course.steps > 1 && !course.is_out)
			return actor;
	}
	return NULL;
}

/* The stages that a thread skips may be turns that it leaves out, where its peers take them. */
static const char *doubt_of_order(const struct pipeline *p, const struct course *course)
{
	const struct actor *peer = course->is_jump ? NULL : peer_in_order(p, &course->ring);
	const struct explanation *e = p->c->e;

	if (!peer)
		return NULL;
	return arena_printf(e->arena,
		"But %s waits there for each stage: either the waits of %s are out of order, or that has left out what "
		"it does at a stage",
		hang_thread(e, p->c->t->group, peer->warp * p->c->t->r->warp.lanes + peer->lane),
		hang_thread(e, p->c->t->group, p->c->t->number));
}

void rule_out_of_order(const struct rule_case *c)
{
	const struct mbarrier_trace *trace =
		mbarrier_trace_of(c->t->core, c->t->r->group, c->t->r->warp.first_thread / c->t->r->warp.lanes);
	struct course course = own_course(c, trace);
	struct change change = {
		.mend = MEND_IN_ORDER, .thread = c->t->number, .address = c->wait->offset, .values = {course.skips}};
	struct pipeline p;

	if (!c->is_first || !c->wait->by_parity || course.ring.count < 2 || !course.is_out || rule_any_in_use(c))
		return;
	p = pipeline_of(c);
	if (course.skips && !partner_is_in_order(&p, &course.ring))
		return;
	if (!course.skips) {
		add_parity_alone(&p, &course, change);
		return;
	}
	change.stages = in_order(&p, &course);
	change = rule_at_line(c, c->wait->pc, change);
	add_other_rings(&p, trace, &change);
	change.pc = c->wait->pc;
	rule_add_doubtful(c, CAUSE_WRONG_MBARRIER, change, doubt_of_order(&p, &course));
}
