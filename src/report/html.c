/* --report html: the page of what has just run, made from its JSON report. */
#include "report/comparison.h"
#include "report/page.h"
#include "report/reporter.h"
#include "report/sources.h"

#include <json-c/json.h>

extern const struct reporter reporter_json;

/* Of a report as JSON, which is in `json`. */
static void write_json(struct text *out, const char *name, const struct text *json)
{
	struct page_result result = {.name = name, .report = json_tokener_parse(json->at)};
	page_write(out, &result, 1);
	json_object_put(result.report);
}

static void report_kernel(struct text *out, const struct lockstep *gpu, const struct lockstep_options *options,
	const struct report_findings *findings, const struct dumped *dumps, size_t dump_count)
{
	struct arena arena = {0};
	struct text json = {.arena = &arena};
	(void)dumps; /* the page does not show buffers */
	(void)dump_count;
	reporter_json.kernel(&json, gpu, options, findings, NULL, 0);
	write_json(out, "", &json);
	arena_free(&arena);
}

static void report_run(struct text *out, const struct run_summary *run)
{
	struct arena arena = {0};
	struct text json = {.arena = &arena};
	report_run_json(&json, run);
	write_json(out, "", &json);
	arena_free(&arena);
}

static void report_lint(struct text *out, const char *file, const struct lockstep_finding *findings, size_t count)
{
	json_object *report = json_object_new_object();
	struct page_result result = {.name = file, .report = report};
	json_object_object_add(report, "findings", report_finding_list(findings, count, NULL));
	sources_add_to(report);
	page_write(out, &result, 1);
	json_object_put(report);
}

static void report_comparison(struct text *out, const struct comparison *c, uint32_t most)
{
	struct page_result results[] = {{.name = c->file[BEFORE], .report = c->report[BEFORE]},
		{.name = c->file[AFTER], .report = c->report[AFTER]}};
	(void)most; /* all of them */
	page_write(out, results, 2);
}

const struct reporter reporter_html = {.name = "html",
	.complete = true,
	.is_page = true,
	.kernel = report_kernel,
	.run = report_run,
	.lint = report_lint,
	.compare = report_comparison};
