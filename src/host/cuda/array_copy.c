/* Copies from and to arrays, and boxes of three dimensions with or without them. */
#include "host/cuda/array.h"

#include <assert.h>
#include <string.h>

/* ---- Sides ---- */

bool array_side(struct side *side, const struct cuda_array *array, const size_t at[3], const size_t box[3])
{
	const struct lockstep_image_level *level = &array->image.level[0];
	const size_t size[3] = {level->width * element_bytes(array), level->height, level->depth};
	for (uint32_t k = 0; k < 3; k++)
		if (at[k] > size[k] || box[k] > size[k] - at[k])
			return false;
	side->pitch = level->row_bytes;
	side->slice = level->slice_bytes;
	side->pointer =
		(void *)(uintptr_t)(level->address + at[0] + at[1] * level->row_bytes + at[2] * level->slice_bytes);
	return true;
}

/* ---- Rectangles ---- */

cudaError_t array_copy(const struct way *way, const struct cuda_array *array, size_t x, size_t y, const void *memory,
	size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind, bool to_array)
{
	struct copy c = {.width = width, .height = height, .depth = 1, .kind = kind};
	struct side *other = to_array ? &c.from : &c.to;
	if (!array_known(array))
		return cudaErrorInvalidResourceHandle;
	if (kind == cudaMemcpyHostToHost || kind == (to_array ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
		return cudaErrorInvalidMemcpyDirection;
	if (!array_side(to_array ? &c.to : &c.from, array, (size_t[]){x, y, 0}, (size_t[]){width, height, 1}))
		return cudaErrorInvalidValue;
	other->pitch = pitch;
	other->pointer = (void *)(uintptr_t)memory;
	return copy_submit(&c, way->stream, way->waits);
}

static cudaError_t copy_array(cudaStream_t stream, cudaArray_t to, const size_t to_at[3], cudaArray_const_t from,
	const size_t from_at[3], const size_t box[3], enum cudaMemcpyKind kind)
{
	struct copy c = {.width = box[0], .height = box[1], .depth = 1, .kind = kind};
	if (!array_known(to) || !array_known(from))
		return cudaErrorInvalidResourceHandle;
	if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!array_side(&c.to, to, to_at, box) || !array_side(&c.from, from, from_at, box))
		return cudaErrorInvalidValue;
	return copy_submit(&c, stream, true);
}

#define ARRAY_TO_ARRAY(name, stream)                                                                                   \
	cudaError_t name(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,              \
		size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind)                                  \
	{                                                                                                              \
		const size_t to_at[3] = {to_x, to_y, 0}, from_at[3] = {from_x, from_y, 0},                             \
			     box[3] = {width, height, 1};                                                              \
		return error_note(copy_array(stream, to, to_at, from, from_at, box, kind));                            \
	}
ARRAY_TO_ARRAY(cudaMemcpy2DArrayToArray, NULL)
ARRAY_TO_ARRAY(cudaMemcpy2DArrayToArray_ptds, cudaStreamPerThread)

/* ---- Straight pieces, which go on in the next row: the rest of a row, whole rows, the beginning of one ---- */

struct piece {
	size_t x, y, width, height, offset; /* offset: bytes before it */
};

static uint32_t pieces_of(struct piece piece[3], const struct cuda_array *array, size_t x, size_t y, size_t bytes)
{
	size_t row = array->image.level[0].width * element_bytes(array), done = 0;
	uint32_t count = 0;
	while (bytes > done) {
		size_t left = bytes - done, width = x ? row - x : row;
		struct piece p = {x, y, width, x ? 1 : left / row, done};
		if (left < width)
			p.width = left, p.height = 1;
		done += p.width * p.height;
		x = 0;
		y += p.height;
		assert(count < 3 && p.width);
		piece[count++] = p;
	}
	return count;
}

cudaError_t array_copy_bytes(const struct way *way, const struct cuda_array *array, size_t x, size_t y,
	const void *memory, size_t bytes, enum cudaMemcpyKind kind, bool to_array)
{
	struct piece piece[3];
	cudaError_t error = array_known(array) ? cudaSuccess : cudaErrorInvalidResourceHandle;
	if (!error && x >= array->image.level[0].width * element_bytes(array))
		error = cudaErrorInvalidValue;
	uint32_t count = error ? 0 : pieces_of(piece, array, x, y, bytes);
	for (uint32_t k = 0; k < count && !error; k++)
		error = array_copy(way, array, piece[k].x, piece[k].y, (const char *)memory + piece[k].offset,
			piece[k].width, piece[k].width, piece[k].height, kind, to_array);
	return error;
}

/* ---- Boxes ---- */

/* Widths and positions count in an array's elements, where one takes part, in bytes elsewhere. */
static bool side_of(struct side *side, cudaArray_t array, const struct cudaPitchedPtr *memory,
	const struct cudaPos *pos, const size_t box[3])
{
	if (array)
		return array_side(side, array, (size_t[]){pos->x * element_bytes(array), pos->y, pos->z}, box);
	*side = side_of_memory(memory, pos);
	return true;
}

cudaError_t box_describe(struct copy *c, const struct cudaMemcpy3DParms *p)
{
	*c = (struct copy){.kind = p ? p->kind : cudaMemcpyDefault};
	if (!p || !p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr)
		return cudaErrorInvalidValue;
	if ((p->srcArray && !array_known(p->srcArray)) || (p->dstArray && !array_known(p->dstArray)))
		return cudaErrorInvalidResourceHandle;
	if (p->srcArray && p->dstArray && element_bytes(p->srcArray) != element_bytes(p->dstArray))
		return cudaErrorInvalidValue;
	if ((p->srcArray && (p->kind == cudaMemcpyHostToHost || p->kind == cudaMemcpyHostToDevice)) ||
		(p->dstArray && (p->kind == cudaMemcpyHostToHost || p->kind == cudaMemcpyDeviceToHost)))
		return cudaErrorInvalidMemcpyDirection;
	c->width = p->extent.width * (p->srcArray          ? element_bytes(p->srcArray)
					     : p->dstArray ? element_bytes(p->dstArray)
							   : 1);
	c->height = p->extent.height;
	c->depth = p->extent.depth;
	const size_t box[3] = {c->width, c->height, c->depth};
	bool good = side_of(&c->to, p->dstArray, &p->dstPtr, &p->dstPos, box) &&
		    side_of(&c->from, p->srcArray, &p->srcPtr, &p->srcPos, box);
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t box_copy(const struct way *way, const struct cudaMemcpy3DParms *p)
{
	struct copy c;
	cudaError_t error = box_describe(&c, p);
	return error ? error : copy_submit(&c, way->stream, way->waits);
}

cudaError_t box_copy_between(const struct way *way, const struct cudaMemcpy3DPeerParms *p)
{
	if (!p || p->srcDevice || p->dstDevice)
		return p ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	const struct cudaMemcpy3DParms box = {
		p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr, p->extent, cudaMemcpyDefault};
	return box_copy(way, &box);
}

/* ---- Pitched memory of three dimensions ---- */

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent)
{
	size_t rows, pitch;
	void *at;
	if (!memory || __builtin_mul_overflow(extent.height, extent.depth, &rows))
		return error_note(cudaErrorInvalidValue);
	cudaError_t error = cudaMallocPitch(&at, &pitch, extent.width, rows);
	if (!error)
		*memory = (struct cudaPitchedPtr){at, pitch, extent.width, extent.height};
	return error;
}

cudaError_t box_fill(const struct way *way, struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
	cudaError_t error = cudaSuccess;
	for (size_t z = 0; z < extent.depth && !error; z++)
		error = cudaMemset2DAsync((void *)((uintptr_t)to.ptr + z * to.pitch * to.ysize), to.pitch, value,
			extent.width, extent.height, way->stream);
	return error;
}
