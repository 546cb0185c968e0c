/* The sources that a report names (report/sources.h): size, hash and lines of a file of a few lines; and what a page is
 * told when the file is the same, another, or gone. */
#include "report/sources.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/sources_XXXXXX";

static int make_file(void **state)
{
	(void)state;
	close(mkstemp(path));
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void write_file(const char *text, size_t length)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	fclose(file);
}

/* A report whose launch and finding have these lines of the file, and of files that there are not. */
static json_object *report_of(uint32_t a, uint32_t b, uint32_t c)
{
	char text[1000];
	json_object *report;

	snprintf(text, sizeof text,
		"{\"launches\":[{\"lines\":[{\"file\":\"%s\",\"line\":%u},{\"file\":\"%s\",\"line\":%u},"
		"{\"file\":\"\",\"line\":1},{\"file\":\"/none/x.cu\",\"line\":1}]}],"
		"\"findings\":[{\"lines\":[{\"file\":\"%s\",\"line\":%u}]},{\"kind\":\"hang\"}]}",
		path, a, path, b, path, c);
	report = json_tokener_parse(text);
	assert_non_null(report);
	return report;
}

static json_object *at(json_object *object, const char *a, const char *b, const char *c)
{
	for (const char *const *name = (const char *const[]){a, b, c, NULL}; *name; name++)
		object = json_object_object_get(object, *name);
	return object;
}

/* FNV-1a of 64 bits, as its authors publish it: the offset basis and "a"; and what other numbers lines have. */
static void a_report_has_hash_and_lines(void **state)
{
	static const char text[] = "first\nsecond\r\n\nfour\rth \0!\nlast";
	char inlined[1000];
	json_object *report, *sources;

	(void)state;
	write_file("a", 1);
	report = report_of(1, 1, 2);
	sources_add_to(report);
	assert_string_equal(json_object_get_string(at(report, "sources", path, "hash")), "af63dc4c8601ec8c");
	assert_int_equal(json_object_get_int64(at(report, "sources", path, "bytes")), 1);
	assert_string_equal(
		json_object_to_json_string_ext(at(report, "sources", path, "lines"), JSON_C_TO_STRING_PLAIN),
		"{\"1\":\"a\"}");
	assert_null(json_object_object_get(at(report, "sources", NULL, NULL), "/none/x.cu"));
	json_object_put(report);

	write_file(text, sizeof text - 1);
	report = report_of(2, 5, 1); /* back, too */
	sources_add_to(report);
	assert_string_equal(
		json_object_to_json_string_ext(at(report, "sources", path, "lines"), JSON_C_TO_STRING_PLAIN),
		"{\"2\":\"second\",\"5\":\"last\",\"1\":\"first\"}");
	json_object_put(report);
	report = report_of(3, 4, 6);
	sources_add_to(report);
	assert_string_equal(
		json_object_to_json_string_ext(at(report, "sources", path, "lines"), JSON_C_TO_STRING_PLAIN),
		"{\"3\":\"\",\"4\":\"four\\rth ?!\"}");
	json_object_put(report);
	snprintf(inlined, sizeof inlined,
		"{\"findings\":[{\"lines\":[{\"file\":\"/none/x.cu\",\"line\":1,\"inlined\":["
		"{\"file\":\"%s\",\"line\":2},{\"file\":\"/none/y.cu\",\"line\":1}]}]}]}",
		path);
	report = json_tokener_parse(inlined);
	sources_add_to(report);
	assert_string_equal(
		json_object_to_json_string_ext(at(report, "sources", path, "lines"), JSON_C_TO_STRING_PLAIN),
		"{\"2\":\"second\"}");
	sources = sources_of(report);
	assert_string_equal(json_object_get_string(at(sources, "/none/y.cu", "state", NULL)), "none");
	json_object_put(sources);
	json_object_put(report);
}

static void long_lines_are_cut(void **state)
{
	char text[1003];
	json_object *report;

	(void)state;
	memset(text, 'x', sizeof text);
	for (int cut = 0; cut < 2; cut++) { /* 1,000 bytes stay */
		text[1000] = cut ? 'x' : '\n';
		write_file(text, sizeof text);
		report = report_of(1, 1, 1);
		sources_add_to(report);
		assert_int_equal(
			json_object_get_string_len(json_object_object_get(at(report, "sources", path, "lines"), "1")),
			1000);
		json_object_put(report);
	}
}

static void a_page_knows_whether_it_changed(void **state)
{
	json_object *report, *sources;

	(void)state;
	write_file("one\ntwo\n", 8);
	report = report_of(2, 2, 2);
	sources = sources_of(report); /* of an older version */
	assert_string_equal(json_object_get_string(at(sources, path, "state", NULL)), "unknown");
	json_object_put(sources);
	sources_add_to(report);
	sources = sources_of(report);
	assert_string_equal(json_object_get_string(at(sources, path, "state", NULL)), "same");
	assert_string_equal(json_object_get_string(at(sources, path, "text", NULL)), "one\ntwo\n");
	assert_null(at(sources, path, "lines", NULL));
	assert_string_equal(json_object_get_string(at(sources, "/none/x.cu", "state", NULL)), "none");
	json_object_put(sources);
	write_file("one\ntwo!", 8); /* of the same size */
	sources = sources_of(report);
	assert_string_equal(json_object_get_string(at(sources, path, "state", NULL)), "changed");
	assert_null(at(sources, path, "text", NULL));
	assert_string_equal(json_object_get_string(at(sources, path, "lines", "2")), "two");
	json_object_put(sources);
	unlink(path);
	sources = sources_of(report);
	assert_string_equal(json_object_get_string(at(sources, path, "state", NULL)), "gone");
	assert_string_equal(json_object_get_string(at(sources, path, "lines", "2")), "two");
	json_object_put(sources);
	json_object_put(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_has_hash_and_lines),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(a_page_knows_whether_it_changed),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
