/* The table of reporters: see reporter.h. */
#include "report/reporter.h"

#include <string.h>

#define REPORTER(name) extern const struct reporter reporter_##name;
#include "report/reporters.def"
#undef REPORTER

static const struct reporter *const reporters[] = {
#define REPORTER(name) &reporter_##name,
#include "report/reporters.def"
#undef REPORTER
};

const char reporter_choices[] =
#define REPORTER(name) "|" #name
#include "report/reporters.def"
#undef REPORTER
	;

#define REPORTERS (sizeof reporters / sizeof *reporters)

const struct reporter *reporter_find(const char *name)
{
	if (!name)
		return reporters[0];
	for (size_t k = 0; k < REPORTERS; k++)
		if (!strcmp(reporters[k]->name, name))
			return reporters[k];
	return NULL;
}

const char *reporter_names(struct arena *arena, bool litmus)
{
	const char *names[REPORTERS];
	size_t count = 0;

	for (size_t k = 0; k < REPORTERS; k++)
		if (!litmus || reporters[k]->litmus)
			names[count++] = reporters[k]->name;
	return text_alternatives(arena, names, count);
}

size_t reporter_count_suspected(const struct lockstep_finding *findings, size_t count)
{
	size_t suspected = 0;

	for (size_t k = 0; k < count; k++)
		suspected += !strcmp(findings[k].certainty, "suspected");
	return suspected;
}

void reporter_write_findings(const char *path, struct arena *arena, const char *file, struct json_object *findings,
	struct diagnostic *diagnostic)
{
	struct text text = {.arena = arena};

	sarif_write(&text, file, findings);
	text_write_file(path, text.at, text.length, diagnostic);
}
