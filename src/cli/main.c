/* The `lockstep` command: finds the subcommand and runs it. */
#include "cli/cli.h"

#include "cli/signals.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What has been printed without asking how it went may still fail to leave the buffer. */
static int flush(int status)
{
	struct diagnostic diagnostic = {0};
	if (!ferror(stdout) && print_all("", 0, &diagnostic))
		return status;
	diagnose(&diagnostic, (struct place){0}, "cannot write to standard output");
	return status == STATUS_USAGE ? status : fail(&diagnostic);
}

int main(int count, char **words)
{
	/* Large enough for all lists, so that a failure to write is met in flush(), which knows its reason. */
	static char buffer[1 << 17];
	signals_ignore_limit();
	setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
	if (count < 2)
		return fail_line("lockstep: expected a command, one that `lockstep help` lists");
	if (wants_help(words[1]))
		return flush(command_help(1, words + 1));
	if (!strcmp(words[1], "--version"))
		return flush(command_version(1, words + 1));
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, words[1]))
			return flush(command_call(c, count - 1, words + 1));
	if (!nearest_command(words[1]) && !access(words[1], F_OK)) /* a file: the command was forgotten */
		return fail_line("lockstep: unknown command '%s', did you mean `lockstep %s %s`?", words[1],
			is_kernel_file(words[1]) ? "kernel" : "run", words[1]);
	return unknown_command("lockstep", words[1]);
}
