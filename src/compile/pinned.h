/* PTX that is kept beside its source, so that results do not depend on which compiler a machine has.
 *
 * A folder has a file for each program and its options.  Lines of comment in front of the PTX say what it was made of:
 *
 *     // lockstep.pinned DIGEST                 of all that is behind this line
 *     // source program.cl DIGEST
 *     // options -cl-std=CL1.2 -I<0> -DN=4      <0> stands for the first folder, wherever it lies
 *     // by opencl 11                           the code that makes PTX of what clang makes
 *     // built-ins DIGEST
 *     // read <0>/lockstep_locks.h DIGEST       a file that was included
 *     // compiler Debian clang version 14.0.6
 *     //
 *
 * LOCKSTEP_PINNED is such a folder, in which is looked before a compiler is; LOCKSTEP_PIN_TO one to which PTX is
 * written, before the cache is looked at.  Who chooses a compiler gets that compiler's PTX. */
#ifndef LOCKSTEP_COMPILE_PINNED_H
#define LOCKSTEP_COMPILE_PINNED_H

#include "util/arena.h"
#include "util/diagnostic.h"
#include "util/text.h"

#include <stddef.h>
#include <stdint.h>

/* What is compiled. */
struct pinned_source {
	const char *name; /* in messages and .file; its last part is part of the file's name */
	bool is_no_file;  /* that is a name only; else .file has it with its folder */
	const char *text;
	size_t length;
	const char *standard;     /* of OpenCL C; null: another language */
	const char *const *words; /* for the compiler, of which -I names a folder */
	uint32_t word_count;
	const char *device;    /* for which it is compiled, where that changes it; null */
	const char *by;        /* the language and the number of our code */
	const char *built_ins; /* what is linked with it; null: nothing */
	size_t built_ins_length;
};

/* Is PTX to be looked for? */
bool pinned_is_asked(void);

enum pinned_outcome {
	PINNED_NOT_ASKED,
	PINNED_FOUND,
	PINNED_NONE,    /* of this source with these options: `why` says which of them */
	PINNED_DAMAGED, /* `why` names the file */
};

/* Appends the PTX, or the reason without its line's end. */
enum pinned_outcome pinned_find(
	struct arena *arena, const struct pinned_source *source, struct text *ptx, struct text *why);

/* Is PTX to be written?  Not where it is there already, by this compiler. */
bool pinned_is_wanted(struct arena *arena, const struct pinned_source *source, const char *compiler);
/* Writes it.  `makefile` names what clang read, as its -MD does.  False, and a line in `diagnostic`, when it cannot, or
 * when the result depends on files that are in no folder of the options. */
bool pinned_write(struct arena *arena, const struct pinned_source *source, const struct text *ptx, const char *makefile,
	const char *compiler, struct diagnostic *diagnostic);

/* Appends PTX without what is not pinned of it, sections of debugging data. */
void pinned_shear(struct text *out, const char *ptx);

/* Are all files of LOCKSTEP_PINNED whole?  True where there is no such variable. */
bool pinned_are_whole(struct diagnostic *diagnostic);

#endif
