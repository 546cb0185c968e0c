/* Types of DWARF, in three steps, so that types that contain pointers to themselves need no recursion: each entry is
 * read once, and asks for others; then names and sizes are made of those of the parts; then typedefs and qualified
 * types become what they stand for. */
#include "debug/dwarf.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

/* Of types in types, beyond which a name is cut and a size unknown: malformed ones go in circles. */
#define NESTING 32

struct entry {
	struct variable_type type; /* first: a pointer to it is one to this */
	Dwarf_Die die;
	const char *word;    /* before the name: "struct", "const"; null: none */
	struct entry *alias; /* what it is another name of */
	const char *own;     /* its own name; "": none */
	bool is_named, is_sized;
};

struct dwarf_types {
	struct arena *arena;
	struct dwarf_budget *budget;
	VECTOR(struct entry *) entries;
	uint32_t read;        /* of them */
	struct map known;     /* to the entry, by its offset in hexadecimal digits */
	struct entry nothing; /* void */
};

/* ---- Helpers for entries ---- */

bool dwarf_first(struct dwarf_budget *budget, Dwarf_Die *parent, Dwarf_Die *child)
{
	return budget->left && budget->left-- && libdw.dwarf_child(parent, child) == 0;
}

bool dwarf_next(struct dwarf_budget *budget, Dwarf_Die *die)
{
	return budget->left && budget->left-- && libdw.dwarf_siblingof(die, die) == 0;
}

bool dwarf_number(Dwarf_Die *die, unsigned attribute, uint64_t *value)
{
	Dwarf_Attribute found;
	Dwarf_Word word;

	if (!libdw.dwarf_attr_integrate(die, attribute, &found) || libdw.dwarf_formudata(&found, &word))
		return false;
	*value = word;
	return true;
}

const char *dwarf_text(struct arena *arena, Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;
	const char *text = libdw.dwarf_attr_integrate(die, attribute, &found) ? libdw.dwarf_formstring(&found) : NULL;

	return text ? arena_text(arena, text) : "";
}

/* ---- Reading ---- */

struct dwarf_types *dwarf_types_new(struct arena *arena, struct dwarf_budget *budget)
{
	struct dwarf_types *types = arena_new(arena, struct dwarf_types);

	*types = (struct dwarf_types){.arena = arena,
		.budget = budget,
		.nothing = {.type = {.kind = VARIABLE_VOID, .name = "void"}, .is_named = true, .is_sized = true}};
	return types;
}

static struct entry *new_entry(struct dwarf_types *types)
{
	struct entry *entry = arena_new(types->arena, struct entry);

	entry->type.name = "?";
	entry->own = "";
	return entry;
}

static struct entry *entry_of(struct dwarf_types *types, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die found;
	char key[24];

	if (!libdw.dwarf_attr_integrate(die, DW_AT_type, &attribute) || !libdw.dwarf_formref_die(&attribute, &found))
		return &types->nothing;
	int length = snprintf(key, sizeof key, "%llx", (unsigned long long)libdw.dwarf_dieoffset(&found));
	struct entry *entry = map_get(&types->known, key);
	if (!entry) {
		entry = new_entry(types);
		entry->die = found;
		map_put(types->arena, &types->known, key, (size_t)length, entry);
		*vector_push(types->arena, &types->entries) = entry;
	}
	return entry;
}

static void read_base(struct entry *entry)
{
	struct variable_type *type = &entry->type;
	uint64_t encoding = 0;

	dwarf_number(&entry->die, DW_AT_encoding, &encoding);
	switch (encoding) {
	case DW_ATE_boolean: type->kind = VARIABLE_BOOL; break;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char: type->kind = VARIABLE_CHARACTER; break;
	case DW_ATE_float: type->kind = VARIABLE_FLOAT; break;
	case DW_ATE_signed:
	case DW_ATE_unsigned:
	case DW_ATE_UTF: type->kind = VARIABLE_INTEGER; break;
	default: type->kind = VARIABLE_OPAQUE; break;
	}
	type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	bool is_scalar = type->bytes == 1 || type->bytes == 2 || type->bytes == 4 || type->bytes == 8;
	if (!is_scalar || (type->kind == VARIABLE_FLOAT && type->bytes == 1))
		type->kind = VARIABLE_OPAQUE;
}

/* An array of several dimensions is one of arrays: `entry` is the outermost. */
static void read_array(struct dwarf_types *types, struct entry *entry)
{
	VECTOR(uint64_t) counts = {0};
	Dwarf_Die child;

	for (bool is = dwarf_first(types->budget, &entry->die, &child); is; is = dwarf_next(types->budget, &child)) {
		uint64_t count = 0, upper, lower = 0;
		if (libdw.dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		dwarf_number(&child, DW_AT_lower_bound, &lower);
		if (!dwarf_number(&child, DW_AT_count, &count) && dwarf_number(&child, DW_AT_upper_bound, &upper))
			count = upper + 1 - lower;
		*vector_push(types->arena, &counts) = count >> 63 ? 0 : count; /* -1: no upper bound */
	}
	struct entry *element = entry_of(types, &entry->die);
	for (uint32_t k = counts.count; k-- > 1;) {
		struct entry *inner = new_entry(types);
		inner->type = (struct variable_type){
			.kind = VARIABLE_ARRAY, .name = "?", .of = &element->type, .count = counts.at[k]};
		element = inner;
	}
	entry->type.kind = VARIABLE_ARRAY;
	entry->type.of = &element->type;
	entry->type.count = counts.count ? counts.at[0] : 0;
}

/* Where a member begins: a number, or a block that adds one. */
static bool member_offset(Dwarf_Die *die, uint64_t *offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *op;
	size_t count;

	*offset = 0;
	if (!libdw.dwarf_attr(die, DW_AT_data_member_location, &attribute))
		return true; /* of a union */
	Dwarf_Word word;
	if (libdw.dwarf_formudata(&attribute, &word) == 0) {
		*offset = word;
		return true;
	}
	if (libdw.dwarf_getlocation(&attribute, &op, &count) || count != 1 || op[0].atom != DW_OP_plus_uconst)
		return false;
	*offset = op[0].number;
	return true;
}

/* A bit field counts from the lowest bit on, as DWARF 4 does; before, from the highest of its storage. */
static void read_bits(Dwarf_Die *die, struct variable_member *member)
{
	uint64_t count, first, storage;

	if (!dwarf_number(die, DW_AT_bit_size, &count) || !count || count > 64)
		return;
	if (dwarf_number(die, DW_AT_data_bit_offset, &first)) {
		member->offset = first / 8;
		first %= 8;
	} else if (dwarf_number(die, DW_AT_bit_offset, &first) && dwarf_number(die, DW_AT_byte_size, &storage) &&
		   storage <= 8 && first <= 8 * storage && count <= 8 * storage - first) {
		first = 8 * storage - first - count;
	} else {
		first = 0;
	}
	member->first_bit = (uint32_t)first;
	member->bit_count = (uint32_t)count;
}

static void read_members(struct dwarf_types *types, struct entry *entry)
{
	VECTOR(struct variable_member) members = {0};
	Dwarf_Die child;

	entry->type.kind = VARIABLE_STRUCT;
	for (bool is = dwarf_first(types->budget, &entry->die, &child); is; is = dwarf_next(types->budget, &child)) {
		int tag = libdw.dwarf_tag(&child);
		struct variable_member member = {0};
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
			libdw.dwarf_hasattr(&child, DW_AT_external) ||
			!member_offset(&child, &member.offset)) /* static ones, and of virtual bases */
			continue;
		member.name = dwarf_text(types->arena, &child, DW_AT_name);
		member.type = &entry_of(types, &child)->type;
		read_bits(&child, &member);
		*vector_push(types->arena, &members) = member;
	}
	entry->type.members = members.at;
	entry->type.member_count = members.count;
	if (libdw.dwarf_hasattr(&entry->die, DW_AT_declaration))
		entry->type.kind = VARIABLE_OPAQUE;
}

static void read_enumerators(struct dwarf_types *types, struct entry *entry)
{
	VECTOR(struct variable_enumerator) values = {0};
	Dwarf_Die child;

	entry->type.kind = VARIABLE_ENUM;
	for (bool is = dwarf_first(types->budget, &entry->die, &child); is; is = dwarf_next(types->budget, &child)) {
		Dwarf_Attribute attribute;
		Dwarf_Sword value;
		if (libdw.dwarf_tag(&child) != DW_TAG_enumerator ||
			!libdw.dwarf_attr(&child, DW_AT_const_value, &attribute) ||
			libdw.dwarf_formsdata(&attribute, &value))
			continue;
		entry->type.is_signed |= value < 0;
		*vector_push(types->arena, &values) = (struct variable_enumerator){
			.name = dwarf_text(types->arena, &child, DW_AT_name), .value = value};
	}
	entry->type.enumerators = values.at;
	entry->type.enumerator_count = values.count;
}

static void read_pointer(struct dwarf_types *types, struct entry *entry, const char *word)
{
	entry->type.kind = VARIABLE_POINTER;
	entry->type.of = &entry_of(types, &entry->die)->type;
	entry->type.bytes = entry->type.bytes ? entry->type.bytes : 8;
	entry->word = word;
}

static void read_alias(struct dwarf_types *types, struct entry *entry, const char *word)
{
	entry->alias = entry_of(types, &entry->die);
	entry->word = word;
}

static void read_entry(struct dwarf_types *types, struct entry *entry)
{
	uint64_t bytes = 0;

	dwarf_number(&entry->die, DW_AT_byte_size, &bytes);
	entry->own = dwarf_text(types->arena, &entry->die, DW_AT_name);
	entry->type.bytes = bytes;
	entry->is_sized = bytes;
	switch (libdw.dwarf_tag(&entry->die)) {
	case DW_TAG_base_type: read_base(entry); break;
	case DW_TAG_pointer_type: read_pointer(types, entry, "*"); break;
	case DW_TAG_reference_type: read_pointer(types, entry, "&"); break;
	case DW_TAG_rvalue_reference_type: read_pointer(types, entry, "&&"); break;
	case DW_TAG_array_type: read_array(types, entry); break;
	case DW_TAG_structure_type: entry->word = "struct", read_members(types, entry); break;
	case DW_TAG_class_type: entry->word = "class", read_members(types, entry); break;
	case DW_TAG_union_type: entry->word = "union", read_members(types, entry); break;
	case DW_TAG_enumeration_type: entry->word = "enum", read_enumerators(types, entry); break;
	case DW_TAG_typedef: read_alias(types, entry, NULL); break;
	case DW_TAG_const_type: read_alias(types, entry, "const"); break;
	case DW_TAG_volatile_type: read_alias(types, entry, "volatile"); break;
	case DW_TAG_restrict_type: read_alias(types, entry, "restrict"); break;
	case DW_TAG_subroutine_type: entry->own = "function"; break;
	default: entry->type.kind = VARIABLE_OPAQUE; break;
	}
}

const struct variable_type *dwarf_type_of(struct dwarf_types *types, Dwarf_Die *die)
{
	return &entry_of(types, die)->type;
}

/* ---- Names and sizes ---- */

static struct entry *entry_with(const struct variable_type *type)
{
	return (struct entry *)type; /* all that point to one another here are entries */
}

static const char *name_entry(struct dwarf_types *types, struct entry *entry, uint32_t nesting);

/* "int *", "int **", "int (*)[3]" */
static const char *name_pointer(struct dwarf_types *types, struct entry *entry, uint32_t nesting)
{
	const char *of = name_entry(types, entry_with(entry->type.of), nesting + 1), *bound = strstr(of, " [");

	if (bound && entry_with(entry->type.of)->type.kind == VARIABLE_ARRAY)
		return arena_printf(types->arena, "%.*s (%s)%s", (int)(bound - of), of, entry->word, bound + 1);
	size_t length = strlen(of);
	return arena_printf(types->arena, "%s%s%s", of, length && of[length - 1] == '*' ? "" : " ", entry->word);
}

/* "int [2][3]": an outer dimension stands before those of the element. */
static const char *name_array(struct dwarf_types *types, struct entry *entry, uint32_t nesting)
{
	const char *of = name_entry(types, entry_with(entry->type.of), nesting + 1), *bound = strstr(of, " [");
	char count[24] = "";

	if (entry->type.count)
		snprintf(count, sizeof count, "%llu", (unsigned long long)entry->type.count);
	if (!bound || entry_with(entry->type.of)->type.kind != VARIABLE_ARRAY)
		return arena_printf(types->arena, "%s [%s]", of, count);
	return arena_printf(types->arena, "%.*s [%s]%s", (int)(bound - of), of, count, bound + 1);
}

static const char *name_alias(struct dwarf_types *types, struct entry *entry, uint32_t nesting)
{
	if (!entry->word)
		return entry->own;
	const char *of = name_entry(types, entry->alias, nesting + 1);
	bool is_pointer = entry->alias->type.kind == VARIABLE_POINTER && !entry->alias->alias;
	return is_pointer ? arena_printf(types->arena, "%s %s", of, entry->word)
			  : arena_printf(types->arena, "%s %s", entry->word, of);
}

static const char *name_entry(struct dwarf_types *types, struct entry *entry, uint32_t nesting)
{
	if (entry->is_named || nesting > NESTING)
		return entry->type.name;
	entry->is_named = true; /* in a circle it is "?" */
	if (entry->alias)
		entry->type.name = name_alias(types, entry, nesting);
	else if (entry->type.kind == VARIABLE_POINTER)
		entry->type.name = name_pointer(types, entry, nesting);
	else if (entry->type.kind == VARIABLE_ARRAY)
		entry->type.name = name_array(types, entry, nesting);
	else if (entry->word)
		entry->type.name =
			*entry->own ? arena_printf(types->arena, "%s %s", entry->word, entry->own) : entry->word;
	else
		entry->type.name = *entry->own ? entry->own : "?";
	return entry->type.name;
}

static uint64_t size_entry(struct entry *entry, uint32_t nesting)
{
	uint64_t bytes;

	if (entry->is_sized || nesting > NESTING)
		return entry->type.bytes;
	entry->is_sized = true;
	if (entry->alias)
		entry->type.bytes = size_entry(entry->alias, nesting + 1);
	else if (entry->type.kind == VARIABLE_ARRAY &&
		 !__builtin_mul_overflow(
			 size_entry(entry_with(entry->type.of), nesting + 1), entry->type.count, &bytes))
		entry->type.bytes = bytes;
	return entry->type.bytes;
}

/* What an alias stands for in the end; null: it goes in a circle. */
static const struct entry *end_of(const struct entry *entry)
{
	for (uint32_t k = 0; entry->alias; k++, entry = entry->alias)
		if (k > NESTING)
			return NULL;
	return entry;
}

void dwarf_types_finish(struct dwarf_types *types)
{
	while (types->read < types->entries.count)
		read_entry(types, types->entries.at[types->read++]);
	for (uint32_t k = 0; k < types->entries.count; k++) {
		struct entry *entry = types->entries.at[k];
		name_entry(types, entry, 0);
		size_entry(entry, 0);
	}
	for (uint32_t k = 0; k < types->entries.count; k++) {
		struct entry *entry = types->entries.at[k];
		const struct entry *end = entry->alias ? end_of(entry) : NULL;
		const char *name = entry->type.name;
		if (!entry->alias)
			continue;
		entry->type = end ? end->type : (struct variable_type){.kind = VARIABLE_OPAQUE};
		entry->type.name = name;
	}
}
