/* The ends of the abstract machine that says what a GPU's model can show, for small tests by hand. */
#include "litmus/reach.h"
#include "util/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

#define BIT(freedom) (1u << LITMUS_##freedom)
#define VOLTA (BIT(PASS) | BIT(STALE))
#define FERMI (BIT(PASS) | BIT(STALE) | BIT(KEPT) | BIT(LOADS_PASS))
#define UNCACHED BIT(PASS)

static struct litmus_test *test_of(const char *rows)
{
	struct diagnostic diagnostic = {0};
	struct litmus_test *test = litmus_read(
		&arena, "a.litmus", arena_printf(&arena, "PTX a\n{ }\n%s\nexists (x == 0)", rows), &diagnostic);

	assert_string_equal(diagnostic.message, "");
	return test;
}

static bool shows(const struct litmus_test *test, uint32_t freedoms, const int32_t *values)
{
	struct litmus_outcomes ends = {0};

	assert_true(litmus_explore(&arena, test, freedoms, &ends));
	uint32_t count = ends.list.count;
	litmus_outcome(&arena, &ends, values);
	return ends.list.count == count;
}

/* Two threads of different CTAs, and the values of their registers, and then of x. */
static const struct {
	const char *rows;
	int32_t values[3];
	uint32_t shows, hides; /* for two memories: one that can show it, one that cannot; 0: there is none */
} rows[] = {
	/* MP: by stores or loads that pass, by a line that was there before; not in order, without an L1. */
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|ld.weak r0,y; st.weak y,1|ld.weak r1,x;", {1, 0, 1}, UNCACHED, 0},
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|ld.weak r0,y; st.weak y,1|ld.weak r1,x;", {1, 0, 1}, BIT(STALE),
		1u << LITMUS_LIGHT},
	/* A release and an acquire order it; membar does not, where lines are kept. */
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|ld.acquire.gpu r0,y; st.release.gpu y,1|ld.weak r1,x;", {1, 0, 1},
		0, VOLTA},
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|ld.relaxed.gpu r0,y; membar.gl|membar.gl; st.relaxed.gpu "
	 "y,1|ld.weak r1,x;",
		{1, 0, 1}, FERMI, VOLTA},
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|ld.relaxed.gpu r0,y; fence.sc.gpu|fence.sc.gpu; st.relaxed.gpu "
	 "y,1|ld.weak r1,x;",
		{1, 0, 1}, 0, FERMI},
	/* An acquire of the CTA leaves the L1. */
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|ld.acquire.cta r0,y; st.release.gpu y,1|ld.weak r1,x;", {1, 0, 1},
		VOLTA, UNCACHED},
	/* SB: each load before its thread's store; a fence waits for that one. */
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|st.weak y,1; ld.weak r0,y|ld.weak r1,x;", {0, 0, 1}, UNCACHED,
		BIT(LIGHT)},
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|st.weak y,1; fence.acq_rel.gpu|fence.acq_rel.gpu; ld.weak "
	 "r0,y|ld.weak r1,x;",
		{0, 0, 1}, VOLTA | BIT(LIGHT), VOLTA},
	/* CoRR: never by one queue for a location; a line that is kept, or loads that pass. */
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|ld.weak r0,x; |ld.weak r1,x;", {1, 0, 1},
		UNCACHED | BIT(LOADS_PASS), VOLTA},
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|ld.relaxed.gpu r0,x; |ld.weak r1,x;", {1, 0, 1}, FERMI, VOLTA},
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|ld.relaxed.gpu r0,x; |ld.relaxed.gpu r1,x;", {1, 0, 1}, 0, FERMI},
	/* A fence of the CTA keeps loads of one location in order. */
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|ld.weak r0,x; |fence.acq_rel.cta; |ld.weak r1,x;", {1, 0, 1}, 0,
		UNCACHED | BIT(LOADS_PASS)},
	/* A thread sees its own store, and writes are in one order. */
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|st.weak x,2; ld.weak r0,x|ld.weak r1,x;", {2, 1, 1}, 0, UNCACHED},
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; st.weak x,1|st.weak x,2; ld.weak r0,x|ld.weak r1,x;", {0, 2, 1}, BIT(BACK),
		FERMI},
	/* Increments are lost where an atomic is in halves. */
	{"P0@cta 0,gpu 0|P1@cta 1,gpu 0; atom.relaxed.cta.add r0,x,1|atom.relaxed.cta.add r1,x,1;", {0, 0, 1},
		VOLTA | BIT(HALVES), VOLTA},
};

static void each_memory_shows_what_it_can(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct litmus_test *test = test_of(rows[k].rows);

		assert_int_equal(test->variables.count, 3);
		if (rows[k].shows && !shows(test, rows[k].shows, rows[k].values))
			fail_msg("row %zu is not shown", k);
		if (rows[k].hides && shows(test, rows[k].hides, rows[k].values))
			fail_msg("row %zu is shown", k);
	}
}

/* IRIW in one CTA for each pair: the L1 that a writer and a reader share has the store before the L2 has. */
static void a_shared_l1_shows_stores_early(void **state)
{
	struct litmus_test *test = test_of("P0@cta 0,gpu 0|P1@cta 0,gpu 0|P2@cta 1,gpu 0|P3@cta 1,gpu 0;"
					   "st.weak x,1|ld.weak r0,x|st.weak y,1|ld.weak r0,y;"
					   "|fence.acq_rel.cta||fence.acq_rel.cta;"
					   "|ld.relaxed.gpu r1,y||ld.relaxed.gpu r1,x;");
	const int32_t values[] = {1, 0, 1, 0, 1};

	(void)state;
	assert_true(shows(test, VOLTA, values));
}

/* What an end would need is the least that adds it; one that can be shown needs nothing. */
static void what_is_missing_is_named(void **state)
{
	struct litmus_test *test = test_of("P0@cta 0,gpu 0|P1@cta 1,gpu 0;st.weak x,1|ld.weak r0,x; |ld.weak r1,x;");
	struct litmus_freedoms volta = {.known = true, .has = VOLTA};
	struct litmus_outcomes ends = {.variables = 3};

	(void)state;
	litmus_outcome(&arena, &ends, (int32_t[]){0, 1, 1})->allowed = true;
	litmus_outcome(&arena, &ends, (int32_t[]){1, 0, 1})->allowed = true;
	litmus_outcome(&arena, &ends, (int32_t[]){5, 0, 1});
	litmus_reach(test, &volta, &arena, &ends);
	assert_int_equal(ends.list.count, 3);
	assert_int_equal(ends.list.at[0].shows, LITMUS_CAN);
	assert_int_equal(ends.list.at[0].needs, 0);
	assert_int_equal(ends.list.at[1].shows, LITMUS_CANNOT);
	assert_int_equal(ends.list.at[1].needs, BIT(LOADS_PASS));
	assert_int_equal(ends.list.at[2].shows, LITMUS_CANNOT);
	assert_int_equal(ends.list.at[2].needs, 0);
}

static void an_unknown_memory_says_nothing(void **state)
{
	struct litmus_test *test = test_of("P0@cta 0,gpu 0|P1@cta 1,gpu 0;st.weak x,1|ld.weak r0,x;");
	struct litmus_outcomes ends = {.variables = 2};

	(void)state;
	litmus_outcome(&arena, &ends, (int32_t[]){0, 1})->allowed = true;
	litmus_reach(test, &(struct litmus_freedoms){.has = VOLTA}, &arena, &ends);
	assert_int_equal(ends.list.at[0].shows, LITMUS_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_memory_shows_what_it_can),
		cmocka_unit_test(a_shared_l1_shows_stores_early),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(an_unknown_memory_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
