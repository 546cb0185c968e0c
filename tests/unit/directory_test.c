/* The directory of coherent L1s: which L1 gets a line in which state, which are asked before, which wait.  The expected
 * states are those of the table of MOESI (Sweazey and Smith, ISCA 1986, Table 1: loads and stores of a cache that
 * copies back), written out in directory.h. */
#include "memory/directory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CORES 70 /* more than a word of a mask has */
#define LINE 0x10000000ull

static struct arena arena;
static struct directory *directory;

static int make(void **state)
{
	(void)state;
	directory = directory_create(&arena, CORES);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct message message(uint16_t core, uint8_t kind)
{
	return (struct message){.line = LINE, .source = core, .kind = kind};
}

/* "S3 T5": SHARE to core 3, TAKE to core 5; likewise I, and R for a recall. */
static const char *probes_of(const struct message *m)
{
	static char text[512];
	uint32_t count;
	const struct directory_probe *probe = directory_probes(directory, m, &count);
	size_t at = 0;

	text[0] = 0;
	for (uint32_t k = 0; k < count; k++)
		at += (size_t)snprintf(
			text + at, sizeof text - at, "%s%c%u", k ? " " : "", "STIR"[probe[k].probe], probe[k].core);
	return text;
}

/* The request is asked about, and its probes are sent: as `probes`. */
static void begins(const struct message *m, const char *probes)
{
	uint32_t count;

	assert_string_equal(probes_of(m), probes);
	directory_probes(directory, m, &count);
	directory_probing(directory, m, count);
	assert_true(directory_waits(directory, LINE));
	assert_null(directory_ready(directory));
}

/* A core answers that it had the line in `state`, and gives data. */
static void answers(uint16_t core, enum line_state state, bool data)
{
	struct message m = message(core, MESSAGE_PROBED);

	m.line_state = (uint8_t)state;
	m.data_bytes = data ? LINE_BYTES : 0;
	directory_probed(directory, &m);
}

/* The request, which needs no more probes, is granted and leaves. */
static void grants(const struct message *m, enum grant_data data, enum line_state state)
{
	assert_string_equal(probes_of(m), "");
	assert_int_equal(directory_data(directory, m), data);
	assert_int_equal(directory_grant(directory, m), state);
	assert_true(directory_waits(directory, LINE));
	assert_true(directory_allows(directory, LINE, m->source, state));
	directory_served(directory, LINE);
}

/* The same of the parked one. */
static void grants_ready(uint16_t core, enum grant_data data, enum line_state state)
{
	struct message m;

	assert_non_null(directory_ready(directory));
	m = *directory_ready(directory);
	assert_int_equal(m.source, core);
	grants(directory_ready(directory), data, state);
}

static void asks(uint16_t core, uint8_t kind, enum grant_data data, enum line_state state)
{
	struct message m = message(core, kind);

	grants(&m, data, state);
}

static void evicts(uint16_t core, enum line_state state)
{
	struct message m = message(core, MESSAGE_EVICTED);

	m.line_state = (uint8_t)state;
	directory_evicted(directory, &m);
}

static bool has(uint16_t core, enum line_state state)
{
	return directory_allows(directory, LINE, core, state);
}

static void the_first_reader_has_it_alone(void **state)
{
	(void)state;
	asks(1, MESSAGE_SHARE, GRANT_FROM_L2, LINE_EXCLUSIVE);
	assert_false(directory_waits(directory, LINE));
	assert_false(has(2, LINE_SHARED));
}

/* E to S; the owner's data is forwarded, though the L2 has the same. */
static void a_second_reader_of_a_clean_line(void **state)
{
	struct message m = message(2, MESSAGE_SHARE);

	(void)state;
	asks(1, MESSAGE_SHARE, GRANT_FROM_L2, LINE_EXCLUSIVE);
	begins(&m, "S1");
	answers(1, LINE_EXCLUSIVE, true);
	grants_ready(2, GRANT_FORWARDED, LINE_SHARED);
	assert_true(has(1, LINE_SHARED) && has(2, LINE_SHARED));
	assert_false(has(1, LINE_EXCLUSIVE));
	asks(69, MESSAGE_SHARE, GRANT_FROM_L2, LINE_SHARED); /* nobody owns it: nobody is asked */
}

/* M to O: the owner stays, and is asked again by the next reader. */
static void a_reader_of_a_changed_line(void **state)
{
	struct message m = message(2, MESSAGE_SHARE), next = message(3, MESSAGE_SHARE);

	(void)state;
	asks(1, MESSAGE_OWN, GRANT_FROM_L2, LINE_MODIFIED);
	begins(&m, "S1");
	answers(1, LINE_MODIFIED, true);
	grants_ready(2, GRANT_FORWARDED, LINE_SHARED);
	assert_true(has(1, LINE_OWNED));
	begins(&next, "S1");
	answers(1, LINE_OWNED, true);
	grants_ready(3, GRANT_FORWARDED, LINE_SHARED);
	assert_true(has(1, LINE_OWNED) && has(2, LINE_SHARED) && has(3, LINE_SHARED));
}

/* All others lose it; an L1 that has it already gets no data. */
static void a_sharer_becomes_the_owner(void **state)
{
	struct message m = message(69, MESSAGE_OWN);

	(void)state;
	a_second_reader_of_a_clean_line(state);
	begins(&m, "I1 I2");
	answers(2, LINE_SHARED, false);
	assert_null(directory_ready(directory));
	answers(1, LINE_SHARED, false);
	grants_ready(69, GRANT_UPGRADES, LINE_MODIFIED);
	assert_false(has(1, LINE_SHARED) || has(2, LINE_SHARED));
}

/* O to M: only the sharers are asked. */
static void an_owner_writes_again(void **state)
{
	struct message m = message(1, MESSAGE_OWN);

	(void)state;
	a_reader_of_a_changed_line(state);
	begins(&m, "I2 I3");
	answers(2, LINE_SHARED, false);
	answers(3, LINE_SHARED, false);
	grants_ready(1, GRANT_UPGRADES, LINE_MODIFIED);
	assert_false(has(2, LINE_SHARED) || has(3, LINE_SHARED));
}

/* The owner gives its data to the next that writes, sharers only lose theirs. */
static void another_takes_an_owned_line(void **state)
{
	struct message m = message(5, MESSAGE_OWN);

	(void)state;
	a_reader_of_a_changed_line(state);
	begins(&m, "T1 I2 I3");
	answers(1, LINE_OWNED, true);
	answers(2, LINE_SHARED, false);
	answers(3, LINE_SHARED, false);
	grants_ready(5, GRANT_FORWARDED, LINE_MODIFIED);
	assert_true(has(5, LINE_MODIFIED));
	assert_false(has(1, LINE_SHARED));
}

/* Requests for a line in transition wait in order; each meets what the one before it has left. */
static void requests_wait_in_order(void **state)
{
	struct message first = message(1, MESSAGE_OWN), second = message(2, MESSAGE_OWN),
		       third = message(3, MESSAGE_SHARE);

	(void)state;
	assert_int_equal(directory_grant(directory, &first), LINE_MODIFIED);
	directory_park(directory, &second); /* the grant has not left */
	directory_park(directory, &third);
	assert_null(directory_ready(directory));
	directory_served(directory, LINE);
	begins(directory_ready(directory), "T1");
	answers(1, LINE_MODIFIED, true);
	grants_ready(2, GRANT_FORWARDED, LINE_MODIFIED);
	begins(directory_ready(directory), "S2");
	answers(2, LINE_MODIFIED, true);
	grants_ready(3, GRANT_FORWARDED, LINE_SHARED);
	assert_true(directory_is_idle(directory));
}

/* The probe has crossed the eviction, which comes before the answer: the data is the L2's. */
static void an_eviction_crosses_a_probe(void **state)
{
	struct message m = message(2, MESSAGE_SHARE);

	(void)state;
	asks(1, MESSAGE_OWN, GRANT_FROM_L2, LINE_MODIFIED);
	begins(&m, "S1");
	evicts(1, LINE_MODIFIED);
	answers(1, LINE_INVALID, false);
	grants_ready(2, GRANT_FROM_L2, LINE_EXCLUSIVE);
}

/* The requester's own copy was taken while its request waited: it needs data after all. */
static void an_upgrade_that_comes_too_late(void **state)
{
	struct message first = message(69, MESSAGE_OWN), second = message(2, MESSAGE_OWN);

	(void)state;
	a_second_reader_of_a_clean_line(state);
	begins(&first, "I1 I2");
	directory_park(directory, &second);
	answers(1, LINE_SHARED, false);
	answers(2, LINE_SHARED, false);
	grants_ready(69, GRANT_UPGRADES, LINE_MODIFIED);
	begins(directory_ready(directory), "T69");
	answers(69, LINE_MODIFIED, true);
	grants_ready(2, GRANT_FORWARDED, LINE_MODIFIED);
}

/* An owner that evicts leaves its sharers what they have; the last that goes leaves nothing. */
static void evictions(void **state)
{
	(void)state;
	a_reader_of_a_changed_line(state);
	evicts(1, LINE_OWNED);
	assert_false(has(1, LINE_SHARED));
	asks(4, MESSAGE_SHARE, GRANT_FROM_L2, LINE_SHARED);
	evicts(2, LINE_SHARED);
	evicts(3, LINE_SHARED);
	evicts(4, LINE_SHARED);
	asks(4, MESSAGE_SHARE, GRANT_FROM_L2, LINE_EXCLUSIVE);
}

/* Past the L1s a read needs the owner's line only, a write everybody's. */
static void recalls(void **state)
{
	struct message load = message(9, MESSAGE_LOAD), store = message(2, MESSAGE_STORE);

	(void)state;
	a_reader_of_a_changed_line(state);
	begins(&load, "R1");
	evicts(1, LINE_OWNED);
	answers(1, LINE_INVALID, false);
	assert_string_equal(probes_of(directory_ready(directory)), "");
	directory_drop(directory, directory_ready(directory));
	directory_served(directory, LINE);
	assert_true(has(2, LINE_SHARED) && has(3, LINE_SHARED));
	assert_string_equal(probes_of(&load), "");
	begins(&store, "I2 I3"); /* also the sender's own */
	answers(2, LINE_SHARED, false);
	answers(3, LINE_SHARED, false);
	directory_drop(directory, directory_ready(directory));
	directory_served(directory, LINE);
	assert_false(has(2, LINE_SHARED) || has(3, LINE_SHARED));
	assert_false(directory_waits(directory, LINE));
}

/* A parked message keeps its payload, whatever becomes of the sender's copy. */
static void what_is_parked_is_kept(void **state)
{
	struct {
		struct message m;
		struct store_payload store;
	} store = {.m = message(3, MESSAGE_STORE)};

	(void)state;
	asks(1, MESSAGE_SHARE, GRANT_FROM_L2, LINE_EXCLUSIVE);
	store.m.payload_bytes = sizeof store.store;
	memset(&store.store, 7, sizeof store.store);
	begins(&store.m, "R1");
	memset(&store.store, 0, sizeof store.store);
	answers(1, LINE_EXCLUSIVE, false);
	assert_int_equal(((const struct store_payload *)message_payload(directory_ready(directory)))->data[127], 7);
}

/* More lines than it had places for at first, and none is left behind. */
static void many_lines(void **state)
{
	struct message m = message(0, MESSAGE_SHARE);

	(void)state;
	for (uint32_t k = 0; k < 1000; k++) {
		m.line = LINE + k * LINE_BYTES;
		assert_int_equal(directory_grant(directory, &m), LINE_EXCLUSIVE);
		directory_served(directory, m.line);
	}
	for (uint32_t k = 0; k < 1000; k++)
		assert_true(directory_allows(directory, LINE + k * LINE_BYTES, 0, LINE_EXCLUSIVE));
	directory_clear(directory);
	assert_false(has(0, LINE_SHARED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_first_reader_has_it_alone, make, drop),
		cmocka_unit_test_setup_teardown(a_second_reader_of_a_clean_line, make, drop),
		cmocka_unit_test_setup_teardown(a_reader_of_a_changed_line, make, drop),
		cmocka_unit_test_setup_teardown(a_sharer_becomes_the_owner, make, drop),
		cmocka_unit_test_setup_teardown(an_owner_writes_again, make, drop),
		cmocka_unit_test_setup_teardown(another_takes_an_owned_line, make, drop),
		cmocka_unit_test_setup_teardown(requests_wait_in_order, make, drop),
		cmocka_unit_test_setup_teardown(an_eviction_crosses_a_probe, make, drop),
		cmocka_unit_test_setup_teardown(an_upgrade_that_comes_too_late, make, drop),
		cmocka_unit_test_setup_teardown(evictions, make, drop),
		cmocka_unit_test_setup_teardown(recalls, make, drop),
		cmocka_unit_test_setup_teardown(what_is_parked_is_kept, make, drop),
		cmocka_unit_test_setup_teardown(many_lines, make, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
