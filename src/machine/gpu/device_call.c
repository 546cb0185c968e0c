/* Calls of CUDA's device runtime: made by warps, served between quanta in order of cycle, core and lane.
 *
 * A call takes device.call cycles, or what the model says of it; the warp goes on then, at the earliest when the
 * quantum is over.  Before a launch all that the work-group has written is in memory, where the child finds it.  A warp
 * that waits for what its group has launched goes on device.call cycles after the end of that, and reads then what that
 * has written.  CUDA C++ Programming Guide, "CUDA Dynamic Parallelism". */
#include "machine/gpu/children.h"

#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/fence.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/lsu/access.h"
#include "machine/lsu/library_call.h"
#include "machine/observe/watch.h"
#include "machine/runtime/held_call.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

/* A call of one lane. */
struct lane_call {
	struct core *core;
	struct warp_slot *slot;
	const struct insn *insn;
	const struct insn_extra *extra;
	struct family *family;
	uint32_t lane;
	uint64_t end; /* cycle in which it is over */
};

static uint64_t argument(const struct lane_call *c, uint32_t k)
{
	assert(k < c->extra->argument_count);
	return library_argument(&c->slot->warp, &c->extra->arguments[k], c->lane);
}

static void read_sizes(const struct lane_call *c, uint32_t k, uint32_t sizes[3])
{
	const struct warp *w = &c->slot->warp;

	assert(k < c->extra->argument_count);
	access_local_read(w, c->lane, w->stack_base + c->extra->arguments[k].from, sizes, 12);
}

static struct gpu *gpu_of(const struct lane_call *c)
{
	return c->core->machine->gpu;
}

/* ---- Memory of the caller's ---- */

static void tell(const struct lane_call *c, uint8_t space, uint64_t address, uint32_t bytes)
{
	observe_moves(c->core, c->slot, c->insn, c->lane, space, address, bytes, true);
}

/* Stores a result of 4 or 8 bytes where the first argument asks for it, or finds a fault. */
static uint32_t put(const struct lane_call *c, uint64_t value, uint32_t bytes)
{
	const struct warp *w = &c->slot->warp;
	uint64_t address = argument(c, 0);

	assert(bytes == 4 || bytes == 8);
	if (address >= GLOBAL_BASE && space_find(c->core->machine->space, address, bytes)) {
		tell(c, space_GLOBAL, address, bytes);
		memcpy(space_host(c->core->machine->space, address), &value, bytes);
		fence_acquire(c->core, &(struct l1_fence){.scope = L1_SCOPE_WIDE});
	} else if (address - SHARED_BASE < w->shared_bytes && address - SHARED_BASE + bytes <= w->shared_bytes) {
		tell(c, space_SHARED, address - SHARED_BASE, bytes);
		memcpy(w->shared + (address - SHARED_BASE), &value, bytes);
	} else if (address - LOCAL_BASE < w->local_bytes && address - LOCAL_BASE + bytes <= w->local_bytes) {
		tell(c, space_LOCAL, address - LOCAL_BASE, bytes);
		access_local_write(w, c->lane, (uint32_t)(address - LOCAL_BASE), &value, bytes);
	} else {
		core_fault(c->core, c->slot, c->insn, c->lane, FAULT_address,
			"the device runtime cannot store %u bytes at 0x%llx: the thread has no memory there", bytes,
			(unsigned long long)address);
	}
	return DEVICE_SUCCESS;
}

/* ---- Errors ---- */

static uint16_t *error_of(const struct lane_call *c)
{
	struct child_block *block = children_block(c->family, c->slot->group->number);

	if (!block->errors)
		block->errors = arena_new_array(&c->family->launch->arena, uint16_t, c->slot->group->threads);
	assert(c->slot->warp.first_thread + c->lane < c->slot->group->threads);
	return &block->errors[c->slot->warp.first_thread + c->lane];
}

static uint32_t last_error(const struct lane_call *c, bool forget)
{
	const struct child_block *block = c->family->blocks[c->slot->group->number];
	uint16_t error;

	assert(c->slot->group->number < c->family->launch->total_groups);
	if (!block || !block->errors)
		return DEVICE_SUCCESS;
	error = *error_of(c);
	if (forget)
		*error_of(c) = DEVICE_SUCCESS;
	return error;
}

/* ---- Launches ----
 *
 * cudaGetParameterBufferV2 gives a buffer for the parameters, the kernel stores them there, and cudaLaunchDeviceV2
 * takes it back.  Or cudaGetParameterBuffer and cudaLaunchDevice: then of the grid only the size of the parameters is
 * kept with the buffer. */

struct device_buffer {
	uint64_t address;
	struct child_grid grid;
};

struct device_buffers {
	VECTOR(struct device_buffer) given; /* and not taken back */
};

static uint32_t buffers_given(const struct gpu *gpu)
{
	return gpu->device.buffers ? gpu->device.buffers->given.count : 0;
}

/* What is wrong with the grid. */
static uint32_t check_grid(const struct lane_call *c, struct child_grid *grid)
{
	const char *why = NULL;

	switch (gpu_of(c)->device.check_child(gpu_of(c), c->family->launch, grid, &why)) {
	case CHILD_GOOD: return DEVICE_SUCCESS;
	case CHILD_NO_KERNEL: return DEVICE_ERROR_FUNCTION;
	case CHILD_BAD_SHAPE: return DEVICE_ERROR_CONFIGURATION;
	case CHILD_NO_ROOM: return DEVICE_ERROR_RESOURCES;
	case CHILD_NOT_SUPPORTED: break;
	}
	assert(why);
	core_fault(c->core, c->slot, c->insn, c->lane, FAULT_launch, "a launch from the GPU: %s", why);
	return DEVICE_ERROR_SUPPORT;
}

/* Whether one more can be launched. */
static uint32_t check_room(const struct lane_call *c)
{
	uint32_t waiting = c->core->machine->children.pending + buffers_given(gpu_of(c));

	assert(c->core->machine->children.unbegun <= c->core->machine->children.pending);
	return waiting >= gpu_of(c)->device.pending ? DEVICE_ERROR_PENDING : DEVICE_SUCCESS;
}

/* A buffer of so many bytes for the grid's parameters, which are 0 so far, unless there is an error; the grid is kept
 * with it.  0: there is none. */
static uint64_t give_buffer(const struct lane_call *c, const struct child_grid *grid, uint64_t bytes, uint32_t error)
{
	struct gpu *gpu = gpu_of(c);
	uint64_t address = 0;

	assert(!grid->parameters);
	if (!error && bytes <= UINT32_MAX)
		address = space_allocate(&gpu->space, bytes ? bytes : 1, "parameters of a launch from the GPU");
	if (!address) {
		*error_of(c) = (uint16_t)(error ? error : DEVICE_ERROR_MEMORY);
		return 0;
	}
	assert(grid->parameter_bytes == bytes);
	if (!gpu->device.buffers)
		gpu->device.buffers = arena_new(gpu->arena, struct device_buffers);
	*vector_push(gpu->arena, &gpu->device.buffers->given) = (struct device_buffer){address, *grid};
	observe_gives(c->core, c->slot, address, bytes);
	observe_parameters(c->core, c->slot, c->lane, address, false);
	return address;
}

static uint64_t get_buffer(const struct lane_call *c)
{
	struct child_grid grid = {.function = argument(c, 0), .shared_bytes = (uint32_t)argument(c, 3)};
	uint32_t error;

	read_sizes(c, 1, grid.grid);
	read_sizes(c, 2, grid.block);
	error = grid.function < CHILD_OWN_END ? DEVICE_ERROR_FUNCTION : check_grid(c, &grid);
	return give_buffer(c, &grid, grid.parameter_bytes, error ? error : check_room(c));
}

static bool is_named(uint64_t handle)
{
	return handle == STREAM_TAIL || handle == STREAM_FORGET;
}

/* The stream of a handle; null: there is none, or it is one of the named streams. */
static struct child_stream *stream_of(const struct lane_call *c, uint64_t handle)
{
	return is_named(handle) ? NULL : children_stream(c->family, c->slot->group->number, handle);
}

/* Into the stream of a handle. */
static uint32_t enqueue(const struct lane_call *c, const struct child_grid *grid, uint64_t handle)
{
	struct child_stream *stream = stream_of(c, handle);

	assert(grid->parameters);
	if (!is_named(handle) && !stream)
		return DEVICE_ERROR_HANDLE;
	observe_launches(c->core, c->slot, c->lane,
		children_launch(c->family, c->slot->group->number, stream, handle == STREAM_TAIL, grid, c->end));
	return DEVICE_SUCCESS;
}

static void bad_buffer(const struct lane_call *c, uint64_t buffer, const char *what)
{
	core_fault(c->core, c->slot, c->insn, c->lane, FAULT_launch, "cudaLaunchDevice of 0x%llx, which %s",
		(unsigned long long)buffer, what);
}

/* The grid of a buffer, and its parameters, with which the lane has filled it; the memory is free then.  False: a
 * fault, as it is no buffer that was given and not taken back. */
static bool take_back(const struct lane_call *c, uint64_t buffer, struct child_grid *grid)
{
	struct gpu *gpu = gpu_of(c);
	struct device_buffers *buffers = gpu->device.buffers;
	uint32_t k = buffers_given(gpu);
	uint8_t *parameters;

	while (k && buffers->given.at[k - 1].address != buffer) /* mostly one of the last */
		k--;
	if (!k) {
		bad_buffer(c, buffer, "cudaGetParameterBuffer did not return, or which was launched before");
		return false;
	}
	*grid = buffers->given.at[k - 1].grid;
	assert(!grid->parameters);
	buffers->given.at[k - 1] = buffers->given.at[--buffers->given.count];
	parameters = arena_array(&c->family->launch->arena, grid->parameter_bytes + 1, 1);
	memcpy(parameters, space_host(&gpu->space, buffer), grid->parameter_bytes);
	grid->parameters = parameters;
	space_free(&gpu->space, buffer);
	observe_parameters(c->core, c->slot, c->lane, buffer, true);
	return true;
}

static uint32_t launch(const struct lane_call *c)
{
	struct child_grid grid;

	return take_back(c, argument(c, 0), &grid) ? enqueue(c, &grid, argument(c, 1)) : DEVICE_ERROR_VALUE;
}

/* ---- Launches as they were before cudaGetParameterBufferV2 ---- */

static uint64_t get_old_buffer(const struct lane_call *c)
{
	uint64_t bytes = argument(c, 1);

	return give_buffer(c, &(struct child_grid){.parameter_bytes = (uint32_t)bytes}, bytes, check_room(c));
}

static uint32_t old_launch(const struct lane_call *c)
{
	struct child_grid given = {.parameters = ""},
			  grid = {.function = argument(c, 0), .shared_bytes = (uint32_t)argument(c, 4)};
	uint64_t buffer = argument(c, 1);
	uint32_t error;

	read_sizes(c, 2, grid.grid);
	read_sizes(c, 3, grid.block);
	if (buffer && !take_back(c, buffer, &given))
		return DEVICE_ERROR_VALUE;
	error = grid.function < CHILD_OWN_END ? DEVICE_ERROR_FUNCTION : check_room(c);
	if (!error)
		error = check_grid(c, &grid);
	if (!error && grid.parameter_bytes > given.parameter_bytes) {
		bad_buffer(c, buffer, "is smaller than the kernel's parameters");
		error = DEVICE_ERROR_VALUE;
	}
	grid.parameters = given.parameters;
	assert(error || grid.parameter_bytes <= given.parameter_bytes);
	return error ? error : enqueue(c, &grid, argument(c, 5));
}

#define OWN_THREADS 256 /* of a group of the kernels below; no model has less */

/* A copy or a fill, a thread for each byte, or each word where all is aligned to that. */
static uint32_t move(const struct lane_call *c, enum child_own bytewise, uint64_t to, uint64_t what, uint64_t bytes,
	uint64_t handle, bool aligned)
{
	uint64_t *parameters = arena_new_array(&c->family->launch->arena, uint64_t, 3);
	uint64_t count = aligned ? bytes / 4 : bytes, groups = (count + OWN_THREADS - 1) / OWN_THREADS;
	struct child_grid grid = {.function = bytewise + (aligned ? 1u : 0u),
		.grid = {(uint32_t)groups, 1, 1},
		.block = {OWN_THREADS, 1, 1},
		.parameters = parameters};
	uint32_t error = check_room(c);

	assert(!aligned || bytes % 4 == 0);
	if (!bytes || error)
		return error;
	parameters[0] = to;
	parameters[1] = what;
	parameters[2] = count;
	if (groups > UINT32_MAX)
		return DEVICE_ERROR_VALUE;
	error = check_grid(c, &grid);
	return error ? error : enqueue(c, &grid, handle);
}

static uint32_t copy(const struct lane_call *c)
{
	uint64_t to = argument(c, 0), from = argument(c, 1), bytes = argument(c, 2);
	uint32_t kind = (uint32_t)argument(c, 3);

	if (kind != 3 && kind != 4) /* cudaMemcpyDeviceToDevice, cudaMemcpyDefault */
		return DEVICE_ERROR_DIRECTION;
	return move(c, CHILD_COPY_BYTES, to, from, bytes, argument(c, 4), !((to | from | bytes) % 4));
}

static uint32_t fill(const struct lane_call *c)
{
	uint64_t to = argument(c, 0), bytes = argument(c, 2), with = argument(c, 1) & 0xff;

	assert(with * 0x01010101 <= UINT32_MAX);
	return move(c, CHILD_FILL_BYTES, to, with * 0x01010101, bytes, argument(c, 3), !((to | bytes) % 4));
}

/* ---- Waiting ---- */

/* All that the group has launched has ended, or it is too deep for waiting. */
static uint32_t wait(const struct lane_call *c)
{
	assert(c->family->launch->kernel->uses.device_wait);
	if (!children_may_wait(gpu_of(c), c->family->depth))
		return DEVICE_ERROR_SYNC_DEPTH;
	fence_acquire(c->core, &(struct l1_fence){.scope = L1_SCOPE_WIDE});
	return DEVICE_SUCCESS;
}

/* Whether the call lasts until something has ended. */
static bool begins_to_wait(struct core *core, const struct held_call *of)
{
	struct family *family = of->slot->core_launch->launch->family;
	const struct child *over;

	assert(!(of->lanes & ~of->slot->warp.path->active));
	if (of->insn->component != DEVICE_WAIT || !of->lanes || !children_may_wait(core->machine->gpu, family->depth))
		return false;
	if (children_await(family, core, of))
		return true;
	over = children_block(family, of->slot->group->number)->ended;
	if (over)
		observe_awaited(core, of->slot, of->lanes, over);
	return false;
}

/* ---- Streams and events ---- */

static uint32_t create_stream(const struct lane_call *c)
{
	if ((uint32_t)argument(c, 1) != 1) /* cudaStreamNonBlocking: others the device does not have */
		return DEVICE_ERROR_VALUE;
	return put(c, children_new_stream(c->family), 8);
}

static uint32_t destroy_stream(const struct lane_call *c)
{
	uint64_t handle = argument(c, 0);
	struct child_stream *stream = stream_of(c, handle);

	assert(!stream || stream->open);
	if (!stream || handle < STREAM_TAIL)
		return DEVICE_ERROR_HANDLE;
	stream->open = false; /* what is in it goes on */
	return DEVICE_SUCCESS;
}

static uint32_t create_event(const struct lane_call *c)
{
	if ((uint32_t)argument(c, 1) != 2) /* cudaEventDisableTiming: likewise */
		return DEVICE_ERROR_VALUE;
	return put(c, children_new_event(c->family), 8);
}

static uint32_t on_event(const struct lane_call *c, uint64_t event_handle, uint64_t stream_handle, bool waits)
{
	struct child_event *event = children_event(c->family, event_handle);
	struct child_stream *stream = stream_of(c, stream_handle);

	assert(!event || event->open);
	assert(!stream || stream->open);
	if (!event || !stream)
		return DEVICE_ERROR_HANDLE;
	if (waits)
		children_wait(c->family, stream, event);
	else
		event->recorded = stream->last;
	return DEVICE_SUCCESS;
}

static uint32_t destroy_event(const struct lane_call *c)
{
	struct child_event *event = children_event(c->family, argument(c, 0));

	if (!event)
		return DEVICE_ERROR_HANDLE;
	event->open = false;
	return DEVICE_SUCCESS;
}

/* ---- Memory ---- */

static uint32_t allocate(const struct lane_call *c)
{
	uint64_t bytes = argument(c, 1), address = heap_allocate(&gpu_of(c)->heap, bytes);

	if (!address)
		return DEVICE_ERROR_MEMORY;
	observe_gives(c->core, c->slot, address, bytes);
	return put(c, address, 8);
}

static uint32_t release(const struct lane_call *c)
{
	uint64_t address = argument(c, 0);

	if (address && !heap_free(&gpu_of(c)->heap, address))
		core_fault(c->core, c->slot, c->insn, c->lane, FAULT_heap,
			"cudaFree of 0x%llx, which cudaMalloc or malloc did not return on the GPU",
			(unsigned long long)address);
	return DEVICE_SUCCESS;
}

/* ---- The device ---- */

static uint32_t get_attribute(const struct lane_call *c)
{
	const struct gpu_model *model = gpu_of(c)->model;

	if ((uint32_t)argument(c, 2))
		return DEVICE_ERROR_VALUE;
	switch ((uint32_t)argument(c, 1)) { /* enum cudaDeviceAttr */
	case 1:
	case 2:
	case 3: return put(c, model->group_threads, 4);
	case 4: return put(c, model->group_threads < 64 ? model->group_threads : 64, 4);
	case 5: return put(c, 0x7fffffff, 4);
	case 6:
	case 7: return put(c, 0xffff, 4);
	case 8: return put(c, model->group_shared, 4);
	case 10: return put(c, model->warp_size, 4);
	case 12: return put(c, model->core_registers, 4);
	case 13: return put(c, model->clock_core, 4);
	case 16: return put(c, model->core_count, 4);
	case 39: return put(c, model->core_threads, 4);
	case 75: return put(c, model->core_capability / 10, 4);
	case 76: return put(c, model->core_capability % 10, 4);
	default: return DEVICE_ERROR_SUPPORT;
	}
}

static uint32_t get_limit(const struct lane_call *c)
{
	const struct gpu_model *model = gpu_of(c)->model;

	switch ((uint32_t)argument(c, 1)) { /* enum cudaLimit */
	case 0: return put(c, c->family->launch->warp.stack_bytes, 8);
	case 1: return put(c, model->printf_bytes, 8);
	case 2: return put(c, gpu_of(c)->heap.bytes, 8);
	case 3: return put(c, gpu_of(c)->device.depth, 8);
	case 4: return put(c, gpu_of(c)->device.pending, 8);
	default: return DEVICE_ERROR_SUPPORT;
	}
}

/* Where a text lies in the GPU's memory, the same each time. */
static uint64_t text_at(const struct lane_call *c, const char *text)
{
	size_t bytes = strlen(text) + 1;
	uint64_t address;

	assert(text);
	for (uint32_t k = 0; k < gpu_of(c)->space.count; k++) {
		const struct allocation *a = &gpu_of(c)->space.allocations[k];

		if (a->live && a->name == text)
			return a->address;
	}
	address = space_allocate(&gpu_of(c)->space, bytes, text);
	if (address)
		memcpy(space_host(&gpu_of(c)->space, address), text, bytes);
	return address;
}

/* ---- All calls ---- */

/* The call's error, which is the thread's last one if it is one. */
static uint32_t call_with_error(const struct lane_call *c)
{
	switch ((enum device_call)c->insn->component) {
	case DEVICE_LAUNCH: return launch(c);
	case DEVICE_OLD_LAUNCH: return old_launch(c);
	case DEVICE_WAIT: return wait(c);
	case DEVICE_COPY: return copy(c);
	case DEVICE_FILL: return fill(c);
	case DEVICE_STREAM_CREATE: return create_stream(c);
	case DEVICE_STREAM_DESTROY: return destroy_stream(c);
	case DEVICE_STREAM_WAIT: return on_event(c, argument(c, 1), argument(c, 0), true);
	case DEVICE_EVENT_CREATE: return create_event(c);
	case DEVICE_EVENT_RECORD:
	case DEVICE_EVENT_RECORD_FLAGS: return on_event(c, argument(c, 0), argument(c, 1), false);
	case DEVICE_EVENT_DESTROY: return destroy_event(c);
	case DEVICE_MALLOC: return allocate(c);
	case DEVICE_FREE: return release(c);
	case DEVICE_GET: return put(c, 0, 4);
	case DEVICE_COUNT: return put(c, 1, 4);
	case DEVICE_ATTRIBUTE: return get_attribute(c);
	case DEVICE_LIMIT: return get_limit(c);
	default: return DEVICE_ERROR_SUPPORT;
	}
}

static uint64_t call(const struct lane_call *c)
{
	uint32_t error;

	switch ((enum device_call)c->insn->component) {
	case DEVICE_BUFFER: return get_buffer(c);
	case DEVICE_OLD_BUFFER: return get_old_buffer(c);
	case DEVICE_LAST_ERROR: return last_error(c, true);
	case DEVICE_PEEK_ERROR: return last_error(c, false);
	case DEVICE_ERROR_NAME: return text_at(c, device_error_name((uint32_t)argument(c, 0)));
	case DEVICE_ERROR_TEXT: return text_at(c, device_error_text((uint32_t)argument(c, 0)));
	default: break;
	}
	error = call_with_error(c);
	assert(error <= UINT16_MAX);
	if (error)
		*error_of(c) = (uint16_t)error;
	return error;
}

/* Cycles until the call of so many lanes is over. */
static uint64_t latency_of(const struct gpu_model *m, const struct insn *i, uint32_t lanes)
{
	assert(lanes <= CORE_WARPS);
	switch ((enum device_call)i->component) {
	case DEVICE_BUFFER:
	case DEVICE_OLD_BUFFER: return m->device_buffer + (uint64_t)m->device_buffer_each * lanes;
	case DEVICE_LAUNCH:
	case DEVICE_OLD_LAUNCH: return m->device_launch + (uint64_t)m->device_launch_each * lanes;
	case DEVICE_COPY:
	case DEVICE_FILL: /* the runtime does both */
		return m->device_buffer + m->device_launch +
		       (uint64_t)(m->device_buffer_each + m->device_launch_each) * lanes;
	case DEVICE_STREAM_CREATE: return m->device_stream;
	case DEVICE_MALLOC:
	case DEVICE_FREE: return m->heap_latency;
	default: return m->device_call;
	}
}

/* Carries the call out, for all its lanes. */
static void serve_lanes(struct core *core, const struct held_call *of)
{
	struct lane_call c = {.core = core,
		.slot = of->slot,
		.insn = of->insn,
		.extra = &of->slot->warp.kernel->extras[of->insn->extra],
		.family = of->slot->core_launch->launch->family};
	uint32_t nth = 0;

	assert(of->insn->kind == INSN_DEVICE);
	assert(!(of->lanes & ~of->slot->warp.path->active));
	assert(c.family);
	for (lane_mask m = of->lanes; m && !core->stopped; m &= m - 1) {
		uint64_t value;

		c.lane = (uint32_t)__builtin_ctzll(m);
		nth++;
		c.end = core->machine->mode->takes_turns ? 0
							 : of->cycle + latency_of(core->machine->model, of->insn, nth);
		value = call(&c);
		library_result(&c.slot->warp, c.extra, c.lane, value);
	}
	control_advance(core, of->slot);
}

static uint64_t serve(struct core *core, const struct held_call *of)
{
	assert(of->slot->core_launch->launch->machine == core->machine);
	if (begins_to_wait(core, of))
		return NEVER;
	if (of->insn->component == DEVICE_MALLOC || of->insn->component == DEVICE_FREE)
		observe_effect(core, of->slot, EFFECT_HEAP);
	serve_lanes(core, of);
	return latency_of(core->machine->model, of->insn, (uint32_t)__builtin_popcountll(of->lanes));
}

void device_call_over(const struct child *awaited)
{
	const struct child_wait *wait = awaited->wait;
	const struct machine *machine = wait->core->machine;

	assert(awaited->done);
	assert(!awaited->is_grid);
	assert(wait->call.slot->held);
	assert(wait->call.insn->component == DEVICE_WAIT);
	watch_break(wait->core, PREMISE_COURSE);
	observe_awaited(wait->core, wait->call.slot, wait->call.lanes, awaited);
	serve_lanes(wait->core, &wait->call);
	held_call_over(wait->core, &wait->call, machine->time.cycle + machine->model->device_call);
}

void device_call(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct held_call of = {.cycle = core->now, .slot = r, .insn = i, .lanes = lanes};

	assert(i->kind == INSN_DEVICE);
	assert(!(lanes & ~r->warp.path->active));
	if ((i->component == DEVICE_LAUNCH || i->component == DEVICE_OLD_LAUNCH || i->component == DEVICE_COPY ||
		    i->component == DEVICE_FILL) &&
		!fence_release(core, r))
		return;
	held_call_begin(core, DEFERRED_device, &of, serve);
}

static void serve_all(struct machine *machine)
{
	held_calls_serve(machine, DEFERRED_device, serve);
}

const struct deferred deferred_device = {.state_size = sizeof(struct held_calls), .carry_out = serve_all};
