/* User objects: resources of the application, whose destructors are called when no graph needs them any more. */
#include "host/cuda/graph.h"

#include <stdatomic.h>
#include <stdlib.h>

struct cuda_user_object {
	void *pointer;
	cudaHostFn_t destroy;
	atomic_uint holds;
};

static void object_drop(struct cuda_user_object *object, uint32_t count)
{
	if (atomic_fetch_sub(&object->holds, count) != count)
		return;
	object->destroy(object->pointer);
	free(object);
}

void objects_drop(struct cuda_graph *graph)
{
	for (size_t k = 0; k < graph->object_count; k++)
		object_drop(graph->objects[k].object, graph->objects[k].count);
	free(graph->objects);
	graph->objects = NULL;
	graph->object_count = 0;
}

/* Takes over the holds. */
static bool objects_add(struct cuda_graph *graph, struct cuda_user_object *object, uint32_t count)
{
	for (size_t k = 0; k < graph->object_count; k++)
		if (graph->objects[k].object == object) {
			graph->objects[k].count += count;
			return true;
		}
	struct retained *more = realloc(graph->objects, (graph->object_count + 1) * sizeof *more);
	if (!more)
		return false;
	graph->objects = more;
	more[graph->object_count++] = (struct retained){object, count};
	return true;
}

bool objects_copy(struct cuda_graph *to, const struct cuda_graph *from)
{
	for (size_t k = 0; k < from->object_count; k++) {
		if (!objects_add(to, from->objects[k].object, 1))
			return false;
		from->objects[k].object->holds++;
	}
	return true;
}

cudaError_t cudaUserObjectCreate(
	cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy, unsigned int count, unsigned int flags)
{
	if (!object || !destroy || !count || count > INT32_MAX || flags != cudaUserObjectNoDestructorSync)
		return error_note(cudaErrorInvalidValue);
	struct cuda_user_object *made = calloc(1, sizeof *made);
	if (!made)
		return error_note(cudaErrorMemoryAllocation);
	*made = (struct cuda_user_object){pointer, destroy, count};
	*object = made;
	return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
	if (!object || !count || count > INT32_MAX)
		return error_note(cudaErrorInvalidValue);
	object->holds += count;
	return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
	if (!object || !count || count > object->holds)
		return error_note(cudaErrorInvalidValue);
	object_drop(object, count);
	return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(
	cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags)
{
	if (!graph || !object || !count || count > INT32_MAX || flags & ~cudaGraphUserObjectMove)
		return error_note(cudaErrorInvalidValue);
	if (!objects_add(graph, object, count))
		return error_note(cudaErrorMemoryAllocation);
	if (!(flags & cudaGraphUserObjectMove))
		object->holds += count;
	return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count)
{
	for (size_t k = 0; graph && object && k < graph->object_count; k++) {
		struct retained *r = &graph->objects[k];
		if (r->object != object || count > r->count)
			continue;
		r->count -= count;
		if (!r->count)
			*r = graph->objects[--graph->object_count];
		object_drop(object, count);
		return cudaSuccess;
	}
	return error_note(cudaErrorInvalidValue);
}
