/* compile/: what is prepared before LLVM's passes, options, kernel information from LLVM's code and back, what bad
 * lines and bad options get. */
#include "compile/compile.h"
#include "compile/kernel_info.h"
#include "compile/metadata.h"
#include "compile/prepare.h"

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
		cmocka_unit_test(test_metadata),
		cmocka_unit_test(test_no_attributes),
		cmocka_unit_test(test_bad_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
