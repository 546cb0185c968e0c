/* The compiler as a program, which runs on texts in memory.
 *
 * Nothing is written to a file system: what goes in and comes out are files in memory (memfd), which the compiler sees
 * as /proc/self/fd/N, so that a program that dies in the middle leaves nothing behind. */
#ifndef LOCKSTEP_COMPILE_TOOLS_H
#define LOCKSTEP_COMPILE_TOOLS_H

#include "util/arena.h"
#include "util/text.h"
#include "util/vector.h"

#include <sys/types.h>

/* One run of a program.  Zero-initialised but for `arena`. */
struct tool {
	struct arena *arena;
	VECTOR(const char *) words; /* the program first */
	VECTOR(int) files;          /* files in memory that it may open */
	/* With tool_watch, two of them: what it reads, for make, and each path that it looks for; null: not noted */
	const char *dependencies, *lookups;
	bool cannot_run; /* it could not even be started, ended without a word, or cannot be read */
	const char *why; /* there is no file in memory; null: no such failure */
};

void tool_add(struct tool *tool, const char *word);
void tool_add_all(struct tool *tool, const char *const *words); /* null-terminated */
/* For clang: the bitcode is linked as a library of built-in functions is. */
void tool_link(struct tool *tool, const char *bitcode);
/* For a compiler: leaves the working folder out of the names of files, so that a text that is no file has its name
 * alone.
 */
void tool_leave_folder_out(struct tool *tool);
/* For a compiler: notes what it reads and what it looks for.  False: there is no room. */
bool tool_watch(struct tool *tool);
/* A file in memory with this content, and the path under which the program finds it; null, and a reason in `why`, when
 * there is no room. */
const char *tool_file(struct tool *tool, const char *data, size_t length);
/* Its descriptor; -1 and errno. */
int tool_file_number(struct tool *tool, const char *data, size_t length);
/* Appends the line that says why there is no file. */
void tool_say_why(const struct tool *tool, struct text *log);
/* What the program has written to such a file; null when it cannot be read. */
const char *tool_file_text(struct tool *tool, const char *path, size_t *length);

/* Runs it with `input` as its standard input.  Its output goes to *output, in the arena, its messages are appended to
 * `log`. False when it failed; then there is a message. */
bool tool_run(struct tool *tool, const char *input, size_t length, const char **output, size_t *output_length,
	struct text *log);
/* Its words after the program as a line, without what differs from machine to machine or from run to run: of a path the
 * last part alone, of a file in memory "<memory>". */
const char *tool_command(const struct tool *tool);
/* What it says to --version, its first line; its path where it says nothing. */
const char *tool_version(struct arena *arena, const char *program);
/* Starts it with these standard files, its own and these variables; no signal is blocked or ignored in it, whatever
 * this process does with them.  0, or the value of errno. */
int tool_spawn(struct tool *tool, const int standard[3], char *const *variables, pid_t *child);
/* Closes the files.  To be called once, run or not. */
void tool_end(struct tool *tool);

#endif
