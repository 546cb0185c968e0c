/* The lines of source around a place, for reports that people read. */
#ifndef LOCKSTEP_REPORT_SOURCE_H
#define LOCKSTEP_REPORT_SOURCE_H

#include "util/text.h"

/* A source that is in no file: from now on it is found under this name, before any file.  Both must stay as long as
 * sources are looked for.  Of different ones with one name none is found. */
void report_source_keep(const char *name, const char *text, size_t length);

/* Appends the line, marked, with its neighbours; nothing when the file is not there. */
void report_source(struct text *out, const char *file, uint64_t line);

/* Whether `file` is PTX without lines of its source that exists in no file, since it was in a program: if so, appends
 * what to do about it. */
bool report_source_hint(struct text *out, const char *file);

/* All lines of a file, in the arena; *count is 0 when it is not there. */
const char *const *report_source_lines(struct arena *arena, const char *file, size_t *count);

/* All of a file, NUL-terminated; null when it is not there, cannot be read or is larger than any source. */
const char *report_source_text(struct arena *arena, const char *file, size_t *length);

#endif
