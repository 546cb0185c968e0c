/* The forms of reports, as a table: reporters.def.  Commands find a form here by its name, and name none themselves. */
#ifndef LOCKSTEP_REPORT_REPORTER_H
#define LOCKSTEP_REPORT_REPORTER_H

#include "report/checked.h"
#include "report/reports.h"
#include "report/style.h"
#include "util/vector.h"

struct comparison;
struct json_object;
struct profile;
struct provenance;
struct suppressions;

/* What was found, and what of it is suppressed; what the launches' lines cost, sorted; and how a text looks. */
struct report_findings {
	struct json_object *all; /* report_findings, with marks */
	const struct suppressions *suppressions;
	const struct profile *profile;
	const struct provenance *known; /* of what was run, beside what the GPU knows; null: nothing */
	struct json_object *seeds;      /* seeds_object; null: one run */
	struct report_style style;
};

/* ---- The results of a call of `lockstep run` ---- */

#define LAUNCHES_SHOWN 100 /* to a person */

/* All launches of one kernel. */
struct kernel_sum {
	const char *name;
	uint64_t launches, cycles, warp_instructions, thread_instructions;
	uint64_t timed; /* launches in timing mode */
	double seconds;
	uint64_t *counters; /* by lockstep_counter's index */
};

/* The launches of a stream or queue. */
struct stream_sum {
	uint64_t process, stream; /* both from 0 */
	uint64_t launches, cycles;
};

struct run_summary {
	char *const *words; /* of the program's command line, null-terminated */
	bool killed;
	int status; /* the program's exit status, or the signal that killed it */
	const char *gpu;
	const char *const *settings; /* KEY=VALUE */
	size_t setting_count;
	enum lockstep_mode mode;
	struct json_object *configuration; /* of the GPU; null: no process opened it */
	struct json_object *provenance;
	/* Arrays.  The launches in order, as report_launch makes them, with the process; for a report that is not
	 * complete LAUNCHES_SHOWN of them, without counters, and those that were interrupted.  The findings, each with
	 * the number of its launch.  Notes are texts. */
	struct json_object *launches, *findings, *notes;
	struct json_object *unpinned; /* array: {source, compiler, why} of what was compiled, though PTX is pinned */
	struct json_object *seeds;    /* seeds_object; null: one run */
	struct json_object *refused;  /* array: launches that the driver refused, as in the JSON report */
	struct checked checked;
	const struct suppressions *suppressions; /* by which findings are marked */
	VECTOR(struct kernel_sum) kernels;       /* the costliest first */
	struct profile *profile;                 /* of all launches, sorted */
	VECTOR(struct stream_sum) streams;       /* in the order of their first launches */
	uint64_t simulated;                      /* cycles: what the GPU's clock has come to, of all processes */
	size_t launch_count;                     /* of all, shown or not */
	uint64_t cycles;                         /* of all launches, as the seconds are */
	double seconds;
	uint64_t refused_count;
	const char *nothing; /* why nothing ran on the GPU; null: something did */
	bool went_wrong;     /* a launch did not complete, a signal killed the program, or it wrote over our memory */
	struct report_style style;
};

/* ---- Reporters ---- */

/* A value of --report.  Each hook appends to `out`; a report is one text. */
struct reporter {
	const char *name;
	bool litmus;   /* `lockstep litmus` has it, too */
	bool complete; /* a program reads it: it has all that is known, and nothing else may be printed where it is */
	bool is_page;  /* for a browser: not readable on a terminal */
	/* Everything that has run on `gpu`, which was opened with `options`. */
	void (*kernel)(struct text *out, const struct lockstep *gpu, const struct lockstep_options *options,
		const struct report_findings *findings, const struct dumped *dumps, size_t dump_count);
	/* What the processes of `lockstep run` did. */
	void (*run)(struct text *out, const struct run_summary *run);
	/* What lockstep_lint found in a file. */
	void (*lint)(struct text *out, const char *file, const struct lockstep_finding *findings, size_t count);
	/* What differs between two reports; of each kernel `most` counters, where it is for people. */
	void (*compare)(struct text *out, const struct comparison *comparison, uint32_t most);
};

/* sarif.c: appends findings as SARIF 2.1.0 (OASIS), so that a continuous integration system shows them on their lines:
 * an array as in the JSON report (report_findings, report_finding_list); those that are suppressed are in it, with
 * their marks.  `file` is the program or the kernels' file that ran, the place of those without a line. */
void sarif_write(struct text *out, const char *file, struct json_object *findings);

/* json.c: everything that has run on `gpu` as the object of the JSON report, the caller's; the values of `dumps` are to
 * live as long. */
struct json_object *report_kernel_object(const struct lockstep *gpu, const struct lockstep_options *options,
	const struct report_findings *findings, const struct dumped *dumps, size_t dump_count);

/* json.c: the "provenance" of that object, the caller's. */
struct json_object *report_kernel_provenance(const struct lockstep *gpu, const struct provenance *known);

/* run_json.c: likewise of `lockstep run`; and hooks of reporters. */
struct json_object *report_run_object(const struct run_summary *run);
void report_run_text(struct text *out, const struct run_summary *run);
void report_run_json(struct text *out, const struct run_summary *run);

/* The reporter of a name; the default when `name` is null; null when there is none of this name. */
const struct reporter *reporter_find(const char *name);
/* Their names in the order of the table, "text, json or html"; all of them, or those that `lockstep litmus` has. */
const char *reporter_names(struct arena *arena, bool litmus);
/* The same names for help, "|text|json". */
extern const char reporter_choices[];
/* How many of the findings are suspected: a spin loop that can block a warp. */
size_t reporter_count_suspected(const struct lockstep_finding *findings, size_t count);
/* Writes findings to a file by sarif_write, whole or not at all; an error in `diagnostic` when it could not. */
void reporter_write_findings(const char *path, struct arena *arena, const char *file, struct json_object *findings,
	struct diagnostic *diagnostic);

#endif
