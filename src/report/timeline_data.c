/* A timeline (trace.h) made small enough for a page: rows of warps and their slices. */
#include "report/page.h"

#include "report/members.h"
#include "util/map.h"

#include <inttypes.h>
#include <string.h>

#define MOST_SLICES 20000 /* in a page: half a megabyte */

/* What a warp does; the order is that of KINDS in src/report/page/warps.js. */
enum kind { ISSUES, WAITS_AT_BARRIER, WAITS_FOR_LOCK, HOLDS_LOCK, NOTHING };

struct rows {
	struct arena arena;
	struct map numbers; /* by core and warp: the row's number, one more */
	struct map begun;   /* by identity: the begin of a wait */
	json_object *names, *slices;
	uint64_t left_out;
};

static enum kind kind_of(json_object *event)
{
	const char *category = text_of(event, "cat");
	if (!strcmp(text_of(event, "ph"), "X"))
		return strncmp(text_of(event, "name"), "warp ", 5) ? NOTHING : ISSUES;
	if (!strcmp(category, "barrier wait") || !strcmp(category, "mbarrier wait"))
		return WAITS_AT_BARRIER;
	if (!strcmp(category, "lock wait"))
		return WAITS_FOR_LOCK;
	return !strcmp(category, "lock held") ? HOLDS_LOCK : NOTHING;
}

/* Issues are of a scheduler, and have their warp's name; waits are of the warp. */
static uint64_t row_of(struct rows *rows, json_object *event, enum kind kind)
{
	uint64_t core = number_of(event, "pid");
	const char *name =
		kind == ISSUES
			? arena_printf(&rows->arena, "core %" PRIu64 " %s", core, text_of(event, "name"))
			: arena_printf(&rows->arena, "core %" PRIu64 " warp %" PRIu64, core, number_of(event, "tid"));
	uintptr_t number = (uintptr_t)map_get(&rows->numbers, name);
	if (number)
		return number - 1;
	json_object_array_add(rows->names, json_object_new_string(name));
	number = json_object_array_length(rows->names);
	map_put(&rows->arena, &rows->numbers, name, strlen(name), (void *)number);
	return number - 1;
}

static void add_slice(struct rows *rows, json_object *event, enum kind kind, uint64_t start, uint64_t cycles)
{
	uint64_t numbers[] = {0, start, cycles, (uint64_t)kind, number_of(member(event, "args"), "work-group")};
	if (json_object_array_length(rows->slices) == MOST_SLICES) {
		rows->left_out++;
		return;
	}
	numbers[0] = row_of(rows, event, kind);
	json_object_array_add(rows->slices, array_of_numbers(numbers, sizeof numbers / sizeof *numbers));
}

static void take(struct rows *rows, json_object *event)
{
	const char *phase = text_of(event, "ph");
	enum kind kind = kind_of(event);
	if (kind == NOTHING)
		return;
	if (kind == ISSUES) {
		add_slice(rows, event, kind, number_of(event, "ts"), number_of(event, "dur"));
		return;
	}
	const char *id = arena_printf(&rows->arena, "%" PRIu64, number_of(event, "id"));
	if (!strcmp(phase, "b")) {
		map_put(&rows->arena, &rows->begun, id, strlen(id), event);
		return;
	}
	json_object *begin = map_get(&rows->begun, id);
	if (!strcmp(phase, "e") && begin && number_of(event, "ts") >= number_of(begin, "ts"))
		add_slice(rows, begin, kind, number_of(begin, "ts"), number_of(event, "ts") - number_of(begin, "ts"));
}

json_object *timeline_data(json_object *file)
{
	struct rows rows = {.names = json_object_new_array(), .slices = json_object_new_array()};
	json_object *events = member(file, "traceEvents"), *object = json_object_new_object();
	for (size_t k = 0; k < json_object_array_length(events); k++)
		take(&rows, element(events, k));
	add_member(object, "rows", rows.names);
	add_member(object, "slices", rows.slices);
	add_number(object, "left_out", rows.left_out + number_of(member(file, "otherData"), "left out"));
	arena_free(&rows.arena);
	return object;
}
