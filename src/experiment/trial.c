/* Whether `lockstep run` takes the GPUs and the policies' options of an experiment: the command itself is asked, as it
 * alone knows them. */
#include "experiment/trial.h"

#include "util/map.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define SAID_BYTES 2048

/* Starts it with its standard error going into a pipe, whose other end is returned; -1: errno says why. */
static int start(const char *const *words, pid_t *process)
{
	posix_spawn_file_actions_t actions;
	int ends[2];
	if (pipe(ends))
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	errno = posix_spawn(process, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (!errno)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* What it said, as far as there is room; it is read to its end, so that it does not wait for us. */
static void read_all(int file, char said[SAID_BYTES])
{
	size_t length = 0;
	char rest[SAID_BYTES];
	ssize_t got;
	do {
		bool room = length < SAID_BYTES - 1;
		got = read(file, room ? said + length : rest, room ? SAID_BYTES - 1 - length : sizeof rest);
		length += got > 0 && room ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	said[length] = '\0';
	said[strcspn(said, "\n")] = '\0';
}

static bool try(const char *const *words, struct place place, struct diagnostic *diagnostic)
{
	pid_t process;
	int status = 0, file = start(words, &process);
	char said[SAID_BYTES];
	if (file < 0) {
		diagnose(diagnostic, place, "cannot run %s: %s", words[0], strerror(errno));
		return false;
	}
	read_all(file, said);
	close(file);
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	diagnose(diagnostic, place, "lockstep run does not take this: %s", said);
	return false;
}

/* The first words of a point's command line, on a program that does nothing. */
static bool try_words(struct arena *arena, const struct point *point, uint32_t count, struct place place,
	struct diagnostic *diagnostic)
{
	const char **words = arena_new_array(arena, const char *, count + 3);
	memcpy(words, point->words.at, count * sizeof *words);
	words[count] = "--";
	words[count + 1] = "true";
	return try(words, place, diagnostic);
}

/* Notes the name; false: it was known. */
static bool is_new(struct arena *arena, struct map *map, const char *name)
{
	return !map_put(arena, map, name, strlen(name), map);
}

bool trial_of_options(
	struct arena *arena, const struct points *points, const char *folder, struct diagnostic *diagnostic)
{
	struct map gpus = {0}, policies = {0};
	for (uint32_t k = 0; k < points->entries.count && !diagnostic->failed; k++) {
		const struct entry *e = &points->entries.at[k];
		const struct point *p = &points->points.at[e->point];
		if (!access(points_file(arena, p, folder, "json"), F_OK))
			continue;
		bool good =
			!is_new(arena, &gpus, p->gpu) || try_words(arena, p, p->gpu_words, e->set->place, diagnostic);
		if (good && is_new(arena, &policies, e->policy->name))
			try_words(arena, p, p->run_words, e->policy->place, diagnostic);
	}
	return !diagnostic->failed;
}
