/* What PTX says of setmaxnreg, applied to what the warps of a work-group do: which warps of a warpgroup execute it, and
 * what is between two of them.
 *
 * What a warp knows of another one is how many setmaxnreg that has executed.  It comes by barriers of the work-group:
 * a warp that arrives passes on what it knows, and a warp that has waited has learnt it.  Threads may synchronise by
 * words and mbarriers, too; that is not followed, and a warp that executes what such ways need is taken to know all. */
#include "sync/sync.h"

#include <string.h>

#define WARPGROUP_THREADS 128

void sync_registers_begin(struct sync_registers *s, uint32_t threads, uint32_t lanes)
{
	memset(s, 0, sizeof *s);
	s->threads = threads;
	s->lanes = lanes;
	s->warps = (threads + lanes - 1) / lanes;
}

static void take_later(uint16_t *to, const uint16_t *from, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		to[k] = from[k] > to[k] ? from[k] : to[k];
}

void sync_registers_learn(struct sync_registers *s, uint32_t warp)
{
	for (uint32_t k = 0; k < s->warps; k++)
		s->warp[warp].knows[k] = s->warp[k].count;
}

void sync_registers_arrive(struct sync_registers *s, uint32_t warp, uint32_t barrier)
{
	take_later(s->barrier[barrier], s->warp[warp].knows, s->warps);
}

void sync_registers_open(struct sync_registers *s, uint64_t waiting, uint32_t barrier)
{
	EACH_LANE(warp, waiting)
		take_later(s->warp[warp].knows, s->barrier[barrier], s->warps);
	memset(s->barrier[barrier], 0, sizeof s->barrier[barrier]);
}

/* What is told of a warp, and of another one of its warpgroup or of its own lanes. */
struct misuse {
	enum found_cause cause;
	uint32_t warp;
	lane_mask others;
	uint32_t values[2], other_pc;
	bool has_place; /* of the other one */
};

static void tell(const struct sync_place *at, const struct sync_registers *s, const struct misuse *m)
{
	const struct sync_registers_warp *warp = &s->warp[m->warp];
	struct found_side side = {.kernel = at->kernel,
		.pc = warp->pc,
		.group = at->group,
		.thread = m->warp * s->lanes,
		.launch = at->launch,
		.lanes = warp->lanes,
		.value = m->values[0]};
	struct found found = {.cause = m->cause,
		.side = {side, side},
		.places = 1,
		.threads = m->others ? 2 : 1,
		.launch = at->launch,
		.count = 1};
	bool is_elsewhere = m->has_place && m->other_pc != warp->pc;

	found.places += is_elsewhere;
	found.side[1].kernel = is_elsewhere ? at->kernel : NULL;
	found.side[1].pc = is_elsewhere ? m->other_pc : 0;
	found.side[1].lanes = m->others;
	found.side[1].value = m->values[1];
	found_add(at->list, &found);
}

/* The warps of a warpgroup: from *first on to before the one that is returned. */
static uint32_t warpgroup_of(const struct sync_registers *s, uint32_t warp, uint32_t *first)
{
	uint32_t warps = WARPGROUP_THREADS / s->lanes, end;

	*first = warp / warps * warps;
	end = *first + warps;
	return end < s->warps ? end : s->warps;
}

static bool is_whole(const struct sync_registers *s, uint32_t first)
{
	return (uint64_t)first * s->lanes + WARPGROUP_THREADS <= s->threads;
}

/* A warp has executed its count-th setmaxnreg: what that says with what another one of its warpgroup has done. */
static void compare(const struct sync_place *at, struct sync_registers *s, uint32_t number, uint32_t other)
{
	const struct sync_registers_warp *own = &s->warp[number], *o = &s->warp[other];
	struct misuse m = {.warp = number, .values = {other}, .other_pc = o->pc, .has_place = o->count};

	if (o->ended && o->count < own->count) {
		m.cause = SYNC_REGISTERS_PART;
		m.has_place = false;
		m.values[1] = SYNC_PART_ENDED;
	} else if (o->count == own->count && o->pc != own->pc) {
		m.cause = SYNC_REGISTERS_OTHER;
	} else if (o->count + 1u < own->count && o->knows[number] + 1u >= own->count) {
		m.cause = SYNC_REGISTERS_PART; /* it has synchronised with this one since, without one of its own */
		m.has_place = false;
		m.values[1] = SYNC_PART_PASSED;
	} else if (own->knows[other] + 1u < own->count) {
		m.cause = SYNC_REGISTERS_AGAIN;
		m.has_place = o->count + 1u >= own->count;
		m.values[1] = m.has_place;
	} else {
		return;
	}
	s->is_told = true;
	tell(at, s, &m);
}

void sync_registers_use(const struct sync_place *at, struct sync_registers *s, lane_mask lanes, uint32_t count,
	uint32_t has, bool is_defined)
{
	uint32_t number = at->first_thread / s->lanes, first, end = warpgroup_of(s, number, &first);
	struct sync_registers_warp *own = &s->warp[number];

	own->knows[number] = ++own->count;
	own->pc = at->pc;
	own->lanes = lanes;
	if (!is_defined)
		tell(at, s, &(struct misuse){SYNC_REGISTERS_COUNT, .warp = number, .values = {count, has}});
	if (s->is_told) /* what follows from the first misuse is none of its own */
		return;
	if (lanes != at->live || !is_whole(s, first)) {
		s->is_told = true;
		tell(at, s,
			&(struct misuse){SYNC_REGISTERS_PART, .warp = number, .others = at->live & ~lanes,
				.values = {0, SYNC_PART_SHORT}});
	}
	for (uint32_t other = first; other < end && !s->is_told; other++)
		if (other != number)
			compare(at, s, number, other);
}

void sync_registers_end(const struct sync_place *at, struct sync_registers *s)
{
	uint32_t number = at->first_thread / s->lanes, first, end = warpgroup_of(s, number, &first);

	s->warp[number].ended = true;
	for (uint32_t other = first; other < end && !s->is_told; other++)
		if (s->warp[other].count > s->warp[number].count) {
			s->is_told = true;
			tell(at, s,
				&(struct misuse){
					SYNC_REGISTERS_PART, .warp = other, .values = {number, SYNC_PART_ENDED}});
		}
}
