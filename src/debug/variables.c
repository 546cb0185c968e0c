/* Which variables an instruction sees, and where they are: see variables.h. */
#include "debug/variables.h"

#include "debug/variable_parts.h"

#include <assert.h>
#include <string.h>

const struct variables *variables_read(struct arena *arena, const struct ptx_module *module)
{
	struct variables *all = arena_new(arena, struct variables);

	all->module = module;
	all->sections = sections_assemble(arena, module);
	all->missing = all->sections.why;
	declared_read(arena, all);
	vector_push(arena, &all->scopes);
	if (all->sections.elf) {
		const char *wrong = dwarf_read(arena, all);
		all->missing = wrong ? arena_printf(arena, "the debug sections cannot be read: %s", wrong) : NULL;
	} else if (!all->missing) {
		all->missing = "the PTX has no debug sections: compile it with -G or -g";
	}
	return all;
}

const char *variables_missing(const struct variables *variables)
{
	return variables->missing;
}

/* ---- Scopes ---- */

static bool in_range(const struct address_range *range, uint64_t address)
{
	return address >= range->start && address < range->end;
}

/* The module's has every address. */
static bool in_scope(const struct variables *all, uint32_t scope, uint64_t address)
{
	const struct known_scope *s = &all->scopes.at[scope];

	for (uint32_t k = 0; k < s->ranges.count; k++)
		if (in_range(&s->ranges.at[k], address))
			return true;
	return scope == 0;
}

typedef VECTOR(const struct variable *) variable_list;

static void add_scope(struct arena *arena, variable_list *list, const struct known_scope *scope)
{
	for (uint32_t k = 0; k < scope->variables.count; k++)
		*vector_push(arena, list) = &scope->variables.at[k]->variable;
}

const struct variable *const *variables_at(struct arena *arena, const struct variables *variables,
	const struct ptx_function *function, uint32_t instruction, uint32_t *count)
{
	uint64_t address = section_code(&variables->sections, function, instruction);
	variable_list list = {0};

	/* A scope within another has been read after it. */
	for (uint32_t s = variables->missing ? 0 : variables->scopes.count; s-- > 0;)
		if (in_scope(variables, s, address))
			add_scope(arena, &list, &variables->scopes.at[s]);
	if (variables->missing) {
		add_scope(arena, &list, &variables->declared[function->index]);
		add_scope(arena, &list, &variables->declared[variables->module->functions.count]);
	}
	*count = list.count;
	return list.at;
}

static const struct variable *named_in(const struct known_scope *scope, const char *name)
{
	for (uint32_t k = 0; k < scope->variables.count; k++)
		if (!strcmp(scope->variables.at[k]->variable.name, name))
			return &scope->variables.at[k]->variable;
	return NULL;
}

const struct variable *variable_named(
	const struct variables *variables, const struct ptx_function *function, uint32_t instruction, const char *name)
{
	uint64_t address = section_code(&variables->sections, function, instruction);
	const struct variable *found = NULL;

	for (uint32_t s = variables->missing ? 0 : variables->scopes.count; s-- > 0 && !found;)
		if (in_scope(variables, s, address))
			found = named_in(&variables->scopes.at[s], name);
	if (!found)
		found = named_in(&variables->declared[function->index], name);
	if (!found)
		found = named_in(&variables->declared[variables->module->functions.count], name);
	return found;
}

/* ---- Places ---- */

const struct ptx_register *variable_register(const struct ptx_function *function, const char *name)
{
	for (uint32_t k = 0; k < function->registers.count; k++)
		if (!strcmp(function->registers.at[k]->name, name))
			return function->registers.at[k];
	return NULL;
}

static struct variable_place nowhere(const char *why)
{
	return (struct variable_place){.where = VARIABLE_NOWHERE, .why = why};
}

/* A place as the function has it: with its own register. */
static struct variable_place place_in(const struct known_place *known, const struct ptx_function *function)
{
	struct variable_place place = known->place;

	if (known->reg[0]) {
		place.reg = variable_register(function, known->reg);
		if (!place.reg)
			return nowhere("its register occurs in no instruction");
	}
	if (place.where == VARIABLE_MEMORY && place.variable->owner && place.variable->owner != function &&
		place.variable->space != space_SHARED)
		return nowhere("it belongs to another function");
	return place;
}

/* A kernel's parameter for which the compiler has no place is still in the block that was passed.  The source may have
 * assigned it since. */
static bool passed_in(
	const struct known_variable *known, const struct ptx_function *function, struct variable_place *place)
{
	uint32_t k = known->parameter - 1;

	if (!known->variable.is_source || !known->parameter || known->variable.depth != 1 || !function->is_entry ||
		k >= function->signature.parameter_count ||
		function->signature.parameters[k]->size != known->variable.type->bytes)
		return false;
	*place = (struct variable_place){.where = VARIABLE_MEMORY,
		.variable = function->signature.parameters[k],
		.space = space_PARAM,
		.why = "as it was passed"};
	return true;
}

struct variable_place variable_place(const struct variables *variables, const struct variable *variable,
	const struct ptx_function *function, uint32_t instruction)
{
	const struct known_variable *known = (const struct known_variable *)variable;
	uint64_t address = section_code(&variables->sections, function, instruction);
	struct variable_place passed;

	for (uint32_t k = 0; k < known->places.count; k++)
		if (in_range(&known->places.at[k].range, address))
			return place_in(&known->places.at[k], function);
	if (passed_in(known, function, &passed))
		return passed;
	return nowhere(known->places.count ? "it has no value at this instruction" : "it was optimised away");
}
