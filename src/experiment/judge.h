/* The paper's claims against the results. */
#ifndef LOCKSTEP_EXPERIMENT_JUDGE_H
#define LOCKSTEP_EXPERIMENT_JUDGE_H

#include "experiment/collect.h"

enum judgement { CLAIM_MET, CLAIM_NOT_MET, CLAIM_EXPLAINED, CLAIM_NOT_MEASURED };
extern const char *const judgement_words[];

struct verdict {
	enum judgement judgement;
	const char *ours; /* null: not measured */
	double ratio;     /* ours by the paper's; NaN where that makes no sense */
	const char *why;  /* not measured: one line */
};

/* By the claim's kind alone:
 *     exact     equal numbers, or equal texts
 *     verdict   equal texts
 *     trend     a number that is not 0
 *     ratio     within the tolerance, a share of the paper's number; with the unit x also on the same side of 1
 * One that is not met and has an explanation is explained. */
struct verdict judge_value(const struct claim *claim, const char *ours);

/* Asks the database.  False and an error with the claim's place when its SQL is wrong. */
bool judge_claim(struct arena *arena, sqlite3 *db, const struct claim *claim, const struct points *points,
	const struct status *statuses, struct verdict *verdict, struct diagnostic *diagnostic);

/* Points of this scope that have not passed; in *all, how many there are. */
uint32_t judge_failed(
	const struct points *points, const struct status *statuses, const struct scope *scope, uint32_t *all);

#endif
