/* What may be wrong with mbarriers: see mbarrier_mends.h.  Each rule wants evidence in what has happened at an object,
 * as a change that only lets a thread pass would confirm anything. */
#include "check/mbarrier_mends.h"
#include "check/mbarrier_rules.h"

#include "machine/core/cluster.h"
#include "machine/lsu/mbarrier_trace.h"
#include "machine/state/launch_state.h"

#include <string.h>

struct mbarrier_bytes mbarrier_bytes_of(const struct mbarrier_wait *wait)
{
	struct mbarrier_bytes bytes = {0};

	EACH_RECORD(r, wait->object, wait->object->phase, MBARRIER_ARRIVED)
		bytes.expected += r->bytes;
	EACH_RECORD(r, wait->object, wait->object->phase, MBARRIER_EXPECTED)
		bytes.expected += r->bytes;
	bytes.come = (uint64_t)((int64_t)bytes.expected - wait->now.transactions);
	return bytes;
}

/* ---- What belongs together ---- */

/* The same line, and the same calls that were inlined around it. */
bool rule_same_line(const struct kernel *kernel, uint32_t a, uint32_t b)
{
	struct frame of_a[KERNEL_FRAMES], of_b[KERNEL_FRAMES];
	uint32_t count;

	if (a == b || kernel->code[a].op != kernel->code[b].op)
		return a == b;
	count = kernel_frames(kernel, a, of_a);
	if (kernel_frames(kernel, b, of_b) != count)
		return false;
	for (uint32_t k = 0; k < count; k++)
		if (of_a[k].place.line != of_b[k].place.line || strcmp(of_a[k].place.file, of_b[k].place.file))
			return false;
	return true;
}

/* Whether they lie in different variables, as far as these are known. */
static bool are_apart(const struct kernel *kernel, const struct mbarrier_object *a, const struct mbarrier_object *b)
{
	const struct shared_place *of_a = kernel_shared_at(kernel, a->offset),
				  *of_b = kernel_shared_at(kernel, b->offset);

	return of_a && of_b && of_a != of_b;
}

/* Two objects with the same use, as the full mbarriers of all stages: they have the same count, and are initialised or
 * waited for at the same line. */
bool rule_same_kind(const struct rule_case *c, const struct mbarrier_object *a, const struct mbarrier_object *b)
{
	const struct kernel *kernel = c->e->kernel;

	if (a == b)
		return true;
	if (a->count != b->count || are_apart(kernel, a, b))
		return false;
	return rule_same_line(kernel, a->begun.pc, b->begun.pc) ||
	       (a->looked && b->looked && rule_same_line(kernel, a->looked_pc, b->looked_pc));
}

static void mean(struct change *change, uint32_t pc)
{
	if (!change_means(change, pc) && change->pc_count < CHANGE_PCS)
		change->pcs[change->pc_count++] = pc;
}

/* The instructions of a line, as where a loop is unrolled: what is wrong with one of them is with all. */
struct change rule_at_line(const struct rule_case *c, uint32_t pc, struct change change)
{
	change.pc = pc;
	for (uint32_t k = 0; k < c->e->kernel->code_count; k++)
		if (rule_same_line(c->e->kernel, pc, k))
			mean(&change, k);
	return change;
}

/* All copies of an instruction, also those of other calls around it. */
static struct change at_copies(const struct rule_case *c, uint32_t pc, struct change change)
{
	const struct kernel *kernel = c->e->kernel;

	change.pc = pc;
	for (uint32_t k = 0; k < kernel->code_count; k++)
		if (kernel->code[k].op == kernel->code[pc].op && kernel_same_line(kernel, pc, k))
			mean(&change, k);
	return change;
}

/* The initialisations of all objects of a kind. */
struct change rule_at_kind(const struct rule_case *c, const struct mbarrier_object *object, struct change change)
{
	change.pc = change.pc ? change.pc : object->begun.pc;
	for (uint32_t k = 0; k < c->object_count; k++)
		if (rule_same_kind(c, object, c->objects[k]))
			mean(&change, c->objects[k]->begun.pc);
	return change;
}

/* Lanes that wait together give the same change. */
static bool is_same(const struct change *a, const struct change *b)
{
	return a->mend == b->mend &&
	       (a->mend != MEND_DUE || (a->stages->rank == b->stages->rank && !a->stages->next == !b->stages->next)) &&
	       (a->mend != MEND_BYTES || a->value_count == b->value_count) &&
	       (a->mend == MEND_NO_INIT || (a->pcs[0] == b->pcs[0] && a->pc_count == b->pc_count)) &&
	       (a->mend != MEND_PARITY || (a->value_count == b->value_count && a->values[0] == b->values[0])) &&
	       (a->mend != MEND_ARRIVAL ||
		       (a->thread == b->thread && a->address == b->address &&
			       (a->values[1] == MEND_EACH_PHASE) == (b->values[1] == MEND_EACH_PHASE)));
}

void rule_add(const struct rule_case *c, enum hang_cause cause, struct change change)
{
	struct finding_detail *d = c->e->detail;
	bool is_known = change.kind == CHANGE_MBARRIER; /* the group of its thread */

	if (!d->mend_count) {
		*c->at = *c->t;
		*c->of = *c->wait;
	}

	change.kind = CHANGE_MBARRIER;
	change.launch = c->t->r->core_launch->launch->ordinal;
	change.group = is_known ? change.group : c->t->group;
	change.space = space_SHARED;
	for (uint32_t k = 0; k < d->mend_count; k++)
		if (is_same(&d->mends[k].change, &change))
			return;
	if (d->mend_count < FINDING_MENDS)
		d->mends[d->mend_count++] = (struct finding_mend){cause_name(cause), change};
}

/* ---- Rules ---- */

/* A thread was lapped. */
static bool has_look(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->e->detail->mend_count; k++)
		if (c->e->detail->mends[k].change.mend == MEND_LOOK)
			return true;
	return false;
}

static void add_look(const struct rule_case *c, const struct mbarrier_object *object, uint32_t thread, int64_t phase)
{
	rule_add(c, CAUSE_LAPPED_WAIT,
		rule_at_kind(
			c, object, (struct change){.mend = MEND_LOOK, .thread = thread, .values = {(uint64_t)phase}}));
}

/* A thread that waits for wrong parities may lap another one: that is tried as well, at each kind of object. */
static void add_turns(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->looked)
			rule_add(c, CAUSE_WRONG_PARITY,
				rule_at_kind(c, c->objects[k],
					(struct change){.mend = MEND_IN_TURN, .pc = c->objects[k]->looked_pc}));
}

/* An object was initialised again while it was used: phases before and after that have nothing to do with each other.
 */
static bool any_in_use(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->was_in_use)
			return true;
	return false;
}

/* A thread has asked twice for the same phase of an object, one after the other. */
static bool was_asked_again(const struct mbarrier_object *object)
{
	lane_mask any = 0;

	for (uint32_t w = 0; w < CORE_WARPS; w++)
		any |= object->again[w];
	return any;
}

static bool any_asked_again(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (was_asked_again(c->objects[k]))
			return true;
	return false;
}

/* The parities for which a thread has asked at an object change from wait to wait. `now`: the one for which it waits;
 * -1: none. */
static bool alternates(const struct rule_case *c, const struct mbarrier_object *object, uint32_t thread, int now)
{
	uint32_t lanes = c->t->r->warp.lanes;
	const struct mbarrier_trace *trace = mbarrier_trace_of(c->t->core, c->t->r->group, thread / lanes);
	int before = -1;

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);

		if (e->step != STEP_PASSED || e->offset != object->offset || !(e->lanes >> thread % lanes & 1))
			continue;
		if (before == (int)(e->phase & 1))
			return false;
		before = (int)(e->phase & 1);
	}
	return now < 0 || before != now;
}

/* The phase that the thread means was over before it looked, and so is the next one; or a thread was lapped so before,
 * and found the parity that it asked for by chance. */
static void lapped(const struct rule_case *c)
{
	if (any_in_use(c) || any_asked_again(c))
		return;
	if (mbarrier_wait_is_lapped(c->wait) && c->wait->by_parity &&
		alternates(c, c->object, c->t->number, c->wait->odd))
		add_look(c, c->object, c->t->number, c->wait->means);
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->was_passed && alternates(c, c->objects[k], c->objects[k]->passed, -1))
			add_look(c, c->objects[k], c->objects[k]->passed, c->objects[k]->passed_phase);
	if (has_look(c))
		add_turns(c);
}

/* Likewise of the phase before the first: perhaps the thread should have asked for the first one. */
static void asked_before_first(const struct rule_case *c)
{
	if (mbarrier_wait_is_lapped(c->wait) && c->wait->by_parity && c->wait->means < 0)
		rule_add(c, CAUSE_WRONG_PARITY,
			rule_at_kind(c, c->object, (struct change){.mend = MEND_PARITY, .pc = c->wait->pc}));
}

/* All objects that were initialised so. */
static struct change again_in_use(const struct rule_case *c, struct change change)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->was_in_use)
			mean(&change, c->objects[k]->begun.pc);
	return change;
}

/* A valid object that had been used was initialised. */
static void initialised_again(const struct rule_case *c)
{
	if (c->object->was_in_use)
		rule_add(c, CAUSE_MBARRIER_IN_USE,
			again_in_use(c, rule_at_kind(c, c->object, (struct change){.mend = MEND_NO_INIT})));
}

static void add_no_arrival(const struct rule_case *c, const struct mbarrier_record *r)
{
	*c->count_is_right = true;
	rule_add(c, CAUSE_NO_ARRIVAL, rule_at_line(c, r->pc, (struct change){.mend = MEND_ARRIVES}));
	rule_add(c, CAUSE_NO_ARRIVAL, at_copies(c, r->pc, (struct change){.mend = MEND_ARRIVES}));
}

/* A thread has expected bytes, they have come, and it has not arrived; or it has expected the very arrival that it
 * makes (cp.async.mbarrier.arrive without .noinc). */
static void expected_without_arrival(const struct rule_case *c)
{
	if (!c->wait->now.pending || c->wait->now.transactions || mbarrier_wait_is_lapped(c->wait))
		return;
	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_EXPECTED)
		if (r->count || !mbarrier_arrived_in(c->object, c->object->phase, r))
			add_no_arrival(c, r);
}

/* Another object of the same kind has completed a phase. */
static bool count_was_right(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (rule_same_kind(c, c->objects[k], c->object) && c->objects[k]->phase > 0)
			return true;
	return false;
}

/* Other work-groups of the cluster may have to arrive here, and what these do is not in the ledger. */
static bool has_cluster(const struct rule_case *c)
{
	return launch_cluster_size(&c->e->launch->values) > 1;
}

/* No phase has been complete so far, and fewer have arrived than the object was initialised for. */
static void count_too_large(const struct rule_case *c)
{
	uint32_t come = c->wait->now.expected - c->wait->now.pending;

	if (come && c->wait->now.pending && c->wait->now.transactions <= 0 && !count_was_right(c) &&
		!*c->count_is_right)
		rule_add(c, CAUSE_WRONG_COUNT,
			rule_at_kind(c, c->object, (struct change){.mend = MEND_COUNT, .values = {come}}));
}

/* Of the arrivals of each warp at each place, as the last record of it has them, the sum. */
static uint32_t arrivals_of_all(const struct mbarrier_object *o)
{
	uint32_t recorded = mbarrier_known(o), sum = 0;

	for (uint32_t k = 0; k < recorded; k++) {
		const struct mbarrier_record *r = &o->records[k];
		bool is_first = r->act == MBARRIER_ARRIVED && !r->is_remote;

		for (uint32_t j = 0; j < k && is_first; j++)
			is_first = o->records[j].act != MBARRIER_ARRIVED || o->records[j].pc != r->pc ||
				   o->records[j].thread != r->thread || !(o->records[j].lanes & r->lanes);
		sum += is_first ? r->count : 0;
	}
	return sum;
}

/* All objects with the same count at which as many arrive. */
static struct change all_too_small(const struct rule_case *c, const struct mbarrier_object *like, uint32_t arrivals)
{
	struct change change = rule_at_kind(c, like, (struct change){.mend = MEND_COUNT, .values = {arrivals}});

	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->count == like->count && arrivals_of_all(c->objects[k]) == arrivals)
			change = rule_at_kind(c, c->objects[k], change);
	return change;
}

/* More threads arrive at an object than it counts, so that its phases end before all have come. */
static void count_too_small(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++) {
		uint32_t all = arrivals_of_all(c->objects[k]);

		if (all > c->objects[k]->count && c->objects[k]->phase > 0) {
			rule_add(c, CAUSE_WRONG_COUNT,
				rule_at_kind(c, c->objects[k], (struct change){.mend = MEND_COUNT, .values = {all}}));
			rule_add(c, CAUSE_WRONG_COUNT, all_too_small(c, c->objects[k], all));
		}
	}
}

/* The instruction that has expected bytes last in this phase, or else that has arrived last; null: none has. */
static const struct mbarrier_record *expects_last(const struct mbarrier_object *o)
{
	const struct mbarrier_record *arrival = NULL;

	EACH_KNOWN_RECORD(r, o) {
		if (r->phase != o->phase || r->is_remote || (r->act != MBARRIER_ARRIVED && r->act != MBARRIER_EXPECTED))
			continue;
		if (r->bytes)
			return r;
		if (r->act == MBARRIER_ARRIVED && !arrival)
			arrival = r;
	}
	return arrival;
}

/* A copy that tells another object than the one at which its thread expects bytes; null: none is known. */
static const struct mbarrier_record *elsewhere(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		for (uint32_t j = 0; j < mbarrier_known(c->objects[k]); j++)
			if (c->objects[k]->records[j].act == MBARRIER_COPIES && c->objects[k]->records[j].is_elsewhere)
				return &c->objects[k]->records[j];
	return NULL;
}

static void wrong_mbarrier(const struct rule_case *c)
{
	const struct mbarrier_record *r = c->wait->now.transactions ? elsewhere(c) : NULL;

	if (!r)
		return;
	rule_add(c, CAUSE_WRONG_MBARRIER, rule_at_line(c, r->pc, (struct change){.mend = MEND_OBJECT}));
	rule_add(c, CAUSE_WRONG_MBARRIER, at_copies(c, r->pc, (struct change){.mend = MEND_OBJECT}));
}

/* What an instruction expects, and what the same warp's copies bring until it expects bytes there again. */
struct promise {
	const struct mbarrier_record *expects; /* null: there is none */
	uint64_t copied;
	bool from_start; /* no such expectation at the object was right so far */
};

static struct promise wrong_promise(const struct mbarrier_object *o)
{
	uint32_t count = mbarrier_known(o);
	struct promise found = {.from_start = true}, now = {0};

	for (uint32_t k = count; k > 0; k--) {
		const struct mbarrier_record *r = &o->records[(o->recorded - k) % MBARRIER_RECORDS];
		bool expects = r->bytes && (r->act == MBARRIER_ARRIVED || r->act == MBARRIER_EXPECTED);

		if (now.expects && r->act == MBARRIER_COPIES && r->thread == now.expects->thread)
			now.copied += r->bytes;
		if (!expects && k > 1)
			continue;
		found.from_start &= !now.expects || now.copied != now.expects->bytes;
		if (now.expects && now.copied && now.copied != now.expects->bytes) {
			found.expects = now.expects;
			found.copied = now.copied;
		}
		now = (struct promise){.expects = expects ? r : NULL};
	}
	return found;
}

/* In this phase of this object alone; then in this and later ones of all, or, `from_start`, always. */
static void add_bytes(const struct rule_case *c, const struct mbarrier_record *r, uint64_t bytes, bool from_start)
{
	struct change change = {.mend = MEND_BYTES, .values = {bytes, (uint64_t)r->phase}, .value_count = 2};

	change.address = c->object->offset;
	if (!from_start)
		rule_add(c, CAUSE_WRONG_BYTES, rule_at_line(c, r->pc, change));
	change.value_count = 1;
	if (from_start)
		change.values[1] = 0;
	rule_add(c, CAUSE_WRONG_BYTES, rule_at_line(c, r->pc, change));
}

/* The bytes that have come at an object for each time that `expected` bytes were expected there, if all of that is
 * known, and no other number was ever expected. */
static bool of_all_phases(const struct mbarrier_object *o, uint64_t expected, uint64_t *each)
{
	uint64_t come = 0, expectations = 0;
	bool is_constant = true;

	EACH_KNOWN_RECORD(r, o) {
		uint64_t lanes = (uint64_t)__builtin_popcountll(r->lanes);
		bool expects = r->bytes && (r->act == MBARRIER_ARRIVED || r->act == MBARRIER_EXPECTED);

		come += r->act == MBARRIER_BYTES ? r->bytes : 0;
		expectations += expects ? lanes : 0;
		is_constant &= !expects || r->bytes == expected * lanes;
	}
	*each = expectations ? come / expectations : 0;
	return is_constant && o->recorded <= MBARRIER_RECORDS && expectations && come && come % expectations == 0;
}

/* Nothing is on its way, and the bytes do not add up. */
static void wrong_bytes(const struct rule_case *c)
{
	int64_t rest = c->wait->now.transactions;
	struct promise promise = wrong_promise(c->object);
	const struct mbarrier_record *r = expects_last(c->object);

	uint64_t each;

	if (!rest || !mbarrier_bytes_of(c->wait).come || c->object->copying)
		return;
	if (r && r->bytes && of_all_phases(c->object, r->bytes, &each) && each != r->bytes)
		add_bytes(c, r, each, true);
	if (elsewhere(c))
		return;
	if (promise.expects && !has_cluster(c))
		add_bytes(c, promise.expects, promise.copied, promise.from_start);
	else if (!c->wait->now.pending && r && !(r->lanes & (r->lanes - 1)) && (int64_t)r->bytes >= rest &&
		 (!has_cluster(c) || !c->object->phase))
		add_bytes(c, r, r->bytes - (uint64_t)rest, !c->object->phase);
}

/* Of the record's lanes those that have not arrived in the present phase. */
static lane_mask absent_lanes(const struct rule_case *c, const struct mbarrier_record *r)
{
	lane_mask lanes = r->lanes;

	EACH_RECORD(other, c->object, c->object->phase, MBARRIER_ARRIVED)
		if (other->thread == r->thread && !other->is_remote)
			lanes &= ~other->lanes;
	return lanes;
}

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

static void second_arrival(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count && !any_asked_again(c); k++) {
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
	lane_mask lanes = r->is_remote ? 0 : absent_lanes(c, r), ended = 0;

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
static void ended_early(const struct rule_case *c)
{
	if (!c->wait->now.pending || !c->object->phase || mbarrier_wait_is_lapped(c->wait) || has_look(c) ||
		is_unread(c) || arrived_twice(c) || arrivals_of_all(c->object) > c->object->count)
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
	lane_mask lanes = absent_lanes(c, r);
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
static void waits_without_arrival(const struct rule_case *c)
{
	EACH_RECORD(r, c->object, c->object->phase - 1, MBARRIER_ARRIVED)
		if (!r->is_remote && r->thread == c->t->r->warp.first_thread && absent_lanes(c, r) >> c->t->lane & 1 &&
			c->wait->means == c->object->phase)
			add_arrival(c, r);
}

/* Only one warp's arrival is missing, and that warp has gone by. */
static void passed_without_arrival(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count && !mbarrier_wait_is_lapped(c->wait); k++) {
		const struct mbarrier_record *r =
			rule_same_kind(c, c->objects[k], c->object) ? passed_by(c, c->objects[k]) : NULL;

		if (r)
			add_arrival(c, r);
	}
}

/* Some lanes of an instruction have arrived, and others, which arrived with them in the phase before, have not. */
static void lanes_left_out(const struct rule_case *c)
{
	uint32_t missing = 0, first = 0, warps = 0, pc = 0;

	EACH_RECORD(r, c->object, c->object->phase - 1, MBARRIER_ARRIVED) {
		lane_mask absent = r->is_remote ? 0 : absent_lanes(c, r);

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

/* Whether the warp has waited at this object. */
static bool has_waited(const struct mbarrier_object *o, uint32_t thread, uint32_t lanes)
{
	return o->looked >> (thread / lanes) & 1;
}

/* All warps that have arrived at the case's object in this phase have waited at the other one. */
static bool arrivers_waited(const struct rule_case *c, const struct mbarrier_object *other)
{
	uint32_t arrivers = 0;

	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_ARRIVED) {
		if (r->is_remote || !has_waited(other, r->thread, c->t->r->warp.lanes))
			return false;
		arrivers++;
	}
	return arrivers;
}

static bool arrives_at_kind(const struct rule_case *c, uint32_t thread)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		EACH_KNOWN_RECORD(r, c->objects[k])
			if (rule_same_kind(c, c->objects[k], c->object) && r->act == MBARRIER_ARRIVED &&
				r->thread == thread)
				return true;
	return false;
}

/* The warp has ended, or waits where the arrivers wait. */
static bool may_be_counted(const struct rule_case *c, uint32_t thread)
{
	if (writers_has_ended(c->e->launch, c->t->group, thread))
		return true;
	for (uint32_t k = 0; k < c->object_count; k++)
		if (arrivers_waited(c, c->objects[k]) && has_waited(c->objects[k], thread, c->t->r->warp.lanes))
			return true;
	return false;
}

/* Such a warp has never arrived at an object of this kind: the count may mean it. */
static void never_arrives(const struct rule_case *c)
{
	uint32_t lanes = c->t->r->warp.lanes;

	if (!c->wait->now.pending || c->wait->now.pending == c->wait->now.expected || count_was_right(c))
		return;
	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_ARRIVED)
		for (uint32_t w = 0; w < c->t->r->group->warps; w++)
			if (w * lanes != c->t->r->warp.first_thread && !arrives_at_kind(c, w * lanes) &&
				may_be_counted(c, w * lanes))
				rule_add(c, CAUSE_MISSING_ARRIVAL,
					rule_at_kind(c, c->object,
						(struct change){.mend = MEND_ARRIVAL,
							.pc = r->pc,
							.thread = w * lanes,
							.address = c->wait->offset,
							.values = {c->wait->now.pending, MEND_EACH_PHASE},
							.value_count = 1}));
}

/* All warps of the group that have not ended wait at untouched mbarriers of the case's kind. */
static bool all_wait_at_first(const struct rule_case *c)
{
	EACH_WARP(c->e->launch, at) {
		lane_mask waiting = mbarrier_lanes_waiting(at.core, at.r);

		if (at.group != c->t->group)
			continue;
		if (!waiting)
			return false;
		for (lane_mask m = waiting; m; m &= m - 1) {
			struct thread t = thread_at(at.core, at.r, (uint32_t)__builtin_ctzll(m));
			struct mbarrier_wait wait;

			if (mbarrier_wait_of(&t, &wait) && (wait.object->phase || wait.object->recorded ||
								   !rule_same_kind(c, wait.object, c->object)))
				return false;
		}
	}
	return true;
}

/* Nobody has the first turn. */
static void first_turn(const struct rule_case *c)
{
	if (!c->wait->by_parity || c->wait->odd || c->object->phase || c->object->recorded ||
		c->e->detail->mend_count || !all_wait_at_first(c))
		return;
	for (uint32_t k = 0; k < c->object_count; k++)
		if (rule_same_kind(c, c->objects[k], c->object))
			rule_add(c, CAUSE_WRONG_PARITY,
				(struct change){.mend = MEND_PARITY,
					.pc = c->wait->pc,
					.values = {c->objects[k]->offset},
					.value_count = 1,
					.address = c->objects[k]->offset});
}

/* Some thread has asked twice for the same phase of an object, or asks for the one behind the next: its parity did not
 * change in between. */
static void same_parity_again(const struct rule_case *c)
{
	struct change all = {.mend = MEND_IN_TURN, .pc = c->wait->pc};
	int64_t seen = mbarrier_seen(c->object, c->t->r, c->t->lane);

	if (c->wait->by_parity && seen >= 0 && (seen & 1) == c->wait->odd)
		rule_add(c, CAUSE_WRONG_PARITY,
			rule_at_kind(c, c->object, (struct change){.mend = MEND_IN_TURN, .pc = c->wait->pc}));
	for (uint32_t k = 0; k < c->object_count; k++)
		if (was_asked_again(c->objects[k])) {
			rule_add(c, CAUSE_WRONG_PARITY,
				rule_at_kind(c, c->objects[k],
					(struct change){.mend = MEND_IN_TURN, .pc = c->objects[k]->again_pc}));
			all = rule_at_kind(c, c->objects[k], all);
		}
	if (all.pc_count)
		rule_add(c, CAUSE_WRONG_PARITY, all);
}

#define CODE_SEEN 400 /* instructions */

/* Behind the wait, and before the thread arrives anywhere, it fills a stage: it begins copies, expects bytes or
 * stores. */
static bool fills_next(const struct kernel *kernel, uint32_t pc)
{
	for (uint32_t k = pc + 1; k < kernel->code_count && k < pc + CODE_SEEN; k++) {
		const struct insn *i = &kernel->code[k];

		if (i->kind == INSN_COPY || i->op == OP_mbarrier_expect_tx || i->op == OP_mbarrier_arrive_expect_tx)
			return true;
		if (i->kind == INSN_STORE && i->access.space != space_GLOBAL && i->access.space != space_LOCAL)
			return true;
		if (i->kind == INSN_MBARRIER && ptx_ops[i->op].effects != EFFECT_READS)
			return false;
	}
	return false;
}

/* The first wait of a thread that fills stages, at an object where nothing has happened: the stage is free, and it asks
 * for the phase in which it will be freed. */
static void parity_at_start(const struct rule_case *c)
{
	if (c->wait->by_parity && !c->wait->odd && !c->object->phase && !c->object->recorded &&
		mbarrier_seen(c->object, c->t->r, c->t->lane) < -1 && fills_next(c->e->kernel, c->wait->pc))
		rule_add(c, CAUSE_WRONG_PARITY,
			rule_at_kind(c, c->object, (struct change){.mend = MEND_PARITY, .pc = c->wait->pc}));
}

#define MOST_WAITS 4096 /* threads that are looked at */

struct waiting {
	struct thread t;
	struct mbarrier_wait wait;
	struct rule_case c; /* of these */
};

/* The threads that wait for mbarriers, or the first of them; returns how many. */
static uint32_t list_waiting(const struct explanation *e, struct waiting *list)
{
	uint32_t count = 0;

	EACH_WARP(e->launch, at)
		for (lane_mask m = mbarrier_lanes_waiting(at.core, at.r); m && count < MOST_WAITS; m &= m - 1) {
			list[count].t = thread_at(at.core, at.r, (uint32_t)__builtin_ctzll(m));
			count += mbarrier_wait_of(&list[count].t, &list[count].wait);
		}
	return count;
}

/* What rules tell those behind them. */
struct rule_state {
	bool count_is_right;
};

static void gather(
	struct waiting *w, struct explanation *e, struct thread *at, struct mbarrier_wait *of, struct rule_state *state)
{
	w->c = (struct rule_case){.e = e,
		.t = &w->t,
		.wait = &w->wait,
		.object = w->wait.object,
		.at = at,
		.of = of,
		.count_is_right = &state->count_is_right};
	w->c.object_count = mbarrier_objects_of(w->t.core, w->t.r->group, &w->c.objects);
}

bool mbarrier_mends(struct explanation *e, struct thread *at, struct mbarrier_wait *wait)
{
	static void (*const rules[])(const struct rule_case *c) = {lapped, asked_before_first, initialised_again,
		wrong_mbarrier, expected_without_arrival, wrong_bytes, second_arrival, ended_early, rule_left_out,
		rule_other_stage, rule_out_of_order, lanes_left_out, waits_without_arrival, passed_without_arrival,
		count_too_large, never_arrives, count_too_small, parity_at_start, first_turn, same_parity_again};

	struct waiting *list = arena_new_array(e->arena, struct waiting, MOST_WAITS);
	uint32_t count = list_waiting(e, list);
	struct rule_state state = {0};

	for (uint32_t w = 0; w < count; w++)
		gather(&list[w], e, at, wait, &state);
	for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
		for (uint32_t w = 0; w < count; w++)
			rules[k](&list[w].c);
	return e->detail->mend_count;
}
