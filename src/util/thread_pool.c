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

/* Polls before giving up the processor, some microseconds; and so many times before sleeping, about a millisecond: no
 * round takes that long, but the host may pause a launch, and between launches there is no pool. */
#define SPINS 200
#define YIELDS 2000

/* The state of a pool: the number of the round, whether helpers may still join it, and how many are in it. */
#define ROUND 0x20000ull
#define OPEN 0x10000ull
#define HELPERS_IN 0xffffull

/* What threads poll does not lie with what those that work write. */
struct thread_pool {
	void (*work)(void *context, uint32_t item);
	void *context;
	uint32_t helpers, count; /* count: items of the round */
	pthread_t *threads;
	_Alignas(64) _Atomic uint64_t state;
	_Atomic bool over;
	_Atomic uint32_t sleepers;
	pthread_mutex_t lock; /* of `woken` */
	pthread_cond_t woken;
	_Alignas(64) _Atomic uint32_t next; /* item */
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
#ifdef __x86_64__
	else
		__builtin_ia32_pause();
#endif
}

static uint64_t round_of(struct thread_pool *pool)
{
	return atomic_load(&pool->state) / ROUND;
}

/* Until a round after `done` opens.  Either it is seen here, or whoever opens it sees a sleeper. */
static void sleep_for_long(struct thread_pool *pool, uint64_t done)
{
	pthread_mutex_lock(&pool->lock);
	atomic_fetch_add(&pool->sleepers, 1);
	while (round_of(pool) == done && !atomic_load(&pool->over))
		pthread_cond_wait(&pool->woken, &pool->lock);
	atomic_fetch_sub(&pool->sleepers, 1);
	pthread_mutex_unlock(&pool->lock);
}

static void wake(struct thread_pool *pool)
{
	if (!atomic_load(&pool->sleepers))
		return;
	pthread_mutex_lock(&pool->lock);
	pthread_cond_broadcast(&pool->woken);
	pthread_mutex_unlock(&pool->lock);
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
			if (spins > SPINS + YIELDS) {
				sleep_for_long(pool, round);
				spins = 0;
			}
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
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->woken, NULL);
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
	atomic_fetch_add(&pool->state, ROUND + OPEN);
	wake(pool);
	take_items(pool);
	atomic_fetch_and_explicit(&pool->state, ~OPEN, memory_order_relaxed);
	while (atomic_load_explicit(&pool->state, memory_order_acquire) & HELPERS_IN)
		pause_a_little(&spins);
}

void thread_pool_dismiss(struct thread_pool *pool)
{
	atomic_store(&pool->over, true);
	wake(pool);
	for (uint32_t k = 0; k < pool->helpers; k++)
		pthread_join(pool->threads[k], NULL);
}
