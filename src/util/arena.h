/* Memory with a named lifetime: everything in an arena is freed at once.
 *
 * The simulator has three kinds: program (until the module is unloaded), launch (until the kernel has ended) and
 * scratch (one call).  Nothing outside arena.c calls malloc or free for simulator objects.  All memory is zeroed.
 * Out of memory ends the program with a message and exit status 2; callers never see a null pointer.
 * Built with LOCKSTEP_HOSTILE, the environment's LOCKSTEP_FAIL_ALLOC=N makes the Nth block of the process fail so. */
#ifndef LOCKSTEP_UTIL_ARENA_H
#define LOCKSTEP_UTIL_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block; /* private */

/* A zero-initialised arena is empty and ready for use. */
struct arena {
	struct arena_block *head;
	size_t used; /* bytes handed out, for the memory counters */
};

/* Zeroed memory of `size` bytes, aligned to 64 bytes when size >= 64, else to 16. */
void *arena_alloc(struct arena *arena, size_t size);
/* Room for `count` elements of `size` bytes; the product is checked. */
void *arena_array(struct arena *arena, size_t count, size_t size);
/* Grows a block made by arena_alloc from old_size to new_size bytes: copies, the old block stays until the arena
 * goes. */
void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size);
/* Address space of `size` bytes that reads as zero: if it is more than 64 KB, it begins with a page and costs memory
 * only where it is touched.  So does what has more than 8 KB, but for builds with AddressSanitizer. */
void *arena_reserve(struct arena *arena, size_t size);
/* Memory of an arena that will be touched soon: if it is not very little, it gets its pages now, in one call of the
 * system. */
void arena_give(void *at, size_t size);
/* The reserved block at `at` is as it was, all zero or never touched, behind its first `written` bytes.  When the arena
 * goes, the block need not go with it: whoever reserves as much next has it, cleared then, at the cost of neither
 * system calls nor pages. */
void arena_keep(struct arena *arena, void *at, size_t written);
/* As above, at exactly this page-aligned address; null when something is there already. */
void *arena_reserve_at(struct arena *arena, uintptr_t address, size_t size);
/* Says of memory of an arena that all of it will be touched: if it is much, large pages then save time; if
 * it is not, it gets its pages now, up to some megabytes in all. */
void arena_expect(void *at, size_t size);
/* Makes memory within a reserved block zero again.  What was never touched stays so, and costs next to nothing. */
void arena_clear(void *at, size_t size);
/* Whole pages of a reserved block and of other memory of the process, private and writable, become the same memory,
 * with what `theirs` has; and two again.  False: the system does not allow it, and `theirs` is as it was. */
bool arena_share_pages(void *ours, void *theirs, size_t size);
bool arena_unshare_pages(void *ours, void *theirs, size_t size);
char *arena_copy(struct arena *arena, const char *text, size_t length); /* with a terminating NUL */
char *arena_text(struct arena *arena, const char *text);                /* a copy of all of it; null: null */
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list list);
/* From now on what arenas hold can be kept and put back (pages.h).  To be called once, before the first of these arenas
 * is used; what other arenas have is in no image.  False: the system does not allow it. */
bool arena_record(void);
/* The end of a program that has asked for `size` bytes in vain (0: not known), also for what is in no arena. */
_Noreturn void arena_out_of_memory(size_t size);
/* Frees everything and leaves an empty arena. */
void arena_free(struct arena *arena);

/* `arena_new(&a, struct warp)` and `arena_new_array(&a, struct warp, 48)`. */
#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define arena_new_array(arena, type, count) ((type *)arena_array((arena), (count), sizeof(type)))

#endif
