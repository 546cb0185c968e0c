/* Values by what people write for them, of tests/unit/debug/variables.cu, whose memory is made up here. */
#include "debug/variable_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static const struct variables *variables;
static const struct ptx_function *function;
static uint32_t instruction;

static int start(void **state)
{
	struct diagnostic diagnostic = {0};
	const char *text = text_try_file(&arena, LOCKSTEP_SOURCE_DIR "/tests/unit/debug/nvcc.ptx");
	const struct ptx_module *module = text ? ptx_parse(&arena, "t.ptx", text, &diagnostic) : NULL;

	(void)state;
	assert_non_null(module);
	variables = variables_read(&arena, module);
	function = ptx_find_function(module, "variables");
	while (function->code.at[instruction].loc.line != 53)
		instruction++;
	return 0;
}

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* A struct node as the kernel has it. */
static const struct node {
	int key;
	float weight[3];
	uint32_t bits;
	uint64_t next;
} first = {41, {0.5f, 1, 2}, 5 | 99u << 3, 0x2000}, second = {42, {3, 4, 5}, 0, 0};

/* Of which `mine` is the first, in the depot; the second lies at the address that the first has; `out` points to
 * numbers at 0x1000; the registers hold 7. */
static bool read(void *context, const struct variable_place *place, uint8_t *to, size_t length, const char **why)
{
	static const int32_t numbers[8] = {10, 11, 12, 13, 14, 15, 16, 17};
	static const uint64_t out = 0x1000;
	const uint8_t *from = NULL;
	size_t bytes = 0;

	assert_null(context);
	if (place->where == VARIABLE_REGISTER)
		memset(to, 7, length);
	else if (place->where == VARIABLE_ADDRESS && place->offset - 0x1000 < sizeof numbers)
		from = (const uint8_t *)numbers + (place->offset - 0x1000), bytes = sizeof numbers;
	else if (place->where == VARIABLE_ADDRESS && place->offset - 0x2000 < sizeof second)
		from = (const uint8_t *)&second + (place->offset - 0x2000), bytes = sizeof second;
	else if (place->where == VARIABLE_MEMORY && place->space == space_PARAM)
		from = (const uint8_t *)&out, bytes = sizeof out;
	else if (place->where == VARIABLE_MEMORY && place->space == space_LOCAL && place->offset >= 32)
		from = (const uint8_t *)&first + (place->offset - 32), bytes = sizeof first;
	else
		*why = "nothing is there";
	if (from && length <= bytes)
		memcpy(to, from, length);
	return place->where == VARIABLE_REGISTER || from;
}

static const char *printed(const char *words)
{
	const struct variable_reader reader = {.read = read};
	struct diagnostic diagnostic = {0};
	struct variable_value value;
	struct text out = {.arena = &arena};

	if (!variable_find_path(variables, function, instruction, words, &reader, &value, &diagnostic) ||
		!variable_print_value(&out, &value, &reader, &(struct variable_style){0}, &diagnostic))
		return arena_text(&arena, diagnostic.message);
	return out.at;
}

static void reads_paths(void **unused)
{
	(void)unused;
	assert_string_equal(printed("mine"), "{key = 41, weight = {0.5, 1, 2}, low = 5, high = 99, next = 0x2000}");
	assert_string_equal(printed("mine.weight[2]"), "2");
	assert_string_equal(printed("mine.high"), "99");
	assert_string_equal(printed("mine.next->key"), "42");
	assert_string_equal(printed(" *mine.next "), "{key = 42, weight = {3, 4, 5}, low = 0, high = 0, next = 0x0}");
	assert_string_equal(printed("mine . next -> weight [1]"), "4");
	assert_string_equal(printed("*out"), "10");
	assert_string_equal(printed("out[5]"), "15");
	assert_string_equal(printed("%r1"), "117901063");
}

static void refuses_paths(void **unused)
{
	(void)unused;
	assert_string_equal(printed(""), "expected the name of a variable or a register");
	assert_string_equal(printed("min"), "unknown variable 'min', did you mean 'mine'?");
	assert_string_equal(printed("mine.kez"), "a 'struct node' has no member 'kez'");
	assert_string_equal(printed("mine.key.x"), "a 'int' has no member 'x'");
	assert_string_equal(printed("mine.weight[3]"), "a 'float [3]' has no element 3");
	assert_string_equal(printed("mine.weight[x]"), "expected a number and ']', found 'x]'");
	assert_string_equal(printed("mine.weight[1"), "expected a number and ']', found '1'");
	assert_string_equal(printed("mine[1]"), "a 'struct node' has no elements");
	assert_string_equal(printed("*mine"), "a 'struct node' is no pointer");
	assert_string_equal(printed("mine->key"), "a 'struct node' is no pointer");
	assert_string_equal(printed("mine.next->next->key"), "it cannot be read: nothing is there");
	assert_string_equal(printed("mine+1"), "expected '.', '->' or '[', found '+1'");
	assert_string_equal(printed("counter"), "it cannot be read: nothing is there");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_paths),
		cmocka_unit_test(refuses_paths),
	};
	return cmocka_run_group_tests(tests, start, finish);
}
