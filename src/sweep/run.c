/* The runs of a sweep: the command itself as child processes, some at a time. */
#include "sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_USAGE 2
#define STATUS_SIGNAL 128 /* and its number, as shells say it */

struct runner {
	struct sweep *sweep;
	const char *self;
	struct diagnostic *diagnostic;
	pid_t *processes; /* of each run; 0: none */
	uint32_t next, running, done;
	sigset_t signals, before;
	bool terminal;
	int stopped; /* by this signal */
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

/* Every folder on the way. */
static bool make_folder(const struct sweep *sweep, struct diagnostic *diagnostic)
{
	char *path = arena_copy(sweep->arena, sweep->folder, strlen(sweep->folder));

	for (char *at = path + 1; at[-1]; at++) {
		char was = *at;

		if (was && was != '/')
			continue;
		*at = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			diagnose(diagnostic, (struct place){.file = path}, "cannot make the folder: %s",
				strerror(errno));
		*at = was;
		if (!was)
			break;
	}
	return !diagnostic->failed;
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
	DIR *folder = opendir(sweep->folder);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (is_of_a_sweep(entry->d_name))
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
}

/* ---- A run ---- */

/* In the child. */
static _Noreturn void become(const struct runner *r, const char **words, const char *log, pid_t parent)
{
	int nothing = open("/dev/null", O_RDWR), output = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || output < 0)
		_exit(126);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	sigprocmask(SIG_SETMASK, &r->before, NULL);
	execv(r->self, (char *const *)words);
	dprintf(STDERR_FILENO, "%s: cannot run: %s\n", r->self, strerror(errno));
	_exit(127);
}

static bool start(struct runner *r, uint32_t run)
{
	struct arena arena = {0};
	const char **words = sweep_words(r->sweep, &arena, run, sweep_report_file(r->sweep, &arena, run));
	const char *log = log_file(r->sweep, &arena, run);
	pid_t parent = getpid(), process = fork();

	if (!process)
		become(r, words, log, parent);
	if (process < 0)
		diagnose(r->diagnostic, (struct place){0}, "cannot run: %s", strerror(errno));
	arena_free(&arena);
	r->processes[run] = process > 0 ? process : 0;
	r->running += process > 0;
	return process > 0;
}

/* Null: there is none. */
static const char *last_line(struct arena *arena, const char *file)
{
	struct diagnostic none = {0};
	size_t length = 0;
	char *text = text_read_file(arena, file, &length, &none);

	while (text && length && text[length - 1] == '\n')
		text[--length] = '\0';
	if (!text || !length)
		return NULL;
	return strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
}

/* Words that one run is refused for are wrong for all. */
static void end(struct runner *r, uint32_t run, int status)
{
	struct arena *arena = r->sweep->arena;
	struct sweep_run *result = &r->sweep->run[run];
	const char *log = log_file(r->sweep, arena, run);

	r->processes[run] = 0;
	r->running--;
	r->done++;
	result->status = WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
	result->message = last_line(arena, log);
	unlink(log);
	sweep_read_report(r->sweep, run, r->diagnostic);
	if (result->status == STATUS_USAGE && !strcmp(result->outcome, "failed"))
		diagnose(r->diagnostic, (struct place){0}, "%s", result->message ? result->message : "a run failed");
}

static void reap(struct runner *r)
{
	int status;
	pid_t process;

	while ((process = waitpid(-1, &status, WNOHANG)) > 0)
		for (uint32_t k = 0; k < r->next; k++)
			if (r->processes[k] == process)
				end(r, k, status);
}

static void stop(struct runner *r)
{
	struct arena arena = {0};

	for (uint32_t k = 0; k < r->next; k++)
		if (r->processes[k])
			kill(r->processes[k], SIGTERM);
	for (uint32_t k = 0; k < r->next; k++) {
		if (!r->processes[k])
			continue;
		while (waitpid(r->processes[k], NULL, 0) < 0 && errno == EINTR)
			;
		unlink(log_file(r->sweep, &arena, k));
	}
	arena_free(&arena);
}

/* ---- All ---- */

static void run_all(struct runner *r)
{
	const struct timespec a_while = {.tv_sec = 1};

	while (!r->diagnostic->failed && !r->stopped && r->done < r->sweep->runs) {
		while (r->running < r->sweep->jobs && r->next < r->sweep->runs && start(r, r->next))
			r->next++;
		if (r->terminal)
			fprintf(stderr, "\r\033[K%u of %u runs", r->done, r->sweep->runs);
		int number = sigtimedwait(&r->signals, NULL, &a_while);
		r->stopped = number > 0 && number != SIGCHLD ? number : 0;
		reap(r);
	}
	stop(r);
	if (r->terminal)
		fputs("\r\033[K", stderr);
}

bool sweep_run_all(struct sweep *sweep, const char *self, int *number, struct diagnostic *diagnostic)
{
	struct runner r = {.sweep = sweep, .self = self, .diagnostic = diagnostic, .terminal = isatty(STDERR_FILENO)};

	if (!make_folder(sweep, diagnostic))
		return false;
	remove_old(sweep);
	sweep->run = arena_new_array(sweep->arena, struct sweep_run, sweep->runs);
	r.processes = arena_new_array(sweep->arena, pid_t, sweep->runs);
	sigemptyset(&r.signals);
	sigaddset(&r.signals, SIGCHLD);
	sigaddset(&r.signals, SIGINT);
	sigaddset(&r.signals, SIGTERM);
	sigaddset(&r.signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &r.signals, &r.before);
	run_all(&r);
	sigprocmask(SIG_SETMASK, &r.before, NULL);
	*number = r.stopped;
	return !r.stopped && !diagnostic->failed;
}
