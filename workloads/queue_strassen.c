/* queue_strassen: the matrix multiplication of cilk_strassen by the same tasks, which persistent work-groups take from
 * one queue.  Needs OpenCL C 2.0. */
#include "products.h"
#include "queue.h"

enum { SIDE = QUEUE_NUMBERS, BASE };

int main(int argc, char **argv)
{
	struct number numbers[] = {
		QUEUE_OPTIONS(256, 65536, 1, 1),
		[SIDE] = {"side", "of the matrices, a power of two", 32, 512, 1, 4096, 0},
		[BASE] = {"base", "side of a block that a work-item multiplies, a power of two", 8, 16, 1, 64, 0},
	};
	uint64_t seed;
	struct queue q = queue_open(argc, argv, "a matrix multiplication, by a queue of blocks", "queue_strassen.cl",
		numbers, COUNT(numbers), 4, 1, &seed);
	uint32_t side = (uint32_t)numbers[SIDE].value, base = (uint32_t)numbers[BASE].value;
	if (side & (side - 1) || base & (base - 1))
		options_refuse("--side %u --base %u: expected powers of two", side, base);
	queue_first(&q)[3] = side; /* row, column and middle 0 */
	struct products p = products_make(&q.gpu, side, &seed);
	QUEUE_LAUNCH(
		&q, ARGUMENT(p.device_a), ARGUMENT(p.device_b), ARGUMENT(p.device_c), ARGUMENT(side), ARGUMENT(base));
	queue_finish(&q);
	products_check(&q.gpu, &p);
	queue_close(&q);
	return pass();
}
