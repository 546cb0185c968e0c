/* The buffers that --arg makes, and the parameter block. */
#include "cli/buffers.h"

#include "util/demangle.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct place nowhere;

/* ---- Contents ---- */

#define BLOCK 256 /* values that are made at a time */

/* A block of draws, and the same as floats of single precision: loops of constant length, for vectors. */
static inline __attribute__((always_inline)) void draw(uint64_t state, uint64_t *bits)
{
	for (uint32_t k = 0; k < BLOCK; k++) {
		uint64_t own = state + k * SPLITMIX_STEP;
		bits[k] = splitmix64(&own);
	}
}

static inline double between(const struct fill *fill, double width, uint64_t draw)
{
	return fill->from + width * ((double)(int64_t)(draw >> 11) * 0x1p-53);
}

static inline __attribute__((always_inline)) void draw_singles(const struct fill *fill, uint64_t state, uint64_t *bits)
{
	double width = fill->to - fill->from;
	draw(state, bits);
	for (uint32_t k = 0; k < BLOCK; k++) {
		float single = (float)between(fill, width, bits[k]);
		uint32_t word;
		memcpy(&word, &single, sizeof word);
		bits[k] = word;
	}
}

#ifdef __x86_64__
__attribute__((target("avx512f,avx512dq,avx512vl"))) static void draw_singles_wide(
	const struct fill *fill, uint64_t state, uint64_t *bits)
{
	draw_singles(fill, state, bits);
}
#define HAS_WIDE (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
#else
#define draw_singles_wide draw_singles
#define HAS_WIDE false
#endif

/* `bits` has room for a block. */
static void make_random(
	const struct value_type *type, const struct fill *fill, uint64_t *state, uint64_t *bits, uint32_t count)
{
	if (type->kind == VALUE_FLOAT && type->bytes == 4 && HAS_WIDE)
		draw_singles_wide(fill, *state, bits);
	else if (type->kind == VALUE_FLOAT && type->bytes == 4)
		draw_singles(fill, *state, bits);
	else
		draw(*state, bits);
	*state += count * SPLITMIX_STEP;
	for (uint32_t k = 0; k < count && type->kind == VALUE_FLOAT && type->bytes != 4; k++)
		bits[k] = value_bits_of_double(type, between(fill, fill->to - fill->from, bits[k]));
	for (uint32_t k = 0; k < count && type->kind != VALUE_FLOAT && fill->bounded; k++)
		bits[k] = fill->low + bits[k] % fill->width;
}

/* first, first + 1, ... */
static void make_iota(const struct value_type *type, uint64_t first, uint64_t *bits, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		bits[k] = type->kind == VALUE_FLOAT ? value_bits_of_double(type, (double)(first + k)) : first + k;
}

static void fill_values(const struct argument *buffer, void *memory)
{
	const struct fill *fill = &buffer->fill;
	uint64_t bits[BLOCK], state = fill->seed;
	for (uint32_t k = 0; k < BLOCK; k++)
		bits[k] = fill->bits;
	for (uint64_t first = 0; first < buffer->count; first += BLOCK) {
		uint64_t left = buffer->count - first;
		uint32_t count = left < BLOCK ? (uint32_t)left : BLOCK;
		if (fill->kind == FILL_IOTA)
			make_iota(buffer->type, first, bits, count);
		else if (fill->kind == FILL_RANDOM)
			make_random(buffer->type, fill, &state, bits, count);
		value_store(buffer->type, memory, first, bits, count);
	}
}

static bool fill_from_file(const struct argument *buffer, void *memory, struct diagnostic *diagnostic)
{
	struct place place = {.file = buffer->fill.path};
	uint64_t bytes = buffer->count * buffer->type->bytes;
	FILE *file = fopen(place.file, "rb");
	if (!file)
		return diagnose(diagnostic, place, "cannot open: %s", strerror(errno));
	errno = 0;
	size_t got = fread(memory, 1, bytes, file);
	bool more = got == bytes && fgetc(file) != EOF;
	if (ferror(file))
		diagnose(diagnostic, place, "cannot read: %s", strerror(errno));
	else if (got != bytes || more)
		diagnose(diagnostic, place,
			"has %s%zu bytes, expected %" PRIu64 ": %" PRIu64 " values of %s for buffer '%s'",
			more ? "more than " : "", got, bytes, buffer->count, buffer->type->name, buffer->name);
	fclose(file);
	return !diagnostic->failed;
}

bool buffer_fill(const struct argument *buffer, void *memory, struct diagnostic *diagnostic)
{
	if (buffer->fill.kind == FILL_FILE)
		return fill_from_file(buffer, memory, diagnostic);
	if (buffer->fill.kind != FILL_ZERO && buffer->fill.kind != FILL_NONE)
		fill_values(buffer, memory);
	return true;
}

/* ---- Names ---- */

static bool makes_buffer(const struct argument *a)
{
	return a->count != 0;
}

/* The buffer of this name among the first `count` arguments; `count` when there is none. */
static uint32_t find_buffer(const struct options *o, uint32_t count, const char *name)
{
	for (uint32_t k = 0; k < count; k++)
		if (makes_buffer(&o->arguments.at[k]) && !strcmp(o->arguments.at[k].name, name))
			return k;
	return count;
}

static void unknown_buffer(const char *option, const char *name, const char *expected, struct diagnostic *diagnostic)
{
	diagnose(diagnostic, nowhere, "%s: there is no buffer '%s', expected one named by %s", option, name, expected);
}

static void check_dump(const struct options *o, const struct dump *dump, struct diagnostic *diagnostic)
{
	uint32_t k = find_buffer(o, o->arguments.count, dump->name);
	uint64_t elements = k < o->arguments.count ? o->arguments.at[k].count : 0;
	if (k == o->arguments.count)
		unknown_buffer("--dump", dump->name, "--arg buf:NAME:TYPE:COUNT", diagnostic);
	else if (!dump->whole && (dump->first >= elements || dump->count > elements - dump->first))
		diagnose(diagnostic, nowhere,
			"--dump %s:%" PRIu64 ":%" PRIu64
			": is not within the buffer, expected FIRST + COUNT to be at most %" PRIu64,
			dump->name, dump->first, dump->count, elements);
}

bool buffers_check(const struct options *o, struct diagnostic *diagnostic)
{
	for (uint32_t k = 0; k < o->arguments.count && !diagnostic->failed; k++) {
		const struct argument *a = &o->arguments.at[k];
		bool known = a->kind != ARGUMENT_VALUE && find_buffer(o, k, a->name) < k;
		if (makes_buffer(a) && known)
			diagnose(diagnostic, nowhere,
				"--arg %s: there is a buffer '%s' already, expected another name or ref:%s", a->text,
				a->name, a->name);
		else if (a->kind != ARGUMENT_VALUE && !makes_buffer(a) && !known)
			unknown_buffer(a->text, a->name,
				a->kind == ARGUMENT_TENSOR ? "an earlier --arg buf:, or :new at the end"
							   : "an earlier --arg buf:",
				diagnostic);
	}
	for (uint32_t k = 0; k < o->dumps.count && !diagnostic->failed; k++) {
		for (uint32_t before = 0; before < k; before++)
			if (!strcmp(o->dumps.at[before].name, o->dumps.at[k].name))
				diagnose(diagnostic, nowhere, "--dump %s: given twice, expected a buffer once",
					o->dumps.at[k].name);
		check_dump(o, &o->dumps.at[k], diagnostic);
	}
	return !diagnostic->failed;
}

/* ---- On the GPU ---- */

/* The handle of an image in the buffer at `address`. */
static uint64_t create_image(
	struct lockstep *gpu, const struct argument *a, uint64_t address, struct diagnostic *diagnostic)
{
	struct lockstep_image image = *a->image;
	struct lockstep_error error;
	image_place(&image, address);
	uint64_t handle = lockstep_image_create(gpu, &image, &error);
	if (!handle)
		diagnose(diagnostic, nowhere, "--arg %s: %s", a->text, error.message);
	return handle;
}

/* Allocates and fills what an argument makes; 0 and an error when it cannot. */
static uint64_t create_buffer(struct lockstep *gpu, const struct argument *a, struct diagnostic *diagnostic)
{
	uint64_t bytes = a->count * a->type->bytes, address = lockstep_allocate(gpu, bytes, a->name);
	assert(makes_buffer(a));
	if (address && a->fill.kind == FILL_NONE)
		lockstep_undefine(gpu, address, bytes);
	else if (address)
		buffer_fill(a, lockstep_map(gpu, address, bytes), diagnostic);
	else
		diagnose(diagnostic, nowhere,
			"--arg %s: %" PRIu64 " bytes do not fit, expected less than is left of memory.size", a->text,
			bytes);
	return address;
}

bool buffers_create(struct lockstep *gpu, const struct options *o, uint64_t *addresses, struct diagnostic *diagnostic)
{
	for (uint32_t k = 0; k < o->arguments.count && !diagnostic->failed; k++) {
		const struct argument *a = &o->arguments.at[k];
		addresses[k] = a->bits;
		if (makes_buffer(a))
			addresses[k] = create_buffer(gpu, a, diagnostic);
		else if (a->kind == ARGUMENT_REFERENCE || a->kind == ARGUMENT_TENSOR)
			addresses[k] = addresses[find_buffer(o, k, a->name)];
		else if (a->kind == ARGUMENT_IMAGE)
			addresses[k] = create_image(gpu, a, addresses[find_buffer(o, k, a->name)], diagnostic);
	}
	return !diagnostic->failed;
}

static bool check_size(
	const struct argument *a, size_t k, const char *kernel, size_t size, struct diagnostic *diagnostic)
{
	bool is_address = a->kind != ARGUMENT_VALUE;
	if (a->kind == ARGUMENT_IMAGE && size != 8)
		return diagnose(diagnostic, nowhere,
			"--arg %s: parameter %zu of kernel '%s' has %zu bytes, the handle of an image has 8", a->text,
			k + 1, kernel, size);
	if (a->kind == ARGUMENT_TENSOR)
		return size == TENSOR_MAP_BYTES ||
		       diagnose(diagnostic, nowhere,
			       "--arg %s: parameter %zu of kernel '%s' has %zu bytes, a tensor map has %d", a->text,
			       k + 1, kernel, size, TENSOR_MAP_BYTES);
	if (is_address ? size == 8 || size == 4 : size == a->type->bytes)
		return true;
	const char *expected = size == 1                  ? "u8 or s8"
			       : size == 2                ? "u16, s16 or f16"
			       : size == 4                ? "u32, s32 or f32"
			       : size == 8                ? "u64, s64, f64, buf or ref"
			       : size == TENSOR_MAP_BYTES ? "tensor"
							  : "a kernel without structures as parameters";
	return diagnose(diagnostic, nowhere, "--arg %s: parameter %zu of kernel '%s' has %zu bytes, expected %s",
		a->text, k + 1, kernel, size, expected);
}

/* How a kernel and its parameters are called: "scale(float*, int)" where PTX has names of C++. */
static const char *kernel_words(struct arena *arena, const char *kernel)
{
	const char *whole = demangle(arena, kernel, true);
	return whole ? whole : kernel;
}

/* As many --arg as parameters? */
static bool check_count(const struct options *o, const struct lockstep_module *module, const char *ptx,
	const char *kernel, size_t parameters, struct diagnostic *diagnostic)
{
	const char *list = parameters_list(o->arena, module, ptx, kernel);
	if (parameters == o->arguments.count)
		return true;
	return diagnose(diagnostic, nowhere, "kernel '%s' has %zu parameter%s%s%s%s, expected as many --arg, not %u%s",
		kernel_words(o->arena, kernel), parameters, parameters == 1 ? "" : "s", *list ? " (" : "", list,
		*list ? ")" : "", o->arguments.count,
		parameters_have_local(ptx, kernel) ? "; local memory: --arg u64:128, and its bytes as --shared" : "");
}

/* Puts a checked argument where its parameter is. */
static void put_argument(const struct argument *a, uint64_t address, void *where, size_t size)
{
	char problem[200];
	struct tensor_map map;
	if (a->kind != ARGUMENT_TENSOR) {
		memcpy(where, &address, size);
		return;
	}
	struct tensor_request tensor = *a->tensor;
	tensor.address = address;
	bool good = tensor_map_make(&tensor, &map, problem, sizeof problem);
	assert(good && size == sizeof map); /* as argument_read has seen: buffers begin at multiples of 256 */
	(void)good;
	memcpy(where, &map, sizeof map);
}

/* Whether a value is written as a float and the parameter is none, or the other way round.  Of bits (.b32) the kind is
 * unknown. */
static bool check_kind(
	const struct argument *a, size_t k, const char *kernel, const char *type, struct diagnostic *diagnostic)
{
	bool is_float = a->kind == ARGUMENT_VALUE && *a->type->name == 'f';
	if (a->kind != ARGUMENT_VALUE || *type == 'b' || is_float == (*type == 'f'))
		return true;
	return diagnose(diagnostic, nowhere, "--arg %s: parameter %zu of kernel '%s' is %s, expected %s:VALUE", a->text,
		k + 1, kernel, type, type);
}

const void *buffers_parameters(const struct lockstep_module *module, const char *ptx, const char *kernel,
	const struct options *o, const uint64_t *addresses, size_t *bytes, struct diagnostic *diagnostic)
{
	const char *words = kernel_words(o->arena, kernel);
	size_t parameters = 0;
	struct lockstep_parameter p;
	*bytes = 0;
	for (; lockstep_kernel_parameter(module, kernel, parameters, &p); parameters++)
		*bytes = p.offset + p.size;
	if (!check_count(o, module, ptx, kernel, parameters, diagnostic))
		return NULL;
	char *block = arena_alloc(o->arena, *bytes + 8);
	for (uint32_t k = 0; k < o->arguments.count; k++) {
		const struct argument *a = &o->arguments.at[k];
		lockstep_kernel_parameter(module, kernel, k, &p);
		if (!check_size(a, k, words, p.size, diagnostic) || !check_kind(a, k, words, p.type, diagnostic))
			return NULL;
		put_argument(a, addresses[k], block + p.offset, p.size);
	}
	return block;
}

const struct dumped *buffers_dump(struct lockstep *gpu, const struct options *o, const uint64_t *addresses)
{
	struct dumped *shown = arena_new_array(o->arena, struct dumped, o->dumps.count + 1u);
	for (uint32_t k = 0; k < o->dumps.count; k++) {
		const struct dump *dump = &o->dumps.at[k];
		uint32_t b = find_buffer(o, o->arguments.count, dump->name);
		assert(b < o->arguments.count);
		const struct argument *buffer = &o->arguments.at[b];
		uint64_t first = dump->whole ? 0 : dump->first, bytes = buffer->type->bytes;
		shown[k] = (struct dumped){.name = buffer->name,
			.type = buffer->type,
			.values = (const char *)lockstep_map(gpu, addresses[b], buffer->count * bytes) + first * bytes,
			.first = first,
			.count = dump->whole ? buffer->count : dump->count};
	}
	return shown;
}
