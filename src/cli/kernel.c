/* `lockstep kernel`: one kernel without a host program.  Options, PTX, GPU, buffers, run, report: a function each. */
#include "cli/buffers.h"
#include "cli/debug.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "report/profile.h"
#include "report/provenance.h"
#include "util/demangle.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAMES_SHOWN 12 /* in a message */

static const struct place nowhere;

/* An error of the simulator's interface becomes the session's. */
static void take_error(struct session *s, const struct lockstep_error *error)
{
	diagnose(s->diagnostic, nowhere, "%s", error->message);
}

/* With a report on standard output that must be one JSON object, what the kernel prints, and what is drawn, goes to
 * standard error. */
static void print_to_stderr(void *context, const char *text, size_t length)
{
	(void)context;
	fwrite(text, 1, length, stderr);
}

static void open_gpu(struct session *s)
{
	const struct options *o = s->options;
	struct lockstep_error error;
	s->setup = o->run.setup;
	s->setup.interrupt = &signals_caught;
	s->setup.debug = debug_front();
	if (o->debug.checkpoint.file || o->debug.checkpoint.restored)
		s->setup.checkpoint = &o->debug.checkpoint;
	s->setup.print = o->report.reporter->complete && !o->report.output ? print_to_stderr : NULL;
	if (!o->report.style.quiet && !s->setup.debug)
		progress_start(&s->progress, &s->setup);
	s->gpu = lockstep_open(&s->setup, &error);
	if (!s->gpu)
		take_error(s, &error);
}

static size_t count_named(const char *const *names, size_t count, const char *wanted)
{
	size_t found = 0;
	for (size_t k = 0; k < count; k++)
		found += demangle_is(names[k], wanted);
	return found;
}

/* The names that --kernel takes, as short as they may be: those of C++ without parameters, where that is one kernel. */
static const char *name_list(struct session *s, const char *const *names, size_t count)
{
	struct text list = {.arena = s->arena};
	for (size_t k = 0; k < count && k < NAMES_SHOWN; k++) {
		const char *name = demangle_brief(s->arena, names[k]);
		bool is_one = demangle_is(names[k], name) && count_named(names, count, name) == 1;
		text_print(&list, "%s%s", k ? ", " : "", is_one ? name : names[k]);
	}
	if (count > NAMES_SHOWN)
		text_print(&list, " and %zu more, which --kernel-list lists", count - NAMES_SHOWN);
	return list.at;
}

/* Names the kernel that is missing. */
static void refuse_kernel(
	struct session *s, const char *file, const char *wanted, const char *const *names, size_t count, size_t matches)
{
	struct place place = {.file = file};
	const char *nearest = wanted ? text_nearest(wanted, names, count) : NULL;
	if (!count)
		diagnose(s->diagnostic, place, "has no kernel, expected one .entry");
	else if (!wanted)
		diagnose(s->diagnostic, place, "has %zu kernels, expected %s with one of: %s", count,
			s->launch.firmware ? "--firmware FILE:KERNEL" : "--kernel NAME", name_list(s, names, count));
	else if (matches)
		diagnose(s->diagnostic, place, "has %zu kernels '%s', expected the full name of one", matches, wanted);
	else if (nearest)
		diagnose(s->diagnostic, place, "has no kernel '%s', did you mean '%s'?", wanted, nearest);
	else
		diagnose(s->diagnostic, place, "has no kernel '%s', expected one of: %s", wanted,
			name_list(s, names, count));
}

const char *session_find_kernel(
	struct session *s, const struct lockstep_module *module, const char *file, const char *wanted)
{
	size_t count = lockstep_kernel_count(module), matches = 0;
	const char *found = NULL, **names = arena_new_array(s->arena, const char *, count + 1);
	for (size_t k = 0; k < count; k++) {
		names[k] = lockstep_kernel_name(module, k);
		bool exact = wanted && !strcmp(names[k], wanted);
		if (!wanted || demangle_is(names[k], wanted)) {
			found = names[k];
			matches++;
		}
		if (exact) {
			matches = 1;
			break;
		}
	}
	if (matches == 1)
		return found;
	refuse_kernel(s, file, wanted, names, count, matches);
	return NULL;
}

struct lockstep_module *session_load(struct session *s, const char *file)
{
	return compile_and_load(s->gpu, s->arena, file, s->options->definitions.at, &s->ptx, s->diagnostic);
}

static void load_module(struct session *s)
{
	s->launch.module = s->module = session_load(s, s->options->file);
	if (s->module && !firmware_load(s))
		s->launch.kernel = session_find_kernel(s, s->module, s->options->file, s->options->kernel);
}

/* The threads of a work-group: as --block says; without it those that firmware or the kernel's .reqntid wants, else 1.
 */
static bool choose_block(struct session *s, struct lockstep_error *error)
{
	const struct options *o = s->options;
	uint32_t *block = s->launch.block;
	struct lockstep_needs needs = {.size = sizeof needs};
	memcpy(block, o->block, sizeof s->launch.block);
	if (o->has_block)
		return true;
	if (!lockstep_kernel_needs(s->launch.module, s->launch.kernel, &needs, error))
		return false;
	if (s->block)
		block[0] = s->block;
	else if (needs.required[0])
		for (int k = 0; k < 3; k++)
			block[k] = needs.required[k] ? needs.required[k] : 1;
	else
		s->lacks_block = needs.reads_threads;
	return true;
}

/* A run of one thread is legal, and often not what was meant. */
static void note_block(struct session *s)
{
	if (s->lacks_block && !s->options->report.style.quiet)
		style_say(stderr,
			"lockstep kernel: note: no --block, so a work-group has 1 thread, though %s reads thread "
			"numbers\n",
			demangle_brief(s->arena, s->launch.kernel));
}

static void note_registers(struct session *s)
{
	struct lockstep_needs needs = {.size = sizeof needs};
	struct lockstep_error error;
	if (s->options->report.style.quiet ||
		!lockstep_kernel_needs(s->launch.module, s->launch.kernel, &needs, &error) || !needs.ignores_setmaxnreg)
		return;
	style_say(stderr,
		"lockstep kernel: note: setmaxnreg of %s does nothing, as in ptxas (C7508): it needs .maxnreg, or "
		".minnctapersm with .maxntid (__launch_bounds__ with both numbers)\n",
		demangle_brief(s->arena, s->launch.kernel));
}

static const struct lockstep_result *run_kernel(struct session *s)
{
	const struct options *o = s->options;
	struct lockstep_launch *launch = &s->launch;
	struct lockstep_error error;
	launch->size = sizeof *launch;
	launch->shared_bytes = o->shared_bytes;
	memcpy(launch->grid, o->grid, sizeof launch->grid);
	memcpy(launch->cluster, o->cluster, sizeof launch->cluster);
	launch->parameters = buffers_parameters(
		launch->module, s->ptx, launch->kernel, o, s->addresses, &launch->parameter_bytes, s->diagnostic);
	if (!launch->parameters)
		return NULL;
	if (!choose_block(s, &error)) {
		take_error(s, &error);
		return NULL;
	}
	clock_gettime(CLOCK_MONOTONIC, &s->progress.start);
	s->progress.kernel = demangle_brief(s->arena, launch->kernel);
	const struct lockstep_result *result = lockstep_run(s->gpu, launch, &error);
	progress_end(&s->progress);
	if (result) {
		note_block(s);
		note_registers(s);
	} else {
		take_error(s, &error);
	}
	return result;
}

/* For other programs. */
static void write_findings(struct session *s, json_object *findings)
{
	if (s->options->report.findings)
		reporter_write_findings(
			s->options->report.findings, s->arena, s->options->file, findings, s->diagnostic);
	if (s->options->report.generated)
		suppressions_write(s->options->report.generated, s->arena, findings, s->diagnostic);
}

/* What a complete report has of its own. */
static void add_launches(const struct session *s, struct profile *profile)
{
	const struct lockstep_options *setup = &s->options->run.setup;
	bool is_read = (setup->profile || setup->observe) &&
		       (s->options->report.profile || !s->options->report.reporter->complete);
	for (size_t k = 0; is_read && k < lockstep_result_count(s->gpu); k++) {
		json_object *launch = report_launch(lockstep_result(s->gpu, k));
		profile_add(profile, launch, lockstep_field(s->gpu, "core.warp_size").number);
		json_object_put(launch);
	}
	profile_sort(profile);
}

/* The arguments, and files that the result depends on. */
static void note_inputs(const struct session *s, struct provenance *known)
{
	const struct options *o = s->options;
	const struct lockstep_launch *l = &s->launch;
	provenance_add_input(known, s->arena,
		arena_printf(s->arena, "%s: grid %u,%u,%u, block %u,%u,%u, cluster %u,%u,%u, shared %u", l->kernel,
			l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->cluster[0],
			l->cluster[1], l->cluster[2], l->shared_bytes));
	for (uint32_t k = 0; k < o->arguments.count; k++) {
		const struct argument *argument = &o->arguments.at[k];
		if (argument->fill.kind == FILL_FILE)
			provenance_add_file(known, s->arena, argument->text,
				argument->text + strlen(argument->text) - strlen(argument->fill.path));
		else
			provenance_add_input(known, s->arena, argument->text);
	}
	provenance_add_files(known, s->arena, o->run.setup.plugins);
}

/* A file that cannot be written does not keep the report from being so. */
static void write_report(struct session *s, json_object *findings, json_object *seeds)
{
	const struct options *o = s->options;
	struct lockstep_error error;
	struct text text = {.arena = s->arena};
	const struct dumped *dumps = buffers_dump(s->gpu, o, s->addresses);
	struct profile profile = {.arena = s->arena};
	struct provenance known = {0};
	add_launches(s, &profile);
	note_inputs(s, &known);
	o->report.reporter->kernel(&text, s->gpu, &s->setup,
		&(struct report_findings){.all = findings,
			.seeds = seeds,
			.suppressions = &o->report.suppressions,
			.profile = &profile,
			.known = &known,
			.style = style_on(&o->report.style, o->report.output ? -1 : STDOUT_FILENO)},
		dumps, o->dumps.count);
	if (!lockstep_end_trace(s->gpu, &error))
		take_error(s, &error);
	if (!lockstep_end_checkpoint(s->gpu, &error))
		take_error(s, &error);
	write_findings(s, findings);
	if (o->report.profile)
		profile_write(o->report.profile, &profile, s->diagnostic);
	options_write(o, &text, s->diagnostic);
}

/* What the run came to, as one of several seeds. */
static struct seed_result seed_result_of(const struct session *s, int status, json_object *findings)
{
	struct seed_result all = {.seed = s->setup.seed,
		.options = arena_printf(s->arena, "--seed %" PRIu64, s->setup.seed),
		.outcome = "completed",
		.status = status,
		.findings = json_object_array_length(findings)};
	for (size_t k = 0; k < lockstep_result_count(s->gpu); k++) {
		const struct lockstep_result *result = lockstep_result(s->gpu, k);
		all.cycles += result->cycles;
		all.warp_instructions += result->warp_instructions;
		if (!strcmp(all.outcome, "completed"))
			all.outcome = report_outcome(result->outcome);
	}
	return all;
}

/* What was found, and the status: that of the outcome, unless findings are to change it. */
static int report(struct session *s, int status)
{
	json_object *findings = report_findings(s->gpu);
	const struct seed_result first = seed_result_of(s, status, findings);
	json_object *seeds = seeds_run(s->options, &first, findings, &status, s->diagnostic);
	suppressions_mark(&s->options->report.suppressions, findings);
	if (suppressions_count_left(findings) && s->options->error_exit)
		status = s->options->error_exit;
	write_report(s, findings, seeds);
	json_object_put(seeds);
	json_object_put(findings);
	return status;
}

/* --kernel-list: a kernel a line, with its parameters. */
static int list_kernels(struct session *s)
{
	struct text text = {.arena = s->arena};
	if (!s->diagnostic->failed)
		s->module = session_load(s, s->options->file);
	for (size_t k = 0; s->module && k < lockstep_kernel_count(s->module); k++) {
		const char *name = lockstep_kernel_name(s->module, k), *whole = demangle(s->arena, name, true);
		text_print(&text, "%s(%s)", name, parameters_list(s->arena, s->module, s->ptx, name));
		text_print(&text, whole ? "  %s\n" : "\n", whole);
	}
	if (!s->diagnostic->failed)
		print_all(text.at ? text.at : "", text.length, s->diagnostic);
	return s->diagnostic->failed ? fail(s->diagnostic) : STATUS_COMPLETED;
}

/* Each step only when all before it went well. */
static int run(struct session *s)
{
	const struct options *o = s->options;
	const struct lockstep_result *result = NULL;
	if (o->lists_kernels) {
		open_gpu(s);
		return list_kernels(s);
	}
	s->addresses = arena_new_array(s->arena, uint64_t, o->arguments.count + 1u);
	if (buffers_check(o, s->diagnostic))
		open_gpu(s);
	if (!s->diagnostic->failed)
		load_module(s);
	if (!s->diagnostic->failed && buffers_create(s->gpu, o, s->addresses, s->diagnostic))
		result = run_kernel(s);
	int status = !result ? STATUS_USAGE : debug_has_quit() ? STATUS_COMPLETED : outcome_status(result->outcome);
	if (result && !debug_has_quit())
		status = report(s, status);
	if (s->diagnostic->failed && signals_caught != SIGPIPE) /* the reader went: nothing would be read */
		status = fail(s->diagnostic);
	return status;
}

int command_kernel(struct options *o, struct diagnostic *diagnostic)
{
	struct session s = {.arena = o->arena, .diagnostic = diagnostic, .options = o};
	signals_catch();
	int status = run(&s);
	lockstep_close(s.gpu);
	if (signals_caught)
		signals_die_by(signals_caught);
	return status;
}
