/* The explanation of a hang whose root is a setmaxnreg.inc that waits for registers. */
#include "check/cause_parts.h"
#include "machine/core/registers.h"

/* Warps of a work-group, one after another, that have and want as many registers. */
struct holders {
	uint32_t first, last; /* ranks in the group */
	uint32_t has, wants;  /* of a thread; 0: they do not wait */
	bool ended;
};

static bool is_alike(const struct holders *a, const struct holders *b)
{
	return a->has == b->has && a->wants == b->wants && a->ended == b->ended;
}

/* The holders that begin at the slot *left begins with, which is taken out of it with all others of them. */
static struct holders next_holders(const struct thread *t, uint64_t *left)
{
	const struct register_pool *pool = t->r->group->pool;
	struct holders all = {0};

	for (bool is_first = true; *left; is_first = false, *left &= *left - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(*left);
		const struct warp_slot *r = &t->core->slots[slot];
		uint32_t rank = r->warp.first_thread / r->warp.lanes;
		struct holders own = {rank, rank, pool->has[slot], pool->wants[slot], r->finished};

		if (is_first)
			all = own;
		else if (!is_alike(&all, &own))
			break;
		all.last = rank;
	}
	return all;
}

/* "Warps 0 to 3 have 24 registers a thread; warps 4 to 7 have 128 and want 240". */
static void say_holders(struct explanation *e, const struct thread *t)
{
	struct text text = {.arena = e->arena};

	for (uint64_t left = t->r->group->slots; left;) {
		struct holders h = next_holders(t, &left);
		bool many = h.last > h.first, is_first = !text.length;

		text_print(&text, "%s%s %u", is_first ? "" : "; ", many ? "warps" : "warp", h.first);
		if (many)
			text_print(&text, h.last == h.first + 1 ? " and %u" : " to %u", h.last);
		text_print(&text, " %s %u%s", many ? "have" : "has", h.has, is_first ? " registers a thread" : "");
		if (h.wants)
			text_print(&text, " and %s %u", many ? "want" : "wants", h.wants);
		else if (h.ended)
			text_print(&text, " and %s ended", many ? "have" : "has");
	}
	hang_who(e, "%s", text.at);
}

/* What all warps would have if those that wait got what they want. */
static uint32_t wanted_in_all(const struct group *group)
{
	uint32_t sum = 0;

	for (uint64_t m = group->slots; m; m &= m - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(m);

		sum += group->pool->wants[slot] ? group->pool->wants[slot] : group->pool->has[slot];
	}
	return sum;
}

/* Why none gives back enough. */
static void say_givers(struct explanation *e, const struct link *link)
{
	const struct giver *giver = &link->giver;

	if (!giver->found) {
		hang_who(e, "no warp of the work-group can still reach a setmaxnreg.dec that gives registers back");
		return;
	}
	if (giver->can_come < giver->least) {
		hang_who(e,
			"what warps can still give back with setmaxnreg.dec is not enough for one that waits: with "
			"what is "
			"free %u registers, and it asks for %u more",
			(uint32_t)giver->can_come * link->at.r->warp.lanes, giver->least * link->at.r->warp.lanes);
		return;
	}
	hang_who(e, "%s would give registers back at %s, but %s", hang_thread_of(e, &giver->at),
		hang_place(e, giver->pc),
		thread_position(&giver->at).state == THREAD_RUNS
			? arena_printf(e->arena, "runs at %s", hang_place(e, thread_position(&giver->at).pc))
			: arena_printf(e->arena, "waits %s", hang_barrier(e, &giver->at)));
	hang_list_line(e, giver->pc, "registers would be given back here");
}

void cause_say_registers(struct explanation *e, const struct chain *chain)
{
	const struct link *last = chain_last(chain);
	const struct group *group = last->at.r->group;
	const struct register_pool *pool = group->pool;
	uint32_t slot = core_slot(last->at.core, last->at.r), lanes = last->at.r->warp.lanes;
	uint32_t others = (uint32_t)__builtin_popcountll(group->barriers[REGISTER_WAIT].waiting) - 1;

	hang_what(e, "%s waits in setmaxnreg.inc at %s: its warp has %u registers a thread and wants %u",
		hang_thread_of(e, &last->at), hang_place(e, last->position.pc), pool->has[slot], pool->wants[slot]);
	if (others)
		text_print(&e->what, "; %u other warp%s for registers, too", others, others == 1 ? " waits" : "s wait");
	hang_what(e,
		"the work-group has %u registers (%u warps of %u threads with %u each at the start), and %u of them "
		"are "
		"free; with all that is asked for, its warps would have %u",
		pool->size * lanes, group->warps, lanes, pool->size / group->warps, pool->free * lanes,
		wanted_in_all(group) * lanes);
	say_holders(e, &last->at);
	say_givers(e, last);
	EACH_WARP(e->launch, at)
		if (at.r->group == group)
			hang_list_holder(e, &at, "");
	cause_conclude(e, CAUSE_REGISTERS);
}
