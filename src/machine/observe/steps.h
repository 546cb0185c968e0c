/* What the steps of a search access (progress/search.h), and which of these accesses are in no order with what others
 * do.
 *
 * The search hopes that most instructions are QUIET: whatever others do meanwhile, it makes no difference when they are
 * carried out.  The others are LOUD, and the search tries all orders of them.  Here is found where it hopes in vain: an
 * access of a quiet instruction that conflicts with one of another actor, and nothing keeps the two apart. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_STEPS_H
#define LOCKSTEP_MACHINE_OBSERVE_STEPS_H

#include "machine/state/core.h"
#include "util/vector.h"

#define STEP_ACTORS 64
#define STEP_OBJECTS 64u /* mbarriers and barriers that are told apart */

/* What an access does. */
enum step_kind {
	STEP_MEMORY, /* reads or writes bytes */
	STEP_MEETS,  /* comes to a barrier */
	/* An mbarrier: arrives, perhaps with bytes that are expected; completes bytes; found its phase complete; does
	 * anything else there; found its phase not complete, which is no access, but is checked. */
	STEP_ARRIVES,
	STEP_COMPLETES,
	STEP_TESTS,
	STEP_RESETS,
	STEP_FAILS,
};

/* Bytes that an instruction has accessed, or a barrier that it has come to. */
struct step_access {
	uint64_t first, end; /* of a barrier: its number */
	uint64_t open;       /* actors that may still come before or after it, a bit each */
	/* mbarriers and barriers, a bit each: an actor that waits for the current phase there will know of the access;
	 * one that waits for the phase before, which is complete, does */
	uint64_t pending, complete;
	uint64_t phase; /* of these: how many were complete before */
	uint32_t where; /* STEP_GLOBAL, or the shared memory or the barriers of a group */
	uint32_t pc;
	uint32_t threads; /* of a barrier: for how many it waits as this instruction says */
	uint8_t kind;     /* enum step_kind */
	bool has_result;  /* of an mbarrier: a register gets what it was before */
	bool writes;
	bool quiet;
};
#define STEP_GLOBAL 0u
#define STEP_SHARED(group) (1u + 2 * (group))
#define STEP_BARRIER(group) (2u + 2 * (group))

struct step_accesses {
	struct step_access *at;
	uint32_t count, capacity;
};

/* An mbarrier or a barrier. */
struct step_object {
	uint32_t where;
	uint64_t offset, phase;
	uint64_t bytes; /* expected and completed in this phase, all together */
};

/* Of the whole GPU, for a search. */
struct steps {
	struct arena *arena;        /* of a run */
	const bool *quiet;          /* per pc: whether the instruction is taken to be */
	const bool *data_only;      /* per pc: what it does to memory makes no difference */
	uint32_t parts, warps;      /* actors of a group: its warps, and then copies */
	uint32_t actors;            /* of all groups; at most STEP_ACTORS */
	uint32_t actor;             /* whose step it is */
	bool too_many;              /* accesses to be kept */
	uint64_t present;           /* actors that may still come to something: warps, and copies that have begun */
	bool opened;                /* in this step a barrier has opened */
	bool signalled;             /* in this step something was done by which others may go on */
	bool loud_here;             /* this time what it did is loud, whatever `quiet` has */
	uint32_t copy_pc;           /* of the copy that has ended last */
	struct step_accesses taken; /* in this step */
	/* Of each actor: those of quiet instructions behind its last loud one.  Later steps of others are checked
	 * against them, until something orders them.  The last list: of copies that have ended. */
	struct step_accesses open[STEP_ACTORS + 1];
	struct step_object object[STEP_OBJECTS];
	uint32_t objects;
	/* Of all runs: pcs of quiet instructions in conflicts, and how many they are. */
	bool *in_conflict;
	uint32_t conflicts;
};

/* A run begins: nothing has been accessed. */
void steps_begin(struct steps *s, struct arena *arena);
/* A step of an actor begins. */
void steps_next(struct steps *s, uint32_t actor);
/* After a step of the actor so many copies of its group are outstanding. */
void steps_copies(struct steps *s, uint32_t count);
/* The actor has carried out a loud instruction. */
void steps_loud(struct steps *s, uint32_t actor);
/* Notes the conflicts between two steps that can be taken in the same state; whether there is one. */
bool steps_conflict(
	struct steps *s, const struct step_access *a, uint32_t a_count, const struct step_access *b, uint32_t b_count);

#endif
