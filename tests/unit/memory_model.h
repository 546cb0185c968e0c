/* A GTX480's memory system for the tests of src/memory, which do not depend on the files in gpus/. */
#ifndef LOCKSTEP_TESTS_MEMORY_MODEL_H
#define LOCKSTEP_TESTS_MEMORY_MODEL_H

#include "model/model.h"

static inline struct gpu_model memory_model(void)
{
	return (struct gpu_model){
		.name = "test",
		.clock_core = 700000,
		.clock_dram = 924000,
		.core_count = 15,
		.warp_size = 32,
		.line_bytes = 128,
		.sector_bytes = 128,
		.crossbar_request_latency = 66,
		.crossbar_reply_latency = 66,
		.crossbar_flit = 40,
		.crossbar_header = 8,
		.slices = 12,
		.l2_sets = 64,
		.l2_ways = 8,
		.l2_latency = 2,
		.l2_mshrs = 256,
		.l2_merges = 4,
		.l2_sector = 32,
		.l2_port = 32,
		.l2_prefill = 1,
		.slice_interleave = 256,
		.atomic_interval = 9,
		.atomic_rate = 4,
		.channels = 6,
		.dram_banks = 16,
		.dram_groups = 4,
		.dram_row_bytes = 4096,
		.dram_burst_bytes = 64,
		.dram_burst_cycles = 2,
		.dram_tCCD = 2,
		.dram_tCCDL = 3,
		.dram_tRRD = 6,
		.dram_tRCD = 12,
		.dram_tRAS = 28,
		.dram_tRP = 12,
		.dram_tRC = 40,
		.dram_tCL = 12,
		.dram_tWL = 4,
		.dram_tCDLR = 5,
		.dram_tWR = 12,
		.dram_tRTPL = 2,
		.dram_queue = 64,
		.dram_bypass = 256,
		.dram_backlog = 244,
		.dram_latency = 100,
		.memory_megabytes = 64,
	};
}

#endif
