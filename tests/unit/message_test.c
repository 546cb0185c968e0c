/* Outboxes and inboxes: order, payloads, growth, collecting while messages wait. */
#include "memory/message.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void send(
	struct outbox *outbox, uint32_t destination, uint16_t source, uint32_t sequence, uint64_t time, uint32_t words)
{
	struct message *m = outbox_write(outbox, words * 8);
	uint64_t *payload = message_payload(m);
	*m = (struct message){.time = time,
		.line = sequence,
		.source = source,
		.payload_bytes = (uint16_t)(words * 8),
		.token = destination};
	for (uint32_t k = 0; k < words; k++)
		payload[k] = time * 1000 + sequence + k;
	outbox_post(outbox, destination, m);
}

static void check(const struct message *m)
{
	const uint64_t *payload = message_payload(m);
	for (uint32_t k = 0; k < m->payload_bytes / 8; k++)
		assert_int_equal(payload[k], m->time * 1000 + m->line + k);
}

static void an_empty_inbox_has_nothing(void **state)
{
	(void)state;
	struct inbox *inbox = inbox_create(&arena);
	assert_null(inbox_first(inbox));
	assert_true(inbox_time(inbox) == UINT64_MAX);
	assert_int_equal(inbox_count(inbox), 0);
}

static void destinations_get_their_own_and_clear_empties(void **state)
{
	(void)state;
	struct outbox *outbox = outbox_create(&arena, 0, 3);
	for (uint32_t k = 0; k < 3000; k++)
		send(outbox, k % 3, 7, k, 100 + k, k % 20);
	assert_int_equal(outbox_count(outbox, 0), 3000);
	struct inbox *inbox = inbox_create(&arena);
	inbox_collect(&inbox, 1, outbox, 0, 1);
	inbox_keep(inbox);
	outbox_begin(outbox, 0);
	for (uint32_t k = 1; k < 3000; k += 3) {
		const struct message *m = inbox_first(inbox);
		assert_int_equal(m->line, k);
		assert_int_equal(m->token, 1);
		assert_int_equal(m->payload_bytes, k % 20 * 8);
		check(m);
		inbox_drop(inbox);
	}
	assert_null(inbox_first(inbox));
	inbox_collect(&inbox, 1, outbox, 0, 1);
	assert_null(inbox_first(inbox));
}

/* Inboxes with addresses 4 to 7 and an outbox that reaches 5 and 6: each gets its own, the others nothing. */
static void an_outbox_reaches_its_addresses_only(void **state)
{
	(void)state;
	struct outbox *outbox = outbox_create(&arena, 5, 2);
	struct inbox *inbox[4];
	for (uint32_t k = 0; k < 4; k++)
		inbox[k] = inbox_create(&arena);
	for (uint32_t k = 0; k < 3; k++)
		send(outbox, 5 + k % 2, 0, k, 10 + k, 1);
	inbox_collect(inbox, 4, outbox, 0, 4);
	assert_int_equal(inbox_count(inbox[0]), 0);
	assert_int_equal(inbox_count(inbox[1]), 2);
	assert_int_equal(inbox_count(inbox[2]), 1);
	assert_int_equal(inbox_count(inbox[3]), 0);
	assert_int_equal(inbox_first(inbox[1])->token, 5);
	assert_int_equal(inbox_first(inbox[2])->token, 6);
}

/* Units collect in order of the source. */
static void ties_go_by_quantum_then_source_then_sending(void **state)
{
	(void)state;
	struct inbox *inbox = inbox_create(&arena);
	struct outbox *a = outbox_create(&arena, 0, 1), *b = outbox_create(&arena, 0, 1);
	send(a, 0, 5, 1, 10, 0), send(a, 0, 5, 2, 10, 0);
	send(b, 0, 3, 9, 10, 1), send(b, 0, 3, 10, 10, 0);
	inbox_collect(&inbox, 1, b, 0, 0);
	inbox_collect(&inbox, 1, a, 0, 0);
	outbox_begin(b, 1);
	send(b, 0, 3, 11, 10, 0), send(b, 0, 3, 12, 9, 0);
	inbox_collect(&inbox, 1, b, 1, 0);
	const uint32_t order[] = {12, 9, 10, 1, 2, 11};
	for (int k = 0; k < 6; k++) {
		assert_int_equal(inbox_first(inbox)->line, order[k]);
		inbox_drop(inbox);
	}
}

/* Each round collects from 9 sources times that overlap what still waits, then takes a part. */
static void the_order_holds_while_messages_come_and_go(void **state)
{
	(void)state;
	struct inbox *inbox = inbox_create(&arena);
	struct outbox *box[9];
	uint64_t seed = 1, clock[9] = {0}, last_time = 0, taken = 0, sent = 0;
	uint32_t sequence[9] = {0};
	for (int s = 0; s < 9; s++)
		box[s] = outbox_create(&arena, 0, 2);
	for (int round = 0; round < 200; round++) {
		for (uint16_t s = 0; s < 9; s++) {
			outbox_begin(box[s], (uint32_t)round % 2);
			clock[s] = clock[s] > last_time ? clock[s] : last_time;
			for (uint64_t n = splitmix64(&seed) % 30; n; n--, sent++)
				send(box[s], 1, s, (uint32_t)round << 20 | sequence[s]++,
					clock[s] += splitmix64(&seed) % (round % 50 == 7 ? 3000 : 20),
					(uint32_t)(splitmix64(&seed) % 300));
			inbox_collect(&inbox, 1, box[s], (uint32_t)round % 2, 1);
		}
		uint64_t last_order = 0;
		for (uint64_t n = inbox_count(inbox) * (round < 199 ? splitmix64(&seed) % 100 : 100) / 100; n;
			n--, taken++) {
			const struct message *m = inbox_first(inbox);
			uint64_t order = m->line >> 20 << 40 | (uint64_t)m->source << 32 | (m->line & 0xfffff);
			assert_int_equal(inbox_time(inbox), m->time);
			assert_true(m->time > last_time || (m->time == last_time && order >= last_order));
			last_time = m->time;
			last_order = order + 1;
			check(m);
			inbox_drop(inbox);
		}
		inbox_keep(inbox);
	}
	assert_int_equal(taken, sent);
	assert_null(inbox_first(inbox));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(an_empty_inbox_has_nothing, drop),
		cmocka_unit_test_teardown(destinations_get_their_own_and_clear_empties, drop),
		cmocka_unit_test_teardown(an_outbox_reaches_its_addresses_only, drop),
		cmocka_unit_test_teardown(ties_go_by_quantum_then_source_then_sending, drop),
		cmocka_unit_test_teardown(the_order_holds_while_messages_come_and_go, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
