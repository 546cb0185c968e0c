/* Findings and launches as text, as JSON and as SARIF: each field in its place, and bytes that are not UTF-8. */
#include "report/reporter.h"
#include "report/reports.h"
#include "report/source.h"
#include "util/text.h"

#include <json-c/json.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const struct lockstep_line lines[] = {{.file = "none/a b.ptx", .line = 12, .role = "waits here"},
	{.file = "/none/c.ptx", .line = 7}, {.file = "none/d.ptx", .line = 9, .role = "lets it go"}};
static const struct lockstep_thread threads[] = {{{1, 2, 3}, {4, 5, 6}, "waits"}, {{7, 8, 9}, {10, 11, 12}, "left"}};
static const char *const addresses[] = {"0x10000400 (buf 'locks' + 0x0)", "0x4"};

static struct lockstep_finding finding_of(const char *certainty, const char *cause)
{
	return (struct lockstep_finding){
		.kind = "hang", .certainty = certainty, .cause = cause, .message = "m", .count = 1};
}

static struct lockstep_finding full_finding(void)
{
	struct lockstep_finding f = finding_of("proved", "simt");
	f.confirmed = true;
	f.message = "blocked";
	f.lines = lines;
	f.line_count = 2;
	f.threads = threads;
	f.thread_count = 1;
	f.addresses = addresses;
	f.address_count = 2;
	f.count = 3;
	return f;
}

/* ---- text ---- */

static const char *text_in(const struct lockstep_finding *f, struct report_style style)
{
	struct text out = {.arena = &arena};
	json_object *list = report_finding_list(f, 1, NULL);
	finding_text(&out, &style, json_object_array_get_idx(list, 0));
	json_object_put(list);
	return out.at;
}

static const char *text_of(const struct lockstep_finding *f)
{
	return text_in(f, (struct report_style){0});
}

/* Columns and words by hand: a line has at most 40 characters, not bytes; a longer word has a line of its own. */
static void paragraphs_are_broken(void **state)
{
	(void)state;
	struct lockstep_finding f = finding_of("proved", "simt");
	f.message = "the owner of the lock waits in another_name_that_is_longer_than_the_line_is at a µµµµµµµµµµµµµµµ "
		    "place";
	assert_string_equal(text_in(&f, (struct report_style){.width = 40}),
		"hang (simt, proved): the owner of the\n"
		"  lock waits in\n"
		"  another_name_that_is_longer_than_the_line_is\n"
		"  at a µµµµµµµµµµµµµµµ place\n");
	f.message = "six letters exactly fit it"; /* 21 + 19 columns, then 7 */
	assert_string_equal(text_in(&f, (struct report_style){.width = 40}),
		"hang (simt, proved): six letters exactly\n  fit it\n");
}

/* Codes of ECMA-48, 8.3.117: 1 bold, 31 red, 0 neither. */
static void a_time_has_a_unit(void **state)
{
	(void)state;
	assert_string_equal(style_time(&arena, 0), "0.000 us");
	assert_string_equal(style_time(&arena, 9999e-6), "9999.000 us");
	assert_string_equal(style_time(&arena, 187502.249e-6), "187.502 ms");
	assert_string_equal(style_time(&arena, 12.5), "12.500 s");
	assert_string_equal(style_time(&arena, 86400), "86400.000 s");
}

static void what_went_wrong_is_coloured(void **state)
{
	(void)state;
	struct lockstep_finding f = finding_of("proved", "simt");
	assert_string_equal(
		text_in(&f, (struct report_style){.colour = true}), "\033[1;31mhang (simt, proved): \033[0mm\n");
}

static void a_finding_is_text(void **state)
{
	(void)state;
	struct lockstep_finding f = full_finding(), bare = finding_of("suspected", "barrier");
	assert_string_equal(text_of(&f), "hang (simt, proved, confirmed): blocked\n"
					 "  at none/a b.ptx:12: waits here\n"
					 "  at /none/c.ptx:7\n"
					 "  group 1,2,3 thread 4,5,6: waits\n"
					 "  address 0x10000400 (buf 'locks' + 0x0)\n"
					 "  address 0x4\n"
					 "  seen 3 times\n");
	assert_string_equal(text_of(&bare), "hang (barrier, suspected): m\n");
}

static void sixteen_threads_are_shown(void **state)
{
	(void)state;
	struct lockstep_finding f = full_finding();
	struct lockstep_thread many[40];
	for (size_t k = 0; k < 40; k++)
		many[k] = threads[k == 15];
	f.threads = many;
	f.thread_count = 16;
	assert_non_null(strstr(text_of(&f), "  group 7,8,9 thread 10,11,12: left\n  address"));
	f.thread_count = 17;
	assert_non_null(strstr(text_of(&f), "  group 7,8,9 thread 10,11,12: left\n  and 1 more thread\n"));
	f.thread_count = 40;
	assert_non_null(strstr(text_of(&f), "  and 24 more threads\n"));
}

static const char *source_of(const char *path, uint64_t line)
{
	struct text out = {.arena = &arena};
	report_source(&out, path, line);
	return out.at ? out.at : "";
}

static void a_place_has_its_line_and_its_neighbours(void **state)
{
	(void)state;
	char path[] = "/tmp/lockstep-source-XXXXXX";
	int file = mkstemp(path);
	static const char text[] = "one\ntwo\r\nthree\nfour";
	assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
	close(file);
	assert_string_equal(source_of(path, 1), "  >      1 | one\n         2 | two\n");
	assert_string_equal(source_of(path, 3), "         2 | two\n  >      3 | three\n         4 | four\n");
	assert_string_equal(source_of(path, 4), "         3 | three\n  >      4 | four\n");
	assert_string_equal(source_of(path, 5), "         4 | four\n");
	assert_string_equal(source_of(path, 6), "");
	assert_string_equal(source_of("", 1), "");
	assert_string_equal(source_of("/tmp", 1), "");
	unlink(path);
}

/* A text that is in no file goes before a file; of two under one name neither is shown.  A finding shows each
 * place once. */
static void a_source_without_a_file(void **state)
{
	(void)state;
	report_source_keep("/dev/null", "one\ntwo", 7);
	assert_string_equal(source_of("/dev/null", 1), "  >      1 | one\n         2 | two\n");
	report_source_keep("/dev/null", "one\ntwo", 7);
	assert_string_equal(source_of("/dev/null", 2), "         1 | one\n  >      2 | two\n");
	/* Two accesses of one line. */
	const struct lockstep_line same[] = {{.file = "/dev/null", .line = 1, .role = "one access"},
		{.file = "/dev/null", .line = 1, .role = "the other access"}};
	struct lockstep_finding f = finding_of("proved", "race");
	f.lines = same;
	f.line_count = 2;
	assert_string_equal(text_of(&f), "hang (race, proved): m\n"
					 "  at /dev/null:1: one access\n"
					 "  >      1 | one\n"
					 "         2 | two\n"
					 "  at /dev/null:1: the other access\n");
	report_source_keep("/dev/null", "one\ntwa", 7);
	assert_string_equal(source_of("/dev/null", 1), "");
	report_source_keep("/dev/null", "one\ntwo", 7);
	assert_string_equal(source_of("/dev/null", 1), "");
}

/* ---- JSON ---- */

static const char *json_of(const struct lockstep_finding *findings, size_t count)
{
	struct text out = {.arena = &arena};
	report_json_findings(&out, findings, count, NULL);
	return out.at;
}

static void a_finding_is_json(void **state)
{
	(void)state;
	struct lockstep_finding f = full_finding();
	assert_string_equal(json_of(&f, 1), "[{\"kind\":\"hang\",\"certainty\":\"proved\",\"cause\":\"simt\","
					    "\"confirmed\":true,\"count\":3,\"message\":\"blocked\","
					    "\"lines\":[{\"file\":\"none/a b.ptx\",\"line\":12,\"role\":\"waits "
					    "here\"},{\"file\":\"/none/c.ptx\",\"line\":7}],"
					    "\"threads\":[{\"group\":[1,2,3],\"thread\":[4,5,6],\"state\":\"waits\"}],"
					    "\"addresses\":[\"0x10000400 (buf 'locks' + 0x0)\",\"0x4\"]}]");
	assert_string_equal(json_of(NULL, 0), "[]");
}

/* What only hangs have, and lines within inlined functions. */
static void a_verdict_is_json(void **state)
{
	static const struct lockstep_rival rivals[] = {{"simt", true}, {"occupancy", false}};
	static const struct lockstep_frame frames[] = {{"h.cuh", 4, "take(int*)"}, {"i.cuh", 5, NULL}};
	static const struct lockstep_line line = {.file = "a.cu", .line = 3, .inlined = frames, .inlined_count = 2};
	struct lockstep_finding f = finding_of("suspected", "signal");
	(void)state;
	f.would_go_on = true;
	f.rivals = rivals;
	f.rival_count = 2;
	f.what = "W";
	f.who = "O";
	f.checked = "C";
	f.fix = "F";
	f.lines = &line;
	f.line_count = 1;
	assert_string_equal(json_of(&f, 1),
		"[{\"kind\":\"hang\",\"certainty\":\"suspected\",\"cause\":\"signal\",\"confirmed\":false,"
		"\"would_go_on\":true,\"rivals\":[{\"cause\":\"simt\",\"went_on\":true},"
		"{\"cause\":\"occupancy\",\"went_on\":false}],"
		"\"verdict\":{\"what\":\"W\",\"who\":\"O\",\"checked\":\"C\",\"fix\":\"F\"},\"count\":1,\"message\":"
		"\"m\","
		"\"lines\":[{\"file\":\"a.cu\",\"line\":3,\"inlined\":["
		"{\"file\":\"h.cuh\",\"line\":4,\"function\":\"take(int*)\"},"
		"{\"file\":\"i.cuh\",\"line\":5,\"function\":null}]}],\"threads\":[],\"addresses\":[]}]");
	f.would_go_on = false;
	f.who = "";
	f.checked = f.fix = NULL;
	assert_non_null(strstr(json_of(&f, 1), "\"confirmed\":false,\"rivals\":["));
	assert_non_null(strstr(json_of(&f, 1), "\"verdict\":{\"what\":\"W\"},"));
	f.what = NULL; /* of other findings */
	assert_null(strstr(json_of(&f, 1), "rivals"));
	assert_null(strstr(json_of(&f, 1), "verdict"));
}

/* RFC 3629, section 4: what is no character of UTF-8 becomes a question mark, byte by byte, and what is one stays. */
static void bytes_that_are_not_utf8_become_question_marks(void **state)
{
	(void)state;
	static const struct {
		const char *bytes, *shown;
	} rows[] = {
		{"a\x7f", "a\x7f"},
		{"\x80z", "?z"},
		{"\xbfz", "?z"},
		{"\xc0\x80z", "??z"},
		{"\xc1\xbfz", "??z"}, /* longer than need be */
		{"\xc2\x80z", "\xc2\x80z"},
		{"\xdf\xbfz", "\xdf\xbfz"},
		{"\xc2z", "?z"},
		{"\xc2", "?"},
		{"\xc2\xc0z", "??z"},
		{"\xe0\x9f\xbfz", "???z"},
		{"\xe0\xa0\x80z", "\xe0\xa0\x80z"},
		{"\xe1\x80\x80z", "\xe1\x80\x80z"},
		{"\xed\x9f\xbfz", "\xed\x9f\xbfz"},
		{"\xed\xa0\x80z", "???z"},
		{"\xee\x80\x80z", "\xee\x80\x80z"},
		{"\xef\xbf\xbfz", "\xef\xbf\xbfz"},
		{"\xe1\x80z", "??z"},
		{"\xe1\x80", "??"},
		{"\xf0\x8f\xbf\xbfz", "????z"},
		{"\xf0\x90\x80\x80z", "\xf0\x90\x80\x80z"},
		{"\xf3\xbf\xbf\xbfz", "\xf3\xbf\xbf\xbfz"},
		{"\xf4\x8f\xbf\xbfz", "\xf4\x8f\xbf\xbfz"},
		{"\xf4\x90\x80\x80z", "????z"},
		{"\xf5\x80\x80\x80z", "????z"},
		{"\xf1\x80\x80z", "???z"},
		{"\xffz", "?z"},
		{"\xc3\xa9 \xff \xe2\x82\xac", "\xc3\xa9 ? \xe2\x82\xac"},
		{"", ""},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct lockstep_finding f = finding_of("proved", "simt");
		f.message = rows[k].bytes;
		json_object *list = report_finding_list(&f, 1, NULL), *message;
		assert_true(json_object_object_get_ex(json_object_array_get_idx(list, 0), "message", &message));
		if (strcmp(json_object_get_string(message), rows[k].shown))
			fail_msg("row %zu: %s", k, json_object_get_string(message));
		assert_int_equal(json_object_get_string_len(message), strlen(rows[k].shown));
		json_object_put(list);
	}
}

/* JSON's own escapes: RFC 8259, section 7. */
static void controls_are_escaped(void **state)
{
	(void)state;
	struct lockstep_finding f = finding_of("proved", "simt");
	f.message = "\"\\/\b\f\n\r\t\x01\x1f";
	assert_non_null(strstr(json_of(&f, 1), "\"message\":\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\""));
}

static void a_launch_is_json(void **state)
{
	(void)state;
	static const struct lockstep_counter counters[] = {
		{"a__b.sum", "cycles", "x", UINT64_MAX}, {"c", "cycles", "y", 0}};
	struct lockstep_search search = {.verdict = LOCKSTEP_MAY_HANG, .schedules = 5, .states = 6};
	struct lockstep_result r = {.kernel = "_Z3addPii",
		.grid = {1, 2, 3},
		.block = {4, 5, 6},
		.mode = LOCKSTEP_FUNCTIONAL,
		.outcome = LOCKSTEP_LIMIT,
		.cycles = UINT64_MAX,
		.warp_instructions = 8,
		.thread_instructions = 9,
		.wall_seconds = 0.1,
		.registers_per_thread = 11,
		.shared_bytes = 12,
		.groups_per_core = 13,
		.groups = 14,
		.limiter = "shared",
		.counters = counters,
		.counter_count = 2,
		.search = &search};
	json_object *launch = report_launch(&r);
	assert_string_equal(json_object_to_json_string_ext(launch, JSON_C_TO_STRING_PLAIN),
		"{\"kernel\":\"_Z3addPii\",\"demangled\":\"add(int*, "
		"int)\",\"grid\":[1,2,3],\"block\":[4,5,6],\"outcome\":\"limit\","
		"\"cycles\":18446744073709551615,\"warp_instructions\":8,\"thread_instructions\":9,\"wall_seconds\":0."
		"1,"
		"\"registers_per_thread\":11,\"shared_bytes\":12,\"occupancy\":{\"groups_per_core\":13,\"groups\":14,"
		"\"limiter\":\"shared\"},"
		"\"progress\":{\"verdict\":\"may hang\",\"schedules\":5,\"states\":6,\"schedule\":null},"
		"\"counters\":{\"a__b.sum\":18446744073709551615,\"c\":0},\"mode\":\"functional\"}");
	json_object_put(launch);
}

/* The numbers of launches from kernels, where there are any. */
static void families_are_json(void **state)
{
	struct lockstep_result r = {.kernel = "k", .limiter = "", .number = 7, .parent = 5};
	json_object *launch = report_launch(&r);
	(void)state;
	assert_non_null(strstr(json_object_to_json_string_ext(launch, JSON_C_TO_STRING_PLAIN),
		"\"block\":[0,0,0],\"number\":7,\"parent\":5,\"outcome\""));
	json_object_put(launch);
	r.parent = 0;
	r.children = 3;
	launch = report_launch(&r);
	assert_non_null(strstr(json_object_to_json_string_ext(launch, JSON_C_TO_STRING_PLAIN),
		"\"block\":[0,0,0],\"number\":7,\"children\":3,\"outcome\""));
	json_object_put(launch);
}

static void names_are_those_of_the_contract(void **state)
{
	(void)state;
	assert_string_equal(report_outcome(LOCKSTEP_COMPLETED), "completed");
	assert_string_equal(report_outcome(LOCKSTEP_HANG), "hang");
	assert_string_equal(report_outcome(LOCKSTEP_FAULT), "fault");
	assert_string_equal(report_outcome(LOCKSTEP_LIMIT), "limit");
	assert_string_equal(report_outcome(LOCKSTEP_INTERRUPTED), "interrupted");
	assert_string_equal(report_verdict(LOCKSTEP_FINISHES), "always finishes");
	assert_string_equal(report_verdict(LOCKSTEP_MAY_HANG), "may hang");
	assert_string_equal(report_verdict(LOCKSTEP_HANGS), "hangs");
	assert_string_equal(report_verdict(LOCKSTEP_FAULTS), "faults");
	assert_string_equal(report_verdict(LOCKSTEP_UNDECIDED), "undecided");
	assert_string_equal(report_mode(LOCKSTEP_TIMING), "timing");
	assert_string_equal(report_mode(LOCKSTEP_FUNCTIONAL), "functional");
}

/* ---- SARIF 2.1.0 ---- */

static struct text sarif_text(const struct lockstep_finding *findings, size_t count)
{
	struct text out = {.arena = &arena};
	json_object *list = report_finding_list(findings, count, NULL);
	sarif_write(&out, "bin/app", list);
	json_object_put(list);
	return out;
}

static json_object *sarif_of(const struct lockstep_finding *findings, size_t count)
{
	json_object *log = json_tokener_parse(sarif_text(findings, count).at);
	assert_non_null(log);
	return log;
}

/* The value at a path such as "runs/0/results/1/level", as JSON. */
static const char *at(json_object *log, const char *path)
{
	json_object *found = NULL;
	char pointer[200];
	snprintf(pointer, sizeof pointer, "/%s", path);
	if (json_pointer_get(log, pointer, &found))
		return "absent";
	return json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

static void each_rule_is_named_once(void **state)
{
	(void)state;
	/* 3.19.23: the rules of a driver are unique; 3.27.10: error, warning, note. */
	const struct lockstep_finding findings[] = {finding_of("proved", "simt"), finding_of("suspected", "no-remedy"),
		finding_of("noted", "simt"), finding_of("suspected", "no-remedy"), finding_of("noted", "another")};
	json_object *log = sarif_of(findings, 5);
	assert_string_equal(at(log, "runs/0/tool/driver/name"), "\"Lockstep\"");
	/* without a line: what ran, as GitHub refuses a result without a place */
	assert_string_equal(at(log, "runs/0/results/0/locations"),
		"[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"bin/app\"},\"region\":{\"startLine\":1}}}]");
	assert_string_equal(at(log, "runs/0/tool/driver/rules/0/id"), "\"hang/simt\"");
	assert_string_not_equal(at(log, "runs/0/tool/driver/rules/0/help/text"), "absent");
	assert_string_equal(at(log, "runs/0/tool/driver/rules/1"), "{\"id\":\"hang/no-remedy\"}");
	assert_string_equal(at(log, "runs/0/tool/driver/rules/2/id"), "\"hang/another\"");
	assert_string_equal(at(log, "runs/0/tool/driver/rules/3"), "absent");
	assert_string_equal(at(log, "runs/0/results/0/level"), "\"error\"");
	assert_string_equal(at(log, "runs/0/results/1/level"), "\"warning\"");
	assert_string_equal(at(log, "runs/0/results/2/level"), "\"note\"");
	assert_string_equal(at(log, "runs/0/results/3/ruleId"), "\"hang/no-remedy\"");
	assert_string_equal(at(log, "runs/0/results/4/ruleId"), "\"hang/another\"");
	assert_string_equal(at(log, "runs/0/results/5"), "absent");
	assert_string_equal(at(log, "version"), "\"2.1.0\"");
	assert_string_equal(at(log, "$schema"), "\"https://json.schemastore.org/sarif-2.1.0.json\"");
	json_object_put(log);
}

/* A member on each line, indented, with a space behind its colon; slashes as they are; one end of line behind all. */
static void a_log_can_be_read_by_people(void **state)
{
	(void)state;
	struct lockstep_finding f = finding_of("proved", "simt");
	struct text log = sarif_text(&f, 1);
	assert_non_null(strstr(log.at, "\n  \"version\": \"2.1.0\""));
	assert_non_null(strstr(log.at, ": \"hang/simt\""));
	assert_int_equal(log.length, strlen(log.at));
	assert_true(log.length > 3);
	assert_string_equal(log.at + log.length - 3, "\n}\n");
}

/* "barrier" is the cause of hangs and of faults: a barrier that does not exist is not mended as one that not all reach.
 */
static void only_hangs_and_spins_have_the_remedies_of_hangs(void **state)
{
	(void)state;
	struct lockstep_finding findings[] = {
		finding_of("proved", "barrier"), finding_of("proved", "barrier"), finding_of("suspected", "barrier")};
	findings[1].kind = "fault";
	findings[2].kind = "spin";
	json_object *log = sarif_of(findings, 3);
	assert_string_not_equal(at(log, "runs/0/tool/driver/rules/0/help/text"), "absent");
	assert_string_equal(at(log, "runs/0/tool/driver/rules/1"), "{\"id\":\"fault/barrier\"}");
	assert_string_not_equal(at(log, "runs/0/tool/driver/rules/2/help/text"), "absent");
	json_object_put(log);
}

static void the_first_line_is_the_place_and_the_others_are_related(void **state)
{
	(void)state;
	struct lockstep_finding f = full_finding();
	f.line_count = 3;
	json_object *log = sarif_of(&f, 1);
	assert_string_equal(at(log, "runs/0/results/0/message/text"), "\"blocked\"");
	assert_string_equal(at(log, "runs/0/results/0/occurrenceCount"), "3");
	assert_string_equal(at(log, "runs/0/results/0/locations"),
		"[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"none/"
		"a%20b.ptx\"},\"region\":{\"startLine\":12}},"
		"\"message\":{\"text\":\"waits here\"}}]");
	assert_string_equal(at(log, "runs/0/results/0/relatedLocations"),
		"[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"file:///none/"
		"c.ptx\"},\"region\":{\"startLine\":7}}},"
		"{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"none/d.ptx\"},\"region\":{\"startLine\":9}},"
		"\"message\":{\"text\":\"lets it go\"}}]");
	json_object_put(log);
}

/* A call's line, and below it the lines within the functions that were inlined there, the helper's source once. */
static void calls_that_were_inlined_have_their_lines(void **state)
{
	(void)state;
	char path[] = "/tmp/lockstep-inlined-XXXXXX";
	int file = mkstemp(path);
	assert_int_equal(write(file, "one\ntwo\nthree\n", 14), 14);
	close(file);
	const struct lockstep_frame first[] = {{path, 1, "wait<int>"}, {"none/own.h", 5, NULL}},
				    second[] = {{path, 1, "wait<int>"}};
	const struct lockstep_line two[] = {
		{.file = "none/k.cu", .line = 3, .role = "waits here", .inlined = first, .inlined_count = 2},
		{.file = "none/k.cu", .line = 4, .inlined = second, .inlined_count = 1}};
	struct lockstep_finding f = finding_of("proved", "simt");
	f.lines = two;
	f.line_count = 2;
	assert_string_equal(text_of(&f), arena_printf(&arena,
						 "hang (simt, proved): m\n"
						 "  at none/k.cu:3: waits here\n"
						 "    in wait<int> at %s:1\n"
						 "  >      1 | one\n"
						 "         2 | two\n"
						 "    in inlined code at none/own.h:5\n"
						 "  at none/k.cu:4\n"
						 "    in wait<int> at %s:1\n",
						 path, path));
	assert_non_null(strstr(json_of(&f, 1), arena_printf(&arena,
						       "\"lines\":[{\"file\":\"none/k.cu\",\"line\":3,\"role\":\"waits "
						       "here\",\"inlined\":[{\"file\":\"%s\","
						       "\"line\":1,\"function\":\"wait<int>\"},{\"file\":\"none/"
						       "own.h\",\"line\":5,\"function\":null}]},",
						       path)));
	json_object *log = sarif_of(&f, 1);
	assert_string_equal(at(log, "runs/0/results/0/locations/0/physicalLocation/region/startLine"), "3");
	assert_string_equal(at(log, "runs/0/results/0/relatedLocations/0/message/text"), "\"in wait<int>\"");
	assert_string_equal(at(log, "runs/0/results/0/relatedLocations/1/message/text"), "\"in inlined code\"");
	assert_string_equal(at(log, "runs/0/results/0/relatedLocations/1/physicalLocation/region/startLine"), "5");
	assert_string_equal(at(log, "runs/0/results/0/relatedLocations/2/physicalLocation/region/startLine"), "4");
	assert_string_equal(at(log, "runs/0/results/0/relatedLocations/3/message/text"), "\"in wait<int>\"");
	json_object_put(log);
	unlink(path);
}

/* RFC 3986, 2.3: unreserved characters and '/' stay, all else is percent-encoded. */
static void paths_become_uris(void **state)
{
	(void)state;
	const struct lockstep_line line = {.file = "a-Z09._~/%:#?[]\xc3\xa9", .line = 1};
	struct lockstep_finding f = full_finding();
	f.lines = &line;
	f.line_count = 1;
	json_object *log = sarif_of(&f, 1);
	assert_string_equal(at(log, "runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri"),
		"\"a-Z09._~/%25%3A%23%3F%5B%5D%C3%A9\"");
	json_object_put(log);
}

/* Wherever they are in the list. */
static void the_suspected_are_counted(void **state)
{
	(void)state;
	const struct lockstep_finding list[] = {
		finding_of("suspected", "simt"), finding_of("proved", "simt"), finding_of("suspected", "spin")};
	assert_int_equal(reporter_count_suspected(list, 3), 2);
	assert_int_equal(reporter_count_suspected(list, 1), 1);
	assert_int_equal(reporter_count_suspected(list, 0), 0);
	assert_int_equal(reporter_count_suspected(list + 1, 1), 0);
	assert_int_equal(reporter_count_suspected(list + 1, 2), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finding_is_text),
		cmocka_unit_test(paragraphs_are_broken),
		cmocka_unit_test(a_time_has_a_unit),
		cmocka_unit_test(what_went_wrong_is_coloured),
		cmocka_unit_test(sixteen_threads_are_shown),
		cmocka_unit_test(a_place_has_its_line_and_its_neighbours),
		cmocka_unit_test(a_source_without_a_file),
		cmocka_unit_test(a_finding_is_json),
		cmocka_unit_test(bytes_that_are_not_utf8_become_question_marks),
		cmocka_unit_test(controls_are_escaped),
		cmocka_unit_test(a_launch_is_json),
		cmocka_unit_test(families_are_json),
		cmocka_unit_test_teardown(a_verdict_is_json, finish),
		cmocka_unit_test(names_are_those_of_the_contract),
		cmocka_unit_test(each_rule_is_named_once),
		cmocka_unit_test(a_log_can_be_read_by_people),
		cmocka_unit_test(only_hangs_and_spins_have_the_remedies_of_hangs),
		cmocka_unit_test(the_first_line_is_the_place_and_the_others_are_related),
		cmocka_unit_test(paths_become_uris),
		cmocka_unit_test(calls_that_were_inlined_have_their_lines),
		cmocka_unit_test(the_suspected_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, finish);
}
