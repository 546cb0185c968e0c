/* The table of a sweep, and its CSV file. */
#include "sweep/sweep.h"

#include <inttypes.h>
#include <string.h>

/* ---- The table ---- */

#define GAP "  "

/* Cells by row and column; the first row has the columns' names. */
struct grid {
	struct arena *arena;
	uint32_t rows, columns, used; /* used: columns of the row that is being written */
	const char **cells;
	bool *is_number; /* of each column: to the right */
};

static void put(struct grid *g, uint32_t row, const char *cell, bool is_number)
{
	g->is_number[g->used] = is_number;
	g->cells[row * g->columns + g->used++] = cell;
}

/* With one decimal where it is no whole number. */
static const char *number(struct arena *arena, double value)
{
	char digits[TEXT_DIGITS];
	uint64_t tenths = (uint64_t)(value * 10 + 0.5);
	const char *whole = text_grouped(tenths / 10, digits);

	return tenths % 10 ? arena_printf(arena, "%s.%" PRIu64, whole, tenths % 10) : arena_text(arena, whole);
}

static void put_names(const struct sweep *sweep, struct grid *g)
{
	g->used = 0;
	for (uint32_t k = 0; k < sweep->axes.count; k++)
		put(g, 0, sweep->axes.at[k].key, false);
	put(g, 0, "outcome", false);
	for (uint32_t k = 0; k < sweep->values.count; k++) {
		put(g, 0, sweep->values.at[k], true);
		if (sweep->seeds > 1) {
			put(g, 0, "least", true);
			put(g, 0, "greatest", true);
		}
		put(g, 0, "of first", true);
	}
}

/* A point that did not come to its end has no values, and none is compared with it. */
static void put_value(const struct sweep *sweep, struct grid *g, uint32_t point, const char *name)
{
	struct sweep_spread spread, first;
	bool is_there = sweep_spread_of(sweep, point, name, &spread);
	bool is_compared = is_there && sweep_spread_of(sweep, 0, name, &first) && first.mean > 0;

	put(g, point + 1, is_there ? number(g->arena, spread.mean) : "-", true);
	if (sweep->seeds > 1) {
		put(g, point + 1, is_there ? number(g->arena, spread.least) : "-", true);
		put(g, point + 1, is_there ? number(g->arena, spread.greatest) : "-", true);
	}
	put(g, point + 1, is_compared ? arena_printf(g->arena, "%.3f", spread.mean / first.mean) : "-", true);
}

static void put_point(const struct sweep *sweep, struct grid *g, uint32_t point)
{
	g->used = 0;
	for (uint32_t k = 0; k < sweep->axes.count; k++)
		put(g, point + 1, sweep_value(sweep, point, k), false);
	put(g, point + 1, sweep_outcome(sweep, point), false);
	for (uint32_t k = 0; k < sweep->values.count; k++)
		put_value(sweep, g, point, sweep->values.at[k]);
}

static int width_of(const struct grid *g, uint32_t column)
{
	size_t width = 0;

	for (uint32_t row = 0; row < g->rows; row++) {
		size_t length = strlen(g->cells[row * g->columns + column]);

		width = length > width ? length : width;
	}
	return (int)width;
}

/* No spaces at ends of lines: the last column is of numbers. */
static void write_grid(const struct grid *g, struct text *text)
{
	for (uint32_t row = 0; row < g->rows; row++)
		for (uint32_t column = 0; column < g->columns; column++)
			text_print(text, "%s%*s%s", column ? GAP : "",
				g->is_number[column] ? width_of(g, column) : -width_of(g, column),
				g->cells[row * g->columns + column], column + 1 == g->columns ? "\n" : "");
}

void sweep_write_table(const struct sweep *sweep, struct text *text)
{
	struct grid g = {.arena = text->arena, .rows = sweep->points + 1};

	g.columns = sweep->axes.count + 1 + sweep->values.count * (sweep->seeds > 1 ? 4 : 2);
	g.cells = arena_array(g.arena, (size_t)g.rows * g.columns, sizeof *g.cells);
	g.is_number = arena_new_array(g.arena, bool, g.columns);
	put_names(sweep, &g);
	for (uint32_t point = 0; point < sweep->points; point++)
		put_point(sweep, &g, point);
	write_grid(&g, text);
}

/* ---- CSV ---- */

/* RFC 4180: in quotes where it has to be. */
static void write_cell(struct text *text, const char *cell)
{
	if (!cell[strcspn(cell, ",\"\n\r")]) {
		text_print(text, "%s", cell);
		return;
	}
	text_print(text, "\"");
	for (; *cell; cell++)
		text_print(text, *cell == '"' ? "\"\"" : "%c", *cell);
	text_print(text, "\"");
}

/* The run whose counts name the columns: the one with the most. */
static const struct sweep_run *fullest(const struct sweep *sweep)
{
	const struct sweep_run *best = sweep->run;

	for (uint32_t k = 1; k < sweep->runs; k++)
		if (sweep->run[k].counts.count > best->counts.count)
			best = &sweep->run[k];
	return best;
}

static void write_counts(const struct sweep_run *names, const struct sweep_run *run, struct text *text)
{
	for (uint32_t k = 0; k < names->counts.count; k++) {
		const struct sweep_count *count = sweep_count_of(run, k, names->counts.at[k].name);

		text_print(text, ",");
		if (count)
			text_print(text, "%" PRIu64, count->value);
	}
}

void sweep_write_csv(const struct sweep *sweep, struct text *text)
{
	const struct sweep_run *names = fullest(sweep);

	for (uint32_t k = 0; k < sweep->axes.count; k++)
		text_print(text, "%s,", sweep->axes.at[k].key);
	text_print(text, "%soutcome,status,report", sweep->seeds ? "seed," : "");
	for (uint32_t k = 0; k < names->counts.count; k++)
		text_print(text, ",%s", names->counts.at[k].name);
	text_print(text, "\n");
	for (uint32_t run = 0; run < sweep->runs; run++) {
		for (uint32_t k = 0; k < sweep->axes.count; k++) {
			write_cell(text, sweep_value(sweep, run / sweep_repeats(sweep), k));
			text_print(text, ",");
		}
		if (sweep->seeds)
			text_print(text, "%u,", run % sweep->seeds);
		text_print(text, "%s,%d,%04u.json", sweep->run[run].outcome, sweep->run[run].status, run + 1);
		write_counts(names, &sweep->run[run], text);
		text_print(text, "\n");
	}
}
