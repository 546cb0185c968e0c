/* What of the things that checks find is one: by cause, object, and places or lines. */
#include "found/found.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Two loads and a store on one line, a load on another. */
static const char ptx[] = ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
			  ".reg .b64 %a; .reg .b32 %v;\n"
			  "ld.global.u32 %v, [%a]; ld.global.u32 %v, [%a+4]; st.global.u32 [%a], %v;\n"
			  "ld.global.u32 %v, [%a];\nexit;\n}\n";
enum { LOAD, LOAD_TOO, STORE, ELSEWHERE };

static struct arena arena;
static const struct kernel *kernel, *other;
static struct found_list list;

static int begin(void **state)
{
	struct diagnostic diagnostic = {0};
	struct ptx_module *module = ptx_parse(&arena, "k.ptx", ptx, &diagnostic);

	(void)state;
	kernel = kernel_decode(&arena, module, ptx_find_function(module, "k"), 32, &diagnostic);
	other = kernel_decode(&arena, module, ptx_find_function(module, "k"), 32, &diagnostic);
	return kernel == NULL || other == NULL;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static int empty(void **state)
{
	(void)state;
	list = (struct found_list){.arena = &arena};
	return 0;
}

static struct found of(enum found_cause cause, uint32_t first, uint32_t second)
{
	struct found found = {.cause = cause,
		.side = {{.kernel = kernel, .pc = first}, {.kernel = kernel, .pc = second}},
		.places = 2,
		.count = 2};

	if (found_causes[cause].kind == FOUND_INIT) {
		found.side[1] = (struct found_side){0};
		found.places = 1;
	}
	return found;
}

/* Whether it is another than what is there. */
static bool is_new(struct found found)
{
	uint32_t count = list.of.count;

	found_add(&list, &found);
	return list.of.count > count;
}

static void the_same_again_is_counted(void **state)
{
	static const enum found_cause causes[] = {RACE_BARRIER, INIT_GLOBAL, SYNC_SKIPPED};

	(void)state;
	for (uint32_t k = 0; k < 3; k++) {
		struct found found = of(causes[k], LOAD, ELSEWHERE);

		assert_true(is_new(found));
		found.launch = 7;
		found.address = 64;
		assert_false(is_new(found));
		assert_int_equal(list.of.at[k].count, 4);
		assert_int_equal(list.of.at[k].launch, 0); /* as it was seen first */
		assert_int_equal(list.of.at[k].address, 0);
	}
}

static void what_differs_is_another(void **state)
{
	(void)state;
	assert_true(is_new(of(SYNC_SKIPPED, LOAD, ELSEWHERE)));
	for (uint32_t k = 0; k < 9; k++) {
		struct found found = of(SYNC_SKIPPED, LOAD, ELSEWHERE);

		switch (k) {
		case 0: found.cause = SYNC_MISSING; break;
		case 1: found.detail = RACE_DETAIL_INIT; break;
		case 2: found.space = space_SHARED; break;
		case 3: found.object = 64; break;
		case 4: found.is_part = true; break;
		case 5: found.places = 1; break;
		case 6: found.side[0].reads_source = true; break;
		case 7: found.side[0].kernel = other; break;
		default: found.side[1].pc = LOAD; break;
		}
		assert_true(is_new(found));
		assert_false(is_new(found));
	}
	assert_int_equal(list.of.at[0].count, 2);
}

/* One line is one place, of races only for one kind of access. */
static void lines_are_places_where_that_is_so(void **state)
{
	(void)state;
	assert_true(is_new(of(INIT_GLOBAL, LOAD, 0)));
	assert_false(is_new(of(INIT_GLOBAL, LOAD_TOO, 0)));
	assert_false(is_new(of(INIT_GLOBAL, STORE, 0)));
	assert_true(is_new(of(INIT_GLOBAL, ELSEWHERE, 0)));
	assert_true(is_new(of(RACE_BARRIER, LOAD, ELSEWHERE)));
	assert_false(is_new(of(RACE_BARRIER, LOAD_TOO, ELSEWHERE)));
	assert_true(is_new(of(RACE_BARRIER, STORE, ELSEWHERE)));
	assert_true(is_new(of(SYNC_SKIPPED, LOAD, ELSEWHERE)));
	assert_false(is_new(of(SYNC_SKIPPED, LOAD_TOO, ELSEWHERE)));
}

static void which_side_of_a_race_came_first_is_chance(void **state)
{
	(void)state;
	assert_true(is_new(of(RACE_BARRIER, LOAD, ELSEWHERE)));
	assert_false(is_new(of(RACE_BARRIER, ELSEWHERE, LOAD_TOO)));
	assert_true(is_new(of(RACE_BARRIER, LOAD, LOAD)));
	assert_true(is_new(of(SYNC_SKIPPED, LOAD, ELSEWHERE)));
	assert_true(is_new(of(SYNC_SKIPPED, ELSEWHERE, LOAD)));
}

static void a_list_takes_all_of_another(void **state)
{
	struct found_list from = {.arena = &arena};
	struct found found = of(SYNC_SKIPPED, LOAD, ELSEWHERE);

	(void)state;
	found_add(&list, &found);
	found_add(&from, &found);
	found = of(SYNC_MISSING, LOAD, ELSEWHERE);
	found_add(&from, &found);
	found_take(&list, &from);
	assert_int_equal(from.of.count, 0);
	assert_int_equal(list.of.count, 2);
	assert_int_equal(list.of.at[0].count, 4);
	assert_int_equal(list.of.at[1].cause, SYNC_MISSING);
}

/* A kernel that comes where one of a module was that is gone is another. */
static void what_is_gone_gets_no_more(void **state)
{
	static const struct ptx_module module;
	struct found found = of(RACE_BARRIER, LOAD, ELSEWHERE);

	(void)state;
	assert_true(is_new(found));
	found_forget(&list, &module);
	assert_false(is_new(found));
	found_forget(&list, kernel->module);
	assert_null(list.of.at[0].side[0].kernel);
	assert_null(list.of.at[0].side[1].kernel);
	assert_true(is_new(found));
	assert_int_equal(list.of.at[0].count, 4);
}

/* Two lines of which some threads need a barrier and others a __syncwarp() have one finding, which says the barrier;
 * unless a report has said the other already. */
static void a_barrier_mends_what_a_syncwarp_would(void **state)
{
	struct found found = of(RACE_SYNCWARP, LOAD, ELSEWHERE);

	(void)state;
	assert_true(is_new(found));
	found.cause = RACE_BARRIER;
	found.address = 64;
	assert_false(is_new(found));
	assert_int_equal(list.of.at[0].cause, RACE_BARRIER);
	assert_int_equal(list.of.at[0].address, 64);
	assert_false(is_new(of(RACE_SYNCWARP, LOAD_TOO, ELSEWHERE)));
	assert_int_equal(list.of.at[0].cause, RACE_BARRIER);
	assert_int_equal(list.of.at[0].count, 6);
	found = of(RACE_SYNCWARP, STORE, ELSEWHERE);
	assert_true(is_new(found));
	list.of.at[1].told.is_told = true;
	assert_true(is_new(of(RACE_BARRIER, STORE, ELSEWHERE)));
	assert_false(is_new(found));
	assert_int_equal(list.of.at[1].cause, RACE_SYNCWARP);
	assert_int_equal(list.of.at[1].count, 4);
}

/* However many there are, the list and what it costs to add to it have a bound. */
static void beyond_the_bound_they_are_only_counted(void **state)
{
	struct found_list all = {.arena = &arena};

	(void)state;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t k = 0; k < FOUND_MOST + 5; k++) {
			struct found found = of(RACE_BARRIER, round ? LOAD : LOAD_TOO, ELSEWHERE);

			found.object = k;
			assert_int_equal(is_new(found), !round && k < FOUND_MOST);
		}
	assert_int_equal(list.of.count, FOUND_MOST);
	assert_int_equal(list.of.at[FOUND_MOST - 1].count, 4);
	assert_int_equal(list.more, 5);
	found_take(&all, &list);
	assert_int_equal(all.of.count, FOUND_MOST);
	assert_int_equal(all.more, 5);
	assert_int_equal(list.more, 0);
}

/* x++ of several threads: what of it races is not said apart. */
static void a_statement_that_counts_is_one(void **state)
{
	(void)state;
	assert_true(is_new(of(RACE_UPDATE, LOAD, STORE)));
	assert_false(is_new(of(RACE_UPDATE, STORE, STORE)));
	assert_true(is_new(of(RACE_UPDATE, LOAD, ELSEWHERE)));
	assert_true(is_new(of(RACE_BARRIER, LOAD, STORE)));
	assert_true(is_new(of(RACE_BARRIER, STORE, STORE)));
}

/* Threads of two groups that lack a barrier before or after their synchronisation: where the later phase comes first,
 * the same two lines have no order at all. */
static void a_barrier_mends_what_has_no_order(void **state)
{
	struct found found = of(RACE_NO_ORDER, LOAD, ELSEWHERE);

	(void)state;
	assert_true(is_new(found));
	found.cause = RACE_BARRIER;
	assert_true(is_new(found)); /* of threads in one group */
	found.detail = RACE_DETAIL_TOLD;
	assert_false(is_new(found));
	assert_int_equal(list.of.at[0].cause, RACE_BARRIER);
	assert_int_equal(list.of.at[0].detail, RACE_DETAIL_TOLD);
	assert_false(is_new(of(RACE_NO_ORDER, ELSEWHERE, LOAD_TOO)));
	assert_int_equal(list.of.at[0].count, 6);
	found.detail = RACE_DETAIL_KNOWN; /* another barrier is missing */
	assert_true(is_new(found));
	found = of(RACE_NO_ORDER, LOAD, ELSEWHERE);
	found.detail = RACE_DETAIL_GRIDS;
	assert_true(is_new(found));
	found = of(RACE_NO_ORDER, STORE, ELSEWHERE);
	assert_true(is_new(found));
	list.of.at[list.of.count - 1].told.is_told = true;
	found.cause = RACE_BARRIER;
	found.detail = RACE_DETAIL_KNOWN;
	assert_true(is_new(found));
}

/* What is not kept is not counted again when the kernels of another module go; those of its own may be others then. */
static void what_is_gone_keeps_the_count(void **state)
{
	static const struct ptx_module module;

	(void)state;
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t k = 0; k < FOUND_MOST + 5; k++) {
			struct found found = of(RACE_BARRIER, LOAD, ELSEWHERE);

			found.object = k;
			found_add(&list, &found);
		}
		assert_int_equal(list.of.count, FOUND_MOST);
		assert_int_equal(list.more, round < 2 ? 5 : 10 + FOUND_MOST);
		found_forget(&list, round ? kernel->module : &module);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_same_again_is_counted, empty),
		cmocka_unit_test_setup(what_differs_is_another, empty),
		cmocka_unit_test_setup(lines_are_places_where_that_is_so, empty),
		cmocka_unit_test_setup(which_side_of_a_race_came_first_is_chance, empty),
		cmocka_unit_test_setup(a_list_takes_all_of_another, empty),
		cmocka_unit_test_setup(what_is_gone_gets_no_more, empty),
		cmocka_unit_test_setup(a_barrier_mends_what_a_syncwarp_would, empty),
		cmocka_unit_test_setup(a_statement_that_counts_is_one, empty),
		cmocka_unit_test_setup(a_barrier_mends_what_has_no_order, empty),
		cmocka_unit_test_setup(what_is_gone_keeps_the_count, empty),
		cmocka_unit_test_setup(beyond_the_bound_they_are_only_counted, empty),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
