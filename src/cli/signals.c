/* Signals that the command takes care of. */
#include "cli/signals.h"

#include <stdio.h>
#include <sys/resource.h>

volatile sig_atomic_t signals_caught;

static struct sigaction limit_before;

void signals_ignore_limit(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigaction(SIGXFSZ, &ignore, &limit_before);
}

void signals_restore_limit(void)
{
	sigaction(SIGXFSZ, &limit_before, NULL);
}

/* Writing to a closed pipe goes on to fail: there may be a report to be written elsewhere. */
static void take(int number)
{
	if (!signals_caught) {
		signals_caught = number;
	} else if (number != SIGPIPE && number != SIGXCPU) { /* which comes again each second */
		signal(number, SIG_DFL);
		raise(number); /* comes when the handler returns */
	}
}

bool signals_is_end(int number)
{
	switch (number) {
	case SIGKILL: /* cannot be caught */
	case SIGSTOP:
	case SIGTSTP: /* stop it, or go on */
	case SIGTTIN:
	case SIGTTOU:
	case SIGCONT:
	case SIGCHLD: /* do nothing */
	case SIGURG:
	case SIGWINCH:
	case SIGXFSZ: /* ignored */
	case SIGABRT: /* of its own mistakes */
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGSEGV:
	case SIGSYS:
	case SIGTRAP: return false;
	default: return number > 0 && (number < __SIGRTMIN || number >= SIGRTMIN); /* the C library's own */
	}
}

void signals_catch(void)
{
	struct sigaction action = {.sa_handler = take, .sa_flags = SA_RESTART}, before;
	for (int number = 1; number < _NSIG; number++)
		if (signals_is_end(number) && !sigaction(number, NULL, &before) &&
			before.sa_handler != SIG_IGN) /* as under nohup */
			sigaction(number, &action, NULL);
}

void signals_die_by(int number)
{
	struct rlimit none = {0};
	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	fflush(NULL);
	raise(number);
}
