/* A program's binary may be anybody's: whatever the bytes, the driver takes it or says an error.
 *
 * The input is one binary or several with a NUL between them.  Each becomes a program that is built and asked about;
 * all are linked, as what they say they are and as objects. */
#include "host/opencl/program.h"
#include "host/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM = 4 };

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static cl_context context;

/* What the driver says about each bad program would be all there is to see; libFuzzer and the sanitizers keep
 * theirs. */
int LLVMFuzzerInitialize(int *count, char ***words)
{
	cl_int why;
	(void)count, (void)words;
	setenv("LOCKSTEP_MODE", "functional", 1);
	stderr = fopen("/dev/null", "w");
	cl_device_id device = device_object();
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &why);
	if (!context)
		abort();
	return 0;
}

static void ask_kernel(cl_kernel kernel)
{
	cl_device_id device = device_object();
	static const char zero[64]; /* a value, or no memory object */
	char text[512];
	cl_uint arguments = 0;
	size_t sizes[3];
	clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
	clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL);
	clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes, NULL);
	clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof *sizes, sizes, NULL);
	for (cl_uint k = 0; k <= arguments && k < 64; k++) {
		clGetKernelArgInfo(kernel, k, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL);
		clGetKernelArgInfo(kernel, k, CL_KERNEL_ARG_NAME, sizeof text, text, NULL);
		for (size_t bytes = 1; bytes <= sizeof zero; bytes++)
			clSetKernelArg(kernel, k, bytes, zero);
		clSetKernelArg(kernel, k, sizeof(cl_mem), NULL);
	}
}

static void ask_program(cl_program program)
{
	cl_kernel kernels[8];
	cl_uint count = 0;
	size_t bytes = 0;
	if (clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &bytes))
		return;
	clGetProgramBuildInfo(program, device_object(), CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
	if (clCreateKernelsInProgram(program, 8, kernels, &count))
		return;
	for (cl_uint k = 0; k < count; k++) {
		ask_kernel(kernels[k]);
		clReleaseKernel(kernels[k]);
	}
}

/* A build that says it went well has made something that can be built again from its binary. */
static void build(cl_program program)
{
	size_t bytes = 0;
	if (clBuildProgram(program, 0, NULL, "", NULL, NULL))
		return;
	if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) || !bytes)
		abort();
	ask_program(program);
}

static void link_pieces(const char *const *pieces, size_t count, bool library)
{
	char *why = NULL, *linked = link_ptx(pieces, count, library, &why);
	if (!linked == !why)
		abort();
	free(linked);
	free(why);
}

static void run_pieces(const char *const *pieces, cl_uint count)
{
	cl_program programs[MAXIMUM], linked;
	cl_uint made = 0;
	cl_int why;
	cl_device_id device = device_object();
	for (cl_uint k = 0; k < count; k++) {
		size_t length = strlen(pieces[k]);
		const unsigned char *bytes = (const unsigned char *)pieces[k];
		cl_program program = clCreateProgramWithBinary(context, 1, &device, &length, &bytes, NULL, &why);
		if (!program != (why != CL_SUCCESS))
			abort();
		if (program)
			programs[made++] = program;
	}
	if (made && (linked = clLinkProgram(context, 0, NULL, NULL, made, programs, NULL, NULL, &why))) {
		ask_program(linked);
		clReleaseProgram(linked);
	}
	for (cl_uint k = 0; k < made; k++) {
		build(programs[k]);
		clReleaseProgram(programs[k]);
	}
	link_pieces(pieces, count, false);
	link_pieces(pieces, count, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *pieces[MAXIMUM];
	cl_uint count = 0;
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	for (size_t at = 0; count < MAXIMUM && at <= size; at += strlen(text + at) + 1)
		pieces[count++] = text + at;
	run_pieces(pieces, count);
	free(text);
	return 0;
}
