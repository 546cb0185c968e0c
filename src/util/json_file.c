/* Reads JSON files: see json_file.h. */
#include "util/json_file.h"

#include "util/text.h"

#include <json-c/json.h>
#include <string.h>

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
	/* Strict: nothing behind the value, no number that does not fit. */
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
