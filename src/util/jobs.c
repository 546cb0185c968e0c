/* Starts jobs, waits for them, ends those that take too long or are stopped. */
#include "util/jobs.h"

#include "util/terminal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MILLISECONDS_BETWEEN 250

double jobs_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void jobs_hold_signals(sigset_t *signals, sigset_t *before)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGHUP);
	sigprocmask(SIG_BLOCK, signals, before);
}

/* ---- One job ---- */

/* In the child. */
static _Noreturn void become(const struct jobs *jobs, const char **words, int output, pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* which `lockstep run` passes on */
	if (getppid() != parent)
		_exit(126);
	int nothing = open("/dev/null", O_RDWR);
	bool good = nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
		    dup2(jobs->only_errors ? nothing : output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0;
	if (jobs->file_limit)
		sigaction(SIGXFSZ, jobs->file_limit, NULL);
	sigprocmask(SIG_SETMASK, &jobs->before, NULL);
	if (good)
		execv(words[0], (char *const *)words);
	dprintf(output, "%s: cannot run: %s\n", words[0], strerror(errno));
	_exit(127);
}

static bool start(struct jobs *jobs, uint32_t k, struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	const struct job_command command = jobs->command(jobs->context, &arena, k);
	int output = open(command.log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	pid_t parent = getpid(), process = output < 0 ? -1 : fork();
	if (!process)
		become(jobs, command.words, output, parent);
	if (process < 0) {
		diagnose(diagnostic, (struct place){.file = command.log},
			output < 0 ? "cannot create: %s" : "cannot run: %s", strerror(errno));
		unlink(command.log);
	} else {
		setpgid(process, process);
		jobs->job[k] = (struct job){.state = JOB_RUNNING, .process = process, .start = jobs_now()};
		jobs->running++;
	}
	if (output >= 0)
		close(output);
	arena_free(&arena);
	return process > 0;
}

/* Takes a signal to stop that is pending.  Whether there has been one. */
static bool take_stop_signal(struct jobs *jobs)
{
	sigset_t signals = jobs->signals;
	sigdelset(&signals, SIGCHLD);
	int number = sigtimedwait(&signals, NULL, &(struct timespec){0});
	if (number > 0)
		jobs->stopped = number;
	return jobs->stopped;
}

/* Whether the job did not end of itself.  The signal that ended it may reach this process a little later; and a program
 * may take such a signal for an error of its own, as may one whose compiler gets it first. */
static bool is_ended_from_outside(struct jobs *jobs, int status)
{
	if (status && !jobs->stopped && (jobs->end_together || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)))
		sleep(1);
	return status && take_stop_signal(jobs);
}

static void end_job(struct jobs *jobs, uint32_t k, int status, const struct rusage *usage)
{
	struct job *job = &jobs->job[k];
	job->seconds = jobs_now() - job->start;
	jobs->running--;
	if (!job->timed_out && is_ended_from_outside(jobs, status)) {
		job->state = JOB_WAITING;
		jobs->forget(jobs->context, k);
		return;
	}
	job->state = JOB_ENDED;
	jobs->done++;
	jobs->end(jobs->context, k, status, usage);
}

static void reap(struct jobs *jobs)
{
	int status;
	pid_t process;
	struct rusage usage;
	while ((process = wait4(-1, &status, WNOHANG, &usage)) > 0)
		for (uint32_t k = 0; k < jobs->count; k++)
			if (jobs->job[k].state == JOB_RUNNING && jobs->job[k].process == process)
				end_job(jobs, k, status, &usage);
}

/* ---- Time ---- */

/* Ticks of the process called `name` in /proc, if it is of the group; else 0. */
static unsigned long long ticks_of(const char *name, pid_t group)
{
	char path[300], line[1024];
	unsigned long long user, system;
	long long user_of_children, system_of_children;
	int its_group;
	snprintf(path, sizeof path, "/proc/%s/stat", name);
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;
	if (file)
		fclose(file);
	line[length] = '\0';
	/* The command's name, in parentheses, may have any character: what follows the last one counts. */
	const char *behind = strrchr(line, ')');
	if (!behind || sscanf(behind + 1, " %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld", &its_group,
			       &user, &system, &user_of_children, &system_of_children) != 5)
		return 0;
	return its_group == group ? user + system + (unsigned long long)(user_of_children + system_of_children) : 0;
}

double jobs_cpu_time(pid_t group)
{
	unsigned long long ticks = 0;
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			ticks += ticks_of(entry->d_name, group);
	if (folder)
		closedir(folder);
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* Its processor time counts, which does not depend on what else the machine does.  A job that sleeps would use none for
 * ever. */
static bool is_over_limit(const struct jobs *jobs, const struct job *job, double time)
{
	double limit = jobs->time_limit;
	return limit > 0 && time - job->start > limit &&
	       (time - job->start > JOBS_SLEEP_FACTOR * limit || jobs_cpu_time(job->process) > limit);
}

/* Killed, and not asked to end, so that nothing of it is taken for a result. */
static void check_limits(struct jobs *jobs)
{
	double time = jobs_now();
	for (uint32_t k = 0; k < jobs->count; k++) {
		struct job *job = &jobs->job[k];
		if (job->state != JOB_RUNNING || job->timed_out || !is_over_limit(jobs, job, time))
			continue;
		job->timed_out = true;
		kill(-job->process, SIGKILL);
	}
}

/* How long to wait for the end of a job: not beyond the time from which it may be over its limit. */
static struct timespec patience(const struct jobs *jobs)
{
	double time = jobs_now(), least = MILLISECONDS_BETWEEN * 1e-3;
	for (uint32_t k = 0; k < jobs->count; k++) {
		const struct job *job = &jobs->job[k];
		double left = job->start + jobs->time_limit - time;
		if (job->state == JOB_RUNNING && !job->timed_out && left > 0 && left < least)
			least = left;
	}
	return (struct timespec){.tv_nsec = (long)(least * 1e9) + 1000000};
}

/* ---- All jobs ---- */

static void stop(struct jobs *jobs)
{
	for (uint32_t k = 0; k < jobs->count; k++)
		if (jobs->job[k].state == JOB_RUNNING)
			kill(-jobs->job[k].process, jobs->stop_signal);
	for (uint32_t k = 0; k < jobs->count; k++) {
		if (jobs->job[k].state != JOB_RUNNING)
			continue;
		while (waitpid(jobs->job[k].process, NULL, 0) < 0 && errno == EINTR)
			;
		jobs->job[k].state = JOB_WAITING;
		jobs->forget(jobs->context, k);
	}
	jobs->running = 0;
}

static void start_more(struct jobs *jobs, struct diagnostic *diagnostic)
{
	while (jobs->running < jobs->together && !jobs->stopped && !diagnostic->failed) {
		while (jobs->next < jobs->count && jobs->job[jobs->next].state != JOB_WAITING)
			jobs->next++;
		if (jobs->next == jobs->count || !start(jobs, jobs->next, diagnostic))
			return;
	}
}

uint32_t jobs_processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count > 0 ? (uint32_t)count : 1;
}

void jobs_run(struct jobs *jobs, struct diagnostic *diagnostic)
{
	bool terminal = isatty(STDERR_FILENO);
	jobs_hold_signals(&jobs->signals, &jobs->before);
	sigaddset(&jobs->signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &jobs->signals, NULL);
	start_more(jobs, diagnostic);
	while (jobs->running && !diagnostic->failed && !jobs->stopped) {
		if (terminal)
			jobs->show(jobs->context);
		const struct timespec wait = patience(jobs);
		int number = sigtimedwait(&jobs->signals, NULL, &wait);
		jobs->stopped = number > 0 && number != SIGCHLD ? number : 0;
		reap(jobs);
		check_limits(jobs);
		start_more(jobs, diagnostic);
	}
	stop(jobs);
	if (terminal)
		terminal_erase_line();
	sigprocmask(SIG_SETMASK, &jobs->before, NULL);
}
