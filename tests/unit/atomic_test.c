/* Atomics on words that another thread changes at the same time: none is lost, and each gives what the plain one
 * does. */
#include "warp/warp.h"

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

/* ---- By their definitions (PTX ISA, atom), over edge values ---- */

static uint64_t cut(uint64_t x, unsigned bits)
{
	return bits == 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

/* The plain form and the shared one give the old value, leave the new one, and touch nothing behind it. */
static void check(enum atomic_op op, enum ptx_type type, uint64_t old, uint64_t a, uint64_t b, uint64_t expected)
{
	unsigned bits = ptx_types[type].bits;
	uint64_t plain[2] = {old, 0x5a5a5a5a5a5a5a5a}, shared[2] = {old, 0x5a5a5a5a5a5a5a5a};
	uint64_t wanted = (old & ~cut(UINT64_MAX, bits)) | cut(expected, bits);

	assert_int_equal(atomic_apply(op, type, plain, a, b), cut(old, bits));
	assert_int_equal(atomic_apply_shared(op, type, shared, a, b), cut(old, bits));
	if (plain[0] != wanted || shared[0] != wanted)
		fail_msg("operation %u of type %u on %llx, %llx: %llx and %llx, expected %llx", op, type,
			(unsigned long long)old, (unsigned long long)a, (unsigned long long)plain[0],
			(unsigned long long)shared[0], (unsigned long long)wanted);
	assert_int_equal(plain[1], 0x5a5a5a5a5a5a5a5a);
	assert_int_equal(shared[1], 0x5a5a5a5a5a5a5a5a);
}

/* Of numbers of the type, extended to 65 bits and more. */
static void check_integers(enum ptx_type type, bool is_signed, uint64_t old, uint64_t a)
{
	unsigned bits = ptx_types[type].bits, unused = 64 - bits;
	__int128 x = is_signed ? (__int128)((int64_t)(old << unused) >> unused) : (__int128)cut(old, bits);
	__int128 y = is_signed ? (__int128)((int64_t)(a << unused) >> unused) : (__int128)cut(a, bits);

	check(ATOMIC_ADD, type, old, a, 0, (uint64_t)(x + y));
	check(ATOMIC_MIN, type, old, a, 0, (uint64_t)(y - x > 0 ? x : y));
	check(ATOMIC_MAX, type, old, a, 0, (uint64_t)(y - x > 0 ? y : x));
	check(ATOMIC_EXCH, type, old, a, 0, a);
	check(ATOMIC_AND, type, old, a, 0, ~(~old | ~a));
	check(ATOMIC_OR, type, old, a, 0, ~(~old & ~a));
	check(ATOMIC_XOR, type, old, a, 0, (old | a) & ~(old & a));
	check(ATOMIC_CAS, type, old, a, 0x123456789abcdef0, x - y ? old : 0x123456789abcdef0);
	if (type != TYPE_U32)
		return;
	check(ATOMIC_INC, type, old, a, 0, x < y ? (uint64_t)(x + 1) : 0);
	check(ATOMIC_DEC, type, old, a, 0, x >= 1 && x <= y ? (uint64_t)(x - 1) : (uint64_t)y);
	check(ATOMIC_TAKE, type, old, a, 0, (uint64_t)(x >= 1 && x < (__int128)1 << 31 ? x - 1 : x));
}

static void integers_are_those_of_the_isa(void **state)
{
	(void)state;
	static const uint64_t edges[] = {0, 1, 2, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001,
		0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffff80000000,
		0xffffffffffffffff};
	static const struct {
		enum ptx_type type;
		bool is_signed;
	} types[] = {{TYPE_U32, false}, {TYPE_S32, true}, {TYPE_B32, false}, {TYPE_U64, false}, {TYPE_S64, true},
		{TYPE_B64, false}, {TYPE_B16, false}};

	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (size_t k = 0; k < sizeof edges / sizeof *edges; k++)
			for (size_t n = 0; n < sizeof edges / sizeof *edges; n++)
				check_integers(types[t].type, types[t].is_signed, edges[k], edges[n]);
}

/* In their order: -0 lies below 0, and a NaN gives way to any number. */
static const uint16_t halves[] = {
	0xfc00, 0xc000, 0xbc00, 0x8001, 0x8000, 0x0000, 0x0001, 0x3c00, 0x4000, 0x7c00, 0x7e01};
static const uint16_t brains[] = {
	0xff80, 0xc000, 0xbf80, 0x8001, 0x8000, 0x0000, 0x0001, 0x3f80, 0x4000, 0x7f80, 0x7fc1};
enum { HALVES = 11, NANS = HALVES - 1 };

static uint32_t extreme(const uint16_t *values, size_t k, size_t n, bool greater)
{
	if (k == NANS || n == NANS)
		return k == n ? 0x7fff : values[k < n ? k : n];
	return values[(k > n) == greater ? k : n];
}

static void check_extremes(const uint16_t *values, enum ptx_type one, enum ptx_type pair)
{
	for (size_t k = 0; k < HALVES; k++)
		for (size_t n = 0; n < HALVES; n++)
			for (int greater = 0; greater < 2; greater++) {
				size_t other = (n + 3) % HALVES;
				enum atomic_op op = greater ? ATOMIC_MAX : ATOMIC_MIN;

				check(op, one, values[k] | 0xabc0000, values[n], 0, extreme(values, k, n, greater));
				check(op, pair, values[k] | (uint32_t)values[n] << 16,
					values[n] | (uint32_t)values[other] << 16, 0,
					extreme(values, k, n, greater) | extreme(values, n, other, greater) << 16);
			}
}

static void halves_have_an_order(void **state)
{
	(void)state;
	check_extremes(halves, TYPE_F16, TYPE_F16X2);
	check_extremes(brains, TYPE_BF16, TYPE_BF16X2);
}

/* Sums rounded to nearest even.  2^-24 is half of the last place of 1 in .f32, 2^-53 in .f64, 2^-11 in .f16, 2^-8 in
 * .bf16; subnormals stay, but those of ATOMIC_ADD_FTZ.  NaNs are canonical: 0x7fffffff, 0x7fff, 0x7ff8000000000000. */
static void sums_are_rounded_once(void **state)
{
	(void)state;
	static const struct {
		enum ptx_type type;
		uint64_t old, a, sum;
	} sums[] = {
		{TYPE_F32, 0x3f800000, 0x33800000, 0x3f800000},
		{TYPE_F32, 0x3f800001, 0x33800000, 0x3f800002},
		{TYPE_F32, 0x00000001, 0x00000001, 0x00000002},
		{TYPE_F32, 0x7f7fffff, 0x7f7fffff, 0x7f800000},
		{TYPE_F32, 0xff800000, 0x7f800000, 0x7fffffff},
		{TYPE_F32, 0xffc12345, 0x3f800000, 0x7fffffff},
		{TYPE_F32, 0x80000000, 0x80000000, 0x80000000},
		{TYPE_F64, 0x3ff0000000000000, 0x3ca0000000000000, 0x3ff0000000000000},
		{TYPE_F64, 0x3ff0000000000001, 0x3ca0000000000000, 0x3ff0000000000002},
		{TYPE_F64, 0xfff8000000000001, 0x3ff0000000000000, 0x7ff8000000000000},
		{TYPE_F64, 1, 1, 2},
		{TYPE_F16, 0x3c00, 0x1000, 0x3c00},
		{TYPE_F16, 0x3c01, 0x1000, 0x3c02},
		{TYPE_F16, 0x0001, 0x0001, 0x0002},
		{TYPE_F16, 0x7bff, 0x7bff, 0x7c00},
		{TYPE_F16, 0xfe01, 0x3c00, 0x7fff},
		{TYPE_BF16, 0x3f80, 0x3b80, 0x3f80},
		{TYPE_BF16, 0x3f81, 0x3b80, 0x3f82},
		{TYPE_BF16, 0x0001, 0x0001, 0x0002},
		{TYPE_F16X2, 0x3c003c01, 0x3c001000, 0x40003c02},
		{TYPE_F16X2, 0x3c01c000, 0x10004000, 0x3c020000},
		{TYPE_BF16X2, 0x3f803f81, 0x3f803b80, 0x40003f82},
		{TYPE_BF16X2, 0x3f81c000, 0x3b804000, 0x3f820000},
	};
	for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
		check(ATOMIC_ADD, sums[k].type, sums[k].old, sums[k].a, 0, sums[k].sum);
		check(ATOMIC_ADD, sums[k].type, sums[k].a, sums[k].old, 0, sums[k].sum);
	}
	/* Subnormal operands and results are zeros of their sign; 0x00800000 is the least normal number. */
	check(ATOMIC_ADD_FTZ, TYPE_F32, 0x00000001, 0x00000001, 0, 0);
	check(ATOMIC_ADD_FTZ, TYPE_F32, 0x80000001, 0x80000001, 0, 0x80000000);
	check(ATOMIC_ADD_FTZ, TYPE_F32, 0x00800000, 0x007fffff, 0, 0x00800000);
	check(ATOMIC_ADD_FTZ, TYPE_F32, 0x007fffff, 0x00800000, 0, 0x00800000);
	check(ATOMIC_ADD_FTZ, TYPE_F32, 0x00800001, 0x80800000, 0, 0);
	check(ATOMIC_ADD_FTZ, TYPE_F32, 0x80800001, 0x00800000, 0, 0x80000000);
	check(ATOMIC_ADD_FTZ, TYPE_F32, 0x3f800000, 0x40000000, 0, 0x40400000);
	check(ATOMIC_ADD_FTZ, TYPE_F32, 0xffc12345, 0x3f800000, 0, 0x7fffffff);
	assert_int_equal(atomic_in_global(ATOMIC_ADD, TYPE_F32), ATOMIC_ADD_FTZ);
	assert_int_equal(atomic_in_global(ATOMIC_ADD, TYPE_F64), ATOMIC_ADD);
	assert_int_equal(atomic_in_global(ATOMIC_EXCH, TYPE_F32), ATOMIC_EXCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_is_lost),
		cmocka_unit_test(they_give_what_plain_ones_do),
		cmocka_unit_test(integers_are_those_of_the_isa),
		cmocka_unit_test(halves_have_an_order),
		cmocka_unit_test(sums_are_rounded_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
