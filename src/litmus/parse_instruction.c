/* The instructions of a litmus test: PTX, but that a register is named r0 and an address is a location's name. */
#include "litmus/parser.h"

#include <string.h>

bool litmus_is_register(const char *name)
{
	return name[0] == 'r' && name[1] && !name[1 + strspn(name + 1, "0123456789")];
}

uint32_t litmus_register_number(struct litmus_parser *p, uint32_t thread, const char *name)
{
	struct litmus_thread *t = &p->test->threads.at[thread];
	for (uint32_t k = 0; k < t->registers.count; k++)
		if (!strcmp(t->registers.at[k].name, name))
			return k;
	*vector_push(p->lexer.arena, &t->registers) = (struct litmus_register){.name = name};
	return t->registers.count - 1;
}

const struct litmus_name *litmus_find_name(const struct litmus_test *test, const char *name)
{
	for (uint32_t k = 0; k < test->names.count; k++)
		if (!strcmp(test->names.at[k].name, name))
			return &test->names.at[k];
	return NULL;
}

const struct litmus_name *litmus_parse_location(struct litmus_parser *p)
{
	struct litmus_test *test = p->test;
	const char *name = p->lexer.token.text;
	if (p->lexer.token.kind != LITMUS_WORD || litmus_is_register(name)) {
		litmus_unexpected(&p->lexer, "a location such as x");
		return NULL;
	}
	const struct litmus_name *found = litmus_find_name(test, name);
	if (!found && (test->locations.count == LITMUS_LOCATIONS || test->names.count == LITMUS_NAMES)) {
		litmus_unexpected(&p->lexer, "at most 8 locations, with 16 names");
		return NULL;
	}
	litmus_next(&p->lexer);
	if (found)
		return found;
	struct litmus_name new = {name, test->locations.count, test->names.count};
	*vector_push(p->lexer.arena, &test->locations) = (struct litmus_location){.name = name};
	*vector_push(p->lexer.arena, &test->names) = new;
	return &test->names.at[test->names.count - 1];
}

/* The location of an instruction. */
static bool parse_place(struct litmus_parser *p, struct litmus_instruction *i)
{
	const struct litmus_name *name = litmus_parse_location(p);
	if (!name)
		return false;
	i->location = name->location;
	i->address = name->address;
	return true;
}

static bool parse_target(struct litmus_parser *p, uint32_t thread, struct litmus_instruction *i)
{
	if (p->lexer.token.kind != LITMUS_WORD || !litmus_is_register(p->lexer.token.text))
		return litmus_unexpected(&p->lexer, "a register such as r0");
	i->target = litmus_register_number(p, thread, p->lexer.token.text);
	if (i->kind == LITMUS_LOAD || i->kind == LITMUS_ATOM)
		p->test->threads.at[thread].registers.at[i->target].loaded = true;
	litmus_next(&p->lexer);
	return litmus_expect(&p->lexer, ",");
}

static bool parse_operand(struct litmus_parser *p, uint32_t thread, struct litmus_operand *operand)
{
	*operand = (struct litmus_operand){0};
	if (p->lexer.token.kind == LITMUS_WORD) {
		if (!litmus_is_register(p->lexer.token.text))
			return litmus_unexpected(&p->lexer, "a register such as r0, or a number");
		operand->is_register = true;
		operand->value = (int32_t)litmus_register_number(p, thread, p->lexer.token.text);
		litmus_next(&p->lexer);
		return true;
	}
	return litmus_number(&p->lexer, &operand->value);
}

static bool parse_second(struct litmus_parser *p, uint32_t thread, struct litmus_operand *operand)
{
	return litmus_expect(&p->lexer, ",") && parse_operand(p, thread, operand);
}

/* ---- Words after the mnemonic ---- */

struct word {
	const char *text;
	int value;
};

static const struct word orders[] = {{"weak", LITMUS_WEAK}, {"volatile", LITMUS_VOLATILE}, {"relaxed", LITMUS_RELAXED},
	{"acquire", LITMUS_ACQUIRE}, {"release", LITMUS_RELEASE}, {"acq_rel", LITMUS_ACQ_REL}, {"sc", LITMUS_SC}, {0}};
static const struct word scopes[] = {{"cta", LITMUS_CTA}, {"gpu", LITMUS_GPU}, {"sys", LITMUS_SYS}, {0}};
static const struct word membar_scopes[] = {{"cta", LITMUS_CTA}, {"gl", LITMUS_GPU}, {"sys", LITMUS_SYS}, {0}};
static const struct word atomics[] = {{"add", LITMUS_ADD}, {"sub", LITMUS_SUB}, {"and", LITMUS_AND}, {"or", LITMUS_OR},
	{"xor", LITMUS_XOR}, {"min", LITMUS_MIN}, {"max", LITMUS_MAX}, {"exch", LITMUS_MOVE}, {"cas", LITMUS_CAS}, {0}};
static const struct word locals[] = {{"mov", LITMUS_MOVE}, {"add", LITMUS_ADD}, {"sub", LITMUS_SUB},
	{"mul", LITMUS_MUL}, {"and", LITMUS_AND}, {"or", LITMUS_OR}, {"xor", LITMUS_XOR}, {"min", LITMUS_MIN},
	{"max", LITMUS_MAX}, {0}};
/* sust x, 1; suld r0, x; tld r0, x; cold r0, x: accesses by other ways, all of them weak. */
static const struct word proxy_loads[] = {
	{"suld", LITMUS_SURFACE}, {"tld", LITMUS_TEXTURE}, {"cold", LITMUS_CONSTANT}, {0}};
static const struct word proxy_fences[] = {{"surface", LITMUS_SURFACE}, {"texture", LITMUS_TEXTURE},
	{"constant", LITMUS_CONSTANT}, {"alias", LITMUS_ALIAS}, {0}};
static const struct word branches[] = {{"beq", LITMUS_EQ}, {"bne", LITMUS_NE}, {"blt", LITMUS_LT}, {"ble", LITMUS_LE},
	{"bgt", LITMUS_GT}, {"bge", LITMUS_GE}, {0}};

static bool find_word(const struct word *words, const char *text, int *value)
{
	while (words->text && strcmp(words->text, text))
		words++;
	*value = words->value;
	return words->text;
}

/* A word after a dot, one of `allowed`'s bits. */
static bool parse_word(
	struct litmus_parser *p, const struct word *words, uint32_t allowed, const char *expected, int *value)
{
	if (!litmus_expect(&p->lexer, "."))
		return false;
	if (!find_word(words, p->lexer.token.text, value) || !(allowed >> *value & 1))
		return litmus_unexpected(&p->lexer, expected);
	litmus_next(&p->lexer);
	return true;
}

static bool parse_order(struct litmus_parser *p, uint32_t allowed, const char *expected, struct litmus_instruction *i)
{
	int value;
	if (!parse_word(p, orders, allowed, expected, &value))
		return false;
	i->order = (enum litmus_order)value;
	i->scope = LITMUS_SYS;
	if (i->order == LITMUS_WEAK || i->order == LITMUS_VOLATILE)
		return true;
	if (!parse_word(p, scopes, 7, "the scope cta, gpu or sys", &value))
		return false;
	i->scope = (enum litmus_scope)value;
	return true;
}

#define BIT(order) (1u << LITMUS_##order)

/* ---- Instructions by mnemonic ---- */

static bool parse_local(struct litmus_parser *p, uint32_t thread, struct litmus_instruction *i)
{
	i->kind = LITMUS_LOCAL;
	return parse_target(p, thread, i) && parse_operand(p, thread, &i->a) &&
	       (i->operation == LITMUS_MOVE || parse_second(p, thread, &i->b));
}

/* "ld r0, 1" is a way to write mov. */
static bool parse_load(struct litmus_parser *p, uint32_t thread, struct litmus_instruction *i)
{
	if (!litmus_is(&p->lexer, "."))
		return parse_local(p, thread, i);
	i->kind = LITMUS_LOAD;
	return parse_order(p, BIT(WEAK) | BIT(VOLATILE) | BIT(RELAXED) | BIT(ACQUIRE),
		       "weak, volatile, relaxed or acquire", i) &&
	       parse_target(p, thread, i) && parse_place(p, i);
}

static bool parse_store(struct litmus_parser *p, uint32_t thread, struct litmus_instruction *i)
{
	i->kind = LITMUS_STORE;
	return parse_order(p, BIT(WEAK) | BIT(VOLATILE) | BIT(RELAXED) | BIT(RELEASE),
		       "weak, volatile, relaxed or release", i) &&
	       parse_place(p, i) && parse_second(p, thread, &i->a);
}

static bool parse_atomic(struct litmus_parser *p, uint32_t thread, struct litmus_instruction *i, bool has_target)
{
	int value = 0;
	i->kind = LITMUS_ATOM;
	if (!parse_order(p, BIT(RELAXED) | BIT(RELEASE) | BIT(ACQUIRE) | BIT(ACQ_REL),
		    "relaxed, acquire, release or acq_rel", i) ||
		!parse_word(p, atomics, has_target ? ~0u : ~(BIT(MOVE) | BIT(CAS)),
			has_target ? "add, sub, and, or, xor, min, max, exch or cas"
				   : "add, sub, and, or, xor, min or max",
			&value))
		return false;
	i->operation = (enum litmus_operation)value;
	return (!has_target || parse_target(p, thread, i)) && parse_place(p, i) && parse_second(p, thread, &i->a) &&
	       (i->operation != LITMUS_CAS || parse_second(p, thread, &i->b));
}

static bool parse_proxy_load(struct litmus_parser *p, uint32_t thread, struct litmus_instruction *i)
{
	p->test->proxies = true;
	i->kind = LITMUS_LOAD;
	return parse_order(p, BIT(WEAK), "weak", i) && parse_target(p, thread, i) && parse_place(p, i);
}

static bool parse_surface_store(struct litmus_parser *p, uint32_t thread, struct litmus_instruction *i)
{
	p->test->proxies = true;
	i->kind = LITMUS_STORE;
	i->proxy = LITMUS_SURFACE;
	return parse_order(p, BIT(WEAK), "weak", i) && parse_place(p, i) && parse_second(p, thread, &i->a);
}

/* fence.sc.SCOPE, fence.acq_rel.SCOPE, fence.proxy.KIND */
static bool parse_fence(struct litmus_parser *p, struct litmus_instruction *i)
{
	int value = 0;
	const char *behind = p->lexer.at;
	i->kind = LITMUS_FENCE;
	if (!litmus_is(&p->lexer, ".") || strncmp(behind, "proxy", 5))
		return parse_order(p, BIT(ACQ_REL) | BIT(SC), "sc, acq_rel or proxy", i);
	litmus_next(&p->lexer);
	litmus_next(&p->lexer);
	i->kind = LITMUS_PROXY_FENCE;
	bool good = parse_word(p, proxy_fences, ~0u, "alias, surface, texture or constant", &value);
	i->proxy = (enum litmus_proxy)value;
	return good;
}

static bool parse_membar(struct litmus_parser *p, struct litmus_instruction *i)
{
	int value = 0;
	i->kind = LITMUS_FENCE;
	i->order = LITMUS_SC;
	i->membar = true;
	bool good = parse_word(p, membar_scopes, 7, "cta, gl or sys", &value);
	i->scope = (enum litmus_scope)value;
	return good;
}

/* bar.cta.sync NUMBER; or a name of the instruction, the barrier's number and, it may be, the threads of a round. */
static bool parse_barrier(struct litmus_parser *p, uint32_t thread, struct litmus_instruction *i)
{
	i->kind = LITMUS_BARRIER;
	if (!litmus_expect(&p->lexer, ".") || !litmus_expect(&p->lexer, "cta") || !litmus_expect(&p->lexer, "."))
		return false;
	i->arrives = litmus_is(&p->lexer, "arrive");
	if (!i->arrives && !litmus_is(&p->lexer, "sync"))
		return litmus_unexpected(&p->lexer, "sync or arrive");
	litmus_next(&p->lexer);
	if (!parse_operand(p, thread, &i->a) || (litmus_is(&p->lexer, ",") && !parse_second(p, thread, &i->a)))
		return false;
	return !litmus_take(&p->lexer, ",") || litmus_small(&p->lexer, LITMUS_QUORUM, &i->quorum);
}

static bool parse_jump(struct litmus_parser *p, uint32_t thread, struct litmus_instruction *i, bool always)
{
	struct litmus_lexer *lexer = &p->lexer;
	i->kind = LITMUS_BRANCH;
	if (!always &&
		(!parse_operand(p, thread, &i->a) || !parse_second(p, thread, &i->b) || !litmus_expect(lexer, ",")))
		return false;
	if (lexer->token.kind != LITMUS_WORD)
		return litmus_unexpected(lexer, "a label");
	uint32_t here = p->test->threads.at[thread].code.count;
	*vector_push(lexer->arena, &p->jumps) =
		(struct litmus_label){lexer->token.text, thread, here, lexer->token.place};
	litmus_next(lexer);
	return true;
}

static bool parse_mnemonic(struct litmus_parser *p, uint32_t thread, const char *name, struct litmus_instruction *i)
{
	int value = 0;
	if (!strcmp(name, "ld"))
		return parse_load(p, thread, i);
	if (!strcmp(name, "st"))
		return parse_store(p, thread, i);
	if (!strcmp(name, "atom") || !strcmp(name, "red"))
		return parse_atomic(p, thread, i, name[0] == 'a');
	if (!strcmp(name, "sust"))
		return parse_surface_store(p, thread, i);
	if (find_word(proxy_loads, name, &value)) {
		i->proxy = (enum litmus_proxy)value;
		return parse_proxy_load(p, thread, i);
	}
	if (!strcmp(name, "fence"))
		return parse_fence(p, i);
	if (!strcmp(name, "membar"))
		return parse_membar(p, i);
	if (!strcmp(name, "bar") || !strcmp(name, "barrier"))
		return parse_barrier(p, thread, i);
	if (find_word(branches, name, &value)) {
		i->comparison = (enum litmus_comparison)value;
		return parse_jump(p, thread, i, false);
	}
	if (!strcmp(name, "goto") || !strcmp(name, "bra"))
		return parse_jump(p, thread, i, true); /* 0 == 0 */
	if (!find_word(locals, name, &value))
		diagnose(p->lexer.diagnostic, i->place,
			"unknown instruction '%s', expected ld, st, atom, red, sust, suld, tld, cold, fence, membar, "
			"bar, mov, add, sub, mul, "
			"and, or, xor, min, max, beq, bne, blt, ble, bgt, bge or goto; or the condition: exists, "
			"~exists or "
			"forall",
			name);
	i->operation = (enum litmus_operation)value;
	return !p->lexer.diagnostic->failed && parse_local(p, thread, i);
}

bool litmus_parse_cell(struct litmus_parser *p, uint32_t thread)
{
	struct litmus_lexer *lexer = &p->lexer;
	struct litmus_thread *t = &p->test->threads.at[thread];
	struct litmus_instruction i = {.target = LITMUS_NO_REGISTER, .place = lexer->token.place};
	const char *name = lexer->token.text;
	if (litmus_is(lexer, "|") || litmus_is(lexer, ";"))
		return true;
	if (lexer->token.kind != LITMUS_WORD)
		return litmus_unexpected(lexer, "an instruction, '|' or ';'");
	litmus_next(lexer);
	if (litmus_take(lexer, ":")) {
		*vector_push(lexer->arena, &p->labels) = (struct litmus_label){name, thread, t->code.count, i.place};
		return true;
	}
	if (t->code.count == LITMUS_INSTRUCTIONS)
		diagnose(lexer->diagnostic, i.place, "the thread is too long, expected at most %u instructions",
			LITMUS_INSTRUCTIONS);
	if (lexer->diagnostic->failed || !parse_mnemonic(p, thread, name, &i))
		return false;
	*vector_push(lexer->arena, &t->code) = i;
	return true;
}

static const struct litmus_label *find_label(const struct litmus_parser *p, const struct litmus_label *jump)
{
	for (uint32_t k = 0; k < p->labels.count; k++)
		if (p->labels.at[k].thread == jump->thread && !strcmp(p->labels.at[k].name, jump->name))
			return &p->labels.at[k];
	return NULL;
}

bool litmus_resolve_jumps(struct litmus_parser *p)
{
	for (uint32_t k = 0; k < p->jumps.count; k++) {
		const struct litmus_label *jump = &p->jumps.at[k], *label = find_label(p, jump);
		if (!label) {
			diagnose(p->lexer.diagnostic, jump->place, "unknown label '%s', expected one of this thread",
				jump->name);
			return false;
		}
		p->test->threads.at[jump->thread].code.at[jump->instruction].jump = label->instruction;
		p->test->loops |= label->instruction <= jump->instruction;
	}
	return true;
}
