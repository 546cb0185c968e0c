/* The options of clBuildProgram, and those for CUDA C: checked, and translated into clang's. */
#ifndef LOCKSTEP_COMPILE_OPTIONS_H
#define LOCKSTEP_COMPILE_OPTIONS_H

#include "util/arena.h"
#include "util/vector.h"

#include <stdbool.h>

/* Zero-initialised but for `arena`. */
struct compile_options {
	struct arena *arena;
	const char *standard;            /* "CL1.2" */
	VECTOR(const char *) source;     /* words for the compilation of the source */
	VECTOR(const char *) generation; /* words for the making of PTX */
	const char *bad;                 /* what is wrong, one line; null: nothing */
};

/* False, and a line in options->bad, for one that OpenCL does not know. */
bool compile_options_read(struct compile_options *options, const char *text);
/* Likewise of CUDA C, for which there are -D and -I. */
bool compile_options_read_cuda(struct compile_options *options, const char *text);

#endif
