/* Reads JSON reports: see result_file.h. */
#include "report/result_file.h"

#include "report/members.h"
#include "util/text.h"

#include <string.h>

#define SCHEMA "lockstep-report/1"

static struct place place_of(const char *file, const char *text, size_t offset)
{
	struct place place = {.file = file, .line = 1, .column = 1};
	for (size_t k = 0; k < offset && text[k]; k++) {
		place.column = text[k] == '\n' ? 1 : place.column + 1;
		place.line += text[k] == '\n';
	}
	return place;
}

json_object *result_file_parse(struct arena *arena, const char *file, struct diagnostic *diagnostic)
{
	size_t length = 0;
	const char *text = text_read_file(arena, file, &length, diagnostic);
	struct json_tokener *tokener = text && length < INT32_MAX ? json_tokener_new() : NULL;
	json_object *report = tokener ? json_tokener_parse_ex(tokener, text, (int)length + 1) : NULL;
	if (text && !report)
		diagnose(diagnostic, place_of(file, text, tokener ? json_tokener_get_parse_end(tokener) : 0),
			"not JSON (%s), expected a report that --report json has written",
			tokener ? json_tokener_error_desc(json_tokener_get_error(tokener)) : "too long");
	if (tokener)
		json_tokener_free(tokener);
	return report;
}

void result_file_check(json_object *report, const char *file, struct diagnostic *diagnostic)
{
	if (strcmp(text_of(report, "schema"), SCHEMA))
		diagnose(diagnostic, (struct place){.file = file},
			"schema '%s', expected a report of schema '" SCHEMA "'", text_of(report, "schema"));
}

json_object *result_file_read(struct arena *arena, const char *file, struct diagnostic *diagnostic)
{
	json_object *report = result_file_parse(arena, file, diagnostic);
	if (report)
		result_file_check(report, file, diagnostic);
	return report;
}
