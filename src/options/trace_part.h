/* Which part of a run a timeline shows: --trace-window and --trace-cores. */
#ifndef LOCKSTEP_OPTIONS_TRACE_PART_H
#define LOCKSTEP_OPTIONS_TRACE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_WINDOW_EXPECTED "FROM:TO, cycles of the GPU's clock, one of which may be left out"
#define TRACE_CORES_EXPECTED "cores such as 0,3 or 0-3"

/* Cycles [*from, *to); null: all.  False: it is no window. */
bool trace_window_read(const char *text, uint64_t *from, uint64_t *to);
/* The next of a list, which moves on: cores *first to *last.  False at its end, and for what is no core: then *list is
 * not at its end. */
bool trace_cores_next(const char **list, uint32_t *first, uint32_t *last);

#endif
