/* Graphs of work: their nodes, their instances, and the capture of streams into them.
 *
 * A node of a graph holds the same description (struct work_kind) as a task of a stream.  An instance is a copy of a
 * graph.  Its launch makes a task of each node, which comes after the tasks of the nodes before it: so independent
 * nodes overlap as streams do. */
#ifndef LOCKSTEP_HOST_CUDA_GRAPH_H
#define LOCKSTEP_HOST_CUDA_GRAPH_H

#include "host/cuda/objects.h"

/* ---- Sets of nodes ---- */

/* False: no memory. */
bool nodes_add(struct node_set *set, struct cuda_node *node);
bool nodes_have(const struct node_set *set, const struct cuda_node *node);
/* Adds the nodes that are not there yet. */
bool nodes_unite(struct node_set *set, const struct node_set *others);
void nodes_clear(struct node_set *set);

/* ---- Graphs ---- */

struct graph_memory;
struct condition;

struct cuda_node {
	struct cuda_graph *graph;
	enum cudaGraphNodeType type;
	struct node_set before;
	struct node_set early;        /* of these, kernels by a programmatic edge */
	const struct work_kind *kind; /* with work: of kernel, memcpy, memset and host nodes */
	void *work;
	struct node_attributes *attributes; /* of kernels; null: none was set */
	void **arguments;                   /* into the parameters of a kernel's work, once they are asked for */
	struct cuda_graph **inner;          /* of a graph node one, its child; of a conditional node its bodies */
	uint32_t inner_count;
	enum cudaGraphConditionalNodeType how; /* this and the next: of conditional nodes */
	struct condition *condition;
	struct cuda_event *event;         /* of event nodes */
	struct graph_memory *memory;      /* of memory nodes */
	const struct cuda_node *original; /* the node that this one is a copy of; null: none */
	uint64_t workspace;               /* of a cooperative launch that is instantiated */
	bool is_disabled;
	struct task *task; /* while a launch is made */
	uint32_t number;   /* scratch */
};

struct retained {
	struct cuda_user_object *object;
	uint32_t count;
};

struct cuda_graph {
	struct node_set nodes; /* as they were made */
	struct node_set order; /* of an instantiated one: its nodes in topological order */
	struct retained *objects;
	size_t object_count;
	struct condition **conditions; /* made for it, or for what it is a copy of */
	size_t condition_count;
	bool is_child; /* it belongs to a node of another graph */
	uint64_t id;
};

struct cuda_graph *graph_new(void);
void graph_free(struct cuda_graph *graph); /* null is allowed; driver_lock is not held */
/* A copy, whose nodes' originals are the nodes of `graph`.  Null: no memory. */
struct cuda_graph *graph_copy(const struct cuda_graph *graph);
/* A node with nothing in it; null: no memory. */
struct cuda_node *graph_add(struct cuda_graph *graph, enum cudaGraphNodeType type, const struct node_set *before);
/* Puts work into a node, in place of what was there.  Takes over what the description owns, also when there is no
 * memory. */
bool node_set_work(struct cuda_node *node, const struct work_kind *kind, const void *work);
/* Replaces what is in a node; false: no memory. */
bool node_copy_contents(struct cuda_node *node, const struct cuda_node *from);
/* False: no memory. */
bool node_copy_attributes(struct cuda_node *to, const struct cuda_node *from);
/* The node takes over its graphs, in place of those that it had; false: no memory, and they are freed. */
bool node_set_inner(struct cuda_node *node, struct cuda_graph *const *inner, uint32_t count);
/* The node of a copy that was made from the original. */
struct cuda_node *graph_find_copy(const struct cuda_graph *copy, const struct cuda_node *original);
/* Checks that these are nodes of the graph, each once, and that there can be such edges from them to a new node.
 * There may be none. */
cudaError_t graph_check_nodes(
	const struct cuda_graph *graph, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count);
/* The k-th edge, from `from` to `to`, is a programmatic one, if so; null: none is.  False: no memory. */
bool graph_note_edge(struct cuda_node *to, struct cuda_node *from, const cudaGraphEdgeData *edges, size_t k);
bool graph_has_memory_nodes(const struct cuda_graph *graph);
bool graph_has_conditions(const struct cuda_graph *graph);

/* ---- Calls whose names CUDA 12 and 13 give to different arguments: see versions/ ---- */

cudaError_t graph_add_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
	const cudaGraphEdgeData *edges, size_t count);
cudaError_t graph_remove_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
	const cudaGraphEdgeData *edges, size_t count);
cudaError_t graph_edges(
	cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *count);
cudaError_t node_before(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count);
cudaError_t node_after(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count);
cudaError_t graph_add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *parameters);
cudaError_t capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
	cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *count);
cudaError_t capture_update(
	cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count, unsigned int flags);

/* ---- Memory of graphs ---- */

/* For a node that is about to be made: memory to allocate, or known memory to free. */
cudaError_t graph_memory_new(size_t bytes, struct graph_memory **memory);
cudaError_t graph_memory_to_free(uint64_t address, struct graph_memory **memory);
/* A node, and each of its copies, now holds the memory; a node that holds it is freed. */
void graph_memory_place(struct cuda_node *node, struct graph_memory *memory);
void graph_memory_forget(struct cuda_node *node);
/* In place of graph_memory_place: there is no such node after all. */
void graph_memory_abandon(struct graph_memory *memory, bool was_to_free);
uint64_t graph_memory_address(const struct graph_memory *memory, size_t *bytes);
/* Whether an instance may be made; if so, there is one from now on.  And: there is none any more. */
bool graph_memory_claim(const struct cuda_graph *graph);
void graph_memory_unclaim(const struct cuda_graph *graph);
/* A launch allocates and frees in the order of the nodes.  It does neither when a node would allocate what is allocated
 * already, or free what is not.  driver_lock is held. */
cudaError_t graph_memory_launch(const struct cuda_graph *graph, bool frees_first);
/* The application frees the allocation at this address.  *is_known: it is memory of a graph.  *is_last: it is no longer
 * allocated, nor in any graph. */
cudaError_t graph_memory_release(uint64_t address, bool *is_known, bool *is_last);

/* ---- Conditions ---- */

/* A node with empty bodies, which it tells in the parameters. */
cudaError_t condition_add_node(struct cuda_node **node, struct cuda_graph *graph, const struct node_set *before,
	struct cudaConditionalNodeParams *parameters);
void condition_drop(struct condition *condition); /* null is allowed */
struct condition *condition_hold(struct condition *condition);
/* What a graph and its copy share; false: no memory. */
bool conditions_copy(struct cuda_graph *to, const struct cuda_graph *from);
void conditions_drop(struct cuda_graph *graph);
/* Whether an instance may be made, which is the only one then; *result says more. */
cudaError_t conditions_claim(const struct cuda_graph *graph, enum cudaGraphInstantiateResult *result);
/* There is one instance more, or less. */
void conditions_count(const struct cuda_graph *graph, int change);
/* The graph has the conditions of another now; false: no memory. */
bool conditions_replace(struct cuda_graph *graph, const struct cuda_graph *by);
/* The first task of a launch, which gives conditions their default values; null: no memory. */
struct task *conditions_begin(struct cuda_stream *stream, const struct cuda_graph *graph);
/* The task of a conditional node; null: no memory. */
struct task *condition_task(struct cuda_stream *stream, const struct cuda_node *node);

/* ---- Instances ---- */

/* Puts the nodes into the order of launches, also those of inner graphs; cudaErrorInvalidValue: a cycle. */
cudaError_t graph_order_nodes(struct cuda_graph *graph);
/* Enqueues the graph as a part of `whole`, which runs.  Returns a task that comes after all of it, held once for the
 * caller; null: no memory. */
struct task *graph_launch_part(const struct cuda_graph *graph, struct task *whole);

/* The instance's node that was made from this one; null: none. */
struct cuda_node *exec_node(cudaGraphExec_t exec, const struct cuda_node *node);
/* Prepares a node of an instance for launches, after its contents have changed. */
cudaError_t exec_prepare_node(struct cuda_node *node);

/* Add nodes that allocate and free, for the stream-ordered functions in a stream that captures. */
cudaError_t capture_allocate(struct cuda_stream *stream, size_t bytes, void **pointer);
cudaError_t capture_free(struct cuda_stream *stream, uint64_t address);

/* ---- User objects ---- */

void objects_drop(struct cuda_graph *graph);
bool objects_copy(struct cuda_graph *to, const struct cuda_graph *from);

/* ---- Capture: called with driver_lock held ---- */

/* Whether a call on this stream is allowed; if not, the capture becomes invalid.  `waits`: the call would wait for the
 * stream. */
cudaError_t capture_check(struct cuda_stream *stream, bool waits);
/* The same as capture_check with `waits`, without the lock. */
cudaError_t capture_refuse(struct cuda_stream *stream);
/* Whether the host may query the event. */
cudaError_t capture_check_event(const struct cuda_event *event);
/* Adds a node, in a stream that captures and has passed capture_check.  Null: no memory. */
struct cuda_node *capture_node(struct cuda_stream *stream, enum cudaGraphNodeType type);
/* Takes over what the description owns. */
cudaError_t capture_work(struct cuda_stream *stream, const struct work_kind *kind, const void *work);
cudaError_t capture_event_node(struct cuda_stream *stream, enum cudaGraphNodeType type, struct cuda_event *event);
cudaError_t capture_record(struct cuda_stream *stream, struct cuda_event *event);
/* The stream, the event, or both belong to a capture. */
cudaError_t capture_wait(struct cuda_stream *stream, struct cuda_event *event);
void capture_forget_event(struct cuda_event *event);
/* The stream is destroyed.  Returns a graph that is to be freed without the lock, or null. */
struct cuda_graph *capture_leave(struct cuda_stream *stream);

#endif
