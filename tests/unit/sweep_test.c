/* Sweeps of several axes and seeds: which run has which values, what is read of its report, and where that lies in the
 * table, the CSV file and the picture.  Counts say in their digits which run they are of. */
#include "sweep/picture.c"
#include "sweep/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena arena;

/* Axes until the null, runs that have all completed: the cycles of run k are base + k. */
static struct sweep *sweep_of(uint32_t seeds, const char *const *axes)
{
	static char *words[] = {"kernel", "a.ptx", NULL};
	struct sweep *sweep = arena_new(&arena, struct sweep);
	struct diagnostic diagnostic = {0};

	*sweep = (struct sweep){.arena = &arena, .seeds = seeds, .jobs = 4, .words = words, .folder = "."};
	for (; *axes; axes++)
		assert_true(sweep_add_axis(sweep, *axes, &diagnostic));
	assert_true(sweep_check(sweep, &diagnostic));
	sweep->run = arena_new_array(&arena, struct sweep_run, sweep->runs);
	for (uint32_t k = 0; k < sweep->runs; k++) {
		struct sweep_run *run = &sweep->run[k];

		run->outcome = "completed";
		run->counts_hold = true;
		*vector_push(&arena, &run->counts) = (struct sweep_count){"cycles", 1000 + k};
		*vector_push(&arena, &run->counts) = (struct sweep_count){"other", 7 * k};
	}
	*vector_push(&arena, &sweep->values) = "cycles";
	return sweep;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void ended(struct sweep *sweep, uint32_t run, const char *outcome)
{
	sweep->run[run].outcome = outcome;
	sweep->run[run].counts_hold = false;
}

#define AXES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define THREE AXES("a=p,q", "b=10,20,30", "c=s,t,u,v")

/* ---- Which run has which values ---- */

static void the_last_axis_changes_fastest(void **state)
{
	struct sweep *sweep = sweep_of(0, THREE);

	(void)state;
	assert_int_equal(sweep->points, 24);
	for (uint32_t a = 0, point = 0; a < 2; a++)
		for (uint32_t b = 0; b < 3; b++)
			for (uint32_t c = 0; c < 4; c++, point++) {
				assert_int_equal(sweep_choice(sweep, point, 0), a);
				assert_int_equal(sweep_choice(sweep, point, 1), b);
				assert_int_equal(sweep_choice(sweep, point, 2), c);
			}
}

static void seeds_are_runs_of_a_point(void **state)
{
	static char *words[] = {"run", "app", "{b}-{c.d}", "s{seed}", NULL};
	struct sweep *sweep = sweep_of(3, AXES("a=p,q", "b=10,20", "c.d=7,8", "e.f=1,2"));
	struct diagnostic diagnostic = {0};

	(void)state;
	sweep->words = words;
	assert_true(sweep_check(sweep, &diagnostic));
	assert_int_equal(sweep->runs, 48);
	for (uint32_t run = 0; run < 48; run++) {
		uint32_t point = run / 3;
		const char *expected[] = {"lockstep", "run", "--report=json", "--output=r.json",
			arena_printf(&arena, "--a=%s", point & 8 ? "q" : "p"),
			arena_printf(&arena, "--set=e.f=%s", point & 1 ? "2" : "1"),
			arena_printf(&arena, "--seed=%u", run % 3), "app",
			arena_printf(&arena, "%s-%s", point & 4 ? "20" : "10", point & 2 ? "8" : "7"),
			arena_printf(&arena, "s%u", run % 3)};
		const char **got = sweep_words(sweep, &arena, run, "r.json");

		for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
			assert_string_equal(got[k], expected[k]);
		assert_null(got[sizeof expected / sizeof *expected]);
	}
}

/* With one seed it is 0, in the words, too. */
static void a_single_seed_is_0(void **state)
{
	static char *words[] = {"run", "app", "{seed}{a}", NULL};
	struct sweep *sweep = sweep_of(1, AXES("a=p,q"));
	struct diagnostic diagnostic = {0};
	const char **got;

	(void)state;
	sweep->words = words;
	assert_true(sweep_check(sweep, &diagnostic));
	assert_int_equal(sweep->runs, 2);
	got = sweep_words(sweep, &arena, 1, "r.json");
	assert_string_equal(got[4], "--seed=0");
	assert_string_equal(got[6], "0q");
	assert_null(got[7]);
}

/* ---- What came out ---- */

/* Whichever seed it was: the first that did not complete. */
static void one_bad_seed_is_the_points_outcome(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 3; seed++) {
		struct sweep *sweep = sweep_of(3, AXES("a=p,q,r"));
		struct sweep_spread spread;

		ended(sweep, 3 + seed, "hang");
		assert_string_equal(sweep_outcome(sweep, 0), "completed");
		assert_string_equal(sweep_outcome(sweep, 1), "hang");
		assert_string_equal(sweep_outcome(sweep, 2), "completed");
		assert_true(sweep_spread_of(sweep, 0, "cycles", &spread));
		assert_false(sweep_spread_of(sweep, 1, "cycles", &spread));
		assert_true(sweep_spread_of(sweep, 2, "cycles", &spread));
		if (seed) {
			ended(sweep, 3, "fault");
			assert_string_equal(sweep_outcome(sweep, 1), "fault");
		}
	}
}

static void spreads_are_of_all_seeds(void **state)
{
	static const uint64_t values[][3] = {{1, 2, 6}, {1, 6, 2}, {2, 1, 6}, {2, 6, 1}, {6, 1, 2}, {6, 2, 1}};
	struct sweep *sweep = sweep_of(3, AXES("a=1,2,3,4,5,6"));
	struct sweep_spread spread;

	(void)state;
	for (uint32_t k = 0; k < 18; k++)
		sweep->run[k].counts.at[1].value = values[k / 3][k % 3];
	for (uint32_t point = 0; point < 6; point++) {
		assert_true(sweep_spread_of(sweep, point, "other", &spread));
		assert_true(fabs(spread.mean - 3) < 1e-9);
		assert_true(spread.least == 1 && spread.greatest == 6);
	}
	sweep->run[10].counts.count = 1; /* one of a point's runs has not counted it */
	assert_false(sweep_spread_of(sweep, 3, "other", &spread));
	assert_true(sweep_spread_of(sweep, 4, "other", &spread));
	assert_false(sweep_spread_of(sweep, 3, "another", &spread));
}

static void tables_have_a_row_for_each_point(void **state)
{
	struct sweep *sweep = sweep_of(2, AXES("a=p,q", "b=1,22"));
	struct text text = {.arena = &arena};

	(void)state;
	*vector_push(&arena, &sweep->values) = "other";
	ended(sweep, 5, "limit"); /* the point q, 1 */
	sweep_write_table(sweep, &text);
	assert_string_equal(text.at,
		"a  b   outcome     cycles  least  greatest  of first  other  least  greatest  of first\n"
		"p  1   completed  1,000.5  1,000     1,001     1.000    3.5      0         7     1.000\n"
		"p  22  completed  1,002.5  1,002     1,003     1.002   17.5     14        21     5.000\n"
		"q  1   limit            -      -         -         -      -      -         -         -\n"
		"q  22  completed  1,006.5  1,006     1,007     1.006   45.5     42        49    13.000\n");
	text = (struct text){.arena = &arena};
	sweep->run[3].counts.at[0] = (struct sweep_count){"other", 5}; /* in another order, and one is missing */
	sweep->run[3].counts.count = 1;
	sweep->run[5].status = 4;
	sweep_write_csv(sweep, &text);
	assert_string_equal(text.at, "a,b,seed,outcome,status,report,cycles,other\n"
				     "p,1,0,completed,0,0001.json,1000,0\n"
				     "p,1,1,completed,0,0002.json,1001,7\n"
				     "p,22,0,completed,0,0003.json,1002,14\n"
				     "p,22,1,completed,0,0004.json,,5\n"
				     "q,1,0,completed,0,0005.json,1004,28\n"
				     "q,1,1,limit,4,0006.json,1005,35\n"
				     "q,22,0,completed,0,0007.json,1006,42\n"
				     "q,22,1,completed,0,0008.json,1007,49\n");
}

/* Which may be the last. */
static void columns_are_those_of_the_run_with_the_most(void **state)
{
	struct sweep *sweep = sweep_of(0, AXES("a=p,q,r"));
	struct text text = {.arena = &arena};

	(void)state;
	sweep->run[0].counts.count = 0;
	*vector_push(&arena, &sweep->run[2].counts) = (struct sweep_count){"third", 9};
	sweep_write_csv(sweep, &text);
	assert_string_equal(text.at, "a,outcome,status,report,cycles,other,third\n"
				     "p,completed,0,0001.json,,,\n"
				     "q,completed,0,0002.json,1001,7,\n"
				     "r,completed,0,0003.json,1002,14,9\n");
}

/* Nothing is so many times 0; a third more is told by one digit. */
static void tables_have_round_numbers(void **state)
{
	struct sweep *sweep = sweep_of(0, AXES("a=p,q"));
	struct text text = {.arena = &arena};

	(void)state;
	sweep->values.at[0] = "other";
	sweep_write_table(sweep, &text);
	assert_string_equal(text.at, "a  outcome    other  of first\n"
				     "p  completed      0         -\n"
				     "q  completed      7         -\n");
	text = (struct text){.arena = &arena};
	sweep = sweep_of(3, AXES("a=p"));
	sweep->run[1].counts.at[0].value++;    /* 1000, 1002, 1002 */
	sweep->run[2].counts.at[0].value += 3; /* 1005: 1002.33 */
	sweep_write_table(sweep, &text);
	assert_string_equal(text.at, "a  outcome     cycles  least  greatest  of first\n"
				     "p  completed  1,002.3  1,000     1,005     1.000\n");
	text = (struct text){.arena = &arena};
	sweep->run[0].counts.at[0].value++; /* 1002.67 */
	sweep_write_table(sweep, &text);
	assert_non_null(strstr(text.at, "1,002.7  1,001 "));
}

/* ---- What is taken ---- */

/* What is said of the rest is in tests/cli/errors/sweep.txt. */
static bool takes(uint32_t seeds, const char *const *axes, const char *const *words)
{
	struct sweep *sweep = arena_new(&arena, struct sweep);
	struct diagnostic diagnostic = {0};
	char *copies[8] = {NULL};

	for (uint32_t k = 0; words[k]; k++)
		copies[k] = arena_copy(&arena, words[k], strlen(words[k]));
	*sweep = (struct sweep){.arena = &arena, .seeds = seeds, .jobs = 4, .words = copies, .folder = "."};
	while (*axes && sweep_add_axis(sweep, *axes, &diagnostic))
		axes++;
	return !diagnostic.failed && sweep_check(sweep, &diagnostic);
}

#define KERNEL AXES("kernel", "a.ptx")

static void words_may_look_like_options(void **state)
{
	(void)state;
	assert_true(takes(0, AXES("grid=1"), KERNEL));
	assert_true(takes(2, AXES(NULL), KERNEL));
	assert_true(takes(0, AXES("seed=1,2"), KERNEL));
	assert_true(takes(0, AXES("grid=1"), AXES("run", "app", "--report", "--output=x"))); /* the program's own */
	assert_true(takes(0, AXES("grid=1"), AXES("kernel", "a.ptx", "--seed", "4")));
	assert_true(takes(0, AXES("grid=1"), AXES("kernel", "a.ptx", "--grid={grid}")));
	assert_true(takes(0, AXES("grid=1"), AXES("kernel", "a.ptx", "--grids", "-grid", "grid", "--gri", "//grid")));
	assert_false(takes(0, AXES("grid=1"), AXES("kernel", "a.ptx", "--grid={block}")));
	assert_false(takes(0, AXES("block=1", "grid=1"), AXES("kernel", "a.ptx", "--grid={block}")));
	assert_false(takes(1, AXES("seed=1,2"), KERNEL));
	assert_false(takes(0, AXES("gr id=1"), KERNEL));
	assert_false(takes(0, AXES("grid=1,2,"), KERNEL));
}

static void without_seeds_a_run_has_its_own_words_alone(void **state)
{
	static const char *const expected[] = {
		"lockstep", "kernel", "--report=json", "--output=r.json", "--a=q", "--set=b.c=1", "a.ptx"};
	const char **words = sweep_words(sweep_of(0, AXES("a=p,q", "b.c=1,2")), &arena, 2, "r.json");

	(void)state;
	for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
		assert_string_equal(words[k], expected[k]);
	assert_null(words[sizeof expected / sizeof *expected]);
}

/* 100,000, of axes and seeds. */
static void runs_are_limited(void **state)
{
	struct text text = {.arena = &arena};
	const char *hundred, *more;

	(void)state;
	for (uint32_t k = 0; k < 100; k++)
		text_print(&text, "%s%u", k ? "," : "=", k);
	hundred = arena_printf(&arena, "%s", text.at);
	more = arena_printf(&arena, "%s,100", text.at);
#define AXIS(name, values) arena_printf(&arena, name "%s", values)
	assert_true(takes(1000, AXES(AXIS("a", hundred)), KERNEL));
	assert_false(takes(1000, AXES(AXIS("a", more)), KERNEL));
	assert_true(takes(10, AXES(AXIS("a", hundred), AXIS("b", hundred)), KERNEL));
	assert_false(takes(10, AXES(AXIS("a", hundred), AXIS("b", more)), KERNEL));
	assert_false(takes(0, AXES(AXIS("a", hundred), AXIS("b", hundred), AXIS("c", hundred)), KERNEL));
}

/* Behind a semicolon values may have commas, which CSV has in quotes, and quotes twice (RFC 4180). */
static void values_with_commas_are_quoted(void **state)
{
	struct sweep *sweep = sweep_of(0, AXES("a=1,2;3;x\"y", "b=z"));
	struct text text = {.arena = &arena};

	(void)state;
	assert_int_equal(sweep->points, 3);
	sweep_write_csv(sweep, &text);
	assert_string_equal(text.at, "a,b,outcome,status,report,cycles,other\n"
				     "\"1,2\",z,completed,0,0001.json,1000,0\n"
				     "3,z,completed,0,0002.json,1001,7\n"
				     "\"x\"\"y\",z,completed,0,0003.json,1002,14\n");
}

/* To a digit behind the point, which is left out where it is 0. */
static void means_are_rounded(void **state)
{
	static const uint64_t cycles[3][3] = {{1000, 1001, 1001}, {1000, 1000, 1001}, {999, 1000, 1000}};
	struct sweep *sweep = sweep_of(3, AXES("a=p,q,r"));
	struct text text = {.arena = &arena};

	(void)state;
	for (uint32_t k = 0; k < 9; k++)
		sweep->run[k].counts.at[0].value = cycles[k / 3][k % 3];
	sweep_write_table(sweep, &text);
	assert_string_equal(text.at, "a  outcome     cycles  least  greatest  of first\n"
				     "p  completed  1,000.7  1,000     1,001     1.000\n"
				     "q  completed  1,000.3  1,000     1,001     1.000\n"
				     "r  completed    999.7    999     1,000     0.999\n");
	sweep = sweep_of(25, AXES("a=p"));
	for (uint32_t k = 0; k < 25; k++)
		sweep->run[k].counts.at[0].value = 1000 - !k;
	text = (struct text){.arena = &arena};
	sweep_write_table(sweep, &text);
	assert_string_equal(text.at, "a  outcome    cycles  least  greatest  of first\n"
				     "p  completed   1,000    999     1,000     1.000\n");
}

/* ---- Reports ---- */

static const char *folder_of_reports(void)
{
	char *path =
		arena_printf(&arena, "%s/lockstep-sweep-test-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");

	assert_non_null(mkdtemp(path));
	return path;
}

/* Reads this as the report of run 1; null: there is none. */
static const struct sweep_run *read_report(const char *report, int status)
{
	struct sweep *sweep = sweep_of(0, AXES("a=p,q,r"));
	struct diagnostic diagnostic = {0};
	const char *file;

	sweep->folder = folder_of_reports();
	sweep->run[1] = (struct sweep_run){.status = status};
	file = sweep_report_file(sweep, &arena, 1);
	assert_string_equal(file, arena_printf(&arena, "%s/0002.json", sweep->folder));
	if (report)
		assert_true(text_write_file(file, report, strlen(report), &diagnostic));
	sweep_read_report(sweep, 1, &diagnostic);
	unlink(file);
	assert_int_equal(rmdir(sweep->folder), 0);
	assert_string_equal(sweep->run[2].outcome, "completed");
	return &sweep->run[1];
}

#define REPORT(launches) "{\"schema\": \"lockstep-report/1\", \"launches\": [" launches "]}"
#define LAUNCH(outcome, cycles, counters)                                                                              \
	"{\"outcome\": \"" outcome "\", \"cycles\": " cycles                                                           \
	", \"warp_instructions\": 20, \"thread_instructions\": 300, \"counters\": {" counters "}}"

/* Of all launches, also where one has counters in another order, fewer or more. */
static void launches_are_added(void **state)
{
	static const struct sweep_count expected[] = {{"cycles", 60}, {"warp_instructions", 60},
		{"thread_instructions", 900}, {"a", 111}, {"b", 202}, {"c", 3}};
	const struct sweep_run *run =
		read_report(REPORT(LAUNCH("completed", "10", "\"a\": 1, \"b\": 2") "," LAUNCH("completed", "20",
				    "\"b\": 200, \"a\": 10") "," LAUNCH("completed", "30", "\"c\": 3, \"a\": 100")),
			0);

	(void)state;
	assert_true(run->counts_hold);
	assert_int_equal(run->counts.count, 6);
	for (size_t k = 0; k < 6; k++) {
		assert_string_equal(run->counts.at[k].name, expected[k].name);
		assert_int_equal(run->counts.at[k].value, expected[k].value);
	}
}

static void the_first_bad_launch_is_the_runs_outcome(void **state)
{
	static const struct {
		const char *report;
		int status;
		const char *outcome;
	} rows[] = {
		{REPORT(""), 0, "completed"},
		{REPORT(LAUNCH("completed", "1", "")), 0, "completed"},
		{REPORT(LAUNCH("completed", "1", "")), 1, "failed"},
		{REPORT(LAUNCH("completed", "1", "") "," LAUNCH("hang", "1", "") "," LAUNCH("fault", "1", "")), 3,
			"hang"},
		{REPORT(LAUNCH("fault", "1", "") "," LAUNCH("completed", "1", "")), 0, "fault"},
		{NULL, 0, "failed"},
		{NULL, 9, "failed"},
		{"{", 0, "failed"},
	};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct sweep_run *run = read_report(rows[k].report, rows[k].status);

		assert_string_equal(run->outcome, rows[k].outcome);
		assert_int_equal(run->counts_hold, !strcmp(rows[k].outcome, "completed"));
	}
}

static void values_are_those_of_reports(void **state)
{
	struct sweep *sweep = sweep_of(0, AXES("a=p,q"));
	struct diagnostic diagnostic = {0};

	(void)state;
	ended(sweep, 0, "hang"); /* its counts may lack some */
	sweep->run[0].counts.count = 1;
	*vector_push(&arena, &sweep->values) = "other";
	assert_true(sweep_check_values(sweep, &diagnostic));
	*vector_push(&arena, &sweep->values) = "othet";
	assert_false(sweep_check_values(sweep, &diagnostic));
	assert_string_equal(diagnostic.message, "--value othet: no report has it, did you mean 'other'?");
}

/* ---- The picture ---- */

/* Over each axis, first, middle and last: a series has the other axes' values in all its points, and no two have a
 * point in common. */
static void series_go_along_each_axis(void **state)
{
	struct sweep *sweep = sweep_of(0, THREE);

	(void)state;
	for (uint32_t axis = 0; axis < 3; axis++) {
		uint32_t count = sweep->axes.at[axis].values.count, next = 0;
		struct picture p = {.sweep = sweep, .arena = &arena, .axis = axis, .series = 24 / count};
		bool seen[24] = {false};

		for (uint32_t series = 0; series < p.series; series++) {
			for (uint32_t k = 0; k < count; k++) {
				uint32_t point = point_of(&p, series, k);

				assert_in_range(point, 0, 23);
				assert_false(seen[point]);
				seen[point] = true;
				for (uint32_t a = 0; a < 3; a++)
					assert_int_equal(sweep_choice(sweep, point, a),
						a == axis ? k : sweep_choice(sweep, point_of(&p, series, 0), a));
			}
			/* in the order of the points */
			assert_true(!series || point_of(&p, series, 0) > next);
			next = point_of(&p, series, 0);
		}
	}
}

/* All lines between two, without them. */
static const char *between(const char *text, const char *first, const char *last)
{
	const char *found = strstr(text, first), *at = found ? found + strlen(first) : NULL,
		   *end_of = at ? strstr(at, last) : NULL;

	assert_non_null(end_of);
	return arena_copy(&arena, at, (size_t)(end_of - at));
}

static const char *script_of(struct sweep *sweep)
{
	struct picture p = {.sweep = sweep, .arena = &arena, .text.arena = &arena};

	choose_axis(&p);
	print_script(&p);
	return p.text.at;
}

/* The middle axis is of numbers: a column for each of its values, a series for each pair of the others. */
static void pictures_go_over_the_axis_of_numbers(void **state)
{
	struct sweep *sweep = sweep_of(2, THREE);
	struct text expected = {.arena = &arena};
	const char *script, *names[] = {"p, s", "p, t", "p, u", "p, v", "q, s", "q, t", "q, u", "q, v"};

	(void)state;
	*vector_push(&arena, &sweep->values) = "other";
	ended(sweep, 2 * (1 * 12 + 2 * 4 + 1) + 1, "hang"); /* q, 30, t, by its second seed */
	script = script_of(sweep);
	for (uint32_t series = 0; series < 8; series++) {
		for (uint32_t b = 0; b < 3; b++) {
			uint32_t run = 2 * (series / 4 * 12 + b * 4 + series % 4);

			if (series == 5 && b == 2)
				text_print(&expected, "30 ? ? ?\n");
			else
				text_print(&expected, "%u %.12g %u %u\n", 10 + 10 * b, 1000.5 + run, 1000 + run,
					1001 + run);
		}
		text_print(&expected, "\n\n");
		assert_string_equal(
			series_text(&(struct picture){.sweep = sweep, .arena = &arena, .axis = 1}, series, false),
			names[series]);
	}
	assert_string_equal(between(script, "$panel1 << END\n", "END\n$panel2"), expected.at);
	assert_non_null(strstr(script, "set label 'q, t: hang' at first 30, graph 0.33 center"));
	assert_non_null(strstr(script, "set xlabel 'b'"));
	assert_non_null(strstr(script, "set key title 'a, c'"));
	assert_non_null(strstr(script, "$panel2 index 5 using 1:2 with linespoints lt 6 title 'q, t'"));
}

#define SPREAD(panel, series)                                                                                          \
	", $panel" panel " index " series                                                                              \
	" using 1:3:(0):($4 - $3) with vectors heads size graph 0.004,90 lw 1.2 lc rgb '#404040' notitle"
#define LABELS(panel, series, type, above)                                                                             \
	", $panel" panel " index " series " using 1:2:(sprintf('%.0f', $2)) with labels offset 0," above               \
	" font ',10' tc lt " type " notitle"
#define LINES(panel, series, type, name)                                                                               \
	"$panel" panel " index " series " using 1:2 with linespoints lt " type " title '" name "'" SPREAD(panel, series)

/* All that gnuplot is told but the style: data of each panel and series, marks, labels of what did not complete one
 * above the other, lines with the spread of each series' own seeds. */
static void lines_are_drawn_with_their_spreads(void **state)
{
	struct sweep *sweep = sweep_of(2, AXES("s=p,q", "n=1,2"));
	const char *script;

	(void)state;
	*vector_push(&arena, &sweep->values) = "other";
	ended(sweep, 2, "hang");  /* p, 2 */
	ended(sweep, 7, "fault"); /* q, 2 */
	script = script_of(sweep);
	assert_string_equal(between(script, "", "set border"),
		"# Makes sweep.svg: gnuplot sweep.gp, in this folder.\nset encoding utf8\n"
		"set terminal svg size 860,760 dynamic noenhanced font 'sans-serif,13' background '#ffffff'\n"
		"set output 'sweep.svg'\n"
		"$panel1 << END\n1 1000.5 1000 1001\n2 ? ? ?\n\n\n1 1004.5 1004 1005\n2 ? ? ?\n\n\nEND\n"
		"$panel2 << END\n1 3.5 0 7\n2 ? ? ?\n\n\n1 31.5 28 35\n2 ? ? ?\n\n\nEND\n");
	assert_string_equal(strstr(script, "set xtics scale"),
		"set xtics scale 1 ('1' 1, '2' 2)\nset xlabel 'n'\nset xrange [0.97:2.03]\nset offsets 0, 0, graph "
		"0.1, graph 0.1\n"
		"set label 'p: hang' at first 2, graph 0.03 center front textcolor rgb '#b03000'\n"
		"set label 'q: fault' at first 2, graph 0.09 center front textcolor rgb '#b03000'\n"
		"set multiplot layout 2,1 title 'lockstep kernel a.ptx'\n"
		"set yrange [*:*]\nset ylabel 'cycles (axis not from 0)'\nset key title 's'\n"
		"plot " LINES("1", "0", "1", "p") LABELS("1", "0", "1", "0.6") ", " LINES("1", "1", "2", "q")
			LABELS("1", "1", "2", "-0.8") "\n"
						      "set yrange [0:*]\nset ylabel 'other'\nset key title 's'\n"
						      "plot " LINES("2", "0", "1", "p") LABELS(
							      "2", "0", "1", "0.6") ", " LINES("2", "1", "2", "q")
							      LABELS("2", "1", "2", "-0.8") "\n"
											    "unset multiplot\n");
	/* One series needs no name, nor has its label one; the axis is logarithmic. */
	sweep = sweep_of(0, AXES("n=1,8"));
	ended(sweep, 1, "limit");
	assert_string_equal(strstr(script_of(sweep), "set xtics scale"),
		"set xtics scale 1 ('1' 1, '8' 8)\nset xlabel 'n'\nset logscale x 2\n"
		"set xrange [0.939523:8.51496]\nset offsets 0, 0, graph 0.1, graph 0.1\n"
		"set label 'limit' at first 8, graph 0.03 center front textcolor rgb '#b03000'\n"
		"set multiplot layout 1,1 title 'lockstep kernel a.ptx'\nset yrange [0:*]\nset ylabel 'cycles'\n"
		"set key title ''\nplot $panel1 index 0 using 1:2 with linespoints lt 1 notitle" LABELS(
			"1", "0", "1", "0.6") "\nunset multiplot\n");
}

/* Two bars of a group take 0.72 of its width together; where values are close there are points; an axis of one number
 * is none to draw lines over. */
static void bars_are_drawn_in_groups(void **state)
{
	struct sweep *sweep = sweep_of(1, AXES("n=4", "s=p,q", "t=x,y"));
	const char *script;

	(void)state;
	*vector_push(&arena, &sweep->values) = "other";
	ended(sweep, 1, "hang"); /* p, y */
	script = script_of(sweep);
	assert_non_null(strstr(script, "set terminal svg size 860,760 "));
	assert_string_equal(between(script, "$panel1 << END\n", "END\n"),
		"-0.2 1000 1000 1000\n0.8 ? ? ?\n\n\n0.2 1002 1002 1002\n1.2 1003 1003 1003\n\n\n");
	assert_string_equal(strstr(script, "set xtics scale"),
		"set xtics scale 0 ('x' 0, 'y' 1)\nset xlabel 't'\nset xrange [-0.6:1.6]\n"
		"set label 'hang' at first 0.8, graph 0.02 rotate left front textcolor rgb '#b03000'\n"
		"set boxwidth 0.36\nset multiplot layout 2,1 title 'lockstep kernel a.ptx'\n"
		"set yrange [*:*]\nset ylabel 'cycles (axis not from 0)'\nset key title 'n, s'\n"
		"plot $panel1 index 0 using 1:2 with points lt 1 title '4, p'" LABELS("1", "0", "1",
			"0.6") ", "
			       "$panel1 index 1 using 1:2 with points lt 2 title '4, q'" LABELS("1", "1", "2",
				       "0.6") "\n"
					      "set yrange [0:*]\nset ylabel 'other'\nset key title 'n, s'\n"
					      "plot $panel2 index 0 using 1:2 with boxes lt 1 title '4, p'" LABELS("2",
						      "0", "1",
						      "0.6") ", "
							     "$panel2 index 1 using 1:2 with boxes lt 2 title '4, "
							     "q'" LABELS("2", "1", "2", "0.6") "\n"
											       "unset multiplot\n");
}

/* Seven colours and shapes, then the first again. */
static void series_have_colours(void **state)
{
	const char *script = script_of(sweep_of(0, AXES("a=1,2")));

	(void)state;
	assert_non_null(strstr(script, "set linetype 1 lc rgb '#0072b2' lw 2 pt 7 ps 0.7\nset linetype 2 "));
	assert_non_null(strstr(script, "\nset linetype 7 lc rgb '#707070' lw 2 pt 6 ps 0.7\nset linetype cycle 7\n"));
}

/* Without numbers: bars in groups over the last axis; two axes of numbers: over the last of them. */
static void pictures_without_numbers_have_bars(void **state)
{
	struct sweep *sweep = sweep_of(0, AXES("a=p,q", "b=x,y,z"));
	const char *script = script_of(sweep);
	struct picture p = {.sweep = sweep_of(0, AXES("a=1,2", "b=3,4", "c=x,y"))};

	(void)state;
	assert_string_equal(between(script, "$panel1 << END\n", "END\n"),
		"-0.2 1000 1000 1000\n0.8 1001 1001 1001\n1.8 1002 1002 1002\n\n\n"
		"0.2 1003 1003 1003\n1.2 1004 1004 1004\n2.2 1005 1005 1005\n\n\n");
	assert_non_null(strstr(script, "set xtics scale 0 ('x' 0, 'y' 1, 'z' 2)"));
	choose_axis(&p);
	assert_int_equal(p.axis, 1);
	assert_int_equal(p.series, 4);
	assert_true(p.is_lines);
}

/* From eight times on; not for numbers up to 0. */
static void numbers_far_apart_are_logarithmic(void **state)
{
	static const struct {
		const char *axis;
		bool is_logarithmic;
	} rows[] = {{"a=1,8", true}, {"a=8,1", true}, {"a=2,15", false}, {"a=2,4,16", true}, {"a=0,8", false},
		{"a=-1,8", false}};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		assert_int_equal(
			strstr(script_of(sweep_of(0, AXES(rows[k].axis))), "logscale") != NULL, rows[k].is_logarithmic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_last_axis_changes_fastest, end),
		cmocka_unit_test_teardown(seeds_are_runs_of_a_point, end),
		cmocka_unit_test_teardown(a_single_seed_is_0, end),
		cmocka_unit_test_teardown(one_bad_seed_is_the_points_outcome, end),
		cmocka_unit_test_teardown(spreads_are_of_all_seeds, end),
		cmocka_unit_test_teardown(tables_have_a_row_for_each_point, end),
		cmocka_unit_test_teardown(columns_are_those_of_the_run_with_the_most, end),
		cmocka_unit_test_teardown(tables_have_round_numbers, end),
		cmocka_unit_test_teardown(words_may_look_like_options, end),
		cmocka_unit_test_teardown(without_seeds_a_run_has_its_own_words_alone, end),
		cmocka_unit_test_teardown(runs_are_limited, end),
		cmocka_unit_test_teardown(values_with_commas_are_quoted, end),
		cmocka_unit_test_teardown(means_are_rounded, end),
		cmocka_unit_test_teardown(launches_are_added, end),
		cmocka_unit_test_teardown(the_first_bad_launch_is_the_runs_outcome, end),
		cmocka_unit_test_teardown(values_are_those_of_reports, end),
		cmocka_unit_test_teardown(series_go_along_each_axis, end),
		cmocka_unit_test_teardown(series_have_colours, end),
		cmocka_unit_test_teardown(pictures_go_over_the_axis_of_numbers, end),
		cmocka_unit_test_teardown(pictures_without_numbers_have_bars, end),
		cmocka_unit_test_teardown(lines_are_drawn_with_their_spreads, end),
		cmocka_unit_test_teardown(bars_are_drawn_in_groups, end),
		cmocka_unit_test_teardown(numbers_far_apart_are_logarithmic, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
