/* The files of the folder: entries (32 digits), entries that are being written (new-...), and .grown.
 *
 * .grown is as many bytes long as the folder has got pages of PAGE bytes since entries were last removed: to look at
 * all entries for each new one would take long on a network.  It is the lock of those that remove, too. */
#include "compile/cache_folder.h"

#include "util/file_limit.h"
#include "util/text.h"
#include "util/vector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_DEFAULT ((uint64_t)512 << 20)
#define GROWN ".grown"
#define PAGE 4096
#define GROWN_PART 16  /* entries leave when this part of the limit has come */
#define ROOM_PART 8    /* and then so many that this part is free */
#define ABANDONED 3600 /* seconds, after which nobody is still writing an entry */

/* ---- Where, and whether ---- */

/* Null when there is no home. */
static const char *path_of(struct arena *arena)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && *cache == '/')
		return arena_printf(arena, "%s/lockstep", cache);
	if (home && *home == '/')
		return arena_printf(arena, "%s/.cache/lockstep", home);
	return NULL;
}

/* "64", "64K", "512M", "2G". */
static bool read_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	char digits[TEXT_DIGITS];
	size_t length = strlen(text);
	const char *unit = length ? strchr(units, text[length - 1]) : NULL;
	if (unit)
		length--;
	if (!length || length >= sizeof digits)
		return false;
	memcpy(digits, text, length);
	digits[length] = 0;
	unsigned shift = unit ? (unsigned)(unit - units + 1) * 10 : 0;
	if (!text_to_u64(digits, bytes) || *bytes > UINT64_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}

static void read_limit(struct arena *arena, struct cache_folder *folder)
{
	const char *text = getenv("LOCKSTEP_CACHE_SIZE");
	folder->limit = LIMIT_DEFAULT;
	if (!text || !*text)
		return;
	if (!read_size(text, &folder->limit)) {
		folder->why = arena_printf(
			arena, "LOCKSTEP_CACHE_SIZE=%s: expected bytes, such as 512M; 0 for no cache", text);
		folder->is_unsafe = true;
		folder->limit = 0;
	} else if (!folder->limit) {
		folder->why = "LOCKSTEP_CACHE_SIZE is 0";
	}
}

bool cache_folder_trusts(const struct stat *about)
{
	return about->st_uid == geteuid() && !(about->st_mode & (S_IWGRP | S_IWOTH));
}

/* Null: it is the user's own. */
static const char *distrust(struct arena *arena, const struct stat *about)
{
	if (about->st_uid != geteuid())
		return arena_printf(
			arena, "it belongs to user %u, not to %u", (unsigned)about->st_uid, (unsigned)geteuid());
	if (!cache_folder_trusts(about))
		return arena_printf(
			arena, "others may write to it (mode %03o), expected 700", (unsigned)(about->st_mode & 0777));
	return NULL;
}

/* The folder and the one it lies in. */
static void make_folder(struct arena *arena, const char *path)
{
	char *above = arena_text(arena, path);
	*strrchr(above, '/') = 0;
	mkdir(above, 0700);
	mkdir(path, 0700);
}

/* Only the user's own symbolic link leads elsewhere. */
static int open_path(struct arena *arena, struct cache_folder *folder)
{
	struct stat about;
	bool is_link = !lstat(folder->path, &about) && S_ISLNK(about.st_mode);
	if (is_link && about.st_uid != geteuid()) {
		folder->why = arena_printf(arena, "it is a symbolic link of user %u", (unsigned)about.st_uid);
		folder->is_unsafe = true;
		return -1;
	}
	int file = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (is_link ? 0 : O_NOFOLLOW));
	folder->why = file < 0 && errno != ENOENT ? strerror(errno) : NULL;
	return file;
}

static void open_folder(struct arena *arena, struct cache_folder *folder, bool make)
{
	struct stat about;
	if (make)
		make_folder(arena, folder->path);
	folder->file = open_path(arena, folder);
	if (folder->file < 0)
		return;
	folder->why = fstat(folder->file, &about) ? strerror(errno) : distrust(arena, &about);
	folder->is_unsafe = folder->why;
}

struct cache_folder cache_folder_open(struct arena *arena, bool make)
{
	struct cache_folder folder = {.path = path_of(arena), .file = -1};
	read_limit(arena, &folder);
	struct cache_folder off = folder; /* for there is no cache, or its size is wrong */
	if (folder.path)
		open_folder(arena, &folder, make && !off.why);
	else
		folder.why = "neither XDG_CACHE_HOME nor HOME names a folder";
	if (folder.why)
		cache_folder_close(&folder);
	if (off.why) {
		folder.why = off.why;
		folder.is_unsafe = off.is_unsafe;
	}
	return folder;
}

void cache_folder_close(struct cache_folder *folder)
{
	if (folder->file >= 0)
		close(folder->file);
	folder->file = -1;
}

void cache_folder_warn(const struct cache_folder *folder)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	if (folder->is_unsafe && !atomic_flag_test_and_set(&said))
		fprintf(stderr, "lockstep: compiled kernels are not kept in %s: %s\n",
			folder->path ? folder->path : "the cache", folder->why);
}

/* ---- Files ---- */

struct entry {
	const char *name;
	uint64_t bytes;
	struct timespec used;
	bool is_whole; /* else it is being written */
};

struct entries {
	VECTOR(struct entry) list;
	struct cache_size size; /* of the whole ones; bytes of all */
};

static bool is_name(const char *name, bool *is_whole)
{
	*is_whole = strlen(name) == 32 && strspn(name, "0123456789abcdef") == 32;
	return *is_whole || !strncmp(name, "new-", 4);
}

/* Those of the user. */
static void list_entries(struct arena *arena, const struct cache_folder *folder, struct entries *entries)
{
	int again = openat(folder->file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *all = again < 0 ? NULL : fdopendir(again);
	struct dirent *one;
	struct stat about;
	bool is_whole;
	if (!all && again >= 0)
		close(again);
	while (all && (one = readdir(all))) {
		if (!is_name(one->d_name, &is_whole) ||
			fstatat(folder->file, one->d_name, &about, AT_SYMLINK_NOFOLLOW) || !S_ISREG(about.st_mode) ||
			about.st_uid != geteuid())
			continue;
		*vector_push(arena, &entries->list) = (struct entry){
			arena_text(arena, one->d_name), (uint64_t)about.st_size, about.st_mtim, is_whole};
		entries->size.entries += is_whole;
		entries->size.bytes += (uint64_t)about.st_size;
	}
	if (all)
		closedir(all);
}

struct cache_size cache_folder_size(struct arena *arena, const struct cache_folder *folder)
{
	struct entries entries = {0};
	list_entries(arena, folder, &entries);
	return entries.size;
}

struct cache_size cache_folder_clear(struct arena *arena, const struct cache_folder *folder, int *error)
{
	struct entries entries = {0};
	struct cache_size size = {0};
	*error = 0;
	list_entries(arena, folder, &entries);
	for (uint32_t k = 0; k < entries.list.count; k++) {
		const struct entry *entry = &entries.list.at[k];
		if (!unlinkat(folder->file, entry->name, 0)) {
			size.entries += entry->is_whole;
			size.bytes += entry->bytes;
		} else if (errno != ENOENT) {
			*error = errno;
		}
	}
	unlinkat(folder->file, GROWN, 0);
	return size;
}

/* ---- What leaves ---- */

/* Those used the longest ago first; of the same time in any fixed order. */
static int compare(const void *a, const void *b)
{
	const struct entry *one = a, *two = b;
	if (one->used.tv_sec != two->used.tv_sec)
		return one->used.tv_sec < two->used.tv_sec ? -1 : 1;
	if (one->used.tv_nsec != two->used.tv_nsec)
		return one->used.tv_nsec < two->used.tv_nsec ? -1 : 1;
	return strcmp(one->name, two->name);
}

/* One that is gone already has left, too; other processes only ever open it by its name, or have it open. */
static void remove_entry(const struct cache_folder *folder, struct entries *entries, const struct entry *entry)
{
	if (!unlinkat(folder->file, entry->name, 0) || errno == ENOENT)
		entries->size.bytes -= entry->bytes;
}

static void remove_some(struct arena *arena, const struct cache_folder *folder)
{
	struct entries entries = {0};
	uint64_t wanted = folder->limit - folder->limit / ROOM_PART;
	time_t now = time(NULL);
	list_entries(arena, folder, &entries);
	if (entries.list.count)
		qsort(entries.list.at, entries.list.count, sizeof *entries.list.at, compare);
	for (uint32_t k = 0; k < entries.list.count; k++) {
		const struct entry *entry = &entries.list.at[k];
		if (entry->is_whole ? entries.size.bytes > wanted : entry->used.tv_sec < now - ABANDONED)
			remove_entry(folder, &entries, entry);
	}
}

/* Makes .grown longer, in one step, since others may do so, too; its length. */
static uint64_t add_pages(int file, uint64_t pages)
{
	static char zeros[1 << 16]; /* an entry of more than 256 MB counts as one of so much */
	struct stat about;
	struct file_limit limit = file_limit_begin();
	if (write(file, zeros, pages < sizeof zeros ? (size_t)pages : sizeof zeros) < 0)
		(void)0; /* then it is as long as it was */
	file_limit_end(&limit);
	return fstat(file, &about) ? 0 : (uint64_t)about.st_size;
}

/* False while another process has it; where there are no locks, two at once do no harm. */
static bool lock(int file)
{
	return !flock(file, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK;
}

void cache_folder_grew(struct arena *arena, const struct cache_folder *folder, uint64_t bytes)
{
	struct stat about;
	int file = openat(folder->file, GROWN, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (file < 0)
		return;
	if (!fstat(file, &about) && S_ISREG(about.st_mode) && cache_folder_trusts(&about)) {
		bool is_new = !about.st_size; /* then it is not known what is there */
		uint64_t grown = add_pages(file, bytes / PAGE + 1);
		if ((is_new || grown * PAGE > folder->limit / GROWN_PART) && lock(file)) {
			remove_some(arena, folder);
			if (ftruncate(file, 1)) /* then entries leave again at the next */
				(void)0;
		}
	}
	close(file);
}
