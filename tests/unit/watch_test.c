/* Hang detection over time (machine/observe/watch.h): when windows are opened and closed, and what a suspicion rests
 * on. The rules are those at the top of watch.c and of watch.h: looks are 4,096 cycles apart, and after each window
 * that showed nothing twice as far, up to an eighth of hang_after; a window is given up after 256 backward branches of
 * a warp, next time twice as many, or after 16,384 cycles, next time twice as many; whatever ends brings the pause back
 * to 4,096.  All is on one core, where nothing is looked at but between quanta of 66 cycles. */
#include "machine/observe/watch.h"

#include "api/api.h" /* the parts that only the simulator sees */
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define PAUSE 4096u
#define LONGEST_PAUSE 65536u
#define HANG_AFTER (8 * LONGEST_PAUSE)
#define SLACK 200u /* two quanta, and an iteration */
#define WINDOWS 64

/* WORKS counts `times` down and looks at nothing, SPINS waits for a word that nobody sets, CLOCKS reads the clock so
 * often. */
#define HEAD                                                                                                           \
	"(.param .u64 memory, .param .u32 times) {\n"                                                                  \
	" .reg .b64 %a; .reg .b32 %v, %n, %t, %g; .reg .pred %p, %q;\n"                                                \
	" ld.param.u64 %a, [memory]; ld.param.u32 %n, [times]; mov.u32 %t, %tid.x; mov.u32 %g, %ctaid.x;\n"
#define WORKS "work: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra work;\n"
#define CLOCKS "ask: mov.u32 %v, %clock; add.u32 %v, %v, %n; sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra ask;\n"
#define SPINS "spin: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra spin; ret;\n}\n"

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	/* does not come back to the same state */
	".visible .entry counts_tries" HEAD "try: ld.volatile.global.u32 %v, [%a]; add.u32 %n, %n, 1;\n"
	" setp.eq.u32 %p, %v, 0; @%p bra try; st.global.u32 [%a+4], %n; ret;\n}\n"
	".visible .entry works_and_spins" HEAD WORKS SPINS ".visible .entry spins" HEAD SPINS
	".visible .entry works" HEAD WORKS " ret;\n}\n"
	/* group 0 works, then group 1 spins: there is room for one */
	".visible .entry one_by_one" HEAD " setp.ne.u32 %q, %g, 0; @%q bra spin;\n" WORKS " ret;\n" SPINS
	/* warp 0 spins, warp 1 does something else first and ends */
	".visible .entry beside_work" HEAD " setp.lt.u32 %q, %t, 32; @%q bra spin;\n" WORKS " ret;\n" SPINS
	".visible .entry beside_clock" HEAD " setp.lt.u32 %q, %t, 32; @%q bra spin;\n" CLOCKS " ret;\n" SPINS;

static struct lockstep *gpu;
static struct lockstep_module *module;
static uint64_t memory;

/* ---- The windows, as they are seen between quanta ---- */

static struct {
	uint64_t opened, closed;
} windows[WINDOWS];
static uint32_t count;
static bool is_open;

static void look(void *context)
{
	const struct machine *machine = gpu->gpu.machine;
	uint64_t now;
	(void)context;
	if (!machine || (watch_of(&machine->cores.at[0]) != NULL) == is_open || count == WINDOWS)
		return;
	now = machine->functional ? machine->rounds * 64 : machine->time.cycle - machine->time.start;
	is_open = !is_open;
	if (is_open)
		windows[count].opened = now;
	else
		windows[count++].closed = now;
}

static void open_gpu(const struct lockstep_options *more)
{
	static const char *const settings[] = {"core.count=1", "core.groups=1", "policy.divergence=stack", NULL};
	struct lockstep_error error = {0};
	struct lockstep_options options = *more;
	options.settings = settings;
	options.explain_limit = LOCKSTEP_EXPLAIN_NEVER;
	gpu = lockstep_open(&options, &error);
	assert_string_equal(error.message, "");
	module = lockstep_load(gpu, "watch.ptx", ptx, &error);
	assert_string_equal(error.message, "");
	memory = lockstep_allocate(gpu, 64, "memory");
	gpu->gpu.experiment.between = look;
	memset(windows, 0, sizeof windows);
	count = 0;
	is_open = false;
}

static const struct lockstep_result *run(const char *kernel, uint32_t groups, uint32_t threads, uint32_t times)
{
	struct lockstep_error error = {0};
	struct {
		uint64_t memory;
		uint32_t times;
	} parameters = {.memory = memory, .times = times};
	const struct lockstep_result *result = lockstep_run(gpu,
		&(struct lockstep_launch){.size = sizeof(struct lockstep_launch),
			.module = module,
			.kernel = kernel,
			.grid = {groups, 1, 1},
			.block = {threads, 1, 1},
			.parameters = &parameters,
			.parameter_bytes = 12},
		&error);
	assert_string_equal(error.message, "");
	return result;
}

/* ---- When it is looked ---- */

static void expect_about(uint64_t cycles, uint64_t expected)
{
	assert_in_range(cycles, expected, expected + SLACK);
}

/* The pause behind the k-th window. */
static uint64_t pause_after(uint32_t k)
{
	uint64_t pause = (uint64_t)PAUSE << (k + 1);
	return pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE;
}

static void expect_pauses(void)
{
	expect_about(windows[0].opened, 2 * PAUSE); /* at the first look the launch has just begun */
	for (uint32_t k = 0; k + 1 < count; k++)
		expect_about(windows[k + 1].opened - windows[k].closed, pause_after(k));
}

/* One window is enough for a warp that goes round. */
static void a_warp_that_spins(void **state)
{
	const struct lockstep_result *result;
	(void)state;
	open_gpu(&(struct lockstep_options){.size = sizeof(struct lockstep_options), .hang_after = HANG_AFTER});
	result = run("spins", 1, 1, 0);
	assert_int_equal(result->outcome, LOCKSTEP_HANG);
	assert_int_equal(count, 0);
	assert_true(is_open);
	expect_about(windows[0].opened, 2 * PAUSE);
	assert_in_range(result->cycles, windows[0].opened, windows[0].opened + PAUSE);
	lockstep_close(gpu);
}

/* A warp that works: an iteration takes the same time each, so what a limit of branches takes is known after the first
 * window. */
static void expect_lengths(uint64_t round)
{
	uint64_t limit = 256, span = 16384, first = (windows[0].closed - windows[0].opened) / limit;
	for (uint32_t k = 0; k < count; k++) {
		uint64_t length = windows[k].closed - windows[k].opened, branches = limit * first;
		bool short_of_span = branches <= span;
		if (short_of_span)
			assert_in_range(length, branches - round, branches + branches / 16 + SLACK);
		else
			expect_about(length, span);
		limit = short_of_span && limit < 1 << 20 ? limit * 2 : limit;
		span = short_of_span ? span : span * 2;
	}
}

static void a_warp_that_works(void **state)
{
	(void)state;
	open_gpu(&(struct lockstep_options){.size = sizeof(struct lockstep_options), .hang_after = HANG_AFTER});
	assert_int_equal(run("works", 1, 1, 20000)->outcome, LOCKSTEP_COMPLETED);
	assert_in_range(count, 6, 8);
	expect_pauses();
	expect_lengths(0);
	lockstep_close(gpu);
}

/* In functional mode a round of turns counts as 64 cycles. */
static void work_in_functional_mode(void **state)
{
	(void)state;
	open_gpu(&(struct lockstep_options){
		.size = sizeof(struct lockstep_options), .hang_after = HANG_AFTER, .mode = LOCKSTEP_FUNCTIONAL});
	assert_int_equal(run("works", 1, 1, 1000000)->outcome, LOCKSTEP_COMPLETED);
	assert_int_equal(windows[0].opened, 2 * PAUSE);
	assert_in_range(count, 10, 20);
	expect_pauses();
	lockstep_close(gpu);
}

/* At the next look after a group, or a thread, has ended, nothing is done but to look again soon. */
static void what_ends_brings_back_the_first_pause(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		open_gpu(&(struct lockstep_options){.size = sizeof(struct lockstep_options), .hang_after = HANG_AFTER});
		if (k)
			run("beside_work", 1, 64, 10000);
		else
			run("one_by_one", 2, 1, 10000);
		assert_true(is_open && count >= 4);
		expect_pauses();
		expect_about(windows[count].opened, windows[count - 1].closed + pause_after(count - 1) + PAUSE);
		lockstep_close(gpu);
	}
}

/* What is stuck may go on when the host has written something; if it has not, that is seen after a pause that begins
 * anew. */
static void what_is_stuck_goes_on(void **state)
{
	struct lockstep_error error = {0};
	struct {
		uint64_t memory;
		uint32_t times;
	} parameters = {.times = 2000};
	uint64_t stuck;
	(void)state;
	open_gpu(&(struct lockstep_options){
		.size = sizeof(struct lockstep_options), .hang_after = HANG_AFTER, .pause_when_stuck = true});
	parameters.memory = memory;
	assert_true(lockstep_start(gpu,
		&(struct lockstep_launch){.size = sizeof(struct lockstep_launch),
			.module = module,
			.kernel = "works_and_spins",
			.grid = {1, 1, 1},
			.block = {1, 1, 1},
			.parameters = &parameters,
			.parameter_bytes = 12},
		&error));
	assert_null(lockstep_finish(gpu));
	assert_true(lockstep_is_stuck(gpu));
	assert_true(count >= 2); /* windows have failed */
	stuck = gpu->gpu.machine->time.cycle;
	assert_null(lockstep_finish(gpu));
	assert_true(lockstep_is_stuck(gpu));
	assert_in_range(gpu->gpu.machine->time.cycle - stuck, PAUSE, 2 * PAUSE);
	*(uint32_t *)lockstep_map(gpu, memory, 4) = 1;
	assert_int_equal(lockstep_finish(gpu)->outcome, LOCKSTEP_COMPLETED);
	lockstep_close(gpu);
}

/* ---- Suspicions ---- */

static struct watch_quiet quiet;
static bool was_proved, asked_host;

static void explain(struct machine *machine, struct launch *launch, bool proved)
{
	(void)launch;
	quiet = watch_quiet(machine);
	was_proved = proved;
	asked_host = watch_asked_host(machine);
}

static void suspect(const struct lockstep_options *options, const char *kernel, uint32_t threads, uint32_t times)
{
	open_gpu(options);
	gpu->gpu.explain = explain;
	lockstep_expect_host_writes(gpu, memory);
	was_proved = true;
	assert_int_equal(run(kernel, 1, threads, times)->outcome, LOCKSTEP_HANG);
	assert_false(was_proved);
	lockstep_close(gpu);
}

/* The host may write the word, so nothing is proved.  After hang_after cycles in which no more was done than to look,
 * of which the first look was the start, a hang is suspected: at a look. */
static void by_cycles(void **state)
{
	(void)state;
	suspect(&(struct lockstep_options){.size = sizeof(struct lockstep_options), .hang_after = HANG_AFTER}, "spins",
		1, 0);
	assert_true(asked_host);
	assert_in_range(quiet.cycles, HANG_AFTER, HANG_AFTER + LONGEST_PAUSE + PAUSE);
	expect_pauses();
	expect_about(quiet.cycles + PAUSE + SLACK / 2, windows[count - 1].closed + pause_after(count - 1));
	assert_true(quiet.instructions < WATCH_LEAST_WORK);
}

/* Or after as many instructions, each of which counts for twelve cycles. */
static void by_instructions(void **state)
{
	const struct lockstep_options options = {
		.size = sizeof options, .hang_after = 18 * WATCH_LEAST_WORK, .mode = LOCKSTEP_FUNCTIONAL};
	(void)state;
	suspect(&options, "spins", 1, 0);
	assert_in_range(quiet.instructions, options.hang_after / WATCH_CYCLES_PER_LOOK, 3 * WATCH_LEAST_WORK);
	assert_true(quiet.cycles < options.hang_after);
	suspect(
		&(struct lockstep_options){
			.size = sizeof(struct lockstep_options), .hang_after = 1, .mode = LOCKSTEP_FUNCTIONAL},
		"spins", 1, 0);
	assert_true(quiet.cycles >= 1 && count >= 4); /* never before four windows have shown nothing */
}

/* A loop that only looks, though it counts how often, is no work. */
static void a_count_of_attempts(void **state)
{
	(void)state;
	open_gpu(&(struct lockstep_options){
		.size = sizeof(struct lockstep_options), .hang_after = HANG_AFTER, .max_cycles = 4 * HANG_AFTER});
	gpu->gpu.explain = explain;
	was_proved = true;
	assert_int_equal(run("counts_tries", 1, 1, 0)->outcome, LOCKSTEP_HANG);
	assert_false(was_proved);
	assert_false(asked_host);
	assert_in_range(quiet.cycles, HANG_AFTER, 2 * HANG_AFTER);
	lockstep_close(gpu);
}

/* Four windows must have shown nothing since something ended, whatever was seen before: when the warp beside it ends,
 * three have, and the suspicion comes after five pauses more. */
static void after_four_windows(void **state)
{
	(void)state;
	suspect(&(struct lockstep_options){.size = sizeof(struct lockstep_options), .hang_after = 1}, "beside_work", 64,
		1700);
	assert_in_range(quiet.cycles, (1 + 2 + 4 + 8 + 16) * PAUSE, (1 + 2 + 4 + 8 + 16) * PAUSE + 5 * SLACK);
	assert_int_equal(count, 3 + 4);
}

/* What reads a clock gets there by cycles.  When the warp that does has ended, nothing is left of that. */
static void of_clocks(void **state)
{
	const struct lockstep_options options = {
		.size = sizeof options, .hang_after = 18 * WATCH_LEAST_WORK, .mode = LOCKSTEP_FUNCTIONAL};
	(void)state;
	suspect(&options, "beside_clock", 64, UINT32_MAX);
	assert_true(quiet.cycles >= options.hang_after);
	suspect(&options, "beside_clock", 64, 100000);
	assert_true(quiet.cycles < options.hang_after);
	assert_in_range(quiet.instructions, options.hang_after / WATCH_CYCLES_PER_LOOK, 3 * WATCH_LEAST_WORK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_warp_that_spins),
		cmocka_unit_test(a_warp_that_works),
		cmocka_unit_test(work_in_functional_mode),
		cmocka_unit_test(what_ends_brings_back_the_first_pause),
		cmocka_unit_test(what_is_stuck_goes_on),
		cmocka_unit_test(by_cycles),
		cmocka_unit_test(by_instructions),
		cmocka_unit_test(a_count_of_attempts),
		cmocka_unit_test(after_four_windows),
		cmocka_unit_test(of_clocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
