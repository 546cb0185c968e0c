/* `lockstep policies [KIND]`: what can be swapped, one line each. */
#include "cli/cli.h"

#include "cli/options.h"
#include "lockstep.h"

#include <stdio.h>
#include <string.h>

int command_policies(int count, char **words)
{
	if (count > 2)
		return fail_line("lockstep policies: unexpected '%s', expected one kind", words[2]);
	const char *wanted = count == 2 ? words[1] : NULL;
	if (wanted && wants_help(wanted)) {
		print_usage(words[0]);
		return STATUS_COMPLETED;
	}
	struct arena arena = {0};
	if (wanted && !options_policy_kind(wanted)) {
		const char *kinds = options_policy_kinds(&arena), *nearest = options_nearest_kind(wanted);
		int status =
			nearest ? fail_line("lockstep policies: unknown kind '%s', did you mean '%s'?", wanted, nearest)
				: fail_line("lockstep policies: unknown kind '%s', expected %s", wanted, kinds);
		arena_free(&arena);
		return status;
	}
	struct lockstep_policy policy;
	for (size_t k = 0; lockstep_policy(k, &policy); k++)
		if (!wanted || !strcmp(policy.kind, wanted))
			printf("%-12s %-28s %s\n", policy.kind, policy.name, policy.summary);
	return STATUS_COMPLETED;
}
