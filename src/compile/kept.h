/* Compilations in the cache: the PTX, the compiler's words, and which files were read, by their content.
 *
 * What a result depends on but those files is its key.  A file that was not there at first, and would now be included
 * in place of another, is not noticed; __DATE__ and __TIME__ are those of the compilation that was kept. */
#ifndef LOCKSTEP_COMPILE_KEPT_H
#define LOCKSTEP_COMPILE_KEPT_H

#include "compile/cache.h"
#include "util/text.h"

/* Begins a key with what is common to all languages: the compiler, its libraries (null: none), our headers, the working
 * folder and the environment.  `version` is the language and a number: change it when the code that makes the result
 * of the same words does. */
void kept_key_begin(
	struct cache_key *key, struct arena *arena, const char *version, const char *clang, const char *libclc);
void kept_key_add_words(struct cache_key *key, const char *const *words); /* null-terminated */

/* Appends what is kept, unless there is nothing or a file has changed since. */
bool kept_find(const struct cache_key *key, struct text *ptx, struct text *log);
/* `makefile` names the files as clang's -MD does with -MT -; silently does nothing when it cannot. */
void kept_put(const struct cache_key *key, const struct text *ptx, const struct text *log, const char *makefile);

#endif
