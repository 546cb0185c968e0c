/* Maps from text: entries in an array in order of insertion, found through an open-addressed index at most half
 * full. */
#include "util/map.h"

#include <assert.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };

/* FNV-1a (Fowler, Noll, Vo). */
static uint32_t hash_of(const char *key, size_t length)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)key[i]) * 16777619u;
	return hash;
}

/* The index place where the key is, or where it belongs.  There is always a free one to stop at. */
static uint32_t *place_of(const struct map *map, const char *key, size_t length, uint32_t hash)
{
	uint32_t mask = map->index_size - 1;
	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		uint32_t *place = &map->index[i];
		if (!*place)
			return place;
		const struct map_entry *entry = &map->entry[*place - 1];
		if (entry->hash == hash && entry->length == length && !memcmp(entry->key, key, length))
			return place;
	}
}

static void grow(struct arena *arena, struct map *map)
{
	assert(map->capacity <= UINT32_MAX / 4);
	uint32_t capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
	map->entry = arena_grow(arena, map->entry, map->count * sizeof *map->entry, capacity * sizeof *map->entry);
	map->capacity = capacity;
	map->index_size = capacity * 2;
	map->index = arena_new_array(arena, uint32_t, map->index_size);
	for (uint32_t i = 0; i < map->count; i++) {
		const struct map_entry *entry = &map->entry[i];
		*place_of(map, entry->key, entry->length, entry->hash) = i + 1;
	}
}

void *map_get_length(const struct map *map, const char *key, size_t length)
{
	if (!map->count)
		return NULL;
	uint32_t place = *place_of(map, key, length, hash_of(key, length));
	return place ? map->entry[place - 1].value : NULL;
}

void *map_get(const struct map *map, const char *key)
{
	return map_get_length(map, key, strlen(key));
}

void *map_put(struct arena *arena, struct map *map, const char *key, size_t length, void *value)
{
	assert(length <= UINT32_MAX);
	if (map->count == map->capacity)
		grow(arena, map);
	uint32_t hash = hash_of(key, length);
	uint32_t *place = place_of(map, key, length, hash);
	if (*place) {
		void *earlier = map->entry[*place - 1].value;
		map->entry[*place - 1].value = value;
		return earlier;
	}
	map->entry[map->count] = (struct map_entry){
		.key = arena_copy(arena, key, length),
		.length = (uint32_t)length,
		.hash = hash,
		.value = value,
	};
	*place = ++map->count;
	return NULL;
}
