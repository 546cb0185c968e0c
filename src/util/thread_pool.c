/* A pool of host threads: rounds of items taken from a shared counter.
 *
 * The caller opens a round, works on it like the others, closes it when no item is left, and waits for those that still
 * have one. A helper that the system has not let run meanwhile misses the round, and is not waited for, so more threads
 * than free processors cost little. */
#include "util/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define SPINS 2000 /* polls before giving up the processor: about a microsecond */

/* The state of a pool: the number of the round, whether helpers may still join it, and how many are in it. */
#define ROUND 0x20000ull
#define OPEN 0x10000ull
#define HELPERS_IN 0xffffull

struct thread_pool {
	void (*work)(void *context, uint32_t item);
	void *context;
	uint32_t helpers, count; /* count: items of the round */
	pthread_t *threads;
	_Atomic uint64_t state;
	_Atomic uint32_t next; /* item */
	_Atomic bool over;
};

static void take_items(struct thread_pool *pool)
{
	for (;;) {
		uint32_t item = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);

		if (item >= pool->count)
			return;
		pool->work(pool->context, item);
	}
}

static void pause_a_little(uint32_t *spins)
{
	if (++*spins > SPINS)
		sched_yield();
}

/* Enters the round if it is open; false: it is not, or another thread was quicker to change the state. */
static bool enter(struct thread_pool *pool)
{
	uint64_t state = atomic_load_explicit(&pool->state, memory_order_relaxed);

	return state & OPEN && atomic_compare_exchange_strong_explicit(
				       &pool->state, &state, state + 1, memory_order_acquire, memory_order_relaxed);
}

static void *help(void *argument)
{
	struct thread_pool *pool = argument;
	uint64_t done = 0; /* round whose items are all taken */

	for (uint32_t spins = 0; !atomic_load_explicit(&pool->over, memory_order_relaxed);) {
		uint64_t round = atomic_load_explicit(&pool->state, memory_order_relaxed) / ROUND;

		if (round == done || !enter(pool)) {
			pause_a_little(&spins);
			continue;
		}
		/* it cannot end while we are in it */
		done = atomic_load_explicit(&pool->state, memory_order_relaxed) / ROUND;
		take_items(pool);
		atomic_fetch_sub_explicit(&pool->state, 1, memory_order_release);
		spins = 0;
	}
	return NULL;
}

struct thread_pool *thread_pool_create(
	struct arena *arena, uint32_t threads, void (*work)(void *context, uint32_t item), void *context)
{
	struct thread_pool *pool = arena_new(arena, struct thread_pool);

	pool->work = work;
	pool->context = context;
	pool->threads = arena_new_array(arena, pthread_t, threads);
	while (pool->helpers + 1 < threads) {
		if (pthread_create(&pool->threads[pool->helpers], NULL, help, pool)) {
			fprintf(stderr, "lockstep: only %u of %u threads could be started\n", pool->helpers + 1,
				threads);
			break; /* the result does not depend on it */
		}
		pool->helpers++;
	}
	return pool;
}

void thread_pool_round(struct thread_pool *pool, uint32_t count)
{
	uint32_t spins = 0;

	pool->count = count;
	atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
	if (!pool->helpers) {
		take_items(pool);
		return;
	}
	atomic_fetch_add_explicit(&pool->state, ROUND + OPEN, memory_order_release);
	take_items(pool);
	atomic_fetch_and_explicit(&pool->state, ~OPEN, memory_order_relaxed);
	while (atomic_load_explicit(&pool->state, memory_order_acquire) & HELPERS_IN)
		pause_a_little(&spins);
}

void thread_pool_dismiss(struct thread_pool *pool)
{
	atomic_store_explicit(&pool->over, true, memory_order_relaxed);
	for (uint32_t k = 0; k < pool->helpers; k++)
		pthread_join(pool->threads[k], NULL);
}
