/* `lockstep lint`: the spin loops of a file, and which of them can block a warp; nothing runs. */
#include "cli/cli.h"
#include "cli/compile.h"
#include "cli/options.h"
#include "report/reports.h"
#include "report/sarif.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

static size_t count_suspected(const struct lockstep_finding *findings, size_t count)
{
	size_t suspected = 0;
	for (size_t k = 0; k < count; k++)
		suspected += !strcmp(findings[k].certainty, "suspected");
	return suspected;
}

static void print_text(struct text *out, const char *file, const struct lockstep_finding *findings, size_t count)
{
	for (size_t k = 0; k < count; k++)
		report_finding(out, &findings[k]);
	text_print(out, "%s%s: %zu spin loop%s, %zu of which can block a warp\n", count ? "\n" : "", file, count,
		count == 1 ? "" : "s", count_suspected(findings, count));
}

static void write_sarif(
	const struct options *o, const struct lockstep_finding *findings, size_t count, struct report *report)
{
	json_object *list = report_finding_list(findings, count);
	report_sarif_file(o->findings, o->arena, list, report);
	json_object_put(list);
}

/* Status 3 as for a hang: one may happen. */
static int lint(struct lockstep *gpu, struct options *o, struct report *report)
{
	struct text text = {.arena = o->arena};
	struct lockstep_error error;
	const struct lockstep_finding *findings = NULL;
	const char *name = NULL, *ptx = compile_or_read(o->arena, o->file, &name, report);
	struct lockstep_module *module = ptx ? lockstep_load(gpu, name, ptx, &error) : NULL;
	if (ptx && !module)
		report_error(report, (struct place){0}, "%s", error.message);
	if (!module)
		return fail(report);
	size_t count = lockstep_lint(module, &findings);
	if (o->json)
		report_json_lint(&text, o->file, findings, count);
	else
		print_text(&text, o->file, findings, count);
	if (o->findings)
		write_sarif(o, findings, count, report);
	if (!report->failed && o->output)
		text_write_file(o->output, text.at, text.length, report);
	else if (!report->failed)
		print_all(text.at, text.length, report);
	return report->failed ? fail(report) : count_suspected(findings, count) ? STATUS_HANG : STATUS_COMPLETED;
}

int command_lint(int count, char **words)
{
	struct arena arena = {0};
	struct report report = {0};
	struct options options = {.arena = &arena, .command = "lockstep lint", .user = OPTIONS_LINT};
	struct lockstep_options machine = {0};
	struct lockstep_error error;
	int status = STATUS_COMPLETED;
	if (!options_read(&options, count, words, &report)) {
		status = fail(&report);
	} else if (options.help) {
		print_usage(words[0]);
		options_print(OPTIONS_LINT);
	} else {
		struct lockstep *gpu = lockstep_open(&machine, &error);
		status = gpu ? lint(gpu, &options, &report) : fail_line("%s", error.message);
		if (gpu)
			lockstep_close(gpu);
	}
	arena_free(&arena);
	return status;
}
