/* The nodes of a machine: addresses, which outbox reaches which inbox, a quantum of one node. */
#ifndef LOCKSTEP_MACHINE_NODES_NODES_H
#define LOCKSTEP_MACHINE_NODES_NODES_H

#include "machine/state/node.h"

/* The first address of a kind. */
uint32_t node_first_address(const struct gpu_model *model, enum node_kinds kind);
/* An outbox from which a node of the kind reaches those that it asks, and those that ask it. */
struct outbox *node_outbox(struct arena *arena, const struct gpu_model *model, enum node_kinds kind);
/* Makes inboxes and outbox of a node in node->arena, for a kind's `create`, or later on its first use. */
void node_open(struct node *node);

/* All nodes of a new machine. */
void nodes_create(struct machine *machine);
/* Collects what was sent to the node in the last quantum, and runs it through this one, with those that run together
 * with it.  It is in use (nodes/turns.h).  Nodes are independent of each other. */
void node_run(struct machine *machine, uint32_t index);
/* The earliest next event of all; machine->cycle when there are messages to be collected. */
uint64_t nodes_next_event(const struct machine *machine);

#endif
