/* A session of the Debug Adapter Protocol: the launch that it debugs, and commands and answers. */
#include "cli/dap.h"

#include "cli/debug.h"
#include "cli/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Messages ---- */

static void send_message(struct dap *dap, json_object *message, const char *type)
{
	json_object_object_add(message, "seq", json_object_new_int64(++dap->sent));
	json_object_object_add(message, "type", json_object_new_string(type));
	dap_wire_write(&dap->wire, message);
	json_object_put(message);
}

static json_object *response_to(json_object *request, bool success)
{
	json_object *message = json_object_new_object(), *seq, *command;

	json_object_object_get_ex(request, "seq", &seq);
	json_object_object_get_ex(request, "command", &command);
	json_object_object_add(message, "request_seq", json_object_get(seq));
	json_object_object_add(message, "command", json_object_get(command));
	json_object_object_add(message, "success", json_object_new_boolean(success));
	return message;
}

void dap_respond(struct dap *dap, json_object *request, json_object *body)
{
	json_object *message = response_to(request, true);

	if (body)
		json_object_object_add(message, "body", body);
	send_message(dap, message, "response");
}

void dap_refuse(struct dap *dap, json_object *request, const char *why)
{
	json_object *message = response_to(request, false), *body = json_object_new_object(),
		    *error = json_object_new_object();

	json_object_object_add(error, "id", json_object_new_int(1));
	json_object_object_add(error, "format", json_object_new_string(why));
	json_object_object_add(error, "showUser", json_object_new_boolean(true));
	json_object_object_add(body, "error", error);
	json_object_object_add(message, "message", json_object_new_string(why));
	json_object_object_add(message, "body", body);
	send_message(dap, message, "response");
}

void dap_event(struct dap *dap, const char *name, json_object *body)
{
	json_object *message = json_object_new_object();

	json_object_object_add(message, "event", json_object_new_string(name));
	if (body)
		json_object_object_add(message, "body", body);
	send_message(dap, message, "event");
}

void dap_output(struct dap *dap, const char *category, const char *text, size_t length)
{
	json_object *body = json_object_new_object();

	json_object_object_add(body, "category", json_object_new_string(category));
	json_object_object_add(body, "output", json_object_new_string_len(text, (int)length));
	dap_event(dap, "output", body);
}

/* ---- Commands and answers ---- */

void dap_ask(struct dap *dap, const char *name, json_object *object, dap_finish *finish, json_object *request)
{
	dap->line.length = 0;
	text_print(&dap->line, "%s%s%s", name, object ? " " : "",
		object ? json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN) : "");
	json_object_put(object);
	dap->asked = (struct dap_asked){finish, request};
}

/* The command has been carried out. */
static void finish(struct dap *dap)
{
	struct dap_asked asked = dap->asked;
	const char *text = dap->answer.length ? dap->answer.at : "";
	json_object *answer = *text == '{' ? json_tokener_parse(text) : NULL;

	if (!answer)
		answer = json_object_new_string(text);
	dap->answer.length = 0;
	dap->asked = (struct dap_asked){0};
	if (asked.finish)
		asked.finish(dap, asked.request, answer);
	json_object_put(asked.request);
	json_object_put(answer);
}

/* The run was stopped to look at what has come: unless that ends or stops it, it goes on. */
static void look(struct dap *dap)
{
	json_object *request;

	if (!dap->line.length && !dap->quits && (request = dap_wire_read(&dap->wire, false))) {
		dap_request(dap, request);
		return;
	}
	if (dap->line.length || dap->quits || dap->wire.is_gone)
		return;
	dap->interrupts = false;
	dap->asked = dap->goes;
	dap->goes = (struct dap_asked){0};
	if (dap->pauses)
		finish(dap);
	else
		dap_ask(dap, "json-resume", NULL, dap->asked.finish, dap->asked.request);
}

static const char *command(void *context)
{
	struct dap *dap = context;
	json_object *request;

	fflush(stdout);
	dap->line.length = 0;
	if (!dap->has_begun)
		dap_begin(dap);
	else if (dap->interrupts && !dap->goes.finish) {
		dap->goes = dap->asked;
		dap->asked = (struct dap_asked){0};
		dap->answer.length = 0;
	} else {
		finish(dap);
	}
	while (!dap->line.length && !dap->quits && !dap->wire.is_gone)
		if (dap->interrupts)
			look(dap);
		else if ((request = dap_wire_read(&dap->wire, true)))
			dap_request(dap, request);
	if (dap->quits || dap->wire.is_gone) {
		debug_quit();
		return "quit";
	}
	return dap->line.at;
}

static void reply(void *context, const char *text, size_t length)
{
	struct dap *dap = context;

	text_append(&dap->answer, text, length);
}

static bool interrupted(void *context)
{
	struct dap *dap = context;

	if (!dap_wire_has_news(&dap->wire) && !signals_caught)
		return false;
	dap->quits |= signals_caught != 0;
	return dap->interrupts = true;
}

/* ---- What is printed ---- */

static ssize_t write_output(void *context, const char *text, size_t length)
{
	dap_output(context, "stdout", text, length);
	return (ssize_t)length;
}

static ssize_t write_error(void *context, const char *text, size_t length)
{
	struct dap *dap = context;

	snprintf(dap->said, sizeof dap->said, "%.*s", (int)length, text);
	text_write_all(STDERR_FILENO, text, length);
	dap_output(dap, "stderr", text, length);
	return (ssize_t)length;
}

static void take_streams(struct dap *dap)
{
	FILE *out = fopencookie(dap, "w", (cookie_io_functions_t){.write = write_output}),
	     *error = fopencookie(dap, "w", (cookie_io_functions_t){.write = write_error});

	if (out)
		stdout = out;
	if (error) {
		setvbuf(error, NULL, _IOLBF, BUFSIZ);
		stderr = error;
	}
}

static void give_streams_back(FILE *out, FILE *error)
{
	fflush(stdout);
	fflush(stderr);
	if (stdout != out)
		fclose(stdout);
	if (stderr != error)
		fclose(stderr);
	stdout = out;
	stderr = error;
}

/* ---- The session ---- */

/* "kernel FILE ARGUMENT ...": those of the command line, or of the launch. */
static char **launch_words(struct dap *dap, struct options *o, int *count)
{
	json_object *program = NULL, *args = NULL;
	size_t more;
	char **words;

	json_object_object_get_ex(dap->launch, "program", &program);
	json_object_object_get_ex(dap->launch, "args", &args);
	if (!program || o->program)
		return o->program;
	more = args && json_object_is_type(args, json_type_array) ? json_object_array_length(args) : 0;
	words = arena_new_array(o->arena, char *, more + 3);
	words[0] = arena_text(o->arena, "kernel");
	words[1] = arena_text(o->arena, json_object_get_string(program));
	for (size_t k = 0; k < more; k++)
		words[k + 2] = arena_text(o->arena, json_object_get_string(json_object_array_get_idx(args, k)));
	*count = (int)more + 2;
	return words;
}

static void tell_end(struct dap *dap, int status)
{
	json_object *body = json_object_new_object(), *request = dap->asked.request;

	if (!dap->has_begun && request)
		dap_refuse(dap, request, *dap->said ? dap->said : "the launch did not begin");
	else if (request)
		dap_respond(dap, request, NULL);
	json_object_put(request);
	dap->asked = (struct dap_asked){0};
	json_object_object_add(body, "exitCode", json_object_new_int(status));
	dap_event(dap, "exited", body);
	dap_event(dap, "terminated", NULL);
}

static int run_launch(struct dap *dap, struct options *o, int count)
{
	const struct lockstep_debug front = {.command = command,
		.reply = reply,
		.interrupted = interrupted,
		.context = dap,
		.snapshot_bytes = (uint64_t)o->debug.megabytes << 20};
	char **words = launch_words(dap, o, &count);
	FILE *out = stdout, *error = stderr;
	int status;

	take_streams(dap);
	debug_use(&front);
	status = words ? options_run(OPTIONS_KERNEL, command_kernel, count, words)
		       : fail_line("launch: no kernel, expected `program`, or kernel FILE on the command line");
	give_streams_back(out, error);
	tell_end(dap, status);
	return status;
}

int dap_serve(struct options *o, int count, struct diagnostic *diagnostic)
{
	struct dap dap = {.reason = "step"};
	json_object *request;
	int status = STATUS_COMPLETED;

	if (!dap_wire_open(&dap.wire, o->debug.dap, diagnostic)) {
		dap_wire_close(&dap.wire);
		return fail(diagnostic);
	}
	dap.line.arena = dap.answer.arena = &dap.arena;
	dap.handles = json_object_new_array();
	dap.set = json_object_new_object();
	while (!dap.quits && !dap.launch && (request = dap_wire_read(&dap.wire, true)))
		dap_request(&dap, request);
	if (dap.launch && !dap.quits)
		status = run_launch(&dap, o, count);
	dap.has_begun = false;
	while (!dap.quits && (request = dap_wire_read(&dap.wire, true)))
		dap_request(&dap, request);
	if (diagnostic->failed)
		status = fail(diagnostic);
	dap_wire_close(&dap.wire);
	json_object_put(dap.launch);
	json_object_put(dap.handles);
	json_object_put(dap.set);
	json_object_put(dap.stop);
	json_object_put(dap.goes.request);
	arena_free(&dap.arena);
	return status;
}
