/* Other programs, run to their end for what they say: see subprocess.h. */
#include "experiment/subprocess.h"

#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define PIECE 4096

/* Starts it with both outputs going into pipes, whose other ends are in `ends`; false: errno says why. */
static bool start(const char *const *words, pid_t *process, int ends[2])
{
	posix_spawn_file_actions_t actions;
	int output[2], error[2];
	if (pipe2(output, O_CLOEXEC))
		return false;
	if (pipe2(error, O_CLOEXEC)) {
		close(output[0]);
		close(output[1]);
		return false;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, error[1], STDERR_FILENO);
	errno = posix_spawnp(process, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(output[1]);
	close(error[1]);
	ends[0] = output[0];
	ends[1] = error[0];
	if (!errno)
		return true;
	close(output[0]);
	close(error[0]);
	return false;
}

/* Reads both to their ends, side by side, so that it waits for neither. */
static void read_both(const int ends[2], struct text texts[2])
{
	struct pollfd files[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = ends[1], .events = POLLIN}};
	char piece[PIECE];
	while (files[0].fd >= 0 || files[1].fd >= 0) {
		if (poll(files, 2, -1) < 0 && errno != EINTR)
			return;
		for (int k = 0; k < 2; k++) {
			if (files[k].fd < 0 || !files[k].revents)
				continue;
			ssize_t got = read(files[k].fd, piece, sizeof piece);
			if (got > 0)
				text_append(&texts[k], piece, (size_t)got);
			else if (!got || errno != EINTR)
				files[k].fd = -1;
		}
	}
}

static const char *first_line(struct arena *arena, const char *text)
{
	text += strspn(text, "\n");
	return arena_copy(arena, text, strcspn(text, "\n"));
}

bool subprocess_run(struct arena *arena, const char *const *words, struct subprocess_result *result)
{
	struct text texts[2] = {{.arena = arena}, {.arena = arena}};
	int ends[2], status = 0;
	pid_t process;
	*result = (struct subprocess_result){.status = -1, .output = ""};
	if (!start(words, &process, ends)) {
		result->error = arena_printf(arena, "cannot run %s: %s", words[0], strerror(errno));
		return false;
	}
	read_both(ends, texts);
	close(ends[0]);
	close(ends[1]);
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	result->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	result->output = texts[0].at ? texts[0].at : "";
	result->error = first_line(arena, texts[1].at ? texts[1].at : "");
	return !result->status;
}

bool subprocess_is_there(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];
	while (path && *path) {
		size_t length = strcspn(path, ":");
		snprintf(file, sizeof file, "%.*s/%s", (int)length, path, name);
		if (!access(file, X_OK))
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}
