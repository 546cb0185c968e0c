/* Drawings of what a core does, for --show: `stack` (show.c), the divergence state of one warp, after each instruction
 * that changes it; `lock-bits` (show_bits.c), the lock bits of one core that programs have, after each ldslk and stsul;
 * `mbarrier` (show_mbarriers.c) and `barrier` (show_barriers.c), lines of what happens at those of one work-group.
 *
 * Four observers; gpu->observe has the target of each: of the last two the work-group's flat number, a uint32_t.  The
 * core makes the text while it runs, since the time that it takes does not matter then; between quanta it is put out as
 * what kernels print.  A drawing that looks like an earlier one is counted, not drawn again, so that a warp that spins
 * is drawn once. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_SHOW_H
#define LOCKSTEP_MACHINE_OBSERVE_SHOW_H

#include "machine/core/observer.h"
#include "util/map.h"
#include "util/text.h"

/* The warp to look at: the flat number of its work-group, and which of the work-group's warps it is. */
struct show_target {
	uint32_t group, warp;
};

struct show_bits_target {
	uint32_t core;
};

/* The state of an observer that draws begins with it on each core. */
struct drawings {
	struct text out;  /* which begins with a pointer to the core's arena: observer.has_arena */
	struct map drawn; /* all so far */
	uint64_t again;   /* steps since the last drawing that look like earlier ones */
};

/* Draws, or counts it as drawn before. */
void drawings_add(struct drawings *drawings, const struct text *drawing);
/* Puts out what the observer has drawn on all cores. */
void drawings_flush(const struct machine *machine, enum observer_id observer, bool at_end);

/* How lines begin, of what happens now: the cycle, and the warp that does it, else who (`other`); then the
 * instruction's place, NO_PC: none. */
void show_line_begins(struct text *out, const struct core *core, const struct warp_slot *r, const char *other);
void show_place(struct text *out, const struct launch *launch, uint32_t pc);

#endif
