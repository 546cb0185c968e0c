/* JSON files and their shapes: see json_file.h. */
#include "util/json_file.h"

#include "util/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

/* ---- Reading ---- */

static struct place place_of(const char *file, const char *text, size_t offset)
{
	struct place place = {.file = file, .line = 1, .column = 1};
	for (size_t k = 0; k < offset && text[k]; k++) {
		place.column = text[k] == '\n' ? 1 : place.column + 1;
		place.line += text[k] == '\n';
	}
	return place;
}

/* Why the tokener gave no value; null: it gave one, which may be `null`. */
static const char *error_of(struct json_tokener *tokener, const char *text, size_t length)
{
	enum json_tokener_error error = json_tokener_get_error(tokener);
	if (error != json_tokener_success)
		return error == json_tokener_continue ? "it ends too early" : json_tokener_error_desc(error);
	return strlen(text) < length ? "a zero byte" : NULL;
}

static json_object *parse(
	const char *file, const char *text, size_t length, const char *expected, struct diagnostic *diagnostic)
{
	struct json_tokener *tokener = json_tokener_new();
	/* Strict: nothing after the value, no number that does not fit. */
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	json_object *object = json_tokener_parse_ex(tokener, text, (int)length + 1);
	const char *error = error_of(tokener, text, length);
	if (error)
		diagnose(diagnostic, place_of(file, text, json_tokener_get_parse_end(tokener)),
			"not JSON (%s), expected %s", error, expected);
	else if (!json_object_is_type(object, json_type_object))
		diagnose(diagnostic, (struct place){.file = file, .line = 1, .column = 1},
			"no JSON object, expected %s", expected);
	json_tokener_free(tokener);
	if (!diagnostic->failed)
		return object;
	json_object_put(object);
	return NULL;
}

struct json_object *json_file_read(
	struct arena *arena, const char *file, const char *expected, struct diagnostic *diagnostic)
{
	size_t length = 0;
	const char *text = text_read_file(arena, file, &length, diagnostic);
	if (!text)
		return NULL;
	if (length < INT32_MAX)
		return parse(file, text, length, expected, diagnostic);
	diagnose(diagnostic, (struct place){.file = file}, "of 2 GB or more, expected %s", expected);
	return NULL;
}

#define MOST (UINT64_MAX - 1) /* json-c makes UINT64_MAX of what is larger */

/* A part of what is checked, and what it is in. */
struct part {
	const struct part *of; /* null: it is the whole */
	const char *name;      /* null: an element */
	size_t index;
};

/* ---- What a message says of a shape ---- */

static bool is_word(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return false;
	return *name;
}

static void add_path(struct text *text, const struct part *part)
{
	if (!part->of)
		return;
	add_path(text, part->of);
	if (!part->name)
		text_print(text, "[%zu]", part->index);
	else if (is_word(part->name))
		text_print(text, "%s%s", text->length ? "." : "", part->name);
	else
		text_print(text, "[\"%s\"]", part->name);
}

static void add_choice(struct text *text, const char *choice)
{
	text_print(text, "%s%s", text->length ? " or " : "", choice);
}

static void add_count(struct text *text, uint64_t most)
{
	add_choice(text, "a whole number");
	text_print(text, " from 0 to %" PRIu64, most ? most : MOST);
}

static void add_list(struct text *text, const struct json_shape *shape)
{
	if (shape->length == 3 && shape->each && shape->each->kinds == JSON_COUNT)
		add_choice(text, "three numbers");
	else
		add_choice(text, "a list");
}

static const char *expected(struct arena *arena, const struct json_shape *shape)
{
	static const struct {
		enum json_kinds kind;
		const char *name;
	} others[] = {
		{JSON_REAL, "a number of 0 or more"},
		{JSON_TEXT, "a string"},
		{JSON_FLAG, "true or false"},
		{JSON_NULL, "null"},
		{JSON_OBJECT, "an object"},
	};
	struct text text = {.arena = arena};
	if (shape->kinds & JSON_COUNT && !(shape->kinds & JSON_REAL))
		add_count(&text, shape->most);
	if (shape->kinds & JSON_LIST)
		add_list(&text, shape);
	for (size_t k = 0; k < sizeof others / sizeof *others; k++)
		if (shape->kinds & others[k].kind)
			add_choice(&text, others[k].name);
	return text.at;
}

static const char *found(struct arena *arena, json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_string: return "a string";
	case json_type_object: return "an object";
	case json_type_array: return arena_printf(arena, "a list of %zu", json_object_array_length(value));
	case json_type_null:
	case json_type_boolean:
	case json_type_int:
	case json_type_double: break;
	}
	return json_object_to_json_string(value);
}

static bool refuse(json_object *value, const struct json_shape *shape, const struct part *part, const char *file,
	struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	struct text path = {.arena = &arena};
	add_path(&path, part);
	diagnose(diagnostic, (struct place){.file = file}, "%s%sexpected %s, got %s", path.length ? path.at : "",
		path.length ? ": " : "", expected(&arena, shape), found(&arena, value));
	arena_free(&arena);
	return false;
}

/* ---- Checking ---- */

static bool is_count(json_object *value, const struct json_shape *shape)
{
	uint64_t most = shape->most ? shape->most : shape->kinds & JSON_REAL ? UINT64_MAX : MOST;
	/* As a signed number it is INT64_MAX where it is larger. */
	return json_object_get_int64(value) >= 0 && json_object_get_uint64(value) <= most;
}

static bool is_one_of(json_object *value, const struct json_shape *shape)
{
	switch (json_object_get_type(value)) {
	case json_type_null: return shape->kinds & JSON_NULL;
	case json_type_boolean: return shape->kinds & JSON_FLAG;
	case json_type_double:
		return shape->kinds & JSON_REAL && json_object_get_double(value) >= 0 &&
		       isfinite(json_object_get_double(value));
	case json_type_int: return shape->kinds & (JSON_COUNT | JSON_REAL) && is_count(value, shape);
	case json_type_string: return shape->kinds & JSON_TEXT;
	case json_type_object: return shape->kinds & JSON_OBJECT;
	case json_type_array:
		return shape->kinds & JSON_LIST && (!shape->length || json_object_array_length(value) == shape->length);
	}
	return false;
}

static bool check(json_object *value, const struct json_shape *shape, const struct part *part, const char *file,
	struct diagnostic *diagnostic);

static bool check_elements(json_object *list, const struct json_shape *shape, const struct part *part, const char *file,
	struct diagnostic *diagnostic)
{
	for (size_t k = 0; k < json_object_array_length(list); k++)
		if (!check(json_object_array_get_idx(list, k), shape->each, &(struct part){.of = part, .index = k},
			    file, diagnostic))
			return false;
	return true;
}

static const struct json_shape *shape_of(const struct json_shape *object, const char *name)
{
	for (const struct json_member *known = object->members; known && known->name; known++)
		if (!strcmp(known->name, name))
			return known->shape;
	return object->each;
}

static bool check_members(json_object *object, const struct json_shape *shape, const struct part *part,
	const char *file, struct diagnostic *diagnostic)
{
	json_object_object_foreach(object, name, value)
	{
		const struct json_shape *wanted = shape_of(shape, name);
		if (wanted && !check(value, wanted, &(struct part){.of = part, .name = name}, file, diagnostic))
			return false;
	}
	return true;
}

static bool check(json_object *value, const struct json_shape *shape, const struct part *part, const char *file,
	struct diagnostic *diagnostic)
{
	if (!is_one_of(value, shape))
		return refuse(value, shape, part, file, diagnostic);
	if (json_object_is_type(value, json_type_array) && shape->each)
		return check_elements(value, shape, part, file, diagnostic);
	if (json_object_is_type(value, json_type_object))
		return check_members(value, shape, part, file, diagnostic);
	return true;
}

bool json_check(json_object *value, const struct json_shape *shape, const char *file, struct diagnostic *diagnostic)
{
	return check(value, shape, &(struct part){0}, file, diagnostic);
}
