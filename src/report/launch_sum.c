/* Sums of launches. */
#include "report/launch_sum.h"

#include "report/reports.h"

#include <json-c/json.h>
#include <string.h>

/* What a record has only where it is the same in all launches.  The stream is compared apart: it is not in the
 * result. */
static const struct {
	const char *member;
	size_t offset, bytes;
} same[] = {
#define SAME(field) offsetof(struct lockstep_result, field), sizeof((struct lockstep_result *)0)->field
	{"grid", SAME(grid)},
	{"block", SAME(block)},
	{"shared_bytes", SAME(shared_bytes)},
	{"occupancy", SAME(groups_per_core)},
	{"occupancy", SAME(groups)},
	{"ptx", SAME(origin)},
#undef SAME
};
#define SAME_COUNT (sizeof same / sizeof *same)
#define STREAM_DIFFERS (1u << SAME_COUNT)

static bool is_of(const struct launch_sum *sum, const struct lockstep_result *result, uint64_t process)
{
	return sum->process == process && sum->result.mode == result->mode && sum->result.outcome == result->outcome &&
	       !strcmp(sum->result.kernel, result->kernel);
}

static void begin(struct arena *arena, struct launch_sum *sum, const struct lockstep_result *result)
{
	struct lockstep_result *first = &sum->result;
	*first = *result;
	first->kernel = arena_text(arena, result->kernel);
	first->limiter = arena_text(arena, result->limiter);
	first->cycles = first->warp_instructions = first->thread_instructions = first->children = 0;
	first->wall_seconds = 0;
	first->number = first->parent = 0;
	first->findings = NULL;
	first->again = NULL;
	first->counters = NULL;
	first->finding_count = first->again_count = 0;
	first->samples = NULL;
	first->costs = NULL;
	first->tables = NULL;
	first->table_count = 0;
	sum->counter_sums = arena_new_array(arena, uint64_t, result->counter_count + 1);
}

static void add_values(struct launch_sum *sum, const struct lockstep_result *result)
{
	struct lockstep_result *all = &sum->result;
	uint64_t end = result->start + result->cycles;
	sum->launches++;
	sum->end = sum->end > end ? sum->end : end;
	all->start = all->start < result->start ? all->start : result->start;
	all->cycles += result->cycles;
	all->warp_instructions += result->warp_instructions;
	all->thread_instructions += result->thread_instructions;
	all->children += result->children;
	all->wall_seconds += result->wall_seconds;
	for (size_t k = 0; k < result->counter_count; k++)
		sum->counter_sums[k] += result->counters[k].value;
	for (size_t k = 0; k < SAME_COUNT; k++)
		if (memcmp((const char *)all + same[k].offset, (const char *)result + same[k].offset, same[k].bytes))
			sum->differs |= 1u << k;
}

size_t launch_sums_add(struct arena *arena, struct launch_sums *sums, const struct lockstep_result *result,
	uint64_t process, uint64_t stream)
{
	uint32_t k = 0;
	while (k < sums->all.count && !is_of(&sums->all.at[k], result, process))
		k++;
	if (k == sums->all.count) {
		struct launch_sum *sum = vector_push(arena, &sums->all);
		*sum = (struct launch_sum){.process = process, .stream = stream};
		begin(arena, sum, result);
	}
	add_values(&sums->all.at[k], result);
	if (sums->all.at[k].stream != stream)
		sums->all.at[k].differs |= STREAM_DIFFERS;
	return k;
}

struct json_object *launch_sum_record(struct arena *arena, const struct launch_sum *sum)
{
	struct lockstep_result result = sum->result;
	struct lockstep_counter *counters = arena_new_array(arena, struct lockstep_counter, result.counter_count + 1);
	for (size_t k = 0; k < result.counter_count; k++) {
		lockstep_counter(k, &counters[k]);
		counters[k].value = sum->counter_sums[k];
	}
	result.counters = counters;
	json_object *record = report_launch(&result);
	json_object_object_add(record, "launches", json_object_new_uint64(sum->launches));
	if (result.mode == LOCKSTEP_TIMING) {
		json_object_object_add(record, "start", json_object_new_uint64(result.start));
		json_object_object_add(record, "end", json_object_new_uint64(sum->end));
	}
	json_object_object_del(record, "number"); /* of one launch: report_launch has it beside `children` */
	for (size_t k = 0; k < SAME_COUNT; k++)
		if (sum->differs >> k & 1)
			json_object_object_del(record, same[k].member);
	if (!(sum->differs & STREAM_DIFFERS))
		json_object_object_add(record, "stream", json_object_new_uint64(sum->stream));
	return record;
}
