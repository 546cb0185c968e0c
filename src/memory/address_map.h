/* Where an address lies: slice, set and tag of the L2, bank and row of the DRAM.
 *
 * From the lowest bit up an address is
 *     interleave     consecutive bytes of one slice, the low part of the DRAM column
 *     channel        division by the number of channels, which need not be a power of two: channel is the remainder,
 *                    and what follows are the bits of the quotient
 *     slice          of the channel; at the same time the lowest bits of the bank, so that slices share no bank
 *     column, high   the rest of the row's bytes
 *     bank, high
 *     row
 * which is GPGPU-Sim's mapping string of GTX480 and V100 (dramid@8;...RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS).  With l2.hash
 * the slice is then replaced by a hash of itself and all that lies above it, so that no stride uses one slice only.
 * Such a hash is below a power of two.  Where the number of channels is none, the slices of each round (as many units
 * as there are slices, one of each) are turned by a hash of the round's number instead: every slice still has one of
 * them. */
#ifndef LOCKSTEP_MEMORY_ADDRESS_MAP_H
#define LOCKSTEP_MEMORY_ADDRESS_MAP_H

#include "model/model.h"

#include <stdint.h>

/* The remainder of high * x^bits by an irreducible polynomial of degree `bits`, as sums of what each hexadecimal digit
 * of `high` contributes: remainders are linear. */
struct polynomial_hash {
	uint32_t of[16][16]; /* [digit's place][digit] */
};

struct address_map {
	uint32_t channels, slices, per_channel;
	uint64_t channels_reciprocal;         /* ceil(2^64 / channels); 0 for one channel, where it does not fit */
	uint32_t interleave_bits, slice_bits; /* slice_bits: of per_channel */
	uint32_t column_bits, bank_bits;      /* the high parts */
	uint32_t set_bits, line_bits;         /* line_bits: lines of the interleave */
	uint32_t hash_bits, set_hash;         /* 0: no hash */
	uint32_t turns;                       /* 1: the slices of a round are turned by the hash */
	struct polynomial_hash slice, set;
};

struct address_place {
	uint32_t slice; /* of the GPU */
	uint32_t set;
	uint32_t bank, row;
};

struct address_map address_map_of(const struct gpu_model *model);
uint32_t address_slice(const struct address_map *map, uint64_t address);
struct address_place address_place(const struct address_map *map, uint64_t address);

#endif
