/* Where in the source a place of PTX comes from, by what the compiler has written into it. */
#ifndef LOCKSTEP_HOST_SOURCE_LINE_H
#define LOCKSTEP_HOST_SOURCE_LINE_H

#include "util/arena.h"

/* "program.cl:7" for a place in `ptx`; null: not known. */
const char *source_line(struct arena *arena, const char *ptx, const char *at);

/* Likewise for the place that "program.ptx:36:2: ..." tells. */
const char *source_line_of_message(struct arena *arena, const char *ptx, const char *message);

/* A path as people read it: from the working folder, where it lies below that. */
const char *source_path(struct arena *arena, const char *path, size_t length);

#endif
