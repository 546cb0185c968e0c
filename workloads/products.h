/* Two square matrices of 32-bit numbers, modulo 2^32, and the product of them that a device has made: of cilk_strassen
 * and matrix.  The check is Freivalds': it multiplies by vectors. */
#ifndef LOCKSTEP_WORKLOADS_PRODUCTS_H
#define LOCKSTEP_WORKLOADS_PRODUCTS_H

#include "common.h"

struct products {
	uint32_t side, *a, *b;
	uint64_t random;
	cl_mem device_a, device_b, device_c; /* c: all 0 */
};

/* Drawn by `random`. */
struct products products_make(const struct gpu *gpu, uint32_t side, const uint64_t *random);
/* Fails unless c is the product; frees all. */
void products_check(const struct gpu *gpu, struct products *p);

#endif
