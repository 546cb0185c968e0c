/* Memory that nodes of graphs allocate and free.
 *
 * It has its address, and its bytes on the GPU, from the moment its node is made until it is not allocated and the last
 * graph that has the node is gone.  Whether it is allocated changes as launches are enqueued, since that is the order
 * in which the application may speak of it. */
#include "host/cuda/graph.h"

#include <assert.h>
#include <stdlib.h>

/* Guarded by driver_lock, but for address and bytes. */
struct graph_memory {
	uint64_t address;
	size_t bytes;
	uint32_t holds;                   /* the nodes', and one while it is allocated */
	bool is_allocated, was_allocated; /* was: before a launch that is being tried */
	bool is_claimed;                  /* an instance of its graph exists */
	bool has_free_node;
	struct graph_memory *next;
};

static struct graph_memory *memories;
static struct {
	uint64_t used, used_high, reserved, reserved_high;
} sums;

cudaError_t graph_memory_new(size_t bytes, struct graph_memory **memory)
{
	struct memory m = {.bytes = bytes, .type = cudaMemoryTypeDevice, .is_graphs = true};
	struct graph_memory *made = calloc(1, sizeof *made);
	if (made && (m.address = device_allocate(bytes, "cudaMallocAsync", "graph memory", &m.contents)) &&
		memory_add(&m)) {
		made->address = m.address;
		made->bytes = bytes;
		mutex_lock(&driver_lock);
		made->next = memories;
		memories = made;
		sums.reserved += bytes;
		raise_to(&sums.reserved_high, sums.reserved);
		mutex_unlock(&driver_lock);
		*memory = made;
		return cudaSuccess;
	}
	if (m.address)
		device_free(m.address, NULL);
	else
		device_complain_of_memory("cudaMallocAsync", bytes);
	free(made);
	return cudaErrorMemoryAllocation;
}

/* driver_lock is held. */
static struct graph_memory *find(uint64_t address)
{
	struct graph_memory *m = memories;
	while (m && m->address != address)
		m = m->next;
	return m;
}

/* Takes it from the list; driver_lock is held. */
static void unlink_memory(struct graph_memory *memory)
{
	struct graph_memory **at = &memories;
	while (*at != memory)
		at = &(*at)->next;
	*at = memory->next;
	assert(!memory->holds && !memory->is_allocated && sums.reserved >= memory->bytes);
	sums.reserved -= memory->bytes;
}

cudaError_t graph_memory_to_free(uint64_t address, struct graph_memory **memory)
{
	mutex_lock(&driver_lock);
	struct graph_memory *m = find(address);
	bool good = m && !m->has_free_node;
	if (good)
		m->has_free_node = true;
	mutex_unlock(&driver_lock);
	*memory = m;
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

void graph_memory_place(struct cuda_node *node, struct graph_memory *memory)
{
	mutex_lock(&driver_lock);
	node->memory = memory;
	memory->holds++;
	mutex_unlock(&driver_lock);
}

uint64_t graph_memory_address(const struct graph_memory *memory, size_t *bytes)
{
	*bytes = memory->bytes;
	return memory->address;
}

/* `holds` fewer have it, and it has no node that frees it any more, if so. */
static void let_go(struct graph_memory *m, uint32_t holds, bool loses_free_node)
{
	mutex_lock(&driver_lock);
	if (loses_free_node)
		m->has_free_node = false;
	assert(m->holds >= holds);
	m->holds -= holds;
	bool is_last = !m->holds;
	if (is_last)
		unlink_memory(m);
	mutex_unlock(&driver_lock);
	if (!is_last)
		return;
	memory_forget(m->address);
	struct freed_by by = device_freeing("cudaGraphDestroy");
	device_free(m->address, &by);
	free(m);
}

void graph_memory_forget(struct cuda_node *node)
{
	let_go(node->memory, 1, node->type == cudaGraphNodeTypeMemFree && !node->original);
}

void graph_memory_abandon(struct graph_memory *memory, bool was_to_free)
{
	let_go(memory, 0, was_to_free);
}

/* ---- Instances and launches ---- */

static void set_allocated(struct graph_memory *m, bool allocated)
{
	if (m->is_allocated == allocated)
		return;
	assert(allocated || (m->holds && sums.used >= m->bytes));
	m->is_allocated = allocated;
	m->holds += allocated ? 1u : -1u; /* the node that frees it holds it, so none goes here */
	sums.used += allocated ? m->bytes : 0 - m->bytes;
	raise_to(&sums.used_high, sums.used);
}

/* What is done with each memory node of a graph; some steps only with those that allocate. */
enum step {
	STEP_IS_UNCLAIMED,
	STEP_CLAIM,
	STEP_UNCLAIM,
	STEP_REMEMBER,
	STEP_MAKE_FREE,
	STEP_IS_FREE,
	STEP_DO,
	STEP_RESTORE
};

/* False: the node is not as the step demands. */
static bool take_step(const struct cuda_node *node, enum step step)
{
	struct graph_memory *m = node->memory;
	bool allocates = node->type == cudaGraphNodeTypeMemAlloc, was_allocated = m->is_allocated;
	switch (step) {
	case STEP_IS_UNCLAIMED: return !allocates || !m->is_claimed;
	case STEP_CLAIM: m->is_claimed |= allocates; break;
	case STEP_UNCLAIM: m->is_claimed &= !allocates; break;
	case STEP_REMEMBER: m->was_allocated = was_allocated; break;
	case STEP_MAKE_FREE: set_allocated(m, was_allocated && !allocates); break;
	case STEP_IS_FREE: return !allocates || !was_allocated;
	case STEP_DO: set_allocated(m, allocates); return was_allocated != allocates;
	case STEP_RESTORE: set_allocated(m, m->was_allocated); break;
	}
	return true;
}

/* Takes the step at each memory node in the order of a launch, children's included, until one returns false. */
static bool visit(const struct cuda_graph *graph, enum step step)
{
	const struct node_set *nodes = graph->order.count ? &graph->order : &graph->nodes;
	for (size_t k = 0; k < nodes->count; k++) {
		const struct cuda_node *node = nodes->at[k];
		if (node->memory && !take_step(node, step))
			return false;
		if (node->type == cudaGraphNodeTypeGraph && !visit(node->inner[0], step))
			return false;
	}
	return true;
}

bool graph_memory_claim(const struct cuda_graph *graph)
{
	mutex_lock(&driver_lock);
	bool good = visit(graph, STEP_IS_UNCLAIMED) && visit(graph, STEP_CLAIM);
	mutex_unlock(&driver_lock);
	return good;
}

void graph_memory_unclaim(const struct cuda_graph *graph)
{
	mutex_lock(&driver_lock);
	visit(graph, STEP_UNCLAIM);
	mutex_unlock(&driver_lock);
}

cudaError_t graph_memory_launch(const struct cuda_graph *graph, bool frees_first)
{
	visit(graph, STEP_REMEMBER);
	if (frees_first)
		visit(graph, STEP_MAKE_FREE);
	if (visit(graph, STEP_IS_FREE) && visit(graph, STEP_DO))
		return cudaSuccess;
	visit(graph, STEP_RESTORE);
	return cudaErrorInvalidValue;
}

cudaError_t graph_memory_release(uint64_t address, bool *is_known, bool *is_last)
{
	mutex_lock(&driver_lock);
	struct graph_memory *m = find(address);
	cudaError_t error = m && !m->is_allocated ? cudaErrorInvalidValue : cudaSuccess;
	*is_known = m;
	*is_last = false;
	if (m && !error) {
		set_allocated(m, false);
		*is_last = !m->holds;
	}
	if (*is_last)
		unlink_memory(m);
	mutex_unlock(&driver_lock);
	if (*is_last) {
		memory_forget(address);
		free(m);
	}
	return error;
}

/* ---- Sums ---- */

enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH }; /* cudaGraphMemAttr... */

static cudaError_t check_attribute(int device, const void *value, bool good)
{
	cudaError_t error = error_before();
	if (!error && device)
		error = cudaErrorInvalidDevice;
	return !error && !(value && good) ? cudaErrorInvalidValue : error;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
	cudaError_t error = check_attribute(device, value, attribute >= USED && attribute <= RESERVED_HIGH);
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	const uint64_t values[] = {sums.used, sums.used_high, sums.reserved, sums.reserved_high};
	*(uint64_t *)value = values[attribute];
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

/* The high marks can be set to zero, from where they rise to what is in use. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value)
{
	cudaError_t error = check_attribute(device, value, attribute == USED_HIGH || attribute == RESERVED_HIGH);
	if (!error && *(uint64_t *)value)
		error = cudaErrorInvalidValue;
	if (error)
		return error_note(error);
	mutex_lock(&driver_lock);
	if (attribute == USED_HIGH)
		sums.used_high = sums.used;
	else
		sums.reserved_high = sums.reserved;
	mutex_unlock(&driver_lock);
	return cudaSuccess;
}

/* Nothing is kept that no graph needs: what is reserved belongs to graphs that exist. */
cudaError_t cudaDeviceGraphMemTrim(int device)
{
	return error_note(check_attribute(device, &sums, true));
}
