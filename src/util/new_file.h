/* A file that is whole or not there: until all of it is written it is another one beside it, and what it was before
 * stays.  Devices and pipes, which cannot be replaced, are written themselves. */
#ifndef LOCKSTEP_UTIL_NEW_FILE_H
#define LOCKSTEP_UTIL_NEW_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct new_file {
	int descriptor;
	bool is_link_to_nothing; /* its target has been made, empty, and goes if nothing is written */
	char path[PATH_MAX];     /* what it becomes; behind symbolic links, which stay */
	char beside[PATH_MAX];   /* what it is; empty: it is written itself */
};

/* Opens it for writing; false, and errno, when that cannot be.  It lies beside as FILE.N.part, by the number of this
 * process; 0: as FILE.XXXXXX. */
bool new_file_begin(struct new_file *file, const char *path, pid_t process);
/* What a process that has ended without new_file_end has left there, to be read and written: false, there is nothing.
 */
bool new_file_left(struct new_file *file, const char *path, pid_t process);
/* The descriptor has been closed: the file takes its name if all was `good`, else it goes.  False, and errno, when it
 * cannot take the name; then it has gone. */
bool new_file_end(struct new_file *file, bool good);

#endif
