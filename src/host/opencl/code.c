/* A built program on the GPU: its module, and what its PTX says of the kernels' arguments. */
#include "host/device.h"
#include "host/opencl/image.h"
#include "host/opencl/program.h"

#include "compile/kernel_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program_kernel *code_find_kernel(struct program_code *code, const char *name)
{
	for (cl_uint k = 0; k < code->kernel_count; k++)
		if (!strcmp(code->kernels[k].name, name))
			return &code->kernels[k];
	return NULL;
}

/* By enum kernel_info_space, enum kernel_info_access. */
static const cl_kernel_arg_address_qualifier spaces[] = {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL,
	CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_LOCAL};
static const cl_kernel_arg_access_qualifier accesses[] = {CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ACCESS_READ_ONLY,
	CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_KERNEL_ARG_ACCESS_READ_WRITE};

static cl_kernel_arg_type_qualifier qualifiers_of(uint32_t bits)
{
	return (bits & KERNEL_INFO_CONST ? CL_KERNEL_ARG_TYPE_CONST : 0u) |
	       (bits & KERNEL_INFO_VOLATILE ? CL_KERNEL_ARG_TYPE_VOLATILE : 0u) |
	       (bits & KERNEL_INFO_RESTRICT ? CL_KERNEL_ARG_TYPE_RESTRICT : 0u) |
	       (bits & KERNEL_INFO_PIPE ? CL_KERNEL_ARG_TYPE_PIPE : 0u);
}

static void take_line(struct program_code *code, const struct kernel_info *info)
{
	struct program_kernel *kernel = code_find_kernel(code, info->kernel);
	if (!kernel)
		return;
	if (info->kind == KERNEL_INFO_KERNEL) {
		memcpy(kernel->required, info->required, sizeof kernel->required);
		free(kernel->attributes);
		kernel->attributes = strdup(info->attributes);
		return;
	}
	if (info->index >= kernel->argument_count)
		return;
	struct program_argument *argument = &kernel->arguments[info->index];
	argument->space = spaces[info->space];
	argument->access = accesses[info->access];
	argument->qualifiers = qualifiers_of(info->qualifiers);
	free(argument->type);
	free(argument->name);
	argument->image = image_type_named(info->type);
	argument->is_sampler = !strcmp(info->type, "sampler_t");
	argument->type = strdup(info->type);
	argument->name = strdup(info->name);
}

/* The kernel's arguments as PTX alone tells them. */
static bool read_parameters(struct lockstep_module *module, struct program_kernel *kernel)
{
	struct lockstep_parameter parameter;
	size_t count = 0;
	while (lockstep_kernel_parameter(module, kernel->name, count, &parameter))
		count++;
	kernel->arguments = calloc(count + 1, sizeof *kernel->arguments);
	if (!kernel->arguments)
		return false;
	kernel->argument_count = (cl_uint)count;
	for (size_t k = 0; k < count; k++) {
		struct program_argument *a = &kernel->arguments[k];
		lockstep_kernel_parameter(module, kernel->name, k, &parameter);
		a->size = parameter.size;
		a->offset = parameter.offset;
		a->space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
		a->access = CL_KERNEL_ARG_ACCESS_NONE;
	}
	return true;
}

/* Of all kernels, so that what they lack is the build's failure.  One that needs what is not supported fails when it is
 * launched, since others may be all that the program runs. */
static bool find_needs(struct program_code *code, struct lockstep_error *error)
{
	for (cl_uint k = 0; k < code->kernel_count; k++) {
		struct program_kernel *kernel = &code->kernels[k];
		kernel->needs.size = sizeof kernel->needs;
		kernel->needs.group_threads = device_get()->group_threads;
		kernel->refusal = lockstep_kernel_refusal(code->module, kernel->name);
		if (!kernel->refusal && !lockstep_kernel_needs(code->module, kernel->name, &kernel->needs, error))
			return false;
	}
	return true;
}

static bool read_kernels(struct program_code *code, const char *ptx)
{
	struct kernel_info info;
	size_t count = lockstep_kernel_count(code->module);
	code->kernels = calloc(count + 1, sizeof *code->kernels);
	for (size_t k = 0; code->kernels && k < count; k++) {
		struct program_kernel *kernel = &code->kernels[code->kernel_count++];
		kernel->name = strdup(lockstep_kernel_name(code->module, k));
		kernel->attributes = strdup("");
		if (!kernel->name || !kernel->attributes || !read_parameters(code->module, kernel))
			return false;
	}
	while (code->kernels && kernel_info_next(&ptx, &info))
		take_line(code, &info);
	return code->kernels;
}

struct program_code *code_load(const char *ptx, char *why, size_t size)
{
	struct lockstep_error error;
	struct program_code *code = calloc(1, sizeof *code);
	snprintf(why, size, "out of memory");
	if (!code)
		return NULL;
	atomic_init(&code->holds, 1);
	device_lock();
	code->module = lockstep_load(device_get()->gpu, "program.ptx", ptx, &error);
	bool good = code->module != NULL, read = good && read_kernels(code, ptx);
	if (read)
		good = find_needs(code, &error);
	device_unlock();
	if (good && read)
		return code;
	if (!good)
		snprintf(why, size, "%s", error.message);
	code_drop(code);
	return NULL;
}

void code_hold(struct program_code *code)
{
	atomic_fetch_add(&code->holds, 1);
}

void code_drop(struct program_code *code)
{
	if (!code || atomic_fetch_sub(&code->holds, 1) != 1)
		return;
	for (cl_uint k = 0; k < code->kernel_count; k++) {
		struct program_kernel *kernel = &code->kernels[k];
		for (cl_uint a = 0; a < kernel->argument_count; a++) {
			free(kernel->arguments[a].type);
			free(kernel->arguments[a].name);
		}
		free(kernel->arguments);
		free(kernel->attributes);
		free(kernel->name);
	}
	free(code->kernels);
	device_unload(code->module);
	free(code);
}
