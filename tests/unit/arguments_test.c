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

static void refusals(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"", "expected TYPE:VALUE, buf:NAME:TYPE:COUNT[:CONTENTS], ref:NAME, tex: or surf:"},
		{"u32", "expected TYPE:VALUE, buf:NAME:TYPE:COUNT[:CONTENTS], ref:NAME, tex: or surf:"},
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
		cmocka_unit_test(refusals),
		cmocka_unit_test(dumps),
		cmocka_unit_test(grids),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&arena);
	return failed;
}
