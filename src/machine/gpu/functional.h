/* The functional mode: the machine without time. */
#ifndef LOCKSTEP_MACHINE_GPU_FUNCTIONAL_H
#define LOCKSTEP_MACHINE_GPU_FUNCTIONAL_H

#include "machine/state.h"

/* As machine_run. */
struct launch *functional_run(struct machine *machine);
/* A ready warp runs up to and with one instruction that others may notice (an access to memory, a barrier), and on to
 * before the next one; at most `most` instructions.  Returns how many. */
uint32_t functional_step(struct core *core, struct warp_slot *r, uint32_t most);
/* Nothing runs but for those that wait with a time limit: the time passes.  False: there are none. */
bool functional_pass_time(struct machine *machine);

#endif
