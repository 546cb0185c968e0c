/* What happened on a core, written down there while it runs, and added up between quanta in the order in which it
 * happened on all cores. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_TAPE_H
#define LOCKSTEP_MACHINE_OBSERVE_TAPE_H

#include "machine/observe/profile.h"

/* How each event begins. */
struct tape_event {
	uint64_t ordinal; /* of the launch */
	uint64_t at;      /* cycle */
	uint64_t address; /* that it is about */
	uint32_t core, group, warp;
	uint32_t kind; /* an enum of the observer's */
};

/* A core's; the state of its observer begins with it. */
struct tape {
	struct arena *arena;  /* the core's: observer.has_arena */
	uint32_t event_bytes; /* a multiple of 8; 0: none has been added */
	uint32_t count, room; /* events */
	uint32_t done;        /* of them, added up */
	uint8_t *events;
};

/* A new event of the warp, now, of so many bytes, which are the same for all of the tape: what follows its tape_event
 * is 0. */
void *tape_add(struct tape *tape, size_t event_bytes, const struct core *core, const struct warp_slot *r, uint32_t kind,
	uint64_t address);
/* Calls `add_up` for each event on the tapes of an observer whose launch has a profile, and forgets all.  In functional
 * mode, where each core has a clock of its own, the order is right within a round of turns only. */
void tapes_add_up(const struct machine *machine, enum observer_id observer,
	void (*add_up)(struct launch_profile *profile, const void *event));

#endif
