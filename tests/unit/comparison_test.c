/* Two reports and what differs between them (report/comparison.h): reports of a few numbers, and the sums, orders and
 * counts that follow from them by hand. */
#include "report/comparison.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int free_memory(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const char before[] =
	"{\"gpu\":\"gtx480\",\"configuration\":{\"a\":1,\"same\":2,\"only.before\":3,\"nothing\":null},\"launches\":["
	"{\"kernel\":\"k\",\"cycles\":100,\"counters\":{\"x\":1,\"y\":10,\"z\":5,\"w\":0}},"
	"{\"kernel\":\"other\",\"cycles\":7,\"counters\":{\"x\":1}},"
	"{\"kernel\":\"k\",\"cycles\":50,\"counters\":{\"x\":1,\"y\":10,\"z\":5,\"w\":0}}],"
	"\"findings\":[{\"cause\":\"c\",\"kernel\":\"k\",\"message\":\"m\",\"count\":2},"
	"{\"cause\":\"c\",\"kernel\":\"k\",\"message\":\"n\"},{\"cause\":\"d\",\"kernel\":\"k\",\"message\":\"m\"},"
	"{\"cause\":\"c\",\"message\":\"m\"}]}";
static const char after[] =
	"{\"gpu\":\"v100\",\"configuration\":{\"a\":4,\"same\":2,\"only.after\":[\"./five\"],\"nothing\":null},"
	"\"launches\":["
	"{\"kernel\":\"k\",\"cycles\":149,\"counters\":{\"y\":10,\"x\":4,\"z\":10,\"w\":1,\"v\":6}},"
	"{\"kernel\":\"other\",\"cycles\":7,\"counters\":{\"x\":1}}],"
	"\"findings\":[{\"cause\":\"c\",\"kernel\":\"k\",\"message\":\"m\",\"count\":5},"
	"{\"cause\":\"c\",\"kernel\":\"k\",\"message\":\"n\",\"count\":1},{\"cause\":\"c\",\"message\":\"m\"}]}";

static void compare(struct comparison *c, const char *left, const char *right)
{
	static const char *const files[] = {"left.json", "right.json"};
	json_object *reports[] = {json_tokener_parse(left), json_tokener_parse(right)};

	assert_true(reports[0] && reports[1]);
	comparison_of(c, &arena, files, reports);
}

static void what_differs_is_kept(void **state)
{
	/* cycles; from 0, the larger first; y is half of what it was, x twice; z is as it was */
	static const struct {
		const char *name;
		uint64_t value[2];
	} expected[] = {{"cycles", {150, 149}}, {"v", {0, 6}}, {"w", {0, 1}}, {"y", {20, 10}}, {"x", {2, 4}}};
	struct comparison c;

	(void)state;
	compare(&c, before, after);
	assert_string_equal(c.file[BEFORE], "left.json");
	assert_string_equal(c.gpu[AFTER], "v100");
	assert_int_equal(c.launches[BEFORE], 3);
	assert_int_equal(c.launches[AFTER], 2);
	assert_int_equal(c.cycles[BEFORE], 157);
	assert_int_equal(c.cycles[AFTER], 156);
	assert_int_equal(c.kernels.count, 2);
	assert_string_equal(c.kernels.at[0].name, "k");
	assert_int_equal(c.kernels.at[0].launches[BEFORE], 2);
	assert_int_equal(c.kernels.at[0].launches[AFTER], 1);
	assert_int_equal(c.kernels.at[0].counters.count, 5);
	for (uint32_t k = 0; k < 5; k++) {
		const struct compared_counter *counter = &c.kernels.at[0].counters.at[k];

		assert_string_equal(counter->name, expected[k].name);
		assert_int_equal(counter->value[BEFORE], expected[k].value[BEFORE]);
		assert_int_equal(counter->value[AFTER], expected[k].value[AFTER]);
		assert_string_equal(counter->unit, k ? "" : "core cycles");
	}
	assert_string_equal(c.kernels.at[1].name, "other");
	assert_int_equal(c.kernels.at[1].counters.count, 0);
	comparison_free(&c);
}

static void a_record_may_be_several_launches(void **state)
{
	struct comparison c;

	(void)state;
	compare(&c, before,
		"{\"launches\":[{\"kernel\":\"k\",\"cycles\":1,\"launches\":7},{\"kernel\":\"k\",\"cycles\":1}]}");
	assert_int_equal(c.kernels.at[0].launches[AFTER], 8);
	assert_int_equal(c.launches[AFTER], 8);
	comparison_free(&c);
}

static void fields_and_findings_are_kept(void **state)
{
	struct comparison c;

	(void)state;
	compare(&c, before, after);
	assert_int_equal(c.fields.count, 3);
	assert_string_equal(c.fields.at[0].path, "a");
	assert_string_equal(c.fields.at[0].value[BEFORE], "1");
	assert_string_equal(c.fields.at[0].value[AFTER], "4");
	assert_string_equal(c.fields.at[1].path, "only.before");
	assert_string_equal(c.fields.at[1].value[BEFORE], "3");
	assert_null(c.fields.at[1].value[AFTER]);
	assert_string_equal(c.fields.at[2].path, "only.after");
	assert_null(c.fields.at[2].value[BEFORE]);
	assert_string_equal(c.fields.at[2].value[AFTER], "[ \"./five\" ]");
	/* c, k, m: 2 and 5; d: 1 and 0.  One without a count was seen once; one of no kernel is another */
	assert_int_equal(c.findings.count, 2);
	assert_string_equal(c.findings.at[0].cause, "c");
	assert_string_equal(c.findings.at[0].kernel, "k");
	assert_string_equal(c.findings.at[0].message, "m");
	assert_int_equal(c.findings.at[0].count[BEFORE], 2);
	assert_int_equal(c.findings.at[0].count[AFTER], 5);
	assert_string_equal(c.findings.at[1].cause, "d");
	assert_int_equal(c.findings.at[1].count[BEFORE], 1);
	assert_int_equal(c.findings.at[1].count[AFTER], 0);
	comparison_free(&c);
}

static void the_same_differs_in_nothing(void **state)
{
	struct comparison c;

	(void)state;
	compare(&c, before, before);
	assert_int_equal(c.fields.count, 0);
	assert_int_equal(c.findings.count, 0);
	assert_int_equal(c.kernels.count, 2);
	assert_int_equal(c.kernels.at[0].counters.count, 0);
	assert_int_equal(c.kernels.at[1].counters.count, 0);
	comparison_free(&c);
	compare(&c, "{}", "{\"launches\":1,\"findings\":{},\"configuration\":[]}");
	assert_int_equal(c.fields.count + c.findings.count + c.kernels.count, 0);
	comparison_free(&c);
}

/* By the ratio of the larger value to the smaller; from or to 0 is the largest, of which the larger. */
static void changes_have_an_order(void **state)
{
	static const uint64_t changes[][2] = {
		{0, 9}, {8, 0}, {1, UINT64_MAX}, {10, 1}, {2, 19}, {1000000, 2000001}, {2, 1}, {3, 3}};
	uint32_t count = sizeof changes / sizeof *changes;

	(void)state;
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = 0; b < count; b++) {
			int order = comparison_order(changes[a], changes[b]);

			assert_int_equal((order > 0) - (order < 0), (a > b) - (a < b));
		}
	assert_int_equal(comparison_order((uint64_t[]){1, 2}, (uint64_t[]){2, 1}), 0);
	/* of the same ratio the larger numbers */
	assert_true(comparison_order((uint64_t[]){20, 10}, (uint64_t[]){1, 2}) < 0);
}

/* 150 to 149 is 0.67 % less, 157 to 156 0.64 %. */
#define UNKNOWN " Neither names its compiler, PTX and inputs."

static void a_comparison_is_text(void **state)
{
	struct comparison c;
	struct text out = {.arena = &arena};

	(void)state;
	compare(&c, before, after);
	comparison_text(&out, &c, 2);
	assert_string_equal(out.at,
		"The two results differ in: GPU." UNKNOWN "\n  GPU                              gtx480 -> v100\n"
		"  3 fields of the model (--report json has them)\n\n"
		"before  left.json: GPU gtx480, 3 launches, 157 cycles\n"
		"after   right.json: GPU v100, 2 launches, 156 cycles\n"
		"cycles  -0.6 %\n"
		"\nkernel k, 2 and 1 launches\n"
		"           before           after       change  counter, the largest change first\n"
		"              150             149       -0.7 %  cycles (core cycles)\n"
		"                0               6       from 0  v\n"
		"  and 3 more (--counters 0 has them all)\n"
		"\nkernel other, 1 launch: no counter differs\n"
		"\nfindings\n  2 times -> 5 times, kernel k: c: m\n  only before, kernel k: d: m\n");
	comparison_free(&c);
}

/* Changes are shares of what was before; equal ones are in the order of their names. */
static void changes_are_shares_of_before(void **state)
{
	struct comparison c;
	struct text out = {.arena = &arena};

	(void)state;
	compare(&c,
		"{\"gpu\":\"g\",\"launches\":[{\"kernel\":\"k\",\"cycles\":1000,\"counters\":{\"z\":10,\"b\":10,\"a\":"
		"8,"
		"\"y\":10}}]}",
		"{\"gpu\":\"g\",\"launches\":[{\"kernel\":\"k\",\"cycles\":1500,\"counters\":{\"z\":20,\"b\":20,\"a\":"
		"2,"
		"\"y\":20}}]}");
	comparison_text(&out, &c, 5);
	assert_string_equal(out.at,
		"The configurations of the two results do not differ." UNKNOWN
		"\n\nbefore  left.json: GPU g, 1 launch, 1,000 cycles\nafter   right.json: GPU g, 1 launch, 1,500 "
		"cycles\n"
		"cycles  +50.0 %\n\nkernel k, 1 launch\n"
		"           before           after       change  counter, the largest change first\n"
		"            1,000           1,500      +50.0 %  cycles (core cycles)\n"
		"                8               2      -75.0 %  a\n"
		"               10              20     +100.0 %  b\n"
		"               10              20     +100.0 %  y\n"
		"               10              20     +100.0 %  z\n");
	comparison_free(&c);
}

static void one_gpus_fields_are_shown(void **state)
{
	struct comparison c;
	struct text out = {.arena = &arena};

	(void)state;
	compare(&c,
		"{\"gpu\":\"g\",\"configuration\":{\"a\":1,\"b\":2},\"launches\":[{\"kernel\":\"k\",\"cycles\":1}]}",
		"{\"gpu\":\"g\",\"configuration\":{\"a\":2,\"c\":3},\"findings\":[{\"cause\":\"x\",\"message\":\"y\"}]"
		"}");
	comparison_text(&out, &c, 2);
	assert_string_equal(out.at,
		"The two results differ in: settings a, b, c." UNKNOWN "\n"
		"  a                                1 -> 2\n"
		"  b                                2 -> (not there)\n"
		"  c                                (not there) -> 3\n\n"
		"before  left.json: GPU g, 1 launch, 1 cycles\nafter   right.json: GPU g, 0 launches, 0 cycles\n"
		"\nkernel k, only before: 1 launch\n"
		"\nfindings\n  only after: x: y\n");
	comparison_free(&c);
	out.length = 0;
	compare(&c, "{\"gpu\":\"g\",\"configuration\":{\"policy.a\":1,\"run.a\":1,\"x\":1}}", "{\"gpu\":\"h\"}");
	comparison_text(&out, &c, 2);
	assert_non_null(strstr(out.at, "policy.a  "));
	assert_non_null(strstr(out.at, "run.a  "));
	assert_non_null(strstr(out.at, "  1 field of the model (--report json has them)\n"));
	comparison_free(&c);
}

static void a_comparison_is_json(void **state)
{
	struct comparison c;
	json_object *object;

	(void)state;
	compare(&c, before, after);
	object = comparison_object(&c);
	assert_string_equal(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN),
		"{\"schema\":\"lockstep-comparison\\/"
		"1\",\"files\":[\"left.json\",\"right.json\"],\"summary\":\"The two results differ in: GPU." UNKNOWN
		"\",\"differs\":[{\"what\":\"GPU\",\"values\":[\"gtx480\",\"v100\"]}],\"gpu\":[\"gtx480\",\"v100\"],"
		"\"launches\":[3,2],\"cycles\":[157,156],"
		"\"configuration\":{\"a\":[\"1\",\"4\"],\"only.before\":[\"3\",null],\"only.after\":[null,\"[ "
		"\\\".\\/five\\\" ]\"]},"
		"\"kernels\":[{\"kernel\":\"k\",\"launches\":[2,1],\"counters\":{\"cycles\":[150,149],\"v\":[0,6],"
		"\"w\":[0,1],"
		"\"y\":[20,10],\"x\":[2,4]}},{\"kernel\":\"other\",\"launches\":[1,1],\"counters\":{}}],"
		"\"findings\":[{\"cause\":\"c\",\"kernel\":\"k\",\"message\":\"m\",\"count\":[2,5]},"
		"{\"cause\":\"d\",\"kernel\":\"k\",\"message\":\"m\",\"count\":[1,0]}]}");
	json_object_put(object);
	comparison_free(&c);
}

static const char *summary_of(const char *left, const char *right)
{
	struct comparison c;
	compare(&c, left, right);
	const char *summary = comparison_summary(&arena, &c);
	comparison_free(&c);
	return summary;
}

#define MODULE(kernels, ptx, more) "{\"kernels\":[" kernels "],\"ptx\":\"" ptx "\"" more "}"
#define REPORT(gpu, configuration, settings, options, modules, arguments)                                              \
	"{\"gpu\":\"" gpu "\",\"configuration\":{" configuration                                                       \
	"},\"launches\":[{\"kernel\":\"k\"},{\"kernel\":\"l\"}],"                                                      \
	"\"provenance\":{\"lockstep\":\"1\",\"settings\":{" settings "},\"compiler_options\":\"" options               \
	"\",\"modules\":[" modules "],\"arguments\":[" arguments "]}}"

static void what_results_depend_on_comes_first(void **state)
{
	static const char one[] = REPORT("g", "\"a\":1,\"run.seed\":0", "", "-O1 -DN=1",
		MODULE("\"k\",\"l\"", "12", ",\"compiler\":\"cc 1\",\"producer\":\"p\""), "\"x\",\"y\"");
	(void)state;
	assert_string_equal(summary_of(one, one), "Nothing that a result depends on differs.");
	/* all kinds, in their order; the kernels are of two modules now, of which one has another text */
	struct comparison c;
	compare(&c, one,
		REPORT("h", "\"a\":2,\"policy.b\":3,\"c\":1,\"run.seed\":5", "\"c\":1", "-DN=2 -O1",
			MODULE("\"k\"", "12", ",\"compiler\":\"cc 1\",\"target\":\"sm_70\"") "," MODULE(
				"\"l\"", "34", ",\"compiler\":\"cc 2\""),
			"\"x\""));
	assert_string_equal(comparison_summary(&arena, &c),
		"The two results differ only in: GPU; settings policy.b, c; option run.seed; compiler; compiler "
		"options; "
		"producer of PTX; target of PTX; PTX of kernel l; input 2.");
	struct text out = {.arena = &arena};
	comparison_parts_text(&out, &c);
	assert_non_null(strstr(out.at, "\n  compiler                         cc 1 -> cc 1; cc 2\n"));
	assert_non_null(strstr(out.at, "\n  compiler options                 -DN=1 -> -DN=2\n"));
	assert_non_null(strstr(out.at, "\n  PTX of kernel l                  12 -> 34\n"));
	assert_non_null(strstr(out.at, "\n  input 2                          y -> (none)\n  1 field of the model"));
	comparison_free(&c);
	/* pinned: no word where PTX and compiler are the same */
	static const char pinned[] = REPORT("g", "\"a\":1,\"run.seed\":0", "", "-DN=1 <0>",
		MODULE("\"k\",\"l\"", "12", ",\"compiler\":\"cc 1\",\"pinned\":true,\"producer\":\"p\""),
		"\"x\",\"y\""),
			  other[] = REPORT("g", "\"a\":1,\"run.seed\":0", "", "-O1",
				  MODULE("\"k\",\"l\"", "56", ",\"compiler\":\"cc 1\",\"producer\":\"p\""),
				  "\"x\",\"y\"");
	assert_string_equal(summary_of(one, pinned), "Nothing that a result depends on differs.");
	assert_string_equal(
		summary_of(pinned, other), "The two results differ only in: PTX of kernels k, l; compilation.");
	assert_string_equal(summary_of("{\"provenance\":{}}", "{\"provenance\":{\"arguments\":[\"x\"]}}"),
		"The two results differ only in: input 1.");
	/* of an older version */
	assert_string_equal(summary_of(before, one), "The two results differ in: GPU; option run.seed. left.json does "
						     "not name its compiler, PTX and inputs.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_differs_is_kept, free_memory),
		cmocka_unit_test_teardown(fields_and_findings_are_kept, free_memory),
		cmocka_unit_test_teardown(a_record_may_be_several_launches, free_memory),
		cmocka_unit_test_teardown(the_same_differs_in_nothing, free_memory),
		cmocka_unit_test_teardown(changes_have_an_order, free_memory),
		cmocka_unit_test_teardown(what_results_depend_on_comes_first, free_memory),
		cmocka_unit_test_teardown(a_comparison_is_text, free_memory),
		cmocka_unit_test_teardown(changes_are_shares_of_before, free_memory),
		cmocka_unit_test_teardown(one_gpus_fields_are_shown, free_memory),
		cmocka_unit_test_teardown(a_comparison_is_json, free_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
