/* Accesses that a kernel must not make, dropped so that it goes on (`--on-fault continue`): where, and how often.
 *
 * Only loads, stores and atomics are dropped, one lane's at a time, and asynchronous copies of 4 to 16 bytes.  What
 * else goes wrong ends the launch as ever: a barrier, a lock or a copy with one part missing would make others wait
 * for ever. */
#ifndef LOCKSTEP_MACHINE_CORE_DROP_H
#define LOCKSTEP_MACHINE_CORE_DROP_H

#include "machine/core/fault.h"
#include "machine/state/finding.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct core;
struct insn;
struct launch;
struct warp_slot;

/* An access of the instruction is to be dropped for a reason for which one was dropped here before: counts it.  False:
 * it is for the caller to say what is wrong, by core_fault, and then to call drop_take. */
bool drop_again(const struct warp_slot *r, const struct insn *i, enum fault_cause cause);
/* Takes the fault that core_fault has just noted, so that the core goes on.  False: faults are not dropped, or not this
 * one. */
bool drop_take(struct core *core, const struct warp_slot *r, const struct insn *i);
/* What was dropped on so many cores: of each place and cause the first in time, of one cycle the lowest core's. */
struct drop_list drop_gather(struct arena *arena, const struct launch *launch, uint32_t cores);

#endif
