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
 * them.  With l2.parts the runs of slices of one part are turned as a whole, and the slices in each likewise, so that
 * l2.part_bytes stay together. */
#ifndef LOCKSTEP_MEMORY_ADDRESS_MAP_H
#define LOCKSTEP_MEMORY_ADDRESS_MAP_H

#include "model/model.h"

#include <assert.h>
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
	uint32_t run;                         /* slices of a run of one part; 0: the L2 has one part */
	struct polynomial_hash slice, set;
};

struct address_place {
	uint32_t slice; /* of the GPU */
	uint32_t set;
	uint32_t bank, row;
};

struct address_map address_map_of(const struct gpu_model *model);
/* The number of the unit of interleave_bits divided by the channels, by a multiplication with the reciprocal, which is
 * several times faster than a division (Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019).  It is
 * exact: reciprocal * channels is less than 2^64 + channels, so the product is too large by less than unit * channels /
 * 2^64 channels' parts; units have 57 bits (l2.interleave is 128 at least) and there are 128 channels at most. */
static inline uint64_t address_above(const struct address_map *map, uint64_t address)
{
	uint64_t unit = address >> map->interleave_bits;
	assert(map->interleave_bits >= 7);
	return map->channels_reciprocal ? (uint64_t)((unsigned __int128)map->channels_reciprocal * unit >> 64) : unit;
}
/* For address_slice only: with the hash, the slice of what is `slice` without. */
uint32_t address_hashed(const struct address_map *map, uint64_t above, uint32_t slice);
static inline uint32_t address_slice(const struct address_map *map, uint64_t address)
{
	uint64_t above = address_above(map, address);
	uint32_t channel = (uint32_t)((address >> map->interleave_bits) - above * map->channels);
	uint32_t slice = channel * map->per_channel + ((uint32_t)above & (map->per_channel - 1));
	assert(slice < map->slices);
	return map->hash_bits ? address_hashed(map, above, slice) : slice;
}
struct address_place address_place(const struct address_map *map, uint64_t address);

#endif
