/* Scopes and variables of DWARF, with the places that NVIDIA's PTX gives them:
 *
 *     DW_OP_regx N                         a register: N is its name, its characters as bytes, the last the lowest
 *     DW_OP_addr SYMBOL, plus_uconst K     K bytes into a variable of the PTX: the depot of .local, a .param, a .shared
 *     DW_OP_bregx N K                      at the address that a register has, plus K, in the DW_AT_address_class */
#include "debug/dwarf.h"

#include "debug/variable_parts.h"

#include <assert.h>
#include <dwarf.h>
#include <string.h>

#define SCOPES_DEEP 256
#define CIRCLE "its entries go in a circle"

struct reader {
	struct arena *arena;
	struct variables *to;
	struct dwarf_budget budget;
	struct dwarf_types *types;
};

/* ---- Places ---- */

/* "%r1" of 0x257231.  False: it is no name. */
static bool decode_register(uint64_t number, char name[16])
{
	uint32_t length = 0;

	for (uint32_t shift = 64; shift;) {
		char c = (char)(number >> (shift -= 8));
		if (!c && !length)
			continue;
		if (c <= ' ' || c > '~')
			return false;
		name[length++] = c;
	}
	name[length] = 0;
	return length;
}

static uint8_t space_of(Dwarf_Die *die)
{
	uint64_t class = 0;

	dwarf_number(die, DW_AT_address_class, &class);
	switch (class) { /* NVIDIA's numbers */
	case 4: return space_CONST;
	case 5: return space_GLOBAL;
	case 6: return space_LOCAL;
	case 7: return space_PARAM;
	case 8: return space_SHARED;
	default: return space_NONE;
	}
}

static struct known_place nowhere(const char *why)
{
	return (struct known_place){.place = {.where = VARIABLE_NOWHERE, .why = why}};
}

#define NOT_FOLLOWED "its place is computed in a way that is not followed here"

static struct known_place constant(uint64_t bits)
{
	return (struct known_place){.place = {.where = VARIABLE_CONSTANT, .bits = bits}};
}

/* Of DW_OP_regx and bregx. */
static struct known_place in_register(Dwarf_Die *die, const Dwarf_Op *op, uint64_t offset)
{
	struct known_place known = {.place = {.where = VARIABLE_REGISTER}};

	if (op->atom == DW_OP_bregx)
		known.place = (struct variable_place){
			.where = VARIABLE_POINTED, .offset = op->number2 + offset, .space = space_of(die)};
	return decode_register(op->number, known.reg) ? known : nowhere("its register has no name");
}

static struct known_place in_memory(const struct reader *r, uint64_t address, uint64_t more)
{
	struct known_place known = {.place = {.where = VARIABLE_MEMORY}};

	known.place.variable = section_variable(&r->to->sections, address, &known.place.offset);
	known.place.offset += more;
	if (!known.place.variable)
		return nowhere("the PTX has left it out");
	known.place.space = known.place.variable->space;
	return known;
}

/* A number that the expression begins with; false: it is none. */
static bool is_number(const Dwarf_Op *op, uint64_t *number)
{
	*number = op->number;
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		*number = op->atom - DW_OP_lit0;
	else if (!(op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts))
		return false;
	return true;
}

static struct known_place follow(const struct reader *r, Dwarf_Die *die, const Dwarf_Op *op, size_t count)
{
	uint64_t offset = 0, number;
	size_t k;

	if (!count)
		return nowhere("it was optimised away");
	for (k = 1; k < count && op[k].atom == DW_OP_plus_uconst; k++)
		offset += op[k].number;
	if (is_number(&op[0], &number) && k + 1 == count && op[k].atom == DW_OP_stack_value)
		return constant(number + offset);
	for (; k < count; k++)
		if (op[k].atom == DW_OP_piece || op[k].atom == DW_OP_bit_piece)
			return nowhere("it is in several places");
	if (count > 1 && op[count - 1].atom != DW_OP_plus_uconst)
		return nowhere(NOT_FOLLOWED);
	switch (op[0].atom) {
	case DW_OP_regx: return count == 1 ? in_register(die, op, 0) : nowhere(NOT_FOLLOWED);
	case DW_OP_bregx: return in_register(die, op, offset);
	case DW_OP_addr: return in_memory(r, op[0].number, offset);
	default: return nowhere(NOT_FOLLOWED);
	}
}

/* A place for all of the code, or one for each range of a list. */
static bool read_places(struct reader *r, Dwarf_Die *die, struct known_variable *known)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr base, start, end;
	Dwarf_Op *op;
	size_t count;
	ptrdiff_t at = 0;
	Dwarf_Word word;
	Dwarf_Sword sword;

	if (libdw.dwarf_attr_integrate(die, DW_AT_const_value, &attribute)) {
		bool is_known = libdw.dwarf_formsdata(&attribute, &sword) == 0;
		word = is_known ? (Dwarf_Word)sword : 0;
		*vector_push(r->arena, &known->places) = is_known ? constant(word) : nowhere(NOT_FOLLOWED);
		known->places.at[0].range.end = UINT64_MAX;
		return true;
	}
	if (!libdw.dwarf_attr_integrate(die, DW_AT_location, &attribute))
		return true;
	while (r->budget.left &&
		(at = libdw.dwarf_getlocations(&attribute, at, &base, &start, &end, &op, &count)) > 0) {
		struct known_place *place = vector_push(r->arena, &known->places);
		r->budget.left--;
		*place = follow(r, die, op, count);
		place->range = (struct address_range){start, end};
	}
	return at >= 0;
}

/* ---- Variables and scopes ---- */

static bool read_variable(struct reader *r, Dwarf_Die *die, struct known_scope *scope)
{
	struct known_variable *known = arena_new(r->arena, struct known_variable);
	const char *name = dwarf_text(r->arena, die, DW_AT_name);
	uint64_t line = 0;

	if (!*name || libdw.dwarf_hasattr(die, DW_AT_declaration))
		return true;
	dwarf_number(die, DW_AT_decl_line, &line);
	known->variable = (struct variable){.name = name,
		.type = dwarf_type_of(r->types, die),
		.is_parameter = libdw.dwarf_tag(die) == DW_TAG_formal_parameter,
		.is_source = true,
		.line = (uint32_t)line,
		.depth = scope->depth};
	if (known->variable.is_parameter)
		known->parameter = ++scope->parameters;
	*vector_push(r->arena, &scope->variables) = known;
	return read_places(r, die, known);
}

static bool read_ranges(struct reader *r, Dwarf_Die *die, struct known_scope *scope)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (r->budget.left && (at = libdw.dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		r->budget.left--;
		if (start < end)
			*vector_push(r->arena, &scope->ranges) = (struct address_range){start, end};
	}
	return at >= 0;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Their variables are the module's, whose names are those in the namespace. */
static bool is_space(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module;
}

/* One entry on the way down: the scope that its children belong to. */
struct level {
	Dwarf_Die die; /* the child at hand */
	uint32_t scope;
};

/* Opens the scope of an entry; one without code, such as a function that was inlined everywhere, gets none.  False: it
 * is malformed. */
static bool open_scope(struct reader *r, Dwarf_Die *die, uint32_t parent, uint32_t *scope)
{
	struct known_scope read = {.depth = r->to->scopes.at[parent].depth + 1};

	if (!read_ranges(r, die, &read))
		return false;
	*scope = parent;
	if (!read.ranges.count)
		return true;
	*scope = r->to->scopes.count;
	*vector_push(r->arena, &r->to->scopes) = read;
	return true;
}

/* All entries of a unit: variables to their scopes.  What is wrong, or null. */
static const char *read_unit(struct reader *r, Dwarf_Die *unit)
{
	struct level levels[SCOPES_DEEP + 1];
	uint32_t deep = 0;

	if (!dwarf_first(&r->budget, unit, &levels[0].die))
		return NULL;
	levels[0].scope = 0;
	for (;;) {
		struct level *level = &levels[deep], *below = level + 1;
		int tag = libdw.dwarf_tag(&level->die);
		uint32_t scope = level->scope;
		if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
			!read_variable(r, &level->die, &r->to->scopes.at[scope]))
			return "a variable's place";
		if (is_scope(tag) && !open_scope(r, &level->die, level->scope, &scope))
			return "a scope's range";
		if ((is_space(tag) || scope != level->scope) && deep < SCOPES_DEEP &&
			dwarf_first(&r->budget, &level->die, &below->die)) {
			below->scope = scope;
			deep++;
			continue;
		}
		while (!dwarf_next(&r->budget, &levels[deep].die))
			if (deep-- == 0)
				return r->budget.left ? NULL : CIRCLE;
	}
}

static const char *read_units(struct reader *r, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t kind;
	int status;

	while ((status = libdw.dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, NULL)) == 0) {
		const char *wrong = kind == DW_UT_compile ? read_unit(r, &die) : NULL;
		if (wrong)
			return wrong;
	}
	if (status < 0)
		return "a unit";
	dwarf_types_finish(r->types);
	return r->budget.left ? NULL : CIRCLE;
}

/* What libdw says of it, if it says anything. */
static const char *refused(struct arena *arena, const char *what)
{
	int error = libdw.dwarf_errno();

	return error ? arena_printf(arena, "%s: %s", what, libdw.dwarf_errmsg(error)) : what;
}

const char *dwarf_read(struct arena *arena, struct variables *to)
{
	const struct sections *sections = &to->sections;
	struct reader r = {.arena = arena, .to = to, .budget = {.left = 4 * sections->bytes}};

	assert(sections->elf && to->scopes.count == 1);
	if (!libdw_load())
		return "there is no libdw.so.1: install Debian's package libdw1";
	libdw.elf_version(EV_CURRENT);
	Elf *elf = libdw.elf_memory(sections->elf, sections->bytes);
	Dwarf *dwarf = elf ? libdw.dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	r.types = dwarf_types_new(arena, &r.budget);
	libdw.dwarf_errno();
	const char *wrong = dwarf ? read_units(&r, dwarf) : "its form";
	if (wrong)
		wrong = refused(arena, wrong);
	if (dwarf)
		libdw.dwarf_end(dwarf);
	if (elf)
		libdw.elf_end(elf);
	return wrong;
}
