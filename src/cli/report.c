/* `lockstep report`: JSON reports as a page for a browser. */
#include "cli/options.h"
#include "report/page.h"
#include "report/result_file.h"

#include <json-c/json.h>

/* A result, or the timeline of the one before it. */
static void add_file(struct options *o, const char *file, struct page_result *results, uint32_t *count,
	struct diagnostic *diagnostic)
{
	bool is_timeline = false;
	json_object *object = result_file_read(o->arena, file, &is_timeline, diagnostic);
	if (!object)
		return;
	if (!is_timeline) {
		results[(*count)++] = (struct page_result){.name = file, .report = object};
	} else if (*count && !results[*count - 1].timeline) {
		results[*count - 1].timeline = object;
	} else {
		diagnose(diagnostic, (struct place){.file = file}, "a timeline, expected behind the result of its run");
		json_object_put(object);
	}
}

int command_report(struct options *o, struct diagnostic *diagnostic)
{
	struct text text = {.arena = o->arena};
	struct page_result *results = arena_new_array(o->arena, struct page_result, o->files.count);
	uint32_t count = 0;
	for (uint32_t k = 0; k < o->files.count && !diagnostic->failed; k++)
		add_file(o, o->files.at[k], results, &count, diagnostic);
	if (!diagnostic->failed)
		page_write(&text, results, count);
	for (uint32_t k = 0; k < count; k++) {
		json_object_put(results[k].report);
		json_object_put(results[k].timeline);
	}
	return !diagnostic->failed && options_write(o, &text, diagnostic) ? STATUS_COMPLETED : fail(diagnostic);
}
