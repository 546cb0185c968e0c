/* The variables of a kernel as compilers' debug sections tell them: scopes, types, places; and what is left when the
 * sections are malformed or absent.  tests/unit/debug/variables.cu is the source. */
#include "debug/variables.h"

#include "kernel/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER LOCKSTEP_SOURCE_DIR "/tests/unit/debug/"

static struct arena arena;

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const struct ptx_module *parse(const char *text)
{
	struct diagnostic diagnostic = {0};
	const struct ptx_module *module = ptx_parse(&arena, "t.ptx", text, &diagnostic);

	if (!module)
		fail_msg("%s", diagnostic.message);
	return module;
}

static char *file_text(const char *name)
{
	char *text = text_try_file(&arena, arena_printf(&arena, "%s%s", FOLDER, name));

	assert_non_null(text);
	return text;
}

/* The first instruction of a function that has the line. */
static uint32_t at_line(const struct ptx_function *function, uint32_t line)
{
	for (uint32_t k = 0; k < function->code.count; k++)
		if (function->code.at[k].loc.line == line)
			return k;
	fail_msg("no instruction has line %u", line);
	return 0;
}

static const struct ptx_function *function_like(const struct ptx_module *module, const char *part)
{
	if (ptx_find_function(module, part))
		return ptx_find_function(module, part);
	for (uint32_t f = 0; f < module->functions.count; f++)
		if (strstr(module->functions.at[f]->name, part))
			return module->functions.at[f];
	fail_msg("no function has %s in its name", part);
	return NULL;
}

static void print_place(struct text *out, struct variable_place place)
{
	switch (place.where) {
	case VARIABLE_NOWHERE: text_print(out, "- (%s)", place.why); break;
	case VARIABLE_REGISTER: text_print(out, "%s", place.reg->name); break;
	case VARIABLE_MEMORY:
		text_print(out, "%s+%u", place.variable->name, (unsigned)place.offset);
		text_print(out, "%s%s", place.why ? ", " : "", place.why ? place.why : "");
		assert_int_equal(place.space, place.variable->space);
		break;
	case VARIABLE_POINTED:
		text_print(out, "[%s+%u] in %u", place.reg->name, (unsigned)place.offset, place.space);
		break;
	case VARIABLE_ADDRESS: text_print(out, "0x%llx", (unsigned long long)place.offset); break;
	case VARIABLE_CONSTANT: text_print(out, "=%llu", (unsigned long long)place.bits); break;
	}
}

/* A line for each variable: its depth, type, name, bytes and place. */
static const char *seen_at(const struct variables *all, const struct ptx_function *function, uint32_t instruction)
{
	struct text out = {.arena = &arena};
	uint32_t count;
	const struct variable *const *seen = variables_at(&arena, all, function, instruction, &count);

	text_append(&out, "", 0);
	for (uint32_t k = 0; k < count; k++) {
		text_print(&out, "%u %s%s %s, %llu: ", seen[k]->depth, seen[k]->is_parameter ? "parameter " : "",
			seen[k]->type->name, seen[k]->name, (unsigned long long)seen[k]->type->bytes);
		print_place(&out, variable_place(all, seen[k], function, instruction));
		text_print(&out, "\n");
	}
	return out.at;
}

static const char *seen_at_line(const char *file, const char *function_part, uint32_t line)
{
	const struct ptx_module *module = parse(file_text(file));
	const struct variables *all = variables_read(&arena, module);
	const struct ptx_function *function = function_like(module, function_part);

	assert_null(variables_missing(all));
	return seen_at(all, function, at_line(function, line));
}

/* ---- What compilers write ---- */

static void reads_nvcc(void **unused)
{
	(void)unused;
	assert_string_equal(seen_at_line("nvcc.ptx", "variables", 53),
		"3 int me, 4: %r19\n"
		"3 long triple, 8: %rd20\n"
		"2 struct node mine, 32: __local_depot1+32\n"
		"2 volatile int [2][3] table, 24: __local_depot1+64\n"
		"2 int me, 4: %r1\n"
		"2 double wide, 8: %fd1\n"
		"2 unsigned char small, 1: %rs1\n"
		"2 enum colour paint, 4: %r2\n"
		"2 int [64] tile, 256: _ZZ9variablesE4tile+0\n"
		"1 parameter int * out, 8: variables_param_0+0\n"
		"1 parameter float factor, 4: %f1\n"
		"1 parameter struct node first, 32: __local_depot1+0\n"
		"1 parameter int n, 4: variables_param_3+0\n"
		"0 int counter, 4: counter+0\n");
}

static void reads_clang(void **unused)
{
	(void)unused;
	assert_string_equal(seen_at_line("clang.ptx", "variables", 53),
		"2 int me, 4: __local_depot0+132\n"
		"2 long triple, 8: __local_depot0+136\n"
		"1 int [64] tile, 256: _ZZ9variablesE4tile+0\n"
		"1 parameter int * out, 8: __local_depot0+32\n"
		"1 parameter float factor, 4: __local_depot0+40\n"
		"1 parameter struct node first, 32: __local_depot0+0\n"
		"1 parameter int n, 4: __local_depot0+44\n"
		"1 int me, 4: __local_depot0+48\n"
		"1 double wide, 8: __local_depot0+56\n"
		"1 unsigned char small, 1: __local_depot0+64\n"
		"1 struct node mine, 32: __local_depot0+72\n"
		"1 enum colour paint, 4: __local_depot0+104\n"
		"1 volatile int [2][3] table, 24: __local_depot0+108\n"
		"0 int counter, 4: counter+0\n");
}

/* A kernel's parameters are in the block that was passed, even if the compiler keeps no place for them. */
static void knows_what_was_passed(void **unused)
{
	(void)unused;
	assert_string_equal(seen_at_line("optimised.ptx", "optimised", 9),
		"1 parameter int * out, 8: optimised_param_0+0, as it was passed\n"
		"1 parameter float factor, 4: optimised_param_1+0, as it was passed\n"
		"1 parameter int n, 4: optimised_param_2+0, as it was passed\n");
}

/* nvcc moves a loop's variables from register to register: .debug_loc. */
static void follows_lists_of_places(void **unused)
{
	(void)unused;
	const struct ptx_module *module = parse(file_text("nvcc.ptx"));
	const struct variables *all = variables_read(&arena, module);
	const struct ptx_function *function = function_like(module, "sum_to");
	struct text out = {.arena = &arena};

	for (uint32_t k = 0; k < function->code.count; k++) {
		const struct variable *sum = variable_named(all, function, k, "sum");
		text_print(&out, k ? " " : "");
		if (!sum)
			text_print(&out, "none");
		else if (variable_place(all, sum, function, k).where == VARIABLE_NOWHERE)
			text_print(&out, "-");
		else
			print_place(&out, variable_place(all, sum, function, k));
	}
	assert_string_equal(out.at, "none none - - %f1 %f1 %f1 %f9 %f9 %f9 %f9 %f2 %f2 %f2 %f2 %f2 %f2 %f2 %f3 %f3 %f3 "
				    "%f9 %f9 %f9 %f9 %f9");
}

static void names_the_innermost(void **unused)
{
	(void)unused;
	const struct ptx_module *module = parse(file_text("nvcc.ptx"));
	const struct variables *all = variables_read(&arena, module);
	const struct ptx_function *function = function_like(module, "variables");
	uint32_t inner = at_line(function, 53), outer = at_line(function, 56);

	assert_int_equal(variable_named(all, function, inner, "me")->line, 51);
	assert_int_equal(variable_named(all, function, outer, "me")->line, 41);
	assert_null(variable_named(all, function, outer, "triple"));
	assert_null(variable_named(all, function, inner, "term")); /* of another function */
	assert_non_null(variable_named(all, function, inner, "counter"));
	/* names of the PTX are known beside the source's */
	assert_true(!variable_named(all, function, inner, "variables_param_1")->is_source);
}

static void knows_members(void **unused)
{
	(void)unused;
	static const char *const files[] = {"nvcc.ptx", "clang.ptx"};

	for (uint32_t f = 0; f < 2; f++) {
		const struct ptx_module *module = parse(file_text(files[f]));
		const struct variables *all = variables_read(&arena, module);
		const struct ptx_function *function = function_like(module, "variables");
		const struct variable_type *node = variable_named(all, function, at_line(function, 53), "mine")->type;
		assert_int_equal(node->member_count, 5);
		assert_string_equal(node->members[1].type->name, "float [3]");
		assert_int_equal(node->members[1].offset, 4);
		assert_string_equal(node->members[3].name, "high");
		assert_int_equal(node->members[3].bit_count, 7);
		assert_int_equal(8 * node->members[3].offset + node->members[3].first_bit, 8 * 16 + 3);
		assert_string_equal(node->members[4].type->name, "struct node *");
		assert_ptr_equal(node->members[4].type->of->members, node->members);
	}
}

/* ---- Without them ---- */

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

static void names_what_the_ptx_declares(void **unused)
{
	(void)unused;
	const struct ptx_module *module =
		parse(HEADER ".global .f32 g[3];\n"
			     ".visible .entry k(.param .u64 out, .param .align 8 .b8 block[24]) {\n"
			     ".reg .b32 %r<3>;\n.shared .align 4 .b8 tile[64];\nmov.u32 %r1, %tid.x;\nret;\n}\n"
			     ".func (.reg .b32 back) f(.reg .f32 x) { mov.b32 back, x; ret; }\n");
	const struct variables *all = variables_read(&arena, module);

	assert_string_equal(variables_missing(all), "the PTX has no debug sections: compile it with -G or -g");
	assert_string_equal(seen_at(all, function_like(module, "k"), 0), "1 parameter .u64 out, 8: out+0\n"
									 "1 parameter .b8 [24] block, 24: block+0\n"
									 "1 .b8 [64] tile, 64: tile+0\n"
									 "0 .f32 [3] g, 12: g+0\n");
	assert_string_equal(seen_at(all, function_like(module, "f"), 0), "1 parameter .f32 x, 4: x\n"
									 "1 parameter .b32 back, 4: back\n"
									 "0 .f32 [3] g, 12: g+0\n");
	const struct ptx_register *r1 = variable_register(function_like(module, "k"), "%r1");
	assert_string_equal(variable_register_type(all, r1)->name, ".b32");
	assert_null(variable_register(function_like(module, "k"), "%r2"));
}

/* ---- Malformed ---- */

static const char *missing_of(const char *text)
{
	const char *missing = variables_missing(variables_read(&arena, parse(text)));

	return missing ? missing : "";
}

static void refuses_malformed_text(void **unused)
{
	(void)unused;
	assert_string_equal(missing_of(HEADER ".section .debug_info { .b32 1, 2\n .b7 3 }"),
		"t.ptx:5:2: expected a label or .b8, .b16, .b32 or .b64 in section .debug_info, found 'b7'");
	assert_string_equal(missing_of(HEADER ".section .debug_info { .b8 x }"),
		"t.ptx:4:28: expected a number or a label in section .debug_info, found 'x'");
	assert_string_equal(missing_of(HEADER ".section .debug_info { .b8 1 }\n.section .debug_info { }"),
		"t.ptx:5: section .debug_info is there already");
	/* nothing in it, as clang writes with -gline-tables-only */
	assert_string_equal(missing_of(HEADER ".section .debug_loc { }"),
		"the PTX has no debug sections: compile it with -G or -g");
}

static void refuses_malformed_bytes(void **unused)
{
	(void)unused;
	static const char *const bodies[] = {
		".b8 1,2,3",                                                  /* no unit */
		".b32 1000 .b8 2,0 .b32 0 .b8 8,1",                           /* longer than the section */
		".b32 8 .b8 2,0 .b32 0 .b8 8,1 ",                             /* no abbreviations */
		".b32 0xfffffff0 .b8 2,0 .b32 .debug_abbrev .b8 8,1,108,103", /* a reserved length */
	};

	for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
		const char *missing = missing_of(arena_printf(&arena, HEADER ".section .debug_info { %s }", bodies[k]));
		assert_memory_equal(missing, "the debug sections cannot be read: ", 35);
	}
}

/* Each number of the sections is wrong once: nothing breaks, and what the PTX declares is known. */
static void survives_wrong_numbers(void **unused)
{
	(void)unused;
	static const char *const numbers[] = {"255", "0  ", "127"};
	char *text = file_text("nvcc.ptx"), *sections = strstr(text, "\t.section");
	uint32_t read = 0;

	for (char *at = sections; (at = strstr(at, "\n.b8 ")); at++) {
		char *number = at + 5, old[3];
		if (strspn(number, "0123456789") > 3 || number[strspn(number, "0123456789")] != '\n')
			continue;
		size_t digits = strspn(number, "0123456789");
		memcpy(old, number, digits);
		for (uint32_t k = 0; k < 3; k++) {
			struct arena own = arena;
			memset(&arena, 0, sizeof arena);
			memcpy(number, numbers[k], digits);
			const struct ptx_module *module = parse(text);
			const struct variables *all = variables_read(&arena, module);
			const struct ptx_function *function = function_like(module, "variables");
			assert_non_null(seen_at(all, function, at_line(function, 53)));
			assert_non_null(variable_named(all, function, 0, "variables_param_0"));
			read += !variables_missing(all);
			arena_free(&arena);
			arena = own;
		}
		memcpy(number, old, digits);
	}
	assert_true(read > 100); /* most only change a name or a line */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(reads_nvcc, finish),
		cmocka_unit_test_teardown(reads_clang, finish),
		cmocka_unit_test_teardown(knows_what_was_passed, finish),
		cmocka_unit_test_teardown(follows_lists_of_places, finish),
		cmocka_unit_test_teardown(names_the_innermost, finish),
		cmocka_unit_test_teardown(knows_members, finish),
		cmocka_unit_test_teardown(names_what_the_ptx_declares, finish),
		cmocka_unit_test_teardown(refuses_malformed_text, finish),
		cmocka_unit_test_teardown(refuses_malformed_bytes, finish),
		cmocka_unit_test_teardown(survives_wrong_numbers, finish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
