/* The options of `lockstep experiment`: the table and its reader, with the words of cli/options.c. */
#include "experiment/options.h"

#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_TASK_SECONDS 60.0

typedef void read_function(struct experiment_options *o, const char *value, struct diagnostic *diagnostic);

static const struct place command = {.file = "lockstep experiment"};

static void read_size(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	for (int size = 0; size < SIZE_COUNT; size++) {
		if (!strcmp(value, size_names[size])) {
			o->size = (enum size)size;
			return;
		}
	}
	diagnose(diagnostic, (struct place){0}, "--size %s: expected small or paper", value);
}

static void read_jobs(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	uint64_t number;
	if (!text_to_u64(value, &number) || number < 1 || number > 1024)
		diagnose(diagnostic, (struct place){0}, "--jobs %s: expected a whole number from 1 to 1024", value);
	else
		o->jobs = (uint32_t)number;
}

static void read_seeds(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	uint64_t number;
	if (!text_to_u64(value, &number) || number < 1 || number > 1000000)
		diagnose(diagnostic, (struct place){0}, "--seeds %s: expected a whole number from 1 to 1000000", value);
	else
		o->seeds = (uint32_t)number;
}

static void read_output(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	o->output = value;
	if (!*value)
		diagnose(diagnostic, (struct place){0}, "--output '': expected a folder");
}

static void read_only(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	(void)diagnostic;
	o->only.at[o->only.count++] = value;
}

static void read_on(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	if (strcmp(value, "slurm"))
		diagnose(diagnostic, (struct place){0}, "--on %s: expected slurm", value);
	o->on_slurm = true;
}

static void read_partition(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	(void)diagnostic;
	o->partition = value;
}

static void read_account(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	(void)diagnostic;
	o->account = value;
}

static void read_memory(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	if (!text_to_u64(value, &o->memory_mib) || o->memory_mib < 1 || o->memory_mib > 1u << 30)
		diagnose(diagnostic, (struct place){0}, "--memory %s: expected MiB, a whole number from 1 to 2^30",
			value);
}

static void read_task_seconds(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	if (!text_to_f64(value, &o->task_seconds) || !(o->task_seconds > 0) || o->task_seconds > 1e6)
		diagnose(diagnostic, (struct place){0}, "--task-seconds %s: expected a number above 0, at most 10^6",
			value);
}

static void read_sbatch(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	if (value[0] != '-')
		diagnose(diagnostic, (struct place){0},
			"--sbatch %s: expected an option of sbatch, such as --sbatch=--constraint=fast", value);
	o->sbatch.at[o->sbatch.count++] = value;
}

static void read_task(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	(void)diagnostic;
	o->task = value;
}

/* Points have the environment from here. */
static void read_clang(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	o->clang = value;
	if (!*value || setenv("LOCKSTEP_CLANG", value, 1))
		diagnose(diagnostic, (struct place){0},
			"--clang '': expected a program, by its name on PATH or its path");
}

static void set_points(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	(void)value;
	(void)diagnostic;
	o->points = true;
}

static void set_collect(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	(void)value;
	(void)diagnostic;
	o->collect = true;
}

static void set_strict(struct experiment_options *o, const char *value, struct diagnostic *diagnostic)
{
	(void)value;
	(void)diagnostic;
	o->strict = true;
}

static const struct option {
	const char *name, *value, *help; /* value null: it takes none */
	read_function *read;
} table[] = {
	{"size", "small|paper", "minutes, or what the paper ran; default small", read_size},
	{"jobs", "N", "points at a time, also -j N; default: the processors; with --on: tasks of an array", read_jobs},
	{"output", "FOLDER", "where results go; default lockstep-results/NAME-SIZE", read_output},
	{"seeds", "N", "the first N seeds of each set; default all", read_seeds},
	{"only", "SET", "the points of this set alone; may come several times", read_only},
	{"clang", "NAME|PATH", "compile the kernels with this, rather than take pinned PTX", read_clang},
	{"on", "slurm", "run the points on the cluster whose sbatch is in PATH", read_on},
	{"partition", "NAME", "with --on: of the cluster", read_partition},
	{"account", "NAME", "with --on: of the user there", read_account},
	{"memory", "MIB", "with --on: of a task; default: by what earlier points took, else the cluster's",
		read_memory},
	{"task-seconds", "S", "with --on: points are put together to tasks of about S seconds; default 60",
		read_task_seconds},
	{"sbatch", "OPTION", "with --on: one more option of sbatch; may come several times", read_sbatch},
	{"task", "FILE", "what jobs of --on are started with: the points of line SLURM_ARRAY_TASK_ID of FILE",
		read_task},
	{"points", NULL, "print each point's command line and run nothing", set_points},
	{"collect", NULL, "take the result files that are there and run nothing", set_collect},
	{"strict", NULL, "exit status 1 when a claim is not met, or unsure, or its explanation is stale", set_strict},
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

/* "--name", "--name value" or "--name=value"; *next is the word behind, and moves on when it is the value. */
static void read_option(struct arena *arena, struct experiment_options *o, const char *word, char ***next,
	struct diagnostic *diagnostic)
{
	const char *equals = strchr(word, '='), *value = equals ? equals + 1 : **next;
	const char *name = equals ? arena_copy(arena, word + 2, (size_t)(equals - word - 2)) : word + 2;
	const struct option *row = table, *end = table + TABLE_COUNT;
	while (row < end && strcmp(row->name, name))
		row++;
	if (word[1] != '-' || row == end)
		unknown_option(equals && word[1] == '-' ? arena_printf(arena, "--%s", name) : word, diagnostic);
	else if (!row->value && equals)
		diagnose(diagnostic, command, "--%s takes no value", name);
	else if (row->value && !value)
		diagnose(diagnostic, command, "--%s: expected a value (%s)", name, row->value);
	if (diagnostic->failed)
		return;
	*next += row->value && !equals;
	row->read(o, row->value ? value : NULL, diagnostic);
}

/* -j N or -jN */
static void read_j(struct experiment_options *o, const char *word, char ***next, struct diagnostic *diagnostic)
{
	const char *value = word[2] ? word + 2 : **next;
	if (!value) {
		diagnose(diagnostic, command, "-j: expected a value (N)");
		return;
	}
	*next += !word[2];
	read_jobs(o, value, diagnostic);
}

bool experiment_options_read(
	struct arena *arena, struct experiment_options *o, int count, char **words, struct diagnostic *diagnostic)
{
	char **next = words + 1, **end = words + count; /* *end is null, as for main */
	*o = (struct experiment_options){.task_seconds = DEFAULT_TASK_SECONDS};
	/* as many as there are words: their readers have no arena */
	o->only.at = arena_new_array(arena, const char *, (size_t)count + 1);
	o->sbatch.at = arena_new_array(arena, const char *, (size_t)count + 1);
	while (next < end && !diagnostic->failed && !o->help) {
		const char *word = *next++;
		if (!strcmp(word, "--help") || !strcmp(word, "-h"))
			o->help = true;
		else if (word[0] == '-' && word[1] == 'j')
			read_j(o, word, &next, diagnostic);
		else if (word[0] == '-' && word[1])
			read_option(arena, o, word, &next, diagnostic);
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
	*value = table[k].value ? table[k].value : "";
	*help = table[k].help;
	return true;
}

void experiment_options_print(void)
{
	const char *name, *value, *help;
	for (size_t k = 0; experiment_options_row(k, &name, &value, &help); k++)
		printf("    --%-12s %-21s %s\n", name, value, help);
}
