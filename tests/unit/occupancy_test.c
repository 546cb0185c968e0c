/* Occupancy against NVIDIA's published rules: the calculator's results for Fermi (2.0) and Volta (7.0). */
#include "kernel/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct gpu_model fermi = {.warp_size = 32,
	.core_threads = 1536,
	.core_groups = 8,
	.group_threads = 1024,
	.core_registers = 32768,
	.register_unit = 64,
	.registers_max = 63,
	.core_shared = 49152,
	.shared_unit = 128,
	.group_shared = 49152,
	.schedulers = 2};
static const struct gpu_model volta = {.warp_size = 32,
	.core_threads = 2048,
	.core_groups = 32,
	.group_threads = 1024,
	.core_registers = 65536,
	.register_unit = 256,
	.registers_max = 255,
	.core_shared = 98304,
	.shared_unit = 256,
	.group_shared = 98304,
	.schedulers = 4};

struct expected {
	const struct gpu_model *model;
	uint32_t threads, registers, shared, groups;
	enum occupancy_limiter limiter;
};

static struct occupancy ask(const struct gpu_model *model, uint32_t threads, uint32_t registers, uint32_t shared)
{
	static const struct ptx_function entry;
	struct kernel kernel = {.registers_per_thread = registers, .entry = &entry};
	return kernel_occupancy(model, &kernel, threads, shared);
}

static void agrees_with_the_calculator(void **state)
{
	static const struct expected table[] = {
		{&fermi, 256, 20, 0, 6, LIMIT_THREADS},
		{&fermi, 256, 21, 0, 5, LIMIT_REGISTERS}, /* 672 -> 704 a warp: 23 a scheduler, 46 warps */
		{&fermi, 192, 20, 0, 8, LIMIT_THREADS},
		{&fermi, 64, 16, 0, 8, LIMIT_GROUPS},
		{&fermi, 128, 63, 0, 4, LIMIT_REGISTERS},
		{&fermi, 1024, 32, 0, 1, LIMIT_THREADS},
		{&fermi, 1024, 33, 0, 0, LIMIT_REGISTERS}, /* 1088 a warp: 30 warps, 32 needed */
		{&fermi, 256, 20, 12288, 4, LIMIT_SHARED},
		{&fermi, 256, 20, 12289, 3, LIMIT_SHARED},
		{&fermi, 256, 20, 49153, 0, LIMIT_SHARED},
		{&volta, 256, 32, 0, 8, LIMIT_THREADS},
		{&volta, 256, 33, 0, 6, LIMIT_REGISTERS}, /* 40 a thread once rounded: 12 a scheduler, 48 warps */
		{&volta, 1024, 64, 0, 1, LIMIT_REGISTERS},
		{&volta, 1024, 65, 0, 0, LIMIT_REGISTERS},
		{&volta, 32, 16, 0, 32, LIMIT_GROUPS},
		{&volta, 128, 255, 0, 2, LIMIT_REGISTERS},
		{&volta, 64, 144, 0, 6, LIMIT_REGISTERS}, /* 3 warps a scheduler, 12 in all, not 14 */
		{&volta, 64, 16, 32768, 3, LIMIT_SHARED},
	};
	(void)state;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct occupancy got = ask(table[k].model, table[k].threads, table[k].registers, table[k].shared);
		if (got.groups_per_core != table[k].groups || got.limiter != table[k].limiter)
			fail_msg("row %zu: %u groups by %d, expected %u by %d", k, got.groups_per_core, got.limiter,
				table[k].groups, table[k].limiter);
	}
}

/* From compute capability 8.0 on the driver takes 1 KB of each group, also of one that asks for none (CUDA C++
 * Programming Guide, section of compute capability 8.x: 163 of 164 KB). */
static void what_is_reserved_counts(void **state)
{
	static const struct {
		uint32_t shared, groups, taken;
	} table[] = {{0, 32, 1024}, {4096, 32, 5120}, {8192, 18, 9216}, {32768, 4, 33792}, {65536, 2, 66560},
		{166912, 1, 167936}, {166913, 0, 168064}, {UINT32_MAX, 0, 1024}};
	static const struct ptx_function entry;
	struct gpu_model ampere = volta;
	struct kernel asks = {.registers_per_thread = 16, .entry = &entry, .shared.reserved_bytes = 1024};
	(void)state;
	ampere.core_shared = 167936;
	ampere.group_shared = 166912;
	ampere.shared_unit = 128;
	ampere.shared_reserved = 1024;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct occupancy got = ask(&ampere, 32, 16, table[k].shared);
		assert_int_equal(got.groups_per_core, table[k].groups);
		assert_int_equal(got.group_shared, table[k].taken);
		/* a kernel that asks where it is has it among its own */
		if (table[k].shared <= 166913)
			assert_int_equal(kernel_occupancy(&ampere, &asks, 32, table[k].shared + 1024).groups_per_core,
				table[k].groups);
	}
}

static void a_group_too_large_does_not_fit(void **state)
{
	(void)state;
	assert_int_equal(ask(&volta, 1025, 16, 0).groups_per_core, 0);
	assert_int_equal(ask(&volta, 1025, 16, 0).limiter, LIMIT_THREADS);
}

static void a_part_of_a_warp_counts_as_a_warp(void **state)
{
	(void)state;
	assert_int_equal(ask(&volta, 33, 16, 0).groups_per_core, ask(&volta, 64, 16, 0).groups_per_core);
	assert_int_equal(ask(&fermi, 545, 10, 0).groups_per_core, 2);
}

static void the_override_wins(void **state)
{
	struct gpu_model model = volta;
	(void)state;
	model.registers_override = 64;
	assert_int_equal(ask(&model, 256, 16, 0).registers_per_thread, 64);
	assert_int_equal(ask(&model, 256, 16, 0).groups_per_core, 4);
}

/* A compiler spills what the architecture or .maxntid and .minnctapersm do not allow. */
static void promises_cap_the_registers(void **state)
{
	struct ptx_function entry = {.max_threads = {256, 1, 1}, .min_groups_per_core = 4};
	struct kernel kernel = {.registers_per_thread = 100, .entry = &entry};
	(void)state;
	assert_int_equal(ask(&fermi, 64, 100, 0).registers_per_thread, 63);
	assert_int_equal(kernel_occupancy(&volta, &kernel, 256, 0).registers_per_thread, 64);
	assert_int_equal(kernel_occupancy(&volta, &kernel, 256, 0).groups_per_core, 4);
	entry.min_groups_per_core = 0;
	assert_int_equal(kernel_occupancy(&volta, &kernel, 256, 0).registers_per_thread, 100);
	entry.max_threads[0] = 1024;
	assert_int_equal(kernel_occupancy(&volta, &kernel, 1024, 0).groups_per_core, 1);
	/* .reqntid promises more: 33 x 8 threads are 9 warps, of 65536 / 9 / 256 * 256 registers; and four times that
	 */
	entry.required_threads[0] = 33, entry.required_threads[1] = 8, entry.required_threads[2] = 1;
	kernel.registers_per_thread = 255;
	assert_int_equal(kernel_occupancy(&volta, &kernel, 264, 0).registers_per_thread, 65536 / 9 / 256 * 8);
	entry.min_groups_per_core = 4;
	assert_int_equal(kernel_occupancy(&volta, &kernel, 264, 0).registers_per_thread, 65536 / 36 / 256 * 8);
	entry.min_groups_per_core = 1000; /* more than there are registers for: no promise */
	assert_int_equal(kernel_occupancy(&volta, &kernel, 264, 0).registers_per_thread, 255);
	entry = (struct ptx_function){.min_groups_per_core = 4}; /* of no number of threads: none either */
	assert_int_equal(kernel_occupancy(&volta, &kernel, 264, 0).registers_per_thread, 255);
}

/* A kernel with setmaxnreg starts with what ptxas fixes, by the figures of sm_90 whatever the GPU is. */
static void a_pool_is_fixed_by_directives(void **state)
{
	static const struct {
		uint32_t threads, required, groups, maximum, registers;
	} table[] = {
		{384, 0, 1, 0, 168}, /* CUTLASS: 65536 / 384 = 170 */
		{512, 0, 1, 0, 128}, /* helion 3620 */
		{256, 0, 1, 0, 256},
		{256, 0, 2, 0, 128}, /* tilelang 2559 */
		{128, 0, 1, 0, 256}, /* not 512 */
		{0, 384, 1, 0, 168},
		{65, 0, 4, 0, 168}, /* 3 warps */
		{0, 0, 0, 100, 104},
		{384, 0, 1, 96, 96},
		{384, 0, 1, 255, 168},
		{384, 0, 0, 0, 0}, /* C7508 */
		{0, 0, 2, 0, 0},
		{1024, 0, 1000, 0, 0},
		{1024, 0, 1000, 40, 40},
	};
	struct gpu_model model = fermi;
	(void)state;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct ptx_function entry = {.max_threads = {table[k].threads, 1, 1},
			.required_threads = {table[k].required, 1, 1},
			.min_groups_per_core = table[k].groups,
			.max_registers = table[k].maximum};
		struct kernel kernel = {.registers_per_thread = 20, .entry = &entry, .uses.register_pool = true};
		assert_int_equal(kernel_pool_registers(&fermi, &kernel), table[k].registers);
		assert_int_equal(kernel_pool_registers(&volta, &kernel), table[k].registers);
		model.registers_override = 50;
		assert_int_equal(kernel_pool_registers(&model, &kernel), 56);
		kernel.uses.register_pool = false;
		assert_int_equal(kernel_pool_registers(&volta, &kernel), 0);
	}
}

/* Its groups take that many of a core, unless that has less for a thread. */
static void a_pool_is_taken_of_the_core(void **state)
{
	struct ptx_function entry = {.max_threads = {384, 1, 1}, .min_groups_per_core = 1};
	struct kernel kernel = {.registers_per_thread = 20, .entry = &entry, .uses.register_pool = true};
	(void)state;
	assert_int_equal(kernel_occupancy(&volta, &kernel, 384, 0).registers_per_thread, 168);
	assert_int_equal(kernel_occupancy(&volta, &kernel, 384, 0).group_registers, 384 * 168);
	assert_int_equal(kernel_occupancy(&volta, &kernel, 384, 0).groups_per_core, 1);
	assert_int_equal(kernel_occupancy(&fermi, &kernel, 384, 0).registers_per_thread, 63);
	kernel.uses.register_pool = false;
	assert_int_equal(kernel_occupancy(&volta, &kernel, 384, 0).registers_per_thread, 20);
}

/* What a group takes of a core, in whole units: 20 registers of 32 threads are 640, 768 in units of 256. */
static void a_group_takes_whole_units(void **state)
{
	struct occupancy got = ask(&volta, 33, 20, 100);
	(void)state;
	assert_int_equal(got.group_registers, 2 * 768);
	assert_int_equal(got.group_shared, 256);
	assert_int_equal(ask(&fermi, 33, 20, 0).group_registers, 2 * 640);
	assert_int_equal(ask(&fermi, 33, 20, 0).group_shared, 0);
	got = ask(&volta, 32, 16, UINT32_MAX - 100); /* whose units would be 0 */
	assert_int_equal(got.groups_per_core, 0);
	assert_int_equal(got.limiter, LIMIT_SHARED);
}

/* Iris 6100, paper 4, Table 3: 41 groups of 256 threads, since one sub-slice of six has seven threads less. */
static void some_cores_have_less(void **state)
{
	struct gpu_model model = volta;
	(void)state;
	model.core_count = 6;
	model.core_threads = 1792;
	model.lesser_cores = 1;
	model.lesser_threads = 1568;
	model.lesser_shared = 16384;
	assert_int_equal(ask(&model, 256, 16, 0).groups_per_core, 7);
	assert_int_equal(ask(&model, 256, 16, 0).groups_per_lesser_core, 6);
	assert_int_equal(ask(&model, 256, 16, 0).groups, 41);
	assert_int_equal(ask(&model, 32, 16, 8192).groups, 5 * 12 + 2);
	assert_int_equal(ask(&model, 32, 16, 16385).groups, 5 * 5);
	assert_int_equal(ask(&model, 1024, 16, 0).groups, 6);
}

/* With places for warps of their own, threads are not rounded up to warps: Mali-T628, paper 4, Table 3. */
static void threads_count_one_by_one(void **state)
{
	struct gpu_model model = volta;
	(void)state;
	model.core_count = 4;
	model.core_threads = 256;
	model.core_warps = model.core_groups = 64;
	assert_int_equal(ask(&model, 1, 16, 0).groups, 256);
	assert_int_equal(ask(&model, 256, 16, 0).groups, 4);
	assert_int_equal(ask(&model, 33, 16, 0).groups, 4 * 7);
	assert_int_equal(ask(&model, 85, 16, 0).groups, 4 * 3);
	model.core_warps = 8;
	assert_int_equal(ask(&model, 33, 16, 0).groups, 4 * 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_calculator),
		cmocka_unit_test(what_is_reserved_counts),
		cmocka_unit_test(a_group_too_large_does_not_fit),
		cmocka_unit_test(a_part_of_a_warp_counts_as_a_warp),
		cmocka_unit_test(the_override_wins),
		cmocka_unit_test(promises_cap_the_registers),
		cmocka_unit_test(a_pool_is_fixed_by_directives),
		cmocka_unit_test(a_pool_is_taken_of_the_core),
		cmocka_unit_test(a_group_takes_whole_units),
		cmocka_unit_test(some_cores_have_less),
		cmocka_unit_test(threads_count_one_by_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
