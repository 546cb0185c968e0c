/* A core (streaming multiprocessor, compute unit): warp slots, schedulers, units, load-store unit, L1.
 *
 * A core owns everything in this file and touches nothing else while it runs, except the read-only launch: global
 * memory and other cores are reached by messages alone.  So cores advance through a quantum on any thread in any
 * order. */
#ifndef LOCKSTEP_MACHINE_STATE_CORE_H
#define LOCKSTEP_MACHINE_STATE_CORE_H

#include "machine/state/attached.h"
#include "machine/state/counters.h"
#include "machine/state/deferred.h"
#include "machine/state/finding.h"
#include "machine/state/unit.h"
#include "memory/l1.h"
#include "policy/coherence/access.h"
#include "policy/schedule/schedule.h"
#include "warp/memory.h"
#include "warp/warp.h"

#include <assert.h>
#include <stddef.h>

#define CORE_WARPS 64 /* warp slots: bits of a mask */
#define CORE_SCHEDULERS 8
#define WHEEL_SLOTS 512 /* cycles ahead; later wake-ups are passed on */
#define NAMED_BARRIERS 16
#define CLUSTER_BARRIER NAMED_BARRIERS     /* a group's place at the barrier of its cluster */
#define REGISTER_WAIT (NAMED_BARRIERS + 1) /* where its warps wait for registers, in setmaxnreg.inc */
#define GROUP_BARRIERS (NAMED_BARRIERS + 2)
#define BARRIER_USES 8
#define FENCE_EPOCHS 16
#define FETCH_BYTES 8     /* of an instruction, in an instruction cache (GPGPU-Sim) */
#define PARAMETER_LINE 64 /* bytes of a constant-cache line */
#define NEVER UINT64_MAX
#define NOT_ISSUED UINT32_MAX

struct machine;
struct barrier_trace;
struct core_launch;
struct owned;

/* One named barrier of a work-group (bar.* a): which threads have arrived. */
struct barrier {
	uint32_t arrived;      /* threads */
	uint32_t expected;     /* threads; 0: all live threads of the group */
	uint64_t waiting;      /* warp slots with a path that waits */
	uint32_t population;   /* bar.red: threads that came with a true predicate */
	uint32_t contributors; /* bar.red: threads that came with a predicate */
};

/* Of a named barrier, what messages say and experiments change; nothing else depends on it, so it is no part of the
 * machine's state, which may repeat. */
struct barrier_note {
	/* Of the present phase: the warp slots that have come, and the places from which threads came, the first two,
	 * with how many from each. */
	uint64_t came;
	struct barrier_source {
		uint32_t pc, threads;
	} from[2];
	/* Of all phases: the slots that have come twice in one, the last time here; how often it has opened. */
	uint64_t twice;
	uint32_t twice_pc, phase;
	/* Likewise the instructions by which warps have come, the first few: with which thread count, 0: without one,
	 * and which slots; and there are more. */
	struct barrier_use {
		uint32_t pc, count;
		uint64_t slots;
	} uses[BARRIER_USES];
	bool more_uses;
	bool was_given;  /* in an experiment: MEND_FIRST */
	uint64_t *ahead; /* in an experiment (MEND_TWICE), per slot: arrivals for later phases; else null */
};

/* The registers of a work-group whose warps give and take them by setmaxnreg.  All are counted as registers of one
 * thread, so those of a warp are this many for each of its lanes. */
struct register_pool {
	uint32_t size;              /* those of all warps, as the group began */
	uint32_t free;              /* of them, those that no warp has */
	uint16_t has[CORE_WARPS];   /* by slot; warps that have ended keep theirs */
	uint16_t wants[CORE_WARPS]; /* by slot: of warps that wait */
};

#define MATRIX_GROUPS 8 /* of wgmma, committed by a warp, whose ends are known: wait_group allows 7 to be pending */

/* What the warps of a work-group have begun by wgmma (warpgroup.c); by slot. */
struct warpgroup_matrices {
	uint64_t ends[CORE_WARPS]; /* cycle at which all that the warp has begun is over */
	uint64_t committed[CORE_WARPS];
	uint64_t group_ends[CORE_WARPS][MATRIX_GROUPS];
	uint64_t awaits[CORE_WARPS];   /* it waits until all of its warpgroup have committed so many; 0: it does not */
	uint32_t waits_at[CORE_WARPS]; /* then: its pc */
	uint64_t holds[CORE_WARPS];    /* hold_until of its last wait for the end of groups */
};

/* A work-group on a core. */
struct group {
	bool used;
	uint32_t number;     /* flat index in the grid */
	uint32_t signature;  /* of its messages: its place on the core, in bits 16 to 23 */
	uint64_t since;      /* cycle from which it has that place */
	uint64_t launch;     /* the launch's ordinal */
	uint32_t code_count; /* its kernel's instructions */
	uint32_t warps, live_warps, threads, live_threads;
	bool triggered;                  /* core_launch.triggered counts it */
	struct core_launch *core_launch; /* of its launch */
	uint32_t place;                  /* among the launch's groups here: where its shared memory is */
	uint8_t *shared;
	uint32_t shared_at; /* where that lies in the core's, in bytes: which lock bits its words have (lock_bits.h) */
	struct barrier barriers[GROUP_BARRIERS];
	struct barrier_note barrier_notes[NAMED_BARRIERS];
	struct barrier_trace **barrier_traces; /* barrier_trace.h: by warp of the group; null: no warp has one */
	uint32_t barriers_used;                /* bit k: a warp came to barrier k */
	/* Requests to memory that have not been answered, by fence epoch: a fence closes the epoch and waits until it
	 * and all older ones are empty.  The group is the unit since bar.sync hands one warp's writes to another warp's
	 * fence. */
	uint32_t outstanding[FENCE_EPOCHS];
	uint32_t suspended[FENCE_EPOCHS];    /* of them: waits for a phase of an mbarrier (fence.h) */
	uint32_t epoch;                      /* current one; slot epoch % FENCE_EPOCHS */
	uint64_t fencing;                    /* warps that wait in a fence */
	uint64_t slots;                      /* warp slots it occupies, until its last request is answered */
	struct group_cluster *cluster;       /* null: it has none, and has not asked for its barrier */
	struct register_pool *pool;          /* null: setmaxnreg does nothing */
	struct warpgroup_matrices *matrices; /* null: none of its warps has executed a wgmma */
};

/* Why a warp does not issue; the order is that of blame when a scheduler has nothing to issue. */
/* Memory, fence, barrier and lock are in the order of enum long_wait: schedulers see them. */
enum wait_reason {
	WAIT_UNIT,
	WAIT_OPERAND,
	WAIT_FETCH,
	WAIT_MEMORY,
	WAIT_FENCE,
	WAIT_BARRIER,
	WAIT_LOCK,
	WAIT_SLEEP,
	WAIT_SHARED, /* never of a warp: the part of WAIT_OPERAND and WAIT_MEMORY that schedule_waits_for_shared finds
		      */
	WAIT_REASONS
};

_Static_assert(WAIT_REASONS == STALL_REASONS && CORE_SCHEDULERS == STALL_SCHEDULERS, "indexes of struct stall_notes");

/* The barrier that a warp came to last, where it waits; bar.red: where the result goes. */
struct slot_barrier {
	const struct insn *insn; /* null: that has opened */
	lane_mask lanes;
	uint32_t *bank;
	lane_mask *predicates;
};

/* A warp slot: the warp, and when it can issue next.  Its first two lines are all that the issue of most instructions
 * touches in it. */
struct warp_slot {
	uint64_t *register_ready_file;   /* register_ready at depth 0 */
	const struct issue_row *rows;    /* per pc */
	const struct insn *code;         /* of its kernel */
	struct core_launch *core_launch; /* its launch's part of the core */
	uint64_t bit;                    /* of its slot */
	uint64_t hold_until;             /* no issue before: branch, sleep, fence, new group */
	uint64_t fetched_at;             /* the instruction buffer has something from this cycle on */
	uint8_t buffered;                /* instructions in it */
	bool flush;                      /* it held instructions after a taken branch */
	uint8_t unit;                    /* of the next instruction */
	uint8_t reason;                  /* enum wait_reason while not ready */
	bool finished;
	bool held; /* an ordered access must complete before the next issue */
	bool in_fence;
	/* a memory instruction waits for its answers, and the whole warp with it, whatever its paths */
	bool parked;
	struct warp warp; /* what exec functions get */
	_Alignas(64) struct group *group;
	/* per slot of the register file: cycle its value is there; NEVER: a load is outstanding */
	uint64_t *register_ready;
	uint64_t *predicate_ready;
	uint64_t *predicate_ready_file; /* predicate_ready at depth 0 */
	uint8_t place;                  /* of its registers, in the core_launch */
	bool used;
	bool fences_system : 1; /* its fence, if it is in one or has been, is of system scope */
	bool path_checked : 1;  /* its path comes from a plug-in's divergence model */
	bool released;          /* a release has waited; its access may go when issued again */
	uint8_t parked_for;     /* WAIT_BARRIER, WAIT_LOCK: the reason, also while no path is active */
	uint16_t suspended;     /* its waits for phases of mbarriers (fence.h) */
	uint32_t parts;         /* operations with `part`, not complete */
	struct l1_fence fence;
	uint32_t fence_epoch;                    /* the fence waits for this and older ones */
	lane_mask waiting_lanes[GROUP_BARRIERS]; /* of paths blocked at a barrier, by number */
	uint64_t turn_start;                     /* w->now when the path's turn began */
	struct slot_barrier barrier;
	uint64_t waits_since; /* cycle; in a fence or at a barrier */
} __attribute__((aligned(64)));

/* Were it even, the first lines of all warps would share few sets of the host's cache. */
_Static_assert(sizeof(struct warp_slot) / 64 % 2, "a warp slot is an odd number of lines");
_Static_assert(offsetof(struct warp_slot, warp) == 64, "a slot's first line is what the issue stage needs");
_Static_assert(offsetof(struct warp, now) + sizeof(uint64_t) <= 64, "a warp's first line is what instructions need");

/* A call of a function that the machine provides, served between quanta (runtime/held_call.h). */
struct held_call {
	uint64_t cycle; /* in which it was made */
	struct warp_slot *slot;
	const struct insn *insn;
	lane_mask lanes;
};

/* Instances of an execution unit. */
struct instances {
	uint64_t free;                            /* next free cycle of the one that is free first */
	uint32_t others;                          /* instances */
	uint64_t other_free[CORE_SCHEDULERS - 1]; /* likewise of those, the earliest first */
};

/* The units that a scheduler issues to: its own where cores have sub-cores, else one set for all. */
struct units {
	uint32_t busy; /* bit u: unit u was not free when this was last looked at */
	struct instances unit[UNIT_COUNT];
};

/* A warp scheduler. */
struct scheduler {
	uint64_t mine; /* warps */
	struct units *units;
	/* cycle from which it issues again: before, instructions that PTX does not show have the slots */
	uint64_t slots_taken;
	/* It sleeps, since a cycle, for a reason (enum wait_reason; WAIT_REASONS: it has no warp).  Nothing can
	 * change that before core->changed has one of its warps, or at the latest cycle `look_at`. */
	uint64_t still_since, look_at;
	uint32_t still_for;
	bool still;
	uint8_t index;
	void *pick_state;         /* that core->pick gets: `state`, or of what is in front of it */
	struct issue_view view;   /* what does not change from pick to pick is kept up to date */
	void *state;              /* its policy's */
	struct scheduler *behind; /* the next one, round and round */
};

/* Warps that sleep until a cycle. */
struct time_wheel {
	uint64_t slot[WHEEL_SLOTS]; /* by the cycle: warps to wake */
	uint64_t again;             /* those of them that go into it again, since it is too short */
	uint8_t used[WHEEL_SLOTS];  /* whether a slot has any */
};

/* The schedulers of a core, and what they issue to. */
struct issue_stage {
	/* asked first in a cycle: the one after that which last issued to the load-store unit, so that none is starved
	 * of it */
	struct scheduler *first;
	struct scheduler scheduler[CORE_SCHEDULERS];
	struct units units[CORE_SCHEDULERS];
	uint32_t schedulers;
	bool is_dual; /* a scheduler may issue two independent instructions of a warp in a cycle */
	int (*pick)(void *state, const struct issue_view *view);
	uint64_t look_at;                      /* the earliest of all schedulers */
	uint64_t want_room;                    /* ready warps that stand still since the load-store unit has no room */
	uint64_t match_free;                   /* next free cycle of the unit for matches, if the warps share one */
	uint64_t matrix_free[CORE_SCHEDULERS]; /* likewise of the scheduler's tensor core, for wgmma */
	uint64_t fetch_free;                   /* cycle from which the next fetch may start */
	uint32_t fetches;                      /* that have started in cycle fetch_free */
};

/* The warp slots of a core. */
struct warp_slots {
	uint32_t count;
	uint32_t given;  /* so many from the first on have memory: see core_expect_warps */
	uint64_t unused; /* slots */
	uint64_t taken;  /* slots that a warp has had, so far */
	uint32_t resident;
	uint64_t started;             /* warps, so far */
	uint64_t arrived[CORE_WARPS]; /* per slot: counts the warps of this core; smaller is older */
};

/* The places for work-groups of a core. */
struct group_slots {
	struct group *at;
	struct group_cluster *clusters;      /* of each place; null: no group had a cluster */
	struct register_pool *pools;         /* of each place; null: no group had one */
	struct warpgroup_matrices *matrices; /* likewise */
	uint32_t count;
	uint64_t used;
	uint32_t registers, shared; /* handed out to groups */
};

struct core {
	_Alignas(64) uint64_t now; /* no line has parts of two cores */
	uint64_t ready;            /* warps that can issue, units aside */
	uint64_t asleep;           /* functional mode: warps that nanosleep holds until hold_until */
	uint64_t fresh;            /* functional mode: warps that have not had a turn */
	/* Warps that have become ready, or wait for something else, since their scheduler last looked: the others that
	 * stand still need not look. */
	uint64_t changed;
	uint64_t wants[UNIT_COUNT];     /* warps whose next instruction goes to a unit */
	uint64_t waiting[WAIT_REASONS]; /* warps, by why they wait */
	uint64_t ready_at[CORE_WARPS];  /* per slot: cycle of the next issue, when scheduled */
	struct issue_stage issue;
	struct time_wheel wheel;

	struct warp_slot *issuing; /* the warp whose instruction is being carried out, or null */
	const struct machine *machine;
	struct warp_slot *slots;
	struct warp_slots warps;
	struct group_slots groups;

	struct load_store_unit lsu;
	struct warpgroup_room *matrix_room; /* where wgmma computes (warp/warpgroup.h); null: it has not */
	struct l1 l1;
	struct owned *owned; /* the L1 under a directory, then instead of that; null: there is none */
	void *coherence_state;
	struct inbox *inbox;
	struct outbox *outbox;
	uint64_t in_flight;        /* messages sent that will be answered, those to other cores excepted */
	memory_base remote_memory; /* functional mode: what access_memory says of space_CLUSTER */

	uint32_t index;
	uint64_t emptied_at;    /* cycle in which the last group left */
	uint64_t last_activity; /* cycle of the last issue, reply or end of a group */
	bool stopped;           /* a fault was found */
	struct finding finding; /* the first of this core */
	struct counters counters;
	struct attached attached; /* observers */
	struct deferred_states deferred;
	/* Where issues are noted (machine->notes_issues), of each scheduler: why it has stood still; and of each warp
	 * slot the pc that was issued last, NOT_ISSUED before the first. */
	struct stall_notes stalled;
	uint32_t issued_pc[CORE_WARPS];
};

static inline struct scheduler *core_scheduler(struct core *core, uint32_t slot)
{
	assert(core->issue.schedulers <= CORE_SCHEDULERS);
	return &core->issue.scheduler[slot % core->issue.schedulers];
}

static inline uint32_t core_issued_pc(const struct core *core, const struct warp_slot *r)
{
	assert(r->warp.slot < CORE_WARPS);
	return core->issued_pc[r->warp.slot];
}

/* A load, a store or an atomic of a space that is written down, which functional mode carries out without the
 * load-store unit. */
static inline bool insn_is_short(const struct insn *i)
{
	uint8_t space = i->access.space;

	if (i->kind != INSN_LOAD && i->kind != INSN_STORE && (i->kind != INSN_ATOMIC || i->access.elements > 1))
		return false;
	return !i->access.cluster &&
	       (space == space_GLOBAL || space == space_SHARED || space == space_PARAM || space == space_CONST);
}

/* What the cycle loop needs of an instruction: what it costs on this model, and what of struct insn says when it may
 * issue, in half a line. */
struct issue_row {
	/* The ready times that it waits for, in register_ready_file and what follows it; those first that it writes.
	 * So many are always looked at, be it in vain: where it has fewer, the others are the first again, or of
	 * predicate 0, which nothing writes, where it has none. */
#define ROW_LOOKED_AT 4
	uint16_t scoreboard[INSN_SCOREBOARD];
	uint8_t values, writes; /* writes: 0 too where `times` says when their values may be read */
#define ROW_BY_INSN                                                                                                    \
	UINT8_MAX /* values: not here, struct insn has them (of functions that are called; too many; INSN_VANISHES) */
	uint8_t fetched;   /* instructions of a fetch that begins here */
	uint8_t times;     /* which of core_launch.times it has; 0: all readers get its results at the same time */
	uint16_t latency;  /* issue to dependent issue */
	uint16_t interval; /* cycles its unit is taken */
	uint16_t guard;
	uint8_t guard_invert;
	uint8_t unit;
	uint8_t counter; /* which of struct counters counts the class, as an index of uint64_t */
	bool is_short;   /* functional mode: it has no guard and is insn_is_short */
	uint16_t plain;  /* functional mode: so many instructions from here on are plain and have no guard */
};

_Static_assert(sizeof(struct issue_row) == 32, "rows do not straddle lines");

/* Classes of readers.  Where the time at which a result may be read depends on who reads it (model/latency.def), each
 * value has a ready time for each class. */
enum reader {
	READER_ALU, /* integer add, logic, shift, compare, move, minimum */
	READER_FMA, /* integer multiply, single precision */
	READER_DP,
	READER_HALF,   /* half precision, bfloat16 */
	READER_SFU,    /* transcendental functions, conversions, divisions */
	READER_MEMORY, /* address and data of memory accesses, shuffles, votes, barriers; of predicates: guards */
	READER_MATRIX,
	READERS,
	READER_UPDATE = READERS, /* no class: from when on an instruction that reads a register may write it */
	READY_TIMES
};

/* Of an instruction: when each class of readers may have what it writes, and as what it reads itself. */
struct issue_times {
	uint16_t latency[READERS]; /* issue to issue of the reader */
	uint16_t reads_as;         /* enum reader */
	uint16_t reads_for;        /* cycles from its issue before others may update what it reads; 0, 1: at once */
};

/* How often an instruction was issued, and for how many lanes. */
struct issue_count {
	uint64_t warps, lanes;
};

static inline uint32_t core_slot(const struct core *core, const struct warp_slot *r)
{
	assert((size_t)(r - core->slots) < CORE_WARPS);
	return (uint32_t)(r - core->slots);
}

static inline uint64_t first_bits(uint32_t count)
{
	assert(count <= 64);
	return count == 64 ? ~0ull : (1ull << count) - 1;
}

/* The slots that have warps; none, where the core has not been made. */
static inline uint64_t core_warps(const struct core *core)
{
	assert(!(core->warps.unused & ~first_bits(core->warps.count)));
	return first_bits(core->warps.count) & ~core->warps.unused;
}

/* The warp that has the thread, flat in the group, whether it has ended or not; null: none has it any more. */
static inline const struct warp_slot *core_slot_of(const struct core *core, const struct group *group, uint32_t thread)
{
	assert(group->used);
	for (uint64_t m = group->slots; m; m &= m - 1) {
		const struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

		if (thread - r->warp.first_thread < r->warp.lanes)
			return r;
	}
	return NULL;
}

/* The thread, which a warp has, does not run any more. */
static inline bool slot_thread_ended(const struct warp_slot *r, uint32_t thread)
{
	assert(thread - r->warp.first_thread < r->warp.lanes);
	return r->finished || !(r->warp.live >> (thread - r->warp.first_thread) & 1);
}

/* So many slots from the first on hold all that a warp has had. */
static inline size_t core_slots_taken(const struct core *core)
{
	return core->warps.taken ? 64 - (size_t)__builtin_clzll(core->warps.taken) : 0;
}

#endif
