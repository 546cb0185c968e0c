/* One compilation, of any language: its options, pinned PTX, what is kept of earlier ones, and the compiler. */
#ifndef LOCKSTEP_COMPILE_COMPILATION_H
#define LOCKSTEP_COMPILE_COMPILATION_H

#include "compile/compile.h"
#include "compile/kept.h"
#include "compile/options.h"
#include "compile/pinned.h"
#include "compile/toolchain.h"
#include "compile/tools.h"

struct compilation {
	struct arena arena;
	const struct language *language;
	const struct compile_request *request;
	const char *name; /* the request's, or that of a text without one */
	struct compile_options options;
	struct toolchain tools;
	struct kept kept;
	struct text source; /* with a line in front that gives its name; empty: clang reads the file */
	struct text log, ptx;
	const char *commands[2];  /* by which the source and then its intermediate code were compiled: tool_command */
	const char *dependencies; /* as the compiler lists them, for make; null: not known */
	struct text lookups;      /* the paths that it looked for, of all runs: compile/resident/message.h */
};

struct language {
	const char *name;    /* in messages */
	const char *version; /* of our code: the language and a number */
	bool needs_libclc;
	bool (*read_options)(struct compile_options *options, const char *text);
	/* Refuses what the device does not have, with a line in the log; null: nothing is refused. */
	bool (*refuses)(struct compilation *job);
	/* Adds what only this language has to what is pinned.  False: it cannot be read. */
	bool (*describe)(struct compilation *job, struct pinned_source *source);
	/* Adds to the key all that the result depends on, but the compiler and files that are read. */
	void (*add_to_key)(struct compilation *job, struct digest *key);
	/* The source to PTX by clang, and `dependencies` and `lookups`. */
	enum compile_outcome (*compile)(struct compilation *job);
};

/* After the run of a compiler on the source, with tool_watch: fills its command and `dependencies`, and adds to
 * `lookups`. */
void compilation_note(struct compilation *job, struct tool *tool);

/* *ptx and *log as in compile/compile.h. */
enum compile_outcome compilation_run(
	const struct language *language, const struct compile_request *request, char **ptx, char **log);

#endif
