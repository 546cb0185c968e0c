/* `lockstep version`. */
#include "cli/cli.h"

#include <stdio.h>

#ifndef LOCKSTEP_VERSION
#define LOCKSTEP_VERSION "0.1"
#endif

int command_version(int count, char **words)
{
	if (count > 1 && !wants_help(words[1]))
		return fail_line("lockstep version: unexpected '%s', expected nothing", words[1]);
	printf("lockstep " LOCKSTEP_VERSION "\n");
	return STATUS_COMPLETED;
}
