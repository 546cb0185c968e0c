/* NAME.end, a small JSON object, and whether a point has run. */
#include "experiment/end.h"

#include "util/text.h"

#include <json-c/json.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define OUTPUT_KEPT 16000 /* bytes, from its end */

static const char *text_of(struct arena *arena, json_object *object, const char *key)
{
	const char *text = json_object_get_string(json_object_object_get(object, key));
	return text ? arena_copy(arena, text, strlen(text)) : "";
}

bool end_read_file(struct arena *arena, const char *path, struct end *end)
{
	json_object *object = access(path, R_OK) ? NULL : json_object_from_file(path);
	if (!json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		return false;
	}
	*end = (struct end){
		.reason = text_of(arena, object, "reason"),
		.status = json_object_get_int(json_object_object_get(object, "status")),
		.seconds = json_object_get_double(json_object_object_get(object, "seconds")),
		.date = text_of(arena, object, "date"),
		.output = text_of(arena, object, "output"),
		.cpu_seconds = json_object_get_double(json_object_object_get(object, "cpu_seconds")),
		.peak_bytes = (uint64_t)json_object_get_int64(json_object_object_get(object, "peak_bytes")),
	};
	json_object_put(object);
	return true;
}

bool end_read(struct arena *arena, const struct point *point, const char *folder, struct end *end)
{
	return end_read_file(arena, points_file(arena, point, folder, "end"), end);
}

const char *end_output(struct arena *arena, const struct point *point, const char *folder)
{
	struct diagnostic none = {0};
	size_t length = 0;
	const char *text = text_read_file(arena, points_file(arena, point, folder, "log"), &length, &none);
	if (!text || length <= OUTPUT_KEPT)
		return text ? text : "";
	text += length - OUTPUT_KEPT;
	const char *line = strchr(text, '\n');
	return line ? line + 1 : text;
}

bool end_write(const struct point *point, const char *folder, const struct end *end, struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	json_object *object = json_object_new_object();
	json_object_object_add(object, "reason", json_object_new_string(end->reason));
	json_object_object_add(object, "status", json_object_new_int(end->status));
	json_object_object_add(object, "seconds", json_object_new_double(end->seconds));
	json_object_object_add(object, "cpu_seconds", json_object_new_double(end->cpu_seconds));
	json_object_object_add(object, "peak_bytes", json_object_new_int64((int64_t)end->peak_bytes));
	json_object_object_add(object, "date", json_object_new_string(end->date));
	json_object_object_add(object, "output", json_object_new_string(end->output));
	const char *text =
		json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	bool good = text_write_file(points_file(&arena, point, folder, "end"), text, strlen(text), diagnostic);
	json_object_put(object);
	arena_free(&arena);
	return good;
}

static bool is_from_outside(int number)
{
	return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT || number == SIGKILL ||
	       number == SIGXCPU;
}

enum result { NONE, STOPPED, WHOLE };

static enum result result_of(const struct point *point, const char *folder)
{
	struct arena arena = {0};
	const char *path = points_file(&arena, point, folder, "json");
	json_object *report = access(path, R_OK) ? NULL : json_object_from_file(path);
	json_object *signal = json_object_object_get(json_object_object_get(report, "program"), "signal");
	enum result result = !report ? NONE : is_from_outside(json_object_get_int(signal)) ? STOPPED : WHOLE;
	json_object_put(report);
	arena_free(&arena);
	return result;
}

bool end_has_result(const struct point *point, const char *folder)
{
	return result_of(point, folder) == WHOLE;
}

bool end_keep_result(const struct point *point, const char *folder)
{
	struct arena arena = {0};
	bool has = end_has_result(point, folder);
	if (!has) {
		unlink(points_file(&arena, point, folder, "json"));
		unlink(points_file(&arena, point, folder, "end"));
	}
	arena_free(&arena);
	return has;
}

bool end_is_there(const struct point *point, const char *folder)
{
	struct arena arena = {0};
	bool is = !access(points_file(&arena, point, folder, "end"), F_OK);
	arena_free(&arena);
	return is;
}

/* Whether NAME.end is there, and of a `lockstep run` that was not itself ended from outside. */
static bool has_own_end(const struct point *point, const char *folder)
{
	struct arena arena = {0};
	struct end end;
	bool has = end_is_there(point, folder) && !(end_read(&arena, point, folder, &end) &&
							  !strcmp(end.reason, "signal") && is_from_outside(end.status));
	arena_free(&arena);
	return has;
}

bool end_is_last(const struct point *point, const char *folder)
{
	enum result result = result_of(point, folder);
	return result == WHOLE || (result == NONE && has_own_end(point, folder));
}
