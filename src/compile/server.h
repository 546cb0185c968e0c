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

struct variables {
	VECTOR(char *) list;
};
/* The environment of a run: this process's without libraries that are preloaded, and where the run is to note what it
 * looks for. */
struct variables server_variables(const struct tool *tool);
/* For what runs as usual: the variable that preloads our library, so that it notes that, too.  Null: it cannot. */
char *server_preload(struct tool *tool);

#endif
