/* Integer, bit, carry and video instructions against references written with 128-bit arithmetic, and by hand from the
 * ISA. */
#include "lanes_harness.h"

typedef __int128 big;

static uint64_t random_state = 12345;

/* Mostly edges: small numbers, powers of two and their neighbours, all ones, and anything. */
static uint64_t draw(void)
{
	uint64_t r = splitmix64(&random_state), shape = r >> 60;
	if (shape < 3)
		return r & 3;
	if (shape < 6)
		return (UINT64_C(1) << (r >> 8 & 63)) - (r & 1);
	if (shape < 8)
		return ~UINT64_C(0) << (r >> 8 & 63);
	if (shape < 9)
		return ~UINT64_C(0);
	return splitmix64(&random_state);
}

static uint64_t cut(uint64_t x, unsigned bits)
{
	return bits >= 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

static big number(uint64_t x, unsigned bits, bool is_signed)
{
	x = cut(x, bits);
	return is_signed && x >> (bits - 1) & 1 ? (big)x - ((big)1 << bits) : (big)x;
}

static big power(unsigned n)
{
	return (big)1 << n;
}

/* Rounds towards minus infinity. */
static big shift_down(big x, unsigned n)
{
	big divisor = power(n), q = x / divisor;
	return q * divisor > x ? q - 1 : q;
}

static big clamp_signed(big x, unsigned bits)
{
	big top = power(bits - 1) - 1;
	return x > top ? top : x < -top - 1 ? -top - 1 : x;
}

struct operands {
	big a, b, c;
	unsigned bits;
	bool is_signed;
};

static big add(const struct operands *o)
{
	return o->a + o->b;
}
static big sub(const struct operands *o)
{
	return o->a - o->b;
}
static big mul(const struct operands *o)
{
	return (big)((unsigned __int128)o->a * (unsigned __int128)o->b);
}
static big mul_hi(const struct operands *o)
{
	/* schoolbook on halves, so that 64 x 64 bits unsigned fits */
	big low = (big)(uint64_t)o->a & 0xffffffff, high = shift_down(o->a, 32);
	return o->bits < 64 ? shift_down(o->a * o->b, o->bits)
			    : shift_down(high * o->b + shift_down(low * o->b, 32), 32);
}
static big mad(const struct operands *o)
{
	return (big)((unsigned __int128)mul(o) + (unsigned __int128)o->c);
}
static big mad_hi(const struct operands *o)
{
	return mul_hi(o) + o->c;
}
static big sad(const struct operands *o)
{
	return o->c + (o->a < o->b ? o->b - o->a : o->a - o->b);
}
static big quotient(const struct operands *o)
{
	return o->b ? o->a / o->b : -1;
}
static big rest(const struct operands *o)
{
	return o->b ? o->a % o->b : o->a;
}
static big minimum(const struct operands *o)
{
	return o->a < o->b ? o->a : o->b;
}
static big maximum(const struct operands *o)
{
	return o->a > o->b ? o->a : o->b;
}
static big absolute(const struct operands *o)
{
	return o->a < 0 ? -o->a : o->a;
}
static big negative(const struct operands *o)
{
	return -o->a;
}
static big add_sat(const struct operands *o)
{
	return clamp_signed(o->a + o->b, 32);
}
static big sub_sat(const struct operands *o)
{
	return clamp_signed(o->a - o->b, 32);
}
static big mad_hi_sat(const struct operands *o)
{
	return clamp_signed(mad_hi(o), 32);
}
static big low24(big x, bool is_signed)
{
	return number((uint64_t)x, 24, is_signed);
}
static big mul24(const struct operands *o)
{
	return low24(o->a, o->is_signed) * low24(o->b, o->is_signed);
}
static big mul24_hi(const struct operands *o)
{
	return shift_down(mul24(o), 16);
}
static big mad24(const struct operands *o)
{
	return mul24(o) + o->c;
}
static big mad24_hi(const struct operands *o)
{
	return mul24_hi(o) + o->c;
}
static big mad24_sat(const struct operands *o)
{
	return clamp_signed(mad24_hi(o), 32);
}
static big relu_min(const struct operands *o)
{
	return minimum(o) < 0 ? 0 : minimum(o);
}
static big relu_max(const struct operands *o)
{
	return maximum(o) < 0 ? 0 : maximum(o);
}

enum width { NARROW = 1, ALL = 2, SIGNED_ONLY = 4, WIDE_RESULT = 8, WORD = 16 };

static const struct rule {
	const char *name;
	big (*meaning)(const struct operands *o);
	unsigned types;
} rules[] = {
	{"add", add, ALL},
	{"sub", sub, ALL},
	{"mul.lo", mul, ALL},
	{"mul.hi", mul_hi, ALL},
	{"mul.wide", mul, NARROW | WIDE_RESULT},
	{"mad.lo", mad, ALL},
	{"mad.hi", mad_hi, ALL},
	{"mad.wide", mad, NARROW | WIDE_RESULT},
	{"sad", sad, ALL},
	{"div", quotient, ALL},
	{"rem", rest, ALL},
	{"min", minimum, ALL},
	{"max", maximum, ALL},
	{"abs", absolute, ALL | SIGNED_ONLY},
	{"neg", negative, ALL | SIGNED_ONLY},
	{"add.sat", add_sat, WORD | SIGNED_ONLY},
	{"sub.sat", sub_sat, WORD | SIGNED_ONLY},
	{"mad.hi.sat", mad_hi_sat, WORD | SIGNED_ONLY},
	{"mul24.lo", mul24, WORD},
	{"mul24.hi", mul24_hi, WORD},
	{"mad24.lo", mad24, WORD},
	{"mad24.hi", mad24_hi, WORD},
	{"mad24.hi.sat", mad24_sat, WORD | SIGNED_ONLY},
	{"min.relu", relu_min, WORD | SIGNED_ONLY},
	{"max.relu", relu_max, WORD | SIGNED_ONLY},
};

static void check_rule(const struct rule *rule, unsigned bits, bool is_signed, unsigned lanes, lane_mask active)
{
	char text[32];
	struct call call = {.text = text, .lanes = lanes, .active = active};
	snprintf(text, sizeof text, "%s.%c%u", rule->name, is_signed ? 's' : 'u', bits);
	unsigned result_bits = rule->types & WIDE_RESULT ? 2 * bits : bits;
	for (unsigned k = 0; k < 3; k++)
		for (unsigned lane = 0; lane < lanes; lane++)
			call.source[k][lane] = draw(); /* garbage above the type's bits must not matter */
	call_run(&call);
	for (unsigned lane = 0; lane < lanes; lane++) {
		struct operands o = {number(call.source[0][lane], bits, is_signed),
			number(call.source[1][lane], bits, is_signed),
			number(call.source[2][lane], rule->types & WIDE_RESULT ? result_bits : bits, is_signed), bits,
			is_signed};
		uint64_t expected = cut((uint64_t)rule->meaning(&o), result_bits);
		if ((active >> lane & 1) && call.d[lane] != expected)
			fail_msg("%s of %llx %llx %llx: %llx, expected %llx", text,
				(unsigned long long)call.source[0][lane], (unsigned long long)call.source[1][lane],
				(unsigned long long)call.source[2][lane], (unsigned long long)call.d[lane],
				(unsigned long long)expected);
	}
}

static void arithmetic_is_that_of_whole_numbers(void **state)
{
	(void)state;
	static const unsigned widths[] = {16, 32, 64};
	for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
		for (unsigned k = 0; k < 3 * 2 * 64; k++) {
			unsigned bits = widths[k % 3];
			bool is_signed = k / 3 % 2;
			if ((rules[r].types & NARROW && bits == 64) || (rules[r].types & WORD && bits != 32) ||
				(rules[r].types & SIGNED_ONLY && !is_signed))
				continue;
			unsigned lanes = k & 8 ? 64 : 32;
			lane_mask all = lanes == 64 ? ~(lane_mask)0 : UINT32_MAX;
			check_rule(&rules[r], bits, is_signed, lanes,
				k & 16 ? all : (splitmix64(&random_state) | 1) & all);
		}
}

static void pairs_are_two_numbers(void **state)
{
	(void)state;
	assert_int_equal(call_one("add.u16x2", 0xffff0001, 0x00017fff, 0, 0), 0x00008000);
	assert_int_equal(call_one("min.s16x2", 0x8000ffff, 0x00010001, 0, 0), 0x8000ffff);
	assert_int_equal(call_one("max.u16x2", 0x8000ffff, 0x00010001, 0, 0), 0x8000ffff);
	assert_int_equal(call_one("max.relu.s16x2", 0x8000ffff, 0x8001fff0, 0, 0), 0);
}

/* ---- Bits ---- */

static void shifts_beyond_the_width_clamp(void **state)
{
	(void)state;
	assert_int_equal(call_one("shl.b32", 0xdeadbeef, 31, 0, 0), 0x80000000);
	assert_int_equal(call_one("shl.b32", 0xdeadbeef, 32, 0, 0), 0);
	assert_int_equal(call_one("shl.b32", 0xdeadbeef, 0xffffffff, 0, 0), 0);
	assert_int_equal(call_one("shl.b16", 0xffff, 15, 0, 0), 0x8000);
	assert_int_equal(call_one("shl.b16", 0xffff, 16, 0, 0), 0);
	assert_int_equal(call_one("shl.b64", 1, 63, 0, 0), UINT64_C(1) << 63);
	assert_int_equal(call_one("shl.b64", 1, 64, 0, 0), 0);
	assert_int_equal(call_one("shr.u32", 0x80000000, 31, 0, 0), 1);
	assert_int_equal(call_one("shr.u32", 0x80000000, 32, 0, 0), 0);
	assert_int_equal(call_one("shr.s32", 0x80000000, 77, 0, 0), 0xffffffff);
	assert_int_equal(call_one("shr.s16", 0x8000, 15, 0, 0), 0xffff);
	assert_int_equal(call_one("shr.b16", 0x8000, 15, 0, 0), 1);
	assert_int_equal(call_one("shr.s64", UINT64_C(1) << 63, 64, 0, 0), UINT64_MAX);
	assert_int_equal(call_one("shr.u64", UINT64_MAX, 1, 0, 0), UINT64_MAX >> 1);
	assert_int_equal(call_one("shf.l.wrap.b32", 0x89abcdef, 0x01234567, 36, 0), 0x12345678);
	assert_int_equal(call_one("shf.l.clamp.b32", 0x89abcdef, 0x01234567, 36, 0), 0x89abcdef);
	assert_int_equal(call_one("shf.r.wrap.b32", 0x89abcdef, 0x01234567, 36, 0), 0x789abcde);
	assert_int_equal(call_one("shf.r.clamp.b32", 0x89abcdef, 0x01234567, 36, 0), 0x01234567);
	assert_int_equal(call_one("shf.l.wrap.b32", 0x89abcdef, 0x01234567, 0, 0), 0x01234567);
}

static void bits_are_counted_and_found(void **state)
{
	(void)state;
	assert_int_equal(call_one("popc.b32", 0xf0f0f001, 0, 0, 0), 13);
	assert_int_equal(call_one("popc.b64", UINT64_MAX, 0, 0, 0), 64);
	assert_int_equal(call_one("clz.b32", 0, 0, 0, 0), 32);
	assert_int_equal(call_one("clz.b64", 0, 0, 0, 0), 64);
	assert_int_equal(call_one("clz.b32", 0x00010000, 0, 0, 0), 15);
	assert_int_equal(call_one("bfind.u32", 0, 0, 0, 0), 0xffffffff);
	assert_int_equal(call_one("bfind.u32", 0x00010000, 0, 0, 0), 16);
	assert_int_equal(call_one("bfind.s32", 0xffffffff, 0, 0, 0), 0xffffffff);
	assert_int_equal(call_one("bfind.s32", 0xfffeffff, 0, 0, 0), 16);
	assert_int_equal(call_one("bfind.shiftamt.u32", 0x00010000, 0, 0, 0), 15);
	assert_int_equal(call_one("bfind.shiftamt.s64", 1, 0, 0, 0), 63);
	assert_int_equal(call_one("bfind.shiftamt.u32", 0, 0, 0, 0), 0xffffffff);
	assert_int_equal(call_one("brev.b32", 0x00000001, 0, 0, 0), 0x80000000);
	assert_int_equal(call_one("brev.b64", 0x0123456789abcdef, 0, 0, 0), 0xf7b3d591e6a2c480);
	assert_int_equal(call_one("not.b16", 0x00ff, 0, 0, 0), 0xff00);
	assert_int_equal(call_one("cnot.b64", 0, 0, 0, 0), 1);
	assert_int_equal(call_one("fns.b32", 0x0000aa00, 8, 2, 0), 11);
	assert_int_equal(call_one("fns.b32", 0x0000aa00, 12, (uint32_t)-1, 0), 11);
	assert_int_equal(call_one("fns.b32", 0x0000aa00, 9, 0, 0), 9);
	assert_int_equal(call_one("fns.b32", 0x0000aa00, 8, 0, 0), 0xffffffff);
	assert_int_equal(call_one("fns.b32", 0x0000aa00, 8, 5, 0), 0xffffffff);
	assert_int_equal(call_one("bmsk.clamp.b32", 4, 8, 0, 0), 0xff0);
	assert_int_equal(call_one("bmsk.clamp.b32", 28, 40, 0, 0), 0xf0000000);
	assert_int_equal(call_one("bmsk.wrap.b32", 36, 40, 0, 0), 0xff0);
	assert_int_equal(call_one("szext.clamp.s32", 0x80, 8, 0, 0), 0xffffff80);
	assert_int_equal(call_one("szext.clamp.u32", 0xfff, 8, 0, 0), 0xff);
	assert_int_equal(call_one("szext.wrap.s32", 0x80, 40, 0, 0), 0xffffff80);
	assert_int_equal(call_one("szext.clamp.s32", 0x80, 40, 0, 0), 0x80);
}

/* The ISA's own loops over bits. */
static uint64_t bfe(uint64_t a, unsigned position, unsigned length, unsigned bits, bool is_signed)
{
	unsigned msb = bits - 1, top = position + length - 1 < msb ? position + length - 1 : msb;
	uint64_t sign = is_signed && length ? a >> top & 1 : 0, d = 0;
	for (unsigned k = 0; k <= msb; k++)
		d |= (k < length && position + k <= msb ? a >> (position + k) & 1 : sign) << k;
	return d;
}

static uint64_t bfi(uint64_t a, uint64_t b, unsigned position, unsigned length, unsigned bits)
{
	for (unsigned k = 0; k < length && position + k < bits; k++)
		b = (b & ~(UINT64_C(1) << (position + k))) | (a >> k & 1) << (position + k);
	return b;
}

static void fields_are_those_of_the_isa(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 400; k++) {
		uint64_t a = draw(), b = draw(), position = draw() & 0x1ff, length = draw() & 0x1ff;
		if (k & 1) {
			position &= 63;
			length &= 63;
		}
		unsigned p = position & 0xff, n = length & 0xff;
		assert_int_equal(call_one("bfe.u32", a, position, length, 0), bfe(cut(a, 32), p, n, 32, false));
		assert_int_equal(call_one("bfe.s32", a, position, length, 0), bfe(cut(a, 32), p, n, 32, true));
		assert_int_equal(call_one("bfe.u64", a, position, length, 0), bfe(a, p, n, 64, false));
		assert_int_equal(call_one("bfe.s64", a, position, length, 0), bfe(a, p, n, 64, true));
		assert_int_equal(call_one("bfi.b32", a, b, position, length), bfi(cut(a, 32), cut(b, 32), p, n, 32));
		assert_int_equal(call_one("bfi.b64", a, b, position, length), bfi(a, b, p, n, 64));
	}
}

static void lop3_looks_up_every_table(void **state)
{
	(void)state;
	for (unsigned table = 0; table < 256; table++)
		assert_int_equal(call_one("lop3.b32", 0xf0, 0xcc, 0xaa, table), table | (table & 1 ? 0xffffff00u : 0));
	struct call call = {.text = "lop3.and.b32", .lanes = 32, .active = 3, .predicate = {1}};
	call.source[0][0] = call.source[0][1] = 7;
	call.source[1][0] = call.source[1][1] = 5;
	for (unsigned lane = 0; lane < 32; lane++)
		call.source[3][lane] = 0xc0;
	call_run(&call);
	assert_int_equal(call.d[0], 5);
	assert_int_equal(call.p, 1);
}

static void prmt_permutes(void **state)
{
	(void)state;
	assert_int_equal(call_one("prmt.b32", 0x33221100, 0x77665544, 0x7531, 0), 0x77553311);
	assert_int_equal(call_one("prmt.b32", 0x33221180, 0x77665544, 0x0898, 0), 0x80ff00ff);
	assert_int_equal(call_one("prmt.b32.f4e", 0x33221100, 0x77665544, 1, 0), 0x44332211);
	assert_int_equal(call_one("prmt.b32.b4e", 0x33221100, 0x77665544, 1, 0), 0x66770011);
	assert_int_equal(call_one("prmt.b32.rc8", 0x33221100, 0x77665544, 2, 0), 0x22222222);
	assert_int_equal(call_one("prmt.b32.ecl", 0x33221100, 0x77665544, 1, 0), 0x33221111);
	assert_int_equal(call_one("prmt.b32.ecr", 0x33221100, 0x77665544, 2, 0), 0x22221100);
	assert_int_equal(call_one("prmt.b32.rc16", 0x33221100, 0x77665544, 1, 0), 0x33223322);
}

static void dot_products(void **state)
{
	(void)state;
	assert_int_equal(call_one("dp4a.u32.u32", 0x01020304, 0x01010101, 100, 0), 110);
	assert_int_equal(call_one("dp4a.s32.s32", 0xff02ff04, 0x01010101, 0, 0), 4);
	assert_int_equal(call_one("dp4a.u32.s32", 0xff000000, 0xff000000, 0, 0), (uint32_t)-255);
	assert_int_equal(call_one("dp4a.s32.u32", 0xff000000, 0xff000000, 0, 0), (uint32_t)-255);
	assert_int_equal(call_one("dp2a.lo.s32.u32", 0xffff0002, 0x04030201, 10, 0), 10 + 2 - 2);
	assert_int_equal(call_one("dp2a.hi.u32.u32", 0x00010002, 0x04030201, 10, 0), 10 + 6 + 4);
}

/* ---- Carry ---- */

/* Adds, subtracts and multiplies numbers of 128 bits in words, and compares with the compiler's. */
static uint64_t chain(const char *text, uint64_t a, uint64_t b, uint64_t c, lane_mask *carry)
{
	struct call call = {.text = text, .lanes = 32, .active = 4, .carry = *carry};
	call.source[0][2] = a;
	call.source[1][2] = b;
	call.source[2][2] = c;
	call_run(&call);
	assert_int_equal(call.carry & ~(lane_mask)4, *carry & ~(lane_mask)4);
	*carry = call.carry;
	return call.d[2];
}

static void carries_make_long_numbers(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 200; k++) {
		uint64_t a0 = draw(), a1 = draw(), b0 = draw(), b1 = draw();
		unsigned __int128 a = (unsigned __int128)a1 << 64 | a0, b = (unsigned __int128)b1 << 64 | b0;
		lane_mask carry = k & 1 ? ~(lane_mask)0 : 0;
		uint64_t low = chain("add.cc.u64", a0, b0, 0, &carry), high = chain("addc.u64", a1, b1, 0, &carry);
		assert_true(((unsigned __int128)high << 64 | low) == a + b);
		low = chain("sub.cc.s64", a0, b0, 0, &carry);
		high = chain("subc.cc.s64", a1, b1, 0, &carry);
		assert_true(((unsigned __int128)high << 64 | low) == a - b);
		assert_int_equal(carry >> 2 & 1, a >= b); /* set: no borrow */
		/* 64 x 64 bits by words, as compilers for 32-bit machines do it */
		uint64_t x0 = cut(a0, 32), x1 = a0 >> 32, y0 = cut(b0, 32), y1 = b0 >> 32;
		uint64_t r0 = cut(x0 * y0, 32), r1 = x0 * y0 >> 32, r2, r3;
		r1 = chain("mad.lo.cc.u32", x0, y1, r1, &carry);
		r2 = chain("madc.hi.u32", x0, y1, 0, &carry);
		r1 = chain("mad.lo.cc.u32", x1, y0, r1, &carry);
		r2 = chain("madc.hi.cc.u32", x1, y0, r2, &carry);
		r3 = chain("addc.u32", 0, 0, 0, &carry);
		r2 = chain("mad.lo.cc.u32", x1, y1, r2, &carry);
		r3 = chain("madc.hi.u32", x1, y1, r3, &carry);
		unsigned __int128 product = (unsigned __int128)a0 * b0;
		assert_true(product == ((unsigned __int128)(r3 << 32 | r2) << 64 | (r1 << 32 | r0)));
	}
}

/* ---- Video ---- */

static uint32_t video(
	const char *text, uint32_t a, uint32_t b, uint32_t c, uint32_t d_part, uint32_t a_part, uint32_t b_part)
{
	struct call call = {.text = text, .lanes = 32, .active = 1, .selector = {d_part, a_part, b_part, 0}};
	call.source[0][0] = a;
	call.source[1][0] = b;
	call.source[2][0] = c;
	call_run(&call);
	return (uint32_t)call.d[0];
}

static void video_scalars(void **state)
{
	(void)state;
	assert_int_equal(video("vadd.s32.u32.s32", 0xff, 0x80, 0, SELECT_NONE, SELECT_B0, SELECT_B0), 0x7f);
	assert_int_equal(
		video("vadd.s32.u32.s32.sat", 0xff, 0x80ff, 0x11223344, SELECT_B1, SELECT_B0, SELECT_H0), 0x11228044);
	assert_int_equal(video("vsub.u32.u32.u32.sat", 5, 7, 0, SELECT_NONE, SELECT_NONE, SELECT_NONE), 0);
	assert_int_equal(
		video("vabsdiff.u32.s32.s32.add", 0xfffffffd, 4, 100, SELECT_NONE, SELECT_NONE, SELECT_NONE), 107);
	assert_int_equal(video("vmin.s32.s32.s32.max", 3, 9, 5, SELECT_NONE, SELECT_NONE, SELECT_NONE), 5);
	assert_int_equal(video("vshl.u32.u32.u32.clamp", 1, 40, 0, SELECT_NONE, SELECT_NONE, SELECT_NONE), 0);
	assert_int_equal(video("vshl.u32.u32.u32.wrap", 1, 40, 0, SELECT_NONE, SELECT_NONE, SELECT_NONE), 256);
	assert_int_equal(
		video("vshr.s32.s32.u32.clamp", 0x80000000, 99, 0, SELECT_NONE, SELECT_NONE, SELECT_NONE), 0xffffffff);
	assert_int_equal(video("vset.s32.u32.lt.add", 0xffffffff, 0, 41, SELECT_NONE, SELECT_NONE, SELECT_NONE), 42);
	assert_int_equal(video("vmad.u32.u32.u32.po", 3, 4, 5, SELECT_NONE, SELECT_NONE, SELECT_NONE), 18);
	assert_int_equal(
		video("vmad.s32.s32.s32.sat.shr7", 0x7fff0000, 0x7fff0000, 0, SELECT_NONE, SELECT_NONE, SELECT_NONE),
		0x7fffffff);
	assert_int_equal(
		video("vmad.u32.u32.u32.sat", 0xffffffff, 0xffffffff, 0, SELECT_NONE, SELECT_NONE, SELECT_NONE),
		0xffffffff);
	assert_int_equal(
		video("vmad.s32.s32.u32.shr15", 0x18000, 0x0100, 0, SELECT_NONE, SELECT_NONE, SELECT_NONE), 0x300);
}

/* The result of a comparison is unsigned, and so is what follows.  A product and c are unsigned unless a factor is
 * signed or one of them is negated (PTX ISA, vset and vmad). */
static void video_signs(void **state)
{
	(void)state;
	assert_int_equal(video("vset.s32.s32.lt.min", 1, 2, 0xffffffff, SELECT_NONE, SELECT_NONE, SELECT_NONE), 1);
	assert_int_equal(
		video("vset.s32.s32.lt.max", 1, 2, 0xffffffff, SELECT_NONE, SELECT_NONE, SELECT_NONE), 0xffffffff);
	assert_int_equal(
		video("vmin.s32.s32.s32.min", 1, 2, 0xffffffff, SELECT_NONE, SELECT_NONE, SELECT_NONE), 0xffffffff);
	assert_int_equal(video("vmin.u32.u32.u32.min", 1, 2, 0xffffffff, SELECT_NONE, SELECT_NONE, SELECT_NONE), 1);
	/* Each comparison of less, equal and greater; of -1 and 1 as the types say. */
	static const struct {
		const char *name;
		uint32_t of[3];
	} comparisons[] = {{"eq", {0, 1, 0}}, {"ne", {1, 0, 1}}, {"lt", {1, 0, 0}}, {"le", {1, 1, 0}},
		{"gt", {0, 0, 1}}, {"ge", {0, 1, 1}}};
	for (size_t k = 0; k < 6; k++) {
		char is_signed[32], is_unsigned[32], four[32];
		snprintf(is_signed, sizeof is_signed, "vset.s32.s32.%s", comparisons[k].name);
		snprintf(is_unsigned, sizeof is_unsigned, "vset.u32.u32.%s", comparisons[k].name);
		snprintf(four, sizeof four, "vset4.s32.s32.%s", comparisons[k].name);
		for (uint32_t a = 1; a <= 3; a++)
			assert_int_equal(video(is_unsigned, a, 2, 0, SELECT_NONE, SELECT_NONE, SELECT_NONE),
				comparisons[k].of[a - 1]);
		assert_int_equal(video(is_signed, 0xffffffff, 1, 0, SELECT_NONE, SELECT_NONE, SELECT_NONE),
			comparisons[k].of[0]);
		assert_int_equal(video(is_unsigned, 0xffffffff, 1, 0, SELECT_NONE, SELECT_NONE, SELECT_NONE),
			comparisons[k].of[2]);
		assert_int_equal(video(four, 0xff030201, 0x01020202, 0, 15, 0x3210, 0x7654),
			comparisons[k].of[0] << 24 | comparisons[k].of[2] << 16 | comparisons[k].of[1] << 8 |
				comparisons[k].of[0]);
	}
	static const struct {
		const char *text;
		bool negate[4];
		uint32_t c, result;
	} sums[] = {
		/* 3 * 4 and c */
		{"vmad.u32.u32.u32.sat", {0}, 20, 32},
		{"vmad.u32.u32.u32.sat", {[3] = true}, 20, (uint32_t)-8},
		{"vmad.u32.u32.u32.sat", {[1] = true}, 20, 8},
		{"vmad.u32.u32.u32.sat", {[2] = true}, 2, (uint32_t)-10},
		{"vmad.u32.u32.u32.sat", {[1] = true, [2] = true}, 2, 14},
		{"vmad.u32.u32.u32.sat", {0}, 0xfffffff0, 0xfffffffc},
		{"vmad.u32.u32.u32.sat", {[3] = true}, 0xfffffff0, 28}, /* c is -16 */
		{"vmad.u32.u32.u32.sat", {0}, 0xffffffff, 0xffffffff},
		{"vmad.u32.s32.u32.sat", {0}, 0xffffffff, 11},
		{"vmad.u32.u32.s32.sat", {0}, 0xffffffff, 11},
		{"vmad.u32.u32.s32.sat", {0}, 0x7fffffff, 0x7fffffff},
		{"vmad.u32.s32.s32.sat", {[1] = true}, 0x80000000, 0x80000000},
	};
	for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
		struct call call = {.text = sums[k].text,
			.lanes = 32,
			.active = 1,
			.selector = {SELECT_NONE, SELECT_NONE, SELECT_NONE, SELECT_NONE}};
		memcpy(call.negate, sums[k].negate, sizeof call.negate);
		call.source[0][0] = 3;
		call.source[1][0] = 4;
		call.source[2][0] = sums[k].c;
		call_run(&call);
		if (call.d[0] != sums[k].result)
			fail_msg("%s, case %zu: %llx", sums[k].text, k, (unsigned long long)call.d[0]);
	}
}

static void video_many_ways(void **state)
{
	(void)state;
	assert_int_equal(video("vadd4.u32.u32.u32.sat", 0xff01807f, 0x01010101, 0, 15, 0x3210, 0x7654), 0xff028180);
	assert_int_equal(video("vadd4.s32.s32.s32.sat", 0xff01807f, 0x01010101, 0, 15, 0x3210, 0x7654), 0x0002817f);
	assert_int_equal(video("vabsdiff4.u32.u32.u32.add", 0x01020304, 0x04030201, 10, 15, 0x3210, 0x7654), 18);
	assert_int_equal(video("vsub2.s32.s32.s32", 0x00050003, 0x00010001, 0xaaaabbbb, 1, 0x10, 0x32), 0xaaaa0002);
	assert_int_equal(video("vset4.u32.u32.gt", 0x05010501, 0x02020202, 0, 15, 0x3210, 0x7654), 0x01000100);
	assert_int_equal(video("vavrg2.s32.s32.s32", 0x00050003, 0x00020002, 0, 3, 0x10, 0x32), 0x00040003);
	assert_int_equal(video("vmax4.u32.u32.u32", 0x01020304, 0x01010105, 0, 15, 0x0123, 0x7654), 0x04030205);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic_is_that_of_whole_numbers),
		cmocka_unit_test(pairs_are_two_numbers),
		cmocka_unit_test(shifts_beyond_the_width_clamp),
		cmocka_unit_test(bits_are_counted_and_found),
		cmocka_unit_test(fields_are_those_of_the_isa),
		cmocka_unit_test(lop3_looks_up_every_table),
		cmocka_unit_test(prmt_permutes),
		cmocka_unit_test(dot_products),
		cmocka_unit_test(carries_make_long_numbers),
		cmocka_unit_test(video_scalars),
		cmocka_unit_test(video_signs),
		cmocka_unit_test(video_many_ways),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
