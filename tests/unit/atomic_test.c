/* Atomics on words that another thread changes at the same time: none is lost, and each gives what the plain one
 * does. */
#include "warp/atomic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>

#define ROUNDS 2000000

static _Alignas(8) uint64_t word;
static atomic_bool begun;

static void *add_to_high(void *bits)
{
	atomic_store(&begun, true);
	for (int k = 0; k < ROUNDS; k++)
		if (*(int *)bits == 32)
			__atomic_fetch_add((uint32_t *)&word, 0x100, __ATOMIC_RELAXED);
		else
			__atomic_fetch_add(&word, 0x100000000, __ATOMIC_RELAXED);
	return NULL;
}

static void race(enum ptx_type type, int bits, uint64_t wanted)
{
	pthread_t thread;
	word = 0;
	atomic_store(&begun, false);
	assert_int_equal(pthread_create(&thread, NULL, add_to_high, &bits), 0);
	while (!atomic_load(&begun))
		;
	for (int k = 0; k < ROUNDS; k++)
		atomic_apply_shared(ATOMIC_ADD, type, &word, 1, 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(word, wanted);
}

static void none_is_lost(void **state)
{
	(void)state;
	race(TYPE_U32, 32, (uint32_t)(0x101u * ROUNDS));
	race(TYPE_U64, 64, 0x100000001 * ROUNDS);
}

static void they_give_what_plain_ones_do(void **state)
{
	(void)state;
	static const struct {
		enum atomic_op op;
		enum ptx_type type;
		uint64_t old, a, b;
	} cases[] = {
		{ATOMIC_ADD, TYPE_U32, 0xffffffff, 2, 0},
		{ATOMIC_ADD, TYPE_F32, 0x3f800000, 0x40000000, 0},
		{ATOMIC_ADD, TYPE_F64, 0x3ff0000000000000, 0x4000000000000000, 0},
		{ATOMIC_ADD, TYPE_F16, 0x3c00, 0x3c00, 0},
		{ATOMIC_MIN, TYPE_S32, 0xfffffffe, 3, 0},
		{ATOMIC_MAX, TYPE_S64, 0xfffffffffffffffe, 3, 0},
		{ATOMIC_CAS, TYPE_B32, 5, 5, 9},
		{ATOMIC_CAS, TYPE_B64, 5, 6, 9},
		{ATOMIC_CAS, TYPE_B16, 5, 5, 9},
		{ATOMIC_EXCH, TYPE_B64, 5, 0x123456789, 0},
		{ATOMIC_INC, TYPE_U32, 7, 7, 0},
		{ATOMIC_DEC, TYPE_U32, 0, 7, 0},
		{ATOMIC_XOR, TYPE_B32, 0xf0f0, 0xffff, 0},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		/* What lies behind a narrow word is not touched. */
		uint64_t plain = cases[k].old | (ptx_types[cases[k].type].bits < 64 ? 0xabcd000000000000 : 0),
			 shared = plain;
		assert_int_equal(atomic_apply(cases[k].op, cases[k].type, &plain, cases[k].a, cases[k].b),
			atomic_apply_shared(cases[k].op, cases[k].type, &shared, cases[k].a, cases[k].b));
		assert_int_equal(plain, shared);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_is_lost),
		cmocka_unit_test(they_give_what_plain_ones_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
