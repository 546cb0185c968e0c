/* dynamic_fibonacci: the Fibonacci number of cilk_fibonacci, by launches from the GPU. */
#include "../answers.h"
#include "dynamic.h"

DYNAMIC_PTX("fibonacci.ptx");

enum { N = DYNAMIC_NUMBERS };

int main(int argc, char **argv)
{
	struct number numbers[] = {
		DYNAMIC_OPTIONS(512, 1 << 18, 2048, 1 << 18),
		[N] = {"n", "which number", 12, 24, 1, 24, 0},
	};
	struct dynamic d;
	dynamic_open(
		&d, argc, argv, "a Fibonacci number, by launches from the GPU", numbers, COUNT(numbers), dynamic_ptx);
	uint32_t n = (uint32_t)numbers[N].value;
	device_address result = dynamic_result(&d);
	dynamic_run(&d, "call", (void *[]){&n, &result, NULL});
	fibonacci_check(n, d.run.result);
	dynamic_close(&d);
	return pass();
}
