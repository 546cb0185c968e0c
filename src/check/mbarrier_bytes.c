/* Rules of mbarrier_rules.h: bytes that do not add up, and copies that tell another mbarrier. */
#include "check/mbarrier_rules.h"

#include "machine/core/cluster.h"
#include "machine/state/launch_state.h"

/* Other work-groups of the cluster may have to arrive here, and what these do is not in the ledger. */
static bool has_cluster(const struct rule_case *c)
{
	return launch_cluster_size(&c->e->launch->values) > 1;
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

void rule_wrong_mbarrier(const struct rule_case *c)
{
	const struct mbarrier_record *r = c->wait->now.transactions ? elsewhere(c) : NULL;

	if (!r)
		return;
	rule_add(c, CAUSE_WRONG_MBARRIER, rule_at_line(c, r->pc, (struct change){.mend = MEND_OBJECT}));
	rule_add(c, CAUSE_WRONG_MBARRIER, rule_at_copies(c, r->pc, (struct change){.mend = MEND_OBJECT}));
}

/* What an instruction expects, and what the same warp's copies bring until it expects bytes there again. */
struct promise {
	const struct mbarrier_record *expects; /* null: there is none */
	uint64_t copied;
	uint32_t copies;
	bool from_start; /* no such expectation at the object was right so far */
};

static bool expects_bytes(const struct mbarrier_record *r)
{
	return r->bytes && (r->act == MBARRIER_ARRIVED || r->act == MBARRIER_EXPECTED);
}

static uint64_t of_each_lane(const struct mbarrier_record *r)
{
	return r->bytes / (uint32_t)__builtin_popcountll(r->lanes);
}

/* The next one of the object, from the *k-th record before the last on; false: there is none. */
static bool promise_next(const struct mbarrier_object *o, uint32_t *k, struct promise *promise)
{
	*promise = (struct promise){0};
	for (; *k > 0; --*k) {
		const struct mbarrier_record *r = &o->records[(o->recorded - *k) % MBARRIER_RECORDS];

		if (promise->expects && expects_bytes(r))
			return true;
		if (expects_bytes(r))
			promise->expects = r;
		if (!promise->expects || r->act != MBARRIER_COPIES || !mbarrier_same_warp(r, promise->expects))
			continue;
		promise->copied += r->bytes;
		promise->copies += (uint32_t)__builtin_popcountll(r->lanes);
	}
	return promise->expects;
}

#define EACH_PROMISE(p, o)                                                                                             \
	struct promise p;                                                                                              \
	for (uint32_t p##_k = mbarrier_known(o); promise_next((o), &p##_k, &p);)

static bool is_kept(const struct promise *p)
{
	return p->copied == p->expects->bytes;
}

static struct promise wrong_promise(const struct mbarrier_object *o)
{
	struct promise found = {.from_start = true};

	EACH_PROMISE(p, o)
	{
		found.from_start &= !is_kept(&p);
		if (p.copied && !is_kept(&p)) {
			p.from_start = found.from_start;
			found = p;
		}
	}
	return found;
}

/* Where as many bytes were expected and came, more copies brought them: one may be left out as well. */
static bool has_fewer_copies(const struct rule_case *c, const struct promise *promise)
{
	for (uint32_t k = 0; k < c->object_count; k++) {
		if (!rule_same_kind(c, c->objects[k], c->object))
			continue;
		EACH_PROMISE(p, c->objects[k])
		if (is_kept(&p) && of_each_lane(p.expects) == of_each_lane(promise->expects) &&
			promise->copies < p.copies)
			return true;
	}
	return false;
}

/* All lines at which as many bytes are expected at an object of the case's kind. */
static struct change at_expecting(const struct rule_case *c, const struct mbarrier_record *like, struct change change)
{
	uint64_t each = like->bytes / (uint32_t)__builtin_popcountll(like->lanes);

	change = rule_at_line(c, like->pc, change);
	for (uint32_t k = 0; k < c->object_count; k++)
		EACH_KNOWN_RECORD(r, c->objects[k])
			if (rule_same_kind(c, c->objects[k], c->object) && !r->is_remote &&
				(r->act == MBARRIER_ARRIVED || r->act == MBARRIER_EXPECTED) &&
				r->bytes == each * (uint32_t)__builtin_popcountll(r->lanes))
				change = rule_at_line(c, r->pc, change);
	change.pc = like->pc;
	return change;
}

/* In another rank of the cluster a phase is over for which the same line expected as many bytes: it does not expect too
 * many. */
static bool is_right_elsewhere(const struct rule_case *c, const struct mbarrier_record *like)
{
	uint32_t size = launch_cluster_size(&c->e->launch->values);

	for (uint32_t rank = 0; rank < size && size > 1; rank++) {
		const struct mbarrier_object *o = rule_object_of_rank(c, rank);

		if (!o)
			continue;
		EACH_KNOWN_RECORD(r, o)
			if ((r->act == MBARRIER_ARRIVED || r->act == MBARRIER_EXPECTED) && r->phase < o->phase &&
				r->bytes == like->bytes && rule_same_line(c->e->kernel, r->pc, like->pc))
				return true;
	}
	return false;
}

/* In this phase of this object alone; then in this and later ones of all, or, `from_start`, always. */
static void add_bytes(const struct rule_case *c, const struct mbarrier_record *r, uint64_t bytes, bool from_start)
{
	struct change change = {.mend = MEND_BYTES, .values = {bytes, (uint64_t)r->phase}, .value_count = 2};

	change.address = c->object->offset;
	if (has_cluster(c))
		change.ranks = 1u << launch_cluster_rank(c->t->r->warp.launch, c->t->r->warp.group);
	if (!from_start || has_cluster(c))
		rule_add(c, CAUSE_WRONG_BYTES, rule_at_line(c, r->pc, change));
	if (bytes < r->bytes / (uint32_t)__builtin_popcountll(r->lanes) && is_right_elsewhere(c, r))
		return;
	change.ranks = 0;
	change.value_count = 1;
	if (from_start)
		change.values[1] = 0;
	rule_add(c, CAUSE_WRONG_BYTES, rule_at_line(c, r->pc, change));
	rule_add(c, CAUSE_WRONG_BYTES, at_expecting(c, r, change));
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

/* As many bytes are expected by each instruction, of any stage and phase, as by this one. */
static bool is_as_always(const struct rule_case *c, const struct mbarrier_record *like)
{
	uint32_t times = 0;

	for (uint32_t k = 0; k < c->object_count; k++)
		EACH_KNOWN_RECORD(r, c->objects[k]) {
			bool expects = r->bytes && (r->act == MBARRIER_ARRIVED || r->act == MBARRIER_EXPECTED);

			if (!expects || !rule_same_kind(c, c->objects[k], c->object))
				continue;
			if (r->bytes * (uint32_t)__builtin_popcountll(like->lanes) !=
				like->bytes * (uint32_t)__builtin_popcountll(r->lanes))
				return false;
			times++;
		}
	return times > 1;
}

/* Nothing is on its way, and the bytes do not add up. */
void rule_wrong_bytes(const struct rule_case *c)
{
	int64_t rest = c->wait->now.transactions;
	struct promise promise = wrong_promise(c->object);
	const struct mbarrier_record *r = expects_last(c->object);

	uint64_t each;

	if (!rest || !mbarrier_bytes_of(c->wait).come || c->object->copying || *c->bytes_are_right)
		return;
	if (*c->bytes_were_right && r && r->bytes && is_as_always(c, r))
		return;
	if (r && r->bytes && !*c->bytes_were_right && of_all_phases(c->object, r->bytes, &each) && each != r->bytes)
		add_bytes(c, r, each, true);
	if (elsewhere(c) || (promise.expects && has_fewer_copies(c, &promise)))
		return;
	if (promise.expects && !has_cluster(c))
		add_bytes(c, promise.expects, promise.copied, promise.from_start);
	else if (!c->wait->now.pending && r && !(r->lanes & (r->lanes - 1)) && (int64_t)r->bytes >= rest &&
		 (!has_cluster(c) || !c->object->phase))
		add_bytes(c, r, r->bytes - (uint64_t)rest, !c->object->phase);
}
