/* Between `lockstep debug run` and the program under it: two pipes that the command has open, through which messages go
 * one by one.  The program asks, and the command answers, but for MESSAGE_INTERRUPT, which may come at any time.
 *
 * The program opens them by their paths, so it inherits no descriptor. */
#ifndef LOCKSTEP_REPORT_DEBUG_PIPE_H
#define LOCKSTEP_REPORT_DEBUG_PIPE_H

#include "util/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEBUG_VARIABLE "LOCKSTEP_DEBUG" /* in the environment of the programs: what debug_pipe_words has made */

enum debug_message_kind {
	/* The program's */
	MESSAGE_REPLY = 1, /* text for people */
	MESSAGE_ASKS,      /* it has stopped, and wants a command */
	/* The command's */
	MESSAGE_COMMAND,   /* a line */
	MESSAGE_NO_MORE,   /* there are no more */
	MESSAGE_INTERRUPT, /* the launch is to stop as soon as it can */
};

struct debug_message {
	enum debug_message_kind kind;
	char *text; /* ends in NUL; good until the next one is read */
	size_t length;
	size_t room;        /* of `text` */
	struct arena arena; /* where that lies: the caller's, to be freed */
};

struct debug_pipes {
	int commands[2], replies[2]; /* reading end, writing end; -1: this process has it not */
};

/* The command's side.  False: errno says why. */
bool debug_pipes_create(struct debug_pipes *pipes);
/* The program's side, by DEBUG_VARIABLE's value.  False: nobody is there any more. */
bool debug_pipes_open(struct debug_pipes *pipes, const char *words, uint64_t *snapshot_bytes);
void debug_pipes_close(struct debug_pipes *pipes);
/* Up to 128 bytes. */
void debug_pipe_words(const struct debug_pipes *pipes, int process, uint64_t snapshot_bytes, char *words, size_t size);

/* False: the other side has gone. */
bool debug_pipe_send(int file, enum debug_message_kind kind, const char *text, size_t length);
bool debug_pipe_receive(int file, struct debug_message *message);

#endif
