/* LLVM's places and scopes, as lines of its text, and the .loc of PTX: see inlined.h. */
#include "compile/inlined.h"

#include "compile/rewrite.h"
#include "util/map.h"
#include "util/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK 3000000000u /* no line of a source has such a number: C's #line goes up to 2147483647 */
#define CALLS 64         /* around one place; more are left out */
#define LABEL "$L__inlined"
#define BACK 48 /* so many .loc before, readers of PTX still find the one of a call */

/* A .loc that has been written. */
struct written {
	uint32_t file, line, column;
	const char *node;
};

struct places {
	struct arena *arena;
	VECTOR(struct span) nodes; /* of metadata, by number; length 0: there is none */
	struct text out;
	/* Of the PTX: paths by number of a .file, and numbers (+ 1) by path; the first that are not yet written */
	VECTOR(const char *) files;
	struct map file_numbers;
	uint32_t files_there;
	VECTOR(struct written) written;
	VECTOR(const char *) names; /* of functions */
	struct map name_numbers;    /* + 1 */
};

static const char *line_end(const char *at)
{
	return at + strcspn(at, "\n");
}

/* ---- Metadata ---- */

/* "!26 = !DILocation(...)", "!25 = distinct !DILocation(...)": its number; -1: the line is none. */
static long number_of(const char *line)
{
	char *end;
	long number;

	if (line[0] != '!' || line[1] < '0' || line[1] > '9')
		return -1;
	number = strtol(line + 1, &end, 10);
	return !strncmp(end, " = ", 3) ? number : -1;
}

static void read_nodes(struct places *p, const char *ir)
{
	for (const char *line = ir; *line; line = line_end(line), line += *line == '\n') {
		long number = number_of(line);

		while (number >= 0 && p->nodes.count <= (size_t)number)
			*vector_push(p->arena, &p->nodes) = (struct span){0};
		if (number >= 0)
			p->nodes.at[number] = (struct span){line, (size_t)(line_end(line) - line)};
	}
}

static bool is_kind(struct span node, const char *kind)
{
	const char *at = memchr(node.at ? node.at : "", '=', node.length);

	if (!at)
		return false;
	at += strlen("= ");
	at += strncmp(at, "distinct ", strlen("distinct ")) ? 0 : strlen("distinct ");
	return !strncmp(at, kind, strlen(kind)) && at[strlen(kind)] == '(';
}

/* Behind "name: " of one of its fields, not of what is in quotes; null: it has no such field. */
static const char *field_of(struct span node, const char *name)
{
	size_t length = strlen(name);
	bool quoted = false;

	for (size_t k = 1; k + length + 2 < node.length; k++) {
		const char *at = node.at + k;

		quoted ^= *at == '"';
		if (!quoted && (at[-1] == '(' || at[-1] == ' ') && !strncmp(at, name, length) &&
			!strncmp(at + length, ": ", 2))
			return at + length + 2;
	}
	return NULL;
}

static uint32_t integer_of(struct span node, const char *name)
{
	const char *at = field_of(node, name);

	return at ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

/* The node that a field names; length 0: none. */
static struct span node_of(const struct places *p, struct span node, const char *name)
{
	const char *at = field_of(node, name);
	unsigned long number = at && *at == '!' ? strtoul(at + 1, NULL, 10) : p->nodes.count;

	return number < p->nodes.count ? p->nodes.at[number] : (struct span){0};
}

/* A string, in which LLVM writes quotes and other bytes as \XX; null: it has no such field. */
static const char *string_of(const struct places *p, struct span node, const char *name)
{
	struct text text = {.arena = p->arena};
	const char *at = field_of(node, name);

	if (!at || *at != '"')
		return NULL;
	text_print(&text, "%s", "");
	for (at++; *at && *at != '"'; at++) {
		char hex[3] = {*at == '\\' ? at[1] : 0, *at == '\\' && at[1] ? at[2] : 0, 0};
		bool is_escape = strlen(hex) == 2;

		text_append(&text, is_escape ? &(char){(char)strtol(hex, NULL, 16)} : at, 1);
		at += is_escape ? 2 : 0;
	}
	return text.at;
}

/* ---- What PTX names ---- */

static uint32_t file_number(struct places *p, const char *path)
{
	uintptr_t number = (uintptr_t)map_get(&p->file_numbers, path);

	if (number)
		return (uint32_t)(number - 1);
	if (!p->files.count)
		vector_push(p->arena, &p->files); /* they begin with 1 */
	*vector_push(p->arena, &p->files) = path;
	map_put(p->arena, &p->file_numbers, path, strlen(path), (void *)(uintptr_t)p->files.count);
	return p->files.count - 1;
}

/* As LLVM writes it for a .file. */
static uint32_t file_of(struct places *p, struct span place)
{
	struct span file = node_of(p, node_of(p, place, "scope"), "file");
	const char *name = string_of(p, file, "filename"), *folder = string_of(p, file, "directory");

	if (!name)
		return 0;
	return file_number(p, *name != '/' && folder && *folder ? arena_printf(p->arena, "%s/%s", folder, name) : name);
}

/* The function in which a place is; null: it is not known. */
static const char *function_of(const struct places *p, struct span place)
{
	struct span scope = node_of(p, place, "scope");
	const char *name;

	for (uint32_t k = 0; k < CALLS && scope.length && !is_kind(scope, "!DISubprogram"); k++)
		scope = node_of(p, scope, "scope");
	if (!is_kind(scope, "!DISubprogram"))
		return NULL;
	name = string_of(p, scope, "linkageName");
	return name ? name : string_of(p, scope, "name");
}

static uint32_t name_number(struct places *p, const char *name)
{
	uintptr_t number = (uintptr_t)map_get(&p->name_numbers, name);

	if (!number) {
		*vector_push(p->arena, &p->names) = name;
		number = p->names.count;
		map_put(p->arena, &p->name_numbers, name, strlen(name), (void *)number);
	}
	return (uint32_t)number - 1;
}

/* ---- Marks ---- */

/* "uselistorder i64 (i8*)* asm ..." */
static bool is_order_of_assembly(struct span line)
{
	static const char word[] = "uselistorder ";

	return line.length > strlen(word) && !strncmp(line.at + strspn(line.at, " "), word, strlen(word)) &&
	       memmem(line.at, line.length, " asm ", strlen(" asm "));
}

const char *inlined_mark(struct arena *arena, const char *ir, size_t *length, bool *any)
{
	struct text out = {.arena = arena};

	*any = false;
	text_print(&out, "%s", "");
	for (const char *line = ir, *end; *line; line = end) {
		struct span node = {line, (size_t)(line_end(line) - line)};
		long number = number_of(line);
		const char *at;

		end = line_end(line);
		end += *end == '\n';
		if (is_order_of_assembly(node))
			continue;
		at = number >= 0 && is_kind(node, "!DILocation") && field_of(node, "inlinedAt") ? field_of(node, "line")
												: NULL;
		if (at && number <= (long)(UINT32_MAX - MARK)) {
			*any = true;
			text_append(&out, line, (size_t)(at - line));
			text_print(&out, "%lu", (unsigned long)MARK + (unsigned long)number);
			line = at + strspn(at, "0123456789");
		}
		text_append(&out, line, (size_t)(end - line));
	}
	*length = out.length;
	return out.at;
}

/* ---- PTX ---- */

static void write_place(struct places *p, uint32_t file, struct span place)
{
	text_print(&p->out, "%u %u %u", file, integer_of(place, "line"), integer_of(place, "column"));
}

/* A .loc with the same place shortly before is for the same call, so that it need not be written again. */
static bool is_written(const struct places *p, const struct written *w)
{
	for (uint32_t k = p->written.count; k > 0 && k + BACK > p->written.count; k--) {
		const struct written *before = &p->written.at[k - 1];

		if (before->file == w->file && before->line == w->line && before->column == w->column)
			return before->node == w->node;
	}
	return false;
}

/* A .loc for each call around the place, from the outermost on, and one for the place, whose file is known. */
static void write_loc(struct places *p, uint32_t file, struct span place)
{
	struct span chain[CALLS];
	uint32_t count = 0, outer = 0;

	for (; count < CALLS && place.length; place = node_of(p, place, "inlinedAt"))
		chain[count++] = place;
	for (uint32_t k = count; k-- > 0;) {
		uint32_t here = k ? file_of(p, chain[k]) : file;
		const char *name = function_of(p, chain[k]);
		struct written w = {here, integer_of(chain[k], "line"), integer_of(chain[k], "column"), chain[k].at};

		if (k && is_written(p, &w)) {
			outer = here;
			continue;
		}
		*vector_push(p->arena, &p->written) = w;
		text_print(&p->out, "\t.loc\t");
		write_place(p, here, chain[k]);
		if (k + 1 < count) {
			if (name)
				text_print(&p->out, ", function_name " LABEL "%u", name_number(p, name));
			text_print(&p->out, ", inlined_at ");
			write_place(p, outer, chain[k + 1]);
		}
		text_print(&p->out, "\n");
		outer = here;
	}
}

/* A line with a marked number in it.  Newer versions of LLVM write the calls themselves: then only the numbers become
 * lines again. */
static void tell_line(struct places *p, const char *line, const char *end)
{
	unsigned file = 0, column = 0;
	unsigned long number = 0;
	int read = 0;

	if (sscanf(line, " .loc %u %lu %u%n", &file, &number, &column, &read) == 3 && line + read == end &&
		number >= MARK && number - MARK < p->nodes.count) {
		write_loc(p, file, p->nodes.at[number - MARK]);
		return;
	}
	*vector_push(p->arena, &p->written) = (struct written){file, (uint32_t)number, column, NULL};
	while (line < end) {
		char *behind = (char *)(uintptr_t)line;

		number = *line >= '0' && *line <= '9' ? strtoul(line, &behind, 10) : 0;
		if (number >= MARK && number - MARK < p->nodes.count)
			text_print(&p->out, "%u", integer_of(p->nodes.at[number - MARK], "line"));
		else
			text_append(&p->out, line, (size_t)(behind > line ? behind - line : 1));
		line = behind > line ? behind : line + 1;
	}
	text_print(&p->out, "\n");
}

/* " \"name\"", in which a backslash precedes quotes and backslashes; moves *at behind it.  Null: there is no string. */
static const char *read_quoted(struct places *p, const char **at)
{
	struct text text = {.arena = p->arena};
	const char *c = *at + 2;

	if ((*at)[0] != ' ' || (*at)[1] != '"')
		return NULL;
	text_print(&text, "%s", "");
	for (; *c && *c != '\n' && *c != '"'; c++) {
		c += *c == '\\' && c[1];
		text_append(&text, c, 1);
	}
	*at = c + (*c == '"');
	return text.at;
}

static void write_quoted(struct text *out, const char *name)
{
	text_print(out, "\"");
	for (; *name; name++)
		text_print(out, "%s%c", *name == '"' || *name == '\\' ? "\\" : "", *name);
	text_print(out, "\"");
}

/* .file 1 "folder/name", or .file 1 "folder" "name" */
static void read_file_line(struct places *p, const char *line)
{
	char *end;
	unsigned long number = strtoul(line + strlen("\t.file\t"), &end, 10);
	const char *at = end, *parts[2] = {NULL, NULL}, *path;

	for (uint32_t k = 0; k < 2; k++)
		parts[k] = read_quoted(p, &at);
	if (!parts[0] || number > UINT16_MAX)
		return;
	path = parts[1] && parts[1][0] != '/' ? arena_printf(p->arena, "%s/%s", parts[0], parts[1])
	       : parts[1]                     ? parts[1]
					      : parts[0];
	while (p->files.count <= number)
		*vector_push(p->arena, &p->files) = NULL;
	p->files.at[number] = path;
	map_put(p->arena, &p->file_numbers, path, strlen(path), (void *)(uintptr_t)(number + 1));
}

static void read_files(struct places *p, const char *ptx)
{
	for (const char *line = ptx; *line; line = line_end(line), line += *line == '\n')
		if (!strncmp(line, "\t.file\t", strlen("\t.file\t")))
			read_file_line(p, line);
	p->files_there = p->files.count;
}

static void write_files_and_names(struct places *p)
{
	for (uint32_t k = p->files_there; k < p->files.count; k++)
		if (p->files.at[k]) {
			text_print(&p->out, "\t.file\t%u ", k);
			write_quoted(&p->out, p->files.at[k]);
			text_print(&p->out, "\n");
		}
	if (!p->names.count)
		return;
	text_print(&p->out, "\t.section\t.debug_str\n\t{\n");
	for (uint32_t k = 0; k < p->names.count; k++) {
		text_print(&p->out, LABEL "%u:\n.b8 ", k);
		for (const char *c = p->names.at[k]; *c; c++)
			text_print(&p->out, "%u,", (unsigned char)*c);
		text_print(&p->out, "0\n");
	}
	text_print(&p->out, "\t}\n");
}

const char *inlined_tell(struct arena *arena, const char *ir, const char *ptx, size_t *length)
{
	struct places p = {.arena = arena, .out = {.arena = arena}};

	read_nodes(&p, ir);
	read_files(&p, ptx);
	text_print(&p.out, "%s", "");
	for (const char *line = ptx, *end; *line; line = end) {
		end = line_end(line);
		if (!strncmp(line, "\t.loc\t", strlen("\t.loc\t")))
			tell_line(&p, line, end);
		else
			text_append(&p.out, line, (size_t)(end - line) + (*end == '\n'));
		end += *end == '\n';
	}
	write_files_and_names(&p);
	*length = p.out.length;
	return p.out.at;
}
