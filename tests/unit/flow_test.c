/* Control flow: blocks, reconvergence points, dominators, loops of every shape, liveness with guards. */
#include "kernel/assign.h"
#include "kernel/bits.h"
#include "kernel/flow.h"
#include "kernel/registers.h"
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
		".extern .func die() .noreturn;\n.extern .func (.reg .b32 one) take(.reg .b32 a, .reg .b32 b, .reg "
		".b32 c);\n"
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

/* What an instruction reads and writes, in order: "r1 r2 >r3". */
static const char *registers_of(const struct flow *flow, uint32_t k)
{
	struct text text = {.arena = &arena};

	text_print(&text, "%s", "");
	for (struct register_use use = {.of = &flow->function->code.at[k]}; register_next(&use);)
		text_print(&text, "%s%s%s", text.length ? " " : "", use.is_write ? ">" : "", use.reg->name + 1);
	return text.at;
}

static void guards_addresses_and_vectors_have_registers(void **state)
{
	(void)state;
	const struct flow *flow = flow_of("ld.global.v2.u32 {%r1, _}, [%rd1];\n"
					  "@%p1 st.global.v2.u32 [%rd2], {%r2, %r3};\n"
					  "@!%p2 mov.b64 {%r4, %r5}, %rd3;\n"
					  "tex.2d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%rd4, {%r5, %r6}];\n"
					  "sust.b.1d.b32.trap [%rd5, {%r7}], %r8;\n"
					  "setp.eq.s32 %p3|%p4, %r1, 5;\n"
					  "call.uni (%r9), take, (%r1, 3, %r2);\n");
	static const char *const expected[] = {"rd1 >r1", "p1 rd2 r2 r3", "p2 rd3 r4 >r4 r5 >r5",
		"rd4 r5 r6 >r1 >r2 >r3 >r4", "rd5 r7 r8", "r1 >p3 >p4", "r1 r2 >r9"};

	for (uint32_t k = 0; k < flow->function->code.count && k < sizeof expected / sizeof *expected; k++)
		assert_string_equal(registers_of(flow, k), expected[k]);
	assert_int_equal(flow->function->code.count, sizeof expected / sizeof *expected);
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

/* The end of the code is the function's: nothing follows. */
static void code_may_run_out(void **state)
{
	(void)state;
	struct flow *flow = flow_of("@%p1 bra B; add.s32 %r1, %r1, 1; B: add.s32 %r1, %r1, 2;");
	assert_int_equal(flow->block_count, 3);
	assert_true(flow->blocks[2].ends);
	assert_int_equal(flow->blocks[2].successor_count, 0);
	assert_int_equal(flow->blocks[0].predecessor_count, 0);
	assert_int_equal(flow->blocks[0].post_dominator, 2);
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

/* ---- Random functions, against searches through their instructions ---- */

#define MOST 64
enum { WORDS = 6, LONGS = 3, PREDICATES = 3, REGISTERS = WORDS + LONGS + PREDICATES };

/* An instruction as it is written. */
struct written {
	uint32_t reads[4], writes[2], read_count, write_count; /* registers: words, longs, predicates */
	bool guarded, in_place;                                /* in_place: its results may be where sources were */
	bool goes_on, ends;                                    /* to the next instruction; leaves the function */
	int target;                                            /* or -1 */
};

static struct written code[MOST];
static uint32_t code_count;

static const char *name_of(uint32_t r)
{
	return r < WORDS           ? arena_printf(&arena, "%%r%u", r)
	       : r < WORDS + LONGS ? arena_printf(&arena, "%%rd%u", r - WORDS)
				   : arena_printf(&arena, "%%p%u", r - WORDS - LONGS);
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	return (uint32_t)(splitmix64(seed) % below);
}

/* A register of a kind, noted as read or written. */
static const char *reads(struct written *w, uint32_t r)
{
	w->reads[w->read_count++] = r;
	return name_of(r);
}

static const char *writes(struct written *w, uint32_t r)
{
	w->writes[w->write_count++] = r;
	return name_of(r);
}

static void add_computation(struct text *text, uint64_t *seed, struct written *w)
{
	uint32_t word[3], lng = WORDS + draw(seed, LONGS), predicate = WORDS + LONGS + draw(seed, PREDICATES);
	for (uint32_t k = 0; k < 3; k++)
		word[k] = draw(seed, WORDS);
	switch (draw(seed, 8)) {
	case 0: text_print(text, "ld.global.u32 %s, [%s];\n", writes(w, word[0]), reads(w, lng)); break;
	case 1: text_print(text, "st.global.u32 [%s], %s;\n", reads(w, lng), reads(w, word[1])); break;
	case 2: text_print(text, "cvt.u64.u32 %s, %s;\n", writes(w, lng), reads(w, word[1])); break;
	case 3:
		word[1] = word[1] == word[0] ? (word[0] + 1) % WORDS : word[1];
		text_print(text, "mov.b64 {%s, %s}, %s;\n", writes(w, word[0]), writes(w, word[1]), reads(w, lng));
		break;
	case 4:
		text_print(
			text, "setp.eq.u32 %s, %s, %s;\n", writes(w, predicate), reads(w, word[1]), reads(w, word[2]));
		break;
	case 5:
		text_print(text, "add.s64 %s, %s, 8;\n", writes(w, lng), reads(w, WORDS + draw(seed, LONGS)));
		w->in_place = true;
		break;
	default:
		text_print(text, "add.s32 %s, %s, %s;\n", writes(w, word[0]), reads(w, word[1]), reads(w, word[2]));
		w->in_place = true;
	}
}

static void add_instruction(struct text *text, uint64_t *seed, struct written *w, uint32_t number, uint32_t labels)
{
	uint32_t what = draw(seed, 16), guard = WORDS + LONGS + draw(seed, PREDICATES);
	*w = (struct written){.goes_on = true, .target = -1};
	if (number % 3 == 0)
		text_print(text, "L%u: ", number / 3);
	w->guarded = what < 3 || what == 5 || (what > 5 && draw(seed, 4) == 0);
	if (w->guarded)
		text_print(text, "@%s%s ", draw(seed, 2) ? "!" : "", reads(w, guard));
	if (what < 4) {
		w->target = (int)draw(seed, labels) * 3;
		w->goes_on = w->guarded;
		text_print(text, "bra L%d;\n", w->target / 3);
	} else if (what < 6 && draw(seed, 2)) {
		w->ends = draw(seed, 4);
		w->goes_on = w->guarded;
		text_print(text, "%s;\n", w->ends ? draw(seed, 2) ? "exit" : "ret" : "trap");
	} else {
		add_computation(text, seed, w);
		for (uint32_t k = 0; w->guarded && k < w->write_count; k++)
			w->reads[w->read_count++] = w->writes[k]; /* the old value stays where the guard is false */
	}
}

static struct flow *random_function(uint64_t *seed)
{
	struct text text = {.arena = &arena};
	uint32_t labels = 2 + draw(seed, MOST / 3 - 2);
	code_count = labels * 3 + 1;
	for (uint32_t k = 0; k + 1 < code_count; k++)
		add_instruction(&text, seed, &code[k], k, labels);
	code[code_count - 1] = (struct written){.ends = true, .target = -1};
	text_print(&text, "ret;\n");
	return flow_of(text.at);
}

/* Where control goes from instruction `k`: up to two. */
static uint32_t next_of(uint32_t k, uint32_t next[2])
{
	uint32_t n = 0;
	if (code[k].target >= 0)
		next[n++] = (uint32_t)code[k].target;
	if (code[k].goes_on)
		next[n++] = k + 1;
	return n;
}

/* What can be reached from instruction `from`, itself included, without entering `avoided`. */
static void reach(uint32_t from, uint32_t avoided, bool *reached)
{
	uint32_t next[2];
	if (from == avoided || reached[from])
		return;
	reached[from] = true;
	for (uint32_t k = next_of(from, next); k-- > 0;)
		reach(next[k], avoided, reached);
}

static bool is_reached(uint32_t from, uint32_t to, uint32_t avoided)
{
	bool reached[MOST] = {false};
	reach(from, avoided, reached);
	return reached[to];
}

static bool reaches_end(uint32_t from, uint32_t avoided)
{
	bool reached[MOST] = {false}, any = false;
	reach(from, avoided, reached);
	for (uint32_t k = 0; k < code_count; k++)
		any |= reached[k] && code[k].ends;
	return any;
}

static bool dominates(const struct flow *flow, uint32_t d, uint32_t b)
{
	return !is_reached(0, flow->blocks[b].first, flow->blocks[d].first);
}

static bool post_dominates(const struct flow *flow, uint32_t d, uint32_t b)
{
	return !reaches_end(flow->blocks[b].first, flow->blocks[d].first);
}

/* Of the blocks that `rule` says are before, or behind, block `b` whichever way control goes, the nearest: the others
 * are before, or behind, that one. */
static uint32_t nearest(const struct flow *flow, uint32_t b,
	bool (*rule)(const struct flow *flow, uint32_t d, uint32_t b), const bool *live)
{
	for (uint32_t d = 0; d < flow->block_count; d++) {
		bool is_nearest = d != b && live[d] && rule(flow, d, b);
		for (uint32_t other = 0; is_nearest && other < flow->block_count; other++)
			is_nearest = other == b || other == d || !live[other] || !rule(flow, other, b) ||
				     rule(flow, other, d);
		if (is_nearest)
			return d;
	}
	return NO_BLOCK;
}

static void check_dominators(const struct flow *flow)
{
	bool live_blocks[MOST], all_end = true;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		live_blocks[b] = is_reached(0, flow->blocks[b].first, MOST);
		all_end &= !live_blocks[b] || reaches_end(flow->blocks[b].first, MOST);
	}
	for (uint32_t b = 0; b < flow->block_count; b++) {
		if (!live_blocks[b])
			continue;
		assert_int_equal(flow->blocks[b].dominator, nearest(flow, b, dominates, live_blocks));
		if (all_end) /* else some lead to the end that never get there: flow.c says which */
			assert_int_equal(flow->blocks[b].post_dominator, nearest(flow, b, post_dominates, live_blocks));
	}
}

static void check_edges(const struct flow *flow)
{
	for (uint32_t b = 0; b < flow->block_count; b++) {
		const struct flow_block *block = &flow->blocks[b];
		uint32_t last = block->first + block->count - 1, next[2], n = next_of(last, next);
		assert_int_equal(block->ends, code[last].ends);
		n -= n == 2 && next[0] == next[1];
		assert_int_equal(block->successor_count, n);
		for (uint32_t k = 0; k < n; k++) {
			const struct flow_block *to = &flow->blocks[block->successors[k]];
			uint32_t times = 0;
			assert_int_equal(to->first, next[k]);
			for (uint32_t p = 0; p < to->predecessor_count; p++)
				times += to->predecessors[p] == b;
			assert_int_equal(times, 1);
		}
		for (uint32_t k = block->first; k < last; k++) { /* nothing leaves or enters it in its middle */
			assert_true(code[k].goes_on && code[k].target < 0);
			assert_int_equal(flow->block_of[k], b);
		}
	}
}

static bool has(const uint32_t *list, uint32_t length, uint32_t r)
{
	for (uint32_t k = 0; k < length; k++)
		if (list[k] == r)
			return true;
	return false;
}

/* Whether some way from instruction `k` on reads the register before it writes it. */
static bool is_needed(uint32_t k, uint32_t r, bool *seen)
{
	uint32_t next[2];
	if (seen[k])
		return false;
	seen[k] = true;
	if (has(code[k].reads, code[k].read_count, r))
		return true;
	if (has(code[k].writes, code[k].write_count, r))
		return false;
	for (uint32_t n = next_of(k, next); n-- > 0;)
		if (is_needed(next[n], r, seen))
			return true;
	return false;
}

static bool needed[MOST + 1][REGISTERS]; /* before each instruction */

static bool needed_after(uint32_t k, uint32_t r)
{
	uint32_t next[2];
	for (uint32_t n = next_of(k, next); n-- > 0;)
		if (needed[next[n]][r])
			return true;
	return false;
}

static bool is_live(const struct flow *flow, uint64_t *const *sets, uint32_t b, uint32_t r)
{
	for (uint32_t k = 0; k < flow->function->registers.count; k++)
		if (!strcmp(flow->function->registers.at[k]->name, name_of(r)))
			return live(flow, sets, b, name_of(r));
	return false; /* it is mentioned nowhere */
}

static void check_liveness(const struct flow *flow)
{
	for (uint32_t k = 0; k < code_count; k++)
		for (uint32_t r = 0; r < REGISTERS; r++) {
			bool seen[MOST] = {false};
			needed[k][r] = is_needed(k, r, seen);
		}
	for (uint32_t b = 0; b < flow->block_count; b++)
		for (uint32_t r = 0; r < REGISTERS; r++) {
			const struct flow_block *block = &flow->blocks[b];
			assert_int_equal(is_live(flow, flow->live_in, b, r), needed[block->first][r]);
			assert_int_equal(
				is_live(flow, flow->live_out, b, r), needed_after(block->first + block->count - 1, r));
		}
}

static uint32_t slot_of(const struct flow *flow, const struct assignment *a, uint32_t r)
{
	for (uint32_t k = 0; k < flow->function->registers.count; k++)
		if (!strcmp(flow->function->registers.at[k]->name, name_of(r)))
			return a->slot[k];
	return NO_SLOT;
}

static bool share(const uint32_t *slot, uint32_t a, uint32_t b)
{
	uint32_t first = WORDS + LONGS;
	if (a == b || (a < first) != (b < first)) /* predicates have numbers of their own */
		return false;
	return slot[a] < slot[b] + (b >= WORDS && b < first ? 2 : 1) &&
	       slot[b] < slot[a] + (a >= WORDS && a < first ? 2 : 1);
}

/* What an instruction writes is in no slot of a value that is needed later; nor of its own sources, unless it may. */
static void check_slots(const struct flow *flow)
{
	struct assignment *a = assign_slots(&arena, flow, 0);
	uint32_t slot[REGISTERS];
	for (uint32_t r = 0; r < REGISTERS; r++)
		slot[r] = slot_of(flow, a, r);
	for (uint32_t k = 0; k < code_count; k++) {
		const struct written *w = &code[k];
		bool used = false;
		for (uint32_t o = 0; o < w->write_count; o++) {
			uint32_t to = w->writes[o];
			assert_true(slot[to] != NO_SLOT);
			assert_int_equal(to >= WORDS && to < WORDS + LONGS && slot[to] % 2, 0);
			used |= needed_after(k, to);
			for (uint32_t r = 0; r < REGISTERS; r++)
				assert_false(needed_after(k, r) && share(slot, to, r));
			for (uint32_t other = 0; other < w->write_count; other++)
				assert_false(share(slot, to, w->writes[other]));
			for (uint32_t other = 0; other < w->read_count && !w->in_place; other++)
				assert_false(share(slot, to, w->reads[other]));
		}
		assert_int_equal(a->dead_result[k], w->write_count && !used);
	}
}

static void random_functions_agree_with_searches(void **state)
{
	uint64_t seed = 1;
	(void)state;
	for (uint32_t k = 0; k < 200; k++) {
		const struct flow *flow = random_function(&seed);
		check_edges(flow);
		check_dominators(flow);
		check_liveness(flow);
		check_slots(flow);
		arena_free(&arena);
	}
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
		cmocka_unit_test_teardown(guards_addresses_and_vectors_have_registers, free_arena),
		cmocka_unit_test_teardown(straight_code_is_one_block, free_arena),
		cmocka_unit_test_teardown(code_may_run_out, free_arena),
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
		cmocka_unit_test_teardown(random_functions_agree_with_searches, free_arena),
		cmocka_unit_test_teardown(analysis_grows_with_the_code, free_arena),
		cmocka_unit_test_teardown(unreachable_code_and_empty_functions_do_no_harm, free_arena),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
