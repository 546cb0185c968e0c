/* --arg, --dump, --grid: every form of the grammar, and one clear line for every breach of it. */
#include "cli/arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static struct argument read_good(const char *text)
{
	struct diagnostic diagnostic = {0};
	struct argument argument;
	bool good = argument_read(&arena, text, &argument, &diagnostic);
	assert_string_equal(diagnostic.message, "");
	assert_true(good);
	return argument;
}

static void values(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bits;
	} rows[] = {
		{"u32:42", 42},
		{"u32:4294967295", 0xffffffff},
		{"s32:-1", 0xffffffff},
		{"s64:-9223372036854775808", 0x8000000000000000},
		{"u64:18446744073709551615", UINT64_MAX},
		{"u8:255", 255},
		{"s16:-2", 0xfffe},
		{"f32:1.5", 0x3fc00000},
		{"f32:-0", 0x80000000},
		{"f32:inf", 0x7f800000},
		{"f64:-2.5e-3", 0xbf647ae147ae147b},
		{"f16:1", 0x3c00},
		{"f16:65504", 0x7bff},
		{"f16:65520", 0x7c00},
		{"f16:5.9604644775390625e-8", 1},
		{"f16:0", 0},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct argument argument = read_good(rows[k].text);
		assert_int_equal(argument.kind, ARGUMENT_VALUE);
		assert_true(argument.bits == rows[k].bits);
	}
}

static void buffers(void **state)
{
	(void)state;
	struct argument a = read_good("buf:out:u32:16");
	assert_int_equal(a.kind, ARGUMENT_BUFFER);
	assert_string_equal(a.name, "out");
	assert_string_equal(a.type->name, "u32");
	assert_int_equal(a.count, 16);
	assert_int_equal(a.fill.kind, FILL_NONE);
	assert_int_equal(read_good("buf:a:u8:1:zero").fill.kind, FILL_ZERO);
	assert_int_equal(read_good("buf:a:f64:1:iota").fill.kind, FILL_IOTA);
	a = read_good("buf:a:u64:2:fill=-1");
	assert_int_equal(a.fill.kind, FILL_VALUE);
	assert_true(a.fill.bits == UINT64_MAX);
	assert_int_equal(read_good("buf:a:u16:2:fill=-1").fill.bits, 0xffff);
	a = read_good("buf:a:s8:2:random=7,-3,4");
	assert_int_equal(a.fill.kind, FILL_RANDOM);
	assert_true(a.fill.bounded && a.fill.low == (uint64_t)-3 && a.fill.width == 7);
	assert_int_equal(read_good("buf:a:u8:2:random=7,0,256").fill.width, 256);
	assert_false(read_good("buf:a:u32:2:random=7").fill.bounded);
	a = read_good("buf:a:f32:2:random=7,-0.5,1e3");
	assert_true(a.fill.from == -0.5 && a.fill.to == 1000);
	a = read_good("buf:a:f32:2:file=/tmp/a:b");
	assert_string_equal(a.fill.path, "/tmp/a:b");
	a = read_good("ref:out-1.x");
	assert_int_equal(a.kind, ARGUMENT_REFERENCE);
	assert_string_equal(a.name, "out-1.x");
	a = read_good("tex:a:a2d=8x4x2:s16x4:linear,normalized,border=0.5,levels=2");
	assert_int_equal(a.kind, ARGUMENT_IMAGE);
	assert_string_equal(a.name, "a");
	assert_true(a.image->layered && a.image->linear && a.image->normalized && a.image->border[3] == 0.5f);
	assert_int_equal(a.image->addressing[1], LOCKSTEP_ADDRESS_BORDER);
	assert_int_equal(a.image->level[0].slice_bytes, 256);
	assert_int_equal(a.image->level[1].address, 512);
	assert_int_equal(a.image->level[1].height, 2);
	assert_int_equal(a.image->level[1].depth, 2);
}

static void tensors(void **state)
{
	(void)state;
	struct argument a = read_good("tensor:a:f16:64x32:128:64x8");
	assert_int_equal(a.kind, ARGUMENT_TENSOR);
	assert_string_equal(a.name, "a");
	const struct tensor_request *t = a.tensor;
	assert_true(!a.count && !t->address && t->rank == 2 && t->type == TENSOR_F16 && t->mode == TENSOR_TILED);
	assert_true(t->size[0] == 64 && t->size[1] == 32 && t->stride[0] == 128 && t->box[0] == 64 && t->box[1] == 8);
	assert_true(t->step[0] == 1 && t->step[1] == 1 && !t->swizzle && !t->fill && !t->interleave);
	t = read_good("tensor:a:tf32:8x4x2:dense:4x2x1:32:nan:steps=1x2x8").tensor;
	assert_true(
		t->type == TENSOR_TF32 && t->stride[0] == 32 && t->stride[1] == 128 && t->swizzle == TENSOR_SWIZZLE_32);
	assert_true(t->fill == TENSOR_FILL_NAN && t->step[1] == 2 && t->step[2] == 8);
	t = read_good("tensor:a:bf16:16x4x2x2x2:dense:8x4x2x1x1:interleave=32:32").tensor;
	assert_true(t->rank == 5 && t->interleave == TENSOR_INTERLEAVE_32 && t->swizzle == TENSOR_SWIZZLE_32);
	assert_int_equal(
		read_good("tensor:a:u8:16x4x2:dense:16x4x2:interleave=16").tensor->interleave, TENSOR_INTERLEAVE_16);
	t = read_good("tensor:a:f16:64x16x16x2:dense:64x32:128:im2col=-1x-2,-3x4").tensor;
	assert_true(t->mode == TENSOR_IM2COL && t->box[0] == 64 && t->box[1] == 32);
	assert_true(t->lower[0] == -1 && t->lower[1] == -2 && t->upper[0] == -3 && t->upper[1] == 4);
	t = read_good("tensor:a:f16:64x16x16x2:dense:64x32:128:wide=-1,2").tensor;
	assert_true(t->mode == TENSOR_IM2COL_WIDE && !t->wide_128 && t->lower[0] == -1 && t->upper[0] == 2);
	assert_true(read_good("tensor:a:f16:64x16x16x2:dense:64x32:128:wide128=-1,2").tensor->wide_128 == 1);
	static const char *const swizzles[] = {
		"none", "32", "64", "128", "128-atom32", "128-atom32-flip8", "128-atom64"};
	for (uint32_t k = 0; k < TENSOR_SWIZZLES; k++)
		assert_int_equal(
			read_good(arena_printf(&arena, "tensor:a:u8:16:dense:16:%s", swizzles[k])).tensor->swizzle, k);
}

/* Buffers that tensors make: from the first byte to the last, in elements of what the buffer holds. */
static void tensor_buffers(void **state)
{
	(void)state;
	static const struct {
		const char *text, *type;
		uint64_t count;
		enum fill_kind fill;
	} rows[] = {
		{"tensor:a:f16:64x32:128:64x8:new", "f16", 2048, FILL_NONE},
		{"tensor:a:f16:64x32:144:64x8:new=iota", "f16", 31 * 72 + 64, FILL_IOTA},
		{"tensor:a:s64:7:dense:2:64:new=fill=-1", "s64", 7, FILL_VALUE},
		{"tensor:a:bf16:8x2:dense:8x1:new=random=1,2,3", "u16", 16, FILL_RANDOM},
		{"tensor:a:tf32.ftz:8x2:dense:8x1:new=random=1,2,3", "f32", 16, FILL_RANDOM},
		{"tensor:a:b4x16:34x2:32:32x1:new=zero", "u8", 49, FILL_ZERO},
		{"tensor:a:b6x16_p32:128:dense:128:none:zero:new=file=a:b", "u8", 96, FILL_FILE},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct argument a = read_good(rows[k].text);
		assert_int_equal(a.kind, ARGUMENT_TENSOR);
		assert_string_equal(a.type->name, rows[k].type);
		assert_int_equal(a.count, rows[k].count);
		assert_int_equal(a.fill.kind, rows[k].fill);
	}
	assert_string_equal(read_good(rows[6].text).fill.path, "a:b");
}

static void refusals(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"", "expected TYPE:VALUE, buf:NAME:TYPE:COUNT[:CONTENTS], ref:NAME, tex:, surf: or tensor:"},
		{"u32", "expected TYPE:VALUE, buf:NAME:TYPE:COUNT[:CONTENTS], ref:NAME, tex:, surf: or tensor:"},
		{"u31:1",
			"unknown type 'u31', expected buf, ref, u8, s8, u16, s16, u32, s32, u64, s64, f16, f32 or f64"},
		{"u32:", "bad value '', expected a whole number from 0 to 4294967295"},
		{"u32:-1", "bad value '-1', expected a whole number from 0 to 4294967295"},
		{"u32:4294967296", "bad value '4294967296', expected a whole number from 0 to 4294967295"},
		{"s8:128", "bad value '128', expected a whole number from -128 to 127"},
		{"u64:18446744073709551616",
			"bad value '18446744073709551616', expected a whole number from 0 to 18446744073709551615"},
		{"s64:9223372036854775808", "bad value '9223372036854775808', expected a whole number from "
					    "-9223372036854775808 to 9223372036854775807"},
		{"f32:x", "bad value 'x', expected a number such as 1.5, -2e-3, nan, inf or -inf"},
		{"buf:a:u32", "a part is missing, expected buf:NAME:TYPE:COUNT[:CONTENTS]"},
		{"buf::u32:1", "bad name '', expected letters, digits, '_', '-' and '.'"},
		{"buf:a b:u32:1", "bad name 'a b', expected letters, digits, '_', '-' and '.'"},
		{"buf:a:b32:1", "unknown type 'b32', expected u8, s8, u16, s16, u32, s32, u64, s64, f16, f32 or f64"},
		{"buf:a:u32:0", "bad count '0', expected a whole number from 1 to 18446744073709551615"},
		{"buf:a:u32:18446744073709551615", "bad count '18446744073709551615', no GPU has that much memory"},
		{"buf:a:u32:1:ones",
			"bad contents 'ones', expected zero, fill=V, iota, random=SEED[,LOW,HIGH] or file=PATH"},
		{"buf:a:u32:1:file=",
			"bad contents 'file=', expected zero, fill=V, iota, random=SEED[,LOW,HIGH] or file=PATH"},
		{"buf:a:u8:1:fill=256", "bad value '256', expected a whole number from -128 to 255"},
		{"buf:a:f32:1:random=1", "random needs bounds for f32, expected random=SEED,LOW,HIGH"},
		{"buf:a:u32:1:random=", "bad seed '', expected a whole number from 0 to 18446744073709551615"},
		{"buf:a:u32:1:random=1,2", "bad random '1,2', expected SEED or SEED,LOW,HIGH"},
		{"buf:a:u32:1:random=1,2,2",
			"bad bounds 2,2, expected the lower one first (the upper one is excluded)"},
		{"buf:a:u32:1:random=1,-1,2", "bad lower bound '-1', expected a whole number from 0 to 4294967295"},
		{"buf:a:f32:1:random=1,0,inf", "bad bounds 0,inf, expected finite numbers, the lower one first"},
		{"buf:a:u32:1:random=1,2,3,4", "bad upper bound '3,4', expected a whole number from 0 to 4294967296"},
		{"tex:a:2d=8x4", "a part is missing, expected tex:BUFFER:SHAPE:FORMAT"},
		{"surf:a", "a part is missing, expected surf:BUFFER:SHAPE:FORMAT"},
		{"tex:a:2d=8:u8", "bad shape '2d=8', expected 1d=W, 2d=WxH, 3d=WxHxD, a1d=WxL, a2d=WxHxL, cube=W, "
				  "acube=WxC or buffer=W"},
		{"tex:a:2d=8x4x2:u8", "bad shape '2d=8x4x2', expected 1d=W, 2d=WxH, 3d=WxHxD, a1d=WxL, a2d=WxHxL, "
				      "cube=W, acube=WxC or buffer=W"},
		{"tex:a:1d=0:u8", "bad shape '1d=0', expected 1d=W, 2d=WxH, 3d=WxHxD, a1d=WxL, a2d=WxHxL, cube=W, "
				  "acube=WxC or buffer=W"},
		{"tex:a:1d=8:u8x3",
			"bad format 'u8x3', expected u8, s8, u16, s16, f16, u32, s32 or f32, alone or with x2 or x4"},
		{"tex:a:1d=8:u8:round",
			"bad option 'round', expected wrap, clamp, mirror, border=V, linear, normalized, float, srgb, "
			"levels=N or trilinear"},
		{"tex:a:1d=8:u8:levels=17",
			"bad option 'levels=17', expected wrap, clamp, mirror, border=V, linear, normalized, float, "
			"srgb, levels=N or trilinear"},
		{"surf:a:1d=8:u8:linear", "a surface has no options"},
		{"tex::1d=8:u8", "bad name '', expected letters, digits, '_', '-' and '.'"},
		{"tensor:a:f16:64x32:128",
			"a part is missing, expected tensor:BUFFER:TYPE:SIZES:STRIDES:BOX[:SWIZZLE[:FILL]]"},
		{"tensor:a", "a part is missing, expected tensor:BUFFER:TYPE:SIZES:STRIDES:BOX[:SWIZZLE[:FILL]]"},
		{"tensor:a b:f16:64:dense:64", "bad name 'a b', expected letters, digits, '_', '-' and '.'"},
		{"tensor:a:s8:64:dense:64",
			"unknown type 's8', expected u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32.ftz, tf32, "
			"tf32.ftz, b4x16, b4x16_p64 or b6x16_p32"},
		{"tensor:a:u8:64x:dense:64", "bad sizes '64x', expected 1 to 5 numbers such as 64x32, innermost first"},
		{"tensor:a:u8:64x-1:dense:64",
			"bad sizes '64x-1', expected 1 to 5 numbers such as 64x32, innermost first"},
		{"tensor:a:u8:1x1x1x1x1x1:dense:64",
			"bad sizes '1x1x1x1x1x1', expected 1 to 5 numbers such as 64x32, innermost first"},
		{"tensor:a:u8:64x0:dense:64x1", "the size of dimension 1 is 0: 1 to 4294967296 are allowed"},
		{"tensor:a:u8:64x4x4:64:16x1x1", "bad strides '64', expected dense, or 2 numbers of bytes"},
		{"tensor:a:u8:64x4:tight:16x1", "bad strides 'tight', expected dense, or 1 number of bytes"},
		{"tensor:a:u8:64x4:20:16x1", "the stride of dimension 1 is 20 bytes: a multiple of 16 is needed"},
		{"tensor:a:u8:20x4:dense:16x1", "the stride of dimension 1 is 20 bytes: a multiple of 16 is needed"},
		{"tensor:a:u8:64x4:64:16", "bad box '16', expected 2 numbers"},
		{"tensor:a:u8:64x4:64:16x300", "the box has 300 elements in dimension 1: 1 to 256 are allowed"},
		{"tensor:a:u8:64x4:64:16x99999999999",
			"the box has 4294967295 elements in dimension 1: 1 to 256 are allowed"},
		{"tensor:a:u8:64x4:64:64x1:256",
			"bad swizzle '256', expected none, 32, 64, 128, 128-atom32, 128-atom32-flip8 or 128-atom64"},
		{"tensor:a:u8:64x4:64:64x1:32",
			"the box has 64 bytes in dimension 0: at most 32 are allowed with swizzle 32B"},
		{"tensor:a:u8:64x4:64:64x1:64:one", "bad part 'one', expected zero or nan for the fill"},
		{"tensor:a:u8:64x4:64:64x1:64:nan",
			"the fill is NaN, the data type u8: a floating-point type is needed"},
		{"tensor:a:u8:64x4:64:64x1:64:zero:iota", "bad part 'iota', expected options, with an = each"},
		{"tensor:a:u8:64x4:64:64x1:step=2x2",
			"bad option 'step=2x2', expected steps=, interleave=, im2col=, wide=, wide128= or new="},
		{"tensor:a:u8:64x4:64:64x1:steps=1", "bad option 'steps=1', expected 2 numbers such as 1x2"},
		{"tensor:a:u8:64x4:64:64x1:steps=1x9", "the element stride of dimension 1 is 9: 1 to 8 are allowed"},
		{"tensor:a:u8:64x4:64:64x1:interleave=8", "bad option 'interleave=8', expected interleave=16 or 32"},
		{"tensor:a:u8:64x4:64:64x1:im2col=-1,-1",
			"bad option 'im2col=-1,-1', expected a tensor of 3 to 5 dimensions"},
		{"tensor:a:u8:64x4x4:dense:64x1:im2col=-1",
			"bad option 'im2col=-1', expected LOWER,UPPER, each 1 number such as -1"},
		{"tensor:a:u8:64x4x4x4:dense:64x1:im2col=-1,-1",
			"bad option 'im2col=-1,-1', expected LOWER,UPPER, each 2 numbers such as -1x-1"},
		{"tensor:a:u8:64x4x4x4:dense:64x1x1x1:im2col=-1x0,-1x0",
			"bad box '64x1x1x1', expected CHANNELSxPIXELS for im2col"},
		{"tensor:a:u8:64x4x4x4:dense:64x1:im2col=-129x0,-1x0",
			"the lower corner's offset in W is -129: -128 to 127 are allowed for rank 4"},
		{"tensor:a:u8:64x4:64:64x1:new:64", "bad part 'new', expected it to be the last"},
		{"tensor:a:u8:64x4:64:64x1:new=ones",
			"bad contents 'ones', expected zero, fill=V, iota, random=SEED[,LOW,HIGH] or file=PATH"},
		{"tensor:a:u8:4294967296x4294967296x4294967296:1024x1099511627520:16x1x1:new",
			"no GPU has memory for so large a tensor"},
		{"ref:", "bad name '', expected letters, digits, '_', '-' and '.'"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct diagnostic diagnostic = {0};
		struct argument argument;
		assert_false(argument_read(&arena, rows[k][0], &argument, &diagnostic));
		assert_string_equal(diagnostic.message, arena_printf(&arena, "--arg %s: %s", rows[k][0], rows[k][1]));
	}
}

static void dumps(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	struct dump dump;
	assert_true(dump_read(&arena, "out", &dump, &diagnostic));
	assert_true(dump.whole);
	assert_true(dump_read(&arena, "out:3:4", &dump, &diagnostic));
	assert_true(!dump.whole && dump.first == 3 && dump.count == 4);
	static const char *const rows[][2] = {
		{"out:3", "expected NAME or NAME:FIRST:COUNT"},
		{"out:3:4:5", "expected NAME or NAME:FIRST:COUNT"},
		{"out:x:4", "bad first element 'x', expected a whole number from 0 to 18446744073709551615"},
		{"out:1:0", "bad count '0', expected a whole number from 1 to 18446744073709551615"},
		{"", "bad name '', expected letters, digits, '_', '-' and '.'"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		diagnostic = (struct diagnostic){0};
		assert_false(dump_read(&arena, rows[k][0], &dump, &diagnostic));
		assert_string_equal(diagnostic.message, arena_printf(&arena, "--dump %s: %s", rows[k][0], rows[k][1]));
	}
}

static void grids(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	uint32_t size[3];
	assert_true(grid_read("--grid", "7", size, &diagnostic));
	assert_true(size[0] == 7 && size[1] == 1 && size[2] == 1);
	assert_true(grid_read("--grid", "7,8,4294967295", size, &diagnostic));
	assert_true(size[0] == 7 && size[1] == 8 && size[2] == UINT32_MAX);
	static const char *const rows[] = {
		"", "0", "1,", "1,2,3,4", "x", "4294967296", "1,-1", "99999999999999999999", "1,,2"};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		diagnostic = (struct diagnostic){0};
		assert_false(grid_read("--block", rows[k], size, &diagnostic));
		assert_string_equal(diagnostic.message,
			arena_printf(
				&arena, "--block %s: expected X, X,Y or X,Y,Z, each from 1 to 4294967295", rows[k]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(buffers),
		cmocka_unit_test(tensors),
		cmocka_unit_test(tensor_buffers),
		cmocka_unit_test(refusals),
		cmocka_unit_test(dumps),
		cmocka_unit_test(grids),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&arena);
	return failed;
}
