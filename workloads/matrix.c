/* matrix: a matrix multiplication as GPUs do it, beside cilk_strassen (paper 5, Table 4): a work-item has 4 x 4
 * elements of the product, as in AMD's sample; with --words 1 it has one, and reads its words one by one, as a task of
 * cilk_strassen does. */
#include "common.h"
#include "products.h"

#include <stdio.h>

enum { SIDE, GROUP, WORDS };

int main(int argc, char **argv)
{
	struct number numbers[] = {
		[SIDE] = {"side", "of the matrices, a power of two", 32, 512, 4, 4096, 0},
		[GROUP] = {"group", "side of a work-group, a power of two", 8, 8, 1, 32, 0},
		[WORDS] = {"words", "1: a work-item has one element, and reads words", 0, 0, 0, 1, 0},
	};
	uint64_t seed = options_read(argc, argv, "a matrix multiplication by tiles", numbers, COUNT(numbers));
	uint32_t side = (uint32_t)numbers[SIDE].value, group = (uint32_t)numbers[GROUP].value,
		 across = numbers[WORDS].value ? side : side / 4;
	if ((side & (side - 1)) != 0 || (group & (group - 1)) != 0)
		options_refuse("--side %u --group %u: expected powers of two", side, group);
	if (group > across)
		group = across;
	struct gpu gpu = gpu_open("matrix.cl", "");
	struct products p = products_make(&gpu, side, &seed);
	double before = gpu_time(&gpu);
	GPU_LAUNCH_2D(&gpu, numbers[WORDS].value ? "multiply_words" : "multiply", across, across, group, group,
		ARGUMENT(p.device_a), ARGUMENT(p.device_b), ARGUMENT(p.device_c), ARGUMENT(across));
	printf("%.0f ns\n", gpu_time(&gpu) - before);
	products_check(&gpu, &p);
	gpu_close(&gpu);
	return pass();
}
