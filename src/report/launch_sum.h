/* All launches of a kernel as one record of a report (--sum-launches): a program whose kernels launch kernels has
 * thousands, with hundreds of counters each. */
#ifndef LOCKSTEP_REPORT_LAUNCH_SUM_H
#define LOCKSTEP_REPORT_LAUNCH_SUM_H

#include "lockstep.h"
#include "util/vector.h"

struct json_object;

/* Launches of one kernel in one process that ran in the same mode and ended in the same way. */
struct launch_sum {
	struct lockstep_result result; /* of the first, with the sums of all; names and counters are the arena's */
	uint64_t process, stream;      /* as the caller counts them */
	uint64_t launches;
	uint64_t end;           /* cycle of the GPU's clock at which the last one ended */
	uint32_t differs;       /* members that are not the same in all: bits, by the table in launch_sum.c */
	uint64_t *counter_sums; /* in lockstep_counter's order */
};

struct launch_sums {
	VECTOR(struct launch_sum) all; /* in the order of their first launches */
};

/* Adds a launch and returns the place of its sum.  Findings, and what --profile and --samples add, are not kept. */
size_t launch_sums_add(struct arena *arena, struct launch_sums *sums, const struct lockstep_result *result,
	uint64_t process, uint64_t stream);

/* The record, as docs/report-json.md has it; the caller's. */
struct json_object *launch_sum_record(struct arena *arena, const struct launch_sum *sum);

#endif
