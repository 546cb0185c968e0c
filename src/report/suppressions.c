/* Files of suppressions: see suppressions.h. */
#include "report/suppressions.h"

#include "report/members.h"
#include "report/style.h"
#include "util/demangle.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- What findings can be ---- */

static const char *const all_kinds[] = {
	"hang", "fault", "trap", "assert", "leak", "race", "uninitialised", "barrier-misuse"};

static const char *const all_causes[] = {
#define CAUSE(id, name, ...) name,
#include "check/causes.def"
#undef CAUSE
#define FAULT(cause, ...) #cause,
#include "machine/core/faults.def"
#undef FAULT
#define FOUND_CAUSE(kind, id, name, ...) name,
#include "found/causes.def"
#undef FOUND_CAUSE
};

/* ---- Reading ---- */

struct reader {
	struct suppressions *suppressions;
	struct arena *arena;
	struct diagnostic *diagnostic;
	struct place place;        /* of the word that is read */
	struct suppression *entry; /* that is open; null: none */
};

struct key {
	const char *name;
	size_t offset;            /* of its pattern in struct suppression; 0: see read_line */
	const char *const *words; /* that it may have without * and ?; null: any */
	size_t word_count;
};
#define KEY(member) .name = #member, .offset = offsetof(struct suppression, member)
#define WORDS(list) .words = list, .word_count = sizeof(list) / sizeof *(list)
static const struct key keys[] = {
	{KEY(name)},
	{KEY(kind), WORDS(all_kinds)},
	{KEY(cause), WORDS(all_causes)},
	{KEY(kernel)},
	{KEY(object)},
	{.name = "line"},
};
#define KEYS (sizeof keys / sizeof *keys)
#define EXPECTED_KEYS "name, kind, cause, kernel, line or object"

static bool is_known(const char *value, const char *const *words, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (!strcmp(words[k], value))
			return true;
	return !count || strpbrk(value, "*?");
}

static void read_word(struct reader *r, const struct key *key, const char *value)
{
	const char **at = (const char **)((char *)r->entry + key->offset);

	if (*at && **at) {
		diagnose(r->diagnostic, r->place, "a second '%s', expected one in an entry", key->name);
	} else if (!is_known(value, key->words, key->word_count)) {
		text_refuse_unknown(r->diagnostic, r->place, key->name, value, key->words, key->word_count,
			"one of docs/report.md, or a pattern with * or ?");
	}
	*at = value;
}

/* "12", "12-14" or "*" */
static bool read_numbers(const char *text, struct suppression_line *line, struct arena *arena)
{
	const char *dash = strchr(text, '-');
	uint64_t first = 0, last = UINT32_MAX;

	if (strcmp(text, "*") != 0) {
		if (!text_to_u64(dash ? arena_copy(arena, text, (size_t)(dash - text)) : text, &first))
			return false;
		last = first;
		if ((dash && !text_to_u64(dash + 1, &last)) || !first || last < first || last > UINT32_MAX)
			return false;
	}
	line->first = (uint32_t)first;
	line->last = (uint32_t)last;
	return true;
}

static void read_line(struct reader *r, const char *value)
{
	const char *colon = strrchr(value, ':');
	struct suppression *entry = r->entry;
	struct suppression_line *line = &entry->lines[entry->line_count];

	if (entry->line_count == SUPPRESSION_LINES) {
		diagnose(r->diagnostic, r->place, "a third 'line', expected at most two, the sides of a race");
	} else if (!colon || colon == value || !read_numbers(colon + 1, line, r->arena)) {
		diagnose(r->diagnostic, r->place, "'%s': expected FILE:LINE, FILE:FIRST-LAST or FILE:*", value);
	} else {
		line->file = arena_copy(r->arena, value, (size_t)(colon - value));
		entry->line_count++;
	}
}

static void read_key(struct reader *r, const char *text, size_t length)
{
	const char *names[KEYS], *colon = memchr(text, ':', length), *name, *nearest;
	const char *value = colon ? colon + 1 : text + length;
	size_t name_length = (size_t)((colon ? colon : value) - text), k = 0;

	while (name_length && isspace((unsigned char)text[name_length - 1]))
		name_length--;
	while (value < text + length && isspace((unsigned char)*value))
		value++;
	for (size_t n = 0; n < KEYS; n++)
		names[n] = keys[n].name;
	name = arena_copy(r->arena, text, name_length);
	while (k < KEYS && strcmp(keys[k].name, name) != 0)
		k++;
	if (!colon || k == KEYS) {
		nearest = colon ? text_nearest(name, names, KEYS) : NULL;
		diagnose(r->diagnostic, r->place, nearest ? "unknown '%s', did you mean '%s'?" : "'%s': expected %s",
			name, nearest ? nearest : "KEY: VALUE, with " EXPECTED_KEYS);
		return;
	}
	r->place.column += (uint32_t)(value - text);
	value = arena_copy(r->arena, value, (size_t)(text + length - value));
	if (!*value)
		diagnose(r->diagnostic, r->place, "expected a value behind '%s:'", name);
	else if (keys[k].offset)
		read_word(r, &keys[k], value);
	else
		read_line(r, value);
}

static void close_entry(struct reader *r)
{
	const struct suppression *e = r->entry;

	if (!e->kind && !e->cause && !e->kernel && !e->object && !e->line_count)
		diagnose(r->diagnostic, r->place,
			"the entry would suppress everything, expected one of kind, cause, kernel, line and object in "
			"it");
	r->entry = NULL;
}

static void read_text(struct reader *r, const char *text, size_t length)
{
	bool opens = length == 1 && *text == '{', closes = length == 1 && *text == '}';

	if (!length || *text == '#')
		return;
	if (opens && !r->entry) {
		r->entry = vector_push(r->arena, &r->suppressions->list);
		*r->entry = (struct suppression){.place = r->place, .name = ""};
	} else if (closes && r->entry) {
		close_entry(r);
	} else if (opens || closes || !r->entry) {
		diagnose(r->diagnostic, r->place,
			r->entry ? "an entry in an entry, expected } before" : "expected { and an entry");
	} else {
		read_key(r, text, length);
	}
}

bool suppressions_read(
	struct suppressions *suppressions, struct arena *arena, const char *path, struct diagnostic *diagnostic)
{
	size_t length = 0;
	const char *at = text_read_file(arena, path, &length, diagnostic), *end = at ? at + length : NULL;
	struct reader r = {.suppressions = suppressions, .arena = arena, .diagnostic = diagnostic};

	path = arena_text(arena, path); /* entries name it */
	for (uint32_t line = 1; at && at < end && !diagnostic->failed; line++) {
		const char *next = memchr(at, '\n', (size_t)(end - at)), *stop = next ? next : end, *text = at;

		while (text < stop && isspace((unsigned char)*text))
			text++;
		r.place = (struct place){.file = path, .line = line, .column = (uint32_t)(text - at) + 1};
		at = stop + 1;
		while (stop > text && isspace((unsigned char)stop[-1]))
			stop--;
		read_text(&r, text, (size_t)(stop - text));
	}
	if (r.entry && !diagnostic->failed)
		diagnose(diagnostic, r.entry->place, "the entry has no end, expected }");
	return !diagnostic->failed;
}

/* ---- Matching ---- */

/* The whole text; * is any text, ? any character. */
static bool is_like(const char *text, const char *pattern)
{
	const char *star = NULL, *again = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			again = text;
		} else if (*pattern && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* The whole path, or what follows one of its slashes. */
static bool is_file(const char *path, const char *pattern)
{
	while (!is_like(path, pattern)) {
		path = strchr(path, '/');
		if (!path)
			return false;
		path++;
	}
	return true;
}

static bool is_at(json_object *place, const struct suppression_line *wanted)
{
	uint64_t number = number_of(place, "line");

	return number >= wanted->first && number <= wanted->last && is_file(text_of(place, "file"), wanted->file);
}

/* The line of the finding, or one within a function that was inlined there. */
static bool is_on_line(json_object *line, const struct suppression_line *wanted)
{
	json_object *inlined = member(line, "inlined");

	for (size_t k = 0; k < length_of(inlined); k++)
		if (is_at(element(inlined, k), wanted))
			return true;
	return is_at(line, wanted);
}

/* Each line of the entry is one of the finding, and not the same; in any order, as it is chance which access of a race
 * came first. */
static bool is_on_lines(json_object *finding, const struct suppression *s)
{
	json_object *lines = member(finding, "lines");
	size_t count = json_object_array_length(lines);

	for (size_t a = 0; a < count && s->line_count; a++) {
		if (!is_on_line(element(lines, a), &s->lines[0]))
			continue;
		if (s->line_count == 1)
			return true;
		for (size_t b = 0; b < count; b++)
			if (b != a && is_on_line(element(lines, b), &s->lines[1]))
				return true;
	}
	return !s->line_count;
}

static const char *first_address(json_object *finding)
{
	return json_object_get_string(element(member(finding, "addresses"), 0));
}

/* The name of the object, between quotes in its text; null: it has none. */
static const char *name_of_object(struct arena *arena, json_object *finding)
{
	const char *text = first_address(finding);
	const char *from = text ? strchr(text, '\'') : NULL, *to = from ? strchr(from + 1, '\'') : NULL;

	return to ? arena_copy(arena, from + 1, (size_t)(to - from - 1)) : NULL;
}

static bool is_object(struct arena *arena, json_object *finding, const char *pattern)
{
	const char *name = name_of_object(arena, finding), *text = first_address(finding);

	return (name && is_like(name, pattern)) || (text && is_like(text, pattern));
}

/* Its name in PTX, or as C++ has it, with or without parameters. */
static bool is_kernel(struct arena *arena, json_object *finding, const char *pattern)
{
	const char *name = text_of(finding, "kernel"), *whole = demangle(arena, name, true);

	return is_like(name, pattern) || (whole && is_like(whole, pattern)) ||
	       is_like(demangle_short(arena, name), pattern);
}

static bool is_suppressed_by(struct arena *arena, json_object *finding, const struct suppression *s)
{
	return (!s->kind || is_like(text_of(finding, "kind"), s->kind)) &&
	       (!s->cause || is_like(text_of(finding, "cause"), s->cause)) && is_on_lines(finding, s) &&
	       (!s->object || is_object(arena, finding, s->object)) &&
	       (!s->kernel || is_kernel(arena, finding, s->kernel));
}

/* "'sums of the reduction' (known.txt:2)", as reports name an entry. */
static const char *title_of(struct arena *arena, const struct suppression *s)
{
	if (!*s->name)
		return arena_printf(arena, "%s:%" PRIu32, s->place.file, s->place.line);
	return arena_printf(arena, "'%s' (%s:%" PRIu32 ")", s->name, s->place.file, s->place.line);
}

static void mark(struct arena *arena, json_object *finding, struct suppression *s)
{
	add_text(finding, "suppression", title_of(arena, s));
	s->findings++;
	s->count += number_of(finding, "count");
}

void suppressions_mark(struct suppressions *suppressions, json_object *findings)
{
	struct arena arena = {0};

	for (size_t k = 0; suppressions->list.count && k < json_object_array_length(findings); k++) {
		json_object *finding = element(findings, k);
		uint32_t n = 0;

		while (n < suppressions->list.count && !is_suppressed_by(&arena, finding, &suppressions->list.at[n]))
			n++;
		if (n < suppressions->list.count)
			mark(&arena, finding, &suppressions->list.at[n]);
	}
	arena_free(&arena);
}

bool suppressions_is_marked(json_object *findings, size_t k)
{
	return member(element(findings, k), "suppression");
}

json_object *suppressions_left(json_object *findings)
{
	json_object *left = json_object_new_array();

	for (size_t k = 0; k < json_object_array_length(findings); k++)
		if (!suppressions_is_marked(findings, k))
			json_object_array_add(left, json_object_get(element(findings, k)));
	return left;
}

size_t suppressions_count_left(json_object *findings)
{
	size_t left = 0;

	for (size_t k = 0; k < json_object_array_length(findings); k++)
		left += !suppressions_is_marked(findings, k);
	return left;
}

/* ---- Reports ---- */

json_object *suppressions_json(const struct suppressions *suppressions)
{
	static const struct member_row rows[] = {MEMBER(suppression, name), MEMBER_AS("file", suppression, place.file),
		MEMBER_AS("line", suppression, place.line), MEMBER(suppression, findings), MEMBER(suppression, count),
		{0}};

	return MEMBERS_ARRAY(rows, suppressions->list.at, suppressions->list.count);
}

void suppressions_text(struct text *out, const struct suppressions *suppressions)
{
	for (uint32_t k = 0; k < suppressions->list.count; k++) {
		const struct suppression *s = &suppressions->list.at[k];
		const char *title = title_of(out->arena, s);

		if (!k)
			style_gap(out);
		if (s->findings)
			text_print(out, "suppressed by %s: %" PRIu64 " finding%s (count %" PRIu64 ")\n", title,
				s->findings, s->findings == 1 ? "" : "s", s->count);
		else
			text_print(out, "suppressed by %s: nothing\n", title);
	}
}

/* Where the instruction is, which distinguishes findings: a function that was inlined in many places is one. */
static json_object *innermost(json_object *line)
{
	json_object *inlined = member(line, "inlined");

	return length_of(inlined) ? element(inlined, length_of(inlined) - 1) : line;
}

static void generate(struct text *out, json_object *finding)
{
	json_object *lines = member(finding, "lines");
	const char *object = name_of_object(out->arena, finding), *kernel = text_of(finding, "kernel");

	text_print(out, "{\n\tname: give it one\n\tkind: %s\n\tcause: %s\n", text_of(finding, "kind"),
		text_of(finding, "cause"));
	if (*kernel)
		text_print(out, "\tkernel: %s\n", kernel);
	for (size_t k = 0; k < json_object_array_length(lines) && k < SUPPRESSION_LINES; k++) {
		json_object *line = innermost(element(lines, k));

		text_print(out, "\tline: %s:%" PRIu64 "\n", text_of(line, "file"), number_of(line, "line"));
	}
	if (object && *object)
		text_print(out, "\tobject: %s\n", object);
	text_print(out, "}\n");
}

void suppressions_write(const char *path, struct arena *arena, json_object *findings, struct diagnostic *diagnostic)
{
	struct text out = {.arena = arena};

	text_append(&out, "", 0);
	for (size_t k = 0; k < json_object_array_length(findings); k++)
		if (!suppressions_is_marked(findings, k))
			generate(&out, element(findings, k));
	text_write_file(path, out.at, out.length, diagnostic);
}
