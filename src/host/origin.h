/* Where the program allocated memory: "cudaMalloc at app.cu:12", as findings name it.
 *
 * An allocation remembers its callers only, which takes microseconds.  Their lines are looked up when a message first
 * wants them, in the program's own debug information (-g), by libbacktrace.  Callers in installed headers (/usr, /opt),
 * as templates of a toolkit are, and in the loader of OpenCL are passed over.  Where the caller has no debug
 * information its function is named, where it has one, "cudaMalloc in main"; without libbacktrace, those that are
 * exported only. */
#ifndef LOCKSTEP_HOST_ORIGIN_H
#define LOCKSTEP_HOST_ORIGIN_H

struct origin;

/* Of the call that is under way, once for each chain of callers.  `call`: the function that the program has called,
 * where no symbol of this library says so; `otherwise`: the name where no caller is known, may be null; both stay.
 * Null: there are too many. */
struct origin *origin_here(const char *call, const char *otherwise);
/* The name, which stays; may be null.  Any thread may ask. */
const char *origin_name(void *origin);

#endif
