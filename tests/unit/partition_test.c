/* Memory partitions: when requests are answered and with what; order, coherence, atomics, write-back, the host's
 * copies. */
#include "partition_harness.h"

/* Arrives at 10, sectors read at 10..13; DRAM at 110: activate, 12 later two reads tCCDL 3 apart, tCL + burst 14: 139;
 * leaves at 140, 4 flits, 66 under way. */
static void a_load_misses_then_hits(void **state)
{
	(void)state;
	memset(space_host(&space, buffer), 42, 128);
	send_load(0, buffer, 10);
	run(1000);
	const struct message *m = receive(0);
	assert_int_equal(m->time, 10 + 100 + 12 + 3 + 14 + 1 + 4 + 66);
	assert_int_equal(m->line, buffer);
	assert_int_equal(m->data_bytes, 128);
	for (int k = 0; k < 128; k++)
		assert_int_equal(((const uint8_t *)message_payload(m))[k], 42);
	send_load(0, buffer, 1000);
	run(2000);
	assert_int_equal(reply_time(0, MESSAGE_LOADED), 1000 + 3 + model.l2_latency + 4 + 66);
	const struct partition_counters c = partition_counters(partition);
	assert_int_equal(c.l2_loads, 8);
	assert_int_equal(c.l2_load_hits, 4);
	assert_int_equal(c.l2_fills, 4);
	assert_int_equal(c.dram_reads, 2);
}

static void loads_of_one_line_are_merged(void **state)
{
	(void)state;
	for (uint16_t core = 0; core < 10; core++)
		send_load(core, buffer, 10);
	run(5000);
	for (uint16_t core = 0; core < 10; core++)
		reply_time(core, MESSAGE_LOADED);
	assert_int_equal(partition_counters(partition).dram_reads, 2);
}

static void a_whole_store_needs_no_dram(void **state)
{
	(void)state;
	send_store(0, buffer, 128, 7, 10);
	send_load(0, buffer, 20);
	run(1000);
	assert_int_equal(reply_time(0, MESSAGE_STORED), 10 + 3 + model.l2_latency + 1 + 66);
	const struct message *m = receive(0);
	assert_int_equal(m->kind, MESSAGE_LOADED);
	assert_true(m->time < 130);
	assert_int_equal(((const uint8_t *)message_payload(m))[127], 7);
	assert_int_equal(partition_counters(partition).dram_reads, 0);
}

static void a_load_of_a_part_stored_fetches_its_sector(void **state)
{
	(void)state;
	send_store(0, buffer + 36, 4, 7, 10);
	send_store(0, buffer + 64, 32, 8, 30);
	send_load(0, buffer, 50);
	run(1000);
	assert_int_equal(partition_counters(partition).dram_reads, 2); /* sector 3, and 0 with 1 */
	reply_time(0, MESSAGE_STORED), reply_time(0, MESSAGE_STORED);
	const struct message *m = receive(0);
	const uint8_t *data = message_payload(m);
	assert_int_equal(data[35] + data[36] * 16 + data[64] * 256, 7 * 16 + 8 * 256);
}

static void a_load_before_a_store_does_not_see_it(void **state)
{
	(void)state;
	send_load(0, buffer, 10);
	send_store(0, buffer, 128, 9, 11);
	send_load(0, buffer, 12);
	run(1000);
	reply_time(0, MESSAGE_STORED);
	assert_int_equal(*(const uint8_t *)message_payload(receive(0)), 0);
	assert_int_equal(*(const uint8_t *)message_payload(receive(0)), 9);
}

/* Lines of one set: sets * 256 bytes * 2 slices / 2 lines of an interleave apart. */
static void dirty_lines_are_written_back_when_evicted(void **state)
{
	(void)state;
	uint64_t apart = 64 * 256;
	for (uint64_t k = 0; k <= model.l2_ways + 2; k++)
		send_store(0, buffer + k * apart, k % 2 ? 128 : 32, (int)k, 10 + k * 10);
	run(5000);
	const struct partition_counters c = partition_counters(partition);
	assert_int_equal(c.l2_write_backs, 1 + 4 + 1);
	assert_int_equal(c.dram_writes, 1 + 2 + 1);
	assert_int_equal(c.dram_reads, 0);
	assert_int_equal(*(uint8_t *)space_host(&space, buffer + 3 * apart), 3);
}

/* A line takes the slice 4 x 63 hundredths of a cycle, so two of them, which leave in turn, 3 and 6 cycles. */
static void loads_leave_at_a_rate_of_their_own(void **state)
{
	(void)state;
	model.l2_port = 128;
	for (uint32_t rate = 0; rate <= 63; rate += 63) {
		arena_free(&arena);
		model.crossbar_slice_data = rate;
		build();
		send_store(0, buffer, 128, 7, 10);
		send_load(1, buffer, 1000);
		send_load(2, buffer, 1000);
		run(2000);
		assert_int_equal(reply_time(0, MESSAGE_STORED), 10 + model.l2_latency + 1 + 66);
		assert_int_equal(reply_time(1, MESSAGE_LOADED), 1000 + model.l2_latency + (rate ? 3 : 4) + 66);
		assert_int_equal(reply_time(2, MESSAGE_LOADED), 1000 + model.l2_latency + (rate ? 6 : 8) + 66);
	}
}

/* Each of the 15 sets of sectors is loaded, and another time stored and evicted. */
static void sectors_share_the_bursts_that_hold_them(void **state)
{
	const struct {
		uint32_t bytes, bursts; /* of all the loads */
	} cases[] = {{16, 64}, {32, 32}, {64, 24}, {128, 15}, {512, 15}};
	const uint64_t apart = 64 * 256;

	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		arena_free(&arena);
		model.dram_burst_bytes = cases[k].bytes;
		model.sector_bytes = 32;
		model.l2_ways = 16;
		build();
		for (uint8_t sectors = 1; sectors < 16; sectors++)
			send_message(0, MESSAGE_LOAD, buffer + sectors * 1024, 10, 0, 0)->sectors = sectors;
		run(10000);
		assert_int_equal(partition_counters(partition).l2_fills, 32);
		assert_int_equal(partition_counters(partition).dram_reads, cases[k].bursts);
		for (uint64_t line = 0; line < 32; line++)
			for (uint64_t sector = 0; sector < 4; sector++)
				if (line > 15 ? sector == 0 : line >> sector & 1)
					send_store(0, buffer + line * apart + sector * 32, 32, 1, 10000 + line * 100);
		run(20000);
		assert_int_equal(partition_counters(partition).l2_write_backs, 32);
		assert_int_equal(partition_counters(partition).dram_writes, cases[k].bursts);
	}
}

static void sectors_may_be_read_apart(void **state)
{
	(void)state;
	model.dram_sectors_apart = 1;
	send_load(0, buffer, 10);
	run(1000);
	assert_int_equal(partition_counters(partition).dram_reads, 4);
}

static void atomics_on_one_word_take_turns(void **state)
{
	(void)state;
	send_store(0, buffer, 128, 0, 10);
	run(100);
	reply_time(0, MESSAGE_STORED);
	send_adds(0, buffer, 32, 0, false, 100);
	send_adds(1, buffer + 4, 32, 0, true, 2000);
	send_adds(2, buffer, 32, 4, false, 4000);
	run(6000);
	const struct message *m = receive(0);
	uint32_t flits = (8 + 32 * 4 + 39) / 40;
	assert_int_equal(m->time, 100 + 32 * 9 + model.l2_latency + flits + 66);
	for (uint32_t k = 0; k < 32; k++)
		assert_int_equal(((const uint64_t *)message_payload(m))[k], k);
	m = receive(1);
	assert_int_equal(m->time, 2000 + 32 * 9 + model.l2_latency + 1 + 66);
	assert_int_equal(m->payload_bytes, 0);
	assert_int_equal(m->data_bytes, 0);
	/* 32 words at 4 a cycle: the last starts 7 later. */
	m = receive(2);
	assert_int_equal(m->time, 4000 + 7 + 9 + 3 + model.l2_latency + flits + 66);
	assert_int_equal(((const uint64_t *)message_payload(m))[0], 32);
	assert_int_equal(((const uint64_t *)message_payload(m))[1], 32);
	const struct partition_counters c = partition_counters(partition);
	assert_int_equal(c.atomics, 96);
	assert_int_equal(c.atomic_conflicts, 62);
	/* The k-th of 32 begins at 9 k, and could at k / 4. */
	assert_int_equal(c.atomic_conflict_cycles, 2 * (9 * 31 * 32 / 2 - 4 * 7 * 8 / 2));
}

/* A load behind a long atomic on its line is answered after it; one of another line is not held up. */
static void answers_of_a_line_are_in_order(void **state)
{
	(void)state;
	send_store(0, buffer, 128, 0, 10);
	send_store(0, buffer + 128, 128, 1, 20);
	run(100);
	send_adds(1, buffer, 32, 0, false, 100);
	send_load(2, buffer, 101);
	send_load(3, buffer + 128, 102);
	run(2000);
	assert_true(reply_time(1, MESSAGE_DONE) < inbox_time(core_inboxes[2]));
	assert_int_equal(*(const uint32_t *)message_payload(receive(2)), 32);
	assert_true(reply_time(3, MESSAGE_LOADED) < 250);
}

/* Adds of both slices whose answers leave in the same cycle: the core has that of the lower slice first, whichever was
 * asked first. */
static void answers_of_one_cycle_come_by_slice(void **state)
{
	(void)state;
	send_store(0, buffer, 128, 0, 10);
	send_store(0, buffer + 256, 128, 0, 20);
	run(100);
	reply_time(0, MESSAGE_STORED), reply_time(0, MESSAGE_STORED);
	assert_int_equal(slice_of(&model, buffer), 0);
	assert_int_equal(slice_of(&model, buffer + 256), 1);
	send_adds(1, buffer + 256, 4, 0, true, 100);
	send_adds(1, buffer, 4, 0, true, 100);
	run(1000);
	const uint64_t time = 100 + 4 * 9 + model.l2_latency + 1 + 66;
	for (uint16_t slice = 0; slice < SLICES; slice++) {
		const struct message *m = receive(1);
		assert_int_equal(m->time, time);
		assert_int_equal(m->line, buffer + slice * 256);
		assert_int_equal(m->source, CORES + slice);
	}
}

/* Lines of one set, as many as it has ways: a load is a use, and so is a store. */
static void the_least_recently_used_line_goes(void **state)
{
	(void)state;
	uint64_t apart = 64 * 256, ways = model.l2_ways;
	for (uint64_t k = 0; k < ways; k++)
		send_load(0, buffer + k * apart, 10 + k * 200);
	send_load(0, buffer, 3000);
	send_store(0, buffer + apart, 4, 1, 3100);
	send_load(0, buffer + ways * apart, 3200); /* in the place of line 2 */
	run(4000);
	assert_int_equal(partition_counters(partition).l2_load_hits, 4);
	for (uint64_t k = 0; k < ways + 1; k++)
		if (k != 2)
			send_load(0, buffer + k * apart, 4000 + k * 10);
	run(5000);
	assert_int_equal(partition_counters(partition).l2_load_hits, 4 + ways * 4);
	send_load(0, buffer + 2 * apart, 5000);
	run(6000);
	assert_int_equal(partition_counters(partition).l2_load_hits, 4 + ways * 4);
}

/* Of a store those sectors hit that the line has whole. */
static void stores_hit_sectors_that_are_there(void **state)
{
	struct partition_counters c;
	(void)state;
	send_store(0, buffer, 40, 1, 10); /* a sector and a part of one */
	run(100);
	c = partition_counters(partition);
	assert_int_equal(c.l2_stores, 2);
	assert_int_equal(c.l2_store_hits, 0);
	send_store(0, buffer, 128, 1, 100);
	run(200);
	c = partition_counters(partition);
	assert_int_equal(c.l2_stores, 6);
	assert_int_equal(c.l2_store_hits, 1);
	send_store(0, buffer + 32, 64, 1, 200);
	run(300);
	assert_int_equal(partition_counters(partition).l2_store_hits, 3);
}

static void send_swap(uint16_t core, uint64_t address, uint64_t expected, uint64_t value, bool no_result, uint64_t time)
{
	struct atomic_payload *atomic = send(
		core, MESSAGE_ATOMIC, address & ~127ull, time, 12, sizeof *atomic + 2 * sizeof(struct atomic_entry));
	struct atomic_entry *entry = (struct atomic_entry *)(atomic + 1);
	*atomic = (struct atomic_payload){
		.op = ATOMIC_CAS, .type = TYPE_B32, .bytes = 4, .no_result = no_result, .count = 2};
	entry[0] = entry[1] = (struct atomic_entry){.a = expected, .b = value, .address = address};
	entry[1].a = expected + 100;
}

/* All atomics, and which compare-and-swaps stored, whether anybody wants their old values or not; of the two of each
 * message only the first can. */
static void atomics_are_told(void **state)
{
	uint32_t count;
	const struct atomic_effect *effects;
	(void)state;
	send_swap(0, buffer, 0, 1, false, 10); /* before anybody asks */
	run(1000);
	partition_take_effects(partition, &count);
	assert_int_equal(count, 0);
	send_swap(1, buffer, 1, 2, true, 1000);
	send_swap(2, buffer, 1, 3, true, 1100); /* finds 2 */
	send_adds(3, buffer, 1, 4, true, 1150);
	send_swap(4, buffer, 3, 5, false, 1200);
	send_swap(5, buffer + 256, 0, 7, true, 1300); /* of the other slice */
	send_store(6, buffer + 513, 1, 7, 1350);      /* its mask, 2, is no operation */
	assert_int_equal(ATOMIC_CAS, 2);
	run(2000);
	effects = partition_take_effects(partition, &count);
	assert_int_equal(count, 5);
	for (uint32_t k = 0; k < count; k++) {
		assert_int_equal(effects[k].source, k + 1);
		assert_int_equal(effects[k].failed, k == 1 ? 3 : k == 2 ? 0 : 2);
	}
	assert_int_equal(*(uint32_t *)space_host(&space, buffer), 5);
	assert_int_equal(*(const uint64_t *)message_payload(receive(4)), 3);
	partition_take_effects(partition, &count);
	assert_int_equal(count, 0);
	partition_watch(partition, NULL); /* that nobody watches changes nothing about atomics */
	send_swap(6, buffer, 5, 6, true, 2000);
	run(3000);
	partition_take_effects(partition, &count);
	assert_int_equal(count, 1);
}

/* Of a compare-and-swap of 16 bytes both halves are compared, and each entry has two words of what was found. */
static void swaps_of_16_bytes_are_told(void **state)
{
	(void)state;
	uint32_t count;
	partition_take_effects(partition, &count);
	for (uint64_t lanes = 0; lanes < 3; lanes++) {
		struct atomic_payload *atomic = send((uint16_t)lanes, MESSAGE_ATOMIC, buffer, 10 + 100 * lanes, 64,
			sizeof *atomic + 2 * sizeof(struct atomic_entry) + 4 * sizeof(uint64_t));
		struct atomic_entry *entry = (struct atomic_entry *)(atomic + 1);
		uint64_t *high = (uint64_t *)(entry + 2);
		*atomic = (struct atomic_payload){.op = ATOMIC_CAS, .type = TYPE_B128, .bytes = 16, .count = 2};
		entry[0] = (struct atomic_entry){.a = 0, .b = 5, .address = buffer};
		entry[1] = (struct atomic_entry){.a = 0, .b = 6, .address = buffer + 16};
		/* The first finds 0 in both; the second the low half of one; the third one of the two. */
		entry[0].a = lanes ? 5 : 0;
		high[0] = lanes == 2 ? 7 : lanes;
		high[1] = 7;
		high[2] = 0;
		high[3] = 8;
	}
	run(2000);
	const struct atomic_effect *effects = partition_take_effects(partition, &count);
	assert_int_equal(count, 3);
	assert_int_equal(effects[0].failed, 0);
	assert_int_equal(effects[1].failed, 3);
	assert_int_equal(effects[2].source, 2);
	assert_int_equal(effects[2].failed, 2);
	assert_int_equal(((const uint64_t *)space_host(&space, buffer))[1], 7);
}

static void writes_are_taken_once(void **state)
{
	(void)state;
	const struct logged_word words[] = {{buffer + 4, 4}};
	uint32_t count;
	partition_take_writes(partition, words, 1, &count);
	assert_int_equal(count, 0);
	send_store(0, buffer, 8, 9, 10);
	run(1000);
	const struct logged_write *writes = partition_take_writes(partition, words, 1, &count);
	assert_int_equal(count, 1);
	assert_int_equal(writes[0].after, 0x09090909);
	partition_take_writes(partition, words, 1, &count);
	assert_int_equal(count, 0);
}

/* Each way in which an answer can be outstanding, in either slice. */
static void a_partition_with_answers_to_give_is_not_idle(void **state)
{
	(void)state;
	assert_true(partition_is_idle(partition));
	for (uint64_t slice = 0; slice < SLICES; slice++) {
		uint64_t line = buffer + slice * 256, begin = now;
		send_load(0, line, begin + 10); /* of DRAM, until 140 */
		run(begin + 50);
		assert_false(partition_is_idle(partition));
		run(begin + 134);
		assert_false(partition_is_idle(partition));
		run(begin + 300);
		assert_true(partition_is_idle(partition));
		send_adds(0, line, 32, 0, true, begin + 300); /* of the atomic unit, until 588 */
		run(begin + 500);
		assert_false(partition_is_idle(partition));
		run(begin + 700);
		assert_true(partition_is_idle(partition));
	}
}

static void wide_exchange_and_compare(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct atomic_payload *atomic = send(0, MESSAGE_ATOMIC, buffer, 10 + (uint64_t)k, 36,
			sizeof *atomic + sizeof(struct atomic_entry) + 16);
		*atomic = (struct atomic_payload){.op = ATOMIC_CAS, .type = TYPE_B128, .bytes = 16, .count = 1};
		struct atomic_entry *entry = (struct atomic_entry *)(atomic + 1);
		uint64_t *high = (uint64_t *)(entry + 1);
		*entry = (struct atomic_entry){.a = 0, .b = 5, .address = buffer + 16};
		high[0] = 0, high[1] = 6;
	}
	run(1000);
	const uint64_t *old = message_payload(receive(0));
	assert_int_equal(old[0] + old[1], 0);
	old = message_payload(receive(0));
	assert_int_equal(old[0], 5);
	assert_int_equal(old[1], 6);
}

static void few_mshrs_hold_up_but_do_not_stop(void **state)
{
	(void)state;
	model.l2_mshrs = 1, model.l2_merges = 1, model.l2_ways = 1, model.l2_sets = 1, model.dram_backlog = 8,
	model.dram_queue = 1;
	build();
	for (uint64_t k = 0; k < 400; k++)
		send_load((uint16_t)(k % CORES), buffer + k * 37 % 64 * 128, k);
	run(1000000);
	uint32_t count = 0;
	for (uint16_t core = 0; core < CORES; core++)
		while (receive(core))
			count++;
	assert_int_equal(count, 400);
	assert_true(partition_next_event(partition, slice_inboxes) == UINT64_MAX);
}

/* ---- Random requests against a model that serves them one after another, in order of arrival ---- */

struct expected {
	uint8_t kind;
	uint8_t data[128]; /* LOADED; DONE: the old values, 4 bytes each */
};

#define MESSAGES 10000
#define LINES 24

static struct expected expected[CORES][MESSAGES];
static uint8_t serial[LINES * 128];

/* Sends one random request arriving at `time` and serves it in the serial model. */
static void random_request(uint64_t *seed, uint64_t time)
{
	uint16_t core = (uint16_t)(splitmix64(seed) % CORES);
	uint32_t line = (uint32_t)(splitmix64(seed) % LINES), what = (uint32_t)(splitmix64(seed) % 10), at = line * 128;
	struct expected *e = &expected[core][sequence[core]];
	if (what < 5) {
		e->kind = MESSAGE_LOADED;
		memcpy(e->data, serial + at, 128);
		send_load(core, buffer + at, time);
	} else if (what < 8) {
		uint32_t offset = (uint32_t)(splitmix64(seed) % 32) * 4,
			 words = 1 + (uint32_t)(splitmix64(seed) % (32 - offset / 4));
		int value = (int)(splitmix64(seed) & 0x3f);
		e->kind = MESSAGE_STORED;
		memset(serial + at + offset, value, words * 4);
		send_store(core, buffer + at + offset, words * 4, value, time);
	} else {
		uint32_t stride = splitmix64(seed) % 2 * 4, count = 1 + (uint32_t)(splitmix64(seed) % 32);
		e->kind = MESSAGE_DONE;
		for (uint32_t k = 0; k < count; k++) {
			uint32_t *word = (uint32_t *)(serial + at + k * stride);
			memcpy(e->data + 4 * k, word, 4);
			++*word;
		}
		send_adds(core, buffer + at, count, stride, false, time);
	}
}

static void check_reply(uint16_t core, const struct message *m)
{
	const struct expected *e = &expected[core][m->token];
	assert_int_equal(m->kind, e->kind);
	if (m->kind == MESSAGE_LOADED)
		assert_memory_equal(message_payload(m), e->data, 128);
	for (uint32_t k = 0; m->kind == MESSAGE_DONE && k < m->payload_bytes / 8; k++) {
		uint64_t old = 0;
		memcpy(&old, e->data + 4 * k, 4);
		assert_int_equal(((const uint64_t *)message_payload(m))[k], old);
	}
}

/* Runs the same requests in strides of `stride` cycles (0: from event to event); returns a digest of all replies and
 * times. */
static uint64_t stress(uint64_t stride)
{
	uint64_t seed = 77, time = 0, digest = 0;
	uint32_t sent = 0, received = 0;
	model.l2_sets = 2, model.l2_ways = 2, model.l2_mshrs = 6, model.dram_backlog = 12, model.dram_queue = 4;
	build();
	memset(serial, 0, sizeof serial);
	while (received < MESSAGES) {
		for (; sent < MESSAGES && time < now + 200; sent++, time += 1 + splitmix64(&seed) % 8)
			random_request(&seed, time);
		uint64_t until = now + (stride ? stride : 1);
		if (!stride && outbox_count(requests, parity) == 0)
			until = partition_next_event(partition, slice_inboxes) + 1;
		run(sent < MESSAGES && until > now + 150 ? now + 150 : until);
		for (uint16_t core = 0; core < CORES; core++)
			for (const struct message *m; (m = receive(core)); received++) {
				check_reply(core, m);
				digest ^= (m->time) * 0x9e3779b97f4a7c15ull + core;
			}
	}
	assert_memory_equal(space_host(&space, buffer), serial, sizeof serial);
	assert_true(partition_counters(partition).l2_write_backs > 100);
	return digest;
}

static void random_requests_agree_with_serial_service(void **state)
{
	(void)state;
	uint64_t digest = stress(66);
	arena_free(&arena);
	assert_true(stress(7) == digest);
	arena_free(&arena);
	assert_true(stress(0) == digest);
}

/* All cores add to a counter and read it; what one core reads never falls. */
static void reads_of_a_counter_never_go_back(void **state)
{
	(void)state;
	uint64_t seed = 3, last[CORES] = {0};
	for (uint64_t time = 0; time < 20000; time += 200) {
		for (int k = 0; k < 10; k++) {
			uint16_t core = (uint16_t)(splitmix64(&seed) % CORES);
			if (splitmix64(&seed) % 2)
				send_load(core, buffer, time + (uint64_t)k);
			else
				send_adds(core, buffer, 3, 0, true, time + (uint64_t)k);
			send_load(core, buffer + splitmix64(&seed) % 2000 * 128,
				time + (uint64_t)k); /* evicts now and then */
		}
		run(time + 200);
	}
	run(100000);
	for (uint16_t core = 0; core < CORES; core++)
		for (const struct message *m; (m = receive(core));)
			if (m->kind == MESSAGE_LOADED && m->line == buffer) {
				uint32_t value = *(const uint32_t *)message_payload(m);
				assert_true(value >= last[core]);
				last[core] = value;
			}
}

/* ---- Between launches ---- */

static void a_copy_from_the_host_fills_the_cache(void **state)
{
	(void)state;
	partitions_prefill(&partition, buffer + 100, 4000);
	assert_true(partition_is_to_be_filled(partition));
	partition_fill(partition);
	assert_false(partition_is_to_be_filled(partition));
	send_load(0, buffer, 10);
	send_load(0, buffer + 4096 - 128, 20);
	send_load(0, buffer + 4096 + 128, 30);
	run(1000);
	assert_int_equal(partition_counters(partition).l2_load_hits, 8);
	arena_free(&arena);
	model.l2_prefill = 0;
	build();
	partitions_prefill(&partition, buffer, 4000);
	assert_false(partition_is_to_be_filled(partition));
	send_load(0, buffer, 10);
	run(1000);
	assert_int_equal(partition_counters(partition).l2_load_hits, 0);
}

/* ---- Addresses ---- */

static void every_slice_gets_its_share(void **state)
{
	(void)state;
	const uint32_t channels[] = {6, 32, 5, 1, 8}, per[] = {2, 2, 4, 1, 8};
	for (uint32_t k = 0; k < 10; k++) {
		struct gpu_model m = memory_model();
		m.channels = channels[k / 2];
		m.slices = channels[k / 2] * per[k / 2];
		m.l2_hash = m.l2_set_hash = k % 2;
		uint32_t *count = calloc(m.slices, sizeof *count), units = m.slices * 1024;
		for (uint32_t u = 0; u < units; u++) {
			uint32_t slice = slice_of(&m, GLOBAL_BASE + u * 256ull);
			assert_int_equal(slice, slice_of(&m, GLOBAL_BASE + u * 256ull + 255));
			assert_true(slice < m.slices);
			count[slice]++;
		}
		for (uint32_t s = 0; s < m.slices; s++)
			assert_in_range(count[s], 1024 / 2, 1024 * 2); /* exact but for the folded hash */
		free(count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_load_misses_then_hits, make, drop),
		cmocka_unit_test_setup_teardown(loads_of_one_line_are_merged, make, drop),
		cmocka_unit_test_setup_teardown(a_whole_store_needs_no_dram, make, drop),
		cmocka_unit_test_setup_teardown(a_load_of_a_part_stored_fetches_its_sector, make, drop),
		cmocka_unit_test_setup_teardown(a_load_before_a_store_does_not_see_it, make, drop),
		cmocka_unit_test_setup_teardown(dirty_lines_are_written_back_when_evicted, make, drop),
		cmocka_unit_test_setup_teardown(loads_leave_at_a_rate_of_their_own, make, drop),
		cmocka_unit_test_setup_teardown(sectors_share_the_bursts_that_hold_them, make, drop),
		cmocka_unit_test_setup_teardown(sectors_may_be_read_apart, make, drop),
		cmocka_unit_test_setup_teardown(atomics_on_one_word_take_turns, make, drop),
		cmocka_unit_test_setup_teardown(answers_of_a_line_are_in_order, make, drop),
		cmocka_unit_test_setup_teardown(answers_of_one_cycle_come_by_slice, make, drop),
		cmocka_unit_test_setup_teardown(the_least_recently_used_line_goes, make, drop),
		cmocka_unit_test_setup_teardown(stores_hit_sectors_that_are_there, make, drop),
		cmocka_unit_test_setup_teardown(atomics_are_told, make, drop),
		cmocka_unit_test_setup_teardown(swaps_of_16_bytes_are_told, make, drop),
		cmocka_unit_test_setup_teardown(writes_are_taken_once, make, drop),
		cmocka_unit_test_setup_teardown(a_partition_with_answers_to_give_is_not_idle, make, drop),
		cmocka_unit_test_setup_teardown(wide_exchange_and_compare, make, drop),
		cmocka_unit_test_setup_teardown(few_mshrs_hold_up_but_do_not_stop, make, drop),
		cmocka_unit_test_setup_teardown(random_requests_agree_with_serial_service, make, drop),
		cmocka_unit_test_setup_teardown(reads_of_a_counter_never_go_back, make, drop),
		cmocka_unit_test_setup_teardown(a_copy_from_the_host_fills_the_cache, make, drop),
		cmocka_unit_test_setup_teardown(every_slice_gets_its_share, make, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
