/* Rules of mbarrier_rules.h: arrivals that threads made in the phase before, and do not make in this one; or make
 * twice. */
#include "check/mbarrier_rules.h"

#include "explore/left.h"
#include "machine/core/cluster.h"
#include "machine/state/launch_state.h"

/* A thread that has arrived twice in one phase of an object, where it arrives once in others; null: none has. */
static const struct mbarrier_record *twice_at(const struct mbarrier_object *o)
{
	const struct mbarrier_record *found = NULL;
	bool once = false;

	EACH_KNOWN_RECORD(r, o) {
		bool again = false;

		if (r->act != MBARRIER_ARRIVED)
			continue;
		EACH_RECORD(other, o, r->phase, MBARRIER_ARRIVED)
			again |= other != r && mbarrier_same_warp(other, r) && other->lanes & r->lanes;
		found = again && !found ? r : found;
		once |= !again && r->phase < o->phase;
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
					(struct change){.kind = CHANGE_MBARRIER,
						.mend = MEND_ONCE,
						.group = r->group,
						.thread = r->thread + (uint32_t)__builtin_ctzll(r->lanes),
						.address = c->objects[k]->offset}));
	}
}

/* The phases of all objects of the kind in which lanes of the record's warp have arrived, or brought bytes; null: that
 * the waiting thread has seen end. */
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
			if (arrival && r->act == arrival->act && mbarrier_same_warp(r, arrival) && r->lanes & lanes &&
				r->phase > last)
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

/* The lanes of a record that have left (left.h), and have done nothing of the kind in the present phase. */
static lane_mask left_lanes(const struct rule_case *c, const struct mbarrier_record *r)
{
	lane_mask lanes = r->act == MBARRIER_ARRIVED ? mbarrier_absent_lanes(c->object, r) : r->lanes, left = 0;

	for (lane_mask m = lanes; m; m &= m - 1)
		if (left_has(c->e->machine, c->e->launch->ordinal, r->group, r->thread + (uint32_t)__builtin_ctzll(m),
			    c->uses))
			left |= m & -m;
	return left;
}

/* No later record of bytes in its phase is of the same warp. */
static bool is_last_of_warp(const struct rule_case *c, const struct mbarrier_record *record)
{
	EACH_RECORD(r, c->object, record->phase, MBARRIER_BYTES)
		if (mbarrier_same_warp(r, record))
			return r == record;
	return false;
}

/* The bytes that warps which have left brought in the phase before, and not in this one; *of: a record of them. */
static uint64_t left_bytes(const struct rule_case *c, const struct mbarrier_record **of)
{
	uint64_t bytes = 0;

	EACH_RECORD(r, c->object, c->object->phase - 1, MBARRIER_BYTES) {
		uint64_t absent =
			is_last_of_warp(c, r) && left_lanes(c, r) == r->lanes ? mbarrier_absent_bytes(c->object, r) : 0;

		bytes += absent;
		*of = absent ? r : *of;
	}
	return bytes;
}

/* All lines at which warps that have left arrive or bring bytes, anywhere in the cluster. */
static void mean_acts(const struct rule_case *c, struct change *change)
{
	const struct mbarrier_object *const *objects;
	struct core *core;
	uint32_t size = launch_cluster_size(&c->e->launch->values), count;

	for (uint32_t rank = 0; rank < size; rank++) {
		const struct group *at =
			size == 1 ? c->t->r->group : cluster_group(c->e->machine, c->t->r->group, rank, &core);

		if (size == 1)
			core = c->t->core;
		count = at ? mbarrier_objects_of(core, at, &objects) : 0;
		for (uint32_t k = 0; k < count; k++)
			EACH_KNOWN_RECORD(r, objects[k])
				if ((r->act == MBARRIER_ARRIVED || r->act == MBARRIER_BYTES) &&
					!change_means(change, r->pc) && left_lanes(c, r))
					*change = rule_at_line(c, r->pc, *change);
	}
}

/* A thread that waits twice for one phase has gone ahead of the others by a turn: its last arrival may be that of the
 * turn before, and what it left out is earlier. */
static const char *doubt_of_left(const struct rule_case *c, const struct mbarrier_record *r)
{
	uint32_t warp = r->thread / c->t->r->warp.lanes;

	for (uint32_t k = 0; k < c->object_count && !r->is_remote; k++)
		if (c->objects[k]->again[warp] & r->lanes)
			return arena_printf(c->e->arena,
				"But %s has waited twice for one phase of an mbarrier: either it has ended too early, "
				"or it "
				"has left out a turn before",
				hang_thread(c->e, r->group, mbarrier_first_thread(r)));
	return NULL;
}

static void add_left(const struct rule_case *c, const struct mbarrier_record *r)
{
	const char *doubt = doubt_of_left(c, r);
	uint32_t thread = mbarrier_first_thread(r);
	struct change change = rule_at_line(c, r->pc,
		(struct change){.kind = CHANGE_MBARRIER,
			.mend = MEND_LEAVE,
			.group = r->group,
			.thread = thread,
			.values = {writers_has_ended(c->e->launch, r->group, thread)}});

	if (r->act != MBARRIER_ARRIVED || !r->bytes) /* else its copies are missing as well */
		rule_add_doubtful(c, CAUSE_ENDED_EARLY, change, doubt);
	mean_acts(c, &change);
	change.pc = r->pc;
	rule_add_doubtful(c, CAUSE_ENDED_EARLY, change, doubt);
}

/* Threads that arrived in the phase before, or brought bytes, have left without doing so in this one. */
void rule_ended_early(const struct rule_case *c)
{
	const struct mbarrier_record *brings = NULL;

	if (!c->object->phase || mbarrier_wait_is_lapped(c->wait) || rule_is_lapped(c) || is_unread(c) ||
		arrived_twice(c) || rule_arrivals_of_all(c, c->object) > c->object->count)
		return;
	EACH_RECORD(r, c->object, c->object->phase - 1, MBARRIER_ARRIVED)
		if (c->wait->now.pending && left_lanes(c, r) &&
			phases_of(c, NULL, 0) >= phases_of(c, r, left_lanes(c, r)))
			add_left(c, r);
	if (c->wait->now.transactions > 0 && left_bytes(c, &brings) == (uint64_t)c->wait->now.transactions &&
		phases_of(c, NULL, 0) >= phases_of(c, brings, brings->lanes))
		add_left(c, brings);
}

/* Arrivals of the record's warp at the object, as far as they are known, by the line of `like`. */
static uint32_t arrivals_of(const struct rule_case *c, const struct mbarrier_object *object,
	const struct mbarrier_record *of, const struct mbarrier_record *like)
{
	uint32_t count = 0;

	EACH_KNOWN_RECORD(r, object)
		count += r->act == MBARRIER_ARRIVED && r->thread == of->thread && r->group == of->group &&
			 rule_same_line(c->e->kernel, r->pc, like->pc);
	return count;
}

/* At some object of the case's kind the warp of `r` has arrived more often than that of `peer`. */
static bool has_arrived_more(
	const struct rule_case *c, const struct mbarrier_record *r, const struct mbarrier_record *peer)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (rule_same_kind(c, c->objects[k], c->object) &&
			arrivals_of(c, c->objects[k], r, r) > arrivals_of(c, c->objects[k], peer, r))
			return true;
	return false;
}

/* The record's warp has arrived at another object of the kind, in a phase in which a thread that has arrived here as
 * it should did so only after that: so it has passed the place where it would have arrived here.  Not if it has arrived
 * somewhere once more than that thread: then the arrival may have gone there. */
static bool has_passed(const struct rule_case *c, const struct mbarrier_object *other, const struct mbarrier_record *r)
{
	EACH_RECORD(peer, other, r->phase, MBARRIER_ARRIVED) {
		if (peer->thread == r->thread || !rule_same_line(c->e->kernel, peer->pc, r->pc) ||
			has_arrived_more(c, r, peer))
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

/* In the first phase warps have arrived by one line with fewer lanes than others, and all that is missing are these: as
 * likely as a count that is too large. */
void rule_fewer_lanes(const struct rule_case *c)
{
	const struct mbarrier_record *first = NULL;
	lane_mask missing = 0;
	uint32_t count = 0;

	EACH_RECORD(r, c->object, 0, MBARRIER_ARRIVED) {
		lane_mask most = 0;

		EACH_RECORD(other, c->object, 0, MBARRIER_ARRIVED)
			if (rule_same_line(c->e->kernel, other->pc, r->pc))
				most |= other->lanes;
		if (!(most & ~r->lanes))
			continue;
		first = r;
		missing = most & ~r->lanes;
		count += r->count / (uint32_t)__builtin_popcountll(r->lanes) * (uint32_t)__builtin_popcountll(missing);
	}
	if (!first || c->object->phase || count != c->wait->now.pending)
		return;
	rule_add(c, CAUSE_MISSING_ARRIVAL,
		rule_at_kind(c, c->object,
			(struct change){.kind = CHANGE_MBARRIER,
				.mend = MEND_ARRIVAL,
				.pc = first->pc,
				.group = first->group,
				.thread = first->thread + (uint32_t)__builtin_ctzll(missing),
				.address = c->wait->offset,
				.values = {count, MEND_EACH_PHASE, count - 1},
				.value_count = 1}));
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
