/* Dynamic detection of spinning against paper 2: hashes (IV-B), the histories' match (Figure 7), confidence and the
 * prediction table (IV-A), time sharing, and what it costs (Table III). */
#include "policy/policy.h"
#include "policy/spin/ddos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Table II; a table of Table III. */
static const struct spin_fields paper = {
	.path_bits = 8, .value_bits = 8, .history = 8, .threshold = 4, .stays = true, .table = 16, .epoch = 1000};

static const struct spin_detector *ddos;

static void *begin(const struct spin_fields *fields)
{
	struct diagnostic diagnostic = {0};
	ddos = spin_find("ddos", &diagnostic);
	assert_non_null(ddos);
	void *state = calloc(1, ddos->state_size);
	ddos->start(state, fields);
	return state;
}

static void setp(void *state, int warp, uint64_t now, uint32_t pc, uint64_t a, uint64_t b)
{
	ddos->compare(state, &(struct spin_compare){.now = now, .warp = warp, .pc = pc, .value = {a, b}});
}

static bool turn(void *state, int warp, uint32_t pc)
{
	return ddos->branch(state, &(struct spin_branch){.warp = warp, .pc = pc, .taken = true});
}

static bool is_predicted(void *state, uint32_t pc)
{
	return ddos->branch(state, &(struct spin_branch){.pc = pc});
}

static void hashes_are_those_of_the_paper(void **state)
{
	(void)state;
	assert_int_equal(spin_hash(0x38 / 8, 4, true), 0x7); /* Figure 7b: setp at 0x038 */
	assert_int_equal(spin_hash(0x90 / 8, 4, true), 0x2); /* and at 0x090 */
	assert_int_equal(spin_hash(0x58 / 8, 2, true), 0x3);
	assert_int_equal(spin_hash(0x12345678, 8, false), 0x12 ^ 0x34 ^ 0x56 ^ 0x78);
	assert_int_equal(spin_hash(0x12345678, 8, true), 0x78);
	assert_int_equal(spin_hash(0xabc, 4, false), 0xa ^ 0xb ^ 0xc);
	assert_int_equal(spin_hash(0x1234567800000000, 8, false), 0x12 ^ 0x34 ^ 0x56 ^ 0x78); /* 64 bits */
	assert_int_equal(spin_hash(0xffff, 3, false), 7 ^ 7 ^ 7 ^ 7 ^ 7 ^ 1);
}

/* Figure 7b: setp at 7 and 18; the second turn's matches make the warp spin; success ends it. */
static void figure_7_busy_wait(void **state)
{
	(void)state;
	struct spin_fields fields = paper;
	fields.path_bits = fields.value_bits = 4;
	fields.modulo = true;
	void *d = begin(&fields);
	setp(d, 3, 0, 7, 1, 0);  /* 1 */
	setp(d, 3, 0, 18, 0, 0); /* 2: no match */
	assert_false(spin_is_spinning(d, 3));
	setp(d, 3, 0, 7, 1, 0); /* 3: a match, one to go */
	assert_false(spin_is_spinning(d, 3));
	setp(d, 3, 0, 18, 0, 0); /* 4 */
	assert_true(spin_is_spinning(d, 3));
	assert_false(spin_is_spinning(d, 2));
	setp(d, 3, 0, 7, 1, 0);
	assert_true(spin_is_spinning(d, 3));
	setp(d, 3, 0, 18, 0, 0);
	setp(d, 3, 0, 7, 0, 0); /* 5: the lock was taken */
	assert_false(spin_is_spinning(d, 3));
	ddos->retire(d, 3);
	setp(d, 3, 0, 18, 0, 0); /* the slot's next warp begins anew */
	assert_false(spin_is_spinning(d, 3));
	free(d);
}

/* Figure 7c, 7d: the loop counter changes with each turn. */
static void figure_7_regular_loop(void **state)
{
	(void)state;
	void *d = begin(&paper);
	for (uint64_t i = 1; i < 200; i++) {
		setp(d, 0, 0, 11, i, 400);
		assert_false(spin_is_spinning(d, 0));
		assert_false(turn(d, 0, 12));
	}
	free(d);
}

/* Whether a loop of `period` setp, all values the same in each turn, is seen with histories of `length`. */
static bool is_seen(uint32_t length, uint32_t period)
{
	struct spin_fields fields = paper;
	fields.history = length;
	void *d = begin(&fields);
	for (uint32_t k = 0; k < 20 * period; k++)
		setp(d, 0, 0, 1 + k % period, 5, 6);
	bool seen = spin_is_spinning(d, 0);
	free(d);
	return seen;
}

/* Table I: TSDR is 0 at l = 1 and 2, where all loops have two setp at least, 0.625 at 4, 1 at 8; five entries are
 * needed for four. */
static void a_period_needs_one_entry_more(void **state)
{
	(void)state;
	for (uint32_t length = 1; length <= SPIN_HISTORY_MAX; length++)
		for (uint32_t period = 1; period <= SPIN_HISTORY_MAX; period++)
			assert_int_equal(is_seen(length, period), period < length);
}

/* The match pointer begins again behind the history's end: a loop is also seen after setp that were all different. */
static void a_loop_is_seen_after_others(void **state)
{
	(void)state;
	void *d = begin(&paper);
	for (uint32_t k = 0; k < 20; k++)
		setp(d, 0, 0, 10 + k, k, 0);
	for (uint32_t k = 0; k < 60; k++)
		setp(d, 0, 0, 1 + k % 3, 5, 6);
	assert_true(spin_is_spinning(d, 0));
	free(d);
}

/* A counter that advances by 2^s: MODULO of k = 8 bits sees no change from s = 8 on, and from s = 6 on a period of four
 * at most, which the history shows; XOR sees the change. */
static void strides_of_powers_of_two_fool_modulo(void **state)
{
	(void)state;
	for (uint32_t shift = 0; shift < 12; shift++)
		for (uint32_t modulo = 0; modulo < 2; modulo++) {
			struct spin_fields fields = paper;
			fields.modulo = modulo;
			void *d = begin(&fields);
			bool seen = false;
			for (uint64_t i = 0; i < 50; i++) {
				setp(d, 0, 0, 9, i << shift, 1u << 30);
				seen |= turn(d, 0, 10);
			}
			assert_int_equal(seen, modulo && shift >= 6);
			free(d);
		}
}

/* Both histories count: the same values at another pc, another second value. */
static void path_and_both_values_matter(void **state)
{
	(void)state;
	void *d = begin(&paper);
	for (uint32_t k = 0; k < 30; k++) {
		setp(d, 0, 0, k, 1, 1);
		setp(d, 1, 0, 5, 1, k);
		setp(d, 2, 0, 5, k, 1);
		setp(d, 3, 0, 5, 1, 1);
		assert_false(spin_is_spinning(d, 0) || spin_is_spinning(d, 1) || spin_is_spinning(d, 2));
		assert_int_equal(spin_is_spinning(d, 3), k > 0);
	}
	free(d);
}

static void spin(void *d, int warp)
{
	for (int k = 0; k < 3; k++)
		setp(d, warp, 0, 100 + (uint32_t)warp, 1, 1);
	assert_true(spin_is_spinning(d, warp));
}

static void confidence_rises_and_falls(void **state)
{
	(void)state;
	void *d = begin(&paper);
	spin(d, 0);
	assert_false(turn(d, 1, 50)); /* one that does not spin leaves no entry */
	for (int k = 0; k < 3; k++)
		assert_false(turn(d, 0, 50));
	assert_false(turn(d, 1, 50)); /* 3, then 2 */
	assert_false(turn(d, 0, 50));
	assert_false(is_predicted(d, 50));
	assert_true(turn(d, 0, 50)); /* 4 */
	assert_true(is_predicted(d, 50));
	assert_false(is_predicted(d, 51));
	assert_true(turn(d, 1, 50));                                                 /* stays */
	assert_false(ddos->branch(d, &(struct spin_branch){.kernel = 1, .pc = 50})); /* of another kernel */
	free(d);
	struct spin_fields fields = paper;
	fields.stays = false;
	d = begin(&fields);
	spin(d, 0);
	for (int k = 0; k < 9; k++)
		turn(d, 0, 50);
	assert_true(is_predicted(d, 50));
	assert_false(turn(d, 1, 50)); /* it had counted to 4, not to 9 */
	assert_true(turn(d, 0, 50));
	free(d);
}

static void a_full_table_gives_up_an_entry(void **state)
{
	(void)state;
	for (uint32_t oldest = 0; oldest < 2; oldest++) {
		struct spin_fields fields = paper;
		fields.table = 2;
		fields.replace_oldest = oldest;
		void *d = begin(&fields);
		spin(d, 0);
		for (int k = 0; k < 4; k++)
			turn(d, 0, 10);
		turn(d, 0, 20);
		assert_true(is_predicted(d, 10));
		turn(d, 0, 30); /* for 20, which has 1 against 4; or for 10, which came first */
		assert_int_equal(is_predicted(d, 10), !oldest);
		for (int k = 0; k < 3; k++)
			turn(d, 0, 30);
		assert_true(is_predicted(d, 30));
		for (int k = 0; k < 3; k++)
			turn(d, 0, 20); /* 1 before if it is still there */
		assert_int_equal(is_predicted(d, 20), oldest);
		free(d);
	}
}

/* One pair of histories: only the owner is seen, and the next in turn follows when the epoch is over. */
static void warps_take_turns(void **state)
{
	(void)state;
	struct spin_fields fields = paper;
	fields.sharing = true;
	void *d = begin(&fields);
	for (uint64_t now = 100; now < 1100; now += 10) {
		setp(d, 4, now, 7, 1, 1);
		setp(d, 9, now, 7, 1, 1);
		assert_false(spin_is_spinning(d, 9));
		assert_int_equal(spin_is_spinning(d, 4), now > 100);
	}
	setp(d, 4, 1100, 7, 1, 1); /* the epoch is over: it is 9's turn, whose history is empty */
	setp(d, 9, 1101, 7, 1, 1);
	assert_false(spin_is_spinning(d, 4) || spin_is_spinning(d, 9));
	setp(d, 9, 1102, 7, 1, 1);
	assert_true(spin_is_spinning(d, 9));
	ddos->retire(d, 9);
	setp(d, 4, 1103, 7, 1, 1);
	setp(d, 4, 1104, 7, 1, 1);
	assert_true(spin_is_spinning(d, 4));
	free(d);
}

static bool is_owner(void *d, int warp, uint64_t now)
{
	setp(d, warp, now, 7, 1, 1);
	setp(d, warp, now, 7, 1, 1);
	return spin_is_spinning(d, warp);
}

/* The next owner: the next warp behind the present one that has asked in this turn, from the very cycle in which the
 * epoch is over. */
static void turns_are_for_those_that_ask(void **state)
{
	(void)state;
	struct spin_fields fields = paper;
	fields.sharing = true;
	void *d = begin(&fields);
	assert_true(is_owner(d, 4, 100));
	for (int k = 0; k < 4; k++)
		turn(d, 9, 50); /* that 4 spins says nothing of what 9 does */
	assert_false(is_predicted(d, 50));
	assert_false(is_owner(d, 9, 200) || is_owner(d, 12, 200));
	assert_true(is_owner(d, 9, 1100));
	assert_false(is_owner(d, 4, 1200)); /* 12 does not ask again */
	assert_true(is_owner(d, 4, 2100));
	assert_false(is_owner(d, 9, 2200) || is_owner(d, 12, 2200));
	ddos->retire(d, 9);
	assert_true(is_owner(d, 12, 3100));
	free(d);
}

/* What the histories of `warps` warps take in hardware. */
static uint32_t history_bits(const struct spin_fields *f, uint32_t warps)
{
	return (f->sharing ? 1 : warps) * f->history * (f->path_bits + 2 * f->value_bits);
}

/* A pc of 32 bits and a confidence from 0 to the threshold. */
static uint32_t table_bits(const struct spin_fields *f)
{
	return f->table * (32 + 32 - (uint32_t)__builtin_clz(f->threshold));
}

/* Table III: 48 warps * 192 bits; 16 entries of 35 bits. */
static void it_costs_what_table_3_says(void **state)
{
	(void)state;
	assert_int_equal(history_bits(&paper, 48), 9216);
	assert_int_equal(table_bits(&paper), 560);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes_are_those_of_the_paper),
		cmocka_unit_test(figure_7_busy_wait),
		cmocka_unit_test(figure_7_regular_loop),
		cmocka_unit_test(a_period_needs_one_entry_more),
		cmocka_unit_test(a_loop_is_seen_after_others),
		cmocka_unit_test(strides_of_powers_of_two_fool_modulo),
		cmocka_unit_test(path_and_both_values_matter),
		cmocka_unit_test(confidence_rises_and_falls),
		cmocka_unit_test(a_full_table_gives_up_an_entry),
		cmocka_unit_test(warps_take_turns),
		cmocka_unit_test(turns_are_for_those_that_ask),
		cmocka_unit_test(it_costs_what_table_3_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
