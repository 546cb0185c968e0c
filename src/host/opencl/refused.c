/* The entry points of what the device does not have: pipes, graphics interoperation.  Each checks the
 * object it is called on, and then returns the error that the specification names for a device without them. */
#include "host/device.h"
#include "host/opencl/objects.h"

static void *refuse_in(cl_context context, cl_int *errcode_ret)
{
	return created(
		NULL, object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT, errcode_ret);
}

/* ---- Pipes: CL_DEVICE_PIPE_SUPPORT is false ---- */

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet, cl_uint packets,
	const cl_pipe_properties *properties, cl_int *errcode_ret)
{
	(void)flags, (void)packet, (void)packets, (void)properties;
	return refuse_in(context, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(
	cl_mem pipe, cl_pipe_info name, size_t size, void *value, size_t *size_ret)
{
	(void)pipe, (void)name, (void)size, (void)value, (void)size_ret;
	return CL_INVALID_MEM_OBJECT;
}

/* ---- OpenGL: there is no cl_khr_gl_sharing, but the loader has entry points for it ---- */

/* Also clCreateFromGLRenderbuffer (dispatch.c). */
CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLBuffer(
	cl_context context, cl_mem_flags flags, cl_GLuint object, cl_int *errcode_ret)
{
	(void)flags, (void)object;
	return refuse_in(context, errcode_ret);
}

/* Also those of OpenCL 1.1, in two and three dimensions. */
CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
	cl_GLint level, cl_GLuint texture, cl_int *errcode_ret)
{
	(void)flags, (void)target, (void)level, (void)texture;
	return refuse_in(context, errcode_ret);
}

/* No memory object was made from one of OpenGL's. */
CL_API_ENTRY cl_int CL_API_CALL clGetGLObjectInfo(cl_mem memory, cl_gl_object_type *type, cl_GLuint *name)
{
	(void)type, (void)name;
	return object_is(memory, OBJECT_MEMORY) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL clGetGLTextureInfo(
	cl_mem memory, cl_gl_texture_info name, size_t size, void *value, size_t *size_ret)
{
	(void)name, (void)size, (void)value, (void)size_ret;
	return object_is(memory, OBJECT_MEMORY) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

/* Also clEnqueueReleaseGLObjects. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireGLObjects(cl_command_queue queue, cl_uint memory_count,
	const cl_mem *memories, cl_uint count, const cl_event *list, cl_event *event)
{
	(void)memory_count, (void)memories, (void)count, (void)list, (void)event;
	return object_is(queue, OBJECT_QUEUE) ? CL_INVALID_GL_OBJECT : CL_INVALID_COMMAND_QUEUE;
}
