/* What the outcome of each run of a launch that is run again comes to, by counterfactual.h: the runs themselves are
 * scripted here. */
#include "explore/counterfactual.c"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RUNS 8
#define LENGTH (2 * 262144ull) /* twice the least time in which a hang is seen */

static struct script {
	enum again_outcome outcomes[RUNS];
	uint64_t more; /* threads that have ended when it has run, beside those of the hang */
	bool further, left_waits, not_for_good;
	bool held_locks, takes_more, owner_stays, is_free;
	uint32_t ends; /* threads, by CHANGE_END */
	/* What was asked for */
	uint32_t begins, runs, shuffles;
	uint64_t cycles[RUNS], values[RUNS];
} script;

#define ENDED 5     /* threads, in the hang */
#define ELAPSED 100 /* at any moment */

double again_clock(void)
{
	return 0;
}

const char *again_refuses(const struct machine *machine)
{
	(void)machine;
	return NULL;
}

struct again *again_begin(
	struct machine *machine, void (*change)(struct gpu *gpu, struct gpu_model *model, void *context), void *context)
{
	(void)machine;
	(void)change;
	(void)context;
	script.begins++;
	return NULL;
}

void again_end(struct again *again)
{
	(void)again;
}

void again_shuffle(struct again *again, uint64_t seed)
{
	(void)again;
	(void)seed;
	script.shuffles++;
}

enum again_outcome again_run(struct again *again, struct again_limits limits)
{
	(void)again;
	assert_true(script.runs < RUNS);
	script.cycles[script.runs] = limits.cycles;
	return script.outcomes[script.runs++];
}

uint64_t again_elapsed(const struct again *again)
{
	(void)again;
	return ELAPSED;
}

uint64_t again_limit_for(const struct machine *machine)
{
	(void)machine;
	return LENGTH;
}

uint64_t again_ended(const struct again *again)
{
	(void)again;
	return ENDED + script.more;
}

uint64_t again_ended_on(const struct machine *machine)
{
	(void)machine;
	return ENDED;
}

bool again_note_waits(struct again *again, struct again_limits limits)
{
	(void)again;
	assert_int_equal(limits.cycles, ELAPSED + LENGTH / 2);
	return !script.not_for_good;
}

bool again_left_waits(struct again *again)
{
	(void)again;
	return script.left_waits;
}

bool again_first_left_waits(struct again *again)
{
	(void)again;
	return script.left_waits;
}

bool again_let_past(struct again *again, const struct queued_work *work)
{
	(void)again;
	return work->is_kernel || work->contents;
}

bool again_is_further(const struct again *again, const struct machine *machine)
{
	(void)again;
	(void)machine;
	return script.further;
}

bool again_word(struct again *again, const struct change *change, uint64_t value)
{
	(void)again;
	(void)change;
	(void)value;
	return true;
}

bool again_free_bit(struct again *again, const struct change *change)
{
	(void)again;
	(void)change;
	return script.ends;
}

bool again_end_phase(struct again *again, const struct change *change)
{
	(void)again;
	(void)change;
	return true;
}

bool again_give_registers(struct again *again, const struct change *change)
{
	(void)again;
	(void)change;
	return script.ends;
}

bool again_open_barrier(struct again *again, const struct change *change)
{
	(void)again;
	(void)change;
	return true;
}

uint32_t again_end_loop(struct again *again, const struct change *change)
{
	(void)again;
	(void)change;
	return script.ends;
}

bool again_remove_thread(struct again *again, const struct change *change, bool *held_locks)
{
	(void)again;
	(void)change;
	*held_locks = script.held_locks;
	return true;
}

bool again_has_taken_more(const struct again *again, const struct machine *machine)
{
	(void)again;
	(void)machine;
	return script.takes_more;
}

void again_release_at_end(struct again *again, const struct change *change, uint64_t value)
{
	(void)again;
	(void)change;
	script.values[script.runs] = value;
}

void again_arrive(struct again *unused, const struct change *change)
{
	(void)unused;
	(void)change;
}

void again_undo_write(struct again *again, const struct change *change)
{
	(void)again;
	(void)change;
}

bool again_was_changed(const struct again *again)
{
	(void)again;
	return !script.is_free;
}

bool again_give_back(struct again *again, const struct change *change)
{
	(void)again;
	(void)change;
	return !script.is_free;
}

bool again_owner_has_ended(const struct again *again, const struct change *change)
{
	(void)again;
	(void)change;
	return !script.owner_stays;
}

/* ---- What is tried ---- */

static bool first = true;
static uint32_t jitter; /* that the model would have */
static struct address_space space;

/* The second cannot be carried out. */
static const struct queued_work queued[] = {{.what = "kernel a", .is_kernel = true}, {.what = "a function"},
	{.what = "a copy", .contents = (const uint8_t *)"1234"}};

static void expect(struct change change, enum counterfactual_verdict verdict, const char *words)
{
	struct arena arena = {0};
	struct gpu_model model = {.l1_global = 1, .weak_jitter = jitter};
	struct launch launch = {
		.total_groups = 1, .group.per_core = 1, .values = {.grid = {1, 1, 1}, .block = {1, 1, 1}}};
	struct gpu gpu = {.host.queued = queued, .host.queued_count = 3};
	struct machine machine = {.mode = &(struct machine_mode){0},
		.model = &model,
		.space = &space,
		.is_first = first,
		.launches.first = &launch,
		.gpu = &gpu};
	launch.machine = &machine;
	struct counterfactual c = counterfactual_try(&machine, &change, 1, &arena);

	assert_string_equal(c.words, words);
	assert_int_equal(c.verdict, verdict);
	arena_free(&arena);
}

#define FRESH "without an L1 for global memory (--set l1.global=0), "
#define ORDER "with independent threads in random order, "
#define UNDECIDED(times) "the kernel neither ended nor made progress in " times "the time to the hang"

static const struct change fresh = {.kind = CHANGE_FRESH}, order = {.kind = CHANGE_ORDER};

#define SCRIPT(...) (script = (struct script){__VA_ARGS__})

static void a_run_from_the_start_is_judged(void **state)
{
	(void)state;
	SCRIPT(.outcomes = {AGAIN_COMPLETED});
	expect(fresh, COUNTERFACTUAL_WENT_ON, FRESH "the kernel completes");
	assert_int_equal(script.begins, 1);
	assert_int_equal(script.shuffles, 0);
	assert_int_equal(script.cycles[0], LENGTH);
	SCRIPT(.outcomes = {AGAIN_TIME_OVER}, .further = true);
	expect(fresh, COUNTERFACTUAL_UNTRIED, "there was no time to try (--explain-limit)");
	SCRIPT(.outcomes = {AGAIN_FAULT}, .further = true);
	expect(fresh, COUNTERFACTUAL_UNTRIED, FRESH "the kernel faults");
	/* Elsewhere perhaps, and later: that shows nothing */
	SCRIPT(.outcomes = {AGAIN_HANGS}, .more = 1, .further = true);
	expect(fresh, COUNTERFACTUAL_CONTRADICTED, FRESH "the kernel still hangs");
}

/* Twice the time of the hang, up to sixteen times. */
static void what_is_not_decided_has_more_time(void **state)
{
	(void)state;
	SCRIPT(.outcomes = {AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT});
	expect(fresh, COUNTERFACTUAL_UNTRIED, FRESH UNDECIDED("16 times "));
	assert_int_equal(script.runs, 4);
	for (uint32_t k = 0; k < 4; k++)
		assert_int_equal(script.cycles[k], LENGTH << k);
	SCRIPT(.outcomes = {AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_COMPLETED});
	expect(fresh, COUNTERFACTUAL_WENT_ON, FRESH "the kernel completes");
	assert_int_equal(script.runs, 3);
	SCRIPT(.outcomes = {AGAIN_LIMIT}, .more = 1);
	expect(fresh, COUNTERFACTUAL_WENT_ON, FRESH "the kernel goes on");
	assert_int_equal(script.runs, 1);
	SCRIPT(.outcomes = {AGAIN_LIMIT}, .further = true);
	expect(fresh, COUNTERFACTUAL_WENT_ON, FRESH "the kernel goes on");
	assert_int_equal(script.runs, 1);
	/* What waits there has been left is not asked: that is for changes at the hang */
	SCRIPT(.outcomes = {AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT}, .left_waits = true);
	expect(fresh, COUNTERFACTUAL_UNTRIED, FRESH UNDECIDED("16 times "));
}

/* By chance threads may end before it hangs again: only that it completes shows something.  Then the thread is removed
 * at the hang. */
static void another_order_must_complete(void **state)
{
	(void)state;
	SCRIPT(.outcomes = {AGAIN_COMPLETED});
	expect(order, COUNTERFACTUAL_WENT_ON, ORDER "the kernel completes");
	assert_int_equal(script.runs, 1);
	assert_int_equal(script.shuffles, 1);
	SCRIPT(.outcomes = {AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_HANGS, AGAIN_HANGS}, .more = 1,
		.further = true);
	expect(order, COUNTERFACTUAL_UNTRIED,
		ORDER UNDECIDED("16 times ")); /* the one that was taken away has ended, no other */
	assert_int_equal(script.runs, 6);
	assert_int_equal(script.shuffles, 1);
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS, AGAIN_HANGS}, .more = 2);
	expect(order, COUNTERFACTUAL_WENT_ON,
		"with group (0,0,0) thread (0,0,0) removed at a moment when it holds no lock, the kernel goes on, and "
		"hangs later");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS, AGAIN_COMPLETED}, .more = 2, .held_locks = true);
	expect(order, COUNTERFACTUAL_WENT_ON,
		"with group (0,0,0) thread (0,0,0) removed and its locks released, the kernel completes");
}

/* A livelock may need a machine in step, which is tried before another order; that it gets further by chance shows
 * nothing. */
static void jitter_comes_before_another_order(void **state)
{
	(void)state;
	jitter = 7;
	SCRIPT(.outcomes = {AGAIN_COMPLETED});
	expect(order, COUNTERFACTUAL_WENT_ON,
		"with packet latencies that vary, as on a real GPU (--set crossbar.jitter=7), the kernel completes");
	assert_int_equal(script.runs, 1);
	assert_int_equal(script.shuffles, 0);
	SCRIPT(.outcomes = {AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_COMPLETED}, .more = 1,
		.further = true);
	expect(order, COUNTERFACTUAL_WENT_ON, ORDER "the kernel completes");
	assert_int_equal(script.runs, 5);
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_COMPLETED});
	expect(order, COUNTERFACTUAL_WENT_ON, ORDER "the kernel completes");
	jitter = 0;
}

static void a_change_at_the_hang_is_judged(void **state)
{
	const struct change end = {.kind = CHANGE_END}, phase = {.kind = CHANGE_PHASE},
			    bit = {.kind = CHANGE_BIT, .space = space_SHARED, .address = 0x24},
			    registers = {.kind = CHANGE_REGISTERS};

	(void)state;
#define END3 "with the 3 threads in that loop ended and the locks of those threads released, "
#define PHASE "with the phase of the mbarrier completed, "
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS}, .ends = 3, .more = 3);
	expect(end, COUNTERFACTUAL_UNTRIED, END3 "the kernel hangs elsewhere, too");
	assert_int_equal(script.cycles[0], LENGTH);
	assert_int_equal(script.cycles[1], ELAPSED + LENGTH / 2);
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS}, .ends = 3, .more = 4);
	expect(end, COUNTERFACTUAL_WENT_ON, END3 "the kernel goes on, and hangs later");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_COMPLETED}, .ends = 1);
	expect(bit, COUNTERFACTUAL_WENT_ON, "with the lock bit of shared memory + 0x24 freed, the kernel completes");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS}, .ends = 1, .left_waits = true);
	expect(registers, COUNTERFACTUAL_WENT_ON,
		"with as many registers in the work-group's pool as setmaxnreg.inc asks for, the kernel goes on, and "
		"hangs later");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_COMPLETED}, .ends = 0);
	expect(bit, COUNTERFACTUAL_UNTRIED, "what would be changed is not there when it is run again");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_LIMIT}, .more = 1);
	expect(phase, COUNTERFACTUAL_WENT_ON, PHASE "the kernel goes on");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_LIMIT}, .left_waits = true);
	expect(phase, COUNTERFACTUAL_WENT_ON, PHASE "the kernel goes on");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_LIMIT}, .further = true);
	expect(phase, COUNTERFACTUAL_UNTRIED, PHASE UNDECIDED(""));
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_FAULT}, .left_waits = true);
	expect(phase, COUNTERFACTUAL_UNTRIED, PHASE "the kernel faults");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_COMPLETED}, .not_for_good = true);
	expect(phase, COUNTERFACTUAL_UNTRIED, "when it is run again from its start, the hang is not permanent");
	assert_int_equal(script.runs, 1);
	SCRIPT(.outcomes = {AGAIN_LIMIT, AGAIN_COMPLETED});
	expect(phase, COUNTERFACTUAL_UNTRIED,
		"when it is run again from its start, with empty caches, it does not hang");
	SCRIPT(.outcomes = {AGAIN_TIME_OVER, AGAIN_COMPLETED});
	expect(phase, COUNTERFACTUAL_UNTRIED, "there was no time to try (--explain-limit)");
}

/* The owner ended without releasing it: the values that a free lock may have are tried one after the other. */
static void a_release_that_was_missed_is_judged(void **state)
{
	const struct change release = {.kind = CHANGE_RELEASE,
		.space = space_SHARED,
		.bytes = 4,
		.address = 8,
		.values = {7, 0},
		.value_count = 2};

	(void)state;
#define RELEASED "with the lock shared memory + 0x8 released at the end of group (0,0,0) thread (0,0,0), "
	SCRIPT(.outcomes = {AGAIN_COMPLETED});
	expect(release, COUNTERFACTUAL_WENT_ON, RELEASED "the kernel completes");
	assert_int_equal(script.runs, 1);
	assert_int_equal(script.values[0], 7);
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_COMPLETED});
	expect(release, COUNTERFACTUAL_WENT_ON, RELEASED "the kernel completes");
	assert_int_equal(script.values[1], 0);
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS});
	expect(release, COUNTERFACTUAL_CONTRADICTED, RELEASED "the kernel still hangs");
	SCRIPT(.outcomes = {AGAIN_HANGS}, .takes_more = true);
	expect(release, COUNTERFACTUAL_WENT_ON, RELEASED "the kernel goes on, and hangs later");
	SCRIPT(.outcomes = {AGAIN_HANGS}, .more = 1);
	expect(release, COUNTERFACTUAL_WENT_ON, RELEASED "the kernel goes on, and hangs later");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS}, .is_free = true);
	expect(release, COUNTERFACTUAL_UNTRIED, "the lock was free at its owner's end when the kernel was run again");
}

/* The awaited value was overwritten: where the write cannot be undone nothing is shown. */
static void a_write_that_is_undone_is_judged(void **state)
{
	const struct change undo = {.kind = CHANGE_UNDO,
		.space = space_SHARED,
		.bytes = 4,
		.address = 8,
		.values = {4, 0},
		.value_count = 2};

	(void)state;
#define UNDONE "with shared memory + 0x8 left at 4 when 0 would overwrite that, "
	SCRIPT(.outcomes = {AGAIN_COMPLETED});
	expect(undo, COUNTERFACTUAL_WENT_ON, UNDONE "the kernel completes");
	assert_int_equal(script.runs, 1);
	SCRIPT(.outcomes = {AGAIN_HANGS}, .more = 1);
	expect(undo, COUNTERFACTUAL_WENT_ON, UNDONE "the kernel goes on, and hangs later");
	SCRIPT(.outcomes = {AGAIN_HANGS});
	expect(undo, COUNTERFACTUAL_CONTRADICTED, UNDONE "the kernel still hangs");
	SCRIPT(.outcomes = {AGAIN_HANGS}, .is_free = true);
	expect(undo, COUNTERFACTUAL_UNTRIED,
		"the word did not keep the overwriting value long enough for that to be undone");
}

/* The owner of a lock waits for another: that those go on which wait for the lock does not suffice. */
static void a_lock_that_is_given_back_is_judged(void **state)
{
	struct change give = {.kind = CHANGE_GIVE_BACK, .space = space_SHARED, .bytes = 4, .value_count = 1};

	(void)state;
#define GIVEN_BACK "with the lock shared memory + 0x0 released by group (0,0,0) thread (0,0,0) "
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_COMPLETED});
	expect(give, COUNTERFACTUAL_WENT_ON, GIVEN_BACK "while it waits, the kernel completes");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS}, .more = 1, .left_waits = true, .owner_stays = true);
	expect(give, COUNTERFACTUAL_CONTRADICTED, GIVEN_BACK "while it waits, the kernel still hangs");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_LIMIT, AGAIN_HANGS});
	expect(give, COUNTERFACTUAL_WENT_ON, GIVEN_BACK "while it waits, the kernel goes on");
	/* sixteen times as long at most */
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT, AGAIN_LIMIT},
		.owner_stays = true);
	expect(give, COUNTERFACTUAL_UNTRIED, GIVEN_BACK "while it waits, " UNDECIDED("16 times "));
	assert_int_equal(script.runs, 6);
	assert_int_equal(script.cycles[5], ELAPSED + 16 * LENGTH / 2);
	give.is_own = true;
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS}, .left_waits = true, .owner_stays = true);
	expect(give, COUNTERFACTUAL_WENT_ON,
		GIVEN_BACK "before it takes it again, the kernel goes on, and hangs later");
}

/* One thing after another, until one helps: what it does itself is no progress. */
static void what_is_queued_is_let_past(void **state)
{
	const struct change all = {.kind = CHANGE_QUEUED, .values = {0, 1, 2}, .value_count = 3},
			    function = {.kind = CHANGE_QUEUED, .values = {1}, .value_count = 1};

	(void)state;
#define PAST(what) "with " what " run concurrently with it, "
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_COMPLETED});
	expect(all, COUNTERFACTUAL_WENT_ON, PAST("kernel a") "the kernel completes");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS, AGAIN_COMPLETED}, .more = 9);
	expect(all, COUNTERFACTUAL_WENT_ON, PAST("a copy") "the kernel completes");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS, AGAIN_HANGS}, .more = 9);
	expect(all, COUNTERFACTUAL_CONTRADICTED, PAST("a copy") "the kernel still hangs");
	SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_HANGS}, .left_waits = true);
	expect(all, COUNTERFACTUAL_WENT_ON, PAST("kernel a") "the kernel goes on, and hangs later");
	SCRIPT(.outcomes = {AGAIN_HANGS});
	expect(function, COUNTERFACTUAL_UNTRIED, "the queued work cannot run concurrently with it");
}

/* As caches did not begin empty, or the host may have written meanwhile. */
static void what_began_otherwise_must_hang_unchanged(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		first = k;
		space.host_writes = k;
		SCRIPT(.outcomes = {AGAIN_HANGS, AGAIN_COMPLETED});
		expect(fresh, COUNTERFACTUAL_WENT_ON, FRESH "the kernel completes");
		assert_int_equal(script.begins, 2);
		SCRIPT(.outcomes = {AGAIN_COMPLETED, AGAIN_COMPLETED});
		expect(fresh, COUNTERFACTUAL_UNTRIED,
			"when it is run again from its start, with empty caches, it does not hang");
		assert_int_equal(script.begins, 1);
	}
	first = true;
	space.host_writes = 0;
}

/* ---- What is changed ---- */

static void each_change_is_made_to_the_gpu_alone(void **state)
{
	const uint32_t fields[1] = {0};
	struct diagnostic diagnostic = {0};
	struct launch second = {.total_groups = 5, .group.per_core = 2},
		      launch = {.total_groups = 4, .group.per_core = 2, .next = &second};
	struct gpu_model model = {.core_count = 1, .lesser_cores = 1, .concurrent_kernels = 2, .l1_global = 1};
	struct machine machine = {.model = &model, .launches.first = &launch};
	struct change change = {.kind = CHANGE_RESIDENT};
	struct experiment x = {.machine = &machine, .change = &change};
	struct gpu gpu = {
		.options.seed = 1, .scheduler_fields = fields, .dispatch = dispatch_find("in-order", &diagnostic)};

	(void)state;
	launch.machine = second.machine = &machine;
	change.kind = CHANGE_INDEPENDENT;
	change_gpu(&gpu, &model, &x);
	assert_string_equal(model.divergence, "independent");
	assert_ptr_equal(gpu.divergence, divergence_find("independent", &diagnostic));
	assert_int_equal(model.core_count, 1);
	assert_int_equal(model.concurrent_kernels, 2);

	change.kind = CHANGE_RESIDENT;
	gpu.divergence = NULL;
	change_gpu(&gpu, &model, &x);
	assert_null(gpu.divergence);
	assert_int_equal(model.core_count, 2 + 3);
	assert_int_equal(model.lesser_cores, 0);
	assert_int_equal(model.concurrent_kernels, UINT32_MAX);
	assert_int_equal(model.l1_global, 1);

	change.kind = CHANGE_FRESH;
	assert_null(refuses(&x));
	change_gpu(&gpu, &model, &x);
	assert_int_equal(model.l1_global, 0);
	assert_string_equal(refuses(&x), "the L1 does not cache global memory");
	assert_ptr_equal(gpu.scheduler_fields, fields);
	assert_int_equal(gpu.options.seed, 1);

	change.kind = CHANGE_BITS; /* every word of shared memory has its own */
	model.core_shared = 49152;
	change_gpu(&gpu, &model, &x);
	assert_int_equal(model.shared_lock_bits, 12288);

	change.kind = CHANGE_ORDER;
	change_gpu(&gpu, &model, &x);
	assert_int_not_equal(gpu.options.seed, 1);
	assert_null(gpu.scheduler_fields); /* they were another scheduler's */
	assert_string_equal(model.divergence, "independent");
	assert_ptr_equal(gpu.divergence, divergence_find("independent", &diagnostic));
	assert_string_equal(model.scheduler, "random");
	assert_ptr_equal(gpu.scheduler, scheduler_find("random", &diagnostic));
	assert_null(model.dispatch);

	change.kind = CHANGE_FAIR;
	gpu.schedule_list = (const struct schedule_list *)(const void *)&fields;
	change_gpu(&gpu, &model, &x);
	assert_string_equal(model.dispatch, "fair");
	assert_ptr_equal(gpu.dispatch, dispatch_find("fair", &diagnostic));
	assert_null(gpu.schedule_list);
	assert_int_equal(model.crossbar_jitter, 0);
	change.kind = CHANGE_JITTER;
	model.weak_jitter = 40;
	change_gpu(&gpu, &model, &x);
	assert_int_equal(model.crossbar_jitter, 40);
	change.kind = CHANGE_ORDER; /* no progress model's turns then */
	gpu.schedule_list = (const struct schedule_list *)(const void *)&fields;
	change_gpu(&gpu, &model, &x);
	assert_string_equal(model.dispatch, "in-order");
	assert_ptr_equal(gpu.dispatch, dispatch_find("in-order", &diagnostic));
	assert_null(gpu.schedule_list);
}

static void a_word_has_the_name_of_its_buffer_if_that_has_one(void **state)
{
	struct arena arena = {0};
	struct address_space memory;
	char words[100];

	(void)state;
	space_create(&memory, &arena, 1 << 20, LINE_BYTES, true);
	for (uint32_t k = 0; k < 2; k++) {
		uint64_t address = space_allocate(&memory, 64, k ? "flags" : NULL) + 12;
		struct change change = {.kind = CHANGE_WORD, .space = space_GLOBAL, .bytes = 4, .address = address};
		struct machine machine = {.space = &memory};
		struct experiment x = {.machine = &machine, .change = &change, .arena = &arena};

		snprintf(words, sizeof words, "0x%llx%s", (unsigned long long)address, k ? " (buf 'flags' + 0xc)" : "");
		assert_string_equal(the_word(&x), words);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_from_the_start_is_judged),
		cmocka_unit_test(what_is_not_decided_has_more_time),
		cmocka_unit_test(another_order_must_complete),
		cmocka_unit_test(jitter_comes_before_another_order),
		cmocka_unit_test(a_change_at_the_hang_is_judged),
		cmocka_unit_test(a_release_that_was_missed_is_judged),
		cmocka_unit_test(a_lock_that_is_given_back_is_judged),
		cmocka_unit_test(a_write_that_is_undone_is_judged),
		cmocka_unit_test(what_is_queued_is_let_past),
		cmocka_unit_test(what_began_otherwise_must_hang_unchanged),
		cmocka_unit_test(each_change_is_made_to_the_gpu_alone),
		cmocka_unit_test(a_word_has_the_name_of_its_buffer_if_that_has_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
