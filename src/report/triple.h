/* Sizes and indices of three directions in JSON: [x, y, z]. */
#ifndef LOCKSTEP_REPORT_TRIPLE_H
#define LOCKSTEP_REPORT_TRIPLE_H

#include "util/arena.h"

#include <json-c/json.h>
#include <stdint.h>

/* A new array. */
static inline json_object *triple_of(const uint32_t size[3])
{
	json_object *array = json_object_new_array();
	for (int k = 0; k < 3; k++)
		json_object_array_add(array, json_object_new_uint64(size[k]));
	return array;
}

/* What the array has in direction `k`; 0 where there is none. */
static inline uint32_t triple_element(json_object *triple, size_t k)
{
	return (uint32_t)json_object_get_uint64(json_object_array_get_idx(triple, k));
}

/* "x,y,z" */
static inline const char *triple_text(struct arena *arena, json_object *triple)
{
	return arena_printf(
		arena, "%u,%u,%u", triple_element(triple, 0), triple_element(triple, 1), triple_element(triple, 2));
}

#endif
