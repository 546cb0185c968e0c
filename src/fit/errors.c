/* Errors: of points, and of all of a primitive or a half. */
#include "fit/errors.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double fit_error(double simulated, double measured)
{
	assert(simulated > 0 && measured > 0);
	return fmax(simulated, measured) / fmin(simulated, measured) - 1;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Between two values, where the share falls between them. */
double fit_quantile(double *values, uint32_t count, double share)
{
	assert(count && share >= 0 && share <= 1);
	qsort(values, count, sizeof *values, by_value);
	double at = share * (count - 1);
	uint32_t below = (uint32_t)at, above = below + 1 < count ? below + 1 : below;

	return values[below] + (values[above] - values[below]) * (at - below);
}

bool fit_is_counted(const struct fit_point *p, const char *primitive, enum half half)
{
	return p->sampled && p->before > 0 && (!primitive || !strcmp(primitive, p->primitive)) &&
	       (half == HALF_BOTH || p->held_out == (half == HALF_HELD_OUT));
}

struct fit_errors fit_errors_of(const struct fit *fit, const char *primitive, enum half half)
{
	double *before = arena_new_array(fit->arena, double, fit->points.count);
	double *after = arena_new_array(fit->arena, double, fit->points.count), greatest = -1;
	struct fit_errors e = {0};

	for (uint32_t k = 0; k < fit->points.count; k++) {
		const struct fit_point *p = &fit->points.at[k];

		if (!fit_is_counted(p, primitive, half))
			continue;
		before[e.count] = fit_error(p->before, p->measured);
		after[e.count] = p->after > 0 ? fit_error(p->after, p->measured) : before[e.count];
		e.worst = before[e.count] > greatest ? p : e.worst;
		greatest = fmax(greatest, before[e.count++]);
	}
	if (!e.count)
		return e;
	e.median = fit_quantile(before, e.count, 0.5);
	e.ninth = fit_quantile(before, e.count, 0.9);
	e.after_median = fit_quantile(after, e.count, 0.5);
	e.after_ninth = fit_quantile(after, e.count, 0.9);
	return e;
}

bool fit_is_first(const struct fit *fit, uint32_t index)
{
	for (uint32_t k = 0; k < index; k++)
		if (fit_is_counted(&fit->points.at[k], fit->points.at[index].primitive, HALF_BOTH))
			return false;
	return fit_is_counted(&fit->points.at[index], NULL, HALF_BOTH);
}
