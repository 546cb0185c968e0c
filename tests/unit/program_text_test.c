/* Names of the texts that OpenCL programs are built from, and what `lockstep run` is told of them. */
#include "host/opencl/program_text.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <cmocka.h>

static char told[1000];

void device_tell_source(const char *name, const char *text)
{
	size_t length = strlen(told);
	snprintf(told + length, sizeof told - length, "%s: %s\n", name, text);
}

static void each_text_has_a_name(void **state)
{
	char text[] = "one";
	(void)state;
	assert_string_equal(program_text_name(text), "program.cl");
	assert_string_equal(program_text_name("two"), "program-2.cl");
	text[0] = 'O'; /* what it was is known */
	assert_string_equal(program_text_name("one"), "program.cl");
	assert_string_equal(program_text_name(text), "program-3.cl");
	assert_string_equal(program_text_name("two"), "program-2.cl");
	assert_string_equal(told, "program.cl: one\nprogram-2.cl: two\nprogram-3.cl: One\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_text_has_a_name)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
