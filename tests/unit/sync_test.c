/* The rules of barriers and member masks, lane by lane: what is told, and what is not. */
#include "sync/sync.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ALL UINT32_MAX

static struct arena arena;
static struct found_list list = {.arena = &arena};
static struct sync_warp warp;

static int begin(void **state)
{
	(void)state;
	list.of.count = 0;
	warp = (struct sync_warp){0};
	return 0;
}

static struct sync_place at(uint32_t pc, lane_mask live, bool stack)
{
	return (struct sync_place){
		.list = &list, .warp = &warp, .pc = pc, .live = live, .stack = stack, .noted = &list};
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

/* The one finding, or none where the cause is FOUND_NO_CAUSE. */
static void told(enum found_cause cause, lane_mask lanes, lane_mask others)
{
	if (cause == FOUND_NO_CAUSE) {
		assert_int_equal(list.of.count, 0);
		return;
	}
	assert_int_equal(list.of.count, 1);
	assert_int_equal(list.of.at[0].cause, cause);
	assert_int_equal(list.of.at[0].side[0].lanes, lanes);
	assert_int_equal(list.of.at[0].side[1].lanes, others);
}

static void lanes_that_exit_are_not_missing(void **state)
{
	(void)state;
	come(5, 0xffff, ALL, true, true);
	pass(7, 0xffff0000, ALL);
	come(9, 0xffff, 0xffff, true, true);
	pass(11, 0xffff, 0xffff);
	told(FOUND_NO_CAUSE, 0, 0);
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
	told(FOUND_NO_CAUSE, 0, 0);
	come(5, 0xff, ALL, true, true);
	come(5, ALL & ~0xffu, ALL, true, true);
	told(SYNC_IN_PARTS, 0xff, ALL & ~0xffu);
}

static void what_is_not_aligned_may_differ(void **state)
{
	(void)state;
	come(5, 0xff, ALL, false, false);
	come(9, ALL & ~0xffu, ALL, false, false);
	told(FOUND_NO_CAUSE, 0, 0);
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
	told(FOUND_NO_CAUSE, 0, 0);
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
	told(FOUND_NO_CAUSE, 0, 0);
}

static void a_named_lane_must_come(void **state)
{
	(void)state;
	meet(5, 0xff, ALL, true, 0xffff, 0xffff);
	pass(6, ALL & ~0xffffu, ALL); /* lanes that are not named may do anything */
	told(FOUND_NO_CAUSE, 0, 0);
	pass(7, 0xffff, ALL);
	told(SYNC_MISSING, 0xff, 0xff00);
}

static void halves_of_a_wide_warp_are_apart(void **state)
{
	(void)state;
	meet(5, ~0ull, ~0ull, true, ALL, ALL);
	meet(6, 0xffff0000ffffull, 0xffff0000ffffull, true, ALL, ALL);
	pass(7, 0xffff0000ffffull, 0xffff0000ffffull);
	told(FOUND_NO_CAUSE, 0, 0);
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
	told(FOUND_NO_CAUSE, 0, 0);
	use(&barrier, 3, SYNC_WAITS, false, 64);
	told(SYNC_FORMS, ALL, 0);
	list.of.count = 0;
	use(&barrier, 4, SYNC_WAITS, false, 64);
	told(FOUND_NO_CAUSE, 0, 0);
	use(&barrier, 4, SYNC_REDUCES, false, 64);
	told(SYNC_MIXED, ALL, 0);
	list.of.count = 0;
	use(&barrier, 5, SYNC_REDUCES, true, 96);
	told(SYNC_COUNTS, ALL, 0);
	assert_int_equal(list.of.at[0].side[1].value, 64);
	list.of.count = 0;
	barrier = (struct sync_barrier){0};
	use(&barrier, 6, SYNC_WAITS, true, 33);
	told(SYNC_COUNT, ALL, 0);
	list.of.count = 0;
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
	told(FOUND_NO_CAUSE, 0, 0);
	sync_shuffle(&place, 0xffff, source, masks);
	told(SYNC_SOURCE, 0xff00, 0xff0000);
}

/* Of a barrier and the place where the missing lanes are seen. */
static void told_at(uint32_t pc, bool has_other, uint32_t other_pc)
{
	assert_int_equal(list.of.count, 1);
	assert_int_equal(list.of.at[0].side[0].pc, pc);
	assert_int_equal(list.of.at[0].places, has_other ? 2 : 1);
	assert_int_equal(list.of.at[0].side[1].pc, other_pc);
	list.of.count = 0;
}

/* Lanes that come to the barrier late are of those that were there; the rest is still missing. */
static void late_lanes_have_come(void **state)
{
	(void)state;
	come(5, 0xff, ALL, false, true);
	come(5, 0xff00, ALL, false, true);
	come(9, 0xff0000, ALL, false, true);
	told(SYNC_DIFFERENT, 0xffff, 0xff0000);
	told_at(5, true, 9);
	come(5, 0xff000000, ALL, false, true);
	come(5, ALL, ALL, false, true);
	told(FOUND_NO_CAUSE, 0, 0);
}

static void parts_of_one_barrier_have_no_other_place(void **state)
{
	(void)state;
	come(5, 0xff, ALL, true, true);
	come(5, ALL & ~0xffu, ALL, true, true);
	told_at(5, false, 0);
}

/* Lanes are missing at several barriers: each is told once they are seen with those that came, the others go on
 * missing. */
static void lanes_may_be_missing_at_several(void **state)
{
	(void)state;
	come(5, 0xf, ALL, true, true);
	come(6, 0xf, ALL, true, true);
	told(FOUND_NO_CAUSE, 0, 0);
	assert_int_equal(warp.count, 2);
	pass(7, 0x10f, ALL);
	assert_int_equal(list.of.count, 2);
	for (uint32_t k = 0; k < 2; k++) {
		assert_int_equal(list.of.at[k].cause, SYNC_SKIPPED);
		assert_int_equal(list.of.at[k].side[0].pc, 5 + k);
		assert_int_equal(list.of.at[k].side[1].pc, 7);
		assert_int_equal(list.of.at[k].side[0].lanes, 0xf);
		assert_int_equal(list.of.at[k].side[1].lanes, 0x100);
	}
	assert_int_equal(warp.count, 0);
}

static void what_passes_elsewhere_is_not_told(void **state)
{
	struct sync_place place = at(7, ALL, false);

	(void)state;
	come(5, 0xff, ALL, true, true);
	pass(7, 0xff, ALL); /* those that came alone, and the others alone */
	pass(7, ALL & ~0xffu, ALL);
	sync_pass(&place, ALL); /* no stack: lanes do not come together */
	told(FOUND_NO_CAUSE, 0, 0);
	assert_int_equal(warp.count, 1);
}

/* Of lanes that several masks name. */
static void named_lanes_come_late(void **state)
{
	(void)state;
	meet(5, 0x0f, ALL, true, 0xff, 0xff);
	meet(6, 0x0f00, ALL, true, 0xff00, 0xff00);
	meet(6, 0xf000, ALL, true, 0xff00, 0xff00);
	told(SYNC_MISSING, 0x0f00, 0xf000);
	told_at(6, false, 0);
	meet(5, 0xf0, ALL, true, 0xff, 0xff);
	told(SYNC_MISSING, 0x0f, 0xf0);
	list.of.count = 0;
	come(9, ALL, ALL, true, true); /* barriers strike nothing of these */
	assert_int_equal(list.of.count, 2);
	assert_int_equal(list.of.at[0].side[0].pc, 6);
	assert_int_equal(list.of.at[0].side[0].lanes, 0xf000);
	assert_int_equal(list.of.at[0].side[1].lanes, 0x0f00);
	assert_int_equal(list.of.at[1].side[0].pc, 5);
	assert_int_equal(list.of.at[1].side[0].lanes, 0xf0);
	assert_int_equal(list.of.at[1].side[1].lanes, 0x0f);
}

static void lanes_that_meet_name_the_same(void **state)
{
	(void)state;
	meet(5, 0xf, ALL, true, 0xf, 0x7);
	assert_int_equal(list.of.count, 2);
	assert_int_equal(list.of.at[0].cause, SYNC_OUTSIDER);
	assert_int_equal(list.of.at[0].side[0].lanes, 0x8); /* lane 3 does not name itself */
	assert_int_equal(list.of.at[1].cause, SYNC_MASKS);
	assert_int_equal(list.of.at[1].side[0].lanes, 0x7);
	assert_int_equal(list.of.at[1].side[1].lanes, 0x7);
	list.of.count = 0;
	meet(6, 0x3, ALL, true, 0x3, 0x7);
	pass(7, 0x7, ALL);
	assert_int_equal(list.of.count, 2);
	assert_int_equal(list.of.at[0].cause, SYNC_MASKS);
	assert_int_equal(list.of.at[0].side[0].lanes, 0x3);
	assert_int_equal(list.of.at[0].side[1].lanes, 0x3);
	assert_int_equal(list.of.at[1].cause, SYNC_MISSING);
	assert_int_equal(list.of.at[1].side[1].lanes, 0x4);
}

/* Masks of the upper half are of the upper lanes; lanes that are all outsiders meet nobody. */
static void masks_of_a_wide_warp(void **state)
{
	(void)state;
	meet(5, 0xfull << 32, ~0ull, true, 0x5, 0xa);
	meet(5, 0x5ull << 32, ~0ull, true, 0x5, 0xa); /* again, a mask after another */
	meet(5, 0xaull << 32, ~0ull, true, 0x5, 0xa);
	told(FOUND_NO_CAUSE, 0, 0);
	meet(6, 0xfull << 32, ~0ull, true, 0xf0, 0xf0);
	told(SYNC_OUTSIDER, 0xfull << 32, 0);
	list.of.count = 0;
	pass(7, ~0ull, ~0ull);
	told(FOUND_NO_CAUSE, 0, 0);
}

/* The lanes of an instruction with several masks are judged together, once; the next time anew. */
static void parts_are_judged_once(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		meet(5, 0xf, ALL, true, 0x5, 0x8a);
		meet(5, 0x5, ALL, true, 0x5, 0x8a);
		meet(5, 0xa, ALL, true, 0x5, 0x8a);
		told(FOUND_NO_CAUSE, 0, 0);
	}
	pass(6, 0x80 | 0xa, ALL);
	told(SYNC_MISSING, 0xf, 0x80);
	/* At another place they are others. */
	list.of.count = 0;
	meet(8, 0xf, ALL, true, 0x5, 0xa);
	meet(9, 0x5, ALL, true, 0x7, 0x7);
	pass(10, 0x7, ALL);
	told(SYNC_MISSING, 0x5, 0x2);
}

/* Room for so many; of a barrier that had to be forgotten the missing lanes are told of no more. */
static void lanes_that_are_lost_are_not_told(void **state)
{
	(void)state;
	for (uint32_t pc = 0; pc < SYNC_ABSENCES; pc++)
		meet(pc, 1u << pc % 16, ALL, true, 1u << 31 | 1u << pc % 16, 1u << 31 | 1u << pc % 16);
	assert_int_equal(warp.count, SYNC_ABSENCES);
	come(100, 0xff0000, ALL, true, true);
	assert_int_equal(warp.count, SYNC_ABSENCES);
	told(FOUND_NO_CAUSE, 0, 0);
	pass(101, 1u << 31 | 1, ALL); /* the first was forgotten, and was no barrier */
	assert_int_equal(list.of.count, (SYNC_ABSENCES - 1) / 16);
	list.of.count = 0;
	come(102, 0x1000000, ALL, true, true);
	told(SYNC_DIFFERENT, 0xff0000, 0x1000000);
}

/* Nor at barriers that come later, at which they are missing, too. */
static void lost_lanes_are_missing_nowhere(void **state)
{
	(void)state;
	for (uint32_t pc = 0; pc <= SYNC_ABSENCES; pc++)
		come(pc, 0xff, ALL, false, true);
	come(50, 0x0f, ALL, true, true);
	pass(51, 1u << 31 | 1, ALL); /* one of those that never came to the first */
	told(FOUND_NO_CAUSE, 0, 0);
	pass(52, 1u << 7 | 1, ALL);
	told(SYNC_SKIPPED, 0x0f, 1u << 7);
}

/* Of several places that which waits for exited lanes alone is forgotten, wherever it is. */
static void exited_lanes_are_missing_nowhere(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 3; k++)
		meet(k, 1u << k, ALL, true, 1u << (31 - k) | 1u << k, 1u << (31 - k) | 1u << k);
	assert_int_equal(warp.count, 3);
	pass(7, 1, ALL & ~(1u << 30));
	assert_int_equal(warp.count, 2);
	assert_int_equal(warp.absence[1].missing, 1u << 29);
	pass(8, 1, ALL & ~(3u << 29));
	assert_int_equal(warp.count, 1);
	assert_int_equal(warp.absence[0].missing, 1u << 31);
	told(FOUND_NO_CAUSE, 0, 0);
}

static void shuffle(bool stack, lane_mask lanes, lane_mask live, uint8_t first, const uint32_t *masks)
{
	struct sync_place place = at(5, live, stack);
	uint8_t source[64];

	for (uint32_t l = 0; l < 64; l++)
		source[l] = l % 32 ? (uint8_t)(l % 32) : first;
	sync_shuffle(&place, lanes, source, masks);
}

static void the_source_is_of_the_same_half(void **state)
{
	uint32_t masks[64];

	(void)state;
	memset(masks, 0xff, sizeof masks);
	shuffle(true, ~0ull & ~(1ull << 31), ~0ull, 31, NULL);
	told(SYNC_SOURCE, 1, 1ull << 31);
	list.of.count = 0;
	shuffle(true, ~0ull & ~(1ull << 63), ~0ull, 31, NULL);
	told(SYNC_SOURCE, 1ull << 32, 1ull << 63);
	list.of.count = 0;
	shuffle(true, ALL, ALL, 32, NULL); /* its own value */
	shuffle(false, 1, ALL, 31, masks); /* the other may still come */
	told(FOUND_NO_CAUSE, 0, 0);
	shuffle(false, 1, ALL, 31, NULL);
	told(SYNC_SOURCE, 1, 1ull << 31);
	list.of.count = 0;
	shuffle(false, 1, 0xffff, 31, masks);
	told(SYNC_SOURCE, 1, 1ull << 31);
	list.of.count = 0;
	shuffle(true, 1, ALL, 31, masks);
	told(SYNC_SOURCE, 1, 1ull << 31);
	list.of.count = 0;
	masks[0] = 0x7fffffff;
	shuffle(true, ALL, ALL, 31, masks);
	told(SYNC_SOURCE, 1, 1ull << 31);
}

/* Which other place, and what it said. */
static void counts_name_the_other_place(void **state)
{
	struct sync_barrier barrier = {0};

	(void)state;
	use(&barrier, 1, SYNC_WAITS, true, 64);
	use(&barrier, 2, SYNC_WAITS, true, 96);
	told(SYNC_COUNTS, ALL, 0);
	assert_int_equal(list.of.at[0].side[0].value, 96);
	assert_int_equal(list.of.at[0].side[1].value, 64);
	told_at(2, true, 1);
	use(&barrier, 2, SYNC_WAITS, true, 128);
	told_at(2, false, 0);
	use(&barrier, 3, SYNC_WAITS, false, 65); /* the work-group's own */
	told_at(3, true, 2);
	barrier = (struct sync_barrier){0};
	use(&barrier, 4, SYNC_ARRIVES, true, 65);
	told(SYNC_COUNT, ALL, 0);
	told_at(4, false, 0);
	barrier = (struct sync_barrier){0};
	use(&barrier, 5, SYNC_WAITS, false, 65);
	told(FOUND_NO_CAUSE, 0, 0);
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
		cmocka_unit_test_setup(late_lanes_have_come, begin),
		cmocka_unit_test_setup(parts_of_one_barrier_have_no_other_place, begin),
		cmocka_unit_test_setup(lanes_may_be_missing_at_several, begin),
		cmocka_unit_test_setup(what_passes_elsewhere_is_not_told, begin),
		cmocka_unit_test_setup(named_lanes_come_late, begin),
		cmocka_unit_test_setup(lanes_that_meet_name_the_same, begin),
		cmocka_unit_test_setup(masks_of_a_wide_warp, begin),
		cmocka_unit_test_setup(parts_are_judged_once, begin),
		cmocka_unit_test_setup(lanes_that_are_lost_are_not_told, begin),
		cmocka_unit_test_setup(lost_lanes_are_missing_nowhere, begin),
		cmocka_unit_test_setup(exited_lanes_are_missing_nowhere, begin),
		cmocka_unit_test_setup(the_source_is_of_the_same_half, begin),
		cmocka_unit_test_setup(counts_name_the_other_place, begin),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_free(&arena);
	return failed;
}
