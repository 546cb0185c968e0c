/* Two square matrices of 32-bit numbers, modulo 2^32, and the product of them that a device has made: of cilk_strassen
 * and others.  The check is Freivalds': it multiplies by vectors. */
#ifndef LOCKSTEP_WORKLOADS_PRODUCTS_H
#define LOCKSTEP_WORKLOADS_PRODUCTS_H

#include "common.h"

struct products {
	uint32_t side, *a, *b;
	uint64_t random;
	cl_mem device_a, device_b, device_c; /* c: all 0 */
};

/* On the host alone: drawn by `random`; the check of a product, which frees a and b. */
struct products products_draw(uint32_t side, const uint64_t *random);
void products_verify(struct products *p, const uint32_t *c);
/* Likewise, on an OpenCL device, too. */
struct products products_make(const struct gpu *gpu, uint32_t side, const uint64_t *random);
/* Fails unless c is the product; frees all. */
void products_check(const struct gpu *gpu, struct products *p);

#endif
