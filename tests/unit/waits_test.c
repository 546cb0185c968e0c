/* What a thread waits for (check/waits.h): which of the words that it looks at is said first, and what is in them.
 * Kernels of one thread that hang, and a look at each. */
#include "check/waits.h"

#include "check/verdict.h"
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Words of memory, by their offsets; all are 0 but the two locks, which are taken. */
enum { NOISE = 0, IN_VAIN = 4, FLAG = 12, LOCK = 16, LOCK_IN_VAIN = 20, FREE_LOCK = 24, ATOMIC = 28, INDEX = 32 };

/* steady: goes on when FLAG is set, or when LOCK is free.  IN_VAIN set, or LOCK_IN_VAIN free, would let it go on only
 * if the thread had another number.  INDEX would with the same number, but by a table of branches, not by a branch with
 * a condition.  On NOISE nothing depends.  They are looked at in the reverse order of what they tell.
 *
 * changing: takes FREE_LOCK, which it can, looks at FLAG, and gives it back.  NOISE and ATOMIC change nothing.
 *
 * in_turns: eight lanes look in turns, by one instruction, each at a word of its own.
 *
 * box: waits for box[1], after it has filled the other words of it and 8 bytes of memory. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry steady(.param .u64 memory) {\n"
			  " .reg .b64 %a; .reg .b32 %v, %z; .reg .pred %p, %q;\n"
			  " ld.param.u64 %a, [memory]; mov.u32 %z, %tid.x;\n"
			  "again: ld.volatile.global.u32 %v, [%a];\n"
			  " ld.volatile.global.u32 %v, [%a+4]; setp.ne.u32 %q, %v, 0;\n"
			  " setp.ne.and.u32 %p, %z, 0, %q; @%p bra out;\n"
			  " atom.global.cas.b32 %v, [%a+20], 0, 1; setp.eq.u32 %q, %v, 0;\n"
			  " setp.ne.and.u32 %p, %z, 0, %q; @%p bra out;\n"
			  " ld.volatile.global.u32 %v, [%a+32]; ways: .branchtargets on, out; brx.idx %v, ways; on:\n"
			  " ld.volatile.global.u32 %v, [%a+12]; setp.ne.u32 %p, %v, 0; @%p bra out;\n"
			  " atom.global.cas.b32 %v, [%a+16], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra again;\n"
			  "out: ret;\n}\n"
			  ".visible .entry changing(.param .u64 memory) {\n"
			  " .reg .b64 %a; .reg .b32 %v, %w, %x; .reg .pred %p;\n"
			  " ld.param.u64 %a, [memory];\n"
			  "again: atom.global.or.b32 %v, [%a+28], 0;\n"
			  " ld.volatile.global.u32 %w, [%a];\n"
			  "try: atom.global.cas.b32 %x, [%a+24], 0, 1; setp.ne.u32 %p, %x, 0; @%p bra try;\n"
			  " ld.volatile.global.u32 %v, [%a+12]; st.volatile.global.u32 [%a+24], 0;\n"
			  " setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n}\n"
			  ".visible .entry in_turns(.param .u64 memory) {\n"
			  " .reg .b64 %a, %b; .reg .b32 %v, %t, %z; .reg .pred %p;\n"
			  " ld.param.u64 %a, [memory]; mov.u32 %t, %tid.x; mov.u32 %v, 0; mov.u32 %z, 0;\n"
			  "again: setp.ne.u32 %p, %t, %z; mad.wide.u32 %b, %t, 4, %a; @%p bra over;\n"
			  " ld.volatile.global.u32 %v, [%b];\n"
			  "over: mov.u64 %b, 0; add.u32 %z, %z, 1; and.b32 %z, %z, 7;\n"
			  " setp.ne.u32 %p, %v, 77; @%p bra again; ret;\n}\n"
			  ".visible .entry box(.param .u64 memory) {\n"
			  " .reg .b64 %a; .reg .b32 %v; .reg .pred %p; .shared .align 16 .b8 box[16];\n"
			  " ld.param.u64 %a, [memory];\n"
			  " st.shared.u32 [box], 0x11223344; st.shared.u64 [box+8], 0x0102030405060708;\n"
			  " st.global.u64 [%a+40], 0x1112131415161718;\n"
			  "wait: ld.volatile.shared.u32 %v, [box+4]; setp.eq.u32 %p, %v, 0; @%p bra wait; ret;\n}\n";

static uint64_t memory;
static uint32_t explained;
static void (*look)(const struct thread *t);

/* Exactly these words of memory, in this order. */
static void expect_words(const struct thread *t, const uint32_t *offsets, uint32_t count)
{
	struct wait waits[WATCH_ACCESSES];

	assert_int_equal(waits_of(t, waits, WATCH_ACCESSES), count);
	for (uint32_t k = 0; k < count; k++) {
		assert_int_equal(waits[k].word.space, space_GLOBAL);
		assert_int_equal(waits[k].word.address - memory, offsets[k]);
	}
}

/* First what alone lets it go on, of these and of the others locks first, then what a branch looks at, then the
 * rest. */
static void look_at_steady(const struct thread *t)
{
	static const uint32_t words[] = {LOCK, FLAG, INDEX, LOCK_IN_VAIN, IN_VAIN, NOISE};

	expect_words(t, words, 6);
}

/* The lock is had and given back: what is looked at under it comes first. */
static void look_at_changing(const struct thread *t)
{
	static const uint32_t words[] = {FLAG, FREE_LOCK, NOISE, ATOMIC};

	expect_words(t, words, 4);
}

static void look_at_in_turns(const struct thread *t)
{
	for (uint32_t lane = 0; lane < 8; lane++) {
		struct thread of_lane = thread_at(t->core, t->r, lane);

		expect_words(&of_lane, (const uint32_t[]){4 * lane}, 1);
	}
}

static uint64_t value_at(const struct thread *t, uint8_t space, uint64_t address, uint8_t bytes)
{
	return wait_value(
		t, &(struct wait){.found = true, .word = {.space = space, .address = address}, .bytes = bytes});
}

static void look_at_box(const struct thread *t)
{
	struct wait wait = wait_of(t);

	assert_true(wait.found);
	assert_int_equal(wait.word.space, space_SHARED);
	assert_int_equal(wait.word.address, 4);
	assert_int_equal(wait_value(t, &wait), 0);
	assert_int_equal(value_at(t, space_SHARED, 0, 4), 0x11223344);
	assert_int_equal(value_at(t, space_SHARED, 0, 8), 0x11223344);
	assert_int_equal(value_at(t, space_SHARED, 8, 4), 0x05060708);
	assert_int_equal(value_at(t, space_SHARED, 12, 4), 0x01020304); /* the last word */
	assert_int_equal(value_at(t, space_SHARED, 8, 8), 0x0102030405060708);
	assert_int_equal(t->r->warp.shared_bytes, 16);
	assert_int_equal(value_at(t, space_SHARED, 12, 8), 0); /* beyond the end */
	assert_int_equal(value_at(t, space_SHARED, 1 << 20, 4), 0);
	assert_int_equal(value_at(t, space_GLOBAL, memory + 40, 4), 0x15161718);
	assert_int_equal(value_at(t, space_GLOBAL, memory + 40, 8), 0x1112131415161718);
	assert_int_equal(value_at(t, space_GLOBAL, memory + 44, 4), 0x11121314);
	assert_int_equal(value_at(t, space_GLOBAL, memory + 60, 4), 0x76543210); /* the last word */
	assert_int_equal(value_at(t, space_GLOBAL, memory + 60, 8), 0);
	assert_int_equal(value_at(t, space_GLOBAL, memory + 40, 2), 0); /* no word */
	assert_int_equal(value_at(t, space_SHARED, memory + 40, 4), 0);
	assert_int_equal(value_at(t, space_LOCAL, memory + 40, 4), 0);
	assert_int_equal(value_at(t, space_LOCAL, 0, 4), 0);
}

/* In place of the one that explains. */
void verdict_give(struct machine *machine, struct launch *launch, bool proved)
{
	uint32_t core = 0, slot = 0;
	struct thread t;

	assert_true(proved);
	assert_true(thread_next_warp(launch, &core, &slot, &t));
	assert_ptr_equal(t.core, &machine->cores.at[0]);
	explained++;
	look(&t);
}

static void run_lanes(const char *kernel, enum lockstep_mode mode, uint32_t lanes)
{
	static const char *const settings[] = {"core.count=1", NULL};
	static const uint32_t words[16] = {[LOCK / 4] = 1, [LOCK_IN_VAIN / 4] = 1, [15] = 0x76543210};
	struct lockstep_error error = {0};
	struct lockstep_options options = {.size = sizeof options,
		.settings = settings,
		.mode = mode,
		.max_cycles = 20000000,
		.explain_limit = LOCKSTEP_EXPLAIN_NEVER};
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(gpu, "waits.ptx", ptx, &error);
	const struct lockstep_result *result;

	assert_string_equal(error.message, "");
	memory = lockstep_allocate(gpu, sizeof words, "memory");
	memcpy(lockstep_map(gpu, memory, sizeof words), words, sizeof words);
	explained = 0;
	result = lockstep_run(gpu,
		&(struct lockstep_launch){.size = sizeof(struct lockstep_launch),
			.module = module,
			.kernel = kernel,
			.grid = {1, 1, 1},
			.block = {lanes, 1, 1},
			.parameters = &memory,
			.parameter_bytes = sizeof memory},
		&error);
	assert_string_equal(error.message, "");
	assert_int_equal(result->outcome, LOCKSTEP_HANG);
	assert_int_equal(explained, 1);
	lockstep_close(gpu);
}

static void run(const char *kernel, enum lockstep_mode mode)
{
	run_lanes(kernel, mode, 1);
}

static void each_lane_has_its_own_word(void **state)
{
	(void)state;
	look = look_at_in_turns;
	run_lanes("in_turns", LOCKSTEP_TIMING, 8);
	run_lanes("in_turns", LOCKSTEP_FUNCTIONAL, 8);
}

static void what_tells_most_comes_first(void **state)
{
	(void)state;
	look = look_at_steady;
	run("steady", LOCKSTEP_TIMING);
	run("steady", LOCKSTEP_FUNCTIONAL);
}

static void under_a_lock_the_condition_comes_first(void **state)
{
	(void)state;
	look = look_at_changing;
	run("changing", LOCKSTEP_TIMING);
	run("changing", LOCKSTEP_FUNCTIONAL);
}

static void words_have_the_values_of_memory(void **state)
{
	(void)state;
	look = look_at_box;
	run("box", LOCKSTEP_TIMING);
	run("box", LOCKSTEP_FUNCTIONAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_tells_most_comes_first),
		cmocka_unit_test(each_lane_has_its_own_word),
		cmocka_unit_test(under_a_lock_the_condition_comes_first),
		cmocka_unit_test(words_have_the_values_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
