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

static bool parse_initial(struct litmus_parser *p, struct initials *initials)
{
	uint32_t location, known = p->test->locations.count;
	if (p->lexer.token.kind == LITMUS_NUMBER ||
		(p->lexer.token.kind == LITMUS_WORD && *(p->lexer.at + strspn(p->lexer.at, " \t")) == ':'))
		return parse_initial_register(p, initials);
	struct place place = p->lexer.token.place;
	if (!litmus_parse_location(p, &location))
		return false;
	if (location < known)
		return twice(p, place, p->test->locations.at[location].name);
	if (litmus_is(&p->lexer, "@"))
		return litmus_unexpected(
			&p->lexer, "'=' (proxies and aliases are not supported), or '}' before the threads");
	if (!litmus_expect(&p->lexer, "="))
		return false;
	if (p->lexer.token.kind == LITMUS_WORD || litmus_is(&p->lexer, "&"))
		return litmus_unexpected(&p->lexer, "a number (aliases are not supported)");
	return litmus_number(&p->lexer, &p->test->locations.at[location].initial);
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

/* ---- Barriers: every thread of a CTA comes to the same ones, whatever it reads; else it might wait for ever ---- */

static bool check_jumps_over_barriers(struct litmus_parser *p, const struct litmus_thread *t)
{
	for (uint32_t k = 0; k < t->code.count; k++)
		for (uint32_t j = k + 1; t->code.at[k].kind == LITMUS_BRANCH && j < t->code.at[k].jump; j++)
			if (t->code.at[j].kind == LITMUS_BARRIER)
				diagnose(p->lexer.diagnostic, t->code.at[k].place,
					"a branch over a barrier is not supported, expected one that all threads of "
					"the CTA come to");
	return !p->lexer.diagnostic->failed;
}

static const struct litmus_instruction *nth_barrier(const struct litmus_thread *t, uint32_t nth)
{
	for (uint32_t k = 0; k < t->code.count; k++)
		if (t->code.at[k].kind == LITMUS_BARRIER && !nth--)
			return &t->code.at[k];
	return NULL;
}

static bool check_same_barriers(
	struct litmus_parser *p, const struct litmus_thread *mine, const struct litmus_thread *theirs)
{
	const struct litmus_instruction *a, *b;
	for (uint32_t nth = 0; (a = nth_barrier(mine, nth)); nth++)
		if (!(b = nth_barrier(theirs, nth)) || a->barrier != b->barrier) {
			diagnose(p->lexer.diagnostic, a->place,
				"the barrier is not met by P%u of the same CTA, expected the same barriers in all "
				"threads of a CTA",
				(uint32_t)(theirs - p->test->threads.at));
			return false;
		}
	return true;
}

static bool check_barriers(struct litmus_parser *p)
{
	const struct litmus_test *test = p->test;
	for (uint32_t k = 0; k < test->threads.count; k++) {
		const struct litmus_thread *t = &test->threads.at[k];
		if (!check_jumps_over_barriers(p, t))
			return false;
		for (uint32_t j = 0; j < test->threads.count; j++)
			if (test->threads.at[j].cta == t->cta && test->threads.at[j].gpu == t->gpu &&
				!check_same_barriers(p, t, &test->threads.at[j]))
				return false;
	}
	return true;
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
	bool good = litmus_resolve_jumps(&p) && check_barriers(&p) && check_registers(&p) && litmus_parse_condition(&p);
	return good && !diagnostic->failed ? test : NULL;
}
