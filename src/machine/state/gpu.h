/* The simulated GPU between launches: model, policies, memory and partitions; and the starting and finishing of
 * launches. */
#ifndef LOCKSTEP_MACHINE_STATE_GPU_H
#define LOCKSTEP_MACHINE_STATE_GPU_H

#include "lockstep.h"
#include "machine/state/attached.h"
#include "machine/state/counters.h"
#include "machine/state/finding.h"
#include "memory/address_space.h"
#include "memory/heap.h"
#include "memory/image.h"
#include "memory/partition.h"
#include "warp/warp.h"

struct child_grid;
struct gpu_launch;
struct device_buffers;
struct launch;
struct launch_kind;
struct machine;
struct gpu;
struct schedule;
struct placement;
struct schedule_list;

/* What the host has enqueued after what is stuck (lockstep_queue). */
struct queued_work {
	const char *what, *where; /* "kernel set", "behind kernel wait in stream 2" */
	bool is_kernel;
	const struct gpu_launch *launch; /* of a kernel; null: it cannot be launched */
	uint64_t address, bytes;         /* of another thing: what it writes; 0 bytes: that is not known */
	const uint8_t *contents;         /* these bytes; null: they are not known */
};

/* What can be said of a grid before it is launched from the GPU. */
enum child_verdict {
	CHILD_GOOD,
	CHILD_NO_KERNEL,
	CHILD_BAD_SHAPE,     /* of grid or group */
	CHILD_NO_ROOM,       /* a group does not fit a core */
	CHILD_NOT_SUPPORTED, /* the reason is in words */
};

/* When gpu_finish returns false though the machine can go on. */
struct gpu_pause {
	/* also when nothing runs any more, which no write of the host could change */
	bool when_dead;
	/* likewise after so many cycles (functional mode: warp instructions) of the first launch; 0: never */
	uint64_t at;
	bool reached; /* it has returned because of `at` */
};

/* What the host does while a launch runs. */
struct gpu_host {
	/* It neither reads nor writes memory that it shares, as it waits for what runs. */
	bool waits;
	const struct queued_work *queued; /* while what runs is given up */
	uint32_t queued_count;
	const char *doubt; /* who may still write what is waited for, though it is given up; null: nobody */
};

/* For running a launch again, otherwise (explore/). */
struct gpu_experiment {
	/* what memory is when a machine begins is kept as long as that runs: see machine_swap */
	bool keeps_start;
	/* with keeps_start: memory becomes that again when nothing runs any more, whatever was written */
	bool puts_back;
	void (*between)(void *context); /* between quanta, or (rounds of) turns; null: nothing */
	void *between_context;
	uint32_t test, tests;      /* of a cause: which one runs, from 1, and how many there are by now */
	const struct change *mend; /* CHANGE_MBARRIER: it holds from the start; null: nothing is changed so */
	bool is_untold;            /* what it has done at an mbarrier is of no warp that observers know */
	bool between_holds;        /* what `between` has put aside it will let go: a machine without events goes on */
	bool boundless_pools;      /* setmaxnreg.inc gets all that it asks for */
};

/* For launches from the GPU (gpu/children.h). */
struct gpu_device_runtime {
	/* Whether a kernel of `parent`'s module may be launched so, where `why` is set to words that live as long as
	 * the GPU; and what it then is, which must be good. */
	enum child_verdict (*check_child)(
		struct gpu *gpu, const struct launch *parent, struct child_grid *grid, const char **why);
	void (*make_child)(
		struct gpu *gpu, const struct launch *parent, const struct child_grid *grid, struct gpu_launch *what);
	const struct ptx_module *module; /* with the kernels by which it copies and fills; null: they were not needed */
	uint32_t pending;                /* grids launched on the GPU that have not ended, at most */
	uint32_t depth;                  /* from which on these wait for nothing: cudaLimitDevRuntimeSyncDepth */
	struct device_buffers *buffers;  /* null: no kernel has asked for one */
};

struct gpu {
	struct arena *arena; /* program arena */
	struct gpu_model *model;
	/* A policy of each kind, by the kind's name. */
#define POLICY_KIND(kind, vtable, table, decides) const struct vtable *kind;
#include "policy/kinds.def"
#undef POLICY_KIND
	const uint32_t *scheduler_fields; /* the values of the scheduler's own, in their order */
	struct address_space space;
	struct heap heap; /* of device malloc; its size is set by the caller */
	struct image_table images;
	struct partition **partitions;
	struct arena *partition_arenas; /* one each: they grow while running on any thread */
	struct code_cache *code_cache;  /* of all cores; null: each has its own (fetch.shared) */
	struct inbox **slice_inboxes;
	struct outbox **partition_outboxes;
	struct machine *machine; /* null while nothing runs */
	struct launch *waiting;  /* launches that have not begun, in order */
	struct launch *finished; /* launches whose result has not been fetched, in order of their ends */
	struct arena drops;      /* of the result that gpu_finish returned last */
	uint64_t cycle;          /* where the last launch ended: time goes on */
	/* What it was opened with; where an option was not given, what that means.  `mode` may have changed since: see
	 * functional.  Texts and lists are the caller's and may be gone. */
	struct lockstep_options options;
	struct gpu_pause pause;
	bool stuck; /* gpu_finish has returned false, and the machine can go on */
	struct gpu_host host;
	/* Says why a launch hangs, into its result's finding, while everything is as it hangs.  Null: nothing says it.
	 */
	void (*explain)(struct machine *machine, struct launch *launch, bool proved);
	/* of the process's time, at most, for confirming a cause; 0: that is not tried */
	double explain_seconds;
	bool functional;
	/* also in functional mode: for how many lanes each instruction was issued */
	bool counts_issues;
	struct gpu_experiment experiment;
	struct schedule *schedule;                 /* under a progress model: which group runs; null: the seed's, or: */
	const struct schedule_list *schedule_list; /* written down; null: none */
	struct placement *placement;               /* of launches that run together; null: in order of start */
	void *observe[OBSERVER_COUNT]; /* what the user asks of each observer, in its own words; null: nothing */
	struct found_list *found;      /* what the checks have found so far, by enum found_kind */
	uint64_t launches;
	struct gpu_device_runtime device;
};

/* What each work-group of a launch takes of a core. */
struct launch_group {
	uint32_t threads;
	uint32_t warps;                     /* set by launch_create */
	uint32_t shared_bytes;              /* from address 0 on: the kernel's shared_first included */
	uint32_t registers, shared;         /* of the core's, as they are handed out: struct occupancy */
	uint32_t per_core, per_lesser_core; /* at most, on a core of its own: likewise */
	uint32_t pool_registers;            /* set by launch_create: see kernel_pool_registers */
};

struct gpu_launch {
	const struct kernel *kernel;
	const uint32_t *constants; /* the kernel's, with variable addresses filled in; copied */
	struct launch_values values;
	struct launch_group group;
	void *owner;                    /* the caller's; comes back */
	const struct launch_kind *kind; /* null: launch_grid */
	/* Of firmware: what it may dispatch. */
	const struct gpu_launch *dispatchables;
	uint32_t dispatchable_count;
	uint64_t after; /* as struct launch_early has it */
};

enum gpu_outcome { GPU_COMPLETED, GPU_HANG, GPU_FAULT, GPU_LIMIT, GPU_INTERRUPTED };

struct energy { /* in nanojoules; `total` is the sum of the others */
#define COUNTER(field, name, unit, meaning) uint64_t field;
#include "machine/state/energy.def"
#undef COUNTER
};

struct gpu_result {
	void *owner;
	enum gpu_outcome outcome;
	uint64_t start, cycles;   /* launched at; from then to the last activity */
	struct counters counters; /* instructions are the launch's own, the rest the GPU's while it ran */
	struct partition_counters partition_counters;
	struct control_counters control_counters;
	struct energy energy; /* likewise; all 0 in functional mode */
	struct finding finding;
	/* until the next gpu_finish; empty unless options.on_fault is LOCKSTEP_CONTINUE: drop.h */
	struct drop_list drops;
	struct drop left_bits; /* lock bits that work-groups had when they ended, and the first of them */
	bool overlapped;       /* with another launch */
};

static inline bool gpu_is_interrupted(const struct gpu *gpu)
{
	return gpu->options.interrupt && *gpu->options.interrupt;
}

#endif
