/* host/link: small modules, and the one that becomes of them; what does not fit together. PTX ISA 9.0, 11.6 "Linking
 * Directives": .extern, .visible, .weak and .common. */
#include "host/link.h"
#include "host/source_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define PROVIDED ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"

struct linked {
	const char *modules[3]; /* without HEAD */
	const char *wanted;     /* without it; of an error the whole line */
};

static char *link_them(const struct linked *c, bool library, char **why)
{
	char text[3][4096];
	const char *modules[3];
	size_t count = 0;
	for (; count < 3 && c->modules[count]; count++) {
		snprintf(text[count], sizeof text[count], HEAD "%s", c->modules[count]);
		modules[count] = text[count];
	}
	return link_ptx(modules, count, library, why);
}

static void check_all(const struct linked *cases, size_t count, bool library)
{
	for (size_t k = 0; k < count; k++) {
		char *why, *linked = link_them(&cases[k], library, &why), wanted[8192];
		assert_null(why);
		assert_non_null(linked);
		snprintf(wanted, sizeof wanted, HEAD "%s", cases[k].wanted);
		assert_string_equal(linked, wanted);
		free(linked);
	}
}

static void test_joined(void **state)
{
	static const struct linked cases[] = {
		{{""}, ""},
		{{"", ""}, ""}, /* one head */
		/* What all see keeps its name. */
		{{".visible .global .u32 a;\n", ".visible .global .u32 b;\n"},
			".visible .global .u32 a;\n.visible .global .u32 b;\n"},
		/* What a module keeps to itself gets its number: variables, functions, and where they are used, but no
		   part of another word. */
		{{".global .u32 n = 1;\n.visible .func f()\n{\n\tmov.u64 %rd1, n;\n\tmov.u64 %rd2, nn;\n}\n",
			 ".global .u32 n = 2;\n.func g()\n{\n\tmov.u64 %rd1, n;\n\tmov.u64 %n, [n+4];\n}\n"},
			".global .u32 n$0 = 1;\n.global .u32 n$1 = 2;\n"
			".visible .func f()\n{\n\tmov.u64 %rd1, n$0;\n\tmov.u64 %rd2, nn;\n}\n"
			".func g$1()\n{\n\tmov.u64 %rd1, n$1;\n\tmov.u64 %n, [n$1+4];\n}\n"},
		/* A declaration goes where a variable is defined, whichever comes first, and there is one of each. */
		{{".extern .global .u32 v;\n", ".visible .global .u32 v;\n", ".extern .global .u32 v;\n"},
			".visible .global .u32 v;\n"},
		{{".visible .const .u32 v;\n", ".extern .const .u32 v;\n"}, ".visible .const .u32 v;\n"},
		/* A function is declared before it is used: once, as visible, as it is defined further down. */
		{{".extern .func f(.param .b32 x);\n.visible .func g()\n{\n\tcall f, (x);\n}\n",
			 ".extern .func f(.param .b32 x);\n", ".visible .func f(.param .b32 x)\n{\n\tret;\n}\n"},
			".visible .func f(.param .b32 x);\n.visible .func g()\n{\n\tcall f, (x);\n}\n"
			".visible .func f(.param .b32 x)\n{\n\tret;\n}\n"},
		/* A kernel that another launches is declared before it is named; one that is called has no declaration.
		 */
		{{".extern .entry k(.param .b32 x);\n", ".visible .entry k(.param .b32 x)\n{\n\tret;\n}\n"},
			".visible .entry k(.param .b32 x);\n.visible .entry k(.param .b32 x)\n{\n\tret;\n}\n"},
		{{".extern .func k(.param .b32 x);\n", ".visible .entry k(.param .b32 x)\n{\n\tret;\n}\n"},
			".visible .entry k(.param .b32 x)\n{\n\tret;\n}\n"},
		/* The first of weak ones, or the one that is not weak. */
		{{".weak .func f()\n{\n\tbar.sync 1;\n}\n", ".weak .func f()\n{\n\tbar.sync 2;\n}\n"},
			".weak .func f()\n{\n\tbar.sync 1;\n}\n"},
		{{".weak .func f()\n{\n\tbar.sync 1;\n}\n", ".visible .func f()\n{\n\tbar.sync 2;\n}\n",
			 ".weak .func f()\n{\n\tbar.sync 3;\n}\n"},
			".visible .func f()\n{\n\tbar.sync 2;\n}\n"},
		{{".common .global .u32 c;\n", ".extern .global .u32 c;\n"}, ".visible .global .u32 c;\n"},
		/* Shared memory without a size is the launch's; some functions are the machine's. */
		{{".extern .shared .align 4 .b8 s[];\n", ".extern .shared .align 4 .b8 s[];\n"},
			".extern .shared .align 4 .b8 s[];\n"},
		{{PROVIDED, PROVIDED}, PROVIDED},
		{{".extern .func __lockstep_x();\n.extern .func malloc();\n.extern .func free();\n"},
			".extern .func __lockstep_x();\n.extern .func malloc();\n.extern .func free();\n"},
		/* CUDA's device runtime is the machine's: a module that defines its functions goes, wherever it is. */
		{{".visible .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p)\n{\n\tcall (r), cnpLaunch, "
		  "(p);\n}\n"
		  ".extern .func (.param .b32 r) cnpLaunch(.param .b64 p);\n.global .u32 kept;\n",
			 ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p);\n"
			 ".visible .entry k()\n{\n\tcall (r), cudaLaunchDeviceV2, (p);\n}\n"},
			".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p);\n"
			".visible .entry k()\n{\n\tcall (r), cudaLaunchDeviceV2, (p);\n}\n"},
		/* Debug sections go; comments, but for what the compiler knows of kernels, and blanks before a piece.
		 */
		{{".section .debug_str\n{\n\t.b8 1\n}\n// text {\n/* more; */ .visible .global .u32 a;\n"
		  "// lockstep.kernel k rest\n// lockstep.arg k 0\n// lockstep.other\n  // lockstep.kernel no\n",
			 "// lockstep.arg z 1\n.visible .global .u32 b; // behind\n"},
			".visible .global .u32 a;\n.visible .global .u32 b;\n// lockstep.kernel k rest\n"
			"// lockstep.arg k 0\n// lockstep.arg z 1\n"},
		/* Brackets and semicolons within texts, lists and bodies end nothing. */
		{{".visible .global .align 1 .b8 t[4] = {1, 2, 3, 4};\n.visible .func f()\n{\n\t{\n\t.reg .b32 "
		  "r;\n\t}\n"
		  "\tcall (r), g, (a);\n}\n.file 1 \"a;{b\\\"\"\n.visible .global .u32 u;\n"},
			".file 1 \"a;{b\\\"\"\n.visible .global .align 1 .b8 t[4] = {1, 2, 3, 4};\n"
			".visible .global .u32 u;\n"
			".visible .func f()\n{\n\t{\n\t.reg .b32 r;\n\t}\n\tcall (r), g, (a);\n}\n"},
		/* A file of a number that none can have counts for nothing. */
		{{".file 1000000 \"a\"\n.file 2 \"b\"\n", ".file 1 \"c\"\n"},
			".file 1000000 \"a\"\n.file 2 \"b\"\n.file 3 \"c\"\n"},
		{{".file 999999 \"a\"\n", ".file 1 \"c\"\n"}, ".file 999999 \"a\"\n.file 1000000 \"c\"\n"},
		/* Files are counted through, and lines that name them. */
		{{".file 1 \"a\"\n.file 3 \"b\"\n.func f()\n{\n\t.loc 1 5 2\n}\n",
			 ".file 1 \"c\"\n.file 2 \"d\"\n.func f()\n{\n\t.loc 2 6 1, function_name L, inlined_at 1 7 "
			 "3\n}\n",
			 ".file 1 \"e\"\n"},
			".file 1 \"a\"\n.file 3 \"b\"\n.file 4 \"c\"\n.file 5 \"d\"\n.file 6 \"e\"\n"
			".func f$0()\n{\n\t.loc 1 5 2\n}\n"
			".func f$1()\n{\n\t.loc 5 6 1, function_name L, inlined_at 4 7 3\n}\n"},
		/* Names of inlined functions are those of their module; other sections go. */
		{{".func f()\n{\n\t.loc 1 5 2, function_name L0+3, inlined_at 1 7 3\n}\n.section .debug_str\n{\n"
		  "L0:\n.b8 102,0\n}\n",
			 ".func f()\n{\n\t.loc 1 5 2, function_name L0, inlined_at 1 7 3\n}\n"
			 ".section .debug_info {\nL1:\n.b8 1\n}\n.section .debug_str { L0: .b8 103,0 L1: .b8 104,0 }\n"
			 ".visible .global .u32 u;\n"},
			".visible .global .u32 u;\n"
			".func f$0()\n{\n\t.loc 1 5 2, function_name L0$0+3, inlined_at 1 7 3\n}\n"
			".func f$1()\n{\n\t.loc 1 5 2, function_name L0$1, inlined_at 1 7 3\n}\n"
			".section .debug_str\n{\nL0$0:\n.b8 102,0\n}\n"
			".section .debug_str { L0$1: .b8 103,0 L1$1: .b8 104,0 }\n"},
	};
	(void)state;
	check_all(cases, sizeof cases / sizeof *cases, false);
}

/* What is declared and nowhere defined may stay so in a library. */
static void test_library(void **state)
{
	static const struct linked cases[] = {
		{{".extern .func f();\n.visible .func g()\n{\n\tcall f;\n}\n", ".extern .func f();\n"},
			".extern .func f();\n.visible .func g()\n{\n\tcall f;\n}\n"},
		{{".extern .global .u32 v;\n", ".extern .global .u32 v;\n"}, ".extern .global .u32 v;\n"},
	};
	(void)state;
	check_all(cases, sizeof cases / sizeof *cases, true);
}

static void test_refused(void **state)
{
	static const struct linked cases[] = {
		{{".visible .func f()\n{\n}\n", ".visible .func f()\n{\n}\n"}, "error: 'f' is defined in two programs"},
		{{".visible .global .u32 v;\n", "", ".visible .const .u32 v;\n"},
			"error: 'v' is defined in two programs"},
		{{".extern .func f();\n"}, "error: 'f' is declared and used but defined nowhere"},
		{{".extern .global .u32 v;\n", ".global .u32 v;\n"},
			"error: 'v' is declared and used but defined nowhere"},
		{{".extern .func printer();\n"}, "error: 'printer' is declared and used but defined nowhere"},
		/* The place of its first use, in the module that declares it. */
		{{".file 1 \"x.cl\"\n.func other()\n{\n\t.loc 1 3 1\n\tcall f;\n}\n",
			 ".file 1 \"y.cl\"\n.file 2 \"z.cl\"\n.extern .func f();\n.visible .func g()\n{\n\t.loc 1 8 1\n"
			 "\tmov.u32 %r1, ff;\n\t.loc 2 9 2\n\tcall f;\n\t.loc 1 10 1\n\tcall f;\n}\n"},
			"z.cl:9: error: 'f' is declared and used but defined nowhere"},
	};
	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		char *why = NULL, *linked = link_them(&cases[k], false, &why);
		assert_null(linked);
		assert_non_null(why);
		assert_string_equal(why, cases[k].wanted);
		free(why);
	}
}

static void test_complete(void **state)
{
	char *why;
	(void)state;
	assert_true(link_is_complete(HEAD ".visible .func f()\n{\n}\n" PROVIDED, &why));
	assert_null(why);
	assert_false(link_is_complete(HEAD ".extern .func f();\n.visible .func g()\n{\n\tcall f;\n}\n", &why));
	assert_string_equal(why, "error: 'f' is declared and used but defined nowhere");
	free(why);
	/* Text that ends anywhere is read to its end, and no further. */
	static const char whole[] =
		HEAD ".visible .func f()\n{\n\t.loc 1 2 3\n\tmov.b32 %r1, \"a\\\"\";\n}\n/* c */ // d\n";
	for (size_t length = 0; length <= strlen(whole); length++) {
		char *part = strndup(whole, length);
		link_is_complete(part, &why);
		free(why);
		free(part);
	}
}

/* Places of PTX in its source, by .file and .loc; none between functions, and of line 0, which clang gives what it has
 * made itself. Files below the folder are named from there. */
static void test_source_lines(void **state)
{
	struct arena arena = {0};
	char folder[4096];
	(void)state;
	assert_non_null(getcwd(folder, sizeof folder));
	const char *ptx = arena_printf(&arena,
		"first\n.file 1 \"a.cl\"\n  .file\t12 \"%s/b.cl\"\n.file 3 \"%s2/c.cl\"\n.file 4 \"%s/\"\n.file "
		"5\n.file 6 "
		"\"open\n.func f\n{\nA\n\t.loc 1 7 3\nB\n.loc 12 8\nC\n.loc 3 9 1\nD\n.loc 4 10 1\nE\n.loc 5 11 1\n"
		"F\n.loc 6 12 1\nG\n.loc 1 0 1\nH\n.location 1 1 1\n.loc 2 13 1\nI\n.loc 1 14 1\n}\nJ\n",
		folder, folder, folder);
	const struct {
		const char *at, *wanted;
	} places[] = {{"first", NULL}, {"A\n", NULL}, {"B\n", "a.cl:7"}, {"C\n", "b.cl:8"},
		{"D\n", arena_printf(&arena, "%s2/c.cl:9", folder)}, {"E\n", arena_printf(&arena, "%s/:10", folder)},
		{"F\n", NULL}, {"G\n", "open:12"}, {"H\n", NULL}, {"I\n", NULL}, {"J\n", NULL}};
	for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
		const char *line = source_line(&arena, ptx, strstr(ptx, places[k].at));
		assert_int_equal(!line, !places[k].wanted);
		if (line)
			assert_string_equal(line, places[k].wanted);
	}
	/* A message begins with the file and the line of the PTX. */
	assert_string_equal(source_line_of_message(&arena, ptx, "p.ptx:12:1: what"), "a.cl:7");
	assert_null(source_line_of_message(&arena, ptx, "p.ptx:11:1: what"));
	assert_string_equal(source_line_of_message(&arena, ptx, "p.ptx:14: what"), "b.cl:8");
	assert_null(source_line_of_message(&arena, ptx, "p.ptx:0: what"));
	assert_null(source_line_of_message(&arena, ptx, "p.ptx: what"));
	assert_null(source_line_of_message(&arena, ptx, "what"));
	assert_null(source_line_of_message(&arena, ptx, "p.ptx:1000: behind the end"));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_source_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
