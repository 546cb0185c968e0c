/* The files of device/, embedded into the program by the build: what kernels include when we compile them. */
#ifndef LOCKSTEP_CLI_DEVICE_FILES_H
#define LOCKSTEP_CLI_DEVICE_FILES_H

#include <stddef.h>

struct device_file {
	const char *name; /* with extension */
	const char *text;
};
extern const struct device_file device_files[];
extern const size_t device_file_count;

#endif
