/* Errors of the sampled points: what the table of a report shows. */
#ifndef LOCKSTEP_FIT_ERRORS_H
#define LOCKSTEP_FIT_ERRORS_H

#include "fit/fit.h"

enum half { HALF_BOTH, HALF_FIT, HALF_HELD_OUT };

/* By the model, and by the proposals; 0.25: 25 %. */
struct fit_errors {
	uint32_t count;
	double median, ninth, after_median, after_ninth;
	const struct fit_point *worst; /* by the model; null: there is no point */
};

/* Whether a sampled point that could be simulated is of the primitive, null: of any, and of the half. */
bool fit_is_counted(const struct fit_point *point, const char *primitive, enum half half);
struct fit_errors fit_errors_of(const struct fit *fit, const char *primitive, enum half half);
/* Whether no counted point before it has its primitive, and it is counted itself. */
bool fit_is_first(const struct fit *fit, uint32_t index);

/* By how much the larger of the two is above the smaller. */
double fit_error(double simulated, double measured);

#endif
