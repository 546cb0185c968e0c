/* Host threads that carry out one round of independent work at a time.
 *
 * Which thread takes which item is not determined; items must not care.  Threads spin briefly between rounds, since a
 * quantum is some tens of microseconds, then give up their processor, and sleep in longer pauses. */
#ifndef LOCKSTEP_UTIL_THREAD_POOL_H
#define LOCKSTEP_UTIL_THREAD_POOL_H

#include "util/arena.h"

struct thread_pool;
/* `threads` in all, the caller's included; 1 makes none.  `work` is called with every item index of a round. */
struct thread_pool *thread_pool_create(
	struct arena *arena, uint32_t threads, void (*work)(void *context, uint32_t item), void *context);
/* Does items 0 .. count - 1 and returns when all are done. */
void thread_pool_round(struct thread_pool *pool, uint32_t count);
/* Ends the threads; the memory goes with the arena. */
void thread_pool_dismiss(struct thread_pool *pool);

#endif
