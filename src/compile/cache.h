/* Results kept in $XDG_CACHE_HOME/lockstep or ~/.cache/lockstep, one file each, found by what they were made of.
 *
 * Several processes may use it at once: a file appears whole, by renaming.  A damaged file is as good as none, and so
 * is a folder that cannot be written.  The folder may be deleted at any time; compile/cache_folder.h says which one is
 * used, and how large it becomes. */
#ifndef LOCKSTEP_COMPILE_CACHE_H
#define LOCKSTEP_COMPILE_CACHE_H

#include "util/digest.h"

#include <stdbool.h>

/* To a key: the file's path, size and time, not its content. */
void cache_add_file(struct digest *key, const char *path);

/* One part of a result. */
struct cache_part {
	const char *data; /* from cache_get: in the arena, followed by a NUL */
	size_t length;
};

/* False when there is no such result with `count` parts. */
bool cache_get(const struct digest *key, struct cache_part *parts, size_t count);
/* Does nothing when it cannot; says so, once, when the folder is not safe. */
void cache_put(const struct digest *key, const struct cache_part *parts, size_t count);

#endif
