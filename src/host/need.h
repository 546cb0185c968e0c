/* Memory from malloc that nothing can be done without. */
#ifndef LOCKSTEP_HOST_NEED_H
#define LOCKSTEP_HOST_NEED_H

#include "util/arena.h"

/* Returns `pointer`, the result of an allocation.  Null ends the program: for places that cannot return an error, or
 * where null has another meaning. */
static inline void *need(void *pointer)
{
	if (!pointer)
		arena_out_of_memory(0);
	return pointer;
}

#endif
