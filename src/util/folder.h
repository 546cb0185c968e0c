/* Folders: made, listed, and that of this program. */
#ifndef LOCKSTEP_UTIL_FOLDER_H
#define LOCKSTEP_UTIL_FOLDER_H

#include "util/diagnostic.h"
#include "util/vector.h"

/* Makes the folder and those above it; it may be there.  False and an error. */
bool folder_make(const char *path, struct diagnostic *diagnostic);

struct folder_list {
	VECTOR(const char *) names;
};
/* What is in the folder, sorted, but for hidden files; false and errno when it cannot be read. */
bool folder_read(struct arena *arena, const char *path, struct folder_list *list);
/* Names or paths, by their bytes. */
void folder_sort(const char **names, uint32_t count);

/* The whole path, without links; null and errno when nothing is there. */
const char *folder_whole_path(struct arena *arena, const char *path);
/* The folder of this program's file. */
const char *folder_own(struct arena *arena);

#endif
