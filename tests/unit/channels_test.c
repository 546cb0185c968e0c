/* device/lockstep_channels.h on the host, one thread: the states of elements, their order, and the counters' end (paper
 * 5, section 3.2.1). */
#include "../../device/lockstep_channels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 8, DONE = 2, MOST = 3, SIZE = 4 };

static uint32_t memory[CH_BYTES(WIDTH, DONE, SIZE, MOST) / 4 + 1];

/* Positions begin at `start`, a multiple of four widths: those are as 0 for all bits that change with each turn. */
static ch_channel channel_at(uint32_t start)
{
	memset(memory, 0, sizeof memory);
	memory[0] = memory[32] = memory[64] = memory[65] = memory[96] = start;
	return ch_open(memory, WIDTH, DONE, SIZE, MOST);
}

static void put(const ch_channel *c, uint32_t value)
{
	uint32_t first = ch_talloc(c, 1);
	assert_int_not_equal(first, CH_NONE);
	*(uint32_t *)ch_at(c, first) = value;
	ch_enq(c, first, 1);
}

static uint32_t take(const ch_channel *c)
{
	uint32_t offset;
	assert_true(ch_claim(c, &offset));
	return ch_deq(c, offset);
}

static uint32_t get(const ch_channel *c)
{
	uint32_t element = take(c), value = *(uint32_t *)ch_at(c, element);
	ch_tfree(c, element);
	return value;
}

static void elements_come_out_in_order_of_enqueuing(void **state)
{
	(void)state;
	ch_channel c = channel_at(0);
	uint32_t first = ch_talloc(&c, 1), second = ch_talloc(&c, 2), offset;
	*(uint32_t *)ch_at(&c, first) = 1;
	*(uint32_t *)ch_at(&c, second) = 2;
	*(uint32_t *)ch_at(&c, second + 1) = 3;
	assert_false(ch_claim(&c, &offset)); /* reserved, hidden */
	ch_enq(&c, second, 2);
	assert_int_equal(ch_ready(&c), 2);
	ch_enq(&c, first, 1);
	assert_int_equal(get(&c), 2);
	assert_int_equal(get(&c), 3);
	assert_int_equal(get(&c), 1);
	assert_false(ch_claim(&c, &offset));
}

static void a_full_channel_has_no_room(void **state)
{
	(void)state;
	ch_channel c = channel_at(0);
	for (uint32_t k = 0; k < WIDTH; k++)
		put(&c, k);
	assert_int_equal(ch_talloc(&c, 1), CH_NONE);
	assert_int_equal(get(&c), 0);
	assert_int_equal(ch_talloc(&c, 1), CH_NONE); /* a count frees both of its elements or none */
	assert_int_equal(get(&c), 1);
	assert_int_equal(ch_talloc(&c, 3), CH_NONE);
	assert_int_equal(ch_talloc(&c, 2), 0);
}

static void places_are_free_in_the_order_of_reservation(void **state)
{
	(void)state;
	ch_channel c = channel_at(0);
	uint32_t element[WIDTH];
	for (uint32_t k = 0; k < WIDTH; k++)
		put(&c, k);
	for (uint32_t k = 0; k < WIDTH; k++)
		element[k] = take(&c);
	for (uint32_t k = WIDTH; k-- > 2;) {
		ch_tfree(&c, element[k]);
		assert_int_equal(ch_reclaim(&c), 0);
	}
	ch_tfree(&c, element[1]);
	assert_int_equal(ch_reclaim(&c), 0);
	ch_tfree(&c, element[0]);
	assert_int_equal(ch_reclaim(&c), WIDTH);
	assert_int_equal(ch_reclaim(&c), 0);
}

/* An allocation that begins near the end of the data array has neighbours behind it; as for counts they are at the
 * beginning. */
static void elements_of_an_allocation_are_neighbours(void **state)
{
	(void)state;
	ch_channel c = channel_at(0);
	for (uint32_t k = 0; k < WIDTH - 1; k++)
		put(&c, k);
	for (uint32_t k = 0; k < WIDTH - 1; k++)
		assert_int_equal(get(&c), k);
	uint32_t first = ch_talloc(&c, 3);
	assert_int_equal(first, WIDTH - 1);
	assert_true((char *)ch_at(&c, first + 2) + SIZE <= (char *)memory + CH_BYTES(WIDTH, DONE, SIZE, MOST));
	for (uint32_t k = 0; k < 3; k++)
		*(uint32_t *)ch_at(&c, first + k) = 70 + k;
	ch_enq(&c, first, 3);
	for (uint32_t k = 0; k < WIDTH - 4;
		k++) /* the last that was freed shares its count with the first of the three */
		put(&c, 80 + k);
	assert_int_equal(ch_talloc(&c, 1), CH_NONE);
	for (uint32_t k = 0; k < 3; k++)
		assert_int_equal(get(&c), 70 + k);
	for (uint32_t k = 0; k < WIDTH - 4; k++)
		assert_int_equal(get(&c), 80 + k);
	assert_int_equal(ch_reclaim(&c), WIDTH);
}

static void go_many_times_around(uint32_t start)
{
	ch_channel c = channel_at(start);
	uint32_t in = 0, out = 0;
	for (uint32_t turn = 0; turn < 40; turn++) {
		for (uint32_t k = 0; k < 1 + turn % WIDTH; k++)
			put(&c, in++);
		assert_int_equal(ch_ready(&c), 1 + turn % WIDTH);
		while (out != in)
			assert_int_equal(get(&c), out++);
	}
	assert_true(memory[0] == start + in && in > 8 * WIDTH);
}

static void places_are_used_again(void **state)
{
	(void)state;
	go_many_times_around(0);
}

static void counters_pass_their_end(void **state)
{
	(void)state;
	go_many_times_around(0u - 4 * WIDTH);
	assert_true(memory[0] < 1u << 31);
}

static void an_aggregator_takes_as_many_as_it_wants(void **state)
{
	(void)state;
	ch_channel c = channel_at(0);
	uint32_t offset;
	for (uint32_t k = 0; k < 5; k++)
		put(&c, k);
	assert_int_equal(ch_dispatch(&c, 6, 8, &offset), 0);
	assert_int_equal(ch_dispatch(&c, 2, 3, &offset), 3);
	assert_int_equal(*(uint32_t *)ch_at(&c, ch_deq(&c, offset + 2)), 2);
	assert_int_equal(ch_dispatch(&c, 1, 8, &offset), 2);
	assert_int_equal(*(uint32_t *)ch_at(&c, ch_deq(&c, offset)), 3);
	assert_int_equal(ch_dispatch(&c, 1, 8, &offset), 0);
}

static void parameters_that_cannot_work_are_refused(void **state)
{
	(void)state;
	assert_true(CH_FITS(64u, 64u, 1u));
	assert_true(CH_FITS(64u, 16u, 49u));
	assert_false(CH_FITS(64u, 16u, 50u));
	assert_false(CH_FITS(48u, 16u, 1u));
	assert_false(CH_FITS(64u, 12u, 1u));
	assert_false(CH_FITS(64u, 128u, 1u));
	assert_false(CH_FITS(64u, 16u, 0u));
	assert_false(CH_FITS(0u, 1u, 1u));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_come_out_in_order_of_enqueuing),
		cmocka_unit_test(a_full_channel_has_no_room),
		cmocka_unit_test(places_are_free_in_the_order_of_reservation),
		cmocka_unit_test(elements_of_an_allocation_are_neighbours),
		cmocka_unit_test(places_are_used_again),
		cmocka_unit_test(counters_pass_their_end),
		cmocka_unit_test(an_aggregator_takes_as_many_as_it_wants),
		cmocka_unit_test(parameters_that_cannot_work_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
