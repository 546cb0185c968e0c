/* Names of architectures, and which GPUs run code for them. */
#include "util/architecture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void names(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct architecture expected; /* 0: it is none */
	} rows[] = {
		{"sm_75", {75, 0}},
		{"sm_90a", {90, 'a'}},
		{"sm_120f", {120, 'f'}},
		{"sm_", {0, 0}},
		{"sm_90b", {0, 0}},
		{"sm_90aa", {0, 0}},
		{"sm_a", {0, 0}},
		{"compute_90", {0, 0}},
		{"", {0, 0}},
		{"sm_99999999999", {0, 0}},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct architecture a;
		assert_int_equal(architecture_read(rows[k].name, &a), rows[k].expected.number != 0);
		if (rows[k].expected.number)
			assert_true(a.number == rows[k].expected.number && a.variant == rows[k].expected.variant);
	}
}

static void devices(void **state)
{
	(void)state;
	static const struct {
		struct architecture architecture;
		uint32_t capability;
		bool runs;
	} rows[] = {
		{{80, 0}, 75, false},
		{{80, 0}, 80, true},
		{{80, 0}, 121, true},
		{{90, 'a'}, 89, false},
		{{90, 'a'}, 90, true},
		{{90, 'a'}, 100, false},
		{{120, 'f'}, 110, false},
		{{120, 'f'}, 120, true},
		{{120, 'f'}, 121, true},
		{{120, 'f'}, 130, false},
		{{121, 'f'}, 120, false},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		assert_int_equal(architecture_runs_on(rows[k].architecture, rows[k].capability), rows[k].runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(devices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
