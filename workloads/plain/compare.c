/* Random inputs, and the comparison of what came out. */
#include "plain.h"

#include <math.h>
#include <stdlib.h>

float *plain_floats(struct plain *p, size_t count, float low, float high)
{
	float *values = allocate(count, sizeof *values);
	for (size_t k = 0; k < count; k++)
		values[k] = low + (high - low) * random_unit(&p->random);
	return values;
}

int32_t *plain_ints(struct plain *p, size_t count, uint32_t below)
{
	int32_t *values = allocate(count, sizeof *values);
	for (size_t k = 0; k < count; k++)
		values[k] = (int32_t)random_below(&p->random, below);
	return values;
}

void plain_expect_floats(const struct plain *p, cl_mem buffer, float *expected, size_t count)
{
	float *found = allocate(count, sizeof *found);
	gpu_read(&p->gpu, buffer, count * sizeof *found, found);
	for (size_t k = 0; k < count; k++)
		if (!(fabsf(found[k] - expected[k]) <= 1e-3f * fmaxf(1, fabsf(expected[k]))))
			fail("%s: element %zu is %g, not %g", p->name, k, (double)found[k], (double)expected[k]);
	free(found);
	free(expected);
	gpu_free(buffer);
}

void plain_expect_ints(const struct plain *p, cl_mem buffer, int32_t *expected, size_t count)
{
	int32_t *found = allocate(count, sizeof *found);
	gpu_read(&p->gpu, buffer, count * sizeof *found, found);
	for (size_t k = 0; k < count; k++)
		if (found[k] != expected[k])
			fail("%s: element %zu is %d, not %d", p->name, k, found[k], expected[k]);
	free(found);
	free(expected);
	gpu_free(buffer);
}
