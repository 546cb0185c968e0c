/* Rules of mbarrier_rules.h: arrivals that threads made in the phase before, and do not make in this one; or make
 * twice. */
#include "check/mbarrier_rules.h"

#include "machine/state/launch_state.h"

/* A thread that has arrived twice in one phase of an object, where it arrives once in others; null: none has. */
static const struct mbarrier_record *twice_at(const struct mbarrier_object *o)
{
	const struct mbarrier_record *found = NULL;
	bool once = false;

	EACH_KNOWN_RECORD(r, o) {
		bool again = false;

		if (r->act != MBARRIER_ARRIVED || r->is_remote)
			continue;
		EACH_RECORD(other, o, r->phase, MBARRIER_ARRIVED)
			again |= other != r && other->thread == r->thread && !other->is_remote &&
				 other->lanes & r->lanes;
		found = again && !found ? r : found;
		once |= !again;
	}
	return once ? found : NULL;
}

static bool arrived_twice(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (twice_at(c->objects[k]))
			return true;
	return false;
}

void rule_second_arrival(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count && !rule_asked_again(c); k++) {
		const struct mbarrier_record *r = twice_at(c->objects[k]);

		if (r)
			rule_add(c, CAUSE_DOUBLE_ARRIVAL,
				rule_at_line(c, r->pc,
					(struct change){.mend = MEND_ONCE,
						.thread = r->thread + (uint32_t)__builtin_ctzll(r->lanes),
						.address = c->objects[k]->offset}));
	}
}

/* The phases of all objects of the kind in which lanes of the record's warp have arrived; null: that the waiting thread
 * has seen end. */
static int64_t phases_of(const struct rule_case *c, const struct mbarrier_record *arrival, lane_mask lanes)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < c->object_count; k++) {
		int64_t last = -1;

		if (!rule_same_kind(c, c->objects[k], c->object))
			continue;
		if (!arrival)
			last = mbarrier_seen(c->objects[k], c->t->r, c->t->lane);
		EACH_KNOWN_RECORD(r, c->objects[k])
			if (arrival && r->act == MBARRIER_ARRIVED && r->thread == arrival->thread && !r->is_remote &&
				r->lanes & lanes && r->phase > last)
				last = r->phase;
		sum += last < 0 ? 0 : last + 1;
	}
	return sum;
}

/* Threads arrive at an object of which nobody has ever waited for a phase, although some are over: those who should
 * wait there wait elsewhere. */
static bool is_unread(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (!c->objects[k]->looked && c->objects[k]->phase)
			return true;
	return false;
}

/* The lanes of a record that have ended, and have not arrived in the present phase. */
static lane_mask ended_lanes(const struct rule_case *c, const struct mbarrier_record *r)
{
	lane_mask lanes = r->is_remote ? 0 : mbarrier_absent_lanes(c->object, r), ended = 0;

	for (lane_mask m = lanes; m; m &= m - 1)
		if (writers_has_ended(c->e->launch, c->t->group, r->thread + (uint32_t)__builtin_ctzll(m)))
			ended |= m & -m;
	return ended;
}

/* All lines at which the record's warp has arrived. */
static struct change at_arrivals(const struct rule_case *c, const struct mbarrier_record *r)
{
	struct change change = rule_at_line(c, r->pc, (struct change){.mend = MEND_LEAVE, .thread = r->thread});

	for (uint32_t k = 0; k < c->object_count; k++)
		EACH_KNOWN_RECORD(other, c->objects[k])
			if (other->act == MBARRIER_ARRIVED && other->thread == r->thread && !other->is_remote &&
				!change_means(&change, other->pc))
				change = rule_at_line(c, other->pc, change);
	change.pc = r->pc;
	return change;
}

/* Threads that arrived in the phase before have ended without arriving in this one. */
void rule_ended_early(const struct rule_case *c)
{
	if (!c->wait->now.pending || !c->object->phase || mbarrier_wait_is_lapped(c->wait) || rule_is_lapped(c) ||
		is_unread(c) || arrived_twice(c) || rule_arrivals_of_all(c->object) > c->object->count)
		return;
	EACH_RECORD(r, c->object, c->object->phase - 1, MBARRIER_ARRIVED)
		if (ended_lanes(c, r) && phases_of(c, NULL, 0) >= phases_of(c, r, ended_lanes(c, r))) {
			rule_add(c, CAUSE_ENDED_EARLY,
				rule_at_line(c, r->pc, (struct change){.mend = MEND_LEAVE, .thread = r->thread}));
			rule_add(c, CAUSE_ENDED_EARLY, at_arrivals(c, r));
		}
}

/* The record's warp has arrived at another object of the kind, in a phase in which a thread that has arrived here as
 * it should did so only after that: so it has passed the place where it would have arrived here. */
static bool has_passed(const struct rule_case *c, const struct mbarrier_object *other, const struct mbarrier_record *r)
{
	EACH_RECORD(peer, other, r->phase, MBARRIER_ARRIVED) {
		if (peer->thread == r->thread || !rule_same_line(c->e->kernel, peer->pc, r->pc))
			continue;
		EACH_RECORD(here, c->object, c->object->phase, MBARRIER_ARRIVED)
			if (here->thread == peer->thread && rule_same_line(c->e->kernel, here->pc, r->pc) &&
				here->when < peer->when)
				return true;
	}
	return false;
}

/* The arrival of a warp that has passed by; null: none is known. */
static const struct mbarrier_record *passed_by(const struct rule_case *c, const struct mbarrier_object *other)
{
	EACH_KNOWN_RECORD(r, other)
		if (r->act == MBARRIER_ARRIVED && !r->is_remote &&
			!mbarrier_arrived_in(c->object, c->object->phase, r) && has_passed(c, other, r))
			return r;
	return NULL;
}

/* If no others are missing. */
static void add_arrival(const struct rule_case *c, const struct mbarrier_record *r)
{
	lane_mask lanes = mbarrier_absent_lanes(c->object, r);
	uint32_t each = r->count / (uint32_t)__builtin_popcountll(r->lanes);
	uint32_t count = each * (uint32_t)__builtin_popcountll(lanes);

	if (count && count == c->wait->now.pending)
		rule_add(c, CAUSE_MISSING_ARRIVAL,
			rule_at_kind(c, c->object,
				(struct change){.mend = MEND_ARRIVAL,
					.pc = r->pc,
					.thread = r->thread + (uint32_t)__builtin_ctzll(lanes),
					.address = c->wait->offset,
					.values = {count, (uint64_t)c->object->phase},
					.value_count = 1}));
}

/* The thread itself arrived in the phase before, and waits for this one without having arrived. */
void rule_waits_without(const struct rule_case *c)
{
	EACH_RECORD(r, c->object, c->object->phase - 1, MBARRIER_ARRIVED)
		if (!r->is_remote && r->thread == c->t->r->warp.first_thread &&
			mbarrier_absent_lanes(c->object, r) >> c->t->lane & 1 && c->wait->means == c->object->phase)
			add_arrival(c, r);
}

/* Only one warp's arrival is missing, and that warp has gone by. */
void rule_passed_without(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count && !mbarrier_wait_is_lapped(c->wait); k++) {
		const struct mbarrier_record *r =
			rule_same_kind(c, c->objects[k], c->object) ? passed_by(c, c->objects[k]) : NULL;

		if (r)
			add_arrival(c, r);
	}
}

/* Some lanes of an instruction have arrived, and others, which arrived with them in the phase before, have not. */
void rule_lanes_left_out(const struct rule_case *c)
{
	uint32_t missing = 0, first = 0, warps = 0, pc = 0;

	EACH_RECORD(r, c->object, c->object->phase - 1, MBARRIER_ARRIVED) {
		lane_mask absent = r->is_remote ? 0 : mbarrier_absent_lanes(c->object, r);

		if (!absent || absent == r->lanes)
			continue;
		missing +=
			(uint32_t)__builtin_popcountll(absent) * (r->count / (uint32_t)__builtin_popcountll(r->lanes));
		first = r->thread + (uint32_t)__builtin_ctzll(absent);
		pc = r->pc;
		warps++;
	}
	if (!warps || missing != c->wait->now.pending)
		return;
	*c->count_is_right = true;
	for (uint32_t each = 0; each < 2; each++)
		rule_add(c, CAUSE_MISSING_ARRIVAL,
			rule_at_kind(c, c->object,
				(struct change){.mend = MEND_ARRIVAL,
					.pc = pc,
					.thread = first,
					.address = c->wait->offset,
					.values = {missing, each ? MEND_EACH_PHASE : (uint64_t)c->object->phase,
						missing - 1},
					.value_count = 1}));
}
