/* Arrivals at named barriers that warps leave out, or make twice (barrier_rules.h). */
#include "check/barrier_rules.h"
#include "check/mbarrier_rules.h"

#include "machine/core/barrier_mend.h"

/* The first of the slots' warps in the order of their threads. */
static uint32_t first_warp(const struct barrier_case *c, uint64_t slots)
{
	for (uint32_t k = 0; k < c->count; k++)
		if (slots & c->core->slots[c->users[k].slot].bit)
			return c->users[k].warp;
	return 0;
}

static const struct barrier_user *user_of(const struct barrier_case *c, uint32_t warp)
{
	for (uint32_t k = 0; k < c->count; k++)
		if (c->users[k].warp == warp)
			return &c->users[k];
	return NULL;
}

/* The first of those that wait there. */
static const struct barrier_user *waiter_at(const struct barrier_case *c, uint32_t number)
{
	for (uint32_t k = 0; k < c->count; k++)
		if (c->users[k].is_stuck && c->users[k].stuck_at == number)
			return &c->users[k];
	return NULL;
}

/* The waiting warp waits at the number by the line at which it is stopped. */
static bool waits_for(const struct barrier_case *c, const struct barrier_user *waiter, uint32_t number)
{
	for (uint32_t k = 0; k < waiter->count; k++) {
		const struct barrier_does *d = &waiter->does[k];

		if (d->waits && !d->is_ahead && d->number == number &&
			rule_same_line(c->e->kernel, d->pc, waiter->stuck_pc))
			return true;
	}
	return false;
}

/* The place among the warp's events of its wait in a phase of a barrier; -1: it is not known. */
static int64_t wait_in(const struct barrier_trace *trace, uint32_t number, uint32_t phase)
{
	for (uint32_t k = 0; k < barrier_events(trace); k++) {
		const struct barrier_event *e = barrier_event(trace, k);

		if (e->waits && e->number == number && e->phase == phase)
			return k;
	}
	return -1;
}

/* The warp's arrivals come in the order in which the waiting one waits for them, one for each wait. */
static bool is_in_order(const struct barrier_case *c, const struct barrier_user *u, const struct barrier_user *waiter)
{
	int64_t last = -1;

	for (uint32_t k = 0; u->trace && k < barrier_events(u->trace); k++) {
		const struct barrier_event *e = barrier_event(u->trace, k);
		int64_t place =
			e->waits || !waits_for(c, waiter, e->number) ? -1 : wait_in(waiter->trace, e->number, e->phase);

		if (place >= 0 && place <= last)
			return false;
		last = place >= 0 ? place : last;
	}
	return true;
}

/* The warp has arrived as often as the waiting one has come there: it has left nothing out.  `all`: counting also
 * arrivals for which that has yet to wait. */
static bool has_lost(
	const struct barrier_case *c, const struct barrier_user *u, const struct barrier_user *waiter, bool all)
{
	uint64_t arrivals = 0, waits = 0;

	for (uint32_t k = 0; k < NAMED_BARRIERS; k++) {
		if (!waits_for(c, waiter, k))
			continue;
		waits += waiter->trace->waits[k];
		arrivals += u->trace ? u->trace->arrivals[k] : 0;
		arrivals -= !all && c->group->barrier_notes[k].came >> u->slot & 1;
	}
	return arrivals >= waits;
}

/* Each of the warps has arrived in order, and not as often as it should. */
static bool are_in_order(const struct barrier_case *c, uint32_t number, uint64_t slots, bool all)
{
	const struct barrier_user *waiter = waiter_at(c, number);

	for (uint32_t k = 0; k < c->count && waiter; k++)
		if (slots >> c->users[k].slot & 1 &&
			(!is_in_order(c, &c->users[k], waiter) || has_lost(c, &c->users[k], waiter, all)))
			return false;
	return true;
}

/* How many arrivals at the barrier the warp has left out, of those that follow its waits. */
static int64_t left_out_by(
	const struct barrier_case *c, const struct barrier_user *u, const struct barrier_turn *turn, uint32_t number)
{
	int64_t passes = 0;

	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		if (turn->to[k] == number)
			passes +=
				(int64_t)u->trace->waits[k] -
				(c->core->slots[u->slot].finished ? 0 : c->core->slots[u->slot].waiting_lanes[k] != 0);
	return passes - (int64_t)(u->trace->arrivals[number] - u->trace->first[number]);
}

/* The wait at which the warp is follows such an arrival at other times, or is the turn's own, in the next round. */
static bool is_usual_wait(const struct barrier_case *c, const struct barrier_turn *turn, uint32_t pc)
{
	if (rule_same_line(c->e->kernel, turn->wait, pc))
		return true;
	for (uint32_t k = 0; k < c->count; k++) {
		const struct barrier_trace *trace = c->users[k].trace;
		bool has_arrived = false;

		for (uint32_t j = 0; trace && j < barrier_events(trace); j++) {
			const struct barrier_event *e = barrier_event(trace, j);

			if (e->waits && has_arrived && rule_same_line(c->e->kernel, e->pc, pc))
				return true;
			has_arrived = !e->waits && (has_arrived || rule_same_line(c->e->kernel, e->pc, turn->arrival));
		}
	}
	return false;
}

/* Each of the warps has left out the last arrival alone. */
static bool is_last_alone(
	const struct barrier_case *c, const struct barrier_turn *turn, uint32_t number, uint64_t slots)
{
	for (uint32_t k = 0; k < c->count; k++) {
		const struct barrier_user *u = &c->users[k];

		if (!(slots >> u->slot & 1))
			continue;
		if (left_out_by(c, u, turn, number) != 1 || (u->is_stuck && !is_usual_wait(c, turn, u->stuck_pc)))
			return false;
	}
	return true;
}

enum fit {
	FITS_NOT,
	FITS_OTHERWISE, /* but the warps have arrived often enough, or in another order than is waited for them */
	FITS,
};

/* Whether the change makes just the arrivals that a barrier lacks, *number; *slots: of these warps. */
static enum fit fits(const struct barrier_case *c, const struct change *change, uint64_t *slots, uint32_t *number)
{
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++) {
		uint32_t lacks = barrier_lacks(c, k);

		*number = k;
		*slots = lacks ? barrier_mend_due(c->core, c->group, change, k) : 0;
		if (*slots && barrier_threads(c, *slots) == lacks)
			return are_in_order(c, k, *slots, change->mend == MEND_GONE) ? FITS : FITS_OTHERWISE;
	}
	return FITS_NOT;
}

/* ---- Left out ---- */

/* The waits of the turn's line. */
static void mean_waits(const struct barrier_case *c, const struct barrier_turn *turn, struct mend_turns *turns)
{
	struct change change = {0};

	barrier_mean_line(c, &change, turn->wait);
	for (uint32_t k = 0; k < change.pc_count; k++)
		turns->waits[turns->wait_count++] = change.pcs[k];
}

static void say_left_out(const struct barrier_case *c, const struct change *change)
{
	uint32_t warp = change->thread / c->lanes;

	hang_who(c->e, "%s has %s without %s%s", barrier_warp_words(c, warp),
		user_of(c, warp)->has_ended ? "ended" : "gone on",
		change->values[3] ? "an arrival after its wait at " : "its arrival at ", hang_place(c->e, change->pc));
	if (change->values[2])
		text_print(&c->e->who, ", and so %s", change->values[2] > 1 ? "have others" : "has another");
	hang_list_thread(c->e, c->link->at.group, change->thread, "has gone on without its arrival");
	hang_list_line(c->e, change->pc, "the missing arrival");
}

static struct change turn_change(const struct barrier_case *c, const struct barrier_turn *turn)
{
	struct mend_turns *turns = barrier_new_turns(c);

	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		turns->to[k] = turn->to[k];
	mean_waits(c, turn, turns);
	return (struct change){
		.mend = MEND_TURN, .pc = turn->arrival, .turns = turns, .values = {[3] = turn->is_inferred}};
}

static void add_turn(const struct barrier_case *c, const struct barrier_turn *turn, bool *is_said)
{
	struct change change = turn_change(c, turn);
	uint32_t number;
	uint64_t slots;

	if (fits(c, &change, &slots, &number) != FITS || !is_last_alone(c, turn, number, slots))
		return;
	barrier_mean_line(c, &change, turn->arrival);
	change.thread = barrier_thread_of(c, first_warp(c, slots));
	change.values[2] = (uint64_t)__builtin_popcountll(slots) - 1;
	barrier_add(c, CAUSE_MISSING_ARRIVAL, change);
	if (!*is_said)
		say_left_out(c, &change);
	*is_said = true;
}

bool barrier_rule_turn(const struct barrier_case *c)
{
	struct barrier_turn list[BARRIER_TURNS];
	uint32_t count = barrier_turns_of(c, list);
	bool is_said = false;

	for (uint32_t k = 0; k < count; k++)
		add_turn(c, &list[k], &is_said);
	return is_said;
}

/* ---- Gone ---- */

static void note_habits(const struct barrier_case *c, const struct barrier_user *u, struct mend_turns *turns,
	const struct barrier_turn *list, uint32_t count)
{
	uint32_t habits = 0;

	for (uint32_t k = 0; k < u->count; k++) {
		const struct barrier_does *d = &u->does[k];

		if (d->number == NAMED_BARRIERS || d->is_first || d->is_ahead ||
			(u->is_stuck && u->stuck_at == d->number && u->trace->waits[d->number] == 1))
			continue;
		habits |= 1u << d->number;
		for (uint32_t j = 0; j < count && d->waits; j++)
			if (list[j].to[d->number] < NAMED_BARRIERS && rule_same_line(c->e->kernel, list[j].wait, d->pc))
				habits |= 1u << list[j].to[d->number];
	}
	turns->habits[u->warp] = habits;
}

/* The last arrival of the warp, else its last wait; AHEAD_ALL: it has come to no barrier. */
static uint32_t last_of(const struct barrier_user *u)
{
	uint32_t pc = AHEAD_ALL;

	for (uint32_t k = u->trace ? barrier_events(u->trace) : 0; k > 0; k--) {
		const struct barrier_event *e = barrier_event(u->trace, k - 1);

		if (!e->waits)
			return e->pc;
		pc = pc == AHEAD_ALL ? e->pc : pc;
	}
	return pc;
}

/* The warp has not arrived since its last wait of the turn. */
static bool is_open(const struct barrier_user *u, const struct barrier_turn *turn, uint32_t number)
{
	for (uint32_t k = barrier_events(u->trace); k > 0; k--) {
		const struct barrier_event *e = barrier_event(u->trace, k - 1);

		if (e->waits ? turn->to[e->number] == number : e->number == number)
			return e->waits;
	}
	return false;
}

/* The warps have left out no arrival before their last wait, so that it is their end which makes one missing. */
static bool ends_as_usual(
	const struct barrier_case *c, const struct barrier_turn *turn, uint32_t number, uint64_t slots)
{
	for (uint32_t k = 0; k < c->count; k++) {
		const struct barrier_user *u = &c->users[k];

		if (slots >> u->slot & 1 && u->trace && left_out_by(c, u, turn, number) > is_open(u, turn, number))
			return false;
	}
	return true;
}

/* A warp that lives may come to the barriers again from where it is. */
static bool any_comes_again(const struct barrier_case *c, uint64_t slots)
{
	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count && slots >> c->users[k].slot & 1; j++)
			if (c->users[k].does[j].comes_again)
				return true;
	return false;
}

static enum fit fits_gone(const struct barrier_case *c, struct change *change, uint64_t *slots)
{
	struct barrier_turn list[BARRIER_TURNS];
	struct mend_turns *turns = barrier_new_turns(c);
	uint32_t count = barrier_turns_of(c, list);
	uint32_t number;
	enum fit fit;

	*change = (struct change){.mend = MEND_GONE, .turns = turns};
	for (uint32_t k = 0; k < c->count; k++)
		note_habits(c, &c->users[k], turns, list, count);
	fit = fits(c, change, slots, &number);
	for (uint32_t k = 0; k < count && fit == FITS; k++)
		if (!ends_as_usual(c, &list[k], number, *slots))
			return FITS_NOT;
	if (any_comes_again(c, *slots))
		return FITS_NOT;
	for (uint32_t k = 0; k < c->count; k++)
		turns->warps |= *slots >> c->users[k].slot & 1 ? 1ull << c->users[k].warp : 0;
	return fit;
}

bool barrier_out_of_order(const struct barrier_case *c)
{
	struct barrier_turn list[BARRIER_TURNS];
	struct change change;
	uint32_t count = barrier_turns_of(c, list), number;
	uint64_t slots;
	bool is_out = fits_gone(c, &change, &slots) == FITS_OTHERWISE;

	for (uint32_t k = 0; k < count; k++) {
		change = turn_change(c, &list[k]);
		is_out |= fits(c, &change, &slots, &number) == FITS_OTHERWISE;
	}
	return is_out;
}

void barrier_rule_gone(const struct barrier_case *c, bool is_said)
{
	struct change change;
	const struct barrier_user *u;
	uint64_t slots;

	if (fits_gone(c, &change, &slots) != FITS)
		return;
	u = user_of(c, first_warp(c, slots));
	change.pc = last_of(u);
	change.thread = barrier_thread_of(c, u->warp);
	change.values[2] = (uint64_t)__builtin_popcountll(slots) - 1;
	if (change.pc == AHEAD_ALL)
		return;
	if (!is_said)
		hang_who(c->e, "%s, which came to these barriers before, %s", barrier_warp_words(c, u->warp),
			u->has_ended ? "has ended" : "waits at a later one");
	hang_list_thread(
		c->e, c->link->at.group, change.thread, u->has_ended ? "has ended" : "waits at a later barrier");
	barrier_add(c, u->has_ended ? CAUSE_ENDED_EARLY : CAUSE_MISSING_ARRIVAL, change);
}

/* ---- The first turn ---- */

/* Threads wait there in its first phase, and nobody has arrived. */
static bool is_untouched(const struct barrier_case *c, uint32_t number)
{
	uint32_t waiting = 0;

	if (!barrier_lacks(c, number) || c->group->barrier_notes[number].phase)
		return false;
	for (uint64_t m = c->group->barriers[number].waiting; m; m &= m - 1)
		waiting += c->core->machine->independent
				   ? (uint32_t)__builtin_popcountll(
					     c->core->slots[__builtin_ctzll(m)].waiting_lanes[number])
				   : c->lanes;
	return c->group->barriers[number].arrived == waiting;
}

/* Warps stopped at a barrier would come to the other one, at which they have not arrived, behind that. */
static uint64_t would_come(const struct barrier_case *c, uint32_t to)
{
	uint64_t warps = 0;

	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count; j++) {
			const struct barrier_does *d = &c->users[k].does[j];

			if (c->users[k].is_stuck && c->users[k].stuck_at != to && !d->waits && d->is_ahead &&
				(d->number == to || d->number == NAMED_BARRIERS))
				warps |= 1ull << c->users[k].warp;
		}
	return warps;
}

/* The untouched barriers at which the threads wait for which `number` waits, and so on: bits. */
static uint32_t behind(const struct barrier_case *c, uint32_t number)
{
	uint32_t reached = 0, before;

	for (uint32_t todo = 1u << number; todo; todo = reached & ~before) {
		before = reached;
		for (uint32_t m = todo; m; m &= m - 1) {
			uint64_t warps = would_come(c, (uint32_t)__builtin_ctz(m));

			for (uint32_t k = 0; k < c->count; k++)
				if (warps >> c->users[k].warp & 1 && is_untouched(c, c->users[k].stuck_at))
					reached |= 1u << c->users[k].stuck_at;
		}
	}
	return reached;
}

/* Other barriers at which the warps wait and others arrive, none of which anybody has come to. */
static void add_further(const struct barrier_case *c, uint64_t warps, struct mend_turns *turns)
{
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		if (c->waiters[k] & warps && c->arrivers[k] & ~warps && !c->group->barrier_notes[k].phase &&
			!c->group->barriers[k].arrived)
			turns->numbers |= 1u << k;
}

/* The arrival of those that would come at the number. */
static uint32_t arrival_at(const struct barrier_case *c, uint32_t number)
{
	uint64_t warps = would_come(c, number);

	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count && warps >> c->users[k].warp & 1; j++) {
			const struct barrier_does *d = &c->users[k].does[j];

			if (!d->waits && d->is_ahead && (d->number == number || d->number == NAMED_BARRIERS))
				return d->pc;
		}
	return AHEAD_ALL;
}

static void say_first(const struct barrier_case *c, uint32_t number)
{
	uint64_t warps = would_come(c, number);
	const struct barrier_user *u = user_of(c, (uint32_t)__builtin_ctzll(warps));

	hang_who(c->e,
		"%s would arrive there at %s, but waits itself at %s, at barrier %u, for an arrival that would come "
		"later",
		barrier_warp_words(c, u->warp), hang_place(c->e, arrival_at(c, number)), hang_place(c->e, u->stuck_pc),
		u->stuck_at);
	hang_who(c->e, "nobody has had a first turn");
	hang_list_line(c->e, arrival_at(c, number), "an arrival would be here");
}

static void add_first(const struct barrier_case *c, uint32_t number)
{
	const struct barrier_user *u = waiter_at(c, number);
	struct mend_turns *turns = barrier_new_turns(c), *more;
	struct change change = {.mend = MEND_FIRST, .pc = u->stuck_pc, .turns = turns, .barrier = number};
	struct change line = {0};

	for (uint32_t k = 0; k < c->count; k++)
		turns->warps |= c->users[k].is_stuck && c->users[k].stuck_at == number ? 1ull << c->users[k].warp : 0;
	turns->numbers = 1u << number;
	change.thread = barrier_thread_of(c, u->warp);
	change.values[0] = barrier_lacks(c, number);
	barrier_add(c, CAUSE_MISSING_ARRIVAL, change);
	more = barrier_new_turns(c);
	*more = *turns;
	add_further(c, turns->warps, more);
	barrier_mean_line(c, &line, u->stuck_pc);
	for (uint32_t k = 0; k < line.pc_count; k++)
		more->waits[more->wait_count++] = line.pcs[k];
	change.turns = more;
	barrier_add(c, CAUSE_MISSING_ARRIVAL, change);
}

void barrier_rule_first(const struct barrier_case *c)
{
	bool is_said = false;

	for (uint32_t k = 0; k < NAMED_BARRIERS; k++) {
		if (!is_untouched(c, k) || !waiter_at(c, k) || !(behind(c, k) >> k & 1))
			continue;
		if (!is_said)
			say_first(c, k);
		is_said = true;
		add_first(c, k);
	}
}

/* ---- Twice ---- */

/* The warp has arrived twice at the barrier without a wait between. */
static bool arrives_twice(const struct barrier_case *c, uint32_t number)
{
	for (uint32_t w = 0; w < c->count; w++) {
		const struct barrier_trace *trace = c->users[w].trace;
		bool has_arrived = false;

		for (uint32_t k = 0; trace && k < barrier_events(trace); k++) {
			const struct barrier_event *e = barrier_event(trace, k);

			if (e->waits)
				has_arrived = false;
			else if (e->number == number && has_arrived)
				return true;
			else
				has_arrived |= e->number == number;
		}
	}
	return false;
}

void barrier_rule_twice(const struct barrier_case *c)
{
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++) {
		const struct barrier_note *n = &c->group->barrier_notes[k];

		if (!n->twice || !arrives_twice(c, k))
			continue;
		hang_who(c->e, "the warp of %s has come twice to barrier %u, at %s, before it opened",
			hang_thread(
				c->e, c->link->at.group, c->core->slots[__builtin_ctzll(n->twice)].warp.first_thread),
			k, hang_place(c->e, n->twice_pc));
		hang_list_line(c->e, n->twice_pc, "a warp came twice here");
		barrier_add(
			c, CAUSE_DOUBLE_ARRIVAL, (struct change){.mend = MEND_TWICE, .pc = n->twice_pc, .barrier = k});
		barrier_add(
			c, CAUSE_DOUBLE_ARRIVAL, (struct change){.mend = MEND_SINGLE, .pc = n->twice_pc, .barrier = k});
	}
}
