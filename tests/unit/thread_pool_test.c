/* The pool of host threads: each item of a round is done once, by any number of threads, also after a pause in which
 * they fall asleep. */
#include "util/thread_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#define ITEMS 50
#define ROUNDS 2000

struct work {
	_Atomic uint32_t done[ITEMS];
};

static void do_item(void *context, uint32_t item)
{
	struct work *work = context;
	atomic_fetch_add(&work->done[item], 1);
}

static void check(struct work *work, uint32_t items, uint32_t times)
{
	for (uint32_t k = 0; k < ITEMS; k++)
		assert_int_equal(atomic_load(&work->done[k]), k < items ? times : 0);
}

static void each_item_once(void **state)
{
	(void)state;
	for (uint32_t threads = 1; threads <= 4; threads++) {
		struct arena arena = {0};
		struct work work = {0};
		struct thread_pool *pool = thread_pool_create(&arena, threads, do_item, &work);
		for (uint32_t k = 0; k < ROUNDS; k++) {
			thread_pool_round(pool, ITEMS - 1);
			check(&work, ITEMS - 1, k + 1);
		}
		thread_pool_dismiss(pool);
		arena_free(&arena);
	}
}

/* Helpers sleep after a while: they wake for the next round, or for the end, and no round is lost. */
static void after_a_pause(void **state)
{
	const struct timespec pause = {.tv_nsec = 50000000};
	struct arena arena = {0};
	struct work work = {0};
	struct thread_pool *pool = thread_pool_create(&arena, 3, do_item, &work);
	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		nanosleep(&pause, NULL);
		thread_pool_round(pool, 2);
		check(&work, 2, k + 1);
	}
	nanosleep(&pause, NULL);
	thread_pool_dismiss(pool);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_item_once),
		cmocka_unit_test(after_a_pause),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
