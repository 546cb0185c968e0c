/* At which barrier of its work-group a thread waits, by what the machine has of its warp: check/thread.h. */
#include "check/thread.h"
#include "machine/state/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SLOTS 3

static struct warp_slot slots[SLOTS];
static struct core core;
static struct group group;

static int begin(void **state)
{
	(void)state;
	core = (struct core){.slots = slots};
	group = (struct group){0};
	for (uint32_t k = 0; k < SLOTS; k++)
		slots[k] = (struct warp_slot){.group = &group, .warp.first_thread = 32 * k};
	return 0;
}

/* Lanes of the warp in a slot wait at barrier `k`; none: it is not known which, as of a warp that waits as one. */
static void wait_at(uint32_t k, uint32_t slot, lane_mask lanes)
{
	group.barriers_used |= 1u << k;
	group.barriers[k].waiting |= 1ull << slot;
	slots[slot].waiting_lanes[k] = lanes;
}

static uint32_t barrier_of(uint32_t slot, uint32_t lane)
{
	struct thread t = thread_at(&core, &slots[slot], lane);

	assert_int_equal(t.number, 32 * slot + lane);
	return thread_barrier(&t);
}

static void lanes_of_a_warp_may_wait_at_several(void **state)
{
	(void)state;
	wait_at(2, 1, 0xffff0000);
	wait_at(5, 1, 0x0000ff00);
	wait_at(9, 1, 0x000000ff);
	wait_at(2, 0, 0xffffffff); /* another warp's */
	wait_at(1, 2, 0xffffffff);
	assert_int_equal(barrier_of(1, 31), 2);
	assert_int_equal(barrier_of(1, 16), 2);
	assert_int_equal(barrier_of(1, 15), 5);
	assert_int_equal(barrier_of(1, 8), 5);
	assert_int_equal(barrier_of(1, 7), 9);
	assert_int_equal(barrier_of(1, 0), 9);
	assert_int_equal(barrier_of(0, 3), 2);
	assert_int_equal(barrier_of(2, 0), 1);
}

static void a_warp_that_waits_as_one_has_one(void **state)
{
	(void)state;
	wait_at(3, 0, 0);
	wait_at(6, 1, 0);
	wait_at(4, 2, 0);
	assert_int_equal(barrier_of(0, 0), 3);
	assert_int_equal(barrier_of(1, 5), 6);
	assert_int_equal(barrier_of(2, 31), 4);
}

/* A lane of a path that has not come is named with the barrier at which its warp waits, else the group's first. */
static void who_has_not_come_is_at_the_likeliest(void **state)
{
	(void)state;
	wait_at(7, 1, 0xff);
	wait_at(4, 2, 0xff);
	assert_int_equal(barrier_of(1, 20), 7);
	assert_int_equal(barrier_of(2, 20), 4);
	assert_int_equal(barrier_of(0, 0), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(lanes_of_a_warp_may_wait_at_several, begin),
		cmocka_unit_test_setup(a_warp_that_waits_as_one_has_one, begin),
		cmocka_unit_test_setup(who_has_not_come_is_at_the_likeliest, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
