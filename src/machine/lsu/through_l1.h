/* Loads and stores of lines through the L1, as the coherence policy says: what memory kinds name as their `send`. */
#ifndef LOCKSTEP_MACHINE_LSU_THROUGH_L1_H
#define LOCKSTEP_MACHINE_LSU_THROUGH_L1_H

#include "machine/lsu/memory_kind.h"

/* Asks for the kind's `sectors` of the line; its `deliver` gets the bytes, now or when they come.  False: no room for
 * the request. */
bool through_l1_load(struct core *core, struct operation *op, const struct transaction *t);
/* Sends what the kind's `gather` has for the line.  The transaction is over for the warp; its group's fences wait for
 * the answer. */
bool through_l1_store(struct core *core, struct operation *op, const struct transaction *t);
/* A line has come; a store is answered. */
void through_l1_loaded(struct core *core, const struct message *m);
void through_l1_stored(struct core *core, const struct message *m);
#define OPERATION_TOKEN 0x80000000u /* in the token of a store: the rest is an operation, which the reply answers */

#endif
