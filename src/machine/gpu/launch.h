/* What runs: the machine while kernels are on it, and each kernel's launch.
 *
 * The machine is made when a launch starts on an idle GPU and lives until no launch is left; meanwhile others may join, as many
 * as the model's concurrent_kernels says, and share cores.  Cores read both while they run; what changes, changes between
 * quanta, when one thread runs alone. */
#ifndef LOCKSTEP_MACHINE_GPU_LAUNCH_H
#define LOCKSTEP_MACHINE_GPU_LAUNCH_H

#include "machine/core/core.h"
#include "machine/gpu/gpu.h"
#include "machine/nodes/node.h"
#include "memory/address_map.h"
#include "memory/partition.h"
#include "policy/dispatch/dispatch.h"
#include "policy/lock/lock.h"
#include "policy/retry/retry.h"

struct crew;
struct progress;
struct seen_loop;

struct machine {
	/* Read by cores while they run */
	const struct gpu_model *model;
	const struct warp_scheduler *scheduler;
	const struct divergence_model *divergence;
	const struct coherence_policy *coherence;
	const struct lock_unit *lock;
	const struct retry_policy *retry;
	struct retry_values retry_values;
	const struct address_space *space;
	const struct image_table *images;
	const struct lane_memory *lane_memory;
	struct address_map map;
	bool independent;                /* lanes of a warp count one by one at barriers */
	bool functional;
	uint32_t quantum;                /* cycles */
	uint32_t core_count;
	uint64_t start;                  /* cycle at which it was made */
	uint64_t cycle;                  /* start of the current quantum */
	uint64_t stamp_of_cycle_0;       /* modulo 2^64: see machine_stamp */
	uint32_t parity;                 /* of the quantum: see memory/message.h */
	uint64_t seed;                   /* of the cores' random choices */

	/* Between quanta */
	struct arena arena;
	struct gpu *gpu;
	struct core *cores;
	struct arena *core_arenas;       /* one each: message boxes grow while running on any thread */
	struct partition **partitions;
	uint32_t partition_count;
	struct node *nodes;              /* cores, partitions, and what else sends messages: see nodes/node.h */
	uint32_t node_count;
	struct senders senders[NODE_KINDS]; /* to nodes of each kind */
	struct crew *crew;
	struct launch *launches;         /* that have not finished, in order of start */
	uint64_t rounds;                 /* quanta, or turns of all cores, so far */
	uint64_t turn_seed;              /* functional mode: which warp's turn it is */
	struct watcher *watcher;
	struct snapshot *snapshot;       /* of memory when it was made; null: it will not be asked for */
	struct heap_state *heap_start, *heap_now; /* likewise; what it is while memory is as at the start */
	struct progress *progress;       /* under a progress model; null: it has none, or has not begun */
	bool stuck_for_ever;             /* while gpu->stuck: it is proved */
	bool is_first;                   /* of its GPU, which has run nothing before */
	bool was_interrupted;            /* it has been stuck, and went on: the host may have written to memory */
	uint32_t ended;                  /* launches */
	uint32_t observers;              /* that are attached to a core, or were */
};

/* A copy of a launch's code in which instructions are hooks (INSN_OBSERVED) where an observer of the set wants them.  A hook's `target` is
 * the set of those that do; what is to be carried out is in the kernel's code. */
struct observed_code {
	struct observed_code *next;
	uint32_t set;
	struct insn code[];
};

struct launch {
	/* Read by cores while they run */
	struct machine *machine;
	const struct kernel *kernel;
	struct launch_values values;
	const uint32_t *constants;       /* constant bank, filled */
	const struct insn *code;         /* the kernel's, or a copy with observers patched in */
	const struct issue_cost *costs;
	const bool *spin_marks;          /* per pc: the user says that this branch induces spinning; null: nobody asks */
	uint32_t group_threads, group_warps;
	uint32_t shared_bytes;                  /* see struct gpu_launch */
	uint32_t group_registers, group_shared; /* of the core's register file and shared memory, as they are handed out */
	uint32_t groups_per_core, groups_per_lesser_core; /* at most, on a core of its own */
	uint32_t total_groups;
	size_t divergence_bytes;         /* per warp */
	uint32_t register_words, predicate_count, stack_bytes; /* per warp; stack per lane */
	uint32_t call_depth;
	uint32_t core_count;             /* of the GPU */

	/* Between quanta */
	struct observed_code *copies;    /* of the code, with hooks for observers */
	struct launch *next;             /* in the machine's list, or the GPU's of those that wait */
	struct arena arena;
	struct residency **on;           /* per core; null where no group has been */
	const struct group_dispatcher *dispatcher;
	void *dispatcher_state;
	uint32_t next_group;
	bool functional;
	uint64_t ordinal;                /* launches of this GPU before it */
	uint64_t start;                  /* cycle at which it was launched */
	uint64_t ready_at;               /* no group starts before */
	struct counters before;          /* the cores' sums when it started */
	struct partition_counters partitions_before;
	struct gpu_result result;
};

/* A launch's part of one core, which belongs to the core. */
struct residency {
	struct launch *launch;
	uint64_t *code_line_ready;       /* per line of code: cycle it came, 0: not asked for */
	uint64_t *parameter_line_ready;  /* likewise, of the parameter block */
	char *warps;                     /* registers and divergence state of each place for a warp */
	size_t warp_bytes;
	uint8_t *locals;                   /* local memory of each place */
	uint64_t places_taken;           /* so far */
	uint64_t free_warps;             /* places */
	struct seen_loop *seen_loops;    /* per pc: see spinning.c; null: nobody looks */
	uint8_t *shared;                 /* of each place for a group */
	size_t shared_stride;
	uint64_t free_groups;            /* places */
	uint64_t groups_done;
	struct issue_count *issued;      /* per pc: what issue() counts */
	struct drops *drops;             /* null: faults end the launch */
	struct counters counters;        /* of instructions, in functional mode */
};

/* launch.c: sizes, costs and places of a launch. */
/* Puts it at the end of a list. */
void launch_append(struct launch **list, struct launch *launch);
struct launch *launch_create(struct gpu *gpu, const struct gpu_launch *what);
void launch_destroy(struct launch *launch);
/* Where an instruction stands: one of the kernel's code, or of a copy with observers in it. */
uint32_t launch_pc(const struct launch *launch, const struct insn *insn);
/* Bytes of local memory of a warp. */
static inline size_t launch_local_bytes(const struct launch *launch)
{
	return ((size_t)launch->stack_bytes * launch->kernel->lanes + 63) & ~(size_t)63;
}
/* Groups that a core of its own holds at once. */
uint32_t launch_groups_on(const struct launch *launch, uint32_t core);
/* The launch's part of a core, made when it is first asked for. */
struct residency *launch_residency(struct launch *launch, uint32_t core);
uint64_t launch_groups_done(const struct launch *launch);
/* How often an instruction was issued so far, on all cores; not in functional mode. */
struct issue_count launch_issued(const struct launch *launch, uint32_t pc);
/* Warp instructions of the launch so far. */
uint64_t launch_instructions(const struct launch *launch);
/* The policy's choice of groups for free places, at a point where no core runs. True when any was placed. */
bool launch_dispatch(struct launch *launch, uint64_t at);
/* The stamp of the quantum that begins at `cycle`, for the history of lines (memory/line_history.h), which goes on from machine to machine. */
static inline uint64_t machine_stamp(const struct machine *machine, uint64_t cycle)
{
	return cycle + machine->stamp_of_cycle_0;
}
/* machine.c: `first` is the launch for which it is made. */
struct machine *machine_create(struct gpu *gpu, const struct launch *first);
void machine_destroy(struct machine *machine);
/* Makes memory and the heap what they were when the machine was made or, the second time, what they were before the first; in between
 * the machine is paused, and others may run on the same memory that have snapshots of their own and put them back (gpu->puts_back).  False:
 * what it was is not kept. */
bool machine_swap(struct machine *machine);
/* A core, made when a group first goes there: many launches are smaller than the GPU. */
struct core *machine_core(struct machine *machine, uint32_t index);
/* Puts a launch on the machine. */
void machine_join(struct machine *machine, struct launch *launch);
/* Runs until at least one launch has finished: it is out of the list and its result is complete.  Null: the GPU is stuck. */
struct launch *machine_run(struct machine *machine);
/* Ends a launch, for the machine's ways of running only. */
void machine_finish(struct machine *machine, struct launch *launch, enum gpu_outcome outcome);
/* All launches end: the fault's own with it, the others because of it. Returns the fault's. */
struct launch *machine_fault(struct machine *machine, const struct finding *fault);

/* Nothing will ever happen again, or (not proved) nothing has for long: all launches hang.  Returns the first. */
struct launch *machine_hang(struct machine *machine, bool proved);
/* Nothing runs any more: the first launch, which has ended, or null, and the GPU is stuck. */
struct launch *machine_dead(struct machine *machine);
/* gpu->pause_at has come; `done`: cycles, or warp instructions. */
bool machine_pauses(struct machine *machine, uint64_t done);
/* Looks whether the launches hang: false, they go on; true, *over is the first, all have ended, or it is null and the GPU stuck. */
bool machine_watch(struct machine *machine, struct launch **over);

/* functional.c: the same without time. */
struct launch *functional_run(struct machine *machine);
/* A ready warp runs up to and with one instruction that others may notice (an access to memory, a barrier), and on to before the next
 * one; at most `most` instructions.  Returns how many. */
uint32_t functional_step(struct core *core, struct resident *r, uint32_t most);
/* Nothing runs but for those that wait with a time limit: the time passes.  False: nobody does. */
bool functional_pass_time(struct machine *machine);

#endif
