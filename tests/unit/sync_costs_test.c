/* What synchronisation costs on rtx2070s, an instruction in the middle of many, against the RTX 2070 SUPER of
 * SyncPerformance (Burtchell and Burtscher, IISWC 2024: ../shared/reference/sync-silicon.csv), and without the field
 * that makes it so. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FEW 20
#define MANY 60
#define TEXT 16384

/* One operation after another; %a is the thread's word, %w the first one, %v and %x its values. */
struct operation {
	const char *text;
	uint32_t stride; /* bytes between the words of neighbouring threads */
	uint32_t groups, threads;
};

static const char head[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
			   ".visible .entry k(.param .u64 words, .param .u32 stride) {\n"
			   " .reg .b64 %w, %a, %x, %y; .reg .b32 %s, %t, %c, %n, %v, %u; .reg .pred %p, %q;\n"
			   " ld.param.u64 %w, [words]; ld.param.u32 %s, [stride]; mov.u32 %t, %tid.x;\n"
			   " mov.u32 %c, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.u32 %t, %c, %n, %t;\n"
			   " mul.lo.u32 %t, %t, %s; cvt.u64.u32 %x, %t; add.u64 %a, %w, %x; mov.u32 %v, %tid.x;\n";
static const char tail[] = " st.global.u32 [%w+1048576], %v; ret;\n}\n";

static const char *also; /* a setting besides */
static const char *gpu_name = "rtx2070s";

/* The cycles of a launch whose threads do so many, on `threads` of the host. */
static uint64_t cycles_of(const struct operation *o, uint32_t count, const char *setting, uint32_t threads)
{
	static char ptx[TEXT];
	const char *settings[] = {setting, also, NULL};
	struct lockstep_options options = {.size = sizeof options,
		.gpu = gpu_name,
		.settings = setting ? settings : NULL,
		.mode = LOCKSTEP_TIMING,
		.threads = threads};
	struct lockstep_error error;
	struct lockstep *gpu = lockstep_open(&options, &error);
	size_t length = (size_t)snprintf(ptx, sizeof ptx, "%s", head);
	assert_non_null(gpu);
	for (uint32_t k = 0; k < count; k++)
		length += (size_t)snprintf(ptx + length, sizeof ptx - length, " %s\n", o->text);
	length += (size_t)snprintf(ptx + length, sizeof ptx - length, "%s", tail);
	assert_true(length < sizeof ptx);
	struct {
		uint64_t words;
		uint32_t stride;
	} parameters = {lockstep_allocate(gpu, 2 << 20, "words"), o->stride};
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = lockstep_load(gpu, "costs.ptx", ptx, &error),
		.kernel = "k",
		.grid = {o->groups, 1, 1},
		.block = {o->threads, 1, 1},
		.parameters = &parameters,
		.parameter_bytes = 12}; /* without what C adds behind */
	assert_non_null(launch.module);
	const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);
	assert_non_null(result);
	uint64_t cycles = result->cycles;
	lockstep_close(gpu);
	return cycles;
}

/* Tenths of a cycle for each of the operations between the first FEW and the last. */
static uint32_t tenths(const struct operation *o, const char *setting)
{
	return (uint32_t)((cycles_of(o, MANY, setting, 1) - cycles_of(o, FEW, setting, 1)) * 10 / (MANY - FEW));
}

/* In the hostile build queues are short and other costs come on top: there the kernels only run. */
static void near(uint32_t is, uint32_t should, uint32_t percent)
{
#if !LOCKSTEP_HOSTILE
	assert_in_range(is, should - should * percent / 100, should + should * percent / 100);
#else
	(void)is, (void)should, (void)percent;
#endif
}

static void below(uint32_t is, uint32_t bound)
{
#if !LOCKSTEP_HOSTILE
	assert_true(is < bound);
#else
	(void)is, (void)bound;
#endif
}

/* A warp alone, each lane but the first switched off by `stride`: what it reads, at two cycles a register. */
static void operands_take_their_time(void **state)
{
	struct operation of32 = {"red.global.add.u32 [%a], %v;", 4, 1, 1},
			 of64 = {"red.global.add.u64 [%a], %x;", 8, 1, 1},
			 swap = {"atom.global.cas.b32 %u, [%a], %v, %v;", 4, 1, 1},
			 wide = {"atom.global.cas.b64 %y, [%a], %x, %x;", 8, 1, 1};
	(void)state;
	near(tenths(&of32, NULL), 60, 5);
	near(tenths(&of64, NULL), 80, 5);
	near(tenths(&swap, NULL), 80, 5);
	near(tenths(&wide, NULL), 120, 5);
	below(tenths(&of32, "lsu.operand=0"), 20); /* 1.6, as a lone lane */
}

/* Full lines of one warp and of eight, lines every second, fourth and sixteenth word, and lanes on lines of their own.
 */
static void packets_have_the_shape_of_sectors(void **state)
{
	struct operation dense = {"red.global.add.u32 [%a], %v;", 4, 1, 256},
			 second = {"red.global.add.u32 [%a], %v;", 8, 1, 256},
			 sparse = {"red.global.add.u32 [%a], %v;", 64, 1, 256},
			 lone = {"red.global.add.u32 [%a], %v;", 128, 1, 256},
			 one = {"red.global.add.u64 [%w], %x;", 0, 1, 256},
			 swaps = {"atom.global.cas.b32 %u, [%a], %v, %v;", 4, 1, 256},
			 pairs = {"atom.global.cas.b32 %u, [%a], %v, %v;", 64, 1, 256};
	(void)state;
	near(tenths(&dense, NULL), 400, 5);
	near(tenths(&second, NULL), 800, 5);
	near(tenths(&sparse, NULL), 3840, 5);
	near(tenths(&lone, NULL), 4096, 5);
	near(tenths(&one, NULL), 4096, 5);
	near(tenths(&swaps, NULL), 800, 5);
	near(tenths(&pairs, NULL), 5120, 5);
	below(tenths(&lone, "atomic.lone=0"), 3000); /* a flit a lane */
	below(tenths(&pairs, "atomic.packets=0"), 2000);
}

/* Two cores that share a port take twice as long, whatever the threads of the host; a third and fourth have their own.
 * The model's dispatcher takes a core of each port first. */
static void cores_share_a_port(void **state)
{
	struct operation alone = {"red.global.add.u32 [%a], %v;", 4, 1, 256},
			 two = {"red.global.add.u32 [%a], %v;", 4, 2, 256},
			 four = {"red.global.add.u32 [%a], %v;", 4, 4, 256},
			 lone = {"red.global.add.u32 [%a], %v;", 128, 2, 256},
			 swaps = {"atom.global.cas.b32 %u, [%a], %v, %v;", 128, 2, 256};
	(void)state;
	near(tenths(&alone, NULL), 400, 5);
	near(tenths(&two, NULL), 400, 5);
	near(tenths(&two, "policy.dispatch=in-order"), 800, 5);
	near(tenths(&four, "policy.dispatch=in-order"), 800, 5);
	/* a flit a lane; alone a core takes 1.6 cycles for it */
	near(tenths(&lone, "policy.dispatch=in-order"), 5120, 13);
	near(tenths(&swaps, "policy.dispatch=in-order"), 10240, 5);
	near(tenths(&two, "crossbar.cores=1"), 400, 5);
	assert_int_equal(cycles_of(&four, FEW, NULL, 1), cycles_of(&four, FEW, NULL, 3));
}

/* Lone lanes of cores that share a port, 256 in each group: two cores of a100, four of rtx4090.  sync.csv: a100,
 * atomiccas_array_pass_v2 of int, 108 groups of 256 threads, 768.7 cycles for lines of their own and 741.8 for two on a
 * line; rtx4090, 128 groups, 1,294 and 1,264, and additions of float on lines of their own 1,281. */
static void lone_lanes_take_the_shared_port(void **state)
{
	struct operation pair = {"atom.global.cas.b32 %u, [%a], %v, %v;", 128, 2, 256},
			 near_by = {"atom.global.cas.b32 %u, [%a], %v, %v;", 64, 2, 256},
			 swap = {"atom.global.exch.b32 %u, [%a], %v;", 128, 2, 256},
			 alone = {"atom.global.cas.b32 %u, [%a], %v, %v;", 128, 1, 256},
			 four = {"atom.global.cas.b32 %u, [%a], %v, %v;", 128, 4, 256},
			 added = {"red.global.add.f32 [%a], 0f3F800000;", 128, 4, 256};
	(void)state;
	also = "policy.dispatch=in-order";
	gpu_name = "a100";
	near(tenths(&pair, "atomic.waits=0"), 7680, 5);
	near(tenths(&near_by, "atomic.waits=0"), 7680, 5);
	near(tenths(&swap, "atomic.waits=0"), 7680, 5);
	near(tenths(&alone, "atomic.waits=0"), 5120, 5);
	near(tenths(&pair, "atomic.link_swap=0"), 5120, 5);
	assert_int_equal(cycles_of(&pair, FEW, "atomic.waits=0", 1), cycles_of(&pair, FEW, "atomic.waits=0", 3));
	gpu_name = "rtx4090";
	near(tenths(&four, "atomic.waits=0"), 12288, 5);
	near(tenths(&added, "atomic.waits=0"), 12288, 5);
	near(tenths(&added, "atomic.link=0"), 10240, 5);
	also = NULL;
	gpu_name = "rtx2070s";
}

/* One word: integers 1.048 cycles apart, floats and doubles 3.145; of 32 lanes of 4 cores. */
static void intervals_have_fractions(void **state)
{
	struct operation swaps = {"atom.global.cas.b32 %u, [%w], %v, %v;", 0, 4, 32};
	struct operation integers = {"red.global.add.u64 [%w], %x;", 0, 4, 32},
			 floats = {"red.global.add.f32 [%w], 0f3F800000;", 0, 4, 32},
			 doubles = {"red.global.add.f64 [%w], 0d3FF0000000000000;", 0, 4, 32};
	(void)state;
	near(tenths(&integers, NULL), 1342, 2);
	near(tenths(&swaps, NULL), 1342, 2);
	near(tenths(&floats, NULL), 4026, 2);
	near(tenths(&doubles, NULL), 4026, 2);
	near(tenths(&floats, "atomic.float_interval=0"), 1342, 2);
	near(tenths(&doubles, "atomic.clock=0"), 3840, 2);
}

/* Full lines on one slice: floats four a cycle of the L2, doubles one. */
static void rates_depend_on_the_type(void **state)
{
	struct operation floats = {"red.global.add.f32 [%a], 0f3F800000;", 4, 1, 32},
			 doubles = {"red.global.add.f64 [%a], 0d3FF0000000000000;", 8, 1, 32};
	(void)state;
	near(tenths(&floats, NULL), 84, 5);
	near(tenths(&doubles, NULL), 336, 5);
	near(tenths(&doubles, "atomic.double_rate=0"), 105, 8);
}

/* A store and a fence: a round trip of 178 cycles, and the fence's latency. */
static void fences_cost_by_scope(void **state)
{
	struct operation device = {"st.global.u32 [%a], %v; membar.gl;", 4, 1, 32},
			 system = {"st.global.u32 [%a], %v; membar.sys;", 4, 1, 32},
			 group = {"membar.cta;", 4, 1, 1024},
			 behind = {"st.global.u32 [%a], %v; membar.cta;", 4, 1, 32};
	uint32_t of_device = tenths(&device, NULL), of_system = tenths(&system, "fence.system_interval=0");
	(void)state;
	near(of_system - of_device, 10 * (1750 - 190), 1);
	also = "fence.system_interval=0";
	near(tenths(&system, "fence.system_latency=0"), of_device, 1);
	also = NULL;
	near(tenths(&group, NULL), 32 * 60, 5);
	assert_true(tenths(&group, "fence.group_cycles=0") < 32 * 15);
	/* behind a store, whose operands take the unit for 6 cycles */
	near(tenths(&behind, "fence.group_latency=20"), 10 * (6 + 20), 5);
}

/* Rows of sync.csv, rtx2070s, threadfence_system_array, int, stride 32: 2,296 cycles of one thread, 2,311 of one warp;
 * of 40 threads on 40 cores 2,651 (float).  The loop without the fence takes 100. */
static void system_fences_come_in_rounds(void **state)
{
	struct operation thread = {"st.global.u32 [%a], %v; membar.sys;", 128, 1, 1},
			 warp = {"st.global.u32 [%a], %v; membar.sys;", 128, 1, 32},
			 cores = {"st.global.u32 [%a], %v; membar.sys;", 128, 40, 1};
	(void)state;
	near(tenths(&thread, NULL), 23960, 2);
	near(tenths(&warp, NULL), 24110, 2);
	near(tenths(&cores, NULL), 27510, 3);
}

/* Fences of a core that come too late for its request wait for its answer, so each of two groups misses every second
 * round.  Row of grids.csv: float, stride 16, 80 groups of 32 threads, 4,442 cycles. */
static void late_system_fences_need_two_rounds(void **state)
{
	struct operation late = {"st.global.u32 [%a], %v; membar.sys;", 64, 80, 32};
	(void)state;
	near(tenths(&late, NULL), 45420, 20);
	below(tenths(&late, "fence.system_window=1000"), 30000);
	assert_int_equal(cycles_of(&late, FEW, NULL, 1), cycles_of(&late, FEW, NULL, 3));
}

/* All warps of the GPU that come while a round goes on share the next: 4 groups of 8 warps.  Whatever the threads of
 * the host. */
static void system_fences_share_rounds(void **state)
{
	struct operation fences = {"membar.sys;", 4, 4, 256};
	(void)state;
	near(tenths(&fences, "fence.system_core=0"), 24000, 2);
	near(tenths(&fences, "fence.system_core=100"), 10 * (2400 + 4 * 100), 2);
	also = "fence.system_window=0";
	near(tenths(&fences, "fence.system_warp=10"), 10 * (2400 + 4 * 8 + 32 * 10), 2);
	also = NULL;
	near(tenths(&fences, "fence.system_interval=0"), 17500, 2);
	assert_int_equal(cycles_of(&fences, FEW, NULL, 1), cycles_of(&fences, FEW, NULL, 3));
}

/* 20 cycles and 2 a warp, and nothing for the order in which the schedulers issue them. */
static void barriers_let_warps_go_one_after_another(void **state)
{
	struct operation of1 = {"bar.sync 0;", 4, 1, 32}, of32 = {"bar.sync 0;", 4, 1, 1024};
	(void)state;
	near(tenths(&of1, NULL), 220, 2);
	near(tenths(&of32, NULL), 840, 2);
	assert_true(tenths(&of32, "barrier.in_turn=0") > 880);
}

static void a_warp_barrier_takes_no_unit(void **state)
{
	struct operation of1 = {"bar.warp.sync -1;", 4, 1, 32}, of32 = {"bar.warp.sync -1;", 4, 1, 1024};
	(void)state;
	near(tenths(&of1, NULL), 50, 25); /* and the fetches of code that no loop repeats */
	near(tenths(&of32, NULL), 80, 25);
	assert_true(tenths(&of32, "latency.warp_barrier=0") > 300);
}

static void shuffles_to_neighbours_are_quicker(void **state)
{
	struct operation up = {"shfl.sync.up.b32 %v|%p, %v, 1, 0, -1;", 4, 1, 32},
			 idx = {"shfl.sync.idx.b32 %v|%p, %v, 1, 31, -1;", 4, 1, 32},
			 wide = {"mov.b64 {%c, %n}, %x; shfl.sync.up.b32 %c|%p, %c, 1, 0, -1;\n"
				 " shfl.sync.up.b32 %n|%p, %n, 1, 0, -1; mov.b64 %x, {%c, %n};",
				 4, 1, 32},
			 wide8 = {wide.text, 4, 1, 256};
	(void)state;
	near(tenths(&up, NULL), 230, 2);
	near(tenths(&idx, NULL), 250, 2);
	near(tenths(&wide, NULL), 220, 5); /* of 64 bits: the halves do not wait for each other */
	near(tenths(&wide8, NULL), 310, 5);
	near(tenths(&up, "latency.shift=0"), 250, 2);
}

/* An A100: 23 cycles, and 11 for each different value (13 of 64 bits).  The values are lane numbers, shifted. */
static void a_match_costs_by_the_number_of_values(void **state)
{
	struct operation one = {NULL, 4, 1, 32};
	uint32_t values[3];
	(void)state;
	static const char *const texts[] = {
		"shr.u32 %u, %t, 7; add.u32 %v, %v, %u; match.any.sync.b32 %v, %v, -1; mov.u32 %v, 0;",
		"shr.u32 %u, %t, 5; add.u32 %v, %v, %u; match.any.sync.b32 %v, %v, -1; mov.u32 %v, 0;",
		"shr.u32 %u, %t, 4; add.u32 %v, %v, %u; match.any.sync.b32 %v, %v, -1; mov.u32 %v, 0;"};
	also = "match.value=11";
	for (uint32_t k = 0; k < 3; k++) { /* %t is the lane times 4: one, four and eight values */
		one.text = texts[k];
		values[k] = tenths(&one, "match.any=23");
	}
	/* eight values in lanes that name each other only: one match like that of the whole warp before */
	one.text =
		"shr.u32 %v, %t, 4; match.any.sync.b32 %c, %v, -1; match.any.sync.b32 %c, %v, %c; add.u32 %t, %t, %c; "
		"sub.u32 %t, %t, %c;";
	near(tenths(&one, "match.any=23"), 10 * 2 * (23 + 8 * 11), 10);
	also = NULL;
	near(values[1] - values[0], 10 * 11 * 3, 2);
	near(values[2] - values[1], 10 * 11 * 4, 2);
}

/* What ptxas makes of additions of a warp to one word, from compute capability 8.0 on: one of 32 bits, none of 64. */
static void words_of_32_bits_are_summed_up(void **state)
{
	struct operation word = {"red.global.add.u32 [%w], %v;", 4, 1, 32},
			 wide = {"red.global.add.u64 [%w], %x;", 4, 1, 32};
	(void)state;
	near(tenths(&word, "atomic.combine=1"), 60, 5);
	near(tenths(&wide, "atomic.combine=1"), tenths(&wide, NULL), 0);
	assert_true(tenths(&word, NULL) > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_take_their_time),
		cmocka_unit_test(packets_have_the_shape_of_sectors),
		cmocka_unit_test(cores_share_a_port),
		cmocka_unit_test(lone_lanes_take_the_shared_port),
		cmocka_unit_test(words_of_32_bits_are_summed_up),
		cmocka_unit_test(intervals_have_fractions),
		cmocka_unit_test(rates_depend_on_the_type),
		cmocka_unit_test(fences_cost_by_scope),
		cmocka_unit_test(system_fences_come_in_rounds),
		cmocka_unit_test(late_system_fences_need_two_rounds),
		cmocka_unit_test(system_fences_share_rounds),
		cmocka_unit_test(barriers_let_warps_go_one_after_another),
		cmocka_unit_test(a_warp_barrier_takes_no_unit),
		cmocka_unit_test(shuffles_to_neighbours_are_quicker),
		cmocka_unit_test(a_match_costs_by_the_number_of_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
