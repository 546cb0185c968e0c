/* Laws: which points each is about, and the searches for the values of their fields. */
#include "fit/fit.h"

#include "lockstep.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define POINTS_MOST 6 /* of a law */
#define STAGES 5
#define EXACT 0.0005 /* an error below this is that of the table's rounding; bounds are as near as that */
#define KEPT                                                                                                           \
	0.005 /* an error of the model's value below this, or above the best one's by less, is no reason to change it  \
	       */
#define MEDIAN_MOST 0.05 /* errors of a law that describes its points */
#define WORST_MOST 0.25
#define TRIES_MOST 20
#define TRIES_WITHOUT_EFFECT 8
#define RATIO_LEAST 0.001 /* where a difference is 0 or less */

static const struct fit_law laws[] = {
#define LAW(stage, field, together, stands_for, sign, primitives, types, least, most, stride, footprint, groups, less) \
	{field, together, stands_for, stage, sign, primitives, types, least, most, stride, footprint, FIT_##groups,    \
		less},
#include "fit/laws.def"
#undef LAW
};

/* ---- Points of a law ---- */

/* Whether the word is one of those in the list; null: any is. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at && *at; at += strcspn(at, " "), at += *at == ' ')
		if (!strncmp(at, word, length) && (at[length] == ' ' || !at[length]))
			return true;
	return !list;
}

static bool has_groups(const struct fit *fit, enum fit_groups groups, uint32_t count)
{
	uint64_t cores = lockstep_field(fit->gpu, "core.count").number;

	return groups == FIT_ALL ? count == cores : groups == FIT_SOME ? count <= cores : count == 1;
}

static bool is_of(const struct fit *fit, const struct fit_law *law, const struct fit_point *p)
{
	return !p->held_out && has_word(law->primitives, p->primitive) && has_word(law->types, p->type) &&
	       p->threads >= law->least_threads && p->threads <= law->most_threads &&
	       (!law->stride || p->stride == law->stride) && p->footprint <= law->most_footprint &&
	       has_groups(fit, law->groups, p->groups);
}

/* The point that differs from this one in its threads alone; none: UINT32_MAX. */
static uint32_t find_base(const struct fit *fit, const struct fit_point *p, uint32_t threads)
{
	for (uint32_t k = 0; k < fit->points.count; k++) {
		const struct fit_point *b = &fit->points.at[k];

		if (!b->held_out && b->threads == threads && b->groups == p->groups && b->stride == p->stride &&
			b->footprint == p->footprint && !strcmp(b->primitive, p->primitive) &&
			!strcmp(b->type, p->type) && b->measured < p->measured)
			return k;
	}
	return UINT32_MAX;
}

/* All that fit, in the order of the table; of many some that are equally far from each other. */
static void choose_points(struct fit *fit, struct fit_search *s)
{
	VECTOR(uint32_t) points = {0}, bases = {0};

	for (uint32_t k = 0; k < fit->points.count; k++) {
		const struct fit_point *p = &fit->points.at[k];
		uint32_t base = 0;

		if (!is_of(fit, s->law, p))
			continue;
		if (s->law->less_threads && (base = find_base(fit, p, s->law->less_threads)) == UINT32_MAX)
			continue;
		*vector_push(fit->arena, &points) = k;
		*vector_push(fit->arena, &bases) = base;
	}
	uint32_t count = points.count < POINTS_MOST ? points.count : POINTS_MOST;
	for (uint32_t k = 0; k < count; k++) {
		*vector_push(fit->arena, &s->points) = points.at[k * points.count / count];
		*vector_push(fit->arena, &s->bases) = bases.at[k * points.count / count];
	}
}

/* ---- The search ---- */

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* From the only bound on: as far as a field would have to go that the time is proportional to, then twice as far each
 * time. */
static int64_t expand(const struct fit_search *s, int64_t least, int64_t most)
{
	int64_t from = s->has_low ? s->low : s->high;
	double error = s->has_low ? s->low_error : s->high_error;
	double far = fabs((double)s->start * expm1(fabs(error))), twice = fabs((double)(from - s->start)) * 2;
	int64_t step = (int64_t)fmin(fmax(fmax(far, twice), 1), 1e12);

	return clamp(s->has_low ? from + step : from - step, least, most);
}

/* Between the bounds: where a straight line is 0, and each third time in the middle. */
static int64_t between(const struct fit_search *s)
{
	double low = fabs(s->low_error), high = fabs(s->high_error);
	double share = s->tries % 3 == 0 || low + high <= 0 ? 0.5 : low / (low + high);
	int64_t value = s->low + (int64_t)llround((double)(s->high - s->low) * share);

	return clamp(value, s->low + 1, s->high - 1);
}

static void set_bound(struct fit_search *s, double error)
{
	if (s->law->sign * error > 0) {
		s->has_high = true;
		s->high = s->next;
		s->high_error = error;
	} else {
		s->has_low = true;
		s->low = s->next;
		s->low_error = error;
	}
}

/* All errors so far are the same. */
static bool has_no_effect(const struct fit_search *s)
{
	return s->tries >= TRIES_WITHOUT_EFFECT && s->greatest - s->least < 1e-9;
}

static void finish(struct fit_search *s)
{
	bool is_good = s->median <= MEDIAN_MOST && s->worst <= WORST_MOST;
	bool is_better = s->best != s->start && s->start_median - s->median > KEPT;

	s->state = !is_good ? FIT_BAD : is_better ? FIT_PROPOSED : FIT_KEPT;
}

bool fit_step(struct fit_search *s, double error, int64_t least, int64_t most)
{
	bool is_better = !s->tries || fabs(error) < fabs(s->best_error);

	assert(s->state == FIT_SEARCHING && s->next >= least && s->next <= most);
	s->least = s->tries ? fmin(s->least, error) : error;
	s->greatest = s->tries ? fmax(s->greatest, error) : error;
	if (is_better) {
		s->best = s->next;
		s->best_error = error;
	}
	set_bound(s, error);
	s->tries++;
	bool is_done = fabs(error) <= (s->tries == 1 ? KEPT : EXACT) || s->tries == TRIES_MOST;
	if (s->has_low && s->has_high) {
		is_done |= (double)(s->high - s->low) <= fmax(1, EXACT * (double)s->low);
		s->next = is_done ? s->next : between(s);
	} else {
		int64_t next = expand(s, least, most);
		is_done |= next == s->next || has_no_effect(s);
		s->next = next;
	}
	s->is_done = is_done;
	return is_better;
}

/* ---- Searches with points ---- */

static struct lockstep_field field_of(const struct fit *fit, const char *path)
{
	struct lockstep_field field = lockstep_field(fit->gpu, path);

	assert(field.path);
	return field;
}

/* What a 0 stands for; its unit may be another one. */
static int64_t start_of(const struct fit *fit, const struct fit_law *law)
{
	struct lockstep_field field = field_of(fit, law->field);

	if (field.number || !law->stands_for)
		return (int64_t)field.number;
	return (int64_t)field_of(fit, law->stands_for).number * (strcmp(field.unit, "hundredths") ? 1 : 100);
}

static void begin(struct fit *fit, const struct fit_law *law)
{
	struct fit_search *s = vector_push(fit->arena, &fit->searches);

	s->law = law;
	s->start = s->next = s->best = start_of(fit, law);
	if (law->together)
		s->together = (int64_t)field_of(fit, law->together).number;
	choose_points(fit, s);
	if (!s->points.count)
		s->state = FIT_NO_POINTS;
}

static void add_setting(const struct fit *fit, const struct fit_search *s, int64_t value, struct fit_trial *trial)
{
	*vector_push(fit->arena, &trial->settings) = arena_printf(fit->arena, "%s=%" PRId64, s->law->field, value);
	if (s->law->together)
		*vector_push(fit->arena, &trial->settings) =
			arena_printf(fit->arena, "%s=%" PRId64, s->law->together, fit_together(s, value));
}

int64_t fit_together(const struct fit_search *s, int64_t value)
{
	return s->together + value - s->start;
}

void fit_add_settings(const struct fit *fit, uint32_t stage, struct fit_trial *trial)
{
	for (uint32_t k = 0; k < fit->searches.count; k++) {
		const struct fit_search *s = &fit->searches.at[k];

		if (s->state == FIT_PROPOSED && s->law->stage < stage)
			add_setting(fit, s, s->best, trial);
	}
}

static void make_trial(const struct fit *fit, const struct fit_search *s, struct fit_trial *trial)
{
	*trial = (struct fit_trial){0};
	fit_add_settings(fit, s->law->stage, trial);
	add_setting(fit, s, s->next, trial);
	for (uint32_t k = 0; k < s->points.count; k++)
		*vector_push(fit->arena, &trial->points) = s->points.at[k];
	for (uint32_t k = 0; k < s->points.count && s->law->less_threads; k++)
		*vector_push(fit->arena, &trial->points) = s->bases.at[k];
}

/* ln(simulated / measured) of each point that silicon has; how many there are. */
static uint32_t errors_of(
	const struct fit *fit, const struct fit_search *s, const struct fit_trial *trial, double *errors)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < s->points.count; k++) {
		double measured = fit->points.at[s->points.at[k]].measured, simulated = trial->cycles[k];

		if (isnan(simulated))
			continue;
		if (s->law->less_threads) {
			measured -= fit->points.at[s->bases.at[k]].measured;
			simulated -= trial->cycles[s->points.count + k];
		}
		errors[count++] = log(fmax(simulated / measured, RATIO_LEAST));
	}
	return count;
}

/* The values that may be tried: those with which the field, and the one that moves with it, are in their ranges. */
static void range_of(const struct fit *fit, const struct fit_search *s, int64_t *least, int64_t *most)
{
	struct lockstep_field field = field_of(fit, s->law->field);

	*least = (int64_t)field.least;
	*most = (int64_t)field.most;
	if (!s->law->together)
		return;
	field = field_of(fit, s->law->together);
	int64_t above = s->start - s->together; /* by so much the field is above the other */
	if (*least < (int64_t)field.least + above)
		*least = (int64_t)field.least + above;
	if (*most > (int64_t)field.most + above)
		*most = (int64_t)field.most + above;
}

static void take(struct fit *fit, struct fit_search *s, const struct fit_trial *trial)
{
	double errors[POINTS_MOST], sizes[POINTS_MOST];
	uint32_t count = errors_of(fit, s, trial, errors);
	int64_t least, most;

	if (!count) {
		s->state = FIT_NO_POINTS;
		return;
	}
	bool is_first = !s->tries;
	for (uint32_t k = 0; k < count; k++)
		sizes[k] = expm1(fabs(errors[k]));
	range_of(fit, s, &least, &most);
	if (fit_step(s, fit_quantile(errors, count, 0.5), least, most)) {
		s->median = fit_quantile(sizes, count, 0.5);
		s->worst = fit_quantile(sizes, count, 1);
	}
	if (is_first)
		s->start_median = s->median;
	if (s->is_done && has_no_effect(s) && !(s->median <= KEPT))
		s->state = FIT_NO_EFFECT;
	else if (s->is_done)
		finish(s);
}

/* One try of each search of the stage that goes on.  False: none does, or there is an error. */
static bool step_all(struct fit *fit, uint32_t stage, struct diagnostic *diagnostic)
{
	struct fit_trial *trials = arena_new_array(fit->arena, struct fit_trial, fit->searches.count);
	struct fit_search **searches = arena_new_array(fit->arena, struct fit_search *, fit->searches.count);
	uint32_t count = 0;

	for (uint32_t k = 0; k < fit->searches.count; k++) {
		struct fit_search *s = &fit->searches.at[k];

		if (s->state != FIT_SEARCHING || s->law->stage != stage)
			continue;
		searches[count] = s;
		make_trial(fit, s, &trials[count++]);
	}
	if (!count || !fit_simulate(fit, trials, count, diagnostic))
		return false;
	for (uint32_t k = 0; k < count; k++)
		take(fit, searches[k], &trials[k]);
	return true;
}

bool fit_search_all(struct fit *fit, struct diagnostic *diagnostic)
{
	for (size_t k = 0; k < sizeof laws / sizeof *laws; k++)
		begin(fit, &laws[k]);
	for (uint32_t stage = 1; stage <= STAGES; stage++)
		while (step_all(fit, stage, diagnostic))
			;
	return !fit->stopped && !diagnostic->failed;
}

uint32_t fit_proposals(const struct fit *fit)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < fit->searches.count; k++)
		count += fit->searches.at[k].state == FIT_PROPOSED;
	return count;
}
