/* Names of C++ as its programs write them; compilers give linkers _Z3addPKfPfi. */
#ifndef LOCKSTEP_UTIL_DEMANGLE_H
#define LOCKSTEP_UTIL_DEMANGLE_H

#include "util/arena.h"

/* Null: it is no name of C++. */
const char *demangle(struct arena *arena, const char *name, bool parameters);
/* Without parameters: `name` itself, when it is no name of C++. */
const char *demangle_short(struct arena *arena, const char *name);
/* Of a function, for messages: without parameters, and without the namespace that nvcc gives to what is static; `name`
 * itself when it is no name of C++. */
const char *demangle_function(struct arena *arena, const char *name);
/* Whether people may call it so: as PTX does, or as C++ does without parameters. */
bool demangle_is(const char *name, const char *called);
/* A message with each name of C++ in it as demangle_short has it. */
const char *demangle_all(struct arena *arena, const char *message);

#endif
