/* Who can still write a word (check/writers.h): threads that live, those parked in the waiter's warp, those that have
 * not started, and what is known of those that have ended.  Two kernels that hang, and many questions to each. */
#include "check/writers.h"

#include "check/verdict.h"
#include "lockstep.h"
#include "machine/state/gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GROUPS 64
#define WAIT(word, result)                                                                                             \
	" " word ": ld.volatile.global.u32 %v, " result "; setp.eq.u32 %p, %v, 0; @%p bra " word ";\n"

/* groups: two work-groups of 64 fit the only core.  Group 0 has ended, where thread 0 may have written memory[16] and
 * thread 6 may have taken it. Of group 1, the first warp waits for memory[16]; the second for other[0], and then writes
 * memory[17] and box[2].  Group 2 waits for other[1], but for thread 63, which has ended; then it writes memory[18] and
 * box[3], thread 62 writes what a pointer says, and thread 61 memory[16] when it is set.  Of those that have not
 * started, some write a word each.
 *
 * warp: lanes 0 to 15 wait for memory[16] while the others are parked, of which 20 and those behind would set it; then
 * they write memory[17]. */
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry groups(.param .u64 memory, .param .u64 other) {\n"
	" .reg .b64 %a, %b, %x, %y; .reg .b32 %v, %t, %g; .reg .pred %p, %q; .shared .align 16 .b8 box[64];\n"
	" ld.param.u64 %a, [memory]; ld.param.u64 %b, [other]; mov.u32 %t, %tid.x; mov.u32 %g, %ctaid.x;\n"
	" setp.eq.u32 %p, %g, 0; @%p bra none; setp.eq.u32 %p, %g, 1; @%p bra one; setp.eq.u32 %p, %g, 2; @%p bra "
	"two;\n"
	" setp.eq.u32 %p, %g, 10; setp.eq.and.u32 %p, %t, 33, %p; @%p st.global.u32 [%a+76], 7;\n"
	" setp.eq.u32 %p, %g, 11; @%p st.global.u32 [%a+80], 7; setp.eq.u32 %p, %g, 55; @%p st.global.u32 [%a+84], 7;\n"
	" setp.eq.u32 %p, %g, 56; @%p st.global.u32 [%a+88], 7; setp.eq.u32 %p, %g, 63; @%p st.global.u32 [%a+92], 7;\n"
	" exit;\n"
	"none: ld.global.u32 %v, [%b+8]; setp.ne.u32 %q, %v, 0; setp.eq.and.u32 %p, %t, 0, %q; setp.eq.u32 %q, %t, 0;\n"
	" @!%q bra six; @%p st.global.u32 [%a+64], 7; exit;\n"
	"six: setp.ne.u32 %q, %t, 6; @%q exit; ld.global.u32 %v, [%b+8]; setp.ne.u32 %p, %v, 0;\n"
	" @%p atom.global.cas.b32 %v, [%a+64], 0, 1; exit;\n"
	"one: setp.ge.u32 %p, %t, 32; @%p bra second;\n" WAIT("wait",
		"[%a+64]") " exit;\n"
			   "second:\n" WAIT("wait_1",
				   "[%b]") " st.global.u32 [%a+68], 7; st.shared.u32 [box+8], 7; exit;\n"
					   "two: setp.eq.u32 %p, %t, 63; @%p exit;\n" WAIT("wait_2",
						   "[%b+4]") " st.global.u32 [%a+72], 7; st.shared.u32 [box+12], 7; "
							     "setp.ne.u32 %p, %t, 62; @%p bra last;\n"
							     " ld.global.v2.u64 {%x, %y}, [%b]; st.global.u32 [%x], 7; "
							     "exit;\n"
							     "last: setp.ne.u32 %p, %t, 61; @%p exit;\n" WAIT("wait_3",
								     "[%a+64]") " st.global.u32 [%a+64], 7; exit;\n}\n"
										".visible .entry warp(.param .u64 "
										"memory, .param .u64 other) {\n"
										" .reg .b64 %a; .reg .b32 %v, %t; .reg "
										".pred %p, %q;\n"
										" ld.param.u64 %a, [memory]; mov.u32 "
										"%t, %tid.x; setp.ge.u32 %p, %t, 16; "
										"@%p bra produce;\n" WAIT("again",
											"[%a+64]") " bra.uni end;\n"
												   "produce: "
												   "setp.ge.u32 %q, "
												   "%t, 20; @%q "
												   "st.volatile.global."
												   "u32 [%a+64], 1;\n"
												   "end: st.global.u32 "
												   "[%a+68], %t; "
												   "ret;\n}\n";

static uint64_t memory;
static uint32_t explained;
static void (*look)(struct writers *writers, struct thread *waiter, struct core *core);

static struct wait global_word(uint32_t offset)
{
	return (struct wait){.found = true, .bytes = 4, .word = {.space = space_GLOBAL, .address = memory + offset}};
}

static struct wait shared_word(uint32_t offset)
{
	return (struct wait){.found = true, .bytes = 4, .word = {.space = space_SHARED, .address = offset}};
}

/* It is this thread, and certain of it. */
static void expect_writer(struct writer writer, uint32_t group, uint32_t number)
{
	assert_int_equal(writer.reach, REACH_CERTAIN);
	assert_int_equal(writer.at.group, group);
	assert_int_equal(writer.at.number, number);
}

#define EXPECT_NONE(call) assert_int_equal((call).reach, REACH_NOT)

static struct thread thread_of(struct core *core, uint32_t group, uint32_t number)
{
	for (uint32_t slot = 0; slot < core->warps.count; slot++) {
		struct warp_slot *r = &core->slots[slot];

		if (r->used && !r->finished && r->group->number == group &&
			number - r->warp.first_thread < r->warp.lanes)
			return thread_at(core, r, number - r->warp.first_thread);
	}
	fail_msg("thread %u of group %u is not there", number, group);
	return (struct thread){0};
}

static void look_at_living(struct writers *w, struct thread *waiter, struct core *core)
{
	struct wait first = global_word(64), at_68 = global_word(68), at_72 = global_word(72),
		    nothing = global_word(100);
	struct wait box_2 = shared_word(8), box_3 = shared_word(12);
	struct thread in_two = thread_of(core, 2, 0);

	assert_int_equal(writers_doubt(w), DOUBT_NONE);
	for (uint32_t twice = 0; twice < 2; twice++) {
		expect_writer(writers_living(w, waiter, &at_68), 1, 32);
		expect_writer(writers_living(w, waiter, &at_72), 2, 0);
		expect_writer(writers_living(w, waiter, &box_2), 1, 32); /* of its own group */
		EXPECT_NONE(writers_living(w, waiter, &box_3));
		expect_writer(writers_living(w, &in_two, &box_3), 2, 0);
		EXPECT_NONE(writers_living(w, &in_two, &box_2));
		expect_writer(writers_living(w, waiter, &first), 2, 61);
		EXPECT_NONE(writers_living(w, waiter, &nothing));
		assert_int_equal(writers_doubt(w), DOUBT_POINTERS);
	}
}

static void look_at_unstarted(struct writers *w, struct thread *waiter)
{
	struct wait box_2 = shared_word(8), words[] = {global_word(76), global_word(80), global_word(84),
						    global_word(88), global_word(92), global_word(68)};

	for (uint32_t twice = 0; twice < 2; twice++) {
		expect_writer(writers_unstarted(w, waiter, &words[0]), 10, 33);
		EXPECT_NONE(writers_unstarted(w, waiter, &words[1])); /* the first eight are followed, and the last */
		EXPECT_NONE(writers_unstarted(w, waiter, &words[2]));
		expect_writer(writers_unstarted(w, waiter, &words[3]), 56, 0);
		expect_writer(writers_unstarted(w, waiter, &words[4]), 63, 0);
		EXPECT_NONE(writers_unstarted(w, waiter, &words[5]));
		EXPECT_NONE(writers_unstarted(w, waiter, &box_2));
	}
}

static void look_at_ended(struct writers *w, struct thread *waiter, struct core *core)
{
	struct wait first = global_word(64), nothing = global_word(100), box_3 = shared_word(12);
	struct thread in_two = thread_of(core, 2, 0);
	struct ended ended = writers_ended(w, waiter, &first);

	assert_true(ended.any);
	expect_writer(ended.possible_writer, 0, 0);
	assert_int_equal(ended.inferred_owner.reach, REACH_AS_IS);
	assert_int_equal(ended.inferred_owner.at.group, 0);
	assert_int_equal(ended.inferred_owner.at.number, 6);
	assert_int_equal(ended.nonwriter.reach, REACH_NOT);
	assert_int_equal(ended.nonwriter.at.number, 1); /* the first that never came to one */
	ended = writers_ended(w, waiter, &nothing);
	assert_true(ended.any && !ended.possible_writer.reach && !ended.inferred_owner.reach && !ended.nonwriter.reach);
	assert_false(writers_ended(w, waiter, &box_3).any); /* all threads of group 1 live */
	ended = writers_ended(w, &in_two, &box_3);
	assert_true(ended.any && !ended.possible_writer.reach);
	assert_int_equal(ended.nonwriter.at.group, 2);
	assert_int_equal(ended.nonwriter.at.number, 63);
}

static void look_at_groups(struct writers *w, struct thread *waiter, struct core *core)
{
	look_at_unstarted(w, waiter);
	look_at_ended(w, waiter, core);
	look_at_living(w, waiter, core);
}

static void look_at_warp(struct writers *w, struct thread *waiter, struct core *core)
{
	struct wait first = global_word(64), at_68 = global_word(68), nothing = global_word(100);

	(void)core;
	expect_writer(writers_parked(w, waiter, &first), 0, 20);
	expect_writer(writers_parked(w, waiter, &at_68), 0, 16); /* of those that run, none is asked */
	EXPECT_NONE(writers_parked(w, waiter, &nothing));
	expect_writer(writers_living(w, waiter, &first), 0, 20);
	expect_writer(writers_living(w, waiter, &at_68), 0, 1); /* thread 0 writes what is there */
	assert_false(writers_ended(w, waiter, &first).any);
	EXPECT_NONE(writers_unstarted(w, waiter, &first));
}

/* 16 groups of 1,024 threads for each word; after 40,000 threads no more are followed. */
static void look_at_many(struct writers *w, struct thread *waiter, struct core *core)
{
	(void)core;
	for (uint32_t k = 0; k < 4; k++) {
		struct wait word = global_word(100 + 4 * k), last = global_word(92);

		assert_int_equal(writers_doubt(w), k == 0 ? DOUBT_NONE : k < 3 ? DOUBT_POINTERS : DOUBT_TOO_MANY);
		assert_true(writers_unstarted(w, waiter, k < 3 ? &word : &last).reach <=
			    REACH_UNKNOWN); /* a pointer of group 2 */
	}
	EXPECT_NONE(writers_living(w, waiter,
		&(struct wait){.found = true, .bytes = 4, .word = {.space = space_GLOBAL, .address = memory + 72}}));
}

/* In place of the one that explains. */
void verdict_give(struct machine *machine, struct launch *launch, bool proved)
{
	struct arena arena = {0};
	struct core *core = &machine->cores.at[0];
	struct thread waiter = thread_of(core, launch->total_groups > 1, 0);

	(void)proved;
	explained++;
	look(writers_create(&arena, launch), &waiter, core);
	arena_free(&arena);
}

static void run(const char *kernel, uint32_t groups, uint32_t threads, enum lockstep_mode mode)
{
	static const char *const settings[] = {"core.count=1", "core.groups=2", "policy.divergence=stack", NULL};
	struct lockstep_error error = {0};
	struct lockstep_options options = {.size = sizeof options,
		.settings = settings,
		.mode = mode,
		.max_cycles = 20000000,
		.hang_after = 100000,
		.explain_limit = LOCKSTEP_EXPLAIN_NEVER};
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(gpu, "writers.ptx", ptx, &error);
	uint64_t parameters[2] = {lockstep_allocate(gpu, 256, "memory"), lockstep_allocate(gpu, 256, "other")};
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.kernel = kernel,
		.grid = {groups, 1, 1},
		.block = {threads, 1, 1},
		.parameters = parameters,
		.parameter_bytes = sizeof parameters};
	const struct lockstep_result *result;

	assert_string_equal(error.message, "");
	memory = parameters[0];
	explained = 0;
	result = lockstep_run(gpu, &launch, &error);
	assert_string_equal(error.message, "");
	assert_int_equal(result->outcome, LOCKSTEP_HANG);
	assert_int_equal(explained, 1);
	lockstep_close(gpu);
}

static void of_many_groups_who_writes_is_found(void **state)
{
	(void)state;
	look = look_at_groups;
	run("groups", GROUPS, 64, LOCKSTEP_TIMING);
	run("groups", GROUPS, 64, LOCKSTEP_FUNCTIONAL);
}

static void too_many_threads_are_not_followed(void **state)
{
	(void)state;
	look = look_at_many;
	run("groups", GROUPS, 1024, LOCKSTEP_TIMING);
}

static void who_is_parked_is_told_from_who_runs(void **state)
{
	(void)state;
	look = look_at_warp;
	run("warp", 1, 32, LOCKSTEP_TIMING);
	run("warp", 1, 32, LOCKSTEP_FUNCTIONAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_many_groups_who_writes_is_found),
		cmocka_unit_test(too_many_threads_are_not_followed),
		cmocka_unit_test(who_is_parked_is_told_from_who_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
