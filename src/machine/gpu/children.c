/* What kernels launch on the GPU: see children.h. */
#include "machine/gpu/children.h"

#include "machine/gpu/launch.h"
#include "machine/gpu/launch_state.h"
#include "machine/gpu/machine.h"

#include <assert.h>
#include <string.h>

void children_create(struct launch *launch)
{
	struct family *family = arena_new(&launch->arena, struct family);

	family->launch = launch;
	family->blocks = arena_reserve(&launch->arena, launch->total_groups * sizeof *family->blocks);
	launch->family = family;
}

static struct arena *arena_of(const struct family *family)
{
	return &family->launch->arena;
}

/* ---- Streams and events ---- */

/* Handles of the device runtime: a number that no host pointer has, and which one of the family's it is. */
#define STREAM_HANDLE 0x5354000000000000ull
#define EVENT_HANDLE 0x4556000000000000ull

struct child_block *children_block(struct family *family, uint32_t number)
{
	if (!family->blocks[number]) {
		family->blocks[number] = arena_new(arena_of(family), struct child_block);
		family->blocks[number]->stream.open = true;
	}
	return family->blocks[number];
}

struct child_stream *children_stream(struct family *family, uint32_t number, uint64_t handle)
{
	uint64_t which = handle - STREAM_HANDLE;

	if (handle < STREAM_TAIL) /* null, cudaStreamLegacy, cudaStreamPerThread */
		return &children_block(family, number)->stream;
	return which < family->streams.count && family->streams.at[which].open ? &family->streams.at[which] : NULL;
}

uint64_t children_new_stream(struct family *family)
{
	*vector_push(arena_of(family), &family->streams) = (struct child_stream){.open = true};
	return STREAM_HANDLE + family->streams.count - 1;
}

uint64_t children_new_event(struct family *family)
{
	*vector_push(arena_of(family), &family->events) = (struct child_event){.open = true};
	return EVENT_HANDLE + family->events.count - 1;
}

struct child_event *children_event(struct family *family, uint64_t handle)
{
	uint64_t which = handle - EVENT_HANDLE;

	return which < family->events.count && family->events.at[which].open ? &family->events.at[which] : NULL;
}

/* ---- What waits for what ---- */

static void end_child(struct machine *machine, struct child *child);

static void make_ready(struct machine *machine, struct child *child)
{
	struct child **at = &machine->ready;

	if (!child->is_grid) {
		end_child(machine, child);
		return;
	}
	while (*at && (*at)->called <= child->called)
		at = &(*at)->next;
	child->next = *at;
	*at = child;
}

/* What it took of device.pending is free. */
static void no_longer_pending(struct machine *machine, struct child *child)
{
	machine->pending -= child->is_pending;
	child->is_pending = false;
}

static void end_child(struct machine *machine, struct child *child)
{
	child->done = true;
	no_longer_pending(machine, child);
	machine->child_ended = machine->tails_due = true;
	child->family->unfinished -= child->is_grid;
	for (uint32_t k = 0; k < child->then.count; k++)
		if (!--child->then.at[k]->waits) {
			child->then.at[k]->after = CHILD_AFTER_GRID;
			make_ready(machine, child->then.at[k]);
		}
}

static void wait_for(struct child *child, struct child *other)
{
	if (!other || other->done)
		return;
	child->waits++;
	*vector_push(arena_of(child->family), &other->then) = child;
}

void children_launch(
	struct family *family, struct child_stream *stream, bool tail, const struct child_grid *grid, uint64_t called)
{
	struct child *child = arena_new(arena_of(family), struct child);

	*child = (struct child){.family = family, .is_grid = true, .is_pending = true, .called = called, .grid = *grid};
	family->launch->machine->unbegun++;
	family->launch->machine->pending++;
	if (tail) {
		if (family->tail)
			family->last_tail->next = child;
		else
			family->tail = child;
		family->last_tail = child;
		return;
	}
	family->unfinished++;
	if (stream) {
		wait_for(child, stream->last);
		stream->last = child;
	}
	if (!child->waits)
		make_ready(family->launch->machine, child);
}

void children_wait(struct family *family, struct child_stream *stream, const struct child_event *event)
{
	struct child *both;

	if (!event->recorded || event->recorded->done)
		return;
	both = arena_new(arena_of(family), struct child);
	both->family = family;
	wait_for(both, event->recorded);
	wait_for(both, stream->last);
	stream->last = both;
}

/* ---- Beginning and ending ---- */

static bool groups_ended(const struct launch *launch)
{
	return launch->next_group == launch->total_groups && launch_groups_done(launch) == launch->total_groups;
}

bool children_only_waits(const struct launch *launch)
{
	return launch->family && groups_ended(launch);
}

uint32_t children_running(const struct machine *machine)
{
	uint32_t count = 0;

	for (const struct launch *launch = machine->active; launch; launch = launch->next_active)
		count += !children_only_waits(launch);
	return count;
}

/* When its call is over and the GPU has begun with the one before, both as far as there is a clock. */
static uint64_t may_begin_at(const struct machine *machine, const struct child *child)
{
	return child->called > machine->next_child ? child->called : machine->next_child;
}

/* Cycles until the first of its groups may be dispatched. */
static uint32_t latency_of(const struct gpu_model *model, const struct child *child)
{
	switch (child->after) {
	case CHILD_AFTER_NOTHING: return model->device_latency;
	case CHILD_AFTER_GRID: return model->device_next;
	case CHILD_AFTER_FAMILY: return model->device_tail;
	}
	return 0;
}

static void begin(struct machine *machine, struct child *child)
{
	struct gpu *gpu = machine->gpu;
	bool functional = gpu->functional; /* the host may have set it for its next launch */
	struct gpu_launch what;
	struct launch *launch;

	gpu->functional = machine->functional;
	gpu->make_child(gpu, child->family->launch, &child->grid, &what);
	launch = launch_create(gpu, &what);
	gpu->functional = functional;
	launch->child = child;
	launch->ordinal = gpu->launches++;
	if (what.kernel->device_call)
		children_create(launch);
	if (what.kernel->uses_heap)
		heap_open(&gpu->heap, &gpu->space);
	machine->unbegun--;
	machine_join(machine, launch);
	launch->ready_at = machine->cycle;
	if (machine->functional)
		return;
	launch->ready_at += latency_of(machine->model, child);
	machine->next_child = may_begin_at(machine, child) + machine->model->device_interval;
}

/* The first of the tail launches, once all else has ended. */
static void begin_tails(struct machine *machine)
{
	if (!machine->tails_due && !machine->functional)
		return;
	machine->tails_due = false;
	for (struct launch *launch = machine->launches; launch; launch = launch->next) {
		struct family *family = launch->family;
		struct child *child;

		if (!family || family->unfinished || !family->tail || !groups_ended(launch))
			continue;
		child = family->tail;
		family->tail = child->next;
		family->unfinished++;
		child->after = CHILD_AFTER_FAMILY;
		if (launch->child)
			no_longer_pending(machine, launch->child);
		make_ready(machine, child);
	}
}

static bool may_begin(const struct machine *machine)
{
	return machine->ready && children_running(machine) < machine->model->concurrent_kernels;
}

uint64_t children_next(const struct machine *machine)
{
	return machine->unbegun && may_begin(machine) ? may_begin_at(machine, machine->ready) : NEVER;
}

void children_begin(struct machine *machine)
{
	if (!machine->unbegun)
		return;
	begin_tails(machine);
	while (may_begin(machine) && may_begin_at(machine, machine->ready) <= machine->cycle) {
		struct child *child = machine->ready;

		machine->ready = child->next;
		begin(machine, child);
	}
}

void children_finish(const struct launch *launch)
{
	if (launch->child)
		end_child(launch->machine, launch->child);
}
