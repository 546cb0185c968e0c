/* `lockstep help [COMMAND]`: the commands, or what one of them says to --help. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

const char help_summary[] = "Lockstep runs GPU programs on a simulated GPU, cycle by cycle.";
const char help_status[] =
	"Exit status: 0 completed, 2 usage or unreadable input, 3 hang, 4 fault of the kernel, 5 --max-cycles "
	"reached.\n`run` ends as the program does, `experiment` and `sweep` with 1 when a point has no result, "
	"`litmus` with 1\nwhen a forbidden outcome was seen.\n"
	"Results go to standard output, all else to standard error.\n";

static const char pages[] =
	"Pages by question: docs/README.md. An installed copy has docs/ in share/doc/lockstep, and what they run in "
	"share/lockstep.\n";

int command_help(int count, char **words)
{
	if (count > 2)
		return fail_line("lockstep help: unexpected '%s', expected one command", words[2]);
	if (count == 2) {
		char help[] = "--help", *asked[] = {words[1], help, NULL};
		for (const struct command *c = commands; c->name; c++)
			if (!strcmp(c->name, words[1]))
				return c->run(2, asked);
		return unknown_command("lockstep help", words[1]);
	}
	printf("%s\n\n", help_summary);
	for (const struct command *c = commands; c->name; c++) {
		int width = printf("    lockstep %s %s", c->name, c->usage);
		printf("%*s%s\n", width < 52 ? 54 - width : 2, "", c->summary);
	}
	printf("\n%s\n%s", help_status, pages);
	return STATUS_COMPLETED;
}
