/* Tags of an L2 slice: look-up, choice of a victim, sector states. */
#include "memory/l2.h"

#include <assert.h>

/* Of the three arrays together. */
static size_t lines_bytes(const struct l2 *l2)
{
	return (size_t)l2->sets * l2->ways * (sizeof *l2->lines + sizeof *l2->tags + sizeof *l2->used);
}

void l2_create(struct l2 *l2, struct arena *arena, const struct l2_shape *shape)
{
	assert(shape->sets);
	assert(shape->ways);
	assert(shape->line_bytes % shape->sector_bytes == 0);
	assert(shape->line_bytes / shape->sector_bytes <= 4);
	*l2 = (struct l2){.sets = shape->sets,
		.ways = shape->ways,
		.sector_bytes = shape->sector_bytes,
		.sectors = shape->line_bytes / shape->sector_bytes,
		.sector_bits = (uint32_t)__builtin_ctz(shape->sector_bytes),
		.line_bits = (uint32_t)__builtin_ctz(shape->line_bytes)};
	for (uint32_t k = 0; k < shape->line_bytes; k++)
		l2->bytes_of[k / shape->sector_bytes][k / 64] |= 1ull << k % 64;
	size_t lines = (size_t)shape->sets * shape->ways;
	l2->lines = arena_reserve(arena, lines_bytes(l2));
	l2->tags = (uint64_t *)(l2->lines + lines);
	l2->used = l2->tags + lines;
}

uint32_t l2_find(const struct l2 *l2, uint32_t set, uint64_t address)
{
	assert(set < l2->sets);
	assert(address != L2_EMPTY);
	uint32_t first = set * l2->ways;
	for (uint32_t k = first; k < first + l2->ways; k++)
		if (l2->tags[k] == address)
			return k;
	return L2_NONE;
}

uint32_t l2_victim(const struct l2 *l2, uint32_t set)
{
	assert(set < l2->sets);
	uint32_t first = set * l2->ways, best = first; /* an empty line was never used: its stamp is 0 */
	for (uint32_t k = first + 1; k < first + l2->ways; k++)
		if (l2->used[k] < l2->used[best])
			best = k;
	return l2->used[best] & L2_PENDING ? L2_NONE : best;
}

/* So many lines make it likely that most will be used; tags of so few bytes get their memory with the first. */
enum { FEW_LINES = 4, FEW_BYTES = 1 << 16 };

void l2_take(struct l2 *l2, uint32_t index, uint64_t address)
{
	assert(index < l2->sets * l2->ways);
	assert(!(l2->used[index] & L2_PENDING));
	assert(address != L2_EMPTY && !l2->lines[index].pending && !l2->lines[index].waiters);
	if (l2->tags[index] == L2_EMPTY && ++l2->filled == (lines_bytes(l2) <= FEW_BYTES ? 1 : FEW_LINES))
		arena_expect(l2->lines, lines_bytes(l2));
	l2->tags[index] = address;
	l2->lines[index] = (struct l2_line){0};
	l2_use(l2, index);
}

void l2_leave(struct l2 *l2, uint32_t index)
{
	assert(l2->tags[index] != L2_EMPTY);
	assert(!(l2->used[index] & L2_PENDING));
	assert(!l2->lines[index].dirty && !l2->lines[index].pending && !l2->lines[index].waiters);
	l2->tags[index] = L2_EMPTY;
	l2->used[index] = 0;
}

uint8_t l2_sectors_of(const struct l2 *l2, const uint64_t mask[2])
{
	assert(l2->sectors <= 4);
	uint32_t sectors = 0;
	for (uint32_t s = 0; s < l2->sectors; s++)
		if ((mask[0] & l2->bytes_of[s][0]) | (mask[1] & l2->bytes_of[s][1]))
			sectors |= 1u << s;
	return (uint8_t)sectors;
}

void l2_write(struct l2 *l2, uint32_t index, const uint64_t mask[2])
{
	assert(l2->tags[index] != L2_EMPTY);
	assert((mask[0] | mask[1]));
	struct l2_line *line = &l2->lines[index];
	uint8_t sectors = l2_sectors_of(l2, mask);
	line->written[0] |= mask[0];
	line->written[1] |= mask[1];
	line->dirty |= sectors;
	for (uint32_t left = sectors, s; left; left &= left - 1) {
		s = (uint32_t)__builtin_ctz(left);
		if (!((~line->written[0] & l2->bytes_of[s][0]) | (~line->written[1] & l2->bytes_of[s][1])))
			line->valid |= (uint8_t)(1u << s & ~line->pending);
	}
}

void l2_ask(struct l2 *l2, uint32_t index, uint8_t sectors)
{
	assert(l2->tags[index] != L2_EMPTY);
	assert(sectors);
	assert(!(sectors & (l2->lines[index].pending | l2->lines[index].valid)));
	l2->lines[index].pending |= sectors;
	l2->used[index] |= L2_PENDING;
}

void l2_fill(struct l2 *l2, uint32_t index, uint8_t sectors)
{
	struct l2_line *line = &l2->lines[index];
	assert((line->pending & sectors) == sectors);
	assert(sectors);
	assert(l2->used[index] & L2_PENDING);
	line->pending &= (uint8_t)~sectors;
	line->valid |= sectors;
	if (!line->pending)
		l2->used[index] &= ~L2_PENDING;
}
