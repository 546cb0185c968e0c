/* Lock queues of a memory partition: who gets a lock, in what order, when, and what is refused. */
#include "memory/lock_table.h"
#include "partition_harness.h"
#include "policy/policy.h"

#define FOREVER LOCK_FOREVER

static int make_queues(void **state)
{
	struct diagnostic diagnostic = {0};
	lock_unit = lock_find("queue", &diagnostic);
	assert_non_null(lock_unit);
	return make(state);
}

/* Begins anew, with the model as it is now. */
static void rebuild(void)
{
	arena_free(&arena);
	build();
}

static uint32_t *word(uint64_t address)
{
	return space_host(&space, address);
}

/* `count` lanes from lane 0 on, of words `stride` bytes apart; the id is core * 100 + lane.  Returns the entries. */
static struct lock_entry *send_lanes(uint16_t core, enum lock_op op, uint64_t address, uint32_t count, uint32_t stride,
	uint64_t patience, uint64_t time)
{
	struct lock_payload *lock = send(core, MESSAGE_LOCK, address & ~127ull, time, count * LOCK_ENTRY_BYTES,
		(uint32_t)(sizeof *lock + count * sizeof(struct lock_entry)));
	struct lock_entry *entry = lock_entries(lock);
	*lock = (struct lock_payload){.op = (uint8_t)op, .count = count};
	for (uint32_t k = 0; k < count; k++)
		entry[k] = (struct lock_entry){
			.address = address + k * stride, .patience = patience, .id = core * 100u + k, .lane = k};
	return entry;
}

static void ask(uint16_t core, enum lock_op op, uint64_t address, uint64_t patience, uint64_t time)
{
	send_lanes(core, op, address, 1, 0, patience, time);
}

/* The next answer to the core: its time, and which lanes. */
static uint64_t answer(uint16_t core, uint64_t granted, uint64_t refused)
{
	const struct message *m = receive(core);
	assert_non_null(m);
	assert_int_equal(m->kind, MESSAGE_LOCK_ANSWER);
	const struct lock_answer *a = message_payload(m);
	assert_int_equal(a->granted, granted);
	assert_int_equal(a->refused, refused);
	assert_int_equal(m->data_bytes, LOCK_ANSWER_BYTES * __builtin_popcountll(granted | refused));
	return m->time;
}

static void no_answer(uint16_t core)
{
	assert_null(receive(core));
}

static struct partition_counters counters(void)
{
	return partition_counters(partition);
}

/* The line is in the L2, all its locks free. */
static void free_locks(uint64_t line)
{
	send_store(14, line, 128, 0xff, 1);
	run(100);
	reply_time(14, MESSAGE_STORED);
}

/* A lock like an atomic: one cycle of the array, 9 of the atomic unit, the latency, one flit, 66 under way.  Release at
 * 200: the word is busy to 209, and the turn that it gives, accepted at 201, has done its work at 218. */
static void a_released_lock_goes_to_the_next(void **state)
{
	(void)state;
	free_locks(buffer);
	ask(0, LOCK_ACQUIRE, buffer, FOREVER, 100);
	ask(1, LOCK_ACQUIRE, buffer, FOREVER, 105);
	run(200);
	assert_int_equal(answer(0, 1, 0), 100 + 9 + model.l2_latency + 1 + 66);
	no_answer(1);
	assert_int_equal(*word(buffer), 0);
	ask(0, LOCK_RELEASE, buffer, 0, 200);
	run(400);
	assert_int_equal(answer(0, 1, 0), 200 + 9 + model.l2_latency + 1 + 66);
	assert_int_equal(answer(1, 1, 0), 200 + 9 + 9 + model.l2_latency + 1 + 66);
	assert_int_equal(*word(buffer), 100);
	assert_int_equal(counters().lock_wait_cycles, 201 - 105);
	assert_int_equal(counters().lock_requests, 2);
	assert_int_equal(counters().lock_records, 2);
	assert_int_equal(counters().lock_records_most, 2);
	assert_int_equal(counters().atomics, 3);
	ask(1, LOCK_RELEASE, buffer, 0, 400);
	run(500);
	assert_int_equal(*word(buffer), LOCK_FREE);
}

static void each_address_has_its_own_order(void **state)
{
	(void)state;
	const uint64_t locks[] = {
		buffer, buffer + 4, buffer + 1024, buffer + 4096}; /* two of one line, of both slices */
	for (uint32_t k = 0; k < 4; k++)
		*word(locks[k]) = LOCK_FREE;
	for (uint16_t core = 0; core < CORES; core++)
		ask(core, LOCK_ACQUIRE, locks[core % 4], FOREVER, 10 + core * 7u);
	run(3000);
	for (uint16_t round = 0; round < CORES; round += 4) {
		for (uint16_t core = round; core < round + 4 && core < CORES; core++) {
			answer(core, 1, 0);
			assert_int_equal(*word(locks[core % 4]), core * 100);
			ask(core, LOCK_RELEASE, locks[core % 4], 0, now);
		}
		for (uint16_t core = (uint16_t)(round + 4); core < CORES; core++)
			no_answer(core);
		run(now + 1000);
		for (uint16_t core = round; core < round + 4 && core < CORES; core++)
			answer(core, 1, 0);
	}
	for (uint32_t k = 0; k < 4; k++)
		assert_int_equal(*word(locks[k]), LOCK_FREE);
	assert_int_equal(counters().lock_records, CORES);
}

/* Of a warp's lanes on one word one is answered at once; the others have an answer each. */
static void lanes_of_a_message_are_answered_one_by_one(void **state)
{
	(void)state;
	free_locks(buffer);
	send_lanes(3, LOCK_ACQUIRE, buffer, 32, 0, FOREVER, 100);
	run(300);
	for (uint32_t lane = 0; lane < 32; lane++) {
		answer(3, 1ull << lane, 0);
		no_answer(3);
		assert_int_equal(*word(buffer), 300 + lane);
		struct lock_entry *entry = send_lanes(3, LOCK_RELEASE, buffer, 1, 0, 0, now);
		entry->lane = lane;
		run(now + 200);
		answer(3, 1ull << lane, 0);
	}
	assert_int_equal(counters().lock_records_most, 32);
	/* Each on a word of its own: one message for all. */
	send_lanes(4, LOCK_ACQUIRE, buffer, 32, 4, FOREVER, now);
	run(now + 200);
	answer(4, 0xffffffff, 0);
	assert_int_equal(*word(buffer + 124), 431);
}

/* What has a lane waiting elsewhere is no reason to wait here. */
static void answers_come_in_any_order(void **state)
{
	(void)state;
	free_locks(buffer);
	ask(0, LOCK_ACQUIRE, buffer, FOREVER, 100);
	ask(1, LOCK_ACQUIRE, buffer + 4, FOREVER, 110);
	send_lanes(2, LOCK_ACQUIRE, buffer, 3, 4, FOREVER, 120); /* the third is free */
	run(300);
	answer(0, 1, 0), answer(1, 1, 0), answer(2, 4, 0);
	ask(1, LOCK_RELEASE, buffer + 4, 0, 300);
	run(500);
	answer(2, 2, 0);
	ask(0, LOCK_RELEASE, buffer, 0, 500);
	run(700);
	answer(2, 1, 0);
}

static void what_others_took_is_refused(void **state)
{
	(void)state;
	free_locks(buffer);
	send_store(5, buffer, 4, 7, 100);
	ask(0, LOCK_ACQUIRE, buffer, FOREVER, 110);
	run(300);
	assert_int_equal(answer(0, 0, 1), 110 + 9 + model.l2_latency + 1 + 66);
	ask(0, LOCK_RELEASE, buffer, 0, 300); /* nobody's list: the word only */
	run(500);
	answer(0, 1, 0);
	assert_int_equal(*word(buffer), LOCK_FREE);
	/* Who will not wait is refused, too. */
	ask(0, LOCK_ACQUIRE, buffer, FOREVER, 500);
	ask(1, LOCK_ACQUIRE, buffer, FOREVER, 510);
	ask(2, LOCK_ACQUIRE, buffer, 0, 520);
	run(700);
	answer(0, 1, 0), answer(2, 0, 1), no_answer(1);
	assert_int_equal(counters().lock_refusals, 2);
	assert_int_equal(counters().lock_requests, 4);
	assert_int_equal(counters().lock_records, 2);
}

static void full_storage_refuses(void **state)
{
	(void)state;
	model.queue_capacity = 3, model.queue_locks = 2;
	rebuild();
	free_locks(buffer);
	send_lanes(0, LOCK_ACQUIRE, buffer, 4, 0, FOREVER, 100); /* one holds, two wait, one is refused */
	run(300);
	answer(0, 1, 8);
	ask(1, LOCK_ACQUIRE, buffer + 4, FOREVER, 300);
	run(400);
	answer(1, 1, 0); /* a free lock is had without a record, and who asks for it then is refused */
	ask(2, LOCK_ACQUIRE, buffer + 4, FOREVER, 400);
	run(500);
	answer(2, 0, 1);
	ask(1, LOCK_RELEASE, buffer + 4, 0, 500);
	ask(0, LOCK_RELEASE, buffer, 0, 500);
	run(700);
	answer(1, 1, 0);
	assert_int_equal(*word(buffer + 4), LOCK_FREE);
	answer(0, 1, 0), answer(0, 2, 0);
	ask(0, LOCK_RELEASE, buffer, 0, 700);
	run(900);
	answer(0, 1, 0), answer(0, 4, 0);
	/* Two records are free now, and one list: the second lock is had without a record. */
	send_lanes(1, LOCK_ACQUIRE, buffer + 4, 2, 4, FOREVER, 900);
	run(1100);
	answer(1, 3, 0);
	ask(2, LOCK_ACQUIRE, buffer + 8, FOREVER, 1100);
	run(1300);
	answer(2, 0, 1);
	assert_int_equal(counters().lock_records_most, 3);
	assert_int_equal(counters().lock_refusals, 3);
}

/* Requests are kept for one address: while it is the first's, the second is had without a record, and nobody waits for
 * it; when the first is free, it is the second's. */
static void one_address_at_a_time(void **state)
{
	(void)state;
	model.queue_locks = 1;
	rebuild();
	free_locks(buffer);
	for (uint16_t round = 0; round < 2; round++) {
		uint64_t first = buffer + round * 4u, second = buffer + 4 - round * 4u;
		ask(0, LOCK_ACQUIRE, first, FOREVER, now);
		ask(1, LOCK_ACQUIRE, first, FOREVER, now + 10);
		ask(2, LOCK_ACQUIRE, second, FOREVER, now + 20);
		ask(3, LOCK_ACQUIRE, second, FOREVER, now + 30);
		run(now + 200);
		answer(0, 1, 0), no_answer(1), answer(2, 1, 0), answer(3, 0, 1);
		ask(0, LOCK_RELEASE, first, 0, now);
		ask(2, LOCK_RELEASE, second, 0, now + 20);
		run(now + 200);
		answer(0, 1, 0), answer(1, 1, 0), answer(2, 1, 0);
		ask(1, LOCK_RELEASE, first, 0, now);
		run(now + 200);
		answer(1, 1, 0);
	}
	assert_int_equal(counters().lock_records, 4);
}

/* Who waits, and who answers, in each slice. */
static void each_slice_has_queues_of_its_own(void **state)
{
	(void)state;
	free_locks(buffer);
	free_locks(buffer + 256);
	for (uint16_t core = 0; core < 5; core++)
		ask(core, LOCK_ACQUIRE, buffer + (core < 2 ? 0 : 256), FOREVER, 200 + core);
	run(400);
	answer(0, 1, 0), answer(2, 1, 0);
	assert_int_equal(partition_locks_waiting(partition), 1 + 2);
	ask(0, LOCK_RELEASE, buffer, 0, 400);
	ask(2, LOCK_RELEASE, buffer + 256, 0, 400);
	run(600);
	for (uint16_t core = 1; core < 4; core += 2) {
		assert_int_equal(inbox_first(core_inboxes[core])->source, CORES + core / 2);
		assert_int_equal(inbox_first(core_inboxes[core])->line, buffer + core / 2 * 256u);
		answer(core, 1, 0);
	}
	assert_int_equal(partition_locks_waiting(partition), 1);
	assert_int_equal(*word(buffer + 256), 300);
}

/* Cores 1 to 4 wait behind core 0, those in `hasty` for 1000 cycles; who is left has the lock in order. */
static void time_out(uint32_t hasty)
{
	rebuild();
	free_locks(buffer);
	ask(0, LOCK_ACQUIRE, buffer, FOREVER, 100);
	for (uint16_t core = 1; core <= 4; core++)
		ask(core, LOCK_ACQUIRE, buffer, hasty >> core & 1 ? 1000 : FOREVER, 100 + core * 10u);
	run(1000);
	answer(0, 1, 0);
	if (hasty)
		assert_int_equal(
			partition_next_event(partition, slice_inboxes), 1100 + 10u * (uint32_t)__builtin_ctz(hasty));
	run(1500);
	for (uint16_t core = 1; core <= 4; core++)
		if (hasty >> core & 1)
			assert_int_equal(answer(core, 0, 1), 1100 + core * 10u + 1 + 66);
		else
			no_answer(core);
	assert_true(partition_next_event(partition, slice_inboxes) == UINT64_MAX);
	ask(0, LOCK_RELEASE, buffer, 0, now);
	for (uint16_t core = 1; core <= 4; core++)
		if (!(hasty >> core & 1)) {
			run(now + 200);
			answer(core, 1, 0);
			assert_int_equal(*word(buffer), core * 100);
			ask(core, LOCK_RELEASE, buffer, 0, now);
		}
	run(now + 200);
	assert_int_equal(*word(buffer), LOCK_FREE);
	assert_int_equal(counters().lock_timeouts, __builtin_popcount(hasty));
	assert_int_equal(counters().lock_refusals, 0);
}

static void patience_ends_anywhere_in_the_list(void **state)
{
	(void)state;
	for (uint32_t hasty = 0; hasty < 16; hasty++)
		time_out(hasty << 1);
}

/* At the cycle at which patience ends a release comes too late; one before, it does not. */
static void patience_ends_before_requests_of_its_cycle(void **state)
{
	(void)state;
	for (uint64_t early = 0; early < 2; early++) {
		rebuild();
		free_locks(buffer);
		ask(0, LOCK_ACQUIRE, buffer, FOREVER, 100);
		ask(1, LOCK_ACQUIRE, buffer, 500, 200);
		ask(0, LOCK_RELEASE, buffer, 0, 700 - early);
		run(1000);
		answer(1, early, !early);
	}
}

static void semaphores_count(void **state)
{
	(void)state;
	*word(buffer) = 2;
	for (uint16_t core = 0; core < 5; core++)
		ask(core, LOCK_WAIT, buffer, core == 3 ? 2000 : FOREVER, 10 + core);
	ask(5, LOCK_WAIT, buffer, 0, 20);
	run(1000);
	answer(0, 1, 0), answer(1, 1, 0), no_answer(2), no_answer(3), no_answer(4), answer(5, 0, 1);
	assert_int_equal(*word(buffer), 0);
	assert_int_equal(partition_next_event(partition, slice_inboxes), 2013);
	run(3000);
	answer(3, 0, 1);
	/* Two at once: both that wait get one, and the third is left. */
	send_lanes(6, LOCK_SIGNAL, buffer, 3, 0, 0, 3000);
	run(4000);
	answer(6, 7, 0);
	assert_true(answer(2, 1, 0) < answer(4, 1, 0));
	assert_int_equal(*word(buffer), 1);
	assert_int_equal(counters().lock_records, 3);
	/* A negative value is so many that must be signalled first. */
	*word(buffer) = (uint32_t)-2;
	ask(0, LOCK_WAIT, buffer, FOREVER, 4000);
	for (uint64_t k = 0; k < 2; k++)
		ask(6, LOCK_SIGNAL, buffer, 0, 4100 + 100 * k);
	run(5000);
	answer(6, 1, 0), answer(6, 1, 0), no_answer(0);
	ask(6, LOCK_SIGNAL, buffer, 0, 5000);
	run(6000);
	answer(0, 1, 0);
	assert_int_equal(*word(buffer), 0);
	/* Two of one message, and two that wait: the second finds the turn given, so the first that takes one passes
	 * the other on. */
	ask(0, LOCK_WAIT, buffer, FOREVER, 6000);
	ask(1, LOCK_WAIT, buffer, FOREVER, 6010);
	send_lanes(6, LOCK_SIGNAL, buffer, 2, 0, 0, 6100);
	run(7000);
	answer(0, 1, 0), answer(1, 1, 0);
	assert_int_equal(*word(buffer), 0);
	/* Two for three: who takes the last one does not pass the turn on.  The first request, the signals and two
	 * turns look at the word; then a signal and a turn. */
	uint64_t atomics = counters().atomics;
	for (uint16_t core = 0; core < 3; core++)
		ask(core, LOCK_WAIT, buffer, FOREVER, 7000 + core);
	send_lanes(6, LOCK_SIGNAL, buffer, 2, 0, 0, 7100);
	run(8000);
	answer(0, 1, 0), answer(1, 1, 0), no_answer(2);
	assert_int_equal(counters().atomics - atomics, 1 + 2 + 2);
	ask(6, LOCK_SIGNAL, buffer, 0, 8000);
	run(9000);
	answer(2, 1, 0);
	assert_int_equal(counters().atomics - atomics, 1 + 2 + 2 + 1 + 1);
}

/* One that waits alone and gives up leaves no list behind: the next finds the semaphore as if nobody had waited. */
static void the_last_that_gives_up_closes_the_list(void **state)
{
	(void)state;
	ask(0, LOCK_WAIT, buffer, 100, 10);
	run(1000);
	answer(0, 0, 1);
	ask(1, LOCK_SIGNAL, buffer, 0, 1000);
	ask(2, LOCK_WAIT, buffer, FOREVER, 1100);
	run(2000);
	answer(1, 1, 0), answer(2, 1, 0);
	assert_int_equal(counters().lock_records, 1);
}

/* Many loads arrive with the release: each takes the array for 4 cycles, the turn goes before all but those
 * accepted. */
static void a_turn_goes_before_the_inbox(void **state)
{
	(void)state;
	free_locks(buffer);
	ask(0, LOCK_ACQUIRE, buffer, FOREVER, 100);
	ask(1, LOCK_ACQUIRE, buffer, FOREVER, 110);
	send_store(2, buffer + 128, 128, 0, 120);
	run(300);
	answer(0, 1, 0), reply_time(2, MESSAGE_STORED);
	ask(0, LOCK_RELEASE, buffer, 0, 300);
	for (int k = 0; k < 20; k++)
		send_load(2, buffer + 128, 300);
	run(600);
	/* Its answer finds the port taken for loads accepted up to then, which need no more than 3 + latency + 4 flits
	 * from there. */
	uint64_t ready = 300 + 9 + 9 + model.l2_latency;
	assert_in_range(answer(1, 1, 0), ready + 1 + 66, ready + 3 + model.l2_latency + 4 + 1 + 66);
	uint64_t last = 0;
	for (int k = 0; k < 20; k++)
		last = reply_time(2, MESSAGE_LOADED);
	assert_true(last >= 300 + 20 * 4 + 66);
}

/* The lock's line has been evicted, and one request may wait for a sector: the turn waits in its buffer until the
 * release has its line, and the inbox behind it. */
static void a_turn_waits_until_it_can_be_accepted(void **state)
{
	(void)state;
	model.l2_sets = model.l2_ways = model.l2_merges = 1;
	model.slices = 2;
	rebuild();
	free_locks(buffer);
	ask(0, LOCK_ACQUIRE, buffer, FOREVER, 100);
	ask(1, LOCK_ACQUIRE, buffer, FOREVER, 110);
	send_load(2, buffer + 128, 120);
	run(1000);
	answer(0, 1, 0), reply_time(2, MESSAGE_LOADED);
	uint64_t reads = counters().dram_reads;
	ask(3, LOCK_ACQUIRE, buffer, 10, 1000); /* has no use for the line: the other stays */
	send_load(2, buffer + 128, 1001);
	run(1200);
	answer(3, 0, 1), reply_time(2, MESSAGE_LOADED);
	assert_int_equal(counters().dram_reads, reads);
	ask(0, LOCK_RELEASE, buffer, 0, 1200);
	send_store(2, buffer, 4, 9, 1201);
	assert_int_equal(*word(buffer), 0);
	run(1300);
	assert_int_equal(*word(buffer), LOCK_FREE);
	run(2000);
	assert_true(answer(0, 1, 0) > 1300 + 66);
	assert_true(answer(1, 1, 0) < reply_time(2, MESSAGE_STORED));
	assert_int_equal(*word(buffer), 0x09090909);
	assert_true(counters().dram_reads > reads);
}

/* ---- Records in memory ---- */

/* 200 cores' lanes ask for two locks; the release of each comes 300 cycles after its grant. Returns when the last was
 * granted. */
static uint64_t contend(void)
{
	uint64_t last = 0;
	rebuild();
	free_locks(buffer);
	for (uint16_t core = 0; core < CORES; core++)
		send_lanes(core, LOCK_ACQUIRE, buffer + core % 2 * 4, 14, 0, FOREVER, 200 + core);
	for (uint32_t granted = 0; granted < CORES * 14;) {
		run(now + 50);
		for (uint16_t core = 0; core < CORES; core++)
			for (const struct message *m; (m = receive(core));) {
				const struct lock_answer *a = message_payload(m);
				if (m->token >> 31)
					continue;
				assert_int_equal(a->refused, 0);
				if (a->granted != 1ull << 63) {
					granted++;
					last = m->time;
					send_lanes(core, LOCK_RELEASE, buffer + core % 2 * 4, 1, 0, 0, last + 300)
						->lane = 63;
				}
			}
	}
	run(now + 2000);
	assert_int_equal(*word(buffer), LOCK_FREE);
	assert_int_equal(*word(buffer + 4), LOCK_FREE);
	assert_int_equal(counters().lock_records, CORES * 14);
	assert_true(partition_next_event(partition, slice_inboxes) == UINT64_MAX);
	return last;
}

static void records_in_memory_cost_time_and_traffic(void **state)
{
	(void)state;
	uint64_t without = contend();
	assert_int_equal(counters().dram_reads, 0);
	assert_int_equal(counters().l2_stores, 4);
	model.queue_traffic = 1;
	uint64_t with = contend();
	assert_true(with > without);
	/* A write for each record, a read for each that waited; but the first two. */
	assert_int_equal(counters().l2_stores, 4 + CORES * 14);
	assert_int_equal(counters().l2_loads, (CORES * 14 - 2) * 4);
	/* A small L2 does not keep them. */
	assert_int_equal(counters().l2_write_backs, 0);
	model.l2_sets = 1, model.l2_ways = 2, model.l2_mshrs = 1, model.l2_merges = 1, model.dram_backlog = 8,
	model.dram_queue = 1;
	assert_true(contend() > with);
	assert_true(counters().l2_write_backs > 50);
	assert_true(counters().dram_reads > 50);
}

/* The next record has been evicted, and cannot be asked for: loads of the other slice have filled DRAM's backlog. */
static void a_record_waits_until_it_can_be_asked_for(void **state)
{
	(void)state;
	model.queue_traffic = 1;
	model.l2_sets = 1, model.l2_ways = 4, model.dram_backlog = 8, model.dram_queue = 1;
	rebuild();
	free_locks(buffer);
	ask(0, LOCK_ACQUIRE, buffer, FOREVER, 100);
	ask(1, LOCK_ACQUIRE, buffer, FOREVER, 110);
	for (uint64_t k = 1; k <= 8; k++)
		send_load(2, buffer + k * 512, 200);
	send_load(2, buffer, 2500);
	run(3000);
	answer(0, 1, 0);
	uint64_t reads = counters().dram_reads;
	for (uint64_t k = 0; k < 20; k++)
		send_load(2, buffer + 256 + k * 512, 3000);
	ask(0, LOCK_RELEASE, buffer, 0, 3030);
	run(6000);
	/* dram.latency, 100 cycles, passes before there is room again, and once more before the record comes. */
	assert_in_range(answer(0, 1, 0), 3030, 3030 + 100);
	assert_true(answer(1, 1, 0) > 3030 + 200);
	assert_int_equal(counters().dram_reads, reads + 20 * 2 + 2);
	for (int k = 0; k < 8 + 1 + 20; k++)
		reply_time(2, MESSAGE_LOADED);
}

/* A record's line of 4 sectors is read from 301 on, and the turn comes at 301 + 3 + latency; a store of 301 is accepted
 * between.  Who cannot have the lock then is refused, and so is the next; a semaphore's first goes on waiting. */
static void what_others_took_before_the_turn_is_refused(void **state)
{
	(void)state;
	model.queue_traffic = 1;
	rebuild();
	free_locks(buffer);
	for (uint16_t core = 0; core < 3; core++)
		ask(core, LOCK_ACQUIRE, buffer, FOREVER, 100 + core);
	run(300);
	answer(0, 1, 0), no_answer(1), no_answer(2);
	ask(0, LOCK_RELEASE, buffer, 0, 300);
	send_store(5, buffer, 4, 7, 301);
	run(500);
	answer(0, 1, 0), answer(1, 0, 1), answer(2, 0, 1);
	assert_int_equal(*word(buffer), 0x07070707);
	assert_int_equal(counters().lock_refusals, 2);
	assert_int_equal(counters().lock_wait_cycles, 0);

	*word(buffer) = 0;
	ask(3, LOCK_WAIT, buffer, 400, 490);
	ask(1, LOCK_WAIT, buffer, 800, 500);
	ask(2, LOCK_WAIT, buffer, FOREVER, 510);
	for (uint64_t time = 700; time <= 900; time += 200) {
		ask(0, LOCK_SIGNAL, buffer, 0, time);
		send_store(5, buffer, 4, 0, time + 1);
	}
	run(1290);
	assert_int_equal(answer(3, 0, 1), 890 + 1 + 66); /* its turn at 700 has not made it wait longer */
	no_answer(1), no_answer(2);
	/* The turn of the first begins in time, and ends too late; that of the second is not due. */
	ask(0, LOCK_SIGNAL, buffer, 0, 1298);
	send_store(5, buffer, 4, 0, 1299);
	run(1500);
	answer(1, 0, 1), no_answer(2);
	ask(0, LOCK_SIGNAL, buffer, 0, 1500);
	run(1700);
	answer(2, 1, 0);
	assert_int_equal(*word(buffer), 0);
	assert_int_equal(counters().lock_timeouts, 2);
	/* Of the lock, the first request, the release and two turns; of the semaphore the first request, and four
	 * signals, each with a turn.  Who finds others waiting does not look at the word. */
	assert_int_equal(counters().atomics, 4 + 1 + 4 * 2);
}

/* Accesses of the slice itself that wait for their turn, more than there was room for at first: 64 locks are released
 * at once, and while their records are read the lanes of two messages make 128 more.  How long the reads take says how
 * many of their turns come on top of those. */
static void many_accesses(uint32_t latency)
{
	model.l2_latency = 2;
	rebuild();
	free_locks(buffer);
	free_locks(buffer + 128);
	model.l2_latency = latency;
	for (uint16_t core = 0; core < 4; core++)
		send_lanes(core, LOCK_ACQUIRE, buffer, 32, 4, FOREVER, 200 + core);
	run(1000);
	answer(0, UINT32_MAX, 0);
	send_lanes(0, LOCK_RELEASE, buffer, 32, 4, 0, 1000);
	send_lanes(4, LOCK_ACQUIRE, buffer + 128, 64, 0, FOREVER, 1010);
	send_lanes(5, LOCK_ACQUIRE, buffer + 128, 64, 0, FOREVER, 1011);
	run(4000);
	answer(0, UINT32_MAX, 0), answer(4, 1, 0);
	uint64_t granted = 0;
	for (const struct message *m; (m = receive(1));)
		granted += ((const struct lock_answer *)message_payload(m))->granted;
	assert_int_equal(granted, UINT32_MAX);
	for (uint32_t k = 0; k < 32; k++)
		assert_int_equal(word(buffer)[k], 100 + k);
	for (uint32_t k = 1; k < 128; k++) {
		ask(6, LOCK_RELEASE, buffer + 128, 0, now);
		run(now + 1000);
		answer(6, 1, 0), answer(k < 64 ? 4 : 5, 1ull << k % 64, 0);
		assert_int_equal(*word(buffer + 128), (k < 64 ? 400 : 500) + k % 64);
	}
	assert_int_equal(counters().lock_records, 4 * 32 + 128);
	assert_int_equal(counters().l2_stores, 2 * 4 + 4 * 32 + 128);
	assert_int_equal(counters().l2_loads, (32 + 127) * 4);
}

static void accesses_may_be_many(void **state)
{
	(void)state;
	model.queue_traffic = 1;
	for (uint32_t latency = 110; latency < 150; latency++)
		many_accesses(latency);
}

/* ---- Launches ---- */

static void a_lock_that_nobody_releases_is_no_event(void **state)
{
	(void)state;
	free_locks(buffer);
	for (uint16_t core = 0; core < CORES; core++)
		ask(core, LOCK_ACQUIRE, buffer, FOREVER, 100);
	run(1000);
	assert_true(partition_next_event(partition, slice_inboxes) == UINT64_MAX);
	ask(0, LOCK_RELEASE, buffer, 0, 1000);
	for (uint32_t k = 0; k < SLICES; k++)
		inbox_collect(&slice_inboxes[k], 1, requests, parity, k);
	outbox_begin(replies, parity);
	partition_run(partition, slice_inboxes, replies, 1001);
	assert_int_equal(partition_next_event(partition, slice_inboxes), 1001); /* the turn */
}

static void writes_of_locks_are_watched(void **state)
{
	(void)state;
	static struct journal journal;
	free_locks(buffer);
	partition_watch(partition, &journal);
	journal_open(&journal, true);
	ask(0, LOCK_ACQUIRE, buffer, FOREVER, 100);
	ask(1, LOCK_ACQUIRE, buffer, FOREVER, 110);
	run(300);
	assert_false(journal_is_restored(&journal));
	ask(0, LOCK_RELEASE, buffer, 0, 300);
	run(500);
	assert_false(journal_is_restored(&journal));
	ask(1, LOCK_RELEASE, buffer, 0, 500);
	run(700);
	assert_true(journal_is_restored(&journal));
	partition_watch(partition, NULL);
}

/* ---- Another unit: the youngest request first ---- */

static uint32_t youngest(
	void *state, const struct lock_record *records, uint32_t first, const struct lock_record *released)
{
	uint32_t *calls = state;
	assert_int_equal(released->core, *calls ? CORES - *calls : 0);
	++*calls;
	while (records[first].next != LOCK_NO_RECORD)
		first = records[first].next;
	return first;
}

static const struct lock_unit lifo = {.name = "lifo",
	.summary = "the youngest first",
	.queues = true,
	.state_size = sizeof(uint32_t),
	.next = youngest};

static void the_unit_says_who_is_next(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	struct lock_unit headless = lifo;
	headless.next = NULL;
	assert_false(policy_add(POLICY_lock, &headless, &diagnostic));
	assert_string_equal(diagnostic.message, "lock policy 'lifo' lacks the hook 'next'");
	lock_unit = &lifo;
	rebuild();
	free_locks(buffer);
	for (uint16_t core = 0; core < CORES; core++)
		ask(core, LOCK_ACQUIRE, buffer, FOREVER, 100 + core);
	run(300);
	answer(0, 1, 0);
	ask(0, LOCK_RELEASE, buffer, 0, 300);
	for (uint16_t core = CORES - 1; core > 0; core--) {
		run(now + 200);
		answer(core, 1, 0);
		ask(core, LOCK_RELEASE, buffer, 0, now);
	}
}

/* ---- Random requests: threads that take locks and semaphores, in strides of any length ---- */

#define CORE_THREADS 16
#define THREADS (CORES * CORE_THREADS)
#define LOCKS 12
#define TURNS 6

struct thread {
	uint32_t turns; /* left */
	uint32_t lock;
	uint64_t sent; /* when its request arrives */
	enum { ASKS, GIVES_BACK } doing;
};

static struct thread threads[THREADS];
static uint64_t latest[LOCKS]; /* when the request of the latest owner arrived */
static int32_t left[LOCKS];    /* how many may still have it */
static bool fair;              /* nobody gives up: first come, first served */

static uint64_t lock_address(uint32_t lock)
{
	return buffer + lock / 3 * 128 + lock % 3 * 36;
}

static bool is_semaphore(uint32_t lock)
{
	return lock % 3 == 2;
}

/* All threads' requests arrive at different times: the order of arrival is known, and the same for all strides. */
static uint64_t arrival(uint32_t number, uint64_t earliest)
{
	return (earliest / THREADS + 1) * THREADS + number;
}

static void thread_asks(uint64_t *seed, uint32_t number, uint64_t earliest)
{
	struct thread *t = &threads[number];
	uint64_t patience = fair ? FOREVER : (const uint64_t[]){0, 300, 3000, FOREVER}[splitmix64(seed) % 4];
	t->doing = ASKS;
	t->sent = arrival(number, earliest);
	struct lock_entry *entry = send_lanes((uint16_t)(number / CORE_THREADS),
		is_semaphore(t->lock) ? LOCK_WAIT : LOCK_ACQUIRE, lock_address(t->lock), 1, 0, patience, t->sent);
	entry->lane = number % CORE_THREADS;
	entry->id = number;
}

static void thread_gives_back(uint32_t number, uint64_t earliest)
{
	struct thread *t = &threads[number];
	t->doing = GIVES_BACK;
	left[t->lock]++;
	send_lanes((uint16_t)(number / CORE_THREADS), is_semaphore(t->lock) ? LOCK_SIGNAL : LOCK_RELEASE,
		lock_address(t->lock), 1, 0, 0, arrival(number, earliest))
		->lane = number % CORE_THREADS;
}

static void thread_hears(uint64_t *seed, uint32_t number, bool granted, uint64_t time)
{
	struct thread *t = &threads[number];
	if (t->doing == ASKS && granted) {
		assert_true(--left[t->lock] >= 0);
		if (fair)
			assert_true(t->sent > latest[t->lock]);
		latest[t->lock] = t->sent;
		thread_gives_back(number, time + 66);
		return;
	}
	if (t->doing == GIVES_BACK) {
		assert_true(granted && t->turns);
		t->turns--;
		t->lock = (uint32_t)(splitmix64(seed) % LOCKS);
	}
	assert_false(fair && !granted);
	if (t->turns)
		thread_asks(seed, number, time + 66);
}

/* The answers of all cores that have come, in order of time. */
static uint32_t collect(struct message *answers, struct lock_answer *lanes)
{
	uint32_t count = 0;
	for (uint16_t core = 0; core < CORES; core++)
		for (const struct message *m; (m = receive(core));) {
			uint32_t at = count++;
			assert_true(count <= THREADS);
			for (; at && answers[at - 1].time > m->time; at--)
				answers[at] = answers[at - 1], lanes[at] = lanes[at - 1];
			answers[at] = *m;
			lanes[at] = *(const struct lock_answer *)message_payload(m);
		}
	return count;
}

static void start_threads(uint64_t *seeds)
{
	rebuild();
	memset(latest, 0, sizeof latest);
	for (uint32_t k = 0; k < LOCKS; k++) {
		*word(lock_address(k)) = is_semaphore(k) ? 3 : LOCK_FREE;
		left[k] = is_semaphore(k) ? 3 : 1;
	}
	for (uint32_t k = 0; k < THREADS; k++) {
		seeds[k] = k;
		threads[k] = (struct thread){.turns = TURNS, .lock = k % LOCKS};
		thread_asks(&seeds[k], k, 0);
	}
}

/* Returns a digest of all answers and times. */
static uint64_t stress(uint64_t stride)
{
	static uint64_t seeds[THREADS];
	static struct message answers[THREADS];
	static struct lock_answer lanes[THREADS];
	uint64_t digest = 0;
	start_threads(seeds);
	for (uint32_t busy = THREADS; busy;) {
		uint64_t until = now + (stride ? stride : 1);
		if (!stride && outbox_count(requests, parity) == 0)
			until = partition_next_event(partition, slice_inboxes) + 1;
		assert_true(now < 10000000 && until);
		run(until > now + 66 ? now + 66 : until);
		for (uint32_t k = 0, count = collect(answers, lanes); k < count; k++) {
			uint64_t time = answers[k].time, both = lanes[k].granted | lanes[k].refused;
			uint32_t number = answers[k].destination * CORE_THREADS + (uint32_t)__builtin_ctzll(both);
			assert_true(both && !(both & (both - 1)) && !(lanes[k].granted & lanes[k].refused));
			digest ^= (time + (lanes[k].granted != 0)) * 0x9e3779b97f4a7c15ull * (number + 1);
			thread_hears(&seeds[number], number, lanes[k].granted != 0, time);
			busy -= !threads[number].turns;
		}
	}
	for (uint32_t k = 0; k < LOCKS; k++)
		assert_int_equal(*word(lock_address(k)), is_semaphore(k) ? 3 : LOCK_FREE);
	assert_true(partition_next_event(partition, slice_inboxes) == UINT64_MAX);
	return digest;
}

static void random_threads(bool is_fair)
{
	fair = is_fair;
	uint64_t digest = stress(66);
	assert_true(stress(7) == digest);
	assert_true(stress(0) == digest);
}

static void random_threads_have_their_turns_in_order(void **state)
{
	(void)state;
	random_threads(true);
	assert_int_equal(counters().lock_refusals + counters().lock_timeouts, 0);
}

static void random_threads_without_patience_have_their_turns(void **state)
{
	(void)state;
	random_threads(false);
	assert_true(counters().lock_refusals > 100 && counters().lock_timeouts > 100);
}

static void random_threads_have_little_room(void **state)
{
	(void)state;
	model.l2_sets = 2, model.l2_ways = 2, model.l2_mshrs = 2, model.l2_merges = 1, model.dram_backlog = 8,
	model.dram_queue = 2;
	model.queue_traffic = 1;
	random_threads(true);
	model.queue_capacity = 37, model.queue_locks = 3;
	random_threads(false);
	assert_in_range(counters().lock_records_most, 38, 2 * 37);
}

/* ---- The table against lists searched from end to end ---- */

#define SIMPLE 300

static struct simple {
	uint64_t address, until, since;
	bool armed;
	uint32_t number;
} simple[SIMPLE]; /* in order of age, per address as in its list */
static uint32_t simple_count;

static uint32_t simple_first(uint64_t address)
{
	for (uint32_t k = 0; k < simple_count; k++)
		if (simple[k].address == address)
			return simple[k].number;
	return LOCK_NO_RECORD;
}

static bool is_sooner(const struct simple *a, const struct simple *b)
{
	if (a->until != b->until)
		return a->until < b->until;
	return a->since != b->since ? a->since < b->since : a->number < b->number;
}

/* Of those whose time is over at once the one that has waited longest, then the lowest. */
static uint32_t simple_timer(void)
{
	const struct simple *first = NULL;
	for (uint32_t k = 0; k < simple_count; k++)
		if (simple[k].armed && (!first || is_sooner(&simple[k], first)))
			first = &simple[k];
	return first ? first->number : LOCK_NO_RECORD;
}

static uint32_t lowest_free(void)
{
	for (uint32_t number = 0;; number++) {
		bool taken = false;
		for (uint32_t k = 0; k < simple_count; k++)
			taken |= simple[k].number == number;
		if (!taken)
			return number;
	}
}

static void simple_remove(uint32_t at)
{
	memmove(simple + at, simple + at + 1, (--simple_count - at) * sizeof *simple);
}

static void simple_to_front(uint32_t at)
{
	struct simple moved = simple[at];
	memmove(simple + 1, simple, at * sizeof *simple);
	simple[0] = moved;
}

static void check_list(const struct lock_table *table, uint64_t address)
{
	uint32_t number = lock_table_first(table, address), previous = LOCK_NO_RECORD;
	for (uint32_t k = 0; k < simple_count; k++) /* before the first is the last */
		previous = simple[k].address == address ? simple[k].number : previous;
	for (uint32_t k = 0; k < simple_count; k++)
		if (simple[k].address == address) {
			assert_int_equal(number, simple[k].number);
			assert_int_equal(table->records[number].previous, previous);
			previous = number;
			number = table->records[number].next;
		}
	assert_int_equal(number, LOCK_NO_RECORD);
}

static void check_timers(const struct lock_table *table)
{
	for (uint32_t k = 0; k < table->timer_count; k++) {
		const struct lock_record *r = &table->records[table->timers[k]];
		assert_int_equal(r->timer, k);
		assert_true(!k || table->records[table->timers[(k - 1) / 2]].until <= r->until);
	}
}

static void the_table_agrees_with_simple_lists(void **state)
{
	(void)state;
	struct arena own = {0};
	struct lock_table table = {.arena = &own};
	uint64_t seed = 5;
	simple_count = 0;
	for (uint32_t step = 0; step < 20000; step++) {
		uint64_t address = 4 * (splitmix64(&seed) % 150), until = splitmix64(&seed) % 50,
			 since = splitmix64(&seed) % 4;
		uint32_t what = (uint32_t)(splitmix64(&seed) % 10),
			 at = simple_count ? (uint32_t)(splitmix64(&seed) % simple_count) : 0;
		bool grows = step / 2000 % 2 == 0;
		if ((what < (grows ? 6 : 3) || !simple_count) && simple_count < SIMPLE) {
			uint32_t number = lowest_free();
			assert_int_equal(
				lock_table_append(&table,
					&(struct lock_record){.address = address, .until = until, .since = since}),
				number);
			simple[simple_count++] =
				(struct simple){.address = address, .until = until, .since = since, .number = number};
		} else if (what < 7) {
			address = simple[at].address;
			lock_table_remove(&table, simple[at].number);
			simple_remove(at);
		} else if (what < 8) {
			address = simple[at].address;
			lock_table_to_front(&table, simple[at].number);
			simple_to_front(at);
		} else if (!simple[at].armed) {
			lock_table_arm(&table, simple[at].number);
			simple[at].armed = true;
		} else {
			lock_table_disarm(&table, simple[at].number);
			simple[at].armed = false;
		}
		assert_int_equal(lock_table_first(&table, address), simple_first(address));
		check_list(&table, address);
		check_timers(&table);
		assert_int_equal(lock_table_next_timer(&table), simple_timer());
		assert_int_equal(table.record_count, simple_count);
	}
	arena_free(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_released_lock_goes_to_the_next, make_queues, drop),
		cmocka_unit_test_setup_teardown(each_address_has_its_own_order, make_queues, drop),
		cmocka_unit_test_setup_teardown(lanes_of_a_message_are_answered_one_by_one, make_queues, drop),
		cmocka_unit_test_setup_teardown(answers_come_in_any_order, make_queues, drop),
		cmocka_unit_test_setup_teardown(what_others_took_is_refused, make_queues, drop),
		cmocka_unit_test_setup_teardown(full_storage_refuses, make_queues, drop),
		cmocka_unit_test_setup_teardown(one_address_at_a_time, make_queues, drop),
		cmocka_unit_test_setup_teardown(each_slice_has_queues_of_its_own, make_queues, drop),
		cmocka_unit_test_setup_teardown(accesses_may_be_many, make_queues, drop),
		cmocka_unit_test_setup_teardown(patience_ends_anywhere_in_the_list, make_queues, drop),
		cmocka_unit_test_setup_teardown(patience_ends_before_requests_of_its_cycle, make_queues, drop),
		cmocka_unit_test_setup_teardown(semaphores_count, make_queues, drop),
		cmocka_unit_test_setup_teardown(the_last_that_gives_up_closes_the_list, make_queues, drop),
		cmocka_unit_test_setup_teardown(a_turn_goes_before_the_inbox, make_queues, drop),
		cmocka_unit_test_setup_teardown(a_turn_waits_until_it_can_be_accepted, make_queues, drop),
		cmocka_unit_test_setup_teardown(records_in_memory_cost_time_and_traffic, make_queues, drop),
		cmocka_unit_test_setup_teardown(a_record_waits_until_it_can_be_asked_for, make_queues, drop),
		cmocka_unit_test_setup_teardown(what_others_took_before_the_turn_is_refused, make_queues, drop),
		cmocka_unit_test_setup_teardown(a_lock_that_nobody_releases_is_no_event, make_queues, drop),
		cmocka_unit_test_setup_teardown(writes_of_locks_are_watched, make_queues, drop),
		cmocka_unit_test_setup_teardown(the_unit_says_who_is_next, make_queues, drop),
		cmocka_unit_test_setup_teardown(random_threads_have_their_turns_in_order, make_queues, drop),
		cmocka_unit_test_setup_teardown(random_threads_without_patience_have_their_turns, make_queues, drop),
		cmocka_unit_test_setup_teardown(random_threads_have_little_room, make_queues, drop),
		cmocka_unit_test(the_table_agrees_with_simple_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
