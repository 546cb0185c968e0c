/* Ends what a killed command has started: see run.h. */
#include "cli/run.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENVIRONMENT_BYTES (256 << 10)
#define ROUNDS 100 /* a process may start another while they are looked for */

static bool has_mark(const char *process, const char *mark)
{
	static char text[ENVIRONMENT_BYTES];
	char path[64];
	size_t length = 0, mark_bytes = strlen(mark) + 1;
	ssize_t got;
	snprintf(path, sizeof path, "/proc/%.20s/environ", process);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	while (file >= 0 && length < sizeof text - 1 && (got = read(file, text + length, sizeof text - 1 - length)) > 0)
		length += (size_t)got;
	if (file >= 0)
		close(file);
	text[length] = '\0';
	for (size_t at = 0; at + mark_bytes <= length; at += strlen(text + at) + 1)
		if (!memcmp(text + at, mark, mark_bytes))
			return true;
	return false;
}

static bool kill_marked(const char *mark)
{
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	bool any = false;
	while (processes && (entry = readdir(processes)))
		if (isdigit((unsigned char)*entry->d_name) && has_mark(entry->d_name, mark))
			any |= !kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
	if (processes)
		closedir(processes);
	return any;
}

/* Until the other end of the pipe is closed: by guard_end the guard has been killed before. */
static _Noreturn void watch(int end, const char *mark)
{
	char byte;
	ssize_t got;
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	/* Pipes that others read to their ends. */
	if (dup2(end, 0) < 0)
		_exit(1);
	close_range(1, ~0u, 0);
	while ((got = read(0, &byte, 1)) < 0 && errno == EINTR)
		;
	for (int round = 0; !got && round < ROUNDS && kill_marked(mark); round++)
		usleep(10000);
	_exit(got != 0); /* without a pipe it guards nothing, and harms nothing */
}

void guard_begin(struct guard *guard, const char *mark)
{
	int ends[2];
	*guard = (struct guard){0};
	if (pipe2(ends, O_CLOEXEC))
		return;
	pid_t process = fork();
	if (!process) {
		close(ends[1]);
		watch(ends[0], mark);
	}
	close(ends[0]);
	if (process < 0)
		close(ends[1]);
	else
		*guard = (struct guard){process, ends[1]};
}

void guard_end(struct guard *guard)
{
	if (!guard->process)
		return;
	kill(guard->process, SIGKILL);
	while (waitpid(guard->process, NULL, 0) < 0 && errno == EINTR)
		;
	close(guard->end);
}
