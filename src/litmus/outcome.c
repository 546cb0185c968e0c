/* Keeps ends of a test in the order of their values. */
#include "litmus/outcome.h"

#include <string.h>

static int order_of(const struct litmus_outcomes *outcomes, const int32_t *left, const int32_t *right)
{
	for (uint32_t k = 0; k < outcomes->variables; k++)
		if (left[k] != right[k])
			return left[k] < right[k] ? -1 : 1;
	return 0;
}

struct litmus_outcome *litmus_outcome(struct arena *arena, struct litmus_outcomes *outcomes, const int32_t *values)
{
	uint32_t first = 0, beyond = outcomes->list.count;
	while (first < beyond) {
		uint32_t middle = (first + beyond) / 2;
		int order = order_of(outcomes, outcomes->list.at[middle].values, values);
		if (!order)
			return &outcomes->list.at[middle];
		if (order < 0)
			first = middle + 1;
		else
			beyond = middle;
	}
	vector_push(arena, &outcomes->list);
	struct litmus_outcome *at = outcomes->list.at + first;
	memmove(at + 1, at, (outcomes->list.count - 1 - first) * sizeof *at);
	*at = (struct litmus_outcome){0};
	memcpy(at->values, values, outcomes->variables * sizeof *values);
	return at;
}

static bool is_behind(const struct litmus_race *race, const struct litmus_race *other)
{
	const uint32_t a[] = {race->thread[0], race->thread[1], race->instruction[0], race->instruction[1]};
	const uint32_t b[] = {other->thread[0], other->thread[1], other->instruction[0], other->instruction[1]};
	uint32_t k = 0;
	while (k < 3 && a[k] == b[k])
		k++;
	return a[k] > b[k];
}

void litmus_race(struct arena *arena, struct litmus_outcomes *outcomes, const struct litmus_race *race)
{
	uint32_t k = 0, count = outcomes->races.count;
	while (k < count && is_behind(race, &outcomes->races.at[k]))
		k++;
	if (k == count || is_behind(&outcomes->races.at[k], race)) {
		vector_push(arena, &outcomes->races);
		memmove(&outcomes->races.at[k + 1], &outcomes->races.at[k], (count - k) * sizeof *race);
		outcomes->races.at[k] = *race;
		return;
	}
	outcomes->races.at[k].found += race->found;
	outcomes->races.at[k].allowed |= race->allowed;
}

void litmus_outcomes_add(struct arena *arena, struct litmus_outcomes *to, const struct litmus_outcomes *from)
{
	to->endless += from->endless;
	for (uint32_t k = 0; k < from->list.count; k++) {
		struct litmus_outcome *outcome = litmus_outcome(arena, to, from->list.at[k].values);
		outcome->count += from->list.at[k].count;
		outcome->allowed |= from->list.at[k].allowed;
	}
	for (uint32_t k = 0; k < from->races.count; k++)
		litmus_race(arena, to, &from->races.at[k]);
}
