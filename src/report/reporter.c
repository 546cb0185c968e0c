/* The table of reporters: see reporter.h. */
#include "report/reporter.h"

#include <string.h>

#define REPORTER(name) extern const struct reporter reporter_##name;
#define FINDINGS(name) extern const struct findings_reporter findings_##name;
#include "report/reporters.def"
#undef REPORTER
#undef FINDINGS

static const struct reporter *const reporters[] = {
#define REPORTER(name) &reporter_##name,
#define FINDINGS(name)
#include "report/reporters.def"
#undef REPORTER
#undef FINDINGS
};

static const struct findings_reporter *const findings_reporters[] = {
#define REPORTER(name)
#define FINDINGS(name) &findings_##name,
#include "report/reporters.def"
#undef REPORTER
#undef FINDINGS
};

const char reporter_choices[] =
#define REPORTER(name) "|" #name
#define FINDINGS(name)
#include "report/reporters.def"
#undef REPORTER
#undef FINDINGS
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

const char *reporter_names(struct arena *arena, const char *last, bool litmus)
{
	struct text text = {.arena = arena};
	size_t left = 0;

	for (size_t k = 0; k < REPORTERS; k++)
		left += !litmus || reporters[k]->litmus;
	for (size_t k = 0; k < REPORTERS; k++)
		if (!litmus || reporters[k]->litmus)
			text_print(&text, "%s%s",
				!text.length ? ""
				: left == 1  ? last
					     : ", ",
				reporters[k]->name),
				left--;
	return text.at;
}

size_t reporter_count_suspected(const struct lockstep_finding *findings, size_t count)
{
	size_t suspected = 0;

	for (size_t k = 0; k < count; k++)
		suspected += !strcmp(findings[k].certainty, "suspected");
	return suspected;
}

void reporter_write_findings(
	const char *path, struct arena *arena, struct json_object *findings, struct diagnostic *diagnostic)
{
	struct text text = {.arena = arena};

	findings_reporters[0]->write(&text, findings);
	text_write_file(path, text.at, text.length, diagnostic);
}
