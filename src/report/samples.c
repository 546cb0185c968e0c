/* How counters grew while a launch ran, as JSON. */
#include "report/samples.h"

#include <json-c/json.h>

/* Null: all of them are 0. */
static json_object *array_of(const uint64_t *values, size_t count)
{
	json_object *array = json_object_new_array_ext((int)count);
	uint64_t any = 0;
	for (size_t k = 0; k < count; k++) {
		json_object_array_add(array, json_object_new_uint64(values[k]));
		any |= values[k];
	}
	if (any)
		return array;
	json_object_put(array);
	return NULL;
}

static json_object *warps_of(const struct lockstep_samples *s)
{
	json_object *array = json_object_new_array_ext((int)s->warp_count);
	for (size_t k = 0; k < s->warp_count; k++) {
		json_object *row = json_object_new_object();
		json_object_object_add(row, "core", json_object_new_uint64(s->warps[k].core));
		json_object_object_add(row, "warp", json_object_new_uint64(s->warps[k].warp));
		json_object_object_add(row, "states", json_object_new_string_len(s->warps[k].states, (int)s->count));
		json_object_array_add(array, row);
	}
	return array;
}

void samples_add_to(json_object *launch, const struct lockstep_result *result)
{
	const struct lockstep_samples *s = result->samples;
	json_object *object = json_object_new_object(), *counters = json_object_new_object();
	const char *name;
	for (size_t k = 0; (name = lockstep_sampled(k)); k++) {
		json_object *values = array_of(s->values[k], s->count);
		if (values)
			json_object_object_add(counters, name, values);
	}
	json_object_object_add(object, "interval", json_object_new_uint64(s->interval));
	json_object *cycles = array_of(s->cycles, s->count);
	json_object_object_add(object, "cycles", cycles ? cycles : json_object_new_array());
	json_object_object_add(object, "counters", counters);
	json_object_object_add(object, "warps", warps_of(s));
	json_object_object_add(launch, "samples", object);
}
