/* Messages between `lockstep debug run` and the program under it. */
#include "report/debug_pipe.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST (64u << 20) /* bytes of a message: one that says it has more is none of ours */

struct header {
	uint32_t kind, length;
};

bool debug_pipes_create(struct debug_pipes *pipes)
{
	*pipes = (struct debug_pipes){{-1, -1}, {-1, -1}};
	if (!pipe2(pipes->commands, O_CLOEXEC) && !pipe2(pipes->replies, O_CLOEXEC))
		return true;
	debug_pipes_close(pipes);
	return false;
}

/* High, so that the program's own descriptors have the numbers that they have without a debugger. */
static int open_end(int process, int file, int flags)
{
	char path[64];
	int low, high;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", process, file);
	low = open(path, flags | O_CLOEXEC);
	high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 500);
	if (high < 0)
		return low;
	close(low);
	return high;
}

bool debug_pipes_open(struct debug_pipes *pipes, const char *words, uint64_t *snapshot_bytes)
{
	int process, commands, replies;

	*pipes = (struct debug_pipes){{-1, -1}, {-1, -1}};
	if (sscanf(words, "%d:%d:%d:%" SCNu64, &process, &commands, &replies, snapshot_bytes) != 4)
		return false;
	pipes->commands[0] = open_end(process, commands, O_RDONLY);
	pipes->replies[1] = open_end(process, replies, O_WRONLY);
	if (pipes->commands[0] >= 0 && pipes->replies[1] >= 0)
		return true;
	debug_pipes_close(pipes);
	return false;
}

void debug_pipes_close(struct debug_pipes *pipes)
{
	for (int k = 0; k < 2; k++) {
		if (pipes->commands[k] >= 0)
			close(pipes->commands[k]);
		if (pipes->replies[k] >= 0)
			close(pipes->replies[k]);
	}
	*pipes = (struct debug_pipes){{-1, -1}, {-1, -1}};
}

void debug_pipe_words(const struct debug_pipes *pipes, int process, uint64_t snapshot_bytes, char *words, size_t size)
{
	assert(pipes->commands[0] >= 0 && pipes->replies[1] >= 0);
	snprintf(words, size, "%d:%d:%d:%" PRIu64, process, pipes->commands[0], pipes->replies[1], snapshot_bytes);
}

static bool put(int file, const void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t wrote = write(file, (const char *)data + done, size - done);

		if (wrote < 0 && errno != EINTR)
			return false;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	return true;
}

static bool get(int file, void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = read(file, (char *)data + done, size - done);

		if (!got || (got < 0 && errno != EINTR))
			return false;
		done += got > 0 ? (size_t)got : 0;
	}
	return true;
}

bool debug_pipe_send(int file, enum debug_message_kind kind, const char *text, size_t length)
{
	struct header header = {kind, (uint32_t)length};

	assert(length <= MOST);
	return put(file, &header, sizeof header) && put(file, text, length);
}

bool debug_pipe_receive(int file, struct debug_message *message)
{
	struct header header;

	if (!get(file, &header, sizeof header) || header.length > MOST)
		return false;
	if (header.length >= message->room) {
		arena_free(&message->arena);
		message->room = (size_t)header.length + 1;
		message->text = arena_alloc(&message->arena, message->room);
	}
	message->kind = header.kind;
	message->length = header.length;
	message->text[header.length] = '\0';
	return get(file, message->text, header.length);
}
