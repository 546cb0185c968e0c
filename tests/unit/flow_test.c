/* Control flow: blocks, reconvergence points, dominators, loops of every shape, liveness with guards. */
#include "kernel/bits.h"
#include "kernel/flow.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int free_arena(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* The flow of an entry with this body; registers %r0..%r9, %p0..%p9, %rd0..%rd9 are there. */
static struct flow *flow_of(const char *body)
{
	struct diagnostic diagnostic = {0};
	const char *text = arena_printf(&arena,
		".version 6.0\n.target sm_35\n.address_size 64\n"
		".extern .func die() .noreturn;\n"
		".visible .entry k(.param .u64 a) {\n.reg .pred %%p<10>;\n.reg .b32 %%r<10>;\n.reg .b64 "
		"%%rd<10>;\n%s\n}\n",
		body);
	struct ptx_module *module = ptx_parse(&arena, "test.ptx", text, &diagnostic);
	if (!module)
		fail_msg("%s", diagnostic.message);
	return flow_analyse(&arena, ptx_find_function(module, "k"));
}

/* Block that holds the k-th instruction. */
static uint32_t block(const struct flow *flow, uint32_t k)
{
	return flow->block_of[k];
}

static bool live(const struct flow *flow, uint64_t *const *sets, uint32_t b, const char *name)
{
	for (uint32_t r = 0; r < flow->live_count; r++)
		if (!strcmp(flow->live[r]->name, name))
			return bits_has(sets[b], r);
	for (uint32_t r = 0; r < flow->function->registers.count; r++)
		if (!strcmp(flow->function->registers.at[r]->name, name))
			return false; /* alive at no border */
	fail_msg("no register %s", name);
	return false;
}

static void straight_code_is_one_block(void **state)
{
	(void)state;
	struct flow *flow = flow_of("add.s32 %r1, %r1, 1; add.s32 %r2, %r1, 1; ret;");
	assert_int_equal(flow->block_count, 1);
	assert_int_equal(flow->blocks[0].count, 3);
	assert_true(flow->blocks[0].ends);
	assert_int_equal(flow->blocks[0].post_dominator, NO_BLOCK);
	assert_int_equal(flow->loop_count, 0);
}

static void a_diamond_reconverges_where_its_sides_meet(void **state)
{
	(void)state;
	struct flow *flow = flow_of("@%p1 bra B; add.s32 %r1, %r1, 1; bra.uni J; B: add.s32 %r1, %r1, 2; J: "
				    "st.global.u32 [%rd1], %r1; ret;");
	assert_int_equal(flow->block_count, 4);
	assert_int_equal(flow->blocks[0].post_dominator, block(flow, 4));
	for (uint32_t b = 1; b < 4; b++)
		assert_int_equal(flow->blocks[b].dominator, 0);
	assert_int_equal(flow->blocks[0].dominator, NO_BLOCK);
}

static void a_guarded_exit_leads_to_the_end_as_well(void **state)
{
	(void)state;
	struct flow *flow = flow_of("@%p1 exit; add.s32 %r1, %r1, 1; ret;");
	assert_int_equal(flow->block_count, 2);
	assert_true(flow->blocks[0].ends);
	assert_int_equal(flow->blocks[0].successor_count, 1);
	assert_int_equal(flow->blocks[0].post_dominator, NO_BLOCK);
}

/* Were a trap an edge to the end, every assert would keep the branches around it from reconverging. */
static void a_trap_does_not_keep_lanes_from_rejoining(void **state)
{
	(void)state;
	struct flow *flow = flow_of("@%p1 bra B; bra.uni J; B: @%p2 bra T; bra.uni J; T: trap; J: ret;");
	assert_int_equal(flow->blocks[0].post_dominator, block(flow, 5));
	assert_int_equal(flow->blocks[block(flow, 2)].post_dominator, block(flow, 3));
	flow = flow_of("@%p1 bra B; bra.uni J; B: @%p2 bra T; bra.uni J; T: call die; J: ret;");
	assert_int_equal(flow->blocks[0].post_dominator, block(flow, 5));
	assert_int_equal(flow->blocks[block(flow, 4)].successor_count, 0);
}

static void an_infinite_loop_still_has_rejoin_points(void **state)
{
	(void)state;
	struct flow *flow = flow_of("L: @%p1 bra B; add.s32 %r1, %r1, 1; bra.uni J; B: add.s32 %r1, %r1, 2; J: add.s32 "
				    "%r2, %r2, 1; bra.uni L;");
	assert_int_equal(flow->blocks[0].post_dominator, block(flow, 4));
	assert_int_equal(flow->loop_count, 1);
	assert_int_equal(flow->loops[0].header, 0);
	flow = flow_of("L: bra.uni L;");
	assert_int_equal(flow->blocks[0].post_dominator, NO_BLOCK);
}

static void loops_nest(void **state)
{
	(void)state;
	struct flow *flow =
		flow_of("O: mov.u32 %r1, 0; I: add.s32 %r1, %r1, 1; @%p1 bra I; add.s32 %r2, %r2, 1; @%p2 bra O; ret;");
	assert_int_equal(flow->loop_count, 2);
	uint32_t inner = flow->blocks[block(flow, 1)].loop, outer = flow->blocks[block(flow, 0)].loop;
	assert_int_not_equal(inner, outer);
	assert_int_equal(flow->loops[inner].parent, outer);
	assert_int_equal(flow->loops[outer].parent, NO_BLOCK);
	assert_int_equal(flow->loops[inner].header, block(flow, 1));
	assert_int_equal(flow->blocks[block(flow, 5)].loop, NO_BLOCK);
	assert_true(flow_loop_has(&flow->loops[outer], block(flow, 1)));
	assert_false(flow_loop_has(&flow->loops[inner], block(flow, 3)));
}

/* The loop inside begins the one outside: both branches go to the same place. */
static void loops_may_share_their_header(void **state)
{
	(void)state;
	struct flow *flow = flow_of("I: add.s32 %r1, %r1, 1; @%p1 bra I; add.s32 %r2, %r2, 1; @%p2 bra I; ret;");
	assert_int_equal(flow->loop_count, 2);
	uint32_t inner = flow->blocks[block(flow, 0)].loop, outer = flow->blocks[block(flow, 2)].loop;
	assert_int_not_equal(inner, outer);
	assert_int_equal(flow->loops[inner].parent, outer);
	assert_int_equal(flow->loops[inner].header, flow->loops[outer].header);
	assert_false(flow_loop_has(&flow->loops[inner], block(flow, 2)));
	/* Nobody waits at B, which the first branch's lanes pass too. */
	flow = flow_of("A: @%p1 bra B; add.s32 %r1, %r1, 1; B: add.s32 %r2, %r2, 1; @%p2 bra A; ret;");
	assert_int_equal(flow->loop_count, 1);
}

/* Two ways into the loop A-B: no natural loop, but one all the same, and without the code in front of it. */
static void an_irreducible_loop_is_a_loop(void **state)
{
	(void)state;
	struct flow *flow = flow_of("@%p1 bra B; A: add.s32 %r1, %r1, 1; B: add.s32 %r2, %r2, 1; @%p2 bra A; ret;");
	assert_int_equal(flow->loop_count, 1);
	assert_int_equal(flow->blocks[block(flow, 1)].loop, 0);
	assert_int_equal(flow->blocks[block(flow, 2)].loop, 0);
	assert_int_equal(flow->blocks[0].loop, NO_BLOCK);
	assert_int_equal(flow->blocks[0].post_dominator, block(flow, 2));
}

static void an_indexed_branch_leads_to_every_target(void **state)
{
	(void)state;
	struct flow *flow = flow_of("T: .branchtargets A, B, A, C; brx.idx %r1, T; A: add.s32 %r2, %r2, 1; bra C; B: "
				    "add.s32 %r2, %r2, 2; C: ret;");
	assert_int_equal(flow->blocks[0].successor_count, 3);
	assert_int_equal(flow->blocks[0].post_dominator, block(flow, 4));
}

static void a_guarded_write_keeps_the_old_value_alive(void **state)
{
	(void)state;
	struct flow *flow = flow_of(
		"mov.u32 %r1, 1; bra L; L: @%p1 mov.u32 %r1, 2; mov.u32 %r2, 3; st.global.u32 [%rd1], %r1; ret;");
	assert_true(live(flow, flow->live_out, 0, "%r1"));
	assert_true(live(flow, flow->live_out, 0, "%rd1"));
	assert_true(live(flow, flow->live_in, 1, "%p1"));
	assert_false(live(flow, flow->live_out, 0, "%r2"));
	flow = flow_of("mov.u32 %r1, 1; bra L; L: mov.u32 %r1, 2; st.global.u32 [%rd1], %r1; ret;");
	assert_false(live(flow, flow->live_out, 0, "%r1"));
	/* Coordinates are read, also in front of a guarded instruction. */
	flow = flow_of("mov.u32 %r1, 1; bra L; L: @%p1 tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r1}]; ret;");
	assert_true(live(flow, flow->live_out, 0, "%r1"));
}

static void values_live_around_a_loop(void **state)
{
	(void)state;
	struct flow *flow =
		flow_of("mov.u32 %r1, 1; L: add.s32 %r2, %r2, %r1; @%p1 bra L; st.global.u32 [%rd1], %r2; ret;");
	uint32_t loop = block(flow, 1);
	assert_true(live(flow, flow->live_out, loop, "%r1"));
	assert_true(live(flow, flow->live_out, loop, "%p1"));
	assert_false(live(flow, flow->live_in, block(flow, 3), "%r1"));
}

static void unreachable_code_and_empty_functions_do_no_harm(void **state)
{
	(void)state;
	struct flow *flow = flow_of("ret; add.s32 %r1, %r1, 1; bra D; D: ret;");
	assert_int_equal(flow->blocks[block(flow, 3)].dominator, NO_BLOCK);
	assert_int_equal(flow_of("")->block_count, 0);
}

/* ---- Growth ---- */

/* What the analysis of `count` pieces takes, in steps and in bytes: each piece is a format of its number and of another
 * one. */
static struct cost {
	uint64_t steps, bytes;
} cost_of(const char *piece, uint32_t count, uint32_t stride)
{
	struct arena own = {0};
	struct text text = {.arena = &own};
	for (uint32_t k = 0; k < count; k++)
		text_print(&text, piece, k, (k * stride + 1) % count);
	text_print(&text, "ret;");
	size_t before = arena.used;
	struct flow *flow = flow_of(text.at); /* parsing is linear, and larger than what is looked at here: no harm */
	struct cost cost = {flow->steps, arena.used - before};
	arena_free(&own);
	return cost;
}

/* Twice the pieces, twice the work: 2.6 leaves room for a logarithm and for vectors that double. */
static void analysis_grows_with_the_code(void **state)
{
	static const struct {
		const char *piece;
		uint32_t stride;
	} shapes[] = {
		{"L%u: @%%p1 bra L%u; ", 1},   /* each may skip the next */
		{"L%u: @%%p1 bra L%u; ", 617}, /* scattered */
		{"L%u: bra L%u; ", 617},       /* without a way on */
		{"L%u: @%%p1 bra L%1$u; ", 0}, /* a loop each */
		{"L%u: @%%p1 bra L0; ", 0},    /* one loop of all */
		{"L%u: add.s32 %%r1, %%r1, 1; @%%p1 bra M%1$u; add.s32 %%r2, %%r1, 1; M%1$u: ", 0},
	};
	(void)state;
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
		struct cost small = cost_of(shapes[k].piece, 20000, shapes[k].stride),
			    large = cost_of(shapes[k].piece, 40000, shapes[k].stride);
		/* Each piece is looked at, and some hundred times at most. */
		assert_true(small.steps > 20000 && small.steps < 20000 * 200);
		if (large.steps > small.steps * 26 / 10 || large.bytes > small.bytes * 26 / 10)
			fail_msg("shape %zu: %llu and %llu steps, %llu and %llu bytes", k,
				(unsigned long long)small.steps, (unsigned long long)large.steps,
				(unsigned long long)small.bytes, (unsigned long long)large.bytes);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(straight_code_is_one_block, free_arena),
		cmocka_unit_test_teardown(a_diamond_reconverges_where_its_sides_meet, free_arena),
		cmocka_unit_test_teardown(a_guarded_exit_leads_to_the_end_as_well, free_arena),
		cmocka_unit_test_teardown(a_trap_does_not_keep_lanes_from_rejoining, free_arena),
		cmocka_unit_test_teardown(an_infinite_loop_still_has_rejoin_points, free_arena),
		cmocka_unit_test_teardown(loops_nest, free_arena),
		cmocka_unit_test_teardown(loops_may_share_their_header, free_arena),
		cmocka_unit_test_teardown(an_irreducible_loop_is_a_loop, free_arena),
		cmocka_unit_test_teardown(an_indexed_branch_leads_to_every_target, free_arena),
		cmocka_unit_test_teardown(a_guarded_write_keeps_the_old_value_alive, free_arena),
		cmocka_unit_test_teardown(values_live_around_a_loop, free_arena),
		cmocka_unit_test_teardown(analysis_grows_with_the_code, free_arena),
		cmocka_unit_test_teardown(unreachable_code_and_empty_functions_do_no_harm, free_arena),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
