/* The PTX parser's frame: tokens in hand, and the module's directives.  The grammar goes on in parse_*.c. */
#include "ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- tokens in hand ---- */

bool parse_failed(const struct parser *p)
{
	return p->diagnostic->failed;
}

void parse_error(struct parser *p, const struct token *token, const char *format, ...)
{
	char message[900];
	va_list list;

	va_start(list, format);
	vsnprintf(message, sizeof message, format, list);
	va_end(list);
	diagnose(p->diagnostic, (struct place){p->module->file, token->line, token->column}, "%s", message);
	p->token.kind = TOKEN_END;
}

void parse_next(struct parser *p)
{
	p->token = lexer_next(&p->lexer);
}

struct token parse_peek(const struct parser *p)
{
	struct lexer copy = p->lexer;
	struct diagnostic quiet = {0};

	copy.diagnostic = &quiet;
	return parse_failed(p) ? p->token : lexer_next(&copy);
}

void parse_expected(struct parser *p, const char *what)
{
	const struct token *t = &p->token;
	int length = t->length > 60 ? 60 : (int)t->length;

	if (t->kind == TOKEN_END)
		parse_error(p, t, "expected %s, found the end of the file", what);
	else if (t->kind == TOKEN_STRING)
		parse_error(p, t, "expected %s, found the string \"%.*s\"", what, length, t->text);
	else
		parse_error(
			p, t, "expected %s, found '%s%.*s'", what, t->kind == TOKEN_WORD ? "." : "", length, t->text);
}

bool parse_accept(struct parser *p, int punctuation)
{
	if (!token_is(&p->token, punctuation))
		return false;
	parse_next(p);
	return true;
}

bool parse_accept_word(struct parser *p, const char *word)
{
	if (!token_is_word(&p->token, word))
		return false;
	parse_next(p);
	return true;
}

bool parse_expect(struct parser *p, int punctuation, const char *where)
{
	char what[120];

	if (parse_accept(p, punctuation))
		return true;
	snprintf(what, sizeof what, "'%c' %s", punctuation, where);
	parse_expected(p, what);
	return false;
}

bool parse_expect_name(struct parser *p, const char *what, struct token *name)
{
	*name = p->token;
	if (p->token.kind != TOKEN_NAME) {
		parse_expected(p, what);
		return false;
	}
	parse_next(p);
	return true;
}

char *parse_copy(struct parser *p, const struct token *token)
{
	return arena_copy(p->arena, token->text, token->length);
}

/* "(" anything, with balanced parentheses ")" */
void parse_skip_parentheses(struct parser *p)
{
	uint32_t depth = 0;

	do {
		if (token_is(&p->token, '('))
			depth++;
		else if (token_is(&p->token, ')'))
			depth--;
		else if (!depth)
			break;
		if (p->token.kind == TOKEN_END) {
			parse_expected(p, "')'");
			return;
		}
		parse_next(p);
	} while (depth);
}

/* ---- the module ---- */

/* version = ".version" major "." minor */
static void parse_version(struct parser *p)
{
	unsigned major = 0, minor = 0;
	struct token number = p->token;

	if (!parse_accept_word(p, "version")) {
		parse_expected(p, "'.version' at the beginning of the module");
		return;
	}
	number = p->token;
	char text[16] = {0};
	if (number.length < sizeof text)
		memcpy(text, number.text, number.length);
	if (number.kind != TOKEN_FLOAT || sscanf(text, "%3u.%3u", &major, &minor) != 2) {
		parse_expected(p, "a version such as 8.0");
		return;
	}
	if (major < 2 || major > 9)
		parse_error(p, &number, "PTX version %s is not supported: expected 2.0 to 9.x", text);
	p->module->version_major = major;
	p->module->version_minor = minor;
	parse_next(p);
}

/* sm_70, compute_70, sm_90a */
static bool names_processor(const struct token *name)
{
	char text[16] = {0};
	unsigned number;
	int end = 0;

	if (name->length >= sizeof text)
		return false;
	memcpy(text, name->text, name->length);
	if (sscanf(text, "sm_%3u%n", &number, &end) != 1 && sscanf(text, "compute_%3u%n", &number, &end) != 1)
		return false;
	return !text[end] || ((text[end] == 'a' || text[end] == 'f') && !text[end + 1]);
}

/* target = ".target" name ("," name)*      sm_70, debug, texmode_independent, ... */
static void parse_target(struct parser *p)
{
	struct token name;

	if (!parse_accept_word(p, "target")) {
		parse_expected(p, "'.target' after .version");
		return;
	}
	do {
		if (!parse_expect_name(p, "a target such as sm_70", &name))
			return;
		if (names_processor(&name))
			p->module->target = parse_copy(p, &name);
		else if (token_is_name(&name, "map_f64_to_f32"))
			parse_error(p, &name,
				"map_f64_to_f32 is not supported: double precision is always computed as such");
		else if (token_is_name(&name, "texmode_independent"))
			p->module->has_samplers = true;
		else if (!token_is_name(&name, "debug") && !token_is_name(&name, "texmode_unified"))
			parse_error(p, &name,
				"unknown target '%.*s': expected sm_NN, debug, texmode_unified or texmode_independent",
				TOKEN_TEXT(&name));
	} while (parse_accept(p, ','));
	if (!p->module->target && !parse_failed(p))
		parse_expected(p, "a target such as sm_70");
}

/* address_size = ".address_size" (32 | 64) */
static void parse_address_size(struct parser *p)
{
	struct token number = p->token;
	uint64_t bits = parse_integer(p, "the address size, 32 or 64", 64);

	if (bits != 32 && bits != 64)
		parse_error(
			p, &number, "address size %llu is not supported: expected 32 or 64", (unsigned long long)bits);
	p->module->address_bits = (uint32_t)bits;
}

/* linking = (".extern" | ".visible" | ".weak" | ".common")* */
static uint32_t parse_linking(struct parser *p)
{
	uint32_t linking = 0;

	for (;;) {
		if (parse_accept_word(p, "extern"))
			linking |= LINK_EXTERN;
		else if (parse_accept_word(p, "visible"))
			linking |= LINK_VISIBLE;
		else if (parse_accept_word(p, "weak"))
			linking |= LINK_WEAK;
		else if (parse_accept_word(p, "common"))
			linking |= LINK_COMMON;
		else
			return linking;
	}
}

/* declaration = linking (function | space variables) */
static void parse_declaration(struct parser *p)
{
	uint32_t linking = parse_linking(p);
	struct token word = p->token;
	uint8_t space;

	if (token_is_word(&word, "entry") || token_is_word(&word, "func"))
		parse_function(p, linking);
	else if (token_is_word(&word, "tex"))
		parse_error(p, &word, "the state space .tex is not supported: write .global .texref");
	else if (token_is_word(&word, "reg") || token_is_word(&word, "local") || token_is_word(&word, "param"))
		parse_error(p, &word, "a .%.*s declaration belongs inside a function", TOKEN_TEXT(&word));
	else if (parse_space(p, &space))
		parse_variables(p, space, linking);
	else
		parse_expected(p, "a directive such as .entry, .func, .global, .const or .shared");
}

/* directive = file | section | pragma | alias | declaration | ";" */
static void parse_directive(struct parser *p)
{
	if (parse_accept_word(p, "file"))
		parse_file(p);
	else if (parse_accept_word(p, "section"))
		parse_section(p);
	else if (parse_accept_word(p, "pragma"))
		parse_pragma(p);
	else if (parse_accept_word(p, "alias"))
		parse_alias(p);
	else if (parse_accept_word(p, "address_size"))
		parse_address_size(p);
	else if (!parse_accept(p, ';'))
		parse_declaration(p);
}

/* module = version target directive* */
struct ptx_module *ptx_parse(struct arena *arena, const char *file, const char *text, struct diagnostic *diagnostic)
{
	struct parser p = {.arena = arena, .diagnostic = diagnostic};
	struct scope *module_scope = arena_new(arena, struct scope);

	p.module = arena_new(arena, struct ptx_module);
	p.module->arena = p.debug.bytes.arena = arena;
	p.module->file = arena_copy(arena, file, strlen(file));
	p.module->address_bits = 32;
	module_scope->symbols = &p.module->symbols;
	p.scope = module_scope;
	lexer_start(&p.lexer, p.module->file, text, diagnostic);
	parse_next(&p);
	parse_version(&p);
	parse_target(&p);
	while (p.token.kind != TOKEN_END)
		parse_directive(&p);
	if (p.has_aliases && !parse_failed(&p))
		resolve_aliases(&p);
	parse_debug_end(&p);
	return parse_failed(&p) ? NULL : p.module;
}

struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name)
{
	struct symbol *symbol = map_get(&module->symbols, name);

	return symbol && symbol->kind == SYMBOL_FUNCTION ? symbol->function : NULL;
}
