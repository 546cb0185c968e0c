/* The order of what cores have put off: see turn.h. */
#include "machine/runtime/turn.h"

int turn_order(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}
