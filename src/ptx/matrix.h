/* Matrix instructions (wmma, mma, wgmma, ldmatrix, stmatrix): what the words of their opcodes mean.
 *
 * Their shapes, layouts and types come in so many combinations that rows of ops.def would say little: the rows take any
 * word, and this decides. */
#ifndef LOCKSTEP_PTX_MATRIX_H
#define LOCKSTEP_PTX_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

enum matrix_type {
	MATRIX_NONE,
	MATRIX_F16,
	MATRIX_BF16,
	MATRIX_TF32,
	MATRIX_F32,
	MATRIX_F64,
	MATRIX_S8,
	MATRIX_U8,
	MATRIX_S4,
	MATRIX_U4,
	MATRIX_B1,
	MATRIX_S32,
	MATRIX_B16,
	MATRIX_E4M3,
	MATRIX_E5M2,
	MATRIX_TYPES
};
enum matrix_kind {
	MATRIX_MULTIPLY,
	MATRIX_LOAD,
	MATRIX_STORE,
	MATRIX_ROWS_LOAD /* ldmatrix */,
	MATRIX_ROWS_STORE /* stmatrix */,
	MATRIX_GROUP_MULTIPLY /* wgmma.mma_async: by a warpgroup, D = A * B + D */
};
/* D = A * B + C; operand k of a multiplication has this index. */
enum matrix_part { MATRIX_D, MATRIX_A, MATRIX_B, MATRIX_C, MATRIX_PARTS };

struct matrix {
	uint8_t kind; /* enum matrix_kind */
	uint8_t m;    /* A is m x k, B k x n, C and D m x n */
	uint16_t n, k;
	uint8_t part;                /* loads and stores: which it is, C and D being the same */
	uint8_t type[MATRIX_PARTS];  /* enum matrix_type; loads and stores have that of their part */
	bool by_columns;             /* loads and stores: column-major; ldmatrix, stmatrix: transposed */
	bool quad_pairs;             /* Volta's m8n8k4 of f16: four products, each by eight lanes */
	bool columns[2];             /* of these: whether A and B are column-major; of wgmma: M- and N-major */
	bool negative;               /* wgmma: the products are negated */
	bool saturate, exclusive_or; /* integers: clamp the sum; bits: xor, not and, before they are counted */
	uint8_t matrices;            /* ldmatrix, stmatrix: how many of 8 x 8 */
};

/* Reads an opcode as written, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"; null, or what is wrong with it. */
const char *matrix_read(const char *opcode, struct matrix *matrix);
/* The shapes that mma or wmma has for a type of factors; those not used are 0.  The last row has no type. */
#define MATRIX_SHAPES 4
extern const struct matrix_shape {
	bool is_wmma;
	uint8_t type;
	struct {
		uint8_t m, n;
		uint16_t k;
	} shape[MATRIX_SHAPES];
} matrix_shapes[];
/* Whether sums of this type go with the factors. */
bool matrix_is_sum(enum matrix_type factor, enum matrix_type sum);
const char *matrix_type_name(enum matrix_type type);
/* How many lanes a matrix is spread over. */
uint32_t matrix_lanes(const struct matrix *matrix);
/* wgmma: whether the multiplicands are of 16 bits, the only ones that it takes M- or N-major; whether it has
 * imm-scale-a and imm-scale-b. */
bool matrix_is_transposable(const struct matrix *matrix);
bool matrix_has_scales(const struct matrix *matrix);
bool matrix_is_integer(enum matrix_type type);
/* Bits of an element; registers of a part as PTX wants them, and their width. */
uint32_t matrix_bits(enum matrix_type type);
uint32_t matrix_registers(const struct matrix *matrix, enum matrix_part part);
/* Multiply-adds of a warp, by elements of 16 bits. */
uint32_t matrix_work(const struct matrix *matrix);
uint32_t matrix_register_bits(const struct matrix *matrix, enum matrix_part part);

#endif
