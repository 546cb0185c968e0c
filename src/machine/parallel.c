/* A crew of host threads: rounds of items taken from a shared counter, with one barrier per round. */
#include "machine/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#define SPINS 2000 /* looks before giving up the processor: about a microsecond */

struct crew {
	void (*work)(void *context, uint32_t item);
	void *context;
	uint32_t helpers;
	pthread_t *threads;
	_Atomic uint64_t round;   /* counts up: helpers wait for a new one */
	_Atomic uint32_t next;    /* item */
	_Atomic uint32_t count;
	_Atomic uint32_t finished; /* helpers done with this round */
	_Atomic bool over;
};

static void take_items(struct crew *crew)
{
	uint32_t count = atomic_load_explicit(&crew->count, memory_order_relaxed);

	for (;;) {
		uint32_t item = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed);

		if (item >= count)
			return;
		crew->work(crew->context, item);
	}
}

static void pause_a_little(uint32_t *spins)
{
	if (++*spins > SPINS)
		sched_yield();
}

static void *help(void *argument)
{
	struct crew *crew = argument;
	uint64_t seen = 0;

	for (;;) {
		uint32_t spins = 0;

		while (atomic_load_explicit(&crew->round, memory_order_acquire) == seen)
			pause_a_little(&spins);
		seen++;
		if (atomic_load_explicit(&crew->over, memory_order_relaxed))
			return NULL;
		take_items(crew);
		atomic_fetch_add_explicit(&crew->finished, 1, memory_order_release);
	}
}

struct crew *crew_create(struct arena *arena, uint32_t threads, void (*work)(void *context, uint32_t item), void *context)
{
	struct crew *crew = arena_new(arena, struct crew);

	crew->work = work;
	crew->context = context;
	crew->threads = arena_new_array(arena, pthread_t, threads);
	while (crew->helpers + 1 < threads) {
		if (pthread_create(&crew->threads[crew->helpers], NULL, help, crew)) {
			fprintf(stderr, "lockstep: only %u of %u threads could be started\n", crew->helpers + 1, threads);
			break; /* the result does not depend on it */
		}
		crew->helpers++;
	}
	return crew;
}

void crew_round(struct crew *crew, uint32_t count)
{
	uint32_t spins = 0;

	atomic_store_explicit(&crew->next, 0, memory_order_relaxed);
	atomic_store_explicit(&crew->count, count, memory_order_relaxed);
	atomic_store_explicit(&crew->finished, 0, memory_order_relaxed);
	if (crew->helpers)
		atomic_fetch_add_explicit(&crew->round, 1, memory_order_release);
	take_items(crew);
	while (atomic_load_explicit(&crew->finished, memory_order_acquire) < crew->helpers)
		pause_a_little(&spins);
}

void crew_dismiss(struct crew *crew)
{
	atomic_store_explicit(&crew->over, true, memory_order_relaxed);
	atomic_fetch_add_explicit(&crew->round, 1, memory_order_release);
	for (uint32_t k = 0; k < crew->helpers; k++)
		pthread_join(crew->threads[k], NULL);
}
