/* The bytes that a wavefront stores that yields, against paper 5: 856, and its registers (section 7, Table 3). */
#include "machine/lsu/yield.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Kernels of Table 3: "s" registers have 4 bytes a lane, "d" 8, "c" a bit. */
static uint32_t bytes(uint32_t s, uint32_t d, uint32_t c)
{
	return yield_state_bytes(64, s + 2 * d, c);
}

static void test_table_3(void **state)
{
	(void)state;
	assert_int_equal(bytes(16, 8, 3), 9072); /* Queens: "in the worst case, 9,072 bytes" */
	assert_int_equal(bytes(16, 8, 2), 856 + 16 * 256 + 8 * 512 + 2 * 8);
	assert_int_equal(bytes(3, 4, 1), 856 + 3 * 256 + 4 * 512 + 8);
	assert_int_equal(yield_state_bytes(32, 0, 0), 856);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_3)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
