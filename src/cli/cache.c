/* `lockstep cache [--clear]`: the cache of compiled kernels. */
#include "cli/cli.h"

#include "compile/cache_folder.h"
#include "report/style.h"
#include "util/text.h"

#include <stdio.h>
#include <string.h>

static void print_folder(struct arena *arena, const struct cache_folder *folder)
{
	char entries[TEXT_DIGITS], bytes[TEXT_DIGITS], limit[TEXT_DIGITS];
	struct cache_size size = {0};
	if (folder->file >= 0)
		size = cache_folder_size(arena, folder);
	style_say(stdout, "folder   %s\n", folder->path ? folder->path : "none");
	style_say(stdout, "in use   %s%s\n", folder->why ? "no: " : "yes", folder->why ? folder->why : "");
	style_say(stdout, "entries  %s\n", text_grouped(size.entries, entries));
	style_say(stdout, "size     %s bytes\n", text_grouped(size.bytes, bytes));
	style_say(stdout, "limit    %s bytes (LOCKSTEP_CACHE_SIZE)\n", text_grouped(folder->limit, limit));
}

static int clear(struct arena *arena, const struct cache_folder *folder)
{
	char entries[TEXT_DIGITS], bytes[TEXT_DIGITS];
	struct cache_size size = {0};
	int error = 0;
	if (folder->why && folder->file < 0)
		return fail_line("lockstep cache: nothing removed from %s: %s",
			folder->path ? folder->path : "the cache", folder->why);
	if (folder->file >= 0)
		size = cache_folder_clear(arena, folder, &error);
	if (error)
		return fail_line("lockstep cache: cannot remove an entry of %s: %s", folder->path, strerror(error));
	style_say(stdout, "removed %s %s, %s bytes, from %s\n", text_grouped(size.entries, entries),
		size.entries == 1 ? "entry" : "entries", text_grouped(size.bytes, bytes), folder->path);
	return STATUS_COMPLETED;
}

int command_cache(int count, char **words)
{
	struct arena arena = {0};
	int status = STATUS_COMPLETED;
	bool clears = count > 1 && !strcmp(words[1], "--clear");
	if (count > 1 && wants_help(words[1])) {
		print_usage(words[0]);
		style_say(stdout, "    --clear                                  remove all entries\n");
		return status;
	}
	if (count > 1 + clears)
		return fail_line("lockstep cache: unexpected '%s', expected %s", words[1 + clears],
			clears ? "nothing behind --clear" : "--clear");
	struct cache_folder folder = cache_folder_open(&arena, false);
	if (clears)
		status = clear(&arena, &folder);
	else
		print_folder(&arena, &folder);
	cache_folder_close(&folder);
	arena_free(&arena);
	return status;
}
