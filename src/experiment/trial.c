/* Whether `lockstep run` takes the GPUs, the policies' options and the pinned PTX of an experiment: the command itself
 * is asked, as it alone knows them. */
#include "experiment/trial.h"

#include "experiment/subprocess.h"
#include "util/map.h"

#include <string.h>
#include <unistd.h>

/* The first words of a point's command line, on a program that does nothing. */
static bool try_words(struct arena *arena, const struct point *point, uint32_t count, struct place place,
	struct diagnostic *diagnostic)
{
	struct subprocess_result result;
	const char **words = arena_new_array(arena, const char *, count + 3);
	memcpy(words, point->words.at, count * sizeof *words);
	words[count] = "--";
	words[count + 1] = "true";
	bool good = subprocess_run(arena, words, &result);
	if (!good)
		diagnose(diagnostic, place, "lockstep run does not take this: %s", result.error);
	return good;
}

/* Notes the name; false: it was known. */
static bool is_new(struct arena *arena, struct map *map, const char *name)
{
	return !map_put(arena, map, name, strlen(name), map);
}

bool trial_of_options(
	struct arena *arena, const struct points *points, const char *folder, struct diagnostic *diagnostic)
{
	struct map gpus = {0}, policies = {0};
	for (uint32_t k = 0; k < points->entries.count && !diagnostic->failed; k++) {
		const struct entry *e = &points->entries.at[k];
		const struct point *p = &points->points.at[e->point];
		if (!access(points_file(arena, p, folder, "json"), F_OK))
			continue;
		bool good =
			!is_new(arena, &gpus, p->gpu) || try_words(arena, p, p->gpu_words, e->set->place, diagnostic);
		if (good && is_new(arena, &policies, e->policy->name))
			try_words(arena, p, p->run_words, e->policy->place, diagnostic);
	}
	return !diagnostic->failed;
}

bool trial_of_pinned(
	struct arena *arena, const struct points *points, const char *folder, struct diagnostic *diagnostic)
{
	struct map programs = {0};
	for (uint32_t k = 0; k < points->points.count && !diagnostic->failed; k++) {
		const struct point *p = &points->points.at[k];
		if (p->pinned_words > p->run_words && access(points_file(arena, p, folder, "json"), F_OK) &&
			is_new(arena, &programs, p->program->name))
			try_words(arena, p, p->pinned_words, p->program->place, diagnostic);
	}
	return !diagnostic->failed;
}
