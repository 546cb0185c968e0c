/* Text: files, numbers at their limits, nearest names, the growing buffer, the random source. */
#include "util/demangle.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char folder[] = "/tmp/lockstep-text-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	arena_free(&arena);
	return rmdir(folder); /* fails, as it should, when a test or a temporary left a file behind */
}

static char *in_folder(const char *name)
{
	return arena_printf(&arena, "%s/%s", folder, name);
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	char *path = in_folder("data");
	size_t sizes[] = {0, 1, 4095, 4096, 100000};
	char *data = arena_alloc(&arena, 100000);
	for (size_t i = 0; i < 100000; i++)
		data[i] = (char)(i * 7 + i / 256);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t length = 99;
		assert_true(text_write_file(path, data, sizes[i], &diagnostic));
		char *read = text_read_file(&arena, path, &length, &diagnostic);
		assert_non_null(read);
		assert_int_equal(length, sizes[i]);
		assert_memory_equal(read, data, length);
		assert_int_equal(read[length], 0);
	}
	struct stat status;
	mode_t mask = umask(0);
	umask(mask);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
	assert_false(diagnostic.failed);
	unlink(path);
}

static void reading_a_pipe_needs_no_size(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	int ends[2];
	char data[30000];
	memset(data, 'x', sizeof data);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], data, sizeof data), sizeof data);
	close(ends[1]);
	size_t length = 0;
	char *read = text_read_file(&arena, arena_printf(&arena, "/dev/fd/%d", ends[0]), &length, &diagnostic);
	assert_non_null(read);
	assert_int_equal(length, sizeof data);
	assert_memory_equal(read, data, length);
	close(ends[0]);
}

static void symbolic_links_and_devices_stay(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	char *target = in_folder("target"), *link = in_folder("link");
	assert_true(text_write_file(target, "old", 3, &diagnostic));
	assert_int_equal(symlink("target", link), 0);
	assert_true(text_write_file(link, "new", 3, &diagnostic));
	size_t length = 0;
	assert_string_equal(text_read_file(&arena, target, &length, &diagnostic), "new");
	struct stat status;
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_true(text_write_file("/dev/null", "new", 3, &diagnostic));
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	/* A link to nothing: its target is made, unless it cannot be. */
	unlink(target);
	assert_true(text_write_file(link, "newer", 5, &diagnostic));
	assert_string_equal(text_read_file(&arena, target, &length, &diagnostic), "newer");
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	unlink(link);
	unlink(target);
	assert_int_equal(symlink("nowhere/target", link), 0);
	assert_false(text_write_file(link, "newest", 6, &diagnostic));
	assert_int_equal(lstat(link, &status), 0);
	unlink(link);
}

/* Names and words may have any bytes; a message is one line, and tells a terminal nothing. */
static void control_characters_are_escaped(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	diagnose(&diagnostic, (struct place){.file = "a\x1b[31m\nb", .line = 3}, "'%s' \xc3\xa9", "\x7f\t");
	assert_string_equal(diagnostic.message, "a\\x1b[31m\\x0ab:3: '\\x7f\\x09' \xc3\xa9");
	char longest[3000];
	memset(longest, '\n', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	diagnostic = (struct diagnostic){0};
	diagnose(&diagnostic, (struct place){0}, "%s", longest);
	assert_null(strchr(diagnostic.message, '\n'));
	assert_in_range(strlen(diagnostic.message), 1000, sizeof diagnostic.message - 1);
}

static void files_that_cannot_be_used_are_errors(void **state)
{
	(void)state;
	size_t length;
	struct diagnostic absent = {0}, directory = {0}, unwritable = {0}, onto_directory = {0};
	assert_null(text_read_file(&arena, "/nonexistent/a.ptx", &length, &absent));
	assert_string_equal(absent.message, "/nonexistent/a.ptx: cannot open: No such file or directory");
	assert_null(text_read_file(&arena, "/tmp", &length, &directory));
	assert_string_equal(directory.message, "/tmp: cannot read: Is a directory");
	assert_false(text_write_file("/nonexistent/a.json", "x", 1, &unwritable));
	assert_string_equal(unwritable.message, "/nonexistent/a.json: cannot write: No such file or directory");
	assert_false(text_write_file("/tmp", "x", 1, &onto_directory));
	assert_true(onto_directory.failed);
}

static void unsigned_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{"0", 0},
		{"007", 7},
		{"42", 42},
		{"18446744073709551615", UINT64_MAX},
		{"0x0", 0},
		{"0xdeadBEEF", 0xdeadbeef},
		{"0XffffFFFFffffFFFF", UINT64_MAX},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		uint64_t value = 99;
		assert_true(text_to_u64(good[i].text, &value));
		assert_int_equal(value, good[i].value);
	}
	static const char *const bad[] = {"", "0x", "-1", "+1", " 1", "1 ", "1x", "a", "0xg", "1.0", "1e3",
		"18446744073709551616", "99999999999999999999", "0x10000000000000000"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t value = 99;
		assert_false(text_to_u64(bad[i], &value));
		assert_int_equal(value, 99);
	}
}

static void signed_numbers(void **state)
{
	(void)state;
	int64_t value;
	assert_true(text_to_s64("-1", &value) && value == -1);
	assert_true(text_to_s64("-0x10", &value) && value == -16);
	assert_true(text_to_s64("9223372036854775807", &value) && value == INT64_MAX);
	assert_true(text_to_s64("-9223372036854775808", &value) && value == INT64_MIN);
	assert_false(text_to_s64("9223372036854775808", &value));
	assert_false(text_to_s64("-9223372036854775809", &value));
	assert_false(text_to_s64("-", &value));
	assert_false(text_to_s64("--1", &value));
	assert_false(text_to_s64("", &value));
}

static void floating_numbers(void **state)
{
	(void)state;
	double value;
	assert_true(text_to_f64("1.5", &value) && value == 1.5);
	assert_true(text_to_f64("-2e-3", &value) && value == -2e-3);
	assert_true(text_to_f64("0x1.8p1", &value) && value == 3.0);
	assert_true(text_to_f64("1", &value) && value == 1.0);
	assert_true(text_to_f64("inf", &value) && value > 1e308);
	assert_true(text_to_f64("-inf", &value) && value < -1e308);
	assert_true(text_to_f64("nan", &value) && value != value);
	assert_true(text_to_f64("4.9e-324", &value) && value > 0);
	assert_false(text_to_f64("1e999", &value));
	assert_false(text_to_f64("", &value));
	assert_false(text_to_f64(" 1", &value));
	assert_false(text_to_f64("1 ", &value));
	assert_false(text_to_f64("1,5", &value));
	assert_false(text_to_f64("one", &value));
}

static void the_nearest_name(void **state)
{
	(void)state;
	static const char *const names[] = {"gtx480", "gtx570", "quadro-2011", "v100", "core.warps"};
	size_t count = sizeof names / sizeof *names;
	assert_string_equal(text_nearest("gtx480", names, count), "gtx480");
	assert_string_equal(text_nearest("gtx408", names, count), "gtx480");
	assert_string_equal(text_nearest("gtx57", names, count), "gtx570");
	assert_string_equal(text_nearest("quadro2011", names, count), "quadro-2011");
	assert_string_equal(text_nearest("core.warp", names, count), "core.warps");
	assert_string_equal(text_nearest("V010", names, count), "v100"); /* swapped neighbours, whatever the case */
	assert_string_equal(text_nearest("V200", names, count), "v100");
	assert_null(text_nearest("v22", names, count)); /* 2 of 3 letters are no slip */
	assert_null(text_nearest("radeon", names, count));
	assert_null(text_nearest("", names, count));
	assert_null(text_nearest("gtx480", names, 0));
	char *endless = arena_printf(&arena, "%0999d", 0);
	assert_null(text_nearest(endless, names, count));
}

static void the_buffer_grows(void **state)
{
	(void)state;
	struct text text = {.arena = &arena};
	text_print(&text, "%s", "");
	assert_string_equal(text.at, "");
	for (int i = 0; i < 1000; i++)
		text_print(&text, "%d,", i % 10);
	text_append(&text, "end\0!", 5);
	assert_int_equal(text.length, 2005);
	assert_memory_equal(text.at, "0,1,2,3,4,5,6,7,8,9,0,", 22);
	assert_memory_equal(text.at + 2000, "end\0!", 6);
	text_print(&text, "%3000d", 5);
	assert_int_equal(text.length, 5005);
	assert_int_equal(text.at[5004], '5');
	assert_int_equal(text.at[5005], 0);
}

/* Draws of the reference implementation from the state 1234567. */
static void the_random_source_is_splitmix64(void **state)
{
	(void)state;
	static const uint64_t draws[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
		4593380528125082431u, 16408922859458223821u};
	uint64_t seed = 1234567;
	for (size_t i = 0; i < sizeof draws / sizeof *draws; i++)
		assert_true(splitmix64(&seed) == draws[i]);
}

/* Names that only look as if a compiler had made them stay: the library would make "global constructors keyed to" of
 * it.
 */
static void only_mangled_names_are_read(void **state)
{
	(void)state;
	assert_string_equal(demangle(&arena, "_Z3addPii", true), "add(int*, int)");
	assert_null(demangle(&arena, "_GLOBAL__I_add", true));
	assert_null(demangle(&arena, "add", true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(reading_a_pipe_needs_no_size),
		cmocka_unit_test(symbolic_links_and_devices_stay),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(files_that_cannot_be_used_are_errors),
		cmocka_unit_test(unsigned_numbers),
		cmocka_unit_test(signed_numbers),
		cmocka_unit_test(floating_numbers),
		cmocka_unit_test(the_nearest_name),
		cmocka_unit_test(the_buffer_grows),
		cmocka_unit_test(the_random_source_is_splitmix64),
		cmocka_unit_test(only_mangled_names_are_read),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
