/* The frequent sets of a database: a frequent set with one item more begins with a frequent set, so in the transactions
 * that have that, the items behind its last are counted. */
#include "levels.h"

#include "../common.h"

#include <stdlib.h>

/* Where the transaction goes on behind the last item of the set; null when it lacks one.  Both are sorted. */
static const uint32_t *behind(const uint32_t *at, const uint32_t *end, const uint32_t *set, uint32_t size)
{
	for (uint32_t k = 0; k < size; k++) {
		while (at < end && *at < set[k])
			at++;
		if (at == end || *at++ != set[k])
			return NULL;
	}
	return at;
}

/* `counts` is zero. */
static void count_behind(const struct database *database, const uint32_t *set, uint32_t size, uint32_t *counts)
{
	for (uint32_t t = 0; t < database->transactions; t++) {
		const uint32_t *end = database->items + database->starts[t + 1];
		const uint32_t *at = behind(database->items + database->starts[t], end, set, size);
		for (; at && at < end; at++)
			counts[*at]++;
	}
}

/* The arrays double when the count is a power of two. */
static void append(struct level *level, const uint32_t *set, uint32_t item, uint32_t support)
{
	if ((level->count & (level->count - 1)) == 0) {
		size_t room = level->count ? 2 * (size_t)level->count : 1;
		level->items = realloc(level->items, room * level->size * sizeof *level->items);
		level->supports = realloc(level->supports, room * sizeof *level->supports);
		if (!level->items || !level->supports)
			fail("no memory for %zu frequent sets", room);
	}
	uint32_t *place = level->items + (size_t)level->count * level->size;
	for (uint32_t k = 0; k + 1 < level->size; k++)
		place[k] = set[k];
	place[level->size - 1] = item;
	level->supports[level->count++] = support;
}

/* The frequent sets that are this one and an item. */
static void extend(const struct database *database, uint32_t minimum, const uint32_t *set, struct level *longer)
{
	uint32_t *counts = allocate(database->items_known, sizeof *counts);
	count_behind(database, set, longer->size - 1, counts);
	for (uint32_t item = 0; item < database->items_known; item++)
		if (counts[item] >= minimum)
			append(longer, set, item, counts[item]);
	free(counts);
}

struct level level_first(const struct database *database, uint32_t minimum)
{
	struct level first = {.size = 1};
	extend(database, minimum, NULL, &first);
	return first;
}

struct level level_next(const struct database *database, uint32_t minimum, const struct level *level)
{
	struct level longer = {.size = level->size + 1};
	for (uint32_t k = 0; k < level->count; k++)
		extend(database, minimum, level->items + (size_t)k * level->size, &longer);
	return longer;
}

void level_free(struct level *level)
{
	free(level->items);
	free(level->supports);
}
