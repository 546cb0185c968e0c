/* Comparison, selection, movement, what lanes do together, and atomic operations on a word. */
#include "lanes_harness.h"

#include <math.h>
#include <stdlib.h>

#include "warp/lanes/float.h"
#include "warp/windows.h"

static uint64_t random_state = 4711;

/* ---- setp, set, selp, slct ---- */

static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu",
	"ltu", "leu", "gtu", "geu", "num", "nan"};

/* order: -1 less, 0 equal, 1 greater, 2 unordered */
static bool holds(const char *name, int order)
{
	bool unordered = order == 2;
	if (!strcmp(name, "num") || !strcmp(name, "nan"))
		return unordered == (name[1] == 'a');
	if (strlen(name) == 3 && unordered)
		return true;
	if (unordered)
		return false;
	if (!strncmp(name, "eq", 2) || !strncmp(name, "ne", 2))
		return (order == 0) == (name[0] == 'e');
	if (order == 0)
		return name[1] == 'e' || name[1] == 's'; /* le ge ls hs */
	return (order < 0) == (name[0] == 'l');
}

static int order_of(const char *type, bool as_unsigned, uint64_t a, uint64_t b)
{
	if (type[0] == 'f') {
		double x = type[1] == '3'   ? float_of((uint32_t)a)
			   : type[1] == '6' ? double_of(a)
					    : half_to_float((uint32_t)a & 0xffff);
		double y = type[1] == '3'   ? float_of((uint32_t)b)
			   : type[1] == '6' ? double_of(b)
					    : half_to_float((uint32_t)b & 0xffff);
		return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
	}
	unsigned shift = 64 - (unsigned)strtoul(type + 1, NULL, 10);
	a <<= shift;
	b <<= shift;
	if (type[0] == 's' && !as_unsigned)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}

static uint64_t draw(const char *type)
{
	static const uint32_t floats[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7fc00000, 0xff800000, 0x7f800000, 1};
	uint64_t r = splitmix64(&random_state);
	if (!strcmp(type, "f32"))
		return floats[r & 7];
	if (!strcmp(type, "f16"))
		return floats[r & 7] >> 16;
	if (!strcmp(type, "f64"))
		return bits_of_double(float_of(floats[r & 7]));
	return r & 1 ? (r >> 8) & 3 : ~((r >> 8) & 3);
}

static void check_setp(const char *comparison, const char *type, const char *boolean, unsigned lanes, lane_mask active)
{
	char text[40];
	struct call call = {.text = text, .lanes = lanes, .active = active, .predicate = {splitmix64(&random_state)}};
	snprintf(text, sizeof text, "setp.%s%s.%s", comparison, boolean, type);
	for (unsigned lane = 0; lane < lanes; lane++) {
		call.source[0][lane] = draw(type);
		call.source[1][lane] = draw(type);
	}
	call_run(&call);
	bool as_unsigned = !strcmp(comparison, "lo") || !strcmp(comparison, "ls") || !strcmp(comparison, "hi") ||
			   !strcmp(comparison, "hs");
	for (unsigned lane = 0; lane < lanes; lane++) {
		if (!(active >> lane & 1))
			continue;
		bool truth = holds(comparison, order_of(type, as_unsigned, call.source[0][lane], call.source[1][lane]));
		bool source = call.predicate[0] >> lane & 1, p = truth, q = !truth;
		if (*boolean) {
			p = boolean[1] == 'a' ? truth && source : boolean[1] == 'o' ? truth || source : truth != source;
			q = boolean[1] == 'a'   ? !truth && source
			    : boolean[1] == 'o' ? !truth || source
						: !truth != source;
		}
		if ((call.p >> lane & 1) != p || (call.q >> lane & 1) != q)
			fail_msg("%s of %llx %llx", text, (unsigned long long)call.source[0][lane],
				(unsigned long long)call.source[1][lane]);
	}
}

/* PTX ISA, setp: bits are equal or not, .lo to .hs are for unsigned integers, those from .equ on for floats. */
static bool takes(char kind, unsigned comparison)
{
	if (kind == 'f')
		return comparison < 6 || comparison >= 10;
	return comparison < (kind == 'b' ? 2 : kind == 's' ? 6 : 10);
}

static void every_comparison_of_every_type(void **state)
{
	(void)state;
	static const char *const types[] = {
		"b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f16", "f32", "f64"};
	static const char *const booleans[] = {"", ".and", ".or", ".xor"};
	for (unsigned type = 0; type < 12; type++)
		for (unsigned comparison = 0; comparison < 18; comparison++) {
			if (!takes(types[type][0], comparison))
				continue;
			for (unsigned k = 0; k < 8; k++) {
				lane_mask all = k & 1 ? ~(lane_mask)0 : UINT32_MAX;
				check_setp(comparisons[comparison], types[type], booleans[k / 2], k & 1 ? 64 : 32,
					k & 4 ? all : (splitmix64(&random_state) | 1) & all);
			}
		}
}

static void pairs_compare_into_two_predicates(void **state)
{
	(void)state;
	struct call call = {.text = "setp.lt.f16x2", .lanes = 32, .active = 1};
	call.source[0][0] = 0x40003c00;
	call.source[1][0] = 0x3c004000;
	call_run(&call);
	assert_int_equal(call.p, 1);
	assert_int_equal(call.q, 0);
	/* in each lane, the last one too: 1 < 2, and 2 < 1 where a mask has a 0 */
	const lane_mask low = 0x9234567887654321, high = 0xedcba987f0f0e1e1;
	for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
		const lane_mask all = lanes == 64 ? ~(lane_mask)0 : UINT32_MAX;
		call = (struct call){.text = "setp.lt.f16x2", .lanes = lanes, .active = all};
		for (unsigned lane = 0; lane < lanes; lane++) {
			call.source[0][lane] =
				(low >> lane & 1 ? 0x3c00 : 0x4000) | (high >> lane & 1 ? 0x3c000000 : 0x40000000);
			call.source[1][lane] = call.source[0][lane] ^ 0x7c007c00; /* 1 for 2, and 2 for 1 */
		}
		call_run(&call);
		assert_true(call.p == (low & all) && call.q == (high & all));
	}
}

static void set_gives_all_ones_or_one(void **state)
{
	(void)state;
	assert_int_equal(call_one("set.lt.u32.s32", 0xffffffff, 0, 0, 0), 0xffffffff);
	assert_int_equal(call_one("set.lt.f32.u32", 0xffffffff, 0, 0, 0), 0);
	assert_int_equal(call_one("set.gt.f32.u32", 0xffffffff, 0, 0, 0), 0x3f800000);
	assert_int_equal(call_one("set.neu.s32.f64", bits_of_double(NAN), 0, 0, 0), 0xffffffff);
	assert_int_equal(call_one("set.ge.f16x2.f16x2", 0x3c000000, 0x00003c00, 0, 0), 0x3c000000);
	assert_int_equal(call_one("set.eq.u32.u64", UINT64_C(1) << 40, UINT64_C(1) << 40, 0, 0), 0xffffffff);
	assert_int_equal(call_one("set.eq.and.u32.u32", 1, 1, 0, 0), 0); /* predicate 0 is false */
}

static void selections(void **state)
{
	(void)state;
	struct call call = {
		.text = "selp.b64", .lanes = 64, .active = ~(lane_mask)0, .predicate = {0x123456789abcdef0}};
	for (unsigned lane = 0; lane < 64; lane++) {
		call.source[0][lane] = lane;
		call.source[1][lane] = 1000 + lane;
	}
	call_run(&call);
	for (unsigned lane = 0; lane < 64; lane++)
		assert_int_equal(call.d[lane], call.predicate[0] >> lane & 1 ? lane : 1000 + lane);
	assert_int_equal(call_one("slct.u64.s32", 1, 2, 0x80000000, 0), 2);
	assert_int_equal(call_one("slct.u16.f32", 1, 2, 0x80000000, 0), 1);
	assert_int_equal(call_one("slct.u32.f32", 1, 2, 0x7fc00000, 0), 2);
	assert_int_equal(call_one("slct.ftz.f32.f32", 1, 2, 0x80000001, 0), 1);
}

static void numbers_are_classified(void **state)
{
	(void)state;
	static const char *const names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
	static const uint32_t floats[] = {0, 0x80000001, 0x3f800000, 0xff800000, 0x7fc00000, 0x7f800001};
	static const unsigned expected[] = {0x07, 0x08, 0x0f, 0x30, 0x05, 0x02}; /* zero is normal, says the ISA */
	for (unsigned k = 0; k < 6; k++) {
		char text[32];
		struct call call = {.text = text, .lanes = 32, .active = 0x3f};
		snprintf(text, sizeof text, "testp.%s.f32", names[k]);
		for (unsigned lane = 0; lane < 6; lane++)
			call.source[0][lane] = floats[lane];
		call_run(&call);
		assert_int_equal(call.p, expected[k]);
	}
}

/* ---- mov, cvta ---- */

static void predicates_move_as_masks(void **state)
{
	(void)state;
	struct call call = {.text = "xor.pred", .lanes = 64, .active = 0xff00ff, .predicate = {0x0f0f0f, 0x3333333}};
	call_run(&call);
	assert_int_equal(call.p, (0x0f0f0f ^ 0x3333333) & 0xff00ff);
	call.text = "not.pred";
	call_run(&call);
	assert_int_equal(call.p, ~0x0f0f0full & 0xff00ff);
	call.text = "mov.pred";
	call_run(&call);
	assert_int_equal(call.p, 0x0f0f0f & 0xff00ff);
	assert_int_equal(call_one("mov.b64", 0x123456789abcdef0, 0, 0, 0), 0x123456789abcdef0);
	assert_int_equal(call_one("mov.u16", 0xabcd1234, 0, 0, 0), 0x1234);
}

/* Vectors by hand, in every variant: slot 8 and on hold the parts, slot 0 the whole. */
static void check_vector(
	exec_function *exec, struct insn *insn, const struct insn_extra *extra, uint32_t *registers, unsigned lanes)
{
	struct insn_extra extras[2];
	extras[1] = *extra;
	struct kernel kernel = {.extras = extras};
	struct warp w = {.bank = {registers, registers}, .kernel = &kernel, .lanes = lanes};
	insn->extra = 1;
	exec(&w, insn, 1);
}

/* Each operation for all four pairs of bits; a lane that is not active keeps its predicate. */
static void predicates_are_combined(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		lane_mask result;
	} operations[] = {{"and.pred", 0x8}, {"or.pred", 0xe}, {"xor.pred", 0x6}};
	for (unsigned k = 0; k < 3; k++) {
		struct call call = {.text = operations[k].text,
			.lanes = 64,
			.active = 0xf0000000f,
			.predicate = {0xc0000000c, 0xaa0000000a}};
		call_run(&call);
		assert_int_equal(call.p, operations[k].result << 32 | operations[k].result);
	}
	struct call inverse = {.text = "not.pred", .lanes = 64, .active = 0xf0000000f, .predicate = {0xc0000000c}};
	call_run(&inverse);
	assert_int_equal(inverse.p, 0x300000003);
}

static void vectors_are_packed_and_unpacked(void **state)
{
	(void)state;
#define BOTH_WAYS(name, size, usable)                                                                                  \
	if (usable) {                                                                                                  \
		static _Alignas(64) uint32_t registers[32 * 64];                                                       \
		struct insn insn = {.d = 0};                                                                           \
		struct insn_extra extra = {.vector_count = 4};                                                         \
		call_decode("mov.b64", &insn);                                                                         \
		for (unsigned k = 0; k < 4; k++) {                                                                     \
			extra.vector[k] = (8 + k) * size;                                                              \
			registers[(8 + k) * size] = 0xaaaa0000 + k + 1;                                                \
		}                                                                                                      \
		check_vector(lanes_lookup_##name(&insn, &extra), &insn, &extra, registers, size);                      \
		assert_int_equal(get(registers, 8, 0), 0x0004000300020001);                                            \
		insn.d = SLOT_NONE;                                                                                    \
		insn.s[0] = 0;                                                                                         \
		extra.vector[1] = SLOT_NONE;                                                                           \
		extra.vector[2] = 0; /* the whole's own slot: taken apart through a copy */                            \
		check_vector(lanes_lookup_##name(&insn, &extra), &insn, &extra, registers, size);                      \
		assert_int_equal(registers[8 * size], 1);                                                              \
		assert_int_equal(registers[9 * size], 0xaaaa0002);                                                     \
		assert_int_equal(registers[0], 3);                                                                     \
		assert_int_equal(registers[11 * size], 4);                                                             \
	}
	LANE_VARIANTS(BOTH_WAYS)
#undef BOTH_WAYS
}

static void addresses_change_their_window(void **state)
{
	(void)state;
	assert_int_equal(call_one("cvta.shared.u64", 16, 0, 0, 0), SHARED_WINDOW + 16);
	assert_int_equal(call_one("cvta.to.local.u32", LOCAL_WINDOW + 4, 0, 0, 0), 4);
	assert_int_equal(call_one("cvta.global.u64", GLOBAL_WINDOW, 0, 0, 0), GLOBAL_WINDOW);
	struct call call = {.text = "isspacep.shared", .lanes = 32, .active = 7};
	call.source[0][0] = SHARED_WINDOW;
	call.source[0][1] = SHARED_WINDOW + WINDOW_SIZE;
	call.source[0][2] = SHARED_WINDOW - 1;
	call_run(&call);
	assert_int_equal(call.p, 1);
}

/* ---- Lanes together ---- */

static void shuffles_follow_the_isa(void **state)
{
	(void)state;
	struct call call = {.text = "shfl.sync.bfly.b32", .lanes = 64, .active = ~(lane_mask)0};
	for (unsigned lane = 0; lane < 64; lane++) {
		call.source[0][lane] = 100 + lane;
		call.source[1][lane] = 16;
		call.source[2][lane] = 0x1f;
	}
	call_run(&call);
	for (unsigned lane = 0; lane < 64; lane++)
		assert_int_equal(call.d[lane], 100 + (lane ^ 16)); /* the halves of a 64-lane warp keep to themselves */
	call.text = "shfl.sync.up.b32";
	for (unsigned lane = 0; lane < 64; lane++) {
		call.source[1][lane] = 1;
		call.source[2][lane] = 0;
	}
	call_run(&call);
	for (unsigned lane = 0; lane < 64; lane++)
		assert_int_equal(call.d[lane], 100 + (lane % 32 ? lane - 1 : lane));
	assert_int_equal(call.p, 0xfffffffefffffffe);
	call.text = "shfl.down.b32"; /* segments of 8 */
	for (unsigned lane = 0; lane < 64; lane++)
		call.source[2][lane] = 0x181f;
	call_run(&call);
	for (unsigned lane = 0; lane < 64; lane++)
		assert_int_equal(call.d[lane], 100 + (lane % 8 == 7 ? lane : lane + 1));
	call.text = "shfl.idx.b32";
	call.active = 0xfffffffd;
	for (unsigned lane = 0; lane < 64; lane++) {
		call.source[1][lane] = 1;
		call.source[2][lane] = 0x1f;
	}
	call_run(&call);
	assert_int_equal(call.d[5], 0); /* lane 1 is not active: docs/undefined.md */
	assert_int_equal(call.p, 0xfffffffd);
}

static void votes(void **state)
{
	(void)state;
	struct call call = {.text = "vote.sync.ballot.b32",
		.lanes = 64,
		.active = 0x0000000f000000ff,
		.predicate = {0x0000000f0000000a}};
	for (unsigned lane = 0; lane < 64; lane++)
		call.source[0][lane] = lane == 1 ? 0x0c : 0xffffffff;
	call_run(&call);
	assert_int_equal(call.d[0], 0x0a);
	assert_int_equal(call.d[1], 0x08); /* of the lanes it names */
	assert_int_equal(call.d[32], 0x0f);
	call.text = "vote.all.pred";
	call_run(&call);
	assert_int_equal(call.p, 0x0000000f00000000);
	call.text = "vote.any.pred";
	call_run(&call);
	assert_int_equal(call.p, call.active);
	call.text = "vote.sync.uni.pred";
	call_run(&call);
	assert_int_equal(call.p, 0x0000000f00000000);
	call.text = "activemask.b32";
	call_run(&call);
	assert_int_equal(call.d[0], 0xff);
	assert_int_equal(call.d[33], 0x0f);
	call.text = "elect.sync";
	call.active = 0xf0000000c;
	call_run(&call);
	assert_int_equal(call.d[3], 2);
	assert_int_equal(call.p, 0x100000004);
}

static void matches(void **state)
{
	(void)state;
	struct call call = {.text = "match.any.sync.b64", .lanes = 32, .active = 0x1ff};
	for (unsigned lane = 0; lane < 32; lane++)
		call.source[0][lane] = (uint64_t)(lane % 3) << 40;
	call_run(&call);
	assert_int_equal(call.d[0], 0x49);
	assert_int_equal(call.d[4], 0x92);
	call.text = "match.all.sync.b32"; /* the low halves are all 0 */
	call_run(&call);
	assert_int_equal(call.d[8], 0x1ff);
	assert_int_equal(call.p, 0x1ff);
	call.source[0][3] = 1;
	call_run(&call);
	assert_int_equal(call.d[8], 0);
	assert_int_equal(call.p, 0);
}

static uint64_t reduced(const char *text, uint32_t first, uint32_t second, uint32_t third)
{
	struct call call = {.text = text, .lanes = 32, .active = 0x111};
	call.source[0][0] = first;
	call.source[0][4] = second;
	call.source[0][8] = third;
	call.source[0][1] = 0x7fffffff; /* inactive */
	call_run(&call);
	assert_int_equal(call.d[0], call.d[8]);
	return call.d[4];
}

static void reductions(void **state)
{
	(void)state;
	assert_int_equal(reduced("redux.sync.add.u32", 0xffffffff, 2, 3), 4);
	assert_int_equal(reduced("redux.sync.min.s32", 0xffffffff, 2, 3), 0xffffffff);
	assert_int_equal(reduced("redux.sync.min.u32", 0xffffffff, 2, 3), 2);
	assert_int_equal(reduced("redux.sync.max.s32", 0xffffffff, 2, 3), 3);
	assert_int_equal(reduced("redux.sync.xor.b32", 3, 2, 4), 5);
	assert_int_equal(reduced("redux.sync.and.b32", 7, 6, 12), 4);
	assert_int_equal(reduced("redux.sync.max.f32", bits_of(-7), bits_of(NAN), bits_of(3)), bits_of(3));
	assert_int_equal(reduced("redux.sync.max.abs.f32", bits_of(-7), bits_of(NAN), bits_of(3)), bits_of(7));
	assert_int_equal(reduced("redux.sync.min.NaN.f32", bits_of(-7), bits_of(NAN), bits_of(3)), 0x7fffffff);
}

/* NaNs are ignored, are canonical where there is nothing else, and -0 lies below 0; infinities are numbers.  A half of
 * a warp of 64 lanes keeps to itself. */
static void reductions_of_floats_and_halves(void **state)
{
	(void)state;
	assert_int_equal(reduced("redux.sync.min.f32", 0x7f800000, 0xff800000, 0x7f800000), 0xff800000);
	assert_int_equal(reduced("redux.sync.max.f32", 0x7f800000, 0xff800000, 0x7f7fffff), 0x7f800000);
	assert_int_equal(reduced("redux.sync.max.f32", 0x7f800001, 0xff800000, 0x7f800001), 0xff800000);
	assert_int_equal(reduced("redux.sync.max.f32", 0xff800000, 0x7f800001, 0xffc00000), 0xff800000);
	assert_int_equal(reduced("redux.sync.min.f32", 0x7f800001, 0xff800001, 0x7fc00000), 0x7fffffff);
	assert_int_equal(reduced("redux.sync.max.NaN.f32", 0x7f800000, 0x7f800001, 0x7f800000), 0x7fffffff);
	assert_int_equal(reduced("redux.sync.max.NaN.f32", 0x7f800000, 0x3f800000, 0x7f800000), 0x7f800000);
	assert_int_equal(reduced("redux.sync.min.f32", 0, 0x80000000, 0), 0x80000000);
	assert_int_equal(reduced("redux.sync.max.f32", 0x80000000, 0, 0x80000000), 0);
	assert_int_equal(reduced("redux.sync.min.abs.f32", bits_of(-7), bits_of(-2), bits_of(3)), bits_of(2));
	assert_int_equal(reduced("redux.sync.min.u32", 5, 0xfffffffe, 0x80000000), 5);
	assert_int_equal(reduced("redux.sync.max.u32", 5, 0xfffffffe, 0x80000000), 0xfffffffe);
	assert_int_equal(reduced("redux.sync.min.s32", 5, 0xfffffffe, 0x80000000), 0x80000000);
	assert_int_equal(reduced("redux.sync.or.b32", 1, 2, 4), 7);
	struct call call = {.text = "redux.sync.add.s32", .lanes = 64, .active = 0xc000000100000003};
	for (unsigned lane = 0; lane < 64; lane++)
		call.source[0][lane] = lane + 1;
	call_run(&call);
	assert_int_equal(call.d[0], 3);
	assert_int_equal(call.d[1], 3);
	assert_int_equal(call.d[32], 33 + 63 + 64);
	assert_int_equal(call.d[63], 33 + 63 + 64);
	call.text = "redux.sync.min.f32";
	call.active = 2; /* one alone, whose NaN is made canonical */
	call.source[0][1] = 0x7f800001;
	call_run(&call);
	assert_int_equal(call.d[1], 0x7fffffff);
	call.source[0][1] = 0xff800000;
	call_run(&call);
	assert_int_equal(call.d[1], 0xff800000);
}

static void matches_of_halves(void **state)
{
	(void)state;
	struct call call = {.text = "match.any.sync.b32", .lanes = 64, .active = 0xf0000000000000f3};
	for (unsigned lane = 0; lane < 64; lane++)
		call.source[0][lane] = lane & 1;
	call_run(&call);
	assert_int_equal(call.d[0], 0x51);
	assert_int_equal(call.d[7], 0xa2);
	assert_int_equal(call.d[62], 0x50000000);
	call.text = "match.all.sync.b32";
	for (unsigned lane = 0; lane < 64; lane++)
		call.source[0][lane] = lane < 32 ? lane : 9;
	call_run(&call);
	assert_int_equal(call.d[4], 0);
	assert_int_equal(call.d[63], 0xf0000000);
	assert_int_equal(call.p, 0xf000000000000000);
}

/* Of the half that has more, and of active lanes; .b64 is compared whole. */
static void different_values_are_counted(void **state)
{
	(void)state;
	_Alignas(8) uint32_t registers[128];
	struct warp w = {.bank = {registers, registers}, .lanes = 64};
	struct insn i = {.type = TYPE_B32, .s = {0}};
	for (unsigned lane = 0; lane < 64; lane++)
		registers[lane] = lane < 32 ? lane % 3 : lane % 5;
	assert_int_equal(warp_different_values(&w, &i, ~(lane_mask)0), 5);
	assert_int_equal(warp_different_values(&w, &i, 0x3ffffffff), 3);
	assert_int_equal(warp_different_values(&w, &i, UINT32_MAX), 3);
	assert_int_equal(warp_different_values(&w, &i, 0x49), 1);
	assert_int_equal(warp_different_values(&w, &i, 0x4b), 2);
	assert_int_equal(warp_different_values(&w, &i, 0), 0);
	w.lanes = 32;
	i.type = TYPE_B64;
	for (unsigned lane = 0; lane < 32; lane++)
		registers[2 * lane] = 7, registers[2 * lane + 1] = lane & 3;
	assert_int_equal(warp_different_values(&w, &i, UINT32_MAX), 4);
	assert_int_equal(warp_different_values(&w, &i, 0x1111), 1);
}

/* Words of predicates are combined a bit a lane; inverted ones count as they say. */
static void votes_of_halves(void **state)
{
	(void)state;
	struct call call = {
		.text = "vote.ballot.b32", .lanes = 64, .active = 0xff00000000ff, .predicate = {0x0f00000000f0}};
	call_run(&call);
	assert_int_equal(call.d[7], 0xf0);
	assert_int_equal(call.d[40], 0x0f00);
	call.text = "vote.uni.pred";
	call.predicate[0] = 0xff0000000001;
	call_run(&call);
	assert_int_equal(call.p, 0xff0000000000);
	call.predicate[0] = 0;
	call_run(&call);
	assert_int_equal(call.p, call.active);
	call.text = "vote.sync.all.pred";
	call_run(&call);
	assert_int_equal(call.p, 0);
	call.text = "vote.sync.any.pred";
	call.predicate[0] = 0x1000000000000;
	call_run(&call);
	assert_int_equal(call.p, 0); /* that lane is not active */
	call.predicate[0] = 0x80;
	call_run(&call);
	assert_int_equal(call.p, 0xff);
	call.text = "activemask.b32";
	call_run(&call);
	assert_int_equal(call.d[47], 0xff00);
	call.text = "elect.sync";
	call.active = 0xff0000000000;
	call_run(&call);
	assert_int_equal(call.d[47], 8);
	assert_int_equal(call.p, 0x10000000000);
}

/* ---- Atomics ---- */

static uint64_t after(enum atomic_op op, enum ptx_type type, uint64_t old, uint64_t a, uint64_t b)
{
	uint64_t cell[2] = {old, UNTOUCHED};
	uint64_t mask = ptx_types[type].bits == 64 ? UINT64_MAX : (UINT64_C(1) << ptx_types[type].bits) - 1;
	assert_int_equal(atomic_apply(op, type, cell, a, b), old & mask);
	assert_int_equal(cell[1], UNTOUCHED);
	assert_int_equal(cell[0] & ~mask, old & ~mask);
	return cell[0] & mask;
}

static void atomics_change_their_word(void **state)
{
	(void)state;
	assert_int_equal(after(ATOMIC_ADD, TYPE_U32, 0x5ffffffff, 2, 0), 1);
	assert_int_equal(after(ATOMIC_ADD, TYPE_F32, bits_of(1.5f), bits_of(2), 0), bits_of(3.5f));
	assert_int_equal(after(ATOMIC_ADD, TYPE_F64, bits_of_double(1.5), bits_of_double(2), 0), bits_of_double(3.5));
	assert_int_equal(after(ATOMIC_ADD, TYPE_F16X2, 0x3c004000, 0x3c003c00, 0), 0x40004200);
	assert_int_equal(after(ATOMIC_ADD, TYPE_BF16, 0x3f80, 0x3f80, 0), 0x4000);
	assert_int_equal(after(ATOMIC_EXCH, TYPE_B16, 0xaaaabbbb, 0x12345678, 0), 0x5678);
	assert_int_equal(after(ATOMIC_CAS, TYPE_B32, 7, 7, 9), 9);
	assert_int_equal(after(ATOMIC_CAS, TYPE_B32, 8, 7, 9), 8);
	assert_int_equal(after(ATOMIC_CAS, TYPE_B64, UINT64_C(1) << 40, 0, 9), UINT64_C(1) << 40);
	assert_int_equal(after(ATOMIC_MIN, TYPE_S32, 1, 0xffffffff, 0), 0xffffffff);
	assert_int_equal(after(ATOMIC_MIN, TYPE_U32, 1, 0xffffffff, 0), 1);
	assert_int_equal(after(ATOMIC_MAX, TYPE_S64, 1, UINT64_MAX, 0), 1);
	assert_int_equal(after(ATOMIC_INC, TYPE_U32, 5, 5, 0), 0);
	assert_int_equal(after(ATOMIC_INC, TYPE_U32, 4, 5, 0), 5);
	assert_int_equal(after(ATOMIC_DEC, TYPE_U32, 0, 5, 0), 5);
	assert_int_equal(after(ATOMIC_DEC, TYPE_U32, 9, 5, 0), 5);
	assert_int_equal(after(ATOMIC_DEC, TYPE_U32, 3, 5, 0), 2);
	assert_int_equal(after(ATOMIC_AND, TYPE_B32, 6, 3, 0), 2);
	assert_int_equal(after(ATOMIC_OR, TYPE_B64, 6, 3, 0), 7);
	assert_int_equal(after(ATOMIC_XOR, TYPE_B32, 6, 3, 0), 5);
}

/* ---- Start ---- */

static void launches_fill_their_constants(void **state)
{
	(void)state;
	uint32_t constants[32 * 4] = {0};
	struct launch_constant wanted[] = {
		{0, SPECIAL_NTID, 1, 4}, {32, SPECIAL_GRIDID, 0, 8}, {96, SPECIAL_ENVREG, 3, 4}};
	struct kernel kernel = {.lanes = 32, .launch_constants = wanted, .launch_constant_count = 3};
	struct launch_values launch = {.block = {8, 4, 1}, .grid_id = 0x500000007};
	launch.envreg[3] = 99;
	warp_fill_launch_constants(&kernel, &launch, constants);
	assert_int_equal(constants[0], 4);
	assert_int_equal(constants[31], 4);
	assert_int_equal(get(constants + 32, 8, 31), 0x500000007);
	assert_int_equal(constants[127], 99);
}

static void warps_start_with_their_places(void **state)
{
	(void)state;
	uint32_t registers[32 * 3] = {0};
	struct warp_constant wanted[] = {{0, SPECIAL_TID, 0, 4}, {32, SPECIAL_CTAID, 1, 8}};
	struct kernel kernel = {.lanes = 32, .warp_constants = wanted, .warp_constant_count = 2};
	struct launch_values launch = {.block = {24, 4, 1}};
	struct warp w = {.kernel = &kernel,
		.registers = registers,
		.lanes = 32,
		.launch = &launch,
		.group = {5, 6, 7},
		.first_thread = 32};
	warp_fill_start(&w);
	assert_int_equal(registers[0], 8);
	assert_int_equal(registers[16], 0);
	assert_int_equal(get(registers + 32, 8, 31), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_comparison_of_every_type),
		cmocka_unit_test(pairs_compare_into_two_predicates),
		cmocka_unit_test(set_gives_all_ones_or_one),
		cmocka_unit_test(selections),
		cmocka_unit_test(numbers_are_classified),
		cmocka_unit_test(predicates_move_as_masks),
		cmocka_unit_test(predicates_are_combined),
		cmocka_unit_test(vectors_are_packed_and_unpacked),
		cmocka_unit_test(addresses_change_their_window),
		cmocka_unit_test(shuffles_follow_the_isa),
		cmocka_unit_test(votes),
		cmocka_unit_test(matches),
		cmocka_unit_test(reductions),
		cmocka_unit_test(reductions_of_floats_and_halves),
		cmocka_unit_test(matches_of_halves),
		cmocka_unit_test(different_values_are_counted),
		cmocka_unit_test(votes_of_halves),
		cmocka_unit_test(atomics_change_their_word),
		cmocka_unit_test(launches_fill_their_constants),
		cmocka_unit_test(warps_start_with_their_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
