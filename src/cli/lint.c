/* `lockstep lint`: the spin loops of a file, and which of them can block a warp; nothing runs. */
#include "cli/options.h"

#include <json-c/json.h>

static void write_findings(
	const struct options *o, const struct lockstep_finding *findings, size_t count, struct diagnostic *diagnostic)
{
	json_object *list = report_finding_list(findings, count, NULL);
	reporter_write_findings(o->report.findings, o->arena, o->file, list, diagnostic);
	json_object_put(list);
}

/* Status 3 as for a hang: one may happen. */
static int lint_on(struct lockstep *gpu, struct options *o, struct diagnostic *diagnostic)
{
	struct text text = {.arena = o->arena};
	const struct lockstep_finding *findings = NULL;
	const char *ptx;
	struct lockstep_module *module = compile_and_load(gpu, o->arena, o->file, o->definitions.at, &ptx, diagnostic);
	if (!module)
		return fail(diagnostic);
	size_t count = lockstep_lint(module, &findings);
	o->report.reporter->lint(&text, o->file, findings, count);
	if (o->report.findings)
		write_findings(o, findings, count, diagnostic);
	options_write(o, &text, diagnostic);
	return diagnostic->failed                          ? fail(diagnostic)
	       : reporter_count_suspected(findings, count) ? STATUS_HANG
							   : STATUS_COMPLETED;
}

int command_lint(struct options *o, struct diagnostic *diagnostic)
{
	struct lockstep_options machine = {.size = sizeof machine};
	struct lockstep_error error;
	struct lockstep *gpu = lockstep_open(&machine, &error);
	int status = gpu ? lint_on(gpu, o, diagnostic) : fail_line("%s", error.message);
	lockstep_close(gpu);
	return status;
}
