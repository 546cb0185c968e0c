/* The sources that a report names: see sources.h. */
#include "report/sources.h"

#include "report/members.h"
#include "report/reports.h"
#include "report/source.h"
#include "util/map.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LONGEST (1u << 20)     /* bytes of a text that is shown whole */
#define LONGEST_LINE 1000      /* bytes of it that are kept */
#define HASH_BYTES (2 * 8 + 1) /* in hexadecimal, with its NUL */

/* FNV-1a (Fowler, Noll, Vo), of 64 bits: it tells whether a file has changed, by accident and not by malice. */
static void write_hash(const char *text, size_t length, char to[HASH_BYTES])
{
	uint64_t hash = 0xcbf29ce484222325ull;
	for (size_t k = 0; k < length; k++)
		hash = (hash ^ (unsigned char)text[k]) * 0x100000001b3ull;
	snprintf(to, HASH_BYTES, "%016" PRIx64, hash);
}

/* Text that may be anything. */
static json_object *string_of(const char *text, size_t length)
{
	struct arena arena = {0};
	char *copy = arena_copy(&arena, text, length);
	for (size_t k = 0; k < length; k++)
		copy[k] = copy[k] ? copy[k] : '?';
	json_object *string = report_string(copy);
	arena_free(&arena);
	return string;
}

/* Calls `see` for each line of launches or of findings, which have the same members, with those that were inlined
 * there. */
static void each_line(json_object *owners, void (*see)(void *context, const char *file, uint64_t line), void *context)
{
	for (size_t k = 0; k < length_of(owners); k++) {
		json_object *lines = member(element(owners, k), "lines");
		for (size_t l = 0; l < length_of(lines); l++) {
			json_object *line = element(lines, l), *inlined = member(line, "inlined");
			see(context, text_of(line, "file"), number_of(line, "line"));
			for (size_t f = 0; f < length_of(inlined); f++)
				see(context, text_of(element(inlined, f), "file"),
					number_of(element(inlined, f), "line"));
		}
	}
}

/* ---- Into a report ---- */

/* A source, its lines by number, and what the report is to say of it. */
struct named {
	const char *text; /* null: it cannot be read */
	size_t length;
	const char *at; /* the line of this number begins there */
	uint64_t number;
	json_object *lines;
};

struct naming {
	struct arena arena;
	struct map files;
	json_object *sources; /* null: no line of a file was named */
};

static struct named *find_file(struct naming *n, const char *file)
{
	struct named *source = map_get(&n->files, file);
	char hash[HASH_BYTES];
	if (source)
		return source;
	n->sources = n->sources ? n->sources : json_object_new_object();
	source = arena_new(&n->arena, struct named);
	source->text = source->at = report_source_text(&n->arena, file, &source->length);
	source->number = 1;
	map_put(&n->arena, &n->files, file, strlen(file), source);
	if (!source->text)
		return source;
	json_object *object = json_object_new_object();
	source->lines = json_object_new_object();
	write_hash(source->text, source->length, hash);
	add_number(object, "bytes", source->length);
	add_text(object, "hash", hash);
	add_member(object, "lines", source->lines);
	add_member(n->sources, file, object);
	return source;
}

static void name_line(void *context, const char *file, uint64_t line)
{
	struct named *source = *file && line ? find_file(context, file) : NULL;
	char key[24];
	snprintf(key, sizeof key, "%" PRIu64, line);
	if (!source || !source->text || member(source->lines, key))
		return;
	if (line < source->number) {
		source->at = source->text;
		source->number = 1;
	}
	const char *end = source->text + source->length, *next;
	while (source->number < line && (next = memchr(source->at, '\n', (size_t)(end - source->at)))) {
		source->at = next + 1;
		source->number++;
	}
	if (source->number < line)
		return;
	const char *newline = memchr(source->at, '\n', (size_t)(end - source->at));
	size_t length = (size_t)((newline ? newline : end) - source->at);
	length -= length && source->at[length - 1] == '\r';
	add_member(source->lines, key, string_of(source->at, length < LONGEST_LINE ? length : LONGEST_LINE));
}

void sources_add_to(json_object *report)
{
	struct naming naming = {0};
	each_line(member(report, "launches"), name_line, &naming);
	each_line(member(report, "findings"), name_line, &naming);
	if (naming.sources)
		add_member(report, "sources", naming.sources);
	arena_free(&naming.arena);
}

/* ---- For a page ---- */

static json_object *source_of(const char *file, json_object *known)
{
	struct arena arena = {0};
	json_object *object = json_object_new_object();
	char hash[HASH_BYTES] = "";
	size_t length = 0;
	const char *text = report_source_text(&arena, file, &length);
	if (text)
		write_hash(text, length, hash);
	bool is_same = text && number_of(known, "bytes") == length && !strcmp(text_of(known, "hash"), hash);
	add_text(object, "state", is_same ? "same" : text ? "changed" : "gone");
	if (is_same && length <= LONGEST)
		add_member(object, "text", string_of(text, length));
	else if (json_object_is_type(member(known, "lines"), json_type_object))
		add_member(object, "lines", json_object_get(member(known, "lines")));
	arena_free(&arena);
	return object;
}

/* Files that lines name and the report does not describe: they could not be read, or the report is of an older
 * version. */
struct unknown {
	json_object *sources;
	const char *state;
};

static void add_unknown(void *context, const char *file, uint64_t line)
{
	const struct unknown *u = context;
	(void)line;
	if (!*file || member(u->sources, file))
		return;
	json_object *object = json_object_new_object();
	add_text(object, "state", u->state);
	add_member(u->sources, file, object);
}

json_object *sources_of(json_object *report)
{
	json_object *sources = json_object_new_object(), *known = member(report, "sources");
	if (json_object_is_type(known, json_type_object)) {
		json_object_object_foreach(known, file, source) add_member(sources, file, source_of(file, source));
	}
	struct unknown unknown = {sources, known ? "none" : "unknown"};
	each_line(member(report, "launches"), add_unknown, &unknown);
	each_line(member(report, "findings"), add_unknown, &unknown);
	return sources;
}
