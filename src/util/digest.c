/* Digests are XXH3's of 128 bits. */
#include "util/digest.h"

#include "util/text.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void digest_begin(struct digest *digest, struct arena *arena)
{
	digest->arena = arena;
	digest->state = arena_new(arena, XXH3_state_t);
	XXH3_128bits_reset(digest->state);
}

void digest_add(struct digest *digest, const void *data, size_t length)
{
	uint64_t size = length;
	XXH3_128bits_update(digest->state, &size, sizeof size);
	XXH3_128bits_update(digest->state, data, length);
}

void digest_add_text(struct digest *digest, const char *text)
{
	digest_add(digest, text ? "+" : "-", 1);
	if (text)
		digest_add(digest, text, strlen(text));
}

void digest_add_words(struct digest *digest, const char *const *words)
{
	for (; *words; words++)
		digest_add_text(digest, *words);
}

void digest_end(struct digest *digest)
{
	XXH128_canonical_t canonical;
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(digest->state));
	memcpy(digest->bytes, canonical.digest, sizeof digest->bytes);
}

const char *digest_digits(const struct digest *digest)
{
	struct text digits = {.arena = digest->arena};
	for (size_t k = 0; k < sizeof digest->bytes; k++)
		text_print(&digits, "%02x", digest->bytes[k]);
	return digits.at;
}

const char *digest_of(struct arena *arena, const char *data, size_t length)
{
	struct digest digest;
	digest_begin(&digest, arena);
	digest_add(&digest, data, length);
	digest_end(&digest);
	return digest_digits(&digest);
}
