/* Tensor copies: which bytes of global memory the box of a tensor map has, and where each goes in shared memory (PTX
 * ISA, "Tensors": tiled mode, im2col mode, swizzling modes).
 *
 * A box is a row of bytes behind the other, as in the map's innermost dimension; rows lie close in shared memory, but
 * for the swizzle.  What of a row is outside of the tensor is filled, and not stored. */
#ifndef LOCKSTEP_MACHINE_LSU_TENSOR_H
#define LOCKSTEP_MACHINE_LSU_TENSOR_H

#include "util/tensor_map.h"

#include <assert.h>

#define TENSOR_ALIGNMENT 128 /* of the box in shared memory (PTX ISA, "cp.async.bulk.tensor") */

struct tensor_box {
	struct tensor_map map;
	int64_t at[TENSOR_RANK];         /* its first element; im2col: its first channel, and the first pixel */
	uint32_t moved[TENSOR_RANK - 2]; /* im2col: offsets of the pixels in W, H, D */
	uint32_t count[TENSOR_RANK];     /* tiled: elements of it in each dimension */
	uint32_t rows, row_bytes;
	uint32_t shared; /* its offset in shared memory */
	uint32_t unused; /* no byte of it is padding: copy_visit shows them all */
};

/* Makes the box of a map at these coordinates. */
void tensor_box_make(struct tensor_box *box, const struct tensor_map *map, const int32_t *at, const uint16_t *moved,
	uint32_t shared);
static inline uint32_t tensor_box_bytes(const struct tensor_box *box)
{
	assert(box->rows && box->row_bytes);
	return box->rows * box->row_bytes;
}

/* Bytes from `offset` in the box on that are neighbours in global memory, or all outside of the tensor. */
struct tensor_run {
	uint64_t address; /* 0: outside */
	uint32_t bytes;   /* to the end of the row at most */
};
struct tensor_run tensor_run(const struct tensor_box *box, uint32_t offset);
/* Whether the tensor's part of the box lies in [*first, *end); both 0: nothing of it is in the tensor. */
void tensor_extent(const struct tensor_box *box, uint64_t *first, uint64_t *end);

/* The offset in shared memory of the box's byte `offset`; how many bytes from there on are neighbours there, too. */
uint32_t tensor_place(const struct tensor_box *box, uint32_t offset, uint32_t *bytes);
/* Between bytes in the box's order and shared memory. */
void tensor_scatter(
	const struct tensor_box *box, uint32_t offset, const uint8_t *data, uint32_t bytes, uint8_t *shared);
void tensor_gather(const struct tensor_box *box, uint32_t offset, uint8_t *data, uint32_t bytes, const uint8_t *shared);
/* What stands for bytes outside of the tensor. */
void tensor_fill(const struct tensor_box *box, uint32_t offset, uint8_t *data, uint32_t bytes);

#endif
