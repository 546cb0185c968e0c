/* The table of the commands; what `lockstep help` says of them, and --help of each. */

#include "cli/options.h"

#include <stdio.h>
#include <string.h>

const struct command commands[] = {
	{"run", "[options] [--] ./app [args]", "an unmodified OpenCL or CUDA program on the simulated GPU", command_run,
		OPTIONS_RUN, NULL},
	{"kernel", "FILE.ptx|FILE.cl|FILE.cu [options]", "one kernel, no host program", command_kernel, OPTIONS_KERNEL,
		NULL},
	{"lint", "FILE.ptx|FILE.cl|FILE.cu [options]", "spin loops that can block a warp, found before anything runs",
		command_lint, OPTIONS_LINT, NULL},
	{"litmus", "FILE.litmus|FOLDER [options]", "litmus tests, judged by the memory model of PTX", command_litmus,
		OPTIONS_LITMUS, NULL},
	{"compare", "A.json B.json [options]", "what differs between two reports, the largest change first",
		command_compare, OPTIONS_COMPARE, NULL},
	{"report", "A.json [B.json ...] [-o PAGE.html]", "reports as one page for a browser; of several, what differs",
		command_report, OPTIONS_REPORT, NULL},
	{"sweep", "--vary KEY=V,V ... -- kernel|run ...",
		"a command run for each combination of values: table, CSV, picture", command_sweep, OPTIONS_SWEEP,
		NULL},
	{"gpus", "[NAME]", "the GPU models; NAME prints every field with unit and source", NULL, 0, command_gpus},
	{"policies", "[KIND] [--plugin FILE.so]", "what can be swapped, one line each", NULL, 0, command_policies},
	{"cache", "[--clear]", "the cache of compiled kernels; --clear empties it", NULL, 0, command_cache},
	{"experiment", "list|NAME [options]", "a paper's experiment: run, collected, judged, drawn", NULL, 0,
		command_experiment},
	{"help", "[COMMAND]", "this list, or a command's options", NULL, 0, command_help},
	{"version", "", "the version", NULL, 0, command_version},
	{0},
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands - 1)

static const char *const *names(void)
{
	static const char *all[COMMAND_COUNT];
	for (size_t k = 0; k < COMMAND_COUNT; k++)
		all[k] = commands[k].name;
	return all;
}

const char *nearest_command(const char *name)
{
	return text_nearest(name, names(), COMMAND_COUNT);
}

int unknown_command(const char *where, const char *name)
{
	struct diagnostic diagnostic = {0};
	text_refuse_unknown(&diagnostic, (struct place){.file = where}, "command", name, names(), COMMAND_COUNT,
		"one that `lockstep help` lists");
	return fail(&diagnostic);
}

void print_usage(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			printf("lockstep %s %s\n    %s\n", c->name, c->usage, c->summary);
}

int command_call(const struct command *command, int count, char **words)
{
	return command->run ? options_run((enum options_user)command->options, command->run, count, words)
			    : command->run_words(count, words);
}

const char help_summary[] = "Lockstep runs GPU programs on a simulated GPU, cycle by cycle.";
const char help_status[] =
	"Exit status: 0 completed, 2 usage or unreadable input, 3 hang, 4 fault of the kernel, 5 --max-cycles "
	"reached.\n`run` ends as the program does, `experiment` and `sweep` with 1 when a point has no result, "
	"`litmus` with 1\nwhen a forbidden outcome was seen.\n"
	"Results go to standard output, all else to standard error.\n";

static const char pages[] =
	"Pages by question: docs/README.md. An installed copy has docs/ in share/doc/lockstep, and what they run in "
	"share/lockstep.\n";

int command_help(int count, char **words)
{
	if (count > 2)
		return fail_line("lockstep help: unexpected '%s', expected one command", words[2]);
	if (count == 2) {
		char help[] = "--help", *asked[] = {words[1], help, NULL};
		for (const struct command *c = commands; c->name; c++)
			if (!strcmp(c->name, words[1]))
				return command_call(c, 2, asked);
		return unknown_command("lockstep help", words[1]);
	}
	printf("%s\n\n", help_summary);
	for (const struct command *c = commands; c->name; c++) {
		int width = printf("    lockstep %s %s", c->name, c->usage);
		printf("%*s%s\n", width < 52 ? 54 - width : 2, "", c->summary);
	}
	printf("\n%s\n%s", help_status, pages);
	return STATUS_COMPLETED;
}
