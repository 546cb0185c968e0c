/* When a warp issues next.
 *
 * A warp is in exactly one of three states: in the ready mask; in the time wheel, because the cycle of its next issue
 * is known; parked, because only an event (a reply, a barrier's last arrival) can tell.  After every issue and every
 * such event core_schedule decides which. */
#ifndef LOCKSTEP_MACHINE_CORE_SCHEDULE_H
#define LOCKSTEP_MACHINE_CORE_SCHEDULE_H

#include "machine/state.h"

void core_schedule(struct core *core, struct warp_slot *r);   /* works out when the warp issues next */
void core_unschedule(struct core *core, struct warp_slot *r); /* a warp that could issue, or will, does not */
/* between quanta: it issues nothing for so long, for experiments */
void core_delay(struct core *core, struct warp_slot *r, uint64_t cycles);

/* The destinations of an instruction have their values from cycle `at` on; NEVER: when memory answers. */
static inline void core_set_results_ready(struct warp_slot *r, const struct insn *i, uint64_t at)
{
	for (uint32_t k = 0; k < i->scoreboard_writes; k++) {
		uint16_t entry = i->scoreboard[k];

		if (entry & SCOREBOARD_PREDICATE)
			r->predicate_ready[entry & ~SCOREBOARD_PREDICATE] = at;
		else
			r->register_ready[entry] = at;
	}
}

/* ---- For the cycle loop ---- */

/* The cycle at which all operands of an instruction are there; NEVER when one is outstanding. */
uint64_t schedule_operands_ready(const struct warp_slot *r, const struct insn *i);
/* Where the warp, which has just issued, goes: into the wheel or to the parked ones. */
void schedule_place(struct core *core, struct warp_slot *r);
/* A warp that is in the wheel issues a second time in this cycle. */
void schedule_take_out(struct core *core, struct warp_slot *r);
/* A warp that has come out of the wheel before its time, since the wheel is short, goes into it again. */
void schedule_again(struct core *core, struct warp_slot *r);
/* Moves the warps whose time has come from the wheel to the ready mask. */
static inline void schedule_wake(struct core *core)
{
	uint32_t slot = (uint32_t)(core->now % WHEEL_SLOTS);
	uint64_t woken = core->wheel[slot];

	if (!woken)
		return;
	core->wheel[slot] = 0;
	core->wheel_used[slot / 64] &= ~(1ull << slot % 64);
	for (; woken; woken &= woken - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(woken)];

		core->waiting[r->reason] &= ~r->bit;
		if (r->ready_at <= core->now)
			core->ready |= r->bit;
		else
			schedule_again(core, r);
	}
}
/* Cycle of the next wake-up after now, NEVER when the wheel is empty. */
uint64_t schedule_next_wake(const struct core *core);

#endif
