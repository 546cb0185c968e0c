/* What stores and 16-byte atomics do to a line's bytes: every mask of a word of 8 bytes, and operands whose halves
 * differ. */
#include "memory/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "warp/warp.h"

static struct arena arena;
static struct address_space space;
static uint64_t buffer;

static int make(void **state)
{
	(void)state;
	space_create(&space, &arena, 1 << 20, LINE_BYTES, true);
	buffer = space_allocate(&space, LINE_BYTES, "buffer");
	return 0;
}

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* Bytes whose bit is set become the store's, the others stay. */
static void check_store(const uint64_t mask[2])
{
	struct store_payload store = {.mask = {mask[0], mask[1]}};
	uint8_t line[LINE_BYTES];
	for (uint32_t k = 0; k < LINE_BYTES; k++) {
		store.data[k] = (uint8_t)(k + 1);
		line[k] = (uint8_t)(k + 129);
	}
	apply_store(line, &store);
	for (uint32_t k = 0; k < LINE_BYTES; k++)
		assert_int_equal(line[k], (uint8_t)(k + (mask[k / 64] >> k % 64 & 1 ? 1 : 129)));
}

static void every_mask_of_a_word(void **state)
{
	(void)state;
	for (uint64_t bits = 0; bits < 256; bits++)
		for (uint32_t word = 0; word < 16; word++) {
			uint64_t at = bits << word % 8 * 8;
			check_store((const uint64_t[]){word < 8 ? at : 0, word < 8 ? 0 : at});
			check_store((const uint64_t[]){word < 8 ? ~at : UINT64_MAX, word < 8 ? UINT64_MAX : ~at});
		}
	check_store((const uint64_t[]){UINT64_MAX, 0});
	check_store((const uint64_t[]){0, UINT64_MAX});
}

/* Lanes of one 16-byte operation, as a message has them: entries with the low halves, then both high halves of each. */
struct wide {
	struct atomic_payload head;
	struct atomic_entry entry[4];
	uint64_t high[8];
};

/* PTX ISA, atom: .b128 compares and exchanges all 128 bits.  The lanes are served one after another on the same
 * place. */
static void all_bits_are_compared(void **state)
{
	(void)state;
	uint64_t old[8] = {0}, *at = space_host(&space, buffer);
	struct wide w = {.head = {.op = ATOMIC_CAS, .type = TYPE_B128, .bytes = 16, .count = 4},
		.entry = {{.a = 1, .b = 91, .address = buffer}, {.a = 7, .b = 92, .address = buffer},
			{.a = 1, .b = 3, .address = buffer}, {.a = 3, .b = 5, .address = buffer}},
		.high = {7, 93, 2, 94, 2, 4, 4, 6}};
	at[0] = 1;
	at[1] = 2;
	apply_atomic(&space, &w.head, old);
	const uint64_t wanted[] = {
		1, 2, 1, 2, 1, 2, 3, 4}; /* the high half differs, the low half differs, two that swap */
	assert_memory_equal(old, wanted, sizeof wanted);
	assert_true(at[0] == 5 && at[1] == 6);
}

static void all_bits_are_exchanged(void **state)
{
	(void)state;
	uint64_t old[8] = {0}, *at = space_host(&space, buffer);
	struct wide w = {.head = {.op = ATOMIC_EXCH, .type = TYPE_B128, .bytes = 16, .count = 4},
		.entry = {{.a = 3, .address = buffer}, {.a = 5, .address = buffer}, {.a = 7, .address = buffer},
			{.a = 9, .address = buffer + 16}},
		.high = {4, 0, 6, 0, 8, 0, 10, 0}};
	at[0] = 1;
	at[1] = 2;
	at[2] = 11;
	at[3] = 12;
	apply_atomic(&space, &w.head, old);
	const uint64_t wanted[] = {1, 2, 3, 4, 5, 6, 11, 12};
	assert_memory_equal(old, wanted, sizeof wanted);
	assert_true(at[0] == 7 && at[1] == 8 && at[2] == 9 && at[3] == 10);
	apply_atomic(&space, &w.head, NULL); /* without the old values */
	assert_true(at[0] == 7 && at[3] == 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_mask_of_a_word, make, drop),
		cmocka_unit_test_setup_teardown(all_bits_are_compared, make, drop),
		cmocka_unit_test_setup_teardown(all_bits_are_exchanged, make, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
