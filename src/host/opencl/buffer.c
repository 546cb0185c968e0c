/* Buffers and sub-buffers, and what all memory objects have in common. */
#include "host/device.h"
#include "host/opencl/command.h"
#include "host/opencl/image.h"
#include "host/opencl/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BASE_ALIGNMENT 128 /* bytes; CL_DEVICE_MEM_BASE_ADDR_ALIGN */

#define HOST_FLAGS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)

static cl_mem first_live; /* guarded by driver_lock */

static void enlist(cl_mem memory)
{
	mutex_lock(&driver_lock);
	memory->next = first_live;
	if (first_live)
		first_live->previous = memory;
	first_live = memory;
	mutex_unlock(&driver_lock);
}

static void unlist(cl_mem memory)
{
	mutex_lock(&driver_lock);
	*(memory->previous ? &memory->previous->next : &first_live) = memory->next;
	if (memory->next)
		memory->next->previous = memory->previous;
	mutex_unlock(&driver_lock);
}

bool memory_is_live(cl_mem memory)
{
	mutex_lock(&driver_lock);
	cl_mem at = first_live;
	while (at && at != memory)
		at = at->next;
	mutex_unlock(&driver_lock);
	return at;
}

static void free_place(uint64_t address)
{
	struct freed_by by = device_freeing("clReleaseMemObject");
	device_free(address, &by);
}

static void destroy(struct object *object)
{
	cl_mem memory = (cl_mem)object;
	assert(!memory->parent || memory->parent->object.holds);
	unlist(memory);
	while (memory->callbacks) {
		struct callback *callback = memory->callbacks;
		memory->callbacks = callback->next;
		callback->call.memory(memory, callback->data);
		free(callback);
	}
	while (memory->mappings) {
		struct mapping *next = memory->mappings->next;
		free(memory->mappings);
		memory->mappings = next;
	}
	if (memory->image && memory->image->handle)
		device_destroy_image(memory->image->handle);
	if (memory->address && !memory->parent && !memory->is_shared)
		free_place(memory->address);
	free(memory->image);
	object_drop(memory->parent);
}

static bool at_most_one(cl_mem_flags flags)
{
	return !(flags & (flags - 1));
}

cl_int memory_check_flags(cl_mem_flags flags)
{
	if (flags & ~(cl_mem_flags)(ACCESS_FLAGS | HOST_FLAGS | POINTER_FLAGS))
		return CL_INVALID_VALUE;
	if (!at_most_one(flags & ACCESS_FLAGS) || !at_most_one(flags & HOST_FLAGS))
		return CL_INVALID_VALUE;
	if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

static cl_int check(cl_context context, cl_mem_flags flags, size_t size, const void *host_ptr)
{
	size_t most;
	if (!object_is(context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	cl_int why = memory_check_flags(flags);
	if (why)
		return why;
	clGetDeviceInfo(device_object(), CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
	if (!size || size > most)
		return CL_INVALID_BUFFER_SIZE;
	if (flags & CL_MEM_USE_HOST_PTR && svm_holds(host_ptr, 1) && !svm_holds(host_ptr, size))
		return CL_INVALID_BUFFER_SIZE;
	return !host_ptr == !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

bool memory_place(cl_mem memory, void *host_ptr)
{
	if (memory->flags & CL_MEM_USE_HOST_PTR) {
		memory->host_pointer = host_ptr;
		if (svm_holds(host_ptr, memory->bytes)) {
			memory->address = (uintptr_t)host_ptr;
			memory->contents = host_ptr;
			memory->is_shared = true;
			return true;
		}
	}
	const char *call = memory->image ? "clCreateImage" : "clCreateBuffer";
	memory->address = device_allocate(memory->bytes, call, NULL, &memory->contents);
	if (!memory->address)
		device_complain_of_memory(call, memory->bytes);
	if (memory->address && host_ptr)
		memcpy(memory->contents, host_ptr, memory->bytes);
	return memory->address;
}

cl_mem memory_new(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t bytes)
{
	cl_mem memory = object_new(OBJECT_MEMORY, sizeof *memory, destroy, context, properties);
	if (!memory)
		return NULL;
	memory->flags = flags & ACCESS_FLAGS ? flags : flags | CL_MEM_READ_WRITE;
	memory->bytes = bytes;
	enlist(memory);
	return memory;
}

void memory_place_within(cl_mem memory, cl_mem parent, size_t origin)
{
	object_hold(parent);
	memory->parent = parent;
	memory->origin = origin;
	memory->address = parent->address + origin;
	memory->contents = parent->contents + origin;
	memory->is_shared = parent->is_shared;
	if (parent->host_pointer)
		memory->host_pointer = (char *)parent->host_pointer + origin;
}

static cl_mem create(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
	void *host_ptr, cl_int *why)
{
	cl_mem memory = memory_new(context, properties, flags, size);
	if (!memory)
		return NULL;
	if (!memory_place(memory, host_ptr))
		*why = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	else if (!host_ptr && !(flags & CL_MEM_ALLOC_HOST_PTR))
		device_undefine(memory->address, size);
	if (!*why)
		return memory;
	object_release(memory);
	return NULL;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
	cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
	cl_int why = check(context, flags, size, host_ptr);
	if (!why && properties && *properties)
		why = CL_INVALID_PROPERTY; /* OpenCL 3.0 knows none */
	cl_mem memory = why ? NULL : create(context, properties, flags, size, host_ptr, &why);
	return created(memory, why, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(
	cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
	return clCreateBufferWithProperties(context, NULL, flags, size, host_ptr, errcode_ret);
}

/* ---- Sub-buffers ---- */

bool memory_inherit_flags(cl_mem_flags parent, cl_mem_flags *flags)
{
	cl_mem_flags own = *flags;
	if (memory_check_flags(own) || own & POINTER_FLAGS)
		return false;
	if ((parent & CL_MEM_WRITE_ONLY && own & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) ||
		(parent & CL_MEM_READ_ONLY && own & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)))
		return false;
	if ((parent & CL_MEM_HOST_WRITE_ONLY && own & CL_MEM_HOST_READ_ONLY) ||
		(parent & CL_MEM_HOST_READ_ONLY && own & CL_MEM_HOST_WRITE_ONLY) ||
		(parent & CL_MEM_HOST_NO_ACCESS && own & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
		return false;
	*flags |= parent & POINTER_FLAGS;
	*flags |= own & ACCESS_FLAGS ? 0 : parent & ACCESS_FLAGS;
	*flags |= own & HOST_FLAGS ? 0 : parent & HOST_FLAGS;
	return true;
}

static cl_int check_region(
	cl_mem parent, cl_mem_flags *flags, cl_buffer_create_type type, const cl_buffer_region *region)
{
	if (!object_is(parent, OBJECT_MEMORY) || parent->image || parent->parent)
		return CL_INVALID_MEM_OBJECT;
	if (!memory_inherit_flags(parent->flags, flags) || type != CL_BUFFER_CREATE_TYPE_REGION || !region)
		return CL_INVALID_VALUE;
	if (region->origin > parent->bytes || region->size > parent->bytes - region->origin)
		return CL_INVALID_VALUE;
	if (!region->size)
		return CL_INVALID_BUFFER_SIZE;
	return region->origin % BASE_ALIGNMENT ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

static cl_mem create_part(cl_mem parent, cl_mem_flags flags, const cl_buffer_region *region)
{
	cl_mem memory = memory_new(parent->object.context, NULL, flags, region->size);
	if (memory)
		memory_place_within(memory, parent, region->origin);
	return memory;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(
	cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *errcode_ret)
{
	cl_int why = check_region(parent, &flags, type, info);
	return created(why ? NULL : create_part(parent, flags, info), why, errcode_ret);
}

/* ---- All memory objects ---- */

cl_int memory_check_any(cl_command_queue queue, cl_mem memory)
{
	if (!object_is(memory, OBJECT_MEMORY))
		return CL_INVALID_MEM_OBJECT;
	return memory->object.context == queue->object.context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int memory_check(cl_command_queue queue, cl_mem memory)
{
	return object_is(memory, OBJECT_MEMORY) && memory->image ? CL_INVALID_MEM_OBJECT
								 : memory_check_any(queue, memory);
}

cl_int memory_check_command(cl_command_queue queue, cl_mem memory, cl_uint count, const cl_event *list)
{
	cl_int why = command_check(queue, count, list);
	return why ? why : memory_check(queue, memory);
}

cl_int memory_check_range(cl_mem memory, size_t offset, size_t bytes)
{
	return offset <= memory->bytes && bytes <= memory->bytes - offset ? CL_SUCCESS : CL_INVALID_VALUE;
}

bool memory_overlaps(cl_mem a, size_t a_offset, cl_mem b, size_t b_offset, size_t bytes)
{
	uint64_t from = a->address + a_offset, to = b->address + b_offset;
	return from < to + bytes && to < from + bytes;
}

OBJECT_COUNTED(MemObject, cl_mem, OBJECT_MEMORY, CL_INVALID_MEM_OBJECT)

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(
	cl_mem memory, cl_mem_info param_name, size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(memory, OBJECT_MEMORY))
		return CL_INVALID_MEM_OBJECT;
	switch (param_name) {
	case CL_MEM_TYPE: return ANSWER(cl_mem_object_type, memory->image ? memory->image->type : CL_MEM_OBJECT_BUFFER);
	case CL_MEM_FLAGS: return ANSWER(cl_mem_flags, memory->flags);
	case CL_MEM_SIZE: return ANSWER(size_t, memory->bytes);
	case CL_MEM_HOST_PTR: return ANSWER(void *, memory->host_pointer);
	case CL_MEM_MAP_COUNT: return ANSWER(cl_uint, memory->map_count);
	case CL_MEM_REFERENCE_COUNT: return ANSWER(cl_uint, atomic_load(&memory->object.references));
	case CL_MEM_CONTEXT: return ANSWER(cl_context, memory->object.context);
	case CL_MEM_ASSOCIATED_MEMOBJECT: return ANSWER(cl_mem, memory->parent);
	case CL_MEM_OFFSET: return ANSWER(size_t, memory->origin);
	case CL_MEM_USES_SVM_POINTER: return ANSWER(cl_bool, memory->is_shared);
	case CL_MEM_PROPERTIES: return ANSWER_PROPERTIES(memory);
	default: return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clSetMemObjectDestructorCallback(
	cl_mem memory, void(CL_CALLBACK *notify)(cl_mem, void *), void *user_data)
{
	if (!object_is(memory, OBJECT_MEMORY))
		return CL_INVALID_MEM_OBJECT;
	if (!notify)
		return CL_INVALID_VALUE;
	struct callback callback = {.call.memory = notify, .data = user_data};
	return callback_add(&memory->callbacks, &callback);
}
