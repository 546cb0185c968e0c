/* The library that compile/resident/resident.c becomes, as bytes: it is preloaded from memory, and no file of it is
 * needed. */
#ifndef LOCKSTEP_COMPILE_RESIDENT_LIBRARY_H
#define LOCKSTEP_COMPILE_RESIDENT_LIBRARY_H

#include <stddef.h>

extern const char resident_library[];
extern const size_t resident_library_size;

#endif
