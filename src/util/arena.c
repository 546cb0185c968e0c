/* Arenas: a list of zeroed blocks, filled from the front, and of mappings.
 *
 * Many arenas live for one short launch, so blocks that were freed, and mappings that their users have cleared, are
 * kept for the next.
 *
 * The first block in the list is the one being filled; allocations too large to share a block get their own, behind it.
 * Under AddressSanitizer whatever was not handed out is poisoned, with a gap after every allocation, so running over
 * the end of one is caught although the block goes on. */
#include "util/arena.h"

#include "util/pages.h"

#include <assert.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef LOCKSTEP_SANITIZE_ADDRESS
#include <sanitizer/asan_interface.h>
/* What is recorded may be put back, and what it held then must be readable. */
#define poison(at, size) (pages_are_recorded() ? (void)0 : ASAN_POISON_MEMORY_REGION(at, size))
#define unpoison(at, size) ASAN_UNPOISON_MEMORY_REGION(at, size)
enum { GAP = 16, KEPT_BLOCKS = 0, KEPT_MAPPINGS = 0 }; /* so that what is used too late is noticed */
#else
#define poison(at, size) ((void)(at), (void)(size))
#define unpoison(at, size) ((void)(at), (void)(size))
#if LOCKSTEP_HOSTILE
enum { GAP = 0, KEPT_BLOCKS = 0, KEPT_MAPPINGS = 0 };
#else
enum { GAP = 0, KEPT_BLOCKS = 4096, KEPT_MAPPINGS = 4096 };
#endif
#endif

#if LOCKSTEP_HOSTILE
enum { FIRST_BLOCK = 1 << 10, LAST_BLOCK = 1 << 12 };
#else
enum { FIRST_BLOCK = 1 << 16, LAST_BLOCK = 1 << 20 };
#endif
enum { SMALL_ALIGNMENT = 16, LARGE_ALIGNMENT = 64, PAGE = 4096, PAGES_TOGETHER = 1 << 17 /* bytes */ };

/* From this size on a block is of whole pages: these cost nothing before they are used, as calloc's would that has
 * memory to clear.  AddressSanitizer looks for leaks in what calloc gave, and nowhere else. */
#ifdef LOCKSTEP_SANITIZE_ADDRESS
#define PAGED_BLOCK SIZE_MAX
#define PRESENT_BLOCK SIZE_MAX
#define SMALL_RESERVE ((size_t)1 << 16)
#else
#define PAGED_BLOCK ((size_t)1 << 14)
#define PRESENT_BLOCK ((size_t)PAGES_TOGETHER + PAGE) /* of each block so much has memory from the beginning */
#define SMALL_RESERVE ((size_t)1 << 13) /* what is reserved and has at most so many bytes lies in a block */
#endif

struct arena_block {
	struct arena_block *next;
	void *mapping;  /* null: the memory follows this header */
	bool may_keep;  /* the mapping: whoever reserves as much next may have it */
	bool recorded;  /* see pages.h; others are not kept while arenas are recorded */
	bool from_heap; /* of the C library: the block, or the header of the mapping */
	size_t written; /* so many bytes of it from the first on, at most */
	size_t size;    /* bytes behind the header, or in the mapping */
	size_t filled;  /* of them handed out, gaps included */
	size_t present; /* so many from the front are not to be asked of the system any more: see give_pages */
	alignas(SMALL_ALIGNMENT) unsigned char memory[];
};

_Noreturn void arena_out_of_memory(size_t size)
{
	if (size)
		fprintf(stderr, "lockstep: out of memory (asked for %zu bytes)\n", size);
	else
		fputs("lockstep: out of memory\n", stderr);
	exit(2);
}

#if LOCKSTEP_HOSTILE
/* LOCKSTEP_FAIL_ALLOC=N makes the Nth block allocation of the process fail, counted from 1. */
static void perhaps_fail(size_t size)
{
	static atomic_ulong count;
	unsigned long this_one = atomic_fetch_add(&count, 1) + 1;
	const char *wish = getenv("LOCKSTEP_FAIL_ALLOC");
	if (wish && strtoul(wish, NULL, 10) == this_one)
		arena_out_of_memory(size);
}
#else
static void perhaps_fail(size_t size)
{
	(void)size;
}
#endif

/* ---- What is kept ---- */

enum { KEPT_BYTES = 256 << 20, LARGEST_KEPT = 8 << 20, LARGEST_CUT = 1 << 20, SIZES = 32 };

static struct {
	pthread_mutex_t lock; /* whoever cannot have it at once does without: a child made by fork finds it as it was */
	struct arena_block *blocks[SIZES]; /* [k]: of 2^k bytes and more, less than twice as many */
	uint32_t block_count, mapping_count;
	size_t block_bytes;
	struct {
		size_t size;
		struct arena_block *mappings; /* of this size, by their headers: touching them would cost each a page */
	} sizes[SIZES];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t log2_of(size_t size)
{
	return 63 - (uint32_t)__builtin_clzll(size | 1);
}

/* What is kept is recorded, or nothing is. */
static bool recording;

static bool may_use_kept(void)
{
	return recording == pages_are_recorded();
}

/* Takes the first that is large enough from a list of blocks. */
static struct arena_block *take_kept(struct arena_block **list, size_t size)
{
	for (struct arena_block **at = list; *at; at = &(*at)->next)
		if ((*at)->size >= size) {
			struct arena_block *found = *at;
			*at = found->next;
			kept.block_count--;
			kept.block_bytes -= found->size;
			return found;
		}
	return NULL;
}

/* A zeroed block of `size` bytes, or of less than four times as many; null: none is kept. */
static struct arena_block *kept_block(size_t size)
{
	if (!KEPT_BLOCKS || size > LARGEST_KEPT || !may_use_kept() || pthread_mutex_trylock(&kept.lock))
		return NULL;
	struct arena_block *found = take_kept(&kept.blocks[log2_of(size)], size);
	if (!found)
		found = take_kept(&kept.blocks[log2_of(size) + 1], size);
	pthread_mutex_unlock(&kept.lock);
	if (found) {
		memset(found->memory, 0, found->filled); /* not when it was freed: the last ones are never used again */
		found->filled = 0;
	}
	return found;
}

static bool keep_block(struct arena_block *block)
{
	bool room;
	if (!KEPT_BLOCKS || sizeof *block + block->size < PAGED_BLOCK || block->size > LARGEST_KEPT ||
		block->recorded != recording || pthread_mutex_trylock(&kept.lock))
		return false;
	room = kept.block_count != KEPT_BLOCKS && kept.block_bytes + block->size <= KEPT_BYTES;
	if (room) {
		struct arena_block **list = &kept.blocks[log2_of(block->size)];
		block->next = *list;
		*list = block;
		kept.block_count++;
		kept.block_bytes += block->size;
	}
	pthread_mutex_unlock(&kept.lock);
	return room;
}

/* The list of kept mappings of this size, which may be empty; null: there are too many sizes. */
static struct arena_block **kept_list(size_t size)
{
	size_t empty = SIZES;
	for (size_t k = 0; k < SIZES; k++) {
		if (kept.sizes[k].size == size)
			return &kept.sizes[k].mappings;
		if (!kept.sizes[k].mappings && empty == SIZES)
			empty = k;
	}
	if (empty == SIZES)
		return NULL;
	kept.sizes[empty].size = size;
	return &kept.sizes[empty].mappings;
}

static struct arena_block *kept_mapping(size_t size)
{
	if (!KEPT_MAPPINGS || !may_use_kept() || pthread_mutex_trylock(&kept.lock))
		return NULL;
	struct arena_block **list = kept_list(size), *found = list ? *list : NULL;
	if (found) {
		assert(found->size == size && kept.mapping_count);
		*list = found->next;
		kept.mapping_count--;
	}
	pthread_mutex_unlock(&kept.lock);
	if (found)
		arena_clear(found->mapping, found->written); /* now, as with blocks */
	return found;
}

static bool keep_mapping(struct arena_block *block)
{
	if (!KEPT_MAPPINGS || !block->may_keep || block->recorded != recording || pthread_mutex_trylock(&kept.lock))
		return false;
	struct arena_block **list = kept_list(block->size);
	bool room = list && kept.mapping_count < KEPT_MAPPINGS;
	if (room) {
		block->next = *list;
		*list = block;
		kept.mapping_count++;
	}
	pthread_mutex_unlock(&kept.lock);
	return room;
}

/* ---- Pages ---- */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* from Linux 5.14 on */
#endif

/* Tells the system something of all pages that these bytes touch.  A wish: one that does not know it goes on as before,
 * and nothing is lost. */
static void advise(const void *at, size_t size, int advice)
{
	uintptr_t first = (uintptr_t)at & ~((uintptr_t)PAGE - 1),
		  end = ((uintptr_t)at + size + PAGE - 1) & ~((uintptr_t)PAGE - 1);
	madvise((void *)first, end - first, advice);
}

/* Has the system put memory under the pages of these bytes in one call: page by page, as each is touched for the first
 * time, a virtual machine takes ten times as long. */
static void give_pages(const void *at, size_t size)
{
	if (pages_are_recorded()) /* each would be in images, though nobody has touched it */
		return;
	advise(at, size, MADV_POPULATE_WRITE);
}

/* ---- Blocks ---- */

/* Blocks of pages are cut from a few large mappings.  A machine has some hundred arenas, most of them small, and for
 * each mapping, each request for pages and each unmapping a virtual machine takes as long as for clearing 100 KB.
 *
 * Blocks will be full, so from the second mapping on they get large pages, if the system has them: these cost a fourth
 * of the time, and so many small ones would not fit the processor's list of pages, when a large GPU's cores take turns.
 * The first mapping is all that a small program needs. */
enum { FIRST_SUPPLY = 2 << 20, SUPPLY = 8 << 20, GIVEN_AHEAD = 512 << 10 };

static struct supply {
	pthread_mutex_t lock; /* as that of `kept` */
	int flags;            /* of its mappings */
	size_t given;         /* bytes of each piece that have memory at once, at most */
	unsigned char *at, *end;
	unsigned char *present; /* in front of this there are pages */
} blocks = {.lock = PTHREAD_MUTEX_INITIALIZER, .given = PRESENT_BLOCK},
  reserve = {.lock = PTHREAD_MUTEX_INITIALIZER, .flags = MAP_NORESERVE}; /* reserved: none before it is touched */

#define LARGE_PAGE ((uintptr_t)2 << 20)

static void *map_pages(size_t size, int flags)
{
	if (pages_are_recorded())
		return pages_map(size);
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	return pages != MAP_FAILED ? pages : NULL;
}

/* A mapping of its own. */
static void *map_piece(const struct supply *supply, size_t size)
{
	void *pages = map_pages(size, supply->flags);
	if (pages && supply->given)
		give_pages(pages, size < supply->given ? size : supply->given);
	return pages;
}

/* Takes `bytes` off the supply, of which the first `used` have memory, and what follows them, which the next cut will
 * have, if all are used. */
static void *cut_piece(struct supply *supply, size_t bytes, size_t used)
{
	unsigned char *cut = supply->at, *needed = cut + used;

	supply->at += bytes;
	assert(supply->at <= supply->end && used <= bytes);
	if (supply->present < cut) /* behind a block that may never be full */
		supply->present = cut;
	if (needed > supply->present) {
		size_t left = (size_t)(supply->end - needed);
		if (used == bytes)
			needed += left < GIVEN_AHEAD ? left : GIVEN_AHEAD;
		give_pages(supply->present, (size_t)(needed - supply->present));
		supply->present = needed;
	}
	return cut;
}

/* A mapping of whole large pages; null: there is none. */
static unsigned char *map_large_pages(size_t size, int flags)
{
	unsigned char *pages = map_pages(size + LARGE_PAGE, flags);
	size_t lead = (size_t)(-(uintptr_t)pages & (LARGE_PAGE - 1));
	if (!pages)
		return NULL;
	if (lead)
		munmap(pages, lead);
	munmap(pages + lead + size, LARGE_PAGE - lead);
	advise(pages + lead, size, MADV_HUGEPAGE);
	return pages + lead;
}

static void refill(struct supply *supply)
{
	bool is_first = !supply->end || pages_are_recorded();
	size_t size = supply->given && is_first ? FIRST_SUPPLY : SUPPLY;
	supply->at = supply->given && !is_first ? map_large_pages(size, supply->flags) : map_pages(size, supply->flags);
	supply->present = supply->at;
	supply->end = supply->at ? supply->at + size : NULL;
}

/* Whole pages that hold `size` bytes; null: there are none.  Those at the end of a mapping in which they do not fit are
 * never used. */
static void *cut_pages(struct supply *supply, size_t size)
{
	size_t bytes = (size + PAGE - 1) / PAGE * PAGE;
	void *cut = NULL;
	if (size > LARGEST_CUT || !may_use_kept() || pthread_mutex_trylock(&supply->lock))
		return map_piece(supply, size);
	if ((size_t)(supply->end - supply->at) < bytes)
		refill(supply);
	if (supply->at)
		cut = cut_piece(supply, bytes, bytes < supply->given ? bytes : supply->given);
	pthread_mutex_unlock(&supply->lock);
	return cut;
}

/* A block, or the header of a mapping.  What is apart from what is recorded is never cut: the supply is recorded. */
static struct arena_block *raw_block(size_t size)
{
	bool recorded = pages_are_recorded(), from_heap = !recorded && (size < PAGED_BLOCK || recording);
	struct arena_block *block = from_heap ? calloc(1, size) : cut_pages(&blocks, size);
	if (block) {
		block->recorded = recorded;
		block->from_heap = from_heap;
	}
	return block;
}

static void unmap(void *at, size_t size)
{
	if (!pages_unmap(at, size))
		munmap(at, size);
}

static void free_raw(struct arena_block *block, size_t size)
{
	if (block->from_heap)
		free(block);
	else
		unmap(block, size);
}

bool arena_record(void)
{
	assert(!recording);
	if (!pages_record())
		return false;
	recording = true;
	kept.block_count = kept.mapping_count = 0;
	kept.block_bytes = 0;
	memset(kept.blocks, 0, sizeof kept.blocks);
	memset(kept.sizes, 0, sizeof kept.sizes);
	blocks.at = blocks.end = blocks.present = reserve.at = reserve.end = reserve.present = NULL;
	pages_keep_static(&kept, sizeof kept);
	pages_keep_static(&blocks, sizeof blocks);
	pages_keep_static(&reserve, sizeof reserve);
	return true;
}

static struct arena_block *new_block(size_t size)
{
	struct arena_block *block = kept_block(size);
	if (block)
		return block;
	perhaps_fail(size);
	block = size < SIZE_MAX / 2 ? raw_block(sizeof *block + size) : NULL;
	if (!block)
		arena_out_of_memory(size);
	block->size = size;
	block->present = size < PRESENT_BLOCK - sizeof *block ? size : PRESENT_BLOCK - sizeof *block;
	poison(block->memory, size);
	return block;
}

/* What is handed out next gets its pages before it is touched, and what is behind it, too, as it will be soon.  A large
 * piece may be a table that is never full, so of it only the beginning. */
static __attribute__((noinline)) void give_more(struct arena_block *block, size_t from)
{
	size_t left = block->size - from, size = left < PAGES_TOGETHER ? left : PAGES_TOGETHER;
	give_pages(block->memory + from, size);
	block->present = block->filled > from + size ? block->filled : from + size;
}

/* Takes `size` bytes from the block, or null when they do not fit. */
static void *take(struct arena_block *block, size_t size)
{
	size_t alignment = size >= LARGE_ALIGNMENT ? LARGE_ALIGNMENT : SMALL_ALIGNMENT;
	uintptr_t free_at = (uintptr_t)block->memory + block->filled;
	size_t skip = (size_t)(-free_at & (alignment - 1));
	size_t left = block->size - block->filled;
	if (left < skip || left - skip < size)
		return NULL;
	unsigned char *at = block->memory + block->filled + skip;
	block->filled += skip + size;
	block->filled += GAP < block->size - block->filled ? GAP : block->size - block->filled;
	if (block->filled > block->present)
		give_more(block, (size_t)(at - block->memory));
	unpoison(at, size);
	return at;
}

static void put_second(struct arena *arena, struct arena_block *block)
{
	block->next = arena->head->next;
	arena->head->next = block;
}

/* All memory of an arena is recorded, or none is: as its first block.  Returns what pages_apart takes back. */
static bool take_side(const struct arena *arena)
{
	bool before = pages_apart(true);
	pages_apart(arena->head ? !arena->head->recorded : before);
	return before;
}

/* The block to be filled next: twice the one before, up to the largest. */
static void start_block(struct arena *arena)
{
	size_t size = FIRST_BLOCK;
	if (arena->head)
		size = arena->head->size < LAST_BLOCK ? arena->head->size * 2 : LAST_BLOCK;
	struct arena_block *block = new_block(size);
	block->next = arena->head;
	arena->head = block;
}

/* What does not fit the first block: it gets one of its own, or the next is begun. */
static __attribute__((noinline)) void *take_more(struct arena *arena, size_t size)
{
	bool before = take_side(arena);
	void *at;
	if (size > arena->head->size / 4) {
		put_second(arena, new_block(size + LARGE_ALIGNMENT + GAP));
		at = take(arena->head->next, size);
	} else {
		start_block(arena);
		at = take(arena->head, size);
	}
	pages_apart(before);
	assert(at); /* a quarter of a smaller block fits into a new one */
	return at;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	if (size > SIZE_MAX / 2)
		arena_out_of_memory(size);
	if (!arena->head)
		start_block(arena);
	arena->used += size;
	void *at = take(arena->head, size);
	return at ? at : take_more(arena, size);
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		arena_out_of_memory(SIZE_MAX);
	return arena_alloc(arena, bytes);
}

void *arena_grow(struct arena *arena, void *old, size_t old_size, size_t new_size)
{
	assert(new_size >= old_size);
	void *at = arena_alloc(arena, new_size);
	if (old_size)
		memcpy(at, old, old_size);
	return at;
}

static struct arena_block *new_mapping(void *mapping, size_t size)
{
	struct arena_block *block = raw_block(sizeof *block);
	if (!block)
		arena_out_of_memory(sizeof *block);
	block->mapping = mapping;
	block->size = size;
	return block;
}

static void *add_mapping(struct arena *arena, struct arena_block *block, bool may_keep)
{
	if (!arena->head)
		start_block(arena);
	block->may_keep = may_keep;
	block->written = block->size;
	put_second(arena, block);
	arena->used += block->size;
	return block->mapping;
}

void *arena_reserve(struct arena *arena, size_t size)
{
	if (size <= SMALL_RESERVE)
		return arena_alloc(arena, size);
	perhaps_fail(size);
	bool before = take_side(arena);
	struct arena_block *block = kept_mapping(size);
	if (!block) {
		void *mapping = cut_pages(&reserve, size);
		if (!mapping)
			arena_out_of_memory(size);
		block = new_mapping(mapping, size);
	}
	void *at = add_mapping(arena, block, size <= LARGEST_CUT);
	pages_apart(before);
	return at;
}

void arena_keep(struct arena *arena, void *at, size_t written)
{
	for (struct arena_block *block = arena->head; block; block = block->next)
		if (block->mapping == at) {
			assert(written <= block->size);
			block->may_keep = true;
			block->written = written;
		}
}

void *arena_reserve_at(struct arena *arena, uintptr_t address, size_t size)
{
	void *wanted = (void *)address;
	void *mapping = mmap(wanted, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (mapping == MAP_FAILED)
		return NULL;
	if (mapping != wanted) { /* a kernel before 4.17 takes the address for a hint */
		munmap(mapping, size);
		return NULL;
	}
	if (pages_are_recorded())
		pages_add(mapping, size);
	return add_mapping(arena, new_mapping(mapping, size), false);
}

/* Pages hold whatever lies in them, also what AddressSanitizer forbids to touch: so not by memcpy. */
__attribute__((no_sanitize("address"))) static void copy_pages(void *to, const void *from, size_t size)
{
	for (size_t k = 0; k < size / sizeof(uint64_t); k++)
		((volatile uint64_t *)to)[k] = ((const volatile uint64_t *)from)[k];
}

/* The bytes are copied to pages of a file in memory, which then take the places of both. */
bool arena_share_pages(void *ours, void *theirs, size_t size)
{
	int file = memfd_create("lockstep", MFD_CLOEXEC);
	if (file < 0)
		return false;
	void *pages = ftruncate(file, (off_t)size) ? MAP_FAILED
						   : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	bool good = pages != MAP_FAILED &&
		    mmap(ours, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
	close(file);
	if (good) {
		copy_pages(pages, theirs, size);
		good = mremap(pages, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, theirs) != MAP_FAILED;
	}
	if (!good && pages != MAP_FAILED)
		munmap(pages, size);
	return good;
}

bool arena_unshare_pages(void *ours, void *theirs, size_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return false;
	copy_pages(pages, theirs, size);
	if (mremap(pages, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, theirs) == MAP_FAILED) {
		munmap(pages, size);
		return false;
	}
	return mmap(ours, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		       0) != MAP_FAILED;
}

/* Bytes: what is less costs less when it is touched than a call each time that so little is expected; what is more, or
 * more in all, may be a pool of which a program uses little. */
enum { LEAST_GIVEN = 16 << 10, MOST_GIVEN = 8 << 20, GIVEN_IN_ALL = 64 << 20 };

void arena_give(void *at, size_t size)
{
	if (size >= LEAST_GIVEN)
		give_pages(at, size);
}

void arena_expect(void *at, size_t size)
{
	static atomic_size_t given;
	if (size >= LARGE_PAGE && !pages_are_recorded())
		advise(at, size, MADV_HUGEPAGE);
	if (size >= LEAST_GIVEN && size <= MOST_GIVEN && atomic_fetch_add(&given, size) + size <= GIVEN_IN_ALL)
		give_pages(at, size);
}

enum { CLEARED_PAGES = 4096 }; /* of one look at what the system has given */

/* Clears whole pages: by writing where memory is, since having the system take it back and give other costs twenty
 * times as much; elsewhere by telling the system, which may have put pages aside on a disk. */
static void clear_pages(unsigned char *at, size_t pages)
{
	unsigned char there[CLEARED_PAGES];
	for (size_t k = 0, run; k < pages; k += run) {
		size_t from = k % CLEARED_PAGES,
		       seen = pages - k < CLEARED_PAGES - from ? pages - k : CLEARED_PAGES - from;
		if (!from && mincore(at + k * PAGE, seen * PAGE, there))
			memset(there, 1, seen);
		bool is_there = there[from] & 1;
		for (run = 1; run < seen && (there[from + run] & 1) == is_there; run++)
			;
		if (is_there || madvise(at + k * PAGE, run * PAGE, MADV_DONTNEED))
			memset(at + k * PAGE, 0, run * PAGE);
	}
}

void arena_clear(void *at, size_t size)
{
	unsigned char *bytes = at;
	size_t lead = (size_t)(-(uintptr_t)at % PAGE);
	if (size < (size_t)16 * PAGE) {
		memset(bytes, 0, size);
		return;
	}
	memset(bytes, 0, lead);
	clear_pages(bytes + lead, (size - lead) / PAGE);
	memset(bytes + size - (size - lead) % PAGE, 0, (size - lead) % PAGE);
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);
	if (length)
		memcpy(copy, text, length);
	return copy;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list list)
{
	va_list again;
	va_copy(again, list);
	int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	assert(length >= 0);
	char *at = arena_alloc(arena, (size_t)length + 1);
	vsnprintf(at, (size_t)length + 1, format, list);
	return at;
}

char *arena_text(struct arena *arena, const char *text)
{
	return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	char *at = arena_vprintf(arena, format, list);
	va_end(list);
	return at;
}

void arena_free(struct arena *arena)
{
	struct arena_block *next;
	for (struct arena_block *block = arena->head; block; block = next) {
		next = block->next;
		if (block->mapping ? keep_mapping(block) : keep_block(block))
			continue;
		if (block->mapping)
			unmap(block->mapping, block->size);
		else
			unpoison(block->memory, block->size);
		free_raw(block, sizeof *block + (block->mapping ? 0 : block->size));
	}
	*arena = (struct arena){0};
}
