/* Experiments: what is wrong in a plan is said with its line; keys follow what is run and nothing else; claims are
 * judged by their kind. */
#include "experiment_harness.h"

#include "experiment/database.h"
#include "experiment/draw.h"
#include "experiment/end.h"
#include "experiment/judge.h"
#include "experiment/options.h"
#include "experiment/plan.h"

#include <math.h>
#include <signal.h>

/* ---- Plans ---- */

static void a_plan_is_read(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	struct diagnostic diagnostic = {0};
	struct plan *plan = plan_read(&f.arena, arena_printf(&f.arena, "%s/", f.path), &diagnostic);
	assert_non_null(plan);
	assert_string_equal(plan->name, strrchr(f.path, '/') + 1);
	assert_int_equal(plan->policies.count, 2);
	assert_int_equal(plan->sets.at[0].seeds.count, 2);
	assert_string_equal(plan->programs.at[0].arguments[SIZE_PAPER], "--seed {seed}");
	assert_string_equal(plan->claims.at[0].paper, "2");
	assert_true(plan->claims.at[0].tolerance > 0);
	assert_int_equal(plan->claims.at[0].place.line, 6);
	remove_folder(&f);
}

static void what_is_wrong_in_a_plan_is_said_with_its_line(void **state)
{
	(void)state;
	static const struct {
		const char *from, *to, *line;
	} cases[] = {
		{"title", "tittle", ":1:1: unknown key 'tittle', did you mean 'title'?"},
		{"title = \"t\"", "title = 3", ":1:1: bad value of 'title', expected a text in quotes"},
		{"title = \"t\";", "", ": 'title' is missing, expected a text in quotes"},
		{"title = \"t\";", "title = ;", ":1: syntax error, expected name = value;"},
		{"program = \"p\"", "program = \"q\"", ":3:16: unknown program 'q', expected one of this file's"},
		{"policies = [\"a\"", "policies = [\"aa\"", ":5:10: unknown policy 'aa', expected one of this file's"},
		{"seeds = [1, 2]", "seeds = [1.5, 2.5]", ":5:10: a seed is 1.5, expected a whole number"},
		{"seeds = [1, 2]", "seeds = 7", ":5:80: bad value of 'seeds', expected an array of numbers"},
		{"kind = \"ratio\"", "kind = \"ration\"",
			":6:12: 'kind' is \"ration\", expected exact, verdict, trend, factor, points, ratio, range, "
			"atmost or "
			"atleast"},
		{" role = \"confirmed\";", "", ":6:12: 'role' is missing, expected a text in quotes"},
		{"role = \"confirmed\"", "role = \"sure\"",
			":6:12: 'role' is \"sure\", expected fitted, confirmed, definition or other-machine"},
		{"role = \"confirmed\"", "role = \"fitted\"",
			":6:12: 'parameter' is missing, expected what was chosen on this claim, as the role is fitted"},
		{"role = \"confirmed\"", "role = \"confirmed\"; parameter = \"p\"",
			":6:12: 'parameter' is given, expected none, as the role is not fitted"},
		{"kind = \"ratio\"", "kind = \"ratio\"; unit = \"x\"",
			":6:12: 'kind' is \"ratio\" and 'unit' \"x\", expected the kind factor"},
		{"kind = \"ratio\"; role = \"confirmed\"; paper = 2;",
			"kind = \"factor\"; role = \"confirmed\"; paper = 1;",
			":6:12: 'paper' is 1, expected a number above 0 other than 1, as the kind is factor: 1 is no "
			"effect"},
		{"kind = \"ratio\"; role = \"confirmed\"; paper = 2;",
			"kind = \"factor\"; role = \"confirmed\"; paper = -2;",
			":6:12: 'paper' is -2, expected a number above 0 other than 1, as the kind is factor: 1 is no "
			"effect"},
		{"sets = \"s\"", "sets = \"s\"; explanation = \"e\"",
			":6:12: 'holds' is missing, expected [from, to], the values of which the explanation is"},
		{"sets = \"s\"", "sets = \"s\"; holds = [1, 2]",
			":6:12: 'holds' is given, expected an explanation of a number with it"},
		{"sets = \"s\"", "sets = \"s\"; explanation = \"e\"; holds = [2, 1]",
			":6:12: bad value of 'holds', expected two numbers, [from, to]"},
		{"sets = \"s\"", "sets = \"s\"; seeds = [0.5]", ":6:12: a seed is 0.5, expected a whole number"},
		{"sets = \"s\"", "sets = \"s\"; variations = [\"\", \"v\"]",
			":6:12: unknown variation 'v', expected one of this file's"},
		{"title = \"t\";", "title = \"t\"; controls = ( { name = \"c\"; policies = [\"a\"]; by = [\"z\"]; } );",
			":1:27: unknown policy 'z', expected one of this file's"},
		{"title = \"t\";",
			"title = \"t\"; controls = ( { name = \"c\"; policies = [\"a\"]; by = [\"b\", \"b\"]; } );",
			":1:27: 'by' has 2 policies, expected one for each of the 1 in 'policies'"},
		{"title = \"t\";",
			"title = \"t\"; controls = ( { name = \"c\"; policies = [\"a\"]; by = [\"b\"]; variations = "
			"[]; "
			"by_variations = [\"v\"]; } );",
			":1:27: unknown variation 'v', expected one of this file's"},
		{"paper = 2;", "paper = \"much\";",
			":6:12: 'paper' is \"much\", expected a number, as the kind is ratio"},
		{"sets = \"s\"", "sets = \"t\"", ":6:12: unknown set 't', expected one of this file's"},
		{"name = \"b\"", "name = \"a\"", ":4: there are two of policy 'a', expected one"},
		{"benchmarks = ( {", "benchmarks = ( 3, {", ":3: unexpected value, expected a group: { ... }"},
		{"title = \"t\";", "title = \"t\"; zz = 1;",
			":1:14: unknown key 'zz', expected title, paper, text, views, tables, pinned, time_limit, "
			"fixed_starts, "
			"programs, benchmarks, policies, variations, sets, controls, claims or figures"},
		{"title = \"t\";", "title = \"t\"; time_limit = { small = 1; };",
			":1:14: bad value of 'time_limit', expected a number, or { small = ...; paper = ...; }"},
		{"arguments = \"--seed {seed}\"", "arguments = { small = \"\"; large = \"\"; }",
			":2:58: bad value of 'arguments', expected a text, or { small = \"...\"; paper = \"...\"; }"},
		{"sources = \"k.cl\"", "sources = [1]",
			":2:40: bad value of 'sources', expected a text or an array of texts"},
		{"paper = 2;", "paper = true;", ":6:74: bad value of 'paper', expected a number or a text in quotes"},
		{"sets = ( {", "sets = ( { may_fail = 1;", ":5:12: bad value of 'may_fail', expected true or false"},
		{"title = \"t\";", "title = \"t\"; figures = 1;",
			":1:14: bad value of 'figures', expected a list of groups: ( { ... }, { ... } )"},
		{" options = \"--scheduler lrr\";", "", ":4:14: 'options' is missing, expected a text in quotes"},
		/* A name that is twice in its line has no column; nor has the second group of a line. */
		{"name = \"a\";", "nam = 1; nam = 2;", ":4: duplicate setting name, expected name = value;"},
		{"{ name = \"b\"; options = \"--set x='y z'\"; }", "{ name = \"b\"; }",
			":4: 'options' is missing, expected a text in quotes"},
		{"{ name = \"a\"; options", "{ name = \"a\"; optoins",
			":4:28: unknown key 'optoins', did you mean 'options'?"},
		{"name = \"b\"; options", "naem = \"b\"; options", ":4:62: unknown key 'naem', did you mean 'name'?"},
		{"options = \"--scheduler lrr\"", "options = \"{seed}\"",
			":4:14: 'options' has a '{', expected no placeholder"},
		{"{seed}", "{seed} {", ":2:14: unknown placeholder '{', expected {seed}"},
		{"{seed}", "{seed}{seeds}", ":2:14: unknown placeholder '{seeds}', expected {seed}"},
		{"kind = \"ratio\"", "kind = \"ratio\"; tolerance = 1001.0",
			":6:54: bad value of 'tolerance', expected from 1e-09 to 1000"},
		{"sets = \"s\"", "sets = \"s\"; programs = \"r\"",
			":6:12: unknown program 'r', expected one of this file's"},
		{"sets = \"s\"", "sets = \"s\"; policies = \"c\"",
			":6:12: unknown policy 'c', expected one of this file's"},
		{"policies = [\"a\", \"b\"]", "policies = \"a\"; variations = \"v\"",
			":5:10: unknown variation 'v', expected one of this file's"},
		{"seeds = [1, 2]", "seeds = [-1]", ":5:80: bad value of 'seeds', expected from 0 to 9007199254740992"},
		{"{ name = \"B\"; program = \"p\"; }",
			"{ name = \"B\"; program = \"p\"; },\n{ name = \"B\"; program = \"p\"; }",
			":4:1: there are two of benchmark 'B', expected one"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct arena arena = {0};
		struct folder f = make_folder(changed(&arena, plain, cases[k].from, cases[k].to));
		struct diagnostic diagnostic = {0};
		assert_null(plan_read(&f.arena, f.path, &diagnostic));
		assert_string_equal(
			diagnostic.message, arena_printf(&f.arena, "%s/experiment.cfg%s", f.path, cases[k].line));
		remove_folder(&f);
		arena_free(&arena);
	}
}

/* What may stand at the end of `plain`: figures, with the limits of their numbers. */
static void figures_and_limits_are_checked(void **state)
{
	(void)state;
	static const struct {
		const char *text, *line; /* null: it is right */
	} cases[] = {
		{"figures = ( { id = \"9a-_\"; title = \"t\"; shape = \"bars\"; rows = \"SELECT 1\"; sets = \"s\"; } "
		 ");",
			NULL},
		{"figures = ( { id = \"9 a\"; title = \"t\"; shape = \"bars\"; rows = \"SELECT 1\"; sets = \"s\"; } );",
			":7:13: 'id' is \"9 a\", expected letters, digits, - and _"},
		{"figures = ( { id = \"\"; title = \"t\"; shape = \"bars\"; rows = \"SELECT 1\"; sets = \"s\"; } );",
			":7:13: 'id' is \"\", expected letters, digits, - and _"},
		{"figures = ( { id = \"9\"; title = \"t\"; shape = \"pie\"; rows = \"SELECT 1\"; sets = \"s\"; } );",
			":7:13: 'shape' is \"pie\", expected bars, stacks, lines or table"},
		{"figures = ( { id = \"9\"; title = \"t\"; shape = \"bars\"; rows = \"SELECT 1\"; sets = \"u\"; } );",
			":7:13: unknown set 'u', expected one of this file's"},
		{"figures = ( { id = \"9\"; title = \"t\"; shape = \"bars\"; rows = \"SELECT 1\"; sets = \"s\"; width "
		 "= 99; } );",
			":7:85: bad value of 'width', expected from 100 to 10000"},
		{"figures = ( { id = \"9\"; title = \"t\"; shape = \"bars\"; rows = \"SELECT 1\"; sets = \"s\"; width "
		 "= 100; height = 10000; } );",
			NULL},
		{"figures = ( { id = \"9\"; title = \"t\"; shape = \"bars\"; rows = \"SELECT 1\"; sets = \"s\"; },\n"
		 "{ id = \"9\"; title = \"t\"; shape = \"bars\"; rows = \"SELECT 1\"; sets = \"s\"; } );",
			":8:1: there are two of figure '9', expected one"},
		{"time_limit = 0.001;", NULL},
		{"time_limit = 0.0009;", ":7:1: bad value of 'time_limit', expected from 0.001 to 31622400"},
		{"time_limit = { small = 1; paper = 31622400; };", NULL},
		{"time_limit = { small = 1; paper = 31622401; };",
			":7:1: bad value of 'time_limit', expected from 0.001 to 31622400"},
		{"variations = ( { name = \"v\"; arguments = \"{sed}\"; } );",
			":7:16: unknown placeholder '{sed}', expected {seed}"},
		{"variations = ( { name = \"v\"; arguments = \"\"; },\n { name = \"v\"; arguments = \"\"; } );",
			":8:2: there are two of variation 'v', expected one"},
		{"claims = 1;", ":7: duplicate setting name, expected name = value;"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct arena arena = {0};
		struct folder f = make_folder(arena_printf(&arena, "%s%s\n", plain, cases[k].text));
		struct diagnostic diagnostic = {0};
		struct plan *plan = plan_read(&f.arena, f.path, &diagnostic);
		assert_int_equal(plan != NULL, !cases[k].line);
		if (cases[k].line)
			assert_string_equal(diagnostic.message,
				arena_printf(&f.arena, "%s/experiment.cfg%s", f.path, cases[k].line));
		remove_folder(&f);
		arena_free(&arena);
	}
}

/* docs/experiments.md: a tolerance of 0.35; two minutes and two hours; pictures of 900 by 380 pixels. */
static void what_is_left_out_has_a_default(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct folder f = make_folder(arena_printf(&arena,
		"%sfigures = ( { id = \"9\"; title = \"t\"; shape = \"bars\"; rows = \"SELECT 1\"; sets = \"s\"; } "
		");\n",
		plain));
	struct diagnostic diagnostic = {0};
	const struct plan *plan = plan_read(&f.arena, f.path, &diagnostic);
	assert_non_null(plan);
	assert_true(plan->claims.at[0].tolerance == 0.35);
	assert_true(plan->time_limit[SIZE_SMALL] == 120 && plan->time_limit[SIZE_PAPER] == 7200);
	assert_true(plan->figures.at[0].width == 900 && plan->figures.at[0].height == 380);
	assert_true(plan->sets.at[0].seeds.at[0] == 1 && plan->sets.at[0].seeds.at[1] == 2);
	assert_false(plan->sets.at[0].may_fail);
	assert_string_equal(plan_path(&arena, plan, "/k"), "/k");
	assert_string_equal(plan_path(&arena, plan, "k"), arena_printf(&arena, "%s/k", f.path));
	/* Points without a unit are shares, of which 10 % are 0.1. */
	write_file(&f, "experiment.cfg", changed(&arena, plain, "kind = \"ratio\"", "kind = \"points\""));
	assert_true(plan_of(&f)->claims.at[0].tolerance == 0.1);
	remove_folder(&f);
	arena_free(&arena);
}

/* ---- Points ---- */

/* Two of everything: the seed runs fastest, then variation, policy, GPU, program. */
static void products_have_an_order(void **state)
{
	(void)state;
	static const char product[] =
		"title = \"t\"; fixed_starts = true;\n"
		"programs = ( { name = \"p\"; file = \"p\"; arguments = { small = \"-s\"; paper = \"-p\"; }; },\n"
		" { name = \"q\"; file = \"./my q\"; } );\n"
		"benchmarks = ();\n"
		"policies = ( { name = \"a\"; options = \"-a\"; }, { name = \"b\"; options = \"\"; } );\n"
		"variations = ( { name = \"v\"; arguments = \"\"; }, { name = \"w=1\"; arguments = \"-w "
		"{seed}-{seed}\"; value = 4; } );\n"
		"sets = ( { name = \"s\"; programs = [\"p\", \"q\"]; gpus = [\"g\", \"./h.cfg\"]; policies = [\"a\", "
		"\"b\"]; variations = [\"v\", \"w=1\"]; seeds = [8, 9]; } );\n";
	static const struct {
		uint32_t point;
		const char *shown, *name; /* the name without its 17 last characters */
	} cases[] = {
		{0, "lockstep run --report json --gpu g -a --seed 8 --threads 1 p -s", "p-g-a-v"},
		{1, "lockstep run --report json --gpu g -a --seed 9 --threads 1 p -s", "p-g-a-v"},
		{2, "lockstep run --report json --gpu g -a --seed 8 --threads 1 p -s -w 8-8", "p-g-a-w=1"},
		{4, "lockstep run --report json --gpu g --seed 8 --threads 1 p -s", "p-g-b-v"},
		{8, "lockstep run --report json --gpu ./h.cfg -a --seed 8 --threads 1 p -s", "p-._h.cfg-a-v"},
		{16, "lockstep run --report json --gpu g -a --seed 8 --threads 1 ./my q", "q-g-a-v"},
		{31, "lockstep run --report json --gpu ./h.cfg --seed 9 --threads 1 ./my q -w 9-9", "q-._h.cfg-b-w=1"},
	};
	struct folder f = make_folder(product);
	write_file(&f, "my q", "q");
	write_file(&f, "h.cfg", "h");
	assert_int_equal(chmod(arena_printf(&f.arena, "%s/my q", f.path), 0777), 0);
	struct points points = points_of(&f);
	assert_int_equal(points.points.count, 32);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const struct point *p = &points.points.at[cases[k].point];
		assert_string_equal(p->shown, cases[k].shown);
		assert_int_equal(strlen(p->name), strlen(cases[k].name) + 17);
		assert_memory_equal(p->name, cases[k].name, strlen(cases[k].name));
		assert_memory_equal(p->name + strlen(cases[k].name) + 1, p->key, 16);
	}
	assert_true(points.entries.at[2].variation->value == 4);
	assert_string_equal(points_shell(&f.arena, &points.points.at[31], "/o"),
		arena_printf(&f.arena,
			"%s/lockstep run --report json --output /o/%s.json --gpu %s/h.cfg --seed 9 --threads 1 '%s/my "
			"q' -w 9-9 > /o/%s.log 2>&1",
			f.path, points.points.at[31].name, f.path, f.path, points.points.at[31].name));
	remove_folder(&f);
}

static void points_are_all_combinations(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	struct points points = points_of(&f);
	assert_int_equal(points.points.count, 4);
	assert_string_equal(points.points.at[1].arguments, "--seed 2");
	assert_string_equal(points.points.at[0].shown,
		"lockstep run --report json --gpu gtx480 --set dispatch.jitter=16 --set dispatch.warp_jitter=4 "
		"--scheduler lrr --seed 1 --threads 1 p --seed 1");
	assert_string_equal(points_shell(&f.arena, &points.points.at[2], "/out"),
		arena_printf(&f.arena,
			"%s/lockstep run --report json --output /out/%s.json --gpu gtx480 --set dispatch.jitter=16 "
			"--set dispatch.warp_jitter=4 --set 'x='\\''y' 'z'\\''' "
			"--seed 1 --threads 1 %s/workloads/p --seed 1 > /out/%s.log 2>&1",
			f.path, points.points.at[2].name, f.path, points.points.at[2].name));
	remove_folder(&f);
}

static void sets_share_points(void **state)
{
	(void)state;
	struct arena arena = {0};
	const char *sharing = changed(&arena, plain, "seeds = [1, 2]; }",
		"seeds = [1, 2]; }, { name = \"again\"; programs = \"p\"; gpus = \"gtx480\"; policies = \"as b\"; "
		"seeds = "
		"[2, 3]; }");
	struct folder f = make_folder(changed(
		&arena, sharing, "policies = ( ", "policies = ( { name = \"as b\"; options = \"--set x='y z'\"; }, "));
	struct points points = points_of(&f);
	assert_int_equal(points.entries.count, 6);
	assert_int_equal(points.points.count, 5);
	assert_int_equal(points.entries.at[4].point, 3);
	/* The set that names it first names its files. */
	assert_memory_equal(points.points.at[3].name, "p-gtx480-b-", 11);
	assert_memory_equal(points.points.at[4].name, "p-gtx480-as_b-", 14);
	remove_folder(&f);
	arena_free(&arena);
}

/* Whether the first point's key is another one after a change. */
static bool changes_key(const char *file, const char *text)
{
	struct folder f = make_folder(plain), g = make_folder(plain);
	write_file(&g, file, text);
	struct points before = points_of(&f), after = points_of(&g);
	bool other = strcmp(before.points.at[0].key, after.points.at[0].key) != 0;
	assert_int_equal(strcmp(before.points.at[0].name, after.points.at[0].name) != 0, other);
	remove_folder(&f);
	remove_folder(&g);
	return other;
}

static void keys_follow_what_is_run(void **state)
{
	(void)state;
	struct arena arena = {0};
	assert_false(changes_key("lockstep", "the simulator")); /* another folder, the same files */
	assert_true(changes_key("lockstep", "another simulator"));
	assert_true(changes_key("liblockstep-opencl.so", "a front end"));
	assert_true(changes_key("k.cl", "another kernel"));
	assert_true(changes_key("experiment.cfg", changed(&arena, plain, "--scheduler lrr", "--scheduler gto")));
	assert_true(changes_key("experiment.cfg", changed(&arena, plain, "gtx480", "v100")));
	assert_true(changes_key("experiment.cfg", changed(&arena, plain, "[1, 2]", "[3, 2]")));
	assert_false(changes_key("experiment.cfg", changed(&arena, plain, "SELECT 2", "SELECT 3")));
	assert_false(changes_key("experiment.cfg", changed(&arena, plain, "seeds = [1, 2]", "seeds = [1]")));
	arena_free(&arena);
}

/* Of two programs each has its own build: what changes one leaves the other's points as they are. */
static void keys_follow_each_program_alone(void **state)
{
	(void)state;
	static const struct {
		const char *file, *text;
		bool is_program, of_p, of_q;
	} rows[] = {
		{"workloads/p", "p, built again", true, true, false},
		{"workloads/q", "q, built again", true, false, true},
		{"p.cl", "of p alone", false, true, false},
		{"q.cl", "of q alone", false, false, true},
		{"both.cl", "of both", false, true, true},
	};
	struct arena arena = {0};
	const char *plan =
		changed(&arena, two_sets, "file = \"p\";", "file = \"p\"; sources = [\"p.cl\", \"both.cl\"];");
	plan = changed(&arena, plan, "file = \"q\";", "file = \"q\"; sources = [\"both.cl\", \"q.cl\"];");
	struct folder f = make_two_sets(plan);
	write_file(&f, "p.cl", "p's");
	write_file(&f, "q.cl", "q's");
	write_file(&f, "both.cl", "both's");
	struct points before = points_of(&f);
	assert_string_equal(before.points.at[2].program->name, "q");
	assert_string_equal(before.points.at[0].build, before.points.at[1].build);
	assert_string_not_equal(before.points.at[0].build, before.points.at[2].build);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (rows[k].is_program)
			write_program(&f, rows[k].file, rows[k].text);
		else
			write_file(&f, rows[k].file, rows[k].text);
		struct points after = points_of(&f);
		for (uint32_t n = 0; n < 3; n++) {
			bool expected = n < 2 ? rows[k].of_p : rows[k].of_q;
			const struct point *was = &before.points.at[n], *is = &after.points.at[n];
			assert_int_equal(strcmp(was->key, is->key) != 0, expected);
			assert_int_equal(strcmp(was->build, is->build) != 0, expected);
			assert_int_equal(strcmp(was->name, is->name) != 0, expected);
		}
		before = after;
	}
	remove_folder(&f);
	arena_free(&arena);
}

/* Five axes: no two points have the same key or name, each is of its own entry, and they do not change from one reading
 * to the next. */
static void keys_tell_points_apart(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct folder f = make_two_sets(five_axes(&arena));
	struct points points = points_of(&f), again = points_of(&f);
	assert_int_equal(points.points.count, 34); /* with those of the other set, which has no variation */
	for (uint32_t k = 0; k < points.points.count; k++) {
		assert_string_equal(points.points.at[k].key, again.points.at[k].key);
		for (uint32_t n = 0; n < k; n++) {
			assert_string_not_equal(points.points.at[k].key, points.points.at[n].key);
			assert_string_not_equal(points.points.at[k].name, points.points.at[n].name);
		}
	}
	for (uint32_t k = 0; k < 32; k++) {
		const struct entry *e = &points.entries.at[k];
		const struct point *point = &points.points.at[e->point];
		assert_string_equal(point->program->name, k & 16 ? "q" : "p");
		assert_string_equal(point->gpu, k & 8 ? "h" : "g");
		assert_string_equal(e->policy->name, k & 4 ? "b" : "a");
		assert_string_equal(point->options, k & 4 ? "--x" : "");
		assert_string_equal(e->variation->name, k & 2 ? "v" : "u");
		assert_string_equal(point->arguments, k & 2 ? "-v" : "-u");
		assert_int_equal(point->seed, k & 1 ? 8 : 7);
	}
	remove_folder(&f);
	arena_free(&arena);
}

/* A model that is a file is part of what is run. */
static void keys_follow_models_that_are_files(void **state)
{
	(void)state;
	struct arena arena = {0};
	const char *plan = changed(&arena, plain, "gtx480", "./my.cfg");
	struct folder f = make_folder(plan), g = make_folder(plan);
	write_file(&f, "my.cfg", "one");
	write_file(&g, "my.cfg", "two");
	assert_string_not_equal(points_of(&f).points.at[0].key, points_of(&g).points.at[0].key);
	write_file(&g, "my.cfg", "one");
	assert_string_equal(points_of(&f).points.at[0].key, points_of(&g).points.at[0].key);
	remove_folder(&f);
	remove_folder(&g);
	arena_free(&arena);
}

static void a_missing_program_is_said(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	struct diagnostic diagnostic = {0};
	struct points points;
	struct plan *plan = plan_read(&f.arena, f.path, &diagnostic);
	assert_int_equal(unlink(arena_printf(&f.arena, "%s/workloads/p", f.path)), 0);
	assert_false(points_make(&f.arena, plan, SIZE_SMALL, &(struct names){0}, f.path, &points, &diagnostic));
	assert_string_equal(
		diagnostic.message, arena_printf(&f.arena,
					    "%s/experiment.cfg:2:14: there is no program 'p', expected one of "
					    "workloads/, built, beside the command",
					    f.path));
	remove_folder(&f);
}

static void a_part_of_a_result_is_none(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	struct points points = points_of(&f);
	const struct point *p = &points.points.at[0];
	const char *name = arena_printf(&f.arena, "%s.json", p->name);
	struct end end;
	struct diagnostic diagnostic = {0};
	assert_false(end_has_result(p, f.path));
	write_file(&f, name, "{ \"program\": { \"status\": 0 }");
	assert_false(end_has_result(p, f.path));
	write_file(&f, name, "{ \"program\": { \"signal\": 15 } }");
	assert_false(end_has_result(p, f.path));
	write_file(&f, name, "{ \"program\": { \"signal\": 6 } }");
	assert_true(end_has_result(p, f.path));
	write_file(&f, name, "{ \"program\": { \"status\": 1 } }");
	assert_true(end_has_result(p, f.path));
	assert_false(end_read(&f.arena, p, f.path, &end, &diagnostic));
	assert_true(end_write(p, f.path,
		&(struct end){"exit", 3, 1.5, "2026-01-02", "two\n\"lines\"", 1.25, 5ull << 32}, &diagnostic));
	assert_true(end_read(&f.arena, p, f.path, &end, &diagnostic));
	assert_string_equal(end.reason, "exit");
	assert_int_equal(end.status, 3);
	assert_string_equal(end.output, "two\n\"lines\"");
	assert_true(end.seconds == 1.5 && end.cpu_seconds == 1.25);
	assert_int_equal(end.peak_bytes, 5ull << 32);
	remove_folder(&f);
}

/* A report of a program that was stopped from outside, by any of these signals, is removed with how it ended; those of
 * others stay. */
static void what_was_stopped_runs_again(void **state)
{
	(void)state;
	static const struct {
		int number;
		bool stays;
	} cases[] = {{SIGINT, false}, {SIGTERM, false}, {SIGHUP, false}, {SIGQUIT, false}, {SIGKILL, false},
		{SIGXCPU, false}, {SIGABRT, true}, {SIGSEGV, true}, {0, true}};
	struct folder f = make_folder(plain);
	struct points points = points_of(&f);
	const struct point *p = &points.points.at[0];
	struct diagnostic diagnostic = {0};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		write_result(&f, p, "json",
			arena_printf(&f.arena, "{\"program\": {\"%s\": %d}}", cases[k].number ? "signal" : "status",
				cases[k].number));
		assert_true(
			end_write(p, f.path, &(struct end){.reason = "exit", .date = "", .output = ""}, &diagnostic));
		assert_int_equal(end_has_result(p, f.path), cases[k].stays);
		assert_true(end_is_there(p, f.path));
		assert_int_equal(end_keep_result(p, f.path), cases[k].stays);
		assert_int_equal(end_is_there(p, f.path), cases[k].stays);
		assert_int_equal(!access(points_file(&f.arena, p, f.path, "json"), F_OK), cases[k].stays);
	}
	/* How it ended is text that people can read: indented, and with paths as they are. */
	assert_true(end_write(p, f.path,
		&(struct end){.reason = "exit", .date = "2026-01-02", .output = "/a/b", .seconds = 1}, &diagnostic));
	size_t length;
	const char *text = text_read_file(&f.arena, points_file(&f.arena, p, f.path, "end"), &length, &diagnostic);
	assert_non_null(strstr(text, "\n  \"output\":"));
	assert_non_null(strstr(text, "\"/a/b\""));
	struct end end = {.reason = "before"};
	write_result(&f, p, "end", "{\"reason\": \"exit\", \"status\": \"3\"}");
	struct diagnostic damaged = {0};
	assert_false(end_read(&f.arena, p, f.path, &end, &damaged));
	assert_non_null(
		strstr(damaged.message, ".end: status: expected a whole number from 0 to 2147483647, got a string"));
	assert_string_equal(end.reason, "before");
	write_result(&f, p, "end", "{}");
	assert_true(end_read(&f.arena, p, f.path, &end, &diagnostic));
	assert_string_equal(end.reason, "");
	assert_string_equal(end.date, "");
	remove_folder(&f);
}

/* On a cluster: a NAME.end alone is a point's last unless a signal from outside ended its `lockstep run`. */
static void an_end_from_outside_is_not_the_last(void **state)
{
	(void)state;
	static const struct {
		struct end end;
		bool is_last;
	} cases[] = {{{"exit", 2, 1, "", "", 1, 0}, true}, {{"exit", SIGKILL, 1, "", "", 1, 0}, true},
		{{"signal", SIGSEGV, 1, "", "", 1, 0}, true}, {{"signal", SIGKILL, 1, "", "", 1, 0}, false},
		{{"signal", SIGTERM, 1, "", "", 1, 0}, false}, {{"time limit", SIGKILL, 1, "", "", 1, 0}, true}};
	struct folder f = make_folder(plain);
	struct points points = points_of(&f);
	const struct point *p = &points.points.at[0];
	struct diagnostic diagnostic = {0};
	assert_false(end_is_last(p, f.path));
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		assert_true(end_write(p, f.path, &cases[k].end, &diagnostic));
		assert_int_equal(end_is_last(p, f.path), cases[k].is_last);
	}
	write_result(&f, p, "json", "{\"program\": {\"status\": 0}}");
	assert_true(end_is_last(p, f.path));
	write_result(&f, p, "json", "{\"program\": {\"signal\": 9}}");
	assert_false(end_is_last(p, f.path));
	remove_folder(&f);
}

/* ---- Options ---- */

#define MOST_WORDS 10
#define CLUSTER_ALONE                                                                                                  \
	"lockstep experiment: --partition, --account, --memory and --sbatch are for a cluster, expected --on slurm "   \
	"beside them"

static const char *only[] = {"s", "t"};

static void options_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *words[MOST_WORDS];
		const char *message; /* null: they are right */
		struct experiment_options expected;
	} cases[] = {
		{{"x"}, NULL, {.name = "x", .jobs = 0}},
		{{"x", "--size", "paper", "-j", "3"}, NULL, {.name = "x", .size = SIZE_PAPER, .jobs = 3}},
		{{"--size=small", "-j1024", "x"}, NULL, {.name = "x", .size = SIZE_SMALL, .jobs = 1024}},
		{{"x", "--jobs", "1", "--only", "s", "--output=o", "--only=t"}, NULL,
			{.name = "x", .jobs = 1, .only = {.at = only, .count = 2}, .output = "o"}},
		{{"x", "--points", "--strict"}, NULL, {.name = "x", .points = true, .strict = true}},
		{{"x", "--collect"}, NULL, {.name = "x", .collect = true}},
		{{"-h", "--nonsense"}, NULL, {.help = true}},
		{{"x", "--on=slurm", "--sbatch=--a", "--sbatch=--b", "--memory=7", "--partition=p",
			 "--task-seconds=0.5"},
			NULL, {.name = "x", .on_slurm = true, .memory_mib = 7, .partition = "p", .task_seconds = 0.5}},
		{{"x", "--task=f"}, NULL, {.name = "x", .task = "f"}},
		{{"x", "--seeds", "1000000"}, NULL, {.name = "x", .seeds = 1000000}},
		{{"x", "--seeds=1", "--task-seconds", "1e6"}, NULL, {.name = "x", .seeds = 1, .task_seconds = 1e6}},
		{{"x", "--on=slurm", "--sbatch=--a", "--sbatch=--b", "--account", "a", "--memory", "1073741824", "-j1"},
			NULL, {.name = "x", .on_slurm = true, .account = "a", .memory_mib = 1 << 30, .jobs = 1}},
		{{"x", "--on=slurm", "--memory=1073741825"},
			"--memory 1073741825: expected MiB, a whole number from 1 to 2^30", {0}},
		{{"x", "--on=slurm", "--memory=x"}, "--memory x: expected MiB, a whole number from 1 to 2^30", {0}},
		{{"x", "--task-seconds=1000001"}, "--task-seconds 1000001: expected a number above 0, at most 10^6",
			{0}},
		{{"x", "--task-seconds=x"}, "--task-seconds x: expected a number above 0, at most 10^6", {0}},
		{{"x", "--seeds=0"}, "--seeds 0: expected a whole number from 1 to 1000000", {0}},
		{{"x", "--seeds=1000001"}, "--seeds 1000001: expected a whole number from 1 to 1000000", {0}},
		{{"x", "--seeds=1.5"}, "--seeds 1.5: expected a whole number from 1 to 1000000", {0}},
		{{"x", "--strict=1"}, "lockstep experiment: --strict takes no value", {0}},
		{{"x", "-strict"},
			"lockstep experiment: unknown option '-strict', expected one that `lockstep experiment --help` "
			"lists",
			{0}},
		{{"x", "-size=small"},
			"lockstep experiment: unknown option '-size=small', expected one that `lockstep experiment "
			"--help` lists",
			{0}},
		{{"x", "--sise=small"}, "lockstep experiment: unknown option '--sise', did you mean '--size'?", {0}},
		{{"x", "--zzz", "y"},
			"lockstep experiment: unknown option '--zzz', expected one that `lockstep experiment --help` "
			"lists",
			{0}},
		{{"--strict"},
			"lockstep experiment: no experiment, expected list, a name that `lockstep experiment list` "
			"gives, or a folder",
			{0}},
		{{"x", "--partition=a"}, CLUSTER_ALONE, {0}},
		{{"x", "--memory=5"}, CLUSTER_ALONE, {0}},
		{{"x", "--sbatch=--a"}, CLUSTER_ALONE, {0}},
		{{"x", "--on=slurm", "--points"}, "lockstep experiment: --on excludes --points, --collect and --task",
			{0}},
		{{"x", "--on=slurm", "--task=f"}, "lockstep experiment: --on excludes --points, --collect and --task",
			{0}},
		{{"x", "--points", "--collect"}, "lockstep experiment: --points and --collect exclude each other", {0}},
		{{"x", "--on", "pbs"}, "--on pbs: expected slurm", {0}},
		{{"x", "--on=slurm", "--memory=0"}, "--memory 0: expected MiB, a whole number from 1 to 2^30", {0}},
		{{"x", "--task-seconds=0"}, "--task-seconds 0: expected a number above 0, at most 10^6", {0}},
		{{"x", "--on=slurm", "--sbatch=-Cfast", "--sbatch", "--b"}, NULL, {.name = "x", .on_slurm = true}},
		{{"x", "--on=slurm", "--sbatch", "a"},
			"--sbatch a: expected an option of sbatch, such as --sbatch=--constraint=fast", {0}},
		{{"x", "--account=a"}, CLUSTER_ALONE, {0}},
		{{"x", "--on=slurm", "--collect"}, "lockstep experiment: --on excludes --points, --collect and --task",
			{0}},
		{{"-"}, NULL, {.name = "-"}},
		{{"x", "-j1025"}, "--jobs 1025: expected a whole number from 1 to 1024", {0}},
		{{"x", "-j", "1.5"}, "--jobs 1.5: expected a whole number from 1 to 1024", {0}},
		{{"x", "-j"}, "lockstep experiment: -j: expected a value (N)", {0}},
		{{"x", "--only"}, "lockstep experiment: --only: expected a value (SET)", {0}},
		{{"x", "--output="}, "--output '': expected a folder", {0}},
		{{"x", "y"}, "lockstep experiment: unexpected 'y', expected one experiment ('x')", {0}},
		{{"x", "--helpp"}, "lockstep experiment: unknown option '--helpp', did you mean '--help'?", {0}},
		{{"x", "-s"},
			"lockstep experiment: unknown option '-s', expected one that `lockstep experiment --help` "
			"lists",
			{0}},
		{{"x", "--zzzzzz=1"},
			"lockstep experiment: unknown option '--zzzzzz', expected one that `lockstep experiment "
			"--help` lists",
			{0}},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct arena arena = {0};
		struct diagnostic diagnostic = {0};
		struct experiment_options o;
		const struct experiment_options *e = &cases[k].expected;
		char *words[MOST_WORDS + 2] = {(char[]){"experiment"}};
		int count = 1;
		for (; cases[k].words[count - 1]; count++)
			words[count] = arena_printf(&arena, "%s", cases[k].words[count - 1]);
		assert_int_equal(experiment_options_read(&arena, &o, count, words, &diagnostic), !cases[k].message);
		if (cases[k].message) {
			assert_string_equal(diagnostic.message, cases[k].message);
		} else {
			assert_string_equal(o.name ? o.name : "", e->name ? e->name : "");
			assert_int_equal(o.only.count, e->only.count);
			for (uint32_t n = 0; n < e->only.count; n++)
				assert_string_equal(o.only.at[n], e->only.at[n]);
			assert_string_equal(o.output ? o.output : "", e->output ? e->output : "");
			assert_int_equal(o.size, e->size);
			assert_int_equal(o.jobs, e->jobs);
			assert_int_equal(o.on_slurm, e->on_slurm);
			assert_int_equal(o.memory_mib, e->memory_mib);
			assert_true(o.task_seconds == (e->task_seconds > 0 ? e->task_seconds : 60));
			assert_string_equal(o.partition ? o.partition : "", e->partition ? e->partition : "");
			assert_string_equal(o.task ? o.task : "", e->task ? e->task : "");
			assert_int_equal(o.sbatch.count, e->on_slurm ? 2 : 0);
			assert_true(!o.sbatch.count || !strcmp(o.sbatch.at[1], "--b"));
			assert_string_equal(o.account ? o.account : "", e->account ? e->account : "");
			assert_int_equal(o.seeds, e->seeds);
			assert_int_equal(o.points, e->points);
			assert_int_equal(o.collect, e->collect);
			assert_int_equal(o.strict, e->strict);
			assert_int_equal(o.help, e->help);
		}
		arena_free(&arena);
	}
}

/* ---- Claims ---- */

/* With a `?` before the kind: and with an explanation of values from 1 to 1.25. */
static struct verdict verdict_of(struct arena *arena, const char *kind, const char *paper, const char *values)
{
	double *holds = arena_new_array(arena, double, 2);
	struct claim claim = {
		.kind = kind + (*kind == '?'), .paper = paper, .tolerance = strstr(kind, "points") ? 10 : 0.35};
	const char *each[8];
	uint32_t count = 0;
	holds[0] = 1;
	holds[1] = 1.25;
	if (*kind == '?') {
		claim.explanation = "why";
		claim.holds = (struct numbers){holds, 2};
	}
	for (const char *at = values; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		each[count++] = arena_copy(arena, at, length);
		at += length;
	}
	return judge_values(arena, &claim, each, count);
}

static void claims_are_judged_by_their_kind(void **state)
{
	(void)state;
	static const struct {
		const char *kind, *paper, *values;
		enum judgement judgement;
	} cases[] = {
		{"exact", "9216", "9216", CLAIM_MET},
		{"exact", "1", "1.0", CLAIM_MET},
		{"exact", "1", "0.999", CLAIM_NOT_MET},
		{"?exact", "1", "0.999", CLAIM_EXPLAINED},
		{"exact", "yes", "yes", CLAIM_MET},
		{"exact", "yes", "no", CLAIM_NOT_MET},
		{"exact", "1", "one", CLAIM_NOT_MET},
		{"exact", "0", "none", CLAIM_NOT_MET},
		{"exact", "none", "0", CLAIM_NOT_MET},
		{"verdict", "deadlock", "deadlock", CLAIM_MET},
		{"verdict", "deadlock", "completed", CLAIM_NOT_MET},
		{"verdict", "1", "1.0", CLAIM_NOT_MET},
		{"trend", "grows", "1", CLAIM_MET},
		{"trend", "grows", "0", CLAIM_NOT_MET},
		{"trend", "grows", "yes", CLAIM_NOT_MET},
		{"trend", "falls", "-0.5", CLAIM_MET},
		{"?trend", "falls", "0", CLAIM_EXPLAINED},
		/* Seeds that differ. */
		{"trend", "grows", "1 1 1", CLAIM_MET},
		{"trend", "grows", "1 0 1", CLAIM_UNSURE},
		{"?trend", "grows", "1 0 1", CLAIM_UNSURE},
		{"trend", "grows", "0 0", CLAIM_NOT_MET},
		{"verdict", "hang", "hang ends", CLAIM_UNSURE},
		/* At the tolerance, 0.35, itself, and a little beyond, on both sides. */
		{"ratio", "2", "2.7", CLAIM_MET},
		{"ratio", "2", "1.3", CLAIM_MET},
		{"ratio", "2", "2.70000001", CLAIM_NOT_MET},
		{"ratio", "2", "1.29999999", CLAIM_NOT_MET},
		{"ratio", "-2", "-2.7", CLAIM_MET},
		{"ratio", "-2", "-1.2", CLAIM_NOT_MET},
		{"ratio", "0", "0", CLAIM_MET},
		{"ratio", "0", "0.001", CLAIM_NOT_MET},
		{"ratio", "2", "much", CLAIM_NOT_MET},
		{"?ratio", "2", "much", CLAIM_NOT_MET},
		/* The effect, in powers of 2: 0.75 is 1.6818, 1.25 is 2.3784. */
		{"factor", "2", "1.6818", CLAIM_MET},
		{"factor", "2", "1.6817", CLAIM_DIRECTION},
		{"factor", "2", "2.3784", CLAIM_MET},
		{"factor", "2", "2.3785", CLAIM_DIRECTION},
		/* From the root of 2 to its square; log2(1.4) = 0.485, log2(4.1) = 2.036. */
		{"factor", "2", "1.41421356237310", CLAIM_DIRECTION},
		{"factor", "2", "4", CLAIM_DIRECTION},
		{"factor", "2", "1.4", CLAIM_NOT_MET},
		{"factor", "2", "4.1", CLAIM_NOT_MET},
		{"factor", "2", "1", CLAIM_NOT_MET},
		{"factor", "2", "0.5", CLAIM_NOT_MET},
		{"factor", "2", "0", CLAIM_NOT_MET},
		{"factor", "0.5", "0.59", CLAIM_MET},
		{"factor", "0.5", "0.6", CLAIM_DIRECTION},
		{"factor", "0.5", "2", CLAIM_NOT_MET},
		/* A small effect is judged as one: of +70 %, +11 % is 0.197. */
		{"factor", "1.7", "1.11", CLAIM_NOT_MET},
		{"factor", "1.7", "1.31", CLAIM_DIRECTION},
		{"factor", "1.7", "1.5", CLAIM_MET},
		/* Seeds on both sides of a bound. */
		{"factor", "2", "1.6 1.6 1.75 1.75", CLAIM_UNSURE},
		{"factor", "2", "1.5 1.5 1.55 1.55", CLAIM_DIRECTION},
		{"factor", "2", "1.4 1.4 1.45 1.45", CLAIM_UNSURE},
		/* What the paper bounds. */
		{"range", "2.6 to 4.3", "2.6", CLAIM_MET},
		{"range", "2.6 to 4.3", "4.3", CLAIM_MET},
		{"range", "2.6 to 4.3", "2.59", CLAIM_NOT_MET},
		{"range", "2.6 to 4.3", "4.31", CLAIM_NOT_MET},
		{"range", "-2 to -1", "-1.5", CLAIM_MET},
		{"range", "2.6 to 4.3", "4.2 4.2 4.4 4.4", CLAIM_UNSURE},
		{"?range", "2.6 to 4.3", "1.1", CLAIM_EXPLAINED},
		{"atmost", "64", "64", CLAIM_MET},
		{"atmost", "64", "-374", CLAIM_MET},
		{"atmost", "64", "64.1", CLAIM_NOT_MET},
		{"atmost", "64", "63 63 65 65", CLAIM_UNSURE},
		{"?atmost", "1", "1.5", CLAIM_STALE},
		{"atleast", "64", "64", CLAIM_MET},
		{"atleast", "64", "374", CLAIM_MET},
		{"atleast", "64", "63.9", CLAIM_NOT_MET},
		{"atleast", "64", "much", CLAIM_NOT_MET},
		/* Within 10, and within half of the paper's value. */
		{"points", "98.3", "64", CLAIM_NOT_MET},
		{"points", "98.3", "89", CLAIM_MET},
		{"points", "98.3", "88", CLAIM_NOT_MET},
		{"points", "4", "6", CLAIM_MET},
		{"points", "4", "6.1", CLAIM_NOT_MET},
		{"points", "4", "1.9", CLAIM_NOT_MET},
		{"points", "-4", "-5", CLAIM_MET},
		{"points", "0", "0", CLAIM_MET},
		{"points", "0", "0.01", CLAIM_NOT_MET},
		/* An explanation is of its values alone. */
		{"?factor", "2", "1.25", CLAIM_EXPLAINED},
		{"?factor", "2", "1.01", CLAIM_EXPLAINED},
		{"?factor", "2", "1.26", CLAIM_STALE},
		{"?factor", "2", "0.99", CLAIM_STALE},
		{"?factor", "2", "1.5", CLAIM_DIRECTION},
		{"?factor", "2", "1.9", CLAIM_MET},
	};
	struct arena arena = {0};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		if (verdict_of(&arena, cases[k].kind, cases[k].paper, cases[k].values).judgement != cases[k].judgement)
			fail_msg("%s %s: %s", cases[k].kind, cases[k].paper, cases[k].values);
	arena_free(&arena);
}

/* Of 9, 10, 11, 10, 10: mean 10, deviation sqrt(2 / 4), t of 4 degrees 2.776: half 2.776 * sqrt(0.5 / 5) = 0.87785. */
static void several_seeds_have_an_interval(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct verdict v = verdict_of(&arena, "ratio", "10", "9 10 11 10 10");
	assert_int_equal(v.seeds, 5);
	assert_string_equal(v.ours, "10");
	assert_true(fabs(v.low - (10 - 0.87785)) < 1e-5 && fabs(v.high - (10 + 0.87785)) < 1e-5);
	assert_int_equal(v.judgement, CLAIM_MET);
	/* 7.9 and 35 % are 10.67, 6 and 35 % 8.1, 15 less 35 % 9.75 */
	assert_int_equal(verdict_of(&arena, "ratio", "7.9", "9 10 11 10 10").judgement, CLAIM_UNSURE);
	assert_int_equal(verdict_of(&arena, "ratio", "6", "9 10 11 10 10").judgement, CLAIM_NOT_MET);
	assert_int_equal(verdict_of(&arena, "ratio", "15", "9 10 11 10 10").judgement, CLAIM_UNSURE);
	/* Seeds that change nothing have no interval, as one seed has none. */
	v = verdict_of(&arena, "points", "10", "9 9 9");
	assert_true(isnan(v.low) && isnan(v.high));
	assert_int_equal(v.judgement, CLAIM_MET);
	assert_true(isnan(verdict_of(&arena, "factor", "10", "9 9 9").low));
	assert_true(isnan(verdict_of(&arena, "points", "10", "9").low));
	assert_true(isnan(verdict_of(&arena, "trend", "grows", "1 1").low));
	/* A factor's mean is the geometric one; its interval that of the logarithms, t of 1 degree 12.706. */
	v = verdict_of(&arena, "factor", "2", "1 4");
	assert_true(fabs(strtod(v.ours, NULL) - 2) < 1e-12);
	assert_true(fabs(v.ratio - 1) < 1e-12);
	assert_true(fabs(log(v.high) - (log(2) + 12.706 * log(2))) < 1e-3);
	assert_int_equal(v.judgement, CLAIM_UNSURE);
	arena_free(&arena);
}

static void ratios_are_ours_by_the_papers(void **state)
{
	(void)state;
	struct arena arena = {0};
	assert_true(verdict_of(&arena, "ratio", "2", "3").ratio == 1.5);
	assert_true(isnan(verdict_of(&arena, "trend", "1", "1").ratio));
	assert_true(isnan(verdict_of(&arena, "exact", "0", "0.1").ratio));
	assert_true(isnan(verdict_of(&arena, "ratio", "2", "much").ratio));
	assert_true(isnan(verdict_of(&arena, "ratio", "0", "1").ratio));
	assert_true(isnan(verdict_of(&arena, "points", "0", "0").ratio));
	assert_true(fabs(verdict_of(&arena, "factor", "4", "2").ratio - 0.5) < 1e-12);
	assert_true(verdict_of(&arena, "atmost", "4", "2").ratio == 0.5);
	assert_true(isnan(verdict_of(&arena, "range", "2 to 4", "3").ratio));
	assert_string_equal(verdict_of(&arena, "ratio", "2", "3").ours, "3");
	arena_free(&arena);
}

/* ---- The database ---- */

static struct answer ask(struct arena *arena, const char *sql, struct diagnostic *diagnostic)
{
	struct diagnostic none = {0};
	sqlite3 *db = database_open(NULL, &none);
	assert_non_null(db);
	assert_true(database_run(db, "CREATE TABLE runs(x, [sync__a.sum]); INSERT INTO runs VALUES (2, 1), (8, NULL);",
		(struct place){0}, &none));
	struct answer answer = database_ask(arena, db, sql, (struct place){.file = "e.cfg", .line = 7}, diagnostic);
	sqlite3_close(db);
	return answer;
}

static void questions_are_answered(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct answer a = ask(&arena, "SELECT exp(avg(ln(x))), x * 0.1 AS tenth, [sync__a.sum] FROM runs", &diagnostic);
	assert_int_equal(a.kind, ANSWER_VALUES);
	assert_int_equal(a.rows, 1);
	assert_string_equal(a.values[0], "4");
	assert_string_equal(a.names[1], "tenth");
	assert_null(ask(&arena, "SELECT avg(x) FROM runs WHERE x > 9", &diagnostic).values[0]);
	assert_int_equal(ask(&arena, "SELECT x FROM runs WHERE x > 9", &diagnostic).rows, 0);
	a = ask(&arena, "SELECT x, [sync__a.sum], 1.0 / 3, 'text', 1e300, 12345678901234567 FROM runs", &diagnostic);
	assert_int_equal(a.rows, 2);
	assert_int_equal(a.columns, 6);
	static const char *const second[] = {"8", NULL, "0.333333333333333", "text", "1e+300", "12345678901234567"};
	for (uint32_t k = 0; k < 6; k++)
		if (second[k])
			assert_string_equal(a.values[6 + k], second[k]);
		else
			assert_null(a.values[6 + k]);
	assert_false(diagnostic.failed);
	arena_free(&arena);
}

static void counters_that_are_not_there_are_told_from_mistakes(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct answer a = ask(&arena, "SELECT r.[energy__total.sum] FROM runs r", &diagnostic);
	assert_int_equal(a.kind, ANSWER_MISSING);
	assert_string_equal(a.missing, "energy__total.sum");
	assert_false(diagnostic.failed);
	assert_int_equal(ask(&arena, "SELECT cycles FROM runs", &diagnostic).kind, ANSWER_WRONG);
	assert_string_equal(diagnostic.message, "e.cfg:7: the database says: no such column: cycles");
	diagnostic = (struct diagnostic){0};
	assert_int_equal(ask(&arena, "SELECT \"cycles\" FROM runs", &diagnostic).kind, ANSWER_WRONG);
	diagnostic = (struct diagnostic){0};
	assert_int_equal(ask(&arena, "SELEKT 1", &diagnostic).kind, ANSWER_WRONG);
	assert_string_equal(diagnostic.message, "e.cfg:7: the database says: near \"SELEKT\": syntax error");
	diagnostic = (struct diagnostic){0};
	assert_int_equal(ask(&arena, "", &diagnostic).kind, ANSWER_WRONG);
	assert_true(diagnostic.failed);
	arena_free(&arena);
}

static void mistakes_in_a_file_of_sql_have_its_line(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	sqlite3 *db = database_open(NULL, &diagnostic);
	assert_false(database_run(db, "-- one\nCREATE VIEW v AS SELECT 1;\n\nCREATE VIEW w AS\nSELEKT 2;\n",
		(struct place){.file = "v.sql", .line = 1}, &diagnostic));
	assert_string_equal(diagnostic.message, "v.sql:5: the database says: near \"SELEKT\": syntax error");
	sqlite3_close(db);
}

/* Several statements, each from where it begins; rows that they give are passed over.  Without a line, an error has
 * none. */
static void statements_run_one_behind_another(void **state)
{
	(void)state;
	static const struct {
		const char *sql;
		uint32_t line;
		const char *message; /* null: it is right */
	} cases[] = {
		{"CREATE TABLE t(x); INSERT INTO t VALUES (1), (2), (3); SELECT x FROM t; INSERT INTO t VALUES (4); -- "
		 "end\n",
			1, NULL},
		{"", 1, NULL},
		{"SELECT 1;\nSELECT x\n FROM\n nowhere;", 5, "f.sql:6: the database says: no such table: nowhere"},
		{"SELECT 1;\n\n\nINSERT INTO u VALUES (1);", 0, "f.sql: the database says: no such table: u"},
		{"SELECT 1;\n\n INSERT INTO t VALUES (1, 2);", 7,
			"f.sql:9: the database says: table t has 1 columns but 2 values were supplied"},
		{"SELECT 'a'; SELECT \"a\";", 1, "f.sql:1: the database says: no such column: a"},
	};
	struct arena arena = {0};
	struct diagnostic none = {0};
	sqlite3 *db = database_open(NULL, &none);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct diagnostic diagnostic = {0};
		assert_int_equal(database_run(db, cases[k].sql, (struct place){.file = "f.sql", .line = cases[k].line},
					 &diagnostic),
			!cases[k].message);
		assert_string_equal(
			diagnostic.failed ? diagnostic.message : "", cases[k].message ? cases[k].message : "");
	}
	assert_string_equal(
		database_ask(&arena, db, "SELECT count(*) FROM t", (struct place){0}, &none).values[0], "4");
	/* A statement that is no question, and nothing. */
	assert_int_equal(database_ask(&arena, db, "CREATE TABLE v(x)", (struct place){0}, &none).kind, ANSWER_WRONG);
	none = (struct diagnostic){0};
	assert_int_equal(database_ask(&arena, db, "  ", (struct place){0}, &none).kind, ANSWER_WRONG);
	assert_string_equal(none.message, "the database says: this is no question");
	none = (struct diagnostic){0};
	struct answer a = database_ask(&arena, db, "SELECT 1 WHERE 0", (struct place){0}, &none);
	assert_int_equal(a.kind, ANSWER_VALUES);
	assert_int_equal(a.rows, 0);
	assert_int_equal(a.columns, 1);
	/* Errors while it runs, and names with several dots. */
	assert_int_equal(database_ask(&arena, db, "SELECT json('{')", (struct place){0}, &none).kind, ANSWER_WRONG);
	assert_string_equal(none.message, "the database says: malformed JSON");
	none = (struct diagnostic){0};
	a = database_ask(&arena, db, "SELECT main.t.[a.b__c.d] FROM t", (struct place){0}, &none);
	assert_int_equal(a.kind, ANSWER_MISSING);
	assert_string_equal(a.missing, "b__c.d");
	assert_int_equal(database_ask(&arena, db, "SELECT x FROM a__b", (struct place){0}, &none).kind, ANSWER_WRONG);
	assert_string_equal(none.message, "the database says: no such table: a__b");
	sqlite3_close(db);
	none = (struct diagnostic){0};
	assert_null(database_open("/nowhere/at/all", &none));
	assert_string_equal(none.message, "/nowhere/at/all: cannot open the database: unable to open database file");
	arena_free(&arena);
}

/* ---- Figures ---- */

/* What a figure of this shape makes of four rows; the error, if any, in `diagnostic`. */
static struct drawing drawn(struct arena *arena, const char *shape, const char *rows, struct diagnostic *diagnostic)
{
	struct diagnostic none = {0};
	struct points points = {0};
	struct figure figure = {.id = "f", .shape = shape, .rows = rows, .place = {.file = "e.cfg", .line = 9}};
	struct drawing drawing = {0};
	sqlite3 *db = database_open(NULL, &none);
	assert_true(database_run(db,
		"CREATE TABLE t(g, b, s, v);"
		"INSERT INTO t VALUES ('x', 1, 'low', 1), ('x', 1, 'high', 2), ('x', 2, 'high', 3), ('y', 1, 'low', 4)",
		(struct place){0}, &none));
	struct samples samples = {.count = 1, .db = &db};
	draw_table(arena, db, &samples, &figure, &points, NULL, &drawing, diagnostic);
	sqlite3_close(db);
	return drawing;
}

static void series_become_columns(void **state)
{
	(void)state;
	static const char *const expected[] = {"x", "1", "1", "2", "x", "2", NULL, "3", "y", "1", "4", NULL};
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct drawing d = drawn(&arena, "stacks", "SELECT * FROM t", &diagnostic);
	assert_int_equal(d.keys, 2);
	assert_int_equal(d.columns, 4);
	assert_int_equal(d.rows, 3);
	assert_string_equal(d.names[3], "high");
	for (uint32_t k = 0; k < 12; k++) {
		assert_int_equal(d.values[k] != NULL, expected[k] != NULL);
		if (expected[k])
			assert_string_equal(d.values[k], expected[k]);
	}
	d = drawn(&arena, "table", "SELECT * FROM t", &diagnostic);
	assert_int_equal(d.columns, 4);
	assert_int_equal(d.rows, 4);
	assert_false(diagnostic.failed);
	arena_free(&arena);
}

static void what_a_figure_cannot_show_is_said(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	assert_string_equal(drawn(&arena, "bars", "SELECT g, s, [sync__x.sum] FROM t", &diagnostic).why,
		"no result has the counter sync__x.sum");
	assert_non_null(drawn(&arena, "bars", "SELECT g, s, v FROM t WHERE v > 9", &diagnostic).why);
	assert_false(diagnostic.failed);
	drawn(&arena, "stacks", "SELECT g, s, v FROM t", &diagnostic);
	assert_string_equal(
		diagnostic.message, "e.cfg:9: the rows have 3 columns, expected 4: group, bar, part, value");
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_is_read),
		cmocka_unit_test(what_is_wrong_in_a_plan_is_said_with_its_line),
		cmocka_unit_test(figures_and_limits_are_checked),
		cmocka_unit_test(what_is_left_out_has_a_default),
		cmocka_unit_test(products_have_an_order),
		cmocka_unit_test(points_are_all_combinations),
		cmocka_unit_test(sets_share_points),
		cmocka_unit_test(keys_follow_what_is_run),
		cmocka_unit_test(keys_follow_each_program_alone),
		cmocka_unit_test(keys_tell_points_apart),
		cmocka_unit_test(keys_follow_models_that_are_files),
		cmocka_unit_test(a_missing_program_is_said),
		cmocka_unit_test(a_part_of_a_result_is_none),
		cmocka_unit_test(what_was_stopped_runs_again),
		cmocka_unit_test(an_end_from_outside_is_not_the_last),
		cmocka_unit_test(options_are_read),
		cmocka_unit_test(claims_are_judged_by_their_kind),
		cmocka_unit_test(several_seeds_have_an_interval),
		cmocka_unit_test(ratios_are_ours_by_the_papers),
		cmocka_unit_test(questions_are_answered),
		cmocka_unit_test(counters_that_are_not_there_are_told_from_mistakes),
		cmocka_unit_test(mistakes_in_a_file_of_sql_have_its_line),
		cmocka_unit_test(statements_run_one_behind_another),
		cmocka_unit_test(series_become_columns),
		cmocka_unit_test(what_a_figure_cannot_show_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
