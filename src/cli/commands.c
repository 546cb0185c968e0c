/* The table of the commands, and the usage line of each. */
#include "cli/cli.h"

#include "options/run_options.h"
#include "util/text.h"

#include <stdio.h>
#include <string.h>

const struct command commands[] = {
	{"run", "[options] [--] ./app [args]", "an unmodified OpenCL or CUDA program on the simulated GPU", command_run,
		OPTIONS_RUN},
	{"kernel", "FILE.ptx|FILE.cl|FILE.cu [options]", "one kernel, no host program", command_kernel, OPTIONS_KERNEL},
	{"lint", "FILE.ptx|FILE.cl|FILE.cu [options]", "spin loops that can block a warp, found before anything runs",
		command_lint, OPTIONS_LINT},
	{"litmus", "FILE.litmus|FOLDER [options]", "litmus tests, judged by the memory model of PTX", command_litmus,
		OPTIONS_LITMUS},
	{"compare", "A.json B.json [options]", "what differs between two reports, the largest change first",
		command_compare, OPTIONS_COMPARE},
	{"report", "A.json [B.json ...] [-o PAGE.html]", "reports as one page for a browser; of several, what differs",
		command_report, OPTIONS_REPORT},
	{"sweep", "--vary KEY=V,V ... -- kernel|run ...",
		"a command run for each combination of values: table, CSV, picture", command_sweep, OPTIONS_SWEEP},
	{"gpus", "[NAME]", "the GPU models; NAME prints every field with unit and source", command_gpus, 0},
	{"policies", "[KIND] [--plugin FILE.so]", "what can be swapped, one line each", command_policies, 0},
	{"cache", "[--clear]", "the cache of compiled kernels; --clear empties it", command_cache, 0},
	{"experiment", "list|NAME [options]", "a paper's experiment: run, collected, judged, drawn", command_experiment,
		0},
	{"help", "[COMMAND]", "this list, or a command's options", command_help, 0},
	{"version", "", "the version", command_version, 0},
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
