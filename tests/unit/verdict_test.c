/* Verdicts on hangs through the public interface: what a proof must not overlook, and what is left after causes were
 * tried. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* poll_two: lane 1 polls another word than lane 0, by one instruction.  poll_last: a turn reads ten words of `first`
 * and then one of `second`.  toggle: sets a word and clears it again while it waits; a second lane does so with another
 * word.  poll_seldom: group 0 looks now and then at what the L1 holds, and in one of the pauses group 1 sets it, twice.
 * spin: a lock as it is written for a CPU, behind a count of the threads that have begun.  Each is left when a word is
 * set. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry poll_two(.param .u64 first, .param .u64 second) {\n"
			  " .reg .b64 %a, %b; .reg .b32 %v, %t; .reg .pred %p;\n"
			  " ld.param.u64 %a, [first]; ld.param.u64 %b, [second];\n"
			  " mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 1; selp.b64 %a, %b, %a, %p;\n"
			  "again: ld.volatile.global.u32 %v, [%a];\n"
			  " setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n}\n"
			  ".visible .entry poll_last(.param .u64 first, .param .u64 second) {\n"
			  " .reg .b64 %a, %b; .reg .b32 %v, %s; .reg .pred %p;\n"
			  " ld.param.u64 %a, [first]; ld.param.u64 %b, [second];\n"
			  "again: ld.volatile.global.u32 %s, [%a];\n"
			  " ld.volatile.global.u32 %v, [%a+4]; add.u32 %s, %s, %v;\n ld.volatile.global.u32 %v, "
			  "[%a+8]; add.u32 %s, %s, %v;\n"
			  " ld.volatile.global.u32 %v, [%a+12]; add.u32 %s, %s, %v;\n ld.volatile.global.u32 %v, "
			  "[%a+16]; add.u32 %s, %s, %v;\n"
			  " ld.volatile.global.u32 %v, [%a+20]; add.u32 %s, %s, %v;\n ld.volatile.global.u32 %v, "
			  "[%a+24]; add.u32 %s, %s, %v;\n"
			  " ld.volatile.global.u32 %v, [%a+28]; add.u32 %s, %s, %v;\n ld.volatile.global.u32 %v, "
			  "[%a+32]; add.u32 %s, %s, %v;\n"
			  " ld.volatile.global.u32 %v, [%b]; add.u32 %s, %s, %v;\n"
			  " setp.eq.u32 %p, %s, 0; @%p bra again; ret;\n}\n"
			  ".visible .entry poll_image(.param .u64 first, .param .u64 second) {\n"
			  " .reg .b64 %a; .reg .b32 %v, %y; .reg .pred %p;\n"
			  " ld.param.u64 %a, [first];\n"
			  "again: tex.1d.v4.u32.s32 {%v, %y, %y, %y}, [%a, {0}];\n"
			  " setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n}\n"
			  ".visible .entry spin(.param .u64 first, .param .u64 second) {\n"
			  " .reg .b64 %a, %b; .reg .b32 %v; .reg .pred %p;\n"
			  " ld.param.u64 %a, [first]; ld.param.u64 %b, [second];\n"
			  " atom.global.add.u32 %v, [%b], 1;\n"
			  "again: atom.global.cas.b32 %v, [%a], 0, 1;\n"
			  " setp.ne.u32 %p, %v, 0; @%p bra again;\n"
			  " atom.global.add.u32 %v, [%b], 100; atom.global.exch.b32 %v, [%a], 0; ret;\n}\n"
			  ".visible .entry toggle(.param .u64 first, .param .u64 second) {\n"
			  " .reg .b64 %a; .reg .b32 %v; .reg .pred %p; ld.param.u64 %a, [first];\n"
			  " mov.u32 %v, %tid.x; setp.ne.u32 %p, %v, 0; @%p bra other;\n"
			  "one: atom.global.exch.b32 %v, [%a+4], 1; atom.global.exch.b32 %v, [%a+4], 0;\n"
			  " ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra one; ret;\n"
			  "other: atom.global.exch.b32 %v, [%a+8], 1; atom.global.exch.b32 %v, [%a+8], 0;\n"
			  " ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra other; ret;\n}\n"
			  ".visible .entry poll_seldom(.param .u64 first, .param .u64 second) {\n"
			  " .reg .b64 %a; .reg .b32 %v, %n; .reg .pred %p, %q; ld.param.u64 %a, [first];\n"
			  " mov.u32 %v, %ctaid.x; setp.ne.u32 %q, %v, 0;\n"
			  "again: ld.global.u32 %v, [%a]; setp.ne.u32 %p, %v, 0; @%p ret; mov.u32 %n, 0;\n"
			  "count: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 300; @%p bra count; @!%q bra again;\n"
			  " st.volatile.global.u32 [%a], 1; st.volatile.global.u32 [%a], 2; ret;\n}\n";

struct bench {
	struct lockstep *gpu;
	struct lockstep_module *module;
	uint64_t words[2]; /* both parameters */
};

static struct bench open_gpu(const char *divergence, enum lockstep_mode mode, uint64_t explain_limit)
{
	struct lockstep_error error;
	const char *settings[] = {divergence, NULL};
	struct lockstep_options options = {.size = sizeof options,
		.settings = settings,
		.mode = mode,
		.max_cycles = 20000000,
		.hang_after = 200000,
		.explain_limit = explain_limit};
	struct bench b = {.gpu = lockstep_open(&options, &error)};

	assert_non_null(b.gpu);
	b.module = lockstep_load(b.gpu, "verdict.ptx", ptx, &error);
	assert_non_null(b.module);
	b.words[0] = lockstep_allocate(b.gpu, 64, "first");
	b.words[1] = lockstep_allocate(b.gpu, 64, "second");
	return b;
}

static const struct lockstep_result *run_groups(struct bench *b, const char *kernel, uint32_t groups, uint32_t threads)
{
	struct lockstep_error error;
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = b->module,
		.kernel = kernel,
		.grid = {groups, 1, 1},
		.block = {threads, 1, 1},
		.parameters = b->words,
		.parameter_bytes = sizeof b->words};
	const struct lockstep_result *result = lockstep_run(b->gpu, &launch, &error);

	assert_non_null(result);
	return result;
}

static const struct lockstep_finding *hang_of_groups(
	struct bench *b, const char *kernel, uint32_t groups, uint32_t threads)
{
	const struct lockstep_result *result = run_groups(b, kernel, groups, threads);

	assert_int_equal(result->outcome, LOCKSTEP_HANG);
	assert_int_equal(result->finding_count, 1);
	return result->findings;
}

static const struct lockstep_finding *hang_of(struct bench *b, const char *kernel, uint32_t threads)
{
	return hang_of_groups(b, kernel, 1, threads);
}

static void expect_certainty(const char *kernel, uint32_t threads, bool host, const char *certainty)
{
	for (uint32_t k = 0; k < 4; k++) {
		struct bench b = open_gpu(k & 1 ? "policy.divergence=independent" : "policy.divergence=stack",
			k & 2 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING, 0);

		if (host)
			lockstep_expect_host_writes(b.gpu, b.words[1]);
		assert_string_equal(hang_of(&b, kernel, threads)->certainty, certainty);
		lockstep_close(b.gpu);
	}
}

/* Memory changes in each turn and is then as it was.  That proves a hang of one thread; not of two that are scheduled
 * one by one, nor of two warps, as time decides in which order they write.  Of warps it is suspected in the end. */
static void threads_that_write_in_no_order(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		struct bench b =
			open_gpu("policy.divergence=independent", k & 1 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING, 0);
		uint32_t threads = k & 2 ? 2 : 1;
		const struct lockstep_result *result = run_groups(&b, "toggle", 1, threads);
		bool proved = result->outcome == LOCKSTEP_HANG && !strcmp(result->findings->certainty, "proved");

		assert_int_equal(proved, threads == 1);
		lockstep_close(b.gpu);
		b = open_gpu("policy.divergence=stack", k & 1 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING, 0);
		result = run_groups(&b, "toggle", threads, 1);
		assert_int_equal(result->outcome, LOCKSTEP_HANG);
		assert_string_equal(result->findings->certainty, threads == 1 ? "proved" : "suspected");
		lockstep_close(b.gpu);
	}
}

/* The host may write the second buffer at any time: nothing is proved.  (findings/hangs.md, 2) */
static void any_lane_may_look_at_host_memory(void **state)
{
	(void)state;
	expect_certainty("poll_two", 2, false, "proved");
	expect_certainty("poll_two", 2, true, "suspected");
}

static void any_access_may_look_at_host_memory(void **state)
{
	(void)state;
	expect_certainty("poll_last", 1, false, "proved");
	expect_certainty("poll_last", 1, true, "suspected");
}

/* What images lie in is not looked at. */
static void nothing_is_proved_of_images(void **state)
{
	struct bench b = open_gpu("policy.divergence=stack", LOCKSTEP_TIMING, 0);
	struct lockstep_image image = {.use = LOCKSTEP_TEXTURE,
		.dimensions = 1,
		.buffer = true,
		.channel = LOCKSTEP_CHANNEL_UNSIGNED,
		.channel_bits = 32,
		.channels = 1,
		.level_count = 1,
		.level = {{.address = b.words[1], .width = 16, .height = 1, .depth = 1, .row_bytes = 64}}};
	struct lockstep_error error;

	(void)state;
	b.words[0] = lockstep_image_create(b.gpu, &image, &error);
	assert_int_not_equal(b.words[0], 0);
	assert_string_equal(hang_of(&b, "poll_image", 1)->certainty, "suspected");
	lockstep_close(b.gpu);
}

static uint32_t word(struct bench *b, uint32_t which)
{
	struct lockstep_error error;
	uint32_t value = 0;

	assert_true(lockstep_read(b->gpu, &value, b->words[which], sizeof value, &error));
	return value;
}

/* With independent threads it would have counted to 3,232, and given back the lock. */
static void memory_is_as_the_hang_left_it(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		struct bench b = open_gpu("policy.divergence=stack", k & 1 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING,
			k & 2 ? LOCKSTEP_EXPLAIN_NEVER : 0);
		const struct lockstep_finding *f = hang_of(&b, "spin", 32);

		assert_string_equal(f->certainty, "proved");
		assert_string_equal(f->cause, "simt");
		assert_int_equal(f->confirmed, !(k & 2));
		assert_int_equal(word(&b, 0), 1);
		assert_int_equal(word(&b, 1), 32);
		lockstep_close(b.gpu);
	}
}

/* The second launch begins with caches that are not empty, and with memory that the first has written. */
static void later_launches_are_confirmed_too(void **state)
{
	struct bench b = open_gpu("policy.divergence=stack", LOCKSTEP_TIMING, 0);
	struct lockstep_error error;
	uint32_t zero = 0;

	(void)state;
	hang_of(&b, "spin", 32);
	assert_true(lockstep_write(b.gpu, b.words[0], &zero, sizeof zero, &error));
	assert_true(hang_of(&b, "spin", 32)->confirmed);
	assert_int_equal(word(&b, 0), 1);
	assert_int_equal(word(&b, 1), 64);
	lockstep_close(b.gpu);
}

/* Two instructions overwrote the line before it was read again: neither is named as the writer. */
static void a_word_that_was_written_twice(void **state)
{
	struct bench b = open_gpu("policy.divergence=stack", LOCKSTEP_TIMING, 0);
	const struct lockstep_finding *f = hang_of_groups(&b, "poll_seldom", 2, 1);

	(void)state;
	assert_true(f->confirmed);
	assert_non_null(strstr(f->message, " from an L1 line that was overwritten "));
	assert_null(strstr(f->message, " by group ("));
	for (size_t k = 0; k < f->line_count; k++)
		assert_true(!f->lines[k].role || strcmp(f->lines[k].role, "it was overwritten here"));
	lockstep_close(b.gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_lane_may_look_at_host_memory),
		cmocka_unit_test(any_access_may_look_at_host_memory),
		cmocka_unit_test(threads_that_write_in_no_order),
		cmocka_unit_test(nothing_is_proved_of_images),
		cmocka_unit_test(memory_is_as_the_hang_left_it),
		cmocka_unit_test(later_launches_are_confirmed_too),
		cmocka_unit_test(a_word_that_was_written_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
