/* Messages of the Debug Adapter Protocol: JSON objects, each behind a header with its length, on a pair of pipes, a
 * Unix socket or a TCP port of this machine.  One client; another one is refused. */
#ifndef LOCKSTEP_CLI_DAP_WIRE_H
#define LOCKSTEP_CLI_DAP_WIRE_H

#include "util/diagnostic.h"

#include "util/arena.h"

#include <json-c/json.h>
#include <stddef.h>

struct dap_wire {
	int in, out;
	int listener;     /* -1: pipes */
	const char *path; /* of the Unix socket; null: it is none */
	struct arena arena;
	char *received; /* bytes that have come and are of no message yet */
	size_t count, room;
	struct diagnostic *wrong; /* failed: the client sent no message of the protocol */
	bool is_gone;             /* nothing more comes, or can be sent */
};

/* Opens "stdio", "tcp:PORT" (0: any free one) or "unix:PATH", says on standard error where it listens, and waits for a
 * client.  On pipes, standard output becomes another name for standard error.  False and an error. */
bool dap_wire_open(struct dap_wire *wire, const char *where, struct diagnostic *diagnostic);
void dap_wire_close(struct dap_wire *wire);

/* The next message, which the caller puts; null: none is there, or, when `waits`, none will come. */
json_object *dap_wire_read(struct dap_wire *wire, bool waits);
/* Whether something has come, or the client has gone. */
bool dap_wire_has_news(struct dap_wire *wire);
void dap_wire_write(struct dap_wire *wire, json_object *message);

#endif
