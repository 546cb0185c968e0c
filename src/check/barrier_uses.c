/* What warps do at named barriers: see barrier_uses.h. */
#include "check/barrier_uses.h"

#include "check/mbarrier_rules.h"

#include <string.h>

/* ---- What each warp does ---- */

static bool is_same(const struct barrier_does *a, const struct barrier_does *b)
{
	return a->pc == b->pc && a->number == b->number && a->count == b->count;
}

static void add(struct barrier_user *u, struct barrier_does what)
{
	for (uint32_t k = 0; k < u->count; k++)
		if (is_same(&u->does[k], &what)) {
			u->does[k].is_first &= what.is_first;
			return;
		}
	if (u->count < BARRIER_DOES)
		u->does[u->count++] = what;
}

static bool ever_waits(const struct barrier_user *u)
{
	for (uint32_t k = 0; u->trace && k < barrier_events(u->trace); k++)
		if (barrier_event(u->trace, k)->waits)
			return true;
	return false;
}

static void add_done(struct barrier_user *u)
{
	bool is_first = u->trace && u->trace->count <= BARRIER_EVENTS && ever_waits(u);

	for (uint32_t k = 0; u->trace && k < barrier_events(u->trace); k++) {
		const struct barrier_event *e = barrier_event(u->trace, k);

		is_first &= !e->waits;
		add(u, (struct barrier_does){e->pc, e->number, e->count, e->waits, is_first, false, false});
	}
}

/* A use that is known already by another number or thread count of its own says nothing where it is not known. */
static bool is_vague(const struct barrier_user *u, const struct barrier_ahead *a)
{
	for (uint32_t k = 0; k < u->count && a->number == NAMED_BARRIERS; k++)
		if (u->does[k].pc == a->pc && !u->does[k].is_first && !u->does[k].is_ahead)
			return true;
	return false;
}

static void add_ahead(struct barrier_user *u)
{
	struct barrier_ahead list[BARRIER_DOES];
	uint32_t count = ahead_barriers(&u->at, thread_position(&u->at).next_pc, list, BARRIER_DOES);

	for (uint32_t k = 0; k < count; k++)
		if (!is_vague(u, &list[k]))
			add(u, (struct barrier_does){
				       list[k].pc, list[k].number, list[k].count, list[k].waits, false, true, true});
	for (uint32_t k = 0; k < u->count; k++)
		for (uint32_t j = 0; j < count; j++)
			u->does[k].comes_again |= list[j].pc == u->does[k].pc;
}

static void note_where(struct barrier_user *u, const struct group *group)
{
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		if (u->trace && u->at.r->waiting_lanes[k] && group->barriers[k].expected) {
			u->is_stuck = true;
			u->stuck_at = k;
			u->stuck_pc = thread_position(&u->at).pc;
		}
}

static void add_user(struct barrier_case *c, struct warp_slot *r)
{
	struct barrier_user *u = &c->users[c->count++];

	u->warp = r->warp.first_thread / r->warp.lanes;
	u->slot = core_slot(c->core, r);
	u->trace = barrier_trace_of(c->group, u->warp);
	u->has_ended = r->finished || !r->warp.live;
	add_done(u);
	if (u->has_ended)
		return;
	u->at = thread_at(
		c->core, r, (uint32_t)__builtin_ctzll(r->warp.path->active ? r->warp.path->active : r->warp.live));
	note_where(u, c->group);
	add_ahead(u);
}

/* In the order of the warps' numbers. */
static void sort_users(struct barrier_case *c)
{
	for (uint32_t k = 1; k < c->count; k++)
		for (uint32_t j = k; j > 0 && c->users[j - 1].warp > c->users[j].warp; j--) {
			struct barrier_user u = c->users[j];

			c->users[j] = c->users[j - 1];
			c->users[j - 1] = u;
		}
}

struct barrier_case *barrier_case_of(struct explanation *e, const struct link *link)
{
	struct barrier_case *c = arena_new(e->arena, struct barrier_case);

	c->e = e;
	c->link = link;
	c->core = link->at.core;
	c->group = link->at.r->group;
	c->lanes = link->at.r->warp.lanes;
	for (uint64_t m = c->group->slots; m; m &= m - 1)
		add_user(c, &c->core->slots[__builtin_ctzll(m)]);
	sort_users(c);
	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count; j++) {
			const struct barrier_does *d = &c->users[k].does[j];

			if (d->number < NAMED_BARRIERS && !d->is_first)
				(d->waits ? c->waiters : c->arrivers)[d->number] |= 1ull << c->users[k].warp;
		}
	return c;
}

uint32_t barrier_thread_of(const struct barrier_case *c, uint32_t warp)
{
	return warp * c->lanes;
}

const char *barrier_warp_words(const struct barrier_case *c, uint32_t warp)
{
	return arena_printf(c->e->arena, "%s%s", hang_thread(c->e, c->link->at.group, barrier_thread_of(c, warp)),
		cause_role_of(&c->link->at, barrier_thread_of(c, warp)));
}

/* ---- Turns ---- */

static struct barrier_turn *turn_at(
	const struct barrier_case *c, struct barrier_turn *turns, uint32_t *count, uint32_t wait, uint32_t arrival)
{
	for (uint32_t k = 0; k < *count; k++)
		if (rule_same_line(c->e->kernel, turns[k].wait, wait) &&
			rule_same_line(c->e->kernel, turns[k].arrival, arrival))
			return &turns[k];
	if (*count == BARRIER_TURNS)
		return NULL;
	turns[*count] = (struct barrier_turn){.wait = wait, .arrival = arrival};
	memset(turns[*count].to, NAMED_BARRIERS, sizeof turns[*count].to);
	return &turns[(*count)++];
}

static void add_seen(
	const struct barrier_case *c, const struct barrier_user *u, struct barrier_turn *turns, uint32_t *count)
{
	const struct barrier_event *wait = NULL;

	for (uint32_t k = 0; u->trace && k < barrier_events(u->trace); k++) {
		const struct barrier_event *e = barrier_event(u->trace, k);
		struct barrier_turn *turn = wait && !e->waits ? turn_at(c, turns, count, wait->pc, e->pc) : NULL;

		if (turn)
			turn->to[wait->number] = e->number;
		wait = e->waits ? e : wait;
	}
}

static bool has_arrival(
	const struct barrier_case *c, const struct barrier_turn *turns, uint32_t count, const struct barrier_does *d)
{
	for (uint32_t k = 0; k < count; k++)
		if (!turns[k].is_ahead && rule_same_line(c->e->kernel, turns[k].arrival, d->pc))
			return true;
	return false;
}

/* What warps would do after the waits at which they have stopped, where none has done so. */
static void add_to_come(
	const struct barrier_case *c, const struct barrier_user *u, struct barrier_turn *turns, uint32_t *count)
{
	for (uint32_t k = 0; k < u->count && u->is_stuck; k++) {
		const struct barrier_does *d = &u->does[k];
		struct barrier_turn *turn;

		if (d->waits || d->number == NAMED_BARRIERS || !d->is_ahead || has_arrival(c, turns, *count, d))
			continue;
		turn = turn_at(c, turns, count, u->stuck_pc, d->pc);
		if (!turn)
			continue;
		turn->is_ahead = true;
		turn->to[u->stuck_at] = (uint8_t)d->number;
	}
}

/* The numbers at which warps wait by the turn's line, in order. */
static uint32_t numbers_of(const struct barrier_case *c, const struct barrier_turn *turn, uint32_t *numbers)
{
	uint32_t bits = 0, count = 0;

	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count; j++) {
			const struct barrier_does *d = &c->users[k].does[j];

			if (d->waits && d->number < NAMED_BARRIERS && rule_same_line(c->e->kernel, d->pc, turn->wait))
				bits |= 1u << d->number;
		}
	for (uint32_t m = bits; m; m &= m - 1)
		numbers[count++] = (uint32_t)__builtin_ctz(m);
	return count;
}

static uint32_t place_of(const uint32_t *numbers, uint32_t count, uint32_t number)
{
	uint32_t k = 0;

	while (k < count && numbers[k] != number)
		k++;
	return k;
}

/* All that is known goes to the number that is by the same distance higher or lower: this; else 0. */
static int offset_of(const uint8_t *to)
{
	int offset = 0;

	for (int k = 0; k < NAMED_BARRIERS; k++) {
		if (to[k] == NAMED_BARRIERS)
			continue;
		if (offset && to[k] - k != offset)
			return 0;
		offset = to[k] - k;
	}
	return offset;
}

/* Among these numbers all that is known goes on by the same distance: this; else 0. */
static uint32_t distance_of(const uint8_t *to, const uint32_t *numbers, uint32_t count)
{
	uint32_t distance = 0;

	for (uint32_t k = 0; k < count; k++) {
		uint32_t place = place_of(numbers, count, to[numbers[k]]);

		if (to[numbers[k]] == NAMED_BARRIERS)
			continue;
		if (place == count || (distance && (place + count - k) % count != distance))
			return 0;
		distance = (place + count - k) % count;
	}
	return distance;
}

/* So does the rest. */
static void infer(const struct barrier_case *c, struct barrier_turn *turn)
{
	uint32_t numbers[NAMED_BARRIERS], count = numbers_of(c, turn, numbers),
					  distance = distance_of(turn->to, numbers, count);

	int offset = offset_of(turn->to);

	for (uint32_t k = 0; k < count; k++) {
		int other = (int)numbers[k] + offset;

		if (turn->to[numbers[k]] < NAMED_BARRIERS)
			continue;
		if (distance)
			turn->to[numbers[k]] = (uint8_t)numbers[(k + distance) % count];
		else if (offset && other >= 0 && other < NAMED_BARRIERS)
			turn->to[numbers[k]] = (uint8_t)other;
	}
}

/* Numbers at which fewer threads wait than are counted, in order: the rest is to arrive. */
static uint32_t turn_numbers(const struct barrier_case *c, uint32_t *numbers, uint32_t *waits)
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < NAMED_BARRIERS; n++) {
		uint32_t expected = 0;

		for (uint32_t k = 0; k < c->count; k++)
			for (uint32_t j = 0; j < c->users[k].count; j++)
				if (c->users[k].does[j].waits && c->users[k].does[j].number == n) {
					expected = c->users[k].does[j].count;
					waits[n] = c->users[k].does[j].pc;
				}
		if (barrier_threads(c, c->waiters[n]) < expected)
			numbers[count++] = n;
	}
	return count;
}

/* Where a warp arrives after a wait at one of the numbers, whatever it waits for in between; or would arrive, if it is
 * there. */
static void note_turns(
	const struct barrier_user *u, const uint32_t *numbers, uint32_t count, uint8_t to[NAMED_BARRIERS])
{
	uint32_t last = u->is_stuck ? u->stuck_at : NAMED_BARRIERS;

	for (uint32_t k = 0; k < u->count && place_of(numbers, count, last) < count; k++)
		if (!u->does[k].waits && u->does[k].is_ahead && u->does[k].number < NAMED_BARRIERS)
			to[last] = (uint8_t)u->does[k].number;
	last = NAMED_BARRIERS;
	for (uint32_t k = 0; u->trace && k < barrier_events(u->trace); k++) {
		const struct barrier_event *e = barrier_event(u->trace, k);

		if (!e->waits && last < NAMED_BARRIERS)
			to[last] = e->number;
		else if (e->waits && place_of(numbers, count, e->number) < count)
			last = e->number;
	}
}

/* Each warp gives the turn on by the same distance, but one whose code has no such arrival. */
static void infer_others(const struct barrier_case *c, struct barrier_turn *turns, uint32_t *count)
{
	uint32_t numbers[NAMED_BARRIERS], waits[NAMED_BARRIERS], n = turn_numbers(c, numbers, waits), distance;
	uint8_t to[NAMED_BARRIERS];

	memset(to, NAMED_BARRIERS, sizeof to);
	for (uint32_t k = 0; k < c->count; k++)
		note_turns(&c->users[k], numbers, n, to);
	distance = distance_of(to, numbers, n);
	for (uint32_t k = 0; k < n && distance && *count < BARRIER_TURNS; k++) {
		struct barrier_turn *turn = &turns[*count];

		if (to[numbers[k]] < NAMED_BARRIERS)
			continue;
		*turn = (struct barrier_turn){
			.wait = waits[numbers[k]], .arrival = waits[numbers[k]], .is_inferred = true};
		memset(turn->to, NAMED_BARRIERS, sizeof turn->to);
		turn->to[numbers[k]] = (uint8_t)numbers[(k + distance) % n];
		++*count;
	}
}

uint32_t barrier_turns_of(const struct barrier_case *c, struct barrier_turn turns[BARRIER_TURNS])
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < c->count; k++)
		add_seen(c, &c->users[k], turns, &count);
	for (uint32_t k = 0; k < c->count; k++)
		add_to_come(c, &c->users[k], turns, &count);
	for (uint32_t k = 0; k < count; k++)
		infer(c, &turns[k]);
	infer_others(c, turns, &count);
	return count;
}
