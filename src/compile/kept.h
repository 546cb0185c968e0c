/* Compilations in the cache: the PTX, the compiler's words, and what of the file system they depend on
 * (compile/witness.h).  What else a result depends on is its key. */
#ifndef LOCKSTEP_COMPILE_KEPT_H
#define LOCKSTEP_COMPILE_KEPT_H

#include "compile/cache.h"
#include "util/text.h"

#include <time.h>

/* One result: looked for, then kept. */
struct kept {
	struct digest key;
	struct timespec begun;
	const char *libclc; /* null: none */
	bool is_nowhere;    /* there is no working folder, so names in it lead nowhere */
};

/* Begins a key with what is common to all languages: the compiler, its libraries (null: none), our headers, the working
 * folder and the environment.  `version` is the language and a number: change it when the code that makes the result
 * of the same words does. */
void kept_begin(struct kept *kept, struct arena *arena, const char *version, const char *clang, const char *libclc);

/* Appends what is kept, unless there is nothing or a file has changed, come or gone since. */
bool kept_find(const struct kept *kept, struct text *ptx, struct text *log);

/* Keeps it, unless it may depend on more.  `makefile` and `lookups` as in compile/witness.h; null: not known. */
void kept_put(struct kept *kept, const struct text *ptx, const struct text *log, const char *makefile,
	const struct text *lookups);

#endif
