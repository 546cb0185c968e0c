/* The list of allocations in global memory: sorted by address, searched by bisection, first fit over freed places. */
#include "memory/address_space.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ALIGNMENT 256ull
#define LEAST (ALIGNMENT + GUARD) /* bytes that an allocation occupies */
#define GUARD 256ull              /* bytes between neighbours, so that a stray access just behind one is in no other */

void space_create(struct address_space *space, struct arena *arena, uint64_t size, uint32_t line_bytes, bool at_own)
{
	assert(size);
	assert(line_bytes == LINE_BYTES || line_bytes == LEAST_LINE);
	memset(space, 0, sizeof(*space));
	space->arena = arena;
	space->size = size;
	space->line_bits = (uint32_t)__builtin_ctz(line_bytes);
	space->bytes = at_own ? arena_reserve_at(arena, GLOBAL_BASE, size) : NULL;
	if (!space->bytes)
		space->bytes = arena_reserve(arena, size);
	space->marks = arena_reserve(arena, size / line_bytes + 1);
	space->lines = arena_reserve(arena, (size / line_bytes + 1) * sizeof *space->lines);
}

/* Bytes that an allocation occupies: its own, rounded up, and the guard. */
static uint64_t span(uint64_t bytes)
{
	assert(bytes <= UINT64_MAX - ALIGNMENT - GUARD);
	return ((bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1)) + GUARD;
}

/* The first byte that it occupies, and the one after the last. */
static uint64_t begin_of(const struct allocation *a)
{
	assert(a->address >= GLOBAL_BASE + a->lead);
	return a->address - a->lead;
}

static uint64_t end_of(const struct allocation *a)
{
	return a->shared ? a->address + a->bytes + a->tail : a->address + span(a->bytes);
}

/* The number of entries that begin at or below `address`. */
static uint32_t entries_upto(const struct address_space *space, uint64_t address)
{
	assert(space->full <= space->count);
	assert(space->count <= space->capacity);
	uint32_t low = 0, high = space->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (space->allocations[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct address_space *space, uint32_t at, struct allocation entry)
{
	assert(at <= space->count);
	assert(space->count <= space->capacity);
	assert(!at || end_of(&space->allocations[at - 1]) <= begin_of(&entry));
	assert(at == space->count || end_of(&entry) <= begin_of(&space->allocations[at]));
	if (space->count == space->capacity) {
		uint32_t capacity = space->capacity ? space->capacity * 2 : 16;
		space->allocations = arena_grow(
			space->arena, space->allocations, space->capacity * sizeof(entry), capacity * sizeof(entry));
		space->capacity = capacity;
	}
	struct allocation *a = space->allocations;
	memmove(a + at + 1, a + at, (space->count - at) * sizeof(*a));
	a[at] = entry;
	space->count++;
	space->full = space->full < at ? space->full : at;
}

/* The place of a freed entry is taken again. */
static void bury(struct address_space *space, const struct allocation *a)
{
	assert(!a->live);
	assert(a->address >= GLOBAL_BASE);
	space->buried[space->bury++ % BURIED] = *a;
}

/* Freed entries stay in the list, so that a report can say what an address used to be, until their place is allocated
 * again.  Entries do not overlap, so the freed ones within a place are consecutive. */
static void drop_freed(struct address_space *space, uint64_t begin, uint64_t end)
{
	assert(begin < end);
	assert(space->full <= space->count);
	struct allocation *a = space->allocations;
	uint32_t first = entries_upto(space, begin), kept;
	while (first && end_of(&a[first - 1]) > begin)
		first--;
	kept = first;
	uint32_t k = first;
	for (; k < space->count && begin_of(&a[k]) < end; k++)
		if (a[k].live || end_of(&a[k]) <= begin)
			a[kept++] = a[k];
		else
			bury(space, &a[k]);
	if (kept < k)
		memmove(a + kept, a + k, (space->count - k) * sizeof *a);
	space->count -= k - kept;
	space->full = space->full < first ? space->full : first;
	assert(kept <= k);
	assert(space->full <= space->count);
}

/* Takes `need` bytes at a multiple of `align`, a power of two, and removes the freed entries there; 0: no room. */
static uint64_t take_place(struct address_space *space, uint64_t need, uint64_t align)
{
	assert(need);
	assert(align);
	assert((align & (align - 1)) == 0);
	uint64_t begin = 0; /* offset of the first place not known to be taken */
	uint32_t k = space->full;
	if (k)
		begin = (end_of(&space->allocations[k - 1]) - GLOBAL_BASE + align - 1) & ~(align - 1);
	for (; k < space->count; k++) {
		const struct allocation *a = &space->allocations[k];
		if (!a->live)
			continue;
		if (begin_of(a) - GLOBAL_BASE >= begin && begin_of(a) - GLOBAL_BASE - begin >= need)
			break;
		if (k == space->full && align == ALIGNMENT && begin_of(a) - GLOBAL_BASE < begin + LEAST)
			space->full++;
		begin = (end_of(a) - GLOBAL_BASE + align - 1) & ~(align - 1);
	}
	if (begin > space->size || space->size - begin < need)
		return 0;
	drop_freed(space, GLOBAL_BASE + begin, GLOBAL_BASE + begin + need);
	assert(begin % align == 0);
	assert(space->full <= space->count);
	if (begin + need > space->used)
		space->used = begin + need;
	return GLOBAL_BASE + begin;
}

uint64_t space_allocate(struct address_space *space, uint64_t bytes, const char *name)
{
	uint64_t fresh = GLOBAL_BASE + space->used; /* memory from there on has never been written */
	uint64_t address =
		bytes <= space->size && span(bytes) <= space->size ? take_place(space, span(bytes), ALIGNMENT) : 0;
	if (!address)
		return 0;
	if (address < fresh)
		arena_clear(space_host(space, address), bytes < fresh - address ? bytes : fresh - address);
	assert(address % ALIGNMENT == 0);
	insert(space, entries_upto(space, address),
		(struct allocation){
			.address = address, .bytes = bytes, .live = true, .name = arena_text(space->arena, name)});
	arena_expect(space_host(space, address), bytes);
	return address;
}

#define PAGE 4096ull

uint64_t space_share(struct address_space *space, void *host, uint64_t bytes, const char *name)
{
	uint64_t at = (uint64_t)(uintptr_t)host, lead = at % PAGE, tail = (PAGE - (at + bytes) % PAGE) % PAGE;
	if (!bytes || bytes > space->size || lead + bytes + tail > space->size)
		return 0;
	uint64_t pages = take_place(space, lead + bytes + tail, PAGE);
	if (!pages || !arena_share_pages(space_host(space, pages), (uint8_t *)host - lead, lead + bytes + tail))
		return 0;
	assert((pages + lead) % PAGE == at % PAGE);
	insert(space, entries_upto(space, pages + lead),
		(struct allocation){.address = pages + lead,
			.bytes = bytes,
			.lead = (uint32_t)lead,
			.tail = (uint32_t)tail,
			.shared = host,
			.live = true,
			.name = arena_text(space->arena, name)});
	space->host_writes = true;
	return pages + lead;
}

/* The live allocation that starts at `address`, or null. */
static struct allocation *starting_at(const struct address_space *space, uint64_t address)
{
	uint32_t at = entries_upto(space, address);
	struct allocation *a = at ? &space->allocations[at - 1] : NULL;
	return a && a->live && a->address == address ? a : NULL;
}

static void retire(struct address_space *space, struct allocation *a)
{
	uint32_t at = (uint32_t)(a - space->allocations);
	assert(a->live);
	assert(end_of(a) - GLOBAL_BASE <= space->used);
	a->live = false;
	space->full = space->full < at ? space->full : at;
}

bool space_unshare(struct address_space *space, uint64_t address)
{
	struct allocation *a = starting_at(space, address);
	if (!a || !a->shared ||
		!arena_unshare_pages(
			space_host(space, begin_of(a)), (uint8_t *)a->shared - a->lead, a->lead + a->bytes + a->tail))
		return false;
	retire(space, a);
	return true;
}

bool space_free(struct address_space *space, uint64_t address)
{
	struct allocation *a = starting_at(space, address);
	if (!a || a->shared)
		return false;
	retire(space, a);
	return true;
}

void space_freed_by(struct address_space *space, uint64_t address, const struct freeing *freeing)
{
	struct allocation *a = starting_at(space, address);

	assert(freeing);
	assert(!a || a->live);
	if (a)
		a->freed = *freeing;
}

const struct allocation *space_find(const struct address_space *space, uint64_t address, uint64_t bytes)
{
	uint32_t at = entries_upto(space, address);
	if (at == 0)
		return NULL;
	const struct allocation *a = &space->allocations[at - 1];
	if (!a->live || address - a->address > a->bytes || bytes > a->bytes - (address - a->address))
		return NULL;
	return a;
}

const struct allocation *space_find_freed(const struct address_space *space, uint64_t address)
{
	uint32_t at = entries_upto(space, address);
	const struct allocation *a = at ? &space->allocations[at - 1] : NULL;
	assert(at <= space->count);
	assert(!a || a->address <= address);
	if (a && !a->live && address - a->address < a->bytes)
		return a;
	for (uint32_t back = 1; back <= BURIED && back <= space->bury; back++) {
		a = &space->buried[(space->bury - back) % BURIED];
		if (address - a->address < a->bytes)
			return a;
	}
	return NULL;
}

void freed_words(const struct allocation *freed, char *words, size_t size)
{
	const struct freeing *by = &freed->freed;
	const char *name = allocation_name(freed), *call = by->make_name ? by->make_name(by->origin) : NULL;
	bool is_placed = call && by->where;

	assert(!freed->live);
	assert(size);
	snprintf(words, size, "%s (0x%" PRIx64 ", %" PRIu64 " bytes)%s%s%s%s", name ? name : "an allocation",
		freed->address, freed->bytes, call ? ", freed by " : "", call ? call : "", is_placed ? " in " : "",
		is_placed ? by->where : "");
}

bool allocation_guards(const struct allocation *a, uint64_t address)
{
	assert(a->live);
	assert(a->address >= GLOBAL_BASE);
	return address >= a->address + a->bytes && address < end_of(a);
}

/* How far `address` is from the bytes of `a`; 0 inside. */
static uint64_t distance(const struct allocation *a, uint64_t address)
{
	if (address < a->address)
		return a->address - address;
	uint64_t end = a->address + a->bytes;
	return address < end ? 0 : address - end + 1;
}

const struct allocation *space_nearest(const struct address_space *space, uint64_t address)
{
	const struct allocation *best = NULL;
	for (uint32_t k = 0; k < space->count; k++) {
		const struct allocation *a = &space->allocations[k];
		if (a->live && (!best || distance(a, address) < distance(best, address)))
			best = a;
	}
	return best;
}

void space_set_constant(struct address_space *space, uint64_t address)
{
	struct allocation *a = starting_at(space, address);
	if (a)
		a->constant = true;
}

void space_name_by(struct address_space *space, uint64_t address, const char *(*make_name)(void *origin), void *origin)
{
	struct allocation *a = starting_at(space, address);
	if (a) {
		a->make_name = make_name;
		a->origin = origin;
	}
}

const char *allocation_name(const struct allocation *a)
{
	return a->make_name ? a->make_name(a->origin) : a->name;
}

const char *allocation_words(struct arena *arena, const struct allocation *a)
{
	const char *name = allocation_name(a);
	if (!name)
		return "an allocation";
	return a->make_name ? name : arena_printf(arena, "buf '%s'", name);
}

void space_expect_host_writes(struct address_space *space, uint64_t address)
{
	struct allocation *a = starting_at(space, address);
	if (a)
		a->host_writes = space->host_writes = true;
}

/* ---- Fills by the host: by large copies, and zeros at no cost where nothing was ever written ---- */

#define BLOCK                                                                                                          \
	4096 /* bytes of copies of the pattern that are made first, so that the rest is written by large copies        \
	      */

static bool is_zero(const uint8_t *pattern, size_t bytes)
{
	for (size_t k = 0; k < bytes; k++)
		if (pattern[k])
			return false;
	return true;
}

/* Whether the pages belong to the space: none of them is shared with the application. */
static bool is_own(const struct address_space *space, const uint8_t *to, size_t bytes)
{
	uint64_t offset = (uint64_t)((uintptr_t)to - (uintptr_t)space->bytes);
	const struct allocation *a = space_find(space, GLOBAL_BASE + offset, bytes); /* elsewhere none is */
	return a && !a->shared;
}

void space_fill(const struct address_space *space, void *to, size_t bytes, const void *pattern, size_t pattern_bytes)
{
	assert(pattern_bytes);
	assert(pattern_bytes <= BLOCK);
	uint8_t block[BLOCK], *at = to;
	size_t filled = 0;
	if (is_zero(pattern, pattern_bytes)) {
		if (is_own(space, at, bytes))
			arena_clear(at, bytes);
		else
			memset(at, 0, bytes);
		return;
	}
	for (; filled + pattern_bytes <= BLOCK && filled < bytes; filled += pattern_bytes)
		memcpy(block + filled, pattern, pattern_bytes);
	for (size_t k = 0; k < bytes; k += filled)
		memcpy(at + k, block, bytes - k < filled ? bytes - k : filled);
}
