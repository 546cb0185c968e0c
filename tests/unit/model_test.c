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
		struct diagnostic diagnostic = {0};
		const char **sources = NULL;
		struct gpu_model *model = model_load(&arena, names[k], &sources, &diagnostic);
		assert_string_equal(diagnostic.message, "");
		assert_non_null(model);
		assert_string_equal(model->name, names[k]);
		assert_true(model_check(model, &diagnostic));
		for (uint32_t f = 0; f < model_field_count; f++) {
			assert_non_null(sources[f]);
			assert_true(strlen(sources[f]) > 2);
		}
	}
}

static void figures_of_the_papers(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	const char **sources;
	struct gpu_model *gtx480 = model_load(&arena, "gtx480", NULL, &diagnostic);
	struct gpu_model *quadro = model_load(&arena, "quadro-2011", &sources, &diagnostic);
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
		struct diagnostic diagnostic = {0};
		struct gpu_model *model = model_load(&arena, "gtx480", NULL, &diagnostic);
		assert_int_equal(model_set(&arena, model, rows[k].assignment, &diagnostic), !*rows[k].error);
		assert_string_equal(diagnostic.message, rows[k].error);
	}
}

/* What is said of a gtx480 with these settings, spaces between; nothing when it is accepted. */
static const char *said_of(const char *settings)
{
	struct diagnostic diagnostic = {0};
	struct gpu_model *model = model_load(&arena, "gtx480", NULL, &diagnostic);
	char *left = arena_copy(&arena, settings, strlen(settings));
	for (char *word; (word = strsep(&left, " "));)
		assert_true(model_set(&arena, model, word, &diagnostic));
	bool good = model_check(model, &diagnostic);
	assert_int_equal(good, !*diagnostic.message);
	return arena_copy(&arena, diagnostic.message, strlen(diagnostic.message));
}

/* Each rule: the nearest value that breaks it and, where there is one, the last that does not. */
static void fields_must_fit_together(void **state)
{
	(void)state;
	static const struct {
		const char *good, *bad, *error;
	} rows[] = {
		{"core.warp_size=64", "core.warp_size=48", "core.warp_size must be 32 or 64"},
		{"core.simd_width=16", "core.simd_width=24", "core.warp_size must be a multiple of core.simd_width"},
		{NULL, "core.simd_width=64", "core.warp_size must be a multiple of core.simd_width"},
		{"core.threads=1568", "core.threads=1569", "core.threads must be a multiple of core.warp_size"},
		{"core.schedulers=1 core.threads=2048", "core.schedulers=1 core.threads=2080",
			"a scheduler may have at most 64 warps: fewer core.threads or more core.schedulers"},
		{"core.threads=4096", "core.threads=4096 core.schedulers=1",
			"a scheduler may have at most 64 warps: fewer core.threads or more core.schedulers"},
		{"core.warps=2", "core.warps=1", "core.schedulers must not be more than a core's warps"},
		{"core.group_threads=1536", "core.group_threads=1537",
			"core.group_threads must not exceed core.threads"},
		{"core.group_shared=49152", "core.group_shared=49153", "core.group_shared must not exceed core.shared"},
		{"lesser.cores=14", "lesser.cores=15", "lesser.cores must be less than core.count"},
		{"lesser.threads=1536", "lesser.threads=1568", "lesser.threads must not exceed core.threads"},
		{"lesser.threads=32", "lesser.threads=33", "lesser.threads must be a multiple of core.warp_size"},
		{"lesser.shared=49152", "lesser.shared=49153", "lesser.shared must not exceed core.shared"},
		{"core.group_shared=0 core.shared=128", "core.group_shared=0 core.shared=127",
			"core.shared_unit must not exceed core.shared"},
		{"core.group_shared=0 core.shared=0", "core.group_shared=0 core.shared=1",
			"core.shared_unit must not exceed core.shared"},
		{"core.registers=1024 core.register_unit=1024", "core.registers=1024 core.register_unit=1025",
			"core.register_unit must not exceed core.registers"},
		{"core.registers_override=63", "core.registers_override=64",
			"core.registers_override must not exceed core.registers_max"},
		{"shared.banks=1", "shared.banks=3", "shared.banks must be a power of two"},
		{"line.bytes=64 line.sector=64", "line.bytes=96 line.sector=64", "line.bytes must be 64 or 128"},
		{"line.sector=64", "line.sector=96", "line.sector must be 32, 64 or 128 and not exceed line.bytes"},
		{"line.bytes=64 line.sector=64", "line.bytes=64",
			"line.sector must be 32, 64 or 128 and not exceed line.bytes"},
		{"l2.sector=128", "l2.sector=96", "l2.sector must be 32, 64 or 128 and not exceed line.sector"},
		{"line.sector=64 l2.sector=64", "line.sector=32 l2.sector=64",
			"l2.sector must be 32, 64 or 128 and not exceed line.sector"},
		{"l2.port=64", "l2.port=33", "l2.port must be a power of two"},
		{"l1.sets=1", "l1.sets=3", "l1.sets must be a power of two"},
		{"l1.divisions=12", "l1.divisions=16",
			"l1.divisions must be \"none\", or at most 16 sizes in KB, each larger than the one before, "
			"each "
			"a whole number of the L1's ways and less than all of them"},
		{"l2.sets=1", "l2.sets=3", "l2.sets must be a power of two"},
		{"l2.interleave=128", "l2.interleave=129", "l2.interleave must be a power of two"},
		{"l2.slices=6", "l2.slices=7", "l2.slices must be a multiple of dram.channels"},
		{"dram.banks=4", "dram.banks=12", "dram.banks must be a power of two"},
		{"dram.groups=1", "dram.groups=3", "dram.groups must be a power of two"},
		{"dram.groups=16", "dram.groups=32", "dram.banks must be a multiple of dram.groups"},
		{"dram.row=64", "dram.row=65", "dram.row must be a power of two"},
		{"dram.burst_bytes=32", "dram.burst_bytes=33", "dram.burst_bytes must be a power of two"},
		{"dram.row=128 dram.burst_bytes=128", "dram.row=64 dram.burst_bytes=128",
			"dram.row must be a multiple of dram.burst_bytes"},
		{"dram.tRC=28", "dram.tRC=27", "dram.tRC must not be less than dram.tRAS"},
		{"dram.tRAS=12", "dram.tRAS=11", "dram.tRAS must not be less than dram.tRCD"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		assert_string_equal(said_of(rows[k].bad), arena_printf(&arena, "GPU 'gtx480': %s", rows[k].error));
		if (rows[k].good)
			assert_string_equal(said_of(rows[k].good), "");
	}
}

/* Writes `text` to a file in a directory of its own and loads it; FILE in `error` stands for its path. */
static struct gpu_model *load_text(const char *text, const char ***sources, const char *error)
{
	char directory[] = "/tmp/lockstep-model-XXXXXX";
	assert_non_null(mkdtemp(directory));
	char *path = arena_printf(&arena, "%s/mine.cfg", directory);
	struct diagnostic diagnostic = {0}, ignored = {0};
	assert_true(text_write_file(path, text, strlen(text), &ignored));
	struct gpu_model *model = model_load(&arena, path, sources, &diagnostic);
	unlink(path);
	rmdir(directory);
	if (!strncmp(error, "FILE", 4))
		error = arena_printf(&arena, "%s%s", path, error + 4);
	assert_string_equal(diagnostic.message, error);
	return model;
}

static void users_files(void **state)
{
	(void)state;
	struct gpu_model *model =
		load_text("base = \"gtx480\";\ncore: { count = 2; };\nl1: { ways = (8, \"mine\"); };\n", NULL, "");
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
		/* longer than any path of a field */
		{"base = \"gtx480\";\ncore: { "
		 "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"
		 "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij = 2; };\n",
			"FILE:2: unknown key 'core.abcdefghijabcdefghijabcdefghijabcde...'"},
		{"base = \"gtx48\";\n", "FILE:1: unknown GPU 'gtx48', did you mean 'gtx480'?"},
		{"base = 480;\n", "FILE:1: bad value of 'base', expected a GPU's name or file in quotes"},
		{"core: { count = 2; };\n", "FILE: 'description' is missing (the chip in words, text); give it, or "
					    "begin with base = \"gtx480\";"},
		{"core: { count = \n;", "FILE:2: syntax error, expected name = value; or name: { ... };"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		assert_null(load_text(rows[k].text, NULL, rows[k].error));
	model = load_text("base = \"mine.cfg\";\n", NULL,
		"FILE:1: 'base' leads through more than 8 files, expected one that ends");
	assert_null(model);
}

/* Of a file without a base: the first and the last alike. */
static void each_field_is_wanted(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	size_t length;
	for (uint32_t k = 0; k < model_field_count; k += k == 0 ? model_field_count - 1 : 1) {
		const struct model_field *f = &model_fields[k];
		char *text = text_read_file(&arena, LOCKSTEP_SOURCE_DIR "/gpus/gtx480.cfg", &length, &diagnostic);
		const char *name = strrchr(f->path, '.') ? strrchr(f->path, '.') + 1 : f->path;
		char *line = NULL, *found = text;
		while ((found = strstr(found, arena_printf(&arena, "%s = ", name)))) /* the last of this name */
			line = found++;
		assert_non_null(line);
		memset(line, ' ', strcspn(line, "\n"));
		assert_null(load_text(text, NULL,
			arena_printf(&arena,
				"FILE: '%s' is missing (%s, %s); give it, or begin with base = \"gtx480\";", f->path,
				f->meaning, f->unit)));
	}
}

static const char *source_of(const char *const *sources, const char *path)
{
	for (uint32_t f = 0; f < model_field_count; f++)
		if (!strcmp(model_fields[f].path, path))
			return sources[f];
	fail_msg("no field %s", path);
	return NULL;
}

/* A value has its own words, or its place; one that comes from a base says from which file it is, however many are
 * between. */
static void sources_of_values(void **state)
{
	(void)state;
	const char **sources = NULL;
	load_text("base = \"quadro-2011\";\ncore: {\n\tcount = 2;\n\twarps = (0, \"mine\");\n};\n", &sources, "");
	const char *place = source_of(sources, "core.count"), *file = strstr(place, "/mine.cfg:3");
	assert_non_null(file);
	assert_string_equal(file, "/mine.cfg:3");
	assert_string_equal(source_of(sources, "core.warps"), "mine");
	assert_memory_equal(source_of(sources, "dram.tRC"), "as quadro-2011: ", 16);
	assert_memory_equal(source_of(sources, "atomic.interval"), "as gtx480: ", 11);
	load_text("base = \"gtx480\";\n", &sources, "");
	for (uint32_t k = 0; k < model_field_count; k++)
		assert_memory_equal(sources[k], "as ", 3);
}

static void unknown_names(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	assert_null(model_load(&arena, "gtx48", NULL, &diagnostic));
	assert_string_equal(diagnostic.message, "unknown GPU 'gtx48', did you mean 'gtx480'?");
	diagnostic = (struct diagnostic){0};
	assert_null(model_load(&arena, "/nonexistent/x.cfg", NULL, &diagnostic));
	assert_string_equal(diagnostic.message, "/nonexistent/x.cfg: cannot open: No such file or directory");
}

/* A model's name is its file's, without folders and without a ".cfg" at the end, unless nothing else is left. */
static void names_of_files(void **state)
{
	(void)state;
	static const char *const names[][2] = {
		{"a.cfg", "a"}, {"longer.cfg", "longer"}, {".cfg", ".cfg"}, {"a.cfg.txt", "a.cfg.txt"}, {"abc", "abc"}};
	static const char text[] = "base = \"gtx480\";\n";
	char directory[] = "/tmp/lockstep-model-XXXXXX";
	assert_non_null(mkdtemp(directory));
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		struct diagnostic diagnostic = {0};
		char *path = arena_printf(&arena, "%s/%s", directory, names[k][0]);
		assert_true(text_write_file(path, text, strlen(text), &diagnostic));
		struct gpu_model *model = model_load(&arena, path, NULL, &diagnostic);
		unlink(path);
		assert_string_equal(diagnostic.message, "");
		assert_string_equal(model->name, names[k][1]);
	}
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_embedded_model_is_whole),
		cmocka_unit_test(figures_of_the_papers),
		cmocka_unit_test(settings),
		cmocka_unit_test(fields_must_fit_together),
		cmocka_unit_test(users_files),
		cmocka_unit_test(each_field_is_wanted),
		cmocka_unit_test(sources_of_values),
		cmocka_unit_test(unknown_names),
		cmocka_unit_test(names_of_files),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&arena);
	return failed;
}
