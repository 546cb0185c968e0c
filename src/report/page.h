/* Results as one page for a browser, without network: what was found, what cost most, pictures, source, counters.
 *
 * The page is the files of src/report/page/ and a plotting library, with the results in it as JSON: sums by kernel, and
 * of the launches and samples as many as a browser opens at once.  Its scripts make the rest. */
#ifndef LOCKSTEP_REPORT_PAGE_H
#define LOCKSTEP_REPORT_PAGE_H

#include "util/text.h"

struct json_object;

/* A report of schema lockstep-report/1, and what it is called. */
struct page_result {
	const char *name;
	struct json_object *report;
	struct json_object *timeline; /* of its run, as --trace writes it; or null */
};

/* page_data.c: the data of the page, results made small enough for a browser, as an object, the caller's. */
struct json_object *page_data(const struct page_result *results, size_t count);
/* timeline_data.c: what each warp did when, of a timeline as --trace writes it, the caller's: "rows", the names of
 * warps; "slices", each [row, first cycle, cycles, what, work-group]; "left_out", how many there are more. */
struct json_object *timeline_data(struct json_object *file);

/* Appends the page.  Of several results the first is what the others are compared with. */
void page_write(struct text *out, const struct page_result *results, size_t count);

#endif
