/* The claims and how they came out as a table of Markdown, to keep beside those of other runs. */
#ifndef LOCKSTEP_EXPERIMENT_SUMMARY_H
#define LOCKSTEP_EXPERIMENT_SUMMARY_H

#include "experiment/judge.h"
#include "util/text.h"

/* Appends it, with the build and the dates of the points, the processor of this machine, and what the claims of each
 * role sum to.  `seeds`: of how many values are means.  But for the processor the same results give the same bytes. */
void summary_write(struct text *out, const struct plan *plan, const struct points *points,
	const struct verdict *verdicts, uint32_t seeds, sqlite3 *db);

#endif
