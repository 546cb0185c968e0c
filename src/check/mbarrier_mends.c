/* What may be wrong with mbarriers: see mbarrier_mends.h.  Each rule wants evidence in what has happened at an object,
 * as a change that only lets a thread pass would confirm anything. */
#include "check/mbarrier_mends.h"

#include "machine/core/cluster.h"
#include "machine/state/launch_state.h"

#include <string.h>

/* A thread that waits, and the rest that the rules look at. */
struct rule_case {
	struct explanation *e;
	const struct thread *t;
	const struct mbarrier_wait *wait;
	const struct mbarrier_object *object;
	const struct mbarrier_object *const *objects; /* all of its work-group */
	uint32_t object_count;
	struct thread *at; /* of the first mend */
	struct mbarrier_wait *of;
};

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
static bool is_same_line(const struct kernel *kernel, uint32_t a, uint32_t b)
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
static bool is_same_kind(const struct rule_case *c, const struct mbarrier_object *a, const struct mbarrier_object *b)
{
	const struct kernel *kernel = c->e->kernel;

	if (a == b)
		return true;
	if (a->count != b->count || are_apart(kernel, a, b))
		return false;
	return is_same_line(kernel, a->begun.pc, b->begun.pc) ||
	       (a->looked && b->looked && is_same_line(kernel, a->looked_pc, b->looked_pc));
}

static void mean(struct change *change, uint32_t pc)
{
	if (!change_means(change, pc) && change->pc_count < CHANGE_PCS)
		change->pcs[change->pc_count++] = pc;
}

/* The instructions of a line, as where a loop is unrolled: what is wrong with one of them is with all. */
static struct change at_line(const struct rule_case *c, uint32_t pc, struct change change)
{
	change.pc = pc;
	for (uint32_t k = 0; k < c->e->kernel->code_count; k++)
		if (is_same_line(c->e->kernel, pc, k))
			mean(&change, k);
	return change;
}

/* The initialisations of all objects of a kind. */
static struct change at_kind(const struct rule_case *c, const struct mbarrier_object *object, struct change change)
{
	change.pc = change.pc ? change.pc : object->begun.pc;
	for (uint32_t k = 0; k < c->object_count; k++)
		if (is_same_kind(c, object, c->objects[k]))
			mean(&change, c->objects[k]->begun.pc);
	return change;
}

/* Lanes that wait together give the same change. */
static bool is_same(const struct change *a, const struct change *b)
{
	return a->mend == b->mend && (a->mend == MEND_NO_INIT || a->pcs[0] == b->pcs[0]) &&
	       (a->mend != MEND_ARRIVAL || (a->thread == b->thread && a->address == b->address));
}

static void add(const struct rule_case *c, enum hang_cause cause, struct change change)
{
	struct finding_detail *d = c->e->detail;

	if (!d->mend_count) {
		*c->at = *c->t;
		*c->of = *c->wait;
	}

	change.kind = CHANGE_MBARRIER;
	change.launch = c->t->r->core_launch->launch->ordinal;
	change.group = c->t->group;
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
	add(c, CAUSE_LAPPED_WAIT,
		at_kind(c, object, (struct change){.mend = MEND_LOOK, .thread = thread, .values = {(uint64_t)phase}}));
}

/* A thread that waits for wrong parities may lap another one: that is tried as well, at each kind of object. */
static void add_turns(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->looked)
			add(c, CAUSE_WRONG_PARITY,
				at_kind(c, c->objects[k],
					(struct change){.mend = MEND_IN_TURN, .pc = c->objects[k]->looked_pc}));
}

/* The phase that the thread means was over before it looked, and so is the next one; or a thread was lapped so before,
 * and found the parity that it asked for by chance. */
static void lapped(const struct rule_case *c)
{
	if (mbarrier_wait_is_lapped(c->wait) && c->wait->by_parity)
		add_look(c, c->object, c->t->number, c->wait->means);
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->was_passed)
			add_look(c, c->objects[k], c->objects[k]->passed, c->objects[k]->passed_phase);
	if (has_look(c))
		add_turns(c);
}

/* Likewise of the phase before the first: perhaps the thread should have asked for the first one. */
static void asked_before_first(const struct rule_case *c)
{
	if (mbarrier_wait_is_lapped(c->wait) && c->wait->by_parity && c->wait->means < 0)
		add(c, CAUSE_WRONG_PARITY,
			at_kind(c, c->object, (struct change){.mend = MEND_PARITY, .pc = c->wait->pc}));
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
		add(c, CAUSE_MBARRIER_IN_USE,
			again_in_use(c, at_kind(c, c->object, (struct change){.mend = MEND_NO_INIT})));
}

/* A thread has expected bytes, they have come, and it has not arrived. */
static void expected_without_arrival(const struct rule_case *c)
{
	if (!c->wait->now.pending || c->wait->now.transactions || mbarrier_wait_is_lapped(c->wait))
		return;
	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_EXPECTED)
		if (r->bytes && !mbarrier_arrived_in(c->object, c->object->phase, r))
			add(c, CAUSE_NO_ARRIVAL, at_line(c, r->pc, (struct change){.mend = MEND_ARRIVES}));
}

/* Another object of the same kind has completed a phase. */
static bool count_was_right(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (is_same_kind(c, c->objects[k], c->object) && c->objects[k]->phase > 0)
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

	if (come && c->wait->now.pending && c->wait->now.transactions <= 0 && !count_was_right(c) && !has_cluster(c))
		add(c, CAUSE_WRONG_COUNT, at_kind(c, c->object, (struct change){.mend = MEND_COUNT, .values = {come}}));
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

/* More threads arrive at an object than it counts, so that its phases end before all have come. */
static void count_too_small(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++) {
		uint32_t all = arrivals_of_all(c->objects[k]);

		if (all > c->objects[k]->count && c->objects[k]->phase > 0)
			add(c, CAUSE_WRONG_COUNT,
				at_kind(c, c->objects[k], (struct change){.mend = MEND_COUNT, .values = {all}}));
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

	if (r)
		add(c, CAUSE_WRONG_MBARRIER, at_line(c, r->pc, (struct change){.mend = MEND_OBJECT}));
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

static void add_bytes(const struct rule_case *c, uint32_t pc, uint64_t bytes, int64_t phase)
{
	add(c, CAUSE_WRONG_BYTES,
		at_line(c, pc,
			(struct change){.mend = MEND_BYTES, .values = {bytes, (uint64_t)phase}, .value_count = 1}));
}

/* Nothing is on its way, and the bytes do not add up. */
static void wrong_bytes(const struct rule_case *c)
{
	int64_t rest = c->wait->now.transactions;
	struct promise promise = wrong_promise(c->object);
	const struct mbarrier_record *r = expects_last(c->object);

	if (!rest || !mbarrier_bytes_of(c->wait).come || c->object->copying || elsewhere(c) || has_cluster(c))
		return;
	if (promise.expects)
		add_bytes(c, promise.expects->pc, promise.copied, promise.from_start ? 0 : promise.expects->phase);
	else if (!c->wait->now.pending && r && !(r->lanes & (r->lanes - 1)) && (int64_t)r->bytes >= rest)
		add_bytes(c, r->pc, r->bytes - (uint64_t)rest, c->object->phase);
}

static bool have_ended(const struct rule_case *c, const struct mbarrier_record *r)
{
	for (lane_mask m = r->lanes; m; m &= m - 1)
		if (!writers_has_ended(c->e->launch, c->t->group, r->thread + (uint32_t)__builtin_ctzll(m)))
			return false;
	return !r->is_remote;
}

/* The phases of all objects of the kind in which a thread has arrived; or that the waiting thread has seen end. */
static int64_t phases_of(const struct rule_case *c, const struct mbarrier_record *arrival)
{
	int64_t sum = 0;

	for (uint32_t k = 0; k < c->object_count; k++) {
		int64_t last = -1;

		if (!is_same_kind(c, c->objects[k], c->object))
			continue;
		if (!arrival)
			last = mbarrier_seen(c->objects[k], c->t->r, c->t->lane);
		EACH_KNOWN_RECORD(r, c->objects[k])
			if (arrival && r->act == MBARRIER_ARRIVED && r->thread == arrival->thread && !r->is_remote &&
				r->phase > last)
				last = r->phase;
		sum += last < 0 ? 0 : last + 1;
	}
	return sum;
}

/* Threads that arrived in the phase before have ended without arriving in this one. */
static void ended_early(const struct rule_case *c)
{
	if (!c->wait->now.pending || !c->object->phase || mbarrier_wait_is_lapped(c->wait) || has_look(c))
		return;
	EACH_RECORD(r, c->object, c->object->phase - 1, MBARRIER_ARRIVED)
		if (have_ended(c, r) && !mbarrier_arrived_in(c->object, c->object->phase, r) &&
			phases_of(c, NULL) >= phases_of(c, r))
			add(c, CAUSE_ENDED_EARLY, at_line(c, r->pc, (struct change){.mend = MEND_LEAVE}));
}

/* The record's warp has arrived at another object of the kind, in a phase in which a thread that has arrived here as
 * it should did so only after that: so it has passed the place where it would have arrived here. */
static bool has_passed(const struct rule_case *c, const struct mbarrier_object *other, const struct mbarrier_record *r)
{
	EACH_RECORD(peer, other, r->phase, MBARRIER_ARRIVED) {
		if (peer->thread == r->thread || !is_same_line(c->e->kernel, peer->pc, r->pc))
			continue;
		EACH_RECORD(here, c->object, c->object->phase, MBARRIER_ARRIVED)
			if (here->thread == peer->thread && is_same_line(c->e->kernel, here->pc, r->pc) &&
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

/* Of the record's lanes those that have not arrived in the present phase. */
static lane_mask absent_lanes(const struct rule_case *c, const struct mbarrier_record *r)
{
	lane_mask lanes = r->lanes;

	EACH_RECORD(other, c->object, c->object->phase, MBARRIER_ARRIVED)
		if (other->thread == r->thread && !other->is_remote)
			lanes &= ~other->lanes;
	return lanes;
}

/* If no others are missing. */
static void add_arrival(const struct rule_case *c, const struct mbarrier_record *r)
{
	lane_mask lanes = absent_lanes(c, r);
	uint32_t each = r->count / (uint32_t)__builtin_popcountll(r->lanes);
	uint32_t count = each * (uint32_t)__builtin_popcountll(lanes);

	if (count && count == c->wait->now.pending)
		add(c, CAUSE_MISSING_ARRIVAL,
			at_kind(c, c->object,
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
			is_same_kind(c, c->objects[k], c->object) ? passed_by(c, c->objects[k]) : NULL;

		if (r)
			add_arrival(c, r);
	}
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
			if (is_same_kind(c, c->objects[k], c->object) && r->act == MBARRIER_ARRIVED &&
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
				add(c, CAUSE_MISSING_ARRIVAL,
					at_kind(c, c->object,
						(struct change){.mend = MEND_ARRIVAL,
							.pc = r->pc,
							.thread = w * lanes,
							.address = c->wait->offset,
							.values = {c->wait->now.pending, MEND_EACH_PHASE},
							.value_count = 1}));
}

/* Some thread has asked twice for the same phase of an object, or asks for the one behind the next: its parity did not
 * change in between. */
static void same_parity_again(const struct rule_case *c)
{
	int64_t seen = mbarrier_seen(c->object, c->t->r, c->t->lane);

	if (c->wait->by_parity && seen >= 0 && (seen & 1) == c->wait->odd)
		add(c, CAUSE_WRONG_PARITY,
			at_kind(c, c->object, (struct change){.mend = MEND_IN_TURN, .pc = c->wait->pc}));
	for (uint32_t k = 0; k < c->object_count; k++) {
		lane_mask any = 0;

		for (uint32_t w = 0; w < CORE_WARPS; w++)
			any |= c->objects[k]->again[w];
		if (any)
			add(c, CAUSE_WRONG_PARITY,
				at_kind(c, c->objects[k],
					(struct change){.mend = MEND_IN_TURN, .pc = c->objects[k]->again_pc}));
	}
}

#define CODE_SEEN 400 /* instructions */

/* Behind the wait, the thread fills a stage before it empties one: it begins copies, expects bytes or stores. */
static bool fills_next(const struct kernel *kernel, uint32_t pc)
{
	for (uint32_t k = pc + 1; k < kernel->code_count && k < pc + CODE_SEEN; k++) {
		const struct insn *i = &kernel->code[k];

		if (i->kind == INSN_COPY || i->op == OP_mbarrier_expect_tx || i->op == OP_mbarrier_arrive_expect_tx)
			return true;
		if (i->kind == INSN_STORE && i->access.space != space_GLOBAL && i->access.space != space_LOCAL)
			return true;
		if (i->kind == INSN_LOAD && (i->access.space == space_SHARED || i->access.space == space_NONE))
			return false;
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
		add(c, CAUSE_WRONG_PARITY,
			at_kind(c, c->object, (struct change){.mend = MEND_PARITY, .pc = c->wait->pc}));
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

static void gather(struct waiting *w, struct explanation *e, struct thread *at, struct mbarrier_wait *of)
{
	w->c = (struct rule_case){.e = e, .t = &w->t, .wait = &w->wait, .object = w->wait.object, .at = at, .of = of};
	w->c.object_count = mbarrier_objects_of(w->t.core, w->t.r->group, &w->c.objects);
}

bool mbarrier_mends(struct explanation *e, struct thread *at, struct mbarrier_wait *wait)
{
	static void (*const rules[])(const struct rule_case *c) = {lapped, asked_before_first, initialised_again,
		wrong_mbarrier, expected_without_arrival, wrong_bytes, ended_early, waits_without_arrival,
		passed_without_arrival, count_too_large, never_arrives, count_too_small, parity_at_start,
		same_parity_again};

	struct waiting *list = arena_new_array(e->arena, struct waiting, MOST_WAITS);
	uint32_t count = list_waiting(e, list);

	for (uint32_t w = 0; w < count; w++)
		gather(&list[w], e, at, wait);
	for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
		for (uint32_t w = 0; w < count; w++)
			rules[k](&list[w].c);
	return e->detail->mend_count;
}
