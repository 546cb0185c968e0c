/* From a thread that waits to the one that must act first: along the lock's owner, those that would write the word or
 * have yet to come to the barrier, whom a parked lane waits for, until the way closes or ends. */
#ifndef LOCKSTEP_CHECK_CHAIN_H
#define LOCKSTEP_CHECK_CHAIN_H

#include "check/writers.h"

#define LONGEST_CHAIN 256

/* By what a thread waits for the next one. */
enum link_kind { LINK_LOCK, LINK_WORD, LINK_PARKED, LINK_BARRIER };

struct link {
	enum link_kind kind;
	struct thread at;
	struct position position;
	struct wait wait;     /* of a lock or a word */
	struct owner owner;   /* of a lock */
	struct writer writer; /* of a word */
	uint32_t barrier;
};

/* What is at the end, the surest first. */
enum root {
	ROOT_ENDLESS,          /* the last thread spins and waits for no word */
	ROOT_OWNER_ENDED,      /* the lock's owner has ended */
	ROOT_PASSED,           /* the last waits for lanes that have passed */
	ROOT_RING,             /* the last waits for that of link `ring` */
	ROOT_STALE,            /* the last reads an old value */
	ROOT_UNSTARTED_GROUP,  /* it waits for what a work-group would do that cannot start */
	ROOT_BARRIER,          /* all others of the group have ended, or wait elsewhere */
	ROOT_LIVELOCK,         /* it waits for what threads write all the time */
	ROOT_UNSTARTED_LAUNCH, /* another kernel has not begun, and may be what would write */
	ROOT_SIGNAL,           /* no thread is known that would write the word */
	ROOT_RUNS,             /* the last goes on, and for what is not known */
};

struct chain {
	struct link links[LONGEST_CHAIN]; /* the last one is that of the thread next to the root, or the root itself */
	uint32_t count;
	enum root root;
	uint32_t ring;
	struct writer unstarted_writer; /* that has not started */
	const struct launch *unstarted_launch;
};

/* Follows a thread that has not ended. */
void chain_follow(struct chain *chain, struct writers *writers, struct thread from);
/* How sure its end is, for the choice among several: more is better. */
uint32_t chain_certainty(const struct chain *chain);
/* Of a ring: some lane in it is parked; it leads from warp to warp; a barrier is in it; nothing but locks is. */
bool chain_ring_has(const struct chain *chain, enum link_kind kind);
bool chain_ring_crosses(const struct chain *chain);

#endif
