/* Decoding: operands to slots, immediates, special registers, memory operands, calls, spin marks, refusals. */
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
static struct diagnostic diagnostic;

static int free_arena(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct kernel *decode_module(const char *text, uint32_t lanes)
{
	memset(&diagnostic, 0, sizeof diagnostic);
	struct ptx_module *module = ptx_parse(&arena, "test.ptx",
		arena_printf(&arena, ".version 7.0\n.target sm_70\n.address_size 64\n%s", text), &diagnostic);
	if (!module)
		fail_msg("%s", diagnostic.message);
	return kernel_decode(&arena, module, ptx_find_function(module, "k"), lanes, &diagnostic);
}

static struct kernel *decode(const char *before, const char *body)
{
	struct kernel *kernel = decode_module(
		arena_printf(&arena,
			"%s\n.visible .entry k(.param .u64 a, .param .u32 n, .param .align 16 .b8 s[20]) {\n"
			".reg .pred %%p<10>;\n.reg .b16 %%h<10>;\n.reg .b32 %%r<20>;\n.reg .f32 %%f<10>;\n.reg .b64 "
			"%%rd<20>;\n.reg .f64 %%fd<10>;\n%s\n}\n",
			before, body),
		LANES);
	if (!kernel)
		fail_msg("%s", diagnostic.message);
	return kernel;
}

static void refuse(const char *before, const char *body, const char *expected)
{
	struct kernel *kernel = decode_module(
		arena_printf(&arena, "%s\n.visible .entry k() {\n.reg .b32 %%r<10>;\n.reg .b64 %%rd<9>;\n%s\n}\n",
			before, body),
		LANES);
	assert_null(kernel);
	if (!strstr(diagnostic.message, expected))
		fail_msg("'%s' does not say '%s'", diagnostic.message, expected);
}

/* The k-th instruction of a kind. */
static const struct insn *nth(const struct kernel *kernel, enum insn_kind kind, uint32_t k)
{
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (kernel->code[pc].kind == kind && k-- == 0)
			return &kernel->code[pc];
	fail_msg("no such instruction");
	return NULL;
}

static uint32_t pc_of(const struct kernel *kernel, const struct insn *insn)
{
	return (uint32_t)(insn - kernel->code);
}

static uint32_t word(const struct kernel *kernel, slot_ref slot, uint32_t lane)
{
	assert_true(slot & SLOT_CONSTANT);
	return kernel->constants[(slot & ~SLOT_CONSTANT) + lane];
}

static uint64_t doubleword(const struct kernel *kernel, slot_ref slot, uint32_t lane)
{
	uint64_t value;
	assert_true(slot & SLOT_CONSTANT);
	memcpy(&value, &kernel->constants[(slot & ~SLOT_CONSTANT) + lane * 2], sizeof value);
	return value;
}

static void immediates_take_the_operand_type(void **state)
{
	(void)state;
	struct kernel *kernel = decode("",
		"add.f32 %f1, %f2, 0d3FF0000000000000; add.f64 %fd1, %fd2, 0f3FC00000; add.s32 %r1, %r2, -1;"
		"add.s64 %rd1, %rd2, -1; shl.b64 %rd1, %rd1, 3; add.s16 %h1, %h2, -1; mov.b32 %r3, 0f3F800000; ret;");
	assert_int_equal(word(kernel, kernel->code[0].s[1], 31), 0x3f800000);
	assert_true(doubleword(kernel, kernel->code[1].s[1], 31) == 0x3ff8000000000000ull);
	assert_int_equal(word(kernel, kernel->code[2].s[1], 0), 0xffffffff);
	assert_true(doubleword(kernel, kernel->code[3].s[1], 31) == ~0ull);
	assert_int_equal(kernel->code[3].s_bytes[1], 8);
	assert_int_equal(kernel->code[4].s_bytes[1], 4);
	assert_int_equal(word(kernel, kernel->code[4].s[1], 7), 3);
	assert_int_equal(word(kernel, kernel->code[5].s[1], 7), 0xffff);
	assert_int_equal(word(kernel, kernel->code[6].s[0], 1), 0x3f800000);
}

static void equal_immediates_share_a_slot(void **state)
{
	(void)state;
	struct kernel *kernel = decode(
		"", "add.s32 %r1, %r2, 7; add.u32 %r3, %r4, 7; add.s64 %rd1, %rd2, 7; mul.lo.s64 %rd3, %rd3, 7; ret;");
	assert_int_equal(kernel->code[0].s[1], kernel->code[1].s[1]);
	assert_int_equal(kernel->code[2].s[1], kernel->code[3].s[1]);
	assert_int_not_equal(kernel->code[0].s[1], kernel->code[2].s[1]);
}

static void special_registers_have_slots_in_the_entry(void **state)
{
	(void)state;
	struct kernel *kernel =
		decode("", "mov.u32 %r1, %tid.x; add.u32 %r2, %r1, %ctaid.y; mov.u32 %r3, %ntid.x; mov.u32 %r4, "
			   "%clock; add.u32 %r5, %r4, %smid;"
			   "st.global.u32 [%rd1], %r5; mov.u64 %rd3, %clock64; mov.u32 %r6, WARP_SZ; ret;");
	assert_int_equal(kernel->warp_constant_count, 2);
	assert_int_equal(kernel->warp_constants[0].special, SPECIAL_TID);
	assert_int_equal(kernel->code[0].s[0], kernel->warp_constants[0].word);
	assert_int_equal(kernel->code[0].inserted, INSERTED_NONE);
	assert_int_equal(kernel->code[1].s[1], kernel->warp_constants[1].word);
	assert_int_equal(kernel->warp_constants[1].component, 1);
	assert_int_equal(kernel->launch_constant_count, 1);
	assert_int_equal(kernel->code[2].s[0], SLOT_CONSTANT | kernel->launch_constants[0].word);
	assert_int_equal(kernel->code[3].kind, INSN_CLOCK);
	assert_int_equal(kernel->code[3].special, SPECIAL_CLOCK);
	assert_int_equal(kernel->code[4].inserted, INSERTED_SPECIAL); /* before the add that reads it */
	assert_int_equal(kernel->code[4].special, SPECIAL_SMID);
	assert_int_equal(kernel->code[5].s[1], kernel->code[4].d);
	assert_int_equal(kernel->code[7].d_bytes, 8);
	assert_int_equal(word(kernel, kernel->code[8].s[0], 0), LANES);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++) /* nobody waits for a warp constant */
		for (uint32_t k = 0; k < kernel->code[pc].scoreboard.count; k++)
			assert_true(kernel->code[pc].scoreboard.slot[k] >= 2);
}

static void called_functions_read_special_registers_by_instruction(void **state)
{
	(void)state;
	struct kernel *kernel = decode(".func f() {\n.reg .b32 %r<5>; mov.u32 %r1, %tid.x; add.u32 %r2, %r1, %laneid; "
				       "mov.u32 %r3, %ntid.x; ret;\n}",
		"call f; ret;");
	const struct insn *code = &kernel->code[kernel->functions[1].first_pc];
	assert_int_equal(code[0].inserted, INSERTED_SPECIAL);
	assert_int_equal(code[0].kind, INSN_PLAIN);
	assert_int_equal(code[1].special, SPECIAL_LANEID);
	assert_int_equal(code[2].s[1], code[1].d);
	assert_true(code[1].d / LANES < kernel->functions[1].slot_count);
	assert_int_equal(code[3].inserted, INSERTED_NONE);
}

static void guards_and_predicates_are_numbers(void **state)
{
	(void)state;
	struct kernel *kernel = decode("", "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3; @!%p1 add.s32 %r1, %r1, 1; "
					   "and.pred %p4, %p1, !%p2; selp.b32 %r3, %r1, %r2, %p4;"
					   "@%p2 st.global.u32 [%rd1], %r3; mov.pred %p5, 0; @%p5 bra L; L: ret;");
	const struct insn *setp = &kernel->code[0], *and = &kernel->code[2], *selp = &kernel->code[3];
	assert_int_not_equal(setp->pd, NO_PREDICATE);
	assert_int_not_equal(setp->pd2, NO_PREDICATE);
	assert_int_not_equal(setp->ps, 0);
	assert_int_equal(setp->ps_invert, 1);
	assert_int_equal(kernel->code[1].guard, setp->pd);
	assert_int_equal(kernel->code[1].guard_invert, 1);
	assert_true(kernel->code[1].flags & INSN_GUARDED);
	assert_int_equal(and->s[0], setp->pd);
	assert_int_equal(and->s[1], setp->pd2 | PREDICATE_INVERT);
	assert_int_equal(selp->ps, and->pd);
	assert_int_equal(selp->ps_invert, 0);
	assert_int_equal(kernel->code[5].s[0], PREDICATE_INVERT); /* false: not everyone */
	assert_int_equal(kernel->code[0].guard, 0);
}

/* No slot may have two owners whose lives overlap; wide values are aligned. */
static void slots_are_shared_only_by_the_dead(void **state)
{
	(void)state;
	struct kernel *kernel = decode("", "add.s32 %r1, %r9, 1; add.s32 %r2, %r9, 2; add.s32 %r3, %r1, %r2; "
					   "cvt.u64.u32 %rd1, %r3; mul.wide.u32 %rd2, %r1, %r3;"
					   "add.s64 %rd3, %rd1, %rd2; st.global.u64 [%rd3], %rd1; ret;");
	const struct insn *code = kernel->code;
	assert_int_not_equal(code[0].d, code[1].d);
	assert_int_equal(code[2].d, code[1].d); /* %r2 dies there, in a lane-wise instruction of one width */
	assert_int_not_equal(code[2].d, code[0].d);
	for (uint32_t pc = 3; pc < 6; pc++)
		assert_int_equal(code[pc].d / LANES % 2, 0);
	assert_int_not_equal(code[3].d / 64, code[2].d / 64); /* widening: not over its own source */
	assert_true(kernel->slot_count <= 8);
}

/* Four values, each alive until the next but one begins, so never more than two at once: two slots do, in whichever
 * order the names are declared, if they are given in order of life.  By declaration, first and last of the last row
 * would share a slot, and each of the two between them would need another. */
static void slots_are_given_in_order_of_life(void **state)
{
	(void)state;
	static const char *const names[][4] = {{"1", "2", "3", "4"}, {"4", "3", "2", "1"}, {"1", "3", "4", "2"}};
	uint32_t slots = 0;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		const char *const *n = names[k];
		struct kernel *kernel =
			decode("", arena_printf(&arena,
					   ".reg .b32 %%a1, %%a2, %%a3, %%a4; ld.global.u32 %%a%1$s, [%%rd1]; "
					   "ld.global.u32 %%a%2$s, [%%rd1];"
					   "st.global.u32 [%%rd1], %%a%1$s; ld.global.u32 %%a%3$s, [%%rd1];"
					   "st.global.u32 [%%rd1], %%a%2$s; ld.global.u32 %%a%4$s, [%%rd1];"
					   "st.global.u32 [%%rd1], %%a%3$s; st.global.u32 [%%rd1], %%a%4$s; ret;",
					   n[0], n[1], n[2], n[3]));
		slots = k ? slots : kernel->slot_count;
		assert_int_equal(kernel->slot_count, slots);
	}
}

static void wide_values_are_aligned_and_apart_from_their_sources(void **state)
{
	(void)state;
	struct kernel *kernel = decode("", "mov.u32 %r1, 1; mov.u64 %rd1, 2; st.global.u32 [%rd1], %r1; ret;");
	assert_int_equal(kernel->code[0].d, 0);
	assert_int_equal(kernel->code[1].d, SLOT_WIDE | 2 * LANES);
	kernel = decode("", "mov.u32 %r1, 1; cvt.u64.u32 %rd1, %r1; st.global.u64 [%rd1], %rd1; ret;");
	assert_int_equal(kernel->code[0].d, 0);
	/* its first lanes would overwrite %r1's last ones */
	assert_int_equal(kernel->code[1].d, SLOT_WIDE | 2 * LANES);
	kernel = decode("", "mov.u32 %r1, %tid.x; mov.u64 %rd1, 2; st.global.u32 [%rd1], %r1; ret;");
	assert_int_equal(kernel->code[0].d, LANES); /* %tid.x has the first slot */
	assert_int_equal(kernel->code[1].d, SLOT_WIDE | 2 * LANES);
	kernel = decode("", "mov.u64 %rd1, 2; mov.u32 %r1, %tid.x; st.global.u32 [%rd1], %r1; ret;");
	assert_int_equal(kernel->code[0].d, SLOT_WIDE | 2 * LANES);
	kernel = decode("", "mov.u32 %r1, 1; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; st.global.u32 [%rd1], %r2; ret;");
	assert_int_not_equal(kernel->code[0].d, kernel->code[1].d); /* other lanes still read */
}

static void destinations_list_every_slot_they_cover(void **state)
{
	(void)state;
	struct kernel *kernel = decode("", "ld.global.v2.u64 {%rd1, %rd2}, [%rd3]; add.s64 %rd4, %rd1, %rd2; @%p1 "
					   "st.global.u64 [%rd3], %rd4; ret;");
	const struct insn *load = &kernel->code[0], *store = &kernel->code[2];
	assert_int_equal(load->scoreboard.writes, 4);
	assert_int_equal(load->scoreboard.count, 5);
	assert_int_equal(load->scoreboard.slot[1], load->scoreboard.slot[0] + 1);
	assert_int_equal(store->scoreboard.writes, 0);
	assert_int_equal(store->scoreboard.count, 3);
	assert_int_equal(store->scoreboard.slot[0], 0x8000 | store->guard);
}

/* Words of registers that an instruction reads and writes, and what it waits for: every slot that it writes, the first
 * slot of each source that it does not write, predicates.  All registers live on. */
static void words_and_waits_are_counted(void **state)
{
	static const struct {
		const char *text;
		uint32_t reads, writes, waits, results;
	} rows[] = {{"add.u32 %r1, %r2, %r3;", 2, 1, 3, 1}, {"add.u32 %r1, %r1, %r1;", 2, 1, 1, 1},
		{"add.u32 %r1, %r2, %r2;", 2, 1, 2, 1}, {"add.u32 %r1, %r2, 5;", 1, 1, 2, 1},
		{"add.u64 %rd1, %rd2, %rd3;", 4, 2, 4, 2}, {"add.u64 %rd1, %rd1, %rd2;", 4, 2, 3, 2},
		{"mad.wide.u32 %rd1, %r1, %r2, %rd3;", 4, 2, 5, 2}, {"cvt.u32.u64 %r1, %rd1;", 2, 1, 2, 1},
		{"setp.eq.u32 %p1, %r1, %r2;", 2, 0, 3, 1}, {"setp.eq.u32 %p1|%p2, %r1, 3;", 1, 0, 3, 2},
		{"setp.eq.and.u32 %p1, %r1, %r2, %p2;", 2, 0, 4, 1},
		{"setp.eq.and.u32 %p1, %r1, %r2, %p1;", 2, 0, 3, 1}, {"and.pred %p1, %p2, %p3;", 0, 0, 3, 1},
		{"and.pred %p1, %p1, %p2;", 0, 0, 2, 1}, {"selp.u32 %r1, %r2, %r3, %p1;", 2, 1, 4, 1},
		{"@%p1 add.u32 %r1, %r2, %r3;", 2, 1, 4, 1}, {"@!%p1 bra end;", 0, 0, 1, 0},
		{"bra.uni end;", 0, 0, 0, 0}, {"@%p1 mov.b64 {%r1, %r2}, %rd1;", 2, 2, 4, 2},
		{"@%p1 mov.b64 %rd1, {%r1, %r2};", 2, 2, 5, 2}, {"mov.b64 {%r1, %r2}, %rd1;", 0, 0, 4, 0},
		{"mov.b64 %rd1, {%r1, %r2};", 0, 0, 4, 0}, {"ld.global.u32 %r1, [%rd1];", 2, 1, 2, 1},
		{"ld.global.v2.u32 {%r1, %r2}, [%rd1];", 2, 2, 3, 2},
		{"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];", 2, 4, 5, 4},
		{"st.global.u32 [%rd1], %r1;", 3, 0, 2, 0}, {"st.global.u64 [%rd1], %rd2;", 4, 0, 2, 0},
		{"st.global.u64 [%rd1], %rd1;", 4, 0, 1, 0}, {"st.global.v2.u32 [%rd1], {%r1, %r2};", 4, 0, 3, 0},
		{"atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", 4, 1, 4, 1},
		{"red.global.add.u32 [%rd1], %r1;", 3, 0, 2, 0},
		{"shfl.sync.idx.b32 %r1|%p1, %r2, %r3, 31, -1;", 2, 1, 4, 2}, {"bar.sync 0;", 0, 0, 0, 0}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct kernel *kernel = decode("", arena_printf(&arena,
							   "again: %s\nst.global.u32 [%%rd9], %%r1; st.global.u32 "
							   "[%%rd9], %%r2; st.global.u32 [%%rd9], %%r3;\n"
							   "st.global.u32 [%%rd9], %%r4; st.global.u64 [%%rd9], %%rd1; "
							   "st.global.u64 [%%rd9], %%rd2;\n"
							   "st.global.u64 [%%rd9], %%rd3; @%%p1 exit; @%%p2 exit; "
							   "@%%p3 exit; bra again; end: ret;",
							   rows[k].text));
		const struct insn *i = &kernel->code[0];

		if (i->reads != rows[k].reads || i->writes != rows[k].writes || i->scoreboard.count != rows[k].waits ||
			i->scoreboard.writes != rows[k].results)
			fail_msg("%s reads %u writes %u waits %u results %u", rows[k].text, i->reads, i->writes,
				i->scoreboard.count, i->scoreboard.writes);
	}
}

static void memory_operands_know_their_space(void **state)
{
	(void)state;
	struct kernel *kernel = decode(".global .u32 g[4]; .shared .align 8 .b8 s1[12]; .shared .align 16 .b8 s2[4]; "
				       ".extern .shared .align 8 .b8 dyn[]; .const .f32 c[2] = {1.0, 2.0};",
		".local .align 8 .b8 depot[24]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [s+8]; st.shared.u32 [s2], "
		"%r1; st.shared.u32 [s1+4], %r1; ld.shared.s8 %r3, [dyn+1];"
		"st.local.u16 [depot+6], %h1; ld.global.v2.u32 {%r4, _}, [g+8]; ld.const.f32 %f1, [c+4]; ld.u32 %r5, "
		"[g]; ld.shared.u32 %r6, [%r7-4]; ld.u8 %rd1, [%rd2]; ret;");
	const struct insn *i = kernel->code;
	assert_int_equal(i[0].access.space, space_PARAM);
	assert_int_equal(i[0].offset, 8);
	assert_int_equal(i[1].offset, 16 + 8);
	assert_true(doubleword(kernel, i[0].s[0], 5) == 0);
	assert_int_equal(kernel->shared.count, 2);
	assert_int_equal(i[2].offset, 0); /* first mentioned, first placed */
	assert_int_equal(i[3].offset, 8 + 4);
	assert_int_equal(kernel->shared.static_bytes, 20);
	assert_int_equal(kernel->shared.dynamic, 32);
	assert_int_equal(i[4].offset, 33);
	assert_true(i[4].flags & INSN_SIGNED);
	assert_int_equal(i[5].access.space, space_LOCAL);
	assert_int_equal(i[5].access.in_frame, 1);
	assert_int_equal(i[5].offset, 6);
	assert_int_equal(i[6].access.elements, 2);
	assert_int_equal(i[6].offset, 8);
	assert_int_equal(kernel->extras[i[6].extra].vector[1], SLOT_NONE);
	assert_int_equal(kernel->variable_address_count, 2);
	assert_int_equal(i[6].s[0], SLOT_CONSTANT | kernel->variable_addresses[0].word);
	assert_int_equal(i[7].access.space, space_CONST);
	assert_int_equal(i[8].access.space, space_GLOBAL); /* generic, but the variable says where it is */
	assert_int_equal(i[9].s_bytes[0], 4);
	assert_int_equal(i[9].offset, -4);
	assert_int_equal(i[10].access.space, space_NONE);
	assert_int_equal(i[10].access.register_bytes, 8);
	assert_int_equal(i[10].access.bytes, 1);
	assert_int_equal(kernel->stack_bytes, 32);
}

static void addresses_of_variables_are_constants_of_their_space(void **state)
{
	(void)state;
	struct kernel *kernel = decode(".global .u32 g[4]; .shared .b32 s1; .shared .b32 s2;",
		".local .align 8 .b8 depot[24]; mov.u64 %rd1, g+4; mov.u32 %r1, s1; mov.u64 %rd2, s2; mov.u64 %rd3, "
		"depot; mov.b64 %rd4, n; ret;");
	assert_int_equal(kernel->variable_addresses[0].addend, 4);
	assert_int_equal(word(kernel, kernel->code[1].s[0], 0), 0);
	assert_true(doubleword(kernel, kernel->code[2].s[0], 0) == 4);
	assert_true(doubleword(kernel, kernel->code[3].s[0], 0) ==
		    0); /* the entry's frame is at the bottom of local memory */
	assert_true(doubleword(kernel, kernel->code[4].s[0], 0) == 8);
}

static void atomics_and_their_results(void **state)
{
	(void)state;
	struct kernel *kernel = decode("", "atom.global.cas.b32 %r1, [%rd1], %r2, %r3; atom.global.add.u32 %r4, "
					   "[%rd1+8], 1; red.shared.max.s32 [%r5], %r1;"
					   "atom.global.exch.b64 _, [%rd1], %rd2; ret;");
	assert_int_equal(kernel->code[0].access.atomic, ATOMIC_CAS);
	assert_false(kernel->code[0].flags & INSN_NO_RESULT);
	assert_int_not_equal(kernel->code[0].s[2], SLOT_NONE);
	assert_true(kernel->code[1].flags & INSN_NO_RESULT); /* %r4 is never read */
	assert_int_equal(kernel->code[1].offset, 8);
	assert_int_equal(kernel->code[2].access.atomic, ATOMIC_MAX);
	assert_true(kernel->code[2].flags & INSN_NO_RESULT);
	assert_int_equal(kernel->code[3].d, SLOT_NONE);
	assert_int_equal(kernel->code[3].access.bytes, 8);
}

static void branches_have_targets_and_rejoin_points(void **state)
{
	(void)state;
	struct kernel *kernel = decode("", "L: add.u32 %r4, %r5, %clock; @%p1 bra A; bra.uni B; A: add.s32 %r1, %r1, "
					   "1; B: @%p2 bra L; @%p3 bra E; trap; E:");
	const struct insn *first = nth(kernel, INSN_BRANCH, 0), *back = nth(kernel, INSN_BRANCH, 2),
			  *out = nth(kernel, INSN_BRANCH, 3);
	assert_int_equal(first->target, 4);
	assert_int_equal(first->reconvergence_pc, 5);
	assert_true(nth(kernel, INSN_BRANCH, 1)->flags & INSN_UNIFORM);
	assert_int_equal(back->target, 0); /* the inserted clock read in front of the add */
	assert_true(back->flags & INSN_BACKWARD);
	assert_false(first->flags & INSN_BACKWARD);
	assert_int_equal(kernel->code[out->target].kind, INSN_EXIT); /* nothing stands behind E: the end is made */
	assert_int_equal(kernel->code[kernel->code_count - 1].kind, INSN_EXIT);
}

static void brx_has_a_table_of_pcs(void **state)
{
	(void)state;
	struct kernel *kernel = decode("", "T: .branchtargets A, B; brx.idx %r1, T; A: add.s32 %r2, %r2, 1; B: ret;");
	const struct insn *insn = nth(kernel, INSN_INDEXED, 0);
	const struct insn_extra *extra = &kernel->extras[insn->extra];
	assert_int_equal(extra->target_count, 2);
	assert_int_equal(extra->targets[0], 1);
	assert_int_equal(extra->targets[1], 2);
	assert_int_equal(insn->reconvergence_pc, 2);
	assert_int_not_equal(insn->s[0], SLOT_NONE);
	assert_false(insn->flags & INSN_BACKWARD);
	kernel =
		decode("", "T: .branchtargets A, E; brx.idx %r1, T; A: ret; E:"); /* to the end, which is made for it */
	insn = nth(kernel, INSN_INDEXED, 0);
	assert_int_equal(kernel->extras[insn->extra].targets[1], 2);
	assert_int_equal(kernel->code_count, 3);
	assert_int_equal(kernel->code[2].kind, INSN_EXIT);
	kernel = decode("", "T: .branchtargets L, B; L: brx.idx %r1, T; B: ret;"); /* to itself */
	assert_true(nth(kernel, INSN_INDEXED, 0)->flags & INSN_BACKWARD);
}

static const char callee[] =
	".func (.param .b32 out) f(.param .b64 x, .param .b32 y) {\n.reg .b32 %r<3>; .reg .b64 %rd<3>; .local .b32 l;\n"
	"ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [y]; mov.u64 %rd2, l; st.local.u32 [%rd2], %r1; st.param.b32 [out], "
	"%r1; ret;\n}\n";

static void a_call_copies_blocks_between_frames(void **state)
{
	(void)state;
	struct kernel *kernel = decode(callee,
		".param .b64 p0; .param .b32 p1; .param .b32 r0; st.param.b64 [p0], %rd1; st.param.b32 [p1], 5;"
		"@%p1 call (r0), f, (p0, p1); ld.param.b32 %r2, [r0]; st.global.u32 [%rd1], %r2; ret;");
	const struct insn *call = nth(kernel, INSN_CALL, 0), *before = call - 1, *behind = call + 1;
	const struct kernel_function *entry = &kernel->functions[0], *f = &kernel->functions[1];
	const struct insn_extra *in = &kernel->extras[before->extra], *out = &kernel->extras[behind->extra],
				*frame = &kernel->extras[call->extra];
	assert_int_equal(call->target, f->first_pc);
	assert_int_equal(frame->frame_words, entry->slot_count * LANES);
	assert_int_equal(frame->stack_bytes, entry->stack_bytes);
	assert_int_equal(frame->predicate_frame, entry->predicate_count);
	assert_int_equal(before->inserted, INSERTED_ARGUMENTS);
	assert_int_equal(before->guard, call->guard);
	assert_int_not_equal(before->guard, 0);
	assert_int_equal(in->argument_count, 2);
	assert_int_equal(in->arguments[0].from, kernel->code[0].offset);
	assert_int_equal(in->arguments[1].from, kernel->code[1].offset);
	assert_int_equal(
		in->arguments[0].to, entry->stack_bytes); /* the first formal is at the bottom of the callee's frame */
	assert_int_equal(in->arguments[1].to, entry->stack_bytes + 8);
	assert_int_equal(in->arguments[1].bytes, 4);
	assert_int_equal(behind->inserted, INSERTED_RETURNS);
	assert_int_equal(out->returns[0].from, entry->stack_bytes + 12);
	assert_int_equal(out->returns[0].to, (call + 2)->offset);
	assert_int_equal(kernel->code[f->first_pc].access.space, space_LOCAL);
	assert_int_equal(kernel->code[f->first_pc].access.in_frame, 1);
	assert_int_equal(kernel->code[f->first_pc + 2].inserted, INSERTED_STACK_ADDRESS);
	assert_int_equal(kernel->code[f->first_pc + 2].offset, 16);
	assert_int_equal(kernel->stack_bytes, entry->stack_bytes + f->stack_bytes);
	assert_int_equal(kernel->slot_count, entry->slot_count + f->slot_count);
	assert_false(kernel->recursive);
}

static void register_formals_have_slots_by_signature(void **state)
{
	(void)state;
	struct kernel *kernel = decode(".func (.reg .b32 o) f(.reg .b32 x, .reg .b64 y) {\n.reg .b32 %t; cvt.u32.u64 "
				       "%t, y; add.u32 o, x, %t; ret;\n}",
		"call (%r1), f, (7, %rd1); st.global.u32 [%rd1], %r1; ret;");
	const struct insn *call = nth(kernel, INSN_CALL, 0);
	const struct insn_extra *in = &kernel->extras[(call - 1)->extra], *out = &kernel->extras[(call + 1)->extra];
	uint32_t frame = kernel->functions[0].slot_count * LANES;
	assert_int_equal(in->arguments[0].to, frame);
	assert_int_equal(word(kernel, in->arguments[0].from, 3), 7);
	assert_int_equal(in->arguments[1].to, SLOT_WIDE | (frame + 2 * LANES)); /* 64 bits: aligned, in the wide bank */
	assert_int_equal(in->arguments[1].to_bytes, 8);
	assert_int_equal(out->returns[0].from, frame + 4 * LANES);
	assert_int_equal((call + 1)->scoreboard.writes, 1);
	assert_int_equal(kernel->code[kernel->functions[1].first_pc + 1].d, 4 * LANES);
}

static void an_indirect_call_may_reach_whatever_has_an_address(void **state)
{
	(void)state;
	struct kernel *kernel = decode(".func f(.param .b32 x) { ret; }\n.func g(.param .b32 x) { ret; }\n.func "
				       "h(.param .b32 x) { ret; }\n.global .u64 table[1] = { g };",
		"P: .callprototype _ (.param .b32 _); .param .b32 p0; mov.u64 %rd1, f; call %rd1, (p0), P; ret;");
	const struct insn *call = nth(kernel, INSN_CALL_INDIRECT, 0);
	assert_int_equal(kernel->function_count, 3); /* k, f, g; nobody can call h */
	assert_int_equal(kernel->extras[call->extra].target_count, 2);
	uint64_t address = doubleword(kernel, kernel->code[0].s[0], 0);
	assert_int_equal(kernel_call_target(kernel, address), kernel->functions[1].first_pc);
	assert_int_equal(kernel_call_target(kernel, address + 1), NO_PC);
	assert_int_equal(kernel_call_target(kernel, 0), NO_PC);
	assert_int_equal(
		kernel_call_target(kernel, kernel_function_address(ptx_find_function(kernel->module, "h"))), NO_PC);
}

/* g's address is taken, and no call is through a pointer: no call leads to g, and g's own leads to f alone. */
static void a_direct_call_reaches_its_function_only(void **state)
{
	(void)state;
	struct kernel *kernel = decode(".func f() { ret; }\n.func g() { .local .b8 room[4096]; .reg .b64 %a;\n"
				       "mov.u64 %a, room; st.u8 [%a], 0; call f; ret; }",
		"mov.u64 %rd1, g; st.global.u64 [%rd2], %rd1; call f; ret;");
	assert_int_equal(kernel->function_count, 3);
	assert_int_equal(kernel->frame_stack_max, 4096);
	assert_int_equal(kernel->stack_bytes, 0);
	assert_false(kernel->recursive);
}

static void recursion_is_seen(void **state)
{
	(void)state;
	struct kernel *kernel =
		decode(".func g();\n.func f() { call g; ret; }\n.func g() { call f; ret; }", "call f; ret;");
	assert_true(kernel->recursive);
	assert_false(kernel->functions[0].recursive);
	assert_true(kernel->functions[1].recursive);
	assert_int_equal(kernel->code[kernel->functions[1].first_pc + 1].kind, INSN_RETURN);
	assert_int_equal(kernel->code[1].kind, INSN_EXIT); /* ret of the entry */
}

/* Frames of the deepest chain of calls; functions that reach each other count once each, wherever they are entered.
 * Frames are of the .local variables alone, here. */
static void frames_pile_up(void **state)
{
	static const struct {
		const char *functions, *body;
		uint32_t stack, largest;
		const char *recursive; /* names, of a letter each */
	} rows[] = {
		{".func g() { .local .align 16 .b8 m[32]; ret; } .func h() { .local .align 16 .b8 m[80]; ret; }"
		 ".func f() { .local .align 16 .b8 m[64]; call g; ret; }",
			".local .align 16 .b8 m[16]; call f; call h; ret;", 16 + 64 + 32, 80, ""},
		{".func g() { .local .align 16 .b8 m[32]; ret; } .func h() { .local .align 16 .b8 m[112]; ret; }"
		 ".func f() { .local .align 16 .b8 m[64]; call g; ret; }",
			".local .align 16 .b8 m[16]; call h; call f; ret;", 16 + 112, 112, ""},
		{".func g(); .func t() { .local .align 16 .b8 m[128]; ret; }"
		 ".func f() { .local .align 16 .b8 m[64]; call g; ret; }"
		 ".func g() { .local .align 16 .b8 m[32]; call f; call t; ret; }",
			".local .align 16 .b8 m[16]; call f; ret;", 16 + 64 + 32 + 128, 128, "fg"},
		{".func t() { .local .align 16 .b8 m[48]; ret; } .func f() { .local .align 16 .b8 m[64]; call f; call "
		 "t; ret; }",
			".local .align 16 .b8 m[16]; call f; ret;", 16 + 64 + 48, 64, "f"},
		/* through a pointer: any function whose address is taken, or those that the call names */
		{".func g() { .local .align 16 .b8 m[32]; ret; } .func h() { .local .align 16 .b8 m[80]; ret; }",
			"mov.u64 %rd1, g; mov.u64 %rd2, h; T: .callprototype _ (); call %rd1, (), T; ret;", 80, 80, ""},
		{".func g() { .local .align 16 .b8 m[32]; ret; } .func h() { .local .align 16 .b8 m[80]; ret; }",
			"mov.u64 %rd1, g; mov.u64 %rd2, h; T: .calltargets g; call %rd1, (), T; ret;", 32, 80, ""},
		{".func g() { .local .align 16 .b8 m[32]; ret; } .func h() { .reg .b64 %a; .local .align 16 .b8 m[80]; "
		 "mov.u64 %a, g;"
		 "T: .callprototype _ (); call %a, (), T; ret; }",
			"mov.u64 %rd1, h; T: .callprototype _ (); call %rd1, (), T; ret;", 80 + 32, 80, "h"},
	};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct kernel *kernel = decode(rows[k].functions, rows[k].body);
		if (kernel->stack_bytes != rows[k].stack || kernel->frame_stack_max != rows[k].largest)
			fail_msg("row %zu: %u bytes, the largest %u", k, kernel->stack_bytes, kernel->frame_stack_max);
		for (uint32_t f = 0; f < kernel->function_count; f++)
			if (kernel->functions[f].recursive !=
				(strchr(rows[k].recursive, *kernel->functions[f].ptx->name) != NULL))
				fail_msg("row %zu: %s", k, kernel->functions[f].ptx->name);
		assert_int_equal(kernel->recursive, *rows[k].recursive != 0);
	}
}

static const char externs[] = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n.extern .func "
			      "(.param .b64 r) malloc(.param .b64 n);\n"
			      ".extern .func nobody();\n";

static void the_machine_provides_printf(void **state)
{
	(void)state;
	struct kernel *kernel = decode(externs, ".param .b64 p0; .param .b64 p1; .param .b32 r0; st.param.b64 [p1], "
						"%rd1; call (r0), vprintf, (p0, p1); ret;");
	const struct insn_extra *extra = &kernel->extras[nth(kernel, INSN_PRINTF, 0)->extra];
	assert_int_equal(extra->argument_count, 2);
	assert_int_equal(extra->arguments[1].from, kernel->code[0].offset);
	assert_int_equal(extra->arguments[1].from_stack, 1);
	assert_int_equal(extra->return_count, 1);
	assert_false(kernel->uses.heap);
}

static void the_heap_is_used_whatever_else_is_called(void **state)
{
	(void)state;
	static const char call_free[] = ".param .b64 q; call free, (q); ",
			  call_printf[] =
				  ".param .b64 p0; .param .b64 p1; .param .b32 r0; call (r0), vprintf, (p0, p1); ";
	const char *before = arena_printf(&arena, "%s\n.extern .func free(.param .b64 a);", externs);
	assert_true(decode(before, arena_printf(&arena, "%s%sret;", call_free, call_printf))->uses.heap);
	assert_true(decode(before, arena_printf(&arena, "%s%sret;", call_printf, call_free))->uses.heap);
}

static void undefined_functions_are_refused_with_their_place(void **state)
{
	(void)state;
	refuse(externs, "call nobody; ret;", "test.ptx:11:");
	refuse(externs, "call nobody; ret;", "undefined function 'nobody'");
	refuse(".extern .func malloc(.param .b64 n);\n.extern .func (.param .b64 r) free();\n",
		".param .b64 r; call (r), free, (); ret;", "'free' is declared with 0 parameters and 1 results");
	refuse(externs, "mov.u64 %rd1, nobody; ret;", "undefined function 'nobody'");
}

static void call_blocks_share_their_place(void **state)
{
	(void)state;
	struct kernel *kernel =
		decode(callee, "{ .param .b64 p0; .param .b32 p1; .param .b32 r0; st.param.b64 [p0], %rd1; "
			       "st.param.b32 [p1], 5; call (r0), f, (p0, p1); ld.param.b32 %r2, [r0]; }"
			       "{ .param .b64 q0; .param .b32 q1; .param .b32 s0; st.param.b64 [q0], %rd1; "
			       "st.param.b32 [q1], %r2; call (s0), f, (q0, q1); ld.param.b32 %r3, [s0]; }"
			       "st.global.u32 [%rd1], %r3; ret;");
	assert_int_equal(kernel->functions[0].stack_bytes, 16);
}

/* The lock of paper 1: done is set in the branch that the compare-and-swap decides. */
static void lock_attempts_are_marked(void **state)
{
	(void)state;
	struct kernel *kernel = decode("",
		"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.s32 %p1, %r1, 0; mov.u32 %r2, 0; @%p1 bra N;"
		"atom.global.exch.b32 %r3, [%rd1], 0; mov.u32 %r2, 1; N: setp.eq.s32 %p2, %r2, 0; @%p2 bra L; ret;");
	assert_true(nth(kernel, INSN_ATOMIC, 0)->flags & INSN_LOCK_TRY);
	assert_false(nth(kernel, INSN_ATOMIC, 1)->flags & INSN_LOCK_TRY);
	assert_false(nth(kernel, INSN_BRANCH, 1)->flags & INSN_WAIT_BRANCH);
	kernel = decode("", "L: atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;");
	assert_true(nth(kernel, INSN_ATOMIC, 0)->flags & INSN_LOCK_TRY);
	kernel = decode("", "mov.u32 %r2, 0; L: atom.global.cas.b32 %r1, [%rd1], 0, 1; st.global.u32 [%rd2], %r1; "
			    "add.s32 %r2, %r2, 1;"
			    "setp.lt.s32 %p1, %r2, 10; @%p1 bra L; ret;");
	assert_false(nth(kernel, INSN_ATOMIC, 0)->flags & INSN_LOCK_TRY); /* a counted loop */
	kernel = decode("", "atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra E; st.global.u32 "
			    "[%rd2], %r1; E: ret;");
	assert_false(nth(kernel, INSN_ATOMIC, 0)->flags & INSN_LOCK_TRY);
}

/* A work-group takes the lock: what one thread got goes to the others through shared memory, behind a barrier. */
static void attempts_for_a_group_are_marked(void **state)
{
	(void)state;
	static const char word[] = ".shared .b32 w; .shared .b32 v;\n";
	uint16_t both = INSN_LOCK_TRY | INSN_GROUP_TRY;
	struct kernel *kernel = decode(word,
		"L: @%p3 bra B; atom.global.cas.b32 %r1, [%rd1], 0, 1; st.shared.u32 [w], %r1; B: bar.sync 0;"
		"ld.shared.u32 %r2, [w]; setp.ne.s32 %p2, %r2, 0; @%p2 bra L; ret;");
	assert_int_equal(nth(kernel, INSN_ATOMIC, 0)->flags & both, both);
	kernel =
		decode(word, "L: @%p3 bra B; atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra B;"
			     "st.shared.u32 [w+4], 1; B: bar.sync 0; ld.shared.u32 %r2, [w+4]; setp.eq.s32 %p2, %r2, 0;"
			     "@%p2 bra L; ret;");
	assert_int_equal(nth(kernel, INSN_ATOMIC, 0)->flags & both, both);
	/* one thread's own affair */
	kernel = decode("", "L: atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;");
	assert_int_equal(nth(kernel, INSN_ATOMIC, 0)->flags & both, INSN_LOCK_TRY);
}

static bool tries(const char *body)
{
	struct kernel *kernel = decode(".shared .b32 w; .shared .b32 v;\n", body);
	return nth(kernel, INSN_ATOMIC, 0)->flags & INSN_LOCK_TRY;
}

/* The lock functions of docs/locks.md, each with one thing wrong in its declaration. */
static void lock_functions_have_one_signature(void **state)
{
	(void)state;
	static const struct {
		const char *declaration, *call, *expected;
	} rows[] = {
		{"__lockstep_lock(.param .b32 a)", "__lockstep_lock, (w)",
			"a function without result of a 64-bit address"},
		{"(.param .b32 r) __lockstep_lock(.param .b64 a)", "(r), __lockstep_lock, (q)",
			"a function without result of a 64-bit address"},
		{"__lockstep_try_lock(.param .b64 a)", "__lockstep_try_lock, (q)",
			"a function with a 32-bit result of a 64-bit address"},
		{"(.param .b64 r) __lockstep_try_lock(.param .b64 a)", "(q), __lockstep_try_lock, (q)",
			"a function with a 32-bit result of a 64-bit address"},
		{"(.param .b32 r) __lockstep_try_lock_for(.param .b64 a)", "(r), __lockstep_try_lock_for, (q)",
			"a function with a 32-bit result of a 64-bit address and 32 bits of cycles"},
		{"(.param .b32 r) __lockstep_try_lock_for(.param .b64 a, .param .b64 n)",
			"(r), __lockstep_try_lock_for, (q, q)",
			"a function with a 32-bit result of a 64-bit address and 32 bits of cycles"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const char *expected = arena_printf(&arena, "is declared otherwise than as %s", rows[k].expected);
		refuse(arena_printf(&arena, ".extern .func %s;", rows[k].declaration),
			arena_printf(
				&arena, ".param .b64 q; .param .b32 w; .param .b32 r; call %s; ret;", rows[k].call),
			expected);
		assert_string_equal(strstr(diagnostic.message, expected), expected); /* and no more than that */
	}
}

/* The calls of firmware (device/lockstep_control.h), each with one thing wrong in its declaration: the number of
 * parameters, the bytes of the first, the last and one between, a result too many, one too few, and its bytes. */
static void firmware_functions_have_one_signature(void **state)
{
	(void)state;
	static const struct {
		const char *declaration, *call, *expected;
	} rows[] = {
		{"__lockstep_dispatch(.param .b32 a, .param .b64 b)", "__lockstep_dispatch, (w, q)",
			"void(uint32, uint32, uint64)"},
		{"__lockstep_dispatch(.param .b64 a, .param .b32 b, .param .b64 c)", "__lockstep_dispatch, (q, w, q)",
			"void(uint32, uint32, uint64)"},
		{"__lockstep_dispatch(.param .b32 a, .param .b64 b, .param .b64 c)", "__lockstep_dispatch, (w, q, q)",
			"void(uint32, uint32, uint64)"},
		{"__lockstep_dispatch(.param .b32 a, .param .b32 b, .param .b32 c)", "__lockstep_dispatch, (w, w, w)",
			"void(uint32, uint32, uint64)"},
		{"(.param .b32 r) __lockstep_restart(.param .b64 a)", "(r), __lockstep_restart, (q)", "void(uint64)"},
		{"__lockstep_take_restart()", "__lockstep_take_restart", "uint64()"},
		{"(.param .b32 r) __lockstep_take_restart()", "(r), __lockstep_take_restart", "uint64()"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		refuse(arena_printf(&arena, ".extern .func %s;", rows[k].declaration),
			arena_printf(
				&arena, ".param .b64 q; .param .b32 w; .param .b32 r; call %s; ret;", rows[k].call),
			arena_printf(&arena, "is declared otherwise than as %s, which lockstep_control.h has",
				rows[k].expected));
}

/* By the line and the column of the instruction, from 1. */
static void what_is_refused_has_its_place(void **state)
{
	(void)state;
	refuse(".extern .func __lockstep_yield(.param .b32 a);",
		"{ .param .b32 w;\n   call __lockstep_yield, (w); }\nret;",
		":9:4: '__lockstep_yield' is declared otherwise");
}

static void other_words_make_no_locks(void **state)
{
	(void)state;
	/* another word; global memory; a place that moves on */
	assert_false(tries("L: atom.global.cas.b32 %r1, [%rd1], 0, 1; st.shared.u32 [v], %r1; bar.sync 0;"
			   "ld.shared.u32 %r2, [w]; setp.ne.s32 %p2, %r2, 0; @%p2 bra L; ret;"));
	assert_false(tries("L: atom.global.cas.b32 %r1, [%rd1], 0, 1; st.global.u32 [%rd2], %r1; bar.sync 0;"
			   "ld.global.u32 %r2, [%rd2]; setp.ne.s32 %p2, %r2, 0; @%p2 bra L; ret;"));
	assert_false(tries("L: atom.global.cas.b32 %r1, [%rd1], 0, 1; st.shared.u32 [%r3], %r1; bar.sync 0;"
			   "ld.shared.u32 %r2, [%r3]; add.u32 %r3, %r3, 4; setp.ne.s32 %p2, %r2, 0; @%p2 bra L; ret;"));
	/* a node is visited, and a flag says that the search goes on; a barrier of all groups; a lock-free update */
	assert_false(tries("L: ld.shared.u64 %rd2, [v]; atom.global.cas.b32 %r1, [%rd2], 0, 1; st.shared.u32 [w], %r1;"
			   "bar.sync 0; ld.shared.u32 %r2, [w]; setp.eq.s32 %p2, %r2, 0; @%p2 bra L; ret;"));
	assert_false(tries("L: atom.global.cas.b32 %r1, [%rd1], 7, 0; setp.ne.s32 %p1, %r1, 0; @%p1 bra B;"
			   "st.shared.u32 [w], 1; B: bar.sync 0; ld.shared.u32 %r2, [w]; setp.eq.s32 %p2, %r2, 0;"
			   "@%p2 bra L; ret;"));
	assert_false(
		tries("L: ld.global.u32 %r4, [%rd1]; atom.global.cas.b32 %r1, [%rd1], %r4, 1; st.shared.u32 [w], %r1;"
		      "bar.sync 0; ld.shared.u32 %r2, [w]; setp.ne.s32 %p2, %r2, 0; @%p2 bra L; ret;"));
	/* a reduction, and an atomic on its result in each of a number of rounds */
	assert_false(tries("L: st.shared.u32 [%r3], %r1; bar.sync 0; ld.shared.u32 %r2, [%r3+4];"
			   "atom.global.exch.b32 %r1, [%rd1], %r2; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 9;"
			   "@%p2 bra L; ret;"));
}

static bool waits(const char *body)
{
	struct kernel *kernel = decode("", body);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (kernel->code[pc].flags & INSN_WAIT_BRANCH)
			return true;
	return false;
}

static void polling_loops_are_marked(void **state)
{
	(void)state;
	assert_true(waits("L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; ret;"));
	assert_true(waits("L: nanosleep.u32 100; ld.acquire.gpu.u32 %r1, [%rd1+4]; setp.ne.s32 %p1, %r1, %r2; @!%p1 "
			  "bra E; bra L; E: ret;"));
	/* a search moves on; a producer stores; a counted loop does not ask */
	assert_false(waits(
		"L: ld.global.u32 %r1, [%rd1]; add.s64 %rd1, %rd1, 4; setp.ne.s32 %p1, %r1, 7; @%p1 bra L; ret;"));
	assert_false(waits("L: ld.volatile.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1; setp.eq.s32 %p1, %r1, 0; "
			   "@%p1 bra L; ret;"));
	assert_false(waits("L: ld.volatile.global.u32 %r1, [%rd1]; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; "
			   "@%p1 bra L; ret;"));
}

static void classes_follow_the_type(void **state)
{
	(void)state;
	struct kernel *kernel = decode("",
		"add.s32 %r1, %r1, 1; add.f32 %f1, %f1, %f1; add.f64 %fd1, %fd1, %fd1; div.u32 %r2, %r1, 3; "
		"sqrt.approx.f32 %f2, %f1;"
		"ld.global.u32 %r3, [%rd1]; bar.sync 0; membar.gl; shfl.sync.idx.b32 %r4|%p1, %r3, 0, 31, -1; @%p1 "
		"exit; ret;");
	static const uint8_t units[] = {UNIT_ALU, UNIT_ALU, UNIT_DP, UNIT_SFU, UNIT_SFU, UNIT_MEMORY, UNIT_CONTROL,
		UNIT_CONTROL, UNIT_ALU, UNIT_CONTROL};
	for (uint32_t pc = 0; pc < sizeof units; pc++)
		assert_int_equal(kernel->code[pc].unit, units[pc]);
	assert_int_equal(kernel->code[0].latency, LATENCY_INT_ADD);
	assert_int_equal(kernel->code[1].latency, LATENCY_FP_ADD);
	assert_int_equal(kernel->code[2].latency, LATENCY_DP_ADD);
	assert_int_equal(kernel->code[8].kind, INSN_SYNC);
	assert_int_not_equal(kernel->code[8].pd, NO_PREDICATE);
	assert_int_equal(kernel->code[6].kind, INSN_BARRIER);
}

/* nvcc writes `|p` whether anybody reads p or not, and such predicates share a number: as a destination that is waited
 * for, p would make each of these wait for the one before. */
static void nobody_waits_for_an_unread_predicate(void **state)
{
	(void)state;
	struct kernel *kernel =
		decode("", "shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, -1; shfl.sync.down.b32 %r3|%p2, %r1, 2, 31, -1;"
			   "match.all.sync.b32 %r4|%p3, %r1, -1; match.all.sync.b32 %r5|%p4, %r1, -1; @%p4 exit;"
			   "setp.eq.s32 %p5|%p6, %r4, %r5; @%p6 exit; st.global.v2.u32 [%rd1], {%r2, %r3}; ret;");
	const struct insn *code = kernel->code;

	for (uint32_t pc = 0; pc < 3; pc++) {
		assert_int_equal(code[pc].pd, NO_PREDICATE);
		assert_int_equal(code[pc].scoreboard.writes, 1); /* the register alone */
	}
	assert_int_not_equal(code[3].pd, NO_PREDICATE);
	assert_int_equal(code[3].scoreboard.writes, 2);
	assert_int_not_equal(code[5].pd, NO_PREDICATE); /* p|q is a compare's two answers, and one of them is read */
	assert_int_not_equal(code[5].pd2, NO_PREDICATE);
}

static void places_and_text_name_the_source(void **state)
{
	(void)state;
	struct kernel *kernel = decode(".file 1 \"lock.cu\"", ".loc 1 42 0\nadd.s32 %r1, %r1, 1;\nret;");
	assert_string_equal(kernel_place(kernel, 0).file, "lock.cu");
	assert_int_equal(kernel_place(kernel, 0).line, 42);
	assert_string_equal(kernel_ptx_place(kernel, 0).file, "test.ptx");
	assert_string_equal(kernel_text(&arena, kernel, 0), "add.s32 %r1, %r1, 1");
	assert_int_equal(pc_of(kernel, nth(kernel, INSN_EXIT, 0)), 1);
}

/* Of what was inlined from an installed header the place of the call, however deep; of the user's own header its own.
 */
static void places_are_outside_of_libraries(void **state)
{
	(void)state;
	struct kernel *kernel =
		decode(".file 1 \"lock.cu\"\n.file 2 \"/usr/include/x.h\"\n.file 3 \"own.h\"\n.file 4 \"/opt/y.h\"\n"
		       ".file 5 \"/usrlocal.h\"",
			".loc 1 42 0\nadd.s32 %r1, %r1, 1;\n.loc 2 7 0, function_name L, inlined_at 1 43 0\nadd.s32 "
			"%r1, %r1, 1;\n"
			".loc 3 8 0, function_name L, inlined_at 1 44 0\nadd.s32 %r1, %r1, 1;\n"
			".loc 2 9 0, function_name L, inlined_at 1 45 0\nadd.s32 %r1, %r1, 1;\n"
			".loc 4 10 0, function_name L, inlined_at 2 9 0\nadd.s32 %r1, %r1, 1;\n"
			".loc 5 11 0, function_name L, inlined_at 1 46 0\nadd.s32 %r1, %r1, 1;\n"
			".loc 2 12 0\nadd.s32 %r1, %r1, 1;\n.loc 3 42 0\nadd.s32 %r1, %r1, 1;\n.loc 1 42 0\nadd.s32 "
			"%r1, %r1, 1;\nL: ret;");
	static const struct {
		const char *file;
		uint32_t line;
	} rows[] = {{"lock.cu", 42}, {"lock.cu", 43}, {"own.h", 8}, {"lock.cu", 45}, {"lock.cu", 45},
		{"/usrlocal.h", 11}, {"/usr/include/x.h", 12}, {"own.h", 42}, {"lock.cu", 42}};
	for (uint32_t pc = 0; pc < sizeof rows / sizeof *rows; pc++) {
		assert_string_equal(kernel_place(kernel, pc).file, rows[pc].file);
		assert_int_equal(kernel_place(kernel, pc).line, rows[pc].line);
	}
	assert_true(kernel_same_line(kernel, 0, 8));
	assert_true(kernel_same_line(kernel, 3, 3));
	assert_true(kernel_same_line(kernel, 3, 4));
	assert_false(kernel_same_line(kernel, 0, 7)); /* of another file */
	assert_false(kernel_same_line(kernel, 0, 1));
	assert_string_equal(kernel_place(kernel, 1000).file, "test.ptx"); /* of no instruction: the file alone */
	assert_int_equal(kernel_place(kernel, 1000).line, 0);
	assert_int_equal(kernel_place(kernel, kernel->code_count).line, 0);
}

/* One helper in three places, a helper within a helper, a library's function around the user's own and alone, a name
 * that is not there, and no line. */
static void places_have_the_calls_that_were_inlined(void **state)
{
	(void)state;
	struct kernel *kernel =
		decode(".file 1 \"k.cu\"\n.file 2 \"own.h\"\n.file 3 \"/usr/include/x.h\"\n"
		       ".section .debug_str\n{\nN0:\n.b8 95,90,52,119,97,105,116,80,105,0\n.b8 112,101,101,107,0\n"
		       "N2:\n.b8 32,0\n}",
			".loc 1 20 3\n.loc 2 4 2, function_name N0, inlined_at 1 20 3\nadd.s32 %r1, %r1, 1;\n"
			".loc 1 21 3\n.loc 2 4 2, function_name N0, inlined_at 1 21 3\nadd.s32 %r1, %r1, 1;\n"
			".loc 2 3 2, function_name N0+10, inlined_at 2 4 2\nadd.s32 %r1, %r1, 1;\n"
			".loc 1 22 3\n.loc 3 9 2, function_name N1, inlined_at 1 22 3\n"
			".loc 2 8 2, function_name N0+10, inlined_at 3 9 2\nadd.s32 %r1, %r1, 1;\n"
			".loc 3 9 2, function_name N1, inlined_at 1 22 3\nadd.s32 %r1, %r1, 1;\n"
			".loc 2 4 2, function_name N2, inlined_at 1 23 3\nadd.s32 %r1, %r1, 1;\n"
			".loc 2 0 2, function_name N0, inlined_at 1 24 3\nadd.s32 %r1, %r1, 1;\nret;");
	static const char *const texts[] = {"k.cu:20 (in wait at own.h:4)", "k.cu:21 (in wait at own.h:4)",
		"k.cu:21 (in wait at own.h:4, in peek at own.h:3)", "k.cu:22 (in peek at own.h:8)", "k.cu:22",
		"k.cu:23 (in code inlined from own.h:4)", "k.cu:24"};
	for (uint32_t pc = 0; pc < sizeof texts / sizeof *texts; pc++) {
		struct frame frames[KERNEL_FRAMES];
		uint32_t count = kernel_frames(kernel, pc, frames);
		struct place place = kernel_place(kernel, pc);
		assert_string_equal(kernel_place_text(&arena, kernel, pc), texts[pc]);
		assert_string_equal(frames[count - 1].place.file, place.file);
		assert_int_equal(frames[count - 1].place.line, place.line);
	}
	assert_string_equal(kernel_place_text(&arena, kernel, 1000), "test.ptx:0");
	assert_true(kernel_same_line(kernel, 0, 1)); /* what is counted by line stays the helper's */
}

/* Of very many calls the outermost and the innermost. */
static void places_leave_out_calls_in_the_middle(void **state)
{
	(void)state;
	struct text body = {.arena = &arena};
	struct frame frames[KERNEL_FRAMES];
	text_print(&body, ".loc 1 100 1\n");
	for (uint32_t k = 1; k <= 20; k++)
		text_print(&body, ".loc 1 %u 1, function_name N, inlined_at 1 %u 1\nadd.s32 %%r1, %%r1, 1;\n", 100 + k,
			99 + k);
	text_print(&body, "ret;");
	struct kernel *kernel = decode(".file 1 \"k.cu\"\n.section .debug_str { N: .b8 103,0 }", body.at);
	assert_string_equal(kernel_place_text(&arena, kernel, 2),
		"k.cu:100 (in g at k.cu:101, in g at k.cu:102, in g at k.cu:103)");
	for (uint32_t pc = 3; pc < 20; pc++)
		assert_string_equal(kernel_place_text(&arena, kernel, pc),
			arena_printf(&arena,
				"k.cu:100 (in g at k.cu:101, in g at k.cu:102, in further calls, in g at k.cu:%u)",
				101 + pc));
	assert_int_equal(kernel_frames(kernel, 19, frames), KERNEL_FRAMES);
	assert_int_equal(frames[0].place.line, 100);
	assert_int_equal(frames[KERNEL_FRAMES - 2].place.line, 100 + KERNEL_FRAMES - 2);
	assert_int_equal(frames[KERNEL_FRAMES - 1].place.line, 120);
}

static const char *name_of(const struct kernel *kernel, uint32_t pc)
{
	struct text text = {.arena = &arena};
	kernel_name_pc(&text, kernel, pc);
	return text.at;
}

/* The nearest label before it, or the function; how many instructions behind; the line, where it is written. */
static void names_of_places(void **state)
{
	(void)state;
	struct kernel *kernel = decode(callee, ".param .b64 p0; .param .b32 p1; .param .b32 r0;\nadd.s32 %r1, %r1, 1;\n"
					       "add.s32 %r1, %r1, %clock;\nA:\nadd.s32 %r1, %r1, 2;\n"
					       "call (r0), f, (p0, p1);\nadd.s32 %r1, %r1, 3;\n@%p1 bra E;\ntrap;\nE:");
	const struct insn *call = nth(kernel, INSN_CALL, 0);
	uint32_t pc = pc_of(kernel, call), line = kernel_ptx_place(kernel, 0).line;
	assert_string_equal(name_of(kernel, 0), arena_printf(&arena, "k:%u", line));
	assert_string_equal(
		name_of(kernel, 1), arena_printf(&arena, "k+1:%u", line + 1)); /* the clock is read for it */
	assert_string_equal(name_of(kernel, 2), arena_printf(&arena, "k+1:%u", line + 1));
	assert_string_equal(name_of(kernel, 3), arena_printf(&arena, "A:%u", line + 3));
	assert_string_equal(name_of(kernel, pc - 1), arena_printf(&arena, "A+1:%u", line + 4)); /* its arguments */
	assert_string_equal(name_of(kernel, pc), arena_printf(&arena, "A+1:%u", line + 4));
	assert_int_equal(kernel->code[pc + 1].inserted, INSERTED_RETURNS);
	assert_string_equal(name_of(kernel, pc + 1), arena_printf(&arena, "A+2:%u", line + 5)); /* of what follows */
	assert_string_equal(name_of(kernel, pc + 2), arena_printf(&arena, "A+2:%u", line + 5));
	uint32_t end = pc_of(kernel, nth(kernel, INSN_EXIT, 0)); /* made for the label, as nothing is behind it */
	assert_string_equal(kernel_text(&arena, kernel, end), "exit");
	uint32_t first = kernel->functions[1].first_pc;
	assert_string_equal(name_of(kernel, first), arena_printf(&arena, "f:%u", kernel_ptx_place(kernel, first).line));
}

/* Where a shared variable is looked for by address: from its first byte to its last. */
static void shared_variables_are_found_by_address(void **state)
{
	(void)state;
	struct kernel *kernel =
		decode(".shared .align 16 .b8 aa[20]; .shared .align 16 .b8 b[4]; .extern .shared .b8 dyn[];",
			"mov.u64 %rd1, b; mov.u64 %rd2, aa; mov.u64 %rd3, dyn; ret;");
	static const struct {
		uint64_t address;
		const char *name;
	} rows[] = {{0, "b"}, {3, "b"}, {4, NULL}, {15, NULL}, {16, "aa"}, {35, "aa"}, {36, NULL}, {48, NULL},
		{UINT64_MAX, NULL}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct shared_place *found = kernel_shared_at(kernel, rows[k].address);
		if ((found != NULL) != (rows[k].name != NULL))
			fail_msg("row %zu", k);
		if (found)
			assert_string_equal(found->variable->name, rows[k].name);
	}
	assert_int_equal(kernel->shared.static_bytes, 36);
	assert_int_equal(kernel->shared.dynamic, 48);
	assert_int_equal(kernel->shared.first, 0);
}

/* A register that some path has not written when it is read, or that other lanes read. */
static void what_reads_unwritten_registers(void **state)
{
	(void)state;
	assert_false(decode("", "mov.u32 %r1, 1; st.global.u32 [0], %r1; ret;")->reads_unwritten);
	assert_true(decode("", "st.global.u32 [0], %r1; ret;")->reads_unwritten);
	assert_true(decode("", "ld.param.u32 %r2, [n]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L; mov.u32 %r1, 1; L: "
			       "st.global.u32 [0], %r1; ret;")
			    ->reads_unwritten);
	assert_true(decode("", "mov.u32 %r1, 1; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; st.global.u32 [0], %r2; ret;")
			    ->reads_unwritten);
	assert_false(decode("", "ret;")->reads_unwritten);
}

static void wide_warps_have_wide_slots(void **state)
{
	(void)state;
	struct kernel *kernel = decode_module(
		".visible .entry k() {\n.reg .b32 %r<3>; add.s32 %r1, %r2, 5; add.s32 %r2, %r1, 6; ret;\n}", 64);
	assert_int_equal(kernel->constants[(kernel->code[0].s[1] & ~SLOT_CONSTANT) + 63], 5);
	assert_int_equal(kernel->code[0].d % 64, 0);
}

/* How many, through which cache, and whether a register says how many of them are copied. */
static void copies_have_their_bytes(void **state)
{
	(void)state;
	const struct kernel *kernel = decode(".shared .align 16 .b8 box[64];",
		"cp.async.ca.shared.global [box], [%rd1], 4; cp.async.ca.shared.global [box], [%rd1], 8;\n"
		"cp.async.cg.shared.global [box], [%rd1], 16; cp.async.ca.shared.global [box], [%rd1], 16, %r1; ret;");
	static const uint8_t bytes[] = {4, 8, 16, 16};
	for (uint32_t k = 0; k < 4; k++) {
		const struct insn *i = nth(kernel, INSN_COPY, k);
		assert_int_equal(i->access.bytes, bytes[k]);
		assert_int_equal(i->access.cache, k == 2 ? cache_CG : cache_CA);
		assert_int_equal(i->s[2] == SLOT_NONE, k < 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(copies_have_their_bytes, free_arena),
		cmocka_unit_test_teardown(immediates_take_the_operand_type, free_arena),
		cmocka_unit_test_teardown(equal_immediates_share_a_slot, free_arena),
		cmocka_unit_test_teardown(special_registers_have_slots_in_the_entry, free_arena),
		cmocka_unit_test_teardown(called_functions_read_special_registers_by_instruction, free_arena),
		cmocka_unit_test_teardown(guards_and_predicates_are_numbers, free_arena),
		cmocka_unit_test_teardown(slots_are_shared_only_by_the_dead, free_arena),
		cmocka_unit_test_teardown(slots_are_given_in_order_of_life, free_arena),
		cmocka_unit_test_teardown(wide_values_are_aligned_and_apart_from_their_sources, free_arena),
		cmocka_unit_test_teardown(destinations_list_every_slot_they_cover, free_arena),
		cmocka_unit_test_teardown(words_and_waits_are_counted, free_arena),
		cmocka_unit_test_teardown(memory_operands_know_their_space, free_arena),
		cmocka_unit_test_teardown(addresses_of_variables_are_constants_of_their_space, free_arena),
		cmocka_unit_test_teardown(atomics_and_their_results, free_arena),
		cmocka_unit_test_teardown(branches_have_targets_and_rejoin_points, free_arena),
		cmocka_unit_test_teardown(brx_has_a_table_of_pcs, free_arena),
		cmocka_unit_test_teardown(a_call_copies_blocks_between_frames, free_arena),
		cmocka_unit_test_teardown(register_formals_have_slots_by_signature, free_arena),
		cmocka_unit_test_teardown(an_indirect_call_may_reach_whatever_has_an_address, free_arena),
		cmocka_unit_test_teardown(a_direct_call_reaches_its_function_only, free_arena),
		cmocka_unit_test_teardown(recursion_is_seen, free_arena),
		cmocka_unit_test_teardown(the_machine_provides_printf, free_arena),
		cmocka_unit_test_teardown(the_heap_is_used_whatever_else_is_called, free_arena),
		cmocka_unit_test_teardown(undefined_functions_are_refused_with_their_place, free_arena),
		cmocka_unit_test_teardown(call_blocks_share_their_place, free_arena),
		cmocka_unit_test_teardown(lock_attempts_are_marked, free_arena),
		cmocka_unit_test_teardown(attempts_for_a_group_are_marked, free_arena),
		cmocka_unit_test_teardown(lock_functions_have_one_signature, free_arena),
		cmocka_unit_test_teardown(firmware_functions_have_one_signature, free_arena),
		cmocka_unit_test_teardown(what_is_refused_has_its_place, free_arena),
		cmocka_unit_test_teardown(other_words_make_no_locks, free_arena),
		cmocka_unit_test_teardown(polling_loops_are_marked, free_arena),
		cmocka_unit_test_teardown(classes_follow_the_type, free_arena),
		cmocka_unit_test_teardown(nobody_waits_for_an_unread_predicate, free_arena),
		cmocka_unit_test_teardown(places_and_text_name_the_source, free_arena),
		cmocka_unit_test_teardown(frames_pile_up, free_arena),
		cmocka_unit_test_teardown(places_are_outside_of_libraries, free_arena),
		cmocka_unit_test_teardown(places_have_the_calls_that_were_inlined, free_arena),
		cmocka_unit_test_teardown(places_leave_out_calls_in_the_middle, free_arena),
		cmocka_unit_test_teardown(names_of_places, free_arena),
		cmocka_unit_test_teardown(shared_variables_are_found_by_address, free_arena),
		cmocka_unit_test_teardown(what_reads_unwritten_registers, free_arena),
		cmocka_unit_test_teardown(wide_warps_have_wide_slots, free_arena),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
