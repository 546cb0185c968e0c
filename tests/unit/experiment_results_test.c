/* Experiments, from result files on: results become rows, claims rest on their own points alone, and what gnuplot and
 * the page are given is as it is said. */
#include "experiment_harness.h"

#include "experiment/collect.h"
#include "experiment/draw.h"
#include "experiment/end.h"
#include "experiment/judge.h"
#include "experiment/page.h"

#include <math.h>

/* ---- Claims ---- */

/* What is said of each claim, "met" or why it was not measured. */
static const char *said(struct folder *f, const struct points *points, const struct status *statuses, uint32_t claim)
{
	struct diagnostic diagnostic = {0};
	struct verdict verdict;
	sqlite3 *db = database_open(NULL, &diagnostic);
	struct plan *plan = plan_of(f);
	struct samples samples = {.count = 1, .seeds = &(uint64_t){0}, .db = &db};
	assert_true(judge_claim(
		&f->arena, &samples, plan, &plan->claims.at[claim], points, statuses, &verdict, &diagnostic));
	sqlite3_close(db);
	assert_int_equal(verdict.judgement, verdict.why ? CLAIM_NOT_MEASURED : CLAIM_MET);
	return verdict.why ? verdict.why : "met";
}

/* Claims stay met when points fail that they do not rest on; a point that two of their sets share counts once. */
static void claims_rest_on_their_own_points(void **state)
{
	(void)state;
	static const struct {
		uint32_t failed;      /* points, a bit each */
		const char *words[5]; /* of each claim */
	} cases[] = {
		{0, {"met", "met", "met", "met", "met"}},
		{1 << 0, {"1 of its 2 points have no result", "met", "1 of its 3 points have no result", "met",
				 "1 of its 1 points have no result"}},
		{1 << 1, {"1 of its 2 points have no result", "1 of its 2 points have no result",
				 "1 of its 3 points have no result", "1 of its 1 points have no result", "met"}},
		{1 << 2, {"met", "1 of its 2 points have no result", "1 of its 3 points have no result", "met", "met"}},
		{7, {"2 of its 2 points have no result", "2 of its 2 points have no result",
			    "3 of its 3 points have no result", "1 of its 1 points have no result",
			    "1 of its 1 points have no result"}},
	};
	struct folder f = make_two_sets(two_sets);
	struct points points = points_of(&f);
	assert_int_equal(points.points.count, 3);
	assert_int_equal(points.entries.count, 4);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct status statuses[3] = {0};
		for (uint32_t p = 0; p < 3; p++)
			statuses[p].failed = cases[k].failed >> p & 1;
		for (uint32_t c = 0; c < 5; c++)
			assert_string_equal(said(&f, &points, statuses, c), cases[k].words[c]);
	}
	remove_folder(&f);
}

static void claims_on_a_set_that_was_not_asked_for_are_not_measured(void **state)
{
	(void)state;
	struct folder f = make_two_sets(two_sets);
	struct diagnostic diagnostic = {0};
	struct points points;
	struct status statuses[2] = {0};
	assert_true(points_make(&f.arena, plan_of(&f), SIZE_SMALL,
		&(struct names){.at = (const char *[]){"s"}, .count = 1}, f.path, &points, &diagnostic));
	assert_int_equal(points.points.count, 2);
	assert_string_equal(said(&f, &points, statuses, 0), "met");
	assert_string_equal(said(&f, &points, statuses, 1), "its points were not asked for");
	assert_string_equal(
		said(&f, &points, statuses, 2), "2 of its points were not asked for"); /* it rests on both */
	remove_folder(&f);
}

static void claims_without_a_value_are_not_measured(void **state)
{
	(void)state;
	static const struct {
		const char *sql, *why;
	} cases[] = {
		{"SELECT [sync__none.sum] FROM runs", "no result has the counter sync__none.sum"},
		{"SELECT cycles FROM runs", "the results do not tell"},      /* no row */
		{"SELECT max(cycles) FROM runs", "the results do not tell"}, /* NULL */
	};
	struct folder f = make_two_sets(two_sets);
	struct points points = points_of(&f);
	struct status statuses[3] = {0};
	struct diagnostic diagnostic = {0};
	struct verdict verdict;
	sqlite3 *db = database_open(NULL, &diagnostic);
	assert_true(collect_schema(db, &diagnostic));
	struct plan *plan = plan_of(&f);
	struct samples samples = {.count = 1, .seeds = &(uint64_t){0}, .db = &db};
	struct claim claim = plan->claims.at[0];
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		claim.value = cases[k].sql;
		assert_true(judge_claim(&f.arena, &samples, plan, &claim, &points, statuses, &verdict, &diagnostic));
		assert_int_equal(verdict.judgement, CLAIM_NOT_MEASURED);
		assert_true(isnan(verdict.ratio));
		assert_string_equal(verdict.why, cases[k].why);
	}
	claim.value = "SELECT cycels FROM runs";
	assert_false(judge_claim(&f.arena, &samples, plan, &claim, &points, statuses, &verdict, &diagnostic));
	assert_string_equal(diagnostic.message,
		arena_printf(&f.arena, "%s/experiment.cfg:8:12: the database says: no such column: cycels", f.path));
	sqlite3_close(db);
	remove_folder(&f);
}

/* ---- The database ---- */

/* Collects what lies in the folder, and opens the database. */
static sqlite3 *collected(struct folder *f, const struct points *points, struct status *statuses)
{
	struct diagnostic diagnostic = {0};
	const char *file = arena_printf(&f->arena, "%s/results.sqlite", f->path);
	assert_true(collect(&f->arena, plan_of(f), points, f->path, file, statuses, &diagnostic));
	assert_int_not_equal(access(arena_printf(&f->arena, "%s.new", file), F_OK), 0);
	return database_open(file, &diagnostic);
}

/* All values of an answer, a space between them and a line for each row; "-" is NULL. */
static const char *asked(struct folder *f, sqlite3 *db, const char *sql)
{
	struct diagnostic diagnostic = {0};
	struct text text = {.arena = &f->arena};
	struct answer a = database_ask(&f->arena, db, sql, (struct place){0}, &diagnostic);
	assert_false(diagnostic.failed);
	text_print(&text, "%s", "");
	for (uint32_t k = 0; k < a.rows * a.columns; k++)
		text_print(&text, "%s%s", a.values[k] ? a.values[k] : "-", (k + 1) % a.columns ? " " : "\n");
	return text.at;
}

static const char result_of_0[] =
	"{\"configuration\": {\"core.count\": 3}, \"program\": {\"status\": 0}, \"launches\": ["
	"{\"kernel\": \"k1\", \"grid\": [4, 2, 1], \"block\": [32, 1, 1], \"outcome\": \"completed\", \"cycles\": 100,"
	" \"warp_instructions\": 10, \"thread_instructions\": 320, \"registers_per_thread\": 9, \"shared_bytes\": 64,"
	" \"occupancy\": {\"groups_per_core\": 8, \"limiter\": \"groups\"}, \"wall_seconds\": 0.25,"
	" \"counters\": {\"sync__a.sum\": 1, \"l1__b.avg\": 2.5}},"
	"{\"kernel\": \"k2\", \"grid\": [1, 1, 1], \"block\": [32, 1, 1], \"outcome\": \"completed\", \"cycles\": 50,"
	" \"warp_instructions\": 5, \"thread_instructions\": 160, \"wall_seconds\": 0.5,"
	" \"counters\": {\"sync__a.sum\": 4, \"l1__b.avg\": 3}},"
	/* one without counters is in no benchmark */
	"{\"kernel\": \"k3\", \"cycles\": 7, \"outcome\": \"completed\"}]}";

static const char result_of_1[] =
	"{\"configuration\": {\"core.count\": 3}, \"program\": {\"status\": 0}, \"launches\": ["
	"{\"kernel\": \"k3\", \"launches\": 5, \"cycles\": 11, \"warp_instructions\": 1, \"thread_instructions\": 2,"
	" \"counters\": {\"new__c.sum\": 6}}]}";

static void results_become_rows(void **state)
{
	(void)state;
	struct folder f = make_two_sets(two_sets);
	struct points points = points_of(&f);
	struct status statuses[3] = {0};
	struct diagnostic diagnostic = {0};
	write_result(&f, &points.points.at[0], "json", result_of_0);
	write_result(&f, &points.points.at[1], "json", result_of_1);
	assert_true(end_write(&points.points.at[1], f.path,
		&(struct end){"exit", 0, 4.5, "2026-01-02", "a line\n", 0, 0}, &diagnostic));
	write_result(&f, &points.points.at[2], "log", "so far\n"); /* of a point that ran elsewhere */
	sqlite3 *db = collected(&f, &points, statuses);
	assert_string_equal(
		asked(&f, db,
			"SELECT point, program, gpu, options, seed, size, outcome, exit_status, wall_seconds, date, "
			"output, configuration FROM points"),
		"1 p g  7 small passed 0 0.75 - - {\"core.count\":3}\n"
		"2 p g --x 7 small passed 0 4.5 2026-01-02 a line\n {\"core.count\":3}\n"
		"3 q g --x 7 small missing - - - so far\n -\n");
	assert_string_equal(
		asked(&f, db, "SELECT key = 0, name, build = '', simulator = '' FROM points WHERE point = 1"),
		arena_printf(&f.arena, "0 %s 0 0\n", points.points.at[0].name));
	assert_string_equal(
		asked(&f, db, "SELECT * FROM entries"), "s 1 g a  0 7\ns 2 g b  0 7\nt 2 g b  0 7\nt 3 g b  0 7\n");
	assert_string_equal(asked(&f, db, "SELECT * FROM benchmarks"), "B p - 1\nK p k2 2\nK p k3 2\nQ q - 3\n");
	assert_string_equal(asked(&f, db, "SELECT * FROM policies ORDER BY number"), "a 1 \nb 2 --x\n");
	assert_string_equal(asked(&f, db, "SELECT * FROM launches"),
		"1 1 0 1 k1 4,2,1 32,1,1 completed 100 10 320 9 64 8 groups\n"
		"2 1 1 1 k2 1,1,1 32,1,1 completed 50 5 160 - - - -\n"
		"3 1 2 1 k3 - - completed 7 - - - - - -\n"
		"4 2 0 5 k3 - - - 11 1 2 - - - -\n");
	assert_string_equal(asked(&f, db, "SELECT * FROM counters ORDER BY point, launch, name"),
		"1 0 k1 l1__b.avg 2.5\n1 0 k1 sync__a.sum 1\n1 1 k2 l1__b.avg 3\n1 1 k2 sync__a.sum 4\n2 0 k3 "
		"new__c.sum 6\n");
	/* The point of two sets is in `runs` once for each benchmark; sums of whole numbers stay whole;
	 * the launch of the second is five. */
	assert_string_equal(asked(&f, db, "SELECT * FROM runs ORDER BY point, number"),
		"B 1 p g a  0 7 1 2 150 15 480 5 5.5 -\n"
		"K 2 p g a  0 7 1 1 50 5 160 4 3 -\n"
		"B 1 p g b  0 7 2 5 11 1 2 - - 6\n"
		"K 2 p g b  0 7 2 5 11 1 2 - - 6\n");
	assert_string_equal(
		asked(&f, db, "SELECT typeof(cycles), typeof([sync__a.sum]), typeof([l1__b.avg]) FROM runs LIMIT 1"),
		"integer integer real\n");
	assert_false(statuses[0].failed);
	assert_true(statuses[2].failed);
	assert_string_equal(statuses[1].output, "a line\n");
	sqlite3_close(db);
	remove_folder(&f);
}

/* Launches whose counters are whole or not, in any order: a sum is whole while all are, and has all of them. */
static void sums_have_whole_numbers_and_others(void **state)
{
	(void)state;
	static const struct {
		const char *values[4], *sum;
	} rows[] = {
		{{"1", "2", "3", "4"}, "10 integer\n"},
		{{"1", "2", "3", "4.5"}, "10.5 real\n"},
		{{"1", "2.25", "3", "4"}, "10.25 real\n"},
		{{"1.5", "2", "3", "4"}, "10.5 real\n"},
		{{"1", "2.5", "3.75", "4"}, "11.25 real\n"},
		{{NULL, "2", NULL, "4"}, "6 integer\n"},
		{{NULL, "2", NULL, "0.5"}, "2.5 real\n"},
		{{"9007199254740993", "0", "0", "1"}, "9007199254740994 integer\n"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct folder f = make_two_sets(two_sets);
		struct points points = points_of(&f);
		struct status statuses[3] = {0};
		struct text report = {.arena = &f.arena};
		for (int n = 0; n < 4; n++)
			text_print(&report, "%s{\"kernel\": \"k\", \"cycles\": 3, \"counters\": {\"a\": 1%s%s}}",
				n ? ", " : "", rows[k].values[n] ? ", \"b\": " : "",
				rows[k].values[n] ? rows[k].values[n] : "");
		write_result(&f, &points.points.at[1], "json",
			arena_printf(&f.arena, "{\"program\": {\"status\": 0}, \"launches\": [%s]}", report.at));
		sqlite3 *db = collected(&f, &points, statuses);
		assert_string_equal(asked(&f, db, "SELECT cycles, typeof(cycles) FROM runs"), "12 integer\n");
		assert_string_equal(asked(&f, db, "SELECT b, typeof(b) FROM runs"), rows[k].sum);
		assert_string_equal(asked(&f, db, "SELECT a, launches FROM runs"), "4 4\n");
		sqlite3_close(db);
		remove_folder(&f);
	}
}

/* Of programs, GPUs, policies, variations and seeds each row has what its own point counted. */
static void rows_are_of_their_own_points(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct folder f = make_two_sets(five_axes(&arena));
	struct points points = points_of(&f);
	struct status statuses[34] = {0};
	struct text expected = {.arena = &f.arena};
	for (uint32_t k = 0; k < 32; k++) {
		if (k != 5) /* has no result */
			write_result(&f, &points.points.at[k], "json",
				arena_printf(&f.arena,
					"{\"program\": {\"status\": 0}, \"launches\": [{\"kernel\": \"k\", \"cycles\": "
					"%u, "
					"\"counters\": {\"a%u\": 1, \"all\": %u}}]}",
					100 + k, k % 3, 1000 + k));
		if (k != 5)
			text_print(&expected, "%s %c %c %c %d %d %u %u %s %s %s\n", k & 16 ? "Q q" : "B p",
				k & 8 ? 'h' : 'g', k & 4 ? 'b' : 'a', k & 2 ? 'v' : 'u', k & 2 ? 3 : 2, k & 1 ? 8 : 7,
				100 + k, 1000 + k, k % 3 == 0 ? "1" : "-", k % 3 == 1 ? "1" : "-",
				k % 3 == 2 ? "1" : "-");
	}
	sqlite3 *db = collected(&f, &points, statuses);
	assert_string_equal(
		asked(&f, db,
			"SELECT benchmark, program, gpu, policy, variation, x, seed, cycles, [all], a0, a1, "
			"a2 FROM runs ORDER BY point"),
		expected.at);
	assert_string_equal(
		asked(&f, db,
			"SELECT count(*) FROM launches l JOIN runs r USING (point) JOIN counters c USING "
			"(point) WHERE l.cycles = r.cycles AND c.name = 'all' AND c.value = r.cycles + 900"),
		"31\n");
	for (uint32_t k = 0; k < 34; k++)
		assert_int_equal(statuses[k].failed, k == 5 || k >= 32);
	sqlite3_close(db);
	remove_folder(&f);
	arena_free(&arena);
}

/* A launch that went wrong, else how the program ended; without a result, how the point ended. */
static void outcomes_are_told(void **state)
{
	(void)state;
	static const struct {
		const char *json, *reason, *outcome;
		bool may; /* it passes where the set says that points may fail */
	} cases[] = {
		{"{\"program\": {\"status\": 0}, \"launches\": [{\"outcome\": \"completed\"}]}", NULL, "passed", true},
		{"{\"program\": {\"status\": 0}, \"launches\": []}", "exit", "passed", true},
		{"{\"program\": {\"status\": 3}, \"launches\": [{\"outcome\": \"completed\"}]}", NULL, "failed", true},
		{"{\"program\": {\"status\": 1}, \"launches\": [{\"outcome\": \"completed\"}, {\"outcome\": \"hang\"}, "
		 "{\"outcome\": \"fault\"}]}",
			NULL, "hang", true},
		{"{\"program\": {\"status\": 0}, \"launches\": [{\"outcome\": \"fault\"}]}", NULL, "fault", true},
		{"{\"program\": {\"status\": 0}, \"launches\": [{\"outcome\": \"limit\"}]}", NULL, "limit", true},
		{"{\"program\": {\"signal\": 6}, \"launches\": [{\"outcome\": \"interrupted\"}]}", NULL, "interrupted",
			false},
		{"{\"program\": {\"signal\": 6}, \"launches\": []}", NULL, "killed", false},
		{"{\"program\": {\"status\": 0}}", NULL, "missing", false}, /* no report of a run */
		{"{\"launches\": []}", "exit", "failed", true},
		{NULL, NULL, "missing", false},
		{NULL, "exit", "failed", true},
		{NULL, "signal", "killed", false},
		{NULL, "time limit", "time limit", false},
	};
	for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
		struct arena arena = {0};
		bool may = k % 2, passed = !strcmp(cases[k / 2].outcome, "passed");
		struct folder f =
			make_folder(may ? changed(&arena, plain, "seeds = [1, 2];", "seeds = [1]; may_fail = true;")
					: changed(&arena, plain, "[1, 2]", "[1]"));
		struct points points = points_of(&f);
		struct status statuses[2] = {0};
		struct diagnostic diagnostic = {0};
		if (cases[k / 2].json)
			write_result(&f, &points.points.at[0], "json", cases[k / 2].json);
		if (cases[k / 2].reason)
			assert_true(end_write(&points.points.at[0], f.path,
				&(struct end){cases[k / 2].reason, 9, 2, "", "out", 0, 0}, &diagnostic));
		sqlite3 *db = collected(&f, &points, statuses);
		assert_string_equal(statuses[0].outcome, cases[k / 2].outcome);
		assert_int_equal(statuses[0].failed, !passed && !(may && cases[k / 2].may));
		assert_string_equal(statuses[0].output, cases[k / 2].reason ? "out" : "");
		if (!cases[k / 2].json)
			assert_string_equal(asked(&f, db, "SELECT exit_status FROM points WHERE point = 1"),
				cases[k / 2].reason && !strcmp(cases[k / 2].reason, "exit") ? "9\n" : "-\n");
		sqlite3_close(db);
		remove_folder(&f);
		arena_free(&arena);
	}
}

/* A point of two sets may fail when both say so; what failed is in no row of `runs`. */
static void every_set_must_let_a_point_fail(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		struct arena arena = {0};
		const char *plan = two_sets;
		if (k & 1)
			plan = changed(&arena, plan, "{ name = \"s\";", "{ name = \"s\"; may_fail = true;");
		if (k & 2)
			plan = changed(&arena, plan, "{ name = \"t\";", "{ name = \"t\"; may_fail = true;");
		struct folder f = make_two_sets(plan);
		struct points points = points_of(&f);
		struct status statuses[3] = {0};
		const char *hang = "{\"program\": {\"status\": 1}, \"launches\": [{\"kernel\": \"k2\", \"cycles\": 1, "
				   "\"outcome\": \"hang\", \"counters\": {\"a__a.sum\": 1}}]}";
		for (uint32_t p = 0; p < 3; p++)
			write_result(&f, &points.points.at[p], "json", hang);
		sqlite3 *db = collected(&f, &points, statuses);
		assert_int_equal(statuses[0].failed, !(k & 1));
		assert_int_equal(statuses[1].failed, k != 3);
		assert_int_equal(statuses[2].failed, !(k & 2));
		assert_string_equal(asked(&f, db, "SELECT count(*) FROM runs"), "0\n");
		assert_string_equal(asked(&f, db, "SELECT count(*) FROM launches"), "3\n");
		sqlite3_close(db);
		remove_folder(&f);
		arena_free(&arena);
	}
}

/* ---- Samples ---- */

static const char seeds_and_controls[] =
	"title = \"t\"; views = \"v.sql\";\n"
	"programs = ( { name = \"p\"; file = \"p\"; arguments = \"{seed}\"; } );\n"
	"benchmarks = ( { name = \"B\"; program = \"p\"; kernels = [\"k\"]; } );\n"
	"policies = ( { name = \"a\"; options = \"\"; }, { name = \"b\"; options = \"--x\"; } );\n"
	"sets = ( { name = \"s\"; programs = \"p\"; gpus = \"g\"; policies = [\"a\", \"b\"]; seeds = [3, 5]; },\n"
	"  { name = \"u\"; programs = \"p\"; gpus = \"g\"; policies = \"a\"; seeds = [3, 5]; } );\n"
	"controls = ( { name = \"as a\"; policies = \"b\"; by = \"a\"; },\n"
	"  { name = \"at 2\"; parameter = \"x\"; policies = \"b\"; by = \"a\"; } );\n"
	"claims = (\n"
	"  { id = \"gain\"; metric = \"m\"; kind = \"factor\"; role = \"confirmed\"; paper = 2; sets = \"s\"; value = "
	"\"SELECT gain FROM "
	"gains\"; },\n"
	"  { id = \"rows\"; metric = \"m\"; kind = \"exact\"; role = \"confirmed\"; paper = 2; sets = \"s\"; value = "
	"\"SELECT count(*) FROM "
	"runs\"; },\n"
	"  { id = \"one\"; metric = \"m\"; kind = \"exact\"; role = \"confirmed\"; paper = 210; sets = \"s\"; seeds = "
	"[5]; value = "
	"\"SELECT cycles FROM runs WHERE policy = 'a'\"; },\n"
	"  { id = \"other\"; metric = \"m\"; kind = \"trend\"; role = \"confirmed\"; paper = \"so\"; sets = \"u\"; "
	"value = \"SELECT 1\"; "
	"} );\n";

/* Cycles of a with seeds 3 and 5: 100, 210; of b: 50, 100.  So b is 2 and 2.1 times as fast; as a, 1 and 1. */
static void seeds_are_asked_one_by_one_and_controls_replace_policies(void **state)
{
	(void)state;
	static const unsigned cycles[] = {100, 210, 50, 100};
	struct folder f = make_two_sets(seeds_and_controls);
	write_file(&f, "v.sql",
		"CREATE VIEW gains AS SELECT 1.0 * a.cycles / b.cycles AS gain FROM runs a JOIN runs b USING "
		"(benchmark, seed) "
		"WHERE a.policy = 'a' AND b.policy = 'b';");
	struct points points = points_of(&f);
	struct status statuses[4] = {0};
	struct verdict v[4];
	struct samples samples;
	struct diagnostic diagnostic = {0};
	struct plan *plan = plan_of(&f);
	assert_int_equal(points.points.count, 4);
	for (uint32_t k = 0; k < 4; k++)
		write_result(&f, &points.points.at[k], "json",
			arena_printf(&f.arena,
				"{\"program\": {\"status\": 0}, \"launches\": [{\"kernel\": \"k\", \"cycles\": %u, "
				"\"outcome\": "
				"\"completed\", \"counters\": {\"a__a.sum\": 1}}]}",
				cycles[k]));
	sqlite3_close(collected(&f, &points, statuses));
	assert_true(samples_open(
		&f.arena, plan, &points, arena_printf(&f.arena, "%s/results.sqlite", f.path), &samples, &diagnostic));
	assert_int_equal(samples.count, 2);
	assert_true(samples.seeds[0] == 3 && samples.seeds[1] == 5);
	for (uint32_t k = 0; k < 4; k++)
		assert_true(judge_claim(
			&f.arena, &samples, plan, &plan->claims.at[k], &points, statuses, &v[k], &diagnostic));
	/* What a parameter does is told of the first seed, and takes no claim away: 2 times as fast, and 1 time. */
	assert_true(v[0].moves[1].before && !v[0].moves[0].before && judge_has_moved(&v[0].moves[1]));
	assert_string_equal(v[0].moves[1].before, "2");
	assert_string_equal(v[0].moves[1].after, "1");
	assert_int_equal(v[0].moves[1].was, CLAIM_MET);
	assert_int_equal(v[0].moves[1].becomes, CLAIM_NOT_MET);
	assert_false(judge_has_moved(&v[1].moves[1])); /* two rows as before */
	assert_null(v[3].moves[1].before);
	assert_int_equal(v[0].seeds, 2);
	assert_true(fabs(strtod(v[0].ours, NULL) - sqrt(2 * 2.1)) < 1e-9);
	assert_true(sample_concerns(&points, &plan->controls.at[0], &plan->claims.at[0].scope) && !v[0].without);
	assert_string_equal(v[1].ours, "2"); /* each has its own two rows */
	assert_string_equal(v[1].without, "as a");
	assert_int_equal(v[2].seeds, 1);
	assert_int_equal(v[2].judgement, CLAIM_MET);
	assert_int_equal(v[3].judgement, CLAIM_MET);
	assert_false(sample_concerns(
		&points, &plan->controls.at[0], &plan->claims.at[3].scope)); /* the set has no run under b */
	assert_string_equal(asked(&f, samples.controlled[1], "SELECT policy, cycles, seed FROM runs ORDER BY policy"),
		"a 210 5\nb 210 5\n");
	struct text page = {.arena = &f.arena};
	sqlite3 *db = database_open(NULL, &diagnostic);
	experiment_page_write(&page, &(struct page){plan, &points, statuses, v, NULL, f.path, &samples, db});
	sqlite3_close(db);
	if (!strstr(page.at,
		    "<tr><td class=\"s\">x</td><td class=\"s\">at 2</td><td>gain: 2 to 1, no longer met</td></tr>"))
		fail_msg("%s", strstr(page.at, "<h2>Parameters"));
	assert_null(strstr(page.at, "<li><b>at 2"));
	samples_close(&samples, plan);
	remove_folder(&f);
}

static void a_move_is_more_than_a_twentieth(void **state)
{
	(void)state;
	static const struct {
		const char *before, *after;
		enum judgement becomes;
		bool moved;
	} cases[] = {
		{NULL, NULL, CLAIM_MET, false},
		{"2", "2.09", CLAIM_MET, false},
		{"2", "2.11", CLAIM_MET, true},
		{"2", "1.89", CLAIM_MET, true},
		{"-2", "-2.05", CLAIM_MET, false},
		{"0", "0", CLAIM_MET, false},
		{"0", "0.1", CLAIM_MET, true},
		{"2", "2", CLAIM_UNSURE, true},
		{"2", "2", CLAIM_NOT_MET, true},
		{"hang", "hang", CLAIM_MET, false},
		{"hang", "ends", CLAIM_MET, true},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		assert_int_equal(
			judge_has_moved(&(struct move){cases[k].before, cases[k].after, CLAIM_MET, cases[k].becomes}),
			cases[k].moved);
}

/* ---- Figures ---- */

/* A program `gnuplot` that notes what it was asked for, and refuses where there is a file `refuse`. */
static void fake_gnuplot(struct folder *f)
{
	write_file(f, "gnuplot",
		"#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho \"\\\"$1\\\"\" line 7: undefined\n[ -e refuse ] && "
		"exit 1\n"
		"echo \"$LC_ALL\" > \"$1.seen\"\n");
	assert_int_equal(chmod(arena_printf(&f->arena, "%s/gnuplot", f->path), 0777), 0);
	assert_int_equal(setenv("PATH", arena_printf(&f->arena, "%s:%s", f->path, getenv("PATH")), 1), 0);
}

static const char *read_back(struct folder *f, const char *name)
{
	struct diagnostic diagnostic = {0};
	size_t length;
	const char *text =
		text_read_file(&f->arena, arena_printf(&f->arena, "%s/%s", f->path, name), &length, &diagnostic);
	return text ? text : "";
}

static struct drawing draw_of(struct folder *f, const struct plan *plan, const struct figure *figure, bool pictures,
	struct diagnostic *diagnostic)
{
	struct points points = {0};
	struct diagnostic none = {0};
	struct drawing d;
	sqlite3 *db = database_open(NULL, &none);
	assert_true(database_run(db,
		"CREATE TABLE t(g, b, s, v); INSERT INTO t VALUES ('x', 1, 'low', 1), ('x', 1, 'it''s high', 2), "
		"('x', 2, 'it''s high', 3), ('y', 1, 'low', 4), ('a' || char(9) || 'b', NULL, 'low', 5)",
		(struct place){0}, &none));
	struct samples samples = {.count = 1, .db = &db};
	assert_true(draw_table(&f->arena, db, &samples, figure, &points, NULL, &d, diagnostic));
	sqlite3_close(db);
	draw_figure(&f->arena, plan, figure, &d, f->path, pictures, diagnostic);
	return d;
}

/* Bars at 0, 1; the next group a place further on, at 3; and the last at 5. */
static void gnuplot_is_told_where_bars_are(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	struct diagnostic diagnostic = {0};
	const struct plan *plan = plan_of(&f);
	struct figure figure = {.id = "f",
		.shape = "stacks",
		.rows = "SELECT * FROM t",
		.template = "t.gp",
		.setup = "set ylabel 'n'",
		.width = 900,
		.height = 380,
		.place = {.file = "e.cfg", .line = 9}};
	fake_gnuplot(&f);
	assert_true(draw_can());
	write_file(&f, "t.gp", "plot it\n");
	struct drawing d = draw_of(&f, plan, &figure, true, &diagnostic);
	assert_false(diagnostic.failed);
	assert_true(d.drawn);
	assert_string_equal(read_back(&f, "f.tsv"),
		"place\tg\tb\tlow\tit's high\n0\tx\t1\t1\t2\n1\tx\t2\t?\t3\n3\ty\t1\t4\t?\n"
		"5\ta b\t?\t5\t?\n");
	assert_string_equal(read_back(&f, "f.svg.gp"),
		"# Makes f.svg from f.tsv: gnuplot f.svg.gp, in this folder.\n"
		"set terminal svg size 900,380 dynamic noenhanced font 'sans-serif,13' name 'f'\n"
		"set output 'f.svg'\ndata = 'f.tsv'\nkeys = 2\nseries = 2\nrows = 4\nGROUP_LABEL = -0.2\n"
		"first = 4\nlow = 0\nhigh = 0\npaper = 0\n"
		"set encoding utf8\nset datafile separator tab\nset datafile missing '?'\n"
		"set key autotitle columnheader\narray NAMES[series] = ['low', 'it''s high']\n"
		"set xtics scale 0 ('1' 0, '2' 1, '1' 3, '' 5)\nset xrange [-0.7:5.7]\nset ylabel 'n'\n"
		"set label 1 'x' at first 0.5, graph GROUP_LABEL center front\n"
		"set label 2 'y' at first 3, graph GROUP_LABEL center front\n"
		"set label 3 'a	b' at first 5, graph GROUP_LABEL center front\n"
		"\n# t.gp\nplot it\n");
	assert_non_null(strstr(read_back(&f, "f.png.gp"), "set terminal pngcairo size 900,380 noenhanced font "
							  "'sans-serif,10'\nset output 'f.png'\n"));
	assert_string_equal(read_back(&f, "f.svg.gp.seen"), "C.UTF-8\n");
	assert_string_equal(read_back(&f, "f.svg.log"), "");
	/* Two keys stay two: 'x' and '11' are not 'x1' and '1'. */
	figure.rows = "SELECT 'x' AS g, '11' AS b, 'low' AS s, 1 AS v UNION ALL SELECT 'x1', '1', 'low', 2";
	draw_of(&f, plan, &figure, true, &diagnostic);
	assert_string_equal(read_back(&f, "f.tsv"), "place\tg\tb\tlow\n0\tx\t11\t1\n2\tx1\t1\t2\n");
	/* A group may have several bars, and its name come again. */
	figure.rows =
		"SELECT column1 AS g, column2 AS b, 'low' AS s, 1 AS v FROM (VALUES ('x', 1), ('y', 1), ('y', 2), "
		"('x', 3), ('x', 4), ('z', 1))";
	draw_of(&f, plan, &figure, true, &diagnostic);
	assert_string_equal(read_back(&f, "f.tsv"),
		"place\tg\tb\tlow\n0\tx\t1\t1\n2\ty\t1\t1\n3\ty\t2\t1\n5\tx\t3\t1\n6\tx\t4\t1\n8\tz\t1\t1\n");
	assert_non_null(
		strstr(read_back(&f, "f.svg.gp"), "set label 1 'x' at first 0, graph GROUP_LABEL center front\n"
						  "set label 2 'y' at first 2.5, graph GROUP_LABEL center front\n"
						  "set label 3 'x' at first 5.5, graph GROUP_LABEL center front\n"
						  "set label 4 'z' at first 8, graph GROUP_LABEL center front\n"));
	/* One key: bars at 0, 1, 2; no groups. */
	figure.shape = "bars";
	figure.rows = "SELECT g, s, v FROM t WHERE b = 1";
	figure.setup = NULL;
	draw_of(&f, plan, &figure, true, &diagnostic);
	assert_string_equal(read_back(&f, "f.tsv"), "place\tg\tlow\tit's high\n0\tx\t1\t2\n1\ty\t4\t?\n");
	assert_non_null(
		strstr(read_back(&f, "f.svg.gp"), "set xtics scale 0 ('x' 0, 'y' 1)\nset xrange [-0.7:1.7]\n\n# t.gp"));
	/* Lines have numbers on their axis. */
	figure.shape = "lines";
	draw_of(&f, plan, &figure, true, &diagnostic);
	assert_null(strstr(read_back(&f, "f.svg.gp"), "xtics"));
	/* A table has no places; pictures of before are gone. */
	figure.shape = "table";
	write_file(&f, "f.svg", "old");
	assert_false(draw_of(&f, plan, &figure, false, &diagnostic).drawn);
	assert_string_equal(read_back(&f, "f.tsv"), "g\ts\tv\nx\tlow\t1\nx\tit's high\t2\ny\tlow\t4\n");
	assert_string_equal(read_back(&f, "f.svg"), "");
	assert_string_equal(read_back(&f, "f.svg.gp"), "");
	assert_false(diagnostic.failed);
	/* What cannot be measured is not drawn, and that is no mistake. */
	write_file(&f, "f.svg", "old");
	assert_true(draw_figure(&f.arena, plan, &figure, &(struct drawing){.why = "none"}, f.path, true, &diagnostic));
	assert_string_equal(read_back(&f, "f.svg"), "");
	assert_false(diagnostic.failed);
	write_file(&f, "refuse", "");
	assert_false(draw_of(&f, plan, &figure, true, &diagnostic).drawn);
	assert_string_equal(diagnostic.message,
		arena_printf(&f.arena, "e.cfg:9: gnuplot refuses %s/f.svg.gp: line 7: undefined", f.path));
	remove_folder(&f);
}

/* ---- The page ---- */

static void numbers_are_short(void **state)
{
	(void)state;
	static const char *const cases[][2] = {{"0.123456", "0.123"}, {"1.5", "1.5"}, {"999.4", "999"},
		{"1234.56", "1235"}, {"-1234.56", "-1235"}, {"1000", "1000"}, {"123456789", "123456789"},
		{"1e15", "1000000000000000"}, {"0.00001234", "1.23e-05"}, {"yes", "yes"}, {"12 s", "12 s"}, {"", ""}};
	struct arena arena = {0};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		assert_string_equal(page_number(&arena, cases[k][0]), cases[k][1]);
	arena_free(&arena);
}

static const char claims_of_each_kind[] = "claims = ( { id = \"C1\"; part = \"one\"; where = \"II\"; metric = \"m < "
					  "n\"; kind = \"factor\"; role = \"fitted\"; "
					  "parameter = \"p & q\"; paper = 2; unit = \"x\"; sets = \"s\"; value = "
					  "\"SELECT 2.5\"; explanation = \"not shown\"; "
					  "holds = [1.0, 1.2]; },\n"
					  " { id = \"C2\"; metric = \"m\"; kind = \"exact\"; role = \"definition\"; "
					  "paper = 2; sets = \"s\"; value = \"SELECT 3\"; },\n"
					  " { id = \"C3\"; metric = \"m\"; kind = \"trend\"; role = \"confirmed\"; "
					  "paper = \"grows\"; sets = \"s\"; value = \"SELECT "
					  "0\"; explanation = \"It & more.\"; },\n"
					  " { id = \"C4\"; metric = \"m\"; kind = \"trend\"; role = \"confirmed\"; "
					  "paper = \"grows\"; sets = \"s\"; value = \"SELECT "
					  "2\"; unit = \"x\"; },\n"
					  " { id = \"C5\"; metric = \"m\"; kind = \"exact\"; role = \"other-machine\"; "
					  "paper = 2; sets = \"t\"; value = \"SELECT 2\"; },\n"
					  " { id = \"C6\"; metric = \"m\"; kind = \"points\"; role = \"confirmed\"; "
					  "paper = 2; unit = \" %\"; sets = \"s\"; value = "
					  "\"SELECT 9.5\"; explanation = \"Of old.\"; holds = [1.0, 1.2]; } );\n";

static void the_page_says_it(void **state)
{
	(void)state;
	static const char *const parts[] = {
		"<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
		"<title>a &lt; b</title>",
		"<h1>a &lt; b</h1>",
		"<p class=\"faint\">The paper &amp; more</p>",
		"<p>Some text.</p>",
		"<div class=\"value\">1 of 6</div><div>claims met</div><div class=\"faint help\">of all</div>",
		"<div class=\"value\">2 of 3</div><div>points</div>",
		"<div class=\"value\">2026-01-02</div><div>run on</div>",
		"<p>Experiment ",
		". Simulator build <code>",
		"<li><b>fitted</b> (a parameter was chosen on them, so they confirm nothing), 1: 1 direction "
		"only</li>\n"
		"<li><b>confirmed</b> (nothing was chosen on them), 3: 1 met, 1 not met: why, 1 not met: stale "
		"reason</li>\n"
		"<li><b>definition</b> (arithmetic on the configuration), 1: 1 not met</li>\n"
		"<li><b>other-machine</b> (the paper measured them on another machine than this models), 1: 1 not "
		"measured</li>\n",
		"<p>Values are means of 1 seed, ",
		/* ln 2.5 / ln 2 = 1.32 */
		"<tr class=\"more\"><td class=\"s\">C1</td><td>m &lt; n, one <span "
		"class=\"faint\">(II)</span></td><td>fitted</td>"
		"<td>factor</td><td class=\"number\">2x</td><td class=\"number\">2.5x</td><td "
		"class=\"number\">–</td><td "
		"class=\"number\">1.32</td>"
		"<td class=\"s unsure\">direction only</td></tr>\n<tr class=\"because\"><td></td><td "
		"colspan=\"8\">Chosen on this "
		"claim: p &amp; "
		"q</td></tr>",
		"<td>exact</td><td class=\"number\">2</td><td class=\"number\">3</td><td class=\"number\">–</td><td "
		"class=\"number\">1.50</td>"
		"<td class=\"s bad\">not met</td></tr>",
		"<tr class=\"more\"><td class=\"s\">C3</td><td>m</td><td>confirmed</td><td>trend</td><td "
		"class=\"number\">grows</td>"
		"<td class=\"number\">no</td><td class=\"number\">–</td><td class=\"number\">–</td><td class=\"s "
		"unsure\">not met: "
		"why</td></tr>\n<tr class=\"because\"><td></td><td colspan=\"8\">It &amp; more.</td></tr>",
		"<tr><td class=\"s\">C4</td><td>m</td><td>confirmed</td><td>trend</td><td class=\"number\">growsx</td>"
		"<td class=\"number\">yes</td>",
		"<td class=\"number\">–</td><td class=\"number\">–</td><td class=\"number\">–</td><td class=\"s "
		"faint\">not "
		"measured</td></tr>\n<tr "
		"class=\"because\"><td></td><td colspan=\"8\">1 of its 2 points have no result</td></tr>",
		"<td class=\"s bad\">not met: stale reason</td></tr>\n<tr class=\"because\"><td></td><td "
		"colspan=\"8\">For other "
		"values than this was said: Of old.</td></tr>",
		"<figure id=\"figure-f\">\n<div class=\"wide\"><table><thead><tr><th>benchmark</th><th "
		"class=\"number\">cycles</th></tr>"
		"</thead><tbody>\n<tr><td>B</td><td class=\"number\">11</td></tr>\n<tr><td>B</td><td "
		"class=\"number\">150</td></tr>\n",
		"<figcaption><b>F</b>\nC &lt; D<br><span class=\"faint\">The paper: so &amp; so</span></figcaption>",
		"<h2>Points without a result</h2>\n<p><b>failed</b>: <code>lockstep run --report json --gpu g --x "
		"--seed 7 --threads 1 q</code></p>\n<pre>broken &lt;</pre>\n",
		"<summary>3 command lines</summary>\n<pre>lockstep run --report json --gpu g --seed 7 --threads 1 "
		"p\nlockstep run ",
		"<summary>g</summary>\n<div class=\"wide\"><table><thead><tr><th>field</th><th "
		"class=\"number\">value</th></tr></thead>"
		"<tbody>\n<tr><td>core.count</td><td class=\"number\">3</td></tr>\n</tbody>",
	};
	struct arena arena = {0};
	const char *claims = strstr(two_sets, "claims = "), *figures = strstr(two_sets, "figures = ");
	struct folder f = make_two_sets(
		arena_printf(&arena, "%.*s%s%s", (int)(claims - two_sets), two_sets, claims_of_each_kind, figures));
	struct points points = points_of(&f);
	struct plan *plan = plan_of(&f);
	struct status statuses[3] = {0};
	struct verdict verdicts[6];
	struct drawing drawing;
	struct diagnostic diagnostic = {0};
	struct text text = {.arena = &f.arena};
	write_result(&f, &points.points.at[0], "json", result_of_0);
	write_result(&f, &points.points.at[1], "json", result_of_1);
	assert_true(end_write(&points.points.at[1], f.path,
		&(struct end){"exit", 0, 4.5, "2026-01-02", "a line\n", 0, 0}, &diagnostic));
	assert_true(end_write(&points.points.at[2], f.path, &(struct end){"exit", 1, 1, "2026-01-02", "broken <", 0, 0},
		&diagnostic));
	sqlite3 *db = collected(&f, &points, statuses);
	struct samples samples = {.count = 1, .seeds = &(uint64_t){0}, .db = &db};
	for (uint32_t k = 0; k < 6; k++)
		assert_true(judge_claim(
			&f.arena, &samples, plan, &plan->claims.at[k], &points, statuses, &verdicts[k], &diagnostic));
	assert_true(draw_table(&f.arena, db, &samples, &plan->figures.at[0], &points, statuses, &drawing, &diagnostic));
	experiment_page_write(&text, &(struct page){plan, &points, statuses, verdicts, &drawing, f.path, &samples, db});
	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		if (!strstr(text.at, parts[k]))
			fail_msg("the page lacks %s\n%s", parts[k], strstr(text.at, "<h2>Claims"));
	assert_null(strstr(text.at, "not shown"));
	assert_null(strstr(text.at, "Controls:")); /* of which the plan has none */
	assert_null(strstr(text.at, "<h2>Parameters"));
	sqlite3_close(db);
	remove_folder(&f);
	arena_free(&arena);
}

/* gnuplot's picture becomes part of the page: its ids, and what names them, have the figure's in front; its titles are
 * left out. */
static void pictures_are_inlined(void **state)
{
	(void)state;
	struct folder f = make_two_sets(two_sets);
	struct points points = points_of(&f);
	struct plan *plan = plan_of(&f);
	struct status statuses[3] = {0};
	struct verdict verdicts[5] = {{.judgement = CLAIM_NOT_MEASURED, .ratio = NAN, .why = "w"},
		{.judgement = CLAIM_NOT_MEASURED, .ratio = NAN, .why = "w"},
		{.judgement = CLAIM_NOT_MEASURED, .ratio = NAN, .why = "w"},
		{.judgement = CLAIM_NOT_MEASURED, .ratio = NAN, .why = "w"},
		{.judgement = CLAIM_NOT_MEASURED, .ratio = NAN, .why = "w"}};
	static const char *names[] = {"g", "v"}, *values[] = {"x", "1.23456", NULL, "2"};
	struct drawing drawing = {.drawn = true,
		.columns = 2,
		.rows = 2,
		.keys = 1,
		.names = names,
		.values = values,
		.failed = 1,
		.all = 2};
	struct text text = {.arena = &f.arena};
	struct samples samples = {.count = 1};
	plan->figures.at[0].template = "t.gp";
	write_file(&f, "f.svg",
		"<?xml version='1'?>\n<svg width='9' id='a'><title>9_plot</title><use href='#a' xlink:href=\"#b\"/>"
		"<path id=\"b\" clip='url(#c)'/></svg>\n");
	sqlite3 *db = collected(&f, &points, statuses);
	experiment_page_write(&text, &(struct page){plan, &points, statuses, verdicts, &drawing, f.path, &samples, db});
	static const char expected[] =
		"<figure id=\"figure-f\">\n<svg role=\"img\" aria-label=\"F\" width='9' id='f-a'><use href='#f-a' "
		"xlink:href=\"#f-b\"/><path id=\"f-b\" clip='url(#f-c)'/></svg>\n<figcaption><b>F</b>\nC &lt; D <span "
		"class=\"faint\">1 of its 2 points have no result.</span><br>";
	if (!strstr(text.at, expected))
		fail_msg("%s", strstr(text.at, "<figure"));
	assert_non_null(strstr(text.at,
		"<summary>The numbers</summary>\n<div class=\"wide\"><table><thead><tr><th>g</th><th "
		"class=\"number\">v</th></tr></thead><tbody>\n<tr><td>x</td><td class=\"number\">1.23</td></tr>\n"
		"<tr><td class=\"number\">–</td><td class=\"number\">2</td></tr>\n</tbody>"));
	values[1] =
		NULL; /* a column of numbers is one although its first value is missing; one without any is left out */
	values[0] = NULL;
	text.length = 0;
	experiment_page_write(&text, &(struct page){plan, &points, statuses, verdicts, &drawing, f.path, &samples, db});
	assert_non_null(strstr(text.at, "<tr><th class=\"number\">v</th></tr>"));
	sqlite3_close(db);
	remove_folder(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_rest_on_their_own_points),
		cmocka_unit_test(claims_on_a_set_that_was_not_asked_for_are_not_measured),
		cmocka_unit_test(claims_without_a_value_are_not_measured),
		cmocka_unit_test(results_become_rows),
		cmocka_unit_test(sums_have_whole_numbers_and_others),
		cmocka_unit_test(rows_are_of_their_own_points),
		cmocka_unit_test(outcomes_are_told),
		cmocka_unit_test(every_set_must_let_a_point_fail),
		cmocka_unit_test(seeds_are_asked_one_by_one_and_controls_replace_policies),
		cmocka_unit_test(a_move_is_more_than_a_twentieth),
		cmocka_unit_test(gnuplot_is_told_where_bars_are),
		cmocka_unit_test(numbers_are_short),
		cmocka_unit_test(the_page_says_it),
		cmocka_unit_test(pictures_are_inlined),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
