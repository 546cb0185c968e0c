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

/* Bytes that an instruction has accessed, or a barrier that it has come to. */
struct step_access {
	uint64_t first, end; /* of a barrier: its number */
	uint64_t open;       /* actors that may still come before or after it, a bit each */
	uint32_t where;      /* STEP_GLOBAL, or the shared memory or the barriers of a group */
	uint32_t pc;
	uint32_t threads; /* of a barrier: for how many it waits as this instruction says */
	/* of a barrier: that it has opened it; two that only come to it, and say the same, are in no conflict */
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

/* Of the whole GPU, for a search. */
struct steps {
	struct arena *arena;        /* of a run */
	const bool *quiet;          /* per pc: whether the instruction is taken to be */
	uint32_t parts;             /* actors of a group; its warps are the first ones */
	uint32_t actors;            /* of all groups; at most STEP_ACTORS */
	uint32_t actor;             /* whose step it is */
	bool too_many;              /* accesses to be kept */
	uint64_t ended;             /* actors that come to nothing any more */
	bool opened;                /* in this step a barrier has opened */
	struct step_accesses taken; /* in this step */
	/* Of each actor: those of quiet instructions behind its last loud one.  Later steps of others are checked
	 * against them, until a barrier orders them. */
	struct step_accesses open[STEP_ACTORS];
	/* Of all runs: pcs of quiet instructions in conflicts, and how many they are. */
	bool *in_conflict;
	uint32_t conflicts;
};

/* A run begins: nothing has been accessed. */
void steps_begin(struct steps *s, struct arena *arena);
/* A step of an actor begins. */
void steps_next(struct steps *s, uint32_t actor);
/* The actor has carried out a loud instruction. */
void steps_loud(struct steps *s, uint32_t actor);
/* Notes the conflicts between two steps that can be taken in the same state; whether there is one. */
bool steps_conflict(
	struct steps *s, const struct step_access *a, uint32_t a_count, const struct step_access *b, uint32_t b_count);

#endif
