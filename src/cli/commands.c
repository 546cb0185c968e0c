/* The table of the commands; what `lockstep help` says of them, and --help of each. */

#include "cli/options.h"

#include <stdio.h>
#include <string.h>

const struct command commands[] = {
	{"run", "[options] [--] ./app [args]", "run an unmodified OpenCL or CUDA program on the simulated GPU",
		{"run ./app", "run --gpu v100 --check races --profile ./app --size 1000"}, command_run, OPTIONS_RUN,
		NULL},
	{"kernel", "FILE.ptx|FILE.cl|FILE.cu [options]", "run one kernel, without a host program",
		{"kernel add.cu --grid 4 --block 64 --arg buf:a:f32:256:iota --dump a",
			"kernel lock.ptx --block 32 --arg buf:lock:u32:1:zero --divergence stack"},
		command_kernel, OPTIONS_KERNEL, NULL},
	{"debug", "[options] kernel FILE|run ./app [options]", "step through kernels, forwards and backwards",
		{"debug kernel lock.ptx --block 32 --arg buf:lock:u32:1:zero", "debug --script lesson.txt run ./app"},
		command_debug, OPTIONS_DEBUG, NULL},
	{"lint", "FILE.ptx|FILE.cl|FILE.cu [options]", "find spin loops that can block a warp, and run nothing",
		{"lint lock.cu", "lint --findings lint.sarif lock.cu"}, command_lint, OPTIONS_LINT, NULL},
	{"litmus", "FILE.litmus|FOLDER [options]", "play litmus tests and judge them by the memory model of PTX",
		{"litmus mp.litmus", "litmus tests --gpu h200 --runs 100000 --report json"}, command_litmus,
		OPTIONS_LITMUS, NULL},
	{"compare", "A.json B.json [options]", "show what differs between two reports, the largest change first",
		{"compare before.json after.json", "compare --counters 0 --report json before.json after.json"},
		command_compare, OPTIONS_COMPARE, NULL},
	{"report", "A.json [B.json ...] [-o PAGE.html]",
		"show reports as one page for a browser, and how several differ",
		{"report run.json -o run.html", "report before.json after.json -o both.html"}, command_report,
		OPTIONS_REPORT, NULL},
	{"sweep", "--vary KEY=V,V ... -- kernel|run ...",
		"run a command for each combination of values: a table, CSV and a picture",
		{"sweep --vary scheduler=lrr,gto --vary grid=16,32 -- kernel add.cu",
			"sweep --vary dram.channels=3,6 --value cycles --jobs 4 -- run ./app"},
		command_sweep, OPTIONS_SWEEP, NULL},
	{"fit", "MODEL CARD.csv [options]", "compare a GPU model with measurements of a card, and propose values",
		{"fit rtx4090 card.csv", "fit mine.cfg card.csv --output fitted"}, command_fit, OPTIONS_FIT, NULL},
	{"gpus", "[NAME [--peaks|--inherited]]",
		"list the GPU models; of one its fields with sources, its peaks, or what it inherits",
		{"gpus", "gpus v100 --peaks"}, NULL, 0, command_gpus},
	{"policies", "[KIND] [--plugin FILE.so]", "list the policies that can be swapped",
		{"policies scheduler", "policies --plugin ./mine.so"}, NULL, 0, command_policies},
	{"cache", "[--clear]", "show or empty the cache of compiled kernels", {"cache", "cache --clear"}, NULL, 0,
		command_cache},
	{"experiment", "list|NAME [options]", "run the experiment of a paper, and judge its claims",
		{"experiment list", "experiment bows --only fermi --jobs 2"}, NULL, 0, command_experiment},
	{"help", "[COMMAND]", "list the commands, or the options of one", {"help", "help kernel"}, NULL, 0,
		command_help},
	{"version", "", "print the version", {"version"}, NULL, 0, command_version},
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
			style_say(stdout, "lockstep %s %s\n    %s\n\nExamples\n    lockstep %s\n%s%s%s", c->name,
				c->usage, c->summary, c->examples[0], c->examples[1] ? "    lockstep " : "",
				c->examples[1] ? c->examples[1] : "", c->examples[1] ? "\n" : "");
}

int command_call(const struct command *command, int count, char **words)
{
	return command->run ? options_run((enum options_user)command->options, command->run, count, words)
			    : command->run_words(count, words);
}

const char help_summary[] = "Lockstep runs GPU programs on a simulated GPU, cycle by cycle.";
const char help_status[] = "Exit status: 0 completed, 2 usage or unreadable input, 3 hang, 4 fault of the kernel, "
			   "5 --max-cycles reached. `run` exits as the program does. `experiment` and `sweep` exit "
			   "with 1 if a point has no result, `litmus` if a forbidden outcome was seen. "
			   "Results go to standard output, everything else to standard error.";

static const char pages[] = "docs/README.md lists the pages by question. In an installed copy, docs/ is in "
			    "share/doc/lockstep, and the files that pages run are in share/lockstep.";

/* On a terminal in its width, else as on one of 80 columns. */
static void print_paragraph(const char *words)
{
	struct arena arena = {0};
	struct text out = {.arena = &arena};
	style_paragraph(&out, &(struct report_style){.width = style_help_width()}, COLOUR_HEAD, "", words, 0);
	printf("\n%s", out.at);
	arena_free(&arena);
}

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
	style_say(stdout, "%s\n\n", help_summary);
	for (const struct command *c = commands; c->name; c++)
		style_say(stdout, "    lockstep %s%s%s\n        %s\n", c->name, *c->usage ? " " : "", c->usage,
			c->summary);
	print_paragraph(help_status);
	print_paragraph(pages);
	return STATUS_COMPLETED;
}
