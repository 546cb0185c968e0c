/* --report html: the page of what has just run, made from its JSON report. */
#include "report/comparison.h"
#include "report/page.h"
#include "report/reporter.h"
#include "report/sources.h"

#include <json-c/json.h>

/* The report goes. */
static void write_page(struct text *out, const char *name, json_object *report)
{
	page_write(out, &(struct page_result){.name = name, .report = report}, 1);
	json_object_put(report);
}

static void report_kernel(struct text *out, const struct lockstep *gpu, const struct lockstep_options *options,
	const struct report_findings *findings, const struct dumped *dumps, size_t dump_count)
{
	(void)dumps; /* the page does not show buffers */
	(void)dump_count;
	write_page(out, "", report_kernel_object(gpu, options, findings, NULL, 0));
}

static void report_run(struct text *out, const struct run_summary *run)
{
	write_page(out, "", report_run_object(run));
}

static void report_lint(struct text *out, const char *file, const struct lockstep_finding *findings, size_t count)
{
	json_object *report = json_object_new_object();
	json_object_object_add(report, "findings", report_finding_list(findings, count, NULL));
	sources_add_to(report);
	write_page(out, file, report);
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
