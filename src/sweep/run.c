/* The runs of a sweep: the command itself as jobs. */
#include "sweep/sweep.h"

#include "util/folder.h"
#include "util/jobs.h"
#include "util/terminal.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_USAGE 2
#define STATUS_SIGNAL 128 /* and its number, as shells say it */

struct runner {
	struct sweep *sweep;
	struct diagnostic *diagnostic;
	struct jobs jobs; /* a run each */
};

/* ---- Files ---- */

const char *sweep_report_file(const struct sweep *sweep, struct arena *arena, uint32_t run)
{
	return arena_printf(arena, "%s/%04u.json", sweep->folder, run + 1);
}

static const char *log_file(const struct sweep *sweep, struct arena *arena, uint32_t run)
{
	return arena_printf(arena, "%s/%04u.log", sweep->folder, run + 1);
}

/* NNNN.json and NNNN.log, as a sweep names them. */
static bool is_of_a_sweep(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits >= 4 && (!strcmp(name + digits, ".json") || !strcmp(name + digits, ".log"));
}

/* Those of an earlier sweep, which had other points. */
static void remove_old(const struct sweep *sweep)
{
	struct folder_list list;

	folder_read(sweep->arena, sweep->folder, &list);
	for (uint32_t k = 0; k < list.names.count; k++)
		if (is_of_a_sweep(list.names.at[k]))
			unlink(arena_printf(sweep->arena, "%s/%s", sweep->folder, list.names.at[k]));
}

/* ---- A run ---- */

static struct job_command command_of(void *context, struct arena *arena, uint32_t run)
{
	const struct runner *r = context;
	const char **words = sweep_words(r->sweep, arena, run, sweep_report_file(r->sweep, arena, run));
	words[0] = "/proc/self/exe"; /* whatever has become of its file */
	return (struct job_command){words, log_file(r->sweep, arena, run)};
}

static void forget(void *context, uint32_t run)
{
	const struct runner *r = context;
	unlink(log_file(r->sweep, r->sweep->arena, run));
}

/* Null: there is none. */
static const char *last_line(struct arena *arena, const char *file)
{
	const char *text = text_try_file(arena, file), *line = text_last_line(arena, text ? text : "");

	return *line ? line : NULL;
}

/* Words that one run is refused for are wrong for all. */
static void end(void *context, uint32_t run, int status, const struct rusage *usage)
{
	const struct runner *r = context;
	struct sweep_run *result = &r->sweep->run[run];

	(void)usage;
	result->status = WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
	result->message = last_line(r->sweep->arena, log_file(r->sweep, r->sweep->arena, run));
	forget(context, run);
	sweep_read_report(r->sweep, run, r->diagnostic);
	if (result->status == STATUS_USAGE && !strcmp(result->outcome, "failed"))
		diagnose(r->diagnostic, (struct place){0}, "%s", result->message ? result->message : "a run failed");
}

/* ---- All ---- */

static void show(const void *context)
{
	const struct runner *r = context;
	char line[64];

	snprintf(line, sizeof line, "%u of %u runs", r->jobs.done, r->sweep->runs);
	terminal_show_line(line);
}

bool sweep_run_all(struct sweep *sweep, int *number, struct diagnostic *diagnostic)
{
	struct runner r = {.sweep = sweep,
		.diagnostic = diagnostic,
		.jobs = {.count = sweep->runs,
			.together = sweep->jobs,
			.job = arena_new_array(sweep->arena, struct job, sweep->runs),
			.stop_signal = SIGTERM,
			.only_errors = true,
			.context = &r,
			.command = command_of,
			.end = end,
			.forget = forget,
			.show = show}};

	if (!folder_make(sweep->folder, diagnostic))
		return false;
	remove_old(sweep);
	sweep->run = arena_new_array(sweep->arena, struct sweep_run, sweep->runs);
	jobs_run(&r.jobs, diagnostic);
	*number = r.jobs.stopped;
	return !r.jobs.stopped && !diagnostic->failed;
}
