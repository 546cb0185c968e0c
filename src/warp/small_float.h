/* Rounding an exact number to a binary float format, in integers only: for conversions that C does not have. */
#ifndef LOCKSTEP_WARP_SMALL_FLOAT_H
#define LOCKSTEP_WARP_SMALL_FLOAT_H

#include "ptx/ops.h"

#include <stdbool.h>
#include <stdint.h>

struct float_format {
	unsigned mantissa, exponent; /* bits stored */
};

/* (-1)^negative * significand * 2^exponent in the format, rounded as `rounding` says (rounding_RN when NONE); overflow
 * goes to infinity or to the largest number as that mode does. */
uint64_t round_to_format(
	struct float_format format, bool negative, unsigned __int128 significand, int exponent, unsigned rounding);

#endif
