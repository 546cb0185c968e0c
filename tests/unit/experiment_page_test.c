/* The page as a whole: what a reader sees of it, from its beginning to its end, and that its tags are closed in order.
 * What is said of each kind of claim is in experiment_results_test.c. */
#include "experiment_harness.h"

#include "experiment/collect.h"
#include "experiment/page.h"

#include <math.h>

static const char plan_text[] =
	"title = \"T & t\"; fixed_starts = true;\n"
	"programs = ( { name = \"p<1>\"; file = \"p\"; }, { name = \"r\"; file = \"q\"; } );\n"
	"benchmarks = ( { name = \"B\"; program = \"r\"; } );\n"
	"policies = ( { name = \"a\"; options = \"\"; }, { name = \"b\"; options = \"--x\"; } );\n"
	"sets = ( { name = \"s\"; programs = [\"p<1>\", \"r\"]; gpus = \"g&g\"; policies = \"a\"; seeds = [7]; },\n"
	"  { name = \"u\"; programs = \"r\"; gpus = \"h\"; policies = \"b\"; } );\n"
	"controls = ( { name = \"without <x>\"; text = \"x & y\"; policies = \"a\"; by = \"b\"; },\n"
	"  { name = \"without z\"; policies = \"a\"; by = \"b\"; },\n"
	"  { name = \"at <4>\"; parameter = \"q<1>\"; text = \"of it & more\"; policies = \"a\"; by = \"b\"; },\n"
	"  { name = \"at 5\"; parameter = \"q2\"; policies = \"a\"; by = \"b\"; } );\n"
	"claims = ( { id = \"A\"; part = \"one\"; where = \"II & III\"; metric = \"m\"; kind = \"factor\"; role = "
	"\"fitted\"; parameter = \"q\"; paper = 2; unit = \"x\"; sets = \"s\"; value = \"SELECT 1\"; },\n"
	"  { id = \"B\"; metric = \"n > o\"; kind = \"ratio\"; role = \"confirmed\"; paper = 3; sets = \"s\"; value = "
	"\"SELECT 1\"; explanation = \"For \\\"this\\\".\"; holds = [0.5, 0.75]; },\n"
	"  { id = \"C\"; metric = \"k\"; kind = \"verdict\"; role = \"confirmed\"; paper = \"so\"; sets = \"s\"; value "
	"= "
	"\"SELECT 1\"; explanation = \"One seed.\"; } );\n"
	"figures = ( { id = \"f\"; title = \"F < 1\"; caption = \"C & D\"; shape = \"bars\"; sets = \"s\"; rows = "
	"\"SELECT "
	"1\"; template = \"t.gp\"; },\n"
	"  { id = \"g\"; title = \"G\"; paper = \"up & down\"; shape = \"table\"; sets = \"s\"; rows = \"SELECT 1\"; "
	"},\n"
	"  { id = \"h\"; title = \"H\"; shape = \"bars\"; sets = \"s\"; rows = \"SELECT 1\"; template = \"t.gp\"; } "
	");\n";

/* What is between the tags, with | for each row of tags, from the body on. */
static const char *text_of(struct arena *arena, const char *page)
{
	struct text text = {.arena = arena};
	const char *at = strstr(page, "<body>");
	assert_non_null(at);
	bool in_tag = false, was_tag = false;
	for (; *at; at++) {
		if (*at == '<') {
			in_tag = true;
			if (!was_tag)
				text_append(&text, "|", 1);
			was_tag = true;
		} else if (*at == '>' && in_tag)
			in_tag = false;
		else if (!in_tag && *at != '\n') {
			text_append(&text, at, 1);
			was_tag = false;
		}
	}
	return text.at;
}

/* The first tag that is not closed in its order, or null. */
static const char *unbalanced(struct arena *arena, const char *page)
{
	static const char *const alone[] = {"!DOCTYPE", "meta", "br"};
	const char *open[64];
	uint32_t depth = 0;
	for (const char *at = strchr(page, '<'); at; at = strchr(at + 1, '<')) {
		bool closes = at[1] == '/', is_alone = false;
		size_t length = strcspn(at + 1 + closes, " >");
		const char *name = arena_copy(arena, at + 1 + closes, length);
		for (int k = 0; k < 3; k++)
			is_alone |= !strcmp(name, alone[k]);
		if (is_alone)
			continue;
		if (!closes && depth == 64)
			return name;
		if (!closes)
			open[depth++] = name;
		else if (!depth || strcmp(open[--depth], name))
			return arena_printf(arena, "/%s", name);
	}
	return depth ? open[depth - 1] : NULL;
}

static struct verdict measured(const char *ours, enum judgement judgement, struct move *moves)
{
	return (struct verdict){
		.judgement = judgement, .ours = ours, .low = NAN, .high = NAN, .ratio = NAN, .moves = moves};
}

static void the_page_from_its_beginning_to_its_end(void **state)
{
	(void)state;
	struct folder f = make_folder(plan_text);
	struct diagnostic diagnostic = {0};
	write_program(&f, "workloads/q", "another");
	struct plan *plan = plan_of(&f);
	struct points points = points_of(&f);
	assert_int_equal(points.points.count, 3);
	struct status statuses[3];
	write_result(&f, &points.points.at[0], "json",
		"{\"configuration\": {\"b<1>\": 2, \"a\": 4.125}, \"program\": {\"status\": 0}, \"launches\": []}");
	const char *file = arena_printf(&f.arena, "%s/results.sqlite", f.path);
	assert_true(collect(&f.arena, plan, &points, f.path, file, statuses, &diagnostic));
	sqlite3 *db = database_open(file, &diagnostic);
	statuses[2].output = "its <last> words";
	struct move of_a[] = {{0}, {0}, {"2", "3", CLAIM_MET, CLAIM_NOT_MET}, {"2", "2", CLAIM_MET, CLAIM_MET}},
		    of_b[] = {{0}, {0}, {"1", "1.5", CLAIM_NOT_MET, CLAIM_NOT_MET}, {0}};
	struct verdict verdicts[] = {measured("2.125", CLAIM_MET, of_a), measured("0.625", CLAIM_EXPLAINED, of_b),
		measured("not so", CLAIM_UNSURE, NULL)};
	verdicts[0].without = "without <x>";
	verdicts[0].low = 1.5;
	verdicts[0].high = 2.75;
	verdicts[0].ratio = 1.0625;
	static const char *names[] = {"key", "low", "high"};
	static const char *values[] = {"x", "1.23456", "2", "y", NULL, "3"},
			  *low[] = {NULL, "1.125", NULL, NULL, NULL, "2.5"},
			  *high[] = {NULL, "1.5", NULL, NULL, NULL, "3.5"},
			  *marks[] = {NULL, "1.25", "4", NULL, "9", NULL};
	struct drawing drawings[] = {{.keys = 1,
					     .columns = 3,
					     .rows = 2,
					     .names = names,
					     .values = values,
					     .low = low,
					     .high = high,
					     .marks = marks,
					     .failed = 2,
					     .all = 3},
		{.keys = 1, .columns = 1, .rows = 2, .names = names, .values = values}, {.why = "none & nothing"}};
	struct samples samples = {.count = 2};
	struct text text = {.arena = &f.arena};
	experiment_page_write(&text, &(struct page){plan, &points, statuses, verdicts, drawings, f.path, &samples, db});
	assert_memory_equal(text.at, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n", 39);
	const char *wrong = unbalanced(&f.arena, text.at);
	if (wrong)
		fail_msg("not closed in order: %s\n%s", wrong, strstr(text.at, "<body>"));
	const char *expected = arena_printf(&f.arena,
		"|T &amp; t|1 of 3|claims met|of all; 1 of them fitted, which confirm nothing|0|direction only|claims "
		"whose "
		"effect has the paper's sign and order, not its size|1 of 3|points|with a result|2|seeds|of which "
		"values are "
		"means|small|"
		"size|of the inputs|What was run|Experiment %s. Simulator build "
		"|%.16s|; programs p&lt;1&gt; |%.16s|, r |%.16s|. A build is a hash of the executable and the kernels' "
		"files."
		"|Claims|fitted| (a parameter was chosen on them, so they confirm nothing), 1: 1 met (1 of them "
		"without the mechanism, too)"
		"|confirmed| (nothing was chosen on them), 2: 1 unsure, 1 not met: why"
		"|Values are means of 2 seeds, with the interval that has the mean in 95 %% of cases (Student's t); "
		"where seeds change nothing, without. A factor is met when its effect, ln ours / ln paper, is from 3/4 "
		"to 5/4; from 1/2 to 2 it has the paper's direction only. Points are met within the tolerance (10 %% "
		"if "
		"not given) and within half of the paper's value, a ratio within 35 %% or the tolerance given. A "
		"range, "
		"a most and a least are the paper's own numbers. All hold for the whole interval, else they are "
		"unsure. "
		"Exact claims, verdicts and trends "
		"must hold for each seed. The ratio is ours to the paper's, of a factor the effect."
		"|Controls: the claims are judged again with a mechanism's results replaced by those without it. One "
		"that is still met says nothing of the mechanism, and is marked."
		"|without &lt;x&gt;|: x &amp; y|without z"
		"|claim|what|role|kind|paper|ours|95 %%|ratio|result"
		"|A|m, one |(II &amp; III)|fitted|factor|2x|2.12x|1.5 to 2.75|1.06|met|Chosen on this claim: q|Met "
		"also without &lt;x&gt;"
		"|B|n &gt; o|confirmed|ratio|3|0.625|–|–|not met: why|Of values from 0.5 to 0.75, seen when it was "
		"written: For &quot;this&quot;."
		"|C|k|confirmed|verdict|so|not so|–|–|unsure|One seed."
		"|Parameters|What is ours and not the paper's, at other values: which claims' values move by more than "
		"5 %%, or which are met, with the first seed."
		"|parameter|at|moves|q&lt;1&gt;|at &lt;4&gt;|A, one: 2 to 3, no longer met; B: 1 to 1.5 |of it &amp; "
		"more|q2|at 5|none"
		"|Figures|F &lt; 1|C &amp; D |2 of its 3 points have no result.| |Not drawn: there is no gnuplot.|The "
		"numbers"
		"|key|low|high|x|1.23 |(1.12 to 1.5; paper 1.25)|2 |(paper 4)|y|–|3 |(2.5 to 3.5)"
		"|key|x|1.23|G|The paper: up &amp; down"
		"|H| |Not measured: none &amp; nothing."
		"|Points without a result|missing|: |lockstep run --report json --gpu g&amp;g --seed 7 --threads 1 q"
		"|missing|: |lockstep run --report json --gpu h --x --seed 0 --threads 1 q|its &lt;last&gt; words"
		"|Command lines|Each point, but for |--output| and the folders; |lockstep experiment --points| prints "
		"them whole."
		"|3 command lines|lockstep run --report json --gpu g&amp;g --seed 7 --threads 1 plockstep run --report "
		"json --gpu g&amp;g --seed 7 --threads 1 qlockstep run --report json --gpu h --x --seed 0 --threads 1 q"
		"|Configurations|The models' fields; a point's |--set|, |--scheduler| and the like change some."
		"|g&amp;g|field|value|b&lt;1&gt;|2|a|4.12|",
		plan->name, points.build.simulator, points.build.programs[0], points.build.programs[1]);
	const char *seen = text_of(&f.arena, text.at);
	size_t same = 0;
	while (seen[same] && seen[same] == expected[same])
		same++;
	if (seen[same] || expected[same])
		fail_msg("expected %.150s\nseen %.150s", expected + same, seen + same);
	assert_string_equal(text.at + text.length - 16, "</body>\n</html>\n");
	sqlite3_close(db);
	remove_folder(&f);
}

/* Without claims, figures, controls, and with all points passed there are no such parts. */
static void what_there_is_not_is_not_on_the_page(void **state)
{
	(void)state;
	struct folder f = make_folder("title = \"T\"; paper = \"P\"; text = \"\";\nprograms = ( { name = \"p\"; file = "
				      "\"p\"; } );\nbenchmarks = ();\n"
				      "policies = ( { name = \"a\"; options = \"\"; } );\nsets = ( { name = \"s\"; "
				      "programs = \"p\"; gpus = \"g\"; "
				      "policies = \"a\"; } );\n");
	struct diagnostic diagnostic = {0};
	struct plan *plan = plan_of(&f);
	struct points points = points_of(&f);
	struct status status = {0};
	struct samples samples = {.count = 1};
	struct text text = {.arena = &f.arena};
	sqlite3 *db = database_open(NULL, &diagnostic);
	assert_true(collect_schema(db, &diagnostic));
	experiment_page_write(&text, &(struct page){plan, &points, &status, NULL, NULL, f.path, &samples, db});
	assert_null(unbalanced(&f.arena, text.at));
	assert_string_equal(
		text_of(&f.arena, text.at), arena_printf(&f.arena,
						    "|T|P|1 of 1|points|with a result|1|seeds|of which "
						    "values are means|small|size|of the inputs|What was run|"
						    "Experiment %s. Simulator build |%.16s|; "
						    "programs p |%.16s|. A build is a hash of the executable and the "
						    "kernels' files.|Command lines|Each "
						    "point, but for |--output| and the folders; |lockstep experiment "
						    "--points| prints them whole.|1 command "
						    "lines|lockstep run --report json --gpu g --seed 0 --threads 1 "
						    "p|Configurations|The models' fields; a "
						    "point's |--set|, |--scheduler| and the like change some.|",
						    plan->name, points.build.simulator, points.build.programs[0]));
	sqlite3_close(db);
	remove_folder(&f);
}

/* Below a claim: what was chosen on it, controls under which it is met, and the explanation, by the judgement. */
static void reasons_are_those_of_the_judgement(void **state)
{
	(void)state;
	static const struct {
		enum judgement judgement;
		const char *without, *row; /* behind the values */
	} cases[] = {
		{CLAIM_MET, NULL, "met"},
		{CLAIM_MET, "without x, y", "met|Met also without x, y"},
		{CLAIM_DIRECTION, "without x", "direction only|For &quot;this&quot;."},
		{CLAIM_NOT_MET, "without x", "not met"},
		{CLAIM_UNSURE, NULL, "unsure|For &quot;this&quot;."},
		{CLAIM_UNSURE, "without x", "unsure|For &quot;this&quot;."},
		{CLAIM_EXPLAINED, NULL,
			"not met: why|Of values from 0.5 to 0.75, seen when it was written: For &quot;this&quot;."},
		{CLAIM_STALE, "without x",
			"not met: stale reason|For other values than this was said: For &quot;this&quot;."},
		{CLAIM_NOT_MEASURED, NULL, "not measured|no &lt;counter&gt;"},
	};
	static const char *const classes[JUDGEMENTS] = {"good", "unsure", "bad", "unsure", "unsure", "bad", "faint"};
	struct folder f = make_folder(plan_text);
	struct diagnostic diagnostic = {0};
	write_program(&f, "workloads/q", "another");
	struct plan *plan = plan_of(&f);
	struct points points = points_of(&f);
	struct status statuses[3] = {0};
	struct samples samples = {.count = 1};
	sqlite3 *db = database_open(NULL, &diagnostic);
	assert_true(collect_schema(db, &diagnostic));
	plan->claims.count = 1;
	plan->claims.at[0] = plan->claims.at[1];
	plan->figures.count = 0;
	for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
		enum judgement judgement = cases[k / 2].judgement;
		bool none = judgement == CLAIM_NOT_MEASURED;
		struct text text = {.arena = &f.arena};
		struct verdict v = measured(none ? NULL : "0.625", judgement, NULL);
		plan->claims.at[0].parameter = k % 2 ? "q & r" : NULL;
		v.without = cases[k / 2].without;
		v.why = none ? "no <counter>" : NULL;
		experiment_page_write(&text, &(struct page){plan, &points, statuses, &v, NULL, f.path, &samples, db});
		assert_null(unbalanced(&f.arena, text.at));
		const char *reasons = strchr(cases[k / 2].row, '|'), *all = text_of(&f.arena, text.at);
		const char *expected =
			arena_printf(&f.arena, "|B|n &gt; o|confirmed|ratio|3|%s|–|–|%.*s%s%s|Parameters|",
				none ? "–" : "0.625", (int)strcspn(cases[k / 2].row, "|"), cases[k / 2].row,
				k % 2 ? "|Chosen on this claim: q &amp; r" : "", reasons ? reasons : "");
		if (!strstr(all, expected))
			fail_msg("%s\n%s", expected, strstr(all, "|B|"));
		assert_non_null(strstr(text.at,
			reasons || k % 2 ? "<tr class=\"more\"><td class=\"s\">B<" : "<tr><td class=\"s\">B<"));
		assert_non_null(strstr(text.at, arena_printf(&f.arena, "<td class=\"s %s\">", classes[judgement])));
	}
	sqlite3_close(db);
	remove_folder(&f);
}

static void values_for_people(void **state)
{
	(void)state;
	static const struct {
		const char *kind, *unit, *ours, *words;
	} cases[] = {{"ratio", "ms", "1.23456", "1.23ms"}, {"ratio", NULL, "1.23456", "1.23"},
		{"trend", "x", "1", "yes"}, {"trend", "x", "0", "no"}, {"trend", NULL, "-1", "yes"},
		{"trend", NULL, "one", "no"}, {"exact", NULL, NULL, "-"}};
	struct arena arena = {0};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		assert_string_equal(page_value(&arena, &(struct claim){.kind = cases[k].kind, .unit = cases[k].unit},
					    &(struct verdict){.ours = cases[k].ours}),
			cases[k].words);
	assert_string_equal(page_interval(&arena, &(struct verdict){.low = NAN, .high = NAN}), "-");
	assert_string_equal(page_interval(&arena, &(struct verdict){.low = -1.5, .high = 2000.25}), "-1.5 to 2000");
	static const char *const numbers[][2] = {{"999.75", "1000"}, {"1000.5", "1000"}, {"-1000.5", "-1000"},
		{"999999999999999", "999999999999999"}, {"0", "0"}, {"-3", "-3"}};
	for (int k = 0; k < 6; k++)
		assert_string_equal(page_number(&arena, numbers[k][0]), numbers[k][1]);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_from_its_beginning_to_its_end),
		cmocka_unit_test(what_there_is_not_is_not_on_the_page),
		cmocka_unit_test(reasons_are_those_of_the_judgement),
		cmocka_unit_test(values_for_people),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
