/* Which nodes run in a quantum, and which of them the host's threads take first.
 *
 * Nodes that are not in use have no turn.  Several threads take nodes one after another, and the quantum ends with the
 * last node: it ends earliest when the slowest nodes are taken first.  Nodes that were slow lately mostly are again, so
 * in some quanta each node is timed, and the order follows.  A single thread takes them by number and times nothing.
 * The order, and so the clock, only decides how long the host takes: results do not depend on it (nodes/node.h). */
#ifndef LOCKSTEP_MACHINE_NODES_TURNS_H
#define LOCKSTEP_MACHINE_NODES_TURNS_H

#include <stdint.h>

struct machine;

/* The machine's nodes are there.  No node has a turn yet. */
void turns_create(struct machine *machine);
/* To be called between quanta when a node has come into use. */
void turns_change(struct machine *machine);
/* Runs all nodes in use through a quantum, on all threads of the machine. */
void turns_take(struct machine *machine);
/* What a thread does with the item of a round: runs that node of the order.  `machine` is a struct machine. */
void turns_take_one(void *machine, uint32_t item);

#endif
