/* experiment.cfg, further: everything that may be written is read, limits, columns, and what must fit together
 * (experiment_test.c has the most usual mistakes); and the points that a plan makes. */
#include "experiment_harness.h"

#include "experiment/plan.h"

/* A plan that uses every key. */
static const char everything[] =
	"title = \"t\"; paper = \"p\"; text = \"x\"; views = \"v.sql\"; time_limit = { small = 1.5; paper = 20; }; "
	"fixed_starts = true;\n"
	"programs = ( { name = \"prog\"; file = \"p\"; sources = [\"k.cl\", \"experiment.cfg\"]; arguments = { small = "
	"\"-s\"; paper = \"-p\"; }; seconds = { small = 2; paper = 0.5; }; } );\n"
	"benchmarks = ( { name = \"B\"; program = \"prog\"; kernels = \"k\"; } );\n"
	"policies = ( { name = \"plain\"; options = \"\"; }, { name = \"other\"; options = \"-o\"; } );\n"
	"variations = ( { name = \"more\"; arguments = \"-m\"; value = -2.5; }, { name = \"less\"; arguments = { small "
	"= "
	"\"\"; paper = \"-l\"; }; value = 7; } );\n"
	"sets = ( { name = \"first\"; text = \"of it\"; programs = [\"prog\"]; gpus = [\"g\", \"h\"]; policies = "
	"[\"plain\", \"other\"]; variations = [\"more\", \"less\"]; seeds = [3L, 1L, 9007199254740992L]; may_fail = "
	"true; "
	"size = \"paper\"; },\n"
	"  { name = \"second\"; programs = \"prog\"; gpus = \"g\"; policies = \"plain\"; seeds = [4]; may_fail = "
	"false; } "
	");\n"
	"controls = ( { name = \"c\"; text = \"of c\"; policies = \"plain\"; by = \"other\"; variations = \"more\"; "
	"by_variations = \"less\"; },\n"
	"  { name = \"d\"; parameter = \"q\"; policies = [\"plain\"]; by = [\"other\"]; } );\n"
	"claims = ( { id = \"A\"; part = \"one\"; where = \"II\"; metric = \"m\"; kind = \"points\"; role = "
	"\"fitted\"; "
	"parameter = \"q\"; unit = \" %\"; paper = 2.5; value = \"SELECT 1\"; sets = [\"first\", \"second\"]; programs "
	"= "
	"\"prog\"; policies = [\"plain\"]; variations = [\"\", \"more\"]; seeds = [3]; tolerance = 1e-9; explanation = "
	"\"e\"; holds = [1, 1]; },\n"
	"  { id = \"A\"; part = \"two\"; metric = \"m\"; kind = \"points\"; role = \"confirmed\"; unit = \" %\"; paper "
	"= "
	"12345678901L; value = \"SELECT 1\"; sets = \"first\"; },\n"
	"  { id = \"A\"; metric = \"m\"; kind = \"points\"; role = \"confirmed\"; unit = \"ms\"; paper = \"1.50\"; "
	"value = "
	"\"SELECT 1\"; sets = \"first\"; },\n"
	"  { id = \"D\"; metric = \"m\"; kind = \"points\"; role = \"definition\"; paper = 1; value = \"SELECT 1\"; "
	"sets = "
	"\"first\"; tolerance = 1000; },\n"
	"  { id = \"E\"; metric = \"m\"; kind = \"trend\"; role = \"other-machine\"; paper = \"so\"; value = \"SELECT "
	"1\"; "
	"sets = \"first\"; explanation = \"e\"; } );\n"
	"figures = ( { id = \"f\"; title = \"F\"; caption = \"C\"; paper = \"P\"; shape = \"lines\"; rows = \"SELECT "
	"1\"; "
	"marks = \"SELECT 2\"; sets = \"first\"; programs = \"prog\"; policies = \"other\"; variations = \"less\"; "
	"template = \"t.gp\"; setup = \"s\"; width = 100; },\n"
	"  { id = \"g\"; title = \"G\"; shape = \"table\"; rows = \"SELECT 1\"; sets = \"second\"; height = 10000; } "
	");\n";

static void everything_is_read(void **state)
{
	(void)state;
	struct folder f = make_folder(everything);
	struct plan *p = plan_of(&f);
	assert_string_equal(p->title, "t");
	assert_string_equal(p->paper, "p");
	assert_string_equal(p->text, "x");
	assert_string_equal(p->views, "v.sql");
	assert_true(p->fixed_starts);
	assert_true(p->time_limit[SIZE_SMALL] == 1.5 && p->time_limit[SIZE_PAPER] == 20);
	const struct program *program = plan_program(p, "prog");
	assert_ptr_equal(program, p->programs.at);
	assert_int_equal(program->sources.count, 2);
	assert_string_equal(program->sources.at[1], "experiment.cfg");
	assert_string_equal(program->arguments[SIZE_SMALL], "-s");
	assert_string_equal(program->arguments[SIZE_PAPER], "-p");
	assert_true(program->seconds[SIZE_SMALL] == 2 && program->seconds[SIZE_PAPER] == 0.5);
	assert_int_equal(p->benchmarks.at[0].kernels.count, 1);
	assert_string_equal(p->benchmarks.at[0].kernels.at[0], "k");
	assert_string_equal(plan_policy(p, "other")->options, "-o");
	assert_null(plan_policy(p, "more"));
	assert_true(plan_variation(p, "more")->value == -2.5 && plan_variation(p, "less")->value == 7);
	assert_string_equal(plan_variation(p, "more")->arguments[SIZE_PAPER], "-m");
	assert_string_equal(plan_variation(p, "less")->arguments[SIZE_SMALL], "");
	const struct set *s = &p->sets.at[0];
	assert_string_equal(s->text, "of it");
	assert_int_equal(s->gpus.count, 2);
	assert_int_equal(s->seeds.count, 3);
	assert_true(s->seeds.at[0] == 3 && s->seeds.at[2] == 9007199254740992.0);
	assert_string_equal(s->size, "paper");
	assert_true(s->may_fail && !p->sets.at[1].may_fail && !p->sets.at[1].size);
	assert_string_equal(p->controls.at[0].text, "of c");
	assert_string_equal(p->controls.at[0].by_variations.at[0], "less");
	assert_null(p->controls.at[0].parameter);
	assert_string_equal(p->controls.at[1].parameter, "q");
	const struct claim *c = p->claims.at;
	assert_string_equal(plan_claim_words(&f.arena, &c[0]), "m, one");
	assert_string_equal(plan_claim_words(&f.arena, &c[2]), "m");
	assert_string_equal(c[0].paper, "2.5");
	assert_string_equal(c[1].paper, "12345678901");
	assert_string_equal(c[2].paper, "1.50");
	assert_int_equal(c[0].scope.sets.count, 2);
	assert_string_equal(c[0].scope.variations.at[1], "more");
	assert_true(c[0].seeds.count == 1 && c[0].seeds.at[0] == 3);
	assert_true(c[0].holds.count == 2 && c[0].holds.at[1] == 1);
	/* docs/experiments.md: of points 10 of the unit %, else 0.1 */
	assert_true(c[0].tolerance == 1e-9 && c[1].tolerance == 10 && c[2].tolerance == 0.1 && c[3].tolerance == 1000);
	static const enum role roles[] = {
		ROLE_FITTED, ROLE_CONFIRMED, ROLE_CONFIRMED, ROLE_DEFINITION, ROLE_OTHER_MACHINE};
	for (uint32_t k = 0; k < 5; k++)
		assert_int_equal(plan_role(&c[k]), roles[k]);
	const struct figure *figure = p->figures.at;
	assert_string_equal(figure[0].marks, "SELECT 2");
	assert_string_equal(figure[0].scope.variations.at[0], "less");
	assert_string_equal(figure[0].setup, "s");
	assert_true(figure[0].width == 100 && figure[0].height == 380);
	assert_true(figure[1].width == 900 && figure[1].height == 10000);
	assert_null(figure[1].marks);
	plan_limit_seeds(p, 2);
	assert_int_equal(p->sets.at[0].seeds.count, 2);
	assert_true(p->sets.at[0].seeds.at[1] == 1);
	assert_int_equal(p->sets.at[1].seeds.count, 1);
	remove_folder(&f);
}

static void only_some_kinds_judge_numbers(void **state)
{
	(void)state;
	static const char *const kinds[] = {
		"factor", "points", "ratio", "range", "atmost", "atleast", "exact", "verdict", "trend"};
	for (int k = 0; k < 9; k++)
		assert_int_equal(plan_has_numbers(&(struct claim){.kind = kinds[k]}), k < 6);
}

static void what_does_not_fit_is_said(void **state)
{
	(void)state;
	static const struct {
		const char *from, *to, *line; /* null: it is right */
	} cases[] = {
		/* Names, with the nearest. */
		{"policies = \"plain\"; by", "policies = \"plane\"; by",
			":8:14: unknown policy 'plane', did you mean 'plain'?"},
		{"sets = [\"first\", \"second\"]", "sets = [\"first\", \"secund\"]",
			":10:12: unknown set 'secund', did you mean 'second'?"},
		{"variations = [\"\", \"more\"]", "variations = [\"\", \"mor\"]",
			":10:12: unknown variation 'mor', did you mean 'more'?"},
		{"programs = [\"prog\"]", "programs = [\"prog\", \"prag\"]",
			":6:10: unknown program 'prag', did you mean 'prog'?"},
		{"variations = \"more\"; by_variations", "variations = \"moar\"; by_variations",
			":8:14: unknown variation 'moar', did you mean 'more'?"},
		{"policies = \"other\"; variations = \"less\"", "policies = \"othr\"; variations = \"less\"",
			":15:13: unknown policy 'othr', did you mean 'other'?"},
		/* Twice. */
		{"programs = (", "programs = ( { name = \"prog\"; file = \"q\"; },\n",
			":3:2: there are two of program 'prog', expected one"},
		{"name = \"second\"", "name = \"first\"", ":7:3: there are two of set 'first', expected one"},
		{"name = \"d\"", "name = \"c\"", ":9:3: there are two of control 'c', expected one"},
		{"id = \"A\"; part = \"two\"", "id = \"A\"; part = \"one\"",
			":11:3: there are two of claim 'A' with the part 'one', expected one"},
		{"id = \"D\"", "id = \"A\"", ":13:3: there are two of claim 'A' with the part '', expected one"},
		{"name = \"less\"", "name = \"more\"", ":5: there are two of variation 'more', expected one"},
		{"id = \"g\"", "id = \"f\"", ":16:3: there are two of figure 'f', expected one"},
		/* Controls. */
		{"variations = \"more\"; by_variations = \"less\"", "variations = \"more\"",
			":8:14: 'variations' has 1 and 'by_variations' 0, expected none or one for each of the 1 "
			"policies"},
		{"variations = \"more\"; by_variations = \"less\"", "by_variations = \"less\"",
			":8:14: 'variations' has 0 and 'by_variations' 1, expected none or one for each of the 1 "
			"policies"},
		{"variations = \"more\"; by_variations = \"less\"",
			"variations = [\"more\", \"less\"]; by_variations = [\"less\", \"more\"]",
			":8:14: 'variations' has 2 and 'by_variations' 2, expected none or one for each of the 1 "
			"policies"},
		{"policies = [\"plain\"]; by = [\"other\"];", "policies = [\"plain\"]; by = [];",
			":9:3: 'by' has 0 policies, expected one for each of the 1 in 'policies'"},
		/* Explanations. */
		{"holds = [1, 1]", "holds = [1]", ":10:12: bad value of 'holds', expected two numbers, [from, to]"},
		{"holds = [1, 1]", "holds = [1, 2, 3]",
			":10:12: bad value of 'holds', expected two numbers, [from, to]"},
		{"sets = \"first\"; explanation = \"e\"", "sets = \"first\"; explanation = \"e\"; holds = [1, 2]",
			":14:3: 'holds' is given, expected an explanation of a number with it"},
		{"holds = [1, 1]", "holds = [1, 1, 2]",
			":10:12: bad value of 'holds', expected two numbers, [from, to]"},
		{"holds = [1, 1]", "holds = [1]", ":10:12: bad value of 'holds', expected two numbers, [from, to]"},
		/* Kinds, roles, and what they judge. */
		{"kind = \"points\"; role = \"definition\"; paper = 1;",
			"kind = \"factor\"; role = \"definition\"; paper = 0;",
			":13:3: 'paper' is 0, expected a number above 0 other than 1, as the kind is factor: 1 is no "
			"effect"},
		{"kind = \"points\"; role = \"definition\"; paper = 1;",
			"kind = \"factor\"; role = \"definition\"; paper = 1.001;", NULL},
		{"kind = \"points\"; role = \"definition\"; paper = 1;",
			"kind = \"factor\"; role = \"definition\"; paper = 0.999;", NULL},
		{"kind = \"points\"; role = \"definition\"; paper = 1;",
			"kind = \"factor\"; unit = \"x\"; role = \"definition\"; paper = 2;", NULL},
		{"kind = \"points\"; role = \"definition\"; paper = 1;",
			"kind = \"ratio\"; unit = \"ms\"; role = \"definition\"; paper = 2;", NULL},
		{"kind = \"points\"; role = \"definition\"; paper = 1;",
			"kind = \"exact\"; unit = \"x\"; role = \"definition\"; paper = \"some\";", NULL},
		{"role = \"fitted\"; parameter = \"q\"", "role = \"definition\"; parameter = \"q\"",
			":10:12: 'parameter' is given, expected none, as the role is not fitted"},
		/* Limits. */
		{"tolerance = 1e-9", "tolerance = 9e-10",
			":10:272: bad value of 'tolerance', expected from 1e-09 to 1000"},
		{"seeds = [3L, 1L, 9007199254740992L]", "seeds = [3L, 1L, 9007199254740993L]",
			NULL}, /* 2^53 as a double */
		{"seeds = [3L, 1L, 9007199254740992L]", "seeds = [3L, 1L, 9007199254740994L]",
			":6:146: bad value of 'seeds', expected from 0 to 9007199254740992"},
		{"seeds = [3L, 1L, 9007199254740992L]", "seeds = [0]", NULL},
		{"seeds = [3];", "seeds = [-1];", ":10:259: bad value of 'seeds', expected from 0 to 9007199254740992"},
		{"height = 10000", "height = 10001", ":16:81: bad value of 'height', expected from 100 to 10000"},
		{"width = 100;", "width = 99.5;", ":15:230: bad value of 'width', expected from 100 to 10000"},
		{"seconds = { small = 2; paper = 0.5; }", "seconds = { small = 2; paper = -1; }",
			":2:126: bad value of 'seconds', expected from 0 to 31622400"},
		{"seconds = { small = 2; paper = 0.5; }", "seconds = 0", NULL},
		/* Values of the wrong kind. */
		{"holds = [1, 1]", "holds = [\"1\", \"2\"]",
			":10:309: bad value of 'holds', expected an array of numbers"},
		{"sources = [\"k.cl\", \"experiment.cfg\"]", "sources = 4",
			":2:43: bad value of 'sources', expected a text or an array of texts"},
		{"arguments = { small = \"-s\"; paper = \"-p\"; }", "arguments = { small = \"-s\"; paper = 4; }",
			":2:81: bad value of 'arguments', expected a text, or { small = \"...\"; paper = \"...\"; }"},
		{"arguments = { small = \"-s\"; paper = \"-p\"; }",
			"arguments = { small = \"-s\"; paper = \"-p\"; big = \"\"; }",
			":2:81: bad value of 'arguments', expected a text, or { small = \"...\"; paper = \"...\"; }"},
		{"time_limit = { small = 1.5; paper = 20; }", "time_limit = \"1\"",
			":1:56: bad value of 'time_limit', expected a number, or { small = ...; paper = ...; }"},
		/* Columns: the name, alone in its line, before = or :, and not as part of another word. */
		{"text = \"x\"", "tixt : \"x = = text =\"", ":1:27: unknown key 'tixt', did you mean 'text'?"},
		{"text = \"x\"", "\ttixt\t=\"x\"", ":1:28: unknown key 'tixt', did you mean 'text'?"},
		{"text = \"x\"", "tixt = \"x; tixt = 1\"", ":1: unknown key 'tixt', did you mean 'text'?"},
		{"text = \"x\"", "tixt = \"atixt = 1\"", ":1:27: unknown key 'tixt', did you mean 'text'?"},
		{"text = \"x\"", "tixt = \";tixt a =\"", ":1:27: unknown key 'tixt', did you mean 'text'?"},
		{"text = \"x\"", "\n\ntixt = \"x\"", ":3:1: unknown key 'tixt', did you mean 'text'?"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct arena arena = {0};
		struct folder f = make_folder(changed(&arena, everything, cases[k].from, cases[k].to));
		struct diagnostic diagnostic = {0};
		const struct plan *plan = plan_read(&f.arena, f.path, &diagnostic);
		if (!cases[k].line && !plan)
			fail_msg("%s: %s", cases[k].to, diagnostic.message);
		if (cases[k].line)
			assert_string_equal(diagnostic.message,
				arena_printf(&f.arena, "%s/experiment.cfg%s", f.path, cases[k].line));
		remove_folder(&f);
		arena_free(&arena);
	}
}

/* With slashes behind it, and as a name in the working folder. */
static void the_folder_gives_the_name(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	struct diagnostic diagnostic = {0};
	const struct plan *plan = plan_read(&f.arena, arena_printf(&f.arena, "%s//", f.path), &diagnostic);
	assert_string_equal(plan->folder, f.path);
	assert_string_equal(plan->name, strrchr(f.path, '/') + 1);
	char here[4096];
	assert_non_null(getcwd(here, sizeof here));
	assert_int_equal(chdir(f.path), 0);
	assert_int_equal(chdir(".."), 0);
	const char *name = strrchr(f.path, '/') + 1;
	plan = plan_read(&f.arena, name, &diagnostic);
	assert_non_null(plan);
	assert_string_equal(plan->name, name);
	assert_string_equal(plan->file, arena_printf(&f.arena, "%s/experiment.cfg", name));
	assert_int_equal(chdir(here), 0);
	FILE *file = fopen(arena_printf(&f.arena, "%s/experiment.cfg", f.path), "w");
	fwrite("title = 1;\0", 1, 11, file);
	fclose(file);
	assert_null(plan_read(&f.arena, f.path, &diagnostic));
	assert_string_equal(
		diagnostic.message, arena_printf(&f.arena, "%s/experiment.cfg: is not a text file", f.path));
	remove_folder(&f);
}

/* ---- Points ---- */

static struct points points_in(
	struct folder *f, const char *folder, enum size size, const char *only, struct diagnostic *diagnostic)
{
	struct points points;
	bool good = points_make(&f->arena, plan_of(f), size, &(struct names){.at = &only, .count = only != NULL},
		folder, &points, diagnostic);
	assert_int_equal(good, !diagnostic->failed);
	return points;
}

/* `first` is of the paper's size alone: 2 GPUs, 2 policies, 2 variations, 3 seeds. */
static void sets_are_of_a_size_and_may_be_chosen(void **state)
{
	(void)state;
	static const struct {
		enum size size;
		const char *only;
		uint32_t entries;
	} cases[] = {{SIZE_SMALL, NULL, 1}, {SIZE_PAPER, NULL, 25}, {SIZE_PAPER, "first", 24},
		{SIZE_PAPER, "second", 1}, {SIZE_SMALL, "first", 0}};
	struct folder f = make_folder(everything);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct diagnostic diagnostic = {0};
		struct points points = points_in(&f, f.path, cases[k].size, cases[k].only, &diagnostic);
		assert_int_equal(points.entries.count, cases[k].entries);
		assert_int_equal(points.points.count, cases[k].entries);
		assert_int_equal(points.size, cases[k].size);
	}
	struct diagnostic diagnostic = {0};
	struct points points = points_in(&f, f.path, SIZE_PAPER, NULL, &diagnostic);
	/* Seed 3, 1, 2^53 of the second variation, the second policy and the second GPU, at the end of the set. */
	const struct entry *e = &points.entries.at[22];
	assert_string_equal(e->variation->name, "less");
	assert_string_equal(e->policy->name, "other");
	assert_string_equal(points.points.at[e->point].gpu, "h");
	assert_int_equal(points.points.at[e->point].seed, 1);
	assert_string_equal(points.points.at[e->point].arguments, "-p -l");
	assert_true(points.points.at[points.entries.at[23].point].seed == 1ull << 53);
	/* What a claim or figure rests on. */
	struct plan *plan = plan_of(&f);
	uint32_t in_a = 0, in_f = 0, in_g = 0, in_all = 0;
	for (uint32_t k = 0; k < 25; k++) {
		in_a += points_in_scope(&points, &points.entries.at[k], &plan->claims.at[0].scope);
		in_all += points_in_scope(&points, &points.entries.at[k], &plan->claims.at[1].scope);
		in_f += points_in_scope(&points, &points.entries.at[k], &plan->figures.at[0].scope);
		in_g += points_in_scope(&points, &points.entries.at[k], &plan->figures.at[1].scope);
	}
	assert_int_equal(in_a, 2 * 3 + 1); /* plain, more or none: GPUs and seeds; and that of `second` */
	assert_int_equal(in_all, 24);
	assert_int_equal(in_f, 2 * 3); /* other, less */
	assert_int_equal(in_g, 1);
	/* Without "" among the variations, the point that has none is left out. */
	struct scope varied = {.sets = plan->claims.at[0].scope.sets, .variations = {(const char *[]){"more"}, 1, 0}};
	for (uint32_t k = 0; k < 25; k++)
		assert_int_equal(points_in_scope(&points, &points.entries.at[k], &varied),
			points.entries.at[k].variation && !strcmp(points.entries.at[k].variation->name, "more"));
	static const char *other = "nothing";
	struct scope scope = {.sets = plan->claims.at[0].scope.sets, .programs = {&other, 1, 0}};
	assert_false(points_in_scope(&points, &points.entries.at[0], &scope));
	remove_folder(&f);
}

/* What is wrong with a program or its sources is said at the program. */
static void programs_are_found_and_are_executable(void **state)
{
	(void)state;
	struct arena arena = {0};
	static const struct {
		const char *from, *to, *message; /* null: it is found */
	} cases[] = {
		{"file = \"p\"", "file = \"./p\"",
			"2:14: there is no program './p', expected an executable file, seen from the experiment's "
			"folder"},
		{"file = \"p\"", "file = \"k.cl\"",
			"2:14: there is no program 'k.cl', expected one of workloads/, built, beside the command"},
		{"file = \"p\"", "file = \"workloads/../k.cl\"",
			"2:14: there is no program 'workloads/../k.cl', expected an executable file, seen from the "
			"experiment's folder"},
		{"\"k.cl\"", "\"l.cl\"",
			"2:14: cannot read 'l.cl': No such file or directory; expected a file, seen from the "
			"experiment's folder"},
		{"file = \"p\"", "file = \"workloads/p\"", NULL},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct folder f = make_folder(changed(&arena, everything, cases[k].from, cases[k].to));
		struct diagnostic diagnostic = {0};
		points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic);
		assert_string_equal(diagnostic.failed ? diagnostic.message : "",
			cases[k].message ? arena_printf(&arena, "%s/experiment.cfg:%s", f.path, cases[k].message) : "");
		remove_folder(&f);
	}
	struct folder f = make_folder(everything);
	struct diagnostic diagnostic = {0};
	points_in(&f, arena_printf(&arena, "%s/workloads", f.path), SIZE_SMALL, NULL, &diagnostic);
	assert_string_equal(diagnostic.message,
		arena_printf(&arena, "%s/workloads/lockstep: cannot open: No such file or directory", f.path));
	remove_folder(&f);
	arena_free(&arena);
}

/* Installed, the command is in bin/ and all else in lib/; the same files make the same points in both. */
static void an_installed_simulator_has_the_same_build(void **state)
{
	(void)state;
	static const struct {
		const char *beside, *installed;
	} parts[] = {{"liblockstep-opencl.so", "lib/lockstep/liblockstep-opencl.so"},
		{"cuda/libcudart.so.12", "lib/lockstep/cuda/libcudart.so.12"},
		{"cuda/libcudart.so.13", "lib/lockstep/cuda/libcudart.so.13"}};
	struct folder f = make_folder(everything);
	struct diagnostic diagnostic = {0};
	assert_int_equal(system(arena_printf(&f.arena,
				 "cd '%s' && mkdir -p bin lib/lockstep/cuda lib/lockstep/workloads cuda && "
				 "cp lockstep bin/ && cp workloads/p lib/lockstep/workloads/",
				 f.path)),
		0);
	const char *bin = arena_printf(&f.arena, "%s/bin", f.path), *last = "";
	for (int k = -1; k < 3; k++) { /* each part makes another build */
		if (k >= 0) {
			write_file(&f, parts[k].beside, "a library");
			write_file(&f, parts[k].installed, "a library");
		}
		struct points built = points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic),
			      installed = points_in(&f, bin, SIZE_SMALL, NULL, &diagnostic);
		assert_false(diagnostic.failed);
		assert_string_equal(built.build.simulator, installed.build.simulator);
		assert_string_equal(built.points.at[0].name, installed.points.at[0].name);
		assert_string_not_equal(built.build.simulator, last);
		last = arena_printf(&f.arena, "%s", built.build.simulator);
		assert_int_equal(strlen(last), 32);
	}
	assert_string_equal(points_in(&f, bin, SIZE_SMALL, NULL, &diagnostic).build.command,
		arena_printf(&f.arena, "%s/lockstep", bin));
	remove_folder(&f);
}

/* Each file of a program, by its name and contents, and each of them alone. */
static void builds_follow_programs_and_sources(void **state)
{
	(void)state;
	struct folder f = make_folder(everything);
	struct diagnostic diagnostic = {0};
	const char *first =
		arena_printf(&f.arena, "%s", points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic).points.at[0].build);
	write_program(&f, "workloads/p", "the progran");
	const char *second =
		arena_printf(&f.arena, "%s", points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic).points.at[0].build);
	assert_string_not_equal(first, second);
	write_program(&f, "workloads/p", "the program");
	assert_string_equal(points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic).points.at[0].build, first);
	write_file(&f, "k.cl", "the kernek");
	assert_string_not_equal(points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic).points.at[0].build, first);
	write_file(&f, "k.cl", "the kernel");
	/* "the kernel" under another name */
	write_file(&f, "l.cl", "the kernel");
	write_file(&f, "experiment.cfg", changed(&f.arena, everything, "\"k.cl\"", "\"l.cl\""));
	assert_string_not_equal(points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic).points.at[0].build, first);
	remove_folder(&f);
}

/* docs/experiments.md: below the folder of pinned PTX, PROGRAM/ is for programs with sources; PROGRAM is the file's
 * name without folders.  Its files are part of the key, by names and contents. */
static void pinned_ptx_is_of_programs_with_sources(void **state)
{
	(void)state;
	static const char programs[] =
		"title = \"t\"; pinned = \"./pins\";\n"
		"programs = ( { name = \"a\"; file = \"p\"; sources = \"k.cl\"; }, { name = \"b\"; file = "
		"\"workloads/q\"; sources = \"k.cl\"; arguments = \"-x\"; }, { name = \"c\"; file = \"p\"; arguments = "
		"\"-y\"; } );\n"
		"benchmarks = ();\npolicies = ( { name = \"n\"; options = \"-o\"; } );\n"
		"sets = ( { name = \"s\"; programs = [\"a\", \"b\", \"c\"]; gpus = \"g\"; policies = \"n\"; } );\n";
	static const struct {
		const char *command;
		bool changes_a, changes_b;
	} changes[] = {{"echo other > pins/p/one.ptx", true, false}, {"echo more > pins/p/two.ptx", true, false},
		{"mv pins/p/two.ptx pins/p/2.ptx", true, false}, {"mkdir pins/q; echo q > pins/q/one.ptx", false, true},
		{"mkdir pins/c; echo c > pins/c/one.ptx", false, false}, {"touch pins/p/one.ptx", false, false}};
	struct folder f = make_two_sets(programs);
	struct diagnostic diagnostic = {0};
	assert_int_equal(
		system(arena_printf(&f.arena, "cd '%s' && mkdir -p pins/p && echo > pins/p/one.ptx", f.path)), 0);
	struct points before = points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic);
	static const char *const names[] = {"p", "q"};
	for (uint32_t k = 0; k < 3; k++) {
		const struct point *p = &before.points.at[k];
		const char *const *words = p->words.at + p->run_words;
		assert_string_equal(words[-1], "1"); /* --threads 1 */
		assert_int_equal(p->pinned_words - p->run_words, k < 2 ? 2 : 0);
		if (k < 2) {
			assert_string_equal(words[0], "--pinned");
			/* what is not there keeps its name, which `lockstep run` refuses */
			assert_string_equal(
				words[1], arena_printf(&f.arena, k ? "%s/./pins/%s" : "%s/pins/%s", f.path, names[k]));
			words += 2;
		}
		assert_string_equal(words[0], arena_printf(&f.arena, "%s/workloads/%s", f.path, k == 1 ? "q" : "p"));
		assert_null(strstr(p->shown, "pinned"));
	}
	for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
		assert_int_equal(system(arena_printf(&f.arena, "cd '%s' && %s", f.path, changes[k].command)), 0);
		struct points after = points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic);
		const bool expected[] = {changes[k].changes_a, changes[k].changes_b, false};
		for (uint32_t n = 0; n < 3; n++)
			assert_int_equal(strcmp(before.points.at[n].key, after.points.at[n].key) != 0, expected[n]);
		before = after;
	}
	assert_false(diagnostic.failed);
	remove_folder(&f);
}

/* What compiles the kernels may be chosen by either variable: what is chosen is another point. */
static void the_chosen_compiler_is_part_of_the_key(void **state)
{
	(void)state;
	static const char *const names[] = {"LOCKSTEP_CLANG", "LOCKSTEP_LIBCLC"};
	struct folder f = make_folder(everything);
	struct diagnostic diagnostic = {0};
	const char *old[] = {getenv(names[0]), getenv(names[1])}, *keys[4];
	for (int k = 0; k < 2; k++)
		unsetenv(names[k]);
	keys[0] = arena_printf(&f.arena, "%s", points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic).points.at[0].key);
	for (int k = 0; k < 3; k++) {
		setenv(names[k == 2], k ? "two" : "one", 1);
		keys[k + 1] = arena_printf(
			&f.arena, "%s", points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic).points.at[0].key);
		for (int n = 0; n <= k; n++)
			assert_string_not_equal(keys[k + 1], keys[n]);
	}
	for (int k = 0; k < 2; k++)
		unsetenv(names[k]);
	assert_string_equal(points_in(&f, f.path, SIZE_SMALL, NULL, &diagnostic).points.at[0].key, keys[0]);
	for (int k = 0; k < 2; k++)
		if (old[k])
			setenv(names[k], old[k], 1);
	remove_folder(&f);
}

/* A word is what is between blanks, tabs and line's ends, however many; for a shell all but plain ones are quoted. */
static void command_lines_are_words(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct folder f = make_folder(changed(&arena, plain, "--scheduler lrr",
		" 1 2  3\t4\\n5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 a=b,c@d%e:f_g+h;i "));
	struct points points = points_of(&f);
	const char **words = points_words(&f.arena, &points.points.at[0], "/o");
	static const char *const before[] = {"run", "--report", "json", "--output"};
	for (int k = 0; k < 4; k++)
		assert_string_equal(words[1 + k], before[k]);
	assert_string_equal(words[5], arena_printf(&f.arena, "/o/%s.json", points.points.at[0].name));
	assert_string_equal(words[7], "gtx480");
	for (int k = 0; k < 20; k++)
		assert_string_equal(words[12 + k], arena_printf(&f.arena, "%d", k + 1));
	assert_string_equal(words[32], "a=b,c@d%e:f_g+h;i");
	assert_string_equal(words[33], "--seed");
	assert_string_equal(words[37], arena_printf(&f.arena, "%s/workloads/p", f.path));
	assert_null(words[40]);
	assert_int_equal(points.points.at[0].gpu_words, 6);
	assert_int_equal(points.points.at[0].run_words, 6 + 4 + 21 + 4);
	assert_non_null(
		strstr(points_shell(&f.arena, &points.points.at[0], "/o"), " 20 'a=b,c@d%e:f_g+h;i' --seed 1 "));
	struct point point = {.name = "n", .words = {(const char *[]){"a", "", "b\"c", "d", "e'f"}, 5, 0}};
	assert_string_equal(points_shell(&f.arena, &point, "x y"),
		"a '' 'b\"c' d --output 'x y/n.json' 'e'\\''f' > 'x y/n.log' 2>&1");
	remove_folder(&f);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_read),
		cmocka_unit_test(only_some_kinds_judge_numbers),
		cmocka_unit_test(what_does_not_fit_is_said),
		cmocka_unit_test(the_folder_gives_the_name),
		cmocka_unit_test(sets_are_of_a_size_and_may_be_chosen),
		cmocka_unit_test(programs_are_found_and_are_executable),
		cmocka_unit_test(an_installed_simulator_has_the_same_build),
		cmocka_unit_test(builds_follow_programs_and_sources),
		cmocka_unit_test(pinned_ptx_is_of_programs_with_sources),
		cmocka_unit_test(the_chosen_compiler_is_part_of_the_key),
		cmocka_unit_test(command_lines_are_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
