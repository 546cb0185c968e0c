/* Experiments with named barriers: see barrier_mend.h. */
#include "machine/core/barrier_mend.h"

#include "machine/core/barrier.h"
#include "machine/core/barrier_trace.h"
#include "machine/state/machine.h"

#include <assert.h>

_Static_assert(MEND_NUMBERS == NAMED_BARRIERS && MEND_WARPS == CORE_WARPS, "struct mend_turns has one entry for each");

const struct change *barrier_mend_of(const struct core *core, const struct group *group)
{
	const struct change *c = core->machine->gpu->experiment.mend;

	assert(group->used);
	return c && c->launch == group->launch ? c : NULL;
}

static uint32_t warp_of(const struct warp_slot *r)
{
	assert(r->warp.first_thread / r->warp.lanes < CORE_WARPS);
	return r->warp.first_thread / r->warp.lanes;
}

void barrier_mend_operands(const struct change *change, const struct warp_slot *r, uint32_t *number, uint32_t *expected)
{
	assert(*number < NAMED_BARRIERS);
	assert(change->mend != MEND_OTHER || change->turns);
	if (change->mend == MEND_OTHER && change->turns->warps >> warp_of(r) & 1 &&
		change->turns->to[*number] < NAMED_BARRIERS && change_means(change, r->warp.path->pc))
		*number = change->turns->to[*number];
	if (*expected != change->values[1] || !change_means(change, r->warp.path->pc))
		return;
	if (change->mend == MEND_THREADS)
		*expected = (uint32_t)change->values[0];
	if (change->mend == MEND_NUMBER && *number + change->values[0] < NAMED_BARRIERS)
		*number += (uint32_t)change->values[0];
}

bool barrier_mend_drops(const struct change *change, const struct warp_slot *r, uint32_t number)
{
	const struct barrier_trace *trace = barrier_trace_of(r->group, warp_of(r));

	assert(number < NAMED_BARRIERS);
	if (change->mend == MEND_OTHER)
		return change->turns->warps >> warp_of(r) & 1 && change->turns->to[number] == MEND_NONE &&
		       change_means(change, r->warp.path->pc);
	if (change->mend != MEND_SINGLE || change->barrier != number)
		return false;
	for (uint32_t k = trace ? barrier_events(trace) : 0; k > 0 && !barrier_event(trace, k - 1)->waits; k--)
		if (barrier_event(trace, k - 1)->number == number)
			return true;
	return false;
}

static bool waits_at(const struct mend_turns *turns, uint32_t pc)
{
	assert(turns->wait_count <= CHANGE_PCS);
	for (uint32_t k = 0; k < turns->wait_count; k++)
		if (turns->waits[k] == pc)
			return true;
	return false;
}

uint32_t barrier_mend_first(const struct change *change, const struct warp_slot *r, uint32_t number)
{
	struct group *group = r->group;
	struct barrier_note *n = &group->barrier_notes[number];

	assert(number < NAMED_BARRIERS);
	assert(change->mend != MEND_FIRST || (change->turns && change->values[0]));
	if (change->mend != MEND_FIRST || n->phase || n->was_given || !(change->turns->warps >> warp_of(r) & 1) ||
		!(change->turns->numbers >> number & 1 || waits_at(change->turns, r->warp.path->pc)) ||
		group->barriers[number].arrived)
		return 0;
	n->was_given = true;
	return (uint32_t)change->values[0];
}

/* ---- Arrivals that are due ---- */

static struct warp_slot *slot_of(struct core *core, const struct group *group, uint32_t warp)
{
	for (uint64_t m = group->slots; m; m &= m - 1)
		if (warp_of(&core->slots[__builtin_ctzll(m)]) == warp)
			return &core->slots[__builtin_ctzll(m)];
	assert(false); /* a warp keeps its slot as long as its group is there */
	return NULL;
}

/* It waits at a barrier. */
static bool waits(const struct warp_slot *r)
{
	assert(r->used);
	for (uint32_t k = 0; k < GROUP_BARRIERS; k++)
		if (r->waiting_lanes[k])
			return true;
	return false;
}

/* MEND_TURN: it has passed a wait after which it arrives at the barrier, and has stopped without. */
static bool left_out(const struct change *change, const struct group *group, const struct warp_slot *r, uint32_t number)
{
	const struct barrier_trace *trace = barrier_trace_of(group, warp_of(r));

	assert(change->turns);
	if (!trace || (!r->finished && !waits(r)))
		return false;
	for (uint32_t k = barrier_events(trace); k > 0; k--) {
		const struct barrier_event *e = barrier_event(trace, k - 1);

		if (!e->waits && e->number == number)
			return false;
		if (barrier_was_passed(group, e) && waits_at(change->turns, e->pc) &&
			change->turns->to[e->number] == number)
			return true;
	}
	return false;
}

/* MEND_GONE: the warp, which used to come there, has ended or waits at a barrier that it has not come to before. */
static bool is_gone(const struct change *change, const struct warp_slot *r, uint32_t number)
{
	uint32_t habits = change->turns->habits[warp_of(r)];
	bool gone = r->finished;

	assert(number < NAMED_BARRIERS);
	for (uint32_t k = 0; k < GROUP_BARRIERS && habits; k++)
		gone |= r->waiting_lanes[k] && !(habits >> k & 1);
	return habits >> number & 1 && gone;
}

uint64_t barrier_mend_due(
	const struct core *core, const struct group *group, const struct change *change, uint32_t number)
{
	uint64_t due = 0;

	assert(number < NAMED_BARRIERS);
	for (uint64_t m = group->slots; m; m &= m - 1) {
		const struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

		if (change->mend == MEND_TURN ? left_out(change, group, r, number) : is_gone(change, r, number))
			due |= r->bit;
	}
	return due;
}

/* Threads wait there for just the arrivals that are due: they are made. */
static bool settle_at(struct core *core, struct group *group, const struct change *change, uint32_t number)
{
	struct barrier *b = &group->barriers[number];
	struct barrier_event what = {.number = (uint8_t)number,
		.pc = change->pc,
		.count = b->expected,
		.phase = group->barrier_notes[number].phase};
	uint64_t due = b->waiting && b->expected > b->arrived ? barrier_mend_due(core, group, change, number) : 0;

	assert(change->turns);
	if (!due || (uint32_t)__builtin_popcountll(due) * core->slots->warp.lanes != b->expected - b->arrived)
		return false;
	for (uint32_t w = 0; w < group->warps; w++)
		if (due & slot_of(core, group, w)->bit)
			barrier_trace_credit(core, group, w, what);
	b->arrived = b->expected;
	barrier_open(core, group, number);
	return true;
}

void barrier_mend_settle(struct core *core, struct group *group, const struct change *change)
{
	assert(group->used);
	assert(change->launch == group->launch);
	if (change->mend != MEND_TURN && change->mend != MEND_GONE)
		return;
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		if (settle_at(core, group, change, k))
			k = UINT32_MAX; /* from the first on */
}
