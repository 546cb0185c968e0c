/* Results kept in $XDG_CACHE_HOME/lockstep or ~/.cache/lockstep, one file each, found by what they were made of.
 *
 * Several processes may use it at once: a file appears whole, by renaming.  A damaged file is as good as none, and so
 * is a folder that cannot be written.  The folder may be deleted at any time; compile/cache_folder.h says which one is
 * used, and how large it becomes. */
#ifndef LOCKSTEP_COMPILE_CACHE_H
#define LOCKSTEP_COMPILE_CACHE_H

#include "util/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a result is made of, gathered piece by piece. */
struct cache_key {
	struct arena *arena;
	void *state;
	uint8_t digest[16]; /* after cache_key_end */
};

void cache_key_begin(struct cache_key *key, struct arena *arena);
void cache_key_add(
	struct cache_key *key, const void *data, size_t length);  /* with its length: "ab","c" is not "a","bc" */
void cache_key_add_text(struct cache_key *key, const char *text); /* null is not "" */
void cache_key_add_words(struct cache_key *key, const char *const *words); /* null-terminated */
void cache_key_add_file(struct cache_key *key, const char *path); /* its path, size and time, not its content */
void cache_key_end(struct cache_key *key);
/* Its digest as 32 hexadecimal digits, in its arena. */
const char *cache_key_digits(const struct cache_key *key);
/* Of one piece alone. */
const char *cache_digest(struct arena *arena, const char *data, size_t length);

/* One part of a result. */
struct cache_part {
	const char *data; /* from cache_get: in the arena, followed by a NUL */
	size_t length;
};

/* False when there is no such result with `count` parts. */
bool cache_get(const struct cache_key *key, struct cache_part *parts, size_t count);
/* Does nothing when it cannot; says so, once, when the folder is not safe. */
void cache_put(const struct cache_key *key, const struct cache_part *parts, size_t count);

#endif
