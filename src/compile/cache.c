/* The cache: a file is a header, the lengths of the parts, and the parts; a digest of all that tells a damaged one. */
#include "compile/cache.h"

#include "compile/cache_folder.h"
#include "util/file_limit.h"
#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 0x33636b6c /* "lkc3": change it when the form of the file changes */
#define PARTS_MAX 4
#define BYTES_MAX ((off_t)1 << 30)
#define FRESH 60 /* seconds: an entry used since is not marked as used again */

struct header {
	uint32_t magic, count;
	uint8_t key[16];
	uint8_t digest[16]; /* of the whole file, with 0 here */
	uint64_t length[PARTS_MAX];
};

void cache_add_file(struct digest *key, const char *path)
{
	struct stat about;
	digest_add_text(key, path);
	if (!path || stat(path, &about))
		return;
	digest_add(key, &about.st_size, sizeof about.st_size);
	digest_add(key, &about.st_mtim, sizeof about.st_mtim);
}

/* ---- Files ---- */

/* Entries that were used the longest ago leave first. */
static void mark_used(int file, const struct stat *about)
{
	time_t age = time(NULL) - about->st_mtime;
	if (age > FRESH || age < -FRESH)
		futimens(file, NULL);
}

/* The whole file, if it is one that this user has written here. */
static char *read_file(struct arena *arena, const struct cache_folder *folder, const char *name, size_t *length)
{
	struct stat about;
	char *data = NULL;
	int file = openat(folder->file, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file < 0)
		return NULL;
	if (!fstat(file, &about) && S_ISREG(about.st_mode) && cache_folder_trusts(&about) &&
		about.st_size < BYTES_MAX && about.st_size >= (off_t)sizeof(struct header)) {
		*length = (size_t)about.st_size;
		data = arena_alloc(arena, *length);
		if (read(file, data, *length) != about.st_size)
			data = NULL;
		mark_used(file, &about);
	}
	close(file);
	return data;
}

/* Of a file, where its digest is taken for 0. */
static struct digest digest_file(struct arena *arena, const struct header *header, const char *body, size_t length)
{
	struct digest digest;
	struct header without = *header;
	memset(without.digest, 0, sizeof without.digest);
	digest_begin(&digest, arena);
	digest_add(&digest, &without, sizeof without);
	digest_add(&digest, body, length);
	digest_end(&digest);
	return digest;
}

static bool intact(const struct header *header, const struct digest *key, const char *body, size_t length, size_t count)
{
	uint64_t sum = 0;
	if (header->magic != MAGIC || header->count != count || memcmp(header->key, key->bytes, 16))
		return false;
	for (size_t k = 0; k < count; k++) {
		if (header->length[k] > length - sum)
			return false;
		sum += header->length[k];
	}
	struct digest digest = digest_file(key->arena, header, body, length);
	return sum == length && !memcmp(digest.bytes, header->digest, 16);
}

bool cache_get(const struct digest *key, struct cache_part *parts, size_t count)
{
	struct cache_folder folder = cache_folder_open(key->arena, false);
	struct header header;
	size_t length = 0;
	bool is_used = folder.file >= 0 && !folder.why;
	char *data = is_used ? read_file(key->arena, &folder, digest_digits(key), &length) : NULL;
	cache_folder_close(&folder);
	if (!data || count > PARTS_MAX)
		return false;
	memcpy(&header, data, sizeof header);
	data += sizeof header;
	if (!intact(&header, key, data, length - sizeof header, count))
		return false;
	for (size_t k = 0; k < count; k++) {
		parts[k].length = header.length[k];
		parts[k].data = arena_copy(key->arena, data, parts[k].length);
		data += parts[k].length;
	}
	return true;
}

/* A new file in the folder, under a name that no other process has; -1. */
static int new_file(struct arena *arena, const struct cache_folder *folder, const char **name)
{
	static _Atomic unsigned count;
	struct timespec now;
	int file = -1;
	errno = EEXIST;
	for (int k = 0; file < 0 && errno == EEXIST && k < 16; k++) {
		clock_gettime(CLOCK_REALTIME, &now); /* processes of other machines may have our number */
		*name = arena_printf(arena, "new-%ld-%u-%09ld", (long)getpid(), count++, (long)now.tv_nsec);
		file = openat(folder->file, *name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	return file;
}

/* Nobody reads it until it is renamed. */
static bool write_file(
	struct arena *arena, const struct cache_folder *folder, const char *name, const char *data, size_t length)
{
	const char *temporary;
	int file = new_file(arena, folder, &temporary);
	if (file < 0)
		return false;
	struct file_limit limit = file_limit_begin();
	bool good = text_write_all(file, data, length);
	file_limit_end(&limit);
	good = !close(file) && good && !renameat(folder->file, temporary, folder->file, name);
	if (!good)
		unlinkat(folder->file, temporary, 0);
	return good;
}

void cache_put(const struct digest *key, const struct cache_part *parts, size_t count)
{
	struct text data = {.arena = key->arena};
	struct header header = {.magic = MAGIC, .count = (uint32_t)count};
	if (count > PARTS_MAX)
		return;
	text_append(&data, (const char *)&header, sizeof header);
	for (size_t k = 0; k < count; k++) {
		text_append(&data, parts[k].data, parts[k].length);
		header.length[k] = parts[k].length;
	}
	memcpy(header.key, key->bytes, 16);
	struct digest digest = digest_file(data.arena, &header, data.at + sizeof header, data.length - sizeof header);
	memcpy(header.digest, digest.bytes, 16);
	memcpy(data.at, &header, sizeof header);
	struct cache_folder folder = cache_folder_open(key->arena, true);
	cache_folder_warn(&folder);
	if (folder.file >= 0 && !folder.why && data.length <= folder.limit &&
		write_file(key->arena, &folder, digest_digits(key), data.at, data.length))
		cache_folder_grew(key->arena, &folder, data.length);
	cache_folder_close(&folder);
}
