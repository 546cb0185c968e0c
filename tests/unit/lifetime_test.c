/* What is no longer needed goes: modules with their variables, results. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A megabyte of variables, one of them with a value. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".global .align 4 .b8 large[1048576];\n"
			  ".global .u32 value = 42;\n"
			  ".const .u32 constant = 5;\n"
			  ".visible .entry take(.param .u64 out) {\n"
			  " .reg .b64 %a; .reg .b32 %v, %c;\n"
			  " ld.param.u64 %a, [out];\n"
			  " ld.global.u32 %v, [value]; ld.const.u32 %c, [constant]; add.u32 %v, %v, %c;\n"
			  " st.global.u32 [value], %v; st.global.u32 [large], %v; st.global.u32 [%a], %v; ret;\n}\n";

static struct lockstep *open_gpu(void)
{
	struct lockstep_error error;
	const char *settings[] = {"memory.size=4", NULL};
	struct lockstep_options options = {.size = sizeof options, .settings = settings};
	struct lockstep *gpu = lockstep_open(&options, &error);

	assert_non_null(gpu);
	return gpu;
}

static uint32_t take(struct lockstep *gpu, struct lockstep_module *module, uint64_t out)
{
	struct lockstep_error error;
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.parameters = &out,
		.parameter_bytes = sizeof out};
	const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);
	uint32_t got = 0;

	assert_non_null(result);
	assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	assert_true(lockstep_read(gpu, &got, out, sizeof got, &error));
	return got;
}

/* Four megabytes hold three such modules: forty come and go, each with fresh variables. */
static void modules_give_their_variables_back(void **state)
{
	struct lockstep *gpu = open_gpu();
	uint64_t out = lockstep_allocate(gpu, 4, "out");
	struct lockstep_module *stays;
	struct lockstep_error error;

	(void)state;
	stays = lockstep_load(gpu, "stays.ptx", ptx, &error);
	assert_non_null(stays);
	for (int k = 0; k < 40; k++) {
		struct lockstep_module *module = lockstep_load(gpu, "goes.ptx", ptx, &error);

		assert_non_null(module);
		assert_int_equal(take(gpu, module, out), 47);
		lockstep_unload(module);
	}
	assert_int_equal(take(gpu, stays, out), 47);
	assert_int_equal(take(gpu, stays, out), 52);
	lockstep_close(gpu);
}

/* What did not fit leaves nothing behind. */
static void a_module_that_does_not_fit(void **state)
{
	struct lockstep *gpu = open_gpu();
	struct lockstep_error error;
	struct lockstep_module *modules[8];
	int count = 0;

	(void)state;
	while (count < 8 && (modules[count] = lockstep_load(gpu, "some.ptx", ptx, &error)))
		count++;
	assert_in_range(count, 2, 4);
	assert_non_null(strstr(error.message, "no room for variable large"));
	lockstep_unload(modules[0]);
	modules[0] = lockstep_load(gpu, "some.ptx", ptx, &error);
	assert_non_null(modules[0]);
	lockstep_close(gpu);
}

static void results_are_forgotten(void **state)
{
	struct lockstep *gpu = open_gpu();
	uint64_t out = lockstep_allocate(gpu, 4, "out");
	struct lockstep_error error;
	struct lockstep_module *module = lockstep_load(gpu, "some.ptx", ptx, &error);

	(void)state;
	for (int k = 0; k < 4; k++)
		take(gpu, module, out);
	assert_int_equal(lockstep_result_count(gpu), 4);
	lockstep_forget(gpu, lockstep_result(gpu, 1));
	assert_int_equal(lockstep_result_count(gpu), 3);
	assert_int_equal(lockstep_result(gpu, 0)->number, 1);
	assert_int_equal(lockstep_result(gpu, 1)->number, 3);
	lockstep_unload(module); /* results outlive it */
	assert_string_equal(lockstep_result(gpu, 2)->kernel, "take");
	lockstep_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_give_their_variables_back),
		cmocka_unit_test(a_module_that_does_not_fit),
		cmocka_unit_test(results_are_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
