/* `lockstep debug`: where the debugger's commands come from, and where its answers go.
 *
 * On a terminal libedit reads lines, with history and completion; from a pipe they are read as they come; of a script
 * each is printed before its answer, so that the whole reads as a lesson. */
#include "cli/debug.h"

#include "cli/dap.h"
#include "cli/options.h"
#include "cli/signals.h"

#include <editline/readline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROMPT "(lockstep) "

static struct {
	FILE *lines;    /* null: libedit reads the terminal */
	FILE *out;      /* standard output, which under `lockstep debug run` is the program's: then standard error */
	bool is_script; /* each line is printed */
	bool has_quit;
	char *line; /* the last one */
	size_t room;
	struct lockstep_debug front;
} debug;

const struct lockstep_debug *debug_front(void)
{
	return debug.front.command ? &debug.front : NULL;
}

bool debug_has_quit(void)
{
	return debug.has_quit;
}

bool debug_reads_pipe(void)
{
	return debug.lines == stdin;
}

void debug_use(const struct lockstep_debug *front)
{
	debug.front = *front;
}

void debug_quit(void)
{
	debug.has_quit = true;
}

/* ---- Lines ---- */

static char *complete(const char *begun, int state)
{
	static size_t k;

	if (!state)
		k = 0;
	for (const char *name; (name = lockstep_debug_command(k));) {
		k++;
		if (!strncmp(name, begun, strlen(begun)))
			return strdup(name);
	}
	return NULL;
}

/* Of the first word alone; what follows is no file either. */
static char **complete_line(const char *begun, int start, int end)
{
	(void)end;
	rl_attempted_completion_over = 1;
	return start ? NULL : rl_completion_matches(begun, complete);
}

static const char *read_terminal(void)
{
	free(debug.line);
	do {
		signals_caught = 0;
		debug.line = readline(PROMPT);
	} while (!debug.line && signals_caught == SIGINT); /* Ctrl-C at the prompt is no wish to end */
	signals_caught = 0;
	if (debug.line && *debug.line)
		add_history(debug.line);
	return debug.line;
}

static const char *read_line(void)
{
	ssize_t length = getline(&debug.line, &debug.room, debug.lines);

	if (length < 0)
		return NULL;
	while (length && (debug.line[length - 1] == '\n' || debug.line[length - 1] == '\r'))
		debug.line[--length] = 0;
	if (debug.is_script)
		fprintf(debug.out, *debug.line == '#' || !*debug.line ? "%s\n" : PROMPT "%s\n", debug.line);
	return debug.line;
}

/* An empty line of a script is one of the text, and repeats nothing. */
static const char *command(void *context)
{
	const char *line;

	(void)context;
	fflush(debug.out);
	line = debug.lines ? read_line() : read_terminal();
	if (line && debug.is_script && !*line)
		line = "#";
	debug.has_quit = line && (!strcmp(line, "quit") || !strcmp(line, "q"));
	return line;
}

static void reply(void *context, const char *text, size_t length)
{
	const struct options *o = context;
	struct arena arena = {0};
	struct text whole = {.arena = &arena, .at = arena_copy(&arena, text, length), .length = length};
	struct text shorter = options_shorten(o, &whole);

	fwrite(shorter.at, 1, shorter.length, debug.out);
	arena_free(&arena);
}

static bool interrupted(void *context)
{
	bool is = signals_caught == SIGINT;

	(void)context;
	if (is)
		signals_caught = 0;
	return is;
}

/* ---- The command ---- */

static bool open_lines(const struct options *o, struct diagnostic *diagnostic)
{
	debug.is_script = o->debug.script;
	if (o->debug.script && !(debug.lines = fopen(o->debug.script, "re")))
		return diagnose(diagnostic, (struct place){.file = o->debug.script},
			"cannot be read, expected a file with commands");
	if (!debug.lines && !isatty(STDIN_FILENO))
		debug.lines = stdin;
	if (!debug.lines) {
		rl_readline_name = (char *)"lockstep";
		rl_attempted_completion_function = complete_line;
		rl_outstream = debug.out;
	}
	return true;
}

int command_debug(struct options *o, struct diagnostic *diagnostic)
{
	struct place place = {.file = o->command};
	int count = 0, status;
	bool runs;

	while (o->program && o->program[count])
		count++;
	runs = count && !strcmp(o->program[0], "run");
	debug.out = runs ? stderr : stdout;
	if (!count && !o->debug.dap)
		diagnose(diagnostic, place, "no command, expected kernel FILE or run ./app");
	else if (count && o->debug.dap && runs)
		diagnose(diagnostic, place, "--dap is for kernels, expected kernel FILE");
	else if (count && !runs && strcmp(o->program[0], "kernel") != 0)
		diagnose(diagnostic, place, "unexpected '%s', expected kernel FILE or run ./app", o->program[0]);
	if (o->debug.dap && o->debug.script)
		diagnose(diagnostic, place, "--script and --dap, expected one of them");
	if (!diagnostic->failed && o->debug.dap)
		return dap_serve(o, count, diagnostic);
	if (diagnostic->failed || !open_lines(o, diagnostic))
		return fail(diagnostic);
	debug.front = (struct lockstep_debug){.command = command,
		.reply = reply,
		.interrupted = interrupted,
		.context = o,
		.snapshot_bytes = (uint64_t)o->debug.megabytes << 20};
	status = runs ? options_run(OPTIONS_RUN, command_run, count, o->program)
		      : options_run(OPTIONS_KERNEL, command_kernel, count, o->program);
	if (debug.lines && debug.lines != stdin)
		fclose(debug.lines);
	free(debug.line);
	return status;
}
