/* Energy: one launch worked out by hand, sums, and what it may depend on. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Five warp instructions. */
static const char one_sum[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			      ".visible .entry k(.param .u64 out, .param .f32 x) {\n"
			      " .reg .b64 %a; .reg .f32 %x, %y;\n"
			      " ld.param.u64 %a, [out];\n"
			      " ld.param.f32 %x, [x];\n"
			      " fma.rn.f32 %y, %x, %x, %x;\n"
			      " st.global.f32 [%a], %y;\n"
			      " ret;\n}\n";

static const char loop[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 out, .param .u32 turns) {\n"
	" .reg .pred %p; .reg .b64 %a, %d; .reg .b32 %r, %n, %i; .reg .f32 %y;\n"
	" ld.param.u64 %a, [out];\n ld.param.u32 %n, [turns];\n"
	" mov.u32 %r, %ctaid.x; mov.u32 %i, %ntid.x; mul.lo.u32 %r, %r, %i; mov.u32 %i, %tid.x; add.u32 %r, %r, %i;\n"
	" mul.wide.u32 %d, %r, 4;\n add.u64 %a, %a, %d;\n ld.global.f32 %y, [%a];\n"
	"again:\n"
	" fma.rn.f32 %y, %y, %y, %y;\n add.s32 %n, %n, -1;\n setp.ne.s32 %p, %n, 0;\n @%p bra again;\n"
	" st.global.f32 [%a], %y;\n ret;\n}\n";

struct energies {
	struct lockstep *gpu;
	const struct lockstep_result *result;
};

/* Runs a kernel whose second parameter is a word, on groups of `threads`. */
static struct energies run(const char *ptx, const char *const *settings, enum lockstep_mode mode, uint32_t host_threads,
	uint32_t groups, uint32_t threads, uint32_t second)
{
	struct lockstep_options options = {
		.size = sizeof options, .settings = settings, .mode = mode, .threads = host_threads};
	struct lockstep_error error;
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct {
		uint64_t out;
		uint32_t second;
	} parameters = {lockstep_allocate(gpu, 4ull * groups * threads, "out"), second};
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = lockstep_load(gpu, "k.ptx", ptx, &error),
		.grid = {groups, 1, 1},
		.block = {threads, 1, 1},
		.parameters = &parameters,
		.parameter_bytes = 12};
	const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);

	assert_non_null(result);
	assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	return (struct energies){gpu, result};
}

static uint64_t counter(const struct energies *e, const char *name)
{
	for (size_t k = 0; k < e->result->counter_count; k++)
		if (!strcmp(e->result->counters[k].name, name))
			return e->result->counters[k].value;
	fail_msg("no counter %s", name);
	return 0;
}

static uint64_t sum_of_components(const struct energies *e)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < e->result->counter_count; k++)
		if (!strncmp(e->result->counters[k].name, "energy__", 8) &&
			strcmp(e->result->counters[k].name, "energy__total.sum"))
			sum += e->result->counters[k].value;
	return sum;
}

/* Coefficients are whole nanojoules here, 10^6 femtojoules each; 700 mW at 700 MHz are one nanojoule a cycle. */
static void worked_out_by_hand(void **state)
{
	static const char *const settings[] = {"energy.issue=100000000", "energy.fp_mul=20000000",
		"energy.other=3000000", "energy.register_read=2000000", "energy.register_write=5000000",
		"energy.constant=700000000", "energy.l1_write=11000000", "energy.l2_write=1000000", "energy.l2_read=0",
		"energy.crossbar=1000000", "energy.dram_read=0", "energy.dram_activate=0", "energy.core_static=0",
		"energy.chip_static=700", NULL};
	struct energies e = run(one_sum, settings, LOCKSTEP_TIMING, 1, 1, 32, 0);

	(void)state;
	assert_int_equal(counter(&e, "energy__issue.sum"), 5 * 100);
	assert_int_equal(counter(&e, "energy__float.sum"), 32 * 20);
	assert_int_equal(counter(&e, "energy__integer.sum"), 0);
	assert_int_equal(counter(&e, "energy__other.sum"), 4 * 32 * 3); /* two loads, store, ret */
	/* Read: three words by fma, three by the store; written: three by the loads, one by fma. */
	assert_int_equal(counter(&e, "energy__registers.sum"), 32 * (6 * 2 + 4 * 5));
	assert_int_equal(counter(&e, "energy__constant.sum"), 2 * 700);
	assert_int_equal(counter(&e, "energy__l1.sum"), 11); /* the store's line */
	assert_int_equal(counter(&e, "energy__l2.sum"), 32); /* a sector */
	/* Request with its data and reply: a flit of 40 bytes each. */
	assert_int_equal(counter(&e, "l1tex__m_flits.sum") + counter(&e, "lts__m_flits.sum"), 2);
	assert_int_equal(counter(&e, "energy__crossbar.sum"), 2 * 40);
	assert_int_equal(counter(&e, "energy__dram.sum"), 0);
	assert_int_equal(counter(&e, "energy__chip_static.sum"), e.result->cycles);
	assert_int_equal(
		counter(&e, "energy__total.sum"), 500 + 640 + 384 + 1024 + 1400 + 11 + 32 + 80 + e.result->cycles);
	lockstep_close(e.gpu);
}

static void the_total_is_the_sum(void **state)
{
	static const char *const variants[] = {
		"policy.scheduler=lrr", "energy.scale=333", "policy.divergence=independent"};

	(void)state;
	for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
		const char *settings[] = {variants[k], "l2.sets=1", NULL}; /* so small that DRAM is needed */
		struct energies e = run(loop, settings, LOCKSTEP_TIMING, 1, 30, 128, 20);

		assert_true(counter(&e, "energy__dram.sum") > 0);
		assert_int_equal(counter(&e, "energy__total.sum"), sum_of_components(&e));
		lockstep_close(e.gpu);
	}
}

static uint64_t dynamic(const struct energies *e)
{
	return counter(e, "energy__total.sum") - counter(e, "energy__core_static.sum") -
	       counter(e, "energy__chip_static.sum");
}

static void twice_the_work(void **state)
{
	struct energies once = run(loop, NULL, LOCKSTEP_TIMING, 1, 60, 128, 40),
			twice = run(loop, NULL, LOCKSTEP_TIMING, 1, 120, 128, 40);
	uint64_t expected = 2 * dynamic(&once), got = dynamic(&twice);

	(void)state;
	assert_in_range(got, expected - expected / 100, expected + expected / 100);
	assert_in_range(counter(&twice, "energy__float.sum"), 2 * counter(&once, "energy__float.sum") - 1,
		2 * counter(&once, "energy__float.sum") + 1);
	lockstep_close(once.gpu);
	lockstep_close(twice.gpu);
}

static void idle_lanes_cost_less(void **state)
{
	struct energies whole = run(loop, NULL, LOCKSTEP_TIMING, 1, 15, 32, 40),
			half = run(loop, NULL, LOCKSTEP_TIMING, 1, 15, 16, 40);

	(void)state;
	assert_int_equal(counter(&whole, "energy__issue.sum"), counter(&half, "energy__issue.sum"));
	assert_in_range(counter(&whole, "energy__float.sum"), 2 * counter(&half, "energy__float.sum") - 1,
		2 * counter(&half, "energy__float.sum") + 1);
	lockstep_close(whole.gpu);
	lockstep_close(half.gpu);
}

static void any_number_of_threads(void **state)
{
	struct energies one = run(loop, NULL, LOCKSTEP_TIMING, 1, 60, 128, 20),
			three = run(loop, NULL, LOCKSTEP_TIMING, 3, 60, 128, 20);

	(void)state;
	assert_int_equal(one.result->counter_count, three.result->counter_count);
	for (size_t k = 0; k < one.result->counter_count; k++)
		assert_int_equal(one.result->counters[k].value, three.result->counters[k].value);
	lockstep_close(one.gpu);
	lockstep_close(three.gpu);
}

static void none_without_time(void **state)
{
	struct energies e = run(loop, NULL, LOCKSTEP_FUNCTIONAL, 1, 15, 128, 20);

	(void)state;
	assert_true(counter(&e, "smsp__inst_executed.sum") > 0);
	assert_int_equal(counter(&e, "energy__total.sum"), 0);
	assert_int_equal(sum_of_components(&e), 0);
	lockstep_close(e.gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_out_by_hand),
		cmocka_unit_test(the_total_is_the_sum),
		cmocka_unit_test(twice_the_work),
		cmocka_unit_test(idle_lanes_cost_less),
		cmocka_unit_test(any_number_of_threads),
		cmocka_unit_test(none_without_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
