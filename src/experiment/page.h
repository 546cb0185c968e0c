/* One HTML page that says what was run and what came out, and needs nothing but itself. */
#ifndef LOCKSTEP_EXPERIMENT_PAGE_H
#define LOCKSTEP_EXPERIMENT_PAGE_H

#include "experiment/draw.h"
#include "util/text.h"

struct page {
	const struct plan *plan;
	const struct points *points;
	const struct status *statuses;  /* one for each point */
	const struct verdict *verdicts; /* of each claim */
	const struct drawing *drawings; /* of each figure */
	const char *figures;            /* the folder with the drawn ones */
	const struct samples *samples;
	sqlite3 *db;
};

/* Appends the page.  The same results give the same bytes. */
void experiment_page_write(struct text *out, const struct page *page);

/* A number for people: 15 digits become 3; what is no number stays.  */
const char *page_number(struct arena *arena, const char *value);
/* A sentence for each compiler and reason by which kernels were not the pinned ones, so that numbers may be others than
 * those that pages state; none: all were pinned, or nothing is. */
struct names page_unpinned(struct arena *arena, sqlite3 *db);
/* A sentence for each compiler: which programs' kernels it made, and whether they are pinned. */
struct names page_kernels(struct arena *arena, sqlite3 *db);
/* On which days the points ran: "2026-01-02", "2026-01-02 to 2026-01-04"; "": not known. */
const char *page_dates(struct arena *arena, sqlite3 *db);
/* Ours, with the unit; of a trend yes or no; "-": not measured. */
const char *page_value(struct arena *arena, const struct claim *claim, const struct verdict *verdict);
/* "1.2 to 1.4"; "-": the verdict has no interval. */
const char *page_interval(struct arena *arena, const struct verdict *verdict);

/* The claims that a control with a parameter moves, and how; "none". */
const char *page_moves(struct arena *arena, const struct plan *plan, const struct verdict *verdicts, uint32_t control);

/* The claims and how they came out as a table of Markdown, to keep beside those of other runs (summary.c).  Appends it,
 * with the build and the dates of the points, the processor of this machine, and what the claims of each role sum to.
 * `seeds`: of how many values are means.  But for the processor the same results give the same bytes. */
void summary_write(struct text *out, const struct plan *plan, const struct points *points,
	const struct verdict *verdicts, uint32_t seeds, sqlite3 *db);
/* The same for programs, as CSV with quotes: each claim's value with each seed, the interval, the result.  The first
 * line, after a '#', has the hashes of plan, build and PTX; there is no date and no processor.  Claims whose points
 * were not asked for are left out. */
void summary_write_values(struct text *out, const struct plan *plan, const struct points *points,
	const struct verdict *verdicts, sqlite3 *db);

#endif
