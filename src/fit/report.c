/* What a fit says: errors by primitive and half, and the fields that the points determine. */
#include "fit/errors.h"
#include "fit/fit.h"

#include "lockstep.h"
#include "report/inherited.h"

#include <inttypes.h>

/* ---- Errors ---- */

/* "ull, 1 x 32, stride 2, 1048576 bytes" */
static const char *shape_of(struct arena *arena, const struct fit_point *p)
{
	const char *stride = p->stride ? arena_printf(arena, ", stride %u", p->stride) : "";
	const char *bytes = p->footprint ? arena_printf(arena, ", %u bytes", p->footprint) : "";

	return arena_printf(arena, "%s, %u x %u%s%s", p->type, p->groups, p->threads, stride, bytes);
}

static const char *percent(struct arena *arena, double error)
{
	return arena_printf(arena, error < 0.0995 ? "%.1f %%" : "%.0f %%", error * 100);
}

static void write_primitives(const struct fit *fit, struct text *out)
{
	text_print(out, "%-26s %6s %8s %8s  worst: simulated / measured\n", "errors", "points", "median", "90th");
	for (uint32_t k = 0; k < fit->points.count; k++) {
		const char *primitive = fit->points.at[k].primitive;

		if (!fit_is_first(fit, k))
			continue;
		struct fit_errors e = fit_errors_of(fit, primitive, HALF_BOTH);
		text_print(out, "  %-24s %6u %8s %8s  %.2f  (%.1f / %.1f) %s\n", primitive, e.count,
			percent(fit->arena, e.median), percent(fit->arena, e.ninth),
			e.worst->before / e.worst->measured, e.worst->before, e.worst->measured,
			shape_of(fit->arena, e.worst));
	}
}

static void write_halves(const struct fit *fit, struct text *out)
{
	static const char *const names[] = {"all points", "half fit", "half held out"};
	bool is_after = fit_proposals(fit) > 0;

	text_print(out, "\n%-26s %6s %8s %8s%s\n", "errors by half", "points", "median", "90th",
		is_after ? "   with the proposals: median, 90th" : "");
	for (enum half half = HALF_FIT; half <= HALF_HELD_OUT; half++) {
		struct fit_errors e = fit_errors_of(fit, NULL, half);

		if (!e.count) {
			text_print(out, "  %-24s %6u\n", names[half], 0);
			continue;
		}
		text_print(out, "  %-24s %6u %8s %8s", names[half], e.count, percent(fit->arena, e.median),
			percent(fit->arena, e.ninth));
		if (is_after)
			text_print(out, "   %8s %8s", percent(fit->arena, e.after_median),
				percent(fit->arena, e.after_ninth));
		text_print(out, "\n");
	}
}

/* ---- Fields ---- */

static void write_value(const struct fit *fit, const struct fit_search *s, const char *field, int64_t value,
	bool is_other, struct text *out)
{
	struct lockstep_field f = lockstep_field(fit->gpu, field);

	if (is_other) {
		text_print(out, "  %-24s %7s %9s", field, "", "");
		text_print(out, "  moves with %s: %" PRId64 "\n", s->law->field, value);
	} else {
		text_print(out, "  %-24s %7" PRIu64 " %9" PRId64 " %7u %8s %8s\n", field, f.number, value,
			s->points.count, percent(fit->arena, s->median), percent(fit->arena, s->worst));
	}
	text_print(out, "      model: %s\n", f.source);
}

/* Those of a state, a row each. */
static void write_state(const struct fit *fit, enum fit_state state, const char *head, struct text *out)
{
	bool any = false;

	for (uint32_t k = 0; k < fit->searches.count; k++) {
		const struct fit_search *s = &fit->searches.at[k];

		if (s->state != state)
			continue;
		if (!any)
			text_print(out, "\n%s\n  %-24s %7s %9s %7s %8s %8s\n", head, "field", "model", "card", "points",
				"median", "worst");
		any = true;
		write_value(fit, s, s->law->field, s->best, false, out);
		if (s->law->together && state == FIT_PROPOSED)
			write_value(fit, s, s->law->together, fit_together(s, s->best), true, out);
	}
}

static void write_list(const struct fit *fit, enum fit_state state, const char *head, struct text *out)
{
	bool any = false;

	for (uint32_t k = 0; k < fit->searches.count; k++) {
		if (fit->searches.at[k].state != state)
			continue;
		text_print(out, "%s%s", any ? ", " : head, fit->searches.at[k].law->field);
		any = true;
	}
	text_print(out, any ? "\n" : "");
}

static void write_fields(const struct fit *fit, struct text *out)
{
	write_state(fit, FIT_PROPOSED, "Proposed: fields whose value these points change", out);
	write_state(fit, FIT_BAD, "Not proposed: with the best value the law does not describe these points", out);
	write_list(fit, FIT_KEPT, "\nThe model's value is right for: ", out);
	write_list(fit, FIT_NO_EFFECT, "\nThese points do not depend, in this model, on: ", out);
	write_list(fit, FIT_NO_POINTS, "\nNo points of the half fit determine: ", out);
}

/* ---- All ---- */

static void write_head(const struct fit *fit, struct text *out)
{
	uint32_t sampled = 0;

	for (uint32_t k = 0; k < fit->points.count; k++)
		sampled += fit->points.at[k].sampled;
	text_print(out, "GPU %s against %s of %s: %u points", fit->model, fit->card, fit->file, fit->points.count);
	if (sampled < fit->points.count)
		text_print(out, ", of which %u are in the table of errors (--sample 1: all)", sampled);
	text_print(out, "\n");
	if (fit->left_out)
		text_print(out, "%u row%s left out: cycles of 0 or less\n", fit->left_out, text_plural(fit->left_out));
	if (fit->unknown)
		text_print(out, "%u point%s left out: workloads/silicon does not have the primitive\n", fit->unknown,
			text_plural(fit->unknown));
	if (fit->hidden)
		text_print(out, "%u point%s left out: the model hides the operation behind others\n", fit->hidden,
			text_plural(fit->hidden));
	text_print(out, "\n");
}

void fit_write_report(const struct fit *fit, struct text *out)
{
	write_head(fit, out);
	write_primitives(fit, out);
	write_halves(fit, out);
	write_fields(fit, out);
	text_print(out, "\n");
	inherited_text(out, fit->gpu);
}

/* ---- Files ---- */

void fit_write_csv(const struct fit *fit, struct text *out)
{
	text_print(out, "gpu,primitive,stride_words,type,blocks,threads_per_block,half,measured,simulated%s\n",
		fit_proposals(fit) ? ",proposed" : "");
	for (uint32_t k = 0; k < fit->points.count; k++) {
		const struct fit_point *p = &fit->points.at[k];

		if (!fit_is_counted(p, NULL, HALF_BOTH))
			continue;
		text_print(out, "%s,%s,%.2f,%.2f", p->name, p->held_out ? "held out" : "fit", p->measured, p->before);
		if (fit_proposals(fit))
			text_print(out, ",%.2f", p->after);
		text_print(out, "\n");
	}
}
