/* `lockstep experiment`: becomes lockstep-experiment, a program of its own (src/experiment/), so that SQLite costs the
 * other commands nothing. */
#include "cli/cli.h"
#include "cli/signals.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int command_experiment(int count, char **words)
{
	static const char name[] = "/lockstep-experiment";
	char path[PATH_MAX + sizeof name];
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
	path[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(path, '/');
	memcpy(slash ? slash : path, name, sizeof name);
	if (count == 2 && wants_help(words[1]))
		print_usage(words[0]);
	fflush(NULL);
	signals_restore_limit();
	execv(path, words);
	return fail_line(
		"lockstep experiment: cannot run %s: %s; expected it beside the command", path, strerror(errno));
}
