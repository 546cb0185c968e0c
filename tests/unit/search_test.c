/* All schedules of small kernels (machine/progress/search.h).  The states of each, and the ways between them, are
 * worked out by hand in the comments: a state is named by its groups in order, U has not started, D is done, and / is
 * followed by what is in memory.  A step is one access to memory and what follows up to the next.  A walk goes on with
 * the lowest group whose step from where it is is not known, ends where all are, and the next begins at the oldest
 * state that has such a step: so the numbers of states and walks, and the schedules, do not depend on the machine. */
#include "machine/progress/search.h"

#include "api/api.h" /* the parts that only the simulator sees */
#include "machine/gpu/launches.h"
#include "machine/progress/progress.h"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 64

/* %a is the memory, %g the group. */
#define BEGIN                                                                                                          \
	" .reg .b64 %a, %b, %h, %s; .reg .b32 %v, %g, %m; .reg .pred %p, %q;\n"                                        \
	" ld.param.u64 %a, [memory]; mov.u32 %g, %ctaid.x;\n"
/* Group 1 goes to `sets`, those above it store each a word of their own, and group 0 goes on. */
#define ONE_SETS                                                                                                       \
	" setp.eq.u32 %q, %g, 1; @%q bra sets; setp.gt.u32 %q, %g, 1; @!%q bra zero;\n"                                \
	" mad.wide.u32 %b, %g, 4, %a; st.volatile.global.u32 [%b], 1; ret;\n"                                          \
	"sets: st.volatile.global.u32 [%a], 1; ret;\n"                                                                 \
	"zero:\n"
#define LOOK " ld.volatile.global.u32 %v, [%a]; setp.ne.u32 %p, %v, 0;"

static const char *const kernels[][2] = {
	{"store", BEGIN " mad.wide.u32 %b, %g, 4, %a; st.volatile.global.u32 [%b], 1; ret;\n"},
	{"wait", BEGIN ONE_SETS "again:" LOOK " @!%p bra again; ret;\n"},
	{"mutex", BEGIN "again: atom.global.exch.b32 %v, [%a], 1; setp.ne.u32 %p, %v, 0; @%p bra again;\n"
			" st.volatile.global.u32 [%a], 0; ret;\n"},
	{"early", BEGIN ONE_SETS LOOK " @%p bra spin;\n" LOOK " @%p bra spin;\n" LOOK " @%p bra spin;\n"
				      "spin:" LOOK " bra spin;\n"},
	{"leaves", BEGIN ONE_SETS " .shared .b32 box;\n" LOOK " st.shared.u32 [box], %v; ret;\n"},
	{"dead", BEGIN " bar.sync 0, 64; ret;\n"},
	{"fault", BEGIN " setp.eq.u32 %q, %g, 1; @%q bra looks; st.volatile.global.u32 [%a], 1; ret;\n"
			"looks:" LOOK " mov.u64 %b, 8; @!%p st.volatile.global.u32 [%b], 1; ret;\n"},
	{"toggle", BEGIN "again: red.global.xor.b32 [%a], 1; bra again;\n"},
	{"back", BEGIN " ld.volatile.global.u32 %v, [%a+4];\n"
		       "again: atom.global.exch.b32 %v, [%a], 1; atom.global.exch.b32 %v, [%a], 0; bra again;\n"},
	{"last_slot", " .reg .b32 %g; .reg .pred %p;\n"
		      "again: mov.u32 %g, %ctaid.x; setp.eq.u32 %p, %g, 0; mov.u32 %g, 0; @%p ret;\n"
		      " mov.u32 %g, 0; mov.u32 %g, 0; mov.u32 %g, 0; bra again;\n"},
	{"clock", BEGIN " st.volatile.global.u32 [%a], 1; mov.u32 %v, %clock; mov.u32 %v, 0;\n"
			" st.volatile.global.u32 [%a], 2; st.volatile.global.u32 [%a], 3; ret;\n"},
	{"clock_last", BEGIN " st.volatile.global.u32 [%a], 1; mov.u32 %v, %clock; ret;\n"},
	{"timed",
		BEGIN " .shared .b64 bar; mbarrier.init.shared.b64 [bar], 2;\n"
		      " mbarrier.try_wait.parity.shared.b64 %p, [bar], 0, 100; st.volatile.global.u32 [%a], 1; ret;\n"},
	{"takes", BEGIN " mov.u64 %s, 48; { .param .b64 r; .param .b64 s; st.param.b64 [s], %s;\n"
			" call (r), malloc, (s); ld.param.b64 %h, [r]; }\n"
			" st.volatile.global.u32 [%a], 1; st.volatile.global.u32 [%h], 1; ret;\n"},
	{"late", BEGIN " mov.u32 %m, %nctaid.x; sub.u32 %m, %m, 1; setp.eq.u32 %q, %g, %m; @%q bra last;\n"
		       " mad.wide.u32 %b, %g, 4, %a; st.volatile.global.u32 [%b], 1; ret;\n"
		       "last: ld.volatile.global.v2.u32 {%v, %m}, [%a]; setp.ne.u32 %p, %v, 0; @%p ret;\n"
		       " setp.eq.u32 %p, %m, 0; @%p ret;\n"
		       "again: ld.volatile.global.u32 %v, [%a]; bra again;\n"},
	{"handed", BEGIN " setp.eq.u32 %q, %g, 0; @%q bra start;\n"
			 "wait: ld.relaxed.gpu.global.u32 %v, [%a+16]; setp.eq.u32 %p, %v, 0; @%p bra wait;\n"
			 " setp.eq.u32 %q, %g, 1; @%q bra one; bra two;\n"
			 "start: st.relaxed.gpu.global.u32 [%a+16], 1;\n"
			 "zero: ld.acquire.gpu.global.u32 %v, [%a+12]; setp.eq.u32 %p, %v, 0; @%p bra zero;\n"
			 " ld.global.u32 %v, [%a]; ret;\n"
			 "one: st.global.u32 [%a], 0; atom.release.gpu.global.or.b32 %v, [%a+4], 0;\n"
			 " st.relaxed.gpu.global.u32 [%a+8], 1; ret;\n"
			 "two: atom.acquire.gpu.global.or.b32 %v, [%a+4], 0;\n"
			 "look: ld.relaxed.gpu.global.u32 %v, [%a+8]; setp.eq.u32 %p, %v, 0; @%p bra look;\n"
			 " st.release.gpu.global.u32 [%a+12], 1; ret;\n"},
	{"both", BEGIN " st.global.u32 [%a], %g; mad.wide.u32 %b, %g, 4, %a;\n"
		       " st.volatile.global.u32 [%b+4], 1; st.volatile.global.u32 [%b+4], 2; ret;\n"},
	{"store_one", BEGIN " st.global.u32 [%a], %g; ret;\n"},
	{"copies", BEGIN " .shared .align 16 .b8 box[16]; mov.u32 %g, 0;\n"
			 "again: cp.async.ca.shared.global [box], [%a], 4; add.u32 %g, %g, 1; setp.lt.u32 %p, %g, 9;\n"
			 " @%p bra again; cp.async.wait_all; ret;\n"},
	{"one_copy", BEGIN " .shared .align 16 .b8 box[16]; cp.async.ca.shared.global [box], [%a], 4;\n"
			   " cp.async.wait_all; ret;\n"},
	{"own_words", BEGIN " mov.u32 %m, %tid.x; mad.wide.u32 %b, %m, 4, %a;\n"
			    " st.volatile.global.u32 [%b], 1; st.volatile.global.u32 [%b], 2; ret;\n"},
	{"warps_wait", BEGIN " mov.u32 %m, %tid.x; setp.ge.u32 %q, %m, 32; @%q bra again;\n"
			     " st.volatile.global.u32 [%a], 1; ret; again:" LOOK " @!%p bra again; ret;\n"},
	{"ends", " ret;\n"},
	{"counts", BEGIN " setp.ne.u32 %q, %g, 0; @%q bra one; st.volatile.global.u32 [%a], 1; ret;\n"
			 "one: mov.u32 %g, 0;" LOOK " @%p ret;\n"
			 "again: add.u32 %g, %g, 1; ld.volatile.global.u32 %v, [%a+4]; bra again;\n"},
};

static struct lockstep *gpu;
static struct lockstep_module *module;
static uint64_t memory;
static uint32_t words[WORDS]; /* of memory, before and after */
static struct arena arena;
static struct search_outcome outcome;

/* All of them as one text. */
static const char *source(void)
{
	static char text[16384];
	size_t at = (size_t)snprintf(text, sizeof text,
		".version 7.0\n.target sm_80\n.address_size 64\n"
		".extern .func (.param .b64 r) malloc(.param .b64 s);\n");
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
		at += (size_t)snprintf(text + at, sizeof text - at, ".visible .entry %s(.param .u64 memory) {\n%s}\n",
			kernels[k][0], kernels[k][1]);
	assert_true(at < sizeof text);
	return text;
}

static void hear_progress(void *context, uint64_t cycle, uint64_t instructions, uint64_t groups, uint64_t total)
{
	(void)context;
	(void)cycle;
	(void)instructions;
	(void)groups;
	(void)total;
}

static void open_gpu(const char *model, const char *const *settings, const struct lockstep_options *more)
{
	struct lockstep_error error = {0};
	struct lockstep_options options = *more;
	options.gpu = model;
	options.settings = settings;
	options.mode = LOCKSTEP_FUNCTIONAL;
	options.explain_limit = LOCKSTEP_EXPLAIN_NEVER;
	gpu = lockstep_open(&options, &error);
	assert_string_equal(error.message, "");
	module = lockstep_load(gpu, "search.ptx", source(), &error);
	assert_string_equal(error.message, "");
	memory = lockstep_allocate(gpu, sizeof words, "memory");
	/* what the search must leave alone, and must not let the walks reach */
	gpu->gpu.options.progress = hear_progress;
	gpu->gpu.observe[OBSERVER_timeline] = &arena;
	memset(words, 0, sizeof words);
	arena = (struct arena){0};
}

static void open_under(const char *progress_model)
{
	const char *const settings[] = {progress_model, NULL};
	open_gpu("gtx480", settings, &(struct lockstep_options){.size = sizeof(struct lockstep_options)});
	gpu->gpu.pause.when_dead = true; /* in no state of theirs is that so */
}

static void close_gpu(void)
{
	memset(gpu->gpu.observe, 0, sizeof gpu->gpu.observe);
	lockstep_close(gpu);
	arena_free(&arena);
}

/* At most `most` walks through the kernel's states.  Memory is as before, and so is the GPU. */
static void search_shape(const char *kernel, const uint32_t grid[3], uint32_t threads, uint64_t most)
{
	struct lockstep_error error = {0};
	struct gpu *g = &gpu->gpu;
	struct gpu before;
	struct gpu_launch what = {.group.threads = threads};
	size_t index;
	assert_non_null(api_find_kernel(module, kernel, &index));
	const struct decoded *d = api_decode(module, index, &error);
	assert_non_null(d);
	struct occupancy o = kernel_occupancy(g->model, d->kernel, threads, d->kernel->shared.static_bytes);
	what.kernel = d->kernel;
	what.constants = d->constants;
	what.group.per_core = o.groups_per_core;
	what.group.per_lesser_core = o.groups_per_lesser_core;
	what.group.registers = o.group_registers;
	what.group.shared = o.group_shared;
	what.group.shared_bytes = d->kernel->shared.first + d->kernel->shared.static_bytes;
	what.values = (struct launch_values){.grid = {grid[0], grid[1], grid[2]},
		.cluster = {1, 1, 1},
		.block = {threads, 1, 1},
		.grid_id = 1,
		.core_count = g->model->core_count,
		.warps_per_core = model_core_warps(g->model, 0),
		.nanoseconds_numerator = 1,
		.nanoseconds_denominator = 1,
		.parameters = (const uint8_t *)&memory,
		.parameter_bytes = sizeof memory};
	memcpy(space_host(&g->space, memory), words, sizeof words);
	before = *g;
	gpu_search(g, &what, most, &arena, &outcome);
	assert_memory_equal(space_host(&g->space, memory), words, sizeof words);
	assert_memory_equal(&g->options, &before.options, sizeof g->options);
	assert_memory_equal(g->observe, before.observe, sizeof g->observe);
	assert_true(g->explain == before.explain);
	assert_int_equal(g->experiment.keeps_start, before.experiment.keeps_start);
	assert_null(g->schedule);
	assert_int_equal(g->launches, before.launches);
	assert_false(g->stuck);
}

static void search(const char *kernel, uint32_t groups, uint64_t most)
{
	search_shape(kernel, (const uint32_t[3]){groups, 1, 1}, 1, most);
}

/* `schedule`: null where none is told. */
static void expect(enum search_verdict verdict, uint64_t walks, uint64_t states, const char *schedule)
{
	assert_int_equal(outcome.verdict, verdict);
	assert_int_equal(outcome.walks, walks);
	assert_int_equal(outcome.states, states);
	if (schedule)
		assert_string_equal(schedule_list_text(&arena, &outcome.list), schedule);
	else
		assert_int_equal(outcome.list.count, 0);
}

/* ---- Verdicts ---- */

/* A group is U or D: 2^n states.  Of three: UUU DUU DDU DDD | UDU DDU | UUD DUD DDD | DUU DUD | UDU UDD DDD | UUD UDD.
 * Of one: U D. */
static void groups_that_do_not_meet(void **state)
{
	static const uint32_t lines[][3] = {{6, 1, 1}, {3, 2, 1}, {1, 2, 3}, {2, 1, 3}};
	(void)state;
	open_under("policy.dispatch=fair");
	search("store", 1, 100);
	expect(SEARCH_FINISHES, 1, 2, NULL);
	search("store", 3, 100);
	expect(SEARCH_FINISHES, 6, 8, NULL);
	search("store", 3, 6); /* the last walk shows the last step */
	expect(SEARCH_FINISHES, 6, 8, NULL);
	search("store", 3, 5);
	expect(SEARCH_UNDECIDED, 5, 8, NULL);
	search("store", 3, 0);
	expect(SEARCH_UNDECIDED, 0, 0, NULL);
	for (uint32_t k = 0; k < sizeof lines / sizeof *lines; k++) {
		search_shape("store", lines[k], 1, 1000);
		assert_int_equal(outcome.verdict, SEARCH_FINISHES);
		assert_int_equal(outcome.states, 64);
	}
	close_gpu();
}

/* Group 0 spins, S, until group 1 has set the word: UU SU SU SD DD | UD DD. */
static void a_wait_for_a_higher_group(void **state)
{
	static const char *const weak[] = {"policy.dispatch=hsa", "policy.dispatch=obe", "policy.dispatch=hsa-obe",
		"policy.dispatch=lobe", "policy.dispatch=unfair"};
	(void)state;
	open_under("policy.dispatch=fair");
	search("wait", 2, 100);
	expect(SEARCH_FINISHES, 2, 5, NULL);
	words[0] = 1; /* nobody waits: each finishes with its first step */
	search("wait", 2, 100);
	expect(SEARCH_FINISHES, 2, 4, NULL);
	words[0] = 0;
	search("wait", 1, 100);
	expect(SEARCH_HANGS, 1, 2, "0,(0)");
	close_gpu();
	for (uint32_t k = 0; k < sizeof weak / sizeof *weak; k++) {
		open_under(weak[k]);
		search("wait", 2, 100);
		expect(SEARCH_MAY_HANG, 2, 5, "0,(0)");
		close_gpu();
	}
}

/* A group spins, S, or holds the lock, H, and gives it back:
 * UU HU DU DH DD | UU UH SH SH SD HD DD | HU HS DS DH | UH UD HD | HS HS.
 * Of the states in which a group goes round, HS is seen first; under hsa group 0 gets on in it. */
static void a_lock(void **state)
{
	static const struct row {
		const char *model;
		enum search_verdict verdict;
		const char *schedule;
	} rows[] = {
		{"policy.dispatch=fair", SEARCH_FINISHES, NULL},
		{"policy.dispatch=obe", SEARCH_FINISHES, NULL},
		{"policy.dispatch=hsa-obe", SEARCH_FINISHES, NULL},
		{"policy.dispatch=lobe", SEARCH_FINISHES, NULL},
		{"policy.dispatch=hsa", SEARCH_MAY_HANG, "1,0,(0)"},
		{"policy.dispatch=unfair", SEARCH_MAY_HANG, "0,1,(1)"},
	};
	(void)state;
	for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		open_under(rows[k].model);
		search("mutex", 2, 100);
		expect(rows[k].verdict, 5, 12, rows[k].schedule);
		words[0] = 1; /* held for good: UU SU SU SS SS SS | UU US SS */
		search("mutex", 2, 100);
		assert_int_equal(outcome.verdict, SEARCH_HANGS);
		assert_int_equal(outcome.states, 4);
		close_gpu();
	}
}

/* Group 0 looks three times, 1 2, and spins, S, from its last look or its first success on; T: it spins and has seen
 * the word set.  UU 1U 2U SU SU SD TD TD | UU UD TD | 1U 1D TD | 2U 2D TD.  TD is found at the end of six steps, and is
 * two away; under fair it is the only state that can repeat. */
static void the_shortest_way(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search("early", 2, 100);
	expect(SEARCH_HANGS, 4, 9, "1,0,(0)");
	search("early", 2, 1); /* it might still finish */
	expect(SEARCH_MAY_HANG, 1, 6, "0*3,1,0,(0)");
	close_gpu();
	open_under("policy.dispatch=unfair");
	search("early", 2, 1);
	expect(SEARCH_MAY_HANG, 1, 6, "0*3,(0)");
	close_gpu();
}

static uint32_t explained;

static void count_explanations(struct machine *machine, struct launch *launch, bool proved)
{
	(void)machine;
	(void)launch;
	(void)proved;
	explained++;
}

/* W waits within itself: UU WU WW | UU UW WW.  Nobody outside hears of it, and nothing is left to go on. */
static void groups_that_wait_within_themselves(void **state)
{
	const char *const settings[] = {"policy.dispatch=fair", NULL};
	(void)state;
	open_gpu("gtx480", settings,
		&(struct lockstep_options){.size = sizeof(struct lockstep_options), .pause_when_stuck = true});
	gpu->gpu.explain = count_explanations;
	gpu->gpu.experiment.keeps_start = true;
	explained = 0;
	search("dead", 2, 100);
	expect(SEARCH_HANGS, 2, 4, "0,1");
	assert_int_equal(explained, 0);
	close_gpu();
}

/* L has looked; if the word was not set, l, it will store where no memory is: UU DU DL DD | UU Ul Dl fault. */
static void a_fault(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search("fault", 2, 100);
	expect(SEARCH_FAULTS, 2, 6, "1,0,1");
	words[0] = 1; /* UU DU DL DD | UU UL DL | UL UD DD */
	search("fault", 2, 100);
	expect(SEARCH_FINISHES, 3, 6, NULL);
	close_gpu();
}

/* ---- What a state is ---- */

/* Nothing but memory tells the two states from each other: U A/1 A/0. */
static void memory_alone(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search("toggle", 1, 100);
	expect(SEARCH_HANGS, 1, 3, "0,(0*2)");
	close_gpu();
}

/* What a group that is done has left in its shared memory is no part of a state.  Group 0 has looked, L, or l when the
 * word was set, keeps what it saw, and ends: UU LU DU DD | UU UD lD DD | LU LD DD. */
static void shared_memory_of_a_group_that_is_done(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search("leaves", 2, 100);
	expect(SEARCH_FINISHES, 3, 7, NULL);
	close_gpu();
}

/* Memory that has changed and is again as it was: the state behind the load and that behind the second exchange are
 * one. U A/0 B/1 A/0. */
static void memory_that_comes_back(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search("back", 1, 100);
	expect(SEARCH_HANGS, 1, 3, "0,(0*2)");
	close_gpu();
}

/* Only that it has started tells of a group that its warps are behind their first steps, which lead back to where they
 * were.  The two warps of group 0 end, then those of group 1 spin. */
static void a_group_that_has_started(void **state)
{
	const char *const settings[] = {"policy.dispatch=fair", "policy.divergence=stack", "core.count=1", NULL};
	(void)state;
	open_gpu("v100", settings, &(struct lockstep_options){.size = sizeof(struct lockstep_options)});
	search_shape("last_slot", (const uint32_t[3]){2, 1, 1}, 64, 1);
	expect(SEARCH_MAY_HANG, 1, 4, "0.0,0.1,1.0,(1.0,1.1)");
	close_gpu();
}

/* Where a clock is read, more than can be seen makes the state: the walk ends, and nothing is said. */
static void a_clock(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search("clock", 1, 100);
	expect(SEARCH_UNDECIDED, 1, 1, NULL);
	search("clock_last", 1, 100); /* with its only step */
	expect(SEARCH_UNDECIDED, 1, 1, NULL);
	close_gpu();
}

/* Has a barrier in shared memory, B, waits for its phase, in vain but not for long, W, and stores: U B W D. */
static void a_time_limit(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search("timed", 1, 100);
	expect(SEARCH_FINISHES, 1, 4, NULL);
	close_gpu();
}

/* From the fourth walk on something happens to the last group behind the first step. */
static void disturb(void *context)
{
	struct machine *machine = ((struct gpu *)context)->machine;
	static uint32_t walks;
	walks += !machine->rounds;
	if (walks >= 4)
		machine->progress->groups[2].last_slot = 5;
}

/* UUU DUU DDU DDD | UDU DDU | UUD DUD DDD; then the known step to DUU leads to another state, with which the search
 * ends. */
static void known_steps_that_lead_elsewhere(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	gpu->gpu.experiment.between = disturb;
	gpu->gpu.experiment.between_context = &gpu->gpu;
	search("store", 3, 100);
	expect(SEARCH_UNDECIDED, 4, 8, NULL);
	close_gpu();
}

/* The heap of malloc is put back between walks, as memory is: else they would not begin alike. */
static void a_heap(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search("takes", 2, 100);
	assert_int_equal(outcome.verdict, SEARCH_FINISHES);
	close_gpu();
}

/* ---- Bounds ---- */

/* After 64 walks, and each power of two, it is looked whether all is known that will be said.  With the n groups that
 * store a word each, every state of `wait` and `early` is there 2^n times. */
static void looks_in_between(void **state)
{
	(void)state;
	open_under("policy.dispatch=unfair");
	search("wait", 7, 1000); /* there is a way to hang, and one to finish */
	expect(SEARCH_MAY_HANG, 64, outcome.states, "0,(0)");
	search("wait", 7, 63);
	expect(SEARCH_MAY_HANG, 63, outcome.states, "0,(0)");
	search("early", 6, 1000); /* it might finish as long as not everything is known */
	assert_int_equal(outcome.verdict, SEARCH_HANGS);
	assert_int_equal(outcome.states, 9 << 4);
	assert_true(outcome.walks > 64);
	close_gpu();
	open_under("policy.dispatch=fair");
	search("wait", 7, 1000); /* it might hang */
	assert_int_equal(outcome.verdict, SEARCH_FINISHES);
	assert_int_equal(outcome.states, 5 << 5);
	assert_true(outcome.walks > 64);
	close_gpu();
}

/* ---- Warps and copies ---- */

/* Warps that write to words of their own: the steps of one at a time are followed, but where the group has not started.
 * U, then 1 and 2, the first or the second warp has ended: U 1 D | U 2 D. */
static void warps_that_do_not_meet(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search_shape("own_words", (const uint32_t[3]){1, 1, 1}, 64, 100);
	expect(SEARCH_FINISHES, 2, 4, NULL);
	close_gpu();
}

/* The second warp waits for the first.  All warps of a group that is guaranteed progress get steps; of one that is not,
 * none need. */
static void warps_that_wait(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search_shape("warps_wait", (const uint32_t[3]){1, 1, 1}, 64, 100);
	assert_int_equal(outcome.verdict, SEARCH_FINISHES);
	close_gpu();
	open_under("policy.dispatch=unfair");
	search_shape("warps_wait", (const uint32_t[3]){1, 1, 1}, 64, 100);
	assert_int_equal(outcome.verdict, SEARCH_MAY_HANG);
	assert_string_equal(schedule_list_text(&arena, &outcome.list), "0.1,(0.1)");
	close_gpu();
}

/* More warps than a state has bits for: each group is one actor, whose warps take turns.  Of each group none
 * to 22 have ended. */
static void too_many_warps(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search_shape("ends", (const uint32_t[3]){3, 1, 1}, 22 * 32, 100000);
	expect(SEARCH_FINISHES, outcome.walks, 23 * 23 * 23, NULL);
	close_gpu();
}

/* The copy ends before or behind the wait for it: U, begun B, waited for W, over O, D: U B W D | B O D. */
static void copies(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search("one_copy", 1, 100);
	assert_int_equal(outcome.verdict, SEARCH_FINISHES);
	search("copies", 1, 100); /* nine at once */
	assert_int_equal(outcome.verdict, SEARCH_UNDECIDED);
	close_gpu();
}

/* The last group goes round if 1 has stored and 0 has not, and two walks that are looked at lie before it does. */
static void looks_at_powers_of_two(void **state)
{
	(void)state;
	open_under("policy.dispatch=unfair");
	search("late", 13, 64);
	assert_int_equal(outcome.verdict, SEARCH_UNDECIDED);
	search("late", 13, 127);
	assert_int_equal(outcome.verdict, SEARCH_MAY_HANG);
	search("late", 13, 1000);
	assert_int_equal(outcome.verdict, SEARCH_MAY_HANG);
	assert_int_equal(outcome.walks, 128);
	close_gpu();
}

/* A walk ends after 1,000,000 steps beyond what was known, and the search once it has seen more than 2,000,000 states.
 * Group 1 counts for ever, Ck, if it comes first: UU DU DD | UU UC1 DC1 DC2 .. DC999999 | UC1 UC2 DC2 | DC999999 .., at
 * whose 999,998th step there are 3 + 999,999 + 1 + 1 + 999,997 states. */
static void states_without_end(void **state)
{
	(void)state;
	open_under("policy.dispatch=fair");
	search("counts", 2, 2);
	expect(SEARCH_UNDECIDED, 2, 1000003, NULL);
	search("counts", 2, 100);
	expect(SEARCH_UNDECIDED, 4, 2000001, NULL);
	close_gpu();
}

/* With a check each walk goes on for 10,000 steps behind where all is known; then it ends, though group 0 could still
 * spin. */
static void walks_with_a_check_end(void **state)
{
	const char *const settings[] = {"policy.dispatch=fair", NULL};
	(void)state;
	open_gpu("gtx480", settings,
		&(struct lockstep_options){.size = sizeof(struct lockstep_options), .check = LOCKSTEP_CHECK_RACES});
	gpu->gpu.pause.when_dead = true;
	search("wait", 1, 100);
	expect(SEARCH_HANGS, 1, 2, "0,(0)");
	close_gpu();
}

/* Group 0 lets the others begin.  Group 1 writes, releases and sets a flag; group 2 acquires, waits for that flag and
 * lets group 0 go on, which reads.  States do not tell whether group 2 has acquired before or behind the release: in
 * the first walk behind it, so the other order leads to states that are known.  Only what goes on from there finds the
 * race, where group 0 spins until the others have had their turns. */
static void walks_with_a_check_take_turns(void **state)
{
	const char *const settings[] = {"policy.dispatch=fair", NULL};
	(void)state;
	open_gpu("gtx480", settings,
		&(struct lockstep_options){.size = sizeof(struct lockstep_options), .check = LOCKSTEP_CHECK_RACES});
	gpu->gpu.pause.when_dead = true;
	search("handed", 3, 1000);
	assert_int_equal(outcome.verdict, SEARCH_FINISHES);
	assert_int_equal(outcome.shown[FOUND_RACE].count, 1);
	/* 0 begins, 2 and 1 see that, 2 acquires; 1 stores, releases and sets the flag; 2 sees it and lets 0 go on,
	 * which has polled whenever it was its turn, and reads */
	assert_string_equal(
		schedule_list_text(&arena, &outcome.shown[FOUND_RACE].at[0]), "0,2,0,1,2,0,1,0,1,0,1,0,2,0,2,0*2");
	close_gpu();
}

/* Each group stores to one word, and twice to its own.  In the first walk group 1 comes when group 0 has ended; the
 * race is found in its first step, and at the end of the walk when that is the last one. */
static void steps_to_what_a_check_finds(void **state)
{
	const char *const settings[] = {"policy.dispatch=fair", NULL};
	(void)state;
	open_gpu("gtx480", settings,
		&(struct lockstep_options){.size = sizeof(struct lockstep_options), .check = LOCKSTEP_CHECK_RACES});
	gpu->gpu.pause.when_dead = true;
	search("both", 2, 1000);
	assert_int_equal(outcome.shown[FOUND_RACE].count, 1);
	assert_string_equal(schedule_list_text(&arena, &outcome.shown[FOUND_RACE].at[0]), "0*3,1");
	search("store_one", 2, 1000); /* another kernel, after which there are two races */
	assert_int_equal(outcome.shown[FOUND_RACE].count, 2);
	assert_int_equal(outcome.shown[FOUND_RACE].at[0].count, 0); /* none leads to what was known before */
	assert_string_equal(schedule_list_text(&arena, &outcome.shown[FOUND_RACE].at[1]), "0,1");
	close_gpu();
}

static void the_user_stops_it(void **state)
{
	static volatile sig_atomic_t interrupt = 1;
	const char *const settings[] = {"policy.dispatch=fair", NULL};
	(void)state;
	open_gpu("gtx480", settings,
		&(struct lockstep_options){.size = sizeof(struct lockstep_options), .interrupt = &interrupt});
	search("store", 3, 100);
	expect(SEARCH_UNDECIDED, 1, 1, NULL);
	close_gpu();
	open_gpu("gtx480", settings,
		&(struct lockstep_options){.size = sizeof(struct lockstep_options),
			.max_cycles = 5}); /* a group's instructions and more */
	search("store", 3, 100);
	expect(SEARCH_UNDECIDED, 1, 1, NULL);
	close_gpu();
}

/* By the public interface: the launch runs under the schedule that was found, and what comes later under the one that
 * the GPU was opened with, or none. */
static void the_schedule_that_was_found_is_for_one_launch(void **state)
{
	static const char *const schedules[] = {NULL, "1,0"};
	const char *const settings[] = {"policy.dispatch=obe", NULL};
	(void)state;
	for (size_t k = 0; k < sizeof schedules / sizeof *schedules; k++) {
		struct lockstep_error error = {0};
		open_gpu("gtx480", settings,
			&(struct lockstep_options){.size = sizeof(struct lockstep_options), .schedule = schedules[k]});
		const struct schedule_list *before = gpu->gpu.schedule_list;
		struct lockstep_launch launch = {.size = sizeof launch,
			.module = module,
			.kernel = "wait",
			.grid = {2, 1, 1},
			.block = {1, 1, 1},
			.parameters = &memory,
			.parameter_bytes = sizeof memory};
		gpu->gpu.options.progress = NULL;
		gpu->gpu.observe[OBSERVER_timeline] = NULL;
		assert_true((before != NULL) == (schedules[k] != NULL));
		const struct lockstep_result *result = lockstep_search(gpu, &launch, 100, &error);
		assert_non_null(result);
		assert_int_equal(result->outcome, LOCKSTEP_HANG);
		assert_int_equal(result->search->verdict, LOCKSTEP_MAY_HANG);
		assert_int_equal(result->search->schedules, 2);
		assert_int_equal(result->search->states, 5);
		assert_string_equal(result->search->schedule, "0,(0)");
		assert_ptr_equal(gpu->gpu.schedule_list, before);
		launch.kernel = "store";
		assert_int_equal(lockstep_search(gpu, &launch, 100, &error)->outcome, LOCKSTEP_COMPLETED);
		assert_ptr_equal(gpu->gpu.schedule_list, before);
		close_gpu();
	}
}

/* A hang that was found but not shown, as the launch came to its limit before, is not said to be possible. */
static void a_hang_that_is_not_shown_is_undecided(void **state)
{
	static const struct {
		uint32_t groups;
		uint64_t most; /* instructions: after 13 the search has found it, after 19 it was shown */
		enum lockstep_outcome outcome;
		enum lockstep_verdict verdict;
	} rows[] = {{2, 0, LOCKSTEP_HANG, LOCKSTEP_MAY_HANG}, {1, 0, LOCKSTEP_HANG, LOCKSTEP_HANGS},
		{2, 15, LOCKSTEP_LIMIT, LOCKSTEP_UNDECIDED}, {1, 15, LOCKSTEP_LIMIT, LOCKSTEP_UNDECIDED}};
	const char *const settings[] = {"policy.dispatch=obe", NULL};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct lockstep_error error = {0};
		open_gpu("gtx480", settings,
			&(struct lockstep_options){
				.size = sizeof(struct lockstep_options), .max_cycles = rows[k].most});
		struct lockstep_launch launch = {.size = sizeof launch,
			.module = module,
			.kernel = "wait",
			.grid = {rows[k].groups, 1, 1},
			.block = {1, 1, 1},
			.parameters = &memory,
			.parameter_bytes = sizeof memory};
		gpu->gpu.options.progress = NULL;
		gpu->gpu.observe[OBSERVER_timeline] = NULL;
		const struct lockstep_result *result = lockstep_search(gpu, &launch, 100, &error);
		assert_non_null(result);
		assert_int_equal(result->outcome, rows[k].outcome);
		assert_int_equal(result->search->verdict, rows[k].verdict);
		close_gpu();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_that_do_not_meet),
		cmocka_unit_test(a_wait_for_a_higher_group),
		cmocka_unit_test(a_lock),
		cmocka_unit_test(the_shortest_way),
		cmocka_unit_test(groups_that_wait_within_themselves),
		cmocka_unit_test(a_fault),
		cmocka_unit_test(memory_alone),
		cmocka_unit_test(shared_memory_of_a_group_that_is_done),
		cmocka_unit_test(memory_that_comes_back),
		cmocka_unit_test(a_group_that_has_started),
		cmocka_unit_test(a_clock),
		cmocka_unit_test(a_time_limit),
		cmocka_unit_test(known_steps_that_lead_elsewhere),
		cmocka_unit_test(a_heap),
		cmocka_unit_test(warps_that_do_not_meet),
		cmocka_unit_test(warps_that_wait),
		cmocka_unit_test(too_many_warps),
		cmocka_unit_test(copies),
		cmocka_unit_test(looks_in_between),
		cmocka_unit_test(looks_at_powers_of_two),
		cmocka_unit_test(the_schedule_that_was_found_is_for_one_launch),
		cmocka_unit_test(a_hang_that_is_not_shown_is_undecided),
		cmocka_unit_test(states_without_end),
		cmocka_unit_test(walks_with_a_check_end),
		cmocka_unit_test(walks_with_a_check_take_turns),
		cmocka_unit_test(steps_to_what_a_check_finds),
		cmocka_unit_test(the_user_stops_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
