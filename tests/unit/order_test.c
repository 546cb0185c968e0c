/* Which commands are before which: against sets of commands, in a random program of streams, events and waits. */
#include "host/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#define COMMANDS 200
#define STREAMS 5

static struct {
	struct order order;
	struct order_point point;
	bool before[COMMANDS]; /* which is what the clocks must say */
} command[COMMANDS];

static bool host_knows[COMMANDS];
static struct order stream[STREAMS];
static int stream_last[STREAMS];

static uint32_t draw(uint64_t *random, uint32_t below)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % below;
}

static void come_after(bool before[COMMANDS], int earlier)
{
	if (earlier < 0)
		return;
	before[earlier] = true;
	for (uint32_t k = 0; k < COMMANDS; k++)
		before[k] |= command[earlier].before[k];
}

static void clocks_are_sets(void **state)
{
	uint64_t random = 7;

	(void)state;
	order_begin();
	for (uint32_t k = 0; k < STREAMS; k++)
		stream_last[k] = -1;
	for (uint32_t k = 0; k < COMMANDS; k++) {
		uint32_t s = draw(&random, STREAMS), what = draw(&random, 10);
		int event = k ? (int)draw(&random, k) : -1;

		memcpy(command[k].before, host_knows, sizeof host_knows);
		order_join(&command[k].order, &stream[s]);
		come_after(command[k].before, stream_last[s]);
		if (what < 4 && event >= 0) { /* it waits for another's event */
			order_join(&command[k].order, &command[event].order);
			come_after(command[k].before, event);
		}
		command[k].point = order_enqueue(&command[k].order);
		order_join(&stream[s], &command[k].order);
		stream_last[s] = (int)k;
		if (what == 9 && event >= 0) { /* the host waits for one */
			order_host_knows(&command[event].order);
			come_after(host_knows, event);
		}
		for (uint32_t n = 0; n < k; n++) {
			assert_int_equal(order_has(&command[k].order, command[n].point), command[k].before[n]);
			assert_int_equal(order_has(order_host(), command[n].point), host_knows[n]);
			assert_false(order_has(&command[n].order, command[k].point));
		}
	}
	order_host_knows_all();
	for (uint32_t k = 0; k < COMMANDS; k++) {
		assert_true(order_has(order_host(), command[k].point));
		order_free(&command[k].order);
	}
	for (uint32_t k = 0; k < STREAMS; k++)
		order_free(&stream[k]);
}

/* Chains are as many as commands that nothing orders, and no more. */
static void chains_are_used_again(void **state)
{
	struct order order[100] = {{0}};

	(void)state;
	order_host_knows_all();
	uint32_t chains = order_newest()->count;
	for (uint32_t round = 0; round < 10; round++) {
		for (uint32_t k = 0; k < 10; k++)
			order_enqueue(&order[10 * round + k]);
		order_host_knows_all();
	}
	assert_true(order_newest()->count <= (chains > 11 ? chains : 11));
	for (uint32_t k = 0; k < 100; k++)
		order_free(&order[k]);
}

static void what_the_host_does_is_before_what_it_enqueues_then(void **state)
{
	struct order early = {0}, late = {0};
	struct order_point call;

	(void)state;
	order_enqueue(&early);
	call = order_host_acts();
	order_enqueue(&late);
	assert_false(order_has(&early, call));
	assert_true(order_has(&late, call));
	assert_true(order_has(order_host(), call));
	order_free(&early);
	order_free(&late);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_sets),
		cmocka_unit_test(chains_are_used_again),
		cmocka_unit_test(what_the_host_does_is_before_what_it_enqueues_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
