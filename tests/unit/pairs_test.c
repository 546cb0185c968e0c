/* Movs between 64-bit registers and their halves: which vanish, and what then waits for which half. */
#include "kernel/kernel.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LANES 32

static struct arena arena;

static int free_arena(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct kernel *decode(const char *body)
{
	struct diagnostic diagnostic = {0};
	struct ptx_module *module = ptx_parse(&arena, "test.ptx",
		arena_printf(&arena,
			".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 "
			"n) {\n"
			".reg .pred %%p<10>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .f64 %%fd<10>;\n"
			"ld.param.u64 %%rd9, [a]; ld.param.u32 %%r9, [n]; setp.eq.u32 %%p1, %%r9, 0;\n%s\nret;\n}\n",
			body),
		&diagnostic);
	if (!module)
		fail_msg("%s", diagnostic.message);
	struct kernel *kernel = kernel_decode(&arena, module, ptx_find_function(module, "k"), LANES, &diagnostic);
	if (!kernel)
		fail_msg("%s", diagnostic.message);
	return kernel;
}

/* The k-th of an operation. */
static const struct insn *nth(const struct kernel *kernel, enum op op, uint32_t k)
{
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (kernel->code[pc].op == op && k-- == 0)
			return &kernel->code[pc];
	fail_msg("no such instruction");
	return NULL;
}

/* One letter for each mov: whether it vanishes. */
static void expect(const char *body, const char *expected)
{
	const struct kernel *kernel = decode(body);
	char is[64] = "";
	for (uint32_t pc = 0, k = 0; pc < kernel->code_count; pc++)
		if (kernel->code[pc].op == OP_mov)
			is[k++] = kernel->code[pc].flags & INSN_VANISHES ? 'v' : '-';
	if (strcmp(is, expected) != 0)
		fail_msg("'%s', expected '%s': %s", is, expected, body);
}

#define LOAD "ld.global.u64 %rd1, [%rd9]; ld.global.u64 %rd2, [%rd9+8];\n"
#define LOAD_HALVES "ld.global.u32 %r1, [%rd9]; ld.global.u32 %r2, [%rd9+8];\n"
#define USE(pair) "st.global.u64 [%rd9], %" pair ";\n"
#define USE_HALVES "st.global.u32 [%rd9], %r1; st.global.u32 [%rd9+4], %r2;\n"

static void movs_vanish_where_the_registers_can_be_shared(void **state)
{
	(void)state;
	expect(LOAD "mov.b64 {%r1, %r2}, %rd1;" USE_HALVES, "v");
	expect(LOAD "mov.b64 {%r1, _}, %rd1; st.global.u32 [%rd9], %r1;", "v");
	expect(LOAD_HALVES "mov.b64 %rd1, {%r1, %r2};" USE("rd1"), "v");
	/* the values are the same as long as none is written again */
	expect(LOAD "mov.b64 {%r1, %r2}, %rd1;" USE_HALVES USE("rd1"), "v");
	expect(LOAD "mov.b64 {%r1, %r2}, %rd1; mov.b64 {%r3, %r4}, %rd1;\n" USE_HALVES
		    "st.global.v2.u32 [%rd9], {%r3, %r4};" USE("rd1"),
		"vv");
	expect(LOAD "mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd3, {%r1, %r2};" USE("rd3") USE("rd1"), "vv");
	/* a half is changed when its pair is dead */
	expect(LOAD "mov.b64 {%r1, %r2}, %rd1; add.u32 %r1, %r1, 1; mov.b64 %rd3, {%r1, %r2};" USE("rd3"), "vv");
}

static void movs_stay_where_one_would_overwrite_the_other(void **state)
{
	(void)state;
	expect(LOAD "mov.b64 {%r1, %r2}, %rd1; add.u32 %r1, %r1, 1;" USE_HALVES USE("rd1"), "-");
	expect(LOAD "mov.b64 {%r1, %r2}, %rd1; add.u64 %rd1, %rd1, %rd2;" USE_HALVES USE("rd1"), "-");
	expect(LOAD_HALVES "mov.b64 %rd1, {%r1, %r2}; add.u32 %r2, %r2, 1;" USE_HALVES USE("rd1"), "-");
	/* low and high change places: one of the two is in the wrong half */
	expect(LOAD "mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd3, {%r2, %r1};" USE("rd3"), "v-");
	/* in one half of each, but alive at once and different */
	expect(LOAD "mov.b64 {%r1, %r2}, %rd1; add.u32 %r3, %r2, 1;\n"
		    "mov.b64 %rd3, {%r1, %r3};" USE("rd3") USE("rd1"),
		"v-");
	expect(LOAD_HALVES "mov.b64 %rd1, {%r1, %r1};" USE("rd1"), "-");
	expect(LOAD_HALVES "mov.b64 %rd1, {%r1, 5};" USE("rd1"), "-");
	expect(LOAD "@%p1 mov.b64 {%r1, %r2}, %rd1;" USE_HALVES, "-");
}

/* What a loop hands to its next turn is alive where the pair is written again. */
static void loops_are_followed(void **state)
{
	(void)state;
	expect(LOAD "again: mov.b64 {%r1, %r2}, %rd1; add.u32 %r1, %r1, 1; mov.b64 %rd1, {%r1, %r2};\n"
		    "setp.lt.u64 %p2, %rd1, %rd2; @%p2 bra again;" USE("rd1"),
		"vv");
	expect(LOAD "mov.b64 {%r1, %r2}, %rd1;\nagain: add.u64 %rd1, %rd1, %rd2;\n"
		    "setp.lt.u64 %p2, %rd1, %rd2; @%p2 bra again;" USE_HALVES USE("rd1"),
		"-");
}

static bool waits_for_result_of(const struct insn *i, const struct insn *writer)
{
	for (uint32_t k = i->scoreboard.writes; k < i->scoreboard.count; k++)
		for (uint32_t l = 0; l < writer->scoreboard.writes; l++)
			if (i->scoreboard.slot[k] == writer->scoreboard.slot[l])
				return true;
	return false;
}

/* A value is shuffled twice: the second time each half waits for its own first shuffle alone, and the pair for both. */
static void halves_are_waited_for_apart(void **state)
{
	(void)state;
	const struct kernel *kernel = decode(LOAD
		"mov.b64 {%r1, %r2}, %rd1; shfl.sync.up.b32 %r3, %r1, 1, 0, -1; shfl.sync.up.b32 %r4, %r2, 1, 0, -1;\n"
		"mov.b64 %rd3, {%r3, %r4}; mov.b64 {%r5, %r6}, %rd3;\n"
		"shfl.sync.up.b32 %r7, %r5, 1, 0, -1; shfl.sync.up.b32 %r8, %r6, 1, 0, -1;\n"
		"mov.b64 %rd4, {%r7, %r8};" USE("rd4"));
	const struct insn *low = nth(kernel, OP_shfl_sync_up, 0), *high = nth(kernel, OP_shfl_sync_up, 1),
			  *next_low = nth(kernel, OP_shfl_sync_up, 2), *next_high = nth(kernel, OP_shfl_sync_up, 3),
			  *store = nth(kernel, OP_st, 0);
	assert_true(waits_for_result_of(next_low, low));
	assert_false(waits_for_result_of(next_low, high));
	assert_true(waits_for_result_of(next_high, high));
	assert_false(waits_for_result_of(next_high, low));
	assert_true(waits_for_result_of(store, next_low));
	assert_true(waits_for_result_of(store, next_high));
	/* a load gives both, and its own registers are outstanding, too */
	assert_true(waits_for_result_of(low, nth(kernel, OP_ld, 2)));
	assert_true(waits_for_result_of(high, nth(kernel, OP_ld, 2)));
	assert_int_equal(nth(kernel, OP_ld, 2)->scoreboard.writes, 4);
}

/* Their results would not fit twice into a scoreboard. */
static void loads_of_many_words_share_nothing(void **state)
{
	(void)state;
	expect("ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd9]; mov.b64 {%r1, %r2}, %rd1;" USE_HALVES, "-");
	expect("ld.global.v2.u64 {%rd1, %rd2}, [%rd9]; mov.b64 {%r1, %r2}, %rd1;" USE_HALVES, "v");
}

/* What all movs leave alone is waited for by its own registers only. */
static void registers_of_movs_that_stay_are_no_pairs(void **state)
{
	(void)state;
	const struct kernel *kernel =
		decode(LOAD "mov.b64 {%r1, %r2}, %rd1; add.u32 %r1, %r1, 1;" USE_HALVES USE("rd1"));
	assert_int_equal(nth(kernel, OP_ld, 2)->scoreboard.writes, 2);
	kernel = decode(LOAD "mov.b64 {%r1, %r2}, %rd1;" USE_HALVES USE("rd1"));
	assert_int_equal(nth(kernel, OP_ld, 2)->scoreboard.writes, 4);
}

/* So that no kernel takes long: 64 registers, which are written in 1,024 places. */
static void what_shares_a_pair_is_limited(void **state)
{
	struct text body = {.arena = &arena}, expected = {.arena = &arena}, uses = {.arena = &arena};
	(void)state;
	for (uint32_t places = 1024; places <= 1025; places++) {
		body.length = 0;
		text_print(&body, "%s", LOAD);
		for (uint32_t k = 4; k <= places; k++) /* the load, the mov's two and these */
			text_print(&body, "add.u64 %%rd1, %%rd1, %%rd2;\n");
		text_print(&body, "mov.b64 {%%r1, %%r2}, %%rd1;%s", USE_HALVES);
		expect(body.at, places == 1024 ? "v" : "-");
	}
	body.length = 0;
	text_print(&body, ".reg .b32 %%h<80>;%s", LOAD);
	for (uint32_t k = 0; k < 31; k++) {
		text_print(&body, "mov.b64 {%%h%u, %%h%u}, %%rd1;\n", 2 * k, 2 * k + 1);
		text_print(&uses, "st.global.v2.u32 [%%rd9], {%%h%u, %%h%u};\n", 2 * k, 2 * k + 1);
		text_print(&expected, "v"); /* with the pair 63 */
	}
	text_print(&body, "mov.b64 {%%h62, _}, %%rd1; mov.b64 {%%h63, _}, %%rd1;\n");
	text_print(&uses, "st.global.v2.u32 [%%rd9], {%%h62, %%h63};\n");
	text_print(&expected, "v-");
	text_print(&body, "%s", uses.at);
	expect(body.at, expected.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(movs_vanish_where_the_registers_can_be_shared, free_arena),
		cmocka_unit_test_teardown(movs_stay_where_one_would_overwrite_the_other, free_arena),
		cmocka_unit_test_teardown(loops_are_followed, free_arena),
		cmocka_unit_test_teardown(halves_are_waited_for_apart, free_arena),
		cmocka_unit_test_teardown(loads_of_many_words_share_nothing, free_arena),
		cmocka_unit_test_teardown(registers_of_movs_that_stay_are_no_pairs, free_arena),
		cmocka_unit_test_teardown(what_shares_a_pair_is_limited, free_arena),
	};
	return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
