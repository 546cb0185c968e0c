/* The rules of tensor maps: those of cuda.h of CUDA 13.0, and no others.  Strides may be 0 or overlap: the header's
 * formula for them tells how they come about, and CuTe gives dimensions of size 1 a stride of 0. */
#include "util/tensor_map.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
	const char *name;
	uint8_t bits;
	bool is_float;
} types[TENSOR_TYPES] = {
	[TENSOR_U8] = {"u8", 8, false},
	[TENSOR_U16] = {"u16", 16, false},
	[TENSOR_U32] = {"u32", 32, false},
	[TENSOR_S32] = {"s32", 32, false},
	[TENSOR_U64] = {"u64", 64, false},
	[TENSOR_S64] = {"s64", 64, false},
	[TENSOR_F16] = {"f16", 16, true},
	[TENSOR_F32] = {"f32", 32, true},
	[TENSOR_F64] = {"f64", 64, true},
	[TENSOR_BF16] = {"bf16", 16, true},
	[TENSOR_F32_FTZ] = {"f32.ftz", 32, true},
	[TENSOR_TF32] = {"tf32", 32, true},
	[TENSOR_TF32_FTZ] = {"tf32.ftz", 32, true},
	[TENSOR_U4_ALIGN8] = {"b4x16", 4, false},
	[TENSOR_U4_ALIGN16] = {"b4x16_p64", 4, false},
	[TENSOR_U6_ALIGN16] = {"b6x16_p32", 6, false},
};

/* Bytes of a swizzle's span, which the innermost dimension of a box may not exceed. */
static const struct {
	const char *name;
	uint32_t span;
} swizzles[TENSOR_SWIZZLES] = {
	[TENSOR_SWIZZLE_NONE] = {"none", 0},
	[TENSOR_SWIZZLE_32] = {"32B", 32},
	[TENSOR_SWIZZLE_64] = {"64B", 64},
	[TENSOR_SWIZZLE_128] = {"128B", 128},
	[TENSOR_SWIZZLE_128_ATOM_32] = {"128B with atoms of 32B", 128},
	[TENSOR_SWIZZLE_128_ATOM_32_FLIP_8] = {"128B with atoms of 32B, 8B flipped", 128},
	[TENSOR_SWIZZLE_128_ATOM_64] = {"128B with atoms of 64B", 128},
};

#define PACKED_ELEMENTS 128 /* of the packed types with gaps: what a box has in its innermost dimension */

struct check {
	const struct tensor_request *request;
	char *problem;
	size_t bytes;
};

uint32_t tensor_type_bits(enum tensor_type type)
{
	assert(type < TENSOR_TYPES);
	return types[type].bits;
}

const char *tensor_type_name(enum tensor_type type)
{
	assert(type < TENSOR_TYPES);
	return types[type].name;
}

__attribute__((format(printf, 2, 3))) static bool wrong(const struct check *c, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(c->problem, c->bytes, format, list);
	va_end(list);
	return false;
}

/* Packed, with gaps in shared memory: these have stricter rules than the third packed type. */
static bool has_gaps(const struct tensor_request *r)
{
	return r->type == TENSOR_U4_ALIGN16 || r->type == TENSOR_U6_ALIGN16;
}

/* What addresses and strides are multiples of, and why it is not 16. */
static uint32_t alignment_of(const struct tensor_request *r, const char **why)
{
	*why = r->interleave == TENSOR_INTERLEAVE_32 ? " with interleave 32B" : "";
	if (!**why && has_gaps(r))
		*why = r->type == TENSOR_U4_ALIGN16 ? " for b4x16_p64" : " for b6x16_p32";
	return **why ? 32 : 16;
}

static bool check_one_of(const struct check *c, const char *what, uint32_t value, uint32_t count)
{
	return value < count || wrong(c, "%s is %" PRIu32 ": 0 to %" PRIu32 " are defined", what, value, count - 1);
}

static bool check_kinds(const struct check *c)
{
	const struct tensor_request *r = c->request;
	return check_one_of(c, "the data type", r->type, TENSOR_TYPES) &&
	       check_one_of(c, "the mode", r->mode, TENSOR_MODES) &&
	       check_one_of(c, "the interleave", r->interleave, TENSOR_INTERLEAVES) &&
	       check_one_of(c, "the swizzle", r->swizzle, TENSOR_SWIZZLES) &&
	       check_one_of(c, "the L2 promotion", r->promotion, 4) &&
	       check_one_of(c, "the fill", r->fill, TENSOR_FILLS) && check_one_of(c, "the wide mode", r->wide_128, 2);
}

static bool check_rank(const struct check *c)
{
	const struct tensor_request *r = c->request;
	const char *why = r->mode != TENSOR_TILED ? " for im2col" : r->interleave ? " with an interleave" : "";
	uint32_t least = *why ? 3 : 1;
	return (r->rank >= least && r->rank <= TENSOR_RANK) ||
	       wrong(c, "the rank is %" PRIu32 ": %" PRIu32 " to %d are allowed%s", r->rank, least, TENSOR_RANK, why);
}

static bool check_tensor(const struct check *c)
{
	const struct tensor_request *r = c->request;
	const char *why;
	uint32_t alignment = alignment_of(r, &why);
	uint32_t multiple = has_gaps(r) ? PACKED_ELEMENTS : r->type == TENSOR_U4_ALIGN8 ? 2 : 1;
	if (r->address % alignment)
		return wrong(c, "the address is 0x%" PRIx64 ": a multiple of %" PRIu32 " is needed%s", r->address,
			alignment, why);
	for (uint32_t k = 0; k < r->rank; k++)
		if (!r->size[k] || r->size[k] > (uint64_t)1 << 32)
			return wrong(c, "the size of dimension %" PRIu32 " is %" PRIu64 ": 1 to 4294967296 are allowed",
				k, r->size[k]);
	if (r->size[0] % multiple)
		return wrong(c, "the size of dimension 0 is %" PRIu64 ": a multiple of %" PRIu32 " is needed for %s",
			r->size[0], multiple, types[r->type].name);
	for (uint32_t k = 1; k < r->rank; k++) {
		uint64_t stride = r->stride[k - 1];
		if (stride % alignment)
			return wrong(c,
				"the stride of dimension %" PRIu32 " is %" PRIu64 " bytes: a multiple of %" PRIu32
				" is needed%s",
				k, stride, alignment, why);
		if (stride >> 40)
			return wrong(c,
				"the stride of dimension %" PRIu32 " is %" PRIu64
				" bytes: less than 1099511627776 is needed",
				k, stride);
	}
	return true;
}

/* TMA knows no step in the innermost dimension, unless that is interleaved. */
static bool ignores_step(const struct tensor_request *r, uint32_t dimension)
{
	return !dimension && !r->interleave;
}

static bool check_steps(const struct check *c)
{
	const struct tensor_request *r = c->request;
	for (uint32_t k = 0; k < r->rank; k++)
		if (!ignores_step(r, k) && (!r->step[k] || r->step[k] > 8))
			return wrong(c,
				"the element stride of dimension %" PRIu32 " is %" PRIu32 ": 1 to 8 are allowed", k,
				r->step[k]);
	return true;
}

static bool check_box(const struct check *c)
{
	const struct tensor_request *r = c->request;
	for (uint32_t k = 0; k < r->rank; k++)
		if (!r->box[k] || r->box[k] > 256)
			return wrong(c,
				"the box has %" PRIu32 " elements in dimension %" PRIu32 ": 1 to 256 are allowed",
				r->box[k], k);
	if (has_gaps(r) && r->box[0] != PACKED_ELEMENTS)
		return wrong(c, "the box has %" PRIu32 " elements in dimension 0: %d are needed for %s", r->box[0],
			PACKED_ELEMENTS, types[r->type].name);
	uint32_t bits = r->box[0] * types[r->type].bits;
	if (!r->interleave && bits % 128)
		return wrong(c,
			"the box has %" PRIu32 " elements of %s in dimension 0, %g bytes: a multiple of 16 is needed",
			r->box[0], types[r->type].name, bits / 8.0);
	return true;
}

/* How far the corners of the pixels' box may be from the tensor's, by its rank; wide: as if it were 3. */
static int32_t farthest(const struct tensor_request *r)
{
	return r->mode == TENSOR_IM2COL_WIDE || r->rank == 3 ? 32768 : r->rank == 4 ? 128 : 16;
}

static bool check_corners(const struct check *c)
{
	static const char names[] = "WHD";
	const struct tensor_request *r = c->request;
	uint32_t count = r->mode == TENSOR_IM2COL_WIDE ? 1 : r->rank - 2;
	int32_t far = farthest(r);
	for (uint32_t k = 0; k < 2 * count; k++) {
		int32_t offset = k < count ? r->lower[k] : r->upper[k - count];
		if (offset < -far || offset >= far)
			return wrong(c,
				"the %s corner's offset in %c is %" PRId32 ": %" PRId32 " to %" PRId32
				" are allowed for rank %" PRIu32,
				k < count ? "lower" : "upper", names[k % count], offset, -far, far - 1, r->rank);
	}
	for (uint32_t k = 0; k < count; k++) {
		int64_t pixels = (int64_t)r->size[k + 1] + r->upper[k] - r->lower[k];
		if (pixels < 1)
			return wrong(c, "the box has %" PRId64 " pixels in %c: at least 1 is needed", pixels, names[k]);
	}
	return true;
}

static bool check_pixels(const struct check *c)
{
	const struct tensor_request *r = c->request;
	if (!r->box[0] || r->box[0] > 256)
		return wrong(c, "%" PRIu32 " channels of a pixel: 1 to 256 are allowed", r->box[0]);
	if (has_gaps(r) && r->box[0] != PACKED_ELEMENTS)
		return wrong(c, "%" PRIu32 " channels of a pixel: %d are needed for %s", r->box[0], PACKED_ELEMENTS,
			types[r->type].name);
	if (!r->wide_128 && (!r->box[1] || r->box[1] > 1024))
		return wrong(c, "%" PRIu32 " pixels of a column: 1 to 1024 are allowed", r->box[1]);
	return true;
}

#define OF(swizzle) (1u << TENSOR_SWIZZLE_##swizzle)

/* The swizzles that go with a type or a mode; `expected`: the same in words; null: any. */
static uint32_t allowed_swizzles(const struct tensor_request *r, const char **expected)
{
	bool is_wide = r->mode == TENSOR_IM2COL_WIDE;
	*expected = NULL;
	if (has_gaps(r) && is_wide) {
		*expected = "128B, or 128B with atoms of 32B, is needed for packed types in wide im2col";
		return OF(128) | OF(128_ATOM_32);
	}
	if (is_wide) {
		*expected = "64B, 128B, or 128B with atoms of 32B, is needed in wide im2col";
		return OF(64) | OF(128) | OF(128_ATOM_32);
	}
	if (r->type == TENSOR_U6_ALIGN16) {
		*expected = "none, 128B, or 128B with atoms of 32B or 64B, is needed for b6x16_p32";
		return OF(NONE) | OF(128) | OF(128_ATOM_32) | OF(128_ATOM_64);
	}
	if (r->type == TENSOR_U4_ALIGN16) {
		*expected = "none, 128B, or 128B with atoms of 32B, is needed for b4x16_p64";
		return OF(NONE) | OF(128) | OF(128_ATOM_32);
	}
	return UINT32_MAX;
}

static bool check_swizzle(const struct check *c)
{
	const struct tensor_request *r = c->request;
	const char *expected, *name = swizzles[r->swizzle].name;
	uint32_t span = swizzles[r->swizzle].span, bits = r->box[0] * types[r->type].bits;
	if (r->interleave == TENSOR_INTERLEAVE_32 && r->swizzle != TENSOR_SWIZZLE_32)
		return wrong(c, "the swizzle is %s: 32B is needed with interleave 32B", name);
	if (!(allowed_swizzles(r, &expected) >> r->swizzle & 1))
		return wrong(c, "the swizzle is %s: %s", name, expected);
	if (!r->interleave && span && bits > span * 8)
		return wrong(c, "the box has %g bytes in dimension 0: at most %" PRIu32 " are allowed with swizzle %s",
			bits / 8.0, span, name);
	return true;
}

static bool check_fill(const struct check *c)
{
	const struct tensor_request *r = c->request;
	if (r->type == TENSOR_U6_ALIGN16 && r->interleave)
		return wrong(c, "the interleave is %s: none is allowed for b6x16_p32",
			r->interleave == TENSOR_INTERLEAVE_16 ? "16B" : "32B");
	return r->fill == TENSOR_FILL_ZERO || types[r->type].is_float ||
	       wrong(c, "the fill is NaN, the data type %s: a floating-point type is needed", types[r->type].name);
}

static bool check_all(const struct check *c)
{
	bool is_tiled = c->request->mode == TENSOR_TILED;
	assert(c->problem && c->bytes);
	return check_kinds(c) && check_rank(c) && check_fill(c) && check_tensor(c) &&
	       (is_tiled ? check_box(c) : check_corners(c) && check_pixels(c)) && check_steps(c) && check_swizzle(c);
}

bool tensor_map_make(const struct tensor_request *r, struct tensor_map *map, char *problem, size_t bytes)
{
	assert(r && map);
	if (!check_all(&(struct check){r, problem, bytes}))
		return false;
	*map = (struct tensor_map){.address = r->address,
		.magic = TENSOR_MAP_MAGIC,
		.mode = (uint8_t)r->mode,
		.type = (uint8_t)r->type,
		.rank = (uint8_t)r->rank,
		.interleave = (uint8_t)r->interleave,
		.swizzle = (uint8_t)r->swizzle,
		.promotion = (uint8_t)r->promotion,
		.fill = (uint8_t)r->fill,
		.wide_128 = (uint8_t)(r->mode == TENSOR_IM2COL_WIDE && r->wide_128)};
	uint32_t box_numbers = r->mode == TENSOR_TILED ? r->rank : 2;
	uint32_t corner_numbers = r->mode == TENSOR_TILED ? 0 : r->mode == TENSOR_IM2COL ? r->rank - 2 : 1;
	for (uint32_t k = 0; k < r->rank; k++) {
		map->size[k] = r->size[k];
		map->step[k] = ignores_step(r, k) ? 1 : (uint8_t)r->step[k];
	}
	for (uint32_t k = 1; k < r->rank; k++)
		map->stride[k - 1] = r->stride[k - 1];
	for (uint32_t k = 0; k < box_numbers; k++)
		map->box[k] = (uint16_t)r->box[k];
	if (map->wide_128)
		map->box[1] = 128;
	for (uint32_t k = 0; k < corner_numbers; k++) {
		map->lower[k] = (int16_t)r->lower[k];
		map->upper[k] = (int16_t)r->upper[k];
	}
	return true;
}

bool tensor_map_check(const struct tensor_map *map, char *problem, size_t bytes)
{
	assert(map);
	struct tensor_request r = {.address = map->address,
		.mode = map->mode,
		.type = map->type,
		.rank = map->rank,
		.interleave = map->interleave,
		.swizzle = map->swizzle,
		.promotion = map->promotion,
		.fill = map->fill,
		.wide_128 = map->wide_128};
	for (uint32_t k = 0; k < TENSOR_RANK; k++) {
		r.size[k] = map->size[k];
		r.box[k] = map->box[k];
		r.step[k] = map->step[k];
	}
	for (uint32_t k = 0; k < TENSOR_RANK - 1; k++)
		r.stride[k] = map->stride[k];
	for (uint32_t k = 0; k < TENSOR_RANK - 2; k++) {
		r.lower[k] = map->lower[k];
		r.upper[k] = map->upper[k];
	}
	struct check c = {&r, problem, bytes};
	return check_all(&c) && (map->atom <= TENSOR_SWIZZLE_128_ATOM_64 - TENSOR_SWIZZLE_128 ||
					wrong(&c, "the swizzle's atom is %u: 0 to 3 is needed", map->atom));
}
