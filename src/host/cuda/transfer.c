/* Copies and fills: straight, in rectangles, to and from a module's variables. */
#include "host/cuda/objects.h"

#include "host/cuda/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Where pointers point ---- */

/* Bytes from the first to the last of a box; false: more than there can be. */
static bool span_of(const struct side *side, size_t width, size_t height, size_t depth, size_t *span)
{
	assert(height && depth);
	size_t rows, slices;
	return !__builtin_mul_overflow(side->pitch, height - 1, &rows) &&
	       !__builtin_mul_overflow(side->slice, depth - 1, &slices) &&
	       !__builtin_add_overflow(rows, slices, span) && !__builtin_add_overflow(*span, width, span);
}

enum where { ON_DEVICE, ON_HOST, ANYWHERE };

/* Managed and pinned memory is both the device's and the host's. */
static cudaError_t resolve(struct side *side, size_t span, enum where where)
{
	struct memory m;
	uint64_t address = (uint64_t)(uintptr_t)side->pointer;
	side->type = memory_find(address, &m) ? m.type : cudaMemoryTypeUnregistered;
	if (side->type == cudaMemoryTypeUnregistered) {
		side->at = side->pointer;
		return where == ON_DEVICE || !side->pointer ? cudaErrorInvalidValue : cudaSuccess;
	}
	if (where == ON_HOST && m.type == cudaMemoryTypeDevice)
		return cudaErrorInvalidValue;
	side->at = m.contents + (address - m.address);
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

static struct host_box box_of(const struct copy *c, const struct side *side)
{
	return (struct host_box){.at = side->at,
		.width = c->width,
		.height = c->height,
		.depth = c->depth,
		.row = side->pitch,
		.slice = side->slice};
}

void copy_watch(struct task *task)
{
	const struct copy *c = (const struct copy *)task->work;
	struct host_box from = box_of(c, &c->from);
	if (c->from.type == cudaMemoryTypeHost || c->from.type == cudaMemoryTypeManaged)
		host_race_source(&task->command, c->call, &from);
}

static int32_t run_copy(struct command *command, uint64_t *nanoseconds)
{
	const struct copy *c = (const struct copy *)task_of(command)->work;
	const char *call = c->call ? c->call : "a copy of a graph";
	struct host_box to = box_of(c, &c->to), from = box_of(c, &c->from);
	host_race_copies(command);
	if (!c->staged)
		host_race_box(command, call, &from, false);
	host_race_box(command, call, &to, true);
	if (c->to.type != cudaMemoryTypeUnregistered || !device_lost_host_memory())
		device_copy(&to, &from);
	*nanoseconds = device_copy_time(c->width * c->height * c->depth);
	return 0;
}

static void discard_copy(void *work)
{
	free(((struct copy *)work)->staged);
}

/* The application may change pageable memory as soon as an asynchronous copy from it has returned. */
static bool stage(struct copy *c)
{
	const struct host_box from = box_of(c, &c->from);
	c->staged = malloc(c->width * c->height * c->depth);
	if (!c->staged)
		return false;
	c->from.at = c->staged;
	c->from.pitch = c->width;
	c->from.slice = c->width * c->height;
	const struct host_box packed = box_of(c, &c->from);
	device_copy(&packed, &from);
	return true;
}

/* A copy of several rows is not described further. */
static void copy_queued(const void *work, struct arena *arena, struct lockstep_queued *queued)
{
	const struct copy *c = work;
	(void)arena;
	if (c->height * c->depth != 1 || c->to.type == cudaMemoryTypeUnregistered)
		return;
	queued->what = c->call ? c->call : "a copy of a graph";
	queued->address = (uint64_t)(uintptr_t)c->to.pointer;
	queued->bytes = c->width;
	queued->contents = c->staged ? c->staged : c->from.at;
}

/* What is staged stays with the task: nodes of graphs have nothing staged. */
const struct work_kind copy_kind = {.bytes = sizeof(struct copy),
	.node = cudaGraphNodeTypeMemcpy,
	.engine = ENGINE_COPY,
	.run = run_copy,
	.queued = copy_queued,
	.discard = discard_copy};

cudaError_t copy_resolve(struct copy *c)
{
	size_t to_span, from_span;
	if ((unsigned int)c->kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!c->width || !c->height || !c->depth)
		return cudaSuccess;
	if (c->height * c->depth > 1 && (c->width > c->to.pitch || c->width > c->from.pitch))
		return cudaErrorInvalidPitchValue;
	if (!span_of(&c->to, c->width, c->height, c->depth, &to_span) ||
		!span_of(&c->from, c->width, c->height, c->depth, &from_span))
		return cudaErrorInvalidValue;
	cudaError_t error = resolve(&c->to, to_span, directions[c->kind].to);
	return error ? error : resolve(&c->from, from_span, directions[c->kind].from);
}

cudaError_t copy_submit(struct copy *c, cudaStream_t handle, bool waits)
{
	struct cuda_stream *stream = stream_of(handle);
	cudaError_t error = waits ? unsafe_before() : error_before();
	if (error)
		return error;
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!c->call)
		c->call = waits ? "cudaMemcpy..." : "cudaMemcpy...Async";
	error = copy_resolve(c);
	if (error || !c->width || !c->height || !c->depth)
		return error;
	if (c->to.type == cudaMemoryTypeUnregistered && !stream->capture)
		waits = true; /* the application may free it */
	if (!waits && c->from.type == cudaMemoryTypeUnregistered && !stream->capture && !stage(c))
		return cudaErrorMemoryAllocation;
	return work_submit(stream, &copy_kind, c, waits);
}

cudaError_t copy_rectangle(const struct way *way, void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct copy c = {.call = way->call,
		.to = {.pointer = to, .pitch = to_pitch},
		.from = {.pointer = (void *)(uintptr_t)from, .pitch = from_pitch},
		.width = width,
		.height = height,
		.depth = 1,
		.kind = kind};
	return copy_submit(&c, way->stream, way->waits);
}

/* There is one device. */
cudaError_t copy_between_devices(
	const struct way *way, void *to, int to_device, const void *from, int from_device, size_t bytes)
{
	if (to_device || from_device)
		return cudaErrorInvalidDevice;
	return copy_rectangle(way, to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice);
}

/* ---- Variables ---- */

cudaError_t variable_part(const void *symbol, size_t bytes, size_t offset, void **pointer)
{
	struct memory m;
	cudaError_t error = variable_find(symbol, &m);
	if (error)
		return error;
	*pointer = (void *)(uintptr_t)(m.address + offset);
	return offset <= m.bytes && bytes <= m.bytes - offset ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t copy_symbol(const struct way *way, const void *symbol, const void *memory, size_t bytes, size_t offset,
	enum cudaMemcpyKind kind, bool to_symbol)
{
	void *at, *other = (void *)(uintptr_t)memory;
	cudaError_t error = variable_part(symbol, bytes, offset, &at);
	if (!error &&
		(kind == cudaMemcpyHostToHost || kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice)))
		error = cudaErrorInvalidMemcpyDirection;
	return error ? error
		     : copy_rectangle(
			       way, to_symbol ? at : other, bytes, to_symbol ? other : at, bytes, bytes, 1, kind);
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

static int32_t run_fill(struct command *command, uint64_t *nanoseconds)
{
	const struct fill *f = (const struct fill *)task_of(command)->work;
	host_race_box(command, f->call ? f->call : "a fill of a graph",
		&(struct host_box){
			.at = f->to.at, .width = f->width, .height = f->height, .depth = 1, .row = f->to.pitch},
		true);
	for (size_t y = 0; y < f->height; y++) /* the low bytes of the value */
		lockstep_fill(device_get()->gpu, f->to.at + y * f->to.pitch, f->width, &f->value, f->element);
	*nanoseconds = device_copy_time(0); /* the device writes by itself */
	return 0;
}

#define MOST_FILLED 4096 /* bytes that are worked out for an explanation */

static void fill_queued(const void *work, struct arena *arena, struct lockstep_queued *queued)
{
	const struct fill *f = work;
	uint8_t *contents = f->width <= MOST_FILLED ? arena_alloc(arena, f->width) : NULL;
	if (f->height != 1)
		return;
	for (size_t at = 0; contents && at < f->width; at++)
		contents[at] = ((const uint8_t *)&f->value)[at % f->element];
	queued->what = f->call ? f->call : "a fill of a graph";
	queued->address = (uint64_t)(uintptr_t)f->to.pointer;
	queued->bytes = f->width;
	queued->contents = contents;
}

const struct work_kind fill_kind = {.bytes = sizeof(struct fill),
	.node = cudaGraphNodeTypeMemset,
	.engine = ENGINE_COPY,
	.run = run_fill,
	.queued = fill_queued};

cudaError_t fill_resolve(struct fill *f)
{
	size_t span;
	if (!f->width || !f->height)
		return cudaSuccess;
	if (f->height > 1 && f->width > f->to.pitch)
		return cudaErrorInvalidPitchValue;
	if (!span_of(&f->to, f->width, f->height, 1, &span))
		return cudaErrorInvalidValue;
	return resolve(&f->to, span, ON_DEVICE);
}

/* A fill of device memory returns before it is done; of what the host sees, after. */
cudaError_t fill_rectangle(
	const struct way *way, void *to, size_t pitch, uint32_t value, uint32_t element, size_t width, size_t height)
{
	struct cuda_stream *stream;
	struct fill f = {.call = way->call,
		.to = {.pointer = to, .pitch = pitch},
		.width = width,
		.height = height,
		.value = value,
		.element = element};
	cudaError_t error = stream_find(way->stream, &stream);
	if (!error)
		error = fill_resolve(&f);
	if (error || !width || !height)
		return error;
	return work_submit(stream, &fill_kind, &f, f.to.type != cudaMemoryTypeDevice && !stream->capture);
}

cudaError_t fill_elements(void *to, uint32_t value, uint32_t element, size_t count, cudaStream_t stream)
{
	size_t bytes;
	if ((uintptr_t)to % element || __builtin_mul_overflow(count, (size_t)element, &bytes))
		return cudaErrorInvalidValue;
	return fill_rectangle(&(struct way){"cuMemset...", stream, false}, to, bytes, value, element, bytes, 1);
}
