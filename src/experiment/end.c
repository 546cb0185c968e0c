/* NAME.end, a small JSON object, and whether a point has run. */
#include "experiment/end.h"

#include "report/members.h"
#include "report/result_file.h"
#include "util/json_file.h"
#include "util/text.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define OUTPUT_KEPT 16000 /* bytes, from its end */

static const struct json_shape count = {.kinds = JSON_COUNT, .most = INT32_MAX}, bytes = {.kinds = JSON_COUNT},
			       seconds = {.kinds = JSON_REAL}, string = {.kinds = JSON_TEXT};
static const struct json_shape end_shape = {.kinds = JSON_OBJECT,
	.members = (const struct json_member[]){{"reason", &string}, {"status", &count}, {"seconds", &seconds},
		{"cpu_seconds", &seconds}, {"peak_bytes", &bytes}, {"date", &string}, {"output", &string}, {0}}};

/* Null when there is no such file, or with an error. */
static json_object *read_object(struct arena *arena, const char *path, const char *expected,
	const struct json_shape *shape, struct diagnostic *diagnostic)
{
	json_object *object = access(path, F_OK) ? NULL : json_file_read(arena, path, expected, diagnostic);
	if (!object || json_check(object, shape, path, diagnostic))
		return object;
	json_object_put(object);
	return NULL;
}

bool end_read_file(struct arena *arena, const char *path, struct end *end, struct diagnostic *diagnostic)
{
	json_object *object =
		read_object(arena, path, "what lockstep experiment writes behind a point", &end_shape, diagnostic);
	if (!object)
		return false;
	*end = (struct end){
		.reason = arena_text(arena, text_of(object, "reason")),
		.status = (int)number_of(object, "status"),
		.seconds = json_object_get_double(member(object, "seconds")),
		.date = arena_text(arena, text_of(object, "date")),
		.output = arena_text(arena, text_of(object, "output")),
		.cpu_seconds = json_object_get_double(member(object, "cpu_seconds")),
		.peak_bytes = number_of(object, "peak_bytes"),
	};
	json_object_put(object);
	return true;
}

bool end_read(struct arena *arena, const struct point *point, const char *folder, struct end *end,
	struct diagnostic *diagnostic)
{
	return end_read_file(arena, points_file(arena, point, folder, "end"), end, diagnostic);
}

json_object *end_read_result(
	struct arena *arena, const struct point *point, const char *folder, struct diagnostic *diagnostic)
{
	return read_object(arena, points_file(arena, point, folder, "json"),
		"a report that lockstep run --report json has written", &result_shape, diagnostic);
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
	struct diagnostic damaged = {0};
	json_object *report = end_read_result(&arena, point, folder, &damaged);
	int signal = (int)number_of(member(report, "program"), "signal");
	enum result result = !report ? NONE : is_from_outside(signal) ? STOPPED : WHOLE;
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

bool end_is_last(const struct point *point, const char *folder)
{
	struct arena arena = {0};
	struct diagnostic damaged = {0};
	struct end end;
	enum result result = result_of(point, folder);
	bool was_stopped = end_read(&arena, point, folder, &end, &damaged) && !strcmp(end.reason, "signal") &&
			   is_from_outside(end.status);
	arena_free(&arena);
	return result == WHOLE || (result == NONE && end_is_there(point, folder) && !was_stopped);
}
