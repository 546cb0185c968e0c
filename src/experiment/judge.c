/* Claims: our value by SQL, and whether it is the paper's. */
#include "experiment/judge.h"

#include "util/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const judgement_words[] = {"met", "not met", "not met: why", "not measured"};

/* What is no faster is no speed-up, however near. */
static bool is_same_side(const struct claim *claim, double paper, double own)
{
	return !claim->unit || strcmp(claim->unit, "x") || (paper > 1 ? own > 1 : own <= 1 || paper == 1);
}

/* Decimal fractions have no exact doubles: 2.7 - 2 is more than 0.35 * 2, by less than this. */
static double rounding(double paper, double own)
{
	return 4 * DBL_EPSILON * fmax(fabs(paper), fabs(own));
}

static bool is_met(const struct claim *claim, const char *ours)
{
	double paper = 0, own = 0;
	bool own_is_number = text_to_f64(ours, &own), numbers = text_to_f64(claim->paper, &paper) && own_is_number;
	if (!strcmp(claim->kind, "trend"))
		return own_is_number && own != 0;
	if (!strcmp(claim->kind, "ratio"))
		return numbers && fabs(own - paper) <= claim->tolerance * fabs(paper) + rounding(paper, own) &&
		       is_same_side(claim, paper, own);
	if (!strcmp(claim->kind, "exact") && numbers)
		return own == paper;
	return !strcmp(ours, claim->paper);
}

struct verdict judge_value(const struct claim *claim, const char *ours)
{
	struct verdict v = {.ours = ours, .ratio = NAN};
	double paper, own;
	if (is_met(claim, ours))
		v.judgement = CLAIM_MET;
	else
		v.judgement = claim->explanation ? CLAIM_EXPLAINED : CLAIM_NOT_MET;
	if (strcmp(claim->kind, "trend") && text_to_f64(claim->paper, &paper) && text_to_f64(ours, &own) && paper != 0)
		v.ratio = own / paper;
	return v;
}

uint32_t judge_failed(
	const struct points *points, const struct status *statuses, const struct scope *scope, uint32_t *all)
{
	struct arena scratch = {0};
	uint32_t failed = 0;
	bool *seen = arena_new_array(&scratch, bool, points->points.count + 1);
	*all = 0;
	for (uint32_t k = 0; k < points->entries.count; k++) {
		const struct entry *e = &points->entries.at[k];
		if (seen[e->point] || !points_in_scope(points, e, scope))
			continue;
		seen[e->point] = true;
		*all += 1;
		failed += statuses[e->point].failed;
	}
	arena_free(&scratch);
	return failed;
}

bool judge_claim(struct arena *arena, sqlite3 *db, const struct claim *claim, const struct points *points,
	const struct status *statuses, struct verdict *verdict, struct diagnostic *diagnostic)
{
	uint32_t all, failed = judge_failed(points, statuses, &claim->scope, &all);
	struct answer answer = database_ask(arena, db, claim->value, claim->place, diagnostic);
	*verdict = (struct verdict){.judgement = CLAIM_NOT_MEASURED, .ratio = NAN};
	if (answer.kind == ANSWER_WRONG)
		return false;
	if (!all)
		verdict->why = "its points were not asked for";
	else if (failed)
		verdict->why = arena_printf(arena, "%u of its %u points have no result", failed, all);
	else if (answer.kind == ANSWER_MISSING)
		verdict->why = arena_printf(arena, "no result has the counter %s", answer.missing);
	else if (!answer.rows || !answer.values[0])
		verdict->why = "the results do not tell";
	else
		*verdict = judge_value(claim, answer.values[0]);
	return true;
}
