/* compile/inlined: small texts of LLVM and of its PTX, and what becomes of them.  The expected .loc are as nvcc writes
 * them: PTX ISA, 11.5.3 (.loc). */
#include "compile/inlined.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* outer(), in "k.cu", calls middle() of "h \"h\".h" at 20:3, and that calls inner() at 7:5. */
static const char ir[] = "define void @k() {\n  ret void, !dbg !9\n}\n"
			 "!1 = !DIFile(filename: \"k.cu\", directory: \"/w\")\n"
			 "!2 = !DIFile(filename: \"/i/h \\22h\\22.h\", directory: \"/w\")\n"
			 "!3 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 18)\n"
			 "!4 = distinct !DISubprogram(name: \"middle, line: 99\", linkageName: \"_Z6middle\", "
			 "scope: !2, file: !2, line: 6)\n"
			 "!5 = distinct !DISubprogram(name: \"inner\", scope: !2, file: !2, line: 1)\n"
			 "!6 = distinct !DILexicalBlock(scope: !5, file: !2, line: 2, column: 1)\n"
			 "!7 = distinct !DILocation(line: 20, column: 3, scope: !3)\n"
			 "!8 = distinct !DILocation(line: 7, column: 5, scope: !4, inlinedAt: !7)\n"
			 "!9 = !DILocation(line: 3, column: 9, scope: !6, inlinedAt: !8)\n"
			 "!10 = !DILocation(line: 4, column: 2, scope: !6, inlinedAt: !8)\n"
			 "!11 = !DILocation(line: 21, column: 1, scope: !3)\n";

static void test_mark(void **state)
{
	struct arena arena = {0};
	size_t length;
	bool any;
	const char *marked = inlined_mark(&arena, ir, &length, &any);
	(void)state;

	assert_true(any);
	assert_non_null(strstr(marked, "!9 = !DILocation(line: 3000000009, column: 9, scope: !6, inlinedAt: !8)\n"));
	assert_non_null(
		strstr(marked, "!8 = distinct !DILocation(line: 3000000008, column: 5, scope: !4, inlinedAt: !7)\n"));
	assert_non_null(strstr(marked, "!11 = !DILocation(line: 21, column: 1, scope: !3)\n"));
	assert_non_null(strstr(marked, "linkageName: \"_Z6middle\", scope: !2, file: !2, line: 6)"));
	assert_int_equal(length, strlen(marked));
	assert_string_equal(
		inlined_mark(&arena,
			"uselistorder i64 (i8*)* asm \"cvta\", \"=l,l\", { 1, 0 }\n  uselistorder i32 %0, { 1, "
			"0 }\n!11 = !DILocation(line: 21, column: 1, scope: !3)\n",
			&length, &any),
		"  uselistorder i32 %0, { 1, 0 }\n!11 = !DILocation(line: 21, column: 1, scope: !3)\n");
	assert_false(any);
	arena_free(&arena);
}

static void test_tell(void **state)
{
	static const struct {
		const char *ptx, *told;
	} pairs[] = {
		{"\t.loc\t1 21 1\n\tret;\n\t.file\t1 \"/w/k.cu\"\n",
			"\t.loc\t1 21 1\n\tret;\n\t.file\t1 \"/w/k.cu\"\n"},
		/* all calls around it, from the outermost on; then, near by, no more than the place */
		{"\t.loc\t2 3000000009 9\n\tbar.sync 0;\n\t.loc\t2 3000000010 2\n\tret;\n\t.file\t1 \"/w/k.cu\"\n"
		 "\t.file\t2 \"/i/h \\\"h\\\".h\"\n",
			"\t.loc\t1 20 3\n"
			"\t.loc\t2 7 5, function_name $L__inlined0, inlined_at 1 20 3\n"
			"\t.loc\t2 3 9, function_name $L__inlined1, inlined_at 2 7 5\n\tbar.sync 0;\n"
			"\t.loc\t2 4 2, function_name $L__inlined1, inlined_at 2 7 5\n\tret;\n\t.file\t1 \"/w/k.cu\"\n"
			"\t.file\t2 \"/i/h \\\"h\\\".h\"\n"
			"\t.section\t.debug_str\n\t{\n$L__inlined0:\n.b8 95,90,54,109,105,100,100,108,101,0\n"
			"$L__inlined1:\n.b8 105,110,110,101,114,0\n\t}\n"},
		/* a file of which nothing is but a call */
		{"\t.loc\t1 3000000009 9\n\tret;\n\t.file\t1 \"/w\" \"k.cu\"\n",
			"\t.loc\t1 20 3\n"
			"\t.loc\t2 7 5, function_name $L__inlined0, inlined_at 1 20 3\n"
			"\t.loc\t1 3 9, function_name $L__inlined1, inlined_at 2 7 5\n\tret;\n\t.file\t1 \"/w\" "
			"\"k.cu\"\n"
			"\t.file\t2 \"/i/h \\\"h\\\".h\"\n"
			"\t.section\t.debug_str\n\t{\n$L__inlined0:\n.b8 95,90,54,109,105,100,100,108,101,0\n"
			"$L__inlined1:\n.b8 105,110,110,101,114,0\n\t}\n"},
		/* what LLVM 22 writes itself */
		{"\t.loc\t2 3000000009 9, function_name $L__info0, inlined_at 2 3000000008 5\n",
			"\t.loc\t2 3 9, function_name $L__info0, inlined_at 2 7 5\n"},
		{"\t.loc\t2 3000000999 9\n", "\t.loc\t2 3000000999 9\n"},
	};
	struct arena arena = {0};
	size_t length;
	(void)state;

	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
		assert_string_equal(inlined_tell(&arena, ir, pairs[k].ptx, &length), pairs[k].told);
		assert_int_equal(length, strlen(pairs[k].told));
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mark),
		cmocka_unit_test(test_tell),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
