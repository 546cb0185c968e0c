/* The condition of a litmus test: read, and asked of an end. */
#include "litmus/parser.h"
#include "util/text.h"

#include <string.h>

/* ---- Variables ---- */

static uint32_t variable_number(struct litmus_parser *p, uint32_t thread, uint32_t index)
{
	struct litmus_test *test = p->test;
	for (uint32_t k = 0; k < test->variables.count; k++)
		if (test->variables.at[k].thread == thread && test->variables.at[k].index == index)
			return k;
	*vector_push(p->lexer.arena, &test->variables) = (struct litmus_variable){thread, index};
	return test->variables.count - 1;
}

/* Every register that is loaded is a variable, whether or not the condition names it: so more is judged. */
static void add_loaded(struct litmus_parser *p)
{
	for (uint32_t t = 0; t < p->test->threads.count; t++)
		for (uint32_t r = 0; r < p->test->threads.at[t].registers.count; r++)
			if (p->test->threads.at[t].registers.at[r].loaded)
				variable_number(p, t, r);
}

/* "P0:r1", "0:r1", "x" or "[x]"; the number in front of a colon was read. */
static bool parse_register(struct litmus_parser *p, uint32_t thread, uint32_t *variable)
{
	const struct litmus_test *test = p->test;
	if (thread >= test->threads.count)
		return litmus_unexpected(&p->lexer, "a register of a thread that there is");
	const char *name = p->lexer.token.text;
	for (uint32_t r = 0; r < test->threads.at[thread].registers.count; r++)
		if (!strcmp(test->threads.at[thread].registers.at[r].name, name)) {
			*variable = variable_number(p, thread, r);
			litmus_next(&p->lexer);
			return true;
		}
	return litmus_unexpected(&p->lexer, arena_printf(p->lexer.arena, "a register that P%u uses", thread));
}

static bool is_thread_name(const char *name)
{
	return name[0] == 'P' && name[1] && !name[1 + strspn(name + 1, "0123456789")];
}

bool litmus_parse_thread(struct litmus_parser *p, uint32_t *thread)
{
	uint64_t number = 0;
	const char *name = p->lexer.token.text;
	bool named = p->lexer.token.kind == LITMUS_WORD && is_thread_name(name);
	if ((!named && p->lexer.token.kind != LITMUS_NUMBER) || !text_to_u64(name + named, &number) ||
		number >= LITMUS_THREADS)
		return litmus_unexpected(&p->lexer, "a thread such as P0, at most P7");
	*thread = (uint32_t)number;
	litmus_next(&p->lexer);
	return true;
}

static bool parse_variable(struct litmus_parser *p, uint32_t *variable)
{
	uint32_t index = 0;
	if (litmus_take(&p->lexer, "["))
		return parse_variable(p, variable) && litmus_expect(&p->lexer, "]");
	if (p->lexer.token.kind == LITMUS_NUMBER || is_thread_name(p->lexer.token.text))
		return litmus_parse_thread(p, &index) && litmus_expect(&p->lexer, ":") &&
		       parse_register(p, index, variable);
	const struct litmus_name *name = litmus_find_name(p->test, p->lexer.token.text);
	if (!name)
		return litmus_unexpected(&p->lexer, "a register such as P0:r1, a location of the test, or a number");
	litmus_next(&p->lexer);
	*variable = variable_number(p, LITMUS_IN_MEMORY, name->location);
	return true;
}

/* ---- The condition ---- */

/* A number, if no colon follows. */
static bool parse_term(struct litmus_parser *p, struct litmus_term *term)
{
	const char *behind = p->lexer.at + strspn(p->lexer.at, " \t");
	if (litmus_is(&p->lexer, "-") || (p->lexer.token.kind == LITMUS_NUMBER && *behind != ':'))
		return litmus_number(&p->lexer, &term->value);
	term->is_variable = true;
	return parse_variable(p, &term->variable);
}

static bool parse_comparison(struct litmus_parser *p, enum litmus_comparison *comparison)
{
	static const struct {
		const char *mark;
		enum litmus_comparison comparison;
	} marks[] = {{"=", LITMUS_EQ}, {"==", LITMUS_EQ}, {"!=", LITMUS_NE}, {"<", LITMUS_LT}, {"<=", LITMUS_LE},
		{">", LITMUS_GT}, {">=", LITMUS_GE}};
	for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
		if (litmus_take(&p->lexer, marks[k].mark)) {
			*comparison = marks[k].comparison;
			return true;
		}
	return litmus_unexpected(&p->lexer, "=, ==, !=, <, <=, > or >=");
}

/* How deep parentheses and ~ may be. */
#define DEPTH 64

static const struct litmus_condition *parse_either(struct litmus_parser *p, uint32_t depth);

static const struct litmus_condition *parse_single(struct litmus_parser *p, uint32_t depth)
{
	struct litmus_condition *c = arena_new(p->lexer.arena, struct litmus_condition);
	if (depth == DEPTH) {
		litmus_unexpected(&p->lexer, "fewer parentheses");
		return NULL;
	}
	if (litmus_take(&p->lexer, "(")) {
		const struct litmus_condition *inner = parse_either(p, depth + 1);
		return inner && litmus_expect(&p->lexer, ")") ? inner : NULL;
	}
	if (litmus_take(&p->lexer, "~") || litmus_take(&p->lexer, "not")) {
		c->kind = LITMUS_NOT;
		c->left = parse_single(p, depth + 1);
		return c->left ? c : NULL;
	}
	return parse_term(p, &c->terms[0]) && parse_comparison(p, &c->comparison) && parse_term(p, &c->terms[1]) ? c
														 : NULL;
}

static const struct litmus_condition *join(
	struct litmus_parser *p, const struct litmus_condition *left, const struct litmus_condition *right, bool both)
{
	struct litmus_condition *c = arena_new(p->lexer.arena, struct litmus_condition);
	c->kind = both ? LITMUS_BOTH : LITMUS_EITHER;
	c->left = left;
	c->right = right;
	return right ? c : NULL;
}

static const struct litmus_condition *parse_both(struct litmus_parser *p, uint32_t depth)
{
	const struct litmus_condition *left = parse_single(p, depth);
	while (left && litmus_take(&p->lexer, "/\\"))
		left = join(p, left, parse_single(p, depth), true);
	return left;
}

static const struct litmus_condition *parse_either(struct litmus_parser *p, uint32_t depth)
{
	const struct litmus_condition *left = parse_both(p, depth);
	while (left && litmus_take(&p->lexer, "\\/"))
		left = join(p, left, parse_both(p, depth), false);
	return left;
}

/* locations [x; P0:r1;] */
static bool parse_locations(struct litmus_parser *p)
{
	uint32_t variable;
	if (!litmus_take(&p->lexer, "locations"))
		return true;
	if (!litmus_expect(&p->lexer, "["))
		return false;
	while (!litmus_take(&p->lexer, "]"))
		if (!parse_variable(p, &variable) || (!litmus_is(&p->lexer, "]") && !litmus_expect(&p->lexer, ";")))
			return false;
	return true;
}

static bool parse_quantifier(struct litmus_parser *p)
{
	if (litmus_is(&p->lexer, "filter"))
		return litmus_unexpected(&p->lexer, "exists, ~exists or forall (filter is not supported)");
	bool never = litmus_take(&p->lexer, "~") || litmus_take(&p->lexer, "not");
	p->test->quantifier = never ? LITMUS_NEVER : LITMUS_EXISTS;
	if (litmus_take(&p->lexer, "exists"))
		return true;
	p->test->quantifier = LITMUS_ALWAYS;
	return (!never && litmus_take(&p->lexer, "forall")) ||
	       litmus_unexpected(&p->lexer, never ? "exists" : "an instruction, or exists, ~exists or forall");
}

/* The text from `start` to `end`, where blanks are one. */
static const char *one_line(struct arena *arena, const char *start, const char *end)
{
	char *line = arena_copy(arena, start, (size_t)(end - start)), *to = line;
	for (const char *from = line; *from; from++) {
		bool blank = strchr(" \t\r\n", *from);
		if (!blank)
			*to++ = *from;
		else if (to > line && to[-1] != ' ')
			*to++ = ' ';
	}
	while (to > line && to[-1] == ' ')
		to--;
	*to = '\0';
	return line;
}

bool litmus_parse_condition(struct litmus_parser *p)
{
	add_loaded(p);
	if (!parse_locations(p))
		return false;
	const char *start = p->lexer.token.start;
	if (!parse_quantifier(p) || !(p->test->condition = parse_either(p, 0)))
		return false;
	p->test->condition_text = one_line(p->lexer.arena, start, p->lexer.token.start);
	litmus_take(&p->lexer, ";");
	if (p->lexer.token.kind != LITMUS_END)
		return litmus_unexpected(&p->lexer, "/\\, \\/ or the end of the file");
	if (p->test->variables.count > LITMUS_VARIABLES)
		diagnose(p->lexer.diagnostic, p->lexer.token.place, "too many registers, expected at most %u",
			LITMUS_VARIABLES);
	return !p->lexer.diagnostic->failed;
}

/* ---- Asked ---- */

const char *litmus_variable_name(
	struct arena *arena, const struct litmus_test *test, const struct litmus_variable *variable)
{
	if (variable->thread == LITMUS_IN_MEMORY)
		return test->locations.at[variable->index].name;
	return arena_printf(arena, "P%u:%s", variable->thread,
		test->threads.at[variable->thread].registers.at[variable->index].name);
}

bool litmus_compare(enum litmus_comparison comparison, int32_t left, int32_t right)
{
	switch (comparison) {
	case LITMUS_EQ: return left == right;
	case LITMUS_NE: return left != right;
	case LITMUS_LT: return left < right;
	case LITMUS_LE: return left <= right;
	case LITMUS_GT: return left > right;
	case LITMUS_GE: return left >= right;
	}
	return false;
}

static int32_t value_of(const struct litmus_term *term, const int32_t *values)
{
	return term->is_variable ? values[term->variable] : term->value;
}

bool litmus_fulfils(const struct litmus_condition *c, const int32_t *values)
{
	switch (c->kind) {
	case LITMUS_COMPARE:
		return litmus_compare(c->comparison, value_of(&c->terms[0], values), value_of(&c->terms[1], values));
	case LITMUS_NOT: return !litmus_fulfils(c->left, values);
	case LITMUS_BOTH: return litmus_fulfils(c->left, values) && litmus_fulfils(c->right, values);
	case LITMUS_EITHER: return litmus_fulfils(c->left, values) || litmus_fulfils(c->right, values);
	}
	return false;
}
