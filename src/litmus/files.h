/* The litmus tests of a file or folder. */
#ifndef LOCKSTEP_LITMUS_FILES_H
#define LOCKSTEP_LITMUS_FILES_H

#include "util/diagnostic.h"
#include "util/vector.h"

struct litmus_files {
	VECTOR(const char *) list;
};

/* `path` itself, or of a folder all FILE.litmus in it and its folders, sorted.  False and an error when there is none.
 */
bool litmus_find_files(
	struct arena *arena, const char *path, struct litmus_files *files, struct diagnostic *diagnostic);

#endif
