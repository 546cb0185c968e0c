/* The L1 data cache of a core: see l1.h for the rules that keep it coherent with the core's own accesses. */
#include "memory/l1.h"

#include <assert.h>
#include <string.h>

#define EMPTY_LINE 0ull /* below all global addresses */

void l1_create(struct l1 *cache, struct arena *arena, const struct gpu_model *model)
{
	uint32_t line_count = model->l1_sets * model->l1_ways;
	uint32_t waiter_count = model->l1_mshrs * model->l1_merges;

	memset(cache, 0, sizeof *cache);
	cache->sets = model->l1_sets;
	cache->ways = model->l1_ways;
	cache->hash = model->l1_hash;
	cache->merges = model->l1_merges;
	cache->sector_shift = (uint32_t)__builtin_ctz(model->sector_bytes);
	cache->all_sectors = (uint8_t)((1u << (LINE_BYTES >> cache->sector_shift)) - 1);
	cache->lines = arena_new_array(arena, struct l1_line, line_count);
	cache->tags = arena_new_array(arena, uint64_t, line_count);
	cache->data = arena_array(arena, line_count, LINE_BYTES);
	cache->since = arena_new_array(arena, uint64_t, line_count);
	cache->misses = arena_new_array(arena, struct l1_miss, model->l1_mshrs);
	cache->miss_since = arena_new_array(arena, uint64_t, model->l1_mshrs);
	cache->miss_limit = model->l1_mshrs;
	cache->miss_free = cache->miss_used = cache->waiter_free = L1_NONE;
	cache->waiters = arena_new_array(arena, struct l1_waiter, waiter_count);
}

static struct l1_line *find(const struct l1 *cache, uint64_t line)
{
	uint32_t first = l1_set_of(cache, line) * cache->ways;

	for (uint32_t k = first; k < first + cache->ways; k++)
		if (cache->tags[k] == line)
			return &cache->lines[k];
	return NULL;
}

struct l1_line *l1_lookup(struct l1 *cache, uint64_t line, uint8_t sectors)
{
	struct l1_line *found = find(cache, line);

	if (!found || (found->sectors & sectors) != sectors)
		return NULL;
	found->last_use = ++cache->stamp;
	return found;
}

const uint8_t *l1_peek(const struct l1 *cache, uint64_t line)
{
	const struct l1_line *found = find(cache, line);

	return found ? l1_data(cache, found) : NULL;
}

static void append_waiter(struct l1 *cache, struct l1_miss *miss, struct l1_waiter waiter)
{
	uint32_t index = cache->waiter_free;

	if (index != L1_NONE)
		cache->waiter_free = cache->waiters[index].next;
	else
		index = cache->waiter_count++; /* as many as all misses can have */
	waiter.next = L1_NONE;
	cache->waiters[index] = waiter;
	if (miss->waiting++)
		cache->waiters[miss->last].next = index;
	else
		miss->first = index;
	miss->last = index;
}

/* A free entry for a miss; L1_NONE when all are in use. */
static uint32_t free_miss(const struct l1 *cache)
{
	if (cache->miss_free != L1_NONE)
		return cache->miss_free;
	return cache->miss_fresh < cache->miss_limit ? cache->miss_fresh : L1_NONE;
}

static struct l1_miss *enter(struct l1 *cache, uint64_t line, uint8_t sectors, bool open)
{
	uint32_t index = free_miss(cache);
	struct l1_miss *miss = &cache->misses[index];

	if (cache->miss_free != L1_NONE)
		cache->miss_free = miss->next;
	else
		cache->miss_fresh++;
	cache->miss_count++;
	*miss = (struct l1_miss){.line = line,
		.sectors = sectors,
		.open = open,
		.used = 1,
		.first = L1_NONE,
		.last = L1_NONE,
		.next = cache->miss_used,
		.previous = L1_NONE};
	if (cache->miss_used != L1_NONE)
		cache->misses[cache->miss_used].previous = index;
	cache->miss_used = index;
	cache->miss_since[index] = cache->now;
	cache->open_count += open;
	return miss;
}

enum l1_join l1_join(
	struct l1 *cache, uint64_t line, uint8_t sectors, bool bypass, struct l1_waiter waiter, uint32_t *token)
{
	if (!bypass && cache->open_count)
		for (uint32_t k = cache->miss_used; k != L1_NONE; k = cache->misses[k].next) {
			struct l1_miss *miss = &cache->misses[k];

			if (miss->line != line || !miss->open || (miss->sectors & sectors) != sectors)
				continue;
			if (miss->waiting == cache->merges)
				return L1_FULL;
			append_waiter(cache, miss, waiter);
			return L1_JOINED;
		}
	*token = free_miss(cache);
	if (*token == L1_NONE)
		return L1_FULL;
	append_waiter(cache, enter(cache, line, sectors, !bypass), waiter);
	return L1_SEND;
}

/* The way for a line: where it is already, else an empty one, else the least recently used one. */
static struct l1_line *place_for(struct l1 *cache, uint64_t line)
{
	uint32_t first = l1_set_of(cache, line) * cache->ways, victim = first;

	for (uint32_t k = first; k < first + cache->ways; k++) {
		if (cache->tags[k] == line)
			return &cache->lines[k];
		if (cache->lines[k].last_use < cache->lines[victim].last_use)
			victim = k;
	}
	cache->tags[victim] = line;
	cache->lines[victim].sectors = 0;
	return &cache->lines[victim];
}

void l1_fill(struct l1 *cache, uint32_t token, uint8_t sectors, const uint8_t *data)
{
	const struct l1_miss *miss = &cache->misses[token];
	struct l1_line *line;

	assert(miss->used);
	if (!miss->open)
		return;
	line = place_for(cache, miss->line);
	line->last_use = ++cache->stamp;
	if (!line->sectors || cache->miss_since[token] < *l1_since(cache, line))
		*l1_since(cache, line) = cache->miss_since[token];
	for (uint32_t sector = 0; sectors >> sector; sector++)
		if (sectors >> sector & 1) {
			size_t offset = (size_t)sector << cache->sector_shift;

			memcpy(l1_data(cache, line) + offset, data + offset, (size_t)1 << cache->sector_shift);
		}
	line->sectors |= sectors;
}

void l1_release(struct l1 *cache, uint32_t token)
{
	struct l1_miss *miss = &cache->misses[token];

	if (miss->waiting) {
		cache->waiters[miss->last].next = cache->waiter_free;
		cache->waiter_free = miss->first;
	}
	if (miss->previous != L1_NONE)
		cache->misses[miss->previous].next = miss->next;
	else
		cache->miss_used = miss->next;
	if (miss->next != L1_NONE)
		cache->misses[miss->next].previous = miss->previous;
	miss->used = 0;
	cache->open_count -= miss->open;
	miss->next = cache->miss_free;
	cache->miss_free = token;
	cache->miss_count--;
}

static void store_bytes(uint8_t *data, const struct store_payload *payload)
{
	for (uint32_t k = 0; k < LINE_BYTES; k++)
		if (payload->mask[k / 64] >> k % 64 & 1)
			data[k] = payload->data[k];
}

static void close_miss(struct l1 *cache, struct l1_miss *miss)
{
	cache->open_count -= miss->open;
	miss->open = 0;
}

bool l1_write(struct l1 *cache, uint64_t line, const struct store_payload *payload, bool keep)
{
	struct l1_line *found = find(cache, line);

	if (cache->open_count)
		for (uint32_t k = cache->miss_used; k != L1_NONE; k = cache->misses[k].next)
			if (cache->misses[k].line == line)
				close_miss(cache, &cache->misses[k]);
	if (!found)
		return false;
	if (keep && payload) {
		store_bytes(l1_data(cache, found), payload);
	} else {
		cache->tags[found - cache->lines] = EMPTY_LINE;
		found->last_use = 0;
	}
	return true;
}

static void empty(struct l1 *cache)
{
	size_t count = (size_t)cache->sets * cache->ways;

	_Static_assert(EMPTY_LINE == 0, "cleared tags are empty lines");
	memset(cache->tags, 0, count * sizeof *cache->tags);
	memset(cache->lines, 0, count * sizeof *cache->lines);
	cache->emptied = cache->stamp;
}

void l1_invalidate(struct l1 *cache)
{
	if (cache->emptied != cache->stamp)
		empty(cache);
	for (uint32_t k = cache->miss_used; k != L1_NONE; k = cache->misses[k].next)
		close_miss(cache, &cache->misses[k]);
}
