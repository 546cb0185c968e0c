/* The HTML page: claims, figures inlined as SVG, numbers, command lines, configurations.  All that is not ours is
 * escaped. */
#include "experiment/page.h"

#include "report/page_files.h"
#include "util/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* `format` with each %s escaped; null: nothing.  Nothing else in it is replaced. */
static void html(struct text *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	for (const char *c = format, *place; *c; c = place) {
		place = strstr(c, "%s");
		text_append(out, c, place ? (size_t)(place - c) : strlen(c));
		const char *word = place ? va_arg(list, const char *) : NULL;
		escape(out, word ? word : "");
		place = place ? place + 2 : c + strlen(c);
	}
	va_end(list);
}

const char *page_number(struct arena *arena, const char *value)
{
	double number;
	if (!text_to_f64(value, &number) || (number == floor(number) && fabs(number) < 1e15))
		return value;
	if (fabs(number) >= 999.5) /* which rounds to 1000, as %g would say it 1e+03 */
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
		put(out, "<td class=\"number\">–</td>");
		return;
	}
	html(out, is_number(value) ? "<td class=\"number\">%s</td>" : "<td>%s</td>", page_number(out->arena, value));
}

/* The first value of the column; null: it is empty, as of points that were not asked for. */
static const char *first_of(const struct drawing *d, uint32_t column)
{
	for (uint32_t row = 0; row < d->rows; row++)
		if (d->values[row * d->columns + column])
			return d->values[row * d->columns + column];
	return NULL;
}

/* Several values of a cell: "1.2 (1.1 to 1.4; paper 1.5)". */
static void drawing_cell(struct text *out, const struct drawing *d, size_t at)
{
	const char *value = d->values[at], *low = d->low ? d->low[at] : NULL, *mark = d->marks ? d->marks[at] : NULL;
	if (!value || (!low && !mark)) {
		cell(out, value);
		return;
	}
	text_print(out, "<td class=\"number\">%s <span class=\"faint\">(", page_number(out->arena, value));
	if (low)
		text_print(out, "%s to %s", page_number(out->arena, low), page_number(out->arena, d->high[at]));
	if (mark)
		text_print(out, "%spaper %s", low ? "; " : "", page_number(out->arena, mark));
	put(out, ")</span></td>");
}

static void table_of(struct text *out, const struct drawing *d)
{
	put(out, "<div class=\"wide\"><table><thead><tr>");
	for (uint32_t k = 0; k < d->columns; k++)
		if (first_of(d, k))
			html(out, is_number(first_of(d, k)) ? "<th class=\"number\">%s</th>" : "<th>%s</th>",
				d->names[k]);
	put(out, "</tr></thead><tbody>\n");
	for (uint32_t row = 0; row < d->rows; row++) {
		put(out, "<tr>");
		for (uint32_t k = 0; k < d->columns; k++)
			if (first_of(d, k))
				drawing_cell(out, d, (size_t)row * d->columns + k);
		put(out, "</tr>\n");
	}
	put(out, "</tbody></table></div>\n");
}

/* A question of ours, which has an answer. */
static struct answer ask(struct arena *arena, sqlite3 *db, const char *sql)
{
	struct diagnostic none = {0};
	return database_ask(arena, db, sql, (struct place){0}, &none);
}

static void answer_table(struct text *out, const struct page *page, const char *sql)
{
	struct answer a = ask(out->arena, page->db, sql);
	if (a.kind == ANSWER_VALUES)
		table_of(out,
			&(struct drawing){.columns = a.columns, .rows = a.rows, .names = a.names, .values = a.values});
}

const char *page_dates(struct arena *arena, sqlite3 *db)
{
	struct answer a = ask(arena, db,
		"SELECT CASE WHEN min(date) = max(date) THEN max(date) ELSE min(date) || ' to ' || max(date) END"
		" FROM points WHERE date > ''");
	return a.kind == ANSWER_VALUES && a.rows && a.values[0] ? a.values[0] : "";
}

struct names page_unpinned(struct arena *arena, sqlite3 *db)
{
	struct answer a = ask(arena, db,
		"SELECT group_concat(program, ', '), unpinned FROM (SELECT DISTINCT program, unpinned FROM points"
		" WHERE unpinned IS NOT NULL ORDER BY program) GROUP BY unpinned ORDER BY unpinned");
	struct names said = {0};
	for (uint32_t k = 0; a.kind == ANSWER_VALUES && k < a.rows; k++)
		*vector_push(arena, &said) = arena_printf(arena,
			"The kernels of %s are not the pinned ones of the stated results. They were compiled by %s.",
			a.values[2 * k], a.values[2 * k + 1]);
	return said;
}

/* Programs whose names differ behind a comma are named once. */
struct names page_kernels(struct arena *arena, sqlite3 *db)
{
	struct answer a = ask(arena, db,
		"SELECT group_concat(program, ', '), CASE compilation WHEN 'pinned' THEN 'pinned PTX' WHEN 'anew' THEN"
		" 'compiled anew' ELSE 'the program''s own PTX' END, coalesce(compiler, 'an unknown compiler') FROM "
		"(SELECT DISTINCT substr(program, 1, instr(program || ',', ',') - 1) AS program, compilation, compiler"
		" FROM points WHERE compilation IS NOT NULL ORDER BY 1)"
		" GROUP BY compilation, compiler ORDER BY 1");
	struct names said = {0};
	for (uint32_t k = 0; a.kind == ANSWER_VALUES && k < a.rows; k++)
		*vector_push(arena, &said) = arena_printf(
			arena, "Kernels of %s: %s, by %s.", a.values[3 * k], a.values[3 * k + 1], a.values[3 * k + 2]);
	return said;
}

/* ---- Parts ---- */

static void write_style(struct text *out, const char *name)
{
	for (size_t k = 0; k < page_file_count; k++)
		if (!strcmp(page_files[k].name, name))
			put(out, page_files[k].text);
}

static void write_head(struct text *out, const struct plan *plan)
{
	html(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n<style>\n",
		plan->title);
	write_style(out, "page.css");
	write_style(out, "experiment.css");
	html(out, "</style>\n</head>\n<body>\n<h1>%s</h1>\n", plan->title);
	if (plan->paper)
		html(out, "<p class=\"faint\">%s</p>\n", plan->paper);
}

/* Before any number. */
static void write_unpinned(struct text *out, const struct page *page)
{
	const struct names said = page_unpinned(out->arena, page->db);
	for (uint32_t k = 0; k < said.count; k++)
		html(out, "<p class=\"bad\">%s</p>\n", said.at[k]);
	const struct names kernels = page_kernels(out->arena, page->db);
	for (uint32_t k = 0; k < kernels.count; k++)
		html(out, "<p class=\"faint\">%s</p>\n", kernels.at[k]);
}

static uint32_t count_failed(const struct page *page)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < page->points->points.count; k++)
		count += page->statuses[k].failed;
	return count;
}

/* One of the figures of the head. */
static void write_figure_of_head(struct text *out, const char *value, const char *name, const char *help)
{
	html(out,
		"<div class=\"figure\"><div class=\"value\">%s</div><div>%s</div>"
		"<div class=\"faint help\">%s</div></div>\n",
		value, name, help);
}

/* Claims that rest on points that were asked for, and how they came out. */
struct count {
	uint32_t asked, met, fitted, direction; /* fitted: of the met ones */
};

static struct count count_asked(const struct page *page)
{
	struct count n = {0};
	for (uint32_t k = 0; k < page->plan->claims.count; k++) {
		enum judgement judgement = page->verdicts[k].judgement;
		n.asked += !page->verdicts[k].unasked;
		n.met += judgement == CLAIM_MET;
		n.fitted += judgement == CLAIM_MET && plan_role(&page->plan->claims.at[k]) == ROLE_FITTED;
		n.direction += judgement == CLAIM_DIRECTION;
	}
	return n;
}

static void write_figures_of_head(struct text *out, const struct page *page)
{
	struct arena *arena = out->arena;
	struct count n = count_asked(page);
	uint32_t points = page->points->points.count;
	const char *date = page_dates(arena, page->db);
	put(out, "<div id=\"figures\">\n");
	if (n.asked) {
		const char *of = n.asked < page->plan->claims.count ? "of those whose points were asked for" : "of all";
		write_figure_of_head(out, arena_printf(arena, "%u of %u", n.met, n.asked), "claims met",
			n.fitted ? arena_printf(arena, "%s; %u of them fitted, which confirm nothing", of, n.fitted)
				 : of);
		write_figure_of_head(out, arena_printf(arena, "%u", n.direction), "direction only",
			"claims whose effect has the paper's sign and order, not its size");
	}
	write_figure_of_head(
		out, arena_printf(arena, "%u of %u", points - count_failed(page), points), "points", "with a result");
	write_figure_of_head(
		out, arena_printf(arena, "%u", page->samples->count), "seeds", "of which values are means");
	write_figure_of_head(out, size_names[page->points->size], "size", "of the inputs");
	if (*date)
		write_figure_of_head(out, date, "run on", "the day of the points");
	put(out, "</div>\n");
}

static void write_run(struct text *out, const struct page *page)
{
	html(out, "<h2>What was run</h2>\n");
	if (page->plan->text && *page->plan->text)
		html(out, "<p>%s</p>\n", page->plan->text);
	html(out, "<p>Experiment %s", page->plan->name);
	text_print(out, ". Simulator build <code>%.16s</code>; programs", page->points->build.simulator);
	for (uint32_t k = 0; k < page->plan->programs.count; k++) {
		html(out, k ? ", %s" : " %s", page->plan->programs.at[k].name);
		text_print(out, " <code>%.16s</code>", page->points->build.programs[k]);
	}
	put(out, ". A build is a hash of the executable and the kernels' files.</p>\n");
}

static const char *const classes[JUDGEMENTS] = {"good", "unsure", "bad", "unsure", "unsure", "bad", "faint"};

static const char *short_number(struct arena *arena, double number)
{
	return page_number(arena, arena_printf(arena, "%.15g", number));
}

const char *page_interval(struct arena *arena, const struct verdict *v)
{
	if (isnan(v->low))
		return "-";
	return arena_printf(arena, "%s to %s", short_number(arena, v->low), short_number(arena, v->high));
}

const char *page_value(struct arena *arena, const struct claim *c, const struct verdict *v)
{
	double number;
	if (!v->ours)
		return "-";
	if (!strcmp(c->kind, "trend"))
		return text_to_f64(v->ours, &number) && number != 0 ? "yes" : "no";
	return arena_printf(arena, "%s%s", page_number(arena, v->ours), c->unit ? c->unit : "");
}

/* What is claimed, and from where. */
static void write_what(struct text *out, const struct claim *c)
{
	html(out, c->part ? "<td>%s, %s" : "<td>%s", c->metric, c->part);
	html(out, c->where ? " <span class=\"faint\">(%s)</span></td>" : "</td>", c->where);
}

static void write_values(struct text *out, const struct claim *c, const struct verdict *v)
{
	html(out,
		"<td class=\"number\">%s%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td><td "
		"class=\"number\">%s</td>",
		c->paper, c->unit, v->ours ? page_value(out->arena, c, v) : "–",
		isnan(v->low) ? "–" : page_interval(out->arena, v),
		isnan(v->ratio) ? "–" : arena_printf(out->arena, "%.2f", v->ratio));
}

/* A line below the claim's. */
static void because(struct text *out, const char *before, const char *text)
{
	html(out, "<tr class=\"because\"><td></td><td colspan=\"8\">%s%s</td></tr>\n", before, text);
}

/* Whether the explanation is of a value of which only the direction is met. */
static bool explains_direction(const struct claim *c, const struct verdict *v)
{
	double ours;
	return v->judgement == CLAIM_DIRECTION && c->holds.count && text_to_f64(v->ours, &ours) &&
	       ours >= c->holds.at[0] && ours <= c->holds.at[1];
}

static void write_claim(struct text *out, const struct claim *c, const struct verdict *v)
{
	bool said = v->judgement == CLAIM_EXPLAINED || v->judgement == CLAIM_STALE || v->judgement == CLAIM_UNSURE ||
		    explains_direction(c, v);
	const char *more = v->judgement == CLAIM_NOT_MEASURED ? v->why : said ? c->explanation : NULL;
	bool empty = v->judgement == CLAIM_MET && v->without;
	html(out,
		more || empty || c->parameter ? "<tr class=\"more\"><td class=\"s\">%s</td>"
					      : "<tr><td class=\"s\">%s</td>",
		c->id);
	write_what(out, c);
	html(out, "<td>%s</td><td>%s</td>", c->role, c->kind);
	write_values(out, c, v);
	html(out, "<td class=\"s %s\">%s</td></tr>\n", classes[v->judgement], judgement_words[v->judgement]);
	if (c->parameter)
		because(out, "Chosen on this claim: ", c->parameter);
	if (empty)
		because(out, "Met also ", v->without);
	if (more)
		because(out,
			v->judgement == CLAIM_STALE ? "For other values than this was said: "
			: v->judgement == CLAIM_EXPLAINED && c->holds.count
				? arena_printf(out->arena, "Of values from %.6g to %.6g, seen when it was written: ",
					  c->holds.at[0], c->holds.at[1])
				: "",
			more);
}

static void write_tallies(struct text *out, const struct page *page)
{
	static const char *const meaning[ROLE_COUNT] = {"a parameter was chosen on them, so they confirm nothing",
		"nothing was chosen on them", "arithmetic on the configuration",
		"the paper measured them on another machine than this models"};
	struct tally tallies[ROLE_COUNT];
	judge_count_asked(page->plan, page->verdicts, tallies);
	put(out, "<ul>\n");
	for (uint32_t role = 0; role < ROLE_COUNT; role++)
		if (tallies[role].all)
			text_print(out, "<li><b>%s</b> (%s), %u: %s</li>\n", role_names[role], meaning[role],
				tallies[role].all, judge_tally(out->arena, &tallies[role]));
	put(out, "</ul>\n");
}

static void write_controls(struct text *out, const struct page *page)
{
	const struct plan *plan = page->plan;
	if (!plan->controls.count)
		return;
	put(out, "<p>Controls: the claims are judged again with a mechanism's results replaced by those without it. "
		 "One that is still met says nothing of the mechanism, and is marked.</p>\n<ul>\n");
	for (uint32_t k = 0; k < plan->controls.count; k++) {
		if (plan->controls.at[k].parameter)
			continue;
		html(out, plan->controls.at[k].text ? "<li><b>%s</b>: %s</li>\n" : "<li><b>%s</b></li>\n",
			plan->controls.at[k].name, plan->controls.at[k].text);
	}
	put(out, "</ul>\n");
}

/* "P2-01, one: 1.55 to 1.23, no longer met; ..." */
const char *page_moves(struct arena *arena, const struct plan *plan, const struct verdict *verdicts, uint32_t control)
{
	struct text out = {.arena = arena};
	for (uint32_t k = 0; k < plan->claims.count; k++) {
		const struct claim *c = &plan->claims.at[k];
		const struct move *m = verdicts[k].moves ? &verdicts[k].moves[control] : NULL;
		if (!m || !judge_has_moved(m))
			continue;
		text_print(&out, "%s%s%s%s: %s to %s", out.length ? "; " : "", c->id, c->part ? ", " : "",
			c->part ? c->part : "", page_number(arena, m->before), page_number(arena, m->after));
		if ((m->was == CLAIM_MET) != (m->becomes == CLAIM_MET))
			text_print(&out, ", %s", m->becomes == CLAIM_MET ? "met" : "no longer met");
	}
	return out.length ? out.at : "none";
}

static void write_parameters(struct text *out, const struct page *page)
{
	const struct plan *plan = page->plan;
	uint32_t count = 0;
	for (uint32_t k = 0; k < plan->controls.count; k++)
		count += plan->controls.at[k].parameter != NULL;
	if (!count)
		return;
	put(out, "<h2>Parameters</h2>\n<p>What is ours and not the paper's, at other values: which claims' values move "
		 "by more than 5 %, or which are met, with the first seed.</p>\n"
		 "<table><thead><tr><th>parameter</th><th>at</th><th>moves</th></tr></thead><tbody>\n");
	for (uint32_t k = 0; k < plan->controls.count; k++) {
		const struct control *c = &plan->controls.at[k];
		if (!c->parameter)
			continue;
		html(out, "<tr><td class=\"s\">%s</td><td class=\"s\">%s</td><td>%s", c->parameter, c->name,
			page_moves(out->arena, plan, page->verdicts, k));
		html(out, c->text ? " <span class=\"faint\">%s</span></td></tr>\n" : "</td></tr>\n", c->text);
	}
	put(out, "</tbody></table>\n");
}

static void write_claims(struct text *out, const struct page *page)
{
	const struct plan *plan = page->plan;
	uint32_t asked = count_asked(page).asked;
	if (!plan->claims.count)
		return;
	put(out, "<h2>Claims</h2>\n");
	if (asked < plan->claims.count)
		text_print(out, "<p class=\"faint\">%u more claim%s on points that were not asked for (--only).</p>\n",
			plan->claims.count - asked, plan->claims.count - asked == 1 ? " rests" : "s rest");
	if (!asked)
		return;
	write_tallies(out, page);
	text_print(out,
		"<p>Values are means of %u seed%s, with the interval that has the mean in 95 %% of cases (Student's "
		"t); where seeds change nothing, without. A factor is met when its effect, ln ours / ln paper, is from "
		"3/4 to 5/4; from 1/2 to 2 it has the paper's direction only. Points are met within the tolerance "
		"(10 %% if not given) and within half of the paper's value, a ratio within 35 %% or the tolerance "
		"given. A "
		"range, a most and a least are the paper's own numbers. All hold for the whole interval, else they are "
		"unsure. Exact claims, verdicts "
		"and trends must hold for each seed. The ratio is ours to the paper's, of a factor the effect.</p>\n",
		page->samples->count, page->samples->count == 1 ? "" : "s");
	write_controls(out, page);
	put(out, "<div class=\"wide\"><table "
		 "class=\"claims\"><thead><tr><th>claim</th><th>what</th><th>role</th><th>kind</th>"
		 "<th class=\"number\">paper</th><th class=\"number\">ours</th><th class=\"number\">95 %</th>"
		 "<th class=\"number\">ratio</th><th>result</th></tr></thead><tbody>\n");
	for (uint32_t k = 0; k < plan->claims.count; k++)
		if (!page->verdicts[k].unasked)
			write_claim(out, &plan->claims.at[k], &page->verdicts[k]);
	put(out, "</tbody></table></div>\n");
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
	const char *svg = text_try_file(out->arena, arena_printf(out->arena, "%s/%s.svg", page->figures, f->id));
	const char *at = svg ? strstr(svg, "<svg") : NULL;
	if (!at)
		return;
	html(out, "<svg role=\"img\" aria-label=\"%s\"", f->title);
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
	html(out, "<figcaption><b>%s</b>\n%s", f->title, f->caption);
	if (d->why)
		html(out, " <span class=\"faint\">Not measured: %s.</span>", d->why);
	else if (d->failed)
		text_print(out, " <span class=\"faint\">%u of its %u points have no result.</span>", d->failed, d->all);
	if (!d->why && !d->drawn && f->template)
		put(out, " <span class=\"faint\">Not drawn: there is no gnuplot.</span>");
	if (f->paper)
		html(out, "<br><span class=\"faint\">The paper: %s</span>", f->paper);
	put(out, "</figcaption>\n");
	if (!d->why && f->template) {
		put(out, "<details><summary>The numbers</summary>\n");
		table_of(out, d);
		put(out, "</details>\n");
	}
	put(out, "</figure>\n");
}

static void write_figures(struct text *out, const struct page *page)
{
	const uint32_t count = page->plan->figures.count;
	uint32_t unasked = 0;
	for (uint32_t k = 0; k < count; k++)
		unasked += page->drawings[k].unasked;
	if (count)
		put(out, "<h2>Figures</h2>\n");
	for (uint32_t k = 0; k < count; k++)
		if (!page->drawings[k].unasked)
			write_figure(out, page, &page->plan->figures.at[k], &page->drawings[k]);
	if (unasked)
		text_print(out, "<p class=\"faint\">%u more figure%s on points that were not asked for (--only).</p>\n",
			unasked, unasked == 1 ? " rests" : "s rest");
}

static void write_failed(struct text *out, const struct page *page)
{
	if (!count_failed(page))
		return;
	put(out, "<h2>Points without a result</h2>\n");
	for (uint32_t k = 0; k < page->points->points.count; k++) {
		if (!page->statuses[k].failed)
			continue;
		html(out, "<p><b>%s</b>: <code>%s</code></p>\n", page->statuses[k].outcome,
			page->points->points.at[k].shown);
		html(out, *page->statuses[k].output ? "<pre>%s</pre>\n" : "\n", page->statuses[k].output);
	}
}

static void write_digests(struct text *out, const struct page *page)
{
	if (!page_kernels(out->arena, page->db).count)
		return;
	put(out, "<details><summary>Digests of their PTX</summary>\n");
	answer_table(out, page,
		"SELECT program, compilation AS compiled, compiler, ptx AS [digest of PTX], count(*) AS points FROM "
		"points"
		" WHERE ptx IS NOT NULL GROUP BY program, compilation, compiler, ptx ORDER BY min(point)");
	put(out, "</details>\n");
}

static void write_commands(struct text *out, const struct page *page)
{
	const struct points *points = page->points;
	put(out, "<h2>Command lines</h2>\n<p>Each point, but for <code>--output</code> and the folders; <code>lockstep "
		 "experiment --points</code> prints them whole.</p>\n"
		 "<details><summary>");
	text_print(out, "%u command lines</summary>\n<pre>", points->points.count);
	for (uint32_t k = 0; k < points->points.count; k++)
		html(out, "%s\n", points->points.at[k].shown);
	put(out, "</pre></details>\n");
	write_digests(out, page);
	put(out, "<h2>Configurations</h2>\n<p>The models' fields; a point's <code>--set</code>, "
		 "<code>--scheduler</code> and the like change some.</p>\n");
	struct answer gpus = ask(out->arena, page->db,
		"SELECT gpu FROM points WHERE configuration IS NOT NULL GROUP BY gpu ORDER BY min(point)");
	for (uint32_t k = 0; k < gpus.rows; k++) {
		char *sql =
			sqlite3_mprintf("SELECT j.key AS field, j.value FROM points, json_each(configuration) j WHERE "
					"point = (SELECT min(point) FROM "
					"points WHERE configuration IS NOT NULL AND gpu = %Q)",
				gpus.values[k]);
		html(out, "<details><summary>%s</summary>\n", gpus.values[k]);
		answer_table(out, page, sql);
		put(out, "</details>\n");
		sqlite3_free(sql);
	}
}

void experiment_page_write(struct text *out, const struct page *page)
{
	write_head(out, page->plan);
	write_unpinned(out, page);
	write_figures_of_head(out, page);
	write_run(out, page);
	write_claims(out, page);
	write_parameters(out, page);
	write_figures(out, page);
	write_failed(out, page);
	write_commands(out, page);
	put(out, "</body>\n</html>\n");
}
