/* Text: whole files, numbers, nearest names, a growing buffer. */
#include "util/text.h"

#include "util/new_file.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define TEXT_LARGEST (1u << 30) /* bytes: a pipe may never end */

/* Reads from where the file is to its end; null: that is too far.  The size is only a guess: pipes have none and files
 * grow. */
static char *read_all(struct arena *arena, FILE *file, size_t *length)
{
	struct stat status;
	size_t capacity = 4096, filled = 0;
	if (!fstat(fileno(file), &status) && S_ISREG(status.st_mode) && status.st_size > 0)
		capacity = (size_t)status.st_size + 2; /* the NUL, and one so that the end is met without growing */
	if (capacity > TEXT_LARGEST)
		return NULL;
	char *data = arena_alloc(arena, capacity);
	for (;;) {
		filled += fread(data + filled, 1, capacity - 1 - filled, file);
		if (filled < capacity - 1)
			break;
		if (capacity * 2 > TEXT_LARGEST)
			return NULL;
		data = arena_grow(arena, data, capacity, capacity * 2);
		capacity *= 2;
	}
	data[filled] = '\0';
	*length = filled;
	return data;
}

/* Pipes and terminals end; of other devices, only the null device is sure to. */
static bool may_end(FILE *file)
{
	struct stat status;
	if (fstat(fileno(file), &status) || S_ISBLK(status.st_mode))
		return false;
	return !S_ISCHR(status.st_mode) || isatty(fileno(file)) || status.st_rdev == makedev(1, 3);
}

char *text_read_file(struct arena *arena, const char *path, size_t *length, struct diagnostic *diagnostic)
{
	struct place place = {.file = path};
	FILE *file = fopen(path, "rbe");
	char *data = NULL;
	if (!file) {
		diagnose(diagnostic, place, "cannot open: %s", strerror(errno));
		return NULL;
	}
	if (!may_end(file))
		diagnose(diagnostic, place, "is a device: expected a file or a pipe");
	else if (!(data = read_all(arena, file, length)))
		diagnose(diagnostic, place, "expected at most %u MiB", TEXT_LARGEST >> 20);
	else if (ferror(file)) {
		diagnose(diagnostic, place, "cannot read: %s", strerror(errno));
		data = NULL;
	}
	fclose(file);
	return data;
}

char *text_try_file(struct arena *arena, const char *path)
{
	struct diagnostic ignored = {0};
	size_t length;
	return text_read_file(arena, path, &length, &ignored);
}

bool text_write_all(int descriptor, const char *data, size_t length)
{
	while (length) {
		ssize_t written = write(descriptor, data, length);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		data += written;
		length -= (size_t)written;
	}
	return true;
}

bool text_write_file(const char *path, const char *data, size_t length, struct diagnostic *diagnostic)
{
	struct new_file file;
	bool good = new_file_begin(&file, path, 0);
	if (good) {
		good = text_write_all(file.descriptor, data, length);
		int why = errno;
		if (close(file.descriptor) && good) {
			good = false;
			why = errno;
		}
		errno = why;
		good = new_file_end(&file, good) && good;
	}
	if (!good)
		diagnose(diagnostic, (struct place){.file = path}, "cannot write: %s", strerror(errno));
	return good;
}

/* The value of a digit in any base up to 16; 16 when it is none. */
static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

bool text_to_u64(const char *text, uint64_t *value)
{
	unsigned base = 10;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (!*text)
		return false;
	uint64_t sum = 0;
	for (; *text; text++) {
		unsigned digit = digit_of(*text);
		if (digit >= base || __builtin_mul_overflow(sum, base, &sum) ||
			__builtin_add_overflow(sum, digit, &sum))
			return false;
	}
	*value = sum;
	return true;
}

bool text_to_s64(const char *text, int64_t *value)
{
	bool negative = *text == '-';
	uint64_t magnitude;
	if (!text_to_u64(text + negative, &magnitude) || magnitude > (uint64_t)INT64_MAX + negative)
		return false;
	*value = (int64_t)(negative ? -magnitude : magnitude);
	return true;
}

bool text_to_f64(const char *text, double *value)
{
	if (!*text || strchr(" \t\n\v\f\r", *text))
		return false;
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a constant of the C library, never freed */
	char *end;
	errno = 0;
	double result = strtod_l(text, &end, plain);
	bool too_large = errno == ERANGE && (result > 1 || result < -1);
	if (*end || too_large)
		return false;
	*value = result;
	return true;
}

enum { LONGEST_NAME = 127 };

static char lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that make `a` into `b` (Damerau and Levenshtein),
 * whatever the case of letters; both at most LONGEST_NAME long. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][LONGEST_NAME + 1]; /* rows[i % 3][j]: from the first i letters of a to the first j of b */
	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
				       lower(a[i - 2]) == lower(b[j - 1]);
			row[j] = lesser(
				lesser(above[j], row[j - 1]) + 1, above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1])));
			if (swapped)
				row[j] = lesser(row[j], second[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

const char *text_nearest(const char *name, const char *const *candidates, size_t count)
{
	size_t length = strlen(name);
	if (length > LONGEST_NAME)
		return NULL;
	const char *nearest = NULL;
	size_t least = (length + 2) / 3 + 1; /* one more than what still counts as near */
	for (size_t i = 0; i < count; i++) {
		size_t candidate_length = strlen(candidates[i]);
		if (candidate_length > LONGEST_NAME)
			continue;
		size_t distance = edit_distance(name, length, candidates[i], candidate_length);
		if (distance < least && distance < candidate_length) {
			least = distance;
			nearest = candidates[i];
		}
	}
	return nearest;
}

void text_refuse_unknown(struct diagnostic *diagnostic, struct place place, const char *what, const char *name,
	const char *const *known, size_t count, const char *expected)
{
	const char *nearest = text_nearest(name, known, count);
	if (nearest)
		diagnose(diagnostic, place, "unknown %s '%s', did you mean '%s'?", what, name, nearest);
	else
		diagnose(diagnostic, place, "unknown %s '%s', expected %s", what, name, expected);
}

/* Room for `more` bytes and a NUL behind what is there. */
static void reserve(struct text *text, size_t more)
{
	size_t needed = text->length + more + 1;
	if (needed <= text->capacity)
		return;
	size_t capacity = text->capacity ? text->capacity : 128;
	while (capacity < needed)
		capacity *= 2;
	text->at = arena_grow(text->arena, text->at, text->at ? text->length + 1 : 0, capacity);
	text->capacity = capacity;
}

void text_print(struct text *text, const char *format, ...)
{
	va_list list, again;
	va_start(list, format);
	va_copy(again, list);
	int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	assert(length >= 0);
	reserve(text, (size_t)length);
	vsnprintf(text->at + text->length, (size_t)length + 1, format, list);
	va_end(list);
	text->length += (size_t)length;
}

void text_append(struct text *text, const char *data, size_t length)
{
	reserve(text, length);
	if (length)
		memcpy(text->at + text->length, data, length);
	text->length += length;
	text->at[text->length] = '\0';
}

const char *text_alternatives(struct arena *arena, const char *const *words, size_t count)
{
	struct text all = {.arena = arena};
	text_append(&all, "", 0);
	for (size_t k = 0; k < count; k++)
		text_print(&all, "%s%s", !k ? "" : k + 1 < count ? ", " : " or ", words[k]);
	return all.at;
}

const char *text_last_line(struct arena *arena, const char *text)
{
	size_t end = strlen(text);
	while (end && text[end - 1] == '\n')
		end--;
	size_t first = end;
	while (first && text[first - 1] != '\n')
		first--;
	return arena_copy(arena, text + first, end - first);
}

const char *text_replace(struct arena *arena, const char *text, const char *what, const char *by)
{
	struct text all = {.arena = arena};
	for (const char *found; (found = strstr(text, what)); text = found + strlen(what)) {
		text_append(&all, text, (size_t)(found - text));
		text_print(&all, "%s", by);
	}
	text_print(&all, "%s", text);
	return all.at;
}

const char *text_grouped(uint64_t value, char text[TEXT_DIGITS])
{
	char digits[TEXT_DIGITS];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, value), at = 0;
	for (int k = 0; k < length; k++) {
		if (k && (length - k) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[k];
	}
	text[at] = '\0';
	return text;
}

/* Bytes of the comment or the text in quotes that begins at `at`; 0: neither does. */
static size_t config_skipped(const char *at)
{
	if (*at == '#' || !strncmp(at, "//", 2))
		return strcspn(at, "\n");
	if (!strncmp(at, "/*", 2)) {
		const char *end = strstr(at + 2, "*/");
		return end ? (size_t)(end + 2 - at) : strlen(at);
	}
	size_t length = *at == '"';
	if (!length)
		return 0;
	while (at[length] && at[length] != '"')
		length += at[length] == '\\' && at[length + 1] ? 2 : 1;
	return length + (at[length] == '"');
}

uint32_t text_config_too_large(const char *text)
{
	static const char word[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.";
	uint32_t line = 1;
	while (*text) {
		size_t length = config_skipped(text);
		if (!length)
			length = strspn(text, word);
		uint64_t value;
		if (length == strspn(text, "0123456789") && length && length < 64) {
			char digits[64];
			snprintf(digits, sizeof digits, "%.*s", (int)length, text);
			if (!text_to_u64(digits, &value) || value > INT32_MAX)
				return line;
		}
		for (length = length ? length : 1; length; length--)
			line += *text++ == '\n';
	}
	return 0;
}
