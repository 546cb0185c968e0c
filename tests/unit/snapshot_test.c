/* Snapshots of global memory: what slices and direct writers change comes back, and goes back; snapshots within
 * snapshots; the limit. */
#include "memory/line_history.h"
#include "memory/lock_table.h"
#include "memory/snapshot.h"
#include "partition_harness.h"
#include "policy/policy.h"

#define LINES 64
#define BYTES (LINES * 128u)

static struct snapshot *outer;
static uint8_t at_start[BYTES], present[BYTES];

static uint8_t *memory(void)
{
	return space_host(&space, buffer);
}

static void assert_memory(const uint8_t *expected)
{
	assert_memory_equal(memory(), expected, BYTES);
}

static int make_memory(void **state)
{
	struct diagnostic diagnostic = {0};
	lock_unit = lock_find("queue", &diagnostic);
	if (make(state))
		return 1;
	for (uint32_t k = 0; k < BYTES; k++)
		at_start[k] = (uint8_t)(k * 7 + k / 256);
	for (uint32_t k = 0; k < BYTES; k += 512) /* free locks */
		memset(at_start + k, 0xff, 4);
	for (uint32_t k = 256; k < BYTES; k += 512) /* of these no bytes are saved */
		memset(at_start + k, 0, LINE_BYTES);
	memcpy(memory(), at_start, BYTES);
	space.now = 1;
	outer = snapshot_open(&arena, &space, 1, SNAPSHOT_BYTES);
	partition_save(partition, &outer->logs[0]);
	return 0;
}

static int drop_memory(void **state)
{
	snapshot_close(outer, false);
	for (uint32_t k = 0; k < LINES; k++)
		assert_int_equal(*space_mark(&space, buffer + k * 128) & LINE_SAVED, 0);
	return drop(state);
}

static void send_lock(enum lock_op op, uint64_t address, uint64_t time)
{
	struct lock_payload *lock = send(
		1, MESSAGE_LOCK, address & ~127ull, time, LOCK_ENTRY_BYTES, sizeof *lock + sizeof(struct lock_entry));
	*lock = (struct lock_payload){.op = (uint8_t)op, .count = 1};
	*lock_entries(lock) = (struct lock_entry){.address = address, .patience = LOCK_FOREVER, .id = 77};
}

/* Stores, some of them twice, atomics and a lock, on lines from `first` on. */
static void write_some(uint32_t first, int value)
{
	uint64_t at = now;
	for (uint32_t k = first; k < first + 20; k++)
		send_store(0, buffer + k * 128 + k, k % 3 ? 4 : 60, value + (int)k, at += 10);
	for (uint32_t k = first; k < first + 20; k += 4)
		send_adds(0, buffer + k * 128 + 64, 8, 4, k % 8 == 0, at += 10);
	for (uint32_t k = first; k < first + 20; k += 5)
		send_store(0, buffer + k * 128, 128, value, at += 10);
	send_lock(LOCK_ACQUIRE, buffer + (first + 24) / 4 * 4 * 128, at += 10);
	space.now++;
	run(now + 5000);
	while (receive(0) || receive(1))
		;
}

static void what_slices_wrote_comes_back(void **state)
{
	(void)state;
	write_some(3, 40);
	write_some(10, 90);
	memcpy(present, memory(), BYTES);
	assert_true(memcmp(present, at_start, BYTES));
	for (int round = 0; round < 3; round++) {
		assert_true(snapshot_swap(outer));
		assert_memory(at_start);
		assert_true(snapshot_swap(outer));
		assert_memory(present);
	}
}

static void locks_come_back(void **state)
{
	(void)state;
	uint32_t *word = space_host(&space, buffer + 512);
	send_lock(LOCK_ACQUIRE, buffer + 512, 10);
	run(1000);
	assert_int_equal(*word, 77);
	send_lock(LOCK_RELEASE, buffer + 512, 1010);
	send_lock(LOCK_ACQUIRE, buffer + 516, 1020);
	run(2000);
	assert_int_equal(*word, LOCK_FREE);
	*word = 5; /* as if it had not been free: what counts is what the first write found */
	assert_true(snapshot_swap(outer));
	assert_memory(at_start);
	assert_true(snapshot_swap(outer));
	assert_int_equal(*word, 5);
}

static void what_is_written_at_once_comes_back(void **state)
{
	(void)state;
	snapshot_save_range(&outer->logs[0], buffer + 100, 300);
	memset(memory() + 100, 1, 300);
	snapshot_save_range(&outer->logs[0], buffer + 390, 11);
	memset(memory() + 390, 2, 11);
	memcpy(present, memory(), BYTES);
	assert_true(snapshot_swap(outer));
	assert_memory(at_start);
	assert_true(snapshot_swap(outer));
	assert_memory(present);
}

static bool is_saved(uint32_t line)
{
	return *space_mark(&space, buffer + line * 128) & LINE_SAVED;
}

/* Wherever in its lines a range begins and ends, it is saved by whole lines, and no line beside it is. */
static void ranges_are_saved_by_whole_lines(void **state)
{
	(void)state;
	snapshot_save_range(&outer->logs[0], buffer + 5 * 128, 128);
	assert_true(is_saved(5) && !is_saved(4) && !is_saved(6));
	snapshot_save_range(&outer->logs[0], buffer + 8 * 128 + 101, 2 * 128 - 100); /* the last byte begins line 10 */
	assert_true(is_saved(8) && is_saved(9) && is_saved(10) && !is_saved(7) && !is_saved(11));
	assert_true(snapshot_save(&outer->logs[0], buffer + 12 * 128 + 77));
	assert_true(is_saved(12) && !is_saved(11) && !is_saved(13));
	memset(memory() + 5 * 128, 1, 128);
	memset(memory() + 8 * 128, 2, 3 * 128);
	memset(memory() + 12 * 128, 3, 128);
	assert_true(snapshot_swap(outer));
	assert_memory(at_start);
	assert_true(snapshot_swap(outer));
}

/* A log takes room for 16 lines, then for twice as many as the last time, up to 64 at once; what it may take is the
 * limit, and not one byte less. */
static void logs_grow_by_doubling(void **state)
{
	(void)state;
	uint64_t used[6], at = buffer, line, head;
	snapshot_close(outer, false);
	outer = snapshot_open(&arena, &space, 1, SNAPSHOT_BYTES);
	/* 16 + 32 + 64 = 112 */
	static const uint32_t lines[6] = {1, 16, 17, 112, 113, 112 + 64};
	for (uint32_t k = 0, done = 0; k < 6; k++) {
		for (; done < lines[k]; done++, at += 128)
			assert_true(snapshot_save(&outer->logs[0], at));
		used[k] = outer->used;
	}
	line = (used[2] - 2 * used[0]) / 16; /* of 16 and 32 lines, each with a head */
	head = used[0] - 16 * line;
	assert_true(line >= 128);
	assert_int_equal(used[1], used[0]);
	assert_int_equal(used[2], 2 * head + 48 * line);
	assert_int_equal(used[3], 3 * head + 112 * line);
	assert_int_equal(used[4], 4 * head + (112 + 64) * line);
	assert_int_equal(used[5], used[4]);
	snapshot_close(outer, false);
	outer = snapshot_open(&arena, &space, 1, used[0]);
	for (at = buffer; at < buffer + 16 * 128; at += 128)
		assert_true(snapshot_save(&outer->logs[0], at));
	assert_false(snapshot_save(&outer->logs[0], at));
	assert_true(outer->lost);
	snapshot_close(outer, false);
	outer = snapshot_open(&arena, &space, 1, used[0] - 1);
	assert_false(snapshot_save(&outer->logs[0], buffer));
	assert_true(outer->lost);
}

static void load_all(void)
{
	for (uint32_t k = 0; k < LINES; k++) {
		send_load(0, buffer + k * 128, now + 10 * k);
		((struct message *)send(0, MESSAGE_LOAD, buffer + k * 128, now + 10 * k + 5, 0, 0) - 1)->kept = true;
	}
	run(now + 20000);
	while (receive(0))
		;
}

/* Everything a line has beside its bytes. */
struct history {
	struct line_record record[LINES];
	uint8_t mark[LINES];
};

static struct history history(void)
{
	struct history h;
	for (uint32_t k = 0; k < LINES; k++) {
		h.record[k] = *space_line(&space, buffer + k * 128);
		h.mark[k] = *space_mark(&space, buffer + k * 128);
	}
	return h;
}

static void an_inner_one_leaves_nothing_behind(void **state)
{
	(void)state;
	load_all();
	write_some(3, 40);
	memcpy(present, memory(), BYTES);
	struct history before = history();
	assert_int_equal(before.mark[5], LINE_LOADED | LINE_WRITTEN | LINE_SAVED);
	assert_int_equal(before.mark[60], LINE_LOADED);
	for (int round = 0; round < 2; round++) {
		assert_true(snapshot_swap(outer));
		struct snapshot *inner = snapshot_open(&arena, &space, 1, SNAPSHOT_BYTES);
		partition_save(partition, &inner->logs[0]);
		space.now += 1000;
		write_some(8, 150);
		write_some(30, 160);
		assert_true(memcmp(memory(), at_start, BYTES));
		assert_true(snapshot_swap(inner));
		assert_memory(at_start);
		assert_true(snapshot_swap(inner));
		snapshot_close(inner, true);
		space.now -= 1002;
		assert_memory(at_start);
		assert_true(snapshot_swap(outer));
		assert_memory(present);
		struct history after = history();
		assert_memory_equal(after.record, before.record, sizeof before.record);
		assert_memory_equal(after.mark, before.mark, sizeof before.mark);
	}
	partition_save(partition, &outer->logs[0]); /* and it goes on */
	write_some(30, 70);
	assert_true(snapshot_swap(outer));
	assert_memory(at_start);
	assert_true(snapshot_swap(outer));
}

static void assert_history(const struct history *before, uint8_t without)
{
	struct history after = history();
	assert_memory_equal(after.record, before->record, sizeof before->record);
	for (uint32_t k = 0; k < LINES; k++)
		assert_int_equal(after.mark[k], before->mark[k] & ~without);
}

/* What happened to lines since the start stays known, unless memory is put back. */
static void closing_keeps_history(void **state)
{
	(void)state;
	load_all();
	write_some(3, 40);
	memcpy(present, memory(), BYTES);
	struct history before = history();
	assert_int_equal(before.mark[5], LINE_LOADED | LINE_WRITTEN | LINE_SAVED);
	snapshot_close(outer, false);
	assert_memory(present);
	assert_history(&before, LINE_SAVED);
	outer = snapshot_open(&arena, &space, 1, SNAPSHOT_BYTES);
}

/* Closed with memory as at the start, there is nothing left to exchange. */
static void what_is_swapped_is_put_back_already(void **state)
{
	(void)state;
	write_some(3, 40);
	assert_true(snapshot_swap(outer));
	snapshot_close(outer, true);
	assert_memory(at_start);
	outer = snapshot_open(&arena, &space, 1, SNAPSHOT_BYTES);
	partition_save(partition, &outer->logs[0]);
}

/* One writer wants too much: what the other has saved is not put back either, nor is its lines' history. */
static void what_one_loses_is_lost_for_all(void **state)
{
	(void)state;
	snapshot_close(outer, false);
	outer = snapshot_open(&arena, &space, 2, 5000); /* 16 lines of 168 bytes, but not twice */
	partition_save(partition, &outer->logs[0]);
	load_all();
	send_store(0, buffer + 5 * 128, 4, 99, now + 10);
	space.now++;
	run(now + 5000);
	assert_true(is_saved(5) && !outer->lost);
	struct history before = history();
	memcpy(present, memory(), BYTES);
	assert_false(snapshot_save(&outer->logs[1], buffer + 9 * 128));
	assert_true(outer->lost);
	assert_non_null(outer->logs[0].first); /* it writes on a thread of its own, and has not heard of it */
	snapshot_close(outer, true);
	assert_memory(present);
	assert_history(&before, LINE_SAVED);
	outer = snapshot_open(&arena, &space, 1, SNAPSHOT_BYTES);
}

/* The arena's next block follows the logs of two writers: it is nobody's yet, and what it holds later is no log.  (With
 * AddressSanitizer there is a gap between them, which it looks after.) */
static void there_are_as_many_logs_as_writers(void **state)
{
	(void)state;
	snapshot_close(outer, false);
	outer = snapshot_open(&arena, &space, 2, SNAPSHOT_BYTES);
	static const uint8_t zero[48];
	uint8_t *behind = arena_alloc(&arena, sizeof zero);
	assert_memory_equal(behind, zero, sizeof zero);
	memset(behind, 0x55, sizeof zero);
	snapshot_save_range(&outer->logs[0], buffer, 128);
	snapshot_save_range(&outer->logs[1], buffer + 128, 128);
	memset(memory(), 1, 256);
	assert_true(snapshot_swap(outer));
	assert_memory(at_start);
	assert_true(snapshot_swap(outer));
}

static void what_is_too_much_is_lost(void **state)
{
	(void)state;
	struct snapshot *small;
	snapshot_close(outer, false);
	small = snapshot_open(&arena, &space, 1, 4000);
	partition_save(partition, &small->logs[0]);
	write_some(3, 40);
	write_some(30, 40);
	assert_true(small->lost);
	assert_null(small->logs[0].first); /* its room is given back at once */
	assert_int_equal(small->logs[0].arena.used, 0);
	for (uint32_t k = 0; k < LINES; k++)
		assert_false(is_saved(k));
	memcpy(present, memory(), BYTES);
	assert_false(snapshot_swap(small));
	snapshot_save_range(&small->logs[0], buffer, BYTES);
	assert_memory(present);
	snapshot_close(small, true);
	assert_memory(present);
	outer = snapshot_open(&arena, &space, 1, SNAPSHOT_BYTES);
	partition_save(partition, &outer->logs[0]);
	write_some(20, 50);
	assert_true(snapshot_swap(outer));
	assert_memory(present);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_slices_wrote_comes_back, make_memory, drop_memory),
		cmocka_unit_test_setup_teardown(locks_come_back, make_memory, drop_memory),
		cmocka_unit_test_setup_teardown(what_is_written_at_once_comes_back, make_memory, drop_memory),
		cmocka_unit_test_setup_teardown(ranges_are_saved_by_whole_lines, make_memory, drop_memory),
		cmocka_unit_test_setup_teardown(logs_grow_by_doubling, make_memory, drop_memory),
		cmocka_unit_test_setup_teardown(closing_keeps_history, make_memory, drop_memory),
		cmocka_unit_test_setup_teardown(what_is_swapped_is_put_back_already, make_memory, drop_memory),
		cmocka_unit_test_setup_teardown(what_one_loses_is_lost_for_all, make_memory, drop_memory),
		cmocka_unit_test_setup_teardown(there_are_as_many_logs_as_writers, make_memory, drop_memory),
		cmocka_unit_test_setup_teardown(an_inner_one_leaves_nothing_behind, make_memory, drop_memory),
		cmocka_unit_test_setup_teardown(what_is_too_much_is_lost, make_memory, drop_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
