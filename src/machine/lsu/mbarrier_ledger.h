/* What has happened at mbarrier objects: who initialised them with what, who arrived in which phase, which bytes were
 * expected and which have come, and what the threads that wait have seen of them.  For messages and for the analysis of
 * hangs; nothing in the machine depends on it. */
#ifndef LOCKSTEP_MACHINE_LSU_MBARRIER_LEDGER_H
#define LOCKSTEP_MACHINE_LSU_MBARRIER_LEDGER_H

#include "machine/lsu/mbarrier_trace.h"
#include "machine/state/core.h"

enum mbarrier_act {
	MBARRIER_INITIALISED, /* with `count` */
	MBARRIER_INVALIDATED,
	MBARRIER_ARRIVED,  /* `count` arrivals, and `bytes` that the same instruction expects */
	MBARRIER_EXPECTED, /* `bytes`, without an arrival; or `count` arrivals more (cp.async.mbarrier.arrive) */
	MBARRIER_COPIES,   /* a copy of `bytes` begins, which will complete them here; `to`: where it writes to */
	MBARRIER_BYTES,    /* `bytes` have come */
};

/* What lanes of a warp did by one instruction in one phase. */
struct mbarrier_record {
	uint8_t act;
	bool is_remote;      /* by a thread of another work-group of the cluster */
	uint32_t pc, thread; /* flat, of the warp's lane 0 */
	uint32_t group;      /* flat, of the thread */
	lane_mask lanes;
	int64_t phase;  /* the first one after the initialisation has number 0 */
	uint64_t when;  /* cycle, of the last of them */
	uint32_t count; /* sums over the lanes */
	uint64_t bytes;
	uint32_t to;
	bool is_elsewhere; /* of a copy: its warp expected bytes last at another object */
};

#define MBARRIER_RECORDS 64 /* of an object; older ones are forgotten */

/* An object of a work-group that runs, or one that was invalidated. */
struct mbarrier_object {
	uint64_t offset;
	uint32_t count;  /* it was initialised with */
	bool is_over;    /* invalidated */
	bool was_in_use; /* there was a valid object that had been used when it was initialised last ... */
	struct mbarrier_record before; /* ... by this */
	int64_t phase;                 /* the current one */
	uint64_t copying;              /* bytes of copies that have begun and not come, which are to complete here */
	struct mbarrier_record begun, over; /* the last initialisation; the invalidation */
	struct mbarrier_record records[MBARRIER_RECORDS];
	uint32_t recorded;         /* all so far: the k-th of them is at k % MBARRIER_RECORDS */
	int32_t *seen[CORE_WARPS]; /* for each warp of the group and lane, see mbarrier_seen; null: none waited here */
	uint64_t looked;           /* bit k: warp k of the group has waited here ... */
	uint32_t looked_pc;        /* ... the last of them by this instruction */
	/* A lane found its phase complete though the one that it meant (mbarrier_seen) was two or more before that: of
	 * the first such look its thread, flat in the group, and the phase that it meant. */
	bool was_passed;
	uint32_t passed;
	int64_t passed_phase;
	lane_mask again[CORE_WARPS]; /* for each warp: the lanes that waited, by parity, for a phase that they had seen
					... */
	uint32_t again_pc;           /* ... the last of them here */
};

/* What each lane of a warp asked for last, which paths of the warp do apart; and where they expect bytes. */
struct mbarrier_look {
	uint64_t launch; /* whose warp it was: ordinal, group, first thread */
	uint32_t group, thread;
	lane_mask lanes, by_parity, odd,
		complete;            /* that asked; by parity; for odd parity; and the phase was complete */
	uint32_t pc[CORE_WARPS];     /* of each lane's test_wait or try_wait ... */
	uint64_t offset[CORE_WARPS]; /* ... and of its object */
	uint64_t expected;           /* where a lane has expected bytes last; UINT64_MAX: nowhere */
};

/* Of a core. */
struct mbarrier_ledger;
struct mbarrier_ledger *mbarrier_ledger_create(const struct core *core, struct arena *arena);

/* ---- Writing ---- */

/* A lane initialises the object at `offset` of its group's shared memory with a count; invalidates it. */
void mbarrier_ledger_begins(
	struct core *core, struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane, uint32_t count);
void mbarrier_ledger_ends(
	const struct core *core, const struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane);
/* A lane does something else at the object at `offset`, in its present phase. */
void mbarrier_ledger_note(struct core *core, struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane,
	uint64_t offset, struct mbarrier_record what);
/* An experiment lets arrivals or bytes come for lanes of a warp, in the object's present phase. */
void mbarrier_ledger_credit(
	const struct mbarrier_ledger *ledger, const struct group *group, uint64_t offset, struct mbarrier_record what);
/* The object's phase ends. */
void mbarrier_ledger_next(const struct mbarrier_ledger *ledger, const struct group *group, uint64_t offset);
/* The lanes of an operation look whether their phases are complete.  `odd`: those that ask for odd parity. */
void mbarrier_ledger_looks(struct core *core, struct mbarrier_ledger *ledger, const struct operation *op, lane_mask odd,
	lane_mask complete, bool by_parity);

/* The lanes of a warp pass waits, arrive or store asynchronously at the objects at these addresses, in their own
 * work-group or another of the cluster: a step of the warp (mbarrier_trace.h).  `count`: of each lane. */
void mbarrier_ledger_step(struct core *core, const struct warp_slot *r, const struct insn *i, enum mbarrier_step step,
	lane_mask lanes, const uint64_t *address, uint32_t count);
/* Likewise: a lane begins a copy of so many bytes, which will tell the object at `offset` in each of these ranks. */
void mbarrier_ledger_copies(
	struct core *core, const struct operation *op, uint32_t lane, uint64_t offset, uint16_t ranks, uint32_t bytes);

/* ---- Reading ---- */

/* The object at an offset of the group's shared memory; null: no thread of it has initialised one. */
const struct mbarrier_object *mbarrier_object_of(const struct core *core, const struct group *group, uint64_t offset);
/* All of the group, in the order in which they were initialised: how many. */
uint32_t mbarrier_objects_of(
	const struct core *core, const struct group *group, const struct mbarrier_object *const **objects);
/* What the warp asked for last, if it did; null: it has neither asked nor expected bytes. */
const struct mbarrier_look *mbarrier_look_of(const struct core *core, const struct warp_slot *r);
/* A thread of the group waits for the present phase of the object. */
bool mbarrier_is_waited(const struct core *core, const struct group *group, const struct mbarrier_object *object);
/* Whether two records are of one warp. */
static inline bool mbarrier_same_warp(const struct mbarrier_record *a, const struct mbarrier_record *b)
{
	return a->thread == b->thread && a->group == b->group;
}
/* Whether lanes of the record's warp have arrived in that phase. */
bool mbarrier_arrived_in(const struct mbarrier_object *object, int64_t phase, const struct mbarrier_record *r);
/* Of the record's lanes those that have not arrived in the object's present phase. */
lane_mask mbarrier_absent_lanes(const struct mbarrier_object *object, const struct mbarrier_record *r);
/* The bytes that a record's warp brought in the record's phase, beyond those of the present one. */
uint64_t mbarrier_absent_bytes(const struct mbarrier_object *object, const struct mbarrier_record *of);
/* Where lanes of the warp have expected bytes last: the object's offset; UINT64_MAX: nowhere. */
uint64_t mbarrier_expected_by(const struct core *core, const struct warp_slot *r);
/* The last phase of the object that the thread knows to be over, as it saw that or arrived in the next one; -2: it
 * knows of none, not even of the one "before the first" (-1), which counts as over. */
int64_t mbarrier_seen(const struct mbarrier_object *object, const struct warp_slot *r, uint32_t lane);
/* How many records of the object are known. */
static inline uint32_t mbarrier_known(const struct mbarrier_object *object)
{
	return object->recorded < MBARRIER_RECORDS ? object->recorded : MBARRIER_RECORDS;
}
/* All known records, from the latest on; `break` leaves only the inner loop of these. */
#define EACH_KNOWN_RECORD(record, object)                                                                              \
	for (uint32_t record##_k = 0; record##_k < mbarrier_known(object); record##_k++)                               \
		for (const struct mbarrier_record *record =                                                            \
				&(object)->records[((object)->recorded - 1 - record##_k) % MBARRIER_RECORDS];          \
			record; record = NULL)
/* Those of one phase that do `act`. */
#define EACH_RECORD(record, object, of_phase, of_act)                                                                  \
	EACH_KNOWN_RECORD(record, object)                                                                              \
		if (record->phase == (of_phase) && record->act == (of_act))

/* Ends of a message's sentence, in the core's arena.  Of one which says that the object at `offset` is not valid: ":
 * thread (0,0,0) invalidated it at k.cu:12".  Of one which says that the object gets too many arrivals: ": thread
 * (0,0,0) initialised it at k.cu:11, with a count of 1", and who arrived in this phase before, and
 * what the `lane` that is one too many has in common with these; or nothing. */
const char *mbarrier_ledger_why_invalid(
	struct core *core, const struct mbarrier_ledger *ledger, const struct operation *op, uint64_t offset);
const char *mbarrier_ledger_why_too_many(struct core *core, const struct mbarrier_ledger *ledger,
	const struct operation *op, uint32_t lane, uint64_t offset);

#endif
