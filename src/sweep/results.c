/* What the reports of a sweep's runs have. */
#include "sweep/sweep.h"

#include "report/members.h"
#include "report/result_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- Reading ---- */

struct sweep_count *sweep_count_of(const struct sweep_run *run, uint32_t likely, const char *name)
{
	uint32_t k = likely < run->counts.count && !strcmp(run->counts.at[likely].name, name) ? likely : 0;

	while (k < run->counts.count && strcmp(run->counts.at[k].name, name))
		k++;
	return k < run->counts.count ? &run->counts.at[k] : NULL;
}

static void add(struct arena *arena, struct sweep_run *run, uint32_t next, const char *name, uint64_t value)
{
	struct sweep_count *count = sweep_count_of(run, next, name);

	if (!count) {
		count = vector_push(arena, &run->counts);
		count->name = arena_text(arena, name);
	}
	count->value += value;
}

static void add_launch(struct arena *arena, struct sweep_run *run, json_object *launch)
{
	static const char *const members[] = {"cycles", "warp_instructions", "thread_instructions"};
	const char *outcome = text_of(launch, "outcome");
	uint32_t next = 0;

	for (; next < sizeof members / sizeof *members; next++)
		add(arena, run, next, members[next], number_of(launch, members[next]));
	if (json_object_is_type(member(launch, "counters"), json_type_object)) {
		json_object_object_foreach(member(launch, "counters"), name, value)
			add(arena, run, next++, name, json_object_get_uint64(value));
	}
	if (!strcmp(run->outcome, "completed") && strcmp(outcome, "completed"))
		run->outcome = arena_text(arena, outcome);
}

void sweep_read_report(struct sweep *sweep, uint32_t number, struct diagnostic *diagnostic)
{
	struct sweep_run *run = &sweep->run[number];
	const char *file = sweep_report_file(sweep, sweep->arena, number);
	int absent = access(file, F_OK) ? errno : 0;
	json_object *report = absent ? NULL : result_file_read(sweep->arena, file, NULL, diagnostic);
	json_object *launches = member(report, "launches");

	run->outcome = "completed";
	for (size_t k = 0; k < length_of(launches); k++)
		add_launch(sweep->arena, run, element(launches, k));
	if (!report || (run->status && !strcmp(run->outcome, "completed")))
		run->outcome = "failed";
	if (absent && !run->message)
		run->message = arena_printf(sweep->arena, "%s: cannot open: %s", file, strerror(absent));
	run->counts_hold = !strcmp(run->outcome, "completed");
	json_object_put(report);
}

/* ---- Asking ---- */

bool sweep_spread_of(const struct sweep *sweep, uint32_t point, const char *name, struct sweep_spread *spread)
{
	uint32_t repeats = sweep_repeats(sweep);

	*spread = (struct sweep_spread){0};
	for (uint32_t k = 0; k < repeats; k++) {
		const struct sweep_run *run = &sweep->run[point * repeats + k];
		const struct sweep_count *count = sweep_count_of(run, 0, name);

		if (!run->counts_hold || !count)
			return false;
		double value = (double)count->value;
		spread->mean += value / repeats;
		spread->least = !k || value < spread->least ? value : spread->least;
		spread->greatest = !k || value > spread->greatest ? value : spread->greatest;
	}
	return true;
}

const char *sweep_outcome(const struct sweep *sweep, uint32_t point)
{
	uint32_t repeats = sweep_repeats(sweep);

	for (uint32_t k = 0; k < repeats; k++)
		if (!sweep->run[point * repeats + k].counts_hold)
			return sweep->run[point * repeats + k].outcome;
	return "completed";
}

bool sweep_check_values(const struct sweep *sweep, struct diagnostic *diagnostic)
{
	VECTOR(const char *) names = {0};
	const struct sweep_run *first = sweep->run;

	while (first < sweep->run + sweep->runs && !(first->counts_hold && first->counts.count))
		first++;
	if (first == sweep->run + sweep->runs)
		return true;
	for (uint32_t k = 0; k < first->counts.count; k++)
		*vector_push(sweep->arena, &names) = first->counts.at[k].name;
	for (uint32_t k = 0; k < sweep->values.count; k++) {
		const char *name = sweep->values.at[k], *nearest = text_nearest(name, names.at, names.count);

		if (sweep_count_of(first, 0, name))
			continue;
		diagnose(diagnostic, (struct place){0}, "--value %s: no report has it, %s%s%s", name,
			nearest ? "did you mean '" : "expected cycles or a counter", nearest ? nearest : "",
			nearest ? "'?" : "");
	}
	return !diagnostic->failed;
}
