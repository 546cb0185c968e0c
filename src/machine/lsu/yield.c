/* __lockstep_yield: see yield.h.
 *
 * The warp first waits like a release, until all that it has sent is answered, then for a place in the channel of
 * restart contexts, which it is given between quanta.  Then one operation stores its state, a line per message, past
 * the L1, and the restart context.  When all are acknowledged the group leaves the core, which keeps a record of
 * it; its shared memory stays taken.  The path has not moved on: a restarted warp issues the same instruction, which
 * then loads the lines. */
#include "machine/lsu/yield.h"

#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/fence.h"
#include "machine/core/group.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/port.h"
#include "machine/core/schedule.h"
#include "machine/lsu/access.h"
#include "machine/lsu/library_call.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

/* Of an operation. */
struct yielding {
	uint64_t resource;
	bool loads;
};

/* Of a core. */
struct yield_unit {
	uint64_t *context;             /* per group slot: where its state goes */
	uint64_t *entry;               /* per group slot: where its restart context goes; 0: it has no place */
	uint64_t asking;               /* warp slots that wait for one, since yield_asking */
	uint64_t leaving;              /* group slots whose state is stored */
	uint64_t loading;              /* warp slots that are to load theirs */
	struct yielded *first, **last; /* since yield_take */
	struct yielded *free;          /* restarted ones */
	VECTOR(uint64_t) memory;       /* of groups that have ended */
	uint32_t shared;               /* bytes of groups that have yielded */
};

static struct yield_unit *unit_of(const struct core *core)
{
	return memory_kind_state(core, INSN_YIELD);
}

static struct arena *arena_of(const struct core *core)
{
	return &core->machine->cores.arenas[core->index];
}

static struct yielding *yielding(const struct operation *op)
{
	assert(op->insn->kind == INSN_YIELD);
	return op->state;
}

static uint32_t group_index(const struct core *core, const struct group *group)
{
	assert((size_t)(group - core->groups.at) < core->groups.count);
	return (uint32_t)(group - core->groups.at);
}

/* --- Messages --- */

/* What the line of the state holds: the resource first, then what there is of registers. */
static void fill(const struct operation *op, uint32_t line, struct store_payload *payload)
{
	const struct launch *launch = op->group->core_launch->launch;
	uint32_t bytes = access_line_bytes(op);
	size_t from = (size_t)line * bytes, size = (size_t)launch->warp.register_words * sizeof(uint32_t);

	assert(line < op->messages);
	payload->mask[0] = ~0ull;
	payload->mask[1] = bytes == LINE_BYTES ? ~0ull : 0;
	memset(payload->data, 0, LINE_BYTES);
	if (from < size)
		memcpy(payload->data, (const char *)op->slot->warp.registers + from,
			size - from < bytes ? size - from : bytes);
	if (!line)
		memcpy(payload->data, &yielding(op)->resource, sizeof yielding(op)->resource);
}

/* The last message of a yield. */
static void store_entry(struct core *core, struct operation *op)
{
	uint64_t at = unit_of(core)->entry[group_index(core, op->group)];
	uint64_t words[] = {unit_of(core)->context[group_index(core, op->group)], yielding(op)->resource};
	uint32_t offset = (uint32_t)(at % l1_line_bytes(&core->l1));
	struct store_payload payload = {0};

	assert(at && at % YIELD_ENTRY_BYTES == 0);
	assert(sizeof words == YIELD_ENTRY_BYTES);
	payload.mask[offset / 64] = 0xffffull << offset % 64;
	memcpy(payload.data + offset, words, sizeof words);
	l1_write(&core->l1, at - offset, NULL, false);
	port_send_store(
		core, op, at - offset, &payload, YIELD_ENTRY_BYTES, OPERATION_TOKEN | load_store_index(core, op));
}

static void store_line(struct core *core, struct operation *op, uint64_t line, uint32_t which)
{
	struct store_payload payload;

	assert(line % LEAST_LINE == 0);
	fill(op, which, &payload);
	l1_write(&core->l1, line, NULL, false);
	port_send_store(
		core, op, line, &payload, l1_line_bytes(&core->l1), OPERATION_TOKEN | load_store_index(core, op));
}

static bool load_line(struct core *core, const struct operation *op, uint64_t line)
{
	struct l1_waiter waiter = {.lanes = op->lanes, .user = load_store_index(core, op)};
	uint32_t token;

	assert(line % LEAST_LINE == 0);
	if (l1_join(&core->l1, line, core->l1.all_sectors, true, waiter, &token) == L1_FULL) {
		core->lsu.queue_stalled = true;
		return false;
	}
	core->counters.l1_bypassed++;
	port_send_load(core, line, core->l1.all_sectors, (struct port_load){0}, token);
	return true;
}

static bool send(struct core *core, struct operation *op, const struct transaction *t)
{
	uint64_t line = t->line + (uint64_t)t->element * l1_line_bytes(&core->l1);

	assert(op == &core->lsu.operations[t->operation]);
	assert(t->element < op->messages);
	if (!yielding(op)->loads && t->element + 1u == op->messages)
		store_entry(core, op);
	else if (!yielding(op)->loads)
		store_line(core, op, line, t->element);
	else if (!load_line(core, op, line))
		return false;
	core->counters.bulk_lines++;
	return true;
}

static void deliver(struct core *core, const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line)
{
	(void)core;
	(void)op, (void)lanes, (void)data, (void)line;
}

/* All lines are there.  Of stores: the warp leaves with the group, whose last request this was. */
static void completed(struct core *core, struct operation *op)
{
	if (yielding(op)->loads)
		return;
	assert(op->group->live_warps == 1);
	assert(!(unit_of(core)->leaving >> group_index(core, op->group) & 1));
	core_warp_leaves(core, op->slot);
	unit_of(core)->leaving |= 1ull << group_index(core, op->group);
}

/* --- Issue --- */

static void transfer(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, bool loads)
{
	uint32_t bytes = yield_kernel_bytes(r->warp.kernel), line = l1_line_bytes(&core->l1);
	struct operation *op = load_store_take(core, r, i, lanes, space_GLOBAL);

	assert(unit_of(core)->context[group_index(core, r->group)]);
	assert(!r->held && r->group->warps == 1);
	assert(bytes < UINT16_MAX * line);
	op->messages = (uint16_t)((bytes + line - 1) / line + !loads);
	op->ordered = loads;
	*yielding(op) = (struct yielding){.loads = loads,
		.resource = library_argument(
			&r->warp, &r->warp.kernel->extras[i->extra].arguments[0], (uint32_t)__builtin_ctzll(lanes))};
	load_store_queue(core, op, unit_of(core)->context[group_index(core, r->group)], lanes, 1);
	load_store_await_result(core, op);
	r->held = true;
}

void yield_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct yield_unit *unit = unit_of(core);

	assert(!(unit->leaving >> group_index(core, r->group) & 1));
	if (unit->loading & r->bit) {
		unit->loading &= ~r->bit;
		transfer(core, r, i, lanes, true);
		control_advance(core, r);
	} else if (!unit->context[group_index(core, r->group)]) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_firmware,
			"no global memory is left for the state of a wavefront that yields");
	} else if (unit->entry[group_index(core, r->group)]) {
		transfer(core, r, i, lanes, false);
	} else if (fence_release(core, r)) {
		assert(!(unit->asking & r->bit));
		unit->asking |= r->bit;
		r->held = true;
	}
}

uint64_t yield_asking(struct core *core)
{
	struct yield_unit *unit = unit_of(core);
	uint64_t asking = unit ? unit->asking : 0;

	assert(core->groups.count <= CORE_WARPS);
	if (unit)
		unit->asking = 0;
	return asking;
}

void yield_admit(struct core *core, uint32_t slot, uint64_t entry)
{
	struct warp_slot *r = &core->slots[slot];

	assert(r->used && r->held);
	assert(!unit_of(core)->entry[group_index(core, r->group)]);
	unit_of(core)->entry[group_index(core, r->group)] = entry;
	r->held = false;
	r->hold_until = core->machine->time.cycle;
	core_schedule(core, r);
}

/* --- Keeping --- */

static struct yielded *new_record(struct core *core, struct core_launch *on)
{
	struct yielded **link = &unit_of(core)->free, *y;

	while (*link && (*link)->on != on)
		link = &(*link)->next;
	y = *link;
	if (y) {
		assert(y->on == on);
		*link = y->next;
		return y;
	}
	y = arena_new(arena_of(core), struct yielded);
	y->registers = arena_new_array(arena_of(core), char, on->warp_bytes);
	y->local = arena_new_array(arena_of(core), uint8_t, launch_local_bytes(on->launch));
	y->shared = arena_new_array(arena_of(core), uint8_t, on->shared_stride);
	return y;
}

struct yielded *yield_take(struct core *core)
{
	struct yield_unit *unit = unit_of(core);
	struct yielded *first = unit ? unit->first : NULL; /* null: the core was never used */

	assert(!unit || !first == (unit->last == &unit->first));
	if (!first)
		return NULL;
	unit->first = NULL;
	unit->last = &unit->first;
	return first;
}

void yield_restarted(struct core *core, const struct warp_slot *r, struct yielded *yielded)
{
	struct yield_unit *unit = unit_of(core);

	assert(unit->shared >= yielded->on->launch->group.shared);
	assert(r->used);
	assert(!(unit->loading & r->bit));
	assert(yielded->core == core->index);
	unit->loading |= r->bit;
	unit->shared -= yielded->on->launch->group.shared;
	yielded->next = unit->free;
	unit->free = yielded;
}

void yield_grant(struct core *core, const struct group *group, uint64_t context)
{
	assert(group->used);
	unit_of(core)->context[group_index(core, group)] = context;
}

uint64_t yield_take_memory(struct core *core)
{
	struct yield_unit *unit = unit_of(core);

	assert(unit);
	return unit->memory.count ? unit->memory.at[--unit->memory.count] : 0;
}

uint32_t yield_shared(const struct core *core)
{
	return unit_of(core) ? unit_of(core)->shared : 0;
}

/* --- The kind --- */

static void *create(struct core *core, struct arena *arena)
{
	struct yield_unit *unit = arena_new(arena, struct yield_unit);

	assert(core->groups.count && core->groups.count <= CORE_WARPS);
	unit->context = arena_new_array(arena, uint64_t, core->groups.count);
	unit->entry = arena_new_array(arena, uint64_t, core->groups.count);
	unit->last = &unit->first;
	return unit;
}

/* A group that has yielded; the memory of one that has ended is free. */
static bool keep(struct core *core, const struct group *group)
{
	struct yield_unit *unit = unit_of(core);
	uint32_t index = group_index(core, group);
	const struct warp_slot *r = &core->slots[__builtin_ctzll(group->slots)];
	struct core_launch *on = group->core_launch;
	const struct placed *placed;
	struct yielded *y;

	if (!on->launch->kernel->uses.yield)
		return false;
	placed = &on->placed[group->place];
	if (!(unit->leaving >> index & 1)) {
		*vector_push(arena_of(core), &unit->memory) = unit->context[index];
		return false;
	}
	unit->leaving &= ~(1ull << index);
	assert(unit->context[index] && !(unit->loading & r->bit));
	y = new_record(core, on);
	y->next = NULL;
	y->context = unit->context[index];
	y->entry = unit->entry[index];
	unit->entry[index] = 0;
	y->bytes = yield_kernel_bytes(on->launch->kernel);
	y->since = core->now;
	y->on = on;
	y->core = core->index;
	y->number = group->number;
	y->place[0] = r->warp.group[0];
	y->place[1] = placed->values.grid[0];
	y->argument = placed->argument;
	y->live = r->warp.live;
	y->carry = r->warp.carry_bits;
	memcpy(y->registers, core_launch_warp(on, r->place), on->warp_bytes);
	memcpy(y->local, r->warp.local, launch_local_bytes(on->launch));
	memcpy(y->shared, group->shared, on->launch->group.shared_bytes);
	unit->shared += on->launch->group.shared;
	*unit->last = y;
	unit->last = &y->next;
	return true;
}

const struct group_hooks group_hooks_yield = {.keep = keep};

const struct memory_kind memory_yield = {
	.noun = "yield",
	.state_bytes = sizeof(struct yielding),
	.create = create,
	.send = send,
	.deliver = deliver,
	.completed = completed,
};
