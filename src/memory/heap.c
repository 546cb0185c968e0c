/* Device malloc and free (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations").
 *
 * A core may not touch what belongs to all, so a call is written down, its warp waits, and between quanta one thread
 * serves all calls in order of cycle, core and lane: the addresses do not depend on the number of host threads.  The
 * warp goes on heap.latency cycles after its call, at the earliest when the quantum is over.
 *
 * Sizes are rounded up to units of 16 bytes.  Free blocks are listed by the highest bit of their size; a block is taken
 * from the first list that surely has one that fits, after a look at those of its own size, and neighbours are joined
 * when they are freed. */
#include "memory/heap.h"

#include <assert.h>
#include <string.h>

#define UNIT 16
#define LOOKS 16 /* at blocks of the own class, before a larger one is split */

struct heap_block {
	uint32_t units;
	uint32_t before;         /* units of the block in front; 0: it is the first */
	uint32_t next, previous; /* of a free block's list: a unit plus one, 0: none */
	bool used;
};

/* --- Blocks --- */

static uint32_t class_of(uint32_t units)
{
	assert(units);
	return 31 - (uint32_t)__builtin_clz(units);
}

static void enlist(struct heap *heap, uint32_t at)
{
	struct heap_block *block = &heap->blocks[at];
	uint32_t *first = &heap->free[class_of(block->units)];

	assert(at < heap->bytes / UNIT);
	assert(block->units <= heap->bytes / UNIT - at);
	block->used = false;
	block->previous = 0;
	block->next = *first;
	if (*first)
		heap->blocks[*first - 1].previous = at + 1;
	*first = at + 1;
}

static void strike(struct heap *heap, uint32_t at)
{
	const struct heap_block *block = &heap->blocks[at];

	assert(!block->used);
	assert(block->previous || heap->free[class_of(block->units)] == at + 1);
	if (block->previous)
		heap->blocks[block->previous - 1].next = block->next;
	else
		heap->free[class_of(block->units)] = block->next;
	if (block->next)
		heap->blocks[block->next - 1].previous = block->previous;
}

static uint32_t total_units(const struct heap *heap)
{
	assert(heap->bytes / UNIT <= UINT32_MAX);
	return (uint32_t)(heap->bytes / UNIT);
}

/* Tells the block behind `at` how long this one is. */
static void tell_next(struct heap *heap, uint32_t at)
{
	uint32_t next = at + heap->blocks[at].units;

	assert(next <= total_units(heap));
	if (next < total_units(heap))
		heap->blocks[next].before = heap->blocks[at].units;
}

/* Everything is free. */
static void make_one_block(struct heap *heap)
{
	assert(total_units(heap));
	memset(heap->free, 0, sizeof heap->free);
	heap->blocks[0] = (struct heap_block){.units = total_units(heap)};
	enlist(heap, 0);
}

void heap_open(struct heap *heap, struct address_space *space)
{
	if (heap->address || heap->blocks || heap->bytes < UNIT)
		return;
	heap->bytes -= heap->bytes % UNIT;
	heap->blocks = arena_reserve(space->arena, heap->bytes / UNIT * sizeof *heap->blocks);
	heap->address = space_allocate(space, heap->bytes, "the heap of malloc");
	if (!heap->address)
		return;
	make_one_block(heap);
}

/* The first of at most `looks` blocks of a list that has so many units; a unit plus one, 0: none. */
static uint32_t find_in_list(const struct heap *heap, uint32_t list, uint32_t units, uint32_t looks)
{
	uint32_t at = heap->free[list];

	assert(list < HEAP_CLASSES);
	assert(units);
	for (; at && looks; looks--, at = heap->blocks[at - 1].next)
		if (heap->blocks[at - 1].units >= units)
			return at;
	return 0;
}

static uint32_t find_block(const struct heap *heap, uint32_t units)
{
	uint32_t own = class_of(units), at = find_in_list(heap, own, units, LOOKS);

	assert(units);
	for (uint32_t list = own + 1; !at && list < 32; list++)
		at = heap->free[list];
	return at ? at : find_in_list(heap, own, units, UINT32_MAX);
}

uint64_t heap_allocate(struct heap *heap, uint64_t bytes)
{
	uint32_t units = (uint32_t)((bytes + UNIT - 1) / UNIT), at;
	struct heap_block *block;

	if (!heap->address || !bytes || bytes > heap->bytes || !(at = find_block(heap, units)))
		return 0;
	block = &heap->blocks[--at];
	assert(!block->used);
	assert(block->units >= units);
	strike(heap, at);
	if (block->units > units) {
		heap->blocks[at + units] = (struct heap_block){.units = block->units - units, .before = units};
		block->units = units;
		tell_next(heap, at + units);
		enlist(heap, at + units);
	}
	block->used = true;
	return heap->address + (uint64_t)at * UNIT;
}

bool heap_free(struct heap *heap, uint64_t address)
{
	uint64_t offset = address - heap->address;
	uint32_t at = (uint32_t)(offset / UNIT), next;

	if (!heap->address || address < heap->address || offset >= heap->bytes || offset % UNIT ||
		!heap->blocks[at].used)
		return false;
	next = at + heap->blocks[at].units;
	assert(next <= total_units(heap));
	assert(heap->blocks[at].before <= at);
	heap->blocks[at].used = false;
	if (next < total_units(heap) && !heap->blocks[next].used) {
		strike(heap, next);
		heap->blocks[at].units += heap->blocks[next].units;
	}
	if (heap->blocks[at].before && !heap->blocks[at - heap->blocks[at].before].used) {
		uint32_t units = heap->blocks[at].units;

		at -= heap->blocks[at].before;
		strike(heap, at);
		heap->blocks[at].units += units;
	}
	tell_next(heap, at);
	enlist(heap, at);
	return true;
}

/* --- Saving --- */

struct heap_state {
	uint32_t free[HEAP_CLASSES];
	uint32_t count; /* blocks; 0: the heap had no memory yet */
	struct heap_block blocks[];
};

static uint32_t count_blocks(const struct heap *heap)
{
	uint32_t count = 0;

	for (uint32_t at = 0; heap->address && at < total_units(heap); at += heap->blocks[at].units)
		count++;
	return count;
}

struct heap_state *heap_save(const struct heap *heap, struct arena *arena)
{
	uint32_t count = count_blocks(heap), at = 0;
	struct heap_state *state = arena_alloc(arena, sizeof *state + count * sizeof *state->blocks);

	memcpy(state->free, heap->free, sizeof state->free);
	state->count = count;
	for (uint32_t k = 0; k < count; at += heap->blocks[at].units)
		state->blocks[k++] = heap->blocks[at];
	assert(at == total_units(heap) || !count);
	return state;
}

void heap_restore(struct heap *heap, const struct heap_state *state)
{
	uint32_t at = 0;

	if (!heap->address)
		return;
	while (at < total_units(heap)) { /* what is no block's first unit is not in use */
		heap->blocks[at].used = false;
		at += heap->blocks[at].units;
	}
	assert(at == total_units(heap));
	if (!state->count) {
		make_one_block(heap);
		return;
	}
	memcpy(heap->free, state->free, sizeof heap->free);
	at = 0;
	for (uint32_t k = 0; k < state->count; at += state->blocks[k++].units)
		heap->blocks[at] = state->blocks[k];
	assert(at == total_units(heap));
}
