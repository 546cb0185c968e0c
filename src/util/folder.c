/* Folders: see folder.h. */
#include "util/folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool folder_make(const char *path, struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	char *part = arena_text(&arena, path);
	int why = ENOENT; /* of the first above it that is not there */
	for (char *slash = part; *part && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		if (mkdir(part, 0777) && errno != EEXIST && why == ENOENT)
			why = errno;
		*slash = '/';
	}
	if (mkdir(part, 0777) && errno != EEXIST)
		diagnose(diagnostic, (struct place){.file = path}, "cannot make the folder: %s",
			strerror(errno == ENOENT ? why : errno));
	arena_free(&arena);
	return !diagnostic->failed;
}

static int by_bytes(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void folder_sort(const char **names, uint32_t count)
{
	if (count)
		qsort(names, count, sizeof *names, by_bytes);
}

bool folder_read(struct arena *arena, const char *path, struct folder_list *list)
{
	DIR *folder = opendir(path);
	*list = (struct folder_list){0};
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (*entry->d_name != '.')
			*vector_push(arena, &list->names) = arena_text(arena, entry->d_name);
	folder_sort(list->names.at, list->names.count);
	return folder && !closedir(folder);
}

const char *folder_whole_path(struct arena *arena, const char *path)
{
	char whole[PATH_MAX];
	return realpath(path, whole) ? arena_text(arena, whole) : NULL;
}

const char *folder_own(struct arena *arena)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	self[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(self, '/');
	return arena_copy(arena, self, slash ? (size_t)(slash - self) : 0);
}
