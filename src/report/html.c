/* --report html, and the page itself: page.html with the files and the data that it names between {{ and }}. */
#include "report/comparison.h"
#include "report/page.h"
#include "report/page_files.h"
#include "report/reporter.h"
#include "report/sources.h"

#include <assert.h>
#include <json-c/json.h>
#include <string.h>

static const char *file_text(const char *name, size_t length)
{
	for (size_t k = 0; k < page_file_count; k++)
		if (strlen(page_files[k].name) == length && !memcmp(page_files[k].name, name, length))
			return page_files[k].text;
	assert(false); /* page.html names no other */
	return "";
}

/* JSON as the text of an element script: what ends one, or begins a comment, is not in it, since '<' stands in JSON
 * only where a string may have \u003c. */
static void append_data(struct text *out, json_object *data)
{
	size_t length = 0;
	const char *text = json_object_to_json_string_length(
		data, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
	const char *end = text + length, *next;
	for (; (next = memchr(text, '<', (size_t)(end - text))); text = next + 1) {
		text_append(out, text, (size_t)(next - text));
		text_append(out, "\\u003c", 6);
	}
	text_append(out, text, (size_t)(end - text));
}

void page_write(struct text *out, const struct page_result *results, size_t count)
{
	const char *text = file_text("page.html", strlen("page.html")), *open;
	json_object *data = page_data(results, count);
	while ((open = strstr(text, "{{"))) {
		const char *name = open + 2, *close = strstr(name, "}}");
		size_t length = (size_t)(close - name);
		text_append(out, text, (size_t)(open - text));
		if (length == 4 && !memcmp(name, "data", 4)) {
			append_data(out, data);
		} else {
			const char *file = file_text(name, length);
			text_append(out, file, strlen(file));
		}
		text = close + 2;
	}
	text_append(out, text, strlen(text));
	json_object_put(data);
}

/* ---- The reporter ---- */

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
