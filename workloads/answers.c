/* Results that programs are to have, as answers.h says. */
#include "answers.h"

#include "common.h"

#include <stdlib.h>

void fibonacci_check(uint32_t n, uint32_t got)
{
	uint32_t last = 0, number = 1;
	for (uint32_t k = 1; k < n; k++) {
		uint32_t next = last + number;
		last = number;
		number = next;
	}
	if (got != number)
		fail("fib(%u) is %u, not %u", n, number, got);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

void sorted_check(uint32_t *values, const uint32_t *got, size_t count)
{
	qsort(values, count, sizeof *values, compare);
	for (size_t k = 0; k < count; k++)
		if (got[k] != values[k])
			fail("number %zu is %u, not %u", k, got[k], values[k]);
}
