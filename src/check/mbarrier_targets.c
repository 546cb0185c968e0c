/* Rules of mbarrier_rules.h: waits, arrivals and expectations that name another mbarrier than they should, always in
 * the same way: one of another array, or one a fixed number of stages away. */
#include "check/mbarrier_habits.h"

#include "machine/state/launch_state.h"

#define MOST_LINES 16
#define MOST_ADDED 12 /* changes, of all waits of a hang */

/* Instructions of a line that name mbarriers of a ring. */
struct use {
	uint32_t pc;
	enum mend_mapped what;
	struct stage_ring ring;
	const struct actor *first;
	uint64_t warps; /* of the case's work-group */
};

struct uses {
	struct use at[MOST_LINES];
	uint32_t count;
};

static bool is_same_ring(const struct stage_ring *a, const struct stage_ring *b)
{
	return stage_place(a, b->at[0]) >= 0;
}

static enum mend_mapped what_of(const struct rule_case *c, const struct mbarrier_event *e)
{
	if (e->step == STEP_PASSED)
		return MAPPED_WAITS;
	return c->e->kernel->code[e->pc].op == OP_mbarrier_expect_tx ? MAPPED_BYTES : MAPPED_ARRIVALS;
}

static void note_use(const struct pipeline *p, struct uses *uses, const struct actor *a, const struct mbarrier_event *e)
{
	struct use *use = uses->at;
	struct stage_ring ring = stage_ring_of(p->c, e->offset);

	while (use < uses->at + uses->count &&
		!(rule_same_line(p->c->e->kernel, use->pc, e->pc) && is_same_ring(&use->ring, &ring)))
		use++;
	if (use == uses->at + MOST_LINES)
		return;
	if (use == uses->at + uses->count) {
		*use = (struct use){e->pc, what_of(p->c, e), ring, a, 0};
		uses->count++;
	}
	use->warps |= 1ull << a->warp;
}

/* What warps of the case's work-group have done at its mbarriers; copies follow the arrivals. */
static struct uses uses_of(const struct pipeline *p)
{
	struct uses uses = {.count = 0};

	for (uint32_t k = 0; k < p->actor_count; k++) {
		const struct actor *a = &p->actors[k];

		for (uint32_t j = 0; a->rank == p->rank && j < mbarrier_events(a->trace); j++) {
			const struct mbarrier_event *e = mbarrier_event(a->trace, j);

			if (e->step != STEP_COPIED && e->rank == p->rank)
				note_use(p, &uses, a, e);
		}
	}
	return uses;
}

static uint32_t added_so_far(const struct rule_case *c)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < c->e->detail->mend_count; k++)
		count += c->e->detail->mends[k].change.mend == MEND_MAP;
	return count;
}

/* The instructions of the line, and of more, name the mbarrier so many stages further, or, 0, of the other ring. */
static void add_map_with(const struct pipeline *p, const struct change *more, uint32_t pc, enum mend_mapped what,
	const struct stage_ring *from, const struct stage_ring *to, uint32_t shift)
{
	struct change change = *more;
	struct mend_stages *stages = arena_new(p->c->e->arena, struct mend_stages);

	if (added_so_far(p->c) == MOST_ADDED)
		return;
	*stages = (struct mend_stages){.count = from->count};
	for (uint32_t k = 0; k < from->count; k++) {
		stages->from[k] = from->at[k];
		stages->to[k] = to->at[(k + shift) % from->count];
	}
	change.mend = MEND_MAP;
	change.stages = stages;
	change.address = p->c->wait->offset;
	change.values[0] = what;
	change.values[1] = shift;
	rule_add(p->c, CAUSE_WRONG_MBARRIER, rule_at_line(p->c, pc, change));
}

static void add_map(const struct pipeline *p, uint32_t pc, enum mend_mapped what, const struct stage_ring *from,
	const struct stage_ring *to, uint32_t shift)
{
	add_map_with(p, &(struct change){.kind = CHANGE_NONE}, pc, what, from, to, shift);
}

/* ---- Another stage ---- */

/* The place in a ring of the actor's first arrival there by the line, in the first phase; -1: it is not known. */
static int first_place(const struct pipeline *p, const struct actor *a, const struct use *use)
{
	for (uint32_t k = 0; a->trace->count <= MBARRIER_EVENTS && k < a->trace->count; k++) {
		const struct mbarrier_event *e = mbarrier_event(a->trace, k);

		if (e->step == STEP_ARRIVED && rule_same_line(p->c->e->kernel, e->pc, use->pc) &&
			stage_place(&use->ring, e->offset) >= 0)
			return stage_place(&use->ring, e->offset);
	}
	return -1;
}

/* The other lines by which the same warps arrive at the ring: a thread may keep its stage for all of them. */
static struct change other_arrivals(const struct pipeline *p, const struct uses *uses, const struct use *than)
{
	struct change change = {.kind = CHANGE_NONE};

	for (uint32_t k = 0; k < uses->count; k++) {
		const struct use *use = &uses->at[k];

		if (use != than && use->what == MAPPED_ARRIVALS && use->warps == than->warps &&
			is_same_ring(&use->ring, &than->ring))
			change = rule_at_line(p->c, use->pc, change);
	}
	return change;
}

/* The case's mbarrier lacks arrivals, and the first ones of a line have gone to a later stage. */
void rule_arrives_ahead(const struct rule_case *c)
{
	struct pipeline p;
	struct uses uses;

	if (!c->is_first || !c->wait->now.pending || mbarrier_wait_is_lapped(c->wait))
		return;
	p = pipeline_of(c);
	uses = uses_of(&p);
	for (uint32_t k = 0; k < uses.count; k++) {
		const struct use *use = &uses.at[k];
		int own = stage_place(&use->ring, c->object->offset), first = first_place(&p, use->first, use);
		uint32_t count = use->ring.count, shift = ((uint32_t)own + count - (uint32_t)first) % count;
		struct change others = other_arrivals(&p, &uses, use);

		if (use->what != MAPPED_ARRIVALS || own < 0 || first <= own)
			continue;
		add_map(&p, use->pc, use->what, &use->ring, &use->ring, shift);
		if (others.pc_count)
			add_map_with(&p, &others, use->pc, use->what, &use->ring, &use->ring, shift);
	}
}

/* The copy of a record tells another mbarrier than the one at which its warp expected bytes last: where that was. */
static const struct mbarrier_event *expected_before(
	const struct pipeline *p, const struct mbarrier_record *copy, uint64_t object)
{
	uint32_t lanes = p->c->t->r->warp.lanes;

	for (uint32_t k = 0; k < p->actor_count; k++) {
		const struct actor *a = &p->actors[k];
		const struct mbarrier_event *expects = NULL;

		for (uint32_t j = 0;
			a->rank == p->rank && a->warp == copy->thread / lanes && j < mbarrier_events(a->trace); j++) {
			const struct mbarrier_event *e = mbarrier_event(a->trace, j);
			enum op op = (enum op)p->c->e->kernel->code[e->pc].op;

			if (e->step == STEP_ARRIVED &&
				(op == OP_mbarrier_expect_tx || op == OP_mbarrier_arrive_expect_tx))
				expects = e;
			if (e->step == STEP_COPIED && e->pc == copy->pc && e->offset == object && expects &&
				expects->offset != object)
				return expects;
		}
	}
	return NULL;
}

/* Where a copy tells another mbarrier than the one at which its thread expects bytes, either may be the wrong one. */
void rule_expects_elsewhere(const struct rule_case *c)
{
	struct pipeline p = {.c = NULL};

	for (uint32_t k = 0; k < c->object_count && c->is_first && c->wait->now.transactions; k++)
		EACH_KNOWN_RECORD(r, c->objects[k]) {
			const struct mbarrier_event *e;
			struct stage_ring ring;
			int from, to;

			if (r->act != MBARRIER_COPIES || !r->is_elsewhere || r->is_remote)
				continue;
			if (!p.c)
				p = pipeline_of(c);
			e = expected_before(&p, r, c->objects[k]->offset);
			ring = stage_ring_of(c, c->objects[k]->offset);
			from = e ? stage_place(&ring, e->offset) : -1;
			to = stage_place(&ring, c->objects[k]->offset);
			if (from >= 0 && from != to)
				add_map(&p, e->pc, what_of(c, e), &ring, &ring,
					(uint32_t)(to - from + (int)ring.count) % ring.count);
		}
}

/* ---- Another array ---- */

/* Arrivals at another array, which may be meant for the case's. */
static void add_arrivals(const struct pipeline *p, const struct uses *uses, const struct stage_ring *own)
{
	for (uint32_t k = 0; k < uses->count && p->c->wait->now.pending; k++) {
		const struct use *use = &uses->at[k];

		if (use->what == MAPPED_ARRIVALS && !is_same_ring(&use->ring, own) && use->ring.count == own->count)
			add_map(p, use->pc, use->what, &use->ring, own, 0);
	}
}

/* Arrivals at the case's array, whose phases end too soon, which may be meant for another. */
static void add_surplus(const struct pipeline *p, const struct uses *uses, const struct stage_ring *own)
{
	const struct rule_case *c = p->c;

	for (uint32_t k = 0; k < c->object_count && mbarrier_wait_is_lapped(c->wait); k++) {
		struct stage_ring ring = stage_ring_of(c, c->objects[k]->offset);

		if (ring.at[0] != c->objects[k]->offset || ring.count != own->count || is_same_ring(&ring, own))
			continue;
		for (uint32_t j = 0; j < uses->count; j++)
			if (uses->at[j].what == MAPPED_ARRIVALS && is_same_ring(&uses->at[j].ring, own))
				add_map(p, uses->at[j].pc, MAPPED_ARRIVALS, own, &ring, 0);
	}
}

/* Threads of the warp wait or arrive at mbarriers of the ring. */
static bool uses_ring(const struct rule_case *c, const struct uses *uses, uint32_t warp, const struct stage_ring *ring)
{
	for (uint32_t k = 0; k < ring->count; k++)
		if (stage_object(c, ring->at[k])->looked >> warp & 1)
			return true;
	for (uint32_t k = 0; k < uses->count; k++)
		if (uses->at[k].warps >> warp & 1 && is_same_ring(&uses->at[k].ring, ring))
			return true;
	return false;
}

static bool is_waited_at(const struct rule_case *c, const struct stage_ring *ring)
{
	for (uint32_t k = 0; k < ring->count; k++)
		if (stage_object(c, ring->at[k])->looked)
			return true;
	return false;
}

/* Waits of a line at one array, which may be meant for another: of the case's thread for one that its warp does nothing
 * with; of others for one at which nobody waits. */
static void add_waits(const struct pipeline *p, const struct uses *uses, const struct stage_ring *own)
{
	const struct rule_case *c = p->c;

	for (uint32_t k = 0; k < c->object_count; k++) {
		struct stage_ring ring = stage_ring_of(c, c->objects[k]->offset);

		if (ring.at[0] != c->objects[k]->offset || ring.count != own->count)
			continue;
		if (!is_same_ring(&ring, own) &&
			!uses_ring(c, uses, c->t->r->warp.first_thread / c->t->r->warp.lanes, &ring))
			add_map(p, c->wait->pc, MAPPED_WAITS, own, &ring, 0);
		for (uint32_t j = 0; j < uses->count && !is_waited_at(c, &ring); j++)
			if (uses->at[j].what == MAPPED_WAITS && uses->at[j].ring.count == ring.count)
				add_map(p, uses->at[j].pc, MAPPED_WAITS, &uses->at[j].ring, &ring, 0);
	}
}

void rule_other_array(const struct rule_case *c)
{
	struct stage_ring own = stage_ring_of(c, c->object->offset);
	struct pipeline p;
	struct uses uses;

	if (!c->is_first || !c->wait->by_parity)
		return;
	p = pipeline_of(c);
	uses = uses_of(&p);
	add_waits(&p, &uses, &own);
	add_arrivals(&p, &uses, &own);
	add_surplus(&p, &uses, &own);
}
