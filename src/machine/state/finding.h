/* A fault of the kernel, as the core that met it records it.  The first of a core is kept; of several cores the
 * earliest (cycle, core) is the launch's, so the choice does not depend on threads. */
#ifndef LOCKSTEP_MACHINE_STATE_FINDING_H
#define LOCKSTEP_MACHINE_STATE_FINDING_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;
struct launch;

#define FINDING_LINES 8
#define FINDING_THREADS 16
#define FINDING_ADDRESSES 8

#define CHANGE_VALUES 8

/* The one thing that is changed to test a cause: the launch runs again from its own start, and if the cause is right it
 * goes on.  The order counts: change_is_at_a_moment, change_is_at_hang. */
enum change_kind {
	CHANGE_NONE,        /* none is known that would show it */
	CHANGE_INDEPENDENT, /* lanes are scheduled one by one: divergence model `independent` */
	CHANGE_RESIDENT,    /* cores enough for all work-groups at once */
	CHANGE_FRESH,       /* no L1 for global memory, so that no load finds an old line */
	CHANGE_FAIR,        /* every work-group gets turns: dispatch policy `fair` */
	CHANGE_BITS,        /* a lock bit for every word of shared memory */
	CHANGE_JITTER,      /* packets of a core take different times, so that what runs in step loses it */
	/* warps run in another order; or, if `thread` is known, it is taken away at the hang while it holds no lock */
	CHANGE_ORDER,
	/* As before until some moment; then: */
	/* when thread `thread` of work-group `group`, which took the lock, has ended, the word at `address` gets the
	   first of `values`, and if that does not help the next; or its lock bit is freed (`is_bit`) */
	CHANGE_RELEASE,
	/* when the word at `address` has got values[1], at `when` or later, it gets values[0] again, which it had
	   before */
	CHANGE_UNDO,
	CHANGE_MBARRIER, /* one thing that the kernel does to its mbarriers is done otherwise: `mend` */
	/* As before until it hangs again; then, while everything is paused: */
	/* the word at `address` becomes the first of `values`, and if that does not help the next: a lock given back, a
	   signal */
	CHANGE_WORD,
	CHANGE_BIT,       /* the lock bit of the word at `address` in the shared memory of `group` is free */
	CHANGE_PHASE,     /* the phase of the mbarrier at `address` in the shared memory of `group` ends */
	CHANGE_BARRIER,   /* barrier `barrier` of work-group `group` releases all that wait there */
	CHANGE_REGISTERS, /* setmaxnreg.inc of all work-groups of the launch gets what it asks for, as from a larger
			     pool */
	/* what the host has queued after the launch, the first of `values` as numbers in gpu->queued, runs
	   concurrently with it; if that does not help the next, too */
	CHANGE_QUEUED,
	CHANGE_END, /* thread `thread` of work-group `group` ends */
	/* thread `thread` of work-group `group` gives back the lock at `address`, and takes it again when another
	   thread has taken and released it */
	CHANGE_GIVE_BACK,
};

/* Whether the change removes the supposed cause.  Else it only gives the waiting thread what it waits for: that shows
 * what would end the hang, not why it is missing. */
static inline bool change_removes_cause(enum change_kind kind)
{
	return kind != CHANGE_NONE && kind != CHANGE_WORD && kind != CHANGE_BIT && kind != CHANGE_PHASE &&
	       kind != CHANGE_BARRIER;
}

/* Whether the launch is the same as the one that hangs until the change is made. */
static inline bool change_is_at_a_moment(enum change_kind kind)
{
	return kind >= CHANGE_RELEASE;
}

/* Whether it is made when the launch, run again, hangs again. */
static inline bool change_is_at_hang(enum change_kind kind)
{
	return kind >= CHANGE_WORD;
}

/* What a CHANGE_MBARRIER changes, of the launch `launch`; of instructions those at `pcs`. */
enum mbarrier_mend {
	MEND_COUNT,   /* mbarrier.init gives the object the count values[0] */
	MEND_BYTES,   /* from the phase values[1] of its object on, or, value_count 2, in that phase of the object at
			 `address` alone, the instruction expects values[0] bytes */
	MEND_ARRIVES, /* an expect_tx also arrives */
	MEND_PARITY,  /* a wait at `pcs` asks for the other parity; value_count 1: at the object at values[0] alone */
	MEND_IN_TURN, /* a wait at `pcs`, or at an object that `pcs` have initialised, asks for the phase behind the one
			 that the thread has seen last */
	MEND_NO_INIT, /* mbarrier.init does nothing to an object that is in use */
	MEND_OBJECT,  /* a copy tells the object at which its warp has expected bytes last */
	MEND_LOOK,  /* of the objects that `pcs` have initialised, no phase behind values[0] is complete before `thread`
		       has seen the one before complete, or has ended */
	MEND_LEAVE, /* the arrivals that threads made at `pcs` in the phase before are made for those that have ended,
		       where another thread waits for them */
	MEND_ARRIVAL,  /* values[0] arrivals of `thread`, and of values[2] others, at `pc` are made for it in phase
			  values[1] of the object at `address`, once a thread waits for just these; or, MEND_EACH_PHASE,
			  in each phase of all objects that `pcs` have initialised, when the warps values[3], a bit
			  each, have passed the wait that another has passed before it arrived there */
	MEND_DUE,      /* each warp that has arrived at `pcs` before, or, values[1], also any other, arrives values[0]
			  times at one of stages->to when it has waited for the one of the same place in stages->from,
			  and has gone on to another wait without.  MEND_AS_OTHER_RANKS: one that has arrived so in
			  another rank.  `of_copies`: copies of values[0] bytes in all tell it; else values[3]: bytes
			  that each arrival expects */
	MEND_ONCE,     /* an arrival at `pcs` of a thread that has arrived in this phase already is left out */
	MEND_TO,       /* arrivals and copies at `pcs` go to stages->to[k], k being the place in stages->from of the
			  mbarrier whose wait the thread has passed last */
	MEND_MAP,      /* waits, arrivals and copies at `pcs` that name the mbarrier stages->from[k] name stages->to[k]
			  instead.  values[0]: what they are, enum mend_mapped; values[1]: likewise for how many stages
			  further in the same ring, 0: in another one */
	MEND_RANK,     /* arrivals at `pcs` of work-groups of the ranks values[1], at one of stages->to in the ranks
			  values[0], go to that of the same offset in rank stages->rank */
	MEND_IN_ORDER, /* waits at `pcs` go through stages->from in order, from its first phase on, and arrivals and
			  copies of their threads at one of stages->to go to the one of the same place;
			  values[0]: the thread has left out a stage */
	MEND_TWICE,   /* bar.arrive on `barrier`, from a warp that has arrived in this phase already, waits for the next
		       */
	MEND_THREADS, /* bar instructions with the thread count values[1] give values[0] ... */
	MEND_NUMBER,  /* ... or such a number more than they do */
	/* Of named barriers, with `turns`: */
	MEND_OTHER,  /* bar instructions of these warps give the other number, turns->to; MEND_NONE: bar.arrive is left
			out */
	MEND_FIRST,  /* where one of these warps waits in the first phase of a barrier, of those in turns->numbers or by
			an instruction in turns->waits, and nobody has arrived: values[0] threads arrive first */
	MEND_SINGLE, /* bar.arrive on `barrier` of a warp that has arrived there since its last wait is left out */
	MEND_TURN,   /* warps that have passed a wait at turns->waits, and stopped without arriving at turns->to of its
			barrier, arrive there: where threads wait for just these arrivals */
	MEND_GONE,   /* likewise, warps that have stopped come for ever to the barriers turns->habits */
};

enum mend_mapped {
	MAPPED_ARRIVALS,
	MAPPED_WAITS,
	MAPPED_BYTES, /* expect_tx */
};

#define MEND_EACH_PHASE UINT64_MAX
#define MEND_AS_OTHER_RANKS 2

/* The mbarriers of the stages of a pipeline, by their offsets: those that threads wait for, and those at which they
 * then arrive. */
#define MEND_STAGES 32
struct mend_stages {
	uint32_t count, from[MEND_STAGES], to[MEND_STAGES];
	bool has_to;
	bool parity_alone; /* IN_ORDER: waits stay at their mbarriers, and ask there for one phase after the other */
	int first_phase;   /* -1: threads that fill the stages, which are free at first */
	uint32_t rank;     /* in its cluster, of the work-group in which `to` is */
	uint32_t waits[8], wait_count;  /* DUE: threads wait by these instructions alone; 0: by any */
	const struct mend_stages *next; /* other stages that the same change means; null */
};

#define CHANGE_PCS 128 /* a line has many in a loop that is unrolled */
#define MEND_WARPS 64
#define MEND_NUMBERS 16 /* of named barriers */
#define MEND_NONE 17

/* What a change does at named barriers; warps are those of each work-group. */
struct mend_turns {
	uint64_t warps;
	uint32_t numbers;                       /* a bit for each barrier */
	uint8_t to[MEND_NUMBERS];               /* by number; MEND_NUMBERS: no other one */
	uint32_t waits[CHANGE_PCS], wait_count; /* pcs */
	uint32_t habits[MEND_WARPS];            /* by warp: bits as in `numbers` */
};

struct change {
	enum change_kind kind;
	enum mbarrier_mend mend; /* MBARRIER */
	uint32_t pc;             /* likewise: the place that is told; and all instructions that are meant: */
	uint32_t pcs[CHANGE_PCS], pc_count;
	uint32_t ranks; /* MBARRIER: only in work-groups of these ranks of a cluster, a bit each, DUE: of warps in
			   these; 0: in all */
	const struct mend_stages *stages;
	const struct mend_turns *turns;
	uint8_t space, bytes; /* of the word: space_GLOBAL or space_SHARED; 4 or 8 bytes */
	uint64_t address;     /* shared: the offset in the memory of `group` */
	uint64_t values[CHANGE_VALUES];
	uint32_t value_count;
	uint64_t when;                   /* UNDO: by machine_clock */
	uint64_t launch;                 /* ordinal, of the work-group */
	uint32_t group, thread, barrier; /* flat */
	bool of_copies;                  /* MBARRIER, DUE and LEAVE */
	bool is_bit;                     /* RELEASE, GIVE_BACK: of the word's lock bit */
	bool is_own;                     /* GIVE_BACK: the thread waits for this very lock */
};

/* Whether an instruction is one of those that a CHANGE_MBARRIER means. */
static inline bool change_means(const struct change *change, uint32_t pc)
{
	for (uint32_t k = 0; k < change->pc_count; k++)
		if (change->pcs[k] == pc)
			return true;
	return false;
}

#define FINDING_RIVALS 48
#define FINDING_MENDS 40

/* Another cause that was tried beside the one that is named. */
struct finding_rival {
	const char *cause;
	bool went_on; /* with that cause removed the launch made progress */
};

/* What may be wrong, and is tried beside the cause that is named. */
struct finding_mend {
	const char *cause;
	struct change change;
	bool is_last; /* only if nothing else lets the launch complete without races: no evidence suggests it */
	/* What else the record of the run allows: a sentence without its stop.  The mend then confirms nothing.  Null:
	   what is changed is what differs. */
	const char *doubt;
};

/* The barrier that a hang waits at. */
struct finding_barrier {
	bool found, is_mbarrier;
	uint64_t address;           /* of an mbarrier: its offset in shared memory */
	uint32_t number;            /* of another barrier */
	int64_t phase;              /* of an mbarrier: since its initialisation, from 0 */
	uint32_t expected, arrived; /* arrivals; threads */
	uint64_t bytes_expected, bytes_arrived;
	uint32_t initialised_at; /* pc */
};

/* What belongs to a hang beside its first thread. */
struct finding_detail {
	bool proved;
	/* the launch made progress with the cause removed, and no rival removed instead got it as far */
	bool confirmed;
	bool would_go_on; /* it made progress when the waiting thread was given what it waits for: not a confirmation */
	struct change change;
	struct change wish; /* where `change` removes the cause: what gives the waiting thread what it waits for */
	struct finding_rival rivals[FINDING_RIVALS];
	uint32_t rival_count;
	struct finding_mend mends[FINDING_MENDS];
	/* What is said where the mend is what helps: what, who, lines, threads and barrier; null: what is said anyway.
	 */
	const struct finding_detail *told[FINDING_MENDS];
	uint32_t mend_count;
	struct finding_barrier barrier;
	/* The parts of the message, whole sentences; until verdict_give has put them together, without the last stop.
	   Null: nothing is known. */
	const char *what;   /* which thread waits where, and for what */
	const char *who;    /* which thread should act, and why it cannot */
	const char *remedy; /* what to change in the kernel */
	/* what the runs with one thing changed have shown; null: no such runs */
	const char *checked;
	const char *message;                       /* put together of these: verdict.h */
	uint32_t lines[FINDING_LINES], line_count; /* pcs, each with its role below */
	const char *roles[FINDING_LINES];
	struct finding_thread {
		uint32_t group, thread; /* flat */
		const char *state;
	} threads[FINDING_THREADS];
	uint32_t thread_count;
	const char *addresses[FINDING_ADDRESSES];
	uint32_t address_count;
};

struct finding {
	bool found;
	const struct finding_detail *detail; /* of a hang, in the GPU's arena; null: none */
	struct launch *launch;               /* whose fault it is */
	const struct kernel *kernel;         /* of a fault: what `pc` is of; null: the launch's own */
	uint64_t cycle;
	const char *kind;  /* "hang"; of a fault that of its row of faults.def */
	const char *cause; /* of a fault likewise; of a hang by check/causes.def */
	uint32_t pc;       /* this, group and thread: not of a hang, whose detail has them all */
	uint32_t group;    /* flat */
	uint32_t thread;   /* flat in the group */
	bool has_address;
	uint64_t address;
	char message[1024];
};

/* ---- Accesses that were dropped, where the launch goes on (core/drop.h) ---- */

#define DROP_PLACES 32 /* on one core; the last of them counts all that find no room */

/* The accesses that were dropped at one place for one reason. */
struct drop {
	uint64_t count;       /* of lanes' accesses */
	struct finding first; /* of them */
};

/* Those of one launch on one core. */
struct drops {
	uint32_t count;
	struct drop at[DROP_PLACES];
};

/* Those of a launch, by place and cause. */
struct drop_list {
	const struct drop *at;
	uint32_t count;
	uint64_t elsewhere; /* accesses beyond those, at places that are not listed */
};

#endif
