/* The JSON report of litmus tests, "lockstep-litmus/1". */
#include "litmus/report.h"

#include <json-c/json.h>
#include <string.h>

static void add(json_object *object, const char *key, json_object *value)
{
	json_object_object_add_ex(object, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY);
}

/* A file's name and a test's may hold any bytes; in JSON only those of ASCII are sure to be right. */
static json_object *text_of(struct arena *arena, const char *text)
{
	char *clean = arena_text(arena, text);
	for (char *at = clean; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return json_object_new_string(clean);
}

static json_object *values_of(struct arena *arena, const struct litmus_test *test, const struct litmus_outcome *o)
{
	json_object *object = json_object_new_object();
	for (uint32_t k = 0; k < test->variables.count; k++)
		json_object_object_add(object, litmus_variable_name(arena, test, &test->variables.at[k]),
			json_object_new_int64(o->values[k]));
	return object;
}

static json_object *freedoms_of(uint32_t freedoms)
{
	json_object *array = json_object_new_array();
	for (uint32_t k = 0; k < LITMUS_FREEDOMS; k++)
		if (freedoms >> k & 1)
			json_object_array_add(array, json_object_new_string(litmus_freedom_names[k]));
	return array;
}

static json_object *outcome_of(struct arena *arena, const struct litmus_test *test, const struct litmus_outcome *o)
{
	json_object *object = json_object_new_object();
	add(object, "values", values_of(arena, test, o));
	add(object, "count", json_object_new_uint64(o->count));
	add(object, "allowed", json_object_new_boolean(o->allowed));
	add(object, "condition", json_object_new_boolean(litmus_fulfils(test->condition, o->values)));
	if (o->shows != LITMUS_UNKNOWN)
		add(object, "can_be_shown", json_object_new_boolean(o->shows == LITMUS_CAN));
	if (o->needs)
		add(object, "needs", freedoms_of(o->needs));
	return object;
}

static json_object *progress_of(const struct litmus_progress *progress)
{
	json_object *object = json_object_new_object();
	for (uint32_t k = 0; k < LITMUS_MODELS; k++)
		add(object, litmus_model_names[k], json_object_new_string(litmus_ending_name(progress->endings[k])));
	return object;
}

static json_object *race_of(struct arena *arena, const struct litmus_result *result, const struct litmus_race *race)
{
	json_object *object = json_object_new_object(), *sides = json_object_new_array();
	for (uint32_t side = 0; side < 2; side++) {
		json_object *access = json_object_new_object();
		add(access, "thread", json_object_new_int64(race->thread[side]));
		add(access, "line", json_object_new_int64(litmus_side(result, race, side)->place.line));
		json_object_array_add(sides, access);
	}
	add(object, "location", text_of(arena, litmus_raced(result, race)));
	add(object, "accesses", sides);
	add(object, "allowed", json_object_new_boolean(race->allowed));
	add(object, "found", json_object_new_uint64(race->found));
	return object;
}

static void add_races(struct arena *arena, json_object *object, const struct litmus_result *result)
{
	json_object *races = json_object_new_array();
	for (uint32_t k = 0; k < result->outcomes.races.count; k++)
		json_object_array_add(races, race_of(arena, result, &result->outcomes.races.at[k]));
	add(object, "races", races);
}

static json_object *test_of(struct arena *arena, const struct litmus_result *result)
{
	json_object *object = json_object_new_object(), *outcomes = json_object_new_array();
	bool allowed;
	uint64_t seen = litmus_seen(result, &allowed);
	add(object, "file", text_of(arena, result->test->file));
	add(object, "name", text_of(arena, result->test->name));
	add(object, "runs", json_object_new_uint64(result->runs));
	for (uint32_t k = 0; k < result->outcomes.list.count; k++)
		json_object_array_add(outcomes, outcome_of(arena, result->test, &result->outcomes.list.at[k]));
	add(object, "outcomes", outcomes);
	add(object, "condition", text_of(arena, result->test->condition_text));
	add(object, "seen", json_object_new_uint64(seen));
	add(object, "allowed", json_object_new_boolean(allowed));
	add(object, "agrees", json_object_new_boolean(litmus_holds(result->test, &result->outcomes)));
	add(object, "forbidden", json_object_new_uint64(litmus_forbidden(result)));
	add(object, "several_gpus", json_object_new_boolean(result->several_gpus));
	if (result->test->proxies)
		add(object, "proxies", json_object_new_boolean(true));
	add(object, "played", json_object_new_boolean(!result->unplayed));
	if (result->unplayed)
		add(object, "why_not_played", text_of(arena, result->unplayed));
	if (result->test->loops) {
		add(object, "does_not_end", json_object_new_uint64(result->outcomes.endless));
		add(object, "rounds", json_object_new_uint64(result->bound.rounds));
		add(object, "cut", json_object_new_boolean(result->bound.cut));
	}
	if (result->says_races)
		add_races(arena, object, result);
	if (litmus_says_progress(result))
		add(object, "progress", progress_of(&result->progress));
	return object;
}

/* Null fields are what no field of the model says. */
static json_object *memory_of(struct arena *arena, const struct litmus_freedoms *freedoms)
{
	json_object *array = json_object_new_array();
	for (uint32_t k = 0; k < LITMUS_FREEDOMS; k++) {
		json_object *object = json_object_new_object();
		const struct lockstep_field *f = &freedoms->fields[k];
		add(object, "name", json_object_new_string(litmus_freedom_names[k]));
		add(object, "what", json_object_new_string(litmus_freedom_words[k]));
		add(object, "does", json_object_new_boolean(freedoms->has >> k & 1));
		add(object, "field", f->path ? json_object_new_string(f->path) : NULL);
		if (f->path)
			add(object, "value",
				f->text ? json_object_new_string(f->text) : json_object_new_uint64(f->number));
		add(object, "source",
			f->path ? text_of(arena, f->source) : json_object_new_string(litmus_freedom_reasons[k]));
		json_object_array_add(array, object);
	}
	return array;
}

void litmus_write_json(struct text *out, const struct litmus_setting *setting,
	const struct litmus_result *const *results, uint32_t count, uint32_t bad)
{
	json_object *object = json_object_new_object(), *tests = json_object_new_array();
	add(object, "schema", json_object_new_string("lockstep-litmus/1"));
	add(object, "gpu", text_of(out->arena, setting->gpu));
	add(object, "seed", json_object_new_uint64(setting->seed));
	if (setting->freedoms->known)
		add(object, "memory", memory_of(out->arena, setting->freedoms));
	for (uint32_t k = 0; k < count; k++)
		json_object_array_add(tests, test_of(out->arena, results[k]));
	add(object, "tests", tests);
	add(object, "refused", json_object_new_uint64(bad));
	const char *text = json_object_to_json_string_ext(
		object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
	text_append(out, text, strlen(text));
	text_append(out, "\n", 1);
	json_object_put(object);
}
