/* What runs: the machine while kernels are on it.
 *
 * The machine is made when a launch starts on an idle GPU and lives until no launch is left; meanwhile others may join,
 * as many as the model's concurrent_kernels says, and share cores.  Cores read both while they run; what changes,
 * changes between quanta, when one thread runs alone. */
#ifndef LOCKSTEP_MACHINE_STATE_MACHINE_H
#define LOCKSTEP_MACHINE_STATE_MACHINE_H

#include "machine/state/core.h"
#include "machine/state/drawn.h"
#include "machine/state/gpu.h"
#include "machine/state/launch.h"
#include "machine/state/machine_mode.h"
#include "machine/state/node.h"
#include "memory/address_map.h"
#include "memory/partition.h"
#include "model/divisions.h"
#include "policy/dispatch/dispatch.h"
#include "policy/lock/lock.h"
#include "policy/retry/retry.h"
#include "util/vector.h"

#include <assert.h>
#include <stdatomic.h>

struct child;
struct control_processor;
struct thread_pool;
struct progress;

/* What kernels have launched on the GPU (gpu/children.h). */
struct machine_children {
	VECTOR(struct child *) ready; /* nothing is left that they wait for: a heap, by cycle */
	uint64_t readied;             /* that have been in it */
	uint32_t unbegun;             /* that have not begun */
	uint32_t pending;             /* that have not ended as children.h says */
	uint32_t tails;               /* tail launches that have not had their turn */
	uint64_t next;                /* cycle from which the next of them may begin: device.interval */
	bool tails_due;               /* since it was last looked at, one has ended, or all groups of a launch have */
};

/* What memory and the heap were when the machine was made. */
struct machine_start {
	struct snapshot *snapshot;          /* null: it will not be asked for */
	struct heap_state *heap, *heap_now; /* heap_now: what it is while memory is as at the start */
};

/* Cycles as the model says; none in functional mode, in which what would come later comes at once. */
struct machine_delays {
	uint32_t cluster_barrier, dispatch_interval, dispatch_jitter, dispatch_warp_jitter, fence_system_interval,
		launch_latency, shared_latency;
};

/* A round of the GPU's fences of system scope: core/fence.c. */
struct fence_round {
	uint64_t number;            /* from 1 on; 0: there is none */
	uint64_t start, busy_until; /* cycles; no other round begins before busy_until */
	uint64_t delay;             /* of the answer to the latest of its fences, in cycles */
};

#define MACHINE_CORES 256 /* what the field core.count may be at most */

/* Where the machine is in simulated time. */
struct machine_time {
	struct machine_delays delays;
	uint32_t quantum;                   /* cycles */
	uint32_t parity;                    /* of the quantum: see memory/message.h */
	uint64_t start;                     /* cycle at which it was made */
	uint64_t cycle;                     /* start of the current quantum */
	uint64_t next_start;                /* cycle from which a work-group may start: dispatch.interval */
	struct fence_round fence_rounds[2]; /* the latest, and one that is after it, if it has not begun */
	/* The stamp of a quantum, for the history of lines (memory/line_history.h), which goes on from machine to
	 * machine: the cycle in which it begins, plus this; modulo 2^64. */
	uint64_t stamp_of_cycle_0;
};

/* A work-group that a core starts when the next quantum begins, on its own thread: nodes/start.h. */
struct core_start {
	struct core_launch *on;
	uint64_t at; /* cycle from which it may issue */
	uint32_t number;
	uint32_t next; /* of the same core, likewise as in struct core_starts */
};

/* Places in machine_cores.starts, plus one; 0: none. */
struct core_starts {
	uint32_t first, last;
};

struct machine_cores {
	uint32_t count;
	/* bit per core that has been made, or is to be: a work-group went there; the memory of the others is not
	 * touched */
	uint64_t used[MACHINE_CORES / 64];
	struct core *at;
	VECTOR(struct core_start) starts; /* of all cores, in the order in which they were dispatched */
	bool start_apart;                 /* nobody who hears of a group that starts looks further than its core */
	uint32_t observers;               /* that each core has from the start */
	uint32_t rooms;                /* counts the changes of the room that cores have for work-groups; from 1 on */
	struct core_starts *starts_on; /* of each core */
	struct arena *arenas;          /* one each: message boxes grow while running on any thread */
	uint32_t *peers;               /* indices of all cores, for each other; null: no launch here has clusters */
	struct port_link *links;       /* crossbar.cores above 1: one for so many cores; else null */
};

/* What the work between quanta is about: without it, it touches no core, whose memory other threads have. */
enum machine_news {
	NEWS_DEFERRED = 1, /* a core has put something off */
	NEWS_FINDING = 2,  /* a core has found a fault */
	NEWS_ROOM = 4,     /* a work-group has ended */
	NEWS_ALL = 7
};

/* Cores, partitions, and what else sends messages: see nodes/node.h. */
struct machine_nodes {
	struct node *at;
	uint32_t count;
	/* by the quantum's parity, per node: for which addresses it sent messages, as outbox_addressed says */
	uint64_t *addressed[2];
	uint64_t sent; /* the bits of all words of the last quantum */
	/* enum machine_news, of nodes that have run since the quantum began */
	_Atomic uint32_t news;
	struct senders senders[NODE_KINDS]; /* to nodes of each kind */
	struct turns turns;
};

struct machine_launches {
	struct launch *first, *last; /* of those that have not finished, in order of start */
	struct launch *active;       /* of these, those whose work-groups have not all ended */
	struct launch *done;         /* likewise, those that have done all that they were to do */
	uint32_t joined, ended;
	uint32_t held;   /* launch_early.is_held */
	uint32_t placed; /* groups, by gpu->placement */
	/* Sums over those that are no longer active: instructions, and what launch_progress gives. */
	uint64_t over_instructions, over_progress;
};

struct machine {
	/* Read by cores while they run */
	const struct machine_mode *mode;
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
	struct machine_time time;
	uint64_t seed; /* of the cores' random choices */

	/* Between quanta */
	struct arena arena;
	struct gpu *gpu;
	struct machine_cores cores;
	struct partition **partitions;
	uint32_t partition_count;
	struct machine_nodes nodes;
	struct control_processor *processor; /* null: no launch here has firmware */
	struct arena processor_arena;
	struct machine_children children;
	struct thread_pool *thread_pool;
	struct machine_launches launches;
	uint64_t rounds;    /* quanta, or turns of all cores, so far */
	struct drawn drawn; /* functional mode */
	struct watcher *watcher;
	struct machine_start at_start;
	struct progress *progress;     /* under a progress model; null: it has none, or has not begun */
	uint64_t progress_quiet_since; /* under one: instructions run when more than polling was last seen */
	bool stuck_for_ever;           /* while gpu->stuck: it is proved */
	bool is_first;                 /* of its GPU, which has run nothing before */
	bool was_interrupted;          /* it has been stuck, and went on: the host may have written to memory */
	uint32_t observers;            /* that are attached to a core, or were */
};

/* Whether the core has been made, or will be when the quantum begins. */
static inline bool machine_uses_core(const struct machine *machine, uint32_t core)
{
	assert(core < machine->cores.count);
	assert(machine->cores.count <= MACHINE_CORES);
	return machine->cores.used[core / 64] >> core % 64 & 1;
}

/* The first core from `from` on that has been made; cores.count: there is none. */
static inline uint32_t machine_used_core(const struct machine *machine, uint32_t from)
{
	assert(machine->cores.count <= MACHINE_CORES);
	for (; from < machine->cores.count; from = (from | 63) + 1) {
		uint64_t left = machine->cores.used[from / 64] >> from % 64;

		if (left)
			return from + (uint32_t)__builtin_ctzll(left);
	}
	return machine->cores.count;
}

#define EACH_USED_CORE(machine, c)                                                                                     \
	for (uint32_t c = machine_used_core(machine, 0); c < (machine)->cores.count;                                   \
		c = machine_used_core(machine, c + 1))

#endif
