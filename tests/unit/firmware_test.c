/* Launches with firmware through the public interface: what is refused and with which words, which occupancy is shown,
 * whose counters count, and that all memory comes back. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.3\n.target sm_90\n.address_size 64\n"

/* Firmware that dispatches work-groups of the first kernel in its list and waits for all of them, restarting what
 * yields; kernels that it may dispatch, and some that it may not. */
static const char ptx[] = HEAD
	".extern .func __lockstep_dispatch(.param .b32 kernel, .param .b32 count, .param .b64 argument);\n"
	".extern .func (.param .b32 r) __lockstep_outstanding(.param .b32 kernel);\n"
	".extern .func (.param .b64 r) __lockstep_take_restart();\n"
	".extern .func __lockstep_restart(.param .b64 context);\n"
	".extern .func __lockstep_yield(.param .b64 resource);\n"
	".visible .entry serve(.param .u64 argument, .param .u32 count) {\n"
	" .reg .b64 %a; .reg .b32 %n; .reg .pred %p;\n"
	" ld.param.u64 %a, [argument]; ld.param.u32 %n, [count];\n"
	" call __lockstep_dispatch, (0, %n, %a);\n"
	"left:\n"
	" call (%a), __lockstep_take_restart, (); setp.eq.u64 %p, %a, 0; @%p bra none;\n"
	" call __lockstep_restart, (%a);\n"
	"none:\n"
	" call (%n), __lockstep_outstanding, (0); setp.ne.u32 %p, %n, 0; @%p bra left;\n ret;\n}\n"
	".visible .entry plain() { ret; }\n"
	".visible .entry one(.param .u64 a) { ret; }\n"
	".visible .entry two(.param .u32 a, .param .u32 b) { ret; }\n"
	".visible .entry narrow(.param .u32 a) { ret; }\n"
	".visible .entry yields(.param .u64 a) { .reg .b64 %a; ld.param.u64 %a, [a];\n"
	" call __lockstep_yield, (%a); ret; }\n"
	".visible .entry shares() { .shared .align 4 .b8 room[30000]; .reg .b32 %r; mov.u32 %r, room;\n"
	" st.shared.u32 [%r], %r; ret; }\n"
	".visible .entry pools() { setmaxnreg.dec.sync.aligned.u32 24; ret; }\n"
	".visible .entry required()\n.reqntid 128\n{ ret; }\n"
	".visible .entry votes(.param .u64 a) { .reg .pred %p, %q; .reg .b32 %r; setp.eq.u32 %p, 0, 0;\n"
	" vote.sync.any.pred %q, %p, -1; ret; }\n"
	".visible .entry waits(.param .u64 a) {\n bar.sync 0; ret; }\n"
	".visible .entry boxes(.param .u64 a) { .shared .align 4 .b8 box[4]; .reg .b32 %r; mov.u32 %r, box;\n"
	" st.shared.u32 [%r], %r; ret; }\n"
	".visible .entry paints(.param .u64 a) { .reg .b64 %a; .reg .b32 %r; ld.param.u64 %a, [a]; mov.u32 %r, 0;\n"
	" sust.b.1d.b32.trap [%a, {%r}], %r; ret; }\n"
	".visible .entry pairs(.param .u64 a) { .reg .b64 %a; .reg .f32 %r<2>; ld.param.u64 %a, [a];\n"
	" atom.global.add.v2.f32 {%r0, %r1}, [%a], {%r0, %r1}; ret; }\n";

static struct lockstep_error error;

static struct lockstep *open_with(struct lockstep_options options)
{
	struct lockstep *gpu;

	options.size = sizeof options;
	gpu = lockstep_open(&options, &error);
	if (!gpu)
		fail_msg("%s", error.message);
	return gpu;
}

static struct lockstep_module *load(struct lockstep *gpu)
{
	struct lockstep_module *module = lockstep_load(gpu, "a.ptx", ptx, &error);

	if (!module)
		fail_msg("%s", error.message);
	return module;
}

/* Why a launch of `serve`, with these changes, does not start; it is lockstep_start that says so. */
static void refused(struct lockstep *gpu, const struct lockstep_launch *launch, const char *why)
{
	*error.message = 0;
	assert_int_equal(lockstep_start(gpu, launch, &error), 0);
	assert_string_equal(error.message, why);
}

struct parameters {
	uint64_t argument;
	uint32_t count;
};

static struct lockstep_launch launch_of(struct lockstep_module *module, const struct lockstep_dispatchable *list,
	size_t count, const struct parameters *parameters)
{
	return (struct lockstep_launch){.size = sizeof(struct lockstep_launch),
		.module = module,
		.kernel = "serve",
		.grid = {1, 1, 1},
		.block = {32, 1, 1},
		.parameters = parameters,
		.parameter_bytes = 12,
		.firmware = true,
		.dispatchables = list,
		.dispatchable_count = count};
}

/* ---- What is refused ---- */

static void test_what_it_may_dispatch(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t threads;
		const char *why; /* null: it may */
	} cases[] = {
		{"plain", 32, NULL},
		{"one", 1024, NULL},
		{"yields", 32, NULL},
		{"required", 128, NULL},
		{"other", 32, "a.ptx: no kernel 'other'"},
		{"two", 32,
			"kernel two has parameters, 2 of 8 bytes in all: expected one of 8 bytes, or none, of a kernel "
			"that "
			"firmware dispatches"},
		{"narrow", 32,
			"kernel narrow has parameters, 1 of 4 bytes in all: expected one of 8 bytes, or none, of a "
			"kernel that "
			"firmware dispatches"},
		{"serve", 32,
			"kernel serve has parameters, 2 of 12 bytes in all: expected one of 8 bytes, or none, of a "
			"kernel that "
			"firmware dispatches"},
		{"yields", 33,
			"kernel yields calls __lockstep_yield: expected work-groups of one wavefront, 32 threads, not "
			"33"},
		{"pools", 128, "kernel pools uses setmaxnreg, which a kernel that firmware dispatches cannot"},
		{"required", 32, "kernel required requires work-groups of 128x1x1 threads (.reqntid)"},
	};
	static const char *const settings[] = {"policy.control=ooo-2", NULL};
	struct lockstep *gpu = open_with((struct lockstep_options){.settings = settings});
	struct lockstep_module *module = load(gpu);
	const struct parameters none = {0, 0};
	struct lockstep_dispatchable list[2] = {{NULL, "plain"}, {module, NULL}};

	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) { /* the second of two */
		struct lockstep_launch launch = launch_of(module, list, 2, &none);

		list[1].kernel = cases[k].kernel;
		launch.block[0] = cases[k].threads;
		if (cases[k].why)
			refused(gpu, &launch, cases[k].why);
		else
			assert_int_equal(lockstep_run(gpu, &launch, &error)->outcome, LOCKSTEP_COMPLETED);
	}
	lockstep_close(gpu);
}

static void test_what_firmware_may_be(void **state)
{
	static const char *const settings[] = {"policy.control=ooo-2", NULL};
	struct lockstep *gpu = open_with((struct lockstep_options){.settings = settings});
	struct lockstep_module *module = load(gpu);
	const struct parameters none = {0, 0};
	struct lockstep_dispatchable list[] = {{NULL, "plain"}};
	struct lockstep_launch launch = launch_of(module, list, 1, &none);

	(void)state;
	for (int k = 0; k < 3; k++) {
		static const char *const why[] = {
			"kernel serve is firmware, one thread: expected a grid of 1, not 2x1x1",
			"kernel serve is firmware, one thread: expected a grid of 1, not 1x2x1",
			"kernel serve is firmware, one thread: expected a grid of 1, not 1x1x2",
		};

		launch.grid[k] = 2;
		refused(gpu, &launch, why[k]);
		launch.grid[k] = 1;
	}
	launch.dispatchable_count = 0;
	refused(gpu, &launch, "kernel serve is firmware: expected a kernel that it may dispatch");
	launch.firmware = false;
	refused(gpu, &launch,
		"kernel serve calls __lockstep_dispatch: expected it to be launched as firmware (--firmware)");
	launch.kernel = "yields";
	launch.parameter_bytes = 8;
	refused(gpu, &launch,
		"kernel yields calls __lockstep_yield: expected it to be dispatched by firmware (--dispatches)");
	launch = launch_of(module, list, 1, &none);
	launch.parameter_bytes = 8;
	launch.kernel = "votes";
	refused(gpu, &launch,
		"a.ptx:33: firmware votes: the control processor has nothing for this: vote.sync.any.pred %q, %p, -1");
	launch.kernel = "waits";
	refused(gpu, &launch, "a.ptx:35: firmware waits: the control processor has nothing for this: bar.sync 0");
	launch.kernel = "boxes";
	refused(gpu, &launch,
		"a.ptx:37: firmware boxes: the control processor has nothing for this: st.shared.u32 [%r], %r");
	launch.kernel = "paints";
	refused(gpu, &launch,
		"a.ptx:39: firmware paints: the control processor has nothing for this: sust.b.1d.b32.trap [%a, {%r}], "
		"%r");
	launch.kernel = "pairs";
	refused(gpu, &launch,
		"a.ptx:41: firmware pairs: the control processor has nothing for this: atom.global.add.v2.f32 {%r0, "
		"%r1}, [%a], {%r0, %r1}");
	lockstep_close(gpu);
}

static void test_what_is_in_the_way(void **state)
{
	static const char *const has[] = {"policy.control=ooo-2", NULL}, *const has_not[] = {NULL};
	static const char *const progress[] = {"policy.control=ooo-2", "policy.dispatch=obe", NULL};
	static const struct lockstep_warp warp = {.warp = 0};
	static const uint32_t core = 0;
	const struct {
		struct lockstep_options options;
		const char *why;
	} cases[] = {
		{{.settings = has, .mode = LOCKSTEP_FUNCTIONAL}, "functional mode: expected timing mode"},
		{{.settings = progress}, "a progress model: expected another dispatch policy"},
		{{.settings = has, .check = LOCKSTEP_CHECK_RACES}, "--check: what firmware orders is not known to it"},
		{{.settings = has, .check = LOCKSTEP_CHECK_INIT}, "--check: what firmware orders is not known to it"},
		{{.settings = has, .check = LOCKSTEP_CHECK_BARRIERS},
			"--check: what firmware orders is not known to it"},
		{{.settings = has, .profile = LOCKSTEP_PROFILE},
			"--profile: it has one kernel of a launch, not several"},
		{{.settings = has, .on_fault = LOCKSTEP_CONTINUE}, "--on-fault continue: expected stop"},
		{{.settings = has, .show = &warp}, "--show"},
		{{.settings = has, .show_lock_bits = &core}, "--show"},
		{{.settings = has, .show_mbarriers = &core}, "--show"},
		{{.settings = has, .show_barriers = &core}, "--show"},
		{{.settings = has_not}, NULL},
	};

	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct lockstep *gpu = open_with(cases[k].options);
		const struct parameters none = {0, 0};
		struct lockstep_dispatchable list[] = {{NULL, "plain"}};
		struct lockstep_launch launch = launch_of(load(gpu), list, 1, &none);
		char why[256] = "kernel serve is firmware: GPU gtx480 has no control processor; expected one that has "
				"(apu-2014), or --control ooo-2";

		if (cases[k].why)
			snprintf(
				why, sizeof why, "kernel serve is firmware, which does not run under %s", cases[k].why);
		refused(gpu, &launch, why);
		lockstep_close(gpu);
	}
}

/* ---- What comes of it ---- */

static uint64_t counter(const struct lockstep_result *result, const char *name)
{
	for (size_t k = 0; k < result->counter_count; k++)
		if (!strcmp(result->counters[k].name, name))
			return result->counters[k].value;
	fail_msg("no counter %s", name);
	return 0;
}

/* Of the kernels that it may dispatch, the one with most; of as many the first. */
static void test_occupancy(void **state)
{
	static const char *const settings[] = {"policy.control=simple", NULL};
	static const char *const orders[][3] = {
		{"plain", "shares", "one"}, {"shares", "plain", "one"}, {"shares", "one", "plain"}};
	struct lockstep *gpu = open_with((struct lockstep_options){.settings = settings});
	struct lockstep_module *module = load(gpu);
	const struct parameters three = {0, 3};

	(void)state;
	for (int k = 0; k < 3; k++) {
		const struct lockstep_dispatchable list[] = {
			{NULL, orders[k][0]}, {NULL, orders[k][1]}, {NULL, orders[k][2]}};
		struct lockstep_launch launch = launch_of(module, list, 3, &three);
		const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);

		assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
		assert_int_equal(result->groups_per_core, 8); /* core.groups of gtx480 */
		assert_int_equal(counter(result, "control__groups.sum"), 3);
		assert_int_equal(counter(result, "sm__ctas_launched.sum"), 3);
	}
	lockstep_close(gpu);
}

/* Of a launch that yields all memory for states is free again, and the next is as the first. */
static void test_memory_comes_back(void **state)
{
	static const char *const settings[] = {"policy.control=simple", NULL};
	struct lockstep *gpu = open_with((struct lockstep_options){.settings = settings});
	const struct lockstep_dispatchable list[] = {{NULL, "yields"}, {NULL, "plain"}};
	const struct parameters many = {7, 200};
	struct lockstep_launch launch = launch_of(load(gpu), list, 2, &many);
	uint64_t before = lockstep_allocate(gpu, 4, "before"), after;

	(void)state;
	lockstep_free(gpu, before);
	for (int k = 0; k < 3; k++) {
		const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);

		assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
		assert_int_equal(counter(result, "control__yields.sum"), 200);
		assert_int_equal(counter(result, "control__restarts.sum"), 200);
		after = lockstep_allocate(gpu, 4, "after");
		assert_int_equal(after, before);
		lockstep_free(gpu, after);
	}
	lockstep_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_it_may_dispatch),
		cmocka_unit_test(test_what_firmware_may_be),
		cmocka_unit_test(test_what_is_in_the_way),
		cmocka_unit_test(test_occupancy),
		cmocka_unit_test(test_memory_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
