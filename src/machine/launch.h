/* One kernel on the machine: what every core may read while it runs, and the machine's own part between quanta. */
#ifndef LOCKSTEP_MACHINE_LAUNCH_H
#define LOCKSTEP_MACHINE_LAUNCH_H

#include "machine/core.h"
#include "memory/address_map.h"
#include "memory/partition.h"
#include "policy/dispatch/dispatch.h"

struct gpu;

struct launch {
	/* Read by cores while they run */
	const struct gpu_model *model;
	const struct kernel *kernel;
	struct launch_values values;
	const uint32_t *constants;       /* constant bank, filled */
	const struct insn *code;         /* the kernel's, or a copy with observers patched in */
	const struct issue_cost *costs;
	const struct warp_scheduler *scheduler;
	const struct divergence_model *divergence;
	const struct coherence_policy *coherence;
	const struct address_space *space;
	struct address_map map;
	bool independent;                /* lanes of a warp count one by one at barriers */
	bool functional;
	uint32_t group_threads, group_warps, shared_bytes;
	uint32_t groups_per_core;
	uint32_t total_groups;
	size_t divergence_bytes;         /* per warp */
	uint32_t register_words, predicate_count, stack_bytes; /* per warp; stack per lane */
	uint32_t call_depth;
	uint32_t quantum;                /* cycles */
	uint64_t seed;

	/* The machine's */
	struct arena *arena;
	struct gpu *gpu;
	struct core *cores;
	struct arena *core_arenas;       /* one each: message boxes grow while running on any thread */
	uint32_t core_count;
	struct partition **partitions;
	struct inbox **slice_inboxes;    /* per slice */
	struct outbox **partition_outboxes;
	uint32_t partition_count, slices_per_partition;
	const struct group_dispatcher *dispatcher;
	void *dispatcher_state;
	uint32_t next_group;
	uint64_t groups_done;
	uint64_t cycle;                  /* start of the current quantum */
	uint64_t max_cycles;
	uint32_t parity;
};

#endif
