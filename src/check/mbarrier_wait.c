/* The mbarrier that a thread waits for: see mbarrier_wait.h. */
#include "check/mbarrier_wait.h"

#include "check/waits.h"

#include <string.h>

/* Its last look at an mbarrier was in vain, and in the code that it repeats. */
static const struct mbarrier_look *vain_look(const struct thread *t)
{
	const struct mbarrier_look *look = t->r ? mbarrier_look_of(t->core, t->r) : NULL;
	struct position p = t->r ? thread_position(t) : (struct position){.state = THREAD_ENDED};
	struct code_range range;

	if (!look || p.state != THREAD_RUNS || !((look->lanes & ~look->complete) >> t->lane & 1))
		return NULL;
	if (wait_loop(t, &range) && (look->pc[t->lane] < range.first || look->pc[t->lane] > range.last))
		return NULL;
	return look;
}

lane_mask mbarrier_lanes_waiting(const struct core *core, const struct warp_slot *r)
{
	const struct mbarrier_look *look = mbarrier_look_of(core, r);

	return look ? look->lanes & ~look->complete & r->warp.live : 0;
}

bool mbarrier_wait_of(const struct thread *t, struct mbarrier_wait *wait)
{
	const struct mbarrier_look *look = vain_look(t);
	uint64_t bits, seen;

	if (!look || look->offset[t->lane] + sizeof bits > t->r->warp.shared_bytes)
		return false;
	memcpy(&bits, t->r->warp.shared + look->offset[t->lane], sizeof bits);
	*wait = (struct mbarrier_wait){.pc = look->pc[t->lane],
		.offset = look->offset[t->lane],
		.odd = look->odd >> t->lane & 1,
		.by_parity = look->by_parity >> t->lane & 1,
		.now = mbarrier_unpack(bits),
		.object = mbarrier_object_of(t->core, t->r->group, look->offset[t->lane])};
	if (!wait->now.valid || !wait->object || wait->object->is_over)
		return false;
	wait->means = wait->object->phase;
	seen = (uint64_t)(mbarrier_seen(wait->object, t->r, t->lane) + 1); /* the first that it may mean, from -1 on */
	if (wait->by_parity)
		wait->means = (int64_t)seen + ((seen & 1) != wait->odd);
	return true;
}
