/* `--show stack`: draws the divergence state of one warp, after each instruction that changes it.
 *
 * The warp's core makes the text while it runs, since the time that it takes does not matter then; between quanta it is
 * put out as what kernels print.  An observer; gpu->observe has its struct show_target.
 *
 * An instruction changes the state when entries come or go, or one below the top has another pc; that the top goes on
 * is no change, nor, in models without a stack, that another path runs.  What has been drawn before is counted, not
 * drawn again. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_SHOW_H
#define LOCKSTEP_MACHINE_OBSERVE_SHOW_H

#include <stdint.h>

struct gpu;
struct text;

/* The warp to look at: the flat number of its work-group, and which of the work-group's warps it is. */
struct show_target {
	uint32_t group, warp;
};

/* Puts out what has been drawn, as what kernels print. */
void show_put_out(const struct gpu *gpu, struct text *drawn);

#endif
