/* For programs that count what is allocated in the process, and make one allocation of their own thread fail: the C
 * library's functions, which the driver's libraries get from the program, too.  Once in a program. */
#ifndef LOCKSTEP_TESTS_HOST_ALLOCATIONS_H
#define LOCKSTEP_TESTS_HOST_ALLOCATIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* How many of this thread's allocations succeed before one fails; negative: none fails. */
static _Thread_local long allocations_until_failure = -1;
static _Thread_local bool allocation_has_failed;

/* Sanitizers have an allocator of their own: nothing is counted there and nothing fails, but they look for leaks. */
#if defined(LOCKSTEP_SANITIZE_ADDRESS) || defined(LOCKSTEP_SANITIZE_THREAD)
#define COUNTS_ALLOCATIONS 0
#else
#define COUNTS_ALLOCATIONS 1
#endif

/* Pieces that are allocated and not freed. */
static atomic_long allocations_live;

#if COUNTS_ALLOCATIONS
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *piece);

static bool allocation_fails(void)
{
	if (allocations_until_failure < 0 || allocations_until_failure--)
		return false;
	return allocation_has_failed = true;
}

static void *counted(void *piece)
{
	allocations_live += piece != NULL;
	return piece;
}

void *malloc(size_t bytes)
{
	return allocation_fails() ? NULL : counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
	return allocation_fails() ? NULL : counted(__libc_calloc(count, bytes));
}

void *realloc(void *old, size_t bytes)
{
	if (allocation_fails())
		return NULL;
	void *piece = __libc_realloc(old, bytes);
	return old ? piece : counted(piece);
}

void free(void *piece)
{
	allocations_live -= piece != NULL;
	__libc_free(piece);
}
#endif

/* Calls `make`, which makes things and frees them, and returns the first error that it meets: nothing is left of them.
 */
static void check_nothing_left(int (*make)(void))
{
	enum { WARM = 4, ROUNDS = 16 };
	for (int k = 0; k < WARM; k++)
		OK(make());
	long before = allocations_live;
	for (int k = 0; k < ROUNDS; k++)
		OK(make());
	CHECK(allocations_live < before + ROUNDS / 2);
}

/* Then with its first allocation failing, its second, and so on until none fails: it must return `no_memory` or
 * `other`, and nothing is left either.  `other` is success where what fails may be a buffer that the C library can do
 * without. */
static void check_without_memory(int (*make)(void), int no_memory, int other)
{
	check_nothing_left(make);
	for (long k = 0; COUNTS_ALLOCATIONS; k++) {
		long before = allocations_live;
		allocation_has_failed = false;
		allocations_until_failure = k;
		int error = make();
		allocations_until_failure = -1;
		if (!allocation_has_failed)
			break;
		check_entry = (int)k;
		if (error != other)
			GIVES(no_memory, error);
		OK(make());
		CHECK(allocations_live <= before + 1);
	}
	check_entry = 0;
}

#endif
