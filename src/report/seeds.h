/* Runs of a command with several seeds (--seeds), as the report of the first has them: the member "seeds" of the report
 * and of each finding (docs/report-json.md). */
#ifndef LOCKSTEP_REPORT_SEEDS_H
#define LOCKSTEP_REPORT_SEEDS_H

#include "util/text.h"

struct json_object;

/* A new member of a report, to which seeds_add adds the runs. */
struct json_object *seeds_object(uint64_t first, uint64_t count);
/* The next run: how it ended, what its launches came to, and how much was found.  `options` are what this run had
 * besides the command's own: "--seed 4". */
struct seed_result {
	uint64_t seed;
	const char *options, *outcome;
	int status; /* the exit status; 128 and more: a signal ended it */
	uint64_t cycles, warp_instructions, findings;
};
/* Its outcome, where its launches completed and the program says that something is wrong. */
void seed_result_end(struct seed_result *result);
void seeds_add(struct json_object *seeds, const struct seed_result *result);
/* Puts the findings of such a run among all: one for each pair of lines, with the seeds that have it. */
void seeds_merge(struct json_object *all, struct json_object *findings, const struct seed_result *result);

/* For people: how the runs ended, and the first that did not complete.  Null: one run, of which nothing is said. */
void seeds_text(struct text *out, struct json_object *seeds);
/* "with 3 of 10 seeds, first with --seed 4": of a finding, if it is of such runs. */
void seeds_finding_text(struct text *out, struct json_object *finding);

#endif
