/* The L1 data cache of a core: see l1.h for the rules that keep it coherent with the core's own accesses. */
#include "memory/l1.h"

#include <assert.h>
#include <string.h>

#define EMPTY_LINE 0ull /* below all global addresses */

void l1_create(struct l1 *cache, struct arena *arena, const struct gpu_model *model)
{
	uint32_t line_count = model->l1_sets * model->l1_ways;
	uint32_t waiter_count = model->l1_mshrs * model->l1_merges;

	assert(model->l1_sets);
	assert((model->l1_sets & (model->l1_sets - 1)) == 0);
	assert(model->l1_ways);
	assert(model->l1_mshrs);
	assert(model->l1_merges);
	memset(cache, 0, sizeof *cache);
	cache->sets = model->l1_sets;
	cache->ways = cache->most_ways = model->l1_ways;
	cache->hash = model->l1_hash;
	cache->merges = model->l1_merges;
	cache->line_shift = (uint32_t)__builtin_ctz(model->line_bytes);
	cache->sector_shift = (uint32_t)__builtin_ctz(model->sector_bytes);
	cache->all_sectors = (uint8_t)((1u << (model->line_bytes >> cache->sector_shift)) - 1);
	cache->tags = arena_new_array(arena, uint64_t, line_count);
	cache->arena = arena;
	cache->use = arena_new_array(arena, struct l1_set, model->l1_sets);
	cache->bucket_bits = line_count > 2 ? 32 - (uint32_t)__builtin_clz(line_count - 1) : 1;
	cache->buckets = arena_new_array(arena, uint32_t, (size_t)1 << cache->bucket_bits);
	cache->misses = arena_new_array(arena, struct l1_miss, model->l1_mshrs);
	cache->miss_since = arena_new_array(arena, uint64_t, model->l1_mshrs);
	cache->miss_limit = model->l1_mshrs;
	cache->miss_free = cache->miss_used = cache->waiter_free = L1_NONE;
	cache->waiters = arena_reserve(arena, waiter_count * sizeof *cache->waiters);
}

/* ---- Finding lines ---- */

static inline struct l1_line *find(const struct l1 *cache, uint64_t line)
{
	assert(line != EMPTY_LINE);
	for (uint32_t k = *l1_bucket(cache, line); k; k = cache->lines[k - 1].next)
		if (cache->tags[k - 1] == line)
			return &cache->lines[k - 1];
	return NULL;
}

static void enter_line(struct l1 *cache, uint32_t index, uint64_t line)
{
	uint32_t *bucket = l1_bucket(cache, line);

	assert(index < cache->sets * cache->ways);
	assert(cache->tags[index] == EMPTY_LINE);
	cache->tags[index] = line;
	cache->lines[index].next = *bucket;
	*bucket = index + 1;
}

static void forget_line(struct l1 *cache, uint32_t index)
{
	uint32_t *link = l1_bucket(cache, cache->tags[index]);

	assert(cache->tags[index] != EMPTY_LINE);
	while (*link != index + 1)
		link = &cache->lines[*link - 1].next;
	*link = cache->lines[index].next;
	cache->tags[index] = EMPTY_LINE;
}

/* ---- Their order of use ---- */

static void unlink_line(struct l1 *cache, struct l1_set *set, uint32_t index)
{
	const struct l1_line *line = &cache->lines[index];

	assert(line->older || set->oldest == index + 1);
	assert(line->newer || set->newest == index + 1);
	*(line->older ? &cache->lines[line->older - 1].newer : &set->oldest) = line->newer;
	*(line->newer ? &cache->lines[line->newer - 1].older : &set->newest) = line->older;
}

/* As the newest of its set, or the oldest. */
static void link_line(struct l1 *cache, struct l1_set *set, uint32_t index, bool newest)
{
	struct l1_line *line = &cache->lines[index];

	assert(!set->oldest == !set->newest);
	line->older = newest ? set->newest : 0;
	line->newer = newest ? 0 : set->oldest;
	*(line->older ? &cache->lines[line->older - 1].newer : &set->oldest) = index + 1;
	*(line->newer ? &cache->lines[line->newer - 1].older : &set->newest) = index + 1;
}

static void use_line(struct l1 *cache, struct l1_line *line)
{
	uint32_t index = (uint32_t)(line - cache->lines);
	struct l1_set *set = &cache->use[l1_set_of(cache, cache->tags[index])];

	assert(cache->tags[index] != EMPTY_LINE);
	if (set->newest == index + 1)
		return;
	unlink_line(cache, set, index);
	link_line(cache, set, index, true);
}

/* An empty place is the first to be filled again. */
static void evict_line(struct l1 *cache, uint32_t index)
{
	struct l1_set *set = &cache->use[l1_set_of(cache, cache->tags[index])];

	assert(index < cache->sets * cache->ways);
	forget_line(cache, index);
	unlink_line(cache, set, index);
	link_line(cache, set, index, false);
}

/* ---- Loads ---- */

struct l1_line *l1_lookup(struct l1 *cache, uint64_t line, uint8_t sectors)
{
	struct l1_line *found = find(cache, line);

	assert(sectors);
	assert((sectors & ~cache->all_sectors) == 0);
	if (!found || (found->sectors & sectors) != sectors)
		return NULL;
	use_line(cache, found);
	return found;
}

const uint8_t *l1_peek(const struct l1 *cache, uint64_t line)
{
	const struct l1_line *found = find(cache, line);

	assert(line % LEAST_LINE == 0);
	return found ? l1_data(cache, found) : NULL;
}

static void append_waiter(struct l1 *cache, struct l1_miss *miss, struct l1_waiter waiter)
{
	uint32_t index = cache->waiter_free;

	assert(miss->used);
	assert(miss->waiting < cache->merges);
	if (index != L1_NONE)
		cache->waiter_free = cache->waiters[index].next;
	else
		index = cache->waiter_count++; /* as many as all misses can have */
	assert(index < cache->miss_limit * cache->merges);
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
	assert(cache->miss_fresh <= cache->miss_limit);
	assert(cache->miss_count <= cache->miss_fresh);
	if (cache->miss_free != L1_NONE)
		return cache->miss_free;
	return cache->miss_fresh < cache->miss_limit ? cache->miss_fresh : L1_NONE;
}

static struct l1_miss *enter(struct l1 *cache, uint64_t line, uint8_t sectors, bool open)
{
	uint32_t index = free_miss(cache);
	struct l1_miss *miss = &cache->misses[index];

	assert(index < cache->miss_limit);
	assert(!miss->used);
	assert(cache->miss_count < cache->miss_limit);
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
	*l1_open_in(cache, line) += open;
	return miss;
}

enum l1_join l1_join(
	struct l1 *cache, uint64_t line, uint8_t sectors, bool bypass, struct l1_waiter waiter, uint32_t *token)
{
	assert(sectors);
	assert((sectors & ~cache->all_sectors) == 0);
	if (!bypass && *l1_open_in(cache, line))
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

/* What only caches have to which a line has come: in many kernels none does. */
static __attribute__((noinline)) void create_lines(struct l1 *cache)
{
	size_t line_count = (size_t)cache->sets * cache->most_ways;
	size_t bytes = line_count * (LINE_BYTES + sizeof *cache->lines + sizeof *cache->since);

	assert(!cache->lines);
	cache->data = arena_alloc(cache->arena, bytes);
	arena_give(cache->data, bytes);
	cache->lines = (struct l1_line *)(void *)(cache->data + line_count * LINE_BYTES);
	cache->since = (uint64_t *)(void *)(cache->lines + line_count);
}

/* A way of the set that is empty, or is made so: none was used longer ago. */
static uint32_t empty_way(struct l1 *cache, uint32_t number)
{
	struct l1_set *set = &cache->use[number];
	uint32_t index = number * cache->ways + set->used;

	if (set->oldest && (set->used == cache->ways || cache->tags[set->oldest - 1] == EMPTY_LINE)) {
		index = set->oldest - 1;
		if (cache->tags[index] != EMPTY_LINE)
			forget_line(cache, index);
		return index;
	}
	assert(set->used < cache->ways);
	assert(cache->tags[index] == EMPTY_LINE);
	set->used++;
	if (!cache->lines)
		create_lines(cache);
	link_line(cache, set, index, true);
	return index;
}

/* The way for a line: where it is already, or an empty one. */
static struct l1_line *place_for(struct l1 *cache, uint64_t line)
{
	struct l1_line *found = find(cache, line);

	if (found)
		return found;
	uint32_t index = empty_way(cache, l1_set_of(cache, line));
	enter_line(cache, index, line);
	cache->lines[index].sectors = 0;
	return &cache->lines[index];
}

void l1_fill(struct l1 *cache, uint32_t token, uint8_t sectors, const uint8_t *data)
{
	const struct l1_miss *miss = &cache->misses[token];
	struct l1_line *line;

	assert(token < cache->miss_limit);
	assert(sectors);
	assert((sectors & ~cache->all_sectors) == 0);
	assert(miss->used);
	if (!miss->open)
		return;
	line = place_for(cache, miss->line);
	use_line(cache, line);
	cache->is_filled = true;
	if (!line->sectors || cache->miss_since[token] < *l1_since(cache, line))
		*l1_since(cache, line) = cache->miss_since[token];
	for (uint32_t sector = 0; sectors >> sector; sector++)
		if (sectors >> sector & 1) {
			size_t offset = (size_t)sector << cache->sector_shift;

			memcpy(l1_data(cache, line) + offset, data + offset, (size_t)1 << cache->sector_shift);
		}
	line->sectors |= sectors;
}

static inline void close_miss(struct l1 *cache, struct l1_miss *miss)
{
	assert(cache->open_count >= miss->open);
	assert(*l1_open_in(cache, miss->line) >= miss->open);
	cache->open_count -= miss->open;
	*l1_open_in(cache, miss->line) -= miss->open;
	miss->open = 0;
}

void l1_release(struct l1 *cache, uint32_t token)
{
	struct l1_miss *miss = &cache->misses[token];

	assert(token < cache->miss_limit);
	assert(miss->used);
	assert(cache->miss_count);
	assert(miss->previous != L1_NONE || cache->miss_used == token);
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
	close_miss(cache, miss);
	miss->next = cache->miss_free;
	cache->miss_free = token;
	cache->miss_count--;
}

bool l1_write_line(struct l1 *cache, uint64_t line, const struct store_payload *payload, bool keep)
{
	struct l1_line *found = find(cache, line);

	assert(line % LEAST_LINE == 0);
	if (*l1_open_in(cache, line))
		for (uint32_t k = cache->miss_used; k != L1_NONE; k = cache->misses[k].next)
			if (cache->misses[k].line == line)
				close_miss(cache, &cache->misses[k]);
	if (!found)
		return false;
	if (keep && payload) {
		apply_store(l1_data(cache, found), payload);
	} else {
		evict_line(cache, (uint32_t)(found - cache->lines));
	}
	return true;
}

static void empty_set(struct l1 *cache, struct l1_set *set, uint32_t first)
{
	assert(set->used <= cache->ways);
	assert(first + set->used <= cache->sets * cache->most_ways);
	_Static_assert(EMPTY_LINE == 0, "cleared tags are empty lines");
	for (uint32_t k = first; k < first + set->used; k++)
		if (cache->tags[k] != EMPTY_LINE)
			*l1_bucket(cache, cache->tags[k]) = 0;
	memset(cache->tags + first, 0, set->used * sizeof *cache->tags);
	memset(cache->lines + first, 0, set->used * sizeof *cache->lines);
	*set = (struct l1_set){0};
}

void l1_invalidate(struct l1 *cache)
{
	if (cache->is_filled)
		for (uint32_t k = 0; k < cache->sets; k++)
			empty_set(cache, &cache->use[k], k * cache->ways);
	cache->is_filled = false;
	for (uint32_t k = cache->miss_used; k != L1_NONE; k = cache->misses[k].next)
		close_miss(cache, &cache->misses[k]);
	assert(!cache->open_count);
}

void l1_resize(struct l1 *cache, uint32_t ways)
{
	assert(ways && ways <= cache->most_ways);
	if (ways == cache->ways)
		return;
	l1_invalidate(cache);
	cache->ways = ways;
}
