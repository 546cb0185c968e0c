/* dynamic_sort: the sort of cilk_sort, by launches from the GPU. */
#include "../answers.h"
#include "dynamic.h"

#include <stdlib.h>

DYNAMIC_PTX("sort.ptx");

enum { N = DYNAMIC_NUMBERS, BASE, MERGE };

/* What kernels call so. */
struct arrays {
	device_address values, other;
	uint32_t base, least;
};
struct part {
	uint32_t low, size;
};

int main(int argc, char **argv)
{
	struct number numbers[] = {
		DYNAMIC_OPTIONS(1, 1, 2048, 1 << 18),
		[N] = {"n", "numbers to sort", 1500, 1000000, 1, 1 << 26, 0},
		[BASE] = {"base", "numbers that a thread sorts alone, at most", 64, 64, 8, 1024, 0},
		[MERGE] = {"merge", "numbers that a thread merges alone, at most", 128, 128, 8, 1 << 20, 0},
	};
	struct dynamic d;
	uint64_t random =
		dynamic_open(&d, argc, argv, "a sort, by launches from the GPU", numbers, COUNT(numbers), dynamic_ptx);
	uint32_t n = (uint32_t)numbers[N].value, whole = 1;
	uint32_t *values = allocate(n, sizeof *values), *got = allocate(n, sizeof *got);
	for (uint32_t k = 0; k < n; k++)
		values[k] = (uint32_t)random_next(&random);
	struct arrays a = {dynamic_buffer(values, n * sizeof *values), dynamic_buffer(got, n * sizeof *got),
		(uint32_t)numbers[BASE].value, (uint32_t)numbers[MERGE].value};
	struct part all = {0, n};
	dynamic_run(&d, "sort", (void *[]){&a, &all, &whole, NULL});
	driver_read(got, a.values, n * sizeof *got);
	sorted_check(values, got, n);
	free(values);
	free(got);
	driver_free(a.values);
	driver_free(a.other);
	dynamic_close(&d);
	return pass();
}
