/* The results of a call of `lockstep run`, for the reporters. */
#ifndef LOCKSTEP_REPORT_RUN_SUMMARY_H
#define LOCKSTEP_REPORT_RUN_SUMMARY_H

#include "lockstep.h"
#include "report/style.h"
#include "util/text.h"
#include "util/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;
struct profile;
struct suppressions;

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
	char *const *words; /* of the program's command line; null behind the last */
	bool killed;
	int status; /* the program's exit status, or the signal that killed it */
	const char *gpu;
	const char *const *settings; /* KEY=VALUE */
	size_t setting_count;
	enum lockstep_mode mode;
	struct json_object *configuration; /* of the GPU; null: no process opened it */
	/* Arrays.  The launches in order, as report_launch makes them, with the process; for a report that is not
	 * complete LAUNCHES_SHOWN of them, without counters, and those that were interrupted.  The findings, each with
	 * the number of its launch.  Notes are texts. */
	struct json_object *launches, *findings, *notes;
	struct json_object *unpinned; /* array: {source, compiler, why} of what was compiled, though PTX is pinned */
	const struct suppressions *suppressions; /* by which findings are marked */
	VECTOR(struct kernel_sum) kernels;       /* the costliest first */
	struct profile *profile;                 /* of all launches, sorted */
	VECTOR(struct stream_sum) streams;       /* in the order of their first launches */
	uint64_t simulated;                      /* cycles: what the GPU's clock has come to, of all processes */
	size_t launch_count;                     /* of all, shown or not */
	uint64_t cycles;                         /* of all launches, as the seconds are */
	double seconds;
	const char *nothing; /* why nothing ran on the GPU; null: something did */
	bool went_wrong;     /* a launch did not complete, a signal killed the program, or it wrote over our memory */
	struct report_style style;
};

/* The object of the JSON report, the caller's. */
struct json_object *report_run_object(const struct run_summary *run);
/* Parts of the reporters of the same names. */
void report_run_text(struct text *out, const struct run_summary *run);
void report_run_json(struct text *out, const struct run_summary *run);

#endif
