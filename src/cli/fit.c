/* `lockstep fit`: a GPU model against a table that workloads/silicon has written on a card. */
#include "fit/fit.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "util/folder.h"
#include "util/jobs.h"

#include <unistd.h>

/* Beside the command, or where it is installed. */
static bool find_program(struct fit *fit, struct diagnostic *diagnostic)
{
	const char *own = folder_own(fit->arena);
	const char *places[] = {arena_printf(fit->arena, "%s/workloads/silicon", own),
		arena_printf(fit->arena, "%s/../lib/lockstep/workloads/silicon", own)};

	for (size_t k = 0; k < sizeof places / sizeof *places && !fit->program; k++)
		if (!access(places[k], X_OK))
			fit->program = folder_whole_path(fit->arena, places[k]);
	return fit->program || diagnose(diagnostic, (struct place){0},
				       "lockstep fit: there is no workloads/silicon beside the command, expected a "
				       "build with workloads");
}

static bool open_model(struct fit *fit, struct diagnostic *diagnostic)
{
	struct lockstep_error error;
	struct lockstep_options options = {.size = sizeof options, .gpu = fit->model};

	fit->gpu = lockstep_open(&options, &error);
	return fit->gpu || diagnose(diagnostic, (struct place){0}, "%s", error.message);
}

static bool write_file(const struct fit *fit, const char *name, void (*write)(const struct fit *fit, struct text *out),
	struct text *report, struct diagnostic *diagnostic)
{
	struct text text = {.arena = fit->arena};
	const char *path = arena_printf(fit->arena, "%s/%s", fit->folder, name);

	write(fit, &text);
	text_print(report, "%s\n", path);
	return text_write_file(path, text.at, text.length, diagnostic);
}

static int report(const struct options *o, const struct fit *fit, struct diagnostic *diagnostic)
{
	struct text text = {.arena = fit->arena}, files = {.arena = fit->arena};
	bool is_text = !o->report.reporter->complete;

	(is_text ? fit_write_report : fit_write_json)(fit, &text);
	if (!write_file(fit, "points.csv", fit_write_csv, &files, diagnostic) ||
		(fit_proposals(fit) && !write_file(fit, "fitted.cfg", fit_write_model, &files, diagnostic)))
		return fail(diagnostic);
	if (is_text)
		text_print(&text, "\n%s", files.at);
	struct text folded = options_fold(o, &text, STDOUT_FILENO);
	return print_all(folded.at, folded.length, diagnostic) ? STATUS_COMPLETED : fail(diagnostic);
}

static bool simulate(struct fit *fit, struct diagnostic *diagnostic)
{
	return fit_compare(fit, false, diagnostic) && fit_search_all(fit, diagnostic) &&
	       (!fit_proposals(fit) || fit_compare(fit, true, diagnostic));
}

int command_fit(struct options *o, struct diagnostic *diagnostic)
{
	struct fit *fit = &o->fit;
	int status;

	fit->arena = o->arena;
	fit->model = o->file;
	fit->file = o->second_file;
	fit->jobs = o->jobs ? o->jobs : jobs_processors();
	fit->folder = o->report.output ? o->report.output : "lockstep-results/fit";
	if (!open_model(fit, diagnostic))
		return fail(diagnostic);
	if (!fit_read(fit, diagnostic) || !find_program(fit, diagnostic))
		status = fail(diagnostic);
	else if (simulate(fit, diagnostic))
		status = report(o, fit, diagnostic);
	else
		status = fit->stopped ? STATUS_COMPLETED : fail(diagnostic);
	lockstep_close(fit->gpu);
	if (fit->stopped)
		signals_die_by(fit->stopped);
	return status;
}
