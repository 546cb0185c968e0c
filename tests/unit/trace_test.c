/* The timeline is JSON as json-c understands it, says what was traced, and does not outlive a failed write. */
#include "report/trace.h"
#include "util/text.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;

static const char *member(json_object *event, const char *name)
{
	json_object *value;
	assert_true(json_object_object_get_ex(event, name, &value));
	return json_object_get_string(value);
}

static void writes_what_happened(void **state)
{
	(void)state;
	char path[] = "/tmp/lockstep-trace-XXXXXX";
	close(mkstemp(path));
	struct diagnostic diagnostic = {0};
	struct trace *trace = trace_open(&arena, path, 100, &diagnostic);
	assert_non_null(trace);
	const struct trace_argument arguments[] = {
		{.name = "pc", .number = UINT64_MAX}, {.name = "line", .text = "a\"b\\c\n\xff"}};
	trace_core(trace, 3, 2);
	trace_slice(trace, 3, 1, "warp 7", 100, 130, arguments, 2);
	trace_span(trace, 3, "barrier wait", 7, 130, 150, NULL, 0);
	assert_true(trace_close(trace, &diagnostic));
	json_object *file = json_object_from_file(path), *events;
	assert_non_null(file);
	assert_true(json_object_object_get_ex(file, "traceEvents", &events));
	assert_int_equal(json_object_array_length(events), 7); /* four names, one slice, two ends of a span */
	json_object *slice = json_object_array_get_idx(events, 4);
	assert_string_equal(member(slice, "ph"), "X");
	assert_string_equal(member(slice, "name"), "warp 7");
	assert_string_equal(member(slice, "pid"), "3");
	assert_string_equal(member(slice, "tid"), "2");
	assert_string_equal(member(slice, "ts"), "100");
	assert_string_equal(member(slice, "dur"), "30");
	json_object_put(file);
	unlink(path);
}

/* Every event as it is written, byte for byte: the form is Chrome's (Trace Event Format: M names, X slices, b and e
 * spans). */
static void each_event_is_a_line(void **state)
{
	(void)state;
	char path[] = "/tmp/lockstep-trace-XXXXXX";
	close(mkstemp(path));
	struct diagnostic diagnostic = {0};
	struct trace *trace = trace_open(&arena, path, 100, &diagnostic);
	const struct trace_argument arguments[] = {
		{.name = "n", .number = UINT64_MAX}, {.name = "t", .text = "\"\\\n\x1f ~\x7f\xff"}};
	trace_core(trace, 3, 2);
	trace_slice(trace, 3, 1, "warp 7", 100, 130, arguments, 2);
	trace_span(trace, 3, "barrier wait", 7, 130, 150, arguments, 1);
	trace_span(trace, 3, "lock held", 8, 131, 151, NULL, 0);
	trace_span(trace, 4, "lock wait", 9, 132, 152, NULL, 0);
	assert_true(trace_close(trace, &diagnostic));
	size_t length;
	assert_string_equal(text_read_file(&arena, path, &length, &diagnostic),
		"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
		"{\"ph\":\"M\",\"pid\":3,\"name\":\"process_name\",\"tid\":0,\"args\":{\"name\":\"core 3\"}},\n"
		"{\"ph\":\"M\",\"pid\":3,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":4}},\n"
		"{\"ph\":\"M\",\"pid\":3,\"name\":\"thread_name\",\"tid\":1,\"args\":{\"name\":\"scheduler 0\"}},\n"
		"{\"ph\":\"M\",\"pid\":3,\"name\":\"thread_name\",\"tid\":2,\"args\":{\"name\":\"scheduler 1\"}},\n"
		"{\"ph\":\"X\",\"pid\":3,\"name\":\"warp 7\",\"tid\":2,\"ts\":100,\"dur\":30,\"args\":{\"n\":"
		"18446744073709551615,\"t\":\"\\\"\\\\\\u000a\\u001f ~\\u007f\\u00ff\"}},\n"
		"{\"ph\":\"b\",\"pid\":3,\"name\":\"barrier wait, warp 7\",\"cat\":\"barrier "
		"wait\",\"id\":0,\"tid\":7,\"ts\":130,\"args\":{"
		"\"n\":18446744073709551615}},\n"
		"{\"ph\":\"e\",\"pid\":3,\"name\":\"barrier wait, warp 7\",\"cat\":\"barrier "
		"wait\",\"id\":0,\"tid\":7,\"ts\":150},\n"
		"{\"ph\":\"b\",\"pid\":3,\"name\":\"lock held, warp 8\",\"cat\":\"lock "
		"held\",\"id\":1,\"tid\":8,\"ts\":131},\n"
		"{\"ph\":\"e\",\"pid\":3,\"name\":\"lock held, warp 8\",\"cat\":\"lock "
		"held\",\"id\":1,\"tid\":8,\"ts\":151},\n"
		"{\"ph\":\"b\",\"pid\":4,\"name\":\"lock wait, warp 9\",\"cat\":\"lock "
		"wait\",\"id\":2,\"tid\":9,\"ts\":132},\n"
		"{\"ph\":\"e\",\"pid\":4,\"name\":\"lock wait, warp 9\",\"cat\":\"lock "
		"wait\",\"id\":2,\"tid\":9,\"ts\":152}\n"
		"],\"otherData\":{\"producer\":\"lockstep\",\"unit\":\"1 us is 1 core cycle\",\"left out\":0}}\n");
	unlink(path);
}

/* Of one stream, what overlaps has a row of its own; names come before what they are of.  Launches always have room. */
static void launches_have_rows(void **state)
{
	static const struct {
		const char *name;
		uint64_t stream, start, end;
		const char *row;
	} launches[] = {{"a", 5, 0, 10, "1"}, {"b", 7, 2, 12, "2"}, {"c", 5, 10, 20, "1"}, {"d", 5, 5, 30, "3"},
		{"e", 5, 20, 25, "1"}};
	char path[] = "/tmp/lockstep-trace-XXXXXX";
	(void)state;
	close(mkstemp(path));
	struct diagnostic diagnostic = {0};
	struct trace *trace = trace_open(&arena, path, 2, &diagnostic);
	for (int k = 0; k < 5; k++) {
		trace_slice(trace, 0, 0, "warp 0", 1, 2, NULL, 0);
		trace_launch(trace, launches[k].stream, launches[k].name, launches[k].start, launches[k].end, NULL, 0);
	}
	assert_true(trace_close(trace, &diagnostic));
	json_object *file = json_object_from_file(path), *events, *other;
	assert_true(json_object_object_get_ex(file, "traceEvents", &events));
	struct text seen = {.arena = &arena};
	int next = 0;
	for (size_t k = 0; k < json_object_array_length(events); k++) {
		json_object *event = json_object_array_get_idx(events, k), *label;
		if (!strcmp(member(event, "name"), "thread_name")) {
			assert_true(json_object_object_get_ex(event, "args", &label));
			text_print(&seen, "%s;", member(label, "name"));
		} else if (!strcmp(member(event, "pid"), "1000000") && !strcmp(member(event, "ph"), "X")) {
			assert_string_equal(member(event, "name"), launches[next].name);
			assert_string_equal(member(event, "tid"), launches[next++].row);
		}
	}
	assert_int_equal(next, 5);
	assert_string_equal(seen.at, "stream 5;stream 7;stream 5, beside;");
	assert_true(json_object_object_get_ex(file, "otherData", &other));
	assert_string_equal(member(other, "left out"), "3"); /* of five slices, two had room */
	json_object_put(file);
	unlink(path);
}

static size_t events_of(const char *path, bool *is_cut)
{
	json_object *file = json_object_from_file(path), *events, *other;
	assert_non_null(file);
	assert_true(json_object_object_get_ex(file, "traceEvents", &events));
	assert_true(json_object_object_get_ex(file, "otherData", &other));
	*is_cut = json_object_object_get_ex(other, "cut off", NULL);
	size_t count = json_object_array_length(events);
	json_object_put(file);
	return count;
}

/* Of a process that was killed: whatever part of the file was written by then, what is whole in it stays. */
static void a_part_is_completed(void **state)
{
	(void)state;
	char path[] = "/tmp/lockstep-trace-XXXXXX";
	close(mkstemp(path));
	struct diagnostic diagnostic = {0};
	struct trace *trace = trace_open(&arena, path, 100, &diagnostic);
	trace_core(trace, 0, 1);
	for (uint64_t k = 0; k < 4; k++)
		trace_slice(trace, 0, 0, "x}}\n\"}]", k, k + 1, NULL, 0);
	assert_true(trace_close(trace, &diagnostic));
	size_t length;
	const char *whole = text_read_file(&arena, path, &length, &diagnostic);
	size_t before = 0;
	const size_t all = 3 + 4;
	bool is_cut;
	enum { PROCESS = 77 };
	const char *part = arena_printf(&arena, "%s.%d.part", path, PROCESS);
	trace_complete(path, PROCESS); /* there is none */
	assert_int_equal(events_of(path, &is_cut), all);
	assert_false(is_cut);
	size_t end = (size_t)(strstr(whole, "\n],\"otherData") - whole);
	for (size_t k = 0; k < end; k++) {
		assert_true(text_write_file(part, whole, k, &diagnostic));
		unlink(path); /* renaming over a file may wait for the disk */
		trace_complete(path, PROCESS);
		assert_int_equal(access(part, F_OK), -1);
		if (k && k < strlen("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")) { /* it could be anything */
			assert_int_equal(access(path, F_OK), -1);
			continue;
		}
		size_t count = events_of(path, &is_cut);
		assert_true(is_cut);
		assert_in_range(count, before, all);
		before = count;
	}
	assert_int_equal(before, all - 1);                                     /* the last may have been cut */
	assert_true(text_write_file(part, whole, strlen(whole), &diagnostic)); /* it only lacks its name */
	trace_complete(path, PROCESS);
	assert_int_equal(events_of(path, &is_cut), all);
	assert_false(is_cut);
	unlink(path);
}

static void failures(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	assert_null(trace_open(&arena, "/nonexistent/trace.json", 100, &diagnostic));
	assert_string_equal(diagnostic.message, "/nonexistent/trace.json: cannot create: No such file or directory");
	diagnostic = (struct diagnostic){0};
	struct trace *trace = trace_open(&arena, "/dev/full", 100, &diagnostic);
	assert_non_null(trace);
	for (uint32_t k = 0; k < 50000; k++)
		trace_slice(trace, 0, 0, "x", k, k + 1, NULL, 0);
	assert_false(trace_close(trace, &diagnostic));
	assert_non_null(strstr(diagnostic.message, "/dev/full: cannot write the timeline"));
	assert_int_equal(access("/dev/full", F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(writes_what_happened),
		cmocka_unit_test(each_event_is_a_line), cmocka_unit_test(launches_have_rows),
		cmocka_unit_test(a_part_is_completed), cmocka_unit_test(failures)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&arena);
	return failed;
}
