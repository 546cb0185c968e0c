/* GPU models: the embedded files, --set, users' files with and without a base, the words of every refusal. */
#include "model/model.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;

static void every_embedded_model_is_whole(void **state)
{
	(void)state;
	size_t count;
	const char *const *names = model_names(&count);
	assert_true(count >= 3);
	for (size_t k = 0; k < count; k++) {
		struct report report = {0};
		const char **sources = NULL;
		struct gpu_model *model = model_load(&arena, names[k], &sources, &report);
		assert_string_equal(report.message, "");
		assert_non_null(model);
		assert_string_equal(model->name, names[k]);
		assert_true(model_check(model, &report));
		for (uint32_t f = 0; f < model_field_count; f++) {
			assert_non_null(sources[f]);
			assert_true(strlen(sources[f]) > 2);
		}
	}
}

static void figures_of_the_papers(void **state)
{
	(void)state;
	struct report report = {0};
	const char **sources;
	struct gpu_model *gtx480 = model_load(&arena, "gtx480", NULL, &report);
	struct gpu_model *quadro = model_load(&arena, "quadro-2011", &sources, &report);
	assert_int_equal(gtx480->core_count, 15);
	assert_int_equal(gtx480->l1_sets * gtx480->l1_ways * 128, 16 << 10);
	assert_int_equal(gtx480->l2_sets * gtx480->l2_ways * 128, 64 << 10);
	assert_int_equal(gtx480->atomic_interval, 9);
	assert_string_equal(gtx480->scheduler, "gto");
	assert_int_equal(quadro->core_count, 30);
	assert_int_equal(quadro->dram_tRC, 35);
	assert_int_equal(quadro->l2_sets * quadro->l2_ways * 128, 1 << 20);
	assert_int_equal(quadro->atomic_interval, gtx480->atomic_interval);
	bool inherited = false;
	for (uint32_t f = 0; f < model_field_count; f++)
		inherited |=
			!strcmp(model_fields[f].path, "atomic.interval") && !strncmp(sources[f], "as gtx480: ", 11);
	assert_true(inherited);
}

static void settings(void **state)
{
	(void)state;
	static const struct {
		const char *assignment, *error; /* "": accepted */
	} rows[] = {
		{"core.count=7", ""},
		{"policy.scheduler=lrr", ""},
		{"policy.scheduler=", "'policy.scheduler' is empty, expected which ready warp issues next"},
		{"core.count", "bad setting 'core.count', expected KEY=VALUE"},
		{"=3", "bad setting '=3', expected KEY=VALUE"},
		{"core.cuont=7", "unknown key 'core.cuont', did you mean 'core.count'?"},
		{"qqqqqqqqqqqqqqqq=7", "unknown key 'qqqqqqqqqqqqqqqq'; `lockstep gpus NAME` lists the keys"},
		{"core.count=0", "'core.count' is 0, expected 1 to 256 cores"},
		{"core.count=-1", "'core.count' is -1, expected 1 to 256 cores"},
		{"core.count=4294967297", "'core.count' is 4294967297, expected 1 to 256 cores"},
		{"core.count=many", "'core.count' is 'many', expected a number, 1 to 256 cores"},
		{"core.count=", "'core.count' is '', expected a number, 1 to 256 cores"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct report report = {0};
		struct gpu_model *model = model_load(&arena, "gtx480", NULL, &report);
		assert_int_equal(model_set(&arena, model, rows[k].assignment, &report), !*rows[k].error);
		assert_string_equal(report.message, rows[k].error);
	}
}

static void fields_must_fit_together(void **state)
{
	(void)state;
	static const struct {
		const char *assignment, *error;
	} rows[] = {
		{"core.warp_size=48", "GPU 'gtx480': core.warp_size must be 32 or 64"},
		{"l1.sets=3", "GPU 'gtx480': l1.sets must be a power of two"},
		{"l2.slices=7", "GPU 'gtx480': l2.slices must be a multiple of dram.channels"},
		{"core.group_threads=2048", "GPU 'gtx480': core.group_threads must not exceed core.threads"},
		{"lesser.cores=15", "GPU 'gtx480': lesser.cores must be less than core.count"},
		{"lesser.threads=2048", "GPU 'gtx480': lesser.threads must not exceed core.threads"},
		{"lesser.threads=33", "GPU 'gtx480': lesser.threads must be a multiple of core.warp_size"},
		{"lesser.shared=49153", "GPU 'gtx480': lesser.shared must not exceed core.shared"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct report report = {0};
		struct gpu_model *model = model_load(&arena, "gtx480", NULL, &report);
		assert_true(model_set(&arena, model, rows[k].assignment, &report));
		assert_false(model_check(model, &report));
		assert_string_equal(report.message, rows[k].error);
	}
}

/* Writes `text` to a file in a directory of its own and loads it; FILE in `error` stands for its path. */
static struct gpu_model *load_text(const char *text, const char *error)
{
	char directory[] = "/tmp/lockstep-model-XXXXXX";
	assert_non_null(mkdtemp(directory));
	char *path = arena_printf(&arena, "%s/mine.cfg", directory);
	struct report report = {0}, ignored = {0};
	assert_true(text_write_file(path, text, strlen(text), &ignored));
	struct gpu_model *model = model_load(&arena, path, NULL, &report);
	unlink(path);
	rmdir(directory);
	if (!strncmp(error, "FILE", 4))
		error = arena_printf(&arena, "%s%s", path, error + 4);
	assert_string_equal(report.message, error);
	return model;
}

static void users_files(void **state)
{
	(void)state;
	struct gpu_model *model =
		load_text("base = \"gtx480\";\ncore: { count = 2; };\nl1: { ways = (8, \"mine\"); };\n", "");
	assert_string_equal(model->name, "mine");
	assert_int_equal(model->core_count, 2);
	assert_int_equal(model->l1_ways, 8);
	assert_int_equal(model->core_threads, 1536);
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"base = \"gtx480\";\n\ncore: { cuont = 2; };\n",
			"FILE:3: unknown key 'core.cuont', did you mean 'core.count'?"},
		{"base = \"gtx480\";\ncore: { count = 0; };\n", "FILE:2: 'core.count' is 0, expected 1 to 256 cores"},
		{"base = \"gtx480\";\ncore: { count = \"two\"; };\n",
			"FILE:2: 'core.count' is \"two\", expected a number, 1 to 256 cores"},
		{"base = \"gtx480\";\ncore: { count = (2, 3, 4); };\n",
			"FILE:2: bad value of 'core.count', expected an integer or (integer, \"source\")"},
		{"base = \"gtx480\";\ncore: { count = 1.5; };\n",
			"FILE:2: bad value of 'core.count', expected an integer or (integer, \"source\")"},
		{"base = \"gtx480\";\npolicy: { scheduler = 1; };\n",
			"FILE:2: 'policy.scheduler' is a number, expected a text in quotes (which ready warp issues "
			"next)"},
		{"base = \"gtx48\";\n", "FILE:1: unknown GPU 'gtx48', did you mean 'gtx480'?"},
		{"base = 480;\n", "FILE:1: bad value of 'base', expected a GPU's name or file in quotes"},
		{"core: { count = 2; };\n", "FILE: 'description' is missing (the chip in words, text); give it, or "
					    "begin with base = \"gtx480\";"},
		{"core: { count = \n;", "FILE:2: syntax error, expected name = value; or name: { ... };"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		assert_null(load_text(rows[k].text, rows[k].error));
	model = load_text(
		"base = \"mine.cfg\";\n", "FILE:1: 'base' leads through more than 8 files, expected one that ends");
	assert_null(model);
}

static void unknown_names(void **state)
{
	(void)state;
	struct report report = {0};
	assert_null(model_load(&arena, "gtx48", NULL, &report));
	assert_string_equal(report.message, "unknown GPU 'gtx48', did you mean 'gtx480'?");
	report = (struct report){0};
	assert_null(model_load(&arena, "/nonexistent/x.cfg", NULL, &report));
	assert_string_equal(report.message, "/nonexistent/x.cfg: cannot open: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_embedded_model_is_whole),
		cmocka_unit_test(figures_of_the_papers),
		cmocka_unit_test(settings),
		cmocka_unit_test(fields_must_fit_together),
		cmocka_unit_test(users_files),
		cmocka_unit_test(unknown_names),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&arena);
	return failed;
}
