/* The parts of cause.c: what each root of a chain comes to in words. */
#ifndef LOCKSTEP_CHECK_CAUSE_PARTS_H
#define LOCKSTEP_CHECK_CAUSE_PARTS_H

#include "check/cause.h"

/* cause_lock.c */
/* The owner has ended; by the history of the word perhaps it is no lock, or another thread is its owner. */
void cause_say_owner_ended(struct explanation *e, const struct chain *chain, struct writers *writers);
/* Lanes have passed the place where others wait for them. */
void cause_say_passed(struct explanation *e, const struct chain *chain);
/* A link of the chain, its ring if it ends in one, that waits for a lock bit taken for another word; null: none. */
const struct link *cause_aliased_link(const struct chain *chain);
void cause_say_alias(struct explanation *e, const struct link *link);
void cause_say_ring(struct explanation *e, const struct chain *chain);

/* cause_barrier.c */
void cause_say_barrier(struct explanation *e, const struct chain *chain);
/* Of a link at a barrier of the work-group.  `next`: of a thread that has not come there; null: none can. */
void cause_say_group_barrier(struct explanation *e, const struct link *link, const struct link *next);
/* At a barrier of its work-group, or of its warp. */
void cause_conclude_barrier(struct explanation *e, const struct link *link);

/* cause_registers.c */
void cause_say_registers(struct explanation *e, const struct chain *chain);
/* cause_mbarrier.c: at an mbarrier whose phase does not end, or in a ring of threads that wait at such. */
void cause_say_mbarrier(struct explanation *e, const struct chain *chain);
/* What a warp of the group of `waiter`, by its first thread, has done at the mbarriers of the group so far:
 * " (producer)", where it lets copies tell them or expects their bytes; " (consumer)", where it only waits for such
 * bytes; or nothing. */
const char *cause_role_of(const struct thread *waiter, uint32_t thread);

/* cause_signal.c */
void cause_say_signal(struct explanation *e, const struct chain *chain, struct writers *writers);
/* By the history of the word, the thread that took it last has ended.  False: nothing is known of that. */
bool cause_say_taker(struct explanation *e, const struct link *last);

#endif
