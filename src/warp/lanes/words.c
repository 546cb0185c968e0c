/* Bit instructions with a constant that decides what they do, dot products, and the carry chain. */
#include "warp/lanes/lanes.h"

/* ---- lop3 ---- */

/* The table as eight masks, one per combination of input bits: a loop without branches for any table. */
static void spread_table(uint32_t table, uint32_t masks[8])
{
	for (unsigned k = 0; k < 8; k++)
		masks[k] = table >> k & 1 ? UINT32_MAX : 0;
}

/* Bit a*4 + b*2 + c of the table; m[k] chooses the bits where that is k. */
static ALWAYS_INLINE uint32_t look_up(const uint32_t m[8], uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t high = (b & ((c & m[7]) | (~c & m[6]))) | (~b & ((c & m[5]) | (~c & m[4])));
	uint32_t low = (b & ((c & m[3]) | (~c & m[2]))) | (~b & ((c & m[1]) | (~c & m[0])));
	return (a & high) | (~a & low);
}

static void exec_lop3(struct warp *w, const struct insn *i, lane_mask active)
{
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[2]);
	uint32_t *d = slot_at(w, i->d), m[8];
	spread_table(*(const uint32_t *)slot_at(w, i->s[3]), m);
	FOR_ACTIVE_LANES(uint32_t, d, look_up(m, a[x], b[x], c[x]))
}

/* lop3.or and lop3.and: p = (d != 0) op s; d may be a sink. */
static void exec_lop3_predicate(struct warp *w, const struct insn *i, lane_mask active)
{
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[2]);
	uint32_t m[8], result[LANES];
	lane_mask nonzero = 0, source = predicate_source(w, i);
	spread_table(*(const uint32_t *)slot_at(w, i->s[3]), m);
	for (unsigned x = 0; x < LANES; x++)
		result[x] = look_up(m, a[x], b[x], c[x]);
	MASK_OF(uint32_t, result[x] != 0, nonzero)
	if (i->d != SLOT_NONE) {
		uint32_t *d = slot_at(w, i->d);
		FOR_ACTIVE_LANES(uint32_t, d, result[x])
	}
	write_predicate(w, i->pd, active, i->op == OP_lop3_bool_and ? nonzero & source : nonzero | source);
}

CHOOSER(lop3)
{
	return i->op == OP_lop3 ? exec_lop3 : exec_lop3_predicate;
}

/* ---- prmt ---- */

/* The byte that a selector's nibble names; its top bit asks for copies of that byte's sign. */
static ALWAYS_INLINE uint32_t chosen_byte(uint64_t bytes, uint32_t nibble)
{
	uint32_t byte = (uint32_t)(bytes >> 8 * (nibble & 7)) & 0xff;
	uint32_t sign = (0 - (byte >> 7)) & 0xff;
	return nibble & 8 ? sign : byte;
}

static ALWAYS_INLINE uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	return chosen_byte(bytes, selector) | chosen_byte(bytes, selector >> 4) << 8 |
	       chosen_byte(bytes, selector >> 8) << 16 | chosen_byte(bytes, selector >> 12) << 24;
}

/* The modes choose one of four selectors by the low two bits of c. */
static const uint16_t mode_selectors[][4] = {
	[permute_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
	[permute_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
	[permute_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
	[permute_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
	[permute_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
	[permute_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

static void exec_prmt(struct warp *w, const struct insn *i, lane_mask active)
{
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[2]);
	uint32_t *d = slot_at(w, i->d);
	FOR_ACTIVE_LANES(uint32_t, d, permute(a[x], b[x], c[x]))
}

static void exec_prmt_mode(struct warp *w, const struct insn *i, lane_mask active)
{
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[2]);
	uint32_t *d = slot_at(w, i->d);
	const uint16_t *selectors = mode_selectors[i->modifiers.permute];
	for (unsigned x = 0; x < LANES; x++)
		if (active >> x & 1)
			d[x] = permute(a[x], b[x], selectors[c[x] & 3]);
}

CHOOSER(prmt)
{
	return i->modifiers.permute ? exec_prmt_mode : exec_prmt;
}

/* ---- dp4a, dp2a ---- */

#define BYTE(T, word, k) ((int32_t)(T)((word) >> 8 * (k)))
#define SHORT(T, word, k) ((int32_t)(T)((word) >> 16 * (k)))
/* The products are 18 or 26 bits wide, so only the last addition can wrap. */
#define DEFINE_DOT(sign_a, sign_b, A8, B8, A16)                                                                        \
	static void dp4a_##sign_a##sign_b(struct warp *w, const struct insn *i, lane_mask active)                      \
	{                                                                                                              \
		const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[2]);           \
		uint32_t *d = slot_at(w, i->d);                                                                        \
		FOR_ACTIVE_LANES(uint32_t, d,                                                                          \
			c[x] + (uint32_t)(BYTE(A8, a[x], 0) * BYTE(B8, b[x], 0) +                                      \
					  BYTE(A8, a[x], 1) * BYTE(B8, b[x], 1) +                                      \
					  BYTE(A8, a[x], 2) * BYTE(B8, b[x], 2) +                                      \
					  BYTE(A8, a[x], 3) * BYTE(B8, b[x], 3)))                                      \
	}                                                                                                              \
	static void dp2a_##sign_a##sign_b(struct warp *w, const struct insn *i, lane_mask active)                      \
	{                                                                                                              \
		const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[2]);           \
		uint32_t *d = slot_at(w, i->d);                                                                        \
		const unsigned shift = i->op == OP_dp2a_hi ? 16 : 0;                                                   \
		FOR_ACTIVE_LANES(uint32_t, d,                                                                          \
			c[x] + (uint32_t)(SHORT(A16, a[x], 0) * BYTE(B8, b[x] >> shift, 0) +                           \
					  SHORT(A16, a[x], 1) * BYTE(B8, b[x] >> shift, 1)))                           \
	}
DEFINE_DOT(u, u, uint8_t, uint8_t, uint16_t)
DEFINE_DOT(u, s, uint8_t, int8_t, uint16_t)
DEFINE_DOT(s, u, int8_t, uint8_t, int16_t)
DEFINE_DOT(s, s, int8_t, int8_t, int16_t)

CHOOSER(dot_product)
{
	bool four = i->op == OP_dp4a;
	if (i->type == TYPE_U32)
		return i->type2 == TYPE_U32 ? (four ? dp4a_uu : dp2a_uu) : four ? dp4a_us : dp2a_us;
	return i->type2 == TYPE_U32 ? (four ? dp4a_su : dp2a_su) : four ? dp4a_ss : dp2a_ss;
}

/* ---- Carry ---- */

enum { CARRY_IN = 1, CARRY_OUT = 2 };

/* A subtraction adds the complement, as the hardware does: sub.cc leaves the carry clear when it borrows (a < b) and
 * set when it does not.  The ISA speaks only of a borrow; addc after sub.cc tells the difference, and CUDA's division
 * of 128-bit integers depends on it. */
#define ADD(a, b, carry, out)                                                                                          \
	((out) = __builtin_add_overflow(a, b, &sum), (out) |= __builtin_add_overflow(sum, carry, &sum))

/* In three forms: first of a chain, in the middle, last. */
#define DEFINE_CARRY(name, E, third, STEP, first)                                                                      \
	static ALWAYS_INLINE void name(struct warp *w, const struct insn *i, lane_mask active, unsigned use)           \
	{                                                                                                              \
		const E *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[third]);              \
		E *d = slot_at(w, i->d);                                                                               \
		const lane_mask carry = use & CARRY_IN ? *w->carry : 0;                                                \
		lane_mask carried = 0;                                                                                 \
		(void)c;                                                                                               \
		for (unsigned x = 0; x < LANES; x++) {                                                                 \
			E sum;                                                                                         \
			bool out;                                                                                      \
			STEP(first, (E)(carry >> x & 1), out);                                                         \
			carried |= (lane_mask)out << x;                                                                \
			d[x] = active >> x & 1 ? sum : d[x];                                                           \
		}                                                                                                      \
		if (use & CARRY_OUT)                                                                                   \
			*w->carry = (*w->carry & ~active) | (carried & active);                                        \
	}                                                                                                              \
	static void name##_starts(struct warp *w, const struct insn *i, lane_mask active)                              \
	{                                                                                                              \
		name(w, i, active, CARRY_OUT);                                                                         \
	}                                                                                                              \
	static void name##_goes_on(struct warp *w, const struct insn *i, lane_mask active)                             \
	{                                                                                                              \
		name(w, i, active, CARRY_IN | CARRY_OUT);                                                              \
	}                                                                                                              \
	static void name##_ends(struct warp *w, const struct insn *i, lane_mask active)                                \
	{                                                                                                              \
		name(w, i, active, CARRY_IN);                                                                          \
	}
#define HIGH(E, W, a, b) ((E)((W)(a) * (W)(b) >> sizeof(E) * 8))
typedef unsigned __int128 u128;
typedef __int128 s128;
#define ADD_TWO(first, carry, out) ADD(a[x], b[x], carry, out)
#define SUB_TWO(first, carry, out) ADD(a[x], ~b[x], use &CARRY_IN ? (carry) : 1, out)
#define ADD_PRODUCT(first, carry, out) ADD(first, c[x], carry, out)
DEFINE_CARRY(add_32, uint32_t, 0, ADD_TWO, )
DEFINE_CARRY(add_64, uint64_t, 0, ADD_TWO, )
DEFINE_CARRY(sub_32, uint32_t, 0, SUB_TWO, )
DEFINE_CARRY(sub_64, uint64_t, 0, SUB_TWO, )
DEFINE_CARRY(mad_lo_32, uint32_t, 2, ADD_PRODUCT, (uint32_t)(a[x] * b[x]))
DEFINE_CARRY(mad_lo_64, uint64_t, 2, ADD_PRODUCT, (uint64_t)(a[x] * b[x]))
DEFINE_CARRY(mad_hi_u32, uint32_t, 2, ADD_PRODUCT, HIGH(uint32_t, uint64_t, a[x], b[x]))
DEFINE_CARRY(mad_hi_s32, uint32_t, 2, ADD_PRODUCT, HIGH(uint32_t, int64_t, (int32_t)a[x], (int32_t)b[x]))
DEFINE_CARRY(mad_hi_u64, uint64_t, 2, ADD_PRODUCT, HIGH(uint64_t, u128, a[x], b[x]))
DEFINE_CARRY(mad_hi_s64, uint64_t, 2, ADD_PRODUCT, HIGH(uint64_t, s128, (int64_t)a[x], (int64_t)b[x]))

#define FORM(name, reads_carry)                                                                                        \
	((reads_carry) ? (i->modifiers.flags & FLAG_CC ? name##_goes_on : name##_ends) : name##_starts)

CHOOSER(add_carry)
{
	bool wide = ptx_types[i->type].bits == 64;
	return wide ? FORM(add_64, i->op == OP_addc) : FORM(add_32, i->op == OP_addc);
}

CHOOSER(sub_carry)
{
	bool wide = ptx_types[i->type].bits == 64;
	return wide ? FORM(sub_64, i->op == OP_subc) : FORM(sub_32, i->op == OP_subc);
}

CHOOSER(mad_carry)
{
	bool wide = ptx_types[i->type].bits == 64, reads = i->op == OP_madc_lo || i->op == OP_madc_hi;
	if (i->op == OP_mad_lo_cc || i->op == OP_madc_lo)
		return wide ? FORM(mad_lo_64, reads) : FORM(mad_lo_32, reads);
	if (ptx_types[i->type].kind == KIND_SIGNED)
		return wide ? FORM(mad_hi_s64, reads) : FORM(mad_hi_s32, reads);
	return wide ? FORM(mad_hi_u64, reads) : FORM(mad_hi_u32, reads);
}
