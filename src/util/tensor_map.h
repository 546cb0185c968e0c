/* Tensor maps: how a tensor lies in global memory, and which box of it a tensor copy moves (PTX ISA, "Tensors"; CUDA
 * driver API, cuTensorMapEncodeTiled, ...Im2col, ...Im2colWide).
 *
 * NVIDIA does not publish what its 128 bytes mean, and programs must not look into them.  These are ours: the driver
 * writes them, tensor copies read them, and tensormap.replace changes a field. */
#ifndef LOCKSTEP_UTIL_TENSOR_MAP_H
#define LOCKSTEP_UTIL_TENSOR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TENSOR_RANK 5        /* most dimensions */
#define TENSOR_MAP_BYTES 128 /* PTX ISA, "Tensor-map": its size, and cuda.h: CU_TENSOR_MAP_NUM_QWORDS 16 */
#define TENSOR_MAP_ALIGNMENT 64

/* Numbered as CUtensorMapDataType. */
enum tensor_type {
	TENSOR_U8,
	TENSOR_U16,
	TENSOR_U32,
	TENSOR_S32,
	TENSOR_U64,
	TENSOR_S64,
	TENSOR_F16,
	TENSOR_F32,
	TENSOR_F64,
	TENSOR_BF16,
	TENSOR_F32_FTZ,
	TENSOR_TF32,
	TENSOR_TF32_FTZ,
	TENSOR_U4_ALIGN8,  /* 16 of 4 bits in 8 bytes; these three from sm_100 on */
	TENSOR_U4_ALIGN16, /* 16 of 4 bits in 8 of 16 bytes of shared memory */
	TENSOR_U6_ALIGN16, /* 16 of 6 bits in 12 of 16 bytes of shared memory */
	TENSOR_TYPES
};
enum tensor_mode { TENSOR_TILED, TENSOR_IM2COL, TENSOR_IM2COL_WIDE, TENSOR_MODES };
/* Numbered as CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapFloatOOBfill. */
enum tensor_interleave { TENSOR_INTERLEAVE_NONE, TENSOR_INTERLEAVE_16, TENSOR_INTERLEAVE_32, TENSOR_INTERLEAVES };
enum tensor_swizzle {
	TENSOR_SWIZZLE_NONE,
	TENSOR_SWIZZLE_32,
	TENSOR_SWIZZLE_64,
	TENSOR_SWIZZLE_128,
	TENSOR_SWIZZLE_128_ATOM_32,
	TENSOR_SWIZZLE_128_ATOM_32_FLIP_8,
	TENSOR_SWIZZLE_128_ATOM_64,
	TENSOR_SWIZZLES
};
enum tensor_fill { TENSOR_FILL_ZERO, TENSOR_FILL_NAN, TENSOR_FILLS };

/* No byte of it is padding.  Dimension 0 is the innermost one, whose elements are neighbours. */
struct tensor_map {
	uint64_t address;                 /* of the tensor, in global memory */
	uint64_t stride[TENSOR_RANK - 1]; /* bytes from one element to the next in dimensions 1 to 4 */
	uint64_t size[TENSOR_RANK];       /* elements; at most 2^32 */
	uint32_t magic;                   /* TENSOR_MAP_MAGIC */
	/* Elements that a copy spans in each dimension; im2col: [0] channels of a pixel, [1] pixels of a column. */
	uint16_t box[TENSOR_RANK];
	/* im2col: corners of the pixels' box in W, H, D: of the first pixel, and from the tensor's end. */
	int16_t lower[TENSOR_RANK - 2], upper[TENSOR_RANK - 2];
	uint8_t step[TENSOR_RANK]; /* elementStrides: every so-manyth element of the box is copied */
	uint8_t mode;              /* enum tensor_mode */
	uint8_t type;              /* enum tensor_type */
	uint8_t rank;              /* 1 to 5 */
	uint8_t interleave;        /* enum tensor_interleave */
	uint8_t swizzle;           /* enum tensor_swizzle */
	uint8_t promotion;         /* CUtensorMapL2promotion, which changes no value */
	uint8_t fill;              /* enum tensor_fill: what stands for elements outside of the tensor */
	uint8_t wide_128;          /* im2col wide: 1, of 128 pixels */
	uint8_t atom;              /* with TENSOR_SWIZZLE_128: as tensormap.replace has set swizzle_atomicity; else 0 */
	uint8_t unused[8];         /* 0 */
};
_Static_assert(sizeof(struct tensor_map) == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

#define TENSOR_MAP_MAGIC 0x50414d54u /* "TMAP": set once the rest has been checked */

/* What a map is made of, as programs give it: with room for numbers that no map may have, so that messages name them.
 */
struct tensor_request {
	uint64_t address, stride[TENSOR_RANK - 1], size[TENSOR_RANK];
	uint32_t box[TENSOR_RANK], step[TENSOR_RANK];
	int32_t lower[TENSOR_RANK - 2], upper[TENSOR_RANK - 2];
	uint32_t mode, type, rank, interleave, swizzle, promotion, fill, wide_128;
};

/* Bits of an element in global memory. */
uint32_t tensor_type_bits(enum tensor_type type);
/* What PTX calls it: "f16", "tf32.ftz", "b4x16_p64". */
const char *tensor_type_name(enum tensor_type type);
/* Makes a map that keeps the driver's rules (cuTensorMapEncodeTiled, ...Im2col, ...Im2colWide: "the parameters passed
 * are bound to the following requirements").  False: `problem` has what is wrong, in words, at most `bytes` long.
 * Numbers of dimensions beyond the rank do not matter, and become 0. */
bool tensor_map_make(const struct tensor_request *request, struct tensor_map *map, char *problem, size_t bytes);
/* Whether a map keeps the same rules. */
bool tensor_map_check(const struct tensor_map *map, char *problem, size_t bytes);

#endif
