/* PTX that is kept beside its source, so that results do not depend on which compiler a machine has.
 *
 * A folder has a file for each program and its options.  Lines of comment in front of the PTX say what it was made of:
 *
 *     // lockstep.pinned DIGEST                 of all that follows this line
 *     // source program.cl DIGEST
 *     // options -cl-std=CL1.2 -I<0> -DN=4      <0> is the first folder, wherever it lies
 *     // by opencl 11                           the code that makes PTX of what clang makes
 *     // built-ins DIGEST
 *     // read <0>/lockstep_locks.h DIGEST       a file that was included
 *     // compiler Debian clang version 14.0.6
 *     //
 *
 * LOCKSTEP_PINNED is such a folder.  Lockstep looks there first, then for a compiler.  Without the variable, the folder
 * of DIR/NAME.cl is DIR/ptx/NAME, if there is one.  LOCKSTEP_PIN_TO is a folder to which PTX is written; the cache is
 * not used then.  Whoever chooses a compiler gets its PTX. */
#ifndef LOCKSTEP_COMPILE_PINNED_H
#define LOCKSTEP_COMPILE_PINNED_H

#include "compile/compile.h"
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

enum pinned_outcome {
	PINNED_FOUND,
	PINNED_NONE,    /* of this source with these options, which is no news */
	PINNED_OTHER,   /* likewise; `why` says what differs */
	PINNED_DAMAGED, /* `why` names the file */
};

/* Appends the PTX, or the reason without its line's end.  `chosen`: the compiler that somebody has chosen; null. */
enum pinned_outcome pinned_find(struct arena *arena, const struct pinned_source *source, const char *chosen,
	struct text *ptx, struct text *why);
/* Is there a folder in which to look?  Not where PTX is to be written: it is made anew. */
bool pinned_is_asked(struct arena *arena, const char *name, bool is_no_file);

/* Fills the request's, where it has one, with the reason and the version of the compiler that was taken instead. */
void pinned_tell(struct arena *arena, struct compile_unpinned *told, const char *why, const char *clang);

/* Is there a folder to which PTX is to be written, and is it there already, by this compiler? */
bool pinned_is_wanted(void);
bool pinned_is_there(struct arena *arena, const struct pinned_source *source, const char *clang);
/* Writes it.  `makefile` names what clang read, as its -MD does; null: that is not known.  False, and a line in the
 * log, when it cannot, or when the result depends on files that are in no folder of the options. */
bool pinned_write(struct arena *arena, const struct pinned_source *source, const struct text *ptx, const char *makefile,
	const char *clang, struct text *log);

/* Appends PTX without what is not pinned of it, sections of debugging data. */
void pinned_shear(struct text *out, const char *ptx);

/* Are all files of LOCKSTEP_PINNED whole?  True where there is no such variable. */
bool pinned_are_whole(struct diagnostic *diagnostic);

#endif
