/* What of the file system a compilation depends on: the content of the files that it read, and, for every path that the
 * compiler looked for, whether there is such a file.
 *
 * A line each, "STATE PATH":
 *
 *     =0123456789abcdef0123456789abcdef v.h    a file that was read, by the digest of its content
 *     - a/v.h                                  no such file
 *     +7 b/v.h                                 a file; the first line with the same one is the 7th
 *     !7 b/v.h                                 one that cannot be read
 *     /3 b                                     a folder */
#ifndef LOCKSTEP_COMPILE_WITNESS_H
#define LOCKSTEP_COMPILE_WITNESS_H

#include "util/text.h"

#include <time.h>

/* Of a compilation that began then.  `makefile` names what was read, as clang's -MD does with -MT -; `lookups` are the
 * paths, each ended by NUL (compile/resident/message.h).  `library`, if not null, is left out: the key has it, and
 * not every run of the same compilation needs it.  Null, and why: the lines would not say all. */
const char *witness_lines(struct arena *arena, struct timespec begun, const char *makefile, const struct text *lookups,
	const char *library, const char **why);
/* Is everything as the lines have it? */
bool witness_holds(struct arena *arena, const char *lines);
/* Does the result depend on when files were changed? */
bool witness_compares_times(const char *text);

#endif
