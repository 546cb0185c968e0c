/* Files of graphs, as graph.h says.  What is wrong in them is one line with file, line and column. */
#include "edges.h"

#include "../common.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Lines and their words ---- */

#define BLANKS " \t\r\v\f"

struct reader {
	FILE *stream;
	const char *path;
	char *text; /* the line, without its end; "" behind the last */
	size_t room;
	uint32_t line;
	const char *word; /* the last one, in the line; without characters: there was none */
	int length;
};

static struct reader open_reader(const char *path)
{
	struct reader r = {.stream = fopen(path, "rb"), .path = path, .text = NULL};
	if (!r.stream)
		options_refuse("%s: %s", path, strerror(errno));
	return r;
}

static void close_reader(struct reader *r)
{
	fclose(r->stream);
	free(r->text);
}

/* About the last word. */
static __attribute__((format(printf, 2, 3), noreturn)) void expected(const struct reader *r, const char *format, ...)
{
	char text[128];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	int column = 1 + (int)(r->word - r->text), shown = r->length < 40 ? r->length : 40;
	if (shown)
		options_refuse(
			"%s:%" PRIu32 ":%d: expected %s, not '%.*s'", r->path, r->line, column, text, shown, r->word);
	options_refuse("%s:%" PRIu32 ":%d: expected %s", r->path, r->line, column, text);
}

/* Whether there is another line; the next word is its first. */
static bool read_line(struct reader *r)
{
	ssize_t length = getline(&r->text, &r->room, r->stream);
	if (length < 0 && (ferror(r->stream) || !r->text))
		options_refuse("%s: cannot be read", r->path);
	for (ssize_t k = 0; k < length; k++)
		if (!isprint((unsigned char)r->text[k]) && !isspace((unsigned char)r->text[k]))
			r->text[k] = '?';
	while (length > 0 && isspace((unsigned char)r->text[length - 1]))
		length--;
	r->text[length < 0 ? 0 : (size_t)length] = 0;
	r->word = r->text;
	r->length = 0;
	r->line++;
	return length >= 0; /* an empty line has 0 */
}

/* Whether there is another word in the line. */
static bool next_word(struct reader *r)
{
	r->word += r->length;
	r->word += strspn(r->word, BLANKS);
	r->length = (int)strcspn(r->word, BLANKS);
	return r->length > 0;
}

static bool word_is(const struct reader *r, const char *word)
{
	return (size_t)r->length == strlen(word) && !strncasecmp(r->word, word, (size_t)r->length);
}

static void need_word(struct reader *r, const char *word)
{
	if (!next_word(r) || !word_is(r, word))
		expected(r, "'%s'", word);
}

static void end_line(struct reader *r)
{
	if (next_word(r))
		expected(r, "the end of the line");
}

/* The next line that has words; its first is the last one.  False behind the last. */
static bool next_line(struct reader *r)
{
	while (read_line(r))
		if (next_word(r))
			return true;
	return false;
}

/* The last word. */
static uint32_t number(const struct reader *r, const char *what, uint32_t least, uint32_t most)
{
	char *end = NULL;
	errno = 0;
	unsigned long long value = r->length && isdigit((unsigned char)*r->word) ? strtoull(r->word, &end, 10) : 0;
	if (end != r->word + r->length || errno || value < least || value > most)
		expected(r, "%s, from %" PRIu32 " to %" PRIu32, what, least, most);
	return (uint32_t)value;
}

static uint32_t next_number(struct reader *r, const char *what, uint32_t least, uint32_t most)
{
	next_word(r);
	return number(r, what, least, most);
}

/* ---- DIMACS ---- */

static bool next_dimacs_line(struct reader *r)
{
	while (next_line(r))
		if (!word_is(r, "c"))
			return true;
	return false;
}

void read_dimacs(const char *path, struct edges *edges, bool *symmetric)
{
	struct reader r = open_reader(path);
	*symmetric = false;
	if (!next_dimacs_line(&r) || !word_is(&r, "p"))
		expected(&r, "'p sp VERTICES ARCS'");
	need_word(&r, "sp");
	edges->vertices = next_number(&r, "how many vertices", 1, GRAPH_MOST_VERTICES);
	uint32_t arcs = next_number(&r, "how many arcs", 0, GRAPH_MOST_EDGES), found = 0;
	end_line(&r);
	for (; next_dimacs_line(&r); found++) {
		if (!word_is(&r, "a") || found == arcs)
			expected(&r, found == arcs ? "the end after %" PRIu32 " arcs" : "'a FROM TO WEIGHT'", arcs);
		uint32_t from = next_number(&r, "a vertex", 1, edges->vertices);
		uint32_t to = next_number(&r, "a vertex", 1, edges->vertices);
		uint32_t weight = next_number(&r, "a weight", 0, UINT32_MAX);
		end_line(&r);
		edges_add(edges, from - 1, to - 1, weight);
	}
	if (found != arcs)
		expected(&r, "%" PRIu32 " arcs, the file has %" PRIu32, arcs, found);
	close_reader(&r);
}

/* ---- Matrix Market ---- */

enum field { PATTERN, INTEGER, REAL };

static enum field read_header(struct reader *r, bool *symmetric)
{
	static const char *const fields[] = {"pattern", "integer", "real"};
	read_line(r);
	need_word(r, "%%MatrixMarket");
	need_word(r, "matrix");
	need_word(r, "coordinate");
	enum field field = PATTERN;
	next_word(r);
	while (!word_is(r, fields[field]))
		if (field++ == REAL)
			expected(r, "'pattern', 'integer' or 'real'");
	next_word(r);
	*symmetric = word_is(r, "symmetric");
	if (!*symmetric && !word_is(r, "general"))
		expected(r, "'general' or 'symmetric'");
	end_line(r);
	return field;
}

static bool next_entry_line(struct reader *r)
{
	while (next_line(r))
		if (*r->word != '%')
			return true;
	return false;
}

static void read_real(struct reader *r)
{
	char *end = NULL;
	if (next_word(r))
		strtod(r->word, &end);
	if (end != r->word + r->length || r->length == 0)
		expected(r, "a real number");
}

static uint32_t read_value(struct reader *r, enum field field)
{
	if (field == INTEGER)
		return next_number(r, "a weight", 0, UINT32_MAX);
	if (field == REAL)
		read_real(r);
	return 1;
}

/* Of a symmetric matrix a file has the lower triangle alone. */
void read_matrix_market(const char *path, struct edges *edges, bool *symmetric)
{
	struct reader r = open_reader(path);
	enum field field = read_header(&r, symmetric);
	if (!next_entry_line(&r))
		expected(&r, "'ROWS COLUMNS ENTRIES'");
	edges->vertices = number(&r, "how many rows", 1, GRAPH_MOST_VERTICES);
	next_number(&r, "as many columns as rows", edges->vertices, edges->vertices);
	uint32_t entries = next_number(&r, "how many entries", 0, GRAPH_MOST_EDGES), found = 0;
	end_line(&r);
	for (; next_entry_line(&r); found++) {
		if (found == entries)
			expected(&r, "the end after %" PRIu32 " entries", entries);
		uint32_t row = number(&r, "a row", 1, edges->vertices);
		uint32_t column = next_number(&r, "a column", 1, *symmetric ? row : edges->vertices);
		uint32_t weight = read_value(&r, field);
		end_line(&r);
		edges_add(edges, row - 1, column - 1, weight);
	}
	if (found != entries)
		expected(&r, "%" PRIu32 " entries, the file has %" PRIu32, entries, found);
	close_reader(&r);
}
