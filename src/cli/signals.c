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
	} else if (number != SIGPIPE) {
		signal(number, SIG_DFL);
		raise(number); /* comes when the handler returns */
	}
}

void signals_catch(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	struct sigaction action = {.sa_handler = take, .sa_flags = SA_RESTART}, before;
	for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
		if (!sigaction(numbers[k], NULL, &before) && before.sa_handler != SIG_IGN) /* as under nohup */
			sigaction(numbers[k], &action, NULL);
}

void signals_die_by(int number)
{
	struct rlimit none = {0};
	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	fflush(NULL);
	raise(number);
}
