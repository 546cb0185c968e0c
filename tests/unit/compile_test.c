/* compile/: what is prepared before LLVM's passes, options, kernel information from LLVM's code and back, what bad
 * lines and bad options get. */
#include "compile/compile.h"
#include "compile/kernel_info.h"
#include "compile/options.h"
#include "compile/rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_options(void **state)
{
	static const char *const good[] = {NULL, "", " -w  -Werror", "-DN=4 -D M -I. -I \"a b\"",
		"-cl-std=CL3.0 -cl-fast-relaxed-math", "-D'S=\"text\"' -cl-nv-verbose", "-x cl -g -cl-kernel-arg-info"};
	static const char *const bad[] = {"-O3", "-D", "-cl-std=CLC++", "-cl-std=", "-x spir", "stray", "-cl-fast"};
	char why[256];
	(void)state;
	for (size_t k = 0; k < sizeof good / sizeof *good; k++)
		assert_true(compile_options_valid(good[k], why, sizeof why));
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		*why = 0;
		assert_false(compile_options_valid(bad[k], why, sizeof why));
		assert_true(*why);
	}
}

/* What each option becomes (OpenCL 3.0, 5.8.6, "Compiler Options"): words for clang, words for the making of PTX, or
 * the beginning of a complaint. */
static void test_option_words(void **state)
{
	static const struct {
		const char *text, *standard, *source, *generation, *bad;
	} table[] = {
		{NULL, "CL1.2", "", "", NULL},
		{" \t\r\n", "CL1.2", "", "", NULL},
		{"-DA=1\t-D B\n-Ix -I  y", "CL1.2", "-DA=1 -DB -Ix -Iy ", "", NULL},
		{"-D\"A=b c\" -D'D=\\e'", "CL1.2", "-DA=b c -DD=\\e ", "", NULL},
		{"-DA=\\\"s\\\" -DB=a\\ b -DC=\\x -DD=\\\\ -DE=\\'", "CL1.2", "-DA=\"s\" -DB=a b -DC=\\x -DD=\\ -DE=' ",
			"", NULL},
		{"-DX=\"it's\" -DY='say \"a\"'", "CL1.2", "-DX=it's -DY=say \"a\" ", "", NULL},
		{"-D'A=\\\"\\\\' -DB=\"\\\\\"", "CL1.2", "-DA=\\\"\\\\ -DB=\\ ", "",
			NULL}, /* within '' nothing is escaped */
		{"-DX=a\\", "CL1.2", "-DX=a\\ ", "", NULL},
		{"\"\" -w", "CL1.2", "-w ", "", NULL},
		{"-w -Werror -g -cl-opt-disable", "CL1.2", "-w -Werror ", "", NULL},
		{"-cl-single-precision-constant -cl-denorms-are-zero", "CL1.2",
			"-cl-single-precision-constant -cl-denorms-are-zero ", "", NULL},
		{"-cl-fp32-correctly-rounded-divide-sqrt -cl-mad-enable", "CL1.2",
			"-cl-fp32-correctly-rounded-divide-sqrt -cl-mad-enable ", "", NULL},
		{"-cl-no-signed-zeros -cl-finite-math-only", "CL1.2", "-cl-no-signed-zeros -cl-finite-math-only ", "",
			NULL},
		{"-cl-unsafe-math-optimizations", "CL1.2", "-cl-unsafe-math-optimizations ",
			"-funsafe-math-optimizations ", NULL},
		{"-cl-fast-relaxed-math", "CL1.2", "-cl-fast-relaxed-math ", "-ffast-math ", NULL},
		{"-cl-strict-aliasing -cl-uniform-work-group-size -cl-no-subgroup-ifp -cl-kernel-arg-info", "CL1.2", "",
			"", NULL},
		{"-create-library -enable-link-options -cl-nv-maxrregcount=32", "CL1.2", "", "", NULL},
		{"-cl-std=CL1.0", "CL1.0", "", "", NULL},
		{"-cl-std=CL1.1", "CL1.1", "", "", NULL},
		{"-cl-std=CL2.0", "CL2.0", "", "", NULL},
		{"-x cl -cl-std=CL3.0", "CL3.0", "", "", NULL},
		{"-w -D", "CL1.2", "-w ", "", "-D wants a macro"},
		{"-I", "CL1.2", "", "", "-I wants a folder"},
		{"-D \"\"", "CL1.2", "", "", "-D wants a macro"},
		{"-cl-std=CL4.0", "CL1.2", "", "", "-cl-std=CL4.0: not supported"},
		{"-x", "CL1.2", "", "", "-x : only cl"},
		{"-x c", "CL1.2", "", "", "-x c: only cl"},
		{"-cl-nv", "CL1.2", "", "", "unknown option '-cl-nv'"},
		{"-ww", "CL1.2", "", "", "unknown option '-ww'"},
	};
	(void)state;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct arena arena = {0};
		struct compile_options options = {.arena = &arena};
		struct text source = {.arena = &arena}, generation = {.arena = &arena};
		assert_int_equal(compile_options_read(&options, table[k].text), !table[k].bad);
		assert_string_equal(options.standard, table[k].standard);
		text_append(&source, "", 0);
		text_append(&generation, "", 0);
		for (size_t w = 0; w < options.source.count; w++)
			text_print(&source, "%s ", options.source.at[w]);
		for (size_t w = 0; w < options.generation.count; w++)
			text_print(&generation, "%s ", options.generation.at[w]);
		assert_string_equal(source.at, table[k].source);
		assert_string_equal(generation.at, table[k].generation);
		if (table[k].bad)
			assert_memory_equal(options.bad, table[k].bad, strlen(table[k].bad));
		arena_free(&arena);
	}
}

/* LLVM's nodes and the lines that they become: kernel_info.h has their form. */
static void test_metadata_lines(void **state)
{
#define FIVE                                                                                                           \
	" !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3 !kernel_arg_type_qual !4 "          \
	"!kernel_arg_name !5"
	static const struct {
		const char *ir, *lines;
	} table[] = {
		/* No kernel: no node of the kind, or one that is not there. */
		{"define void @f() {\n}\n", ""},
		{"define void @f() !kernel_arg_addr_space !7 {\n!1 = !{i32 1}\n", ""},
		{"declare void @f() !kernel_arg_addr_space !1\n!1 = !{}\n", ""},
		/* Every space; a number that is none is the global one. */
		{"define void @k() !kernel_arg_addr_space !1 {\n!1 = !{i32 0, i32 1, i32 2, i32 3, i32 4}\n",
			"// lockstep.kernel k reqd 0 0 0 hint 0 0 0 vec - subgroup 0 attributes -\n"
			"// lockstep.arg k 0 private none - - -\n// lockstep.arg k 1 global none - - -\n"
			"// lockstep.arg k 2 constant none - - -\n// lockstep.arg k 3 local none - - -\n"
			"// lockstep.arg k 4 global none - - -\n"},
		{"define void @k()" FIVE " {\n!1 = !{i32 1, i32 1, i32 1}\n!2 = !{!\"read_only\", !\"none\", "
		 "!\"write_only\"}\n!3 = !{!\"image2d_t\", !\"unsigned int*\", !\"image1d_t\"}\n"
		 "!4 = !{!\"\", !\"const volatile restrict\", !\"pipe\"}\n!5 = !{!\"in\", !\"\", !\"a, b}\"}\n",
			"// lockstep.kernel k reqd 0 0 0 hint 0 0 0 vec - subgroup 0 attributes -\n"
			"// lockstep.arg k 0 global read_only image2d_t - in\n"
			"// lockstep.arg k 1 global none unsigned~int* cvr -\n"
			"// lockstep.arg k 2 global write_only image1d_t p a,~b}\n"},
		/* Sizes, hints and all attributes, in this order. */
		{"define void @k() !kernel_arg_addr_space !1 !work_group_size_hint !3 !reqd_work_group_size !2 "
		 "!vec_type_hint !4 !intel_reqd_sub_group_size !12 {\n!1 = !{}\n!2 = !{i32 64, i32 2, i32 1}\n"
		 "!3 = !{i32 8, i32 7, i32 6}\n!4 = !{float undef, i32 0}\n!12 = !{i32 32}\n",
			"// lockstep.kernel k reqd 64 2 1 hint 8 7 6 vec float subgroup 32 attributes "
			"reqd_work_group_size(64,2,1) work_group_size_hint(8,7,6) vec_type_hint(float) "
			"intel_reqd_sub_group_size(32)\n"},
		{"define void @k() !kernel_arg_addr_space !1 !intel_reqd_sub_group_size !2 {\n!1 = !{}\n!2 = !{i32 16}",
			"// lockstep.kernel k reqd 0 0 0 hint 0 0 0 vec - subgroup 16 attributes "
			"intel_reqd_sub_group_size(16)\n"},
		/* Names between quotes, with bytes as hexadecimal numbers of either case. */
		{"define void @\"a b\\22\\5C\\7e\\4@\\:0\\4G\\`0\\/0\\4g\\4F\\6f\"() !kernel_arg_addr_space !1 {\n!1 = "
		 "!{}\n",
			"// lockstep.kernel a~b\"\\~\\4@\\:0\\4G\\`0\\/0\\4gOo reqd 0 0 0 hint 0 0 0 vec - subgroup 0 "
			"attributes -\n"},
		/* A node that is used before a greater one is defined; one whose name only begins so. */
		{"!9 = !{i32 3}\ndefine void @k() !kernel_arg_addr_space_x !8 !kernel_arg_addr_space !9 {\n!8 = !{}\n"
		 "!10 = distinct !{i32 1}\n!x = !{i32 1}\n",
			"// lockstep.kernel k reqd 0 0 0 hint 0 0 0 vec - subgroup 0 attributes -\n"
			"// lockstep.arg k 0 local none - - -\n"},
	};
	static const char *const vectors[][2] = {{"i8 undef, i32 1", "char"}, {"i8 undef, i32 0", "uchar"},
		{"<2 x i16> undef, i32 1", "short2"}, {"<16 x i16> undef, i32 0", "ushort16"},
		{"i32 undef, i32 1", "int"}, {"<4 x i32> undef, i32 0", "uint4"}, {"<8 x i64> undef, i32 1", "long8"},
		{"i64 undef, i32 0", "ulong"}, {"half undef, i32 0", "half"}, {"<3 x double> undef, i32 0", "double3"},
		{"i128 undef, i32 0", "-"}, {"i3 undef, i32 0", "-"}};
	struct arena arena = {0};
	(void)state;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		struct text out = {.arena = &arena};
		text_append(&out, "", 0);
		metadata_to_kernel_info(table[k].ir, &out);
		assert_string_equal(out.at, table[k].lines);
	}
	for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
		struct text out = {.arena = &arena};
		metadata_to_kernel_info(arena_printf(&arena,
						"define void @k() !kernel_arg_addr_space !1 !vec_type_hint !2 {\n"
						"!1 = !{}\n!2 = !{%s}\n",
						vectors[k][0]),
			&out);
		assert_non_null(strstr(out.at, arena_printf(&arena, " vec %s subgroup", vectors[k][1])));
	}
	arena_free(&arena);
}

static void test_metadata(void **state)
{
	static const char ir[] =
		"define dso_local void @two(float* %0) !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 "
		"!kernel_arg_type !6 !kernel_arg_type_qual !7 !kernel_arg_name !8 !reqd_work_group_size !9 "
		"!vec_type_hint !10 {\n"
		"!4 = !{i32 1, i32 3}\n!5 = !{!\"none\", !\"none\"}\n!6 = !{!\"struct pair*\", !\"int*\"}\n"
		"!7 = !{!\"restrict const\", !\"\"}\n!8 = !{!\"a\", !\"b\"}\n!9 = !{i32 8, i32 4, i32 1}\n"
		"!10 = !{<4 x i32> undef, i32 1}\n";
	struct arena arena = {0};
	struct text out = {.arena = &arena};
	struct kernel_info info;
	(void)state;
	metadata_to_kernel_info(ir, &out);
	const char *at = out.at;
	assert_true(kernel_info_next(&at, &info));
	assert_int_equal(info.kind, KERNEL_INFO_KERNEL);
	assert_string_equal(info.kernel, "two");
	assert_int_equal(info.required[1], 4);
	assert_string_equal(info.vector, "int4");
	assert_string_equal(info.attributes, "reqd_work_group_size(8,4,1) vec_type_hint(int4)");
	assert_true(kernel_info_next(&at, &info));
	assert_int_equal(info.kind, KERNEL_INFO_ARGUMENT);
	assert_int_equal(info.space, KERNEL_INFO_GLOBAL);
	assert_int_equal(info.qualifiers, KERNEL_INFO_CONST | KERNEL_INFO_RESTRICT);
	assert_string_equal(info.type, "struct pair*");
	assert_true(kernel_info_next(&at, &info));
	assert_int_equal(info.space, KERNEL_INFO_LOCAL);
	assert_int_equal(info.index, 1);
	assert_string_equal(info.name, "b");
	assert_false(kernel_info_next(&at, &info));
	arena_free(&arena);
}

static void test_no_attributes(void **state)
{
	static const char ir[] = "define dso_local void @plain() !kernel_arg_addr_space !4 {\n!4 = !{}\n";
	struct arena arena = {0};
	struct text out = {.arena = &arena};
	struct kernel_info info;

	(void)state;
	metadata_to_kernel_info(ir, &out);
	const char *at = out.at;
	assert_true(kernel_info_next(&at, &info));
	assert_string_equal(info.kernel, "plain");
	assert_string_equal(info.attributes, "");
	assert_false(kernel_info_next(&at, &info));
	arena_free(&arena);
}

static void test_bad_lines(void **state)
{
	static const char text[] =
		"// lockstep.arg k\n// lockstep.arg k x global none int* - a\n// lockstep.kernel\n"
		"// lockstep.arg k 0 nowhere none int* - a\n// lockstep.arg k 99999999999 local none int - a\n"
		"// lockstep.arg k 0 local none int* q a\n// lockstep.other k\n// lockstep.arg k 3 local none int* c "
		"last";
	const char *at = text;
	struct kernel_info info;
	(void)state;
	assert_true(kernel_info_next(&at, &info));
	assert_int_equal(info.index, 3);
	assert_string_equal(info.name, "last");
	assert_false(kernel_info_next(&at, &info));
}

#define KERNEL "// lockstep.kernel "
#define ARGUMENT "// lockstep.arg "
#define REST " reqd 1 2 3 hint 4 5 6 vec float4 subgroup 32 attributes "

static const char *repeated(struct arena *arena, char letter, int count)
{
	char *text = arena_alloc(arena, (size_t)count + 1);
	memset(text, letter, (size_t)count);
	return text;
}

/* Every field by itself, and lines that are none of ours: a word missing, wrong, or too long. */
static void test_kernel_lines(void **state)
{
	static const char *const wrong[] = {KERNEL "k reqd 1 2 3 hint 4 5 6 vec float4 subgroup 32 attributes",
		KERNEL "k requ 1 2 3 hint 4 5 6 vec - subgroup 0 attributes -",
		KERNEL "k reqd 1 2 hint 4 5 6 vec - subgroup 0 attributes -",
		KERNEL "k reqd 1 2 3 hint 4 5 vec - subgroup 0 attributes -",
		KERNEL "k reqd 1 2 -3 hint 4 5 6 vec - subgroup 0 attributes -",
		KERNEL "k reqd 1 2 3 hint 4 5 6 vec - subgroup x attributes -",
		KERNEL "k reqd 1 2 3 hint 4 5 6 vec - subgroup 4294967296 attributes -",
		KERNEL "k reqd 1 2 3 hint 4 5 6 vec - subgroup 0 attribute -", "//lockstep.kernel k" REST "-",
		"/ lockstep.kernel k" REST "-", "// lockstep. kernel k" REST "-", "// lockstep.kernels k" REST "-",
		ARGUMENT "k 0 global none int* - a more", ARGUMENT "k 0 global none int* -",
		ARGUMENT "k 0 global never int* - a", ARGUMENT "k 0 globe none int* - a",
		ARGUMENT "k 0 global none int* x a", ARGUMENT "k 1x global none int* - a"};
	struct kernel_info info;
	struct arena arena = {0};
	const char *at = KERNEL "k" REST "a~b c ";
	(void)state;
	assert_true(kernel_info_next(&at, &info));
	assert_int_equal(*at, 0);
	for (uint32_t k = 0; k < 3; k++) {
		assert_int_equal(info.required[k], k + 1);
		assert_int_equal(info.hint[k], k + 4);
	}
	assert_int_equal(info.sub_group, 32);
	assert_string_equal(info.vector, "float4");
	assert_string_equal(info.attributes, "a~b c "); /* to the end of the line, as it is */
	at = KERNEL " k  reqd  0 0 0 hint 0 0 0 vec - subgroup 4294967295 attributes -\nbehind";
	assert_true(kernel_info_next(&at, &info));
	assert_string_equal(at, "behind");
	assert_string_equal(info.kernel, "k");
	assert_int_equal(info.sub_group, UINT32_MAX);
	assert_string_equal(info.vector, "");
	assert_string_equal(info.attributes, "");
	at = "other text\n\n" ARGUMENT "name 7 constant read_write a~b~c cvrp ~x\n";
	assert_true(kernel_info_next(&at, &info));
	assert_string_equal(info.kernel, "name");
	assert_int_equal(info.kind, KERNEL_INFO_ARGUMENT);
	assert_int_equal(info.index, 7);
	assert_int_equal(info.space, KERNEL_INFO_CONSTANT);
	assert_int_equal(info.access, KERNEL_INFO_READ_WRITE);
	assert_int_equal(
		info.qualifiers, KERNEL_INFO_CONST | KERNEL_INFO_VOLATILE | KERNEL_INFO_RESTRICT | KERNEL_INFO_PIPE);
	assert_string_equal(info.type, "a b c");
	assert_string_equal(info.name, " x");
	assert_int_equal(info.required[0], 0); /* nothing of the line before */
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		at = wrong[k];
		assert_false(kernel_info_next(&at, &info));
		assert_int_equal(*at, 0);
	}
	/* Words as long as there is room, and longer ones. */
	for (int longer = 0; longer < 2; longer++) {
		at = arena_printf(&arena, KERNEL "%s" REST "%s", repeated(&arena, 'k', 255 + longer), "a");
		assert_int_equal(kernel_info_next(&at, &info), !longer);
		at = arena_printf(&arena, KERNEL "k" REST "%s", repeated(&arena, 'a', 255 + longer));
		assert_int_equal(kernel_info_next(&at, &info), !longer);
		at = arena_printf(&arena, ARGUMENT "k 0 local none %s - a", repeated(&arena, 't', 255 + longer));
		assert_int_equal(kernel_info_next(&at, &info), !longer);
		at = arena_printf(&arena, ARGUMENT "k 0 local none int - %s", repeated(&arena, 'n', 255 + longer));
		assert_int_equal(kernel_info_next(&at, &info), !longer);
	}
	arena_free(&arena);
}

/* Lines and what becomes of them, in both forms of pointers; null: the same. */
static void test_prepare(void **state)
{
	static const char *const pairs[][2] = {
		{"attributes #3 = { convergent nounwind }\n", "attributes #3 = { convergent nomerge nounwind }\n"},
		{"attributes #3 = { nounwind }\n", NULL},
		{"  %6 = addrspacecast i32 addrspace(3)* %5 to i32*, !dbg !9\n",
			"  %lockstep.cast.0 = addrspacecast i32 addrspace(3)* %5 to i32*, !dbg !9\n"
			"  %lockstep.null.0 = icmp eq i32 addrspace(3)* %5, null, !dbg !9\n"
			"  %6 = select i1 %lockstep.null.0, i32* null, i32* %lockstep.cast.0, !dbg !9\n"},
		{"  %6 = addrspacecast { i8, ptr } addrspace(1)* addrspace(3)* %5 to { i8, ptr } addrspace(1)**\n",
			"  %lockstep.cast.0 = addrspacecast { i8, ptr } addrspace(1)* addrspace(3)* %5 to { i8, ptr } "
			"addrspace(1)**\n"
			"  %lockstep.null.0 = icmp eq { i8, ptr } addrspace(1)* addrspace(3)* %5, null\n"
			"  %6 = select i1 %lockstep.null.0, { i8, ptr } addrspace(1)** null, { i8, ptr } "
			"addrspace(1)** %lockstep.cast.0\n"},
		{"  %x = addrspacecast ptr %p to ptr addrspace(3)\n",
			"  %lockstep.cast.0 = call ptr addrspace(3) asm \"cvta.to.shared.u64 $0, $1;\", \"=l,l\"(ptr "
			"%p) nounwind readnone\n"
			"  %lockstep.null.0 = icmp eq ptr %p, null\n"
			"  %x = select i1 %lockstep.null.0, ptr addrspace(3) null, ptr addrspace(3) "
			"%lockstep.cast.0\n"},
		{"  %x = addrspacecast ptr %p to ptr addrspace(1)\n",
			"  %x = call ptr addrspace(1) asm \"cvta.to.global.u64 $0, $1;\", \"=l,l\"(ptr %p) nounwind "
			"readnone\n"},
		{"  %x = addrspacecast ptr addrspace(1) %p to ptr\n", NULL},
		{"  %x = addrspacecast ptr addrspace(4) %p to ptr\n", NULL},
		{"  %x = addrspacecast i32 addrspace(3)* @v to i32*\n", NULL},
		{"  %x = addrspacecast <2 x i8 addrspace(3)*> %p to <2 x i8*>", NULL},
		{"  %x = addrspacecast ", NULL},
	};
	struct arena arena = {0};
	size_t length;
	(void)state;
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
		assert_string_equal(prepare_ir(&arena, pairs[k][0], &length), pairs[k][1] ? pairs[k][1] : pairs[k][0]);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prepare),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_option_words),
		cmocka_unit_test(test_metadata_lines),
		cmocka_unit_test(test_kernel_lines),
		cmocka_unit_test(test_metadata),
		cmocka_unit_test(test_no_attributes),
		cmocka_unit_test(test_bad_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
