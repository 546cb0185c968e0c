/* Digests of what something is made of, gathered piece by piece: they tell what has changed, by accident and not by
 * malice. */
#ifndef LOCKSTEP_UTIL_DIGEST_H
#define LOCKSTEP_UTIL_DIGEST_H

#include "util/arena.h"

#include <stddef.h>
#include <stdint.h>

struct digest {
	struct arena *arena;
	void *state;
	uint8_t bytes[16]; /* after digest_end */
};

void digest_begin(struct digest *digest, struct arena *arena);
void digest_add(struct digest *digest, const void *data, size_t length); /* with its length: "ab","c" is not "a","bc" */
void digest_add_text(struct digest *digest, const char *text);           /* null is not "" */
void digest_add_words(struct digest *digest, const char *const *words);  /* null-terminated */
void digest_end(struct digest *digest);
/* It as 32 hexadecimal digits, in its arena. */
const char *digest_digits(const struct digest *digest);
/* Of one piece alone. */
const char *digest_of(struct arena *arena, const char *data, size_t length);

#endif
