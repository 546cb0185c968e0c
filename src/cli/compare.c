/* `lockstep compare`: what differs between two JSON reports. */
#include "cli/options.h"
#include "report/comparison.h"

int command_compare(struct options *o, struct diagnostic *diagnostic)
{
	struct comparison comparison;
	struct text text = {.arena = o->arena};
	const char *files[] = {o->file, o->second_file};
	if (!comparison_read(&comparison, o->arena, files, diagnostic))
		return fail(diagnostic);
	o->report.reporter->compare(&text, &comparison, o->counters ? o->counters : UINT32_MAX);
	comparison_free(&comparison);
	return options_write(o, &text, diagnostic) ? STATUS_COMPLETED : fail(diagnostic);
}
