/* The rules of barriers and member masks, lane by lane: what is told, and what is not. */
#include "sync/sync.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ALL UINT32_MAX

static struct arena arena;
static struct sync_list list;
static struct sync_warp warp;

static int begin(void **state)
{
	(void)state;
	list.found.count = 0;
	warp = (struct sync_warp){0};
	return 0;
}

static struct sync_place at(uint32_t pc, lane_mask live, bool stack)
{
	return (struct sync_place){
		.list = &list, .arena = &arena, .warp = &warp, .pc = pc, .live = live, .stack = stack, .sources = true};
}

static void come(uint32_t pc, lane_mask lanes, lane_mask live, bool stack, bool aligned)
{
	struct sync_place place = at(pc, live, stack);

	sync_come(&place, lanes, aligned);
}

static void pass(uint32_t pc, lane_mask lanes, lane_mask live)
{
	struct sync_place place = at(pc, live, true);

	sync_pass(&place, lanes);
}

static void meet(uint32_t pc, lane_mask lanes, lane_mask live, bool stack, uint32_t even, uint32_t odd)
{
	struct sync_place place = at(pc, live, stack);
	uint32_t masks[64];

	for (uint32_t l = 0; l < 64; l++)
		masks[l] = l % 2 ? odd : even;
	sync_meet(&place, lanes, masks, even != odd);
}

/* The one finding, or none where the cause is SYNC_CAUSES. */
static void told(enum sync_cause cause, lane_mask lanes, lane_mask others)
{
	if (cause == SYNC_CAUSES) {
		assert_int_equal(list.found.count, 0);
		return;
	}
	assert_int_equal(list.found.count, 1);
	assert_int_equal(list.found.at[0].cause, cause);
	assert_int_equal(list.found.at[0].lanes, lanes);
	assert_int_equal(list.found.at[0].others, others);
}

static void lanes_that_exit_are_not_missing(void **state)
{
	(void)state;
	come(5, 0xffff, ALL, true, true);
	pass(7, 0xffff0000, ALL);
	come(9, 0xffff, 0xffff, true, true);
	pass(11, 0xffff, 0xffff);
	told(SYNC_CAUSES, 0, 0);
}

static void lanes_that_come_together_have_skipped(void **state)
{
	(void)state;
	come(5, 0xffff, ALL, true, true);
	pass(7, ALL, ALL);
	pass(8, ALL, ALL);
	told(SYNC_SKIPPED, 0xffff, 0xffff0000);
}

static void another_barrier_is_told(void **state)
{
	(void)state;
	come(5, 0xff, ALL, false, true);
	come(9, ALL & ~0xffu, ALL, false, true);
	told(SYNC_DIFFERENT, 0xff, ALL & ~0xffu);
}

static void parts_are_told_on_a_stack_alone(void **state)
{
	(void)state;
	come(5, 0xff, ALL, false, true);
	come(5, ALL & ~0xffu, ALL, false, true);
	come(5, ALL, ALL, false, true);
	told(SYNC_CAUSES, 0, 0);
	come(5, 0xff, ALL, true, true);
	come(5, ALL & ~0xffu, ALL, true, true);
	told(SYNC_IN_PARTS, 0xff, ALL & ~0xffu);
}

static void what_is_not_aligned_may_differ(void **state)
{
	(void)state;
	come(5, 0xff, ALL, false, false);
	come(9, ALL & ~0xffu, ALL, false, false);
	told(SYNC_CAUSES, 0, 0);
	come(5, 0xff, ALL, true, false);
	come(9, ALL & ~0xffu, ALL, true, false);
	told(SYNC_IN_PARTS, 0xff, ALL & ~0xffu);
}

/* Far more barriers than are remembered. */
static void the_oldest_is_forgotten(void **state)
{
	(void)state;
	for (uint32_t pc = 0; pc < 3 * SYNC_ABSENCES; pc++)
		come(pc, 0xff, ALL, false, true);
	come(0, ALL & ~0xffu, ALL, false, true); /* they may be where the others began */
	come(1, ALL & ~0xffu, ALL, false, true);
	come(99, ALL, ALL, false, true);
	told(SYNC_CAUSES, 0, 0);
}

static void outsiders_are_told_everywhere(void **state)
{
	(void)state;
	meet(5, ALL, ALL, false, 0xfffffffe, 0xfffffffe);
	told(SYNC_OUTSIDER, 1, 0);
}

static void groups_may_have_masks_of_their_own(void **state)
{
	(void)state;
	meet(5, ALL, ALL, true, 0x55555555, 0xaaaaaaaa);
	meet(5, 0x55555555, ALL, true, 0x55555555, 0xaaaaaaaa); /* issued again, one after the other */
	meet(5, 0xaaaaaaaa, ALL, true, 0x55555555, 0xaaaaaaaa);
	pass(6, ALL, ALL);
	told(SYNC_CAUSES, 0, 0);
}

static void a_named_lane_must_come(void **state)
{
	(void)state;
	meet(5, 0xff, ALL, true, 0xffff, 0xffff);
	pass(6, ALL & ~0xffffu, ALL); /* lanes that are not named may do anything */
	told(SYNC_CAUSES, 0, 0);
	pass(7, 0xffff, ALL);
	told(SYNC_MISSING, 0xff, 0xff00);
}

static void halves_of_a_wide_warp_are_apart(void **state)
{
	(void)state;
	meet(5, ~0ull, ~0ull, true, ALL, ALL);
	meet(6, 0xffff0000ffffull, 0xffff0000ffffull, true, ALL, ALL);
	pass(7, 0xffff0000ffffull, 0xffff0000ffffull);
	told(SYNC_CAUSES, 0, 0);
	meet(8, 0xffull << 32, ~0ull, true, 0x1ff, 0x1ff);
	pass(9, ~0ull, ~0ull);
	told(SYNC_MISSING, 0xffull << 32, 1ull << 40);
}

static void use(struct sync_barrier *barrier, uint32_t pc, enum sync_form form, bool counted, uint32_t count)
{
	struct sync_place place = at(pc, ALL, true);

	sync_use(&place, barrier, ALL, form, counted, count);
}

static void counts_and_forms_agree(void **state)
{
	struct sync_barrier barrier = {0};

	(void)state;
	use(&barrier, 1, SYNC_WAITS, true, 64);
	use(&barrier, 2, SYNC_ARRIVES, true, 64);
	use(&barrier, 3, SYNC_WAITS, false, 64);
	told(SYNC_CAUSES, 0, 0);
	use(&barrier, 4, SYNC_REDUCES, false, 64);
	told(SYNC_MIXED, ALL, 0);
	list.found.count = 0;
	use(&barrier, 5, SYNC_REDUCES, true, 96);
	told(SYNC_COUNTS, ALL, 0);
	assert_int_equal(list.found.at[0].other_value, 64);
	list.found.count = 0;
	barrier = (struct sync_barrier){0};
	use(&barrier, 6, SYNC_WAITS, true, 33);
	told(SYNC_COUNT, ALL, 0);
	list.found.count = 0;
	barrier = (struct sync_barrier){0};
	use(&barrier, 7, SYNC_ARRIVES, false, 0);
	told(SYNC_NO_COUNT, ALL, 0);
}

static void shuffles_read_from_lanes_that_take_part(void **state)
{
	struct sync_place place = at(5, ALL, true);
	uint8_t source[64];
	uint32_t masks[64];

	(void)state;
	for (uint32_t l = 0; l < 64; l++) {
		source[l] = l % 32 < 24 ? (uint8_t)(l % 32 + 8) : 32;
		masks[l] = 0xffff;
	}
	sync_shuffle(&place, ALL, source, NULL);
	told(SYNC_CAUSES, 0, 0);
	sync_shuffle(&place, 0xffff, source, masks);
	told(SYNC_SOURCE, 0xff00, 0xff0000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(lanes_that_exit_are_not_missing, begin),
		cmocka_unit_test_setup(lanes_that_come_together_have_skipped, begin),
		cmocka_unit_test_setup(another_barrier_is_told, begin),
		cmocka_unit_test_setup(parts_are_told_on_a_stack_alone, begin),
		cmocka_unit_test_setup(what_is_not_aligned_may_differ, begin),
		cmocka_unit_test_setup(the_oldest_is_forgotten, begin),
		cmocka_unit_test_setup(outsiders_are_told_everywhere, begin),
		cmocka_unit_test_setup(groups_may_have_masks_of_their_own, begin),
		cmocka_unit_test_setup(a_named_lane_must_come, begin),
		cmocka_unit_test_setup(halves_of_a_wide_warp_are_apart, begin),
		cmocka_unit_test_setup(counts_and_forms_agree, begin),
		cmocka_unit_test_setup(shuffles_read_from_lanes_that_take_part, begin),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_free(&arena);
	return failed;
}
