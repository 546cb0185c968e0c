/* Bit l in element l: an AND with it and a comparison turn a mask into lanes with any vector instruction set. */
#ifndef LOCKSTEP_WARP_LANE_BITS_H
#define LOCKSTEP_WARP_LANE_BITS_H

#include <stdint.h>

extern const uint32_t lane_bit[32];
extern const uint64_t lane_bit_wide[32];

#endif
