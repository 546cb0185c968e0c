/* The functions of the CUDA runtime that an executable has in itself, which nvcc links by default (libcudart_static.a),
 * by its symbol table. */
#ifndef LOCKSTEP_HOST_CUDA_PRELOAD_EXECUTABLE_H
#define LOCKSTEP_HOST_CUDA_PRELOAD_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function {
	const char *name;
	uint64_t address; /* as linked: without what a position-independent executable is moved by */
	uint64_t room;    /* bytes of it, with the padding behind where these are few */
};

struct static_runtime {
	/* All whose name begins with cuda or __cuda, by address: the runtime's, and perhaps some of the program's own.
	 */
	struct function *functions;
	size_t count;
	int version; /* 12 or 13: only CUDA 12's has a cudaGetDeviceProperties_v2 */
};

/* Reads `file`.  False: it is no executable of this processor with a static runtime and a symbol table, or there is no
 * memory.  `functions` is the caller's to free; the names stay. */
bool static_runtime_find(const char *file, struct static_runtime *found);

#endif
