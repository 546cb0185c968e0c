/* The `lockstep` command: finds the subcommand and runs it. */
#include "cli/cli.h"

#include "cli/signals.h"
#include "util/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct command commands[] = {
	{"run", "[options] [--] ./app [args]", "an unmodified OpenCL or CUDA program on the simulated GPU",
		command_run},
	{"kernel", "FILE.ptx|FILE.cl|FILE.cu [options]", "one kernel, no host program", command_kernel},
	{"lint", "FILE.ptx|FILE.cl|FILE.cu [options]", "spin loops that can block a warp, found before anything runs",
		command_lint},
	{"litmus", "FILE.litmus|FOLDER [options]", "litmus tests, judged by the memory model of PTX", command_litmus},
	{"compare", "A.json B.json [options]", "what differs between two reports, the largest change first",
		command_compare},
	{"report", "A.json [B.json ...] [-o PAGE.html]", "reports as one page for a browser; of several, what differs",
		command_report},
	{"gpus", "[NAME]", "the GPU models; NAME prints every field with unit and source", command_gpus},
	{"policies", "[KIND]", "what can be swapped, one line each", command_policies},
	{"experiment", "list|NAME [options]", "a paper's experiment: run, collected, judged, drawn",
		command_experiment},
	{"help", "[COMMAND]", "this list, or a command's options", command_help},
	{"version", "", "the version", command_version},
	{0},
};

int fail(const struct diagnostic *diagnostic)
{
	fprintf(stderr, "%s\n", diagnostic->message);
	return STATUS_USAGE;
}

int fail_line(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	putc('\n', stderr);
	return STATUS_USAGE;
}

bool print_all(const char *text, size_t length, struct diagnostic *diagnostic)
{
	errno = 0;
	if (fwrite(text, 1, length, stdout) == length && !fflush(stdout))
		return true;
	diagnose(diagnostic, (struct place){0}, "cannot write to standard output: %s", strerror(errno));
	return false;
}

void print_usage(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			printf("lockstep %s %s\n    %s\n", c->name, c->usage, c->summary);
}

static int unknown_command(const char *name)
{
	const char *names[sizeof commands / sizeof *commands];
	size_t count = 0;
	for (const struct command *c = commands; c->name; c++)
		names[count++] = c->name;
	const char *nearest = text_nearest(name, names, count);
	if (nearest)
		return fail_line("lockstep: unknown command '%s', did you mean '%s'?", name, nearest);
	return fail_line("lockstep: unknown command '%s', expected one that `lockstep help` lists", name);
}

/* What has been printed without asking how it went may still fail to leave the buffer. */
static int flush(int status)
{
	struct diagnostic diagnostic = {0};
	if (!ferror(stdout) && print_all("", 0, &diagnostic))
		return status;
	diagnose(&diagnostic, (struct place){0}, "cannot write to standard output");
	return status == STATUS_USAGE ? status : fail(&diagnostic);
}

int main(int count, char **words)
{
	/* Large enough for all lists, so that a failure to write is met in flush(), which knows its reason. */
	static char buffer[1 << 17];
	signals_ignore_limit();
	setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
	if (count < 2)
		return fail_line("lockstep: expected a command, one that `lockstep help` lists");
	if (wants_help(words[1]))
		return flush(command_help(1, words + 1));
	if (!strcmp(words[1], "--version"))
		return flush(command_version(1, words + 1));
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, words[1]))
			return flush(c->run(count - 1, words + 1));
	return unknown_command(words[1]);
}
