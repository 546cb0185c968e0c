/* Folders: made with those above them, and why not; listed in order without hidden files. */
#include "util/folder.h"
#include "util/text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char *base;

static const char *in(const char *name)
{
	return arena_printf(&arena, "%s/%s", base, name);
}

static int begin(void **state)
{
	(void)state;
	base = arena_printf(&arena, "%s/lockstep-folder-test-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return !mkdtemp(base);
}

static int end(void **state)
{
	(void)state;
	int status = system(arena_printf(&arena, "rm -r '%s'", base));
	arena_free(&arena);
	return status;
}

static void make_file(const char *name)
{
	struct diagnostic diagnostic = {0};
	assert_true(text_write_file(in(name), "", 0, &diagnostic));
}

static bool is_folder(const char *path)
{
	struct stat status;
	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static void folders_are_made_with_those_above(void **state)
{
	(void)state;
	static const char *const paths[] = {"a", "b/c/d", "b/c/e", "b", "f//g/", "./h/../i"};
	struct diagnostic diagnostic = {0};
	for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
		assert_true(folder_make(in(paths[k]), &diagnostic));
		assert_true(is_folder(in(paths[k])));
	}
	char here[4096];
	assert_non_null(getcwd(here, sizeof here));
	assert_int_equal(chdir(base), 0);
	assert_true(folder_make("r/s", &diagnostic) && folder_make("t", &diagnostic));
	assert_int_equal(chdir(here), 0);
	assert_true(is_folder(in("r/s")) && is_folder(in("t")));
}

/* Of a folder above that cannot be made, its own reason, and not that what is below it is not there. */
static void why_a_folder_cannot_be_made(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	make_file("file");
	assert_false(folder_make(in("file/x/y"), &diagnostic));
	assert_string_equal(diagnostic.message,
		arena_printf(&arena, "%s: cannot make the folder: Not a directory", in("file/x/y")));
	diagnostic = (struct diagnostic){0};
	assert_false(folder_make("", &diagnostic));
	assert_non_null(strstr(diagnostic.message, "cannot make the folder: No such file or directory"));
	/* Where the system lets nobody make one. */
	diagnostic = (struct diagnostic){0};
	if (mkdir("/sys/lockstep", 0777) && errno != ENOENT) {
		const char *why = strerror(errno);
		assert_false(folder_make("/sys/lockstep/x/y", &diagnostic));
		assert_string_equal(
			diagnostic.message, arena_printf(&arena, "/sys/lockstep/x/y: cannot make the folder: %s", why));
	}
}

static void folders_are_listed(void **state)
{
	(void)state;
	static const char *const expected[] = {"10", "2", "A", "a", "a-b", "a.b", "b"};
	struct folder_list list;
	make_file("b");
	make_file("a.b");
	make_file(".hidden");
	make_file("2");
	assert_int_equal(mkdir(in("a"), 0777), 0);
	make_file("a/inside");
	make_file("A");
	make_file("a-b");
	make_file("10");
	assert_true(folder_read(&arena, base, &list));
	assert_int_equal(list.names.count, 7);
	for (uint32_t k = 0; k < 7; k++)
		assert_string_equal(list.names.at[k], expected[k]);
	assert_false(folder_read(&arena, in("none"), &list));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(list.names.count, 0);
	assert_false(folder_read(&arena, in("b"), &list));
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(rmdir(in("a")), -1);
	assert_int_equal(unlink(in("a/inside")), 0);
	assert_true(folder_read(&arena, in("a"), &list));
	assert_int_equal(list.names.count, 0);
}

static void whole_paths_have_no_links(void **state)
{
	(void)state;
	const char *whole = folder_whole_path(&arena, base);
	assert_int_equal(mkdir(in("a"), 0777), 0);
	assert_int_equal(symlink("a", in("link")), 0);
	assert_string_equal(folder_whole_path(&arena, in("link/../a/.")), arena_printf(&arena, "%s/a", whole));
	assert_null(folder_whole_path(&arena, in("none")));
	assert_int_equal(errno, ENOENT);
	/* This program's. */
	const char *self = folder_whole_path(&arena, "/proc/self/exe"), *own = folder_own(&arena);
	assert_int_equal(strlen(own), strrchr(self, '/') - self);
	assert_memory_equal(own, self, strlen(own));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(folders_are_made_with_those_above, begin, end),
		cmocka_unit_test_setup_teardown(why_a_folder_cannot_be_made, begin, end),
		cmocka_unit_test_setup_teardown(folders_are_listed, begin, end),
		cmocka_unit_test_setup_teardown(whole_paths_have_no_links, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
