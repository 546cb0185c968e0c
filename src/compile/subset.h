/* Of the two libraries, ours and libclc, the part that one program may call, as bitcode of its own.
 *
 * To link against 12,000 functions takes clang some 30 ms, even if none of them is called: longer than all else that it
 * does to a small kernel.  So what a program may call is taken out first: every function whose plain name is a word of
 * its source.  Programs that use the same words of these share a subset, which the cache keeps.
 *
 * A program can make a name out of pieces (`a##b`) or include it.  Then the result declares a function that it does not
 * define, which is how one knows; it is compiled again with the whole libraries, and is what it would be without
 * this. */
#ifndef LOCKSTEP_COMPILE_SUBSET_H
#define LOCKSTEP_COMPILE_SUBSET_H

#include "compile/tools.h"

struct libraries {
	const char *clang, *libclc; /* paths */
	const char *builtins;       /* bitcode; linked first, and hides what libclc has of the same name */
	size_t builtins_length;
	bool no_cache;
	struct known_names *names; /* from subset_of */
};

/* The bitcode for a program with these texts; null: take the whole libraries.  Any thread may call it. */
const char *subset_of(
	struct arena *arena, struct libraries *libraries, const char *const *texts, size_t count, size_t *length);
/* Was it enough?  `ir` is the result, as text. */
bool subset_was_enough(const struct libraries *libraries, const char *ir);

#endif
