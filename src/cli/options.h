/* The options of `lockstep kernel`, `lockstep run` and `lockstep lint`, as a table: name, value, help, and what reading it does. */
#ifndef LOCKSTEP_CLI_OPTIONS_H
#define LOCKSTEP_CLI_OPTIONS_H

#include "cli/arguments.h"
#include "lockstep.h"
#include "report/reporter.h"
#include "util/vector.h"

/* Whose options: bits. */
enum options_user { OPTIONS_KERNEL = 1, OPTIONS_RUN = 2, OPTIONS_LINT = 4 };

struct options {
	struct arena *arena;
	const char *command; /* for messages: "lockstep kernel" */
	enum options_user user;
	bool help;           /* --help was given: nothing else counts */

	/* The GPU and how it runs */
	const char *gpu;
	VECTOR(const char *) settings; /* without the null at the end */
	VECTOR(const char *) plugins;
	enum lockstep_mode mode;
	enum lockstep_on_fault on_fault;
	int error_exit; /* 0: not given */
	uint32_t threads;
	const char *findings; /* the file for them; null: none */
	uint64_t seed, max_cycles, hang_after, explain_limit;

	/* The report */
	const struct reporter *reporter;
	const char *output, *trace;
	bool shows;                /* `shown` was given */
	struct lockstep_warp shown;

	/* The kernel */
	const char *file, *kernel;
	uint32_t grid[3], block[3];
	uint32_t shared_bytes;
	VECTOR(struct argument) arguments;
	VECTOR(struct dump) dumps;
	const char *schedule; /* null: none */
	uint64_t schedules;   /* to try; 0: it just runs */

	/* The program of `run` */
	VECTOR(const char *) only; /* KERNEL or KERNEL:N */
	const char *opencl_version, *vendor, *device_name; /* null: not given */
	char **program;            /* its words, null-terminated */
};

/* Reads words[1] ... words[count - 1]; false and an error when they are not right.  Opens and changes nothing. */
bool options_read(struct options *options, int count, char **words, struct report *report);

/* The user's rows of the table, on stdout. */
void options_print(enum options_user user);

/* The policies' kinds: whether this is one, and all of them as "a, b or c". */
bool options_policy_kind(const char *kind);
const char *options_policy_kinds(struct arena *arena);

#endif
