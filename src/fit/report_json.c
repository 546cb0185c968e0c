/* What a fit says, as JSON: one object of schema lockstep-fit/1. */
#include "fit/errors.h"
#include "fit/fit.h"

#include "lockstep.h"
#include "report/inherited.h"

#include <json-c/json.h>

static const char *const states[] = {
	[FIT_SEARCHING] = "searching",
	[FIT_NO_POINTS] = "no points",
	[FIT_NO_EFFECT] = "no effect",
	[FIT_BAD] = "not described",
	[FIT_KEPT] = "kept",
	[FIT_PROPOSED] = "proposed",
};

static void add(json_object *object, const char *key, json_object *value)
{
	json_object_object_add_ex(object, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY);
}

static void add_text(json_object *object, const char *key, const char *text)
{
	add(object, key, json_object_new_string(text));
}

static json_object *errors_object(const struct fit *fit, const struct fit_errors *e)
{
	json_object *object = json_object_new_object();

	add(object, "points", json_object_new_uint64(e->count));
	if (!e->count)
		return object;
	add(object, "median", json_object_new_double(e->median));
	add(object, "ninth", json_object_new_double(e->ninth));
	if (fit_proposals(fit)) {
		add(object, "proposed_median", json_object_new_double(e->after_median));
		add(object, "proposed_ninth", json_object_new_double(e->after_ninth));
	}
	add_text(object, "worst", e->worst->name);
	add(object, "worst_measured", json_object_new_double(e->worst->measured));
	add(object, "worst_simulated", json_object_new_double(e->worst->before));
	return object;
}

static json_object *primitives_object(const struct fit *fit)
{
	json_object *object = json_object_new_object();

	for (uint32_t k = 0; k < fit->points.count; k++) {
		const char *primitive = fit->points.at[k].primitive;

		if (!fit_is_first(fit, k))
			continue;
		struct fit_errors e = fit_errors_of(fit, primitive, HALF_BOTH);
		json_object_object_add(object, primitive, errors_object(fit, &e));
	}
	return object;
}

static json_object *field_object(const struct fit *fit, const struct fit_search *s)
{
	json_object *object = json_object_new_object();
	struct lockstep_field field = lockstep_field(fit->gpu, s->law->field);

	add_text(object, "field", s->law->field);
	add_text(object, "state", states[s->state]);
	add(object, "model", json_object_new_uint64(field.number));
	add_text(object, "source", field.source);
	add(object, "points", json_object_new_uint64(s->points.count));
	if (s->state == FIT_NO_POINTS)
		return object;
	add(object, "card", json_object_new_int64(s->best));
	if (s->law->together) {
		add_text(object, "together", s->law->together);
		add(object, "together_card", json_object_new_int64(fit_together(s, s->best)));
	}
	add(object, "median", json_object_new_double(s->median));
	add(object, "worst", json_object_new_double(s->worst));
	return object;
}

static json_object *fields_array(const struct fit *fit)
{
	json_object *array = json_object_new_array();

	for (uint32_t k = 0; k < fit->searches.count; k++)
		json_object_array_add(array, field_object(fit, &fit->searches.at[k]));
	return array;
}

void fit_write_json(const struct fit *fit, struct text *out)
{
	json_object *object = json_object_new_object(), *halves = json_object_new_object();
	struct fit_errors chose = fit_errors_of(fit, NULL, HALF_FIT),
			  held_out = fit_errors_of(fit, NULL, HALF_HELD_OUT);

	add_text(object, "schema", "lockstep-fit/1");
	add_text(object, "gpu", fit->model);
	add_text(object, "card", fit->card);
	add_text(object, "table", fit->file);
	add(object, "points", json_object_new_uint64(fit->points.count));
	add(object, "not_positive", json_object_new_uint64(fit->left_out));
	add(object, "unknown", json_object_new_uint64(fit->unknown));
	add(object, "hidden", json_object_new_uint64(fit->hidden));
	add(object, "primitives", primitives_object(fit));
	add(halves, "fit", errors_object(fit, &chose));
	add(halves, "held_out", errors_object(fit, &held_out));
	add(object, "halves", halves);
	add(object, "fields", fields_array(fit));
	add(object, "inherited", inherited_object(out->arena, fit->gpu));
	text_print(out, "%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY));
	json_object_put(object);
}
