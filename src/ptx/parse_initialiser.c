/* Initialisers: numbers, addresses and nested braces, laid out as bytes and relocations. */
#include "ptx/parser.h"

#include <string.h>

/* Where the next value goes, counted in scalars; sizes of the array's dimensions, the vector as the last. */
struct filling {
	struct ptx_variable *variable;
	uint64_t dimensions[MAX_DIMENSIONS + 1];
	uint32_t count;
	uint64_t at, total; /* scalars */
	uint32_t relocation_capacity;
};

static void put(struct filling *f, uint64_t bits)
{
	uint32_t bytes = ptx_types[f->variable->type].bits / 8u;

	for (uint32_t i = 0; i < bytes && i < 8; i++)
		f->variable->data[f->at * bytes + i] = (uint8_t)(bits >> 8 * i);
	f->variable->data_bytes = (f->at + 1) * bytes;
}

/* The bits that a constant leaves in an element of this type. */
static uint64_t element_bits(struct parser *p, const struct token *at, enum ptx_type type, struct constant value)
{
	const struct ptx_type_info *info = &ptx_types[type];
	double wide = constant_to_double(value);
	float narrow = (float)wide;
	uint64_t bits = 0;

	if (info->kind != KIND_FLOAT && value.kind == CONSTANT_INTEGER)
		return value.bits;
	if (value.kind == CONSTANT_FLOAT32 && info->bits == 32)
		return value.bits;
	if (info->bits == 64 && (info->kind == KIND_FLOAT || info->kind == KIND_BITS))
		memcpy(&bits, &wide, 8);
	else if (info->bits == 32 && (info->kind == KIND_FLOAT || info->kind == KIND_BITS))
		memcpy(&bits, &narrow, 4);
	else if (info->kind == KIND_FLOAT && value.kind == CONSTANT_INTEGER)
		bits = value.bits; /* a half's bits */
	else
		parse_error(p, at, "a .%s element cannot be initialised with a floating-point constant", info->text);
	return bits;
}

/* address = "generic" "(" address ")" (("+" | "-") constant)? | name (("+" | "-") constant)? */
static void parse_address(struct parser *p, struct ptx_relocation *relocation)
{
	struct token name;

	if (token_is_name(&p->token, "generic")) {
		struct token behind = parse_peek(p);
		if (token_is(&behind, '(') && !relocation->generic) {
			parse_next(p);
			parse_next(p);
			relocation->generic = true;
			parse_address(p, relocation);
			parse_expect(p, ')', "after the address");
			goto offset;
		}
	}
	if (!parse_expect_name(p, "a variable's or function's name", &name))
		return;
	struct symbol *symbol = scope_find(p, name.text, name.length);
	if (symbol && symbol->kind == SYMBOL_VARIABLE)
		relocation->variable = symbol->variable;
	else if (symbol && symbol->kind == SYMBOL_FUNCTION)
		relocation->function = symbol->function, symbol->function->address_taken = true;
	else
		parse_error(p, &name, "'%.*s' is not declared", TOKEN_TEXT(&name));
offset:
	if (parse_accept(p, '+') || token_is(&p->token, '-'))
		relocation->addend = (int64_t)((uint64_t)relocation->addend + parse_constant(p).bits);
}

static struct ptx_relocation *new_relocation(struct parser *p, struct filling *f)
{
	struct ptx_variable *v = f->variable;

	if (v->relocation_count == f->relocation_capacity) {
		uint32_t wanted = f->relocation_capacity ? 2 * f->relocation_capacity : 4;
		v->relocations = arena_grow(p->arena, v->relocations, v->relocation_count * sizeof *v->relocations,
			wanted * sizeof *v->relocations);
		f->relocation_capacity = wanted;
	}
	return &v->relocations[v->relocation_count++];
}

/* An address, whole or the byte of it that a mask selects. */
static void fill_address(struct parser *p, struct filling *f, uint64_t mask)
{
	struct ptx_relocation *relocation = new_relocation(p, f);
	struct token start = p->token;
	uint32_t bytes = ptx_types[f->variable->type].bits / 8u;

	relocation->offset = f->at * bytes;
	relocation->bytes = (uint8_t)bytes;
	relocation->mask = mask;
	parse_address(p, relocation);
	if (ptx_types[f->variable->type].kind == KIND_FLOAT || bytes > 8 || (mask == UINT64_MAX && bytes < 4))
		parse_error(p, &start, "a .%s element cannot hold an address", ptx_types[f->variable->type].text);
	put(f, 0);
}

/* value = constant | address | mask "(" address ")" */
static void fill_value(struct parser *p, struct filling *f)
{
	struct token start = p->token, behind = parse_peek(p);

	if (f->at >= f->total) {
		parse_error(p, &start, "too many initialisers: '%s' has %llu elements", f->variable->name,
			(unsigned long long)f->total);
		return;
	}
	if (start.kind == TOKEN_NAME) {
		fill_address(p, f, UINT64_MAX);
	} else if (start.kind == TOKEN_INTEGER && token_is(&behind, '(')) {
		parse_next(p);
		parse_next(p);
		if (!start.bits)
			parse_error(p, &start, "the mask of an address must not be zero");
		fill_address(p, f, start.bits);
		parse_expect(p, ')', "after the masked address");
	} else {
		struct constant value = parse_constant(p);
		if (!parse_failed(p))
			put(f, element_bits(p, &start, f->variable->type, value));
	}
	f->at++;
}

/* Scalars in one element of dimension `level`. */
static uint64_t inner_size(const struct filling *f, uint32_t level)
{
	uint64_t size = 1;

	for (uint32_t i = level + 1; i < f->count; i++)
		size *= f->dimensions[i];
	return size;
}

/* list = "{" (list | value) ("," (list | value))* ","? "}" | "{" "}"      inner lists fill one sub-array and leave
 * zeros */
static void fill_list(struct parser *p, struct filling *f, uint32_t level)
{
	uint64_t inner = inner_size(f, level), end = f->at + inner * (level < f->count ? f->dimensions[level] : 1);

	parse_expect(p, '{', "before the initialisers");
	while (!token_is(&p->token, '}') && p->token.kind != TOKEN_END) {
		struct token start = p->token;
		if (f->at >= end && (level || token_is(&start, '{'))) {
			parse_error(p, &start, "too many initialisers for '%s'", f->variable->name);
		} else if (token_is(&start, '{')) {
			uint64_t first = f->at;
			if (level + 1 >= f->count)
				parse_error(p, &start, "braces are nested deeper than '%s' has dimensions",
					f->variable->name);
			else
				fill_list(p, f, level + 1);
			f->at = first + inner;
		} else {
			fill_value(p, f);
		}
		if (!parse_accept(p, ','))
			break;
	}
	parse_expect(p, '}', "after the initialisers");
}

/* How many elements of the open first dimension the list ahead fills; the parser stays where it is. */
static uint64_t count_elements(struct parser *p, uint64_t inner)
{
	struct parser ahead = *p;
	struct diagnostic quiet = {0};
	uint64_t scalars = 0, depth = 0, parentheses = 0;
	bool fresh = true;

	ahead.lexer.diagnostic = &quiet;
	for (; ahead.token.kind != TOKEN_END; ahead.token = lexer_next(&ahead.lexer)) {
		bool opens = token_is(&ahead.token, '{'), closes = token_is(&ahead.token, '}');
		if (closes && !--depth)
			break;
		if (depth == 1 && fresh && !closes)
			scalars = opens ? scalars + inner : scalars + 1;
		parentheses += token_is(&ahead.token, '(');
		parentheses -= token_is(&ahead.token, ')');
		fresh = (opens && !depth) || (depth == 1 && !parentheses && token_is(&ahead.token, ','));
		depth += opens;
	}
	return inner ? (scalars + inner - 1) / inner : 0;
}

/* Lists for arrays and vectors, one value for a scalar. */
void parse_initialiser(struct parser *p, struct ptx_variable *variable, uint64_t *dimensions, uint32_t count)
{
	struct filling f = {.variable = variable, .count = count};
	struct token start = p->token;

	memcpy(f.dimensions, dimensions, count * sizeof *dimensions);
	if (variable->vector > 1)
		f.dimensions[f.count++] = variable->vector;
	if (count && !dimensions[0])
		dimensions[0] = f.dimensions[0] = count_elements(p, inner_size(&f, 0));
	variable_set_size(p, &start, variable, dimensions, count);
	if (parse_failed(p))
		return;
	f.total = variable->size / (ptx_types[variable->type].bits / 8u);
	variable->data = variable->size > 1 << 20 ? arena_reserve(p->arena, variable->size)
						  : arena_alloc(p->arena, variable->size + 1);
	if (f.count)
		fill_list(p, &f, 0);
	else if (token_is(&start, '{'))
		f.dimensions[f.count++] = 1, fill_list(p, &f, 0);
	else
		fill_value(p, &f);
}
