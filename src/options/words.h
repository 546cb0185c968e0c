/* The words of --check, --trace-window and --trace-cores, and what they mean. */
#ifndef LOCKSTEP_OPTIONS_WORDS_H
#define LOCKSTEP_OPTIONS_WORDS_H

#include "lockstep.h"

struct arena;

/* All of them, for messages. */
#define CHECKS_EXPECTED "races, races=strict, races=volatile, races=all, init, barriers, barriers=all or all"
#define TRACE_WINDOW_EXPECTED "FROM:TO, cycles of the GPU's clock, one of which may be left out"
#define TRACE_CORES_EXPECTED "cores such as 0,3 or 0-3"

/* As lockstep_check_word. */
const char *checks_word(size_t k, uint32_t *bits);
/* Reads words with commas between them as bits of enum lockstep_check.  False: one is not known, or there is none. */
bool checks_read(const char *words, uint32_t *checks);

/* Which part of a run a timeline shows.  False: it is no window. */
bool trace_window_read(const char *text, struct lockstep_window *window);
/* A list in the arena; null: it is none. */
const struct lockstep_cores *trace_cores_read(const char *list, struct arena *arena, size_t *count);

#endif
