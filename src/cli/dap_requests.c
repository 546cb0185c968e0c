/* Requests of the Debug Adapter Protocol, and the events that tell where a run has stopped. */
#include "cli/dap.h"

#include "cli/debug.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCH_THREAD 1 /* of a launch without warps */
#define FIRST_WARP 2
#define WARPS_OF_GROUP 1024 /* threads, of warps of one lane */
#define WARPS_SHOWN 64
#define CODE_BASE 0x10000 /* addresses of instructions: numbers before the first one are addresses, too */

/* ---- Objects ---- */

static json_object *member(json_object *from, const char *key)
{
	json_object *value = NULL;

	json_object_object_get_ex(from, key, &value);
	return value;
}

static int64_t number(json_object *from, const char *key)
{
	return json_object_get_int64(member(from, key));
}

static const char *word(json_object *from, const char *key)
{
	json_object *value = member(from, key);

	return value && json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

static json_object *arguments(json_object *request)
{
	return member(request, "arguments");
}

static size_t length(json_object *list)
{
	return list && json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

static json_object *object(void)
{
	return json_object_new_object();
}

static void put(json_object *to, const char *key, json_object *value)
{
	json_object_object_add(to, key, value);
}

static void put_number(json_object *to, const char *key, int64_t value)
{
	put(to, key, json_object_new_int64(value));
}

static void put_text(json_object *to, const char *key, const char *value)
{
	put(to, key, json_object_new_string(value));
}

static void put_flag(json_object *to, const char *key, bool value)
{
	put(to, key, json_object_new_boolean(value));
}

static void put_address(json_object *to, const char *key, int64_t pc)
{
	char text[32];

	snprintf(text, sizeof text, "0x%llx", (unsigned long long)(pc + CODE_BASE));
	put_text(to, key, text);
}

/* A member as it is, where there is one. */
static void copy(json_object *to, const char *key, json_object *from)
{
	if (member(from, key))
		put(to, key, json_object_get(member(from, key)));
}

/* Whether the answer is an error, which the client is told. */
static bool has_failed(struct dap *dap, json_object *request, json_object *answer)
{
	bool failed = member(answer, "error");

	if (failed)
		dap_refuse(dap, request, word(answer, "error"));
	return failed;
}

/* ---- Threads, frames and variables by number ---- */

static int64_t thread_of(json_object *from)
{
	return number(from, "group") * WARPS_OF_GROUP + number(from, "warp") + FIRST_WARP;
}

/* Adds the warp that the thread is. */
static void put_warp(json_object *to, int64_t thread)
{
	if (thread < FIRST_WARP)
		return;
	put_number(to, "group", (thread - FIRST_WARP) / WARPS_OF_GROUP);
	put_number(to, "warp", (thread - FIRST_WARP) % WARPS_OF_GROUP);
}

/* A new number, which means the object. */
static int64_t add_handle(struct dap *dap, json_object *meaning)
{
	json_object_array_add(dap->handles, meaning);
	return (int64_t)json_object_array_length(dap->handles);
}

static json_object *handle(const struct dap *dap, int64_t number_of_it)
{
	if (number_of_it < 1 || number_of_it > (int64_t)json_object_array_length(dap->handles))
		return NULL;
	return json_object_array_get_idx(dap->handles, (size_t)number_of_it - 1);
}

static void forget_handles(struct dap *dap)
{
	json_object_put(dap->handles);
	dap->handles = json_object_new_array();
}

static void put_source(json_object *to, const char *key, json_object *place)
{
	const char *file = word(place, "file"), *slash = strrchr(file, '/');
	char room[PATH_MAX];
	const char *whole = *file ? realpath(file, room) : NULL;
	json_object *source = object();

	if (!*file) {
		json_object_put(source);
		return;
	}
	put_text(source, "name", slash ? slash + 1 : file);
	put_text(source, "path", whole ? whole : file);
	put(to, key, source);
}

/* ---- Where it has stopped ---- */

static const char *stop_reason(const struct dap *dap, const char *kind)
{
	static const char *const reasons[][2] = {{"breakpoint", "breakpoint"}, {"phase", "breakpoint"},
		{"watch", "data breakpoint"}, {"finding", "exception"}, {"end", "end"}, {"warp ended", "step"}};

	for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++)
		if (!strcmp(kind, reasons[k][0]))
			return reasons[k][1];
	return dap->pauses ? "pause" : dap->reason;
}

static void keep_stop(struct dap *dap, json_object *answer)
{
	json_object_put(dap->stop);
	dap->stop = json_object_get(answer);
}

static void send_stop(struct dap *dap)
{
	json_object *body = object(), *stop = dap->stop;
	const char *why = word(stop, "why");

	put_text(body, "reason", stop_reason(dap, word(stop, "kind")));
	if (*why) {
		put_text(body, "description", why);
		put_text(body, "text", why);
	}
	put_number(
		body, "threadId", json_object_get_boolean(member(stop, "present")) ? thread_of(stop) : LAUNCH_THREAD);
	put_flag(body, "allThreadsStopped", true);
	if (length(member(stop, "here")))
		put(body, "hitBreakpointIds", json_object_get(member(stop, "here")));
	dap_event(dap, "stopped", body);
	dap->pauses = false;
}

static void take_stop(struct dap *dap, json_object *request, json_object *answer)
{
	(void)request;
	forget_handles(dap);
	keep_stop(dap, answer);
	send_stop(dap);
}

void dap_tell_stop(struct dap *dap)
{
	dap_ask(dap, "json-stop", NULL, take_stop, NULL);
}

/* What was said to people goes to the client's console. */
static void take_run(struct dap *dap, json_object *request, json_object *answer)
{
	const char *text = json_object_get_string(answer);

	(void)request;
	if (*text)
		dap_output(dap, "console", text, strlen(text));
	dap_tell_stop(dap);
}

static void go(struct dap *dap, const char *line, int64_t thread, const char *reason)
{
	json_object *from = object();

	put_text(from, "line", line);
	put_warp(from, thread);
	dap->reason = reason;
	dap_ask(dap, "json-go", from, take_run, NULL);
}

/* ---- The session ---- */

static void request_initialize(struct dap *dap, json_object *request)
{
	static const char *const can[] = {"supportsConfigurationDoneRequest", "supportsStepBack",
		"supportsSteppingGranularity", "supportsEvaluateForHovers", "supportsReadMemoryRequest",
		"supportsDataBreakpoints", "supportsFunctionBreakpoints", "supportsInstructionBreakpoints",
		"supportsDisassembleRequest", "supportsTerminateRequest", "supportsExceptionInfoRequest"};
	json_object *body = object();

	for (size_t k = 0; k < sizeof can / sizeof *can; k++)
		put_flag(body, can[k], true);
	dap_respond(dap, request, body);
}

/* Answered when the launch has stopped for the first time. */
static void request_launch(struct dap *dap, json_object *request)
{
	if (dap->launch) {
		dap_refuse(dap, request, "one launch in a session: it has been asked for");
		return;
	}
	dap->launch = arguments(request) ? json_object_get(arguments(request)) : object();
	dap->asked.request = json_object_get(request);
}

void dap_begin(struct dap *dap)
{
	dap->has_begun = true;
	dap->answer.length = 0;
	dap_respond(dap, dap->asked.request, NULL);
	json_object_put(dap->asked.request);
	dap->asked = (struct dap_asked){0};
	dap_event(dap, "initialized", NULL);
}

static void request_disconnect(struct dap *dap, json_object *request)
{
	dap_respond(dap, request, NULL);
	dap->quits = true;
}

/* The client disconnects when it has seen the end. */
static void request_terminate(struct dap *dap, json_object *request)
{
	dap_respond(dap, request, NULL);
	if (!dap->has_begun) {
		dap->quits = true;
		return;
	}
	debug_quit();
	dap_ask(dap, "quit", NULL, NULL, NULL);
}

static void take_entry(struct dap *dap, json_object *request, json_object *answer)
{
	(void)request;
	keep_stop(dap, answer);
	if (json_object_get_boolean(member(dap->launch, "stopOnEntry"))) {
		dap->reason = "entry";
		send_stop(dap);
	} else if (length(member(answer, "here"))) {
		dap->reason = "breakpoint";
		send_stop(dap);
	} else {
		go(dap, "continue", 0, "step");
	}
}

static void request_configured(struct dap *dap, json_object *request)
{
	dap_respond(dap, request, NULL);
	if (!dap->stop)
		dap_ask(dap, "json-stop", NULL, take_entry, NULL);
}

/* ---- Threads and frames ---- */

static void add_thread(json_object *list, int64_t id, const char *name)
{
	json_object *thread = object();

	put_number(thread, "id", id);
	put_text(thread, "name", name);
	json_object_array_add(list, thread);
}

static void take_threads(struct dap *dap, json_object *request, json_object *answer)
{
	json_object *body = object(), *list = json_object_new_array(), *warps = member(answer, "warps");
	char name[160];

	for (size_t k = 0; k < length(warps); k++) {
		json_object *w = json_object_array_get_idx(warps, k);
		const char *waits = word(w, "waits");

		snprintf(name, sizeof name, "group %d warp %d, core %d%s%s", (int)number(w, "group"),
			(int)number(w, "warp"), (int)number(w, "core"),
			strcmp(waits, "runs") != 0 ? ", waits for " : "", strcmp(waits, "runs") != 0 ? waits : "");
		add_thread(list, thread_of(w), name);
	}
	if (number(answer, "more")) {
		snprintf(name, sizeof name, "%lld more warps", (long long)number(answer, "more"));
		add_thread(list, LAUNCH_THREAD, name);
	} else if (!length(warps)) {
		add_thread(list, LAUNCH_THREAD, "the launch: no warp is on a core");
	}
	put(body, "threads", list);
	dap_respond(dap, request, body);
}

static void request_threads(struct dap *dap, json_object *request)
{
	json_object *from = object();

	put_number(from, "most", WARPS_SHOWN);
	dap_ask(dap, "json-warps", from, take_threads, json_object_get(request));
}

static json_object *make_frame(struct dap *dap, json_object *f, int64_t thread)
{
	json_object *frame = object(), *meaning = object();
	bool inlined = json_object_get_boolean(member(f, "inlined"));
	const char *waits = word(f, "waits");
	char name[512];

	put_warp(meaning, thread);
	copy(meaning, "lane", f);
	copy(meaning, "runs", f);
	snprintf(name, sizeof name, "%s  lanes %s%s%s%s", word(f, "function"), word(f, "lanes"),
		inlined ? ", inlined" : "", *waits ? ", waits for " : "", waits);
	put_number(frame, "id", add_handle(dap, meaning));
	put_text(frame, "name", name);
	put_source(frame, "source", f);
	put_number(frame, "line", number(f, "line"));
	put_number(frame, "column", 0);
	put_address(frame, "instructionPointerReference", number(f, "pc"));
	return frame;
}

static void take_stack(struct dap *dap, json_object *request, json_object *answer)
{
	json_object *body = object(), *list = json_object_new_array(), *frames = member(answer, "frames");
	int64_t first = number(arguments(request), "startFrame"), levels = number(arguments(request), "levels");
	int64_t count = (int64_t)length(frames), end = levels > 0 && levels < count - first ? first + levels : count;

	for (int64_t k = first < 0 ? 0 : first; k < end; k++)
		json_object_array_add(list, make_frame(dap, json_object_array_get_idx(frames, (size_t)k),
						    number(arguments(request), "threadId")));
	put(body, "stackFrames", list);
	put_number(body, "totalFrames", count);
	dap_respond(dap, request, body);
}

static void request_stack(struct dap *dap, json_object *request)
{
	json_object *from = object();
	int64_t thread = number(arguments(request), "threadId");

	if (thread < FIRST_WARP) {
		json_object_put(from);
		take_stack(dap, request, NULL);
		return;
	}
	put_warp(from, thread);
	dap_ask(dap, "json-frames", from, take_stack, json_object_get(request));
}

/* ---- Variables ---- */

static void add_scope(struct dap *dap, json_object *list, const char *name, const char *ask, json_object *frame)
{
	json_object *scope = object(), *meaning = object();

	copy(meaning, "group", frame);
	copy(meaning, "warp", frame);
	copy(meaning, "lane", frame);
	put_text(meaning, "ask", ask);
	put_text(scope, "name", name);
	put_number(scope, "variablesReference", add_handle(dap, meaning));
	put_flag(scope, "expensive", false);
	json_object_array_add(list, scope);
}

static void request_scopes(struct dap *dap, json_object *request)
{
	json_object *frame = handle(dap, number(arguments(request), "frameId")), *body, *list;
	char name[64];

	if (!frame) {
		dap_refuse(dap, request, "no such frame: the run has gone on since");
		return;
	}
	body = object();
	list = json_object_new_array();
	add_scope(dap, list, "Parameters", "json-parameters", frame);
	if (json_object_get_boolean(member(frame, "runs"))) {
		snprintf(name, sizeof name, "Registers of lane %d", (int)number(frame, "lane"));
		add_scope(dap, list, name, "json-registers", frame);
	}
	add_scope(dap, list, "Lanes", "json-lanes", frame);
	add_scope(dap, list, "Locks", "json-locks", frame);
	add_scope(dap, list, "Barriers", "json-barriers", frame);
	put(body, "scopes", list);
	dap_respond(dap, request, body);
}

static void take_variables(struct dap *dap, json_object *request, json_object *answer)
{
	json_object *body, *list, *all = member(answer, "variables");

	if (has_failed(dap, request, answer))
		return;
	body = object();
	list = json_object_new_array();
	for (size_t k = 0; k < length(all); k++) {
		json_object *from = json_object_array_get_idx(all, k), *variable = object();

		copy(variable, "name", from);
		copy(variable, "value", from);
		copy(variable, "type", from);
		if (member(from, "memory"))
			put_text(variable, "memoryReference", word(from, "memory"));
		put_number(variable, "variablesReference", 0);
		json_object_array_add(list, variable);
	}
	put(body, "variables", list);
	dap_respond(dap, request, body);
}

static void request_variables(struct dap *dap, json_object *request)
{
	json_object *meaning = handle(dap, number(arguments(request), "variablesReference"));

	if (!meaning || !member(meaning, "ask"))
		dap_refuse(dap, request, "no such variables: the run has gone on since");
	else
		dap_ask(dap, word(meaning, "ask"), json_object_get(meaning), take_variables, json_object_get(request));
}

/* ---- Breakpoints ---- */

/* What the client is told of one; the number is kept for the next time that these are set. */
static json_object *make_breakpoint(json_object *stop, json_object *numbers)
{
	json_object *b = object();

	put_flag(b, "verified", !member(stop, "error"));
	if (member(stop, "error")) {
		put_text(b, "message", word(stop, "error"));
		return b;
	}
	put_number(b, "id", number(stop, "number"));
	put_text(b, "message", word(stop, "words"));
	put_source(b, "source", stop);
	copy(b, "line", stop);
	if (member(stop, "pc"))
		put_address(b, "instructionReference", number(stop, "pc"));
	json_object_array_add(numbers, json_object_get(member(stop, "number")));
	return b;
}

static void take_stops(struct dap *dap, json_object *request, json_object *answer)
{
	json_object *body = object(), *list = json_object_new_array(), *stops = member(answer, "stops"),
		    *numbers = json_object_new_array();

	for (size_t k = 0; k < length(stops); k++)
		json_object_array_add(list, make_breakpoint(json_object_array_get_idx(stops, k), numbers));
	put(dap->set, word(request, "set by"), numbers);
	put(body, "breakpoints", list);
	dap_respond(dap, request, body);
}

/* Instead of those that the same request has set before; `added` is taken. */
static void set_stops(struct dap *dap, json_object *request, const char *set_by, json_object *added)
{
	json_object *from = object();

	put_text(request, "set by", set_by);
	put(from, "add", added);
	if (member(dap->set, set_by))
		put(from, "remove", json_object_get(member(dap->set, set_by)));
	dap_ask(dap, "json-stops", from, take_stops, json_object_get(request));
}

static json_object *add_stop(json_object *list, const char *kind, const char *words)
{
	json_object *stop = object();

	put_text(stop, "kind", kind);
	put_text(stop, "words", words);
	json_object_array_add(list, stop);
	return stop;
}

static void request_breakpoints(struct dap *dap, json_object *request)
{
	json_object *given = member(arguments(request), "breakpoints"), *added = json_object_new_array();
	const char *path = word(member(arguments(request), "source"), "path");

	for (size_t k = 0; k < length(given); k++)
		put_number(add_stop(added, "break", path), "line", number(json_object_array_get_idx(given, k), "line"));
	set_stops(dap, request, path, added);
}

static void request_functions(struct dap *dap, json_object *request)
{
	json_object *given = member(arguments(request), "breakpoints"), *added = json_object_new_array();

	for (size_t k = 0; k < length(given); k++)
		add_stop(added, "break", word(json_object_array_get_idx(given, k), "name"));
	set_stops(dap, request, "functions", added);
}

static int64_t pc_of(const char *reference, int64_t offset)
{
	return strtoll(reference, NULL, 0) + offset - CODE_BASE;
}

static void request_instructions(struct dap *dap, json_object *request)
{
	json_object *given = member(arguments(request), "breakpoints"), *added = json_object_new_array();
	char words[32];

	for (size_t k = 0; k < length(given); k++) {
		json_object *b = json_object_array_get_idx(given, k);

		snprintf(words, sizeof words, "*%lld",
			(long long)pc_of(word(b, "instructionReference"), number(b, "offset")));
		add_stop(added, "break", words);
	}
	set_stops(dap, request, "instructions", added);
}

static void request_data(struct dap *dap, json_object *request)
{
	json_object *given = member(arguments(request), "breakpoints"), *added = json_object_new_array();

	for (size_t k = 0; k < length(given); k++)
		add_stop(added, "watch", word(json_object_array_get_idx(given, k), "dataId"));
	set_stops(dap, request, "data", added);
}

static void request_exceptions(struct dap *dap, json_object *request)
{
	dap_respond(dap, request, NULL);
}

static void take_data_info(struct dap *dap, json_object *request, json_object *answer)
{
	json_object *body = object();

	if (member(answer, "error")) {
		put(body, "dataId", NULL);
		put_text(body, "description", word(answer, "error"));
	} else {
		put_text(body, "dataId", word(answer, "words"));
		put_text(body, "description", word(answer, "about"));
		put(body, "accessTypes", json_tokener_parse("[\"write\"]"));
		put_flag(body, "canPersist", false);
	}
	dap_respond(dap, request, body);
}

static void request_data_info(struct dap *dap, json_object *request)
{
	json_object *from = object();

	put_text(from, "words", word(arguments(request), "name"));
	copy(from, "bytes", arguments(request));
	dap_ask(dap, "json-place", from, take_data_info, json_object_get(request));
}

static void request_exception(struct dap *dap, json_object *request)
{
	json_object *body = object();

	put_text(body, "exceptionId", "finding");
	put_text(body, "description", word(dap->stop, "why"));
	put_text(body, "breakMode", "always");
	dap_respond(dap, request, body);
}

/* ---- Runs ---- */

static void request_run(struct dap *dap, json_object *request, const char *line, const char *reason, json_object *body)
{
	if (dap->goes.finish || dap->interrupts) {
		json_object_put(body);
		dap_refuse(dap, request, "the run goes on: `pause` stops it");
		return;
	}
	dap_respond(dap, request, body);
	go(dap, line, number(arguments(request), "threadId"), reason);
}

static void request_continue(struct dap *dap, json_object *request)
{
	json_object *body = object();

	put_flag(body, "allThreadsContinued", true);
	request_run(dap, request, "continue", "step", body);
}

static bool is_by_instruction(json_object *request)
{
	return !strcmp(word(arguments(request), "granularity"), "instruction");
}

static void request_next(struct dap *dap, json_object *request)
{
	request_run(dap, request, is_by_instruction(request) ? "stepi" : "next", "step", NULL);
}

static void request_step_in(struct dap *dap, json_object *request)
{
	request_run(dap, request, is_by_instruction(request) ? "stepi" : "step", "step", NULL);
}

static void request_step_out(struct dap *dap, json_object *request)
{
	request_run(dap, request, "finish", "step", NULL);
}

static void request_step_back(struct dap *dap, json_object *request)
{
	request_run(dap, request, is_by_instruction(request) ? "reverse-stepi" : "reverse-next", "step", NULL);
}

static void request_reverse(struct dap *dap, json_object *request)
{
	request_run(dap, request, "reverse-continue", "step", NULL);
}

/* A run that has stopped already says so again. */
static void request_pause(struct dap *dap, json_object *request)
{
	dap_respond(dap, request, NULL);
	dap->pauses = true;
	if (!dap->interrupts)
		dap_tell_stop(dap);
}

/* ---- Values ---- */

static void take_repl_stop(struct dap *dap, json_object *request, json_object *answer)
{
	bool has_run = !dap->stop || number(answer, "stops") != number(dap->stop, "stops");

	(void)request;
	if (has_run) {
		dap->reason = "goto";
		take_stop(dap, NULL, answer);
	}
}

/* A command of people may have moved the run. */
static void take_repl(struct dap *dap, json_object *request, json_object *answer)
{
	json_object *body = object();

	put_text(body, "result", json_object_get_string(answer));
	put_number(body, "variablesReference", 0);
	dap_respond(dap, request, body);
	if (!dap->goes.finish)
		dap_ask(dap, "json-stop", NULL, take_repl_stop, NULL);
}

static void take_value(struct dap *dap, json_object *request, json_object *answer)
{
	json_object *body;

	if (has_failed(dap, request, answer))
		return;
	body = object();
	put_text(body, "result", word(answer, "value"));
	copy(body, "type", answer);
	if (member(answer, "memory"))
		put_text(body, "memoryReference", word(answer, "memory"));
	put_number(body, "variablesReference", 0);
	dap_respond(dap, request, body);
}

static void request_evaluate(struct dap *dap, json_object *request)
{
	const char *expression = word(arguments(request), "expression");
	json_object *frame = handle(dap, number(arguments(request), "frameId")), *from = object();
	bool is_command = !strcmp(word(arguments(request), "context"), "repl");

	if (is_command && dap->goes.finish) {
		json_object_put(from);
		dap_refuse(dap, request, "the run goes on: `pause` stops it");
	} else if (is_command) {
		if (!strcmp(expression, "quit") || !strcmp(expression, "q"))
			debug_quit();
		put_text(from, "line", expression);
		dap_ask(dap, "json-go", from, take_repl, json_object_get(request));
	} else {
		put_text(from, "name", expression);
		copy(from, "group", frame);
		copy(from, "warp", frame);
		copy(from, "lane", frame);
		dap_ask(dap, "json-value", from, take_value, json_object_get(request));
	}
}

/* ---- Memory and code ---- */

static void put_base64(json_object *to, const char *key, const char *hexadecimal)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t bytes = strlen(hexadecimal) / 2;
	struct arena arena = {0};
	char *text = arena_alloc(&arena, (bytes / 3 + 1) * 4), *at = text;

	for (size_t k = 0; k < bytes; k += 3) {
		unsigned group = 0;
		size_t left = bytes - k < 3 ? bytes - k : 3;
		char pair[3] = "";

		for (size_t n = 0; n < 3; n++) {
			if (n < left)
				memcpy(pair, hexadecimal + 2 * (k + n), 2);
			group = group << 8 | (n < left ? (unsigned)strtoul(pair, NULL, 16) : 0);
		}
		for (size_t n = 0; n < 4; n++)
			*at++ = n <= left ? digits[group >> (18 - 6 * n) & 63] : '=';
	}
	put(to, key, json_object_new_string_len(text, (int)(at - text)));
	arena_free(&arena);
}

static void take_memory(struct dap *dap, json_object *request, json_object *answer)
{
	json_object *body;

	if (has_failed(dap, request, answer))
		return;
	body = object();
	put_text(body, "address", word(answer, "address"));
	put_base64(body, "data", word(answer, "bytes"));
	put_number(body, "unreadableBytes",
		number(arguments(request), "count") - (int64_t)strlen(word(answer, "bytes")) / 2);
	dap_respond(dap, request, body);
}

static void request_memory(struct dap *dap, json_object *request)
{
	json_object *from = object();

	put_text(from, "words", word(arguments(request), "memoryReference"));
	copy(from, "offset", arguments(request));
	copy(from, "count", arguments(request));
	dap_ask(dap, "json-memory", from, take_memory, json_object_get(request));
}

/* The first instruction that was asked for, which may lie before the code, and how many. */
static int64_t first_asked(json_object *request, int64_t *count)
{
	*count = number(arguments(request), "instructionCount");
	*count = *count < 0 ? 0 : *count > 4096 ? 4096 : *count;
	return pc_of(word(arguments(request), "memoryReference"), number(arguments(request), "offset")) +
	       number(arguments(request), "instructionOffset");
}

static json_object *make_instruction(json_object *from, int64_t pc)
{
	json_object *entry = object();

	put_address(entry, "address", pc);
	put_text(entry, "instruction", from ? word(from, "text") : "(no code)");
	if (from) {
		put_text(entry, "symbol", word(from, "name"));
		copy(entry, "line", from);
		put_source(entry, "location", from);
	} else {
		put_text(entry, "presentationHint", "invalid");
	}
	return entry;
}

static void take_code(struct dap *dap, json_object *request, json_object *answer)
{
	json_object *body, *list, *code = member(answer, "instructions");
	int64_t count, first = first_asked(request, &count), begins = first < 0 ? 0 : first;

	if (has_failed(dap, request, answer))
		return;
	body = object();
	list = json_object_new_array();
	for (int64_t pc = first; pc < first + count; pc++) {
		bool is_there = pc >= begins && pc - begins < (int64_t)length(code);

		json_object_array_add(list,
			make_instruction(is_there ? json_object_array_get_idx(code, (size_t)(pc - begins)) : NULL, pc));
	}
	put(body, "instructions", list);
	dap_respond(dap, request, body);
}

static void request_disassemble(struct dap *dap, json_object *request)
{
	json_object *from = object();
	int64_t count, first = first_asked(request, &count);
	int64_t end = first + count;

	put_number(from, "first", first < 0 ? 0 : first);
	put_number(from, "count", end < 0 ? 0 : first < 0 ? end : count);
	dap_ask(dap, "json-code", from, take_code, json_object_get(request));
}

/* ---- The table ---- */

static const struct request {
	const char *name;
	void (*carry_out)(struct dap *dap, json_object *request);
	bool needs_launch;
} requests[] = {
#define REQUEST(name, function, needs_launch) {#name, function, needs_launch},
#include "cli/dap_requests.def"
#undef REQUEST
};

void dap_request(struct dap *dap, json_object *request)
{
	const char *name = word(request, "command");
	const struct request *found = NULL;
	char why[128];

	for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
		if (!strcmp(requests[k].name, name))
			found = &requests[k];
	if (!found) {
		snprintf(why, sizeof why, "unknown request '%.60s'", name);
		dap_refuse(dap, request, why);
	} else if (found->needs_launch && !dap->has_begun) {
		snprintf(why, sizeof why, "%s needs a launch, which has not begun or has ended", name);
		dap_refuse(dap, request, why);
	} else {
		found->carry_out(dap, request);
	}
	json_object_put(request);
}
