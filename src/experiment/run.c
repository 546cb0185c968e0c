/* Child processes, some at a time: each in a process group of its own, so that all of it can be ended; what it prints
 * goes to a file. */
#include "experiment/run.h"

#include "experiment/cpu_time.h"

#include "experiment/end.h"
#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MILLISECONDS_BETWEEN 250

enum state { WAITING, RUNNING, ENDED };

struct job {
	enum state state;
	pid_t process;
	double start, seconds;
	bool timed_out;
};

struct runner {
	const struct points *points;
	const struct run_options *options;
	struct run_outcome *outcome;
	struct diagnostic *diagnostic;
	struct job *jobs; /* one for each point */
	uint32_t running, next;
	sigset_t signals, before;
	bool terminal;
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

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
		if (r->jobs[k].state != ENDED || r->jobs[k].seconds <= 0)
			continue;
		measured += r->jobs[k].seconds;
		guessed += planned(r->points, k);
		if (points[k].program == points[point].program) {
			own += r->jobs[k].seconds;
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
	double sum = 0, longest = 0, time = now();
	for (uint32_t k = 0; k < r->points->points.count; k++) {
		if (r->jobs[k].state == ENDED)
			continue;
		double left = expected(r, k);
		if (r->jobs[k].state == RUNNING)
			left = time_left(left, time - r->jobs[k].start);
		sum += left;
		longest = left > longest ? left : longest;
	}
	double together = sum / r->options->jobs;
	return together > longest ? together : longest;
}

/* ---- Progress ---- */

static void print_time(double seconds)
{
	long whole = (long)(seconds + 1);
	if (whole >= 3600)
		fprintf(stderr, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
	else if (whole >= 60)
		fprintf(stderr, "%ld min %02ld s", whole / 60, whole % 60);
	else
		fprintf(stderr, "%ld s", whole);
}

static uint32_t done(const struct runner *r)
{
	return r->outcome->ran + r->outcome->had;
}

static void show(const struct runner *r)
{
	if (!r->terminal)
		return;
	fprintf(stderr, "\r\033[K%u of %u points, about ", done(r), r->points->points.count);
	print_time(seconds_left(r));
	fprintf(stderr, " left;");
	uint32_t shown = 0;
	for (uint32_t k = 0; k < r->points->points.count && shown < 3; k++)
		if (r->jobs[k].state == RUNNING)
			fprintf(stderr, "%s %.*s", shown++ ? "," : "", (int)strlen(r->points->points.at[k].name) - 17,
				r->points->points.at[k].name);
	if (r->running > shown)
		fprintf(stderr, " and %u more", r->running - shown);
	fflush(stderr);
}

static void hide(const struct runner *r)
{
	if (r->terminal)
		fputs("\r\033[K", stderr);
}

/* ---- One point ---- */

/* In the child. */
static _Noreturn void become(const struct runner *r, const char **words, int output, pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* which `lockstep run` passes on */
	if (getppid() != parent)
		_exit(126);
	int nothing = open("/dev/null", O_RDONLY);
	dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	sigaction(SIGXFSZ, r->options->file_limit, NULL);
	sigprocmask(SIG_SETMASK, &r->before, NULL);
	execv(words[0], (char *const *)words);
	dprintf(STDERR_FILENO, "%s: cannot run: %s\n", words[0], strerror(errno));
	_exit(127);
}

static bool start(struct runner *r, uint32_t k)
{
	struct arena arena = {0};
	const struct point *point = &r->points->points.at[k];
	const char *log = points_file(&arena, point, r->options->folder, "log"),
		   **words = points_words(&arena, point, r->options->folder);
	int output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	pid_t parent = getpid(), process = output < 0 ? -1 : fork();
	if (!process)
		become(r, words, output, parent);
	if (process < 0)
		diagnose(r->diagnostic, (struct place){.file = log}, "cannot run the point: %s", strerror(errno));
	else
		setpgid(process, process);
	if (output >= 0)
		close(output);
	arena_free(&arena);
	r->jobs[k] = (struct job){.state = RUNNING, .process = process, .start = now()};
	r->running += process > 0;
	return process > 0;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* The largest of its processes: all were waited for by one another. */
static uint64_t peak_bytes(const struct rusage *usage)
{
	return (uint64_t)usage->ru_maxrss * 1024;
}

/* Takes a signal to stop that is pending.  Whether there has been one. */
static bool take_stop_signal(struct runner *r)
{
	sigset_t signals = r->signals;
	sigdelset(&signals, SIGCHLD);
	if (sigtimedwait(&signals, NULL, &(struct timespec){0}) > 0)
		r->outcome->stopped = true;
	return r->outcome->stopped;
}

/* Whether the point did not end of itself.  What ended it may be about to end this process, too, as Slurm does with
 * all processes of a task, one by one; and a program may take such a signal for an error of its own, as may one whose
 * compiler gets it first. */
static bool is_ended_from_outside(struct runner *r, int status)
{
	bool is_task = r->options->wanted;
	if (status && !r->outcome->stopped && (is_task || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)))
		sleep(1);
	return status && take_stop_signal(r);
}

/* As if it had never begun. */
static void forget(struct runner *r, uint32_t k)
{
	struct arena arena = {0};
	const struct point *point = &r->points->points.at[k];
	unlink(points_file(&arena, point, r->options->folder, "log"));
	unlink(points_file(&arena, point, r->options->folder, "json"));
	r->jobs[k].state = WAITING;
	arena_free(&arena);
}

static void write_end(struct runner *r, uint32_t k, int status, const struct rusage *usage)
{
	struct arena arena = {0};
	const struct job *job = &r->jobs[k];
	const struct point *point = &r->points->points.at[k];
	const char *log = points_file(&arena, point, r->options->folder, "log");
	char date[16];
	time_t time_now = time(NULL);
	struct tm parts;
	strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&time_now, &parts));
	end_write(point, r->options->folder,
		&(struct end){
			.reason = job->timed_out        ? "time limit"
				  : WIFSIGNALED(status) ? "signal"
							: "exit",
			.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
			.seconds = job->seconds,
			.cpu_seconds = seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime),
			.peak_bytes = peak_bytes(usage),
			.date = date,
			.output = end_output(&arena, point, r->options->folder),
		},
		r->diagnostic);
	unlink(log);
	arena_free(&arena);
}

static void end(struct runner *r, uint32_t k, int status, const struct rusage *usage)
{
	struct job *job = &r->jobs[k];
	job->seconds = now() - job->start;
	r->running--;
	if (!job->timed_out && is_ended_from_outside(r, status)) {
		forget(r, k);
		return;
	}
	job->state = ENDED;
	r->outcome->ran++;
	write_end(r, k, status, usage);
}

static void reap(struct runner *r)
{
	int status;
	pid_t process;
	struct rusage usage;
	while ((process = wait4(-1, &status, WNOHANG, &usage)) > 0)
		for (uint32_t k = 0; k < r->points->points.count; k++)
			if (r->jobs[k].state == RUNNING && r->jobs[k].process == process)
				end(r, k, status, &usage);
}

/* Its processor time counts, which does not depend on what else the machine does.  A point that sleeps would use none
 * for ever. */
static bool is_over_limit(const struct runner *r, const struct job *job, double time)
{
	double limit = r->options->time_limit;
	return time - job->start > limit &&
	       (time - job->start > RUN_SLEEP_FACTOR * limit || cpu_time_of_group(job->process) > limit);
}

/* Killed, and not asked to end, so that nothing of it is taken for a result. */
static void check_limits(struct runner *r)
{
	double time = now();
	for (uint32_t k = 0; k < r->points->points.count; k++) {
		struct job *job = &r->jobs[k];
		if (job->state != RUNNING || job->timed_out || !is_over_limit(r, job, time))
			continue;
		job->timed_out = true;
		kill(-job->process, SIGKILL);
	}
}

/* How long to wait for the end of a point: not beyond the time from which it may be over its limit. */
static struct timespec patience(const struct runner *r)
{
	double time = now(), least = MILLISECONDS_BETWEEN * 1e-3;
	for (uint32_t k = 0; k < r->points->points.count; k++) {
		const struct job *job = &r->jobs[k];
		double left = job->start + r->options->time_limit - time;
		if (job->state == RUNNING && !job->timed_out && left > 0 && left < least)
			least = left;
	}
	return (struct timespec){.tv_nsec = (long)(least * 1e9) + 1000000};
}

/* Ends all that runs, as if it had never begun. */
static void stop(struct runner *r)
{
	for (uint32_t k = 0; k < r->points->points.count; k++)
		if (r->jobs[k].state == RUNNING)
			kill(-r->jobs[k].process, SIGKILL);
	for (uint32_t k = 0; k < r->points->points.count; k++) {
		if (r->jobs[k].state != RUNNING)
			continue;
		while (waitpid(r->jobs[k].process, NULL, 0) < 0 && errno == EINTR)
			;
		forget(r, k);
	}
	r->running = 0;
}

/* ---- All points ---- */

/* Points that have run count; those that ended without a result are tried again. */
static void find_done(struct runner *r)
{
	struct arena arena = {0};
	struct end ended;
	for (uint32_t k = 0; k < r->points->points.count; k++) {
		const struct point *point = &r->points->points.at[k];
		if (r->options->wanted && !r->options->wanted[k]) {
			r->jobs[k].state = ENDED;
			continue;
		}
		if (!end_keep_result(point, r->options->folder))
			continue;
		r->jobs[k].state = ENDED;
		r->outcome->had++;
		if (end_read(&arena, point, r->options->folder, &ended, r->diagnostic))
			r->jobs[k].seconds = ended.seconds;
	}
	arena_free(&arena);
}

static void start_more(struct runner *r)
{
	uint32_t count = r->points->points.count;
	while (r->running < r->options->jobs && !r->diagnostic->failed) {
		while (r->next < count && r->jobs[r->next].state != WAITING)
			r->next++;
		if (r->next == count || !start(r, r->next))
			return;
	}
}

static void run_all(struct runner *r)
{
	start_more(r);
	while (r->running && !r->diagnostic->failed && !r->outcome->stopped) {
		show(r);
		const struct timespec wait = patience(r);
		int number = sigtimedwait(&r->signals, NULL, &wait);
		r->outcome->stopped = number > 0 && number != SIGCHLD;
		reap(r);
		check_limits(r);
		if (!r->outcome->stopped)
			start_more(r);
	}
	if (r->running)
		stop(r);
	hide(r);
}

bool run_points(const struct points *points, const struct run_options *options, struct run_outcome *outcome,
	struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	struct runner r = {.points = points,
		.options = options,
		.outcome = outcome,
		.diagnostic = diagnostic,
		.terminal = isatty(STDERR_FILENO)};
	*outcome = (struct run_outcome){0};
	r.jobs = arena_new_array(&arena, struct job, points->points.count + 1);
	find_done(&r);
	sigemptyset(&r.signals);
	sigaddset(&r.signals, SIGCHLD);
	sigaddset(&r.signals, SIGINT);
	sigaddset(&r.signals, SIGTERM);
	sigaddset(&r.signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &r.signals, &r.before);
	run_all(&r);
	sigprocmask(SIG_SETMASK, &r.before, NULL);
	arena_free(&arena);
	return !diagnostic->failed;
}
