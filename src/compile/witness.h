/* What of the file system a compilation depends on: the content of the files that it read, and, for every name that one
 * of its texts may include, which of the places where the compiler looks have such a file.
 *
 * A line each, "STATE PATH":
 *
 *     =0123456789abcdef0123456789abcdef v.h    a file that was read, by the digest of its content
 *     - a/v.h                                  no such file
 *     +7 b/v.h                                 a file; the first line with the same one is the 7th
 *     !7 b/v.h                                 one that cannot be read
 *     /3 b                                     a folder */
#ifndef LOCKSTEP_COMPILE_WITNESS_H
#define LOCKSTEP_COMPILE_WITNESS_H

#include "compile/spellings.h"
#include "util/map.h"
#include "util/text.h"

#include <time.h>

struct witness_file;

/* The quoted names of a file are still to be looked for in a folder. */
struct witness_beside {
	const struct witness_file *file;
	const char *folder;
};

/* Zero-initialised but for `arena`, `names` and `begun`. */
struct witness {
	struct arena *arena;
	struct spellings *names; /* of texts that no file holds; in the end, of all */
	struct timespec begun;   /* what changed later may not be what was read */
	const char *source;      /* the file that is compiled: no name leads to it; null: none */
	VECTOR(struct witness_file *) files;
	const char *unknown; /* why the lines do not say all; null: they do */
	/* while lines are made */
	struct text lines;
	struct map paths, folders, same;
	uint32_t count;
	VECTOR(struct witness_beside) pending;
};

/* A file that was read. */
void witness_add_file(struct witness *witness, const char *path);
/* Null when they do not say all: see `unknown`. */
const char *witness_lines(struct witness *witness, const char *const *folders, size_t folder_count);
/* Is everything as the lines have it? */
bool witness_holds(struct arena *arena, const char *lines);

#endif
