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
	/* By which the source was compiled, and then its intermediate code, in two runs: tool_command */
	const char *commands[3];
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

/* Prepared intermediate code to PTX, in two runs of clang: the first optimises it, the second makes the PTX.  Between
 * them the places of inlined code are marked (inlined.h), which before would change what LLVM merges.  `words`,
 * null-terminated, and `more`, before them, are for both runs.  Null: it failed, and the log says why; *cannot_run as
 * in a tool. */
const char *compilation_generate(struct compilation *job, const char *const *words, const char *const *more,
	uint32_t more_count, const char *ir, size_t *length, bool *cannot_run);

/* *ptx and *log as in compile/compile.h. */
enum compile_outcome compilation_run(
	const struct language *language, const struct compile_request *request, char **ptx, char **log);

#endif
