/* Programs: made, asked about and released.  build.c builds them. */
#include "host/opencl/program.h"
#include "host/device.h"

#include "util/text.h"

#include <stdlib.h>
#include <string.h>

static void destroy(struct object *object)
{
	cl_program program = (cl_program)object;
	code_drop(program->code);
	free(program->source);
	free(program->ptx);
	free(program->all);
	free(program->options);
	free(program->log);
}

cl_program program_new(cl_context context)
{
	cl_program program = object_new(OBJECT_PROGRAM, sizeof *program, destroy, context, NULL);
	if (!program)
		return NULL;
	program->status = CL_BUILD_NONE;
	program->type = CL_PROGRAM_BINARY_TYPE_NONE;
	program->options = strdup("");
	program->log = strdup("");
	if (program->options && program->log)
		return program;
	object_release(program);
	return NULL;
}

/* The strings joined; null: no memory. */
static char *join(cl_uint count, const char **strings, const size_t *lengths)
{
	size_t total = 0, at = 0;
	for (cl_uint k = 0; k < count; k++)
		total += lengths && lengths[k] ? lengths[k] : strlen(strings[k]);
	char *text = malloc(total + 1);
	for (cl_uint k = 0; text && k < count; k++) {
		size_t length = lengths && lengths[k] ? lengths[k] : strlen(strings[k]);
		memcpy(text + at, strings[k], length);
		at += length;
	}
	if (text)
		text[at] = '\0';
	return text;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(
	cl_context context, cl_uint count, const char **strings, const size_t *lengths, cl_int *errcode_ret)
{
	cl_program program = NULL;
	cl_int why = CL_SUCCESS;
	if (!object_is(context, OBJECT_CONTEXT))
		why = CL_INVALID_CONTEXT;
	else if (!count || !strings)
		why = CL_INVALID_VALUE;
	for (cl_uint k = 0; !why && k < count; k++)
		if (!strings[k])
			why = CL_INVALID_VALUE;
	if (!why)
		program = program_new(context);
	if (program && !(program->source = join(count, strings, lengths))) {
		object_release(program);
		program = NULL;
	}
	return created(program, why, errcode_ret);
}

/* ---- Binaries: PTX, as clGetProgramInfo gave it or from another compiler ---- */

static bool begins_with(const char *text, const char *mark)
{
	return !strncmp(text, mark, strlen(mark));
}

static bool looks_like_ptx(const unsigned char *binary, size_t length)
{
	return length && !memchr(binary, 0, length) && memmem(binary, length, ".version", 8);
}

static cl_program from_binary(cl_context context, const unsigned char *binary, size_t length)
{
	cl_program program = program_new(context);
	if (!program)
		return NULL;
	program->ptx = strndup((const char *)binary, length);
	if (!program->ptx) {
		object_release(program);
		return NULL;
	}
	program->type = begins_with(program->ptx, PROGRAM_OBJECT_MARK)    ? CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
			: begins_with(program->ptx, PROGRAM_LIBRARY_MARK) ? CL_PROGRAM_BINARY_TYPE_LIBRARY
									  : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	return program;
}

static cl_int check_binary(cl_context context, cl_uint device_count, const cl_device_id *devices, const size_t *lengths,
	const unsigned char **binaries)
{
	if (!object_is(context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!device_count || !devices || !lengths || !binaries)
		return CL_INVALID_VALUE;
	for (cl_uint k = 0; k < device_count; k++)
		if (!object_is(devices[k], OBJECT_DEVICE))
			return CL_INVALID_DEVICE;
	for (cl_uint k = 0; k < device_count; k++)
		if (!lengths[k] || !binaries[k])
			return CL_INVALID_VALUE;
	return looks_like_ptx(binaries[0], lengths[0]) ? CL_SUCCESS : CL_INVALID_BINARY;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint device_count,
	const cl_device_id *devices, const size_t *lengths, const unsigned char **binaries, cl_int *binary_status,
	cl_int *errcode_ret)
{
	cl_int why = check_binary(context, device_count, devices, lengths, binaries);
	cl_program program = why ? NULL : from_binary(context, binaries[0], lengths[0]);
	for (cl_uint k = 0; binary_status && lengths && binaries && k < device_count; k++)
		binary_status[k] = !lengths[k] || !binaries[k] ? CL_INVALID_VALUE
				   : why == CL_INVALID_BINARY  ? why
							       : CL_SUCCESS;
	return created(program, why, errcode_ret);
}

/* There are no built-in kernels: CL_DEVICE_BUILT_IN_KERNELS is empty. */
CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(
	cl_context context, cl_uint device_count, const cl_device_id *devices, const char *names, cl_int *errcode_ret)
{
	cl_int why = CL_INVALID_VALUE;
	if (!object_is(context, OBJECT_CONTEXT))
		why = CL_INVALID_CONTEXT;
	else if (devices && device_count && !object_is(devices[0], OBJECT_DEVICE))
		why = CL_INVALID_DEVICE;
	(void)names;
	return created(NULL, why, errcode_ret);
}

/* No intermediate language: CL_DEVICE_IL_VERSION is empty. */
CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(
	cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
	(void)il, (void)length;
	return created(
		NULL, object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(
	cl_program program, cl_uint id, size_t size, const void *value)
{
	(void)id, (void)size, (void)value;
	return object_is(program, OBJECT_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

/* For destructors of program-scope variables, which OpenCL C does not have. */
CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(
	cl_program program, void(CL_CALLBACK *notify)(cl_program, void *), void *user_data)
{
	(void)notify, (void)user_data;
	return object_is(program, OBJECT_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

OBJECT_COUNTED(Program, cl_program, OBJECT_PROGRAM, CL_INVALID_PROGRAM)

/* ---- Queries ---- */

static cl_int answer_names(cl_program program, size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	struct arena arena = {0};
	struct text names = {.arena = &arena};
	if (!program->code)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	text_append(&names, "", 0);
	for (cl_uint k = 0; k < program->code->kernel_count; k++)
		text_print(&names, "%s%s", k ? ";" : "", program->code->kernels[k].name);
	cl_int why = ANSWER_TEXT(names.at);
	arena_free(&arena);
	return why;
}

/* One pointer, to where the binary is to be copied; null: not wanted. */
static cl_int answer_binary(
	cl_program program, size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	char **to = param_value;
	if (param_value_size_ret)
		*param_value_size_ret = sizeof *to;
	if (!param_value)
		return CL_SUCCESS;
	if (param_value_size < sizeof *to)
		return CL_INVALID_VALUE;
	const char *ptx = *to ? program_all(program) : NULL;
	if (ptx)
		memcpy(*to, ptx, strlen(ptx));
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(program, OBJECT_PROGRAM))
		return CL_INVALID_PROGRAM;
	const char *ptx = param_name == CL_PROGRAM_BINARY_SIZES ? program_all(program) : NULL;
	switch (param_name) {
	case CL_PROGRAM_REFERENCE_COUNT: return ANSWER(cl_uint, atomic_load(&program->object.references));
	case CL_PROGRAM_CONTEXT: return ANSWER(cl_context, program->object.context);
	case CL_PROGRAM_NUM_DEVICES: return ANSWER(cl_uint, 1);
	case CL_PROGRAM_DEVICES: return ANSWER(cl_device_id, device_object());
	case CL_PROGRAM_SOURCE: return ANSWER_TEXT(program->source ? program->source : "");
	case CL_PROGRAM_IL: return ANSWER_BYTES(NULL, 0);
	case CL_PROGRAM_BINARY_SIZES: return ANSWER(size_t, ptx ? strlen(ptx) : 0);
	case CL_PROGRAM_BINARIES: return answer_binary(program, param_value_size, param_value, param_value_size_ret);
	case CL_PROGRAM_NUM_KERNELS:
		return program->code ? ANSWER(size_t, program->code->kernel_count) : CL_INVALID_PROGRAM_EXECUTABLE;
	case CL_PROGRAM_KERNEL_NAMES: return answer_names(program, param_value_size, param_value, param_value_size_ret);
	case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
	case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: return ANSWER(cl_bool, CL_FALSE);
	default: return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
	cl_program_build_info param_name, size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	if (!object_is(program, OBJECT_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!object_is(device, OBJECT_DEVICE))
		return CL_INVALID_DEVICE;
	switch (param_name) {
	case CL_PROGRAM_BUILD_STATUS: return ANSWER(cl_build_status, program->status);
	case CL_PROGRAM_BUILD_OPTIONS: return ANSWER_TEXT(program->options);
	case CL_PROGRAM_BUILD_LOG: return ANSWER_TEXT(program->log);
	case CL_PROGRAM_BINARY_TYPE: return ANSWER(cl_program_binary_type, program->type);
	case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
		return ANSWER(size_t, program->code ? lockstep_global_bytes(program->code->module) : 0);
	default: return CL_INVALID_VALUE;
	}
}
