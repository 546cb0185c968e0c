/* Warps that spin: what the spin detector is told, and what the back-off policy then says.
 *
 * A launch's code is patched once, when it is made, where somebody wants to look: backward branches and setp for the spin
 * detector, branches for a scheduler that estimates what is left to do.  Back-off stands before the scheduler's pick, and its
 * delays are times before which a warp does not issue; only of the second instruction that a warp issues in a cycle it has to be told.
 * So without these policies the cycle loop is as if this file were not there, but for a test before such second instructions. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_SPINNING_H
#define LOCKSTEP_MACHINE_OBSERVE_SPINNING_H

#include "machine/gpu.h"
#include "machine/launch.h"

/* Of one core; null in core->spinning when no policy wants it. */
struct spinning;

/* Whether the policies of the GPU fit together and their fields can be read; an error says what is wrong. */
bool spinning_check(const struct gpu *gpu, struct report *report);
/* Whether launches need a patched copy of their code for it. */
bool spinning_wants(const struct gpu *gpu);
/* Whether an instruction is patched, so that it comes to spinning_observe. */
bool spinning_observes(const struct gpu *gpu, const struct insn *insn);
/* Which pcs of a kernel the user has marked; null: the detector does not ask. */
const bool *spinning_marks(struct arena *arena, const struct gpu *gpu, const struct kernel *kernel);
/* Room for what is seen of a launch's loops on one core. */
struct seen_loop *spinning_loops(struct arena *arena, uint32_t code_count);
/* Detector and back-off of a core whose schedulers are made: stands before their picks if need be. */
void spinning_create(struct core *core, struct arena *arena);
/* Before the instruction is carried out. */
void spinning_observe(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);
/* Before the second instruction that a warp issues in a cycle; the scheduler's pick was for the first. */
void spinning_issues_again(struct core *core, const struct resident *r);
void spinning_retire(struct core *core, uint32_t slot);

#endif
