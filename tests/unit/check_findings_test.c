/* What --check found, as findings: each word and number in its place, by hand from the rows of causes.def and
 * details.def and from docs/races.md and docs/checks.md; and each told once, in the launch in which it was seen first.
 */
#include "api/found.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Each instruction is on a line of its own. */
static const char ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
			  ".visible .entry k(.param .u64 m) {\n"
			  ".shared .align 8 .b8 box[64];\n"
			  ".reg .b64 %a; .reg .b32 %v; .reg .b16 %h; .reg .pred %p;\n"
			  "ld.param.u64 %a, [m];\n"
			  "ld.global.u32 %v, [%a];\n"          /* 8 */
			  "st.global.u8 [%a], %h;\n"           /* 9 */
			  "atom.global.add.u32 %v, [%a], 1;\n" /* 10 */
			  "atom.acq_rel.cta.global.add.u32 %v, [%a], 1;\n"
			  "ld.volatile.global.u32 %v, [%a];\n" /* 12 */
			  "ld.acquire.sys.global.u8 %h, [%a];\n"
			  "st.release.cluster.global.u32 [%a], %v;\n" /* 14 */
			  "st.relaxed.gpu.global.u16 [%a], %h;\n"
			  "ld.mmio.relaxed.sys.global.u32 %v, [%a];\n" /* 16 */
			  "bar.sync 0;\n"
			  "cp.async.ca.shared.global [box], [%a], 4;\n" /* 18 */
			  "bar.sync 1;\n"
			  "st.shared.u32 [box+8], %v;\n" /* 20 */
			  "ldslk.shared.b32 %v, [box];\n"
			  "stsul.shared.b32 [box], %v;\n" /* 22 */
			  "exit;\n}\n";

static struct lockstep *gpu;
static const struct kernel *kernel;
static struct started started;

static int begin(void **state)
{
	static const struct lockstep_result result = {.number = 3, .grid = {4, 3, 2}, .block = {8, 4, 2}};
	static const char *const settings[] = {"shared.lock_bits=1024", NULL};
	struct lockstep_error error;
	struct lockstep_options options = {.size = sizeof options, .settings = settings};
	struct lockstep_module *module;

	(void)state;
	gpu = lockstep_open(&options, &error);
	module = lockstep_load(gpu, "k.ptx", ptx, &error);
	if (!module) {
		print_error("%s\n", error.message);
		return 1;
	}
	kernel = api_decode(module, 0, &error)->kernel;
	started = (struct started){.result = result, .kernel = kernel};
	return lockstep_allocate(gpu, 64, "out") == 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(&started.arena);
	lockstep_close(gpu);
	return 0;
}

static uint32_t pc_of(uint32_t line)
{
	uint32_t pc = 0;

	while (kernel_ptx_place(kernel, pc).line != line)
		pc++;
	return pc;
}

static const char *out_at(uint32_t offset)
{
	uint64_t address;

	for (address = GLOBAL_BASE; !space_find(&gpu->gpu.space, address, 1); address += 16)
		;
	return arena_printf(&started.arena, "0x%llx (buf 'out' + 0x%x)", (unsigned long long)address + offset, offset);
}

static uint64_t out_address(void)
{
	return strtoull(out_at(0), NULL, 16);
}

/* ---- Races ---- */

/* Group 22 of 4 x 3 x 2 is (2,2,1), thread 44 of 8 x 4 x 2 is (4,1,1). */
static struct found_side side_at(uint32_t line)
{
	return (struct found_side){.kernel = kernel, .pc = pc_of(line), .group = 22, .thread = 44, .launch = 2};
}

static void accesses_are_told_with_order_and_scope(void **state)
{
	static const struct {
		uint32_t line;
		const char *words;
	} rows[] = {{8, "a load of 4 bytes"}, {9, "a store of 1 byte"}, {10, "an atomic of 4 bytes, .relaxed .gpu"},
		{11, "an atomic of 4 bytes, .acq_rel .cta"}, {12, "a load of 4 bytes, .volatile"},
		{13, "a load of 1 byte, .acquire .sys"}, {14, "a store of 4 bytes, .release .cluster"},
		{15, "a store of 2 bytes, .relaxed .gpu"}, {16, "a load of 4 bytes, .mmio"}, {21, "a lock instruction"},
		{22, "a lock instruction"}, {18, "an asynchronous copy (cp.async.ca.global), which writes here"}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct found_side side = side_at(rows[k].line);

		assert_string_equal(access_text(&started.arena, &side), rows[k].words);
	}
	struct found_side copy = side_at(18);
	copy.reads_source = true;
	assert_string_equal(
		access_text(&started.arena, &copy), "an asynchronous copy (cp.async.ca.global), which reads here");
}

static void a_race_has_both_sides(void **state)
{
	struct found found = {.cause = RACE_PLAIN,
		.side = {side_at(9), side_at(10)},
		.places = 2,
		.threads = 2,
		.space = space_GLOBAL,
		.address = out_address() + 4,
		.count = 7,
		.launch = 2};
	struct lockstep_finding f;

	(void)state;
	found.side[0].group = 1;
	found.side[0].thread = 8;
	f = api_found(gpu, &started, &found);
	assert_string_equal(f.kind, "race");
	assert_string_equal(f.certainty, "proved");
	assert_string_equal(f.cause, "plain-and-atomic");
	assert_string_equal(f.message,
		arena_printf(&started.arena,
			"race on %s: group (1,0,0) thread (0,1,0): a store of 1 byte at k.ptx:9; group (2,2,1) thread "
			"(4,1,1): an atomic of 4 bytes, .relaxed .gpu at k.ptx:10: one access is atomic, the other is "
			"plain, and they are not ordered. Make both accesses atomic or volatile, or order them",
			out_at(4)));
	assert_int_equal(f.count, 7);
	assert_int_equal(f.line_count, 2);
	assert_int_equal(f.lines[0].line, 9);
	assert_int_equal(f.lines[1].line, 10);
	assert_string_equal(f.lines[1].file, "k.ptx");
	assert_string_equal(f.lines[0].role, "one access");
	assert_string_equal(f.lines[1].role, "the other access");
	assert_int_equal(f.thread_count, 2);
	assert_int_equal(f.threads[0].thread[1], 1);
	assert_int_equal(f.threads[1].group[2], 1);
	assert_string_equal(f.threads[0].state, "a store of 1 byte");
	assert_int_equal(f.address_count, 1);
	assert_string_equal(f.addresses[0], out_at(4));
	found.cause = RACE_SAME_VALUE;
	assert_string_equal(api_found(gpu, &started, &found).certainty, "noted");
	found.detail = RACE_DETAIL_INIT; /* its words come in place of the cause's */
	f = api_found(gpu, &started, &found);
	assert_non_null(strstr(f.message,
		" at k.ptx:10: one access initialises or invalidates the mbarrier, the other uses it, and no barrier "
		"is between them. Put a work-group barrier after mbarrier.init and before mbarrier.inval"));
}

/* Of another launch the shape is not known: the numbers are flat. */
static void a_race_may_be_with_another_launch(void **state)
{
	struct found found = {.cause = RACE_FENCE,
		.side = {side_at(9), side_at(20)},
		.places = 2,
		.threads = 2,
		.space = space_SHARED,
		.address = 8,
		.heard = out_address(),
		.heard_space = space_GLOBAL,
		.has_heard = true,
		.count = 1};
	struct lockstep_finding f;

	(void)state;
	found.side[0].launch = 0;
	f = api_found(gpu, &started, &found);
	assert_non_null(strstr(f.message,
		"race on shared memory + 0x8 ('box' + 0x8): group (22,0,0) thread (44,0,0) of launch 0 (k): a store of "
		"1 byte at k.ptx:9; group (2,2,1) thread (4,1,1): a store of 4 bytes at k.ptx:20: "));
	assert_non_null(
		strstr(f.message, arena_printf(&started.arena, "is missing (the word is %s). Put a ", out_at(0))));
	assert_int_equal(f.address_count, 2);
	assert_string_equal(f.addresses[1], out_at(0));
}

/* ---- Barriers and masks ---- */

static const char *said(struct found found)
{
	static const char *const between = "group (2,2,1) warp 1: ";
	const char *message = api_found(gpu, &started, &found).message, *at;

	assert_true(!strncmp(message, "barrier misuse at k.ptx:17 (bar.sync): ", 39));
	assert_true(!strncmp(message + 39, between, strlen(between)));
	at = strchr(message + 39 + strlen(between), ':'); /* "what: the rule. The remedy" */
	while (at && strncmp(at, arena_printf(&started.arena, ": %s. ", found_causes[found.cause].what),
			     strlen(found_causes[found.cause].what) + 4))
		at = strchr(at + 1, ':');
	assert_non_null(at);
	assert_int_equal(
		at[strlen(found_causes[found.cause].what) + 4] - 'A', found_causes[found.cause].remedy[0] - 'a');
	return arena_copy(
		&started.arena, message + 39 + strlen(between), (size_t)(at - message - 39) - strlen(between));
}

/* A finding of warp 1 at bar.sync 0, whose other place is, if it has one, bar.sync 1. */
static struct found at_barrier(enum found_cause cause, lane_mask lanes, lane_mask others, bool has_other)
{
	struct found found = {.cause = cause,
		.side = {side_at(17), side_at(19)},
		.places = has_other ? 2 : 1,
		.threads = others ? 2 : 1,
		.count = 5};

	found.side[0].thread = found.side[1].thread = 32;
	found.side[0].lanes = lanes;
	found.side[1].lanes = others;
	found.side[0].value = 48;
	found.side[1].value = 64;
	return found;
}

static void misuse_is_told_by_its_cause(void **state)
{
	static const struct {
		enum found_cause cause;
		bool has_other;
		const char *words;
	} rows[] = {{SYNC_SKIPPED, false, "lane 3 executed it without lanes 4-6, seen later here"},
		{SYNC_SKIPPED, true, "lane 3 executed it without lanes 4-6, seen later at k.ptx:19"},
		{SYNC_MISSING, true, "lane 3 executed it without lanes 4-6, seen later at k.ptx:19"},
		{SYNC_DIFFERENT, true, "lane 3 reached this barrier, and lanes 4-6 reached k.ptx:19"},
		{SYNC_IN_PARTS, false, "lane 3 arrived first, and lanes 4-6 arrived later"},
		{SYNC_IN_PARTS, true, "lane 3 arrived first, and lanes 4-6 arrived later, at k.ptx:19"},
		{SYNC_COUNT, false, "lane 3 gave the thread count 48"},
		{SYNC_NO_COUNT, false, "lane 3 gave the thread count 0"},
		{SYNC_COUNTS, false, "lane 3 gave the thread count 48, and another warp 64"},
		{SYNC_COUNTS, true, "lane 3 gave the thread count 48, and another warp 64 at k.ptx:19"},
		{SYNC_FORMS, false,
			"lane 3 and another warp reached it, one with the thread count 48 and one without a count"},
		{SYNC_FORMS, true,
			"lane 3 and another warp at k.ptx:19 reached it, one with the thread count 48 and one without "
			"a count"},
		{SYNC_MIXED, false, "lane 3 reached the barrier while another form of it is in use"},
		{SYNC_MIXED, true, "lane 3 reached the barrier while another form of it is in use at k.ptx:19"},
		{SYNC_OUTSIDER, false, "lane 3 executed it without being in the mask"},
		{SYNC_MASKS, false, "lane 3 named lanes 4-6, which used another mask"},
		{SYNC_PASSED, true, "lane 3 executed it, and lanes 4-6 went on without it to k.ptx:19"},
		{SYNC_ELSEWHERE, true, "lane 3 executed it while lanes 4-6 executed the one at k.ptx:19"},
		{SYNC_ENDED, false, "lane 3 executed it, and lanes 4-6 had ended"},
		{SYNC_SOURCE, false, "lane 3 read from lanes 4-6"}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		assert_string_equal(said(at_barrier(rows[k].cause, 1 << 3, 7 << 4, rows[k].has_other)), rows[k].words);
}

static void lanes_are_told_in_ranges(void **state)
{
	static const struct {
		lane_mask lanes;
		const char *words;
	} rows[] = {{1, "lane 0"}, {3, "lanes 0-1"}, {5, "lanes 0,2"}, {0x10ffff, "lanes 0-15,20"},
		{0xffffffff, "lanes 0-31"}, {UINT64_MAX, "lanes 0-63"}, {1ull << 63, "lane 63"},
		{3ull << 62 | 1, "lanes 0,62-63"}, {0xf0f0, "lanes 4-7,12-15"}, {UINT64_MAX << 1, "lanes 1-63"}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		assert_string_equal(said(at_barrier(SYNC_OUTSIDER, rows[k].lanes, 0, false)),
			arena_printf(&started.arena, "%s executed it without being in the mask", rows[k].words));
}

/* The first lane of each side is a thread; lane 0 of the warp is thread 32, (0,0,1). */
static void misuse_has_its_threads_and_places(void **state)
{
	struct found found = at_barrier(SYNC_IN_PARTS, 1 << 3, 7 << 12, true);
	struct lockstep_finding f = api_found(gpu, &started, &found);

	(void)state;
	assert_string_equal(f.kind, "barrier-misuse");
	assert_string_equal(f.certainty, "suspected");
	assert_string_equal(f.cause, "divergent-barrier");
	assert_int_equal(f.count, 5);
	assert_int_equal(f.line_count, 2);
	assert_int_equal(f.lines[0].line, 17);
	assert_string_equal(f.lines[0].role, "the instruction");
	assert_int_equal(f.lines[1].line, 19);
	assert_string_equal(f.lines[1].role, "the other place");
	assert_int_equal(f.thread_count, 2);
	assert_int_equal(f.threads[0].thread[0], 3);
	assert_int_equal(f.threads[0].thread[2], 1);
	assert_string_equal(f.threads[0].state, "lane 3");
	assert_int_equal(f.threads[1].thread[0], 4);
	assert_int_equal(f.threads[1].thread[1], 1);
	assert_string_equal(f.threads[1].state, "lanes 12-14");
	found = at_barrier(SYNC_IN_PARTS, 1 << 3, 0, false);
	f = api_found(gpu, &started, &found);
	assert_int_equal(f.line_count, 1);
	assert_int_equal(f.thread_count, 1);
}

/* ---- Uninitialised reads ---- */

static struct lockstep_finding of_read(uint32_t line, struct found found)
{
	found.side[0] = side_at(line);
	found.places = found.threads = 1;
	found.count = 9;
	return api_found(gpu, &started, &found);
}

static void a_read_of_what_nothing_wrote_is_told(void **state)
{
	struct lockstep_finding f;

	(void)state;
	f = of_read(8, (struct found){.cause = INIT_GLOBAL,
			       .space = space_GLOBAL,
			       .address = out_address() + 8,
			       .bytes = 4,
			       .missing = 4});
	assert_string_equal(f.message,
		arena_printf(&started.arena,
			"uninitialised read of %s: group (2,2,1) thread (4,1,1): a load of 4 bytes at k.ptx:8: nothing "
			"has written there. Copy, fill or store to it first",
			out_at(8)));
	assert_string_equal(f.kind, "uninitialised");
	assert_string_equal(f.certainty, "proved");
	assert_string_equal(f.cause, "global-memory");
	assert_string_equal(f.lines->role, "the read");
	assert_int_equal(f.lines->line, 8);
	assert_int_equal(f.line_count, 1);
	assert_int_equal(f.thread_count, 1);
	assert_int_equal(f.address_count, 1);
	assert_int_equal(f.count, 9);
	assert_int_equal(f.threads->thread[0], 4);
	assert_string_equal(f.addresses[0], out_at(8));
	f = of_read(10, (struct found){.cause = INIT_SHARED,
				.space = space_SHARED,
				.address = 8,
				.bytes = 4,
				.missing = 2,
				.is_part = true,
				.may_be_carried = true});
	assert_string_equal(f.message,
		"uninitialised read of shared memory + 0x8 ('box' + 0x8): group (2,2,1) thread (4,1,1): an atomic of 4 "
		"bytes, 2 of them never written at k.ptx:10: nothing has written there, or only a copy of bytes that "
		"were never written. Let a thread store to it first, with a barrier between the store and the read; if "
		"the bytes are only padding of a structure, nothing needs to change");
	assert_string_equal(f.certainty, "suspected");
	assert_string_equal(f.cause, "shared-memory");
	f = of_read(
		18, (struct found){.cause = INIT_LOCAL, .space = space_LOCAL, .address = 4, .bytes = 1, .missing = 1});
	assert_non_null(strstr(f.message, "local memory + 0x4: group (2,2,1) thread (4,1,1): an asynchronous copy of 1 "
					  "byte at k.ptx:18: nothing has written there. Give the variable a value"));
	assert_string_equal(f.cause, "local-memory");
}

/* ---- Told once ---- */

/* Of two uses, the one is seen first in launch 1, the other in launch 3; launch 3 ends before launch 2. */
static void each_is_told_in_its_first_launch_and_counted_in_later_ones(void **state)
{
	struct found found[2] = {at_barrier(SYNC_OUTSIDER, 1, 0, false), at_barrier(SYNC_COUNT, 2, 0, false)};
	struct found_list *syncs = &gpu->found[FOUND_SYNC];
	struct lockstep_finding list[4], *next;

	(void)state;
	found[1].launch = 2;
	found_add(syncs, &found[0]);
	assert_int_equal(api_count_checked(gpu), 1);
	assert_true(api_has_checked(gpu, 0));
	assert_false(api_has_checked(gpu, 1));
	started.result.again_count = 0;
	next = api_add_checked(gpu, &started, 0, list, list + 1); /* behind another finding */
	assert_int_equal(next - list, 2);
	assert_int_equal(list[1].count, 5);
	assert_int_equal(started.result.again_count, 0);
	assert_false(api_has_checked(gpu, 0));

	found_add(syncs, &found[1]);
	syncs->of.at[0].count = 12; /* seven times more in launch 3 */
	assert_int_equal(api_count_checked(gpu), 2);
	assert_true(api_has_checked(gpu, 2));
	assert_true(api_has_checked(gpu, 7)); /* what was seen again is told by whichever ends first */
	next = api_add_checked(gpu, &started, 2, list, list);
	assert_int_equal(next - list, 1);
	assert_string_equal(list[0].cause, "thread-count");
	assert_int_equal(started.result.again_count, 1);
	assert_int_equal(started.result.again[0].launch, 1);
	assert_int_equal(started.result.again[0].finding, 1);
	assert_int_equal(started.result.again[0].count, 7);

	started.result.again_count = 0;
	assert_false(api_has_checked(gpu, 1));
	next = api_add_checked(gpu, &started, 1, list, list);
	assert_ptr_equal(next, list);
	assert_int_equal(started.result.again_count, 0);
	syncs->of.count = 0;
}

/* What was found in a module that goes stays, and its kernel is no other's. */
static void what_goes_is_forgotten(void **state)
{
	const struct found use = at_barrier(SYNC_OUTSIDER, 1, 0, false),
			   read = {.cause = INIT_GLOBAL, .side = {side_at(8)}, .places = 1};
	const struct ptx_module *module = gpu->modules.at[0]->ptx, other = {.file = "other.ptx"};
	struct found_list *syncs = &gpu->found[FOUND_SYNC], *inits = &gpu->found[FOUND_INIT];

	(void)state;
	found_add(syncs, &use);
	found_add(inits, &read);
	parts_forget(gpu, &other);
	assert_ptr_equal(syncs->of.at->side[0].kernel, kernel);
	assert_ptr_equal(inits->of.at->side[0].kernel, kernel);
	parts_forget(gpu, module);
	assert_null(syncs->of.at->side[0].kernel);
	assert_null(inits->of.at->side[0].kernel);
	assert_int_equal(api_count_checked(gpu), 2);
	syncs->of.count = inits->of.count = 0;
}

/* Without a check there is nothing. */
static void nothing_is_counted_where_nothing_is_asked(void **state)
{
	(void)state;
	assert_int_equal(api_count_checked(gpu), 0);
	assert_false(api_has_checked(gpu, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_are_told_with_order_and_scope),
		cmocka_unit_test(a_race_has_both_sides),
		cmocka_unit_test(a_race_may_be_with_another_launch),
		cmocka_unit_test(misuse_is_told_by_its_cause),
		cmocka_unit_test(lanes_are_told_in_ranges),
		cmocka_unit_test(misuse_has_its_threads_and_places),
		cmocka_unit_test(a_read_of_what_nothing_wrote_is_told),
		cmocka_unit_test(each_is_told_in_its_first_launch_and_counted_in_later_ones),
		cmocka_unit_test(what_goes_is_forgotten),
		cmocka_unit_test(nothing_is_counted_where_nothing_is_asked),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
