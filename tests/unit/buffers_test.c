/* What buffers hold at first: zero, fill, iota, random by the contract's formula, files of exactly the right size. */
#include "cli/buffers.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;

static struct argument buffer_of(const char *text)
{
	struct diagnostic diagnostic = {0};
	struct argument argument;
	assert_true(argument_read(&arena, text, &argument, &diagnostic));
	return argument;
}

/* Fills a buffer so described; the message is "" when it went well. */
static const void *filled(const char *text, const char *message)
{
	struct argument argument = buffer_of(text);
	struct diagnostic diagnostic = {0};
	void *memory = arena_alloc(&arena, argument.count * argument.type->bytes);
	assert_int_equal(buffer_fill(&argument, memory, &diagnostic), !*message);
	assert_string_equal(diagnostic.message, message);
	return memory;
}

static void constants(void **state)
{
	(void)state;
	const uint8_t *bytes = filled("buf:a:u8:300:iota", "");
	assert_true(bytes[0] == 0 && bytes[255] == 255 && bytes[299] == 43);
	const float *floats = filled("buf:a:f32:5:iota", "");
	assert_true(floats[0] == 0 && floats[4] == 4);
	const double *many = filled("buf:a:f64:600:iota", ""); /* more than are made at a time */
	for (int k = 0; k < 600; k++)
		assert_true(many[k] == k);
	const uint64_t *words = filled("buf:a:u64:3:fill=-1", "");
	assert_true(words[2] == UINT64_MAX);
	const int32_t *zeros = filled("buf:a:s32:3", "");
	assert_true(!zeros[0] && !zeros[2]);
	const uint16_t *halves = filled("buf:a:f16:2:fill=0.1", "");
	assert_int_equal(halves[1], 0x2e66);
}

static void random_values(void **state)
{
	(void)state;
	uint64_t seed = 42;
	const uint32_t *plain = filled("buf:a:u32:4:random=42", "");
	for (int k = 0; k < 4; k++)
		assert_int_equal(plain[k], (uint32_t)splitmix64(&seed));
	seed = 42;
	const int8_t *narrow = filled("buf:a:s8:100:random=42,-3,4", "");
	for (int k = 0; k < 100; k++)
		assert_int_equal(narrow[k], -3 + (int)(splitmix64(&seed) % 7));
	seed = 9;
	const double *doubles = filled("buf:a:f64:100:random=9,-1,3", "");
	for (int k = 0; k < 100; k++) {
		double draw = (double)(splitmix64(&seed) >> 11);
		assert_true(doubles[k] == -1 + (3 - -1.0) * draw / 9007199254740992.0);
	}
	const double *many = filled("buf:a:f64:600:random=9,-1,3", ""); /* more than are made at a time */
	const float *floats = filled("buf:a:f32:600:random=9,-1,3", "");
	for (int k = 0; k < 600; k++)
		assert_true(floats[k] == (float)many[k] && (k >= 100 || many[k] == doubles[k]));
	const int64_t *wide = filled("buf:a:s64:50:random=1,-9223372036854775808,9223372036854775807", "");
	bool negative = false, positive = false;
	for (int k = 0; k < 50; k++) {
		negative |= wide[k] < 0;
		positive |= wide[k] > 0;
	}
	assert_true(negative && positive);
}

static void files(void **state)
{
	(void)state;
	char path[] = "/tmp/lockstep-buffer-XXXXXX";
	int file = mkstemp(path);
	assert_int_equal(write(file, "\1\2\3\4\5\6\7\10", 8), 8);
	close(file);
	const uint16_t *words = filled(arena_printf(&arena, "buf:a:u16:4:file=%s", path), "");
	assert_true(words[0] == 0x0201 && words[3] == 0x0807);
	filled(arena_printf(&arena, "buf:a:u16:5:file=%s", path),
		arena_printf(&arena, "%s: has 8 bytes, expected 10: 5 values of u16 for buffer 'a'", path));
	filled(arena_printf(&arena, "buf:a:u16:3:file=%s", path),
		arena_printf(&arena, "%s: has more than 6 bytes, expected 6: 3 values of u16 for buffer 'a'", path));
	unlink(path);
	filled(arena_printf(&arena, "buf:a:u16:3:file=%s", path),
		arena_printf(&arena, "%s: cannot open: No such file or directory", path));
	filled("buf:a:u16:3:file=/tmp", "/tmp: cannot read: Is a directory");
}

/* Whether so many arguments and dumps go together. */
static bool go_together(const struct argument *arguments, uint32_t count, const struct dump *dumps, uint32_t dump_count,
	struct diagnostic *diagnostic)
{
	struct options options = {.arena = &arena};
	for (uint32_t k = 0; k < count; k++)
		*vector_push(&arena, &options.arguments) = arguments[k];
	for (uint32_t k = 0; k < dump_count; k++)
		*vector_push(&arena, &options.dumps) = dumps[k];
	return buffers_check(&options, diagnostic);
}

static void names(void **state)
{
	(void)state;
	const struct argument arguments[] = {buffer_of("buf:a:u32:8"), buffer_of("u32:1"), buffer_of("ref:a"),
		buffer_of("buf:a:u32:8"), buffer_of("ref:b")};
	const struct dump inside = {.name = "a", .first = 4, .count = 4},
			  outside = {.name = "a", .first = 4, .count = 5}, unknown = {.name = "z", .whole = true},
			  twice[] = {inside, inside};
	static const struct {
		uint32_t count;
		const char *message;
	} rows[] = {
		{3, ""},
		{4, "--arg buf:a:u32:8: there is a buffer 'a' already, expected another name or ref:a"},
	};
	for (size_t k = 0; k < 2; k++) {
		struct diagnostic diagnostic = {0};
		assert_int_equal(go_together(arguments, rows[k].count, &inside, 1, &diagnostic), !*rows[k].message);
		assert_string_equal(diagnostic.message, rows[k].message);
	}
	struct diagnostic diagnostic = {0};
	assert_false(go_together(arguments + 4, 1, NULL, 0, &diagnostic));
	assert_string_equal(
		diagnostic.message, "ref:b: there is no buffer 'b', expected one named by an earlier --arg buf:");
	diagnostic = (struct diagnostic){0};
	assert_false(go_together(arguments, 1, &outside, 1, &diagnostic));
	assert_string_equal(
		diagnostic.message, "--dump a:4:5: is not within the buffer, expected FIRST + COUNT to be at most 8");
	diagnostic = (struct diagnostic){0};
	assert_false(go_together(arguments, 1, &unknown, 1, &diagnostic));
	diagnostic = (struct diagnostic){0};
	assert_false(go_together(arguments, 1, twice, 2, &diagnostic));
	assert_string_equal(diagnostic.message, "--dump a: given twice, expected a buffer once");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants),
		cmocka_unit_test(random_values),
		cmocka_unit_test(files),
		cmocka_unit_test(names),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&arena);
	return failed;
}
