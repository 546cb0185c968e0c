/* Device printf and assert: what kernels say, collected per core and put out between quanta in order of (cycle, core).
 *
 * A call records, per lane, the address of the format and a copy of its arguments, and of strings in its own memory;
 * the text is made between quanta, when strings can be read from global memory without disturbing anybody.  A record
 * that does not fit into limit.printf bytes per core and quantum is dropped, as CUDA's buffer overwrites. */
#include "machine/core/deferred.h"
#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/path.h"
#include "machine/lsu/access.h"
#include "machine/lsu/library_call.h"
#include "machine/runtime/turn.h"
#include "machine/state/launch_state.h"

#include "util/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT_BYTES 256 /* of one call: CUDA allows 32 arguments of 8 bytes */
#define FORMAT_BYTES 1024  /* with the NUL: what follows is not looked at */
#define TEXT_BYTES 512     /* likewise, of one conversion */
#define LARGEST_NUMBER 999 /* width or precision: more would only be cut off, and take the host's time */

struct print_record {
	uint64_t cycle;
	uint64_t format; /* generic address */
	uint8_t arguments[ARGUMENT_BYTES];
	uint32_t first_string, string_count; /* of the strings below: those in the thread's own memory */
};

/* A string in local memory, as it was when the thread called. */
struct print_string {
	uint64_t address;
	char text[FORMAT_BYTES];
};

/* Of a core, in this quantum. */
struct print_records {
	VECTOR(struct print_record) list;
	VECTOR(struct print_string) strings;
};

/* One byte at a generic address that no other thread writes: constants, strings, its own local memory. */
static uint8_t byte_at(const struct address_space *space, const struct warp *w, uint32_t lane, uint64_t address)
{
	uint8_t byte = 0;

	assert(!w || lane < w->lanes);
	if (address >= GLOBAL_BASE)
		return space_find(space, address, 1) ? *(const uint8_t *)space_host(space, address) : 0;
	if (w && address - LOCAL_BASE < w->local_bytes)
		access_local_read(w, lane, (uint32_t)(address - LOCAL_BASE), &byte, 1);
	return byte;
}

static bool has_room(const struct core *core)
{
	const struct print_records *records = core->deferred.state[DEFERRED_print];

	assert(records);
	return (uint64_t)records->list.count * sizeof(struct print_record) < core->machine->model->printf_bytes;
}

/* What vprintf returns: how many arguments the format takes, -1 when the record is dropped. */
static uint64_t result_of(const struct core *core, const struct warp_slot *r, uint32_t lane, uint64_t format)
{
	uint64_t conversions = 0, end = format + FORMAT_BYTES - 1;
	uint8_t byte;

	assert(lane < r->warp.lanes);
	if (!has_room(core))
		return UINT64_MAX;
	while (format < end && (byte = byte_at(core->machine->space, &r->warp, lane, format++)) != 0) {
		if (byte != '%')
			continue;
		if (byte_at(core->machine->space, &r->warp, lane, format) == '%')
			format++;
		else
			conversions++;
	}
	return conversions;
}

static const char *string_at(
	const struct address_space *space, const struct warp *w, uint32_t lane, uint64_t address, char *to, size_t size)
{
	size_t k = 0;

	assert(size);
	while (k + 1 < size && (to[k] = (char)byte_at(space, w, lane, address + k)) != 0)
		k++;
	to[k] = 0;
	return to;
}

static void keep_string(
	struct core *core, struct print_records *records, const struct warp *w, uint32_t lane, uint64_t address)
{
	struct print_string *kept;

	assert(lane < w->lanes);
	if (address - LOCAL_BASE >= w->local_bytes)
		return;
	kept = vector_push(&core->machine->cores.arenas[core->index], &records->strings);
	kept->address = address;
	string_at(core->machine->space, w, lane, address, kept->text, sizeof kept->text);
}

/* What an argument is, the format will say: all that may be addresses of local memory are taken for such. */
static void keep_strings(struct core *core, struct print_records *records, struct print_record *record,
	const struct warp *w, uint32_t lane)
{
	record->first_string = records->strings.count;
	keep_string(core, records, w, lane, record->format);
	for (uint32_t k = 0; k < ARGUMENT_BYTES; k += 8) {
		uint64_t address;

		memcpy(&address, record->arguments + k, sizeof address);
		keep_string(core, records, w, lane, address);
	}
	record->string_count = records->strings.count - record->first_string;
	assert(record->string_count <= 1 + ARGUMENT_BYTES / 8);
}

/* vprintf(format, arguments) for `lanes`: the arguments are copied now.  Moves the path on. */
void print_record(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];

	assert(!(lanes & ~r->warp.live));
	assert(extra->argument_count > 1);
	for (lane_mask m = lanes; m; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctzll(m);
		uint64_t arguments = library_argument(&r->warp, &extra->arguments[1], lane);
		struct print_records *records = defer(&core->deferred, DEFERRED_print);
		struct print_record *record;

		library_result(&r->warp, extra, lane,
			result_of(core, r, lane, library_argument(&r->warp, &extra->arguments[0], lane)));
		if (!has_room(core))
			continue;
		record = vector_push(&core->machine->cores.arenas[core->index], &records->list);
		record->cycle = core->now;
		record->format = library_argument(&r->warp, &extra->arguments[0], lane);
		for (uint32_t k = 0; arguments && k < ARGUMENT_BYTES; k++)
			record->arguments[k] = byte_at(core->machine->space, &r->warp, lane, arguments + k);
		keep_strings(core, records, record, &r->warp, lane);
	}
	control_advance(core, r);
}

/* __assertfail(...): a finding with the text of the assertion. */
void print_assert(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];
	uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
	char message[128], file[128], function[128];
	uint64_t value[4] = {0};

	assert(lanes);
	for (uint32_t k = 0; k < 4 && k < extra->argument_count; k++)
		value[k] = library_argument(&r->warp, &extra->arguments[k], lane);
	core_fault(core, r, i, lane, FAULT_assert, "%s:%u: %s: assertion '%s' failed",
		string_at(core->machine->space, &r->warp, lane, value[1], file, sizeof file), (uint32_t)value[2],
		string_at(core->machine->space, &r->warp, lane, value[3], function, sizeof function),
		string_at(core->machine->space, &r->warp, lane, value[0], message, sizeof message));
}

/* --- Formatting, between quanta --- */

struct argument_reader {
	const uint8_t *bytes;
	uint32_t at;
	const struct address_space *space;
	const struct print_string *strings; /* of the record's thread */
	uint32_t string_count;
};

/* As string_at, to which `to` and `size` belong. */
static const char *string_of(const struct argument_reader *reader, uint64_t address, char *to, size_t size)
{
	assert(!reader->string_count || reader->strings);
	for (uint32_t k = 0; k < reader->string_count; k++)
		if (reader->strings[k].address == address)
			return reader->strings[k].text;
	return string_at(reader->space, NULL, 0, address, to, size);
}

static uint64_t next_argument(struct argument_reader *reader, uint32_t bytes)
{
	uint64_t value = 0;

	assert(bytes);
	assert(!(bytes & (bytes - 1)));
	reader->at = (reader->at + bytes - 1) & ~(bytes - 1);
	if (reader->at + bytes <= ARGUMENT_BYTES)
		memcpy(&value, reader->bytes + reader->at, bytes);
	reader->at += bytes;
	return value;
}

/* Is `c` one of the characters of `set`? */
static bool among(char c, const char *set)
{
	return c && strchr(set, c);
}

/* Of one argument: "%-8" without length modifiers, lanes of a vector, the size of an integer or an element, the
 * letter. */
struct conversion {
	char spec[32];
	uint32_t lanes; /* 1: no vector */
	uint32_t bytes; /* what the length modifiers say; 0: nothing */
	char letter;
};

/* Sign-extends, or cuts, to the size that the length modifiers say. */
static uint64_t fit(uint64_t value, uint32_t bytes, bool is_signed)
{
	uint32_t away = 64 - 8 * bytes;

	assert(bytes);
	assert(bytes <= 8);
	return is_signed ? (uint64_t)((int64_t)(value << away) >> away) : value << away >> away;
}

/* One scalar, or one element of a vector: integers and floats of a vector have their own size, those alone are
 * promoted. */
static void put_scalar(struct text *out, struct argument_reader *reader, const struct conversion *c)
{
	char format[48], string[TEXT_BYTES], inner[TEXT_BYTES];
	uint32_t bytes = c->bytes ? c->bytes : 4;

	assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
	assert(c->lanes);
	assert(c->lanes <= 16);
	assert(c->letter);
	if (among(c->letter, "diouxX")) {
		uint64_t value = next_argument(reader, c->lanes > 1 || bytes > 4 ? bytes : 4);

		snprintf(format, sizeof format, "%sll%c", c->spec, c->letter);
		snprintf(string, sizeof string, format, (long long)fit(value, bytes, among(c->letter, "di")));
	} else if (among(c->letter, "eEfFgGaA")) {
		uint64_t value = next_argument(reader, c->lanes > 1 ? bytes : 8);
		uint32_t low = (uint32_t)value;
		double number;
		float single;

		memcpy(&number, &value, 8);
		memcpy(&single, &low, 4);
		snprintf(format, sizeof format, "%s%c", c->spec, c->letter);
		snprintf(string, sizeof string, format, c->lanes > 1 && bytes == 4 ? (double)single : number);
	} else if (c->letter == 'c') {
		snprintf(format, sizeof format, "%sc", c->spec);
		snprintf(string, sizeof string, format, (int)next_argument(reader, 4));
	} else if (c->letter == 'p') {
		snprintf(string, sizeof string, "0x%llx", (unsigned long long)next_argument(reader, 8));
	} else {
		snprintf(format, sizeof format, "%ss", c->spec);
		snprintf(string, sizeof string, format,
			string_of(reader, next_argument(reader, 8), inner, sizeof inner));
	}
	text_append(out, string, strlen(string));
}

/* "v4" of OpenCL: 2, 3, 4, 8 or 16 lanes.  Moves `at` past it. */
static uint32_t read_lanes(const char **at)
{
	uint32_t lanes = 0;

	if (**at != 'v')
		return 1;
	while (among(*++*at, "0123456789"))
		lanes = lanes < 16 ? lanes * 10 + (uint32_t)(**at - '0') : lanes;
	return lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16 ? lanes : 1;
}

/* hh, h, hl (OpenCL's, of vectors), l and C's longer ones. */
static uint32_t read_length(const char **at)
{
	uint32_t halves = 0, longs = 0;

	for (; among(**at, "hlLqjzt"); ++*at)
		*(**at == 'h' ? &halves : &longs) += 1;
	if (halves && longs)
		return 4;
	return longs ? 8 : halves > 1 ? 1 : halves ? 2 : 0;
}

/* Flags, width and precision, after the "%" of the spec.  Returns the length with it. */
static size_t read_spec(const char **at, char *spec, size_t room)
{
	size_t length = 1;

	assert(spec[0] == '%');
	while (among(**at, "-+ #0123456789.") && length + 4 < room) {
		uint32_t number = 0;

		if (!among(**at, "123456789")) {
			spec[length++] = *(*at)++;
			continue;
		}
		for (; among(**at, "0123456789"); ++*at) {
			number = number * 10 + (uint32_t)(**at - '0');
			number = number < LARGEST_NUMBER ? number : LARGEST_NUMBER;
		}
		length += (size_t)snprintf(spec + length, room - length, "%u", number);
		assert(length < room);
	}
	return length;
}

static void format_record(struct text *out, const struct address_space *space, const struct print_records *records,
	const struct print_record *record)
{
	struct argument_reader reader = {.bytes = record->arguments,
		.space = space,
		.strings = record->string_count ? records->strings.at + record->first_string : NULL,
		.string_count = record->string_count};
	char format[FORMAT_BYTES];
	const char *at = string_of(&reader, record->format, format, sizeof format);

	while (*at) {
		struct conversion c = {.spec = "%"};
		size_t length;

		if (*at != '%' || at[1] == '%') {
			text_append(out, at, 1);
			at += *at == '%' ? 2 : 1;
			continue;
		}
		at++;
		length = read_spec(&at, c.spec, sizeof c.spec - 4);
		c.lanes = read_lanes(&at);
		c.bytes = read_length(&at);
		if (!among(*at, "diouxXeEfFgGaAcps")) { /* not a conversion: shown as it is */
			text_append(out, c.spec, length);
			continue;
		}
		c.letter = *at++;
		for (uint32_t k = 0; k < c.lanes; k++) {
			if (k)
				text_append(out, ",", 1);
			put_scalar(out, &reader, &c);
		}
	}
}

static struct print_records *records_of(const struct core *core)
{
	assert(core->deferred.state[DEFERRED_print] || !core->machine);
	return core->deferred.state[DEFERRED_print];
}

/* Formats and puts out everything recorded. */
static void put_out(struct machine *machine)
{
	struct arena arena = {0};
	struct text out = {.arena = &arena};
	VECTOR(struct turn) order = {0};

	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct print_records *records = records_of(&machine->cores.at[c]);

		for (uint32_t k = 0; records && k < records->list.count; k++)
			*vector_push(&arena, &order) = (struct turn){records->list.at[k].cycle, c, k};
		if (records)
			records->list.count = records->strings.count = 0; /* what was there remains until a core runs */
	}
	qsort(order.at, order.count, sizeof *order.at, turn_order);
	for (uint32_t k = 0; k < order.count; k++) {
		const struct print_records *records = records_of(&machine->cores.at[order.at[k].core]);

		format_record(&out, machine->space, records, &records->list.at[order.at[k].index]);
	}
	machine_print(machine, &out);
	arena_free(&arena);
}

const struct deferred deferred_print = {.state_size = sizeof(struct print_records), .carry_out = put_out};
