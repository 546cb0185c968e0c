/* Arenas and the vectors in them: alignment, zeroing, growth, reservation, running out. */
#include "util/arena.h"
#include "util/vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void allocations_are_aligned_zeroed_and_apart(void **state)
{
	(void)state;
	struct arena arena = {0};
	unsigned char *at[600];
	for (size_t size = 0; size < 600; size++) {
		at[size] = arena_alloc(&arena, size);
		assert_non_null(at[size]);
		assert_int_equal((uintptr_t)at[size] % (size >= 64 ? 64 : 16), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(at[size][i], 0);
		memset(at[size], (int)(size % 251 + 1), size);
	}
	for (size_t size = 0; size < 600; size++)
		for (size_t i = 0; i < size; i++)
			assert_int_equal(at[size][i], size % 251 + 1);
	arena_free(&arena);
}

/* Pages of [at, at + bytes) that are in memory: mincore(2). */
static size_t resident_pages(void *at, size_t bytes)
{
	static unsigned char is_there[1 << 14];
	size_t count = 0;
	assert_true(bytes / 4096 <= sizeof is_there && !mincore(at, bytes, is_there));
	for (size_t k = 0; k < bytes / 4096; k++)
		count += is_there[k] & 1;
	return count;
}

static void clearing_leaves_untouched_pages_alone(void **state)
{
	(void)state;
	struct arena arena = {0};
	size_t size = (size_t)32 << 20, written = size / 2 + 100;
	unsigned char *at = arena_reserve(&arena, size);
	if (access("/proc/self/pagemap", R_OK))
		skip(); /* nothing says which pages are untouched, so all of them are written */
	at[10] = at[11] = at[size - 1] = 1;
	memset(at + written, 2, 10000);
	arena_clear(at + 11, size - 12); /* all but what is before and behind */
	assert_true(resident_pages(at, size) <= 6);
	assert_int_equal(at[10], 1);
	assert_int_equal(at[11], 0);
	assert_int_equal(at[size - 1], 1);
	for (size_t k = 0; k < 10000; k++)
		assert_int_equal(at[written + k], 0);
	memset(at, 3, size);
	arena_clear(at + 4095, size - 4096);
	for (size_t k = 0; k < size; k++)
		if (at[k] != (k < 4095 || k == size - 1 ? 3 : 0))
			fail_msg("byte %zu is %u", k, at[k]);
	arena_free(&arena);
}

/* What is said to be used has its pages at once, if the system knows how; what is behind it has none. */
static void what_will_be_used_is_there(void **state)
{
	(void)state;
	struct arena arena = {0};
	size_t size = (size_t)8 << 20, used = (size_t)40 * 4096;
	unsigned char *at = arena_reserve(&arena, size);
	arena_give(at, used);
	if (access("/proc/self/pagemap", R_OK))
		skip();
	size_t there = resident_pages(at, size);
	assert_true(there == 40 || !there);
	for (size_t k = 0; k < size; k += 4096)
		assert_int_equal(at[k], 0);
	arena_free(&arena);
}

/* A table that may stay empty costs no more than its beginning: 128 KB and what lies around it. */
static void large_tables_get_pages_when_touched(void **state)
{
	(void)state;
	struct arena arena = {0};
	size_t size = (size_t)8 << 20;
	arena_alloc(&arena, 1);
	unsigned char *at = arena_alloc(&arena, size),
		      *page = (unsigned char *)(((uintptr_t)at + 4095) & ~(uintptr_t)4095);
	if (access("/proc/self/pagemap", R_OK))
		skip();
	assert_true(resident_pages(page, size - 4096) <= 33);
	at[size - 1] = 1;
	assert_int_equal(at[size / 2], 0);
	arena_free(&arena);
}

static void used_counts_bytes_and_free_empties(void **state)
{
	(void)state;
	struct arena arena = {0};
	arena_alloc(&arena, 3);
	arena_array(&arena, 10, 8);
	arena_reserve(&arena, 100);
	assert_int_equal(arena.used, 183);
	arena_free(&arena);
	assert_int_equal(arena.used, 0);
	assert_null(arena.head);
	assert_non_null(arena_alloc(&arena, 1));
	arena_free(&arena);
}

static void large_blocks_leave_the_small_one_in_use(void **state)
{
	(void)state;
	struct arena arena = {0};
	char *first = arena_alloc(&arena, 16);
	char *large = arena_alloc(&arena, 10u << 20);
	char *second = arena_alloc(&arena, 16);
	large[0] = large[(10u << 20) - 1] = 1;
	assert_true(second > first && second - first <= 64);
	arena_free(&arena);
}

static void grow_keeps_the_content_and_zeroes_the_rest(void **state)
{
	(void)state;
	struct arena arena = {0};
	char *old = arena_copy(&arena, "abc", 3);
	char *grown = arena_grow(&arena, old, 3, 100);
	assert_memory_equal(grown, "abc\0\0\0", 6);
	for (int i = 3; i < 100; i++)
		assert_int_equal(grown[i], 0);
	assert_string_equal(old, "abc");
	assert_non_null(arena_grow(&arena, NULL, 0, 8));
	arena_free(&arena);
}

static void reserving_costs_nothing_until_touched(void **state)
{
	(void)state;
	struct arena arena = {0};
	size_t size = (size_t)1 << 40;
	unsigned char *at = arena_reserve(&arena, size);
	assert_int_equal((uintptr_t)at % 4096, 0);
	assert_int_equal(at[0], 0);
	assert_int_equal(at[size - 1], 0);
	at[size / 2] = 7;
	assert_int_equal(at[size / 2], 7);
	arena_free(&arena);
}

static void is_zero(const unsigned char *at, size_t size)
{
	for (size_t k = 0; k < size; k++)
		assert_int_equal(at[k], 0);
}

/* Blocks of all sizes that are kept, beside each other and again. */
static void what_was_freed_comes_back_as_zero(void **state)
{
	(void)state;
	static const size_t sizes[] = {100, 20000, 40000, 65536, 100000, 200000, 1 << 20, 3 << 20};
	enum { SIZES = sizeof sizes / sizeof *sizes, ARENAS = 8 };
	for (int round = 0; round < 3; round++) {
		struct arena arenas[ARENAS] = {0};
		for (int a = 0; a < ARENAS; a++)
			for (int k = 0; k < SIZES; k++) {
				size_t size = sizes[(k + round) % SIZES];
				unsigned char *at = arena_alloc(&arenas[a], size);
				is_zero(at, size);
				memset(at, a + 1, size);
				assert_int_equal(at[size - 1], a + 1);
			}
		for (int a = 0; a < ARENAS; a++)
			arena_free(&arenas[a]);
	}
}

/* More of them than are kept, of two sizes in turn. */
static void what_was_reserved_and_cleared_comes_back_as_zero(void **state)
{
	(void)state;
	enum { BLOCKS = 4400, SIZE = 100000 };
	for (int round = 0; round < 3; round++) {
		static unsigned char *at[BLOCKS];
		struct arena arena = {0};
		for (int k = 0; k < BLOCKS; k++) {
			size_t size = SIZE + (size_t)(k % 2) * 4096;
			at[k] = arena_reserve(&arena, size);
			assert_int_equal(at[k][0] | at[k][8] | at[k][size - 1], 0);
			memcpy(at[k], &k, sizeof k);
			at[k][size - 1] = 1;
		}
		for (int k = 0; k < BLOCKS; k++) {
			assert_memory_equal(at[k], &k, sizeof k); /* no two are the same */
			at[k][SIZE + (size_t)(k % 2) * 4096 - 1] = 0;
			if (k % 3)
				memset(at[k], 0, sizeof k);
			arena_keep(&arena, at[k], k % 3 ? 0 : sizeof k);
		}
		arena_free(&arena);
	}
}

/* But not in builds that look for what is used too late. */
static void what_was_freed_is_used_again(void **state)
{
	(void)state;
#if !defined(LOCKSTEP_SANITIZE_ADDRESS) && !defined(LOCKSTEP_HOSTILE)
	enum { SIZE = 5 << 20, LARGE = 3 << 20 }; /* LARGE: as the cores of a large GPU take */
	const void *block[3], *large[3], *mapping[3];
	void *others[3][2]; /* take the place of what was not kept */
	for (int k = 0; k < 3; k++) {
		struct arena arena = {0};
		block[k] = arena_alloc(&arena, 300000);
		large[k] = arena_alloc(&arena, LARGE);
		void *at = arena_reserve(&arena, SIZE);
		mapping[k] = at;
		arena_keep(&arena, at, 0);
		arena_free(&arena);
		for (int o = 0; o < 2; o++)
			others[k][o] = mmap(
				NULL, o ? LARGE : SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	for (int k = 0; k < 3; k++)
		for (int o = 0; o < 2; o++)
			munmap(others[k][o], o ? LARGE : SIZE);
	assert_ptr_equal(block[1], block[2]);
	assert_ptr_equal(large[1], large[2]);
	assert_ptr_equal(mapping[1], mapping[2]);
#endif
}

/* As malloc(0) may, but never null: the caller asks for what it was told, which may be nothing. */
static void nothing_can_be_reserved(void **state)
{
	(void)state;
	struct arena arena = {0};
	assert_non_null(arena_reserve(&arena, 0));
	arena_free(&arena);
}

/* More than any address space has: nothing is read or written, and the caller is told. */
static void pages_too_many_to_copy_stay_shared(void **state)
{
	(void)state;
	struct arena arena = {0};
	unsigned char *ours = arena_reserve(&arena, 4096), *theirs = arena_reserve(&arena, 4096);
	theirs[0] = 7;
	assert_false(arena_unshare_pages(ours, theirs, SIZE_MAX / 4 / 4096 * 4096));
	assert_int_equal(theirs[0], 7);
	arena_free(&arena);
}

static void text_is_copied_and_formatted(void **state)
{
	(void)state;
	struct arena arena = {0};
	assert_string_equal(arena_copy(&arena, "hello", 2), "he");
	assert_string_equal(arena_copy(&arena, NULL, 0), "");
	assert_string_equal(arena_printf(&arena, "%s-%d", "warp", 12), "warp-12");
	char *wide = arena_printf(&arena, "%5000d", 1);
	assert_int_equal(strlen(wide), 5000);
	arena_free(&arena);
}

static void vectors_grow_and_zero(void **state)
{
	(void)state;
	struct arena arena = {0};
	VECTOR(uint64_t) numbers = {0};
	for (uint32_t i = 0; i < 1000; i++) {
		uint64_t *number = vector_push(&arena, &numbers);
		assert_int_equal(*number, 0);
		*number = i * 3;
	}
	assert_int_equal(numbers.count, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(numbers.at[i], i * 3);
	numbers.count = 10;
	assert_int_equal(*vector_push(&arena, &numbers), 0);
	assert_int_equal(numbers.at[9], 27);
	arena_free(&arena);
}

/* Runs `act` in a child: its exit status, and in `said` what it wrote to stderr. */
static int in_a_child(void (*act)(void), char *said, size_t room)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		act();
		_exit(0);
	}
	close(ends[1]);
	size_t length = 0;
	for (ssize_t got; length < room - 1 && (got = read(ends[0], said + length, room - 1 - length)) > 0;)
		length += (size_t)got;
	said[length] = '\0';
	close(ends[0]);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ask_for_too_many(void)
{
	struct arena arena = {0};
	arena_array(&arena, SIZE_MAX / 2, 3);
}

static void ask_for_too_much(void)
{
	struct arena arena = {0};
	arena_alloc(&arena, SIZE_MAX - 8);
}

/* Rounded up to pages these are nothing, and more than any address space has. */
static void reserve_to_the_last_byte(void)
{
	struct arena arena = {0};
	arena_reserve(&arena, SIZE_MAX);
}

static void reserve_half_of_all(void)
{
	struct arena arena = {0};
	arena_reserve(&arena, SIZE_MAX / 2);
}

static void running_out_exits_with_2_and_one_line(void **state)
{
	(void)state;
	char said[512];
	void (*ways[])(void) = {ask_for_too_many, ask_for_too_much, reserve_to_the_last_byte, reserve_half_of_all};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		assert_int_equal(in_a_child(ways[i], said, sizeof said), 2);
		assert_non_null(strstr(said, "out of memory"));
		assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	}
}

#if LOCKSTEP_HOSTILE
static void allocate_ten_blocks(void)
{
	setenv("LOCKSTEP_FAIL_ALLOC", "5", 1);
	struct arena arenas[10] = {0};
	for (int i = 0; i < 10; i++) {
		arena_alloc(&arenas[i], 1);
		fputc('.', stderr);
	}
}

/* In a child that has made no block yet, which is why this test comes first. */
static void the_chosen_block_fails(void **state)
{
	(void)state;
	char said[512];
	assert_int_equal(in_a_child(allocate_ten_blocks, said, sizeof said), 2);
	assert_memory_equal(said, "....lockstep: out of memory", 27);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_freed_is_used_again), /* first: others leave no room */
#if LOCKSTEP_HOSTILE
		cmocka_unit_test(the_chosen_block_fails),
#endif
		cmocka_unit_test(allocations_are_aligned_zeroed_and_apart),
		cmocka_unit_test(clearing_leaves_untouched_pages_alone),
		cmocka_unit_test(what_will_be_used_is_there),
		cmocka_unit_test(large_tables_get_pages_when_touched),
		cmocka_unit_test(used_counts_bytes_and_free_empties),
		cmocka_unit_test(large_blocks_leave_the_small_one_in_use),
		cmocka_unit_test(grow_keeps_the_content_and_zeroes_the_rest),
		cmocka_unit_test(reserving_costs_nothing_until_touched),
		cmocka_unit_test(what_was_freed_comes_back_as_zero),
		cmocka_unit_test(what_was_reserved_and_cleared_comes_back_as_zero),
		cmocka_unit_test(nothing_can_be_reserved),
		cmocka_unit_test(pages_too_many_to_copy_stay_shared),
		cmocka_unit_test(text_is_copied_and_formatted),
		cmocka_unit_test(vectors_grow_and_zero),
		cmocka_unit_test(running_out_exits_with_2_and_one_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
