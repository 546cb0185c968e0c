/* Kernels, their arguments, and what applications ask of them. */
#include "host/device.h"
#include "host/opencl/identity.h"
#include "host/opencl/image.h"
#include "host/opencl/memory.h"
#include "host/opencl/program.h"

#include <stdlib.h>
#include <string.h>

static void clear_value(struct argument_value *value)
{
	free(value->bytes);
	*value = (struct argument_value){0};
}

static void destroy(struct object *object)
{
	cl_kernel kernel = (cl_kernel)object;
	for (cl_uint k = 0; kernel->arguments && k < kernel->what->argument_count; k++)
		clear_value(&kernel->arguments[k]);
	free(kernel->arguments);
	code_drop(kernel->code);
	object_drop(kernel->program);
}

/* A program can be built again though commands still have a kernel of it. */
static void detach(struct object *object)
{
	atomic_fetch_sub(&((cl_kernel)object)->program->kernels, 1);
}

/* Null: no memory. */
static cl_kernel create(cl_program program, const struct program_kernel *what)
{
	cl_kernel kernel = object_new(OBJECT_KERNEL, sizeof *kernel, destroy, program->object.context, NULL);
	if (!kernel)
		return NULL;
	object_hold(program);
	code_hold(program->code);
	atomic_fetch_add(&program->kernels, 1);
	kernel->program = program;
	kernel->code = program->code;
	kernel->what = what;
	kernel->needs = what->needs;
	kernel->object.released = detach;
	kernel->arguments = calloc(what->argument_count + 1, sizeof *kernel->arguments);
	if (kernel->arguments)
		return kernel;
	object_release(kernel);
	return NULL;
}

static cl_int check_executable(cl_program program)
{
	if (!object_is(program, OBJECT_PROGRAM))
		return CL_INVALID_PROGRAM;
	return program->code ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name, cl_int *errcode_ret)
{
	cl_int why = check_executable(program);
	if (!why && !name)
		why = CL_INVALID_VALUE;
	const struct program_kernel *what = why ? NULL : code_find_kernel(program->code, name);
	if (!why && !what)
		why = CL_INVALID_KERNEL_NAME;
	return created(why ? NULL : create(program, what), why, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(
	cl_program program, cl_uint num_kernels, cl_kernel *kernels, cl_uint *num_kernels_ret)
{
	cl_int why = check_executable(program);
	if (why)
		return why;
	cl_uint count = program->code->kernel_count;
	if (kernels && num_kernels < count)
		return CL_INVALID_VALUE;
	for (cl_uint made = 0; kernels && made < count; made++)
		if (!(kernels[made] = create(program, &program->code->kernels[made]))) {
			while (made > 0)
				object_release(kernels[--made]);
			return CL_OUT_OF_HOST_MEMORY;
		}
	if (num_kernels_ret)
		*num_kernels_ret = count;
	return CL_SUCCESS;
}

static bool copy_value(struct argument_value *to, const struct argument_value *from)
{
	*to = *from;
	to->bytes = from->bytes ? malloc(from->size) : NULL;
	if (to->bytes)
		memcpy(to->bytes, from->bytes, from->size);
	return to->bytes || !from->bytes;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel source, cl_int *errcode_ret)
{
	cl_int why = object_is(source, OBJECT_KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL;
	cl_kernel kernel = why ? NULL : create(source->program, source->what);
	bool good = kernel;
	for (cl_uint k = 0; good && k < source->what->argument_count; k++)
		good = copy_value(&kernel->arguments[k], &source->arguments[k]);
	if (kernel && !good)
		object_release(kernel);
	return created(good ? kernel : NULL, why, errcode_ret);
}

OBJECT_COUNTED(Kernel, cl_kernel, OBJECT_KERNEL, CL_INVALID_KERNEL)

/* ---- Arguments ---- */

static cl_int make_local(size_t size, const void *value, struct argument_value *made)
{
	if (value)
		return CL_INVALID_ARG_VALUE;
	if (!size)
		return CL_INVALID_ARG_SIZE;
	made->size = size;
	return CL_SUCCESS;
}

static cl_int make_plain(const struct program_argument *a, size_t size, const void *value, struct argument_value *made)
{
	if (!value && size == a->size && !a->type) { /* PTX of others does not tell what the 8 bytes are */
		made->size = size;
		return CL_SUCCESS;
	}
	if (!value)
		return CL_INVALID_ARG_VALUE;
	if (size != a->size)
		return CL_INVALID_ARG_SIZE;
	made->bytes = malloc(size + 1);
	made->size = size;
	if (!made->bytes)
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(made->bytes, value, size);
	return CL_SUCCESS;
}

/* May a kernel do with it what the parameter's qualifier says? */
static bool allows(cl_mem memory, cl_kernel_arg_access_qualifier access)
{
	cl_mem_flags never = access == CL_KERNEL_ARG_ACCESS_READ_ONLY    ? CL_MEM_WRITE_ONLY
			     : access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? CL_MEM_READ_ONLY
									 : CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
	return !(memory->flags & never);
}

/* Of a buffer, which may be none, or an image. */
static cl_int make_memory(
	cl_kernel kernel, const struct program_argument *a, size_t size, const void *value, struct argument_value *made)
{
	cl_mem memory = NULL;
	if (size != sizeof memory)
		return CL_INVALID_ARG_SIZE;
	if (!value && a->image)
		return CL_INVALID_ARG_VALUE;
	if (value)
		memcpy(&memory, value, sizeof memory);
	if (!memory && !a->image)
		return CL_SUCCESS;
	if (!object_is(memory, OBJECT_MEMORY) || memory->object.context != kernel->object.context)
		return CL_INVALID_MEM_OBJECT;
	if (a->type && !memory->image != !a->image)
		return CL_INVALID_MEM_OBJECT;
	if (a->image && (memory->image->type != a->image || !allows(memory, a->access)))
		return CL_INVALID_ARG_VALUE;
	made->memory = memory;
	return CL_SUCCESS;
}

/* A kernel gets a sampler's state, so the sampler is needed no more. */
static cl_int make_sampler(
	cl_kernel kernel, const struct program_argument *a, size_t size, const void *value, struct argument_value *made)
{
	cl_sampler sampler = NULL;
	if (size != sizeof sampler)
		return CL_INVALID_ARG_SIZE;
	if (value)
		memcpy(&sampler, value, sizeof sampler);
	if (!object_is(sampler, OBJECT_SAMPLER) || sampler->object.context != kernel->object.context)
		return CL_INVALID_SAMPLER;
	uint64_t handle = sampler_handle(sampler);
	return make_plain(a, sizeof handle, &handle, made);
}

/* Of PTX without our comments: eight bytes that are the handle of a memory object mean the object. */
static bool is_handle(cl_kernel kernel, const struct program_argument *a, size_t size, const void *value)
{
	cl_mem memory;
	if (a->type || a->size != 8 || size != 8 || !value)
		return false;
	memcpy(&memory, value, sizeof memory);
	return memory_is_live(memory) && memory->object.context == kernel->object.context;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	struct argument_value made = {.given = true};
	cl_int why;
	if (!object_is(kernel, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= kernel->what->argument_count)
		return CL_INVALID_ARG_INDEX;
	const struct program_argument *a = &kernel->what->arguments[index];
	if (a->space == CL_KERNEL_ARG_ADDRESS_LOCAL || (!a->type && a->size == 8 && !value))
		why = make_local(size, value, &made);
	else if (a->is_sampler)
		why = make_sampler(kernel, a, size, value, &made);
	else if (a->image || a->space != CL_KERNEL_ARG_ADDRESS_PRIVATE || is_handle(kernel, a, size, value))
		why = make_memory(kernel, a, size, value, &made);
	else
		why = make_plain(a, size, value, &made);
	if (why)
		return why;
	clear_value(&kernel->arguments[index]);
	kernel->arguments[index] = made;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *pointer)
{
	if (!object_is(kernel, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (!identity_has_svm())
		return CL_INVALID_OPERATION;
	if (index >= kernel->what->argument_count)
		return CL_INVALID_ARG_INDEX;
	const struct program_argument *a = &kernel->what->arguments[index];
	bool is_pointer =
		!a->image && (a->space == CL_KERNEL_ARG_ADDRESS_GLOBAL || a->space == CL_KERNEL_ARG_ADDRESS_CONSTANT);
	if (!is_pointer && (a->type || a->size != 8))
		return CL_INVALID_ARG_VALUE;
	clear_value(&kernel->arguments[index]);
	kernel->arguments[index] = (struct argument_value){.given = true, .pointer = (uintptr_t)pointer};
	return CL_SUCCESS;
}

/* A kernel may follow any pointer to shared virtual memory, so a list of pointers changes nothing, and neither does an
 * empty one. */
CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(
	cl_kernel kernel, cl_kernel_exec_info param_name, size_t size, const void *value)
{
	if (!object_is(kernel, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (!identity_has_svm())
		return CL_INVALID_OPERATION;
	if (!value != (!size && param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS))
		return CL_INVALID_VALUE;
	switch (param_name) {
	case CL_KERNEL_EXEC_INFO_SVM_PTRS: return size % sizeof(void *) == 0 ? CL_SUCCESS : CL_INVALID_VALUE;
	case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
		if (size != sizeof(cl_bool))
			return CL_INVALID_VALUE;
		return *(const cl_bool *)value ? CL_INVALID_OPERATION : CL_SUCCESS;
	default: return CL_INVALID_VALUE;
	}
}

/* ---- Queries ---- */

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size,
	void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(kernel, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	switch (param_name) {
	case CL_KERNEL_FUNCTION_NAME: return ANSWER_TEXT(kernel->what->name);
	case CL_KERNEL_NUM_ARGS: return ANSWER(cl_uint, kernel->what->argument_count);
	case CL_KERNEL_REFERENCE_COUNT: return ANSWER(cl_uint, atomic_load(&kernel->object.references));
	case CL_KERNEL_CONTEXT: return ANSWER(cl_context, kernel->object.context);
	case CL_KERNEL_PROGRAM: return ANSWER(cl_program, kernel->program);
	case CL_KERNEL_ATTRIBUTES: return ANSWER_TEXT(kernel->what->attributes);
	default: return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(kernel, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= kernel->what->argument_count)
		return CL_INVALID_ARG_INDEX;
	const struct program_argument *a = &kernel->what->arguments[index];
	if (!a->type || !a->name)
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	switch (param_name) {
	case CL_KERNEL_ARG_ADDRESS_QUALIFIER: return ANSWER(cl_kernel_arg_address_qualifier, a->space);
	case CL_KERNEL_ARG_ACCESS_QUALIFIER: return ANSWER(cl_kernel_arg_access_qualifier, a->access);
	case CL_KERNEL_ARG_TYPE_QUALIFIER: return ANSWER(cl_kernel_arg_type_qualifier, a->qualifiers);
	case CL_KERNEL_ARG_TYPE_NAME: return ANSWER_TEXT(a->type);
	case CL_KERNEL_ARG_NAME: return ANSWER_TEXT(a->name);
	default: return CL_INVALID_VALUE;
	}
}

/* Bytes of local memory: of the source, and of the arguments given so far. */
static cl_ulong local_bytes(cl_kernel kernel)
{
	cl_ulong bytes = kernel->needs.shared_bytes;
	for (cl_uint k = 0; k < kernel->what->argument_count; k++)
		if (kernel->what->arguments[k].space == CL_KERNEL_ARG_ADDRESS_LOCAL)
			bytes += kernel->arguments[k].size;
	return bytes;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
	cl_kernel_work_group_info param_name, size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(kernel, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (device && !object_is(device, OBJECT_DEVICE))
		return CL_INVALID_DEVICE;
	const uint32_t *required = kernel->what->required;
	size_t group[3] = {required[0], required[1], required[2]};
	switch (param_name) {
	case CL_KERNEL_WORK_GROUP_SIZE: return ANSWER(size_t, kernel->needs.group_threads);
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: return ANSWER_BYTES(group, sizeof group);
	case CL_KERNEL_LOCAL_MEM_SIZE: return ANSWER(cl_ulong, local_bytes(kernel));
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return ANSWER(size_t, device_get()->warp);
	case CL_KERNEL_PRIVATE_MEM_SIZE: return ANSWER(cl_ulong, kernel->needs.local_bytes);
	default: return CL_INVALID_VALUE; /* CL_KERNEL_GLOBAL_WORK_SIZE: only of custom devices and built-in kernels */
	}
}

static cl_int answer_group_of(
	cl_kernel kernel, size_t sub_groups, size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	size_t threads = sub_groups * SUB_GROUP, dimensions = param_value_size / sizeof(size_t);
	size_t group[3] = {threads <= kernel->needs.group_threads ? threads : 0, 1, 1};
	if (param_value && (dimensions < 1 || dimensions > 3 || param_value_size % sizeof(size_t)))
		return CL_INVALID_VALUE;
	if (!group[0])
		group[1] = group[2] = 0;
	if (!param_value)
		dimensions = 3;
	return ANSWER_BYTES(group, dimensions * sizeof(size_t));
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
	cl_kernel_sub_group_info param_name, size_t input_size, const void *input, size_t param_value_size,
	void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(kernel, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (device && !object_is(device, OBJECT_DEVICE))
		return CL_INVALID_DEVICE;
	const size_t *numbers = input;
	size_t threads = 1, dimensions = input_size / sizeof *numbers;
	switch (param_name) {
	case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
	case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
		if (!numbers || dimensions < 1 || dimensions > 3 || input_size % sizeof *numbers)
			return CL_INVALID_VALUE;
		for (size_t k = 0; k < dimensions; k++)
			threads *= numbers[k];
		if (param_name == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE)
			return ANSWER(size_t, (threads + SUB_GROUP - 1) / SUB_GROUP);
		return ANSWER(size_t, threads < SUB_GROUP ? threads : SUB_GROUP);
	case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
		if (!numbers || input_size != sizeof *numbers)
			return CL_INVALID_VALUE;
		return answer_group_of(kernel, *numbers, param_value_size, param_value, param_value_size_ret);
	case CL_KERNEL_MAX_NUM_SUB_GROUPS: return ANSWER(size_t, kernel->needs.group_threads / SUB_GROUP);
	case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: return ANSWER(size_t, 0);
	default: return CL_INVALID_VALUE;
	}
}
