/* Launches with firmware: see firmware.h. */
#include "machine/gpu/firmware.h"

#include "machine/core/fence.h"
#include "machine/gpu/launch.h"
#include "machine/gpu/machine.h"
#include "machine/lsu/yield.h"
#include "machine/nodes/nodes.h"
#include "machine/nodes/start.h"

#include <assert.h>
#include <string.h>

/* ---- Making ---- */

/* The launches of the kernels that firmware may dispatch. */
static void create(struct gpu *gpu, struct launch *launch, const struct gpu_launch *what)
{
	struct firmware *firmware = arena_new(&launch->arena, struct firmware);

	assert(what->dispatchables || !what->dispatchable_count);
	launch->parts = arena_new_array(&launch->arena, struct launch *, what->dispatchable_count + 1);
	launch->part_count = what->dispatchable_count;
	for (uint32_t k = 0; k < launch->part_count; k++) {
		struct launch *kernel = launch_create(gpu, &what->dispatchables[k]);

		kernel->parent = launch;
		kernel->total_groups = 0;
		launch->parts[k] = kernel;
	}
	for (uint32_t k = 0; k < launch->part_count; k++) {
		const struct kernel *kernel = launch->parts[k]->kernel;
		uint32_t bytes = kernel->uses.yield ? yield_kernel_bytes(kernel) : 0;

		firmware->state_bytes = bytes > firmware->state_bytes ? bytes : firmware->state_bytes;
	}
	firmware->last = &firmware->yielded;
	launch->firmware = firmware;
	launch->total_groups = 0;
}

static void join(struct machine *machine, struct launch *launch)
{
	struct firmware *firmware = launch->firmware;
	struct node *node = &machine->nodes.at[machine->nodes.count - 1];
	struct control_processor *c = arena_new(&machine->processor_arena, struct control_processor);

	assert(node->which == NODE_control);
	assert(!machine->processor);
	assert(machine->launches.first == launch);
	assert(!launch->next);
	for (uint32_t k = 0; k < launch->part_count; k++) {
		launch->parts[k]->machine = machine;
		launch->parts[k]->start = launch->start;
		launch->parts[k]->ordinal = launch->ordinal;
	}
	node->arena = c->arena = &machine->processor_arena;
	node_open(node);
	node->state = machine->processor = c;
	c->machine = machine;
	c->node = node;
	c->dispatcher.kernel_count = launch->part_count;
	c->dispatcher.kernels = arena_new_array(c->arena, struct control_kernel, c->dispatcher.kernel_count + 1);
	control_start(c, launch, launch->ready_at);
	firmware->idle = true;
	firmware->idle_since = launch->ready_at;
	firmware->moved_at = machine->time.cycle;
	firmware->quiet = UINT64_MAX;
}

/* ---- Placing ---- */

/* The place on the core, with room for its own constants. */
static struct placed *place_of(struct launch *launch, const struct core *core, const struct group *group)
{
	struct core_launch *on = group->core_launch;
	size_t words = launch->kernel->constant_words + 1;
	struct placed *placed;

	assert(group->place < launch_groups_on(launch, core->index));
	if (!on->placed)
		on->placed = arena_new_array(&launch->arena, struct placed, launch_groups_on(launch, core->index));
	placed = &on->placed[group->place];
	if (!placed->constants) {
		placed->constants = arena_new_array(&launch->arena, uint32_t, words);
		memcpy(placed->constants, launch->constants, (words - 1) * sizeof(uint32_t));
	}
	return placed;
}

/* Its warps see their own argument, and the call of dispatch as their grid. */
static void dress(struct core *core, struct launch *launch, const struct group *group, const struct control_order *call)
{
	struct placed *placed = place_of(launch, core, group);

	assert(group->core_launch->launch == launch);
	assert(call->next < call->count);
	placed->values = launch->values;
	placed->values.grid[0] = call->count;
	placed->argument = call->argument;
	placed->values.parameters = (const uint8_t *)&placed->argument;
	warp_fill_launch_constants(launch->kernel, &placed->values, placed->constants);
	for (uint64_t m = group->slots; m; m &= m - 1) {
		struct warp *w = &core->slots[__builtin_ctzll(m)].warp;

		w->launch = &placed->values;
		w->bank[2] = placed->constants;
		w->group[0] = call->next;
		w->group[1] = w->group[2] = 0;
		warp_fill_start(w);
	}
}

/* ---- The time in which the cores have nothing ---- */

static void note_idle(const struct machine *machine, struct firmware *firmware)
{
	uint64_t since = 0;

	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];

		if (firmware->idle)
			return;
		if (core->groups.used) {
			control_parts_forget(&machine->processor->parts);
			return;
		}
		since = core->emptied_at > since ? core->emptied_at : since;
	}
	assert(since <= machine->time.cycle);
	firmware->idle = true;
	firmware->idle_since = since;
}

static void end_idle(struct machine *machine, struct firmware *firmware, uint64_t at)
{
	struct control_processor *c = machine->processor;

	assert(machine->time.cycle <= at);
	if (firmware->idle && at > firmware->idle_since) {
		c->counters.blocked_cycles += at - firmware->idle_since;
		control_parts_blocked(&c->parts, &c->counters, firmware->idle_since, machine->time.cycle);
	}
	control_parts_forget(&c->parts);
	firmware->idle = false;
}

/* ---- Yielding ---- */

/* Memory for restart contexts.  False: there is none. */
static bool open_channel(struct launch *launch)
{
	struct firmware *firmware = launch->firmware;
	uint32_t count = launch->machine->model->control_restarts;

	assert(firmware->state_bytes && count);
	if (firmware->channel)
		return true;
	firmware->channel = space_allocate(
		&launch->machine->gpu->space, (uint64_t)count * YIELD_ENTRY_BYTES, "restart contexts of wavefronts");
	if (!firmware->channel)
		return false;
	for (uint32_t k = count; k-- > 0;)
		*vector_push(&launch->arena, &firmware->places) = firmware->channel + (uint64_t)k * YIELD_ENTRY_BYTES;
	*vector_push(&launch->arena, &firmware->states) = firmware->channel;
	return true;
}

/* Memory for the state of the group's warp: another's that has ended, or new. */
static void grant(struct launch *launch, struct core *core, const struct group *group)
{
	struct firmware *firmware = launch->firmware;
	uint64_t context = yield_take_memory(core);

	assert(group->core_launch->launch->parent == launch);
	assert(firmware->state_bytes);
	if (!open_channel(launch))
		context = 0;
	else if (!context && (context = space_allocate(&launch->machine->gpu->space, firmware->state_bytes,
				      "the state of a wavefront that yields")))
		*vector_push(&launch->arena, &firmware->states) = context;
	yield_grant(core, group, context);
}

static void note_asking(struct launch *launch)
{
	struct firmware *firmware = launch->firmware;

	assert(firmware->state_bytes);
	for (uint32_t k = 0; k < launch->machine->cores.count; k++)
		for (uint64_t m = yield_asking(&launch->machine->cores.at[k]); m; m &= m - 1) {
			*vector_push(&launch->arena, &firmware->asking) = (struct yield_asks){
				.core = k, .slot = (uint32_t)__builtin_ctzll(m), .since = launch->machine->time.cycle};
			launch->machine->processor->counters.restart_waits +=
				firmware->asking.count > firmware->places.count;
		}
}

/* Wavefronts that come to yield get places for their restart contexts, as far as there are some. */
static bool admit_yields(struct launch *launch)
{
	struct control_processor *c = launch->machine->processor;
	struct firmware *firmware = launch->firmware;
	uint32_t next = 0, kept = 0;

	for (uint32_t k = 0; k < c->dispatcher.freed.count; k++)
		*vector_push(&launch->arena, &firmware->places) = c->dispatcher.freed.at[k];
	c->dispatcher.freed.count = 0;
	note_asking(launch);
	while (next < firmware->asking.count && firmware->places.count) {
		const struct yield_asks *asks = &firmware->asking.at[next++];

		c->counters.restart_wait_cycles += launch->machine->time.cycle - asks->since;
		yield_admit(&launch->machine->cores.at[asks->core], asks->slot,
			firmware->places.at[--firmware->places.count]);
	}
	for (uint32_t k = next; k < firmware->asking.count; k++)
		firmware->asking.at[kept++] = firmware->asking.at[k];
	firmware->asking.count = kept;
	assert(firmware->places.count <= launch->machine->model->control_restarts);
	return next > 0;
}

static void take_yielded(struct launch *launch)
{
	struct control_processor *c = launch->machine->processor;
	struct firmware *firmware = launch->firmware;

	for (uint32_t k = 0; k < launch->machine->cores.count; k++)
		for (struct yielded *y = yield_take(&launch->machine->cores.at[k]), *next; y; y = next) {
			next = y->next;
			assert(y->bytes <= firmware->state_bytes);
			y->next = NULL;
			*firmware->last = y;
			firmware->last = &y->next;
			*vector_push(c->arena, &c->dispatcher.arrived) = y->entry;
			c->counters.yields++;
			c->counters.yield_bytes += y->bytes;
		}
	assert(c->dispatcher.first_arrived <= c->dispatcher.arrived.count);
	if (c->dispatcher.first_arrived == c->dispatcher.arrived.count)
		c->dispatcher.first_arrived = c->dispatcher.arrived.count = 0;
}

/* What firmware has asked to be restarted waits for room on its core. */
static void take_restarts(struct launch *launch)
{
	struct control_processor *c = launch->machine->processor;
	struct firmware *firmware = launch->firmware;

	for (uint32_t k = 0; k < c->dispatcher.restarts.count; k++) {
		struct yielded **link = &firmware->yielded, *y;

		while ((*link)->context != c->dispatcher.restarts.at[k])
			link = &(*link)->next;
		y = *link;
		assert(y->core < launch->machine->cores.count);
		*link = y->next;
		if (firmware->last == &y->next)
			firmware->last = link;
		*vector_push(&launch->arena, &firmware->restarting) = y;
	}
	c->dispatcher.restarts.count = 0;
}

static void restart(struct launch *launch, struct core *core, struct yielded *y)
{
	struct machine *machine = launch->machine;
	uint64_t at = machine->time.cycle + machine->model->dispatch_latency;
	struct group *group = core_restart_group(core, y, at);
	struct control_order call = {.next = y->place[0], .count = y->place[1], .argument = y->argument};

	assert(y->on->launch->parent == launch);
	assert(at >= y->since);
	dress(core, y->on->launch, group, &call);
	yield_grant(core, group, y->context);
	fence_acquire(core, &(struct l1_fence){.scope = L1_SCOPE_WIDE});
	end_idle(machine, launch->firmware, at);
	machine->processor->counters.restarts++;
	machine->processor->counters.yield_cycles += at - y->since;
	yield_restarted(core, &core->slots[__builtin_ctzll(group->slots)], y);
}

static bool restart_some(struct launch *launch)
{
	struct firmware *firmware = launch->firmware;
	uint32_t kept = 0, count = firmware->restarting.count;

	for (uint32_t k = 0; k < count; k++) {
		struct yielded *y = firmware->restarting.at[k];
		struct core *core = &launch->machine->cores.at[y->core];

		if (core_has_room_again(core, y))
			restart(launch, core, y);
		else
			firmware->restarting.at[kept++] = y;
	}
	assert(kept <= count);
	assert(firmware->restarting.count == count);
	firmware->restarting.count = kept;
	return kept < count;
}

static void finish(struct launch *launch)
{
	assert(!launch->firmware->states.count || launch->firmware->state_bytes);
	for (uint32_t k = 0; k < launch->firmware->states.count; k++)
		space_free(&launch->machine->gpu->space, launch->firmware->states.at[k]);
}

/* ---- Between quanta ---- */

static void take_orders(struct launch *launch)
{
	struct control_processor *c = launch->machine->processor;
	struct firmware *firmware = launch->firmware;

	for (uint32_t k = 0; k < c->dispatcher.orders.count; k++) {
		const struct control_order *order = &c->dispatcher.orders.at[k];

		assert(order->kernel < launch->part_count);
		assert(order->count);
		assert(!order->next);
		*vector_push(&launch->arena, &firmware->waiting) = *order;
		firmware->waiting_groups += order->count;
		launch->parts[order->kernel]->total_groups += order->count;
		launch->total_groups += order->count;
		assert(launch->parts[order->kernel]->total_groups <= launch->total_groups);
	}
	c->dispatcher.orders.count = 0;
}

/* The first that waits; null: none does. */
static struct control_order *first_waiting(struct firmware *firmware)
{
	assert(firmware->first <= firmware->waiting.count);
	if (firmware->first < firmware->waiting.count)
		return &firmware->waiting.at[firmware->first];
	assert(!firmware->waiting_groups);
	firmware->first = firmware->waiting.count = 0;
	return NULL;
}

static bool place_one(struct launch *launch, struct control_order *call)
{
	struct machine *machine = launch->machine;
	struct firmware *firmware = launch->firmware;
	struct launch *kernel = launch->parts[call->kernel];
	uint64_t at = machine->time.cycle + machine->model->dispatch_latency;
	struct core *core;
	struct group *group = launch_place(kernel, &at, &core);

	assert(firmware->waiting_groups);
	assert(launch->dispatch.next_group < launch->total_groups);
	if (!group)
		return false;
	dress(core, kernel, group, call);
	if (kernel->kernel->uses.yield)
		grant(launch, core, group);
	fence_acquire(core, &(struct l1_fence){.scope = L1_SCOPE_WIDE}); /* it sees what firmware has stored before */
	end_idle(machine, firmware, at);
	launch->dispatch.next_group++;
	firmware->waiting_groups--;
	firmware->first += ++call->next == call->count;
	return true;
}

/* What firmware reads of its work-groups in the quantum that begins. */
static void tell(struct launch *launch)
{
	struct machine *machine = launch->machine;
	struct control_processor *c = machine->processor;
	const struct firmware *firmware = launch->firmware;
	uint64_t taken = firmware->waiting_groups + firmware->restarting.count;

	assert(c->dispatcher.kernel_count == launch->part_count);
	for (uint32_t k = 0; k < launch->part_count; k++) {
		uint64_t room = 0;

		for (uint32_t core = 0; core < machine->cores.count; core++)
			room += core_free_groups(launch->parts[k], core);
		assert(launch_groups_done(launch->parts[k]) <= launch->parts[k]->dispatch.next_group);
		c->dispatcher.kernels[k].ended = launch_groups_done(launch->parts[k]);
		c->dispatcher.kernels[k].room = room > taken ? room - taken : 0;
	}
}

/* Carries out what firmware has asked for in the last quantum, and tells it what has become of its work-groups. */
static bool dispatch(struct launch *launch)
{
	struct control_order *call;
	bool any = false;

	assert(launch->machine->launches.first == launch);
	if (launch->machine->processor->returned)
		return false;
	note_idle(launch->machine, launch->firmware);
	take_orders(launch);
	if (launch->firmware->state_bytes) {
		take_yielded(launch);
		take_restarts(launch);
		any = admit_yields(launch);
		any |= restart_some(launch);
	}
	while ((call = first_waiting(launch->firmware)) && place_one(launch, call))
		any = true;
	tell(launch);
	return any;
}

static bool is_done(const struct launch *launch)
{
	return launch->machine->processor->returned;
}

static void leave_cores(struct launch *launch)
{
	if (is_done(launch)) /* only all together */
		machine_note_done(launch);
}

/* ---- Hangs ---- */

/* Another number when anything has happened on the cores or to their work-groups. */
static uint64_t moved(const struct machine *machine)
{
	const struct launch *launch = machine->launches.first;
	uint64_t sum = launch->dispatch.next_group + launch_groups_done(launch) + launch->total_groups;

	assert(launch_groups_done(launch) <= launch->dispatch.next_group);
	return sum + machine->processor->counters.dispatches + machine->processor->counters.yields +
	       machine->processor->counters.restarts;
}

/* True: firmware looks at memory, and has not done so since something happened last. */
static bool looks_again(struct machine *machine, uint64_t *next)
{
	const struct control_processor *c = machine->processor;
	struct firmware *firmware = machine->launches.first->firmware;
	uint64_t quiet = moved(machine);

	assert(firmware);
	if (!c->is_polling || !c->lone.wake_at || c->returned || c->stopped)
		return false;
	for (uint32_t k = 0; k < machine->cores.count; k++)
		quiet += machine->cores.at[k].last_activity;
	if (quiet == firmware->quiet)
		return false;
	firmware->quiet = quiet;
	*next = control_core_cycle(c, c->lone.wake_at);
	if (*next < machine->time.cycle)
		*next = machine->time.cycle;
	return true;
}

/* A hang is suspected when nothing has been dispatched and nothing has ended for long. */
static bool watch(struct machine *machine, struct launch **over)
{
	struct firmware *firmware = machine->launches.first->firmware;
	uint64_t now = moved(machine), most = machine->gpu->options.hang_after;

	if (now != firmware->moved) {
		firmware->moved = now;
		firmware->moved_at = machine->time.cycle;
	}
	assert(machine->time.cycle >= firmware->moved_at);
	if (!most || machine->time.cycle - firmware->moved_at < most)
		return false;
	*over = machine_hang(machine, false);
	return true;
}

void firmware_explain(struct machine *machine, struct launch *launch, bool proved)
{
	const struct control_processor *c = machine->processor;
	struct arena *arena = machine->gpu->arena;
	struct finding_detail *detail = arena_new(arena, struct finding_detail);
	uint32_t pc = c->lone.is_there ? c->lone.flight->pc : c->fetch_pc;
	struct place place = kernel_place(launch->kernel, pc);

	assert(launch->dispatch.next_group <= launch->total_groups);
	assert(launch->firmware);
	detail->proved = proved;
	detail->lines[0] = pc;
	detail->roles[0] = "firmware is here";
	detail->line_count = 1;
	detail->message = arena_printf(arena,
		"firmware %s at %s:%u%s; of %u work-groups, %u have begun and %llu have ended",
		c->is_polling ? "waits for memory to change" : "runs", place.file, place.line,
		proved ? ", and nothing else can happen in the GPU" : " and nothing begins or ends",
		launch->total_groups, launch->dispatch.next_group, (unsigned long long)launch_groups_done(launch));
	machine_note_hang(machine, launch, detail);
}

/* ---- Counters ---- */

static void count(struct gpu_result *result, const struct launch *launch)
{
	const struct control_processor *c = launch->machine->processor;
	struct control_counters *counters = &result->control_counters;
	uint64_t end = c->returned || c->stopped ? c->ended_at : launch->machine->time.cycle;

	assert(c->launch == launch);
	*counters = c->counters;
	if (end <= c->begins)
		return;
	counters->run_cycles = end - c->begins;
	counters->cycles = control_own_cycle(c, end) - control_own_cycle(c, c->begins);
	if (launch->firmware->idle && end > launch->firmware->idle_since) {
		counters->blocked_cycles += end - launch->firmware->idle_since;
		control_parts_blocked(&c->parts, counters, launch->firmware->idle_since, end);
	}
}

const struct launch_kind launch_firmware = {
	.is_alone = true,
	.create = create,
	.join = join,
	.finish = finish,
	.dispatch = dispatch,
	.leave_cores = leave_cores,
	.count = count,
	.looks_again = looks_again,
	.watch = watch,
};
