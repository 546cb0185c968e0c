/* Samples, controls and figures: rows of one seed, what controls replace in them, means and marks in what gnuplot
 * reads, and questions about counters of some results alone. */
#include "experiment_harness.h"

#include "experiment/collect.h"
#include "experiment/draw.h"
#include "experiment/judge.h"

#include <math.h>

/* ---- Samples ---- */

/* Points in this order: a and b of variation v with seeds 5, 3, then of w with 5, 3; c without a seed. */
static const char varied[] =
	"title = \"t\";\n"
	"programs = ( { name = \"p\"; file = \"p\"; arguments = \"{seed}\"; } );\n"
	"benchmarks = ( { name = \"B\"; program = \"p\"; kernels = [\"k\"]; } );\n"
	"policies = ( { name = \"a\"; options = \"-a\"; }, { name = \"b\"; options = \"-b\"; }, { name = \"c\"; "
	"options "
	"= \"-c\"; } );\n"
	"variations = ( { name = \"v\"; arguments = \"-v\"; value = 1; }, { name = \"w\"; arguments = \"-w\"; value = "
	"2; "
	"} );\n"
	"sets = ( { name = \"s\"; programs = \"p\"; gpus = \"g\"; policies = [\"a\", \"b\"]; variations = [\"v\", "
	"\"w\"]; "
	"seeds = [5, 3]; },\n"
	"  { name = \"u\"; programs = \"p\"; gpus = \"g\"; policies = \"c\"; } );\n"
	"controls = ( { name = \"v for w\"; policies = \"a\"; by = \"b\"; variations = \"v\"; by_variations = \"w\"; "
	"},\n"
	"  { name = \"q\"; parameter = \"q\"; policies = \"a\"; by = \"b\"; },\n"
	"  { name = \"both\"; policies = [\"a\", \"b\"]; by = [\"b\", \"a\"]; } );\n"
	"claims = ( { id = \"all\"; metric = \"m\"; kind = \"exact\"; role = \"confirmed\"; paper = 5; sets = [\"s\", "
	"\"u\"]; value = \"SELECT count(*) FROM runs\"; },\n"
	"  { id = \"aw\"; metric = \"m\"; kind = \"exact\"; role = \"confirmed\"; paper = 1; sets = \"s\"; policies = "
	"\"a\"; variations = \"w\"; value = \"SELECT 1\"; },\n"
	"  { id = \"some\"; metric = \"m\"; kind = \"exact\"; role = \"confirmed\"; paper = 1; sets = \"s\"; value = "
	"\"SELECT 1 FROM runs WHERE policy = 'a' AND cycles = 105\"; },\n"
	"  { id = \"c\"; metric = \"m\"; kind = \"exact\"; role = \"confirmed\"; paper = 1; sets = \"s\"; seeds = [5]; "
	"value = \"SELECT 1\"; },\n"
	"  { id = \"gone\"; metric = \"m\"; kind = \"exact\"; role = \"confirmed\"; paper = 1; sets = \"s\"; value = "
	"\"SELECT max(policy = 'a' AND cycles = 105 OR seed = 3) FROM runs\"; } );\n";

struct made {
	struct folder folder;
	struct plan *plan;
	struct points points;
	struct status *statuses;
	struct samples samples;
};

/* A result of each point: 100 cycles and its number of b, w and seed as 10, 20 and 5 or 3 more. */
static struct made make(const char *text)
{
	struct made m = {.folder = make_folder(text)};
	struct folder *f = &m.folder;
	struct diagnostic diagnostic = {0};
	m.plan = plan_of(f);
	m.points = points_of(f);
	m.statuses = arena_new_array(&f->arena, struct status, m.points.points.count + 1);
	for (uint32_t k = 0; k < m.points.points.count; k++) {
		const struct point *p = &m.points.points.at[k];
		unsigned of_policy = p->options[1] == 'a'   ? 0
				     : p->options[1] == 'b' ? 10
							    : 50,
			 of_variation = strstr(p->arguments, "-w") ? 20 : 0,
			 cycles = 100 + of_policy + of_variation + (unsigned)p->seed;
		write_result(f, p, "json",
			arena_printf(&f->arena,
				"{\"program\": {\"status\": 0}, \"configuration\": {}, \"launches\": [{\"kernel\": "
				"\"k\", \"cycles\": %u, \"outcome\": \"completed\", \"counters\": {\"x__%s.sum\": "
				"1}}]}",
				cycles, k ? "y" : "first"));
	}
	const char *file = arena_printf(&f->arena, "%s/results.sqlite", f->path);
	assert_true(collect(&f->arena, m.plan, &m.points, f->path, file, m.statuses, &diagnostic));
	assert_true(samples_open(&f->arena, m.plan, &m.points, file, &m.samples, &diagnostic));
	return m;
}

static void close_made(struct made *m)
{
	samples_close(&m->samples, m->plan);
	assert_int_equal(m->samples.count, 0);
	remove_folder(&m->folder);
}

static const char *asked(struct made *m, sqlite3 *db, const char *sql)
{
	struct diagnostic diagnostic = {0};
	struct text text = {.arena = &m->folder.arena};
	struct answer a = database_ask(&m->folder.arena, db, sql, (struct place){0}, &diagnostic);
	assert_false(diagnostic.failed);
	text_append(&text, "", 0);
	for (uint32_t k = 0; k < a.rows * a.columns; k++)
		text_print(&text, "%s%s", a.values[k] ? a.values[k] : "-", (k + 1) % a.columns ? " " : "\n");
	return text.at;
}

#define RUNS "SELECT policy, variation, cycles FROM runs ORDER BY 1, 2, 3"
#define ENTRIES "SELECT policy, variation, seed FROM entries ORDER BY 1, 2, 3"

/* Seeds ascend; a point without one is in every sample; each table has what belongs to the sample's points alone. */
static void a_sample_has_the_rows_of_a_seed(void **state)
{
	(void)state;
	struct made m = make(varied);
	assert_int_equal(m.points.points.count, 9);
	assert_int_equal(m.samples.count, 2);
	assert_true(m.samples.seeds[0] == 3 && m.samples.seeds[1] == 5);
	assert_string_equal(asked(&m, m.samples.db[0], RUNS), "a v 103\na w 123\nb v 113\nb w 133\nc  150\n");
	assert_string_equal(asked(&m, m.samples.db[1], RUNS), "a v 105\na w 125\nb v 115\nb w 135\nc  150\n");
	assert_string_equal(asked(&m, m.samples.db[0], ENTRIES), "a v 3\na w 3\nb v 3\nb w 3\nc  0\n");
	assert_string_equal(asked(&m, m.samples.db[0], "SELECT point, cycles FROM launches ORDER BY 1"),
		"2 103\n4 123\n6 113\n8 133\n9 150\n");
	assert_string_equal(asked(&m, m.samples.db[0], "SELECT count(*), sum(seed) FROM points"), "5 12\n");
	assert_string_equal(asked(&m, m.samples.db[0], "SELECT count(*) FROM counter_values"), "5\n");
	assert_string_equal(asked(&m, m.samples.db[1], "SELECT name, count(*) FROM counters GROUP BY name"),
		"x__first.sum 1\nx__y.sum 4\n");
	assert_string_equal(asked(&m, m.samples.db[0], "SELECT options, arguments FROM points ORDER BY point"),
		"-a 3 -v\n-a 3 -w\n-b 3 -v\n-b 3 -w\n-c 0\n");
	assert_string_equal(asked(&m, m.samples.db[0], "SELECT count(*) FROM benchmarks"), "1\n");
	assert_string_equal(asked(&m, m.samples.db[0], "SELECT count(*) FROM policies"), "3\n");
	close_made(&m);
}

static void a_control_replaces_a_policy_with_a_variation(void **state)
{
	(void)state;
	struct made m = make(varied);
	/* a with v is what ran under b with w, in both samples; all else is as before. */
	assert_string_equal(asked(&m, m.samples.controlled[0], RUNS), "a v 133\na w 123\nb v 113\nb w 133\nc  150\n");
	assert_string_equal(asked(&m, m.samples.controlled[1], RUNS), "a v 135\na w 125\nb v 115\nb w 135\nc  150\n");
	assert_string_equal(
		asked(&m, m.samples.controlled[1], "SELECT point FROM entries WHERE policy = 'a' AND variation = 'v'"),
		"7\n");
	/* A parameter's: both variations of a, with the first seed alone. */
	assert_string_equal(asked(&m, m.samples.controlled[2], RUNS), "a v 113\na w 133\nb v 113\nb w 133\nc  150\n");
	assert_null(m.samples.controlled[3]);
	/* Two policies change places: what replaces is what had run, and not what a replacement has made. */
	assert_string_equal(asked(&m, m.samples.controlled[4], RUNS), "a v 113\na w 133\nb v 103\nb w 123\nc  150\n");
	assert_string_equal(asked(&m, m.samples.controlled[5], RUNS), "a v 115\na w 135\nb v 105\nb w 125\nc  150\n");
	assert_string_equal(asked(&m, m.samples.controlled[4], ENTRIES), "a v 3\na w 3\nb v 3\nb w 3\nc  0\n");
	/* Which claims a control concerns. */
	static const bool concerns[5][3] = {
		{true, true, true}, {false, true, true}, {true, true, true}, {true, true, true}, {true, true, true}};
	for (uint32_t c = 0; c < 5; c++)
		for (uint32_t k = 0; k < 3; k++)
			assert_int_equal(
				sample_concerns(&m.points, &m.plan->controls.at[k], &m.plan->claims.at[c].scope),
				concerns[c][k]);
	close_made(&m);
}

static void claims_are_asked_of_seeds_and_controls(void **state)
{
	(void)state;
	struct made m = make(varied);
	struct diagnostic diagnostic = {0};
	struct verdict v[5];
	for (uint32_t k = 0; k < 5; k++)
		assert_true(judge_claim(&m.folder.arena, &m.samples, m.plan, &m.plan->claims.at[k], &m.points,
			m.statuses, &v[k], &diagnostic));
	assert_int_equal(v[0].judgement, CLAIM_MET);
	assert_int_equal(v[0].seeds, 2);
	assert_string_equal(v[0].without, "v for w, both"); /* each has five rows still */
	assert_string_equal(v[0].moves[1].before, "5");
	assert_string_equal(v[0].moves[1].after, "5");
	assert_null(v[0].moves[0].before);
	assert_null(v[0].moves[2].before);
	assert_string_equal(v[1].without, "both"); /* a control that does not concern it says nothing */
	/* Of the seeds that give no value nothing is said: seed 3 has no such row, nor has any control of it. */
	assert_int_equal(v[2].seeds, 1);
	assert_int_equal(v[2].judgement, CLAIM_MET);
	assert_null(v[2].without);
	assert_null(v[2].moves[1].before);
	/* A parameter's value is of the first seed, of which this claim is not. */
	assert_int_equal(v[3].seeds, 1);
	assert_null(v[3].moves[1].before);
	/* With one seed met and one not, as the controls have it, it is not still met. */
	assert_int_equal(v[4].judgement, CLAIM_MET);
	assert_null(v[4].without);
	/* A counter that one seed's results have alone: the other's table has the column, too, without a value. */
	struct claim claim = m.plan->claims.at[0];
	claim.value = "SELECT max([x__first.sum]) FROM runs";
	claim.paper = "1";
	assert_true(
		judge_claim(&m.folder.arena, &m.samples, m.plan, &claim, &m.points, m.statuses, &v[0], &diagnostic));
	assert_int_equal(v[0].seeds, 1);
	assert_int_equal(v[0].judgement, CLAIM_MET);
	close_made(&m);
}

/* ---- Figures ---- */

/* Three seeds' rows; y's low of the second is a word, x's high is of the first alone, and z is of the third alone. */
static const char *const tables[] = {
	("INSERT INTO t VALUES ('x', 'low', 1), ('x', 'high', 7), ('y', 'low', 2);"
	 "INSERT INTO m VALUES ('y', 'low', 2.5), ('x', 'low', NULL), ('q', 'low', 9), ('x', 'new', 9);"),
	"INSERT INTO t VALUES ('x', 'low', 5), ('y', 'low', 'many'), ('y', 'high', NULL);",
	"INSERT INTO t VALUES ('z', 'high', -1.5), ('x', 'low', 3), ('y', 'low', 4);"};

struct drawn {
	struct arena arena;
	struct samples samples;
	struct points points;
};

static struct drawn open_tables(void)
{
	struct drawn d = {0};
	struct diagnostic diagnostic = {0};
	d.samples.count = 3;
	d.samples.db = arena_new_array(&d.arena, sqlite3 *, 3);
	for (int k = 0; k < 3; k++) {
		d.samples.db[k] = database_open(NULL, &diagnostic);
		assert_true(database_run(d.samples.db[k], "CREATE TABLE t(g, s, v); CREATE TABLE m(g, s, v);",
			(struct place){0}, &diagnostic));
		assert_true(database_run(d.samples.db[k], tables[k], (struct place){0}, &diagnostic));
	}
	return d;
}

static void close_tables(struct drawn *d)
{
	for (int k = 0; k < 3; k++)
		sqlite3_close(d->samples.db[k]);
	arena_free(&d->arena);
}

static void seeds_become_means_with_least_and_greatest(void **state)
{
	(void)state;
	struct drawn t = open_tables();
	struct diagnostic diagnostic = {0};
	struct drawing d;
	struct folder f = make_folder(plain);
	struct figure figure = {.id = "f-1",
		.shape = "lines",
		.rows = "SELECT * FROM t",
		.marks = "SELECT * FROM m",
		.template = "t.gp",
		.width = 100.5,
		.height = 200};
	assert_true(draw_table(&t.arena, t.samples.db[0], &t.samples, &figure, &t.points, NULL, &d, &diagnostic));
	assert_null(d.why);
	assert_int_equal(d.keys, 1);
	assert_int_equal(d.columns, 3);
	assert_int_equal(d.rows, 3);
	write_file(&f, "t.gp", "plot\n");
	write_program(&f, "gnuplot", "#!/bin/sh\nexit 0\n");
	const char *path = arena_printf(&f.arena, "%s", getenv("PATH"));
	setenv("PATH", arena_printf(&f.arena, "%s:%s", f.path, path), 1);
	assert_true(draw_figure(&t.arena, plan_of(&f), &figure, &d, f.path, true, &diagnostic));
	assert_true(d.drawn);
	size_t length;
	/* Of one value it is as SQLite wrote it; a word counts for nothing beside numbers. */
	assert_string_equal(
		text_read_file(&f.arena, arena_printf(&f.arena, "%s/f-1.tsv", f.path), &length, &diagnostic),
		"place\tg\tlow\thigh\tlow, least\thigh, least\tlow, greatest\thigh, greatest\tlow, paper\thigh, paper\n"
		"0\tx\t3\t7\t1\t7\t5\t7\t?\t?\n"
		"1\ty\t3\t?\t2\t?\t4\t?\t2.5\t?\n"
		"2\tz\t?\t-1.5\t?\t-1.5\t?\t-1.5\t?\t?\n");
	const char *script =
		text_read_file(&f.arena, arena_printf(&f.arena, "%s/f-1.svg.gp", f.path), &length, &diagnostic);
	assert_non_null(strstr(script, "size 100.5,200 dynamic noenhanced font 'sans-serif,13' name 'f__1'\n"));
	assert_non_null(strstr(script, "keys = 1\nseries = 2\nrows = 3\nGROUP_LABEL = -0.2\nfirst = 3\nlow = 5\nhigh = "
				       "7\npaper = 9\n"));
	/* Marks without several seeds; a table of all. */
	t.samples.count = 1;
	assert_true(draw_table(&t.arena, t.samples.db[0], &t.samples, &figure, &t.points, NULL, &d, &diagnostic));
	assert_null(d.low);
	assert_true(draw_figure(&t.arena, plan_of(&f), &figure, &d, f.path, true, &diagnostic));
	assert_non_null(
		strstr(text_read_file(&f.arena, arena_printf(&f.arena, "%s/f-1.png.gp", f.path), &length, &diagnostic),
			"\nfirst = 3\nlow = 0\nhigh = 0\npaper = 5\n"));
	assert_string_equal(
		text_read_file(&f.arena, arena_printf(&f.arena, "%s/f-1.tsv", f.path), &length, &diagnostic),
		"place\tg\tlow\thigh\tlow, paper\thigh, paper\n0\tx\t1\t7\t?\t?\n1\ty\t2\t?\t2.5\t?\n");
	/* Without a template there are numbers alone; without pictures, too. */
	figure.template = NULL;
	assert_true(draw_figure(&t.arena, plan_of(&f), &figure, &d, f.path, true, &diagnostic));
	assert_int_not_equal(access(arena_printf(&f.arena, "%s/f-1.svg.gp", f.path), F_OK), 0);
	assert_int_not_equal(access(arena_printf(&f.arena, "%s/f-1.png.gp", f.path), F_OK), 0);
	assert_int_equal(access(arena_printf(&f.arena, "%s/f-1.tsv", f.path), F_OK), 0);
	/* gnuplot that says nothing, something, or that is not there. */
	static const char *const says[][2] = {{"exit 3", "it gives no reason"},
		{"echo broken; echo again; exit 1", "broken"}, {"echo a line 2: b; echo c >&2; exit 1", "line 2: b"},
		{"kill -9 $$", "it gives no reason"}};
	figure.template = "t.gp";
	for (int k = 0; k < 4; k++) {
		write_program(&f, "gnuplot", arena_printf(&f.arena, "#!/bin/sh\n%s\n", says[k][0]));
		diagnostic = (struct diagnostic){0};
		assert_false(draw_can());
		assert_false(draw_figure(&t.arena, plan_of(&f), &figure, &d, f.path, true, &diagnostic));
		assert_string_equal(diagnostic.message,
			arena_printf(&f.arena, "gnuplot refuses %s/f-1.svg.gp: %s", f.path, says[k][1]));
	}
	setenv("PATH", "/nowhere", 1);
	assert_false(draw_can());
	setenv("PATH", path, 1);
	remove_folder(&f);
	close_tables(&t);
}

static void what_figures_ask_is_checked(void **state)
{
	(void)state;
	static const struct {
		const char *shape, *rows, *marks, *why, *message;
	} cases[] = {
		{"bars", "SELECT * FROM t", NULL, NULL, NULL},
		{"bars", "SELECT g, s FROM t", NULL, NULL,
			"e.cfg:9: the rows have 2 columns, expected 3: place, series, value"},
		{"lines", "SELECT 1, g, s, v FROM t", NULL, NULL,
			"e.cfg:9: the rows have 4 columns, expected 3: place, series, value"},
		{"stacks", "SELECT 1, 2, g, s, v FROM t", NULL, NULL,
			"e.cfg:9: the rows have 5 columns, expected 4: group, bar, part, value"},
		{"table", "SELECT 1", NULL, NULL, NULL},
		{"table", "SELECT * FROM t WHERE g = 'none'", NULL, "the results do not tell", NULL},
		{"bars", "SELECT * FROM t WHERE g = 'none'", NULL, "the results do not tell", NULL},
		{"bars", "SELECT * FROM t", "SELECT 1", NULL,
			"e.cfg:9: the rows have 1 columns, expected 3: place, series, value"},
		{"bars", "SELECT * FROM t", "SELECT g, s, [a__b.sum] FROM t", "no result has the counter a__b.sum",
			NULL},
		{"bars", "SELECT * FROM t", "SELECT * FROM m WHERE g = 'none'", NULL, NULL},
		{"bars", "SELECT g, s, [a__b.sum] FROM t", "SELECT 1", "no result has the counter a__b.sum", NULL},
		{"bars", "SELECT * FROM nowhere", NULL, NULL, "e.cfg:9: the database says: no such table: nowhere"},
	};
	struct drawn t = open_tables();
	static const char *set = "s";
	struct set its_set = {.name = "s"};
	struct policy policy = {.name = "p"};
	struct program program = {.name = "p"};
	struct entry entries[] = {{.set = &its_set, .policy = &policy, .point = 0},
		{.set = &its_set, .policy = &policy, .point = 1}, {.set = &its_set, .policy = &policy, .point = 1}};
	struct point points[] = {{.program = &program}, {.program = &program}};
	t.points = (struct points){.points = {points, 2, 2}, .entries = {entries, 3, 3}};
	const struct status statuses[] = {{0}, {.failed = true}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct diagnostic diagnostic = {0};
		struct drawing d;
		struct figure figure = {.shape = cases[k].shape,
			.rows = cases[k].rows,
			.marks = cases[k].marks,
			.scope.sets = {&set, 1, 0},
			.place = {.file = "e.cfg", .line = 9}};
		assert_int_equal(draw_table(&t.arena, t.samples.db[0], &t.samples, &figure, &t.points, statuses, &d,
					 &diagnostic),
			!cases[k].message);
		assert_string_equal(
			diagnostic.failed ? diagnostic.message : "", cases[k].message ? cases[k].message : "");
		assert_string_equal(d.why ? d.why : "", cases[k].why ? cases[k].why : "");
		assert_int_equal(d.failed, 1); /* of two points, one of which two entries name */
		assert_int_equal(d.all, 2);
	}
	/* Without points, what is missing is that they were not asked for. */
	struct diagnostic diagnostic = {0};
	struct drawing d;
	static const char *other = "r";
	struct figure figure = {
		.shape = "bars", .rows = "SELECT * FROM t WHERE g = 'none'", .scope.sets = {&other, 1, 0}};
	assert_true(draw_table(&t.arena, t.samples.db[0], &t.samples, &figure, &t.points, statuses, &d, &diagnostic));
	assert_string_equal(d.why, "its points were not asked for");
	assert_int_equal(d.all, 0);
	close_tables(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_has_the_rows_of_a_seed),
		cmocka_unit_test(a_control_replaces_a_policy_with_a_variation),
		cmocka_unit_test(claims_are_asked_of_seeds_and_controls),
		cmocka_unit_test(seeds_become_means_with_least_and_greatest),
		cmocka_unit_test(what_figures_ask_is_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
