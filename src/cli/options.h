/* The options of `lockstep kernel`, `run`, `lint`, `litmus`, `compare`, `report`, `sweep` and `fit`, read by the rows
 * of options/run_options.def.
 */
#ifndef LOCKSTEP_CLI_OPTIONS_H
#define LOCKSTEP_CLI_OPTIONS_H

#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/seeds.h"
#include "fit/fit.h"
#include "lockstep.h"
#include "options/run_options.h"
#include "report/reporter.h"
#include "report/suppressions.h"
#include "sweep/sweep.h"

struct report_options {
	const struct reporter *reporter;
	struct report_style style;
	const char *output;
	bool sums_launches;   /* a record of the report is all launches of a kernel */
	const char *findings; /* the file for them; null: none */
	const char *profile;  /* likewise for the profile, beside the report */
	struct suppressions suppressions;
	const char *generated; /* the file for suppressions of what was found; null: none */
};

struct litmus_options {
	uint64_t runs;
	bool races;
	bool reaches; /* what the GPU's memory does, and no test */
};

#define SNAPSHOTS_MB 512 /* unless --snapshots says otherwise */

struct debug_options {
	const char *dap;    /* where a client of the Debug Adapter Protocol comes from; null: none does */
	const char *script; /* null: commands are read from standard input */
	uint32_t megabytes;
	struct lockstep_checkpoint checkpoint; /* of `kernel`, which has no debugger then */
};

struct options {
	struct arena *arena;
	const char *command; /* for messages: "lockstep kernel" */
	enum options_user user;
	bool help; /* --help was given: nothing else counts */

	struct run_options run;
	struct lockstep_warp shown; /* run.setup.show points here if that is given ... */
	uint32_t shown_core;        /* ... and run.setup.show_lock_bits here ... */
	uint32_t shown_group;       /* ... and run.setup.show_mbarriers here ... */
	uint32_t shown_barriers_of; /* ... and run.setup.show_barriers here */
	int error_exit;             /* 0: not given */

	struct report_options report;

	/* The kernel */
	const char *file, *kernel;
	bool lists_kernels;      /* and runs none */
	struct text definitions; /* -D and -I, for the compiler */
	const char *firmware;    /* [FILE:]KERNEL; null: none */
	VECTOR(const char *) dispatches;
	bool has_block; /* was given */
	uint32_t grid[3], block[3], cluster[3];
	uint32_t shared_bytes;
	VECTOR(struct argument) arguments;
	VECTOR(struct dump) dumps;
	const char *replayed; /* the schedule of --replay's file; null: there is none */

	/* The comparison */
	const char *second_file;
	uint32_t counters; /* shown of a kernel; 0: all */

	/* The page: reports, in order */
	VECTOR(const char *) files;

	struct litmus_options litmus;
	struct debug_options debug;
	uint32_t jobs; /* host threads; of a sweep and of --seeds, processes, 0: not given */

	struct seeds_options seeds;

	struct sweep sweep; /* what varies in it, and what is shown */
	struct fit fit;     /* whose points, and how many */

	/* The program of `run`, or the command of `sweep` */
	char **program; /* its words, null-terminated */
};

/* Reads words[1] ... words[count - 1]; false and an error when they are not right.  Opens nothing but the files of
 * --suppressions, and changes nothing. */
bool options_read(struct options *options, int count, char **words, struct diagnostic *diagnostic);

/* The whole of a command that reads its options so; its exit status. */
int options_run(enum options_user user, command_of_options *command, int count, char **words);

/* The exit status of a command for what became of a kernel; of an interrupted one a signal is what it ends by. */
int outcome_status(enum lockstep_outcome outcome);
/* The report; where it is for people, files of the working folder and those below have no more than their names from
 * there. */
struct text options_shorten(const struct options *options, const struct text *text);
/* The report, folded where it is for people and `descriptor` is a terminal. */
struct text options_fold(const struct options *options, const struct text *text, int descriptor);
/* Writes what a command has made to --output, or to standard output; there, too, what a file could not take, unless it
 * is a page.  False: it, or something before, has failed. */
bool options_write(const struct options *options, const struct text *text, struct diagnostic *diagnostic);

/* The k-th option of a user's, in the order of --help; false past the last. */
struct option_row {
	const char *topic;               /* of this and those that follow; null: that of the one before */
	const char *name, *value, *help; /* value "": a switch; help null: it is in `made` */
	bool is_policy;                  /* --KIND NAME */
	char made[96];
};
bool options_row(enum options_user user, size_t k, struct option_row *row);

/* Opens a GPU and closes it, to see whether these are right.  False and an error. */
bool options_check_gpu(const struct lockstep_options *setup, struct diagnostic *diagnostic);
/* An error, which says what was expected, where no policies are of this kind. */
void options_check_kind(const char *kind, struct place place, struct arena *arena, struct diagnostic *diagnostic);

#endif
