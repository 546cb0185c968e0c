/* `lockstep sweep`: a command run for each combination of values, as a table, CSV and a picture. */
#include "sweep/sweep.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "util/jobs.h"

#include <unistd.h>

/* A run failed: it has no result. */
enum { STATUS_FAILED = 1 };

static bool write_csv(const struct sweep *s, const char **file, struct diagnostic *diagnostic)
{
	struct text text = {.arena = s->arena};

	*file = arena_printf(s->arena, "%s/sweep.csv", s->folder);
	sweep_write_csv(s, &text);
	return text_write_file(*file, text.at, text.length, diagnostic);
}

/* A line for each different message of runs that failed. */
static uint32_t tell_failed(const struct sweep *s)
{
	uint32_t failed = 0;
	const char *last = NULL;

	for (uint32_t k = 0; k < s->runs; k++) {
		const struct sweep_run *run = &s->run[k];

		if (strcmp(run->outcome, "failed"))
			continue;
		failed++;
		if (run->message && (!last || strcmp(last, run->message)))
			fail_line("lockstep sweep: run %u failed: %s", k + 1, run->message);
		last = run->message ? run->message : last;
	}
	return failed;
}

static int report(const struct options *o, const struct sweep *s, struct diagnostic *diagnostic)
{
	struct text text = {.arena = s->arena};
	const char *csv = NULL, *picture = NULL;

	if (!write_csv(s, &csv, diagnostic) || !sweep_check_values(s, diagnostic) ||
		!sweep_draw(s, &picture, diagnostic))
		return fail(diagnostic);
	sweep_write_table(s, &text);
	text_print(&text, "\n%s%s%s\n", csv, picture ? "\n" : "", picture ? picture : "");
	struct text folded = options_fold(o, &text, STDOUT_FILENO);
	if (!print_all(folded.at, folded.length, diagnostic))
		return fail(diagnostic);
	return tell_failed(s) ? STATUS_FAILED : STATUS_COMPLETED;
}

int command_sweep(struct options *o, struct diagnostic *diagnostic)
{
	struct sweep *s = &o->sweep;
	int stopped = 0;
	static char *none[] = {NULL};

	s->words = o->program ? o->program : none;
	s->jobs = o->jobs ? o->jobs : jobs_processors();
	s->folder = o->report.output ? o->report.output : "lockstep-results/sweep";
	if (!s->values.count)
		*vector_push(s->arena, &s->values) = "cycles";
	if (!sweep_check(s, diagnostic))
		return fail(diagnostic);
	if (!sweep_run_all(s, &stopped, diagnostic)) {
		if (stopped)
			signals_die_by(stopped);
		return fail(diagnostic);
	}
	return report(o, s, diagnostic);
}
