/* Shared virtual memory: allocations of the GPU whose addresses are the host's own, coarse- and fine-grained alike;
 * atomics of both on fine-grained ones.
 *
 * Absent where the GPU's memory could not be placed at the host addresses equal to its own. */
#include "host/debug.h"
#include "host/device.h"
#include "host/host_race.h"
#include "host/opencl/command.h"
#include "host/opencl/identity.h"
#include "host/opencl/memory.h"

#include <stdlib.h>
#include <string.h>

/* Guarded by driver_lock. */
static struct allocation {
	struct allocation *next;
	uintptr_t address;
	size_t bytes;
} * allocations;

bool svm_holds(const void *pointer, size_t bytes)
{
	uintptr_t address = (uintptr_t)pointer;
	bool found = false;
	mutex_lock(&driver_lock);
	for (struct allocation *a = allocations; a && !found; a = a->next)
		found = address - a->address < a->bytes && bytes <= a->bytes - (address - a->address);
	mutex_unlock(&driver_lock);
	return found;
}

static bool good_request(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	const cl_svm_mem_flags access = flags & ACCESS_FLAGS;
	size_t most;
	if (!object_is(context, OBJECT_CONTEXT) || !identity_has_svm())
		return false;
	if (flags & ~(cl_svm_mem_flags)(ACCESS_FLAGS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS))
		return false;
	if (flags & CL_MEM_SVM_ATOMICS && !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
		return false;
	if (access & (access - 1))
		return false;
	clGetDeviceInfo(device_object(), CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
	return size && size <= most && alignment <= 128 && !(alignment & (alignment - 1));
}

CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	uint8_t *contents;
	if (!good_request(context, flags, size, alignment))
		return NULL;
	struct allocation *allocation = calloc(1, sizeof *allocation);
	uint64_t address = allocation ? device_allocate(size, "clSVMAlloc", "shared virtual memory", &contents) : 0;
	if (!address) {
		device_complain_of_memory("clSVMAlloc", size);
		free(allocation);
		return NULL;
	}
	debug_link_shares();
	if (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)
		device_expect_host_writes(address);
	*allocation = (struct allocation){.address = address, .bytes = size};
	mutex_lock(&driver_lock);
	allocation->next = allocations;
	allocations = allocation;
	mutex_unlock(&driver_lock);
	return contents;
}

/* `command`: that frees it in its order; null: the host does, now. */
static void free_pointer(const void *pointer, const struct freed_by *by, struct command *command)
{
	struct allocation *found = NULL;
	mutex_lock(&driver_lock);
	for (struct allocation **at = &allocations; *at && !found;)
		if ((*at)->address == (uintptr_t)pointer) {
			found = *at;
			*at = found->next;
			if (!command)
				host_race_frees("clSVMFree", pointer, found->bytes, by);
		} else {
			at = &(*at)->next;
		}
	mutex_unlock(&driver_lock);
	if (found && command)
		host_race_free(command, "clEnqueueSVMFree", pointer, found->bytes, by);
	if (found)
		device_free(found->address, by);
	free(found);
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
	struct freed_by by = device_freeing("clSVMFree");
	if (object_is(context, OBJECT_CONTEXT) && pointer)
		free_pointer(pointer, &by, NULL);
}

/* ---- Commands ---- */

static cl_int check(cl_command_queue queue, cl_uint count, const cl_event *list)
{
	cl_int why = command_check(queue, count, list);
	return why || identity_has_svm() ? why : CL_INVALID_OPERATION;
}

struct free_work {
	void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void **, void *);
	void *data, **pointers;
	cl_uint count;
	struct freed_by by;
};

static void discard_free(void *work)
{
	free(((struct free_work *)work)->pointers);
}

static int32_t run_free(struct command *command, uint64_t *nanoseconds)
{
	const struct free_work *f = command_event(command)->work;
	(void)nanoseconds;
	if (f->call)
		f->call(command_event(command)->queue, f->count, f->pointers, f->data);
	else
		for (cl_uint k = 0; k < f->count; k++)
			free_pointer(f->pointers[k], &f->by, command);
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint pointer_count, void *pointers[],
	void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *), void *user_data, cl_uint count,
	const cl_event *list, cl_event *event)
{
	cl_int why = check(queue, count, list);
	if (why)
		return why;
	if (!pointer_count != !pointers)
		return CL_INVALID_VALUE;
	for (cl_uint k = 0; k < pointer_count; k++)
		if (!pointers[k])
			return CL_INVALID_VALUE;
	void **copy = malloc((pointer_count + 1) * sizeof *copy);
	if (copy && pointer_count)
		memcpy(copy, pointers, pointer_count * sizeof *copy);
	struct free_work work = {call, user_data, copy, pointer_count, device_freeing("clEnqueueSVMFree")};
	work.by.place = origin_place("queue", queue->number);
	cl_event command =
		copy ? command_new(queue, CL_COMMAND_SVM_FREE, count, list, ENGINE_NONE, run_free, &work, sizeof work)
		     : NULL;
	if (command)
		command->discard = discard_free;
	else
		free(copy);
	return command_enqueue(command, false, event);
}

/* A copy or a fill; from null: a mapping or migration, which moves nothing. */
struct svm_work {
	void *to;
	const void *from;
	size_t bytes, pattern_bytes; /* 0: a copy */
	uint8_t pattern[128];
};

static int32_t run(struct command *command, uint64_t *nanoseconds)
{
	const struct svm_work *w = command_event(command)->work;
	if (w->pattern_bytes || w->from)
		host_race_bytes(command, command_call(command), w->to, w->bytes, true);
	if (w->from)
		host_race_bytes(command, command_call(command), w->from, w->bytes, false);
	if (w->pattern_bytes)
		lockstep_fill(device_get()->gpu, w->to, w->bytes, w->pattern, w->pattern_bytes);
	else if (w->from)
		memcpy(w->to, w->from, w->bytes);
	if (w->bytes)
		*nanoseconds = device_copy_time(w->pattern_bytes ? w->pattern_bytes : w->bytes);
	return CL_SUCCESS;
}

static cl_int enqueue(cl_command_queue queue, cl_command_type type, const struct svm_work *work, bool blocking,
	cl_uint count, const cl_event *list, cl_event *event)
{
	return command_enqueue(
		command_new(queue, type, count, list, ENGINE_COPY, run, work, sizeof *work), blocking, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
	size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int why = check(queue, count, list);
	if (why)
		return why;
	if (size && (!to || !from))
		return CL_INVALID_VALUE;
	uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
	if (size && a < b + size && b < a + size)
		return CL_MEM_COPY_OVERLAP;
	struct svm_work work = {.to = to, .from = from, .bytes = size};
	return enqueue(queue, CL_COMMAND_SVM_MEMCPY, &work, blocking, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern,
	size_t pattern_size, size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int why = check(queue, count, list);
	if (why)
		return why;
	if (!to || !pattern || !pattern_size || pattern_size > 128 || pattern_size & (pattern_size - 1) ||
		(uintptr_t)to % pattern_size || size % pattern_size)
		return CL_INVALID_VALUE;
	struct svm_work work = {.to = to, .bytes = size, .pattern_bytes = pattern_size};
	memcpy(work.pattern, pattern, pattern_size);
	return enqueue(queue, CL_COMMAND_SVM_MEMFILL, &work, false, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
	void *pointer, size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
	const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
	cl_int why = check(queue, count, list);
	if (why)
		return why;
	if (!pointer || !size || flags & ~known ||
		(flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE)))
		return CL_INVALID_VALUE;
	struct svm_work work = {.bytes = flags & CL_MAP_WRITE_INVALIDATE_REGION ? 0 : size};
	return enqueue(queue, CL_COMMAND_SVM_MAP, &work, blocking, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMUnmap(
	cl_command_queue queue, void *pointer, cl_uint count, const cl_event *list, cl_event *event)
{
	struct svm_work work = {0};
	cl_int why = check(queue, count, list);
	if (!why && !pointer)
		why = CL_INVALID_VALUE;
	return why ? why : enqueue(queue, CL_COMMAND_SVM_UNMAP, &work, false, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint pointer_count,
	const void **pointers, const size_t *sizes, cl_mem_migration_flags flags, cl_uint count, const cl_event *list,
	cl_event *event)
{
	struct svm_work work = {0};
	cl_int why = check(queue, count, list);
	if (why)
		return why;
	if (!pointer_count || !pointers ||
		flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
		return CL_INVALID_VALUE;
	for (cl_uint k = 0; k < pointer_count; k++)
		if (!svm_holds(pointers[k], sizes && sizes[k] ? sizes[k] : 1))
			return CL_INVALID_VALUE;
	return enqueue(queue, CL_COMMAND_SVM_MIGRATE_MEM, &work, false, count, list, event);
}
