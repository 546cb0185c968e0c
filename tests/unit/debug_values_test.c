/* Values of a type as text. */
#include "debug/variables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const struct variable_type of_int = {.kind = VARIABLE_INTEGER, .is_signed = true, .name = "int", .bytes = 4};
static const struct variable_type of_byte = {.kind = VARIABLE_INTEGER, .name = "unsigned char", .bytes = 1};
static const struct variable_type of_char = {.kind = VARIABLE_CHARACTER, .is_signed = true, .name = "char", .bytes = 1};
static const struct variable_type of_half = {.kind = VARIABLE_FLOAT, .name = "half", .bytes = 2};
static const struct variable_type of_float = {.kind = VARIABLE_FLOAT, .name = "float", .bytes = 4};
static const struct variable_type of_double = {.kind = VARIABLE_FLOAT, .name = "double", .bytes = 8};
static const struct variable_type of_pointer = {.kind = VARIABLE_POINTER, .name = "int *", .bytes = 8, .of = &of_int};

static const char *printed(const struct variable_type *type, const void *bytes, size_t length)
{
	struct text out = {.arena = &arena};

	variable_print(&out, type, bytes, length, &(struct variable_style){.elements = 4});
	return out.at;
}

#define PRINTED(type, value) printed(&(type), &(value), sizeof(value))

static void prints_scalars(void **unused)
{
	(void)unused;
	int32_t minus = -7;
	uint8_t byte = 200;
	char a = 'a', low = 1;
	float tenth = 0.1f, nan = __builtin_nanf("");
	double third = 1.0 / 3, large = 1e300;
	uint16_t half = 0x3e00, tiny = 1, infinite = 0xfc00;
	uint64_t address = 0x10001300;

	assert_string_equal(PRINTED(of_int, minus), "-7");
	assert_string_equal(PRINTED(of_byte, byte), "200");
	assert_string_equal(PRINTED(of_char, a), "97 'a'");
	assert_string_equal(PRINTED(of_char, low), "1");
	assert_string_equal(PRINTED(of_float, tenth), "0.1");
	assert_string_equal(PRINTED(of_float, nan), "nan");
	assert_string_equal(PRINTED(of_double, third), "0.3333333333333333");
	assert_string_equal(PRINTED(of_double, large), "1e+300");
	assert_string_equal(PRINTED(of_half, half), "1.5");
	assert_string_equal(PRINTED(of_half, tiny), "6e-08");
	assert_string_equal(PRINTED(of_half, infinite), "-inf");
	assert_string_equal(PRINTED(of_pointer, address), "0x10001300");
	struct text out = {.arena = &arena};
	variable_print(&out, &of_int, (const uint8_t *)&minus, 4, &(struct variable_style){.hexadecimal = true});
	assert_string_equal(out.at, "0xfffffff9");
}

static void prints_arrays(void **unused)
{
	(void)unused;
	const struct variable_type row = {
		.kind = VARIABLE_ARRAY, .name = "int [3]", .bytes = 12, .of = &of_int, .count = 3};
	const struct variable_type table = {
		.kind = VARIABLE_ARRAY, .name = "int [2][3]", .bytes = 24, .of = &row, .count = 2};
	const struct variable_type many = {
		.kind = VARIABLE_ARRAY, .name = "int [6]", .bytes = 24, .of = &of_int, .count = 6};
	const struct variable_type word = {
		.kind = VARIABLE_ARRAY, .name = "char [4]", .bytes = 4, .of = &of_char, .count = 4};
	const int32_t numbers[6] = {1, 2, 3, 4, 5, 6};

	assert_string_equal(PRINTED(table, numbers), "{{1, 2, 3}, {4, 5, 6}}");
	assert_string_equal(PRINTED(many, numbers), "{1, 2, 3, 4, ...}");
	assert_string_equal(printed(&word, "abc", 4), "\"abc\"");
	assert_string_equal(printed(&word, "abcd", 4), "{97 'a', 98 'b', 99 'c', 100 'd'}");
	/* what is not there is not read */
	assert_string_equal(printed(&table, numbers, 17), "{{1, 2, 3}, {4, ?, ?}}");
	assert_string_equal(printed(&table, NULL, 0), "{{?, ?, ?}, {?, ?, ?}}");
}

static void prints_structs(void **unused)
{
	(void)unused;
	struct variable_enumerator colours[] = {{"RED", 0}, {"GREEN", 5}};
	const struct variable_type colour = {.kind = VARIABLE_ENUM,
		.name = "enum colour",
		.bytes = 4,
		.enumerators = colours,
		.enumerator_count = 2};
	struct variable_member members[] = {{.name = "key", .type = &of_int},
		{.name = "low", .type = &of_byte, .offset = 4, .first_bit = 0, .bit_count = 3},
		{.name = "high", .type = &of_int, .offset = 4, .first_bit = 3, .bit_count = 7},
		{.name = "paint", .type = &colour, .offset = 8}, {.name = "", .type = &of_int, .offset = 12}};
	const struct variable_type node = {
		.kind = VARIABLE_STRUCT, .name = "struct node", .bytes = 16, .members = members, .member_count = 5};
	const uint32_t words[4] = {41, 5 | 127 << 3, 5, 6};

	assert_string_equal(PRINTED(node, words), "{key = 41, low = 5, high = -1, paint = GREEN, 6}");
	assert_string_equal(printed(&node, words, 5), "{key = 41, low = 5, high = ?, paint = ?, ?}");
	assert_string_equal(PRINTED(colour, words[0]), "41");
	assert_string_equal(PRINTED(colour, words[2]), "GREEN");
}

/* As malformed sections make them: of opaque bytes, of a size that is not known, within itself. */
static void prints_what_is_not_known(void **unused)
{
	(void)unused;
	const struct variable_type opaque = {.kind = VARIABLE_OPAQUE, .name = "?", .bytes = 3};
	const struct variable_type nothing = {.kind = VARIABLE_VOID, .name = "void"};
	struct variable_type circle = {.kind = VARIABLE_STRUCT, .name = "struct circle", .bytes = 8};
	struct variable_member members[] = {{.name = "a", .type = &circle}, {.name = "b", .type = &circle}};

	circle.members = members;
	circle.member_count = 2;
	assert_string_equal(printed(&opaque, "\1\2\3", 3), "0x010203");
	assert_string_equal(printed(&opaque, "\1", 1), "0x01????");
	assert_string_equal(printed(&nothing, NULL, 0), "?");
	assert_true(strlen(printed(&circle, "12345678", 8)) < 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(prints_scalars, finish),
		cmocka_unit_test_teardown(prints_arrays, finish),
		cmocka_unit_test_teardown(prints_structs, finish),
		cmocka_unit_test_teardown(prints_what_is_not_known, finish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
