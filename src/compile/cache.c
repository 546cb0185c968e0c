/* The cache: a file is a header, the lengths of the parts, and the parts; a digest of all that tells a damaged one. */
#include "compile/cache.h"

#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define MAGIC 0x31636b6c /* "lkc1": change it when the form of the file changes */
#define PARTS_MAX 4
#define BYTES_MAX ((off_t)1 << 30)

struct header {
	uint32_t magic, count;
	uint8_t key[16];
	uint8_t digest[16]; /* of what is behind the header */
	uint64_t length[PARTS_MAX];
};

/* ---- Keys ---- */

void cache_key_begin(struct cache_key *key, struct arena *arena)
{
	key->arena = arena;
	key->state = arena_new(arena, XXH3_state_t);
	XXH3_128bits_reset(key->state);
}

void cache_key_add(struct cache_key *key, const void *data, size_t length)
{
	uint64_t size = length;
	XXH3_128bits_update(key->state, &size, sizeof size);
	XXH3_128bits_update(key->state, data, length);
}

void cache_key_add_text(struct cache_key *key, const char *text)
{
	cache_key_add(key, text ? "+" : "-", 1);
	if (text)
		cache_key_add(key, text, strlen(text));
}

void cache_key_add_file(struct cache_key *key, const char *path)
{
	struct stat about;
	cache_key_add_text(key, path);
	if (!path || stat(path, &about))
		return;
	cache_key_add(key, &about.st_size, sizeof about.st_size);
	cache_key_add(key, &about.st_mtim, sizeof about.st_mtim);
}

static void digest_of(uint8_t to[16], XXH128_hash_t hash)
{
	XXH128_canonical_t canonical;
	XXH128_canonicalFromHash(&canonical, hash);
	memcpy(to, canonical.digest, 16);
}

void cache_key_end(struct cache_key *key)
{
	digest_of(key->digest, XXH3_128bits_digest(key->state));
}

/* ---- Files ---- */

/* Null when there is no home. */
static const char *cache_folder(struct arena *arena)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && *cache == '/')
		return arena_printf(arena, "%s/lockstep", cache);
	if (home && *home == '/')
		return arena_printf(arena, "%s/.cache/lockstep", home);
	return NULL;
}

static const char *file_name(struct arena *arena, const char *folder, const struct cache_key *key)
{
	struct text name = {.arena = arena};
	text_print(&name, "%s/", folder);
	for (size_t k = 0; k < 16; k++)
		text_print(&name, "%02x", key->digest[k]);
	return name.at;
}

/* The whole file, if it is one that somebody might have written here. */
static char *read_file(struct arena *arena, const char *path, size_t *length)
{
	struct stat about;
	char *data = NULL;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file < 0)
		return NULL;
	if (!fstat(file, &about) && S_ISREG(about.st_mode) && about.st_size < BYTES_MAX &&
		about.st_size >= (off_t)sizeof(struct header)) {
		size_t done = 0;
		ssize_t step = 1;
		data = arena_alloc(arena, (size_t)about.st_size);
		while (done < (size_t)about.st_size &&
			(step = read(file, data + done, (size_t)about.st_size - done)) > 0)
			done += (size_t)step;
		*length = done;
		if (done != (size_t)about.st_size)
			data = NULL;
	}
	close(file);
	return data;
}

static bool intact(
	const struct header *header, const struct cache_key *key, const char *body, size_t length, size_t count)
{
	uint8_t digest[16];
	uint64_t sum = 0;
	if (header->magic != MAGIC || header->count != count || memcmp(header->key, key->digest, 16))
		return false;
	for (size_t k = 0; k < count; k++) {
		if (header->length[k] > length - sum)
			return false;
		sum += header->length[k];
	}
	digest_of(digest, XXH3_128bits(body, length));
	return sum == length && !memcmp(digest, header->digest, 16);
}

bool cache_get(const struct cache_key *key, struct cache_part *parts, size_t count)
{
	const char *folder = cache_folder(key->arena);
	struct header header;
	size_t length = 0;
	char *data = folder ? read_file(key->arena, file_name(key->arena, folder, key), &length) : NULL;
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

/* The folder and the one it lies in. */
static bool make_folder(struct arena *arena, const char *folder)
{
	char *above = arena_copy(arena, folder, strlen(folder));
	*strrchr(above, '/') = 0;
	mkdir(above, 0700);
	return !mkdir(folder, 0700) || errno == EEXIST;
}

static bool write_all(int file, const char *data, size_t length)
{
	for (size_t done = 0; done < length;) {
		ssize_t step = write(file, data + done, length - done);
		if (step < 0 && errno != EINTR)
			return false;
		done += step > 0 ? (size_t)step : 0;
	}
	return true;
}

void cache_put(const struct cache_key *key, const struct cache_part *parts, size_t count)
{
	const char *folder = cache_folder(key->arena);
	struct text data = {.arena = key->arena};
	struct header header = {.magic = MAGIC, .count = (uint32_t)count};
	if (!folder || count > PARTS_MAX || !make_folder(key->arena, folder))
		return;
	text_append(&data, (const char *)&header, sizeof header);
	for (size_t k = 0; k < count; k++) {
		text_append(&data, parts[k].data, parts[k].length);
		header.length[k] = parts[k].length;
	}
	memcpy(header.key, key->digest, 16);
	digest_of(header.digest, XXH3_128bits(data.at + sizeof header, data.length - sizeof header));
	memcpy(data.at, &header, sizeof header);

	/* Nobody reads it until it is renamed. */
	const char *name = file_name(key->arena, folder, key);
	char *temporary = arena_printf(key->arena, "%s/new-XXXXXX", folder);
	int file = mkostemp(temporary, O_CLOEXEC);
	if (file < 0)
		return;
	bool good = write_all(file, data.at, data.length);
	if (close(file) || !good || rename(temporary, name))
		unlink(temporary);
}
