/* The options of `lockstep kernel`, as a table: name, value, help, and what reading it does. */
#ifndef LOCKSTEP_CLI_OPTIONS_H
#define LOCKSTEP_CLI_OPTIONS_H

#include "cli/arguments.h"
#include "lockstep.h"
#include "util/vector.h"

struct options {
	struct arena *arena;
	const char *command; /* for messages: "lockstep kernel" */
	bool help;           /* --help was given: nothing else counts */

	/* The GPU and how it runs */
	const char *gpu;
	VECTOR(const char *) settings; /* without the null at the end */
	VECTOR(const char *) plugins;
	enum lockstep_mode mode;
	uint32_t threads;
	uint64_t seed, max_cycles;

	/* The report */
	bool json;
	const char *output, *trace;

	/* The kernel */
	const char *file, *kernel;
	uint32_t grid[3], block[3];
	uint32_t shared_bytes;
	VECTOR(struct argument) arguments;
	VECTOR(struct dump) dumps;
};

/* Reads words[1] ... words[count - 1]; false and an error when they are not right.  Opens and changes nothing. */
bool options_read(struct options *options, int count, char **words, struct report *report);

/* The table, on stdout. */
void options_print(void);

/* The policies' kinds: whether this is one, and all of them as "a, b or c". */
bool options_policy_kind(const char *kind);
const char *options_policy_kinds(struct arena *arena);

#endif
