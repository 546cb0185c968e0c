/* The options of `lockstep kernel`, `lockstep run` and `lockstep lint`: the table and its reader. */
#include "cli/options.h"

#include "cli/cli.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A value is given: true, or an error in report. */
typedef bool read_function(struct options *o, const char *value, struct report *report);

static bool refuse(const char *option, const char *value, const char *expected, struct report *report)
{
	report_error(report, (struct place){0}, "%s %s: expected %s", option, *value ? value : "''", expected);
	return false;
}

static bool read_limited(const char *option, const char *value, uint64_t lowest, uint64_t highest, uint64_t *number,
	struct report *report)
{
	if (text_to_u64(value, number) && *number >= lowest && *number <= highest)
		return true;
	report_error(report, (struct place){0}, "%s %s: expected a whole number from %" PRIu64 " to %" PRIu64, option,
		value, lowest, highest);
	return false;
}

static bool read_gpu(struct options *o, const char *value, struct report *report)
{
	o->gpu = value;
	return *value || refuse("--gpu", value, "a name that `lockstep gpus` lists, or a file", report);
}

static bool read_set(struct options *o, const char *value, struct report *report)
{
	const char *equals = strchr(value, '=');
	*vector_push(o->arena, &o->settings) = value;
	return (equals && equals > value) || refuse("--set", value, "KEY=VALUE", report);
}

static bool read_mode(struct options *o, const char *value, struct report *report)
{
	o->mode = strcmp(value, "functional") ? LOCKSTEP_TIMING : LOCKSTEP_FUNCTIONAL;
	return o->mode == LOCKSTEP_FUNCTIONAL || !strcmp(value, "timing") ||
	       refuse("--mode", value, "timing or functional", report);
}

static bool read_threads(struct options *o, const char *value, struct report *report)
{
	uint64_t number = 0;
	bool good = read_limited("--threads", value, 1, 1024, &number, report);
	o->threads = (uint32_t)number;
	return good;
}

static bool read_seed(struct options *o, const char *value, struct report *report)
{
	return read_limited("--seed", value, 0, UINT64_MAX, &o->seed, report);
}

static bool read_max_cycles(struct options *o, const char *value, struct report *report)
{
	return read_limited("--max-cycles", value, 1, UINT64_MAX, &o->max_cycles, report);
}

static bool read_findings(struct options *o, const char *value, struct report *report)
{
	(void)report;
	o->findings = value;
	return true;
}

static bool read_schedule(struct options *o, const char *value, struct report *report)
{
	o->schedule = value;
	return *value || refuse("--schedule", value, "work-groups such as 1,0*3,(2,1)", report);
}

static bool read_schedules(struct options *o, const char *value, struct report *report)
{
	return read_limited("--schedules", value, 1, UINT64_MAX, &o->schedules, report);
}

static bool read_hang_after(struct options *o, const char *value, struct report *report)
{
	return read_limited("--hang-after", value, 1, UINT64_MAX, &o->hang_after, report);
}

static bool read_explain_limit(struct options *o, const char *value, struct report *report)
{
	bool good = read_limited("--explain-limit", value, 0, 1000000, &o->explain_limit, report);
	if (good && !o->explain_limit)
		o->explain_limit = LOCKSTEP_EXPLAIN_NEVER;
	return good;
}

static bool read_on_fault(struct options *o, const char *value, struct report *report)
{
	o->on_fault = strcmp(value, "continue") ? LOCKSTEP_STOP : LOCKSTEP_CONTINUE;
	return o->on_fault == LOCKSTEP_CONTINUE || !strcmp(value, "stop") ||
	       refuse("--on-fault", value, "stop or continue", report);
}

static bool read_error_exit(struct options *o, const char *value, struct report *report)
{
	uint64_t number = 0;
	bool good = read_limited("--error-exit", value, 1, 255, &number, report);
	o->error_exit = (int)number;
	return good;
}

static bool read_plugin(struct options *o, const char *value, struct report *report)
{
	*vector_push(o->arena, &o->plugins) = value;
	return *value || refuse("--plugin", value, "a shared object", report);
}

static bool read_report(struct options *o, const char *value, struct report *report)
{
	o->reporter = reporter_find(value);
	return o->reporter || refuse("--report", value, reporter_names(o->arena, " or "), report);
}

static bool read_output(struct options *o, const char *value, struct report *report)
{
	o->output = value;
	return *value || refuse("--output", value, "a file", report);
}

static bool read_trace(struct options *o, const char *value, struct report *report)
{
	o->trace = value;
	return *value || refuse("--trace", value, "a file", report);
}

/* "stack" or "stack:GROUP:WARP". */
static bool read_show(struct options *o, const char *value, struct report *report)
{
	const char *colon = strrchr(value, ':');
	uint64_t group = 0, warp = 0;
	bool good = !strcmp(value, "stack");
	if (!strncmp(value, "stack:", 6) && colon >= value + 6)
		good = text_to_u64(arena_copy(o->arena, value + 6, (size_t)(colon - value - 6)), &group) &&
		       text_to_u64(colon + 1, &warp) && group <= UINT32_MAX && warp <= UINT32_MAX;
	o->shows = true;
	o->shown = (struct lockstep_warp){.group = (uint32_t)group, .warp = (uint32_t)warp};
	return good || refuse("--show", value, "stack, or stack:GROUP:WARP with numbers from 0", report);
}

static bool read_kernel(struct options *o, const char *value, struct report *report)
{
	o->kernel = value;
	return *value || refuse("--kernel", value, "a kernel's name", report);
}

static bool read_grid(struct options *o, const char *value, struct report *report)
{
	return grid_read("--grid", value, o->grid, report);
}

static bool read_block(struct options *o, const char *value, struct report *report)
{
	return grid_read("--block", value, o->block, report);
}

static bool read_shared(struct options *o, const char *value, struct report *report)
{
	uint64_t number = 0;
	bool good = read_limited("--shared", value, 0, UINT32_MAX, &number, report);
	o->shared_bytes = (uint32_t)number;
	return good;
}

static bool read_arg(struct options *o, const char *value, struct report *report)
{
	return argument_read(o->arena, value, vector_push(o->arena, &o->arguments), report);
}

static bool read_dump(struct options *o, const char *value, struct report *report)
{
	return dump_read(o->arena, value, vector_push(o->arena, &o->dumps), report);
}

static bool read_only(struct options *o, const char *value, struct report *report)
{
	const char *colon = strrchr(value, ':');
	uint64_t number = 1;
	*vector_push(o->arena, &o->only) = value;
	if (!*value || colon == value || (colon && (!text_to_u64(colon + 1, &number) || !number)))
		return refuse("--only", value, "KERNEL, or KERNEL:N for its Nth launch, from 1", report);
	return true;
}

static bool read_opencl_version(struct options *o, const char *value, struct report *report)
{
	o->opencl_version = value;
	return !strcmp(value, "1.2") || !strcmp(value, "3.0") ||
	       refuse("--opencl-version", value,
		       "1.2 or 3.0 (2.x demands pipes and queues on the device, which are not there)", report);
}

/* What a program may print as a name.  A bad one may have more than a line, so it is not repeated. */
static bool check_name(const char *option, const char *value, struct report *report)
{
	size_t length = strlen(value), printable = 0;
	while ((unsigned char)value[printable] >= ' ' && value[printable] != 127)
		printable++;
	if (length && length < 100 && printable == length)
		return true;
	report_error(report, (struct place){0}, "%s: expected a name, one line of less than 100 bytes", option);
	return false;
}

static bool read_vendor(struct options *o, const char *value, struct report *report)
{
	o->vendor = value;
	return check_name("--vendor", value, report);
}

static bool read_device_name(struct options *o, const char *value, struct report *report)
{
	o->device_name = value;
	return check_name("--device-name", value, report);
}

#define BOTH (OPTIONS_KERNEL | OPTIONS_RUN)
#define ALL (BOTH | OPTIONS_LINT)
static const struct option {
	const char *name, *value, *help;
	read_function *read;
	int users;
} table[] = {
	{"gpu", "NAME|FILE", "the GPU model; default gtx480", read_gpu, BOTH},
	{"set", "KEY=VALUE", "any field of the model, by dotted path; may be repeated", read_set, BOTH},
	{"mode", "timing|functional", "with or without a clock; default timing", read_mode, BOTH},
	{"threads", "N", "host threads; the result does not depend on it", read_threads, BOTH},
	{"seed", "N", "of every random choice; default 0", read_seed, BOTH},
	{"max-cycles", "N", "stop the launch there; functional: warp instructions", read_max_cycles, BOTH},
	{"findings", "FILE", "write what was found wrong, as SARIF 2.1.0, for CI systems", read_findings, ALL},
	{"hang-after", "N",
		"cycles in which nothing happens, after which a hang that cannot be proved is suspected (50000000)",
		read_hang_after, BOTH},
	{"explain-limit", "N",
		"seconds for confirming the cause of a hang by running it again with one thing changed (60); 0: do not",
		read_explain_limit, BOTH},
	{"on-fault", "stop|continue",
		"a bad access ends the kernel (default), or is dropped and counted: a load gives 0", read_on_fault,
		BOTH},
	{"error-exit", "N", "exit status when there is any finding; default: unchanged", read_error_exit, BOTH},
	{"plugin", "FILE.so", "load policies; may be repeated", read_plugin, BOTH},
	{"report", reporter_choices + 1, "default text", read_report, ALL},
	{"output", "FILE", "write the report there, whole or not at all", read_output, ALL},
	{"trace", "FILE", "write a timeline for ui.perfetto.dev", read_trace, BOTH},
	{"show", "stack[:GROUP:WARP]",
		"draw the reconvergence stack of a warp (0:0) whenever it changes; docs/divergence.md", read_show,
		OPTIONS_KERNEL},
	{"kernel", "NAME", "the kernel, when the file has several", read_kernel, OPTIONS_KERNEL},
	{"grid", "X[,Y[,Z]]", "work-groups; default 1", read_grid, OPTIONS_KERNEL},
	{"block", "X[,Y[,Z]]", "threads of a work-group; default 1", read_block, OPTIONS_KERNEL},
	{"shared", "BYTES", "dynamic shared memory; default 0", read_shared, OPTIONS_KERNEL},
	{"arg", "TYPE:VALUE", "a parameter, in order: u32:42 s32:-1 u64:.. f32:1.5 f64:..", read_arg, OPTIONS_KERNEL},
	{"arg", "buf:NAME:TYPE:COUNT", "a new buffer; then [:zero|fill=V|iota|random=SEED[,LO,HI]|file=PATH]", read_arg,
		OPTIONS_KERNEL},
	{"arg", "ref:NAME", "the address of a buffer already named", read_arg, OPTIONS_KERNEL},
	{"arg", "tex:BUFFER:SHAPE:FORMAT[:OPTIONS]", "a texture of a buffer: 2d=64x64:u8x4:linear,normalized", read_arg,
		OPTIONS_KERNEL},
	{"arg", "surf:BUFFER:SHAPE:FORMAT", "a surface of a buffer; both are handles, .u64", read_arg, OPTIONS_KERNEL},
	{"schedule", "LIST",
		"under a progress model: the work-groups that run, in order: 1,0*3,(2,1); what is in () repeats",
		read_schedule, OPTIONS_KERNEL},
	{"schedules", "N",
		"under a progress model: try all that make a difference, at most N: always finishes, may hang or "
		"hangs?",
		read_schedules, OPTIONS_KERNEL},
	{"dump", "NAME[:FIRST:COUNT]", "put the buffer's values after the run into the report", read_dump,
		OPTIONS_KERNEL},
	{"only", "KERNEL[:N]",
		"simulate this kernel (its Nth launch) in timing mode, all else functionally; may be repeated",
		read_only, OPTIONS_RUN},
	{"opencl-version", "1.2|3.0", "of the platform and the device, as the program is told; default 3.0",
		read_opencl_version, OPTIONS_RUN},
	{"vendor", "NAME", "likewise in OpenCL: NVIDIA, AMD, Intel, ARM, Qualcomm, Imagination, or any text",
		read_vendor, OPTIONS_RUN},
	{"device-name", "TEXT", "likewise, in OpenCL and CUDA; default the model's", read_device_name, OPTIONS_RUN},
};
#define TABLE_COUNT (sizeof table / sizeof *table)

/* ---- Shorthands: --KIND NAME is --set policy.KIND=NAME ---- */

/* Kinds that the documentation names, whether this build has policies of them or not. */
static const char *const documented_kinds[] = {
	"scheduler", "divergence", "coherence", "dispatch", "spin", "backoff", "lock", "retry", "control"};
#define KIND_COUNT (sizeof documented_kinds / sizeof *documented_kinds)

bool options_policy_kind(const char *kind)
{
	struct lockstep_policy policy;
	for (size_t k = 0; lockstep_policy(k, &policy); k++)
		if (!strcmp(policy.kind, kind))
			return true;
	return false;
}

const char *options_policy_kinds(struct arena *arena)
{
	VECTOR(const char *) kinds = {0};
	struct lockstep_policy policy;
	for (size_t k = 0; lockstep_policy(k, &policy); k++)
		if (!kinds.count || strcmp(kinds.at[kinds.count - 1], policy.kind))
			*vector_push(arena, &kinds) = policy.kind;
	const char *all = kinds.count ? kinds.at[0] : "none";
	for (uint32_t k = 1; k < kinds.count; k++)
		all = arena_printf(arena, "%s%s%s", all, k + 1 < kinds.count ? ", " : " or ", kinds.at[k]);
	return all;
}

static bool is_documented_kind(const char *name)
{
	for (size_t k = 0; k < KIND_COUNT; k++)
		if (!strcmp(documented_kinds[k], name))
			return true;
	return false;
}

/* Plug-ins may bring policies of their own, so with one the name is left for the GPU to judge. */
static bool check_policy(const struct options *o, const char *kind, const char *name, struct report *report)
{
	VECTOR(const char *) names = {0};
	struct lockstep_policy policy;
	for (size_t k = 0; lockstep_policy(k, &policy); k++) {
		if (strcmp(policy.kind, kind))
			continue;
		if (!strcmp(policy.name, name) || o->plugins.count)
			return true;
		*vector_push(o->arena, &names) = policy.name;
	}
	const char *nearest = text_nearest(name, names.at, names.count);
	if (nearest)
		report_error(report, (struct place){0}, "unknown %s '%s', did you mean '%s'?", kind, name, nearest);
	else
		report_error(report, (struct place){0},
			"unknown %s '%s', expected one that `lockstep policies %s` lists", kind, name, kind);
	return false;
}

static bool read_policy(struct options *o, const char *kind, const char *name, struct report *report)
{
	if (!options_policy_kind(kind)) {
		report_error(report, (struct place){0}, "--%s: there is no policy of this kind yet, expected %s", kind,
			options_policy_kinds(o->arena));
		return false;
	}
	*vector_push(o->arena, &o->settings) = arena_printf(o->arena, "policy.%s=%s", kind, name);
	return true;
}

/* Behind the last word, when all plug-ins are known. */
static bool check_policies(const struct options *o, struct report *report)
{
	for (uint32_t k = 0; k < o->settings.count; k++) {
		const char *setting = o->settings.at[k], *equals = strchr(setting, '=');
		if (strncmp(setting, "policy.", 7))
			continue;
		const char *kind = arena_copy(o->arena, setting + 7, (size_t)(equals - setting - 7));
		if (options_policy_kind(kind) && !check_policy(o, kind, equals + 1, report))
			return false;
	}
	return true;
}

/* ---- Words ---- */

static bool takes_policies(enum options_user user)
{
	return user != OPTIONS_LINT; /* it runs nothing */
}

static bool unknown_option(const struct options *o, const char *word, struct report *report)
{
	const char *names[TABLE_COUNT + KIND_COUNT + 1];
	size_t count = 0;
	for (size_t k = 0; k < TABLE_COUNT; k++)
		if (table[k].users & (int)o->user)
			names[count++] = table[k].name;
	for (size_t k = 0; k < KIND_COUNT; k++)
		if (takes_policies(o->user) && options_policy_kind(documented_kinds[k]))
			names[count++] = documented_kinds[k];
	names[count++] = "help";
	const char *nearest = word[1] == '-' ? text_nearest(word + 2, names, count) : NULL;
	struct place place = {.file = o->command};
	if (nearest)
		report_error(report, place, "unknown option '%s', did you mean '--%s'?", word, nearest);
	else
		report_error(
			report, place, "unknown option '%s', expected one that `%s --help` lists", word, o->command);
	return false;
}

static bool read_file_word(struct options *o, const char *word, struct report *report)
{
	if (o->file)
		report_error(report, (struct place){.file = o->command}, "unexpected '%s', expected one file ('%s')",
			word, o->file);
	else if (!*word)
		report_error(report, (struct place){.file = o->command},
			"'' is no file, expected FILE.ptx, FILE.cl or FILE.cu");
	o->file = word;
	return !report->failed;
}

/* "--name value" or "--name=value"; *next is the word behind, and moves on when it is the value. */
static bool read_option(struct options *o, const char *word, char ***next, struct report *report)
{
	const char *equals = strchr(word, '='), *start = word + 2;
	if (word[1] != '-')
		return unknown_option(o, word, report);
	const char *name = equals ? arena_copy(o->arena, start, (size_t)(equals - start)) : start;
	const struct option *row = table, *end = table + TABLE_COUNT;
	while (row < end && (strcmp(row->name, name) || !(row->users & (int)o->user)))
		row++;
	if (row == end && (!takes_policies(o->user) || (!options_policy_kind(name) && !is_documented_kind(name))))
		return unknown_option(o, equals ? arena_printf(o->arena, "--%s", name) : word, report);
	const char *value = equals ? equals + 1 : **next;
	if (!value) {
		report_error(report, (struct place){.file = o->command}, "--%s: expected a value (%s)", name,
			row == end ? "NAME" : row->value);
		return false;
	}
	*next += !equals;
	return row == end ? read_policy(o, name, value, report) : row->read(o, value, report);
}

bool options_read(struct options *o, int count, char **words, struct report *report)
{
	char **next = words + 1, **end = words + count; /* *end is null, as for main */
	bool only_files = false;
	for (int k = 0; k < 3; k++)
		o->grid[k] = o->block[k] = 1;
	o->gpu = "gtx480";
	o->reporter = reporter_find(NULL);
	while (next < end && !report->failed && !o->help && !o->program) {
		const char *word = *next++;
		if (o->user == OPTIONS_RUN && (word[0] != '-' || !strcmp(word, "--")))
			o->program = word[0] == '-' ? next : next - 1;
		else if (!only_files && !strcmp(word, "--"))
			only_files = true;
		else if (!only_files && wants_help(word))
			o->help = true;
		else if (!only_files && word[0] == '-' && word[1])
			read_option(o, word, &next, report);
		else
			read_file_word(o, word, report);
	}
	if (o->help || report->failed)
		return o->help;
	if (o->user == OPTIONS_RUN && (!o->program || !*o->program || !**o->program))
		report_error(report, (struct place){.file = o->command}, "no program, expected ./app [args]");
	if (o->user != OPTIONS_RUN && !o->file)
		report_error(
			report, (struct place){.file = o->command}, "no file, expected FILE.ptx, FILE.cl or FILE.cu");
	if (o->schedule && o->schedules)
		report_error(report, (struct place){.file = o->command},
			"--schedule runs one schedule and --schedules tries all: expected one of them");
	return !report->failed && check_policies(o, report);
}

void options_print(enum options_user user)
{
	for (size_t k = 0; k < TABLE_COUNT; k++)
		if (table[k].users & (int)user)
			printf("    --%-14s %-21s %s\n", table[k].name, table[k].value, table[k].help);
	for (size_t k = 0; k < KIND_COUNT; k++)
		if (takes_policies(user) && options_policy_kind(documented_kinds[k]))
			printf("    --%-14s %-21s short for --set policy.%s=NAME; `lockstep policies %s`\n",
				documented_kinds[k], "NAME", documented_kinds[k], documented_kinds[k]);
}
