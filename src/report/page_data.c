/* The data of a page:
 *
 *     { "counters": [ [NAME, UNIT, MEANING] ],        all that the results have; arrays of values are in this order
 *       "results": [ { "name", "gpu", "configuration", "program", "findings", "checked", "suppressed", "notes",
 *                      "simulated_cycles": as in the report,
 *                      "launch_count", "cycles",
 *                      "launches": [ as in the report, with "number", and "counters" as an array ],
 *                      "kernels": [ { "kernel", "demangled", "brief", "launches", "cycles", "counters": [],
 *                                     "lines": [ as in the report ], "locks": [], "lock_count",
 *                                     "barriers": [], "fences": [], "mbarriers": [], "idle" } ],
 *                      "timeline": timeline_data, where there is one,
 *                      "absent": names of counters that it has not, "sources": sources_of } ],
 *       "comparisons": [ schema lockstep-comparison/1 ] }    of the first result with each other
 *
 * What a program of a million launches would make too large is left out, and counted: of the launches the costliest are
 * shown, of the locks those for which most was waited; samples are merged.  Sums are over all. */
#include "report/page.h"

#include "lockstep.h"
#include "report/comparison.h"
#include "report/members.h"
#include "report/profile.h"
#include "report/sources.h"
#include "util/demangle.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LAUNCHES 500
#define MOST_LOCKS 200
#define MOST_DETAILED 400       /* lines of a kernel with their instructions */
#define MOST_SAMPLES (1u << 12) /* of a result */

/* A kernel's sums, its counters by their places in the table. */
struct summed {
	const char *name;
	uint64_t launches, cycles;
	uint64_t *counters;
};

struct page_data {
	struct arena arena;
	struct map places; /* of counters by name, as place + 1 */
	json_object *counters;
	/* of the result at hand */
	struct map kernels;
	VECTOR(struct summed *) sums;
	struct profile profile;
	bool *seen; /* counters that a launch has, by their places */
};

/* A member goes as it is from one object to another. */
static void pass(json_object *to, json_object *from, const char *key)
{
	if (member(from, key))
		add_member(to, key, json_object_get(member(from, key)));
}

/* ---- Counters ---- */

static void add_counter(struct page_data *d, const char *name, const char *unit, const char *meaning)
{
	json_object_array_add(d->counters, array_of_texts((const char *const[]){name, unit, meaning}, 3));
	map_put(&d->arena, &d->places, name, strlen(name), (void *)(uintptr_t)json_object_array_length(d->counters));
}

/* Those of this version, in their order, then what results of other versions have. */
static void list_counters(struct page_data *d, const struct page_result *results, size_t count)
{
	struct lockstep_counter counter;
	for (size_t k = 0; lockstep_counter(k, &counter); k++)
		add_counter(d, counter.name, counter.unit, counter.meaning);
	for (size_t k = 0; k < count; k++) {
		json_object *launches = member(results[k].report, "launches");
		for (size_t l = 0; l < length_of(launches); l++) {
			json_object *counters = member(element(launches, l), "counters");
			if (!json_object_is_type(counters, json_type_object))
				continue;
			json_object_object_foreach(counters, name, value)
			{
				(void)value;
				if (!map_get(&d->places, name))
					add_counter(d, name, "", "");
			}
		}
	}
}

/* A launch's values by the places of the counters; what it does not have is 0. */
static uint64_t *values_of(struct page_data *d, struct arena *arena, json_object *launch)
{
	uint64_t *values = arena_new_array(arena, uint64_t, json_object_array_length(d->counters) + 1);
	json_object *counters = member(launch, "counters");
	if (!json_object_is_type(counters, json_type_object))
		return values;
	json_object_object_foreach(counters, name, value)
	{
		uintptr_t place = (uintptr_t)map_get(&d->places, name) - 1;
		values[place] = json_object_get_uint64(value);
		d->seen[place] = true;
	}
	return values;
}

/* Names of those that no launch of the result has, as one of an older version. */
static json_object *absent_of(const struct page_data *d)
{
	json_object *array = json_object_new_array();
	for (size_t k = 0; k < json_object_array_length(d->counters); k++)
		if (!d->seen[k])
			json_object_array_add(array, json_object_get(element(element(d->counters, k), 0)));
	return array;
}

static json_object *array_of(const struct page_data *d, const uint64_t *values)
{
	return array_of_numbers(values, json_object_array_length(d->counters));
}

/* ---- Launches ---- */

static void sum_up(struct page_data *d, json_object *launch)
{
	struct arena arena = {0};
	const char *name = text_of(launch, "kernel");
	const uint64_t *values = values_of(d, &arena, launch);
	struct summed *sum = map_get(&d->kernels, name);
	if (!sum) {
		sum = arena_new(&d->arena, struct summed);
		sum->name = arena_text(&d->arena, name);
		sum->counters = arena_new_array(&d->arena, uint64_t, json_object_array_length(d->counters) + 1);
		map_put(&d->arena, &d->kernels, name, strlen(name), sum);
		*vector_push(&d->arena, &d->sums) = sum;
	}
	sum->launches += launches_of_record(launch);
	sum->cycles += number_of(launch, "cycles");
	for (size_t k = 0; k < json_object_array_length(d->counters); k++)
		sum->counters[k] += values[k];
	arena_free(&arena);
}

struct ranked {
	uint64_t cycles;
	size_t number;
};

static int in_order(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	return (a->number > b->number) - (a->number < b->number);
}

static int costliest_first(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	return a->cycles == b->cycles ? in_order(left, right) : a->cycles < b->cycles ? 1 : -1;
}

/* Neighbours become one. */
static json_object *halved(json_object *values)
{
	size_t count = json_object_array_length(values);
	json_object *half = json_object_new_array_ext((int)(count / 2 + 1));
	for (size_t k = 0; k < count; k += 2) {
		uint64_t sum = json_object_get_uint64(element(values, k));
		sum += k + 1 < count ? json_object_get_uint64(element(values, k + 1)) : 0;
		json_object_array_add(half, json_object_new_uint64(sum));
	}
	return half;
}

/* The same `times` times: the caller's. */
static json_object *merged(json_object *values, size_t times)
{
	values = json_object_get(values);
	for (; times && length_of(values); times--) {
		json_object *half = halved(values);
		json_object_put(values);
		values = half;
	}
	return values;
}

/* What each warp did at the end of each, where 2^times have become one; of a result without it null. */
static json_object *warps_of(json_object *samples, size_t times)
{
	json_object *warps = member(samples, "warps"), *array = json_object_new_array();
	for (size_t k = 0; k < length_of(warps); k++) {
		json_object *warp = element(warps, k), *row = add_object(array);
		const char *states = text_of(warp, "states");
		size_t length = strlen(states), step = (size_t)1 << times, count = (length + step - 1) / step;
		struct arena arena = {0};
		char *ends = arena_alloc(&arena, count + 1);
		for (size_t n = 0; n < count; n++)
			ends[n] = states[(n + 1) * step < length ? (n + 1) * step - 1 : length - 1];
		pass(row, warp, "core");
		pass(row, warp, "warp");
		add_member(row, "states", json_object_new_string_len(ends, (int)count));
		arena_free(&arena);
	}
	return array;
}

/* At most `most` samples, the caller's. */
static json_object *samples_of(json_object *samples, size_t most)
{
	json_object *cycles = member(samples, "cycles"), *all = member(samples, "counters");
	json_object *counters = json_object_new_object(), *object = json_object_new_object();
	size_t times = 0;
	for (size_t left = length_of(cycles); left > most; left = (left + 1) / 2)
		times++;
	if (json_object_is_type(all, json_type_object)) {
		json_object_object_foreach(all, name, values) add_member(counters, name, merged(values, times));
	}
	add_number(object, "interval", number_of(samples, "interval") << times);
	add_member(object, "cycles", merged(cycles, times));
	add_member(object, "counters", counters);
	if (length_of(member(samples, "warps")))
		add_member(object, "warps", warps_of(samples, times));
	return object;
}

static json_object *launch_of(struct page_data *d, json_object *launch, size_t number, size_t most_samples)
{
	static const char *const members[] = {"kernel", "demangled", "grid", "block", "outcome", "cycles",
		"warp_instructions", "thread_instructions", "wall_seconds", "registers_per_thread", "shared_bytes",
		"occupancy", "progress", "mode", "process", "groups_done", "launches"};
	struct arena arena = {0};
	json_object *object = json_object_new_object();
	add_number(object, "number", number);
	for (size_t k = 0; k < sizeof members / sizeof *members; k++)
		pass(object, launch, members[k]);
	add_text(object, "brief", demangle_brief(&arena, text_of(launch, "kernel")));
	if (member(launch, "counters"))
		add_member(object, "counters", array_of(d, values_of(d, &arena, launch)));
	if (length_of(member(member(launch, "samples"), "cycles")))
		add_member(object, "samples", samples_of(member(launch, "samples"), most_samples));
	arena_free(&arena);
	return object;
}

/* The costliest, in their order. */
static json_object *launches_of(struct page_data *d, json_object *launches)
{
	struct arena arena = {0};
	size_t count = length_of(launches), shown = count < MOST_LAUNCHES ? count : MOST_LAUNCHES;
	struct ranked *ranks = arena_new_array(&arena, struct ranked, count + 1);
	json_object *array = json_object_new_array();
	for (size_t k = 0; k < count; k++)
		ranks[k] = (struct ranked){number_of(element(launches, k), "cycles"), k};
	if (count)
		qsort(ranks, count, sizeof *ranks, costliest_first);
	if (shown)
		qsort(ranks, shown, sizeof *ranks, in_order);
	for (size_t k = 0; k < shown; k++)
		json_object_array_add(
			array, launch_of(d, element(launches, ranks[k].number), ranks[k].number, MOST_SAMPLES / shown));
	arena_free(&arena);
	return array;
}

/* ---- Kernels ---- */

#define LOCK(member) MEMBER(profile_lock, member)
#define WAIT(member) MEMBER(profile_wait, member)

static const struct member_row lock_rows[] = {LOCK(address), MEMBER_IF_ANY(profile_lock, groups), LOCK(acquires),
	LOCK(longest_queue), LOCK(failed), LOCK(waited), LOCK(held), LOCK(from_same_warp), LOCK(from_same_core),
	LOCK(from_other_core), LOCK(worst), LOCK(worst_thread), {0}};
#define WAIT_ROWS WAIT(file), WAIT(line), WAIT(text), WAIT(times), WAIT(waited), WAIT(worst), WAIT(worst_thread)
static const struct member_row barrier_rows[] = {WAIT_ROWS, WAIT(last_warp), WAIT(last_times), WAIT(words), WAIT(waits),
	WAIT(idle), WAIT(filling), MEMBER_IF_ANY(profile_wait, last_group), {0}};
static const struct member_row fence_rows[] = {WAIT_ROWS, WAIT(stores), WAIT(atomics), WAIT(loads), WAIT(others),
	WAIT(missed), WAIT(fixed), WAIT(emptied), WAIT(scope), {0}};

static uint32_t shown_of(uint32_t count)
{
	return count < MOST_LOCKS ? count : MOST_LOCKS;
}

static json_object *waits_of(const struct member_row *rows, const struct profile_waits *waits)
{
	return MEMBERS_ARRAY(rows, waits->list.at, shown_of(waits->list.count));
}

static void add_costs(json_object *object, const struct profile_kernel *kernel)
{
	json_object *lines = json_object_new_array();
	for (uint32_t l = 0; l < kernel->lines.count; l++) {
		json_object *line = profile_line_object(&kernel->lines.at[l]);
		if (l >= MOST_DETAILED)
			json_object_object_del(line, "instructions");
		json_object_array_add(lines, line);
	}
	add_member(object, "lines", lines);
	add_member(object, "locks", MEMBERS_ARRAY(lock_rows, kernel->locks.at, shown_of(kernel->locks.count)));
	add_number(object, "lock_count", kernel->locks.count);
	add_member(object, "barriers", waits_of(barrier_rows, &kernel->barriers));
	add_member(object, "fences", waits_of(fence_rows, &kernel->fences));
	add_member(object, "mbarriers", profile_mbarriers_object(kernel, MOST_LOCKS));
	add_number(object, "idle", kernel->idle);
}

static void add_profile(struct page_data *d, json_object *object, const char *name)
{
	for (uint32_t k = 0; k < d->profile.kernels.count; k++) {
		const struct profile_kernel *kernel = &d->profile.kernels.at[k];
		if (strcmp(kernel->name, name))
			continue;
		json_object *tables = json_object_new_array();
		for (uint32_t n = 0; n < kernel->tables.count; n++)
			json_object_array_add(tables, profile_table_object(&kernel->tables.at[n], MOST_LOCKS));
		add_member(object, "tables", tables);
		if (kernel->lines.count)
			add_costs(object, kernel);
	}
}

static json_object *kernels_of(struct page_data *d)
{
	json_object *array = json_object_new_array();
	for (uint32_t k = 0; k < d->sums.count; k++) {
		const struct summed *sum = d->sums.at[k];
		const char *whole = demangle(&d->arena, sum->name, true);
		json_object *object = json_object_new_object();
		add_text(object, "kernel", sum->name);
		if (whole)
			add_text(object, "demangled", whole);
		add_text(object, "brief", demangle_brief(&d->arena, sum->name));
		add_number(object, "launches", sum->launches);
		add_number(object, "cycles", sum->cycles);
		add_member(object, "counters", array_of(d, sum->counters));
		add_profile(d, object, sum->name);
		json_object_array_add(array, object);
	}
	return array;
}

/* ---- Results ---- */

static json_object *result_of(struct page_data *d, const struct page_result *result)
{
	static const char *const members[] = {"gpu", "configuration", "provenance", "program", "findings", "checked",
		"suppressed", "notes", "simulated_cycles"};
	json_object *object = json_object_new_object(), *launches = member(result->report, "launches");
	uint64_t lanes = number_of(member(result->report, "configuration"), "core.warp_size"), cycles = 0;
	d->kernels = (struct map){0};
	d->sums.count = 0;
	d->profile = (struct profile){.arena = &d->arena};
	d->seen = arena_new_array(&d->arena, bool, json_object_array_length(d->counters) + 1);
	for (size_t k = 0; k < length_of(launches); k++) {
		json_object *launch = element(launches, k);
		sum_up(d, launch);
		profile_add(&d->profile, launch, lanes);
		cycles += number_of(launch, "cycles");
	}
	profile_sort(&d->profile);
	add_text(object, "name", result->name);
	for (size_t k = 0; k < sizeof members / sizeof *members; k++)
		pass(object, result->report, members[k]);
	add_number(object, "launch_count", length_of(launches));
	add_number(object, "cycles", cycles);
	add_member(object, "launches", launches_of(d, launches));
	add_member(object, "kernels", kernels_of(d));
	add_member(object, "absent", absent_of(d));
	add_member(object, "sources", sources_of(result->report));
	if (result->timeline)
		add_member(object, "timeline", timeline_data(result->timeline));
	return object;
}

json_object *page_data(const struct page_result *results, size_t count)
{
	struct page_data d = {.counters = json_object_new_array()};
	json_object *object = json_object_new_object(), *list = json_object_new_array(),
		    *comparisons = json_object_new_array();
	list_counters(&d, results, count);
	for (size_t k = 0; k < count; k++)
		json_object_array_add(list, result_of(&d, &results[k]));
	for (size_t k = 1; k < count; k++) {
		struct comparison comparison;
		comparison_of(&comparison, &d.arena, (const char *const[]){results[0].name, results[k].name},
			(json_object *const[]){results[0].report, results[k].report});
		json_object_array_add(comparisons, comparison_object(&comparison));
	}
	add_member(object, "counters", d.counters);
	add_member(object, "results", list);
	add_member(object, "comparisons", comparisons);
	arena_free(&d.arena);
	return object;
}
