/* The functional mode: the machine without time. */
#ifndef LOCKSTEP_MACHINE_GPU_FUNCTIONAL_H
#define LOCKSTEP_MACHINE_GPU_FUNCTIONAL_H

#include "machine/state/machine.h"

/* What modes without time have in common, of struct machine_mode.  A round of turns counts as 64 cycles. */
#define FUNCTIONAL_MODE                                                                                                \
	.clock_unit = "turn", .clock = functional_clock, .clock_cycles = 64, .takes_turns = true, .at_once = true,     \
	.counts_blocks = true, .elapsed = functional_elapsed, .count = functional_count
/* Rounds of turns since the machine began; warp instructions. */
uint64_t functional_clock(const struct machine *machine);
uint64_t functional_elapsed(const struct machine *machine, const struct launch *launch);
void functional_count(struct launch *launch);
/* A ready warp runs up to and with one instruction that others may notice (an access to memory, a barrier), and on to
 * before the next one, or to where another of its paths runs or can run, or one less; at most `most` instructions.
 * `path`: 0, or it is the path-th of its other paths that begins. Returns how many instructions. */
#define FUNCTIONAL_NOTHING UINT32_MAX
struct functional_seen {
	uint32_t noticed; /* the pc of the instruction that others may notice; FUNCTIONAL_NOTHING: it came to none */
	lane_mask lanes;  /* that have run */
};
uint32_t functional_step(
	struct core *core, struct warp_slot *r, uint32_t path, uint32_t most, struct functional_seen *seen);
/* How many paths of the warp can run beside that which runs; 0: the divergence model has no choice. */
uint32_t functional_other_paths(const struct core *core, const struct warp *w);
/* Nothing runs but what sleeps or waits with a time limit: the time passes.  False: nothing does. */
bool functional_pass_time(struct machine *machine);

#endif
