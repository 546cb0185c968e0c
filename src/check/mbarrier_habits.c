/* Rings of mbarriers, visits of warps, and their habits: see mbarrier_habits.h. */
#include "check/mbarrier_habits.h"

#include "explore/left.h"
#include "machine/core/cluster.h"
#include "machine/state/launch_state.h"

#include <assert.h>

/* ---- Rings ---- */

const struct mbarrier_object *stage_object(const struct rule_case *c, uint64_t offset)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->offset == offset)
			return c->objects[k];
	return NULL;
}

int stage_place(const struct stage_ring *ring, uint64_t offset)
{
	for (uint32_t k = 0; k < ring->count; k++)
		if (ring->at[k] == offset)
			return (int)k;
	return -1;
}

static void insert(struct stage_ring *ring, uint64_t offset)
{
	uint32_t k = ring->count;

	if (k == RING || stage_place(ring, offset) >= 0)
		return;
	for (; k > 0 && ring->at[k - 1] > offset; k--)
		ring->at[k] = ring->at[k - 1];
	ring->at[k] = (uint32_t)offset;
	ring->count++;
}

struct stage_ring stage_ring_of(const struct rule_case *c, uint64_t offset)
{
	struct stage_ring ring = {.count = 1, .at = {(uint32_t)offset}};

	for (uint32_t before = 0; before < ring.count;) {
		before = ring.count;
		for (uint32_t j = 0; j < before; j++) {
			const struct mbarrier_object *of = stage_object(c, ring.at[j]);

			for (uint32_t k = 0; of && k < c->object_count; k++)
				if (rule_same_kind(c, of, c->objects[k]))
					insert(&ring, c->objects[k]->offset);
		}
	}
	return ring;
}

/* ---- Actors ---- */

/* The lane that has passed the first wait that is known, or has arrived first. */
static uint32_t lane_of(const struct mbarrier_trace *trace)
{
	for (uint32_t k = 0; k < mbarrier_events(trace); k++)
		if (mbarrier_event(trace, k)->step == STEP_PASSED)
			return (uint32_t)__builtin_ctzll(mbarrier_event(trace, k)->lanes);
	return (uint32_t)__builtin_ctzll(mbarrier_event(trace, 0)->lanes);
}

/* Whether the actor can do nothing more before others do. */
static void set_state(const struct pipeline *p, struct actor *a)
{
	uint32_t lanes = p->c->t->r->warp.lanes, number = a->warp * lanes + a->lane;
	const struct warp_slot *r = core_slot_of(a->core, a->group, number);
	const struct mbarrier_look *look = r ? mbarrier_look_of(a->core, r) : NULL;

	a->has_stopped = !r || slot_thread_ended(r, number) ||
			 left_has(p->c->e->machine, a->group->launch, a->group->number, number, p->c->uses) ||
			 (look && (look->lanes & ~look->complete & r->warp.live) >> a->lane & 1);
}

static void add_actors(struct pipeline *p, const struct core *core, const struct group *group, uint32_t rank)
{
	for (uint32_t w = 0; w < group->warps; w++) {
		const struct mbarrier_trace *trace = mbarrier_trace_of(core, group, w);

		if (!trace || !trace->count)
			continue;
		struct actor *a = &p->actors[p->actor_count++];

		*a = (struct actor){core, group, trace, rank, w, lane_of(trace), false};
		set_state(p, a);
	}
}

static void list_actors(struct pipeline *p)
{
	const struct thread *t = p->c->t;
	uint32_t size = launch_cluster_size(&p->c->e->launch->values);

	p->rank = launch_cluster_rank(t->r->warp.launch, t->r->warp.group);
	p->actors = arena_new_array(p->c->e->arena, struct actor, (size_t)size * CORE_WARPS);
	for (uint32_t rank = 0; rank < size; rank++) {
		struct core *core = t->core;
		const struct group *group =
			rank == p->rank ? t->r->group : cluster_group(p->c->e->machine, t->r->group, rank, &core);

		if (group)
			add_actors(p, core, group, rank);
	}
}

/* ---- Visits ---- */

bool visit_next(const struct actor *a, uint32_t *k, struct visit *visit)
{
	uint32_t events = mbarrier_events(a->trace);

	*visit = (struct visit){0};
	for (; *k < events; ++*k) {
		const struct mbarrier_event *e = mbarrier_event(a->trace, *k);
		bool is_lanes = e->step == STEP_PASSED ? e->lanes >> a->lane & 1 : visit->pass != NULL;

		if (!is_lanes)
			continue;
		if (e->step == STEP_PASSED && visit->pass) {
			visit->is_over = true;
			return true;
		}
		if (e->step == STEP_PASSED)
			visit->pass = e;
		else if (visit->count < ARRIVALS)
			visit->arrivals[visit->count++] = e;
	}
	visit->is_over = a->has_stopped;
	return visit->pass;
}

/* ---- Habits ---- */

/* To whatever rank it goes. */
static bool is_at_lines(
	const struct pipeline *p, const struct habit *h, const struct visit *v, const struct mbarrier_event *arrival)
{
	const struct kernel *kernel = p->c->e->kernel;

	return rule_same_line(kernel, h->pass_pc, v->pass->pc) && rule_same_line(kernel, h->pc, arrival->pc);
}

static bool is_habit(
	const struct pipeline *p, const struct habit *h, const struct visit *v, const struct mbarrier_event *arrival)
{
	return arrival->ranks >> h->rank & 1 && is_at_lines(p, h, v, arrival);
}

static struct habit *habit_of(struct pipeline *p, const struct visit *v, const struct mbarrier_event *arrival)
{
	bool is_copy = arrival->step == STEP_COPIED;

	for (uint32_t k = 0; k < p->habit_count; k++)
		if (is_habit(p, &p->habits[k], v, arrival) || (is_copy && is_at_lines(p, &p->habits[k], v, arrival)))
			return &p->habits[k];
	if (p->habit_count == HABITS)
		return NULL;
	p->habits[p->habit_count] = (struct habit){.pass_pc = v->pass->pc,
		.pc = arrival->pc,
		.rank = is_copy ? p->rank : arrival->rank,
		.is_copy = is_copy,
		.from = stage_ring_of(p->c, v->pass->offset),
		.to = stage_ring_of(p->c, arrival->offset),
		.arrivals = arrival->count};
	return &p->habits[p->habit_count++];
}

int habit_shift(const struct habit *h, const struct visit *v, const struct mbarrier_event *arrival)
{
	int from = stage_place(&h->from, v->pass->offset), to = stage_place(&h->to, arrival->offset);

	if (from < 0 || to < 0 || h->from.count != h->to.count)
		return -1;
	return (to - from + (int)h->to.count) % (int)h->to.count;
}

/* Threads that hand on a turn do not arrive where they have waited themselves. */
int habit_usual_shift(const struct habit *h)
{
	bool is_turn = h->to.count > 1 && stage_place(&h->from, h->to.at[0]) >= 0;
	int best = is_turn;

	for (uint32_t k = is_turn; k < h->to.count; k++)
		if (h->shifts[k] > h->shifts[best])
			best = (int)k;
	return h->shifts[best] ? best : 0;
}

int64_t habit_usual_target(const struct habit *h, const struct visit *v)
{
	int from = stage_place(&h->from, v->pass->offset);

	if (h->to.count == 1)
		return h->to.at[0];
	if (from < 0 || h->from.count != h->to.count)
		return -1;
	return h->to.at[((uint32_t)from + (uint32_t)habit_usual_shift(h)) % h->to.count];
}

const struct mbarrier_event *habit_arrival(const struct pipeline *p, const struct habit *h, const struct visit *v)
{
	for (uint32_t k = 0; k < v->count; k++)
		if (is_habit(p, h, v, v->arrivals[k]))
			return v->arrivals[k];
	return NULL;
}

uint32_t habit_ranks(const struct pipeline *p, const struct habit *h, const struct visit *v)
{
	uint32_t ranks = 0;

	for (uint32_t k = 0; k < v->count; k++)
		ranks |= is_at_lines(p, h, v, v->arrivals[k]) ? v->arrivals[k]->ranks : 0;
	return ranks;
}

/* The arrival, or of copies the first one to any rank, in a visit. */
static const struct mbarrier_event *arrival_anywhere(
	const struct pipeline *p, const struct habit *h, const struct visit *v)
{
	for (uint32_t k = 0; k < v->count && h->is_copy; k++)
		if (is_at_lines(p, h, v, v->arrivals[k]))
			return v->arrivals[k];
	return habit_arrival(p, h, v);
}

/* The distance that most arrivals of the actor by the habit have; -1: it has none. */
static int shift_by(const struct pipeline *p, const struct habit *h, const struct actor *a)
{
	uint32_t shifts[RING] = {0};
	int best = -1;

	EACH_VISIT(v, a) {
		const struct mbarrier_event *arrival = arrival_anywhere(p, h, &v);
		int shift = arrival ? habit_shift(h, &v, arrival) : -1;

		if (shift >= 0 && (++shifts[shift], best < 0 || shifts[shift] > shifts[best]))
			best = shift;
	}
	return best;
}

static bool is_multicast(const struct pipeline *p, uint32_t pc)
{
	return p->c->e->kernel->code[pc].op == OP_cp_async_bulk_multicast;
}

/* The bytes of the visit's copies by the habit that tell the same mbarrier as this one, the most of a rank. */
static uint32_t bytes_with(
	const struct pipeline *p, const struct habit *h, const struct visit *v, const struct mbarrier_event *copy)
{
	uint32_t most = 0;

	for (uint32_t ranks = copy->ranks; ranks; ranks &= ranks - 1) {
		uint32_t bytes = 0;

		for (uint32_t k = 0; k < v->count; k++)
			if (v->arrivals[k]->ranks & ranks & -ranks && v->arrivals[k]->offset == copy->offset &&
				is_at_lines(p, h, v, v->arrivals[k]))
				bytes += v->arrivals[k]->count;
		most = bytes > most ? bytes : most;
	}
	return most;
}

static void note_copies(
	const struct pipeline *p, struct habit *h, const struct visit *v, const struct mbarrier_event *copy)
{
	uint32_t bytes = bytes_with(p, h, v, copy), each = copy->count / (uint32_t)__builtin_popcountll(copy->lanes);

	h->arrivals = bytes > h->arrivals ? bytes : h->arrivals;
	h->each = each > h->each ? each : h->each;
}

static void find_habits(struct pipeline *p)
{
	for (uint32_t a = 0; a < p->actor_count; a++) {
		EACH_VISIT(v, &p->actors[a])
			for (uint32_t k = 0; k < v.count; k++) {
				struct habit *h = habit_of(p, &v, v.arrivals[k]);

				if (!h)
					continue;
				if (h->is_copy)
					note_copies(p, h, &v, v.arrivals[k]);
				h->is_remote |= p->actors[a].rank != h->rank;
				h->is_for_more |= is_multicast(p, v.arrivals[k]->pc) ||
						  __builtin_popcount(habit_ranks(p, h, &v)) > 1;
			}
	}
	for (uint32_t k = 0; k < p->habit_count; k++)
		for (uint32_t a = 0; a < p->actor_count; a++) {
			int shift = shift_by(p, &p->habits[k], &p->actors[a]);

			if (shift >= 0)
				p->habits[k].shifts[shift]++;
		}
}

struct pipeline pipeline_of(const struct rule_case *c)
{
	struct pipeline p = {.c = c};

	list_actors(&p);
	find_habits(&p);
	return p;
}

/* ---- Evidence: turns ---- */

static bool is_at_wait(const struct pipeline *p, const struct habit *h, const struct visit *v)
{
	return rule_same_line(p->c->e->kernel, h->pass_pc, v->pass->pc);
}

/* The visit has an arrival, or of a habit of copying a copy, at this offset, in whatever rank. */
static bool has_come_to(const struct habit *h, const struct visit *v, int64_t offset)
{
	for (uint32_t k = 0; k < v->count; k++)
		if ((v->arrivals[k]->step == STEP_COPIED) == h->is_copy && (int64_t)v->arrivals[k]->offset == offset)
			return true;
	return false;
}

bool habit_in_each_turn(const struct pipeline *p, const struct habit *h, const struct actor *a)
{
	int64_t without[RING]; /* by stage: the phase that the actor had passed; -2: it arrived */

	assert(h->from.count <= RING);
	for (uint32_t k = 0; k < RING; k++)
		without[k] = -2;
	EACH_VISIT(v, a) {
		int place = stage_place(&h->from, v.pass->offset);
		int64_t target = habit_usual_target(h, &v);

		if (!is_at_wait(p, h, &v) || place < 0 || target < 0)
			continue;
		if (without[place] != -2 && without[place] != v.pass->phase)
			return false;
		without[place] = has_come_to(h, &v, target) ? -2 : v.pass->phase;
	}
	return true;
}

bool habit_is_usual(const struct pipeline *p, const struct habit *h)
{
	uint32_t with = 0, without = 0;

	assert(p->habit_count);
	for (uint32_t k = 0; k < p->actor_count; k++) {
		uint32_t of_actor = 0, visits = 0;

		EACH_VISIT(v, &p->actors[k]) {
			visits += is_at_wait(p, h, &v) && v.is_over;
			of_actor += is_at_wait(p, h, &v) && v.is_over && habit_arrival(p, h, &v);
		}
		with += of_actor;
		without += of_actor ? visits - of_actor : 0;
	}
	return with >= without;
}

/* ---- Evidence: arrivals elsewhere ---- */

/* By the habit of its line the arrival should go to another mbarrier than it does. */
static bool is_astray(const struct pipeline *p, const struct visit *v, const struct mbarrier_event *arrival)
{
	for (uint32_t k = 0; k < p->habit_count; k++) {
		const struct habit *h = &p->habits[k];
		bool is_of = is_at_wait(p, h, v) && rule_same_line(p->c->e->kernel, h->pc, arrival->pc);

		if (is_of && habit_usual_target(h, v) >= 0)
			return habit_usual_target(h, v) != (int64_t)arrival->offset;
	}
	return false;
}

bool habit_went_elsewhere(const struct pipeline *p, const struct habit *h, const struct visit *v)
{
	assert(h->to.count && v->pass);
	for (uint32_t k = 0; k < v->count; k++) {
		const struct mbarrier_event *e = v->arrivals[k];

		if (e->step == STEP_ARRIVED && stage_place(&h->to, e->offset) >= 0 && is_astray(p, v, e))
			return true;
	}
	return false;
}

bool habit_came_too_often(const struct pipeline *p, const struct habit *h, const struct actor *a)
{
	uint32_t turns[RING] = {0}, arrivals[RING][CLUSTER_GROUPS] = {0};

	assert(!h->is_copy && h->to.count <= RING);
	EACH_VISIT(v, a) {
		int64_t target = is_at_wait(p, h, &v) ? habit_usual_target(h, &v) : -1;

		if (target < 0)
			continue;
		turns[stage_place(&h->to, (uint64_t)target)]++;
		for (uint32_t k = 0; k < v.count; k++) {
			const struct mbarrier_event *e = v.arrivals[k];
			int place = e->step == STEP_ARRIVED ? stage_place(&h->to, e->offset) : -1;
			bool is_line = rule_same_line(p->c->e->kernel, h->pc, e->pc);

			assert(e->rank < CLUSTER_GROUPS);
			if (place >= 0 && (is_line || e->rank != p->rank))
				arrivals[place][e->rank] += e->count;
		}
	}
	for (uint32_t k = 0; k < h->to.count; k++)
		for (uint32_t rank = 0; rank < CLUSTER_GROUPS; rank++)
			if (arrivals[k][rank] > turns[k] * h->arrivals)
				return true;
	return false;
}
