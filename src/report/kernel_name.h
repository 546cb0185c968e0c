/* Kernels' names for people: PTX has those of C++ in the form of its linkers, _Z3addPKfPfi. */
#ifndef LOCKSTEP_REPORT_KERNEL_NAME_H
#define LOCKSTEP_REPORT_KERNEL_NAME_H

#include "util/arena.h"

#include <stdbool.h>

/* As C++ writes it, without parameters: `name` itself, when it is no name of C++. */
const char *kernel_name_short(struct arena *arena, const char *name);
/* With them; null when it is no name of C++. */
const char *kernel_name_whole(struct arena *arena, const char *name);
/* Whether people may call it so: as PTX does, or as C++ does without parameters. */
bool kernel_name_is(const char *name, const char *called);

#endif
