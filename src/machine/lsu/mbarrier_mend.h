/* What a CHANGE_MBARRIER (state/finding.h) does to the instructions of a launch that is run again to test a cause:
 * without an experiment, nothing. */
#ifndef LOCKSTEP_MACHINE_LSU_MBARRIER_MEND_H
#define LOCKSTEP_MACHINE_LSU_MBARRIER_MEND_H

#include "machine/state/core.h"

/* The count that mbarrier.init gives, where the program says `count`. */
uint32_t mbarrier_mend_count(const struct core *core, const struct operation *op, uint32_t count);
/* The mbarrier.init does nothing to this lane's object. */
bool mbarrier_mend_skips(const struct core *core, const struct operation *op, uint32_t lane);
/* How many arrivals an instruction makes, and how many bytes it expects. */
void mbarrier_mend_arrival(
	const struct core *core, const struct operation *op, uint32_t lane, uint32_t *count, uint64_t *bytes);
/* Whether a wait asks for odd parity. */
bool mbarrier_mend_odd(const struct core *core, const struct operation *op, uint32_t lane, bool odd);
/* The objects at which an operation waits, or arrives. */
void mbarrier_mend_waits(const struct core *core, const struct operation *op);
void mbarrier_mend_targets(const struct core *core, const struct operation *op);
/* The objects at which the lanes of a warp wait or arrive: `address` or, if a change maps them to others, `to`.  For
 * observers, which hear of an operation before it is carried out. */
const uint64_t *mbarrier_mend_mapped(const struct core *core, const struct warp_slot *r, const struct insn *insn,
	lane_mask lanes, uint8_t space, const uint64_t *address, uint64_t *to);
/* The object that a lane's copy tells. */
uint32_t mbarrier_mend_object(const struct core *core, const struct operation *op, uint32_t lane, uint32_t object);
/* The object at which copies arrive that cp.async.mbarrier.arrive tracks. */
uint32_t mbarrier_mend_tracked(const struct core *core, const struct operation *op, uint32_t object);
/* An expect_tx also arrives; a cp.async.mbarrier.arrive without .noinc is as one with it. */
bool mbarrier_mend_arrives(const struct core *core, const struct group *group, const struct insn *insn);
/* The present phase of the object may not be complete yet. */
bool mbarrier_mend_holds(const struct core *core, const struct group *group, uint64_t offset);

#endif
