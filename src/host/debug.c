/* The debugger's link to `lockstep debug run`.  The worker uses it, within lockstep_finish, but for what says so. */
#include "host/debug.h"

#include "report/debug_pipe.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static struct {
	struct debug_pipes pipes;
	struct debug_message message;
	struct lockstep_debug front;
	bool (*may_act)(struct actors_seen *seen);
	bool is_over; /* nobody is there any more */
	/* Of any thread */
	atomic_uint_fast64_t acts;
	atomic_bool shares;
} debug;

void debug_link_acts(void)
{
	atomic_fetch_add(&debug.acts, 1);
}

void debug_link_shares(void)
{
	atomic_store(&debug.shares, true);
}

static const char *command(void *context)
{
	(void)context;
	if (debug.is_over || !debug_pipe_send(debug.pipes.replies[1], MESSAGE_ASKS, "", 0))
		return NULL;
	do {
		if (!debug_pipe_receive(debug.pipes.commands[0], &debug.message))
			debug.message.kind = MESSAGE_NO_MORE;
	} while (debug.message.kind == MESSAGE_INTERRUPT); /* it has stopped already */
	debug.is_over = debug.message.kind != MESSAGE_COMMAND;
	return debug.is_over ? NULL : debug.message.text;
}

static void reply(void *context, const char *text, size_t length)
{
	(void)context;
	if (!debug.is_over)
		debug.is_over = !debug_pipe_send(debug.pipes.replies[1], MESSAGE_REPLY, text, length);
}

static bool interrupted(void *context)
{
	struct pollfd news = {.fd = debug.pipes.commands[0], .events = POLLIN};

	(void)context;
	return poll(&news, 1, 0) > 0 && debug_pipe_receive(debug.pipes.commands[0], &debug.message) &&
	       debug.message.kind == MESSAGE_INTERRUPT;
}

#define TRIES 200 /* milliseconds that threads have to come to where they wait */

/* Threads that are about to wait get a moment for it, once after each use of the GPU. */
static uint64_t look_at_host(void *context, const char **why)
{
	static struct actors_seen seen;
	static uint64_t waited_after = UINT64_MAX;
	uint64_t acts = atomic_load(&debug.acts);
	const struct timespec pause = {.tv_nsec = 1000000};
	int tries = waited_after == acts ? 1 : TRIES;

	(void)context;
	*why = NULL;
	waited_after = acts;
	if (!atomic_load(&debug.shares))
		return acts;
	while (debug.may_act(&seen) && --tries)
		nanosleep(&pause, NULL);
	if (seen.actors != ACTORS_NONE)
		*why = seen.words;
	return acts;
}

const struct lockstep_debug *debug_link_open(bool (*may_act)(struct actors_seen *seen))
{
	const char *words = getenv(DEBUG_VARIABLE);
	uint64_t bytes;

	if (!words || !debug_pipes_open(&debug.pipes, words, &bytes))
		return NULL;
	debug.may_act = may_act;
	debug.front = (struct lockstep_debug){.command = command,
		.reply = reply,
		.interrupted = interrupted,
		.snapshot_bytes = bytes,
		.look_at_host = look_at_host};
	return &debug.front;
}
