/* Maps from text: entries in an array in order of insertion, found by a hash of the text. */
#include "util/map.h"

#include "util/vector.h"

#include <assert.h>
#include <string.h>

/* FNV-1a (Fowler, Noll, Vo). */
static uint32_t hash_of(const char *key, size_t length)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)key[i]) * 16777619u;
	return hash;
}

/* The key's place among the entries, plus one; 0: it is not there.  *at is where the index has it, or is to: of keys
 * with one hash the next number. */
static uint64_t find(const struct map *map, const char *key, size_t length, uint64_t *at)
{
	uint64_t place;

	for (*at = hash_of(key, length); (place = lookup_get(&map->index, *at)); ++*at) {
		const struct map_entry *entry = &map->entry[place - 1];
		if (entry->length == length && !memcmp(entry->key, key, length))
			break;
	}
	return place;
}

void *map_get_length(const struct map *map, const char *key, size_t length)
{
	uint64_t at, place = map->count ? find(map, key, length, &at) : 0;
	return place ? map->entry[place - 1].value : NULL;
}

void *map_get(const struct map *map, const char *key)
{
	return map_get_length(map, key, strlen(key));
}

void *map_put(struct arena *arena, struct map *map, const char *key, size_t length, void *value)
{
	assert(length <= UINT32_MAX);
	uint64_t at, place = find(map, key, length, &at);
	if (place) {
		void *earlier = map->entry[place - 1].value;
		map->entry[place - 1].value = value;
		return earlier;
	}
	if (map->count == map->capacity)
		vector_grow_(arena, (void **)&map->entry, &map->capacity, sizeof *map->entry);
	map->entry[map->count] =
		(struct map_entry){.key = arena_copy(arena, key, length), .length = (uint32_t)length, .value = value};
	*lookup_at(arena, &map->index, at) = ++map->count;
	return NULL;
}
