/* Nodes: the units that run through a quantum alone, on any thread, and touch each other by messages only.
 *
 * A node has an address for each of its inboxes, and one outbox.  Addresses count through the kinds in the order of
 * nodes.def, then through the nodes of a kind, then through a node's inboxes: cores come first, then slices.  Messages
 * name them as source and destination; what arrives at the same cycle is in the order of its sources.
 *
 * What every kind must hold to (docs/architecture.md, Quanta): a message arrives at least the quantum after it was
 * sent; `run` touches nothing but the node and what no node changes; the same input has the same result.
 *
 * To add one: a file and a row in nodes.def. */
#ifndef LOCKSTEP_MACHINE_STATE_NODE_H
#define LOCKSTEP_MACHINE_STATE_NODE_H

#include "memory/message.h"
#include "model/model.h"

struct arena;
struct machine;
struct node;

enum node_kinds {
#define NODE(name) NODE_##name,
#include "machine/state/nodes.def"
#undef NODE
	NODE_KINDS
};

struct node_kind {
	/* How many nodes of the kind a GPU has, and inboxes (addresses) each. */
	uint32_t (*count)(const struct gpu_model *model);
	uint32_t (*inboxes)(const struct gpu_model *model);
	/* The kinds to which it sends requests, bits 1 << NODE_<name>; those send their replies back. */
	uint32_t asks;
	/* They send to each other, too, when a launch in clusters is on the machine; null: never. */
	bool (*asks_peers)(const struct gpu_model *model);
	/* Sets node->state, and inboxes and outbox, when the machine is made.  What only few programs use may leave
	 * those for its first use: while the outbox is null, nothing is collected for the node and it does not run. */
	void (*create)(struct node *node);
	/* Does what the machine has left to the node since it ran last (node->is_due), before it collects messages.
	 * null: nothing ever is. */
	void (*prepare)(struct node *node);
	/* Advances to cycle `until`, which is as far as messages have been collected. */
	void (*run)(struct node *node, uint64_t until);
	/* How many nodes of the kind, from each multiple on, run together; null: each alone. */
	uint32_t (*together)(const struct gpu_model *model);
	/* Advances `count` nodes that may touch each other to cycle `until`; those that are not in use, which have no
	 * outbox, excepted. */
	void (*run_together)(struct node *nodes, uint32_t count, uint64_t until);
	/* The earliest cycle at which it has something to do by itself or by what its inboxes hold; UINT64_MAX:
	 * nothing.  Nothing at all in any node means that the launches hang, so a node that acts for ever hides that;
	 * hang detection still sees warps that spin. */
	uint64_t (*next_event)(const struct node *node);
};

struct node {
	const struct node_kind *kind;
	enum node_kinds which; /* kind it is of */
	struct machine *machine;
	void *state;      /* the kind's */
	uint32_t number;  /* of its kind */
	uint32_t address; /* of its first inbox */
	uint32_t inbox_count;
	uint32_t together; /* nodes from this one on that run together; 0: it runs with one before it */
	bool is_due;       /* `prepare` is to be called; then it is in use */
	struct inbox *const *inboxes;
	struct outbox *outbox; /* null: not in use */
	struct arena *arena;   /* its own, for node_open and what grows while it runs; null: none */
};

/* The nodes whose outboxes one kind collects from. */
struct senders {
	uint32_t count;
	uint32_t *at; /* indices into machine->nodes, ascending */
};

/* Which nodes run in a quantum, in which order (nodes/turns.h). */
struct turns {
	uint32_t *order; /* indices into machine->nodes */
	uint32_t count;
	uint32_t *took; /* of each node: nanoseconds of a quantum, a mean in which older ones fade; 0: not timed yet */
	bool is_stale;  /* a node has come into use since `order` was made */
	bool is_timed;  /* this quantum's nodes are */
};

#endif
