/* The files of gpus/, embedded into the program by the build (one entry a file, sorted by name). */
#ifndef LOCKSTEP_MODEL_GPU_FILES_H
#define LOCKSTEP_MODEL_GPU_FILES_H

#include <stddef.h>

struct gpu_file {
	const char *name; /* without .cfg */
	const char *text; /* the whole file */
};
extern const struct gpu_file gpu_files[];
extern const size_t gpu_file_count;

#endif
