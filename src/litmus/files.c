/* Finds litmus tests in a folder and those below. */
#include "litmus/files.h"

#include "util/folder.h"

#include <string.h>
#include <sys/stat.h>

/* Folders in folders, which a link may make endless. */
#define DEPTH 32

static bool is_folder(const char *path)
{
	struct stat status;
	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static bool is_litmus(const char *name)
{
	size_t length = strlen(name);
	return length > 7 && !strcmp(name + length - 7, ".litmus");
}

static void look_in(struct arena *arena, const char *folder, uint32_t depth, struct litmus_files *files)
{
	struct folder_list list;
	if (depth == DEPTH || !folder_read(arena, folder, &list))
		return;
	for (uint32_t k = 0; k < list.names.count; k++) {
		const char *path = arena_printf(arena, "%s/%s", folder, list.names.at[k]);
		if (is_folder(path))
			look_in(arena, path, depth + 1, files);
		else if (is_litmus(path))
			*vector_push(arena, &files->list) = path;
	}
}

bool litmus_find_files(struct arena *arena, const char *path, struct litmus_files *files, struct diagnostic *diagnostic)
{
	size_t length = strlen(path);
	if (!is_folder(path)) {
		*vector_push(arena, &files->list) = path;
		return true;
	}
	while (length > 1 && path[length - 1] == '/')
		length--;
	look_in(arena, arena_copy(arena, path, length), 0, files);
	if (!files->list.count) {
		diagnose(diagnostic, (struct place){.file = path},
			"there is no test in this folder, expected FILE.litmus");
		return false;
	}
	folder_sort(files->list.at, files->list.count);
	return true;
}
