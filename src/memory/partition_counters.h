/* What a memory partition counts: sums over its slices.  Names are in src/memory/counters.def. */
#ifndef LOCKSTEP_MEMORY_PARTITION_COUNTERS_H
#define LOCKSTEP_MEMORY_PARTITION_COUNTERS_H

#include <stdint.h>

struct partition_counters {
	uint64_t l2_loads, l2_load_hits, l2_stores,
		l2_store_hits; /* sectors or lines asked for, as the model's unit is */
	uint64_t l2_fills, l2_write_backs;
	uint64_t atomics,
		atomic_conflicts; /* lane operations; of them, those that waited for another on the same word */
	uint64_t atomic_conflict_cycles;
	uint64_t dram_reads, dram_writes; /* bursts */
	uint64_t dram_row_hits, dram_row_misses, dram_busy_cycles /* data bus, DRAM cycles */;
	uint64_t replies, reply_flits, request_flits;
	uint64_t probes, recalls, forwards, upgrades, copy_backs; /* of directories */
	uint64_t lock_requests, lock_refusals, lock_timeouts;     /* lanes */
	uint64_t lock_records, lock_records_most;                 /* made in all; at one time, of each slice */
	uint64_t lock_wait_cycles;
};

#endif
