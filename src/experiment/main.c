/* The program behind `lockstep experiment`: reads the experiment, runs its points, collects, judges, draws and writes
 * the page. A program of its own, so that SQLite costs the other commands nothing, and editing it makes no point run
 * again. */
#include "experiment/cluster.h"
#include "experiment/options.h"
#include "experiment/page.h"
#include "experiment/run.h"
#include "experiment/task.h"
#include "experiment/trial.h"
#include "report/style.h"
#include "util/folder.h"
#include "util/jobs.h"
#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { STATUS_DONE = 0, STATUS_NOT_ALL = 1, STATUS_USAGE = 2, STATUS_STOPPED = 130 };

/* One call of the command. */
struct session {
	struct arena arena;
	struct diagnostic diagnostic;
	struct experiment_options options;
	struct plan *plan;
	struct points points;
	struct status *statuses;
	struct verdict *verdicts;
	struct drawing *drawings;
	sqlite3 *db;
	struct samples samples;
	const char *folder, *results, *figures; /* where things go */
	struct sigaction file_limit;            /* what was found for SIGXFSZ, a file beyond ulimit -f */
	bool bad_figure;                        /* one could not be drawn, and it was said */
};

/* ---- Where experiments are ---- */

/* The path itself where nothing is there. */
static const char *whole_path(struct arena *arena, const char *path)
{
	const char *whole = folder_whole_path(arena, path);
	return whole ? whole : path;
}

/* Folders that hold experiments: here, that of the source from which it was built, and where they are installed. */
#define FOLDER_COUNT 3
static void search_folders(struct arena *arena, const char *folders[FOLDER_COUNT])
{
	const char *own = folder_own(arena);
	folders[0] = "experiments";
	folders[1] = arena_printf(arena, "%s/../../experiments", own);
	folders[2] = arena_printf(arena, "%s/../share/lockstep/experiments", own);
	for (int k = 1; k < FOLDER_COUNT; k++)
		folders[k] = whole_path(arena, folders[k]);
}

static bool is_experiment(struct arena *arena, const char *folder, const char *name)
{
	return !access(arena_printf(arena, "%s/%s/experiment.cfg", folder, name), R_OK);
}

/* All names, sorted, of the first folder that has any; *folder is that one. */
static struct names known_experiments(struct arena *arena, const char **folder)
{
	const char *folders[FOLDER_COUNT];
	struct names names = {0};
	struct folder_list list;
	search_folders(arena, folders);
	for (int k = 0; k < FOLDER_COUNT && !names.count; k++) {
		*folder = folders[k];
		folder_read(arena, folders[k], &list);
		for (uint32_t n = 0; n < list.names.count; n++)
			if (is_experiment(arena, folders[k], list.names.at[n]))
				*vector_push(arena, &names) = list.names.at[n];
	}
	return names;
}

static const char *find_experiment(struct session *s)
{
	const char *name = s->options.name, *folders[FOLDER_COUNT], *folder;
	if (strchr(name, '/'))
		return name;
	search_folders(&s->arena, folders);
	for (int k = 0; k < FOLDER_COUNT; k++)
		if (is_experiment(&s->arena, folders[k], name))
			return arena_printf(&s->arena, "%s/%s", folders[k], name);
	struct names known = known_experiments(&s->arena, &folder);
	text_refuse_unknown(&s->diagnostic, (struct place){0}, "experiment", name, known.at, known.count,
		"one that `lockstep experiment list` gives, or a folder with a '/'");
	return NULL;
}

/* Points at a time, on this machine. */
static uint32_t jobs_here(const struct session *s)
{
	return s->options.jobs ? s->options.jobs : jobs_processors();
}

/* ---- list ---- */

static const char *time_words(struct arena *arena, double seconds)
{
	if (seconds < 120)
		return arena_printf(arena, "%.0f s", seconds);
	if (seconds < 7200)
		return arena_printf(arena, "%.0f min", seconds / 60);
	return arena_printf(arena, "%.0f h", seconds / 3600);
}

static int list(struct session *s)
{
	const char *folder;
	struct names known = known_experiments(&s->arena, &folder);
	if (!known.count)
		diagnose(&s->diagnostic, (struct place){.file = "lockstep experiment"},
			"there are none in %s, expected a folder NAME/experiment.cfg", folder);
	int width = 0;
	for (uint32_t k = 0; k < known.count; k++)
		width = (int)strlen(known.at[k]) > width ? (int)strlen(known.at[k]) : width;
	for (uint32_t k = 0; k < known.count; k++) {
		struct plan *plan =
			plan_read(&s->arena, arena_printf(&s->arena, "%s/%s", folder, known.at[k]), &s->diagnostic);
		if (!plan)
			return STATUS_USAGE;
		style_say(stdout, "%-*s  %s\n", width, known.at[k], plan->title);
		for (int size = 0; size < SIZE_COUNT; size++) {
			struct points points;
			points_count(&s->arena, plan, (enum size)size, &(struct names){0}, &points);
			style_say(stdout, "%-*s  %s: %u points, about %s on %u processor%s\n", width, "",
				size_names[size], points.points.count,
				time_words(&s->arena, run_estimate(&points) / jobs_here(s)), jobs_here(s),
				jobs_here(s) == 1 ? "" : "s");
		}
	}
	return s->diagnostic.failed ? STATUS_USAGE : STATUS_DONE;
}

/* ---- Folders ---- */

static void name_folder(struct session *s)
{
	s->folder = s->options.output ? s->options.output
				      : arena_printf(&s->arena, "lockstep-results/%s-%s", s->plan->name,
						size_names[s->options.size]);
}

static bool make_folders(struct session *s)
{
	if (!folder_make(arena_printf(&s->arena, "%s/results", s->folder), &s->diagnostic) ||
		!folder_make(arena_printf(&s->arena, "%s/figures", s->folder), &s->diagnostic))
		return false;
	const char *whole = folder_whole_path(&s->arena, s->folder);
	if (!whole)
		diagnose(&s->diagnostic, (struct place){.file = s->folder}, "cannot find the folder: %s",
			strerror(errno));
	s->results = arena_printf(&s->arena, "%s/results", whole ? whole : "");
	s->figures = arena_printf(&s->arena, "%s/figures", whole ? whole : "");
	return whole;
}

/* Two of us in one folder would run points twice.  The lock goes when the process does. */
static bool lock_folder(struct session *s)
{
	int folder = open(s->results, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0 && !flock(folder, LOCK_EX | LOCK_NB))
		return true;
	struct place place = {.file = s->folder};
	if (folder >= 0 && errno == EWOULDBLOCK)
		diagnose(&s->diagnostic, place, "another `lockstep experiment` is at work there");
	else
		diagnose(&s->diagnostic, place, "cannot lock the folder: %s", strerror(errno));
	return false;
}

/* ---- Before anything runs ---- */

static bool asks_well(struct session *s, const char *sql, struct place place)
{
	return database_ask(&s->arena, s->db, sql, place, &s->diagnostic).kind != ANSWER_WRONG;
}

/* Asks everything of a database without results, so that what is wrong in the SQL is said now and not after hours. */
static bool try_questions(struct session *s)
{
	const struct plan *plan = s->plan;
	s->db = database_open(NULL, &s->diagnostic);
	bool good = s->db && collect_schema(s->db, &s->diagnostic) && collect_views(s->db, plan, &s->diagnostic);
	for (uint32_t k = 0; good && k < plan->claims.count; k++)
		good = asks_well(s, plan->claims.at[k].value, plan->claims.at[k].place);
	for (uint32_t k = 0; good && k < plan->figures.count; k++)
		good = asks_well(s, plan->figures.at[k].rows, plan->figures.at[k].place) &&
		       (!plan->figures.at[k].marks ||
			       asks_well(s, plan->figures.at[k].marks, plan->figures.at[k].place));
	sqlite3_close(s->db);
	s->db = NULL;
	return good;
}

static void check_set(struct session *s, const char *name)
{
	struct names known = {0};
	for (uint32_t k = 0; k < s->plan->sets.count; k++)
		*vector_push(&s->arena, &known) = s->plan->sets.at[k].name;
	if (names_have(&known, name))
		return;
	bool is_near = text_nearest(name, known.at, known.count); /* then it is said without the file */
	text_refuse_unknown(&s->diagnostic, (struct place){.file = is_near ? NULL : s->plan->file}, "set", name,
		known.at, known.count, "one of this file's");
}

static bool check_files(struct session *s)
{
	const struct plan *plan = s->plan;
	for (uint32_t k = 0; k < plan->figures.count; k++) {
		const struct figure *f = &plan->figures.at[k];
		if (f->template && access(plan_path(&s->arena, plan, f->template), R_OK))
			diagnose(&s->diagnostic, f->place, "cannot read the template '%s': %s", f->template,
				strerror(errno));
	}
	for (uint32_t k = 0; k < s->options.only.count; k++)
		check_set(s, s->options.only.at[k]);
	return !s->diagnostic.failed;
}

/* ---- Afterwards ---- */

static bool collect_all(struct session *s)
{
	const char *file = arena_printf(&s->arena, "%s/results.sqlite", s->folder);
	if (!collect(&s->arena, s->plan, &s->points, s->results, file, s->statuses, &s->diagnostic))
		return false;
	s->db = database_open(file, &s->diagnostic);
	return s->db && samples_open(&s->arena, s->plan, &s->points, file, &s->samples, &s->diagnostic);
}

static void judge_all(struct session *s)
{
	const struct plan *plan = s->plan;
	s->verdicts = arena_new_array(&s->arena, struct verdict, plan->claims.count + 1);
	for (uint32_t k = 0; k < plan->claims.count && !s->diagnostic.failed; k++)
		judge_claim(&s->arena, &s->samples, plan, &plan->claims.at[k], &s->points, s->statuses, &s->verdicts[k],
			&s->diagnostic);
}

static void draw_all(struct session *s)
{
	const struct plan *plan = s->plan;
	bool can = draw_can();
	s->drawings = arena_new_array(&s->arena, struct drawing, plan->figures.count + 1);
	for (uint32_t k = 0; k < plan->figures.count && !s->diagnostic.failed; k++) {
		struct diagnostic diagnostic = {0}; /* one bad picture leaves the others */
		draw_table(&s->arena, s->db, &s->samples, &plan->figures.at[k], &s->points, s->statuses,
			&s->drawings[k], &s->diagnostic);
		if (!s->diagnostic.failed && !draw_figure(&s->arena, plan, &plan->figures.at[k], &s->drawings[k],
						     s->figures, can, &diagnostic)) {
			style_say(stderr, "%s\n", diagnostic.message);
			s->bad_figure = true;
		}
	}
	if (!can && plan->figures.count)
		style_say(stderr, "lockstep experiment: there is no gnuplot, so the figures are not drawn; all else is "
				  "written\n");
}

static bool write_page(struct session *s)
{
	struct text text = {.arena = &s->arena};
	experiment_page_write(&text, &(struct page){.plan = s->plan,
					     .points = &s->points,
					     .statuses = s->statuses,
					     .verdicts = s->verdicts,
					     .drawings = s->drawings,
					     .figures = s->figures,
					     .samples = &s->samples,
					     .db = s->db});
	return text_write_file(
		arena_printf(&s->arena, "%s/index.html", s->folder), text.at, text.length, &s->diagnostic);
}

/* The claims alone, to keep beside others. */
static bool write_summary(struct session *s)
{
	struct text text = {.arena = &s->arena};
	if (!s->plan->claims.count)
		return true;
	summary_write(&text, s->plan, &s->points, s->verdicts, s->samples.count, s->db);
	if (!text_write_file(arena_printf(&s->arena, "%s/claims.md", s->folder), text.at, text.length, &s->diagnostic))
		return false;
	text.length = 0;
	summary_write_values(&text, s->plan, &s->points, s->verdicts, s->db);
	return text_write_file(
		arena_printf(&s->arena, "%s/claims.csv", s->folder), text.at, text.length, &s->diagnostic);
}

/* ---- What is printed ---- */

static void print_claim(struct session *s, const struct claim *c, const struct verdict *v)
{
	const char *paper = arena_printf(&s->arena, "%s%s", c->paper, c->unit ? c->unit : "");
	const char *ratio = isnan(v->ratio) ? "-" : arena_printf(&s->arena, "%.2f", v->ratio);
	style_say(stdout, "%-7s %-62.62s %-13s %12s %10s %15s %6s  %s%s%s\n", c->id, plan_claim_words(&s->arena, c),
		c->role, paper, page_value(&s->arena, c, v), page_interval(&s->arena, v), ratio,
		judge_said(&s->arena, v), v->why ? ": " : "", v->why ? v->why : "");
}

/* Before any number. */
static void print_unpinned(struct session *s)
{
	const struct names said = page_unpinned(&s->arena, s->db);
	for (uint32_t k = 0; k < said.count; k++)
		style_say(stdout, "%s\n", said.at[k]);
}

/* Fitted ones come first: they confirm nothing. */
static void print_claims(struct session *s)
{
	const struct plan *plan = s->plan;
	struct tally tallies[ROLE_COUNT];
	uint32_t met, all, left = plan->claims.count - judge_count_asked(plan, s->verdicts, tallies);
	if (!plan->claims.count)
		return;
	style_say(stdout, "%-7s %-62s %-13s %12s %10s %15s %6s  %s\n", "claim", "what", "role", "paper", "ours",
		"95 % interval", "ratio", "result");
	for (uint32_t k = 0; k < plan->claims.count; k++)
		if (!s->verdicts[k].unasked)
			print_claim(s, &plan->claims.at[k], &s->verdicts[k]);
	if (left)
		style_say(stdout, "%u more claim%s on points that were not asked for (--only)\n", left,
			left == 1 ? " rests" : "s rest");
	for (uint32_t role = 0; role < ROLE_COUNT; role++)
		if (tallies[role].all)
			style_say(stdout, "%-13s %3u claims: %s\n", role_names[role], tallies[role].all,
				judge_tally(&s->arena, &tallies[role]));
	const char *ids = judge_met(&s->arena, plan, s->verdicts, &met, &all);
	style_say(stdout, "met, not fitted: %u of %u%s%s\n", met, all, met ? ": " : "", ids);
	style_say(stdout, "%u seed%s\n", s->samples.count, s->samples.count == 1 ? "" : "s");
}

/* How many have not passed. */
static uint32_t print_failed(struct session *s)
{
	uint32_t failed = 0;
	for (uint32_t k = 0; k < s->points.points.count; k++) {
		const struct status *status = &s->statuses[k];
		if (!status->failed)
			continue;
		if (!failed++)
			style_say(stdout, "points without a result:\n");
		const char *line = text_last_line(&s->arena, status->output);
		style_say(stdout, "  %s: %s%s%s\n", status->outcome, s->points.points.at[k].name, *line ? ": " : "",
			line);
	}
	return failed;
}

static bool all_are_strict(const struct session *s)
{
	for (uint32_t k = 0; k < s->plan->claims.count; k++)
		if (!judge_is_strict(&s->verdicts[k]))
			return false;
	return true;
}

/* ---- The whole ---- */

static int print_points(struct session *s)
{
	for (uint32_t k = 0; k < s->points.points.count; k++)
		printf("%s\n", points_shell(&s->arena, &s->points.points.at[k], s->results));
	return STATUS_DONE;
}

static bool run_here(struct session *s, const bool *wanted, struct run_outcome *outcome)
{
	struct run_options options = {.folder = s->results,
		.wanted = wanted,
		.jobs = wanted ? 1 : jobs_here(s),
		.time_limit = s->plan->time_limit[s->options.size],
		.file_limit = &s->file_limit};
	return run_points(&s->points, &options, outcome, &s->diagnostic);
}

/* In a job: its part of the points.  All was checked before it was submitted. */
static int run_task(struct session *s)
{
	struct run_outcome outcome;
	bool *wanted = arena_new_array(&s->arena, bool, s->points.points.count + 1);
	if (!task_wanted(&s->arena, &s->points, s->options.task, wanted, &s->diagnostic) ||
		!run_here(s, wanted, &outcome))
		return STATUS_USAGE;
	return outcome.stopped ? STATUS_STOPPED : STATUS_DONE;
}

/* This command again, of the same points. */
static const char *const *words_of_task(struct session *s)
{
	const struct experiment_options *o = &s->options;
	VECTOR(const char *) words = {0};
	*vector_push(&s->arena, &words) = whole_path(&s->arena, "/proc/self/exe");
	*vector_push(&s->arena, &words) = whole_path(&s->arena, s->plan->folder);
	*vector_push(&s->arena, &words) = arena_printf(&s->arena, "--size=%s", size_names[o->size]);
	*vector_push(&s->arena, &words) = arena_printf(&s->arena, "--output=%s", whole_path(&s->arena, s->folder));
	for (uint32_t k = 0; k < o->only.count; k++)
		*vector_push(&s->arena, &words) = arena_printf(&s->arena, "--only=%s", o->only.at[k]);
	if (o->clang)
		*vector_push(&s->arena, &words) = arena_printf(&s->arena, "--clang=%s", o->clang);
	if (o->seeds)
		*vector_push(&s->arena, &words) = arena_printf(&s->arena, "--seeds=%u", o->seeds);
	*vector_push(&s->arena, &words) = NULL;
	return words.at;
}

static bool run_on_slurm(struct session *s, struct run_outcome *outcome)
{
	const struct experiment_options *o = &s->options;
	struct cluster_options options = {.results = s->results,
		.folder = arena_printf(&s->arena, "%s/slurm", whole_path(&s->arena, s->folder)),
		.here = whole_path(&s->arena, "."),
		.words = words_of_task(s),
		.together = o->jobs,
		.task_seconds = o->task_seconds,
		.bytes = o->memory_mib << 20,
		.partition = o->partition,
		.account = o->account,
		.sbatch = o->sbatch.at,
		.sbatch_count = o->sbatch.count,
		.waits = CLUSTER_WAITS};
	return cluster_run(s->plan, &s->points, &options, outcome, &s->diagnostic);
}

static void say_beginning(const struct session *s)
{
	if (isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "lockstep experiment: %s, size %s: %u points, ", s->plan->name, size_names[s->options.size],
		s->points.points.count);
	if (s->options.on_slurm)
		fprintf(stderr, "on Slurm\n");
	else
		fprintf(stderr, "%u at a time\n", jobs_here(s));
}

/* False: stopped, or an error. */
static bool run(struct session *s)
{
	struct run_outcome outcome;
	uint32_t all = s->points.points.count;
	say_beginning(s);
	if (!(s->options.on_slurm ? run_on_slurm(s, &outcome) : run_here(s, NULL, &outcome)))
		return false;
	if (outcome.stopped)
		style_say(stderr,
			"lockstep experiment: stopped, %u of %u points are done; the same command goes on from there\n",
			outcome.ran + outcome.had, all);
	else
		style_say(stderr, "lockstep experiment: %u points run, %u had run before\n", outcome.ran, outcome.had);
	if (outcome.lost)
		style_say(stderr, "lockstep experiment: %u points were lost %d times each, and given up\n",
			outcome.lost, CLUSTER_ATTEMPTS);
	return !outcome.stopped;
}

static int evaluate(struct session *s)
{
	if (collect_all(s))
		judge_all(s);
	if (!s->diagnostic.failed)
		draw_all(s);
	if (s->diagnostic.failed || !write_page(s) || !write_summary(s))
		return STATUS_USAGE;
	print_unpinned(s);
	print_claims(s);
	uint32_t failed = print_failed(s);
	style_say(stdout, "%s/index.html\n", s->folder);
	if (s->bad_figure)
		return STATUS_USAGE;
	return failed || (s->options.strict && !all_are_strict(s)) ? STATUS_NOT_ALL : STATUS_DONE;
}

/* Of the points that have not run. */
static bool try_options(struct session *s)
{
	name_folder(s);
	const char *results = arena_printf(&s->arena, "%s/results", s->folder);
	if (s->options.collect || s->options.task)
		return true;
	return trial_of_options(&s->arena, &s->points, results, &s->diagnostic) &&
	       (s->options.points || trial_of_pinned(&s->arena, &s->points, results, &s->diagnostic));
}

static int experiment(struct session *s)
{
	const char *folder = find_experiment(s);
	s->plan = folder ? plan_read(&s->arena, folder, &s->diagnostic) : NULL;
	if (s->plan && s->options.seeds)
		plan_limit_seeds(s->plan, s->options.seeds);
	if (!s->plan || !check_files(s) || (!s->options.task && !try_questions(s)) ||
		!points_make(&s->arena, s->plan, s->options.size, &s->options.only, NULL, &s->points, &s->diagnostic) ||
		!try_options(s) || !make_folders(s))
		return STATUS_USAGE;
	s->statuses = arena_new_array(&s->arena, struct status, s->points.points.count + 1);
	if (s->options.points)
		return print_points(s);
	if (s->options.task)
		return run_task(s);
	if (!lock_folder(s))
		return STATUS_USAGE;
	if (!s->options.collect && !run(s))
		return s->diagnostic.failed ? STATUS_USAGE : STATUS_STOPPED;
	return evaluate(s);
}

int main(int count, char **words)
{
	struct session s = {0};
	sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN},
		&s.file_limit); /* such a write fails, and is reported */
	int status = STATUS_DONE;
	if (!experiment_options_read(&s.arena, &s.options, count, words, &s.diagnostic))
		status = STATUS_USAGE;
	else if (s.options.help)
		experiment_options_print();
	else if (!strcmp(s.options.name, "list"))
		status = list(&s);
	else
		status = experiment(&s);
	if (s.diagnostic.failed)
		style_say(stderr, "%s\n", s.diagnostic.message);
	sqlite3_close(s.db);
	if (s.plan)
		samples_close(&s.samples, s.plan);
	arena_free(&s.arena);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "cannot write to standard output: %s\n", strerror(errno));
		status = STATUS_USAGE;
	}
	return status;
}
