/* dynamic_strassen: the matrix multiplication of cilk_strassen, by launches from the GPU. */
#include "../products.h"
#include "dynamic.h"

#include <stdlib.h>

DYNAMIC_PTX("strassen.ptx");

enum { SIDE = DYNAMIC_NUMBERS, BASE };

/* What kernels call `struct pair`: blocks of the whole matrices. */
struct pair {
	uint32_t row, column, middle;
};

int main(int argc, char **argv)
{
	struct number numbers[] = {
		DYNAMIC_OPTIONS(1, 1, 2048, 1 << 18),
		[SIDE] = {"side", "of the matrices, a power of two", 32, 512, 1, 4096, 0},
		[BASE] = {"base", "side of a block that a thread multiplies, a power of two", 8, 16, 1, 64, 0},
	};
	struct dynamic d;
	uint64_t seed = dynamic_open(&d, argc, argv, "a matrix multiplication, by launches from the GPU", numbers,
		COUNT(numbers), dynamic_ptx);
	uint32_t side = (uint32_t)numbers[SIDE].value, base = (uint32_t)numbers[BASE].value;
	if (side & (side - 1) || base & (base - 1))
		options_refuse("--side %u --base %u: expected powers of two", side, base);
	size_t bytes = (size_t)side * side * sizeof(uint32_t);
	uint32_t *product = allocate(1, bytes);
	struct products p = products_draw(side, &seed);
	struct pair whole = {0, 0, 0};
	device_address a = dynamic_buffer(p.a, bytes), b = dynamic_buffer(p.b, bytes),
		       c = dynamic_buffer(product, bytes);
	dynamic_run(&d, "multiply", (void *[]){&whole, &a, &b, &c, &side, &side, &base, NULL});
	driver_read(product, c, bytes);
	products_verify(&p, product);
	free(product);
	driver_free(a);
	driver_free(b);
	driver_free(c);
	dynamic_close(&d);
	return pass();
}
