/* What profiles say of barriers, fences and lines (report/profile.h): the values of each form worked out by hand, of
 * costs and waits that are all different.  The form of callgrind is that of valgrind's manual, "Callgrind Format
 * Specification". */
#include "report/profile.h"
#include "util/text.h"

#include <json-c/json.h>
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

static int free_memory(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* ---- Barriers and fences ---- */

static const struct lockstep_barrier barriers[] = {
	{"a.cu", 7, "bar.sync 0;", 3, 100, 40, {{1, 2, 3}, {32, 4, 5}, NULL}, 2, 6, 0, {0}, 0, 12, 30},
	{NULL, 9, "ld.volatile.u32;", 5, 100, 0, {{0}, {0}, NULL}, 2, 1, 4, {5, 6, 7}, 0, 0, 0},
	{"a.cu", 7, "bar.sync 2;", 1, 90, 90, {{0, 0, 0}, {64, 0, 0}, NULL}, 1, 3, 0, {0}, 0, 7, 5},
};
static const struct lockstep_fence fences[] = {
	{"b.cu", 11, "fence.acq_rel.gpu;", 4, 200, 20, 30, 50, 100, 70, {{8, 0, 0}, {0, 0, 0}, NULL}, "gpu", 40, 88, 3},
};

static json_object *launch_of(size_t barrier_count, size_t fence_count)
{
	struct lockstep_result result = {.barriers = barriers,
		.barrier_count = barrier_count,
		.fences_waited = fences,
		.fence_count = fence_count};
	json_object *launch = json_object_new_object();

	profile_waits_to(launch, &result);
	return launch;
}

static void waits_are_json(void **state)
{
	json_object *launch = launch_of(2, 1);

	(void)state;
	assert_string_equal(json_object_to_json_string_ext(launch, JSON_C_TO_STRING_PLAIN),
		"{\"barriers\":[{\"file\":\"a.cu\",\"line\":7,\"text\":\"bar.sync 0;\",\"phases\":3,\"waited\":100,"
		"\"idle\":12,\"filling\":30,"
		"\"worst\":{\"group\":[1,2,3],\"thread\":[32,4,5],\"waited\":40},\"last\":{\"warp\":6,\"times\":2}},"
		"{\"file\":\"\",\"line\":9,\"text\":\"ld.volatile.u32;\",\"phases\":5,\"words\":4,\"waited\":100,"
		"\"last\":{\"group\":[5,6,7],\"warp\":1,\"times\":2}}],"
		"\"fences\":[{\"file\":\"b.cu\",\"line\":11,\"text\":\"fence.acq_rel.gpu;\",\"count\":4,\"waited\":200,"
		"\"awaited\":{\"stores\":20,\"atomics\":30,\"loads\":50,\"others\":100},"
		"\"missed_l2\":40,\"fixed\":88,\"emptied_l1\":3,\"scope\":\"gpu\","
		"\"worst\":{\"group\":[8,0,0],\"thread\":[0,0,0],\"waited\":70}}]}");
	json_object_put(launch);
}

/* Two launches: each barrier and fence has the sum, and the worst, and the warp that was last most often in one. */
static void waits_add_up(void **state)
{
	struct profile_kernel kernel = {0};
	const struct profile_wait *first, *none, *other, *fence;

	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		json_object *launch = launch_of(k ? 3 : 2, 1);
		profile_add_waits(&arena, &kernel, launch);
		json_object_put(launch);
	}
	profile_sort_waits(&kernel);
	assert_int_equal(kernel.barriers.list.count, 3);
	assert_int_equal(kernel.fences.list.count, 1);
	/* 200, 200, 90: of equal ones the smaller line first */
	first = &kernel.barriers.list.at[0];
	none = &kernel.barriers.list.at[1];
	other = &kernel.barriers.list.at[2];
	fence = &kernel.fences.list.at[0];
	assert_string_equal(first->text, "bar.sync 0;");
	assert_int_equal(first->times, 6);
	assert_int_equal(first->waited, 200);
	assert_int_equal(first->idle, 24);
	assert_int_equal(first->filling, 60);
	assert_int_equal(first->worst, 40);
	assert_string_equal(first->worst_thread, "group 1,2,3 warp of thread 32,4,5");
	assert_int_equal(first->last_times, 2);
	assert_int_equal(first->last_warp, 6);
	assert_string_equal(none->file, "");
	assert_int_equal(none->line, 9);
	assert_int_equal(none->times, 10);
	assert_int_equal(none->worst, 0);
	assert_int_equal(none->words, 8);
	assert_string_equal(none->last_group, "5,6,7");
	assert_int_equal(first->words, 0);
	assert_null(first->last_group);
	assert_string_equal(other->text, "bar.sync 2;");
	assert_int_equal(other->times, 1);
	assert_int_equal(fence->times, 8);
	assert_int_equal(fence->waited, 400);
	assert_int_equal(fence->stores, 40);
	assert_int_equal(fence->atomics, 60);
	assert_int_equal(fence->loads, 100);
	assert_int_equal(fence->others, 200);
	assert_int_equal(fence->missed, 80);
	assert_int_equal(fence->fixed, 176);
	assert_int_equal(fence->emptied, 6);
	assert_string_equal(fence->scope, "gpu");
	assert_int_equal(fence->worst, 70);
}

static const char *text_of_waits(uint32_t barrier_count, uint32_t fence_count)
{
	struct profile_kernel kernel = {0};
	struct text out = {.arena = &arena};

	for (uint32_t k = 0; k < barrier_count; k++)
		*vector_push(&arena, &kernel.barriers.list) = (struct profile_wait){.file = "/home/a.cu",
			.text = "bar.sync 0;",
			.line = 7 + k,
			.times = k ? 4 : 0,
			.waited = 1010,
			.idle = k ? 20 : 0,
			.filling = k ? 48 : 0,
			.words = k == 2};
	for (uint32_t k = 0; k < fence_count; k++)
		*vector_push(&arena, &kernel.fences.list) = (struct profile_wait){.file = "b.cu",
			.text = "membar.gl;",
			.line = 11 + k,
			.times = 4,
			.waited = k ? 0 : 200,
			.worst = k ? 0 : 1070,
			.worst_thread = "group 8,0,0 warp of thread 0,0,0",
			.stores = k ? 0 : 20,
			.atomics = k ? 0 : 30,
			.loads = k ? 0 : 50,
			.others = k ? 0 : 100,
			.missed = k ? 0 : 40,
			.fixed = k ? 0 : 88,
			.emptied = k ? 0 : 3000,
			.scope = k ? NULL : "sys"};
	profile_text_waits(&out, &kernel);
	text_append(&out, "", 0);
	return out.length ? out.at : "";
}

static uint32_t count_of(const char *text, const char *part)
{
	uint32_t count = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		count++;
	}
	return count;
}

static void waits_are_text(void **state)
{
	const char *text = text_of_waits(3, 2);

	(void)state;
	assert_string_equal(text_of_waits(0, 0), "");
	/* none opened: nothing for each; 1,010 of 4 are 252.5, which is rounded to the even 252 */
	assert_non_null(strstr(text, "             0           1,010            0        0        0   warp 0           "
				     " 0  a.cu:7  bar.sync 0;\n"));
	assert_non_null(strstr(text, "             4           1,010          252        5       12   warp 0           "
				     " 0  a.cu:8  bar.sync 0;\n"));
	/* words that are polled have no phases that are idle */
	assert_non_null(strstr(text, "             4           1,010          252                     warp 0           "
				     " 0  a.cu:9  bar.sync 0;, polled\n"));
	/* 20, 30, 50, 100 and 40 of 200; 88 of 4 */
	assert_non_null(strstr(text, "             4             200         50     22     10%      15%     25%     "
				     "50%      20%      3,000  "
				     "sys      b.cu:11  membar.gl;\n"
				     "               group 8,0,0 warp of thread 0,0,0 waited longest, 1,070 cycles\n"));
	assert_non_null(strstr(text, "             4               0          0      0      0%       0%      0%      "
				     "0%       0%          0  "
				     "         b.cu:12  membar.gl;\n"));
	assert_int_equal(count_of(text, "waited longest"), 1);
	assert_int_equal(count_of(text, "more"), 0);
	/* eight are shown */
	assert_int_equal(count_of(text_of_waits(8, 0), "bar.sync"), 8);
	assert_null(strstr(text_of_waits(8, 0), "more barriers"));
	assert_int_equal(count_of(text_of_waits(9, 10), "bar.sync"), 8);
	assert_int_equal(count_of(text_of_waits(9, 10), "membar"), 8);
	assert_non_null(strstr(text_of_waits(9, 10), "and 1 more barrier (--report json has it)"));
	assert_non_null(strstr(text_of_waits(9, 10), "and 2 more fences"));
}

/* ---- Locks ---- */

static const struct lockstep_lock_site sites[] = {{"a.cu", 3, 5, 6}, {NULL, 4, 1, 2}};
static const struct lockstep_lock locks[] = {
	{"0x100", 0, 6, 8, 5, 90, 70, 1, 2, 3, 60, {{1, 2, 3}, {4, 5, 6}, NULL}, sites, 2},
	{"0x200", 9, 7, 0, 0, 0, 14, 0, 0, 0, 0, {{0}, {0}, NULL}, NULL, 0},
};

static void locks_are_json_and_add_up(void **state)
{
	struct profile_kernel kernel = {0};
	struct lockstep_result result = {.locks = locks, .lock_count = 2};
	struct text out = {.arena = &arena};
	json_object *launch = json_object_new_object();

	(void)state;
	json_object_object_add(launch, "locks", profile_locks(&result));
	assert_string_equal(json_object_to_json_string_ext(launch, JSON_C_TO_STRING_PLAIN),
		"{\"locks\":[{\"address\":\"0x100\",\"acquires\":6,\"failed\":8,\"longest_queue\":5,\"waited\":90,"
		"\"held\":70,"
		"\"from_same_warp\":1,\"from_same_core\":2,\"from_other_core\":3,"
		"\"worst\":{\"group\":[1,2,3],\"thread\":[4,5,6],\"waited\":60},"
		"\"sites\":[{\"file\":\"a.cu\",\"line\":3,\"acquires\":5,\"failed\":6},"
		"{\"file\":\"\",\"line\":4,\"acquires\":1,\"failed\":2}]},"
		"{\"address\":\"0x200\",\"groups\":9,\"acquires\":7,\"failed\":0,\"longest_queue\":0,\"waited\":0,"
		"\"held\":14,"
		"\"from_same_warp\":0,\"from_same_core\":0,\"from_other_core\":0,\"sites\":[]}]}");
	profile_text_locks(&out, &kernel);
	assert_int_equal(out.length, 0);
	for (uint32_t k = 0; k < 2; k++)
		profile_add_locks(&arena, &kernel, launch);
	json_object_put(launch);
	profile_sort_locks(&kernel);
	assert_int_equal(kernel.locks.count, 2);
	profile_text_locks(&out, &kernel);
	/* twice as much of all but the longest queue, and held each 140 / 12, 28 / 14 */
	assert_non_null(strstr(out.at,
		"\n          12           16        5             180         12       2       4       6  0x100\n"
		"             group 1,2,3 thread 4,5,6 waited longest, 60 cycles\n"
		"          14            0        0               0          2       0       0       0  0x200, of 18 "
		"groups\n"));
}

/* The lock for which most was waited first, then that which failed most, then by address; eight are shown. */
static void locks_have_an_order(void **state)
{
	static const struct profile_lock unordered[] = {{.address = "c", .waited = 1, .failed = 1}, {.address = "b"},
		{.address = "a", .waited = 1, .failed = 2}, {.address = "d", .waited = 2}, {.address = "a2"}};
	static const char *const order[] = {"d", "a", "c", "a2", "b"};
	struct profile_kernel kernel = {0};
	struct text out = {.arena = &arena};

	(void)state;
	for (uint32_t k = 0; k < 5; k++)
		*vector_push(&arena, &kernel.locks) = unordered[k];
	profile_sort_locks(&kernel);
	for (uint32_t k = 0; k < 5; k++)
		assert_string_equal(kernel.locks.at[k].address, order[k]);
	for (uint32_t k = 0; k < 4; k++)
		*vector_push(&arena, &kernel.locks) = (struct profile_lock){.address = "more"};
	profile_text_locks(&out, &kernel);
	assert_int_equal(count_of(out.at, "  more\n"), 3);
	assert_non_null(strstr(out.at, "  and 1 more lock (--report json has it)\n"));
}

/* ---- Callgrind ---- */

static void add_line(struct profile_kernel *kernel, const char *file, uint64_t line, uint64_t issued, uint64_t stalled)
{
	struct profile_cost cost = {.issued = issued, .lanes = 32 * issued, .values = {[1] = stalled}};

	*vector_push(&arena, &kernel->lines) = (struct profile_line){.file = file, .line = line, .cost = cost};
	profile_add_cost(&kernel->cost, &cost);
}

/* A kernel is a function in the file of its first line, fl; lines of another file are included in it, fi, until the
 * file changes again; each line has its cycles (issued and stalled), what was issued, its lanes, and the counters of
 * which any kernel has a part. */
static void lines_are_callgrind(void **state)
{
	struct profile profile = {.arena = &arena};
	struct profile_kernel *k = vector_push(&arena, &profile.kernels);
	struct text out = {.arena = &arena};
	const char *stall = lockstep_profiled(1), *dot = strchr(stall, '.');

	(void)state;
	*k = (struct profile_kernel){.name = "k"};
	add_line(k, "a.cu", 3, 2, 5);
	add_line(k, "a.cu", 4, 1, 0);
	add_line(k, "b.h", 5, 3, 1);
	add_line(k, "b.h", 6, 4, 0);
	add_line(k, "", 0, 5, 0);
	add_line(k, "a.cu", 7, 6, 0);
	k = vector_push(&arena, &profile.kernels);
	*k = (struct profile_kernel){.name = "second"};
	add_line(k, "a.cu", 9, 1, 1);
	profile_form_of("x.callgrind")(&out, &profile);
	assert_string_equal(out.at,
		arena_printf(&arena,
			"# callgrind format\nversion: 1\ncreator: lockstep\npositions: line\n"
			"event: Cycles : scheduler cycles, issuing or stalled\nevent: Issued : warp instructions\n"
			"event: Lanes : lane instructions\nevents: Cycles Issued Lanes %.*s\n"
			"summary: 29 22 704 7\n"
			"\nfl=a.cu\nfn=k\n3 7 2 64 5\n4 1 1 32 0\nfi=b.h\n5 4 3 96 1\n6 4 4 128 0\nfi=???\n0 5 5 160 "
			"0\n"
			"fi=a.cu\n7 6 6 192 0\n"
			"\nfl=a.cu\nfn=second\n9 2 1 32 1\n",
			dot ? (int)(dot - stall) : (int)strlen(stall), stall));
}

/* ---- Text ---- */

static const char *text_of_line(const char *file)
{
	struct profile profile = {.arena = &arena};
	struct profile_kernel *k = vector_push(&arena, &profile.kernels);
	struct text out = {.arena = &arena};
	*k = (struct profile_kernel){.name = "k"};
	add_line(k, file, 7, 9, 9);
	*vector_push(&arena, &k->lines.at[0].instructions) =
		(struct profile_instruction){.pc = 5, .text = "add", .cost = {.issued = 4}};
	*vector_push(&arena, &k->lines.at[0].instructions) =
		(struct profile_instruction){.pc = 6, .text = "sub", .cost = {.issued = 1, .values = {[1] = 4}}};
	profile_text(&out, &profile);
	return out.at;
}

/* A line whose source nobody has is told by its costliest instruction, 5 cycles of 9; PTX that was in a program leads
 * to the compiler's option. */
static void lines_without_source_have_an_instruction(void **state)
{
	(void)state;
	assert_non_null(strstr(text_of_line("/none/x.ptx"), " x.ptx:7  sub\n"));
	assert_non_null(strstr(text_of_line("/none/x.ptx"), "nvcc -lineinfo"));
	assert_non_null(strstr(text_of_line("/none/x.cu"), " x.cu:7  sub\n"));
	assert_null(strstr(text_of_line("/none/x.cu"), "nvcc -lineinfo"));
}

/* Launches of a kernel add up, line by line and instruction by instruction. */
static void lines_are_read_and_add_up(void **state)
{
	struct profile profile = {.arena = &arena};
	json_object *launch = json_tokener_parse(
		"{\"kernel\": \"k\", \"counters\": {\"smsp__issue_stalled_no_warp.sum\": 6}, \"lines\": [{\"file\": "
		"\"a.cu\", "
		"\"line\": 7, \"issued\": 2, \"lanes\": 30, \"stalls\": {\"wait\": 4}, \"counters\": {}, "
		"\"instructions\": "
		"[{\"pc\": 3, \"text\": \"add\", \"issued\": 1, \"lanes\": 20, \"stalls\": {\"wait\": 3}, "
		"\"counters\": {}}, "
		"{\"pc\": 4, \"text\": \"sub\", \"issued\": 5, \"lanes\": 10, \"stalls\": {}, \"counters\": {}}]}]}");
	(void)state;
	for (uint64_t k = 1; k <= 2; k++) {
		profile_add(&profile, launch, 32);
		assert_int_equal(profile.kernels.count, 1);
		const struct profile_kernel *kernel = &profile.kernels.at[0];
		const struct profile_line *line = &kernel->lines.at[0];
		assert_int_equal(kernel->launches, k);
		assert_int_equal(kernel->idle, 6 * k);
		assert_int_equal(kernel->warp_size, 32);
		assert_int_equal(kernel->lines.count, 1);
		assert_string_equal(line->file, "a.cu");
		assert_int_equal(line->line, 7);
		assert_int_equal(line->cost.issued, 2 * k);
		assert_int_equal(line->cost.lanes, 30 * k);
		assert_int_equal(profile_stalled(&line->cost), 4 * k);
		assert_int_equal(profile_cycles(&kernel->cost), 6 * k);
		assert_int_equal(kernel->cost.lanes, 30 * k);
		assert_int_equal(line->instructions.count, 2);
		assert_int_equal(line->instructions.at[0].cost.lanes, 20 * k);
		assert_int_equal(profile_stalled(&line->instructions.at[0].cost), 3 * k);
		assert_string_equal(line->instructions.at[1].text, "sub");
		assert_int_equal(line->instructions.at[1].cost.issued, 5 * k);
	}
	json_object_put(launch);
}

/* A file of twelve lines, of which lines 3 and 11 cost 30 and 10 cycles of 40. */
static void sources_have_their_lines_parts(void **state)
{
	struct profile profile = {.arena = &arena};
	struct profile_kernel *k = vector_push(&arena, &profile.kernels);
	struct text out = {.arena = &arena};
	char file[] = "/tmp/lockstep-profile-test-XXXXXX";
	int descriptor = mkstemp(file);
	(void)state;
	assert_true(descriptor >= 0);
	for (int line = 1; line <= 12; line++)
		dprintf(descriptor, "line %d\n", line);
	close(descriptor);
	*k = (struct profile_kernel){.name = "k", .launches = 2, .warp_size = 32, .idle = 7};
	add_line(k, file, 3, 20, 10);
	add_line(k, file, 11, 4, 6);
	k->lines.at[1].cost.lanes = 32; /* of 4 x 32 */
	profile_sort(&profile);
	profile_text(&out, &profile);
	unlink(file);
	const char *name = strrchr(file, '/') + 1;
	assert_non_null(strstr(out.at,
		arena_printf(&arena,
			"profile of k, 2 launches: 40 scheduler cycles, 60.0 %% of them with an issue; no warp was "
			"resident in another 7\n\n"
			"    share          cycles        issued   lanes  stalled for    line\n"
			"   75.0 %%              30            20 100.0 %%  wait 33 %%      %s:3  line 3\n"
			"   25.0 %%              10             4  25.0 %%  wait 60 %%      %s:11  line 11\n\n  %s\n"
			"          |     1  line 1\n          |     2  line 2\n   75.0 %% |     3  line 3\n"
			"          |     4  line 4\n          |     5  line 5\n      ... |\n"
			"          |     9  line 9\n          |    10  line 10\n   25.0 %% |    11  line 11\n"
			"          |    12  line 12\n\n",
			name, name, file)));
}

/* ---- Speedscope ---- */

static json_object *element(json_object *object, const char *array, size_t k)
{
	return json_object_array_get_idx(json_object_object_get(object, array), k);
}

static const char *frame_name(json_object *file, json_object *sample, size_t k)
{
	size_t frame = (size_t)json_object_get_int(json_object_array_get_idx(sample, k));

	return json_object_get_string(
		json_object_object_get(element(json_object_object_get(file, "shared"), "frames", frame), "name"));
}

/* What an instruction was issued, and what it was waited for, are a stack each; what is 0 is none. */
static void stacks_are_speedscope(void **state)
{
	struct profile profile = {.arena = &arena};
	struct profile_kernel *k = vector_push(&arena, &profile.kernels);
	struct text out = {.arena = &arena};
	char reason[PROFILE_REASON];
	json_object *file, *one;

	(void)state;
	*k = (struct profile_kernel){.name = "k"};
	add_line(k, "/home/a.cu", 3, 9, 9);
	*vector_push(&arena, &k->lines.at[0].instructions) =
		(struct profile_instruction){.pc = 5, .text = "add", .cost = {.issued = 4, .values = {[1] = 7}}};
	*vector_push(&arena, &k->lines.at[0].instructions) =
		(struct profile_instruction){.pc = 6, .text = "sub", .cost = {.values = {[0] = 2}}};
	k = vector_push(&arena, &profile.kernels); /* each kernel's profile begins at 0 */
	*k = (struct profile_kernel){.name = "other"};
	add_line(k, "/home/a.cu", 8, 5, 5);
	*vector_push(&arena, &k->lines.at[0].instructions) =
		(struct profile_instruction){.pc = 1, .text = "mul", .cost = {.issued = 5}};
	profile_form_of("x.speedscope.json")(&out, &profile);
	file = json_tokener_parse(out.at);
	assert_non_null(file);
	one = element(file, "profiles", 1);
	assert_string_equal(json_object_get_string(json_object_object_get(one, "name")), "other");
	assert_int_equal(json_object_get_int64(json_object_object_get(one, "endValue")), 5);
	one = element(file, "profiles", 0);
	assert_string_equal(json_object_get_string(json_object_object_get(one, "name")), "k");
	assert_int_equal(json_object_get_int64(json_object_object_get(one, "endValue")), 13);
	assert_string_equal(
		json_object_to_json_string_ext(json_object_object_get(one, "weights"), JSON_C_TO_STRING_PLAIN),
		"[4,7,2]");
	assert_int_equal(json_object_array_length(json_object_object_get(one, "samples")), 3);
	for (size_t n = 0; n < 3; n++) {
		json_object *sample = element(one, "samples", n);
		const char *what =
			n == 0 ? "issuing" : arena_printf(&arena, "stalled: %s", profile_reason(n == 1, reason));

		assert_int_equal(json_object_array_length(sample), 4);
		assert_string_equal(frame_name(file, sample, 0), "k");
		assert_string_equal(frame_name(file, sample, 1), "a.cu:3");
		assert_string_equal(frame_name(file, sample, 2), n < 2 ? "5: add" : "6: sub");
		assert_string_equal(frame_name(file, sample, 3), what);
	}
	json_object_put(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(waits_are_json, free_memory),
		cmocka_unit_test_teardown(waits_add_up, free_memory),
		cmocka_unit_test_teardown(waits_are_text, free_memory),
		cmocka_unit_test_teardown(locks_are_json_and_add_up, free_memory),
		cmocka_unit_test_teardown(locks_have_an_order, free_memory),
		cmocka_unit_test_teardown(lines_are_callgrind, free_memory),
		cmocka_unit_test_teardown(lines_are_read_and_add_up, free_memory),
		cmocka_unit_test_teardown(sources_have_their_lines_parts, free_memory),
		cmocka_unit_test_teardown(lines_without_source_have_an_instruction, free_memory),
		cmocka_unit_test_teardown(stacks_are_speedscope, free_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
