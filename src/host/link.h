/* Linking of PTX modules into one. */
#ifndef LOCKSTEP_HOST_LINK_H
#define LOCKSTEP_HOST_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* One module of several, to be given to free(); `library`: what is declared and nowhere defined may stay so.  Null, and
 * a line in *why (to be given to free()), when they do not fit together. */
char *link_ptx(const char *const *modules, size_t count, bool library, char **why);

/* Is all defined that the one module declares?  Else a line in *why (to be given to free()), with the place in the
 * source where that is known. */
bool link_is_complete(const char *ptx, char **why);

#endif
