/* The banks of shared memory: how long an access takes. */
#ifndef LOCKSTEP_MACHINE_LSU_BANKS_H
#define LOCKSTEP_MACHINE_LSU_BANKS_H

#include "kernel/insn.h"
#include "model/model.h"

struct lane_memory;

/* How many cycles the banks need: the most different words that one bank is asked for; lanes asking for the same word
 * share.  `address`: offsets in bytes, per lane. A wide access takes one pass per 4 bytes of an element (the hardware
 * splits it by quarter and half warps likewise). `memory`: of the warp. */
uint32_t banks_cycles(const struct gpu_model *model, const struct lane_memory *memory, const struct insn *i,
	const uint64_t *address, lane_mask lanes);
/* Most lanes on one word. */
uint32_t banks_same_word(const uint64_t *address, lane_mask lanes);

#endif
