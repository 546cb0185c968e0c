/* The folders in which clang looks for what is included, from its own mouth: cc1's -v lists them between its messages.
 */
#ifndef LOCKSTEP_COMPILE_SEARCH_H
#define LOCKSTEP_COMPILE_SEARCH_H

#include "util/text.h"
#include "util/vector.h"

#include <stdbool.h>

/* For a list of clang's words. */
#define SEARCH_WORDS "-Xclang", "-v"

/* Takes the list out of the messages that were appended behind `from`.  Null: there is none. */
const char *search_take(struct text *log, size_t from);

struct search_folders {
	VECTOR(const char *) list;
};
/* Appends the folders of a list, also those that do not exist yet.  False: it has something else than folders. */
bool search_read(struct arena *arena, struct search_folders *folders, const char *search);

#endif
