/* The passes of flow_analyse, in the order they run; private to src/kernel. */
#ifndef LOCKSTEP_KERNEL_FLOW_PARTS_H
#define LOCKSTEP_KERNEL_FLOW_PARTS_H

#include "kernel/flow.h"
#include "util/arena.h"

/* Needs blocks and edges.  Gives dominator and post_dominator. */
void flow_find_dominators(struct arena *arena, struct flow *flow);
/* Needs dominators.  Gives loops and the innermost loop of each block. */
void flow_find_loops(struct arena *arena, struct flow *flow);
/* Needs edges.  Gives live_out. */
void flow_find_liveness(struct arena *arena, struct flow *flow);

/* Blocks in reverse postorder from block 0; `number` (per block) gets positions, NO_BLOCK when unreachable.  Returns
 * the count. */
uint32_t flow_reverse_postorder(struct arena *arena, const struct flow *flow, uint32_t *order, uint32_t *number);

#endif
