/* The list of allocations in global memory: sorted by address, searched by bisection, first fit over freed places. */
#include "memory/address_space.h"

#include <assert.h>
#include <string.h>

#define ALIGNMENT 256ull
#define GUARD 256ull /* bytes between neighbours, so that a stray access just behind one is in no other */

void space_create(struct address_space *space, struct arena *arena, uint64_t size)
{
	memset(space, 0, sizeof(*space));
	space->arena = arena;
	space->size = size;
	space->bytes = arena_reserve_at(arena, GLOBAL_BASE, size);
	if (!space->bytes)
		space->bytes = arena_reserve(arena, size);
}

/* Bytes that an allocation keeps from others: its own, rounded up, and the guard. */
static uint64_t span(uint64_t bytes)
{
	return ((bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1)) + GUARD;
}

/* The number of entries that begin at or below `address`. */
static uint32_t entries_upto(const struct address_space *space, uint64_t address)
{
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
}

/* Freed entries stay in the list, so that a report can say what an address used to be, until their place is wanted. */
static void drop_freed(struct address_space *space, uint64_t begin, uint64_t end)
{
	uint32_t kept = 0;
	for (uint32_t k = 0; k < space->count; k++) {
		struct allocation *a = &space->allocations[k];
		bool taken = !a->live && a->address < end && a->address + span(a->bytes) > begin;
		if (!taken)
			space->allocations[kept++] = *a;
	}
	space->count = kept;
}

uint64_t space_allocate(struct address_space *space, uint64_t bytes, const char *name)
{
	if (bytes > space->size || span(bytes) > space->size)
		return 0;
	uint64_t need = span(bytes), begin = 0; /* offset of the first place not known to be taken */
	for (uint32_t k = 0; k < space->count; k++) {
		const struct allocation *a = &space->allocations[k];
		if (!a->live)
			continue;
		if (a->address - GLOBAL_BASE - begin >= need)
			break;
		begin = a->address - GLOBAL_BASE + span(a->bytes);
	}
	if (begin > space->size || space->size - begin < need)
		return 0;
	uint64_t address = GLOBAL_BASE + begin;
	drop_freed(space, address, address + need);
	insert(space, entries_upto(space, address),
		(struct allocation){.address = address,
			.bytes = bytes,
			.live = true,
			.name = name ? arena_copy(space->arena, name, strlen(name)) : NULL});
	arena_expect(space_host(space, address), bytes);
	if (begin + need > space->used)
		space->used = begin + need;
	return address;
}

bool space_free(struct address_space *space, uint64_t address)
{
	uint32_t at = entries_upto(space, address);
	if (at == 0)
		return false;
	struct allocation *a = &space->allocations[at - 1];
	if (a->address != address || !a->live)
		return false;
	a->live = false;
	return true;
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
	for (uint32_t k = 0; k < space->count; k++)
		if (space->allocations[k].live && space->allocations[k].address == address)
			space->allocations[k].constant = true;
}
