/* What memory and registers hold, now. */
#include "debug/engine.h"
#include "kernel/alive.h"
#include "kernel/assign.h"
#include "machine/state/launch_state.h"
#include "warp/frame.h"

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

static const struct ptx_register *register_named(const struct ptx_function *f, const char *name)
{
	for (uint32_t k = 0; k < f->registers.count; k++)
		if (!strcmp(f->registers.at[k]->name, name))
			return f->registers.at[k];
	return NULL;
}

static uint32_t lane_pc_of(const struct warp_slot *r)
{
	return r->warp.path->pc;
}

static void read_register(const struct warp_slot *r, uint32_t lane, const struct ptx_register *reg, uint32_t slot,
	struct register_value *value)
{
	const struct warp *w = &r->warp;
	uint32_t bytes = ptx_types[reg->type].bits / 8;
	size_t word = (size_t)slot * w->lanes;

	value->type = reg->type;
	if (reg->type == TYPE_PRED) {
		value->is_predicate = true;
		value->low = w->predicates[slot] >> lane & 1;
	} else if (bytes <= 4) {
		value->low = w->bank[0][word + lane];
	} else {
		const uint64_t *wide = (const uint64_t *)(w->bank[1] + word);

		value->low = wide[lane];
		value->high = bytes > 8 ? wide[w->lanes + lane] : 0;
	}
}

bool value_of_register(struct debugger *d, const struct warp_slot *r, uint32_t lane, const char *name,
	struct register_value *value, const char **why)
{
	const struct kernel *kernel = r->warp.kernel;
	uint32_t pc = lane_pc_of(r);
	const struct insn *i = &kernel->code[pc < kernel->code_count ? pc : kernel->code_count - 1];
	const struct kernel_function *f = &kernel->functions[i->function];
	const struct ptx_register *reg = register_named(f->ptx, name);

	*value = (struct register_value){0};
	if (!reg || f->register_slot[reg->index] == NO_SLOT) {
		*why = "the function has no such register";
		return false;
	}
	if (i->source < f->ptx->code.count) {
		struct arena arena = {0};
		bool alive = flow_is_alive(flow_analyse(&arena, f->ptx), i->source, reg);

		arena_free(&arena);
		if (!alive) {
			*why = "it holds nothing here: no later instruction reads what it held";
			return false;
		}
	}
	(void)d;
	read_register(r, lane, reg, f->register_slot[reg->index], value);
	return true;
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

static bool print_register(struct debugger *d, const struct warp_slot *r, uint32_t lane, const char *name)
{
	struct register_value value;
	const char *why;

	if (!value_of_register(d, r, lane, name, &value, &why)) {
		text_print(&d->out, "%s: %s\n", name, why);
		return false;
	}
	if (d->prints_all)
		text_print(&d->out, "lane %2u  ", lane);
	text_print(&d->out, "%s = ", name);
	print_value(&d->out, value.type, value.low, value.high);
	text_print(&d->out, "  .%s\n", ptx_types[value.type].text);
	return true;
}

/* A kernel's parameter, from the block of the launch. */
static bool print_parameter(struct debugger *d, const struct warp_slot *r, const char *name)
{
	const struct ptx_function *f = r->warp.kernel->entry;
	const struct launch_values *launch = r->warp.launch;

	for (uint32_t k = 0; k < f->variables.count && f->variables.at[k]->is_formal; k++) {
		const struct ptx_variable *v = f->variables.at[k];
		uint64_t low = 0;
		uint64_t offset = r->warp.kernel->functions[0].stack_offset[k];

		if (strcmp(v->name, name) != 0)
			continue;
		if (v->size > sizeof low || offset + v->size > launch->parameter_bytes) {
			text_print(&d->out, "%s: %" PRIu64 " bytes at %" PRIu64 " of the parameters\n", name, v->size,
				offset);
			return true;
		}
		memcpy(&low, launch->parameters + offset, v->size);
		text_print(&d->out, "%s = ", name);
		print_value(&d->out, v->type, low, 0);
		text_print(&d->out, "  .%s, a parameter\n", ptx_types[v->type].text);
		return true;
	}
	return false;
}

enum next command_print(struct debugger *d, const char *words)
{
	struct core *core;
	const struct warp_slot *r = find_focus(d, &core);

	if (!r)
		return NEXT_ASK;
	if (!*words)
		return command_refuse(d, "", "a register or a parameter: `registers` lists them");
	if (print_parameter(d, r, words))
		return NEXT_ASK;
	if (!d->prints_all) {
		print_register(d, r, d->lane, words);
		return NEXT_ASK;
	}
	EACH_LANE(lane, r->warp.live)
		if (!print_register(d, r, (uint32_t)lane, words))
			break;
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
	uint32_t pc = lane_pc_of(r);
	const struct ptx_function *f = kernel->functions[kernel->code[pc < kernel->code_count ? pc : 0].function].ptx;

	for (uint32_t k = 0; k < f->variables.count && f->variables.at[k]->is_formal && f == kernel->entry; k++)
		print_parameter(d, r, f->variables.at[k]->name);
	for (uint32_t k = 0; k < f->registers.count; k++) {
		struct register_value value;
		const char *why;

		if (value_of_register(d, r, d->lane, f->registers.at[k]->name, &value, &why))
			print_register(d, r, d->lane, f->registers.at[k]->name);
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
