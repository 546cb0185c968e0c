/* Graphs that are instantiated: launching, updating. */
#include "host/cuda/graph.h"

#include <assert.h>
#include <stdlib.h>

struct cuda_graph_exec {
	struct cuda_graph *graph; /* a copy, ordered */
	struct task *last;        /* held; of the newest launch, which the next one comes after */
	unsigned long long flags;
};

/* ---- Instantiating ---- */

/* Puts a node after those that it depends on, in topological order.  `number`: 0 not seen, 1 being looked at, 2 placed.
 * cudaErrorInvalidValue: a cycle. */
static cudaError_t place(struct cuda_graph *graph, struct cuda_node *node)
{
	cudaError_t error = cudaSuccess;
	if (node->number)
		return node->number == 2 ? cudaSuccess : cudaErrorInvalidValue;
	node->number = 1;
	for (size_t k = 0; !error && k < node->before.count; k++)
		error = place(graph, node->before.at[k]);
	assert(error || node->number == 1); /* no node was placed twice */
	node->number = 2;
	if (!error && !nodes_add(&graph->order, node))
		error = cudaErrorMemoryAllocation;
	return error;
}

cudaError_t graph_order_nodes(struct cuda_graph *graph)
{
	cudaError_t error = cudaSuccess;
	nodes_clear(&graph->order);
	for (size_t k = 0; k < graph->nodes.count; k++)
		graph->nodes.at[k]->number = 0;
	for (size_t k = 0; !error && k < graph->nodes.count; k++)
		error = place(graph, graph->nodes.at[k]);
	for (size_t k = 0; !error && k < graph->nodes.count; k++)
		for (uint32_t i = 0; !error && i < graph->nodes.at[k]->inner_count; i++)
			error = graph_order_nodes(graph->nodes.at[k]->inner[i]);
	return error;
}

static cudaError_t prepare(struct cuda_graph *graph);

cudaError_t exec_prepare_node(struct cuda_node *node)
{
	if (node->kind == &launch_kind && ((struct launch *)node->work)->is_cooperative)
		return launch_give_workspace(node->work, &node->workspace);
	cudaError_t error = cudaSuccess;
	for (uint32_t k = 0; !error && k < node->inner_count; k++)
		error = prepare(node->inner[k]);
	return error;
}

static cudaError_t prepare(struct cuda_graph *graph)
{
	cudaError_t error = graph_order_nodes(graph);
	for (size_t k = 0; !error && k < graph->nodes.count; k++)
		error = exec_prepare_node(graph->nodes.at[k]);
	return error;
}

/* Also in bodies. */
static struct cuda_node *find_in(const struct cuda_graph *graph, const struct cuda_node *original)
{
	struct cuda_node *found = graph_find_copy(graph, original);
	for (size_t k = 0; !found && k < graph->nodes.count; k++)
		for (uint32_t i = 0; !found && i < graph->nodes.at[k]->inner_count; i++)
			found = find_in(graph->nodes.at[k]->inner[i], original);
	return found;
}

struct cuda_node *exec_node(cudaGraphExec_t exec, const struct cuda_node *node)
{
	return find_in(exec->graph, node);
}

static cudaError_t instantiate(
	cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags, enum cudaGraphInstantiateResult *result)
{
	struct cuda_graph_exec *made = calloc(1, sizeof *made);
	cudaError_t error = made && (made->graph = graph_copy(graph)) ? cudaSuccess : cudaErrorMemoryAllocation;
	if (!error)
		error = prepare(made->graph);
	if (!error)
		error = conditions_claim(made->graph, result);
	if (!error && !graph_memory_claim(made->graph)) {
		conditions_count(made->graph, -1);
		error = cudaErrorNotSupported; /* one instance at a time */
	}
	if (error) {
		if (made)
			graph_free(made->graph);
		free(made);
		return error;
	}
	made->flags = flags;
	*exec = made;
	return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	cudaGraphInstantiateParams p = {.flags = flags};
	return cudaGraphInstantiateWithParams(exec, graph, &p);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *p)
{
	if (!p)
		return error_note(cudaErrorInvalidValue);
	cudaError_t error = error_unless(exec && graph && !graph->is_child && !(p->flags & ~15ull));
	if (!error && p->flags & cudaGraphInstantiateFlagDeviceLaunch)
		error = cudaErrorNotSupported;
	p->errNode_out = NULL;
	p->result_out = cudaGraphInstantiateSuccess;
	if (!error)
		error = instantiate(exec, graph, p->flags, &p->result_out);
	if (error && !p->result_out)
		p->result_out = error == cudaErrorInvalidValue ? cudaGraphInstantiateInvalidStructure
							       : cudaGraphInstantiateError;
	return error_note(error);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
	if (!exec || !flags)
		return error_note(cudaErrorInvalidValue);
	*flags = exec->flags;
	return cudaSuccess;
}

/* Launches that are not over have what they need but for a graph's memory, and user objects are for after them. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	if (!exec)
		return error_note(cudaErrorInvalidValue);
	mutex_lock(&driver_lock);
	if (exec->last && !commands_in_worker() &&
		(exec->graph->object_count || graph_has_memory_nodes(exec->graph) || graph_has_conditions(exec->graph)))
		task_wait(exec->last);
	task_drop(exec->last);
	mutex_unlock(&driver_lock);
	graph_memory_unclaim(exec->graph);
	conditions_count(exec->graph, -1);
	graph_free(exec->graph);
	free(exec);
	return cudaSuccess;
}

/* ---- Launching ----
 *
 * All tasks are made before the first is enqueued: so a graph is launched whole or, without memory, not at all. */

struct batch {
	struct cuda_stream *stream;
	struct task *first, **end; /* end: where the next one goes */
};

/* `task` may be null: no memory.  The batch keeps it. */
static struct task *batch_keep(struct batch *batch, struct task *task)
{
	if (task) {
		*batch->end = task;
		batch->end = &task->next_of_batch;
	}
	return task;
}

static struct task *batch_add(struct batch *batch, const struct work_kind *kind, const void *work)
{
	return batch_keep(batch, task_new(batch->stream, kind, work));
}

/* A task with a copy of the node's work. */
static struct task *task_of_work(struct batch *batch, const struct cuda_node *node)
{
	struct task *task = batch_add(batch, node->kind, node->work);
	if (!task || !node->kind->copy || node->kind->copy(task->work))
		return task;
	task->kind = NULL; /* what it describes is the node's */
	return NULL;
}

static struct task *launch_nodes(struct batch *batch, const struct cuda_graph *graph, struct task *entry);

/* A marker after the tasks that the node comes after; without any, after `entry`. */
static bool come_after_nodes(struct task *task, const struct cuda_node *node, struct task *entry)
{
	bool good = node->before.count || task_come_after(task, entry);
	for (size_t k = 0; k < node->before.count; k++) {
		struct cuda_node *before = node->before.at[k];
		bool is_early = node->early.count == 1 && node->early.at[0] == before;
		good = good && (is_early ? task_come_early(task, before->task) : task_come_after(task, before->task));
	}
	return good;
}

static struct task *launch_child(struct batch *batch, const struct cuda_node *node, struct task *entry)
{
	struct task *begin = batch_add(batch, NULL, NULL);
	return begin && come_after_nodes(begin, node, entry) ? launch_nodes(batch, node->inner[0], begin) : NULL;
}

static struct task *launch_node(struct batch *batch, const struct cuda_node *node, struct task *entry)
{
	if (node->inner_count && !node->condition)
		return launch_child(batch, node, entry);
	struct task *task = node->condition                    ? batch_keep(batch, condition_task(batch->stream, node))
			    : node->work && !node->is_disabled ? task_of_work(batch, node)
							       : batch_add(batch, NULL, NULL);
	if (!task || !come_after_nodes(task, node, entry))
		return NULL;
	if (node->type == cudaGraphNodeTypeWaitEvent && !task_come_after(task, node->event->recorded))
		return NULL;
	return task;
}

/* Makes tasks of all nodes, and returns one that comes after them all; null: no memory. */
static struct task *launch_nodes(struct batch *batch, const struct cuda_graph *graph, struct task *entry)
{
	for (size_t k = 0; k < graph->order.count; k++)
		if (!(graph->order.at[k]->task = launch_node(batch, graph->order.at[k], entry)))
			return NULL;
	struct task *exit = batch_add(batch, NULL, NULL);
	bool good = exit && task_come_after(exit, entry);
	for (size_t k = 0; k < graph->order.count; k++)
		good = good && task_come_after(exit, graph->order.at[k]->task);
	return good ? exit : NULL;
}

/* Events are recorded when the launch is certain. */
static void record_events(const struct cuda_graph *graph)
{
	for (size_t k = 0; k < graph->order.count; k++) {
		const struct cuda_node *node = graph->order.at[k];
		if (node->type == cudaGraphNodeTypeEventRecord)
			event_set_task(node->event, node->task);
		if (node->type == cudaGraphNodeTypeGraph)
			record_events(node->inner[0]);
	}
}

static void batch_discard(const struct batch *batch)
{
	for (struct task *task = batch->first, *next; task; task = next) {
		next = task->next_of_batch;
		task_drop(task);
	}
}

struct task *graph_launch_part(const struct cuda_graph *graph, struct task *whole)
{
	struct batch batch = {.stream = whole->stream, .end = &batch.first};
	struct task *entry = batch_add(&batch, NULL, NULL);
	struct task *exit = entry ? launch_nodes(&batch, graph, entry) : NULL;
	if (!exit) {
		batch_discard(&batch);
		return NULL;
	}
	exit->holds++;
	for (struct task *task = batch.first, *next; task; task = next) {
		next = task->next_of_batch; /* the worker cannot end it yet, as this is the worker */
		commands_insert(&task->command, &whole->command);
	}
	return exit;
}

/* driver_lock is held. */
static cudaError_t launch(struct cuda_graph_exec *exec, struct cuda_stream *stream)
{
	struct batch batch = {.stream = stream, .end = &batch.first};
	struct task *exit = NULL, *entry = batch_keep(&batch, conditions_begin(stream, exec->graph));
	if (entry && commands_start_worker() && task_come_after_stream(entry) && task_come_after(entry, exec->last))
		exit = launch_nodes(&batch, exec->graph, entry);
	cudaError_t error = exit ? cudaSuccess : cudaErrorMemoryAllocation;
	if (!error)
		error = graph_memory_launch(exec->graph, exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch);
	if (error) {
		batch_discard(&batch);
	} else {
		record_events(exec->graph);
		for (struct task *task = batch.first; task != exit; task = task->next_of_batch) {
			commands_append(&task->command);
			if (task->kind == &host_call_kind)
				order_host_knows(&task->command.order);
		}
		task_append(exit);
		task_drop(exec->last);
		exec->last = exit;
		exit->holds++;
	}
	return error;
}

/* In a stream that captures: a node with a copy of the graph. */
static cudaError_t capture_launch(struct cuda_graph_exec *exec, struct cuda_stream *stream)
{
	struct cuda_graph *child = graph_copy(exec->graph);
	struct cuda_node *node = child ? capture_node(stream, cudaGraphNodeTypeGraph) : NULL;
	if (!node) {
		graph_free(child);
		return cudaErrorMemoryAllocation;
	}
	return node_set_inner(node, &child, 1) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle)
{
	struct cuda_stream *stream = stream_of(handle);
	cudaError_t error = error_unless(exec);
	if (!error && !stream)
		error = cudaErrorInvalidResourceHandle;
	if (!error && stream->capture && (graph_has_memory_nodes(exec->graph) || graph_has_conditions(exec->graph)))
		error = cudaErrorStreamCaptureUnsupported;
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	error = capture_check(stream, false);
	if (!error)
		error = stream->capture ? capture_launch(exec, stream) : launch(exec, stream);
	mutex_unlock(&driver_lock);
	return error_note(error);
}

/* There is nothing to bring to the device before a launch. */
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	cudaError_t error = error_unless(exec);
	if (!error && !stream_of(stream))
		error = cudaErrorInvalidResourceHandle;
	return error_note(error);
}

/* ---- Switching nodes off ---- */

/* The instance's node, if it can be disabled. */
static struct cuda_node *find_switched(cudaGraphExec_t exec, const struct cuda_node *original)
{
	struct cuda_node *node = exec && original ? exec_node(exec, original) : NULL;
	bool is_good = node && (node->type == cudaGraphNodeTypeKernel || node->type == cudaGraphNodeTypeMemcpy ||
				       node->type == cudaGraphNodeTypeMemset);
	return is_good ? node : NULL;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
	struct cuda_node *copy = find_switched(exec, node);
	if (!copy)
		return error_note(cudaErrorInvalidValue);
	copy->is_disabled = !enabled;
	return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
	const struct cuda_node *copy = find_switched(exec, node);
	if (!copy || !enabled)
		return error_note(cudaErrorInvalidValue);
	*enabled = !copy->is_disabled;
	return cudaSuccess;
}

/* ---- Updating from another graph: nodes belong together as they were made ---- */

static cudaError_t differ(cudaGraphExecUpdateResultInfo *info, enum cudaGraphExecUpdateResult result,
	struct cuda_node *node, struct cuda_node *from)
{
	*info = (cudaGraphExecUpdateResultInfo){result, node, from};
	return cudaErrorGraphExecUpdateFailure;
}

static void number_nodes(const struct cuda_graph *graph)
{
	for (size_t k = 0; k < graph->nodes.count; k++)
		graph->nodes.at[k]->number = (uint32_t)k;
}

static cudaError_t compare_node(
	const struct cuda_node *ours, struct cuda_node *theirs, cudaGraphExecUpdateResultInfo *info)
{
	if (ours->type != theirs->type)
		return differ(info, cudaGraphExecUpdateErrorNodeTypeChanged, theirs, NULL);
	if (ours->before.count != theirs->before.count)
		return differ(info, cudaGraphExecUpdateErrorTopologyChanged, theirs, NULL);
	for (size_t k = 0; k < ours->before.count; k++)
		if (ours->before.at[k]->number != theirs->before.at[k]->number)
			return differ(info, cudaGraphExecUpdateErrorTopologyChanged, theirs, theirs->before.at[k]);
	if (ours->how != theirs->how || ours->inner_count != theirs->inner_count)
		return differ(info, cudaGraphExecUpdateErrorParametersChanged, theirs, NULL);
	if (ours->kind == &copy_kind) {
		const struct copy *a = ours->work, *b = theirs->work;
		if (a->to.type != b->to.type || a->from.type != b->from.type)
			return differ(info, cudaGraphExecUpdateErrorParametersChanged, theirs, NULL);
	}
	if (ours->memory != theirs->memory)
		return differ(info, cudaGraphExecUpdateErrorParametersChanged, theirs, NULL);
	return cudaSuccess;
}

static cudaError_t compare(
	const struct cuda_graph *ours, const struct cuda_graph *theirs, cudaGraphExecUpdateResultInfo *info)
{
	cudaError_t error = cudaSuccess;
	if (ours->nodes.count != theirs->nodes.count)
		return differ(info, cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL);
	number_nodes(ours);
	number_nodes(theirs);
	for (size_t k = 0; !error && k < ours->nodes.count; k++)
		error = compare_node(ours->nodes.at[k], theirs->nodes.at[k], info);
	for (size_t k = 0; !error && k < ours->nodes.count; k++)
		for (uint32_t i = 0; !error && i < ours->nodes.at[k]->inner_count; i++)
			error = compare(ours->nodes.at[k]->inner[i], theirs->nodes.at[k]->inner[i], info);
	return error;
}

static cudaError_t replace_contents(struct cuda_graph *ours, const struct cuda_graph *theirs)
{
	conditions_count(ours, -1);
	cudaError_t error = conditions_replace(ours, theirs) ? cudaSuccess : cudaErrorMemoryAllocation;
	for (size_t k = 0; !error && k < theirs->nodes.count; k++) {
		struct cuda_node *node = ours->nodes.at[k];
		error = node_copy_contents(node, theirs->nodes.at[k]) ? exec_prepare_node(node)
								      : cudaErrorMemoryAllocation;
	}
	conditions_count(ours, 1);
	return error;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result)
{
	cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateError};
	cudaError_t error = error_unless(exec && graph);
	if (!error)
		error = compare(exec->graph, graph, &info);
	if (!error)
		error = replace_contents(exec->graph, graph);
	if (!error)
		info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateSuccess};
	if (result)
		*result = info;
	return error_note(error);
}
