/* `--show stack`: draws the divergence state of one warp, after each instruction that changes it.
 *
 * The warp's core makes the text while it runs, since who looks does not mind the time; between quanta it is put out as what
 * kernels print.  When nobody looks there is no struct show, and no hook in the code: see INSN_OBSERVED.
 *
 * An instruction changes the state when entries come or go, or one below the top has another pc; that the top goes on is no change, and
 * of models without a stack neither is whose turn it is.  What has been drawn before is counted, not drawn again. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_SHOW_H
#define LOCKSTEP_MACHINE_OBSERVE_SHOW_H

#include <stdint.h>

struct arena;
struct core;
struct machine;
struct resident;

/* The warp to look at: the flat number of its work-group, and which of the work-group's warps it is. */
struct show_target {
	uint32_t group, warp;
};

struct show; /* of one core */
struct show *show_create(struct arena *arena);
/* Around each instruction of the core.  Before it: what has changed since the last one, when memory answered or a barrier opened. */
void show_before(struct core *core, const struct resident *r);
void show_after(struct core *core, const struct resident *r, uint32_t pc);
/* Puts out everything drawn so far; called when no core runs. */
void show_flush(struct machine *machine, int at_end);

#endif
