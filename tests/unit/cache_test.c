/* compile/cache: keys, what is found again, what is damaged, folders that cannot be written, disks that are full. */
#include "compile/cache.h"
#include "util/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char folder[] = "/tmp/lockstep-cache-XXXXXX";

static struct cache_key key_of(const char *first, const char *second)
{
	struct cache_key key;
	cache_key_begin(&key, &arena);
	cache_key_add_text(&key, first);
	cache_key_add_text(&key, second);
	cache_key_end(&key);
	return key;
}

static bool same(struct cache_key a, struct cache_key b)
{
	return !memcmp(a.digest, b.digest, sizeof a.digest);
}

static struct cache_key key_of_file(const char *path)
{
	struct cache_key key;
	cache_key_begin(&key, &arena);
	cache_key_add_file(&key, path);
	cache_key_end(&key);
	return key;
}

static const char *path_of(const char *name)
{
	return arena_printf(&arena, "%s/%s", folder, name);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* The entry's file, and how many files there are. */
static const char *entry(const char *below, size_t *count)
{
	const char *path = path_of(below), *found = NULL;
	DIR *all = opendir(path);
	struct dirent *one;
	*count = 0;
	while (all && (one = readdir(all)))
		if (*one->d_name != '.') {
			found = arena_printf(&arena, "%s/%s", path, one->d_name);
			++*count;
		}
	if (all)
		closedir(all);
	return found;
}

static const struct cache_part parts[] = {{"first\0part", 10}, {"", 0}, {"3rd", 3}};

static bool finds(struct cache_key key)
{
	struct cache_part got[3] = {0};
	if (!cache_get(&key, got, 3))
		return false;
	for (size_t k = 0; k < 3; k++) {
		assert_int_equal(got[k].length, parts[k].length);
		assert_memory_equal(got[k].data, parts[k].data, parts[k].length);
		assert_int_equal(got[k].data[got[k].length], 0);
	}
	return true;
}

static void test_keys(void **state)
{
	(void)state;
	assert_true(same(key_of("ab", "c"), key_of("ab", "c")));
	assert_false(same(key_of("ab", "c"), key_of("a", "bc")));
	assert_false(same(key_of("", "c"), key_of(NULL, "c")));
	assert_false(same(key_of("a", NULL), key_of("a", "")));
	/* A file is its path, its size and its time. */
	const char *path = path_of("file"), *other = path_of("other");
	struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct cache_key none = key_of_file(path);
	write_file(path, "one");
	write_file(other, "one");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
	struct cache_key first = key_of_file(path);
	assert_false(same(first, none));
	assert_false(same(first, key_of_file(other)));
	assert_true(same(first, key_of_file(path)));
	times[1].tv_nsec = 1;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_false(same(first, key_of_file(path)));
	times[1].tv_nsec = 0;
	write_file(path, "three");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_false(same(first, key_of_file(path)));
	unlink(path);
	unlink(other);
}

static void test_found_again(void **state)
{
	struct cache_key key = key_of("found", NULL), other = key_of("other", NULL);
	struct cache_part got[4];
	size_t count;
	(void)state;
	assert_false(finds(key));
	cache_put(&key, parts, 3);
	assert_true(finds(key));
	assert_false(finds(other));
	assert_false(cache_get(&key, got, 2));
	assert_false(cache_get(&key, got, 4));
	assert_non_null(entry("lockstep", &count));
	assert_int_equal(count, 1);
	/* An entry under another's name is not its. */
	const char *name = strrchr(entry("lockstep", &count), '/') + 1;
	struct text digits = {.arena = &arena};
	for (size_t k = 0; k < sizeof key.digest; k++)
		text_print(&digits, "%02x", key.digest[k]);
	assert_string_equal(name, digits.at);
	for (size_t k = 0; k < sizeof key.digest; k++) {
		struct cache_key wrong = key;
		wrong.digest[k] ^= 1;
		assert_false(finds(wrong));
	}
	digits.length = 0;
	for (size_t k = 0; k < sizeof other.digest; k++)
		text_print(&digits, "%02x", other.digest[k]);
	const char *moved = arena_printf(&arena, "%s/lockstep/%s", folder, digits.at);
	assert_int_equal(rename(entry("lockstep", &count), moved), 0);
	assert_false(finds(other));
	unlink(moved);
}

static void test_damaged(void **state)
{
	struct cache_key key = key_of("damaged", NULL);
	char bytes[256];
	size_t count, length;
	(void)state;
	cache_put(&key, parts, 3);
	const char *path = entry("lockstep", &count);
	FILE *file = fopen(path, "r+");
	length = fread(bytes, 1, sizeof bytes, file);
	assert_in_range(length, 13, sizeof bytes - 1);
	assert_true(finds(key));
	for (size_t k = 0; k < length; k++) {
		if (k >= length - 13 - 8 && k < length - 13) /* the length of a part that there is not */
			continue;
		bytes[k] ^= 4;
		rewind(file);
		fwrite(bytes, 1, length, file);
		fflush(file);
		assert_false(finds(key));
		bytes[k] ^= 4;
	}
	rewind(file);
	fwrite(bytes, 1, length, file);
	fputc(0, file);
	fflush(file);
	assert_false(finds(key)); /* too long */
	for (size_t shorter = 0; shorter < length; shorter++) {
		assert_int_equal(ftruncate(fileno(file), (off_t)shorter), 0);
		assert_false(finds(key));
	}
	fclose(file);
	/* It is replaced by the next that is put there. */
	cache_put(&key, parts, 3);
	assert_true(finds(key));
	const char *aside = path_of("aside");
	assert_int_equal(rename(path, aside), 0);
	assert_int_equal(symlink(aside, path), 0);
	assert_false(finds(key)); /* a link is not followed */
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(finds(key)); /* and a pipe is not waited for */
	unlink(path);
	unlink(aside);
}

/* XDG base directory specification 0.8: a relative $XDG_CACHE_HOME is ignored, and without one it is $HOME/.cache. */
static void test_folders(void **state)
{
	struct cache_key key = key_of("folders", NULL);
	size_t count;
	(void)state;
	setenv("HOME", path_of("home"), 1);
	assert_int_equal(mkdir(path_of("home"), 0700), 0);
	setenv("XDG_CACHE_HOME", "relative", 1);
	cache_put(&key, parts, 3);
	assert_true(finds(key));
	const char *path = entry("home/.cache/lockstep", &count);
	assert_int_equal(count, 1);
	unsetenv("XDG_CACHE_HOME");
	assert_true(finds(key));
	setenv("HOME", "home", 1);
	cache_put(&key, parts, 3);
	assert_false(finds(key));
	unsetenv("HOME");
	cache_put(&key, parts, 3);
	assert_false(finds(key));
	setenv("XDG_CACHE_HOME", folder, 1);
	assert_false(finds(key));
	unlink(path);
	rmdir(path_of("home/.cache/lockstep"));
	rmdir(path_of("home/.cache"));
	rmdir(path_of("home"));
}

/* Nothing is kept, nothing is left, and nothing is said. */
static void test_cannot_write(void **state)
{
	struct cache_key key = key_of("full", NULL);
	struct rlimit before, none;
	size_t count;
	(void)state;
	write_file(path_of("file"), "");
	setenv("XDG_CACHE_HOME", path_of("file"), 1);
	cache_put(&key, parts, 3);
	assert_false(finds(key));
	unlink(path_of("file"));
	setenv("XDG_CACHE_HOME", folder, 1);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = before;
	none.rlim_cur = 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	cache_put(&key, parts, 3);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_false(finds(key));
	assert_null(entry("lockstep", &count));
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? setenv("XDG_CACHE_HOME", folder, 1) : -1;
}

static int end(void **state)
{
	(void)state;
	rmdir(path_of("lockstep"));
	int left = rmdir(folder);
	arena_free(&arena);
	return left;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_found_again),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_cannot_write),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
