/* wgmma: where a matrix of shared memory is, and the products of a warp.
 *
 * Each warp of a warpgroup computes 16 of the 64 rows.  What it multiplies goes from registers or shared memory into
 * `raw` bytes, in one order whatever the layout, and from there into blocks of f32.  All products of 16 bits and less
 * are exact in f32, and so are sums of the products of integers and of bits: one loop over floats serves all types. */
#ifndef LOCKSTEP_WARP_WARPGROUP_H
#define LOCKSTEP_WARP_WARPGROUP_H

#include "kernel/insn.h"

#define WARPGROUP_ROWS 16     /* of a warp */
#define WARPGROUP_COLUMNS 256 /* at most */
#define WARPGROUP_DEPTH 32    /* elements of k in a block, at most */
#define WARPGROUP_BYTES 32    /* of k in a row or column */
#define MATRIX_CHUNK 16       /* bytes that lie together, whatever the layout */

/* PTX ISA, "Matrix Descriptor Format". */
struct matrix_descriptor {
	uint32_t start, leading, stride; /* bytes */
	uint8_t chunks;                  /* of a row of the swizzled pattern: 8 (128 bytes), 4, 2; 1: no swizzle */
	uint8_t base;                    /* the row of the pattern at which it begins, modulo 8 */
	bool by_columns;                 /* M- or N-major */
};
struct matrix_descriptor matrix_descriptor_read(uint64_t bits, bool by_columns);
/* The address of a chunk in shared memory.  K-major: `line` is a row of A or a column of B, `chunk` 0 or 1 along k;
 * else `line` is along k, and the chunk has 8 rows or columns. */
uint32_t matrix_descriptor_chunk(const struct matrix_descriptor *d, uint32_t line, uint32_t chunk);

/* Blocks of a core: too much for the stack, and B stays for the next warp. */
struct warpgroup_room {
	_Alignas(64) float sum[WARPGROUP_ROWS * WARPGROUP_COLUMNS];
	float a[WARPGROUP_ROWS * WARPGROUP_DEPTH], b[WARPGROUP_DEPTH * WARPGROUP_COLUMNS]; /* a[row][k], b[k][column] */
	uint8_t raw_a[WARPGROUP_ROWS * WARPGROUP_BYTES], raw_b[WARPGROUP_COLUMNS * WARPGROUP_BYTES];
	/* What b was made of. */
	uint8_t from[WARPGROUP_COLUMNS * WARPGROUP_BYTES];
	uint16_t from_columns; /* 0: of nothing */
	uint8_t from_type;
	bool from_by_columns;
};

struct warp;
struct lane_warpgroup {
	/* D = A * B + D, or with `adds` false A * B, for 32 lanes of a warp from `first` on, of which `lanes` get their
	 * sums.  B is in room->raw_b, and A, if the instruction has no registers for it, in room->raw_a. */
	void (*multiply)(const struct warp *w, const struct insn_matrix *matrix, uint32_t first, uint32_t lanes,
		bool adds, struct warpgroup_room *room);
};

#endif
