/* The compiler as a program: files in memory, spawn and wait. */
#include "compile/tools.h"

#include "compile/server.h"
#include "util/file_limit.h"
#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Words and files ---- */

void tool_add(struct tool *tool, const char *word)
{
	*vector_push(tool->arena, &tool->words) = word;
}

void tool_add_all(struct tool *tool, const char *const *words)
{
	for (; *words; words++)
		tool_add(tool, *words);
}

void tool_link(struct tool *tool, const char *bitcode)
{
	tool_add_all(tool, (const char *const[]){"-Xclang", "-mlink-builtin-bitcode", "-Xclang", bitcode, NULL});
}

/* Closes it, too, and leaves errno. */
static int give_up_file(int file)
{
	int why = errno;
	close(file);
	errno = why;
	return -1;
}

/* Its position is at the start.  -1 and errno when there is none. */
static int file_in_memory(const char *data, size_t length)
{
	int file = memfd_create("lockstep", MFD_CLOEXEC);
	if (file < 0)
		return -1;
	/* The low ones are what the child's own standard files become. */
	if (file < 3) {
		int higher = fcntl(file, F_DUPFD_CLOEXEC, 3);
		give_up_file(file);
		file = higher;
	}
	if (file < 0)
		return -1;
	struct file_limit limit = file_limit_begin();
	bool good = text_write_all(file, data, length) && !lseek(file, 0, SEEK_SET);
	file_limit_end(&limit);
	return good ? file : give_up_file(file);
}

/* Null and errno when it cannot be read: a part of it would be taken for the whole. */
static const char *read_whole(struct arena *arena, int file, size_t *length)
{
	struct stat about;
	size_t done = 0;
	if (fstat(file, &about))
		return NULL;
	char *text = arena_alloc(arena, (size_t)about.st_size + 1);
	while (done < (size_t)about.st_size) {
		ssize_t step = pread(file, text + done, (size_t)about.st_size - done, (off_t)done);
		if (step < 0 && errno != EINTR)
			return NULL;
		if (!step)
			break;
		done += step > 0 ? (size_t)step : 0;
	}
	*length = done;
	return text;
}

void tool_leave_folder_out(struct tool *tool)
{
	char folder[4096];
	if (getcwd(folder, sizeof folder) && !strchr(folder, '=')) /* clang splits at the first */
		tool_add(tool, arena_printf(tool->arena, "-fdebug-prefix-map=%s=", folder));
}

int tool_file_number(struct tool *tool, const char *data, size_t length)
{
	int file = file_in_memory(data, length);
	if (file >= 0)
		*vector_push(tool->arena, &tool->files) = file;
	return file;
}

static void no_room(struct tool *tool)
{
	tool->why = arena_printf(tool->arena, "no room for a file in memory: %s", strerror(errno));
	tool->cannot_run = true;
}

const char *tool_file(struct tool *tool, const char *data, size_t length)
{
	int file = tool_file_number(tool, data, length);
	if (file < 0)
		no_room(tool);
	return file < 0 ? NULL : arena_printf(tool->arena, "/proc/self/fd/%d", file);
}

void tool_say_why(const struct tool *tool, struct text *log)
{
	text_print(log, "lockstep: %s\n", tool->why);
}

const char *tool_file_text(struct tool *tool, const char *path, size_t *length)
{
	return read_whole(tool->arena, (int)strtol(strrchr(path, '/') + 1, NULL, 10), length);
}

bool tool_watch(struct tool *tool)
{
	tool->lookups = tool_file(tool, "", 0);
	tool->dependencies = tool_file(tool, "", 0);
	if (tool->lookups && tool->dependencies)
		tool_add_all(tool, (const char *const[]){"-MD", "-MT", "-", "-MF", tool->dependencies, NULL});
	return tool->lookups && tool->dependencies;
}

/* ---- Run ---- */

/* How it ended.  A program that waits for all its children, or ignores them, may have taken ours: then nothing is known
 * of it. */
static int wait_for(pid_t child, bool *known)
{
	int status = 0;
	pid_t got;
	do
		got = waitpid(child, &status, 0);
	while (got < 0 && errno == EINTR);
	*known = got == child;
	return status;
}

int tool_spawn(struct tool *tool, const int standard[3], char *const *variables, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	posix_spawn_file_actions_init(&actions);
	for (int k = 0; k < 3; k++)
		posix_spawn_file_actions_adddup2(&actions, standard[k], k);
	for (uint32_t k = 0; k < tool->files.count; k++) /* onto itself: it stays open */
		posix_spawn_file_actions_adddup2(&actions, tool->files.at[k], tool->files.at[k]);
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	sigfillset(&usual);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int why = posix_spawn(
		child, tool->words.at[0], &actions, &attributes, (char *const *)(uintptr_t)tool->words.at, variables);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return why;
}

/* Starts it and waits. */
static bool run_child(struct tool *tool, const int standard[3], struct text *log)
{
	struct stat about;
	pid_t child;
	bool known = true;
	struct variables variables = server_variables(tool);
	if (tool->lookups)
		*vector_push(tool->arena, &variables.list) = server_preload(tool);
	*vector_push(tool->arena, &variables.list) = NULL;
	int why = tool_spawn(tool, standard, variables.list.at, &child);
	if (why) {
		text_print(log, "lockstep: cannot run %s: %s\n", tool->words.at[0], strerror(why));
		tool->cannot_run = true;
		return false;
	}
	int status = wait_for(child, &known);
	if (!known)
		return !fstat(standard[1], &about) && about.st_size;
	if (WIFSIGNALED(status)) {
		text_print(log, "lockstep: %s was ended by a signal: %s\n", tool->words.at[0],
			strsignal(WTERMSIG(status)));
		tool->cannot_run = true;
	}
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* As before a run. */
static bool rewind_files(const int standard[3])
{
	bool good = true;
	for (int k = 0; k < 3; k++)
		good = good && !lseek(standard[k], 0, SEEK_SET) && (!k || !ftruncate(standard[k], 0));
	return good;
}

/* By the resident compiler, or as a program. */
static bool run_program(struct tool *tool, const int standard[3], struct text *log)
{
	int status;
	if (server_run(tool, standard, &status))
		return !status;
	if (rewind_files(standard))
		return run_child(tool, standard, log);
	text_print(log, "lockstep: cannot run %s: %s\n", tool->words.at[0], strerror(errno));
	tool->cannot_run = true;
	return false;
}

/* What the dynamic linker says first, in each program that cannot have our library. */
static size_t length_of_refusals(const char *messages)
{
	static const char refusal[] = "ERROR: ld.so: object '/proc/self/fd/";
	const char *at = messages;
	while (!strncmp(at, refusal, strlen(refusal)) && strchr(at, '\n'))
		at = strchr(at, '\n') + 1;
	return (size_t)(at - messages);
}

/* Runs it, and reads what it has written. */
static bool run_with(
	struct tool *tool, const int standard[3], const char **output, size_t *output_length, struct text *log)
{
	struct text own = {.arena = tool->arena}; /* follows the program's words */
	size_t length, words;
	bool good = run_program(tool, standard, &own);
	const char *written = read_whole(tool->arena, standard[1], &length);
	const char *messages = written ? read_whole(tool->arena, standard[2], &words) : NULL;
	if (!messages) {
		text_print(log, "lockstep: cannot read what %s has written: %s\n", tool->words.at[0], strerror(errno));
		tool->cannot_run = true;
		return false;
	}
	*output = written;
	*output_length = length;
	size_t refusals = length_of_refusals(messages);
	text_append(log, messages + refusals, words - refusals);
	text_append(log, own.at ? own.at : "", own.length);
	return good;
}

/* A failure that nobody explains would be a riddle. */
static void say_something(struct tool *tool, struct text *log, size_t before)
{
	if (log->length > before)
		return;
	text_print(log, "lockstep: %s failed without a message\n", tool->words.at[0]);
	tool->cannot_run = true;
}

bool tool_run(struct tool *tool, const char *input, size_t length, const char **output, size_t *output_length,
	struct text *log)
{
	static const char *const empty[3] = {NULL, "", ""};
	int standard[3] = {-1, -1, -1};
	bool good = true;
	size_t before = log->length;
	*output = "";
	*output_length = 0;
	tool_add(tool, NULL);
	for (int k = 0; k < 3 && good; k++)
		good = (standard[k] = file_in_memory(k ? empty[k] : input, k ? 0 : length)) >= 0;
	if (!good) {
		no_room(tool);
		tool_say_why(tool, log);
	} else {
		good = run_with(tool, standard, output, output_length, log);
		if (!good)
			say_something(tool, log, before);
	}
	for (int k = 0; k < 3; k++)
		if (standard[k] >= 0)
			close(standard[k]);
	return good;
}

void tool_end(struct tool *tool)
{
	for (uint32_t k = 0; k < tool->files.count; k++)
		close(tool->files.at[k]);
	tool->files.count = 0;
}

/* The program's path, a source, "-Iinclude/"; where ours are seen is the same everywhere. */
static const char *without_folder(struct arena *arena, const char *word)
{
	const char *path = strncmp(word, "-I", 2) ? word : word + 2;
	if ((path == word && *word == '-') || !strchr(path, '/') || !strncmp(path, "/lockstep/", 10))
		return word;
	if (!strncmp(path, "/proc/self/fd/", 14))
		return "<memory>";
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	size_t first = length;
	while (first && path[first - 1] != '/')
		first--;
	return arena_printf(arena, "%.*s%.*s", (int)(path - word), word, (int)(length - first), path + first);
}

const char *tool_command(const struct tool *tool)
{
	struct text line = {.arena = tool->arena};
	for (uint32_t k = 1; k < tool->words.count && tool->words.at[k]; k++)
		if (strncmp(tool->words.at[k], "-fdebug-prefix-map=", 19) != 0)
			text_print(&line, "%s%s", k > 1 ? " " : "", without_folder(tool->arena, tool->words.at[k]));
	for (char *c = line.at; c && *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	return line.at;
}

const char *tool_version(struct arena *arena, const char *program)
{
	struct tool tool = {.arena = arena};
	struct text ignored = {.arena = arena};
	const char *words;
	size_t length;
	tool_add(&tool, program);
	tool_add(&tool, "--version");
	bool good = tool_run(&tool, "", 0, &words, &length, &ignored);
	tool_end(&tool);
	return good && length ? arena_copy(arena, words, strcspn(words, "\n")) : program;
}
