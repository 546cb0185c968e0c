/* The options of runs: each comes back from the environment as it was given, and the words that some of them take. */
#include "options/run_options.h"
#include "options/words.h"
#include "util/arena.h"
#include "util/diagnostic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int free_arena(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* ---- The environment ---- */

static bool give(const struct run_option *option, const char *value, struct run_options *options)
{
	struct diagnostic diagnostic = {0};
	return run_option_read(option, value, options, &arena, &diagnostic);
}

/* Gives it a value that is not its default. */
static void give_any(const struct run_option *option, struct run_options *options)
{
	static const char *const texts[] = {"/a/b", "1.2", "7:9", "2-3", "init", "races", "a=b", "12"};

	if (option->type == RUN_OPTION_NUMBER) {
		uint64_t number = option->lowest + 1 == option->standard ? option->lowest + 2 : option->lowest + 1;
		assert_true(give(option, arena_printf(&arena, "%llu", (unsigned long long)number), options));
	} else if (option->type == RUN_OPTION_CHOICE) {
		const char *last = strrchr(option->value, '|');
		assert_true(give(option, last + 1, options));
	} else {
		bool given = false;
		for (size_t k = 0; k < sizeof texts / sizeof *texts && !given; k++) {
			run_options_init(options);
			given = give(option, texts[k], options);
		}
		assert_true(given);
	}
}

static void assert_same_text(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

static void assert_same(const struct run_option *option, const struct run_options *a, const struct run_options *b)
{
	if (option->type == RUN_OPTION_TEXT) {
		assert_same_text(field_text(option, a), field_text(option, b));
	} else if (option->type == RUN_OPTION_LIST) {
		const char *const *x = run_option_list(option, a), *const *y = run_option_list(option, b);
		for (; *x && *y; x++, y++)
			assert_string_equal(*x, *y);
		assert_true(!*x && !*y);
	} else {
		assert_int_equal(field_number(option, a), field_number(option, b));
	}
}

static void an_option_comes_back_from_the_environment(void **state)
{
	(void)state;
	for (const struct run_option *o = run_options; o < run_options + RUN_OPTION_COUNT; o++) {
		struct diagnostic diagnostic = {0};
		struct run_options given, got;
		run_options_init(&given);
		give_any(o, &given);
		memset(&got, 0xa5, sizeof got);
		run_options_to_environment(&given, &arena);
		assert_true(run_options_from_environment(&got, &arena, &diagnostic));
		if (!o->variable) /* `lockstep run` has no such option */
			run_options_init(&given);
		for (const struct run_option *p = run_options; p < run_options + RUN_OPTION_COUNT; p++)
			assert_same(p, &given, &got);
	}
}

static void lists_come_back_in_their_order(void **state)
{
	(void)state;
	const struct run_option *o = &run_options[RUN_OPTION_settings];
	struct diagnostic diagnostic = {0};
	struct run_options given, got;
	run_options_init(&given);
	assert_true(give(o, "a=1", &given) && give(o, "b=2", &given) && give(o, "a=3", &given));
	run_options_to_environment(&given, &arena);
	assert_true(run_options_from_environment(&got, &arena, &diagnostic));
	assert_same(o, &given, &got);
	assert_string_equal(run_option_list(o, &got)[2], "a=3");
}

static const char *refusal(const struct run_option *option, const char *value)
{
	static struct diagnostic diagnostic;
	struct run_options options;
	diagnostic = (struct diagnostic){0};
	run_options_init(&options);
	assert_false(run_option_read(option, value, &options, &arena, &diagnostic));
	return diagnostic.message;
}

static void what_is_refused_is_said_with_what_was_expected(void **state)
{
	(void)state;
	for (const struct run_option *o = run_options; o < run_options + RUN_OPTION_COUNT; o++)
		if (o->type == RUN_OPTION_TEXT || o->type == RUN_OPTION_LIST) {
			const char *message = refusal(o, "");
			if (strcmp(message, arena_printf(&arena, "--%s: expected %s", o->flag, o->expected)) != 0)
				assert_string_equal(
					message, arena_printf(&arena, "--%s '': expected %s", o->flag, o->expected));
		}
	assert_string_equal(refusal(&run_options[RUN_OPTION_opencl_version], "2.0"),
		arena_printf(
			&arena, "--opencl-version 2.0: expected %s", run_options[RUN_OPTION_opencl_version].expected));
	assert_string_equal(
		refusal(&run_options[RUN_OPTION_mode], "slow"), "--mode slow: expected timing or functional");
	assert_string_equal(
		refusal(&run_options[RUN_OPTION_threads], "0"), "--threads 0: expected a whole number from 1 to 1024");
}

/* As long as the first word of the choice, and its beginning. */
static void another_word_is_no_choice(void **state)
{
	(void)state;
	for (const struct run_option *o = run_options; o < run_options + RUN_OPTION_COUNT; o++)
		if (o->type == RUN_OPTION_CHOICE) {
			char *word = arena_copy(&arena, o->value, strcspn(o->value, "|"));
			word[strlen(word) - 1] = '#';
			assert_non_null(strstr(refusal(o, word), ": expected "));
			word[strlen(word) - 1] = 0;
			assert_non_null(strstr(refusal(o, word), ": expected "));
		}
}

static void each_version_of_opencl_is_taken(void **state)
{
	(void)state;
	struct run_options options;
	run_options_init(&options);
	assert_true(give(&run_options[RUN_OPTION_opencl_version], "1.2", &options));
	assert_true(give(&run_options[RUN_OPTION_opencl_version], "3.0", &options));
	assert_string_equal(options.program.opencl_version, "3.0");
}

/* What not giving a number means, and a given 0. */
static void a_number_has_a_standard(void **state)
{
	(void)state;
	const struct run_option *limit = &run_options[RUN_OPTION_explain_limit];
	struct run_options options;
	run_options_init(&options);
	for (const struct run_option *o = run_options; o < run_options + RUN_OPTION_COUNT; o++)
		if (o->type == RUN_OPTION_NUMBER)
			assert_int_equal(run_option_number(o, &options), o->standard);
	assert_int_equal(run_option_number(limit, &options), LOCKSTEP_EXPLAIN_LIMIT);
	assert_true(give(limit, "0", &options));
	assert_int_equal(run_option_number(limit, &options), 0);
	assert_true(give(limit, "7", &options));
	assert_int_equal(run_option_number(limit, &options), 7);
}

/* ---- Words ---- */

static void a_window_is_from_one_cycle_to_another(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t from, to;
	} windows[] = {{":100", 0, 100}, {"5:", 5, UINT64_MAX}, {"5:9", 5, 9},
		{"18446744073709551614:", UINT64_MAX - 1, UINT64_MAX}};
	static const char *const bad[] = {
		"", "5", "5:5", "9:5", "a:5", "5:b", "5:9:", "18446744073709551616:", ":18446744073709551616"};

	for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
		struct lockstep_options setup = {.trace_window = {77, 78}};
		assert_true(words_trace_window(windows[k].text, &setup, &arena));
		assert_int_equal(setup.trace_window.from, windows[k].from);
		assert_int_equal(setup.trace_window.to, windows[k].to);
	}
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		struct lockstep_options setup;
		assert_false(words_trace_window(bad[k], &setup, &arena));
	}
}

static void a_launch_is_a_number(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "a", "1a", "-1", " 1", "18446744073709551616"};
	struct lockstep_options setup = {0};
	assert_true(words_launch("0", &setup, &arena));
	assert_int_equal(*setup.launch, 0);
	assert_true(words_launch("18446744073709551615", &setup, &arena));
	assert_true(*setup.launch == UINT64_MAX);
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
		assert_false(words_launch(bad[k], &setup, &arena));
}

static void a_list_of_cores_is_read_from_its_beginning(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "3-1", "4294967296", "1,", "1-", "a", "1 2", "1,2-1", "0-4294967296"};
	struct lockstep_options setup = {0};
	assert_true(words_trace_cores("0,3-5,4294967295", &setup, &arena));
	const struct lockstep_cores *cores = setup.trace_cores;
	assert_int_equal(setup.trace_core_count, 3);
	assert_true(cores[0].first == 0 && cores[0].last == 0);
	assert_true(cores[1].first == 3 && cores[1].last == 5);
	assert_true(cores[2].first == UINT32_MAX && cores[2].last == UINT32_MAX);
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
		assert_false(words_trace_cores(bad[k], &setup, &arena));
}

static void a_check_is_what_its_word_says_and_no_more(void **state)
{
	(void)state;
	static const struct {
		const char *words;
		uint32_t checks;
	} known[] = {{"races", LOCKSTEP_CHECK_RACES}, {"races=strict", LOCKSTEP_CHECK_RACES_STRICT},
		{"races=all", LOCKSTEP_CHECK_RACES_ALL}, {"races=volatile", LOCKSTEP_CHECK_RACES_VOLATILE},
		{"init", LOCKSTEP_CHECK_INIT}, {"barriers", LOCKSTEP_CHECK_BARRIERS},
		{"barriers=all", LOCKSTEP_CHECK_BARRIERS_ALL}, {"all", LOCKSTEP_CHECK_ALL},
		{"races=volatile,init", LOCKSTEP_CHECK_RACES_VOLATILE | LOCKSTEP_CHECK_INIT}};
	static const char *const unknown[] = {"", "race", "racez", "races=", "allx", "init,", ",init", "init,none"};
	struct lockstep_options setup;

	for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
		assert_true(words_checks(known[k].words, &setup, &arena));
		assert_int_equal(setup.check, known[k].checks);
	}
	for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
		assert_false(words_checks(unknown[k], &setup, &arena));
}

/* Given in words, it is in the setup as what it means; and again in the program that `lockstep run` starts. */
static void words_become_what_they_mean(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	struct run_options given, got;

	run_options_init(&given);
	assert_true(give(&run_options[RUN_OPTION_check], "init,barriers", &given));
	assert_true(give(&run_options[RUN_OPTION_trace_window], "5:9", &given));
	assert_true(give(&run_options[RUN_OPTION_trace_cores], "2-3", &given));
	run_options_to_environment(&given, &arena);
	assert_true(run_options_from_environment(&got, &arena, &diagnostic));
	for (const struct run_options *o = &given; o; o = o == &given ? &got : NULL) {
		assert_int_equal(o->setup.check, LOCKSTEP_CHECK_INIT | LOCKSTEP_CHECK_BARRIERS);
		assert_int_equal(o->setup.trace_window.from, 5);
		assert_int_equal(o->setup.trace_window.to, 9);
		assert_int_equal(o->setup.trace_core_count, 1);
		assert_int_equal(o->setup.trace_cores->first, 2);
		assert_int_equal(o->setup.trace_cores->last, 3);
	}
	setenv(run_options[RUN_OPTION_trace_window].variable, "9:5", 1);
	assert_false(run_options_from_environment(&got, &arena, &diagnostic));
	assert_string_equal(diagnostic.message,
		"LOCKSTEP_TRACE_WINDOW=9:5: expected FROM:TO, cycles of the GPU's clock, one of which may be left out");
	unsetenv(run_options[RUN_OPTION_trace_window].variable);
}

/* In the environment of a program anything may stand: more than a field of 32 bits takes is the most that it takes. */
static void numbers_of_the_environment_are_as_far_as_they_go(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
		uint32_t threads;
		uint64_t seed;
	} rows[] = {{"7", "", 7, 7}, {"1024", "", 1024, 1024}, {"1025", "", 1024, 1025},
		{"4294967296", "", 1024, 4294967296}, {"18446744073709551615", "", 1024, UINT64_MAX}, {"", "", 0, 0},
		{"18446744073709551616", "LOCKSTEP_THREADS=18446744073709551616: expected a whole number", 0, 0},
		{"-1", "LOCKSTEP_THREADS=-1: expected a whole number", 0, 0},
		{"7x", "LOCKSTEP_THREADS=7x: expected a whole number", 0, 0}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct diagnostic diagnostic = {0};
		struct run_options got;
		setenv(run_options[RUN_OPTION_threads].variable, rows[k].text, 1);
		setenv(run_options[RUN_OPTION_seed].variable, rows[k].text, 1);
		assert_int_equal(run_options_from_environment(&got, &arena, &diagnostic), !*rows[k].message);
		assert_string_equal(diagnostic.message, rows[k].message);
		if (*rows[k].message)
			continue;
		assert_int_equal(got.setup.threads, rows[k].threads);
		assert_int_equal(got.setup.seed, rows[k].seed);
	}
	unsetenv(run_options[RUN_OPTION_threads].variable);
	unsetenv(run_options[RUN_OPTION_seed].variable);
}

/* A list is a line for each; empty lines are none, and the last needs no end. */
static void lists_of_the_environment_are_lines(void **state)
{
	(void)state;
	static const char *const texts[] = {"a=1\nb=2\n", "a=1\nb=2", "\na=1\n\n\nb=2\n\n"};
	for (size_t k = 0; k < 3; k++) {
		struct diagnostic diagnostic = {0};
		struct run_options got;
		setenv(run_options[RUN_OPTION_settings].variable, texts[k], 1);
		assert_true(run_options_from_environment(&got, &arena, &diagnostic));
		const char *const *list = run_option_list(&run_options[RUN_OPTION_settings], &got);
		assert_string_equal(list[0], "a=1");
		assert_string_equal(list[1], "b=2");
		assert_null(list[2]);
	}
	unsetenv(run_options[RUN_OPTION_settings].variable);
}

/* KERNEL or KERNEL:N from 1; a setting is named; a name is one line of less than 100 bytes. */
static void texts_are_what_they_may_be(void **state)
{
	(void)state;
	char longest[101];
	struct run_options options;
	memset(longest, 'x', sizeof longest);
	longest[100] = 0;
	static const struct {
		enum run_option_index option;
		const char *good[4], *bad[5];
	} rows[] = {{RUN_OPTION_only, {"k", "k:1", "a::b:12"}, {"", ":1", "k:0", "k:", "k:x"}},
		{RUN_OPTION_settings, {"a=1", "a="}, {"", "=1", "a"}},
		{RUN_OPTION_vendor, {"N V", "~"}, {"", "a\nb", "\177"}}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		run_options_init(&options);
		for (size_t n = 0; n < 4 && rows[k].good[n]; n++)
			assert_true(give(&run_options[rows[k].option], rows[k].good[n], &options));
		for (size_t n = 0; n < 5 && rows[k].bad[n]; n++)
			assert_false(give(&run_options[rows[k].option], rows[k].bad[n], &options));
	}
	assert_false(give(&run_options[RUN_OPTION_vendor], longest, &options));
	assert_true(give(&run_options[RUN_OPTION_vendor], longest + 1, &options));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_option_comes_back_from_the_environment),
		cmocka_unit_test(lists_come_back_in_their_order),
		cmocka_unit_test(what_is_refused_is_said_with_what_was_expected),
		cmocka_unit_test(another_word_is_no_choice),
		cmocka_unit_test(each_version_of_opencl_is_taken),
		cmocka_unit_test(a_number_has_a_standard),
		cmocka_unit_test(a_window_is_from_one_cycle_to_another),
		cmocka_unit_test(a_launch_is_a_number),
		cmocka_unit_test(a_list_of_cores_is_read_from_its_beginning),
		cmocka_unit_test(a_check_is_what_its_word_says_and_no_more),
		cmocka_unit_test(words_become_what_they_mean),
		cmocka_unit_test(numbers_of_the_environment_are_as_far_as_they_go),
		cmocka_unit_test(lists_of_the_environment_are_lines),
		cmocka_unit_test(texts_are_what_they_may_be),
	};
	return cmocka_run_group_tests_name("options", tests, NULL, free_arena);
}
