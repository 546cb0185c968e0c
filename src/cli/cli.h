/* The `lockstep` command: its subcommands and what they share.  Uses the simulator only through include/lockstep.h. */
#ifndef LOCKSTEP_CLI_CLI_H
#define LOCKSTEP_CLI_CLI_H

#include "util/diagnostic.h"

#include <stddef.h>
#include <string.h>

/* Exit status: part of the contract (docs/report.md). */
enum { STATUS_COMPLETED = 0, STATUS_USAGE = 2, STATUS_HANG = 3, STATUS_FAULT = 4, STATUS_LIMIT = 5 };

struct arena;
struct lockstep;
struct lockstep_module;
struct options;

/* One of the two: a command whose options are rows of options/run_options.def, and have been read; or one that reads
 * its words itself, of which words[0] is its name.  Both return the exit status. */
typedef int command_of_options(struct options *options, struct diagnostic *diagnostic);
typedef int command_of_words(int count, char **words);

struct command {
	const char *name, *usage, *summary;
	const char *examples[2]; /* without "lockstep" */
	command_of_options *run;
	int options; /* enum options_user; 0: no options of that table */
	command_of_words *run_words;
};
extern const struct command commands[]; /* ends with a row without name */
int command_call(const struct command *command, int count, char **words);
/* The command whose name is nearest, for "did you mean"; null: none is near. */
const char *nearest_command(const char *name);
/* Reports an unknown command, on behalf of `where`; always STATUS_USAGE. */
int unknown_command(const char *where, const char *name);

command_of_options command_run, command_kernel, command_lint, command_compare, command_report, command_sweep,
	command_fit, command_litmus, command_debug;
command_of_words command_gpus, command_policies, command_cache, command_experiment, command_help, command_version;

/* What `lockstep help` says before the commands and after them. */
extern const char help_summary[], help_status[];

/* compile.c: the module of a file: PTX as it is, or compiled from OpenCL C (.cl) or CUDA C (.cu) by clang; null and an
 * error (the compiler's own messages go to stderr as they come).  *ptx becomes its PTX.  `options`: of the compiler,
 * null: none. */
struct lockstep_module *compile_and_load(struct lockstep *gpu, struct arena *arena, const char *file,
	const char *options, const char **ptx, struct diagnostic *diagnostic);

/* Prints the message on stderr; always STATUS_USAGE. */
int fail(const struct diagnostic *diagnostic);
/* As above, one line made of `format`, without a newline in it. */
__attribute__((format(printf, 1, 2))) int fail_line(const char *format, ...);

/* Writes to stdout, all of it or false and an error. */
bool print_all(const char *text, size_t length, struct diagnostic *diagnostic);

/* Whether a file's name is that of a kernel's source: .cu, .cl or .ptx. */
static inline bool is_kernel_file(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot && (!strcmp(dot, ".cu") || !strcmp(dot, ".cl") || !strcmp(dot, ".ptx"));
}

/* True for --help and -h. */
static inline bool wants_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}
/* The usage line of a command, on stdout. */
void print_usage(const char *command);

#endif
