/* A launch, and its part of each core.  Cores read both while they run; what else changes, changes between quanta. */
#ifndef LOCKSTEP_MACHINE_STATE_LAUNCH_H
#define LOCKSTEP_MACHINE_STATE_LAUNCH_H

#include "machine/state/core.h"
#include "machine/state/gpu.h"
#include "machine/state/launch_kind.h"

struct child;
struct family;
struct firmware;
struct group_dispatcher;
struct machine;

/* A copy of a launch's code in which instructions are hooks (INSN_OBSERVED) where an observer of the set wants them.  A
 * hook's `target` is the set of those that do; what is to be carried out is in the kernel's code. */
struct observed_code {
	struct observed_code *next;
	uint32_t set;
	struct insn code[];
};

/* What each warp of a launch takes. */
struct launch_warp {
	size_t divergence_bytes;
	uint32_t register_words, predicate_count;
	uint32_t stack_bytes; /* per lane */
	uint32_t call_depth;
};

/* Which of a launch's work-groups starts next, and where. */
struct launch_dispatch {
	const struct group_dispatcher *policy;
	void *state; /* the policy's */
	uint32_t next_group;
	uint32_t cluster_part; /* of the GPU, where the next cluster goes if there is room */
	uint32_t *room;        /* groups that each core could start now, when machine_cores.rooms was `rooms` */
	uint32_t rooms;
};

/* How far a launch on the machine has come, and its place in the machine's lists. */
struct launch_course {
	struct launch *previous, *next_active, *next_done;
	uint64_t joined;            /* launches that joined the machine before it */
	bool groups_over;           /* all work-groups have ended; not with firmware */
	bool is_done;               /* all that it was to do is done */
	uint64_t over_instructions; /* groups_over: what launch_instructions gives from now on */
};

/* Programmatic launch: see gpu/early.h. */
struct launch_early {
	uint64_t after;         /* the ordinal, plus one, of the launch that it may overlap; 0: none */
	struct launch *primary; /* that one, while it is on the machine; else null */
	bool is_held;           /* no group may begin yet */
	uint64_t ready_at;      /* then: launch.ready_at but for that */
};

struct launch {
	/* Read by cores while they run */
	struct machine *machine;
	const struct kernel *kernel;
	struct launch_values values;
	const uint32_t *constants;       /* constant bank, filled */
	const struct insn *code;         /* the kernel's, or a copy with observers patched in */
	const struct issue_row *rows;    /* of the code */
	const struct issue_times *times; /* that rows name, from 1 on; null: values have one ready time */
	struct launch_group group;
	struct launch_warp warp;
	uint32_t kept; /* so many of the GPU's cores, the last ones, it leaves to others: see gpu/children.h */
	uint32_t total_groups;
	uint32_t core_count; /* of the GPU */

	/* Between quanta */
	const struct launch_kind *kind;
	/* Launches that are part of this one, whose counts are its own: of the kernels that firmware dispatches. */
	struct launch **parts;
	uint32_t part_count;
	struct launch *parent;     /* that this one is part of; null: of none */
	struct firmware *firmware; /* of a launch whose kernel is firmware: see gpu/firmware.h; else null */
	struct family
		*family;     /* of a launch whose kernel calls CUDA's device runtime: what it has launched; else null */
	struct child *child; /* as what a kernel has launched it; null: the host has */
	/* Functional mode, per pc: how many runs of instructions began there less how many ended before it.  The sum up
	 * to a pc is how often its instruction was carried out.  Null in timing mode. */
	uint64_t *runs;
	struct observed_code *copies; /* of the code, with hooks for observers */
	struct launch *next;          /* in the machine's list, or the GPU's of those that wait */
	struct launch_course course;
	struct launch_early early;
	struct arena arena;
	struct core_launch **on;  /* per core; null where no group has been */
	struct core_launch *used; /* those that are there, in no order */
	struct launch_dispatch dispatch;
	bool functional;
	uint64_t ordinal;       /* launches of this GPU before it */
	uint64_t start;         /* cycle at which it was launched */
	uint64_t ready_at;      /* no group starts before */
	struct counters before; /* the cores' sums when it started */
	struct partition_counters partitions_before;
	struct gpu_result result;
};

/* A work-group that firmware has dispatched has its own argument and grid. */
struct placed {
	struct launch_values values;
	uint64_t argument;
	uint32_t *constants; /* the launch's, but for the grid */
};

/* Whether observers are notified of an issue of an instruction, where issues are noted. */
enum told_issue {
	TOLD_NEVER,
	TOLD_ALWAYS,
	TOLD_DIVERGING, /* when it is for some of the active lanes, but not for all */
};

/* The thread that took a lock bit, and where (lsu/lock_bits.h). */
struct lock_bit_taker {
	const struct launch *launch;
	uint32_t group, thread; /* flat */
	uint32_t pc;
	uint32_t word;  /* its address in the group's shared memory */
	uint32_t place; /* where it lies in the core's: bytes */
	uint64_t since; /* cycle */
};

/* A launch's part of one core, which belongs to the core. */
struct core_launch {
	struct launch *launch;
	struct core_launch *next;       /* in launch.used */
	uint64_t *code_line_ready;      /* per line of code: cycle it came, 0: not asked for */
	struct code_lines *code;        /* in the cache that all cores share; null: each core has its own */
	uint32_t code_line_bits;        /* of a pc within its line of code */
	uint64_t *parameter_line_ready; /* likewise, of the parameter block */
	/* Registers and divergence state of each place for a warp: of the first `expected`, of all others. */
	char *warps, *more_warps;
	uint32_t expected;
	size_t warp_bytes;
	bool begun;          /* that memory has been asked for */
	uint8_t *locals;     /* local memory of each place */
	uint64_t free_warps; /* places */
	uint8_t *shared;     /* of each place for a group */
	size_t shared_stride;
	uint64_t free_groups; /* places */
	uint64_t groups_done;
	uint64_t triggered;         /* groups that have executed griddepcontrol.launch_dependents, and have not ended */
	uint64_t awaiting;          /* slots of warps that are held in griddepcontrol.wait */
	struct placed *placed;      /* of each place for a group: what firmware dispatched there; null: none did */
	struct issue_count *issued; /* per pc: what issue() counts */
	/* Where issues are noted: distance from the ready time of a value (warp_slot.register_ready) to the pc that
	 * writes it. */
	uint32_t writer_offset;
	/* Distance from the ready time of a value for one class of readers to that for the next; 0: all classes have
	 * the same. */
	uint32_t reader_stride;
	const struct issue_times *times; /* the launch's */
	/* Likewise, to the ready time that shared memory gave the value last. */
	uint32_t shared_offset;
	const uint8_t *tells;           /* likewise, per pc: enum told_issue */
	struct drops *drops;            /* null: faults end the launch */
	struct counters counters;       /* of instructions, in functional mode */
	uint64_t left_bits;             /* lock bits that groups of it still had when they ended */
	struct lock_bit_taker left_bit; /* the first of them */
	void *observed[OBSERVER_COUNT]; /* what an observer has of it, in the launch's arena; null: nothing */
};

/* A wavefront that has yielded: what it was, until it is restarted on the same core (lsu/yield.h).  What its lines in
 * memory hold beside the resource is not read again: the values of registers lie here. */
struct yielded {
	struct yielded *next;
	uint64_t context; /* address of its state in memory */
	uint64_t entry;   /* of its restart context */
	uint32_t bytes;   /* of that */
	uint64_t since;   /* cycle */
	struct core_launch *on;
	uint32_t core;
	uint32_t number;   /* of the group */
	uint32_t place[2]; /* within the call of dispatch, and how many groups that has */
	uint64_t argument;
	lane_mask live, carry;
	char *registers; /* and predicates, divergence state: a place of core_launch.warps */
	uint8_t *local, *shared;
};

/* What a place for a warp has, if it has been taken. */
static inline char *core_launch_warp(const struct core_launch *on, uint32_t place)
{
	assert(place < CORE_WARPS);
	return place < on->expected ? on->warps + place * on->warp_bytes
				    : on->more_warps + (place - on->expected) * on->warp_bytes;
}

/* Bytes of local memory of a warp. */
static inline size_t launch_local_bytes(const struct launch *launch)
{
	assert(launch->warp.stack_bytes % 16 == 0);
	return ((size_t)launch->warp.stack_bytes * launch->kernel->lanes + 63) & ~(size_t)63;
}

#endif
