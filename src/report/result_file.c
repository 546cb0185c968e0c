/* Reads JSON reports and timelines: see result_file.h. */
#include "report/result_file.h"

#include "report/members.h"
#include "util/file_kind.h"

#include <string.h>

#define SCHEMA "lockstep-report/1"

static void check_report(json_object *report, const char *file, struct diagnostic *diagnostic)
{
	json_object *schema = member(report, "schema");
	const char *text = json_object_is_type(schema, json_type_string) ? json_object_get_string(schema) : "";
	if (strcmp(text, SCHEMA))
		diagnose(diagnostic, (struct place){.file = file},
			"schema '%s', expected a report of schema '" SCHEMA "'", text);
	else
		json_check(report, &result_shape, file, diagnostic);
}

json_object *result_file_read(struct arena *arena, const char *file, bool *is_timeline, struct diagnostic *diagnostic)
{
	json_object *object = json_file_read(arena, file, "a report that --report json has written", diagnostic);
	if (is_timeline)
		*is_timeline = json_object_object_get_ex(object, "traceEvents", NULL);
	if (is_timeline && *is_timeline)
		json_check(object, &timeline_shape, file, diagnostic);
	else if (object)
		check_report(object, file, diagnostic);
	if (!diagnostic->failed)
		return object;
	file_kind_explain(
		file, FILE_REPORT | (is_timeline ? FILE_TIMELINE : 0), "a report of --report json", diagnostic);
	json_object_put(object);
	return NULL;
}
