/* Policies that are formulas: retry delays, and the windows of control processors, each member from its own field. */
#include "model/model.h"
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct retry_policy *retry(const char *name)
{
	for (uint32_t k = 0; retry_at(k); k++)
		if (!strcmp(retry_at(k)->name, name))
			return retry_at(k);
	fail();
	return NULL;
}

static void retries_grow_to_the_limit(void **state)
{
	static const struct {
		uint32_t attempts, constant, linear, exponential;
	} rows[] = {{1, 10, 10, 10}, {2, 10, 20, 20}, {3, 10, 30, 40}, {4, 10, 40, 80}, {9, 10, 90, 95},
		{10, 10, 95, 95}, {32, 10, 95, 95}, {33, 10, 95, 95}, {UINT32_MAX, 10, 95, 95}};
	const struct retry_values values = {.unit = 10, .limit = 95}, narrow = {.unit = 10, .limit = 7};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		assert_int_equal(retry("constant")->delay(&values, rows[k].attempts), rows[k].constant);
		assert_int_equal(retry("linear")->delay(&values, rows[k].attempts), rows[k].linear);
		assert_int_equal(retry("exponential")->delay(&values, rows[k].attempts), rows[k].exponential);
		assert_int_equal(retry("constant")->delay(&narrow, rows[k].attempts), 7);
	}
}

static struct control_window window_of(const char *name, const struct gpu_model *model)
{
	struct control_window window;

	for (uint32_t k = 0; control_at(k); k++)
		if (!strcmp(control_at(k)->name, name)) {
			memset(&window, 0x5a, sizeof window);
			control_at(k)->size(model, &window);
			return window;
		}
	fail();
	return (struct control_window){0};
}

static void is_window(struct control_window w, uint32_t registers, uint32_t first)
{
	assert_true(w.overlaps);
	assert_int_equal(w.width, first);
	assert_int_equal(w.registers, registers);
	assert_int_equal(w.queue, first + 1);
	assert_int_equal(w.window, first + 2);
	assert_int_equal(w.loads, first + 3);
	assert_int_equal(w.stores, first + 4);
}

static void windows_are_as_their_fields_say(void **state)
{
	struct gpu_model m = {.control_architectural = 16,
		.control_light_ooo_2_registers = 50,
		.control_light_ooo_2_width = 10,
		.control_light_ooo_2_queue = 11,
		.control_light_ooo_2_window = 12,
		.control_light_ooo_2_loads = 13,
		.control_light_ooo_2_stores = 14,
		.control_ooo_2_registers = 60,
		.control_ooo_2_width = 20,
		.control_ooo_2_queue = 21,
		.control_ooo_2_window = 22,
		.control_ooo_2_loads = 23,
		.control_ooo_2_stores = 24,
		.control_ooo_4_registers = 70,
		.control_ooo_4_width = 30,
		.control_ooo_4_queue = 31,
		.control_ooo_4_window = 32,
		.control_ooo_4_loads = 33,
		.control_ooo_4_stores = 34};

	(void)state;
	is_window(window_of("light-ooo-2", &m), 34, 10);
	is_window(window_of("ooo-2", &m), 44, 20);
	is_window(window_of("ooo-4", &m), 54, 30);
	assert_false(window_of("simple", &m).overlaps);
	/* one remains where the architectural ones take all */
	m.control_architectural = 70;
	is_window(window_of("light-ooo-2", &m), 1, 10);
	is_window(window_of("ooo-2", &m), 1, 20);
	is_window(window_of("ooo-4", &m), 1, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(retries_grow_to_the_limit),
		cmocka_unit_test(windows_are_as_their_fields_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
