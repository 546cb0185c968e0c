/* How threads wait at mbarriers: events of cores. */
#include "machine/observe/mbarriers.h"

#include "machine/core/observer.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/observe/mbarrier_phases.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"
#include "warp/mbarrier.h"

#include <assert.h>
#include <stdlib.h>

/* What a core has of a launch. */
struct part {
	uint64_t launch;
	struct mbarriers sites;
};

/* A warp has found a phase open, and looks at it by one instruction. */
struct looking {
	uint64_t launch, object;
	uint64_t since, last; /* its first look in vain; the last one's answer */
	uint32_t group, thread, pc;
	uint32_t begun; /* pc of the object's initialisation */
	bool is_open;
};

struct watched {
	struct arena *arena; /* the core's: observer.has_arena */
	VECTOR(struct part) parts;
	struct mbarrier_phases phases;
	struct looking looking[CORE_WARPS]; /* by slot */
};

/* ---- Sites ---- */

static struct mbarrier_site *site_in(struct arena *arena, struct mbarriers *sites, uint32_t pc)
{
	struct mbarrier_site *site;

	for (uint32_t k = 0; k < sites->sites.count; k++)
		if (sites->sites.at[k].pc == pc)
			return &sites->sites.at[k];
	site = vector_push(arena, &sites->sites);
	*site = (struct mbarrier_site){.pc = pc, .lowest = UINT64_MAX};
	assert(!site->waits.count);
	return site;
}

static struct mbarrier_site *site_of(struct watched *s, uint64_t launch, uint32_t pc)
{
	struct part *part = NULL;

	for (uint32_t k = 0; k < s->parts.count && !part; k++)
		part = s->parts.at[k].launch == launch ? &s->parts.at[k] : NULL;
	if (!part) {
		part = vector_push(s->arena, &s->parts);
		part->launch = launch;
	}
	assert(part->launch == launch);
	return site_in(s->arena, &part->sites, pc);
}

static struct mbarrier_wait *wait_in(struct arena *arena, struct mbarrier_site *site, uint32_t pc)
{
	struct mbarrier_wait *wait;

	assert(pc != site->pc);
	for (uint32_t k = 0; k < site->waits.count; k++)
		if (site->waits.at[k].pc == pc)
			return &site->waits.at[k];
	wait = vector_push(arena, &site->waits);
	wait->pc = pc;
	return wait;
}

/* Of those that waited as long the one of the first group and thread counts. */
static void take_worst(struct mbarrier_wait *wait, uint64_t cycles, uint32_t group, uint32_t thread)
{
	bool is_worse = cycles > wait->worst || (cycles == wait->worst && group < wait->worst_group) ||
			(cycles == wait->worst && group == wait->worst_group && thread < wait->worst_thread);

	if (!cycles || !is_worse)
		return;
	wait->worst = cycles;
	wait->worst_group = group;
	wait->worst_thread = thread;
	assert(wait->worst <= wait->waited);
}

/* ---- Phases ---- */

static void mbarrier(struct core *core, void *state, const struct operation *op, uint32_t lane, uint64_t object,
	const struct mbarrier_record *what, const struct mbarrier *now)
{
	struct watched *s = state;
	struct mbarrier_site *site;

	assert(op->lanes >> lane & 1);
	assert(what->act == MBARRIER_INVALIDATED || now->pending <= MBARRIER_COUNT_MAX);
	(void)lane;
	(void)now;
	mbarrier_phases_note(core, s->arena, &s->phases, op, object, what);
	if (what->act != MBARRIER_INITIALISED)
		return;
	site = site_of(s, op->group->launch, launch_pc(op->group->core_launch->launch, op->insn));
	site->objects++;
	site->lowest = object < site->lowest ? object : site->lowest;
	site->highest = object > site->highest ? object : site->highest;
}

static void phase_ends(struct core *core, void *state, const struct operation *op, uint64_t object)
{
	struct watched *s = state;
	struct mbarrier_phase *phase = mbarrier_phases_at(&s->phases, op->group, object);
	struct mbarrier_site *site;

	if (!phase)
		return;
	assert(phase->open.is_begun && phase->open.first <= core->now);
	site = site_of(s, phase->open.launch, phase->begun);
	site->phases++;
	site->arrivals += phase->open.arrivals;
	site->bytes += phase->bytes;
	site->idle += phase->open.first - phase->open.start;
	site->filling += core->now - phase->open.first;
	site->unseen += phase->open.number && !phase->was_seen;
	mbarrier_phases_next(core, phase);
	assert(site->seen + site->unseen <= site->phases);
}

static void group_ends(struct core *core, void *state, struct group *group)
{
	struct mbarrier_phases *phases = &((struct watched *)state)->phases;

	assert(group->used);
	(void)core;
	for (uint32_t k = phases->open.count; k--;)
		if (phases->open.at[k].open.group == group->number && phases->open.at[k].open.launch == group->launch)
			mbarrier_phases_forget(phases, &phases->open.at[k]);
}

/* ---- Waits ---- */

/* The warp looks at something else now, or has found what it waited for: what it waited until the last answer counts.
 */
static uint64_t stop_looking(struct watched *s, struct looking *l)
{
	struct mbarrier_wait *wait;

	assert(l->is_open);
	assert(l->since <= l->last);
	wait = wait_in(s->arena, site_of(s, l->launch, l->begun), l->pc);
	wait->waited += l->last - l->since;
	l->is_open = false;
	return l->last - l->since;
}

/* The lane's look has an answer, for which its warp has waited since a cycle. */
static void answer(struct core *core, struct watched *s, const struct operation *op, const struct mbarrier_phase *phase,
	bool complete, uint64_t since)
{
	struct looking *l = &s->looking[core_slot(core, op->slot)];
	uint32_t pc = launch_pc(op->group->core_launch->launch, op->insn), thread = op->slot->warp.first_thread;
	bool is_same = l->is_open && l->launch == phase->open.launch && l->group == phase->open.group &&
		       l->thread == thread && l->object == phase->object && l->pc == pc;
	bool waited = is_same || since < core->now || !complete;
	struct mbarrier_wait *wait;
	uint64_t cycles;

	if (l->is_open && !is_same)
		stop_looking(s, l);
	if (waited && !is_same)
		*l = (struct looking){.launch = phase->open.launch,
			.object = phase->object,
			.since = since,
			.group = phase->open.group,
			.thread = thread,
			.pc = pc,
			.begun = phase->begun,
			.is_open = true};
	l->last = core->now;
	cycles = waited && complete ? stop_looking(s, l) : 0;
	wait = wait_in(s->arena, site_of(s, phase->open.launch, phase->begun), pc);
	wait->passed += complete;
	wait->waits += complete && waited;
	wait->failed += !complete;
	wait->suspended += core->now - since;
	take_worst(wait, cycles, phase->open.group, thread);
	assert(wait->waits <= wait->passed);
	assert(!l->is_open || l->since <= l->last);
}

/* A wait has found the last phase of the object complete. */
static void note_seen(struct core *core, struct watched *s, const struct group *group, uint64_t object)
{
	struct mbarrier_phase *phase = mbarrier_phases_at(&s->phases, group, object);
	struct mbarrier_site *site;

	if (!phase || phase->was_seen || !phase->open.number)
		return;
	assert(phase->open.start <= core->now);
	site = site_of(s, phase->open.launch, phase->begun);
	site->ready += core->now - phase->open.start;
	site->seen++;
	phase->was_seen = true;
}

/* Of lanes that look at several objects: the first that is open counts, else that of the first lane. */
static void answers(struct core *core, void *state, const struct operation *op, lane_mask complete, uint64_t since)
{
	struct watched *s = state;
	lane_mask open = op->lanes & ~complete;
	uint64_t last = UINT64_MAX;
	struct mbarrier_phase *phase;

	assert(since <= core->now);
	EACH_LANE(l, complete) {
		if (op->address[l] != last)
			note_seen(core, s, op->group, op->address[l]);
		last = op->address[l];
	}
	phase = mbarrier_phases_at(&s->phases, op->group, op->address[__builtin_ctzll(open ? open : op->lanes)]);
	if (phase)
		answer(core, s, op, phase, !open, since);
}

/* ---- The end ---- */

static void add_wait(struct mbarrier_wait *to, const struct mbarrier_wait *from)
{
	assert(to->pc == from->pc);
	to->passed += from->passed;
	to->waits += from->waits;
	to->failed += from->failed;
	to->waited += from->waited;
	to->suspended += from->suspended;
	take_worst(to, from->worst, from->worst_group, from->worst_thread);
	assert(to->worst >= from->worst);
}

static void add_site(struct arena *arena, struct mbarrier_site *to, const struct mbarrier_site *from)
{
	assert(to->pc == from->pc);
	to->objects += from->objects;
	to->lowest = from->lowest < to->lowest ? from->lowest : to->lowest;
	to->highest = from->highest > to->highest ? from->highest : to->highest;
	to->phases += from->phases;
	to->arrivals += from->arrivals;
	to->bytes += from->bytes;
	to->idle += from->idle;
	to->filling += from->filling;
	to->ready += from->ready;
	to->seen += from->seen;
	to->unseen += from->unseen;
	for (uint32_t k = 0; k < from->waits.count; k++)
		add_wait(wait_in(arena, to, from->waits.at[k].pc), &from->waits.at[k]);
}

/* A core's part goes to the launch's profile. */
static void take_part(struct watched *s, struct launch_profile *p)
{
	struct mbarriers *all = profile_mbarriers(p);

	for (uint32_t k = 0; k < CORE_WARPS; k++)
		if (s->looking[k].is_open && s->looking[k].launch == p->ordinal)
			stop_looking(s, &s->looking[k]);
	for (uint32_t k = s->phases.open.count; k--;)
		if (s->phases.open.at[k].open.launch == p->ordinal)
			mbarrier_phases_forget(&s->phases, &s->phases.open.at[k]);
	for (uint32_t k = s->parts.count; k--;) {
		const struct mbarriers *part = &s->parts.at[k].sites;

		if (s->parts.at[k].launch != p->ordinal)
			continue;
		for (uint32_t j = 0; j < part->sites.count; j++)
			add_site(&p->arena, site_in(&p->arena, all, part->sites.at[j].pc), &part->sites.at[j]);
		s->parts.at[k] = s->parts.at[--s->parts.count];
	}
	assert(all);
}

static void launch_ends(struct launch *launch)
{
	const struct machine *machine = launch->machine;
	const struct profiles *profiles = machine->gpu->observe[OBSERVER_profile];
	struct launch_profile *p = profiles->launches;

	assert(profiles);
	while (p && p->ordinal != launch->ordinal)
		p = p->next;
	for (uint32_t c = 0; p && c < machine->cores.count; c++) {
		struct watched *s = observer_state(&machine->cores.at[c], OBSERVER_mbarriers);

		if (s)
			take_part(s, p);
	}
}

static int by_pc(const void *left, const void *right)
{
	assert(left != right);
	const uint32_t *a = left, *b = right; /* the first member of a site and of a wait */

	return *a < *b ? -1 : *a > *b;
}

static void sum_up(struct launch_profile *profile, void *part)
{
	struct mbarriers *all = part;

	assert(profile->rows);
	(void)profile;
	if (all->sites.count)
		qsort(all->sites.at, all->sites.count, sizeof *all->sites.at, by_pc);
	for (uint32_t k = 0; k < all->sites.count; k++)
		if (all->sites.at[k].waits.count)
			qsort(all->sites.at[k].waits.at, all->sites.at[k].waits.count,
				sizeof *all->sites.at[k].waits.at, by_pc);
}

const struct profile_part profile_part_mbarriers = {.size = sizeof(struct mbarriers), .sum_up = sum_up};

const struct observer observer_mbarriers = {
	.state_size = sizeof(struct watched),
	.has_arena = true,
	.profiles = true,
	.on = {.mbarrier = mbarrier, .phase_ends = phase_ends, .group_ends = group_ends, .mbarrier_answers = answers},
	.launch_ends = launch_ends,
};
