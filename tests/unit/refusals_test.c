/* What lockstep.h refuses of a launch, and what is next to that and is taken: clusters, firmware, kernels that launch
 * kernels, drawn warps, progress models.  A row has what the GPU is opened with, the launch, and the whole line. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char ptx[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".extern .func __lockstep_dispatch(.param .b32 k, .param .b32 n, .param .b64 a);\n"
	".extern .func __lockstep_yield(.param .b64 a);\n"
	".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], "
	".param .align 4 .b8 b[12], .param .b32 s);\n"
	".shared .align 4 .b8 room[20000];\n.shared .b32 word;\n"
	".visible .entry requires() .reqnctapercluster 2, 2 { ret; }\n"
	".visible .entry most() .maxclusterrank 2 { ret; }\n"
	".visible .entry given() .explicitcluster { ret; }\n"
	".visible .entry plain() { ret; }\n"
	".visible .entry one(.param .u64 a) { ret; }\n"
	".visible .entry two(.param .u64 a, .param .u64 b) { ret; }\n"
	".visible .entry small(.param .u32 a) { ret; }\n"
	".visible .entry array(.param .align 8 .b8 a[16]) { ret; }\n"
	".visible .entry wide() { .reg .b32 %r; mov.u32 %r, room; st.shared.u32 [%r], %r; ret; }\n"
	".visible .entry asks() { .reg .b32 %r; participant.u32 %r, %r; st.shared.u32 [word], %r; ret; }\n"
	".extern .func (.param .b64 r) malloc(.param .b64 n);\n.visible .entry heap() { .reg .b64 %d; { .param .b64 n; "
	".param .b64 r; st.param.b64 [n], 8;\n"
	"call (r), malloc, (n); ld.param.b64 %d, [r]; } ret; }\n"
	".visible .entry yields() { { .param .b64 a; st.param.b64 [a], 0; call __lockstep_yield, (a); } ret; }\n"
	".visible .entry parent() { .reg .b64 %d; mov.u64 %d, plain;\n"
	"{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n"
	"st.param.b64 [f], %d; call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); } ret; }\n"
	".visible .entry firmware() { { .param .b32 k; .param .b32 n; .param .b64 a; st.param.b32 [k], 0;\n"
	"st.param.b32 [n], 0; st.param.b64 [a], 0; call __lockstep_dispatch, (k, n, a); } ret; }\n";

/* Only a GPU with lock bits loads it. */
static const char locks[] =
	".version 8.0\n.target sm_90\n.address_size 64\n.shared .b32 word;\n.visible .entry locks() {\n"
	".reg .b32 %r; ldslk.shared.b32 %r, [word]; stsul.shared.b32 [word], %r; ret; }\n";

static struct lockstep_error error;

struct row {
	const char *gpu, *settings[3];
	struct lockstep_options options;
	struct lockstep_launch launch;
	const char *dispatches[2];
	uint64_t schedules;
	const char *why; /* null: it is taken */
};

/* What is drawn is of no interest. */
static void swallow(void *context, const char *text, size_t length)
{
	(void)context;
	(void)text;
	(void)length;
}

static void check(const struct row *row, size_t number)
{
	struct lockstep_options options = row->options;
	struct lockstep_launch launch = row->launch;
	struct lockstep_dispatchable list[2] = {{.kernel = row->dispatches[0]}, {.kernel = row->dispatches[1]}};
	static const char zeros[16];

	options.size = sizeof options;
	options.gpu = row->gpu;
	options.print = swallow;
	options.settings = row->settings;
	struct lockstep *gpu = lockstep_open(&options, &error);
	if (!gpu)
		fail_msg("row %zu: %s", number, error.message);
	launch.size = sizeof launch;
	launch.module = lockstep_load(gpu, "a.ptx", ptx, &error);
	if (!launch.module)
		fail_msg("row %zu: %s", number, error.message);
	if (list[0].kernel && !strcmp(list[0].kernel, "locks"))
		list[0].module = lockstep_load(gpu, "l.ptx", locks, &error);
	launch.dispatchables = list;
	launch.dispatchable_count = !row->dispatches[0] ? 0 : row->dispatches[1] ? 2 : 1;
	launch.parameters = zeros;
	for (uint32_t k = 0; k < 3; k++) {
		launch.grid[k] += !launch.grid[k];
		launch.block[k] += !launch.block[k];
	}
	*error.message = 0;
	const struct lockstep_result *result = row->schedules ? lockstep_search(gpu, &launch, row->schedules, &error)
							      : lockstep_run(gpu, &launch, &error);
	if (!row->why != (result != NULL) || strcmp(error.message, row->why ? row->why : ""))
		fail_msg("row %zu: '%s', expected '%s'", number, error.message, row->why ? row->why : "");
	assert_int_equal(lockstep_result_count(gpu), result != NULL);
	if (result)
		assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	lockstep_close(gpu);
}

#define CHECK(rows)                                                                                                    \
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)                                                        \
	check(&rows[k], k)

/* The h200 has clusters of 16 work-groups at most, on 16 cores that lie together; the gtx480 has none. */
static void clusters(void **state)
{
	static const struct row rows[] = {
		{"h200", .launch = {.kernel = "requires", .grid = {4, 2, 1}}},
		{"h200", .launch = {.kernel = "requires", .grid = {4, 2, 1}, .cluster = {2, 2, 1}}},
		{"h200", .launch = {.kernel = "requires", .grid = {4, 4, 1}, .cluster = {4, 1, 1}},
			.why = "kernel requires requires clusters of 2x2x1 work-groups (.reqnctapercluster)"},
		{"h200", .launch = {.kernel = "requires", .grid = {4, 4, 2}, .cluster = {2, 2, 2}},
			.why = "kernel requires requires clusters of 2x2x1 work-groups (.reqnctapercluster)"},
		{"h200", .launch = {.kernel = "requires", .grid = {4, 3, 1}},
			.why = "a grid of 4x3x1 work-groups cannot be divided into clusters of 2x2x1"},
		{"h200", .launch = {.kernel = "plain", .grid = {1, 1, 4}, .cluster = {1, 1, 3}},
			.why = "a grid of 1x1x4 work-groups cannot be divided into clusters of 1x1x3"},
		{"h200", .launch = {.kernel = "plain", .grid = {4, 2, 2}, .cluster = {4, 2, 2}}},
		{"h200", .launch = {.kernel = "plain", .grid = {17, 1, 1}, .cluster = {17, 1, 1}},
			.why = "a cluster of 17x1x1 work-groups is larger than the 16 that h200 allows "
			       "(cluster.groups)"},
		{"gtx480", .launch = {.kernel = "plain", .grid = {2, 1, 1}, .cluster = {2, 1, 1}},
			.why = "gtx480 has no clusters of work-groups (cluster.groups); for sm_90 use --gpu h200"},
		{"gtx480", .launch = {.kernel = "plain", .grid = {2, 1, 1}, .cluster = {1, 1, 1}}},
		{"h200", .launch = {.kernel = "most", .grid = {2, 1, 1}, .cluster = {2, 1, 1}}},
		{"h200", .launch = {.kernel = "most", .grid = {3, 1, 1}, .cluster = {3, 1, 1}},
			.why = "kernel most allows clusters of at most 2 work-groups (.maxclusterrank)"},
		{"h200", .launch = {.kernel = "given", .grid = {2, 1, 1}},
			.why = "kernel given is launched in clusters whose size is given (.explicitcluster)"},
		{"h200", .launch = {.kernel = "given", .grid = {2, 1, 1}, .cluster = {2, 1, 1}}},
		{"h200", {"policy.dispatch=obe"}, .options = {.mode = LOCKSTEP_FUNCTIONAL},
			.launch = {.kernel = "plain", .grid = {2, 1, 1}, .cluster = {2, 1, 1}},
			.why = "kernel plain is launched in clusters: dispatch policy 'obe' is a progress model, which "
			       "has none"},
		{"h200", {"policy.dispatch=obe"}, .options = {.mode = LOCKSTEP_FUNCTIONAL},
			.launch = {.kernel = "plain", .grid = {2, 1, 1}, .cluster = {1, 1, 1}}},
		/* 100,000 bytes and what is reserved: two on a core with 233,472 */
		{"h200", {"cluster.cores=4"},
			.launch = {.kernel = "plain", .grid = {8, 1, 1}, .cluster = {8, 1, 1}, .shared_bytes = 100000}},
		{"h200", {"cluster.cores=4"},
			.launch = {.kernel = "plain", .grid = {9, 1, 1}, .cluster = {9, 1, 1}, .shared_bytes = 100000},
			.why = "a cluster of 9 work-groups of kernel plain does not fit the 4 cores of h200 that lie "
			       "together (cluster.cores): a core holds 2"},
	};
	(void)state;
	CHECK(rows);
}

#define FIRMWARE .kernel = "firmware", .firmware = true

/* The apu-2014 has a control processor, wavefronts of 64, and the stack as its divergence model. */
static void firmware(void **state)
{
	static const struct lockstep_warp warp = {0, 0};
	static const uint32_t core = 0;
	static const struct row rows[] = {
		{"apu-2014", .launch = {FIRMWARE}, .dispatches = {"plain"}},
		{"apu-2014", .launch = {FIRMWARE}, .dispatches = {"one", "plain"}},
		{"apu-2014", .launch = {.kernel = "firmware"},
			.why = "kernel firmware calls __lockstep_dispatch: expected it to be launched as firmware "
			       "(--firmware)"},
		{"apu-2014", .launch = {.kernel = "yields"},
			.why = "kernel yields calls __lockstep_yield: expected it to be dispatched by firmware "
			       "(--dispatches)"},
		{"gtx480", .launch = {FIRMWARE}, .dispatches = {"plain"},
			.why = "kernel firmware is firmware: GPU gtx480 has no control processor; expected one that "
			       "has "
			       "(apu-2014), or --control ooo-2"},
		{"gtx480", {"policy.control=ooo-2"}, .launch = {FIRMWARE}, .dispatches = {"plain"}},
		{"apu-2014", .options = {.mode = LOCKSTEP_FUNCTIONAL}, .launch = {FIRMWARE}, .dispatches = {"plain"},
			.why = "kernel firmware is firmware, which does not run under functional mode: expected timing "
			       "mode"},
		{"apu-2014", {"policy.dispatch=obe"}, .launch = {FIRMWARE}, .dispatches = {"plain"},
			.why = "kernel firmware is firmware, which does not run under a progress model: expected "
			       "another dispatch policy"},
		{"apu-2014", .options = {.check = LOCKSTEP_CHECK_RACES}, .launch = {FIRMWARE}, .dispatches = {"plain"},
			.why = "kernel firmware is firmware, which does not run under --check: what firmware orders is "
			       "not known to it"},
		{"apu-2014", .options = {.check = LOCKSTEP_CHECK_INIT}, .launch = {FIRMWARE}, .dispatches = {"plain"},
			.why = "kernel firmware is firmware, which does not run under --check: what firmware orders is "
			       "not known to it"},
		{"apu-2014", .options = {.check = LOCKSTEP_CHECK_BARRIERS}, .launch = {FIRMWARE},
			.dispatches = {"plain"},
			.why = "kernel firmware is firmware, which does not run under --check: what firmware orders is "
			       "not known to it"},
		{"apu-2014", .options = {.profile = LOCKSTEP_PROFILE}, .launch = {FIRMWARE}, .dispatches = {"plain"},
			.why = "kernel firmware is firmware, which does not run under --profile: it has one kernel of "
			       "a "
			       "launch, not several"},
		{"apu-2014", .options = {.on_fault = LOCKSTEP_CONTINUE}, .launch = {FIRMWARE}, .dispatches = {"plain"},
			.why = "kernel firmware is firmware, which does not run under --on-fault continue: expected "
			       "stop"},
		{"apu-2014", .options = {.show = &warp}, .launch = {FIRMWARE}, .dispatches = {"plain"},
			.why = "kernel firmware is firmware, which does not run under --show"},
		{"apu-2014", .options = {.show_lock_bits = &core}, .launch = {FIRMWARE}, .dispatches = {"plain"},
			.why = "kernel firmware is firmware, which does not run under --show"},
		{"apu-2014", .launch = {FIRMWARE, .grid = {1, 2, 3}}, .dispatches = {"plain"},
			.why = "kernel firmware is firmware, one thread: expected a grid of 1, not 1x2x3"},
		{"apu-2014", .launch = {FIRMWARE},
			.why = "kernel firmware is firmware: expected a kernel that it may dispatch"},
		{"apu-2014", .launch = {FIRMWARE}, .dispatches = {"plain", "plane"}, .why = "a.ptx: no kernel 'plane'"},
		{"apu-2014", .launch = {FIRMWARE}, .dispatches = {"two"},
			.why = "kernel two has parameters, 2 of 16 bytes in all: expected one of 8 bytes, or none, of "
			       "a kernel "
			       "that firmware dispatches"},
		{"apu-2014", .launch = {FIRMWARE}, .dispatches = {"plain", "small"},
			.why = "kernel small has parameters, 1 of 4 bytes in all: expected one of 8 bytes, or none, of "
			       "a "
			       "kernel "
			       "that firmware dispatches"},
		{"apu-2014", .launch = {FIRMWARE}, .dispatches = {"array"},
			.why = "kernel array has parameters, 1 of 16 bytes in all: expected one of 8 bytes, or none, "
			       "of a "
			       "kernel "
			       "that firmware dispatches"},
		{"apu-2014", .launch = {FIRMWARE}, .dispatches = {"firmware"},
			.why = "kernel firmware calls __lockstep_dispatch, which is for firmware"},
		{"apu-2014", .launch = {FIRMWARE, .block = {64, 1, 1}}, .dispatches = {"yields"}},
		{"apu-2014", .launch = {FIRMWARE, .block = {13, 5, 1}}, .dispatches = {"yields"},
			.why = "kernel yields calls __lockstep_yield: expected work-groups of one wavefront, 64 "
			       "threads, "
			       "not 65"},
		{"apu-2014", {"shared.lock_bits=1024"}, .launch = {FIRMWARE}, .dispatches = {"locks"},
			.why = "kernel locks uses lock bits, which a kernel that firmware dispatches cannot"},
		{"apu-2014", .launch = {FIRMWARE}, .dispatches = {"asks"},
			.why = "kernel asks uses participant, which a kernel that firmware dispatches cannot"},
		{"apu-2014", .launch = {FIRMWARE, .shared_bytes = 70000}, .dispatches = {"plain"},
			.why = "a work-group of kernel plain of 1 threads does not fit a core of apu-2014"},
		{"h200", {"policy.control=ooo-2"}, .launch = {FIRMWARE, .cluster = {2, 1, 1}, .grid = {2, 1, 1}},
			.dispatches = {"plain"},
			.why = "kernel firmware is firmware, one thread: expected a grid of 1, not 2x1x1"},
	};
	(void)state;
	CHECK(rows);
}

/* What a launch's result says of occupancy is that of the dispatched kernel of which a core holds most, whichever is
 * named first. */
static void occupancy_of_firmware(void **state)
{
	static const char *const orders[][2] = {{"plain", "wide"}, {"wide", "plain"}};
	(void)state;
	for (uint32_t k = 0; k < 3; k++) {
		struct lockstep_options options = {.size = sizeof options, .gpu = "apu-2014"};
		struct lockstep *gpu = lockstep_open(&options, &error);
		struct lockstep_module *module = lockstep_load(gpu, "a.ptx", ptx, &error),
				       *other = lockstep_load(gpu, "b.ptx", ptx, &error);
		struct lockstep_occupancy most = {.size = sizeof most};
		struct lockstep_dispatchable list[2] = {
			{k ? other : NULL, orders[k % 2][0]}, {other, orders[k % 2][1]}};
		assert_true(lockstep_kernel_occupancy(module, k < 2 ? "plain" : "wide", 64, 0, &most, &error));
		if (k == 2)
			list[0].kernel = list[1].kernel = "wide";
		const struct lockstep_result *result = lockstep_run(gpu,
			&(struct lockstep_launch){.size = sizeof(struct lockstep_launch),
				.module = module,
				FIRMWARE,
				.grid = {1, 1, 1},
				.block = {64, 1, 1},
				.dispatchables = list,
				.dispatchable_count = 2},
			&error);
		if (!result)
			fail_msg("%s", error.message);
		assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
		assert_int_equal(result->groups_per_core, most.groups_per_core);
		assert_int_equal(result->groups, most.groups);
		assert_string_equal(result->kernel, "firmware");
		lockstep_close(gpu);
	}
}

#define CALLS "kernel parent calls __cudaCDP2GetParameterBufferV2, which does not run under "

static void kernels_that_launch(void **state)
{
	static const struct row rows[] = {
		{"gtx480", .launch = {.kernel = "parent"}},
		{"gtx480", {"policy.dispatch=obe"}, .options = {.mode = LOCKSTEP_FUNCTIONAL},
			.launch = {.kernel = "parent"},
			.why = CALLS "a progress model: expected another dispatch policy"},
		{"gtx480", .launch = {.kernel = "parent"}, .schedules = 5, .why = CALLS "a search of schedules"},
		{"gtx480", {"policy.coherence=moesi"}, .launch = {.kernel = "parent"},
			.why = CALLS
			"a directory (--coherence moesi): what a kernel writes may not be in memory when it "
			"launches another"},
		{"gtx480", {"policy.coherence=moesi"}, .launch = {.kernel = "plain"}},
		{"gtx480", {"policy.dispatch=obe"}, .options = {.mode = LOCKSTEP_FUNCTIONAL},
			.launch = {.kernel = "heap"}, .schedules = 5,
			.why = "kernel heap calls malloc or free: expected one that does not where schedules are "
			       "tried"},
		{"gtx480", {"policy.dispatch=obe"}, .options = {.mode = LOCKSTEP_FUNCTIONAL},
			.launch = {.kernel = "heap"}},
		{"gtx480", {"policy.dispatch=obe"}, .options = {.mode = LOCKSTEP_FUNCTIONAL},
			.launch = {.kernel = "plain", .grid = {64, 1, 1}}, .schedules = 5},
	};
	(void)state;
	CHECK(rows);
}

/* Work-groups of 33 threads have two warps. */
static void drawn_warps(void **state)
{
	static const struct lockstep_warp last = {5, 1}, group = {6, 0}, behind = {0, 2};
	static const struct row rows[] = {
		{"gtx480", .options = {.show = &last},
			.launch = {.kernel = "plain", .grid = {1, 2, 3}, .block = {3, 11, 1}}},
		{"gtx480", .options = {.show = &group},
			.launch = {.kernel = "plain", .grid = {1, 2, 3}, .block = {3, 11, 1}},
			.why = "work-group 6 is to be shown: expected one below 6"},
		{"gtx480", .options = {.show = &behind},
			.launch = {.kernel = "plain", .grid = {1, 2, 3}, .block = {3, 11, 1}},
			.why = "warp 2 of a work-group is to be shown: expected one below 2"},
		{"gtx480", .options = {.show = &behind}, .launch = {.kernel = "plain", .block = {65, 1, 1}}},
		{"gtx480", .options = {.show = &last},
			.launch = {.kernel = "plain", .grid = {6, 1, 1}, .block = {32, 1, 1}},
			.why = "warp 1 of a work-group is to be shown: expected one below 1"},
		{"v100", .options = {.show = &behind}, .launch = {.kernel = "plain", .block = {65, 1, 1}}},
	};
	(void)state;
	CHECK(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clusters),
		cmocka_unit_test(firmware),
		cmocka_unit_test(occupancy_of_firmware),
		cmocka_unit_test(kernels_that_launch),
		cmocka_unit_test(drawn_warps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
