/* Why a kernel hangs: who waits for what, who could end it and where that thread stands, the cause by name, what to change. */
#ifndef LOCKSTEP_CHECK_HANG_H
#define LOCKSTEP_CHECK_HANG_H

#include <stdbool.h>

struct machine;
struct launch;

/* Fills launch->result.finding; see struct gpu for when.  Causes (papers 1 to 4; docs/hangs.md):
 *     simt           the owner of a lock, or who would signal, is parked in the warp that waits
 *     simt-cross     warps wait for locks whose owners are parked in one another
 *     lock-order     threads hold locks and wait for each other's, or one for its own
 *     lost-release   whoever took the lock has ended and never released it
 *     occupancy      work-groups wait for work-groups that cannot start before these end
 *     barrier        some threads of the group never come to the barrier
 *     stale-cache    the L1 keeps an old value of what the loop reads
 *     missing-signal nobody is left who would write what is waited for
 * and under a progress model (machine/progress.h):
 *     progress       a work-group that is owed no progress gets no turn, and others wait for what it would do
 *     livelock       all get their turns, and undo what the others do */
void hang_explain(struct machine *machine, struct launch *launch, bool proved);

#endif
