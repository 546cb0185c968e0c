/* Nodes: the units that run through a quantum alone, on any thread, and touch each other by messages only.
 *
 * A node has an address for each of its inboxes, and one outbox.  Addresses count through the kinds in the order of list.def, then through
 * the nodes of a kind, then through a node's inboxes: cores come first, then slices.  Messages name them as source and destination; what
 * arrives at the same cycle is in the order of its sources.
 *
 * What every kind must hold to (docs/architecture.md, Quanta): a message arrives at least the quantum after it was sent; `run` touches
 * nothing but the node and what no node changes; the same input has the same result.
 *
 * To add one: a file and a row in list.def. */
#ifndef LOCKSTEP_MACHINE_NODES_NODE_H
#define LOCKSTEP_MACHINE_NODES_NODE_H

#include "memory/message.h"
#include "model/model.h"

struct arena;
struct machine;
struct node;

enum node_kinds {
#define NODE(name) NODE_##name,
#include "machine/nodes/list.def"
#undef NODE
	NODE_KINDS
};

struct node_kind {
	const char *name;
	/* How many nodes of the kind a GPU has, and inboxes (addresses) each. */
	uint32_t (*count)(const struct gpu_model *model);
	uint32_t (*inboxes)(const struct gpu_model *model);
	/* The kinds to which it sends requests, bits 1 << NODE_<name>; those send their replies back. */
	uint32_t asks;
	/* Makes node->state, ->inboxes and ->outbox when the machine is made; null: they are set when the node is first used, until then the
	 * outbox is null and the node does nothing. */
	void (*create)(struct node *node);
	void (*destroy)(struct node *node);
	/* Advances to cycle `until`, which is as far as messages have been collected. */
	void (*run)(struct node *node, uint64_t until);
	/* The earliest cycle at which it has something to do by itself or by what its inboxes hold; UINT64_MAX: nothing.  Nothing at all in any
	 * node means that the launches hang, so a node that acts for ever hides that; hang detection still sees warps that spin. */
	uint64_t (*next_event)(const struct node *node);
};

struct node {
	const struct node_kind *kind;
	enum node_kinds which; /* kind it is of */
	struct machine *machine;
	void *state;           /* the kind's */
	uint32_t number;       /* of its kind */
	uint32_t address;      /* of its first inbox */
	uint32_t inbox_count;
	struct inbox *const *inboxes;
	struct outbox *outbox; /* null: not in use */
	struct arena *arena;   /* where it may grow while it runs; null: the kind has its own way */
};

/* The nodes whose outboxes one kind collects from. */
struct senders {
	uint32_t count;
	uint32_t *at; /* indices into machine->nodes, ascending */
};

/* The first address of a kind. */
uint32_t node_first_address(const struct gpu_model *model, enum node_kinds kind);
/* An outbox from which a node of the kind reaches those that it asks, and those that ask it. */
struct outbox *node_outbox(struct arena *arena, const struct gpu_model *model, enum node_kinds kind);
/* Inboxes and outbox of a node, in its arena, for node_kind.create. */
void node_open(struct node *node);

/* All nodes of a new machine. */
void nodes_create(struct machine *machine);
void nodes_destroy(struct machine *machine);
/* Collects what was sent to the node in the last quantum, and runs it through this one.  Nodes are independent of each other. */
void node_run(struct machine *machine, uint32_t index);
/* The earliest next event of all; machine->cycle when there are messages to be collected. */
uint64_t nodes_next_event(const struct machine *machine);

#endif
