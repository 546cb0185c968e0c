/* What a file is, by its beginning and its name: for messages about files that were given to the wrong command. */
#ifndef LOCKSTEP_UTIL_FILE_KIND_H
#define LOCKSTEP_UTIL_FILE_KIND_H

#include "util/diagnostic.h"

#include <stddef.h>

/* Bits: a command takes several. */
enum file_kind {
	FILE_OTHER = 0,
	FILE_PTX = 1,
	FILE_SOURCE = 2, /* CUDA C or OpenCL C */
	FILE_LITMUS = 4,
	FILE_REPORT = 8,
	FILE_TIMELINE = 16,
	FILE_SARIF = 32,
	FILE_PAGE = 64,
	FILE_PROGRAM = 128,
	FILE_FAT_BINARY = 256,
	FILE_HOST_SOURCE = 512,
	FILE_FOREIGN = 1024, /* a program for another system */
};

/* Of a regular file; anything else is not read. */
enum file_kind file_kind_of(const char *file);

/* An error about a file, which `diagnostic` has already, becomes "FILE: is a litmus test, expected PTX: `lockstep
 * litmus FILE` plays it", if the file is of a known kind that is not `expected`, which has bits.  Else it stays. */
void file_kind_explain(const char *file, int expected, const char *words, struct diagnostic *diagnostic);

/* The beginning of a program: whether it is one for another processor than this, whose name *processor becomes, "32-bit
 * x86". */
bool file_kind_is_foreign(const char *file, const char **processor);

#endif
