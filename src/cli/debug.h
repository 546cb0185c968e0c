/* `lockstep debug`: a kernel, or the kernels of a program, under the debugger, whose commands come from a terminal, a
 * pipe or a script. */
#ifndef LOCKSTEP_CLI_DEBUG_H
#define LOCKSTEP_CLI_DEBUG_H

#include "lockstep.h"

#include <stdbool.h>

/* For the command that opens a GPU; null: it is not under `lockstep debug`. */
const struct lockstep_debug *debug_front(void);
/* `quit` was the last command: the run has not ended by itself, and nobody wants its report. */
bool debug_has_quit(void);
/* Commands come from standard input, and from no terminal. */
bool debug_reads_pipe(void);
/* For another front end than the console (dap.c): kernels run under this debugger from now on; its user has quit. */
void debug_use(const struct lockstep_debug *front);
void debug_quit(void);

#endif
