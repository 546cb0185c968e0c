/* An L2 of two parts: what an answer takes by where the core and the line are, what ends a copy, and the room that
 * copies take. */
#include "memory/address_map.h"
#include "memory/l2_parts.h"
#include "partition_harness.h"

enum { NEAR = 0, FAR = 1, ALSO_FAR = 3 }; /* cores: pairs take turns, of one core here */
enum { MORE = 190 };

/* The partition has one channel, and so lines of part 0 alone. */
static int make_parts(void **state)
{
	(void)state;
	model = memory_model();
	model.channels = 1;
	model.slices = SLICES;
	model.clock_dram = model.clock_core;
	model.crossbar_cores = 1;
	model.l2_parts = 2;
	model.l2_part_bytes = model.slice_interleave;
	model.l2_far = MORE;
	build();
	return 0;
}

/* When a load that arrives at `now` is answered, from its arrival on. */
static uint64_t load_by(uint16_t core)
{
	uint64_t start = now;

	send_load(core, buffer, start);
	run(start + 2000);
	return reply_time(core, MESSAGE_LOADED) - start;
}

static uint64_t add_by(uint16_t core)
{
	uint64_t start = now;

	send_adds(core, buffer, 1, 0, false, start);
	run(start + 2000);
	return reply_time(core, MESSAGE_DONE) - start;
}

static uint64_t store_by(uint16_t core)
{
	uint64_t start = now;

	send_store(core, buffer, 128, 7, start);
	run(start + 2000);
	return reply_time(core, MESSAGE_STORED) - start;
}

static void a_far_load_brings_a_copy(void **state)
{
	(void)state;
	uint64_t missed = load_by(NEAR), hit = load_by(NEAR);

	assert_true(missed > hit);
	assert_int_equal(load_by(FAR), hit + MORE);
	assert_int_equal(load_by(FAR), hit);
	assert_int_equal(load_by(ALSO_FAR), hit);
	assert_int_equal(load_by(NEAR), hit);
}

static void a_far_miss_takes_longer_too(void **state)
{
	(void)state;
	uint64_t far = load_by(FAR);

	drop(state);
	make_parts(state);
	assert_int_equal(load_by(NEAR) + MORE, far);
}

static void far_atomics_take_longer_far_stores_do_not(void **state)
{
	(void)state;
	load_by(NEAR);
	uint64_t store = store_by(NEAR), atomic = add_by(NEAR);

	assert_int_equal(store_by(FAR), store);
	assert_int_equal(add_by(FAR), atomic + MORE);
	assert_int_equal(add_by(FAR), atomic + MORE);
}

/* Three stores of a line, by these cores, that come together: when the last is answered, from then on. */
static uint64_t last_of_stores(uint16_t first, uint16_t second, uint16_t third)
{
	uint16_t by[] = {first, second, third};
	uint64_t start = now, last = 0;

	for (uint32_t k = 0; k < 3; k++)
		send_store(by[k], buffer + 128, 128, 7, start);
	run(start + 2000);
	for (uint32_t k = 0; k < 3; k++)
		last = reply_time(by[k], MESSAGE_STORED);
	return last - start;
}

/* The 4 flits of a line take the link 10.32 cycles, and the slice 4. */
static void stores_from_the_other_part_share_a_link(void **state)
{
	(void)state;
	uint64_t alike = last_of_stores(FAR, FAR, FAR);

	assert_int_equal(last_of_stores(NEAR, NEAR, NEAR), alike);
	drop(state);
	make_parts(state);
	model.l2_link = 258;
	build();
	assert_int_equal(last_of_stores(NEAR, NEAR, NEAR), alike);
	assert_int_equal(last_of_stores(FAR, FAR, FAR), alike - 8 + 20);
	assert_int_equal(last_of_stores(FAR, NEAR, NEAR), alike);
	assert_int_equal(last_of_stores(FAR, NEAR, FAR), alike - 8 + 10);
}

/* As measured on an H200: parts.csv, first: stores_self and stores_near 299 of 291, stores_far and atomics of all 467.
 */
static void what_ends_a_copy(void **state)
{
	(void)state;
	load_by(NEAR);
	uint64_t hit = load_by(NEAR);

	load_by(FAR);
	store_by(FAR);
	assert_int_equal(load_by(FAR), hit);
	store_by(ALSO_FAR);
	assert_int_equal(load_by(FAR), hit);
	store_by(NEAR);
	assert_int_equal(load_by(FAR), hit + MORE);
	for (uint16_t core = NEAR; core <= ALSO_FAR; core++) {
		add_by(core);
		assert_int_equal(load_by(FAR), hit + MORE);
		assert_int_equal(load_by(FAR), hit);
	}
}

/* Else an L1 that takes in both would be left with the older. */
static void no_load_overtakes_another(void **state)
{
	(void)state;
	load_by(NEAR);
	send_load(FAR, buffer, now + 10);
	send_load(FAR, buffer, now + 20);
	send_load(ALSO_FAR, buffer, now + 30);
	run(now + 2000);
	uint64_t first = reply_time(FAR, MESSAGE_LOADED);
	assert_int_equal(reply_time(FAR, MESSAGE_LOADED), first);
	assert_int_equal(reply_time(ALSO_FAR, MESSAGE_LOADED), first);
}

/* Lines of one set (partition_test.c): as many as its ways stay there for near cores, half as many and their copies for
 * far ones. */
static uint32_t misses_of_second_round(uint16_t core, uint64_t lines)
{
	uint64_t apart = 64 * 256, before = 0;

	for (int round = 0; round < 2; round++) {
		before = partition_counters(partition).dram_reads;
		for (uint64_t k = 0; k < lines; k++) {
			send_load(core, buffer + k * apart, now);
			run(now + 2000);
			reply_time(core, MESSAGE_LOADED);
		}
	}
	return (uint32_t)(partition_counters(partition).dram_reads - before);
}

static void copies_take_room(void **state)
{
	static const struct {
		uint16_t core;
		uint32_t lines, missing;
	} cases[] = {{NEAR, 8, 0}, {NEAR, 9, 9}, {FAR, 4, 0}, {FAR, 5, 5}};

	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		drop(state);
		make_parts(state);
		assert_int_equal(misses_of_second_round(cases[k].core, cases[k].lines),
			cases[k].missing * 2); /* bursts of a line */
	}
}

/* A whole GPU's addresses: each unit of 4 KB lies in one part, every other of a round in the same, and every slice has
 * as much of a megabyte as the others. */
static void units_are_of_one_part(void **state)
{
	(void)state;
	model.channels = model.slices = 96;
	model.slice_interleave = 512;
	model.l2_part_bytes = 4096;
	model.l2_hash = 1;
	struct address_map map = address_map_of(&model);
	uint32_t of_part[2] = {0}, of_slice[96] = {0};

	for (uint64_t unit = 0; unit < 96 * 64; unit++) {
		uint32_t part = l2_part_of_slice(&model, address_slice(&map, unit * 4096));

		of_part[part]++;
		for (uint64_t at = unit * 4096; at < (unit + 1) * 4096; at += 512) {
			uint32_t slice = address_slice(&map, at);

			assert_int_equal(l2_part_of_slice(&model, slice), part);
			of_slice[slice]++;
		}
	}
	assert_int_equal(of_part[0], of_part[1]);
	for (uint32_t slice = 0; slice < 96; slice++)
		assert_int_equal(of_slice[slice], 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_far_load_brings_a_copy, make_parts, drop),
		cmocka_unit_test_setup_teardown(a_far_miss_takes_longer_too, make_parts, drop),
		cmocka_unit_test_setup_teardown(far_atomics_take_longer_far_stores_do_not, make_parts, drop),
		cmocka_unit_test_setup_teardown(stores_from_the_other_part_share_a_link, make_parts, drop),
		cmocka_unit_test_setup_teardown(what_ends_a_copy, make_parts, drop),
		cmocka_unit_test_setup_teardown(no_load_overtakes_another, make_parts, drop),
		cmocka_unit_test_setup_teardown(copies_take_room, make_parts, drop),
		cmocka_unit_test_setup_teardown(units_are_of_one_part, make_parts, drop),
	};
	return cmocka_run_group_tests_name("l2_parts", tests, NULL, NULL);
}
