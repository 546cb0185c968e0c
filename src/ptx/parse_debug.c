/* What compilers write for debuggers: .file, .loc with the calls that were inlined, and the names of functions, which
 * .loc refers to as labels within the section .debug_str:
 *
 *     .loc 1 4 2, function_name $L__info_string0, inlined_at 1 17 3
 *     ...
 *     .section .debug_str { $L__info_string0: .b8 95,90,56,119,97,105,116,95,102,111,114,80,86,105,0 } */
#include "ptx/parser.h"

#include <inttypes.h>
#include <string.h>

/* name = string string?      LLVM may write the folder apart */
static const char *parse_file_name(struct parser *p)
{
	struct token name = p->token;
	const char *folder;

	if (name.kind != TOKEN_STRING) {
		parse_expected(p, "the file's name as a string");
		return NULL;
	}
	parse_next(p);
	if (p->token.kind != TOKEN_STRING)
		return parse_copy(p, &name);
	folder = parse_copy(p, &name);
	name = p->token;
	parse_next(p);
	return name.length && name.text[0] == '/' ? parse_copy(p, &name)
						  : arena_printf(p->arena, "%s/%.*s", folder, TOKEN_TEXT(&name));
}

/* file = ".file" number name ("," time "," size)? */
void parse_file(struct parser *p)
{
	struct token number = p->token;
	uint64_t index = parse_integer(p, "a file's number", 65535);
	const char *name = parse_file_name(p);

	if (parse_accept(p, ',')) {
		parse_integer(p, "the file's time", UINT64_MAX);
		if (parse_accept(p, ','))
			parse_integer(p, "the file's size", UINT64_MAX);
	}
	while (!parse_failed(p) && p->module->files.count <= index)
		*vector_push(p->arena, &p->module->files) = NULL;
	if (parse_failed(p))
		return;
	if (p->module->files.at[index] && strcmp(p->module->files.at[index], name))
		parse_error(p, &number, "file %u is already '%s'", (unsigned)index, p->module->files.at[index]);
	else
		p->module->files.at[index] = name;
}

/* How far back the call around an inlined one is looked for: compilers name it before the first copy of a loop that
 * they unroll. */
#define SITES_BACK 512

static bool is_same_place(const struct ptx_site *a, const struct ptx_site *b)
{
	return a->loc.file == b->loc.file && a->loc.line == b->loc.line && a->column == b->column;
}

/* The site of an inlined call: itself inlined when the nearest .loc of its place was, and in the same function. */
static uint32_t find_site(struct parser *p, struct ptx_site site)
{
	uint32_t count = p->locs.count, first = count > SITES_BACK ? count - SITES_BACK : 0;

	for (uint32_t k = count; k > first; k--)
		if (is_same_place(&p->locs.at[k - 1], &site)) {
			site.loc.site = p->locs.at[k - 1].loc.site;
			site.loc.function = p->locs.at[k - 1].loc.function;
			break;
		}
	count = p->module->sites.count;
	first = count > SITES_BACK ? count - SITES_BACK : 0;
	for (uint32_t k = count; k > first; k--)
		if (is_same_place(&p->module->sites.at[k - 1], &site) &&
			p->module->sites.at[k - 1].loc.site == site.loc.site)
			return k - 1;
	if (!count)
		vector_push(p->module->arena, &p->module->sites);
	*vector_push(p->module->arena, &p->module->sites) = site;
	return p->module->sites.count - 1;
}

static struct ptx_site parse_location(struct parser *p)
{
	struct ptx_site site = {0};

	site.loc.file = (uint16_t)parse_integer(p, "a file's number", 65535);
	site.loc.line = (uint32_t)parse_integer(p, "a line number", UINT32_MAX);
	site.column = (uint32_t)parse_integer(p, "a column number", UINT32_MAX);
	return site;
}

/* The number of a function's name, which .debug_str will tell; 0: there are too many. */
static uint16_t parse_function_name(struct parser *p)
{
	struct token label = {0};
	const char *key;
	uint64_t offset = 0;
	uintptr_t number;

	if (!parse_expect_name(p, "a label", &label))
		return 0;
	key = parse_copy(p, &label);
	if (parse_accept(p, '+'))
		offset = parse_integer(p, "an offset", UINT64_MAX);
	if (offset)
		key = arena_printf(p->arena, "%s+%" PRIu64, key, offset);
	number = (uintptr_t)map_get(&p->debug.numbers, key);
	if (number || p->debug.names.count > UINT16_MAX)
		return (uint16_t)number;
	if (!p->debug.names.count)
		vector_push(p->arena, &p->debug.names);
	number = p->debug.names.count;
	*vector_push(p->arena, &p->debug.names) = (struct debug_name){.label = label, .offset = offset};
	map_put(p->arena, &p->debug.numbers, key, strlen(key), (void *)number);
	return (uint16_t)number;
}

/* loc = ".loc" file line column ("," "function_name" label ("+" n)? "," "inlined_at" file line column)? */
void parse_loc(struct parser *p)
{
	struct ptx_site here = parse_location(p);
	struct token name;

	while (parse_accept(p, ',')) {
		if (!parse_expect_name(p, "function_name or inlined_at", &name))
			return;
		if (token_is_name(&name, "function_name"))
			here.loc.function = parse_function_name(p);
		else if (token_is_name(&name, "inlined_at"))
			here.loc.site = find_site(p, parse_location(p));
		else
			parse_error(p, &name, "expected function_name or inlined_at, found '%.*s'", TOKEN_TEXT(&name));
	}
	p->loc = here.loc;
	*vector_push(p->arena, &p->locs) = here;
}

/* ---- Sections ---- */

/* A label or a byte of .debug_str, at the token in hand; others are no part of a name. */
static void keep_debug_string(struct parser *p)
{
	const struct token *t = &p->token;

	if (t->kind == TOKEN_NAME)
		map_put(p->arena, &p->debug.places, t->text, t->length, (void *)(p->debug.bytes.length + 1));
	else if (t->kind == TOKEN_INTEGER)
		text_append(&p->debug.bytes, &(char){(char)t->bits}, 1);
}

/* section = ".section" name "{" anything "}"      debugging data, kept as text, and the strings as bytes */
void parse_section(struct parser *p)
{
	struct token name = p->token;
	bool is_strings = token_is_word(&name, "debug_str");
	uint32_t depth = 0;

	if (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_NAME) {
		parse_expected(p, "a section's name");
		return;
	}
	parse_next(p);
	if (!token_is(&p->token, '{')) {
		parse_expected(p, "'{' after the section's name");
		return;
	}
	*vector_push(p->module->arena, &p->module->sections) = (struct ptx_section){
		.name = parse_copy(p, &name), .text = p->token.text, .line = p->token.line, .column = p->token.column};
	do {
		depth += token_is(&p->token, '{');
		depth -= token_is(&p->token, '}');
		if (p->token.kind == TOKEN_END)
			parse_expected(p, "'}' to close the section");
		if (is_strings)
			keep_debug_string(p);
		parse_next(p);
	} while (depth && !parse_failed(p));
}

/* The text at a place in the section; null: it is no name that a message can have. */
static const char *name_at(const struct text *bytes, size_t at)
{
	const char *name = bytes->at + at;

	for (const char *c = name; *c; c++)
		if (*c <= ' ' || *c > '~')
			return NULL;
	return *name ? name : NULL;
}

void parse_debug_end(struct parser *p)
{
	const struct text *bytes = &p->debug.bytes;

	for (uint32_t k = 0; k < p->debug.names.count; k++) {
		const struct debug_name *name = &p->debug.names.at[k];
		size_t place = k ? (size_t)map_get_length(&p->debug.places, name->label.text, name->label.length) : 0;
		bool is_inside = place && place - 1 < bytes->length && name->offset < bytes->length - (place - 1);

		*vector_push(p->arena, &p->module->inlined) =
			is_inside ? name_at(bytes, place - 1 + name->offset) : NULL;
	}
}
