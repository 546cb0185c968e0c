/* The threads of a launch that hangs, and where each of them is. */
#include "check/thread.h"

#include "machine/core/matrix_groups.h"
#include "machine/core/path.h"
#include "machine/core/registers.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/lock.h"
#include "machine/state/child.h"

#include <assert.h>
#include <string.h>

struct thread thread_at(struct core *core, struct warp_slot *r, uint32_t lane)
{
	return (struct thread){
		.core = core, .r = r, .lane = lane, .group = r->group->number, .number = r->warp.first_thread + lane};
}

uint64_t thread_register(const struct thread *t, slot_ref slot, uint32_t bytes)
{
	const void *at = slot_at(&t->r->warp, slot);

	return bytes == 8 ? ((const uint64_t *)at)[t->lane] : ((const uint32_t *)at)[t->lane];
}

struct search {
	uint32_t lane;
	struct position found;
};

static bool is(const char *waiting, const char *what)
{
	return waiting && !strcmp(waiting, what);
}

static void compare_lane(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct search *s = context;
	struct position *p = &s->found;

	if (!(lanes >> s->lane & 1))
		return;
	p->state = !waiting || is(waiting, WAITS_FOR_TURN) ? THREAD_RUNS
		   : is(waiting, WAITS_FOR_BARRIER)        ? THREAD_AT_BARRIER
		   : is(waiting, WAITS_FOR_LOCK)           ? THREAD_AWAITS_LOCK
		   : is(waiting, WAITS_FOR_PASSED)         ? THREAD_PASSED
		   : is(waiting, WAITS_FOR_WARP_BARRIER)   ? THREAD_AT_WARP_BARRIER
							   : THREAD_PARKED;
	p->next_pc = pc;
	p->pc = p->state == THREAD_AT_BARRIER ? pc - 1 : pc;
	p->waiting = p->state == THREAD_RUNS ? NULL : waiting;
}

/* The whole warp waits: the thread itself in this state, or for what other lanes of its warp wait for. */
static void wait_with_warp(
	struct position *p, bool itself, enum thread_state state, const char *waiting, const char *of_others)
{
	p->state = itself ? state : THREAD_PARKED;
	p->waiting = itself ? waiting : of_others;
}

lane_mask thread_stopped_atomic(const struct thread *t, uint32_t *pc, uint64_t *address)
{
	const uint64_t *addresses;
	lane_mask lanes = t->r ? atomic_lanes_stopped(t->core, t->r, pc, &addresses) : 0;

	if (lanes >> t->lane & 1)
		*address = addresses[t->lane];
	return lanes;
}

/* The warp's atomic waits for lock bits, and with it all lanes of its path. */
static void wait_for_bits(const struct thread *t, struct position *p)
{
	uint32_t pc = 0;
	uint64_t address;
	lane_mask stopped = thread_stopped_atomic(t, &pc, &address);

	if (!stopped)
		return;
	wait_with_warp(p, stopped >> t->lane & 1, THREAD_AWAITS_LOCK, "a lock bit",
		"the lock bits that an atomic of other lanes of its warp needs");
	if (p->state == THREAD_AWAITS_LOCK)
		p->pc = pc;
}

struct position thread_position(const struct thread *t)
{
	struct search s = {.lane = t->lane};

	if (!t->r || !(t->r->warp.live >> t->lane & 1))
		return (struct position){.state = THREAD_ENDED};
	s.found.pc = s.found.next_pc = t->r->warp.path->pc;
	if (t->core->machine->divergence->each_path)
		path_each(t->r, compare_lane, &s);
	if (t->r->parked && s.found.state == THREAD_RUNS)
		wait_with_warp(&s.found, lock_wait_of(t->core, t->r, t->lane), THREAD_AWAITS_LOCK, NULL,
			"the answers to the lock requests of other lanes of its warp");
	if (t->r->held && s.found.state == THREAD_RUNS)
		wait_for_bits(t, &s.found);
	if (s.found.state == THREAD_AT_BARRIER && registers_awaited(t->r) &&
		(!t->core->machine->independent || t->r->waiting_lanes[REGISTER_WAIT] >> t->lane & 1)) {
		s.found.state = THREAD_AWAITS_REGISTERS;
		s.found.waiting = "registers";
	}
	if (s.found.state == THREAD_RUNS && matrix_groups_awaited(t->core, t->r)) {
		s.found.state = THREAD_PARKED;
		s.found.waiting = "another warp of its warpgroup in wgmma.wait_group";
		s.found.pc = matrix_groups_waits_at(t->core, t->r);
	}
	if (device_call_waits(t->r))
		wait_with_warp(&s.found, t->r->warp.path->active >> t->lane & 1, THREAD_AWAITS_GRIDS,
			"grids that its work-group has launched", "grids for whose ends other lanes of its warp wait");
	return s.found;
}

bool thread_is_parked(const struct thread *t)
{
	return thread_position(t).state == THREAD_PARKED;
}

bool thread_is_repeated(const struct thread *t)
{
	struct position p = thread_position(t);

	for (lane_mask m = t->r->warp.live & ((1ull << t->lane) - 1); m; m &= m - 1) {
		struct thread other = thread_at(t->core, t->r, (uint32_t)__builtin_ctzll(m));
		struct position there = thread_position(&other);

		if (there.pc == p.pc && there.state == p.state)
			return true;
	}
	return false;
}

static bool is_unfinished(const struct core *core, uint32_t slot)
{
	return !(core->warps.unused >> slot & 1) && core->slots[slot].used && !core->slots[slot].finished;
}

bool thread_next_warp(const struct launch *launch, uint32_t *core, uint32_t *slot, struct thread *t)
{
	const struct machine *machine = launch->machine;

	for (; *core < machine->cores.count; ++*core, *slot = 0) {
		struct core *c = &machine->cores.at[*core];

		for (; c->machine && *slot < c->warps.count; ++*slot)
			if (is_unfinished(c, *slot) && c->slots[*slot].core_launch->launch == launch) {
				struct warp_slot *r = &c->slots[(*slot)++];

				*t = thread_at(c, r,
					(uint32_t)__builtin_ctzll(
						r->warp.path->active ? r->warp.path->active : r->warp.live));
				return true;
			}
	}
	return false;
}

const struct watched_warp *thread_watched(const struct thread *t)
{
	return t->r && watch_of(t->core) ? &watch_of(t->core)->warps[core_slot(t->core, t->r)] : NULL;
}

uint32_t thread_barrier(const struct thread *t)
{
	const struct group *group = t->r->group;

	assert(group->barriers_used);
	for (uint32_t k = 0; k < GROUP_BARRIERS; k++)
		if (group->barriers[k].waiting >> core_slot(t->core, t->r) & 1 && t->r->waiting_lanes[k] >> t->lane & 1)
			return k;
	for (uint32_t k = 0; k < GROUP_BARRIERS; k++)
		if (group->barriers[k].waiting >> core_slot(t->core, t->r) & 1)
			return k;
	return (uint32_t)__builtin_ctz(group->barriers_used);
}
