/* The products of a warp in wgmma: f32 sums in the order of k, each product rounded by itself (none is: see
 * warp/warpgroup.h), to which D is added last; a D of f16 is rounded once.
 *
 * Tensor cores keep other bits: they align the products of a step of k and cut them off, to about 24 bits of the sum,
 * and to about 14 of FP8 (Hopper), as several measured.  The ISA leaves the order and the precision open. */
#include "warp/warpgroup.h"
#include "warp/lanes/lanes.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

/* ---- From bytes to f32 ---- */

static ALWAYS_INLINE float fp8_to_float(uint32_t byte, uint32_t mantissa, bool has_infinity)
{
	uint32_t magnitude = byte & 0x7f, sign = (byte & 0x80) << 24;
	/* as a float of the same exponent, which a multiplication rebiases: see half_to_float */
	float finite = float_of(magnitude << (23 - mantissa)) * (has_infinity ? 0x1p112f : 0x1p120f);
	uint32_t special = has_infinity ? 0x7f800000 | (magnitude & 3) << 21 : 0x7fc00000;
	bool is_special = has_infinity ? magnitude >= 0x7c : magnitude == 0x7f;

	return float_of(sign | choose_bits(is_special, special, bits_of(finite)));
}

#define WIDEN(type, expression)                                                                                        \
	{                                                                                                              \
		const type *in = from;                                                                                 \
		for (uint32_t x = 0; x < count; x++)                                                                   \
			to[x] = expression;                                                                            \
		return;                                                                                                \
	}

/* Elements that lie side by side; of bits, `count` is a multiple of 8. */
static void widen(float *to, const void *from, enum matrix_type type, uint32_t count)
{
	switch (type) {
	case MATRIX_F16: WIDEN(uint16_t, half_to_float(in[x]))
	case MATRIX_BF16: WIDEN(uint16_t, bfloat_to_float(in[x]))
	case MATRIX_TF32: WIDEN(uint32_t, float_of(in[x] & 0xffffe000)) /* the lower bits are not looked at */
	case MATRIX_E4M3: WIDEN(uint8_t, fp8_to_float(in[x], 3, false))
	case MATRIX_E5M2: WIDEN(uint8_t, fp8_to_float(in[x], 2, true))
	case MATRIX_S8: WIDEN(int8_t, (float)in[x])
	case MATRIX_U8: WIDEN(uint8_t, (float)in[x])
	case MATRIX_B1: WIDEN(uint8_t, (float)(in[x / 8] >> x % 8 & 1))
	default: assert(false);
	}
}

/* to[k][line] of `lines` lines of `depth` elements each. */
static void transpose(float *to, const float *from, uint32_t lines, uint32_t depth)
{
	for (uint32_t line = 0; line < lines; line += 8)
		for (uint32_t k = 0; k < depth; k++)
			for (uint32_t x = 0; x < 8; x++)
				to[k * lines + line + x] = from[(line + x) * depth + k];
}

/* A part of k, `depth` elements, that is `part` bytes behind the first of each line.  to[line][k] for A, to[k][line]
 * for B. */
static void block(float *to, const uint8_t *raw, enum matrix_type type, uint32_t lines, uint32_t depth, uint32_t part,
	bool by_columns, bool is_b)
{
	float wide[WARPGROUP_COLUMNS * WARPGROUP_DEPTH];
	float *direct = by_columns == is_b ? to : wide;

	assert(lines <= WARPGROUP_COLUMNS && depth <= WARPGROUP_DEPTH);
	if (type != MATRIX_B1)
		widen(direct, raw, type, lines * depth);
	else
		for (uint32_t line = 0; line < lines; line++)
			widen(direct + line * depth, raw + line * WARPGROUP_BYTES + part, type, depth);
	if (direct != to && is_b)
		transpose(to, wide, lines, depth);
	else if (direct != to)
		for (uint32_t k = 0; k < depth; k++)
			for (uint32_t line = 0; line < lines; line++)
				to[line * depth + k] = wide[k * lines + line];
}

/* ---- A in registers: PTX ISA, "Register Fragments" ---- */

static void gather_a(const struct warp *w, const struct insn_matrix *matrix, uint32_t first, uint8_t *raw)
{
	assert(matrix->count[MATRIX_A] == 4);
	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t *from = slot_at(w, matrix->slot[MATRIX_A][k]);

		for (uint32_t lane = 0; lane < 32; lane++)
			memcpy(raw + (lane / 4 + k % 2 * 8) * WARPGROUP_BYTES + k / 2 * 16 + lane % 4 * 4,
				from + first + lane, 4);
	}
}

/* ---- Products ---- */

typedef float vector __attribute__((vector_size(32)));
#define WIDTH 8    /* of a vector: N is a multiple of it */
#define TOGETHER 8 /* rows, whose sums are in registers of the host */

/* sum[row][column] += a[row][k] * b[k][column], k in order. */
static void add_products(float *sum, const float *a, const float *b, uint32_t columns, uint32_t depth)
{
	for (uint32_t column = 0; column < columns; column += WIDTH)
		for (uint32_t row = 0; row < WARPGROUP_ROWS; row += TOGETHER) {
			vector s[TOGETHER];

			for (uint32_t r = 0; r < TOGETHER; r++)
				memcpy(&s[r], sum + (row + r) * columns + column, sizeof *s);
			for (uint32_t k = 0; k < depth; k++) {
				vector v;

				memcpy(&v, b + k * columns + column, sizeof v);
				for (uint32_t r = 0; r < TOGETHER; r++)
					s[r] += a[(row + r) * depth + k] * v;
			}
			for (uint32_t r = 0; r < TOGETHER; r++)
				memcpy(sum + (row + r) * columns + column, &s[r], sizeof *s);
		}
}

/* ---- D ---- */

static ALWAYS_INLINE uint32_t single_bits(float value)
{
	return choose_bits((bits_of(value) & 0x7fffffff) > 0x7f800000, 0x7fffffff, bits_of(value));
}

static void put_single(uint32_t *d, const float *sum, bool adds)
{
	for (uint32_t l = 0; l < 32; l++)
		d[l] = single_bits(adds ? sum[l] + float_of(d[l]) : sum[l]);
}

static void put_halves(uint32_t *d, const float *even, const float *odd, bool adds)
{
	for (uint32_t l = 0; l < 32; l++) {
		float low = adds ? even[l] + half_to_float(d[l] & 0xffff) : even[l];
		float high = adds ? odd[l] + half_to_float(d[l] >> 16) : odd[l];

		d[l] = float_to_half(low) | float_to_half(high) << 16;
	}
}

static void put_whole(uint32_t *d, const float *sum, bool adds, bool saturates)
{
	for (uint32_t l = 0; l < 32; l++) {
		int64_t value = (int64_t)(int32_t)sum[l] + (adds ? (int32_t)d[l] : 0);

		if (saturates)
			value = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
		d[l] = (uint32_t)value;
	}
}

/* The sums that lane l has in columns 8 * j + l % 4 * 2, and in the ones behind those, of row l / 4 + 8 * half. */
static void take_pairs(const float *sum, uint32_t columns, uint32_t j, uint32_t half, float *even, float *odd)
{
	for (uint32_t row = 0; row < 8; row++)
		for (uint32_t c = 0; c < 4; c++) {
			const float *at = sum + (row + half * 8) * columns + j * 8 + c * 2;

			even[row * 4 + c] = at[0];
			odd[row * 4 + c] = at[1];
		}
}

/* Of a register: the lanes that are not among `lanes` keep what they have. */
static void put(const struct warp *w, const struct insn_matrix *matrix, uint32_t number, uint32_t first, uint32_t lanes,
	bool adds, const float *even, const float *odd)
{
	enum matrix_type type = (enum matrix_type)matrix->shape.type[MATRIX_D];
	slot_ref slot = matrix->slot[MATRIX_D][number];
	uint32_t *d, value[32];

	if (slot == SLOT_NONE)
		return;
	d = (uint32_t *)slot_at(w, slot) + first;
	memcpy(value, d, sizeof value);
	if (type == MATRIX_F16)
		put_halves(value, even, odd, adds);
	else if (type == MATRIX_F32)
		put_single(value, even, adds);
	else
		put_whole(value, even, adds, matrix->shape.saturate);
	for (uint32_t l = 0; l < 32; l++)
		d[l] = lanes >> l & 1 ? value[l] : d[l];
}

static void put_all(const struct warp *w, const struct insn_matrix *matrix, uint32_t first, uint32_t lanes, bool adds,
	const float *sum)
{
	uint32_t columns = matrix->shape.n, number = 0;
	bool is_half = matrix->shape.type[MATRIX_D] == MATRIX_F16;
	float even[32], odd[32];

	for (uint32_t j = 0; j < columns / 8; j++)
		for (uint32_t half = 0; half < 2; half++) {
			take_pairs(sum, columns, j, half, even, odd);
			put(w, matrix, number++, first, lanes, adds, even, odd);
			if (!is_half)
				put(w, matrix, number++, first, lanes, adds, odd, odd);
		}
	assert(number == matrix->count[MATRIX_D]);
}

/* ---- All of it ---- */

/* B is converted once for the warps of a warpgroup, which mostly come one behind the other: if they are the same
 * bytes. */
static void make_b(struct warpgroup_room *room, const struct matrix *x, uint32_t depth, uint32_t part)
{
	uint32_t bytes = x->n * WARPGROUP_BYTES;
	bool is_whole = x->type[MATRIX_B] != MATRIX_B1;

	if (is_whole && room->from_columns == x->n && room->from_type == x->type[MATRIX_B] &&
		room->from_by_columns == x->columns[1] && !memcmp(room->from, room->raw_b, bytes))
		return;
	block(room->b, room->raw_b, (enum matrix_type)x->type[MATRIX_B], x->n, depth, part, x->columns[1], true);
	room->from_columns = is_whole ? x->n : 0;
	room->from_type = x->type[MATRIX_B];
	room->from_by_columns = x->columns[1];
	memcpy(room->from, room->raw_b, bytes);
}

static void multiply(const struct warp *w, const struct insn_matrix *matrix, uint32_t first, uint32_t lanes, bool adds,
	struct warpgroup_room *room)
{
	const struct matrix *x = &matrix->shape;
	uint32_t depth = x->k < WARPGROUP_DEPTH ? x->k : WARPGROUP_DEPTH;

	assert(x->kind == MATRIX_GROUP_MULTIPLY && x->n <= WARPGROUP_COLUMNS && x->n % WIDTH == 0);
	assert(first + 32 <= w->lanes);
	if (matrix->count[MATRIX_A])
		gather_a(w, matrix, first, room->raw_a);
	memset(room->sum, 0, WARPGROUP_ROWS * x->n * sizeof *room->sum);
	for (uint32_t k = 0; k < x->k; k += depth) {
		uint32_t part = k / 8; /* of bits, the only ones with several parts */

		block(room->a, room->raw_a, (enum matrix_type)x->type[MATRIX_A], WARPGROUP_ROWS, depth, part,
			x->columns[0], false);
		for (uint32_t e = 0; e < WARPGROUP_ROWS * depth; e++)
			room->a[e] = x->negative ? -room->a[e] : room->a[e];
		make_b(room, x, depth, part);
		add_products(room->sum, room->a, room->b, x->n, depth);
	}
	put_all(w, matrix, first, lanes, adds, room->sum);
}

const struct lane_warpgroup V(lane_warpgroup) = {.multiply = multiply};
