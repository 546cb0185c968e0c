/* Members of JSON objects: read back, for reports that are put together from others; and written from structs, by
 * tables of rows.  What is missing reads as null, "" or 0. */
#ifndef LOCKSTEP_REPORT_MEMBERS_H
#define LOCKSTEP_REPORT_MEMBERS_H

#include "util/arena.h"

#include <json-c/json.h>

/* ---- Reading ---- */

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

/* Of what is no array 0. */
static inline size_t length_of(json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

static inline json_object *element(json_object *array, size_t k)
{
	return json_object_array_get_idx(array, k);
}

/* How many launches an element of launches[] is: some with --sum-launches, else one. */
static inline uint64_t launches_of_record(json_object *launch)
{
	json_object *launches = member(launch, "launches");
	return launches ? json_object_get_uint64(launches) : 1;
}

/* Whether two objects name the same line of a file. */
bool is_same_place(json_object *a, json_object *b);

/* ---- Writing ---- */

static inline void add_member(json_object *object, const char *key, json_object *value)
{
	json_object_object_add(object, key, value);
}

static inline void add_number(json_object *object, const char *key, uint64_t value)
{
	add_member(object, key, json_object_new_uint64(value));
}

static inline void add_text(json_object *object, const char *key, const char *text)
{
	add_member(object, key, json_object_new_string(text));
}

/* A new object at the end of an array. */
static inline json_object *add_object(json_object *array)
{
	json_object *object = json_object_new_object();
	json_object_array_add(array, object);
	return object;
}

/* A new array of numbers; of texts, of which one that is null stays so. */
json_object *array_of_numbers(const uint64_t *numbers, size_t count);
json_object *array_of_texts(const char *const *texts, size_t count);

/* ---- Sizes and indices of three directions: [x, y, z] ---- */

/* A new array. */
json_object *triple_of(const uint32_t size[3]);

/* "x,y,z", 0 where there is none. */
const char *triple_text(struct arena *arena, json_object *triple);

/* ---- Structs as objects ---- */

enum member_type { MEMBER_U64, MEMBER_U32, MEMBER_REAL, MEMBER_FLAG, MEMBER_TEXT, MEMBER_TRIPLE };

/* A member of a struct that is a member of its object.  A table ends in a row without a name. */
struct member_row {
	const char *name;
	size_t offset;
	enum member_type type;
	bool if_any;  /* left out when it is 0, null or "" */
	bool or_null; /* a text: null stays null, and does not become "" */
};

/* Rows of a member of `struct of`: by its own name; by another; and such that may be left out, or null. */
/* clang-format off */
#define MEMBER(of, member) {MEMBER_ROW(#member, of, member)}
#define MEMBER_AS(name, of, member) {MEMBER_ROW(name, of, member)}
#define MEMBER_IF_ANY(of, member) {MEMBER_ROW(#member, of, member), .if_any = true}
#define MEMBER_AS_IF_ANY(name, of, member) {MEMBER_ROW(name, of, member), .if_any = true}
#define MEMBER_OR_NULL(of, member) {MEMBER_ROW(#member, of, member), .or_null = true}
#define MEMBER_ROW(key, of, member)                                                                                    \
	.name = key, .offset = offsetof(struct of, member),                                                            \
	.type = _Generic(((struct of *)0)->member, uint64_t: MEMBER_U64, uint32_t: MEMBER_U32, double: MEMBER_REAL,    \
		bool: MEMBER_FLAG, const char *: MEMBER_TEXT, uint32_t *: MEMBER_TRIPLE)
/* clang-format on */

/* Adds the members of a struct, none of which the object has yet. */
void members_add(json_object *object, const struct member_row *rows, const void *of);
/* A new object with them; and a new array of such. */
json_object *members_object(const struct member_row *rows, const void *of);
json_object *members_array(const struct member_row *rows, const void *array, size_t count, size_t bytes);
#define MEMBERS_ARRAY(rows, array, count) members_array(rows, array, count, sizeof *(array))
/* Adds the numbers of 64 bits that an object has to those of the struct. */
void members_add_up(void *to, const struct member_row *rows, json_object *object);

#endif
