/* What memory and registers hold, now. */
#include "debug/engine.h"
#include "debug/registers.h"
#include "debug/variable_path.h"
#include "debug/variables.h"
#include "machine/lsu/access.h"
#include "machine/state/launch_state.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static bool read_shared(const struct debugger *d, const struct watched_place *place, uint64_t *value)
{
	struct core *core;
	const struct group *group = find_group(d, place->warp.launch, place->group, &core);
	const struct warp_slot *r = group ? &core->slots[__builtin_ctzll(group->slots)] : NULL;

	if (!r || place->address > r->warp.shared_bytes || place->bytes > r->warp.shared_bytes - place->address)
		return false;
	memcpy(value, group->shared + place->address, place->bytes);
	return true;
}

bool value_read(const struct debugger *d, const struct watched_place *place, uint64_t *value)
{
	const struct address_space *space = &d->gpu->space;

	assert(place->bytes <= sizeof *value);
	*value = 0;
	if (place->space == space_SHARED)
		return read_shared(d, place, value);
	if (place->address < GLOBAL_BASE || !space_find(space, place->address, place->bytes))
		return false;
	memcpy(value, space_host(space, place->address), place->bytes);
	return true;
}

/* ---- Registers ---- */

static uint32_t pc_of(const struct warp_slot *r)
{
	uint32_t pc = r->warp.path->pc, count = r->warp.kernel->code_count;

	return pc < count ? pc : count - 1;
}

static const struct registers *registers_here(struct debugger *d, const struct warp_slot *r)
{
	struct known *known = &d->known;
	uint32_t function = r->warp.kernel->code[pc_of(r)].function;

	if (known->kernel != r->warp.kernel || known->function != function)
		known->registers = registers_of(&d->arena, r->warp.kernel, function);
	known->kernel = r->warp.kernel;
	known->function = function;
	return known->registers;
}

static void read_register(const struct warp_slot *r, uint32_t lane, const struct registers *all,
	const struct ptx_register *reg, struct register_value *value)
{
	uint32_t bytes = (ptx_types[reg->type].bits + 7u) / 8;
	slot_ref slot = registers_slot(all, reg);

	value->type = reg->type;
	if (reg->type == TYPE_PRED)
		value->low = r->warp.predicates[registers_predicate(all, reg)] >> lane & 1;
	else if (bytes <= 8)
		value->low = slot_value(&r->warp, slot, bytes <= 4 ? 4 : 8, lane);
	else {
		value->low = slot_value(&r->warp, slot, 8, lane);
		value->high = slot_value(&r->warp, slot + 2 * r->warp.lanes, 8, lane);
	}
}

static bool is_mentioned(const struct registers *all, const struct ptx_register *reg)
{
	return reg->type == TYPE_PRED ? registers_predicate(all, reg) != NO_PREDICATE
				      : registers_slot(all, reg) != SLOT_NONE;
}

bool value_of_register(struct debugger *d, const struct warp_slot *r, uint32_t lane, const struct ptx_register *reg,
	struct register_value *value, const char **why)
{
	const struct insn *i = &r->warp.kernel->code[pc_of(r)];
	const struct registers *all = registers_here(d, r);

	*value = (struct register_value){0};
	*why = NULL;
	if (!is_mentioned(all, reg))
		*why = "no instruction mentions it";
	else if (!registers_hold(all, reg, i->source))
		*why = "it holds nothing here: it was not assigned, or another register has its place";
	else
		read_register(r, lane, all, reg, value);
	return !*why;
}

/* ---- Words of memory ---- */

static const struct allocation *buffer_named(const struct debugger *d, const char *name, size_t length)
{
	const struct address_space *space = &d->gpu->space;

	for (uint32_t k = 0; k < space->count; k++) {
		const char *called = space->allocations[k].live ? allocation_name(&space->allocations[k]) : NULL;

		if (called && strlen(called) == length && !memcmp(called, name, length))
			return &space->allocations[k];
	}
	return NULL;
}

/* A number, or BUFFER, or BUFFER+NUMBER. */
static bool read_address(const struct debugger *d, const char *word, uint64_t *address)
{
	const char *plus = strchr(word, '+');
	const struct allocation *buffer;
	uint64_t offset = 0;

	if (text_to_u64(word, address))
		return true;
	buffer = buffer_named(d, word, plus ? (size_t)(plus - word) : strlen(word));
	if (!buffer || (plus && !text_to_u64(plus + 1, &offset)))
		return false;
	*address = buffer->address + offset;
	return true;
}

bool value_is_buffer(const struct debugger *d, const char *words)
{
	uint64_t address;

	return read_address(d, words, &address);
}

static const char *cut_word(struct debugger *d, const char **at)
{
	size_t length = strcspn(*at, " \t");
	const char *word = arena_copy(&d->scratch, *at, length);

	*at += length + strspn(*at + length, " \t");
	return word;
}

static const char expected_place[] = "an address, a buffer's name, BUFFER+BYTES, or `shared OFFSET`";

/* The place alone; what follows stays. */
static bool read_place(struct debugger *d, const char **words, struct watched_place *place)
{
	const char *word = cut_word(d, words);

	*place = (struct watched_place){.space = space_GLOBAL, .warp = d->focus, .group = d->focus.group};
	if (!strcmp(word, "shared")) {
		place->space = space_SHARED;
		word = cut_word(d, words);
		if (!d->focus.known || !text_to_u64(word, &place->address)) {
			command_refuse(d, word, "an offset in the shared memory of the group in focus");
			return false;
		}
		return true;
	}
	if (!read_address(d, word, &place->address)) {
		command_refuse(d, word, expected_place);
		return false;
	}
	return true;
}

bool value_place(struct debugger *d, const char *words, struct watched_place *place, uint32_t bytes)
{
	uint64_t number = bytes, value;

	if (!read_place(d, &words, place))
		return false;
	if (*words && (!text_to_u64(words, &number) || (number != 1 && number != 2 && number != 4 && number != 8))) {
		command_refuse(d, words, "1, 2, 4 or 8 bytes");
		return false;
	}
	place->bytes = (uint32_t)number;
	if (!value_read(d, place, &value)) {
		text_print(&d->out, "there is no memory at %s\n", value_place_words(&d->scratch, place));
		return false;
	}
	return true;
}

const char *value_place_words(struct arena *arena, const struct watched_place *place)
{
	if (place->space == space_SHARED)
		return arena_printf(arena, "%u bytes at 0x%" PRIx64 " of group %u's shared memory", place->bytes,
			place->address, place->group);
	return arena_printf(arena, "%u bytes at 0x%" PRIx64, place->bytes, place->address);
}

/* ---- Showing ---- */

static void print_value(struct text *out, enum ptx_type type, uint64_t low, uint64_t high)
{
	uint32_t bits = ptx_types[type].bits;
	float single;
	double number;

	switch (ptx_types[type].kind) {
	case KIND_PREDICATE: text_print(out, "%s", low ? "true" : "false"); return;
	case KIND_SIGNED: text_print(out, "%" PRId64, (int64_t)(low << (64 - bits)) >> (64 - bits)); return;
	case KIND_FLOAT:
		if (bits == 32) {
			uint32_t word = (uint32_t)low;

			memcpy(&single, &word, sizeof single);
			text_print(out, "%.9g (0x%08x)", (double)single, word);
			return;
		}
		if (bits == 64) {
			memcpy(&number, &low, sizeof number);
			text_print(out, "%.17g (0x%016" PRIx64 ")", number, low);
			return;
		}
		break;
	default: break;
	}
	if (bits > 64)
		text_print(out, "0x%016" PRIx64 "%016" PRIx64, high, low);
	else
		text_print(out, "%" PRIu64 " (0x%" PRIx64 ")", low, low);
}

/* ---- Variables ---- */

#define MOST_BYTES 4096 /* of a variable that are shown */

/* Bytes of local memory from an offset on, of a lane; how many there are. */
static size_t read_local(const struct warp_slot *r, uint32_t lane, uint64_t offset, uint8_t *bytes, size_t size)
{
	size_t k = 0;

	for (; k < size && offset + k < r->warp.local_bytes; k++)
		bytes[k] = *local_byte(&r->warp, lane, (uint32_t)(offset + k));
	return k;
}

static size_t read_memory(const struct debugger *d, const struct warp_slot *r, uint32_t lane, uint8_t space,
	uint64_t address, uint8_t *bytes, size_t size)
{
	struct watched_place place = {
		.space = space_GLOBAL, .bytes = 1, .warp = d->focus, .group = r->group->number, .address = address};
	uint64_t value;
	size_t k = 0;

	if (space == space_SHARED || (space == space_NONE && address - SHARED_BASE < SHARED_PART_BYTES)) {
		place.space = space_SHARED;
		place.address = address - (space == space_SHARED ? 0 : SHARED_BASE);
	} else if (space == space_LOCAL || (space == space_NONE && address - LOCAL_BASE < WINDOW_BYTES)) {
		return read_local(r, lane, address - (space == space_LOCAL ? 0 : LOCAL_BASE), bytes, size);
	}
	for (; k < size && value_read(d, &place, &value); k++, place.address++)
		bytes[k] = (uint8_t)value;
	return k;
}

static size_t read_parameter(
	const struct warp_slot *r, const struct ptx_variable *v, uint64_t offset, uint8_t *bytes, size_t size)
{
	const struct ptx_function *f = r->warp.kernel->entry;
	uint64_t at = 0;

	for (uint32_t k = 0; k < f->variables.count && f->variables.at[k]->is_formal; k++) {
		const struct ptx_variable *formal = f->variables.at[k];

		at = (at + formal->align - 1) / formal->align * formal->align;
		if (formal == v)
			break;
		at += formal->size;
	}
	at += offset;
	if (at + size > r->warp.launch->parameter_bytes)
		return 0;
	memcpy(bytes, r->warp.launch->parameters + at, size);
	return size;
}

static uint64_t address_of_variable(const struct warp_slot *r, const struct variable_address *a)
{
	const uint32_t *slot = r->core_launch->launch->constants + a->word;
	uint64_t address = 0;

	memcpy(&address, slot, a->bytes);
	return address - (uint64_t)a->addend;
}

/* Of a variable that the PTX declares, and that has the place: the frame, parameters, shared memory, global memory. */
static size_t read_declared(struct debugger *d, const struct warp_slot *r, uint32_t lane,
	const struct variable_place *place, uint8_t *bytes, size_t size)
{
	const struct ptx_variable *v = place->variable;
	const struct kernel *kernel = r->warp.kernel;
	const struct registers *all = registers_here(d, r);
	uint64_t at;

	if (registers_frame_offset(all, v, &at))
		return read_local(r, lane, r->warp.stack_base + at + place->offset, bytes, size);
	if (v->space == space_PARAM)
		return read_parameter(r, v, place->offset, bytes, size);
	for (uint32_t k = 0; v->space == space_SHARED && k < kernel->shared.count; k++)
		if (kernel->shared.places[k].variable == v)
			return read_memory(
				d, r, lane, space_SHARED, kernel->shared.places[k].offset + place->offset, bytes, size);
	for (uint32_t k = 0; k < kernel->variable_address_count; k++)
		if (kernel->variable_addresses[k].variable == v)
			return read_memory(d, r, lane, space_GLOBAL,
				address_of_variable(r, &kernel->variable_addresses[k]) + place->offset, bytes, size);
	return 0;
}

static size_t read_variable(struct debugger *d, const struct warp_slot *r, uint32_t lane,
	const struct variable_place *place, uint8_t *bytes, size_t size, const char **why)
{
	struct register_value value = {0};

	*why = place->why;
	switch (place->where) {
	case VARIABLE_NOWHERE: return 0;
	case VARIABLE_CONSTANT: value.low = place->bits; break;
	case VARIABLE_ADDRESS: return read_memory(d, r, lane, space_NONE, place->offset, bytes, size);
	case VARIABLE_MEMORY: return read_declared(d, r, lane, place, bytes, size);
	case VARIABLE_REGISTER:
	case VARIABLE_POINTED:
		if (!value_of_register(d, r, lane, place->reg, &value, why))
			return 0;
		break;
	}
	if (place->where == VARIABLE_POINTED)
		return read_memory(d, r, lane, place->space, value.low + place->offset, bytes, size);
	size = size < 16 ? size : 16;
	memcpy(bytes, &value.low, size < 8 ? size : 8);
	if (size > 8)
		memcpy(bytes + 8, &value.high, size - 8);
	return size;
}

/* What is known of the module's variables; read once. */
static const struct variables *variables_of(struct debugger *d, const struct kernel *kernel)
{
	if (d->known.variables_of != kernel->module)
		d->known.variables = variables_read(&d->arena, kernel->module);
	d->known.variables_of = kernel->module;
	return d->known.variables;
}

/* Who reads bytes of places, in a lane. */
struct reading {
	struct debugger *d;
	const struct warp_slot *r;
	uint32_t lane;
};

static bool read_place_bytes(
	void *context, const struct variable_place *place, uint8_t *to, size_t length, const char **why)
{
	const struct reading *reading = context;
	size_t read = read_variable(reading->d, reading->r, reading->lane, place, to, length, why);

	if (read < length && !*why)
		*why = "there is no such memory";
	return read >= length;
}

static bool show_register(struct debugger *d, const struct warp_slot *r, uint32_t lane, const struct ptx_register *reg,
	struct shown_value *shown, const char **why)
{
	struct text text = {.arena = &d->scratch};
	struct register_value value;

	if (!value_of_register(d, r, lane, reg, &value, why)) {
		*why = arena_printf(&d->scratch, "%s: %s", reg->name, *why);
		return false;
	}
	print_value(&text, value.type, value.low, value.high);
	*shown = (struct shown_value){.text = text.at,
		.type = arena_printf(&d->scratch, ".%s", ptx_types[value.type].text),
		.address = ptx_types[value.type].bits == 64 ? value.low : 0};
	return true;
}

bool value_of_words(struct debugger *d, const struct warp_slot *r, uint32_t lane, const char *words,
	struct shown_value *shown, const char **why)
{
	const struct insn *i = &r->warp.kernel->code[pc_of(r)];
	const struct ptx_function *f = r->warp.kernel->functions[i->function].ptx;
	const struct ptx_register *reg = variable_register(f, words);
	struct reading reading = {d, r, lane};
	const struct variable_reader reader = {read_place_bytes, &reading};
	struct diagnostic diagnostic = {0};
	struct text text = {.arena = &d->scratch};
	struct variable_value value;
	const char *ignored;

	if (reg)
		return show_register(d, r, lane, reg, shown, why);
	if (!variable_find_path(variables_of(d, r->warp.kernel), f, i->source, words, &reader, &value, &diagnostic) ||
		!variable_print_value(&text, &value, &reader, &(struct variable_style){0}, &diagnostic)) {
		*why = arena_text(&d->scratch, diagnostic.message);
		return false;
	}
	*shown = (struct shown_value){.text = text.at, .type = value.type->name};
	if (value.type->bytes == sizeof shown->address &&
		(value.type->kind == VARIABLE_POINTER || *value.type->name == '.')) /* PTX has no pointers */
		read_place_bytes(&reading, &value.place, (uint8_t *)&shown->address, sizeof shown->address, &ignored);
	return true;
}

const char *const *value_names(struct debugger *d, const struct warp_slot *r)
{
	const struct insn *i = &r->warp.kernel->code[pc_of(r)];
	uint32_t count;
	const struct variable *const *seen = variables_at(&d->scratch, variables_of(d, r->warp.kernel),
		r->warp.kernel->functions[i->function].ptx, i->source, &count);
	const char **names = arena_new_array(&d->scratch, const char *, count + 1u);

	for (uint32_t k = 0; k < count; k++)
		names[k] = seen[k]->name;
	return names;
}

/* False and an answer. */
static bool print_words(struct debugger *d, const struct warp_slot *r, uint32_t lane, const char *words)
{
	struct shown_value value;
	const char *why;

	if (!value_of_words(d, r, lane, words, &value, &why)) {
		text_print(&d->out, "%s\n", why);
		return false;
	}
	if (d->prints_all)
		text_print(&d->out, "lane %2u  ", lane);
	text_print(&d->out, "%s = %s  %s\n", words, value.text, value.type);
	return true;
}

enum next command_print(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);

	if (!r)
		return NEXT_ASK;
	if (!*words)
		return command_refuse(d, "", "a variable or a register: `variables` and `registers` list them");
	EACH_LANE(lane, d->prints_all ? r->warp.live : 1ull << d->lane)
		if (!print_words(d, r, (uint32_t)lane, words))
			break;
	return NEXT_ASK;
}

enum next command_variables(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);

	(void)words;
	if (!r)
		return NEXT_ASK;
	d->prints_all = false;
	for (const char *const *name = value_names(d, r); *name; name++)
		print_words(d, r, d->lane, *name);
	if (variables_missing(variables_of(d, r->warp.kernel)))
		text_print(&d->out, "(%s)\n", variables_missing(variables_of(d, r->warp.kernel)));
	return NEXT_ASK;
}

enum next command_registers(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);

	(void)words;
	if (!r)
		return NEXT_ASK;
	const struct kernel *kernel = r->warp.kernel;
	const struct ptx_function *f = kernel->functions[kernel->code[pc_of(r)].function].ptx;

	for (uint32_t k = 0; k < f->registers.count; k++) {
		struct register_value value;
		const char *why;

		if (value_of_register(d, r, d->lane, f->registers.at[k], &value, &why))
			print_words(d, r, d->lane, f->registers.at[k]->name);
	}
	return NEXT_ASK;
}

#define MOST_WORDS 256

enum next command_memory(struct debugger *d, const char *words)
{
	struct watched_place place;
	enum ptx_type type = TYPE_U32;
	uint64_t count = 1;

	if (!read_place(d, &words, &place))
		return NEXT_ASK;
	const char *word = cut_word(d, &words);

	if (*word) {
		for (type = TYPE_NONE + 1; type < TYPE_COUNT && strcmp(ptx_types[type].text, word) != 0;)
			type++;
		if (type == TYPE_COUNT || ptx_types[type].bits > 64 || ptx_types[type].bits < 8)
			return command_refuse(d, word, "a type of PTX from u8 to f64");
	}
	if (*words && (!text_to_u64(words, &count) || !count || count > MOST_WORDS))
		return command_refuse(d, words, "a count from 1 to 256");
	place.bytes = ptx_types[type].bits / 8;
	for (uint64_t k = 0; k < count; k++, place.address += place.bytes) {
		uint64_t value;

		if (!value_read(d, &place, &value)) {
			text_print(&d->out, "there is no memory at %s\n", value_place_words(&d->scratch, &place));
			break;
		}
		text_print(&d->out, "0x%" PRIx64 "  ", place.address);
		print_value(&d->out, type, value, 0);
		text_print(&d->out, "\n");
	}
	return NEXT_ASK;
}
