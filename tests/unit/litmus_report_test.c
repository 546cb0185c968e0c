/* Reports of litmus tests, word for word; ends in the order of their values; the files of a folder. */
#include "litmus/files.h"
#include "litmus/report.h"
#include "util/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct litmus_test *test_of(const char *name, const char *condition)
{
	struct diagnostic diagnostic = {0};
	struct litmus_test *test = litmus_read(&arena, "a.litmus",
		arena_printf(&arena,
			"PTX %s\n{ x=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0;\nst.weak x, 1 | ld.weak r0, x;\n%s", name,
			condition),
		&diagnostic);

	assert_string_equal(diagnostic.message, "");
	return test;
}

static void add(struct litmus_result *result, int32_t register_value, int32_t memory, uint64_t count, bool allowed)
{
	struct litmus_outcome *o = litmus_outcome(&arena, &result->outcomes, (int32_t[]){register_value, memory});

	o->count += count;
	o->allowed |= allowed;
}

/* Its variables are P1:r0 and x. */
static struct litmus_result result_of(const char *name, const char *condition)
{
	return (struct litmus_result){.test = test_of(name, condition), .outcomes = {.variables = 2}};
}

static struct litmus_result some(void)
{
	struct litmus_result r = result_of("some", "exists  (P1:r0=1 /\\\n x=1)");

	add(&r, 1, 1, 30, true);
	add(&r, 0, 1, 12, true);
	add(&r, 0, 0, 0, true);
	add(&r, -1, 1, 5, false);
	add(&r, 0, 1, 3, true);
	r.runs = 50;
	return r;
}

static void text_has_each_end(void **state)
{
	struct text out = {.arena = &arena};
	struct litmus_result r = some();

	(void)state;
	assert_int_equal(r.outcomes.list.count, 4);
	litmus_write_text(&out, &r);
	assert_string_equal(out.at, "a.litmus: some, 50 runs\n"
				    "           5  FORBIDDEN    P1:r0=-1 x=1\n"
				    "          15  allowed      P1:r0=0 x=1\n"
				    "          30  allowed   *  P1:r0=1 x=1\n"
				    "    never seen:\n"
				    "           0  allowed      P1:r0=0 x=0\n"
				    "    exists (P1:r0=1 /\\ x=1)\n"
				    "    * seen 30 times, allowed by the model: the test's expectation agrees\n"
				    "    FORBIDDEN outcomes were seen 5 times\n\n");
}

/* What the GPU can show and what it cannot, and why, are apart; and so they are in the summary. */
static void text_says_what_cannot_be_shown(void **state)
{
	struct text out = {.arena = &arena};
	struct litmus_result r = some();
	const struct litmus_result *const results[] = {&r};

	(void)state;
	add(&r, 2, 0, 0, true);
	add(&r, 2, 1, 0, true);
	for (uint32_t k = 1; k < r.outcomes.list.count; k++)
		r.outcomes.list.at[k].shows = k == 1 || k == 3 ? LITMUS_CAN : LITMUS_CANNOT;
	r.outcomes.list.at[2].shows = LITMUS_CAN;
	r.outcomes.list.at[4].needs = 1u << LITMUS_LOADS_PASS | 1u << LITMUS_LIGHT;
	litmus_write_text(&out, &r);
	litmus_write_summary(&out, results, 1, 0);
	assert_string_equal(out.at,
		"a.litmus: some, 50 runs\n"
		"           5  FORBIDDEN    P1:r0=-1 x=1\n"
		"          15  allowed      P1:r0=0 x=1\n"
		"          30  allowed   *  P1:r0=1 x=1\n"
		"    never seen:\n"
		"           0  allowed      P1:r0=0 x=0\n"
		"    never seen, and this GPU cannot show it:\n"
		"           0  allowed      P1:r0=2 x=0; only if weak loads of one location pass each other and a "
		"fence.acq_rel lets later loads pass earlier stores\n"
		"           0  allowed      P1:r0=2 x=1; nothing that --reaches lists would do\n"
		"    exists (P1:r0=1 /\\ x=1)\n"
		"    * seen 30 times, allowed by the model: the test's expectation agrees\n"
		"    FORBIDDEN outcomes were seen 5 times\n\n"
		"1 test: 1 agree with the model, 0 do not; 1 with forbidden outcomes; 0 refused\n"
		"allowed outcomes: 2 of 3 that this GPU can show were seen; 2 that it cannot show\n");
}

static void text_says_what_disagrees(void **state)
{
	struct text out = {.arena = &arena};
	struct litmus_result r = result_of("none", "exists x=2");

	(void)state;
	add(&r, 0, 2, 4, false);
	add(&r, 0, 1, 4, true);
	r.runs = 8;
	r.several_gpus = true;
	litmus_write_text(&out, &r);
	assert_string_equal(out.at, "a.litmus: none, 8 runs\n"
				    "    note: its GPUs are CTAs of one GPU here; the model judges them as GPUs\n"
				    "           4  allowed      P1:r0=0 x=1\n"
				    "           4  FORBIDDEN *  P1:r0=0 x=2\n"
				    "    exists x=2\n"
				    "    * seen 4 times, forbidden by the model: the test's expectation DISAGREES\n"
				    "    FORBIDDEN outcomes were seen 4 times\n\n");
}

/* The model allows the condition if it allows one of the ends that fulfil it, whether that was seen or not. */
static void one_end_is_enough_to_be_allowed(void **state)
{
	static const struct {
		bool allowed[3], expected;
	} rows[] = {{{true, false, false}, true}, {{false, true, false}, true}, {{false, false, true}, false}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct litmus_result r = result_of("a", "exists x=2");
		bool allowed;

		add(&r, 0, 2, 4, rows[k].allowed[0]);
		add(&r, 1, 2, 5, rows[k].allowed[1]);
		add(&r, 2, 3, 6, rows[k].allowed[2]);
		add(&r, 3, 2, 0, false);
		assert_int_equal(litmus_seen(&r, &allowed), 9);
		assert_int_equal(allowed, rows[k].expected);
		assert_int_equal(litmus_forbidden(&r), rows[k].allowed[0] ? 11 : rows[k].allowed[1] ? 10 : 9);
	}
}

static void a_summary_counts(void **state)
{
	struct litmus_result good = result_of("a", "~exists x=2"), wrong = result_of("b", "exists x=2"), seen = some();
	const struct litmus_result *const results[] = {&good, &wrong, &seen};
	struct text out = {.arena = &arena};

	(void)state;
	add(&good, 0, 1, 1, true);
	add(&wrong, 0, 1, 1, true);
	litmus_write_summary(&out, results, 3, 0);
	litmus_write_summary(&out, results, 1, 2);
	litmus_write_summary(&out, results + 1, 1, 0);
	assert_string_equal(out.at, "3 tests: 2 agree with the model, 1 do not; 1 with forbidden outcomes; 0 refused\n"
				    "1 test: 1 agree with the model, 0 do not; 0 with forbidden outcomes; 2 refused\n"
				    "1 test: 0 agree with the model, 1 do not; 0 with forbidden outcomes; 0 refused\n");
}

static void json_has_each_field(void **state)
{
	struct litmus_result r = result_of("n\xe9me \x7f~ ", "exists x=1");
	const struct litmus_result *const results[] = {&r};
	struct text out = {.arena = &arena};

	(void)state;
	add(&r, 0, 1, 7, true);
	add(&r, -1, 2, 1, false);
	r.runs = 8;
	litmus_write_json(&out, &(struct litmus_setting){"v100", 11, &(struct litmus_freedoms){0}}, results, 1, 3);
	assert_string_equal(out.at,
		"{\n  \"schema\": \"lockstep-litmus/1\",\n  \"gpu\": \"v100\",\n  \"seed\": 11,\n  \"tests\": [\n    "
		"{\n"
		"      \"file\": \"a.litmus\",\n      \"name\": \"n?me ?~\",\n      \"runs\": 8,\n      \"outcomes\": "
		"[\n"
		"        {\n          \"values\": {\n            \"P1:r0\": -1,\n            \"x\": 2\n          },\n"
		"          \"count\": 1,\n          \"allowed\": false,\n          \"condition\": false\n        },\n"
		"        {\n          \"values\": {\n            \"P1:r0\": 0,\n            \"x\": 1\n          },\n"
		"          \"count\": 7,\n          \"allowed\": true,\n          \"condition\": true\n        }\n"
		"      ],\n      \"condition\": \"exists x=1\",\n      \"seen\": 7,\n      \"allowed\": true,\n"
		"      \"agrees\": true,\n      \"forbidden\": 1,\n      \"several_gpus\": false,\n      \"played\": "
		"true\n    }\n  ],\n"
		"  \"refused\": 3\n}\n");
}

/* Each once, in order; what others have is added. */
static void ends_are_in_order(void **state)
{
	struct litmus_outcomes a = {.variables = 1}, b = {.variables = 1};
	uint64_t random = 1;

	(void)state;
	for (uint32_t k = 0; k < 200; k++)
		litmus_outcome(&arena, k % 2 ? &a : &b, (int32_t[]){(int32_t)(splitmix64(&random) % 30) - 15})->count++;
	litmus_outcome(&arena, &b, (int32_t[]){-15})->allowed = true;
	litmus_outcomes_add(&arena, &a, &b);
	uint64_t sum = 0;
	for (uint32_t k = 0; k < a.list.count; k++) {
		assert_true(!k || a.list.at[k - 1].values[0] < a.list.at[k].values[0]);
		assert_int_equal(a.list.at[k].allowed, a.list.at[k].values[0] == -15);
		sum += a.list.at[k].count;
	}
	assert_int_equal(sum, 200);
}

static void files_are_found_below_a_folder(void **state)
{
	static const char *const made[] = {"b.litmus", "a.litmus", ".c.litmus", "d.txt", ".litmus", "in/e.litmus",
		"in/f.litmus.txt", "in/too.litmus/g.litmus", "x.litmu"};
	char folder[] = "/tmp/lockstep-litmus-XXXXXX";
	struct litmus_files files = {0}, one = {0}, none = {0};
	struct diagnostic diagnostic = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(mkdir(arena_printf(&arena, "%s/in", folder), 0700), 0);
	assert_int_equal(mkdir(arena_printf(&arena, "%s/in/too.litmus", folder), 0700), 0);
	assert_int_equal(mkdir(arena_printf(&arena, "%s/empty", folder), 0700), 0);
	for (size_t k = 0; k < sizeof made / sizeof *made; k++)
		fclose(fopen(arena_printf(&arena, "%s/%s", folder, made[k]), "w"));
	assert_true(litmus_find_files(&arena, arena_printf(&arena, "%s/in/too.litmus//", folder), &files, &diagnostic));
	assert_int_equal(files.list.count, 1);
	assert_string_equal(files.list.at[0], arena_printf(&arena, "%s/in/too.litmus/g.litmus", folder));
	assert_true(litmus_find_files(&arena, arena_printf(&arena, "%s/no", folder), &one, &diagnostic));
	assert_int_equal(one.list.count, 1); /* whoever opens it says that it is not there */
	assert_false(litmus_find_files(&arena, arena_printf(&arena, "%s/empty", folder), &none, &diagnostic));
	assert_string_equal(diagnostic.message,
		arena_printf(&arena, "%s/empty: there is no test in this folder, expected FILE.litmus", folder));
	files.list.count = 0;
	assert_true(litmus_find_files(&arena, folder, &files, &diagnostic));
	assert_int_equal(files.list.count, 4);
	assert_string_equal(files.list.at[0], arena_printf(&arena, "%s/a.litmus", folder));
	assert_string_equal(files.list.at[1], arena_printf(&arena, "%s/b.litmus", folder));
	assert_string_equal(files.list.at[2], arena_printf(&arena, "%s/in/e.litmus", folder));
	assert_string_equal(files.list.at[3], arena_printf(&arena, "%s/in/too.litmus/g.litmus", folder));
	for (size_t k = 0; k < sizeof made / sizeof *made; k++)
		unlink(arena_printf(&arena, "%s/%s", folder, made[k]));
	rmdir(arena_printf(&arena, "%s/in/too.litmus", folder));
	rmdir(arena_printf(&arena, "%s/in", folder));
	rmdir(arena_printf(&arena, "%s/empty", folder));
	rmdir(folder);
}

/* A folder in itself ends. */
static void links_end(void **state)
{
	char folder[] = "/tmp/lockstep-litmus-XXXXXX";
	struct litmus_files files = {0};
	struct diagnostic diagnostic = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(symlink(".", arena_printf(&arena, "%s/again", folder)), 0);
	fclose(fopen(arena_printf(&arena, "%s/a.litmus", folder), "w"));
	assert_true(litmus_find_files(&arena, folder, &files, &diagnostic));
	assert_int_equal(files.list.count, 32);
	unlink(arena_printf(&arena, "%s/again", folder));
	unlink(arena_printf(&arena, "%s/a.litmus", folder));
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_each_end),
		cmocka_unit_test(text_says_what_cannot_be_shown),
		cmocka_unit_test(text_says_what_disagrees),
		cmocka_unit_test(one_end_is_enough_to_be_allowed),
		cmocka_unit_test(a_summary_counts),
		cmocka_unit_test(json_has_each_field),
		cmocka_unit_test(ends_are_in_order),
		cmocka_unit_test(files_are_found_below_a_folder),
		cmocka_unit_test(links_end),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
