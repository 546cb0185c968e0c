/* The picture of a sweep: a panel for each value that is shown, by gnuplot.
 *
 * Over the last axis whose values are numbers there are lines, at their places on the axis, which is logarithmic where
 * the numbers are far apart; without such an axis there are bars, a group for each value of the last, which start at 0.
 * Values that are close to each other are drawn as points or lines whose axis does not start at 0, and says so.  The
 * other axes together are the series.  Error bars go from the least to the greatest of the seeds.  A point that did not
 * come to its end has the word for that at its place. */
#include "sweep/sweep.h"
#include "util/gnuplot.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define PANEL_WIDTH 860
#define PANEL_HEIGHT 380
#define CLOSE 2 /* the greatest over the least, below which the axis of values does not start at 0 */
#define TITLE_MOST 100
#define LABELS_MOST 24 /* values of a panel that are written out, which shows what lines on each other do not */
#define FAR_APART 8    /* the greatest over the least, from which on the axis is logarithmic */

struct picture {
	const struct sweep *sweep;
	struct arena *arena;
	uint32_t axis; /* what it is over */
	bool is_lines;
	uint32_t series; /* points / values of the axis */
	struct text text;
};

/* ---- What is where ---- */

static bool is_numbers(const struct sweep_axis *axis)
{
	double number;

	for (uint32_t k = 0; k < axis->values.count; k++)
		if (!text_to_f64(axis->values.at[k], &number) || !isfinite(number))
			return false;
	return axis->values.count > 1;
}

static double place_at(const struct picture *p, uint32_t value)
{
	double place = value;

	if (p->is_lines)
		text_to_f64(p->sweep->axes.at[p->axis].values.at[value], &place);
	return place;
}

static void choose_axis(struct picture *p)
{
	for (uint32_t k = 0; k < p->sweep->axes.count; k++)
		if (is_numbers(&p->sweep->axes.at[k])) {
			p->axis = k;
			p->is_lines = true;
		}
	if (!p->is_lines)
		p->axis = p->sweep->axes.count - 1;
	p->series = p->sweep->points / p->sweep->axes.at[p->axis].values.count;
}

/* The point of a series with this value of the axis. */
static uint32_t point_of(const struct picture *p, uint32_t series, uint32_t value)
{
	uint32_t behind = 1, count = p->sweep->axes.at[p->axis].values.count;

	for (uint32_t k = p->axis + 1; k < p->sweep->axes.count; k++)
		behind *= p->sweep->axes.at[k].values.count;
	return series / behind * behind * count + value * behind + series % behind;
}

static void axis_bounds(const struct picture *p, double *least, double *greatest)
{
	*least = *greatest = place_at(p, 0);
	for (uint32_t k = 1; k < p->sweep->axes.at[p->axis].values.count; k++) {
		*least = fmin(*least, place_at(p, k));
		*greatest = fmax(*greatest, place_at(p, k));
	}
}

static bool is_logarithmic(const struct picture *p)
{
	double least, greatest;

	axis_bounds(p, &least, &greatest);
	return p->is_lines && least > 0 && greatest >= FAR_APART * least;
}

/* Whether values are so close that their differences would not be seen from 0 on. */
static bool is_close(const struct picture *p, uint32_t panel)
{
	double least = INFINITY, greatest = 0;
	struct sweep_spread s;

	for (uint32_t point = 0; point < p->sweep->points; point++)
		if (sweep_spread_of(p->sweep, point, p->sweep->values.at[panel], &s)) {
			least = fmin(least, s.least);
			greatest = fmax(greatest, s.greatest);
		}
	return least < greatest && greatest < CLOSE * least;
}

/* The command, as far as there is room. */
static const char *title_of(const struct picture *p)
{
	struct text text = {.arena = p->arena};

	text_print(&text, "lockstep");
	for (char **word = p->sweep->words; *word; word++)
		text_print(&text, " %s", *word);
	return text.length <= TITLE_MOST ? text.at : arena_printf(p->arena, "%.*s ...", TITLE_MOST, text.at);
}

/* ---- gnuplot's input ---- */

/* Of the axes that make the series, the values, "lrr, 16"; or the keys. */
static const char *series_text(const struct picture *p, uint32_t series, bool is_keys)
{
	struct text text = {.arena = p->arena};

	text_append(&text, "", 0);
	for (uint32_t k = 0; k < p->sweep->axes.count; k++)
		if (k != p->axis)
			text_print(&text, "%s%s", text.length ? ", " : "",
				is_keys ? p->sweep->axes.at[k].key : sweep_value(p->sweep, point_of(p, series, 0), k));
	return text.at;
}

/* Within its group, of a width of 1, a bar's middle. */
static double bar_at(const struct picture *p, uint32_t series, uint32_t value)
{
	return p->is_lines ? place_at(p, value) : value + ((double)series + 0.5) / p->series * 0.8 - 0.4;
}

static void print_data(struct picture *p, uint32_t panel)
{
	const char *name = p->sweep->values.at[panel];

	text_print(&p->text, "$panel%u << END\n", panel + 1);
	for (uint32_t series = 0; series < p->series; series++) {
		for (uint32_t k = 0; k < p->sweep->axes.at[p->axis].values.count; k++) {
			struct sweep_spread s;

			if (sweep_spread_of(p->sweep, point_of(p, series, k), name, &s))
				text_print(&p->text, "%.12g %.12g %.12g %.12g\n", bar_at(p, series, k), s.mean, s.least,
					s.greatest);
			else
				text_print(&p->text, "%.12g ? ? ?\n", bar_at(p, series, k));
		}
		text_print(&p->text, "\n\n");
	}
	text_print(&p->text, "END\n");
}

/* All values of the axis, those without any point that came to its end, too. */
static void print_range(struct picture *p)
{
	double least, greatest;

	axis_bounds(p, &least, &greatest);
	if (is_logarithmic(p)) {
		double more = pow(greatest / least, 0.03);

		text_print(&p->text, "\nset logscale x 2\nset xrange [%.6g:%.6g]", least / more, greatest * more);
	} else {
		double more = 0.03 * (greatest - least);

		text_print(&p->text, "\nset xrange [%.6g:%.6g]", least - more, greatest + more);
	}
	text_print(&p->text, "\nset offsets 0, 0, graph 0.1, graph 0.1");
}

static void print_tics(struct picture *p)
{
	const struct sweep_axis *axis = &p->sweep->axes.at[p->axis];

	text_print(&p->text, "set xtics scale %d (", p->is_lines);
	for (uint32_t k = 0; k < axis->values.count; k++) {
		text_print(&p->text, "%s", k ? ", " : "");
		gnuplot_print_string(&p->text, axis->values.at[k]);
		text_print(&p->text, " %.12g", place_at(p, k));
	}
	text_print(&p->text, ")\nset xlabel ");
	gnuplot_print_string(&p->text, axis->key);
	if (p->is_lines)
		print_range(p);
	else
		text_print(&p->text, "\nset xrange [-0.6:%g]", axis->values.count - 0.4);
	text_print(&p->text, "\n");
}

/* What did not come to its end, at its place; text of several series there is one above the other. */
static void print_outcomes(struct picture *p)
{
	for (uint32_t series = 0; series < p->series; series++)
		for (uint32_t k = 0; k < p->sweep->axes.at[p->axis].values.count; k++) {
			uint32_t point = point_of(p, series, k);

			if (!strcmp(sweep_outcome(p->sweep, point), "completed"))
				continue;
			text_print(&p->text, "set label ");
			gnuplot_print_string(
				&p->text, p->is_lines && p->series > 1
						  ? arena_printf(p->arena, "%s: %s", series_text(p, series, false),
							    sweep_outcome(p->sweep, point))
						  : sweep_outcome(p->sweep, point));
			text_print(&p->text, " at first %.12g, graph %g %s front textcolor rgb '#b03000'\n",
				bar_at(p, series, k), p->is_lines ? 0.03 + 0.06 * series : 0.02,
				p->is_lines ? "center" : "rotate left");
		}
}

static void print_style(struct picture *p)
{
	static const char *const colours[] = {
		"#0072b2", "#e69f00", "#009e73", "#d55e00", "#8250a0", "#56b4e9", "#707070"};
	static const int shapes[] = {7, 5, 9, 11, 13, 4, 6};

	text_print(&p->text,
		"set border 3 lc rgb '#555555'\nset tics nomirror\nset grid ytics lc rgb '#d8d8d8' lt 1 lw 0.6\n"
		"set key outside top center horizontal reverse Left samplen 2 width 1\nset format y '%%.10g'\n"
		"set datafile missing '?'\nset lmargin 12\nset style fill solid 0.9 noborder\n");
	for (uint32_t k = 0; k < sizeof colours / sizeof *colours; k++)
		text_print(&p->text, "set linetype %u lc rgb '%s' lw 2 pt %d ps 0.7\n", k + 1, colours[k], shapes[k]);
	text_print(&p->text, "set linetype cycle %zu\n", sizeof colours / sizeof *colours);
}

/* The values of a series in numbers of its colour: of two lines one above, the other below. */
static void print_labels(struct picture *p, uint32_t panel, uint32_t series)
{
	if (p->sweep->points > LABELS_MOST || (p->is_lines && p->series > 2))
		return;
	text_print(&p->text,
		", $panel%u index %u using 1:2:(sprintf('%%.0f', $2)) with labels offset 0,%s font ',10' tc lt %u "
		"notitle",
		panel + 1, series, p->is_lines && series ? "-0.8" : "0.6", series + 1);
}

static void print_panel(struct picture *p, uint32_t panel)
{
	const char *name = p->sweep->values.at[panel];
	bool close = is_close(p, panel);
	const char *shape = p->is_lines ? "linespoints" : close ? "points" : "boxes";

	text_print(&p->text, "set yrange [%s:*]\nset ylabel ", close ? "*" : "0");
	gnuplot_print_string(&p->text, close ? arena_printf(p->arena, "%s (axis not from 0)", name) : name);
	text_print(&p->text, "\nset key title ");
	gnuplot_print_string(&p->text, series_text(p, 0, true));
	text_print(&p->text, "\nplot ");
	for (uint32_t series = 0; series < p->series; series++) {
		text_print(&p->text, "%s$panel%u index %u using 1:2 with %s lt %u %s", series ? ", " : "", panel + 1,
			series, shape, series + 1, p->series > 1 ? "title " : "notitle");
		if (p->series > 1)
			gnuplot_print_string(&p->text, series_text(p, series, false));
		if (p->sweep->seeds > 1)
			text_print(&p->text,
				", $panel%u index %u using 1:3:(0):($4 - $3) with vectors heads size graph 0.004,90 "
				"lw 1.2 lc rgb '#404040' notitle",
				panel + 1, series);
		print_labels(p, panel, series);
	}
	text_print(&p->text, "\n");
}

static void print_script(struct picture *p)
{
	uint32_t panels = p->sweep->values.count;

	text_print(&p->text,
		"# Makes sweep.svg: gnuplot sweep.gp, in this folder.\nset encoding utf8\n"
		"set terminal svg size %u,%u dynamic noenhanced font 'sans-serif,13' background '#ffffff'\n"
		"set output 'sweep.svg'\n",
		PANEL_WIDTH, PANEL_HEIGHT * panels);
	for (uint32_t panel = 0; panel < panels; panel++)
		print_data(p, panel);
	print_style(p);
	print_tics(p);
	print_outcomes(p);
	if (!p->is_lines)
		text_print(&p->text, "set boxwidth %g\n", 0.72 / p->series);
	text_print(&p->text, "set multiplot layout %u,1 title ", panels);
	gnuplot_print_string(&p->text, title_of(p));
	text_print(&p->text, "\n");
	for (uint32_t panel = 0; panel < panels; panel++)
		print_panel(p, panel);
	text_print(&p->text, "unset multiplot\n");
}

/* ---- Drawing ---- */

/* Over no axis there is nothing, nor of programs that launch nothing. */
static bool has_anything(const struct sweep *sweep)
{
	struct sweep_spread spread;

	for (uint32_t k = 0; k < sweep->points * sweep->values.count; k++)
		if (sweep_spread_of(sweep, k / sweep->values.count, sweep->values.at[k % sweep->values.count], &spread))
			return sweep->axes.count;
	return false;
}

bool sweep_draw(const struct sweep *sweep, const char **drawn, struct diagnostic *diagnostic)
{
	struct picture p = {.sweep = sweep, .arena = sweep->arena, .text.arena = sweep->arena};
	const char *log = arena_printf(sweep->arena, "%s/gnuplot.log", sweep->folder),
		   *script = arena_printf(sweep->arena, "%s/sweep.gp", sweep->folder),
		   *picture = arena_printf(sweep->arena, "%s/sweep.svg", sweep->folder);

	*drawn = NULL;
	unlink(picture);
	unlink(script);
	if (!has_anything(sweep))
		return true;
	choose_axis(&p);
	print_script(&p);
	if (!text_write_file(script, p.text.at, p.text.length, diagnostic))
		return false;
	int status = gnuplot_run(sweep->folder, "sweep.gp", log);
	if (status < 0)
		diagnose(diagnostic, (struct place){0}, "gnuplot: cannot run: %s", strerror(errno));
	else if (status && status != 127)
		diagnose(diagnostic, (struct place){0}, "gnuplot refuses %s: see %s", script, log);
	if (status <= 0 || status == 127)
		unlink(log);
	*drawn = status ? NULL : picture;
	return !diagnostic->failed;
}
