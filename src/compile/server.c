/* Resident compilers: start, and one message for each run. */
#include "compile/server.h"

#include "compile/resident/message.h"
#include "util/map.h"
#include "util/mutex.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The library that compile/resident/resident.c becomes, as bytes: it is preloaded from memory, and no file of it is
 * needed.  RESIDENT_LIBRARY is its path, when this is compiled. */
extern const char resident_library[];
extern const size_t resident_library_size;
__asm__(".section .rodata\n"
	".global resident_library\n"
	".hidden resident_library\n"
	".balign 16\n"
	"resident_library:\n"
	".incbin \"" RESIDENT_LIBRARY "\"\n"
	"resident_library_end:\n"
	".balign 8\n"
	".global resident_library_size\n"
	".hidden resident_library_size\n"
	"resident_library_size:\n"
	".quad resident_library_end - resident_library\n"
	".previous\n");

/* ---- Environment ---- */

static bool is_ours(const char *variable)
{
	return !strncmp(variable, "LD_PRELOAD=", strlen("LD_PRELOAD=")) ||
	       !strncmp(variable, "LOCKSTEP_RESIDENT_", strlen("LOCKSTEP_RESIDENT_"));
}

struct variables server_variables(const struct tool *tool)
{
	struct variables variables = {0};
	for (char **variable = environ; variable && *variable; variable++)
		if (!is_ours(*variable))
			*vector_push(tool->arena, &variables.list) = *variable;
	if (tool->lookups)
		*vector_push(tool->arena, &variables.list) =
			arena_printf(tool->arena, RESIDENT_LOOKUPS "=%s", strrchr(tool->lookups, '/') + 1);
	return variables;
}

char *server_preload(struct tool *tool)
{
	int library = tool_file_number(tool, resident_library, resident_library_size);
	return library < 0 ? NULL : arena_printf(tool->arena, "LD_PRELOAD=/proc/self/fd/%d", library);
}

/* ---- Start ---- */

/* The program with our library, which speaks through this socket.  It forks and ends at once. */
static bool spawn(struct tool *tool, int channel)
{
	struct variables variables = server_variables(tool);
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int standard[3] = {
		nowhere, nowhere, nowhere}; /* what a program says that cannot be kept is of no interest */
	const char *program = tool->words.at[0];
	char *library = server_preload(tool);
	pid_t child;
	*vector_push(tool->arena, &tool->files) = channel;
	*vector_push(tool->arena, &variables.list) = library;
	/* or every child looks up the same names */
	*vector_push(tool->arena, &variables.list) = arena_printf(tool->arena, "LD_BIND_NOW=1");
	*vector_push(tool->arena, &variables.list) = arena_printf(tool->arena, "LOCKSTEP_RESIDENT_SOCKET=%d", channel);
	*vector_push(tool->arena, &variables.list) = arena_printf(tool->arena, "LOCKSTEP_RESIDENT_PROGRAM=%s", program);
	*vector_push(tool->arena, &variables.list) = NULL;
	bool good = nowhere >= 0 && library && channel > 2 && !tool_spawn(tool, standard, variables.list.at, &child);
	while (good && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (nowhere >= 0)
		close(nowhere);
	return good;
}

/* The socket of a new one, which has said that it is there; -1. */
static int start(struct arena *arena, const char *program)
{
	struct tool tool = {.arena = arena};
	int ends[2];
	char hello;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	tool_add(&tool, program);
	tool_add(&tool, NULL);
	bool good = spawn(&tool, ends[1]);
	tool_end(&tool); /* with its end of the socket */
	if (good && recv(ends[0], &hello, 1, 0) == 1)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* The socket of this program's, which is started now if it is the first run; -1: it cannot be kept. */
static int find(struct arena *arena, const char *program)
{
	static pthread_mutex_t mutex = MUTEX_INITIALIZER;
	static struct arena forever;
	static struct map channels;
	mutex_lock(&mutex);
	int *channel = map_get(&channels, program);
	if (!channel) {
		channel = arena_new(&forever, int);
		*channel = start(arena, program);
		map_put(&forever, &channels, program, strlen(program), channel);
	}
	mutex_unlock(&mutex);
	return *channel;
}

/* ---- Runs ---- */

/* The words and the environment. */
static const char *write_words(struct tool *tool, struct resident_message *message, size_t *length)
{
	struct text text = {.arena = tool->arena};
	struct variables variables = server_variables(tool);
	for (; tool->words.at[message->word_count]; message->word_count++)
		text_append(
			&text, tool->words.at[message->word_count], strlen(tool->words.at[message->word_count]) + 1);
	for (; message->variable_count < variables.list.count; message->variable_count++) {
		const char *variable = variables.list.at[message->variable_count];
		text_append(&text, variable, strlen(variable) + 1);
	}
	*length = text.length;
	return text.at;
}

static bool send_message(int channel, const struct resident_message *message, const int *files)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(RESIDENT_FILES_MAX * sizeof(int))];
	size_t bytes = (message->file_count + RESIDENT_FILES) * sizeof(int);
	struct iovec data = {(void *)(uintptr_t)message, sizeof *message};
	struct msghdr header = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = CMSG_SPACE(bytes)};
	memset(space, 0, sizeof space);
	*CMSG_FIRSTHDR(&header) =
		(struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(bytes)};
	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&header)), files, bytes);
	return sendmsg(channel, &header, MSG_NOSIGNAL) == (ssize_t)sizeof *message;
}

/* When the run is over, whatever is read: while it goes on, it writes to files that the next run would use. */
static bool read_status(int file, int *status)
{
	struct pollfd end = {.fd = file}; /* hung up: nobody has the other end open any more */
	int32_t word = 0;
	ssize_t got;
	bool known = false;
	while (poll(&end, 1, -1) < 0 && errno == EINTR)
		;
	while ((got = read(file, &word, sizeof word)) == (ssize_t)sizeof word || (got < 0 && errno == EINTR))
		if (got > 0) {
			*status = word;
			known = true;
		}
	return known && !got;
}

bool server_run(struct tool *tool, const int standard[3], int *status)
{
	struct resident_message message = {.file_count = tool->files.count + 3};
	int files[RESIDENT_FILES_MAX], pipes[2];
	size_t length;
	bool known = false;
	int channel = find(tool->arena, tool->words.at[0]);
	if (channel < 0 || message.file_count + RESIDENT_FILES > RESIDENT_FILES_MAX)
		return false;
	for (uint32_t k = 0; k < message.file_count; k++) {
		files[RESIDENT_FILES + k] = k < 3 ? standard[k] : tool->files.at[k - 3];
		message.number[k] = k < 3 ? (int)k : tool->files.at[k - 3];
	}
	const char *words = write_words(tool, &message, &length);
	files[RESIDENT_WORDS] = tool_file_number(tool, words, length); /* closed with the tool's files */
	if (files[RESIDENT_WORDS] < 0 || pipe2(pipes, O_CLOEXEC))
		return false;
	files[RESIDENT_FOLDER] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	files[RESIDENT_STATUS] = pipes[1];
	bool sent = files[RESIDENT_FOLDER] >= 0 && send_message(channel, &message, files);
	close(pipes[1]);
	if (sent)
		known = read_status(pipes[0], status);
	close(pipes[0]);
	if (files[RESIDENT_FOLDER] >= 0)
		close(files[RESIDENT_FOLDER]);
	return known;
}
