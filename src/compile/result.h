/* What callers get and free. */
#ifndef LOCKSTEP_COMPILE_RESULT_H
#define LOCKSTEP_COMPILE_RESULT_H

#include <stddef.h>

/* A copy from malloc, followed by a NUL; out of memory ends the program, as in util/arena.h. */
char *result_copy(const char *text, size_t length);
/* The text, which is freed, followed by more. */
char *result_append(char *text, const char *more);

#endif
