/* Lock bits of shared memory: 1,024, by word address; lanes on one lock go one after another (paper 3, section 3.1). */
#include "machine/lsu/lock_bits.h"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Two accesses for each lane on the most wanted lock, or for each pass of the banks. */
static void cycles(void **state)
{
	(void)state;
	const uint64_t address[64] = {0, 4, 8, 4096, 6, 8192, 4092};
	assert_int_equal(lock_bits_cycles(1024, address, 1, 1), 2);
	assert_int_equal(lock_bits_cycles(1024, address, 7, 1), 2); /* three locks */
	assert_int_equal(lock_bits_cycles(1024, address, 7, 5), 10);
	assert_int_equal(lock_bits_cycles(1024, address, 9, 1), 4);    /* 4,096 bytes further on the same lock */
	assert_int_equal(lock_bits_cycles(1024, address, 0x29, 1), 6); /* and again */
	assert_int_equal(lock_bits_cycles(1024, address, 0x29, 3), 6);
	assert_int_equal(lock_bits_cycles(1024, address, 0x12, 1), 4); /* bytes of one word */
	assert_int_equal(lock_bits_cycles(1024, address, 0x48, 1), 2); /* 4092 has the last lock */
	assert_int_equal(lock_bits_cycles(1024, address, 0x29 | 0x12, 1), 6);
	assert_int_equal(lock_bits_cycles(2048, address, 9, 1), 2); /* twice as many locks */
}

/* Interval 10, 3 slots for each turn; groups have 512 bytes. */
static void take(void **state)
{
	(void)state;
	uint64_t busy[1024] = {0}, address[64] = {0, 0, 4, 2052};
	struct lock_bits bits = {.count = 1024, .busy_until = busy};
	struct gpu_model model = {.shared_atomic_interval = 10, .shared_atomic_slots = 3};
	struct machine machine = {.model = &model};
	struct kernel kernel = {0};
	struct launch launch = {.kernel = &kernel, .group.shared = 512};
	struct core_launch residency = {.launch = &launch};
	struct group group = {.core_launch = &residency};
	struct warp_slot residents[4] = {{.group = &group}};
	static struct core core;
	struct operation op = {.group = &group, .slot = &residents[2], .lanes = 1, .address = address};
	core = (struct core){.machine = &machine, .slots = residents, .issue.schedulers = 2, .now = 100};
	assert_int_equal(lock_bits_pass(&core, &bits, &op), 110);
	assert_int_equal(busy[0], 110);
	assert_int_equal(core.issue.scheduler[0].slots_taken, 103);
	assert_int_equal(core.issue.scheduler[1].slots_taken, 0);
	op.lanes = 7; /* two on lock 0, which is not free before 110, and one on lock 1 */
	op.slot = &residents[3];
	core.now = 104;
	assert_int_equal(lock_bits_pass(&core, &bits, &op), 130);
	assert_int_equal(busy[0], 130);
	assert_int_equal(busy[1], 114);
	assert_int_equal(
		core.issue.scheduler[1].slots_taken, 104 + 3 * 3); /* until 130: 26 cycles, which are three turns */
	assert_int_equal(core.issue.scheduler[0].slots_taken, 103);
	op.lanes = 1; /* the slots that are taken already come first */
	core.now = 110;
	assert_int_equal(lock_bits_pass(&core, &bits, &op), 140);
	assert_int_equal(core.issue.scheduler[1].slots_taken, 113 + 3 * 3);
	group.shared_at = 2048; /* begins at 2,048 bytes; address 2,052 of it has lock 1 again */
	op.lanes = 9;
	core.now = 200;
	assert_int_equal(lock_bits_pass(&core, &bits, &op), 210);
	assert_int_equal(busy[512], 210);
	assert_int_equal(busy[1], 210);
	assert_int_equal(core.issue.scheduler[1].slots_taken, 203);
	kernel.shared.first = 2048; /* where its addresses begin: 2,052 is the word behind the first of all */
	assert_int_equal(lock_bits_bit(&bits, &group, 2052), 513);
	assert_int_equal(lock_bits_word(&group, 2052), 2052);
}

static void only_where_the_model_has_them(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct gpu_model model = {.shared_lock_bits = 0};

	assert_null(lock_bits_create(&model, &arena));
	model.shared_lock_bits = 512;
	assert_int_equal(lock_bits_create(&model, &arena)->count, 512);
	assert_null(lock_bits_create(&model, &arena)->busy_until); /* native atomics take none */
	model.shared_atomic_locks = 1;
	const struct lock_bits *bits = lock_bits_create(&model, &arena);
	assert_int_equal(bits->busy_until[0] | bits->busy_until[511], 0);
	assert_null(bits->taken);
	arena_free(&arena);
}

/* Groups lie one behind another in the core's shared memory, in the first gap that is large enough. */
static void places(void **state)
{
	(void)state;
	struct gpu_model model = {.core_count = 1, .core_shared = 4096};
	struct machine machine = {.model = &model};
	struct launch small = {.group.shared = 512}, large = {.group.shared = 2048};
	struct core_launch of_small = {.launch = &small}, of_large = {.launch = &large};
	struct group groups[4] = {{.core_launch = &of_small}, {.core_launch = &of_large, .shared_at = 512},
		{.core_launch = &of_small, .shared_at = 2560}, {.core_launch = &of_small}};
	static struct core core;
	core = (struct core){.machine = &machine, .groups = {.at = groups, .used = 8}};
	assert_int_equal(lock_bits_place(&core, &groups[3]), 0);
	core.groups.used = 0xf;
	assert_int_equal(lock_bits_place(&core, &groups[3]), 3072);
	core.groups.used = 0xd; /* the large one has ended */
	assert_int_equal(lock_bits_place(&core, &groups[3]), 512);
	groups[3].core_launch = &of_large;
	assert_int_equal(lock_bits_place(&core, &groups[3]), 512);
	groups[2].shared_at = 2048; /* 1,536 bytes before it and 1,536 behind it: counts as lying over others */
	assert_int_equal(lock_bits_place(&core, &groups[3]), 0);
}

/* Five bits are taken, of three groups and two launches: a group's end frees its own. */
static void a_group_ends(void **state)
{
	(void)state;
	static struct launch launches[2];
	struct core_launch on[2] = {{.launch = &launches[0]}, {.launch = &launches[1]}}, elsewhere = {.left_bits = 3};
	struct core_launch *of[2][2] = {{&on[0], &elsewhere}, {&on[1], NULL}};
	const struct lock_bit_taker taker[8] = {[0] = {.launch = &launches[0], .group = 4, .word = 8, .since = 50},
		[1] = {.launch = &launches[0], .group = 5},
		[2] = {.launch = &launches[1], .group = 4, .word = 12, .since = 70},
		[5] = {.launch = &launches[0], .group = 4, .word = 16, .since = 40},
		[7] = {.launch = &launches[0], .group = 5},
		[6] = {.launch = &launches[0], .group = 4}}; /* which is free again */
	uint8_t taken[8] = {1, 1, 1, 0, 0, 1, 0, 1};
	static const uint8_t after[8] = {0, 1, 1, 0, 0, 0, 0, 1};
	struct lock_bits bits = {
		.count = 8, .taken = taken, .taker = (struct lock_bit_taker *)(uintptr_t)taker, .taken_count = 5};
	struct group group = {.core_launch = &on[0], .number = 4};
	static struct core core;
	struct drop left;

	for (uint32_t k = 0; k < 2; k++)
		launches[k] = (struct launch){.on = of[k], .core_count = 2};
	core = (struct core){.now = 100};
	core.lsu.kind_state[INSN_LOAD_LOCK] = &bits;
	lock_bits_end_group(&core, &group);
	assert_memory_equal(taken, after, sizeof after);
	assert_int_equal(bits.taken_count, 3);
	assert_int_equal(on[0].left_bits, 2);
	assert_int_equal(on[1].left_bits, 0);
	elsewhere.left_bit = (struct lock_bit_taker){.launch = &launches[0], .group = 9, .word = 20, .since = 45};
	left = lock_bits_left(&launches[0]); /* of each core the first that was noted, and of these the earliest */
	assert_int_equal(left.count, 2 + 3);
	assert_int_equal(left.first.cycle, 45);
	assert_int_equal(left.first.group, 9);
	assert_int_equal(left.first.address, 20);
	assert_int_equal(lock_bits_left(&launches[1]).count, 0);
	group.core_launch = &on[1];
	lock_bits_end_group(&core, &group);
	assert_int_equal(bits.taken_count, 2);
	assert_int_equal(taken[2], 0);
	left = lock_bits_left(&launches[1]);
	assert_int_equal(left.count, 1);
	assert_int_equal(left.first.cycle, 70);
	assert_int_equal(left.first.address, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles),
		cmocka_unit_test(take),
		cmocka_unit_test(places),
		cmocka_unit_test(a_group_ends),
		cmocka_unit_test(only_where_the_model_has_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
