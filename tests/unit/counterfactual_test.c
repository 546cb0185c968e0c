/* Trying causes: what each change to a launch that hangs is said to come to, and what is refused; counts and words by
 * hand from the kernel. */
#include "api/api.h" /* the parts that only the simulator sees */

#include "explore/again.h"
#include "explore/counterfactual.h"
#include "memory/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "k": of all threads but 32 and 35 of group 1, which are the first and the fourth of the last warp, none is left.
 * These two wait until the word at memory + 8, or that at 4 in the shared memory of the group, is set.  Nothing sets
 * them. "again": a thread takes a lock at memory + 8 and takes it again, and so on when it has given it back. "quick":
 * a thread waits for ever if a word of memory was in the L2. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry k(.param .u64 memory) {\n"
			  " .shared .align 4 .b8 s[8];\n"
			  " .reg .b64 %a; .reg .b32 %v, %w, %t, %g; .reg .pred %p, %q;\n"
			  " ld.param.u64 %a, [memory]; mov.u32 %g, %ctaid.x; mov.u32 %t, %tid.x;\n"
			  " mov.u32 %v, 0; st.shared.u32 [s+4], %v; bar.sync 0;\n"
			  " setp.ne.u32 %p, %g, 1; @%p ret;\n"
			  " setp.ne.u32 %p, %t, 32; setp.ne.and.u32 %p, %t, 35, %p; @%p ret;\n"
			  "again: ld.global.u32 %v, [%a+8]; ld.shared.u32 %w, [s+4]; or.b32 %v, %v, %w;\n"
			  " setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n}\n"
			  ".visible .entry again(.param .u64 memory) {\n"
			  " .reg .b64 %a; .reg .b32 %v; .reg .pred %p; ld.param.u64 %a, [memory];\n"
			  "first: atom.global.cas.b32 %v, [%a+8], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra first;\n"
			  "second: atom.global.cas.b32 %v, [%a+8], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra second;\n"
			  " red.global.add.u32 [%a+12], 1; atom.global.exch.b32 %v, [%a+8], 0; bra first;\n}\n"
			  ".visible .entry quick(.param .u64 memory) {\n"
			  " .reg .b64 %a; .reg .b32 %v, %t, %s; .reg .pred %p; ld.param.u64 %a, [memory];\n"
			  /* 437 cycles, in which instructions are fetched, too, with the word in the L2; else 560 */
			  " mov.u32 %t, %clock; ld.global.cg.u32 %v, [%a]; setp.eq.u32 %p, %v, 9; @%p ret;\n"
			  " mov.u32 %s, %clock; sub.u32 %s, %s, %t; setp.gt.u32 %p, %s, 500; @%p ret;\n"
			  "spin: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra spin; ret;\n}\n";

#define WORDS 64
#define THREADS 40 /* of a group: a warp, and 8 lanes of another */

static struct lockstep *lockstep;
static uint64_t address;
static void (*looks)(struct machine *machine);
static uint32_t looked;

static void *memory(void)
{
	return space_host(&lockstep->gpu.space, address);
}

/* Memory is afterwards as it was. */
static void expect(struct machine *machine, struct change change, double seconds, enum counterfactual_verdict verdict,
	const char *words)
{
	struct arena arena = {0};
	uint32_t before[WORDS];
	memcpy(before, memory(), sizeof before);
	change.launch = machine->launches.first->ordinal;
	struct counterfactual c = counterfactual_try(machine, &change, seconds, &arena);

	assert_string_equal(c.words, words);
	assert_int_equal(c.verdict, verdict);
	assert_memory_equal(memory(), before, sizeof before);
	arena_free(&arena);
}

#define NOT_THERE "what would be changed is not there when it is run again"

static void try_words(struct machine *machine)
{
	struct change word = {
		.kind = CHANGE_WORD, .space = space_GLOBAL, .bytes = 4, .address = address + 8, .value_count = 2};
	struct change shared = {.kind = CHANGE_WORD,
		.space = space_SHARED,
		.bytes = 4,
		.address = 4,
		.values = {1},
		.value_count = 1,
		.group = 1};
	char words[160];

	for (uint32_t k = 0; k < 2; k++) { /* the first value that helps is the last that is tried */
		word.values[k] = 1;
		word.values[!k] = 0;
		snprintf(words, sizeof words, "with 0x%llx (buf 'memory' + 0x8) set to 1, the kernel completes",
			(unsigned long long)word.address);
		expect(machine, word, 60, COUNTERFACTUAL_WENT_ON, words);
	}
	word.values[0] = word.values[1] = 0;
	snprintf(words, sizeof words, "with 0x%llx (buf 'memory' + 0x8) set to 0, the kernel still hangs",
		(unsigned long long)word.address);
	expect(machine, word, 60, COUNTERFACTUAL_CONTRADICTED, words);
	word.address = 8; /* of no buffer */
	expect(machine, word, 60, COUNTERFACTUAL_UNTRIED, NOT_THERE);

	expect(machine, shared, 60, COUNTERFACTUAL_WENT_ON, "with shared memory + 0x4 set to 1, the kernel completes");
	shared.address = 8; /* the group has 8 bytes */
	expect(machine, shared, 60, COUNTERFACTUAL_UNTRIED, NOT_THERE);
	shared.address = 4;
	shared.group = 0; /* has ended */
	expect(machine, shared, 60, COUNTERFACTUAL_UNTRIED, NOT_THERE);
}

static void try_threads(struct machine *machine)
{
	struct change end = {.kind = CHANGE_END, .group = 1};

	for (end.thread = 31; end.thread <= THREADS; end.thread++)
		if (end.thread == 32 || end.thread == 35)
			expect(machine, end, 60, COUNTERFACTUAL_WENT_ON,
				"with the 2 threads in that loop ended and the locks of those threads released, the "
				"kernel completes");
		else
			expect(machine, end, 60, COUNTERFACTUAL_UNTRIED, NOT_THERE);
	/* The other still waits: that this one has ended proves nothing, and where chance decides no hang is proved.
	 * Thread 35 goes on where it is, whichever instruction that is: were one left out, and that the branch, it
	 * would end. */
	expect(machine, (struct change){.kind = CHANGE_ORDER, .group = 1, .thread = 32}, 60, COUNTERFACTUAL_UNTRIED,
		"with independent threads in random order, the kernel neither ended nor made progress in 16 times "
		"the time to the hang");
}

static void try_barriers(struct machine *machine)
{
	struct change barrier = {.kind = CHANGE_BARRIER, .group = 1};

	expect(machine, barrier, 60, COUNTERFACTUAL_UNTRIED, NOT_THERE); /* none waits there */
	barrier.barrier = GROUP_BARRIERS;
	expect(machine, barrier, 60, COUNTERFACTUAL_UNTRIED, NOT_THERE);
}

static void try_without_time(struct machine *machine)
{
	struct change order = {.kind = CHANGE_ORDER}; /* never proved to hang: runs until it is stopped */
	double limit = machine->gpu->explain_seconds;
	struct again *again;

	machine->gpu->explain_seconds = 0;
	expect(machine, order, 0, COUNTERFACTUAL_UNTRIED, "it was not tried (--explain-limit 0)");
	machine->gpu->explain_seconds = 60; /* which others have used up */
	expect(machine, order, 0, COUNTERFACTUAL_UNTRIED, "there was no time to try (--explain-limit)");
	machine->gpu->explain_seconds = limit;
	expect(machine, order, 1e-9, COUNTERFACTUAL_UNTRIED, "there was no time to try (--explain-limit)");
	if (machine->functional)
		return;
	again = again_begin(machine, NULL, NULL);
	again_shuffle(again, 1);
	assert_int_equal(again_run(again, (struct again_limits){.cycles = 4000000}), AGAIN_TIME_OVER);
	assert_in_range(again_elapsed(again), 1, 1000000);
	again_end(again);
}

/* What the launch itself may not exceed is no limit of a run that is to show something. */
static void try_beyond_the_limit(struct machine *machine)
{
	machine->gpu->options.max_cycles = 2;
	try_words(machine);
}

static void try_what_is_refused(struct machine *machine)
{
	struct change word = {.kind = CHANGE_WORD, .space = space_GLOBAL, .bytes = 4, .address = address};
	struct change resident = {.kind = CHANGE_RESIDENT};
	struct launch *launch = machine->launches.first;
	uint32_t per_core = launch->group.per_core;

	expect(machine, (struct change){.kind = CHANGE_NONE}, 60, COUNTERFACTUAL_UNTRIED,
		"Lockstep has no change that would test this cause");
	if (machine->independent)
		expect(machine, (struct change){.kind = CHANGE_INDEPENDENT}, 60, COUNTERFACTUAL_UNTRIED,
			"its threads are independent already");
	if (!machine->functional)
		expect(machine, (struct change){.kind = CHANGE_FAIR}, 60, COUNTERFACTUAL_UNTRIED,
			"progress models need the functional mode");
	if (!machine->model->l1_global)
		expect(machine, (struct change){.kind = CHANGE_FRESH}, 60, COUNTERFACTUAL_UNTRIED,
			"the L1 does not cache global memory");

	launch->group.per_core = 1;
	launch->total_groups = 257;
	expect(machine, resident, 60, COUNTERFACTUAL_UNTRIED,
		"a GPU on which all work-groups are resident would need too many cores");
	machine->was_interrupted = true;
	launch->total_groups = 256; /* so many a GPU can have */
	expect(machine, resident, 60, COUNTERFACTUAL_UNTRIED,
		"the program has written to memory since the launch began");
	launch->total_groups = 2;
	launch->group.per_core = per_core;
	expect(machine, word, 60, COUNTERFACTUAL_UNTRIED, "the program has written to memory since the launch began");
	machine->was_interrupted = false;
	machine->launches.ended++;
	expect(machine, word, 60, COUNTERFACTUAL_UNTRIED, "other kernels have ended since it began");
	machine->launches.ended--;
	machine->at_start.snapshot->lost = true;
	expect(machine, word, 60, COUNTERFACTUAL_UNTRIED, "the launch has written more memory than Lockstep saves");
	machine->at_start.snapshot->lost = false;
}

/* 2 groups of 40 threads, of which two have not ended. */
static void count_threads(struct machine *machine)
{
	struct change end = {.kind = CHANGE_END, .group = 1, .thread = 35};
	struct again *again = again_begin(machine, NULL, NULL);

	assert_int_equal(again_ended_on(machine), 2 * THREADS - 2);
	assert_int_equal(again_elapsed(again), 0);
	assert_int_equal(
		again_run(again, (struct again_limits){.cycles = 1, .until = again_clock() + 60}), AGAIN_LIMIT);
	assert_in_range(again_elapsed(again), 1, 5000);
	assert_int_equal(
		again_run(again, (struct again_limits){.cycles = 2000000, .until = again_clock() + 60}), AGAIN_HANGS);
	assert_int_equal(again_ended(again), 2 * THREADS - 2);
	assert_in_range(again_elapsed(again), 5001, 2000000);
	end.launch = machine->launches.first->ordinal;
	assert_true(again_end_loop(again, &end));
	assert_int_equal(again_run(again, (struct again_limits){.cycles = 4000000, .until = again_clock() + 60}),
		AGAIN_COMPLETED);
	assert_int_equal(again_ended(again), 2 * THREADS);
	again_end(again);
}

static void look(struct machine *machine, struct launch *launch, bool proved)
{
	(void)launch;
	(void)proved;
	looked++;
	looks(machine);
}

static void open_gpu(const char *const *settings, enum lockstep_mode mode, void (*how)(struct machine *machine))
{
	struct lockstep_error error;
	struct lockstep_options options = {.size = sizeof options, .gpu = "gtx480", .settings = settings, .mode = mode};

	lockstep = lockstep_open(&options, &error);
	assert_non_null(lockstep);
	lockstep->gpu.experiment.keeps_start = true;
	lockstep->gpu.explain = look;
	looks = how;
	looked = 0;
	address = lockstep_allocate(lockstep, WORDS * sizeof(uint32_t), "memory");
	memset(memory(), 0, WORDS * sizeof(uint32_t));
}

static enum lockstep_outcome run(const char *kernel, uint32_t groups, uint32_t threads)
{
	struct lockstep_error error;
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = lockstep_load(lockstep, "k.ptx", ptx, &error),
		.kernel = kernel,
		.grid = {groups, 1, 1},
		.block = {threads, 1, 1},
		.parameters = &address,
		.parameter_bytes = sizeof address};
	const struct lockstep_result *result = lockstep_run(lockstep, &launch, &error);

	assert_non_null(result);
	return result->outcome;
}

/* Twice on each GPU: the second launch begins later, with caches that are not empty. */
static void look_at_hangs(void (*how)(struct machine *machine), const char *divergence, enum lockstep_mode mode)
{
	const char *settings[] = {divergence, NULL};

	open_gpu(settings, mode, how);
	for (uint32_t k = 0; k < 2; k++) {
		assert_int_equal(run("k", 2, THREADS), LOCKSTEP_HANG);
		lockstep->gpu.options.max_cycles = 0;
	}
	assert_int_equal(looked, 2);
	lockstep_close(lockstep);
}

static void look_everywhere(void (*how)(struct machine *machine))
{
	for (uint32_t k = 0; k < 4; k++)
		look_at_hangs(how, k & 1 ? "policy.divergence=independent" : "policy.divergence=stack",
			k & 2 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING);
}

static void a_word_is_changed(void **state)
{
	(void)state;
	look_everywhere(try_words);
}

static void a_thread_is_ended(void **state)
{
	(void)state;
	look_everywhere(try_threads);
}

static void a_barrier_is_opened_only_if_some_wait_there(void **state)
{
	(void)state;
	look_everywhere(try_barriers);
}

static void there_is_an_end_to_trying(void **state)
{
	(void)state;
	look_everywhere(try_without_time);
}

static void the_limit_of_the_launch_is_not_that_of_trying(void **state)
{
	(void)state;
	look_everywhere(try_beyond_the_limit);
}

static void what_cannot_be_tried_is_refused(void **state)
{
	(void)state;
	look_everywhere(try_what_is_refused);
}

static void threads_and_cycles_are_counted(void **state)
{
	(void)state;
	look_everywhere(count_threads);
}

/* Once given back, the lock is taken, and again when it was released: the owner goes on, and does not end.  That is
 * enough where the lock is its own; a lock that is given back while its owner waits for another must let that end. */
static void try_giving_back(struct machine *machine)
{
	struct change back = {.kind = CHANGE_GIVE_BACK,
		.space = space_GLOBAL,
		.bytes = 4,
		.address = address + 8,
		.is_own = true,
		.value_count = 1};
	char words[200];

	for (uint32_t k = 0; k < 2; k++, back.is_own = false) {
		snprintf(words, sizeof words,
			"with the lock 0x%llx (buf 'memory' + 0x8) released by group (0,0,0) thread (0,0,0) %s, the "
			"kernel %s",
			(unsigned long long)back.address, k ? "while it waits" : "before it takes it again",
			k ? "still hangs" : "goes on, and hangs later");
		expect(machine, back, 60, k ? COUNTERFACTUAL_CONTRADICTED : COUNTERFACTUAL_WENT_ON, words);
	}
}

static void an_own_lock_that_is_given_back(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		open_gpu(NULL, k ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING, try_giving_back);
		assert_int_equal(run("again", 1, 1), LOCKSTEP_HANG);
		assert_int_equal(looked, 1);
		lockstep_close(lockstep);
	}
}

static void try_with_empty_caches(struct machine *machine)
{
	static const enum change_kind kinds[] = {CHANGE_RESIDENT, CHANGE_INDEPENDENT, CHANGE_FRESH, CHANGE_WORD};

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		expect(machine,
			(struct change){.kind = kinds[k],
				.space = space_GLOBAL,
				.bytes = 4,
				.address = address + 8,
				.value_count = 1},
			60, COUNTERFACTUAL_UNTRIED,
			"when it is run again from its start, with empty caches, it does not hang");
}

/* The first launch finds the L2 empty and leaves its words there, so that the second hangs.  Of a launch that is run
 * again the L2 is empty: whatever is changed says nothing. */
static void a_hang_that_needs_what_launches_left_in_caches(void **state)
{
	static const char *const settings[] = {"l2.prefill=0", NULL};

	(void)state;
	open_gpu(settings, LOCKSTEP_TIMING, try_with_empty_caches);
	assert_int_equal(run("quick", 1, 1), LOCKSTEP_COMPLETED);
	assert_int_equal(run("quick", 1, 1), LOCKSTEP_HANG);
	assert_int_equal(looked, 1);
	lockstep_close(lockstep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_is_changed),
		cmocka_unit_test(a_thread_is_ended),
		cmocka_unit_test(a_barrier_is_opened_only_if_some_wait_there),
		cmocka_unit_test(there_is_an_end_to_trying),
		cmocka_unit_test(the_limit_of_the_launch_is_not_that_of_trying),
		cmocka_unit_test(what_cannot_be_tried_is_refused),
		cmocka_unit_test(threads_and_cycles_are_counted),
		cmocka_unit_test(an_own_lock_that_is_given_back),
		cmocka_unit_test(a_hang_that_needs_what_launches_left_in_caches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
