/* What is waited at barriers and fences, by instruction (machine/observe/waits.h): of two warps the second works longer
 * before each of three barriers and the first before a fourth; then the first has two fences behind a store, one behind
 * an atomic, and one behind nothing.  Two work-groups do so, each on a core of its own, of which the sums are added up.
 * And a word that is polled: of two work-groups, one behind the other on one core, the first gives up. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define WORK(name, times)                                                                                              \
	"mov.u32 %n, " times ";\n" name ": sub.u32 %n, %n, 1; setp.ne.u32 %r, %n, 0; @%r bra " name ";\n"

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 memory) {\n"
	" .reg .b64 %m; .reg .b32 %v, %t, %n, %k; .reg .pred %p, %q, %r; ld.param.u64 %m, [memory];"
	" mov.u32 %t, %tid.x; setp.lt.u32 %q, %t, 32; mov.u32 %k, 3;\n"
	"again: @%q bra meet;\n" WORK(
		"late", "400") "meet:\n"
			       "bar.sync 0;\n"
			       " sub.u32 %k, %k, 1; setp.ne.u32 %p, %k, 0; @%p bra again; @!%q bra fourth;\n" WORK(
				       "early", "300") "fourth: bar.sync 0; @!%q bra end; mov.u32 %k, 2;\n"
						       "stores: st.global.u32 [%m], %k;\n"
						       "membar.gl;\n"
						       " sub.u32 %k, %k, 1; setp.ne.u32 %p, %k, 0; @%p bra stores;\n"
						       " atom.global.add.u32 %v, [%m+128], 1;\n"
						       "membar.gl;\n"
						       "membar.gl;\n"
						       "end: ret;\n}\n";

static const struct lockstep_barrier *barrier_at(const struct lockstep_result *result, uint32_t which)
{
	/* by line: the one in the loop comes first */
	const struct lockstep_barrier *a = &result->barriers[0], *b = &result->barriers[1];

	return (a->line < b->line) == !which ? a : b;
}

/* Of fences, the `which`-th by line. */
static const struct lockstep_fence *fence_at(const struct lockstep_result *result, uint32_t which)
{
	for (size_t k = 0; k < result->fence_count; k++) {
		uint32_t before = 0;

		for (size_t n = 0; n < result->fence_count; n++)
			before += result->fences_waited[n].line < result->fences_waited[k].line;
		if (before == which)
			return &result->fences_waited[k];
	}
	return NULL;
}

static void waits_are_known_by_instruction(void **state)
{
	static const char *const settings[] = {"core.count=2", NULL};
	struct lockstep_error error = {0};
	struct lockstep_options options = {
		.size = sizeof options, .settings = settings, .max_cycles = 1000000, .profile = LOCKSTEP_PROFILE};
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(gpu, "waits.ptx", ptx, &error);
	uint64_t parameters[] = {lockstep_allocate(gpu, 512, "memory")};
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.kernel = "k",
		.grid = {2, 1, 1},
		.block = {64, 1, 1},
		.parameters = parameters,
		.parameter_bytes = sizeof parameters};
	const struct lockstep_result *result;
	const struct lockstep_barrier *three, *fourth;
	const struct lockstep_fence *stores, *atomic, *nothing;

	(void)state;
	assert_string_equal(error.message, "");
	result = lockstep_run(gpu, &launch, &error);
	assert_string_equal(error.message, "");
	assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	assert_int_equal(result->barrier_count, 2);
	three = barrier_at(result, 0);
	fourth = barrier_at(result, 1);
	assert_int_equal(three->phases, 6);
	assert_string_equal(three->text, "bar.sync 0");
	/* Three times 400 iterations of three instructions, which take more than a cycle each; the last to come waits,
	 * too, but only until the barrier opens. */
	assert_true(three->waited > 6 * 1200 && three->waited < 4 * result->cycles);
	assert_true(three->worst > 1200 && three->worst <= three->waited / 6 + 200);
	assert_int_equal(three->worst_thread.thread[0], 0);
	assert_int_equal(three->worst_thread.group[0], 0); /* both groups are alike: the first is named */
	assert_int_equal(three->last_warp, 1);
	assert_int_equal(three->last_times, 6);
	assert_int_equal(fourth->phases, 2);
	assert_true(fourth->waited > 2 * 900 && fourth->waited < 2 * result->cycles);
	assert_int_equal(fourth->worst_thread.thread[0], 32);
	assert_int_equal(fourth->worst_thread.group[0], 0);
	assert_int_equal(fourth->last_warp, 0);
	assert_int_equal(fourth->last_times, 2);
	assert_int_equal(result->fence_count, 3);
	stores = fence_at(result, 0);
	atomic = fence_at(result, 1);
	nothing = fence_at(result, 2);
	assert_int_equal(stores->count, 4);
	assert_true(stores->waited > stores->worst && stores->waited <= 4 * stores->worst);
	assert_int_equal(stores->stores, stores->waited);
	assert_int_equal(stores->atomics + stores->loads + stores->others, 0);
	assert_int_equal(stores->worst_thread.thread[0], 0);
	assert_int_equal(atomic->count, 2);
	assert_true(atomic->waited > 0);
	assert_true(atomic->worst < atomic->waited && atomic->waited <= 2 * atomic->worst);
	assert_int_equal(atomic->atomics, atomic->waited);
	assert_int_equal(nothing->count, 2);
	assert_int_equal(nothing->stores + nothing->atomics + nothing->loads + nothing->others, nothing->waited);
	assert_true(nothing->waited < atomic->waited);
	lockstep_close(gpu);
}

/* A warp polls two words of its group: it ends when the other warp sets the first, and goes on when that sets the
 * second.  In group 0 that works long and sets the first, in group 1 for a short time and sets the second. */
static const char polling[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 memory) {\n"
	" .reg .b64 %m, %w, %d; .reg .b32 %v, %t, %n, %g; .reg .pred %p, %q, %r; ld.param.u64 %m, [memory];\n"
	" mov.u32 %g, %ctaid.x; mul.wide.u32 %w, %g, 128; add.u64 %m, %m, %w; mov.u32 %t, %tid.x;\n"
	" mul.wide.u32 %d, %g, 4; add.u64 %w, %m, %d; setp.eq.u32 %q, %g, 0;\n"
	" setp.ge.u32 %p, %t, 32; @%p bra set;\n"
	"poll: ld.volatile.global.u32 %v, [%m]; setp.ne.u32 %p, %v, 0; @%p ret;\n"
	" ld.volatile.global.u32 %v, [%m+4];\n"
	" setp.eq.u32 %p, %v, 0; @%p bra poll; ret;\n"
	"set: selp.u32 %t, 4000, 1000, %q;\n" WORK("work", "%t") " st.volatile.global.u32 [%w], 1; ret;\n}\n";

static void a_wait_is_of_the_warp_that_waits(void **state)
{
	static const char *const settings[] = {"core.count=1", "core.groups=1", NULL};
	struct lockstep_error error = {0};
	struct lockstep_options options = {
		.size = sizeof options, .settings = settings, .max_cycles = 1000000, .profile = LOCKSTEP_PROFILE};
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(gpu, "polls.ptx", polling, &error);
	uint64_t parameters[] = {lockstep_allocate(gpu, 512, "memory")};
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.kernel = "k",
		.grid = {2, 1, 1},
		.block = {64, 1, 1},
		.parameters = parameters,
		.parameter_bytes = sizeof parameters};
	const struct lockstep_result *result;

	(void)state;
	assert_string_equal(error.message, "");
	memset(lockstep_map(gpu, parameters[0], 512), 0, 512);
	result = lockstep_run(gpu, &launch, &error);
	assert_string_equal(error.message, "");
	assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	assert_int_equal(result->barrier_count, 1);
	assert_int_equal(result->barriers[0].words, 2); /* each group has its own */
	assert_int_equal(result->barriers[0].phases, 1);
	assert_int_equal(result->barriers[0].worst_thread.group[0], 1);
	assert_int_equal(result->barriers[0].worst, result->barriers[0].waited);
	/* it works for a fifth of the time of both; group 0, whose wait has no end, for four fifths */
	assert_true(
		result->barriers[0].waited > result->cycles / 10 && result->barriers[0].waited < result->cycles / 3);
	lockstep_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_known_by_instruction),
		cmocka_unit_test(a_wait_is_of_the_warp_that_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
