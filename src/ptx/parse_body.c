/* Function bodies: blocks, labels and the directives among the instructions; .file and .section, too. */
#include "ptx/parser.h"

#include <string.h>

/* ---- debugging directives ---- */

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
	return name.length && name.text[0] == '/'
		       ? parse_copy(p, &name)
		       : arena_printf(p->arena, "%s/%.*s", folder, (int)name.length, name.text);
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

/* How far back the call around an inlined one is looked for: compilers name it shortly before. */
#define SITES_BACK 64

static bool is_same_place(const struct ptx_site *a, const struct ptx_site *b)
{
	return a->loc.file == b->loc.file && a->loc.line == b->loc.line && a->column == b->column;
}

/* The site of an inlined call: itself inlined when the .loc of its place was. */
static uint32_t find_site(struct parser *p, struct ptx_site site)
{
	uint32_t count = p->locs.count, first = count > SITES_BACK ? count - SITES_BACK : 0;

	for (uint32_t k = count; k > first && !site.loc.site; k--)
		if (is_same_place(&p->locs.at[k - 1], &site))
			site.loc.site = p->locs.at[k - 1].loc.site;
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

/* loc = ".loc" file line column ("," "function_name" label ("+" n)? "," "inlined_at" file line column)? */
static void parse_loc(struct parser *p)
{
	struct ptx_site here = parse_location(p);
	struct token name;

	while (parse_accept(p, ',')) {
		if (!parse_expect_name(p, "function_name or inlined_at", &name))
			return;
		if (token_is_name(&name, "function_name")) {
			parse_expect_name(p, "a label", &name);
			if (parse_accept(p, '+'))
				parse_integer(p, "an offset", UINT64_MAX);
		} else if (token_is_name(&name, "inlined_at")) {
			here.loc.site = find_site(p, parse_location(p));
		} else {
			parse_error(p, &name, "expected function_name or inlined_at, found '%.*s'", (int)name.length,
				name.text);
		}
	}
	p->loc = here.loc;
	*vector_push(p->arena, &p->locs) = here;
}

/* section = ".section" name "{" anything "}"      debugging data, skipped */
void parse_section(struct parser *p)
{
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
	do {
		depth += token_is(&p->token, '{');
		depth -= token_is(&p->token, '}');
		if (p->token.kind == TOKEN_END)
			parse_expected(p, "'}' to close the section");
		parse_next(p);
	} while (depth && !parse_failed(p));
}

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
		struct symbol *symbol = scope_find(p, function.text, function.length);
		if (!symbol || symbol->kind != SYMBOL_FUNCTION) {
			parse_error(
				p, &function, "'%.*s' is not a declared function", (int)function.length, function.text);
			return;
		}
		symbol->function->address_taken = true;
		*vector_push(p->arena, &targets) = symbol->function;
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
