/* The options of `lockstep kernel`, `run`, `lint`, `litmus`, `compare`, `report`, `sweep` and `fit`: the table and its
 * reader.
 */
#include "cli/options.h"

#include "cli/session.h"
#include "options/command_option.h"
#include "report/profile.h"
#include "util/json_file.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A value is given: true, or an error in `diagnostic`. */
typedef bool read_function(struct options *o, const char *value, struct diagnostic *diagnostic);

static bool read_report(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	bool of_tests = o->user == OPTIONS_LITMUS || o->user == OPTIONS_FIT; /* which are not in every form */
	o->report.reporter = reporter_find(value);
	if (o->report.reporter && (!of_tests || o->report.reporter->litmus))
		return true;
	return run_option_refuse("report", value, reporter_names(o->arena, of_tests), diagnostic);
}

/* A file that cannot be written is refused before anything runs for it. */
static bool has_folder(const char *file, struct diagnostic *diagnostic)
{
	const char *slash = strrchr(file, '/');
	char folder[PATH_MAX];
	if (!slash || snprintf(folder, sizeof folder, "%.*s/.", (int)(slash - file), file) >= (int)sizeof folder)
		return true;
	if (!access(folder, F_OK))
		return true;
	return diagnose(diagnostic, (struct place){.file = file}, "cannot write: %s", strerror(errno));
}

static bool read_output(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	o->report.output = value;
	return *value ? has_folder(value, diagnostic) : run_option_refuse("output", value, "a file", diagnostic);
}

/* "WHAT" or "WHAT:NUMBER", which is a core or a work-group. */
static bool is_show_of(const char *value, const char *what, uint32_t *number)
{
	size_t length = strlen(what);
	uint64_t given = 0;
	bool good = !strncmp(value, what, length) &&
		    (!value[length] ||
			    (value[length] == ':' && text_to_u64(value + length + 1, &given) && given <= UINT32_MAX));

	*number = (uint32_t)given;
	return good;
}

/* That, "stack" or "stack:GROUP:WARP". */
static bool read_show(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	const char *colon = strrchr(value, ':');
	uint64_t group = 0, warp = 0;
	bool good = !strcmp(value, "stack");
	if (is_show_of(value, "lock-bits", &o->shown_core)) {
		o->run.setup.show_lock_bits = &o->shown_core;
		return true;
	}
	if (is_show_of(value, "mbarrier", &o->shown_group)) {
		o->run.setup.show_mbarriers = &o->shown_group;
		return true;
	}
	if (is_show_of(value, "barrier", &o->shown_barriers_of)) {
		o->run.setup.show_barriers = &o->shown_barriers_of;
		return true;
	}
	if (!strncmp(value, "stack:", 6) && colon >= value + 6)
		good = text_to_u64(arena_copy(o->arena, value + 6, (size_t)(colon - value - 6)), &group) &&
		       text_to_u64(colon + 1, &warp) && group <= UINT32_MAX && warp <= UINT32_MAX;
	o->shown = (struct lockstep_warp){.group = (uint32_t)group, .warp = (uint32_t)warp};
	o->run.setup.show = &o->shown;
	return good ||
	       run_option_refuse("show", value,
		       "stack, stack:GROUP:WARP, lock-bits, lock-bits:CORE, mbarrier, mbarrier:GROUP, barrier, or "
		       "barrier:GROUP, with numbers from 0",
		       diagnostic);
}

/* Null: no file was given. */
static bool read_profile(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	o->run.setup.profile = LOCKSTEP_PROFILE;
	if (!value)
		return true;
	o->report.profile = value;
	return profile_form_of(value) ||
	       run_option_refuse("profile", value, "a file that is called " PROFILE_NAMES, diagnostic);
}

/* "-DNAME", in quotes that the compiler's options have (compile/options.c). */
static bool read_definition(struct options *o, char letter, const char *value)
{
	o->definitions.arena = o->arena;
	text_print(&o->definitions, "\"-%c", letter);
	for (; *value; value++)
		text_print(&o->definitions, strchr("\"\\", *value) ? "\\%c" : "%c", *value);
	text_print(&o->definitions, "\" ");
	return true;
}

static bool read_define(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	return *value ? read_definition(o, 'D', value)
		      : run_option_refuse("define", value, "NAME or NAME=VALUE", diagnostic);
}

static bool read_debug_info(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	(void)value;
	(void)diagnostic;
	o->definitions.arena = o->arena;
	text_print(&o->definitions, "--debug-info ");
	return true;
}

static bool read_include(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	return *value ? read_definition(o, 'I', value) : run_option_refuse("include", value, "a folder", diagnostic);
}

static bool read_cluster(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	return grid_read("--cluster", value, o->cluster, diagnostic);
}

static bool read_grid(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	return grid_read("--grid", value, o->grid, diagnostic);
}

static bool read_block(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	o->has_block = true;
	return grid_read("--block", value, o->block, diagnostic);
}

static bool read_arg(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	return argument_read(o->arena, value, vector_push(o->arena, &o->arguments), diagnostic);
}

static bool read_dump(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	return dump_read(o->arena, value, vector_push(o->arena, &o->dumps), diagnostic);
}

static bool read_vary(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	return sweep_add_axis(&o->sweep, value, diagnostic);
}

/* What a search has found for the first launch in a report that it has a schedule of; null: nothing. */
static json_object *progress_in(json_object *report)
{
	json_object *launches = NULL, *progress, *schedule;
	size_t count = json_object_object_get_ex(report, "launches", &launches) &&
				       json_object_is_type(launches, json_type_array)
			       ? json_object_array_length(launches)
			       : 0;

	for (size_t k = 0; k < count; k++)
		if (json_object_object_get_ex(json_object_array_get_idx(launches, k), "progress", &progress) &&
			json_object_object_get_ex(progress, "schedule", &schedule) &&
			json_object_is_type(schedule, json_type_string))
			return progress;
	return NULL;
}

/* The launch of a program whose schedule it is, where --launch does not say it. */
static void read_replayed_launch(struct options *o, json_object *progress)
{
	json_object *launch;
	if (o->user == OPTIONS_RUN && !o->run.words.launch && json_object_object_get_ex(progress, "launch", &launch))
		run_option_read(&run_options[RUN_OPTION_launch], arena_text(o->arena, json_object_get_string(launch)),
			&o->run, o->arena, &(struct diagnostic){0});
}

static bool read_replay(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	json_object *report = json_file_read(o->arena, value, "a report of --schedules", diagnostic), *progress,
		    *schedule;

	if (!report)
		return false;
	progress = progress_in(report);
	if (progress && json_object_object_get_ex(progress, "schedule", &schedule)) {
		o->replayed = arena_text(o->arena, json_object_get_string(schedule));
		read_replayed_launch(o, progress);
	}
	json_object_put(report);
	if (!o->replayed)
		diagnose(diagnostic, (struct place){.file = value},
			"no schedule in launches[].progress, expected the JSON report of --schedules on a kernel that "
			"may hang "
			"or fault");
	return o->replayed;
}

static bool read_litmus_gpu(struct options *o, const char *value, struct diagnostic *diagnostic)
{
	return run_option_read(&run_options[RUN_OPTION_gpu], value, &o->run, o->arena, diagnostic);
}

/* A GPU with the memory model of PTX 6.0 and later; and runs that take about a second. */
#define LITMUS_GPU "v100"
#define LITMUS_RUNS 16384
#define COUNTERS_SHOWN 20 /* fit a screen, with what is around them */

#define COMMAND struct options
static const struct option {
	const char *name, *value, *help; /* name null: a topic, and help its title */
	int users;
	const struct run_option *run; /* of how a kernel is run; null: the command's own */
	struct command_option own;
	read_function *read;
} table[] = {
#define RUN_OPTION(part, field, flag, value, type, variable, reported, users, help)                                    \
	{flag, value, help, users, &run_options[RUN_OPTION_##field], {0}, NULL},
#define COMMAND_OPTION(flag, value, row, users, help) {flag, value, help, users, NULL, row},
#define OPTION_TOPIC(title) {.help = title},
#include "options/run_options.def"
};
#define TABLE_COUNT (sizeof table / sizeof *table)

/* ---- Shorthands: --KIND NAME is --set policy.KIND=NAME ---- */

static const char *const policy_kinds[] = {
#define POLICY_KIND(kind, ...) #kind,
#include "policy/kinds.def"
#undef POLICY_KIND
};
#define KIND_COUNT (sizeof policy_kinds / sizeof *policy_kinds)

static bool is_policy_kind(const char *kind)
{
	for (size_t k = 0; k < KIND_COUNT; k++)
		if (!strcmp(policy_kinds[k], kind))
			return true;
	return false;
}

void options_check_kind(const char *kind, struct place place, struct arena *arena, struct diagnostic *diagnostic)
{
	if (!is_policy_kind(kind))
		text_refuse_unknown(diagnostic, place, "kind", kind, policy_kinds, KIND_COUNT,
			text_alternatives(arena, policy_kinds, KIND_COUNT));
}

/* Plug-ins may bring policies of their own, so with one the name is left for the GPU to judge. */
static bool check_policy(const struct options *o, const char *kind, const char *name, struct diagnostic *diagnostic)
{
	VECTOR(const char *) names = {0};
	struct lockstep_policy policy;
	for (size_t k = 0; lockstep_policy(k, &policy); k++) {
		if (strcmp(policy.kind, kind))
			continue;
		if (!strcmp(policy.name, name) || o->run.setup.plugins)
			return true;
		*vector_push(o->arena, &names) = policy.name;
	}
	text_refuse_unknown(diagnostic, (struct place){0}, kind, name, names.at, names.count,
		arena_printf(o->arena, "one that `lockstep policies %s` lists", kind));
	return false;
}

/* After the last word, when all plug-ins are known. */
static bool check_policies(const struct options *o, struct diagnostic *diagnostic)
{
	const char *const *settings = run_option_list(&run_options[RUN_OPTION_settings], &o->run);
	for (; *settings; settings++) {
		const char *setting = *settings, *equals = strchr(setting, '=');
		if (strncmp(setting, "policy.", 7))
			continue;
		const char *kind = arena_copy(o->arena, setting + 7, (size_t)(equals - setting - 7));
		if (is_policy_kind(kind) && !check_policy(o, kind, equals + 1, diagnostic))
			return false;
	}
	return true;
}

/* After the last word, too: errors in words come first. */
static bool read_suppressions(struct options *o, struct diagnostic *diagnostic)
{
	const char *const *path = run_option_list(&run_options[RUN_OPTION_suppressions], &o->run);
	while (*path && suppressions_read(&o->report.suppressions, o->arena, *path, diagnostic))
		path++;
	return !diagnostic->failed;
}

/* ---- Words ---- */

#define TAKES_POLICIES (OPTIONS_KERNEL | OPTIONS_RUN | OPTIONS_LITMUS) /* they run something themselves */
#define TAKES_WORDS (OPTIONS_RUN | OPTIONS_SWEEP | OPTIONS_DEBUG)      /* the rest are words of another command */
#define TAKES_TWO_FILES (OPTIONS_COMPARE | OPTIONS_FIT)

/* Short options, and the long ones that they stand for. */
static const struct {
	char letter;
	int users;
	bool may_join; /* its value may follow at once: -DNAME */
	const char *name;
} shorts[] = {
	{'j', OPTIONS_LITMUS | OPTIONS_SWEEP | OPTIONS_FIT | OPTIONS_BOTH, false, "jobs"},
	{'o', OPTIONS_REPORT | OPTIONS_SWEEP | OPTIONS_FIT, false, "output"},
	{'D', OPTIONS_COMPILING, true, "define"},
	{'I', OPTIONS_COMPILING, true, "include"},
};

static bool unknown_option(const struct options *o, const char *word, struct diagnostic *diagnostic)
{
	const char *names[TABLE_COUNT + KIND_COUNT + 1];
	size_t count = 0;
	for (size_t k = 0; k < TABLE_COUNT; k++)
		if (table[k].users & (int)o->user)
			names[count++] = table[k].name;
	for (size_t k = 0; k < KIND_COUNT; k++)
		if ((int)o->user & TAKES_POLICIES)
			names[count++] = policy_kinds[k];
	names[count++] = "help";
	const char *nearest = strlen(word) > 2 ? text_nearest(word + 1 + (word[1] == '-'), names, count) : NULL;
	struct place place = {.file = o->command};
	if (nearest)
		diagnose(diagnostic, place, "unknown option '%s', did you mean '--%s'?", word, nearest);
	else
		diagnose(diagnostic, place, "unknown option '%s', expected one that `%s --help` lists", word,
			o->command);
	return false;
}

static const char *files_expected(const struct options *o)
{
	return o->user == OPTIONS_LITMUS    ? "FILE.litmus or a folder with such"
	       : o->user == OPTIONS_COMPARE ? "two reports that --report json has written"
	       : o->user == OPTIONS_FIT     ? "a GPU model and a table that workloads/silicon has written"
	       : o->user == OPTIONS_REPORT  ? "reports that --report json has written"
					    : "FILE.ptx, FILE.cl or FILE.cu";
}

static void read_file_word(struct options *o, const char *word, struct diagnostic *diagnostic)
{
	struct place place = {.file = o->command};
	const char **file = (int)o->user & TAKES_TWO_FILES && o->file ? &o->second_file : &o->file;
	if (o->user == OPTIONS_REPORT)
		*vector_push(o->arena, &o->files) = word;
	else if (o->second_file)
		diagnose(diagnostic, place, "unexpected '%s', expected two files ('%s' and '%s')", word, o->file,
			o->second_file);
	else if (*file)
		diagnose(diagnostic, place, "unexpected '%s', expected one file ('%s')", word, o->file);
	if (!*word)
		diagnose(diagnostic, place, "'' is no file, expected %s", files_expected(o));
	*file = word;
}

/* Whether the word after --profile is its value.  It may be the program instead, or the kernel. */
static bool is_profile_file(const struct options *o, const char *word)
{
	if (!word || *word == '-')
		return false;
	if (profile_form_of(word))
		return true;
	return o->user == OPTIONS_KERNEL && (o->file || !is_kernel_file(word));
}

/* "--name value" or "--name=value"; *next is the word after it, and moves on when that is the value. */
static bool read_option(struct options *o, const char *word, char ***next, struct diagnostic *diagnostic)
{
	const char *equals = strchr(word, '='), *start = word + 2;
	if (word[1] != '-')
		return unknown_option(o, word, diagnostic);
	const char *name = equals ? arena_copy(o->arena, start, (size_t)(equals - start)) : start;
	const struct option *row = table, *end = table + TABLE_COUNT;
	while (row < end && (!(row->users & (int)o->user) || strcmp(row->name, name)))
		row++;
	if (row == end && (!((int)o->user & TAKES_POLICIES) || !is_policy_kind(name)))
		return unknown_option(o, equals ? arena_printf(o->arena, "--%s", name) : word, diagnostic);
	bool may_be_alone = row != end && *row->value == '[' && !strchr(row->value, ']')[1],
	     is_switch = row != end && row->run && row->run->is_switch;
	bool is_bare = row != end && !*row->value;
	if (is_bare && equals)
		return diagnose(
			diagnostic, (struct place){.file = o->command}, "--%s takes no value, expected it alone", name);
	bool is_alone = !equals && (is_switch || is_bare || (may_be_alone && !is_profile_file(o, **next)));
	const char *value = equals ? equals + 1 : !is_alone ? **next : is_switch ? "on" : NULL;
	if (!value && !may_be_alone && !is_bare)
		return diagnose(diagnostic, (struct place){.file = o->command}, "--%s: expected a value (%s)", name,
			row == end ? "NAME" : row->value);
	*next += !equals && !is_alone;
	o->seeds.is_of_first = row != end && row->users & OPTIONS_FIRST;
	if (row == end)
		return run_option_read(&run_options[RUN_OPTION_settings],
			arena_printf(o->arena, "policy.%s=%s", name, value), &o->run, o->arena, diagnostic);
	return row->run    ? run_option_read(row->run, value, &o->run, o->arena, diagnostic)
	       : row->read ? row->read(o, value, diagnostic)
			   : command_option_read(&row->own, name, value, o, o->arena, diagnostic);
}

/* False: it is no short option. */
static bool read_short(struct options *o, const char *word, char ***next, struct diagnostic *diagnostic)
{
	for (size_t k = 0; k < sizeof shorts / sizeof *shorts; k++) {
		const char *name = shorts[k].name, *value = word + 2;
		if (word[1] != shorts[k].letter || !(shorts[k].users & (int)o->user) || (*value && !shorts[k].may_join))
			continue;
		read_option(o, arena_printf(o->arena, "--%s%s%s", name, *value ? "=" : "", value), next, diagnostic);
		return true;
	}
	return false;
}

static void set_defaults(struct options *o)
{
	for (int k = 0; k < 3; k++)
		o->grid[k] = o->block[k] = 1;
	run_options_init(&o->run);
	o->sweep.arena = o->arena;
	o->debug.megabytes = SNAPSHOTS_MB;
	if (o->user == OPTIONS_LITMUS)
		o->run.setup.gpu = LITMUS_GPU;
	if (o->user == OPTIONS_RUN) /* null: the program's front end chooses */
		o->run.setup.gpu = run_options_model_of_environment();
	o->litmus.runs = LITMUS_RUNS;
	o->jobs = o->user == OPTIONS_LITMUS;
	o->counters = COUNTERS_SHOWN;
	o->report.reporter = reporter_find(NULL);
}

/* A page is for a browser: it would fill a terminal. */
static void check_page(const struct options *o, struct diagnostic *diagnostic)
{
	bool is_page = o->user == OPTIONS_REPORT || o->report.reporter->is_page;

	if (is_page && !o->report.output && isatty(STDOUT_FILENO))
		diagnose(diagnostic, (struct place){.file = o->command},
			"a page for a browser and no file to write it to, expected --output FILE.html");
}

/* Lines, locks, samples and tables are of one launch each; texts have sums by kernel anyway, and pages show launches.
 */
static void check_sums(const struct options *o, struct diagnostic *diagnostic)
{
	struct place place = {.file = o->command};

	if (!o->report.sums_launches)
		return;
	if (!o->report.reporter->complete || o->report.reporter->is_page)
		diagnose(diagnostic, place, "--sum-launches is of a report for programs: expected --report json, too");
	else if (o->run.setup.profile || o->run.setup.samples || o->run.setup.observe)
		diagnose(diagnostic, place, "--sum-launches and --%s, which is of each launch: expected one of them",
			o->run.setup.profile   ? "profile"
			: o->run.setup.samples ? "samples"
					       : "observe");
}

/* Both are there, and are one file of the disk by whatever names: a device such as /dev/null takes any number. */
static bool is_same_file(const char *a, const char *b)
{
	struct stat one, other;
	if (!a || !b)
		return false;
	if (stat(a, &one) || stat(b, &other))
		return !strcmp(a, b);
	return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static void check_overwrites(
	const struct options *o, const char *option, const char *file, struct diagnostic *diagnostic)
{
	const char *const read[] = {o->file, o->second_file, o->program ? *o->program : NULL};
	bool loses = false;
	for (size_t k = 0; k < sizeof read / sizeof *read; k++)
		loses |= is_same_file(file, read[k]);
	for (size_t k = 0; k < o->files.count; k++)
		loses |= is_same_file(file, o->files.at[k]);
	if (loses)
		diagnose(diagnostic, (struct place){.file = o->command},
			"--%s %s would overwrite what the command reads: expected another file", option, file);
}

/* Of all files that are written: each has its folder, and none takes the place of what is read, or of another. */
static void check_files(const struct options *o, struct diagnostic *diagnostic)
{
	const struct {
		const char *option, *file;
	} written[] = {{"output", o->report.output}, {"findings", o->report.findings},
		{"gen-suppressions", o->report.generated}, {"profile", o->report.profile},
		{"trace", o->run.setup.trace}};
	for (size_t k = 0; k < sizeof written / sizeof *written; k++) {
		if (!written[k].file)
			continue;
		has_folder(written[k].file, diagnostic);
		check_overwrites(o, written[k].option, written[k].file, diagnostic);
		for (size_t j = 0; j < k; j++)
			if (is_same_file(written[k].file, written[j].file))
				diagnose(diagnostic, (struct place){.file = o->command},
					"--%s and --%s have one file, %s: expected two", written[j].option,
					written[k].option, written[k].file);
	}
}

static void check_schedules(const struct options *o, struct diagnostic *diagnostic)
{
	struct place place = {.file = o->command};
	const struct lockstep_options *setup = &o->run.setup;
	if (o->replayed && (setup->schedules || setup->schedule))
		diagnose(diagnostic, place, "--replay runs the schedule of its file: expected no --%s beside it",
			setup->schedules ? "schedules" : "schedule");
	if (setup->schedule && setup->schedules)
		diagnose(diagnostic, place,
			"--schedule runs one schedule and --schedules tries all: expected one of them");
	if (o->user == OPTIONS_RUN && !setup->launch && (setup->schedules || setup->schedule || o->replayed))
		diagnose(diagnostic, place, "--%s is about one launch: expected --launch K, too",
			setup->schedules  ? "schedules"
			: setup->schedule ? "schedule"
					  : "replay");
	if (setup->launch && o->report.sums_launches)
		diagnose(diagnostic, place,
			"--launch is about one launch: expected no --sum-launches, which adds up all");
}

/* What goes with what, when all words have been read. */
static void check_together(const struct options *o, struct diagnostic *diagnostic)
{
	struct place place = {.file = o->command};
	if (o->user == OPTIONS_RUN && (!o->program || !*o->program || !**o->program))
		diagnose(diagnostic, place, "no program, expected ./app [args]");
	if (!((int)o->user & TAKES_WORDS) && !o->file && !o->litmus.reaches)
		diagnose(diagnostic, place, "no file, expected %s", files_expected(o));
	else if ((int)o->user & TAKES_TWO_FILES && !o->second_file)
		diagnose(diagnostic, place, "one file, expected %s", files_expected(o));
	check_schedules(o, diagnostic);
	if (o->debug.checkpoint.at && !o->debug.checkpoint.file)
		diagnose(diagnostic, place, "--checkpoint-at says when: expected --checkpoint FILE, too");
	if (o->debug.checkpoint.file)
		has_folder(o->debug.checkpoint.file, diagnostic);
	seeds_check(o, diagnostic);
	if (!o->run.setup.trace && (o->run.words.trace_window || o->run.words.trace_cores))
		diagnose(diagnostic, place, "--%s is of the timeline: expected --trace FILE, too",
			o->run.words.trace_window ? "trace-window" : "trace-cores");
	check_files(o, diagnostic);
	firmware_check(o, diagnostic);
	check_sums(o, diagnostic);
	if (!diagnostic->failed)
		check_page(o, diagnostic);
}

bool options_read(struct options *o, int count, char **words, struct diagnostic *diagnostic)
{
	char **next = words + 1, **end = words + count; /* *end is null, as for main */
	bool only_files = false;
	set_defaults(o);
	while (next < end && !diagnostic->failed && !o->help && !o->program) {
		char **first = next;
		const char *word = *next++;
		o->seeds.is_of_first = false;
		if ((int)o->user & TAKES_WORDS && (word[0] != '-' || !strcmp(word, "--")))
			o->program = word[0] == '-' ? next : next - 1;
		else if (only_files || word[0] != '-' || !word[1])
			read_file_word(o, word, diagnostic);
		else if (!strcmp(word, "--"))
			only_files = true;
		else if (wants_help(word))
			o->help = true;
		else if (!read_short(o, word, &next, diagnostic))
			read_option(o, word, &next, diagnostic);
		if (!o->program && (o->user == OPTIONS_KERNEL || o->user == OPTIONS_RUN))
			seeds_keep(o, first, next);
	}
	if (o->help || diagnostic->failed)
		return o->help;
	check_together(o, diagnostic);
	if (o->replayed)
		o->run.setup.schedule = o->replayed;
	return !diagnostic->failed && check_policies(o, diagnostic) && read_suppressions(o, diagnostic);
}

bool options_row(enum options_user user, size_t k, struct option_row *row)
{
	const char *topic = NULL;
	for (size_t n = 0; n < TABLE_COUNT; n++) {
		bool is_switch = table[n].run && table[n].run->is_switch;
		if (!table[n].name)
			topic = table[n].help;
		if (!(table[n].users & (int)user))
			continue;
		*row = (struct option_row){
			topic, table[n].name, is_switch ? "" : table[n].value, table[n].help, false, ""};
		if (!k--)
			return true;
		topic = NULL;
	}
	if (!((int)user & TAKES_POLICIES) || k >= KIND_COUNT)
		return false;
	*row = (struct option_row){
		.topic = k ? NULL : "Policies", .name = policy_kinds[k], .value = "NAME", .is_policy = true};
	snprintf(row->made, sizeof row->made, "as --set policy.%s=NAME; `lockstep policies %s` lists them",
		policy_kinds[k], policy_kinds[k]);
	return true;
}

#define HELP_INDENT "        "

static void print_help(struct arena *arena, enum options_user user, const char *command)
{
	struct report_style style = style_on(&(struct report_style){0}, STDOUT_FILENO),
			    plain = {.width = style_help_width()};
	struct text out = {.arena = arena};
	struct option_row row;
	print_usage(command);
	for (size_t k = 0; options_row(user, k, &row); k++) {
		if (row.topic) {
			text_print(&out, "\n");
			style_print(&out, &style, COLOUR_HEAD, row.topic);
			text_print(&out, "\n");
		}
		text_print(&out, "    --%s%s%s\n", row.name, *row.value ? " " : "", row.value);
		style_paragraph(
			&out, &plain, COLOUR_HEAD, HELP_INDENT, row.help ? row.help : row.made, strlen(HELP_INDENT));
	}
	printf("%s", out.at);
}

int options_run(enum options_user user, command_of_options *command, int count, char **words)
{
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct options options = {
		.arena = &arena, .command = arena_printf(&arena, "lockstep %s", words[0]), .user = user};
	int status = STATUS_COMPLETED;
	if (!options_read(&options, count, words, &diagnostic))
		status = fail(&diagnostic);
	else if (options.help)
		print_help(&arena, user, words[0]);
	else
		status = command(&options, &diagnostic);
	arena_free(&arena);
	return status;
}

static bool is_for_people(const struct options *o)
{
	return !o->report.reporter->complete && o->user != OPTIONS_REPORT;
}

struct text options_fold(const struct options *o, const struct text *text, int descriptor)
{
	struct text folded = {.arena = text->arena};
	uint32_t width = is_for_people(o) ? style_width(descriptor) : 0;
	if (!width)
		return *text;
	text_append(&folded, "", 0);
	style_fold(&folded, width, text->at);
	return folded;
}

struct text options_shorten(const struct options *o, const struct text *text)
{
	char here[PATH_MAX];
	struct text shorter = {.arena = text->arena};
	if (!is_for_people(o) || !text->at || !getcwd(here, sizeof here) || !here[1])
		return *text;
	const char *all = text_replace(text->arena, text->at, arena_printf(text->arena, " %s/", here), " ");
	text_print(&shorter, "%s", text_replace(text->arena, all, arena_printf(text->arena, "(%s/", here), "("));
	return shorter;
}

bool options_write(const struct options *o, const struct text *made, struct diagnostic *diagnostic)
{
	struct text text = options_shorten(o, made), folded = options_fold(o, &text, STDOUT_FILENO);
	if (o->report.output && text_write_file(o->report.output, text.at, text.length, diagnostic))
		return !diagnostic->failed;
	if (o->report.output && (o->user == OPTIONS_REPORT || o->report.reporter->is_page))
		return false; /* it can be made again; or it is for a browser */
	return print_all(folded.at, folded.length, diagnostic) && !diagnostic->failed;
}

bool options_check_gpu(const struct lockstep_options *setup, struct diagnostic *diagnostic)
{
	struct lockstep_error error;
	struct lockstep *gpu = lockstep_open(setup, &error);
	lockstep_close(gpu);
	return gpu || diagnose(diagnostic, (struct place){0}, "%s", error.message);
}

int outcome_status(enum lockstep_outcome outcome)
{
	static const int statuses[] = {
		[LOCKSTEP_COMPLETED] = STATUS_COMPLETED,
		[LOCKSTEP_HANG] = STATUS_HANG,
		[LOCKSTEP_FAULT] = STATUS_FAULT,
		[LOCKSTEP_LIMIT] = STATUS_LIMIT,
		[LOCKSTEP_INTERRUPTED] = STATUS_COMPLETED,
	};
	return statuses[outcome];
}
