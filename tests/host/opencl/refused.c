/* What the device does not have: each call says so, with the code of the specification for a device without it; an
 * object of another kind gets the code for that.  OpenCL 3.0: 5.4 (pipes), 5.8.2 (intermediate language), 5.8.4
 * (built-in kernels), 5.8.5 and 5.8.6; the OpenGL calls are those of cl_khr_gl_sharing, which the device does not
 * list. */
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "check.h"

#include <CL/cl_gl.h>

/* `call` gives no object, and this code in *why. */
#define REFUSED(code, call)                                                                                            \
	do {                                                                                                           \
		cl_int why = 99;                                                                                       \
		CHECK(!(call) && why == (code));                                                                       \
	} while (0)

static void pipes(const struct test *t, cl_context wrong, cl_mem buffer)
{
	char value[8];
	cl_bool has_pipes = CL_TRUE;
	OK(clGetDeviceInfo(t->device, CL_DEVICE_PIPE_SUPPORT, sizeof has_pipes, &has_pipes, NULL));
	CHECK(!has_pipes);
	REFUSED(CL_INVALID_OPERATION, clCreatePipe(t->context, CL_MEM_HOST_NO_ACCESS, 4, 16, NULL, &why));
	REFUSED(CL_INVALID_CONTEXT, clCreatePipe(wrong, CL_MEM_HOST_NO_ACCESS, 4, 16, NULL, &why));
	CHECK(!clCreatePipe(t->context, 0, 4, 16, NULL, NULL));
	GIVES(CL_INVALID_MEM_OBJECT, clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, sizeof value, value, NULL));
}

static void graphics(const struct test *t, cl_context wrong, cl_mem buffer)
{
	cl_command_queue no_queue = (cl_command_queue)t->context;
	cl_mem no_memory = (cl_mem)t->context;
	char text[4096];
	OK(clGetDeviceInfo(t->device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
	CHECK(!strstr(text, "gl_sharing"));
	for (int k = 0; k < 2; k++) {
		cl_context context = k ? wrong : t->context;
		cl_int code = k ? CL_INVALID_CONTEXT : CL_INVALID_OPERATION;
		check_entry = k;
		REFUSED(code, clCreateFromGLBuffer(context, 0, 1, &why));
		REFUSED(code, clCreateFromGLTexture(context, 0, 0x0de1, 0, 1, &why));
		REFUSED(code, clCreateFromGLTexture2D(context, 0, 0x0de1, 0, 1, &why));
		REFUSED(code, clCreateFromGLTexture3D(context, 0, 0x806f, 0, 1, &why));
		REFUSED(code, clCreateFromGLRenderbuffer(context, 0, 1, &why));
	}
	check_entry = 0;
	CHECK(!clCreateFromGLBuffer(t->context, 0, 1, NULL));
	GIVES(CL_INVALID_GL_OBJECT, clGetGLObjectInfo(buffer, NULL, NULL));
	GIVES(CL_INVALID_MEM_OBJECT, clGetGLObjectInfo(no_memory, NULL, NULL));
	GIVES(CL_INVALID_GL_OBJECT, clGetGLTextureInfo(buffer, 0x2004, 0, NULL, NULL));
	GIVES(CL_INVALID_MEM_OBJECT, clGetGLTextureInfo(no_memory, 0x2004, 0, NULL, NULL));
	GIVES(CL_INVALID_GL_OBJECT, clEnqueueAcquireGLObjects(t->queue, 1, &buffer, 0, NULL, NULL));
	GIVES(CL_INVALID_GL_OBJECT, clEnqueueReleaseGLObjects(t->queue, 1, &buffer, 0, NULL, NULL));
	GIVES(CL_INVALID_COMMAND_QUEUE, clEnqueueAcquireGLObjects(no_queue, 1, &buffer, 0, NULL, NULL));
	GIVES(CL_INVALID_COMMAND_QUEUE, clEnqueueReleaseGLObjects(no_queue, 1, &buffer, 0, NULL, NULL));
}

static void CL_CALLBACK nothing(cl_program program, void *data)
{
	(void)program, (void)data;
}

static void programs(const struct test *t, cl_context wrong)
{
	const unsigned int spirv[5] = {0x07230203, 0x10000, 0, 1, 0};
	cl_device_id no_device = (cl_device_id)t->context;
	cl_program program = test_program(t, "kernel void f(void) {}"), no_program = (cl_program)t->context;
	char text[64] = "x";
	size_t size = 99;
	OK(clGetDeviceInfo(t->device, CL_DEVICE_IL_VERSION, sizeof text, text, NULL));
	CHECK(!*text);
	REFUSED(CL_INVALID_OPERATION, clCreateProgramWithIL(t->context, spirv, sizeof spirv, &why));
	REFUSED(CL_INVALID_CONTEXT, clCreateProgramWithIL(wrong, spirv, sizeof spirv, &why));
	CHECK(!clCreateProgramWithIL(t->context, spirv, sizeof spirv, NULL));
	OK(clGetProgramInfo(
		program, CL_PROGRAM_IL, 0, NULL, &size)); /* "not created with clCreateProgramWithIL": nothing */
	CHECK(size == 0);
	OK(clGetDeviceInfo(t->device, CL_DEVICE_BUILT_IN_KERNELS, sizeof text, text, NULL));
	CHECK(!*text);
	REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(t->context, 1, &t->device, "blend", &why));
	REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(t->context, 0, &t->device, "blend", &why));
	REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(t->context, 1, NULL, "blend", &why));
	REFUSED(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(t->context, 1, &t->device, NULL, &why));
	REFUSED(CL_INVALID_DEVICE, clCreateProgramWithBuiltInKernels(t->context, 1, &no_device, "blend", &why));
	REFUSED(CL_INVALID_CONTEXT, clCreateProgramWithBuiltInKernels(wrong, 1, &t->device, "blend", &why));
	GIVES(CL_INVALID_OPERATION, clSetProgramSpecializationConstant(program, 0, 4, text));
	GIVES(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(no_program, 0, 4, text));
	GIVES(CL_INVALID_OPERATION, clSetProgramReleaseCallback(program, nothing, NULL));
	GIVES(CL_INVALID_PROGRAM, clSetProgramReleaseCallback(no_program, nothing, NULL));
	OK(clReleaseProgram(program));
}

int main(void)
{
	struct test t = test_open();
	cl_context wrong = (cl_context)t.queue; /* an object, but no context */
	cl_mem buffer = test_buffer(&t, 64, NULL);
	pipes(&t, wrong, buffer);
	graphics(&t, wrong, buffer);
	programs(&t, wrong);
	OK(clReleaseMemObject(buffer));
	test_close(&t);
	return 0;
}
