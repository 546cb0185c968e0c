/* Linking of PTX modules into one.
 *
 * A module is cut into its top-level pieces: variables, declarations, functions.  Names that a module keeps to itself
 * get its number, `.extern` declarations of what another module defines go, files of line numbers are counted through,
 * and all is joined in an order in which everything is declared before its use.  Of debug sections the one with names
 * of inlined functions is kept, last, its labels with the module's number; the others are not used. */
#include "host/link.h"

#include "host/need.h"
#include "host/source_line.h"
#include "util/device_runtime.h"
#include "util/map.h"
#include "util/ptx_maker.h"
#include "util/text.h"
#include "util/vector.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum kind { PIECE_OTHER, PIECE_VARIABLE, PIECE_DECLARATION, PIECE_FUNCTION, PIECE_FILE, PIECE_SECTION, PIECE_NAMES };
enum linkage { LINKAGE_LOCAL, LINKAGE_VISIBLE, LINKAGE_WEAK, LINKAGE_EXTERN };

struct piece {
	enum kind kind;
	enum linkage linkage;
	const char *start, *end;
	const char *name;     /* that it declares; null: none */
	const char *linkword; /* the place of its .extern, .visible or .weak */
	uint32_t module;
	bool is_entry, is_shared;
	bool dropped;
};

struct linker {
	struct arena arena;
	const char *const *modules;
	VECTOR(struct piece) pieces;
	VECTOR(const char *) locals; /* of the module in hand */
	struct text out;
	const char *why;     /* null: all is well */
	uint32_t first_file; /* of the module in hand, as renumbered */
	bool has_names;      /* it has names of inlined functions, to which its .loc lines refer */
	uint32_t header;     /* the module whose version and target all have */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The first character after blanks and comments. */
static const char *skip_blanks(const char *at)
{
	for (;;) {
		if (isspace((unsigned char)*at)) {
			at++;
		} else if (at[0] == '/' && at[1] == '/') {
			at += strcspn(at, "\n");
		} else if (at[0] == '/' && at[1] == '*') {
			const char *end = strstr(at + 2, "*/");
			at = end ? end + 2 : at + strlen(at);
		} else {
			return at;
		}
	}
}

/* The end of a token; directives keep their dot. */
static const char *skip_token(const char *at)
{
	if (*at == '"') {
		at++;
		while (*at && *at != '"')
			at += at[0] == '\\' && at[1] ? 2 : 1;
		return at + (*at == '"');
	}
	const char *start = at;
	if (*at == '.' || *at == '%')
		at++;
	while (is_word(*at))
		at++;
	return at > start ? at : at + (*at != '\0');
}

static bool token_is(const char *at, const char *end, const char *word)
{
	return (size_t)(end - at) == strlen(word) && !memcmp(at, word, (size_t)(end - at));
}

/* ---- Cutting ---- */

/* What the words before the name say.  True when `word` belongs to them. */
static void read_word(struct piece *piece, const char *at, const char *end)
{
	if (token_is(at, end, ".visible") || token_is(at, end, ".common"))
		piece->linkage = LINKAGE_VISIBLE, piece->linkword = at;
	else if (token_is(at, end, ".weak"))
		piece->linkage = LINKAGE_WEAK, piece->linkword = at;
	else if (token_is(at, end, ".extern"))
		piece->linkage = LINKAGE_EXTERN, piece->linkword = at;
	else if (token_is(at, end, ".func") || token_is(at, end, ".entry"))
		piece->kind = PIECE_DECLARATION, piece->is_entry = at[1] == 'e'; /* until a body comes */
	else if (token_is(at, end, ".global") || token_is(at, end, ".const") || token_is(at, end, ".shared"))
		piece->kind = PIECE_VARIABLE, piece->is_shared = at[1] == 's';
	else if (token_is(at, end, ".file"))
		piece->kind = PIECE_FILE;
	else if (token_is(at, end, ".section"))
		piece->kind = PIECE_SECTION;
	else if (piece->kind == PIECE_SECTION && token_is(at, end, ".debug_str"))
		piece->kind = PIECE_NAMES;
}

static bool ends_with_line(const char *at, const char *end)
{
	return token_is(at, end, ".version") || token_is(at, end, ".target") || token_is(at, end, ".address_size") ||
	       token_is(at, end, ".file") || token_is(at, end, ".loc");
}

/* Cuts the piece at `at`, which is no blank; returns its end. */
static const char *cut_piece(struct linker *l, struct piece *piece, const char *at)
{
	int depth = 0;
	bool body = false;
	piece->start = at;
	if (ends_with_line(at, skip_token(at))) {
		read_word(piece, at, skip_token(at));
		return at + strcspn(at, "\n");
	}
	while (*at) {
		const char *end = skip_token(at);
		bool opens = *at == '{' || *at == '(' || *at == '[', closes = *at == '}' || *at == ')' || *at == ']';
		if (!depth && *at == '.')
			read_word(piece, at, end);
		else if (!depth && is_word(*at) && !isdigit((unsigned char)*at) && !piece->name)
			piece->name = arena_copy(&l->arena, at, (size_t)(end - at));
		body |= !depth && *at == '{' && piece->kind == PIECE_DECLARATION;
		depth += opens - closes;
		bool over = !depth && (*at == ';' || (*at == '}' && (body || piece->kind >= PIECE_SECTION)));
		at = skip_blanks(end);
		if (over) {
			at = end;
			break;
		}
	}
	if (body)
		piece->kind = PIECE_FUNCTION;
	return at;
}

static bool has_label(const struct piece *p)
{
	return memchr(p->start, ':', (size_t)(p->end - p->start));
}

static void cut_module(struct linker *l, const char *text, uint32_t module)
{
	for (const char *at = skip_blanks(text); *at; at = skip_blanks(at)) {
		struct piece *piece = vector_push(&l->arena, &l->pieces);
		piece->module = module;
		at = cut_piece(l, piece, at);
		piece->end = at;
		piece->dropped = piece->kind == PIECE_NAMES && !has_label(piece);
	}
}

/* ---- Definitions ---- */

static bool is_definition(const struct piece *p)
{
	return p->name && p->linkage != LINKAGE_EXTERN && (p->kind == PIECE_FUNCTION || p->kind == PIECE_VARIABLE);
}

/* Functions that the machine itself provides. */
static bool is_provided(const char *name)
{
	static const char *const names[] = {"printf", "vprintf", "__assertfail", "malloc", "free"};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (!strcmp(names[k], name))
			return true;
	return !strncmp(name, "__lockstep_", 11) || device_runtime_has(name, strlen(name));
}

/* The shared definition of each name. */
static void map_definitions(struct linker *l, struct map *definitions)
{
	for (uint32_t k = 0; k < l->pieces.count && !l->why; k++) {
		struct piece *p = &l->pieces.at[k];
		if (!is_definition(p) || p->linkage == LINKAGE_LOCAL)
			continue;
		struct piece *other = map_get(definitions, p->name);
		if (!other || (other->linkage == LINKAGE_WEAK && p->linkage != LINKAGE_WEAK)) {
			map_put(&l->arena, definitions, p->name, strlen(p->name), p);
			if (other)
				other->dropped = true;
		} else if (p->linkage == LINKAGE_WEAK) {
			p->dropped = true;
		} else if (p->module != other->module) { /* of one module it is the parser's to tell */
			l->why = arena_printf(&l->arena, "error: '%s' is defined in two programs", p->name);
		}
	}
}

/* Where the module uses the name first; null: nowhere. */
static const char *find_use(const struct linker *l, uint32_t module, const char *name)
{
	for (uint32_t k = 0; k < l->pieces.count; k++) {
		const struct piece *p = &l->pieces.at[k];
		if (p->module != module || p->kind != PIECE_FUNCTION)
			continue;
		for (const char *at = p->start, *end; at < p->end; at = skip_blanks(end)) {
			end = skip_token(at);
			if (token_is(at, end, name))
				return at;
		}
	}
	return NULL;
}

static void tell_missing(struct linker *l, const struct piece *p)
{
	const char *use = find_use(l, p->module, p->name);
	const char *line = use ? source_line(&l->arena, l->modules[p->module], use) : NULL;
	l->why = arena_printf(&l->arena, "%s%serror: '%s' is declared and used but defined nowhere", line ? line : "",
		line ? ": " : "", p->name);
}

/* Shared memory without a size is the launch's. */
static bool may_be_missing(const struct piece *p)
{
	return p->kind == PIECE_VARIABLE ? p->is_shared : is_provided(p->name);
}

/* Declarations: one of each name, none of what is defined and can only be there once: variables, and functions that are
 * kernels, which in OpenCL C are called like functions (compile/called_kernels.h).  A kernel that others launch is
 * declared as one. */
static void match_declarations(struct linker *l, const struct map *definitions, bool library)
{
	struct map seen = {0};
	for (uint32_t k = 0; k < l->pieces.count && !l->why; k++) {
		struct piece *p = &l->pieces.at[k];
		bool declares =
			p->kind == PIECE_DECLARATION || (p->kind == PIECE_VARIABLE && p->linkage == LINKAGE_EXTERN);
		if (!declares || !p->name || p->linkage == LINKAGE_LOCAL)
			continue;
		const struct piece *definition = map_get(definitions, p->name);
		bool again = map_put(&l->arena, &seen, p->name, strlen(p->name), p);
		p->dropped =
			again || (definition && (p->kind == PIECE_VARIABLE || definition->is_entry != p->is_entry));
		if (definition && p->linkage == LINKAGE_EXTERN)
			p->linkage = LINKAGE_VISIBLE; /* defined further down */
		if (!definition && !library && !may_be_missing(p))
			tell_missing(l, p);
	}
}

/* ---- Writing ---- */

static bool is_local(const struct linker *l, const char *at, const char *end)
{
	for (uint32_t k = 0; k < l->locals.count; k++)
		if (token_is(at, end, l->locals.at[k]))
			return true;
	return false;
}

static const char *write_number(struct linker *l, const char *at)
{
	char *end;
	unsigned long number = strtoul(at, &end, 10);
	text_print(&l->out, "%lu", number + l->first_file);
	return end;
}

/* Copies a piece, with its names and file numbers changed. */
static void write_piece(struct linker *l, const struct piece *p)
{
	const char *at = p->start;
	bool is_label = false;
	while (at < p->end) {
		const char *token = skip_blanks(at), *end = skip_token(token);
		if (token >= p->end)
			break;
		text_append(&l->out, at, (size_t)(token - at));
		if (token == p->linkword && p->linkage == LINKAGE_VISIBLE)
			text_print(&l->out, ".visible");
		else
			text_append(&l->out, token, (size_t)(end - token));
		is_label |= p->kind == PIECE_NAMES && *skip_blanks(end) == ':';
		if (is_word(*token) && (is_label || is_local(l, token, end)))
			text_print(&l->out, "$%u", p->module);
		is_label = l->has_names && token_is(token, end, "function_name");
		at = end;
		if (token_is(token, end, ".file") || token_is(token, end, ".loc") ||
			token_is(token, end, "inlined_at")) {
			token = skip_blanks(end);
			text_append(&l->out, end, (size_t)(token - end));
			at = write_number(l, token);
		}
	}
	text_append(&l->out, "\n", 1);
}

/* Makes a module the one in hand. */
static void take_module(struct linker *l, uint32_t module, uint32_t first_file)
{
	l->locals.count = 0;
	l->first_file = first_file;
	l->has_names = false;
	for (uint32_t k = 0; k < l->pieces.count; k++) {
		const struct piece *p = &l->pieces.at[k];
		l->has_names |= p->module == module && p->kind == PIECE_NAMES && !p->dropped;
		if (p->module == module && is_definition(p) && p->linkage == LINKAGE_LOCAL)
			*vector_push(&l->arena, &l->locals) = p->name;
	}
}

/* The highest number that the module gives a file. */
static uint32_t highest_file(const struct linker *l, uint32_t module)
{
	unsigned long highest = 0;
	for (uint32_t k = 0; k < l->pieces.count; k++) {
		const struct piece *p = &l->pieces.at[k];
		if (p->module != module || p->kind != PIECE_FILE)
			continue;
		unsigned long number = strtoul(skip_blanks(skip_token(p->start)), NULL, 10);
		highest = number > highest && number < 1000000 ? number : highest;
	}
	return (uint32_t)highest;
}

static void write_kind(struct linker *l, enum kind kind, size_t modules)
{
	uint32_t first_file = 0;
	for (uint32_t m = 0; m < modules; m++) {
		take_module(l, m, first_file);
		for (uint32_t k = 0; k < l->pieces.count; k++) {
			const struct piece *p = &l->pieces.at[k];
			if (p->module == m && p->kind == kind && !p->dropped && (kind != PIECE_OTHER || m == l->header))
				write_piece(l, p);
		}
		first_file += highest_file(l, m);
	}
}

/* The compiler puts what it knows of kernels into comments. */
static void write_comments(struct linker *l, const char *text)
{
	for (const char *at = text; (at = strstr(at, "// lockstep.")); at += strcspn(at, "\n")) {
		bool at_start = at == text || at[-1] == '\n';
		if (at_start && (!strncmp(at + 12, "kernel ", 7) || !strncmp(at + 12, "arg ", 4)))
			text_print(&l->out, "%.*s\n", (int)strcspn(at, "\n"), at);
	}
}

/* NVIDIA's device runtime (libcudadevrt): the machine has these functions, and what they call nobody has. */
static bool is_device_runtime(const struct linker *l, uint32_t module)
{
	for (uint32_t k = 0; k < l->pieces.count; k++) {
		const struct piece *p = &l->pieces.at[k];
		if (p->module == module && p->kind == PIECE_FUNCTION && p->name &&
			device_runtime_has(p->name, strlen(p->name)))
			return true;
	}
	return false;
}

static void drop_module(struct linker *l, uint32_t module)
{
	uint32_t kept = 0;
	for (uint32_t k = 0; k < l->pieces.count; k++)
		if (l->pieces.at[k].module != module)
			l->pieces.at[kept++] = l->pieces.at[k];
	l->pieces.count = kept;
}

/* Cuts the modules and matches their names. */
static void read_modules(struct linker *l, const char *const *modules, size_t count, bool library)
{
	struct map definitions = {0};
	l->modules = modules;
	for (uint32_t m = 0; m < count; m++)
		cut_module(l, modules[m], m);
	for (uint32_t m = 0; m < count; m++)
		if (count > 1 && is_device_runtime(l, m))
			drop_module(l, m);
	l->header = l->pieces.count ? l->pieces.at[0].module : 0;
	map_definitions(l, &definitions);
	if (!l->why)
		match_declarations(l, &definitions, library);
}

char *link_ptx(const char *const *modules, size_t count, bool library, char **why)
{
	static const enum kind order[] = {
		PIECE_OTHER, PIECE_FILE, PIECE_VARIABLE, PIECE_DECLARATION, PIECE_FUNCTION, PIECE_NAMES};
	struct linker l = {.out = {0}};
	l.out.arena = &l.arena;
	text_append(&l.out, "", 0);
	read_modules(&l, modules, count, library);
	for (size_t m = 0; !l.why && m < count; m++)
		ptx_maker_pass(&l.out, modules[m]);
	for (size_t k = 0; !l.why && k < sizeof order / sizeof *order; k++)
		write_kind(&l, order[k], count);
	for (size_t m = 0; !l.why && m < count; m++)
		write_comments(&l, modules[m]);
	bool good = !l.why;
	char *result = need(strdup(good ? l.out.at : l.why));
	arena_free(&l.arena);
	*why = good ? NULL : result;
	return good ? result : NULL;
}

bool link_is_complete(const char *ptx, char **why)
{
	struct linker l = {.out = {0}};
	read_modules(&l, &ptx, 1, false);
	*why = l.why ? need(strdup(l.why)) : NULL;
	arena_free(&l.arena);
	return !*why;
}
