/* Tensor maps: each rule of the driver's, broken by one number and kept by the next; and that a map holds what was
 * given. */
#include "util/tensor_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BASE(...)                                                                                                      \
	{                                                                                                              \
		.address = 0x1000, .stride = {256, 4096, 65536, 1048576}, .size = {128, 16, 24, 16, 16},               \
		.step = {1, 1, 1, 1, 1}, .type = TENSOR_F16, __VA_ARGS__                                               \
	}
static const struct tensor_request tiled = BASE(.rank = 5, .box = {64, 8, 4, 2, 1}, .swizzle = TENSOR_SWIZZLE_128);
static const struct tensor_request im2col = BASE(.rank = 4, .mode = TENSOR_IM2COL, .box = {64, 32}, .lower = {-1, -1},
	.upper = {-1, -1}, .swizzle = TENSOR_SWIZZLE_128);
static const struct tensor_request wide = BASE(.rank = 4, .mode = TENSOR_IM2COL_WIDE, .box = {64, 32}, .lower = {-1},
	.upper = {-1}, .swizzle = TENSOR_SWIZZLE_128);

/* A number of the request, and what it becomes. */
struct change {
	size_t offset, bytes;
	uint64_t value;
};
#define TO(member, value)                                                                                              \
	{                                                                                                              \
		offsetof(struct tensor_request, member), sizeof((struct tensor_request *)0)->member, value             \
	}

static const struct row {
	const struct tensor_request *base;
	struct change changes[5];
	const char *problem; /* null: none */
} rows[] = {
	/* What there is */
	{&tiled, {TO(type, 16)}, "the data type is 16: 0 to 15 are defined"},
	{&tiled, {TO(mode, 3)}, "the mode is 3: 0 to 2 are defined"},
	{&tiled, {TO(interleave, 3)}, "the interleave is 3: 0 to 2 are defined"},
	{&tiled, {TO(swizzle, 7)}, "the swizzle is 7: 0 to 6 are defined"},
	{&tiled, {TO(promotion, 4)}, "the L2 promotion is 4: 0 to 3 are defined"},
	{&tiled, {TO(promotion, 3)}, NULL},
	{&tiled, {TO(fill, 2)}, "the fill is 2: 0 to 1 are defined"},
	{&wide, {TO(wide_128, 2)}, "the wide mode is 2: 0 to 1 are defined"},
	/* Rank */
	{&tiled, {TO(rank, 0)}, "the rank is 0: 1 to 5 are allowed"},
	{&tiled, {TO(rank, 6)}, "the rank is 6: 1 to 5 are allowed"},
	{&tiled, {TO(rank, 1)}, NULL},
	{&tiled, {TO(rank, 2), TO(interleave, 1)}, "the rank is 2: 3 to 5 are allowed with an interleave"},
	{&tiled, {TO(rank, 3), TO(interleave, 1)}, NULL},
	{&im2col, {TO(rank, 2)}, "the rank is 2: 3 to 5 are allowed for im2col"},
	{&im2col, {TO(rank, 3)}, NULL},
	{&im2col, {TO(rank, 5)}, NULL},
	{&wide, {TO(rank, 2)}, "the rank is 2: 3 to 5 are allowed for im2col"},
	/* Address */
	{&tiled, {TO(address, 0x1008)}, "the address is 0x1008: a multiple of 16 is needed"},
	{&tiled, {TO(address, 0x1010)}, NULL},
	{&tiled, {TO(address, 0)}, NULL},
	{&tiled, {TO(address, 0x1010), TO(interleave, 2), TO(swizzle, 1)},
		"the address is 0x1010: a multiple of 32 is needed with interleave 32B"},
	{&tiled, {TO(address, 0x1020), TO(interleave, 2), TO(swizzle, 1)}, NULL},
	{&tiled, {TO(address, 0x1010), TO(type, TENSOR_U4_ALIGN16), TO(box[0], 128)},
		"the address is 0x1010: a multiple of 32 is needed for b4x16_p64"},
	{&tiled, {TO(address, 0x1010), TO(type, TENSOR_U6_ALIGN16), TO(box[0], 128)},
		"the address is 0x1010: a multiple of 32 is needed for b6x16_p32"},
	{&tiled, {TO(address, 0x1010), TO(type, TENSOR_U4_ALIGN8)}, NULL},
	/* Sizes */
	{&tiled, {TO(size[4], 0)}, "the size of dimension 4 is 0: 1 to 4294967296 are allowed"},
	{&tiled, {TO(size[0], 0)}, "the size of dimension 0 is 0: 1 to 4294967296 are allowed"},
	{&tiled, {TO(size[0], 127)}, NULL},
	{&tiled, {TO(size[1], 4294967297)}, "the size of dimension 1 is 4294967297: 1 to 4294967296 are allowed"},
	{&tiled, {TO(size[1], 4294967296)}, NULL},
	{&tiled, {TO(size[4], 0), TO(rank, 4)}, NULL},
	{&tiled, {TO(size[0], 64), TO(type, TENSOR_U4_ALIGN16), TO(box[0], 128)},
		"the size of dimension 0 is 64: a multiple of 128 is needed for b4x16_p64"},
	{&tiled, {TO(size[0], 192), TO(type, TENSOR_U6_ALIGN16), TO(box[0], 128)},
		"the size of dimension 0 is 192: a multiple of 128 is needed for b6x16_p32"},
	{&tiled, {TO(size[0], 256), TO(type, TENSOR_U6_ALIGN16), TO(box[0], 128)}, NULL},
	{&tiled, {TO(size[0], 63), TO(type, TENSOR_U4_ALIGN8)},
		"the size of dimension 0 is 63: a multiple of 2 is needed for b4x16"},
	{&tiled, {TO(size[0], 62), TO(type, TENSOR_U4_ALIGN8)}, NULL},
	/* Strides */
	{&tiled, {TO(stride[0], 20)}, "the stride of dimension 1 is 20 bytes: a multiple of 16 is needed"},
	{&tiled, {TO(stride[3], 24)}, "the stride of dimension 4 is 24 bytes: a multiple of 16 is needed"},
	{&tiled, {TO(stride[3], 24), TO(rank, 4)}, NULL},
	{&tiled, {TO(stride[1], 0)}, NULL},
	{&tiled, {TO(stride[1], (uint64_t)1 << 40)},
		"the stride of dimension 2 is 1099511627776 bytes: less than 1099511627776 is needed"},
	{&tiled, {TO(stride[1], ((uint64_t)1 << 40) - 16)}, NULL},
	{&tiled, {TO(stride[0], 48), TO(interleave, 2), TO(swizzle, 1)},
		"the stride of dimension 1 is 48 bytes: a multiple of 32 is needed with interleave 32B"},
	{&tiled, {TO(stride[0], 48), TO(interleave, 1)}, NULL},
	{&tiled, {TO(stride[0], 48), TO(type, TENSOR_U6_ALIGN16), TO(box[0], 128)},
		"the stride of dimension 1 is 48 bytes: a multiple of 32 is needed for b6x16_p32"},
	{&tiled, {TO(stride[0], 48), TO(type, TENSOR_U4_ALIGN16), TO(box[0], 128)},
		"the stride of dimension 1 is 48 bytes: a multiple of 32 is needed for b4x16_p64"},
	/* Boxes */
	{&tiled, {TO(box[0], 0)}, "the box has 0 elements in dimension 0: 1 to 256 are allowed"},
	{&tiled, {TO(box[1], 0)}, "the box has 0 elements in dimension 1: 1 to 256 are allowed"},
	{&tiled, {TO(box[4], 257)}, "the box has 257 elements in dimension 4: 1 to 256 are allowed"},
	{&tiled, {TO(box[4], 65536 + 8)}, "the box has 65544 elements in dimension 4: 1 to 256 are allowed"},
	{&tiled, {TO(box[4], 256)}, NULL},
	{&tiled, {TO(box[4], 257), TO(rank, 4)}, NULL},
	{&tiled, {TO(box[0], 12)},
		"the box has 12 elements of f16 in dimension 0, 24 bytes: a multiple of 16 is needed"},
	{&tiled, {TO(box[0], 12), TO(interleave, 1)}, NULL},
	{&tiled, {TO(box[0], 17), TO(type, TENSOR_U4_ALIGN8)},
		"the box has 17 elements of b4x16 in dimension 0, 8.5 bytes: a multiple of 16 is needed"},
	{&tiled, {TO(box[0], 64), TO(type, TENSOR_U4_ALIGN16)},
		"the box has 64 elements in dimension 0: 128 are needed for b4x16_p64"},
	{&tiled, {TO(box[0], 256), TO(type, TENSOR_U6_ALIGN16)},
		"the box has 256 elements in dimension 0: 128 are needed for b6x16_p32"},
	/* Steps */
	{&tiled, {TO(step[1], 0)}, "the element stride of dimension 1 is 0: 1 to 8 are allowed"},
	{&tiled, {TO(step[4], 9)}, "the element stride of dimension 4 is 9: 1 to 8 are allowed"},
	{&tiled, {TO(step[4], 256 + 1)}, "the element stride of dimension 4 is 257: 1 to 8 are allowed"},
	{&tiled, {TO(step[4], 8)}, NULL},
	{&tiled, {TO(step[0], 0)}, NULL},
	{&tiled, {TO(step[0], 9), TO(interleave, 1)}, "the element stride of dimension 0 is 9: 1 to 8 are allowed"},
	/* Swizzles */
	{&tiled, {TO(box[0], 72)}, "the box has 144 bytes in dimension 0: at most 128 are allowed with swizzle 128B"},
	{&tiled, {TO(box[0], 40), TO(swizzle, TENSOR_SWIZZLE_64)},
		"the box has 80 bytes in dimension 0: at most 64 are allowed with swizzle 64B"},
	{&tiled, {TO(box[0], 24), TO(swizzle, TENSOR_SWIZZLE_32)},
		"the box has 48 bytes in dimension 0: at most 32 are allowed with swizzle 32B"},
	{&tiled, {TO(box[0], 16), TO(swizzle, TENSOR_SWIZZLE_32)}, NULL},
	{&tiled, {TO(box[0], 72), TO(swizzle, TENSOR_SWIZZLE_128_ATOM_64)},
		"the box has 144 bytes in dimension 0: at most 128 are allowed with swizzle 128B with atoms of 64B"},
	{&tiled, {TO(box[0], 256), TO(swizzle, TENSOR_SWIZZLE_NONE)}, NULL},
	{&tiled, {TO(box[0], 128), TO(interleave, 1)}, NULL},
	{&tiled, {TO(interleave, 2)}, "the swizzle is 128B: 32B is needed with interleave 32B"},
	{&tiled, {TO(type, TENSOR_U6_ALIGN16), TO(box[0], 128), TO(swizzle, TENSOR_SWIZZLE_64)},
		"the swizzle is 64B: none, 128B, or 128B with atoms of 32B or 64B, is needed for b6x16_p32"},
	{&tiled, {TO(type, TENSOR_U6_ALIGN16), TO(box[0], 128), TO(swizzle, TENSOR_SWIZZLE_128_ATOM_64)}, NULL},
	{&tiled, {TO(type, TENSOR_U4_ALIGN16), TO(box[0], 128), TO(swizzle, TENSOR_SWIZZLE_128_ATOM_64)},
		"the swizzle is 128B with atoms of 64B: none, 128B, or 128B with atoms of 32B, is needed for "
		"b4x16_p64"},
	{&tiled, {TO(type, TENSOR_U4_ALIGN16), TO(box[0], 128), TO(swizzle, TENSOR_SWIZZLE_NONE)}, NULL},
	{&wide, {TO(swizzle, TENSOR_SWIZZLE_32), TO(box[0], 16)},
		"the swizzle is 32B: 64B, 128B, or 128B with atoms of 32B, is needed in wide im2col"},
	{&wide, {TO(swizzle, TENSOR_SWIZZLE_NONE)},
		"the swizzle is none: 64B, 128B, or 128B with atoms of 32B, is needed in wide im2col"},
	{&wide, {TO(swizzle, TENSOR_SWIZZLE_64), TO(box[0], 32)}, NULL},
	{&wide, {TO(swizzle, TENSOR_SWIZZLE_64), TO(box[0], 128), TO(type, TENSOR_U4_ALIGN16)},
		"the swizzle is 64B: 128B, or 128B with atoms of 32B, is needed for packed types in wide im2col"},
	/* Fill and interleave */
	{&tiled, {TO(fill, 1)}, NULL},
	{&tiled, {TO(fill, 1), TO(type, TENSOR_S32), TO(box[0], 32)},
		"the fill is NaN, the data type s32: a floating-point type is needed"},
	{&tiled, {TO(fill, 1), TO(type, TENSOR_U4_ALIGN8)},
		"the fill is NaN, the data type b4x16: a floating-point type is needed"},
	{&tiled, {TO(fill, 1), TO(type, TENSOR_TF32_FTZ), TO(box[0], 32)}, NULL},
	{&tiled, {TO(interleave, 1), TO(type, TENSOR_U6_ALIGN16), TO(box[0], 128)},
		"the interleave is 16B: none is allowed for b6x16_p32"},
	/* im2col */
	{&im2col, {TO(lower[0], (uint64_t)-32769), TO(rank, 3)},
		"the lower corner's offset in W is -32769: -32768 to 32767 are allowed for rank 3"},
	{&im2col, {TO(lower[0], (uint64_t)-32768), TO(rank, 3)}, NULL},
	{&im2col, {TO(lower[0], (uint64_t)-129)},
		"the lower corner's offset in W is -129: -128 to 127 are allowed for rank 4"},
	{&im2col, {TO(upper[0], 128)}, "the upper corner's offset in W is 128: -128 to 127 are allowed for rank 4"},
	{&im2col, {TO(lower[1], (uint64_t)-129)},
		"the lower corner's offset in H is -129: -128 to 127 are allowed for rank 4"},
	{&im2col, {TO(upper[1], 128)}, "the upper corner's offset in H is 128: -128 to 127 are allowed for rank 4"},
	{&im2col, {TO(upper[1], 127)}, NULL},
	{&im2col, {TO(upper[2], 16), TO(rank, 5)},
		"the upper corner's offset in D is 16: -16 to 15 are allowed for rank 5"},
	{&im2col, {TO(lower[2], (uint64_t)-17), TO(rank, 5)},
		"the lower corner's offset in D is -17: -16 to 15 are allowed for rank 5"},
	{&im2col, {TO(upper[2], 200)}, NULL},
	{&im2col, {TO(lower[0], 1), TO(upper[0], (uint64_t)-15)}, "the box has 0 pixels in W: at least 1 is needed"},
	{&im2col, {TO(lower[0], 0), TO(upper[0], (uint64_t)-15)}, NULL},
	{&im2col, {TO(lower[1], 30)}, "the box has -7 pixels in H: at least 1 is needed"},
	{&im2col, {TO(box[0], 257)}, "257 channels of a pixel: 1 to 256 are allowed"},
	{&im2col, {TO(box[0], 256), TO(swizzle, TENSOR_SWIZZLE_NONE)}, NULL},
	{&im2col, {TO(box[0], 0)}, "0 channels of a pixel: 1 to 256 are allowed"},
	{&im2col, {TO(box[0], 72)}, "the box has 144 bytes in dimension 0: at most 128 are allowed with swizzle 128B"},
	{&im2col, {TO(box[0], 64), TO(type, TENSOR_U6_ALIGN16)},
		"64 channels of a pixel: 128 are needed for b6x16_p32"},
	{&im2col, {TO(box[1], 1025)}, "1025 pixels of a column: 1 to 1024 are allowed"},
	{&im2col, {TO(box[1], 0)}, "0 pixels of a column: 1 to 1024 are allowed"},
	{&im2col, {TO(box[1], 1024)}, NULL},
	{&wide, {TO(box[1], 1025)}, "1025 pixels of a column: 1 to 1024 are allowed"},
	{&wide, {TO(box[1], 1025), TO(wide_128, 1)}, NULL},
	{&wide, {TO(lower[0], (uint64_t)-32769)},
		"the lower corner's offset in W is -32769: -32768 to 32767 are allowed for rank 4"},
	{&wide, {TO(lower[0], (uint64_t)-32768)}, NULL},
	{&wide, {TO(lower[1], 200)}, NULL},
	{&wide, {TO(upper[0], (uint64_t)-17)}, "the box has 0 pixels in W: at least 1 is needed"},
};

static struct tensor_request changed(const struct row *row)
{
	struct tensor_request r = *row->base;
	for (const struct change *c = row->changes; c < row->changes + 5 && c->bytes; c++)
		memcpy((char *)&r + c->offset, &c->value, c->bytes); /* the low bytes */
	return r;
}

static void rules(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct tensor_request r = changed(&rows[k]);
		struct tensor_map map;
		char problem[160] = "", again[160] = "";
		bool good = tensor_map_make(&r, &map, problem, sizeof problem);
		assert_string_equal(problem, rows[k].problem ? rows[k].problem : "");
		assert_int_equal(good, !rows[k].problem);
		if (good)
			assert_true(tensor_map_check(&map, again, sizeof again));
		assert_string_equal(again, "");
	}
}

/* A map whose fields were replaced is held to the same rules. */
static void checks(void **state)
{
	(void)state;
	struct tensor_map map;
	char problem[160] = "";
	assert_true(tensor_map_make(&tiled, &map, problem, sizeof problem));
	map.stride[3] = 8;
	assert_false(tensor_map_check(&map, problem, sizeof problem));
	assert_string_equal(problem, "the stride of dimension 4 is 8 bytes: a multiple of 16 is needed");
	assert_true(tensor_map_make(&im2col, &map, problem, sizeof problem));
	map.lower[1] = -129;
	assert_false(tensor_map_check(&map, problem, sizeof problem));
	assert_string_equal(problem, "the lower corner's offset in H is -129: -128 to 127 are allowed for rank 4");
	map.lower[0] = 128;
	assert_false(tensor_map_check(&map, problem, sizeof problem));
	assert_string_equal(problem, "the lower corner's offset in W is 128: -128 to 127 are allowed for rank 4");
	map.lower[0] = map.lower[1] = -1;
	map.stride[0] = 8;
	assert_false(tensor_map_check(&map, problem, sizeof problem));
	assert_string_equal(problem, "the stride of dimension 1 is 8 bytes: a multiple of 16 is needed");
	map.stride[0] = 16;
	map.box[1] = 2000;
	assert_false(tensor_map_check(&map, problem, 10));
	assert_string_equal(problem, "2000 pixe");
}

static void contents(void **state)
{
	(void)state;
	struct tensor_request r = tiled;
	struct tensor_map map, other;
	char problem[160];
	r.step[0] = 5; /* ignored, as there is no interleave */
	r.step[2] = 2;
	r.rank = 4;
	r.lower[0] = 1; /* of other modes */
	r.wide_128 = 1;
	r.promotion = 2;
	r.fill = TENSOR_FILL_NAN;
	assert_true(tensor_map_make(&r, &map, problem, sizeof problem));
	const struct tensor_map expected = {.address = 0x1000,
		.stride = {256, 4096, 65536},
		.size = {128, 16, 24, 16},
		.magic = TENSOR_MAP_MAGIC,
		.box = {64, 8, 4, 2},
		.step = {1, 1, 2, 1},
		.mode = TENSOR_TILED,
		.type = TENSOR_F16,
		.rank = 4,
		.swizzle = TENSOR_SWIZZLE_128,
		.promotion = 2,
		.fill = TENSOR_FILL_NAN};
	assert_memory_equal(&map, &expected, sizeof map);
	r = im2col;
	r.box[2] = 7;
	assert_true(tensor_map_make(&r, &map, problem, sizeof problem));
	const struct tensor_map columns = {.address = 0x1000,
		.stride = {256, 4096, 65536},
		.size = {128, 16, 24, 16},
		.magic = TENSOR_MAP_MAGIC,
		.box = {64, 32},
		.lower = {-1, -1},
		.upper = {-1, -1},
		.step = {1, 1, 1, 1},
		.mode = TENSOR_IM2COL,
		.type = TENSOR_F16,
		.rank = 4,
		.swizzle = TENSOR_SWIZZLE_128};
	assert_memory_equal(&map, &columns, sizeof map);
	r = wide;
	r.wide_128 = 1;
	r.lower[1] = 3;
	assert_true(tensor_map_make(&r, &other, problem, sizeof problem));
	assert_true(other.wide_128 == 1 && other.box[1] == 128 && other.lower[0] == -1 && other.lower[1] == 0);
}

static void types(void **state)
{
	(void)state;
	assert_int_equal(tensor_type_bits(TENSOR_U8), 8);
	assert_int_equal(tensor_type_bits(TENSOR_S64), 64);
	assert_int_equal(tensor_type_bits(TENSOR_BF16), 16);
	assert_int_equal(tensor_type_bits(TENSOR_TF32), 32);
	assert_int_equal(tensor_type_bits(TENSOR_U4_ALIGN16), 4);
	assert_int_equal(tensor_type_bits(TENSOR_U6_ALIGN16), 6);
	assert_string_equal(tensor_type_name(TENSOR_F32_FTZ), "f32.ftz");
	assert_string_equal(tensor_type_name(TENSOR_U6_ALIGN16), "b6x16_p32");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
		cmocka_unit_test(checks),
		cmocka_unit_test(contents),
		cmocka_unit_test(types),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
