/* `lockstep version`: the version, and of which commit it was built where that is known. */
#include "cli/cli.h"

#include "util/folder.h"
#include "util/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first line of a file that the build leaves beside the command, and installing in share/.  It is no part of the
 * command: its bytes name the simulator in the keys of experiments' points, which a commit of a page must not change.
 */
static const char *commit(struct arena *arena)
{
	static const char *const places[] = {"lockstep.commit", "../share/lockstep/lockstep.commit"};
	const char *own = folder_own(arena);
	for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
		const char *path = arena_printf(arena, "%s/%s", own, places[k]);
		char *text = access(path, R_OK) ? NULL : text_try_file(arena, path);
		if (text)
			text[strcspn(text, "\n")] = '\0';
		if (text && *text)
			return text;
	}
	return NULL;
}

int command_version(int count, char **words)
{
	if (count > 1 && !wants_help(words[1]))
		return fail_line("lockstep version: unexpected '%s', expected nothing", words[1]);
	struct arena arena = {0};
	const char *from = commit(&arena);
	printf("lockstep " LOCKSTEP_VERSION "%s%s%s\n", from ? " (commit " : "", from ? from : "", from ? ")" : "");
	arena_free(&arena);
	return STATUS_COMPLETED;
}
