/* compile/pinned: what is written is found again, wherever it lies, and only as long as all that made it is the same.
 */
#include "compile/compile.h"
#include "compile/pinned.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] = "#include \"v.h\"\nkernel void k(global int *a) { *a = V; }\n", header[] = "#define V 1\n";
/* As clang gives it, with a file of the second folder. */
static const char *const ptx_of_clang = "//\n.version 6.3\n.entry k()\n{\n\tret;\n}\n\t.file\t1 \"program.cl\"\n"
					"\t.file\t2 \"%s/two/v.h\"\n\t.section\t.debug_info\n\t{\n.b8 1\n\t}\n"
					"// lockstep.kernel k\n// lockstep.compiler other\n"
					"// lockstep.options -O9\n// lockstep.from pinned\n";
static const char *const ptx_of_pin = "//\n.version 6.3\n.entry k()\n{\n\tret;\n}\n\t.file\t1 \"program.cl\"\n"
				      "\t.file\t2 \"%s/two/v.h\"\n// lockstep.kernel k\n"
				      "// lockstep.compiler /none/clang\n"
				      "// lockstep.options -cl-std=CL1.2 -I<0> -I<1> -DN=4\n// lockstep.from pinned\n";

/* Two folders for headers, one for what is pinned. */
struct site {
	struct arena arena;
	char folder[64];
	const char *words[3];
	struct pinned_source source;
};

static const char *path_of(struct site *p, const char *name)
{
	return arena_printf(&p->arena, "%s/%s", p->folder, name);
}

static void write_file(struct site *p, const char *name, const char *contents)
{
	struct diagnostic diagnostic = {0};
	assert_true(text_write_file(path_of(p, name), contents, strlen(contents), &diagnostic));
}

static void make_site(struct site *p)
{
	snprintf(p->folder, sizeof p->folder, "/tmp/lockstep-pinned-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	assert_int_equal(mkdir(path_of(p, "one"), 0700), 0);
	assert_int_equal(mkdir(path_of(p, "two"), 0700), 0);
	write_file(p, "two/v.h", header);
	p->words[0] = arena_printf(&p->arena, "-I%s/one", p->folder);
	p->words[1] = arena_printf(&p->arena, "-I%s/two", p->folder);
	p->words[2] = "-DN=4";
	p->source = (struct pinned_source){.name = "program.cl",
		.is_no_file = true,
		.text = text,
		.length = strlen(text),
		.standard = "CL1.2",
		.words = p->words,
		.word_count = 3,
		.by = "opencl 1",
		.built_ins = "b",
		.built_ins_length = 1};
}

static int setup(void **state)
{
	struct site *p = *state = test_calloc(1, sizeof *p);
	make_site(p);
	unsetenv("LOCKSTEP_CLANG");
	unsetenv("LOCKSTEP_LIBCLC");
	setenv("LOCKSTEP_PIN_TO", path_of(p, "pinned"), 1);
	setenv("LOCKSTEP_PINNED", path_of(p, "pinned"), 1);
	return 0;
}

static void remove_site(struct site *p)
{
	assert_int_equal(system(arena_printf(&p->arena, "/bin/rm -r %s", p->folder)), 0);
	arena_free(&p->arena);
}

static int teardown(void **state)
{
	remove_site(*state);
	test_free(*state);
	unsetenv("LOCKSTEP_PIN_TO");
	unsetenv("LOCKSTEP_PINNED");
	return 0;
}

static void pin(struct site *p)
{
	struct text ptx = {.arena = &p->arena}, log = {.arena = &p->arena};
	text_print(&ptx, ptx_of_clang, p->folder);
	const char *makefile = arena_printf(&p->arena,
		"-: - /usr/lib/llvm-14/lib/clang/14.0.6/include/opencl-c-base.h \\\n  %s/two/v.h\n", p->folder);
	assert_true(pinned_write(&p->arena, &p->source, &ptx, makefile, "/none/clang", &log)); /* which says nothing */
}

/* The one file's path. */
static const char *pinned_file(struct site *p)
{
	char path[256] = "";
	FILE *list = popen(arena_printf(&p->arena, "/bin/ls %s/*", path_of(p, "pinned")), "r");
	assert_non_null(list);
	assert_non_null(fgets(path, sizeof path, list));
	pclose(list);
	return arena_copy(&p->arena, path, strcspn(path, "\n"));
}

static void expect_found(struct site *p)
{
	struct text ptx = {.arena = &p->arena}, why = {.arena = &p->arena};
	assert_int_equal(pinned_find(&p->arena, &p->source, NULL, &ptx, &why), PINNED_FOUND);
	assert_string_equal(ptx.at, arena_printf(&p->arena, ptx_of_pin, p->folder));
}

static void expect_none(struct site *p, const char *reason)
{
	struct text ptx = {.arena = &p->arena}, why = {.arena = &p->arena};
	assert_int_equal(pinned_find(&p->arena, &p->source, NULL, &ptx, &why), PINNED_OTHER);
	assert_string_equal(why.at, reason);
	assert_null(ptx.at);
}

/* ---- Found ---- */

static void test_found(void **state)
{
	struct site *p = *state;
	pin(p);
	expect_found(p);
	assert_true(pinned_is_there(&p->arena, &p->source, "/none/clang"));
	assert_false(pinned_is_there(&p->arena, &p->source, "/none/other"));
}

/* Folders lie elsewhere on another machine, and lines of source are told of them there. */
static void test_elsewhere(void **state)
{
	struct site *p = *state, other = {.source = {0}};
	pin(p);
	make_site(&other);
	expect_found(&other);
	/* Without the working folder, as clang leaves it out. */
	struct text ptx = {.arena = &other.arena}, why = {.arena = &other.arena};
	assert_int_equal(chdir(other.folder), 0);
	assert_int_equal(pinned_find(&other.arena, &other.source, NULL, &ptx, &why), PINNED_FOUND);
	assert_int_equal(chdir("/"), 0);
	assert_string_equal(ptx.at, arena_printf(&other.arena, ptx_of_pin, ""));
	remove_site(&other);
}

/* ---- Not found ---- */

static void test_source_changed(void **state)
{
	struct site *p = *state;
	pin(p);
	p->source.length--;
	expect_none(p, arena_printf(&p->arena,
			       "program.cl is not the source of its pinned PTX, %s: scripts/pin-ptx makes it anew",
			       pinned_file(p)));
}

static void test_options_changed(void **state)
{
	struct site *p = *state;
	pin(p);
	p->words[2] = "-DN=5";
	expect_none(p, arena_printf(&p->arena, "%s has no PTX of program.cl with -cl-std=CL1.2 -I<0> -I<1> -DN=5",
			       path_of(p, "pinned")));
	p->words[2] = "-DN=4";
	p->source.standard = "CL2.0";
	expect_none(p, arena_printf(&p->arena, "%s has no PTX of program.cl with -cl-std=CL2.0 -I<0> -I<1> -DN=4",
			       path_of(p, "pinned")));
	p->source.standard = "CL1.2";
	p->source.device = "OpenCL 1.2";
	expect_none(p, arena_printf(&p->arena,
			       "%s has no PTX of program.cl with -cl-std=CL1.2 -I<0> -I<1> -DN=4 for OpenCL 1.2",
			       path_of(p, "pinned")));
}

static void test_lockstep_changed(void **state)
{
	struct site *p = *state;
	pin(p);
	const char *why = arena_printf(
		&p->arena, "%s is of another version of Lockstep: scripts/pin-ptx makes it anew", pinned_file(p));
	p->source.by = "opencl 2";
	expect_none(p, why);
	p->source.by = "opencl 1";
	p->source.built_ins = "c";
	expect_none(p, why);
}

static void test_header_changed(void **state)
{
	struct site *p = *state;
	pin(p);
	const char *why = arena_printf(
		&p->arena, "<1>/v.h is not what was included into %s: scripts/pin-ptx makes it anew", pinned_file(p));
	write_file(p, "two/v.h", "#define V 2\n");
	expect_none(p, why);
	write_file(p, "two/v.h", header);
	expect_found(p);
	write_file(p, "one/v.h", header); /* which comes first now */
	expect_none(p, why);
	unlink(path_of(p, "one/v.h"));
	unlink(path_of(p, "two/v.h"));
	expect_none(p, why);
}

/* A header that no folder of the options has: on another machine it would not be found. */
static void test_header_elsewhere(void **state)
{
	struct site *p = *state;
	struct text ptx = {.arena = &p->arena}, log = {.arena = &p->arena};
	text_print(&ptx, "x");
	assert_false(pinned_write(&p->arena, &p->source, &ptx, "-: /opt/v.h", "/none/clang", &log));
	assert_string_equal(log.at,
		"lockstep: /opt/v.h: is included from no folder of -I, expected one: else the PTX cannot be "
		"pinned\n");
}

/* Cut anywhere, or one bit of it changed. */
static void test_damaged(void **state)
{
	struct site *p = *state;
	struct diagnostic diagnostic = {0};
	pin(p);
	const char *path = pinned_file(p),
		   *message = arena_printf(&p->arena,
			   "%s: is damaged, expected pinned PTX as it was written: scripts/pin-ptx makes it anew",
			   path);
	size_t length;
	char *whole = text_read_file(&p->arena, path, &length, &diagnostic);
	assert_true(pinned_are_whole(&diagnostic));
	for (size_t k = 0; k < length; k++) {
		for (int cut = 0; cut < 2; cut++) {
			struct text ptx = {.arena = &p->arena}, why = {.arena = &p->arena};
			struct diagnostic bad = {0};
			whole[k] ^= 1;
			assert_true(text_write_file(path, whole, cut ? k : length, &diagnostic));
			whole[k] ^= 1;
			assert_int_equal(pinned_find(&p->arena, &p->source, NULL, &ptx, &why), PINNED_DAMAGED);
			assert_string_equal(why.at, message);
			assert_false(pinned_are_whole(&bad));
			assert_string_equal(bad.message, message);
		}
	}
}

static void test_no_folder(void **state)
{
	struct site *p = *state;
	struct diagnostic diagnostic = {0};
	setenv("LOCKSTEP_PINNED", path_of(p, "nowhere"), 1);
	assert_false(pinned_are_whole(&diagnostic));
	assert_string_equal(diagnostic.message,
		arena_printf(&p->arena,
			"%s: cannot be read: No such file or directory; expected a folder of pinned PTX",
			path_of(p, "nowhere")));
}

/* The compiler by its own words. */
static void test_told(void **state)
{
	struct site *p = *state;
	struct compile_unpinned told = {0};
	write_file(p, "clang", "#!/bin/sh\necho other clang version 99\necho more\n");
	assert_int_equal(chmod(path_of(p, "clang"), 0700), 0);
	pinned_tell(&p->arena, &told, "it was chosen", path_of(p, "clang"));
	assert_string_equal(told.compiler, "other clang version 99");
	assert_string_equal(told.why, "it was chosen");
	pinned_tell(&p->arena, NULL, "nobody asks", path_of(p, "clang"));
}

/* Beside a file, for which nobody asked: only what has changed is told. */
static void test_beside(void **state)
{
	struct site *p = *state;
	struct text ptx = {.arena = &p->arena}, why = {.arena = &p->arena};
	assert_int_equal(mkdir(path_of(p, "ptx"), 0700), 0);
	setenv("LOCKSTEP_PIN_TO", path_of(p, "ptx/program"), 1);
	unsetenv("LOCKSTEP_PINNED");
	p->source.name = path_of(p, "program.cl");
	p->source.is_no_file = false;
	assert_false(pinned_is_asked(&p->arena, p->source.name, false));
	pin(p);
	assert_false(pinned_is_asked(&p->arena, p->source.name, false)); /* it is to be made anew */
	unsetenv("LOCKSTEP_PIN_TO");
	assert_true(pinned_is_asked(&p->arena, p->source.name, false));
	assert_false(pinned_is_asked(&p->arena, p->source.name, true));
	assert_int_equal(pinned_find(&p->arena, &p->source, NULL, &ptx, &why), PINNED_FOUND);
	assert_int_equal(pinned_find(&p->arena, &p->source, "clang-15", &ptx, &why), PINNED_NONE);
	p->words[2] = "-DN=5";
	assert_int_equal(pinned_find(&p->arena, &p->source, NULL, &ptx, &why), PINNED_NONE);
	p->words[2] = "-DN=4";
	p->source.length--;
	assert_int_equal(pinned_find(&p->arena, &p->source, NULL, &ptx, &why), PINNED_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_found, setup, teardown),
		cmocka_unit_test_setup_teardown(test_elsewhere, setup, teardown),
		cmocka_unit_test_setup_teardown(test_source_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_options_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lockstep_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_header_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_header_elsewhere, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(test_told, setup, teardown),
		cmocka_unit_test_setup_teardown(test_beside, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
