/* `lockstep version`: the version, and of which commit it was built where that is known. */
#include "cli/cli.h"

#include "report/provenance.h"

#include <stdio.h>

int command_version(int count, char **words)
{
	if (count > 1 && !wants_help(words[1]))
		return fail_line("lockstep version: unexpected '%s', expected nothing", words[1]);
	struct arena arena = {0};
	const char *from = provenance_commit(&arena);
	printf("lockstep " LOCKSTEP_VERSION "%s%s%s\n", from ? " (commit " : "", from ? from : "", from ? ")" : "");
	arena_free(&arena);
	return STATUS_COMPLETED;
}
