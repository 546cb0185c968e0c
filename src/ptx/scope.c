/* Names and scopes: registers, variables, functions, tables and prototypes; labels apart from them. */
#include "ptx/parser.h"

#include <string.h>

void scope_open(struct parser *p)
{
	struct scope *scope = arena_new(p->arena, struct scope);

	scope->parent = p->scope;
	scope->symbols = arena_new(p->arena, struct map);
	scope->depth = p->scope->depth + 1;
	p->scope = scope;
	if (scope->depth > MAX_SCOPES)
		parse_error(p, &p->token, "blocks are nested more than %d deep", MAX_SCOPES);
}

void scope_close(struct parser *p)
{
	struct scope *scope = p->scope, *parent = scope->parent;

	for (uint32_t i = 0; i < scope->uses.count && !parse_failed(p); i++) {
		struct label_use *use = &scope->uses.at[i];
		struct label *label = map_get_length(&scope->labels, use->name.text, use->name.length);
		struct ptx_operand *operand = use->element ? use->element : p->function->code.at[use->code].operand;
		if (label)
			operand->target = label->target;
		else if (parent->parent)
			*vector_push(p->arena, &parent->uses) = *use;
		else
			parse_error(p, &use->name, "label '%.*s' is not defined in this block or one around it",
				TOKEN_TEXT(&use->name));
	}
	p->scope = parent;
}

void scope_define_label(struct parser *p, const struct token *name)
{
	struct label *label = map_get_length(&p->scope->labels, name->text, name->length);

	if (label) {
		parse_error(p, name, "label '%.*s' is already defined on line %u", TOKEN_TEXT(name), label->line);
		return;
	}
	label = arena_new(p->arena, struct label);
	label->target = p->function->code.count;
	label->line = name->line;
	map_put(p->arena, &p->scope->labels, name->text, name->length, label);
	*vector_push(p->arena, &p->function->labels) =
		(struct ptx_label){.name = arena_copy(p->arena, name->text, name->length), .target = label->target};
}

void scope_use_label(struct parser *p, const struct token *name, struct ptx_operand *element)
{
	struct label_use *use = vector_push(p->arena, &p->scope->uses);

	use->name = *name;
	use->element = element;
	use->code = p->function->code.count - 1;
}

/* ---- registers ---- */

static struct ptx_register *make_register(struct parser *p, const char *name, size_t length, enum ptx_type type)
{
	struct ptx_register *reg = arena_new(p->arena, struct ptx_register);

	reg->name = arena_copy(p->arena, name, length);
	reg->type = type;
	reg->index = p->function->registers.count;
	*vector_push(p->arena, &p->function->registers) = reg;
	return reg;
}

/* The register of a scalar, or the elements v.x v.y v.z v.w of a vector (e0 e1 ... beyond four). */
static void make_registers(
	struct parser *p, struct symbol *symbol, const char *name, uint32_t length, enum ptx_type type, uint32_t vector)
{
	symbol->count = vector;
	if (vector == 1)
		symbol->reg[0] = make_register(p, name, length, type);
	for (uint32_t i = 0; vector > 1 && i < vector; i++) {
		const char *element = arena_printf(p->arena, "%.*s.%c", (int)length, name, "xyzwefgh"[i]);
		symbol->reg[i] = make_register(p, element, length + 2u, type);
	}
}

#define INDEX_DIGITS 9 /* more are not read: no range is so long */

/* The range that has `name`, which is its prefix with a number below its count, written without leading zeros.  %r1<9>
 * and %r<20> both have %r12: the one declared first then. */
static const struct register_range *find_range(const struct scope *scope, const char *name, uint32_t length)
{
	const struct register_range *found = NULL;
	uint64_t number = 0, weight = 1;

	if (!scope->ranges.count)
		return NULL;
	for (uint32_t digits = 1; digits <= INDEX_DIGITS && digits < length; digits++) {
		char first = name[length - digits];
		if (first < '0' || first > '9')
			break;
		number += (uint64_t)(first - '0') * weight;
		weight *= 10;
		if (first == '0' && digits > 1)
			continue;
		const struct register_range *range = map_get_length(&scope->ranges, name, length - digits);
		if (range && number < range->count && (!found || range->order < found->order))
			found = range;
	}
	return found;
}

static struct symbol *enter(
	struct parser *p, struct scope *scope, const char *name, uint32_t length, enum symbol_kind kind, uint32_t line)
{
	struct symbol *symbol = arena_new(p->arena, struct symbol);

	symbol->kind = kind;
	symbol->line = line;
	map_put(p->arena, scope->symbols, name, length, symbol);
	return symbol;
}

struct symbol *scope_find(struct parser *p, const char *name, uint32_t length)
{
	for (struct scope *scope = p->scope; scope; scope = scope->parent) {
		struct symbol *symbol = map_get_length(scope->symbols, name, length);
		const struct register_range *range;
		if (symbol)
			return symbol;
		if ((range = find_range(scope, name, length))) {
			symbol = enter(p, scope, name, length, SYMBOL_REGISTER, range->line);
			make_registers(p, symbol, name, length, range->type, range->vector);
			return symbol;
		}
	}
	return NULL;
}

struct symbol *scope_declare(struct parser *p, const struct token *name, enum symbol_kind kind)
{
	struct symbol *symbol = map_get_length(p->scope->symbols, name->text, name->length);
	const struct register_range *range = find_range(p->scope, name->text, name->length);

	if (symbol || range) {
		parse_error(p, name, "'%.*s' is already declared on line %u", TOKEN_TEXT(name),
			symbol ? symbol->line : range->line);
		return NULL;
	}
	return enter(p, p->scope, name->text, name->length, kind, name->line);
}

struct ptx_register *scope_declare_register(
	struct parser *p, const struct token *name, enum ptx_type type, uint32_t vector)
{
	struct symbol *symbol = scope_declare(p, name, SYMBOL_REGISTER);

	if (!symbol)
		return NULL;
	make_registers(p, symbol, name->text, name->length, type, vector);
	return symbol->reg[0];
}

void scope_declare_range(
	struct parser *p, const struct token *prefix, uint32_t count, enum ptx_type type, uint32_t vector)
{
	struct map *ranges = &p->scope->ranges;
	const struct register_range *other = map_get_length(ranges, prefix->text, prefix->length);

	if (other) {
		parse_error(p, prefix, "registers '%.*s<%u>' are already declared on line %u", TOKEN_TEXT(prefix),
			other->count, other->line);
		return;
	}
	struct register_range *range = arena_new(p->arena, struct register_range);
	range->order = ranges->count;
	range->count = count;
	range->line = prefix->line;
	range->type = type;
	range->vector = vector;
	map_put(p->arena, ranges, prefix->text, prefix->length, range);
}
