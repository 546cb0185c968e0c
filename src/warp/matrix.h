/* Where the elements of a matrix are in the registers of a warp, and in memory.
 *
 * For mma the ISA specifies it ("Matrix Fragments for mma"); for wmma it does not, and the same rule is used: hardware
 * from sm_75 on follows it for sums of m16n16k16.  Lane l is number l % 4 of group l / 4.  A register holds neighbours
 * in k of A and B, in n of C and D:
 *     A   rows by the group, 8 in a block; columns by the lane in its group; registers take all blocks of rows, then
 *         the next columns
 *     B   the same with columns for rows; registers take all blocks of rows (k) first
 *     C   rows by the group, pairs of columns by the lane; registers take all blocks of rows, then the next 8
 *         columns
 * Volta's m8n8k4 of f16 makes four products: lane l is of product l / 4 % 4, in which it is number l % 4 + l / 16 * 4.
 */
#ifndef LOCKSTEP_WARP_MATRIX_H
#define LOCKSTEP_WARP_MATRIX_H

#include "kernel/insn.h"

struct matrix_place {
	uint32_t row, column;
};

/* Which of the warp's products the lane takes part in; how many there are. */
uint32_t matrix_product(const struct matrix *x, uint32_t lane);
uint32_t matrix_products(const struct matrix *x);
/* The place of the `nth` element that a lane has of a part of its product, counted through its registers. */
struct matrix_place matrix_place(const struct matrix *x, enum matrix_part part, uint32_t lane, uint32_t nth);
/* How many elements a lane has of it. */
uint32_t matrix_elements(const struct matrix *x, enum matrix_part part);

/* A piece of memory that a lane loads into, or stores from, a part of a register. */
struct matrix_piece {
	uint64_t address;
	uint8_t bytes, shift /* in the register, bits */, index /* of the register */;
};
uint32_t matrix_pieces(const struct matrix *x);
/* `address` of each lane: the same base for wmma; of row l % 8 of matrix l / 8 for ldmatrix and stmatrix.  stride:
 * elements from one row (or column) to the next. */
struct matrix_piece matrix_piece(
	const struct matrix *x, const uint64_t *address, uint64_t stride, uint32_t lane, uint32_t nth);
/* The stride that is meant when none is written. */
uint32_t matrix_stride(const struct matrix *x);

#endif
