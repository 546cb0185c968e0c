/* A process beside this one that ends what this one has started, if this one is killed: SIGKILL of `lockstep run`
 * leaves no program that simulates, nor what a script has started. */
#ifndef LOCKSTEP_CLI_GUARD_H
#define LOCKSTEP_CLI_GUARD_H

#include <sys/types.h>

struct guard {
	pid_t process; /* 0: there is none, as none could be made */
	int end;       /* of a pipe that only this process holds */
};

/* `mark`: "NAME=VALUE", a variable that the environments of what is started have, and no others. */
void guard_begin(struct guard *guard, const char *mark);
/* What still runs is left alone, as a program may leave others behind. */
void guard_end(struct guard *guard);

#endif
