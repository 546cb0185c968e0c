/* Reads a litmus test: name, initial values, threads with their places, rows of instructions, condition. */
#include "litmus/parser.h"

#include <string.h>

/* What is between the name and '{' is text for the reader. */
static bool parse_name(struct litmus_parser *p)
{
	uint32_t line = p->lexer.token.place.line;
	if (!litmus_take(&p->lexer, "PTX") && !litmus_take(&p->lexer, "ptx"))
		return litmus_unexpected(&p->lexer, "PTX and the test's name");
	if (p->lexer.token.kind == LITMUS_END || p->lexer.token.place.line != line)
		return litmus_unexpected(&p->lexer, "the test's name behind PTX");
	p->test->name = litmus_rest_of_line(&p->lexer);
	while (p->lexer.token.kind != LITMUS_END && !litmus_is(&p->lexer, "{"))
		litmus_next(&p->lexer);
	return litmus_expect(&p->lexer, "{");
}

/* ---- Initial values: x = 1; P0:r1 = 2; ---- */

/* They come before the threads, so registers are kept until those are known. */
struct initial {
	uint32_t thread;
	const char *name;
	int32_t value;
	struct place place;
};

struct initials {
	VECTOR(struct initial) registers;
};

static bool twice(struct litmus_parser *p, struct place place, const char *name)
{
	return diagnose(p->lexer.diagnostic, place, "a second initial value of '%s', expected one", name);
}

static bool parse_initial_register(struct litmus_parser *p, struct initials *initials)
{
	struct initial initial = {.place = p->lexer.token.place};
	if (!litmus_parse_thread(p, &initial.thread) || !litmus_expect(&p->lexer, ":"))
		return false;
	initial.name = p->lexer.token.text;
	if (!litmus_is_register(initial.name))
		return litmus_unexpected(&p->lexer, "a register such as r0");
	litmus_next(&p->lexer);
	if (!litmus_expect(&p->lexer, "="))
		return false;
	if (p->lexer.token.kind == LITMUS_WORD || litmus_is(&p->lexer, "&"))
		return litmus_unexpected(&p->lexer, "a number (addresses in registers are not supported)");
	for (uint32_t k = 0; k < initials->registers.count; k++) {
		const struct initial *earlier = &initials->registers.at[k];
		if (earlier->thread == initial.thread && !strcmp(earlier->name, initial.name))
			return twice(p, initial.place, initial.name);
	}
	bool good = litmus_number(&p->lexer, &initial.value);
	*vector_push(p->lexer.arena, &initials->registers) = initial;
	return good;
}

/* y @ generic aliases x: another address of the same location; with another proxy: the same address. */
static bool parse_alias(struct litmus_parser *p)
{
	struct litmus_test *test = p->test;
	struct litmus_lexer *lexer = &p->lexer;
	struct litmus_name alias = {.name = lexer->token.text};
	if (litmus_is_register(alias.name))
		return litmus_unexpected(lexer, "a location such as x");
	litmus_next(lexer);
	litmus_next(lexer); /* @ */
	bool generic = litmus_take(lexer, "generic");
	if (!generic && !litmus_take(lexer, "surface") && !litmus_take(lexer, "texture") &&
		!litmus_take(lexer, "constant"))
		return litmus_unexpected(lexer, "generic, surface, texture or constant, or '}' before the threads");
	if (!litmus_expect(lexer, "aliases"))
		return false;
	const struct litmus_name *of = litmus_find_name(test, lexer->token.text);
	if (!of || test->names.count == LITMUS_NAMES)
		return litmus_unexpected(lexer, of ? "at most 16 names" : "a location that was named before");
	alias.location = of->location;
	alias.address = generic ? test->names.count : of->address;
	*vector_push(lexer->arena, &test->names) = alias;
	test->proxies = true;
	litmus_next(lexer);
	return true;
}

static bool parse_initial(struct litmus_parser *p, struct initials *initials)
{
	uint32_t known = p->test->locations.count;
	if (p->lexer.token.kind == LITMUS_NUMBER ||
		(p->lexer.token.kind == LITMUS_WORD && *(p->lexer.at + strspn(p->lexer.at, " \t")) == ':'))
		return parse_initial_register(p, initials);
	struct place place = p->lexer.token.place;
	const char *text = p->lexer.token.text;
	if (litmus_find_name(p->test, text))
		return twice(p, place, text);
	if (p->lexer.token.kind == LITMUS_WORD && *(p->lexer.at + strspn(p->lexer.at, " \t")) == '@')
		return parse_alias(p);
	if (!litmus_parse_location(p))
		return false;
	if (!litmus_expect(&p->lexer, "="))
		return false;
	if (p->lexer.token.kind == LITMUS_WORD || litmus_is(&p->lexer, "&"))
		return litmus_unexpected(
			&p->lexer, "a number, or for another name of a location: y @ generic aliases x");
	return litmus_number(&p->lexer, &p->test->locations.at[known].initial);
}

static bool parse_initials(struct litmus_parser *p, struct initials *initials)
{
	while (!litmus_take(&p->lexer, "}")) {
		if (litmus_take(&p->lexer, ";"))
			continue;
		if (!parse_initial(p, initials))
			return false;
		if (!litmus_is(&p->lexer, "}") && !litmus_expect(&p->lexer, ";"))
			return false;
	}
	litmus_take(&p->lexer, ";");
	return true;
}

static bool set_registers(struct litmus_parser *p, const struct initials *initials)
{
	for (uint32_t k = 0; k < initials->registers.count; k++) {
		const struct initial *i = &initials->registers.at[k];
		if (i->thread >= p->test->threads.count) {
			diagnose(p->lexer.diagnostic, i->place, "there is no thread P%u, expected one of the test",
				i->thread);
			return false;
		}
		uint32_t number = litmus_register_number(p, i->thread, i->name);
		p->test->threads.at[i->thread].registers.at[number].initial = i->value;
	}
	return true;
}

/* ---- Threads: P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ; ---- */

static bool parse_thread_place(struct litmus_parser *p)
{
	uint32_t number, limit = 1000000;
	struct place place = p->lexer.token.place;
	struct litmus_thread thread = {0};
	if (!litmus_parse_thread(p, &number))
		return false;
	if (number != p->test->threads.count) {
		diagnose(
			p->lexer.diagnostic, place, "unexpected 'P%u', expected 'P%u'", number, p->test->threads.count);
		return false;
	}
	if (!litmus_expect(&p->lexer, "@") || !litmus_expect(&p->lexer, "cta") ||
		!litmus_small(&p->lexer, limit, &thread.cta) || !litmus_expect(&p->lexer, ",") ||
		!litmus_expect(&p->lexer, "gpu") || !litmus_small(&p->lexer, limit, &thread.gpu))
		return false;
	*vector_push(p->lexer.arena, &p->test->threads) = thread;
	return true;
}

static bool parse_threads(struct litmus_parser *p)
{
	do
		if (!parse_thread_place(p))
			return false;
	while (litmus_take(&p->lexer, "|"));
	return litmus_expect(&p->lexer, ";");
}

/* ---- Rows ---- */

static bool is_behind_rows(const struct litmus_parser *p)
{
	static const char *const words[] = {"exists", "forall", "locations", "filter", "not", "~"};
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (litmus_is(&p->lexer, words[k]))
			return true;
	return p->lexer.token.kind == LITMUS_END;
}

static bool parse_row(struct litmus_parser *p)
{
	for (uint32_t thread = 0; thread < p->test->threads.count; thread++) {
		if (!litmus_parse_cell(p, thread))
			return false;
		if (litmus_take(&p->lexer, ";"))
			return true; /* the cells left out are empty */
		if (thread + 1 < p->test->threads.count && !litmus_take(&p->lexer, "|"))
			return litmus_unexpected(&p->lexer, "'|' or ';'");
	}
	return litmus_expect(&p->lexer, ";");
}

static bool check_registers(struct litmus_parser *p)
{
	for (uint32_t k = 0; k < p->test->threads.count; k++)
		if (p->test->threads.at[k].registers.count > LITMUS_REGISTERS)
			diagnose(p->lexer.diagnostic, (struct place){.file = p->test->file},
				"P%u has too many registers, expected at most %u", k, LITMUS_REGISTERS);
	return !p->lexer.diagnostic->failed;
}

struct litmus_test *litmus_read(struct arena *arena, const char *file, const char *text, struct diagnostic *diagnostic)
{
	struct litmus_test *test = arena_new(arena, struct litmus_test);
	struct litmus_parser p = {
		.lexer = {.arena = arena, .diagnostic = diagnostic, .file = file, .at = text}, .test = test};
	struct initials initials = {0};
	test->file = file;
	litmus_lexer_init(&p.lexer);
	if (!parse_name(&p) || !parse_initials(&p, &initials) || !parse_threads(&p) || !set_registers(&p, &initials))
		return NULL;
	while (!is_behind_rows(&p))
		if (!parse_row(&p))
			return NULL;
	bool good = litmus_resolve_jumps(&p) && litmus_check_barriers(&p) && check_registers(&p) &&
		    litmus_parse_condition(&p);
	return good && !diagnostic->failed ? test : NULL;
}
