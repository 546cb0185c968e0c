/* The folder of the cache: whose it is, how large it is, and what leaves it.
 *
 * It and its files must be the user's own, and no one else may write to them: what is found there is run.  Its size is
 * limited by LOCKSTEP_CACHE_SIZE; the entries that were used the longest ago leave first. */
#ifndef LOCKSTEP_COMPILE_CACHE_FOLDER_H
#define LOCKSTEP_COMPILE_CACHE_FOLDER_H

#include "util/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct cache_folder {
	const char *path; /* null: there is none */
	int file;         /* open; -1: it is not there, or not safe */
	const char *why;  /* it is not used; null: it is, or will be once something is kept */
	bool is_unsafe;   /* that is for the user to mend */
	uint64_t limit;   /* bytes */
};

/* Opens it, or makes it if that is asked for.  To be closed, used or not. */
struct cache_folder cache_folder_open(struct arena *arena, bool make);
void cache_folder_close(struct cache_folder *folder);
/* Says on standard error, once in this process, that an unsafe folder is not used. */
void cache_folder_warn(const struct cache_folder *folder);
/* Is a file of it the user's own? */
bool cache_folder_trusts(const struct stat *about);

/* Says that so many bytes have come to it; those that are too many leave. */
void cache_folder_grew(struct arena *arena, const struct cache_folder *folder, uint64_t bytes);

struct cache_size {
	uint64_t entries, bytes;
};
struct cache_size cache_folder_size(struct arena *arena, const struct cache_folder *folder);
/* Removes all entries, and returns what they were; `error` is errno of one that could not be removed, or 0. */
struct cache_size cache_folder_clear(struct arena *arena, const struct cache_folder *folder, int *error);

#endif
