/* A source that the compiler reads from its standard input, under the name that messages and lines are to have. */
#ifndef LOCKSTEP_COMPILE_NAMED_H
#define LOCKSTEP_COMPILE_NAMED_H

#include "util/text.h"

/* Appends the text behind a line that names it. */
void named_source(struct text *out, const char *name, const char *text, size_t length);

#endif
