/* Rules of mbarrier_rules.h: copies that a warp leaves out, or that leave out a rank of the cluster. */
#include "check/mbarrier_habits.h"

#include "machine/core/cluster.h"
#include "machine/state/launch_state.h"

#include <string.h>

/* What an actor has done by a habit of copying. */
struct copied {
	bool to_rank;    /* it has told mbarriers of the case's rank, ever */
	bool is_over;    /* the last visit whose copy would tell the case's mbarrier ... */
	uint32_t others; /* ... told these ranks ... */
	uint64_t bytes;  /* ... and the case's mbarrier of so many bytes, by copies as large as at other times */
};

/* Bytes of the visit's copies to the case's rank; there may be fewer of them than usual, but no smaller ones. */
static uint64_t bytes_to_rank(const struct pipeline *p, const struct habit *h, const struct visit *v)
{
	uint64_t bytes = 0;

	for (uint32_t k = 0; k < v->count; k++) {
		const struct mbarrier_event *e = v->arrivals[k];

		if (e->step != STEP_COPIED || !(e->ranks >> p->rank & 1) ||
			!rule_same_line(p->c->e->kernel, h->pc, e->pc))
			continue;
		bytes += e->count / (uint32_t)__builtin_popcountll(e->lanes) == h->each ? e->count : h->arrivals;
	}
	return bytes;
}

static struct copied copied_by(const struct pipeline *p, const struct habit *h, const struct actor *a)
{
	struct copied copied = {0};

	EACH_VISIT(v, a) {
		uint32_t ranks = habit_ranks(p, h, &v);

		if (!rule_same_line(p->c->e->kernel, h->pass_pc, v.pass->pc))
			continue;
		copied.to_rank |= ranks >> p->rank & 1;
		if (habit_usual_target(h, &v) != (int64_t)p->c->object->offset)
			continue;
		copied.is_over = v.is_over;
		copied.others = ranks;
		copied.bytes = bytes_to_rank(p, h, &v);
	}
	return copied;
}

/* The warps that have left out bytes of the habit at the case's mbarrier. */
struct left_out {
	const struct actor *first;
	uint32_t warps;
	uint64_t bytes;
};

/* The ranks whose mbarriers at the case's offset lack bytes. */
static uint32_t ranks_that_lack(const struct pipeline *p)
{
	const struct rule_case *c = p->c;
	uint32_t size = launch_cluster_size(&c->e->launch->values), ranks = 0;

	for (uint32_t rank = 0; rank < size && size > 1; rank++) {
		struct core *core;
		const struct group *group = cluster_group(c->e->machine, c->t->r->group, rank, &core);
		uint64_t bits;

		if (!group || !mbarrier_object_of(core, group, c->object->offset))
			continue;
		memcpy(&bits, group->shared + c->object->offset, sizeof bits);
		ranks |= (uint32_t)(mbarrier_unpack(bits).transactions > 0) << rank;
	}
	return ranks;
}

/* Warps of the case's rank tell the actor's rank by the habit's line. */
static bool is_mutual(const struct pipeline *p, const struct habit *h, const struct actor *a)
{
	for (uint32_t k = 0; k < p->actor_count; k++)
		for (uint32_t j = 0; p->actors[k].rank == p->rank && j < mbarrier_events(p->actors[k].trace); j++) {
			const struct mbarrier_event *e = mbarrier_event(p->actors[k].trace, j);

			if (e->step == STEP_COPIED && e->ranks >> a->rank & 1 &&
				rule_same_line(p->c->e->kernel, h->pc, e->pc))
				return true;
		}
	return false;
}

/* The actor's copies are meant for the case's rank, too, which they have never told: they are for all ranks, as far as
 * these do not lack bytes, or for those that tell the actor's rank. */
static bool should_tell(const struct pipeline *p, const struct habit *h, const struct actor *a, uint32_t others)
{
	uint32_t all = (1u << launch_cluster_size(&p->c->e->launch->values)) - 1;

	return h->is_for_more && others && ((others | ranks_that_lack(p)) == all || is_mutual(p, h, a));
}

/* `is_sure`: those that have told the case's rank at other times; else those that never do, and have told other ranks
 * in its place. */
static struct left_out left_out_of(const struct pipeline *p, const struct habit *h, bool is_sure)
{
	struct left_out left = {0};

	for (uint32_t k = 0; k < p->actor_count; k++) {
		struct copied copied = copied_by(p, h, &p->actors[k]);

		if (!copied.is_over || copied.bytes >= h->arrivals || copied.to_rank != is_sure ||
			(!is_sure && !should_tell(p, h, &p->actors[k], copied.others)))
			continue;
		left.first = left.warps++ ? left.first : &p->actors[k];
		left.bytes += h->arrivals - copied.bytes;
	}
	return left;
}

static void add_left_out(const struct pipeline *p, const struct habit *h, const struct left_out *left, bool is_sure)
{
	struct change change = {.kind = CHANGE_MBARRIER,
		.mend = MEND_DUE,
		.of_copies = true,
		.group = left->first->group->number,
		.thread = left->first->warp * p->c->t->r->warp.lanes + left->first->lane,
		.address = p->c->wait->offset,
		.stages = stages_of_habit(p, h, &h->to, (uint32_t)habit_usual_shift(h)),
		.values = {h->arrivals, is_sure ? 0 : MEND_AS_OTHER_RANKS, left->warps - 1},
		.value_count = 1};

	rule_add_due(p, CAUSE_MISSING_BYTES, rule_at_line(p->c, h->pc, change));
}

static bool add_habits(const struct pipeline *p, bool is_sure)
{
	bool any = false;

	for (uint32_t k = 0; k < p->habit_count; k++) {
		const struct habit *h = &p->habits[k];
		struct left_out left = h->is_copy ? left_out_of(p, h, is_sure) : (struct left_out){0};

		if (!left.warps || (int64_t)left.bytes != p->c->wait->now.transactions)
			continue;
		add_left_out(p, h, &left, is_sure);
		any = true;
	}
	return any;
}

/* The phase lacks just the bytes of copies that warps have gone on without. */
void rule_copy_left_out(const struct rule_case *c)
{
	struct pipeline p;

	if (!c->is_first || c->wait->now.transactions <= 0 || c->object->copying || mbarrier_wait_is_lapped(c->wait))
		return;
	p = pipeline_of(c);
	*c->bytes_were_right |= add_habits(&p, true);
	*c->bytes_are_right |= !*c->bytes_were_right && !rule_is_complete_without(c) && add_habits(&p, false);
}
