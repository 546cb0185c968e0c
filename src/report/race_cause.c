/* The texts of causes of races: see race_cause.h. */
#include "report/race_cause.h"

#include "found/found.h"

#include <assert.h>
#include <string.h>

const char *report_race_cause(struct arena *arena, const char *name)
{
	const struct found_cause_text *cause = &found_causes[FOUND_NO_CAUSE + 1];

	while (strcmp(cause->name, name) != 0)
		cause++;
	assert(cause->kind == FOUND_RACE);
	return arena_printf(arena, "%s. %c%s", cause->what, cause->remedy[0] - 'a' + 'A', cause->remedy + 1);
}
