/* The names of CUDA's device runtime: what is offered, what is known and not offered, and what is none of it; its
 * errors. */
#include "util/device_runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool has(const char *name)
{
	return device_runtime_has(name, strlen(name));
}

static void what_is_offered_has_four_names(void **state)
{
	(void)state;
	static const char *const names[] = {
		"cudaMemcpyAsync", "cudaMemcpyAsync_ptsz", "__cudaCDP2MemcpyAsync", "__cudaCDP2MemcpyAsync_ptsz"};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		assert_non_null(device_runtime_find(names[k]));
		assert_int_equal(device_runtime_find(names[k])->call, DEVICE_COPY);
		assert_true(has(names[k]));
	}
	assert_int_equal(device_runtime_find("__cudaDeviceSynchronizeDeprecationAvoidance")->call, DEVICE_WAIT);
	assert_int_equal(device_runtime_find("__cudaCDP2DeviceSynchronize")->call, DEVICE_WAIT);
}

static void what_is_not_offered_is_known(void **state)
{
	(void)state;
	static const char *const names[] = {"cudaGraphLaunch", "cudaMemset3DAsync", "cudaMemset3DAsync_ptsz",
		"__cudaCDP2GraphLaunch", "__cuda_syscall_cnpGetLastError", "cnpDeviceSynchronize"};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		assert_null(device_runtime_find(names[k]));
		assert_true(has(names[k]));
	}
}

/* Names as long as known ones, and parts of them. */
static void another_function_is_none(void **state)
{
	(void)state;
	static const char *const names[] = {"cudaGraphLaunder", "cudaGraphlaunch", "cudaMemset2DAsynd",
		"cudaGraphLaunc", "cudaGraphLaunchX", "cudaMemcpyAsynd", "cudaMemcpy", "__cudaMemcpyAsync", "_ptsz",
		"work", "", "__cudaDeviceSynchronizeDeprecationAvoidancf"};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		assert_null(device_runtime_find(names[k]));
		assert_false(has(names[k]));
	}
	assert_true(device_runtime_has("cudaGraphLaunch(", strlen("cudaGraphLaunch")));
}

static void an_error_has_a_name_and_a_text(void **state)
{
	(void)state;
	static const struct {
		uint32_t code;
		const char *name, *text;
	} errors[] = {{0, "cudaSuccess", "no error"}, {2, "cudaErrorMemoryAllocation", "out of memory"},
		{801, "cudaErrorNotSupported", "operation not supported"},
		{4711, "unrecognized error code", "unrecognized error code"}};
	for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
		assert_string_equal(device_error_name(errors[k].code), errors[k].name);
		assert_string_equal(device_error_text(errors[k].code), errors[k].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_offered_has_four_names),
		cmocka_unit_test(what_is_not_offered_is_known),
		cmocka_unit_test(another_function_is_none),
		cmocka_unit_test(an_error_has_a_name_and_a_text),
	};
	return cmocka_run_group_tests_name("device_runtime", tests, NULL, NULL);
}
