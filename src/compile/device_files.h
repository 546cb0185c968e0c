/* The files of device/, embedded into the program by the build: what kernels include, and OpenCL's built-in
 * functions. */
#ifndef LOCKSTEP_COMPILE_DEVICE_FILES_H
#define LOCKSTEP_COMPILE_DEVICE_FILES_H

#include <stddef.h>

struct device_file {
	const char *name; /* below device/, with extension: "cuda.h", "opencl/ids.cl"; sorted */
	const char *text;
};
extern const struct device_file device_files[];
extern const size_t device_file_count;

#endif
