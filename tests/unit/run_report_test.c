/* The reports of `lockstep run` for people and as JSON, of a summary whose numbers are all different: the head,
 * kernels, launches, streams, notes and findings as they are printed, and each member of the JSON. */
#include "report/reporter.h"
#include "report/suppressions.h"

#include "report/profile.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct suppressions none;
static struct profile profile;
static char *words[] = {(char[]){"./app"}, (char[]){"-x"}, NULL};
static const char *const settings[] = {"a.b=1", "c.d=2"};
static struct kernel_sum kernels[9];
static struct stream_sum streams[21];

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void free_summary(struct run_summary *run)
{
	json_object_put(run->configuration);
	json_object_put(run->launches);
	json_object_put(run->findings);
	json_object_put(run->notes);
	json_object_put(run->unpinned);
	json_object_put(run->provenance);
}

static struct run_summary summary(void)
{
	size_t count = 0;
	struct lockstep_counter counter;
	while (lockstep_counter(count, &counter))
		count++;
	for (size_t k = 0; k < 9; k++)
		kernels[k] = (struct kernel_sum){.name = "none", .counters = arena_new_array(&arena, uint64_t, count)};
	/* of 1,000 cycles 75 and 25 %; 300 of 15 * 32 lanes, and 8 of 1 * 32; 15 / 750 and 1 / 250 instructions a cycle
	 */
	kernels[0] = (struct kernel_sum){"first", 2, 750, 15, 300, 1, 1.25, kernels[0].counters};
	kernels[1] = (struct kernel_sum){"_Z6secondi", 1, 250, 1, 8, 1, 0.25, kernels[1].counters};
	memset(streams, 0, sizeof streams);
	streams[0] = (struct stream_sum){0, 0, 1, 600};
	streams[1] = (struct stream_sum){0, 4, 1, 300};
	streams[2] = (struct stream_sum){3, 5, 1, 100};
	return (struct run_summary){.words = words,
		.status = 3,
		.gpu = "gtx480",
		.mode = LOCKSTEP_TIMING,
		.configuration = json_tokener_parse("{\"clock.core\": 1400000, \"core.warp_size\": 32}"),
		.provenance = json_tokener_parse(
			"{\"lockstep\":\"1.2\",\"modules\":[{\"compiler\":\"cc 1\"},"
			"{\"compiler\":\"cc 1\"},{\"compiler\":\"cc 1\",\"pinned\":true},{\"producer\":\"nvcc\"}]}"),
		.launches = json_tokener_parse(
			"[{\"kernel\": \"first\", \"grid\": [1, 2, 3], \"block\": [4, 5, 6], \"cycles\": 700, "
			"\"warp_instructions\": 14, \"outcome\": \"completed\", \"mode\": \"timing\"}, "
			"{\"kernel\": \"_Z6secondi\", \"grid\": [7, 8, 9], \"block\": [32, 1, 1], \"cycles\": 1250, "
			"\"warp_instructions\": 1, \"outcome\": \"hang\", \"mode\": \"functional\"}]"),
		.findings = json_object_new_array(),
		.notes = json_object_new_array(),
		.unpinned = json_object_new_array(),
		.suppressions = &none,
		.kernels = {kernels, 2, 9},
		.profile = &profile,
		.streams = {streams, 3, 21},
		.simulated = 2800,
		.launch_count = 3,
		.cycles = 1000,
		.seconds = 1.5};
}

static const char *text_of(const struct run_summary *run)
{
	struct text out = {.arena = &arena};
	report_run_text(&out, run);
	return out.at;
}

/* ---- For people ---- */

#define COMPILED "compiled by cc 1\ncompiled by cc 1 (pinned PTX)\n"

static void the_head_says_how_it_ended(void **state)
{
	(void)state;
	struct run_summary run = summary();
	run.style.quiet = true;
	assert_string_equal(text_of(&run), ""); /* nothing went wrong */
	run.went_wrong = true;
	/* 2,800 cycles of 1.4 GHz are 2 us */
	assert_string_equal(text_of(&run), "lockstep: GPU gtx480; ./app exited with status 3; 3 launches of 2 kernels, "
					   "simulated in 1.500 s\n" COMPILED "simulated time 2,800 cycles, 2.000 us\n");
	run.settings = settings;
	run.setting_count = 2;
	run.mode = LOCKSTEP_FUNCTIONAL;
	run.killed = true;
	run.status = SIGTERM;
	run.launch_count = 1;
	run.kernels.count = 1;
	run.simulated = 0;
	assert_string_equal(text_of(&run),
		"lockstep: GPU gtx480 with a.b=1, c.d=2; functional mode; ./app was killed by "
		"signal 15 (Terminated); 1 launch of 1 kernel, simulated in 1.500 s\n" COMPILED);
	run.launch_count = 0;
	run.setting_count = 1;
	run.went_wrong = false;
	json_object_array_add(run.notes, json_object_new_string("one"));
	json_object_array_add(run.notes, json_object_new_string("two"));
	assert_string_equal(text_of(&run),
		"lockstep: GPU gtx480 with a.b=1; functional mode; ./app was killed by signal "
		"15 (Terminated)\n" COMPILED "\nnote: one\nnote: two\n");
	run.nothing = "it did not ask";
	run.style.quiet = false;
	run.style.counters = true;
	assert_string_equal(text_of(&run),
		"lockstep: GPU gtx480 with a.b=1; functional mode; ./app was killed by signal 15 "
		"(Terminated)\n" COMPILED "nothing ran on the simulated GPU: it did not ask\n\nnote: one\nnote: two\n");
	free_summary(&run);
}

#define KERNELS                                                                                                        \
	"\nkernels, the costliest first\n"                                                                             \
	"           cycles   share launches warp instructions    SIMD     IPC  kernel\n"                               \
	"              750  75.0 %        2                15  62.5 %   0.020  first\n"                                \
	"              250  25.0 %        1                 1  25.0 %   0.004  second\n"
#define LAUNCHES                                                                                                       \
	"\nlaunches, in order\n"                                                                                       \
	"               cycles warp instructions  outcome    mode       grid x block        kernel\n"                  \
	"      0           700                14  completed  timing     1,2,3 x 4,5,6       first\n"                   \
	"      1         1,250                 1  hang       functional 7,8,9 x 32,1,1      second\n"
#define STREAMS                                                                                                        \
	"\nstreams and queues\n"                                                                                       \
	"           cycles   share launches  stream\n"                                                                 \
	"              600  60.0 %        1  0\n"                                                                      \
	"              300  30.0 %        1  4\n"                                                                      \
	"              100  10.0 %        1  5 of process 3\n"

static const char *from(const char *all, const char *part)
{
	const char *found = strstr(all, part);
	if (!found)
		fail_msg("no '%s' in\n%s", part, all);
	return found;
}

static void kernels_launches_and_streams_are_tables(void **state)
{
	(void)state;
	struct run_summary run = summary();
	assert_string_equal(from(text_of(&run), "\nkernels, "), KERNELS LAUNCHES STREAMS);
	assert_null(strstr(text_of(&run), "launches overlapped"));
	run.simulated = 999; /* less than the launches' cycles */
	from(text_of(&run), "  launches overlapped: cycles in which several ran count for each of them\n");
	run.streams.count = 1;
	assert_string_equal(from(text_of(&run), "\nkernels, "), KERNELS LAUNCHES);
	/* Shares of nothing are nothing. */
	run.cycles = 0;
	kernels[1].cycles = 0;
	kernels[1].warp_instructions = 0;
	from(text_of(&run), "\n                0   0.0 %        1                 0   0.0 %   0.000  second\n");
	free_summary(&run);
}

/* What is too much to read is counted. */
static void the_rest_is_counted(void **state)
{
	(void)state;
	struct run_summary run = summary();
	run.streams.count = 20;
	run.launch_count = 100;
	assert_null(strstr(text_of(&run), " more "));
	run.streams.count = 21;
	from(text_of(&run), "  and 1 more (--report json has it)\n");
	run.streams.count = 0;
	json_object *launch = json_object_array_get_idx(run.launches, 0);
	while (json_object_array_length(run.launches) < 101)
		json_object_array_add(run.launches, json_object_get(launch));
	run.launch_count = 103;
	const char *text = text_of(&run);
	from(text, "\n     99           700 ");
	assert_null(strstr(text, "\n    100 "));
	from(text, "  and 3 more (--report json has them all)\n");
	/* Counters of the eight costliest kernels. */
	run.style.counters = true;
	run.kernels.count = 8;
	text = text_of(&run);
	from(text, "\n\nkernel first, all launches\n");
	from(text, "\n\nkernel second, all launches\n");
	assert_null(strstr(text, "more kernels"));
	run.kernels.count = 9;
	from(text_of(&run), "\n  and 1 more kernel (--report json has it)\n");
	free_summary(&run);
}

/* ---- As JSON ---- */

static const char *json_of(const struct run_summary *run)
{
	struct text out = {.arena = &arena};
	report_run_json(&out, run);
	assert_int_equal(out.at[out.length - 1], '\n');
	json_object *object = json_tokener_parse(out.at);
	assert_non_null(object);
	json_object_object_del(object, "sources");
	const char *text = arena_text(&arena,
		json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	return text;
}

static void each_member_has_its_own_value(void **state)
{
	(void)state;
	struct run_summary run = summary();
	json_object_put(run.launches);
	run.launches = json_tokener_parse("[{\"kernel\":\"first\"}]");
	json_object_array_add(run.notes, json_object_new_string("one"));
	json_object_array_add(run.findings, json_tokener_parse("{\"kind\":\"hang\"}"));
	json_object_array_add(run.findings, json_tokener_parse("{\"kind\":\"leak\",\"suppression\":\"s\"}"));
#define CONFIGURATION "\"configuration\":{\"clock.core\":1400000,\"core.warp_size\":32}"
#define PROVENANCE                                                                                                     \
	",\"provenance\":{\"lockstep\":\"1.2\",\"modules\":[{\"compiler\":\"cc 1\"},{\"compiler\":\"cc 1\"},"          \
	"{\"compiler\":\"cc 1\",\"pinned\":true},{\"producer\":\"nvcc\"}]}"
#define BEHIND                                                                                                         \
	"\"launches\":[{\"kernel\":\"first\"}],\"kernels\":["                                                          \
	"{\"kernel\":\"first\",\"launches\":2,\"cycles\":750,\"warp_instructions\":15,\"thread_instructions\":300,"    \
	"\"wall_seconds\":1.25},"                                                                                      \
	"{\"kernel\":\"_Z6secondi\",\"launches\":1,\"cycles\":250,\"warp_instructions\":1,\"thread_instructions\":8,"  \
	"\"wall_seconds\":0.25}],"                                                                                     \
	"\"streams\":[{\"process\":0,\"stream\":0,\"launches\":1,\"cycles\":600},"                                     \
	"{\"process\":0,\"stream\":4,\"launches\":1,\"cycles\":300},"                                                  \
	"{\"process\":3,\"stream\":5,\"launches\":1,\"cycles\":100}],\"simulated_cycles\":2800,"                       \
	"\"findings\":[{\"kind\":\"hang\"}]"
	assert_string_equal(json_of(&run),
		"{\"schema\":\"lockstep-report/1\",\"gpu\":\"gtx480\"," CONFIGURATION PROVENANCE
		",\"program\":{\"words\":[\"./app\",\"-x\"],\"status\":3}," BEHIND
		",\"notes\":[\"one\"],\"buffers\":{}}");
	/* Killed, without a GPU, with entries that suppress and what was compiled though it is pinned. */
	struct suppression entries[] = {{.place = {"s.txt", 2, 1}, .name = "s", .findings = 1, .count = 4}};
	struct suppressions some = {{entries, 1, 1}};
	run.suppressions = &some;
	run.killed = true;
	run.status = 9;
	run.nothing = "it is gone";
	json_object_put(run.configuration);
	run.configuration = NULL;
	json_object_array_add(run.unpinned, json_tokener_parse("{\"source\":\"a.cl\"}"));
	assert_string_equal(json_of(&run),
		"{\"schema\":\"lockstep-report/1\",\"gpu\":\"gtx480\",\"configuration\":{}" PROVENANCE
		",\"program\":{\"words\":[\"./app\",\"-x\"],\"signal\":9},\"unpinned\":[{\"source\":\"a.cl\"}]," BEHIND
		",\"suppressed\":[{\"name\":\"s\",\"file\":\"s.txt\",\"line\":2,\"findings\":1,\"count\":4}],"
		"\"notes\":[\"one\",\"nothing ran on the simulated GPU: it is gone\"],\"buffers\":{}}");
	free_summary(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_head_says_how_it_ended, end),
		cmocka_unit_test_teardown(kernels_launches_and_streams_are_tables, end),
		cmocka_unit_test_teardown(the_rest_is_counted, end),
		cmocka_unit_test_teardown(each_member_has_its_own_value, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
