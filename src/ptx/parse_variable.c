/* Declarations of registers, variables and formal parameters. */
#include "ptx/parser.h"

#include <string.h>

/* type = ".u32" and so on: the rows of types.def; TYPE_NONE, and nothing consumed, when the word in hand is none */
static enum ptx_type parse_type(struct parser *p)
{
	for (int type = 1; type < TYPE_COUNT; type++)
		if (token_is_word(&p->token, ptx_types[type].text)) {
			parse_next(p);
			return (enum ptx_type)type;
		}
	return TYPE_NONE;
}

/* space = ".global" | ".const" | ".shared" | ".local" | ".param" */
bool parse_space(struct parser *p, uint8_t *space)
{
	static const struct {
		const char *word;
		uint8_t space;
	} spaces[] = {{"global", space_GLOBAL}, {"const", space_CONST}, {"shared", space_SHARED},
		{"local", space_LOCAL}, {"param", space_PARAM}};

	for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (parse_accept_word(p, spaces[i].word)) {
			*space = spaces[i].space;
			return true;
		}
	return false;
}

/* align = ".align" power-of-two */
static uint32_t parse_align(struct parser *p)
{
	struct token number = p->token;
	uint64_t align = parse_integer(p, "an alignment in bytes", 1 << 20);

	if (!align || align & (align - 1))
		parse_error(p, &number, "alignment %llu is not a power of two", (unsigned long long)align);
	return align ? (uint32_t)align : 1;
}

/* pointer = ".ptr" space? align?      says where a kernel parameter points; the space and alignment are hints */
static void parse_pointer(struct parser *p)
{
	uint8_t space;

	parse_space(p, &space);
	if (parse_accept_word(p, "align"))
		parse_align(p);
}

/* How many elements; 0: there is no such word. */
static uint8_t parse_vector(struct parser *p)
{
	return parse_accept_word(p, "v2") ? 2 : parse_accept_word(p, "v4") ? 4 : parse_accept_word(p, "v8") ? 8 : 0;
}

static enum ptx_opaque opaque_of(const struct token *t)
{
	return token_is_word(t, "texref")       ? OPAQUE_TEXTURE
	       : token_is_word(t, "surfref")    ? OPAQUE_SURFACE
	       : token_is_word(t, "samplerref") ? OPAQUE_SAMPLER
						: OPAQUE_NONE;
}

/* opaque = ".texref" | ".surfref" | ".samplerref"      of .global variables: 8 bytes that nothing reads */
static void parse_opaque(struct parser *p, struct ptx_variable *common)
{
	if (common->space != space_GLOBAL || p->function)
		parse_error(p, &p->token, "references to images are .global variables outside functions: .%.*s",
			TOKEN_TEXT(&p->token));
	else if (opaque_of(&p->token) == OPAQUE_SAMPLER)
		parse_error(p, &p->token, "variables for samplers are not supported: .samplerref");
	common->opaque = opaque_of(&p->token);
	common->type = TYPE_B64;
	parse_next(p);
}

/* qualifiers = (align | ".attribute" "(" ... ")" | pointer | ".v2" | ".v4" | type)*      with exactly one type */
static void parse_qualifiers(struct parser *p, struct ptx_variable *common)
{
	enum ptx_type type;
	uint8_t vector;

	common->vector = 1;
	while (p->token.kind == TOKEN_WORD) {
		struct token word = p->token;
		if (parse_accept_word(p, "align"))
			common->align = parse_align(p);
		else if (parse_accept_word(p, "attribute"))
			parse_skip_parentheses(p);
		else if (parse_accept_word(p, "ptr"))
			common->is_pointer = true, parse_pointer(p);
		else if (opaque_of(&word) && !common->type)
			parse_opaque(p, common);
		else if ((vector = parse_vector(p)))
			common->vector = vector;
		else if ((type = parse_type(p)) && !common->type)
			common->type = type;
		else
			parse_error(p, &word, "expected a type or an alignment, found '.%.*s'", TOKEN_TEXT(&word));
	}
	if (!common->type)
		parse_expected(p, "a type such as .b32");
}

/* ---- registers ---- */

/* register = name ("<" count ">")? */
static void parse_register(struct parser *p, enum ptx_type type, uint32_t vector)
{
	struct token name;

	if (!parse_expect_name(p, "a register's name", &name))
		return;
	if (parse_accept(p, '<')) {
		struct token number = p->token;
		if (number.kind != TOKEN_INTEGER || number.bits > 100000000) {
			parse_expected(p, "the number of registers, at most 100000000");
			return;
		}
		parse_next(p);
		parse_expect(p, '>', "behind the number of registers");
		scope_declare_range(p, &name, (uint32_t)number.bits, type, vector);
	} else {
		scope_declare_register(p, &name, type, vector);
	}
}

/* registers = ".reg" qualifiers register ("," register)* ";" */
void parse_registers(struct parser *p)
{
	struct ptx_variable common = {0};

	parse_qualifiers(p, &common);
	if (ptx_types[common.type].kind == KIND_PREDICATE && common.vector > 1)
		parse_error(p, &p->token, "there are no vectors of predicates");
	do
		parse_register(p, common.type, common.vector);
	while (parse_accept(p, ','));
	parse_expect(p, ';', "after the registers");
}

/* ---- variables ---- */

uint64_t variable_element_bytes(const struct ptx_variable *variable)
{
	return ptx_types[variable->type].bits / 8u * variable->vector;
}

void variable_set_size(struct parser *p, const struct token *name, struct ptx_variable *variable,
	const uint64_t *dimensions, uint32_t count)
{
	uint64_t size = variable_element_bytes(variable);
	bool overflow = false;

	for (uint32_t i = 0; i < count; i++)
		overflow |= __builtin_mul_overflow(size, dimensions[i], &size);
	variable->size = size;
	if (overflow || size > MAX_VARIABLE_BYTES || (p->variable_bytes += size) > MAX_VARIABLE_BYTES)
		parse_error(p, name, "'%.*s' is too large: the variables of a module may take %llu bytes together",
			TOKEN_TEXT(name), (unsigned long long)MAX_VARIABLE_BYTES);
}

/* dimensions = ("[" size? "]")*      only the first may be left open; returns how many */
static uint32_t parse_dimensions(struct parser *p, uint64_t *dimensions, bool *is_open)
{
	uint32_t count = 0;

	*is_open = false;
	while (token_is(&p->token, '[')) {
		if (count == MAX_DIMENSIONS) {
			parse_error(p, &p->token, "more than %d dimensions", MAX_DIMENSIONS);
			break;
		}
		parse_next(p);
		if (!count && token_is(&p->token, ']'))
			*is_open = true, dimensions[0] = 0;
		else
			dimensions[count] = parse_integer(p, "the size of an array", UINT64_MAX / 2);
		count++;
		parse_expect(p, ']', "after the size of the array");
	}
	return count;
}

static void check_element(struct parser *p, const struct token *name, const struct ptx_variable *variable)
{
	if (ptx_types[variable->type].kind == KIND_PREDICATE)
		parse_error(p, name, "'%.*s' cannot be a variable of type .pred: predicates live in registers",
			TOKEN_TEXT(name));
	else if (variable_element_bytes(variable) > 32)
		parse_error(p, name, "a vector may take at most 32 bytes");
}

/* An earlier declaration of the same module variable: one of the two must be .extern, or both tentative. */
static struct ptx_variable *redeclare(struct parser *p, const struct token *name, const struct ptx_variable *common)
{
	struct symbol *symbol = p->function ? NULL : map_get_length(p->scope->symbols, name->text, name->length);

	if (!symbol || symbol->kind != SYMBOL_VARIABLE)
		return NULL;
	struct ptx_variable *earlier = symbol->variable;
	if (!earlier->is_extern && !common->is_extern && !earlier->is_common && !earlier->is_weak)
		return NULL;
	if (earlier->space != common->space || variable_element_bytes(earlier) != variable_element_bytes(common)) {
		parse_error(p, name, "'%.*s' is declared differently on line %u", TOKEN_TEXT(name), symbol->line);
		return NULL;
	}
	return earlier;
}

/* A .global or .const variable declared in a function is the module's, under a name of its own: "function$name". */
static const char *static_name(struct parser *p, const struct token *name, struct symbol *symbol)
{
	struct map *symbols = &p->module->symbols;
	char *stem = arena_printf(p->arena, "%s$%.*s", p->function->name, TOKEN_TEXT(name)), *unique = stem;

	for (char *at = strchr(stem + 1, '%'); at; at = strchr(at, '%'))
		*at = '_'; /* % only begins a name */
	while (map_get(symbols, unique))
		unique = arena_printf(p->arena, "%s$%u", stem, ++p->statics);
	map_put(p->arena, symbols, unique, strlen(unique), symbol);
	return unique;
}

static struct ptx_variable *make_variable(struct parser *p, const struct token *name, const struct ptx_variable *common)
{
	struct ptx_variable *variable = redeclare(p, name, common);

	if (variable) {
		variable->is_extern &= common->is_extern;
		variable->is_visible |= common->is_visible;
		return variable;
	}
	struct symbol *symbol = scope_declare(p, name, SYMBOL_VARIABLE);
	bool is_static = p->function && (common->space == space_GLOBAL || common->space == space_CONST);
	variable = arena_new(p->arena, struct ptx_variable);
	*variable = *common;
	variable->name = is_static ? static_name(p, name, symbol) : parse_copy(p, name);
	variable->place = (struct place){p->module->file, name->line, name->column};
	variable->owner = is_static ? NULL : p->function;
	if (!symbol)
		return variable;
	symbol->variable = variable;
	if (variable->owner) {
		variable->index = p->function->variables.count;
		*vector_push(p->arena, &p->function->variables) = variable;
	} else {
		variable->index = p->module->variables.count;
		*vector_push(p->arena, &p->module->variables) = variable;
	}
	return variable;
}

/* variable = name dimensions ("=" initialiser)? */
static void parse_variable(struct parser *p, const struct ptx_variable *common)
{
	uint64_t dimensions[MAX_DIMENSIONS + 1] = {0};
	struct token name;
	bool is_open;

	if (!parse_expect_name(p, "a variable's name", &name))
		return;
	if (token_is(&p->token, '<')) {
		parse_error(p, &p->token, "only registers are declared with <count>");
		return;
	}
	struct ptx_variable *variable = make_variable(p, &name, common);
	check_element(p, &name, variable);
	uint32_t count = parse_dimensions(p, dimensions, &is_open);
	struct token equals = p->token;
	if (parse_accept(p, '=')) {
		if (common->space != space_GLOBAL && common->space != space_CONST)
			parse_error(p, &equals, "only .global and .const variables have initialisers");
		else if (common->opaque)
			parse_error(p, &equals, "initialisers of references to images are not supported");
		else if (common->is_extern)
			parse_error(p, &equals, "an .extern variable has no initialiser");
		else if (variable->data)
			parse_error(p, &equals, "'%s' is initialised twice", variable->name);
		parse_initialiser(p, variable, dimensions, count);
	} else {
		if (is_open && !common->is_extern)
			parse_error(p, &name,
				"'%.*s' has no size: only .extern arrays and initialised ones may leave it open",
				TOKEN_TEXT(&name));
		variable_set_size(p, &name, variable, dimensions, count);
	}
}

/* variables = qualifiers variable ("," variable)* ";" */
void parse_variables(struct parser *p, uint8_t space, uint32_t linking)
{
	struct ptx_variable common = {.space = space};
	struct token start = p->token;

	common.is_extern = linking & LINK_EXTERN;
	common.is_visible = linking & LINK_VISIBLE;
	common.is_weak = linking & LINK_WEAK;
	common.is_common = linking & LINK_COMMON;
	if (token_is(&start, '[')) {
		parse_error(p, &start, "constant banks are not supported");
		return;
	}
	parse_qualifiers(p, &common);
	if (!common.align)
		common.align = (uint32_t)variable_element_bytes(&common);
	do
		parse_variable(p, &common);
	while (parse_accept(p, ','));
	parse_expect(p, ';', "after the declaration");
}

/* formal = (".param" | ".reg") qualifiers name dimensions      name may be _ in prototypes */
struct ptx_variable *parse_formal(struct parser *p)
{
	struct ptx_variable *formal = arena_new(p->arena, struct ptx_variable);
	uint64_t dimensions[MAX_DIMENSIONS];
	struct token name;
	bool is_open;

	if (parse_accept_word(p, "param"))
		formal->space = space_PARAM;
	else if (!parse_accept_word(p, "reg"))
		parse_expected(p, "a parameter: .param or .reg");
	parse_qualifiers(p, formal);
	if (!parse_expect_name(p, "the parameter's name", &name))
		return formal;
	formal->name = parse_copy(p, &name);
	formal->place = (struct place){p->module->file, name.line, name.column};
	formal->is_formal = true;
	if (formal->space == space_NONE && formal->vector > 1)
		parse_error(p, &name, "a register parameter cannot be a vector");
	if (formal->space == space_PARAM)
		check_element(p, &name, formal);
	if (!formal->align)
		formal->align = (uint32_t)variable_element_bytes(formal);
	variable_set_size(p, &name, formal, dimensions, parse_dimensions(p, dimensions, &is_open));
	return formal;
}
