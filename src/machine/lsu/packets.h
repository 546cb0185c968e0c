/* The packets of atomics where they have the shape of sectors (atomic.packets).
 *
 * Lanes on different words of a line travel together: in a flit, and one more for each sector of 32 bytes that they
 * touch; a compare-and-swap needs twice as many.  A lane whose word another lane of the packet also has, or that is
 * alone on its line, is a packet of its own, of one flit; compare-and-swaps go alone even where two are on a line.  All
 * three GPUs of SyncPerformance (Burtchell and Burtscher, IISWC 2024) behave so, measured with arrays of words 1, 2, 4,
 * 16 and 32 apart.  A slice takes a lone compare-and-swap in one cycle, whatever comes before and after it: 40 cores on
 * one word do one every 1.048 cycles, reductions and compare-and-swaps alike.  A port that cores share may need longer
 * for a lone lane than its flits say (atomic.link). */
#ifndef LOCKSTEP_MACHINE_LSU_PACKETS_H
#define LOCKSTEP_MACHINE_LSU_PACKETS_H

#include "kernel/insn.h"
#include "machine/core/port.h"
#include "memory/message.h"

/* Of the atomics of one instruction on one line. */
struct port_packets packets_of(
	const struct gpu_model *model, const struct insn *i, const struct atomic_entry *entries, uint32_t count);

#endif
