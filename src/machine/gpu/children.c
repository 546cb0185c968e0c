/* What kernels launch on the GPU: see children.h. */
#include "machine/gpu/children.h"

#include "machine/gpu/launch.h"
#include "machine/gpu/machine.h"
#include "machine/observe/races.h"

#include <assert.h>
#include <string.h>

/* The depth from which on grids wait for nothing: each above it leaves cores, and kernels that run together, to it. */
static uint32_t deepest_wait(const struct gpu *gpu)
{
	uint32_t cores = gpu->model->core_count, kernels = gpu->model->concurrent_kernels;
	uint32_t most = cores < kernels ? cores : kernels;

	assert(cores);
	assert(kernels);
	return gpu->device.depth < most ? gpu->device.depth : most - 1;
}

bool children_may_wait(const struct gpu *gpu, uint32_t depth)
{
	return depth < deepest_wait(gpu);
}

static uint32_t kept(const struct gpu *gpu, bool waits, uint32_t depth)
{
	return waits && children_may_wait(gpu, depth) ? deepest_wait(gpu) - depth : 0;
}

void children_create(const struct gpu *gpu, struct launch *launch, uint32_t depth)
{
	struct family *family = arena_new(&launch->arena, struct family);

	assert(!launch->family);
	family->launch = launch;
	family->depth = depth;
	launch->kept = kept(gpu, launch->kernel->uses.device_wait, depth);
	assert(launch->kept < launch->core_count);
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
	assert(number < family->launch->total_groups);
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

static bool is_before(const struct child *a, const struct child *b)
{
	return a->called != b->called ? a->called < b->called : a->order < b->order;
}

/* Moves the child at `k` of a heap of `count` to where it belongs. */
static void find_place(struct child **at, uint32_t count, uint32_t k)
{
	struct child *child = at[k];
	uint32_t below;

	assert(k < count);
	for (; k && is_before(child, at[(k - 1) / 2]); k = (k - 1) / 2)
		at[k] = at[(k - 1) / 2];
	for (; (below = 2 * k + 1) < count; k = below) {
		below += below + 1 < count && is_before(at[below + 1], at[below]);
		if (is_before(child, at[below]))
			break;
		at[k] = at[below];
	}
	at[k] = child;
}

static struct child *take_ready(struct machine_children *all, uint32_t k)
{
	struct child **at = all->ready.at, *child = at[k];

	assert(k < all->ready.count);
	at[k] = at[--all->ready.count];
	if (k < all->ready.count)
		find_place(at, all->ready.count, k);
	return child;
}

static void make_ready(struct machine *machine, struct child *child)
{
	struct machine_children *all = &machine->children;

	assert(!child->waits);
	assert(!child->done);
	if (!child->is_grid) {
		end_child(machine, child);
		return;
	}
	child->order = all->readied++;
	*vector_push(&machine->arena, &all->ready) = child;
	find_place(all->ready.at, all->ready.count, all->ready.count - 1);
}

/* What it took of device.pending is free. */
static void no_longer_pending(struct machine *machine, struct child *child)
{
	assert(!child->is_pending || machine->children.pending);
	machine->children.pending -= child->is_pending;
	child->is_pending = false;
}

/* The child comes after the other, which has ended. */
static void note_order(struct child *child, const struct child *other)
{
	assert(other->done || !other->is_grid);
	assert(child != other);
	if (child->race && other->race)
		races_follow(races_of_gpu(child->family->launch->machine->gpu), child->race, other->race);
}

/* The warp goes on. */
static void end_wait(struct child *child)
{
	struct family *family = child->family;
	struct child_block *block = family->blocks[child->wait->call.slot->group->number];

	assert(block->waiting);
	assert(family->waiting_groups);
	family->waiting_groups -= !--block->waiting;
	device_call_over(child);
}

static void end_child(struct machine *machine, struct child *child)
{
	struct launch *parent = child->family->launch;

	assert(!child->done);
	assert(!child->waits);
	assert(!child->is_grid || child->family->unfinished);
	child->done = true;
	no_longer_pending(machine, child);
	machine->children.tails_due = true;
	child->family->unfinished -= child->is_grid;
	if (child->is_grid && parent->course.groups_over && children_ended(parent))
		machine_note_done(parent);
	if (child->wait)
		end_wait(child);
	for (uint32_t k = 0; k < child->then.count; k++)
		note_order(child->then.at[k], child);
	for (uint32_t k = 0; k < child->then.count; k++)
		if (!--child->then.at[k]->waits) {
			child->then.at[k]->after = CHILD_AFTER_GRID;
			make_ready(machine, child->then.at[k]);
		}
}

static void wait_for(struct child *child, struct child *other)
{
	assert(!child->done);
	assert(child != other);
	if (!other)
		return;
	if (other->done) {
		note_order(child, other);
		return;
	}
	child->waits++;
	*vector_push(arena_of(child->family), &other->then) = child;
}

/* Something in a stream, or what waits for several; a grid, or something that has no end of its own. */
static struct child *new_child(struct family *family, bool is_grid)
{
	struct child *child = arena_new(arena_of(family), struct child);
	struct races *races = races_of_gpu(family->launch->machine->gpu);

	assert(family->launch->family == family);
	*child =
		(struct child){.family = family, .is_grid = is_grid, .race = races ? races_grid(races, is_grid) : NULL};
	return child;
}

const struct child *children_launch(struct family *family, uint32_t number, struct child_stream *stream, bool tail,
	const struct child_grid *grid, uint64_t called)
{
	struct child *child = new_child(family, true);

	assert(!stream || (!tail && stream->open));
	child->is_pending = true;
	child->called = called;
	child->grid = *grid;
	family->launch->machine->children.unbegun++;
	family->launch->machine->children.pending++;
	if (tail) {
		family->launch->machine->children.tails++;
		if (family->tail)
			family->last_tail->next = child;
		else
			family->tail = child;
		family->last_tail = child;
		return child;
	}
	family->unfinished++;
	if (family->launch->kernel->uses.device_wait)
		*vector_push(arena_of(family), &children_block(family, number)->launched) = child;
	if (stream) {
		wait_for(child, stream->last);
		stream->last = child;
	}
	if (!child->waits)
		make_ready(family->launch->machine, child);
	return child;
}

void children_wait(struct family *family, struct child_stream *stream, const struct child_event *event)
{
	struct child *both;

	assert(stream->open);
	assert(event->open);
	if (!event->recorded)
		return;
	both = new_child(family, false);
	wait_for(both, event->recorded);
	wait_for(both, stream->last);
	both->done = !both->waits;
	stream->last = both;
}

static void forget_ended(struct family *family, struct child_block *block)
{
	uint32_t left = 0;

	assert(!block->ended || block->ended->family == family);
	if (!block->ended && races_of_gpu(family->launch->machine->gpu))
		block->ended = new_child(family, false);
	for (uint32_t k = 0; k < block->launched.count; k++) {
		struct child *child = block->launched.at[k];

		if (!child->done)
			block->launched.at[left++] = child;
		else if (block->ended)
			note_order(block->ended, child);
	}
	block->launched.count = left;
}

bool children_await(struct family *family, struct core *core, const struct held_call *call)
{
	struct child_block *block = children_block(family, call->slot->group->number);
	struct child *all;

	assert(call->lanes);
	assert(family->launch->kernel->uses.device_wait);
	forget_ended(family, block);
	if (!block->launched.count)
		return false;
	all = new_child(family, false);
	all->wait = arena_new(arena_of(family), struct child_wait);
	*all->wait = (struct child_wait){.core = core, .call = *call};
	if (block->ended)
		note_order(all, block->ended);
	for (uint32_t k = 0; k < block->launched.count; k++)
		wait_for(all, block->launched.at[k]);
	family->waiting_groups += !block->waiting++;
	return true;
}

const struct child *children_awaited(const struct family *family, uint32_t number, uint32_t *count)
{
	const struct child_block *block = family->blocks[number];
	const struct child *first = NULL;

	assert(block);
	*count = 0;
	for (uint32_t k = 0; k < block->launched.count; k++) {
		const struct child *child = block->launched.at[k];

		first = first ? first : child->done ? NULL : child;
		*count += !child->done;
	}
	return first;
}

/* ---- Beginning and ending ---- */

static bool groups_ended(const struct launch *launch)
{
	uint64_t done = launch_groups_done(launch);

	assert(done <= launch->dispatch.next_group);
	return launch->dispatch.next_group == launch->total_groups && done == launch->total_groups;
}

bool children_only_waits(const struct launch *launch)
{
	return launch->family && groups_ended(launch);
}

/* All its groups on the machine wait for what they have launched. */
static bool is_waiting(const struct launch *launch)
{
	const struct family *family = launch->family;
	uint64_t there;

	if (!family || !family->waiting_groups)
		return false;
	there = launch->dispatch.next_group - launch_groups_done(launch);
	assert(family->waiting_groups <= there);
	return family->waiting_groups == there;
}

uint32_t children_running(const struct machine *machine)
{
	uint32_t count = 0;

	assert(!machine->launches.active || machine->launches.first);
	for (const struct launch *launch = machine->launches.active; launch; launch = launch->course.next_active)
		count += !children_only_waits(launch) && !is_waiting(launch);
	return count;
}

/* When its call is over and the GPU has begun with the one before, both as far as there is a clock. */
static uint64_t may_begin_at(const struct machine *machine, const struct child *child)
{
	assert(child->is_grid);
	return child->called > machine->children.next ? child->called : machine->children.next;
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
	bool functional;
	struct gpu_launch what;
	struct launch *launch;

	assert(!child->done);
	assert(!child->waits);
	assert(child->is_pending);
	assert(machine->children.unbegun);
	assert(child->family->unfinished);
	functional = launches_take_mode_of(gpu, machine); /* the host may have set the other for its next launch */
	gpu->device.make_child(gpu, child->family->launch, &child->grid, &what);
	launch = launch_create(gpu, &what);
	launches_set_mode(gpu, functional);
	launch->child = child;
	launch->ordinal = gpu->launches++;
	if (what.kernel->uses.device)
		children_create(gpu, launch, child->family->depth + 1);
	if (what.kernel->uses.heap)
		heap_open(&gpu->heap, &gpu->space);
	machine->children.unbegun--;
	machine_join(machine, launch);
	launch->ready_at = machine->time.cycle;
	if (machine->mode->takes_turns)
		return;
	launch->ready_at += latency_of(machine->model, child);
	machine->children.next = may_begin_at(machine, child) + machine->model->device_interval;
}

/* The first of the tail launches, once all else has ended. */
static void begin_tails(struct machine *machine)
{
	if (!machine->children.tails_due || !machine->children.tails)
		return;
	machine->children.tails_due = false;
	for (struct launch *launch = machine->launches.first; launch; launch = launch->next) {
		struct family *family = launch->family;
		struct child *child;

		if (!family || family->unfinished || !family->tail || !groups_ended(launch))
			continue;
		child = family->tail;
		assert(child->is_grid);
		assert(!child->waits);
		family->tail = child->next;
		family->unfinished++;
		machine->children.tails--;
		child->after = CHILD_AFTER_FAMILY;
		if (child->race && family->race)
			races_follow(races_of_gpu(machine->gpu), child->race, family->race);
		if (launch->child)
			no_longer_pending(machine, launch->child);
		make_ready(machine, child);
	}
}

#define NOBODY UINT32_MAX

/* Which of those that are ready is the first for which there is room among the kernels that run together.  Those that
 * wait leave some of it to deeper ones. */
static uint32_t next_in_turn(const struct machine *machine)
{
	struct child *const *at = machine->children.ready.at;
	uint32_t count = machine->children.ready.count, next = NOBODY;
	uint32_t most = machine->model->concurrent_kernels, running = count ? children_running(machine) : most;

	for (uint32_t k = 0; running < most && k < count && next; k++) { /* mostly the first of all */
		assert(!at[k]->waits && at[k]->is_grid);
		if (running + kept(machine->gpu, at[k]->grid.waits, at[k]->family->depth + 1) < most &&
			(next == NOBODY || is_before(at[k], at[next])))
			next = k;
	}
	return next;
}

uint64_t children_next(struct machine *machine)
{
	uint32_t next = machine->children.unbegun ? next_in_turn(machine) : NOBODY;

	return next == NOBODY ? NEVER : may_begin_at(machine, machine->children.ready.at[next]);
}

bool children_begin_later(struct machine *machine)
{
	for (const struct launch *launch = machine->launches.active; launch; launch = launch->course.next_active)
		if (!launch->early.is_held && launch->ready_at > machine->time.cycle &&
			launch->dispatch.next_group < launch->total_groups)
			return true;
	return children_next(machine) != NEVER;
}

void children_begin(struct machine *machine)
{
	uint32_t next;

	assert(machine->children.unbegun <= machine->children.pending);
	if (!machine->children.unbegun)
		return;
	begin_tails(machine);
	while ((next = next_in_turn(machine)) != NOBODY &&
		may_begin_at(machine, machine->children.ready.at[next]) <= machine->time.cycle)
		begin(machine, take_ready(&machine->children, next));
}

/* For --check races: it has ended, and is part of what launched it. */
static void note_end(const struct launch *launch)
{
	struct races *races = races_of_gpu(launch->machine->gpu);
	struct race_grid *grid = launch->family ? launch->family->race : launch->child ? launch->child->race : NULL;

	assert(!grid || races);
	if (!grid)
		return;
	races_grid_ends(races, grid);
	if (launch->child && launch->child->family->race)
		races_follow(races, launch->child->family->race, grid);
}

void children_finish(const struct launch *launch)
{
	assert(!launch->child || launch->child->is_grid);
	assert(children_ended(launch));
	note_end(launch);
	if (launch->child)
		end_child(launch->machine, launch->child);
}
