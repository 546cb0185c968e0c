/* Following job arrays: which tasks are queued, which points have ended, what is submitted again. */
#include "experiment/cluster.h"

#include "experiment/end.h"
#include "experiment/slurm.h"
#include "experiment/task.h"
#include "report/style.h"
#include "util/folder.h"
#include "util/terminal.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A task asks for a multiple of what its points took at most, and for some time to begin and end. */
#define TIME_FACTOR 3
#define TIME_MORE 300.0
#define MEMORY_MORE (256ull << 20)

enum point_state { POINT_WANTED, POINT_GIVEN, POINT_ENDED };

/* A task of an array. */
struct followed {
	bool is_over;
	double left_at;                 /* when it was first not in the queue; 0: it is there */
	const struct slurm_task *there; /* during a look at the queue; null: it is not there */
};

struct array {
	uint64_t job;
	const char *file; /* its list of tasks */
	struct tasks tasks;
	struct followed *followed;
};

struct follower {
	struct arena arena;
	const struct plan *plan;
	const struct points *points;
	const struct cluster_options *options;
	struct run_outcome *outcome;
	struct diagnostic *diagnostic;
	uint8_t *states;   /* enum point_state of each point */
	uint8_t *attempts; /* times that each was submitted */
	VECTOR(struct array) arrays;
	uint32_t files;               /* lists of tasks so far */
	uint32_t array_limit;         /* tasks of an array */
	uint32_t running, queued;     /* tasks, at the last look */
	uint32_t lost_tasks, refused; /* at this look; submissions, one after another */
	const char *lost_why;         /* of the first of them */
	double began;
	bool silent, terminal;
	bool leaves_jobs; /* and their list, for the next call */
	sigset_t signals, before;
};

/* ---- What is said ---- */

static void hide(const struct follower *f)
{
	if (f->terminal)
		terminal_erase_line();
}

static void show(const struct follower *f)
{
	uint32_t ended = 0;
	char line[160];
	if (!f->terminal)
		return;
	for (uint32_t k = 0; k < f->points->points.count; k++)
		ended += f->states[k] == POINT_ENDED ||
			 (f->states[k] == POINT_GIVEN && end_is_there(&f->points->points.at[k], f->options->results));
	snprintf(line, sizeof line, "%u of %u points; %u task%s run%s, %u wait%s", ended, f->points->points.count,
		f->running, f->running == 1 ? "" : "s", f->running == 1 ? "s" : "", f->queued,
		f->queued == 1 ? "s" : "");
	terminal_show_line(line);
}

static void say_lost(struct follower *f)
{
	if (!f->lost_tasks)
		return;
	hide(f);
	style_say(stderr, "lockstep experiment: %u task%s ended without all %s points%s%s\n", f->lost_tasks,
		f->lost_tasks == 1 ? "" : "s", f->lost_tasks == 1 ? "its" : "their", *f->lost_why ? ": " : "",
		f->lost_why);
	f->lost_tasks = 0;
}

static void say_silent(struct follower *f, bool silent)
{
	if (silent && !f->silent) {
		hide(f);
		style_say(stderr, "lockstep experiment: Slurm's controller does not answer; waiting for it\n");
	}
	f->silent = silent;
}

double cluster_wait(const struct cluster_waits *waits, double gone)
{
	double seconds = gone * waits->share;
	return seconds < waits->least ? waits->least : seconds > waits->most ? waits->most : seconds;
}

static void wait_some(struct follower *f)
{
	double seconds = cluster_wait(&f->options->waits, jobs_now() - f->began);
	const struct timespec wait = {
		.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
	int number = sigtimedwait(&f->signals, NULL, &wait);
	f->outcome->stopped = number > 0;
	f->leaves_jobs = number == SIGHUP;
}

/* ---- The list of jobs, for the next call ---- */

static const char *jobs_file(struct follower *f)
{
	return arena_printf(&f->arena, "%s/jobs", f->options->folder);
}

static const char *job_name(struct follower *f)
{
	return arena_printf(&f->arena, "lockstep-%s", f->plan->name);
}

static void write_jobs(struct follower *f)
{
	struct text text = {.arena = &f->arena};
	for (uint32_t k = 0; k < f->arrays.count; k++)
		text_print(&text, "%" PRIu64 "\t%s\n", f->arrays.at[k].job, f->arrays.at[k].file);
	text_write_file(jobs_file(f), text.at ? text.at : "", text.length, f->diagnostic);
}

static void forget_jobs(struct follower *f)
{
	for (uint32_t k = 0; k < f->arrays.count; k++)
		unlink(f->arrays.at[k].file);
	unlink(jobs_file(f));
}

static struct array *add_array(struct follower *f, uint64_t job, const char *file, const struct tasks *tasks)
{
	struct array *a = vector_push(&f->arena, &f->arrays);
	*a = (struct array){.job = job,
		.file = file,
		.tasks = *tasks,
		.followed = arena_new_array(&f->arena, struct followed, tasks->all.count + 1)};
	return a;
}

/* Which of the array's tasks are queued. */
static void find_tasks(struct array *a, const struct slurm_queue *queue)
{
	for (uint32_t t = 0; t < a->tasks.all.count; t++)
		a->followed[t].there = NULL;
	for (uint32_t k = 0; k < queue->tasks.count; k++) {
		const struct slurm_task *task = &queue->tasks.at[k];
		if (task->job == a->job && task->task < a->tasks.all.count)
			a->followed[task->task].there = task;
	}
}

static bool is_queued(struct follower *f, const struct slurm_queue *queue, uint64_t job)
{
	for (uint32_t k = 0; k < queue->tasks.count; k++)
		if (queue->tasks.at[k].job == job && !strcmp(queue->tasks.at[k].name, job_name(f)))
			return true;
	return false;
}

/* Follows an array of an earlier call, if any of its tasks is queued. */
static void adopt(struct follower *f, const struct slurm_queue *queue, uint64_t job, const char *file)
{
	struct diagnostic none = {0};
	struct tasks tasks;
	if (!is_queued(f, queue, job) || !task_read(&f->arena, f->points, file, &tasks, &none))
		return;
	struct array *a = add_array(f, job, file, &tasks);
	find_tasks(a, queue);
	for (uint32_t t = 0; t < tasks.all.count; t++) {
		a->followed[t].is_over = !a->followed[t].there;
		for (uint32_t k = 0; !a->followed[t].is_over && k < tasks.all.at[t].count; k++) {
			f->states[tasks.all.at[t].points[k]] = POINT_GIVEN;
			f->attempts[tasks.all.at[t].points[k]] = 1;
		}
	}
}

static void adopt_all(struct follower *f)
{
	struct slurm_queue queue;
	char *text = text_try_file(&f->arena, jobs_file(f)), *line;
	while (text && *text && !slurm_list(&f->arena, &queue)) {
		say_silent(f, true);
		wait_some(f);
		if (f->outcome->stopped) {
			f->leaves_jobs = true;
			return;
		}
	}
	while (text && (line = strsep(&text, "\n"))) {
		const char *job = strsep(&line, "\t");
		if (line && *line)
			adopt(f, &queue, strtoull(job, NULL, 10), line);
	}
	if (f->arrays.count)
		style_say(stderr, "lockstep experiment: follows %u job array%s of an earlier call\n", f->arrays.count,
			f->arrays.count == 1 ? "" : "s");
}

/* ---- Submitting ---- */

static const char *new_file(struct follower *f)
{
	const char *file;
	do
		file = arena_printf(&f->arena, "%s/tasks-%u", f->options->folder, f->files++);
	while (!access(file, F_OK));
	return file;
}

/* `attempts`: how often it was tried before. */
static struct slurm_array array_of(
	struct follower *f, const struct tasks *tasks, const struct cost *cost, uint32_t attempts, const char *file)
{
	const struct cluster_options *o = f->options;
	VECTOR(const char *) words = {0};
	uint64_t bytes = cost->bytes ? cost->bytes * 3 / 2 + MEMORY_MORE : 0;
	*vector_push(&f->arena, &words) = o->here;
	for (uint32_t k = 0; o->words[k]; k++)
		*vector_push(&f->arena, &words) = o->words[k];
	*vector_push(&f->arena, &words) = "--task";
	*vector_push(&f->arena, &words) = file;
	*vector_push(&f->arena, &words) = NULL;
	return (struct slurm_array){.name = job_name(f),
		.folder = o->folder,
		.words = words.at,
		.count = tasks->all.count,
		.together = o->together,
		.seconds = (tasks->all.at[0].count * cost->most * TIME_FACTOR + TIME_MORE) * (1u << attempts),
		.bytes = o->bytes ? o->bytes : bytes << attempts,
		.partition = o->partition,
		.account = o->account,
		.options = o->sbatch,
		.option_count = o->sbatch_count};
}

static void give(struct follower *f, const struct tasks *tasks)
{
	for (uint32_t t = 0; t < tasks->all.count; t++)
		for (uint32_t k = 0; k < tasks->all.at[t].count; k++) {
			f->states[tasks->all.at[t].points[k]] = POINT_GIVEN;
			f->attempts[tasks->all.at[t].points[k]]++;
		}
}

/* Once the controller has taken a job, a refusal may be its restart: it is asked again. */
static void refused(struct follower *f, const char *why)
{
	if (!f->arrays.count || ++f->refused == 10)
		diagnose(f->diagnostic, (struct place){0}, "sbatch: %s", why);
}

/* An array of the wanted points of the program that were tried so often. */
static void submit(struct follower *f, const struct program *program, const struct cost *cost, uint32_t attempts)
{
	uint32_t count = f->points->points.count;
	bool *wanted = arena_new_array(&f->arena, bool, count + 1);
	struct tasks tasks;
	const char *why;
	for (uint32_t k = 0; k < count; k++)
		wanted[k] = f->states[k] == POINT_WANTED && f->attempts[k] == attempts;
	task_make(&f->arena, f->points, program, wanted, cost, f->options->task_seconds, f->array_limit, &tasks);
	if (!tasks.all.count)
		return;
	const char *file = new_file(f);
	if (!task_write(f->points, &tasks, file, f->diagnostic))
		return;
	struct slurm_array array = array_of(f, &tasks, cost, attempts, file);
	uint64_t job = slurm_submit(&f->arena, &array, &why);
	if (!job) {
		unlink(file);
		refused(f, why);
		return;
	}
	f->refused = 0;
	add_array(f, job, file, &tasks);
	write_jobs(f);
	give(f, &tasks);
}

static uint32_t count_in(const struct follower *f, enum point_state state)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < f->points->points.count; k++)
		count += f->states[k] == state;
	return count;
}

static void submit_wanted(struct follower *f)
{
	if (!count_in(f, POINT_WANTED))
		return;
	const struct cost *costs = task_costs(&f->arena, f->plan, f->points, f->options->results);
	for (uint32_t k = 0; k < f->plan->programs.count; k++)
		for (uint32_t attempts = 0; attempts < CLUSTER_ATTEMPTS && !f->diagnostic->failed; attempts++)
			submit(f, &f->plan->programs.at[k], &costs[k], attempts);
}

/* ---- Following ---- */

static const char *log_of(struct follower *f, const struct array *a, uint32_t task)
{
	return arena_printf(&f->arena, "%s/%" PRIu64 "-%u.log", f->options->folder, a->job, task);
}

/* The last line of what the task printed, where Slurm says why it ended. */
static const char *why_lost(struct follower *f, const struct array *a, uint32_t task)
{
	const char *text = text_try_file(&f->arena, log_of(f, a, task));
	return text ? text_last_line(&f->arena, text) : "";
}

static bool has_ended(const struct follower *f, uint32_t point)
{
	return end_is_last(&f->points->points.at[point], f->options->results);
}

/* Its points have ended, or are wanted again, or are given up. */
static void take_over(struct follower *f, struct array *a, uint32_t t)
{
	const struct task *task = &a->tasks.all.at[t];
	uint32_t missing = 0;
	for (uint32_t k = 0; k < task->count; k++) {
		uint32_t p = task->points[k];
		bool ended = has_ended(f, p);
		bool again = !ended && f->attempts[p] < CLUSTER_ATTEMPTS;
		f->states[p] = again ? POINT_WANTED : POINT_ENDED;
		f->outcome->ran += ended;
		f->outcome->lost += !ended && !again;
		missing += !ended;
	}
	a->followed[t].is_over = true;
	if (missing && !f->lost_tasks++)
		f->lost_why = why_lost(f, a, t);
	if (!missing)
		unlink(log_of(f, a, t));
}

static bool all_are_there(const struct follower *f, const struct task *task)
{
	for (uint32_t k = 0; k < task->count; k++)
		if (!has_ended(f, task->points[k]))
			return false;
	return true;
}

static void look_at(struct follower *f, struct array *a, const struct slurm_queue *queue)
{
	double time = jobs_now();
	find_tasks(a, queue);
	for (uint32_t t = 0; t < a->tasks.all.count; t++) {
		struct followed *followed = &a->followed[t];
		if (followed->is_over)
			continue;
		const struct slurm_task *there = followed->there;
		if (there && there->is_held)
			slurm_cancel(&f->arena, a->job, &t);
		f->running += there && there->runs;
		f->queued += there && !there->runs;
		followed->left_at = there ? 0 : followed->left_at > 0 ? followed->left_at : time;
		if (!there && (time - followed->left_at > f->options->waits.lost_after ||
				      all_are_there(f, &a->tasks.all.at[t])))
			take_over(f, a, t);
	}
}

static void look(struct follower *f)
{
	struct arena arena = {0};
	struct slurm_queue queue;
	bool answers = slurm_list(&arena, &queue);
	say_silent(f, !answers);
	f->running = f->queued = 0;
	for (uint32_t k = 0; answers && k < f->arrays.count; k++)
		look_at(f, &f->arrays.at[k], &queue);
	arena_free(&arena);
	say_lost(f);
	if (answers)
		submit_wanted(f);
}

/* What still runs or waits goes, unless the next call is to find it. */
static void finish(struct follower *f)
{
	bool cancels = f->outcome->stopped || f->diagnostic->failed, are_gone = true;
	if (f->leaves_jobs)
		return;
	for (uint32_t k = 0; cancels && k < f->arrays.count; k++)
		are_gone &= slurm_cancel(&f->arena, f->arrays.at[k].job, NULL);
	if (are_gone)
		forget_jobs(f);
	else
		style_say(stderr,
			"lockstep experiment: Slurm's controller does not answer, so the jobs are not cancelled; "
			"the same command finds them again\n");
}

static void follow(struct follower *f)
{
	if (!f->outcome->stopped)
		submit_wanted(f);
	while (count_in(f, POINT_ENDED) < f->points->points.count && !f->diagnostic->failed && !f->outcome->stopped) {
		show(f);
		wait_some(f);
		if (!f->outcome->stopped)
			look(f);
	}
	hide(f);
}

/* Points that have run count; those that ended without a result are tried again. */
static void find_done(struct follower *f)
{
	for (uint32_t k = 0; k < f->points->points.count; k++) {
		if (f->states[k] == POINT_GIVEN || !end_keep_result(&f->points->points.at[k], f->options->results))
			continue;
		f->states[k] = POINT_ENDED;
		f->outcome->had++;
	}
}

bool cluster_run(const struct plan *plan, const struct points *points, const struct cluster_options *options,
	struct run_outcome *outcome, struct diagnostic *diagnostic)
{
	struct follower f = {.plan = plan,
		.points = points,
		.options = options,
		.outcome = outcome,
		.diagnostic = diagnostic,
		.began = jobs_now(),
		.terminal = isatty(STDERR_FILENO)};
	*outcome = (struct run_outcome){0};
	if (!slurm_is_there(diagnostic) || !folder_make(options->folder, diagnostic))
		return false;
	f.states = arena_new_array(&f.arena, uint8_t, points->points.count + 1);
	f.attempts = arena_new_array(&f.arena, uint8_t, points->points.count + 1);
	jobs_hold_signals(&f.signals, &f.before);
	f.array_limit = slurm_array_limit(&f.arena);
	adopt_all(&f);
	find_done(&f);
	follow(&f);
	finish(&f);
	sigprocmask(SIG_SETMASK, &f.before, NULL);
	arena_free(&f.arena);
	return !diagnostic->failed;
}
