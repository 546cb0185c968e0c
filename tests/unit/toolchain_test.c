/* compile/toolchain: which compiler and library are found, and whether they fit. */
#include "compile/builtins.h"
#include "compile/toolchain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char folder[] = "/tmp/lockstep-toolchain-XXXXXX";

static const char *path_of(const char *name)
{
	return arena_printf(&arena, "%s/%s", folder, name);
}

static const char *write_file(const char *name, const void *bytes, size_t count, mode_t mode)
{
	const char *path = path_of(name);
	for (char *at = arena_copy(&arena, path, strlen(path)) + strlen(folder) + 1, *start = at - strlen(folder) - 1;
		(at = strchr(at, '/')); *at++ = '/') {
		*at = 0;
		mkdir(start, 0700);
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static const char *program(const char *name, mode_t mode)
{
	return write_file(name, "", 0, mode);
}

static struct toolchain find(const char *given)
{
	struct toolchain found;
	toolchain_find(&arena, given, &found);
	return found;
}

static const char *clang(const char *given)
{
	return find(given).clang;
}

static int setup(void **state)
{
	(void)state;
	unsetenv("LOCKSTEP_CLANG");
	unsetenv("LOCKSTEP_LIBCLC");
	return !mkdtemp(folder);
}

static int teardown(void **state)
{
	(void)state;
	int status = system(arena_printf(&arena, "/bin/rm -r %s", folder));
	arena_free(&arena);
	memcpy(strrchr(folder, '-'), "-XXXXXX", sizeof "-XXXXXX");
	return status;
}

static void test_clang(void **state)
{
	(void)state;
	/* Empty parts of PATH are no folders. */
	setenv("PATH", arena_printf(&arena, ":%s/none:%s/one:%s/two", folder, folder, folder), 1);
	assert_null(clang(NULL));
	assert_string_equal(find(NULL).lacks,
		"there is no clang 14 or later on PATH (Debian: apt-get install " TOOLCHAIN_CLANG ")");
	const char *plain = program("one/clang", 0755), *newer;
	assert_string_equal(clang(NULL), plain);
	program("one/clang-13", 0755);
	program("one/clang-22", 0644);
	assert_string_equal(clang(NULL), plain);
	newer = program("one/clang-15", 0755);
	assert_string_equal(clang(NULL), newer);
	newer = program("two/clang-22", 0755);
	assert_string_equal(clang(NULL), newer);
	/* That of the documentation's results, whatever is there besides. */
	const char *usual = program("two/" TOOLCHAIN_CLANG, 0755);
	assert_string_equal(clang(NULL), usual);
	usual = program("one/" TOOLCHAIN_CLANG, 0755);
	assert_string_equal(clang(NULL), usual); /* the first on PATH */
	assert_string_equal(clang("clang-22"), newer);
	assert_string_equal(clang(newer), newer);
	assert_null(clang("missing"));
	assert_null(clang(path_of("missing")));
	setenv("LOCKSTEP_CLANG", "clang-22", 1);
	assert_string_equal(clang(NULL), newer);
	assert_string_equal(clang(usual), newer);
	setenv("LOCKSTEP_CLANG", "missing", 1);
	assert_null(clang(usual));
	assert_string_equal(find(usual).lacks, "there is no program missing (--clang or LOCKSTEP_CLANG)");
	setenv("LOCKSTEP_CLANG", "", 1);
	assert_string_equal(clang(NULL), usual);
	unsetenv("LOCKSTEP_CLANG");
}

/* The first bytes of Debian 12's libclc-13 to libclc-15, and of libclc-19. */
static const unsigned char of_13[] = {0x42, 0x43, 0xc0, 0xde, 0x35, 0x14, 0, 0, 5, 0, 0, 0, 0x62, 0x0c, 0x30, 0x24,
	0x4a, 0x59, 0xbe, 0x66, 0x7d, 0xfb, 0xb4, 0xaf, 0x0b, 0x51, 0x80, 0x4c, 1, 0, 0, 0};
static const unsigned char of_14[] = {0x42, 0x43, 0xc0, 0xde, 0x35, 0x14, 0, 0, 5, 0, 0, 0, 0x62, 0x0c, 0x30, 0x24,
	0x4a, 0x59, 0xbe, 0x66, 0x8d, 0xfb, 0xb4, 0xaf, 0x0b, 0x51, 0x80, 0x4c, 1, 0, 0, 0};
static const unsigned char of_15[] = {0x42, 0x43, 0xc0, 0xde, 0x35, 0x14, 0, 0, 5, 0, 0, 0, 0x62, 0x0c, 0x30, 0x24,
	0x4a, 0x59, 0xbe, 0x66, 0x9d, 0xfb, 0xb4, 0xaf, 0x0b, 0x51, 0x80, 0x4c, 1, 0, 0, 0};
static const unsigned char of_19[] = {0x42, 0x43, 0xc0, 0xde, 0x35, 0x14, 0, 0, 5, 0, 0, 0, 0x62, 0x0c, 0x30, 0x24,
	0x4a, 0x59, 0xbe, 0x66, 0xdd, 0xfb, 0xb5, 0xbf, 0x0b, 0x51, 0x80, 0x4c, 1, 0, 0, 0};

static void test_libclc(void **state)
{
	(void)state;
	/* What is beside Lockstep, and what the system may have, is newer. */
	const char *own = program("llvm-13/bin/clang", 0755);
	const char *beside = write_file("llvm-13/lib/clc/nvptx64--nvidiacl.bc", of_13, sizeof of_13, 0644);
	const char *other = program("other.bc", 0644), *found;
	assert_string_equal(find(own).libclc, path_of("llvm-13/bin/../lib/clc/nvptx64--nvidiacl.bc"));
	assert_null(find(own).lacks);
	setenv("LOCKSTEP_LIBCLC", other, 1);
	assert_string_equal(find(own).libclc, other);
	setenv("LOCKSTEP_LIBCLC", path_of("missing"), 1);
	assert_null(find(own).libclc);
	assert_string_equal(
		find(own).lacks, "libclc's nvptx64--nvidiacl.bc is missing (Debian: apt-get install libclc-13)");
	assert_string_equal(find(program("bin/clang-15", 0755)).lacks,
		"libclc's nvptx64--nvidiacl.bc is missing (Debian: apt-get install libclc-15)");
	setenv("LOCKSTEP_LIBCLC", "", 1);
	assert_string_equal(find(own).libclc, path_of("llvm-13/bin/../lib/clc/nvptx64--nvidiacl.bc"));
	unsetenv("LOCKSTEP_LIBCLC");
	unlink(beside);
	unlink(own);
	found = find(program("bin/clang-14", 0755)).libclc; /* beside Lockstep, or where the system has it, if any */
	assert_true(!found || strstr(found, "/clc/nvptx64--nvidiacl.bc"));
}

/* A clang reads bitcode of its own version and of older ones. */
static void test_fit(void **state)
{
	(void)state;
	const char *clang_14 = program("bin/clang-14", 0755), *clang_19 = program("bin/clang-19", 0755);
	const char *plain = path_of("bin/clang");
	assert_int_equal(symlink(clang_14, plain), 0);
	setenv("PATH", path_of("bin"), 1);
	setenv("LOCKSTEP_LIBCLC", write_file("14.bc", of_14, sizeof of_14, 0644), 1);
	assert_string_equal(find(NULL).clang, clang_14);
	assert_null(find(NULL).lacks);
	assert_null(find(clang_19).lacks);
	setenv("LOCKSTEP_LIBCLC", write_file("19.bc", of_19, sizeof of_19, 0644), 1);
	assert_string_equal(find(NULL).clang, clang_19); /* nobody asked for clang-14 */
	assert_string_equal(find(NULL).libclc, path_of("19.bc"));
	assert_null(find(NULL).lacks);
	assert_null(find(plain).libclc);
	assert_string_equal(find(plain).lacks,
		arena_printf(&arena,
			"%s is of LLVM 19, and %s reads none newer than its own: install libclc-14, or choose clang-19 "
			"by --clang or LOCKSTEP_CLANG",
			path_of("19.bc"), plain));
	setenv("LOCKSTEP_LIBCLC", write_file("15.bc", of_15, sizeof of_15, 0644), 1);
	assert_string_equal(find(NULL).clang, clang_14); /* there is no clang-15 */
	assert_non_null(find(NULL).lacks);
	assert_string_equal(find(clang_19).libclc, path_of("15.bc"));
	/* What does not tell its version is taken as it is, also where it is cut. */
	for (size_t bytes = 0; bytes < 24; bytes++) {
		setenv("LOCKSTEP_LIBCLC", write_file("cut.bc", of_19, bytes, 0644), 1);
		assert_null(find(clang_14).lacks);
	}
	unsetenv("LOCKSTEP_LIBCLC");
}

/* A clang whose bitcode is its process's number: it runs once for each path. */
static void test_builtins(void **state)
{
	static const char script[] = "#!/bin/sh\ncat >/dev/null\necho $$\n";
	const char *names[] = {"clang-a", "clang-b", "clang-a", "clang-b"}, *got[4];
	size_t length[4];
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		const char *path = write_file(names[k], script, sizeof script - 1, 0755);
		got[k] = builtins_bitcode(&arena, path, true, &length[k], &(struct text){.arena = &arena});
		assert_non_null(got[k]);
		assert_int_equal(length[k], strspn(got[k], "0123456789") + 1);
	}
	assert_ptr_equal(got[0], got[2]);
	assert_ptr_equal(got[1], got[3]);
	assert_string_not_equal(got[0], got[1]);
	assert_null(builtins_bitcode(&arena, path_of("none"), true, length, &(struct text){.arena = &arena}));
	assert_ptr_equal(builtins_bitcode(&arena, path_of("clang-a"), true, length, NULL), got[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_clang, setup, teardown),
		cmocka_unit_test_setup_teardown(test_libclc, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_builtins, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
