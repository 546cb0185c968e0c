/* What clang has read, as its -MD lists it for make. */
#ifndef LOCKSTEP_COMPILE_MAKEFILE_H
#define LOCKSTEP_COMPILE_MAKEFILE_H

#include "util/arena.h"

#include <stdbool.h>

/* The next file of "-: a \<newline> b\ c"; null at the end.  *at begins as the whole text. */
const char *makefile_next(struct arena *arena, const char **at);

/* Files that exist for the compiler only: what the tool was given in memory, and our headers. */
bool makefile_is_in_memory(const char *path);
/* The text of one of device/, by the path under which the compiler saw it; null: it is none. */
const char *makefile_device_file(const char *path);

#endif
