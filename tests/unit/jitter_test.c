/* When the packets of a core arrive (machine/core/port.c), each by itself: the ways to the slices, the flits of the
 * port, and what may pass what with crossbar.jitter, crossbar.loads_pass and crossbar.atomics_pass. */
#include "machine/core/port.h"
#include "machine/state/machine.h"
#include "memory_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LATENCY 100
#define JITTER 7
#define SPREAD 5
#define SLICES 64
#define STORE_BYTES 120 /* with the header of 8 bytes 4 flits of 32; a load is one flit */
#define STORE_FLITS 4

static struct arena arena;
static struct gpu_model model;
static struct machine machine;
static struct core core;

/* The core `index` of a machine, at cycle 1000, with a free port. */
static void begin(uint32_t jitter, bool loads_pass, bool atomics_pass, uint32_t spread, uint64_t seed, uint32_t index)
{
	arena_free(&arena);
	arena = (struct arena){0};
	model = memory_model();
	model.crossbar_header = 8;
	model.crossbar_flit = 32;
	model.crossbar_request_latency = LATENCY;
	model.crossbar_jitter = jitter;
	model.crossbar_loads_pass = loads_pass;
	model.crossbar_atomics_pass = atomics_pass;
	model.crossbar_spread = spread;
	model.slices = model.channels = SLICES;
	memset(&core, 0, sizeof core);
	machine = (struct machine){.model = &model, .map = address_map_of(&model), .seed = seed, .cores.count = 16};
	core.machine = &machine;
	core.index = index;
	core.now = 1000;
	core.outbox = outbox_create(&arena, machine.cores.count, SLICES);
	outbox_begin(core.outbox, 0);
	port_create(&core, &arena);
}

static const struct message *send(uint8_t kind, uint64_t line, bool passes)
{
	struct message *m = outbox_write(core.outbox, 0);

	m->payload_bytes = 0;
	m->passes = passes;
	port_post(&core, m, kind, line, kind == MESSAGE_LOAD ? 0 : STORE_BYTES, 42);
	return m;
}

static uint64_t arrival(uint8_t kind, uint64_t line)
{
	return send(kind, line, false)->time;
}

static uint64_t weak_load(uint64_t line)
{
	return send(MESSAGE_LOAD, line, true)->time;
}

/* The last flit leaves in the cycle before the next packet's first. */
static void a_packet_leaves_behind_the_one_before(void **state)
{
	(void)state;
	begin(0, false, false, 0, 1, 3);
	assert_int_equal(arrival(MESSAGE_LOAD, 0), 1000 + LATENCY);
	assert_int_equal(arrival(MESSAGE_STORE, 128), 1001 + STORE_FLITS - 1 + LATENCY);
	assert_int_equal(arrival(MESSAGE_LOAD, 0), 1001 + STORE_FLITS + LATENCY);
	assert_int_equal(port_free(&core, false), 1002 + STORE_FLITS);
	assert_int_equal(port_free(&core, true), 1002 + STORE_FLITS);
	core.now = 2000;
	assert_int_equal(arrival(MESSAGE_ATOMIC, 0), 2000 + STORE_FLITS - 1 + LATENCY);
}

static void a_packet_says_from_where_and_whither(void **state)
{
	const struct message *m;

	(void)state;
	begin(0, false, false, 0, 1, 3);
	m = send(MESSAGE_STORE, 128 * 9, false);
	assert_int_equal(m->source, 3);
	assert_int_equal(m->destination, machine.cores.count + address_slice(&machine.map, 128 * 9));
	assert_int_equal(m->line, 128 * 9);
	assert_int_equal(m->kind, MESSAGE_STORE);
	assert_int_equal(m->token, 42);
	assert_int_equal(m->data_bytes, STORE_BYTES);
	assert_int_equal(core.in_flight, 1);
	assert_int_equal(core.counters.crossbar_packets, 1);
	assert_int_equal(core.counters.crossbar_flits, STORE_FLITS);
	assert_int_equal(core.counters.store_packets, 1);
	assert_int_equal(core.counters.load_packets + core.counters.atomic_packets + core.counters.lock_packets, 0);
}

/* Each pair of a core and a slice has its way, the longest by all of the spread, whatever the seed. */
static void ways_differ_by_the_spread(void **state)
{
	uint32_t of_core_3[SLICES], same = 0;
	bool seen[SPREAD + 1] = {false};

	(void)state;
	begin(0, false, false, SPREAD, 1, 3);
	memcpy(of_core_3, core.lsu.ways, sizeof of_core_3);
	for (uint32_t k = 0; k < SLICES; k++) {
		assert_in_range(of_core_3[k], LATENCY, LATENCY + SPREAD);
		seen[of_core_3[k] - LATENCY] = true;
	}
	for (uint32_t k = 0; k <= SPREAD; k++)
		assert_true(seen[k]);
	begin(0, false, false, SPREAD, 2, 3);
	assert_memory_equal(core.lsu.ways, of_core_3, sizeof of_core_3);
	begin(0, false, false, SPREAD, 1, 4);
	for (uint32_t k = 0; k < SLICES; k++)
		same += core.lsu.ways[k] == of_core_3[k];
	assert_in_range(same, 1, SLICES / 2);
}

/* Of packets to lines of their own. */
static void jitter_is_drawn_for_each_packet(void **state)
{
	uint64_t seen[JITTER + 1] = {0}, first[64], leaves = 1000;

	(void)state;
	begin(JITTER, false, false, 0, 1, 3);
	for (uint32_t k = 0; k < 512; k++) {
		uint8_t kind = k % 2 ? MESSAGE_LOAD : MESSAGE_STORE;
		uint64_t flits = k % 2 ? 1 : STORE_FLITS,
			 longer = arrival(kind, 128ull * k) - (leaves + flits - 1 + LATENCY);

		leaves += flits;
		assert_in_range(longer, 0, JITTER);
		seen[longer]++;
		if (k < 64)
			first[k] = longer;
	}
	for (uint32_t k = 0; k <= JITTER; k++)
		assert_in_range(seen[k], 32, 128);
	/* another core, another seed, and the same again */
	for (uint32_t which = 0; which < 3; which++) {
		uint32_t same = 0;

		begin(JITTER, false, false, 0, which == 1 ? 2 : 1, which == 0 ? 4 : 3);
		for (uint32_t k = 0; k < 64; k++) {
			core.now = 10000 + 100 * k;
			same += arrival(MESSAGE_LOAD, 128ull * k) == core.now + LATENCY + first[k];
		}
		assert_in_range(same, which == 2 ? 64 : 0, which == 2 ? 64 : 32);
	}
}

/* Pairs of packets to one line, or to two, in the same cycle: how often the second arrives before the first. */
static uint32_t overtaken(bool first_loads, bool second_loads, bool weak, bool fence, uint64_t apart)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < 64; k++) {
		uint64_t line = 128ull * 2 * k, a, b;

		core.now = 10000 + 100 * k;
		a = first_loads ? send(MESSAGE_LOAD, line, weak)->time : arrival(MESSAGE_STORE, line);
		if (fence)
			port_fence_group(&core);
		b = second_loads ? send(MESSAGE_LOAD, line + apart, weak)->time : arrival(MESSAGE_STORE, line + apart);
		count += b < a;
	}
	return count;
}

static void what_goes_to_one_line_stays_in_order(void **state)
{
	(void)state;
	for (uint32_t pass = 0; pass < 2; pass++) {
		begin(JITTER * 10, pass, false, 0, 1, 3);
		for (uint32_t loads = 0; loads < 4; loads++) {
			bool both = loads == 3;

			assert_int_equal(overtaken(loads & 1, loads & 2, false, false, 0), 0);
			/* Weak loads pass each other, and nothing else. */
			if (pass && both)
				assert_in_range(overtaken(true, true, true, false, 0), 16, 48);
			else
				assert_int_equal(overtaken(loads & 1, loads & 2, true, false, 0), 0);
			assert_in_range(overtaken(loads & 1, loads & 2, false, false, 128), 16, 48);
		}
	}
}

/* Of lines that share an entry no packet passes another, 1,024 lines apart. */
static void lines_that_share_an_entry_stay_in_order(void **state)
{
	(void)state;
	begin(JITTER * 10, false, false, 0, 1, 3);
	assert_int_equal(overtaken(false, false, false, false, 1024 * 128), 0);
	assert_in_range(overtaken(false, false, false, false, 1023 * 128), 16, 48);
}

/* Behind a fence no weak load passes one that was sent before it. */
static void weak_loads_do_not_pass_a_fence(void **state)
{
	(void)state;
	begin(JITTER * 10, true, false, 0, 1, 3);
	assert_int_equal(overtaken(true, true, true, true, 0), 0);
	begin(JITTER * 10, true, false, 0, 1, 3);
	assert_int_equal(overtaken(true, true, true, true, 128), 0);
	/* Stores are not held up by it, nor are strong loads. */
	assert_in_range(overtaken(true, false, true, true, 128), 16, 48);
	assert_in_range(overtaken(true, true, false, true, 128), 16, 48);
	begin(0, true, false, 0, 1, 3);
	port_fence_group(&core);
}

/* A load behind three: it waits for the last of them to arrive, whichever that is; and a store behind loads that passed
 * each other for the last of these. */
static void the_last_arrival_counts(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 64; k++) {
		uint64_t last = 0;

		begin(JITTER * 10, true, false, 0, k, 3);
		for (uint64_t line = 0; line < 3; line++) {
			uint64_t arrives = weak_load(128 * line);
			last = arrives > last ? arrives : last;
		}
		port_fence_group(&core);
		assert_true(weak_load(128 * 3) >= last);
		begin(JITTER * 10, true, false, 0, k, 3);
		last = 0;
		for (uint32_t n = 0; n < 3; n++) {
			uint64_t arrives = weak_load(0);
			last = arrives > last ? arrives : last;
		}
		assert_true(arrival(MESSAGE_STORE, 0) >= last);
	}
}

/* Atomics have a queue of their own; the flits are shared, so that what comes behind an atomic waits for it. */
static void atomics_pass_what_waits(void **state)
{
	(void)state;
	begin(0, false, true, 0, 1, 3);
	assert_int_equal(arrival(MESSAGE_STORE, 0), 1000 + STORE_FLITS - 1 + LATENCY);
	assert_int_equal(arrival(MESSAGE_STORE, 128), 1000 + 2 * STORE_FLITS - 1 + LATENCY);
	assert_int_equal(port_free(&core, false), 1000 + 2 * STORE_FLITS);
	assert_int_equal(port_free(&core, true), 0);
	assert_int_equal(arrival(MESSAGE_ATOMIC, 256), 1000 + STORE_FLITS - 1 + LATENCY);
	assert_int_equal(port_free(&core, true), 1000 + STORE_FLITS);
	assert_int_equal(port_free(&core, false), 1000 + 3 * STORE_FLITS);
	assert_int_equal(arrival(MESSAGE_LOAD, 256 + 128), 1000 + 3 * STORE_FLITS + LATENCY);
	/* Not those of its line: behind the second store, and behind each other. */
	assert_int_equal(arrival(MESSAGE_ATOMIC, 128), 1000 + 3 * STORE_FLITS - 1 + LATENCY);
	assert_int_equal(arrival(MESSAGE_ATOMIC, 128), 1000 + 4 * STORE_FLITS - 1 + LATENCY);
}

/* Without jitter a way is as long as it is, also for loads behind a fence. */
static void without_jitter_nothing_is_drawn_or_held(void **state)
{
	(void)state;
	begin(0, true, true, 50, 1, 3);
	for (uint32_t k = 0; k < 64; k++) {
		uint64_t line = 128ull * k;

		assert_int_equal(weak_load(line), 1000 + k + core.lsu.ways[address_slice(&machine.map, line)]);
		port_fence_group(&core);
	}
}

/* A load has no data; what it says is carried along, as is what a store writes. */
static void messages_carry_what_they_are_given(void **state)
{
	struct store_payload payload = {.mask = {5, 6}, .data = {7, 8, 9}};
	struct operation op = {.signature = 0};
	struct inbox *inbox;
	const struct message *m;

	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		begin(0, false, false, 0, 1, 3);
		inbox = inbox_create(&arena);
		port_send_load(&core, 128, 0x5, (struct port_load){.kept = k & 1, .passes = k & 2}, 9);
		inbox_collect(&inbox, 1, core.outbox, 0, machine.cores.count + address_slice(&machine.map, 128));
		m = inbox_first(inbox);
		assert_non_null(m);
		assert_int_equal(m->kind, MESSAGE_LOAD);
		assert_int_equal(m->sectors, 5);
		assert_int_equal(m->kept, k & 1);
		assert_int_equal(m->passes, !!(k & 2));
		assert_int_equal(m->token, 9);
		assert_int_equal(m->data_bytes, 0);
		assert_int_equal(core.counters.load_packets, 1);
	}
	begin(0, false, false, 0, 1, 3);
	inbox = inbox_create(&arena);
	port_send_store(&core, &op, 256, &payload, 64, 11);
	inbox_collect(&inbox, 1, core.outbox, 0, machine.cores.count + address_slice(&machine.map, 256));
	m = inbox_first(inbox);
	assert_non_null(m);
	assert_int_equal(m->kind, MESSAGE_STORE);
	assert_int_equal(m->data_bytes, 64);
	assert_int_equal(m->payload_bytes, sizeof payload);
	assert_memory_equal(message_payload(m), &payload, sizeof payload);
	assert_int_equal(m->time, 1000 + 3 - 1 + LATENCY); /* 72 bytes in flits of 32 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_leaves_behind_the_one_before),
		cmocka_unit_test(a_packet_says_from_where_and_whither),
		cmocka_unit_test(ways_differ_by_the_spread),
		cmocka_unit_test(jitter_is_drawn_for_each_packet),
		cmocka_unit_test(what_goes_to_one_line_stays_in_order),
		cmocka_unit_test(lines_that_share_an_entry_stay_in_order),
		cmocka_unit_test(weak_loads_do_not_pass_a_fence),
		cmocka_unit_test(the_last_arrival_counts),
		cmocka_unit_test(atomics_pass_what_waits),
		cmocka_unit_test(without_jitter_nothing_is_drawn_or_held),
		cmocka_unit_test(messages_carry_what_they_are_given),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_free(&arena);
	return failed;
}
