/* The runs of --seeds: this command again as jobs, whose JSON reports are put together. */
#include "cli/seeds.h"

#include "cli/options.h"
#include "cli/signals.h"
#include "report/members.h"
#include "report/result_file.h"
#include "util/jobs.h"
#include "util/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct runner {
	const struct options *options;
	struct arena *arena;
	struct diagnostic *diagnostic;
	const char *folder; /* for reports and logs of the runs */
	struct jobs jobs;   /* a run each, but the first */
	int *statuses;
};

/* ---- Words ---- */

void seeds_keep(struct options *o, char *const *first, char *const *end)
{
	for (; first < end && !o->seeds.is_of_first; first++)
		*vector_push(o->arena, &o->seeds.kept) = *first;
}

static uint64_t seed_of(const struct options *o, uint64_t run)
{
	return o->run.setup.seed + run;
}

/* Whether the command itself sets the key of the model. */
static bool is_set(const struct options *o, const char *key)
{
	const char *const *settings = run_option_list(&run_options[RUN_OPTION_settings], &o->run);
	size_t length = strlen(key);
	while (*settings && (strncmp(*settings, key, length) || (*settings)[length] != '='))
		settings++;
	return *settings;
}

/* What the run with a seed has besides the command's options.  In timing mode a seed decides little by itself: it draws
 * how late packets arrive, when work-groups start, and the scheduler, unless the command says so. */
static const char *own_options(const struct options *o, struct arena *arena, uint64_t seed)
{
	static const uint32_t jitters[] = {0, 100, 1000, 4000}, intervals[] = {0, 100, 400, 2000};
	struct text text = {.arena = arena};
	uint64_t random = seed, drawn = splitmix64(&random);
	text_print(&text, "--seed %" PRIu64, seed);
	if (o->run.setup.mode != LOCKSTEP_TIMING || seed == o->run.setup.seed)
		return text.at;
	if (jitters[drawn % 4] && !is_set(o, "crossbar.jitter"))
		text_print(&text, " --set crossbar.jitter=%" PRIu32, jitters[drawn % 4]);
	if (intervals[drawn / 4 % 4] && !is_set(o, "dispatch.interval"))
		text_print(&text, " --set dispatch.interval=%" PRIu32, intervals[drawn / 4 % 4]);
	if (drawn / 16 % 2 && !is_set(o, "policy.scheduler"))
		text_print(&text, " --scheduler random");
	return text.at;
}

static const char *file_of(const struct runner *r, struct arena *arena, uint32_t run, const char *form)
{
	return arena_printf(arena, "%s/%" PRIu32 ".%s", r->folder, run, form);
}

static struct job_command command_of(void *context, struct arena *arena, uint32_t job)
{
	const struct runner *r = context;
	const struct options *o = r->options;
	uint32_t run = job + 1;
	char *own = arena_text(arena, own_options(o, arena, seed_of(o, run))), *left;
	VECTOR(const char *) words = {0};
	*vector_push(arena, &words) = "/proc/self/exe"; /* whatever has become of its file */
	*vector_push(arena, &words) = o->user == OPTIONS_RUN ? "run" : "kernel";
	for (char *word = strtok_r(own, " ", &left); word; word = strtok_r(NULL, " ", &left))
		*vector_push(arena, &words) = word;
	*vector_push(arena, &words) = "--quiet";
	*vector_push(arena, &words) = "--report=json";
	*vector_push(arena, &words) = arena_printf(arena, "--output=%s", file_of(r, arena, run, "json"));
	for (uint32_t k = 0; k < o->seeds.kept.count; k++)
		*vector_push(arena, &words) = o->seeds.kept.at[k];
	if (o->program)
		*vector_push(arena, &words) = "--";
	for (char **word = o->program; word && *word; word++)
		*vector_push(arena, &words) = *word;
	*vector_push(arena, &words) = NULL;
	return (struct job_command){words.at, file_of(r, arena, run, "log")};
}

/* ---- Runs ---- */

static void end(void *context, uint32_t job, int status, const struct rusage *usage)
{
	const struct runner *r = context;
	(void)usage;
	r->statuses[job] = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void forget(void *context, uint32_t job)
{
	(void)context;
	(void)job;
}

static void show(const void *context)
{
	const struct runner *r = context;
	char line[64];
	snprintf(line, sizeof line, "%" PRIu32 " of %" PRIu32 " seeds", r->jobs.done + 1, r->jobs.count + 1);
	terminal_show_line(line);
}

static uint32_t together(const struct options *o)
{
	if (o->jobs)
		return o->jobs;
	return o->user == OPTIONS_RUN ? 1 : jobs_processors();
}

/* ---- Reports ---- */

/* What the run's launches came to, and how the first that went wrong ended. */
static void add_up(struct arena *arena, json_object *launches, struct seed_result *result)
{
	result->outcome = "completed";
	for (size_t k = 0; k < length_of(launches); k++) {
		json_object *launch = element(launches, k);
		const char *outcome = text_of(launch, "outcome");
		result->cycles += number_of(launch, "cycles");
		result->warp_instructions += number_of(launch, "warp_instructions");
		if (!strcmp(result->outcome, "completed") && strcmp(outcome, "completed"))
			result->outcome = arena_text(arena, outcome);
	}
}

/* A run without a report: the last line that it wrote says why. */
static void refuse(const struct runner *r, uint32_t run, const struct seed_result *result)
{
	const char *log = text_try_file(r->arena, file_of(r, r->arena, run, "log"));
	const char *line = text_last_line(r->arena, log ? log : "");
	diagnose(r->diagnostic, (struct place){.file = r->options->command}, "%s: %s", result->options,
		*line ? line : "the run has ended without a report");
}

static void take_run(const struct runner *r, uint32_t run, json_object *seeds, json_object *findings, int *status)
{
	struct seed_result result = {.seed = seed_of(r->options, run), .status = r->statuses[run - 1]};
	const char *file = file_of(r, r->arena, run, "json");
	json_object *report = NULL;
	result.options = own_options(r->options, r->arena, result.seed);
	if (!access(file, F_OK))
		report = result_file_read(r->arena, file, NULL, r->diagnostic);
	else
		refuse(r, run, &result);
	if (!report)
		return;
	add_up(r->arena, member(report, "launches"), &result);
	seed_result_end(&result);
	result.findings = length_of(member(report, "findings"));
	seeds_merge(findings, member(report, "findings"), &result);
	seeds_add(seeds, &result);
	*status = *status ? *status : result.status;
	json_object_put(report);
}

static void clear(const struct runner *r)
{
	for (uint32_t run = 1; run <= r->jobs.count; run++) {
		unlink(file_of(r, r->arena, run, "json"));
		unlink(file_of(r, r->arena, run, "log"));
	}
	rmdir(r->folder);
}

static bool make_folder(struct runner *r)
{
	const char *parent = getenv("TMPDIR");
	char *folder = arena_printf(r->arena, "%s/lockstep-seeds-XXXXXX", parent && *parent ? parent : "/tmp");
	r->folder = mkdtemp(folder);
	return r->folder ||
	       diagnose(r->diagnostic, (struct place){.file = folder}, "cannot create: %s", strerror(errno));
}

json_object *seeds_run(const struct options *o, const struct seed_result *first, json_object *findings, int *status,
	struct diagnostic *diagnostic)
{
	uint32_t others = o->seeds.count ? (uint32_t)o->seeds.count - 1 : 0;
	struct runner r = {.options = o,
		.arena = o->arena,
		.diagnostic = diagnostic,
		.jobs = {.count = others,
			.together = together(o),
			.stop_signal = SIGTERM,
			.only_errors = true,
			.context = &r,
			.command = command_of,
			.end = end,
			.forget = forget,
			.show = show}};
	if (!o->seeds.count || !make_folder(&r))
		return NULL;
	json_object *seeds = seeds_object(o->run.setup.seed, o->seeds.count);
	r.jobs.job = arena_new_array(o->arena, struct job, others + 1u);
	r.statuses = arena_new_array(o->arena, int, others + 1u);
	seeds_merge(findings, findings, first);
	seeds_add(seeds, first);
	jobs_run(&r.jobs, diagnostic);
	for (uint32_t run = 1; run <= others && !r.jobs.stopped && !diagnostic->failed; run++)
		take_run(&r, run, seeds, findings, status);
	clear(&r);
	if (r.jobs.stopped)
		signals_die_by(r.jobs.stopped);
	return seeds;
}

void seeds_check(const struct options *o, struct diagnostic *diagnostic)
{
	struct place place = {.file = o->command};
	const struct lockstep_options *setup = &o->run.setup;
	if (!o->seeds.count && o->jobs && (o->user == OPTIONS_KERNEL || o->user == OPTIONS_RUN))
		diagnose(diagnostic, place, "--jobs is of the runs of --seeds: expected --seeds N, too");
	if (!o->seeds.count)
		return;
	if (setup->seed > UINT64_MAX - o->seeds.count)
		diagnose(diagnostic, place, "--seed %" PRIu64 " and --seeds %" PRIu64 ": expected a lesser seed",
			setup->seed, o->seeds.count);
	if (setup->schedules || setup->schedule || o->replayed)
		diagnose(diagnostic, place, "--seeds and --%s, which says the order itself: expected one of them",
			setup->schedules  ? "schedules"
			: setup->schedule ? "schedule"
					  : "replay");
	if (o->lists_kernels)
		diagnose(diagnostic, place, "--kernel-list runs nothing: expected no --seeds beside it");
}
