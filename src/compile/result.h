/* What callers get and free. */
#ifndef LOCKSTEP_COMPILE_RESULT_H
#define LOCKSTEP_COMPILE_RESULT_H

#include <stddef.h>

/* A copy from malloc with a NUL behind it; out of memory ends the program, as in util/arena.h. */
char *result_copy(const char *text, size_t length);
/* The text, which is freed, with more behind it. */
char *result_append(char *text, const char *more);

#endif
