/* The simulated GPU between launches: model, policies, memory and partitions; and the running of a kernel on it. */
#ifndef LOCKSTEP_MACHINE_GPU_H
#define LOCKSTEP_MACHINE_GPU_H

#include "machine/launch.h"
#include "machine/timeline.h"

struct gpu {
	struct arena *arena;                 /* program arena */
	struct gpu_model *model;
	const struct warp_scheduler *scheduler;
	const struct divergence_model *divergence;
	const struct coherence_policy *coherence;
	const struct group_dispatcher *dispatcher;
	struct address_space space;
	struct partition **partitions;
	struct arena *partition_arenas;      /* one each: they grow while running on any thread */
	struct inbox **slice_inboxes;
	struct outbox **partition_outboxes;
	uint64_t cycle;                      /* where the last launch ended: time goes on */
	uint64_t seed;
	uint32_t threads;
	uint64_t max_cycles;
	bool functional;
	const struct timeline_sink *timeline; /* null: none */
	uint64_t launches;
	void (*progress)(void *context, uint64_t cycles, uint64_t warp_instructions, uint64_t groups_done, uint64_t groups);
	void *progress_context;
	void (*print)(void *context, const char *text, size_t length);
	void *print_context;
};

struct gpu_launch {
	const struct kernel *kernel;
	const uint32_t *constants;           /* the kernel's, with variable addresses filled in; copied */
	struct launch_values values;
	uint32_t group_threads, shared_bytes, groups_per_core;
};

enum gpu_outcome { GPU_COMPLETED, GPU_HANG, GPU_FAULT, GPU_LIMIT };

struct gpu_result {
	enum gpu_outcome outcome;
	uint64_t cycles;
	struct counters counters;
	struct partition_counters partition_counters;
	struct finding finding;
};

/* Makes partitions and crossbar; the policies, model and options are set by the caller before. */
void gpu_create(struct gpu *gpu);
void gpu_destroy(struct gpu *gpu); /* what is not in gpu->arena */
struct gpu_result gpu_run(struct gpu *gpu, const struct gpu_launch *what);

/* functional.c: runs all groups without time. */
void functional_run(struct launch *launch, struct gpu *gpu, struct gpu_result *result);
/* Which warp waits for what when nothing can run any more. */
void launch_explain_blocked(const struct launch *launch, struct finding *f);
/* The policy's choice of groups for free places, at a point where no core runs. True when any was placed. */
bool launch_dispatch(struct launch *launch, uint64_t at);

#endif
