/* The PTX front end: what parsing leaves in a module, refusals with their places, and print as its inverse. */
#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx_print.h"
#include "util/text.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

static struct arena arena;
static struct diagnostic diagnostic;

static int start(void **state)
{
	(void)state;
	memset(&arena, 0, sizeof arena);
	memset(&diagnostic, 0, sizeof diagnostic);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* Of a module that can be launched as a whole: a refusal of one of its functions is its error. */
static struct ptx_module *parse_whole(const char *name, const char *text, struct diagnostic *found)
{
	struct ptx_module *module = ptx_parse(&arena, name, text, found);

	for (uint32_t f = 0; module && f < module->functions.count; f++) {
		const struct ptx_function *function = module->functions.at[f];
		for (uint32_t k = 0; k < function->refusals.count; k++) {
			const struct ptx_refusal *r = &function->refusals.at[k];
			diagnose(found, (struct place){name, r->line, r->column}, "%s", r->reason);
		}
	}
	return found->failed ? NULL : module;
}

static struct ptx_module *parse(const char *text)
{
	struct ptx_module *module = ptx_parse(&arena, "t.ptx", text, &diagnostic);

	if (!module)
		print_error("%s\n", diagnostic.message);
	return module;
}

/* The function k of a module whose k has this body. */
static struct ptx_function *body_of(const char *body)
{
	struct ptx_module *module = parse(
		arena_printf(&arena, HEADER ".global .u32 g;\n.visible .entry k(.param .u64 a) {\n%s\n}\n", body));

	assert_non_null(module);
	return ptx_find_function(module, "k");
}

static void assert_refused(const char *text, const char *message)
{
	memset(&diagnostic, 0, sizeof diagnostic);
	assert_null(parse_whole("t.ptx", text, &diagnostic));
	assert_string_equal(diagnostic.message, message);
}

/* ---- what the module says ---- */

static void header_is_kept(void **state)
{
	(void)state;
	struct ptx_module *module = parse(".version 6.3\n.target sm_75, debug\n.address_size 64\n.file 2 \"b.cu\"\n");
	assert_non_null(module);
	assert_int_equal(module->version_major, 6);
	assert_int_equal(module->version_minor, 3);
	assert_string_equal(module->target, "sm_75");
	assert_int_equal(module->address_bits, 64);
	assert_int_equal(module->files.count, 3);
	assert_null(module->files.at[1]);
	assert_string_equal(module->files.at[2], "b.cu");
}

static void parameters_are_laid_out_by_alignment(void **state)
{
	(void)state;
	struct ptx_module *module =
		parse(HEADER ".entry k(.param .u8 a, .param .u64 .ptr .global .align 1 b, .param .align 4 .b8 c[10],"
			     " .param .u16 d, .param .align 16 .b8 e[16])\n.reqntid 32, 2\n.maxnreg 40\n{ ret; }");
	static const uint64_t offsets[] = {0, 8, 16, 26, 32};
	assert_non_null(module);
	struct ptx_function *k = ptx_find_function(module, "k");
	assert_int_equal(k->signature.parameter_count, 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(k->signature.parameters[i]->offset, offsets[i]);
		assert_ptr_equal(k->signature.parameters[i]->owner, k);
		assert_true(k->signature.parameters[i]->is_formal);
		assert_ptr_equal(k->variables.at[i], k->signature.parameters[i]);
	}
	assert_true(k->signature.parameters[1]->is_pointer);
	assert_int_equal(k->parameter_bytes, 48);
	assert_int_equal(k->required_threads[0], 32);
	assert_int_equal(k->required_threads[1], 2);
	assert_int_equal(k->required_threads[2], 1);
	assert_int_equal(k->max_registers, 40);
	assert_true(k->is_entry && k->is_defined && !k->is_visible);
}

static void blocks_shadow_names(void **state)
{
	(void)state;
	struct ptx_function *k = body_of(".reg .u32 x; mov.u32 x, 1; { .reg .u64 x; mov.u64 x, 2; } mov.u32 x, 3;");
	assert_int_equal(k->registers.count, 2);
	assert_ptr_equal(k->code.at[0].operand[0].reg, k->code.at[2].operand[0].reg);
	assert_ptr_not_equal(k->code.at[0].operand[0].reg, k->code.at[1].operand[0].reg);
	assert_int_equal(k->code.at[1].operand[0].reg->type, TYPE_U64);
	for (uint32_t i = 0; i < k->registers.count; i++)
		assert_int_equal(k->registers.at[i]->index, i);
}

static void labels_bind_to_the_innermost_block_that_defines_them(void **state)
{
	(void)state;
	struct ptx_function *k = body_of("bra a; { bra a; bra b; a: trap; } a: b: ret;");
	assert_int_equal(k->code.at[0].operand[0].target, 4);
	assert_int_equal(k->code.at[1].operand[0].target, 3);
	assert_int_equal(k->code.at[2].operand[0].target, 4);
}

static void only_registers_in_use_exist(void **state)
{
	(void)state;
	struct ptx_function *k = body_of(".reg .b32 %r<1000000>; mov.b32 %r999999, %r7;");
	assert_int_equal(k->registers.count, 2);
	assert_string_equal(k->code.at[0].operand[0].reg->name, "%r999999");
	assert_int_equal(k->code.at[0].operand[1].reg->type, TYPE_B32);
}

static void a_name_of_two_ranges_is_the_first_ones(void **state)
{
	(void)state;
	struct ptx_function *k =
		body_of(".reg .b32 %r<20>; .reg .b64 %r1<30>; mov.b32 %r12, 0; mov.b64 %r120, 0; mov.b32 %r10, 0;");
	assert_int_equal(k->code.at[0].operand[0].reg->type, TYPE_B32);
	assert_int_equal(k->code.at[1].operand[0].reg->type, TYPE_B64);
	assert_int_equal(k->code.at[2].operand[0].reg->type, TYPE_B32);
}

static void a_vector_register_is_its_elements(void **state)
{
	(void)state;
	struct ptx_function *k = body_of(".reg .v2 .f32 v; ld.global.v2.f32 v, [g]; mov.f32 v.x, v.g;");
	struct ptx_operand *vector = &k->code.at[0].operand[0];
	assert_int_equal(vector->kind, OPERAND_VECTOR);
	assert_int_equal(vector->count, 2);
	assert_null(vector->reg);
	assert_ptr_equal(vector->element[0].reg, k->code.at[1].operand[0].reg);
	assert_ptr_equal(vector->element[1].reg, k->code.at[1].operand[1].reg);
}

static void addresses_have_a_base_and_an_offset(void **state)
{
	(void)state;
	struct ptx_function *k = body_of(
		".reg .b32 r; .reg .b64 d; ld.global.u32 r, [d+-8]; ld.global.u32 r, [g+4*2]; ld.local.u32 r, [16];"
		"ld.param.u64 d, [a]; mov.u64 d, g+12;");
	assert_string_equal(k->code.at[0].operand[1].reg->name, "d");
	assert_int_equal(k->code.at[0].operand[1].offset, -8);
	assert_string_equal(k->code.at[1].operand[1].variable->name, "g");
	assert_int_equal(k->code.at[1].operand[1].offset, 8);
	assert_null(k->code.at[2].operand[1].reg);
	assert_int_equal(k->code.at[2].operand[1].offset, 16);
	assert_ptr_equal(k->code.at[3].operand[1].variable, k->signature.parameters[0]);
	assert_int_equal(k->code.at[4].operand[1].kind, OPERAND_VARIABLE);
	assert_int_equal(k->code.at[4].operand[1].offset, 12);
}

static void operands_go_to_the_slots_of_the_shape(void **state)
{
	(void)state;
	struct ptx_function *k =
		body_of(".reg .b32 r; .reg .pred p, q; setp.lt.s32 p, r, 1; setp.lt.and.s32 p|q, r, 1, !q; bar.sync 0;"
			"bar.red.popc.u32 r, 0, !p; bar.red.popc.u32 r, 0, 64, p; @!p exit;");
	const struct ptx_instruction *i = k->code.at;
	assert_int_equal(i[0].operand[1].kind, OPERAND_NONE);
	assert_int_equal(i[0].operand[2].kind, OPERAND_REGISTER);
	assert_int_equal(i[0].operand[4].kind, OPERAND_NONE);
	assert_string_equal(i[1].operand[1].reg->name, "q");
	assert_true(i[1].operand[4].negated);
	assert_int_equal(i[2].operand[1].kind, OPERAND_NONE);
	assert_int_equal(i[3].operand[2].kind, OPERAND_NONE);
	assert_true(i[3].operand[3].negated);
	assert_int_equal(i[4].operand[2].bits, 64);
	assert_string_equal(i[5].guard->name, "p");
	assert_true(i[5].guard_negated);
}

static void special_registers_have_components(void **state)
{
	(void)state;
	struct ptx_function *k =
		body_of(".reg .b32 r; .reg .b64 d; mov.u32 r, %ctaid.y; mov.u32 r, %envreg31; mov.u64 d, %globaltimer;"
			"mov.u32 r, WARP_SZ; mov.u32 r, %pm7;");
	assert_int_equal(k->code.at[0].operand[1].special, SPECIAL_CTAID);
	assert_int_equal(k->code.at[0].operand[1].component, 1);
	assert_int_equal(k->code.at[1].operand[1].special, SPECIAL_ENVREG);
	assert_int_equal(k->code.at[1].operand[1].component, 31);
	assert_int_equal(k->code.at[2].operand[1].special, SPECIAL_GLOBALTIMER);
	assert_int_equal(k->code.at[3].operand[1].special, SPECIAL_WARP_SZ);
	assert_int_equal(k->code.at[4].operand[1].special, SPECIAL_PM);
	assert_int_equal(k->code.at[4].operand[1].component, 7);
}

static void lines_of_the_source_are_kept(void **state)
{
	(void)state;
	struct ptx_function *k =
		body_of("trap;\n.loc 1 20 3\ntrap;\n.loc 2 7 1, function_name f, inlined_at 1 20 3\n\ttrap;");
	assert_int_equal(k->code.at[0].loc.line, 0);
	assert_int_equal(k->code.at[1].loc.file, 1);
	assert_int_equal(k->code.at[1].loc.line, 20);
	assert_int_equal(k->code.at[2].loc.file, 2);
	assert_int_equal(k->code.at[2].loc.line, 7);
	assert_int_equal(k->code.at[2].line, 10);
	assert_int_equal(k->code.at[2].column, 2);
}

/* Of a kernel with one line, in a function of label N and 2 bytes on: its name as these sections have it. */
static const char *inlined_name(const char *before, const char *behind)
{
	struct ptx_module *module = parse(arena_printf(&arena,
		HEADER "%s\n.entry k() {\n.loc 1 7 1, function_name N+2, inlined_at 1 20 3\nret;\n}\n%s", before,
		behind));
	assert_non_null(module);
	uint16_t number = ptx_find_function(module, "k")->code.at[0].loc.function;
	assert_int_equal(number, 1);
	return module->inlined.at[number] ? module->inlined.at[number] : "none";
}

/* Sections may be anything: what is no name there is none. */
static void inlined_functions_have_their_names(void **state)
{
	(void)state;
	assert_string_equal(inlined_name("", ".section .debug_str { N: .b8 102,111,102,110,0,97,0 }"), "fn");
	assert_string_equal(inlined_name(".section .debug_str { N: .b8 102,111,102,110,0,97,0 }", ""), "fn");
	assert_string_equal(inlined_name("", ".section .debug_str { N: .b8 102,111,102,110 }"), "fn"); /* no end */
	assert_string_equal(
		inlined_name("", ".section .debug_str { M: .b8 1 }\n.section .debug_str { N: .b8 1,2,103,0 }"), "g");
	assert_string_equal(inlined_name("", ""), "none");
	assert_string_equal(inlined_name("", ".section .debug_str { }"), "none");
	assert_string_equal(inlined_name("", ".section .debug_str { N: }"), "none");
	assert_string_equal(inlined_name("", ".section .debug_str { N: .b8 1,2 }"), "none"); /* nothing behind */
	assert_string_equal(inlined_name("", ".section .debug_str { N: .b8 1,2,0 }"), "none");
	assert_string_equal(inlined_name("", ".section .debug_str { M: .b8 97,98,99,0 }"), "none");
	assert_string_equal(inlined_name("", ".section .debug_info { N: .b8 97,98,99,0 }"), "none");
	assert_string_equal(inlined_name("", ".section .debug_str { N: .b8 1,2,97,10,98,0 }"), "none"); /* a new line */
	assert_string_equal(inlined_name("", ".section .debug_str { N: .b8 1,2,97,200,0 }"), "none");
}

static void opcodes_keep_their_spelling(void **state)
{
	(void)state;
	struct ptx_function *k = body_of(".reg .b32 r; ld.volatile.global.u32 r, [g];");
	struct text out = {.arena = &arena};
	assert_string_equal(k->code.at[0].opcode, "ld.volatile.global.u32");
	assert_int_equal(k->code.at[0].modifiers.order, order_VOLATILE);
	assert_int_equal(k->code.at[0].modifiers.space, space_GLOBAL);
	ptx_print_instruction(&out, k, &k->code.at[0]);
	assert_string_equal(out.at, "ld.volatile.global.u32 r, [g]");
}

static void messages_name_labels(void **state)
{
	(void)state;
	struct ptx_function *k =
		body_of("$L__tmp0: trap;\nA: $L__tmp1:\nB: trap; trap; bra A; bra $L__tmp0;\n$L__func_end0:");
	struct text out = {.arena = &arena};
	assert_null(ptx_find_label(k, 0));
	assert_string_equal(ptx_find_label(k, 1)->name, "A");
	assert_string_equal(ptx_find_label(k, 5)->name, "A");
	assert_int_equal(ptx_find_label(k, 5)->target, 1);
	ptx_print_instruction(&out, k, &k->code.at[3]);
	text_print(&out, ", ");
	ptx_print_instruction(&out, k, &k->code.at[4]); /* a compiler's own has none that one would know it by */
	assert_string_equal(out.at, "bra A, bra L0");
}

/* ---- constants and initialisers ---- */

static void the_spin_hint_is_the_next_instructions(void **state)
{
	(void)state;
	struct ptx_function *k = body_of(".reg .b32 %r1; mov.u32 %r1, 0;\n.pragma \"nounroll\";\nL: add.u32 %r1, "
					 "%r1, 1;\n.pragma \"lockstep_spin\";\n{\n"
					 "bra L;\n}\nret;\n.pragma \"lockstep_spin\";");
	static const bool spins[] = {false, false, true, false};
	assert_int_equal(k->code.count, sizeof spins / sizeof *spins);
	for (uint32_t i = 0; i < k->code.count; i++)
		assert_int_equal(k->code.at[i].spins, spins[i]);
	struct text out = {.arena = &arena};
	ptx_print(&out,
		parse(HEADER ".pragma \"lockstep_spin\";\n.entry k() { .pragma \"other\", \"lockstep_spin\"; ret; }"));
	const char *first = strstr(out.at, ".pragma \"lockstep_spin\";\n");
	assert_non_null(first);
	assert_null(strstr(first + 1, ".pragma"));
}

static void the_reason_of_a_trap_is_the_next_instructions(void **state)
{
	(void)state;
	struct ptx_function *k = body_of(".pragma \"lockstep_trap no room\";\ntrap;\ntrap;\n"
					 ".pragma \"lockstep_trap lost\";\nbar.sync 0;\ntrap;\nret;");
	assert_int_equal(k->code.count, 5);
	assert_string_equal(k->code.at[0].trap_reason, "no room");
	for (uint32_t i = 1; i < k->code.count; i++)
		assert_null(k->code.at[i].trap_reason);
}

static void constant_expressions_follow_c(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {
		{"0x1F", 31},
		{"017", 15},
		{"0b101", 5},
		{"42U", 42},
		{"-1", -1},
		{"~0", -1},
		{"!5", 0},
		{"!0", 1},
		{"1 + 2 * 3", 7},
		{"(1 + 2) * 3", 9},
		{"7 - 2 - 1", 4},
		{"-7 / 2", -3},
		{"-7 % 4", -3},
		{"1 << 4 | 1", 17},
		{"-16 >> 2", -4},
		{"(.u64) -16 >> 60", 15},
		{"(.s64) -16 >> 60", -1},
		{"6 ^ 3 & 2", 4},
		{"1 ? 2 : 3", 2},
		{"0 ? 2 : 0 ? 3 : 4", 4},
		{"2 < 3", 1},
		{"-1 < 1", 1},
		{"-1 < 1U", 0},
		{"0x8000000000000000 > 1", 1}, /* does not fit without a sign bit: unsigned, also without U */
		{"0x7fffffffffffffff > -1", 1},
		{"3 >= 4 || 1", 1},
		{"2 && 0", 0},
		{"2 == 2", 1},
		{"2 != 2", 0},
		{"- - 3", 3},
		{"1.5 < 2", 1},
		{"1 << 64", 0},
		{"-9223372036854775808 / -1", INT64_MIN},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ptx_function *k = body_of(arena_printf(&arena, ".reg .b64 d; mov.u64 d, %s;", cases[i].text));
		if ((int64_t)k->code.at[0].operand[1].bits != cases[i].value)
			fail_msg("%s is %lld, not %lld", cases[i].text, (long long)k->code.at[0].operand[1].bits,
				(long long)cases[i].value);
	}
}

/* C17, 6.5.5 to 6.5.14: which of two operators binds closer; those of a line from left to right. */
static const struct binary {
	const char *mark;
	int level;
} binaries[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9}, {"-", 9}, {"<<", 8}, {">>", 8}, {"<", 7}, {">", 7},
	{"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6}, {"&", 5}, {"^", 4}, {"|", 3}, {"&&", 2}, {"||", 1}};

/* False: nothing that C defines. */
static bool compute(const struct binary *binary, int64_t a, int64_t b, int64_t *result)
{
	const char *m = binary->mark;
	bool shifts = binary->level == 8, divides = *m == '/' || *m == '%';

	if ((shifts && (a < 0 || b < 0 || b > 20)) || (divides && !b))
		return false;
	switch (m[0] << 8 | m[1]) {
	case '*' << 8: *result = a * b; break;
	case '/' << 8: *result = a / b; break;
	case '%' << 8: *result = a % b; break;
	case '+' << 8: *result = a + b; break;
	case '-' << 8: *result = a - b; break;
	case '<' << 8 | '<': *result = a << b; break;
	case '>' << 8 | '>': *result = a >> b; break;
	case '<' << 8: *result = a < b; break;
	case '>' << 8: *result = a > b; break;
	case '<' << 8 | '=': *result = a <= b; break;
	case '>' << 8 | '=': *result = a >= b; break;
	case '=' << 8 | '=': *result = a == b; break;
	case '!' << 8 | '=': *result = a != b; break;
	case '&' << 8: *result = a & b; break;
	case '^' << 8: *result = a ^ b; break;
	case '|' << 8: *result = a | b; break;
	case '&' << 8 | '&': *result = a && b; break;
	case '|' << 8 | '|': *result = a || b; break;
	default: fail_msg("%s is no operator", m);
	}
	return true;
}

static void each_operator_binds_as_in_c(void **state)
{
	static const int64_t numbers[][3] = {
		{2, 3, 4}, {5, 5, 4}, {1, 1, 1}, {9, 4, 2}, {0, 1, 0}, {0, 0, 7}, {6, 2, 12}};
	uint32_t count = sizeof binaries / sizeof *binaries;

	(void)state;
	for (uint32_t k = 0; k < count * count * (sizeof numbers / sizeof *numbers); k++) {
		const struct binary *first = &binaries[k % count], *second = &binaries[k / count % count];
		const int64_t *n = numbers[k / (count * count)];
		int64_t inner, expected;
		bool defined = second->level > first->level
				       ? compute(second, n[1], n[2], &inner) && compute(first, n[0], inner, &expected)
				       : compute(first, n[0], n[1], &inner) && compute(second, inner, n[2], &expected);
		const char *text = arena_printf(
			&arena, "%d %s %d %s %d", (int)n[0], first->mark, (int)n[1], second->mark, (int)n[2]);
		struct ptx_function *f;

		if (!defined)
			continue;
		f = body_of(arena_printf(&arena, ".reg .b64 d; mov.u64 d, %s;", text));
		if ((int64_t)f->code.at[0].operand[1].bits != expected)
			fail_msg("%s is %lld, not %lld", text, (long long)f->code.at[0].operand[1].bits,
				(long long)expected);
	}
}

/* Comparisons of what is less, equal and greater, by integers with and without a sign, and by floats. */
static void constants_are_compared(void **state)
{
	static const struct {
		const char *mark;
		bool less, equal, greater;
	} marks[] = {{"<", true, false, false}, {"<=", true, true, false}, {">", false, false, true},
		{">=", false, true, true}, {"==", false, true, false}, {"!=", true, false, true}};
	static const char *const ends[] = {"", "U", ".5"};
	(void)state;
	for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
		for (size_t end = 0; end < sizeof ends / sizeof *ends; end++)
			for (int a = 1; a <= 3; a++) {
				bool expected = a < 2 ? marks[k].less : a == 2 ? marks[k].equal : marks[k].greater;
				const char *text =
					arena_printf(&arena, "%d%s %s 2%s", a, ends[end], marks[k].mark, ends[end]);
				struct ptx_function *f =
					body_of(arena_printf(&arena, ".reg .b64 d; mov.u64 d, %s;", text));
				if (f->code.at[0].operand[1].bits != expected)
					fail_msg("%s is not %d", text, expected);
			}
}

static void float_constants_keep_their_bits(void **state)
{
	(void)state;
	struct ptx_function *k = body_of(".reg .f32 f; mov.f32 f, 0f7FC00001; mov.f32 f, -1.5; mov.f32 f, 1e1;");
	const struct ptx_operand *o = &k->code.at[0].operand[1];
	double value;
	assert_true(o->is_float && o->is_float32);
	assert_int_equal(o->bits, 0x7fc00001);
	memcpy(&value, &k->code.at[1].operand[1].bits, sizeof value);
	assert_true(value == -1.5);
	memcpy(&value, &k->code.at[2].operand[1].bits, sizeof value);
	assert_true(value == 10);
}

static const struct ptx_variable *variable_named(const struct ptx_module *module, const char *name)
{
	for (uint32_t i = 0; i < module->variables.count; i++)
		if (!strcmp(module->variables.at[i]->name, name))
			return module->variables.at[i];
	fail_msg("no variable %s", name);
	return NULL;
}

static void initialisers_fill_arrays_as_in_c(void **state)
{
	(void)state;
	struct ptx_module *module =
		parse(HEADER ".global .u16 m[2][3] = { {1, 2}, {3} };\n.const .u8 open[][2] = { {1}, 2, 3, {4, 5} };\n"
			     ".global .f32 f = 1.5;\n.global .b8 short[4] = {9};\n.global .u32 zero;\n");
	static const uint16_t wanted[6] = {1, 2, 0, 3, 0, 0};
	static const uint8_t open[6] = {1, 0, 2, 3, 4, 5};
	float f;
	assert_non_null(module);
	assert_int_equal(variable_named(module, "m")->size, 12);
	assert_memory_equal(variable_named(module, "m")->data, wanted, 12);
	assert_int_equal(variable_named(module, "open")->size, 6);
	assert_memory_equal(variable_named(module, "open")->data, open, 6);
	memcpy(&f, variable_named(module, "f")->data, 4);
	assert_true(f == 1.5f);
	assert_memory_equal(variable_named(module, "short")->data, "\x09\0\0\0", 4);
	assert_null(variable_named(module, "zero")->data);
	module = parse(HEADER ".const .u8 rows[][4] = {1, 2, 3, 4, 5};\n.const .u8 mixed[][3] = {{1}, 2, 3};\n");
	assert_non_null(module);
	assert_int_equal(variable_named(module, "rows")->size, 8);
	assert_memory_equal(variable_named(module, "rows")->data, "\1\2\3\4\5\0\0", 8);
	assert_int_equal(variable_named(module, "mixed")->size, 6);
	assert_memory_equal(variable_named(module, "mixed")->data, "\1\0\0\2\3", 6);
}

static void initialisers_may_be_addresses(void **state)
{
	(void)state;
	struct ptx_module *module = parse(HEADER
		".func f() { ret; }\n.global .u32 v;\n"
		".global .u64 p[4] = { v, generic(v) + 8, f, 5 };\n.global .u8 b[2] = { 0xff(v), 0xff00(v) };\n");
	assert_non_null(module);
	const struct ptx_variable *p = variable_named(module, "p"), *b = variable_named(module, "b");
	assert_int_equal(p->relocation_count, 3);
	assert_string_equal(p->relocations[0].variable->name, "v");
	assert_false(p->relocations[0].generic);
	assert_true(p->relocations[1].generic);
	assert_int_equal(p->relocations[1].addend, 8);
	assert_int_equal(p->relocations[1].offset, 8);
	assert_string_equal(p->relocations[2].function->name, "f");
	assert_true(p->relocations[2].function->address_taken);
	assert_int_equal(p->data[24], 5);
	assert_int_equal(b->relocations[1].mask, 0xff00);
	assert_int_equal(b->relocations[1].bytes, 1);
	assert_int_equal(b->relocations[1].offset, 1);
}

/* ---- calls ---- */

static void calls_name_their_function_and_arguments(void **state)
{
	(void)state;
	struct ptx_module *module = parse(HEADER
		".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
		".func (.reg .u32 r) f(.reg .u32 x) { mov.u32 r, x; ret; }\n"
		".func g() { .param .b64 p, q; .param .b32 s; .reg .u32 v; .reg .u64 d; call (s), vprintf, (p, q);\n"
		"t: .callprototype (.param .b32 _) _ (.param .b64 _);\ncall (s), d, (p), t;\n"
		"call (v), f, (3); call g; ret; }\n");
	assert_non_null(module);
	const struct ptx_instruction *i = ptx_find_function(module, "g")->code.at;
	assert_false(i[0].operand[0].function->is_defined);
	assert_int_equal(i[0].argument_count, 2);
	assert_string_equal(i[0].arguments[1].variable->name, "q");
	assert_string_equal(i[0].returns[0].variable->name, "s");
	assert_int_equal(i[1].operand[0].kind, OPERAND_REGISTER);
	assert_int_equal(i[1].operand[1].prototype->parameter_count, 1);
	assert_int_equal(i[2].arguments[0].bits, 3);
	assert_ptr_equal(i[3].operand[0].function, ptx_find_function(module, "g"));
	const struct ptx_function *f = ptx_find_function(module, "f");
	assert_string_equal(f->formal_registers[0]->name, "x");
	assert_string_equal(f->formal_registers[1]->name, "r");
}

static void aliases_give_way_to_their_function(void **state)
{
	(void)state;
	struct ptx_module *module = parse(HEADER ".func a(); .func b() { call a; ret; }\n.alias a, b;\n");
	assert_non_null(module);
	const struct ptx_function *b = ptx_find_function(module, "b");
	assert_ptr_equal(b->code.at[0].operand[0].function, b);
}

static void tables_list_their_targets(void **state)
{
	(void)state;
	struct ptx_function *k = body_of(".reg .u32 r; t: .branchtargets x, y, x; brx.idx r, t; x: trap; y: ret;");
	const struct ptx_operand *table = &k->code.at[0].operand[1];
	assert_int_equal(table->kind, OPERAND_TABLE);
	assert_int_equal(table->count, 3);
	assert_int_equal(table->element[0].target, 1);
	assert_int_equal(table->element[1].target, 2);
	assert_int_equal(table->element[2].target, 1);
}

/* ---- types ---- */

static void types_agree_as_the_manual_says(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool fine;
	} cases[] = {
		{"add.s32 r, u, 1", true},
		{"add.s32 r, f, 1", false},
		{"add.s32 r, d, 1", false},
		{"add.f32 f, r, f", true},
		{"add.f32 f, u, f", false},
		{"mov.b32 f, u", true},
		{"mov.u32 f, u", false},
		{"and.b64 d, d, r", false},
		{"shl.b64 d, d, r", true},
		{"shl.b64 d, d, d", false},
		{"popc.b64 r, d", true},
		{"popc.b64 d, d", false},
		{"mul.wide.u32 d, r, r", true},
		{"mul.wide.u32 r, r, r", false},
		{"mad.wide.u32 d, r, r, d", true},
		{"ld.global.u8 d, [d]", true},
		{"ld.global.u64 r, [d]", false},
		{"ld.global.f32 d, [d]", true},
		{"ld.global.f32 u, [d]", false},
		{"ld.global.u32 f, [d]", false},
		{"ld.global.b32 g64, [d]", true},
		{"st.global.u8 [d], d", true},
		{"cvt.u32.u64 r, d", true},
		{"cvt.u32.u64 r, r", false},
		{"cvt.s64.s32 d, d", true},
		{"cvt.rn.f32.s32 u, r", false},
		{"setp.eq.s32 p, r, r", true},
		{"setp.eq.s32 r, r, r", false},
		{"selp.b32 r, r, r, p", true},
		{"selp.b32 r, r, r, r", false},
		{"mov.b64 {r, u}, d", true},
		{"mov.b64 {r, d}, d", false},
		{"mov.b32 {h, h}, r", true},
		{"mov.b64 d, {r, 1}", true},
		{"mov.pred p, 1", true},
		{"slct.f32.s32 f, f, f, r", true},
		{"slct.f32.s32 f, f, f, f", false},
		{"fma.rn.f16 h, h, h, h", true},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = arena_printf(&arena,
			HEADER ".entry k() { .reg .b32 r; .reg .u32 u; .reg .f32 f; .reg .b64 d; .reg .f64 g64;"
			       " .reg .b16 h; .reg .pred p; %s; ret; }",
			cases[i].text);
		memset(&diagnostic, 0, sizeof diagnostic);
		if (!!parse_whole("t.ptx", text, &diagnostic) != cases[i].fine)
			fail_msg("%s: %s", cases[i].text, *diagnostic.message ? diagnostic.message : "accepted");
	}
}

/* ---- refusals ---- */

/* A parser stops at the end, and so at what cannot be read. */
static void what_cannot_be_read_is_the_end(void **state)
{
	static const char *const texts[] = {
		"a 0x; b", "a 0f12; b", "a 08; b", "a 99999999999999999999; b", "a \"b", "a . b", "a ` b"};

	(void)state;
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
		struct diagnostic mistake = {0};
		struct lexer lexer;
		struct token token;

		lexer_start(&lexer, "t.ptx", texts[k], &mistake);
		token = lexer_next(&lexer);
		assert_true(token_is_name(&token, "a"));
		assert_false(mistake.failed);
		for (uint32_t n = 0; n < 3; n++)
			assert_int_equal(lexer_next(&lexer).kind, TOKEN_END);
		assert_true(mistake.failed);
	}
}

static void the_first_mistake_is_reported_with_its_place(void **state)
{
	(void)state;
	assert_refused("", "t.ptx:1:1: expected '.version' at the beginning of the module, found the end of the file");
	assert_refused(HEADER "\t\t.globl x;\n.reg",
		"t.ptx:4:3: expected a directive such as .entry, .func, .global, .const or .shared, found '.globl'");
	assert_refused(HEADER "/* */ .5",
		"t.ptx:4:7: expected a directive such as .entry, .func, .global, .const or .shared, found '.5'");
}

/* What is wrong in declarations and operands, each with its line and column; null: nothing is. */
static void mistakes_are_told_with_their_place(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{HEADER ".global .u32 a = 1.0 % 2;", "t.ptx:4:22: '%' does not take floating-point constants"},
		{HEADER ".global .u32 a = (.s64) 1.5;", "t.ptx:4:19: a cast does not take a floating-point constant"},
		{HEADER ".global .u32 a = ~1.5;", "t.ptx:4:18: '~' does not take a floating-point constant"},
		{HEADER ".global .u32 a[1.5];",
			"t.ptx:4:16: expected the size of an array, found a floating-point constant"},
		{HEADER ".global .b32 f;\n.func f() { ret; }",
			"t.ptx:5:7: 'f' is already declared as something else on line 4"},
		{HEADER ".entry k(.reg .b32 x) { ret; }", "t.ptx:4:8: the parameters of an .entry must be .param"},
		{HEADER ".entry k(.param .b8 x[]) { ret; }", "t.ptx:4:8: the parameters of an .entry must have a size"},
		{HEADER ".alias a, b;", "t.ptx:4:8: 'a' is not a declared function"},
		{HEADER ".func a();\n.alias a, b;", "t.ptx:5:11: 'b' is not a declared function"},
		{HEADER ".global .u32 g;\n.global .u8 a[8] = {0(g), 0};",
			"t.ptx:5:21: the mask of an address must not be zero"},
		{HEADER ".global .u32 a[2] = {{1}, {2}};",
			"t.ptx:4:22: braces are nested deeper than 'a' has dimensions"},
		{HEADER ".reg .v2 .pred x;", "t.ptx:4:1: a .reg declaration belongs inside a function"},
		{HEADER ".global .v4 .b64 x;", NULL},
		{HEADER ".global .v8 .b64 x;", "t.ptx:4:18: a vector may take at most 32 bytes"},
		{HEADER ".extern .global .u32 a;\n.global .u32 a;", NULL},
		{HEADER ".extern .global .u32 a;\n.global .u64 a;",
			"t.ptx:5:14: 'a' is declared differently on line 4"},
		{HEADER ".global .u32 a<4>;", "t.ptx:4:15: only registers are declared with <count>"},
		{HEADER ".extern .global .u32 a = 1;", "t.ptx:4:24: an .extern variable has no initialiser"},
		{HEADER ".const[2] .u32 a;", "t.ptx:4:7: constant banks are not supported"},
		{HEADER ".func f(.reg .v2 .b32 x) { ret; }", "t.ptx:4:23: a register parameter cannot be a vector"},
		{HEADER ".entry k() { .reg .b32 %r<4>;\n.reg .b32 %r<4>; ret; }",
			"t.ptx:5:11: registers '%r<4>' are already declared on line 4"},
#define IN_KERNEL(text) HEADER ".entry k() { .reg .b32 %r<4>; .reg .b64 %d<4>;\n" text "\nret; }"
		{IN_KERNEL("add.s32.sat.cc.lo.wide.ftz.rn.rz.u32.a.b.c.d.e.f.g.h.i.j.k.l.m.n %r1, %r2, %r3;"),
			"t.ptx:5:1: too many words behind 'add'"},
		{IN_KERNEL("call (), %d1, (), %r1;"),
			"t.ptx:5:1: an indirect call needs the label of a .callprototype or .calltargets list"},
		{IN_KERNEL("T: .calltargets nobody;"), "t.ptx:5:17: 'nobody' is not a declared function"},
		{IN_KERNEL("vadd.s32.s32.s32 %r1, %r2.x0, %r3;"),
			"t.ptx:5:26: '.x0' is no part of a register: expected a selector such as .b0 or .h1"},
		{IN_KERNEL("ld.global.u32 %r1, [%d1+1.5];"), "t.ptx:5:25: an offset must be an integer"},
		{IN_KERNEL("ld.global.u32 %r1, [%tid.x];"),
			"t.ptx:5:21: '%tid' cannot be an address: expected a register, a variable or an integer"},
		{IN_KERNEL("mov.b64 %d1, {{%r1, %r2}, %r3};"),
			"t.ptx:5:15: expected an element of the vector, found '{'"},
		{IN_KERNEL("add.s32 %r1, -[%d1], 2;"), "t.ptx:5:15: expected a constant, found '['"},
		{".version \"x\"", "t.ptx:1:10: expected a version such as 8.0, found the string \"x\""},
		{".version 8.0\n.target sm_20, map_f64_to_f32\n.address_size 64\n",
			"t.ptx:2:16: map_f64_to_f32 is not supported: double precision is always computed as such"},
		{".version 8.0\n.target texmode_unified\n.address_size 64\n",
			"t.ptx:3:1: expected a target such as sm_70, found '.address_size'"},
	};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (rows[k].message) {
			assert_refused(rows[k].text, rows[k].message);
		} else {
			memset(&diagnostic, 0, sizeof diagnostic);
			assert_non_null(parse(rows[k].text));
		}
}

/* Every prefix of a text that parses: no crash, and an error or a module, never both. */
static void truncated_texts_are_refused(void **state)
{
	(void)state;
	size_t length;
	char *text = text_read_file(&arena, LOCKSTEP_SOURCE_DIR "/tests/ptx/calls.ptx", &length, &diagnostic);
	assert_non_null(text);
	for (size_t end = 0; end < length; end++) {
		struct arena scratch = {0};
		struct diagnostic again = {0};
		struct ptx_module *module = ptx_parse(&scratch, "t.ptx", arena_copy(&scratch, text, end), &again);
		assert_int_equal(module == NULL, again.failed);
		arena_free(&scratch);
	}
}

/* ---- the files of tests/ptx ---- */

static int is_ptx(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 4 && !strcmp(entry->d_name + length - 4, ".ptx");
}

static bool is_bad(const char *name)
{
	return !strncmp(name, "bad-", 4);
}

/* Calls `test` with the name and text of every bad or good file in the folder; returns how many. */
static int for_each_file(
	const char *folder, bool bad, void (*test)(const char *folder, const char *name, const char *text))
{
	struct dirent **list;
	int count = scandir(folder, &list, is_ptx, alphasort), tested = 0;

	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		size_t length;
		if (is_bad(list[i]->d_name) == bad) {
			char *text = text_read_file(
				&arena, arena_printf(&arena, "%s/%s", folder, list[i]->d_name), &length, &diagnostic);
			assert_non_null(text);
			test(folder, list[i]->d_name, text);
			tested++;
		}
		free(list[i]);
	}
	free(list);
	return tested;
}

static void expect_refusal(const char *folder, const char *name, const char *text)
{
	size_t length;
	const char *path = arena_printf(&arena, "%s/%.*s.expect", folder, (int)strlen(name) - 4, name);
	char *expected = text_read_file(&arena, path, &length, &diagnostic);
	struct diagnostic found = {0};

	assert_non_null(expected);
	if (parse_whole(name, text, &found))
		fail_msg("%s is accepted", name);
	expected[strcspn(expected, "\n")] = 0;
	assert_string_equal(found.message, expected);
}

static void mistakes_have_their_messages(void **state)
{
	(void)state;
	assert_true(for_each_file(LOCKSTEP_SOURCE_DIR "/tests/ptx", true, expect_refusal) >= 80);
}

static const char *printed(const char *name, const char *text)
{
	struct ptx_module *module = ptx_parse(&arena, name, text, &diagnostic);
	struct text out = {.arena = &arena};

	if (!module)
		fail_msg("%s\n%s", diagnostic.message, text);
	ptx_print(&out, module);
	return out.at;
}

static void expect_fixed_point(const char *folder, const char *name, const char *text)
{
	(void)folder;
	const char *once = printed(name, text);

	assert_string_equal(printed("printed", once), once);
}

static void printing_is_a_fixed_point(void **state)
{
	(void)state;
	assert_true(for_each_file(LOCKSTEP_SOURCE_DIR "/tests/ptx", false, expect_fixed_point) >= 5);
}

static void printing_keeps_the_linking(void **state)
{
	static const char *const declarations[] = {".extern .global .align 4 .u32 x;",
		".visible .global .align 4 .u32 x;", ".weak .global .align 4 .u32 x;",
		".common .global .align 4 .u32 x;"};

	(void)state;
	for (size_t k = 0; k < sizeof declarations / sizeof *declarations; k++) {
		const char *text =
			arena_printf(&arena, ".version 8.0\n.target sm_80\n.address_size 64\n%s\n", declarations[k]);

		if (!strstr(printed("t.ptx", text), declarations[k]))
			fail_msg("%s\n  is printed as\n%s", declarations[k], printed("t.ptx", text));
	}
	/* What one declaration says of a function, and what the other. */
	assert_non_null(strstr(printed("t.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n"
						".func f();\n.weak .func f()\n{\n\tret;\n}\n"),
		".weak .func f()\n{"));
	assert_non_null(strstr(printed("t.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n"
						".visible .func f();\n.func f()\n{\n\tret;\n}\n"),
		".visible .func f()\n{"));
	/* A function that is defined after all is not one of another module. */
	assert_null(strstr(printed("t.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n"
					    ".extern .func f();\n.func f()\n{\n\tret;\n}\n"),
		".extern"));
}

/* Each as it is written, and nothing that is not. */
static void printing_keeps_what_kernels_ask_for(void **state)
{
	static const char *const kernels[] = {".entry a()\n.maxntid 64, 2, 1\n.minnctapersm 3\n.maxnreg 40\n{",
		".entry b()\n.reqntid 8, 4, 2\n.reqnctapercluster 2, 1, 1\n.explicitcluster\n{",
		".entry c()\n.maxclusterrank 8\n{", ".visible .entry d()\n{"};

	(void)state;
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
		const char *text = arena_printf(
			&arena, ".version 8.0\n.target sm_90\n.address_size 64\n%s\n\tret;\n}\n", kernels[k]);

		if (!strstr(printed("t.ptx", text), kernels[k]))
			fail_msg("%s\n  is printed as\n%s", kernels[k], printed("t.ptx", text));
	}
}

/* Also of an instruction whose file and line are those of the one before. */
static void printing_keeps_where_functions_are_inlined(void **state)
{
	const char *text = printed("t.ptx", HEADER ".entry k() {\n.loc 1 7 1\ntrap;\n"
						   ".loc 1 7 1, function_name f, inlined_at 1 20 3\ntrap;\nret;\n}\n");

	(void)state;
	assert_non_null(strstr(text, "inlined_at 1 20 3"));
}

static void printing_tells_shadowed_names_apart(void **state)
{
	(void)state;
	const char *text = printed("t.ptx",
		HEADER ".entry k() { .reg .u32 x; mov.u32 x, 1; { .reg .u32 x; mov.u32 x, 2; bra e; } e: ret; }");

	assert_string_equal(text,
		".version 8.0\n.target sm_80\n.address_size 64\n\n\n.entry k()\n{\n\t.reg .u32 x, x$2;\n"
		"\tmov.u32 x, 1;\n\tmov.u32 x$2, 2;\n\tbra L3;\nL3:\n\tret;\n}\n\n");
}

/* ---- tests/ptx/statements.txt ---- */

#define STATEMENT_HEADER                                                                                               \
	".version 9.0\n.target sm_100\n.address_size 64\n.global .align 8 .b8 g[64];\n.const .align 8 .b8 c[64];\n"    \
	".func f(.param .b32 x, .param .b64 y) { ret; }\n.func (.param .b32 r) g1() { ret; }\n"                        \
	".func v(.param .b32 x, .param .b8 rest[]) { ret; }\n.visible .entry k(.param .u64 data) {\n"                  \
	".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .u32 %u<4>; .reg .b64 %d<4>; .reg .b128 %q<4>; "     \
	".reg .f32 %f<4>; .reg .f64 %e<4>; .reg .f16x2 %k<4>; .shared .align 8 .b8 s[64];\n"
enum { STATEMENT_LINE = 11 }; /* the line of a statement behind it */

/* Cuts a line at the mark; what is behind it, null without one. */
static char *cut(char *line, const char *mark)
{
	char *at = strstr(line, mark);

	if (at)
		*at = 0;
	return at ? at + strlen(mark) : NULL;
}

static void expect_statement(char *statement)
{
	char *refusal = cut(statement, "  => "), *print = cut(statement, "  -> ");
	const char *text = arena_printf(&arena, "%s%s\nret;\n}\n", STATEMENT_HEADER, statement);
	const char *message = refusal ? arena_printf(&arena, "t.ptx:%d:%s", STATEMENT_LINE, refusal) : "";
	struct diagnostic found = {0};
	struct ptx_module *module = parse_whole("t.ptx", text, &found);

	if (!module != (refusal != NULL) || strcmp(found.message, message))
		fail_msg("%s\n  said:     %s\n  expected: %s", statement, module ? "nothing" : found.message, message);
	if (!module)
		return;
	expect_fixed_point("", "t.ptx", text);
	if (!strstr(printed("t.ptx", text), print ? print : statement))
		fail_msg("%s\n  is printed otherwise:\n%s", statement, printed("t.ptx", text));
}

static void statements_are_accepted_or_refused_as_the_table_says(void **state)
{
	(void)state;
	size_t length, count = 0;
	char *table = text_read_file(&arena, LOCKSTEP_SOURCE_DIR "/tests/ptx/statements.txt", &length, &diagnostic);
	assert_non_null(table);
	for (char *line = table, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		if (!*line || *line == '#')
			continue;
		expect_statement(line);
		count++;
	}
	assert_true(count >= 300);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)
	const struct CMUnitTest tests[] = {
		TEST(header_is_kept),
		TEST(parameters_are_laid_out_by_alignment),
		TEST(blocks_shadow_names),
		TEST(labels_bind_to_the_innermost_block_that_defines_them),
		TEST(only_registers_in_use_exist),
		TEST(a_name_of_two_ranges_is_the_first_ones),
		TEST(a_vector_register_is_its_elements),
		TEST(addresses_have_a_base_and_an_offset),
		TEST(operands_go_to_the_slots_of_the_shape),
		TEST(special_registers_have_components),
		TEST(lines_of_the_source_are_kept),
		TEST(inlined_functions_have_their_names),
		TEST(opcodes_keep_their_spelling),
		TEST(messages_name_labels),
		TEST(the_spin_hint_is_the_next_instructions),
		TEST(the_reason_of_a_trap_is_the_next_instructions),
		TEST(constant_expressions_follow_c),
		TEST(each_operator_binds_as_in_c),
		TEST(constants_are_compared),
		TEST(float_constants_keep_their_bits),
		TEST(initialisers_fill_arrays_as_in_c),
		TEST(initialisers_may_be_addresses),
		TEST(calls_name_their_function_and_arguments),
		TEST(aliases_give_way_to_their_function),
		TEST(tables_list_their_targets),
		TEST(types_agree_as_the_manual_says),
		TEST(what_cannot_be_read_is_the_end),
		TEST(the_first_mistake_is_reported_with_its_place),
		TEST(truncated_texts_are_refused),
		TEST(mistakes_are_told_with_their_place),
		TEST(mistakes_have_their_messages),
		TEST(printing_is_a_fixed_point),
		TEST(printing_keeps_the_linking),
		TEST(printing_keeps_what_kernels_ask_for),
		TEST(printing_keeps_where_functions_are_inlined),
		TEST(printing_tells_shadowed_names_apart),
		TEST(statements_are_accepted_or_refused_as_the_table_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
