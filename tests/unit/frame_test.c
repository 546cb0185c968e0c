/* What a warp starts with and what a frame gives: special registers by the PTX ISA's definitions (chapter 10),
 * addresses of the stack, and the copies of arguments and results against a plain copy of bytes. */
#include "util/text.h"
#include "warp/choose.h"
#include "warp/frame.h"
#include "warp/memory.h"
#include "warp/warp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- Special registers ---- */

/* 48 threads of 8 x 3 x 2, in the second half of which this warp is. */
static struct launch_values values = {.grid = {9, 10, 11},
	.cluster = {3, 5, 1},
	.block = {8, 3, 2},
	.grid_id = 0x500000007,
	.dynamic_shared = 1000,
	.total_shared = 1128,
	.reserved_shared = 1024,
	.core_count = 15,
	.warps_per_core = 48,
	.envreg = {[0] = 70, [31] = 71},
	.nanoseconds_numerator = 3,
	.nanoseconds_denominator = 2};
static struct warp warp = {.lanes = 64,
	.group = {5, 6, 7},
	.first_thread = 16,
	.core = 13,
	.slot = 21,
	.now = 0x500000002,
	.launch = &values};

static void specials_of_a_lane(void **state)
{
	(void)state;
	/* Lane 43 is thread 59 of its group: 59 = 3 + 8 * (1 + 3 * 2). */
	static const struct {
		enum ptx_special special;
		uint32_t component;
		uint64_t value;
	} of_lane_43[] = {
		{SPECIAL_TID, 0, 3},
		{SPECIAL_TID, 1, 1},
		{SPECIAL_TID, 2, 2},
		{SPECIAL_TID, 3, 0},
		{SPECIAL_CTAID, 0, 5},
		{SPECIAL_CTAID, 1, 6},
		{SPECIAL_CTAID, 2, 7},
		{SPECIAL_CTAID, 3, 0},
		{SPECIAL_CLUSTERID, 0, 1},
		{SPECIAL_CLUSTERID, 1, 1},
		{SPECIAL_CLUSTERID, 2, 7},
		{SPECIAL_CLUSTER_CTAID, 0, 2},
		{SPECIAL_CLUSTER_CTAID, 1, 1},
		{SPECIAL_CLUSTER_CTARANK, 0, 5}, /* 2 + 3 * 1 */
		{SPECIAL_LANEID, 0, 43},
		{SPECIAL_LANEMASK_EQ, 0, 0x00000800}, /* bit 11: masks are of the half of the warp */
		{SPECIAL_LANEMASK_LT, 0, 0x000007ff},
		{SPECIAL_LANEMASK_LE, 0, 0x00000fff},
		{SPECIAL_LANEMASK_GE, 0, 0xfffff800},
		{SPECIAL_LANEMASK_GT, 0, 0xfffff000},
		{SPECIAL_WARPID, 0, 21},
		{SPECIAL_SMID, 0, 13},
		{SPECIAL_CLOCK, 0, 2},
		{SPECIAL_CLOCK_HI, 0, 5},
		{SPECIAL_CLOCK64, 0, 0x500000002},
		{SPECIAL_GLOBALTIMER, 0, 0x780000003}, /* 0x500000002 * 3 / 2 */
		{SPECIAL_GLOBALTIMER_LO, 0, 0x80000003},
		{SPECIAL_GLOBALTIMER_HI, 0, 7},
		{SPECIAL_PM, 0, 0},
	};
	for (size_t k = 0; k < sizeof of_lane_43 / sizeof *of_lane_43; k++)
		if (frame_special(&warp, 43, of_lane_43[k].special, of_lane_43[k].component) != of_lane_43[k].value)
			fail_msg("special register %u, component %u", of_lane_43[k].special, of_lane_43[k].component);
	assert_int_equal(frame_special(&warp, 31, SPECIAL_LANEMASK_LE, 0), 0xffffffff);
	assert_int_equal(frame_special(&warp, 31, SPECIAL_LANEMASK_GT, 0), 0);
	assert_int_equal(frame_special(&warp, 32, SPECIAL_LANEMASK_LT, 0), 0);
	/* A launch that does not say how long a cycle is: cycles.  Products of over 64 bits are exact. */
	struct launch_values other = {.nanoseconds_numerator = 1000000000, .nanoseconds_denominator = 1000000000};
	struct warp late = {.lanes = 32, .now = 0x123456789abcdef0, .launch = &other};
	assert_int_equal(frame_special(&late, 0, SPECIAL_GLOBALTIMER, 0), 0x123456789abcdef0);
	other.nanoseconds_denominator = 0;
	assert_int_equal(frame_special(&late, 0, SPECIAL_GLOBALTIMER, 0), 0x123456789abcdef0);
}

/* Every lane's of a launch constant, alone in the constants. */
static uint64_t of_launch(uint32_t lanes, enum ptx_special special, uint8_t component, uint8_t bytes)
{
	uint32_t constants[130];
	struct launch_constant wanted = {1, (uint8_t)special, component, bytes};
	struct kernel kernel = {.lanes = lanes, .launch_constants = &wanted, .launch_constant_count = 1};
	uint64_t first = 0;

	memset(constants, 0xa5, sizeof constants);
	warp_fill_launch_constants(&kernel, &values, constants);
	memcpy(&first, constants + 1, bytes);
	for (uint32_t lane = 0; lane < lanes; lane++)
		assert_memory_equal(constants + 1 + lane * bytes / 4, &first, bytes);
	assert_int_equal(constants[0], 0xa5a5a5a5);
	assert_int_equal(constants[1 + lanes * bytes / 4], 0xa5a5a5a5);
	return first;
}

static void specials_of_a_launch(void **state)
{
	(void)state;
	static const struct {
		enum ptx_special special;
		uint8_t component;
		uint64_t value;
	} wanted[] = {
		{SPECIAL_NTID, 0, 8},
		{SPECIAL_NTID, 1, 3},
		{SPECIAL_NTID, 2, 2},
		{SPECIAL_NTID, 3, 0},
		{SPECIAL_NCTAID, 0, 9},
		{SPECIAL_NCTAID, 1, 10},
		{SPECIAL_NCTAID, 2, 11},
		{SPECIAL_NCTAID, 3, 0},
		{SPECIAL_NCLUSTERID, 0, 3},
		{SPECIAL_NCLUSTERID, 1, 2},
		{SPECIAL_CLUSTER_NCTAID, 1, 5},
		{SPECIAL_CLUSTER_NCTARANK, 0, 15},
		{SPECIAL_NCLUSTERID, 3, 0},
		{SPECIAL_GRIDID, 0, 0x500000007},
		{SPECIAL_NSMID, 0, 15},
		{SPECIAL_NWARPID, 0, 48},
		{SPECIAL_ENVREG, 0, 70},
		{SPECIAL_ENVREG, 1, 0},
		{SPECIAL_ENVREG, 31, 71},
		{SPECIAL_ENVREG, 32, 0},
		{SPECIAL_DYNAMIC_SMEM_SIZE, 0, 1000},
		{SPECIAL_TOTAL_SMEM_SIZE, 0, 1128},
		{SPECIAL_AGGR_SMEM_SIZE, 0, 2152},
		{SPECIAL_RESERVED_SMEM, 0, 0},
	};
	for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
		for (uint32_t lanes = 32; lanes <= 64; lanes += 32) {
			assert_int_equal(of_launch(lanes, wanted[k].special, wanted[k].component, 8), wanted[k].value);
			assert_int_equal(
				of_launch(lanes, wanted[k].special, wanted[k].component, 4), (uint32_t)wanted[k].value);
		}
	/* In functional mode, which has no cores, the warps of a group: of 48 threads, of 64, of 65. */
	values.warps_per_core = 0;
	assert_int_equal(of_launch(32, SPECIAL_NWARPID, 0, 4), 2);
	assert_int_equal(of_launch(64, SPECIAL_NWARPID, 0, 4), 1);
	memcpy(values.block, (uint32_t[]){16, 2, 2}, sizeof values.block);
	assert_int_equal(of_launch(32, SPECIAL_NWARPID, 0, 4), 2);
	assert_int_equal(of_launch(64, SPECIAL_NWARPID, 0, 4), 1);
	memcpy(values.block, (uint32_t[]){13, 5, 1}, sizeof values.block);
	assert_int_equal(of_launch(32, SPECIAL_NWARPID, 0, 4), 3);
	assert_int_equal(of_launch(64, SPECIAL_NWARPID, 0, 4), 2);
	memcpy(values.block, (uint32_t[]){8, 3, 2}, sizeof values.block);
	values.warps_per_core = 48;
}

/* Of all lanes, from constants that are filled when a warp starts and from a written mov, as the machine asks for one
 * lane; blocks whose rows end within a warp, and one that is a row. */
static void warps_start_with_what_their_lanes_have(void **state)
{
	(void)state;
	static const uint32_t blocks[][3] = {{8, 3, 2}, {1, 1, 48}, {48, 1, 1}, {6, 7, 2}, {200, 1, 1}, {1, 200, 1}};
	static const uint8_t specials[] = {SPECIAL_TID, SPECIAL_CTAID, SPECIAL_CLUSTERID, SPECIAL_LANEID,
		SPECIAL_LANEMASK_LT, SPECIAL_LANEMASK_GE};

	for (uint32_t k = 0; k < 6 * 6 * 4 * 2 * 2; k++) {
		uint32_t lanes = k % 2 ? 64 : 32, bytes = k / 2 % 2 ? 8 : 4, component = k / 4 % 4;
		_Alignas(8) uint32_t narrow[66], wide[131];
		struct warp_constant constant = {
			bytes == 8 ? SLOT_WIDE | 2 : 1, specials[k / 16 % 6], (uint8_t)component, (uint8_t)bytes};
		struct kernel kernel = {.lanes = lanes, .warp_constants = &constant, .warp_constant_count = 1};
		struct launch_values launch = {
			.block = {blocks[k / 96][0], blocks[k / 96][1], blocks[k / 96][2]}, .cluster = {1, 1, 1}};
		struct warp w = {.kernel = &kernel,
			.registers = narrow,
			.wide_registers = wide,
			.bank = {narrow, wide},
			.lanes = lanes,
			.memory = warp_memory(lanes),
			.group = {5, 6, 7},
			.first_thread = lanes,
			.launch = &launch};
		struct insn mov = {.inserted = INSERTED_SPECIAL,
			.d = constant.word,
			.d_bytes = (uint8_t)bytes,
			.special = constant.special,
			.component = (uint8_t)component};
		uint32_t *slot = bytes == 8 ? wide + 2 : narrow + 1;
		lane_mask some = 0xf0f00000ff07 & ~0ull >> (64 - lanes);

		memset(narrow, 0xa5, sizeof narrow);
		memset(wide, 0xa5, sizeof wide);
		warp_fill_start(&w);
		for (uint32_t lane = 0; lane < lanes; lane++) {
			uint64_t expected = frame_special(&w, lane, constant.special, component), value = 0;

			memcpy(&value, slot + lane * bytes / 4, bytes);
			if (value != expected)
				fail_msg("lane %u of %u, special register %u, component %u: %llu", lane, lanes,
					constant.special, component, (unsigned long long)value);
		}
		assert_int_equal(narrow[0], 0xa5a5a5a5);
		assert_int_equal(wide[1], 0xa5a5a5a5);
		assert_int_equal(slot[lanes * bytes / 4], 0xa5a5a5a5);
		memset(slot, 0xa5, lanes * bytes);
		frame_exec_lookup (&mov)(&w, &mov, some);
		for (uint32_t lane = 0; lane < lanes; lane++) {
			uint64_t expected = frame_special(&w, lane, constant.special, component), value = 0;

			memcpy(&value, slot + lane * bytes / 4, bytes);
			if (some >> lane & 1)
				assert_int_equal(value, expected);
			else
				assert_int_equal(value, bytes == 8 ? 0xa5a5a5a5a5a5a5a5 : 0xa5a5a5a5);
		}
		assert_int_equal(slot[lanes * bytes / 4], 0xa5a5a5a5);
	}
}

/* ---- The stack ---- */

enum { LOCAL_BYTES = 192, WORDS = 8 * 64 };
static uint64_t seed = 5;

static void addresses_are_behind_the_frames_base(void **state)
{
	(void)state;
	for (uint32_t bytes = 4; bytes <= 8; bytes += 4) {
		_Alignas(8) uint32_t registers[128];
		struct warp w = {.bank = {registers, registers}, .lanes = 32, .stack_base = 0x120};
		struct insn i = {.inserted = INSERTED_STACK_ADDRESS, .d = 0, .d_bytes = (uint8_t)bytes, .offset = 24};

		memset(registers, 0xa5, sizeof registers);
		frame_exec_lookup (&i)(&w, &i, 0x80000005);
		for (uint32_t lane = 0; lane < 32; lane++) {
			uint64_t value = 0, old = bytes == 8 ? 0xa5a5a5a5a5a5a5a5 : 0xa5a5a5a5;

			memcpy(&value, registers + lane * bytes / 4, bytes);
			assert_int_equal(value, 0x80000005u >> lane & 1 ? 0x138 : old);
		}
		assert_int_equal(registers[32 * bytes / 4], 0xa5a5a5a5);
	}
}

/* Both files, and local memory a byte of a lane at a time: struct warp says where it is. */
struct memory {
	uint32_t registers[WORDS];
	uint8_t local[LOCAL_BYTES * 64];
};

static uint8_t *local_at(struct memory *m, uint32_t lanes, uint32_t lane, uint32_t offset)
{
	return m->local + (offset / 4 * lanes + lane) * 4 + offset % 4;
}

/* A byte of a slot; those of 16 bytes have the upper halves behind all lower ones. */
static uint8_t *slot_byte(struct memory *m, uint32_t lanes, uint32_t lane, uint32_t slot, uint32_t width, uint32_t k)
{
	uint32_t at = width == 4 ? lane * 4 + k : (k / 8 * lanes + lane) * 8 + k % 8;

	return (uint8_t *)(m->registers + slot) + at;
}

/* What a copy means: bytes one by one, zeros above what is narrower than its slot; what lies behind the end of local
 * memory is read as 0 and not written. */
static void copy_plainly(struct memory *m, uint32_t lanes, uint32_t lane, uint32_t base, const struct call_copy *c)
{
	uint8_t bytes[64] = {0};

	for (uint32_t k = 0; k < c->bytes; k++)
		if (!c->from_stack)
			bytes[k] = *slot_byte(m, lanes, lane, c->from, c->from_bytes, k);
		else if (base + c->from + k < LOCAL_BYTES)
			bytes[k] = *local_at(m, lanes, lane, base + c->from + k);
	for (uint32_t k = 0; c->to_stack && k < c->bytes && base + c->to + k < LOCAL_BYTES; k++)
		*local_at(m, lanes, lane, base + c->to + k) = bytes[k];
	for (uint32_t k = 0; !c->to_stack && k < c->to_bytes; k++)
		*slot_byte(m, lanes, lane, c->to, c->to_bytes, k) = bytes[k];
}

/* Registers hold at most 16 bytes and have their own slots; blocks of the stack may be longer. */
static struct call_copy draw_copy(uint32_t lanes)
{
	static const uint8_t widths[] = {4, 8, 16};
	uint64_t r = splitmix64(&seed);
	struct call_copy c = {.from_stack = r & 1, .to_stack = r >> 1 & 1};
	uint32_t most = 56;

	c.from_bytes = widths[(r >> 2) % 3];
	c.to_bytes = widths[(r >> 8) % 3];
	if (!c.from_stack)
		most = c.from_bytes;
	if (!c.to_stack && c.to_bytes < most)
		most = c.to_bytes;
	c.bytes = (r >> 16 & 3) == 0 ? most : 1 + (uint32_t)(r >> 20) % most;
	c.from = c.from_stack ? (uint32_t)(r >> 32) % 44 : 0;
	c.to = c.to_stack ? 100 + (uint32_t)(r >> 48) % 100 : 4 * lanes; /* behind the widest slot */
	return c;
}

static void copies_are_of_bytes(void **state)
{
	(void)state;
	static struct memory got, expected;

	for (uint32_t round = 0; round < 4000; round++) {
		uint32_t lanes = round % 8 ? 32 : 64;
		struct call_copy copy[2] = {draw_copy(lanes), draw_copy(lanes)};
		struct insn_extra extra = {.arguments = copy, .argument_count = 1 + round % 2};
		struct kernel kernel = {.extras = &extra};
		struct insn i = {.inserted = INSERTED_ARGUMENTS};
		struct warp w = {.bank = {got.registers, got.registers},
			.lanes = lanes,
			.kernel = &kernel,
			.local = got.local,
			.local_bytes = LOCAL_BYTES,
			.stack_base = (round / 2 % 4) * 8};
		lane_mask active = splitmix64(&seed) & ~0ull >> (64 - lanes);

		if (round % 3 == 0) { /* results of a call are copied likewise, from the frame that lies above */
			extra = (struct insn_extra){.returns = copy, .return_count = extra.argument_count};
			i.inserted = INSERTED_RETURNS;
			for (uint32_t n = 0; n < 2; n++)
				if (copy[n].from_stack && copy[n].to_stack) {
					uint32_t low = copy[n].from;

					copy[n].from = copy[n].to;
					copy[n].to = low;
				} else if (copy[n].from_stack) {
					copy[n].from += 140;
				}
		}
		for (size_t k = 0; k < sizeof got; k++)
			((uint8_t *)&got)[k] = (uint8_t)splitmix64(&seed);
		expected = got;
		for (uint32_t n = 0; n < 1 + round % 2; n++)
			for (uint32_t lane = 0; lane < lanes; lane++)
				if (active >> lane & 1)
					copy_plainly(&expected, lanes, lane, w.stack_base, &copy[n]);
		frame_exec_lookup (&i)(&w, &i, active);
		assert_memory_equal(&got, &expected, sizeof got);
	}
}

/* ---- Participants ---- */

static void a_group_says_that_it_takes_part(void **state)
{
	(void)state;
	uint32_t registers[64] = {[0] = 9, [3] = 17, [4] = 18, [32] = 9, [32 + 3] = 40, [32 + 4] = 41};
	struct participant participants[70] = {0};
	struct launch_values launch = {.grid = {4, 5, 6}, .participants = participants};
	struct warp w = {.bank = {registers, registers}, .lanes = 32, .group = {1, 2, 3}, .launch = &launch};
	struct insn i = {.s = {0, 32}};
	exec_function *says = choose_participant(&i, NULL);

	says(&w, &i, 0);
	assert_int_equal(participants[69].count, 0);
	says(&w, &i, 0x18); /* as the lowest of its lanes has it, at 1 + 4 * (2 + 5 * 3) = 69 */
	assert_int_equal(participants[69].number, 17);
	assert_int_equal(participants[69].count, 40);
	for (uint32_t k = 0; k < 69; k++)
		assert_int_equal(participants[k].count, 0);
	says(&w, &i, 0x10);
	assert_int_equal(participants[69].number, 18);
	launch.participants = NULL;
	says(&w, &i, 0x18);
	assert_int_equal(participants[69].number, 18);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(specials_of_a_lane),
		cmocka_unit_test(specials_of_a_launch),
		cmocka_unit_test(warps_start_with_what_their_lanes_have),
		cmocka_unit_test(addresses_are_behind_the_frames_base),
		cmocka_unit_test(copies_are_of_bytes),
		cmocka_unit_test(a_group_says_that_it_takes_part),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
