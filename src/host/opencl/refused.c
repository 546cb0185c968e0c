/* The entry points of what the device does not have: images, samplers, pipes, graphics interoperation.  Each checks the
 * object it is called on, and then returns the error that the specification names for a device without them. */
#include "host/device.h"
#include "host/opencl/objects.h"

static void *refuse_in(cl_context context, cl_int error, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = object_is(context, OBJECT_CONTEXT) ? error : CL_INVALID_CONTEXT;
	return NULL;
}

static cl_int refuse_on(cl_command_queue queue, cl_int error)
{
	return object_is(queue, OBJECT_QUEUE) ? error : CL_INVALID_COMMAND_QUEUE;
}

/* ---- Images: CL_DEVICE_IMAGE_SUPPORT is false ---- */

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
	cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *shape, void *pointer,
	cl_int *errcode_ret)
{
	(void)properties, (void)flags, (void)format, (void)shape, (void)pointer;
	return refuse_in(context, CL_INVALID_OPERATION, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
	const cl_image_desc *shape, void *pointer, cl_int *errcode_ret)
{
	(void)flags, (void)format, (void)shape, (void)pointer;
	return refuse_in(context, CL_INVALID_OPERATION, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
	size_t width, size_t height, size_t pitch, void *pointer, cl_int *errcode_ret)
{
	(void)flags, (void)format, (void)width, (void)height, (void)pitch, (void)pointer;
	return refuse_in(context, CL_INVALID_OPERATION, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
	size_t width, size_t height, size_t depth, size_t row, size_t slice, void *pointer, cl_int *errcode_ret)
{
	(void)flags, (void)format, (void)width, (void)height, (void)depth, (void)row, (void)slice, (void)pointer;
	return refuse_in(context, CL_INVALID_OPERATION, errcode_ret);
}

/* There are none, which is no error. */
CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
	cl_mem_object_type type, cl_uint count, cl_image_format *formats, cl_uint *count_ret)
{
	(void)flags;
	if (!object_is(context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER || (!count && formats))
		return CL_INVALID_VALUE;
	if (count_ret)
		*count_ret = 0;
	return CL_SUCCESS;
}

/* No memory object is an image. */
CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(
	cl_mem image, cl_image_info name, size_t size, void *value, size_t *size_ret)
{
	(void)image, (void)name, (void)size, (void)value, (void)size_ret;
	return CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
	const size_t *origin, const size_t *region, size_t row, size_t slice, void *pointer, cl_uint count,
	const cl_event *list, cl_event *event)
{
	(void)image, (void)blocking, (void)origin, (void)region, (void)row, (void)slice, (void)pointer, (void)count,
		(void)list, (void)event;
	return refuse_on(queue, CL_INVALID_MEM_OBJECT);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
	const size_t *origin, const size_t *region, size_t row, size_t slice, const void *pointer, cl_uint count,
	const cl_event *list, cl_event *event)
{
	(void)image, (void)blocking, (void)origin, (void)region, (void)row, (void)slice, (void)pointer, (void)count,
		(void)list, (void)event;
	return refuse_on(queue, CL_INVALID_MEM_OBJECT);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *colour,
	const size_t *origin, const size_t *region, cl_uint count, const cl_event *list, cl_event *event)
{
	(void)image, (void)colour, (void)origin, (void)region, (void)count, (void)list, (void)event;
	return refuse_on(queue, CL_INVALID_MEM_OBJECT);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
	const size_t *from_origin, const size_t *to_origin, const size_t *region, cl_uint count, const cl_event *list,
	cl_event *event)
{
	(void)from, (void)to, (void)from_origin, (void)to_origin, (void)region, (void)count, (void)list, (void)event;
	return refuse_on(queue, CL_INVALID_MEM_OBJECT);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
	const size_t *origin, const size_t *region, size_t offset, cl_uint count, const cl_event *list, cl_event *event)
{
	(void)from, (void)to, (void)origin, (void)region, (void)offset, (void)count, (void)list, (void)event;
	return refuse_on(queue, CL_INVALID_MEM_OBJECT);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
	const size_t *origin, const size_t *region, cl_uint count, const cl_event *list, cl_event *event)
{
	(void)from, (void)to, (void)offset, (void)origin, (void)region, (void)count, (void)list, (void)event;
	return refuse_on(queue, CL_INVALID_MEM_OBJECT);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
	cl_map_flags flags, const size_t *origin, const size_t *region, size_t *row, size_t *slice, cl_uint count,
	const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
	(void)image, (void)blocking, (void)flags, (void)origin, (void)region, (void)row, (void)slice, (void)count,
		(void)list, (void)event;
	if (errcode_ret)
		*errcode_ret = refuse_on(queue, CL_INVALID_MEM_OBJECT);
	return NULL;
}

/* ---- Samplers ---- */

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(
	cl_context context, const cl_sampler_properties *properties, cl_int *errcode_ret)
{
	(void)properties;
	return refuse_in(context, CL_INVALID_OPERATION, errcode_ret);
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
	cl_filter_mode filter, cl_int *errcode_ret)
{
	(void)normalized, (void)addressing, (void)filter;
	return refuse_in(context, CL_INVALID_OPERATION, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
	(void)sampler;
	return CL_INVALID_SAMPLER;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
	(void)sampler;
	return CL_INVALID_SAMPLER;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(
	cl_sampler sampler, cl_sampler_info name, size_t size, void *value, size_t *size_ret)
{
	(void)sampler, (void)name, (void)size, (void)value, (void)size_ret;
	return CL_INVALID_SAMPLER;
}

/* ---- Pipes: CL_DEVICE_PIPE_SUPPORT is false ---- */

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet, cl_uint packets,
	const cl_pipe_properties *properties, cl_int *errcode_ret)
{
	(void)flags, (void)packet, (void)packets, (void)properties;
	return refuse_in(context, CL_INVALID_OPERATION, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(
	cl_mem pipe, cl_pipe_info name, size_t size, void *value, size_t *size_ret)
{
	(void)pipe, (void)name, (void)size, (void)value, (void)size_ret;
	return CL_INVALID_MEM_OBJECT;
}

/* ---- OpenGL: there is no cl_khr_gl_sharing, but the loader has entry points for it ---- */

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLBuffer(
	cl_context context, cl_mem_flags flags, cl_GLuint object, cl_int *errcode_ret)
{
	(void)flags, (void)object;
	return refuse_in(context, CL_INVALID_OPERATION, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
	cl_GLint level, cl_GLuint texture, cl_int *errcode_ret)
{
	(void)flags, (void)target, (void)level, (void)texture;
	return refuse_in(context, CL_INVALID_OPERATION, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target,
	cl_GLint level, cl_GLuint texture, cl_int *errcode_ret)
{
	return clCreateFromGLTexture(context, flags, target, level, texture, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target,
	cl_GLint level, cl_GLuint texture, cl_int *errcode_ret)
{
	return clCreateFromGLTexture(context, flags, target, level, texture, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLRenderbuffer(
	cl_context context, cl_mem_flags flags, cl_GLuint buffer, cl_int *errcode_ret)
{
	(void)flags, (void)buffer;
	return refuse_in(context, CL_INVALID_OPERATION, errcode_ret);
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

CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireGLObjects(cl_command_queue queue, cl_uint memory_count,
	const cl_mem *memories, cl_uint count, const cl_event *list, cl_event *event)
{
	(void)memory_count, (void)memories, (void)count, (void)list, (void)event;
	return refuse_on(queue, CL_INVALID_GL_OBJECT);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseGLObjects(cl_command_queue queue, cl_uint memory_count,
	const cl_mem *memories, cl_uint count, const cl_event *list, cl_event *event)
{
	(void)memory_count, (void)memories, (void)count, (void)list, (void)event;
	return refuse_on(queue, CL_INVALID_GL_OBJECT);
}
