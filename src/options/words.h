/* The words of --check, --trace-window, --trace-cores and --launch, and what they mean. */
#ifndef LOCKSTEP_OPTIONS_WORDS_H
#define LOCKSTEP_OPTIONS_WORDS_H

#include "lockstep.h"

struct arena;

/* All of them, for messages. */
#define CHECKS_EXPECTED "races, races=strict, races=volatile, races=all, init, barriers, barriers=all or all"
#define TRACE_WINDOW_EXPECTED "FROM:TO, cycles of the GPU's clock, one of which may be left out"
#define TRACE_CORES_EXPECTED "cores such as 0,3 or 0-3"
#define LAUNCH_EXPECTED "the number of a launch, from 0 as in the report"

/* As lockstep_check_word. */
const char *checks_word(size_t k, uint32_t *bits);

/* Each puts what a value means into the setup, lists in the arena.  False: it is none. */
bool words_checks(const char *words, struct lockstep_options *setup, struct arena *arena);
bool words_trace_window(const char *text, struct lockstep_options *setup, struct arena *arena);
bool words_trace_cores(const char *list, struct lockstep_options *setup, struct arena *arena);
bool words_launch(const char *number, struct lockstep_options *setup, struct arena *arena);

#endif
