/* Which part of a run a timeline shows: --trace-window and --trace-cores. */
#ifndef LOCKSTEP_OPTIONS_TRACE_PART_H
#define LOCKSTEP_OPTIONS_TRACE_PART_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct lockstep_cores;
struct lockstep_window;

#define TRACE_WINDOW_EXPECTED "FROM:TO, cycles of the GPU's clock, one of which may be left out"
#define TRACE_CORES_EXPECTED "cores such as 0,3 or 0-3"

/* False: it is no window. */
bool trace_window_read(const char *text, struct lockstep_window *window);
/* A list in the arena; null: it is none. */
const struct lockstep_cores *trace_cores_read(const char *list, struct arena *arena, size_t *count);

#endif
