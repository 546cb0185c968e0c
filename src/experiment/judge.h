/* The paper's claims against the results. */
#ifndef LOCKSTEP_EXPERIMENT_JUDGE_H
#define LOCKSTEP_EXPERIMENT_JUDGE_H

#include "experiment/sample.h"

enum judgement {
	CLAIM_MET,
	CLAIM_DIRECTION, /* a factor: the effect has the paper's sign and order, but not its size */
	CLAIM_NOT_MET,
	CLAIM_UNSURE,    /* the interval, or the seeds, are on both sides */
	CLAIM_EXPLAINED, /* not met; our value is one that the explanation is of */
	CLAIM_STALE,     /* not met; our value is not one that the explanation is of */
	CLAIM_NOT_MEASURED,
	JUDGEMENTS
};
extern const char *const judgement_words[JUDGEMENTS];

/* What another value of a parameter makes of a claim, with the first seed. */
struct move {
	const char *before, *after; /* ours; null: it does not concern the claim, or the results do not tell */
	enum judgement was, becomes;
};

struct verdict {
	enum judgement judgement;
	const char *ours; /* the mean of the seeds' values, of a factor the geometric one; null: not measured */
	uint32_t seeds;   /* that gave a value */
	/* 95 % interval of the mean (Student's t); NaN: of equal values, one seed's too, or no numbers */
	double low, high;
	double ratio;        /* ours by the paper's; of a factor ln ours by ln paper; NaN where that makes no sense */
	const char *why;     /* not measured: one line */
	bool unasked;        /* it is not measured, since points were not asked for */
	const char *without; /* names of the controls under which it is still met, with commas; null: none */
	struct move *moves;  /* by the control's number; of controls without a parameter empty */
	const char **values; /* one of each seed that gave one */
	uint64_t *of_seeds;  /* those, likewise */
};

/* From the values of the seeds, by the claim's kind alone.  The numbers are means, with an interval: met when all of it
 * is within the bounds, not met when all of it is outside, else unsure.
 *     factor    ln ours / ln paper from 3/4 to 5/4: the effect, not the number; direction: from 1/2 to 2
 *     points    within the tolerance of the paper's value, and within half of that value
 *     ratio     within the tolerance, a share of the paper's value
 *     range     from the smaller to the greater of the paper's two numbers
 *     atmost    no more than the paper's number
 *     atleast   no less
 * The others are unsure when seeds differ:
 *     exact     equal numbers, or equal texts
 *     verdict   equal texts
 *     trend     a number that is not 0 */
struct verdict judge_values(struct arena *arena, const struct claim *claim, const char *const *values, uint32_t count);

/* Whether the value changes by more than 5 %, or whether the claim is met. */
bool judge_has_moved(const struct move *move);

/* Asks the samples, and what controls make of them.  False and an error with the claim's place when its SQL is wrong.
 */
bool judge_claim(struct arena *arena, const struct samples *samples, const struct plan *plan, const struct claim *claim,
	const struct points *points, const struct status *statuses, struct verdict *verdict,
	struct diagnostic *diagnostic);

/* How the claims of a role came out. */
struct tally {
	uint32_t all, by[JUDGEMENTS];
	uint32_t empty; /* met, and still met under a control */
};

/* Of all roles, by their number. */
void judge_count(const struct plan *plan, const struct verdict *verdicts, struct tally tallies[ROLE_COUNT]);
/* Likewise, without those whose points were not asked for (--only).  Returns how many claims are left. */
uint32_t judge_count_asked(const struct plan *plan, const struct verdict *verdicts, struct tally tallies[ROLE_COUNT]);
/* "12 met (2 of them without the mechanism, too), 3 not met, 1 unsure". */
const char *judge_tally(struct arena *arena, const struct tally *tally);
/* "met", "not met"; "met, also without BOWS": under which controls it is still met. */
const char *judge_said(struct arena *arena, const struct verdict *verdict);
/* "A-1 A-3": the ids of which no part is fitted and all parts are met.  *all: how many have no fitted part, of those
 * whose points were asked for; *met: how many of them are met. */
const char *judge_met(
	struct arena *arena, const struct plan *plan, const struct verdict *verdicts, uint32_t *met, uint32_t *all);
/* Whether a claim is as it must be with --strict: met, in direction alone or not, not measured, or not met in a
 * way that is explained. */
bool judge_is_strict(const struct verdict *verdict);

/* Points of this scope that have not passed; in *all, how many there are. */
uint32_t judge_failed(
	const struct points *points, const struct status *statuses, const struct scope *scope, uint32_t *all);

#endif
