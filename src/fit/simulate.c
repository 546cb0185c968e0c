/* Points simulated by children: `lockstep run` of workloads/silicon, some points each. */
#include "fit/fit.h"

#include "util/folder.h"
#include "util/jobs.h"
#include "util/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define POINTS_TOGETHER 8 /* of the table of errors, in a child */

struct runner {
	struct fit *fit;
	struct fit_trial *trials;
	struct diagnostic *diagnostic;
	struct jobs jobs; /* a trial each */
};

static const char *file_of(const struct runner *r, struct arena *arena, uint32_t trial, const char *ending)
{
	return arena_printf(arena, "%s/%04u.%s", r->fit->folder, trial + 1, ending);
}

static const struct fit_point *point_of(const struct runner *r, const struct fit_trial *trial, uint32_t k)
{
	return &r->fit->points.at[trial->points.at[k]];
}

static bool write_points(struct runner *r, uint32_t index)
{
	const struct fit_trial *trial = &r->trials[index];
	struct text text = {.arena = r->fit->arena};

	for (uint32_t k = 0; k < trial->points.count; k++)
		text_print(&text, "%s\n", point_of(r, trial, k)->name);
	return text_write_file(file_of(r, r->fit->arena, index, "csv"), text.at, text.length, r->diagnostic);
}

/* One iteration that waits for its answers gives what thousands do on a card. */
static struct job_command command_of(void *context, struct arena *arena, uint32_t index)
{
	const struct runner *r = context;
	const struct fit_trial *trial = &r->trials[index];
	const char *file = file_of(r, arena, index, "csv");
	const char *first[] = {
		"/proc/self/exe", "run", "--gpu", r->fit->model, "--explain-limit", "0", "--output", "/dev/null"};
	const char *last[] = {"--", r->fit->program, "--points", file, "--gpu", r->fit->card, "--drain", "--repeat",
		"1", "--iterations", "1"};
	VECTOR(const char *) words = {0};

	for (size_t k = 0; k < sizeof first / sizeof *first; k++)
		*vector_push(arena, &words) = first[k];
	for (uint32_t k = 0; k < trial->settings.count; k++) {
		*vector_push(arena, &words) = "--set";
		*vector_push(arena, &words) = trial->settings.at[k];
	}
	for (size_t k = 0; k < sizeof last / sizeof *last; k++)
		*vector_push(arena, &words) = last[k];
	*vector_push(arena, &words) = NULL;
	return (struct job_command){words.at, file_of(r, arena, index, "log")};
}

static void forget(void *context, uint32_t index)
{
	struct runner *r = context;

	unlink(file_of(r, r->fit->arena, index, "csv"));
	unlink(file_of(r, r->fit->arena, index, "log"));
}

/* A row's cycles: what follows the point's name.  Rows are in the order of the points; *at is behind those read.  NAN:
 * it has none. */
static double read_cycles(const char **at, const char *name)
{
	const char *found = strstr(*at, name);
	size_t length = strlen(name);

	while (found && !((found == *at || found[-1] == '\n') && found[length] == ','))
		found = strstr(found + 1, name);
	if (!found)
		return NAN;
	*at = found + length + 1;
	return strtod(*at, NULL);
}

static void end(void *context, uint32_t index, int status, const struct rusage *usage)
{
	struct runner *r = context;
	struct fit_trial *trial = &r->trials[index];
	const char *log = text_try_file(r->fit->arena, file_of(r, r->fit->arena, index, "log")), *at = log ? log : "";

	(void)usage;
	forget(context, index);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		diagnose(r->diagnostic, (struct place){.file = point_of(r, trial, 0)->name}, "no result: %s",
			text_last_line(r->fit->arena, at));
		return;
	}
	for (uint32_t k = 0; k < trial->points.count; k++)
		trial->cycles[k] = read_cycles(&at, point_of(r, trial, k)->name);
}

static void show(const void *context)
{
	const struct runner *r = context;
	char line[64];

	snprintf(line, sizeof line, "%u of %u simulations", r->jobs.done, r->jobs.count);
	terminal_show_line(line);
}

bool fit_simulate(struct fit *fit, struct fit_trial *trials, uint32_t count, struct diagnostic *diagnostic)
{
	struct runner r = {.fit = fit,
		.trials = trials,
		.diagnostic = diagnostic,
		.jobs = {.count = count,
			.together = fit->jobs,
			.job = arena_new_array(fit->arena, struct job, count),
			.stop_signal = SIGTERM,
			.context = &r,
			.command = command_of,
			.end = end,
			.forget = forget,
			.show = show}};

	if (!folder_make(fit->folder, diagnostic))
		return false;
	for (uint32_t k = 0; k < count && !diagnostic->failed; k++) {
		trials[k].cycles = arena_new_array(fit->arena, double, trials[k].points.count);
		write_points(&r, k);
	}
	if (!diagnostic->failed)
		jobs_run(&r.jobs, diagnostic);
	if (diagnostic->failed || r.jobs.stopped)
		for (uint32_t k = 0; k < count; k++)
			forget(&r, k);
	fit->stopped = r.jobs.stopped;
	return !fit->stopped && !diagnostic->failed;
}

/* The sampled points, some to a trial. */
static uint32_t make_trials(struct fit *fit, bool proposed, struct fit_trial *trials)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < fit->points.count; k++) {
		if (!fit->points.at[k].sampled)
			continue;
		if (!count || trials[count - 1].points.count == POINTS_TOGETHER) {
			trials[count] = (struct fit_trial){0};
			if (proposed)
				fit_add_settings(fit, FIT_ALL_STAGES, &trials[count]);
			count++;
		}
		*vector_push(fit->arena, &trials[count - 1].points) = k;
	}
	return count;
}

static void keep_cycles(struct fit *fit, bool proposed, const struct fit_trial *trial)
{
	for (uint32_t k = 0; k < trial->points.count; k++) {
		struct fit_point *point = &fit->points.at[trial->points.at[k]];

		*(proposed ? &point->after : &point->before) = trial->cycles[k];
		fit->unknown += !proposed && isnan(trial->cycles[k]);
		fit->hidden += !proposed && trial->cycles[k] <= 0;
	}
}

bool fit_compare(struct fit *fit, bool proposed, struct diagnostic *diagnostic)
{
	struct fit_trial *trials =
		arena_new_array(fit->arena, struct fit_trial, fit->points.count / POINTS_TOGETHER + 1);
	uint32_t count = make_trials(fit, proposed, trials);

	if (!fit_simulate(fit, trials, count, diagnostic))
		return false;
	for (uint32_t k = 0; k < count; k++)
		keep_cycles(fit, proposed, &trials[k]);
	return true;
}
