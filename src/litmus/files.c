/* Finds litmus tests in a folder and those below. */
#include "litmus/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
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
	DIR *dir = depth < DEPTH ? opendir(folder) : NULL;
	struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		const char *path = arena_printf(arena, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] == '.')
			continue;
		if (is_folder(path))
			look_in(arena, path, depth + 1, files);
		else if (is_litmus(entry->d_name))
			*vector_push(arena, &files->list) = path;
	}
	if (dir)
		closedir(dir);
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
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
	qsort(files->list.at, files->list.count, sizeof *files->list.at, by_name);
	return true;
}
