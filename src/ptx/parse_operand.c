/* Operands as written: registers, constants, addresses, vectors.  What an instruction makes of them is checked in
 * check.c. */
#include "ptx/parser.h"

#include <string.h>

/* ---- special registers ---- */

const struct ptx_special_info ptx_specials[SPECIAL_COUNT] = {
#define SPECIAL(id, name, bits, is_vector, home) [SPECIAL_##id] = {name, bits, is_vector, HOME_##home},
#include "ptx/specials.def"
#undef SPECIAL
};

/* %envreg0..31, %pm0..7 and %reserved_smem_offset_...: a component in the name. */
static bool numbered_special(const char *name, uint32_t length, enum ptx_special *special, uint8_t *component)
{
	uint32_t digits = length > 6 && !memcmp(name, "envreg", 6) ? 6 : length > 2 && !memcmp(name, "pm", 2) ? 2 : 0;
	uint32_t number = 0;

	if (length > 21 && !memcmp(name, "reserved_smem_offset_", 21)) {
		*special = SPECIAL_RESERVED_SMEM;
		*component = name[21] == 'b'           ? 0
			     : name[21] == 'e'         ? 1
			     : name[21] == 'c'         ? 2
			     : name[length - 1] == '0' ? 3
						       : 4;
		return true;
	}
	for (uint32_t i = digits; digits && i < length; i++) {
		if (name[i] < '0' || name[i] > '9')
			return false;
		number = number * 10 + (uint32_t)(name[i] - '0');
	}
	*special = digits == 6 ? SPECIAL_ENVREG : SPECIAL_PM;
	*component = (uint8_t)number;
	return digits && length <= digits + 2 && number < (digits == 6 ? 32 : 8);
}

static bool find_special(const char *name, uint32_t length, enum ptx_special *special, uint8_t *component)
{
	*component = 0;
	if (length < 2 || name[0] != '%')
		return false;
	for (unsigned s = 1; s < SPECIAL_COUNT; s++)
		if (ptx_specials[s].name && strlen(ptx_specials[s].name) == length - 1 &&
			!memcmp(ptx_specials[s].name, name + 1, length - 1)) {
			*special = (enum ptx_special)s;
			return true;
		}
	return numbered_special(name + 1, length - 1, special, component);
}

/* special = "%tid" (".x" | ".y" | ".z" | ".w") | "%laneid" ... */
static void parse_special(struct parser *p, struct ptx_operand *operand)
{
	static const char *const components[] = {"x", "y", "z", "w"};

	operand->kind = OPERAND_SPECIAL;
	if (!ptx_specials[operand->special].is_vector)
		return;
	for (uint8_t i = 0; i < 4; i++)
		if (parse_accept_word(p, components[i])) {
			operand->component = i;
			return;
		}
	parse_expected(p, "'.x', '.y', '.z' or '.w' behind a special register that is a vector");
}

/* ---- registers ---- */

/* selector = ".b0" ... ".b3" | ".h0" | ".h1" | ".b3210" | ".h10"      of video instructions */
static void parse_selector(struct parser *p, struct ptx_operand *operand)
{
	struct token word = p->token;
	bool half = word.text[0] == 'h', valid = word.length >= 2 && word.length <= 5 && (half || word.text[0] == 'b');

	for (uint32_t i = 1; i < word.length; i++)
		valid &= word.text[i] >= '0' && word.text[i] <= (half ? '3' : '7');
	if (!valid) {
		parse_error(p, &word, "'.%.*s' is no part of a register: expected a selector such as .b0 or .h1",
			TOKEN_TEXT(&word));
		return;
	}
	operand->selector_text = parse_copy(p, &word);
	if (word.length > 2)
		operand->selector = SELECT_LIST;
	else if (half)
		operand->selector = word.text[1] == '0' ? SELECT_H0 : word.text[1] == '1' ? SELECT_H1 : SELECT_LIST;
	else
		operand->selector =
			word.text[1] < '4' ? (enum ptx_selector)(SELECT_B0 + (word.text[1] - '0')) : SELECT_LIST;
	parse_next(p);
}

/* element = ".x" | ".y" | ".z" | ".w" | ".r" | ".g" | ".b" | ".a"      of a vector register */
static bool parse_element(struct parser *p, struct ptx_operand *operand, const struct symbol *symbol)
{
	static const char letters[] = "xyzwrgba";

	if (p->token.kind != TOKEN_WORD || p->token.length != 1 || !strchr(letters, p->token.text[0]))
		return false;
	uint32_t index = (uint32_t)(strchr(letters, p->token.text[0]) - letters) % 4;
	if (index >= symbol->count) {
		parse_error(p, &p->token, "this vector has %u elements", symbol->count);
		return true;
	}
	operand->kind = OPERAND_REGISTER;
	operand->reg = symbol->reg[index];
	parse_next(p);
	return true;
}

/* register = name selector? | name element?      a vector without element stands for all of them */
static void parse_register_use(struct parser *p, struct ptx_operand *operand, const struct symbol *symbol)
{
	operand->kind = OPERAND_REGISTER;
	operand->reg = symbol->reg[0];
	if (symbol->count == 1) {
		if (p->token.kind == TOKEN_WORD)
			parse_selector(p, operand);
		return;
	}
	if (parse_element(p, operand, symbol))
		return;
	operand->kind = OPERAND_VECTOR;
	operand->reg = NULL;
	operand->count = symbol->count;
	operand->element = arena_new_array(p->arena, struct ptx_operand, symbol->count);
	for (uint32_t i = 0; i < symbol->count; i++) {
		operand->element[i] = (struct ptx_operand){.kind = OPERAND_REGISTER, .reg = symbol->reg[i]};
		operand->element[i].line = operand->line;
		operand->element[i].column = operand->column;
	}
}

/* ---- names, constants, addresses, vectors ---- */

/* offset = (("+" | "-") constant)? */
static int64_t parse_offset(struct parser *p)
{
	if (parse_accept(p, '+') || token_is(&p->token, '-')) {
		struct token start = p->token;
		struct constant value = parse_constant(p);
		if (value.kind != CONSTANT_INTEGER)
			parse_error(p, &start, "an offset must be an integer");
		return (int64_t)value.bits;
	}
	return 0;
}

static void parse_symbol_use(struct parser *p, struct ptx_operand *operand, const struct symbol *symbol)
{
	switch (symbol->kind) {
	case SYMBOL_REGISTER: parse_register_use(p, operand, symbol); break;
	case SYMBOL_VARIABLE:
		operand->kind = OPERAND_VARIABLE;
		operand->variable = symbol->variable;
		operand->offset = parse_offset(p);
		break;
	case SYMBOL_FUNCTION:
		operand->kind = OPERAND_FUNCTION;
		operand->function = symbol->function;
		break;
	case SYMBOL_TABLE: *operand = *symbol->table; break;
	case SYMBOL_PROTOTYPE:
		operand->kind = OPERAND_PROTOTYPE;
		operand->prototype = symbol->prototype;
		break;
	}
}

/* name = "_" | "WARP_SZ" | symbol | special */
static void parse_name(struct parser *p, struct ptx_operand *operand)
{
	struct token name = p->token;

	parse_next(p);
	if (token_is_name(&name, "_")) {
		operand->kind = OPERAND_SINK;
		return;
	}
	struct symbol *symbol = scope_find(p, name.text, name.length);
	if (symbol) {
		parse_symbol_use(p, operand, symbol);
	} else if (find_special(name.text, name.length, &operand->special, &operand->component)) {
		parse_special(p, operand);
	} else if (token_is_name(&name, "WARP_SZ")) {
		operand->kind = OPERAND_SPECIAL;
		operand->special = SPECIAL_WARP_SZ;
		if (p->token.kind == TOKEN_PUNCTUATION && strchr("+-*/%<>&|^?", p->token.punctuation & 0x7f))
			parse_error(p, &name, "WARP_SZ must stand alone: its value depends on the GPU");
	} else {
		parse_error(p, &name, "'%.*s' is not declared", TOKEN_TEXT(&name));
	}
}

static void parse_immediate(struct parser *p, struct ptx_operand *operand)
{
	struct constant value = parse_constant(p);

	operand->kind = OPERAND_IMMEDIATE;
	operand->is_float = value.kind != CONSTANT_INTEGER;
	operand->is_float32 = value.kind == CONSTANT_FLOAT32;
	operand->bits = value.bits;
}

/* coordinates = "," (name ",")? (vector | name | constant)      of a texture or surface; the name is that of a
 * sampler */
static void parse_coordinates(struct parser *p, struct ptx_operand *operand)
{
	struct ptx_operand coordinates = {0}, sampler = {0};

	parse_operand(p, &coordinates);
	if (token_is(&p->token, ',') && !p->module->has_samplers)
		parse_error(p, &p->token, "samplers apart from textures need .target texmode_independent");
	if (parse_accept(p, ',')) {
		sampler = coordinates;
		coordinates = (struct ptx_operand){0};
		operand->has_sampler = true;
		parse_operand(p, &coordinates);
	}
	if (parse_failed(p))
		return;
	uint32_t count = coordinates.kind == OPERAND_VECTOR ? coordinates.count : 1;
	operand->count = count + operand->has_sampler;
	operand->element = arena_new_array(p->arena, struct ptx_operand, operand->count);
	memcpy(operand->element, coordinates.kind == OPERAND_VECTOR ? coordinates.element : &coordinates,
		count * sizeof coordinates);
	if (operand->has_sampler)
		operand->element[count] = sampler;
}

/* address = "[" (name | constant) offset coordinates? "]" */
static void parse_address(struct parser *p, struct ptx_operand *operand)
{
	struct ptx_operand base = {0};
	struct token start;

	parse_next(p);
	start = p->token;
	if (start.kind == TOKEN_NAME)
		parse_name(p, &base);
	else
		parse_immediate(p, &base);
	if (parse_failed(p))
		return;
	operand->kind = OPERAND_ADDRESS;
	operand->reg = base.reg;
	operand->variable = base.variable;
	operand->offset = base.kind == OPERAND_IMMEDIATE ? (int64_t)base.bits : base.offset;
	if (base.kind == OPERAND_REGISTER && !base.selector)
		operand->offset = parse_offset(p);
	else if (base.kind != OPERAND_VARIABLE && (base.kind != OPERAND_IMMEDIATE || base.is_float))
		parse_error(p, &start, "'%.*s' cannot be an address: expected a register, a variable or an integer",
			TOKEN_TEXT(&start));
	if (parse_accept(p, ','))
		parse_coordinates(p, operand);
	parse_expect(p, ']', "after the address");
}

#define VECTOR_MOST 128 /* elements: wgmma's sums */

/* vector = "{" element ("," element)* "}"      an element is a register, a constant or _ */
static void parse_vector_operand(struct parser *p, struct ptx_operand *operand)
{
	VECTOR(struct ptx_operand) elements = {0};

	parse_next(p);
	operand->kind = OPERAND_VECTOR;
	do {
		struct ptx_operand element = {0};
		struct token start = p->token;
		if (start.kind != TOKEN_NAME && start.kind != TOKEN_INTEGER && start.kind != TOKEN_FLOAT &&
			!token_is(&start, '-')) {
			parse_expected(p, "an element of the vector");
			return;
		}
		parse_operand(p, &element);
		if (element.kind == OPERAND_VECTOR)
			parse_error(p, &start, "a vector cannot be the element of a vector");
		*vector_push(p->arena, &elements) = element;
	} while (parse_accept(p, ',') && elements.count < VECTOR_MOST);
	parse_expect(p, '}', "after the elements of the vector");
	operand->element = elements.at;
	operand->count = elements.count;
}

/* operand = address | vector | "!" name | "-" name | name | constant */
void parse_operand(struct parser *p, struct ptx_operand *operand)
{
	struct token start = p->token, behind = parse_peek(p);
	bool sign = (token_is(&start, '!') || token_is(&start, '-')) && behind.kind == TOKEN_NAME;

	if (token_is(&start, '[')) {
		parse_address(p, operand);
	} else if (token_is(&start, '{')) {
		parse_vector_operand(p, operand);
	} else if (start.kind == TOKEN_NAME || sign) {
		if (sign)
			parse_next(p);
		parse_name(p, operand);
		operand->negated = sign;
	} else if (start.kind == TOKEN_INTEGER || start.kind == TOKEN_FLOAT || token_is(&start, '(') ||
		   token_is(&start, '-') || token_is(&start, '+') || token_is(&start, '~') || token_is(&start, '!')) {
		parse_immediate(p, operand);
	} else {
		parse_expected(p, "an operand");
	}
	operand->line = start.line;
	operand->column = start.column;
	if (sign && !parse_failed(p) && operand->kind != OPERAND_REGISTER)
		parse_error(p, &start, "'%c' stands before a register or a constant only", start.punctuation);
}
