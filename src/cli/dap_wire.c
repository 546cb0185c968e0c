/* Messages of the Debug Adapter Protocol: framing, and the descriptors that carry them. */
#include "cli/dap_wire.h"

#include "util/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HEADER_MOST 4096
#define MESSAGE_MOST ((size_t)64 << 20)
#define END_OF_HEADER "\r\n\r\n"

static const struct place client = {.file = "the debugger's client"};

/* ---- Opening ---- */

static bool open_unix(struct dap_wire *wire, const char *path, struct diagnostic *diagnostic)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (!*path || strlen(path) >= sizeof address.sun_path)
		return diagnose(diagnostic, (struct place){.file = "--dap"}, "'%s': expected a path of 1 to %zu bytes",
			path, sizeof address.sun_path - 1);
	memcpy(address.sun_path, path, strlen(path) + 1);
	wire->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (wire->listener < 0 || bind(wire->listener, (struct sockaddr *)&address, sizeof address) ||
		listen(wire->listener, 4))
		return diagnose(diagnostic, (struct place){.file = path}, "cannot listen: %s", strerror(errno));
	wire->path = path;
	fprintf(stderr, "lockstep debug: listening on %s\n", path);
	return true;
}

static bool open_tcp(struct dap_wire *wire, const char *port, struct diagnostic *diagnostic)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	uint64_t number;
	int yes = 1;

	if (!text_to_u64(port, &number) || number > UINT16_MAX)
		return diagnose(
			diagnostic, (struct place){.file = "--dap"}, "'%s': expected a port from 0 to 65535", port);
	address.sin_port = htons((uint16_t)number);
	wire->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (wire->listener >= 0)
		setsockopt(wire->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (wire->listener < 0 || bind(wire->listener, (struct sockaddr *)&address, sizeof address) ||
		listen(wire->listener, 4) || getsockname(wire->listener, (struct sockaddr *)&address, &length))
		return diagnose(diagnostic, (struct place){.file = "--dap"}, "cannot listen on port %s: %s", port,
			strerror(errno));
	fprintf(stderr, "lockstep debug: listening on 127.0.0.1:%u\n", ntohs(address.sin_port));
	return true;
}

/* What is printed from now on must not come between messages. */
static bool open_pipes(struct dap_wire *wire, struct diagnostic *diagnostic)
{
	wire->in = dup(STDIN_FILENO);
	wire->out = dup(STDOUT_FILENO);
	if (wire->in < 0 || wire->out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return diagnose(
			diagnostic, (struct place){.file = "--dap"}, "standard input and output: %s", strerror(errno));
	return true;
}

static bool starts_with(const char *text, const char *first, const char **rest)
{
	*rest = text + strlen(first);
	return !strncmp(text, first, strlen(first));
}

bool dap_wire_open(struct dap_wire *wire, const char *where, struct diagnostic *diagnostic)
{
	const char *rest;
	bool good;

	*wire = (struct dap_wire){.in = -1, .out = -1, .listener = -1, .wrong = diagnostic};
	signal(SIGPIPE, SIG_IGN);
	if (!strcmp(where, "stdio"))
		return open_pipes(wire, diagnostic);
	if (starts_with(where, "unix:", &rest))
		good = open_unix(wire, rest, diagnostic);
	else if (starts_with(where, "tcp:", &rest))
		good = open_tcp(wire, rest, diagnostic);
	else
		good = diagnose(diagnostic, (struct place){.file = "--dap"},
			"'%s': expected stdio, tcp:PORT or unix:PATH", where);
	if (!good)
		return false;
	do
		wire->in = wire->out = accept4(wire->listener, NULL, NULL, SOCK_CLOEXEC);
	while (wire->in < 0 && errno == EINTR);
	return wire->in >= 0 || diagnose(diagnostic, (struct place){.file = "--dap"}, "%s", strerror(errno));
}

void dap_wire_close(struct dap_wire *wire)
{
	if (wire->in >= 0)
		close(wire->in);
	if (wire->out >= 0 && wire->out != wire->in)
		close(wire->out);
	if (wire->listener >= 0)
		close(wire->listener);
	if (wire->path)
		unlink(wire->path);
	arena_free(&wire->arena);
	*wire = (struct dap_wire){.in = -1, .out = -1, .listener = -1};
}

/* ---- Reading ---- */

/* A second client reads why, in a message that any client shows. */
static void refuse_other(const struct dap_wire *wire)
{
	static const char words[] = "{\"seq\":1,\"type\":\"event\",\"event\":\"output\",\"body\":{\"category\":"
				    "\"stderr\",\"output\":\"lockstep debug: another client is connected\\n\"}}";
	int other = accept4(wire->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	char header[64];

	if (other < 0)
		return;
	snprintf(header, sizeof header, "Content-Length: %zu" END_OF_HEADER, sizeof words - 1);
	if (send(other, header, strlen(header), MSG_NOSIGNAL) > 0)
		(void)!send(other, words, sizeof words - 1, MSG_NOSIGNAL);
	close(other);
}

/* Waits, and takes what has come.  False: nothing has. */
static bool receive(struct dap_wire *wire, int milliseconds)
{
	struct pollfd polled[2] = {{.fd = wire->in, .events = POLLIN}, {.fd = wire->listener, .events = POLLIN}};
	ssize_t got;

	if (wire->is_gone || poll(polled, 2, milliseconds) <= 0)
		return false;
	if (polled[1].revents)
		refuse_other(wire);
	if (!polled[0].revents)
		return false;
	if (wire->room - wire->count < HEADER_MOST) {
		size_t room = 2 * wire->room + 2 * HEADER_MOST;

		wire->received = arena_grow(&wire->arena, wire->received, wire->room, room);
		wire->room = room;
	}
	got = read(wire->in, wire->received + wire->count, wire->room - wire->count);
	if (got > 0)
		wire->count += (size_t)got;
	else if (!got || errno != EINTR)
		wire->is_gone = true;
	return got > 0;
}

static bool refuse(struct dap_wire *wire, const char *what, const char *expected)
{
	wire->is_gone = true;
	return diagnose(wire->wrong, client, "%s: expected %s", what, expected);
}

/* Lines "NAME: VALUE", of which one is the length. */
static bool read_header(struct dap_wire *wire, const char *header, size_t *length)
{
	static const char name[] = "Content-Length:";
	bool found = false;
	char line[64];

	for (const char *at = header; *at;) {
		size_t bytes = strcspn(at, "\r");
		uint64_t number;

		snprintf(line, sizeof line, "%.*s", (int)bytes, at);
		if (!memchr(at, ':', bytes))
			return refuse(wire, line, "a header 'Content-Length: N'");
		if (!strncasecmp(line, name, strlen(name))) {
			const char *value = line + strlen(name) + strspn(line + strlen(name), " ");

			if (!text_to_u64(value, &number) || number > MESSAGE_MOST)
				return refuse(wire, line, "a length of at most 64 MiB");
			*length = (size_t)number;
			found = true;
		}
		at += bytes + strspn(at + bytes, "\r\n");
	}
	return found || refuse(wire, "a header without a length", "'Content-Length: N'");
}

/* Of the first `length` bytes.  Whatever is no request is no use: nothing is asked of the client. */
static json_object *parse(struct dap_wire *wire, const char *text, size_t length)
{
	struct json_tokener *tokener = json_tokener_new();
	json_object *message = tokener ? json_tokener_parse_ex(tokener, text, (int)length) : NULL, *type, *command;
	char why[128];

	if (!message) {
		snprintf(why, sizeof why, "a message that is no JSON (%s)",
			tokener ? json_tokener_error_desc(json_tokener_get_error(tokener)) : "no memory");
		refuse(wire, why, "an object");
	} else if (!json_object_is_type(message, json_type_object) ||
		   !json_object_object_get_ex(message, "type", &type) ||
		   !json_object_object_get_ex(message, "command", &command) ||
		   !json_object_is_type(command, json_type_string)) {
		refuse(wire, "a message without type and command", "a request");
		json_object_put(message);
		message = NULL;
	}
	json_tokener_free(tokener);
	return message;
}

/* What has come begins with a whole message: takes it. */
static json_object *take_message(struct dap_wire *wire)
{
	char *end = wire->count ? memmem(wire->received, wire->count, END_OF_HEADER, strlen(END_OF_HEADER)) : NULL;
	size_t length = 0, before;
	json_object *message;

	if (!end) {
		if (wire->count > HEADER_MOST)
			refuse(wire, "4096 bytes without the end of a header", "'Content-Length: N' and an empty line");
		else if (wire->count && memchr(wire->received, '\n', wire->count) &&
			 !memchr(wire->received, ':', wire->count))
			refuse(wire, "a line that is no header", "'Content-Length: N' and an empty line");
		return NULL;
	}
	*end = 0;
	bool good = read_header(wire, wire->received, &length);

	*end = *END_OF_HEADER;
	before = (size_t)(end - wire->received) + strlen(END_OF_HEADER);
	if (!good || wire->count - before < length)
		return NULL;
	message = parse(wire, wire->received + before, length);
	wire->count -= before + length;
	memmove(wire->received, wire->received + before + length, wire->count);
	return message;
}

json_object *dap_wire_read(struct dap_wire *wire, bool waits)
{
	json_object *message = take_message(wire);

	while (!message && !wire->wrong->failed && !wire->is_gone) {
		if (!receive(wire, waits ? -1 : 0) && !waits)
			return NULL;
		message = take_message(wire);
	}
	if (!message && wire->is_gone && wire->count)
		refuse(wire, "the end within a message", "all of it");
	return message;
}

bool dap_wire_has_news(struct dap_wire *wire)
{
	receive(wire, 0);
	return wire->count || wire->is_gone;
}

/* ---- Writing ---- */

void dap_wire_write(struct dap_wire *wire, json_object *message)
{
	size_t length;
	const char *text = json_object_to_json_string_length(message, JSON_C_TO_STRING_PLAIN, &length);
	char header[64];

	if (wire->is_gone)
		return;
	snprintf(header, sizeof header, "Content-Length: %zu" END_OF_HEADER, length);
	if (!text_write_all(wire->out, header, strlen(header)) || !text_write_all(wire->out, text, length))
		wire->is_gone = true;
}
