/* Multiplication of matrices by a warp, and where their elements are.
 *
 * Products and sums of floats are made in double precision and rounded once, to nearest: at least as exact as the ISA
 * asks, which leaves the order of summation open.  f64 is a chain of fused multiply-adds in order of k. */
#include "warp/matrix.h"

#include "warp/choose.h"
#include "warp/lanes/half.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define MOST_ELEMENTS 4096 /* of an operand: m16n8k256 */

/* ---- Places ---- */

static uint32_t in_register(const struct matrix *x, enum matrix_part part)
{
	return matrix_register_bits(x, part) / matrix_bits((enum matrix_type)x->type[part]);
}

uint32_t matrix_elements(const struct matrix *x, enum matrix_part part)
{
	uint32_t whole = part == MATRIX_A   ? (uint32_t)x->m * x->k
			 : part == MATRIX_B ? (uint32_t)x->k * x->n
					    : (uint32_t)x->m * x->n;

	return whole / (32 / matrix_products(x));
}

uint32_t matrix_products(const struct matrix *x)
{
	return x->quad_pairs ? 4 : 1;
}

uint32_t matrix_product(const struct matrix *x, uint32_t lane)
{
	return x->quad_pairs ? lane / 4 % 4 : 0;
}

/* PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type". */
static struct matrix_place quad_pair_place(const struct matrix *x, enum matrix_part part, uint32_t lane, uint32_t nth)
{
	uint32_t half = lane / 16 * 4, own = lane % 4 + half, other = nth % 4;

	switch (part) {
	case MATRIX_A:
		return x->columns[0] ? (struct matrix_place){other + half, lane % 4} : (struct matrix_place){own, nth};
	case MATRIX_B:
		return x->columns[1] ? (struct matrix_place){nth, own} : (struct matrix_place){lane % 4, other + half};
	default:
		if (x->type[part] == MATRIX_F16)
			return (struct matrix_place){own, nth};
		return (struct matrix_place){(lane & 1) + (nth & 2) + half, (nth & 4) + (lane & 2) + (nth & 1)};
	}
}

struct matrix_place matrix_place(const struct matrix *x, enum matrix_part part, uint32_t lane, uint32_t nth)
{
	uint32_t group = lane / 4, member = lane % 4, row_blocks = x->m / 8u;

	if (x->quad_pairs)
		return quad_pair_place(x, part, lane, nth);
	if (part == MATRIX_A || part == MATRIX_B) {
		uint32_t each = in_register(x, part), which = nth / each, depth = member * each + nth % each;
		uint32_t blocks = part == MATRIX_A ? row_blocks : x->k / (4 * each);

		if (part == MATRIX_A)
			return (struct matrix_place){group + 8 * (which % blocks), depth + 4 * each * (which / blocks)};
		return (struct matrix_place){depth + 4 * each * (which % blocks), group + 8 * (which / blocks)};
	}
	return (struct matrix_place){
		group + 8 * (nth / 2 % row_blocks), member * 2 + nth % 2 + 8 * (nth / 2 / row_blocks)};
}

/* ---- Pieces of memory ---- */

static bool is_rows(const struct matrix *x)
{
	return x->kind == MATRIX_ROWS_LOAD || x->kind == MATRIX_ROWS_STORE;
}

/* Elements smaller than a byte go by whole registers, whose elements are neighbours then. */
static uint32_t elements_of_piece(const struct matrix *x)
{
	uint32_t bits = matrix_bits((enum matrix_type)x->type[x->part]);

	return bits < 8 ? 32 / bits : 1;
}

uint32_t matrix_pieces(const struct matrix *x)
{
	if (is_rows(x))
		return x->by_columns ? 2u * x->matrices : x->matrices;
	return matrix_elements(x, (enum matrix_part)x->part) / elements_of_piece(x);
}

uint32_t matrix_stride(const struct matrix *x)
{
	uint32_t rows = x->part == MATRIX_B ? x->k : x->m, columns = x->part == MATRIX_A ? x->k : x->n;

	return x->by_columns ? rows : columns;
}

static struct matrix_piece piece_of_rows(const struct matrix *x, const uint64_t *address, uint32_t lane, uint32_t nth)
{
	uint32_t which = x->by_columns ? nth / 2 : nth, row = x->by_columns ? lane % 4 * 2 + nth % 2 : lane / 4;
	uint64_t start = address[8 * which + row];

	if (x->by_columns)
		return (struct matrix_piece){start + lane / 4 * 2, 2, (uint8_t)(nth % 2 * 16), (uint8_t)which};
	return (struct matrix_piece){start + lane % 4 * 4, 4, 0, (uint8_t)which};
}

struct matrix_piece matrix_piece(
	const struct matrix *x, const uint64_t *address, uint64_t stride, uint32_t lane, uint32_t nth)
{
	enum matrix_part part = (enum matrix_part)x->part;
	uint32_t bits, first, each;
	struct matrix_place place;
	uint64_t element;

	if (is_rows(x))
		return piece_of_rows(x, address, lane, nth);
	bits = matrix_bits((enum matrix_type)x->type[part]);
	first = nth * elements_of_piece(x);
	each = in_register(x, part);
	place = matrix_place(x, part, lane, first);
	element = x->by_columns ? place.column * stride + place.row : place.row * stride + place.column;
	return (struct matrix_piece){address[lane] + element * bits / 8, (uint8_t)(bits < 8 ? 4 : bits / 8),
		(uint8_t)(first % each * bits), (uint8_t)(first / each)};
}

/* ---- Elements in registers ---- */

static uint64_t element_bits(
	const struct warp *w, const struct insn_matrix *matrix, enum matrix_part part, uint32_t lane, uint32_t nth)
{
	uint32_t bits = matrix_bits((enum matrix_type)matrix->shape.type[part]),
		 each = in_register(&matrix->shape, part);
	const void *at = slot_at(w, matrix->slot[part][nth / each]);

	if (bits == 64)
		return ((const uint64_t *)at)[lane];
	return ((const uint32_t *)at)[lane] >> nth % each * bits & (uint32_t)((UINT64_C(1) << bits) - 1);
}

/* As products need it: floats in double precision. */
union element {
	double real;
	int32_t whole;
};

static union element element_of(enum matrix_type type, uint64_t bits)
{
	switch (type) {
	case MATRIX_F16: return (union element){.real = half_to_float((uint32_t)bits)};
	case MATRIX_BF16: return (union element){.real = bfloat_to_float((uint32_t)bits)};
	case MATRIX_TF32: /* the lower 13 bits are not looked at */
		return (union element){.real = float_of((uint32_t)bits & 0xffffe000)};
	case MATRIX_F32: return (union element){.real = float_of((uint32_t)bits)};
	case MATRIX_F64: return (union element){.real = double_of(bits)};
	case MATRIX_S8: return (union element){.whole = (int8_t)bits};
	case MATRIX_S4: return (union element){.whole = (int32_t)((uint32_t)bits << 28) >> 28};
	default: return (union element){.whole = (int32_t)bits};
	}
}

/* ---- Products ---- */

/* The matrices of 32 lanes, row by row. */
struct operands {
	union element a[MOST_ELEMENTS], b[MOST_ELEMENTS], c[MOST_ELEMENTS];
};

/* Those of one product, of the 32 lanes from `first` on. */
static void gather(
	const struct warp *w, const struct insn_matrix *matrix, uint32_t first, uint32_t product, struct operands *o)
{
	const struct matrix *x = &matrix->shape;

	for (enum matrix_part part = MATRIX_A; part <= MATRIX_C; part++) {
		union element *to = part == MATRIX_A ? o->a : part == MATRIX_B ? o->b : o->c;
		uint32_t columns = part == MATRIX_A ? x->k : x->n;

		for (uint32_t lane = 0; lane < 32; lane++)
			for (uint32_t e = 0; e < matrix_elements(x, part) && matrix_product(x, lane) == product; e++) {
				struct matrix_place at = matrix_place(x, part, lane, e);

				assert(at.row * columns + at.column < MOST_ELEMENTS);
				to[at.row * columns + at.column] = element_of((enum matrix_type)x->type[part],
					element_bits(w, matrix, part, first + lane, e));
			}
	}
}

static double dot_floats(const struct matrix *x, const struct operands *o, uint32_t row, uint32_t column)
{
	double c = o->c[row * x->n + column].real, sum = x->type[MATRIX_D] == MATRIX_F64 ? c : 0;

	for (uint32_t k = 0; k < x->k; k++)
		sum = fma(o->a[row * x->k + k].real, o->b[k * x->n + column].real, sum);
	return x->type[MATRIX_D] == MATRIX_F64 ? sum : sum + c;
}

static int64_t dot_integers(const struct matrix *x, const struct operands *o, uint32_t row, uint32_t column)
{
	int64_t sum = o->c[row * x->n + column].whole;

	for (uint32_t k = 0; k < x->k; k++) {
		int32_t a = o->a[row * x->k + k].whole, b = o->b[k * x->n + column].whole;

		sum += x->type[MATRIX_A] != MATRIX_B1 ? a * b : x->exclusive_or ? a ^ b : a & b;
	}
	return sum;
}

static uint32_t float_bits(enum matrix_type type, double value)
{
	float narrow = (float)value;

	if (type == MATRIX_F16)
		return float_to_half(narrow);
	return isnan(narrow) ? 0x7fffffff : bits_of(narrow);
}

static uint32_t integer_bits(const struct matrix *x, int64_t value)
{
	if (x->saturate)
		value = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
	return (uint32_t)value;
}

static uint64_t result_bits(const struct matrix *x, const struct operands *o, uint32_t row, uint32_t column)
{
	enum matrix_type type = (enum matrix_type)x->type[MATRIX_D];

	if (type == MATRIX_S32)
		return integer_bits(x, dot_integers(x, o, row, column));
	return type == MATRIX_F64 ? bits_of_double(dot_floats(x, o, row, column))
				  : float_bits(type, dot_floats(x, o, row, column));
}

/* ---- Execution ---- */

static void put(const struct warp *w, const struct insn_matrix *matrix, uint32_t lane, uint32_t nth, uint64_t bits)
{
	uint32_t size = matrix_bits((enum matrix_type)matrix->shape.type[MATRIX_D]),
		 each = in_register(&matrix->shape, MATRIX_D);
	slot_ref slot = matrix->slot[MATRIX_D][nth / each];
	void *at;

	if (slot == SLOT_NONE)
		return;
	at = slot_at(w, slot);
	if (size == 64)
		((uint64_t *)at)[lane] = bits;
	else if (size == 32 || nth % each == 0)
		((uint32_t *)at)[lane] = (uint32_t)bits;
	else
		((uint32_t *)at)[lane] |= (uint32_t)bits << nth % each * size;
}

static void multiply(struct warp *w, const struct insn_matrix *matrix, uint32_t first, uint32_t product, uint32_t lanes)
{
	const struct matrix *x = &matrix->shape;
	struct operands operands;

	gather(w, matrix, first, product, &operands);
	EACH_LANE(l, lanes)
		for (uint32_t e = 0; e < matrix_elements(x, MATRIX_D) && matrix_product(x, (uint32_t)l) == product;
			e++) {
			struct matrix_place at = matrix_place(x, MATRIX_D, (uint32_t)l, e);

			put(w, matrix, first + (uint32_t)l, e, result_bits(x, &operands, at.row, at.column));
		}
}

/* A warp of 64 lanes is two of 32.  A product is complete before its results replace what it read; products read
 * nothing of each other's lanes. */
static void exec_matrix(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct insn_matrix *matrix = w->kernel->extras[i->extra].matrix;

	for (uint32_t first = 0; first < w->lanes; first += 32)
		for (uint32_t product = 0; product < matrix_products(&matrix->shape); product++)
			if ((uint32_t)(active >> first))
				multiply(w, matrix, first, product, (uint32_t)(active >> first));
}

CHOOSE_ALWAYS(matrix)

/* movmatrix: lane l has two elements of row l / 4, and gets those of column l / 4. */
static void exec_movmatrix(struct warp *w, const struct insn *i, lane_mask active)
{
	const uint32_t *a = slot_at(w, i->s[0]);
	uint32_t *d, result[64];

	if (i->d == SLOT_NONE)
		return;
	d = slot_at(w, i->d);
	for (uint32_t lane = 0; lane < w->lanes; lane++) {
		uint32_t half = lane & 32, column = lane % 32 / 4, row = lane % 4 * 2, shift = column % 2 * 16;

		result[lane] = (a[half + row * 4 + column / 2] >> shift & 0xffff) |
			       (a[half + (row + 1) * 4 + column / 2] >> shift & 0xffff) << 16;
	}
	EACH_LANE(l, active)
		d[l] = result[l];
}

CHOOSE_ALWAYS(movmatrix)
