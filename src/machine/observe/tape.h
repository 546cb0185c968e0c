/* What happened on a core, written down there while it runs, and added up between quanta in the order in which it
 * happened on all cores. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_TAPE_H
#define LOCKSTEP_MACHINE_OBSERVE_TAPE_H

#include "machine/observe/profile.h"

/* How each kind of event begins. */
struct tape_event {
	uint64_t ordinal; /* of the launch */
	uint64_t at;      /* cycle */
	uint32_t core, group, warp;
};

/* A core's; the state of its observer begins with it. */
struct tape {
	struct arena *arena;
	uint32_t core;
	uint32_t event_bytes; /* a multiple of 8 */
	uint32_t count, room; /* events */
	uint32_t done;        /* of them, added up */
	uint8_t *events;
};

void tape_begin(struct tape *tape, struct arena *arena, const struct core *core, size_t event_bytes);
/* A new event of the warp, now: all but its first members is for the caller to write. */
void *tape_add(struct tape *tape, const struct core *core, const struct warp_slot *r);
/* Calls `add_up` for each event on the tapes of an observer whose launch has a profile, and forgets all.  In functional
 * mode, where each core has a clock of its own, the order is right within a round of turns only. */
void tapes_add_up(const struct machine *machine, enum observer_id observer,
	void (*add_up)(struct launch_profile *profile, const void *event));

#endif
