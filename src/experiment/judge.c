/* Claims: our values by SQL, one for each seed, and whether they are the paper's. */
#include "experiment/judge.h"

#include "util/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const judgement_words[JUDGEMENTS] = {
	"met", "direction only", "not met", "unsure", "not met: why", "not met: stale reason", "not measured"};

/* ---- The interval of a mean ---- */

/* Student's t, two-sided, 95 %, by degrees of freedom from 1 (any table of it); beyond, the normal distribution's is
 * near enough. */
static double student(uint32_t freedom)
{
	static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
		2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
		2.052, 2.048, 2.045, 2.042};
	return freedom <= sizeof table / sizeof *table ? table[freedom - 1] : 1.960;
}

struct interval {
	double mean, low, high;
};

static struct interval interval_of(const double *x, uint32_t count)
{
	double sum = 0, squares = 0;
	for (uint32_t k = 0; k < count; k++)
		sum += x[k];
	double mean = sum / count;
	for (uint32_t k = 0; k < count; k++)
		squares += (x[k] - mean) * (x[k] - mean);
	double half = count > 1 ? student(count - 1) * sqrt(squares / (count - 1) / count) : 0;
	return (struct interval){mean, mean - half, mean + half};
}

static enum judgement against(struct interval i, double from, double to)
{
	from -= 4 * DBL_EPSILON * fabs(from); /* decimal fractions have no exact doubles */
	to += 4 * DBL_EPSILON * fabs(to);
	if (i.low >= from && i.high <= to)
		return CLAIM_MET;
	return i.high < from || i.low > to ? CLAIM_NOT_MET : CLAIM_UNSURE;
}

/* ---- Kinds of numbers ---- */

/* Of ln ours / ln paper.  Within a quarter of the paper's effect it is the same; from half of it to twice as much it
 * has the paper's sign and order. */
#define SAME_LEAST 0.75
#define SAME_MOST 1.25
#define DIRECTION_LEAST 0.5
#define DIRECTION_MOST 2.0

static enum judgement judge_effect(struct interval effect)
{
	enum judgement same = against(effect, SAME_LEAST, SAME_MOST);

	if (same == CLAIM_MET)
		return CLAIM_MET;
	enum judgement direction = against(effect, DIRECTION_LEAST, DIRECTION_MOST);
	if (direction == CLAIM_MET)
		return same == CLAIM_UNSURE ? CLAIM_UNSURE : CLAIM_DIRECTION;
	return direction;
}

/* In logarithms.  One that is not above 0 has none, and is no such effect. */
static void judge_factor(struct verdict *v, double paper, double *x, uint32_t count, double *mean)
{
	*mean = interval_of(x, count).mean;
	for (uint32_t k = 0; k < count; k++) {
		if (!(x[k] > 0)) {
			v->judgement = CLAIM_NOT_MET;
			return;
		}
		x[k] = log(x[k]);
	}
	struct interval logarithms = interval_of(x, count);
	for (uint32_t k = 0; k < count; k++)
		x[k] /= log(paper);
	struct interval effect = interval_of(x, count);
	v->judgement = judge_effect(effect);
	v->ratio = effect.mean;
	v->low = exp(logarithms.low);
	v->high = exp(logarithms.high);
	*mean = exp(logarithms.mean);
}

/* Whose bounds the claim gives, with the paper's number. */
static struct bounds bounds_of(const struct claim *claim)
{
	struct bounds paper = plan_paper(claim);
	double room = claim->tolerance * fabs(paper.from);

	if (!strcmp(claim->kind, "points"))
		room = fmin(claim->tolerance, fabs(paper.from) / 2);
	else if (strcmp(claim->kind, "ratio"))
		return paper;
	return (struct bounds){paper.from - room, paper.to + room};
}

static void judge_amount(struct verdict *v, const struct claim *claim, const double *x, uint32_t count, double *mean)
{
	double paper = 0;
	struct bounds bounds = bounds_of(claim);
	struct interval i = interval_of(x, count);
	v->judgement = against(i, bounds.from, bounds.to);
	v->ratio = text_to_f64(claim->paper, &paper) && paper != 0 ? i.mean / paper : NAN;
	v->low = i.low;
	v->high = i.high;
	*mean = i.mean;
}

static void judge_numbers(struct arena *arena, struct verdict *v, const struct claim *claim, double *x, uint32_t count)
{
	double mean = 0;
	bool varied = false;
	for (uint32_t k = 1; k < count; k++)
		varied |= x[k] != x[0];
	if (!strcmp(claim->kind, "factor"))
		judge_factor(v, plan_paper(claim).from, x, count, &mean);
	else
		judge_amount(v, claim, x, count, &mean);
	v->ours = arena_printf(arena, "%.15g", mean);
	if (!varied)
		v->low = v->high = NAN;
	if (v->judgement == CLAIM_NOT_MET && claim->explanation)
		v->judgement = mean >= claim->holds.at[0] && mean <= claim->holds.at[1] ? CLAIM_EXPLAINED : CLAIM_STALE;
}

/* ---- The other kinds ---- */

static bool is_met(const struct claim *claim, const char *ours)
{
	double paper = 0, own = 0;
	bool own_is_number = text_to_f64(ours, &own), numbers = text_to_f64(claim->paper, &paper) && own_is_number;
	if (!strcmp(claim->kind, "trend"))
		return own_is_number && own != 0;
	if (!strcmp(claim->kind, "exact") && numbers)
		return own == paper;
	return !strcmp(ours, claim->paper);
}

/* The value shown is the first seed's, or the first that is not as the paper has it. */
static void judge_each(
	struct arena *arena, struct verdict *v, const struct claim *claim, const char *const *values, uint32_t count)
{
	uint32_t met = 0;
	const char *other = NULL;
	double paper, own;
	for (uint32_t k = 0; k < count; k++) {
		if (is_met(claim, values[k]))
			met++;
		else if (!other)
			other = values[k];
	}
	v->ours = arena_printf(arena, "%s", other ? other : values[0]);
	v->judgement = met == count                                     ? CLAIM_MET
		       : met                                            ? CLAIM_UNSURE
		       : claim->explanation && !plan_has_numbers(claim) ? CLAIM_EXPLAINED
									: CLAIM_NOT_MET;
	if (strcmp(claim->kind, "trend") && text_to_f64(claim->paper, &paper) && text_to_f64(v->ours, &own) &&
		paper != 0)
		v->ratio = own / paper;
}

struct verdict judge_values(struct arena *arena, const struct claim *claim, const char *const *values, uint32_t count)
{
	struct verdict v = {.seeds = count, .ratio = NAN, .low = NAN, .high = NAN};
	double *x = arena_new_array(arena, double, count);
	bool numbers = true;
	for (uint32_t k = 0; k < count; k++)
		numbers &= text_to_f64(values[k], &x[k]);
	if (plan_has_numbers(claim) && numbers)
		judge_numbers(arena, &v, claim, x, count);
	else
		judge_each(arena, &v, claim, values, count);
	return v;
}

/* ---- Asking ---- */

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

static bool is_of_claim(const struct claim *claim, uint64_t seed)
{
	for (uint32_t k = 0; k < claim->seeds.count; k++)
		if ((uint64_t)claim->seeds.at[k] == seed)
			return true;
	return !claim->seeds.count;
}

/* The values of the samples that have one, and their seeds.  False: the question is wrong; *missing: no result has this
 * counter. */
static bool ask(struct arena *arena, const struct samples *samples, sqlite3 *const *db, const struct claim *claim,
	const char **values, uint64_t *of_seeds, uint32_t *count, const char **missing, struct diagnostic *diagnostic)
{
	*count = 0;
	for (uint32_t k = 0; k < samples->count; k++) {
		if (!is_of_claim(claim, samples->seeds[k]))
			continue;
		struct answer answer = database_ask(arena, db[k], claim->value, claim->place, diagnostic);
		if (answer.kind == ANSWER_WRONG)
			return false;
		if (answer.kind == ANSWER_MISSING)
			*missing = answer.missing;
		else if (answer.rows && answer.values[0]) {
			of_seeds[*count] = samples->seeds[k];
			values[(*count)++] = answer.values[0];
		}
	}
	return true;
}

#define MOVED 0.05 /* a share of the value before */

bool judge_has_moved(const struct move *move)
{
	double before = 0, after = 0;
	if (!move->before)
		return false;
	if ((move->was == CLAIM_MET) != (move->becomes == CLAIM_MET))
		return true;
	if (!text_to_f64(move->before, &before) || !text_to_f64(move->after, &after))
		return strcmp(move->before, move->after) != 0;
	return fabs(after - before) > MOVED * fabs(before);
}

/* Null: the results do not tell. */
static const char *ask_one(struct arena *arena, sqlite3 *db, const struct claim *claim, struct diagnostic *diagnostic)
{
	struct answer answer = database_ask(arena, db, claim->value, claim->place, diagnostic);
	return answer.kind == ANSWER_VALUES && answer.rows ? answer.values[0] : NULL;
}

static struct move judge_parameter(struct arena *arena, const struct samples *samples, const struct claim *claim,
	uint32_t control, struct diagnostic *diagnostic)
{
	const char *before = ask_one(arena, samples->db[0], claim, diagnostic),
		   *after = ask_one(arena, samples->controlled[control * samples->count], claim, diagnostic);
	if (!before || !after || !is_of_claim(claim, samples->seeds[0]))
		return (struct move){0};
	return (struct move){before, after, judge_values(arena, claim, &before, 1).judgement,
		judge_values(arena, claim, &after, 1).judgement};
}

/* Which controls the claim does not depend on, and how parameters move it. */
static bool judge_controls(struct arena *arena, const struct samples *samples, const struct plan *plan,
	const struct claim *claim, const struct points *points, struct verdict *verdict, struct diagnostic *diagnostic)
{
	const char **values = arena_new_array(arena, const char *, samples->count);
	uint64_t *of_seeds = arena_new_array(arena, uint64_t, samples->count);
	verdict->moves = arena_new_array(arena, struct move, plan->controls.count + 1);
	for (uint32_t k = 0; k < plan->controls.count; k++) {
		const struct control *control = &plan->controls.at[k];
		const char *missing = NULL;
		uint32_t count;
		if (!sample_concerns(points, control, &claim->scope))
			continue;
		if (control->parameter) {
			verdict->moves[k] = judge_parameter(arena, samples, claim, k, diagnostic);
			continue;
		}
		if (!ask(arena, samples, samples->controlled + (size_t)k * samples->count, claim, values, of_seeds,
			    &count, &missing, diagnostic))
			return false;
		if (!missing && count && judge_values(arena, claim, values, count).judgement == CLAIM_MET)
			verdict->without = verdict->without
						   ? arena_printf(arena, "%s, %s", verdict->without, control->name)
						   : control->name;
	}
	return !diagnostic->failed;
}

bool judge_claim(struct arena *arena, const struct samples *samples, const struct plan *plan, const struct claim *claim,
	const struct points *points, const struct status *statuses, struct verdict *verdict,
	struct diagnostic *diagnostic)
{
	const char **values = arena_new_array(arena, const char *, samples->count), *missing = NULL;
	uint64_t *of_seeds = arena_new_array(arena, uint64_t, samples->count);
	uint32_t all, count, failed = judge_failed(points, statuses, &claim->scope, &all),
			     left_out = points_left_out(points, &claim->scope);
	*verdict = (struct verdict){.judgement = CLAIM_NOT_MEASURED, .ratio = NAN, .low = NAN, .high = NAN};
	if (!ask(arena, samples, samples->db, claim, values, of_seeds, &count, &missing, diagnostic))
		return false;
	verdict->unasked = !all || left_out;
	if (!all)
		verdict->why = "its points were not asked for";
	else if (left_out)
		verdict->why = arena_printf(arena, "%u of its points were not asked for", left_out);
	else if (failed)
		verdict->why = arena_printf(arena, "%u of its %u points have no result", failed, all);
	else if (missing)
		verdict->why = arena_printf(arena, "no result has the counter %s", missing);
	else if (!count)
		verdict->why = "the results do not tell";
	else {
		*verdict = judge_values(arena, claim, values, count);
		verdict->values = values;
		verdict->of_seeds = of_seeds;
		return judge_controls(arena, samples, plan, claim, points, verdict, diagnostic);
	}
	return true;
}

/* ---- Sums ---- */

void judge_count(const struct plan *plan, const struct verdict *verdicts, struct tally tallies[ROLE_COUNT])
{
	memset(tallies, 0, ROLE_COUNT * sizeof *tallies);
	for (uint32_t k = 0; k < plan->claims.count; k++) {
		struct tally *tally = &tallies[plan_role(&plan->claims.at[k])];
		tally->all++;
		tally->by[verdicts[k].judgement]++;
		tally->empty += verdicts[k].judgement == CLAIM_MET && verdicts[k].without;
	}
}

uint32_t judge_count_asked(const struct plan *plan, const struct verdict *verdicts, struct tally tallies[ROLE_COUNT])
{
	uint32_t asked = plan->claims.count;

	judge_count(plan, verdicts, tallies);
	for (uint32_t k = 0; k < plan->claims.count; k++) {
		struct tally *tally = &tallies[plan_role(&plan->claims.at[k])];
		tally->all -= verdicts[k].unasked;
		tally->by[CLAIM_NOT_MEASURED] -= verdicts[k].unasked;
		asked -= verdicts[k].unasked;
	}
	return asked;
}

const char *judge_tally(struct arena *arena, const struct tally *tally)
{
	struct text text = {.arena = arena};
	for (uint32_t k = 0; k < JUDGEMENTS; k++) {
		if (!tally->by[k])
			continue;
		text_print(&text, "%s%u %s", text.length ? ", " : "", tally->by[k], judgement_words[k]);
		if (k == CLAIM_MET && tally->empty)
			text_print(&text, " (%u of them without the mechanism, too)", tally->empty);
	}
	return text.length ? text.at : "none";
}

const char *judge_said(struct arena *arena, const struct verdict *verdict)
{
	const char *words = judgement_words[verdict->judgement];
	return verdict->judgement == CLAIM_MET && verdict->without
		       ? arena_printf(arena, "%s, also %s", words, verdict->without)
		       : words;
}

/* Whether this is the first part of its claim; then what all its parts come to. */
static bool sum_parts(const struct plan *plan, const struct verdict *verdicts, uint32_t k, bool *fitted, bool *met)
{
	bool asked = false;
	*fitted = false;
	*met = true;
	for (uint32_t n = 0; n < plan->claims.count; n++) {
		if (strcmp(plan->claims.at[n].id, plan->claims.at[k].id))
			continue;
		if (n < k)
			return false;
		*fitted |= plan_role(&plan->claims.at[n]) == ROLE_FITTED;
		*met &= verdicts[n].judgement == CLAIM_MET;
		asked |= !verdicts[n].unasked;
	}
	return asked;
}

const char *judge_met(
	struct arena *arena, const struct plan *plan, const struct verdict *verdicts, uint32_t *met, uint32_t *all)
{
	struct text text = {.arena = arena};
	bool is_fitted, is_met;
	*met = *all = 0;
	text_append(&text, "", 0);
	for (uint32_t k = 0; k < plan->claims.count; k++) {
		if (!sum_parts(plan, verdicts, k, &is_fitted, &is_met) || is_fitted)
			continue;
		++*all;
		if (is_met)
			text_print(&text, "%s%s", (*met)++ ? " " : "", plan->claims.at[k].id);
	}
	return text.at;
}

bool judge_is_strict(const struct verdict *verdict)
{
	return verdict->judgement == CLAIM_MET || verdict->judgement == CLAIM_DIRECTION ||
	       verdict->judgement == CLAIM_EXPLAINED || verdict->judgement == CLAIM_NOT_MEASURED;
}
