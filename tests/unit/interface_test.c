/* The public interface by its manual, lockstep.h: what can be set between launches and in which order, what a kernel
 * sees of its launch, what becomes stuck, and each field of structs that are filled. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static struct lockstep_error error;

static struct lockstep *open_gpu(struct lockstep_options options)
{
	options.size = sizeof options;
	struct lockstep *gpu = lockstep_open(&options, &error);
	if (!gpu)
		fail_msg("%s", error.message);
	return gpu;
}

static struct lockstep_module *load(struct lockstep *gpu, const char *text)
{
	struct lockstep_module *module = lockstep_load(gpu, "a.ptx", text, &error);
	if (!module)
		fail_msg("%s", error.message);
	return module;
}

/* Of one thread, with what it is given as its parameters. */
static struct lockstep_launch launch_of(
	struct lockstep_module *module, const char *kernel, const void *parameters, size_t bytes)
{
	return (struct lockstep_launch){.size = sizeof(struct lockstep_launch),
		.module = module,
		.kernel = kernel,
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.parameters = parameters,
		.parameter_bytes = bytes};
}

static const struct lockstep_result *run(struct lockstep *gpu, const struct lockstep_launch *launch)
{
	const struct lockstep_result *result = lockstep_run(gpu, launch, &error);
	if (!result)
		fail_msg("%s", error.message);
	return result;
}

static uint64_t start(struct lockstep *gpu, const struct lockstep_launch *launch)
{
	uint64_t number = lockstep_start(gpu, launch, &error);
	if (!number)
		fail_msg("%s", error.message);
	return number;
}

/* ---- Launches ---- */

/* turns(count) counts, wait(at) waits for a word. */
static const char kernels[] = HEAD
	".visible .entry turns(.param .u64 count) {\n.reg .b64 %n; .reg .pred %p; ld.param.u64 %n, [count];\n"
	"again: sub.u64 %n, %n, 1; setp.ne.u64 %p, %n, 0; @%p bra again; ret;\n}\n"
	".visible .entry wait(.param .u64 at) {\n.reg .b64 %a; .reg .b32 %v; .reg .pred %p; ld.param.u64 %a, [at];\n"
	"again: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n}\n";

/* What ends within lockstep_run comes from lockstep_finish behind it, in the order in which it has ended; a second
 * lockstep_run meanwhile changes nothing. */
static void what_ends_early_is_returned_once(void **state)
{
	static const uint64_t counts[] = {4000, 50, 500, 1000, 20};
	static const uint64_t ends[] = {2, 4, 1};
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
	struct lockstep_module *module = load(gpu, kernels);
	(void)state;
	for (uint32_t k = 0; k < 5; k++) {
		struct lockstep_launch launch = launch_of(module, "turns", &counts[k], 8);
		launch.stream = k + 10;
		if (k == 2 || k == 4)
			assert_int_equal(run(gpu, &launch)->number, k + 1);
		else
			assert_int_equal(start(gpu, &launch), k + 1);
	}
	/* 2 ended within the first lockstep_run (3); 4 in none, as the second (5) is shorter. */
	for (uint32_t k = 0; k < 3; k++) {
		const struct lockstep_result *result = lockstep_finish(gpu);
		assert_non_null(result);
		assert_int_equal(result->number, ends[k]);
		assert_int_equal(result->stream, ends[k] + 9);
		assert_true(result->overlapped);
	}
	assert_null(lockstep_finish(gpu));
	assert_int_equal(lockstep_result_count(gpu), 5);
	lockstep_close(gpu);
}

/* Kernels that a kernel launches have later numbers, and end before it: none of their results is lost. */
static void results_of_children_are_returned(void **state)
{
	static const char nest[] = HEAD
		".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 "
		"g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
		".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
		".visible .entry nest(.param .u64 left) {\n.reg .b64 %l, %f; .reg .pred %p;\n"
		"ld.param.u64 %l, [left]; setp.eq.u64 %p, %l, 0; @%p ret; sub.u64 %l, %l, 1; mov.u64 %f, nest;\n"
		"{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n"
		"st.param.b64 [f], %f; st.param.b32 [g], 2; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"
		"st.param.b32 [b], 1; st.param.b32 [b+4], 3; st.param.b32 [b+8], 1; st.param.b32 [s], 48;\n"
		"call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %f, [r]; }\n"
		"st.u64 [%f], %l;\n"
		"{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %f; st.param.b64 [s], 0;\n"
		"call (r), __cudaCDP2LaunchDeviceV2, (p, s); }\nret;\n}\n";
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
	struct lockstep_module *module = load(gpu, nest);
	uint64_t left = 1, seen = 0;
	struct lockstep_launch launch = launch_of(module, "nest", &left, 8);
	(void)state;
	launch.block[0] = 4;
	launch.stream = 9;
	const struct lockstep_result *parent = run(gpu, &launch), *child;
	assert_int_equal(parent->number, 1);
	assert_int_equal(parent->children, 4); /* one of each thread */
	for (; (child = lockstep_finish(gpu)); seen |= 1u << child->number) {
		assert_int_equal(child->parent, 1);
		assert_int_equal(child->root, 1);
		assert_int_equal(child->stream, 9);
		assert_int_equal(child->shared_bytes, 48);
		assert_memory_equal(child->grid, ((const uint32_t[]){2, 1, 1}), sizeof child->grid);
		assert_memory_equal(child->block, ((const uint32_t[]){1, 3, 1}), sizeof child->block);
	}
	assert_int_equal(seen, 0x3c);
	lockstep_close(gpu);
}

/* The mode is of the launches that follow; those that wait keep theirs, and memory is the same in both.  The clock
 * stands still meanwhile. */
static void a_mode_is_of_what_follows(void **state)
{
	static const uint64_t count = 300;
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480", .mode = LOCKSTEP_FUNCTIONAL});
	struct lockstep_launch launch = launch_of(load(gpu, kernels), "turns", &count, 8);
	const struct lockstep_result *results[4];
	(void)state;
	for (uint32_t k = 0; k < 4; k++) { /* functional, as opened; timing; functional; timing */
		assert_int_equal(start(gpu, &launch), k + 1);
		lockstep_set_mode(gpu, k % 2 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING);
	}
	for (uint32_t k = 0; k < 4; k++) {
		results[k] = lockstep_finish(gpu);
		assert_int_equal(results[k]->number, k + 1);
		assert_int_equal(results[k]->mode, k % 2 ? LOCKSTEP_TIMING : LOCKSTEP_FUNCTIONAL);
		assert_int_equal(results[k]->cycles > 0, k % 2);
		assert_int_equal(results[k]->warp_instructions, results[0]->warp_instructions);
	}
	assert_in_range(results[3]->start, results[1]->cycles, results[1]->cycles + 500);
	lockstep_close(gpu);
}

/* ---- What is stuck ---- */

/* It goes on when the word is written, and hangs when it is given up; the doubt of the host is in the message once. */
static void what_is_stuck_can_be_asked(void **state)
{
	static const char doubt[] = "thread 12 (pool) is blocked in read";
	struct lockstep *gpu = open_gpu((struct lockstep_options){
		.gpu = "gtx480", .pause_when_stuck = true, .explain_limit = LOCKSTEP_EXPLAIN_NEVER});
	uint64_t at = lockstep_allocate(gpu, 64, "flag");
	struct lockstep_launch launch = launch_of(load(gpu, kernels), "wait", &at, 8);
	const struct lockstep_result *result;
	char text[sizeof doubt];
	static const uint32_t zero = 0, one = 1;
	(void)state;
	assert_false(lockstep_is_stuck(gpu));
	assert_false(lockstep_is_stuck_for_ever(gpu));
	assert_null(lockstep_why_stuck(gpu));
	for (uint32_t k = 0; k < 5; k++) {
		assert_true(lockstep_write(gpu, at, &zero, 4, &error));
		if (k == 4)
			lockstep_expect_host_writes(gpu, at);
		start(gpu, &launch);
		assert_null(lockstep_finish(gpu));
		assert_true(lockstep_is_stuck(gpu));
		assert_int_equal(lockstep_asks_host(gpu), k == 4);
		assert_int_equal(lockstep_is_stuck_for_ever(gpu), k != 4);
		assert_memory_equal(lockstep_why_stuck(gpu), "kernel wait: Group (0,0,0)", 26);
		assert_int_equal(lockstep_result_count(gpu), k);
		if (k == 2) {
			memcpy(text, doubt, sizeof doubt);
			lockstep_host_waits(gpu, true, text); /* copied */
			memset(text, 'x', sizeof text - 1);
		} else {
			lockstep_host_waits(gpu, false, NULL);
		}
		if (k == 1 || k == 2 || k == 3)
			lockstep_give_up(gpu);
		else
			assert_true(lockstep_write(gpu, at + 0, &one, 4, &error));
		result = lockstep_finish(gpu);
		assert_non_null(result);
		assert_int_equal(result->number, k + 1);
		assert_int_equal(result->outcome, k == 0 || k == 4 ? LOCKSTEP_COMPLETED : LOCKSTEP_HANG);
		if (result->outcome == LOCKSTEP_HANG) {
			assert_string_equal(result->findings->certainty, k == 2 ? "suspected" : "proved");
			assert_int_equal(strstr(result->findings->message, doubt) != NULL, k == 2);
		}
		assert_false(lockstep_is_stuck(gpu));
		assert_null(lockstep_why_stuck(gpu));
		assert_null(lockstep_finish(gpu));
	}
	lockstep_close(gpu);
}

/* lockstep_run has no time for that: it gives up. */
static void a_run_gives_up(void **state)
{
	struct lockstep *gpu = open_gpu((struct lockstep_options){
		.gpu = "gtx480", .pause_when_stuck = true, .explain_limit = LOCKSTEP_EXPLAIN_NEVER});
	uint64_t at = lockstep_allocate(gpu, 64, "flag");
	struct lockstep_launch launch = launch_of(load(gpu, kernels), "wait", &at, 8);
	(void)state;
	assert_int_equal(run(gpu, &launch)->outcome, LOCKSTEP_HANG);
	assert_false(lockstep_is_stuck(gpu));
	lockstep_close(gpu);
}

/* ---- Options ---- */

static char printed[256];

static void print(void *context, const char *text, size_t length)
{
	assert_ptr_equal(context, printed);
	strncat(printed, text, length);
}

/* vprintf("%d %s", {7, "it"}) */
static void what_kernels_print_goes_to_the_caller(void **state)
{
	static const char text[] = HEAD
		".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
		".global .b8 format[8] = {37, 100, 32, 37, 115, 10, 0}; .global .b8 it[3] = {105, 116, 0};\n"
		".visible .entry k() {\n.local .align 8 .b8 block[16]; .reg .b64 %d<4>; .reg .b32 %r;\n"
		"mov.u64 %d0, block; cvta.local.u64 %d0, %d0; mov.u32 %r, 7; st.u32 [%d0], %r;\n"
		"mov.u64 %d1, it; cvta.global.u64 %d1, %d1; st.u64 [%d0+8], %d1; mov.u64 %d2, format;\n"
		"cvta.global.u64 %d2, %d2;\n{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d2;\n"
		"st.param.b64 [a], %d0; call (r), vprintf, (f, a); }\nret;\n}\n";
	struct lockstep *gpu =
		open_gpu((struct lockstep_options){.gpu = "gtx480", .print = print, .print_context = printed});
	struct lockstep_launch launch = launch_of(load(gpu, text), NULL, NULL, 0);
	(void)state;
	launch.grid[0] = 2;
	*printed = 0;
	assert_int_equal(run(gpu, &launch)->outcome, LOCKSTEP_COMPLETED);
	assert_string_equal(printed, "7 it\n7 it\n");
	lockstep_close(gpu);
}

/* An interrupt is asked for before, and is none any more; a limit is of cycles, or in functional mode of warp
 * instructions. */
static void a_launch_is_ended_from_outside(void **state)
{
	static const uint64_t count = 1000000, few = 5;
	static volatile sig_atomic_t interrupt;
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480",
			.mode = k ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING,
			.interrupt = &interrupt,
			.max_cycles = 60000});
		struct lockstep_launch launch = launch_of(load(gpu, kernels), "turns", &count, 8);
		const struct lockstep_result *result;
		interrupt = 1;
		result = run(gpu, &launch);
		assert_int_equal(result->outcome, LOCKSTEP_INTERRUPTED);
		assert_int_equal(result->finding_count, 0);
		interrupt = 0;
		result = run(gpu, &launch);
		assert_int_equal(result->outcome, LOCKSTEP_LIMIT);
		assert_in_range(k ? result->warp_instructions : result->cycles, 60000, 70000);
		launch.parameters = &few;
		assert_int_equal(run(gpu, &launch)->outcome, LOCKSTEP_COMPLETED);
		lockstep_close(gpu);
	}
}

/* Weak memory reorders at least as far as the model says, and no less than what is set; without it that is all. */
static void weak_memory_is_a_least(void **state)
{
	static const struct {
		const char *settings[5];
		enum lockstep_weak weak;
		uint64_t jitter, passes;
	} rows[] = {
		{{"crossbar.jitter=0", "crossbar.loads_pass=0", "weak.jitter=300", "weak.loads_pass=1"}, LOCKSTEP_WEAK,
			300, 1},
		{{"crossbar.jitter=0", "crossbar.loads_pass=0", "weak.jitter=300", "weak.loads_pass=1"},
			LOCKSTEP_IN_ORDER, 0, 0},
		{{"crossbar.jitter=500", "crossbar.loads_pass=1", "weak.jitter=300", "weak.loads_pass=0"},
			LOCKSTEP_WEAK, 500, 1},
		{{"crossbar.jitter=299", "crossbar.loads_pass=0", "weak.jitter=300", "weak.loads_pass=0"},
			LOCKSTEP_WEAK, 300, 0},
	};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct lockstep *gpu = open_gpu(
			(struct lockstep_options){.gpu = "v100", .settings = rows[k].settings, .weak = rows[k].weak});
		assert_int_equal(lockstep_field(gpu, "crossbar.jitter").number, rows[k].jitter);
		assert_int_equal(lockstep_field(gpu, "crossbar.loads_pass").number, rows[k].passes);
		lockstep_close(gpu);
	}
}

/* ---- What is set between launches ---- */

static void limits_of_kernels_that_launch(void **state)
{
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
	(void)state;
	assert_false(lockstep_set_pending(gpu, 0));
	assert_false(lockstep_set_pending(gpu, (uint64_t)UINT32_MAX + 1));
	assert_true(lockstep_set_pending(gpu, UINT32_MAX));
	assert_true(lockstep_set_pending(gpu, 1));
	lockstep_close(gpu);
}

/* Until the first kernel that calls malloc or free has been launched. */
static void the_heap_can_be_set_before_it_is_used(void **state)
{
	static const char text[] = HEAD
		".extern .func (.param .b64 r) malloc(.param .b64 n);\n.visible .entry none() { ret; }\n"
		".visible .entry heap(.param .u64 out) { .reg .b64 %a, %d; ld.param.u64 %a, [out];\n"
		"{ .param .b64 n; .param .b64 r; st.param.b64 [n], 100000; call (r), malloc, (n); ld.param.b64 %d, "
		"[r]; }\nst.global.u64 [%a], %d; ret; }\n";
	static const uint64_t sizes[] = {50000, 400000};
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
		struct lockstep_module *module = load(gpu, text);
		uint64_t out = lockstep_allocate(gpu, 8, "out"), got = 1;
		struct lockstep_launch none = launch_of(module, "none", NULL, 0),
				       heap = launch_of(module, "heap", &out, 8);
		assert_true(lockstep_set_heap(gpu, 1));
		run(gpu, &none);
		assert_true(lockstep_set_heap(gpu, sizes[k])); /* the last counts */
		run(gpu, &heap);
		assert_true(lockstep_read(gpu, &got, out, 8, &error));
		assert_int_equal(got != 0, k);
		assert_false(lockstep_set_heap(gpu, 1000));
		lockstep_close(gpu);
	}
}

/* A kernel may wait for what it has launched as deep as is said: of 2^32 and more no bit is lost. */
static void kernels_wait_as_deep_as_is_said(void **state)
{
	static const char text[] =
		HEAD ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n"
		     ".visible .entry waits(.param .u64 out) { .reg .b64 %a; .reg .b32 %r; ld.param.u64 %a, [out];\n"
		     "{ .param .b32 r; call (r), cudaDeviceSynchronize, (); ld.param.b32 %r, [r]; }\n"
		     "st.global.u32 [%a], %r; ret; }\n";
	static const uint64_t depths[] = {0, 1, UINT32_MAX, (uint64_t)UINT32_MAX + 1, UINT64_MAX, 0};
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
	uint64_t out = lockstep_allocate(gpu, 4, "out");
	struct lockstep_launch launch = launch_of(load(gpu, text), "waits", &out, 8);
	uint32_t got;
	(void)state;
	for (size_t k = 0; k < sizeof depths / sizeof *depths; k++) {
		lockstep_set_wait_depth(gpu, depths[k]);
		assert_int_equal(run(gpu, &launch)->outcome, LOCKSTEP_COMPLETED);
		assert_true(lockstep_read(gpu, &got, out, 4, &error));
		assert_int_equal(got, depths[k] ? 0 : 68); /* cudaErrorSyncDepthExceeded */
	}
	lockstep_close(gpu);
}

/* The largest grid can be started; nothing of it runs before lockstep_finish. */
static void the_largest_grid(void **state)
{
	static const uint64_t count = 1;
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
	struct lockstep_launch launch = launch_of(load(gpu, kernels), "turns", &count, 8);
	(void)state;
	memcpy(launch.grid, (const uint32_t[]){65535, 1, 65537}, sizeof launch.grid); /* 2^32 - 1 */
	start(gpu, &launch);
	assert_int_equal(lockstep_result_count(gpu), 0);
	lockstep_close(gpu);
}

/* ---- What launches have accessed ---- */

/* By instruction, in the order of the code: plain, atomic, of another scope, volatile, a lock instruction.  The first
 * work-group begins before the last ends, and the next launch after that. */
static void footprints_have_each_field(void **state)
{
	static const struct {
		const char *what;
		bool writes, strong;
		uint32_t line, first, bytes;
	} rows[] = {{"a load", false, false, 8, 0, 32}, {"a store", true, false, 9, 64, 32},
		{"an atomic", true, true, 10, 128, 4}, {"an atomic", true, false, 11, 132, 4},
		{"a load", false, true, 12, 136, 4}, {"a lock instruction", true, true, 13, 140, 4}};
	static const char text[] = HEAD
		".extern .func (.param .b32 r) __lockstep_try_lock(.param .b64 a);\n"
		".visible .entry k(.param .u64 at) {\n.reg .b64 %a, %o; .reg .b32 %r, %t; ld.param.u64 %a, [at];\n"
		"mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %o, %a, %o;\n"
		"ld.global.u32 %r, [%o];\nst.global.u32 [%o+64], %r;\natom.global.add.u32 %r, [%a+128], 1;\n"
		"atom.relaxed.cta.global.add.u32 %r, [%a+132], 1;\nld.volatile.global.u32 %r, [%a+136];\n"
		"{ .param .b64 l; .param .b32 r; add.u64 %o, %a, 140; st.param.b64 [l], %o; call (r), "
		"__lockstep_try_lock, (l); }\nret;\n}\n"
		".visible .entry fences() { fence.acq_rel.sys; ret; }\n.visible .entry near() { fence.acq_rel.cta; "
		"ret; }\n";
	struct lockstep *gpu =
		open_gpu((struct lockstep_options){.gpu = "gtx480", .check = LOCKSTEP_CHECK_RACES, .footprints = true});
	uint64_t at = lockstep_allocate(gpu, 256, "m"), before = 0;
	struct lockstep_module *module = load(gpu, text);
	struct lockstep_launch launch = launch_of(module, "k", &at, 8), fences = launch_of(module, "fences", NULL, 0),
			       near = launch_of(module, "near", NULL, 0);
	(void)state;
	launch.block[0] = 8;
	for (uint32_t turn = 0; turn < 2; turn++) {
		const struct lockstep_result *r = run(gpu, &launch);
		assert_int_equal(r->access_count, sizeof rows / sizeof *rows);
		for (size_t k = 0; k < r->access_count; k++) {
			const struct lockstep_access *a = &r->accesses[k];
			assert_string_equal(a->what, rows[k].what);
			assert_string_equal(a->file, "a.ptx");
			assert_int_equal(a->line, rows[k].line);
			assert_int_equal(a->writes, rows[k].writes);
			assert_int_equal(a->strong, rows[k].strong);
			assert_int_equal(a->span_count, 1);
			assert_int_equal(a->spans->first, at + rows[k].first);
			assert_int_equal(a->spans->end, at + rows[k].first + rows[k].bytes);
		}
		assert_true(r->first_group < r->last_group);
		assert_true(r->first_group >= before);
		before = r->last_group;
	}
	assert_true(run(gpu, &fences)->fences);
	assert_false(run(gpu, &near)->fences);
	lockstep_close(gpu);
}

/* ---- What is found ---- */

/* Memory that is freed while some of it has no contents, and is given anew, counts as written: all of it. */
static void memory_that_is_given_anew_has_contents(void **state)
{
	static const char text[] = HEAD
		".visible .entry k(.param .u64 at) {\n.reg .b64 %a, %o; .reg .b32 %t; ld.param.u64 %a, [at];\n"
		"mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; ld.global.u32 %t, [%a];\nret;\n}\n";
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480", .check = LOCKSTEP_CHECK_INIT});
	uint64_t at = lockstep_allocate(gpu, 128, "first"), first = at;
	struct lockstep_launch launch = launch_of(load(gpu, text), "k", &at, 8);
	(void)state;
	launch.block[0] = 32;
	lockstep_undefine(gpu, at, 128);
	assert_true(lockstep_free(gpu, at));
	at = lockstep_allocate(gpu, 128, "second");
	assert_int_equal(at, first);
	assert_int_equal(run(gpu, &launch)->finding_count, 0);
	lockstep_undefine(gpu, at + 64, 64);
	assert_int_equal(run(gpu, &launch)->findings->count, 16);
	lockstep_close(gpu);
}

/* What a check finds again is told with each later launch, by how often there, and of which launch it is. */
static void what_is_found_again(void **state)
{
	static const char text[] =
		HEAD ".visible .entry k(.param .u64 at) {\n.reg .b64 %a; .reg .b32 %r; .reg .pred %p; ld.param.u64 %a, "
		     "[at];\n"
		     "mov.u32 %r, %ntid.x; setp.lt.u32 %p, %r, 2; @%p ret;\nld.global.u32 %r, [%a];\n"
		     "ld.global.u32 %r, [%a+4];\nret;\n}\n";
	static const uint32_t threads[] = {1, 3, 5, 1, 2};
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480", .check = LOCKSTEP_CHECK_INIT});
	uint64_t at = lockstep_allocate(gpu, 8, "m");
	struct lockstep_launch launch = launch_of(load(gpu, text), "k", &at, 8);
	(void)state;
	lockstep_undefine(gpu, at, 8);
	for (uint32_t k = 0; k < 5; k++) {
		launch.block[0] = threads[k];
		const struct lockstep_result *r = run(gpu, &launch);
		assert_int_equal(r->finding_count, k == 1 ? 2 : 0);
		assert_int_equal(r->again_count, k > 1 && threads[k] > 1 ? 2 : 0);
		for (size_t n = 0; n < r->finding_count; n++) {
			assert_int_equal(r->findings[n].count, 3);
			assert_int_equal(r->findings[n].lines->line, 7 + n);
		}
		for (size_t n = 0; n < r->again_count; n++) {
			assert_int_equal(r->again[n].launch, 2);
			assert_int_equal(r->again[n].finding, n);
			assert_int_equal(r->again[n].count, threads[k]);
		}
	}
	lockstep_close(gpu);
}

/* inner() within outer(), which line 30 of a.cu calls, and line 31: a line of the source is that of the outermost call,
 * and behind it comes each function that was inlined there, the instruction's own line last. */
static void lines_have_the_calls_around_them(void **state)
{
	static const char text[] =
		HEAD ".file 1 \"/home/u/a.cu\"\n.file 2 \"/home/u/b.h\"\n.visible .entry k() {\n.reg .b64 %a; mov.u64 "
		     "%a, 12;\n"
		     ".loc 1 30 3\n.loc 1 20 5, function_name $L__info_string0, inlined_at 1 30 3\n"
		     ".loc 2 10 7, function_name $L__info_string1, inlined_at 1 20 5\nst.global.u32 [%a], 1;\n"
		     ".loc 1 31 3\n.loc 1 20 5, function_name $L__info_string0, inlined_at 1 31 3\n"
		     ".loc 2 11 7, function_name $L__info_string1, inlined_at 1 20 5\nst.global.u32 [%a], 2;\n"
		     ".loc 1 32 3\nst.global.u32 [%a], 3;\nret;\n}\n"
		     ".section .debug_str {\n$L__info_string0:\n.b8 111,117,116,101,114,0\n"
		     "$L__info_string1:\n.b8 105,110,110,101,114,0\n}\n";
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480", .on_fault = LOCKSTEP_CONTINUE});
	struct lockstep_launch launch = launch_of(load(gpu, text), "k", NULL, 0);
	const struct lockstep_result *r = run(gpu, &launch);
	(void)state;
	assert_int_equal(r->outcome, LOCKSTEP_COMPLETED);
	assert_int_equal(r->finding_count, 3);
	for (uint32_t k = 0; k < 3; k++) {
		const struct lockstep_line *line = r->findings[k].lines;
		assert_int_equal(r->findings[k].line_count, 1);
		assert_string_equal(line->file, "/home/u/a.cu");
		assert_int_equal(line->line, 30 + k);
		assert_null(line->role);
		assert_int_equal(line->inlined_count, k < 2 ? 2 : 0);
		if (k == 2)
			continue;
		assert_string_equal(line->inlined[0].file, "/home/u/a.cu");
		assert_int_equal(line->inlined[0].line, 20);
		assert_string_equal(line->inlined[0].function, "outer");
		assert_string_equal(line->inlined[1].file, "/home/u/b.h");
		assert_int_equal(line->inlined[1].line, 10 + k);
		assert_string_equal(line->inlined[1].function, "inner");
	}
	lockstep_close(gpu);
}

/* What each form of --check races adds: lanes of one warp, volatile accesses, writes of the same value. */
static void each_form_of_races_finds_its_own(void **state)
{
	static const char text[] = HEAD
#define BEGIN(name)                                                                                                    \
	".visible .entry " name "(.param .u64 at) {\n.reg .b64 %a, %o; .reg .b32 %t, %g, %r;\n"                        \
	"ld.param.u64 %a, [at]; mov.u32 %t, %tid.x; mov.u32 %g, %ctaid.x;\n"
		BEGIN("lanes") "mul.wide.u32 %o, %t, 4; add.u64 %o, %a, %o; st.global.u32 [%o], %t; xor.b32 "
			       "%t, %t, 1;\n"
			       "mul.wide.u32 %o, %t, 4; add.u64 %o, %a, %o; ld.global.u32 %r, [%o]; "
			       "ret;\n}\n" BEGIN("volatiles") "st.volatile.global.u32 [%a], %g; "
							      "ret;\n}\n" BEGIN("same") "st.global.u32 [%a], "
											"5; ret;\n}\n" BEGIN(
												"plain") "st."
													 "globa"
													 "l."
													 "u32 "
													 "[%a],"
													 " %g; "
													 "ret;"
													 "\n}"
													 "\n";
	static const struct {
		uint32_t check;
		uint32_t found[4]; /* lanes, volatiles, same, plain */
	} rows[] = {{LOCKSTEP_CHECK_RACES, {0, 0, 0, 1}}, {LOCKSTEP_CHECK_RACES_STRICT, {1, 0, 0, 1}},
		{LOCKSTEP_CHECK_RACES_VOLATILE, {0, 1, 0, 1}}, {LOCKSTEP_CHECK_RACES_ALL, {0, 0, 1, 1}},
		{LOCKSTEP_CHECK_ALL, {0, 0, 0, 1}}, {LOCKSTEP_CHECK_INIT | LOCKSTEP_CHECK_BARRIERS, {0, 0, 0, 0}}};
	static const char *const names[] = {"lanes", "volatiles", "same", "plain"};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (uint32_t n = 0; n < 4; n++) {
			struct lockstep *gpu =
				open_gpu((struct lockstep_options){.gpu = "gtx480", .check = rows[k].check});
			uint64_t at = lockstep_allocate(gpu, 64, "m");
			struct lockstep_launch launch = launch_of(load(gpu, text), names[n], &at, 8);
			if (n)
				launch.grid[0] = 2;
			else
				launch.block[0] = 2;
			const struct lockstep_result *r = run(gpu, &launch);
			if ((r->finding_count != 0) != rows[k].found[n])
				fail_msg("check %#x, %s: %zu findings", rows[k].check, names[n], r->finding_count);
			if (r->finding_count)
				assert_string_equal(r->findings->kind, "race");
			lockstep_close(gpu);
		}
}

/* Thread (1,2,0) of group (1,0,1) is the only one that waits; a trap has a place and a thread, and no address. */
static void findings_name_their_threads(void **state)
{
	static const char text[] = HEAD
#define CHOOSE(name, what)                                                                                             \
	".visible .entry " name "(.param .u64 at) {\n.reg .b64 %a; .reg .b32 %r, %s; .reg .pred %p;\n"                 \
	"ld.param.u64 %a, [at]; mov.u32 %r, %ctaid.x; mov.u32 %s, %ctaid.z; and.b32 %r, %r, %s; mov.u32 %s, %tid.x;\n" \
	"and.b32 %r, %r, %s; setp.ne.u32 %p, %r, 1; @%p ret; mov.u32 %r, %tid.y; setp.ne.u32 %p, %r, 2; @%p "          \
	"ret;\n" what "ret;\n}\n"
		CHOOSE("waits", "again: ld.volatile.global.u32 %r, [%a]; setp.eq.u32 %p, %r, 0; @%p bra again;\n")
			CHOOSE("traps", "trap;\n");
	static const uint32_t group[] = {1, 0, 1}, thread[] = {1, 2, 0};
	struct lockstep *gpu =
		open_gpu((struct lockstep_options){.gpu = "gtx480", .explain_limit = LOCKSTEP_EXPLAIN_NEVER});
	struct lockstep_module *module = load(gpu, text);
	uint64_t at = lockstep_allocate(gpu, 64, "m");
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		struct lockstep_launch launch = launch_of(module, k ? "traps" : "waits", &at, 8);
		memcpy(launch.grid, (const uint32_t[]){3, 2, 2}, sizeof launch.grid);
		memcpy(launch.block, (const uint32_t[]){2, 3, 1}, sizeof launch.block);
		const struct lockstep_finding *f = run(gpu, &launch)->findings;
		assert_string_equal(f->kind, k ? "trap" : "hang");
		assert_true(f->thread_count >= 1);
		assert_int_equal(f->threads->group[0], group[0]);
		assert_int_equal(f->threads->group[2], group[2]);
		assert_memory_equal(f->threads->thread, thread, sizeof thread);
		assert_int_equal(f->address_count, !k);
		assert_false(f->confirmed);
	}
	lockstep_close(gpu);
}

static const char *name_of(void *origin)
{
	return origin;
}

/* What a message calls memory: the name that it was allocated with, or what is asked for when the message is made. */
static void memory_is_called_as_is_said(void **state)
{
	static const char text[] = HEAD ".visible .entry k(.param .u64 at) {\n.reg .b64 %a; ld.param.u64 %a, [at];\n"
					"st.global.u32 [%a], 1; ret;\n}\n";
	static const struct {
		const char *name, *asked, *said;
	} rows[] = {{"mine", NULL, "past the end of mine ("}, {NULL, NULL, "past the end of "},
		{NULL, "pool 3", "past the end of pool 3 ("}};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
		char name[] = "mine", asked[] = "pool 3";
		uint64_t at = lockstep_allocate(gpu, 16, rows[k].name ? name : NULL), behind = at + 16;
		struct lockstep_launch launch = launch_of(load(gpu, text), "k", &behind, 8);
		memset(name, 'x', 4); /* copied */
		if (rows[k].asked)
			lockstep_name_by(gpu, at, name_of, asked);
		const struct lockstep_result *r = run(gpu, &launch);
		assert_int_equal(r->outcome, LOCKSTEP_FAULT);
		if (!strstr(r->findings->message, rows[k].said))
			fail_msg("'%s' does not say '%s'", r->findings->message, rows[k].said);
		lockstep_close(gpu);
	}
}

/* ---- What a kernel sees of its launch ---- */

/* Each special register that the launch decides, as group (0,0,0) has it. */
static void a_kernel_sees_its_launch(void **state)
{
	static const struct {
		const char *name;
		uint32_t value;
	} rows[] = {{"%ntid.x", 33}, {"%ntid.y", 2}, {"%ntid.z", 1}, {"%nctaid.x", 4}, {"%nctaid.y", 2},
		{"%nctaid.z", 6}, {"%nclusterid.x", 2}, {"%nclusterid.y", 2}, {"%nclusterid.z", 2},
		{"%cluster_nctaid.x", 2}, {"%cluster_nctaid.y", 1}, {"%cluster_nctaid.z", 3}, {"%cluster_nctarank", 6},
		{"%nwarpid", 64}, {"%nsmid", 132}, {"%dynamic_smem_size", 100},
		/* 20 bytes, then what is dynamic from the next multiple of 16 on */
		{"%total_smem_size", 132}, {"%aggr_smem_size", 132}, {"%envreg0", 5}, {"%envreg1", 12},
		{"%envreg31", 222}, {"WARP_SZ", 32}};
	enum { COUNT = sizeof rows / sizeof *rows };
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "h200"});
	uint64_t out = lockstep_allocate(gpu, 4 * COUNT + 8, "out"), grid_id;
	uint32_t got[COUNT];
	char text[4096];
	(void)state;
	int length = snprintf(text, sizeof text,
		HEAD ".extern .shared .align 16 .b8 rest[];\n.visible .entry k(.param .u64 out) {\n"
		     ".shared .align 4 .b8 own[20]; .reg .b64 %%a, %%g; .reg .b32 %%r, %%s; .reg .pred %%p;\n"
		     "mov.u32 %%r, own; st.shared.u32 [%%r], %%r; mov.u32 %%r, rest; st.shared.u32 [%%r], %%r;\n"
		     "ld.param.u64 %%a, [out]; mov.u64 %%g, %%gridid; mov.u32 %%r, %%ctaid.x; mov.u32 %%s, %%ctaid.y;\n"
		     "or.b32 %%r, %%r, %%s; mov.u32 %%s, %%ctaid.z; or.b32 %%r, %%r, %%s; setp.ne.u32 %%p, %%r, 0;\n"
		     "@%%p ret; st.global.u64 [%%a+%d], %%g;\n",
		4 * COUNT);
	for (uint32_t k = 0; k < COUNT; k++)
		length += snprintf(text + length, sizeof text - (size_t)length,
			"mov.u32 %%r, %s; st.global.u32 [%%a+%u], %%r;\n", rows[k].name, 4 * k);
	snprintf(text + length, sizeof text - (size_t)length, "ret;\n}\n");
	struct lockstep_launch launch = launch_of(load(gpu, text), "k", &out, 8);
	memcpy(launch.grid, (const uint32_t[]){4, 2, 6}, sizeof launch.grid);
	memcpy(launch.block, (const uint32_t[]){33, 2, 1}, sizeof launch.block);
	memcpy(launch.cluster, (const uint32_t[]){2, 1, 3}, sizeof launch.cluster);
	launch.shared_bytes = 100;
	for (uint32_t k = 0; k < 32; k++)
		launch.envreg[k] = 5 + 7 * k;
	for (uint64_t number = 1; number <= 2; number++) {
		const struct lockstep_result *result = run(gpu, &launch);
		assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
		assert_int_equal(result->shared_bytes, 132);
		assert_true(lockstep_read(gpu, got, out, sizeof got, &error));
		assert_true(lockstep_read(gpu, &grid_id, out + sizeof got, 8, &error));
		assert_int_equal(grid_id, number);
		for (uint32_t k = 0; k < COUNT; k++)
			if (got[k] != rows[k].value)
				fail_msg("%s is %u, expected %u", rows[k].name, got[k], rows[k].value);
	}
	lockstep_close(gpu);
}

/* A launch's number and a variable's address, as 32 bits and as 64: each width has its own. */
static void a_kernel_sees_both_widths(void **state)
{
	static const char text[] = HEAD
		".shared .align 4 .b8 pad[64]; .shared .align 4 .b8 w[8];\n.visible .entry k(.param .u64 out) {\n"
		".reg .b64 %a, %g, %n; .reg .b32 %h, %m, %p; ld.param.u64 %a, [out]; mov.u32 %h, %gridid; mov.u64 %g, "
		"%gridid;\nmov.u32 %p, pad; mov.u32 %m, w; mov.u64 %n, w; st.shared.u32 [%p], %m;\n"
		"st.global.u32 [%a], %h; st.global.u32 [%a+4], %m; st.global.u64 [%a+8], %g; st.global.u64 [%a+16], "
		"%n;\nret;\n}\n";
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
	uint64_t out = lockstep_allocate(gpu, 24 * 32, "out");
	struct lockstep_launch launch = launch_of(load(gpu, text), "k", &out, 8);
	(void)state;
	launch.block[0] = 2;
	for (uint32_t number = 1; number < 3; number++) {
		uint64_t wide[3];
		uint32_t narrow[2];
		run(gpu, &launch);
		assert_true(lockstep_read(gpu, wide, out, sizeof wide, &error));
		memcpy(narrow, wide, sizeof narrow);
		assert_int_equal(narrow[0], number);
		assert_int_equal(wide[1], number);
		assert_int_equal(wide[2], narrow[1]);
		assert_int_equal(narrow[1], 64); /* behind what is mentioned first */
	}
	lockstep_close(gpu);
}

/* The address of a global variable, with what is added to it, is the same for each lane in both widths. */
static void addresses_are_the_same_for_all_lanes(void **state)
{
	static const char text[] =
		HEAD ".global .align 8 .b8 g[64];\n.visible .entry k(.param .u64 out) {\n"
		     ".reg .b64 %a, %o, %g; .reg .b32 %t, %l; ld.param.u64 %a, [out]; mov.u32 %t, %tid.x;\n"
		     "mul.wide.u32 %o, %t, 16; add.u64 %a, %a, %o; mov.u32 %l, g+8; mov.u64 %g, g+8;\n"
		     "st.global.u64 [%a], %g; st.global.u32 [%a+8], %l; ret;\n}\n";
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
	struct lockstep_module *module = load(gpu, text);
	uint64_t out = lockstep_allocate(gpu, 40 * 16, "out"), address, got[80];
	struct lockstep_launch launch = launch_of(module, "k", &out, 8);
	size_t bytes;
	(void)state;
	assert_true(lockstep_symbol(gpu, module, "g", &address, &bytes));
	launch.block[0] = 40;
	run(gpu, &launch);
	assert_true(lockstep_read(gpu, got, out, sizeof got, &error));
	for (uint32_t k = 0; k < 40; k++) {
		assert_int_equal(got[2 * k], address + 8);
		assert_int_equal(got[2 * k + 1], (uint32_t)(address + 8));
	}
	lockstep_close(gpu);
}

/* %globaltimer is in nanoseconds of the clock that %clock64 counts: at 700 and at 350 MHz. */
static void the_timer_runs_by_the_clock(void **state)
{
	static const char text[] = HEAD
		".visible .entry k(.param .u64 out) {\n.reg .b64 %a, %c, %g; .reg .b32 %n; .reg .pred %p;\n"
		"ld.param.u64 %a, [out]; mov.u32 %n, 0; mov.u64 %g, %globaltimer; mov.u64 %c, %clock64;\n"
		"st.global.u64 [%a], %g; st.global.u64 [%a+8], %c;\n"
		"again: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 500; @%p bra again;\n"
		"mov.u64 %g, %globaltimer; mov.u64 %c, %clock64; st.global.u64 [%a+16], %g; st.global.u64 [%a+24], %c; "
		"ret;\n}\n";
	static const char *const clocks[][2] = {{"clock.core=700000"}, {"clock.core=350000"}};
	static const uint64_t kilohertz[] = {700000, 350000};
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480", .settings = clocks[k]});
		uint64_t out = lockstep_allocate(gpu, 32, "out"), got[4];
		struct lockstep_launch launch = launch_of(load(gpu, text), "k", &out, 8);
		run(gpu, &launch);
		assert_true(lockstep_read(gpu, got, out, sizeof got, &error));
		uint64_t cycles = got[3] - got[1], nanoseconds = got[2] - got[0];
		uint64_t expected = cycles * 1000000 / kilohertz[k];
		assert_true(cycles > 1000);
		assert_in_range(nanoseconds, expected - 100, expected + 100); /* both are not read at once */
		lockstep_close(gpu);
	}
}

/* 20 bytes, from the next multiple of 128 on 1,024 that are reserved, and 100 that are dynamic: those that are reserved
 * count for %aggr_smem_size alone (PTX ISA, %total_smem_size).  What is kept there ends 288 bytes from its beginning.
 */
static void a_kernel_sees_what_is_reserved(void **state)
{
	static const char text[] =
		HEAD ".extern .shared .align 16 .b8 rest[];\n.visible .entry k(.param .u64 out) {\n"
		     ".shared .align 4 .b8 own[20]; .reg .b64 %a; .reg .b32 %r<6>; ld.param.u64 %a, [out];\n"
		     "mov.u32 %r0, own; st.shared.u32 [%r0], %r0; mov.u32 %r0, rest; mov.u32 %r1, "
		     "%reserved_smem_offset_begin;\nmov.u32 %r2, %reserved_smem_offset_end; mov.u32 %r3, "
		     "%reserved_smem_offset_cap;\nmov.u32 %r4, %total_smem_size; mov.u32 %r5, %aggr_smem_size;\n"
		     "st.global.v2.u32 [%a], {%r0, %r1}; st.global.v4.u32 [%a+16], {%r2, %r3, %r4, %r5}; ret;\n}\n";
	static const uint32_t wanted[] = {1152, 128, 0, 0, 416, 1024, 228, 1252};
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "h200"});
	uint64_t out = lockstep_allocate(gpu, sizeof wanted, "out");
	struct lockstep_launch launch = launch_of(load(gpu, text), "k", &out, 8);
	uint32_t got[8];
	(void)state;
	launch.shared_bytes = 100;
	assert_int_equal(run(gpu, &launch)->shared_bytes, 1252);
	assert_true(lockstep_read(gpu, got, out, sizeof got, &error));
	for (uint32_t k = 0; k < 8; k++)
		assert_int_equal(got[k], wanted[k]);
	lockstep_close(gpu);
}

/* Whether a launch is in clusters by its own word, or the kernel's. */
static void a_kernel_sees_whether_it_is_in_clusters(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t cluster, explicit;
	} rows[] = {{"plain", 0, 0}, {"plain", 1, 1}, {"plain", 2, 1}, {"required", 0, 1}, {"required", 2, 1}};
#define BODY                                                                                                           \
	"{ .reg .b64 %a; .reg .b32 %r; .reg .pred %p; ld.param.u64 %a, [out]; mov.pred %p, %is_explicit_cluster;\n"    \
	"selp.u32 %r, 1, 0, %p; st.global.u32 [%a], %r; ret; }\n"
	static const char text[] = HEAD ".visible .entry plain(.param .u64 out)\n" BODY
					".visible .entry required(.param .u64 out) .reqnctapercluster 2\n" BODY;
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "h200"});
	struct lockstep_module *module = load(gpu, text);
	uint64_t out = lockstep_allocate(gpu, 8, "out");
	uint32_t got;
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct lockstep_launch launch = launch_of(module, rows[k].kernel, &out, 8);
		launch.grid[0] = 2;
		if (rows[k].cluster)
			memcpy(launch.cluster, (const uint32_t[]){rows[k].cluster, 1, 1}, sizeof launch.cluster);
		run(gpu, &launch);
		assert_true(lockstep_read(gpu, &got, out, 4, &error));
		assert_int_equal(got, rows[k].explicit);
	}
	lockstep_close(gpu);
}

/* ---- What kernels need ---- */

/* Of local memory of OpenCL C the first 128 bytes are none (docs/opencl.md); what is reserved is no part of them. */
static void needs_have_each_field(void **state)
{
	static const char text[] = HEAD
		".pragma \"lockstep_shared_null\";\n.extern .shared .align 32 .b8 rest[];\n"
		".visible .entry k() .reqntid 8, 4, 2 .reqnctapercluster 2, 1, 4 {\n.shared .align 4 .b8 own[20];\n"
		".local .align 16 .b8 mine[48]; .reg .b32 %r<4>;\nmov.u32 %r0, own; st.shared.u32 [%r0], %r0;\n"
		"mov.u32 %r1, rest; st.shared.u32 [%r1], %r1; mov.u32 %r2, mine; st.local.u32 [%r2], %r1; ret;\n}\n"
		".visible .entry most() .maxntid 50, 2 { ret; }\n.visible .entry two() .reqntid 5, 4 { ret; }\n"
		".visible .entry none() { ret; }\n";
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "h200"});
	struct lockstep_module *module = load(gpu, text);
	struct lockstep_needs needs;
	(void)state;
	memset(&needs, 0xff, sizeof needs);
	needs.size = sizeof needs;
	assert_true(lockstep_kernel_needs(module, "k", &needs, &error));
	assert_int_equal(needs.size, sizeof needs);
	assert_in_range(needs.registers_per_thread, 4, 16);
	assert_int_equal(needs.shared_bytes, 20);
	assert_int_equal(needs.shared_first, 128);
	assert_int_equal(needs.dynamic_offset, 160);
	assert_int_equal(needs.local_bytes, 48);
	assert_int_equal(needs.group_threads, 1024);
	assert_memory_equal(needs.required, ((const uint32_t[]){8, 4, 2}), sizeof needs.required);
	assert_memory_equal(needs.cluster, ((const uint32_t[]){2, 1, 4}), sizeof needs.cluster);
	assert_false(needs.reads_threads);
	assert_true(lockstep_kernel_needs(module, "most", &needs, &error));
	assert_int_equal(needs.group_threads, 100);
	assert_int_equal(needs.required[0] + needs.cluster[0] + needs.cluster[2], 0);
	assert_true(lockstep_kernel_needs(module, "two", &needs, &error));
	assert_memory_equal(needs.required, ((const uint32_t[]){5, 4, 1}), sizeof needs.required);
	lockstep_close(gpu);
}

/* ---- Modules ---- */

/* The variables that are constant lie side by side, whatever is declared between them: isspacep.const knows all their
 * bytes, and none beside.  .global variables, references too, are counted together. */
static void variables_by_their_spaces(void **state)
{
	static const char text[] =
		HEAD ".global .align 4 .b8 a[12];\n.const .align 4 .u32 first = 5;\n.global .u64 b;\n"
		     ".const .align 1 .b8 last[3] = {1, 2, 3};\n.global .align 1 .u8 c;\n.global .texref t;\n"
		     ".visible .entry is(.param .u64 at, .param .u64 out) {\n.reg .b64 %a, %o; .reg .pred %p; .reg "
		     ".b32 %r;\n"
		     "ld.param.u64 %a, [at]; ld.param.u64 %o, [out]; isspacep.const %p, %a; selp.u32 %r, 1, 0, %p;\n"
		     "st.global.u32 [%o], %r; ret;\n}\n";
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "h200"});
	struct lockstep_module *module = load(gpu, text);
	uint64_t out = lockstep_allocate(gpu, 4, "out"), first, last;
	size_t bytes;
	uint32_t got;
	(void)state;
	assert_int_equal(lockstep_global_bytes(module), 12 + 8 + 1 + 8);
	assert_true(lockstep_symbol(gpu, module, "first", &first, &bytes));
	assert_true(lockstep_symbol(gpu, module, "last", &last, &bytes));
	assert_int_equal(bytes, 3);
	assert_true(first < last);
	for (int k = -1; k <= (int)(last - first) + 3; k++) {
		uint64_t parameters[] = {first + (uint64_t)k, out};
		struct lockstep_launch launch = launch_of(module, "is", parameters, sizeof parameters);
		run(gpu, &launch);
		assert_true(lockstep_read(gpu, &got, out, 4, &error));
		assert_int_equal(got, k >= 0 && k < (int)(last - first) + 3);
	}
	lockstep_close(gpu);
}

/* Modules go in any order; what the others have stays. */
static void modules_go_in_any_order(void **state)
{
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
	struct lockstep_module *modules[4];
	static const uint64_t count = 3;
	(void)state;
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t k = 0; k < 4; k++)
			modules[k] = load(gpu, kernels);
		lockstep_unload(modules[1]);
		lockstep_unload(modules[3]);
		modules[1] = load(gpu, kernels);
		for (uint32_t k = 0; k < 3; k++) {
			struct lockstep_launch launch = launch_of(modules[k], "turns", &count, 8);
			assert_int_equal(run(gpu, &launch)->outcome, LOCKSTEP_COMPLETED);
		}
		lockstep_unload(modules[round]);
	}
	lockstep_close(gpu);
}

/* Two references of each kind: a binding is of the one that is named. */
static void references_are_bound_by_name(void **state)
{
	static const char text[] = HEAD ".global .texref a, b;\n.global .surfref c, d;\n.visible .entry k() { ret; }\n";
	static const char *const names[] = {"a", "b", "c", "d"};
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480"});
	struct lockstep_module *module = load(gpu, text);
	uint64_t address[4];
	size_t bytes;
	(void)state;
	for (uint32_t k = 0; k < 4; k++)
		assert_true(lockstep_symbol(gpu, module, names[k], &address[k], &bytes));
	for (uint32_t k = 4; k-- > 0;) {
		struct lockstep_image image = {.use = k < 2 ? LOCKSTEP_TEXTURE : LOCKSTEP_SURFACE,
			.dimensions = 1,
			.channel = LOCKSTEP_CHANNEL_FLOAT,
			.channel_bits = 32,
			.channels = 1,
			.level_count = 1,
			.level[0] = {.address = lockstep_allocate(gpu, 64, NULL),
				.width = k + 5,
				.height = 1,
				.depth = 1,
				.row_bytes = 64}};
		if (!lockstep_image_bind(gpu, module, names[k], &image, &error))
			fail_msg("%s", error.message);
		for (uint32_t n = 0; n < 4; n++)
			assert_int_equal(lockstep_image(gpu, address[n]) != NULL, n >= k);
		assert_int_equal(lockstep_image(gpu, address[k])->level[0].width, k + 5);
	}
	assert_true(lockstep_image_bind(gpu, module, "b", NULL, &error));
	for (uint32_t n = 0; n < 4; n++)
		assert_int_equal(lockstep_image(gpu, address[n]) != NULL, n != 1);
	lockstep_close(gpu);
}

/* ---- Lists ---- */

/* A field by its path has all that the list has of it; of none there is nothing.  The scheduler's own come last. */
static void fields_by_their_paths(void **state)
{
	static const char *const settings[] = {"policy.scheduler=two-level", "two-level.group=5", "core.count=3", NULL};
	struct lockstep *gpu = open_gpu((struct lockstep_options){.gpu = "gtx480", .settings = settings});
	struct lockstep_field field, own, last = {0};
	(void)state;
	for (size_t k = 0; lockstep_configuration(gpu, k, &field); k++) {
		own = lockstep_field(gpu, field.path);
		assert_string_equal(own.path, field.path);
		assert_ptr_equal(own.unit, field.unit);
		assert_ptr_equal(own.meaning, field.meaning);
		assert_ptr_equal(own.source, field.source);
		assert_ptr_equal(own.text, field.text);
		if (!own.text)
			assert_int_equal(own.number, field.number);
		last = field;
	}
	assert_string_equal(last.path, "two-level.group");
	assert_string_equal(last.unit, "warps");
	assert_string_equal(last.meaning, "of the core in a fetch group; 8 was best in the paper");
	assert_string_equal(last.source, "of the scheduler itself");
	assert_null(last.text);
	assert_int_equal(last.number, 5);
	field = lockstep_field(gpu, "core.warp_size");
	assert_string_equal(field.unit, "lanes");
	assert_int_equal(field.number, 32);
	assert_non_null(field.source);
	assert_string_not_equal(field.source, field.meaning);
	assert_int_equal(lockstep_field(gpu, "core.count").number, 3);
	field = lockstep_field(gpu, "core.counts");
	assert_true(!field.path && !field.unit && !field.meaning && !field.source && !field.text && !field.number);
	lockstep_close(gpu);
}

/* Some of the kinds of declarations that the header has; tests/python_module.py holds all members against a compiler.
 */
static void members_are_where_they_are(void **state)
{
#define M(of, member, type)                                                                                            \
	{                                                                                                              \
#of, #member, type, offsetof(struct of, member), sizeof((struct of *)0)->member, sizeof(struct of)     \
	}
	static const struct lockstep_member some[] = {M(lockstep_options, size, "size_t"),
		M(lockstep_options, settings, "const char *const *"),
		M(lockstep_options, trace_window, "struct lockstep_window"), M(lockstep_options, progress, "function"),
		M(lockstep_launch, grid, "uint32_t"), M(lockstep_launch, block, "uint32_t"),
		M(lockstep_needs, reads_threads, "bool"), M(lockstep_occupancy, groups, "uint64_t"),
		M(lockstep_parameter, align, "size_t"), M(lockstep_policy, summary, "const char *")};
	size_t count = sizeof some / sizeof *some, found = 0;
	struct lockstep_member member;
	(void)state;
	for (size_t k = 0; lockstep_layout(k, &member); k++) {
		if (found == count || strcmp(member.structure, some[found].structure) ||
			strcmp(member.name, some[found].name))
			continue;
		assert_string_equal(member.type, some[found].type);
		assert_int_equal(member.offset, some[found].offset);
		assert_int_equal(member.bytes, some[found].bytes);
		assert_int_equal(member.structure_bytes, some[found].structure_bytes);
		found++;
	}
	assert_int_equal(found, count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_ends_early_is_returned_once),
		cmocka_unit_test(results_of_children_are_returned),
		cmocka_unit_test(a_mode_is_of_what_follows),
		cmocka_unit_test(what_is_stuck_can_be_asked),
		cmocka_unit_test(a_run_gives_up),
		cmocka_unit_test(what_kernels_print_goes_to_the_caller),
		cmocka_unit_test(a_launch_is_ended_from_outside),
		cmocka_unit_test(weak_memory_is_a_least),
		cmocka_unit_test(limits_of_kernels_that_launch),
		cmocka_unit_test(the_heap_can_be_set_before_it_is_used),
		cmocka_unit_test(kernels_wait_as_deep_as_is_said),
		cmocka_unit_test(the_largest_grid),
		cmocka_unit_test(footprints_have_each_field),
		cmocka_unit_test(memory_that_is_given_anew_has_contents),
		cmocka_unit_test(what_is_found_again),
		cmocka_unit_test(lines_have_the_calls_around_them),
		cmocka_unit_test(each_form_of_races_finds_its_own),
		cmocka_unit_test(findings_name_their_threads),
		cmocka_unit_test(memory_is_called_as_is_said),
		cmocka_unit_test(a_kernel_sees_its_launch),
		cmocka_unit_test(a_kernel_sees_both_widths),
		cmocka_unit_test(addresses_are_the_same_for_all_lanes),
		cmocka_unit_test(the_timer_runs_by_the_clock),
		cmocka_unit_test(a_kernel_sees_what_is_reserved),
		cmocka_unit_test(a_kernel_sees_whether_it_is_in_clusters),
		cmocka_unit_test(needs_have_each_field),
		cmocka_unit_test(variables_by_their_spaces),
		cmocka_unit_test(modules_go_in_any_order),
		cmocka_unit_test(references_are_bound_by_name),
		cmocka_unit_test(fields_by_their_paths),
		cmocka_unit_test(members_are_where_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
