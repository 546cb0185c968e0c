/* Commands of programs that tell what registers, parameters and memory hold. */
#include "debug/json.h"

#include <inttypes.h>
#include <string.h>

static void put_value(struct debugger *d, json_object *to, const char *name, const struct shown_value *value)
{
	struct watched_place place = {.space = space_GLOBAL, .address = value->address, .bytes = 1};
	uint64_t byte;

	json_put_text(to, "name", name);
	json_put_text(to, "value", value->text);
	json_put_text(to, "type", value->type);
	if (value->address && value_read(d, &place, &byte))
		json_put_text(to, "memory", arena_printf(&d->scratch, "0x%" PRIx64, value->address));
}

static uint32_t lane_of(const struct debugger *d, json_object *from, const struct warp_slot *r)
{
	uint64_t lane = json_number(from, "lane", d->lane);

	return lane < r->warp.lanes ? (uint32_t)lane : 0;
}

/* The variables that the place sees: parameters, too. */
bool answer_parameters(struct debugger *d, json_object *from, json_object *to)
{
	struct core *core;
	const struct warp_slot *r = json_warp(d, from, &core);
	json_object *list = json_put_list(to, "variables");

	if (!r)
		return false;
	for (const char *const *name = value_names(d, r); *name; name++) {
		struct shown_value value;
		const char *why;

		if (value_of_words(d, r, lane_of(d, from, r), *name, &value, &why))
			put_value(d, json_put_entry(list), *name, &value);
	}
	return true;
}

/* Those that hold something at the place of the path that runs. */
bool answer_registers(struct debugger *d, json_object *from, json_object *to)
{
	struct core *core;
	const struct warp_slot *r = json_warp(d, from, &core);
	json_object *list = json_put_list(to, "variables");

	if (!r)
		return false;
	const struct kernel *kernel = r->warp.kernel;
	uint32_t pc = r->warp.path->pc;
	const struct ptx_function *f = kernel->functions[kernel->code[pc < kernel->code_count ? pc : 0].function].ptx;

	for (uint32_t k = 0; k < f->registers.count; k++) {
		struct shown_value value;
		const char *why, *name = f->registers.at[k]->name;

		if (value_of_words(d, r, lane_of(d, from, r), name, &value, &why))
			put_value(d, json_put_entry(list), name, &value);
	}
	return true;
}

/* {"name": a register or parameter, "lane": N} */
bool answer_value(struct debugger *d, json_object *from, json_object *to)
{
	struct core *core;
	const struct warp_slot *r = json_warp(d, from, &core);
	const char *name = json_word(from, "name"), *why;
	struct shown_value value;

	if (!r)
		return false;
	if (!value_of_words(d, r, lane_of(d, from, r), name, &value, &why)) {
		text_print(&d->out, "%s\n", why);
		return false;
	}
	put_value(d, to, name, &value);
	return true;
}

/* {"words": as `watch` takes them, or a parameter or register that is an address}: words that will mean the same when
 * other names do not. */
bool answer_place(struct debugger *d, json_object *from, json_object *to)
{
	const char *words = json_word(from, "words");
	uint64_t bytes = json_number(from, "bytes", 4);
	struct core *core;
	const struct warp_slot *r = find_warp(d, &d->focus, &core);
	struct shown_value value;
	struct watched_place place;
	const char *why;

	if (bytes != 1 && bytes != 2 && bytes != 8)
		bytes = 4;
	if (r && value_of_words(d, r, d->lane, words, &value, &why) && value.address)
		words = arena_printf(&d->scratch, "0x%" PRIx64, value.address);
	if (!value_place(d, words, &place, (uint32_t)bytes))
		return false;
	json_put_text(to, "words",
		arena_printf(&d->scratch, "%s0x%" PRIx64 " %u", place.space == space_SHARED ? "shared " : "",
			place.address, place.bytes));
	json_put_text(to, "about", value_place_words(&d->scratch, &place));
	return true;
}

#define MOST_BYTES (1u << 20)

/* {"words": a place, "offset": N, "count": N}: `bytes` in hexadecimal, as many as are there. */
bool answer_memory(struct debugger *d, json_object *from, json_object *to)
{
	struct watched_place place;
	int64_t offset = (int64_t)json_number(from, "offset", 0);
	uint64_t count = json_number(from, "count", 0), value;
	struct text bytes = {.arena = &d->scratch};

	if (!value_place(d, json_word(from, "words"), &place, 1))
		return false;
	place.address += (uint64_t)offset;
	json_put_text(to, "address", arena_printf(&d->scratch, "0x%" PRIx64, place.address));
	text_append(&bytes, "", 0);
	for (uint64_t k = 0; k < count && k < MOST_BYTES && value_read(d, &place, &value); k++, place.address++)
		text_print(&bytes, "%02x", (unsigned)value);
	json_put_text(to, "bytes", bytes.at);
	return true;
}
