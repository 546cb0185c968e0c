/* gnuplot as a child process. */
#ifndef LOCKSTEP_UTIL_GNUPLOT_H
#define LOCKSTEP_UTIL_GNUPLOT_H

#include "util/text.h"

/* The string in quotes, as gnuplot reads it. */
void gnuplot_print_string(struct text *text, const char *string);

/* Runs `gnuplot ARGUMENT` in a folder and waits for its end; what it prints goes to the file `output`, a path as seen
 * from here.  Its exit status; 127: there is no such program; 126: the child could not become
 * it, and `output` says why; -1 and errno: there is no child. */
int gnuplot_run(const char *folder, const char *argument, const char *output);

#endif
