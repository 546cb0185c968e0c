/* How claims are judged, beyond single values (experiment_test.c): intervals, bounds, controls, sums of claims, and
 * claims.md. */
#include "experiment_harness.h"

#include "experiment/collect.h"
#include "experiment/judge.h"
#include "experiment/page.h"

#include <math.h>

/* ---- Intervals ---- */

static struct verdict judged(struct arena *arena, const char *kind, const char *paper, double tolerance,
	const double *values, uint32_t count)
{
	const char **texts = arena_new_array(arena, const char *, count);
	for (uint32_t k = 0; k < count; k++)
		texts[k] = arena_printf(arena, "%.17g", values[k]);
	return judge_values(arena, &(struct claim){.kind = kind, .paper = paper, .tolerance = tolerance}, texts, count);
}

/* The share of Student's distribution between 0 and t, from its density by Simpson's rule. */
static double share_to(double t, double freedom)
{
	const int steps = 20000;
	double sum = 0, width = t / steps;
	for (int k = 0; k <= steps; k++) {
		double density = pow(1 + k * width * k * width / freedom, -(freedom + 1) / 2);
		sum += density * (k == 0 || k == steps ? 1 : k % 2 ? 4 : 2);
	}
	double scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * acos(-1));
	return sum * width / 3 * scale;
}

/* A mean of `count` values has the interval mean +- t s / sqrt(count), in which t has 0.475 of Student's distribution
 * on each side; beyond 31 values t is the normal distribution's, 1.960. */
static void intervals_are_students(void **state)
{
	(void)state;
	struct arena arena = {0};
	for (uint32_t count = 2; count <= 33; count++) {
		double values[33], squares = count / 2 * 2;
		for (uint32_t k = 0; k < count; k++)
			values[k] = k == count - 1 && count % 2 ? 100 : k % 2 ? 101 : 99;
		struct verdict v = judged(&arena, "ratio", "100", 0.35, values, count);
		double t = (100 - v.low) / sqrt(squares / (count - 1) / count);
		assert_string_equal(v.ours, "100");
		assert_true(fabs((v.high - 100) - (100 - v.low)) < 1e-9);
		if (count > 31) {
			assert_true(fabs(t - 1.96) < 1e-9);
		} else {
			assert_true(share_to(t - 0.0006, count - 1) < 0.475);
			assert_true(share_to(t + 0.0006, count - 1) > 0.475);
		}
	}
	arena_free(&arena);
}

/* Decimal fractions have no exact doubles: at a bound, as it is written, a claim is met.  A thousandth further it is
 * not. */
static void bounds_are_those_written(void **state)
{
	(void)state;
	struct arena arena = {0};
	for (int k = 1; k < 400; k++) {
		const char *paper = arena_printf(&arena, "%d.%d", k / 10, k % 10);
		for (int upper = 0; upper < 2; upper++) {
			struct claim claim = {.kind = "ratio", .paper = paper, .tolerance = 0.35};
			int thousandths = k * (upper ? 135 : 65);
			const char *ours = arena_printf(&arena, "%d.%03d", thousandths / 1000, thousandths % 1000);
			assert_int_equal(judge_values(&arena, &claim, &ours, 1).judgement, CLAIM_MET);
			thousandths += upper ? 1 : -1;
			ours = arena_printf(&arena, "%d.%03d", thousandths / 1000, thousandths % 1000);
			assert_int_equal(judge_values(&arena, &claim, &ours, 1).judgement, CLAIM_NOT_MET);
		}
	}
	arena_free(&arena);
}

/* 9.9 and 10.1 have the mean 10, and 12.706 * 0.1 on both sides of it: from 8.7294 to 11.2706. */
static void an_interval_on_both_sides_is_unsure(void **state)
{
	(void)state;
	static const struct {
		const char *paper;
		double tolerance;
		enum judgement judgement;
	} cases[] = {
		{"10", 0.128, CLAIM_MET},       /* 8.72 to 11.28 */
		{"10", 0.127, CLAIM_UNSURE},    /* 8.73 to 11.27 */
		{"10.02", 0.128, CLAIM_UNSURE}, /* 8.737 to 11.30: the lower end alone is outside */
		{"9.98", 0.128, CLAIM_UNSURE},  /* 8.70 to 11.257: the upper end alone */
		{"12.6", 0.1, CLAIM_NOT_MET},   /* 11.34 to 13.86 */
		{"12.5", 0.1, CLAIM_UNSURE},    /* 11.25 */
		{"7.9", 0.1, CLAIM_NOT_MET},    /* to 8.69 */
		{"8", 0.1, CLAIM_UNSURE},       /* to 8.8 */
	};
	struct arena arena = {0};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		assert_int_equal(
			judged(&arena, "ratio", cases[k].paper, cases[k].tolerance, (double[]){9.9, 10.1}, 2).judgement,
			cases[k].judgement);
	arena_free(&arena);
}

/* A value that has no logarithm is no factor: what is shown is the plain mean, and there is neither ratio nor interval.
 */
static void a_factor_is_above_0(void **state)
{
	(void)state;
	struct arena arena = {0};
	for (int k = 0; k < 2; k++) {
		struct verdict v = judged(&arena, "factor", "2", 0, k ? (double[]){4, 0} : (double[]){-1, 5}, 2);
		assert_int_equal(v.judgement, CLAIM_NOT_MET);
		assert_string_equal(v.ours, "2");
		assert_true(isnan(v.ratio) && isnan(v.low) && isnan(v.high));
	}
	double one = 1; /* ln 1 / ln 2 */
	struct verdict v = judged(&arena, "factor", "2", 0, &one, 1);
	assert_true(v.ratio == 0 && isnan(v.low) && isnan(v.high));
	arena_free(&arena);
}

/* The mean and the interval of a factor are those of its values' logarithms, not those of the effect's. */
static void a_factor_has_an_interval_of_logarithms(void **state)
{
	(void)state;
	struct arena arena = {0};
	for (int paper = 2; paper <= 8; paper += 6) {
		struct verdict v = judged(&arena, "factor", paper == 2 ? "2" : "8", 0, (double[]){2, 8}, 2);
		double half = 12.706 * log(2); /* of ln 2 and ln 8: the mean is ln 4, and the deviation ln 2 * sqrt 2 */
		assert_string_equal(v.ours, "4");
		assert_true(fabs(log(v.low) - (log(4) - half)) < 1e-9);
		assert_true(fabs(log(v.high) - (log(4) + half)) < 1e-9);
		assert_true(fabs(v.ratio - log(4) / log(paper)) < 1e-9);
	}
	arena_free(&arena);
}

static void explanations_are_of_their_values(void **state)
{
	(void)state;
	static const struct {
		const char *ours;
		enum judgement judgement;
	} cases[] = {{"3", CLAIM_EXPLAINED}, {"4", CLAIM_EXPLAINED}, {"2.999", CLAIM_STALE}, {"4.001", CLAIM_STALE},
		{"6.5", CLAIM_MET}};
	struct arena arena = {0};
	struct claim claim = {
		.kind = "ratio", .paper = "10", .tolerance = 0.35, .explanation = "e", .holds = {(double[]){3, 4}, 2}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		assert_int_equal(judge_values(&arena, &claim, &cases[k].ours, 1).judgement, cases[k].judgement);
	arena_free(&arena);
}

/* The first seed's, or the first that is not as the paper has it. */
static void the_value_that_is_shown(void **state)
{
	(void)state;
	static const struct {
		const char *kind, *paper, *values[3], *ours;
		double ratio; /* 0: none */
	} cases[] = {
		{"verdict", "hang", {"hang", "ends", "waits"}, "ends", 0},
		{"verdict", "hang", {"hang", "hang", "hang"}, "hang", 0},
		{"exact", "4", {"4", "4", "2"}, "2", 0.5},
		{"exact", "4", {"4", "4.0", "4"}, "4", 1},
		{"exact", "4", {"many", "4", "4"}, "many", 0},
		{"exact", "0", {"0", "0", "3"}, "3", 0},
		{"trend", "4", {"1", "1", "1"}, "1", 0},
		{"ratio", "4", {"4", "many", "2"}, "many", 0},
	};
	struct arena arena = {0};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct claim claim = {.kind = cases[k].kind, .paper = cases[k].paper, .tolerance = 0.35};
		struct verdict v = judge_values(&arena, &claim, (const char *const *)cases[k].values, 3);
		assert_string_equal(v.ours, cases[k].ours);
		assert_int_equal(v.seeds, 3);
		assert_true(isnan(v.low) && isnan(v.high));
		if (cases[k].ratio > 0)
			assert_true(v.ratio == cases[k].ratio);
		else
			assert_true(isnan(v.ratio));
	}
	arena_free(&arena);
}

static void a_move_is_beyond_a_twentieth(void **state)
{
	(void)state;
	static const struct {
		const char *before, *after;
		bool moved;
	} cases[] = {{"20", "21", false}, {"20", "19", false}, {"20", "21.01", true}, {"20", "18.99", true},
		{"-20", "-21", false}, {"-20", "-21.01", true}, {"2", "ends", true}, {"hang", "2", true}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		assert_int_equal(
			judge_has_moved(&(struct move){cases[k].before, cases[k].after, CLAIM_NOT_MET, CLAIM_UNSURE}),
			cases[k].moved);
}

/* ---- Sums ---- */

static void claims_are_summed_by_role(void **state)
{
	(void)state;
	static const struct {
		struct tally tally;
		const char *words;
	} cases[] = {
		{{.all = 0}, "none"},
		{{.all = 3, .by = {[CLAIM_MET] = 3}}, "3 met"},
		{{.all = 3, .by = {[CLAIM_MET] = 3}, .empty = 2}, "3 met (2 of them without the mechanism, too)"},
		{{.all = 28, .by = {1, 2, 3, 4, 5, 6, 7}, .empty = 1},
			"1 met (1 of them without the mechanism, too), 2 direction only, 3 not met, 4 unsure, 5 not "
			"met: why, 6 "
			"not met: stale reason, 7 not measured"},
		{{.all = 1, .by = {[CLAIM_NOT_MET] = 1}}, "1 not met"},
	};
	struct arena arena = {0};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		assert_string_equal(judge_tally(&arena, &cases[k].tally), cases[k].words);
	struct claim claims[] = {{.role = "confirmed"}, {.role = "fitted"}, {.role = "confirmed"},
		{.role = "confirmed"}, {.role = "other-machine"}};
	struct plan plan = {.claims = {claims, 5, 5}};
	const struct verdict verdicts[] = {{.judgement = CLAIM_MET, .without = "c"}, {.judgement = CLAIM_MET},
		{.judgement = CLAIM_UNSURE, .without = "c"}, {.judgement = CLAIM_MET},
		{.judgement = CLAIM_NOT_MEASURED}};
	struct tally tallies[ROLE_COUNT];
	memset(tallies, 0x55, sizeof tallies);
	judge_count(&plan, verdicts, tallies);
	assert_string_equal(judge_tally(&arena, &tallies[ROLE_CONFIRMED]),
		"2 met (1 of them without the mechanism, too), 1 unsure");
	assert_int_equal(tallies[ROLE_CONFIRMED].all, 3);
	assert_string_equal(judge_tally(&arena, &tallies[ROLE_FITTED]), "1 met");
	assert_string_equal(judge_tally(&arena, &tallies[ROLE_OTHER_MACHINE]), "1 not measured");
	assert_int_equal(tallies[ROLE_DEFINITION].all, 0);
	arena_free(&arena);
}

/* docs/experiments.md: --strict wants each claim met, in direction at least, explained or not measured; "met, also
 * without BOWS". */
static void what_is_said_of_a_claim(void **state)
{
	(void)state;
	static const struct {
		const char *words, *with_control;
		bool strict;
	} cases[JUDGEMENTS] = {
		[CLAIM_MET] = {"met", "met, also without X", true},
		[CLAIM_DIRECTION] = {"direction only", "direction only", true},
		[CLAIM_NOT_MET] = {"not met", "not met", false},
		[CLAIM_UNSURE] = {"unsure", "unsure", false},
		[CLAIM_EXPLAINED] = {"not met: why", "not met: why", true},
		[CLAIM_STALE] = {"not met: stale reason", "not met: stale reason", false},
		[CLAIM_NOT_MEASURED] = {"not measured", "not measured", true},
	};
	struct arena arena = {0};
	for (int k = 0; k < JUDGEMENTS; k++) {
		struct verdict v = {.judgement = (enum judgement)k};
		assert_int_equal(judge_is_strict(&v), cases[k].strict);
		assert_string_equal(judge_said(&arena, &v), cases[k].words);
		v.without = "without X";
		assert_string_equal(judge_said(&arena, &v), cases[k].with_control);
	}
	arena_free(&arena);
}

/* ---- claims.md ---- */

static const char with_parameters[] =
	"title = \"T\";\n"
	"programs = ( { name = \"p\"; file = \"p\"; } );\n"
	"benchmarks = ( { name = \"B\"; program = \"p\"; } );\n"
	"policies = ( { name = \"a\"; options = \"\"; }, { name = \"b\"; options = \"--x\"; } );\n"
	"sets = ( { name = \"s\"; programs = \"p\"; gpus = \"g\"; policies = [\"a\", \"b\"]; } );\n"
	"controls = ( { name = \"without x\"; policies = \"b\"; by = \"a\"; },\n"
	"  { name = \"f|3\"; parameter = \"f\"; policies = \"b\"; by = \"a\"; },\n"
	"  { name = \"f: 4\"; parameter = \"f\"; policies = \"b\"; by = \"a\"; } );\n"
	"claims = ( { id = \"A\"; part = \"one | two\"; metric = \"m\"; kind = \"factor\"; role = \"confirmed\"; paper "
	"= 2; unit = \"x\"; sets = \"s\"; value = \"SELECT 2\"; },\n"
	"  { id = \"B\"; metric = \"n\"; kind = \"verdict\"; role = \"definition\"; paper = \"a|b\nc\"; sets = \"s\"; "
	"value = \"SELECT 2\"; } );\n";

static void the_summary_is_a_table(void **state)
{
	(void)state;
	struct folder f = make_folder(with_parameters);
	struct points points = points_of(&f);
	struct plan *plan = plan_of(&f);
	struct diagnostic diagnostic = {0};
	struct move moves_of_a[] = {{0}, {"2", "1.5", CLAIM_MET, CLAIM_UNSURE}, {"2", "2", CLAIM_MET, CLAIM_MET}},
		    moves_of_b[] = {{0}, {"1.23456", "2", CLAIM_NOT_MET, CLAIM_MET}, {0}};
	struct verdict verdicts[] = {{.judgement = CLAIM_MET,
					     .ours = "2.12345",
					     .low = 1.9,
					     .high = 2.34567,
					     .ratio = 1.25,
					     .without = "without x",
					     .moves = moves_of_a},
		{.judgement = CLAIM_NOT_MET, .ours = "z", .low = NAN, .high = NAN, .ratio = NAN, .moves = moves_of_b}};
	struct text text = {.arena = &f.arena};
	sqlite3 *db = database_open(NULL, &diagnostic);
	assert_true(collect_schema(db, &diagnostic));
	summary_write(&text, plan, &points, verdicts, 1, db);
	const char *line = strchr(text.at, '\n') + 2, *on = strstr(line, " on ");
	assert_memory_equal(text.at, "# T, size small\n\n", 17);
	assert_memory_equal(line, "2 points, 1 seed; run at an unknown date on ", 44);
	on = strstr(on, "; simulator build ");
	assert_non_null(on);
	assert_memory_equal(on + 18, points.build.simulator, 16);
	assert_memory_equal(on + 18 + 16, ", plan ", 7);
	assert_memory_equal(on + 18 + 16 + 7, points.build.plan, 16);
	assert_string_equal(on + 18 + 16 + 7 + 16,
		", PTX none.\n\n"
		"- confirmed, 1: 1 met (1 of them without the mechanism, too)\n"
		"- definition, 1: 1 not met\n"
		"\n| claim | what | role | paper | ours | 95 % interval | ratio | result |\n"
		"|---|---|---|---|---|---|---|---|\n"
		"| A | m, one \\| two | confirmed | 2x | 2.12x | 1.9 to 2.35 | 1.25 | met, also without x |\n"
		"| B | n | definition | a\\|b c | z | - | - | not met |\n"
		"\n| parameter at another value | moves, with the first seed, by more than 5 % |\n|---|---|\n"
		"| f\\|3 | A, one \\| two: 2 to 1.5, no longer met; B: 1.23 to 2, met |\n"
		"| f: 4 | none |\n");
	/* The processor, as Linux names it, without a blank before or a line's end behind it. */
	FILE *cpus = fopen("/proc/cpuinfo", "r");
	char name[256] = "", *colon;
	while (cpus && fgets(name, sizeof name, cpus) && strncmp(name, "model name", 10))
		;
	if (cpus)
		fclose(cpus);
	if (!strncmp(name, "model name", 10) && (colon = strchr(name, ':'))) {
		name[strcspn(name, "\n")] = '\0';
		assert_non_null(strstr(text.at, arena_printf(&f.arena, "date on %s; simulator", colon + 2)));
	}
	/* Days, and several seeds. */
	assert_true(database_run(db, "INSERT INTO points(point, date) VALUES (1, '2026-01-04'), (2, '2026-01-02')",
		(struct place){0}, &diagnostic));
	text.length = 0;
	summary_write(&text, plan, &points, verdicts, 5, db);
	assert_non_null(strstr(text.at, "2 points, 5 seeds; run 2026-01-02 to 2026-01-04 on "));
	assert_true(database_run(db, "UPDATE points SET date = '2026-01-04'", (struct place){0}, &diagnostic));
	text.length = 0;
	summary_write(&text, plan, &points, verdicts, 5, db);
	assert_non_null(strstr(text.at, "run 2026-01-04 on "));
	/* Without parameters there is no such table. */
	plan->controls.count = 1;
	text.length = 0;
	summary_write(&text, plan, &points, verdicts, 5, db);
	assert_null(strstr(text.at, "parameter"));
	sqlite3_close(db);
	remove_folder(&f);
}

/* One row for each claim, without what depends on the day or the machine. */
static void the_values_are_a_table_for_programs(void **state)
{
	(void)state;
	struct folder f = make_folder(with_parameters);
	struct points points = points_of(&f);
	struct plan *plan = plan_of(&f);
	struct diagnostic diagnostic = {0};
	const char *numbers[] = {"2.25", "2"}, *words[] = {"say \"z\"\nagain"};
	uint64_t seeds[] = {1, 7};
	struct verdict verdicts[] = {{.judgement = CLAIM_MET,
					     .ours = "2.12132034355964",
					     .low = 1.9,
					     .high = 2.1,
					     .without = "x, y",
					     .seeds = 2,
					     .values = numbers,
					     .of_seeds = seeds},
		{.judgement = CLAIM_NOT_MET,
			.ours = words[0],
			.low = NAN,
			.high = NAN,
			.without = "x",
			.seeds = 1,
			.values = words,
			.of_seeds = seeds}};
	struct text text = {.arena = &f.arena};
	sqlite3 *db = database_open(NULL, &diagnostic);
	char first[3 * KEY_BYTES + 40];
	assert_true(collect_schema(db, &diagnostic));
	summary_write_values(&text, plan, &points, verdicts, db);
	snprintf(first, sizeof first, "# plan %s, build %s, PTX none\n", points.build.plan, points.build.simulator);
	assert_memory_equal(text.at, first, strlen(first));
	assert_string_equal(text.at + strlen(first),
		"claim,part,role,kind,paper,ours,low,high,result,without,values\n"
		"A,one | two,confirmed,factor,2,2.12132034355964,1.9,2.1,met,\"x, y\",1=2.25; 7=2\n"
		"B,,definition,verdict,\"a|b\nc\",\"say \"\"z\"\"\nagain\",,,not met,,\"1=say \"\"z\"\"\nagain\"\n");
	/* What was not asked for is not there.  The digests of PTX are one. */
	verdicts[0].unasked = true;
	assert_true(database_run(db, "INSERT INTO points(point, ptx) VALUES (1, 'b'), (2, 'a'), (3, 'b')",
		(struct place){0}, &diagnostic));
	text.length = 0;
	summary_write_values(&text, plan, &points, verdicts, db);
	assert_null(strstr(text.at, "\nA,"));
	assert_non_null(strstr(text.at, "\nB,"));
	assert_null(strstr(text.at, "PTX none"));
	char *same = arena_text(&f.arena, text.at);
	assert_true(database_run(db, "DELETE FROM points WHERE point = 3", (struct place){0}, &diagnostic));
	text.length = 0;
	summary_write_values(&text, plan, &points, verdicts, db);
	assert_string_equal(text.at, same);
	assert_true(database_run(db, "UPDATE points SET ptx = 'c' WHERE point = 2", (struct place){0}, &diagnostic));
	text.length = 0;
	summary_write_values(&text, plan, &points, verdicts, db);
	assert_string_not_equal(text.at, same);
	sqlite3_close(db);
	remove_folder(&f);
}

/* An id is met when all its parts are, and counts where none of them is fitted and some were asked for. */
static void claims_that_are_met_and_not_fitted(void **state)
{
	(void)state;
	struct arena arena = {0};
	static struct claim claims[] = {{.id = "A", .role = "confirmed"}, {.id = "B", .role = "confirmed"},
		{.id = "A", .role = "confirmed"}, {.id = "C", .role = "definition"}, {.id = "D", .role = "confirmed"},
		{.id = "D", .role = "fitted"}, {.id = "E", .role = "other-machine"}, {.id = "F", .role = "confirmed"}};
	struct plan plan = {.claims = {.at = claims, .count = 8}};
	struct verdict verdicts[8] = {
		[1].judgement = CLAIM_DIRECTION, [7] = {.judgement = CLAIM_NOT_MEASURED, .unasked = true}};
	uint32_t met, all;
	assert_string_equal(judge_met(&arena, &plan, verdicts, &met, &all), "A C E");
	assert_int_equal(met, 3);
	assert_int_equal(all, 4);
	verdicts[2].judgement = CLAIM_UNSURE;
	assert_string_equal(judge_met(&arena, &plan, verdicts, &met, &all), "C E");
	assert_int_equal(met, 2);
	plan.claims.count = 0;
	assert_string_equal(judge_met(&arena, &plan, verdicts, &met, &all), "");
	assert_int_equal(all, 0);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_students),
		cmocka_unit_test(bounds_are_those_written),
		cmocka_unit_test(an_interval_on_both_sides_is_unsure),
		cmocka_unit_test(a_factor_is_above_0),
		cmocka_unit_test(a_factor_has_an_interval_of_logarithms),
		cmocka_unit_test(explanations_are_of_their_values),
		cmocka_unit_test(the_value_that_is_shown),
		cmocka_unit_test(a_move_is_beyond_a_twentieth),
		cmocka_unit_test(claims_are_summed_by_role),
		cmocka_unit_test(what_is_said_of_a_claim),
		cmocka_unit_test(the_summary_is_a_table),
		cmocka_unit_test(the_values_are_a_table_for_programs),
		cmocka_unit_test(claims_that_are_met_and_not_fitted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
