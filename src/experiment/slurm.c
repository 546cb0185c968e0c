/* The commands of Slurm: their words, and what they print. */
#include "experiment/slurm.h"

#include "experiment/subprocess.h"
#include "util/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ARRAY_LIMIT 1001 /* MaxArraySize of slurm.conf(5): the first index that there is not */
#define MOST_WORDS 128

bool slurm_is_there(struct diagnostic *diagnostic)
{
	if (!subprocess_is_there("sbatch"))
		diagnose(diagnostic, (struct place){0},
			"--on slurm: there is no sbatch in PATH, expected Slurm's commands");
	return !diagnostic->failed;
}

uint32_t slurm_array_limit(struct arena *arena)
{
	static const char *const words[] = {"scontrol", "show", "config", NULL};
	struct subprocess_result result;
	unsigned limit;
	const char *at = subprocess_run(arena, words, &result) ? strstr(result.output, "MaxArraySize") : NULL;
	if (!at || sscanf(at, "MaxArraySize = %u", &limit) != 1 || limit < 2)
		return DEFAULT_ARRAY_LIMIT;
	return limit;
}

/* ---- sbatch ---- */

/* Tasks come to the folder in which the array is submitted, and leave it for that where the user is, their first word.
 */
static const char script[] = "#!/bin/sh\ncd \"$1\" || exit\nshift\nexec \"$@\"\n";

static const char *array_range(struct arena *arena, const struct slurm_array *a)
{
	if (a->together)
		return arena_printf(arena, "--array=0-%" PRIu32 "%%%" PRIu32, a->count - 1, a->together);
	return arena_printf(arena, "--array=0-%" PRIu32, a->count - 1);
}

/* Slurm counts minutes, and MiB. */
static uint32_t add_options(struct arena *arena, const struct slurm_array *a, const char **words)
{
	uint32_t n = 0;
	words[n++] = "sbatch";
	words[n++] = "--parsable";
	words[n++] = "--requeue"; /* when the node fails */
	words[n++] = "--open-mode=append";
	words[n++] = "--ntasks=1";
	words[n++] = "--cpus-per-task=1";
	words[n++] = "--output=%A-%a.log";
	words[n++] = arena_printf(arena, "--job-name=%s", a->name);
	words[n++] = arena_printf(arena, "--chdir=%s", a->folder);
	words[n++] = array_range(arena, a);
	words[n++] = arena_printf(arena, "--time=%.0f", ceil(a->seconds / 60));
	if (a->bytes)
		words[n++] = arena_printf(arena, "--mem=%" PRIu64 "M", (a->bytes + (1 << 20) - 1) >> 20);
	if (a->partition)
		words[n++] = arena_printf(arena, "--partition=%s", a->partition);
	if (a->account)
		words[n++] = arena_printf(arena, "--account=%s", a->account);
	for (uint32_t k = 0; k < a->option_count; k++)
		words[n++] = a->options[k];
	return n;
}

uint64_t slurm_submit(struct arena *arena, const struct slurm_array *a, const char **refused)
{
	const char **words = arena_new_array(arena, const char *, MOST_WORDS + a->option_count);
	const char *file = arena_printf(arena, "%s/task.sh", a->folder);
	struct diagnostic diagnostic = {0};
	struct subprocess_result result;
	uint32_t n = add_options(arena, a, words);
	*refused = NULL;
	words[n++] = file;
	for (uint32_t k = 0; a->words[k] && n < MOST_WORDS; k++)
		words[n++] = a->words[k];
	words[n] = NULL;
	if (!text_write_file(file, script, sizeof script - 1, &diagnostic)) {
		*refused = arena_text(arena, diagnostic.message);
		return 0;
	}
	if (!subprocess_run(arena, words, &result)) {
		*refused = *result.error ? result.error : "it does not say why";
		return 0;
	}
	return strtoull(result.output, NULL, 10); /* "5", or "5;cluster" */
}

/* ---- squeue, scancel ---- */

/* A line "JOB TASK STATE NAME REASON", between tabs.  States in which a task leaves the queue are those of one that
 * runs: it is not over yet. */
static void read_task(struct arena *arena, struct slurm_queue *queue, char *line)
{
	const char *fields[5] = {0};
	for (uint32_t k = 0; k < 5 && line; k++)
		fields[k] = strsep(&line, "\t");
	if (!fields[4])
		return;
	*vector_push(arena, &queue->tasks) = (struct slurm_task){.job = strtoull(fields[0], NULL, 10),
		.task = (uint32_t)strtoul(fields[1], NULL, 10),
		.name = fields[3],
		.runs = strcmp(fields[2], "PENDING") != 0,
		.is_held = strstr(fields[4], "requeued held") || !strcmp(fields[4], "JobHoldMaxRequeue")};
}

bool slurm_list(struct arena *arena, struct slurm_queue *queue)
{
	static const char *const words[] = {
		"squeue", "--me", "--noheader", "--array", "--format=%F\t%K\t%T\t%j\t%r", NULL};
	struct subprocess_result result;
	*queue = (struct slurm_queue){0};
	if (!subprocess_run(arena, words, &result))
		return false;
	for (char *text = arena_text(arena, result.output), *line; (line = strsep(&text, "\n"));)
		read_task(arena, queue, line);
	return true;
}

bool slurm_cancel(struct arena *arena, uint64_t job, const uint32_t *task)
{
	const char *what =
		task ? arena_printf(arena, "%" PRIu64 "_%" PRIu32, job, *task) : arena_printf(arena, "%" PRIu64, job);
	const char *const words[] = {"scancel", "--quiet", what, NULL};
	struct subprocess_result result;
	return subprocess_run(arena, words, &result) || strstr(result.error, "Invalid job id");
}
