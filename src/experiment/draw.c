/* Figures: turns rows into a table with a column for each series, says gnuplot where its bars are, and runs it. */
#include "experiment/draw.h"

#include "util/gnuplot.h"
#include "util/map.h"
#include "util/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Tables ---- */

struct pivot {
	struct arena *arena;
	struct map rows, series; /* number + 1 */
	VECTOR(const char **) row_keys;
	VECTOR(const char *) names;
};

static uint32_t number_in(struct arena *arena, struct map *map, const char *key)
{
	uintptr_t known = (uintptr_t)map_get(map, key);
	if (known)
		return (uint32_t)known - 1;
	map_put(arena, map, key, strlen(key), (void *)(uintptr_t)(map->count + 1));
	return map->count - 1;
}

static uint32_t row_of(struct pivot *p, const char **values, uint32_t keys)
{
	struct text all = {.arena = p->arena};
	text_append(&all, "", 0);
	for (uint32_t k = 0; k < keys; k++)
		text_print(&all, "%s\t", values[k] ? values[k] : "");
	uint32_t row = number_in(p->arena, &p->rows, all.at);
	if (row == p->row_keys.count)
		*vector_push(p->arena, &p->row_keys) = values;
	return row;
}

static uint32_t series_of(struct pivot *p, const char *name)
{
	uint32_t series = number_in(p->arena, &p->series, name);
	if (series == p->names.count)
		*vector_push(p->arena, &p->names) = name;
	return series;
}

static const char *series_name(const char **row, uint32_t keys)
{
	return row[keys] ? row[keys] : "";
}

/* Of the values of one row and series. */
struct cell {
	const char *text; /* of the last one, as SQLite wrote it: what is shown of a single one */
	double sum, low, high;
	uint32_t count;
};

static void add_value(struct cell *cell, const char *text)
{
	double value;
	if (!text)
		return;
	cell->text = text;
	if (!text_to_f64(text, &value))
		return;
	cell->low = cell->count ? fmin(cell->low, value) : value;
	cell->high = cell->count ? fmax(cell->high, value) : value;
	cell->sum += value;
	cell->count++;
}

/* The columns after the keys, one for each series. */
static void fill_cells(struct arena *arena, struct drawing *d, const struct cell *cells, bool spread)
{
	size_t count = (size_t)d->rows * d->columns;
	d->low = spread ? arena_array(arena, count + 1, sizeof *d->low) : NULL;
	d->high = spread ? arena_array(arena, count + 1, sizeof *d->high) : NULL;
	for (size_t at = 0; at < count; at++) {
		const struct cell *c = &cells[at];
		if (at % d->columns < d->keys)
			continue;
		d->values[at] = c->count > 1 ? arena_printf(arena, "%.15g", c->sum / c->count) : c->text;
		if (spread && c->count) {
			d->low[at] = arena_printf(arena, "%.15g", c->low);
			d->high[at] = arena_printf(arena, "%.15g", c->high);
		}
	}
}

/* Rows and series in the order in which they come first. */
static void pivot(struct arena *arena, const struct answer *answers, uint32_t count, struct pivot *p, struct drawing *d)
{
	uint32_t keys = answers[0].columns - 2;
	for (uint32_t s = 0; s < count; s++)
		for (uint32_t k = 0; k < answers[s].rows; k++) {
			const char **row = answers[s].values + (size_t)k * answers[s].columns;
			row_of(p, row, keys);
			series_of(p, series_name(row, keys));
		}
	d->keys = keys;
	d->rows = p->row_keys.count;
	d->columns = keys + p->names.count;
	d->names = arena_new_array(arena, const char *, d->columns + 1);
	d->values = arena_array(arena, (size_t)d->rows * d->columns + 1, sizeof *d->values);
	struct cell *cells = arena_array(arena, (size_t)d->rows * d->columns + 1, sizeof *cells);
	for (uint32_t k = 0; k < d->columns; k++)
		d->names[k] = k < keys ? answers[0].names[k] : p->names.at[k - keys];
	for (uint32_t k = 0; k < d->rows; k++)
		for (uint32_t n = 0; n < keys; n++)
			d->values[k * d->columns + n] = p->row_keys.at[k][n];
	for (uint32_t s = 0; s < count; s++)
		for (uint32_t k = 0; k < answers[s].rows; k++) {
			const char **row = answers[s].values + (size_t)k * answers[s].columns;
			uint32_t series = series_of(p, series_name(row, keys));
			add_value(&cells[row_of(p, row, keys) * d->columns + keys + series], row[keys + 1]);
		}
	fill_cells(arena, d, cells, count > 1);
}

/* The paper's values, of the rows and series that are there. */
static void place_marks(struct arena *arena, const struct answer *marks, struct pivot *p, struct drawing *d)
{
	d->marks = arena_array(arena, (size_t)d->rows * d->columns + 1, sizeof *d->marks);
	for (uint32_t k = 0; k < marks->rows; k++) {
		const char **row = marks->values + (size_t)k * marks->columns;
		uint32_t at = row_of(p, row, d->keys), series = series_of(p, series_name(row, d->keys));
		if (at < d->rows && d->keys + series < d->columns)
			d->marks[at * d->columns + d->keys + series] = row[d->keys + 1];
	}
}

/* Columns that the SQL of a shape has at least. */
static uint32_t columns_of(const char *shape)
{
	return !strcmp(shape, "table") ? 1 : !strcmp(shape, "stacks") ? 4 : 3;
}

/* One question.  False: it is wrong; d->why: it has no answer. */
static bool ask(struct arena *arena, sqlite3 *db, const struct figure *f, const char *sql, struct answer *a,
	struct drawing *d, struct diagnostic *diagnostic)
{
	*a = database_ask(arena, db, sql, f->place, diagnostic);
	if (a->kind == ANSWER_WRONG)
		return false;
	if (a->kind == ANSWER_MISSING) {
		d->why = arena_printf(arena, "no result has the counter %s", a->missing);
		return true;
	}
	if (!strcmp(f->shape, "table") ? a->columns >= 1 : a->columns == columns_of(f->shape))
		return true;
	diagnose(diagnostic, f->place, "the rows have %u columns, expected %u: %s", a->columns, columns_of(f->shape),
		!strcmp(f->shape, "stacks") ? "group, bar, part, value" : "place, series, value");
	return false;
}

static void take_table(const struct answer *a, struct drawing *d)
{
	d->columns = d->keys = a->columns;
	d->rows = a->rows;
	d->names = a->names;
	d->values = a->values;
}

bool draw_table(struct arena *arena, sqlite3 *db, const struct samples *samples, const struct figure *f,
	const struct points *points, const struct status *statuses, struct drawing *d, struct diagnostic *diagnostic)
{
	bool is_table = !strcmp(f->shape, "table");
	uint32_t count = is_table ? 1 : samples->count, rows = 0;
	struct answer *answers = arena_new_array(arena, struct answer, count), marks = {0};
	struct pivot p = {.arena = arena};
	*d = (struct drawing){0};
	d->failed = judge_failed(points, statuses, &f->scope, &d->all);
	d->unasked = !d->all;
	for (uint32_t k = 0; k < count && !d->why; k++) {
		if (!ask(arena, is_table ? db : samples->db[k], f, f->rows, &answers[k], d, diagnostic))
			return false;
		rows += answers[k].rows;
	}
	if (!d->why && f->marks && !ask(arena, samples->db[0], f, f->marks, &marks, d, diagnostic))
		return false;
	if (d->why)
		return true;
	if (!rows)
		d->why = d->all ? "the results do not tell" : "its points were not asked for";
	else if (is_table)
		take_table(answers, d);
	else
		pivot(arena, answers, count, &p, d);
	if (!d->why && marks.rows)
		place_marks(arena, &marks, &p, d);
	return true;
}

/* ---- What gnuplot reads ---- */

static void print_cell(struct text *text, const char *value, const char *none)
{
	for (const char *c = value ? value : none; *c; c++)
		text_append(text, *c == '\t' || *c == '\n' ? " " : c, 1);
}

static const char *group_of(const struct drawing *d, uint32_t row)
{
	const char *group = d->values[row * d->columns];
	return group ? group : "";
}

/* Where a row's bar is: with several keys, groups are apart. */
static double place_of(const struct drawing *d, uint32_t row)
{
	double place = row;
	for (uint32_t k = 1; k <= row && d->keys > 1; k++)
		place += strcmp(group_of(d, k), group_of(d, k - 1)) != 0;
	return place;
}

/* Values after a row's own: a column for each series. */
static void print_more(struct text *text, const struct drawing *d, const char **values, uint32_t row)
{
	for (uint32_t k = d->keys; k < d->columns && values; k++) {
		text_append(text, "\t", 1);
		print_cell(text, values[row * d->columns + k], "?");
	}
}

static void print_more_names(struct text *text, const struct drawing *d, const char **values, const char *what)
{
	for (uint32_t k = d->keys; k < d->columns && values; k++) {
		text_append(text, "\t", 1);
		print_cell(text, d->names[k], "");
		text_print(text, ", %s", what);
	}
}

/* Tab-separated: place, keys, series, least and greatest of the seeds, the paper's; `?` is no value.  A table has no
 * places. */
static void print_data(struct text *text, const struct drawing *d, bool is_table)
{
	if (!is_table)
		text_print(text, "place\t");
	for (uint32_t k = 0; k < d->columns; k++) {
		text_append(text, "\t", k > 0);
		print_cell(text, d->names[k], "");
	}
	print_more_names(text, d, d->low, "least");
	print_more_names(text, d, d->high, "greatest");
	print_more_names(text, d, d->marks, "paper");
	for (uint32_t row = 0; row < d->rows; row++) {
		text_append(text, "\n", 1);
		if (!is_table)
			text_print(text, "%g\t", place_of(d, row));
		for (uint32_t k = 0; k < d->columns; k++) {
			text_append(text, "\t", k > 0);
			print_cell(text, d->values[row * d->columns + k], "?");
		}
		print_more(text, d, d->low, row);
		print_more(text, d, d->high, row);
		print_more(text, d, d->marks, row);
	}
	text_append(text, "\n", 1);
}

/* Columns of what follows the series: `low` and `high` of the seeds, `paper`; 0 where there are none. */
static void print_columns(struct text *text, const struct drawing *d)
{
	uint32_t series = d->columns - d->keys, first = d->keys + 2, low = d->low ? first + series : 0,
		 high = d->low ? low + series : 0, marks = d->marks ? first + series * (d->low ? 3 : 1) : 0;
	text_print(text, "first = %u\nlow = %u\nhigh = %u\npaper = %u\n", first, low, high, marks);
}

/* What a key calls the series. */
static void print_names(struct text *text, const struct drawing *d)
{
	text_print(text, "array NAMES[series] = [");
	for (uint32_t k = d->keys; k < d->columns; k++) {
		text_print(text, "%s", k > d->keys ? ", " : "");
		gnuplot_print_string(text, d->names[k]);
	}
	text_print(text, "]\n");
}

/* A tick under each bar or group of bars. */
static void print_tics(struct text *text, const struct drawing *d)
{
	text_print(text, "set xtics scale 0 (");
	for (uint32_t row = 0; row < d->rows; row++) {
		const char *label = d->values[row * d->columns + d->keys - 1];
		text_print(text, "%s", row ? ", " : "");
		gnuplot_print_string(text, label ? label : "");
		text_print(text, " %g", place_of(d, row));
	}
	text_print(text, ")\nset xrange [-0.7:%g]\n", d->rows ? place_of(d, d->rows - 1) + 0.7 : 1);
}

/* The names of groups, below the bars' own, and where they are in the middle. */
static void print_groups(struct text *text, const struct drawing *d)
{
	uint32_t first = 0, number = 0;
	for (uint32_t row = 0; row < d->rows && d->keys > 1; row++) {
		bool last = row + 1 == d->rows || strcmp(group_of(d, row), group_of(d, row + 1));
		if (!last)
			continue;
		text_print(text, "set label %u ", ++number);
		gnuplot_print_string(text, group_of(d, first));
		text_print(text, " at first %g, graph GROUP_LABEL center front\n",
			(place_of(d, first) + place_of(d, row)) / 2);
		first = row + 1;
	}
}

/* gnuplot takes letters, digits and _ alone: a - becomes two of these. */
static void print_svg_name(struct text *text, const char *id)
{
	for (; *id; id++)
		text_append(text, *id == '-' ? "__" : id, *id == '-' ? 2 : 1);
}

static void print_script(struct text *text, const struct plan *plan, const struct figure *f, const struct drawing *d,
	const char *ending, struct diagnostic *diagnostic)
{
	text_print(text, "# Makes %s.%s from %s.tsv: gnuplot %s.%s.gp, in this folder.\n", f->id, ending, f->id, f->id,
		ending);
	if (!strcmp(ending, "svg")) {
		text_print(text, "set terminal svg size %g,%g dynamic noenhanced font 'sans-serif,13' name '", f->width,
			f->height);
		print_svg_name(text, f->id);
		text_print(text, "'\n");
	} else
		text_print(text, "set terminal pngcairo size %g,%g noenhanced font 'sans-serif,10'\n", f->width,
			f->height);
	text_print(text, "set output '%s.%s'\ndata = '%s.tsv'\nkeys = %u\nseries = %u\nrows = %u\nGROUP_LABEL = -0.2\n",
		f->id, ending, f->id, d->keys, d->columns - d->keys, d->rows);
	print_columns(text, d);
	text_print(text, "set encoding utf8\nset datafile separator tab\nset datafile missing '?'\nset key autotitle "
			 "columnheader\n");
	print_names(text, d);
	if (strcmp(f->shape, "lines"))
		print_tics(text, d);
	if (f->setup)
		text_print(text, "%s\n", f->setup);
	if (!strcmp(f->shape, "stacks"))
		print_groups(text, d);
	size_t length;
	const char *template =
		text_read_file(text->arena, plan_path(text->arena, plan, f->template), &length, diagnostic);
	text_print(text, "\n# %s\n%s", f->template, template ? template : "");
}

/* ---- Running it ---- */

bool draw_can(void)
{
	int status = gnuplot_run(".", "--version", "/dev/null");
	return status <= 0 || status == 126; /* what the system refuses is said of each figure */
}

/* The first line of what gnuplot said that says what is wrong. */
static const char *complaint(struct arena *arena, const char *log)
{
	const char *text = text_try_file(arena, log);
	const char *line = text ? strstr(text, "line ") : NULL;
	if (!line)
		return text && *text ? arena_copy(arena, text, strcspn(text, "\n")) : "it gives no reason";
	return arena_copy(arena, line, strcspn(line, "\n"));
}

static bool draw_as(struct arena *arena, const struct plan *plan, const struct figure *f, const struct drawing *d,
	const char *folder, const char *ending, struct diagnostic *diagnostic)
{
	struct text text = {.arena = arena};
	const char *script = arena_printf(arena, "%s.%s.gp", f->id, ending),
		   *log = arena_printf(arena, "%s/%s.%s.log", folder, f->id, ending);
	print_script(&text, plan, f, d, ending, diagnostic);
	if (diagnostic->failed ||
		!text_write_file(arena_printf(arena, "%s/%s", folder, script), text.at, text.length, diagnostic))
		return false;
	int status = gnuplot_run(folder, script, log);
	if (status < 0)
		diagnose(diagnostic, f->place, "gnuplot: cannot run: %s", strerror(errno));
	else if (status)
		diagnose(diagnostic, f->place, "gnuplot refuses %s/%s: %s", folder, script, complaint(arena, log));
	unlink(log);
	return !diagnostic->failed;
}

/* Those of an earlier call, which this one may not renew. */
static void remove_files(struct arena *arena, const struct figure *f, const char *folder)
{
	static const char *const endings[] = {"tsv", "svg", "png", "svg.gp", "png.gp"};
	for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
		unlink(arena_printf(arena, "%s/%s.%s", folder, f->id, endings[k]));
}

bool draw_figure(struct arena *arena, const struct plan *plan, const struct figure *f, struct drawing *d,
	const char *folder, bool pictures, struct diagnostic *diagnostic)
{
	struct text data = {.arena = arena};
	remove_files(arena, f, folder);
	if (d->why)
		return true;
	print_data(&data, d, !strcmp(f->shape, "table"));
	if (!text_write_file(arena_printf(arena, "%s/%s.tsv", folder, f->id), data.at, data.length, diagnostic))
		return false;
	if (!f->template || !pictures)
		return true;
	d->drawn = draw_as(arena, plan, f, d, folder, "svg", diagnostic) &&
		   draw_as(arena, plan, f, d, folder, "png", diagnostic);
	return d->drawn;
}
