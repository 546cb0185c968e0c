/* The points of an experiment as jobs: what they leave, and how long they still take. */
#include "experiment/run.h"

#include "experiment/end.h"
#include "util/terminal.h"
#include "util/text.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct runner {
	const struct points *points;
	const char *folder; /* of the result files */
	struct run_outcome *outcome;
	struct diagnostic *diagnostic;
	struct jobs jobs; /* one for each point */
};

/* ---- Time left ---- */

static double planned(const struct points *points, uint32_t k)
{
	double seconds = points->points.at[k].program->seconds[points->size];
	return seconds > 0 ? seconds : 1;
}

double run_estimate(const struct points *points)
{
	double sum = 0;
	for (uint32_t k = 0; k < points->points.count; k++)
		sum += planned(points, k);
	return sum;
}

/* What a point of this program takes: the mean of those measured, else the plan's figure, as wrong as it was for the
 * others. */
static double expected(const struct runner *r, uint32_t point)
{
	const struct point *points = r->points->points.at;
	double own = 0, measured = 0, guessed = 0;
	uint32_t own_count = 0;
	for (uint32_t k = 0; k < r->points->points.count; k++) {
		if (r->jobs.job[k].state != JOB_ENDED || r->jobs.job[k].seconds <= 0)
			continue;
		measured += r->jobs.job[k].seconds;
		guessed += planned(r->points, k);
		if (points[k].program == points[point].program) {
			own += r->jobs.job[k].seconds;
			own_count++;
		}
	}
	if (own_count)
		return own / own_count;
	return planned(r->points, point) * (guessed > 0 ? measured / guessed : 1);
}

/* One that takes longer than expected is taken to be near its end. */
static double time_left(double whole, double gone)
{
	return gone < 0.9 * whole ? whole - gone : gone / 9;
}

static double seconds_left(const struct runner *r)
{
	double sum = 0, longest = 0, time = jobs_now();
	for (uint32_t k = 0; k < r->points->points.count; k++) {
		if (r->jobs.job[k].state == JOB_ENDED)
			continue;
		double left = expected(r, k);
		if (r->jobs.job[k].state == JOB_RUNNING)
			left = time_left(left, time - r->jobs.job[k].start);
		sum += left;
		longest = left > longest ? left : longest;
	}
	double together = sum / r->jobs.together;
	return together > longest ? together : longest;
}

/* ---- Progress ---- */

static void print_time(struct text *line, double seconds)
{
	long whole = (long)(seconds + 1);
	if (whole >= 3600)
		text_print(line, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
	else if (whole >= 60)
		text_print(line, "%ld min %02ld s", whole / 60, whole % 60);
	else
		text_print(line, "%ld s", whole);
}

static uint32_t done(const struct runner *r)
{
	return r->outcome->ran + r->outcome->had;
}

static void print_progress(struct text *line, const struct runner *r)
{
	text_print(line, "%u of %u points, about ", done(r), r->points->points.count);
	print_time(line, seconds_left(r));
	text_print(line, " left;");
	uint32_t shown = 0;
	for (uint32_t k = 0; k < r->points->points.count && shown < 3; k++)
		if (r->jobs.job[k].state == JOB_RUNNING)
			text_print(line, "%s %.*s", shown++ ? "," : "", (int)strlen(r->points->points.at[k].name) - 17,
				r->points->points.at[k].name);
	if (r->jobs.running > shown)
		text_print(line, " and %u more", r->jobs.running - shown);
}

static void show(const void *context)
{
	struct arena arena = {0};
	struct text line = {.arena = &arena};
	print_progress(&line, context);
	terminal_show_line(line.at);
	arena_free(&arena);
}

/* ---- One point ---- */

static struct job_command command_of(void *context, struct arena *arena, uint32_t k)
{
	const struct runner *r = context;
	const struct point *point = &r->points->points.at[k];
	return (struct job_command){points_words(arena, point, r->folder), points_file(arena, point, r->folder, "log")};
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void forget(void *context, uint32_t k)
{
	const struct runner *r = context;
	struct arena arena = {0};
	const struct point *point = &r->points->points.at[k];
	unlink(points_file(&arena, point, r->folder, "log"));
	unlink(points_file(&arena, point, r->folder, "json"));
	arena_free(&arena);
}

static void end(void *context, uint32_t k, int status, const struct rusage *usage)
{
	struct runner *r = context;
	struct arena arena = {0};
	const struct job *job = &r->jobs.job[k];
	const struct point *point = &r->points->points.at[k];
	char date[16];
	time_t time_now = time(NULL);
	struct tm parts;
	strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&time_now, &parts));
	end_write(point, r->folder,
		&(struct end){
			.reason = job->timed_out        ? "time limit"
				  : WIFSIGNALED(status) ? "signal"
							: "exit",
			.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
			.seconds = job->seconds,
			.cpu_seconds = seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime),
			/* of the largest of its processes: all were waited for by one another */
			.peak_bytes = (uint64_t)usage->ru_maxrss * 1024,
			.date = date,
			.output = end_output(&arena, point, r->folder),
		},
		r->diagnostic);
	r->outcome->ran++;
	unlink(points_file(&arena, point, r->folder, "log"));
	arena_free(&arena);
}

/* ---- All points ---- */

/* Points that have run count; those that ended without a result are tried again. */
static void find_done(struct runner *r, const bool *wanted)
{
	struct arena arena = {0};
	struct end ended;
	for (uint32_t k = 0; k < r->points->points.count; k++) {
		const struct point *point = &r->points->points.at[k];
		if (wanted && !wanted[k]) {
			r->jobs.job[k].state = JOB_ENDED;
			continue;
		}
		if (!end_keep_result(point, r->folder))
			continue;
		r->jobs.job[k].state = JOB_ENDED;
		r->outcome->had++;
		if (end_read(&arena, point, r->folder, &ended, r->diagnostic))
			r->jobs.job[k].seconds = ended.seconds;
	}
	arena_free(&arena);
}

bool run_points(const struct points *points, const struct run_options *options, struct run_outcome *outcome,
	struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	struct runner r = {.points = points,
		.folder = options->folder,
		.outcome = outcome,
		.diagnostic = diagnostic,
		.jobs = {.count = points->points.count,
			.together = options->jobs,
			.job = arena_new_array(&arena, struct job, points->points.count + 1),
			.time_limit = options->time_limit,
			.stop_signal = SIGKILL,
			.file_limit = options->file_limit,
			.end_together = options->wanted,
			.context = &r,
			.command = command_of,
			.end = end,
			.forget = forget,
			.show = show}};
	*outcome = (struct run_outcome){0};
	find_done(&r, options->wanted);
	jobs_run(&r.jobs, diagnostic);
	outcome->stopped = r.jobs.stopped;
	arena_free(&arena);
	return !diagnostic->failed;
}
