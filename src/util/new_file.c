/* Files that are written beside what they replace. */
#include "util/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool open_itself(struct new_file *file, const char *path)
{
	file->descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	return file->descriptor >= 0;
}

/* As open() would create it, for whom that lets it read. */
static bool open_beside(struct new_file *file)
{
	int needed = snprintf(file->beside, sizeof file->beside, "%s.XXXXXX", file->path);
	mode_t mask;

	if (needed < 0 || (size_t)needed >= sizeof file->beside) {
		errno = ENAMETOOLONG;
		return false;
	}
	file->descriptor = mkostemp(file->beside, O_CLOEXEC);
	if (file->descriptor < 0)
		return false;
	mask = umask(0); /* the only way to ask for it */
	umask(mask);
	if (!fchmod(file->descriptor, 0666 & ~mask))
		return true;
	int why = errno;
	close(file->descriptor);
	unlink(file->beside);
	errno = why;
	return false;
}

bool new_file_begin(struct new_file *file, const char *path)
{
	struct stat status;
	bool exists = !stat(path, &status);

	file->beside[0] = '\0';
	if (exists && !S_ISREG(status.st_mode))
		return open_itself(file, path);
	if (exists)
		return realpath(path, file->path) && open_beside(file);
	if (strlen(path) >= sizeof file->path) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(file->path, path, strlen(path) + 1);
	return open_beside(file);
}

bool new_file_end(struct new_file *file, bool good)
{
	if (!file->beside[0] || (good && !rename(file->beside, file->path)))
		return true;
	int why = errno;
	unlink(file->beside);
	errno = why;
	return !good;
}
