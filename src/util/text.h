/* Text: whole files, numbers, nearest names, a growing buffer. */
#ifndef LOCKSTEP_UTIL_TEXT_H
#define LOCKSTEP_UTIL_TEXT_H

#include "util/arena.h"
#include "util/diagnostic.h"

/* Reads a whole file into the arena, with a NUL behind it.  Null and an error in `diagnostic` when it cannot. */
char *text_read_file(struct arena *arena, const char *path, size_t *length, struct diagnostic *diagnostic);

/* The same; null where it cannot be read, whatever the reason. */
char *text_try_file(struct arena *arena, const char *path);

/* Writes all to the descriptor, in as many calls as that takes; false and errno when it cannot. */
bool text_write_all(int descriptor, const char *data, size_t length);

/* Writes a file whole or not at all: a temporary beside it, then rename.  False and an error when it cannot. */
bool text_write_file(const char *path, const char *data, size_t length, struct diagnostic *diagnostic);

/* Decimal, or hexadecimal with 0x.  The whole of `text` must be the number; false when it is not or does not fit. */
bool text_to_u64(const char *text, uint64_t *value);
bool text_to_s64(const char *text, int64_t *value);
bool text_to_f64(const char *text, double *value); /* C's notation, also nan, inf, -inf; independent of the locale */

/* The line of the first whole number in a text of libconfig that does not fit the 32 bits to which libconfig would cut
 * it without a word; 0: there is none. */
uint32_t text_config_too_large(const char *text);
/* The candidate nearest to `name` by edit distance, for "did you mean"; null when none is near. */
const char *text_nearest(const char *name, const char *const *candidates, size_t count);

/* An error: "unknown WHAT 'NAME', did you mean 'NEAREST'?", or "expected EXPECTED" when none of the known is near. */
void text_refuse_unknown(struct diagnostic *diagnostic, struct place place, const char *what, const char *name,
	const char *const *known, size_t count, const char *expected);

/* "a, b or c"; of none "". */
const char *text_alternatives(struct arena *arena, const char *const *words, size_t count);

/* The last line that is not empty; "": there is none. */
const char *text_last_line(struct arena *arena, const char *text);

/* The text with each `what` replaced, which is not empty. */
const char *text_replace(struct arena *arena, const char *text, const char *what, const char *by);

/* A growing text in an arena. Zero-initialised but for `arena`. `at` is always NUL-terminated after the first print. */
struct text {
	struct arena *arena;
	char *at;
	size_t length, capacity;
};
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_append(struct text *text, const char *data, size_t length);

#define TEXT_DIGITS 32
/* 1234567 as "1,234,567", written to `text`, which is returned. */
/* Behind a noun: "" where there is one of them, else "s". */
static inline const char *text_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

const char *text_grouped(uint64_t value, char text[TEXT_DIGITS]);

/* SplitMix64 (Steele, Lea, Flood 2014): advances *state and returns the next draw. The project's only random source. */
#define SPLITMIX_STEP 0x9e3779b97f4a7c15u /* of the state */
static inline uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += SPLITMIX_STEP;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#endif
