/* What the checks of --check found, as findings: each once over all launches. */
#include "api/api.h"

static const struct check *const checks[CHECKS] = {&api_races, &api_inits, &api_syncs};

bool api_has_checked(const struct lockstep *lockstep, uint64_t launch)
{
	for (uint32_t c = 0; c < CHECKS; c++) {
		uint32_t count = checks[c]->count(lockstep);

		for (uint32_t k = 0; k < count; k++) {
			struct seen seen = checks[c]->seen(lockstep, k);
			bool is_told = k < lockstep->told[c].count && lockstep->told[c].at[k].is_told;

			if (is_told ? seen.count > lockstep->told[c].at[k].count : seen.launch == launch)
				return true;
		}
	}
	return false;
}

uint32_t api_count_checked(const struct lockstep *lockstep)
{
	uint32_t count = 0;

	for (uint32_t c = 0; c < CHECKS; c++)
		count += checks[c]->count(lockstep);
	return count;
}

/* What happened to the k-th thing that a check found, since results have it. */
static void add_again(
	struct lockstep_result *result, struct lockstep_again *again, const struct seen *seen, struct told *told)
{
	if (seen->count == told->count)
		return;
	again[result->again_count++] = (struct lockstep_again){
		.launch = seen->launch + 1, .finding = told->finding, .count = seen->count - told->count};
	told->count = seen->count;
}

struct lockstep_finding *api_add_checked(struct lockstep *lockstep, struct started *started, uint64_t launch,
	const struct lockstep_finding *first, struct lockstep_finding *next)
{
	struct lockstep_again *again =
		arena_new_array(&started->arena, struct lockstep_again, api_count_checked(lockstep));

	started->result.again = again;
	for (uint32_t c = 0; c < CHECKS; c++) {
		uint32_t count = checks[c]->count(lockstep);

		while (lockstep->told[c].count < count)
			*vector_push(&lockstep->arena, &lockstep->told[c]) = (struct told){0};
		for (uint32_t k = 0; k < count; k++) {
			struct seen seen = checks[c]->seen(lockstep, k);
			struct told *told = &lockstep->told[c].at[k];

			if (told->is_told) {
				add_again(&started->result, again, &seen, told);
			} else if (seen.launch == launch) {
				*told = (struct told){
					.finding = (uint64_t)(next - first), .count = seen.count, .is_told = true};
				*next++ = checks[c]->finding(lockstep, started, k);
			}
		}
	}
	return next;
}

const char *api_with_schedule(struct arena *arena, const char *message, const struct schedule_list *list)
{
	if (!list || !list->count)
		return message;
	return arena_printf(arena, "%s; the schedule is %s", message, schedule_list_text(arena, list));
}
