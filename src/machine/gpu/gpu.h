/* The simulated GPU between launches: model, policies, memory and partitions; and the starting and finishing of launches. */
#ifndef LOCKSTEP_MACHINE_GPU_GPU_H
#define LOCKSTEP_MACHINE_GPU_GPU_H

#include "lockstep.h"
#include "machine/core/counters.h"
#include "machine/core/drop.h"
#include "machine/gpu/energy.h"
#include "machine/core/finding.h"
#include "machine/runtime/heap.h"
#include "machine/observe/attached.h"
#include "memory/address_space.h"
#include "memory/image.h"
#include "memory/partition.h"
#include "warp/warp.h"

struct launch;
struct machine;
struct schedule;
struct schedule_list;

struct gpu {
	struct arena *arena;                 /* program arena */
	struct gpu_model *model;
	const struct warp_scheduler *scheduler;
	const uint32_t *scheduler_fields;    /* the values of its own, in their order */
	const struct divergence_model *divergence;
	const struct coherence_policy *coherence;
	const struct group_dispatcher *dispatcher;
	const struct spin_detector *spin;
	const struct backoff_policy *backoff;
	const struct lock_unit *lock;
	const struct retry_policy *retry;
	struct address_space space;
	struct heap heap;                    /* of device malloc; its size is set by the caller */
	struct image_table images;
	struct partition **partitions;
	struct arena *partition_arenas;      /* one each: they grow while running on any thread */
	struct inbox **slice_inboxes;
	struct outbox **partition_outboxes;
	struct machine *machine;             /* null while nothing runs */
	struct launch *waiting;              /* launches that have not begun, in order */
	struct launch *finished;             /* launches whose result has not been fetched, in order of their ends */
	struct arena drops;                  /* of the result that gpu_finish returned last */
	uint64_t cycle;                      /* where the last launch ended: time goes on */
	/* What it was opened with; where an option was not given, what that means.  `mode` may have changed since: see functional.  Texts and
	 * lists are the caller's and may be gone. */
	struct lockstep_options options;
	bool pause_when_dead;                /* also when nothing runs any more, which no write of the host could change */
	uint64_t pause_at;                   /* likewise after so many cycles (functional mode: warp instructions) of the first launch; 0: never */
	bool stuck;                          /* gpu_finish has returned false, and the machine can go on */
	bool at_pause;                       /* because of pause_at */
	bool host_waits;                     /* the host neither reads nor writes memory that it shares, as it waits for what runs */
	/* Says why a launch hangs, into its result's finding, while everything stands as it hangs. */
	void (*explain)(struct machine *machine, struct launch *launch, bool proved);
	double explain_seconds;              /* of the process's time, at most, for confirming a cause; 0: that is not tried */
	bool functional;
	bool counts_issues;                  /* also in functional mode: for how many lanes each instruction was issued */
	bool keeps_start;                    /* what memory is when a machine begins is kept as long as that runs: see machine_swap */
	bool puts_back;                      /* with keeps_start: memory becomes that again when nothing runs any more, whatever was written */
	bool start_lost;                     /* of some machine so far it was not kept: too much was written */
	struct schedule *schedule;           /* under a progress model: who runs; null: the seed's, or: */
	const struct schedule_list *schedule_list; /* written down; null: none */
	const void *observe[OBSERVER_COUNT]; /* what the user asks of each observer, in its own words; null: nothing */
	uint64_t launches;
	void (*between)(void *context);      /* for experiments: between quanta, or rounds of turns; null: nothing */
	void *between_context;
	bool between_holds; /* what `between` has put aside it will let go: a machine without events goes on */
};

struct gpu_launch {
	const struct kernel *kernel;
	const uint32_t *constants;           /* the kernel's, with variable addresses filled in; copied */
	struct launch_values values;
	uint32_t group_threads, groups_per_core, groups_per_lesser_core;
	uint32_t shared_bytes;                  /* from address 0 on: the kernel's shared_first included */
	uint32_t group_registers, group_shared; /* what a group takes of a core: struct occupancy */
	void *owner;                         /* the caller's; comes back */
};

enum gpu_outcome { GPU_COMPLETED, GPU_HANG, GPU_FAULT, GPU_LIMIT, GPU_INTERRUPTED };

struct gpu_result {
	void *owner;
	enum gpu_outcome outcome;
	uint64_t start, cycles;              /* launched at; from then to the last activity */
	struct counters counters;            /* instructions are the launch's own, the rest the GPU's while it ran */
	struct partition_counters partition_counters;
	struct energy energy;                /* likewise; all 0 in functional mode */
	struct finding finding;
	struct drop_list drops;              /* until the next gpu_finish; empty unless options.on_fault is LOCKSTEP_CONTINUE: drop.h */
	bool overlapped;                     /* with another launch */
};

static inline bool gpu_is_interrupted(const struct gpu *gpu)
{
	return gpu->options.interrupt && *gpu->options.interrupt;
}

/* Makes partitions and crossbar; the policies, model and options are set by the caller before. */
void gpu_create(struct gpu *gpu);
void gpu_destroy(struct gpu *gpu); /* what is not in gpu->arena, unfinished launches included */
/* Hands a launch to the GPU: it begins when fewer than concurrent_kernels run, in order of starting. */
void gpu_start(struct gpu *gpu, const struct gpu_launch *what);
/* Runs until a launch has ended and returns its result; false: nothing was started that has not been returned, or gpu->stuck. */
bool gpu_finish(struct gpu *gpu, struct gpu_result *result);
/* What a host copy leaves in the L2: see model field l2.prefill. */
void gpu_prefill(struct gpu *gpu);
/* What runs from now on shows nothing outside: no print, progress, timeline, drawing or explanation. */
void gpu_hide(struct gpu *gpu);
/* Whether what is stuck may go on by what the host writes to memory that it shares. */
bool gpu_asks_host(const struct gpu *gpu);
/* What is stuck has hung: gpu_finish returns it. */
void gpu_give_up(struct gpu *gpu);

#endif
