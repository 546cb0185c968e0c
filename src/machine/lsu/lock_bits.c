/* The lock bits of a core: taken, freed, waited for. */
#include "machine/lsu/lock_bits.h"

#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/lsu/memory_kind.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <stdio.h>

struct lock_bits *lock_bits_create(const struct gpu_model *model, struct arena *arena)
{
	struct lock_bits *bits;

	if (!model->shared_lock_bits)
		return NULL;
	bits = arena_new(arena, struct lock_bits);
	bits->count = model->shared_lock_bits;
	if (model->shared_atomic_locks)
		bits->busy_until = arena_new_array(arena, uint64_t, bits->count);
	return bits;
}

struct lock_bits *lock_bits_of(const struct core *core)
{
	return memory_kind_state(core, INSN_LOAD_LOCK);
}

static uint32_t end_of(const struct group *group)
{
	return group->shared_at + group->core_launch->launch->group.shared;
}

/* Groups of several kernels leave gaps; where none is large enough the group counts as lying over others. */
uint32_t lock_bits_place(const struct core *core, const struct group *group)
{
	uint32_t at = 0, bytes = group->core_launch->launch->group.shared;
	bool moved = true;

	assert(core->groups.used >> (group - core->groups.at) & 1);
	while (moved) {
		moved = false;
		for (uint64_t m = core->groups.used; m; m &= m - 1) {
			const struct group *other = &core->groups.at[__builtin_ctzll(m)];

			if (other == group || at >= end_of(other) || other->shared_at >= at + bytes)
				continue;
			at = end_of(other);
			moved = true;
		}
	}
	return at + bytes <= model_core_shared(core->machine->model, core->index) ? at : 0;
}

static uint32_t bit_at(uint32_t count, uint64_t place)
{
	assert(count);
	return (uint32_t)(place / 4 % count);
}

/* A group's addresses begin at shared_first, which is above 0 where 0 is NULL. */
uint32_t lock_bits_word(const struct group *group, uint64_t address)
{
	return group->shared_at + (uint32_t)address - group->core_launch->launch->kernel->shared.first;
}

uint32_t lock_bits_bit(const struct lock_bits *bits, const struct group *group, uint64_t address)
{
	return bit_at(bits->count, lock_bits_word(group, address));
}

const struct lock_bit_taker *lock_bits_taker(const struct core *core, const struct group *group, uint64_t address)
{
	const struct lock_bits *bits = lock_bits_of(core);
	uint32_t bit = bits ? lock_bits_bit(bits, group, address) : 0;

	assert(!bits || bits->taken_count <= bits->count);
	return bits && bits->taken && bits->taken[bit] ? &bits->taker[bit] : NULL;
}

void lock_bits_release(struct core *core, const struct group *group, uint64_t address)
{
	struct lock_bits *bits = lock_bits_of(core);

	if (!lock_bits_taker(core, group, address))
		return;
	bits->taken[lock_bits_bit(bits, group, address)] = 0;
	assert(bits->taken_count);
	bits->taken_count--;
}

/* ---- Programs ---- */

/* The first program on this core. */
static void begin(struct core *core, struct lock_bits *bits)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];

	assert(!bits->taken_count);
	bits->taken = arena_new_array(arena, uint8_t, bits->count);
	bits->taker = arena_new_array(arena, struct lock_bit_taker, bits->count);
}

/* A bit changes, which hang detection must see as it sees memory. */
static void set(struct core *core, const struct warp_slot *r, struct lock_bits *bits, uint32_t bit, uint8_t value)
{
	uint8_t before = bits->taken[bit];

	assert(bit < bits->count);
	assert(value <= 1 && before <= 1);
	if (before == value)
		return;
	assert(value || bits->taken_count);
	bits->taken[bit] = value;
	bits->taken_count += value ? 1u : UINT32_MAX;
	observe_changed(core, r, &bits->taken[bit], &before, sizeof before);
}

static void note_taker(const struct core *core, struct lock_bit_taker *taker, const struct operation *op, uint32_t lane)
{
	const struct launch *launch = op->group->core_launch->launch;

	assert(op->lanes >> lane & 1);
	*taker = (struct lock_bit_taker){.launch = launch,
		.group = op->group->number,
		.thread = op->slot->warp.first_thread + lane,
		.pc = launch_pc(launch, op->insn),
		.word = (uint32_t)op->address[lane],
		.place = lock_bits_word(op->group, op->address[lane]),
		.since = core->now};
}

/* Why a lane does not get its bit. */
static void count_failure(
	struct core *core, const struct operation *op, const struct lock_bits *bits, uint32_t bit, uint32_t lane)
{
	assert(bits->taken[bit] || bits->busy_until[bit] > core->now);
	if (!bits->taken[bit]) { /* for now, an atomic has it: how long, is a matter of time */
		observe_effect(core, op->slot, EFFECT_TIME);
		core->counters.lock_bit_fail_atomic++;
	} else if (bits->taker[bit].place != lock_bits_word(op->group, op->address[lane])) {
		core->counters.lock_bit_fail_alias++;
	} else {
		core->counters.lock_bit_fail_taken++;
	}
}

lane_mask lock_bits_take(struct core *core, const struct operation *op)
{
	struct lock_bits *bits = lock_bits_of(core);
	lane_mask got = 0;

	assert(bits && op->lanes);
	if (!bits->taken)
		begin(core, bits);
	EACH_LANE(l, op->lanes) {
		uint32_t bit = lock_bits_bit(bits, op->group, op->address[l]);

		if (bits->taken[bit] || (bits->busy_until && bits->busy_until[bit] > core->now)) {
			count_failure(core, op, bits, bit, (uint32_t)l);
			continue;
		}
		got |= (lane_mask)1 << l;
		set(core, op->slot, bits, bit, 1);
		note_taker(core, &bits->taker[bit], op, (uint32_t)l);
	}
	core->counters.lock_bits_taken += (uint64_t)__builtin_popcountll(got);
	observe_lock_bits(core, op, got);
	return got;
}

void lock_bits_free(struct core *core, const struct operation *op)
{
	struct lock_bits *bits = lock_bits_of(core);

	assert(bits && op->lanes);
	if (!bits->taken)
		begin(core, bits);
	core->counters.lock_bits_freed += (uint64_t)__builtin_popcountll(op->lanes);
	EACH_LANE(l, op->lanes) {
		uint32_t bit = lock_bits_bit(bits, op->group, op->address[l]);

		core->counters.lock_bits_freed_untaken += !bits->taken[bit];
		set(core, op->slot, bits, bit, 0);
		if (bits->busy_until && bits->busy_until[bit] > core->now) /* an atomic's, in the middle of its loop */
			bits->busy_until[bit] = core->now;
	}
	observe_lock_bits(core, op, op->lanes);
}

static void note_left(struct core_launch *on, const struct lock_bit_taker *taker)
{
	assert(taker->launch == on->launch);
	if (!on->left_bits)
		on->left_bit = *taker;
	on->left_bits++;
}

void lock_bits_end_group(struct core *core, struct group *group)
{
	struct lock_bits *bits = lock_bits_of(core);

	assert(bits->taken_count <= bits->count);
	for (uint32_t b = 0; bits->taken_count && b < bits->count; b++) {
		const struct lock_bit_taker *taker = &bits->taker[b];

		if (!bits->taken[b] || taker->group != group->number || taker->launch != group->core_launch->launch)
			continue;
		note_left(group->core_launch, taker);
		bits->taken[b] = 0;
		bits->taken_count--;
	}
}

static void take_first(struct drop *left, const struct lock_bit_taker *taker)
{
	struct finding *f = &left->first;

	assert(taker->launch);
	if (f->found && f->cycle <= taker->since)
		return;
	*f = (struct finding){.found = true,
		.launch = (struct launch *)(uintptr_t)taker->launch,
		.cycle = taker->since,
		.kind = fault_kind(FAULT_bits),
		.cause = fault_name(FAULT_bits),
		.pc = taker->pc,
		.group = taker->group,
		.thread = taker->thread,
		.has_address = true,
		.address = taker->word};
}

struct drop lock_bits_left(const struct launch *launch)
{
	struct drop left = {0};

	for (uint32_t c = 0; c < launch->core_count; c++) {
		const struct core_launch *on = launch->on[c];

		if (!on || !on->left_bits)
			continue;
		left.count += on->left_bits;
		take_first(&left, &on->left_bit);
	}
	if (left.count)
		snprintf(left.first.message, sizeof left.first.message,
			"took the lock bit of shared memory + 0x%llx, which was not freed before its work-group "
			"ended%s",
			(unsigned long long)left.first.address, left.count > 1 ? "; it is the first of several" : "");
	return left;
}

/* ---- Atomics ---- */

lane_mask lock_bits_stop(struct core *core, const struct group *group, const uint64_t *address, lane_mask lanes)
{
	const struct lock_bits *bits = lock_bits_of(core);
	lane_mask stopped = 0;

	if (!bits || !bits->taken_count)
		return 0;
	assert(bits->taken_count <= bits->count);
	EACH_LANE(l, lanes)
		stopped |= (lane_mask)bits->taken[lock_bits_bit(bits, group, address[l])] << l;
	return stopped;
}

uint32_t lock_bits_cycles(uint32_t count, const uint64_t *address, lane_mask lanes, uint32_t bank_cycles)
{
	uint32_t worst = bank_cycles;

	assert(lanes && bank_cycles);
	EACH_LANE(l, lanes) {
		uint32_t same = 0;

		EACH_LANE(m, lanes)
			same += bit_at(count, address[m]) == bit_at(count, address[l]);
		worst = same > worst ? same : worst;
	}
	return 2 * worst;
}

/* The warp repeats its loop until it has had the last lock. */
static void take_slots(struct core *core, const struct operation *op, uint64_t cycles)
{
	const struct gpu_model *model = core->machine->model;
	uint64_t turns = (cycles + model->shared_atomic_interval - 1) / model->shared_atomic_interval;
	uint64_t *taken = &core_scheduler(core, core_slot(core, op->slot))->slots_taken;

	assert(cycles && model->shared_atomic_interval);
	*taken = (*taken > core->now ? *taken : core->now) + turns * model->shared_atomic_slots;
}

uint64_t lock_bits_pass(struct core *core, struct lock_bits *bits, const struct operation *op)
{
	uint64_t last = 0;

	assert(bits && bits->busy_until && op->lanes);
	EACH_LANE(l, op->lanes) {
		uint64_t *until = &bits->busy_until[lock_bits_bit(bits, op->group, op->address[l])];

		*until = (*until > core->now ? *until : core->now) + core->machine->model->shared_atomic_interval;
		last = *until > last ? *until : last;
	}
	take_slots(core, op, last - core->now);
	return last;
}
