/* Stores: what other kinds that store share with them. */
#ifndef LOCKSTEP_MACHINE_LSU_STORE_H
#define LOCKSTEP_MACHINE_LSU_STORE_H

#include "machine/lsu/memory_kind.h"

extern const struct memory_kind memory_store;
/* memory_kind.capture: the value, of s[1]. */
void store_capture(struct operation *op);
/* memory_kind.count */
void store_count(struct counters *c, const struct operation *op);

#endif
