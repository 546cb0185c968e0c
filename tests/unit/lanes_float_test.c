/* Float instructions against quadruple precision and the definition of rounding; conversions exhaustively for 16
 * bits. */
#include "lanes_harness.h"

#include <math.h>

#include "warp/lanes/float.h"

static uint64_t random_state = 777;

/* Anything, with plenty of zeros, subnormals, infinities, NaNs, ones and near neighbours. */
static uint32_t draw_float(void)
{
	uint64_t r = splitmix64(&random_state);
	static const uint32_t edges[] = {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x00800001, 0x3f800000,
		0x3f7fffff, 0x3f800001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001,
		0x40490fdb, 0x3effffff};
	if ((r >> 60) < 3)
		return edges[r % (sizeof edges / sizeof *edges)];
	if ((r >> 60) < 9)
		return (uint32_t)(r & 0x80ffffff) | 0x3f000000; /* exponents that meet */
	return (uint32_t)r;
}

static uint64_t draw_double(void)
{
	uint64_t r = splitmix64(&random_state);
	static const uint64_t edges[] = {0, UINT64_C(1) << 63, 1, 0x000fffffffffffff, 0x0010000000000000,
		0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001};
	if ((r >> 60) < 3)
		return edges[r % (sizeof edges / sizeof *edges)];
	if ((r >> 60) < 9)
		return (r & 0x801fffffffffffff) | 0x3fe0000000000000;
	return r;
}

/* ---- Rounding by its definition ---- */

/* Whether `got` is the exact value rounded: its neighbours must not be better.  `low` and `high` are the floats next to
 * it. */
static bool is_rounded(__float128 exact, double got, double low, double high, const char *mode)
{
	if (!strcmp(mode, "rm"))
		return got <= exact && high > exact;
	if (!strcmp(mode, "rp"))
		return got >= exact && low < exact;
	if (!strcmp(mode, "rz"))
		return exact >= 0 ? got <= exact && high > exact : got >= exact && low < exact;
	__float128 middle_low = ((__float128)low + got) / 2, middle_high = ((__float128)high + got) / 2;
	return middle_low <= exact && exact <= middle_high;
}

static __float128 absolute(__float128 x)
{
	return x < 0 ? -x : x;
}

static __float128 exact_of(char operation, __float128 a, __float128 b, __float128 c)
{
	switch (operation) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/': return a / b;
	case 'r': return 1 / a;
	default: return a * b + c;
	}
}

/* Whether a sum of parts too far apart lost something even in 113 bits.  Products fit, and quotients come no nearer to
 * a double or to the middle between two than 113 bits tell. */
static bool is_beyond_quadruple(char operation, __float128 a, __float128 b, __float128 c)
{
	__float128 x = operation == 'f' ? a * b : a, y = operation == 'f' ? c : operation == '-' ? -b : b;
	__float128 sum = x + y, y_part = sum - x;
	return strchr("+-f", operation) && (x - (sum - y_part)) + (y - y_part) != 0;
}

/* Ties of rn are settled by the last bit, which is_rounded leaves open. */
static void check_single(const char *name, char operation, const char *mode)
{
	char text[32];
	struct call call = {.text = text, .lanes = 32, .active = UINT32_MAX};
	snprintf(text, sizeof text, "%s.%s.f32", name, mode);
	for (unsigned k = 0; k < 3; k++)
		for (unsigned lane = 0; lane < 32; lane++)
			call.source[k][lane] = draw_float();
	call_run(&call);
	for (unsigned lane = 0; lane < 32; lane++) {
		float a = float_of((uint32_t)call.source[0][lane]), b = float_of((uint32_t)call.source[1][lane]);
		float c = float_of((uint32_t)call.source[2][lane]), got = float_of((uint32_t)call.d[lane]);
		__float128 exact = exact_of(operation, a, b, c);
		if (isnan(got))
			assert_int_equal(call.d[lane], 0x7fffffff);
		if (!isfinite(a) || !isfinite(b) || !isfinite(c) || absolute(exact) > 0x1p127 ||
			is_beyond_quadruple(operation, a, b, c))
			continue;
		if ((operation == '/' && b == 0) || (operation == 'r' && a == 0))
			continue;
		if (!is_rounded(exact, got, nextafterf(got, -INFINITY), nextafterf(got, INFINITY), mode))
			fail_msg("%s of %a %a %a: %a", text, a, b, c, got);
	}
}

static void check_double(const char *name, char operation, const char *mode)
{
	char text[32];
	struct call call = {.text = text, .lanes = 64, .active = ~(lane_mask)0};
	snprintf(text, sizeof text, "%s.%s.f64", name, mode);
	for (unsigned k = 0; k < 2; k++)
		for (unsigned lane = 0; lane < 64; lane++)
			call.source[k][lane] = draw_double();
	call_run(&call);
	for (unsigned lane = 0; lane < 64; lane++) {
		double a = double_of(call.source[0][lane]), b = double_of(call.source[1][lane]),
		       got = double_of(call.d[lane]);
		__float128 exact = exact_of(operation, a, b, 0);
		if (isnan(got))
			assert_int_equal(call.d[lane], UINT64_C(0x7ff8000000000000));
		if (!isfinite(a) || !isfinite(b) || absolute(exact) > 0x1p1020 ||
			is_beyond_quadruple(operation, a, b, 0))
			continue;
		if ((operation == '/' && b == 0) || (operation == 'r' && a == 0))
			continue;
		if (!is_rounded(exact, got, nextafter(got, -INFINITY), nextafter(got, INFINITY), mode))
			fail_msg("%s of %a %a: %a", text, a, b, got);
	}
}

static void arithmetic_is_rounded_as_asked(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		char operation;
	} operations[] = {{"add", '+'}, {"sub", '-'}, {"mul", '*'}, {"div", '/'}, {"rcp", 'r'}, {"fma", 'f'}};
	static const char *const modes[] = {"rn", "rz", "rm", "rp"};
	for (unsigned k = 0; k < 6; k++)
		for (unsigned mode = 0; mode < 4; mode++)
			for (unsigned repeat = 0; repeat < 60; repeat++) {
				check_single(operations[k].name, operations[k].operation, modes[mode]);
				if (operations[k].operation != 'f')
					check_double(operations[k].name, operations[k].operation, modes[mode]);
			}
}

static uint32_t single(const char *text, float a, float b, float c)
{
	return (uint32_t)call_one(text, bits_of(a), bits_of(b), bits_of(c), 0);
}

static void roundings_differ_where_they_should(void **state)
{
	(void)state;
	assert_int_equal(single("add.rn.f32", 1, 0x1p-24f, 0), bits_of(1));
	assert_int_equal(single("add.rp.f32", 1, 0x1p-24f, 0), bits_of(1) + 1);
	assert_int_equal(single("add.rm.f32", 1, -0x1p-40f, 0), bits_of(1) - 1);
	assert_int_equal(single("add.rz.f32", -1, 0x1p-40f, 0), bits_of(-1) - 1);
	assert_int_equal(single("add.rm.f32", 1, -1, 0), 0x80000000);
	assert_int_equal(single("mul.rz.f32", 0x1p127f, 4, 0), 0x7f7fffff);
	assert_int_equal(single("mul.rp.f32", 0x1p127f, 4, 0), 0x7f800000);
	assert_int_equal(single("sqrt.rp.f32", 2, 0, 0), 0x3fb504f4); /* the root lies a little above 0x3fb504f3 */
	assert_int_equal(single("sqrt.rm.f32", 2, 0, 0), 0x3fb504f3);
	assert_int_equal(single("sqrt.rn.f32", -1, 0, 0), 0x7fffffff);
	/* fused: the product's low bits survive */
	assert_int_equal(single("fma.rn.f32", 1 + 0x1p-23f, 1 - 0x1p-23f, -1), bits_of(-0x1p-46f));
	assert_int_equal(single("mad.rn.f32", 1 + 0x1p-23f, 1 - 0x1p-23f, -1), bits_of(-0x1p-46f));
	assert_int_equal(
		call_one("add.rp.f64", bits_of_double(1), bits_of_double(0x1p-60), 0, 0), bits_of_double(1 + 0x1p-52));
	assert_int_equal(call_one("fma.rz.f64", bits_of_double(-1), bits_of_double(1), bits_of_double(0x1p-80), 0),
		bits_of_double(-1 + 0x1p-53));
}

static void flags_shape_operands_and_results(void **state)
{
	(void)state;
	assert_int_equal(single("add.f32", 0x1p-140f, 0x1p-140f, 0), bits_of(0x1p-139f));
	assert_int_equal(single("add.ftz.f32", 0x1p-140f, -0x1p-140f, 0), 0);
	assert_int_equal(single("mul.ftz.f32", -0x1p-100f, 0x1p-30f, 0), 0x80000000);
	assert_int_equal(single("add.sat.f32", 0.75f, 0.75f, 0), bits_of(1));
	assert_int_equal(single("sub.ftz.sat.f32", 0.25f, 0.75f, 0), 0);
	assert_int_equal(single("add.sat.f32", NAN, 1, 0), 0);
	assert_int_equal(single("add.rz.sat.f32", 7, 1, 0), bits_of(1));
	assert_int_equal(single("abs.ftz.f32", -0x1p-140f, 0, 0), 0);
	assert_int_equal(single("neg.f32", 0, 0, 0), 0x80000000);
	assert_int_equal(call_one("neg.f16x2", 0x3c00bc00, 0, 0, 0), 0xbc003c00);
	assert_int_equal(call_one("add.f16", 0x3c00, 0x3c00, 0, 0), 0x4000);
	assert_int_equal(call_one("add.ftz.f16", 0x0001, 0x0001, 0, 0), 0);
	assert_int_equal(call_one("add.sat.f16x2", 0x3c00b800, 0x3c003400, 0, 0), 0x3c000000);
	assert_int_equal(call_one("fma.rn.relu.f16", 0x3c00, 0xbc00, 0, 0), 0);
	assert_int_equal(call_one("mul.bf16x2", 0x40003f80, 0x40404000, 0, 0), 0x40c04000);
	assert_int_equal(call_one("add.rn.f32.f16", 0x3c00, bits_of(2), 0, 0), bits_of(3));
	assert_int_equal(call_one("fma.rz.f32.bf16", 0x4000, 0x4040, bits_of(1), 0), bits_of(7));
	assert_int_equal(call_one("add.rn.f32x2", (uint64_t)bits_of(1) << 32 | bits_of(2),
				 (uint64_t)bits_of(5) << 32 | bits_of(9), 0, 0),
		(uint64_t)bits_of(6) << 32 | bits_of(11));
	assert_int_equal(call_one("mul.rp.f32x2", (uint64_t)bits_of(3) << 32 | bits_of(2),
				 (uint64_t)bits_of(5) << 32 | bits_of(9), 0, 0),
		(uint64_t)bits_of(15) << 32 | bits_of(18));
}

/* Each lane of a warp for itself, and only active ones: 1 + 2^-24 is not a float, so the mode decides its last bit. */
static void pairs_and_mixed_forms_go_through_all_lanes(void **state)
{
	(void)state;
	struct call call = {.text = "fma.rp.f32x2", .lanes = 64, .active = 0xdeadbeefcafe0fff};
	for (unsigned lane = 0; lane < 64; lane++) {
		call.source[0][lane] = (uint64_t)bits_of((float)lane) << 32 | bits_of(1);
		call.source[1][lane] = (uint64_t)bits_of(2) << 32 | bits_of(1);
		call.source[2][lane] = (uint64_t)bits_of(1) << 32 | bits_of(0x1p-24f * (float)(lane & 1));
	}
	call_run(&call);
	for (unsigned lane = 0; lane < 64; lane++)
		if (call.active >> lane & 1)
			assert_int_equal(call.d[lane],
				(uint64_t)bits_of((float)(2 * lane + 1)) << 32 | (bits_of(1) + (lane & 1)));
	call.text = "sub.rm.f32.bf16";
	for (unsigned lane = 0; lane < 64; lane++) {
		call.source[0][lane] = 0xabcd3f80; /* 1 in .bf16; what is above is not looked at */
		call.source[1][lane] = bits_of(lane & 1 ? 0x1p-40f : 0.5f);
	}
	call_run(&call);
	for (unsigned lane = 0; lane < 64; lane++)
		if (call.active >> lane & 1)
			assert_int_equal(call.d[lane], lane & 1 ? bits_of(1) - 1 : bits_of(0.5f));
}

/* ---- 16-bit floats ---- */

static double half_value(uint32_t half, unsigned mantissa, unsigned exponent)
{
	uint32_t field = half >> mantissa & ((1u << exponent) - 1), fraction = half & ((1u << mantissa) - 1);
	int bias = (1 << (exponent - 1)) - 1;
	double magnitude_value = field ? ldexp(1 + fraction / (double)(1u << mantissa), (int)field - bias)
				       : ldexp(fraction / (double)(1u << mantissa), 1 - bias);
	if (field == (1u << exponent) - 1)
		magnitude_value = fraction ? NAN : INFINITY;
	return half >> 15 ? -magnitude_value : magnitude_value;
}

static void every_half_widens(void **state)
{
	(void)state;
	for (uint32_t first = 0; first < 0x10000; first += 32) {
		struct call call = {.text = "cvt.f32.f16", .lanes = 32, .active = UINT32_MAX}, bfloat = call;
		bfloat.text = "cvt.f32.bf16";
		for (unsigned lane = 0; lane < 32; lane++)
			call.source[0][lane] = bfloat.source[0][lane] = first + lane;
		call_run(&call);
		call_run(&bfloat);
		for (unsigned lane = 0; lane < 32; lane++) {
			double value = half_value(first + lane, 10, 5), other = half_value(first + lane, 7, 8);
			assert_int_equal(call.d[lane], isnan(value) ? 0x7fffffff : bits_of((float)value));
			assert_int_equal(bfloat.d[lane], isnan(other) ? 0x7fffffff : bits_of((float)other));
		}
	}
}

/* Around the middle between a half and the next: just below goes down, just above up, the middle to the even one. */
static void check_middle(const char *text, uint32_t half, unsigned mantissa, unsigned exponent)
{
	struct call call = {.text = text, .lanes = 32, .active = 0x3f};
	uint32_t infinity = ((1u << exponent) - 1) << mantissa;
	double low = half_value(half, mantissa, exponent);
	double high = half + 1 == infinity ? 2 * low - half_value(half - 1, mantissa, exponent)
					   : half_value(half + 1, mantissa, exponent);
	float middle = (float)((low + high) / 2);
	float inputs[6] = {
		(float)low, nextafterf(middle, 0), middle, nextafterf(middle, INFINITY), -middle, -(float)low};
	uint32_t even = half + (half & 1);
	uint32_t expected[6] = {half, half, even, half + 1, even | 0x8000, half | 0x8000};
	for (unsigned lane = 0; lane < 6; lane++)
		call.source[0][lane] = bits_of(inputs[lane]);
	call_run(&call);
	for (unsigned lane = 0; lane < 6; lane++)
		if (call.d[lane] != expected[lane])
			fail_msg("%s of %a: %04x, expected %04x", text, inputs[lane], (unsigned)call.d[lane],
				expected[lane]);
}

static void narrowing_rounds_to_nearest_even(void **state)
{
	(void)state;
	for (uint32_t half = 0; half < 0x7c00; half++)
		check_middle("cvt.rn.f16.f32", half, 10, 5);
	/* The middles of the smallest .bf16 are .f32 subnormals, too, but nextafter and 2 * low stay exact above. */
	for (uint32_t half = 0; half < 0x7f80; half++)
		if (half > 0x80)
			check_middle("cvt.rn.bf16.f32", half, 7, 8);
	assert_int_equal(single("cvt.rn.f16.f32", NAN, 0, 0), 0x7fff);
	assert_int_equal(single("cvt.rn.bf16.f32", -NAN, 0, 0), 0x7fff);
	assert_int_equal(single("cvt.rn.f16.f32", 1e9f, 0, 0), 0x7c00);
	assert_int_equal(single("cvt.rn.f16x2.f32", 2, 1, 0), 0x40003c00);
	assert_int_equal(single("cvt.rn.relu.bf16x2.f32", -2, 1, 0), 0x00003f80);
}

/* Fused arithmetic of halves: exact in quadruple precision, then rounded by its definition. */
static void check_half_fma(const char *text, unsigned mantissa, unsigned exponent)
{
	struct call call = {.text = text, .lanes = 32, .active = UINT32_MAX};
	for (unsigned k = 0; k < 3; k++)
		for (unsigned lane = 0; lane < 32; lane++)
			call.source[k][lane] = splitmix64(&random_state) & 0xffff;
	call_run(&call);
	for (unsigned lane = 0; lane < 32; lane++) {
		double v[3];
		for (unsigned k = 0; k < 3; k++)
			v[k] = half_value((uint32_t)call.source[k][lane], mantissa, exponent);
		uint32_t got = (uint32_t)call.d[lane], magnitude_bits = got & 0x7fff,
			 infinity = ((1u << exponent) - 1) << mantissa;
		if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]) || magnitude_bits >= infinity - 1)
			continue;
		/* The sum may need more than 113 bits for .bf16; then one part is so small that it only breaks ties. */
		__float128 product = (__float128)v[0] * v[1], sum = product + v[2];
		__float128 lost = (product - (sum - v[2])) + (v[2] - (sum - (sum - v[2])));
		double value = half_value(got, mantissa, exponent);
		double outward = half_value(got + 1, mantissa, exponent),
		       inward = magnitude_bits ? half_value(got - 1, mantissa, exponent)
					       : half_value(got ^ 0x8001, mantissa, exponent);
		__float128 far_middle = ((__float128)value + outward) / 2,
			   near_middle = ((__float128)value + inward) / 2;
		bool negative = got >> 15;
		__float128 beyond = negative ? far_middle - sum - lost : sum - far_middle + lost;
		__float128 below = negative ? sum - near_middle + lost : near_middle - sum - lost;
		if (beyond > 0 || below > 0 || ((beyond == 0 || below == 0) && (got & 1)))
			fail_msg("%s of %a %a %a: %a", text, v[0], v[1], v[2], value);
	}
}

static void halves_are_fused_with_one_rounding(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 3000; k++) {
		check_half_fma("fma.rn.f16", 10, 5);
		check_half_fma("fma.rn.bf16", 7, 8);
	}
	/* a product half-way between two .bf16, and a c far below it that decides */
	assert_int_equal(call_one("fma.rn.bf16", 0x3f81, 0x3fc0, 0x0001, 0), 0x3fc2);
	assert_int_equal(call_one("fma.rn.bf16", 0x3f81, 0x3fc0, 0x8001, 0), 0x3fc1);
}

/* ---- cvt ---- */

static void floats_become_integers(void **state)
{
	(void)state;
	assert_int_equal(single("cvt.rni.s32.f32", 2.5f, 0, 0), 2);
	assert_int_equal(single("cvt.rni.s32.f32", 3.5f, 0, 0), 4);
	assert_int_equal(single("cvt.rmi.s32.f32", -0.5f, 0, 0), 0xffffffff);
	assert_int_equal(single("cvt.rpi.s32.f32", 0x1p-140f, 0, 0), 1);
	assert_int_equal(single("cvt.rpi.ftz.s32.f32", 0x1p-140f, 0, 0), 0);
	assert_int_equal(single("cvt.rzi.s32.f32", 3e9f, 0, 0), 0x7fffffff);
	assert_int_equal(single("cvt.rzi.s32.f32", -3e9f, 0, 0), 0x80000000);
	assert_int_equal(single("cvt.rzi.u32.f32", -1, 0, 0), 0);
	assert_int_equal(single("cvt.rzi.u32.f32", 1e10f, 0, 0), 0xffffffff);
	assert_int_equal(single("cvt.rzi.s32.f32", NAN, 0, 0), 0);
	assert_int_equal(call_one("cvt.rzi.s64.f32", bits_of(NAN), 0, 0, 0), UINT64_C(1) << 63);
	assert_int_equal(call_one("cvt.rzi.s32.f64", bits_of_double(NAN), 0, 0, 0), 0x80000000);
	assert_int_equal(call_one("cvt.rzi.u64.f64", bits_of_double(1e30), 0, 0, 0), UINT64_MAX);
	assert_int_equal(call_one("cvt.rni.s64.f64", bits_of_double(-0x1p63), 0, 0, 0), UINT64_C(1) << 63);
	assert_int_equal(single("cvt.rzi.u8.f32", 300, 0, 0), 255);
	assert_int_equal(single("cvt.rzi.s8.f32", -3, 0, 0), 0xfffffffd);
	assert_int_equal(single("cvt.rzi.f32.f32", -2.75f, 0, 0), bits_of(-2));
	assert_int_equal(single("cvt.rmi.f32.f32", -2.25f, 0, 0), bits_of(-3));
	assert_int_equal(single("cvt.sat.f32.f32", 1.5f, 0, 0), bits_of(1));
}

static void integers_are_extended_and_cut(void **state)
{
	(void)state;
	assert_int_equal(call_one("cvt.s32.s8", 0x1280, 0, 0, 0), 0xffffff80);
	assert_int_equal(call_one("cvt.u32.u16", 0xabcd1234, 0, 0, 0), 0x1234);
	assert_int_equal(call_one("cvt.s64.s32", 0x80000000, 0, 0, 0), 0xffffffff80000000);
	assert_int_equal(call_one("cvt.u64.s16", 0x8000, 0, 0, 0), 0xffffffffffff8000);
	assert_int_equal(call_one("cvt.u16.u64", 0x123456789abcdef0, 0, 0, 0), 0xdef0);
	assert_int_equal(call_one("cvt.sat.u8.s32", 0xffffffff, 0, 0, 0), 0);
	assert_int_equal(call_one("cvt.sat.s8.u32", 0xffffffff, 0, 0, 0), 127);
	assert_int_equal(call_one("cvt.sat.s16.s64", UINT64_C(1) << 63, 0, 0, 0), 0xffff8000);
	assert_int_equal(call_one("cvt.pack.sat.s16.s32", 70000, (uint32_t)-70000, 0, 0), 0x7fff8000);
	assert_int_equal(call_one("cvt.pack.sat.u8.s32.b32", 300, (uint32_t)-5, 0xaaaabbbb, 0), 0xbbbbff00);
	struct call wide = {
		.text = "cvt.s32.s8", .lanes = 32, .active = 1, .wide_source = true, .wide_destination = true};
	wide.source[0][0] = 0xffffffffffffff80;
	call_run(&wide);
	assert_int_equal(wide.d[0], 0xffffffffffffff80);
	assert_int_equal(call_one("cvt.rna.tf32.f32", bits_of(1 + 0x1p-11f), 0, 0, 0), bits_of(1 + 0x1p-10f));
	assert_int_equal(call_one("cvt.rn.tf32.f32", bits_of(1 + 0x1p-11f), 0, 0, 0), bits_of(1));
	assert_int_equal(single("cvt.rn.satfinite.f16x2.f32", 1e9f, -1e9f, 0), 0x7bfffbff);
}

/* The loops and the exact converter know nothing of each other. */
static void loops_agree_with_the_exact_converter(void **state)
{
	(void)state;
	static const char *const names[] = {
		"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"};
	static const char *const roundings[] = {"", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi"};
	char text[48], reason[300];
	for (unsigned k = 0; k < 12 * 12 * 9; k++) {
		const char *rounding = roundings[k % 9];
		snprintf(text, sizeof text, "cvt%s.%s.%s", rounding, names[k / 9 % 12], names[k / 108]);
		struct ptx_words words = {.mnemonic = "cvt"};
		if (*rounding)
			words.word[words.count++] = rounding + 1;
		words.word[words.count++] = names[k / 9 % 12];
		words.word[words.count++] = names[k / 108];
		enum ptx_type types[4];
		struct ptx_modifiers modifiers;
		uint32_t count;
		if (!ptx_find_op(&words, &modifiers, types, &count, reason, sizeof reason))
			continue;
		for (unsigned repeat = 0; repeat < 20; repeat++) {
			struct call call = {.text = text, .lanes = 32, .active = UINT32_MAX}, exact = call;
			for (unsigned lane = 0; lane < 32; lane++)
				call.source[0][lane] = types[1] == TYPE_F64 ? draw_double()
						       : types[1] == TYPE_F32
							       ? draw_float()
							       : splitmix64(&random_state) >> (repeat * 3);
			exact = call;
			call_run(&call);
			struct insn insn = {0};
			call_decode(text, &insn);
			call_in(&exact, choose_conversion(&insn), &insn, NULL);
			for (unsigned lane = 0; lane < 32; lane++)
				if (call.d[lane] != exact.d[lane])
					fail_msg("%s of %llx: %llx in the loop, %llx exactly", text,
						(unsigned long long)call.source[0][lane],
						(unsigned long long)call.d[lane], (unsigned long long)exact.d[lane]);
		}
	}
}

/* ---- Extremes ---- */

/* min and max with c left out. */
static uint32_t extreme_of_two(const char *text, float a, float b)
{
	struct call call = {.text = text, .lanes = 32, .active = 1, .without_third = true};
	call.source[0][0] = bits_of(a);
	call.source[1][0] = bits_of(b);
	call_run(&call);
	return (uint32_t)call.d[0];
}

static void extremes_order_zeros_and_nans(void **state)
{
	(void)state;
	assert_int_equal(extreme_of_two("min.f32", 0.0f, -0.0f), 0x80000000);
	assert_int_equal(extreme_of_two("max.f32", -0.0f, 0.0f), 0);
	assert_int_equal(extreme_of_two("min.f32", NAN, 3), bits_of(3));
	assert_int_equal(extreme_of_two("max.f32", 3, NAN), bits_of(3));
	assert_int_equal(extreme_of_two("max.f32", NAN, -NAN), 0x7fffffff);
	assert_int_equal(extreme_of_two("min.NaN.f32", 3, NAN), 0x7fffffff);
	assert_int_equal(extreme_of_two("min.xorsign.abs.f32", -3, 2), bits_of(-2));
	assert_int_equal(extreme_of_two("max.xorsign.abs.f32", -3, -2), bits_of(3));
	assert_int_equal(extreme_of_two("max.ftz.f32", -1, 0x1p-140f), 0);
	assert_int_equal(single("max.f32", 1, 2, 3), bits_of(3));
	assert_int_equal(single("min.abs.f32", -3, 2, -1), bits_of(1));
	assert_int_equal(call_one("min.f16x2", 0x80004000, 0x00007e00, 0, 0), 0x80004000);
	assert_int_equal(call_one("max.NaN.bf16", 0x3f80, 0x7fc0, 0, 0), 0x7fff);
	assert_int_equal(call_one("max.f64", bits_of_double(1), bits_of_double(NAN), 0, 0), bits_of_double(1));
	assert_int_equal(single("copysign.f32", -1, 5, 0), bits_of(-5));
}

/* ---- Approximations: within the ISA's bounds of libm's doubles ---- */

static void check_approximation(
	const char *text, double (*truth)(double), float low, float high, double absolute_error, double relative_error)
{
	for (unsigned repeat = 0; repeat < 300; repeat++) {
		struct call call = {.text = text, .lanes = 32, .active = UINT32_MAX};
		for (unsigned lane = 0; lane < 32; lane++)
			call.source[0][lane] =
				bits_of(low + (high - low) * (float)(splitmix64(&random_state) >> 40) * 0x1p-24f);
		call_run(&call);
		for (unsigned lane = 0; lane < 32; lane++) {
			double x = float_of((uint32_t)call.source[0][lane]), expected = truth(x),
			       got = float_of((uint32_t)call.d[lane]);
			if (fabs(got - expected) > absolute_error + relative_error * fabs(expected))
				fail_msg("%s of %a: %a, truth %a", text, x, got, expected);
		}
	}
}

static double reciprocal(double x)
{
	return 1 / x;
}
static double reciprocal_square_root(double x)
{
	return 1 / sqrt(x);
}

static void approximations_are_near(void **state)
{
	(void)state;
	check_approximation("sin.approx.f32", sin, -3.2f, 3.2f, 0x1p-45, 0x1p-23);
	check_approximation("cos.approx.f32", cos, -100, 100, 0x1p-40, 0x1p-23);
	check_approximation("ex2.approx.f32", exp2, -120, 120, 0, 0x1p-23);
	check_approximation("ex2.approx.f32", exp2, -149, -126, 0x1p-149, 0);
	check_approximation("lg2.approx.f32", log2, 0x1p-20f, 4, 0x1p-45, 0x1p-23);
	check_approximation("lg2.approx.f32", log2, 0, 3e38f, 0, 0x1p-23);
	check_approximation("tanh.approx.f32", tanh, -1, 1, 0, 0x1p-23);
	check_approximation("tanh.approx.f32", tanh, -20, 20, 0, 0x1p-23);
	check_approximation("rcp.approx.f32", reciprocal, 0.1f, 100, 0, 0x1p-23);
	check_approximation("rsqrt.approx.f32", reciprocal_square_root, 0, 100, 0, 0x1p-23);
	check_approximation("sqrt.approx.f32", sqrt, 0, 100, 0, 0x1p-23);
}

static void approximations_know_their_edges(void **state)
{
	(void)state;
	assert_int_equal(single("sin.approx.f32", -0.0f, 0, 0), 0x80000000);
	assert_int_equal(single("sin.approx.f32", INFINITY, 0, 0), 0x7fffffff);
	assert_int_equal(single("cos.approx.f32", 0, 0, 0), bits_of(1));
	assert_int_equal(single("ex2.approx.f32", 3, 0, 0), bits_of(8));
	assert_int_equal(single("ex2.approx.f32", -INFINITY, 0, 0), 0);
	assert_int_equal(single("ex2.approx.f32", 1000, 0, 0), 0x7f800000);
	assert_int_equal(single("ex2.approx.ftz.f32", -127, 0, 0), 0);
	assert_int_equal(single("lg2.approx.f32", 0, 0, 0), 0xff800000);
	assert_int_equal(single("lg2.approx.f32", -1, 0, 0), 0x7fffffff);
	assert_int_equal(single("lg2.approx.f32", 0x1p-149f, 0, 0), bits_of(-149));
	assert_int_equal(single("lg2.approx.ftz.f32", 0x1p-149f, 0, 0), 0xff800000);
	assert_int_equal(single("lg2.approx.f32", INFINITY, 0, 0), 0x7f800000);
	assert_int_equal(single("tanh.approx.f32", -INFINITY, 0, 0), bits_of(-1));
	assert_int_equal(single("rsqrt.approx.f32", -0.0f, 0, 0), 0xff800000);
	assert_int_equal(single("rcp.approx.ftz.f32", 0x1p-130f, 0, 0), 0x7f800000);
	assert_int_equal(single("div.approx.f32", 1, 0x1p127f, 0), 0);
	assert_int_equal(single("div.approx.f32", -INFINITY, 0x1p127f, 0), 0x7fffffff);
	assert_int_equal(single("div.full.f32", 1, 3, 0), bits_of(1.0f / 3));
	assert_int_equal(call_one("rcp.approx.ftz.f64", bits_of_double(3), 0, 0, 0), 0x3fd5555500000000);
	assert_int_equal(call_one("rsqrt.approx.f64", bits_of_double(4), 0, 0, 0), bits_of_double(0.5));
	assert_int_equal(call_one("ex2.approx.f16x2", 0x40003c00, 0, 0, 0), 0x44004000);
	assert_int_equal(call_one("tanh.approx.bf16", 0xff80, 0, 0, 0), 0xbf80);
}

/* Bits that no compiler, libm or processor may change: FNV-1a over the results for fixed operands. */
static uint32_t fingerprint(const char *text)
{
	uint64_t seed = 2026;
	uint32_t hash = 2166136261u;
	for (unsigned repeat = 0; repeat < 200; repeat++) {
		struct call call = {.text = text, .lanes = 32, .active = UINT32_MAX};
		for (unsigned lane = 0; lane < 32; lane++)
			call.source[0][lane] = splitmix64(&seed) & (repeat & 1 ? 0xffffffff : 0x83ffffff | 0x3c000000);
		call_run(&call);
		for (unsigned lane = 0; lane < 32; lane++)
			hash = (hash ^ (uint32_t)call.d[lane]) * 16777619u;
	}
	return hash;
}

static void approximations_have_the_same_bits_everywhere(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint32_t hash;
	} known[] = {
		{"sin.approx.f32", 0x2ef9fbd8},
		{"cos.approx.f32", 0x4f80d1d1},
		{"ex2.approx.f32", 0x9760fc42},
		{"lg2.approx.f32", 0x48553aae},
		{"tanh.approx.f32", 0x70eb9750},
		{"rcp.approx.f32", 0x1a1a925f},
		{"rsqrt.approx.f32", 0x41869602},
		{"sqrt.approx.ftz.f32", 0x9f77b327},
		{"ex2.approx.ftz.bf16x2", 0x8acb1d41},
		{"tanh.approx.f16", 0x40d68efd},
	};
	for (size_t k = 0; k < sizeof known / sizeof *known; k++)
		if (fingerprint(known[k].text) != known[k].hash)
			fail_msg("%s: fingerprint 0x%08x, expected 0x%08x", known[k].text, fingerprint(known[k].text),
				known[k].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic_is_rounded_as_asked),
		cmocka_unit_test(roundings_differ_where_they_should),
		cmocka_unit_test(flags_shape_operands_and_results),
		cmocka_unit_test(pairs_and_mixed_forms_go_through_all_lanes),
		cmocka_unit_test(every_half_widens),
		cmocka_unit_test(narrowing_rounds_to_nearest_even),
		cmocka_unit_test(halves_are_fused_with_one_rounding),
		cmocka_unit_test(floats_become_integers),
		cmocka_unit_test(integers_are_extended_and_cut),
		cmocka_unit_test(loops_agree_with_the_exact_converter),
		cmocka_unit_test(extremes_order_zeros_and_nans),
		cmocka_unit_test(approximations_are_near),
		cmocka_unit_test(approximations_know_their_edges),
		cmocka_unit_test(approximations_have_the_same_bits_everywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
