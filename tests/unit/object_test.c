/* What lies at an address, as findings name it: variables of shared memory, buffers, what has no name. */
#include "api/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

/* The name of a variable of shared memory in the text of the address of its third byte, which lies behind 8 others. */
static void check_variable(const char *name, const char *shown)
{
	struct diagnostic diagnostic = {0};
	struct ptx_module *module = ptx_parse(&arena, "k.ptx",
		arena_printf(&arena,
			".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
			".shared .align 8 .b8 first[8]; .shared .align 8 .b8 %s[4];\n"
			".reg .b32 %%v; ld.shared.u8 %%v, [first]; ld.shared.u8 %%v, [%s]; exit;\n}\n",
			name, name),
		&diagnostic);
	const struct kernel *kernel;
	uint64_t at;

	assert_string_equal(diagnostic.message, "");
	kernel = kernel_decode(&arena, module, ptx_find_function(module, "k"), 32, &diagnostic);
	assert_non_null(kernel);
	at = kernel->shared.first + 10;
	assert_string_equal(api_object(&arena, NULL, kernel, space_SHARED, at),
		arena_printf(&arena, "shared memory + 0x%x ('%s' + 0x2)", (unsigned)at, shown));
	assert_string_equal(api_object(&arena, NULL, kernel, space_SHARED, at + 2),
		arena_printf(&arena, "shared memory + 0x%x", (unsigned)at + 2));
	assert_string_equal(api_object(&arena, NULL, kernel, space_SHARED, at - 3),
		arena_printf(&arena, "shared memory + 0x%x ('first' + 0x7)", (unsigned)at - 3));
}

/* Those of a function have its name in theirs. */
static void variables_have_the_names_of_the_source(void **state)
{
	(void)state;
	check_variable("box", "box");
	check_variable("loop_$_tile", "tile");
	check_variable("a_$_b_$_c", "b_$_c");
	check_variable("_ZZ4loopPiE4tile", "tile");
	check_variable("_ZZ4loopPiE11a_long_name", "a_long_name");
	check_variable("_ZZN1E4EachEvE5Every", "Every");
	check_variable("_ZZ4loopPiE4tiles", "_ZZ4loopPiE4tiles"); /* the length is not that of what follows */
	check_variable("_ZZ4loopPiE5tile", "_ZZ4loopPiE5tile");
	check_variable("_ZZ4loopPi", "_ZZ4loopPi");
	check_variable("_ZZ4loopPiE0", "_ZZ4loopPiE0");
	check_variable("_Z4loopE4tile", "_Z4loopE4tile"); /* of no function */
	check_variable("SIZE4tile", "SIZE4tile");
}

static void global_memory_has_the_names_of_buffers(void **state)
{
	struct lockstep_error error = {0};
	struct lockstep *gpu =
		lockstep_open(&(struct lockstep_options){.size = sizeof(struct lockstep_options)}, &error);
	uint64_t named = lockstep_allocate(gpu, 64, "out"), nameless = lockstep_allocate(gpu, 64, NULL);

	(void)state;
	assert_string_equal(api_object(&arena, gpu, NULL, space_GLOBAL, named + 63),
		arena_printf(&arena, "0x%llx (buf 'out' + 0x3f)", (unsigned long long)named + 63));
	assert_string_equal(api_object(&arena, gpu, NULL, space_GLOBAL, nameless),
		arena_printf(&arena, "0x%llx (an allocation + 0x0)", (unsigned long long)nameless));
	assert_string_equal(api_object(&arena, gpu, NULL, space_GLOBAL, 0x10), "0x10");
	assert_string_equal(api_object(&arena, gpu, NULL, space_LOCAL, 0x1c), "local memory + 0x1c");
	lockstep_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_have_the_names_of_the_source),
		cmocka_unit_test(global_memory_has_the_names_of_buffers),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_free(&arena);
	return failed;
}
