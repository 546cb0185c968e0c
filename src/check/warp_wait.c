/* Lanes that wait for others of their warp: see thread.h. */
#include "check/thread.h"

#include "machine/core/control.h"
#include "machine/core/path.h"

#include <string.h>

#define LANES_MOST 64

/* A path whose lanes wait. */
struct arrived {
	uint32_t pc;
	lane_mask lanes, members; /* members: that live; 0: not known */
	bool has_mask;
	uint32_t mask;
	uint32_t lane; /* whose mask it is */
};

struct search {
	const struct warp *warp;
	uint32_t count;
	struct arrived at[LANES_MOST];
};

/* Registers are found in the frame of the path that runs, or ran last: a mask that another function has there cannot be
 * read. */
static bool has_frame(const struct warp *w, const struct insn *i)
{
	return i->function == w->kernel->code[w->path->pc].function;
}

/* What the path waits for, as control_special found it: the mask of the first lane whose guard is true. */
static void read_mask(const struct warp *w, struct arrived *a)
{
	const struct insn *i = &w->kernel->code[a->pc];
	bool vary;
	const uint32_t *masks = control_member_masks(w, i, &vary);
	lane_mask guarded = a->lanes;

	if (!masks) {
		a->members = w->live;
		return;
	}
	if (has_frame(w, i))
		guarded &= w->predicates[i->guard] ^ -(lane_mask)i->guard_invert;
	else if (vary)
		return;
	if (!guarded)
		return;
	a->lane = (uint32_t)__builtin_ctzll(guarded);
	a->has_mask = true;
	a->mask = masks[a->lane];
	a->members = (a->lane >= 32 ? (lane_mask)a->mask << 32 : a->mask) & w->live;
}

static void add_path(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct search *s = context;
	struct arrived *a = &s->at[s->count];

	if (!waiting || strcmp(waiting, WAITS_FOR_WARP_BARRIER) != 0 || s->count == LANES_MOST)
		return;
	*a = (struct arrived){.pc = pc, .lanes = lanes};
	read_mask(s->warp, a);
	s->count++;
}

/* Lanes that the warp began with. */
static lane_mask first_lanes(const struct thread *t)
{
	const uint32_t *block = t->r->core_launch->launch->values.block;
	uint32_t threads = block[0] * block[1] * block[2] - t->r->warp.first_thread, lanes = t->r->warp.kernel->lanes;
	uint32_t count = threads < lanes ? threads : lanes;

	return count >= LANES_MOST ? ~(lane_mask)0 : ((lane_mask)1 << count) - 1;
}

bool warp_wait_of(const struct thread *t, struct warp_wait *wait)
{
	const struct arrived *own = NULL;
	lane_mask come = 0, named;

	if (thread_position(t).state != THREAD_AT_WARP_BARRIER)
		return false;
	const struct warp *w = &t->r->warp;
	struct search s = {.warp = w};
	path_each(t->r, add_path, &s);
	for (uint32_t k = 0; k < s.count; k++)
		if (s.at[k].lanes >> t->lane & 1)
			own = &s.at[k];
	for (uint32_t k = 0; k < s.count; k++)
		if (!own->members || s.at[k].members == own->members)
			come |= s.at[k].lanes;
	named = own->has_mask ? (own->lane >= 32 ? (lane_mask)own->mask << 32 : own->mask) : w->live;
	*wait = (struct warp_wait){.pc = own->pc,
		.has_mask = own->has_mask,
		.mask = own->mask,
		.missing = (own->members ? own->members : w->live) & ~come,
		.ended = named & ~w->live & first_lanes(t)};
	return true;
}
