/* Copies from and to arrays, and boxes of three dimensions with or without them. */
#include "host/cuda/array.h"

#include <string.h>

/* ---- Sides ---- */

static size_t element_bytes(const struct cuda_array *array)
{
	return (size_t)array->image.channels * array->image.channel_bits / 8;
}

bool array_side(
	struct side *side, void **pointer, const struct cuda_array *array, const size_t at[3], const size_t box[3])
{
	const struct lockstep_image_level *level = &array->image.level[0];
	const size_t size[3] = {level->width * element_bytes(array), level->height, level->depth};
	for (uint32_t k = 0; k < 3; k++)
		if (at[k] > size[k] || box[k] > size[k] - at[k])
			return false;
	side->pitch = level->row_bytes;
	side->slice = level->slice_bytes;
	*pointer = (void *)(uintptr_t)(level->address + at[0] + at[1] * level->row_bytes + at[2] * level->slice_bytes);
	return true;
}

/* ---- Rectangles ---- */

static cudaError_t rectangle_to(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
	size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
	struct copy c = {
		.from.pitch = pitch, .from_pointer = from, .width = width, .height = height, .depth = 1, .kind = kind};
	if (!array_known(to))
		return cudaErrorInvalidResourceHandle;
	if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
		return cudaErrorInvalidMemcpyDirection;
	if (!array_side(&c.to, &c.to_pointer, to, (size_t[]){x, y, 0}, (size_t[]){width, height, 1}))
		return cudaErrorInvalidValue;
	return copy_submit(&c, stream, waits);
}

static cudaError_t rectangle_from(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
	size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
	struct copy c = {
		.to.pitch = pitch, .to_pointer = to, .width = width, .height = height, .depth = 1, .kind = kind};
	void *at;
	if (!array_known(from))
		return cudaErrorInvalidResourceHandle;
	if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
		return cudaErrorInvalidMemcpyDirection;
	if (!array_side(&c.from, &at, from, (size_t[]){x, y, 0}, (size_t[]){width, height, 1}))
		return cudaErrorInvalidValue;
	c.from_pointer = at;
	return copy_submit(&c, stream, waits);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
	size_t height, enum cudaMemcpyKind kind)
{
	return error_note(rectangle_to(to, x, y, from, pitch, width, height, kind, NULL, true));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
	size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return error_note(rectangle_to(to, x, y, from, pitch, width, height, kind, stream, false));
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
	size_t height, enum cudaMemcpyKind kind)
{
	return error_note(rectangle_from(to, pitch, from, x, y, width, height, kind, NULL, true));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
	size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return error_note(rectangle_from(to, pitch, from, x, y, width, height, kind, stream, false));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
	size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct copy c = {.width = width, .height = height, .depth = 1, .kind = kind};
	const size_t box[3] = {width, height, 1};
	void *at;
	if (!array_known(to) || !array_known(from))
		return error_note(cudaErrorInvalidResourceHandle);
	if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return error_note(cudaErrorInvalidMemcpyDirection);
	if (!array_side(&c.to, &c.to_pointer, to, (size_t[]){to_x, to_y, 0}, box) ||
		!array_side(&c.from, &at, from, (size_t[]){from_x, from_y, 0}, box))
		return error_note(cudaErrorInvalidValue);
	c.from_pointer = at;
	return error_note(copy_submit(&c, NULL, true));
}

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
		piece[count++] = p;
	}
	return count;
}

static cudaError_t straight_to(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
	enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
	struct piece piece[3];
	cudaError_t error = array_known(to) ? cudaSuccess : cudaErrorInvalidResourceHandle;
	if (!error && x >= to->image.level[0].width * element_bytes(to))
		error = cudaErrorInvalidValue;
	uint32_t count = error ? 0 : pieces_of(piece, to, x, y, bytes);
	for (uint32_t k = 0; k < count && !error; k++)
		error = rectangle_to(to, piece[k].x, piece[k].y, (const char *)from + piece[k].offset, piece[k].width,
			piece[k].width, piece[k].height, kind, stream, waits);
	return error_note(error);
}

static cudaError_t straight_from(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
	enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
	struct piece piece[3];
	cudaError_t error = array_known(from) ? cudaSuccess : cudaErrorInvalidResourceHandle;
	if (!error && x >= from->image.level[0].width * element_bytes(from))
		error = cudaErrorInvalidValue;
	uint32_t count = error ? 0 : pieces_of(piece, from, x, y, bytes);
	for (uint32_t k = 0; k < count && !error; k++)
		error = rectangle_from((char *)to + piece[k].offset, piece[k].width, from, piece[k].x, piece[k].y,
			piece[k].width, piece[k].height, kind, stream, waits);
	return error_note(error);
}

cudaError_t cudaMemcpyToArray(
	cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	return straight_to(to, x, y, from, bytes, kind, NULL, true);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return straight_to(to, x, y, from, bytes, kind, stream, false);
}

cudaError_t cudaMemcpyFromArray(
	void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind)
{
	return straight_from(to, from, x, y, bytes, kind, NULL, true);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return straight_from(to, from, x, y, bytes, kind, stream, false);
}

/* ---- Boxes ---- */

/* Widths and positions count in an array's elements, where one takes part, in bytes elsewhere. */
static bool side_of(struct side *side, void **pointer, cudaArray_t array, const struct cudaPitchedPtr *memory,
	const struct cudaPos *pos, const size_t box[3])
{
	if (array)
		return array_side(side, pointer, array, (size_t[]){pos->x * element_bytes(array), pos->y, pos->z}, box);
	side->pitch = memory->pitch;
	side->slice = memory->pitch * memory->ysize;
	*pointer = (char *)memory->ptr + pos->z * side->slice + pos->y * side->pitch + pos->x;
	return true;
}

static cudaError_t box_copy(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool waits)
{
	struct copy c = {.kind = p ? p->kind : cudaMemcpyDefault};
	void *from;
	if (!p || !p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr)
		return cudaErrorInvalidValue;
	if ((p->srcArray && !array_known(p->srcArray)) || (p->dstArray && !array_known(p->dstArray)))
		return cudaErrorInvalidResourceHandle;
	if (p->srcArray && p->dstArray && element_bytes(p->srcArray) != element_bytes(p->dstArray))
		return cudaErrorInvalidValue;
	if ((p->srcArray && (p->kind == cudaMemcpyHostToHost || p->kind == cudaMemcpyHostToDevice)) ||
		(p->dstArray && (p->kind == cudaMemcpyHostToHost || p->kind == cudaMemcpyDeviceToHost)))
		return cudaErrorInvalidMemcpyDirection;
	c.width = p->extent.width * (p->srcArray          ? element_bytes(p->srcArray)
					    : p->dstArray ? element_bytes(p->dstArray)
							  : 1);
	c.height = p->extent.height;
	c.depth = p->extent.depth;
	const size_t box[3] = {c.width, c.height, c.depth};
	if (!side_of(&c.to, &c.to_pointer, p->dstArray, &p->dstPtr, &p->dstPos, box) ||
		!side_of(&c.from, &from, p->srcArray, &p->srcPtr, &p->srcPos, box))
		return cudaErrorInvalidValue;
	c.from_pointer = from;
	return copy_submit(&c, stream, waits);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
	return error_note(box_copy(parameters, NULL, true));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
	return error_note(box_copy(parameters, stream, false));
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

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream)
{
	cudaError_t error = cudaSuccess;
	for (size_t z = 0; z < extent.depth && !error; z++)
		error = cudaMemset2DAsync((void *)((uintptr_t)to.ptr + z * to.pitch * to.ysize), to.pitch, value,
			extent.width, extent.height, stream);
	return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
	return cudaMemset3DAsync(to, value, extent, NULL);
}
