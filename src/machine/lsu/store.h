/* Stores: what other kinds that store share with them. */
#ifndef LOCKSTEP_MACHINE_LSU_STORE_H
#define LOCKSTEP_MACHINE_LSU_STORE_H

#include "machine/lsu/memory_kind.h"

/* memory_kind.count */
void store_count(struct counters *c, const struct operation *op);

#endif
