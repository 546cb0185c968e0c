/* Matrices and their products, as products.h says. */
#include "products.h"

#include <stdlib.h>

struct products products_draw(uint32_t side, const uint64_t *random)
{
	size_t count = (size_t)side * side;
	struct products p = {
		side, allocate(count, sizeof(uint32_t)), allocate(count, sizeof(uint32_t)), *random, NULL, NULL, NULL};
	for (size_t k = 0; k < count; k++) {
		p.a[k] = (uint32_t)random_next(&p.random);
		p.b[k] = (uint32_t)random_next(&p.random);
	}
	return p;
}

struct products products_make(const struct gpu *gpu, uint32_t side, const uint64_t *random)
{
	size_t count = (size_t)side * side, bytes = count * sizeof(uint32_t);
	struct products p = products_draw(side, random);
	p.device_a = gpu_buffer(gpu, bytes, p.a);
	p.device_b = gpu_buffer(gpu, bytes, p.b);
	p.device_c = gpu_filled(gpu, count, 0);
	return p;
}

/* matrix * vector. */
static void times(uint32_t side, const uint32_t *matrix, const uint32_t *vector, uint32_t *result)
{
	for (uint32_t row = 0; row < side; row++) {
		result[row] = 0;
		for (uint32_t k = 0; k < side; k++)
			result[row] += matrix[(size_t)row * side + k] * vector[k];
	}
}

/* c * v is a * (b * v) for any v.  A product that differs in some place passes one random v with a chance of 1/2 at
 * most (a difference of 2^31 in one place), and so all of them with 2^-64. */
void products_verify(struct products *p, const uint32_t *c)
{
	uint32_t *words = allocate(4 * (size_t)p->side, sizeof *words);
	uint32_t *v = words, *bv = v + p->side, *abv = bv + p->side, *cv = abv + p->side;
	for (int turn = 0; turn < 64; turn++) {
		for (uint32_t k = 0; k < p->side; k++)
			v[k] = (uint32_t)random_next(&p->random);
		times(p->side, p->b, v, bv);
		times(p->side, p->a, bv, abv);
		times(p->side, c, v, cv);
		for (uint32_t k = 0; k < p->side; k++)
			if (cv[k] != abv[k])
				fail("row %u of the product is wrong", k);
	}
	free(words);
	free(p->a);
	free(p->b);
}

void products_check(const struct gpu *gpu, struct products *p)
{
	size_t count = (size_t)p->side * p->side;
	uint32_t *c = allocate(count, sizeof *c);
	gpu_read(gpu, p->device_c, count * sizeof *c, c);
	products_verify(p, c);
	free(c);
	gpu_free(p->device_a);
	gpu_free(p->device_b);
	gpu_free(p->device_c);
}
