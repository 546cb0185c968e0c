/* A clang that has been started already and forks for each run, which takes 30 ms off each:
 * compile/resident/resident.c.
 *
 * One for each program that was run, as long as this process lives.  It is an economy only: where it cannot be had (a
 * static program, a script, no /proc) or fails in any way, the caller starts the program itself. */
#ifndef LOCKSTEP_COMPILE_SERVER_H
#define LOCKSTEP_COMPILE_SERVER_H

#include "compile/tools.h"

/* Runs the tool, whose words end in null, with its files and these standard ones.  False: there was no such run, or it
 * is not known how it ended; the files may have been written to.  Else *status is the exit status. */
bool server_run(struct tool *tool, const int standard[3], int *status);

#endif
