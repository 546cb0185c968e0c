/* `lockstep experiment`: becomes lockstep-experiment, a program of its own (src/experiment/), so that SQLite costs the
 * other commands nothing. */
#include "cli/cli.h"
#include "cli/signals.h"
#include "util/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int command_experiment(int count, char **words)
{
	struct arena arena = {0};
	const char *path = arena_printf(&arena, "%s/lockstep-experiment", folder_own(&arena));
	if (count == 2 && wants_help(words[1]))
		print_usage(words[0]);
	fflush(NULL);
	signals_restore_limit();
	execv(path, words);
	fail_line("lockstep experiment: cannot run %s: %s; expected it beside the command", path, strerror(errno));
	arena_free(&arena);
	return STATUS_USAGE;
}
