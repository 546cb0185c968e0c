/* Carries the debugger's commands to a program, and its answers back. */
#include "cli/debug_relay.h"

#include "cli/debug.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MILLISECONDS_BETWEEN 200 /* looks whether the program has ended, if nothing tells it */
#define MILLISECONDS_TO_END 2000 /* that a program has after `quit` */

bool debug_relay_begin(struct debug_relay *relay)
{
	*relay = (struct debug_relay){.message = {.text = NULL}};
	return debug_pipes_create(&relay->pipes);
}

void debug_relay_end(struct debug_relay *relay)
{
	debug_pipes_close(&relay->pipes);
	arena_free(&relay->message.arena);
}

const char *debug_relay_words(const struct debug_relay *relay, struct arena *arena, pid_t parent)
{
	char words[128];

	debug_pipe_words(&relay->pipes, (int)parent, debug_front()->snapshot_bytes, words, sizeof words);
	return arena_text(arena, words);
}

/* Ctrl-C stops a launch, and goes to the program, too: it is not to end by that.  What a pipe or file has on standard
 * input are commands. */
void debug_relay_prepare_child(void)
{
	signal(SIGINT, SIG_IGN);
	if (debug_reads_pipe()) {
		int nothing = open("/dev/null", O_RDONLY);

		if (nothing >= 0)
			dup2(nothing, STDIN_FILENO);
		if (nothing > STDIN_FILENO)
			close(nothing);
	}
}

static void answer(struct debug_relay *relay)
{
	const struct lockstep_debug *front = debug_front();
	const char *line;
	int to = relay->pipes.commands[1];

	if (!debug_pipe_receive(relay->pipes.replies[0], &relay->message))
		return;
	if (relay->message.kind == MESSAGE_REPLY)
		front->reply(front->context, relay->message.text, relay->message.length);
	if (relay->message.kind != MESSAGE_ASKS)
		return;
	line = front->command(front->context);
	debug_pipe_send(to, line ? MESSAGE_COMMAND : MESSAGE_NO_MORE, line ? line : "", line ? strlen(line) : 0);
}

static bool has_ended(pid_t child)
{
	siginfo_t how = {0};

	return waitid(P_PID, (id_t)child, &how, WEXITED | WNOHANG | WNOWAIT) < 0 || how.si_pid;
}

void debug_relay_serve(struct debug_relay *relay, pid_t child)
{
	const struct lockstep_debug *front = debug_front();
	struct pollfd news[] = {{.fd = relay->pipes.replies[0], .events = POLLIN},
		{.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN}};
	int left = MILLISECONDS_TO_END;

	assert(child > 0 && front);
	for (;;) {
		int ready = poll(news, 2, MILLISECONDS_BETWEEN);

		if (front->interrupted(front->context))
			debug_pipe_send(relay->pipes.commands[1], MESSAGE_INTERRUPT, "", 0);
		if (ready > 0 && news[0].revents & POLLIN)
			answer(relay);
		else if (has_ended(child) || (ready < 0 && errno != EINTR))
			break;
		if (!ready && debug_has_quit() && (left -= MILLISECONDS_BETWEEN) <= 0)
			kill(child, SIGKILL);
	}
	if (news[1].fd >= 0)
		close(news[1].fd);
}
