/* Signals that the command takes care of.
 *
 * SIGXFSZ, a file that would be larger than `ulimit -f` allows, is ignored, so that the write fails and a line says
 * what could not be written.  Programs that the command starts get back what the command found.
 *
 * All others that would end the command, but not those of its own mistakes (SIGSEGV, SIGABRT ...), once they are
 * caught, end the kernel that runs: its report is written, and then the command dies of the signal after all.  A second
 * one ends it at once. */
#ifndef LOCKSTEP_CLI_SIGNALS_H
#define LOCKSTEP_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* The first that was caught; 0: none. */
extern volatile sig_atomic_t signals_caught;

void signals_ignore_limit(void);
/* Before another program takes this one's place. */
void signals_restore_limit(void);
void signals_catch(void);
/* Whether the signal ends a process that does nothing about it, and comes from outside; of any number below _NSIG. */
bool signals_is_end(int number);
/* Dies of this signal without a core file, so that what waits for the command sees it; returns when it is one that does
 * not kill. */
void signals_die_by(int number);

#endif
