/* Who waited for a lock (machine/observe/contention.h): one thread takes a lock and works, another waits for it, and
 * then takes a second lock twice, for which nobody waits.  And two groups of one warp each, on one core, of which the
 * second waits for what the first has, by two instructions, and counts its attempts. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TAKE(lock)                                                                                                     \
	lock "_try: atom.global.cas.b32 %v, [%" lock "], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra " lock "_try;\n"
#define GIVE_BACK(lock) " atom.global.exch.b32 %v, [%" lock "], 0;\n"

/* memory: the locks at 0 and 128; at 256 says that the first is taken. */
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 memory) {\n"
	" .reg .b64 %m, %a, %b, %c, %d, %flag; .reg .b32 %v, %t, %n; .reg .pred %p, %q;\n"
	" ld.param.u64 %m, [memory]; add.u64 %a, %m, 0; add.u64 %b, %m, 0; add.u64 %c, %m, 128; add.u64 %d, %m, 128;\n"
	" add.u64 %flag, %m, 256; mov.u32 %t, %tid.x;\n"
	" setp.eq.u32 %q, %t, 0; @%q bra first; setp.eq.u32 %q, %t, 37; @%q bra second; ret;\n"
	"first:\n" TAKE("a") " st.volatile.global.u32 [%flag], 1; mov.u32 %n, 500;\n"
			     "work: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra work;\n" GIVE_BACK(
				     "a") " ret;\n"
					  "second: ld.volatile.global.u32 %v, [%flag]; setp.eq.u32 %p, %v, 0; @%p bra "
					  "second;\n" TAKE("b") GIVE_BACK("b") TAKE("c") GIVE_BACK("c") TAKE("d")
						  GIVE_BACK("d") " ret;\n}\n";

/* The same memory; at 384 is told how often each of the two instructions has failed.  The second group comes when the
 * lock is taken, and leaves when the first has taken it again. */
static const char apart[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 memory) {\n"
	" .reg .b64 %a; .reg .b32 %v, %n, %one, %two; .reg .pred %p;\n"
	" ld.param.u64 %a, [memory]; mov.u32 %one, 0; mov.u32 %two, 0; mov.u32 %n, %ctaid.x;\n"
	" setp.eq.u32 %p, %n, 1; @%p bra second;\n" TAKE(
		"a") " st.volatile.global.u32 [%a+256], 1; mov.u32 %n, 500;\n"
		     "work: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra work;\n" GIVE_BACK(
			     "a") "wait: ld.volatile.global.u32 %v, [%a+260]; setp.eq.u32 %p, %v, 0; @%p bra wait;\n"
				  "again: atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra "
				  "again;\n" GIVE_BACK(
					  "a") " ret;\n"
					       "second: ld.volatile.global.u32 %v, [%a+256]; setp.eq.u32 %p, %v, 0; "
					       "@%p bra second;\n"
					       "try: atom.global.cas.b32 %v, [%a], 0, 1;\n"
					       " setp.eq.u32 %p, %v, 0; @%p bra got; add.u32 %one, %one, 1;\n"
					       " atom.global.cas.b32 %v, [%a], 0, 1;\n"
					       " setp.eq.u32 %p, %v, 0; @%p bra got; add.u32 %two, %two, 1; bra try;\n"
					       "got:" GIVE_BACK("a") " st.global.u32 [%a+384], %one; st.global.u32 "
								     "[%a+388], %two;\n"
								     " st.volatile.global.u32 [%a+260], 1; ret;\n}\n";

struct ran {
	struct lockstep *gpu;
	const struct lockstep_result *result;
	uint64_t memory;
};

/* `trace`: the timeline's file; null: none. */
static struct ran run_in(enum lockstep_mode mode, const char *cores, const char *text, uint32_t groups,
	uint32_t threads, const char *trace)
{
	const char *settings[] = {cores, NULL};
	struct lockstep_error error = {0};
	struct lockstep_options options = {.size = sizeof options,
		.settings = settings,
		.mode = mode,
		.max_cycles = 1000000,
		.profile = LOCKSTEP_PROFILE,
		.trace = trace};
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(gpu, "contention.ptx", text, &error);
	uint64_t parameters[] = {lockstep_allocate(gpu, 512, "memory")};
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.kernel = "k",
		.grid = {groups, 1, 1},
		.block = {threads, 1, 1},
		.parameters = parameters,
		.parameter_bytes = sizeof parameters};
	const struct lockstep_result *result;

	assert_string_equal(error.message, "");
	memset(lockstep_map(gpu, parameters[0], 512), 0, 512);
	result = lockstep_run(gpu, &launch, &error);
	assert_string_equal(error.message, "");
	assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	return (struct ran){gpu, result, parameters[0]};
}

static struct ran run(const char *text, uint32_t groups, uint32_t threads, const char *trace)
{
	return run_in(LOCKSTEP_TIMING, "core.count=1", text, groups, threads, trace);
}

static void who_waits_is_named(void **state)
{
	struct ran ran = run(ptx, 1, 64, NULL);
	const struct lockstep_result *result = ran.result;
	const struct lockstep_lock *contended, *uncontended;

	(void)state;
	assert_int_equal(result->lock_count, 2);
	contended = &result->locks[!strstr(result->locks[0].address, "+ 0x0)")];
	uncontended = &result->locks[contended == result->locks];
	assert_non_null(strstr(contended->address, "+ 0x0)"));
	assert_non_null(strstr(uncontended->address, "+ 0x80)"));
	assert_int_equal(contended->acquires, 2);
	assert_true(contended->failed >= 1);
	assert_true(contended->waited >= 1 && contended->waited < result->cycles);
	assert_int_equal(contended->worst, contended->waited); /* one thread waited, once */
	assert_int_equal(contended->worst_thread.group[0], 0);
	assert_int_equal(contended->worst_thread.thread[0], 37);
	assert_int_equal(contended->from_same_warp, 0);
	assert_int_equal(contended->from_same_core, 1);
	assert_int_equal(contended->from_other_core, 0);
	assert_true(contended->held >= 500 && contended->held < result->cycles);
	assert_int_equal(uncontended->acquires, 2);
	assert_int_equal(uncontended->failed, 0);
	assert_int_equal(uncontended->waited, 0);
	assert_int_equal(uncontended->worst, 0);
	assert_int_equal(uncontended->from_same_warp, 1);
	assert_int_equal(uncontended->from_same_core, 0);
	lockstep_close(ran.gpu);
}

static uint32_t count_of(const char *text, const char *what)
{
	uint32_t count = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		count++;
	}
	return count;
}

/* A warp waits from its first failure to the success, once: what it takes at once later is no wait. */
static void a_wait_is_drawn_once(void **state)
{
	char path[] = "/tmp/lockstep-contention-XXXXXX", text[16384] = "";
	int file = mkstemp(path);
	struct ran ran = run(ptx, 1, 64, path);
	FILE *drawn;

	(void)state;
	assert_true(file >= 0);
	close(file);
	lockstep_close(ran.gpu);
	drawn = fopen(path, "r"); /* another one of that name */
	assert_in_range(fread(text, 1, sizeof text - 1, drawn), 100, sizeof text - 2);
	fclose(drawn);
	unlink(path);
	assert_int_equal(count_of(text, "\"lock wait\""), 2); /* its beginning and its end */
	assert_int_equal(count_of(text, "\"lock held\""), 2 * 4);
}

/* Both warps are the first of their group. */
static void attempts_and_handovers_are_told_apart(void **state)
{
	struct ran ran = run(apart, 2, 1, NULL);
	const struct lockstep_lock *lock = &ran.result->locks[0];
	const uint32_t *failed = lockstep_map(ran.gpu, ran.memory + 384, 8);

	(void)state;
	assert_int_equal(ran.result->lock_count, 1);
	assert_int_equal(lock->acquires, 3);
	assert_int_equal(lock->from_same_core, 2);
	assert_int_equal(lock->from_same_warp + lock->from_other_core, 0);
	assert_true(failed[0] > 1 && failed[1] >= failed[0] - 1 && failed[1] <= failed[0]);
	assert_int_equal(lock->failed, failed[0] + failed[1]);
	assert_int_equal(lock->site_count, 4);
	/* by line, which is as in the text: the first group's two, then those of the second */
	for (size_t k = 0; k < lock->site_count; k++) {
		const struct lockstep_lock_site *site = &lock->sites[k];
		uint32_t before = 0;

		for (size_t n = 0; n < lock->site_count; n++)
			before += lock->sites[n].line < site->line;
		assert_int_equal(site->failed, before < 2 ? 0 : failed[before - 2]);
		assert_true(before >= 2 || site->acquires == 1);
	}
	assert_int_equal(lock->worst, lock->waited);
	assert_int_equal(lock->longest_queue, 1);
	assert_int_equal(lock->worst_thread.group[0], 1);
	lockstep_close(ran.gpu);
}

/* Two groups, each on a core of its own, take the lock in turns, 20 times each; the turn is the word at 256. */
static const char in_turns[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 memory) {\n"
	" .reg .b64 %a; .reg .b32 %v, %n, %g, %t; .reg .pred %p; ld.param.u64 %a, [memory]; mov.u32 %g, "
	"%ctaid.x;\n"
	" mov.u32 %n, 0;\n"
	"wait: ld.volatile.global.u32 %v, [%a+256]; and.b32 %t, %v, 1; setp.ne.u32 %p, %t, %g; @%p bra "
	"wait;\n" TAKE("a") " mov.u32 %t, %n; shl.b32 %t, %t, 1; add.u32 %t, %t, %g; add.u32 %t, %t, "
			    "1;\n" GIVE_BACK("a") " st.volatile.global.u32 [%a+256], %t; add.u32 %n, %n, "
						  "1; setp.lt.u32 %p, %n, 20; @%p bra wait; ret;\n}\n";

/* In functional mode, too, where no clock says that order. */
static void handovers_are_in_order_in_both_modes(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		enum lockstep_mode mode = k & 1 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING;
		struct ran ran = run_in(mode, k & 2 ? "core.count=1" : "core.count=2", in_turns, 2, 1, NULL);
		const struct lockstep_lock *lock = &ran.result->locks[0];

		assert_int_equal(ran.result->lock_count, 1);
		assert_int_equal(lock->acquires, 40);
		assert_int_equal(lock->from_same_warp, 0);
		assert_int_equal(lock->from_same_core, k & 2 ? 39 : 0);
		assert_int_equal(lock->from_other_core, k & 2 ? 0 : 39);
		assert_int_equal(lock->failed, 0);
		lockstep_close(ran.gpu);
	}
}

/* Of a word whose bits are locks: one is taken, and another bit turned to and fro meanwhile, by each operation. */
#define BIT_LOCK(other)                                                                                                \
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 memory) {\n"                     \
	" .reg .b64 %a; .reg .b32 %v, %n; .reg .pred %p; ld.param.u64 %a, [memory];\n"                                 \
	"try: atom.global.or.b32 %v, [%a], 1; and.b32 %v, %v, 1; setp.ne.u32 %p, %v, 0; @%p bra try;\n" other          \
	" mov.u32 %n, 500;\nwork: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra work;\n"                           \
	" atom.global.and.b32 %v, [%a], -2;\n mov.u32 %n, 500;\n"                                                      \
	"more: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra more; ret;\n}\n"

static void a_lock_of_a_bit_is_given_back_with_it(void **state)
{
	static const char *const texts[] = {BIT_LOCK(""), BIT_LOCK(" atom.global.xor.b32 %v, [%a], 2;\n"),
		BIT_LOCK(" atom.global.or.b32 %v, [%a], 7;\n"), BIT_LOCK(" atom.global.and.b32 %v, [%a], -3;\n"),
		BIT_LOCK(" atom.global.xor.b32 %v, [%a], 1;\n"), BIT_LOCK(" atom.global.and.b32 %v, [%a], -4;\n"),
		BIT_LOCK(" atom.global.exch.b32 %v, [%a], 4;\n"), BIT_LOCK(" st.volatile.global.u32 [%a], 4;\n")};

	(void)state;
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
		struct ran ran = run(texts[k], 1, 1, NULL);

		assert_int_equal(ran.result->lock_count, 1);
		assert_int_equal(ran.result->locks[0].acquires, 1);
		/* for the first 500 turns, or not for them */
		assert_int_equal(ran.result->locks[0].held > ran.result->cycles / 3, k < 4);
		assert_true(ran.result->locks[0].held < ran.result->cycles * 2 / 3);
		lockstep_close(ran.gpu);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_is_named),
		cmocka_unit_test(a_wait_is_drawn_once),
		cmocka_unit_test(handovers_are_in_order_in_both_modes),
		cmocka_unit_test(a_lock_of_a_bit_is_given_back_with_it),
		cmocka_unit_test(attempts_and_handovers_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
