/* Lines and instructions, and which registers have their values: of tests/unit/debug/variables.cu and of PTX by hand.
 */
#include "debug/lines.h"
#include "debug/registers.h"
#include "debug/variables.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const struct kernel *decode(const char *text, const char *name)
{
	struct diagnostic diagnostic = {0};
	const struct ptx_module *module = ptx_parse(&arena, "t.ptx", text, &diagnostic);
	const struct kernel *kernel =
		module ? kernel_decode(&arena, module, ptx_find_function(module, name), 32, &diagnostic) : NULL;

	if (!kernel)
		fail_msg("%s", diagnostic.message);
	return kernel;
}

static const struct kernel *decode_file(const char *name)
{
	char *text = text_try_file(&arena, arena_printf(&arena, LOCKSTEP_SOURCE_DIR "/tests/unit/debug/%s", name));

	assert_non_null(text);
	return decode(text, "variables");
}

/* "FILE:LINE...: pcs", or the error. */
static const char *found(const struct kernel *kernel, const char *file, uint32_t line)
{
	struct diagnostic diagnostic = {0};
	struct source_line at;
	struct text out = {.arena = &arena};
	uint32_t count;

	if (!lines_find(kernel->module, file, line, &at, &diagnostic))
		return arena_text(&arena, diagnostic.message);
	lines_print(&out, &at);
	const uint32_t *pcs = lines_pcs(&arena, kernel, &at, &count);
	text_print(&out, ":");
	for (uint32_t k = 0; k < count; k++)
		text_print(&out, " %u", pcs[k]);
	return out.at;
}

/* f at 10 is inlined in 5, whose own instruction is the first, and in 7, which has no other. */
#define MODULE                                                                                                         \
	".version 8.0\n.target sm_80\n.address_size 64\n"                                                              \
	".visible .entry k() {\n.reg .b32 %r<9>;\n"                                                                    \
	".loc 1 3 0\nmov.u32 %r1, 1;\n"                                                                                \
	".loc 1 5 2\nmov.u32 %r2, 2;\n"                                                                                \
	".loc 2 10 2, function_name $L__s, inlined_at 1 5 9\nmov.u32 %r3, 3;\n"                                        \
	".loc 2 10 2, function_name $L__s, inlined_at 1 7 9\nmov.u32 %r4, 4;\n"                                        \
	".loc 1 5 2\nadd.u32 %r5, %r1, %r2;\n"                                                                         \
	".loc 1 9 2\nret;\n}\n"                                                                                        \
	".visible .entry other() {\n.loc 1 20 0\nret;\n}\n"                                                            \
	".file 1 \"/home/a/cell.cu\"\n.file 2 \"/home/a/f.h\"\n.file 3 \"/home/a/unused.h\"\n"                         \
	".section .debug_str { $L__s: .b8 102, 0 }\n"

static void finds_lines(void **unused)
{
	(void)unused;
	const struct kernel *kernel = decode(MODULE, "k");

	assert_string_equal(found(kernel, "cell.cu", 5), "/home/a/cell.cu:5: 1 4");
	assert_string_equal(found(kernel, "/home/a/cell.cu", 9), "/home/a/cell.cu:9: 5");
	assert_string_equal(
		found(kernel, "a/cell.cu", 4), "/home/a/cell.cu:5, the next line after 4 that has code: 1 4");
	assert_string_equal(found(kernel, "f.h", 10), "/home/a/f.h:10: 2 3");
	assert_string_equal(found(kernel, "cell.cu", 7), "/home/a/cell.cu:7, whose call is inlined: 3");
	assert_string_equal(found(kernel, "cell.cu", 6),
		"/home/a/cell.cu:7, the next line after 6 that has code, whose call is inlined: 3");
	assert_string_equal(found(kernel, "cell.cu", 10),
		"/home/a/cell.cu:20, the next line after 10 that has code:"); /* of another kernel */
	assert_string_equal(found(kernel, "t.ptx", 6), "t.ptx:7, the next line after 6 that has code: 0");
}

static void refuses_lines(void **unused)
{
	(void)unused;
	const struct kernel *kernel = decode(MODULE, "k");

	assert_string_equal(
		found(kernel, "cell.cu", 21), "/home/a/cell.cu has no code at line 21 or below; its last is 20");
	assert_string_equal(found(kernel, "ell.cu", 5),
		"no code comes from a file 'ell.cu'; files are /home/a/cell.cu, /home/a/f.h or t.ptx");
	assert_string_equal(found(kernel, "unused.h", 5),
		"no code comes from a file 'unused.h'; files are /home/a/cell.cu, /home/a/f.h or t.ptx");
	assert_string_equal(found(kernel, NULL, 5), "a line alone means several files: /home/a/cell.cu or /home/a/f.h");
}

static void finds_lines_of_one_file(void **unused)
{
	(void)unused;
	const struct kernel *kernel = decode_file("nvcc.ptx");
	const struct kernel *plain =
		decode(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\nret;\n}\n", "k");

	assert_string_equal(found(kernel, NULL, 49), found(kernel, "variables.cu", 49));
	assert_string_equal(found(plain, NULL, 5), "t.ptx:5: 0");
}

static void finds_bodies(void **unused)
{
	(void)unused;
	static const char *const files[] = {"nvcc.ptx", "clang.ptx"};

	for (uint32_t k = 0; k < 2; k++) {
		const struct ptx_function *function = decode_file(files[k])->entry;
		uint32_t body = lines_body(function);
		assert_int_equal(function->code.at[body].loc.line, 41);
		assert_true(function->code.at[body - 1].loc.line < 40);
	}
}

/* ---- Registers ---- */

static const char *held(const struct kernel *kernel, const char *name)
{
	const struct registers *registers = registers_of(&arena, kernel, 0);
	const struct ptx_register *reg = variable_register(kernel->entry, name);
	struct text out = {.arena = &arena};

	assert_non_null(reg);
	for (uint32_t k = 0; k < kernel->entry->code.count; k++)
		text_print(&out, "%c", registers_hold(registers, reg, k) ? '+' : '-');
	return out.at;
}

static void knows_when_registers_hold(void **unused)
{
	(void)unused;
	const struct kernel *kernel = decode(".version 8.0\n.target sm_80\n.address_size 64\n"
					     ".visible .entry k(.param .u64 out) {\n"
					     ".reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<2>;\n"
					     "mov.u32 %r1, 1;\n"          /* 0 */
					     "mov.u32 %r2, 2;\n"          /* 1 */
					     "setp.eq.u32 %p1, %r1, 1;\n" /* 2: the last to read r1 */
					     "@%p1 bra A;\n"              /* 3 */
					     "mov.u32 %r3, 3;\n"          /* 4: takes the slot of r1 */
					     "add.u32 %r2, %r2, %r3;\n"   /* 5 */
					     "A: ld.param.u64 %rd1, [out];\n"
					     "st.global.u32 [%rd1], %r2;\n" /* 7: the last to read r2 */
					     "ret;\n}\n",
		"k");
	const struct registers *registers = registers_of(&arena, kernel, 0);
	const struct ptx_function *k = kernel->entry;

	assert_int_equal(registers_slot(registers, variable_register(k, "%r1")),
		registers_slot(registers, variable_register(k, "%r3")));
	assert_string_equal(held(kernel, "%r1"), "-++++----");
	assert_string_equal(held(kernel, "%r2"), "--+++++++"); /* nothing takes its slot later */
	assert_string_equal(held(kernel, "%r3"), "-----+---"); /* 6: on one way only */
	assert_string_equal(held(kernel, "%p1"), "---++++++");
	assert_int_equal(registers_slot(registers, variable_register(k, "%p1")), SLOT_NONE);
	assert_true(registers_predicate(registers, variable_register(k, "%p1")) != NO_PREDICATE);
	assert_true(registers_slot(registers, variable_register(k, "%rd1")) & SLOT_WIDE);
}

/* A write under a guard keeps what other lanes have, and loops come back. */
static void knows_guards_and_loops(void **unused)
{
	(void)unused;
	const struct kernel *kernel = decode(".version 8.0\n.target sm_80\n.address_size 64\n"
					     ".visible .entry k() {\n.reg .pred %p<2>;\n.reg .b32 %r<9>;\n"
					     "mov.u32 %r1, 0;\n" /* 0 */
					     "L: setp.lt.u32 %p1, %r1, 9;\n"
					     "@%p1 mov.u32 %r2, 5;\n" /* 2 */
					     "add.u32 %r1, %r1, 1;\n" /* 3 */
					     "@%p1 bra L;\n"          /* 4 */
					     "ret;\n}\n",
		"k");

	assert_string_equal(held(kernel, "%r1"), "-+++++");
	assert_string_equal(held(kernel, "%r2"), "+++++-"); /* the guarded write reads it, as it keeps it */
}

static void finds_places_in_frames(void **unused)
{
	(void)unused;
	const struct kernel *kernel = decode_file("nvcc.ptx");
	const struct registers *entry = registers_of(&arena, kernel, 0), *callee = registers_of(&arena, kernel, 1);
	const struct ptx_function *variables = kernel->entry, *sum_to = kernel->functions[1].ptx;
	uint64_t offset = 99;

	assert_false(registers_frame_offset(entry, variables->signature.parameters[0], &offset));
	for (uint32_t v = 0; v < variables->variables.count; v++) {
		const struct ptx_variable *variable = variables->variables.at[v];
		bool is_depot = !strcmp(variable->name, "__local_depot1");
		if (variable->space == space_SHARED)
			assert_false(registers_frame_offset(entry, variable, &offset));
		if (is_depot)
			assert_true(registers_frame_offset(entry, variable, &offset));
		if (is_depot)
			assert_int_equal(offset, 0);
	}
	assert_true(registers_frame_offset(callee, sum_to->signature.parameters[1], &offset));
	assert_int_equal(offset, 4);
	assert_false(registers_frame_offset(entry, sum_to->signature.parameters[1], &offset));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(finds_lines, finish),
		cmocka_unit_test_teardown(refuses_lines, finish),
		cmocka_unit_test_teardown(finds_lines_of_one_file, finish),
		cmocka_unit_test_teardown(finds_bodies, finish),
		cmocka_unit_test_teardown(knows_when_registers_hold, finish),
		cmocka_unit_test_teardown(knows_guards_and_loops, finish),
		cmocka_unit_test_teardown(finds_places_in_frames, finish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
