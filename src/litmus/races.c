/* Which instructions of a litmus test race: by the axioms, and by the check of races. */
#include "litmus/races.h"

#include "litmus/kernel.h"

#include <string.h>

/* The events that race with one. */
static uint64_t races_of(const struct litmus_execution *e, uint64_t event)
{
	bool writes = e->events[event].kind == LITMUS_WRITE;
	uint64_t conflicting = e->same.to[event] & (writes ? UINT64_MAX : e->writes), result = 0;
	EACH_EVENT(other, conflicting & ~e->strong.to[event] & ~e->cause.to[event])
		result |= relation_has(&e->cause, other, event) ? 0 : EVENT_BIT(other);
	return result;
}

void litmus_find_races(struct arena *arena, const struct litmus_execution *e, struct litmus_outcomes *outcomes)
{
	/* Initial values are before all. */
	uint64_t initial = EVENT_BIT(e->test->locations.count) - 1, accesses = (e->reads | e->writes) & ~initial;
	EACH_EVENT(a, accesses)
		EACH_EVENT(b, races_of(e, a) & accesses) {
			const struct litmus_event *one = &e->events[a], *other = &e->events[b];
			if (one->thread < other->thread)
				litmus_race(arena, outcomes,
					&(struct litmus_race){.allowed = true,
						.thread = {one->thread, other->thread},
						.instruction = {one->instruction, other->instruction}});
		}
}

/* The accesses of both sides; false: one of them is not of the test. */
static bool are_of_test(const struct litmus_test *test, const char *ptx, const struct lockstep_finding *finding,
	struct litmus_race *race)
{
	if (strcmp(finding->kind, "race") || finding->line_count != 2)
		return false;
	for (uint32_t k = 0; k < 2; k++)
		if (!litmus_access_of_line(test, ptx, finding->lines[k].line, &race->thread[k], &race->instruction[k]))
			return false;
	return true;
}

static void put_in_order(struct litmus_race *race)
{
	struct litmus_race from = *race;
	for (uint32_t k = 0; k < 2 && from.thread[0] > from.thread[1]; k++) {
		race->thread[k] = from.thread[1 - k];
		race->instruction[k] = from.instruction[1 - k];
	}
}

void litmus_note_races(struct arena *arena, const struct litmus_test *test, const char *ptx,
	const struct lockstep_result *result, struct litmus_outcomes *outcomes)
{
	for (size_t k = 0; k < result->finding_count; k++) {
		struct litmus_race race = {.found = result->findings[k].count};
		if (!are_of_test(test, ptx, &result->findings[k], &race))
			continue;
		put_in_order(&race);
		litmus_race(arena, outcomes, &race);
	}
}
