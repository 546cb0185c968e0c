/* The HTML page: claims, figures inlined as SVG, numbers, command lines, configurations.  All that is not ours is
 * escaped. */
#include "experiment/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char style[] =
	":root{color-scheme:light "
	"dark;--ink:#1b1d21;--paper:#ffffff;--quiet:#5c636e;--line:#d9dde3;--wash:#f4f6f8;--good:#0b6b3a;--bad:#a3261b;"
	"--said:#7a5200}\n"
	"@media "
	"(prefers-color-scheme:dark){:root{--ink:#e4e6ea;--paper:#15171a;--quiet:#a1a8b3;--line:#363b43;--wash:#1f2227;"
	"--good:#6fcf97;--bad:#ff8f85;--said:#f0c060}\n"
	"figure svg{background:#eae8e5;filter:invert(1) hue-rotate(180deg)}}\n"
	"body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:66rem;margin:2rem "
	"auto;padding:0 1rem}\n"
	"h1{font-size:1.7rem;line-height:1.25;margin-bottom:.3rem}h2{font-size:1.25rem;margin-top:2.5rem;border-bottom:"
	"1px solid var(--line)}\n"
	"p.quiet,figcaption .quiet,.why{color:var(--quiet)}\n"
	"table{border-collapse:collapse;font-size:.86rem;width:100%}th,td{text-align:left;padding:.25rem "
	".6rem;border-bottom:1px solid var(--line);vertical-align:top}\n"
	"th{background:var(--wash)}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}td."
	"s{white-space:nowrap}\n"
	".claims tr>:nth-child(2){width:55%}.claims .because>:nth-child(2){width:auto}tr.more "
	"td{border-bottom:0}tr.because td{color:var(--quiet);padding-top:0}\n"
	".met{color:var(--good)}.not{color:var(--bad)}.explained{color:var(--said)}.none{color:var(--quiet)}\n"
	"figure{margin:2rem 0 2.5rem;padding:0}figure svg{width:100%;height:auto;display:block}figcaption{margin:.4rem "
	"0}figcaption b{display:block}\n"
	"details{margin:.4rem 0}summary{cursor:pointer;color:var(--quiet)}.wide{overflow-x:auto}\n"
	"pre{font-size:.78rem;background:var(--wash);padding:.6rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:"
	"anywhere}code{overflow-wrap:anywhere}\n"
	"@media "
	"print{:root{color-scheme:light;--ink:#000;--paper:#fff;--quiet:#333;--line:#999;--wash:#fff;--good:#000;--bad:"
	"#000;--said:#000}\n"
	"body{max-width:none;margin:0;font-size:10.5pt}th,td{padding:.15rem .35rem}figure "
	"svg{filter:none}figure,tr,h2{break-inside:avoid}tr.because{break-before:avoid}details:not([open]){display:"
	"none}h2{break-after:avoid}thead{"
	"display:table-header-group}a{color:"
	"inherit}}\n";

/* ---- Words ---- */

static void put(struct text *out, const char *text)
{
	text_append(out, text, strlen(text));
}

static void escape(struct text *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '&')
			put(out, "&amp;");
		else if (*c == '<')
			put(out, "&lt;");
		else if (*c == '>')
			put(out, "&gt;");
		else if (*c == '"')
			put(out, "&quot;");
		else
			text_append(out, c, 1);
	}
}

/* <tag>text</tag> */
static void element(struct text *out, const char *tag, const char *text)
{
	text_print(out, "<%s>", tag);
	escape(out, text);
	text_print(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

static void paragraph(struct text *out, const char *text)
{
	if (!text || !*text)
		return;
	element(out, "p", text);
	put(out, "\n");
}

const char *page_number(struct arena *arena, const char *value)
{
	double number;
	if (!text_to_f64(value, &number) || (number == floor(number) && fabs(number) < 1e15))
		return value;
	if (fabs(number) >= 1000)
		return arena_printf(arena, "%.0f", number);
	return arena_printf(arena, "%.3g", number);
}

static bool is_number(const char *value)
{
	double number;
	return value && text_to_f64(value, &number);
}

/* ---- Tables ---- */

static void cell(struct text *out, const char *value)
{
	if (!value) {
		put(out, "<td class=\"n\">–</td>");
		return;
	}
	element(out, is_number(value) ? "td class=\"n\"" : "td", page_number(out->arena, value));
}

/* Whether the first value of the column that is not empty is a number. */
static bool has_numbers(const struct drawing *d, uint32_t column)
{
	uint32_t row = 0;
	while (row < d->rows && !d->values[row * d->columns + column])
		row++;
	return row < d->rows && is_number(d->values[row * d->columns + column]);
}

static void table_of(struct text *out, const struct drawing *d)
{
	put(out, "<div class=\"wide\"><table><thead><tr>");
	for (uint32_t k = 0; k < d->columns; k++)
		element(out, has_numbers(d, k) ? "th class=\"n\"" : "th", d->names[k]);
	put(out, "</tr></thead><tbody>\n");
	for (uint32_t row = 0; row < d->rows; row++) {
		put(out, "<tr>");
		for (uint32_t k = 0; k < d->columns; k++)
			cell(out, d->values[row * d->columns + k]);
		put(out, "</tr>\n");
	}
	put(out, "</tbody></table></div>\n");
}

static void answer_table(struct text *out, const struct page *page, const char *sql)
{
	struct diagnostic diagnostic = {0};
	struct answer a = database_ask(out->arena, page->db, sql, (struct place){0}, &diagnostic);
	if (a.kind == ANSWER_VALUES)
		table_of(out,
			&(struct drawing){.columns = a.columns, .rows = a.rows, .names = a.names, .values = a.values});
}

static const char *answer_text(struct text *out, const struct page *page, const char *sql)
{
	struct diagnostic diagnostic = {0};
	struct answer a = database_ask(out->arena, page->db, sql, (struct place){0}, &diagnostic);
	return a.kind == ANSWER_VALUES && a.rows && a.values[0] ? a.values[0] : "";
}

/* ---- Parts ---- */

static void write_head(struct text *out, const struct plan *plan)
{
	put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
	element(out, "title", plan->title);
	text_print(out, "\n<style>\n%s</style>\n</head>\n<body>\n", style);
	element(out, "h1", plan->title);
	put(out, "\n");
	if (plan->paper)
		element(out, "p class=\"quiet\"", plan->paper);
	put(out, "\n");
	paragraph(out, plan->text);
}

static uint32_t count_failed(const struct page *page)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < page->points->points.count; k++)
		count += page->statuses[k].failed;
	return count;
}

static void write_run(struct text *out, const struct page *page)
{
	const char *date = answer_text(out, page,
		"SELECT CASE WHEN min(date) = max(date) THEN max(date) ELSE min(date) || ' to ' || max(date) END FROM "
		"points WHERE date > ''");
	put(out, "<h2>What was run</h2>\n<p>");
	put(out, "Experiment ");
	escape(out, page->plan->name);
	text_print(out, ", size %s: %u of %u points have a result%s", size_names[page->points->size],
		page->points->points.count - count_failed(page), page->points->points.count, *date ? ", run on " : "");
	escape(out, date);
	text_print(out, ". Simulator build <code>%.16s</code>; programs", page->points->build.simulator);
	for (uint32_t k = 0; k < page->plan->programs.count; k++) {
		put(out, k ? ", " : " ");
		escape(out, page->plan->programs.at[k].name);
		text_print(out, " <code>%.16s</code>", page->points->build.programs[k]);
	}
	put(out, ". A build is a hash of the executable and the kernels' files.</p>\n");
}

static const char *const classes[] = {"met", "not", "explained", "none"};

static void write_claim(struct text *out, const struct claim *c, const struct verdict *v)
{
	const char *more = v->judgement == CLAIM_NOT_MEASURED ? v->why
			   : v->judgement == CLAIM_MET        ? NULL
							      : c->explanation;
	text_print(out, "<tr%s><td class=\"s\">", more ? " class=\"more\"" : "");
	escape(out, c->id);
	put(out, "</td><td>");
	escape(out, c->metric);
	if (c->part) {
		put(out, ", ");
		escape(out, c->part);
	}
	if (c->where) {
		put(out, " <span class=\"why\">(");
		escape(out, c->where);
		put(out, ")</span>");
	}
	put(out, "</td>");
	element(out, "td", c->kind);
	put(out, "<td class=\"n\">");
	escape(out, c->paper);
	escape(out, c->unit ? c->unit : "");
	put(out, "</td><td class=\"n\">");
	escape(out, !v->ours                                     ? "–"
		    : strcmp(c->kind, "trend")                   ? page_number(out->arena, v->ours)
		    : is_number(v->ours) && strcmp(v->ours, "0") ? "yes"
								 : "no");
	escape(out, v->ours && strcmp(c->kind, "trend") && c->unit ? c->unit : "");
	text_print(out, "</td><td class=\"n\">");
	if (isnan(v->ratio))
		put(out, "–");
	else
		text_print(out, "%.2f", v->ratio);
	text_print(out, "</td><td class=\"s %s\">%s</td></tr>\n", classes[v->judgement], judgement_words[v->judgement]);
	if (more) {
		put(out, "<tr class=\"because\"><td></td><td colspan=\"6\">");
		escape(out, more);
		put(out, "</td></tr>\n");
	}
}

static void write_claims(struct text *out, const struct page *page)
{
	const struct plan *plan = page->plan;
	uint32_t counts[4] = {0};
	if (!plan->claims.count)
		return;
	for (uint32_t k = 0; k < plan->claims.count; k++)
		counts[page->verdicts[k].judgement]++;
	text_print(out,
		"<h2>Claims</h2>\n<p>%u met, %u not met, %u not met with the reason said, %u not measured. A ratio is "
		"met within 35 %% "
		"where the claim names no other "
		"tolerance, a factor (x) also on the same side of 1; exact claims must be equal; a trend holds or "
		"not.</p>\n",
		counts[0], counts[1], counts[2], counts[3]);
	put(out, "<table class=\"claims\"><thead><tr><th>claim</th><th>what</th><th>kind</th><th "
		 "class=\"n\">paper</th><th "
		 "class=\"n\">ours</th>"
		 "<th class=\"n\">ours : paper</th><th>result</th></tr></thead><tbody>\n");
	for (uint32_t k = 0; k < plan->claims.count; k++)
		write_claim(out, &plan->claims.at[k], &page->verdicts[k]);
	put(out, "</tbody></table>\n");
}

/* Bytes of a title at `at`, which a browser would show under the pointer: gnuplot's say "9a_plot_1"; 0 when there is
 * none. */
static size_t title_length(const char *at)
{
	const char *end = strncmp(at, "<title>", 7) ? NULL : strstr(at, "</title>");
	return end ? (size_t)(end - at) + strlen("</title>") : 0;
}

/* The SVG without what is not HTML, its ids made unique by the figure's. */
static void write_svg(struct text *out, const struct page *page, const struct figure *f)
{
	static const char *const before[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
	struct diagnostic none = {0};
	size_t length;
	const char *svg =
		text_read_file(out->arena, arena_printf(out->arena, "%s/%s.svg", page->figures, f->id), &length, &none);
	const char *at = svg ? strstr(svg, "<svg") : NULL;
	if (!at)
		return;
	put(out, "<svg role=\"img\" aria-label=\"");
	escape(out, f->title);
	put(out, "\"");
	for (at += strlen("<svg"); *at;) {
		size_t taken = 0;
		at += title_length(at);
		for (size_t k = 0; k < sizeof before / sizeof *before && !taken; k++)
			if (!strncmp(at, before[k], strlen(before[k])))
				taken = strlen(before[k]);
		text_append(out, at, taken ? taken : *at != '\0');
		at += taken ? taken : *at != '\0';
		if (taken)
			text_print(out, "%s-", f->id);
	}
}

static void write_figure(struct text *out, const struct page *page, const struct figure *f, const struct drawing *d)
{
	text_print(out, "<figure id=\"figure-%s\">\n", f->id);
	if (d->drawn)
		write_svg(out, page, f);
	else if (!d->why && !f->template)
		table_of(out, d);
	put(out, "<figcaption>");
	element(out, "b", f->title);
	put(out, "\n");
	if (f->caption)
		escape(out, f->caption);
	if (d->why) {
		put(out, " <span class=\"quiet\">Not measured: ");
		escape(out, d->why);
		put(out, ".</span>");
	} else if (d->failed)
		text_print(out, " <span class=\"quiet\">%u of its %u points have no result.</span>", d->failed, d->all);
	if (!d->why && !d->drawn && f->template)
		put(out, " <span class=\"quiet\">Not drawn: there is no gnuplot.</span>");
	if (f->paper) {
		put(out, "<br><span class=\"quiet\">The paper: ");
		escape(out, f->paper);
		put(out, "</span>");
	}
	put(out, "</figcaption>\n");
	if (!d->why && f->template) {
		put(out, "<details><summary>The numbers</summary>\n");
		table_of(out, d);
		put(out, "</details>\n");
	}
	put(out, "</figure>\n");
}

static void write_failed(struct text *out, const struct page *page)
{
	if (!count_failed(page))
		return;
	put(out, "<h2>Points without a result</h2>\n");
	for (uint32_t k = 0; k < page->points->points.count; k++) {
		if (!page->statuses[k].failed)
			continue;
		put(out, "<p><b>");
		escape(out, page->statuses[k].outcome);
		put(out, "</b>: <code>");
		escape(out, page->points->points.at[k].shown);
		put(out, "</code></p>\n");
		if (*page->statuses[k].output)
			element(out, "pre", page->statuses[k].output);
		put(out, "\n");
	}
}

static void write_commands(struct text *out, const struct page *page)
{
	const struct points *points = page->points;
	put(out, "<h2>Command lines</h2>\n<p>Each point, but for <code>--output</code> and the folders; <code>lockstep "
		 "experiment --points</code> prints them whole.</p>\n"
		 "<details><summary>");
	text_print(out, "%u command lines</summary>\n<pre>", points->points.count);
	for (uint32_t k = 0; k < points->points.count; k++) {
		escape(out, points->points.at[k].shown);
		put(out, "\n");
	}
	put(out, "</pre></details>\n<h2>Configurations</h2>\n<p>The models' fields; a point's <code>--set</code>, "
		 "<code>--scheduler</code> and the like change some.</p>\n");
	struct diagnostic none = {0};
	struct answer gpus = database_ask(out->arena, page->db,
		"SELECT gpu FROM points WHERE configuration IS NOT NULL GROUP BY gpu ORDER BY min(point)",
		(struct place){0}, &none);
	for (uint32_t k = 0; k < gpus.rows; k++) {
		char *sql =
			sqlite3_mprintf("SELECT j.key AS field, j.value FROM points, json_each(configuration) j WHERE "
					"point = (SELECT min(point) FROM "
					"points WHERE configuration IS NOT NULL AND gpu = %Q)",
				gpus.values[k]);
		put(out, "<details><summary>");
		escape(out, gpus.values[k]);
		put(out, "</summary>\n");
		answer_table(out, page, sql);
		put(out, "</details>\n");
		sqlite3_free(sql);
	}
}

void page_write(struct text *out, const struct page *page)
{
	write_head(out, page->plan);
	write_run(out, page);
	write_claims(out, page);
	if (page->plan->figures.count)
		put(out, "<h2>Figures</h2>\n");
	for (uint32_t k = 0; k < page->plan->figures.count; k++)
		write_figure(out, page, &page->plan->figures.at[k], &page->drawings[k]);
	write_failed(out, page);
	write_commands(out, page);
	put(out, "</body>\n</html>\n");
}
