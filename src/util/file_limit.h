/* The limit on the size of files (ulimit -f), for code within a program of someone else's: a write beyond it fails with
 * EFBIG between begin and end, and the signal SIGXFSZ, which would end the program, does not come. */
#ifndef LOCKSTEP_UTIL_FILE_LIMIT_H
#define LOCKSTEP_UTIL_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

struct file_limit {
	bool holds; /* the signal is held back */
	sigset_t before;
	bool was_pending;
};

struct file_limit file_limit_begin(void);
void file_limit_end(const struct file_limit *limit);

#endif
