/* Function bodies: blocks, labels and the directives among the instructions. */
#include "ptx/parser.h"

#include <string.h>

/* ---- pragmas ---- */

/* The reason is kept for the next instruction; others than a trap have none. */
static void parse_trap_reason(struct parser *p)
{
	const struct token *t = &p->token;
	const size_t beginning = strlen(PTX_TRAP_PRAGMA);

	if (t->length > beginning && !memcmp(t->text, PTX_TRAP_PRAGMA, beginning))
		p->trap_reason = arena_copy(p->arena, t->text + beginning, t->length - beginning);
}

/* pragma = ".pragma" string ("," string)* ";"      ignored, but for those of module.h */
void parse_pragma(struct parser *p)
{
	do {
		if (p->token.kind != TOKEN_STRING) {
			parse_expected(p, "a pragma as a string");
			return;
		}
		p->spins |= token_is_string(&p->token, PTX_SPIN_PRAGMA);
		p->module->shared_null |= token_is_string(&p->token, PTX_SHARED_NULL_PRAGMA);
		parse_trap_reason(p);
		parse_next(p);
	} while (parse_accept(p, ','));
	parse_expect(p, ';', "after the pragma");
}

/* ---- tables and prototypes, named by a label ---- */

/* branchtargets = ".branchtargets" label ("," label)* ";" */
static void parse_branch_targets(struct parser *p, const struct token *name)
{
	VECTOR(struct token) labels = {0};
	struct symbol *symbol = scope_declare(p, name, SYMBOL_TABLE);
	struct token label;

	do
		if (parse_expect_name(p, "a label", &label))
			*vector_push(p->arena, &labels) = label;
	while (parse_accept(p, ','));
	parse_expect(p, ';', "after the branch targets");
	if (parse_failed(p))
		return;
	struct ptx_operand *table = symbol->table = arena_new(p->arena, struct ptx_operand);
	table->kind = OPERAND_TABLE;
	table->count = labels.count;
	table->element = arena_new_array(p->arena, struct ptx_operand, labels.count);
	for (uint32_t i = 0; i < labels.count; i++) {
		table->element[i].kind = OPERAND_LABEL;
		table->element[i].line = labels.at[i].line;
		table->element[i].column = labels.at[i].column;
		scope_use_label(p, &labels.at[i], &table->element[i]);
	}
}

static struct ptx_prototype *new_prototype(struct parser *p, const struct token *name)
{
	struct symbol *symbol = scope_declare(p, name, SYMBOL_PROTOTYPE);

	if (!symbol)
		return NULL;
	symbol->prototype = arena_new(p->arena, struct ptx_prototype);
	symbol->prototype->name = parse_copy(p, name);
	return symbol->prototype;
}

/* callprototype = ".callprototype" formals? "_" formals? ".noreturn"? ";" */
static void parse_call_prototype(struct parser *p, const struct token *name)
{
	struct ptx_prototype *prototype = new_prototype(p, name);
	struct token blank;

	if (!prototype)
		return;
	if (token_is(&p->token, '('))
		parse_signature(p, &prototype->returns, &prototype->return_count);
	parse_expect_name(p, "'_' for the function", &blank);
	if (token_is(&p->token, '('))
		parse_signature(p, &prototype->parameters, &prototype->parameter_count);
	while (p->token.kind == TOKEN_WORD)
		if (parse_accept_word(p, "noreturn"))
			prototype->noreturn = true;
		else if (parse_accept_word(p, "abi_preserve") || parse_accept_word(p, "abi_preserve_control"))
			parse_integer(p, "a number", UINT32_MAX);
		else
			parse_expected(p, "';' after the call prototype");
	parse_expect(p, ';', "after the call prototype");
}

/* calltargets = ".calltargets" name ("," name)* ";"      functions of one signature */
static void parse_call_targets(struct parser *p, const struct token *name)
{
	VECTOR(struct ptx_function *) targets = {0};
	struct ptx_prototype *prototype = new_prototype(p, name);
	struct token function;

	do {
		if (!parse_expect_name(p, "a function's name", &function))
			return;
		struct ptx_function *target = parse_function_named(p, &function);
		if (!target)
			return;
		target->address_taken = true;
		*vector_push(p->arena, &targets) = target;
	} while (parse_accept(p, ','));
	parse_expect(p, ';', "after the call targets");
	if (parse_failed(p))
		return;
	const char *own = prototype->name;
	*prototype = targets.at[0]->signature;
	prototype->name = own;
	prototype->targets = targets.at;
	prototype->target_count = targets.count;
}

/* label = name ":" (branchtargets | callprototype | calltargets)? */
static void parse_label(struct parser *p)
{
	struct token name = p->token;

	parse_next(p);
	parse_next(p);
	if (parse_accept_word(p, "branchtargets"))
		parse_branch_targets(p, &name);
	else if (parse_accept_word(p, "callprototype"))
		parse_call_prototype(p, &name);
	else if (parse_accept_word(p, "calltargets"))
		parse_call_targets(p, &name);
	else
		scope_define_label(p, &name);
}

/* ---- statements ---- */

/* directive = loc | pragma | file | section | registers | space variables */
static void parse_inner_directive(struct parser *p)
{
	uint8_t space;

	if (parse_accept_word(p, "loc"))
		parse_loc(p);
	else if (parse_accept_word(p, "reg"))
		parse_registers(p);
	else if (parse_accept_word(p, "pragma"))
		parse_pragma(p);
	else if (parse_accept_word(p, "file"))
		parse_file(p);
	else if (parse_accept_word(p, "section"))
		parse_section(p);
	else if (parse_accept_word(p, "extern")) {
		if (parse_accept_word(p, "shared"))
			parse_variables(p, space_SHARED, LINK_EXTERN);
		else
			parse_expected(p, "'.shared' behind '.extern' inside a function");
	} else if (parse_space(p, &space))
		parse_variables(p, space, 0);
	else
		parse_expected(p, "an instruction or a directive such as .reg, .loc or .shared");
}

/* statement = label | instruction | directive | ";" */
static void parse_statement(struct parser *p)
{
	struct token behind;

	if (p->token.kind == TOKEN_WORD) {
		parse_inner_directive(p);
	} else if (p->token.kind == TOKEN_NAME) {
		behind = parse_peek(p);
		if (token_is(&behind, ':'))
			parse_label(p);
		else
			parse_instruction(p);
	} else if (token_is(&p->token, '@')) {
		parse_instruction(p);
	} else if (!parse_accept(p, ';')) {
		parse_expected(p, "an instruction, a label, a directive or '}'");
	}
}

/* statements = (statement | "{" statements "}")* "}"      flat, so that nesting costs no stack */
void parse_body(struct parser *p)
{
	uint32_t depth = 0;

	for (;;) {
		if (p->token.kind == TOKEN_END) {
			parse_expected(p, "'}' to close the function");
			return;
		}
		if (parse_accept(p, '{')) {
			depth++;
			scope_open(p);
		} else if (token_is(&p->token, '}')) {
			if (depth)
				scope_close(p);
			parse_next(p);
			if (!depth--)
				return;
		} else {
			parse_statement(p);
		}
	}
}
