/* Parts of firmware, which says by pmevent where one begins: so its instructions, its time, and the time in which the
 * GPU has nothing meanwhile are counted by part.  The event 0 begins a turn,
 * and as 3 all that is no part. */
#ifndef LOCKSTEP_MACHINE_CONTROL_PARTS_H
#define LOCKSTEP_MACHINE_CONTROL_PARTS_H

#include "util/vector.h"

#include <stdint.h>

struct control_counters;

#define CONTROL_PARTS 4 /* 0 and 3 are all that is no part */

struct control_change {
	uint64_t at; /* core cycle */
	uint32_t part;
};

struct control_parts {
	uint32_t part;
	uint64_t since;                        /* own cycle in which it began */
	uint64_t instructions;                 /* that had left then */
	VECTOR(struct control_change) changes; /* since the cores had something last; the last one is the part of now */
};

/* A pmevent of this number has left the window in its cycle `own`, core cycle `at`.  Other numbers mean nothing. */
void control_parts_begin(struct control_parts *p, struct arena *arena, struct control_counters *c, uint32_t event,
	uint64_t own, uint64_t at);
/* The cores had nothing from core cycle `from` to `to`, up to which firmware has come. */
void control_parts_blocked(const struct control_parts *p, struct control_counters *c, uint64_t from, uint64_t to);
/* The cores have something now. */
void control_parts_forget(struct control_parts *p);

#endif
