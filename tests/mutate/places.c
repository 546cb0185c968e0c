/* What tests/mutate.py makes mutants of: each form that the operators apply to, and those that they leave alone. */
#include <assert.h>
#include <stdlib.h>

#define TWICE(x) ((x) + (x))
enum { SIZE = 4 };
static const int table[] = {1, 2};

int sum(const int *p, int n)
{
	static int calls = 3;
	int total = 0, room[SIZE + 1] = {0};
	assert(n > 0 && p);
	for (int i = 0; i < n; i++)
		total += p[i];
	free(room[0] ? NULL : NULL);
	if (!total)
		return TWICE(calls);
	switch (n) {
	case 7:
		total = n; total--;
		break;
	default:
		break;
	}
	while (n && total == sizeof(int))
		if (--n)
			continue;
	return total;
}

int nothing(void)
{
	enum { NONE, SOME };
	if (SIZE == SOME)
		return SOME;
	return NONE;
}
