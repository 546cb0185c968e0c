/* compile/rewrite, called_kernels and inline: small texts of LLVM and PTX, and what becomes of them. */
#include "compile/rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What goes in and what comes out; null: the same. */
struct pair {
	const char *from, *to;
};

static void test_ptx(void **state)
{
	/* Vectors of three take the room of four (OpenCL C 3.0, 6.1.5); clang declares the bytes of three, and the
	 * alignment of four. */
	static const struct pair pairs[] = {
		{".target sm_70\n", ".target sm_70, texmode_independent\n"},
		{"\t.target sm_70\n", NULL},
		{".const .align 1 .b8 PIBITS_TBL[158] = {1, 2};\n", ".const .align 1 .b8 PIBITS_TBL[192] = {1, 2};\n"},
		{".global .align 1 .b8 PIBITS_TBL[158] = {1, 2};\n", NULL},
		{".const .align 1 .b8 PIBITS_TBL[159] = {1, 2};\n", NULL},
		{".global .align 4 .b8 c[3] = {1, 2, 3};\n", ".global .align 4 .b8 c[4] = {1, 2, 3};\n"},
		{".shared .align 8 .b8 s[6];\n", ".shared .align 8 .b8 s[8];\n"},
		{".visible .global .align 16 .b8 f[12];\n", ".visible .global .align 16 .b8 f[16];\n"},
		{"\t.shared .align 32 .b8 d[24];\n", "\t.shared .align 32 .b8 d[32];\n"},
		{".global .align 64 .b8 many[48];\n", NULL}, /* no vector of three is aligned so */
		{".global .align 16 .b8 four[16];\n", NULL},
		{".global .align 4 .b8 two[2];\n", NULL},
		{".global .align 16 .b8 three[24];\n", NULL},
		{"\t.param .align 16 .b8 k_param_0[12]\n", NULL},
		{"\t.local .align 16 .b8 __local_depot0[12];\n", NULL},
		{".global .align 4 .u32 word;\n", NULL},
		{"\tld.global.u32 %r1, [v+.align 4 .b8 x[3]];\n", NULL},
		/* A rotation by an amount of any size is one by the amount mod 64 (OpenCL C 3.0, 6.15.3, rotate). */
		{"\tshl.b64 \t%lhs, %rd4, %r1;\n\tsub.u32 \t%amt2, 64, %r1;\n\tret;\n",
			"\tand.b32 \t%amt2, %r1, 63;\n\tshl.b64 \t%lhs, %rd4, %amt2;\n\tsub.u32 \t%amt2, 64, "
			"%amt2;\n\tret;\n"},
		{"\tshr.b64 \t%lhs, %rd4, %r12;\n\tsub.u32 \t%amt2, 64, %r12;\n",
			"\tand.b32 \t%amt2, %r12, 63;\n\tshr.b64 \t%lhs, %rd4, %amt2;\n\tsub.u32 \t%amt2, 64, "
			"%amt2;\n"},
		{"\tshl.b64 \t%lhs, %rd4, %r1;\n\tsub.u32 \t%amt2, 64, %r12;\n", NULL},
		{"\tshl.b64 \t%lhs, %rd4, 5;\n\tsub.u32 \t%amt2, 64, 5;\n", NULL},
		{"\tshl.b64 \t%lhs, %rd4, %r1;\n\tsub.u32 \t%amt2, 32, %r1;\n", NULL},
		{"\tshl.b64 \t%rd5, %rd4, %r1;\n\tsub.u32 \t%amt2, 64, %r1;\n", NULL},
		{"\tret;\n\n", NULL},
	};
	struct arena arena = {0};
	(void)state;
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
		struct text out = {.arena = &arena};
		rewrite_ptx(&out, pairs[k].from);
		assert_string_equal(out.at, pairs[k].to ? pairs[k].to : pairs[k].from);
	}
	arena_free(&arena);
}

#define DECLARED "declare i32 @printf(i8 addrspace(4)*, ...)\n"
#define DECLARED_SO "declare i32 @vprintf(i8*, i8*)\n"
#define OPAQUE "declare i32 @printf(ptr addrspace(4), ...)\n"
#define OPAQUE_SO "declare i32 @vprintf(ptr, ptr)\n"

static void test_printf(void **state)
{
	/* An argument's place in the block is the next multiple of its size, a vector's of its element's. */
	static const struct pair pairs[] = {
		{DECLARED
			"define void @k() {\nentry:\n"
			"  %7 = call i32 (i8 addrspace(4)*, ...) @printf(i8 addrspace(4)* noundef @f, i32 noundef %3, "
			"double 1.0), !dbg !9\n  ret void\n}\n",
			DECLARED_SO
			"define void @k() {\nentry:\n  %lockstep.block = alloca [16 x i8], align 16\n"
			"  %lockstep.0 = addrspacecast i8 addrspace(4)* @f to i8*\n"
			"  %lockstep.1 = getelementptr [16 x i8], [16 x i8]* %lockstep.block, i64 0, i64 0\n"
			"  %lockstep.2 = bitcast i8* %lockstep.1 to i32*\n"
			"  store i32 %3, i32* %lockstep.2, align 4\n"
			"  %lockstep.3 = getelementptr [16 x i8], [16 x i8]* %lockstep.block, i64 0, i64 8\n"
			"  %lockstep.4 = bitcast i8* %lockstep.3 to double*\n"
			"  store double 1.0, double* %lockstep.4, align 8\n"
			"  %lockstep.6 = bitcast [16 x i8]* %lockstep.block to i8*\n"
			"  %lockstep.5 = call i32 @vprintf(i8* %lockstep.0, i8* %lockstep.6), !dbg !9\n"
			"  %7 = ashr i32 %lockstep.5, 31\n  ret void\n}\n"},
		{OPAQUE "define void @k() {\n"
			"  call i32 (ptr addrspace(4), ...) @printf(ptr addrspace(4) @f, <3 x float> %v, ptr "
			"addrspace(1) nonnull align 4 %p, i16 5)\n}\n",
			OPAQUE_SO "define void @k() {\n  %lockstep.block = alloca [26 x i8], align 16\n"
				  "  %lockstep.0 = addrspacecast ptr addrspace(4) @f to ptr\n"
				  "  %lockstep.1 = getelementptr i8, ptr %lockstep.block, i64 0\n"
				  "  store <3 x float> %v, ptr %lockstep.1, align 4\n"
				  "  %lockstep.3 = addrspacecast ptr addrspace(1) %p to ptr\n"
				  "  %lockstep.2 = getelementptr i8, ptr %lockstep.block, i64 16\n"
				  "  store ptr %lockstep.3, ptr %lockstep.2, align 8\n"
				  "  %lockstep.4 = getelementptr i8, ptr %lockstep.block, i64 24\n"
				  "  store i16 5, ptr %lockstep.4, align 2\n"
				  "  %lockstep.5 = call i32 @vprintf(ptr %lockstep.0, ptr %lockstep.block)\n}\n"},
		/* Without arguments there is a block all the same; a function that prints nothing has none. */
		{OPAQUE "define void @a() {\n  ret void\n}\ndefine void @b() {\n  %1 = call i32 (ptr addrspace(4), "
			"...) @printf(ptr @f)\n}\n",
			OPAQUE_SO "define void @a() {\n  ret void\n}\ndefine void @b() {\n"
				  "  %lockstep.block = alloca [1 x i8], align 16\n"
				  "  %lockstep.0 = call i32 @vprintf(ptr @f, ptr %lockstep.block)\n"
				  "  %1 = ashr i32 %lockstep.0, 31\n}\n"},
		/* A program's own. */
		{"define i32 @printf(i32 %0) {\n  ret i32 %0\n}\n", NULL},
		{"declare i32 @printf(i32)\n  %1 = call i32 @printf(i32 5)\n", NULL},
		{"!5 = !DISubprogram(name: \"k\", spFlags: DISPFlagDefinition, flags: DIFlagPrototyped | "
		 "DIFlagAllCallsDescribed, unit: !1)\n",
			"!5 = !DISubprogram(name: \"k\", spFlags: DISPFlagDefinition, flags: DIFlagPrototyped, unit: "
			"!1)\n"},
		{"!5 = !DISubprogram(name: \"k\", flags: DIFlagAllCallsDescribed, unit: !1)\n",
			"!5 = !DISubprogram(name: \"k\", unit: !1)\n"},
	};
	struct arena arena = {0};
	size_t length;
	(void)state;
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
		const char *wanted = pairs[k].to ? pairs[k].to : pairs[k].from;
		assert_string_equal(rewrite_ir(&arena, pairs[k].from, &length), wanted);
		assert_int_equal(length, strlen(wanted));
	}
	arena_free(&arena);
}

/* 256 bytes of arguments, as many as the machine takes; the others are left out. */
static void test_full_block(void **state)
{
	struct arena arena = {0};
	struct text ir = {.arena = &arena};
	size_t length, stores = 0;
	(void)state;
	text_print(&ir, OPAQUE "define void @k() {\n  call i32 (ptr, ...) @printf(ptr @f, float %%a");
	for (uint32_t k = 0; k < 40; k++)
		text_print(&ir, ", double %%d%u", k);
	text_print(&ir, ")\n}\n");
	const char *out = rewrite_ir(&arena, ir.at, &length);
	assert_non_null(strstr(out, "alloca [256 x i8]"));
	for (const char *at = out; (at = strstr(at, "store double ")); at++)
		stores++;
	assert_int_equal(stores, 31);
	assert_non_null(strstr(out, "i64 248\n  store double %d30,"));
	arena_free(&arena);
}

/* A function has one block for all its calls, as large as the largest needs, whichever comes first; the next function
 * has its own. */
static void test_blocks(void **state)
{
	static const struct {
		const char *arguments;
		uint32_t bytes;
	} calls[] = {{"", 1}, {", i32 %1", 4}, {", double %2, i32 %1", 12}, {", i8 %3", 1}, {", i8 %3, double %2", 16}};
	enum { CALLS = sizeof calls / sizeof *calls };
	struct arena arena = {0};
	size_t length;
	(void)state;
	for (uint32_t first = 0; first < CALLS; first++)
		for (uint32_t second = 0; second < CALLS; second++)
			for (uint32_t third = 0; third < CALLS; third++) {
				uint32_t chosen[] = {first, second, third}, most = 0;
				struct text in = {.arena = &arena};
				text_print(&in, OPAQUE "define void @k() {\n");
				for (uint32_t k = 0; k < 3; k++) {
					text_print(&in,
						"  %%%u = call i32 (ptr addrspace(4), ...) @printf(ptr addrspace(4) "
						"@f%s)\n",
						k + 10, calls[chosen[k]].arguments);
					most = calls[chosen[k]].bytes > most ? calls[chosen[k]].bytes : most;
				}
				text_print(&in, "  ret void\n}\ndefine void @other() {\n"
						"  call i32 (ptr addrspace(4), ...) @printf(ptr addrspace(4) @f, i64 "
						"%%1)\n  ret "
						"void\n}\n");
				const char *out = rewrite_ir(&arena, in.at, &length);
				const char *block = strstr(out, "alloca ["), *other = strstr(block + 1, "alloca [");
				assert_int_equal(length, strlen(out));
				assert_int_equal(strtoul(block + strlen("alloca ["), NULL, 10), most);
				assert_int_equal(strtoul(other + strlen("alloca ["), NULL, 10), 8);
				assert_null(strstr(other + 1, "alloca ["));
			}
	arena_free(&arena);
}

static void test_called_kernels(void **state)
{
	static const char head[] = ".version 6.3\n.target sm_70\n\n",
			  main_begin[] =
				  ".visible .entry main(\n\t.param .u64 .ptr .global .align 4 main_param_0\n)\n{\n"
				  "\tcall.uni \n\t",
			  main_end[] = "sum, \n\t(\n\tparam0\n\t);\n\tret;\n\n}\n";
	static const char parameters[] = "(\n\t.param .b64 sum_param_0,\n\t.param .b32 sum_param_1,\n"
					 "\t.param .align 8 .b8 sum_param_2[24]\n)\n",
			  body[] = "{\n\tld.param.u8 %r1, [sum_param_1];\n\tret;\n}\n";
	static const char sum[] =
		".visible .entry sum(\n\t.param .u64 .ptr .global .align 4 sum_param_0,\n"
		"\t.param .u8 sum_param_1,\n\t.param .align 8 .b8 sum_param_2[24]\n)\n.reqntid 64, 1, 1\n";
	struct arena arena = {0};
	(void)state;
	const char *ptx = arena_printf(&arena, "%s%s%s%s%s", head, main_begin, main_end, sum, body);
	const char *wanted = arena_printf(&arena,
		"%s.func lockstep_called$sum%s;\n\n%slockstep_called$%s%s%s.func lockstep_called$sum%s%s\n", head,
		parameters, main_begin, main_end, sum, body, parameters, body);
	assert_string_equal(called_kernels(&arena, ptx), wanted);
	/* Called by a name that only begins so, or not called. */
	const char *other = arena_printf(&arena, "%s%ssummary, \n\t(\n\t);\n\n}\n%s%s", head, main_begin, sum, body);
	assert_ptr_equal(called_kernels(&arena, other), other);
	const char *apart =
		arena_printf(&arena, "%s%s%s.visible .entry main(\n)\n{\n\tmov.b64 \n\tsum, \n}\n", head, sum, body);
	assert_ptr_equal(called_kernels(&arena, apart), apart);
	/* A label may stand between the two lines of a call. */
	const char *labelled = arena_printf(&arena,
		"%s%s%s.visible .entry main(\n)\n{\n\tcall.uni \n$L__tmp1:\n\tsum, \n\t(\n\t);\n}\n", head, sum, body);
	assert_non_null(strstr(called_kernels(&arena, labelled), "\tcall.uni \n$L__tmp1:\n\tlockstep_called$sum, \n"));
	arena_free(&arena);
}

static void test_inline(void **state)
{
	static const struct pair pairs[] = {
		{"!1\ndefine available_externally spir_func i32 @f(i32 %0) {\n}\n\ndefine available_externally void "
		 "@g() {\n}\n",
			"!1\ndefine internal spir_func i32 @f(i32 %0) {\n}\n\ndefine internal void @g() {\n}\n"},
		{"!1\ndefine available_externally spir_kernel void @k() {\n}\n",
			"!1\ndefine spir_kernel void @k() {\n}\n"},
		{"!1\ndefine available_externally i32 @f() \"spir_kernel \" {\n}\n",
			"!1\ndefine internal i32 @f() \"spir_kernel \" {\n}\n"},
		{"!1\ndefine internal i32 @f() {\n}\n", NULL},
		{"!1\n@v = available_externally global i32 0\n", NULL},
	};
	struct arena arena = {0};
	(void)state;
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
		assert_string_equal(inline_keep(&arena, pairs[k].from), pairs[k].to ? pairs[k].to : pairs[k].from);
	arena_free(&arena);
}

#define MARK                                                                                                           \
	"@.str = private unnamed_addr constant [23 x i8] c\"lockstep.grid_constant\\00\", section \"llvm.metadata\"\n"
#define OTHER "@.str.1 = private unnamed_addr constant [4 x i8] c\"abc\\00\", section \"llvm.metadata\"\n"
#define GRID(number, type, name)                                                                                       \
	"  %lockstep.grid." number " = call " type " asm \"mov.b64 $0, " name                                          \
	"; cvta.param.u64 $0, $0;\", \"=l\"() nounwind readnone\n"
#define CALL(value, mark)                                                                                              \
	"  call void @llvm.var.annotation(i8* " value ", i8* getelementptr ([23 x i8]* " mark ", i32 0))\n"
#define CALL_OPAQUE(value, mark)                                                                                       \
	"  call void @llvm.var.annotation.p0.p0(ptr " value ", ptr " mark ", i32 5, ptr null)\n"

static void test_grid_constants(void **state)
{
	static const struct pair pairs[] = {
		{MARK "define void @k(i32 noundef %0, %struct.M* byval(%struct.M) align 64 %1, i64* %2) #0 {\n"
		      "  %7 = bitcast %struct.M* %1 to i8*\n" CALL(
			      "%7", "@.str") "  use %1, %10, %1)\n  use %1.a %1\n}\n"
					     "define void @l(%struct.M* %1) {\n  use %1\n}\n",
			MARK "define void @k(i32 noundef %0, %struct.M* byval(%struct.M) align 64 %1, i64* %2) #0 {\n"
			     "  %7 = bitcast %struct.M* %1 to i8*\n" GRID("0", "%struct.M*",
				     "k_param_1") "  use %lockstep.grid.0, %10, %lockstep.grid.0)\n  use %1.a "
						  "%lockstep.grid.0\n}\n"
						  "define void @l(%struct.M* %1) {\n  use %1\n}\n"},
		/* Two of one kernel, and pointers that do not say to what. */
		{MARK "define void @_Z1kv(ptr byval({ i32, i32 }) align 4 %a, ptr %b, ptr byval(%M) %c) "
		      "{\n" CALL_OPAQUE("%a", "@.str") CALL_OPAQUE("%c", "@.str") "  use %a %b %c\n}\n",
			MARK
			"define void @_Z1kv(ptr byval({ i32, i32 }) align 4 %a, ptr %b, ptr byval(%M) %c) {\n" GRID(
				"0", "ptr", "_Z1kv_param_0")
				GRID("1", "ptr", "_Z1kv_param_2") "  use %lockstep.grid.0 %b %lockstep.grid.1\n}\n"},
		/* Other annotations, and a number, which is no structure. */
		{MARK OTHER
			"define void @k(%struct.M* byval(%struct.M) %1) {\n  %2 = bitcast %struct.M* %1 to i8*\n" CALL(
				"%2", "@.str.1") "  use %1\n}\n",
			NULL},
		{MARK "define void @k(i32 %0) {\n  %1 = alloca i32\n  %2 = bitcast i32* %1 to i8*\n" CALL(
			 "%2", "@.str") "  use %1\n}\n",
			NULL},
		{MARK "define void @k(i32 %0) {\n  %1 = alloca i32\n" CALL_OPAQUE("%1", "@.str") "  use %1\n}\n", NULL},
		{OTHER "define void @k(ptr byval(%M) %0) {\n" CALL_OPAQUE("%0", "@.str.1") "}\n", NULL},
		{"", NULL},
	};
	struct arena arena = {0};
	(void)state;
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
		assert_string_equal(grid_constants(&arena, pairs[k].from), pairs[k].to ? pairs[k].to : pairs[k].from);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ptx),
		cmocka_unit_test(test_grid_constants),
		cmocka_unit_test(test_printf),
		cmocka_unit_test(test_full_block),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_called_kernels),
		cmocka_unit_test(test_inline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
