/* DRAM timing: command schedules worked out by hand, bandwidth of streams, and that nothing starves. */
#include "memory/dram.h"
#include "memory_model.h"
#include "util/arena.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct arena arena;
static struct gpu_model model;
static struct dram *dram;

static int make(void **state)
{
	(void)state;
	model = memory_model();
	model.clock_core = model.clock_dram; /* one clock, so that the schedules below can be read */
	dram = dram_create(&arena, &model);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void push(uint64_t cookie, uint32_t bank, uint32_t row, bool write, uint64_t ready)
{
	dram_push(dram,
		&(struct dram_request){
			.cookie = cookie, .bank = bank, .row = row, .bursts = 1, .weight = 1, .write = write},
		ready);
}

static void expect_done(uint64_t cookie, uint64_t time)
{
	dram_run(dram, 1000000, 0);
	assert_int_equal(dram_done_time(dram), time);
	assert_int_equal(dram_take_done(dram), cookie);
}

/* Activate 0, read at tRCD 12, data tCL 12 and a burst of 2 later. */
static void one_read(void **state)
{
	(void)state;
	assert_true(dram_next_event(dram) == UINT64_MAX);
	push(1, 0, 3, false, 0);
	assert_int_equal(dram_next_event(dram), 0);
	expect_done(1, 12 + 14);
	assert_true(dram_next_event(dram) == UINT64_MAX);
	assert_int_equal(dram_counters(dram)->row_misses, 1);
}

/* The second reads the open row of the same bank: tCCDL 3 after the first. */
static void a_row_hit(void **state)
{
	(void)state;
	push(1, 0, 3, false, 0);
	push(2, 0, 3, false, 0);
	expect_done(1, 12 + 14);
	expect_done(2, 15 + 14);
	assert_int_equal(dram_counters(dram)->row_hits, 1);
}

/* Banks of two groups: activates tRRD 6 apart; a third read of the first bank in between. */
static void banks_overlap(void **state)
{
	(void)state;
	push(1, 0, 3, false, 0);
	push(2, 1, 3, false, 0);
	push(3, 0, 3, false, 0);
	expect_done(1, 12 + 14);
	expect_done(3, 15 + 14);
	expect_done(2, 18 + 14);
}

/* Read 12; precharge at tRAS 28, activate at 40 (tRP 12, and tRC 40), read 52. */
static void a_row_conflict(void **state)
{
	(void)state;
	push(1, 0, 3, false, 0);
	push(2, 0, 4, false, 0);
	expect_done(1, 12 + 14);
	expect_done(2, 52 + 14);
	assert_int_equal(dram_counters(dram)->precharges, 1);
}

static void rebuild(void)
{
	arena_free(&arena);
	dram = dram_create(&arena, &model);
}

/* Each of the two bounds of the second activate alone: tRC 45, then tRAS 28 + tRP 12. */
static void a_row_conflict_waits_for_the_later(void **state)
{
	const uint64_t activates[] = {45, 40};
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		model.dram_tRC = k ? 30 : 45;
		rebuild();
		push(1, 0, 3, false, 0);
		push(2, 0, 4, false, 0);
		expect_done(1, 12 + 14);
		expect_done(2, activates[k] + 12 + 14);
	}
}

/* Bank 2 is activated at 0, so the look begins at 3.  4 and 5 are handed out at 1 and 2, and move it on by one each: at
 * 6, tRRD later, it begins at 5.  At 12 the read of bank 2 takes the command bus. */
static void each_request_moves_the_first_bank_on_by_one(void **state)
{
	(void)state;
	push(2, 2, 3, false, 0);
	push(4, 4, 3, false, 1);
	push(5, 5, 3, false, 1);
	expect_done(2, 12 + 14);
	expect_done(5, 6 + 12 + 14);
	expect_done(4, 13 + 12 + 14);
}

/* Activate 0, write at tRCD - tWL - 1 = 7, read tWL 4 + burst 2 + tCDLR 5 later: 18. */
static void write_then_read(void **state)
{
	(void)state;
	push(1, 0, 3, true, 0);
	push(2, 0, 3, false, 0);
	expect_done(2, 18 + 14);
}

/* Read 12, write tCL 12 + burst 2 + 2 - tWL 4 = 12 later: 24. */
static void read_then_write(void **state)
{
	(void)state;
	push(1, 0, 3, false, 0);
	push(2, 0, 3, true, 0);
	dram_run(dram, 24, 0);
	assert_int_equal(dram_counters(dram)->writes, 0);
	dram_run(dram, 25, 0);
	assert_int_equal(dram_counters(dram)->writes, 1);
}

/* Write at 7; its row may be precharged tWL 4 + burst 2 + tWR 12 later, 25, but not before tRAS 28; read 28 + 12 + 12.
 * */
static void write_then_another_row(void **state)
{
	(void)state;
	push(1, 0, 3, true, 0);
	push(2, 0, 4, false, 0);
	expect_done(2, 52 + 14);
	push(3, 0, 4, true, 100); /* 100: hit, written at once; precharge 118, activate 130, read 142 */
	push(4, 0, 5, false, 100);
	expect_done(4, 142 + 14);
}

static void several_bursts_take_tCCDL_each(void **state)
{
	(void)state;
	dram_push(dram, &(struct dram_request){.cookie = 9, .bank = 2, .row = 1, .bursts = 4, .weight = 4}, 0);
	expect_done(9, 12 + 3 * 3 + 14);
	assert_int_equal(dram_counters(dram)->reads, 4);
}

/* Row 3 of banks 0 and 1 is open, and nothing is under way at 1000. */
static void open_rows(void)
{
	rebuild();
	push(0, 0, 3, false, 0);
	push(1, 1, 3, false, 0);
	expect_done(0, 12 + 14);
	expect_done(1, 12 + 6 + 14);
}

/* Reads tCCDL 3 apart leave no room for the write, which needs tRTW 12.  It waits from 1001 on: the reads of 1003 to
 * 1012 are four that pass it, the write follows at 1024, and reads again tWTR 11 later. */
/* dram.turn, or where it is not given, as for the writes below, dram.bypass. */
static void after_so_many_reads_a_write_has_its_turn(void **state)
{
	(void)state;
	model.dram_turn = 4;
	open_rows();
	for (uint64_t k = 0; k < 8; k++)
		push(10 + k, 0, 3, false, 1000);
	push(5, 1, 3, true, 1001);
	for (uint64_t k = 0; k < 8; k++)
		expect_done(10 + k, (k < 5 ? 1000 + 3 * k : 1035 + 3 * (k - 5)) + 14);
	assert_int_equal(dram_counters(dram)->writes, 1);
}

static void after_so_many_writes_a_read_has_its_turn(void **state)
{
	(void)state;
	model.dram_bypass = 4;
	open_rows();
	for (uint64_t k = 0; k < 8; k++)
		push(10 + k, 0, 3, true, 1000);
	push(5, 1, 3, false, 1001);
	expect_done(5, 1012 + 11 + 14);
}

/* Of a bank, two that hit its row go before the oldest, which misses; then it opens its row: precharge 1005, behind the
 * read of 1003, activate 1017, read 1029.  The others now miss: precharge tRAS 28 behind the activate. */
static void so_many_hits_go_before_the_oldest(void **state)
{
	(void)state;
	model.dram_bypass = 2;
	open_rows();
	push(9, 0, 4, false, 1000);
	for (uint64_t k = 0; k < 4; k++)
		push(10 + k, 0, 3, false, 1000);
	expect_done(10, 1000 + 14);
	expect_done(11, 1003 + 14);
	expect_done(9, 1029 + 14);
	expect_done(12, 1017 + 28 + 12 + 12 + 14);
	expect_done(13, 1017 + 28 + 12 + 12 + 3 + 14);
}

/* The next that is oldest is passed by as many again, at the same times. */
static void hits_before_each_oldest_are_counted_anew(void **state)
{
	(void)state;
	model.dram_bypass = 2;
	open_rows();
	for (uint32_t k = 1; k < 5; k++) {
		push(9, 0, 3 + k, false, 1000 * k);
		push(10, 0, 2 + k, false, 1000 * k);
		push(11, 0, 2 + k, false, 1000 * k);
		expect_done(10, 1000 * k + 14);
		expect_done(11, 1000 * k + 3 + 14);
		expect_done(9, 1000 * k + 29 + 14);
	}
}

/* What was read is on its way when the row is closed: the burst, of 5 cycles here, must have been, or of any bank of
 * the group tRTPL cycles. */
static void a_row_stays_open_for_what_is_read(void **state)
{
	(void)state;
	model.dram_tRAS = 14;
	model.dram_tRC = 20;
	model.dram_tRTPL = 0;
	model.dram_burst_cycles = 5;
	rebuild();
	push(1, 0, 3, false, 0);
	push(2, 0, 4, false, 0);
	expect_done(1, 12 + 12 + 5);
	expect_done(2, 12 + 5 + 12 + 12 + 12 + 5);
	model.dram_tRTPL = 20;
	rebuild();
	push(1, 0, 3, false, 0);
	push(2, 0, 4, false, 0);
	expect_done(1, 12 + 12 + 5);
	expect_done(2, 12 + 20 + 12 + 12 + 12 + 5);
	push(4, 4, 3, false, 900); /* banks 0 and 4 are of one group, bank 0 reads last */
	push(3, 0, 4, false, 1000);
	push(5, 4, 4, false, 1001);
	expect_done(4, 900 + 12 + 12 + 5);
	expect_done(3, 1000 + 12 + 5);
	expect_done(5, 1000 + 20 + 12 + 12 + 12 + 5);
}

/* Column commands are a burst apart at least, whatever tCCD says: groups 0 and 1. */
static void bursts_do_not_overlap(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		model.dram_burst_cycles = k ? 2 : 4;
		model.dram_tCCD = k ? 4 : 2;
		rebuild();
		push(1, 0, 3, false, 0);
		push(2, 1, 3, false, 0);
		for (uint32_t read = 0; read < 2; read++) {
			dram_run(dram, 900, 0);
			dram_take_done(dram);
		}
		push(3, 0, 3, false, 1000);
		push(4, 1, 3, false, 1001);
		expect_done(3, 1000 + 12 + model.dram_burst_cycles);
		expect_done(4, 1004 + 12 + model.dram_burst_cycles);
	}
}

/* Where the model's write latency is as long as other delays, these are nothing, not less: a write right behind its
 * activate, and behind a read as soon as the bus has room. */
static void a_late_write_waits_for_nothing(void **state)
{
	(void)state;
	model.dram_tRCD = 4;
	rebuild();
	push(1, 0, 3, true, 0);
	dram_run(dram, 2, 0);
	assert_int_equal(dram_counters(dram)->writes, 1);
	model.dram_tRCD = 12;
	model.dram_tWL = 30;
	open_rows();
	push(1, 0, 3, false, 1000);
	push(2, 1, 3, true, 1000);
	dram_run(dram, 1004, 0);
	assert_int_equal(dram_counters(dram)->reads, 3);
	assert_int_equal(dram_counters(dram)->writes, 1);
}

/* The third activate and the first read are both due at 12, on one bus or on two. */
static void two_buses_take_a_row_and_a_column_command(void **state)
{
	(void)state;
	for (uint32_t dual = 0; dual < 2; dual++) {
		model.dram_dual_bus = dual;
		rebuild();
		for (uint32_t b = 0; b < 3; b++)
			push(b, b, 3, false, 0);
		expect_done(0, 12 + 14);
		expect_done(1, 18 + 14);
		expect_done(2, 25 - dual + 14);
	}
}

/* The window has two places; a request leaves it when its bank takes it, and the backlog is what is not in it yet. */
static void the_window_is_filled_from_the_backlog(void **state)
{
	(void)state;
	model.dram_queue = 2;
	rebuild();
	assert_int_equal(dram_backlog(dram), 0);
	for (uint64_t k = 0; k < 5; k++)
		push(k, 0, 3, false, 0);
	assert_int_equal(dram_backlog(dram), 5);
	assert_int_equal(dram_run(dram, 1000, 4), 1); /* two at 0, of which the bank takes one */
	assert_int_equal(dram_backlog(dram), 3);
	assert_int_equal(dram_run(dram, 1000, 3), 2); /* the third at 1 */
	assert_int_equal(dram_backlog(dram), 2);
	assert_int_equal(dram_run(dram, 10, 2), 10); /* none until the bank has read, at 12 */
	assert_int_equal(dram_run(dram, 1000, 2), 15);
	assert_int_equal(dram_backlog(dram), 1);
	for (uint64_t k = 0; k < 5; k++)
		expect_done(k, 12 + 3 * k + 14);
	assert_int_equal(dram_backlog(dram), 0);
	dram_push(dram, &(struct dram_request){.cookie = 6, .bank = 0, .row = 3, .bursts = 4, .weight = 4}, 1000);
	dram_push(dram, &(struct dram_request){.cookie = 7, .bank = 1, .row = 3, .bursts = 4, .weight = 4}, 1000);
	assert_int_equal(dram_backlog(dram), 8);
	assert_int_equal(dram_run(dram, 2000, 8), 1001); /* a line is more than the window has, and comes in whole */
	assert_int_equal(dram_backlog(dram), 4);
}

static void clocks_are_converted(void **state)
{
	(void)state;
	struct gpu_model real = memory_model(); /* 700 and 924 MHz: 25 core cycles are 33 of DRAM */
	dram = dram_create(&arena, &real);
	push(1, 0, 3, false, 100);            /* arrives in DRAM cycle 132 */
	expect_done(1, (158 * 25 + 32) / 33); /* data in 132 + 26 */
}

/* Pushes `count` reads from `next`, as the backlog has room, and returns the share of data cycles in percent. */
static uint64_t efficiency(uint32_t count, void (*next)(uint32_t k, uint32_t *bank, uint32_t *row, bool *write))
{
	uint64_t now = 0;
	uint32_t done = 0, reads = 0;
	for (uint32_t k = 0; k < count || done < reads;) {
		while (k < count && dram_backlog(dram) < model.dram_backlog) {
			uint32_t bank, row;
			bool write = false;
			next(k, &bank, &row, &write);
			push(k++, bank, row, write, now);
			reads += !write;
		}
		now = dram_run(dram, now + 1, 0);
		while (dram_done_time(dram) <= now) {
			dram_take_done(dram);
			done++;
		}
	}
	return dram_counters(dram)->busy_cycles * 100 / now;
}

/* 16 requests of a line's sectors alternate between two banks, as channel addresses do. */
static void stream(uint32_t k, uint32_t *bank, uint32_t *row, bool *write)
{
	(void)write;
	*bank = (k / 8 & 1) | (k / 128 % 8) << 1;
	*row = k / 1024;
}

static void scattered(uint32_t k, uint32_t *bank, uint32_t *row, bool *write)
{
	(void)write;
	uint64_t seed = k, draw = splitmix64(&seed);
	*bank = draw & 15;
	*row = draw >> 8 & 0xfff;
}

static void one_bank(uint32_t k, uint32_t *bank, uint32_t *row, bool *write)
{
	(void)write;
	*bank = 5;
	*row = k / 64;
}

static void mixed(uint32_t k, uint32_t *bank, uint32_t *row, bool *write)
{
	stream(k, bank, row, write);
	*write = k / 64 % 4 == 3;
	*row += *write ? 1000 : 0;
}

static void a_stream_uses_most_of_the_bus(void **state)
{
	(void)state;
	assert_in_range(efficiency(20000, stream), 90, 100);
}

static void one_bank_is_bound_by_its_group(void **state)
{
	(void)state;
	assert_in_range(efficiency(20000, one_bank), 50, 67); /* 2 of 3 cycles, and the row misses */
}

/* Every request activates a row: at best one each tRRD, 2 / 6. */
static void scattered_reads_are_bound_by_activates(void **state)
{
	(void)state;
	assert_in_range(efficiency(20000, scattered), 25, 40);
	assert_true(dram_counters(dram)->row_misses > 18000);
}

static void writes_are_batched(void **state)
{
	(void)state;
	assert_in_range(efficiency(20000, mixed), 75, 100);
}

/* A stream of row hits and one request to another row of the bank: it waits for dram.bypass hits, no more. */
static void row_hits_do_not_starve_a_miss(void **state)
{
	(void)state;
	model.dram_bypass = 32;
	dram = dram_create(&arena, &model);
	uint64_t now = 0, order = 0, when = 0;
	push(0, 3, 1, false, 0);
	push(7, 3, 2, false, 0);
	for (uint64_t k = 0; k < 2000; k++) {
		while (dram_backlog(dram) + 4 < model.dram_queue && k < 2000)
			push(100 + k++, 3, 1, false, now);
		now = dram_run(dram, now + 1, 0);
		while (dram_done_time(dram) <= now) {
			order++;
			if (dram_take_done(dram) == 7)
				when = order;
		}
	}
	assert_in_range(when, 2, 36);
}

/* Reads of one bank for ever, and a write with a read behind it on another: both are served after dram.bypass reads or
 * so. */
static void reads_do_not_starve_a_write(void **state)
{
	(void)state;
	model.dram_bypass = 32;
	dram = dram_create(&arena, &model);
	uint64_t now = 0, order = 0, when = 0;
	push(0, 3, 1, false, 0);
	push(6, 4, 2, true, 0);
	push(7, 4, 3, false, 0);
	for (uint64_t k = 0; k < 4000;) {
		while (dram_backlog(dram) < 8)
			push(100 + k++, 3, 1, false, now);
		now = dram_run(dram, now + 1, 0);
		while (dram_done_time(dram) <= now) {
			order++;
			if (dram_take_done(dram) == 7)
				when = order;
		}
	}
	assert_int_equal(dram_counters(dram)->writes, 1);
	assert_in_range(when, 2, 80);
}

/* The same requests, run cycle by cycle and in long strides, finish at the same times. */
static void strides_do_not_matter(void **state)
{
	(void)state;
	uint64_t times[2][500];
	for (int pass = 0; pass < 2; pass++) {
		struct gpu_model real = memory_model();
		dram = dram_create(&arena, &real);
		uint64_t seed = 5, now = 0;
		uint32_t done = 0;
		for (uint64_t k = 0; k < 200; k++) {
			uint64_t draw = splitmix64(&seed);
			push(k, draw & 15, draw >> 4 & 3, false, k * 3);
		}
		for (; done < 200; now += pass ? 41 : 1)
			for (dram_run(dram, now, 0); dram_done_time(dram) <= now;) {
				times[pass][done++] = dram_done_time(dram);
				dram_take_done(dram);
			}
	}
	assert_memory_equal(times[0], times[1], 200 * sizeof(uint64_t));
}

/* As many reads as there are MSHRs, or as a line has sectors where that is more, are finished and wait to be taken:
 * data comes so late that all have been issued before. */
static void finished_reads_wait_for_all_MSHRs(void **state)
{
	const struct {
		uint32_t mshrs, slices, reads;
	} rows[] = {{17, 1, 17}, {33, 1, 33}, {1, 5, 20}, {9, 3, 27}, {11, 3, 33}};
	(void)state;
	model.dram_tCL = 1000;
	for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		model.l2_mshrs = rows[k].mshrs;
		model.slices = model.channels * rows[k].slices;
		rebuild();
		for (uint32_t read = 0; read < rows[k].reads; read++)
			push(100 + read, 0, 3, false, 0);
		dram_run(dram, 900, 0);
		assert_int_equal(dram_counters(dram)->reads, rows[k].reads);
		for (uint32_t read = 0; read < rows[k].reads; read++)
			expect_done(100 + read, 12 + 3 * read + 1000 + 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_read, make, drop),
		cmocka_unit_test_setup_teardown(a_row_hit, make, drop),
		cmocka_unit_test_setup_teardown(banks_overlap, make, drop),
		cmocka_unit_test_setup_teardown(a_row_conflict, make, drop),
		cmocka_unit_test_setup_teardown(a_row_conflict_waits_for_the_later, make, drop),
		cmocka_unit_test_setup_teardown(each_request_moves_the_first_bank_on_by_one, make, drop),
		cmocka_unit_test_setup_teardown(write_then_read, make, drop),
		cmocka_unit_test_setup_teardown(read_then_write, make, drop),
		cmocka_unit_test_setup_teardown(write_then_another_row, make, drop),
		cmocka_unit_test_setup_teardown(several_bursts_take_tCCDL_each, make, drop),
		cmocka_unit_test_setup_teardown(after_so_many_reads_a_write_has_its_turn, make, drop),
		cmocka_unit_test_setup_teardown(after_so_many_writes_a_read_has_its_turn, make, drop),
		cmocka_unit_test_setup_teardown(so_many_hits_go_before_the_oldest, make, drop),
		cmocka_unit_test_setup_teardown(hits_before_each_oldest_are_counted_anew, make, drop),
		cmocka_unit_test_setup_teardown(a_row_stays_open_for_what_is_read, make, drop),
		cmocka_unit_test_setup_teardown(bursts_do_not_overlap, make, drop),
		cmocka_unit_test_setup_teardown(a_late_write_waits_for_nothing, make, drop),
		cmocka_unit_test_setup_teardown(two_buses_take_a_row_and_a_column_command, make, drop),
		cmocka_unit_test_setup_teardown(the_window_is_filled_from_the_backlog, make, drop),
		cmocka_unit_test_setup_teardown(clocks_are_converted, make, drop),
		cmocka_unit_test_setup_teardown(a_stream_uses_most_of_the_bus, make, drop),
		cmocka_unit_test_setup_teardown(one_bank_is_bound_by_its_group, make, drop),
		cmocka_unit_test_setup_teardown(scattered_reads_are_bound_by_activates, make, drop),
		cmocka_unit_test_setup_teardown(writes_are_batched, make, drop),
		cmocka_unit_test_setup_teardown(row_hits_do_not_starve_a_miss, make, drop),
		cmocka_unit_test_setup_teardown(reads_do_not_starve_a_write, make, drop),
		cmocka_unit_test_setup_teardown(strides_do_not_matter, make, drop),
		cmocka_unit_test_setup_teardown(finished_reads_wait_for_all_MSHRs, make, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
