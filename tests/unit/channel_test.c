/* report/channel and report/launch_record: records between the programs and `lockstep run`, whole and cut off; what
 * waits; launches. */
#include "report/channel.h"
#include "report/launch_record.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Both sides, in one process. */
struct sides {
	struct channel reads, writes;
};

static bool open_again(const struct channel *reads, struct channel *writes)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", reads->file);
	return channel_open(writes, path);
}

static void begin(struct sides *s)
{
	assert_true(channel_create(&s->reads));
	assert_true(open_again(&s->reads, &s->writes));
	assert_int_equal(s->writes.process, 0);
	assert_int_equal(s->reads.slots[0].process, getpid());
}

static void end(struct sides *s)
{
	channel_close(&s->writes);
	channel_close(&s->reads);
}

static void next_is(struct channel_reader *reader, enum channel_kind kind, uint32_t process, const char *text)
{
	struct channel_record record;
	assert_true(channel_next(reader, &record));
	assert_int_equal(record.kind, kind);
	assert_int_equal(record.process, process);
	assert_int_equal(record.length, strlen(text));
	assert_string_equal(record.text, text);
}

/* The bytes of a record, which go into no channel. */
static size_t bytes_of(char *to, size_t room, enum channel_kind kind, const char *text, size_t length)
{
	struct sides apart;
	struct stat empty, about;
	begin(&apart);
	assert_int_equal(fstat(apart.reads.file, &empty), 0);
	channel_send(&apart.writes, kind, text, length);
	assert_int_equal(fstat(apart.reads.file, &about), 0);
	ssize_t bytes = pread(apart.reads.file, to, room, empty.st_size);
	assert_int_equal(bytes, about.st_size - empty.st_size);
	end(&apart);
	return (size_t)bytes;
}

static void test_records(void **state)
{
	struct sides s;
	struct channel_record record;
	char large[10000] = "", bytes[1000];
	(void)state;
	begin(&s);
	struct channel_reader reader = {.channel = &s.reads};
	assert_false(channel_next(&reader, &record));
	memset(large, 'x', sizeof large - 1);
	channel_send(&s.writes, CHANNEL_SESSION, "first", 5);
	channel_send(&s.writes, CHANNEL_NOTE, "", 0);
	channel_send(&s.writes, CHANNEL_LAUNCH, large, sizeof large - 1);
	next_is(&reader, CHANNEL_SESSION, 0, "first");
	next_is(&reader, CHANNEL_NOTE, 0, "");
	next_is(&reader, CHANNEL_LAUNCH, 0, large);
	assert_false(channel_next(&reader, &record));
	/* Cut off by a kill, a byte or all but one of its text: the next is found. */
	for (off_t cut = 1; cut < 100; cut += 98) {
		size_t part = bytes_of(bytes, sizeof bytes, CHANNEL_LAUNCH, large, 99) - (size_t)cut;
		assert_int_equal(write(s.writes.file, bytes, part), part);
		assert_false(channel_next(&(struct channel_reader){.channel = &s.reads, .at = reader.at}, &record));
		channel_send(&s.writes, CHANNEL_NOTE, "n", cut == 99);
		next_is(&reader, CHANNEL_NOTE, 0, cut == 99 ? "n" : "");
		assert_false(channel_next(&reader, &record));
	}
	/* Of no process that there can be: a program may write anything. */
	size_t whole = bytes_of(bytes, sizeof bytes, CHANNEL_NOTE, "forged", 6);
	memcpy(bytes + 8, &(uint32_t){CHANNEL_SLOTS + 1}, sizeof(uint32_t));
	assert_int_equal(write(s.writes.file, bytes, whole), whole);
	channel_send(&s.writes, CHANNEL_NOTE, "next", 4);
	next_is(&reader, CHANNEL_NOTE, 0, "next");
	arena_free(&reader.arena);
	/* Nor does it take from the command what that has mapped. */
	assert_int_equal(ftruncate(s.writes.file, 0), -1);
	end(&s);
}

/* A program makes the file as long as can be: to look at each byte would take hours. */
static void test_hole(void **state)
{
	struct sides s;
	struct channel_record record;
	(void)state;
	begin(&s);
	struct channel_reader reader = {.channel = &s.reads};
	assert_int_equal(ftruncate(s.writes.file, (off_t)1 << 40), 0);
	channel_send(&s.writes, CHANNEL_NOTE, "behind", 6);
	next_is(&reader, CHANNEL_NOTE, 0, "behind");
	assert_true(reader.hole > (uint64_t)1 << 39);
	assert_int_equal(ftruncate(s.writes.file, (off_t)1 << 41), 0);
	assert_false(channel_next(&reader, &record));
	assert_true(reader.hole > (uint64_t)3 << 39);
	assert_int_equal(reader.why, 0);
	arena_free(&reader.arena);
	end(&s);
}

static void test_lost(void **state)
{
	struct sides s;
	struct channel_record record;
	struct stat about;
	struct rlimit before, limit;
	(void)state;
	begin(&s);
	struct channel_reader reader = {.channel = &s.reads};
	assert_int_equal(fstat(s.reads.file, &about), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)about.st_size + 8;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	channel_send(&s.writes, CHANNEL_NOTE, "too long", 8);
	channel_send(&s.writes, CHANNEL_NOTE, "too late", 8);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(s.reads.slots[0].lost, 2);
	assert_false(channel_next(&reader, &record));
	channel_send(&s.writes, CHANNEL_NOTE, "again", 5);
	next_is(&reader, CHANNEL_NOTE, 0, "again");
	assert_int_equal(s.reads.slots[0].lost, 2);
	arena_free(&reader.arena);
	end(&s);
}

static void test_slots(void **state)
{
	struct sides s;
	struct channel more[CHANNEL_SLOTS];
	(void)state;
	begin(&s);
	struct channel_reader reader = {.channel = &s.reads};
	for (uint32_t k = 1; k < CHANNEL_SLOTS; k++) {
		assert_true(open_again(&s.reads, &more[k]));
		assert_int_equal(more[k].process, k);
	}
	/* One more has no slot; its records come all the same. */
	assert_true(open_again(&s.reads, &more[0]));
	assert_int_equal(more[0].process, CHANNEL_SLOTS);
	channel_reach(&more[0], CHANNEL_LAUNCHED);
	channel_begin(&more[0]);
	channel_send(&more[0], CHANNEL_NOTE, "n", 1);
	next_is(&reader, CHANNEL_NOTE, CHANNEL_SLOTS, "n");
	for (uint32_t k = 0; k < CHANNEL_SLOTS; k++) {
		assert_int_equal(s.reads.slots[k].stage, 0);
		assert_int_equal(s.reads.slots[k].running, 0);
		channel_close(&more[k]);
	}
	/* The furthest stage stays. */
	channel_reach(&s.writes, CHANNEL_CONTEXT);
	channel_reach(&s.writes, CHANNEL_LOADED);
	assert_int_equal(s.reads.slots[0].stage, CHANNEL_CONTEXT);
	s.writes.own->cycles = s.writes.own->warp_instructions = s.writes.own->groups_done = 5;
	channel_begin(&s.writes);
	assert_int_equal(s.reads.slots[0].running, 1);
	assert_int_equal(
		s.reads.slots[0].cycles + s.reads.slots[0].warp_instructions + s.reads.slots[0].groups_done, 0);
	assert_true(channel_seconds(&s.reads.slots[0]) >= 0 && channel_seconds(&s.reads.slots[0]) < 60);
	struct channel_slot from_the_start = {.begun = 0};
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double late = channel_seconds(&from_the_start) - ((double)now.tv_sec + (double)now.tv_nsec * 1e-9);
	assert_true(late > -0.001 && late < 60);
	channel_end(&s.writes, CHANNEL_END_BLOCKED);
	assert_int_equal(s.reads.slots[0].end, CHANNEL_END_BLOCKED);
	arena_free(&reader.arena);
	end(&s);
	struct channel none;
	assert_false(channel_open(&none, "/nonexistent"));
	assert_false(channel_open(&none, "/dev/null"));
}

/* Seven kernels have a place of their own, the others one together. */
static void test_waiting(void **state)
{
	struct sides s;
	char name[200];
	bool used[CHANNEL_KERNELS] = {0};
	uint32_t places[CHANNEL_KERNELS + 1];
	(void)state;
	begin(&s);
	const struct channel_waiting *waiting = s.reads.slots[0].waiting;
	for (uint32_t k = 0; k <= CHANNEL_KERNELS; k++) {
		snprintf(name, sizeof name, "kernel%u", k);
		places[k] = channel_enqueue(&s.writes, name);
		if (k < CHANNEL_KERNELS - 1) {
			assert_in_range(places[k], 0, CHANNEL_KERNELS - 2);
			assert_false(used[places[k]]);
			used[places[k]] = true;
			assert_string_equal(waiting[places[k]].kernel, name);
		} else {
			assert_int_equal(places[k], CHANNEL_KERNELS - 1);
		}
	}
	assert_int_equal(waiting[CHANNEL_KERNELS - 1].count, 2);
	assert_string_equal(waiting[CHANNEL_KERNELS - 1].kernel, "");
	assert_int_equal(channel_enqueue(&s.writes, "kernel3"), places[3]);
	assert_int_equal(waiting[places[3]].count, 2);
	channel_dequeue(&s.writes, places[3]);
	channel_dequeue(&s.writes, places[5]);
	assert_int_equal(waiting[places[3]].count, 1);
	assert_int_equal(waiting[places[5]].count, 0);
	/* What is free is another's, whose name may be cut off. */
	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = 0;
	assert_int_equal(channel_enqueue(&s.writes, name), places[5]);
	assert_int_equal(channel_enqueue(&s.writes, name), places[5]);
	assert_int_equal(strlen(waiting[places[5]].kernel), sizeof waiting->kernel - 1);
	channel_dequeue(&s.writes, places[5]);
	channel_dequeue(&s.writes, places[5]);
	assert_int_equal(channel_enqueue(&s.writes, "k"), places[5]);
	assert_string_equal(waiting[places[5]].kernel, "k");
	/* One that waits goes before a place that is free. */
	channel_dequeue(&s.writes, places[0]);
	channel_dequeue(&s.writes, places[6]);
	assert_int_equal(channel_enqueue(&s.writes, "kernel3"), places[3]);
	end(&s);
}

#define PROFILE_VALUES 64 /* at least as many as lockstep_profiled lists */

static void test_launch(void **state)
{
	struct arena arena = {0};
	struct text text = {.arena = &arena}, plain = {.arena = &arena};
	struct lockstep_counter counters[512];
	size_t count = 0;
	(void)state;
	for (; lockstep_counter(count, &counters[count]); count++)
		counters[count].value = 1000 + 7 * count;
	struct lockstep_finding finding = {
		.kind = "hang", .certainty = "proved", .cause = "simt", .message = "a \"message\"", .count = 1};
	const struct lockstep_again again[] = {
		{.launch = 1, .finding = 2, .count = 30}, {.launch = 4, .finding = 5, .count = 60}};
	const struct lockstep_origin origin = {.ptx = "0123456789abcdef0123456789abcdef"};
	struct lockstep_result result = {.kernel = "some_kernel",
		.number = 3,
		.grid = {1, 2, 3},
		.block = {4, 5, 6},
		.outcome = LOCKSTEP_HANG,
		.cycles = 77,
		.limiter = "registers",
		.origin = &origin,
		.counters = counters,
		.counter_count = count,
		.findings = &finding,
		.finding_count = 1,
		.again = again,
		.again_count = 2};
	uint64_t values[PROFILE_VALUES] = {[0] = 5};
	const struct lockstep_cost cost = {
		.pc = 9, .file = "some.cu", .line = 44, .text = "exit", .issued = 6, .lanes = 60, .values = values};
	const struct lockstep_lock_site site = {.file = "some.cu", .line = 45, .acquires = 2, .failed = 8};
	const struct lockstep_lock lock = {.address = "0x123",
		.acquires = 2,
		.failed = 8,
		.longest_queue = 5,
		.waited = 88,
		.sites = &site,
		.site_count = 1};
	const struct lockstep_search search = {
		.verdict = LOCKSTEP_MAY_HANG, .schedules = 5, .states = 6, .schedule = "0,(1)"};
	const uint64_t together[] = {4, 5};
	const struct lockstep_placements placements = {
		.launches = together, .launch_count = 2, .finished = 9, .all = true};
	struct lockstep_result got;
	struct launch_record record;
	launch_record_write(&text, &result, 0);
	assert_true(launch_record_read(&arena, text.at, text.length, &got, &record));
	assert_string_equal(got.kernel, "some_kernel");
	assert_string_equal(got.limiter, "registers");
	assert_int_equal(got.number, 3);
	assert_memory_equal(got.grid, result.grid, sizeof got.grid);
	assert_memory_equal(got.block, result.block, sizeof got.block);
	assert_int_equal(got.outcome, LOCKSTEP_HANG);
	assert_int_equal(got.cycles, 77);
	assert_int_equal(got.counter_count, count);
	for (size_t k = 0; k < count; k++) {
		assert_string_equal(got.counters[k].name, counters[k].name);
		assert_int_equal(got.counters[k].value, counters[k].value);
	}
	assert_int_equal(record.process, getpid());
	assert_string_equal(record.ptx, origin.ptx);
	assert_null(got.origin);
	assert_int_equal(got.again_count, 2);
	assert_memory_equal(got.again, again, sizeof again);
	assert_int_equal(got.finding_count, 0);
	assert_null(record.profile);
	assert_non_null(strstr(record.findings, "a \\\"message\\\""));
	struct text odd = {.arena = &arena};
	struct lockstep_result forged = result;
	forged.outcome = (enum lockstep_outcome)77;
	launch_record_write(&odd, &forged, 0);
	assert_false(launch_record_read(&arena, odd.at, odd.length, &got, &record));
	for (size_t shorter = 0; shorter < text.length; shorter++)
		assert_false(launch_record_read(&arena, text.at, shorter, &got, &record));
	text_append(&text, "", 1);
	assert_false(launch_record_read(&arena, text.at, text.length, &got, &record));
	assert_null(got.search);
	assert_null(got.placements);
	assert_null(got.not_searched);
	result.finding_count = 0;
	result.search = &search;
	result.placements = &placements;
	result.not_searched = "for no reason";
	result.costs = &cost;
	result.cost_count = 1;
	result.locks = &lock;
	result.lock_count = 1;
	launch_record_write(&plain, &result, 7);
	assert_true(launch_record_read(&arena, plain.at, plain.length, &got, &record));
	assert_int_equal(record.stream, 7);
	assert_null(record.findings);
	assert_int_equal(got.search->verdict, LOCKSTEP_MAY_HANG);
	assert_int_equal(got.search->schedules, 5);
	assert_int_equal(got.search->states, 6);
	assert_string_equal(got.search->schedule, "0,(1)");
	assert_int_equal(got.placements->launch_count, 2);
	assert_memory_equal(got.placements->launches, together, sizeof together);
	assert_int_equal(got.placements->finished, 9);
	assert_true(got.placements->all);
	assert_string_equal(got.not_searched, "for no reason");
	assert_null(got.costs);
	assert_null(got.locks);
	assert_non_null(strstr(record.profile,
		"\"locks\":[{\"address\":\"0x123\",\"acquires\":2,\"failed\":8,\"longest_queue\":5,\"waited\":88"));
	assert_non_null(strstr(record.profile, "\"file\":\"some.cu\",\"line\":44,\"issued\":6,\"lanes\":60"));
	for (size_t shorter = 0; shorter < plain.length; shorter++)
		assert_false(launch_record_read(&arena, plain.at, shorter, &got, &record));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_launch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
