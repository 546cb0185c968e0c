/* The names that a text asks the preprocessor to look for: of #include, #import, #embed, __has_include and the like.
 *
 * The text is not preprocessed: what #if leaves out counts, too.  So the names may be too many, never too few.  Where a
 * name is not in the text as it is (`#include MACRO`), or the text depends on the time
 * (__TIME__), the names do not say what the result depends on: `unknown` is the reason. */
#ifndef LOCKSTEP_COMPILE_SPELLINGS_H
#define LOCKSTEP_COMPILE_SPELLINGS_H

#include "util/arena.h"
#include "util/map.h"
#include "util/vector.h"

#include <stdbool.h>
#include <stddef.h>

struct spelling {
	const char *name;
	bool is_quoted; /* "name", not <name>: looked for beside the text, too */
};

/* Zero-initialised but for `arena`. */
struct spellings {
	struct arena *arena;
	VECTOR(struct spelling) list; /* each once */
	struct map known;
	const char *unknown; /* null: the names are all that the texts look for */
	bool pastes;         /* there is a ## */
	struct map pieces;   /* of which it could make a __has_include */
};

/* Appends those of a text; it may hold NUL, which the preprocessor takes for a blank. */
void spellings_add(struct spellings *spellings, const char *text, size_t length);
/* Appends all of `more`. */
void spellings_join(struct spellings *spellings, const struct spellings *more);
/* `unknown`, or that a __has_include may be made of pieces. */
const char *spellings_unknown(const struct spellings *spellings);

#endif
