/* What the recorded writes of a word say (check/past.h): whether two are by the same thread, whether the word is like a
 * lock or a signal, which thread took, sent or overwrote it.  The waiting thread's loop is scripted here: it ends with
 * 0. */
#define ahead_leaves scripted_leaves
#define wait_loop scripted_loop
#define wait_value scripted_value
#include "check/past.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FREE 0
#define BUSY 1 /* as the word is now */

bool ahead_leaves(const struct thread *t, struct code_range range, const struct word *word, const uint64_t *value)
{
	(void)t, (void)range, (void)word;
	return *value == FREE;
}

bool wait_loop(const struct thread *t, struct code_range *range)
{
	(void)t;
	*range = (struct code_range){.first = 10, .last = 19};
	return true;
}

uint64_t wait_value(const struct thread *t, const struct wait *wait)
{
	(void)t, (void)wait;
	return BUSY;
}

#define LAUNCH 4 /* of the waiting thread */
#define TRY 1    /* the pc of an attempt */
#define PLAIN 2  /* of an atomic that is none */

static struct insn code[21] = {[TRY] = {.flags = INSN_LOCK_TRY}};
static struct kernel kernel = {.code = code, .code_count = 21};
static struct launch launch = {.ordinal = LAUNCH};
static struct past past;
static const struct explanation e = {.kernel = &kernel, .launch = &launch, .past = &past};
static struct written_word *const word = &past.words[0];
static struct link waiter;

static void begin(void)
{
	past = (struct past){.writes = {.words = past.words, .count = 1, .as_before = true}};
	*word = (struct written_word){.space = space_GLOBAL, .bytes = 4, .address = 64, .launch = LAUNCH};
	waiter = (struct link){
		.wait = {.found = true, .is_lock = true, .bytes = 4, .word = {.space = space_GLOBAL, .address = 64}}};
}

/* By a thread, at the attempt's pc. */
static struct word_write *wrote(uint32_t thread, uint64_t before, uint64_t after)
{
	struct word_write *w = &word->at[word->count % WRITES_KEPT];

	*w = (struct word_write){.known = true,
		.is_atomic = true,
		.launch = LAUNCH,
		.thread = thread,
		.pc = TRY,
		.when = 100 * ++word->count,
		.before = before,
		.after = after};
	return w;
}

static void a_lock_is_free_at_first_or_given_back_by_its_taker(void **state)
{
	(void)state;
	begin();
	assert_false(is_like_lock(word, &waiter));
	word->initial = FREE;
	assert_false(is_like_lock(word, &waiter)); /* which is not known */
	word->has_initial = true;
	assert_true(is_like_lock(word, &waiter));
	word->initial = BUSY;
	assert_false(is_like_lock(word, &waiter));
	wrote(7, FREE, BUSY);
	assert_false(is_like_lock(word, &waiter));
	wrote(7, BUSY, FREE);
	assert_true(is_like_lock(word, &waiter));
	begin();
	wrote(7, FREE, BUSY);
	wrote(8, BUSY, FREE); /* another gives it back */
	assert_false(is_like_lock(word, &waiter));
	begin();
	wrote(7, 2, FREE); /* it was not free when it was taken */
	wrote(7, FREE, FREE);
	assert_false(is_like_lock(word, &waiter));
	begin();
	wrote(7, FREE, FREE); /* nor is it free afterwards */
	wrote(7, FREE, 2);
	assert_false(is_like_lock(word, &waiter));
}

/* The last eight writes are kept: what is older is no part of them, though it is where a later one will be. */
static void only_writes_that_are_kept_are_compared(void **state)
{
	(void)state;
	begin();
	wrote(1, 2, 3);
	wrote(7, FREE, BUSY);
	wrote(7, BUSY, FREE);
	for (uint32_t k = 0; k < 6; k++)
		wrote(10 + k, 2, 3);
	assert_int_equal(word->count, 9);
	assert_true(is_like_lock(word, &waiter));
	wrote(7, FREE, BUSY); /* where the first of the two was, and before the second only by its place */
	assert_false(is_like_lock(word, &waiter));
}

static void the_last_that_found_it_free_has_taken_it(void **state)
{
	struct word_write *last;

	(void)state;
	begin();
	word->has_initial = true;
	assert_null(past_taker(&e, &waiter));
	wrote(6, BUSY, FREE);
	last = wrote(7, FREE, BUSY);
	assert_ptr_equal(past_taker(&e, &waiter), last);
	past.writes.as_before = false;
	assert_null(past_taker(&e, &waiter));
	past.writes.as_before = true;
	last->known = false;
	assert_null(past_taker(&e, &waiter));
	last->known = true;
	last->is_atomic = false;
	assert_null(past_taker(&e, &waiter));
	last->is_atomic = true;
	last->launch = LAUNCH - 1;
	assert_null(past_taker(&e, &waiter));
	last->launch = LAUNCH;
	word->same_after = word->count + 1; /* a store left it as it was: it has another owner */
	assert_null(past_taker(&e, &waiter));
	word->same_after = word->count;
	assert_ptr_equal(past_taker(&e, &waiter), last);
	waiter.wait.is_lock = false; /* the waiter only looks: then it is what was written by an attempt */
	assert_ptr_equal(past_taker(&e, &waiter), last);
	last->pc = PLAIN;
	assert_null(past_taker(&e, &waiter));
	waiter.wait.is_lock = true;
	assert_ptr_equal(past_taker(&e, &waiter), last);
	last->before = 2;
	assert_null(past_taker(&e, &waiter));
	last->before = FREE;
	word->has_initial = false; /* it is like no lock */
	assert_null(past_taker(&e, &waiter));
	waiter.wait.word.address = 68;
	word->has_initial = true;
	assert_null(past_taker(&e, &waiter));
}

/* What the waiter wants was sent more than once, and the word is no lock. */
static void signals_are_sent_again(void **state)
{
	(void)state;
	begin();
	waiter.wait.is_lock = false;
	wrote(7, BUSY, FREE);
	assert_false(past_is_signal(&e, &waiter));
	wrote(8, FREE, BUSY);
	assert_false(past_is_signal(&e, &waiter));
	wrote(7, BUSY, FREE);
	assert_true(past_is_signal(&e, &waiter));
	word->has_initial = true;
	assert_false(past_is_signal(&e, &waiter));
	word->has_initial = false;
	for (uint32_t k = 0; k < WRITES_KEPT - 1; k++)
		wrote(9, 2, 3); /* of the two only one is kept */
	assert_false(past_is_signal(&e, &waiter));
}

static void the_last_that_sent_it_is_named(void **state)
{
	struct word_write *sent;

	(void)state;
	begin();
	assert_null(past_sender(&e, &waiter));
	wrote(6, BUSY, FREE);
	sent = wrote(7, BUSY, FREE);
	wrote(8, FREE, BUSY);
	assert_ptr_equal(past_sender(&e, &waiter), sent);
	sent->known = false;
	assert_null(past_sender(&e, &waiter));
	sent->known = true;
	sent->launch = LAUNCH + 1;
	assert_null(past_sender(&e, &waiter));
	sent->launch = LAUNCH;
	for (uint32_t k = 0; k < WRITES_KEPT - 2; k++)
		wrote(9, 2, 3);
	assert_ptr_equal(past_sender(&e, &waiter), sent); /* the oldest that is kept */
	wrote(9, 2, 3);
	assert_null(past_sender(&e, &waiter));
}

static void one_store_is_one_place_in_this_launch(void **state)
{
	struct word_write *w;
	uint32_t pc = 0;

	(void)state;
	begin();
	assert_true(past_has_one_store(&e, &waiter, &pc));
	assert_int_equal(pc, AHEAD_ALL);
	w = wrote(7, 2, 3);
	w->is_atomic = false;
	wrote(8, 3, 4)->is_atomic = false;
	assert_true(past_has_one_store(&e, &waiter, &pc));
	assert_int_equal(pc, TRY);
	w->is_atomic = true;
	assert_false(past_has_one_store(&e, &waiter, &pc));
	w->is_atomic = false;
	w->launch++;
	assert_false(past_has_one_store(&e, &waiter, &pc));
	w->launch--;
	w->pc = PLAIN;
	assert_false(past_has_one_store(&e, &waiter, &pc));
	w->pc = TRY;
	word->same_after = 1; /* at another place, the value that it had */
	word->same = (struct word_write){.launch = LAUNCH, .pc = PLAIN};
	assert_false(past_has_one_store(&e, &waiter, &pc));
	word->same.pc = TRY;
	assert_true(past_has_one_store(&e, &waiter, &pc));
	word->same.launch++;
	assert_false(past_has_one_store(&e, &waiter, &pc));
	word->same_after = 0;
	word->has_unknown = true;
	assert_false(past_has_one_store(&e, &waiter, &pc));
	word->has_unknown = false;
	while (word->count < WRITES_KEPT)
		wrote(9, 2, 3)->is_atomic = false;
	assert_true(past_has_one_store(&e, &waiter, &pc));
	wrote(9, 2, 3)->is_atomic = false;
	assert_false(past_has_one_store(&e, &waiter, &pc));
}

/* Sent, and overwritten before the waiter looked. */
static void a_value_is_missed_if_nobody_saw_it(void **state)
{
	struct word_write *sent, *lost;
	struct missed missed;

	(void)state;
	begin();
	waiter.wait.is_lock = false;
	sent = wrote(7, 2, FREE);
	assert_false(past_missed(&e, &waiter).found); /* it has not been overwritten */
	lost = wrote(8, FREE, BUSY);
	lost->pc = PLAIN;
	missed = past_missed(&e, &waiter);
	assert_true(missed.found);
	assert_false(missed.counted_past);
	assert_int_equal(missed.sent.thread, 7);
	assert_int_equal(missed.lost.thread, 8);
	lost->pc = TRY; /* who overwrote it had found it */
	assert_false(past_missed(&e, &waiter).found);
	lost->pc = 10;
	assert_false(past_missed(&e, &waiter).found);
	lost->pc = 20;
	assert_true(past_missed(&e, &waiter).found);
	lost->pc = 19;
	assert_false(past_missed(&e, &waiter).found);
	lost->is_atomic = false;
	assert_true(past_missed(&e, &waiter).found);
	sent->launch++;
	assert_false(past_missed(&e, &waiter).found);
	sent->launch--;
	lost->launch++;
	assert_false(past_missed(&e, &waiter).found);
	lost->launch--;
	word->looks = 1; /* it saw it */
	word->look[0] = (struct word_look){.value = FREE, .first = 50, .last = sent->when};
	assert_false(past_missed(&e, &waiter).found);
	word->look[0].last--; /* before it was sent */
	assert_true(past_missed(&e, &waiter).found);
	word->look[0].last = sent->when;
	word->look[0].value = BUSY;
	assert_true(past_missed(&e, &waiter).found);
	word->looks = WRITES_LOOKS + 1; /* what it found before the first that is kept may have been that */
	for (uint32_t k = 0; k < WRITES_LOOKS; k++)
		word->look[k] = (struct word_look){.value = BUSY, .first = sent->when + 1, .last = sent->when + 1};
	assert_false(past_missed(&e, &waiter).found);
	word->look[1].first = sent->when;
	assert_true(past_missed(&e, &waiter).found);
	sent->before = 1; /* counted down by one, twice */
	lost->after = UINT64_MAX;
	assert_true(past_missed(&e, &waiter).counted_past);
	waiter.wait.is_lock = true;
	assert_false(past_missed(&e, &waiter).found);
	waiter.wait.is_lock = false;
	past.writes.as_before = false;
	assert_false(past_missed(&e, &waiter).found);
	past.writes.as_before = true;
	word->has_unknown = true;
	assert_false(past_missed(&e, &waiter).found);
	word->has_unknown = false;
	word->has_initial = true; /* a lock */
	assert_false(past_missed(&e, &waiter).found);
	begin();
	waiter.wait.is_lock = false;
	for (uint32_t k = 0; k < WRITES_KEPT; k++)
		wrote(9, 2, 3)->pc = PLAIN;
	wrote(7, 3, FREE); /* the last, where the first was: what is there now was not before the second */
	assert_false(past_missed(&e, &waiter).found);
}

/* Of shared memory each work-group has its own. */
static void a_word_is_that_of_its_group(void **state)
{
	(void)state;
	begin();
	waiter.at.group = 3;
	assert_ptr_equal(past_of(&e, &waiter), word);
	waiter.wait.word.space = space_SHARED;
	assert_null(past_of(&e, &waiter));
	word->space = space_SHARED;
	assert_null(past_of(&e, &waiter));
	word->group = 3;
	assert_ptr_equal(past_of(&e, &waiter), word);
	waiter.wait.word.address += 4;
	assert_null(past_of(&e, &waiter));
	waiter.wait.word.address -= 4;
	waiter.wait.found = false;
	assert_null(past_of(&e, &waiter));
}

static void each_part_of_the_name_tells_threads_apart(void **state)
{
	const struct word_write taken = {.known = true, .launch = 4, .group = 2, .thread = 7};
	struct word_write back = taken;

	(void)state;
	back.pc = 5;
	back.before = 1;
	assert_true(is_by_same(&taken, &back));
	back = taken;
	back.launch++;
	assert_false(is_by_same(&taken, &back));
	back = taken;
	back.group++;
	assert_false(is_by_same(&taken, &back));
	back = taken;
	back.thread++;
	assert_false(is_by_same(&taken, &back));
	back = taken;
	back.known = false;
	assert_false(is_by_same(&taken, &back));
	assert_false(is_by_same(&back, &taken));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_of_the_name_tells_threads_apart),
		cmocka_unit_test(a_lock_is_free_at_first_or_given_back_by_its_taker),
		cmocka_unit_test(only_writes_that_are_kept_are_compared),
		cmocka_unit_test(the_last_that_found_it_free_has_taken_it),
		cmocka_unit_test(signals_are_sent_again),
		cmocka_unit_test(the_last_that_sent_it_is_named),
		cmocka_unit_test(one_store_is_one_place_in_this_launch),
		cmocka_unit_test(a_value_is_missed_if_nobody_saw_it),
		cmocka_unit_test(a_word_is_that_of_its_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
