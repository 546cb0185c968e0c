/* Memory from malloc that nothing can be done without. */
#ifndef LOCKSTEP_HOST_NEED_H
#define LOCKSTEP_HOST_NEED_H

#include "util/arena.h"

/* `pointer`, which is what an allocation returned.  Null ends the program: where no error can be returned, or null
 * would mean another thing to callers. */
static inline void *need(void *pointer)
{
	if (!pointer)
		arena_out_of_memory(0);
	return pointer;
}

#endif
