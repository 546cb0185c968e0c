/* Compilations in the cache: the PTX, the compiler's words, the files that were read, by their content, and where else
 * the compiler looks for what is included, by whether there is a file.
 *
 * What a result depends on but these is its key.  Not kept is what may depend on more: names that are made by macros
 * (`#include NAME`), __TIME__, a file that changed while it was read (compile/spellings.h). */
#ifndef LOCKSTEP_COMPILE_KEPT_H
#define LOCKSTEP_COMPILE_KEPT_H

#include "compile/cache.h"
#include "compile/search.h"
#include "compile/spellings.h"
#include "util/text.h"

#include <time.h>

/* One result: looked for, then kept. */
struct kept {
	struct cache_key key;
	struct timespec begun;
	struct spellings spellings;    /* of texts that no file holds */
	struct search_folders folders; /* that were given */
	const char *source;            /* the file that is compiled; null: none */
};

/* Begins a key with what is common to all languages: the compiler, its libraries (null: none), our headers, the working
 * folder and the environment.  `version` is the language and a number: change it when the code that makes the result
 * of the same words does. */
void kept_begin(struct kept *kept, struct arena *arena, const char *version, const char *clang, const char *libclc);
void kept_key_add_words(struct cache_key *key, const char *const *words); /* null-terminated */

/* Appends what is kept, unless there is nothing or a file has changed, come or gone since. */
bool kept_find(const struct kept *kept, struct text *ptx, struct text *log);

/* What the compiler was given, for kept_put: a text that no file holds, and words of which -I names a folder. */
void kept_gave_text(struct kept *kept, const char *text, size_t length);
void kept_gave_word(struct kept *kept, const char *word);

/* `makefile` names the files as clang's -MD does with -MT -, `search` the folders (compile/search.h); null: they are
 * not known.  Null, or why the result may not be kept; also null where the cache cannot be written. */
const char *kept_put(
	struct kept *kept, const struct text *ptx, const struct text *log, const char *makefile, const char *search);

#endif
