/* compile/cache, compile/cache_folder: keys, what is found again, what is damaged, folders that cannot be written,
 * disks that are full, folders and entries of others, what leaves when there is too much, several processes at once. */
#include "compile/cache.h"
#include "compile/cache_folder.h"
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char folder[] = "/tmp/lockstep-cache-XXXXXX";

static struct digest key_of(const char *first, const char *second)
{
	struct digest key;
	digest_begin(&key, &arena);
	digest_add_text(&key, first);
	digest_add_text(&key, second);
	digest_end(&key);
	return key;
}

static bool same(struct digest a, struct digest b)
{
	return !memcmp(a.bytes, b.bytes, sizeof a.bytes);
}

static struct digest key_of_file(const char *path)
{
	struct digest key;
	digest_begin(&key, &arena);
	cache_add_file(&key, path);
	digest_end(&key);
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

static bool finds(struct digest key)
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
	struct digest none = key_of_file(path);
	write_file(path, "one");
	write_file(other, "one");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
	struct digest first = key_of_file(path);
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
	struct digest key = key_of("found", NULL), other = key_of("other", NULL);
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
	for (size_t k = 0; k < sizeof key.bytes; k++)
		text_print(&digits, "%02x", key.bytes[k]);
	assert_string_equal(name, digits.at);
	for (size_t k = 0; k < sizeof key.bytes; k++) {
		struct digest wrong = key;
		wrong.bytes[k] ^= 1;
		assert_false(finds(wrong));
	}
	digits.length = 0;
	for (size_t k = 0; k < sizeof other.bytes; k++)
		text_print(&digits, "%02x", other.bytes[k]);
	const char *moved = arena_printf(&arena, "%s/lockstep/%s", folder, digits.at);
	assert_int_equal(rename(entry("lockstep", &count), moved), 0);
	assert_false(finds(other));
	unlink(moved);
}

static void test_damaged(void **state)
{
	struct digest key = key_of("damaged", NULL);
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
		bytes[k] ^= 4;
		rewind(file);
		fwrite(bytes, 1, length, file);
		fflush(file);
		assert_false(finds(key));
		bytes[k] ^= 4;
	}
	/* A byte that goes from one part to the next, which changes no content. */
	for (size_t k = 0; k + 8 < length - 13; k++) {
		bytes[k]--;
		bytes[k + 8]++;
		rewind(file);
		fwrite(bytes, 1, length, file);
		fflush(file);
		assert_false(finds(key));
		bytes[k]++;
		bytes[k + 8]--;
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
	struct digest key = key_of("folders", NULL);
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
	unlink(path_of("home/.cache/lockstep/.grown"));
	rmdir(path_of("home/.cache/lockstep"));
	rmdir(path_of("home/.cache"));
	rmdir(path_of("home"));
}

/* Nothing is kept, nothing is left, and nothing is said. */
static void test_cannot_write(void **state)
{
	struct digest key = key_of("full", NULL);
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

/* ---- Whose it is ---- */

static const char *why_unused(void)
{
	struct cache_folder opened = cache_folder_open(&arena, false);
	cache_folder_close(&opened);
	return opened.why;
}

/* Neither a folder nor an entry that others may write to, or that is another's, or that a link of theirs leads to. */
static void test_trust(void **state)
{
	static const mode_t unsafe[] = {0720, 0702, 0777, 01777};
	struct digest key = key_of("trust", NULL);
	const char *there = path_of("lockstep"), *aside = path_of("aside");
	size_t count;
	(void)state;
	cache_put(&key, parts, 3);
	const char *path = entry("lockstep", &count);
	assert_null(why_unused());
	for (size_t k = 0; k < sizeof unsafe / sizeof *unsafe; k++) {
		assert_int_equal(chmod(there, unsafe[k]), 0);
		assert_string_equal(why_unused(),
			arena_printf(&arena, "others may write to it (mode %03o), expected 700", unsafe[k] & 0777));
		assert_false(finds(key));
		unlink(path);
		cache_put(&key, parts, 3);
		assert_null(entry("lockstep", &count));
		assert_int_equal(chmod(there, 0755), 0); /* others may read */
		cache_put(&key, parts, 3);
		assert_true(finds(key));
		assert_int_equal(chmod(path, 0600 | (unsafe[k] & 022)), 0);
		assert_false(finds(key));
		assert_int_equal(chmod(path, 0644), 0);
		assert_true(finds(key));
	}
	assert_int_equal(rename(there, aside), 0);
	assert_int_equal(symlink(aside, there), 0);
	assert_true(finds(key)); /* one's own link */
	if (!geteuid()) {
		assert_int_equal(lchown(there, 1, 1), 0);
		assert_string_equal(why_unused(), "it is a symbolic link of user 1");
		assert_false(finds(key));
	}
	unlink(there);
	assert_int_equal(rename(aside, there), 0);
	if (!geteuid()) {
		assert_int_equal(chown(path, 1, 1), 0);
		assert_false(finds(key));
		cache_put(&key, parts, 3);
		assert_true(finds(key)); /* it has been replaced */
		assert_int_equal(chown(there, 1, 1), 0);
		assert_string_equal(why_unused(), "it belongs to user 1, not to 0");
		assert_false(finds(key));
		assert_int_equal(chown(there, 0, 0), 0);
	}
	assert_true(finds(key));
	unlink(path);
	unlink(path_of("lockstep/.grown"));
	assert_int_equal(rmdir(there), 0);
	mode_t before = umask(0);
	cache_put(&key, parts, 3);
	umask(before);
	struct stat about;
	assert_int_equal(stat(there, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0700);
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0600);
	unlink(path);
}

/* ---- How large it becomes ---- */

static void test_limits(void **state)
{
	static const struct {
		const char *text;
		uint64_t limit;
		const char *why;
	} table[] = {
		{NULL, 512 << 20, NULL},
		{"", 512 << 20, NULL},
		{"65536", 65536, NULL},
		{"64K", 65536, NULL},
		{"3M", 3 << 20, NULL},
		{"2G", (uint64_t)2 << 30, NULL},
		{"0", 0, "LOCKSTEP_CACHE_SIZE is 0"},
		{"0K", 0, "LOCKSTEP_CACHE_SIZE is 0"},
		{"K", 0, "LOCKSTEP_CACHE_SIZE=K: expected bytes, such as 512M; 0 for no cache"},
		{"4T", 0, "LOCKSTEP_CACHE_SIZE=4T: expected bytes, such as 512M; 0 for no cache"},
		{"-1", 0, "LOCKSTEP_CACHE_SIZE=-1: expected bytes, such as 512M; 0 for no cache"},
		{"18446744073709551615K", 0,
			"LOCKSTEP_CACHE_SIZE=18446744073709551615K: expected bytes, such as 512M; 0 for no cache"},
	};
	struct digest key = key_of("limits", NULL);
	size_t count;
	(void)state;
	cache_put(&key, parts, 3);
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		if (table[k].text)
			setenv("LOCKSTEP_CACHE_SIZE", table[k].text, 1);
		struct cache_folder opened = cache_folder_open(&arena, false);
		cache_folder_close(&opened);
		assert_int_equal(opened.limit, table[k].limit);
		if (table[k].why)
			assert_string_equal(opened.why, table[k].why);
		else
			assert_null(opened.why);
		assert_int_equal(finds(key), !table[k].why);
	}
	setenv("LOCKSTEP_CACHE_SIZE", "80", 1); /* the entry is larger */
	unlink(entry("lockstep", &count));
	cache_put(&key, parts, 3);
	assert_null(entry("lockstep", &count));
	unsetenv("LOCKSTEP_CACHE_SIZE");
}

#define LARGE 8000

static void put_large(uint32_t number)
{
	static char bytes[LARGE];
	struct cache_part part = {bytes, sizeof bytes};
	struct digest key = key_of("large", arena_printf(&arena, "%u", number));
	cache_put(&key, &part, 1);
}

static bool has_large(uint32_t number)
{
	struct cache_part part;
	struct digest key = key_of("large", arena_printf(&arena, "%u", number));
	return cache_get(&key, &part, 1);
}

static struct cache_size size_now(void)
{
	struct cache_folder opened = cache_folder_open(&arena, false);
	struct cache_size size = cache_folder_size(&arena, &opened);
	cache_folder_close(&opened);
	return size;
}

static struct cache_size clear(void)
{
	int error;
	struct cache_folder opened = cache_folder_open(&arena, false);
	struct cache_size size = cache_folder_clear(&arena, &opened, &error);
	cache_folder_close(&opened);
	assert_int_equal(error, 0);
	return size;
}

/* All files there are as old as that, the first put the oldest. */
static void make_old(uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		struct digest key = key_of("large", arena_printf(&arena, "%u", k));
		struct text path = {.arena = &arena};
		struct timespec times[2] = {{.tv_sec = 1000 + k}, {.tv_sec = 1000 + k}};
		text_print(&path, "%s/lockstep/", folder);
		for (size_t d = 0; d < sizeof key.bytes; d++)
			text_print(&path, "%02x", key.bytes[d]);
		utimensat(AT_FDCWD, path.at, times, 0);
	}
}

static void test_least_recently_used(void **state)
{
	const char *abandoned = path_of("lockstep/new-1-1-1"), *writing = path_of("lockstep/new-2-2-2");
	const char *other = path_of("lockstep/other");
	struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	(void)state;
	setenv("LOCKSTEP_CACHE_SIZE", "64K", 1);
	for (uint32_t k = 0; k < 7; k++)
		put_large(k);
	write_file(abandoned, "part of an entry");
	write_file(writing, "part of an entry");
	write_file(other, "not ours");
	utimensat(AT_FDCWD, abandoned, old, 0);
	utimensat(AT_FDCWD, other, old, 0);
	assert_int_equal(size_now().entries, 7);
	make_old(7);
	assert_true(has_large(0)); /* and is the newest now */
	for (uint32_t k = 7; k < 20; k++) {
		put_large(k);
		assert_in_range(size_now().bytes, 5 * LARGE, 64 << 10);
	}
	assert_true(has_large(19));
	assert_false(has_large(1));
	assert_false(has_large(2));
	assert_int_equal(access(abandoned, F_OK), -1);
	assert_int_equal(access(writing, F_OK), 0);
	assert_int_equal(access(other, F_OK), 0);
	/* Which one left first. */
	clear();
	for (uint32_t k = 0; k < 7; k++)
		put_large(k);
	make_old(7);
	assert_true(has_large(0));
	put_large(7);
	assert_true(has_large(0));
	assert_false(has_large(1));
	assert_true(has_large(2));
	/* Only entries are removed. */
	assert_int_equal(clear().entries, 7);
	assert_int_equal(size_now().bytes, 0);
	assert_int_equal(access(writing, F_OK), -1);
	assert_int_equal(access(other, F_OK), 0);
	unlink(other);
	unsetenv("LOCKSTEP_CACHE_SIZE");
}

/* Entries come and leave in four processes at once: each that is found is right, and they are not too many. */
static void test_at_once(void **state)
{
	(void)state;
	setenv("LOCKSTEP_CACHE_SIZE", "64K", 1);
	for (uint32_t process = 0; process < 4; process++)
		if (!fork()) {
			struct digest key = key_of("at once", NULL);
			bool good = true;
			for (uint32_t k = 0; k < 50; k++) {
				struct cache_part part, same = {"same", 4};
				put_large(k);
				cache_put(&key, &same, 1);
				good = good && (!cache_get(&key, &part, 1) || !strcmp(part.data, "same"));
			}
			_exit(!good);
		}
	for (uint32_t process = 0; process < 4; process++) {
		int status;
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	put_large(1);
	assert_in_range(size_now().bytes, LARGE, 64 << 10);
	for (uint32_t k = 0; k < 50; k++)
		has_large(k);
	clear();
	unsetenv("LOCKSTEP_CACHE_SIZE");
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? setenv("XDG_CACHE_HOME", folder, 1) : -1;
}

static int end(void **state)
{
	(void)state;
	unlink(path_of("lockstep/.grown"));
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
		cmocka_unit_test(test_trust),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_least_recently_used),
		cmocka_unit_test(test_at_once),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
