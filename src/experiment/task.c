/* Points put together to tasks, and the file that has them. */
#include "experiment/task.h"

#include "experiment/end.h"
#include "util/folder.h"
#include "util/map.h"
#include "util/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- What points take ---- */

/* The program of a file PROGRAM-GPU-...: of those whose names it begins with, the longest. */
static uint32_t program_of(const struct plan *plan, const char *file)
{
	uint32_t found = UINT32_MAX;
	size_t longest = 0;
	for (uint32_t k = 0; k < plan->programs.count; k++) {
		size_t length = strlen(plan->programs.at[k].name);
		if (length > longest && !strncmp(file, plan->programs.at[k].name, length) && file[length] == '-') {
			found = k;
			longest = length;
		}
	}
	return found;
}

static void measure(struct arena *arena, struct cost *cost, const char *path)
{
	struct diagnostic damaged = {0}; /* then it is not among the measured */
	struct end end;
	if (!end_read_file(arena, path, &end, &damaged) || strcmp(end.reason, "exit"))
		return;
	cost->mean = (cost->mean * cost->measured + end.seconds) / (cost->measured + 1);
	cost->most = end.seconds > cost->most ? end.seconds : cost->most;
	cost->bytes = end.peak_bytes > cost->bytes ? end.peak_bytes : cost->bytes;
	cost->measured++;
}

const struct cost *task_costs(
	struct arena *arena, const struct plan *plan, const struct points *points, const char *folder)
{
	struct cost *costs = arena_new_array(arena, struct cost, plan->programs.count + 1);
	struct folder_list list;
	folder_read(arena, folder, &list);
	for (uint32_t n = 0; n < list.names.count; n++) {
		const char *name = list.names.at[n], *ending = strrchr(name, '.');
		uint32_t k = program_of(plan, name);
		if (ending && !strcmp(ending, ".end") && k != UINT32_MAX)
			measure(arena, &costs[k], arena_printf(arena, "%s/%s", folder, name));
	}
	for (uint32_t k = 0; k < plan->programs.count; k++)
		if (!costs[k].measured) {
			double planned = plan->programs.at[k].seconds[points->size];
			costs[k].mean = costs[k].most = planned > 0 ? planned : 1;
		}
	return costs;
}

/* ---- Tasks ---- */

/* Points of one task, so that it takes that long and the tasks are not too many. */
static uint32_t points_of_task(uint32_t count, const struct cost *cost, double seconds, uint32_t most)
{
	double share = cost->mean > 0 ? seconds / cost->mean : count;
	uint32_t least = (count + most - 1) / most, each = share < count ? (uint32_t)share : count;
	each = each ? each : 1;
	return each > least ? each : least;
}

void task_make(struct arena *arena, const struct points *points, const struct program *program, const bool *wanted,
	const struct cost *cost, double seconds, uint32_t most, struct tasks *tasks)
{
	uint32_t *all = arena_new_array(arena, uint32_t, points->points.count + 1), count = 0;
	*tasks = (struct tasks){0};
	for (uint32_t k = 0; k < points->points.count; k++)
		if (wanted[k] && points->points.at[k].program == program)
			all[count++] = k;
	uint32_t each = count ? points_of_task(count, cost, seconds, most) : 1;
	for (uint32_t k = 0; k < count; k += each)
		*vector_push(arena, &tasks->all) =
			(struct task){.points = all + k, .count = count - k < each ? count - k : each};
}

bool task_write(const struct points *points, const struct tasks *tasks, const char *file, struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	struct text text = {.arena = &arena};
	for (uint32_t t = 0; t < tasks->all.count; t++) {
		const struct task *task = &tasks->all.at[t];
		for (uint32_t k = 0; k < task->count; k++)
			text_print(&text, "%s%s", k ? "\t" : "", points->points.at[task->points[k]].name);
		text_append(&text, "\n", 1);
	}
	bool good = text_write_file(file, text.at ? text.at : "", text.length, diagnostic);
	arena_free(&arena);
	return good;
}

/* A line's points; `map` has index plus one of each, by name. */
static struct task read_line(struct arena *arena, const struct map *map, char *line)
{
	VECTOR(uint32_t) found = {0};
	const char *unknown = NULL;
	for (char *name; (name = strsep(&line, "\t"));) {
		uintptr_t number = (uintptr_t)map_get(map, name);
		if (number)
			*vector_push(arena, &found) = (uint32_t)number - 1;
		else if (!unknown)
			unknown = name;
	}
	return (struct task){.points = found.at, .count = found.count, .unknown = unknown};
}

bool task_read(struct arena *arena, const struct points *points, const char *file, struct tasks *tasks,
	struct diagnostic *diagnostic)
{
	struct map map = {0};
	size_t length;
	char *text = text_read_file(arena, file, &length, diagnostic), *line;
	*tasks = (struct tasks){0};
	for (uint32_t k = 0; k < points->points.count; k++) {
		const char *name = points->points.at[k].name;
		map_put(arena, &map, name, strlen(name), (void *)(uintptr_t)(k + 1));
	}
	while (text && (line = strsep(&text, "\n")) && (*line || text))
		*vector_push(arena, &tasks->all) = *line ? read_line(arena, &map, line) : (struct task){0};
	return !diagnostic->failed;
}

bool task_wanted(
	struct arena *arena, const struct points *points, const char *file, bool *wanted, struct diagnostic *diagnostic)
{
	struct tasks tasks;
	struct task task = {0};
	uint64_t number;
	const char *word = getenv("SLURM_ARRAY_TASK_ID");
	if (!word || !text_to_u64(word, &number)) {
		diagnose(diagnostic, (struct place){0},
			"--task %s: there is no SLURM_ARRAY_TASK_ID, expected one: jobs of --on slurm have this option",
			file);
		return false;
	}
	if (!task_read(arena, points, file, &tasks, diagnostic))
		return false;
	if (number < tasks.all.count)
		task = tasks.all.at[number];
	if (!task.count || task.unknown)
		diagnose(diagnostic, (struct place){.file = file, .line = (uint32_t)number + 1},
			task.unknown
				? "'%s' is no point of this build, expected the executables that the job was submitted "
				  "with"
				: "there is no task %s",
			task.unknown ? task.unknown : word);
	for (uint32_t k = 0; k < task.count; k++)
		wanted[task.points[k]] = true;
	return !diagnostic->failed;
}
