/* What the warps of a work-group do at its named barriers: what they have done (machine/core/barrier_trace.h), and what
 * their code has ahead of where they stopped. */
#ifndef LOCKSTEP_CHECK_BARRIER_USES_H
#define LOCKSTEP_CHECK_BARRIER_USES_H

#include "check/cause_parts.h"

#include "machine/core/barrier_trace.h"

#define BARRIER_DOES 32

/* A warp comes to a barrier by an instruction. */
struct barrier_does {
	uint32_t pc, number, count; /* `number`: NAMED_BARRIERS where it is not known, `count` likewise 0 */
	bool waits;
	bool is_first;    /* it has only arrived so before its first wait */
	bool is_ahead;    /* it has not done so yet */
	bool comes_again; /* it may do so from where it is, perhaps with another number */
};

struct barrier_user {
	struct thread at; /* one that lives, if there is one */
	uint32_t warp, slot;
	bool has_ended, is_stuck; /* at a barrier with a count: */
	uint32_t stuck_at, stuck_pc;
	const struct barrier_trace *trace; /* null: it has come to none */
	struct barrier_does does[BARRIER_DOES];
	uint32_t count;
};

struct barrier_case {
	struct explanation *e;
	const struct link *link;
	struct core *core;
	struct group *group;
	uint32_t lanes; /* of a warp */
	struct barrier_user users[CORE_WARPS];
	uint32_t count;
	uint64_t waiters[NAMED_BARRIERS], arrivers[NAMED_BARRIERS]; /* warps, by what they do; not what is_first */
};

/* Those of the work-group in which the link's thread waits. */
struct barrier_case *barrier_case_of(struct explanation *e, const struct link *link);

/* The warps' threads. */
static inline uint32_t barrier_threads(const struct barrier_case *c, uint64_t warps)
{
	return (uint32_t)__builtin_popcountll(warps) * c->lanes;
}
/* How many threads a barrier lacks at which threads wait; 0: nobody waits there. */
static inline uint32_t barrier_lacks(const struct barrier_case *c, uint32_t number)
{
	const struct barrier *b = &c->group->barriers[number];

	return b->waiting && b->expected > b->arrived ? b->expected - b->arrived : 0;
}
/* The warp's first thread, and in words with what it has done as a role. */
uint32_t barrier_thread_of(const struct barrier_case *c, uint32_t warp);
const char *barrier_warp_words(const struct barrier_case *c, uint32_t warp);

/* Where warps arrive after a wait: of the waits and the arrivals of two lines, by the barrier's number of the wait that
 * of the arrival. */
struct barrier_turn {
	uint32_t wait, arrival;     /* pcs */
	uint8_t to[NAMED_BARRIERS]; /* NAMED_BARRIERS: not known */
	bool is_ahead;              /* no warp has done so yet */
	bool is_inferred; /* nor has the code such an arrival, as far as is known: by what warps of other numbers do */
};
#define BARRIER_TURNS 16
/* Returns how many. */
uint32_t barrier_turns_of(const struct barrier_case *c, struct barrier_turn turns[BARRIER_TURNS]);

#endif
