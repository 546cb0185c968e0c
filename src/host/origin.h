/* Where the program allocated memory: "cudaMalloc at app.cu:12", as findings name it.
 *
 * An allocation remembers its callers only, which takes microseconds.  Their lines are looked up when a message first
 * wants them, in the program's own debug information (-g), by libbacktrace.  Callers in installed headers (/usr, /opt),
 * as templates of a toolkit are, and in the loader of OpenCL are passed over.  Where the caller has no debug
 * information its function is named, where it has one, "cudaMalloc in main"; without libbacktrace, those that are
 * exported only. */
#ifndef LOCKSTEP_HOST_ORIGIN_H
#define LOCKSTEP_HOST_ORIGIN_H

#include <stdint.h>

struct origin;

/* Of the call that is under way, once for each chain of callers.  `call`: the function that the program has called,
 * where no symbol of this library says so; `otherwise`: the name where no caller is known, may be null; both stay.
 * Null: there are too many. */
struct origin *origin_here(const char *call, const char *otherwise);
/* The name, which stays; may be null.  Any thread may ask. */
const char *origin_name(void *origin);

/* "stream 2": `kind` is a literal, and the text stays. */
const char *origin_place(const char *kind, uint64_t number);

/* Who frees memory: the call, and the stream or queue in whose order it does (origin_place); null: the host at once. */
struct freed_by {
	struct origin *origin;
	const char *place;
};

#endif
