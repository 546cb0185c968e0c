/* cilk_strassen: the matrix multiplication of paper 5, 7.1: blocks are divided into four, and pairs of blocks into
 * eight, down to a base case whose products are added up by atomic operations.  So it is the recursion with eight
 * products, which makes the 587 wavefronts of Table 3; Strassen's own with seven would make 306.  Needs OpenCL C 2.0
 * and 64-bit atomics. */
#include "cilk.h"
#include "products.h"

enum { SIDE = CILK_NUMBERS, BASE };

int main(int argc, char **argv)
{
	struct number numbers[] = {
		CILK_OPTIONS(256, 8192),
		[SIDE] = {"side", "of the matrices, a power of two", 32, 512, 1, 4096, 0},
		[BASE] = {"base", "side of a block that a work-item multiplies, a power of two", 8, 16, 1, 64, 0},
	};
	uint64_t seed;
	struct cilk c = cilk_open(argc, argv, "a matrix multiplication by spawned blocks", "cilk_strassen.cl", numbers,
		COUNT(numbers), 8, NULL, &seed);
	uint32_t side = (uint32_t)numbers[SIDE].value, base = (uint32_t)numbers[BASE].value, levels = 1;
	if (!CH_POWER_(side) || !CH_POWER_(base))
		options_refuse("--side %u --base %u: expected powers of two", side, base);
	while (side >> (levels - 1) > base)
		levels++;
	uint32_t blocks = cilk_stack(&c, levels, 3 * sizeof(cl_uint), 8);
	cilk_kernel(&c, blocks, "multiply", 0);
	fl_output(&c.graph, blocks, blocks, 1, 8);
	cilk_build(&c);
	fl_put(c.memory, blocks, 0); /* row, column and middle 0 */
	struct products p = products_make(&c.gpu, side, &seed);
	CILK_ARGUMENTS(&c, blocks, ARGUMENT(p.device_a), ARGUMENT(p.device_b), ARGUMENT(p.device_c), ARGUMENT(side),
		ARGUMENT(base));
	CILK_FIRMWARE_ARGUMENTS(
		&c, ARGUMENT(p.device_a), ARGUMENT(p.device_b), ARGUMENT(p.device_c), ARGUMENT(side), ARGUMENT(base));
	cilk_run(&c);
	products_check(&c.gpu, &p);
	cilk_close(&c);
	return pass();
}
