/* A timeline as rows and slices for a page (report/page.h): from events written down here. */
#include "report/page.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* The events between the brackets, with 2 left out, as data. */
static void check(const char *events, const char *expected)
{
	char text[2048];
	snprintf(text, sizeof text, "{\"traceEvents\":[%s],\"otherData\":{\"left out\":2}}", events);
	json_object *file = json_tokener_parse(text);
	json_object *data = timeline_data(file);
	assert_string_equal(json_object_to_json_string_ext(data, JSON_C_TO_STRING_PLAIN), expected);
	json_object_put(data);
	json_object_put(file);
}

#define ISSUE "{\"ph\":\"X\",\"name\":\"warp 7\",\"pid\":3,\"tid\":1,\"ts\":10,\"dur\":4,\"args\":{\"work-group\":5}}"
#define WAIT(ph, cat, id, ts)                                                                                          \
	"{\"ph\":\"" ph "\",\"cat\":\"" cat "\",\"id\":" #id ",\"pid\":3,\"tid\":7,\"ts\":" #ts                        \
	",\"args\":{\"work-group\":6}}"

/* A slice is a row, a start, a length, a kind and a work-group. */
static void each_kind_has_its_slices(void **state)
{
	(void)state;
	check(ISSUE "," WAIT("b", "barrier wait", 1, 20) "," WAIT("e", "barrier wait", 1, 25) "," WAIT(
		      "b", "lock wait", 2, 30) "," WAIT("b", "lock held", 3, 40) "," WAIT("e", "lock held", 3,
		      46) "," WAIT("e", "lock wait", 2, 47),
		"{\"rows\":[\"core 3 warp 7\"],\"slices\":[[0,10,4,0,5],[0,20,5,1,6],[0,40,6,3,6],[0,30,17,2,6]],"
		"\"left_out\":2}");
}

/* Launches, counters and names are none of a warp; a wait needs its begin, and may take no time. */
static void what_is_no_warps_is_left_out(void **state)
{
	(void)state;
	check("{\"ph\":\"X\",\"name\":\"kernel\",\"pid\":0,\"tid\":1,\"ts\":1,\"dur\":4}," WAIT(
		      "b", "other", 1, 2) "," WAIT("e", "other", 1, 3) "," WAIT("e", "lock wait", 2, 4) "," WAIT("b",
		      "lock wait", 3, 5) "," WAIT("e", "lock wait", 3, 5) "," WAIT("b", "lock wait", 4, 9) "," WAIT("e",
		      "lock wait", 4, 8),
		"{\"rows\":[\"core 3 warp 7\"],\"slices\":[[0,5,0,2,6]],\"left_out\":2}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_has_its_slices),
		cmocka_unit_test(what_is_no_warps_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
