/* Threads that leave out a barrier, seen when it opens.
 *
 * A barrier without a thread count opens when all threads that have not ended wait at one of its number.  So a thread
 * that has left one out is a barrier behind the others.  It comes to the next one while they are still at this one, or
 * has ended when they open it.  To end without more is allowed: a GPU does not count such threads.  So what a thread
 * did before it ended matters, and the places behind each barrier (kernel/behind.c) show it:
 *   - It has passed such a place from which no way leads back to the barrier; or, in this round of a loop, one behind a
 *     barrier that others executed in theirs.  Then it has left the barrier out and gone on.
 *   - At an earlier opening it waited at another barrier than the others, and had passed a place behind theirs.  Then
 * it lags by a barrier, and is told when it ends before them.  If all end alike, the barriers were meant to be met so,
 *     as PTX allows.  OpenCL C does not allow that: there it is told at once. */
#include "sync/sync.h"

#include <assert.h>

#define PLACES 4 /* at which warps wait when a barrier opens; of more the first */

struct opening {
	struct sync_place *at;
	const struct sync_opening *of;
	uint32_t place[PLACES], places;
	bool is_opencl;
};

static const struct kernel_behind *behind_at(const struct opening *o, uint32_t k)
{
	assert(k < o->at->kernel->behind_count);
	return &o->at->kernel->behind[k];
}

/* Where the member waits, if any lane of it does. */
static uint32_t place_of(const struct opening *o, const struct sync_member *m)
{
	assert(o->of->number < SYNC_BARRIERS);
	return m->warp->came[o->of->number];
}

static bool is_at(const struct opening *o, const struct sync_member *m, uint32_t pc)
{
	return m->here && place_of(o, m) == pc;
}

static bool is_place(const struct opening *o, uint32_t pc)
{
	for (uint32_t p = 0; p < o->places; p++)
		if (o->place[p] == pc)
			return true;
	return false;
}

static void find_places(struct opening *o)
{
	for (uint32_t k = 0; k < o->of->count && o->places < PLACES; k++) {
		const struct sync_member *m = &o->of->member[k];

		if (m->here && !is_place(o, place_of(o, m)))
			o->place[o->places++] = place_of(o, m);
	}
}

static struct sync_side side_of(const struct sync_member *m, uint32_t pc, lane_mask lanes)
{
	assert(lanes);
	return (struct sync_side){.pc = pc, .first_thread = m->first_thread, .lanes = lanes};
}

/* ---- Members that execute the barrier of a mark ---- */

/* Lanes of the member that execute the barrier at the k-th mark's, in the round in which they passed the mark. */
static lane_mask executing(const struct opening *o, const struct sync_member *m, uint32_t k)
{
	const struct kernel_behind *b = behind_at(o, k);

	if (!is_at(o, m, b->barrier))
		return 0;
	return m->here & ~(b->is_round ? m->warp->behind[k].passed : 0);
}

/* Lanes that the member's have left alone: its own, or the first others. */
static bool find_others(const struct opening *o, const struct sync_member *m, uint32_t k, struct sync_side *others)
{
	const struct sync_member *from = executing(o, m, k) ? m : NULL;

	for (uint32_t n = 0; n < o->of->count && !from; n++)
		if (executing(o, &o->of->member[n], k))
			from = &o->of->member[n];
	if (from)
		*others = side_of(from, behind_at(o, k)->barrier, executing(o, from, k));
	return from != NULL;
}

/* Where code has lines, marks have (kernel/behind.c). */
static enum found_cause passed_at(const struct opening *o, uint32_t mark)
{
	const struct kernel *kernel = o->at->kernel;
	const struct insn *i = &kernel->code[mark];
	const struct ptx_function *function = kernel->functions[i->function].ptx;

	assert(i->flags & INSN_BEHIND);
	return function->code.at[i->source].loc.line ? SYNC_PASSED : SYNC_PASSED_UNSURE;
}

/* ---- Those that have ended ---- */

/* On a stack, lanes that have not ended may still come: sync_come remembers them. */
static lane_mask missing_of(const struct opening *o, const struct sync_member *m)
{
	lane_mask missing = m->full & ~m->here & ~m->warp->told;

	if (o->of->counted && !m->here)
		return 0;
	return o->at->stack || o->of->counted ? missing & ~m->live : missing;
}

/* The lanes that have passed the k-th mark.  Those that are left. */
static lane_mask tell_passed(const struct opening *o, const struct sync_member *m, uint32_t k, lane_mask missing)
{
	lane_mask passed = missing & m->warp->behind[k].passed;
	struct sync_side others, side;

	if (!passed || !find_others(o, m, k, &others))
		return missing;
	side = side_of(m, behind_at(o, k)->mark, passed);
	sync_tell(o->at, o->at->list, passed_at(o, side.pc), &others, &side);
	m->warp->told |= passed;
	return missing & ~passed;
}

static lane_mask tell_lagging(const struct opening *o, const struct sync_member *m, lane_mask missing)
{
	struct sync_side side = m->warp->lagging;

	side.lanes &= missing;
	if (!side.lanes)
		return missing;
	sync_tell(o->at, o->at->list, passed_at(o, side.pc), &m->warp->leading, &side);
	m->warp->told |= side.lanes;
	return missing & ~side.lanes;
}

static void note_ended(const struct opening *o, const struct sync_member *m, lane_mask missing)
{
	const struct sync_member *other = m;
	struct sync_side others, side;

	for (uint32_t n = 0; n < o->of->count && !other->here; n++)
		other = &o->of->member[n];
	assert(other->here);
	others = side_of(other, place_of(o, other), other->here);
	side = side_of(m, others.pc, missing);
	sync_tell(o->at, o->at->noted, SYNC_ENDED, &others, &side);
	m->warp->told |= missing;
}

static void judge_missing(const struct opening *o, const struct sync_member *m)
{
	lane_mask missing = missing_of(o, m);

	for (uint32_t later = 0; later < 2 && missing; later++) /* what is within the round is nearer to it */
		for (uint32_t k = 0; k < o->at->kernel->behind_count && missing; k++)
			if (behind_at(o, k)->is_round == !later)
				missing = tell_passed(o, m, k, missing);
	if (missing)
		missing = tell_lagging(o, m, missing);
	if (missing && o->at->noted && !o->of->counted)
		note_ended(o, m, missing & ~m->live);
}

/* ---- Those that wait elsewhere, or in another round ---- */

/* They are told if they end first. */
static void owe(const struct opening *o, const struct sync_member *m, uint32_t k, lane_mask lanes)
{
	struct sync_side others;

	if (m->warp->lagging.lanes || !lanes || !find_others(o, m, k, &others))
		return;
	m->warp->lagging = side_of(m, behind_at(o, k)->mark, lanes);
	m->warp->leading = others;
}

/* Lanes that wait in a later round than others, since they have left out the barrier in one. */
static void judge_round(const struct opening *o, const struct sync_member *m, uint32_t k)
{
	const struct kernel_behind *b = behind_at(o, k);
	lane_mask late = is_at(o, m, b->barrier) ? m->here & m->warp->behind[k].passed : 0;
	struct sync_side others, side;

	if (!late || !find_others(o, m, k, &others))
		return;
	side = side_of(m, b->mark, late);
	if (o->is_opencl)
		sync_tell(o->at, o->at->list, SYNC_ROUND, &others, &side);
	else if (o->at->noted)
		sync_tell(o->at, o->at->noted, SYNC_ROUND_NOTED, &others, &side);
	owe(o, m, k, o->is_opencl ? 0 : late);
}

/* A warp that waits at another barrier than the first one does. */
static void judge_place(const struct opening *o, const struct sync_member *first, const struct sync_member *m)
{
	struct sync_side a = side_of(first, place_of(o, first), first->here), b = side_of(m, place_of(o, m), m->here);

	if (a.pc == b.pc || kernel_same_place(o->at->kernel, a.pc, b.pc))
		return;
	if (o->is_opencl)
		sync_tell(o->at, o->at->list, SYNC_ELSEWHERE, &a, &b);
	else if (o->at->noted)
		sync_tell(o->at, o->at->noted, SYNC_ELSEWHERE_NOTED, &a, &b);
}

static void judge_waiting(const struct opening *o)
{
	const struct sync_member *first = NULL;

	for (uint32_t n = 0; n < o->of->count; n++) {
		const struct sync_member *m = &o->of->member[n];

		if (!m->here)
			continue;
		if (first && o->places > 1)
			judge_place(o, first, m);
		first = first ? first : m;
		for (uint32_t k = 0; k < o->at->kernel->behind_count; k++)
			if (behind_at(o, k)->is_round)
				judge_round(o, m, k);
			else if (!o->is_opencl && o->places > 1 && place_of(o, m) != behind_at(o, k)->barrier)
				owe(o, m, k, m->here & m->warp->behind[k].passed);
	}
}

/* ---- Events ---- */

/* All have met it. */
static void settle(const struct opening *o)
{
	for (uint32_t k = 0; k < o->at->kernel->behind_count; k++) {
		if (!is_place(o, behind_at(o, k)->barrier))
			continue;
		for (uint32_t n = 0; n < o->of->count; n++) {
			struct sync_behind *b = &o->of->member[n].warp->behind[k];

			b->met |= o->of->member[n].here;
			b->passed &= behind_at(o, k)->is_round ? 0 : ~(lane_mask)0;
		}
	}
}

static bool is_complete(const struct opening *o)
{
	for (uint32_t k = 0; k < o->of->count; k++)
		if (o->of->member[k].full & ~o->of->member[k].here)
			return false;
	return true;
}

void sync_open(struct sync_place *at, const struct sync_opening *opening)
{
	struct opening o = {.at = at, .of = opening, .is_opencl = at->kernel->module->shared_null};
	bool complete = is_complete(&o);

	find_places(&o);
	if (complete && o.places == 1 && !at->kernel->behind_count) /* as in nearly all kernels */
		return;
	if (!opening->counted)
		judge_waiting(&o);
	for (uint32_t n = 0; n < opening->count && !complete; n++)
		judge_missing(&o, &opening->member[n]);
	settle(&o);
}

void sync_go_on(const struct sync_place *at, lane_mask lanes)
{
	assert(lanes);
	for (uint32_t k = 0; k < at->kernel->behind_count; k++) {
		const struct kernel_behind *b = &at->kernel->behind[k];
		struct sync_behind *of = &at->warp->behind[k];

		if (b->mark != at->pc)
			continue;
		of->passed |= lanes & ~(b->is_exact ? of->met : 0);
		of->met &= b->is_round ? ~lanes : ~(lane_mask)0;
	}
	sync_pass(at, lanes);
}
