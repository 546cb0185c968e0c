/* Values by what people write for them: see variable_path.h. */
#include "debug/variable_path.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

struct path {
	struct arena *arena; /* of one path */
	const struct variables *variables;
	const struct ptx_function *function;
	uint32_t instruction;
	const struct variable_reader *reader;
	struct diagnostic *diagnostic;
	const char *at; /* what has not been read yet */
	struct variable_value value;
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static void skip_blanks(struct path *p)
{
	p->at += strspn(p->at, " \t");
}

/* A name, which may be empty, without the blanks around it. */
static const char *cut_name(struct path *p)
{
	skip_blanks(p);
	const char *first = p->at;

	p->at += *p->at == '%';
	while (is_letter(*p->at))
		p->at++;
	const char *name = arena_copy(p->arena, first, (size_t)(p->at - first));
	skip_blanks(p);
	return name;
}

static bool fail(struct path *p, const char *text)
{
	return diagnose(p->diagnostic, (struct place){0}, "%s", text);
}

/* ---- Names ---- */

static bool refuse_name(struct path *p, const char *name)
{
	uint32_t count;
	const struct variable *const *seen = variables_at(p->arena, p->variables, p->function, p->instruction, &count);
	const char **known = arena_new_array(p->arena, const char *, count + 1);

	for (uint32_t k = 0; k < count; k++)
		known[k] = seen[k]->name;
	text_refuse_unknown(p->diagnostic, (struct place){0}, "variable", name, known, count,
		"a variable that is seen here, or a register of the function");
	return false;
}

static bool begin(struct path *p)
{
	const char *name = cut_name(p);
	const struct variable *variable = variable_named(p->variables, p->function, p->instruction, name);
	const struct ptx_register *reg = variable ? NULL : variable_register(p->function, name);

	if (!*name)
		return fail(p, "expected the name of a variable or a register");
	if (!variable && !reg)
		return refuse_name(p, name);
	if (variable)
		p->value = (struct variable_value){.type = variable->type,
			.place = variable_place(p->variables, variable, p->function, p->instruction)};
	else
		p->value = (struct variable_value){.type = variable_register_type(p->variables, reg),
			.place = {.where = VARIABLE_REGISTER, .reg = reg}};
	if (p->value.place.where != VARIABLE_NOWHERE)
		return true;
	return diagnose(p->diagnostic, (struct place){0}, "%s is not known here: %s", name, p->value.place.why);
}

/* ---- Steps ---- */

/* Of a register and a constant the place is a part of the value: offsets count from its lowest byte. */
static void move(struct path *p, uint64_t offset)
{
	p->value.place.offset += offset;
	p->value.first_bit = p->value.bit_count = 0;
}

/* To what the pointer in hand points to, `index` elements further. */
static bool follow(struct path *p, int64_t index)
{
	const struct variable_type *type = p->value.type;
	uint64_t address = 0;
	const char *why = "";

	assert(type->kind == VARIABLE_POINTER);
	if (type->bytes > sizeof address || !type->of->bytes)
		return diagnose(p->diagnostic, (struct place){0}, "what a '%s' points to is not known", type->name);
	if (!p->reader->read(p->reader->context, &p->value.place, (uint8_t *)&address, (size_t)type->bytes, &why))
		return diagnose(p->diagnostic, (struct place){0}, "the pointer cannot be read: %s", why);
	p->value = (struct variable_value){.type = type->of,
		.place = {.where = VARIABLE_ADDRESS, .offset = address + (uint64_t)index * type->of->bytes}};
	return true;
}

static bool step_member(struct path *p)
{
	const char *name = cut_name(p);
	const struct variable_type *type = p->value.type;

	for (uint32_t k = 0; type->kind == VARIABLE_STRUCT && k < type->member_count; k++) {
		const struct variable_member *member = &type->members[k];
		if (strcmp(member->name, name) != 0)
			continue;
		move(p, member->offset);
		p->value.type = member->type;
		p->value.first_bit = member->first_bit;
		p->value.bit_count = member->bit_count;
		return true;
	}
	return diagnose(p->diagnostic, (struct place){0}, "a '%s' has no member '%s'", type->name, name);
}

static bool step_index(struct path *p)
{
	const struct variable_type *type = p->value.type;
	size_t length = strcspn(p->at, "]");
	const char *word = arena_copy(p->arena, p->at, length);
	int64_t index;

	if (p->at[length] != ']' || !text_to_s64(word, &index))
		return diagnose(p->diagnostic, (struct place){0}, "expected a number and ']', found '%s'", p->at);
	p->at += length + 1;
	skip_blanks(p);
	if (type->kind == VARIABLE_POINTER)
		return follow(p, index);
	if (type->kind != VARIABLE_ARRAY)
		return diagnose(p->diagnostic, (struct place){0}, "a '%s' has no elements", type->name);
	if (index < 0 || (type->count && (uint64_t)index >= type->count))
		return diagnose(p->diagnostic, (struct place){0}, "a '%s' has no element %" PRId64, type->name, index);
	move(p, (uint64_t)index * type->of->bytes);
	p->value.type = type->of;
	return true;
}

static bool step_pointer(struct path *p)
{
	if (p->value.type->kind == VARIABLE_POINTER)
		return follow(p, 0);
	return diagnose(p->diagnostic, (struct place){0}, "a '%s' is no pointer", p->value.type->name);
}

static bool step(struct path *p)
{
	if (*p->at == '[') {
		p->at++;
		return step_index(p);
	}
	if (!strncmp(p->at, "->", 2)) {
		p->at += 2;
		return step_pointer(p) && step_member(p);
	}
	if (*p->at == '.') {
		p->at++;
		return step_member(p);
	}
	return diagnose(p->diagnostic, (struct place){0}, "expected '.', '->' or '[', found '%s'", p->at);
}

bool variable_find_path(const struct variables *variables, const struct ptx_function *function, uint32_t instruction,
	const char *words, const struct variable_reader *reader, struct variable_value *value,
	struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	struct path p = {.arena = &arena,
		.variables = variables,
		.function = function,
		.instruction = instruction,
		.reader = reader,
		.diagnostic = diagnostic,
		.at = words};
	uint32_t stars = 0;

	for (skip_blanks(&p); *p.at == '*'; skip_blanks(&p)) {
		p.at++;
		stars++;
	}
	bool found = begin(&p);
	while (found && *p.at)
		found = step(&p);
	while (found && stars--)
		found = step_pointer(&p);
	arena_free(&arena);
	*value = p.value; /* nothing of it lies in the arena */
	return found;
}

bool variable_print_value(struct text *out, const struct variable_value *value, const struct variable_reader *reader,
	const struct variable_style *style, struct diagnostic *diagnostic)
{
	uint8_t bytes[VARIABLE_BYTES];
	size_t length = value->type->bytes < sizeof bytes ? (size_t)value->type->bytes : sizeof bytes;
	const char *why = "";

	if (value->bit_count)
		length = (value->first_bit + value->bit_count + 7) / 8;
	if (!reader->read(reader->context, &value->place, bytes, length, &why))
		return diagnose(diagnostic, (struct place){0}, "it cannot be read: %s", why);
	if (!value->bit_count) {
		variable_print(out, value->type, bytes, length, style);
		return true;
	}
	uint64_t bits = 0;
	memcpy(&bits, bytes, length < sizeof bits ? length : sizeof bits);
	bits = bits >> value->first_bit & (~0ull >> (64 - value->bit_count));
	if (value->type->is_signed && bits >> (value->bit_count - 1))
		bits |= ~0ull << (value->bit_count - 1);
	variable_print(out, value->type, (const uint8_t *)&bits, (size_t)value->type->bytes, style);
	return true;
}
