/* What the PTX itself declares: types of registers and of variables, and the variables that a function sees. */
#include "debug/variable_parts.h"

#include <assert.h>

/* BF16, TF32 and packed types are shown as their bits. */
static enum variable_kind kind_of(enum ptx_type type)
{
	const struct ptx_type_info *info = &ptx_types[type];

	if (info->kind == KIND_PREDICATE)
		return VARIABLE_BOOL;
	if (info->kind == KIND_FLOAT && type != TYPE_BF16 && type != TYPE_TF32)
		return VARIABLE_FLOAT;
	return info->bits && info->bits <= 64 ? VARIABLE_INTEGER : VARIABLE_OPAQUE;
}

static void read_types(struct arena *arena, struct variables *to)
{
	to->declared_types = arena_new_array(arena, struct variable_type, TYPE_COUNT);
	for (enum ptx_type type = 0; type < TYPE_COUNT; type++)
		to->declared_types[type] = (struct variable_type){.kind = kind_of(type),
			.is_signed = ptx_types[type].kind == KIND_SIGNED,
			.name = type == TYPE_NONE ? "?" : arena_printf(arena, ".%s", ptx_types[type].text),
			.bytes = (ptx_types[type].bits + 7u) / 8};
}

const struct variable_type *variable_register_type(const struct variables *variables, const struct ptx_register *reg)
{
	assert(reg->type < TYPE_COUNT);
	return &variables->declared_types[reg->type];
}

/* ".f32", ".b8 [24]": dimensions and vectors are one row of elements. */
static const struct variable_type *type_of(
	struct arena *arena, const struct variables *to, const struct ptx_variable *variable)
{
	const struct variable_type *element = &to->declared_types[variable->type];

	if (variable->opaque || !element->bytes || variable->size == element->bytes)
		return element;
	struct variable_type *type = arena_new(arena, struct variable_type);
	*type = (struct variable_type){.kind = VARIABLE_ARRAY,
		.bytes = variable->size,
		.of = element,
		.count = variable->size / element->bytes};
	type->name = type->count ? arena_printf(arena, "%s [%llu]", element->name, (unsigned long long)type->count)
				 : arena_printf(arena, "%s []", element->name);
	return type;
}

static struct known_variable *declare(
	struct arena *arena, struct variables *to, struct known_scope *scope, const struct ptx_variable *variable)
{
	struct known_variable *known = arena_new(arena, struct known_variable);

	known->variable = (struct variable){.name = variable->name,
		.type = type_of(arena, to, variable),
		.is_parameter = variable->is_formal,
		.line = variable->place.line,
		.depth = scope->depth};
	*vector_push(arena, &known->places) = (struct known_place){.range.end = UINT64_MAX,
		.place = {.where = VARIABLE_MEMORY, .variable = variable, .space = variable->space}};
	*vector_push(arena, &scope->variables) = known;
	return known;
}

/* A formal that is a register; the others are variables of the function. */
static void declare_formals(struct arena *arena, struct variables *to, const struct ptx_function *function)
{
	const struct ptx_prototype *s = &function->signature;

	for (uint32_t k = 0; k < s->parameter_count + s->return_count; k++) {
		const struct ptx_register *reg = function->formal_registers ? function->formal_registers[k] : NULL;
		if (!reg)
			continue;
		const struct ptx_variable *formal =
			k < s->parameter_count ? s->parameters[k] : s->returns[k - s->parameter_count];
		struct known_variable *known = declare(arena, to, &to->declared[function->index], formal);
		known->variable.type = variable_register_type(to, reg);
		known->places.at[0].place = (struct variable_place){.where = VARIABLE_REGISTER, .reg = reg};
	}
}

void declared_read(struct arena *arena, struct variables *to)
{
	const struct ptx_module *module = to->module;
	uint32_t count = module->functions.count;

	read_types(arena, to);
	to->declared = arena_new_array(arena, struct known_scope, count + 1);
	for (uint32_t f = 0; f < count; f++) {
		const struct ptx_function *function = module->functions.at[f];
		to->declared[f].depth = 1;
		declare_formals(arena, to, function);
		for (uint32_t v = 0; v < function->variables.count; v++)
			declare(arena, to, &to->declared[f], function->variables.at[v]);
	}
	for (uint32_t v = 0; v < module->variables.count; v++)
		declare(arena, to, &to->declared[count], module->variables.at[v]);
}
