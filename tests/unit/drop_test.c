/* Accesses that were dropped, counted on each core and gathered over all of them. */
#include "machine/core/drop.h"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct insn code[64];
static const struct kernel kernel = {.code = code, .code_count = 64};
static struct launch launch;
static struct drops drops[3];
static struct core_launch residency[3];
static struct core_launch *on[4];
static struct core core;
static struct warp_slot resident;

static int make(void **state)
{
	(void)state;
	launch = (struct launch){.kernel = &kernel, .on = on};
	for (uint32_t k = 0; k < 64; k++)
		code[k].kind = INSN_LOAD;
	for (uint32_t k = 0; k < 3; k++) {
		drops[k].count = 0;
		residency[k] = (struct core_launch){.launch = &launch, .drops = &drops[k]};
	}
	on[0] = &residency[0];
	on[1] = NULL; /* no group has been there */
	on[2] = &residency[1];
	on[3] = &residency[2];
	resident = (struct warp_slot){.core_launch = &residency[0]};
	core = (struct core){0};
	return 0;
}

/* One access on core k, as load_store.c drops it. */
static bool one(uint32_t k, uint32_t pc, enum fault_cause cause, uint64_t cycle)
{
	resident.core_launch = on[k];
	if (drop_again(&resident, &code[pc], cause))
		return true;
	core.finding =
		(struct finding){.found = true, .pc = pc, .cause = fault_name(cause), .cycle = cycle, .group = k};
	core.stopped = true;
	return drop_take(&core, &resident, &code[pc]);
}

static void what_is_dropped(void **state)
{
	(void)state;
	static const struct {
		uint8_t kind;
		bool dropped;
	} kinds[] = {{INSN_LOAD, true}, {INSN_STORE, true}, {INSN_ATOMIC, true}, {INSN_COPY, true},
		{INSN_BARRIER, false}, {INSN_ACQUIRE, false}, {INSN_RELEASE, false}, {INSN_TEXTURE, false}};
	for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		code[k].kind = kinds[k].kind;
		assert_int_equal(one(0, k, FAULT_address, 5), kinds[k].dropped);
		assert_int_equal(core.stopped, !kinds[k].dropped);
		assert_int_equal(core.finding.found, !kinds[k].dropped);
	}
	assert_int_equal(drops[0].count, 4);
	core.finding.found = false;
	assert_false(drop_take(&core, &resident, &code[0]));
	residency[0].drops = NULL; /* faults end the launch */
	assert_false(one(0, 0, FAULT_address, 5));
}

/* By pc, then by cause; the first in time of all cores, of one cycle the lowest core's. */
static void gathered(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct drop_list list;
	for (uint32_t k = 0; k < 3; k++)
		assert_true(one(3, 9, FAULT_misaligned, 50 + k));
	assert_true(one(0, 9, FAULT_misaligned, 70));
	assert_true(one(2, 9, FAULT_misaligned, 50));
	assert_true(one(2, 9, FAULT_address, 60));
	assert_true(one(2, 4, FAULT_space, 60));
	assert_true(one(3, 12, FAULT_address, 10));
	list = drop_gather(&arena, &launch, 4);
	assert_int_equal(list.count, 4);
	assert_int_equal(list.elsewhere, 0);
	assert_int_equal(list.at[0].first.pc, 4);
	assert_int_equal(list.at[1].first.pc, 9);
	assert_string_equal(list.at[1].first.cause, "address");
	assert_int_equal(list.at[1].count, 1);
	assert_string_equal(list.at[2].first.cause, "misaligned");
	assert_int_equal(list.at[2].count, 5);
	assert_int_equal(list.at[2].first.cycle, 50);
	assert_int_equal(list.at[2].first.group, 2);
	assert_int_equal(list.at[3].first.pc, 12);
	assert_int_equal(drop_gather(&arena, &launch, 3).count, 3); /* not the last core's */
	arena_free(&arena);
}

/* A core has 31 places of its own; the next entry counts all others. */
static void elsewhere(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct drop_list list;
	for (uint32_t pc = 0; pc < 40; pc++)
		assert_true(one(2, pc, FAULT_address, pc));
	assert_true(one(2, 30, FAULT_address, 99)); /* the last place that it has */
	assert_int_equal(drops[1].count, DROP_PLACES);
	list = drop_gather(&arena, &launch, 4);
	assert_int_equal(list.count, DROP_PLACES - 1);
	assert_int_equal(list.at[30].first.pc, 30);
	assert_int_equal(list.at[30].count, 2);
	assert_int_equal(list.elsewhere, 40 - (DROP_PLACES - 1));
	arena_free(&arena);
}

static void none(void **state)
{
	(void)state;
	struct arena arena = {0};
	const struct drop_list list = drop_gather(&arena, &launch, 4);
	assert_int_equal(list.count, 0);
	assert_int_equal(list.elsewhere, 0);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_is_dropped, make),
		cmocka_unit_test_setup(gathered, make),
		cmocka_unit_test_setup(elsewhere, make),
		cmocka_unit_test_setup(none, make),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
