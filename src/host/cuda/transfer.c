/* Copies and fills: straight, in rectangles, to and from a module's variables. */
#include "host/cuda/objects.h"

#include <stdlib.h>
#include <string.h>

/* Rows of memory; a straight piece is one row. */
struct side {
	uint8_t *at;
	size_t pitch;
};

struct copy {
	struct side to, from;
	size_t width, height;
	uint8_t *staged; /* the application's bytes, taken when it called; null: they are read when the copy is made */
};

struct fill {
	struct side to;
	size_t width, height;
	uint32_t value, element; /* element: its bytes, which the width is a multiple of */
};

/* ---- Where pointers point ---- */

/* Bytes from the first to the last of a rectangle; false: more than there can be. */
static bool span_of(size_t pitch, size_t width, size_t height, size_t *span)
{
	if (height <= 1) {
		*span = width;
		return true;
	}
	return !__builtin_mul_overflow(pitch, height - 1, span) && !__builtin_add_overflow(*span, width, span);
}

enum where { ON_DEVICE, ON_HOST, ANYWHERE };

/* Managed and pinned memory is both the device's and the host's. */
static cudaError_t resolve(const void *pointer, size_t span, enum where where, uint8_t **at, enum cudaMemoryType *type)
{
	struct memory m;
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	*type = memory_find(address, &m) ? m.type : cudaMemoryTypeUnregistered;
	if (*type == cudaMemoryTypeUnregistered) {
		*at = (uint8_t *)(uintptr_t)pointer;
		return where == ON_DEVICE || !pointer ? cudaErrorInvalidValue : cudaSuccess;
	}
	if (where == ON_HOST && m.type == cudaMemoryTypeDevice)
		return cudaErrorInvalidValue;
	*at = m.contents + (address - m.address);
	return span <= m.bytes - (address - m.address) ? cudaSuccess : cudaErrorInvalidValue;
}

static const struct {
	enum where to, from;
} directions[] = {
	[cudaMemcpyHostToHost] = {ON_HOST, ON_HOST},
	[cudaMemcpyHostToDevice] = {ON_DEVICE, ON_HOST},
	[cudaMemcpyDeviceToHost] = {ON_HOST, ON_DEVICE},
	[cudaMemcpyDeviceToDevice] = {ON_DEVICE, ON_DEVICE},
	[cudaMemcpyDefault] = {ANYWHERE, ANYWHERE},
};

/* ---- Copies ---- */

static int32_t run_copy(struct command *command, uint64_t *nanoseconds)
{
	const struct copy *c = (const struct copy *)task_of(command)->work;
	for (size_t y = 0; y < c->height; y++)
		memmove(c->to.at + y * c->to.pitch, c->from.at + y * c->from.pitch, c->width);
	*nanoseconds = device_copy_time(c->width * c->height);
	return 0;
}

static void discard_copy(struct task *task)
{
	free(((struct copy *)task->work)->staged);
}

/* The application may change pageable memory as soon as an asynchronous copy from it has returned. */
static bool stage(struct copy *c)
{
	c->staged = malloc(c->width * c->height);
	if (!c->staged)
		return false;
	for (size_t y = 0; y < c->height; y++)
		memcpy(c->staged + y * c->width, c->from.at + y * c->from.pitch, c->width);
	c->from = (struct side){c->staged, c->width};
	return true;
}

static cudaError_t enqueue_copy(const struct copy *copy, struct cuda_stream *stream, bool waits, bool is_staged)
{
	struct task *task = task_new(stream, ENGINE_COPY, run_copy, sizeof *copy);
	if (!task)
		return cudaErrorMemoryAllocation;
	struct copy *c = (struct copy *)task->work;
	*c = *copy;
	task->discard = discard_copy;
	if (is_staged && !stage(c)) {
		task_discard(task);
		return cudaErrorMemoryAllocation;
	}
	return task_enqueue(task, waits);
}

static cudaError_t copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
	enum cudaMemcpyKind kind, cudaStream_t handle, bool waits)
{
	struct cuda_stream *stream = stream_of(handle);
	struct copy c = {.to.pitch = to_pitch, .from.pitch = from_pitch, .width = width, .height = height};
	size_t to_span, from_span;
	enum cudaMemoryType to_type, from_type;
	cudaError_t error = error_before();
	if (error)
		return error;
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if ((unsigned int)kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!width || !height)
		return cudaSuccess;
	if (height > 1 && (width > to_pitch || width > from_pitch))
		return cudaErrorInvalidPitchValue;
	if (!span_of(to_pitch, width, height, &to_span) || !span_of(from_pitch, width, height, &from_span))
		return cudaErrorInvalidValue;
	error = resolve(to, to_span, directions[kind].to, &c.to.at, &to_type);
	if (!error)
		error = resolve(from, from_span, directions[kind].from, &c.from.at, &from_type);
	if (error)
		return error;
	if (to_type == cudaMemoryTypeUnregistered)
		waits = true; /* the application may free it */
	return enqueue_copy(&c, stream, waits, !waits && from_type == cudaMemoryTypeUnregistered);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	return error_note(copy(to, bytes, from, bytes, bytes, 1, kind, NULL, true));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return error_note(copy(to, bytes, from, bytes, bytes, 1, kind, stream, false));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
	enum cudaMemcpyKind kind)
{
	return error_note(copy(to, to_pitch, from, from_pitch, width, height, kind, NULL, true));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return error_note(copy(to, to_pitch, from, from_pitch, width, height, kind, stream, false));
}

/* ---- Variables ---- */

static cudaError_t part_of(const void *symbol, size_t bytes, size_t offset, void **pointer)
{
	struct memory m;
	cudaError_t error = variable_find(symbol, &m);
	if (error)
		return error;
	*pointer = (void *)(uintptr_t)(m.address + offset);
	return offset <= m.bytes && bytes <= m.bytes - offset ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
	cudaStream_t stream, bool waits)
{
	void *to;
	cudaError_t error = part_of(symbol, bytes, offset, &to);
	if (!error && (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost))
		error = cudaErrorInvalidMemcpyDirection;
	return error_note(error ? error : copy(to, bytes, from, bytes, bytes, 1, kind, stream, waits));
}

static cudaError_t from_symbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
	cudaStream_t stream, bool waits)
{
	void *from;
	cudaError_t error = part_of(symbol, bytes, offset, &from);
	if (!error && (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice))
		error = cudaErrorInvalidMemcpyDirection;
	return error_note(error ? error : copy(to, bytes, from, bytes, bytes, 1, kind, stream, waits));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	return to_symbol(symbol, from, bytes, offset, kind, NULL, true);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
	cudaStream_t stream)
{
	return to_symbol(symbol, from, bytes, offset, kind, stream, false);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	return from_symbol(to, symbol, bytes, offset, kind, NULL, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
	cudaStream_t stream)
{
	return from_symbol(to, symbol, bytes, offset, kind, stream, false);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
	return error_note(pointer ? part_of(symbol, 0, 0, pointer) : cudaErrorInvalidValue);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
	struct memory m;
	cudaError_t error = bytes ? variable_find(symbol, &m) : cudaErrorInvalidValue;
	if (!error)
		*bytes = m.bytes;
	return error_note(error);
}

/* ---- Fills ---- */

static void fill_row(const struct fill *f, uint8_t *at)
{
	if (f->element == 1)
		memset(at, (int)f->value, f->width);
	else
		for (size_t x = 0; x < f->width; x += f->element)
			memcpy(at + x, &f->value, f->element); /* the low bytes */
}

static int32_t run_fill(struct command *command, uint64_t *nanoseconds)
{
	const struct fill *f = (const struct fill *)task_of(command)->work;
	for (size_t y = 0; y < f->height; y++)
		fill_row(f, f->to.at + y * f->to.pitch);
	*nanoseconds = device_copy_time(0); /* the device writes by itself */
	return 0;
}

/* A fill of device memory returns before it is done; of what the host sees, after. */
static cudaError_t fill(void *to, size_t pitch, uint32_t value, uint32_t element, size_t width, size_t height, cudaStream_t handle)
{
	struct cuda_stream *stream = stream_of(handle);
	struct fill f = {.to.pitch = pitch, .width = width, .height = height, .value = value, .element = element};
	size_t span;
	enum cudaMemoryType type;
	cudaError_t error = error_before();
	if (error)
		return error;
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!width || !height)
		return cudaSuccess;
	if (height > 1 && width > pitch)
		return cudaErrorInvalidPitchValue;
	if (!span_of(pitch, width, height, &span))
		return cudaErrorInvalidValue;
	error = resolve(to, span, ON_DEVICE, &f.to.at, &type);
	if (error)
		return error;
	struct task *task = task_new(stream, ENGINE_COPY, run_fill, sizeof f);
	if (!task)
		return cudaErrorMemoryAllocation;
	*(struct fill *)task->work = f;
	return task_enqueue(task, type != cudaMemoryTypeDevice);
}

cudaError_t fill_elements(void *to, uint32_t value, uint32_t element, size_t count, cudaStream_t stream)
{
	size_t bytes;
	if ((uintptr_t)to % element || __builtin_mul_overflow(count, (size_t)element, &bytes))
		return cudaErrorInvalidValue;
	return fill(to, bytes, value, element, bytes, 1, stream);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
	return error_note(fill(to, bytes, (uint32_t)value, 1, bytes, 1, NULL));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
	return error_note(fill(to, bytes, (uint32_t)value, 1, bytes, 1, stream));
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
	return error_note(fill(to, pitch, (uint32_t)value, 1, width, height, NULL));
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	return error_note(fill(to, pitch, (uint32_t)value, 1, width, height, stream));
}
