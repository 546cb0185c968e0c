/* Why a kernel hangs: who must act first, why that thread cannot, where; the cause by name, what to change. */
#ifndef LOCKSTEP_CHECK_HANG_H
#define LOCKSTEP_CHECK_HANG_H

#include <stdbool.h>

struct machine;
struct launch;

/* Fills launch->result.finding but for the detail's `confirmed` and `message` (verdict.h).  Causes (papers 1 to 4; docs/hangs.md):
 *     endless-loop   a thread spins in a loop that looks at nothing, and never leaves it
 *     simt           the owner of a lock, or who would signal, is parked in the warp that waits
 *     simt-cross     warps wait for locks whose owners are parked in one another
 *     lock-order     threads hold locks and wait for each other's, or one for its own
 *     lost-release   whoever took the lock has ended and never released it
 *     passed-rejoin  lanes have passed the place where others of their warp wait for them
 *     occupancy      work-groups wait for work-groups that cannot start before these end
 *     barrier        some threads of the group never come to the barrier
 *     stale-cache    the L1 keeps an old value of what the loop reads
 *     missing-signal nobody is left who would write what is waited for
 *     livelock       threads undo what others do
 * and under a progress model (machine/progress.h):
 *     progress       a work-group gets no turn, and others wait for what it would do */
void hang_explain(struct machine *machine, struct launch *launch, bool proved);

#endif
