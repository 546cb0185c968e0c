/* What came of a launch: its counters and times; the results that are kept. */
#include "api/api.h"

#include <string.h>

/* In the order of list_counters, so nothing may sort these: */
/* clang-format off */
static const struct lockstep_counter counters[] = {
#define COUNTER(field, text, what, sense) {.name = text, .unit = what, .meaning = sense},
#include "machine/state/counters.def"
#include "memory/counters.def"
#include "machine/state/control_counters.def"
#include "machine/state/energy.def"
#undef COUNTER
};
/* clang-format on */
#define COUNTER_COUNT (sizeof counters / sizeof *counters)

static void list_counters(struct arena *arena, struct lockstep_result *result, const struct gpu_result *r)
{
	struct lockstep_counter *list = arena_new_array(arena, struct lockstep_counter, COUNTER_COUNT), *next = list;

	memcpy(list, counters, sizeof counters);
#define COUNTER(field, text, what, sense) next++->value = r->counters.field;
#include "machine/state/counters.def"
#undef COUNTER
#define COUNTER(field, text, what, sense) next++->value = r->partition_counters.field;
#include "memory/counters.def"
#undef COUNTER
#define COUNTER(field, text, what, sense) next++->value = r->control_counters.field;
#include "machine/state/control_counters.def"
#undef COUNTER
#define COUNTER(field, text, what, sense) next++->value = r->energy.field;
#include "machine/state/energy.def"
#undef COUNTER
	result->counters = list;
	result->counter_count = COUNTER_COUNT;
}

static double seconds_between(const struct timespec *start, const struct timespec *end)
{
	return (double)(end->tv_sec - start->tv_sec) + (double)(end->tv_nsec - start->tv_nsec) * 1e-9;
}

/* What launches take together is the sum of it, also when they ran side by side. */
static double own_seconds(struct lockstep *lockstep, const struct timespec *start)
{
	struct timespec before = lockstep->last_end;

	clock_gettime(CLOCK_MONOTONIC, &lockstep->last_end);
	return seconds_between(seconds_between(&before, start) > 0 ? start : &before, &lockstep->last_end);
}

static void end_running(struct lockstep *lockstep, const struct started *started)
{
	uint32_t k = 0;

	while (lockstep->running.at[k] != started)
		k++;
	lockstep->running.at[k] = lockstep->running.at[--lockstep->running.count]; /* they are in no order */
}

const struct lockstep_result *api_keep_result(
	struct lockstep *lockstep, struct started *started, const struct gpu_result *r)
{
	static const enum lockstep_outcome outcomes[] = {[GPU_COMPLETED] = LOCKSTEP_COMPLETED,
		[GPU_HANG] = LOCKSTEP_HANG,
		[GPU_FAULT] = LOCKSTEP_FAULT,
		[GPU_LIMIT] = LOCKSTEP_LIMIT,
		[GPU_INTERRUPTED] = LOCKSTEP_INTERRUPTED};
	struct lockstep_result *result = &started->result;

	result->overlapped = r->overlapped;
	result->start = r->start;
	result->outcome = outcomes[r->outcome];
	result->cycles = r->cycles;
	result->warp_instructions = r->counters.warp_instructions;
	result->thread_instructions = r->counters.thread_instructions;
	result->wall_seconds = own_seconds(lockstep, &started->start);
	list_counters(&started->arena, result, r);
	api_take_checked(lockstep, result);
	api_end_search(lockstep, started);
	if (r->finding.found || r->drops.count || r->left_bits.count || api_has_checked(lockstep, result->number - 1))
		api_add_findings(lockstep, started, r);
	parts_add(lockstep, started);
	end_running(lockstep, started);
	*vector_push(&lockstep->arena, &lockstep->results) = started;
	return result;
}

void api_free_started(struct started *started)
{
	struct arena arena = started->arena; /* it lies in it */

	arena_free(&arena);
}

size_t lockstep_result_count(const struct lockstep *lockstep)
{
	return lockstep->results.count;
}

const struct lockstep_result *lockstep_result(const struct lockstep *lockstep, size_t k)
{
	return k < lockstep->results.count ? &lockstep->results.at[k]->result : NULL;
}

void lockstep_forget(struct lockstep *lockstep, const struct lockstep_result *result)
{
	uint32_t k = lockstep->results.count;

	while (k && &lockstep->results.at[k - 1]->result != result) /* mostly the last */
		k--;
	if (!k)
		return;
	api_free_started(lockstep->results.at[k - 1]);
	memmove(&lockstep->results.at[k - 1], &lockstep->results.at[k],
		(lockstep->results.count - k) * sizeof(struct started *));
	lockstep->results.count--;
}

bool lockstep_counter(size_t k, struct lockstep_counter *counter)
{
	if (k >= COUNTER_COUNT)
		return false;
	*counter = counters[k];
	return true;
}
