/* Reports as JSON, for programs that have the library and not the command. */
#include "api/api.h"

#include "report/reporter.h"
#include "report/suppressions.h"

#include <json-c/json.h>

/* An empty text, where the last report was. */
static struct text begin(struct lockstep *lockstep)
{
	arena_free(&lockstep->report);
	return (struct text){.arena = &lockstep->report};
}

const char *lockstep_report(struct lockstep *lockstep)
{
	struct text out = begin(lockstep);
	const struct suppressions none = {0};
	json_object *findings = report_findings(lockstep);

	reporter_find("json")->kernel(&out, lockstep, &lockstep->gpu.options,
		&(struct report_findings){.all = findings, .suppressions = &none}, NULL, 0);
	json_object_put(findings);
	return out.at;
}

const char *lockstep_report_launch(struct lockstep *lockstep, const struct lockstep_result *result)
{
	struct text out = begin(lockstep);
	json_object *launch = report_launch(result);

	json_object_object_add(
		launch, "findings", report_finding_list(result->findings, result->finding_count, result->kernel));
	report_print_as(&out, launch, JSON_C_TO_STRING_PLAIN);
	return out.at;
}
