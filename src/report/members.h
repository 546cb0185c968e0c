/* Members of JSON objects that are read back, for reports that are put together from others; what is missing is null,
 * "" or 0. */
#ifndef LOCKSTEP_REPORT_MEMBERS_H
#define LOCKSTEP_REPORT_MEMBERS_H

#include <json-c/json.h>
#include <stdint.h>

static inline json_object *member(json_object *object, const char *key)
{
	json_object *value = NULL;
	json_object_object_get_ex(object, key, &value);
	return value;
}

static inline uint64_t number_of(json_object *object, const char *key)
{
	return json_object_get_uint64(member(object, key));
}

/* Good for as long as the object is. */
static inline const char *text_of(json_object *object, const char *key)
{
	const char *text = json_object_get_string(member(object, key));
	return text ? text : "";
}

/* How many launches an element of launches[] is: some with --sum-launches, else one. */
static inline uint64_t launches_of_record(json_object *launch)
{
	json_object *launches = member(launch, "launches");
	return launches ? json_object_get_uint64(launches) : 1;
}

#endif
