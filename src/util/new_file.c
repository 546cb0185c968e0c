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

/* ---- What it becomes ---- */

static bool is_link(const char *path)
{
	struct stat status;

	return !lstat(path, &status) && S_ISLNK(status.st_mode);
}

/* As open(2) writes through a link to nothing. */
static bool make_target(struct new_file *file, const char *path)
{
	int made = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (made < 0)
		return false;
	close(made);
	file->is_link_to_nothing = true;
	return realpath(path, file->path);
}

static bool find_path(struct new_file *file, const char *path)
{
	if (!access(path, F_OK))
		return realpath(path, file->path);
	if (is_link(path))
		return make_target(file, path);
	if (strlen(path) >= sizeof file->path) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(file->path, path, strlen(path) + 1);
	return true;
}

/* ---- What it is until then ---- */

/* False, and errno: the name is too long. */
static bool name_beside(struct new_file *file, pid_t process)
{
	int needed = process ? snprintf(file->beside, sizeof file->beside, "%s.%ld.part", file->path, (long)process)
			     : snprintf(file->beside, sizeof file->beside, "%s.XXXXXX", file->path);

	if (needed > 0 && (size_t)needed < sizeof file->beside)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

/* As open() would create it, for whom that lets it read. */
static bool open_temporary(struct new_file *file)
{
	mode_t mask;

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

/* Of an earlier process of the same number something may be there. */
static bool open_part(struct new_file *file)
{
	unlink(file->beside);
	file->descriptor = open(file->beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return file->descriptor >= 0;
}

static void drop_target(const struct new_file *file)
{
	int why = errno;

	if (file->is_link_to_nothing)
		unlink(file->path);
	errno = why;
}

bool new_file_begin(struct new_file *file, const char *path, pid_t process)
{
	struct stat status;

	file->beside[0] = '\0';
	file->is_link_to_nothing = false;
	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return open_itself(file, path);
	if (find_path(file, path) && name_beside(file, process) && (process ? open_part(file) : open_temporary(file)))
		return true;
	drop_target(file);
	return false;
}

bool new_file_left(struct new_file *file, const char *path, pid_t process)
{
	*file = (struct new_file){.descriptor = -1};
	if (find_path(file, path) && name_beside(file, process))
		file->descriptor = open(file->beside, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file->descriptor < 0)
		drop_target(file);
	return file->descriptor >= 0;
}

bool new_file_end(struct new_file *file, bool good)
{
	if (!file->beside[0] || (good && !rename(file->beside, file->path)))
		return true;
	int why = errno;
	unlink(file->beside);
	drop_target(file);
	errno = why;
	return !good;
}
