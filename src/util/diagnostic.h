/* What went wrong on the user's side, as one clear line: FILE:LINE:COL: what, and what was expected.
 *
 * The first error is sticky: later ones are dropped, so callers need not test after every step.
 * A kernel's fault (bad address, trap, hang) is a finding, not an error, and does not come here.  Ours is an assert. */
#ifndef LOCKSTEP_UTIL_DIAGNOSTIC_H
#define LOCKSTEP_UTIL_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdint.h>

struct diagnostic {
	bool failed;
	char message[1024]; /* the whole line, without newline; empty when not failed */
};

/* A place in a file.  line and column count from 1; 0 means unknown and is left out of the message. */
struct place {
	const char *file; /* null: no file, the message stands alone */
	uint32_t line, column;
};

/* Always false, for callers that say so of what they were to do. */
bool diagnose(struct diagnostic *diagnostic, struct place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
