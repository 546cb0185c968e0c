/* The options of `lockstep experiment`: the table and its reader, with the words of cli/options.c. */
#include "experiment/options.h"

#include "options/command_option.h"
#include "options/run_options.h"
#include "report/style.h"
#include "util/text.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_TASK_SECONDS 60.0

static const struct place command = {.file = "lockstep experiment"};

/* A value is given: true, or an error in `diagnostic`. */
typedef bool read_function(struct experiment_options *o, const char *value, struct diagnostic *diagnostic);

static bool read_size(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	for (int size = 0; size < SIZE_COUNT; size++)
		if (!strcmp(value, size_names[size])) {
			o->size = (enum size)size;
			return true;
		}
	return run_option_refuse("size", value, "small or paper", diagnostic);
}

static bool read_on(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	o->on_slurm = !strcmp(value, "slurm");
	return o->on_slurm || run_option_refuse("on", value, "slurm", diagnostic);
}

static bool read_task_seconds(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	return (text_to_f64(value, &o->task_seconds) && o->task_seconds > 0 && o->task_seconds <= 1e6) ||
	       run_option_refuse("task-seconds", value, "a number above 0, at most 10^6", diagnostic);
}

static bool read_sbatch(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	*vector_push(o->arena, &o->sbatch) = value;
	return value[0] == '-' || run_option_refuse("sbatch", value,
					  "an option of sbatch, such as --sbatch=--constraint=fast", diagnostic);
}

#define COMMAND struct experiment_options
static const struct option {
	const char *name, *value, *help; /* value "": it takes none */
	struct command_option own;
	read_function *read;
} table[] = {
	{"size", "small|paper", "minutes, or what the paper ran; default small", READ(size)},
	{"jobs", "N", "points at a time, also -j N; default: the processors; with --on: tasks of an array",
		COUNT(jobs, 1, 1024)},
	{"output", "FOLDER", "where results go; default lockstep-results/NAME-SIZE", WORD(output, "a folder")},
	{"seeds", "N", "the first N seeds of each set; default all", COUNT(seeds, 1, 1000000)},
	{"only", "SET", "the points of this set alone; may come several times", WORDS(only, NULL)},
	{"clang", "NAME|PATH", "compile the kernels with this, rather than take pinned PTX",
		WORD_AND_VARIABLE(clang, "LOCKSTEP_CLANG", "a program, by its name on PATH or its path")},
	{"on", "slurm", "run the points on the cluster whose sbatch is in PATH", READ(on)},
	{"partition", "NAME", "with --on: of the cluster", WORD(partition, NULL)},
	{"account", "NAME", "with --on: of the user there", WORD(account, NULL)},
	{"memory", "MIB", "with --on: of a task; default: by what earlier points took, else the cluster's",
		COUNT_OF(memory_mib, 1, 1u << 30, "MiB, a whole number from 1 to 2^30")},
	{"task-seconds", "S", "with --on: points are put together to tasks of about S seconds; default 60",
		READ(task_seconds)},
	{"sbatch", "OPTION", "with --on: one more option of sbatch; may come several times", READ(sbatch)},
	{"task", "FILE", "what jobs of --on are started with: the points of line SLURM_ARRAY_TASK_ID of FILE",
		WORD(task, NULL)},
	{"points", "", "print each point's command line and run nothing", SETS(points)},
	{"collect", "", "take the result files that are there and run nothing", SETS(collect)},
	{"strict", "", "exit status 1 when a claim is not met, or unsure, or its explanation is stale", SETS(strict)},
};
#define TABLE_COUNT (sizeof table / sizeof *table)

static void unknown_option(const char *word, struct diagnostic *diagnostic)
{
	const char *names[TABLE_COUNT + 1];
	for (size_t k = 0; k < TABLE_COUNT; k++)
		names[k] = table[k].name;
	names[TABLE_COUNT] = "help";
	const char *nearest = word[1] == '-' ? text_nearest(word + 2, names, TABLE_COUNT + 1) : NULL;
	if (nearest)
		diagnose(diagnostic, command, "unknown option '%s', did you mean '--%s'?", word, nearest);
	else
		diagnose(diagnostic, command,
			"unknown option '%s', expected one that `lockstep experiment --help` lists", word);
}

/* "--name", "--name value" or "--name=value"; *next is the next word, and moves on when it is the value. */
static void read_option(struct experiment_options *o, const char *word, char ***next, struct diagnostic *diagnostic)
{
	const char *equals = strchr(word, '='), *value = equals ? equals + 1 : **next;
	const char *name = equals ? arena_copy(o->arena, word + 2, (size_t)(equals - word - 2)) : word + 2;
	const struct option *row = table, *end = table + TABLE_COUNT;
	while (row < end && strcmp(row->name, name))
		row++;
	if (word[1] != '-' || row == end)
		unknown_option(equals && word[1] == '-' ? arena_printf(o->arena, "--%s", name) : word, diagnostic);
	else if (!*row->value && equals)
		diagnose(diagnostic, command, "--%s takes no value", name);
	else if (*row->value && !value)
		diagnose(diagnostic, command, "--%s: expected a value (%s)", name, row->value);
	if (diagnostic->failed)
		return;
	*next += *row->value && !equals;
	if (row->read)
		row->read(o, value, diagnostic);
	else
		command_option_read(&row->own, name, value, o, o->arena, diagnostic);
}

/* -j N or -jN */
static void read_j(struct experiment_options *o, const char *word, char ***next, struct diagnostic *diagnostic)
{
	if (!word[2] && !**next)
		diagnose(diagnostic, command, "-j: expected a value (N)");
	else
		read_option(o, word[2] ? arena_printf(o->arena, "--jobs=%s", word + 2) : "--jobs", next, diagnostic);
}

bool experiment_options_read(
	struct arena *arena, struct experiment_options *o, int count, char **words, struct diagnostic *diagnostic)
{
	char **next = words + 1, **end = words + count; /* *end is null, as for main */
	*o = (struct experiment_options){.arena = arena, .task_seconds = DEFAULT_TASK_SECONDS};
	while (next < end && !diagnostic->failed && !o->help) {
		const char *word = *next++;
		if (!strcmp(word, "--help") || !strcmp(word, "-h"))
			o->help = true;
		else if (word[0] == '-' && word[1] == 'j')
			read_j(o, word, &next, diagnostic);
		else if (word[0] == '-' && word[1])
			read_option(o, word, &next, diagnostic);
		else if (o->name)
			diagnose(diagnostic, command, "unexpected '%s', expected one experiment ('%s')", word, o->name);
		else
			o->name = word;
	}
	if (!o->name && !o->help)
		diagnose(diagnostic, command,
			"no experiment, expected list, a name that `lockstep experiment list` gives, or a folder");
	if (!o->on_slurm && (o->partition || o->account || o->memory_mib || o->sbatch.count))
		diagnose(diagnostic, command,
			"--partition, --account, --memory and --sbatch are for a cluster, expected --on slurm beside "
			"them");
	if (o->on_slurm && (o->points || o->collect || o->task))
		diagnose(diagnostic, command, "--on excludes --points, --collect and --task");
	if (o->points && o->collect)
		diagnose(diagnostic, command, "--points and --collect exclude each other");
	return !diagnostic->failed;
}

bool experiment_options_row(size_t k, const char **name, const char **value, const char **help)
{
	if (k >= TABLE_COUNT)
		return false;
	*name = table[k].name;
	*value = table[k].value;
	*help = table[k].help;
	return true;
}

void experiment_options_print(void)
{
	for (size_t k = 0; k < TABLE_COUNT; k++)
		style_say(stdout, "    --%-12s %-21s %s\n", table[k].name, table[k].value, table[k].help);
}
