/* A map from text to a pointer, kept in an arena.  Iteration order is insertion order, so nothing depends on hashes. */
#ifndef LOCKSTEP_UTIL_MAP_H
#define LOCKSTEP_UTIL_MAP_H

#include "util/lookup.h"

struct map_entry {
	const char *key; /* NUL-terminated, owned by the arena */
	uint32_t length;
	void *value;
};

/* Zero-initialised: empty. */
struct map {
	struct map_entry *entry; /* in order of insertion */
	uint32_t count, capacity;
	struct lookup index; /* by a hash: places in entry, plus one */
};

void *map_get(const struct map *map, const char *key);                       /* null when absent */
void *map_get_length(const struct map *map, const char *key, size_t length); /* key need not end in NUL */
/* Inserts or replaces; the key is copied. Returns the earlier value or null. */
void *map_put(struct arena *arena, struct map *map, const char *key, size_t length, void *value);

#endif
