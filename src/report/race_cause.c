/* The texts of causes of races: see race_cause.h. */
#include "report/race_cause.h"

#include "race/race.h"

#include <assert.h>
#include <string.h>

const char *report_race_cause(struct arena *arena, const char *name)
{
	uint32_t k = 0;

	while (k < RACE_CAUSES && strcmp(race_causes[k].name, name) != 0)
		k++;
	assert(k < RACE_CAUSES);
	return arena_printf(arena, "%s. %c%s", race_causes[k].missing, race_causes[k].remedy[0] - 'a' + 'A',
		race_causes[k].remedy + 1);
}
