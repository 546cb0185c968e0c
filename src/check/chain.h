/* The chain of waits: from a waiting thread to the thread that it waits for, and so on, until the chain leads back to
 * itself or ends at a root cause.  A thread waits for the owner of a lock, for a thread that would write a word, for
 * lanes of its warp that run while it is parked, for a thread that has not arrived at a barrier, for one that would
 * give registers back, or for a warp that has yet to multiply with its own. */
#ifndef LOCKSTEP_CHECK_CHAIN_H
#define LOCKSTEP_CHECK_CHAIN_H

#include "check/mbarrier_wait.h"
#include "check/writers.h"

#define LONGEST_CHAIN 256

/* How a thread waits for the next one. */
enum link_kind { LINK_LOCK, LINK_WORD, LINK_PARKED, LINK_BARRIER, LINK_REGISTERS, LINK_MBARRIER, LINK_MATRICES };

/* Who would give back registers that another warp waits for. */
struct giver {
	bool found;
	struct thread at;
	uint32_t pc;       /* of its setmaxnreg.dec */
	uint64_t can_come; /* of all such warps and of what is free, as in struct register_pool */
	uint32_t least;    /* that a warp waits for, beyond what it has */
};

struct link {
	enum link_kind kind;
	struct thread at;
	struct position position;
	struct wait wait;     /* of a lock or a word */
	struct owner owner;   /* of a lock */
	struct writer writer; /* of a word, or of an mbarrier: who would arrive, or let a copy tell it */
	uint32_t barrier;
	struct giver giver; /* of registers */
	struct mbarrier_wait mbarrier;
};

/* What the chain ends at. chain_certainty ranks them. */
enum root {
	ROOT_ENDLESS,         /* the last thread spins in a loop that no other thread can end */
	ROOT_OWNER_ENDED,     /* the lock's owner has ended */
	ROOT_PASSED,          /* the last waits for lanes that have passed its reconvergence point */
	ROOT_RING,            /* the last waits for the thread of link `ring`: a ring of waits */
	ROOT_FULL,            /* the last looks for a free slot in a table that has none */
	ROOT_STALE,           /* the last reads an old value */
	ROOT_UNSTARTED_GROUP, /* a work-group that cannot start would write the word */
	ROOT_BARRIER,         /* all others of the group have ended, or wait elsewhere */
	ROOT_REGISTERS, /* no warp will give back as many registers as the last waits for, or one that would waits for
			   it */
	ROOT_MBARRIER,  /* no known thread would arrive at the mbarrier, or its phase has been missed */
	ROOT_LIVELOCK,  /* threads write the word again and again */
	ROOT_UNSTARTED_LAUNCH, /* another launch, not yet wholly started, may be what would write the word */
	ROOT_SIGNAL,           /* no known thread would write the word */
	ROOT_GRIDS,            /* the last waits for what its work-group has launched */
	ROOT_RUNS,             /* the last runs, and what it waits for is not known */
};

struct chain {
	struct link links[LONGEST_CHAIN]; /* the last one is the thread at the root, or next to it */
	uint32_t count;
	enum root root;
	uint32_t ring;
	struct writer unstarted_writer; /* of ROOT_UNSTARTED_GROUP */
	const struct launch *unstarted_launch;
	struct table table; /* of ROOT_FULL */
	uint32_t steps;     /* that may still be played to find one; at first MOST_PLAYED */
};

#define MOST_PLAYED (1u << 24)

/* Builds the chain that begins at `from`, a thread that has not ended. */
void chain_follow(struct arena *arena, struct chain *chain, struct writers *writers, struct thread from);
/* The link at the root, or next to it. */
static inline const struct link *chain_last(const struct chain *chain)
{
	return &chain->links[chain->count - 1];
}
/* How certain the root is, to choose among several chains: more is better. */
uint32_t chain_certainty(const struct chain *chain);
/* A link, of the ring if it ends in one, that waits for a lock, else one that waits for a word; null: neither. */
const struct link *chain_waiting_link(const struct chain *chain);
/* Of a ring: whether a link of this kind is in it; whether it leads through more than one warp. */
bool chain_ring_has(const struct chain *chain, enum link_kind kind);
bool chain_ring_crosses(const struct chain *chain);

#endif
