/* What runs: the machine while kernels are on it, and each kernel's launch.
 *
 * The machine is made when a launch starts on an idle GPU and lives until no launch is left; meanwhile others may join,
 * as many as the model's concurrent_kernels says, and share cores.  Cores read both while they run; what changes,
 * changes between quanta, when one thread runs alone. */
#ifndef LOCKSTEP_MACHINE_STATE_H
#define LOCKSTEP_MACHINE_STATE_H

#include "machine/core/core.h"
#include "machine/gpu/gpu.h"
#include "machine/lsu/lock_bits.h"
#include "machine/nodes/node.h"
#include "machine/nodes/turns.h"
#include "memory/address_map.h"
#include "memory/partition.h"
#include "model/divisions.h"
#include "policy/dispatch/dispatch.h"
#include "policy/lock/lock.h"
#include "policy/retry/retry.h"

struct child;
struct control_processor;
struct family;
struct firmware;
struct thread_pool;
struct progress;

struct machine {
	/* Read by cores while they run */
	const struct gpu_model *model;
	/* The GPU's policies. */
#define POLICY_KIND(kind, vtable, table, decides) const struct vtable *kind;
#include "policy/kinds.def"
#undef POLICY_KIND
	struct retry_values retry_values;
	struct divisions divisions;
	const struct address_space *space;
	const struct image_table *images;
	const struct lane_memory *lane_memory;
	struct address_map map;
	bool independent; /* lanes of a warp count one by one at barriers */
	bool functional;
	bool notes_issues; /* an observer hears of issues and stalls: never in functional mode */
	uint32_t quantum;  /* cycles */
	uint32_t core_count;
	uint64_t start;            /* cycle at which it was made */
	uint64_t cycle;            /* start of the current quantum */
	uint64_t next_start;       /* cycle from which a work-group may start: dispatch.interval */
	uint64_t fence_turn;       /* no fence of system scope ends before: fence.system_interval */
	uint64_t stamp_of_cycle_0; /* modulo 2^64: see machine_stamp */
	uint32_t parity;           /* of the quantum: see memory/message.h */
	uint64_t seed;             /* of the cores' random choices */

	/* Between quanta */
	struct arena arena;
	struct gpu *gpu;
	struct core *cores;
	struct arena *core_arenas; /* one each: message boxes grow while running on any thread */
	struct partition **partitions;
	uint32_t partition_count;
	struct port_link *links; /* crossbar.cores above 1: one for so many cores; else null */
	struct node *nodes;      /* cores, partitions, and what else sends messages: see nodes/node.h */
	uint32_t node_count;
	/* by the quantum's parity, per node: for which addresses it sent messages, as outbox_addressed says */
	uint64_t *addressed[2];
	struct senders senders[NODE_KINDS]; /* to nodes of each kind */
	struct turns turns;
	uint32_t *peers; /* indices of all cores, for each other; null: no launch here has clusters */
	struct control_processor *processor; /* null: no launch here has firmware */
	struct arena processor_arena;
	struct child
		*ready;   /* launched on the GPU, and nothing is left that they wait for (gpu/children.h): by cycle */
	uint32_t unbegun; /* launched on the GPU, and not begun */
	uint32_t pending; /* launched on the GPU, and not ended as children.h says */
	uint64_t next_child; /* cycle from which the next of them may begin: device.interval */
	struct thread_pool *thread_pool;
	struct launch *launches; /* that have not finished, in order of start */
	struct launch *active;   /* of these, those whose work-groups have not all ended; functional mode: all */
	/* Since it was last looked at: what a kernel has launched has ended; that, or all groups of a launch have. */
	bool child_ended, tails_due;
	uint64_t rounds;    /* quanta, or turns of all cores, so far */
	uint64_t turn_seed; /* functional mode: which warp's turn it is */
	struct watcher *watcher;
	struct snapshot *snapshot;                /* of memory when it was made; null: it will not be asked for */
	struct heap_state *heap_start, *heap_now; /* likewise; what it is while memory is as at the start */
	struct progress *progress;                /* under a progress model; null: it has none, or has not begun */
	uint64_t progress_quiet_since;            /* under one: instructions run when more than polling was last seen */
	bool stuck_for_ever;                      /* while gpu->stuck: it is proved */
	bool is_first;                            /* of its GPU, which has run nothing before */
	bool was_interrupted; /* it has been stuck, and went on: the host may have written to memory */
	uint32_t ended;       /* launches */
	uint32_t observers;   /* that are attached to a core, or were */
};

/* A copy of a launch's code in which instructions are hooks (INSN_OBSERVED) where an observer of the set wants them.  A
 * hook's `target` is the set of those that do; what is to be carried out is in the kernel's code. */
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
	const uint32_t *constants;    /* constant bank, filled */
	const struct insn *code;      /* the kernel's, or a copy with observers patched in */
	const struct issue_row *rows; /* of the code */
	uint32_t group_threads, group_warps;
	uint32_t shared_bytes; /* see struct gpu_launch */
	/* of the core's register file and shared memory, as they are handed out */
	uint32_t group_registers, group_shared;
	uint32_t groups_per_core, groups_per_lesser_core; /* at most, on a core of its own */
	uint32_t kept; /* so many of the GPU's cores, the last ones, it leaves to others: see gpu/children.h */
	uint32_t total_groups;
	size_t divergence_bytes;                               /* per warp */
	uint32_t register_words, predicate_count, stack_bytes; /* per warp; stack per lane */
	uint32_t call_depth;
	uint32_t core_count; /* of the GPU */

	/* Between quanta */
	struct firmware *firmware; /* of a launch whose kernel is firmware: see gpu/firmware.h; else null */
	struct launch *parent;     /* the launch whose firmware dispatches this one's kernel; null: none does */
	struct family
		*family;     /* of a launch whose kernel calls CUDA's device runtime: what it has launched; else null */
	struct child *child; /* as what a kernel has launched it; null: the host has */
	/* Functional mode, per pc: how many runs of instructions began there less how many ended before it.  The sum up
	 * to a pc is how often its instruction was carried out.  Null in timing mode. */
	uint64_t *runs;
	struct observed_code *copies; /* of the code, with hooks for observers */
	struct launch *next;          /* in the machine's list, or the GPU's of those that wait */
	struct launch *next_active;
	bool groups_over;           /* all work-groups have ended; not in functional mode, nor with firmware */
	uint64_t over_instructions; /* then: what launch_instructions gives from now on */
	struct arena arena;
	struct core_launch **on; /* per core; null where no group has been */
	const struct group_dispatcher *dispatcher;
	void *dispatcher_state;
	uint32_t next_group;
	uint32_t cluster_part; /* of the GPU, where the next cluster goes if there is room */
	bool functional;
	uint64_t ordinal;       /* launches of this GPU before it */
	uint64_t start;         /* cycle at which it was launched */
	uint64_t ready_at;      /* no group starts before */
	struct counters before; /* the cores' sums when it started */
	struct partition_counters partitions_before;
	struct gpu_result result;
};

/* Whether an issue of an instruction is told, where issues are noted. */
enum told_issue {
	TOLD_NEVER,
	TOLD_ALWAYS,
	TOLD_DIVERGING, /* when it is for some of the active lanes, but not for all */
};

/* A launch's part of one core, which belongs to the core. */
struct core_launch {
	struct launch *launch;
	uint64_t *code_line_ready;      /* per line of code: cycle it came, 0: not asked for */
	uint64_t *parameter_line_ready; /* likewise, of the parameter block */
	char *warps;                    /* registers and divergence state of each place for a warp */
	size_t warp_bytes;
	uint8_t *locals;       /* local memory of each place */
	uint64_t places_taken; /* so far */
	uint64_t free_warps;   /* places */
	uint8_t *shared;       /* of each place for a group */
	size_t shared_stride;
	uint64_t free_groups; /* places */
	uint64_t groups_done;
	struct placed *placed;      /* of each place for a group: what firmware dispatched there; null: none did */
	struct issue_count *issued; /* per pc: what issue() counts */
	/* Where issues are noted: so far behind the ready time of a value (warp_slot.register_ready) is the pc that
	 * writes it. */
	uint32_t writer_offset;
	const uint8_t *tells;           /* likewise, per pc: enum told_issue */
	struct drops *drops;            /* null: faults end the launch */
	struct counters counters;       /* of instructions, in functional mode */
	uint64_t left_bits;             /* lock bits that groups of it still had when they ended */
	struct lock_bit_taker left_bit; /* the first of them */
	void *observed[OBSERVER_COUNT]; /* what an observer has of it, in the launch's arena; null: nothing */
};

/* Bytes of local memory of a warp. */
static inline size_t launch_local_bytes(const struct launch *launch)
{
	return ((size_t)launch->stack_bytes * launch->kernel->lanes + 63) & ~(size_t)63;
}
/* The stamp of the quantum that begins at `cycle`, for the history of lines (memory/line_history.h), which goes on from
 * machine to machine. */
static inline uint64_t machine_stamp(const struct machine *machine, uint64_t cycle)
{
	return cycle + machine->stamp_of_cycle_0;
}

#endif
