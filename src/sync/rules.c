/* What PTX says of barriers and member masks, applied to what a warp does. */
#include "sync/sync.h"

#include <string.h>

/* Lanes that execute an instruction, and others that it is about. */
static struct found found_at(const struct sync_place *at, enum found_cause cause, lane_mask lanes, lane_mask others)
{
	struct found_side side = {.kernel = at->kernel,
		.pc = at->pc,
		.group = at->group,
		.thread = at->first_thread,
		.launch = at->launch,
		.lanes = lanes};
	struct found found = {.cause = cause,
		.side = {side, side},
		.places = 1,
		.threads = others ? 2 : 1,
		.launch = at->launch,
		.count = 1};

	found.side[1].kernel = NULL;
	found.side[1].pc = 0;
	found.side[1].lanes = others;
	return found;
}

/* The others were elsewhere, if that is another place. */
static void set_other(struct found *found, uint32_t pc)
{
	if (pc == found->side[0].pc)
		return;
	found->places = 2;
	found->side[1].kernel = found->side[0].kernel;
	found->side[1].pc = pc;
}

static void tell(const struct sync_place *at, enum found_cause cause, lane_mask lanes, lane_mask others)
{
	struct found found = found_at(at, cause, lanes, others);

	found_add(at->list, &found);
}

void sync_unacquired(const struct sync_place *at, lane_mask lanes)
{
	tell(at, SYNC_MAP, lanes, 0);
}

/* Of an instruction that `a` is about: its lanes, and those that were missing and are seen here. */
static void tell_absence(
	const struct sync_place *at, const struct sync_absence *a, enum found_cause cause, lane_mask missing)
{
	struct found found = found_at(at, cause, a->executed, missing);

	found.side[0].pc = a->pc;
	set_other(&found, at->pc);
	found_add(at->list, &found);
}

void sync_tell(const struct sync_place *at, struct found_list *list, enum found_cause cause, const struct sync_side *a,
	const struct sync_side *b)
{
	struct found found = found_at(at, cause, a->lanes, b->lanes);

	found.side[0].pc = a->pc;
	found.side[0].thread = a->first_thread;
	found.side[1].thread = b->first_thread;
	set_other(&found, b->pc);
	found_add(list, &found);
}

/* ---- Lanes that are missing ---- */

static void forget(struct sync_warp *warp, uint32_t k)
{
	memmove(&warp->absence[k], &warp->absence[k + 1], (--warp->count - k) * sizeof *warp->absence);
}

/* The lanes are missing at no barrier. */
static void strike(struct sync_warp *warp, lane_mask lanes)
{
	for (uint32_t k = 0; k < warp->count; k++)
		warp->absence[k].missing &= warp->absence[k].is_barrier ? ~lanes : ~(lane_mask)0;
}

/* Lanes that have exited are not missing. */
static void forget_exited(const struct sync_place *at)
{
	struct sync_warp *warp = at->warp;

	for (uint32_t k = 0; k < warp->count;) {
		warp->absence[k].missing &= at->live;
		if (warp->absence[k].missing)
			k++;
		else
			forget(warp, k);
	}
}

/* Makes room. */
static void forget_oldest(struct sync_warp *warp)
{
	if (warp->absence[0].is_barrier)
		warp->lost |= warp->absence[0].missing;
	forget(warp, 0);
	strike(warp, warp->lost);
}

static void remember(const struct sync_place *at, lane_mask executed, lane_mask missing, bool is_barrier)
{
	struct sync_warp *warp = at->warp;

	if (warp->count == SYNC_ABSENCES)
		forget_oldest(warp);
	if (is_barrier)
		missing &= ~warp->lost;
	if (!missing || !executed)
		return;
	warp->absence[warp->count++] =
		(struct sync_absence){.pc = at->pc, .executed = executed, .missing = missing, .is_barrier = is_barrier};
}

void sync_pass(const struct sync_place *at, lane_mask lanes)
{
	struct sync_warp *warp = at->warp;

	if (!warp->count || !at->stack)
		return;
	forget_exited(at);
	for (uint32_t k = 0; k < warp->count;) {
		struct sync_absence *a = &warp->absence[k];

		if (!(lanes & a->executed) || !(lanes & a->missing)) {
			k++;
			continue;
		}
		tell_absence(at, a, a->is_barrier ? SYNC_SKIPPED : SYNC_MISSING, lanes & a->missing);
		forget(warp, k);
	}
}

/* ---- Barriers of the work-group ---- */

/* The oldest barrier at which the lane is missing; null: none. */
static struct sync_absence *missed_by(struct sync_warp *warp, uint64_t lane)
{
	for (uint32_t k = 0; k < warp->count; k++)
		if (warp->absence[k].is_barrier && warp->absence[k].missing >> lane & 1)
			return &warp->absence[k];
	return NULL;
}

/* Lanes come to a barrier while others, or they, are missing at one.  Those that are not behind any more. */
static lane_mask catch_up(const struct sync_place *at, lane_mask lanes, bool aligned)
{
	struct sync_warp *warp = at->warp;
	lane_mask rest = lanes, first = lanes;

	while (rest) {
		struct sync_absence *a = missed_by(warp, (uint64_t)__builtin_ctzll(rest));
		lane_mask same = a ? a->missing & rest : rest & -rest;

		rest &= ~same;
		if (!a)
			continue;
		first &= ~same;
		if (a->pc != at->pc)
			tell_absence(at, a, aligned ? SYNC_DIFFERENT : SYNC_IN_PARTS, same);
		else if (at->stack)
			tell_absence(at, a, SYNC_IN_PARTS, same);
		if (a->pc == at->pc) {
			a->missing &= ~same;
			a->executed |= same;
		} else {
			strike(warp, same);
		}
	}
	return first;
}

void sync_come(const struct sync_place *at, lane_mask lanes, bool aligned)
{
	if (!aligned && !at->stack)
		return;
	sync_pass(at, lanes);
	forget_exited(at);
	lanes = catch_up(at, lanes & ~at->warp->lost, aligned);
	forget_exited(at);
	remember(at, lanes, at->live & ~lanes, true);
}

static void tell_counts(const struct sync_place *at, enum found_cause cause, lane_mask lanes, uint32_t value,
	const struct sync_barrier *other)
{
	struct found found = found_at(at, cause, lanes, 0);

	found.side[0].value = value;
	if (other) {
		set_other(&found, other->pc);
		found.side[1].value = other->expected;
	}
	found_add(at->list, &found);
}

void sync_use(const struct sync_place *at, struct sync_barrier *barrier, lane_mask lanes, enum sync_form form,
	bool counted, uint32_t expected)
{
	bool is_reduction = form == SYNC_REDUCES;

	if (counted && expected % 32)
		tell_counts(at, SYNC_COUNT, lanes, expected, NULL);
	if (form == SYNC_ARRIVES && !expected)
		tell_counts(at, SYNC_NO_COUNT, lanes, expected, NULL);
	if (barrier->used && barrier->expected != expected)
		tell_counts(at, SYNC_COUNTS, lanes, expected, barrier);
	else if (barrier->used && barrier->counted != counted)
		tell_counts(at, SYNC_FORMS, lanes, expected, barrier);
	if (barrier->used && barrier->is_reduction != is_reduction)
		tell_counts(at, SYNC_MIXED, lanes, expected, barrier);
	*barrier = (struct sync_barrier){
		.pc = at->pc, .expected = expected, .used = true, .counted = counted, .is_reduction = is_reduction};
}

/* ---- Member masks ---- */

static bool is_outsider(const uint32_t *masks, uint64_t lane)
{
	return !(masks[lane] >> (lane & 31) & 1);
}

/* The lanes that a lane names and that have not exited; a warp of 64 lanes is two of 32. */
static lane_mask members_of(const struct sync_place *at, const uint32_t *masks, uint64_t lane)
{
	return (lane >= 32 ? (lane_mask)masks[lane] << 32 : masks[lane]) & at->live;
}

/* The lanes of a warp that execute a .sync instruction with several masks are issued again, a mask after another: they
 * were judged together.  False: they have been. */
static bool is_new(const struct sync_place *at, lane_mask lanes, bool parts)
{
	struct sync_warp *warp = at->warp;
	bool seen = warp->parted && warp->parted_pc == at->pc && !(lanes & ~warp->parted);

	if (seen) {
		warp->parted &= ~lanes;
		return false;
	}
	warp->parted_pc = at->pc;
	warp->parted = parts ? lanes : 0;
	return true;
}

/* Whether the lanes are carried out a mask after another: see machine/core/control.c. */
static bool have_several(const struct sync_place *at, lane_mask lanes, const uint32_t *masks)
{
	bool several = false;

	for (lane_mask half = UINT32_MAX; half; half <<= 32) {
		uint64_t first = lanes & half ? (uint64_t)__builtin_ctzll(lanes & half) : 0;

		EACH_LANE(l, lanes & half)
			several |= is_outsider(masks, l) != is_outsider(masks, first) ||
				   (!is_outsider(masks, l) && members_of(at, masks, l) != members_of(at, masks, first));
	}
	return several;
}

/* Lanes that others miss at this very instruction have come too late. */
static void come_late(const struct sync_place *at, lane_mask lanes)
{
	struct sync_warp *warp = at->warp;

	for (uint32_t k = 0; k < warp->count;) {
		struct sync_absence *a = &warp->absence[k];

		if (a->is_barrier || a->pc != at->pc || !(a->missing & lanes)) {
			k++;
			continue;
		}
		tell_absence(at, a, SYNC_MISSING, a->missing & lanes);
		forget(warp, k);
	}
}

static lane_mask outsiders_of(lane_mask lanes, const uint32_t *masks)
{
	lane_mask outsiders = 0;

	EACH_LANE(l, lanes)
		outsiders |= (lane_mask)is_outsider(masks, l) << l;
	return outsiders;
}

/* On a stack: lanes that others name, and that are not among all that are here, or name others. */
static void meet_together(const struct sync_place *at, lane_mask all, lane_mask lanes, const uint32_t *masks)
{
	lane_mask missing = 0, other = 0, unlike = 0;

	EACH_LANE(l, lanes) {
		lane_mask members = members_of(at, masks, l);

		missing |= members & ~all;
		EACH_LANE(m, members & lanes)
			if (members_of(at, masks, m) != members) {
				unlike |= (lane_mask)1 << l;
				other |= (lane_mask)1 << m;
			}
	}
	if (unlike)
		tell(at, SYNC_MASKS, unlike, other);
	sync_pass(at, all);
	forget_exited(at);
	come_late(at, lanes);
	remember(at, lanes, missing, false);
}

void sync_meet(const struct sync_place *at, lane_mask lanes, const uint32_t *masks, bool vary)
{
	lane_mask outsiders = outsiders_of(lanes, masks);

	if (!is_new(at, lanes, vary && have_several(at, lanes, masks)))
		return;
	if (outsiders)
		tell(at, SYNC_OUTSIDER, outsiders, 0);
	if (at->stack && lanes != outsiders) /* elsewhere lanes wait for each other, and the others may still come */
		meet_together(at, lanes, lanes & ~outsiders, masks);
}

void sync_shuffle(const struct sync_place *at, lane_mask lanes, const uint8_t *source, const uint32_t *masks)
{
	lane_mask readers = 0, read = 0;

	EACH_LANE(l, lanes) {
		lane_mask from = source[l] > 31 ? 0 : (lane_mask)1 << (source[l] + (l & 32));
		bool in_mask = !masks || masks[l] >> (source[l] & 31) & 1;
		bool takes_part = in_mask && (at->stack || !masks ? lanes & from : at->live & from);

		if (!from || takes_part)
			continue;
		readers |= (lane_mask)1 << l;
		read |= from;
	}
	if (readers)
		tell(at, SYNC_SOURCE, readers, read);
}
